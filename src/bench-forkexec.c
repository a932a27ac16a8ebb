// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

const struct workload bench_forkexec = {
	.name = "forkexec",
	.summary = "small processes that fork a child, which executes a program, and wait for it",
	.unit = "fork+exec",
	.cost = { .mms = 2 },
	.role = ROLE_FORKEXEC,
};
