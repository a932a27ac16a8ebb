// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <time.h>
#include <jansson.h>

#include "render.h"
#include "text.h"

static json_t *json_text_or_null(const char *s)
{
	return *s ? json_text(s) : json_null();
}

static json_t *json_time(u64 wall_ns)
{
	time_t sec = wall_ns / NSEC_PER_SEC;
	char day[32], buf[64];
	struct tm tm;

	gmtime_r(&sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, sizeof(buf), "%s.%09lluZ", day, wall_ns % NSEC_PER_SEC);
	return json_string(buf);
}

static int write_line(FILE *f, json_t *obj)
{
	int err = json_dumpf(obj, f, JSON_COMPACT) || fputc('\n', f) == EOF || fflush(f);

	json_decref(obj);
	return err ? write_error() : 0;
}

/* Where the lock is and how that was found: learning can tell it in the middle of a run. */
static json_t *json_lock(const struct info *info, int lock)
{
	const struct lock_info *l = &info->locks[lock];
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%llx", l->addr);
	return json_pack("{s:s, s:o, s:o}", "name", lock_names[lock], "address",
			 l->addr ? json_string(hex) : json_null(), "found_by",
			 json_text_or_null(l->found_by));
}

static json_t *json_locks_header(const struct info *info)
{
	json_t *list = json_array();

	for (int i = 0; i < NR_LOCKS; i++)
		json_array_append_new(list, json_lock(info, i));
	return list;
}

int json_header(FILE *f, const struct info *info)
{
	json_t *signals = json_object(), *obj, *mode = json_text_or_null(info->rss_mode);

	for (int i = 0; i < NR_SIGNALS; i++)
		json_object_set_new(signals, signal_names[i], json_text_or_null(info->backend[i]));
	obj = json_pack(
		"{s:s, s:i, s:s, s:o, s:o, s:i, s:i, s:{s:o, s:o}, s:o, s:o, s:o}", "type",
		"header", "schema", JSON_SCHEMA, "version", VERSION, "host", json_text(info->host),
		"kernel", json_text(info->kernel), "cpus_online", info->cpus_online,
		"cpus_possible", info->cpus_possible, "rss_stat", "mode", mode, "allocs_per_mm",
		info->rss_allocs_per_mm < 0 ? json_null() : json_integer(info->rss_allocs_per_mm),
		"signals", signals, "locks", json_locks_header(info), "cgroup_mount",
		json_text_or_null(info->cgroup_mount));
	return write_line(f, obj);
}

static json_t *json_value(const struct metric *m, struct value v)
{
	if (!v.known)
		return json_null();
	if (m->unit == UNIT_RATIO || m->unit == UNIT_PER)
		return json_real(v.real);
	return json_integer(v.n);
}

static void put_scope(json_t *obj, const struct report *r, enum scope scope, int lock)
{
	for (size_t i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];

		if (m->scope == scope)
			json_object_set_new(obj, m->key,
					    json_value(m, metric_value(m, r->info, r->d, lock)));
	}
}

/* [[le_ns, count], ...] of the buckets in use; the last bucket has no upper bound: null. */
static json_t *json_hist(const struct hist *h)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < HIST_BUCKETS; i++) {
		u64 le = hist_le(i);

		if (!h->bucket[i])
			continue;
		json_array_append_new(list, json_pack("[o, I]",
						      le == ~0ULL ? json_null() : json_integer(le),
						      (json_int_t)h->bucket[i]));
	}
	return list;
}

static json_t *json_latency(const struct report *r)
{
	json_t *obj;

	if (!scope_known(r->info, SCOPE_LATENCY))
		return json_null();
	obj = json_object();
	put_scope(obj, r, SCOPE_LATENCY, 0);
	json_object_set_new(obj, "hist", json_hist(&r->d->latency.hist));
	return obj;
}

