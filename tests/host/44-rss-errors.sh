#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exit codes of rss, and what-if.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
PCPUSTAT=${PCPUSTAT:-pcpustat}
work=${work:-$PWD}

# exits CODE ARGS...
exits()
{
	want=$1
	shift
	"$PCPUSTAT" rss "$@" >"$work/out" 2>"$work/err"
	equal "exit status of rss $*" "$?" "$want"
	[ "$want" = 0 ] || [ -s "$work/err" ] || fail "rss $*: no message"
	[ "$want" = 0 ] || [ ! -s "$work/out" ] || fail "rss $*: $want, and yet results"
}

for bad in nonsense "--by colour" "-k beauty" "-E many" "watch 0" "watch 1 0" "watch 1 2 3" \
	"verify never" "verify 1 2" "what-if x" "census 3" "error --by mode" "what-if -p 1" "watch -E 3" "verify -k rss" \
	"verify --by mode"; do
	# shellcheck disable=SC2086 # words
	exits 2 $bad
done
exits 2 -p 2
exits 0 --help
for setpriv in /usr/bin/setpriv /bin/setpriv; do
	[ ! -x "$setpriv" ] || break
done
# By its path: a shell may have a lesser one of its own.
"$setpriv" --reuid 65534 --regid 65534 --clear-groups "$PCPUSTAT" rss >"$work/out" 2>"$work/err"
code=$?
[ "$code" = 3 ] || cat "$work/err"
equal "exit status without privileges" "$code" 3

exits 0 what-if -J 500ms
mode=$(jq -r 'select(.type == "header") | .rss_stat.mode' "$work/out")
equal "options" "$(jq -r 'select(.type == "option") | .mode' "$work/out" | tr '\n' ' ')" \
	"grouped lazy combined "
case $mode in
grouped) option=grouped ;;
*) option=lazy ;;
esac
[ "$mode" = individual ] ||
	equal "$option in mode $mode" "$(jq -r "select(.mode == \"$option\") | .gain" "$work/out")" false
