// SPDX-License-Identifier: GPL-2.0-only
/* Allocations, frees and failures: exact counts by (call site, size, align), at one add. */
#include "calls.bpf.h"

/* Can the allocation program run on a CPU on which it is at work? FACT_RAW_TP_GUARD says no. */
const volatile bool alloc_nests = true;

static __always_inline u64 site_meta(u64 size, u64 align, bool atomic, bool reserved)
{
	return SITE_VALID | (atomic ? SITE_ATOMIC : 0) | (reserved ? SITE_RESERVED : 0) |
	       (align & 0xffffff) << SITE_ALIGN_SHIFT | (u32)size;
}

static __always_inline u32 site_hash(u64 call_site, u64 meta)
{
	u64 h = call_site + meta * 0x9e3779b97f4a7c15ULL;

	return h ^ h >> 32;
}

/* Who stands behind a generic call site: one stack for each new key, and only then. */
static __always_inline void keep_owner(void *ctx, struct cpu_block *b, u64 call_site, u64 meta)
{
	union kept_key key = { .owner = { .call_site = call_site, .meta = meta } };
	union kept_value *new;
	long err;

	err = bpf_map_update_elem(&kept, &key, &zero_kept, BPF_NOEXIST);
	if (err) {
		if (err == -7 /* -E2BIG */)
			add(&b->lost[LOST_OWNER_FULL], 1);
		return;
	}
	new = bpf_map_lookup_elem(&kept, &key);
	if (!new)
		return;
	if (bpf_get_stack(ctx, new->owner.ip, sizeof(new->owner.ip), 0) <= 0) {
		add(&b->lost[LOST_STACK_FAIL], 1);
		bpf_map_delete_elem(&kept, &key);
	}
}

enum claim { CLAIM_OURS, CLAIM_TAKEN, CLAIM_BUSY };

/* The key is two words: the winner of meta fills in call_site before it shows the key. */
static __always_inline enum claim claim_new(struct cpu_block *b, struct site *s, u64 call_site,
					    u64 meta)
{
	u64 claimed = meta & ~SITE_VALID;

	/* With VALID cleared an align of 1 and a size of 0 cannot make it 0: align is >= 1. */
	if (__sync_val_compare_and_swap(&s->meta, 0, claimed))
		return CLAIM_TAKEN;
	*(volatile u64 *)&s->call_site = call_site;
	*(volatile u64 *)&s->meta = meta;
	return CLAIM_OURS;
}

/*
 * Before 5.12 there is no BPF_CMPXCHG, but tracepoint handlers run with preemption off until
 * 6.x: on one CPU they only nest, the inner one ending before the outer goes on. A flag that is
 * set before the slot is looked at again is then enough.
 */
static __always_inline enum claim claim_old(struct cpu_block *b, struct site *s, u64 call_site,
					    u64 meta)
{
	enum claim won = CLAIM_TAKEN;

	if (*(volatile u64 *)&b->claiming)
		return CLAIM_BUSY;
	*(volatile u64 *)&b->claiming = 1;
	if (!*(volatile u64 *)&s->meta) {
		*(volatile u64 *)&s->call_site = call_site;
		*(volatile u64 *)&s->meta = meta;
		won = CLAIM_OURS;
	}
	*(volatile u64 *)&b->claiming = 0;
	return won;
}

/* A site's slot is this CPU's and this program's alone. */
static __always_inline void count_hit(struct site *s)
{
	if (alloc_nests)
		add(&s->allocs, 1);
	else
		s->allocs++;
}

static __always_inline void count_other(struct cpu_block *b, u64 meta, enum lost why)
{
	add(&b->other_allocs, 1);
	add(&b->other_bytes, SITE_SIZE(meta));
	add(&b->lost[why], 1);
}

static __always_inline void count_site(void *ctx, struct cpu_block *b, u64 call_site, u64 meta,
				       bool cmpxchg)
{
	u32 h = site_hash(call_site, meta);
	enum claim got;
	struct site *s;
	u64 seen;

#pragma unroll
	for (int i = 0; i < SITE_PROBES; i++) {
		s = &b->sites[(h + i) & (cfg.nr_sites - 1) & (NR_SITES - 1)];
		seen = *(volatile u64 *)&s->meta;
		if (!seen) {
			got = cmpxchg ? claim_new(b, s, call_site, meta)
				      : claim_old(b, s, call_site, meta);
			if (got == CLAIM_BUSY)
				return count_other(b, meta, LOST_SITE_BUSY);
			if (got == CLAIM_OURS) {
				count_hit(s);
				if (cfg.owners)
					keep_owner(ctx, b, call_site, meta);
				return;
			}
			seen = *(volatile u64 *)&s->meta;
		}
		if (seen == meta && s->call_site == call_site) {
			count_hit(s);
			return;
		}
		/* Perhaps our own key, half written by the handler that we interrupted. */
		if (!(seen & SITE_VALID))
			return count_other(b, meta, LOST_SITE_BUSY);
	}
	count_other(b, meta, LOST_SITE_FULL);
}

