// SPDX-License-Identifier: GPL-2.0-only
#include "bench-compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const struct bench_case *twin(const struct bench_report *r, const struct bench_case *c)
{
	for (size_t i = 0; i < r->nr_cases; i++)
		if (r->cases[i].workers == c->workers && !strcmp(r->cases[i].spec, c->spec))
			return &r->cases[i];
	return NULL;
}

static struct bench_change change_of(const struct bench_pair *p, const struct bench_metric *m)
{
	double a[MAX_ROUNDS], b[MAX_ROUNDS];
	size_t na = bench_values(p->a, m, a), nb = bench_values(p->b, m, b);
	struct bench_change c = { .a = stats_summary(a, na), .b = stats_summary(b, nb) };

	c.p = stats_mann_whitney(a, na, b, nb);
	c.change = c.a.median ? (c.b.median - c.a.median) / fabs(c.a.median) : NAN;
	c.significant = c.p < SIGNIFICANT;
	return c;
}

static int add_pair(struct bench_comparison *cmp, const struct bench_case *a,
		    const struct bench_case *b)
{
	struct bench_pair *p;

	if (grow(&cmp->pairs, &cmp->cap_pairs, cmp->nr_pairs, sizeof(*cmp->pairs)))
		return -ENOMEM;
	p = &cmp->pairs[cmp->nr_pairs++];
	p->a = a;
	p->b = b;
	for (int id = 0; id < NR_BENCH_METRICS; id++)
		p->changes[id] = change_of(p, &bench_metrics[id]);
	return 0;
}

/* The first reason is enough. */
static void find_unlike(struct bench_comparison *cmp)
{
	if (cmp->a->cpus_online != cmp->b->cpus_online) {
		snprintf(cmp->unlike, sizeof(cmp->unlike), "%u online CPUs and %u",
			 cmp->a->cpus_online, cmp->b->cpus_online);
		return;
	}
	if (cmp->only_a || cmp->only_b) {
		snprintf(cmp->unlike, sizeof(cmp->unlike),
			 "%zu of the first's workloads and worker counts and %zu of the second's "
			 "are not in the other",
			 cmp->only_a, cmp->only_b);
		return;
	}
	for (size_t i = 0; i < cmp->nr_pairs; i++) {
		const struct bench_pair *p = &cmp->pairs[i];

		if (p->a->pinned != p->b->pinned)
			snprintf(cmp->unlike, sizeof(cmp->unlike),
				 "the workers of %.200s are pinned in one only", p->a->spec);
	}
}

static const char *count(char *buf, size_t len, size_t n)
{
	if (n)
		snprintf(buf, len, "%zu", n);
	return n ? buf : "none";
}

static void verdict_one(struct bench_comparison *cmp)
{
	const struct bench_pair *p = &cmp->pairs[0];
	const struct bench_change *ops = &p->changes[BM_OPS_PER_S];
	const struct bench_change *allocs = &p->changes[BM_ALLOCS];
	char why[128] = "";

	if (allocs->a.n && allocs->b.n)
		snprintf(why, sizeof(why), ", with %.4g percpu allocations per %s instead of %.4g",
			 allocs->b.median, p->b->unit, allocs->a.median);
	if (allocs->a.n && allocs->b.n && allocs->a.median == allocs->b.median)
		snprintf(why, sizeof(why), ", with %.4g percpu allocations per %s in both",
			 allocs->b.median, p->b->unit);
	if (!ops->significant || isnan(ops->change))
		snprintf(cmp->verdict, sizeof(cmp->verdict),
			 "%s with %u workers: no significant difference in operations (p = %.2g)%s.",
			 p->a->spec, p->a->workers, ops->p, why);
	else
		snprintf(cmp->verdict, sizeof(cmp->verdict),
			 "%s with %u workers: the second does %.1f %% %s operations (p = %.2g)%s.",
			 p->a->spec, p->a->workers, fabs(ops->change) * 100,
			 ops->change > 0 ? "more" : "fewer", ops->p, why);
}

static void verdict_many(struct bench_comparison *cmp)
{
	size_t more = 0, fewer = 0;
	char a[24], b[24];

	for (size_t i = 0; i < cmp->nr_pairs; i++) {
		const struct bench_change *ops = &cmp->pairs[i].changes[BM_OPS_PER_S];

		more += ops->significant && ops->change > 0;
		fewer += ops->significant && ops->change < 0;
	}
	snprintf(cmp->verdict, sizeof(cmp->verdict),
		 "Of %zu cases the second does significantly more operations in %s and fewer in "
		 "%s; the others show no significant difference.",
		 cmp->nr_pairs, count(a, sizeof(a), more), count(b, sizeof(b), fewer));
}

int bench_compare(struct bench_comparison *cmp)
{
	int err = 0;

	for (size_t i = 0; i < cmp->a->nr_cases && !err; i++) {
		const struct bench_case *b = twin(cmp->b, &cmp->a->cases[i]);

		if (b)
			err = add_pair(cmp, &cmp->a->cases[i], b);
		else
			cmp->only_a++;
	}
	for (size_t i = 0; i < cmp->b->nr_cases; i++)
		cmp->only_b += !twin(cmp->a, &cmp->b->cases[i]);
	find_unlike(cmp);
	if (cmp->nr_pairs == 1)
		verdict_one(cmp);
	else if (cmp->nr_pairs)
		verdict_many(cmp);
	return err;
}

void bench_comparison_free(struct bench_comparison *cmp)
{
	free(cmp->pairs);
	cmp->pairs = NULL;
	cmp->nr_pairs = cmp->cap_pairs = 0;
}

static u64 traced_ops(const struct bench_case *c)
{
	u64 sum = 0;

	for (size_t i = 0; i < c->nr_rounds; i++)
		if (c->rounds[i].traced)
			sum += c->rounds[i].ops;
	return sum;
}

double bench_stack_change(const struct bench_pair *p, const struct bench_stack *of_b)
{
	double a_ops = traced_ops(p->a), b_ops = traced_ops(p->b);

	for (size_t i = 0; i < p->a->nr_stacks; i++) {
		const struct bench_stack *s = &p->a->stacks[i];

		if (!strcmp(s->lock, of_b->lock) && !strcmp(s->frames, of_b->frames) &&
		    s->wait_ns && a_ops && b_ops)
			return of_b->wait_ns / b_ops / (s->wait_ns / a_ops);
	}
	return NAN;
}
