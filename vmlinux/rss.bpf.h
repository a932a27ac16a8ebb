/* SPDX-License-Identifier: GPL-2.0-only */
/* The shapes that mm_struct.rss_stat has had, and how to read each. */
#ifndef PCPUSTAT_RSS_BPF_H
#define PCPUSTAT_RSS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "compat.bpf.h"
#include "rss_abi.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/*
 * To 6.1, include/linux/mm_types_task.h: atomics in the mm, and task_rss_stat in each task that
 * holds back up to 64 fault events (mm/memory.c check_sync_rss_stat).
 */
struct mm_rss_stat {
	atomic_long_t count[4];
};
struct mm_struct___split {
	struct mm_rss_stat rss_stat;
};
struct task_rss_stat {
	int count[4];
};
struct task_struct___split {
	struct task_rss_stat rss_stat;
};

/*
 * Since f1a7941243c1 (6.2). counters == NULL means atomic mode in kernels that start that way
 * (percpu_counter_switch_to_pcpu_many, openEuler and deepin): count is then the whole value.
 */
struct percpu_counter {
	s64 count;
	s32 *counters;
};
struct mm_struct___percpu {
	struct percpu_counter rss_stat[4];
};

/*
 * 20251127233635.4170047-1-krisman@suse.de: the word of counters is (remote << 1 | 1) until the
 * upgrade, and the value count + remote.
 */
struct lazy_percpu_counter {
	struct percpu_counter c;
};
struct mm_struct___lazy {
	struct lazy_percpu_counter rss_stat[4];
};

/* 20260227153730.1556542-1 and before: named, not read. No released kernel has it. */
struct percpu_counter_tree {
	long bias;
};

#pragma clang attribute pop

/* Folded to a constant when the program is loaded, so that foreign branches are dead code. */
static __always_inline enum rss_shape rss_shape(void)
{
	if (bpf_core_type_exists(struct mm_rss_stat))
		return SHAPE_SPLIT;
	if (bpf_core_type_exists(struct percpu_counter_tree))
		return SHAPE_TREE;
	if (bpf_core_type_exists(struct lazy_percpu_counter))
		return SHAPE_LAZY_LOCAL;
	if (!bpf_core_field_exists(struct mm_struct___percpu, rss_stat))
		return SHAPE_UNKNOWN;
	if (!bpf_core_field_exists(struct percpu_counter, counters))
		return SHAPE_UP;
	return SHAPE_PERCPU;
}

#define RSS_WORDS_SPLIT(i) \
	w->count[i] = BPF_CORE_READ((struct mm_struct___split *)mm, rss_stat.count[i].counter)
#define RSS_WORDS_UP(i) \
	w->count[i] = BPF_CORE_READ((struct mm_struct___percpu *)mm, rss_stat[i].count)
#define RSS_WORDS_PERCPU(i)                                              \
	do {                                                             \
		struct mm_struct___percpu *m = (void *)mm;               \
		w->ptr[i] = (u64)BPF_CORE_READ(m, rss_stat[i].counters); \
		w->count[i] = BPF_CORE_READ(m, rss_stat[i].count);       \
	} while (0)
#define RSS_WORDS_LAZY(i)                                                  \
	do {                                                               \
		struct mm_struct___lazy *m = (void *)mm;                   \
		w->ptr[i] = (u64)BPF_CORE_READ(m, rss_stat[i].c.counters); \
		w->count[i] = BPF_CORE_READ(m, rss_stat[i].c.count);       \
	} while (0)
#define RSS_EACH(read)   \
	do {             \
		read(0); \
		read(1); \
		read(2); \
		read(3); \
	} while (0)

/*
 * The pointer is read before the count: an mm that is switched in between shows atomic mode with
 * its whole value, never percpu mode without it.
 */
