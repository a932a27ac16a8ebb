#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Functions: nine of ten have at most 45 lines, none over 80. Files of the program: 500, main.c 100.
. "$(dirname "$0")/lib"

# In this style a brace alone in the first column opens a function, and the next one closes it.
mapfile -t files < <(sources)
awk 'FNR == 1 { open = 0 }
	/^{/ { open = FNR; name = before }
	/^}/ && open { print FNR - open + 1, FILENAME ":" open ": " name; open = 0 }
	{ before = $0 }' "${files[@]}" | sort -n >"$work/functions"
awk '$1 > 80' "$work/functions" >"$work/long"
[ -s "$work/long" ] && bad "over 80 lines: $(cat "$work/long")"
number=$(wc -l <"$work/functions")
p90=$(sed -n "$((number * 9 / 10 + 1))p" "$work/functions")
[ "${p90%% *}" -le 45 ] || bad "one function in ten is longer than ${p90%% *} lines"
for file in "${files[@]}"; do
	case $file in tests/*) continue ;; esac
	lines=$(wc -l <"$file")
	limit=500
	[ "$file" = src/main.c ] && limit=100
	[ "$lines" -le $limit ] || bad "$file: $lines lines, at most $limit"
done
finish "$number functions, the 90th percentile has ${p90%% *} lines"
