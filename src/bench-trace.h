/* SPDX-License-Identifier: GPL-2.0-only */
/* The live source around one round. */
#ifndef PCPUSTAT_BENCH_TRACE_H
#define PCPUSTAT_BENCH_TRACE_H

#include "bench-result.h"
#include "live.h"

struct trace {
	struct live *live; /* NULL: not traced */
	struct info info;
	struct snap before, after, delta;
};

/*
 * Attaches and takes the first snapshot. cgroup: only what runs in it, NULL: all. locks: addresses
 * that are known from earlier rounds. Returns 0 or an exit code after one message.
 */
int trace_open(struct trace *t, const char *cgroup, const struct lock_info *locks);

/* Looks for lock addresses; true while some are still to be learned. */
bool trace_poll(struct trace *t);

/* Takes the second snapshot: counts into r, what was learned into locks. As trace_open. */
int trace_read(struct trace *t, struct lock_info *locks, struct bench_round *r);

/* After trace_read: the stacks that waited, into the case's sums. 0 or -ENOMEM. */
int trace_stacks(const struct trace *t, struct bench_case *c);

void trace_close(struct trace *t);

#endif
