/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows by stack: the key is the whole content, so two stacks never share a row. */
#ifndef PCPUSTAT_STACKS_BPF_H
#define PCPUSTAT_STACKS_BPF_H

#include "maps.bpf.h"

/*
 * A number for the current task's user stack, 0: none. It is unique because no CPU makes two in
 * one ns; that needs no BPF_FETCH (5.12). Frames come from frame pointers alone.
 */
static __always_inline u64 user_stack(void *ctx, struct cpu_block *b)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct ustack_key key = {};
	u64 fresh, *id;

	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		return 0;
	key.tgid = bpf_get_current_pid_tgid() >> 32;
	BPF_CORE_READ_INTO(&key.comm, task, group_leader, comm);
	if (bpf_get_stack(ctx, key.ip, sizeof(key.ip), BPF_F_USER_STACK) <= 0) {
		add(&b->lost[LOST_USTACK_FAIL], 1);
		return 0;
	}
	id = bpf_map_lookup_elem(&ustacks, &key);
	if (id)
		return *id;
	fresh = bpf_ktime_get_ns() << 12 | (bpf_get_smp_processor_id() & 0xfff);
	bpf_map_update_elem(&ustacks, &key, &fresh, BPF_NOEXIST);
	id = bpf_map_lookup_elem(&ustacks, &key);
	if (!id) {
		add(&b->lost[LOST_USTACK_FULL], 1);
		return 0;
	}
	return *id;
}

/* Whose stack this is, and where it was taken. */
static __always_inline void stack_take(void *ctx, struct cpu_block *b, struct stack_key *key,
				       u32 lock, enum stack_kind kind)
{
	key->lock = lock;
	key->kind = kind;
	__builtin_memset(key->ip, 0, sizeof(key->ip));
	if (bpf_get_stack(ctx, key->ip, sizeof(key->ip), 0) < 0)
		add(&b->lost[LOST_STACK_FAIL], 1);
	if (cfg.stack_comm)
		bpf_get_current_comm(key->comm, sizeof(key->comm));
	if (cfg.stack_cgroup)
		key->cgroup = this_cgroup();
}

/* NULL when the table is full. */
static __always_inline struct wait_stat *stack_row(const struct stack_key *key)
{
	struct wait_stat *s = bpf_map_lookup_elem(&stacks, key);

	if (s)
		return s;
	bpf_map_update_elem(&stacks, key, &zero_row.w, BPF_NOEXIST);
	return bpf_map_lookup_elem(&stacks, key);
}

/* One event of that length; whether it was spent spinning or sleeping is the caller's. */
static __always_inline void time_add(struct wait_stat *s, u64 ns, bool cmpxchg)
{
	add(&s->waits, 1);
	add(&s->wait_ns, ns);
	if (cmpxchg) {
		max_atomic(&s->max_ns, ns);
		max_atomic(&s->max_iv, max_iv_pack(ns));
	} else {
		max_plain(&s->max_ns, ns);
		max_plain(&s->max_iv, max_iv_pack(ns));
	}
}

#endif
