// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots: sums over CPUs, maxima by epoch, order, copies. */
#include "unit.h"

#include <errno.h>

#include "sample.h"

static u64 pack(u64 epoch, u64 ns)
{
	return epoch << MAX_IV_BITS | ns;
}

static void *zalloc(size_t n)
{
	void *p = calloc(1, n);

	assert_non_null(p);
	return p;
}

static void blocks_add_up(void **state)
{
	_cleanup_free_ struct cpu_block *b = zalloc(2 * sizeof(*b));
	struct snap s = {};

	(void)state;
	for (int cpu = 0; cpu < 2; cpu++) {
		u64 k = cpu + 1;

		b[cpu].frees = k;
		b[cpu].fails = 10 * k;
		b[cpu].other_allocs = 100 * k;
		b[cpu].other_bytes = 1000 * k;
		b[cpu].row_other_allocs = 2 * k;
		b[cpu].row_other_bytes = 3 * k;
		b[cpu].row_other_waits = 4 * k;
		b[cpu].row_other_wait_ns = 5 * k;
		b[cpu].lost[NR_LOST - 1] = 6 * k;
		b[cpu].mm.threads = 7 * k;
		b[cpu].latency.count = 8 * k;
		b[cpu].latency.sum_ns = 9 * k;
		b[cpu].latency.hist.bucket[HIST_BUCKETS - 1] = 11 * k;
		b[cpu].locks[NR_LOCKS - 1].w.interrupted = 12 * k;
		b[cpu].locks[NR_LOCKS - 1].hist.bucket[0] = 13 * k;
		b[cpu].sites[NR_SITES - 1] = (struct site) { 0x1234, SAMPLE_META(8, 8, 0), 14 * k };
		/* Claimed, but not written to the end: not to be seen yet. */
		b[cpu].sites[0] = (struct site) { 0x99, 8ULL << SITE_ALIGN_SHIFT | 8, 1 };
		assert_int_equal(snap_add_block(&s, &b[cpu], 0), 0);
	}
	snap_sort(&s);
	assert_int_equal(s.frees, 3);
	assert_int_equal(s.fails, 30);
	assert_int_equal(s.other_allocs, 300);
	assert_int_equal(s.other_bytes, 3000);
	assert_int_equal(s.row_other_allocs, 6);
	assert_int_equal(s.row_other_bytes, 9);
	assert_int_equal(s.row_other_waits, 12);
	assert_int_equal(s.row_other_wait_ns, 15);
	assert_int_equal(s.lost[NR_LOST - 1], 18);
	assert_int_equal(s.mm.threads, 21);
	assert_int_equal(s.latency.count, 24);
	assert_int_equal(s.latency.sum_ns, 27);
	assert_int_equal(s.latency.hist.bucket[HIST_BUCKETS - 1], 33);
	assert_int_equal(s.locks[NR_LOCKS - 1].w.interrupted, 36);
	assert_int_equal(s.locks[NR_LOCKS - 1].hist.bucket[0], 39);
	assert_int_equal(s.nr_sites, 1);
	assert_int_equal(s.sites[0].allocs, 42);
	assert_int_equal(snap_allocs(&s), 342);
	assert_int_equal(snap_alloc_bytes(&s), 3000 + 42 * 8);
	snap_free(&s);
}

