#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What works on this kernel is what the committed expectation says: a change shows in review.
. /tests/lib.sh
summary='{ signals, backends, rss_mode, locks: [.locks[] | { (.name): .found_by }] | add,
	facts: [.facts[] | { (.id): .state }] | add, missing: .privileges.missing, verdict }'
pcpustat doctor -J | jq -S "$summary" >doctor.json || fail "doctor"
[ -s "$EXPECT" ] || { cat doctor.json; fail "no expectation for $LABEL"; }
diff "$EXPECT" doctor.json || fail "doctor -J differs from expect/$LABEL.json"