static __always_inline void count_row(struct cpu_block *b, u64 size)
{
	struct row_stat *row = this_row();

	if (row) {
		add(&row->allocs, 1);
		add(&row->alloc_bytes, size);
		return;
	}
	add(&b->row_other_allocs, 1);
	add(&b->row_other_bytes, size);
	add(&b->lost[LOST_ROW_FULL], 1);
}

/* Percpu allocations inside mm_init, when no latency program is there to count them. */
static __always_inline void count_mm(void)
{
	u64 key = call_key();
	struct call *call = bpf_map_lookup_elem(&calls, &key);

	if (call && call->in_mm)
		call->mm_allocs++;
}

static __always_inline void count_alloc(void *ctx, u64 call_site, u64 meta, bool cmpxchg)
{
	struct cpu_block *b = this_block();

	/* What we allocate to attach must not become the owner of a site. */
	if (!b || !control.live || filtered())
		return;
	if (cfg.latency)
		alloc_exit(ctx, b, true, cmpxchg);
	if (cfg.filter_cpu && !b->selected)
		return;
	count_site(ctx, b, call_site, meta, cmpxchg);
	if (cfg.row_by)
		count_row(b, SITE_SIZE(meta));
	if (cfg.mm_calls && !cfg.latency)
		count_mm();
}

static __always_inline void count_free(void *ctx, bool cmpxchg)
{
	struct cpu_block *b = this_block();

	/* Not atomic: pcpu_lock lets no other free event run meanwhile, on any CPU. */
	if (b && control.live)
		b->frees++;
}

static __always_inline void count_fail(void *ctx, bool cmpxchg)
{
	struct cpu_block *b = this_block();

	if (!b || !control.live || filtered())
		return;
	if (cfg.latency)
		alloc_exit(ctx, b, false, cmpxchg);
	add(&b->fails, 1);
}

/*
 * mm/percpu.c pcpu_alloc(_noprof): the event comes after both locks were dropped and the area
 * was cleared. Any context but NMI. Ten arguments since f67bed134a05 (5.19).
 */
#define ALLOC_NEW(name, section)                                                                \
	SEC(section)                                                                            \
	int BPF_PROG(name, unsigned long call_site, bool reserved, bool is_atomic, size_t size, \
		     size_t align)                                                              \
	{                                                                                       \
		count_alloc(ctx, call_site, site_meta(size, align, is_atomic, reserved), true); \
		return 0;                                                                       \
	}

/* Seven arguments before, and no call site. */
#define ALLOC_OLD(name, section)                                                         \
	SEC(section)                                                                     \
	int BPF_PROG(name, bool reserved, bool is_atomic, size_t size, size_t align)     \
	{                                                                                \
		count_alloc(ctx, 0, site_meta(size, align, is_atomic, reserved), false); \
		return 0;                                                                \
	}

ALLOC_NEW(alloc_btf, "?tp_btf/percpu_alloc_percpu")
ALLOC_NEW(alloc_raw, "?raw_tp/percpu_alloc_percpu")
ALLOC_OLD(alloc_old_btf, "?tp_btf/percpu_alloc_percpu")
ALLOC_OLD(alloc_old_raw, "?raw_tp/percpu_alloc_percpu")

static __always_inline u64 classic_meta(struct trace_event_raw_percpu_alloc_percpu *e)
{
	return site_meta(e->size, e->align, e->is_atomic, e->reserved);
}

SEC("?tp/percpu/percpu_alloc_percpu")
int alloc_tp(struct trace_event_raw_percpu_alloc_percpu *e)
{
	count_alloc(e, e->call_site, classic_meta(e), true);
	return 0;
}

SEC("?tp/percpu/percpu_alloc_percpu")
int alloc_old_tp(struct trace_event_raw_percpu_alloc_percpu *e)
{
	count_alloc(e, 0, classic_meta(e), false);
	return 0;
}

#define COUNT(name, section, count, cmpxchg) \
	SEC(section)                         \
	int name(void *ctx)                  \
	{                                    \
		count(ctx, cmpxchg);         \
		return 0;                    \
	}

/* mm/percpu.c free_percpu: pcpu_lock is held and interrupts are off. One add, nothing else. */
COUNT(free_btf, "?tp_btf/percpu_free_percpu", count_free, false)
COUNT(free_raw, "?raw_tp/percpu_free_percpu", count_free, false)
COUNT(free_tp, "?tp/percpu/percpu_free_percpu", count_free, false)

/* mm/percpu.c pcpu_alloc: after pcpu_lock, with pcpu_alloc_mutex still held when blocking. */
COUNT(fail_btf, "?tp_btf/percpu_alloc_percpu_fail", count_fail, true)
COUNT(fail_raw, "?raw_tp/percpu_alloc_percpu_fail", count_fail, true)
COUNT(fail_tp, "?tp/percpu/percpu_alloc_percpu_fail", count_fail, true)
COUNT(fail_old_btf, "?tp_btf/percpu_alloc_percpu_fail", count_fail, false)
COUNT(fail_old_raw, "?raw_tp/percpu_alloc_percpu_fail", count_fail, false)
COUNT(fail_old_tp, "?tp/percpu/percpu_alloc_percpu_fail", count_fail, false)
