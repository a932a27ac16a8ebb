#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Saved results side by side; a known change gets a star, none gets none, unlike runs are refused.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

# changed FILTER FILE: the saved results with a change.
changed()
{
	jq -c "$1" "$work/a" >"$work/$2"
}

compare()
{
	"$PCPUSTAT" bench --compare "$@" >"$work/out" 2>"$work/err"
}

"$PCPUSTAT" bench -c 20 -n 1,2 -r 5 --save "$work/a" exec fork >"$work/text" ||
	fail "bench: $(cat "$work/text")"
equal "scaling tables" "$(grep -c 'scaling on' "$work/text")" 2
equal "agreement" "$(grep -c '^counts agree' "$work/text")" 4

compare "$work/a" "$work/a" || fail "a run is not like itself: $(cat "$work/err")"
equal "stars against itself" "$(grep -c '% \* ' "$work/out")" 0
grep -q "in none and fewer in none" "$work/out" || fail "verdict: $(tail -n 1 "$work/out")"

# Half the time for each round of one case: twice the rate, and five against five rounds tell.
changed 'if .type == "result" and .workload == "exec" and .workers == 2
	then .rounds[].elapsed_ns = 1000000 else . end' fast
changed 'if .type == "result" and .workload == "exec" and .workers == 2
	then .rounds[].elapsed_ns = 2000000 else . end' slow
compare "$work/slow" "$work/fast" || fail "compare: $(cat "$work/err")"
equal "operations" "$(grep -c '+100.0 % \* .* operations$' "$work/out")" 1
grep -q "more operations in 1 and fewer in none" "$work/out" ||
	fail "verdict: $(tail -n 1 "$work/out")"

changed 'if .type == "header" then .cpus_online += 1 else . end' cpus
changed 'select(.type != "result" or .workers == 1)' fewer
changed 'if .type == "result" then .pinned = true else . end' pinned
for other in cpus fewer pinned; do
	compare "$work/a" "$work/$other" && fail "$other: unlike runs are compared"
	grep -q "not alike" "$work/err" || fail "$other: $(cat "$work/err")"
	compare --force "$work/a" "$work/$other" || fail "$other: --force refuses: $(cat "$work/err")"
done
changed 'if .type == "result" then .workers += 7 else . end' other
compare --force "$work/a" "$work/other"
equal "nothing in common" $? 2
head -c 100 "$work/a" >"$work/cut"
compare "$work/a" "$work/cut"
equal "cut off" $? 1
compare "$work/a" /nonexistent
equal "no file" $? 1
compare "$work/a"
equal "one file" $? 2

# A count that differs from the truth is found, whoever reads the file.
changed 'if .type == "result" and .workload == "fork" then .rounds[1].allocs += 1 else . end' wrong
compare --force "$work/a" "$work/wrong" || fail "compare: $(cat "$work/err")"
grep -q "INVALID" "$work/out" || fail "a wrong count goes unnoticed"
