#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# gcc and clang build everything without a word of theirs.
. "$(dirname "$0")/lib"

# In directories that stay, so that a second look is quick. The BPF objects are clang's own anyway.
for cc in gcc clang; do
	if ! make -s -j"$(nproc)" B="build/lint/$cc" CC=$cc CFLAGS="-O2 -Werror" all >"$work/$cc" 2>&1; then
		bad "$cc does not build it"
		cat "$work/$cc"
	elif grep -E 'warning|error' "$work/$cc"; then
		bad "$cc has warnings"
	fi
done
finish "2 compilers"
