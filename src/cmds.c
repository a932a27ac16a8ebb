// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <string.h>

#include "util.h"

#define FILTERS                                                                               \
	"  -p, --pid PID,...      -t, --tid TID,...     of these processes or threads only\n" \
	"  -G, --cgroup PATH      -C, --cpu LIST        of this cgroup, on these CPUs only\n"

#define MEASURING                                                                       \
	"  --min-wait DURATION    shorter waits get no row of a stack\n"                \
	"  --no-owners            no stack for each new allocation site\n"              \
	"  --backend SIGNAL=NAME  another backend than the best, see pcpustat doctor\n" \
	"  --strict               exit 6 when anything was lost\n"

#define STACKS                                                                                \
	"  --lock NAME            pcpu_alloc_mutex, pcpu_lock or percpu_counters_lock only\n" \
	"  --cgroups              stacks are told apart by cgroup\n"                          \
	"  --user-stacks          the user frames of who waits, too\n"                        \
	"  --follow               only COMMAND and its descendants\n"

static const char live_options[] =
	"  --by WHAT              site, stack, process, comm, cgroup or size: a table\n"
	"  -E, --entries N        rows of the table (10)\n"
	"  -k, --key [-]COLUMN    sorts it, by a key of -J\n" FILTERS
	"  -J, --json             JSON Lines         --json-schema  what they look like\n"
	"  -T, --timestamps       the time of day on each line\n"
	"  -o, --output FILE      the run into a recording besides\n"
	"  --from FILE            shows a recording instead of this host\n" MEASURING;

static const char flame_options[] =
	"  -o, --output FILE      -F, --format folded|svg|pprof|speedscope\n"
	"  --weight NAME          wait, sleep, spin, count, latency, allocs or bytes\n"
	"  --holders              of those who let others wait\n"
	"  --comm                 a frame for the command's name\n" STACKS
	"  --from FILE            of a recording     --diff BEFORE AFTER  of two\n" FILTERS MEASURING;

static const char record_options[] =
	"  -o, --output FILE      compressed when it ends in .gz\n" STACKS
	"  --call-stacks          stacks of the calls of pcpu_alloc, with the time they take\n"
	"  --by WHAT              process (the default), comm or cgroup: which rows to keep\n" FILTERS
		MEASURING;

static const char bench_options[] =
	"  -n, --workers LIST     such as 1,2,max    --pin  each to a CPU of its own\n"
	"  -d, --duration TIME    or -c, --ops N     of a round\n"
	"  -r, --rounds N         with and without tracing in turn, or --no-trace\n"
	"  -J, --json             JSON Lines         --save FILE  for --compare\n"
	"  --compare A B          two results        --force  also of unlike runs\n"
	"  --list                 the workloads      --demo TIME  a small load to look at\n";

const struct cmd cmds[] = {
	{ "live", "[OPTIONS] [INTERVAL [COUNT]] [-- COMMAND [ARG...]]",
	  "a line an interval: allocations, lock waits, mm births, and their share", live_options,
	  cmd_live },
	{ "flame",
	  "[--weight NAME] [--holders] [-o FILE] [-F FORMAT] [OPTIONS] [INTERVAL] [-- COMMAND...]",
	  "stacks of lock waits or allocations as a flame graph, also of recordings", flame_options,
	  cmd_flame },
	{ "record", "-o FILE[.gz] [OPTIONS] [INTERVAL [COUNT]] [-- COMMAND [ARG...]]",
	  "a run into a file, for every view to show with --from", record_options, cmd_record },
	{ "rss", "[census|error|watch|verify|what-if] [OPTIONS]",
	  "how rss_stat is kept here, whether it is right, and what it costs", "", cmd_rss },
	{ "doctor", "[-J]", "what this kernel and these privileges can measure, and why",
	  "  -J, --json             one JSON object\n", cmd_doctor },
	{ "bench", "[OPTIONS] [WORKLOAD...] | --compare A.json B.json [--force]",
	  "rates of fork, exec, threads and faults, and the allocator's part in them",
	  bench_options, cmd_bench },
	{ NULL, NULL, NULL, NULL, NULL },
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
	printf("usage: pcpustat %s %s\n%s\n\n%s\nMore in pcpustat(8).\n", cmd->name, cmd->args,
	       cmd->summary, cmd->options);
}
