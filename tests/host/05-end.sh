#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# However a run ends, nothing is left attached, and what was counted is printed.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
bpftool=$(PATH=$PATH:/usr/sbin command -v bpftool) || fail "no bpftool"

# ours: our programs, links and maps in the kernel, by their names.
ours()
{
	{
		"$bpftool" prog show
		"$bpftool" map show
	} | grep -E 'name (alloc|free|fail|begin|end|newtask|exec|mm|pcpu|count_self|learn)_|name (kept|cpus|stacks|rows) ' ||
		:
	"$bpftool" link show | grep -E 'percpu_alloc_percpu|contention_(begin|end)' || :
}

# gone: the kernel frees programs after a grace period: wait for it, but not for ever.
gone()
{
	for _ in $(seq 200); do
		[ -n "$(ours)" ] || return 0
		sleep 0.05
	done
	fail "left behind $1: $(ours)"
}

# start OPTIONS...: in the background, until the header is there.
start()
{
	: >"$work/out"
	"$PCPUSTAT" -J 3600 "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	while ! grep -q '"type":"header"' "$work/out"; do
		kill -0 $pid 2>/dev/null || fail "pcpustat died: $(cat "$work/err")"
	done
}

gone "before the test"
for signal in INT TERM HUP; do
	start
	[ -n "$(ours)" ] || fail "nothing is attached while it runs"
	kill -$signal $pid
	wait $pid
	equal "exit code after SIG$signal" $? 0
	equal "lines after SIG$signal" "$(jq -r .type "$work/out" | tr '\n' ' ')" \
		"header interval summary "
	gone "after SIG$signal"
done

start --by stack
"$TRUTH" -w 2 hash 5 200 >/dev/null &
load=$!
kill -KILL $pid
wait $pid
equal "exit code after SIGKILL" $? 137
wait $load
gone "after SIGKILL"

# Two at once do not disturb one another.
start --by process
first=$pid
cp "$work/out" "$work/out1"
"$PCPUSTAT" -J 3600 --by process -- "$TRUTH" maps 10 100 >"$work/second" || fail "second observer"
kill -INT $first
wait $first
for f in "$work/second" "$work/out"; do
	equal "allocations of truth in ${f##*/}" "$(grep summary "$f" |
		jq '[.rows[] | select(.comm == "truth") | .allocs] | add')" 1000
done

# A reader that goes away ends it quietly.
"$PCPUSTAT" -J 0.05 2>"$work/err" | head -n 2 >"$work/two"
equal "lines that the reader took" "$(wc -l <"$work/two")" 2
equal "words about a closed pipe" "$(cat "$work/err")" ""
gone "after a closed pipe"

# A full disk is an error, not a silence.
"$PCPUSTAT" -J 0.05 2 >/dev/full 2>"$work/err"
equal "exit code on a full disk" $? 1
grep -q 'No space left' "$work/err" || fail "a full disk says: $(cat "$work/err")"
