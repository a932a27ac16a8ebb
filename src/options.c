// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "render.h"

#define MIN_INTERVAL_NS (NSEC_PER_SEC / 100)
#define MAX_INTERVAL_NS (86400 * NSEC_PER_SEC)
#define DEFAULT_TOP     10
#define MAX_EXTRA       16

enum {
	OPT_BY = 256,
	OPT_FROM,
	OPT_BACKEND,
	OPT_SCHEMA,
	OPT_STRICT,
	OPT_MIN_WAIT,
	OPT_SITES,
	OPT_NO_OWNERS,
	OPT_REATTACH,
	OPT_FIND_LOCKS,
};

static const struct option long_options[] = {
	{ "json", no_argument, NULL, 'J' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "entries", required_argument, NULL, 'E' },
	{ "key", required_argument, NULL, 'k' },
	{ "timestamps", no_argument, NULL, 'T' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ "by", required_argument, NULL, OPT_BY },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "min-wait", required_argument, NULL, OPT_MIN_WAIT },
	{ "no-owners", no_argument, NULL, OPT_NO_OWNERS },
	{ "json-schema", no_argument, NULL, OPT_SCHEMA },
	{ "backend", required_argument, NULL, OPT_BACKEND },
	{ "find-locks", required_argument, NULL, OPT_FIND_LOCKS }, /* for tests of each way */
	{ "reattach", required_argument, NULL, OPT_REATTACH },     /* for tests of attaching */
	{ "sites", required_argument, NULL, OPT_SITES },           /* for tests of a full table */
	{ NULL, 0, NULL, 0 },
};

static int bad(const struct cmd *cmd, const char *what, const char *value, const char *want)
{
	msg("bad %s '%s': %s", what, value, want);
	return cmd_usage(cmd);
}

/* Pids or tids, each of which has to exist. */
static int parse_ids(const struct cmd *cmd, struct options *o, const char *arg, bool tids)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy, *item, path[64];
	u64 id;

	if (o->live.nr_ids && o->live.ids_are_tids != tids)
		return bad(cmd, "filter", arg, "-p and -t exclude each other");
	while (copy && (item = strsep(&rest, ","))) {
		if (ids_differ())
			return bad(cmd, "filter", arg, ids_differ());
		if (parse_u64(item, 1, 4194304, &id))
			return bad(cmd, tids ? "tid" : "pid", item, "1 to 4194304 is wanted");
		snprintf(path, sizeof(path), "/proc/%llu", id);
		if (access(path, F_OK))
			return bad(cmd, tids ? "tid" : "pid", item, "no such process");
		if (o->live.nr_ids == NR_FILTER)
			return bad(cmd, "filter", arg, "at most 64 ids");
		o->live.ids[o->live.nr_ids++] = id;
	}
	o->live.ids_are_tids = tids;
	return 0;
}

static int parse_cpus(const struct cmd *cmd, struct options *o, const char *arg)
{
	int n = libbpf_num_possible_cpus();

	free(o->cpus);
	o->cpus = calloc(n, sizeof(*o->cpus));
	o->live.cpus = o->cpus;
	if (!o->cpus || parse_ranges(arg, o->cpus, n))
		return bad(cmd, "CPU list", arg, "e.g. 0,2-5, below the number of possible CPUs");
	return 0;
}

static int parse_by(const struct cmd *cmd, struct options *o, const char *arg)
{
	for (int by = BY_SITE; by < NR_BY; by++) {
		if (!strcmp(arg, by_names[by])) {
			o->by = by;
			return 0;
		}
	}
	return bad(cmd, "--by", arg, "site, stack, process, comm, cgroup or size");
}

/* SIGNAL=NAME; the name is checked against the table when it is used. */
static int parse_backend(const struct cmd *cmd, struct options *o, const char *arg)
{
	const char *eq = strchr(arg, '=');

	for (int i = 0; eq && i < NR_SIGNALS; i++) {
		if (strlen(signal_names[i]) == (size_t)(eq - arg) &&
		    !strncmp(arg, signal_names[i], eq - arg)) {
			o->live.backend[i] = eq + 1;
			o->backend_given = true;
			return 0;
		}
	}
	return bad(cmd, "--backend", arg,
		   "SIGNAL=NAME with allocations, latency, lock_waits or "
		   "mm_life");
}

static int parse_number(const struct cmd *cmd, const char *what, const char *arg, u64 min, u64 max,
			u64 *out)
{
	char want[64];

	if (!parse_u64(arg, min, max, out))
		return 0;
	snprintf(want, sizeof(want), "a number from %llu to %llu is wanted", min, max);
	return bad(cmd, what, arg, want);
}

static int parse_sites(const struct cmd *cmd, struct options *o, const char *arg)
{
	u64 n = 0;
	int err = parse_number(cmd, "--sites", arg, SITE_PROBES, NR_SITES, &n);

	if (!err && n & (n - 1))
		return bad(cmd, "--sites", arg, "a power of two is wanted");
	o->live.nr_sites = n;
	return err;
}

