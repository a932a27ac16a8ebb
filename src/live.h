/* SPDX-License-Identifier: GPL-2.0-only */
/* The live source: loads and attaches the programs, reads their maps. Privileged. */
#ifndef PCPUSTAT_LIVE_H
#define PCPUSTAT_LIVE_H

#include "info.h"
#include "snap.h"

struct live;

/* What to measure; all zero is the default view. */
struct live_opts {
	enum row_by row_by;
	bool stacks;       /* rows by stack of the lock waits */
	bool stack_comm;   /* split them by comm */
	bool stack_cgroup; /* and by cgroup */
	bool user_stacks;
	bool holders;      /* who made others wait, by stack or by owner */
	bool call_stacks;  /* stacks of pcpu_alloc calls with their time; costs one a call */
	const bool *locks; /* [NR_LOCKS], the ones to watch; NULL: all */
	bool follow;       /* only the command and its descendants */
	pid_t follow_pid;  /* the command; 0: none */
	bool no_owners;    /* do not take a stack for each new site */
	u32 ids[NR_FILTER];
	size_t nr_ids;
	bool ids_are_tids;  /* -t instead of -p */
	const bool *cpus;   /* cpus_possible flags, NULL: all */
	const char *cgroup; /* path of a cgroup directory, NULL: all */
	u64 min_wait_ns;
	u32 nr_sites;                    /* 0: NR_SITES */
	const char *find_locks;          /* kallsyms, code, learned; NULL: the best */
	const char *backend[NR_SIGNALS]; /* forced by name, "none" for off, NULL: the best */
};

/*
 * Loads and attaches; fills in info. Returns 0, or an exit code (EXIT_PERM, EXIT_KERNEL,
 * EXIT_RUNTIME, EXIT_USAGE) after one message. Nothing is pinned: the kernel detaches everything
 * when the process ends, SIGKILL included.
 */
int live_open(struct live **out, const struct live_opts *opts, struct info *info);

/* Cumulative counters since the first call, which begins the counting; sorted; also adds new owners to info. 0 or -errno. */
int live_snap(struct live *l, struct info *info, struct snap *s);

/* Nothing is counted any more: rows and totals of the next snapshot agree to the last event. */
void live_freeze(struct live *l);

/* Detaches and attaches everything again, n times: for tests. 0 or an exit code. */
int live_reattach(struct live *l, u64 n);

/* The loader's own cost, for the summary. */
struct self_cost {
	/* pcpu_alloc calls by this process up to attach, those of the counting program left out */
	u64 percpu_allocs;
	bool percpu_allocs_known;
	u64 map_bytes; /* kernel memory of our maps */
	u64 rss_bytes;
	size_t nr_programs;
	struct prog_cost {
		char name[16];
		u64 run_count, run_ns; /* only with kernel.bpf_stats_enabled=1 */
	} programs[32];
	bool stats_enabled;
};
int live_self_cost(struct live *l, struct self_cost *cost);

/* Between snapshots: learns locks, names user stacks while their processes live. */
void live_poll(struct live *l, struct info *info);

/*
 * Learns lock addresses from contention where neither kallsyms nor the code told them; cheap to
 * call often. Returns 1 when info->locks changed.
 */
int live_learn(struct live *l, struct info *info);
bool live_wants_learning(const struct live *l);

void live_close(struct live *l);

#endif
