/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps and small helpers that several programs share. maps.bpf.c defines, the others declare. */
#ifndef PCPUSTAT_MAPS_BPF_H
#define PCPUSTAT_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "compat.bpf.h"
#include "abi.h"

#ifndef SHARED
#define SHARED extern
#endif

SHARED const volatile struct cfg cfg;
SHARED struct control control;
SHARED const union kept_value zero_kept;
SHARED const struct row_stat zero_row;

/*
 * One element a possible CPU, read by user space through mmap. No map here is per-CPU: each of
 * its elements would be a pcpu_alloc under the very mutex that we watch.
 */
SHARED struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPUs, set by the loader */
	__type(key, u32);
	__type(value, struct cpu_block);
} cpus SEC(".maps");

SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NR_WAITS + NR_OWNERS);
	__type(key, union kept_key);
	__type(value, union kept_value);
} kept SEC(".maps");

SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NR_CALLS);
	__type(key, u64);
	__type(value, struct call);
} calls SEC(".maps");

SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NR_ROWS);
	__type(key, struct row_key);
	__type(value, struct row_stat);
} rows SEC(".maps");

SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NR_STACKS);
	__type(key, struct stack_key);
	__type(value, struct wait_stat);
} stacks SEC(".maps");

SHARED struct blame blame[NR_LOCKS];

SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NR_USTACKS);
	__type(key, struct ustack_key);
	__type(value, u64); /* stack_key.user */
} ustacks SEC(".maps");

SHARED struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NR_FILTER); /* NR_FOLLOW with --follow */
	__type(key, u32);
	__type(value, u32);
} filter_ids SEC(".maps"); /* tgids under filter_tgid, tids under filter_tid */

SHARED struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} filter_cgroup SEC(".maps");

static __always_inline struct cpu_block *this_block(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

static __always_inline void add(u64 *counter, u64 n)
{
	__sync_fetch_and_add(counter, n);
}

static __always_inline bool asked_for(u32 id)
{
	return bpf_map_lookup_elem(&filter_ids, &id);
}

/* Is this task one that the user did not ask for? No call is left of it when no filter is set. */
static __always_inline bool filtered(void)
{
	if (cfg.filter_tgid && !asked_for(bpf_get_current_pid_tgid() >> 32))
		return true;
	if (cfg.filter_tid && !asked_for(bpf_get_current_pid_tgid()))
		return true;
	if (cfg.filter_cgroup == 2 && bpf_current_task_under_cgroup(&filter_cgroup, 0) != 1)
		return true;
	if (cfg.filter_cgroup == 1 && !under_cgroup_v1(cfg.cgroup_subsys, cfg.filter_cgroup_id))
		return true;
	return false;
}

/* All idle tasks share tid 0; they only run allocations of softirqs, on one CPU each. */
static __always_inline u64 call_key(void)
{
	u32 tid = bpf_get_current_pid_tgid();

	return tid ? tid : 1ULL << 32 | bpf_get_smp_processor_id();
}

/* Floor of log2, straight-line: 5.10's verifier has to walk every path of a loop. */
static __always_inline u32 log2_u64(u64 v)
{
	u32 r = 0, s;

	s = (v > 0xffffffffULL) << 5;
	v >>= s;
	r |= s;
	s = (v > 0xffff) << 4;
	v >>= s;
	r |= s;
	s = (v > 0xff) << 3;
	v >>= s;
	r |= s;
	s = (v > 0xf) << 2;
	v >>= s;
	r |= s;
	s = (v > 0x3) << 1;
	v >>= s;
	r |= s;
	return r | (v >> 1);
}

/* The inverse is hist_le() in src/snap.c. */
static __always_inline u32 hist_index(u64 ns)
{
	u64 units = ns >> HIST_SHIFT;
	u32 octave, i;

	if (units < 4)
		return units;
	octave = log2_u64(units);
	i = (octave - 1) * 4 + ((units >> (octave - 2)) & 3);
	return i < HIST_BUCKETS ? i : HIST_BUCKETS - 1;
}

static __always_inline void hist_add(struct hist *hist, u64 ns)
{
	u64 i = hist_index(ns);

	/* It is in range; verifiers before 6.5 see it only if the compiler cannot drop the mask. */
	asm volatile("" : "+r"(i));
	add(&hist->bucket[i & (HIST_BUCKETS - 1)], 1);
}

static __always_inline u64 max_iv_pack(u64 ns)
{
	u64 top = (1ULL << MAX_IV_BITS) - 1;

	return control.epoch << MAX_IV_BITS | (ns < top ? ns : top);
}

/*
 * A maximum that a preempting handler may raise under us. Each failed exchange means that another
 * value was stored, so four tries lose only to four larger ones. Needs BPF_CMPXCHG (5.12).
 */
static __always_inline void max_atomic(u64 *max, u64 v)
{
	u64 old = *(volatile u64 *)max, seen;

	for (int i = 0; i < 4; i++) {
		if (old >= v)
			return;
		seen = __sync_val_compare_and_swap(max, old, v);
		if (seen == old)
			return;
		old = seen;
	}
}

/* Without BPF_CMPXCHG: a handler that preempts us between load and store can be overwritten. */
static __always_inline void max_plain(u64 *max, u64 v)
{
	if (*(volatile u64 *)max < v)
		*(volatile u64 *)max = v;
}

static __always_inline u64 this_cgroup(void)
{
	if (cfg.cgroup_subsys != ~0U)
		return cgroup_v1_id(cfg.cgroup_subsys);
	return bpf_get_current_cgroup_id();
}

/* The row of the present process or cgroup, made on first sight; NULL when the table is full. */
static __always_inline struct row_stat *this_row(void)
{
	struct row_key key = {};
	struct row_stat *row;

	if (cfg.row_by != ROW_CGROUP) {
		struct task_struct *task = (void *)bpf_get_current_task();

		if (cfg.row_by == ROW_PROCESS)
			key.id = bpf_get_current_pid_tgid() >> 32;
		BPF_CORE_READ_INTO(&key.comm, task, group_leader, comm);
	} else {
		key.id = this_cgroup();
	}
	row = bpf_map_lookup_elem(&rows, &key);
	if (row)
		return row;
	bpf_map_update_elem(&rows, &key, &zero_row, BPF_NOEXIST);
	return bpf_map_lookup_elem(&rows, &key);
}

#endif
