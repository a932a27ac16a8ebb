// SPDX-License-Identifier: GPL-2.0-only
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Out of the way of SLOT_FD and PROGRAM_FD, which are filled by dup2 below. */
static int lift(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, PROGRAM_FD + 1);
}

/*
 * The worker becomes the built-in program, which counts and executes itself again: the execve
 * scalability test, where nothing but the exec is repeated.
 */
static int exec_run(struct worker *w)
{
	char nr[12];
	char *argv[] = { (char *)"pcpustat-exec", nr, NULL };
	char *envp[] = { NULL };
	int slots, program;

	snprintf(nr, sizeof(nr), "%u", w->idx);
	slots = lift(w->slots_fd);
	program = lift(w->program_fd);
	if (slots < 0 || program < 0 || dup2(slots, SLOT_FD) < 0 || dup2(program, PROGRAM_FD) < 0)
		return worker_fail(w, "dup2");
	execveat(PROGRAM_FD, "", argv, envp, AT_EMPTY_PATH);
	return worker_fail(w, "exec");
}

const struct workload bench_exec = {
	.name = "exec",
	.summary = "static programs that execute themselves again",
	.unit = "exec",
	.cost = { .mms = 1 },
	.run = exec_run,
};
