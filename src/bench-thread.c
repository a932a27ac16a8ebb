// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

/*
 * The first thread is where rss_stat becomes percpu on kernels that put it off until then, and
 * where the private futex hash is made; the further ones show what a clone costs without that.
 */
const struct workload bench_thread = {
	.name = "thread",
	.summary = "short processes that make a first thread and seven more, one after another",
	.unit = "process",
	.cost = { .mms = 1, .first_threads = 1 },
	.role = ROLE_THREAD,
};
