/* SPDX-License-Identifier: GPL-2.0-only */
/* Text and JSON Lines of rss verify. */
#ifndef PCPUSTAT_RSS_VERIFY_PRINT_H
#define PCPUSTAT_RSS_VERIFY_PRINT_H

#include "ksyms.h"
#include "rss-verify.h"

struct rss_examples {
	struct rss_violation v[NR_CHECKS][RSS_EXAMPLES];
	size_t nr[NR_CHECKS];
};

struct rss_report {
	const struct rss_evidence *e;
	const struct rss_counts *counts;
	const struct rss_examples *examples;
	struct ksyms *ksyms; /* NULL: addresses are shown */
	u64 duration_ns;
	size_t mms;      /* in the last census */
	size_t censuses; /* how many were taken */
};

void rss_verify_text(const struct rss_report *r);
int rss_verify_json(const struct rss_report *r);

/* "__mmdrop+0x1c", or the address. Returns buf. */
const char *rss_frame(struct ksyms *k, u64 ip, char *buf, size_t len);

extern const char *const rss_lost_names[NR_RSS_LOST];

#endif