static int parse_option(const struct cmd *cmd, struct options *o, int c, const char *arg)
{
	switch (c) {
	case 'J':
		o->json = true;
		return 0;
	case 'T':
		o->timestamps = true;
		return 0;
	case 'p':
	case 't':
		return parse_ids(cmd, o, arg, c == 't');
	case 'C':
		return parse_cpus(cmd, o, arg);
	case 'G':
		o->live.cgroup = arg;
		return 0;
	case 'E':
		return parse_number(cmd, "-E", arg, 1, 100000, &o->top);
	case 'k':
		o->sort = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_BY:
		return parse_by(cmd, o, arg);
	case OPT_FROM:
		o->from = strcmp(arg, "-") ? arg : "/dev/stdin";
		return 0;
	case OPT_STRICT:
		o->strict = true;
		return 0;
	case OPT_MIN_WAIT:
		if (parse_duration(arg, &o->live.min_wait_ns))
			return bad(cmd, "--min-wait", arg, "a duration such as 100us is wanted");
		return 0;
	case OPT_NO_OWNERS:
		o->live.no_owners = true;
		return 0;
	case OPT_REATTACH:
		return parse_number(cmd, "--reattach", arg, 1, 100000, &o->reattach);
	case OPT_FIND_LOCKS:
		o->live.find_locks = arg;
		return 0;
	case OPT_BACKEND:
		return parse_backend(cmd, o, arg);
	case OPT_SITES:
		return parse_sites(cmd, o, arg);
	default:
		return cmd_usage(cmd); /* getopt has said what is wrong */
	}
}

static int parse_positional(const struct cmd *cmd, struct options *o, int n, char **args)
{
	if (o->second && n > 0) {
		*o->second = args[0];
		return n > 1 ? bad(cmd, "argument", args[1], "two recordings are enough") : 0;
	}
	if (n > 2)
		return bad(cmd, "argument", args[2], "a command goes behind --");
	if (n > 0 && (parse_duration(args[0], &o->interval_ns) ||
		      o->interval_ns < MIN_INTERVAL_NS || o->interval_ns > MAX_INTERVAL_NS))
		return bad(cmd, "interval", args[0], "10ms to 24h, in seconds without a unit");
	o->interval_given = n > 0;
	if (n > 0 && o->from)
		return bad(cmd, "interval", args[0], "a recording has its own");
	if (n > 1)
		return parse_number(cmd, "count", args[1], 1, 1ULL << 40, &o->count);
	return 0;
}

static const enum row_by rows_of[NR_BY] = {
	[BY_PROCESS] = ROW_PROCESS,
	[BY_CGROUP] = ROW_CGROUP,
	[BY_COMM] = ROW_COMM,
};

/* What follows from the options together. */
static int finish(const struct cmd *cmd, struct options *o)
{
	if (o->sort && (o->by == BY_NONE || !view_has_key(o->by, o->sort)))
		return bad(cmd, "-k", o->sort, "a column with numbers of the --by table is wanted");
	if (o->from && o->output && same_file(o->from, o->output))
		return bad(cmd, "-o", o->output, "that is the recording itself");
	if (o->live.follow && ids_differ())
		return bad(cmd, "option", "--follow", ids_differ());
	o->live.row_by = rows_of[o->by];
	o->live.stacks = o->by == BY_STACK;
	return 0;
}

/* Everything behind -- is the command; returns how many words stand before it. */
static int split_command(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		o->command = argv + i + 1;
		return i;
	}
	return argc;
}

/* The command's own options behind the common ones. */
static void merge_extra(const struct options_extra *extra, struct option *longs, char *shorts,
			size_t len)
{
	size_t n = ARRAY_SIZE(long_options) - 1;

	memcpy(longs, long_options, n * sizeof(*longs));
	for (size_t i = 0; extra && i < MAX_EXTRA && extra->longs[i].name; i++)
		longs[n++] = extra->longs[i];
	longs[n] = long_options[ARRAY_SIZE(long_options) - 1];
	snprintf(shorts, len, "JTp:t:C:G:E:k:o:h%s", extra ? extra->shorts : "");
}

int options_lock(const struct cmd *cmd, const char *arg, bool *set)
{
	for (int i = 0; i < NR_LOCKS; i++) {
		if (!strcmp(arg, lock_names[i])) {
			set[i] = true;
			return 0;
		}
	}
	return bad(cmd, "--lock", arg, "pcpu_alloc_mutex, pcpu_lock or percpu_counters_lock");
}

int options_parse(const struct cmd *cmd, int argc, char **argv, struct options *o)
{
	struct option longs[ARRAY_SIZE(long_options) + MAX_EXTRA];
	char shorts[64];
	int before = split_command(argc, argv, o), c, err = 0;
	char *cut = before < argc ? argv[before] : NULL;

	o->top = DEFAULT_TOP;
	o->interval_ns = NSEC_PER_SEC;
	if (o->command && !*o->command)
		return bad(cmd, "command", "", "there is none behind --");
	argv[before] = NULL;
	optind = 0;
	merge_extra(o->extra, longs, shorts, sizeof(shorts));
	while (!err && (c = getopt_long(before, argv, shorts, longs, NULL)) != -1) {
		if (c == 'h') {
			cmd_help(cmd);
			return -1;
		}
		if (c == OPT_SCHEMA) {
			err = json_schema(stdout);
			if (err)
				return stdout_failed(err);
			return -1;
		}
		if (c >= OPT_EXTRA ||
		    (c < 128 && c != '?' && o->extra && strchr(o->extra->shorts, c)))
			err = o->extra->parse(o->extra->arg, c, optarg);
		else
			err = parse_option(cmd, o, c, optarg);
	}
	if (!err)
		err = parse_positional(cmd, o, before - optind, argv + optind);
	argv[before] = cut;
	return err ? err : finish(cmd, o);
}

void options_free(struct options *o)
{
	free(o->cpus);
}
