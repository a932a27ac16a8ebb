// SPDX-License-Identifier: GPL-2.0-only
/* The census: one pass over all tasks, a record for each mm. Attaches to nothing. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "rss.bpf.h"

char LICENSE[] SEC("license") = "GPL";

u32 shape; /* enum rss_shape, set by the first task */

/* What a task holds back from its mm, to 6.1; returns whether it is anything. */
static __always_inline bool read_cache(struct task_struct *task, s32 *cache)
{
	struct task_struct___split *t = (void *)task;

	if (rss_shape() != SHAPE_SPLIT || !bpf_core_field_exists(t->rss_stat))
		return false;
	bpf_core_read(cache, NR_RSS * sizeof(*cache), &t->rss_stat.count);
	return cache[0] || cache[1] || cache[2] || cache[3];
}

static __always_inline u64 task_cgroup(struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;
	u32 subsys = rss_cfg.cgroup_subsys;

	if (subsys >= 16)
		return BPF_CORE_READ(set, dfl_cgrp, kn, id);
	bpf_core_read(&css, sizeof(css), &set->subsys[subsys]);
	return BPF_CORE_READ(css, cgroup, kn, id);
}

/*
 * The mm is read before the thread count, the counters after it and the mm once more: more than
 * one thread beside atomic counters is then no race with an exec, which is alone when it changes
 * the mm (fs/exec.c de_thread, then exec_mmap).
 */
static __always_inline bool read_mm(struct task_struct *task, struct rss_rec *r)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	r->mm = (u64)mm;
	r->threads = BPF_CORE_READ(task, signal, nr_threads);
	r->flags |= rss_read(mm, &r->w);
	r->pgtables_bytes = BPF_CORE_READ(mm, pgtables_bytes.counter);
	return mm == BPF_CORE_READ(task, mm);
}

static __always_inline void read_task(struct task_struct *task, struct rss_rec *r)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	r->pid = BPF_CORE_READ(task, tgid);
	r->start_ns = BPF_CORE_READ(leader, start_time);
	r->cgroup = task_cgroup(task);
	r->oom_score_adj = BPF_CORE_READ(task, signal, oom_score_adj);
	BPF_CORE_READ_INTO(&r->comm, leader, comm);
}

/* kernel/bpf/task_iter.c: task context, a reference on the task is held, no lock. */
SEC("iter/task")
int rss_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task, *leader;
	struct rss_rec r = {};
	struct mm_struct *mm;
	bool cached;

	if (!task)
		return 0;
	shape = rss_shape();
	mm = BPF_CORE_READ(task, mm);
	/* A kernel thread can borrow a user's mm (kthread_use_mm). */
	if (!mm || BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return 0;
	leader = BPF_CORE_READ(task, group_leader);
	cached = read_cache(task, r.cache);
	if (leader == task)
		r.flags |= RSS_LEADER;
	else if (BPF_CORE_READ(leader, mm) == mm && !cached)
		return 0;
	/* Between two mms, in exec: the second try sees the new one, whose thread count is one. */
	if (!read_mm(task, &r)) {
		__builtin_memset(&r.w, 0, sizeof(r.w));
		r.flags &= RSS_LEADER;
		if (!read_mm(task, &r))
			return 0;
	}
	if (!r.mm)
		return 0;
	read_task(task, &r);
	bpf_seq_write(ctx->meta->seq, &r, sizeof(r));
	return 0;
}
