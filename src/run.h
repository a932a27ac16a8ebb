/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run: a source on one side (the kernel, or a recording with --from), a command's output on the
 * other, and the snapshots between. All commands that measure over time share it.
 */
#ifndef PCPUSTAT_RUN_H
#define PCPUSTAT_RUN_H

#include "options.h"
#include "tape.h"

struct run {
	const struct options *opts;
	struct info info;
	struct live *live; /* NULL: from a recording */
	struct tape *tape;
	struct tape_out *record; /* -o of live and record: every snapshot goes there too */
	struct snap first, prev, cur;
	struct snap delta;      /* the interval; in end() the whole run */
	bool lost;              /* something was, in some interval */
	const char *incomplete; /* a recording that was cut: how; NULL: whole */
	int command_status;     /* of -- COMMAND, -1: none */
};

/*
 * NULL: nothing to do. begin returns 0 or an exit code after its message, the others 0 or -errno;
 * -EPIPE ends the run quietly.
 */
struct run_ops {
	int (*begin)(struct run *run, void *arg);    /* the source is open, nothing was read */
	int (*start)(struct run *run, void *arg);    /* the first snapshot is there */
	int (*interval)(struct run *run, void *arg); /* run->delta is an interval */
	int (*end)(struct run *run, void *arg);      /* run->delta is the whole run */
};

/* From the options to the exit code. */
int run_execute(struct run *run, const struct run_ops *ops, void *arg);
void run_free(struct run *run); /* and ends a recording that the run could not */

#endif
