#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make install puts two files where everybody expects them, and make uninstall takes them away.
. "$(dirname "$0")/lib"

layout()
{
	(cd "$1" && find . -type f -printf '%m %P\n' | sort)
}

# check PREFIX [VARIABLE...]: the two files below it.
check()
{
	local prefix=$1 want
	shift
	rm -rf "$work/root"
	make -s install DESTDIR="$work/root" "$@" >/dev/null
	want="644 $prefix/share/man/man8/pcpustat.8
755 $prefix/sbin/pcpustat"
	[ "$(layout "$work/root")" = "$want" ] || bad "install $*: $(layout "$work/root")"
	"$work/root/$prefix/sbin/pcpustat" --version | grep -q '^pcpustat [0-9]' || bad "it does not run"
	make -s uninstall DESTDIR="$work/root" "$@" >/dev/null
	[ -z "$(layout "$work/root")" ] || bad "uninstall $*: $(layout "$work/root")"
}

check usr/local
check usr PREFIX=/usr
check opt/x PREFIX=/opt/x
finish "3 layouts"
