// SPDX-License-Identifier: GPL-2.0-only
/* Two snapshots make an interval. */
#include "snap.h"

#include <errno.h>
#include <string.h>

/* Subtracts counters; a counter that went backwards is a broken source. */
struct sub {
	bool backwards;
};

static u64 diff(struct sub *sub, u64 cur, u64 prev)
{
	if (cur < prev)
		sub->backwards = true;
	return cur - prev;
}

static void sub_wait(struct sub *sub, struct wait_stat *out, const struct wait_stat *cur,
		     const struct wait_stat *prev)
{
	out->waits = diff(sub, cur->waits, prev->waits);
	out->sleeps = diff(sub, cur->sleeps, prev->sleeps);
	out->wait_ns = diff(sub, cur->wait_ns, prev->wait_ns);
	out->spin_ns = diff(sub, cur->spin_ns, prev->spin_ns);
	out->sleep_ns = diff(sub, cur->sleep_ns, prev->sleep_ns);
	out->interrupted = diff(sub, cur->interrupted, prev->interrupted);
	out->max_ns = cur->max_ns;
	out->max_iv = cur->max_iv;
}

static void sub_hist(struct sub *sub, struct hist *out, const struct hist *cur,
		     const struct hist *prev)
{
	for (int i = 0; i < HIST_BUCKETS; i++)
		out->bucket[i] = diff(sub, cur->bucket[i], prev->bucket[i]);
}

/*
 * A wait that ends between the switch to the next interval and the reading of its block hides the
 * present interval's maximum. The histogram still knows it to a quarter.
 */
static u64 interval_max(const struct hist *h, u64 max_iv, u64 max_ns)
{
	int top = HIST_BUCKETS - 1;

	while (top >= 0 && !h->bucket[top])
		top--;
	if (top < 1 || max_iv > hist_le(top - 1))
		return max_iv;
	return min_u64(hist_le(top), max_ns);
}

static void sub_words(struct sub *sub, u64 *out, const u64 *cur, const u64 *prev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = diff(sub, cur[i], prev[i]);
}

static void sub_totals(struct sub *sub, struct snap *out, const struct snap *cur,
		       const struct snap *prev)
{
	out->mono_ns = cur->mono_ns;
	out->wall_ns = cur->wall_ns;
	out->duration_ns = diff(sub, cur->mono_ns, prev->mono_ns);
	/* The kernel's idle times can step back by a tick: that is no loss of ours. */
	out->busy_ns = cur->busy_ns > prev->busy_ns ? cur->busy_ns - prev->busy_ns : 0;
	out->frees = diff(sub, cur->frees, prev->frees);
	out->fails = diff(sub, cur->fails, prev->fails);
	out->other_allocs = diff(sub, cur->other_allocs, prev->other_allocs);
	out->other_bytes = diff(sub, cur->other_bytes, prev->other_bytes);
	out->row_other_allocs = diff(sub, cur->row_other_allocs, prev->row_other_allocs);
	out->row_other_bytes = diff(sub, cur->row_other_bytes, prev->row_other_bytes);
	out->row_other_waits = diff(sub, cur->row_other_waits, prev->row_other_waits);
	out->row_other_wait_ns = diff(sub, cur->row_other_wait_ns, prev->row_other_wait_ns);
	memcpy(out->unfinished, cur->unfinished, sizeof(out->unfinished));
	sub_words(sub, out->lost, cur->lost, prev->lost, NR_LOST);
	sub_words(sub, (u64 *)&out->mm, (const u64 *)&cur->mm, (const u64 *)&prev->mm,
		  sizeof(out->mm) / sizeof(u64));
	out->latency.count = diff(sub, cur->latency.count, prev->latency.count);
	out->latency.sum_ns = diff(sub, cur->latency.sum_ns, prev->latency.sum_ns);
	out->latency.max_ns = cur->latency.max_ns;
	sub_hist(sub, &out->latency.hist, &cur->latency.hist, &prev->latency.hist);
	out->latency.max_iv = interval_max(&out->latency.hist, cur->latency.max_iv,
					   cur->latency.max_ns);
	for (int i = 0; i < NR_LOCKS; i++) {
		struct lock_stat *lock = &out->locks[i];

		sub_wait(sub, &lock->w, &cur->locks[i].w, &prev->locks[i].w);
		sub_hist(sub, &lock->hist, &cur->locks[i].hist, &prev->locks[i].hist);
		lock->w.max_iv = interval_max(&lock->hist, lock->w.max_iv, lock->w.max_ns);
	}
}

