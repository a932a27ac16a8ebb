// SPDX-License-Identifier: GPL-2.0-only
/* Small helpers: what they parse, what they refuse, and what they leave alone then. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "util.h"

/* An allocation that is too large fails, as it would without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void numbers(void **state)
{
	static const struct {
		const char *s;
		int err;
		u64 n;
	} cases[] = {
		{ "10", 0, 10 },
		{ "15", 0, 15 },
		{ "20", 0, 20 },
		{ "0010", 0, 10 },
		{ "9", -ERANGE, 0 },
		{ "21", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ " 15", -EINVAL, 0 },
		{ "15 ", -EINVAL, 0 },
		{ "+15", -EINVAL, 0 },
		{ "-15", -EINVAL, 0 },
		{ "0x0f", -EINVAL, 0 },
		{ "1e1", -EINVAL, 0 },
		{ "15.0", -EINVAL, 0 },
		{ "abc", -EINVAL, 0 },
		{ "15\n", -EINVAL, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999999", -ERANGE, 0 },
	};
	u64 n;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		n = 4711;
		assert_int_equal(parse_u64(cases[i].s, 10, 20, &n), cases[i].err);
		assert_int_equal(n, cases[i].err ? 4711 : cases[i].n);
	}
	assert_int_equal(parse_u64("18446744073709551615", 0, ULLONG_MAX, &n), 0);
	assert_true(n == ULLONG_MAX);
	assert_int_equal(parse_u64("0", 0, 0, &n), 0);
	assert_int_equal(n, 0);
}

static void durations(void **state)
{
	static const struct {
		const char *s;
		int err;
		u64 ns;
	} cases[] = {
		{ "1", 0, NSEC_PER_SEC },
		{ "1s", 0, NSEC_PER_SEC },
		{ "0.25", 0, NSEC_PER_SEC / 4 },
		{ "1us", 0, 1000 },
		{ "1.5ms", 0, 1500000 },
		{ "2m", 0, 120 * NSEC_PER_SEC },
		{ "365h", 0, 365 * 3600 * NSEC_PER_SEC },
		{ "8760h", 0, 8760 * 3600 * NSEC_PER_SEC },
		{ "8761h", -ERANGE, 0 },
		{ "0", -ERANGE, 0 },
		{ "0.0000000001", -ERANGE, 0 },
		{ "0us", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ "1.1.1", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "1S", -EINVAL, 0 },
		{ "1ns", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "0x1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1-2", -EINVAL, 0 },
		{ "inf", -EINVAL, 0 },
		{ "nan", -EINVAL, 0 },
		{ "999999999999999999999999h", -ERANGE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 ns = 4711;

		assert_int_equal(parse_duration(cases[i].s, &ns), cases[i].err);
		assert_true(ns == (cases[i].err ? 4711 : cases[i].ns));
	}
}

static void ranges(void **state)
{
	static const struct {
		const char *s;
		int err;
		const char *set; /* of eight */
	} cases[] = {
		{ "0", 0, "10000000" },
		{ "7", 0, "00000001" },
		{ "0,2-5", 0, "10111100" },
		{ "3-3", 0, "00010000" },
		{ "0-7", 0, "11111111" },
		{ "5,5,5", 0, "00000100" },
		{ "8", -ERANGE, NULL },
		{ "0-8", -ERANGE, NULL },
		{ "5-2", -EINVAL, NULL },
		{ "", -EINVAL, NULL },
		{ ",", -EINVAL, NULL },
		{ "1,", -EINVAL, NULL },
		{ "-", -EINVAL, NULL },
		{ "-3", -EINVAL, NULL },
		{ "3-", -EINVAL, NULL },
		{ "1--3", -EINVAL, NULL },
		{ "1-2-3", -EINVAL, NULL },
		{ "a", -EINVAL, NULL },
		{ "0 ", -EINVAL, NULL },
		{ "99999999999999999999", -ERANGE, NULL },
		{ "0-18446744073709551615", -ERANGE, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool *set = calloc(8, sizeof(*set)); /* of its own, so that a step beyond is seen */

		assert_non_null(set);
		assert_int_equal(parse_ranges(cases[i].s, set, 8), cases[i].err);
		for (int b = 0; cases[i].set && b < 8; b++)
			assert_int_equal(set[b], cases[i].set[b] == '1');
		free(set);
	}
	assert_int_equal(parse_ranges("0", NULL, 0), -ERANGE);
	assert_int_equal(parse_ranges("0-5", NULL, 0), -ERANGE);
}

static void growth(void **state)
{
	size_t cap = 0;
	u64 *a = NULL, *same;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		assert_int_equal(grow(&a, &cap, i, sizeof(*a)), 0);
		assert_true(cap > i);
		a[i] = i;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(a[i], i);
	same = a;
	assert_int_equal(grow(&a, &cap, cap - 1, sizeof(*a)), 0);
	assert_ptr_equal(a, same);

	/* Too large: the array and its capacity are as they were. */
	cap = SIZE_MAX / 8;
	assert_int_equal(grow(&a, &cap, cap, sizeof(*a)), -ENOMEM);
	assert_ptr_equal(a, same);
	assert_true(cap == SIZE_MAX / 8);
	cap = SIZE_MAX / 2 + 1;
	assert_int_equal(grow(&a, &cap, cap, sizeof(*a)), -ENOMEM);
	assert_ptr_equal(a, same);
	assert_true(cap == SIZE_MAX / 2 + 1);
	free(a);
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void files(void **state)
{
	static char big[10000];
	char path[] = "/tmp/test_util.XXXXXX", buf[8], *text;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	memset(big, 'x', sizeof(big));
	write_file(path, big, sizeof(big));
	text = read_file(path, 1 << 20);
	assert_non_null(text);
	assert_int_equal(strlen(text), sizeof(big));
	free(text);
	text = read_file(path, 5000);
	assert_int_equal(strlen(text), 5000);
	free(text);
	assert_int_equal(read_line(path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "xxxxxxx");

	write_file(path, "one\ntwo\n", 8);
	assert_int_equal(read_line(path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "one");
	write_file(path, "last", 4);
	assert_int_equal(read_line(path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "last");
	write_file(path, "", 0);
	assert_int_equal(read_line(path, buf, sizeof(buf)), -ENODATA);
	text = read_file(path, 100);
	assert_string_equal(text, "");
	free(text);
	unlink(path);
	assert_int_equal(read_line(path, buf, sizeof(buf)), -ENOENT);
	assert_null(read_file(path, 100));
	assert_int_equal(errno, ENOENT);
	assert_null(read_file("/", 100));
	assert_int_equal(errno, EISDIR);
}

static void hand_over(void **state)
{
	char *a = strdup("a"), *b = take_ptr(a);

	(void)state;
	assert_null(a);
	assert_string_equal(b, "a");
	free(b);
	assert_true(min_u64(1, ULLONG_MAX) == 1);
	assert_true(max_u64(1, ULLONG_MAX) == ULLONG_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(durations), cmocka_unit_test(ranges),
		cmocka_unit_test(growth),  cmocka_unit_test(files),     cmocka_unit_test(hand_over),
	};

	return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
