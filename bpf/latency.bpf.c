// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time inside pcpu_alloc and mm_init. Both are kept under the task's id: an allocation inside
 * mm_init must be told from another, and mm_init can sleep and move to another CPU.
 */
#include "calls.bpf.h"

/*
 * A call that a fatal signal ends in mutex_lock_killable has no event. A call that may sleep is
 * never inside another, so it tells that the one before it has ended so.
 */
static __always_inline void alloc_enter(u32 gfp)
{
	struct cpu_block *b = this_block();
	u64 key = call_key();
	struct call *c;

	if (!b || !control.live || filtered())
		return;
	c = call_get(b, key);
	if (!c)
		return;
	if (c->depth && gfp & GFP_DIRECT_RECLAIM) {
		add(&b->lost[LOST_CALL_INTERRUPTED], 1);
		c->depth = 0;
	}
	/* A softirq's allocation inside a task's: time the outer, close only that one. */
	if (c->depth++)
		add(&b->lost[LOST_CALL_NESTED], 1);
	else
		c->start_ns = bpf_ktime_get_ns();
}

static __always_inline void mm_enter(void)
{
	struct cpu_block *b = this_block();
	struct call *c;

	if (!b || !control.live || filtered())
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
	if (control.live && (!cfg.filter_cpu || b->selected)) {
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
int BPF_PROG(pcpu_alloc_fentry, size_t size, size_t align, bool reserved, u32 gfp)
{
	alloc_enter(gfp);
	return 0;
}

SEC("?kprobe")
int BPF_KPROBE(pcpu_alloc_kprobe, size_t size, size_t align, bool reserved, u32 gfp)
{
	alloc_enter(gfp);
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
