// SPDX-License-Identifier: GPL-2.0-only
/* One line an interval, and a table with --by. */
#include <errno.h>
#include <string.h>

#include "caps.h"
#include "cgroups.h"
#include "loop.h"
#include "options.h"
#include "render.h"

#define LEARN_POLL_NS (NSEC_PER_SEC / 20)

/* A run: its source on one side, its output on the other, and the snapshots between. */
struct run {
	const struct options *opts;
	struct info info;
	struct live *live;
	struct text_out text;
	struct snap first, prev, cur, delta;
	bool lost;
	int err; /* of writing */
};

static void note_losses(struct run *run)
{
	for (int i = 0; i < NR_LOST; i++)
		run->lost |= run->delta.lost[i] != 0;
}

static int emit(struct run *run, struct report *r)
{
	struct view view = {};
	int err = 0;

	r->info = &run->info;
	r->d = &run->delta;
	if (run->opts->by) {
		err = view_make(&run->info, &run->delta, run->opts->by, run->opts->sort,
				run->opts->top, &view);
		if (err)
			return err;
		r->view = &view;
	}
	if (run->opts->json) {
		err = json_report(stdout, r);
	} else if (r->summary) {
		text_summary(&run->text, r);
	} else {
		text_interval(&run->text, r);
	}
	if (!err && ferror(stdout))
		err = -EIO;
	view_free(&view);
	return err;
}

/* The newest snapshot becomes the previous one: a swap, no copy. */
static void swap(struct snap *a, struct snap *b)
{
	struct snap t = *a;

	*a = *b;
	*b = t;
}

static int tick(struct run *run)
{
	struct report r = { .command_status = -1 };
	int err = live_snap(run->live, &run->info, &run->cur);

	if (!err)
		err = snap_delta(&run->prev, &run->cur, &run->delta);
	if (err)
		return err;
	note_losses(run);
	err = emit(run, &r);
	swap(&run->prev, &run->cur);
	return err;
}

static int summarize(struct run *run, int command_status)
{
	struct self_cost cost;
	struct report r = { .summary = true, .self = &cost, .command_status = command_status };
	int err = snap_delta(&run->first, &run->prev, &run->delta);

	if (err)
		return err;
	snap_run_maxima(&run->delta);
	live_self_cost(run->live, &cost);
	return emit(run, &r);
}

static int begin(struct run *run)
{
	int err = live_snap(run->live, &run->info, &run->prev);

	return err ? err : snap_copy(&run->first, &run->prev);
}

static int print_header(struct run *run)
{
	if (run->opts->json)
		return json_header(stdout, &run->info);
	text_header(&run->text, &run->info);
	return 0;
}

/* Until the count is reached, a signal comes or the command ends; then one last interval. */
static int loop_run(struct run *run, struct loop *loop)
{
	u64 ticks = 0;
	int err = loop_start(loop, run->opts->interval_ns);

	while (!err) {
		loop->poll_ns = live_wants_learning(run->live) ? LEARN_POLL_NS : 0;
		switch (loop_wait(loop)) {
		case LOOP_POLL:
			live_learn(run->live, &run->info);
			break;
		case LOOP_TICK:
			err = tick(run);
			if (run->opts->count && ++ticks == run->opts->count)
				return err;
			break;
		case LOOP_CHILD:
		case LOOP_STOP:
			return tick(run);
		}
	}
	return err;
}

static int measure(struct run *run, struct loop *loop, int gate[2])
{
	int err = begin(run);

	if (!err && run->opts->command) {
		int no_exec = loop_release(loop, gate);

		if (no_exec)
			return fail(no_exec == -ENOENT ? EXIT_NOT_FOUND : 126, "cannot run %s: %s",
				    run->opts->command[0], strerror(-no_exec));
	}
	if (!err)
		err = print_header(run);
	if (!err)
		err = loop_run(run, loop);
	if (!err)
		err = summarize(run, loop->child_status);
	if (err == -EPIPE)
		return EXIT_OK;
	if (err)
		return fail(EXIT_RUNTIME, "cannot go on: %s", strerror(-err));
	if (loop->child_status > 0)
		msg("%s ended with status %d", run->opts->command[0], loop->child_status);
	return run->opts->strict && run->lost ? EXIT_INCOMPLETE : EXIT_OK;
}

static int run_live(struct run *run)
{
	struct loop loop;
	int gate[2] = { -1, -1 }, err = loop_open(&loop);

	if (err)
		return fail(EXIT_RUNTIME, "cannot watch for signals: %s", strerror(-err));
	if (run->opts->command)
		err = loop_spawn(&loop, run->opts->command, gate);
	if (err)
		err = fail(EXIT_RUNTIME, "cannot fork: %s", strerror(-err));
	else
		err = live_open(&run->live, &run->opts->live, &run->info);
	if (!err) {
		/* All that takes more is done; a failure leaves us as we were. */
		caps_drop();
		err = measure(run, &loop, gate);
	}
	loop_close(&loop);
	live_close(run->live);
	return err;
}

int cmd_live(int argc, char **argv)
{
	_cleanup_(options_free) struct options opts = {};
	struct run run = { .opts = &opts,
			   .text = { .f = stdout, .tty = isatty(STDOUT_FILENO), .lines = -1 } };
	int err = options_parse(cmd_find("live"), argc, argv, &opts);

	if (err)
		return err < 0 ? EXIT_OK : err;
	run.text.timestamps = opts.timestamps;
	err = run_live(&run);
	snap_free(&run.first);
	snap_free(&run.prev);
	snap_free(&run.cur);
	snap_free(&run.delta);
	free(run.info.owners);
	cgroups_free(run.info.cgroups);
	return err;
}
