// SPDX-License-Identifier: GPL-2.0-only
/* Benchmarks: run workloads, or compare what two runs have saved. */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>

#include "bench-compare.h"
#include "bench-json.h"
#include "bench-measure.h"
#include "bench-text.h"
#include "cmd.h"

#define MAX_SPECS  64
#define MAX_COUNTS 32

struct bench_args {
	struct bench_plan plan;
	const char *specs[MAX_SPECS];
	size_t nr_specs;
	bool all; /* no workload was named: those that cannot run here are left out */
	u32 counts[MAX_COUNTS];
	size_t nr_counts;
	bool json;
	bool force;
	const char *save;
	bool compare;
};

static u32 usable_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

/* "4", "max", "1,2,max" */
static int parse_counts(const char *s, struct bench_args *a)
{
	_cleanup_free_ char *copy = strdup(s);
	char *rest = copy, *item;
	u64 n;

	a->nr_counts = 0;
	while (rest && (item = strsep(&rest, ","))) {
		if (!strcmp(item, "max"))
			n = usable_cpus();
		else if (parse_u64(item, 1, MAX_WORKERS, &n))
			return fail(EXIT_USAGE, "-n takes numbers from 1 to %d, or max",
				    MAX_WORKERS);
		if (a->nr_counts == MAX_COUNTS)
			return fail(EXIT_USAGE, "-n takes at most %d numbers", MAX_COUNTS);
		a->counts[a->nr_counts++] = n;
	}
	return 0;
}

static int list_workloads(void)
{
	for (const struct workload *const *w = workloads; *w; w++)
		printf("%-20s %s\n", (*w)->name, (*w)->summary);
	return -1;
}

/* A load to look at, and nothing measured: make run has it under the live view. */
static int demo(const char *duration)
{
	u64 ns;
	int status;
	pid_t pid;

	if (parse_duration(duration, &ns))
		return fail(EXIT_USAGE, "--demo takes a time");
	pid = bench_demo_load(usable_cpus(), ns);
	if (pid < 0)
		return fail(EXIT_RUNTIME, "cannot fork: %s", strerror(-pid));
	if (waitpid(pid, &status, 0) != pid || status)
		return EXIT_RUNTIME;
	return -1;
}

enum { OPT_PIN = 256, OPT_SAVE, OPT_COMPARE, OPT_FORCE, OPT_NO_TRACE, OPT_LIST, OPT_DEMO };

static const struct option long_options[] = {
	{ "workers", required_argument, NULL, 'n' },
	{ "duration", required_argument, NULL, 'd' },
	{ "ops", required_argument, NULL, 'c' },
	{ "rounds", required_argument, NULL, 'r' },
	{ "pin", no_argument, NULL, OPT_PIN },
	{ "json", no_argument, NULL, 'J' },
	{ "save", required_argument, NULL, OPT_SAVE },
	{ "compare", no_argument, NULL, OPT_COMPARE },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "no-trace", no_argument, NULL, OPT_NO_TRACE },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "demo", required_argument, NULL, OPT_DEMO },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_option(int opt, struct bench_args *a)
{
	u64 n;

	switch (opt) {
	case 'n':
		return parse_counts(optarg, a);
	case 'd':
		if (parse_duration(optarg, &a->plan.duration_ns) ||
		    a->plan.duration_ns > MAX_SECONDS * NSEC_PER_SEC)
			return fail(EXIT_USAGE, "-d takes a time up to %d s", MAX_SECONDS);
		return 0;
	case 'c':
		if (parse_u64(optarg, 1, 1ULL << 40, &a->plan.ops_limit))
			return fail(EXIT_USAGE, "-c takes a number of operations");
		return 0;
	case 'r':
		if (parse_u64(optarg, 1, MAX_ROUNDS / 2, &n))
			return fail(EXIT_USAGE, "-r takes a number from 1 to %d", MAX_ROUNDS / 2);
		a->plan.rounds = n;
		return 0;
	case 'J':
		a->json = true;
		return 0;
	case OPT_PIN:
		a->plan.pin = true;
		return 0;
	case OPT_SAVE:
		a->save = optarg;
		return 0;
	case OPT_COMPARE:
		a->compare = true;
		return 0;
	case OPT_FORCE:
		a->force = true;
		return 0;
	case OPT_NO_TRACE:
		a->plan.trace = false;
		return 0;
	case OPT_LIST:
		return list_workloads();
	case OPT_DEMO:
		return demo(optarg);
	case 'h':
		cmd_help(cmd_find("bench"));
		return -1;
	default:
		return cmd_usage(cmd_find("bench"));
	}
}

