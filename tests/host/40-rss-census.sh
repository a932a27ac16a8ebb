#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The census has every mm once, however many threads or processes share it, and nothing else.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
PCPUSTAT=${PCPUSTAT:-pcpustat}
RSSLOAD=${RSSLOAD:-$(command -v rssload || echo "$PWD/build/tests/rssload")}
work=${work:-$PWD}
loads=
trap 'kill -9 $loads 2>/dev/null' EXIT

# load ARGS...: starts rssload; sets pid and number when it is ready. Its stdin never ends.
load()
{
	rm -f "$work/in" "$work/ready"
	mkfifo "$work/in" "$work/ready"
	"$RSSLOAD" "$@" <>"$work/in" >"$work/ready" &
	loads="$loads $!"
	read -r _ pid number <"$work/ready" || fail "rssload $*"
}

# user_pids FILE: processes with an mm, by /proc. A kernel thread and a zombie have no exe.
user_pids()
{
	for p in /proc/[0-9]*; do
		[ ! -e "$p/exe" ] || echo "${p#/proc/}"
	done | sort >"$1"
}

# rows PID FILTER: what jq's filter makes of the process's row.
rows()
{
	jq -r "select(.type == \"mm\" and .pid == $1) | $2" "$work/census"
}

load fleet 50
fleet=$pid
load threads 5
threads=$pid
load shared
shared=$pid child=$number
load headless
headless=$pid

user_pids "$work/before"
"$PCPUSTAT" rss -J >"$work/census" || fail "pcpustat rss: $?"
user_pids "$work/after"

equal "rows of one pid" "$(jq 'select(.type == "mm") | .pid' "$work/census" | sort | uniq -d)" ""
equal "mms in the summary" "$(jq 'select(.type == "summary") | .mms' "$work/census")" \
	"$(grep -c '"type":"mm"' "$work/census")"
equal "five threads more" "$(rows "$threads" .threads)" 6
equal "their mm, once" "$(rows "$threads" .processes)" 1
equal "two processes that share an mm" "$(rows "$shared" .processes)" 2
equal "the one of them that came later" "$(rows "$child" .pid)" ""
equal "a process whose leader has gone" "$(rows "$headless" .threads)" 2
equal "kernel threads" "$(rows 2 .comm)" ""

# Who is in both of /proc's lists had an mm all the time; who shares one may be under another pid.
jq -r 'select(.type == "mm") | .pid' "$work/census" | sort >"$work/pids"
extra=$(jq -s '[.[] | select(.type == "mm") | .processes - 1] | add' "$work/census")
grep -Fxf "$work/before" "$work/after" | grep -vFxf "$work/pids" >"$work/missing"
[ "$(grep -c . "$work/missing")" -le "$extra" ] || fail "missing: $(cat "$work/missing")"
grep -qx "$child" "$work/missing" || fail "the process that shares an mm is not in /proc"
awk -v p="$fleet" '$4 == p { print $1 }' /proc/[0-9]*/stat 2>/dev/null | sort >"$work/children"
equal "children of the fleet" "$(grep -c . "$work/children")" 50
equal "children with a row" "$(grep -cFxf "$work/pids" "$work/children")" 50
grep -qx "$fleet" "$work/pids" || fail "the fleet's parent"
