// SPDX-License-Identifier: GPL-2.0-only
/* Who waits for whom, as a flame graph: measured now or from a recording, or two compared. */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "render-flame.h"
#include "run.h"

#define DEFAULT_NS (10 * NSEC_PER_SEC)

enum format { FORMAT_NONE, FORMAT_FOLDED, FORMAT_SVG, FORMAT_PPROF, FORMAT_SPEEDSCOPE };

static const struct {
	const char *name;
	enum format format;
	const char *endings[5]; /* of file names */
} formats[] = {
	{ "folded", FORMAT_FOLDED, { ".folded", ".collapsed", ".txt" } },
	{ "svg", FORMAT_SVG, { ".svg" } },
	{ "pprof", FORMAT_PPROF, { ".pb.gz", ".pprof", ".prof", ".pb" } },
	{ "speedscope", FORMAT_SPEEDSCOPE, { ".json" } },
};

struct flame {
	struct options opts;
	struct tree_opts tree_opts;
	bool locks[NR_LOCKS];
	enum format format;
	const char *diff[2]; /* recordings: before, after */
	FILE *out;
	struct tree base;
	struct snap base_iv; /* times and losses; no rows */
	bool cgroups_asked;
	int code; /* exit code of the drawing */
};

static int find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(name, formats[i].name))
			return formats[i].format;
	return FORMAT_NONE;
}

static enum format format_of_file(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		for (const char *const *end = formats[i].endings; *end; end++)
			if (len > strlen(*end) && !strcmp(path + len - strlen(*end), *end))
				return formats[i].format;
	}
	return FORMAT_NONE;
}

enum {
	OPT_WEIGHT = OPT_EXTRA,
	OPT_LOCK,
	OPT_COMM,
	OPT_CGROUPS,
	OPT_HOLDERS,
	OPT_USER,
	OPT_DIFF,
	OPT_FOLLOW
};

static const struct option longs[] = {
	{ "weight", required_argument, NULL, OPT_WEIGHT },
	{ "lock", required_argument, NULL, OPT_LOCK },
	{ "format", required_argument, NULL, 'F' },
	{ "comm", no_argument, NULL, OPT_COMM },
	{ "cgroups", no_argument, NULL, OPT_CGROUPS },
	{ "holders", no_argument, NULL, OPT_HOLDERS },
	{ "user-stacks", no_argument, NULL, OPT_USER },
	{ "diff", required_argument, NULL, OPT_DIFF },
	{ "follow", no_argument, NULL, OPT_FOLLOW },
	{ NULL, 0, NULL, 0 },
};

static int usage(const char *what, const char *value, const char *want)
{
	msg("bad %s '%s': %s", what, value, want);
	return cmd_usage(cmd_find("flame"));
}

static int parse(void *arg, int c, const char *value)
{
	struct flame *f = arg;
	int weight;

	switch (c) {
	case OPT_WEIGHT:
		weight = weight_find(value);
		if (weight < 0)
			return usage("--weight", value,
				     "wait, sleep, spin, count, latency, allocs "
				     "or bytes");
		f->tree_opts.weight = weight;
		return 0;
	case OPT_LOCK:
		return options_lock(cmd_find("flame"), value, f->locks);
	case 'F':
		f->format = find_format(value);
		return f->format ? 0 : usage("-F", value, "folded, svg, pprof or speedscope");
	case OPT_COMM:
		f->tree_opts.comm = true;
		return 0;
	case OPT_CGROUPS:
		f->tree_opts.cgroup = true;
		return 0;
	case OPT_HOLDERS:
		f->tree_opts.holders = true;
		return 0;
	case OPT_USER:
		f->opts.live.user_stacks = true;
		return 0;
	case OPT_FOLLOW:
		f->opts.live.follow = true;
		return 0;
	default:
		f->diff[0] = value;
		f->opts.second = &f->diff[1];
		return 0;
	}
}

static bool any_lock(const struct flame *f)
{
	for (int i = 0; i < NR_LOCKS; i++)
		if (f->locks[i])
			return true;
	return false;
}

