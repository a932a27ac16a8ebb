/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that the live view shares with other views of the same data. */
#ifndef PCPUSTAT_OPTIONS_H
#define PCPUSTAT_OPTIONS_H

#include "cmd.h"
#include "live.h"
#include "view.h"

struct options {
	struct live_opts live;
	enum by by;
	const char *sort;
	u64 top;
	u64 interval_ns;
	u64 count; /* 0: until a signal, or until the command ends */
	bool json;
	bool timestamps;
	bool strict;
	const char *from;
	char **command; /* NULL: none */
	bool *cpus;
};

/*
 * Parses argv[1..] of a view. Returns 0, or an exit code after one message and the usage line;
 * -1 when --help or --json-schema was answered and there is nothing more to do.
 */
int options_parse(const struct cmd *cmd, int argc, char **argv, struct options *o);
void options_free(struct options *o);

#endif
