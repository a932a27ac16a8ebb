/* SPDX-License-Identifier: GPL-2.0-only */
/* Intervals onto a stream: text for people, JSON Lines for programs. No arithmetic in here. */
#ifndef PCPUSTAT_RENDER_H
#define PCPUSTAT_RENDER_H

#include "live.h"
#include "view.h"

/* Raised when a key changes its meaning or goes; a new key alone does not raise it. */
#define JSON_SCHEMA 1

struct report {
	const struct info *info;
	const struct snap *d;    /* the interval, or the whole run */
	const struct view *view; /* NULL without --by */
	bool summary;
	const struct self_cost *self; /* of a live run's summary, else NULL */
	bool incomplete;              /* a recording that was cut off */
	int command_status;           /* exit status of -- COMMAND, -1: none */
};

/* Text keeps what it must know between lines; zero it, then set the fields. */
struct text_out {
	FILE *f;
	bool tty;
	bool timestamps;
	int width; /* columns; 0: the terminal's, without one all that there is */
	int lines; /* since the heading */
	int intervals;
	u64 duration_ns; /* of the interval before */
};

void text_header(struct text_out *out, const struct info *info);
void text_interval(struct text_out *out, const struct report *r);
void text_summary(struct text_out *out, const struct report *r);

/* Characters that a line may have; 1000 where nothing limits it. */
int text_width(const struct text_out *out);
/* Names are shortened and columns left out where a line would be longer than limit. */
void text_view(FILE *f, const struct view *v, int limit);
/* Breaks lines at blanks; what goes over is indented, by a quarter of the limit at most. */
void text_wrap(FILE *f, const char *text, int limit, int indent);

/* Return 0 or -errno of writing; each is one line, flushed. */
int json_header(FILE *f, const struct info *info);
int json_report(FILE *f, const struct report *r);
int json_schema(FILE *f); /* of all lines of the live view and of doctor */

/* Nanoseconds for people: "840ns", "12.3us", "4.56ms", "1.20s". Returns buf. */
const char *format_ns(u64 ns, char *buf, size_t len);
const char *format_bytes(u64 bytes, char *buf, size_t len);

#endif
