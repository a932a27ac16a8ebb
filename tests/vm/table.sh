# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# shellcheck disable=SC2154 # vm is set by whoever sources this
# table.sh - read tests/vm/kernels; sourced, with $vm set to this directory.

kernel_labels()
{
	awk '!/^#/ && NF { print $1 }' "$vm/kernels"
}

# kernel_row LABEL: sets suites, package, image, cpu, smp, only, args; fails if there is no such row.
kernel_row()
{
	# shellcheck disable=SC2034 # set for the caller
	read -r suites package image cpu smp only args <<-EOF
		$(awk -v want="$1" '!/^#/ && $1 == want { $1 = ""; print; exit }' "$vm/kernels")
	EOF
	[ "$args" != - ] || args=
	[ -n "$smp" ]
}

kernel_cache()
{
	echo "${XDG_CACHE_HOME:-$HOME/.cache}/pcpustat/kernels"
}

# kernel_cached GLOB: the newest cached image whose package name matches; fails if there is none.
kernel_cached()
(
	cd "$(kernel_cache)" 2>/dev/null || exit 1
	# shellcheck disable=SC2012,SC2086 # the glob of the table; package names are plain
	name=$(ls -d $1 2>/dev/null | sort -V | tail -n 1)
	[ -f "$name/vmlinuz" ] && echo "$PWD/$name/vmlinuz"
)

# kernel_image NAME: the path of the image of a row (fetched if need be), or NAME itself if it is a path.
kernel_image()
{
	case $1 in
	*/*) ;;
	*) "$vm/fetch" "$1"; return ;;
	esac
	[ -f "$1" ] || { echo "no file $1" >&2 && return 1; }
	echo "$1"
}
