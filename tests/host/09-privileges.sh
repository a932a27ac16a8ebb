#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An unprivileged user with exactly the documented capabilities; and without them.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
command -v setpriv >/dev/null || fail "no setpriv"

# The build may be where a stranger cannot go.
cp "$PCPUSTAT" "$work/pcpustat"
chmod 755 "$work" "$work/pcpustat"
caps=+bpf,+perfmon,+syslog
setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $caps --ambient-caps $caps \
	"$work/pcpustat" -J 0.1 2 >"$work/out" 2>"$work/err" || fail "with capabilities: $(cat "$work/err")"
equal "lines with capabilities" "$(jq -r .type "$work/out" | tr '\n' ' ')" \
	"header interval interval summary "
"$PCPUSTAT" -J 0.1 1 >"$work/root"
equal "backends, as root and with capabilities" \
	"$(head -n 1 "$work/out" | jq -c '[.signals, [.locks[].found_by]]')" \
	"$(head -n 1 "$work/root" | jq -c '[.signals, [.locks[].found_by]]')"

setpriv --reuid 65534 --regid 65534 --clear-groups "$work/pcpustat" 1 1 >"$work/out" 2>"$work/err"
equal "exit code without capabilities" $? 3
equal "lines of the message" "$(wc -l <"$work/err")" 1
grep -q 'CAP_BPF.*CAP_PERFMON.*setcap' "$work/err" || fail "the message says: $(cat "$work/err")"
setpriv --reuid 65534 --regid 65534 --clear-groups "$work/pcpustat" doctor -J >"$work/out" ||
	fail "doctor takes root"
equal "capabilities that doctor misses" "$(jq -r .privileges.missing "$work/out")" \
	"CAP_BPF and CAP_PERFMON"
