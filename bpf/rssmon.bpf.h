/* SPDX-License-Identifier: GPL-2.0-only */
/* The monitor's counts and tables, and how a violation is told. One object includes this. */
#ifndef PCPUSTAT_RSSMON_BPF_H
#define PCPUSTAT_RSSMON_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "rss.bpf.h"

struct rss_stats stats[RSS_SLOTS_NR];
u64 max_ns; /* longest switch */
u64 max_iv; /* the same within an interval, packed as in struct wait_stat */
u64 epoch;
u64 nr_told[NR_CHECKS];
u64 live; /* set by the loader when all is attached: a birth is known as one from now on */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RSS_NR_MMS);
	__type(key, u64); /* mm */
	__type(value, struct rss_life);
} lives SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RSS_NR_BLOCKS);
	__type(key, u64); /* percpu pointer */
	__type(value, struct rss_block);
} blocks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RSS_NR_SWITCHES);
	__type(key, u32); /* tid */
	__type(value, struct rss_switch);
} switches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RSS_NR_COMMS);
	__type(key, struct rss_comm);
	__type(value, u64);
} comms SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} examples SEC(".maps");

static __always_inline struct rss_stats *my_stats(void)
{
	return &stats[bpf_get_smp_processor_id() & (RSS_SLOTS_NR - 1)];
}

static __always_inline void add(u64 *counter, u64 n)
{
	__sync_fetch_and_add(counter, n);
}

static __always_inline void tested(u32 check)
{
	if (check < NR_CHECKS)
		add(&my_stats()->tested[check], 1);
}

/*
 * Counts a violation, tells the first ones in full. Returns the record to fill in v[] and to give
 * to told(), or NULL. A violation spoils its mm: whatever else is found there follows from it.
 */
static __always_inline struct rss_violation *violation(void *ctx, u32 check, u64 mm,
						       struct rss_life *life)
{
	u64 id = bpf_get_current_pid_tgid();
	struct rss_violation *v;
	long n;

	if (check >= NR_CHECKS)
		return NULL;
	if (life && life->spoiled) {
		add(&my_stats()->consequences, 1);
		return NULL;
	}
	if (life && check != CHECK_SUCCEEDS)
		life->spoiled = 1;
	add(&my_stats()->violated[check], 1);
	if (nr_told[check] >= RSS_EXAMPLES)
		return NULL;
	add(&nr_told[check], 1);
	v = bpf_ringbuf_reserve(&examples, sizeof(*v), 0);
	if (!v) {
		add(&my_stats()->lost[RSS_LOST_EXAMPLE], 1);
		return NULL;
	}
	__builtin_memset(v, 0, sizeof(*v));
	v->ts_ns = bpf_ktime_get_ns();
	v->mm = mm;
	v->check = check;
	v->pid = id >> 32;
	v->tid = id;
	bpf_get_current_comm(v->comm, sizeof(v->comm));
	n = bpf_get_stack(ctx, v->ip, sizeof(v->ip), 0);
	v->nr_frames = n > 0 ? (u64)n / sizeof(u64) : 0;
	return v;
}

static __always_inline void told(struct rss_violation *v)
{
	bpf_ringbuf_submit(v, 0);
}

/* A violation whose numbers are the four counters; expected NULL: all zero. */
static __always_inline void violated_words(void *ctx, u32 check, u64 mm, struct rss_life *life,
					   const s64 *found, const s64 *expected)
{
	struct rss_violation *v = violation(ctx, check, mm, life);

	if (!v)
		return;
	for (int i = 0; i < NR_RSS; i++) {
		v->v[i] = found[i];
		v->v[NR_RSS + i] = expected ? expected[i] : 0;
	}
	told(v);
}

static __always_inline void violated_numbers(void *ctx, u32 check, u64 mm, struct rss_life *life,
					     s64 a, s64 b, s64 c)
{
	struct rss_violation *v = violation(ctx, check, mm, life);

	if (!v)
		return;
	v->v[0] = a;
	v->v[1] = b;
	v->v[2] = c;
	told(v);
}

/* Value of one counter in pages; slots must have been read where it is in percpu mode. */
static __always_inline s64 word_value(const struct rss_words *w, int i)
{
	if (w->ptr[i] & 1)
		return w->count[i] + ((s64)w->ptr[i] >> 1);
	return w->count[i] + w->slots[i];
}

static __always_inline bool is_atomic(const struct rss_words *w)
{
	return !rss_is_percpu(w->ptr[0]);
}

/* In atomic mode the word is the value; split counters may be below zero between two syncs. */
static __always_inline void check_negative(void *ctx, u64 mm, struct rss_life *life,
					   const struct rss_words *w)
{
	bool bad = false;
	s64 v[NR_RSS];

	if (!rss_cfg.lazy || !is_atomic(w))
		return;
	tested(CHECK_NEGATIVE);
	for (int i = 0; i < NR_RSS; i++) {
		v[i] = word_value(w, i);
		bad |= v[i] < 0;
	}
	if (bad)
		violated_words(ctx, CHECK_NEGATIVE, mm, life, v, NULL);
}

#endif
