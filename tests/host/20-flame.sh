#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Flame graphs of the running kernel: the storm's own functions are in them, in every format, and
# what cannot be measured is an error and no empty picture.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

# flame OUT OPTIONS...: a storm of maps drawn into $work/OUT, again when nobody waited in it: two
# CPUs can take turns all the time.
flame()
{
	out=$1
	shift
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		# shellcheck disable=SC2086 # BACKENDS is a list of words
		"$PCPUSTAT" flame $BACKENDS -o "$work/$out" "$@" -- "$TRUTH" -w 6 maps 60 2000 \
			>/dev/null 2>"$work/err" || fail "flame $*: exit $?: $(cat "$work/err")"
		[ ! -s "$work/$out" ] || break
	done
	[ -s "$work/$out" ] || fail "flame $*: nothing drawn: $(cat "$work/err")"
}

# refused STATUS WORDS OPTIONS...
refused()
{
	status=$1 words=$2
	shift 2
	"$PCPUSTAT" flame "$@" >"$work/out" 2>"$work/err"
	got=$?
	equal "status of flame $*" $got "$status"
	[ ! -s "$work/out" ] || fail "flame $*: output with an error"
	grep -q "$words" "$work/err" || fail "flame $*: no '$words' in: $(cat "$work/err")"
}

# Two CPUs seldom meet in a short storm, and names take a process that is still there.
for _ in 1 2 3 4 5 6 7 8; do
	flame a.folded --comm --user-stacks
	grep -q '^pcpu_[a-z_]*;truth;.*;maps_op;' "$work/a.folded" && break
done
grep -q '^pcpu_[a-z_]*;truth;.*;maps_op;syscall;-;entry_SYSCALL.*bpf_\[k\];.*pcpu_alloc.*_\[k\] [1-9][0-9]*$' \
	"$work/a.folded" || fail "no way from truth into the allocator: $(cat "$work/a.folded")"
grep -vE '^[^ ].* [1-9][0-9]*$' "$work/a.folded" && fail "a line that no viewer takes"
grep -E 'bpf_trace_run|__traceiter_|bpf_prog_[0-9a-f]{16}' "$work/a.folded" && fail "tracing's frames"

# The same totals by count in every format: 60 * 2000 maps' areas by each of 6 workers.
flame b.folded --weight allocs --follow
equal "allocations, folded" \
	"$(awk '/sys_bpf/ { n += $NF } END { print n }' "$work/b.folded")" $((6 * 60 * 2000))
flame b.pb.gz --weight allocs --follow
zcat "$work/b.pb.gz" >/dev/null || fail "not gzip'd"
flame b.json --weight allocs --follow
[ "$(jq '.profiles[0].endValue' "$work/b.json")" -ge $((6 * 60 * 2000)) ] || fail "too few in JSON"
equal "speedscope's sum" "$(jq '.profiles[0].weights | add' "$work/b.json")" \
	"$(jq '.profiles[0].endValue' "$work/b.json")"
flame b.svg --weight allocs --follow
xmllint --noout "$work/b.svg" || fail "no XML"

# --lock leaves the others out; --follow leaves everybody else out.
flame c.folded --lock pcpu_lock --comm
grep -v '^pcpu_lock;' "$work/c.folded" && fail "another lock"
flame d.folded --follow --comm
grep -v '^pcpu_[a-z_]*;truth;' "$work/d.folded" && fail "another process"

# --min-wait: nothing waits for an hour, and that is no error.
"$PCPUSTAT" flame --min-wait 1h -- "$TRUTH" maps 10 100 >"$work/out" 2>"$work/err" ||
	fail "--min-wait: exit $?"
grep -q . "$work/out" | grep -q 'pcpu' && fail "a wait of an hour"
grep -q 'nothing to draw' "$work/err" || fail "no word about the empty picture"

refused 2 "wait, sleep, spin" --weight time 0.1
refused 2 "ending tells no format" -o "$work/x.bmp" 0.1
refused 2 "two recordings" --diff "$work/a"
refused 2 "no command to follow" --follow 0.1
refused 2 "pcpu_alloc_mutex" --lock foo 0.1
refused 1 "cannot write" -o /nonexistent/x.svg 0.1
refused 1 "cannot read" --from /nonexistent/x.gz
if "$PCPUSTAT" doctor -J 2>/dev/null | jq -e '.signals.latency' >/dev/null 2>&1; then
	flame l.folded --weight latency
	grep -q 'sys_bpf_\[k\]' "$work/l.folded" || fail "no calls: $(cat "$work/l.folded")"
else
	refused 4 "doctor" --weight latency 0.1
fi
exit 0
