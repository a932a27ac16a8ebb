/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF programs and the loader share: map values, keys, knobs.
 * The only header that both worlds include; it uses the kernel's fixed-width names alone.
 *
 * Counters are cumulative and never reset. A value that belongs to one CPU lives in that CPU's
 * struct cpu_block and is bumped by atomic adds: a handler can be preempted (7.x) or interrupted
 * by an allocation in softirq, and a plain ++ would then lose an event. The two counters of every
 * allocation and every free are spared it where nothing can interrupt their program with itself.
 */
#ifndef PCPUSTAT_ABI_H
#define PCPUSTAT_ABI_H

#ifdef __BPF__
#include "vmlinux.h"
#else
#include <linux/types.h>
#endif

#define COMM_LEN     16
#define NR_SITES     512 /* power of two; slots of one CPU, see struct site */
#define SITE_PROBES  8   /* open addressing: slots that a key may sit in */
#define OWNER_FRAMES 20  /* frames kept to name the owner behind a generic call site */
#define STACK_FRAMES 32  /* frames kept of a waiter, tracing's own included */
#define LEARN_FRAMES 16
#define NR_OWNERS    1024
#define NR_WAITS     8192  /* tasks that wait for one of our locks at the same time */
#define NR_CALLS     8192  /* tasks inside pcpu_alloc or mm_init at the same time */
#define NR_ROWS      16384 /* processes or cgroups, --by process|cgroup */
#define NR_STACKS    4096
#define USER_FRAMES  32 /* frames kept of the waiter's user stack */
#define NR_USTACKS   4096
#define NR_FOLLOW    16384 /* processes at the same time, --follow */
#define NR_FILTER    64    /* pids or tids named by -p or -t */

/* Order of rows in every output; names in src/snap.c. */
enum lock_id { LOCK_ALLOC_MUTEX, LOCK_PCPU, LOCK_COUNTERS, NR_LOCKS };

/* Everything that can go missing, by cause. Append only; names in src/snap.c. */
enum lost {
	LOST_SITE_FULL,   /* the CPU's site slots are full: the event went to other */
	LOST_SITE_BUSY,   /* a slot was being claimed under us: the event went to other */
	LOST_ROW_FULL,    /* process/cgroup table full: the event went to other */
	LOST_STACK_FULL,  /* stack table full: the wait is in the totals, not in a row */
	LOST_STACK_FAIL,  /* the kernel could not walk the stack */
	LOST_WAIT_FULL,   /* no room to follow this wait: it is in no total */
	LOST_WAIT_BEGIN,  /* a wait ended whose begin was not seen */
	LOST_WAIT_CLOCK,  /* a wait that ended before it began: dropped */
	LOST_CALL_FULL,   /* no room to time this call */
	LOST_CALL_NESTED, /* an allocation inside an allocation (softirq): inner one not timed */
	LOST_CALL_BEGIN,  /* a call returned whose entry was not seen */
	LOST_OWNER_FULL,  /* owner table full: the site has no owner */
	LOST_CALL_INTERRUPTED, /* a fatal signal ended a call of pcpu_alloc: not timed */
	LOST_USTACK_FULL,      /* user stack table full: the row has no user frames */
	LOST_USTACK_FAIL,      /* the kernel could not walk the user stack */
	LOST_HOLDER_FULL,      /* stack table full: the waiting is in no holder's row */
	LOST_FOLLOW_FULL,      /* filter table full: a descendant is not followed */
	LOST_MISSED,           /* the kernel skipped a program of ours that it had interrupted */
	NR_LOST
};

/*
 * Histogram of durations in ns: four buckets to an octave from 32 ns units, so that a percentile
 * is right to a quarter. Bucket i < 4 ends at 32 * (i + 1); see hist_le() in src/snap.c.
 */
#define HIST_SHIFT   5
#define HIST_BUCKETS 128

/*
 * A maximum for the run and one for the interval, without a reset: max_iv holds the interval's
 * number above the value, so that the first wait of a new interval wins over any of an older one.
 */
#define MAX_IV_BITS 38 /* 274 s; longer waits are clamped in the interval's maximum only */

