// SPDX-License-Identifier: GPL-2.0-only
/* What another mode would save, and when there is nothing to gain. */
#include "unit.h"

#include "rss-watch.h"
#include "rss-whatif.h"

/* Two seconds, 1000 births a second, one in ten with a thread, 2 us an allocation. */
static struct whatif_in busy(enum rss_mode mode, int rss_allocs, int allocs)
{
	return (struct whatif_in) {
		.duration_ns = 2 * NSEC_PER_SEC,
		.mode = mode,
		.births = 2000,
		.allocs_per_mm = allocs,
		.rss_allocs = rss_allocs,
		.ends = 1000,
		.ends_single = 900,
		.passes = 20000,
		.busy_ns = 2 * NSEC_PER_SEC,
		.waits_known = true,
		.wait_ns = 40000000,
		.sleep_ns = 20000000,
		.latency_known = true,
		.latency_count = 20000,
		.latency_sum_ns = 60000000,
	};
}

static void individual(void **state)
{
	struct whatif_in in = busy(MODE_INDIVIDUAL, 4, 5);
	struct whatif_out out;

	(void)state;
	whatif_compute(&in, WHATIF_GROUPED, &out);
	assert_null(out.nothing);
	assert_true(out.known && out.waits_known && out.cpu_known);
	assert_float_equal(out.allocs, 3000, 1e-6);
	assert_float_equal(out.passes, 3000, 1e-6);
	/* 6000 of 20000 passes carry 12 of 40 ms in two seconds. */
	assert_float_equal(out.wait_ns, 6000000, 1e-3);
	assert_float_equal(out.cpu_ns, 3000 * 2000.0, 1e-3);
	assert_float_equal(out.of_busy, 0.006, 1e-9);
	whatif_compute(&in, WHATIF_LAZY, &out);
	/* The one in ten that gets a thread makes one allocation then. */
	assert_float_equal(out.allocs, 3900, 1e-6);
	assert_float_equal(out.passes, 4000, 1e-6);
	whatif_compute(&in, WHATIF_COMBINED, &out);
	assert_float_equal(out.allocs, 4000, 1e-6);
}

static void nothing_to_gain(void **state)
{
	const struct {
		enum rss_mode mode;
		enum whatif_option option;
	} none[] = {
		{ MODE_SPLIT, WHATIF_GROUPED },   { MODE_SPLIT, WHATIF_LAZY },
		{ MODE_GROUPED, WHATIF_GROUPED }, { MODE_LAZY, WHATIF_LAZY },
		{ MODE_LAZY, WHATIF_GROUPED },    { MODE_LAZY_LOCAL, WHATIF_LAZY },
	};
	struct whatif_out out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		struct whatif_in in = busy(none[i].mode, 1, 3);

		whatif_compute(&in, none[i].option, &out);
		assert_non_null(out.nothing);
		assert_float_equal(out.allocs, 0, 0);
	}
	/* A single percpu allocation cannot be combined with another. */
	for (int allocs = 0; allocs < 2; allocs++) {
		struct whatif_in in = busy(MODE_LAZY, 0, allocs);

		whatif_compute(&in, WHATIF_COMBINED, &out);
		assert_non_null(out.nothing);
	}
}

static void a_quiet_host(void **state)
{
	struct whatif_in in = busy(MODE_GROUPED, 1, 3);
	struct whatif_out out;

	(void)state;
	in.births = 0;
	whatif_compute(&in, WHATIF_LAZY, &out);
	assert_non_null(out.nothing);
	/* Something, but not worth it: the numbers stay. */
	in.births = 20;
	whatif_compute(&in, WHATIF_LAZY, &out);
	assert_non_null(out.nothing);
	assert_float_equal(out.passes, 10, 1e-9);
	in.births = 2000;
	whatif_compute(&in, WHATIF_LAZY, &out);
	assert_null(out.nothing);
}

static void unmeasured_is_not_zero(void **state)
{
	struct whatif_in in = busy(MODE_GROUPED, 1, -1);
	struct whatif_out out;

	(void)state;
	in.latency_known = false;
	whatif_compute(&in, WHATIF_LAZY, &out);
	assert_true(out.known && out.waits_known);
	assert_false(out.cpu_known);
	assert_null(out.nothing);
	in.waits_known = false;
	whatif_compute(&in, WHATIF_LAZY, &out);
	assert_false(out.waits_known);
	whatif_compute(&in, WHATIF_COMBINED, &out);
	assert_false(out.known);
	/* No mm ended: those that there are stand in. */
	in.ends = in.ends_single = 0;
	assert_float_equal(whatif_single_share(&in), -1, 0);
	in.old_mms = 4;
	in.old_single = 3;
	assert_float_equal(whatif_single_share(&in), 0.75, 1e-12);
}

static void watch_deltas(void **state)
{
	struct rss_counts a = { .mono_ns = 100, .s = { .forks = 5, .switch_ns = 7 }, .missed = 1 };
	struct rss_counts b = { .mono_ns = 400, .s = { .forks = 9, .switch_ns = 7 }, .missed = 3 };
	struct rss_counts d;

	(void)state;
	b.s.violated[NR_CHECKS - 1] = 2;
	b.s.consequences = 6;
	rss_counts_delta(&a, &b, &d);
	assert_int_equal(d.mono_ns, 300);
	assert_int_equal(d.s.forks, 4);
	assert_int_equal(d.s.switch_ns, 0);
	assert_int_equal(d.s.violated[NR_CHECKS - 1], 2);
	assert_int_equal(d.s.consequences, 6);
	assert_int_equal(d.missed, 2);
	assert_true(rss_single_percent(&d.s) < 0);
	d.s.drops_known = 8;
	d.s.drops_single = 6;
	assert_float_equal(rss_single_percent(&d.s), 75, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(individual),   cmocka_unit_test(nothing_to_gain),
		cmocka_unit_test(a_quiet_host), cmocka_unit_test(unmeasured_is_not_zero),
		cmocka_unit_test(watch_deltas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
