// SPDX-License-Identifier: GPL-2.0-only
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX 20 /* values a side */

static int cmp_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static size_t keep_numbers(double *to, const double *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n && kept < STATS_MAX; i++)
		if (!isnan(v[i]))
			to[kept++] = v[i];
	return kept;
}

struct summary stats_summary(const double *v, size_t n)
{
	struct summary s = { 0, NAN, NAN, NAN, NAN };
	double sorted[STATS_MAX];

	s.n = keep_numbers(sorted, v, n);
	if (!s.n)
		return s;
	qsort(sorted, s.n, sizeof(*sorted), cmp_double);
	s.min = sorted[0];
	s.max = sorted[s.n - 1];
	s.median = (sorted[(s.n - 1) / 2] + sorted[s.n / 2]) / 2;
	if (s.n < 2)
		return s;
	if (s.max == s.min)
		s.spread = 0;
	else if (s.median)
		s.spread = (s.max - s.min) / fabs(s.median);
	return s;
}

/* U of a: pairs in which a's value is the larger one, ties count half. */
static double rank_u(const double *a, size_t na, const double *b, size_t nb)
{
	double u = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	return u;
}

/*
 * Orders of na + nb different values in which U is at most u, as a share of all orders. With
 * f(i, j, k) the number of orders of i and j values with U = k: the largest value is one of a's,
 * and adds j to U, or one of b's: f(i, j, k) = f(i - 1, j, k - j) + f(i, j - 1, k). Row i of the
 * table is made from row i - 1; counts stay below 2^53 for EXACT_MAX, so doubles are exact.
 */
static double exact_tail(size_t na, size_t nb, size_t u)
{
	static double row[EXACT_MAX + 1][EXACT_MAX * EXACT_MAX + 1];
	double below = 0, all = 0;

	memset(row, 0, sizeof(row));
	for (size_t j = 0; j <= nb; j++)
		row[j][0] = 1;
	for (size_t i = 1; i <= na; i++)
		for (size_t j = 1; j <= nb; j++)
			for (size_t k = i * j + 1; k-- > 0;)
				row[j][k] = (k >= j ? row[j][k - j] : 0) + row[j - 1][k];
	for (size_t k = 0; k <= na * nb; k++) {
		all += row[nb][k];
		below += k <= u ? row[nb][k] : 0;
	}
	return below / all;
}

/* Sum of t^3 - t over groups of t equal values, and whether there is any such group. */
static double tie_sum(const double *a, size_t na, const double *b, size_t nb)
{
	double all[2 * STATS_MAX], sum = 0;
	size_t n = na + nb, run;

	memcpy(all, a, na * sizeof(*a));
	memcpy(all + na, b, nb * sizeof(*b));
	qsort(all, n, sizeof(*all), cmp_double);
	for (size_t i = 0; i < n; i += run) {
		for (run = 1; i + run < n && all[i + run] == all[i];)
			run++;
		sum += (double)run * run * run - run;
	}
	return sum;
}

static double normal_p(double u, double na, double nb, double ties)
{
	double n = na + nb, mean = na * nb / 2;
	double var = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
	double off = fabs(u - mean) - 0.5;

	if (var <= 0 || off <= 0)
		return 1;
	return erfc(off / sqrt(var) / sqrt(2));
}

double stats_mann_whitney(const double *va, size_t na, const double *vb, size_t nb)
{
	double a[STATS_MAX], b[STATS_MAX], u, ties, p;

	na = keep_numbers(a, va, na);
	nb = keep_numbers(b, vb, nb);
	if (!na || !nb)
		return 1;
	u = rank_u(a, na, b, nb);
	ties = tie_sum(a, na, b, nb);
	if (ties > 0 || na > EXACT_MAX || nb > EXACT_MAX)
		return normal_p(u, na, nb, ties);
	p = 2 * exact_tail(na, nb, fmin(u, na * nb - u));
	return p < 1 ? p : 1;
}
