#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every line that the program prints as JSON is as pcpustat --json-schema says.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
schema=$PWD/tests/check-schema

"$PCPUSTAT" --json-schema >"$work/schema" || fail "no schema"

# conforms WHAT LINES: $work/out has that many lines, all as the schema says.
conforms()
{
	"$schema" "$work/schema" "$work/out" >"$work/report" || fail "$1: $(cat "$work/report")"
	equal "$1" "$(tail -n 1 "$work/report")" "$2 lines"
}

for by in site stack process cgroup size; do
	"$PCPUSTAT" -J 0.2 3 --by $by >"$work/out" || fail "--by $by: exit $?"
	conforms "--by $by: a header, three intervals, a summary" 5
done
"$PCPUSTAT" -J 3600 --by stack -- sh -c '"$0" -w 2 hash 5 300 >&2' "$TRUTH" >"$work/out" ||
	fail "with a command: $?"
conforms "with a command: a header, an interval, a summary" 3
equal "its status" "$(jq 'select(.type == "summary").command_status' "$work/out")" 0
"$PCPUSTAT" -J --backend allocations=none --backend lock_waits=none --backend mm_life=none \
	--backend latency=none 0.1 1 >"$work/out" || fail "with no backend: exit $?"
conforms "with no backend: a header, an interval, a summary" 3
equal "what no backend measures" \
	"$(jq -c 'select(.type == "summary") | [.allocs, .frees, .mm, .alloc_latency, .locks[].waits]' \
		"$work/out")" "[null,null,null,null,null,null,null]"
"$PCPUSTAT" doctor -J >"$work/out" || fail "doctor: exit $?"
conforms "doctor" 1
