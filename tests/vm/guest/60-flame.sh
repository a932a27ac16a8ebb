#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Stacks on this kernel: a storm of BPF maps by truth, whose way through the kernel and whose own
# functions have to be in the picture; who held the mutex; a recording of the same.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
PCPUSTAT=${PCPUSTAT:-pcpustat}
TRUTH=${TRUTH:-truth}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
MAPS="maps 60 2000"
SYSCALL='entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];.*sys_bpf_\[k\];'
MUTEX='pcpu_alloc\(_noprof\)\?\(\.[a-z0-9.]*\)\?_\[k\];.*mutex_lock[a-z_.0-9]*_\[k\]'

# flame OUT OPTIONS...: the storm, drawn into $work/OUT.
flame()
{
	out=$1
	shift
	# shellcheck disable=SC2086 # MAPS is words
	"$PCPUSTAT" flame -o "$work/$out" "$@" -- "$TRUTH" -w 6 $MAPS >/dev/null 2>"$work/err" ||
		fail "flame $*: exit $?: $(cat "$work/err")"
	[ -s "$work/$out" ] || fail "flame $*: nothing drawn: $(cat "$work/err")"
}

has()
{
	grep -q "$2" "$work/$1" || fail "no '$2' in: $(cat "$work/$1")"
}

flame wait.folded --comm --user-stacks
has wait.folded "^pcpu_alloc_mutex;truth;.*;-;$SYSCALL.*$MUTEX [1-9][0-9]*\$"
has wait.folded ';main;'
grep -q 'bpf_trace_run\|bpf_prog_[0-9a-f]\{16\}\|bpf_trampoline\|rethook\|kretprobe' "$work/wait.folded" &&
	fail "tracing's own frames: $(cat "$work/wait.folded")"

flame holders.folded --holders
if grep -q ':contended_release$' /sys/kernel/tracing/available_events 2>/dev/null; then
	has holders.folded "^pcpu_alloc_mutex;.*$SYSCALL.*pcpu_alloc_noprof_\[k\];.*unlock"
else
	has holders.folded '^pcpu_alloc_mutex;truth;pid [1-9][0-9]* [1-9][0-9]*$'
fi

flame bytes.folded --weight bytes
has bytes.folded "${SYSCALL}.*pcpu_alloc\(_noprof\)\?_\[k\] [1-9][0-9]*\$"

# The time of each call, where there is a backend for it.
if "$PCPUSTAT" doctor -J 2>/dev/null | grep -q '"latency":"'; then
	flame latency.folded --weight latency
	has latency.folded "^${SYSCALL}"
fi

flame followed.folded --follow --comm --cgroups
grep -v '^[a-z_]*;[^;]*;truth;\|^[a-z_]*;truth;' "$work/followed.folded" >"$work/strangers" &&
	fail "not the command: $(cat "$work/strangers")"

# A recording gives what is needed for all of that later.
# shellcheck disable=SC2086
"$PCPUSTAT" record -o "$work/r.gz" --user-stacks 0.2 -- "$TRUTH" -w 6 $MAPS >/dev/null ||
	fail "record: exit $?"
"$PCPUSTAT" flame --from "$work/r.gz" --comm -o "$work/replay.folded" || fail "replay: exit $?"
has replay.folded "^pcpu_alloc_mutex;truth;.*;main;.*$MUTEX"
"$PCPUSTAT" flame --from "$work/r.gz" -o "$work/replay.svg" || fail "svg: exit $?"
has replay.svg '</svg>'
"$PCPUSTAT" -J --by stack --from "$work/r.gz" >"$work/json" || fail "--from: exit $?"
equal "header, intervals, summary" "$(jq -r .type "$work/json" | uniq | tr '\n' ' ')" \
	"header interval summary "
