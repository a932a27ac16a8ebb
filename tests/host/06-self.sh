#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# We do not press on what we watch: a bounded number of percpu allocations at start, none after.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

summary -- true
start=$(get .self.percpu_allocs)
[ "$start" != null ] || fail "our own allocations are not counted"
echo "percpu allocations at start: $start"
[ "$start" -le 64 ] || fail "$start percpu allocations at start, 64 are the limit"

# From the first snapshot on our process makes none: it has no row. The child that becomes the
# command is forked before, and is not ours any more.
"$PCPUSTAT" -J --by process -E 1000 0.05 6 >"$work/out" &
pid=$!
wait $pid
grep interval "$work/out" | tail -n +2 >"$work/later"
equal "intervals" "$(wc -l <"$work/later")" 5
equal "allocations of our own" "$(jq "[.rows[] | select(.pid == $pid) | .allocs] | add // 0" \
	"$work/later" | sort -u)" 0
