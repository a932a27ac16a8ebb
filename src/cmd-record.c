// SPDX-License-Identifier: GPL-2.0-only
/* Writes a run into a file, from which every view can show it later. */
#include <getopt.h>
#include <string.h>

#include "run.h"

struct record {
	struct options opts;
	bool locks[NR_LOCKS], any_lock;
};

enum { OPT_LOCK = OPT_EXTRA, OPT_CGROUPS, OPT_USER, OPT_CALLS, OPT_FOLLOW };

static const struct option longs[] = {
	{ "lock", required_argument, NULL, OPT_LOCK },
	{ "cgroups", no_argument, NULL, OPT_CGROUPS },
	{ "user-stacks", no_argument, NULL, OPT_USER },
	{ "call-stacks", no_argument, NULL, OPT_CALLS },
	{ "follow", no_argument, NULL, OPT_FOLLOW },
	{ NULL, 0, NULL, 0 },
};

static int parse(void *arg, int c, const char *value)
{
	struct record *r = arg;

	switch (c) {
	case OPT_LOCK:
		r->any_lock = true;
		return options_lock(cmd_find("record"), value, r->locks);
	case OPT_CGROUPS:
		r->opts.live.stack_cgroup = true;
		return 0;
	case OPT_USER:
		r->opts.live.user_stacks = true;
		return 0;
	case OPT_CALLS:
		r->opts.live.call_stacks = true;
		return 0;
	default:
		r->opts.live.follow = true;
		return 0;
	}
}

static int usage(const char *what)
{
	msg("%s", what);
	return cmd_usage(cmd_find("record"));
}

/* Whatever a later view may want; by process unless the user says by what. */
static int check(struct record *r)
{
	struct options *o = &r->opts;
	struct live_opts *live = &o->live;

	if (!o->output)
		return usage("where to? -o FILE is needed");
	if (o->from || o->json || o->sort || o->timestamps)
		return usage("--from, -J, -k and -T are not for recording");
	if (o->by != BY_NONE && o->by != BY_SITE && o->by != BY_PROCESS && o->by != BY_CGROUP &&
	    o->by != BY_COMM)
		return usage(
			"--by site, process, comm or cgroup: which rows to record besides the rest");
	if (live->follow && !o->command)
		return usage("--follow: there is no command to follow");
	if (o->by == BY_NONE)
		live->row_by = ROW_PROCESS;
	live->stacks = live->stack_comm = live->holders = true;
	if (r->any_lock)
		live->locks = r->locks;
	o->record = o->output;
	if (strcmp(o->output, "-"))
		return 0;
	if (o->command || isatty(STDOUT_FILENO))
		return usage(o->command ? "-o -: COMMAND writes there too"
					: "a recording is no text for a terminal: add -o FILE");
	o->record = "/dev/stdout";
	return 0;
}

static int started(struct run *run, void *arg)
{
	struct record *r = arg;

	if (!r->opts.command && !r->opts.count)
		msg("recording into %s; Ctrl-C ends it", run->opts->record);
	return 0;
}

int cmd_record(int argc, char **argv)
{
	static const struct run_ops ops = { NULL, started, NULL, NULL };
	struct record r = {};
	const struct options_extra extra = { longs, "", parse, &r };
	struct run run = { .opts = &r.opts };
	int code;

	r.opts.extra = &extra;
	code = options_parse(cmd_find("record"), argc, argv, &r.opts);
	if (!code)
		code = check(&r);
	if (!code) {
		code = run_execute(&run, &ops, &r);
		run_free(&run);
	}
	options_free(&r.opts);
	return code < 0 ? EXIT_OK : code;
}
