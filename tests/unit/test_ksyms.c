// SPDX-License-Identifier: GPL-2.0-only
/* Kernel symbols from files that a kernel would write, and from ones that it would not. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "ksyms.h"

static char path[] = "/tmp/test_ksyms.XXXXXX";

static struct ksyms *load(const char *text, size_t len)
{
	struct ksyms *k;
	FILE *f;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
	k = ksyms_load(path);
	unlink(path);
	return k;
}

#define LOAD(text) load(text, sizeof(text) - 1)

static void assert_name(struct ksyms *k, u64 addr, const char *name, u64 off)
{
	u64 got = ~0ULL;
	const char *s = ksyms_name(k, addr, &got);

	if (!name) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_string_equal(s, name);
	assert_int_equal(got, off);
}

static void names_and_offsets(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000000 T _stext\n"
			       "ffffffff81000100 t pcpu_alloc\n"
			       "ffffffff81000300 W __weak\n"
			       "ffffffff81000380 w weak2\n"
			       "ffffffff81000400 T _etext\n");

	(void)state;
	assert_non_null(k);
	assert_int_equal(ksyms_count(k), 5);
	assert_name(k, 0xffffffff80ffffff, NULL, 0);
	assert_name(k, 0, NULL, 0);
	assert_name(k, 0xffffffff81000000, "_stext", 0);
	assert_name(k, 0xffffffff810000ff, "_stext", 0xff);
	assert_name(k, 0xffffffff81000100, "pcpu_alloc", 0);
	assert_name(k, 0xffffffff810002ff, "pcpu_alloc", 0x1ff);
	assert_name(k, 0xffffffff81000300, "__weak", 0);
	assert_name(k, 0xffffffff81000381, "weak2", 1);
	/* Behind the last symbol there is no function that ends. */
	assert_name(k, 0xffffffff81000400, NULL, 0);
	assert_name(k, ~0ULL, NULL, 0);
	assert_string_equal(ksyms_name(k, 0xffffffff81000101, NULL), "pcpu_alloc");
	assert_int_equal(ksyms_size(k, 0xffffffff81000150), 0x200);
	assert_int_equal(ksyms_size(k, 0xffffffff81000500), 0);
	assert_int_equal(ksyms_size(k, 1), 0);
	assert_true(ksyms_addr(k, "pcpu_alloc", true) == 0xffffffff81000100);
	assert_int_equal(ksyms_addr(k, "pcpu_alloc", false), 0);
	assert_int_equal(ksyms_addr(k, "pcpu_allo", true), 0);
	assert_int_equal(ksyms_addr(k, "", true), 0);
	ksyms_free(k);
}

/* Modules come behind, unsorted; their tag is no part of the name. */
static void modules_and_order(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000000 T a\n"
			       "ffffffff81000100 T b\n"
			       "ffffffffc0002000 t m2\t[mod]\n"
			       "ffffffffc0001000 t m1\t[mod]\n"
			       "ffffffffc0003000 t m3 [mod]\n"
			       "ffffffff81000080 T late\n");

	(void)state;
	assert_non_null(k);
	assert_name(k, 0xffffffffc0001004, "m1", 4);
	assert_name(k, 0xffffffffc0002fff, "m2", 0xfff);
	assert_name(k, 0xffffffff8100007f, "a", 0x7f);
	assert_name(k, 0xffffffff81000080, "late", 0);
	/* From the kernel's last function to the first module is no function. */
	assert_name(k, 0xffffffff81000100, NULL, 0);
	assert_name(k, 0xffffffffa0000000, NULL, 0);
	ksyms_free(k);
}

