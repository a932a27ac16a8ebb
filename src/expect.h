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

/*
 * From the shape of the types; with look, which takes the privileges of a census, also from what
 * mms look like: a kernel whose types allow several modes can be in any of them. *mode becomes
 * the name of rss_stat's mode, "" when unknown.
 */
void expect_facts(struct alloc_facts *f, bool look, char *mode, size_t len);

/* Per operation; -1: unknown. */
int expect_allocs(const struct op_cost *cost, const struct alloc_facts *f);

#endif
