#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -p, -t, -C and -G count what they name and nothing else.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

# held ARGS...: truth, waiting at its gate; its pid in $pid, released by 'echo >&9'.
held()
{
	: >"$work/ready"
	"$TRUTH" --wait "$@" >"$work/ready" <"$work/go" &
	pid=$!
	exec 9>"$work/go"
	while ! grep -q ready "$work/ready"; do :; done
}

# run OPTIONS...: pcpustat with them over a held truth, until both have ended.
run()
{
	: >"$work/out"
	"$PCPUSTAT" -J 3600 "$@" >"$work/out" 2>"$work/err" &
	tool=$!
	while ! grep -q '"type":"header"' "$work/out"; do
		kill -0 $tool 2>/dev/null || fail "pcpustat $*: $(cat "$work/err")"
	done
	"$TRUTH" maps 3 100 >/dev/null # another process, which must not count
	echo >&9
	wait $pid
	exec 9>&-
	kill -INT $tool
	wait $tool
	grep summary "$work/out" >"$work/summary"
}

held maps 7 100
run -p "$pid"
counted "allocations under -p" "$(get .allocs)" 700
equal "frees under -p, which run in any task" "$(get .frees)" null

held maps 7 100
run -t "$pid"
counted "allocations under -t" "$(get .allocs)" 700

cpus=$(sed 's/.*-//' /sys/devices/system/cpu/online)
summary -C 0 -- taskset 1 "$TRUTH" maps 7 100
on0=$(get '.allocs >= 700')
equal "CPU 0 has seen truth" "$on0" true
if [ "$cpus" != 0 ]; then
	summary -C 1 --by process -- taskset 1 "$TRUTH" maps 7 100
	equal "rows of truth on another CPU" "$(get '[.rows[] | select(.comm == "truth")] | length')" 0
fi

# A cgroup of each mounted kind: the filter, and the path in the row.
cgroup()
{
	mkdir -p "$1" || fail "cannot make $1"
	held maps 7 100
	echo "$pid" >"$1/cgroup.procs" || fail "cannot move a process to $1"
	run -G "$1"
	counted "allocations under -G $1" "$(get .allocs)" 700
	rmdir "$1"
}

grep ' cgroup2 ' /proc/mounts | head -n 1 | while read -r _ dir _; do
	cgroup "$dir/pcpustat_test"
done || exit 1
grep -E ' cgroup .*memory' /proc/mounts | head -n 1 | while read -r _ dir _; do
	cgroup "$dir/pcpustat_test"
done || exit 1

dir=$(awk '$3 == "cgroup" && /memory/ { print $2; exit }' /proc/mounts)
[ -n "$dir" ] || dir=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$dir" ] || exit 0
mkdir -p "$dir/pcpustat_by" || fail "cannot make a cgroup in $dir"
held maps 7 100
echo "$pid" >"$dir/pcpustat_by/cgroup.procs"
run --by cgroup -E 1000
counted "allocations by cgroup" "$(get '.rows[] | select(.cgroup == "/pcpustat_by") | .allocs')" 700
equal "the hierarchy" "$(jq -r 'select(.type == "header") | .cgroup_mount' "$work/out")" "$dir"
rmdir "$dir/pcpustat_by"