static int take_specs(struct bench_args *a, char **specs)
{
	const char *args;

	for (; *specs; specs++) {
		if (!workload_find(*specs, &args))
			return fail(EXIT_USAGE, "no workload '%s'; pcpustat bench --list", *specs);
		if (strlen(*specs) >= sizeof(((struct bench_case *)0)->spec) ||
		    a->nr_specs == MAX_SPECS)
			return fail(EXIT_USAGE, "too long or too many workloads");
		a->specs[a->nr_specs++] = *specs;
	}
	a->all = !a->nr_specs;
	for (const struct workload *const *w = workloads; a->all && *w; w++)
		a->specs[a->nr_specs++] = (*w)->name;
	return 0;
}

static int parse_args(int argc, char **argv, struct bench_args *a)
{
	int opt, err;

	*a = (struct bench_args) { .plan = { .rounds = 5, .trace = true } };
	a->counts[a->nr_counts++] = usable_cpus();
	optind = 1;
	while ((opt = getopt_long(argc, argv, "n:d:c:r:Jh", long_options, NULL)) != -1) {
		err = parse_option(opt, a);
		if (err)
			return err;
	}
	if (a->compare)
		return argc - optind == 2
			       ? 0
			       : fail(EXIT_USAGE,
				      "--compare takes two files: --compare A.json B.json");
	if (a->plan.duration_ns && a->plan.ops_limit)
		return fail(EXIT_USAGE, "-d and -c exclude each other");
	if (!a->plan.duration_ns && !a->plan.ops_limit)
		a->plan.duration_ns = NSEC_PER_SEC;
	a->plan.progress = isatty(STDERR_FILENO);
	return take_specs(a, argv + optind);
}

/* A reader that has gone away ends the run, and is no error. */
static int written(struct measure *m, int err)
{
	if (!err && fflush(stdout))
		err = -errno;
	m->interrupted |= err == -EPIPE;
	return err && err != -EPIPE ? stdout_failed(err) : 0;
}

static int saved(const struct bench_args *a, FILE *save, int err)
{
	if (!err && fflush(save))
		err = -errno;
	return err ? fail(EXIT_RUNTIME, "cannot write %s: %s", a->save, strerror(-err)) : 0;
}

/* The first result begins the file: a run that comes to none takes no older one away. */
static int save_case(const struct bench_args *a, FILE *save, const struct bench_report *r,
		     const struct bench_case *c)
{
	int err = 0;

	if (r->nr_cases == 1) {
		err = output_begin(fileno(save));
		err = err ? err : bench_json_header(save, r);
	}
	return saved(a, save, err ? err : bench_json_case(save, c));
}

static int emit_case(struct measure *m, const struct bench_args *a, FILE *save,
		     const struct bench_report *r, const struct bench_case *c)
{
	int err = 0;

	if (a->json)
		err = bench_json_case(stdout, c);
	else
		bench_text_case(stdout, c);
	err = written(m, err);
	return err || !save ? err : save_case(a, save, r, c);
}

/* All worker counts of one workload; the scaling table when there are several. */
static int bench_spec(struct measure *m, const struct bench_args *a, const char *spec, FILE *save,
		      struct bench_report *r)
{
	const struct bench_case *cases[MAX_COUNTS];
	const char *args;
	const struct workload *wl = workload_find(spec, &args);
	size_t first = r->nr_cases, n = 0;
	int err = 0;

