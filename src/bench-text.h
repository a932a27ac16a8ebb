/* SPDX-License-Identifier: GPL-2.0-only */
/* Benchmark results as text. Nothing here measures or decides. */
#ifndef PCPUSTAT_BENCH_TEXT_H
#define PCPUSTAT_BENCH_TEXT_H

#include "bench-compare.h"
#include "bench-result.h"

/* A value with its unit, for people: "1.25 us", "12,345/s", "3.1 %", "-" for NAN. */
void bench_format(const struct bench_metric *m, double v, char *buf, size_t len);

void bench_text_header(FILE *f, const struct bench_report *r);
void bench_text_case(FILE *f, const struct bench_case *c);

/* The cases of one workload at several worker counts, n of them. */
void bench_text_scaling(FILE *f, const struct bench_case *const *c, size_t n, u32 cpus);

void bench_text_compare(FILE *f, const struct bench_comparison *cmp);

#endif
