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
	SHAPE_SPLIT,      /* struct mm_rss_stat and a cache in each task, to 6.1 */
	SHAPE_PERCPU,     /* struct percpu_counter[], 6.2 */
	SHAPE_LAZY_LOCAL, /* struct lazy_percpu_counter[] */
	SHAPE_TREE,       /* struct percpu_counter_tree[] */
	SHAPE_UP          /* struct percpu_counter without percpu memory: CONFIG_SMP=n */
};

/* The words of one mm's counters as they are in memory, in pages. */
struct rss_words {
	__s64 count[NR_RSS];
	__u64 ptr[NR_RSS]; /* percpu pointer; 0 where there is none; bit 0: LAZY_LOCAL's remote part */
	__s64 slots[NR_RSS]; /* sum over the CPUs' slots, when RSS_SLOTS is set */
};

enum {
	RSS_SLOTS = 1,  /* rss_words.slots was read */
	RSS_MOVED = 2,  /* a counter was folded or fed while its slots were read */
	RSS_LEADER = 4, /* the record is a group leader's */
	RSS_FAULT = 8   /* a slot could not be read: slots is not valid */
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
	__u32 pid;           /* of the thread group, in the initial pid namespace */
	__u32 threads;       /* of the thread group, a dead leader included */
	__u32 flags;         /* RSS_* */
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
	__u32 rec_size;      /* sizeof(struct rss_rec), checked before load */
	__u32 nr_cpus;       /* possible CPUs, at most RSS_MAX_CPUS; 0: slots are not read */
	__u32 cgroup_subsys; /* v1: index in css_set.subsys, else ~0 */
	__u32 lazy;          /* the monitor: mms are born without percpu counters */
	__u32 switch_on_vm;  /* the switch comes with CLONE_VM, not with CLONE_THREAD */
	__u32 percpu_born;   /* mms are born with percpu counters */
	__u32 block_size;    /* bytes a CPU of one allocation for rss_stat */
	__u32 verify;        /* check, do not only count */
	__u32 switch_seen;   /* the switch function is probed */
};

/* Invariants that pcpustat rss verify checks. Append only; names in src/rss-verify.c. */
enum rss_check {
	CHECK_CARRIED,  /* the value is carried over the switch */
	CHECK_ONE,      /* one switch for each mm, with one block for all four counters */
	CHECK_BIRTH,    /* percpu memory is there where the mode says, and only there */
	CHECK_THREADED, /* a thread group with two threads is in percpu mode */
	CHECK_SUCCEEDS, /* no switch fails */
	CHECK_FAILED,   /* a failed switch returns -ENOMEM, fails its clone, changes nothing */
	CHECK_NEGATIVE, /* no counter is negative */
	CHECK_BLOCK,    /* a block is freed once, at __mmdrop, never while its mm lives */
	CHECK_ZERO,     /* sums are zero at __mmdrop */
	CHECK_RULES,    /* vfork, CLONE_VM alone and worker threads follow the mode's rule */
	NR_CHECKS
};

#define RSS_NR_MMS      65536 /* mms that are followed at the same time */
#define RSS_NR_BLOCKS   65536 /* addresses of percpu blocks that are remembered */
#define RSS_NR_SWITCHES 4096  /* tasks inside a switch or its clone at the same time */
#define RSS_NR_COMMS    1024
#define RSS_EXAMPLES    8 /* violations of one check that are told in full */
#define RSS_FRAMES      20
#define RSS_SLOTS_NR    64 /* copies of the counts, a CPU takes one of them; power of two */

/* What started a switch. */
enum rss_trigger {
	TRIGGER_THREAD,
	TRIGGER_IO_WORKER,
	TRIGGER_USER_WORKER,
	TRIGGER_VM,
	NR_TRIGGERS
};

enum rss_lost {
	RSS_LOST_MM,     /* no room to follow an mm */
	RSS_LOST_BLOCK,  /* no room to remember a block */
	RSS_LOST_SWITCH, /* no room to follow a switch, or its end was not seen */
	RSS_LOST_COMM,   /* no room for one more name */
	RSS_LOST_EXAMPLE,
	RSS_LOST_READ, /* counters that could not be read, or moved while they were */
	NR_RSS_LOST
};

/* Cumulative. */
struct rss_stats {
	__u64 forks; /* births by fork: new tasks with an mm of their own */
	__u64 execs; /* births by exec */
	__u64 threads;
	__u64 vm_clones; /* CLONE_VM without CLONE_THREAD: vfork, posix_spawn */
	__u64 drops;
	__u64 drops_known;  /* of mms whose whole life was seen */
	__u64 drops_single; /* of these: that never had a second thread */
	__u64 switches;
	__u64 switch_fails;
	__u64 switch_ns;
	__u64 triggers[NR_TRIGGERS];
	__u64 lost[NR_RSS_LOST];
	__u64 tested[NR_CHECKS];
	__u64 violated[NR_CHECKS];
	__u64 consequences; /* findings on an mm that a violation had spoiled already */
};

/* Flags are words of their own: 5.10 has no atomic or, and two CPUs may set two of them at once. */
struct rss_life {
	__u32 born;     /* seen from its birth on */
	__u32 threaded; /* has had a second thread */
	__u32 switched;
	__u32 suspect; /* values differed over the switch: perhaps a remote update, see the end */
	__u32 spoiled; /* a violation was told; what follows from it is not */
	__u32 pid;
	__s64 diff[NR_RSS]; /* of a suspect: after - before */
	char comm[COMM_LEN];
};

enum { BLOCK_ALLOCATED, BLOCK_LIVE, BLOCK_DYING, BLOCK_FREED };

struct rss_block {
	__u64 mm; /* 0: not known yet */
	__u64 state;
	__u32 pid; /* of the allocating process */
	__u32 pad;
};

/* A task inside the switch, then inside the clone that asked for it. */
struct rss_switch {
	__u64 mm;
	__u64 start_ns; /* 0: the switch has ended */
	__u64 blocks;   /* allocated by it */
	__s64 before[NR_RSS];
	__s32 ret;
	__u32 kept_still; /* a failed one: the counters are still atomic */
};

struct rss_comm {
	char comm[COMM_LEN];
};

struct rss_violation {
	__u64 ts_ns;
	__u64 mm;
	__s64 v[8]; /* numbers, by check: see src/rss-verify.c */
	__u32 check;
	__u32 pid;
	__u32 tid;
	__s32 nr_frames;
	char comm[COMM_LEN];
	__u64 ip[RSS_FRAMES];
};

#endif