	for (size_t i = 0; i < a->nr_counts && !err && !m->interrupted; i++) {
		struct bench_case *c = bench_add_case(r);

		if (!c)
			return fail(EXIT_RUNTIME, "out of memory");
		snprintf(c->spec, sizeof(c->spec), "%s", spec);
		c->workers = a->counts[i];
		err = measure_case(m, wl, args, c);
		if (!c->nr_rounds)
			bench_drop_case(r);
		else if (emit_case(m, a, save, r, c))
			return EXIT_RUNTIME;
	}
	for (size_t i = first; i < r->nr_cases; i++)
		cases[n++] = &r->cases[i];
	if (n > 1 && !a->json)
		bench_text_scaling(stdout, cases, n, r->cpus_online);
	return err;
}

static int emit_head(struct measure *m, const struct bench_args *a, const struct bench_report *r)
{
	int err = 0;

	if (a->json)
		err = bench_json_header(stdout, r);
	else
		bench_text_header(stdout, r);
	return written(m, err);
}

static int emit_end(struct measure *m, const struct bench_args *a, FILE *save,
		    const struct bench_report *r)
{
	int err = a->json ? bench_json_summary(stdout, r, m->interrupted) : 0;

	err = written(m, err);
	if (!err && save && r->nr_cases)
		err = saved(a, save, bench_json_summary(save, r, m->interrupted));
	for (size_t i = 0; i < r->nr_cases && !err; i++) {
		s64 diff;

		if (bench_check(&r->cases[i], &diff) == TRUTH_BROKEN)
			return fail(EXIT_VIOLATION,
				    "%s: %lld allocations differ from what the workload did",
				    r->cases[i].spec, (long long)diff);
	}
	return err;
}

/* A workload that cannot run here is no failure unless it was asked for by name. */
static int bench_all(struct measure *m, const struct bench_args *a, FILE *save,
		     struct bench_report *r)
{
	int err = emit_head(m, a, r), failed = 0, end;

	for (size_t i = 0; i < a->nr_specs && !err && !m->interrupted; i++) {
		int one = bench_spec(m, a, a->specs[i], save, r);

		if (one && !(a->all && one == EXIT_KERNEL) && !m->interrupted)
			failed = one;
	}
	end = err ? err : emit_end(m, a, save, r);
	return end ? end : failed;
}

static int bench_run(const struct bench_args *a)
{
	_cleanup_(bench_report_free) struct bench_report r = {};
	_cleanup_(measure_close) struct measure m = {};
	_cleanup_fclose_ FILE *save = NULL;
	sigset_t set;
	int err;

	if (a->save && !(save = output_open(a->save)))
		return fail(EXIT_RUNTIME, "cannot write %s: %s", a->save, strerror(errno));
	/* Between rounds too, so that what was made for the workloads is always removed. */
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	err = measure_open(&m, &a->plan, &r);
	return err ? err : bench_all(&m, a, save, &r);
}

static int read_report(const char *name, struct bench_report *r)
{
	_cleanup_fclose_ FILE *f = fopen(name, "re");

	if (!f)
		return fail(EXIT_RUNTIME, "cannot read %s: %s", name, strerror(errno));
	return bench_json_read(f, name, r) ? EXIT_RUNTIME : 0;
}

static int compare_run(const struct bench_args *a, char **names)
{
	_cleanup_(bench_report_free) struct bench_report ra = {}, rb = {};
	_cleanup_(bench_comparison_free) struct bench_comparison cmp = {
		.a = &ra,
		.b = &rb,
		.a_name = names[0],
		.b_name = names[1],
	};
	int err = read_report(names[0], &ra);

	if (!err)
		err = read_report(names[1], &rb);
	if (err)
		return err;
	if (bench_compare(&cmp))
		return fail(EXIT_RUNTIME, "out of memory");
	if (!cmp.nr_pairs)
		return fail(EXIT_USAGE, "the two have no workload with equal workers in common");
	if (*cmp.unlike && !a->force)
		return fail(EXIT_USAGE, "the runs are not alike: %s; --force compares them anyway",
			    cmp.unlike);
	if (*cmp.unlike)
		msg("the runs are not alike: %s", cmp.unlike);
	bench_text_compare(stdout, &cmp);
	return 0;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_args a;
	int err = parse_args(argc, argv, &a);

	if (err)
		return err < 0 ? EXIT_OK : err;
	return a.compare ? compare_run(&a, argv + optind) : bench_run(&a);
}
