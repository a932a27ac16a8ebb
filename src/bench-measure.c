// SPDX-License-Identifier: GPL-2.0-only
#include "bench-measure.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <bpf/libbpf.h>

#include "bench-trace.h"
#include "bench-workloads.h"
#include "kernel.h"

#define LEARN_NS      (2 * NSEC_PER_SEC)
#define LEARN_POLL_NS (NSEC_PER_SEC / 50)

static void show_progress(const struct measure *m, const struct bench_case *c, u64 ops)
{
	if (m->plan.progress)
		fprintf(stderr, "\r\033[K%s, workers %u: round %zu of %u: %llu", c->spec,
			c->workers, c->nr_rounds, m->plan.rounds * (m->plan.trace ? 2 : 1), ops);
}

static void end_progress(const struct measure *m)
{
	if (m->plan.progress)
		fputs("\r\033[K", stderr);
}

/* Seconds that the workers work through are noted; by count, the last one is cut short. */
static int run_workers(struct measure *m, const struct bench_case *c, struct bench *b,
		       struct trace *t, struct bench_round *r)
{
	u64 start = now_mono(), seen = 0, ops, at;
	int err = 0;

	bench_start(b);
	for (u64 sec = 1; !err; sec++) {
		at = start + sec * NSEC_PER_SEC;
		if (m->plan.duration_ns && at > start + m->plan.duration_ns)
			break;
		err = bench_wait(b, at);
		ops = bench_ops(b);
		if (!err)
			bench_add_second(r, ops - seen);
		seen = ops;
		show_progress(m, c, ops);
		trace_poll(t);
	}
	if (!err && m->plan.duration_ns)
		err = bench_wait(b, start + m->plan.duration_ns);
	if (!err) {
		bench_stop(b);
		err = bench_wait(b, ~0ULL);
	}
	r->elapsed_ns = now_mono() - start;
	return err == 1 ? 0 : err;
}

