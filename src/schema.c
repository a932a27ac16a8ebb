// SPDX-License-Identifier: GPL-2.0-only
/*
 * The JSON Schema of the live view's and doctor's output, made from the tables that make the
 * output: a new metric, column, lock, signal, loss or fact is in it without a change here.
 */
#include <errno.h>
#include <jansson.h>

#include "kernel.h"
#include "render.h"

#define DEFS "#/$defs/"

static json_t *typed(const char *type, bool nullable)
{
	return nullable ? json_pack("{s:[s, s]}", "type", type, "null")
			: json_pack("{s:s}", "type", type);
}

/* Integers of ours count or measure: none is negative. */
static json_t *integer(bool nullable)
{
	json_t *s = typed("integer", nullable);

	json_object_set_new(s, "minimum", json_integer(0));
	return s;
}

static json_t *number(enum unit unit)
{
	json_t *s;

	if (unit != UNIT_RATIO && unit != UNIT_PER)
		return integer(true);
	s = typed("number", true);
	json_object_set_new(s, "minimum", json_integer(0));
	return s;
}

static json_t *pattern(const char *regex, bool nullable)
{
	json_t *s = typed("string", nullable);

	json_object_set_new(s, "pattern", json_string(regex));
	return s;
}

static json_t *constant(json_t *value)
{
	return json_pack("{s:o}", "const", value);
}

static json_t *ref(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), DEFS "%s", name);
	return json_pack("{s:s}", "$ref", path);
}

static json_t *array_of(json_t *items)
{
	return json_pack("{s:s, s:o}", "type", "array", "items", items);
}

static json_t *or_null(json_t *schema)
{
	return json_pack("{s:[o, {s:s}]}", "anyOf", schema, "type", "null");
}

/* An object that has the keys which are put into it, and no other. */
static json_t *object(void)
{
	return json_pack("{s:s, s:b, s:{}, s:[]}", "type", "object", "additionalProperties", 0,
			 "properties", "required");
}

static void put_optional(json_t *obj, const char *key, json_t *schema)
{
	json_object_set_new(json_object_get(obj, "properties"), key, schema);
}

static void put(json_t *obj, const char *key, json_t *schema)
{
	put_optional(obj, key, schema);
	json_array_append_new(json_object_get(obj, "required"), json_string(key));
}

static void put_type(json_t *obj, const char *type)
{
	put(obj, "type", constant(json_string(type)));
}

static void put_program(json_t *obj)
{
	put(obj, "schema", constant(json_integer(JSON_SCHEMA)));
	put(obj, "version", typed("string", false));
}

static void put_scope(json_t *obj, enum scope scope)
{
	for (size_t i = 0; i < nr_metrics; i++) {
		json_t *s;

		if (metrics[i].scope != scope)
			continue;
		s = number(metrics[i].unit);
		if (metrics[i].head)
			json_object_set_new(s, "title", json_string(metrics[i].head));
		json_object_set_new(s, "description", json_string(metrics[i].help));
		put(obj, metrics[i].key, s);
	}
}

static json_t *scope_object(enum scope scope)
{
	json_t *obj = object();

	put_scope(obj, scope);
	return obj;
}

static json_t *lock_name(void)
{
	json_t *names = json_array();

	for (int i = 0; i < NR_LOCKS; i++)
		json_array_append_new(names, json_string(lock_names[i]));
	return json_pack("{s:o}", "enum", names);
}

static json_t *found_by(void)
{
	return json_pack("{s:[s, s, s, n]}", "enum", "kallsyms", "code", "learned");
}

static json_t *lock_place(void)
{
	json_t *obj = object();

	put(obj, "name", lock_name());
	put(obj, "address", pattern("^0x[0-9a-f]+$", true));
	put(obj, "found_by", found_by());
	return obj;
}

static json_t *all_locks(json_t *lock)
{
	json_t *s = array_of(lock);

	json_object_set_new(s, "minItems", json_integer(NR_LOCKS));
	json_object_set_new(s, "maxItems", json_integer(NR_LOCKS));
	return s;
}

