#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Each way to find a lock's address that works here finds the same one.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

summary -- true
equal "pcpu_alloc_mutex was found" "$(header '.locks[0].address != null')" true
header '.locks[] | select(.address) | "\(.name) \(.address)"' >"$work/best"

# same WAY: every lock that this way finds is where the best way found it.
same()
{
	header ".locks[] | select(.found_by == \"$1\") | \"\(.name) \(.address)\"" >"$work/$1"
	while read -r name address; do
		equal "$name by $1" "$address" "$(sed -n "s/^$name //p" "$work/best")"
	done <"$work/$1"
}

for way in kallsyms code; do
	summary --find-locks $way -- true
	same $way
done

# Learning takes contention, which takes luck on a small machine: storms until there was some.
[ -d /sys/kernel/tracing/events/lock ] || [ -d /sys/kernel/debug/tracing/events/lock ] || exit 0
for _ in $(seq 20); do
	summary --find-locks learned -- "$TRUTH" -w 8 hash 200 1000
	[ "$(get '.locks[0].found_by')" = null ] || break
done
equal "pcpu_alloc_mutex was found by" "$(get '.locks[0].found_by')" learned
get '.locks[] | select(.address) | "\(.name) \(.address)"' | while read -r name address; do
	equal "$name as learned" "$address" "$(sed -n "s/^$name //p" "$work/best")"
done || exit 1
