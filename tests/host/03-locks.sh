#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Lock waits under a storm: identity and consistency, never a minimum; stacks from an independent
# source (the kernel's own trace buffer) name the same locks.
# STORM: as large as the machine can bear.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
mounted tracefs /sys/kernel/tracing
t=/sys/kernel/tracing/instances/pcpustat_locks
events=/sys/kernel/tracing/events/lock

# consistent: for every lock that is measured and every stack.
consistent='
	([.locks[] | select(.waits != null) |
	  (.spin_ns == null or .wait_ns == .spin_ns + .sleep_ns) and
	  (.waits == 0 or .max_ns <= .wait_ns) and .waits == ([.hist[][1]] | add // 0) and
	  (.sleeps == null or .sleeps <= .waits) and .interrupted <= .waits and
	  (.waits == 0 or (.p50_ns <= .p99_ns and .p99_ns <= .max_ns))] | all) and
	([.rows[] | select(.stack) |
	  (.spin_ns == null or .wait_ns == .spin_ns + .sleep_ns) and .max_ns <= .wait_ns] | all)'

# shellcheck disable=SC2086 # two words
summary --by stack -E 100000 -- "$TRUTH" -w 8 hash ${STORM:-20 500}
equal "every interval is consistent" \
	"$(grep '"locks":.*"waits"' "$work/out" | jq "$consistent" | sort -u)" true
equal "pcpu_alloc_mutex was found" "$(header '.locks[0].address != null')" true
no_losses

# Whoever waits for a lock of ours is in the function that takes it.
equal "stacks that do not belong to their lock" "$(get '[.rows[] | select(.stack) |
	select((.lock == "pcpu_alloc_mutex" and
		([.stack[] | select(test("^(pcpu_alloc|_*pcpu_balance_workfn)"))] == [])) or
	       (.lock == "pcpu_lock" and
		([.stack[] | select(test("^(pcpu_|_*pcpu_balance|free_percpu)"))] == [])) or
	       (.lock == "percpu_counters_lock" and
		([.stack[] | select(test("percpu_counter"))] == [])))] | length')" 0

[ -d $events ] || exit 0 # before 5.19 there is no such event: nothing to compare with
mkdir $t || fail "cannot make a trace instance"
echo 8192 >$t/buffer_size_kb
echo 1 >$t/options/stacktrace
addr=$(header '.locks[0].address')
echo "lock_addr == $addr" >$t/events/lock/contention_begin/filter
echo 1 >$t/events/lock/contention_begin/enable
# shellcheck disable=SC2086
"$TRUTH" -w 8 hash ${STORM:-20 500} >/dev/null
echo 0 >$t/events/lock/contention_begin/enable
awk '/contention_begin:/ { n++ } /<stack trace>/ { s = 0; t++ } / => (pcpu_alloc|_*pcpu_balance)/ {
	if (!s++) ok++ } END { print (t == ok) ? "all" : t " stacks, " ok " in the allocator" }' \
	$t/trace >"$work/stacks"
rmdir $t
equal "the kernel's own stacks of waits for $addr" "$(cat "$work/stacks")" all
