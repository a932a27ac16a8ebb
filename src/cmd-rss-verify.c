// SPDX-License-Identifier: GPL-2.0-only
/* pcpustat rss verify: watches, takes censuses meanwhile, and judges at the end. */
#include "cmd-rss.h"

#include <errno.h>
#include <string.h>

#include "kernel.h"
#include "loop.h"
#include "rss-print.h"
#include "rss-verify-print.h"

#define DEFAULT_NS         (10 * NSEC_PER_SEC)
#define CENSUS_INTERVAL_NS NSEC_PER_SEC
#define POLL_NS            (NSEC_PER_SEC / 10)
#define ORPHAN_WAIT_NS     (2 * NSEC_PER_SEC)
#define MAX_ORPHANS        1024

struct verify {
	struct rss *rss;
	struct rss_mon *mon;
	struct rss_census now, before;
	struct rss_evidence e;
	struct rss_examples examples;
	size_t censuses;
	u64 start_ns;
};

static int keep(void *arg, const struct rss_violation *v)
{
	struct rss_examples *ex = arg;

	if (v->check < NR_CHECKS && ex->nr[v->check] < RSS_EXAMPLES)
		ex->v[v->check][ex->nr[v->check]++] = *v;
	return 0;
}

/* A violation that a census shows: no stack, but whose it is and the words. */
static void found(struct verify *s, enum rss_check check, const struct rss_mm *m)
{
	struct rss_violation v = { .check = check, .pid = m->pid, .tid = m->pid, .mm = m->mm };

	if (rss_mon_spoiled(s->mon, m->mm))
		return;
	rss_mon_spoil(s->mon, m->mm);
	s->e.violated[check]++;
	memcpy(v.comm, m->comm, sizeof(v.comm));
	for (int i = 0; i < NR_RSS; i++)
		v.v[i] = check == CHECK_NEGATIVE ? m->w.count[i] + m->w.slots[i] : 0;
	if (check == CHECK_THREADED || check == CHECK_BIRTH)
		v.v[1] = check == CHECK_BIRTH ? m->pid : (s64)m->w.ptr[0];
	keep(&s->examples, &v);
}

static int check_census(struct verify *s)
{
	struct rss_census tmp = s->before;
	int err, check;

	s->before = s->now;
	s->now = tmp;
	err = rss_take(s->rss, &s->now);
	if (err)
		return err;
	s->censuses++;
	for (size_t i = 0; i < s->now.nr; i++) {
		const struct rss_mm *m = &s->now.mms[i];

		check = rss_check_mm(&s->e, &s->now, m, rss_find(&s->before, m->mm));
		if (check >= 0)
			found(s, check, m);
	}
	return 0;
}

static int watch(struct verify *s, u64 duration_ns)
{
	struct loop loop;
	u64 end = s->start_ns + duration_ns, next = s->start_ns + CENSUS_INTERVAL_NS;
	int err = loop_open(&loop);

	if (err)
		return fail(EXIT_RUNTIME, "cannot wait for signals: %s", strerror(-err));
	loop.poll_ns = POLL_NS;
	while (!err && now_mono() < end) {
		loop.poll_ns = min_u64(POLL_NS, end - now_mono() + 1000000);
		if (loop_wait(&loop) == LOOP_STOP)
			break;
		rss_mon_poll(s->mon, keep, &s->examples);
		if (now_mono() < next)
			continue;
		err = check_census(s);
		next = now_mono() + CENSUS_INTERVAL_NS;
	}
	loop_close(&loop);
	return err;
}

static bool still_there(const struct rss_orphan *o, const struct rss_orphan *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].ptr == o->ptr && list[i].block.mm == o->block.mm)
			return true;
	return false;
}

/*
 * Blocks whose mm has been dropped and which are still not freed. __mmdrop can be preempted
 * between our probe and its free, so that what is gone within two seconds is no finding. Not
 * from exit_mmap: a kernel thread may keep a dead mm for as long as it likes.
 */
