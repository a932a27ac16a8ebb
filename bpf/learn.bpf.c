// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contention events with their stacks, for the loader to recognise our locks by who waits for
 * them. A CPU offers one event and then waits until the loader has looked at it: a bounded rate.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "abi.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPUs, set by the loader */
	__type(key, u32);
	__type(value, struct learn_slot);
} learn_slots SEC(".maps");

/* kernel/locking: any lock's slow path, perhaps with interrupts off. No map but an array. */
SEC("raw_tp/contention_begin")
int BPF_PROG(learn_begin, u64 lock, u32 flags)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct learn_slot *slot = bpf_map_lookup_elem(&learn_slots, &cpu);

	if (!slot || *(volatile u64 *)&slot->lock)
		return 0;
	if (bpf_get_stack(ctx, slot->ip, sizeof(slot->ip), 0) <= 0)
		return 0;
	*(volatile u64 *)&slot->lock = lock;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
