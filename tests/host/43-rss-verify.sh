#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A healthy kernel has no violation, and verify has looked at all that was done meanwhile.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
PCPUSTAT=${PCPUSTAT:-pcpustat}
RSSLOAD=${RSSLOAD:-$(command -v rssload || echo "$PWD/build/tests/rssload")}
work=${work:-$PWD}

# during SUBCOMMAND FILE COMMANDS: runs them while the subcommand runs; it has begun when its header is out.
during()
{
	rm -f "$work/out"
	mkfifo "$work/out"
	# shellcheck disable=SC2086 # a word and its argument
	"$PCPUSTAT" rss $1 3600 -J >"$work/out" 2>"$work/err" &
	tool=$!
	exec 8<"$work/out"
	read -r header <&8 || fail "rss $1: $(cat "$work/err")"
	eval "$3"
	kill -INT "$tool"
	{ echo "$header" && cat <&8; } >"$2"
	exec 8<&-
	wait "$tool"
}

of()
{
	jq -r "select(.type == \"$1\") | $2" "$work/$3"
}

at_least()
{
	[ "$2" != null ] && [ "$2" -ge "$3" ] || fail "$1: $2, expected at least $3"
}

work_a_bit='"$RSSLOAD" forks 300 && "$RSSLOAD" pthreads 100 || fail "rssload"'
during verify "$work/verify" "$work_a_bit"
equal "exit status" "$?" 0
mode=$(of header .rss_stat.mode verify)
equal "violations" "$(of check "select(.violations) | .violations" verify | sort -u)" 0
equal "figures of what cannot be checked" \
	"$(of check 'select(.result == "unchecked") | .checked, .violations' verify | sort -u)" null
equal "checks" "$(of check .check verify | wc -l)" 10
equal "lost" "$(of summary '[.lost[]] | add' verify)" 0
at_least "forks" "$(of summary .forks verify)" 400
at_least "threads" "$(of summary .threads verify)" 100
at_least "ends that were zero" "$(of check 'select(.check == "zero_at_end") | .checked' verify)" 380
result() { of check "select(.check == \"$1\") | .result" verify; }
case $mode in
split | up) equal "blocks" "$(result block_life)" unchecked ;;
*)
	equal "memory where due" "$(result percpu_only_where_due)" ok
	equal "two threads" "$(result threads_percpu)" ok
	;;
esac
echo "$mode: $(of check '"\(.check) \(.result) \(.checked)"' verify | tr '\n' ',')"

during watch "$work/watch" "$work_a_bit"
equal "exit status" "$?" 0
at_least "forks" "$(of summary .forks watch)" 400
at_least "threads" "$(of summary .threads watch)" 100
# The last ones may still be on their way out: a CPU keeps the mm that it ran last.
at_least "ends, seen whole" "$(of summary .ends_known watch)" 380
single=$(of summary '.ends_known - .ends_single' watch)
at_least "that had a second thread" "$single" 90
equal "intervals add up" "$(of summary .forks watch)" \
	"$(jq -s '[.[] | select(.type == "interval") | .forks] | add' "$work/watch")"
