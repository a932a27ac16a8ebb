# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The set that every kernel of the report runs, by count, so that all do the same work. The counts are
# of all workers together: with the instruction clock, more CPUs do not take less time. One traced
# round tells the allocations, exactly; more rounds without tracing tell the instructions.
SMP=${SMP:-$(nproc)}
set -e

bench()
{
	ops=$(($1 / SMP))
	shift
	pcpustat bench -J -r 1 -n "$SMP" -c $ops "$@"
	pcpustat bench -J -r 7 -n "$SMP" -c $ops --no-trace "$@"
}

bench 160 exec fork forkexec spawn launch thread
bench 40 shell
bench 8192 fault fault-threads fault-file-threads
