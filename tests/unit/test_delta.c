// SPDX-License-Identifier: GPL-2.0-only
/* Two snapshots make an interval: what is new, what has gone, what cannot be. */
#include "unit.h"

#include <errno.h>

#include "sample.h"

#define META SAMPLE_META(8, 8, 0)

static int delta(struct snap *prev, struct snap *cur, struct snap *out)
{
	snap_sort(prev);
	snap_sort(cur);
	return snap_delta(prev, cur, out);
}

static void free_all(struct snap *a, struct snap *b, struct snap *c)
{
	snap_free(a);
	snap_free(b);
	snap_free(c);
}

static void totals_subtract(void **state)
{
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	prev.mono_ns = 1000;
	cur.mono_ns = 4000;
	cur.wall_ns = 77;
	prev.busy_ns = 50;
	cur.busy_ns = 40; /* the kernel's idle time stepped back */
	prev.frees = 5;
	cur.frees = 7;
	prev.fails = 1;
	cur.fails = 1;
	prev.other_allocs = 2;
	cur.other_allocs = 9;
	prev.lost[LOST_SITE_FULL] = 3;
	cur.lost[LOST_SITE_FULL] = 4;
	prev.mm.inits = 10;
	cur.mm.inits = 13;
	prev.unfinished[LOCK_PCPU] = 8; /* a gauge: no difference */
	cur.unfinished[LOCK_PCPU] = 2;
	prev.locks[LOCK_PCPU].w = sample_wait(4, 1, 10, 20, 25);
	cur.locks[LOCK_PCPU].w = sample_wait(6, 2, 15, 50, 25);
	sample_hist(&prev.locks[LOCK_PCPU].hist, 100, 4);
	sample_hist(&cur.locks[LOCK_PCPU].hist, 100, 6);
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.duration_ns, 3000);
	assert_int_equal(d.mono_ns, 4000);
	assert_int_equal(d.wall_ns, 77);
	assert_int_equal(d.busy_ns, 0);
	assert_int_equal(d.frees, 2);
	assert_int_equal(d.fails, 0);
	assert_int_equal(d.other_allocs, 7);
	assert_int_equal(d.lost[LOST_SITE_FULL], 1);
	assert_int_equal(d.mm.inits, 3);
	assert_int_equal(d.unfinished[LOCK_PCPU], 2);
	assert_int_equal(d.locks[LOCK_PCPU].w.waits, 2);
	assert_int_equal(d.locks[LOCK_PCPU].w.sleeps, 1);
	assert_int_equal(d.locks[LOCK_PCPU].w.wait_ns, 35);
	assert_int_equal(hist_count(&d.locks[LOCK_PCPU].hist), 2);
	free_all(&prev, &cur, &d);
}

static void same_twice_is_nothing(void **state)
{
	const u64 ip[] = { 1 };
	struct snap a = {}, d = {};

	(void)state;
	a.frees = 5;
	sample_site(&a, 1, META, 1);
	sample_row(&a, 1, "a", (struct row_stat) { .allocs = 1, .w = sample_wait(1, 0, 1, 0, 1) });
	sample_stack(&a, LOCK_PCPU, ip, 1, sample_wait(1, 0, 1, 0, 1));
	assert_int_equal(delta(&a, &a, &d), 0);
	assert_int_equal(d.nr_sites + d.nr_rows + d.nr_stacks, 0);
	assert_int_equal(d.frees, 0);
	assert_int_equal(snap_allocs(&d), 0);
	snap_free(&a);
	snap_free(&d);
}

/* New keys before, between and behind the known ones. */
static void sites_join_by_key(void **state)
{
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	sample_site(&prev, 0x20, META, 5);
	sample_site(&prev, 0x40, META, 6);
	sample_site(&cur, 0x50, META, 1);
	sample_site(&cur, 0x40, META, 6);
	sample_site(&cur, 0x30, META, 2);
	sample_site(&cur, 0x20, META | SITE_ATOMIC, 3);
	sample_site(&cur, 0x20, META, 9);
	sample_site(&cur, 0x10, META, 4);
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.nr_sites, 5); /* 0x40 stood still */
	assert_int_equal(d.sites[0].call_site, 0x10);
	assert_int_equal(d.sites[1].call_site, 0x20);
	assert_int_equal(d.sites[1].allocs, 4);
	assert_int_equal(d.sites[2].allocs, 3);
	assert_int_equal(d.sites[3].call_site, 0x30);
	assert_int_equal(d.sites[4].call_site, 0x50);
	assert_int_equal(snap_allocs(&d), 4 + 4 + 3 + 2 + 1);
	free_all(&prev, &cur, &d);
}

