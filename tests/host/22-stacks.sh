#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Stacks on this kernel: a storm of BPF maps by truth, whose way through the kernel and whose own
# functions have to be in the picture; who held the mutex; a recording of the same.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
tracefs=/sys/kernel/debug/tracing
mounted debugfs /sys/kernel/debug
SYSCALL='entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];.*sys_bpf_\[k\];'
MUTEX='pcpu_alloc\(_noprof\)\?\(\.[a-z0-9.]*\)\?_\[k\];.*mutex[a-z_.0-9]*lock[a-z_.0-9]*_\[k\]'

# flame OUT PATTERN OPTIONS...: a storm drawn into $work/OUT until PATTERN is in it; under emulation a
# small one is enough, where two CPUs seldom meet it takes a larger one.
flame()
{
	out=$1 pattern=$2
	shift 2
	for n in "${STORM:-10 400}" "10 400" "60 2000" "200 4000" "300 8000" "300 8000"; do
		echo "$out $n" # how far it came, when it is too slow
		# shellcheck disable=SC2086 # lists of words
		"$PCPUSTAT" flame $BACKENDS -o "$work/$out" "$@" -- "$TRUTH" -w 6 maps $n \
			>/dev/null 2>"$work/err" || fail "flame $*: exit $?: $(cat "$work/err")"
		grep -q "$pattern" "$work/$out" && return
	done
	fail "flame $*: no '$pattern' in: $(cat "$work/$out") $(cat "$work/err")"
}

flame wait.folded "^pcpu_alloc_mutex;truth;.*;main;.*;-;$SYSCALL.*$MUTEX [1-9][0-9]*\$" --comm --user-stacks
grep -q 'bpf_trace_run\|bpf_prog_[0-9a-f]\{16\}\|bpf_trampoline\|rethook\|kretprobe\|unknown\]_\[k' \
	"$work/wait.folded" && fail "tracing's own frames: $(cat "$work/wait.folded")"

if grep -q '^lock:contended_release$' "$tracefs/available_events"; then
	flame holders.folded "^pcpu_alloc_mutex;.*$SYSCALL.*pcpu_alloc_noprof_\[k\];.*unlock" --holders
else
	flame holders.folded '^pcpu_alloc_mutex;truth;pid [1-9][0-9]* [1-9][0-9]*$' --holders
fi

flame bytes.folded "${SYSCALL}.*pcpu_alloc\(_noprof\)\?_\[k\] [1-9][0-9]*\$" --weight bytes

# The time of each call, where there is a backend for it.
if [ "$("$PCPUSTAT" doctor -J | jq -r '.signals.latency // empty')" ]; then
	flame latency.folded "^$SYSCALL" --weight latency
fi

flame followed.folded '^pcpu_alloc_mutex;[^;]*;truth;' --follow --comm --cgroups
grep -v '^[a-z_]*;[^;]*;truth;' "$work/followed.folded" && fail "not the command"

# A recording gives what is needed for all of that later.
for n in "${STORM:-10 400}" "10 400" "60 2000" "200 4000" "300 8000" "300 8000" "300 8000"; do
	# shellcheck disable=SC2086
	"$PCPUSTAT" record $BACKENDS -o "$work/r.gz" --user-stacks 0.2 -- "$TRUTH" -w 6 maps $n \
		>/dev/null || fail "record: exit $?"
	"$PCPUSTAT" flame --from "$work/r.gz" --comm -o "$work/replay.folded" || fail "replay: exit $?"
	# A process that ends at once has no names: the larger storm lasts longer.
	grep -q "^pcpu_alloc_mutex;truth;.*;main;.*$MUTEX" "$work/replay.folded" && break
done
grep -q "^pcpu_alloc_mutex;truth;.*;main;.*$MUTEX" "$work/replay.folded" ||
	fail "not in the recording: $(cat "$work/replay.folded")"
grep ';\[unknown\]_\[k\]' "$work/replay.folded" && fail "nameless frames, of tracing perhaps"
"$PCPUSTAT" flame --from "$work/r.gz" -o "$work/replay.svg" || fail "svg: exit $?"
grep -q '</svg>' "$work/replay.svg" || fail "no picture"
"$PCPUSTAT" -J --by stack --from "$work/r.gz" >"$work/json" || fail "--from: exit $?"
equal "header, intervals, summary" "$(jq -r .type "$work/json" | uniq | tr '\n' ' ')" \
	"header interval summary "
exit 0
