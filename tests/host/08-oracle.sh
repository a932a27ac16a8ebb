#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whole-run totals against the kernel's own count, nr_alloc and nr_dealloc of percpu_stats.
# Readings outside and inside the run hold the total between them.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
mounted debugfs /sys/kernel/debug
stats=/sys/kernel/debug/percpu_stats
[ -r $stats ] || skip "no percpu_stats"

field()
{
	awk -v key="$1" '$1 == key ":" || $1 == key { print $3 ? $3 : $2; exit }' "$2"
}

# The inner readings are made by the command itself, so the run covers them.
cat >"$work/inner" <<EOF
cat $stats >"$work/stats2"
"$TRUTH" maps 40 250 >/dev/null
cat $stats >"$work/stats3"
EOF
cat $stats >"$work/stats1"
summary --by site -- sh "$work/inner"
cat $stats >"$work/stats4"

inner=$(($(field nr_alloc "$work/stats3") - $(field nr_alloc "$work/stats2")))
outer=$(($(field nr_alloc "$work/stats4") - $(field nr_alloc "$work/stats1")))
total=$(get .allocs)
[ "$inner" -ge 10000 ] || fail "percpu_stats counts $inner of 10000 allocations"
[ "$total" -ge "$inner" ] || fail "counted $total, percpu_stats $inner within the run"
[ "$total" -le "$outer" ] || fail "counted $total, percpu_stats $outer around the run"
no_losses
