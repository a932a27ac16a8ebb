// SPDX-License-Identifier: GPL-2.0-only
/* Benchmark results from JSON Lines. The file may come from anywhere: nothing in it is trusted. */
#include "bench-json.h"
#include "text.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "bench.h"

#define SCHEMA 1

/* null and absent are NOT_TOLD; a negative number or another type is an error. */
static int get_u64(const json_t *o, const char *key, u64 *out)
{
	const json_t *v = json_object_get(o, key);

	*out = NOT_TOLD;
	if (!v || json_is_null(v))
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return -EBADMSG;
	*out = json_integer_value(v);
	return 0;
}

static int get_number(const json_t *o, const char *key, u64 max, u64 *out)
{
	int err = get_u64(o, key, out);

	return err ? err : *out > max ? -EBADMSG : 0;
}

static int get_string(const json_t *o, const char *key, char *to, size_t len)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s || strlen(s) >= len)
		return -EBADMSG;
	strcpy(to, s);
	text_clean(to);
	return 0;
}

static int read_header(const json_t *o, struct bench_report *r)
{
	const json_t *rss = json_object_get(o, "rss_stat");
	u64 schema, online, possible, allocs;

	if (get_number(o, "schema", SCHEMA, &schema) ||
	    get_number(o, "cpus_online", 1 << 20, &online) ||
	    get_number(o, "cpus_possible", 1 << 20, &possible) ||
	    get_u64(rss, "allocs_per_mm", &allocs) ||
	    get_string(o, "kernel", r->kernel, sizeof(r->kernel)) ||
	    get_string(o, "host", r->host, sizeof(r->host)))
		return -EBADMSG;
	/* The mode is null where it is unknown. */
	if (get_string(rss, "mode", r->rss_mode, sizeof(r->rss_mode)))
		*r->rss_mode = '\0';
	r->cpus_online = online;
	r->cpus_possible = possible;
	r->allocs_per_mm = allocs > 1000 ? -1 : (int)allocs;
	return 0;
}

static int read_parts(const json_t *a, struct bench_round *r)
{
	for (int i = 0; i < NR_PARTS; i++) {
		const json_t *p = json_array_get(a, i);

		if (get_number(p, "count", NOT_TOLD - 1, &r->part_count[i]) ||
		    get_number(p, "total_ns", NOT_TOLD - 1, &r->part_ns[i]))
			return -EBADMSG;
	}
	return 0;
}

static int read_locks(const json_t *a, struct bench_round *r)
{
	for (size_t i = 0; i < json_array_size(a); i++) {
		const json_t *o = json_array_get(a, i);
		const char *name = json_string_value(json_object_get(o, "name"));

		for (int l = 0; l < NR_LOCKS; l++)
			if (name && !strcmp(name, lock_names[l]) &&
			    (get_u64(o, "waits", &r->waits[l]) ||
			     get_u64(o, "wait_ns", &r->wait_ns[l])))
				return -EBADMSG;
	}
	return 0;
}

static int read_round(const json_t *o, struct bench_round *r)
{
	const json_t *seconds = json_object_get(o, "ops_per_second");
	int err = 0;

	r->traced = json_is_true(json_object_get(o, "traced"));
	if (get_number(o, "ops", NOT_TOLD - 1, &r->ops) ||
	    get_number(o, "elapsed_ns", NOT_TOLD - 1, &r->elapsed_ns) ||
	    get_u64(o, "cpu_ns", &r->cpu_ns) || get_u64(o, "context_switches", &r->switches) ||
	    get_u64(o, "page_faults", &r->faults) ||
	    get_u64(o, "grace_periods", &r->grace_periods) ||
	    get_u64(o, "footprint_bytes", &r->footprint_bytes) ||
	    get_u64(o, "allocs", &r->allocs) || get_u64(o, "expected_allocs", &r->expected) ||
	    get_u64(o, "mutex_passes", &r->passes) || get_u64(o, "alloc_ns", &r->alloc_ns) ||
	    get_u64(o, "lost", &r->lost) || read_parts(json_object_get(o, "parts"), r) ||
	    read_locks(json_object_get(o, "locks"), r))
		return -EBADMSG;
	if (r->lost == NOT_TOLD)
		r->lost = 0;
	for (size_t i = 0; i < json_array_size(seconds) && !err; i++)
		err = bench_add_second(r, json_integer_value(json_array_get(seconds, i)));
	return err;
}

