/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics of a handful of rounds. Pure. */
#ifndef PCPUSTAT_STATS_H
#define PCPUSTAT_STATS_H

#include <stddef.h>

#define SIGNIFICANT 0.05 /* p below this earns the word */

struct summary {
	size_t n; /* values that are not NAN; 0: all the rest is NAN */
	double median;
	double min;
	double max;
	double spread; /* (max - min) / median; NAN of one value, or when the median is 0 and the range is not */
};

/* NANs are left out. Sorts its own copy; at most STATS_MAX values count. */
#define STATS_MAX 256
struct summary stats_summary(const double *v, size_t n);

/*
 * Mann-Whitney U test, two-sided: the probability of a difference at least this large if both
 * samples came from one distribution. Exact without ties and with at most 20 values a side (the
 * distribution of U by counting), else the normal approximation with corrections for ties and
 * continuity. NANs are left out; 1 when a side is empty or all values are equal.
 */
double stats_mann_whitney(const double *a, size_t na, const double *b, size_t nb);

#endif
