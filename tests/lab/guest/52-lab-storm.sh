# SPDX-License-Identifier: GPL-2.0-only
# Births, threads, execs and deaths on all CPUs, with reclaim, KSM and other processes' hands in the
# memory: no mm is dropped with a counter that is not zero. The kernel checks each one when it goes,
# and dmesg.sh looks for its complaint; so does this test.
. /tests/lib.sh

group=/sys/fs/cgroup/storm
ksm=/sys/kernel/mm/ksm

vmstat()
{
	awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat
}

grep -q zram /proc/swaps || {
	echo 256M >/sys/block/zram0/disksize || fail "no zram"
	mkswap /dev/zram0 >/dev/null || fail "mkswap"
	swapon /dev/zram0 || fail "swapon"
}
echo 1 >$ksm/use_zero_pages
echo 2000 >$ksm/pages_to_scan
echo 20 >$ksm/sleep_millisecs
echo 1 >$ksm/run
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
out=$(vmstat pswpout)
born=$(awk '/^processes/ { print $2 }' /proc/stat)
(
	echo 0 >$group/cgroup.procs
	exec mmlab storm "${STORM:-20}"
) &
storm=$!
merged=0
# From outside, so that the storm is not slowed down by what it has to wait for.
while kill -0 $storm 2>/dev/null; do
	echo 2M >$group/memory.reclaim 2>/dev/null
	now=$(cat $ksm/ksm_zero_pages)
	[ "$now" -le "$merged" ] || merged=$now
	sleep 0.4
done
wait $storm || fail "storm"
out=$(($(vmstat pswpout) - out))
born=$(($(awk '/^processes/ { print $2 }' /proc/stat) - born))
echo "tasks born: $born; pages swapped out: $out; merged by KSM: up to $merged"
echo 2 >$ksm/run
[ "$out" -gt 1000 ] || fail "little was reclaimed"
[ "$merged" -gt 0 ] || fail "nothing was merged"
[ "$born" -gt 500 ] || fail "few were born"
echo 0 >$ksm/run
rmdir $group
! dmesg | grep 'Bad rss-counter' || fail "a counter was wrong"
