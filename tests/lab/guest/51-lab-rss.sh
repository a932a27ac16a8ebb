# SPDX-License-Identifier: GPL-2.0-only
# What the kernel says about RSS is right to the page, before and after a process gets its second
# thread.
. /tests/lib.sh

grep -q zram /proc/swaps || {
	echo 256M >/sys/block/zram0/disksize || fail "no zram"
	mkswap /dev/zram0 >/dev/null || fail "mkswap"
	swapon /dev/zram0 || fail "swapon"
}
mmlab rss || fail "RSS is wrong"
