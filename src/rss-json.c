// SPDX-License-Identifier: GPL-2.0-only
#include "rss-print.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <jansson.h>

#include "kernel.h"
#include "text.h"

int rss_json_line(json_t *obj)
{
	int err;

	if (!obj)
		return fail(EXIT_RUNTIME, "out of memory");
	err = json_dumpf(obj, stdout, JSON_COMPACT);
	json_decref(obj);
	if (err || putchar('\n') < 0 || fflush(stdout))
		return stdout_failed(write_error());
	return 0;
}

static json_t *pages(bool known, s64 v)
{
	return known ? json_integer(v * sysconf(_SC_PAGESIZE)) : json_null();
}

static json_t *sizes(bool known, const s64 *v)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "rss_bytes", pages(known, rss_sum(v)),
			 "file_bytes", pages(known, v[RSS_FILE]), "anon_bytes",
			 pages(known, v[RSS_ANON]), "swap_bytes", pages(known, v[RSS_SWAP]),
			 "shmem_bytes", pages(known, v[RSS_SHMEM]));
}

static json_t *count(int v)
{
	return v < 0 ? json_null() : json_integer(v);
}

static json_t *mode(const struct rss_census *c)
{
	return json_pack("{s:s, s:o, s:s, s:{s:o, s:o, s:b}}", "mode", rss_mode_names[c->mode],
			 "allocs_per_mm", count(rss_mode_allocs(c->mode)), "because", c->how,
			 "trial", "allocs", count(c->trial.allocs), "rss_allocs",
			 count(c->trial.allocs < 0 ? -1 : c->trial.rss_allocs), "atomic",
			 c->trial.atomic);
}

int rss_json_header(const struct rss_census *c)
{
	struct utsname u;

	uname(&u);
	return rss_json_line(json_pack(
		"{s:s, s:i, s:s, s:o, s:s, s:i, s:i, s:o, s:o}", "type", "header", "schema",
		RSS_SCHEMA, "version", VERSION, "host", json_text(u.nodename), "kernel", u.release,
		"cpus_online", c->cpus_online, "cpus_possible", c->cpus_possible, "rss_stat",
		mode(c), "percpu_unreadable", c->slots ? json_null() : json_string(c->no_slots)));
}

static int process_line(const struct rss_row *r)
{
	json_t *obj = json_pack("{s:s, s:I, s:o, s:I, s:i, s:s}", "type", "mm", "pid",
				(json_int_t)r->mm->pid, "comm", json_text(r->mm->comm), "threads",
				(json_int_t)r->threads, "processes", (int)r->mm->processes, "state",
				rss_state_names[r->state]);

	if (obj)
		json_object_update_new(
			obj, sizes(r->approx_known, r->exact_known ? r->exact : r->approx));
	return rss_json_line(obj);
}

static int group_line(const struct rss_row *r, enum rss_by by, struct cgroups *names)
{
	const char *path = names ? cgroups_path(names, r->cgroup) : NULL;
	json_t *obj = json_pack(
		"{s:s, s:I, s:I, s:I, s:I}", "type", by == RSS_BY_CGROUP ? "cgroup" : "mode", "mms",
		(json_int_t)r->mms, "threads", (json_int_t)r->threads, "atomic",
		(json_int_t)r->in_state[RSS_ATOMIC], "percpu", (json_int_t)r->in_state[RSS_PERCPU]);

	if (!obj)
		return rss_json_line(NULL);
	if (by == RSS_BY_CGROUP) {
		json_object_set_new(obj, "cgroup", path ? json_text(path) : json_null());
		json_object_set_new(obj, "cgroup_id", json_integer(r->cgroup));
	} else {
		json_object_set_new(obj, "state", json_string(rss_state_names[r->state]));
	}
	json_object_update_new(obj, sizes(r->approx_known, r->exact_known ? r->exact : r->approx));
	return rss_json_line(obj);
}

static int summary_line(const struct rss_census *c)
{
	json_t *states = json_object();

	for (int s = 0; s < NR_RSS_STATES; s++)
		if (s != RSS_UNREAD)
			json_object_set_new(states, rss_state_names[s],
					    json_integer(rss_count_state(c, s)));
	return rss_json_line(json_pack("{s:s, s:I, s:o, s:I}", "type", "summary", "mms",
				       (json_int_t)c->nr, "states", states, "duration_ns",
				       (json_int_t)c->took_ns));
}

static size_t limit(size_t nr, size_t rows)
{
	return rows && rows < nr ? rows : nr;
}

int rss_json_census(const struct rss_census *c, const struct rss_view *v, enum rss_by by,
		    struct cgroups *names, size_t rows)
{
	int err = rss_json_header(c);

	for (size_t i = 0; !err && i < limit(v->nr, rows); i++)
		err = by == RSS_BY_PROCESS ? process_line(&v->rows[i])
					   : group_line(&v->rows[i], by, names);
	return err ? err : summary_line(c);
}

static int error_line(const struct rss_census *c, const struct rss_row *r)
{
	bool known = r->approx_known && r->exact_known;
	s64 bound = rss_bound(c, r->threads);

	return rss_json_line(json_pack(
		"{s:s, s:I, s:o, s:I, s:s, s:o, s:o, s:o, s:o, s:b}", "type", "mm", "pid",
		(json_int_t)r->mm->pid, "comm", json_text(r->mm->comm), "threads",
		(json_int_t)r->threads, "state", rss_state_names[r->state], "approx",
		sizes(r->approx_known, r->approx), "exact", sizes(known, r->exact), "error_bytes",
		pages(known, rss_row_error(r)), "bound_bytes",
		pages(bound >= 0, r->state == RSS_ATOMIC ? 0 : 3 * bound), "moving", r->moving));
}

static int oom_line(const struct oom_row *r)
{
	return rss_json_line(
		json_pack("{s:s, s:I, s:o, s:i, s:i, s:I, s:I, s:i}", "type", "oom", "pid",
			  (json_int_t)r->mm->pid, "comm", json_text(r->mm->comm), "exact_rank",
			  r->exact_rank, "approx_rank", r->approx_rank, "exact_pages",
			  (json_int_t)r->exact_points, "approx_pages", (json_int_t)r->approx_points,
			  "oom_score_adj", (int)r->mm->oom_score_adj));
}

int rss_json_error(const struct rss_census *c, const struct rss_view *v, const struct oom_view *oom,
		   size_t rows)
{
	int err = rss_json_header(c);

	for (size_t i = 0; !err && i < limit(v->nr, rows); i++)
		err = error_line(c, &v->rows[i]);
	for (size_t i = 0; !err && i < limit(oom->nr, OOM_ROWS); i++)
		err = oom_line(&oom->rows[i]);
	if (err)
		return err;
	return rss_json_line(json_pack("{s:s, s:I, s:I, s:i}", "type", "summary", "mms",
				       (json_int_t)c->nr, "duration_ns", (json_int_t)c->took_ns,
				       "oom_moved", oom->moved));
}
