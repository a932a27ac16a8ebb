/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that the live view shares with other views of the same data. */
#ifndef PCPUSTAT_OPTIONS_H
#define PCPUSTAT_OPTIONS_H

#include "cmd.h"
#include "live.h"
#include "view.h"

struct option; /* <getopt.h> */

/* What one command takes besides. parse returns 0 or an exit code after its message. */
struct options_extra {
	const struct option *longs; /* ends with a NULL name; values from OPT_EXTRA on */
	const char *shorts;         /* as for getopt */
	int (*parse)(void *arg, int c, const char *value);
	void *arg;
};
#define OPT_EXTRA 1024

struct options {
	const struct options_extra *extra; /* set before options_parse; NULL: none */
	struct live_opts live;
	enum by by;
	const char *sort;
	u64 top;
	u64 interval_ns;
	u64 count; /* 0: until a signal, or until the command ends */
	bool json;
	bool timestamps;
	bool strict;
	u64 reattach; /* times, before the run: for tests */
	const char *from;
	const char *output;  /* -o */
	const char *record;  /* every snapshot goes to this file too */
	const char **second; /* flame --diff A: takes B, which stands where an interval does */
	bool interval_given;
	bool backend_given;
	bool keep_splits; /* a recording's stacks stay split by comm, cgroup and user stack */
	char **command;   /* NULL: none */
	bool *cpus;
};

/*
 * Parses argv[1..] of a view. Returns 0, or an exit code after one message and the usage line;
 * -1 when --help or --json-schema was answered and there is nothing more to do.
 */
int options_parse(const struct cmd *cmd, int argc, char **argv, struct options *o);
void options_free(struct options *o);

/* --lock NAME, added to set[NR_LOCKS]; 0 or EXIT_USAGE after its message. */
int options_lock(const struct cmd *cmd, const char *arg, bool *set);

#endif
