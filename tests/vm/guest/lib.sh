# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# lib.sh - for the guest's tests. Status: 0 passed, 77 skipped, anything else failed.
# Given by init: LABEL (row of the table), RELEASE (expected uname -r),
# SMP (QEMU's -smp), EXPECT (expect/LABEL.json).

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
