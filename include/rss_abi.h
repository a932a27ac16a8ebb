/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs of pcpustat rss and their loader share, beside abi.h. */
#ifndef PCPUSTAT_RSS_ABI_H
#define PCPUSTAT_RSS_ABI_H

#include "abi.h"

/* include/linux/mm_types_task.h, unchanged from 5.10 to 7.3. */
enum rss_counter { RSS_FILE, RSS_ANON, RSS_SWAP, RSS_SHMEM, NR_RSS };

#define RSS_MAX_CPUS   4096
#define RSS_MAX_ALLOCS 32 /* percpu allocations kept of one trial fork */

/* How mm_struct.rss_stat is declared in this kernel. */
enum rss_shape {
	SHAPE_UNKNOWN,
	SHAPE_SPLIT,	  /* struct mm_rss_stat and a cache in each task, to 6.1 */
	SHAPE_PERCPU,	  /* struct percpu_counter[], 6.2 */
	SHAPE_LAZY_LOCAL, /* struct lazy_percpu_counter[] */
	SHAPE_TREE,	  /* struct percpu_counter_tree[] */
	SHAPE_UP	  /* struct percpu_counter without percpu memory: CONFIG_SMP=n */
};

/* The words of one mm's counters as they are in memory, in pages. */
struct rss_words {
	__s64 count[NR_RSS];
	__u64 ptr[NR_RSS];   /* percpu pointer; 0 where there is none; bit 0: LAZY_LOCAL's remote part */
	__s64 slots[NR_RSS]; /* sum over the CPUs' slots, when RSS_SLOTS is set */
};

enum {
	RSS_SLOTS = 1,	/* rss_words.slots was read */
	RSS_MOVED = 2,	/* a counter was folded or fed while its slots were read */
	RSS_LEADER = 4, /* the record is a group leader's */
	RSS_FAULT = 8	/* a slot could not be read: slots is not valid */
};

/*
 * One task that stands for an mm: a group leader, or a thread whose leader has another mm or
 * none. With split counters also each thread that holds back counts.
 */
struct rss_rec {
	__u64 mm;
	__u64 start_ns; /* of the thread group, CLOCK_MONOTONIC */
	__u64 cgroup;
	__u64 pgtables_bytes;
	struct rss_words w;
	__s32 cache[NR_RSS]; /* what this task holds back, split counters only */
	__u32 pid;	   /* of the thread group, in the initial pid namespace */
	__u32 threads;	   /* of the thread group, a dead leader included */
	__u32 flags;	   /* RSS_* */
	__s32 oom_score_adj;
	char comm[COMM_LEN];
};

/* One percpu allocation by the task that makes a trial fork. */
struct rss_alloc {
	__u64 call_site;
	__u64 ptr;
	__u32 size;
	__u32 align;
};

struct rss_cfg {
	__u32 rec_size; /* sizeof(struct rss_rec), checked before load */
	__u32 nr_cpus;  /* possible CPUs, at most RSS_MAX_CPUS */
	__u32 cgroup_subsys; /* v1: index in css_set.subsys, else ~0 */
};

#endif
