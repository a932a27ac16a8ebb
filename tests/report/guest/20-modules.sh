# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The loads that are modules of the lab kernel.
SMP=${SMP:-$(nproc)}
set -e
flood=module=/lib/modules/pcpu_flood.ko,alloc_num=$((800 / SMP)),loops=4
for path in individual grouped atomic; do
	for no_batch in 0 1; do
		pcpustat bench -J -r 2 -n "$SMP" "flood:$flood,path=$path,no_batch=$no_batch"
	done
done
