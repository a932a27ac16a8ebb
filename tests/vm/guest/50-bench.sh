#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On this kernel too the workloads make exactly the allocations that its types and its mode predict.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
per_mm=$(allocs_per_mm) || { echo "$per_mm"; exit 1; }

"$PCPUSTAT" bench -J -c 12 -n 2 -r 1 exec fork shell spawn thread percpu >"$work/bench" ||
	fail "bench: exit $?"

# result WORKLOAD FILTER
result()
{
	jq -r --arg w "$1" "select(.type == \"result\" and .workload == \$w) | $2" "$work/bench"
}

equal "allocations per mm" \
	"$(jq 'select(.type == "header") | .rss_stat.allocs_per_mm' "$work/bench")" "$per_mm"
equal "valid results" "$(jq -r 'select(.truth) | [.workload, .truth.valid] | @csv' "$work/bench" |
	grep -c ',true$')" 6
for w in exec fork spawn; do
	equal "$w" "$(result $w '.rounds[] | select(.traced) | .allocs')" $((24 * per_mm))
done
equal "shell" "$(result shell '.rounds[] | select(.traced) | .allocs')" $((48 * per_mm))
equal "percpu" "$(result percpu '.rounds[] | select(.traced) | .allocs')" $((24 * 64))
