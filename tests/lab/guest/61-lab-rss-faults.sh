# SPDX-License-Identifier: GPL-2.0-only
# pcpustat rss verify reports each fault of rss_stat_fault= as its own violation and as no other, and nothing without one.
. /tests/lib.sh

grep -qw rss_stat=lazy /proc/cmdline || skip "rss_stat is not lazy"
parameters=/sys/module/kernel/parameters

# violations: "CHECK TIMES" of all that are violated.
violations()
{
	jq -r 'select(.type == "check" and .result == "violated") | "\(.check) \(.violations)"' out.json | tr '\n' ' '
}

# try FAULT EVERY WORK EXPECTED: EXPECTED as violations prints it.
try()
{
	rm -f out
	mkfifo out
	echo "$1" >$parameters/rss_stat_fault
	echo "$2" >$parameters/rss_stat_fault_every
	pcpustat rss verify 3600 -J >out &
	tool=$!
	exec 8<out
	read -r _ <&8 || fail "no header"
	said=$(/tmp/faulty run "$3" 12) || fail "$1: faulty run $3"
	mmlab run process2 12 >/dev/null || fail "$1 hits others"
	kill -INT $tool
	cat <&8 >out.json
	exec 8<&-
	wait $tool
	code=$?
	echo none >$parameters/rss_stat_fault
	found=$(violations)
	echo "$1 every $2: $said; found: ${found:-nothing}"
	[ "$found" = "$4" ] || jq -c 'select(.type != "header")' out.json
	equal "$1: violations" "$found" "$4"
	equal "$1: exit status" $code "$([ -n "$4" ] && echo 5 || echo 0)"
	equal "$1: lost" "$(jq 'select(.type == "summary") | [.lost[]] | add' out.json)" 0
	[ -z "$4" ] || equal "$1: culprit" \
		"$(jq -r 'select(.result == "violated") | .examples[0] | .comm' out.json)" faulty
}

cp /bin/mmlab /tmp/faulty
try none 1 process2 ""
try enomem 1 process2 "switch_succeeds 12 "
try enomem 3 process2 "switch_succeeds 4 "
try bool_ret 1 process2 "failure_handled 12 "
try lost_count 1 process2 "value_carried 12 "
try lost_count 4 process2 "value_carried 3 "
try double_init 1 process2 "one_switch 12 "
try no_switch 1 process2 "threads_percpu 12 "
# Its own mm by exec, and those of its twelve children.
try negative 1 process2 "not_negative 13 "
try negative 1 fork "not_negative 13 "
try late_free 1 process2 "block_life 12 "
try late_free 1 process ""
try late_free 1 threads "block_life 1 "
try none 1 process2 ""
dmesg -c >/run/log # the complaints that lost_count is meant to cause
! grep -v 'Bad rss-counter' /run/log | grep -E 'BUG|WARNING|Oops|corruption|refcount_t' || fail "the kernel complained"
