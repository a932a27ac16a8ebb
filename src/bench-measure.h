/* SPDX-License-Identifier: GPL-2.0-only */
/* Rounds of workloads, with tracing on and off in turn. */
#ifndef PCPUSTAT_BENCH_MEASURE_H
#define PCPUSTAT_BENCH_MEASURE_H

#include "bench-result.h"
#include "bench.h"
#include "expect.h"
#include "info.h"

struct bench_plan {
	u64 duration_ns; /* of a round, 0 when ops_limit is given */
	u64 ops_limit;   /* per worker, 0: by time */
	u32 rounds;      /* of each kind, traced or not */
	bool pin;
	bool trace;
	bool progress; /* onto stderr */
};

struct measure {
	struct bench_plan plan;
	struct alloc_facts facts;
	char *cgroup; /* NULL: there is none, counts are of the whole host */
	/* Lock addresses that one round learned help the next. */
	struct lock_info locks[NR_LOCKS];
	bool interrupted;
};

/*
 * Facts, cgroup and, where only contention tells the locks' addresses, a short load to learn
 * them. Fills the report's head. Returns 0 or an exit code after one message.
 */
int measure_open(struct measure *m, const struct bench_plan *plan, struct bench_report *r);
void measure_close(struct measure *m);

/*
 * All rounds of one workload into c, whose spec and workers are set. 0, or an exit code after one
 * message. After a signal m->interrupted is set, and c keeps the rounds that were finished.
 */
int measure_case(struct measure *m, const struct workload *wl, const char *args,
		 struct bench_case *c);

/* A directory of the v2 hierarchy; NULL when none can be made. free removes it; NULL is fine. */
char *bench_cgroup_new(void);
void bench_cgroup_free(char *path);

#endif
