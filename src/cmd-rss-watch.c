// SPDX-License-Identifier: GPL-2.0-only
/* pcpustat rss watch: births, deaths and switches of mms, a line an interval. */
#include "cmd-rss.h"

#include <string.h>

#include "loop.h"
#include "rss-mon.h"
#include "rss-print.h"
#include "rss-watch.h"

struct watch {
	struct rss *rss;
	struct rss_mon *mon;
	struct rss_census census;
	struct rss_counts first, last;
	u64 interval_ns, count; /* 0: until a signal */
	bool json;
};

static int start(struct watch *w)
{
	int err = rss_open(&w->rss);

	if (!err)
		err = rss_take(w->rss, &w->census);
	if (!err)
		err = rss_mon_open(&w->mon, w->rss, &w->census, false);
	/* Once more: births are seen from here on, and what was there before must be known. */
	if (!err)
		err = rss_take(w->rss, &w->census);
	if (err)
		return err;
	rss_mon_seed(w->mon, &w->census);
	rss_mon_read(w->mon, &w->first);
	w->last = w->first;
	if (w->json)
		return rss_json_header(&w->census);
	rss_print_mode(&w->census);
	rss_watch_heading(rss_mon_signals(w->mon));
	return 0;
}

static int interval(struct watch *w)
{
	struct rss_counts now, d;

	rss_mon_read(w->mon, &now);
	rss_mon_next(w->mon);
	rss_counts_delta(&w->last, &now, &d);
	d.max_ns = now.max_iv_ns;
	w->last = now;
	return rss_watch_interval(rss_mon_signals(w->mon), &d, w->json);
}

static int finish(struct watch *w)
{
	struct rss_comm_row comms[10];
	struct rss_counts d;
	size_t n;

	/* Up to the end of the last interval, so that the intervals add up to it. */
	rss_counts_delta(&w->first, &w->last, &d);
	d.max_ns = w->last.max_ns;
	n = rss_mon_comms(w->mon, comms, ARRAY_SIZE(comms));
	return rss_watch_summary(rss_mon_signals(w->mon), &d, comms, n, w->json);
}

static int run(struct watch *w)
{
	enum loop_event event = LOOP_TICK;
	struct loop loop;
	u64 done = 0;
	int err = loop_open(&loop);

	if (err)
		return fail(EXIT_RUNTIME, "cannot wait for signals: %s", strerror(-err));
	err = start(w);
	if (!err && loop_start(&loop, w->interval_ns))
		err = fail(EXIT_RUNTIME, "cannot start a timer");
	while (!err && event != LOOP_STOP && (!w->count || done < w->count)) {
		event = loop_wait(&loop);
		if (event != LOOP_TICK && event != LOOP_STOP)
			continue;
		err = interval(w);
		done++;
	}
	loop_close(&loop);
	return err ? err : finish(w);
}

static int parse(const struct rss_opts *o, struct watch *w)
{
	w->interval_ns = NSEC_PER_SEC;
	if (o->nr_args > 2)
		return fail(EXIT_USAGE, "rss watch [INTERVAL [COUNT]]");
	if (o->nr_args > 0 && parse_duration(o->args[0], &w->interval_ns))
		return fail(EXIT_USAGE, "not an interval: %s", o->args[0]);
	if (o->nr_args > 1 && parse_u64(o->args[1], 1, 1ULL << 32, &w->count))
		return fail(EXIT_USAGE, "not a count: %s", o->args[1]);
	return 0;
}

int cmd_rss_watch(const struct rss_opts *o)
{
	struct watch w = { .json = o->json };
	int err = parse(o, &w);

	if (!err)
		err = run(&w);
	rss_mon_close(w.mon);
	rss_close(w.rss);
	rss_census_free(&w.census);
	return err;
}
