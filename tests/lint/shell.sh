#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every script passes shellcheck, and what tests/run runs is executable.
. "$(dirname "$0")/lib.sh"

mapfile -t files < <(scripts)
# SC1091: some of the files that they read in exist in a guest alone.
shellcheck -x -e SC1091 "${files[@]}" || bad "shellcheck"
for file in tests/host/[0-9]*.sh tests/lint/[!l]*.sh; do
	[ -x "$file" ] || bad "$file is not executable"
done
finish "${#files[@]} scripts"
