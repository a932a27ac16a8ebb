// SPDX-License-Identifier: GPL-2.0-only
/* --follow: the filter by process grows with the descendants of the command. */
#include "maps.bpf.h"

/* kernel/fork.c copy_process, in the parent, before the child has run. */
SEC("?raw_tp/task_newtask")
int BPF_PROG(follow_newtask, struct task_struct *task, u64 clone_flags)
{
	u32 tgid = bpf_get_current_pid_tgid() >> 32, child, one = 1;
	struct cpu_block *b = this_block();

	if (!b || clone_flags & CLONE_THREAD || !bpf_map_lookup_elem(&filter_ids, &tgid))
		return 0;
	child = BPF_CORE_READ(task, tgid);
	if (bpf_map_update_elem(&filter_ids, &child, &one, BPF_ANY))
		add(&b->lost[LOST_FOLLOW_FULL], 1);
	return 0;
}

/* kernel/exit.c delayed_put_task_struct: the last of the process is gone, its id may be reused. */
SEC("?raw_tp/sched_process_free")
int BPF_PROG(follow_free, struct task_struct *task)
{
	u32 tgid = BPF_CORE_READ(task, tgid);

	if (BPF_CORE_READ(task, pid) == (int)tgid)
		bpf_map_delete_elem(&filter_ids, &tgid);
	return 0;
}
