/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of rss watch. */
#ifndef PCPUSTAT_RSS_WATCH_H
#define PCPUSTAT_RSS_WATCH_H

#include "rss-mon.h"

/* cur - prev; mono_ns becomes the duration, the maxima are left to the caller. Pure. */
void rss_counts_delta(const struct rss_counts *prev, const struct rss_counts *cur,
		      struct rss_counts *d);

/* Share of ended mms that never had a second thread, in percent; -1: none ended. Pure. */
double rss_single_percent(const struct rss_stats *s);

void rss_watch_heading(const struct rss_signals *sig);
/* One interval or the whole run; d->max_ns is its longest switch. 0 or an exit code. */
int rss_watch_interval(const struct rss_signals *sig, const struct rss_counts *d, bool json);
int rss_watch_summary(const struct rss_signals *sig, const struct rss_counts *d,
		      const struct rss_comm_row *comms, size_t nr, bool json);

#endif
