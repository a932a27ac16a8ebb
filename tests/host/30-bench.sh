#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every workload does as many operations as asked, and the allocations that are counted are exactly
# those that the kernel is expected to make for them.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
per_mm=$(allocs_per_mm) || { echo "$per_mm"; exit 1; }

# result WORKLOAD FILTER
result()
{
	jq -r --arg w "$1" 'select(.type == "result" and .workload == $w) | '"$2" "$work/bench"
}

set -- exec fork forkexec shell spawn launch thread \
	fault fault-threads fault-file fault-file-threads percpu
"$PCPUSTAT" bench -J -c 40 -n 3 -r 2 --save "$work/saved" "$@" >"$work/bench" 2>"$work/err" ||
	fail "bench: exit $?: $(cat "$work/err")"
cmp "$work/bench" "$work/saved" || fail "what is saved is not what is printed"
equal "allocations per mm" "$(jq 'select(.type == "header") | .rss_stat.allocs_per_mm' "$work/bench")" \
	"$per_mm"
equal "summary" "$(jq -c 'select(.type == "summary") | [.results, .invalid, .lost, .interrupted]' \
	"$work/bench")" '[12,0,0,false]'

for w; do
	equal "$w: valid" "$(result "$w" .truth.valid)" true
	equal "$w: counted" "$(result "$w" .counted)" workers
	equal "$w: operations of each round" "$(result "$w" '[.rounds[].ops] | unique | @csv')" 120
	equal "$w: rounds" "$(result "$w" '[.rounds[].traced | if . then 1 else 0 end] | @csv')" \
		0,1,1,0
done
for w in exec fork spawn launch; do
	equal "$w: allocations" "$(result "$w" '[.rounds[] | select(.traced) | .allocs] | unique | @csv')" \
		$((120 * per_mm))
done
for w in forkexec shell; do
	equal "$w: allocations" "$(result "$w" '[.rounds[] | select(.traced) | .allocs] | unique | @csv')" \
		$((240 * per_mm))
done
equal "percpu: allocations" "$(result percpu '[.rounds[] | select(.traced) | .allocs] | unique | @csv')" \
	$((120 * 64))
equal "fault: allocations" "$(result fault '[.rounds[] | select(.traced) | .allocs] | unique | @csv')" 0
equal "fault: faults per op" "$(result fault '.rounds[0].page_faults >= 120')" true
equal "thread: threads" "$(result thread '[.rounds[0].parts[].count] | @csv')" 120,840
# Unmeasured is null, not 0.
equal "untraced counts" "$(result exec '.rounds[0] | has("allocs")')" false
equal "fault: first thread" "$(result fault .metrics.first_thread_ns)" null
