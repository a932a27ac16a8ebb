/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads and the harness that runs them: worker processes that do one operation after another
 * and count them in a page shared with the bench. A workload is one struct in a file of its own.
 */
#ifndef PCPUSTAT_BENCH_H
#define PCPUSTAT_BENCH_H

#include "slot.h"
#include "util.h"

#include <signal.h>
#include <sys/resource.h>

#define MAX_WORKERS 1024

/* What a worker process knows. */
struct worker {
	struct slot *slot;
	unsigned int idx;
	int slots_fd;   /* the slots of all workers */
	int program_fd; /* the built-in program, for exec */
	void *priv;     /* the workload's own, made by its prepare */
};

/*
 * Percpu allocations of one operation, in terms of what the kernel decides: expected =
 * mms * (allocations of an mm's birth) + first_threads * (what an mm's first thread adds) + plain.
 */
struct op_cost {
	unsigned int mms;
	unsigned int first_threads;
	unsigned int plain;
};

struct workload {
	const char *name;
	const char *summary;
	const char *unit; /* what one operation is */
	struct op_cost cost;
	/* In the worker, before the start: 0 or -errno. May be NULL. */
	int (*prepare)(struct worker *w);
	/* One operation: 0 or -errno with slot->what set. */
	int (*op)(struct worker *w);
	/* Instead of op: the worker's whole run, counting in slot->ops itself. */
	int (*run)(struct worker *w);
};

extern const struct workload bench_exec;
extern const struct workload bench_fork;

/* For a workload: the operation failed with errno in what; returns -errno. */
int worker_fail(struct worker *w, const char *what);

struct bench_opts {
	const struct workload *wl;
	unsigned int workers;
	u64 ops_limit; /* per worker, 0: until bench_stop */
};

struct bench;

/*
 * Forks the workers and waits until all are prepared; none has begun. SIGINT, SIGTERM and SIGHUP
 * stay blocked until bench_free, and end a bench_wait. Returns 0 or -errno after one message.
 */
int bench_new(struct bench **out, const struct bench_opts *opts);

/* Starts all workers at once. */
void bench_start(struct bench *b);

/*
 * Waits until all workers have ended, or until the time CLOCK_MONOTONIC deadline_ns. Returns 1
 * when all have ended, 0 at the deadline, -EINTR after a signal, or, after one message, -errno of
 * the first worker that failed (-ECHILD: it was killed).
 */
int bench_wait(struct bench *b, u64 deadline_ns);

/* Asks the workers to end after their present operation; bench_wait sees them go. */
void bench_stop(struct bench *b);

u64 bench_ops(const struct bench *b);
const struct slot *bench_slot(const struct bench *b, unsigned int worker);

/* Resources of the workers that have ended, their children included. */
void bench_usage(const struct bench *b, struct rusage *sum);

/* Kills and reaps what still runs, descendants too, and gives everything back. NULL is fine. */
void bench_free(struct bench *b);

static inline void bench_freep(struct bench **b)
{
	bench_free(*b);
}

/*
 * The built-in program, ready to be executed by execveat(fd, "", ..., AT_EMPTY_PATH). It lives in
 * a memfd or, where those may not be executed, in an unlinked file under $TMPDIR. Returns a
 * descriptor or, after one message, -errno (-EACCES: noexec, -EROFS: read-only).
 */
int program_open(void);

/*
 * A small mixed load in the background, as a demonstration: workers that exec and workers that
 * fork, for duration_ns. Returns the pid of the process that does it, a child to be waited for
 * (exit code 0 when all went well), or -errno. It ends early on SIGTERM and with its parent.
 */
pid_t bench_demo_load(unsigned int workers, u64 duration_ns);

#endif
