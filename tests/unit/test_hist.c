// SPDX-License-Identifier: GPL-2.0-only
/* The histogram's buckets: the inverse of hist_index() in bpf/maps.bpf.h. */
#include "unit.h"

#include "snap.h"

/* The same arithmetic as in the kernel, written the plain way. */
static unsigned int index_of(u64 ns)
{
	u64 units = ns >> HIST_SHIFT;
	unsigned int octave;

	if (units < 4)
		return units;
	octave = 63 - __builtin_clzll(units);
	octave = (octave - 1) * 4 + ((units >> (octave - 2)) & 3);
	return octave < HIST_BUCKETS ? octave : HIST_BUCKETS - 1;
}

static void bounds_are_inclusive(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < HIST_BUCKETS - 1; i++) {
		assert_int_equal(index_of(hist_le(i)), i);
		assert_int_equal(index_of(hist_le(i) + 1), i + 1);
	}
	assert_true(hist_le(HIST_BUCKETS - 1) == ~0ULL);
}

static void percentiles(void **state)
{
	struct hist h = {};

	(void)state;
	assert_int_equal(hist_percentile(&h, 0.5, 100), 0);
	h.bucket[index_of(100)] = 99;
	h.bucket[index_of(1000000)] = 1;
	assert_int_equal(hist_count(&h), 100);
	assert_int_equal(hist_percentile(&h, 0.5, 1000000), hist_le(index_of(100)));
	assert_int_equal(hist_percentile(&h, 0.99, 1000000), hist_le(index_of(100)));
	/* The bucket's bound is above the largest value that was seen: that one is the answer. */
	assert_int_equal(hist_percentile(&h, 1, 1000000), 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_inclusive),
		cmocka_unit_test(percentiles),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
