# SPDX-License-Identifier: GPL-2.0-only
# Births, threads, execs and deaths on all CPUs, with reclaim, KSM and other processes' hands in the memory: no violation.
# pcpustat.forks=N on the command line: as many forks, threads and execs each, while the storm goes on.
. /tests/lib.sh

group=/sys/fs/cgroup/healthy
ksm=/sys/kernel/mm/ksm
forks=$(sed -n 's/.*pcpustat\.forks=\([0-9]*\).*/\1/p' /proc/cmdline)
forks=${forks:-300}

grep -q zram /proc/swaps || {
	echo 256M >/sys/block/zram0/disksize || fail "no zram"
	mkswap /dev/zram0 >/dev/null || fail "mkswap"
	swapon /dev/zram0 || fail "swapon"
}
echo 2000 >$ksm/pages_to_scan
echo 1 >$ksm/run
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
rm -f out
mkfifo out
pcpustat rss verify 3600 -J >out &
tool=$!
exec 8<out
read -r _ <&8 || fail "no header"
# What goes on meanwhile; it ends when the file stop is there.
(
	exec 8<&-
	echo 0 >$group/cgroup.procs
	until [ -e stop ]; do
		mmlab storm 3 || touch broken
	done
) &
storm=$!
(
	exec 8<&-
	until [ -e stop ]; do
		echo 2M >$group/memory.reclaim 2>/dev/null
		sleep 0.05
	done
) &
reclaim=$!
for work in fork process exec; do
	mmlab run $work "$forks" >/dev/null 8<&- || fail "mmlab run $work"
done
touch stop
wait $storm $reclaim
[ ! -e broken ] || fail "storm"
kill -INT $tool
cat <&8 >out.json
exec 8<&-
wait $tool
code=$?
echo 2 >$ksm/run
echo 0 >$ksm/run
rmdir $group
jq -r 'select(.type == "check") | "\(.check) \(.result) \(.checked) \(.violations) \(.why)"' out.json
jq -c 'select(.type == "summary")' out.json
equal "violations" "$(jq -c 'select(.type == "check" and .violations > 0)' out.json)" ""
equal "exit status" $code 0
[ "$(jq 'select(.type == "summary") | .forks' out.json)" -ge "$((3 * forks))" ] || fail "few were born"
[ "$(jq 'select(.check == "zero_at_end") | .checked' out.json)" -ge "$((3 * forks))" ] || fail "few ended"