static __always_inline void rss_read_words(struct mm_struct *mm, struct rss_words *w)
{
	switch (rss_shape()) {
	case SHAPE_SPLIT:
		RSS_EACH(RSS_WORDS_SPLIT);
		break;
	case SHAPE_PERCPU:
		RSS_EACH(RSS_WORDS_PERCPU);
		break;
	case SHAPE_LAZY_LOCAL:
		RSS_EACH(RSS_WORDS_LAZY);
		break;
	case SHAPE_UP:
		RSS_EACH(RSS_WORDS_UP);
		break;
	case SHAPE_TREE:
	case SHAPE_UNKNOWN:
		break;
	}
}

static __always_inline void rss_read_counts(struct mm_struct *mm, s64 *count)
{
	struct rss_words w = {};

	rss_read_words(mm, &w);
	for (int i = 0; i < NR_RSS; i++)
		count[i] = w.count[i];
}

static __always_inline bool rss_is_percpu(u64 ptr)
{
	return ptr && !(ptr & 1);
}

/* percpu address = pointer + __per_cpu_offset[cpu], include/asm-generic/percpu.h. */
u64 cpu_offset[RSS_MAX_CPUS];
const volatile struct rss_cfg rss_cfg;

/*
 * Slots of four counters that lie side by side, as one grouped allocation makes them: one read a
 * CPU. A CPU that is offline keeps zero in its slots (lib/percpu_counter.c percpu_counter_cpu_dead).
 */
static __noinline int rss_sum_grouped(struct rss_words *w)
{
	s32 slot[NR_RSS];
	int err = 0;

	if (!w)
		return -1;
	for (u32 cpu = 0; cpu < RSS_MAX_CPUS && cpu < rss_cfg.nr_cpus; cpu++) {
		if (bpf_probe_read_kernel(slot, sizeof(slot),
					  (void *)(w->ptr[0] + cpu_offset[cpu]))) {
			err = -1;
			break;
		}
		w->slots[0] += slot[0];
		w->slots[1] += slot[1];
		w->slots[2] += slot[2];
		w->slots[3] += slot[3];
	}
	return err;
}

static __noinline int rss_sum_single(struct rss_words *w, u32 i)
{
	s64 sum = 0;
	int err = 0;
	s32 slot;

	if (!w || i >= NR_RSS)
		return -1;
	for (u32 cpu = 0; cpu < RSS_MAX_CPUS && cpu < rss_cfg.nr_cpus; cpu++) {
		if (bpf_probe_read_kernel(&slot, sizeof(slot),
					  (void *)(w->ptr[i] + cpu_offset[cpu]))) {
			err = -1;
			break;
		}
		sum += slot;
	}
	w->slots[i] = sum;
	return err;
}

static __always_inline bool rss_contiguous(const struct rss_words *w)
{
	return w->ptr[1] == w->ptr[0] + 4 && w->ptr[2] == w->ptr[0] + 8 &&
	       w->ptr[3] == w->ptr[0] + 12;
}

/*
 * Words and slots of one mm; returns RSS_* flags. No lock is taken: a running process can move
 * pages between a slot and the count under us (lib/percpu_counter.c percpu_counter_add_batch),
 * which RSS_MOVED tells when it changed the count.
 */
static __always_inline u32 rss_read(struct mm_struct *mm, struct rss_words *w)
{
	s64 after[NR_RSS] = {};
	u32 flags = 0;
	int err = 0;

	rss_read_words(mm, w);
	if (!rss_cfg.nr_cpus || !rss_is_percpu(w->ptr[0]))
		return 0;
	if (rss_contiguous(w)) {
		err = rss_sum_grouped(w);
	} else {
		for (u32 i = 0; i < NR_RSS; i++)
			if (rss_is_percpu(w->ptr[i]))
				err |= rss_sum_single(w, i);
	}
	if (err)
		return RSS_FAULT;
	rss_read_counts(mm, after);
	for (int i = 0; i < NR_RSS; i++)
		if (after[i] != w->count[i])
			flags |= RSS_MOVED;
	return flags | RSS_SLOTS;
}

#endif
