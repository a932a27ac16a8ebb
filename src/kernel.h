/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of kernel facts: each is true because a probe said so, never because of a version. */
#ifndef PCPUSTAT_KERNEL_H
#define PCPUSTAT_KERNEL_H

#include "ksyms.h"

enum fact_id {
	FACT_BTF,
	FACT_BPF, /* bpf() loads a trivial program */
	FACT_RAW_TP,
	FACT_TP_BTF,
	FACT_TRACEFS,
	FACT_FENTRY,
	FACT_KPROBE,
	FACT_CMPXCHG,
	FACT_RAW_TP_GUARD,
	FACT_MAP_MEMCG, /* maps do not count against RLIMIT_MEMLOCK */
	FACT_TASK_ITER,
	FACT_KALLSYMS,      /* function addresses are shown */
	FACT_KALLSYMS_DATA, /* data symbols too */
	FACT_PERCPU_EVENTS,
	FACT_PERCPU_CALL_SITE,
	FACT_PCPU_ALLOC_NOPROF, /* else pcpu_alloc */
	FACT_CONTENTION_EVENTS,
	FACT_CONTENDED_RELEASE,
	FACT_MM_INIT_FENTRY_SAFE,
	FACT_PREEMPT_RT,   /* spinlocks sleep */
	FACT_SPIN_WAITS,   /* waits for spinlocks reach contention_begin */
	FACT_PERCPU_STATS, /* debugfs percpu_stats */
	FACT_CGROUP2,
	FACT_RSS_SPLIT,     /* struct mm_rss_stat */
	FACT_RSS_PERCPU,    /* mm_struct.rss_stat is percpu_counter[] */
	FACT_RSS_GROUPED,   /* __percpu_counter_init_many */
	FACT_RSS_ATOMIC,    /* percpu_counter.count_atomic */
	FACT_RSS_LAZY,      /* struct lazy_percpu_counter */
	FACT_RSS_TREE,      /* struct percpu_counter_tree */
	FACT_RSS_SWITCH_FN, /* percpu_counter_switch_to_pcpu_many or its lazy twin */
	NR_FACTS
};

enum fact_state { FACT_UNKNOWN, FACT_ABSENT, FACT_PRESENT };
extern const char *const fact_states[]; /* names of them */

struct fact {
	const char *id;
	const char *what;
	const char *since; /* kernel version; for messages and tests only */
	const char *commit;
	const char *without; /* what is lost without it */
	enum fact_state (*probe)(char *how, size_t len);
};

extern const struct fact facts[NR_FACTS];

/* Result of the probe, made once; how says in a few words what decided it. */
enum fact_state fact_get(enum fact_id id, const char **how);
bool fact_has(enum fact_id id);

/* Loaded once and shared; NULL when they cannot be had. */
struct ksyms *kernel_ksyms(void);
struct btf *kernel_btf(void);
int kernel_need_btf(void); /* 0, or EXIT_KERNEL after its message */
void kernel_put_btf(void); /* gives back its memory */

/*
 * rss_stat's mode by BTF shape and symbols: "split", "individual", "grouped", "lazy",
 * "lazy-local", "tree"; NULL when unknown. What mms look like can still refine it (rss.c).
 */
const char *kernel_rss_mode(void);

/* Percpu allocations for rss_stat when an mm is born in that mode; -1 when unknown. */
int rss_allocs_per_mm(const char *mode);

#endif
