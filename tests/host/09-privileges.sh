#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An unprivileged user with exactly the documented capabilities; and without them.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
# By its path: the guests' shell would prefer its own.
setpriv=/bin/setpriv
[ -x $setpriv ] || fail "no setpriv"

# Above 2, a distribution's addition, perf events and with them kprobes are for CAP_SYS_ADMIN.
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
trap 'echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid; rm -rf "$work"' EXIT
[ "$paranoid" -le 2 ] || echo 2 >/proc/sys/kernel/perf_event_paranoid

# The build may be where a stranger cannot go.
cp "$PCPUSTAT" "$work/pcpustat"
chmod 755 "$work" "$work/pcpustat"
caps=+bpf,+perfmon,+syslog

# run: the tool as nobody, with $caps and the usual limit of locked memory.
# shellcheck disable=SC3045 # dash and busybox have -l
run()
{
	(ulimit -l 64 && exec $setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $caps \
		--ambient-caps $caps "$work/pcpustat" "$@") >"$work/out" 2>"$work/err"
}

if [ "$("$PCPUSTAT" doctor -J | jq -r '.facts[] | select(.id == "map_memcg").state')" != present ]; then
	run 0.1 1
	equal "exit code where maps count as locked memory" $? 3
	grep -q 'RLIMIT_MEMLOCK.*cap_sys_resource.*ulimit' "$work/err" ||
		fail "the message says: $(cat "$work/err")"
	caps=$caps,+sys_resource
fi
run -J 0.1 2 || fail "with capabilities: $(cat "$work/err")"
equal "lines with capabilities" "$(jq -r .type "$work/out" | tr '\n' ' ')" \
	"header interval interval summary "
"$PCPUSTAT" -J 0.1 1 >"$work/root"
equal "backends, as root and with capabilities" \
	"$(head -n 1 "$work/out" | jq -c '[.signals, [.locks[].found_by]]')" \
	"$(head -n 1 "$work/root" | jq -c '[.signals, [.locks[].found_by]]')"

for what in "" error "verify 0.1"; do
	# shellcheck disable=SC2086 # words
	run rss $what || fail "rss $what with capabilities: $(cat "$work/err")"
done

$setpriv --reuid 65534 --regid 65534 --clear-groups "$work/pcpustat" 1 1 >"$work/out" 2>"$work/err"
equal "exit code without capabilities" $? 3
equal "lines of the message" "$(wc -l <"$work/err")" 1
grep -q 'CAP_BPF.*CAP_PERFMON.*setcap' "$work/err" || fail "the message says: $(cat "$work/err")"
$setpriv --reuid 65534 --regid 65534 --clear-groups "$work/pcpustat" doctor -J >"$work/out" ||
	fail "doctor takes root"
equal "capabilities that doctor misses" "$(jq -r .privileges.missing "$work/out")" \
	"CAP_BPF and CAP_PERFMON"
