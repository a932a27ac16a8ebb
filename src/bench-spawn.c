// SPDX-License-Identifier: GPL-2.0-only
#include "bench-workloads.h"

#include <errno.h>
#include <fcntl.h>

/* Names the program for a child, so it must not be closed before the child's exec. */
static int open_program(struct worker *w)
{
	char *path;
	int fd = fcntl(w->program_fd, F_DUPFD, 0);

	if (fd < 0 || asprintf(&path, "/proc/self/fd/%d", fd) < 0)
		return worker_fail(w, "program");
	w->priv = path;
	return 0;
}

static int spawn_op(struct worker *w)
{
	char *argv[] = { (char *)"true", NULL };

	return worker_spawn(w, w->priv, argv);
}

/* The first spawn of a process can allocate more than later ones (its futex hash): not counted. */
static int spawn_prepare(struct worker *w)
{
	int err = open_program(w);

	return err ? err : spawn_op(w);
}

/* The loop of a shell: one /bin/true after another on one CPU. */
const struct workload bench_spawn = {
	.name = "spawn",
	.summary = "posix_spawn of a /bin/true, one after another, each worker on one CPU",
	.unit = "spawn",
	.cost = { .mms = 1 },
	.pin = true,
	.prepare = spawn_prepare,
	.op = spawn_op,
};

static int shell_op(struct worker *w)
{
	char *argv[] = { (char *)"sh", (char *)"-c", w->priv, NULL };

	return worker_spawn(w, "/bin/sh", argv);
}

/* exec, so that no shell's own choice between fork and exec decides the count. */
static int shell_prepare(struct worker *w)
{
	_cleanup_free_ char *path = NULL;
	char *command;
	int err = open_program(w);

	path = w->priv;
	if (err)
		return err;
	if (asprintf(&command, "exec %s", path) < 0)
		return worker_fail(w, "sh");
	w->priv = command;
	return shell_op(w);
}

const struct workload bench_shell = {
	.name = "shell",
	.summary = "posix_spawn of sh -c 'exec PROGRAM'",
	.unit = "sh -c",
	.cost = { .mms = 2 },
	.prepare = shell_prepare,
	.op = shell_op,
};
