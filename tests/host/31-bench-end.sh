#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# However a benchmark ends, it says why and leaves nothing behind: no process, no file, no cgroup.
. "${TEST_LIB:-$(dirname "$0")/lib.sh}"
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR" "$work/cwd"
cd "$work/cwd" || exit 1
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)

# alive: how many processes are ours, by the directory that they inherit; not this shell.
alive()
{
	n=0
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/cwd" 2>/dev/null)" != "$work/cwd" ] || [ "$p" = "/proc/$$" ] ||
			[ "$(sed -n 's/^PPid:\t//p' "$p/status" 2>/dev/null)" = $$ ] || n=$((n + 1))
	done
	echo $n
}

nothing_left()
{
	equal "files left after $1" "$(ls -A "$TMPDIR")" ""
	equal "processes left after $1" "$(alive)" 0
	[ -z "$cgroups" ] || equal "cgroups left after $1" \
		"$(find "$cgroups" -type d -name "pcpustat-$2")" ""
}

# expect CODE PATTERN ARGS...
expect()
{
	code=$1 pattern=$2
	shift 2
	"$PCPUSTAT" bench "$@" >"$work/out" 2>"$work/err"
	equal "exit code of 'bench $*'" $? "$code"
	grep -qe "$pattern" "$work/err" || fail "'bench $*' says: $(cat "$work/err")"
}

expect 2 "no workload 'nothing'" nothing
expect 2 "no workload 'exec:a=1'" exec:a=1
expect 2 "-n takes" -n 0 exec
expect 2 "-n takes" -n 1,x exec
expect 2 "-n takes" -n 1000000 exec
expect 2 "-r takes" -r 0 exec
expect 2 "-d takes" -d 0 exec
expect 2 "-d takes" -d 2h exec
expect 2 "-c takes" -c 0 exec
expect 2 "exclude each other" -c 1 -d 1 exec
expect 2 usage: --no-such-option
expect 1 "cannot write /nonexistent/x" --save /nonexistent/x exec
expect 2 "not NAME=VALUE" --no-trace flood:path
expect 2 "at least 4" --no-trace kfree_rcu:kfree_loops=3
expect 4 "cannot load /nonexistent.ko" --no-trace flood:module=/nonexistent.ko
modprobe -nq pcpu_flood 2>/dev/null || expect 4 "no mod.* pcpu_flood" --no-trace flood

"$PCPUSTAT" bench --demo 0.2 || fail "the demonstration load"
nothing_left "the demonstration load" '*'

# Signals, while workers run and their files are there.
for signal in INT TERM HUP; do
	"$PCPUSTAT" bench -J -d 100 -r 1 -n 2 --no-trace launch fork >"$work/out" 2>"$work/err" &
	pid=$!
	until [ "$(find "$TMPDIR" -type f | wc -l)" = 256 ]; do sleep 0.05; done
	kill -s $signal $pid
	wait $pid
	equal "exit code after SIG$signal" $? 0
	equal "interrupted" "$(jq -c 'select(.type == "summary") | [.interrupted, .results]' \
		"$work/out")" '[true,0]'
	nothing_left "SIG$signal" "$pid"
done

# Killed outright: the workers go with their bench.
"$PCPUSTAT" bench -d 100 -r 1 -n 2 --no-trace exec >"$work/out" 2>&1 &
pid=$!
until [ "$(alive)" -ge 2 ]; do sleep 0.05; done
kill -KILL $pid
wait $pid
tries=100
while [ "$(alive)" != 0 ] && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
nothing_left SIGKILL "$pid"

# A reader that goes away ends it quietly; a full disk is an error.
"$PCPUSTAT" bench -J -c 1 -r 1 exec fork 2>"$work/err" | head -n 1 >"$work/out"
equal "lines that the reader took" "$(wc -l <"$work/out")" 1
equal "words about a closed pipe" "$(cat "$work/err")" ""
"$PCPUSTAT" bench -c 1 -r 1 exec >/dev/full 2>"$work/err"
equal "exit code on a full disk" $? 1
nothing_left "a closed pipe" '*'

# A directory where nothing may be executed, and one where nothing may be written.
mkdir "$work/mnt"
mount -t tmpfs -o noexec none "$work/mnt" || fail "cannot mount a tmpfs"
TMPDIR=$work/mnt expect 1 "mounted noexec" --no-trace -c 1 -r 1 launch
equal "files left on noexec" "$(ls -A "$work/mnt")" ""
mount -o remount,ro "$work/mnt"
TMPDIR=$work/mnt expect 1 "Read-only" --no-trace -c 1 -r 1 launch
# exec needs no directory where memory may be executed.
TMPDIR=$work/mnt "$PCPUSTAT" bench --no-trace -c 1 -r 1 exec >"$work/out" ||
	fail "exec takes a directory"
umount "$work/mnt"
nothing_left "errors" '*'