static json_t *signals(void)
{
	json_t *obj = object();

	for (int i = 0; i < NR_SIGNALS; i++)
		put(obj, signal_names[i], typed("string", true));
	return obj;
}

static json_t *header(void)
{
	json_t *obj = object(), *rss = object();

	put_type(obj, "header");
	put_program(obj);
	put(obj, "host", typed("string", false));
	put(obj, "kernel", typed("string", false));
	put(obj, "cpus_online", integer(false));
	put(obj, "cpus_possible", integer(false));
	put(rss, "mode", typed("string", true));
	put(rss, "allocs_per_mm", integer(true));
	put(obj, "rss_stat", rss);
	put(obj, "signals", signals());
	put(obj, "locks", all_locks(lock_place()));
	put(obj, "cgroup_mount", typed("string", true));
	return obj;
}

/* [[le_ns, count], ...], the bound inclusive; the last bucket has none. */
static json_t *histogram(void)
{
	json_t *pair = json_pack("{s:s, s:[o, o], s:b, s:i}", "type", "array", "prefixItems",
				 integer(true), integer(false), "items", 0, "minItems", 2);

	return array_of(pair);
}

static json_t *latency(void)
{
	json_t *obj = scope_object(SCOPE_LATENCY);

	put(obj, "hist", ref("histogram"));
	return obj;
}

static json_t *lock_waits(void)
{
	json_t *obj = lock_place();

	put_scope(obj, SCOPE_LOCK);
	put(obj, "hist", or_null(ref("histogram")));
	return obj;
}

static json_t *cell_value(const struct view_column *col)
{
	switch (col->type) {
	case CELL_TEXT:
		return typed("string", true);
	case CELL_FLAG:
		return typed("boolean", true);
	case CELL_LINES:
		return array_of(typed("string", false));
	default:
		return integer(true);
	}
}

static json_t *cell(const struct view_column *col)
{
	json_t *s = cell_value(col);

	if (col->head)
		json_object_set_new(s, "title", json_string(col->head));
	return s;
}

/* The row other or total has the columns that add up. */
static json_t *closing_row(enum by by, const char *kind)
{
	json_t *obj = object();
	size_t n;
	const struct view_column *cols = view_columns(by, &n);

	put(obj, kind, constant(json_true()));
	for (size_t i = 0; i < n; i++)
		if (cols[i].adds_up)
			put(obj, cols[i].key, cell(&cols[i]));
	return obj;
}

static json_t *rows_by(enum by by)
{
	json_t *obj = object(), *s;
	size_t n;
	const struct view_column *cols = view_columns(by, &n);

	for (size_t i = 0; i < n; i++)
		put(obj, cols[i].key, cell(&cols[i]));
	s = array_of(json_pack("{s:[o, o, o]}", "anyOf", obj, closing_row(by, "other"),
			       closing_row(by, "total")));
	json_object_set_new(s, "minItems", json_integer(2));
	return s;
}

static json_t *rows(void)
{
	json_t *list = json_array();
	char name[32];

	for (int by = BY_SITE; by < NR_BY; by++) {
		snprintf(name, sizeof(name), "rows_by_%s", by_names[by]);
		json_array_append_new(list, ref(name));
	}
	return json_pack("{s:o}", "anyOf", list);
}

static json_t *losses(void)
{
	json_t *obj = object();

	for (int i = 0; i < NR_LOST; i++)
		put(obj, lost_names[i], integer(false));
	return obj;
}

static json_t *report(const char *type)
{
	json_t *obj = object();

	put_type(obj, type);
	put(obj, "ts", pattern("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z$", false));
	put(obj, "duration_ns", integer(false));
	put_scope(obj, SCOPE_TOTAL);
	put(obj, scope_keys[SCOPE_LATENCY], or_null(latency()));
	put(obj, scope_keys[SCOPE_LOCK], all_locks(lock_waits()));
	put(obj, scope_keys[SCOPE_MM], or_null(scope_object(SCOPE_MM)));
	put(obj, scope_keys[SCOPE_SHARE], scope_object(SCOPE_SHARE));
	put_optional(obj, "rows", rows());
	put(obj, "lost", losses());
	return obj;
}

