/* SPDX-License-Identifier: GPL-2.0-only */
/* A call tree in the forms that flame graph viewers read. Nothing here computes weights. */
#ifndef PCPUSTAT_RENDER_FLAME_H
#define PCPUSTAT_RENDER_FLAME_H

#include "tree.h"

/* What the picture says about where it comes from. */
struct flame_meta {
	const struct info *info;
	const struct snap *iv;   /* its end, duration and losses */
	const struct snap *base; /* the first recording's, in a diff */
	const struct tree_opts *opts;
	bool incomplete; /* the recording was cut */
};

/* All return 0 or -errno; the caller flushes. */

/*
 * "root;...;leaf N" a line, times in microseconds, N >= 1; kernel frames end in _[k]. In a diff
 * "root;...;leaf A B", as difffolded.pl prints. An empty tree gives no line.
 */
int render_folded(FILE *out, const struct tree *t);

/* One self-contained picture that also works without its script. */
int render_svg(FILE *out, const struct tree *t, const struct flame_meta *m);

/* gzip'd profile.proto; of a diff the second recording alone. */
int render_pprof(FILE *out, const struct tree *t, const struct flame_meta *m);

/* JSON for speedscope; of a diff the second recording alone. */
int render_speedscope(FILE *out, const struct tree *t, const struct flame_meta *m);

/* "cause N, cause N": what is not in the picture and why; empty when all is. */
void flame_losses(const struct flame_meta *m, char *buf, size_t len);

/* Start and end as local time, "2026-01-31 23:59:58 to 00:00:08 UTC (10 s)"-like, in UTC. */
void flame_time(const struct snap *iv, char *buf, size_t len);

/* "Time waiting for locks, by holder". */
void flame_title(const struct flame_meta *m, char *buf, size_t len);

/* 1234567 ns as "1.23 ms", bytes as "1.18 MiB", a count as "1,234,567 waits". */
void flame_value(const struct weight_info *w, u64 v, char *buf, size_t len);

#endif
