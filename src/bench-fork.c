// SPDX-License-Identifier: GPL-2.0-only
#include "bench.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static int fork_op(struct worker *w)
{
	pid_t pid = fork();

	if (pid < 0)
		return worker_fail(w, "fork");
	if (!pid)
		_exit(0);
	if (waitpid(pid, NULL, 0) != pid)
		return worker_fail(w, "waitpid");
	return 0;
}

const struct workload bench_fork = {
	.name = "fork",
	.summary = "processes that fork a child, which exits, and wait for it",
	.unit = "fork",
	.cost = { .mms = 1 },
	.op = fork_op,
};