/* What the tree needs of the kernel, and no more. */
static void choose_signals(struct flame *f)
{
	struct live_opts *live = &f->opts.live;
	enum weight weight = f->tree_opts.weight;
	bool by_site = weights[weight].by_site, latency = weight == WEIGHT_LATENCY;

	/* Profiles carry them as labels, which viewers can leave out. */
	if (f->format == FORMAT_PPROF)
		f->tree_opts.comm = f->tree_opts.cgroup = true;
	if (any_lock(f))
		live->locks = f->tree_opts.locks = f->locks;
	f->tree_opts.min_wait_ns = f->opts.from ? live->min_wait_ns : 0;
	live->stacks = !by_site;
	live->stack_comm = f->tree_opts.comm;
	live->stack_cgroup = f->tree_opts.cgroup;
	live->holders = f->tree_opts.holders;
	live->call_stacks = latency;
	live->no_owners = !by_site;
	if (!latency)
		live->backend[SIG_LATENCY] = "none";
	live->backend[SIG_MM_LIFE] = "none";
}

static int check(struct flame *f)
{
	struct options *o = &f->opts;

	if (o->by || o->json || o->sort || o->timestamps)
		return usage("option",
			     o->by     ? "--by"
			     : o->json ? "-J"
			     : o->sort ? "-k"
				       : "-T",
			     "not for a flame graph");
	if (o->count)
		return usage("argument", "COUNT", "a flame graph is of one interval");
	if (!f->format && o->output && strcmp(o->output, "-")) {
		f->format = format_of_file(o->output);
		if (!f->format)
			return usage("-o", o->output, "its ending tells no format: add -F");
	}
	if (!f->format)
		f->format = FORMAT_FOLDED;
	if (f->tree_opts.holders && f->tree_opts.weight != WEIGHT_WAIT &&
	    f->tree_opts.weight != WEIGHT_COUNT)
		return usage("--weight", weights[f->tree_opts.weight].name,
			     "holders are known by wait or count");
	if (o->live.follow && !o->command)
		return usage("--follow", "", "there is no command to follow");
	if (weights[f->tree_opts.weight].by_site && (f->tree_opts.comm || f->tree_opts.cgroup))
		return usage("--weight", weights[f->tree_opts.weight].name,
			     "allocations are counted by site: --comm and --cgroups are for waits");
	for (int i = 0; i < 2; i++)
		if (o->output && f->diff[i] && same_file(o->output, f->diff[i]))
			return usage("-o", o->output, "that is the recording itself");
	/* One interval, and the last one ends it: a recording is drawn as a whole. */
	if (o->interval_given || (!o->command && !o->from))
		o->count = 1;
	if (!o->interval_given && !o->command)
		o->interval_ns = DEFAULT_NS;
	o->keep_splits = true;
	f->cgroups_asked = f->tree_opts.cgroup;
	choose_signals(f);
	return 0;
}

static int why_unmeasured(const struct run *run, const struct flame *f)
{
	const char *name = weights[f->tree_opts.weight].name;

	if (!run->live)
		return fail(EXIT_RUNTIME, "%s was recorded without what %s%s needs", run->opts->from,
			    f->tree_opts.holders ? "--holders, --weight " : "--weight ", name);
	if (f->tree_opts.holders)
		return fail(EXIT_KERNEL, "this kernel does not tell who holds a lock; see pcpustat "
					 "doctor");
	return fail(EXIT_KERNEL,
		    "this kernel does not let us measure --weight %s; see pcpustat doctor", name);
}

