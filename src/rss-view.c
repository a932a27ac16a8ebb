// SPDX-License-Identifier: GPL-2.0-only
#include "rss-view.h"

#include <errno.h>
#include <string.h>

const char *const rss_key_names[NR_RSS_KEYS] = {
	[KEY_RSS] = "rss",         [KEY_FILE] = "file",   [KEY_ANON] = "anon",
	[KEY_SWAP] = "swap",       [KEY_SHMEM] = "shmem", [KEY_ERROR] = "error",
	[KEY_THREADS] = "threads", [KEY_MMS] = "mms",     [KEY_PID] = "pid",
};

static void fill_row(struct rss_row *row, const struct rss_census *c, const struct rss_mm *m)
{
	*row = (struct rss_row) {
		.mm = m,
		.cgroup = m->cgroup,
		.state = m->state,
		.mms = 1,
		.threads = m->threads,
		.approx_known = m->state != RSS_UNREAD,
		.exact_known = true,
		.moving = m->flags & RSS_MOVED,
	};
	row->in_state[m->state] = 1;
	for (int i = 0; i < NR_RSS; i++) {
		row->approx[i] = row->approx_known ? rss_approx(c, m, i) : 0;
		row->exact_known &= rss_exact(c, m, i, &row->exact[i]);
		if (row->exact[i] < 0 && m->state != RSS_ATOMIC)
			row->exact[i] = 0;
	}
}

static void add_row(struct rss_row *to, const struct rss_row *r)
{
	to->mm = NULL;
	to->mms += r->mms;
	to->threads += r->threads;
	to->approx_known &= r->approx_known;
	to->exact_known &= r->exact_known;
	to->moving |= r->moving;
	for (int i = 0; i < NR_RSS; i++) {
		to->approx[i] += r->approx[i];
		to->exact[i] += r->exact[i];
	}
	for (int i = 0; i < NR_RSS_STATES; i++)
		to->in_state[i] += r->in_state[i];
}

static int cmp_group(const void *a, const void *b)
{
	const struct rss_row *x = a, *y = b;

	if (x->cgroup != y->cgroup)
		return x->cgroup < y->cgroup ? -1 : 1;
	return (int)x->state - (int)y->state;
}

/* Equal keys are neighbours now; the other key was made the same everywhere before. */
static void group(struct rss_view *v)
{
	size_t n = 0;

	if (!v->nr)
		return;
	qsort(v->rows, v->nr, sizeof(*v->rows), cmp_group);
	v->rows[0].mm = NULL;
	for (size_t i = 1; i < v->nr; i++) {
		if (!cmp_group(&v->rows[n], &v->rows[i])) {
			add_row(&v->rows[n], &v->rows[i]);
			continue;
		}
		v->rows[++n] = v->rows[i];
		v->rows[n].mm = NULL;
	}
	v->nr = n + 1;
}

int rss_view_build(struct rss_view *v, const struct rss_census *c, enum rss_by by)
{
	struct rss_row *row;

	v->nr = 0;
	for (size_t i = 0; i < c->nr; i++) {
		if (grow(&v->rows, &v->cap, v->nr, sizeof(*v->rows)))
			return -ENOMEM;
		row = &v->rows[v->nr++];
		fill_row(row, c, &c->mms[i]);
		if (by == RSS_BY_CGROUP)
			row->state = RSS_ATOMIC;
		else if (by == RSS_BY_MODE)
			row->cgroup = 0;
	}
	if (by != RSS_BY_PROCESS)
		group(v);
	return 0;
}

void rss_view_free(struct rss_view *v)
{
	free(v->rows);
	*v = (struct rss_view) {};
}

s64 rss_sum(const s64 *pages)
{
	return pages[RSS_FILE] + pages[RSS_ANON] + pages[RSS_SHMEM];
}

s64 rss_row_error(const struct rss_row *r)
{
	if (!r->approx_known || !r->exact_known)
		return 0;
	return rss_sum(r->approx) - rss_sum(r->exact);
}

static s64 key_value(const struct rss_row *r, enum rss_key key)
{
	const s64 *pages = r->exact_known ? r->exact : r->approx;

	switch (key) {
	case KEY_FILE:
		return pages[RSS_FILE];
	case KEY_ANON:
		return pages[RSS_ANON];
	case KEY_SWAP:
		return pages[RSS_SWAP];
	case KEY_SHMEM:
		return pages[RSS_SHMEM];
	case KEY_ERROR:
		return llabs(rss_row_error(r));
	case KEY_THREADS:
		return r->threads;
	case KEY_MMS:
		return r->mms;
	case KEY_PID:
		return r->mm ? -(s64)r->mm->pid : 0;
	default:
		return rss_sum(pages);
	}
}

static int cmp_rows(const void *a, const void *b, void *arg)
{
	const enum rss_key *key = arg;
	const struct rss_row *x = a, *y = b;
	s64 xv = key_value(x, *key), yv = key_value(y, *key);

	if (xv != yv)
		return xv > yv ? -1 : 1;
	if (x->mm && y->mm && x->mm->pid != y->mm->pid)
		return x->mm->pid < y->mm->pid ? -1 : 1;
	return cmp_group(x, y);
}

void rss_view_sort(struct rss_view *v, enum rss_key key)
{
	if (v->nr)
		qsort_r(v->rows, v->nr, sizeof(*v->rows), cmp_rows, &key);
}

u32 rss_batch(int cpus_online)
{
	return cpus_online > 16 ? 2 * cpus_online : 32;
}

s64 rss_bound(const struct rss_census *c, u64 threads)
{
	switch (c->mode) {
	case MODE_SPLIT:
		return 64 * threads;
	case MODE_INDIVIDUAL:
	case MODE_GROUPED:
	case MODE_LAZY:
	case MODE_LAZY_LOCAL:
		return (s64)c->cpus_online * (rss_batch(c->cpus_online) - 1);
	case MODE_UP:
		return 0;
	default:
		return -1;
	}
}
