// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads kernel memory for the loader, which looks in the kernel's own code for the addresses of
 * locks that kallsyms does not list. Run by BPF_PROG_TEST_RUN (1b4d60ec162f, 5.10), never attached.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "abi.h"

struct code_read code_read;

SEC("raw_tp/code")
int read_code(void *ctx)
{
	u32 len = code_read.len;

	if (len > sizeof(code_read.bytes))
		return 0;
	code_read.err = bpf_probe_read_kernel(code_read.bytes, len, (void *)code_read.addr);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
