// SPDX-License-Identifier: GPL-2.0-only
#include "cmd-rss.h"

#include <getopt.h>
#include <string.h>

#include "cmd.h"

static const struct rss_cmd {
	const char *name, *args, *summary;
	bool rows; /* takes -E, -k, -p and --by */
	int (*run)(const struct rss_opts *o);
} subs[] = {
	{ "census", "[-J] [-E N] [-k KEY] [-p PID] [--by process|cgroup|mode]",
	  "every mm and how it counts its memory (the default)", true, cmd_rss_census },
	{ "error", "[-J] [-E N] [-k KEY] [-p PID]",
	  "how far RSS is from the truth, worst first, and what it does to the OOM order", true,
	  cmd_rss_error },
	{ "watch", "[-J] [INTERVAL [COUNT]]", "births, deaths and mode switches as they happen",
	  false, cmd_rss_watch },
	{ "verify", "[-J] [DURATION]", "checks invariants while it runs; exit 5 on a violation",
	  false, cmd_rss_verify },
	{ "what-if", "[-J] [DURATION]", "what another mode would save on this host", false,
	  cmd_rss_what_if },
};

static void print_usage(FILE *f)
{
	fputs("usage: pcpustat rss [SUBCOMMAND] [OPTIONS]\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(subs); i++)
		fprintf(f, "  %-8s %s\n           %s\n", subs[i].name, subs[i].args,
			subs[i].summary);
	fputs("  -J  JSON Lines    -E N  at most N rows (0: all)    -p PID  this process only\n"
	      "  -k  rss file anon swap shmem error threads mms pid\n",
	      f);
}

static int usage(void)
{
	print_usage(stderr);
	return EXIT_USAGE;
}

static int parse_key(const char *s, struct rss_opts *o)
{
	for (int i = 0; i < NR_RSS_KEYS; i++) {
		if (strcmp(s, rss_key_names[i]))
			continue;
		o->key = i;
		o->key_given = true;
		return 0;
	}
	return fail(EXIT_USAGE, "no such sort key: %s", s);
}

static int parse_by(const char *s, struct rss_opts *o)
{
	static const char *const names[] = { "process", "cgroup", "mode" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(s, names[i]))
			continue;
		o->by = i;
		o->by_given = true;
		return 0;
	}
	return fail(EXIT_USAGE, "--by process, cgroup or mode, not %s", s);
}

static int parse_option(int c, struct rss_opts *o)
{
	u64 v;

	switch (c) {
	case 'J':
		o->json = true;
		return 0;
	case 'E':
		if (parse_u64(optarg, 0, 1000000, &v))
			return fail(EXIT_USAGE, "not a number of rows: %s", optarg);
		o->rows = v;
		o->rows_given = true;
		return 0;
	case 'p':
		if (parse_u64(optarg, 1, 1 << 30, &v))
			return fail(EXIT_USAGE, "not a process id: %s", optarg);
		if (ids_differ())
			return fail(EXIT_USAGE, "-p: %s", ids_differ());
		o->pid = v;
		return 0;
	case 'k':
		return parse_key(optarg, o);
	case 'b':
		return parse_by(optarg, o);
	case 'h':
		print_usage(stdout);
		o->help = true;
		return 0;
	default:
		return usage();
	}
}

static int parse(int argc, char **argv, struct rss_opts *o)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'J' },
		{ "by", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	int c, err = 0;

	optind = 0;
	while (!err && !o->help && (c = getopt_long(argc, argv, "JE:k:p:h", longs, NULL)) != -1)
		err = parse_option(c, o);
	o->nr_args = argc - optind;
	o->args = argv + optind;
	return err;
}

int cmd_rss(int argc, char **argv)
{
	struct rss_opts o = {};
	int err = parse(argc, argv, &o);

	if (err || o.help)
		return err;
	if (!o.nr_args)
		return cmd_rss_census(&o);
	for (size_t i = 0; i < ARRAY_SIZE(subs); i++) {
		if (strcmp(o.args[0], subs[i].name))
			continue;
		if (!subs[i].rows && (o.rows_given || o.key_given || o.by_given || o.pid))
			return fail(EXIT_USAGE, "-E, -k, -p and --by are not for rss %s",
				    subs[i].name);
		o.nr_args--;
		o.args++;
		return subs[i].run(&o);
	}
	msg("no such subcommand: %s", o.args[0]);
	return usage();
}
