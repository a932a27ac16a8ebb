# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The set that every kernel of the report runs, by count, so that all do the same work. The counts are
# of all workers together: with the instruction clock, more CPUs do not take less time.
SMP=${SMP:-$(nproc)}
set -e
pcpustat bench -J -r 4 -n "$SMP" -c $((160 / SMP)) exec fork forkexec spawn launch thread
pcpustat bench -J -r 4 -n "$SMP" -c $((40 / SMP)) shell
pcpustat bench -J -r 4 -n "$SMP" -c $((8192 / SMP)) fault fault-threads fault-file-threads