struct wait_stat {
	__u64 waits;
	__u64 sleeps; /* waits that queued to sleep at least once */
	__u64 wait_ns;
	__u64 spin_ns;
	__u64 sleep_ns;
	__u64 interrupted; /* ended by a signal instead of the lock */
	__u64 max_ns;
	__u64 max_iv;
};

struct hist {
	__u64 bucket[HIST_BUCKETS];
};

struct lock_stat {
	struct wait_stat w;
	struct hist hist;
};

struct latency_stat {
	__u64 count;
	__u64 sum_ns;
	__u64 max_ns;
	__u64 max_iv;
	struct hist hist;
};

struct mm_stat {
	__u64 inits;
	__u64 drops;
	__u64 init_ns;  /* time inside mm_init */
	__u64 allocs;   /* percpu allocations made inside mm_init */
	__u64 alloc_ns; /* time inside pcpu_alloc inside mm_init */
	__u64 wait_ns;  /* waits for our locks inside mm_init */
	__u64 forks;    /* new tasks without CLONE_VM: one dup_mm each */
	__u64 execs;
	__u64 threads; /* new tasks with CLONE_THREAD */
};

/*
 * An allocation site. meta is 0 in a free slot and is written after call_site, so that a reader
 * who sees it sees the call site too. Bytes are allocs * size, so a hit costs one add.
 */
struct site {
	__u64 call_site; /* 0 before 5.19, where the event does not tell */
	__u64 meta;      /* SITE_* */
	__u64 allocs;
};

#define SITE_VALID       (1ULL << 63)
#define SITE_ATOMIC      (1ULL << 62) /* did not take pcpu_alloc_mutex */
#define SITE_RESERVED    (1ULL << 61)
#define SITE_SIZE(m)     ((__u32)(m))
#define SITE_ALIGN_SHIFT 32
#define SITE_ALIGN(m)    ((__u32)((m) >> SITE_ALIGN_SHIFT) & 0xffffff)

/* The key is the whole content, so two stacks never share a row. */
struct stack_key {
	__u32 lock;
	__u16 kind; /* enum stack_kind */
	__u16 pad;
	char comm[COMM_LEN]; /* zero unless cfg.stack_comm, or a holder by owner */
	__u64 user;          /* struct ustack.id, 0: none */
	__u64 cgroup;        /* id; zero unless cfg.stack_cgroup */
	__u32 pid;           /* of a holder by owner, else zero */
	__u32 pad2;
	__u64 ip[STACK_FRAMES];
};

/*
 * A waiter's row counts its waits. A holder's counts its contended releases, and as wait_ns all
 * that others waited for it; known by owner (mutex.owner when the wait began) it has no stack,
 * and counts the waits instead. A call's row counts calls of pcpu_alloc and the time inside.
 */
enum stack_kind { STACK_WAITER, STACK_HOLDER, STACK_CALL, NR_STACK_KINDS };

struct ustack_key {
	__u32 tgid; /* the same addresses mean something else in another process */
	__u32 pad;
	char comm[COMM_LEN]; /* of the process: another one when it has executed since */
	__u64 ip[USER_FRAMES];
};

/* A wait in progress. In a sleeping wait one task owns it, in a spinning one this CPU does. */
struct wait {
	__u64 start_ns;
	__u64 phase_ns; /* when the present phase began */
	__u64 spin_ns;
	__u64 sleep_ns;
	__u32 sleeping; /* the present phase */
	__u32 slept;
	__u32 owner_pid; /* of the mutex when the wait began, 0: none */
	__u32 pad;
	char owner_comm[COMM_LEN];
	struct stack_key key;
};

struct wait_key {
	__u32 tid;
	__u32 lock;
	__u64 zero; /* where an owner_key has its meta, which is not 0 */
};

/* What a task is doing: inside pcpu_alloc, inside mm_init, or the one inside the other. */
struct call {
	__u64 start_ns;
	__u64 mm_start_ns;
	__u64 mm_allocs;
	__u64 mm_alloc_ns;
	__u64 mm_wait_ns;
	__u32 depth;
	__u32 in_mm;
};

