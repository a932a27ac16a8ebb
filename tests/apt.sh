# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# apt.sh - get packages of any Debian suite with an apt of our own; to be sourced by bash. The
# machine's own package lists and state are neither read nor written; only the mirror's address comes
# from its configuration (or from DEBIAN_MIRROR).

apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_usable: says what is missing.
apt_usable()
{
	if ! command -v apt-get >/dev/null; then
		echo "apt-get is needed to fetch packages" >&2
		return 1
	elif [ ! -r "$apt_keyring" ]; then
		echo "$apt_keyring is missing: install debian-archive-keyring" >&2
		return 1
	fi
}

# apt_mirror: where this machine gets Debian from; apt reads its sources for us, whichever format
# they are in.
apt_mirror()
{
	[ -z "${DEBIAN_MIRROR:-}" ] || { echo "$DEBIAN_MIRROR"; return; }
	apt-get indextargets --no-release-info --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
		'Created-By: Packages' | awk '$3 == "main" && $2 !~ /security/ && !uri { uri = $1 }
			END { print uri; exit uri == "" }'
}

# apt_sources SUITES: security suites live beside the archive, under a path of their own.
apt_sources()
{
	local suite uri base
	base=$(apt_mirror) || {
		echo "no Debian mirror in the apt configuration; set DEBIAN_MIRROR to the URI of one" >&2
		return 1
	}
	for suite in ${1//,/ }; do
		uri=${base%/}
		[[ $suite != *-security ]] || uri=$uri-security
		echo "deb [arch=amd64 signed-by=$apt_keyring] $uri $suite main"
	done
}

# apt_private DIR SUITES: from here on apt-get and apt-cache know these suites only, and touch
# nothing outside DIR.
apt_private()
{
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial" "$1/empty"
	: >"$1/status"
	apt_sources "$2" >"$1/sources.list" || return
	cat >"$1/apt.conf" <<-EOC
		Dir::State "$1/state";
		Dir::State::status "$1/status";
		Dir::Cache "$1/cache";
		Dir::Etc::sourcelist "$1/sources.list";
		Dir::Etc::sourceparts "$1/empty";
		Dir::Etc::preferences "$1/empty/none";
		Dir::Etc::preferencesparts "$1/empty";
		APT::Architecture "amd64";
		APT::Sandbox::User "";
		Acquire::Languages "none";
		Acquire::Retries "2";
	EOC
	export APT_CONFIG=$1/apt.conf
	# A suite that the mirror has dropped must not stop the others; what counts is whether the
	# package is found.
	apt-get update -qq >"$1/log" 2>&1 || true
}

# apt_newest GLOB: the newest package name that matches.
apt_newest()
{
	local name
	apt-cache pkgnames | while read -r name; do
		# shellcheck disable=SC2254 # a glob on purpose
		case $name in $1) echo "$name" ;; esac
	done | sort -V | tail -n 1
}

# apt_fetch DIR PACKAGE...: the .debs, into DIR.
apt_fetch()
(
	cd "$1" && shift && apt-get download -qq "$@" >&2
)
