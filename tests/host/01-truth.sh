#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Counts by call site equal the truth exactly, with nothing lost.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
per_mm=$(allocs_per_mm) || { echo "$per_mm"; exit 1; }

# of_truth: allocations that the processes called truth made, from the rows by process.
of_truth='[.rows[] | select(.comm == "truth") | .allocs] | add // 0'

summary --by site -E 1000 -- "$TRUTH" maps 40 250
site=$(header .signals.allocations)
[ "$site" != null ] || fail "no backend for allocations"
# Before 5.19 the event does not tell the site; then the sampled owner and the size do.
counted "array maps by site" "$(get '[.rows[] | select(.size_bytes == 8 and (.owner // "" |
	test("array_map"))) | .allocs] | add')" 10000
no_losses

summary --by process -E 1000 -- "$TRUTH" maps 40 250
counted "array maps by process" "$(get "$of_truth")" 10000
no_losses

summary --by process -E 1000 -- "$TRUTH" fork 200
counted "forks by process" "$(get "$of_truth")" $((200 * per_mm))
no_losses

# Each fork's child executes truth: its exec's mm is allocated under its old name.
summary --by process -E 1000 -- "$TRUTH" exec 100
counted "execs by process" "$(get "$of_truth")" $((200 * per_mm))
no_losses