/* A process that ended: its past went to other, of which the interval's part alone is new. */
static void rows_that_go_into_other(void **state)
{
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	for (int id = 1; id <= 3; id++)
		sample_row(&prev, id, "p",
			   (struct row_stat) { .allocs = 10,
					       .alloc_bytes = 80,
					       .w = sample_wait(2, 0, 20, 0, 9) });
	prev.row_other_allocs = 100;
	prev.row_other_bytes = 800;
	/* 1 and 3 went after 4 and 5 more; 2 counts on. */
	sample_row(&cur, 2, "p",
		   (struct row_stat) {
			   .allocs = 11, .alloc_bytes = 88, .w = sample_wait(3, 0, 30, 0, 9) });
	cur.row_other_allocs = 100 + 14 + 15;
	cur.row_other_bytes = 800 + 112 + 120;
	cur.row_other_waits = 2 + 3;
	cur.row_other_wait_ns = 20 + 50;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.nr_rows, 1);
	assert_int_equal(d.rows[0].s.allocs, 1);
	assert_int_equal(d.row_other_allocs, 9);
	assert_int_equal(d.row_other_bytes, 72);
	assert_int_equal(d.row_other_waits, 1);
	assert_int_equal(d.row_other_wait_ns, 30);
	free_all(&prev, &cur, &d);
}

/* Gone, and its pid came again with the same comm: the row is younger than the one that we knew. */
static void a_pid_comes_again(void **state)
{
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	sample_row(&prev, 5, "sh", (struct row_stat) { .allocs = 10, .alloc_bytes = 80 });
	sample_row(&cur, 5, "sh", (struct row_stat) { .allocs = 3, .alloc_bytes = 24 });
	cur.row_other_allocs = 12; /* two more before it ended */
	cur.row_other_bytes = 96;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.rows[0].s.allocs, 3);
	assert_int_equal(d.rows[0].s.alloc_bytes, 24);
	assert_int_equal(d.row_other_allocs, 2);
	assert_int_equal(d.row_other_bytes, 16);
	free_all(&prev, &cur, &d);
}

/* The comm of exec: another key for the same pid. */
static void comm_is_part_of_the_key(void **state)
{
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	sample_row(&prev, 5, "sh", (struct row_stat) { .allocs = 10 });
	sample_row(&cur, 5, "sh", (struct row_stat) { .allocs = 10 });
	sample_row(&cur, 5, "ls", (struct row_stat) { .allocs = 2 });
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.nr_rows, 1);
	assert_memory_equal(d.rows[0].key.comm, "ls", 3);
	assert_int_equal(d.rows[0].s.allocs, 2);
	free_all(&prev, &cur, &d);
}

static void stacks_join_by_key(void **state)
{
	const u64 a[] = { 1, 2 }, b[] = { 1, 2, 3 };
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	sample_stack(&prev, LOCK_PCPU, a, 2, sample_wait(1, 0, 7, 0, 7));
	sample_stack(&cur, LOCK_PCPU, a, 2, sample_wait(3, 1, 9, 4, 7));
	sample_stack(&cur, LOCK_PCPU, b, 3, sample_wait(1, 0, 5, 0, 5));
	sample_stack(&cur, LOCK_ALLOC_MUTEX, a, 2, sample_wait(1, 0, 6, 0, 6));
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.nr_stacks, 3);
	assert_int_equal(d.stacks[0].w.waits, 1);
	assert_int_equal(d.stacks[1].w.waits, 2);
	assert_int_equal(d.stacks[1].w.wait_ns, 6);
	free_all(&prev, &cur, &d);
}

/* Whatever goes backwards is reported, and nothing is read beyond an array. */
static void backwards_is_an_error(void **state)
{
	const u64 ip[] = { 1 };
	struct snap prev = {}, cur = {}, d = {};

	(void)state;
	prev.frees = 1;
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE);
	prev.frees = 0;
	prev.mono_ns = 5;
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE);
	prev.mono_ns = 0;
	prev.locks[0].hist.bucket[3] = 1;
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE);
	prev.locks[0].hist.bucket[3] = 0;
	prev.mm.drops = 1;
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE);
	prev.mm.drops = 0;
	assert_int_equal(delta(&prev, &cur, &d), 0);

	sample_site(&prev, 0x20, META, 5);
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE); /* sites never go */
	sample_site(&cur, 0x10, META, 1);
	sample_site(&cur, 0x30, META, 1);
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE);
	sample_site(&cur, 0x20, META, 4);
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE);
	snap_free(&prev);
	sample_stack(&prev, 0, ip, 1, sample_wait(1, 0, 1, 0, 1));
	assert_int_equal(delta(&prev, &cur, &d), -ERANGE); /* nor do stacks */
	free_all(&prev, &cur, &d);
}

