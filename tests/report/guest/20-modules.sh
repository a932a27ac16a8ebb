# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The load that is a module of the lab kernel, whatever the mode of rss_stat.
SMP=${SMP:-$(nproc)}
set -e
flood=module=/lib/modules/pcpu_flood.ko,alloc_num=$((400 / SMP)),loops=4
for path in individual grouped atomic; do
	for no_batch in 0 1; do
		pcpustat bench -J -r 1 -n "$SMP" "flood:$flood,path=$path,no_batch=$no_batch"
	done
done
