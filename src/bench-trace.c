// SPDX-License-Identifier: GPL-2.0-only
#include "bench-trace.h"

#include <string.h>

#include "cgroups.h"
#include "live-priv.h"
#include "metrics.h"
#include "view.h"

int trace_open(struct trace *t, const char *cgroup, const struct lock_info *locks)
{
	struct live_opts opts = { .cgroup = cgroup, .stacks = true, .no_owners = true };
	int err = live_open(&t->live, &opts, &t->info);

	if (err) {
		t->live = NULL;
		return err;
	}
	for (int i = 0; i < NR_LOCKS; i++)
		if (!t->info.locks[i].addr)
			t->info.locks[i] = locks[i];
	live_publish_locks(t->live, &t->info);
	err = live_snap(t->live, &t->info, &t->before);
	return err ? fail(EXIT_RUNTIME, "cannot read the counters: %s", strerror(-err)) : 0;
}

bool trace_poll(struct trace *t)
{
	if (t->live)
		live_learn(t->live, &t->info);
	return t->live && live_wants_learning(t->live);
}

/* Events that no total holds; a wait whose begin was not seen began before the round. */
static u64 lost_events(const struct snap *d)
{
	return d->lost[LOST_WAIT_FULL] + d->lost[LOST_WAIT_CLOCK] + d->lost[LOST_CALL_FULL];
}

static void note_counts(const struct trace *t, const struct lock_info *locks, struct bench_round *r)
{
	const struct snap *d = &t->delta;

	if (*t->info.backend[SIG_ALLOCATIONS]) {
		r->allocs = snap_allocs(d);
		r->passes = snap_mutex_passes(d);
	}
	if (*t->info.backend[SIG_LATENCY])
		r->alloc_ns = d->latency.sum_ns;
	r->lost = lost_events(d);
	/* A lock that was learned in this round has lost the round's first waits. */
	for (int i = 0; i < NR_LOCKS; i++) {
		bool late = !strcmp(t->info.locks[i].found_by, "learned") && !locks[i].addr;

		if (late || !lock_known(&t->info, d, i))
			continue;
		r->waits[i] = d->locks[i].w.waits;
		r->wait_ns[i] = d->locks[i].w.wait_ns;
	}
}

int trace_read(struct trace *t, struct lock_info *locks, struct bench_round *r)
{
	int err = live_snap(t->live, &t->info, &t->after);

	if (!err)
		err = snap_delta(&t->before, &t->after, &t->delta);
	if (err)
		return fail(EXIT_RUNTIME, "cannot read the counters: %s", strerror(-err));
	note_counts(t, locks, r);
	memcpy(locks, t->info.locks, sizeof(t->info.locks));
	return 0;
}

static const struct cell *cell_of(const struct view *v, const struct view_row *row, const char *key)
{
	for (size_t i = 0; i < v->nr_columns; i++)
		if (!strcmp(v->columns[i].key, key))
			return &row->cells[i];
	return NULL;
}

static int add_stack(const struct view *v, const struct view_row *row, struct bench_case *c)
{
	const struct cell *lock = cell_of(v, row, "lock"), *stack = cell_of(v, row, "stack");
	struct bench_stack s = {
		.waits = cell_of(v, row, "waits")->n,
		.wait_ns = cell_of(v, row, "wait_ns")->n,
	};
	size_t n = 0;

	snprintf(s.lock, sizeof(s.lock), "%s", lock->text ? lock->text : "?");
	for (int i = 0; stack->lines && stack->lines[i] && i < SHOWN_FRAMES; i++)
		if (n < sizeof(s.frames))
			n += snprintf(s.frames + n, sizeof(s.frames) - n, "%s%s", i ? ";" : "",
				      stack->lines[i]);
	return bench_add_stack(c, &s);
}

int trace_stacks(const struct trace *t, struct bench_case *c)
{
	struct view v = {};
	int err = view_make(&t->info, &t->delta, BY_STACK, NULL, 0, &v);

	for (size_t i = 0; i < v.nr_rows && !err; i++)
		if (v.rows[i].kind == VIEW_ROW)
			err = add_stack(&v, &v.rows[i], c);
	view_free(&v);
	return err;
}

void trace_close(struct trace *t)
{
	live_close(t->live);
	snap_free(&t->before);
	snap_free(&t->after);
	snap_free(&t->delta);
	free(t->info.owners);
	cgroups_free(t->info.cgroups);
}
