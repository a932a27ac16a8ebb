#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A process that hops over CPUs while it maps and unmaps has an error that it knows.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
PCPUSTAT=${PCPUSTAT:-pcpustat}
RSSLOAD=${RSSLOAD:-$(command -v rssload || echo "$PWD/build/tests/rssload")}
work=${work:-$PWD}
loads=
trap 'kill -9 $loads 2>/dev/null' EXIT

mkfifo "$work/in" "$work/ready"
"$RSSLOAD" hop <>"$work/in" >"$work/ready" &
loads=$!
read -r _ pid number <"$work/ready" || fail "rssload hop"
[ "$number" -gt 0 ] || fail "no error was made"
"$PCPUSTAT" rss error -J >"$work/error" || fail "pcpustat rss error: $?"

row()
{
	jq -r "select(.type == \"mm\" and .pid == $pid) | $1" "$work/error"
}

error=$(row '.approx.anon_bytes - .exact.anon_bytes')
case $(row .state) in
percpu) equal "error of anonymous memory" "$error" "-$number" ;;
atomic) equal "error of an atomic counter" "$error" 0 ;;
split)
	# A task holds back up to 64 faults, and its own last ones are among them.
	[ "$error" -le 0 ] && [ "$error" -ge -262144 ] || fail "error of a split counter: $error"
	;;
*) fail "state $(row .state)" ;;
esac
echo "$(row .state): error $error, made $number"
[ "$(row '.error_bytes | fabs')" -le "$(row .bound_bytes)" ] || fail "beyond the bound"

# Worst first; an error of rows that did not move is within the bound, and the difference of two sums.
equal "order" "$(jq -s '[.[] | select(.type == "mm") | .error_bytes | fabs] | . == (sort | reverse)' \
	"$work/error")" true
equal "errors" "$(jq -s '[.[] | select(.type == "mm") |
	.error_bytes == .approx.rss_bytes - .exact.rss_bytes] | all' "$work/error")" true
equal "ranks" "$(jq -s '[.[] | select(.type == "oom") | .exact_rank] | . == [range(1; length + 1)]' \
	"$work/error")" true
