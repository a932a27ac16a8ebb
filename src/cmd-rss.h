/* SPDX-License-Identifier: GPL-2.0-only */
/* Subcommands of pcpustat rss. A new one is a row in cmd-rss.c and a function. */
#ifndef PCPUSTAT_CMD_RSS_H
#define PCPUSTAT_CMD_RSS_H

#include "rss-view.h"

struct rss_opts {
	bool json;
	bool help; /* was asked for, and given */
	bool rows_given, key_given, by_given;
	size_t rows; /* 0: all */
	enum rss_key key;
	enum rss_by by;
	u32 pid; /* 0: all */
	int nr_args;
	char **args; /* after the subcommand */
};

int cmd_rss_census(const struct rss_opts *o);
int cmd_rss_error(const struct rss_opts *o);
int cmd_rss_watch(const struct rss_opts *o);
int cmd_rss_verify(const struct rss_opts *o);
int cmd_rss_what_if(const struct rss_opts *o);

#endif