struct row_key {
	__u64 id;            /* tgid, or the cgroup's id; 0 by comm */
	char comm[COMM_LEN]; /* of the process; zero for a cgroup */
};

struct row_stat {
	__u64 allocs;
	__u64 alloc_bytes;
	struct wait_stat w;
};

struct owner_key {
	__u64 call_site;
	__u64 meta;
};

struct owner {
	__u64 ip[OWNER_FRAMES];
};

/*
 * Waits in progress and owners share one table: each hash table costs the kernel some ten percpu
 * allocations (kernel/bpf/hashtab.c: map_locked, 20b6cc34ea74, 5.11 to 6.15; extra_elems).
 */
union kept_key {
	struct wait_key wait;
	struct owner_key owner;
};

union kept_value {
	struct wait wait;
	struct owner owner;
};

/* Everything that one CPU counts. Map memory per possible CPU: see test_sizing. */
struct cpu_block {
	__u64 frees;
	__u64 fails;
	__u64 other_allocs; /* events that found no slot: still exact in the totals */
	__u64 other_bytes;
	__u64 row_other_allocs; /* the same for the table of processes or cgroups */
	__u64 row_other_bytes;
	__u64 row_other_waits;
	__u64 row_other_wait_ns;
	__u64 lost[NR_LOST];
	__u64 selected; /* set by the loader when -C is given */
	__u64 claiming; /* see claim_old() */
	struct mm_stat mm;
	struct latency_stat latency;
	struct lock_stat locks[NR_LOCKS];
	struct wait spin[NR_LOCKS];
	struct site sites[NR_SITES];
};

/* Kernel memory read on behalf of the loader, see bpf/code.bpf.c. */
struct code_read {
	__u64 addr;
	__u32 len;
	__s32 err;
	__u8 bytes[4096];
};

/* One contention event, offered for learning a lock's address; lock is stored last. */
struct learn_slot {
	__u64 lock;
	__u64 ip[LEARN_FRAMES];
};

enum row_by { ROW_NONE, ROW_PROCESS, ROW_CGROUP, ROW_COMM };

/* Who made others wait: the owner when the wait began, or the stack that released the lock. */
enum holders_by { HOLDERS_NONE, HOLDERS_OWNER, HOLDERS_RELEASE };

/* The knobs: constant for the run, so that the verifier removes what is off. */
struct cfg {
	__u32 abi_size;     /* sizeof(struct cpu_block), checked before load */
	__u32 row_by;       /* enum row_by */
	__u32 stacks;       /* keep stacks of waits */
	__u32 stack_comm;   /* split them by comm */
	__u32 stack_cgroup; /* split them by cgroup */
	__u32 user_stacks;  /* keep the waiter's user frames too */
	__u32 holders;      /* enum holders_by */
	__u32 call_stacks;  /* keep stacks of pcpu_alloc calls with the time inside */
	__u32 owners;       /* take one stack for each new site */
	__u32 latency;      /* a latency backend is attached */
	__u32 mm_calls;     /* mm_init is followed */
	__u32 lock_split;   /* the lock backend tells spinning from sleeping */
	__u32 filter_tgid;
	__u32 filter_tid;
	__u32 filter_cpu;
	__u32 filter_cgroup; /* 2: cgroup v2 by bpf_current_task_under_cgroup, 1: v1 by id */
	__u32 cgroup_subsys; /* v1: index in css_set.subsys, else ~0 */
	__u32 nr_sites;      /* NR_SITES; smaller only in tests of a full table */
	__u64 filter_cgroup_id;
	__u64 min_wait_ns; /* shorter waits get no stack row */
};

/* One lock's waiting that no release has answered for, see bpf/holders.bpf.h. */
struct blame {
	__u64 word;
	__u64 released_ns;
	__u64 pad[6]; /* a cache line each: waiters write it */
};

/* Set by the loader while the programs run. */
struct control {
	__u64 lock_addr[NR_LOCKS]; /* 0: unknown */
	__u64 lock_lo;             /* lowest of them; a foreign lock leaves after one compare */
	__u64 lock_span;
	__u64 epoch; /* number of the interval, for max_iv */
	__u64 live;  /* count: from the first snapshot on, until the last */
};

#endif
