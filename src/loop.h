/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One loop for all that waits: signals and timers as file descriptors. Only while something writes,
 * and may block, does a handler take note of a signal: see loop_unblock().
 */
#ifndef PCPUSTAT_LOOP_H
#define PCPUSTAT_LOOP_H

#include <signal.h>
#include <sys/types.h>

#include "util.h"

enum loop_event { LOOP_TICK, LOOP_POLL, LOOP_CHILD, LOOP_STOP };

struct loop {
	int signals;
	int timer;
	sigset_t old_mask;
	pid_t child; /* 0: none */
	int child_status;
	u64 poll_ns; /* shorter wake-ups between ticks, 0: none */
};

/* Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD, ticks each interval. 0 or -errno. */
int loop_open(struct loop *l);
int loop_start(struct loop *l, u64 interval_ns);
enum loop_event loop_wait(struct loop *l);
bool loop_stopped(void); /* has a signal come, while we waited or while we wrote? */
/* A child that still runs goes on, unless a signal stopped us: then it gets SIGTERM. */
void loop_close(struct loop *l);

/*
 * Between these a signal interrupts what blocks, so that a reader that has stopped reading, or a
 * FIFO without one, cannot hold us; loop_block says whether there was one.
 */
void loop_unblock(void);
bool loop_block(void);

/*
 * Forks a child that executes argv once loop_release is called: its own start is not measured.
 * 0 or -errno; loop_release returns -errno of the exec.
 */
int loop_spawn(struct loop *l, char **argv, int gate[2]);
int loop_release(struct loop *l, int gate[2]);

#endif
