/* SPDX-License-Identifier: GPL-2.0-only */
/* The monitor: programs that follow the lives of mms. Privileged; nothing is pinned. */
#ifndef PCPUSTAT_RSS_MON_H
#define PCPUSTAT_RSS_MON_H

#include "rss.h"

enum death_source { DEATH_NONE, DEATH_FENTRY, DEATH_KPROBE, DEATH_EXIT_MMAP };
extern const char *const death_names[]; /* "fentry __mmdrop" */

/* What could be attached on this kernel. */
struct rss_signals {
	bool births; /* task_newtask and sched_process_exec */
	enum death_source deaths;
	bool switches;         /* the switch function, by kprobe */
	bool clones;           /* copy_process, by kprobe: the fate of a failed switch */
	bool blocks;           /* allocations and frees of percpu memory */
	bool has_switch;       /* the kernel has a switch function */
	const char *switch_fn; /* its name, NULL: none */
};

struct rss_counts {
	u64 mono_ns;
	struct rss_stats s;
	u64 max_ns;    /* longest switch of the run */
	u64 max_iv_ns; /* longest since rss_mon_next() */
	u64 missed;    /* events for which a program did not run: it was running already */
};

struct rss_mon;

/*
 * c: a census by r, whose mode and offsets the programs go by. Returns 0 or an exit code after
 * one message. What cannot be attached is off in the signals and no error.
 */
int rss_mon_open(struct rss_mon **out, const struct rss *r, const struct rss_census *c, bool verify);
void rss_mon_close(struct rss_mon *m);
const struct rss_signals *rss_mon_signals(const struct rss_mon *m);

/* Makes mms that were there before known; losses are counted. */
void rss_mon_seed(struct rss_mon *m, const struct rss_census *c);

void rss_mon_read(struct rss_mon *m, struct rss_counts *c);
void rss_mon_next(struct rss_mon *m); /* a new interval, for max_iv_ns */

/* Calls fn for each violation that was told since; returns 0 or what fn returned. */
int rss_mon_poll(struct rss_mon *m, int (*fn)(void *arg, const struct rss_violation *v), void *arg);

/* Has a violation been told of this mm? And: from now on it has. */
bool rss_mon_spoiled(struct rss_mon *m, u64 mm);
void rss_mon_spoil(struct rss_mon *m, u64 mm);

/* Blocks whose mm was dropped and which were not freed, into out; returns how many, at most max. */
struct rss_orphan {
	u64 ptr;
	struct rss_block block;
};
size_t rss_mon_orphans(struct rss_mon *m, struct rss_orphan *out, size_t max);

struct rss_comm_row {
	struct rss_comm key;
	u64 switches;
};
/* Names with the most switches first; returns how many, at most max. */
size_t rss_mon_comms(struct rss_mon *m, struct rss_comm_row *out, size_t max);

#endif
