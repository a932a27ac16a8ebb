/* SPDX-License-Identifier: GPL-2.0-only */
/* Two benchmark reports side by side. Pure. */
#ifndef PCPUSTAT_BENCH_COMPARE_H
#define PCPUSTAT_BENCH_COMPARE_H

#include "bench-result.h"

struct bench_change {
	struct summary a, b;
	double change; /* (b - a) / a of the medians; NAN when a is 0 or one is unmeasured */
	double p;      /* Mann-Whitney, two-sided */
	bool significant;
};

struct bench_pair {
	const struct bench_case *a, *b;
	struct bench_change changes[NR_BENCH_METRICS];
};

struct bench_comparison {
	const struct bench_report *a, *b;
	const char *a_name, *b_name;
	struct bench_pair *pairs;
	size_t nr_pairs, cap_pairs;
	size_t only_a, only_b; /* cases that the other report has not */
	char unlike[320];      /* why the runs are not alike; empty: they are */
	char verdict[512];
};

/* Pairs the cases by workload and workers. 0 or -ENOMEM. */
int bench_compare(struct bench_comparison *cmp);
void bench_comparison_free(struct bench_comparison *cmp);

/*
 * Wait of a stack in b per operation against the same stack in a: 2 is twice as much; NAN when a
 * has no such stack among its first.
 */
double bench_stack_change(const struct bench_pair *p, const struct bench_stack *of_b);

#endif
