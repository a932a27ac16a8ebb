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

for name in tp_btf raw_tp tp; do
	case " $(usable allocations) " in
	*" $name "*)
		run --backend allocations=$name
		equal "allocations by $name" "$(get .allocs)" $((20 * per_mm))
		;;
	*) refused allocations=$name ;;
	esac
done
for name in fentry kprobe; do
	case " $(usable latency) " in
	*" $name "*)
		run --backend latency=$name
		equal "calls timed by $name" "$(get .alloc_latency.count)" $((20 * per_mm))
		equal "$name: histogram" "$(get '[.alloc_latency.hist[][1]] | add // 0')" \
			$((20 * per_mm))
		;;
	*) refused latency=$name ;;
	esac
done
for name in fentry kprobe derived; do
	case " $(usable mm_life) " in
	*" $name "*)
		for latency in none $(usable latency); do
			run --backend mm_life=$name --backend latency="$latency"
			equal "mms born by $name" "$(get .mm.inits)" 20
			equal "allocations of an mm by $name, latency by $latency" \
				"$(get .mm.allocs_per_init)" "$per_mm$(get '.mm.allocs_per_init |
					tostring | if test("[.]0$") then ".0" else "" end')"
		done
		;;
	*) refused mm_life=$name ;;
	esac
done
for name in tp_btf raw_tp fentry kprobe; do
	case " $(usable lock_waits) " in
	*" $name "*)
		summary --by stack -E 100000 --backend lock_waits=$name -- "$TRUTH" -w 8 hash 4 200
		equal "lock waits by $name" "$(header .signals.lock_waits)" $name
		equal "$name is consistent" "$(get '[.locks[] | select(.waits != null) |
			.waits == ([.hist[][1]] | add // 0) and (.waits == 0 or .max_ns <= .wait_ns) and
			(.spin_ns == null or .wait_ns == .spin_ns + .sleep_ns)] | all')" true
		no_losses
		;;
	*) refused lock_waits=$name ;;
	esac
done
