#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The manual page is well-formed and in step with the tables of the program: commands, options,
# metrics with their headings, columns of --by, losses, signals, locks and exit codes.
. "$(dirname "$0")/lib"
page=pcpustat.8
program=build/pcpustat

groff -mdoc -Tutf8 -ww -z $page >"$work/warnings" 2>&1 || bad "groff fails"
[ -s "$work/warnings" ] && bad "groff: $(cat "$work/warnings")"

# same WHAT: $work/want and $work/have hold the same lines.
same()
{
	sort -u "$work/want" >"$work/want.sorted"
	sort -u "$work/have" >"$work/have.sorted"
	checked=$((checked + $(wc -l <"$work/want.sorted")))
	[ -s "$work/want.sorted" ] || bad "$1: the program has none"
	diff "$work/want.sorted" "$work/have.sorted" >"$work/diff" ||
		bad "$1 (< program, > manual): $(cat "$work/diff")"
}
checked=0

# section NAME: its lines; subsections of COMMANDS are the commands.
section()
{
	sed -n "/^\.Sh $1\$/,/^\.Sh /p" $page
}

"$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p' >"$work/want"
section COMMANDS | sed -n 's/^\.Ss //p' >"$work/have"
same "commands"

# Each command's own options, and those of the views, from the tables that getopt gets. Options
# that are there for tests are not for users.
long_options()
{
	grep -hE '\{ "[a-z-]+", (no|required|optional)_argument' "$@" | grep -v 'for tests' |
		sed -E 's/.*\{ "([a-z-]+)", [a-z]+_argument.*/--\1/'
}
short_options()
{
	grep -hE 'getopt_long|shorts|options_extra' "$@" | grep -oE '"([A-Za-z]:?)+(%s)?"' | sed 's/%s//' |
		grep -o '[A-Za-z]' | sed 's/^/-/'
}
# The page's: the words behind Fl, up to the next macro.
documented()
{
	section COMMANDS | sed -n "/^\.Ss $1\$/,/^\.S[sh] /p" | grep '^\.It Fl' |
		sed 's/^\.It Fl //; s/ , /\n/g' | sed 's/ Ar .*//; s/^Fl //' |
		sed -n 's/^-/--/p; s/^\([A-Za-z]\)$/-\1/p'
}
{ long_options src/options.c; short_options src/options.c; } >"$work/common"
for command in $("$program" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	file=src/cmd-$command.c
	documented "$command" >"$work/documented"
	{ long_options "$file"; short_options "$file"; } >"$work/want" || true
	[ "$command" = live ] && cp "$work/common" "$work/want"
	while read -r option; do
		grep -qx -e "$option" "$work/documented" || bad "$command $option is not in the manual"
		checked=$((checked + 1))
	done <"$work/want"
	# What --help lists is what the page lists; rss lists by subcommand.
	"$program" "$command" --help | grep -oE -e '--[a-z]{2,}(-[a-z]+)*' | grep -vx -e --help >"$work/have"
	if [ "$command" != rss ]; then
		cat "$work/documented" "$work/common" | grep -vxFf - "$work/have" >"$work/more" || true
		[ ! -s "$work/more" ] || bad "the manual lacks $command --help's $(cat "$work/more")"
		grep -e '^--' "$work/want" | grep -vxFe --help -f "$work/have" >"$work/less" || true
		[ ! -s "$work/less" ] || bad "$command --help lacks $(cat "$work/less")"
	fi
	# Common options may be described again, but nothing that no table has.
	while read -r option; do
		grep -qx -e "$option" "$work/want" "$work/common" ||
			bad "the manual has $command $option, the program has not"
	done <"$work/documented"
done

# "KEY HEADING: HELP" of each metric. The sentences are the table's.
"$program" --json-schema >"$work/schema"
jq -r '[."$defs".interval | .. | objects | select(.properties?) | .properties | to_entries[] |
	select(.value.description) | "\(.key) \(.value.title // "-"): \(.value.description)"] | .[]' \
	"$work/schema" >"$work/want"
section METRICS | awk '
	function out() { if (key) print key " " head ": " text; key = "" }
	/^\.It Va / { out(); key = $3; head = $4 ~ /^P[qo]$/ ? $6 : "-"; text = ""; next }
	/^\./ { out() }
	key { text = text (text ? " " : "") $0 }' >"$work/have"
same "metrics"

# The same for columns, without the sentences.
jq -r '."$defs" | to_entries[] | select(.key | startswith("rows_by_")) |
	.value.items.anyOf[0].properties | to_entries[] | "\(.key) \(.value.title // "-")"' \
	"$work/schema" >"$work/want"
section TABLES | sed -n 's/^\.It Va //p' | sed 's/ , Va /\n/g' |
	awk '{ print $1 " " ($2 ~ /^P[qo]$/ ? $4 : "-") }' >"$work/have"
same "columns of tables"

jq -r '."$defs".interval.properties.lost.properties | keys[]' "$work/schema" >"$work/want"
section LOSSES | sed -n 's/^\.It Va //p' >"$work/have"
same "losses"

jq -r '."$defs".header.properties.signals.properties | keys[]' "$work/schema" >"$work/want"
section SIGNALS | sed -n 's/^\.It Va //p' >"$work/have"
same "signals"

jq -r '."$defs".header.properties.locks.items.properties.name.enum[]' "$work/schema" >"$work/want"
section SIGNALS | sed -n 's/^\.Va \(p[a-z_]*\).*/\1/p' | grep -v rss_stat >"$work/have"
same "locks"

for kind in header doctor; do
	jq -r ".\"\$defs\".$kind.properties | keys[]" "$work/schema" >"$work/want"
	section JSON | sed -n "/^\.It Li $kind\$/,/^\.[IE][tl] *./p" | sed -n 's/^\.Va //p' |
		tr -d ' .' | tr ',' '\n' >"$work/have"
	same "keys of $kind"
done

sed -n 's/^\tEXIT_[A-Z_]* = \([0-9]*\),*$/\1/p' src/util.h >"$work/want"
section "EXIT STATUS" | sed -n 's/^\.It //p' | tr -d ' ' | tr ',' '\n' | grep -v '^126$' >"$work/have"
same "exit codes"

finish "$checked names"
