# SPDX-License-Identifier: GPL-2.0-only
# How many percpu allocations the birth of an mm takes, and a first thread, in this mode.
. /tests/lib.sh

mode=$(sed -n 's/.*rss_stat=\([a-z]*\).*/\1/p' /proc/cmdline)

# made WORK N: runs it; $kinds has lines "SITE SIZE ALIGN is_atomic GFP TIMES" for its allocations.
made()
{
	out=$(mmlab count "$1" "$2") || fail "mmlab count $1 $2"
	echo "$out"
	equal "$1" "$(echo "$out" | sed -n 1p)" "$1 done $2 enomem 0"
	kinds=$(echo "$out" | sed -n 's/^alloc //p')
}

# allocs PATTERN: how many of them match
allocs()
{
	echo "$kinds" | grep -E -- "$1" | awk '{ n += $NF } END { print n + 0 }'
}

each='^__percpu_counter_init_many 4 4 0 GFP_KERNEL_ACCOUNT'
block='^__percpu_counter_init_many 16 4 0 GFP_KERNEL_ACCOUNT'
late='^__percpu_counter_init_many 16 4 1 GFP_ATOMIC\|__GFP_NOWARN\|__GFP_ZERO'
case $mode in
individual) singles=4 blocks=0 switches=0 ;;
grouped) singles=0 blocks=1 switches=0 ;;
lazy) singles=0 blocks=0 switches=1 ;;
*) fail "no mode in the command line" ;;
esac

# Other counters are not charged to a cgroup, and wait for memory.
ours='^__percpu_counter_init_many .*(_ACCOUNT|GFP_ATOMIC)'

# births WORK N MMS SWITCHES: the work makes that many mms, and that many of them get a thread.
births()
{
	made "$1" "$2"
	equal "$1: 4-byte allocations" "$(allocs "$each ")" "$(($2 * $3 * singles))"
	equal "$1: 16-byte allocations" "$(allocs "$block ")" "$(($2 * $3 * blocks))"
	equal "$1: 16-byte atomic allocations" "$(allocs "$late ")" "$(($2 * $4 * switches))"
	equal "$1: all allocations for counters" "$(allocs "$ours")" \
		"$(($2 * ($3 * (singles + blocks) + $4 * switches)))"
	others=$(allocs '^' | awk -v c="$(allocs "$ours")" '{ print $1 - c }')
}

births fork 500 1 0
c=$((others / 500))
equal "others per fork, times 500" "$others" "$((c * 500))"
echo "$mode: percpu allocations per fork: $((singles + blocks)) + $c"
equal "c, which is mm_cid alone" "$c" 1

births vfork 100 0 0
births clonevm 100 0 0
births exec 100 2 0
equal "others of fork and exec" "$others" "$((100 * 2 * c))"
births process 100 1 1
births process2 100 1 1
births iouring 20 1 1

# One process, many threads, one after the other: it switches once.
made thread 200
equal "thread: 16-byte atomic allocations" "$(allocs "$late ")" "$switches"
equal "thread: all allocations for counters" "$(allocs "$ours")" "$switches"
