/* SPDX-License-Identifier: GPL-2.0-only */
/* What does not change during a run: the host, the chosen backends, the locks, the knobs. */
#ifndef PCPUSTAT_INFO_H
#define PCPUSTAT_INFO_H

#include "abi.h"
#include "ksyms.h"
#include "ustack.h"

enum signal_id {
	SIG_ALLOCATIONS,
	SIG_LATENCY,
	SIG_LOCK_WAITS,
	SIG_MM_LIFE,
	SIG_MODE_SWITCH,
	NR_SIGNALS
};
extern const char *const signal_names[NR_SIGNALS];

struct lock_info {
	u64 addr;          /* 0: not found */
	char found_by[12]; /* kallsyms, code, learned; empty: not found; excluded by --lock */
};

/* Stack behind each new site. */
struct owner_row {
	struct owner_key key;
	struct owner owner;
};

struct info {
	char kernel[65];
	char host[65];
	int cpus_online;
	int cpus_possible;
	char rss_mode[24];            /* empty: unknown */
	int rss_allocs_per_mm;        /* percpu allocations for rss_stat at mm_init, -1: unknown */
	char backend[NR_SIGNALS][24]; /* empty: absent */
	bool mm_derived;              /* mm_life counted from call sites and new tasks */
	bool locks_split;             /* spin and sleep are told apart */
	bool site_known;              /* the allocation event tells the call site (5.19) */
	bool spin_observable;         /* spinlock waits can reach the tracepoint on this host */
	bool frees_known;             /* no task filter: frees run in anybody's context */
	struct lock_info locks[NR_LOCKS];
	struct cfg cfg;
	struct owner_row *owners; /* sorted by key */
	size_t nr_owners, cap_owners;
	struct ksyms *ksyms;     /* may be NULL: addresses are shown then */
	struct ustacks ustacks;  /* names of user frames, for stack_key.user */
	struct cgroups *cgroups; /* names of cgroup ids, may be NULL */
	char cgroup_mount[256];  /* what their paths are relative to; "": none are asked for */
};

#endif
