// SPDX-License-Identifier: GPL-2.0-only
/* The floor: programs on the same hooks that do nothing. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#define EMPTY(name)                 \
	SEC("tp_btf/" #name)        \
	int floor_##name(void *ctx) \
	{                           \
		return 0;           \
	}

EMPTY(percpu_alloc_percpu)
EMPTY(percpu_free_percpu)
EMPTY(contention_begin)
EMPTY(contention_end)

char LICENSE[] SEC("license") = "GPL";
