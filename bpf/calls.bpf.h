/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of pcpu_alloc and mm_init in progress. A call of pcpu_alloc begins at its entry and ends at
 * its own event, which comes last (mm/percpu.c). Not at its return: a trampoline that calls the
 * function, or a return address that was replaced, becomes the call site of that very event.
 */
#ifndef PCPUSTAT_CALLS_BPF_H
#define PCPUSTAT_CALLS_BPF_H

#include "stacks.bpf.h"

static const struct call zero_call;

static __always_inline struct call *call_get(struct cpu_block *b, u64 key)
{
	struct call *c = bpf_map_lookup_elem(&calls, &key);

	if (c)
		return c;
	if (bpf_map_update_elem(&calls, &key, &zero_call, BPF_NOEXIST))
		add(&b->lost[LOST_CALL_FULL], 1);
	return bpf_map_lookup_elem(&calls, &key);
}

static __always_inline void call_put(struct call *c, u64 key)
{
	if (!c->depth && !c->in_mm)
		bpf_map_delete_elem(&calls, &key);
}

static __always_inline void latency_add(struct cpu_block *b, u64 ns, bool cmpxchg)
{
	if (cfg.filter_cpu && !b->selected)
		return;
	add(&b->latency.count, 1);
	add(&b->latency.sum_ns, ns);
	hist_add(&b->latency.hist, ns);
	if (cmpxchg) {
		max_atomic(&b->latency.max_ns, ns);
		max_atomic(&b->latency.max_iv, max_iv_pack(ns));
	} else {
		max_plain(&b->latency.max_ns, ns);
		max_plain(&b->latency.max_iv, max_iv_pack(ns));
	}
}

/* --weight latency: a stack for each call, and that only when it was asked for. */
static __always_inline void call_stack(void *ctx, struct cpu_block *b, u64 ns, bool cmpxchg)
{
	struct stack_key key = {};
	struct wait_stat *s;

	if (cfg.filter_cpu && !b->selected)
		return;
	stack_take(ctx, b, &key, 0, STACK_CALL);
	s = stack_row(&key);
	if (s)
		time_add(s, ns, cmpxchg);
	else
		add(&b->lost[LOST_STACK_FULL], 1);
}

/* The event that ends a call; ok: it got its memory. */
static __always_inline void alloc_exit(void *ctx, struct cpu_block *b, bool ok, bool cmpxchg)
{
	u64 key = call_key(), ns;
	struct call *c = bpf_map_lookup_elem(&calls, &key);

	if (!c || !c->depth) {
		if (!cfg.filter_tgid && !cfg.filter_tid && !cfg.filter_cgroup)
			add(&b->lost[LOST_CALL_BEGIN], 1);
		return;
	}
	if (--c->depth)
		return;
	ns = bpf_ktime_get_ns() - c->start_ns;
	latency_add(b, ns, cmpxchg);
	if (cfg.call_stacks)
		call_stack(ctx, b, ns, cmpxchg);
	if (c->in_mm) {
		c->mm_allocs += ok;
		c->mm_alloc_ns += ns;
	}
	call_put(c, key);
}

#endif
