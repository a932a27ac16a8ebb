// SPDX-License-Identifier: GPL-2.0-only
/* Would the OOM killer choose differently with exact counters? */
#include "rss-view.h"

#include <errno.h>

#define OOM_SCORE_ADJ_MIN (-1000)

/*
 * mm/oom_kill.c oom_badness(), 5.10 to 7.3: rss, swap entries and page tables, and a thousandth
 * of all memory for each point of oom_score_adj.
 */
static s64 points(const struct rss_mm *m, const s64 *pages, s64 total_pages, s64 page_size)
{
	return rss_sum(pages) + pages[RSS_SWAP] + (s64)m->pgtables_bytes / page_size +
	       m->oom_score_adj * (total_pages / 1000);
}

static int cmp_approx(const void *a, const void *b)
{
	const struct oom_row *x = a, *y = b;

	if (x->approx_points != y->approx_points)
		return x->approx_points > y->approx_points ? -1 : 1;
	return x->mm->pid < y->mm->pid ? -1 : x->mm->pid > y->mm->pid;
}

static int cmp_exact(const void *a, const void *b)
{
	const struct oom_row *x = a, *y = b;

	if (x->exact_points != y->exact_points)
		return x->exact_points > y->exact_points ? -1 : 1;
	return x->mm->pid < y->mm->pid ? -1 : x->mm->pid > y->mm->pid;
}

static void rank(struct oom_view *o)
{
	qsort(o->rows, o->nr, sizeof(*o->rows), cmp_approx);
	for (size_t i = 0; i < o->nr; i++)
		o->rows[i].approx_rank = i + 1;
	qsort(o->rows, o->nr, sizeof(*o->rows), cmp_exact);
	for (size_t i = 0; i < o->nr; i++) {
		o->rows[i].exact_rank = i + 1;
		o->moved += i < OOM_ROWS && o->rows[i].approx_rank != o->rows[i].exact_rank;
	}
}

int oom_view_build(struct oom_view *o, const struct rss_view *v, s64 total_pages, s64 page_size)
{
	*o = (struct oom_view) { .rows = calloc(v->nr + 1, sizeof(*o->rows)) };
	if (!o->rows)
		return -ENOMEM;
	for (size_t i = 0; i < v->nr; i++) {
		const struct rss_row *r = &v->rows[i];

		if (!r->mm || !r->exact_known || !r->approx_known || r->mm->pid == 1 ||
		    r->mm->oom_score_adj == OOM_SCORE_ADJ_MIN)
			continue;
		o->rows[o->nr++] = (struct oom_row) {
			.mm = r->mm,
			.approx_points = points(r->mm, r->approx, total_pages, page_size),
			.exact_points = points(r->mm, r->exact, total_pages, page_size),
		};
	}
	if (o->nr)
		rank(o);
	return 0;
}

void oom_view_free(struct oom_view *o)
{
	free(o->rows);
	*o = (struct oom_view) {};
}
