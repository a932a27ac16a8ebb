// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N(a)       (sizeof(a) / sizeof((a)[0]))
#define near(x, y) assert_true(fabs((x) - (y)) < 1e-9)

static void test_summary(void **state)
{
	const double odd[] = { 5, 1, 9 }, even[] = { 4, 1, 3, 2 }, holes[] = { NAN, 7, NAN, 5 };
	struct summary s = stats_summary(odd, N(odd));

	(void)state;
	assert_int_equal(s.n, 3);
	near(s.median, 5);
	near(s.min, 1);
	near(s.max, 9);
	near(s.spread, 8.0 / 5);
	near(stats_summary(even, N(even)).median, 2.5);
	s = stats_summary(holes, N(holes));
	assert_int_equal(s.n, 2);
	near(s.median, 6);
}

static void test_summary_edges(void **state)
{
	const double zeros[] = { 0, 0 }, around[] = { -1, 0, 1 }, none[] = { NAN };

	(void)state;
	near(stats_summary(zeros, 2).spread, 0);
	/* Of one value nothing is known, which is not that it does not vary. */
	assert_true(isnan(stats_summary(zeros, 1).spread));
	assert_true(isnan(stats_summary(around, 3).spread));
	assert_int_equal(stats_summary(none, 1).n, 0);
	assert_true(isnan(stats_summary(none, 1).median));
	assert_true(isnan(stats_summary(NULL, 0).median));
}

/* Probabilities of the U statistic from the definition: 2 / C(na + nb, na) at the extreme. */
static void test_exact(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 6, 7, 8, 9, 10 };
	const double c[] = { 1, 2, 3 }, d[] = { 4, 5, 6 }, e[] = { 1, 2, 4 }, f[] = { 3, 5, 6 };

	(void)state;
	near(stats_mann_whitney(a, 5, b, 5), 2.0 / 252);
	near(stats_mann_whitney(b, 5, a, 5), 2.0 / 252);
	near(stats_mann_whitney(c, 3, d, 3), 2.0 / 20);
	/* U = 1: the orders with U 0 and 1 are one each. */
	near(stats_mann_whitney(e, 3, f, 3), 4.0 / 20);
	/* One value a side can tell nothing. */
	near(stats_mann_whitney(a, 1, b, 1), 1);
}

/* By full enumeration of all ways to split ranks 0..n-1, for every size up to 5 and 5. */
static double enumerate(size_t na, size_t nb, size_t u)
{
	size_t n = na + nb, extreme = 0, all = 0;

	for (size_t set = 0; set < (size_t)1 << n; set++) {
		size_t got = 0, ones = 0;

		for (size_t i = 0; i < n; i++) {
			if (set >> i & 1)
				ones++;
			else
				got += ones; /* b's value above so many of a's */
		}
		if (ones != na)
			continue;
		all++;
		extreme += got <= u || na * nb - got <= u;
	}
	return (double)extreme / all;
}

static void test_exact_enumerated(void **state)
{
	(void)state;
	for (size_t na = 1; na <= 5; na++) {
		for (size_t nb = 1; nb <= 5; nb++) {
			for (size_t split = 0; split <= nb; split++) {
				double a[5], b[5];
				size_t u = na * split, low = u < na * nb - u ? u : na * nb - u;

				/* All of a between b's split-th and the next value. */
				for (size_t i = 0; i < na; i++)
					a[i] = split + (i + 1) / 100.0;
				for (size_t j = 0; j < nb; j++)
					b[j] = j < split ? j : j + 1;
				near(stats_mann_whitney(a, na, b, nb),
				     fmin(1, enumerate(na, nb, low)));
			}
		}
	}
}

static void test_ties_and_nothing(void **state)
{
	const double same[] = { 2, 2, 2, 2 }, none[] = { NAN, NAN };
	double low[30], high[30];

	(void)state;
	near(stats_mann_whitney(same, 4, same, 4), 1);
	near(stats_mann_whitney(none, 2, same, 4), 1);
	near(stats_mann_whitney(same, 4, same, 0), 1);
	for (size_t i = 0; i < 30; i++) {
		low[i] = i % 3;
		high[i] = 10 + i % 3;
	}
	assert_true(stats_mann_whitney(low, 30, high, 30) < 1e-9);
	near(stats_mann_whitney(low, 30, low, 30), 1);
}

/* The approximation must meet the exact value where both apply. */
static void test_normal_meets_exact(void **state)
{
	double a[21], b[21], exact, normal;

	(void)state;
	for (size_t i = 0; i < 21; i++) {
		a[i] = i * 2.0;
		b[i] = i * 2.0 + 9;
	}
	exact = stats_mann_whitney(a, 20, b, 20);
	normal = stats_mann_whitney(a, 21, b, 21);
	assert_true(exact > 0.01 && exact < 0.2);
	assert_true(fabs(exact - normal) < 0.03);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_summary_edges),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_exact_enumerated),
		cmocka_unit_test(test_ties_and_nothing),
		cmocka_unit_test(test_normal_meets_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
