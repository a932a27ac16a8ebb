#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The guest is what the other tests take for granted.
. /tests/lib.sh

mounted()
{
	grep -q "^[^ ]* $2 $1 " /proc/mounts || fail "no $1 on $2"
}

mounted proc /proc
mounted sysfs /sys
mounted devtmpfs /dev
mounted tracefs /sys/kernel/tracing
mounted debugfs /sys/kernel/debug
mounted bpf /sys/fs/bpf
mounted cgroup2 /sys/fs/cgroup
mounted tmpfs /tmp

[ -n "$RELEASE" ] || fail "init did not say which kernel to expect"
equal "kernel" "$(uname -r)" "$RELEASE"
possible=${SMP##*maxcpus=}
online=$(sed -n 's/.* maxcpus=\([0-9]*\).*/\1/p' /proc/cmdline)
[ -n "$online" ] || online=${SMP%%,*}
equal "CPUs online" "$(cat /sys/devices/system/cpu/online)" "0-$((online - 1))"
equal "CPUs possible" "$(cat /sys/devices/system/cpu/possible)" "0-$((possible - 1))"
[ -s /sys/kernel/btf/vmlinux ] || fail "no BTF"
for event in percpu_alloc_percpu percpu_free_percpu percpu_create_chunk; do
	[ -d "/sys/kernel/tracing/events/percpu/$event" ] || fail "no tracepoint percpu:$event"
done
