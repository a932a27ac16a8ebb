# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# lib.sh - for the guest's tests. Status: 0 passed, 77 skipped, anything else failed.
# Given by init: LABEL (row of the table), RELEASE (expected uname -r),
# SMP (QEMU's -smp), EXPECT (expect/LABEL.json).

# The rest is the same as for tests on the running kernel: many of these tests are links to those.
export PCPUSTAT=/bin/pcpustat TRUTH=/bin/truth TOPS=3 STORM="4 100"
# shellcheck source-path=SCRIPTDIR
. /tests/hostlib.sh