/* The interval's maximum was taken away by the next one: the histogram knows better. */
static void maximum_from_the_histogram(void **state)
{
	struct snap prev = {}, cur = {}, d = {};
	struct lock_stat *lock = &cur.locks[LOCK_ALLOC_MUTEX];

	(void)state;
	sample_hist(&prev.locks[LOCK_ALLOC_MUTEX].hist, 1000000, 1); /* old news */
	prev.locks[LOCK_ALLOC_MUTEX].w = sample_wait(1, 0, 1000000, 0, 1000000);
	*lock = prev.locks[LOCK_ALLOC_MUTEX];
	lock->w.waits = 3;
	lock->w.wait_ns = lock->w.spin_ns = 1006000;
	sample_hist(&lock->hist, 1000, 1);
	sample_hist(&lock->hist, 5000, 1);

	lock->w.max_iv = 5000;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.locks[LOCK_ALLOC_MUTEX].w.max_iv, 5000);

	lock->w.max_iv = 0;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_true(d.locks[LOCK_ALLOC_MUTEX].w.max_iv >= 5000);
	assert_true(d.locks[LOCK_ALLOC_MUTEX].w.max_iv <= 5000 * 5 / 4);

	/* Never above the maximum of the run, whose value is exact. */
	lock->w.max_ns = 5010;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.locks[LOCK_ALLOC_MUTEX].w.max_iv, 5010);

	/* Beyond the packed value's range there is only the run's maximum. */
	lock->hist.bucket[HIST_BUCKETS - 1] = 1;
	lock->w.max_ns = 1ULL << 40;
	lock->w.max_iv = 0;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_true(d.locks[LOCK_ALLOC_MUTEX].w.max_iv == 1ULL << 40);

	/* The same for the latency; an empty interval has none. */
	sample_hist(&cur.latency.hist, 700, 1);
	cur.latency.max_ns = 700;
	assert_int_equal(delta(&prev, &cur, &d), 0);
	assert_int_equal(d.latency.max_iv, 700);
	assert_int_equal(delta(&cur, &cur, &d), 0);
	assert_int_equal(d.latency.max_iv, 0);
	free_all(&prev, &cur, &d);
}

/* Intervals add up to the run, whatever happens to the rows in between. */
static void intervals_add_up_to_the_run(void **state)
{
	struct snap s[4] = {}, d = {}, run = {};
	u64 allocs = 0, rows = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		s[i].mono_ns = i * 100;
		sample_site(&s[i], 1, META, i * i + 1);
		for (int id = i; id < i + 3; id++) /* one goes, one comes */
			sample_row(&s[i], id, "p", (struct row_stat) { .allocs = 10 * (i + 1) });
		/* What went had 2 more than was seen last. */
		s[i].row_other_allocs = i ? s[i - 1].row_other_allocs + 10 * i + 2 : 0;
		snap_sort(&s[i]);
	}
	for (int i = 1; i < 4; i++) {
		assert_int_equal(snap_delta(&s[i - 1], &s[i], &d), 0);
		allocs += snap_allocs(&d);
		rows += d.row_other_allocs;
		for (size_t r = 0; r < d.nr_rows; r++)
			rows += d.rows[r].s.allocs;
	}
	assert_int_equal(snap_delta(&s[0], &s[3], &run), 0);
	assert_int_equal(snap_allocs(&run), allocs);
	for (size_t r = 0; r < run.nr_rows; r++)
		rows -= run.rows[r].s.allocs;
	assert_int_equal(rows, run.row_other_allocs);
	for (int i = 0; i < 4; i++)
		snap_free(&s[i]);
	snap_free(&d);
	snap_free(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_subtract),
		cmocka_unit_test(same_twice_is_nothing),
		cmocka_unit_test(sites_join_by_key),
		cmocka_unit_test(rows_that_go_into_other),
		cmocka_unit_test(a_pid_comes_again),
		cmocka_unit_test(comm_is_part_of_the_key),
		cmocka_unit_test(stacks_join_by_key),
		cmocka_unit_test(backwards_is_an_error),
		cmocka_unit_test(maximum_from_the_histogram),
		cmocka_unit_test(intervals_add_up_to_the_run),
	};

	return cmocka_run_group_tests_name("delta", tests, NULL, NULL);
}
