/* SPDX-License-Identifier: GPL-2.0-only */
/* The invariants of rss_stat: names, what each needs, verdicts. Pure. */
#ifndef PCPUSTAT_RSS_VERIFY_H
#define PCPUSTAT_RSS_VERIFY_H

#include "rss-mon.h"

#define RSS_NUMBERS 8

struct rss_check_info {
	const char *name; /* the JSON spelling */
	const char *text;
	const char *numbers[RSS_NUMBERS]; /* names of rss_violation.v[], NULL: unused */
};
extern const struct rss_check_info rss_checks[NR_CHECKS];

enum rss_result { RESULT_OK, RESULT_VIOLATED, RESULT_UNCHECKED };
extern const char *const rss_result_names[];

/* All that a verdict goes by. */
struct rss_evidence {
	enum rss_mode mode;
	bool slots; /* percpu values can be read */
	struct rss_signals sig;
	u64 tested[NR_CHECKS];
	u64 violated[NR_CHECKS];
	u64 missed; /* events that a program did not see: absence of one proves nothing */
};

struct rss_verdict {
	enum rss_result result;
	u64 tested, violated;
	const char *why; /* of RESULT_UNCHECKED */
};

/* Why this check cannot be made on this host, NULL: it can. */
const char *rss_cannot_check(const struct rss_evidence *e, enum rss_check check);
void rss_judge(const struct rss_evidence *e, enum rss_check check, struct rss_verdict *out);

/*
 * The checks that one mm in a census allows; before is the same mm a census earlier, or NULL.
 * Counts into e->tested; returns the violated check, or -1. A state that a switch in progress
 * explains must have been there before too.
 */
int rss_check_mm(struct rss_evidence *e, const struct rss_census *c, const struct rss_mm *m,
		 const struct rss_mm *before);

#endif
