#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Per-CPU sums stay right while a CPU goes offline and comes back, and with CPUs that are possible
# but never online.
. /tests/lib.sh
online=$(getconf _NPROCESSORS_ONLN 2>/dev/null || grep -c '^processor' /proc/cpuinfo)
possible=$(sed 's/.*-//' /sys/devices/system/cpu/possible)
equal "CPUs as pcpustat sees them" "$(pcpustat -J 0.1 1 | head -n 1 |
	jq -c '[.cpus_online, .cpus_possible]')" "[$online,$((possible + 1))]"

per_mm=$(allocs_per_mm) || { echo "$per_mm"; exit 1; }
cat >run.sh <<'EOF'
truth -w 4 maps 20 50 >/dev/null
echo 0 >/sys/devices/system/cpu/cpu1/online
truth -w 4 maps 20 50 >/dev/null
echo 1 >/sys/devices/system/cpu/cpu1/online
truth -w 4 maps 20 50 >/dev/null
EOF
summary --by process -E 1000 -- sh run.sh
equal "CPU 1" "$(cat /sys/devices/system/cpu/cpu1/online)" 1
# Three times four workers, each with an mm of its own.
counted "allocations of truth" "$(get '[.rows[] | select(.comm == "truth") | .allocs] | add')" \
	$((12000 + 12 * per_mm))
equal "bytes for all possible CPUs" "$(get '.alloc_possible_bytes / .alloc_bytes')" \
	$((possible + 1))
no_losses
