// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time inside pcpu_alloc and mm_init. Both are kept under the task's id: an allocation inside
 * mm_init must be told from another, and mm_init can sleep and move to another CPU.
 */
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

static __always_inline void alloc_enter(void)
{
	struct cpu_block *b = this_block();
	u64 key = call_key();
	struct call *c;

	if (!b || filtered())
		return;
	c = call_get(b, key);
	if (!c)
		return;
	/* A softirq's allocation inside a task's: time the outer, close only that one. */
	if (c->depth++)
		add(&b->lost[LOST_CALL_NESTED], 1);
	else
		c->start_ns = bpf_ktime_get_ns();
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

static __always_inline void alloc_exit(void *ctx, u64 ret, bool cmpxchg)
{
	struct cpu_block *b = this_block();
	u64 key = call_key(), ns;
	struct call *c = bpf_map_lookup_elem(&calls, &key);

	if (!b)
		return;
	if (!c || !c->depth) {
		if (control.live && !cfg.filter_tgid && !cfg.filter_tid && !cfg.filter_cgroup)
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
		c->mm_allocs += ret != 0;
		c->mm_alloc_ns += ns;
	}
	call_put(c, key);
}

static __always_inline void mm_enter(void)
{
	struct cpu_block *b = this_block();
	struct call *c;

	if (!b || filtered())
		return;
	c = call_get(b, call_key());
	if (!c)
		return;
	c->in_mm = 1;
	c->mm_allocs = c->mm_alloc_ns = c->mm_wait_ns = 0;
	c->mm_start_ns = bpf_ktime_get_ns();
}

static __always_inline void mm_exit(void)
{
	struct cpu_block *b = this_block();
	u64 key = call_key();
	struct call *c = bpf_map_lookup_elem(&calls, &key);

	if (!b || !c || !c->in_mm)
		return;
	c->in_mm = 0;
	if (!cfg.filter_cpu || b->selected) {
		add(&b->mm.inits, 1);
		add(&b->mm.init_ns, bpf_ktime_get_ns() - c->mm_start_ns);
		add(&b->mm.allocs, c->mm_allocs);
		add(&b->mm.alloc_ns, c->mm_alloc_ns);
		add(&b->mm.wait_ns, c->mm_wait_ns);
	}
	call_put(c, key);
}

/* mm/percpu.c pcpu_alloc, pcpu_alloc_noprof since 24e44cc22aa3 (6.10). No lock held by it. */
SEC("?fentry")
int BPF_PROG(pcpu_alloc_fentry)
{
	alloc_enter();
	return 0;
}

SEC("?fexit")
int BPF_PROG(pcpu_alloc_fexit, size_t size, size_t align, bool reserved, u32 gfp, u64 ret)
{
	alloc_exit(ctx, ret, true);
	return 0;
}

SEC("?fexit")
int BPF_PROG(pcpu_alloc_old_fexit, size_t size, size_t align, bool reserved, u32 gfp, u64 ret)
{
	alloc_exit(ctx, ret, false);
	return 0;
}

SEC("?kprobe")
int BPF_KPROBE(pcpu_alloc_kprobe)
{
	alloc_enter();
	return 0;
}

SEC("?kretprobe")
int BPF_KRETPROBE(pcpu_alloc_kretprobe, u64 ret)
{
	alloc_exit(ctx, ret, true);
	return 0;
}

SEC("?kretprobe")
int BPF_KRETPROBE(pcpu_alloc_old_kretprobe, u64 ret)
{
	alloc_exit(ctx, ret, false);
	return 0;
}

/*
 * kernel/fork.c mm_init: task context, may sleep. Below 6.4 BTF may describe init/main.c's
 * void mm_init(void) instead (renamed by b7ec1bf3e7b9): the loader then takes the kprobes.
 */
SEC("?fentry/mm_init")
int BPF_PROG(mm_init_fentry)
{
	mm_enter();
	return 0;
}

SEC("?fexit/mm_init")
int BPF_PROG(mm_init_fexit)
{
	mm_exit();
	return 0;
}

SEC("?kprobe")
int BPF_KPROBE(mm_init_kprobe)
{
	mm_enter();
	return 0;
}

SEC("?kretprobe")
int BPF_KRETPROBE(mm_init_kretprobe)
{
	mm_exit();
	return 0;
}
