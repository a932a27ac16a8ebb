#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What cannot be written is said, what would be lost is kept, and nothing that blocks holds us.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

for c in "0.05 1" "-J 0.05 1" doctor "doctor -J" rss "rss error" "rss verify 0.1" "rss what-if 0.1" \
	"bench --list" --help --version --json-schema; do
	# shellcheck disable=SC2086 # words
	"$PCPUSTAT" $c >/dev/full 2>"$work/err"
	equal "status of $c on a full disk" $? 1
	grep -q 'No space left' "$work/err" || fail "$c on a full disk says: $(cat "$work/err")"
done

"$PCPUSTAT" bench fork -c 10 --save /dev/full >/dev/null 2>"$work/err"
equal "status of a result on a full disk" $? 1
grep -q 'cannot write /dev/full: No space left' "$work/err" || fail "it says: $(cat "$work/err")"

# A run that comes to nothing takes nothing away.
for end in svg folded pb.gz json jsonl jsonl.gz; do
	echo mine >"$work/kept.$end"
	case $end in
	jsonl*) "$PCPUSTAT" record -o "$work/kept.$end" -- /no/such/command 2>/dev/null ;;
	*) "$PCPUSTAT" flame -F svg -o "$work/kept.$end" -- /no/such/command 2>/dev/null ;;
	esac
	equal "status of a command that is not there, .$end" $? 127
	equal "what .$end had" "$(cat "$work/kept.$end")" mine
done
"$PCPUSTAT" record -o "$work/r.gz" 0.05 2 || fail "record"
before=$(cksum "$work/r.gz")
for c in "--from $work/r.gz -o $work/r.gz" "flame -F folded --from $work/r.gz -o $work/r.gz" \
	"flame -F folded --diff $work/r.gz $work/r.gz -o $work/r.gz"; do
	# shellcheck disable=SC2086
	"$PCPUSTAT" $c >/dev/null 2>"$work/err"
	equal "status of $c" $? 2
	equal "the recording after $c" "$(cksum "$work/r.gz")" "$before"
done

# What the shell has opened may have something in it.
echo before >"$work/appended"
"$PCPUSTAT" flame --from "$work/r.gz" >>"$work/appended" 2>/dev/null || fail "flame"
equal "the first line of what flame appends to" "$(head -n 1 "$work/appended")" before
for format in folded svg speedscope pprof; do
	"$PCPUSTAT" flame -F $format --from examples/storm.jsonl.gz >/dev/full 2>"$work/err"
	equal "status of $format on a full disk" $? 1
	grep -q 'cannot write.*No space left' "$work/err" || fail "$format: $(cat "$work/err")"
done
for c in "0.05 1" rss doctor; do
	# shellcheck disable=SC2086
	"$PCPUSTAT" $c >&- 2>"$work/err"
	equal "status of $c without a standard output" $? 1
	grep -q 'standard output: Bad file descriptor' "$work/err" || fail "$c: $(cat "$work/err")"
done

# A command outlives a run that ends before it, whatever the cause.
for target in /dev/null /dev/full; do
	rm -f "$work/finished"
	mkfifo "$work/until"
	# shellcheck disable=SC2016
	"$PCPUSTAT" 0.05 1 -- sh -c 'read -r _ <"$0" && echo yes >"$1"' "$work/until" "$work/finished" \
		>$target 2>"$work/err"
	grep -q 'goes on as pid' "$work/err" || fail "it does not say that the command goes on"
	kill -0 "$(sed -n 's/.*goes on as pid //p' "$work/err")" || fail "it does not run"
	echo go >"$work/until"
	until grep -qs yes "$work/finished"; do sleep 0.02; done
	rm "$work/until"
done

# A recording through a pipe; nothing else may write there.
"$PCPUSTAT" record -o - 0.05 3 | "$PCPUSTAT" --from - -J >"$work/piped" || fail "--from -"
equal "intervals through a pipe" "$(grep -c '"type":"interval"' "$work/piped")" 3
equal "incomplete" "$(jq -c 'select(.incomplete)' "$work/piped")" ""
for c in "-o - 0.05 1" "record -o - -- true"; do
	# shellcheck disable=SC2086
	"$PCPUSTAT" $c >"$work/none" 2>/dev/null
	equal "status of $c" $? 2
	equal "what $c wrote" "$(cat "$work/none")" ""
done
[ ! -e ./- ] || fail "a file named -"

# Nobody reads: a signal ends it all the same.
mkfifo "$work/pipe"
stuck()
{
	i=0
	while ! grep -qE "pipe|fifo|partner" "/proc/$pid/wchan"; do
		kill -0 $pid 2>/dev/null || fail "$1 has ended by itself"
		i=$((i + 1))
		[ $i -lt 1000 ] || fail "$1 does not block: $(cat "/proc/$pid/wchan")"
		sleep 0.02
	done
	kill -INT $pid
	wait $pid
	equal "status of $1 after SIGINT" $? 1
}
"$PCPUSTAT" record -o "$work/pipe" 0.05 2>/dev/null &
pid=$!
stuck "a FIFO that nobody opens"
exec 8<>"$work/pipe"
"$PCPUSTAT" -J --by site 0.01 >"$work/pipe" 2>/dev/null &
pid=$!
stuck "a pipe that nobody reads"
exec 8<&-

# A limit on the size of files is told like a full disk.
(ulimit -f 1 && exec "$PCPUSTAT" record -o "$work/big" 0.02 200) 2>"$work/err"
equal "status over the file size limit" $? 1
grep -q 'File too large' "$work/err" || fail "over the file size limit: $(cat "$work/err")"
exit 0
