/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and JSON Lines of the census, the error, verify and what-if. Nothing here computes. */
#ifndef PCPUSTAT_RSS_PRINT_H
#define PCPUSTAT_RSS_PRINT_H

#include "cgroups.h"
#include "rss-view.h"

#define RSS_SCHEMA 1

/* Which kernel, which mode and why; the first line or lines of every subcommand. */
void rss_print_mode(const struct rss_census *c);
int rss_json_header(const struct rss_census *c);

/* rows: at most so many, 0: all. Text goes to stdout; sizes are KiB. */
void rss_print_census(const struct rss_census *c, const struct rss_view *v, enum rss_by by,
		      struct cgroups *names, size_t rows);
void rss_print_error(const struct rss_census *c, const struct rss_view *v,
		     const struct oom_view *oom, size_t rows);

/* The same as one JSON object a line; 0 or an exit code after one message. */
int rss_json_census(const struct rss_census *c, const struct rss_view *v, enum rss_by by,
		    struct cgroups *names, size_t rows);
int rss_json_error(const struct rss_census *c, const struct rss_view *v, const struct oom_view *oom,
		   size_t rows);

/* Writes and frees obj as one line; 0 or an exit code. NULL obj: out of memory. */
struct json_t;
int rss_json_line(struct json_t *obj);

#endif
