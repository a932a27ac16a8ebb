// SPDX-License-Identifier: GPL-2.0-only
#include "bench-result.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static double per_op(const struct bench_round *r, u64 value)
{
	return r->ops && value != NOT_TOLD ? (double)value / r->ops : NAN;
}

static double get_ops_per_s(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return r->elapsed_ns ? r->ops * 1e9 / r->elapsed_ns : NAN;
}

/* The time that one worker takes for one operation. */
static double get_op_ns(const struct bench_case *c, const struct bench_round *r)
{
	return r->ops ? (double)r->elapsed_ns * c->workers / r->ops : NAN;
}

/* The loop of a shell that the kernel discussions quote: 20,000 times /bin/true. */
static double get_loop_ns(const struct bench_case *c, const struct bench_round *r)
{
	return strcmp(c->spec, "spawn") ? NAN : get_op_ns(c, r) * 20000;
}

static double get_part(const struct bench_round *r, int part)
{
	return r->part_count[part] ? (double)r->part_ns[part] / r->part_count[part] : NAN;
}

static double get_first_thread(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return get_part(r, PART_FIRST_THREAD);
}

static double get_further_threads(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return get_part(r, PART_FURTHER_THREADS);
}

static double get_cpu(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, r->cpu_ns);
}

static double get_switches(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, r->switches);
}

static double get_faults(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, r->faults);
}

static double told(u64 v)
{
	return v == NOT_TOLD ? NAN : (double)v;
}

static double get_grace_periods(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return told(r->grace_periods);
}

static double get_footprint(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return told(r->footprint_bytes);
}

static double get_allocs(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, r->allocs);
}

static double get_passes(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, r->passes);
}

static double get_alloc_ns(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, r->alloc_ns);
}

/* Over the locks that can be observed; none: unmeasured. */
static u64 all_wait_ns(const struct bench_round *r)
{
	u64 sum = NOT_TOLD;

	for (int i = 0; i < NR_LOCKS; i++)
		if (r->wait_ns[i] != NOT_TOLD)
			sum = r->wait_ns[i] + (sum == NOT_TOLD ? 0 : sum);
	return sum;
}

static double get_wait_ns(const struct bench_case *c, const struct bench_round *r)
{
	(void)c;
	return per_op(r, all_wait_ns(r));
}

static double get_wait_share(const struct bench_case *c, const struct bench_round *r)
{
	u64 wait = all_wait_ns(r);

	if (wait == NOT_TOLD || !r->elapsed_ns)
		return NAN;
	return (double)wait / ((double)r->elapsed_ns * c->workers);
}

const struct bench_metric bench_metrics[NR_BENCH_METRICS] = {
	[BM_OPS_PER_S] = { "ops_per_s", "operations", "/s", false, 1, get_ops_per_s },
	[BM_OP_NS] = { "op_ns", "time per operation", "ns", false, -1, get_op_ns },
	[BM_LOOP_NS] = { "loop_20000_ns", "20,000 one after another", "ns", false, -1, get_loop_ns },
	[BM_FIRST_THREAD_NS] = { "first_thread_ns", "clone of the first thread", "ns", false, -1,
				 get_first_thread },
	[BM_FURTHER_THREADS_NS] = { "further_thread_ns", "clone of a further thread", "ns", false,
				    -1, get_further_threads },
	[BM_CPU_NS] = { "cpu_ns_per_op", "CPU time per op", "ns", false, -1, get_cpu },
	[BM_SWITCHES] = { "switches_per_op", "context switches per op", "", false, -1,
			  get_switches },
	[BM_FAULTS] = { "faults_per_op", "page faults per op", "", false, 0, get_faults },
	[BM_GRACE_PERIODS] = { "grace_periods", "grace periods", "", false, -1, get_grace_periods },
	[BM_FOOTPRINT] = { "footprint_bytes", "memory waiting", "B", false, -1, get_footprint },
	[BM_TRACED_OPS_PER_S] = { "traced_ops_per_s", "operations, traced", "/s", true, 1,
				  get_ops_per_s },
	[BM_ALLOCS] = { "allocs_per_op", "percpu allocations per op", "", true, -1, get_allocs },
	[BM_PASSES] = { "mutex_passes_per_op", "mutex passes per op", "", true, -1, get_passes },
	[BM_ALLOC_NS] = { "alloc_ns_per_op", "allocator time per op", "ns", true, -1, get_alloc_ns },
	[BM_WAIT_NS] = { "wait_ns_per_op", "lock wait per op", "ns", true, -1, get_wait_ns },
	[BM_WAIT_SHARE] = { "wait_share", "lock wait, share of time", "%", true, -1,
			    get_wait_share },
};

size_t bench_values(const struct bench_case *c, const struct bench_metric *m, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nr_rounds && n < MAX_ROUNDS; i++)
		if (c->rounds[i].traced == m->traced)
			v[n++] = m->get(c, &c->rounds[i]);
	return n;
}

