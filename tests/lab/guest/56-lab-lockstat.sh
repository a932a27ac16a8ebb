# SPDX-License-Identifier: GPL-2.0-only
# Sleeps on pcpu_alloc_mutex are the contentions that the kernel's own lock_stat counts, one by one, and as long within 10 %. What
# differs by design: lock_stat begins when a task queues (lock_contended in kernel/locking/mutex.c) and ends when it has the lock;
# pcpustat's wait begins earlier, with optimistic spinning, and what a woken task spins is spin, not sleep.
. /tests/lib.sh

[ -e /proc/lock_stat ] || skip "a kernel without lock_stat"

echo 0 >/proc/lock_stat
summary -- "$TRUTH" -w 16 maps 20 1000
no_losses
# name: con-bounces contentions waittime-min waittime-max waittime-total ..., times in us
read -r _ _ contentions _ _ total _ <<EOF
$(grep -w pcpu_alloc_mutex: /proc/lock_stat)
EOF
[ -n "$total" ] || fail "no pcpu_alloc_mutex in lock_stat"
lock='.locks[] | select(.name == "pcpu_alloc_mutex")'
echo "lock_stat: $contentions contentions, $total us; pcpustat: $(get "$lock | \"\(.sleeps) sleeps, \(.sleep_ns / 1000) us asleep\"")"
equal "sleeps" "$(get "$lock | .sleeps")" "$contentions"
equal "time asleep within 10 % of $total us" \
	"$(get "$lock | (.sleep_ns / 1000) as \$us | (\$us - $total | fabs) <= $total / 10")" true
equal "no more than the wait" "$(get "$lock | .wait_ns / 1000 >= $total * 0.999")" true
