/* SPDX-License-Identifier: GPL-2.0-only */
/* One accessor for each thing that differs between kernels, with version and commit. */
#ifndef PCPUSTAT_COMPAT_BPF_H
#define PCPUSTAT_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

/*
 * Flags of lock:contention_begin, include/trace/events/lock.h, 16edd9b511a1 (5.19); unchanged to
 * 7.3. On PREEMPT_RT every one of our locks is an rtmutex and shows LCB_F_RT alone.
 */
#define LCB_F_SPIN  (1U << 0)
#define LCB_F_RT    (1U << 3)
#define LCB_F_MUTEX (1U << 5)

#define CLONE_VM       0x00000100
#define CLONE_THREAD   0x00010000
#define PF_IO_WORKER   0x00000010 /* 3bfe6106693b, 5.12 */
#define PF_USER_WORKER 0x00004000 /* 54e6842d0775, 6.4; vhost */
#define PF_KTHREAD     0x00200000

/* include/linux/gfp_types.h ___GFP_DIRECT_RECLAIM: bit 10 in all builds from 4.4 to 7.3. */
#define GFP_DIRECT_RECLAIM 0x400U

/* The low bits of mutex.owner are flags, kernel/locking/mutex.c MUTEX_FLAGS; unchanged to 7.3. */
#define MUTEX_FLAGS 7ULL

/* The current task's state in a v1 controller. */
static __always_inline struct cgroup_subsys_state *task_css(u32 subsys)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;

	if (subsys < 16)
		bpf_core_read(&css, sizeof(css), &set->subsys[subsys]);
	return css;
}

/* Id of the current task's cgroup in a v1 hierarchy; kernfs_node.id is a u64 since 5.5. */
static __always_inline u64 cgroup_v1_id(u32 subsys)
{
	return BPF_CORE_READ(task_css(subsys), cgroup, kn, id);
}

#define CGROUP_LEVELS 8 /* v1: deeper descendants are not recognised as such */

static __always_inline bool under_cgroup_v1(u32 subsys, u64 id)
{
	struct cgroup_subsys_state *css = task_css(subsys);

	for (int i = 0; i < CGROUP_LEVELS && css; i++) {
		if (BPF_CORE_READ(css, cgroup, kn, id) == id)
			return true;
		css = BPF_CORE_READ(css, parent);
	}
	return false;
}

#endif
