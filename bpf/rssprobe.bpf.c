// SPDX-License-Identifier: GPL-2.0-only
/* Two measurements before a census: where CPUs keep their percpu memory, and what a fork allocates. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "rss_abi.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct rss_cfg rss_cfg;

/*
 * The one percpu map of this program: a single element, made once and freed before the census,
 * because it is the one object whose percpu pointer and whose addresses are both in sight.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} anchor SEC(".maps");

volatile u64 anchor_map;
u64 anchor_ptr;
u64 anchor_addr[RSS_MAX_CPUS];

/*
 * __per_cpu_offset[cpu] = address of the element on that CPU - its percpu pointer. Needs neither
 * KALLSYMS_ALL nor a percpu variable in BTF. bpf_map_lookup_percpu_elem: 07343110b293 (5.19),
 * older than any percpu rss_stat.
 */
SEC("?raw_tp")
int read_offsets(void *ctx)
{
	u32 key = 0;

	anchor_map = (u64)&anchor;
	bpf_probe_read_kernel(&anchor_ptr, sizeof(anchor_ptr),
			      (void *)(anchor_map + bpf_core_field_offset(struct bpf_array, pptrs)));
	for (u32 cpu = 0; cpu < RSS_MAX_CPUS && cpu < rss_cfg.nr_cpus; cpu++)
		anchor_addr[cpu] = (u64)bpf_map_lookup_percpu_elem(&anchor, &key, cpu);
	return 0;
}

u32 trial_tgid;
u32 nr_allocs;
struct rss_alloc allocs[RSS_MAX_ALLOCS];

/*
 * mm/percpu.c pcpu_alloc_noprof, after both locks were dropped; the arguments are those since
 * f67bed134a05 (5.19). A fork's allocations are made by the parent, in copy_process.
 */
SEC("?raw_tp/percpu_alloc_percpu")
int BPF_PROG(trial_alloc, unsigned long call_site, bool reserved, bool is_atomic, size_t size,
	     size_t align, void *base_addr, int off, void *ptr)
{
	u32 i;

	if (!trial_tgid || bpf_get_current_pid_tgid() >> 32 != trial_tgid)
		return 0;
	i = nr_allocs;
	nr_allocs = i + 1;
	if (i >= RSS_MAX_ALLOCS)
		return 0;
	allocs[i].call_site = call_site;
	allocs[i].ptr = (u64)ptr;
	allocs[i].size = size;
	allocs[i].align = align;
	return 0;
}
