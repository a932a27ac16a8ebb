/* SPDX-License-Identifier: GPL-2.0-only */
/* What benchmark runs gave: plain data, and the metrics that follow from it. Pure. */
#ifndef PCPUSTAT_BENCH_RESULT_H
#define PCPUSTAT_BENCH_RESULT_H

#include "slot.h"
#include "snap.h"
#include "stats.h"

#define MAX_ROUNDS   STATS_MAX
#define MAX_SECONDS  3600
#define CASE_STACKS  3
#define KNEE_SHARE   0.10 /* share of the workers' time spent waiting */
#define SHOWN_FRAMES 12
#define NOT_TOLD     (~0ULL) /* in a u64 of a round: not measured */

struct bench_round {
	bool traced;
	u64 ops;
	u64 elapsed_ns;
	u64 cpu_ns;   /* user and system time of the workers */
	u64 switches; /* context switches, voluntary or not */
	u64 faults;
	u64 part_ns[NR_PARTS], part_count[NR_PARTS];
	u64 grace_periods, footprint_bytes; /* kfree_rcu only */
	/* Only when traced. */
	u64 allocs;
	u64 passes; /* allocations that took pcpu_alloc_mutex */
	u64 alloc_ns;
	u64 waits[NR_LOCKS], wait_ns[NR_LOCKS];
	u64 lost;     /* events that are in no total */
	u64 expected; /* allocations that the operations should have made */
	/* Operations in each full second. */
	u32 *per_second;
	size_t nr_seconds;
};

struct bench_stack {
	char lock[24];
	u64 waits, wait_ns;
	char frames[1024]; /* names, leaf first, ';' between */
};

struct bench_case {
	char spec[256]; /* workload, parameters behind a colon: a module has long ones */
	char unit[16];
	u32 workers;
	bool pinned;
	bool own_only;   /* the counts are of the workers alone, not of the whole host */
	u64 duration_ns; /* asked for; of a round */
	struct bench_round *rounds;
	size_t nr_rounds, cap_rounds;
	struct bench_stack *stacks; /* sums over all traced rounds */
	size_t nr_stacks, cap_stacks;
};

struct bench_report {
	char kernel[65];
	char host[65];
	char rss_mode[24]; /* empty: unknown */
	int allocs_per_mm; /* -1: unknown */
	u32 cpus_online;
	u32 cpus_possible;
	struct bench_case *cases;
	size_t nr_cases, cap_cases;
};

struct bench_metric {
	const char *key;  /* in JSON */
	const char *name; /* in text */
	const char *unit;
	bool traced; /* from the traced rounds, else from the untraced ones */
	int better;  /* 1: more is better, -1: less is, 0: neither */
	double (*get)(const struct bench_case *c, const struct bench_round *r); /* NAN: unmeasured */
};

enum bench_metric_id {
	BM_OPS_PER_S,
	BM_OP_NS,
	BM_LOOP_NS,
	BM_FIRST_THREAD_NS,
	BM_FURTHER_THREADS_NS,
	BM_CPU_NS,
	BM_SWITCHES,
	BM_FAULTS,
	BM_GRACE_PERIODS,
	BM_FOOTPRINT,
	BM_TRACED_OPS_PER_S,
	BM_ALLOCS,
	BM_PASSES,
	BM_ALLOC_NS,
	BM_WAIT_NS,
	BM_WAIT_SHARE,
	NR_BENCH_METRICS
};
extern const struct bench_metric bench_metrics[NR_BENCH_METRICS];

/* Values of a metric over the rounds that it is from; returns how many, at most MAX_ROUNDS. */
size_t bench_values(const struct bench_case *c, const struct bench_metric *m, double *v);
struct summary bench_summary(const struct bench_case *c, enum bench_metric_id id);

/* What tracing costs: share of ops/s lost, NAN when unknown, and the p of the difference. */
double bench_tracing_cost(const struct bench_case *c, double *p);

/*
 * Whether the counts agree with what the workload says it did. diff is counted minus expected
 * allocations of the first round that does not agree. Where the counts hold other processes'
 * allocations too, more than expected is no disagreement.
 */
enum bench_truth { TRUTH_UNKNOWN, TRUTH_HOLDS, TRUTH_BROKEN };
enum bench_truth bench_check(const struct bench_case *c, s64 *diff);

/* Events that are in no total, over all traced rounds. */
u64 bench_lost(const struct bench_case *c);

/*
 * The first of the cases of one workload, by worker count, at which the workers wait for more
 * than KNEE_SHARE of the time; NULL: none, or not measured.
 */
const struct bench_case *bench_knee(const struct bench_case *const *c, size_t n);

struct bench_case *bench_add_case(struct bench_report *r);              /* NULL: no memory */
struct bench_round *bench_add_round(struct bench_case *c);              /* NULL: no memory */
int bench_add_second(struct bench_round *r, u64 ops);                   /* 0, -ENOMEM or -E2BIG */
void bench_drop_case(struct bench_report *r);                           /* the last one */
void bench_drop_round(struct bench_case *c);                            /* the last one */
int bench_add_stack(struct bench_case *c, const struct bench_stack *s); /* 0 or -ENOMEM */
void bench_top_stacks(struct bench_case *c); /* sorts by wait time, keeps CASE_STACKS */
void bench_report_free(struct bench_report *r);

#endif