static void note_work(const struct bench *b, struct bench_round *r)
{
	struct rusage u;

	bench_usage(b, &u);
	r->ops = bench_ops(b);
	r->cpu_ns = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NSEC_PER_SEC +
		    (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ULL;
	r->switches = u.ru_nvcsw + u.ru_nivcsw;
	r->faults = u.ru_minflt + u.ru_majflt;
	for (int part = 0; part < NR_PARTS; part++)
		bench_part(b, part, &r->part_ns[part], &r->part_count[part]);
}

static int to_exit(struct measure *m, int err)
{
	m->interrupted |= err == -EINTR;
	return err ? EXIT_RUNTIME : 0;
}

static int note_trace(struct measure *m, struct trace *t, struct bench_case *c,
		      struct bench_round *r)
{
	int err = trace_read(t, m->locks, r);

	if (!err && trace_stacks(t, c))
		return fail(EXIT_RUNTIME, "out of memory");
	return err;
}

static int round_workers(struct measure *m, const struct workload *wl, struct bench_case *c,
			 struct bench_round *r)
{
	_cleanup_(bench_freep) struct bench *b = NULL;
	_cleanup_(trace_close) struct trace t = {};
	struct bench_opts opts = {
		.wl = wl,
		.workers = c->workers,
		.ops_limit = m->plan.ops_limit,
		.pin = m->plan.pin,
		.cgroup = m->cgroup,
	};
	int expected, err = to_exit(m, bench_new(&b, &opts));

	if (!err && r->traced)
		err = trace_open(&t, m->cgroup, m->locks);
	if (err)
		return err;
	err = to_exit(m, run_workers(m, c, b, &t, r));
	if (err)
		return err;
	note_work(b, r);
	expected = expect_allocs(&wl->cost, &m->facts);
	if (expected >= 0)
		r->expected = r->ops * expected;
	return r->traced ? note_trace(m, &t, c, r) : 0;
}

static int round_drive(struct measure *m, const struct workload *wl, const char *args,
		       struct bench_case *c, struct bench_round *r)
{
	_cleanup_(trace_close) struct trace t = {};
	struct drive d = {
		.workers = c->workers,
		.args = args,
		.grace_periods = NOT_TOLD,
		.footprint_bytes = NOT_TOLD,
		.passes = NOT_TOLD,
	};
	int err = r->traced ? trace_open(&t, NULL, m->locks) : 0;

	show_progress(m, c, 0);
	if (!err)
		err = wl->drive(&d);
	if (err)
		return err;
	r->ops = d.ops;
	r->elapsed_ns = d.elapsed_ns;
	r->grace_periods = d.grace_periods;
	r->footprint_bytes = d.footprint_bytes;
	r->expected = d.passes;
	return r->traced ? note_trace(m, &t, c, r) : 0;
}

static int one_round(struct measure *m, const struct workload *wl, const char *args,
		     struct bench_case *c, bool traced)
{
	struct bench_round *r = bench_add_round(c);
	int err;

	if (!r)
		return fail(EXIT_RUNTIME, "out of memory");
	r->traced = traced;
	err = wl->drive ? round_drive(m, wl, args, c, r) : round_workers(m, wl, c, r);
	if (err)
		bench_drop_round(c);
	return err;
}

/* Off and on in turn, and which of them comes first in turn too, so that a drift hits both. */
int measure_case(struct measure *m, const struct workload *wl, const char *args,
		 struct bench_case *c)
{
	int err = 0;

	snprintf(c->unit, sizeof(c->unit), "%s", wl->unit);
	c->pinned = m->plan.pin || wl->pin;
	c->own_only = m->cgroup && !wl->drive;
	c->duration_ns = m->plan.duration_ns && !wl->drive ? m->plan.duration_ns : NOT_TOLD;
	for (u32 i = 0; i < m->plan.rounds && !err; i++) {
		err = one_round(m, wl, args, c, m->plan.trace && i % 2);
		if (!err && m->plan.trace)
			err = one_round(m, wl, args, c, !(i % 2));
	}
	end_progress(m);
	bench_top_stacks(c);
	return err;
}

/*
 * The mutex's address can be in no symbol table and in no code that could be read; then it is
 * learned from contention, which maps of percpu memory make more of than any other load.
 */
static int learn_locks(struct measure *m)
{
	_cleanup_(bench_freep) struct bench *b = NULL;
	_cleanup_(trace_close) struct trace t = {};
	struct bench_opts opts = {
		.wl = &bench_percpu,
		.workers = 2 * sysconf(_SC_NPROCESSORS_ONLN),
	};
	u64 end;
	int err = trace_open(&t, NULL, m->locks);

	if (err || !live_wants_learning(t.live))
		return err;
	err = to_exit(m, bench_new(&b, &opts));
	if (err)
		return err;
	bench_start(b);
	for (end = now_mono() + LEARN_NS; !err && now_mono() < end && trace_poll(&t);)
		err = to_exit(m, bench_wait(b, now_mono() + LEARN_POLL_NS));
	memcpy(m->locks, t.info.locks, sizeof(m->locks));
	return err;
}

int measure_open(struct measure *m, const struct bench_plan *plan, struct bench_report *r)
{
	struct utsname u;
	int err;

	memset(m, 0, sizeof(*m));
	m->plan = *plan;
	expect_facts(&m->facts, plan->trace, r->rss_mode, sizeof(r->rss_mode));
	kernel_put_btf();
	uname(&u);
	snprintf(r->kernel, sizeof(r->kernel), "%s", u.release);
	snprintf(r->host, sizeof(r->host), "%s", u.nodename);
	r->allocs_per_mm = m->facts.per_mm;
	r->cpus_online = sysconf(_SC_NPROCESSORS_ONLN);
	r->cpus_possible = libbpf_num_possible_cpus();
	if (!plan->trace)
		return 0;
	err = learn_locks(m);
	if (err)
		return err;
	m->cgroup = bench_cgroup_new();
	if (!m->cgroup)
		msg("no cgroup v2 for the workers: the counts hold other processes' allocations");
	return 0;
}

void measure_close(struct measure *m)
{
	bench_cgroup_free(take_ptr(m->cgroup));
}
