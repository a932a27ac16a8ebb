#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Attach and detach a hundred times under load, then SIGKILL: nothing stays attached, the counts are
# right afterwards, and the kernel does not complain (the test dmesg looks).
. /tests/lib.sh
backends=
# Before 5.14 a program of fentry or fexit can be attached once (kernel/bpf/syscall.c).
[ "$LABEL" != 5.10 ] || backends="--backend latency=kprobe --backend lock_waits=kprobe"
# Patched code is translated anew under emulation, and the busier a machine the more of it: bursts.
(while :; do
	truth fork 10 >/dev/null
	sleep 1
done) &
load=$!
# shellcheck disable=SC2086 # words on purpose
"$PCPUSTAT" -J $backends --reattach 100 3600 --by process -E 100000 -- truth maps 10 100 >out 2>err ||
	fail "attached a hundred times: $(cat err)"
equal "allocations of truth after that" "$(grep summary out |
	jq '.lost.program_missed as $missed | [.rows[] | select(.comm == "truth" and
		.allocs <= 1000 and .allocs + $missed >= 1000)] | length')" 1
kill $load
wait $load
# Maps would be made faster than an emulated machine frees them.
truth -w 2 fork 1000000 >/dev/null &
load=$!
: >out
"$PCPUSTAT" -J --by stack 3600 >out 2>err &
pid=$!
while ! grep -q '"type":"header"' out; do
	kill -0 $pid || fail "run before SIGKILL: $(cat err)"
done
kill -KILL $pid
wait $pid
kill $load
wait $load
i=0
while bpftool prog show | grep -qE 'name (alloc|free|fail|begin|end|pcpu|mm|mmdrop|killable|mutex)_'; do
	i=$((i + 1))
	[ $i -lt 100 ] || fail "left attached: $(bpftool prog show)"
	sleep 0.1
done