struct summary bench_summary(const struct bench_case *c, enum bench_metric_id id)
{
	double v[MAX_ROUNDS];

	return stats_summary(v, bench_values(c, &bench_metrics[id], v));
}

double bench_tracing_cost(const struct bench_case *c, double *p)
{
	double off[MAX_ROUNDS], on[MAX_ROUNDS];
	size_t n_off = bench_values(c, &bench_metrics[BM_OPS_PER_S], off);
	size_t n_on = bench_values(c, &bench_metrics[BM_TRACED_OPS_PER_S], on);

	*p = stats_mann_whitney(off, n_off, on, n_on);
	return 1 - stats_summary(on, n_on).median / stats_summary(off, n_off).median;
}

enum bench_truth bench_check(const struct bench_case *c, s64 *diff)
{
	enum bench_truth truth = TRUTH_UNKNOWN;

	for (size_t i = 0; i < c->nr_rounds; i++) {
		const struct bench_round *r = &c->rounds[i];

		if (!r->traced || r->expected == NOT_TOLD || r->allocs == NOT_TOLD)
			continue;
		*diff = (s64)(r->allocs - r->expected);
		if (*diff < 0 || (*diff && c->own_only))
			return TRUTH_BROKEN;
		truth = TRUTH_HOLDS;
	}
	*diff = 0;
	return truth;
}

u64 bench_lost(const struct bench_case *c)
{
	u64 sum = 0;

	for (size_t i = 0; i < c->nr_rounds; i++)
		if (c->rounds[i].traced)
			sum += c->rounds[i].lost;
	return sum;
}

const struct bench_case *bench_knee(const struct bench_case *const *c, size_t n)
{
	const struct bench_case *knee = NULL;

	for (size_t i = 0; i < n; i++)
		if (bench_summary(c[i], BM_WAIT_SHARE).median > KNEE_SHARE &&
		    (!knee || c[i]->workers < knee->workers))
			knee = c[i];
	return knee;
}

struct bench_case *bench_add_case(struct bench_report *r)
{
	if (grow(&r->cases, &r->cap_cases, r->nr_cases, sizeof(*r->cases)))
		return NULL;
	memset(&r->cases[r->nr_cases], 0, sizeof(*r->cases));
	return &r->cases[r->nr_cases++];
}

struct bench_round *bench_add_round(struct bench_case *c)
{
	struct bench_round *r;

	if (grow(&c->rounds, &c->cap_rounds, c->nr_rounds, sizeof(*c->rounds)))
		return NULL;
	r = &c->rounds[c->nr_rounds++];
	memset(r, 0, sizeof(*r));
	r->grace_periods = r->footprint_bytes = NOT_TOLD;
	r->cpu_ns = r->switches = r->faults = NOT_TOLD;
	r->allocs = r->passes = r->alloc_ns = r->expected = NOT_TOLD;
	for (int i = 0; i < NR_LOCKS; i++)
		r->waits[i] = r->wait_ns[i] = NOT_TOLD;
	return r;
}

int bench_add_second(struct bench_round *r, u64 ops)
{
	u32 *more;

	if (r->nr_seconds >= MAX_SECONDS)
		return -E2BIG;
	more = reallocarray(r->per_second, r->nr_seconds + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->per_second = more;
	r->per_second[r->nr_seconds++] = ops;
	return 0;
}

void bench_drop_round(struct bench_case *c)
{
	free(c->rounds[--c->nr_rounds].per_second);
}

int bench_add_stack(struct bench_case *c, const struct bench_stack *s)
{
	for (size_t i = 0; i < c->nr_stacks; i++) {
		struct bench_stack *have = &c->stacks[i];

		if (strcmp(have->lock, s->lock) || strcmp(have->frames, s->frames))
			continue;
		have->waits += s->waits;
		have->wait_ns += s->wait_ns;
		return 0;
	}
	if (grow(&c->stacks, &c->cap_stacks, c->nr_stacks, sizeof(*c->stacks)))
		return -ENOMEM;
	c->stacks[c->nr_stacks++] = *s;
	return 0;
}

static int by_wait(const void *a, const void *b)
{
	u64 x = ((const struct bench_stack *)a)->wait_ns,
	    y = ((const struct bench_stack *)b)->wait_ns;

	return (x < y) - (x > y);
}

void bench_top_stacks(struct bench_case *c)
{
	if (c->nr_stacks)
		qsort(c->stacks, c->nr_stacks, sizeof(*c->stacks), by_wait);
	if (c->nr_stacks > CASE_STACKS)
		c->nr_stacks = CASE_STACKS;
}

void bench_drop_case(struct bench_report *r)
{
	struct bench_case *c = &r->cases[--r->nr_cases];

	while (c->nr_rounds)
		bench_drop_round(c);
	free(c->rounds);
	free(c->stacks);
}

void bench_report_free(struct bench_report *r)
{
	while (r->nr_cases)
		bench_drop_case(r);
	free(r->cases);
	memset(r, 0, sizeof(*r));
}
