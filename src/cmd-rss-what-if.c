// SPDX-License-Identifier: GPL-2.0-only
/* pcpustat rss what-if: the live source and the monitor over one stretch of time. */
#include "cmd-rss.h"

#include <errno.h>
#include <string.h>
#include <jansson.h>

#include "live.h"
#include "loop.h"
#include "rss-mon.h"
#include "rss-print.h"
#include "rss-whatif.h"

#define DEFAULT_NS (10 * NSEC_PER_SEC)

struct what_if {
	struct rss *rss;
	struct rss_mon *mon;
	struct live *live;
	struct rss_census census;
	struct info info;
	struct snap before, after, d;
	struct rss_counts first, last;
};

static int wait_for(u64 duration_ns)
{
	enum loop_event event = LOOP_POLL;
	struct loop loop;
	int err = loop_open(&loop);

	if (err || loop_start(&loop, duration_ns))
		return fail(EXIT_RUNTIME, "cannot wait: %s", strerror(err ? -err : EIO));
	while (event != LOOP_TICK && event != LOOP_STOP)
		event = loop_wait(&loop);
	loop_close(&loop);
	return 0;
}

static int measure(struct what_if *w, u64 duration_ns)
{
	const struct live_opts opts = { .no_owners = true };
	int err = rss_open(&w->rss);

	if (!err)
		err = rss_take(w->rss, &w->census);
	if (!err)
		err = live_open(&w->live, &opts, &w->info);
	if (!err)
		err = rss_mon_open(&w->mon, w->rss, &w->census, false);
	if (err)
		return err;
	rss_mon_read(w->mon, &w->first);
	if (live_snap(w->live, &w->info, &w->before))
		return fail(EXIT_RUNTIME, "cannot read the counters");
	err = wait_for(duration_ns);
	if (err)
		return err;
	rss_mon_read(w->mon, &w->last);
	if (live_snap(w->live, &w->info, &w->after) || snap_delta(&w->before, &w->after, &w->d))
		return fail(EXIT_RUNTIME, "cannot read the counters");
	return 0;
}

static void fill(const struct what_if *w, struct whatif_in *in)
{
	const struct rss_stats *a = &w->first.s, *b = &w->last.s;
	const struct wait_stat *m = &w->d.locks[LOCK_ALLOC_MUTEX].w;
	const struct rss_trial *t = &w->census.trial;

	*in = (struct whatif_in) {
		.duration_ns = w->d.duration_ns,
		.mode = w->census.mode,
		.births = b->forks + b->execs - a->forks - a->execs,
		.allocs_per_mm = t->allocs,
		.rss_allocs = t->rss_allocs > 0 ? t->rss_allocs : rss_mode_allocs(w->census.mode),
		.ends = b->drops_known - a->drops_known,
		.ends_single = b->drops_single - a->drops_single,
		.old_mms = w->census.nr,
		.passes = snap_mutex_passes(&w->d),
		.busy_ns = w->d.busy_ns,
		.waits_known = *w->info.backend[SIG_LOCK_WAITS] &&
			       w->info.locks[LOCK_ALLOC_MUTEX].addr,
		.wait_ns = m->wait_ns,
		.sleep_ns = m->sleep_ns,
		.latency_known = *w->info.backend[SIG_LATENCY],
		.latency_count = w->d.latency.count,
		.latency_sum_ns = w->d.latency.sum_ns,
	};
	for (size_t i = 0; i < w->census.nr; i++)
		in->old_single += w->census.mms[i].group_threads <= 1;
}

static void print_number(const char *what, bool known, double v, const char *unit)
{
	if (known)
		printf("  %-34s %12.1f %s\n", what, v, unit);
	else
		printf("  %-34s %12s\n", what, "-");
}

static void print_option(const struct whatif_in *in, enum whatif_option option)
{
	struct whatif_out out;

	whatif_compute(in, option, &out);
	printf("\n%s: %s\n", whatif_names[option], whatif_texts[option]);
	if (out.nothing)
		printf("  nothing to gain: %s\n", out.nothing);
	if (out.nothing && !out.allocs)
		return;
	print_number("percpu allocations avoided", out.known, out.allocs, "/s");
	print_number("passes of pcpu_alloc_mutex avoided", out.known, out.passes, "/s");
	print_number("lock wait that they carried", out.waits_known, out.wait_ns / 1e3, "us/s");
	print_number("CPU time in the allocator", out.cpu_known, out.cpu_ns / 1e3, "us/s");
	print_number("of the busy CPU time", out.cpu_known && in->busy_ns, 100 * out.of_busy, "%");
}

