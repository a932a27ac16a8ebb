/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel allocates per operation of a workload, from the shape of its types. */
#ifndef PCPUSTAT_EXPECT_H
#define PCPUSTAT_EXPECT_H

#include "bench.h"

/* Percpu allocations; -1: unknown. */
struct alloc_facts {
	int per_mm;           /* when an mm is born: rss_stat and all else */
	int per_first_thread; /* when a process makes its first thread */
};

void expect_facts(struct alloc_facts *f);

/* Per operation; -1: unknown. */
int expect_allocs(const struct op_cost *cost, const struct alloc_facts *f);

#endif
