// SPDX-License-Identifier: GPL-2.0-only
#include "rss-print.h"

#include <string.h>

#include "text.h"

static s64 kib(s64 pages)
{
	static s64 page_kib;

	if (!page_kib)
		page_kib = sysconf(_SC_PAGESIZE) / 1024;
	return pages * page_kib;
}

/* Unmeasured is not zero. */
static void cell(int width, bool known, s64 v)
{
	if (known)
		printf(" %*lld", width, (long long)v);
	else
		printf(" %*s", width, "-");
}

void rss_print_mode(const struct rss_census *c)
{
	printf("rss_stat: %s\n", rss_mode_texts[c->mode]);
	printf("  because: %s\n", c->how);
	if (c->trial.allocs >= 0)
		printf("  a fork of a single-threaded process: %d percpu allocations, %d of them "
		       "for rss_stat\n",
		       c->trial.allocs, c->trial.rss_allocs < 0 ? 0 : c->trial.rss_allocs);
}

static void print_counts(const struct rss_census *c)
{
	u64 shared = 0;

	for (size_t i = 0; i < c->nr; i++)
		shared += c->mms[i].processes > 1;
	printf("  %zu mms:", c->nr);
	for (int s = 0; s < NR_RSS_STATES; s++)
		if (rss_count_state(c, s))
			printf(" %zu %s", rss_count_state(c, s), rss_state_names[s]);
	if (shared)
		printf(", %llu shared by several processes", (unsigned long long)shared);
	printf("; read in %.1f ms\n", c->took_ns / 1e6);
	if (!c->slots && (c->shape == SHAPE_PERCPU || c->shape == SHAPE_LAZY_LOCAL))
		printf("  percpu values cannot be read here (%s): sizes are approximate\n",
		       c->no_slots);
}

static void print_name(const char *name, int width)
{
	char safe[300];

	printf(" %-*s", width, text_copy(safe, sizeof(safe), name, sizeof(safe)));
}

static void print_sizes(const struct rss_row *r)
{
	const s64 *pages = r->exact_known ? r->exact : r->approx;

	cell(8, r->approx_known, kib(rss_sum(pages)));
	for (int i = 0; i < NR_RSS; i++)
		cell(8, r->approx_known, kib(pages[i]));
}

static void print_process(const struct rss_row *r)
{
	printf("%7u", r->mm->pid);
	print_name(r->mm->comm, 15);
	printf(" %4llu %-6s", (unsigned long long)r->threads, rss_state_names[r->state]);
	print_sizes(r);
	putchar('\n');
}

static void print_group(const struct rss_row *r, enum rss_by by, struct cgroups *names)
{
	const char *path = by == RSS_BY_CGROUP && names ? cgroups_path(names, r->cgroup) : NULL;

	printf("%7llu %7llu %7llu %7llu", (unsigned long long)r->mms,
	       (unsigned long long)r->threads, (unsigned long long)r->in_state[RSS_ATOMIC],
	       (unsigned long long)r->in_state[RSS_PERCPU]);
	print_sizes(r);
	if (by == RSS_BY_MODE)
		printf(" %s\n", rss_state_names[r->state]);
	else if (path) {
		print_name(path, 0);
		putchar('\n');
	} else
		printf(" %llu\n", (unsigned long long)r->cgroup);
}

static size_t limit(size_t nr, size_t rows)
{
	return rows && rows < nr ? rows : nr;
}

void rss_print_census(const struct rss_census *c, const struct rss_view *v, enum rss_by by,
		      struct cgroups *names, size_t rows)
{
	rss_print_mode(c);
	print_counts(c);
	putchar('\n');
	if (by == RSS_BY_PROCESS)
		printf("%7s %-15s %4s %-6s", "PID", "COMM", "THR", "STATE");
	else
		printf("%7s %7s %7s %7s", "MMS", "THREADS", "ATOMIC", "PERCPU");
	printf(" %8s %8s %8s %8s %8s", "RSS kB", "FILE kB", "ANON kB", "SWAP kB", "SHMEM kB");
	puts(by == RSS_BY_CGROUP ? " CGROUP" : by == RSS_BY_MODE ? " STATE" : "");
	for (size_t i = 0; i < limit(v->nr, rows); i++) {
		if (by == RSS_BY_PROCESS)
			print_process(&v->rows[i]);
		else
			print_group(&v->rows[i], by, names);
	}
}

static void print_bound(const struct rss_census *c)
{
	s64 bound = rss_bound(c, 1);

	if (c->mode == MODE_SPLIT)
		printf("bound: 64 pages for each thread and counter (%lld kB)\n",
		       (long long)kib(bound));
	else if (bound >= 0)
		printf("bound: %d CPUs x (batch %u - 1) = %lld pages (%lld kB) for each counter in "
		       "percpu mode, three times that for RSS\n",
		       c->cpus_online, rss_batch(c->cpus_online), (long long)bound,
		       (long long)kib(bound));
	else
		printf("bound: unknown in this mode\n");
}

static void print_error_row(const struct rss_row *r)
{
	bool known = r->approx_known && r->exact_known;

	printf("%8u", r->mm->pid);
	print_name(r->mm->comm, 15);
	printf(" %5llu %-6s", (unsigned long long)r->threads, rss_state_names[r->state]);
	cell(10, r->approx_known, kib(rss_sum(r->approx)));
	cell(10, known, kib(rss_sum(r->exact)));
	cell(9, known, kib(rss_row_error(r)));
	for (int i = 0; i < NR_RSS; i++)
		cell(8, known, kib(r->approx[i] - r->exact[i]));
	puts(r->moving ? " moving" : "");
}

static void print_oom(const struct oom_view *o)
{
	size_t n = limit(o->nr, OOM_ROWS);

	if (!o->nr)
		return;
	printf("\nlargest for the OOM killer (pages, oom_score_adj included)\n");
	printf("%5s %6s %8s %-15s %12s %12s %6s\n", "EXACT", "APPROX", "PID", "COMM", "EXACT",
	       "APPROX", "ADJ");
	for (size_t i = 0; i < n; i++) {
		const struct oom_row *r = &o->rows[i];

		printf("%5d %6d %8u", r->exact_rank, r->approx_rank, r->mm->pid);
		print_name(r->mm->comm, 15);
		printf(" %12lld %12lld %6d\n", (long long)r->exact_points,
		       (long long)r->approx_points, r->mm->oom_score_adj);
	}
	if (o->moved)
		printf("order: %d of the first %zu stand elsewhere by the approximate values\n",
		       o->moved, n);
	else
		printf("order: the same both ways\n");
}

void rss_print_error(const struct rss_census *c, const struct rss_view *v,
		     const struct oom_view *oom, size_t rows)
{
	rss_print_mode(c);
	print_counts(c);
	print_bound(c);
	printf("\n%8s %-15s %5s %-6s %10s %10s %9s %8s %8s %8s %8s\n", "PID", "COMM", "THR",
	       "STATE", "APPROX kB", "EXACT kB", "ERROR kB", "FILE", "ANON", "SWAP", "SHMEM");
	for (size_t i = 0; i < limit(v->nr, rows); i++)
		print_error_row(&v->rows[i]);
	print_oom(oom);
}
