/* SPDX-License-Identifier: GPL-2.0-only */
/* Measurements before a census: percpu offsets, and what a fork of ours allocates. Privileged. */
#ifndef PCPUSTAT_RSS_PROBE_H
#define PCPUSTAT_RSS_PROBE_H

#include "rss.h"

/*
 * __per_cpu_offset of the first nr possible CPUs into offset. Returns 0, or -errno with the
 * reason in why. Makes one percpu allocation of eight bytes and frees it again.
 */
int rss_probe_offsets(u64 *offset, u32 nr, char *why, size_t len);

/* A child that waits, so that its mm can be looked at; made by one fork. */
struct rss_child {
	int pid;
	int fd; /* closing it ends the child */
	int nr; /* percpu allocations of the fork, -1: the event cannot be had */
	struct rss_alloc allocs[RSS_MAX_ALLOCS];
};
int rss_child_fork(struct rss_child *child); /* 0 or -errno */
void rss_child_end(struct rss_child *child); /* fine when it was never made */

/* What became of the child's allocations, from its record in the census. Pure. */
void rss_trial_judge(struct rss_trial *t, const struct rss_child *child, const struct rss_mm *m);

/*
 * The kernel's own types and no module's: libbpf looks a type that this kernel lacks up in all
 * modules otherwise, which takes CAP_SYS_ADMIN (BPF_BTF_GET_NEXT_ID).
 */
extern const struct bpf_object_open_opts rss_open_opts;

#endif
