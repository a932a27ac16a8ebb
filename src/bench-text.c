// SPDX-License-Identifier: GPL-2.0-only
#include "bench-text.h"

#include <math.h>
#include <string.h>

#include "render.h"

#define VALUE_LEN  32
#define NAME_WIDTH 28

/* 1234567 as "1,234,567". */
static void group(double v, char *buf, size_t len)
{
	char digits[32];
	size_t n, out = 0;

	snprintf(digits, sizeof(digits), "%.0f", v);
	n = strlen(digits);
	for (size_t i = 0; i < n && out + 2 < len; i++) {
		buf[out++] = digits[i];
		if ((n - i) % 3 == 1 && i + 1 < n && digits[i] != '-')
			buf[out++] = ',';
	}
	buf[out] = '\0';
}

void bench_format(const struct bench_metric *m, double v, char *buf, size_t len)
{
	if (isnan(v)) {
		snprintf(buf, len, "-");
	} else if (!strcmp(m->unit, "ns")) {
		format_ns(v + 0.5, buf, len);
	} else if (!strcmp(m->unit, "%")) {
		snprintf(buf, len, "%.1f %%", v * 100);
	} else if (!strcmp(m->unit, "B")) {
		format_bytes(v < 0 ? 0 : v, buf, len);
	} else if (!strcmp(m->unit, "/s")) {
		group(v, buf, len - 2);
		strcat(buf, "/s");
	} else {
		snprintf(buf, len, "%.4g", v);
	}
}

static void format_share(double v, char *buf, size_t len)
{
	if (isnan(v))
		snprintf(buf, len, "-");
	else
		snprintf(buf, len, "%.1f %%", v * 100);
}

void bench_text_header(FILE *f, const struct bench_report *r)
{
	fprintf(f, "Linux %s, %u CPUs (%u possible), rss_stat %s", r->kernel, r->cpus_online,
		r->cpus_possible, *r->rss_mode ? r->rss_mode : "unknown");
	if (r->allocs_per_mm >= 0)
		fprintf(f, ", %d percpu allocations per mm", r->allocs_per_mm);
	fputc('\n', f);
}

static size_t count_rounds(const struct bench_case *c, bool traced)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr_rounds; i++)
		n += c->rounds[i].traced == traced;
	return n;
}

static void text_metric(FILE *f, const struct bench_case *c, enum bench_metric_id id)
{
	const struct bench_metric *m = &bench_metrics[id];
	struct summary s = bench_summary(c, id);
	char med[VALUE_LEN], min[VALUE_LEN], max[VALUE_LEN], spread[VALUE_LEN];

	bench_format(m, s.median, med, sizeof(med));
	bench_format(m, s.min, min, sizeof(min));
	bench_format(m, s.max, max, sizeof(max));
	format_share(s.spread, spread, sizeof(spread));
	fprintf(f, "%-*s %14s %14s %14s %9s\n", NAME_WIDTH, m->name, med, min, max, spread);
}

static void text_truth(FILE *f, const struct bench_case *c)
{
	s64 diff;
	u64 lost = bench_lost(c);

	switch (bench_check(c, &diff)) {
	case TRUTH_HOLDS:
		fprintf(f, "counts agree with what the workload did%s\n",
			c->own_only ? "" : " (other processes' allocations are in them)");
		break;
	case TRUTH_BROKEN:
		fprintf(f, "INVALID: %+lld allocations against what the workload did\n",
			(long long)diff);
		break;
	case TRUTH_UNKNOWN:
		if (count_rounds(c, true))
			fprintf(f, "no expectation of the allocations to compare with\n");
	}
	if (lost)
		fprintf(f, "%llu events are in no total\n", lost);
}

static void text_tracing(FILE *f, const struct bench_case *c)
{
	double p, cost = bench_tracing_cost(c, &p);

	if (isnan(cost))
		return;
	/* Two ranks of three values each cannot be told apart at 5 %: p is 0.1 at best. */
	if (count_rounds(c, true) < 4 || count_rounds(c, false) < 4)
		fprintf(f,
			"%+.1f %% operations with tracing; what it costs takes 4 rounds to tell\n",
			-cost * 100);
	else if (p < SIGNIFICANT)
		fprintf(f, "tracing costs %.1f %% of the operations (p = %.2g)\n", cost * 100, p);
	else
		fprintf(f, "tracing has no significant cost (%+.1f %% operations, p = %.2g)\n",
			-cost * 100, p);
}

static void text_frames(FILE *f, const char *frames)
{
	for (const char *c = frames; *c; c++)
		if (*c == ';')
			fputs(" < ", f);
		else
			fputc(*c, f);
}

static void text_stacks(FILE *f, const struct bench_case *c)
{
	char wait[VALUE_LEN];

	for (size_t i = 0; i < c->nr_stacks; i++) {
		format_ns(c->stacks[i].wait_ns, wait, sizeof(wait));
		fprintf(f, "%swaits %llu, %s, for %s: ", i ? "" : "\n", c->stacks[i].waits, wait,
			c->stacks[i].lock);
		text_frames(f, c->stacks[i].frames);
		fputc('\n', f);
	}
}

