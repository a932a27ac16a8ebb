/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a worker and the bench share: one page each, so that a program of a few hundred bytes can
 * map it with a single fault, and no two workers write to one cache line.
 */
#ifndef PCPUSTAT_SLOT_H
#define PCPUSTAT_SLOT_H

#define SLOT_BYTES 4096

/* Descriptors of the built-in program, see src/payload/payload.c. */
#define SLOT_FD    3 /* the slots */
#define PROGRAM_FD 4 /* the program itself */

struct slot {
	unsigned int stop;             /* set by the bench: finish after this operation */
	int err;                       /* set by the worker: negative errno that ended it */
	unsigned long long limit;      /* operations after which it ends, 0: none */
	unsigned long long ops;        /* finished operations */
	unsigned long long part_ns[2]; /* times of parts of an operation, see struct workload */
	unsigned long long part_count[2];
	char what[32]; /* what failed with err */
};

#endif
