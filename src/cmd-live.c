// SPDX-License-Identifier: GPL-2.0-only
/* One line an interval, and a table with --by. */
#include <errno.h>
#include <string.h>

#include "options.h"
#include "render.h"
#include "run.h"

static int emit(struct run *run, struct text_out *text, struct report *r)
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
	errno = 0;
	if (run->opts->json) {
		err = json_report(stdout, r);
	} else if (r->summary) {
		text_summary(text, r);
	} else {
		text_interval(text, r);
	}
	if (!err && ferror(stdout))
		err = write_error();
	view_free(&view);
	return err;
}

static int print_header(struct run *run, void *text)
{
	if (run->opts->json)
		return json_header(stdout, &run->info);
	text_header(text, &run->info);
	return 0;
}

static int print_interval(struct run *run, void *text)
{
	struct report r = { .command_status = -1 };

	return emit(run, text, &r);
}

static int print_summary(struct run *run, void *text)
{
	struct self_cost cost;
	struct report r = { .summary = true,
			    .self = run->live ? &cost : NULL,
			    .incomplete = run->incomplete != NULL,
			    .command_status = run->command_status };

	if (run->live)
		live_self_cost(run->live, &cost);
	return emit(run, text, &r);
}

int cmd_live(int argc, char **argv)
{
	static const struct run_ops ops = { NULL, print_header, print_interval, print_summary };
	_cleanup_(options_free) struct options opts = {};
	struct text_out text = { .f = stdout, .tty = isatty(STDOUT_FILENO), .lines = -1 };
	struct run run = { .opts = &opts };
	int err = options_parse(cmd_find("live"), argc, argv, &opts);

	if (err)
		return err < 0 ? EXIT_OK : err;
	text.timestamps = opts.timestamps;
	if (opts.output && !strcmp(opts.output, "-")) {
		msg("-o -: the view goes there; pcpustat record -o - writes nothing else");
		return cmd_usage(cmd_find("live"));
	}
	opts.record = opts.output;
	err = run_execute(&run, &ops, &text);
	run_free(&run);
	return err;
}
