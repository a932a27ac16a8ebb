#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Exit codes and messages of the contract.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"

# expect CODE PATTERN ARGS...: one line on stderr (and the usage line), nothing on stdout.
expect()
{
	code=$1 pattern=$2
	shift 2
	"$PCPUSTAT" "$@" >"$work/out" 2>"$work/err"
	equal "exit code of '$*'" $? "$code"
	grep -q "$pattern" "$work/err" || fail "'$*' says: $(cat "$work/err")"
	[ ! -s "$work/out" ] || fail "'$*' prints on stdout"
	[ "$(grep -cv '^usage:' "$work/err")" = 1 ] || fail "'$*' says more than a line"
}

for bad in 0 1e9 abc 99999999999999999999 inf nan 0x10 '' 1.2.3 1s2 25h 1ms; do
	expect 2 "bad interval" live "$bad"
done
expect 2 usage: live -1
expect 2 "bad count" 1 0
expect 2 "bad count" 1 x
expect 2 "bad argument" 1 2 3
expect 2 "no such process" -p 4194303
expect 2 "bad pid" -p 1,x
expect 2 "bad pid" -p 0
expect 2 "exclude" -p 1 -t 1
expect 2 "bad CPU list" -C 99999
expect 2 "bad CPU list" -C 1-
expect 2 "no cgroup" -G /nonexistent
expect 2 "no mounted cgroup" -G /proc
expect 2 "bad --by" --by nothing
expect 2 "bad -k" --by site -k nothing
expect 2 "bad -k" -k allocs
expect 2 "bad command" --
expect 2 "no backend" --backend latency=psychic 1 1
expect 2 "there are: tp_btf, raw_tp, tp, none" --backend allocations=psychic 1 1
expect 2 "bad --backend" --backend psychic=tp 1 1
expect 2 "unrecognized" --no-such-option
expect 2 "no command" no-such-command
expect 2 "takes none" doctor more
expect 2 "one interval" flame 0.1 3
expect 2 "its own recordings" flame --diff /a /b --from /c
"$PCPUSTAT" record -o "$work/r" 0.05 1 || fail record
expect 2 "is over" --from "$work/r" --backend latency=none
"$PCPUSTAT" .05 1 >/dev/null || fail "an interval that begins with a point"
expect 127 "cannot run ./no-such-program" 1 -- ./no-such-program
expect 126 "cannot run /proc/self/maps" 1 -- /proc/self/maps