static void maxima_by_epoch(void **state)
{
	_cleanup_free_ struct cpu_block *b = zalloc(sizeof(*b));
	u64 clamp = (1ULL << MAX_IV_BITS) - 1;
	struct snap s = {};

	(void)state;
	b->latency.max_ns = 5000;
	b->latency.max_iv = pack(7, 300);
	b->locks[LOCK_PCPU].w.max_ns = 900;
	b->locks[LOCK_PCPU].w.max_iv = pack(6, 900);
	b->locks[LOCK_COUNTERS].w.max_iv = pack(7, clamp);
	assert_int_equal(snap_add_block(&s, b, 7), 0);
	assert_int_equal(s.latency.max_iv, 300);
	assert_int_equal(s.latency.max_ns, 5000);
	assert_int_equal(s.locks[LOCK_PCPU].w.max_iv, 0); /* of an older interval */
	assert_int_equal(s.locks[LOCK_PCPU].w.max_ns, 900);
	assert_true(s.locks[LOCK_COUNTERS].w.max_iv == clamp);

	/* The largest of several CPUs. */
	b->latency.max_iv = pack(7, 200);
	b->latency.max_ns = 6000;
	assert_int_equal(snap_add_block(&s, b, 7), 0);
	assert_int_equal(s.latency.max_iv, 300);
	assert_int_equal(s.latency.max_ns, 6000);

	snap_run_maxima(&s);
	assert_int_equal(s.latency.max_iv, 6000);
	assert_int_equal(s.locks[LOCK_PCPU].w.max_iv, 900);
	snap_free(&s);
}

static void run_maxima_of_rows(void **state)
{
	const u64 ip[] = { SYM_MUTEX_LOCK, SYM_PCPU_ALLOC };
	struct wait_stat w = sample_wait(1, 0, 500, 0, 500);
	struct snap s = {};

	(void)state;
	w.max_iv = 3;
	sample_row(&s, 1, "a", (struct row_stat) { .w = w });
	sample_stack(&s, LOCK_PCPU, ip, 2, w);
	snap_run_maxima(&s);
	assert_int_equal(s.rows[0].s.w.max_iv, 500);
	assert_int_equal(s.stacks[0].w.max_iv, 500);
	snap_free(&s);
}

static void sort_merges_equal_keys(void **state)
{
	struct wait_stat w1 = sample_wait(1, 1, 10, 20, 30), w2 = sample_wait(2, 0, 5, 0, 4);
	const u64 ip[] = { 1, 2 }, ip2[] = { 1, 3 };
	struct snap s = {};

	(void)state;
	for (int i = 0; i < 3; i++) {
		sample_site(&s, 0x20, SAMPLE_META(8, 8, 0), 1);
		sample_site(&s, 0x10, SAMPLE_META(8, 8, 0), 10);
		sample_site(&s, 0x10, SAMPLE_META(8, 8, SITE_ATOMIC), 100);
		sample_site(&s, 0x10, SAMPLE_META(8, 16, 0), 1000);
	}
	sample_row(&s, 2, "b", (struct row_stat) { .allocs = 1, .alloc_bytes = 2, .w = w1 });
	sample_row(&s, 1, "b", (struct row_stat) { .allocs = 5 });
	sample_row(&s, 2, "b", (struct row_stat) { .allocs = 3, .alloc_bytes = 4, .w = w2 });
	sample_row(&s, 2, "c", (struct row_stat) { .allocs = 7 });
	sample_stack(&s, LOCK_PCPU, ip, 2, w1);
	sample_stack(&s, LOCK_PCPU, ip2, 2, w1);
	sample_stack(&s, LOCK_PCPU, ip, 2, w2);
	sample_stack(&s, LOCK_COUNTERS, ip, 2, w2);
	snap_sort(&s);

	assert_int_equal(s.nr_sites, 4);
	for (size_t i = 1; i < s.nr_sites; i++)
		assert_true(s.sites[i - 1].call_site < s.sites[i].call_site ||
			    (s.sites[i - 1].call_site == s.sites[i].call_site &&
			     s.sites[i - 1].meta < s.sites[i].meta));
	assert_int_equal(s.sites[0].call_site, 0x10);
	assert_int_equal(s.sites[3].allocs, 3);
	assert_int_equal(snap_allocs(&s), 3 * 1111);
	assert_int_equal(snap_mutex_passes(&s), 3 * 1011);
	assert_int_equal(s.nr_rows, 3);
	assert_int_equal(s.rows[1].s.allocs, 4);
	assert_int_equal(s.rows[1].s.alloc_bytes, 6);
	assert_int_equal(s.rows[1].s.w.wait_ns, 35);
	assert_int_equal(s.rows[1].s.w.max_ns, 30);
	assert_int_equal(s.nr_stacks, 3);
	snap_free(&s);
}

