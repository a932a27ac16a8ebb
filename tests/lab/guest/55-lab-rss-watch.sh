# SPDX-License-Identifier: GPL-2.0-only
# Switches are counted one by one, with what started them.
. /tests/lib.sh

mode=$(sed -n 's/.*rss_stat=\([a-z]*\).*/\1/p' /proc/cmdline)

# during COMMAND...: its summary goes to ./summary.
during()
{
	rm -f out
	mkfifo out
	pcpustat rss watch 3600 -J >out &
	tool=$!
	exec 8<out
	read -r _ <&8 || fail "no header"
	"$@" >/dev/null || fail "$*"
	kill -INT $tool
	grep '"type":"summary"' <&8 >summary
	exec 8<&-
	wait $tool || fail "rss watch: $?"
}

get() { jq -r "$1" summary; }

during rssload pthreads 100
if [ "$mode" != lazy ]; then
	equal "switches of a mode that has none" "$(get .switches)" null
	exit 0
fi
equal "switches" "$(get .switches)" 100
equal "by pthread_create" "$(get .triggers.thread)" 100
equal "by others" "$(get '.triggers | .io_worker + .user_worker + .clone_vm')" 0
equal "who switches most" "$(get '.comms[0] | "\(.comm) \(.switches)"')" "rssload 100"
[ "$(get .switch_max_ns)" -gt 0 ] || fail "no longest switch"
[ "$(get .switch_sum_ns)" -ge "$(get .switch_max_ns)" ] || fail "the sum is below the maximum"
equal "lost" "$(get '[.lost[]] | add')" 0

for work in vfork clonevm fork exec; do
	during mmlab run $work 50
	equal "switches by $work" "$(get .switches)" 0
done
during mmlab run iouring 20
equal "switches by io_uring" "$(get .switches)" 20
equal "by its workers" "$(get .triggers.io_worker)" 20
during rssload vhost 20
equal "switches by vhost" "$(get .switches)" 20
equal "by its threads" "$(get .triggers.user_worker)" 20
during mmlab run thread 200
equal "switches of one process with 200 threads" "$(get .switches)" 1
