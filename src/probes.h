/* SPDX-License-Identifier: GPL-2.0-only */
/* Backends of the signals: ordered candidates, the first that this kernel takes wins. */
#ifndef PCPUSTAT_PROBES_H
#define PCPUSTAT_PROBES_H

#include "info.h"
#include "trial.h"

#define MAX_USES 8

struct prog_use {
	const char *prog; /* name in the BPF object */
	enum hook hook;
	const char *target;
};

struct backend {
	enum signal_id signal;
	const char *name;
	int needs[3]; /* facts, as id + 1, 0: none; negative: must be absent */
	struct prog_use uses[MAX_USES];
};

/*
 * Best backend of the signal, or the one that is forced by name ("none": off). *out is NULL when
 * there is none. Returns 0, or -EINVAL for a name that this signal does not have, -ENOTSUP for
 * one that this kernel does not take.
 */
int probes_choose(enum signal_id signal, const char *forced, const struct backend **out);

/* Calls each for every backend of the signal that this kernel takes, best first. */
void probes_each(enum signal_id signal, void (*each)(void *arg, const char *name), void *arg);

/* Names of a signal's backends, "tp_btf, raw_tp, tp", for messages. */
const char *probes_names(enum signal_id signal, char *buf, size_t len);

/*
 * The function that a kprobe target means on this kernel: pcpu_alloc_noprof for pcpu_alloc, a
 * .isra or .constprop copy, and the one mm_init that is not init code. *addr 0: go by name.
 */
const char *probes_function(const char *target, u64 *addr);

#endif
