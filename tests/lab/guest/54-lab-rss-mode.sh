# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034,SC2086 # names of what is read; numbers without quotes
# One image, three modes: pcpustat rss names the one that is at work, and the state of each mm.
. /tests/lib.sh

mode=$(sed -n 's/.*rss_stat=\([a-z]*\).*/\1/p' /proc/cmdline)
case $mode in
individual) allocs=4 born=percpu ;;
grouped) allocs=1 born=percpu ;;
lazy) allocs=0 born=atomic ;;
*) fail "no mode in the command line" ;;
esac
loads=
trap 'kill -9 $loads 2>/dev/null' EXIT

load()
{
	rm -f in ready
	mkfifo in ready
	rssload "$@" <>in >ready &
	loads="$loads $!"
	read -r _ pid number <ready || fail "rssload $*"
}

# state PID: of its mm, from a census of its own.
state()
{
	pcpustat rss -J -p "$1" | jq -r 'select(.type == "mm") | .state'
}

pcpustat rss -J >census || fail "pcpustat rss: $?"
stat() { jq -r "select(.type == \"header\") | .rss_stat | $1" census; }
equal "mode" "$(stat .mode)" "$mode"
equal "allocations for rss_stat" "$(stat .trial.rss_allocs)" "$allocs"
equal "allocations by mode" "$(stat .allocs_per_mm)" "$allocs"
equal "mm_cid's allocation beside them" "$(stat '.trial.allocs - .trial.rss_allocs')" 1
equal "born atomic" "$(stat .trial.atomic)" "$([ $born = atomic ] && echo true || echo false)"

load fleet 3
equal "single-threaded" "$(state "$pid")" $born
load threads 1
equal "with a second thread" "$(state "$pid")" percpu
load shared
equal "shared by CLONE_VM" "$(state "$pid")" $born
load headless
equal "with one thread left" "$(state "$pid")" percpu
load rest
equal "after exec" "$(state "$pid")" $born
# As pcpustat counts them: 4 + c, 1 + c, 0 + c, with c = 1 for mm_cid.
summary --by process -E 1000 -- "$TRUTH" fork 200
equal "percpu allocations of 200 forks" \
	"$(get '[.rows[] | select(.comm == "truth") | .allocs] | add')" $((200 * (allocs + 1)))
equal "mode in the header" "$(header .rss_stat.mode)" "$mode"
no_losses
echo "$mode: $(jq -c 'select(.type == "summary") | .states' census)"
