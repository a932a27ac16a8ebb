#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# No pids left: each workload says so, and the bench ends in order.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

# A directory of the pids controller, v1 or v2.
pids_dir()
{
	v1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)pids(,|$)/ { print $2; exit }' /proc/mounts)
	v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ -n "$v1" ]; then
		echo "$v1/pcpustat_test"
	elif [ -n "$v2" ] && grep -qw pids "$v2/cgroup.controllers" &&
		echo +pids 2>/dev/null >"$v2/cgroup.subtree_control"; then
		echo "$v2/pcpustat_test"
	fi
}

dir=$(pids_dir)
[ -n "$dir" ] || skip "no pids controller"
mkdir "$dir"
echo 7 >"$dir/pids.max"
for case in "20 fork:cannot start worker" "4 fork:worker .: fork: Resource temporarily" \
	"4 thread:worker .: .*Resource temporarily" "4 spawn:worker .: posix_spawn: Resource" \
	"12 fault-threads:pthread_create: Resource"; do
	# shellcheck disable=SC2086 # two words
	set -- ${case%%:*}
	sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$dir" \
		"$PCPUSTAT" bench --no-trace -d 60 -r 1 -n "$1" "$2" >"$work/out" 2>"$work/err"
	equal "exit code of $2 with $1 workers" $? 1
	grep -q "${case#*:}" "$work/err" || fail "$2 with $1 workers says: $(cat "$work/err")"
	equal "processes left" "$(cat "$dir/cgroup.procs")" ""
done
rmdir "$dir"
