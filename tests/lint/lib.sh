# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# lib.sh - for checks of the tree itself. Status 0: fine; anything printed by bad() makes it 1.
set -eu -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failures=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad()
{
	echo "$*"
	failures=$((failures + 1))
}

# finish WHAT: says how much was looked at; nothing is not enough.
finish()
{
	echo "$1"
	[ "${1%% *}" != 0 ] && [ "$failures" = 0 ]
}

# Files of the tree, without what a build makes; a source archive has no git.
tracked()
{
	if [ -e .git ]; then
		git ls-files
	else
		find . -type f -not -path './build/*' | sed 's|^\./||'
	fi
}

# Files of the tree whose first line is a shell's, and those that are only read in by others.
scripts()
{
	local file
	tracked | while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) head -c 32 "$file" | head -n 1 | tr -d '\0' | grep -q '^#!.*sh$' && echo "$file" ;;
		esac
	done
	return 0
}

sources()
{
	tracked | grep -E '\.[ch]$' | grep -v '^vmlinux/'
}
