/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests that are kernel modules: loaded with parameters, their result read from the kernel log. */
#ifndef PCPUSTAT_BENCH_MODULE_H
#define PCPUSTAT_BENCH_MODULE_H

#include "bench.h"

struct module_run {
	const char *name;
	char params[256]; /* NAME=VALUE, blanks between */
	bool callbacks;   /* RCU may call its code after its result; it does not wait for that */
	/* A line of the log, without its prefix: 1 when it ends the run, 0, or -errno. */
	int (*line)(const char *line, struct drive *d);
};

/*
 * "a=1,b=2" behind what is in params. module=PATH in args is not a parameter but the file to
 * load; without it modprobe finds the module. Returns 0 or, after one message, EXIT_USAGE.
 */
int module_params(struct module_run *run, const char *args, char *file, size_t len);

/*
 * Loads the module, waits for its result and unloads it. 0, or an exit code after one message. With
 * callbacks it is unloaded only when RCU has no more of them, which a signal does not cut short; else
 * it stays.
 */
int module_drive(const struct module_run *run, const char *file, struct drive *d);

/* The lines that the modules end with; as struct module_run's line. */
int flood_line(const char *line, struct drive *d);
int kfree_line(const char *line, struct drive *d);

#endif
