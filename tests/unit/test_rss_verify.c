// SPDX-License-Identifier: GPL-2.0-only
/* Verdicts, what each check needs, and what a census alone can tell. */
#include "unit.h"

#include <string.h>

#include "rss-verify.h"

static const struct rss_signals all = {
	.births = true,
	.deaths = DEATH_FENTRY,
	.switches = true,
	.clones = true,
	.blocks = true,
	.has_switch = true,
	.switch_fn = "percpu_counter_switch_to_pcpu_many",
};

static struct rss_evidence evidence(enum rss_mode mode)
{
	struct rss_evidence e = { .mode = mode, .slots = true, .sig = all };

	for (int i = 0; i < NR_CHECKS; i++)
		e.tested[i] = 10;
	return e;
}

static enum rss_result result(const struct rss_evidence *e, enum rss_check check)
{
	struct rss_verdict v;

	rss_judge(e, check, &v);
	assert_int_equal(v.result == RESULT_UNCHECKED, v.why != NULL);
	return v.result;
}

static void all_is_well(void **state)
{
	struct rss_evidence e = evidence(MODE_LAZY);

	(void)state;
	for (int i = 0; i < NR_CHECKS; i++)
		assert_int_equal(result(&e, i), RESULT_OK);
}

/* Nothing was looked at: that is no ok. */
static void untested_is_not_ok(void **state)
{
	struct rss_evidence e = evidence(MODE_LAZY);

	(void)state;
	memset(e.tested, 0, sizeof(e.tested));
	for (int i = 0; i < NR_CHECKS; i++)
		assert_int_equal(result(&e, i), RESULT_UNCHECKED);
}

static void one_violation_is_one(void **state)
{
	(void)state;
	for (int bad = 0; bad < NR_CHECKS; bad++) {
		struct rss_evidence e = evidence(MODE_LAZY);

		e.violated[bad] = 1;
		for (int i = 0; i < NR_CHECKS; i++)
			assert_int_equal(result(&e, i), i == bad ? RESULT_VIOLATED : RESULT_OK);
	}
}

/* What concludes from an event that did not come needs every event. */
static void missed_events(void **state)
{
	struct rss_evidence e = evidence(MODE_LAZY);

	(void)state;
	e.missed = 1;
	e.violated[CHECK_BLOCK] = e.violated[CHECK_ZERO] = 1;
	assert_int_equal(result(&e, CHECK_BLOCK), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_ZERO), RESULT_VIOLATED);
	e.violated[CHECK_BLOCK] = 0;
	assert_int_equal(result(&e, CHECK_BLOCK), RESULT_OK);
}

static void modes_without_a_switch(void **state)
{
	struct rss_evidence e = evidence(MODE_GROUPED);

	(void)state;
	assert_int_equal(result(&e, CHECK_CARRIED), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_SUCCEEDS), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_BLOCK), RESULT_OK);
	assert_int_equal(result(&e, CHECK_ZERO), RESULT_OK);
	e = evidence(MODE_SPLIT);
	e.slots = false;
	for (int i = 0; i < NR_CHECKS; i++)
		assert_int_equal(result(&e, i), i == CHECK_ZERO ? RESULT_OK : RESULT_UNCHECKED);
	e = evidence(MODE_TREE);
	for (int i = 0; i < NR_CHECKS; i++)
		assert_int_equal(result(&e, i), RESULT_UNCHECKED);
}

static void lacking_signals(void **state)
{
	struct rss_evidence e = evidence(MODE_LAZY);

	(void)state;
	e.sig.switches = e.sig.clones = false;
	assert_int_equal(result(&e, CHECK_ONE), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_FAILED), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_THREADED), RESULT_OK);
	e = evidence(MODE_LAZY);
	e.sig.deaths = DEATH_NONE;
	assert_int_equal(result(&e, CHECK_ZERO), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_BLOCK), RESULT_UNCHECKED);
	e = evidence(MODE_LAZY);
	e.slots = false;
	assert_int_equal(result(&e, CHECK_CARRIED), RESULT_UNCHECKED);
	assert_int_equal(result(&e, CHECK_ONE), RESULT_OK);
}

static void census_of_a_lazy_kernel(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_evidence e = { .mode = MODE_LAZY };
	struct rss_mm m = { .mm = 1, .group_threads = 1, .state = RSS_ATOMIC };

	(void)state;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
	assert_int_equal(e.tested[CHECK_NEGATIVE], 1);
	/* Two processes with one thread each need no percpu counters. */
	m.processes = 2;
	m.threads = 2;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
	m.group_threads = 2;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), CHECK_THREADED);
	m.state = RSS_PERCPU;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
	m.state = RSS_ATOMIC;
	m.group_threads = 1;
	m.w.count[RSS_SHMEM] = -1;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), CHECK_NEGATIVE);
}

/* The four pointers are published one by one: half of them is a moment, twice is a state. */
static void census_in_mid_switch(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_evidence e = { .mode = MODE_LAZY };
	struct rss_mm m = { .mm = 1, .group_threads = 2, .state = RSS_MIXED }, before = m;

	(void)state;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
	before.state = RSS_ATOMIC;
	assert_int_equal(rss_check_mm(&e, &c, &m, &before), -1);
	before.state = RSS_MIXED;
	assert_int_equal(rss_check_mm(&e, &c, &m, &before), CHECK_ONE);
}

static void census_of_other_kernels(void **state)
{
	struct rss_census c = { .shape = SHAPE_PERCPU };
	struct rss_evidence e = { .mode = MODE_GROUPED };
	struct rss_mm m = { .mm = 1, .group_threads = 2, .state = RSS_ATOMIC };

	(void)state;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), CHECK_THREADED);
	m.state = RSS_PERCPU;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
	assert_int_equal(e.tested[CHECK_THREADED], 2);
	m.group_threads = 1;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
	m.state = RSS_ATOMIC;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), CHECK_BIRTH);
	assert_int_equal(e.tested[CHECK_BIRTH], 2);
	e.mode = MODE_SPLIT;
	m.state = RSS_SPLIT;
	m.w.count[0] = -5;
	assert_int_equal(rss_check_mm(&e, &c, &m, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_well),
		cmocka_unit_test(untested_is_not_ok),
		cmocka_unit_test(one_violation_is_one),
		cmocka_unit_test(missed_events),
		cmocka_unit_test(modes_without_a_switch),
		cmocka_unit_test(lacking_signals),
		cmocka_unit_test(census_of_a_lazy_kernel),
		cmocka_unit_test(census_in_mid_switch),
		cmocka_unit_test(census_of_other_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