static void first_of_several_names(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000200 T end\n"
			       "ffffffff81000100 T __first\n"
			       "ffffffff81000100 T __second\n"
			       "ffffffff81000100 t third\n"
			       "ffffffff81000000 T before\n");

	(void)state;
	assert_non_null(k);
	assert_name(k, 0xffffffff81000100, "__first", 0);
	assert_name(k, 0xffffffff810001ff, "__first", 0xff);
	assert_int_equal(ksyms_size(k, 0xffffffff81000100), 0x100);
	assert_true(ksyms_addr(k, "third", true) == 0xffffffff81000100);
	ksyms_free(k);
}

/* One name at two addresses, as static functions are. */
static void one_name_twice(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000000 t mm_init\n"
			       "ffffffff81000100 t x\n"
			       "ffffffff82000000 t mm_init\n"
			       "ffffffff82000100 t y\n");
	const char *found = NULL;

	(void)state;
	assert_true(ksyms_addr(k, "mm_init", true) == 0xffffffff81000000);
	assert_true(ksyms_addr_outside(k, "mm_init", 0xffffffff81000000, 0xffffffff81000100,
				       &found) == 0xffffffff82000000);
	assert_string_equal(found, "mm_init");
	ksyms_free(k);
}

static void restricted(void **state)
{
	(void)state;
	assert_null(LOAD("0000000000000000 T _stext\n0000000000000000 t pcpu_alloc\n"));
	assert_int_equal(errno, EPERM);
	assert_null(LOAD(""));
	assert_int_equal(errno, ENODATA);
	assert_null(LOAD("no symbols in here\n T x\nffffffff81000000 D data\n"));
	assert_int_equal(errno, ENODATA);
	assert_null(ksyms_load("/nonexistent/kallsyms"));
	assert_int_equal(errno, ENOENT);
}

/* Some zero addresses (percpu symbols) do not mean that all are hidden. */
static void some_zeros(void **state)
{
	struct ksyms *k = LOAD("0000000000000000 A __per_cpu_start\n"
			       "0000000000000000 t fixed_percpu_data\n"
			       "ffffffff81000000 T a\n"
			       "ffffffff81000100 T b\n");

	(void)state;
	assert_non_null(k);
	assert_int_equal(ksyms_count(k), 2);
	ksyms_free(k);
}

static void garbage(void **state)
{
	static const char text[] = "\n\n \n"
				   "ffffffff81000000\n"
				   "ffffffff81000000 T\n"
				   "ffffffff81000000 T \n"
				   "ffffffff81000000 T  \n"
				   "ffffffff81000000Tx\n"
				   "xffffffff81000000 T x\n"
				   " T no_address\n"
				   "ffffffff8100000000 T too_long\n"
				   "ffffffff81000000 \0 no_type\n"
				   "ffffffff81000000 T nul\0in\n"
				   "ffffffff81000000 TT two\n"
				   "\xff\xfe\x80 T high\n"
				   "0x81000000 T prefix\n"
				   "FFFFFFFF81000000 T upper\n"
				   "ffffffff81000100 T good\n"
				   "ffffffff81000200 T no_newline";
	struct ksyms *k = LOAD(text);

	(void)state;
	assert_non_null(k);
	assert_int_equal(ksyms_count(k), 3);
	assert_name(k, 0xffffffff81000001, "upper", 1);
	assert_name(k, 0xffffffff81000101, "good", 1);
	assert_true(ksyms_addr(k, "no_newline", true) == 0xffffffff81000200);
	ksyms_free(k);
}

static void huge_lines(void **state)
{
	size_t len = 3 << 20;
	_cleanup_free_ char *text = malloc(len + 200);
	struct ksyms *k;
	int n;

	(void)state;
	assert_non_null(text);
	n = sprintf(text, "ffffffff81000000 T ");
	memset(text + n, 'x', len - n);
	strcpy(text + len, "\nffffffff81000100 T next\nffffffff81000200 T end\n");
	k = load(text, strlen(text));
	assert_non_null(k);
	assert_int_equal(ksyms_count(k), 3);
	assert_int_equal(strlen(ksyms_name(k, 0xffffffff81000000, NULL)), len - n);
	assert_name(k, 0xffffffff81000180, "next", 0x80);
	ksyms_free(k);
}

