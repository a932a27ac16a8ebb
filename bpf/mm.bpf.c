// SPDX-License-Identifier: GPL-2.0-only
/* Births and deaths of mms: counted at __mmdrop, or derived from new tasks and execs. */
#include "maps.bpf.h"

/* kernel/fork.c __mmdrop: runs in whichever task drops the last reference, often the next one. */
static __always_inline void count_drop(void)
{
	struct cpu_block *b = this_block();

	if (b && control.live)
		add(&b->mm.drops, 1);
}

SEC("?fentry/__mmdrop")
int mmdrop_fentry(void *ctx)
{
	count_drop();
	return 0;
}

SEC("?kprobe")
int mmdrop_kprobe(void *ctx)
{
	count_drop();
	return 0;
}

static __always_inline struct cpu_block *mm_block(void)
{
	struct cpu_block *b = this_block();

	if (!b || !control.live || filtered() || (cfg.filter_cpu && !b->selected))
		return NULL;
	return b;
}

/* kernel/fork.c copy_process, in the parent. Without CLONE_VM there was one dup_mm. */
static __always_inline void count_task(u64 clone_flags)
{
	struct cpu_block *b = mm_block();

	if (!b)
		return;
	if (!(clone_flags & CLONE_VM))
		add(&b->mm.forks, 1);
	if (clone_flags & CLONE_THREAD)
		add(&b->mm.threads, 1);
}

/* fs/exec.c: one new mm, counted when the exec has succeeded. */
static __always_inline void count_exec(void)
{
	struct cpu_block *b = mm_block();

	if (b)
		add(&b->mm.execs, 1);
}

#define MM_EVENTS(kind)                                           \
	SEC("?" #kind "/task_newtask")                            \
	int BPF_PROG(newtask_##kind, void *task, u64 clone_flags) \
	{                                                         \
		count_task(clone_flags);                          \
		return 0;                                         \
	}                                                         \
	SEC("?" #kind "/sched_process_exec")                      \
	int exec_##kind(void *ctx)                                \
	{                                                         \
		count_exec();                                     \
		return 0;                                         \
	}

MM_EVENTS(tp_btf)
MM_EVENTS(raw_tp)
