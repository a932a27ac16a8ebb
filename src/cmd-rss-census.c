// SPDX-License-Identifier: GPL-2.0-only
/* pcpustat rss and pcpustat rss error: one pass over all mms. */
#include "cmd-rss.h"

#include <string.h>

#include "rss-print.h"

#define ERROR_ROWS 20

static int take(struct rss_census *c)
{
	_cleanup_rss_ struct rss *r = NULL;
	int err = rss_open(&r);

	return err ? err : rss_take(r, c);
}

/* Leaves only the rows of one process. */
static void keep_pid(struct rss_view *v, u32 pid)
{
	size_t n = 0;

	for (size_t i = 0; i < v->nr; i++)
		if (!pid || (v->rows[i].mm && v->rows[i].mm->pid == pid))
			v->rows[n++] = v->rows[i];
	v->nr = n;
}

static void put_names(struct cgroups **names)
{
	cgroups_free(*names);
}

static int print_census(const struct rss_opts *o, const struct rss_census *c)
{
	_cleanup_(put_names) struct cgroups *names = NULL;
	_cleanup_(rss_view_free) struct rss_view v = {};

	if (rss_view_build(&v, c, o->by))
		return fail(EXIT_RUNTIME, "out of memory");
	keep_pid(&v, o->pid);
	if (o->pid && !v.nr)
		return fail(EXIT_USAGE, "no process %u with an mm of its own", o->pid);
	rss_view_sort(&v, o->key);
	if (o->by == RSS_BY_CGROUP && *c->cgroup_mount)
		names = cgroups_open(c->cgroup_mount);
	if (o->json)
		return rss_json_census(c, &v, o->by, names, o->rows);
	rss_print_census(c, &v, o->by, names, o->rows);
	return EXIT_OK;
}

int cmd_rss_census(const struct rss_opts *o)
{
	_cleanup_census_ struct rss_census c = {};
	int err;

	if (o->nr_args)
		return fail(EXIT_USAGE, "rss census takes no argument: %s", o->args[0]);
	err = take(&c);
	return err ? err : print_census(o, &c);
}

/* MemTotal + SwapTotal in pages: what the OOM killer's totalpages is without constraints. */
static s64 total_pages(s64 page_size)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kb, sum = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemTotal: %llu", &kb) == 1 ||
		    sscanf(line, "SwapTotal: %llu", &kb) == 1)
			sum += kb;
	return sum * 1024 / page_size;
}

static int print_error(const struct rss_opts *o, const struct rss_census *c)
{
	_cleanup_(oom_view_free) struct oom_view oom = {};
	_cleanup_(rss_view_free) struct rss_view v = {};
	s64 page_size = sysconf(_SC_PAGESIZE);

	if (rss_view_build(&v, c, RSS_BY_PROCESS) ||
	    oom_view_build(&oom, &v, total_pages(page_size), page_size))
		return fail(EXIT_RUNTIME, "out of memory");
	keep_pid(&v, o->pid);
	if (o->pid && !v.nr)
		return fail(EXIT_USAGE, "no process %u with an mm of its own", o->pid);
	rss_view_sort(&v, o->key_given ? o->key : KEY_ERROR);
	if (o->json)
		return rss_json_error(c, &v, &oom, o->rows_given ? o->rows : 0);
	rss_print_error(c, &v, &oom, o->rows_given ? o->rows : ERROR_ROWS);
	return EXIT_OK;
}

int cmd_rss_error(const struct rss_opts *o)
{
	_cleanup_census_ struct rss_census c = {};
	int err;

	if (o->nr_args)
		return fail(EXIT_USAGE, "rss error takes no argument: %s", o->args[0]);
	if (o->by != RSS_BY_PROCESS)
		return fail(EXIT_USAGE, "rss error is by process only");
	err = take(&c);
	if (err)
		return err;
	if (!c.slots && (c.shape == SHAPE_PERCPU || c.shape == SHAPE_LAZY_LOCAL))
		msg("the error cannot be measured here: %s", c.no_slots);
	return print_error(o, &c);
}
