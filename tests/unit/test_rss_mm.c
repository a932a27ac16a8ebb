// SPDX-License-Identifier: GPL-2.0-only
/* Records into mms, and the mode that they and a trial fork show. */
#include "unit.h"

#include <string.h>

#include "rss-probe.h"
#include "rss.h"

static struct rss_rec record(u64 mm, u32 pid, u64 start, u32 threads, u32 flags)
{
	struct rss_rec r = {
		.mm = mm, .pid = pid, .start_ns = start, .threads = threads, .flags = flags
	};

	strcpy(r.comm, "test");
	return r;
}

static void set_ptrs(struct rss_rec *r, u64 base, u64 step)
{
	for (int i = 0; i < NR_RSS; i++)
		r->w.ptr[i] = base ? base + i * step : 0;
}

static void add(struct rss_census *c, const struct rss_rec *r)
{
	assert_int_equal(rss_census_add(c, r), 0);
}

static void each_mm_once(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_rec young = record(0x2000, 30, 900, 1, RSS_LEADER);
	struct rss_rec old = record(0x2000, 40, 100, 3, RSS_LEADER);
	struct rss_rec other = record(0x1000, 20, 500, 1, RSS_LEADER);

	(void)state;
	young.oom_score_adj = 500;
	add(&c, &young);
	add(&c, &other);
	add(&c, &old);
	rss_census_finish(&c);
	assert_int_equal(c.nr, 2);
	assert_int_equal(c.mms[0].pid, 20);
	/* The older process stands for the mm, though its pid is larger. */
	assert_int_equal(c.mms[1].pid, 40);
	assert_int_equal(c.mms[1].processes, 2);
	assert_int_equal(c.mms[1].threads, 4);
	assert_int_equal(c.mms[1].group_threads, 3);
	assert_int_equal(c.mms[1].oom_score_adj, 500);
	assert_ptr_equal(rss_find(&c, 0x2000), &c.mms[1]);
	assert_null(rss_find(&c, 0x3000));
	assert_ptr_equal(rss_find_pid(&c, 20), &c.mms[0]);
	rss_census_free(&c);
}

static void no_record_no_mm(void **state)
{
	struct rss_census c = {};

	(void)state;
	rss_census_finish(&c);
	assert_int_equal(c.nr, 0);
	assert_null(rss_find(&c, 1));
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_UNKNOWN);
}

/* The threads of one process bring their caches, and count as one process. */
static void split_caches_add_up(void **state)
{
	struct rss_census c = { .shape = SHAPE_SPLIT };
	struct rss_rec leader = record(0x1000, 7, 1, 3, RSS_LEADER);
	struct rss_rec thread = record(0x1000, 7, 1, 3, 0);
	s64 v;

	(void)state;
	leader.w.count[RSS_ANON] = 100;
	leader.w.count[RSS_FILE] = -2;
	leader.cache[RSS_ANON] = 5;
	thread.w = leader.w;
	thread.cache[RSS_ANON] = -12;
	add(&c, &thread);
	add(&c, &leader);
	add(&c, &thread);
	rss_census_finish(&c);
	rss_decide_mode(&c, false);
	assert_int_equal(c.mode, MODE_SPLIT);
	assert_int_equal(c.nr, 1);
	assert_int_equal(c.mms[0].processes, 1);
	assert_int_equal(c.mms[0].threads, 3);
	assert_int_equal(c.mms[0].state, RSS_SPLIT);
	assert_true(rss_exact(&c, &c.mms[0], RSS_ANON, &v));
	assert_int_equal(v, 100 + 5 - 24);
	assert_int_equal(rss_approx(&c, &c.mms[0], RSS_ANON), 100);
	assert_int_equal(rss_approx(&c, &c.mms[0], RSS_FILE), 0);
	rss_census_free(&c);
}

static void percpu_values(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_rec r = record(0x1000, 7, 1, 1, RSS_LEADER | RSS_SLOTS);
	s64 v;

	(void)state;
	set_ptrs(&r, 0x600000, 4);
	r.w.count[RSS_ANON] = -3;
	r.w.slots[RSS_ANON] = 20;
	add(&c, &r);
	assert_int_equal(c.mms[0].state, RSS_PERCPU);
	assert_int_equal(rss_approx(&c, &c.mms[0], RSS_ANON), 0);
	assert_true(rss_exact(&c, &c.mms[0], RSS_ANON, &v));
	assert_int_equal(v, 17);
	c.mms[0].flags = RSS_LEADER | RSS_FAULT;
	assert_false(rss_exact(&c, &c.mms[0], RSS_ANON, &v));
	rss_census_free(&c);
}

