// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

#include <errno.h>
#include <limits.h>

#define NR_PROGRAMS 256

static int launch_open(void **shared)
{
	return program_files(NR_PROGRAMS, (char **)shared);
}

static void launch_close(void *shared)
{
	program_files_remove(NR_PROGRAMS, shared);
}

static int launch_nth(struct worker *w, unsigned int n)
{
	char path[PATH_MAX];
	char *argv[] = { (char *)"true", NULL };

	snprintf(path, sizeof(path), "%s/%u", (const char *)w->shared, n % NR_PROGRAMS);
	return worker_spawn(w, path, argv);
}

static int launch_op(struct worker *w)
{
	/* Workers start far apart, so that they seldom launch one file at the same time. */
	return launch_nth(w, w->idx * 61 + w->slot->ops);
}

static int launch_prepare(struct worker *w)
{
	return launch_nth(w, w->idx);
}

const struct workload bench_launch = {
	.name = "launch",
	.summary = "posix_spawn of 256 different program files in turn",
	.unit = "launch",
	.cost = { .mms = 1 },
	.open = launch_open,
	.close = launch_close,
	.prepare = launch_prepare,
	.op = launch_op,
};
