# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# lib.sh - for tests of the real program, here and in the guests. POSIX sh, jq. Status: 0 passed,
# 77 skipped, anything else failed. PCPUSTAT, TRUTH and BACKENDS may come from the environment.
PCPUSTAT=${PCPUSTAT:-$PWD/build/pcpustat}
TRUTH=${TRUTH:-$PWD/build/tests/truth}
BACKENDS=${BACKENDS:-} # further options for every run, e.g. --backend allocations=tp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
	echo "FAIL: $*"
	exit 1
}

skip()
{
	echo "SKIP: $*"
	exit 77
}

# equal WHAT ACTUAL EXPECTED
equal()
{
	[ "$2" = "$3" ] || fail "$1: got '$2', expected '$3'"
}

# mounted TYPE DIR: tests mount what they need.
mounted()
{
	grep -q " $2 $1 " /proc/mounts || mount -t "$1" "$1" "$2" || fail "cannot mount $1 on $2"
}

# summary OPTIONS... -- COMMAND: the last line of a JSON run goes to $work/summary.
summary()
{
	# shellcheck disable=SC2086 # BACKENDS is a list of words
	"$PCPUSTAT" -J $BACKENDS 3600 "$@" >"$work/out" 2>"$work/err" ||
		fail "pcpustat $*: exit $?: $(cat "$work/err")"
	grep '"type":"summary"' "$work/out" >"$work/summary" || fail "no summary from pcpustat $*"
}

# get FILTER: what jq's filter makes of the summary.
get()
{
	jq -r "$1" "$work/summary"
}

header()
{
	grep '"type":"header"' "$work/out" | jq -r "$1"
}

# no_losses: nothing went missing. Where handlers can be preempted (7.x) the kernel itself skips some
# of their runs; those are counted, and so is what follows from them.
no_losses()
{
	equal "lost" "$(get '.lost as $l | [$l | to_entries[] | select(.value > 0) |
		select($l.program_missed == 0 or (.key | IN("program_missed", "call_begin_unseen",
			"call_interrupted", "wait_begin_unseen") | not))] |
		from_entries | tostring')" "{}"
}

# counted WHAT ACTUAL EXPECTED: equal, but for those events that the kernel skipped a program for,
# which are in the total but in no row.
counted()
{
	missed=$(get .lost.program_missed)
	[ "$2" -le "$3" ] && [ "$(($2 + missed))" -ge "$3" ] ||
		fail "$1: got '$2' and $missed missed, expected '$3'"
}

# Percpu allocations when an mm is born, counted by the kernel's own trace buffer, not by us.
allocs_per_mm()
{
	mounted tracefs /sys/kernel/tracing
	t=/sys/kernel/tracing/instances/pcpustat_test
	mkdir "$t" || fail "cannot make a trace instance"
	echo 4096 >"$t/buffer_size_kb"
	"$TRUTH" --wait fork 50 >"$work/ready" <"$work/go" &
	exec 9>"$work/go"
	while ! grep -q ready "$work/ready"; do :; done
	pid=$(sed -n 's/ready //p' "$work/ready")
	echo "$pid" >"$t/set_event_pid"
	echo 1 >"$t/events/percpu/percpu_alloc_percpu/enable"
	echo >&9
	wait
	exec 9>&-
	echo 0 >"$t/events/percpu/percpu_alloc_percpu/enable"
	n=$(grep -c percpu_alloc_percpu: "$t/trace")
	rmdir "$t"
	[ $((n % 50)) = 0 ] || fail "the kernel made $n allocations in 50 forks"
	echo $((n / 50))
}

[ -p "$work/go" ] || mkfifo "$work/go"
