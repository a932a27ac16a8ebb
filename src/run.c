// SPDX-License-Identifier: GPL-2.0-only
#include "run.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

#include "caps.h"
#include "cgroups.h"
#include "loop.h"
#include "view.h"

#define POLL_NS (NSEC_PER_SEC / 20)

/* What writes may block for ever, and has to let itself be stopped. */
static int call(int (*op)(struct run *, void *), struct run *run, void *arg)
{
	int err = 0;

	if (!op)
		return 0;
	if (run->live)
		loop_unblock();
	err = op(run, arg);
	if (run->live && loop_block() && err == -EINTR)
		__fpurge(stdout); /* exit would block on it once more */
	return err;
}

static int record(struct run *run, const struct snap *s)
{
	int err;

	if (run->live)
		loop_unblock();
	err = tape_put(run->record, &run->info, s);
	if (run->live)
		loop_block();
	return err;
}

/* The newest snapshot becomes the previous one: a swap, no copy. */
static void swap(struct snap *a, struct snap *b)
{
	struct snap t = *a;

	*a = *b;
	*b = t;
}

/* run->cur has just been taken. */
static int interval(struct run *run, const struct run_ops *ops, void *arg)
{
	int err = snap_delta(&run->prev, &run->cur, &run->delta);

	if (err)
		return err;
	for (int i = 0; i < NR_LOST; i++)
		run->lost |= run->delta.lost[i] != 0;
	/* A recording that fails has said so. What is on the screen and a command go on. */
	if (run->record && record(run, &run->cur) && !ops->interval && !run->opts->command)
		return -ECANCELED;
	err = call(ops->interval, run, arg);
	swap(&run->prev, &run->cur);
	return err;
}

static int tick(struct run *run, bool last, const struct run_ops *ops, void *arg)
{
	int err;

	if (last)
		live_freeze(run->live);
	err = live_snap(run->live, &run->info, &run->cur);

	return err ? err : interval(run, ops, arg);
}

static int summarize(struct run *run, const struct run_ops *ops, void *arg)
{
	int err = snap_delta(&run->first, &run->prev, &run->delta);

	if (err)
		return err;
	snap_run_maxima(&run->delta);
	return call(ops->end, run, arg);
}

/* run->prev is the first snapshot. */
static int start(struct run *run)
{
	if (run->record)
		record(run, &run->prev);
	return snap_copy(&run->first, &run->prev);
}

/* Until the count is reached, a signal comes or the command ends; then one last interval. */
static int loop_run(struct run *run, struct loop *loop, const struct run_ops *ops, void *arg)
{
	u64 ticks = 0;
	bool last;
	int err = loop_start(loop, run->opts->interval_ns);

	while (!err) {
		bool poll = live_wants_learning(run->live) || run->opts->live.user_stacks;

		loop->poll_ns = poll ? POLL_NS : 0;
		switch (loop_wait(loop)) {
		case LOOP_POLL:
			live_poll(run->live, &run->info);
			break;
		case LOOP_TICK:
			last = run->opts->count && ++ticks == run->opts->count;
			err = tick(run, last, ops, arg);
			if (last)
				return err;
			break;
		case LOOP_CHILD:
		case LOOP_STOP:
			return tick(run, true, ops, arg);
		}
	}
	return err;
}

static int finish(struct run *run, int err)
{
	int record_failed;

	if (run->live)
		loop_unblock();
	record_failed = tape_finish(run->record);
	run->record = NULL;
	if (err == -EINTR)
		return fail(EXIT_RUNTIME, "stopped while nobody took the output; the rest is lost");
	if (err == -EPIPE)
		return EXIT_OK;
	if (err && err != -ECANCELED && ferror(stdout))
		return stdout_failed(err);
	if (err && err != -ECANCELED)
		return fail(EXIT_RUNTIME, "cannot go on: %s", strerror(-err));
	if (record_failed)
		return EXIT_RUNTIME;
	if (run->incomplete)
		msg("%s is incomplete: %s", run->opts->from, run->incomplete);
	return run->opts->strict && (run->lost || run->incomplete) ? EXIT_INCOMPLETE : EXIT_OK;
}

static int measure(struct run *run, struct loop *loop, int gate[2], const struct run_ops *ops,
		   void *arg)
{
	int err = live_snap(run->live, &run->info, &run->prev);
	bool released = !err && run->opts->command;

	if (released) {
		int no_exec = loop_release(loop, gate);

		if (no_exec)
			return fail(no_exec == -ENOENT ? EXIT_NOT_FOUND : 126, "cannot run %s: %s",
				    run->opts->command[0], strerror(-no_exec));
	}
	if (!err)
		err = start(run);
	if (!err)
		err = call(ops->start, run, arg);
	if (!err)
		err = loop_run(run, loop, ops, arg);
	run->command_status = loop->child_status;
	if (!err)
		err = summarize(run, ops, arg);
	if (released && loop->child && !loop_stopped())
		msg("%s goes on as pid %d", run->opts->command[0], loop->child);
	if (!err && loop->child_status > 0)
		msg("%s ended with status %d", run->opts->command[0], loop->child_status);
	return finish(run, err);
}

