/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The census of rss_stat: every user mm once, with its counters as the kernel keeps them. The
 * source (rss.c, rss-probe.c) is privileged; rss-mm.c and rss-error.c are pure.
 */
#ifndef PCPUSTAT_RSS_H
#define PCPUSTAT_RSS_H

#include "rss_abi.h"
#include "util.h"

enum rss_state { RSS_ATOMIC, RSS_PERCPU, RSS_MIXED, RSS_SPLIT, RSS_UNREAD, NR_RSS_STATES };
extern const char *const rss_state_names[NR_RSS_STATES];
extern const char *const rss_counter_names[NR_RSS]; /* file, anon, swap, shmem */

struct rss_mm {
	u64 mm;
	u64 start_ns; /* of its oldest process, CLOCK_MONOTONIC */
	u64 cgroup;
	u64 pgtables_bytes;
	struct rss_words w;
	s64 cache[NR_RSS]; /* pages that its tasks hold back, split counters only */
	u32 pid;           /* its oldest process, initial pid namespace */
	u32 processes;     /* that share it: vfork, CLONE_VM */
	u32 threads;       /* of all of them */
	u32 group_threads; /* of the one that has most */
	u32 flags;         /* RSS_SLOTS, RSS_MOVED, RSS_FAULT */
	int oom_score_adj;
	enum rss_state state;
	char comm[COMM_LEN];
};

/* What a trial fork showed; allocs is -1 when the allocation event cannot be had. */
struct rss_trial {
	int allocs;     /* percpu allocations of one fork of a single-threaded process */
	int rss_allocs; /* those whose memory became the child's counters, -1: unknown */
	u32 rss_size;   /* bytes a CPU of each of these */
	bool contiguous;
	bool atomic; /* the child was born without percpu counters */
};

enum rss_mode {
	MODE_UNKNOWN,
	MODE_SPLIT,
	MODE_INDIVIDUAL,
	MODE_GROUPED,
	MODE_LAZY,
	MODE_LAZY_LOCAL,
	MODE_TREE,
	MODE_UP,
	NR_RSS_MODES
};
extern const char *const rss_mode_names[NR_RSS_MODES]; /* the JSON spelling */
extern const char *const rss_mode_texts[NR_RSS_MODES]; /* one line for people */

struct rss_census {
	u64 wall_ns;
	u64 took_ns; /* the pass alone */
	enum rss_shape shape;
	enum rss_mode mode;
	char how[96]; /* what decided the mode */
	int cpus_online;
	int cpus_possible;
	bool slots;             /* exact sums could be read */
	char no_slots[96];      /* else why not */
	char cgroup_mount[256]; /* of the hierarchy whose ids the mms carry; empty: none */
	struct rss_trial trial;
	/* Sorted by mm, each once. */
	struct rss_mm *mms;
	size_t nr, cap;
};

/* Source. Each returns 0 or an exit code, after one message. */
struct rss;
int rss_open(struct rss **out);
int rss_take(struct rss *r, struct rss_census *c); /* c zeroed or from an earlier take */
void rss_close(struct rss *r);
void rss_census_free(struct rss_census *c);
/* The possible CPUs' __per_cpu_offset, NULL when they could not be measured. */
const u64 *rss_cpu_offsets(const struct rss *r, u32 *nr);

/* The mode's name by a census of one fork, NULL when it cannot be told. */
const char *rss_mode_by_census(void);
/* The same where the kernel's types leave a choice, else by the types alone: no fork then. */
const char *rss_mode_now(void);

static inline void rss_closep(struct rss **r)
{
	rss_close(*r);
}
#define _cleanup_rss_    _cleanup_(rss_closep)
#define _cleanup_census_ _cleanup_(rss_census_free)

/* Records into mms; returns 0 or -ENOMEM. After the last one: sorts and merges by mm. */
int rss_census_add(struct rss_census *c, const struct rss_rec *rec);
void rss_census_finish(struct rss_census *c);
const struct rss_mm *rss_find(const struct rss_census *c, u64 mm);
const struct rss_mm *rss_find_pid(const struct rss_census *c, u32 pid);

/*
 * The mode, from the shape, the trial fork and what the mms look like; fills in c->mode and
 * c->how. has_init_many: the kernel has __percpu_counter_init_many (c439d5e8a0de, 6.6).
 */
void rss_decide_mode(struct rss_census *c, bool has_init_many);

/* Percpu allocations that rss_stat costs at the birth of an mm, -1: unknown. */
int rss_mode_allocs(enum rss_mode mode);

/* Number of mms in this state. */
size_t rss_count_state(const struct rss_census *c, enum rss_state state);

/*
 * What get_mm_counter() reads, in pages (include/linux/mm.h: percpu_counter_read_positive in
 * percpu mode, clamped at 0; the word itself in atomic mode).
 */
s64 rss_approx(const struct rss_census *c, const struct rss_mm *m, enum rss_counter i);

/*
 * The exact value in pages: with every CPU's slot, or with every task's cache. Not clamped.
 * false when it cannot be told. Exact at rest; a running process can be caught between a slot
 * and its count, by less than one batch.
 */
bool rss_exact(const struct rss_census *c, const struct rss_mm *m, enum rss_counter i, s64 *pages);

#endif
