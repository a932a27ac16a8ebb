#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every backend that doctor names is forced in turn, and all agree with the truth to the last
# count; every other one is refused with exit 4.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
per_mm=$(allocs_per_mm) || { echo "$per_mm"; exit 1; }
"$PCPUSTAT" doctor -J >"$work/doctor" || fail "doctor"

usable()
{
	jq -r ".backends.$1[]" "$work/doctor" | tr '\n' ' '
}

# held ARGS...: truth, waiting at its gate; run OPTIONS...: pcpustat -p over it, until it ends.
run()
{
	: >"$work/ready"
	"$TRUTH" --wait fork 20 >"$work/ready" <"$work/go" &
	pid=$!
	exec 9>"$work/go"
	while ! grep -q ready "$work/ready"; do :; done
	: >"$work/out"
	"$PCPUSTAT" -J 3600 -p "$pid" "$@" >"$work/out" 2>"$work/err" &
	tool=$!
	while ! grep -q '"type":"header"' "$work/out"; do
		kill -0 $tool 2>/dev/null || fail "pcpustat $*: $(cat "$work/err")"
	done
	echo >&9
	wait $pid
	exec 9>&-
	kill -INT $tool
	wait $tool
	grep summary "$work/out" >"$work/summary"
	no_losses
}

refused()
{
	"$PCPUSTAT" --backend "$1" 0.1 1 >/dev/null 2>"$work/err"
	equal "exit code of --backend $1" $? 4
}

# nth SIGNAL N: the Nth of its usable backends, or the last; nothing when there are none.
nth()
{
	# shellcheck disable=SC2046 # words on purpose
	set -- "$2" $(usable "$1")
	n=$1
	shift
	[ $# -gt 0 ] || return 0
	[ "$n" -le $# ] || n=$#
	shift $((n - 1))
	echo "$1"
}

# A run forces the Nth backend of every signal at once: as many runs as the longest list.
for n in 1 2 3; do
	allocations=$(nth allocations $n)
	latency=$(nth latency $n)
	mm_life=$(nth mm_life $n)
	run --backend allocations="$allocations" --backend latency="${latency:-none}" \
		--backend mm_life="$mm_life"
	counted "allocations by $allocations" "$(get .allocs)" $((20 * per_mm))
	equal "mms born by $mm_life" "$(get .mm.inits)" 20
	equal "allocations of an mm by $mm_life, latency by ${latency:-none}" \
		"$(get ".mm.allocs_per_init == $per_mm")" true
	[ -n "$latency" ] || continue
	counted "calls timed by $latency" "$(get .alloc_latency.count)" $((20 * per_mm))
	equal "$latency: histogram" "$(get '[.alloc_latency.hist[][1]] | add // 0')" \
		"$(get .alloc_latency.count)"
done
# Without a latency backend the allocations of an mm are counted at their event.
run --backend latency=none
equal "allocations of an mm without latency" "$(get ".mm.allocs_per_init == $per_mm")" true

for name in $(usable lock_waits); do
	summary --by stack -E 100000 --backend lock_waits="$name" -- "$TRUTH" -w 8 hash 4 200
	equal "lock waits by $name" "$(header .signals.lock_waits)" "$name"
	equal "$name is consistent" "$(get '[.locks[] | select(.waits != null) |
		.waits == ([.hist[][1]] | add // 0) and (.waits == 0 or .max_ns <= .wait_ns) and
		(.spin_ns == null or .wait_ns == .spin_ns + .sleep_ns)] | all')" true
	no_losses
done

for backend in allocations=tp_btf latency=fentry latency=kprobe mm_life=fentry lock_waits=tp_btf \
	lock_waits=fentry lock_waits=kprobe; do
	case " $(usable "${backend%=*}") " in
	*" ${backend#*=} "*) ;;
	*) refused $backend ;;
	esac
done
