# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# kfree_rcu in batches, and each object by a call_rcu() of its own.
SMP=${SMP:-$(nproc)}
set -e
insmod /lib/modules/torture.ko
kfree=module=/lib/modules/rcuscale.ko,kfree_alloc_num=$((200000 / SMP)),kfree_loops=8
for by_call_rcu in 0 1; do
	pcpustat bench -J -r 3 --no-trace -n "$SMP" "kfree_rcu:$kfree,kfree_by_call_rcu=$by_call_rcu"
done