static json_t *json_locks(const struct report *r)
{
	json_t *list = json_array();

	for (int i = 0; i < NR_LOCKS; i++) {
		bool known = lock_known(r->info, r->d, i);
		json_t *obj = json_lock(r->info, i);

		put_scope(obj, r, SCOPE_LOCK, i);
		json_object_set_new(obj, "hist",
				    known ? json_hist(&r->d->locks[i].hist) : json_null());
		json_array_append_new(list, obj);
	}
	return list;
}

static json_t *json_scope(const struct report *r, enum scope scope)
{
	json_t *obj;

	if (!scope_known(r->info, scope))
		return json_null();
	obj = json_object();
	put_scope(obj, r, scope, 0);
	return obj;
}

static json_t *json_cell(const struct view_column *col, const struct cell *c)
{
	json_t *list;

	if (!c->known)
		return json_null();
	switch (col->type) {
	case CELL_TEXT:
		return json_text(c->text);
	case CELL_FLAG:
		return json_boolean(c->n);
	case CELL_LINES:
		list = json_array();
		for (char **line = c->lines; line && *line; line++)
			json_array_append_new(list, json_text(*line));
		return list;
	default:
		return json_integer(c->n);
	}
}

static json_t *json_rows(const struct view *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->nr_rows; i++) {
		const struct view_row *row = &v->rows[i];
		json_t *obj = json_object();

		if (row->kind != VIEW_ROW)
			json_object_set_new(obj, row->kind == VIEW_OTHER ? "other" : "total",
					    json_true());
		for (size_t c = 0; c < v->nr_columns; c++)
			if (row->kind == VIEW_ROW || v->columns[c].adds_up)
				json_object_set_new(obj, v->columns[c].key,
						    json_cell(&v->columns[c], &row->cells[c]));
		json_array_append_new(list, obj);
	}
	return list;
}

static json_t *json_lost(const struct snap *d)
{
	json_t *obj = json_object();

	for (int i = 0; i < NR_LOST; i++)
		json_object_set_new(obj, lost_names[i], json_integer(d->lost[i]));
	return obj;
}

static json_t *json_self(const struct self_cost *c)
{
	json_t *programs = json_array(), *obj;

	for (size_t i = 0; i < c->nr_programs; i++)
		json_array_append_new(programs,
				      json_pack("{s:s, s:I, s:I}", "name", c->programs[i].name,
						"run_count", (json_int_t)c->programs[i].run_count,
						"run_ns", (json_int_t)c->programs[i].run_ns));
	obj = json_pack("{s:o, s:I, s:I}", "percpu_allocs",
			c->percpu_allocs_known ? json_integer(c->percpu_allocs) : json_null(),
			"map_bytes", (json_int_t)c->map_bytes, "rss_bytes",
			(json_int_t)c->rss_bytes);
	/* Run counts stand still unless kernel.bpf_stats_enabled is 1. */
	if (c->stats_enabled)
		json_object_set_new(obj, "programs", programs);
	else
		json_decref(programs);
	return obj;
}

int json_report(FILE *f, const struct report *r)
{
	json_t *obj = json_pack("{s:s, s:o, s:I}", "type", r->summary ? "summary" : "interval",
				"ts", json_time(r->d->wall_ns), "duration_ns",
				(json_int_t)r->d->duration_ns);

	put_scope(obj, r, SCOPE_TOTAL, 0);
	json_object_set_new(obj, "alloc_latency", json_latency(r));
	json_object_set_new(obj, "locks", json_locks(r));
	json_object_set_new(obj, "mm", json_scope(r, SCOPE_MM));
	json_object_set_new(obj, "share", json_scope(r, SCOPE_SHARE));
	if (r->view)
		json_object_set_new(obj, "rows", json_rows(r->view));
	json_object_set_new(obj, "lost", json_lost(r->d));
	if (r->summary && r->command_status >= 0)
		json_object_set_new(obj, "command_status", json_integer(r->command_status));
	if (r->summary && r->incomplete)
		json_object_set_new(obj, "incomplete", json_true());
	if (r->self)
		json_object_set_new(obj, "self", json_self(r->self));
	return write_line(f, obj);
}
