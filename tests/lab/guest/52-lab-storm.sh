# SPDX-License-Identifier: GPL-2.0-only
# Births, threads, execs and deaths on all CPUs, in too little memory, with KSM and foreign hands in it: no mm is dropped with a
# counter that is not zero. The kernel checks each one when it goes, and dmesg.sh looks for its complaint; so does this test.
. /tests/lib.sh

grep -q zram /proc/swaps || {
	echo 256M >/sys/block/zram0/disksize || fail "no zram"
	mkswap /dev/zram0 >/dev/null || fail "mkswap"
	swapon /dev/zram0 || fail "swapon"
}
echo 1 >/sys/kernel/mm/ksm/run
echo 20 >/sys/kernel/mm/ksm/sleep_millisecs
echo 1000 >/sys/kernel/mm/ksm/pages_to_scan
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/storm
echo 6M >/sys/fs/cgroup/storm/memory.high
before=$(awk '/^pswpout/ { print $2 }' /proc/vmstat)
(
	echo 0 >/sys/fs/cgroup/storm/cgroup.procs
	exec mmlab storm "${STORM:-25}"
) || fail "storm"
after=$(awk '/^pswpout/ { print $2 }' /proc/vmstat)
echo "pages swapped out: $((after - before)); KSM: $(cat /sys/kernel/mm/ksm/pages_shared) shared," \
	"$(cat /sys/kernel/mm/ksm/full_scans) scans; processes: $(awk '/^processes/ { print $2 }' /proc/stat)"
echo 0 >/sys/kernel/mm/ksm/run
[ $((after - before)) -gt 0 ] || fail "nothing was reclaimed"
rmdir /sys/fs/cgroup/storm
! dmesg | grep 'Bad rss-counter' || fail "a counter was wrong"
