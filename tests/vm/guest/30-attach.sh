#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Attach and detach a hundred times under load, at last with SIGKILL: nothing stays attached, and
# the kernel does not complain (the test dmesg looks).
. /tests/lib.sh
truth -w 4 hash 100000 50 >/dev/null &
load=$!
i=0
while [ $i -lt 98 ]; do
	pcpustat -J 0.01 1 >out 2>err || fail "run $i: $(cat err)"
	i=$((i + 1))
done
for i in 1 2; do
	: >out
	pcpustat -J --by stack 3600 >out 2>err &
	pid=$!
	while ! grep -q '"type":"header"' out; do
		kill -0 $pid || fail "run before SIGKILL: $(cat err)"
	done
	kill -KILL $pid
	wait $pid
done
kill $load
wait $load
i=0
while bpftool prog show | grep -qE 'name (alloc|free|fail|begin|end|pcpu|mm|mmdrop|killable|mutex)_'; do
	i=$((i + 1))
	[ $i -lt 100 ] || fail "left attached: $(bpftool prog show)"
	sleep 0.1
done
