// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

/* The execve scalability test: nothing but the exec is repeated, all in user space is two pages. */
const struct workload bench_exec = {
	.name = "exec",
	.summary = "static programs that execute themselves again",
	.unit = "exec",
	.cost = { .mms = 1 },
	.role = ROLE_EXEC,
};
