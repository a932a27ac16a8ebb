# SPDX-License-Identifier: GPL-2.0-only
# Each fault of rss_stat_fault= shows as the violation that it is meant to be, and as no other;
# without a fault there is none. The witness is not pcpustat but the kernel's own trace, read here in
# the plainest way.
. /tests/lib.sh

grep -qw rss_stat=lazy /proc/cmdline || skip "rss_stat is not lazy"
[ ! -e /proc/lock_stat ] || skip "the offsets are those of a kernel without lockdep"

trace=/sys/kernel/tracing
parameters=/sys/module/kernel/parameters

# shellcheck disable=SC2016 # $arg1 is the kernel's
# struct percpu_counter is 40 bytes: count at 8, counters at 32.
counts='c0=+8($arg1):s64 c1=+48($arg1):s64 c2=+88($arg1):s64 c3=+128($arg1):s64'
seen="fbc=\$arg1:x64 counters=+32(\$arg1):x64 $counts"
{
	echo "p:lab/switch percpu_counter_switch_to_pcpu_many $seen"
	echo "r:lab/switched percpu_counter_switch_to_pcpu_many $seen ret=\$retval:s32"
	echo "p:lab/destroy percpu_counter_destroy_many $seen nr=\$arg2:u32"
} >"$trace/kprobe_events" || fail "no kprobe events"

watch()
{
	echo 0 >"$trace/tracing_on"
	echo 8192 >"$trace/buffer_size_kb"
	echo >"$trace/trace"
	for event in lab percpu/percpu_alloc_percpu percpu/percpu_alloc_percpu_fail \
		percpu/percpu_free_percpu task/task_newtask; do
		echo 1 >"$trace/events/$event/enable" || fail "no event $event"
	done
	echo 1 >"$trace/tracing_on"
}

unwatch()
{
	echo 0 >"$trace/tracing_on"
	echo 0 >"$trace/events/enable"
}

# settle: each CPU has run something else, so none holds on to a dead mm for want of a better one.
settle()
{
	for cpu in 0 1 2 3; do
		taskset -c "$cpu" true
	done
	sleep 0.3
}

# violations: "KIND TIMES" from the trace, sorted.
violations()
{
	awk '
	function get(name,   at) {
		at = index($0, " " name "=")
		if (!at) return ""
		at = substr($0, at + length(name) + 2)
		sub(/ .*/, "", at)
		return at
	}
	# An address may be used again after its mm has gone.
	function mm(fbc) { return fbc ":" life[fbc] + 0 }
	function found(kind) { times[kind]++ }
	function values() { return get("c0") " " get("c1") " " get("c2") " " get("c3") }
	function negative() { return values() ~ /-/ }
	/^#/ { next }
	{
		pid = $0
		sub(/ +\[.*/, "", pid)
		sub(/.*-/, "", pid)
	}
	/ switch: / && get("counters") == "0x0" {
		inside[pid] = get("fbc")
		before[pid] = values()
		allocs[pid] = 0
		fails[pid] = 0
		if (negative()) found("negative")
	}
	/ percpu_alloc_percpu_fail: / && pid in inside { fails[pid]++ }
	/ percpu_alloc_percpu: / && pid in inside {
		allocs[pid]++
		owner[get("ptr")] = mm(inside[pid])
	}
	/ switched: / && pid in inside {
		fbc = inside[pid]
		ret = get("ret")
		delete inside[pid]
		if (ret == 0) {
			percpu[pid] = 1
			if (before[pid] != values()) found("lost_count")
			if (allocs[pid] != 1) found("double_init")
		} else {
			if (get("counters") != "0x0" || allocs[pid] || fails[pid] != 1)
				found("half_switched")
			if (ret == -12) found("enomem")
			else found("bool_ret")
		}
	}
	# CLONE_THREAD is 0x10000
	/ task_newtask: / {
		flags = get("clone_flags")
		if (flags ~ /[13579bdf]....$/ && !(pid in percpu)) found("no_switch")
	}
	/ percpu_free_percpu: / {
		ptr = get("ptr")
		if (ptr in owner) {
			if (!(owner[ptr] in dropped)) found("late_free")
			delete owner[ptr]
		}
	}
	/ destroy: / && get("nr") == 4 {
		fbc = get("fbc")
		dropped[mm(fbc)] = 1
		life[fbc]++
		if (get("counters") == "0x0" && negative()) found("negative")
	}
	END {
		for (ptr in owner) if (owner[ptr] in dropped) found("leak")
		for (kind in times) print kind, times[kind]
	}' "$trace/trace" | sort
}

# complaints: of the kernel about wrong counters, counted in $bad. They are taken out of its log,
# since they are wanted here; any other is not.
complaints()
{
	dmesg -c >/run/log
	bad=$(grep -c 'Bad rss-counter' /run/log)
	! grep -v 'Bad rss-counter' /run/log | grep -E 'BUG|WARNING|Oops|corruption|refcount_t' ||
		fail "the kernel complained"
}

# try FAULT EVERY WORK DONE ENOMEM KINDS COMPLAINTS: KINDS as violations prints them, on one line.
try()
{
	echo "$1" >"$parameters/rss_stat_fault"
	echo "$2" >"$parameters/rss_stat_fault_every"
	watch
	said=$(/tmp/faulty run "$3" 12) || fail "$1: faulty run $3"
	mmlab run process2 12 >/dev/null || fail "$1 hits others"
	settle
	unwatch
	hits=$(cat "$parameters/rss_stat_fault_hits")
	echo none >"$parameters/rss_stat_fault"
	kinds=$(violations | tr '\n' ' ')
	complaints
	echo "$1 every $2: $said; hits: $hits; found: ${kinds:-nothing}; bad rss counters: $bad"
	equal "$1: work" "$said" "$3 done $4 enomem $5"
	equal "$1: violations" "$kinds" "$6"
	case $7 in
	0) equal "$1: bad counters in the kernel's log" "$bad" 0 ;;
	*) [ "$bad" -ge "$7" ] || fail "$1: only $bad bad counters in the kernel's log" ;;
	esac
}

cp /bin/mmlab /tmp/faulty
complaints
[ "$bad" = 0 ] || fail "bad counters before any fault"
try none 1 process2 12 0 "" 0
try none 1 exec 12 0 "" 0
try enomem 1 process2 0 12 "enomem 12 " 0
try enomem 3 process2 8 4 "enomem 4 " 0
try bool_ret 1 process2 0 12 "bool_ret 12 " 0
try lost_count 1 process2 12 0 "lost_count 12 " 12
try lost_count 4 process2 12 0 "lost_count 3 " 3
try double_init 1 process2 12 0 "double_init 12 leak 12 " 0
try no_switch 1 process2 12 0 "no_switch 24 " 0
try negative 1 process2 12 0 "negative 12 " 0
try negative 1 fork 12 0 "" 0
try late_free 1 process2 12 0 "late_free 12 " 0
try late_free 1 process 12 0 "" 0
try late_free 1 threads 12 0 "late_free 1 " 0
try none 1 process2 12 0 "" 0
: >"$trace/kprobe_events"
