#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# dmesg.sh - run last: the kernel has complained about nothing. The whole report is printed, up to where it ends.
. /tests/lib.sh

complaint='WARNING:|BUG:|Oops|general protection fault|stack segment:|kernel panic|possible .* detected|INFO: task .* blocked'
complaint="$complaint|self-detected stall|detected stalls|soft lockup|hard LOCKUP|UBSAN:|KASAN:|refcount_t:|percpu ref|Bad rss-counter"

if dmesg | grep -qE "$complaint"; then
	dmesg | grep -E -A 30 "$complaint"
	exit 1
fi
dmesg | grep -q 'test dmesg' || fail "the kernel log does not reach to here"
