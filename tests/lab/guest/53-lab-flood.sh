# SPDX-License-Identifier: GPL-2.0-only
# pcpu_flood makes as many sets as it says, and as many passes of the mutex as its path needs.
. /tests/lib.sh

flood()
{
	insmod /lib/modules/pcpu_flood.ko "$@" || fail "insmod pcpu_flood $*"
	rmmod pcpu_flood
	line=$(dmesg | grep -o 'pcpu_flood: path=.*' | tail -n 1)
	echo "$line"
}

value()
{
	echo "$line" | tr ' ' '\n' | sed -n "s/^$1=//p"
}

for no_batch in 0 1; do
	for path in individual:4 grouped:1 atomic:0; do
		flood "path=${path%:*}" alloc_num=200 loops=5 no_batch=$no_batch
		equal "path" "$(value path)" "${path%:*}"
		equal "no_batch" "$(value no_batch)" "$no_batch"
		equal "threads" "$(value nthreads)" 4
		equal "sets" "$(value sets)" 4000
		equal "failed" "$(value failed)" 0
		equal "mutex passes" "$(value mutex_passes)" "$((4000 * ${path#*:}))"
		[ "$(value total_ns)" -gt 0 ] || fail "no time"
	done
done
! insmod /lib/modules/pcpu_flood.ko path=nonsense 2>/dev/null || fail "nonsense is a path"