/* Sites never go away. */
static int sub_sites(struct sub *sub, struct snap *out, const struct snap *cur,
		     const struct snap *prev)
{
	size_t p = 0;

	for (size_t c = 0; c < cur->nr_sites; c++) {
		struct site site = cur->sites[c];

		if (p < prev->nr_sites && prev->sites[p].call_site == site.call_site &&
		    prev->sites[p].meta == site.meta)
			site.allocs = diff(sub, site.allocs, prev->sites[p++].allocs);
		if (site.allocs && snap_add_site(out, &site))
			return -ENOMEM;
	}
	if (p < prev->nr_sites)
		sub->backwards = true;
	return 0;
}

/* An ended process: its whole past went to other, of which only the interval's part is new. */
static void row_gone(struct snap *out, const struct row_stat *s)
{
	out->row_other_allocs -= s->allocs;
	out->row_other_bytes -= s->alloc_bytes;
	out->row_other_waits -= s->w.waits;
	out->row_other_wait_ns -= s->w.wait_ns;
}

static void sub_row(struct sub *sub, struct row_stat *out, const struct row_stat *cur,
		    const struct row_stat *prev)
{
	out->allocs = diff(sub, cur->allocs, prev->allocs);
	out->alloc_bytes = diff(sub, cur->alloc_bytes, prev->alloc_bytes);
	sub_wait(sub, &out->w, &cur->w, &prev->w);
}

static int sub_rows(struct sub *sub, struct snap *out, const struct snap *cur,
		    const struct snap *prev)
{
	static const struct row_stat zero;
	size_t p = 0;

	for (size_t c = 0; c < cur->nr_rows; c++) {
		const struct proc_row *row = &cur->rows[c];
		const struct row_stat *was = &zero;
		struct row_stat s = {};
		struct sub again = { 0 };

		while (p < prev->nr_rows &&
		       memcmp(&prev->rows[p].key, &row->key, sizeof(row->key)) < 0)
			row_gone(out, &prev->rows[p++].s);
		if (p < prev->nr_rows && !memcmp(&prev->rows[p].key, &row->key, sizeof(row->key)))
			was = &prev->rows[p++].s;
		sub_row(&again, &s, &row->s, was);
		/* A pid used again, for the same comm: the row that we knew has gone. */
		if (again.backwards) {
			row_gone(out, was);
			sub_row(sub, &s, &row->s, &zero);
		}
		if ((s.allocs || s.w.waits) && snap_add_row(out, &row->key, &s))
			return -ENOMEM;
	}
	while (p < prev->nr_rows)
		row_gone(out, &prev->rows[p++].s);
	return 0;
}

static int sub_stacks(struct sub *sub, struct snap *out, const struct snap *cur,
		      const struct snap *prev)
{
	static const struct wait_stat zero;
	size_t p = 0;

	for (size_t c = 0; c < cur->nr_stacks; c++) {
		const struct stack_row *row = &cur->stacks[c];
		const struct wait_stat *was = &zero;
		struct wait_stat w = {};

		if (p < prev->nr_stacks &&
		    !memcmp(&prev->stacks[p].key, &row->key, sizeof(row->key)))
			was = &prev->stacks[p++].w;
		sub_wait(sub, &w, &row->w, was);
		if (w.waits && snap_add_stack(out, &row->key, &w))
			return -ENOMEM;
	}
	if (p < prev->nr_stacks)
		sub->backwards = true;
	return 0;
}

int snap_delta(const struct snap *prev, const struct snap *cur, struct snap *out)
{
	struct sub sub = { 0 };
	int err;

	snap_reset(out);
	sub_totals(&sub, out, cur, prev);
	err = sub_sites(&sub, out, cur, prev);
	if (!err)
		err = sub_rows(&sub, out, cur, prev);
	if (!err)
		err = sub_stacks(&sub, out, cur, prev);
	if (err)
		return err;
	return sub.backwards ? -ERANGE : 0;
}
