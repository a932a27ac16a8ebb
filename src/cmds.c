// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <string.h>

#include "util.h"

const struct cmd cmds[] = {
	{ "live", "[OPTIONS] [INTERVAL [COUNT]] [-- COMMAND [ARG...]]",
	  "a line an interval: allocations, lock waits, mm births, and their share", cmd_live },
	{ "flame",
	  "[--weight NAME] [--holders] [-o FILE] [-F FORMAT] [OPTIONS] [INTERVAL] [-- COMMAND...]",
	  "stacks of lock waits or allocations as a flame graph, also of recordings", cmd_flame },
	{ "record", "-o FILE[.gz] [OPTIONS] [INTERVAL [COUNT]] [-- COMMAND [ARG...]]",
	  "a run into a file, for every view to show with --from", cmd_record },
	{ "rss", "[census|error|watch|verify|what-if] [OPTIONS]",
	  "how rss_stat is kept here, whether it is right, and what it costs", cmd_rss },
	{ "doctor", "[-J]", "what this kernel and these privileges can measure, and why",
	  cmd_doctor },
	{ "bench", "[OPTIONS] [WORKLOAD...] | --compare A.json B.json [--force]",
	  "rates of fork, exec, threads and faults, and the allocator's part in them", cmd_bench },
	{ NULL, NULL, NULL, NULL },
};

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *c = cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int cmd_usage(const struct cmd *cmd)
{
	fprintf(stderr, "usage: pcpustat %s %s\n", cmd->name, cmd->args);
	return EXIT_USAGE;
}

void cmd_help(const struct cmd *cmd)
{
	printf("usage: pcpustat %s %s\n%s\nSee pcpustat(8) for the options.\n", cmd->name,
	       cmd->args, cmd->summary);
}
