// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

const struct workload bench_fork = {
	.name = "fork",
	.summary = "small processes that fork a child, which exits, and wait for it",
	.unit = "fork",
	.cost = { .mms = 1 },
	.role = ROLE_FORK,
};
