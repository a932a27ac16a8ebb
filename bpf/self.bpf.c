// SPDX-License-Identifier: GPL-2.0-only
/* Counts the loader's own percpu allocations while it starts: we must not press on what we watch. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

const volatile u32 self_tgid;
u64 self_allocs;

SEC("raw_tp/percpu_alloc_percpu")
int count_self(void *ctx)
{
	if (bpf_get_current_pid_tgid() >> 32 == self_tgid)
		__sync_fetch_and_add(&self_allocs, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
