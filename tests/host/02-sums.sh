#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sum(rows) + other == total in every column that adds up, with the table full as well.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

# adds_up: in every interval and the summary, over all columns of the row total.
adds_up='
	.rows as $rows | ($rows[] | select(.total)) as $total |
	$total | to_entries | map(select(.value | type == "number") | .key) |
	map(. as $k | ([$rows[] | select(.total | not) | .[$k] // 0] | add) == $total[$k]) | all'

for by in site stack process cgroup size; do
	for top in ${TOPS:-1 1000}; do
		summary --by $by -E "$top" -- "$TRUTH" -w 2 hash 5 300
		equal "--by $by -E $top adds up" \
			"$(grep '"rows"' "$work/out" | jq "$adds_up" | sort -u)" true
	done
done

# Eight slots for eleven sizes: the totals stay exact, and the loss is shown.
summary --by site -E 100000 --sites 8 --no-owners -- "$TRUTH" sizes 40 20
truth_sizes=$((40 * 20))
total=$(get '.rows[] | select(.total) | .allocs')
[ "$total" -ge $truth_sizes ] || fail "a full table lost allocations: $total < $truth_sizes"
equal "a full table adds up" "$(jq "$adds_up" "$work/summary")" true
equal "events without a slot" "$(get '.lost.site_table_full')" \
	"$(get '(.rows[] | select(.total) | .allocs) - ([.rows[] | select(.size_bytes) | .allocs] | add)')"
[ "$(get .lost.site_table_full)" != 0 ] || fail "eight slots held forty sizes"

# The same run by process: the loss of site slots takes nothing from the rows of processes.
summary --by process -E 100000 --sites 8 -- "$TRUTH" sizes 40 20
counted "allocations of truth" "$(get '[.rows[] | select(.comm == "truth") | .allocs] | add')" \
	$truth_sizes
