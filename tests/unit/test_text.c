// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "text.h"

static void characters(void **state)
{
	static const struct {
		const char *s;
		size_t len;
	} cases[] = {
		{ "a", 1 },
		{ "\xc3\xa9", 2 },
		{ "\xe2\x82\xac", 3 },
		{ "\xf0\x9f\x94\xa5", 4 },
		{ "\x80", 0 },
		{ "\xc3", 0 },
		{ "\xc0\x80", 0 },
		{ "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xed\xa0\x80", 0 },
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xef\xbf\xbe", 0 },
		{ "\xef\xbf\xbd", 3 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xc3(", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(text_char(cases[i].s, strlen(cases[i].s)), cases[i].len);
	assert_int_equal(text_char("", 0), 0);
}

static void quoting(void **state)
{
	static const struct {
		const char *raw, *plain, *reversible;
	} cases[] = {
		{ "make", "make", "make" },
		{ "a\nb", "a\\x0ab", "a\\x0ab" },
		{ "\x1b[31m", "\\x1b[31m", "\\x1b[31m" },
		{ "\xc2\x9b", "\\xc2\\x9b", "\\xc2\\x9b" },
		{ "caf\xc3\xa9", "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "\xff\\x", "\\xff\\x", "\\xff\\x5cx" },
	};
	char back[16];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *plain = text_quote(cases[i].raw, SIZE_MAX, false);
		char *reversible = text_quote(cases[i].raw, SIZE_MAX, true);

		assert_string_equal(plain, cases[i].plain);
		assert_string_equal(reversible, cases[i].reversible);
		assert_int_equal(text_unquote(reversible, back, sizeof(back)), strlen(cases[i].raw));
		assert_string_equal(back, cases[i].raw);
		free(plain);
		free(reversible);
	}
}

/* A comm of 16 bytes has no NUL, and a cut character at its end is no character. */
static void bounded(void **state)
{
	char *q = text_quote("0123456789abcde\xc3\xa9", 16, true), back[16];

	assert_string_equal(q, "0123456789abcde\\xc3");
	assert_int_equal(text_unquote(q, back, sizeof(back)), 16);
	assert_memory_equal(back, "0123456789abcde\xc3", 16);
	assert_int_equal(text_unquote("0123456789abcdefg", back, sizeof(back)), -ERANGE);
	assert_int_equal(text_unquote("a\\n", back, sizeof(back)), -EINVAL);
	assert_int_equal(text_unquote("a\\x4", back, sizeof(back)), -EINVAL);
	assert_int_equal(text_unquote("a\\", back, sizeof(back)), -EINVAL);
	free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters),
		cmocka_unit_test(quoting),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
