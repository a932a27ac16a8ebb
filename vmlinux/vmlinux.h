/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types and fields that pcpustat reads, and no others. CO-RE finds them by name, so
 * order and size here mean nothing. What changed between kernels is in compat.bpf.h.
 */
#ifndef PCPUSTAT_VMLINUX_H
#define PCPUSTAT_VMLINUX_H
#define __VMLINUX_H__ /* bpf_tracing.h: registers by the kernel's own names */

#include <linux/bpf.h>

typedef __u8 u8;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
typedef _Bool bool;
typedef __SIZE_TYPE__ size_t;
#define true 1
#define false 0
#define NULL ((void *)0)

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
};
struct pt_regs {
	__u64 regs[31];
};
#else
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#endif

typedef struct {
	s64 counter;
} atomic64_t;

struct mutex {
	atomic64_t owner;
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp; /* in the v2 hierarchy */
};

typedef struct {
	long counter;
} atomic_long_t;

/* mm_struct.rss_stat has had several types: see rss.bpf.h. */
struct mm_struct {
	atomic_long_t pgtables_bytes;
};

struct signal_struct {
	int nr_threads;
	short oom_score_adj;
};

struct task_struct {
	int pid;
	int tgid;
	unsigned int flags;
	char comm[16];
	struct task_struct *group_leader;
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct signal_struct *signal;
	u64 start_time;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_array {
	void *pptrs[1]; /* one percpu pointer for each element of a percpu array */
};

/* The classic tracepoints' records, where raw ones are refused. */
struct trace_event_raw_percpu_alloc_percpu {
	unsigned long call_site; /* 5.19, f67bed134a05 */
	bool reserved;
	bool is_atomic;
	size_t size;
	size_t align;
};

#pragma clang attribute pop

#endif
