#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every script passes shellcheck, and what tests/run runs is executable.
. "$(dirname "$0")/lib"

mapfile -t files < <(scripts)
# What host tests read in depends on where they run (SC1090, SC1091) and sets work (SC2154); jq's
# programs stand in single quotes (SC2016); "a && b || fail" is meant as it is (SC2015).
options=(-x -P SCRIPTDIR -e "SC1090,SC1091,SC2154,SC2016,SC2015")
for file in "${files[@]}"; do
	dialect=()
	# Files without an interpreter are read by a guest's sh, unless they say otherwise.
	head -n 3 "$file" | grep -qE '^#!|shellcheck shell=' || dialect=(-s sh)
	shellcheck "${options[@]}" "${dialect[@]}" "$file" || bad "$file"
done
for file in tests/host/[0-9]*.sh tests/lint/*.sh; do
	[ -x "$file" ] || bad "$file is not executable"
done
finish "${#files[@]} scripts"
