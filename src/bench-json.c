// SPDX-License-Identifier: GPL-2.0-only
#include "bench-json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#define SCHEMA 1

static json_t *told(u64 v)
{
	return v == NOT_TOLD ? json_null() : json_integer(v);
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* A NULL member means that memory ran out; json_pack has given the others back by then. */
static int put(FILE *f, json_t *line)
{
	int err = 0;

	if (!line)
		return -ENOMEM;
	if (json_dumpf(line, f, JSON_COMPACT | JSON_REAL_PRECISION(9)) || fputc('\n', f) == EOF ||
	    fflush(f))
		err = write_error();
	json_decref(line);
	return err;
}

int bench_json_header(FILE *f, const struct bench_report *r)
{
	json_t *mode = *r->rss_mode ? json_string(r->rss_mode) : json_null();
	json_t *allocs = r->allocs_per_mm < 0 ? json_null() : json_integer(r->allocs_per_mm);

	return put(f, json_pack("{s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:{s:o, s:o}}", "type",
				"header", "command", "bench", "schema", SCHEMA, "version", VERSION,
				"kernel", r->kernel, "host", r->host, "cpus_online",
				(int)r->cpus_online, "cpus_possible", (int)r->cpus_possible,
				"rss_stat", "mode", mode, "allocs_per_mm", allocs));
}

static json_t *locks_json(const struct bench_round *r)
{
	json_t *a = json_array();

	for (int i = 0; i < NR_LOCKS; i++)
		json_array_append_new(a,
				      json_pack("{s:s, s:o, s:o}", "name", lock_names[i], "waits",
						told(r->waits[i]), "wait_ns", told(r->wait_ns[i])));
	return a;
}

static json_t *parts_json(const struct bench_round *r)
{
	json_t *a = json_array();

	for (int i = 0; i < NR_PARTS; i++)
		json_array_append_new(a, json_pack("{s:o, s:o}", "count", told(r->part_count[i]),
						   "total_ns", told(r->part_ns[i])));
	return a;
}

static json_t *round_json(const struct bench_round *r)
{
	json_t *seconds = json_array(), *o;

	for (size_t i = 0; i < r->nr_seconds; i++)
		json_array_append_new(seconds, json_integer(r->per_second[i]));
	o = json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "traced", r->traced,
		      "ops", told(r->ops), "elapsed_ns", told(r->elapsed_ns), "cpu_ns",
		      told(r->cpu_ns), "context_switches", told(r->switches), "page_faults",
		      told(r->faults), "ops_per_second", seconds, "parts", parts_json(r),
		      "grace_periods", told(r->grace_periods), "footprint_bytes",
		      told(r->footprint_bytes));
	if (o && r->traced) {
		json_object_set_new(o, "allocs", told(r->allocs));
		json_object_set_new(o, "expected_allocs", told(r->expected));
		json_object_set_new(o, "mutex_passes", told(r->passes));
		json_object_set_new(o, "alloc_ns", told(r->alloc_ns));
		json_object_set_new(o, "locks", locks_json(r));
		json_object_set_new(o, "lost", told(r->lost));
	}
	return o;
}

static json_t *metrics_json(const struct bench_case *c)
{
	json_t *all = json_object();

	for (int id = 0; id < NR_BENCH_METRICS; id++) {
		struct summary s = bench_summary(c, id);

		json_object_set_new(all, bench_metrics[id].key,
				    s.n ? json_pack("{s:o, s:o, s:o, s:o}", "median",
						    number(s.median), "min", number(s.min), "max",
						    number(s.max), "spread", number(s.spread))
					: json_null());
	}
	return all;
}

static json_t *stacks_json(const struct bench_case *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->nr_stacks; i++) {
		const struct bench_stack *s = &c->stacks[i];
		json_t *frames = json_array();
		const char *at = s->frames;

		while (*at) {
			size_t len = strcspn(at, ";");

			json_array_append_new(frames, json_stringn(at, len));
			at += len + (at[len] == ';');
		}
		json_array_append_new(all, json_pack("{s:s, s:o, s:o, s:o}", "lock", s->lock,
						     "stack", frames, "waits", told(s->waits),
						     "wait_ns", told(s->wait_ns)));
	}
	return all;
}

static json_t *truth_json(const struct bench_case *c)
{
	s64 diff;

	switch (bench_check(c, &diff)) {
	case TRUTH_HOLDS:
		return json_pack("{s:b, s:i}", "valid", 1, "difference", 0);
	case TRUTH_BROKEN:
		return json_pack("{s:b, s:I}", "valid", 0, "difference", (json_int_t)diff);
	default:
		return json_pack("{s:n, s:n}", "valid", "difference");
	}
}

int bench_json_case(FILE *f, const struct bench_case *c)
{
	json_t *rounds = json_array(), *line;
	double p, cost = bench_tracing_cost(c, &p);

	for (size_t i = 0; i < c->nr_rounds; i++)
		json_array_append_new(rounds, round_json(&c->rounds[i]));
	line = json_pack("{s:s, s:s, s:s, s:i, s:b, s:s, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o}",
			 "type", "result", "workload", c->spec, "unit", c->unit, "workers",
			 (int)c->workers, "pinned", c->pinned, "counted",
			 c->own_only ? "workers" : "host", "duration_ns", told(c->duration_ns),
			 "truth", truth_json(c), "metrics", metrics_json(c), "tracing", "cost",
			 number(cost), "p", isfinite(cost) ? number(p) : json_null(), "stacks",
			 stacks_json(c), "rounds", rounds);
	return put(f, line);
}

int bench_json_summary(FILE *f, const struct bench_report *r, bool interrupted)
{
	int invalid = 0;
	u64 lost = 0;
	s64 diff;

	for (size_t i = 0; i < r->nr_cases; i++) {
		invalid += bench_check(&r->cases[i], &diff) == TRUTH_BROKEN;
		lost += bench_lost(&r->cases[i]);
	}
	return put(f, json_pack("{s:s, s:i, s:i, s:o, s:b}", "type", "summary", "results",
				(int)r->nr_cases, "invalid", invalid, "lost", told(lost),
				"interrupted", interrupted));
}