static void print_text(const struct what_if *w, const struct whatif_in *in)
{
	double s = in->duration_ns / 1e9, single = whatif_single_share(in);

	rss_print_mode(&w->census);
	printf("over %.1f s: %.1f mms born/s, %.1f passes of pcpu_alloc_mutex/s", s, in->births / s,
	       in->passes / s);
	if (single >= 0)
		printf(", %.1f %% of mms stay single-threaded%s", 100 * single,
		       in->ends ? "" : " (of those there are: none ended)");
	putchar('\n');
	if (!in->latency_known)
		msg("time in the allocator cannot be measured on this kernel; see pcpustat doctor");
	for (int i = 0; i < NR_WHATIF; i++)
		print_option(in, i);
	puts("\nassumed:");
	for (int i = 0; whatif_assumptions[i]; i++)
		printf("  - %s\n", whatif_assumptions[i]);
}

static json_t *number(bool known, double v)
{
	return known ? json_real(v) : json_null();
}

static int option_line(const struct whatif_in *in, enum whatif_option option)
{
	struct whatif_out out;

	whatif_compute(in, option, &out);
	return rss_json_line(json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "option", "mode",
		whatif_names[option], "gain",
		out.nothing || out.cpu_known ? json_boolean(!out.nothing) : json_null(),
		"nothing_to_gain", out.nothing ? json_string(out.nothing) : json_null(),
		"allocs_per_s", number(out.known, out.allocs), "mutex_passes_per_s",
		number(out.known, out.passes), "wait_ns_per_s", number(out.waits_known, out.wait_ns),
		"cpu_ns_per_s", number(out.cpu_known, out.cpu_ns), "of_busy",
		number(out.cpu_known && in->busy_ns, out.of_busy)));
}

static int print_json(const struct what_if *w, const struct whatif_in *in)
{
	json_t *assumed = json_array();
	int err = rss_json_header(&w->census);

	for (int i = 0; !err && i < NR_WHATIF; i++)
		err = option_line(in, i);
	for (int i = 0; whatif_assumptions[i]; i++)
		json_array_append_new(assumed, json_string(whatif_assumptions[i]));
	if (err) {
		json_decref(assumed);
		return err;
	}
	return rss_json_line(
		json_pack("{s:s, s:I, s:I, s:I, s:o, s:o}", "type", "summary", "duration_ns",
			  (json_int_t)in->duration_ns, "births", (json_int_t)in->births,
			  "mutex_passes", (json_int_t)in->passes, "single_share",
			  number(whatif_single_share(in) >= 0, whatif_single_share(in)),
			  "assumptions", assumed));
}

static int run(struct what_if *w, const struct rss_opts *o, u64 duration_ns)
{
	int err = measure(w, duration_ns);
	struct whatif_in in;

	if (err)
		return err;
	fill(w, &in);
	if (o->json)
		return print_json(w, &in);
	print_text(w, &in);
	return EXIT_OK;
}

int cmd_rss_what_if(const struct rss_opts *o)
{
	u64 duration_ns = DEFAULT_NS;
	struct what_if *w;
	int err;

	if (o->nr_args > 1 || (o->nr_args && parse_duration(o->args[0], &duration_ns)))
		return fail(EXIT_USAGE, "rss what-if [DURATION], such as 10 or 500ms, not %s",
			    o->args[o->nr_args - 1]);
	w = calloc(1, sizeof(*w));
	if (!w)
		return fail(EXIT_RUNTIME, "out of memory");
	err = run(w, o, duration_ns);
	rss_mon_close(w->mon);
	live_close(w->live);
	rss_close(w->rss);
	rss_census_free(&w->census);
	snap_free(&w->before);
	snap_free(&w->after);
	snap_free(&w->d);
	free(w);
	return err;
}