/* The letter is no proof: these few are data, others with a data letter are not kept at all. */
static void data_symbols(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000000 T a\n"
			       "ffffffff82000000 D jiffies\n"
			       "ffffffff82000040 d pcpu_alloc_mutex\n"
			       "ffffffff82000080 t pcpu_lock\n"
			       "ffffffff820000c0 b percpu_counters_lock\n"
			       "ffffffff82000100 t behind\n"
			       "ffffffff82000200 t end\n");

	(void)state;
	assert_non_null(k);
	assert_int_equal(ksyms_count(k), 6);
	assert_true(ksyms_addr(k, "pcpu_alloc_mutex", false) == 0xffffffff82000040);
	assert_true(ksyms_addr(k, "pcpu_lock", false) == 0xffffffff82000080);
	assert_true(ksyms_addr(k, "percpu_counters_lock", false) == 0xffffffff820000c0);
	assert_int_equal(ksyms_addr(k, "pcpu_lock", true), 0);
	assert_name(k, 0xffffffff82000080, NULL, 0);
	assert_name(k, 0xffffffff820000c8, NULL, 0);
	assert_name(k, 0xffffffff82000108, "behind", 8);
	/* And the function before the data is too large to be one. */
	assert_name(k, 0xffffffff81000000, NULL, 0);
	ksyms_free(k);
}

static void gaps(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000000 T large\n"
			       "ffffffff81100000 T too_large\n"
			       "ffffffff81200001 T end\n");

	(void)state;
	assert_name(k, 0xffffffff810fffff, "large", 0xfffff);
	assert_name(k, 0xffffffff81100000, NULL, 0);
	assert_name(k, 0xffffffff81200000, NULL, 0);
	ksyms_free(k);
}

static void copies(void **state)
{
	struct ksyms *k = LOAD("ffffffff81000000 t pcpu_alloc.part.0\n"
			       "ffffffff81000100 t pcpu_alloc.cold\n"
			       "ffffffff81000200 t pcpu_alloc.isra.0.cold\n"
			       "ffffffff81000300 t pcpu_alloc.constprop.0.part.1\n"
			       "ffffffff81000400 t pcpu_alloc_area\n"
			       "ffffffff81000500 t pcpu_alloc.isra.0\n"
			       "ffffffff81000600 t pcpu_alloc.constprop.0\n"
			       "ffffffff81000700 t free_percpu.part.0\n"
			       "ffffffff81000800 t exact.isra.0\n"
			       "ffffffff81000900 t exact\n"
			       "ffffffff81000a00 t end\n");
	const char *found = NULL;

	(void)state;
	assert_true(ksyms_addr_outside(k, "pcpu_alloc", 0, 0, &found) == 0xffffffff81000500);
	assert_string_equal(found, "pcpu_alloc.isra.0");
	assert_true(ksyms_addr_outside(k, "pcpu_alloc", 0xffffffff81000500, 0xffffffff81000600,
				       &found) == 0xffffffff81000600);
	assert_string_equal(found, "pcpu_alloc.constprop.0");
	found = "as it was";
	assert_int_equal(ksyms_addr_outside(k, "free_percpu", 0, 0, &found), 0);
	assert_int_equal(ksyms_addr_outside(k, "pcpu", 0, 0, &found), 0);
	assert_string_equal(found, "as it was");
	assert_true(ksyms_addr_outside(k, "exact", 0, 0, &found) == 0xffffffff81000900);
	assert_string_equal(found, "exact");
	ksyms_free(k);
}

