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

/* What a worker knows. */
struct worker {
	struct slot *slot;
	unsigned int idx;
	int slots_fd;   /* the slots of all workers */
	int program_fd; /* the built-in program, for exec */
	int ready_fd;   /* takes one byte when the worker is prepared */
	int go_fd;      /* ends when it may start */
	void *shared;   /* what the workload's open() made */
	void *priv;     /* the workload's own, made by its prepare() */
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

/* A run that the kernel does by itself, and how it went. */
struct drive {
	unsigned int workers;
	const char *args; /* module parameters, NAME=VALUE with commas between; "" for none */
	u64 ops;
	u64 elapsed_ns;
	u64 grace_periods;   /* ~0: not told */
	u64 footprint_bytes; /* memory waiting to be freed at most, ~0: not told */
	u64 passes;          /* blocking percpu allocations, ~0: not told */
};

struct workload {
	const char *name;
	const char *summary;
	const char *unit; /* what one operation is */
	struct op_cost cost;
	bool pin;     /* each worker keeps to one CPU, whatever the options say */
	bool threads; /* workers are threads of one process */
	char role;    /* of the built-in program, which does the work instead of op; or 0 */
	/* In the bench, before the workers are made and after they have gone. May be NULL. */
	int (*open)(void **shared);
	void (*close)(void *shared);
	/* In the worker, before the start: 0 or -errno with slot->what set. May be NULL. */
	int (*prepare)(struct worker *w);
	/* One operation: 0 or -errno with slot->what set. */
	int (*op)(struct worker *w);
	/*
	 * Instead of all of the above, with no workers of ours: 0, or an exit code after one
	 * message (EXIT_KERNEL: this kernel cannot).
	 */
	int (*drive)(struct drive *d);
};

extern const struct workload *const workloads[]; /* ends with NULL */

/*
 * By the name before a colon in spec; NULL when there is none. What follows the colon goes to
 * *args ("" without) and is for workloads that the kernel does itself.
 */
const struct workload *workload_find(const char *spec, const char **args);

/* For a workload: the operation failed with errno in what; returns -errno. */
int worker_fail(struct worker *w, const char *what);

/* For a workload: runs path as a program and waits until it has ended with 0. 0 or -errno. */
int worker_spawn(struct worker *w, const char *path, char *const argv[]);

struct bench_opts {
	const struct workload *wl;
	unsigned int workers; /* 1 to MAX_WORKERS */
	u64 ops_limit;        /* per worker, 0: until bench_stop */
	bool pin;             /* each worker keeps to one of the CPUs that we may use, in turn */
	const char *cgroup;   /* directory of a cgroup for the workers, NULL: ours */
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

/* Operations so far, of all workers. */
u64 bench_ops(const struct bench *b);

/* One of the timed parts of an operation, over all workers. */
void bench_part(const struct bench *b, int part, u64 *ns, u64 *count);

/* Resources of the workers that have ended, their children included. */
void bench_usage(const struct bench *b, struct rusage *sum);

/* Kills and reaps what still runs, descendants too, and gives everything back. NULL is fine. */
void bench_free(struct bench *b);

static inline void bench_freep(struct bench **b)
{
	bench_free(*b);
}

/* The worker's side, called once in the worker: returns 0 or -errno. */
int worker_run(const struct bench_opts *opts, struct worker *w);

/*
 * The built-in program, ready to be executed by execveat(fd, "", ..., AT_EMPTY_PATH). It lives in
 * a memfd or, where those may not be executed, in an unlinked file under $TMPDIR. Returns a
 * descriptor or, after one message, -errno (-EACCES: noexec, -EROFS: read-only).
 */
int program_open(void);

/* Turns this worker into the built-in program, in that role; returns only with -errno. */
int program_become(struct worker *w, char role);

/*
 * n files with the built-in program, DIR/0 to DIR/n-1, in a private directory under $TMPDIR, whose
 * name goes to *dir. Returns 0 or, after one message, -errno, and then nothing is left.
 */
int program_files(unsigned int n, char **dir);
void program_files_remove(unsigned int n, char *dir); /* frees dir, too */

/*
 * A small mixed load in the background, as a demonstration: workers that exec and workers that
 * fork, for duration_ns. Returns the pid of the process that does it, a child to be waited for
 * (exit code 0 when all went well), or -errno. It ends early on SIGTERM and with its parent.
 */
pid_t bench_demo_load(unsigned int workers, u64 duration_ns);

#endif
