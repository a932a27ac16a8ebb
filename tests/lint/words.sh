#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What must not be written anywhere: decisions by kernel version, names and paths of one machine.
. "$(dirname "$0")/lib"

# none PATTERN WHY FILE...: no line of the files matches.
none()
{
	local pattern=$1 why=$2
	shift 2
	if grep -nHE -e "$pattern" -- "$@"; then
		bad "$why"
	fi
}

mapfile -t code < <(tracked | grep -E '^(src|bpf|include|vmlinux)/.*\.[ch]$')
mapfile -t all < <(tracked | grep -vE '^(tests/golden/|LICENSE$)')
none 'LINUX_VERSION_CODE|KERNEL_VERSION|LINUX_KERNEL_VERSION|if \(version' \
	"a kernel fact is a probe's, never a version's" "${code[@]}"
none 'sscanf\([^,]*release' "a kernel fact is a probe's, never a version's" "${code[@]}"
none '(^|[^A-Za-z0-9_.$}*-])/(home|root|Users|mnt|workspace)/' "a path of one machine" "${all[@]}"
none "$PWD" "the path of this very tree" "${all[@]}"
# A name such as localhost or debian says nothing; one with a digit or a dash is somebody's.
host=$(uname -n)
case $host in
*[0-9-]*) none "\\<${host//./\\.}\\>" "the name of this very host" "${all[@]}" ;;
esac
for file in "${all[@]}"; do
	case $file in
	*.[ch] | *.sh | Makefile | *.py)
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' ||
			bad "$file: no SPDX line"
		;;
	esac
done
finish "${#all[@]} files"
