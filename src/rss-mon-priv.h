/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the two halves of the monitor: attaching, and reading maps. */
#ifndef PCPUSTAT_RSS_MON_PRIV_H
#define PCPUSTAT_RSS_MON_PRIV_H

#include "rss-mon.h"

#define RSS_MAX_LINKS 16

struct rss_mon {
	struct rssmon_bpf *skel;
	struct rss_signals sig;
	struct bpf_link *links[RSS_MAX_LINKS];
	int nr_links;
	struct ring_buffer *ring;
	int (*fn)(void *arg, const struct rss_violation *v);
	void *arg;
};

#endif
