#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What is built is up to date, and a changed header rebuilds all that includes it.
. "$(dirname "$0")/lib"

# would_build [FILE]: targets that make would build if FILE had just changed.
would_build()
{
	make -n ${1:+-W "$1"} all tests | sed -n 's/.* -o \(build\/[^ ]*\) .*/\1/p' | sort -u
}

# includes HEADER DIR SUFFIX: objects whose sources include it, by the compiler's own account.
includes()
{
	for file in "$2"/*.c; do
		"${CC:-cc}" -MM -D_GNU_SOURCE ${4:+-D__BPF__} -Iinclude -Isrc -Ivmlinux -Ibuild "$file" 2>/dev/null |
			tr -s ' ' '\n' | grep -qx "$1" && basename "$file" "$3"
	done
	return 0
}

make -s -j"$(nproc)" all tests >/dev/null
would_build >"$work/none"
[ -s "$work/none" ] && bad "built again without a change: $(tr '\n' ' ' <"$work/none")"

# A list that is used above its definition would be empty.
make -n --warn-undefined-variables deps 2>&1 | grep 'undefined variable' >"$work/undefined" &&
	bad "$(cat "$work/undefined")"

count=0
for header in include/abi.h src/util.h src/metrics.h; do
	would_build "$header" >"$work/built"
	for name in $(includes "$header" src .c); do
		grep -qx "build/$name.o" "$work/built" || bad "$header does not rebuild build/$name.o"
		[ "$name" = main ] || grep -qx "build/san/$name.o" "$work/built" ||
			bad "$header does not rebuild build/san/$name.o"
		count=$((count + 1))
	done
	for name in $(includes "$header" tests/unit .c); do
		grep -qx "build/tests/unit/$name" "$work/built" ||
			bad "$header does not rebuild build/tests/unit/$name"
		count=$((count + 1))
	done
done
for file in bpf/*.bpf.c; do
	name=$(basename "$file" .bpf.c)
	grep -q 'maps.bpf.h\|abi.h' "$file" || continue
	would_build include/abi.h | grep -qx "build/bpf/$name.o" ||
		bad "include/abi.h does not rebuild build/bpf/$name.o"
	count=$((count + 1))
done
finish "$count dependencies"
