// SPDX-License-Identifier: GPL-2.0-only
/*
 * Out of memory: -ENOMEM, and what was there before is still there and can be freed. The
 * sanitizer's allocator refuses everything over one megabyte here.
 */
#include "unit.h"

#include <errno.h>

#include "sample.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=1";
}

enum { MANY = 100000 };

static void sites(void **state)
{
	struct snap s = {}, d = {}, copy = {};
	size_t n = 0;
	int err = 0;

	(void)state;
	for (; n < MANY && !err; n++)
		err = snap_add_site(&s, &(struct site) { n + 1, SAMPLE_META(8, 8, 0), 1 });
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(s.nr_sites, n - 1);
	assert_int_equal(snap_allocs(&s), n - 1);
	snap_sort(&s);
	assert_int_equal(s.sites[n - 2].call_site, n - 1);
	/* A smaller one still goes. */
	assert_int_equal(snap_copy(&copy, &s), 0);
	assert_int_equal(snap_delta(&copy, &s, &d), 0);
	snap_free(&copy);
	snap_free(&s);
	snap_free(&d);
}

static void copies(void **state)
{
	struct snap s = {}, to = {};

	(void)state;
	sample_site(&s, 1, SAMPLE_META(8, 8, 0), 1);
	assert_int_equal(snap_copy(&to, &s), 0);
	s.nr_sites = MANY; /* never read: the room for them cannot be had */
	assert_int_equal(snap_copy(&to, &s), -ENOMEM);
	assert_int_equal(to.nr_sites, 0);
	assert_null(to.sites);
	s.nr_sites = 1;
	snap_free(&s);
	snap_free(&to);
}

static void rows_and_stacks(void **state)
{
	struct snap s = {};
	int err = 0;

	(void)state;
	for (u64 id = 0; id < MANY && !err; id++)
		err = snap_add_row(&s, &(struct row_key) { .id = id }, &(struct row_stat) {});
	assert_int_equal(err, -ENOMEM);
	err = 0;
	for (u64 id = 0; id < MANY && !err; id++)
		err = snap_add_stack(&s, &(struct stack_key) { .user = id }, &(struct wait_stat) {});
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(s.rows[s.nr_rows - 1].key.id, s.nr_rows - 1);
	assert_int_equal(s.stacks[s.nr_stacks - 1].key.user, s.nr_stacks - 1);
	snap_free(&s);
}

static void views(void **state)
{
	struct snap s = {};
	struct info info;
	struct view v;

	(void)state;
	sample_info(&info);
	for (u64 id = 0; id < 5000; id++)
		sample_row(&s, id, "x", (struct row_stat) { .allocs = 1 });
	assert_int_equal(view_make(&info, &s, BY_PROCESS, NULL, 10, &v), -ENOMEM);
	view_free(&v);
	snap_free(&s);
	sample_info_free(&info);
}

static void symbols(void **state)
{
	struct ksyms *k = ksyms_new();
	size_t n = 0;
	int err = 0;

	(void)state;
	for (; n < MANY && !err; n++)
		err = ksyms_add(k, 0x1000 + n * 16, 0, "symbol", true);
	assert_int_equal(err, -ENOMEM);
	assert_int_equal(ksyms_count(k), n - 1);
	ksyms_finish(k);
	assert_string_equal(ksyms_name(k, 0x1001, NULL), "symbol");
	ksyms_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites),           cmocka_unit_test(copies),
		cmocka_unit_test(rows_and_stacks), cmocka_unit_test(views),
		cmocka_unit_test(symbols),
	};

	return cmocka_run_group_tests_name("nomem", tests, NULL, NULL);
}