static json_t *interval(void)
{
	return report("interval");
}

static json_t *self(void)
{
	json_t *obj = object(), *program = object();

	put(program, "name", typed("string", false));
	put(program, "run_count", integer(false));
	put(program, "run_ns", integer(false));
	put(obj, "percpu_allocs", integer(true));
	put(obj, "map_bytes", integer(false));
	put(obj, "rss_bytes", integer(false));
	put_optional(obj, "programs", array_of(program));
	return obj;
}

static json_t *summary(void)
{
	json_t *obj = report("summary");

	put_optional(obj, "command_status", integer(false));
	put_optional(obj, "incomplete", constant(json_true()));
	put_optional(obj, "self", self());
	return obj;
}

static json_t *fact(void)
{
	json_t *obj = object(), *ids = json_array();

	for (int i = 0; i < NR_FACTS; i++)
		json_array_append_new(ids, json_string(facts[i].id));
	put(obj, "id", json_pack("{s:o}", "enum", ids));
	put(obj, "state",
	    json_pack("{s:[s, s, s]}", "enum", fact_states[FACT_UNKNOWN], fact_states[FACT_ABSENT],
		      fact_states[FACT_PRESENT]));
	put(obj, "how", typed("string", false));
	put(obj, "since", typed("string", true));
	put(obj, "commit", typed("string", true));
	put(obj, "without", typed("string", true));
	return obj;
}

static json_t *backends(void)
{
	json_t *obj = object();

	for (int i = 0; i < NR_SIGNALS; i++)
		put(obj, signal_names[i], array_of(typed("string", false)));
	return obj;
}

static json_t *privileges(void)
{
	json_t *obj = object();

	put(obj, "missing", typed("string", false));
	put(obj, "lockdown", typed("string", false));
	put(obj, "kptr_restrict", typed("string", false));
	put(obj, "perf_event_paranoid", typed("string", false));
	return obj;
}

static json_t *doctor(void)
{
	json_t *obj = object(), *lock = object();

	put_type(obj, "doctor");
	put_program(obj);
	put(obj, "kernel", typed("string", false));
	put(obj, "rss_mode", typed("string", true));
	put(obj, "signals", signals());
	put(obj, "backends", backends());
	put(lock, "name", lock_name());
	put(lock, "found_by", found_by());
	put(obj, "locks", all_locks(lock));
	put(obj, "facts", array_of(fact()));
	put(obj, "privileges", privileges());
	put(obj, "verdict", typed("string", false));
	return obj;
}

/* The kinds of line. */
static const struct {
	const char *type;
	json_t *(*make)(void);
} lines[] = {
	{ "header", header },
	{ "interval", interval },
	{ "summary", summary },
	{ "doctor", doctor },
};

static json_t *definitions(void)
{
	json_t *defs = json_object();
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		json_object_set_new(defs, lines[i].type, lines[i].make());
	json_object_set_new(defs, "histogram", histogram());
	for (int by = BY_SITE; by < NR_BY; by++) {
		snprintf(name, sizeof(name), "rows_by_%s", by_names[by]);
		json_object_set_new(defs, name, rows_by(by));
	}
	return defs;
}

int json_schema(FILE *f)
{
	json_t *any = json_array(), *schema;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		json_array_append_new(any, ref(lines[i].type));
	schema = json_pack(
		"{s:s, s:s, s:s, s:o, s:o}", "$schema",
		"https://json-schema.org/draft/2020-12/schema", "title",
		"A line of pcpustat live -J or pcpustat doctor -J", "description",
		"Suffix _ns: integer nanoseconds. _bytes: integer bytes. _per_: a mean. _of_: a "
		"ratio, 1 is all. Other numbers are counts. null: not measured on this host. A "
		"title is the heading of the text column.",
		"oneOf", any, "$defs", definitions());
	errno = 0;
	err = json_dumpf(schema, f, JSON_INDENT(2)) || fputc('\n', f) == EOF || fflush(f);
	err = err ? write_error() : 0;
	json_decref(schema);
	return err;
}
