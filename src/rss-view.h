/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of the census, the error of RSS, and what it would do to the OOM killer's order. Pure. */
#ifndef PCPUSTAT_RSS_VIEW_H
#define PCPUSTAT_RSS_VIEW_H

#include "rss.h"

enum rss_by { RSS_BY_PROCESS, RSS_BY_CGROUP, RSS_BY_MODE };

/* One mm, or the sum of those of a cgroup or a state. Pages are of exact unless it is unknown. */
struct rss_row {
	const struct rss_mm *mm; /* NULL in a sum */
	u64 cgroup;
	enum rss_state state;
	u64 mms;
	u64 threads;
	u64 in_state[NR_RSS_STATES];
	s64 approx[NR_RSS];
	s64 exact[NR_RSS]; /* clamped at 0 as get_mm_counter_sum does (include/linux/mm.h, 6.16) */
	bool approx_known;
	bool exact_known;
	bool moving; /* was changed while it was read: the error can be off by one batch */
};

struct rss_view {
	struct rss_row *rows;
	size_t nr, cap;
};

enum rss_key {
	KEY_RSS,
	KEY_FILE,
	KEY_ANON,
	KEY_SWAP,
	KEY_SHMEM,
	KEY_ERROR,
	KEY_THREADS,
	KEY_MMS,
	KEY_PID,
	NR_RSS_KEYS
};
extern const char *const rss_key_names[NR_RSS_KEYS];

/* Rows that point into c; returns 0 or -ENOMEM. */
int rss_view_build(struct rss_view *v, const struct rss_census *c, enum rss_by by);
/* Largest first (pid: smallest first); an error by its size, whatever its sign. */
void rss_view_sort(struct rss_view *v, enum rss_key key);
void rss_view_free(struct rss_view *v);

/* File, anon and shmem, as get_mm_rss() adds them. */
s64 rss_sum(const s64 *pages);
/* approx - exact, in pages; 0 unless both are known. */
s64 rss_row_error(const struct rss_row *r);

/*
 * percpu_counter_batch: max(32, 2 * online CPUs), lib/percpu_counter.c compute_batch_value(),
 * unchanged from 5.10 to 7.3.
 */
u32 rss_batch(int cpus_online);
/*
 * Largest possible |error| of one counter in pages, -1: unknown. percpu: each CPU can hold back
 * batch - 1. split: each thread 64 faults (mm/memory.c TASK_RSS_EVENTS_THRESH, to 6.1).
 */
s64 rss_bound(const struct rss_census *c, u64 threads);

#define OOM_ROWS 10

struct oom_row {
	const struct rss_mm *mm;
	s64 approx_points, exact_points; /* pages, mm/oom_kill.c oom_badness() */
	int approx_rank, exact_rank;     /* from 1 */
};

struct oom_view {
	struct oom_row *rows; /* all that can be killed, by exact rank */
	size_t nr;
	int moved; /* how many of the first ten stand elsewhere in the other ranking */
};

/*
 * total_pages: memory and swap of the host. Left out: pid 1 and oom_score_adj -1000, which the
 * killer leaves alone, and mms whose exact value is unknown. Returns 0 or -ENOMEM.
 */
int oom_view_build(struct oom_view *o, const struct rss_view *v, s64 total_pages, s64 page_size);
void oom_view_free(struct oom_view *o);

#endif
