/* SPDX-License-Identifier: GPL-2.0-only */
/* What another mode of rss_stat would save on this host. Pure. */
#ifndef PCPUSTAT_RSS_WHATIF_H
#define PCPUSTAT_RSS_WHATIF_H

#include "rss.h"
#include "snap.h"

/* What a run of this host showed. */
struct whatif_in {
	u64 duration_ns;
	enum rss_mode mode;
	u64 births;              /* mms born: forks and execs that succeeded */
	int allocs_per_mm;       /* percpu allocations at the birth of an mm, -1: unknown */
	int rss_allocs;          /* those for rss_stat, -1: unknown */
	u64 ends;                /* mms seen from birth to end */
	u64 ends_single;         /* that never had a second thread */
	u64 old_mms, old_single; /* the same of a census: used when no mm ended */
	u64 passes;              /* of pcpu_alloc_mutex */
	u64 busy_ns;             /* CPU time of the host that was not idle */
	bool waits_known;
	u64 wait_ns, sleep_ns; /* for pcpu_alloc_mutex */
	bool latency_known;
	u64 latency_count, latency_sum_ns; /* calls of pcpu_alloc */
};

enum whatif_option { WHATIF_GROUPED, WHATIF_LAZY, WHATIF_COMBINED, NR_WHATIF };
extern const char *const whatif_names[NR_WHATIF]; /* the JSON spelling */
extern const char *const whatif_texts[NR_WHATIF];

/* Per second. */
struct whatif_out {
	const char *nothing; /* why there is nothing to gain, NULL: there is */
	bool known;          /* the counts below were measured */
	double allocs, passes;
	bool waits_known;
	double wait_ns; /* of lock waits that the avoided passes carried */
	bool cpu_known;
	double cpu_ns;  /* of time in the allocator */
	double of_busy; /* the same as a part of all busy CPU time, 0 to 1 */
};

/* Less than this part of busy CPU time is nothing to gain. */
#define WHATIF_WORTH 0.001

void whatif_compute(const struct whatif_in *in, enum whatif_option option, struct whatif_out *out);

/* Share of mms that never get a second thread, 0 to 1; -1: unknown. */
double whatif_single_share(const struct whatif_in *in);

/* What the numbers rest on, one sentence each; NULL after the last. */
extern const char *const whatif_assumptions[];

#endif