static void text_rounds(FILE *f, const struct bench_case *c)
{
	size_t untraced = count_rounds(c, false), traced = count_rounds(c, true);
	char round[VALUE_LEN];

	fprintf(f, "\n%s, %u %s%s: %zu %s", c->spec, c->workers,
		c->workers == 1 ? "worker" : "workers", c->pinned ? ", pinned" : "", untraced,
		untraced == 1 ? "round" : "rounds");
	if (c->duration_ns != NOT_TOLD)
		fprintf(f, " of %s", format_ns(c->duration_ns, round, sizeof(round)));
	if (traced)
		fprintf(f, ", and %zu traced", traced);
	fprintf(f, "; one op is one %s\n", c->unit);
}

void bench_text_case(FILE *f, const struct bench_case *c)
{
	text_rounds(f, c);
	fprintf(f, "%-*s %14s %14s %14s %9s\n", NAME_WIDTH, "", "median", "min", "max", "spread");
	for (int id = 0; id < NR_BENCH_METRICS; id++)
		if (bench_summary(c, id).n)
			text_metric(f, c, id);
	text_truth(f, c);
	text_tracing(f, c);
	text_stacks(f, c);
	fflush(f);
}

static double one_worker_rate(const struct bench_case *const *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c[i]->workers == 1)
			return bench_summary(c[i], BM_OPS_PER_S).median;
	return NAN;
}

void bench_text_scaling(FILE *f, const struct bench_case *const *c, size_t n, u32 cpus)
{
	const struct bench_case *knee = bench_knee(c, n);
	double one = one_worker_rate(c, n);
	char rate[VALUE_LEN], eff[VALUE_LEN], wait[VALUE_LEN];

	fprintf(f, "\n%s, scaling on %u CPUs\n%8s %14s %12s %12s\n", c[0]->spec, cpus, "workers",
		"operations", "efficiency", "lock wait");
	for (size_t i = 0; i < n; i++) {
		double ops = bench_summary(c[i], BM_OPS_PER_S).median;
		double share = bench_summary(c[i], BM_WAIT_SHARE).median;

		bench_format(&bench_metrics[BM_OPS_PER_S], ops, rate, sizeof(rate));
		format_share(ops / one / c[i]->workers, eff, sizeof(eff));
		format_share(share, wait, sizeof(wait));
		fprintf(f, "%8u %14s %12s %12s\n", c[i]->workers, rate, eff, wait);
	}
	if (knee)
		fprintf(f, "knee: from %u workers on, waiting takes more than %.0f %% of the time\n",
			knee->workers, KNEE_SHARE * 100);
	else if (!isnan(bench_summary(c[0], BM_WAIT_SHARE).median))
		fprintf(f, "no knee: waiting never takes more than %.0f %% of the time\n",
			KNEE_SHARE * 100);
}

static void text_change(FILE *f, const struct bench_metric *m, const struct bench_change *c)
{
	char a[VALUE_LEN], b[VALUE_LEN], sa[VALUE_LEN], sb[VALUE_LEN], change[VALUE_LEN] = "-";

	bench_format(m, c->a.median, a, sizeof(a));
	bench_format(m, c->b.median, b, sizeof(b));
	format_share(c->a.spread, sa, sizeof(sa));
	format_share(c->b.spread, sb, sizeof(sb));
	if (!isnan(c->change))
		snprintf(change, sizeof(change), "%+.1f %%", c->change * 100);
	fprintf(f, "%14s +- %-8s %9s %c %14s +- %-8s %s\n", a, sa, change,
		c->significant ? '*' : ' ', b, sb, m->name);
}

static void text_stack_changes(FILE *f, const struct bench_pair *p)
{
	for (size_t i = 0; i < p->b->nr_stacks; i++) {
		double change = bench_stack_change(p, &p->b->stacks[i]);

		if (isnan(change))
			fprintf(f, "  wait new among the first: ");
		else
			fprintf(f, "  wait per op x %.2f: ", change);
		text_frames(f, p->b->stacks[i].frames);
		fputc('\n', f);
	}
}

static void text_invalid(FILE *f, const char *which, const struct bench_case *c)
{
	s64 diff;

	if (bench_check(c, &diff) == TRUTH_BROKEN)
		fprintf(f, "INVALID: the %s has %+lld allocations against what the workload did\n",
			which, (long long)diff);
}

static void text_pair(FILE *f, const struct bench_pair *p)
{
	fprintf(f, "\n%s, %u %s\n", p->a->spec, p->a->workers,
		p->a->workers == 1 ? "worker" : "workers");
	text_invalid(f, "first", p->a);
	text_invalid(f, "second", p->b);
	for (int id = 0; id < NR_BENCH_METRICS; id++)
		if (p->changes[id].a.n || p->changes[id].b.n)
			text_change(f, &bench_metrics[id], &p->changes[id]);
	text_stack_changes(f, p);
}

void bench_text_compare(FILE *f, const struct bench_comparison *cmp)
{
	fprintf(f, "first:  %s: ", cmp->a_name);
	bench_text_header(f, cmp->a);
	fprintf(f, "second: %s: ", cmp->b_name);
	bench_text_header(f, cmp->b);
	for (size_t i = 0; i < cmp->nr_pairs; i++)
		text_pair(f, &cmp->pairs[i]);
	fprintf(f, "\n+- is (max - min) / median; * is p < %.2g (Mann-Whitney, two-sided).\n%s\n",
		SIGNIFICANT, cmp->verdict);
}
