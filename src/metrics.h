/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of metrics. JSON keys, text columns, the schema and the manual page come from it: a
 * metric is a row here and nothing else.
 */
#ifndef PCPUSTAT_METRICS_H
#define PCPUSTAT_METRICS_H

#include "info.h"
#include "snap.h"

enum scope { SCOPE_TOTAL, SCOPE_LATENCY, SCOPE_LOCK, SCOPE_MM, SCOPE_SHARE };
enum unit { UNIT_COUNT, UNIT_NS, UNIT_BYTES, UNIT_RATIO, UNIT_PER };

/* A number that may be unmeasured: known is false then, and it is shown as - or null. */
struct value {
	bool known;
	double real; /* UNIT_RATIO and UNIT_PER */
	u64 n;       /* the others */
};

/* How a metric becomes a column of the interval line. */
enum column {
	COL_NONE,
	COL_RATE,    /* per second */
	COL_MS_RATE, /* ns to ms per second */
	COL_US,      /* ns to microseconds */
	COL_PERCENT,
	COL_PLAIN,
};

struct metric {
	const char *key;
	enum scope scope;
	enum unit unit;
	/* Not to be called but by metric_value. */
	struct value (*get)(const struct info *info, const struct snap *d, int lock);
	const char *help;
	enum column column;
	const char *head;   /* of the column */
	unsigned int locks; /* SCOPE_LOCK: bits of the locks that show the column */
	int rank;           /* narrow terminals drop the highest first */
};

extern const struct metric metrics[];
extern const size_t nr_metrics;

/*
 * The metric's value, unknown when its scope or its lock is not measured on this host. lock is
 * looked at under SCOPE_LOCK alone.
 */
struct value metric_value(const struct metric *m, const struct info *info, const struct snap *d,
			  int lock);

/* Is the lock measured at all on this host? */
bool lock_known(const struct info *info, const struct snap *d, int lock);
bool any_lock_known(const struct info *info, const struct snap *d);
bool scope_known(const struct info *info, enum scope scope);
extern const char *const scope_keys[]; /* JSON object of a scope, NULL: top level */

#endif