/* get_mm_counter does not clamp the word of an atomic counter: a mistake has to show. */
static void atomic_values(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_rec r = record(0x1000, 7, 1, 1, RSS_LEADER);
	s64 v;

	(void)state;
	r.w.count[RSS_SHMEM] = -64;
	add(&c, &r);
	r.w.ptr[2] = 0x600000;
	r.mm++;
	add(&c, &r);
	assert_int_equal(c.mms[0].state, RSS_ATOMIC);
	assert_int_equal(c.mms[1].state, RSS_MIXED);
	assert_int_equal(rss_approx(&c, &c.mms[0], RSS_SHMEM), -64);
	assert_true(rss_exact(&c, &c.mms[0], RSS_SHMEM, &v));
	assert_int_equal(v, -64);
	rss_census_free(&c);
}

/* Bit 0 of the pointer's word tags a remote part, which can be negative. */
static void lazy_local_values(void **state)
{
	struct rss_census c = { .shape = SHAPE_LAZY_LOCAL };
	struct rss_rec r = record(0x1000, 7, 1, 1, RSS_LEADER);
	s64 v;

	(void)state;
	set_ptrs(&r, 1, 0);
	r.w.count[RSS_ANON] = 50;
	r.w.ptr[RSS_ANON] = (u64)(-8 * 2) | 1;
	add(&c, &r);
	assert_int_equal(c.mms[0].state, RSS_ATOMIC);
	assert_true(rss_exact(&c, &c.mms[0], RSS_ANON, &v));
	assert_int_equal(v, 42);
	assert_int_equal(rss_approx(&c, &c.mms[0], RSS_ANON), 42);
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_LAZY_LOCAL);
	rss_census_free(&c);
}

/* One kernel can have all three modes: the child of the trial decides. */
static void trial_decides(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_child child = { .pid = 9, .nr = 5 };
	struct rss_rec r = record(0x1000, 9, 1, 1, RSS_LEADER);

	(void)state;
	set_ptrs(&r, 0x600000, 4);
	add(&c, &r);
	for (int i = 0; i < NR_RSS; i++)
		child.allocs[i] = (struct rss_alloc) { .ptr = 0x600000 + 4 * i, .size = 4 };
	child.allocs[4] = (struct rss_alloc) { .ptr = 0x700000, .size = 64 };
	rss_trial_judge(&c.trial, &child, &c.mms[0]);
	assert_int_equal(c.trial.allocs, 5);
	assert_int_equal(c.trial.rss_allocs, 4);
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_INDIVIDUAL);

	child = (struct rss_child) { .pid = 9, .nr = 1 };
	child.allocs[0] = (struct rss_alloc) { .ptr = 0x600000, .size = 16 };
	rss_trial_judge(&c.trial, &child, &c.mms[0]);
	assert_int_equal(c.trial.rss_size, 16);
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_GROUPED);

	c.nr = 0;
	set_ptrs(&r, 0, 0);
	add(&c, &r);
	child.nr = 0;
	rss_trial_judge(&c.trial, &child, &c.mms[0]);
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_LAZY);
	rss_census_free(&c);
}

/* Without the allocation event the mms and the symbols have to do. */
static void without_a_trial(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_child child = { .pid = 9, .nr = -1 };
	struct rss_rec r = record(0x1000, 8, 1, 1, RSS_LEADER);

	(void)state;
	set_ptrs(&r, 0x600000, 4);
	add(&c, &r);
	rss_trial_judge(&c.trial, &child, NULL);
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_GROUPED);
	rss_decide_mode(&c, false);
	assert_int_equal(c.mode, MODE_INDIVIDUAL);
	c.mms[0].w.ptr[2] += 400;
	rss_decide_mode(&c, true);
	assert_int_equal(c.mode, MODE_INDIVIDUAL);
	rss_census_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mm_once),        cmocka_unit_test(no_record_no_mm),
		cmocka_unit_test(split_caches_add_up), cmocka_unit_test(percpu_values),
		cmocka_unit_test(atomic_values),       cmocka_unit_test(lazy_local_values),
		cmocka_unit_test(trial_decides),       cmocka_unit_test(without_a_trial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
