#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The values of a process at rest equal the kernel's own walk of its page tables, to the byte, and
# what /proc/PID/status says: the exact sum, or the approximate one before 82241a83cd15 (6.16).
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
PCPUSTAT=${PCPUSTAT:-pcpustat}
RSSLOAD=${RSSLOAD:-$(command -v rssload || echo "$PWD/build/tests/rssload")}
work=${work:-$PWD}
loads=
trap 'kill -9 $loads 2>/dev/null' EXIT

load()
{
	rm -f "$work/in" "$work/ready"
	mkfifo "$work/in" "$work/ready"
	"$RSSLOAD" "$@" <>"$work/in" >"$work/ready" &
	loads="$loads $!"
	read -r _ pid _ <"$work/ready" || fail "rssload $*"
}

# walk FIELD: bytes, summed over smaps_rollup.
walk()
{
	awk -v f="$1:" '$1 == f { n += $2 } END { print n * 1024 }' "/proc/$pid/smaps_rollup"
}

status()
{
	awk '$1 == "RssFile:" || $1 == "RssAnon:" || $1 == "RssShmem:" || $1 == "VmSwap:" {
		v[$1] = $2 * 1024
	} END { print v["RssFile:"], v["RssAnon:"], v["VmSwap:"], v["RssShmem:"] }' "/proc/$pid/status"
}

value()
{
	jq -r "select(.type == \"mm\") | $1" "$work/error"
}

four='"\(.file_bytes) \(.anon_bytes) \(.swap_bytes) \(.shmem_bytes)"'
for kind in rest "threads 4" shared hop; do
	# shellcheck disable=SC2086 # a word and its argument
	load $kind
	"$PCPUSTAT" rss error -J -p "$pid" >"$work/error" || fail "pcpustat rss error: $?"
	equal "$kind: RSS" "$(value .exact.rss_bytes)" "$(walk Rss)"
	equal "$kind: anonymous memory" "$(value .exact.anon_bytes)" "$(walk Anonymous)"
	equal "$kind: swap" "$(value .exact.swap_bytes)" "$(walk Swap)"
	approx=$(value ".approx | $four") exact=$(value ".exact | $four")
	said=$(status)
	[ "$said" = "$exact" ] || [ "$said" = "$approx" ] ||
		fail "$kind: status says $said, not $exact (exact) or $approx (approximate)"
	echo "$kind: exact $exact, approximate $approx, status $said"
	"$PCPUSTAT" rss -J -p "$pid" >"$work/error" || fail "pcpustat rss: $?"
	equal "$kind: census" "$(value "$four")" "$exact"
done
