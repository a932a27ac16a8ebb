// SPDX-License-Identifier: GPL-2.0-only
/* Rows, bounds and the OOM order. */
#include "unit.h"

#include <string.h>

#include "rss-view.h"

static void mm(struct rss_census *c, u32 pid, u64 cgroup, s64 count, s64 slots)
{
	struct rss_rec r = { .mm = 0x1000 * pid,
			     .pid = pid,
			     .start_ns = pid,
			     .threads = 1,
			     .cgroup = cgroup,
			     .flags = RSS_LEADER | RSS_SLOTS };

	for (int i = 0; i < NR_RSS; i++)
		r.w.ptr[i] = 0x600000 + 16 * pid + 4 * i;
	r.w.count[RSS_ANON] = count;
	r.w.slots[RSS_ANON] = slots;
	assert_int_equal(rss_census_add(c, &r), 0);
}

static void errors_worst_first(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_view v = {};

	(void)state;
	mm(&c, 1, 0, 100, 5);
	mm(&c, 2, 0, 100, -60);
	mm(&c, 3, 0, 100, 0);
	assert_int_equal(rss_view_build(&v, &c, RSS_BY_PROCESS), 0);
	rss_view_sort(&v, KEY_ERROR);
	assert_int_equal(v.rows[0].mm->pid, 2);
	assert_int_equal(rss_row_error(&v.rows[0]), 60);
	assert_int_equal(v.rows[1].mm->pid, 1);
	assert_int_equal(rss_row_error(&v.rows[1]), -5);
	assert_int_equal(rss_row_error(&v.rows[2]), 0);
	/* What cannot be read has no error. */
	c.mms[1].flags = RSS_LEADER;
	assert_int_equal(rss_view_build(&v, &c, RSS_BY_PROCESS), 0);
	assert_false(v.rows[1].exact_known);
	assert_int_equal(rss_row_error(&v.rows[1]), 0);
	rss_view_free(&v);
	rss_census_free(&c);
}

static void groups_add_up(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_view v = {};

	(void)state;
	mm(&c, 1, 77, 10, 1);
	mm(&c, 2, 88, 20, 2);
	mm(&c, 3, 77, 30, 3);
	memset(c.mms[2].w.ptr, 0, sizeof(c.mms[2].w.ptr));
	c.mms[2].w.slots[RSS_ANON] = 0;
	c.mms[2].state = RSS_ATOMIC;
	assert_int_equal(rss_view_build(&v, &c, RSS_BY_CGROUP), 0);
	rss_view_sort(&v, KEY_RSS);
	assert_int_equal(v.nr, 2);
	assert_int_equal(v.rows[0].cgroup, 77);
	assert_int_equal(v.rows[0].mms, 2);
	assert_int_equal(v.rows[0].in_state[RSS_ATOMIC], 1);
	assert_int_equal(v.rows[0].in_state[RSS_PERCPU], 1);
	assert_int_equal(v.rows[0].exact[RSS_ANON], 41);
	assert_int_equal(v.rows[1].exact[RSS_ANON], 22);
	assert_int_equal(rss_view_build(&v, &c, RSS_BY_MODE), 0);
	assert_int_equal(v.nr, 2);
	assert_int_equal(rss_count_state(&c, RSS_ATOMIC), 1);
	rss_view_free(&v);
	rss_census_free(&c);
}

/* The table of the kernel's documentation of percpu_counter_batch, for 4 KiB pages. */
static void bounds(void **state)
{
	struct rss_census c = { .mode = MODE_GROUPED, .cpus_online = 8 };

	(void)state;
	assert_int_equal(rss_batch(8), 32);
	assert_int_equal(rss_batch(16), 32);
	assert_int_equal(rss_batch(17), 34);
	assert_int_equal(rss_batch(256), 512);
	assert_int_equal(rss_bound(&c, 1), 248);
	c.cpus_online = 192;
	assert_int_equal(rss_bound(&c, 1), 73536);
	c.cpus_online = 256;
	assert_int_equal(rss_bound(&c, 1), 130816);
	c.mode = MODE_SPLIT;
	assert_int_equal(rss_bound(&c, 3), 192);
	c.mode = MODE_TREE;
	assert_int_equal(rss_bound(&c, 3), -1);
}

static void oom_order(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_view v = {};
	struct oom_view o;

	(void)state;
	mm(&c, 1, 0, 1000000, 0); /* init is not killed */
	mm(&c, 2, 0, 1000, 500);
	mm(&c, 3, 0, 1200, 0);
	mm(&c, 4, 0, 5000, 0);
	mm(&c, 5, 0, 10, 0);
	c.mms[3].oom_score_adj = -1000;
	c.mms[4].oom_score_adj = 100;
	c.mms[4].pgtables_bytes = 8192;
	assert_int_equal(rss_view_build(&v, &c, RSS_BY_PROCESS), 0);
	assert_int_equal(oom_view_build(&o, &v, 100000, 4096), 0);
	assert_int_equal(o.nr, 3);
	assert_int_equal(o.rows[0].mm->pid, 5);
	assert_int_equal(o.rows[0].exact_points, 10 + 2 + 100 * 100);
	assert_int_equal(o.rows[1].mm->pid, 2);
	assert_int_equal(o.rows[1].exact_points, 1500);
	assert_int_equal(o.rows[1].approx_rank, 3);
	assert_int_equal(o.rows[2].mm->pid, 3);
	assert_int_equal(o.rows[2].approx_rank, 2);
	assert_int_equal(o.moved, 2);
	oom_view_free(&o);
	rss_view_free(&v);
	rss_census_free(&c);
}

static void nothing_to_rank(void **state)
{
	struct rss_view v = {};
	struct oom_view o;

	(void)state;
	assert_int_equal(oom_view_build(&o, &v, 1000, 4096), 0);
	assert_int_equal(o.nr, 0);
	assert_int_equal(o.moved, 0);
	oom_view_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_worst_first),
		cmocka_unit_test(groups_add_up),
		cmocka_unit_test(bounds),
		cmocka_unit_test(oom_order),
		cmocka_unit_test(nothing_to_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