/* Files are opened while we may still do what the user may; the rest is given up then. */
static int begin(struct run *run, const struct run_ops *ops, void *arg)
{
	int err = 0;

	if (run->live)
		loop_unblock(); /* a FIFO opens when somebody reads it */
	if (run->opts->record)
		err = tape_create(&run->record, run->opts->record);
	if (run->live)
		loop_block();
	if (!err)
		err = call(ops->begin, run, arg);
	/* Names of user frames take the right to look into other processes. */
	if (!err && !run->opts->live.user_stacks)
		caps_drop();
	return err;
}

static int run_live(struct run *run, const struct run_ops *ops, void *arg)
{
	struct live_opts opts = run->opts->live;
	struct loop loop;
	int gate[2] = { -1, -1 }, err = loop_open(&loop);

	if (err)
		return fail(EXIT_RUNTIME, "cannot watch for signals: %s", strerror(-err));
	if (run->opts->command)
		err = loop_spawn(&loop, run->opts->command, gate);
	if (err)
		err = fail(EXIT_RUNTIME, "cannot fork: %s", strerror(-err));
	opts.follow_pid = opts.follow ? loop.child : 0;
	if (!err)
		err = live_open(&run->live, &opts, &run->info);
	if (!err)
		err = live_reattach(run->live, run->opts->reattach);
	if (!err)
		err = begin(run, ops, arg);
	if (!err)
		err = measure(run, &loop, gate, ops, arg);
	loop_close(&loop);
	live_close(run->live);
	run->live = NULL;
	return err;
}

/* What the recording has to hold for the view that is asked for. */
static int check_recording(const struct run *run)
{
	const struct live_opts *o = &run->opts->live;
	const struct cfg *cfg = &run->info.cfg;
	const char *from = run->opts->from;

	if (run->opts->command || o->nr_ids || o->cpus || o->cgroup)
		return fail(EXIT_USAGE,
			    "%s is over: a command or a filter (-p, -t, -C, -G) goes with "
			    "the recording of it",
			    from);
	if (run->opts->backend_given)
		return fail(EXIT_USAGE, "%s is over: --backend goes with the recording of it", from);
	if (o->row_by && o->row_by != cfg->row_by &&
	    !(o->row_by == ROW_COMM && cfg->row_by == ROW_PROCESS))
		return fail(EXIT_USAGE, "%s has no rows by %s: record with --by %s", from,
			    by_names[run->opts->by], by_names[run->opts->by]);
	if (o->user_stacks && !cfg->user_stacks)
		return fail(EXIT_USAGE, "%s has no user frames: record with --user-stacks", from);
	if (o->stacks && !cfg->stacks)
		return fail(EXIT_USAGE, "%s has no stacks of lock waits", from);
	return 0;
}

/* A recording keeps what splits a row further; without it the row is what a live run has. */
static void project(const struct run *run, struct snap *s)
{
	if (!run->opts->keep_splits)
		snap_merge_stacks(s);
}

static int play(struct run *run, const struct run_ops *ops, void *arg)
{
	u64 count = 0;
	int got = tape_next(run->tape, &run->prev), err;

	if (got <= 0)
		return got ? got : -ENODATA;
	project(run, &run->prev);
	err = start(run);
	if (!err)
		err = call(ops->start, run, arg);
	while (!err && (got = tape_next(run->tape, &run->cur)) > 0) {
		project(run, &run->cur);
		err = interval(run, ops, arg);
		if (run->opts->count && ++count == run->opts->count)
			break;
	}
	if (!err)
		err = got < 0 ? got : 0;
	run->incomplete = tape_damage(run->tape);
	return err ? err : summarize(run, ops, arg);
}

static int run_tape(struct run *run, const struct run_ops *ops, void *arg)
{
	int err = tape_open(&run->tape, run->opts->from, &run->info);

	if (err)
		return err;
	err = check_recording(run);
	if (!err)
		err = begin(run, ops, arg);
	if (err)
		return err;
	err = play(run, ops, arg);
	if (err == -ENODATA)
		return fail(EXIT_INCOMPLETE, "%s has no snapshot: %s", run->opts->from,
			    tape_damage(run->tape) ? tape_damage(run->tape) : "it is empty");
	return finish(run, err);
}

int run_execute(struct run *run, const struct run_ops *ops, void *arg)
{
	run->command_status = -1;
	return run->opts->from ? run_tape(run, ops, arg) : run_live(run, ops, arg);
}

void run_free(struct run *run)
{
	tape_finish(run->record);
	snap_free(&run->first);
	snap_free(&run->prev);
	snap_free(&run->cur);
	snap_free(&run->delta);
	if (run->tape) {
		tape_close(run->tape); /* info's tables are the tape's */
		return;
	}
	free(run->info.owners);
	cgroups_free(run->info.cgroups);
	ustacks_free(&run->info.ustacks);
}
