/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a worker and the bench share: one page each, so that a program of a few hundred bytes can
 * map it with a single fault, and no two workers write to one cache line.
 */
#ifndef PCPUSTAT_SLOT_H
#define PCPUSTAT_SLOT_H

#define SLOT_BYTES 4096

/* Descriptors that the built-in program finds open, see src/payload/payload.c. */
enum { SLOTS_FD = 3, PROGRAM_FD, READY_FD, GO_FD, NR_PROGRAM_FDS };

/* What the built-in program does in its operations: its second argument. */
#define ROLE_EXEC     'x' /* executes itself */
#define ROLE_FORK     'f' /* forks a child that exits, waits */
#define ROLE_FORKEXEC 'e' /* forks a child that executes the program as a /bin/true, waits */
#define ROLE_THREAD   't' /* forks a child that makes threads and exits, waits */

/* Threads after the first that a child of ROLE_THREAD makes, one after another. */
#define FURTHER_THREADS 7

/* Parts of an operation that are timed apart. */
enum { PART_FIRST_THREAD, PART_FURTHER_THREADS, NR_PARTS };

struct slot {
	unsigned int stop;        /* set by the bench: finish after this operation */
	int err;                  /* set by the worker: negative errno that ended it */
	unsigned long long limit; /* operations after which it ends, 0: none */
	unsigned long long ops;   /* finished operations */
	unsigned long long part_ns[NR_PARTS];
	unsigned long long part_count[NR_PARTS];
	char what[32]; /* what failed with err */
};

#endif
