#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A recording shows what the live run showed, to the last number; a cut one says that it is cut.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

storm="\"$TRUTH\" -w 4 maps 20 1000 >/dev/null & \"$TRUTH\" -w 3 exec 100 >/dev/null & wait"

# same OPTIONS...: live and replayed. Only the live run knows its own cost and its command.
same()
{
	# shellcheck disable=SC2086 # BACKENDS is a list of words
	"$PCPUSTAT" -J $BACKENDS "$@" -o "$work/r.gz" 0.2 -- sh -c "$storm" >"$work/live" 2>"$work/err" ||
		fail "live $*: exit $?: $(cat "$work/err")"
	"$PCPUSTAT" -J "$@" --from "$work/r.gz" >"$work/replay" 2>"$work/err" ||
		fail "replay $*: exit $?: $(cat "$work/err")"
	for f in live replay; do
		jq -c 'del(.self, .command_status)' "$work/$f" >"$work/$f.bare"
	done
	cmp "$work/live.bare" "$work/replay.bare" || fail "$*: live and replay differ: $(
		diff "$work/live.bare" "$work/replay.bare" | cut -c1-500
	)"
	[ "$(wc -l <"$work/live")" -ge 3 ] || fail "$*: too short to show anything"
}

same
for by in site stack process cgroup size; do
	same --by $by -E 1000
done

# record keeps all that the views want; JSON Lines that jq reads; nobody else may read it.
"$PCPUSTAT" record -o "$work/all.gz" --cgroups 0.2 -- sh -c "$storm" || fail "record: exit $?"
equal "mode" "$(stat -c %a "$work/all.gz")" 600
equal "ends" "$(zcat "$work/all.gz" | jq -r .type | sed -n '1p;$p' | tr '\n' ' ')" "header end "
equal "snapshots" "$(zcat "$work/all.gz" | jq -s 'map(select(.type == "snap")) | length')" \
	"$(zcat "$work/all.gz" | jq -s '.[-1].snaps')"
for by in site stack process size; do
	"$PCPUSTAT" --by $by --from "$work/all.gz" --strict >"$work/out"
	status=$?
	# An interrupt that contends for a lock inside our handler for another one is such a loss.
	grep -q '^lost  *[0-9]* program_missed$' "$work/out" && expected=6 || expected=0
	equal "status of --by $by, $(tail -n 1 "$work/out")" "$status" "$expected"
done
"$PCPUSTAT" --by cgroup --from "$work/all.gz" >"$work/out" 2>&1
equal "status of rows that are not there" $? 2
for weight in wait spin count allocs bytes; do
	"$PCPUSTAT" flame --weight $weight --from "$work/all.gz" >"$work/out" || fail "$weight: exit $?"
	[ -s "$work/out" ] || fail "flame --weight $weight is empty"
done
"$PCPUSTAT" flame --diff "$work/r.gz" "$work/all.gz" --weight allocs >"$work/out" || fail "diff"
grep -vE ' [0-9]+ [0-9]+$' "$work/out" && fail "not two counts"

# --by site: without the table of processes.
"$PCPUSTAT" record -o "$work/site.gz" --by site 0.1 2 || fail "record --by site: exit $?"
equal "rows, filters" "$(zcat "$work/site.gz" |
	jq -s '(map(select(.type == "row")) | length), .[0].cfg.row_by, .[0].cfg.filter_tgid' |
	tr '\n' ' ')" "0 0 0 "

# The writer is killed: what was flushed is there.
"$PCPUSTAT" record -o "$work/cut.gz" 0.1 2>/dev/null &
pid=$!
for _ in $(seq 100); do
	[ "$(zcat "$work/cut.gz" 2>/dev/null | grep -c '"type":"snap"')" -lt 3 ] || break
	sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
"$PCPUSTAT" --from "$work/cut.gz" >"$work/out" 2>"$work/err" || fail "cut: exit $?"
grep -q incomplete "$work/err" || fail "no word about the cut: $(cat "$work/err")"
"$PCPUSTAT" --from "$work/cut.gz" --strict >/dev/null 2>&1
equal "status of a cut recording, --strict" $? 6

# The disk is full: said once, status 1, and the part before it can be read.
mkdir "$work/small"
mount -t tmpfs -o size=8k tmpfs "$work/small" || fail "cannot mount a small tmpfs"
"$PCPUSTAT" record -o "$work/small/full" 0.01 -- sleep 3 2>"$work/err"
full=$?
"$PCPUSTAT" --from "$work/small/full" >"$work/out" 2>&1
got=$?
rm "$work/small/full"
# Without a command there is nothing to go on for.
timeout 20 "$PCPUSTAT" record -o "$work/small/full" 0.01 2>/dev/null
stopped=$?
umount "$work/small"
equal "status of a full disk without a command" $stopped 1
equal "status of a full disk" $full 1
equal "errors about the full disk" "$(grep -c 'No space left' "$work/err")" 1
equal "status of what was written before" $got 0

"$PCPUSTAT" record 0.1 2>/dev/null
equal "status without -o" $? 2
"$PCPUSTAT" record -o /nonexistent/x 0.1 1 2>/dev/null
equal "status of an unwritable path" $? 1
exit 0
