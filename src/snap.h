/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot: plain data, cumulative counters, whatever its source (maps, a recording). Two of
 * them make an interval, in the same shape. Nothing here knows the kernel, prints or does I/O.
 */
#ifndef PCPUSTAT_SNAP_H
#define PCPUSTAT_SNAP_H

#include "abi.h"
#include "util.h"

struct proc_row {
	struct row_key key;
	struct row_stat s;
};

struct stack_row {
	struct stack_key key;
	struct wait_stat w;
};

struct snap {
	u64 mono_ns;     /* CLOCK_MONOTONIC when it was taken; in an interval: its end */
	u64 wall_ns;     /* CLOCK_REALTIME of the same moment */
	u64 duration_ns; /* of an interval */
	u64 busy_ns;     /* CPU time that was not idle, iowait or steal, all CPUs, /proc/stat */
	u64 frees;
	u64 fails;
	u64 other_allocs;
	u64 other_bytes;
	u64 row_other_allocs;
	u64 row_other_bytes;
	u64 row_other_waits;
	u64 row_other_wait_ns;
	u64 unfinished[NR_LOCKS]; /* a gauge: waits in progress at this moment */
	u64 lost[NR_LOST];
	struct mm_stat mm;
	struct latency_stat latency;
	struct lock_stat locks[NR_LOCKS];
	/* Sorted by key, each key once. */
	struct site *sites;
	size_t nr_sites, cap_sites;
	struct proc_row *rows;
	size_t nr_rows, cap_rows;
	struct stack_row *stacks;
	size_t nr_stacks, cap_stacks;
};

/*
 * max_ns is the maximum of the run and max_iv that of the interval, unpacked to ns. A wait that
 * ends while the snapshot is being taken can be missing from max_iv, never from max_ns.
 */

void snap_reset(struct snap *s); /* zero, but keeps the arrays' room */
void snap_free(struct snap *s);
int snap_copy(struct snap *to, const struct snap *from); /* 0 or -ENOMEM */
void snap_run_maxima(struct snap *s);                    /* for a whole run: max_iv = max_ns */
/*
 * Stacks of waiters by lock and kernel frames alone, whatever else they were split by; those of
 * holders and of calls are left out.
 */
void snap_merge_stacks(struct snap *s);
void snap_sort(struct snap *s); /* sorts the arrays and merges equal keys */

int snap_add_site(struct snap *s, const struct site *site);
int snap_add_row(struct snap *s, const struct row_key *key, const struct row_stat *stat);
int snap_add_stack(struct snap *s, const struct stack_key *key, const struct wait_stat *w);

/*
 * One CPU's block into the sums. epoch is the interval's number: maxima of older ones are left
 * out. Returns 0 or -ENOMEM.
 */
int snap_add_block(struct snap *s, const struct cpu_block *b, u64 epoch);

/*
 * cur - prev into out. A row that has gone from cur (an ended process, folded into other) is
 * taken off other again, so that an interval adds up. Returns 0, -ENOMEM, or -ERANGE when a
 * counter went backwards, which no correct source does.
 */
int snap_delta(const struct snap *prev, const struct snap *cur, struct snap *out);

/* Totals over all sites, the ones without a slot included. */
u64 snap_allocs(const struct snap *s);
u64 snap_alloc_bytes(const struct snap *s);
/* Allocations that took pcpu_alloc_mutex: all but the atomic ones. */
u64 snap_mutex_passes(const struct snap *s);

extern const char *const lock_names[NR_LOCKS];
extern const char *const lost_names[NR_LOST]; /* keys of "lost", snake_case */

/* Inclusive upper bound in ns of a bucket; the last one has none and gives ~0. */
u64 hist_le(unsigned int bucket);
u64 hist_count(const struct hist *h);
/* Upper bound of the bucket that holds the p-th part (0 < p <= 1), at most max; 0 when empty. */
u64 hist_percentile(const struct hist *h, double p, u64 max);

#endif