static void sort_of_nothing_and_of_one(void **state)
{
	struct snap s = {};

	(void)state;
	snap_sort(&s);
	assert_int_equal(s.nr_sites + s.nr_rows + s.nr_stacks, 0);
	sample_site(&s, 1, SAMPLE_META(1, 1, 0), 1);
	snap_sort(&s);
	assert_int_equal(s.nr_sites, 1);
	snap_free(&s);
	snap_free(&s); /* twice is fine */
}

static void reset_keeps_the_room(void **state)
{
	struct site *room;
	struct snap s = {};
	size_t cap;

	(void)state;
	for (int i = 0; i < 1000; i++)
		sample_site(&s, i, SAMPLE_META(8, 8, 0), 1);
	room = s.sites;
	cap = s.cap_sites;
	s.frees = 5;
	snap_reset(&s);
	assert_ptr_equal(s.sites, room);
	assert_int_equal(s.cap_sites, cap);
	assert_int_equal(s.nr_sites, 0);
	assert_int_equal(s.frees, 0);
	snap_free(&s);
}

static void copy_shares_nothing(void **state)
{
	const u64 ip[] = { 1 };
	struct snap a = {}, b = {};

	(void)state;
	a.frees = 3;
	sample_site(&a, 1, SAMPLE_META(8, 8, 0), 1);
	sample_row(&a, 1, "a", (struct row_stat) { .allocs = 1 });
	sample_stack(&a, LOCK_PCPU, ip, 1, sample_wait(1, 0, 1, 0, 1));
	sample_site(&b, 9, SAMPLE_META(9, 9, 0), 9); /* what the copy replaces is freed */
	assert_int_equal(snap_copy(&b, &a), 0);
	assert_ptr_not_equal(a.sites, b.sites);
	a.sites[0].allocs = 99;
	a.rows[0].s.allocs = 99;
	a.stacks[0].w.waits = 99;
	assert_int_equal(b.frees, 3);
	assert_int_equal(b.sites[0].allocs, 1);
	assert_int_equal(b.rows[0].s.allocs, 1);
	assert_int_equal(b.stacks[0].w.waits, 1);
	/* The copy can grow: its room is its own. */
	for (int i = 0; i < 100; i++)
		sample_site(&b, i, SAMPLE_META(8, 8, 0), 1);
	assert_int_equal(b.nr_sites, 101);
	snap_free(&a);
	assert_int_equal(snap_copy(&b, &a), 0);
	assert_int_equal(b.nr_sites, 0);
	snap_free(&b);
}

/* Every enumerator has a name of its own, fit for a JSON key. */
static void names_are_complete(void **state)
{
	(void)state;
	for (int i = 0; i < NR_LOST; i++) {
		assert_non_null(lost_names[i]);
		assert_int_equal(strspn(lost_names[i], "abcdefghijklmnopqrstuvwxyz_"),
				 strlen(lost_names[i]));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(lost_names[i], lost_names[j]);
	}
	for (int i = 0; i < NR_LOCKS; i++)
		assert_non_null(lock_names[i]);
	for (int i = 0; i < NR_SIGNALS; i++)
		assert_non_null(signal_names[i]);
	for (int i = 0; i < NR_BY; i++)
		assert_non_null(by_names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_add_up),
		cmocka_unit_test(maxima_by_epoch),
		cmocka_unit_test(run_maxima_of_rows),
		cmocka_unit_test(sort_merges_equal_keys),
		cmocka_unit_test(sort_of_nothing_and_of_one),
		cmocka_unit_test(reset_keeps_the_room),
		cmocka_unit_test(copy_shares_nothing),
		cmocka_unit_test(names_are_complete),
	};

	return cmocka_run_group_tests_name("snap", tests, NULL, NULL);
}
