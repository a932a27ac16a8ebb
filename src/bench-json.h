/* SPDX-License-Identifier: GPL-2.0-only */
/* Benchmark results as JSON Lines: a header, a line for each result, a summary; and back. */
#ifndef PCPUSTAT_BENCH_JSON_H
#define PCPUSTAT_BENCH_JSON_H

#include "bench-result.h"

/* Each writes one line and flushes it. 0 or -errno. */
int bench_json_header(FILE *f, const struct bench_report *r);
int bench_json_case(FILE *f, const struct bench_case *c);
int bench_json_summary(FILE *f, const struct bench_report *r, bool interrupted);

/*
 * Reads what the three have written; raw rounds are taken, derived values computed again. name is
 * for messages. Returns 0 or, after one message, -errno; free the report in either case.
 */
int bench_json_read(FILE *f, const char *name, struct bench_report *r);

#endif