static void check_orphans(struct verify *s)
{
	_cleanup_free_ struct rss_orphan *a = calloc(MAX_ORPHANS, sizeof(*a));
	_cleanup_free_ struct rss_orphan *b = calloc(MAX_ORPHANS, sizeof(*b));
	u64 until = now_mono() + ORPHAN_WAIT_NS;
	size_t n, m;

	if (!a || !b || !s->e.sig.blocks || s->e.sig.deaths == DEATH_EXIT_MMAP)
		return;
	n = m = rss_mon_orphans(s->mon, a, MAX_ORPHANS);
	while (m && now_mono() < until) {
		usleep(20000);
		m = rss_mon_orphans(s->mon, b, MAX_ORPHANS);
	}
	for (size_t i = 0; i < n; i++) {
		struct rss_violation v = { .check = CHECK_BLOCK,
					   .mm = a[i].block.mm,
					   .pid = a[i].block.pid,
					   .tid = a[i].block.pid };

		if (!still_there(&a[i], b, m))
			continue;
		v.v[0] = a[i].ptr;
		v.v[1] = a[i].block.state;
		v.v[2] = a[i].block.pid;
		s->e.violated[CHECK_BLOCK]++;
		keep(&s->examples, &v);
	}
}

static int report(struct verify *s, const struct rss_opts *o)
{
	struct rss_counts counts;
	struct rss_report r = { .e = &s->e,
				.counts = &counts,
				.examples = &s->examples,
				.ksyms = kernel_ksyms(),
				.mms = s->now.nr,
				.censuses = s->censuses };
	int violated = 0, err = 0;
	struct rss_verdict v;

	r.duration_ns = now_mono() - s->start_ns;
	check_orphans(s);
	rss_mon_read(s->mon, &counts);
	rss_mon_poll(s->mon, keep, &s->examples);
	s->e.missed = counts.missed + counts.s.lost[RSS_LOST_BLOCK] + counts.s.lost[RSS_LOST_SWITCH];
	for (int i = 0; i < NR_CHECKS; i++) {
		s->e.tested[i] += counts.s.tested[i];
		s->e.violated[i] += counts.s.violated[i];
		rss_judge(&s->e, i, &v);
		violated += v.result == RESULT_VIOLATED;
	}
	if (o->json)
		err = rss_verify_json(&r);
	else
		rss_verify_text(&r);
	if (err)
		return err;
	return violated ? EXIT_VIOLATION : EXIT_OK;
}

static int run(struct verify *s, const struct rss_opts *o, u64 duration_ns)
{
	int err = rss_open(&s->rss);

	if (!err)
		err = rss_take(s->rss, &s->now);
	if (!err)
		err = rss_mon_open(&s->mon, s->rss, &s->now, true);
	if (err)
		return err;
	s->e.mode = s->now.mode;
	s->e.slots = s->now.slots;
	s->e.sig = *rss_mon_signals(s->mon);
	s->start_ns = now_mono();
	/* Again, now that births are seen: none falls between the two. */
	err = check_census(s);
	if (err)
		return err;
	rss_mon_seed(s->mon, &s->now);
	if (o->json)
		err = rss_json_header(&s->now);
	else
		rss_print_mode(&s->now);
	if (!s->e.sig.switches && s->e.sig.has_switch)
		msg("no kprobes: the switch itself is not seen, only new tasks and the censuses");
	fflush(stdout);
	if (!err)
		err = watch(s, duration_ns);
	if (!err)
		err = check_census(s);
	return err ? err : report(s, o);
}

int cmd_rss_verify(const struct rss_opts *o)
{
	struct verify *s = calloc(1, sizeof(*s));
	u64 duration_ns = DEFAULT_NS;
	int err = 0;

	if (!s)
		return fail(EXIT_RUNTIME, "out of memory");
	if (o->nr_args > 1 || (o->nr_args && parse_duration(o->args[0], &duration_ns)))
		err = fail(EXIT_USAGE, "rss verify [DURATION], such as 10 or 500ms, not %s",
			   o->args[o->nr_args - 1]);
	if (!err)
		err = run(s, o, duration_ns);
	rss_mon_close(s->mon);
	rss_close(s->rss);
	rss_census_free(&s->now);
	rss_census_free(&s->before);
	free(s);
	return err;
}