static int begin(struct run *run, void *arg)
{
	struct flame *f = arg;
	const char *path = f->opts.output;

	if (!tree_measured(&run->info, &f->tree_opts))
		return why_unmeasured(run, f);
	if (run->opts->from && f->cgroups_asked && !run->info.cfg.stack_cgroup)
		return fail(EXIT_USAGE, "%s has no cgroups of stacks: record with --cgroups",
			    run->opts->from);
	f->out = stdout;
	if (!path || !strcmp(path, "-")) {
		if (f->format == FORMAT_PPROF && isatty(STDOUT_FILENO))
			return fail(EXIT_USAGE, "a profile is no text for a terminal: add -o FILE");
		return 0;
	}
	f->out = output_open(path);
	if (!f->out)
		return fail(EXIT_RUNTIME, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

static int render(struct flame *f, const struct tree *t, const struct flame_meta *m)
{
	int err;

	errno = 0;
	switch (f->format) {
	case FORMAT_SVG:
		err = render_svg(f->out, t, m);
		break;
	case FORMAT_PPROF:
		err = render_pprof(f->out, t, m);
		break;
	case FORMAT_SPEEDSCOPE:
		err = render_speedscope(f->out, t, m);
		break;
	default:
		err = render_folded(f->out, t);
	}
	if ((f->out == stdout ? fflush(stdout) : fclose(f->out)) && !err)
		err = -errno;
	f->out = NULL;
	return err;
}

/* What is not in the picture has to be said beside it, whatever the format. */
static void note_losses(const struct tree *t, const struct flame_meta *m)
{
	char lost[400];

	if (!t->root.total && !t->root.base_total)
		msg("nothing to draw: no %s in this time", weights[t->weight].event);
	flame_losses(m, lost, sizeof(lost));
	if (lost[0])
		msg("not in the picture: %s", lost);
	if (m->opts->holders && m->info->cfg.holders == HOLDERS_OWNER)
		msg("holders are the owners of pcpu_alloc_mutex, seen as a wait begins; their "
		    "stacks take lock:contended_release (7.x)");
	if (weights[t->weight].by_site)
		msg("counts are exact; each site is drawn under the one stack that was sampled for it");
}

static int draw(struct run *run, void *arg)
{
	struct flame *f = arg;
	struct flame_meta m = { .info = &run->info,
				.iv = &run->delta,
				.opts = &f->tree_opts,
				.incomplete = run->incomplete != NULL };
	struct tree t;
	int err = tree_build(&t, &run->info, &run->delta, &f->tree_opts);

	if (!err && f->diff[0]) {
		m.base = &f->base_iv;
		err = tree_diff(&t, &f->base);
	}
	if (!err) {
		note_losses(&t, &m);
		/* What the shell opened is the shell's: it may append. */
		err = f->out == stdout ? 0 : output_begin(fileno(f->out));
		if (!err)
			err = render(f, &t, &m);
		if (err && err != -EPIPE)
			f->code = fail(EXIT_RUNTIME, "cannot write %s: %s",
				       f->opts.output ? f->opts.output : "the graph",
				       strerror(-err));
		err = err == -EPIPE ? err : 0;
	}
	tree_free(&t);
	return err;
}

static int check_base(struct run *run, void *arg)
{
	struct flame *f = arg;

	return tree_measured(&run->info, &f->tree_opts) ? 0 : why_unmeasured(run, f);
}

static int keep_base(struct run *run, void *arg)
{
	struct flame *f = arg;

	f->base_iv = run->delta;
	f->base_iv.nr_sites = f->base_iv.nr_rows = f->base_iv.nr_stacks = 0;
	return tree_build(&f->base, &run->info, &run->delta, &f->tree_opts);
}

static int execute(struct flame *f, const struct run_ops *ops)
{
	struct run run = { .opts = &f->opts };
	int code = run_execute(&run, ops, f);

	run_free(&run);
	return code;
}

int cmd_flame(int argc, char **argv)
{
	static const struct run_ops ops = { begin, NULL, NULL, draw };
	static const struct run_ops base_ops = { check_base, NULL, NULL, keep_base };
	struct flame f = {};
	const struct options_extra extra = { longs, "F:", parse, &f };
	int code;

	f.opts.extra = &extra;
	code = options_parse(cmd_find("flame"), argc, argv, &f.opts);
	if (!code && f.diff[0] && !f.diff[1])
		code = usage("--diff", f.diff[0], "two recordings are wanted: before, after");
	if (!code && f.diff[0] && f.opts.from)
		code = usage("--from", f.opts.from, "--diff has its own recordings");
	f.opts.from = f.diff[0] ? f.diff[0] : f.opts.from;
	if (!code)
		code = check(&f);
	if (!code && f.diff[0]) {
		code = execute(&f, &base_ops);
		f.opts.from = f.diff[1];
	}
	if (!code)
		code = execute(&f, &ops);
	if (f.out && f.out != stdout)
		fclose(f.out);
	tree_free(&f.base);
	options_free(&f.opts);
	return code < 0 ? EXIT_OK : code ? code : f.code;
}