/* What we load ourselves comes in at its place, with a size of its own. */
static void insertion(void **state)
{
	struct ksyms *k = ksyms_new();

	(void)state;
	assert_non_null(k);
	ksyms_finish(k);
	assert_int_equal(ksyms_insert(k, 0x5000, 0x80, "bpf_prog_b"), 0);
	assert_int_equal(ksyms_insert(k, 0x3000, 0x80, "bpf_prog_a"), 0);
	assert_int_equal(ksyms_insert(k, 0x7000, 0x80, "bpf_prog_c"), 0);
	for (int i = 0; i < 200; i++)
		assert_int_equal(ksyms_insert(k, 0x10000 - i * 16, 16, "many"), 0);
	assert_int_equal(ksyms_count(k), 203);
	assert_name(k, 0x2fff, NULL, 0);
	assert_name(k, 0x307f, "bpf_prog_a", 0x7f);
	assert_name(k, 0x3080, NULL, 0);
	assert_name(k, 0x5001, "bpf_prog_b", 1);
	assert_name(k, 0x7000, "bpf_prog_c", 0);
	assert_name(k, 0x1000f, "many", 15);
	assert_name(k, 0x10010, NULL, 0);
	ksyms_free(k);
	ksyms_free(NULL);
}

/* From a recording: added in any order, named after ksyms_finish; a size may be beyond all. */
static void added_in_any_order(void **state)
{
	struct ksyms *k = ksyms_new();

	(void)state;
	for (u64 i = 1000; i-- > 0;)
		assert_int_equal(ksyms_add(k, 0x1000 + i * 16, i == 500 ? ~0ULL : 0, "f", true), 0);
	assert_int_equal(ksyms_add(k, 0x10, 0, "first", true), 0);
	ksyms_finish(k);
	assert_name(k, 0x11, "first", 1);
	assert_name(k, 0x1000 + 499 * 16 + 3, "f", 3);
	assert_name(k, 0x1000 + 500 * 16, NULL, 0);
	ksyms_free(k);
}

/* Trampolines that came later, one page after the other or packed: the nearest one names it. */
static void trampolines(void **state)
{
	static const char now[] = "ffffffff81000000 T _stext\n"
				  "ffffffffc0001000 t bpf_prog_0123456789abcdef_other\t[bpf]\n"
				  "ffffffffc0002000 t bpf_trampoline_6442536467\t[bpf]\n"
				  "ffffffffc0002200 t bpf_trampoline_6442536999\t[bpf]\n";
	struct ksyms *k = LOAD("ffffffff81000000 T _stext\n"
			       "ffffffff81000400 T _etext\n");
	char later[] = "/tmp/test_ksyms.XXXXXX";
	int fd = mkstemp(later);

	(void)state;
	assert_non_null(k);
	assert_int_equal(write(fd, now, sizeof(now) - 1), sizeof(now) - 1);
	close(fd);
	assert_int_equal(ksyms_add_trampolines(k, later), 0);
	unlink(later);
	assert_int_equal(ksyms_count(k), 4);
	assert_name(k, 0xffffffffc0001234, NULL, 0);
	assert_name(k, 0xffffffffc0002123, "bpf_trampoline_6442536467", 0x123);
	assert_name(k, 0xffffffffc0002210, "bpf_trampoline_6442536999", 0x10);
	assert_name(k, 0xffffffffc0003200, NULL, 0);
	assert_int_equal(ksyms_add_trampolines(k, "/nonexistent/kallsyms"), -ENOENT);
	ksyms_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_offsets),
		cmocka_unit_test(trampolines),
		cmocka_unit_test(modules_and_order),
		cmocka_unit_test(first_of_several_names),
		cmocka_unit_test(one_name_twice),
		cmocka_unit_test(restricted),
		cmocka_unit_test(some_zeros),
		cmocka_unit_test(garbage),
		cmocka_unit_test(huge_lines),
		cmocka_unit_test(data_symbols),
		cmocka_unit_test(gaps),
		cmocka_unit_test(copies),
		cmocka_unit_test(insertion),
		cmocka_unit_test(added_in_any_order),
	};

	return cmocka_run_group_tests_name("ksyms", tests, NULL, NULL);
}
