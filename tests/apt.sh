# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# apt.sh - packages from the Debian archive without touching this machine's own package lists or state;
# sourced. Only the mirror's address comes from the machine's configuration (or from DEBIAN_MIRROR).
# The sourcing script has a die().

apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# apt_mirror: where this machine gets Debian from; apt reads its sources for us, whichever format
# they are in.
apt_mirror()
{
	[ -z "${DEBIAN_MIRROR:-}" ] || { echo "$DEBIAN_MIRROR"; return; }
	apt-get indextargets --no-release-info --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
		'Created-By: Packages' | awk '$3 == "main" && $2 !~ /security/ { print $1; exit }'
}

# apt_sources SUITES: security suites live beside the archive, under a path of their own.
apt_sources()
{
	local suite uri base
	base=$(apt_mirror)
	base=${base%/}
	[ -n "$base" ] || die "no Debian mirror in the apt configuration; set DEBIAN_MIRROR to the URI of one"
	for suite in ${1//,/ }; do
		uri=$base
		[[ $suite != *-security ]] || uri=$base-security
		echo "deb [arch=amd64 signed-by=$apt_keyring] $uri $suite main"
	done
}

# apt_private DIR SUITES: from here on apt-get and apt-cache know these suites only, and touch nothing
# outside DIR; what apt said is in DIR/log.
apt_private()
{
	command -v apt-get >/dev/null || die "apt-get is needed to fetch packages"
	[ -r "$apt_keyring" ] || die "$apt_keyring is missing: install debian-archive-keyring"
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial" "$1/empty"
	: >"$1/status"
	apt_sources "$2" >"$1/sources.list"
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

# apt_said DIR: the reason for a failure, in a line.
apt_said()
{
	grep -m 1 '^[EW]:' "$1/log" || echo "the mirror does not have it"
}

# apt_newest GLOB: the newest package name that matches.
apt_newest()
{
	local name
	apt-cache pkgnames linux- | while read -r name; do
		# shellcheck disable=SC2254 # a glob on purpose
		case $name in $1) echo "$name" ;; esac
	done | sort -V | tail -n 1
}

# apt_fetch DIR PACKAGE...: the .debs, into DIR.
apt_fetch()
{
	local dir=$1
	shift
	(cd "$dir" && apt-get download -qq "$@" >>log 2>&1) || die "cannot download $*: $(apt_said "$dir")"
}

# locked_dir DIR: make it and hold its lock, so that two runs do not fetch the same thing at once.
locked_dir()
{
	mkdir -p "$1"
	exec 9>"$1/.lock"
	flock 9
}
