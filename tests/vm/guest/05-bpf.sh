#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel loads real programs of the kinds that pcpustat is made of: each line of bpftool's probe is a trial load.
. /tests/lib.sh

bpftool feature probe kernel >features 2>/dev/null || fail "bpftool feature probe"
for type in kprobe raw_tracepoint tracepoint tracing perf_event; do
	grep -qx "eBPF program_type $type is available" features || fail "no program type $type: $(grep " $type " features)"
done
grep -qx 'JIT compiler is enabled' features || fail "no JIT"