static int read_stack(const json_t *o, struct bench_stack *s)
{
	const json_t *frames = json_object_get(o, "stack");
	size_t n = 0;

	memset(s, 0, sizeof(*s));
	if (get_string(o, "lock", s->lock, sizeof(s->lock)) || get_u64(o, "waits", &s->waits) ||
	    get_u64(o, "wait_ns", &s->wait_ns))
		return -EBADMSG;
	for (size_t i = 0; i < json_array_size(frames); i++) {
		const char *frame = json_string_value(json_array_get(frames, i));

		if (!frame)
			return -EBADMSG;
		n += snprintf(s->frames + n, sizeof(s->frames) - n, "%s%s", i ? ";" : "", frame);
		if (n >= sizeof(s->frames))
			return -EBADMSG;
	}
	return 0;
}

static int read_case(const json_t *o, struct bench_report *report)
{
	const json_t *rounds = json_object_get(o, "rounds");
	const json_t *stacks = json_object_get(o, "stacks");
	const char *counted = json_string_value(json_object_get(o, "counted"));
	struct bench_case *c = bench_add_case(report);
	u64 workers;
	int err = 0;

	if (!c)
		return -ENOMEM;
	if (get_string(o, "workload", c->spec, sizeof(c->spec)) ||
	    get_string(o, "unit", c->unit, sizeof(c->unit)) ||
	    get_number(o, "workers", MAX_WORKERS, &workers) || !workers ||
	    get_u64(o, "duration_ns", &c->duration_ns) || json_array_size(rounds) > MAX_ROUNDS)
		return -EBADMSG;
	c->workers = workers;
	c->pinned = json_is_true(json_object_get(o, "pinned"));
	c->own_only = counted && !strcmp(counted, "workers");
	for (size_t i = 0; i < json_array_size(rounds) && !err; i++) {
		struct bench_round *r = bench_add_round(c);

		err = r ? read_round(json_array_get(rounds, i), r) : -ENOMEM;
	}
	for (size_t i = 0; i < json_array_size(stacks) && i < CASE_STACKS && !err; i++) {
		struct bench_stack s;

		err = read_stack(json_array_get(stacks, i), &s);
		if (!err)
			err = bench_add_stack(c, &s);
	}
	return err;
}

static int read_line_of(const json_t *o, bool first, struct bench_report *r)
{
	const char *type = json_string_value(json_object_get(o, "type"));
	const char *command = json_string_value(json_object_get(o, "command"));

	if (!type)
		return -EBADMSG;
	if (first)
		return strcmp(type, "header") || !command || strcmp(command, "bench")
			       ? -EBADMSG
			       : read_header(o, r);
	return strcmp(type, "result") ? 0 : read_case(o, r);
}

int bench_json_read(FILE *f, const char *name, struct bench_report *r)
{
	size_t nr = 0, cap = 0;
	char *line = NULL;
	json_t *o;
	int err = 0;

	memset(r, 0, sizeof(*r));
	while (!err && getline(&line, &cap, f) > 0) {
		o = json_loads(line, 0, NULL);
		err = o ? read_line_of(o, !nr, r) : -EBADMSG;
		json_decref(o);
		nr++;
	}
	free(line);
	if (!err && !nr)
		err = -ENODATA;
	if (err == -ENOMEM)
		return fail(err, "out of memory");
	return err ? fail(err, "%s: line %zu: not a result of pcpustat bench", name, nr) : 0;
}
