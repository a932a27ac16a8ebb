# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# apt.sh - packages from the Debian archive without touching this machine's own package lists or state; sourced. Only the
# mirror's address comes from the machine's configuration (or from DEBIAN_MIRROR). The sourcing script has a die().

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# mirror_uri: where this machine gets Debian from, whichever format its sources are in.
mirror_uri()
{
	[ -z "${DEBIAN_MIRROR:-}" ] || { echo "$DEBIAN_MIRROR"; return; }
	apt-get indextargets --no-release-info --format "\$(REPO_URI) \$(RELEASE) \$(COMPONENT)" 'Created-By: Packages' |
		awk '$3 == "main" && $2 !~ /security/ { print $1; exit }'
}

# source_lines SUITES: security suites live beside the archive, under a path of their own.
source_lines()
{
	local suite uri base
	base=$(mirror_uri)
	base=${base%/}
	[ -n "$base" ] || die "no Debian mirror in the apt configuration; set DEBIAN_MIRROR to the URI of one"
	for suite in ${1//,/ }; do
		uri=$base
		[[ $suite != *-security ]] || uri=$base-security
		echo "deb [arch=amd64 signed-by=$keyring] $uri $suite main"
	done
}

# private_apt DIR SUITES: fresh package lists of these suites, in DIR alone; what apt said is in DIR/log.
private_apt()
{
	command -v apt-get >/dev/null || die "apt-get is needed to fetch packages"
	[ -r "$keyring" ] || die "$keyring is missing: install debian-archive-keyring"
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	source_lines "$2" >"$1/sources.list"
	cat >"$1/apt.conf" <<-EOF
		Dir::State "$1/state";
		Dir::State::status "$1/status";
		Dir::Cache "$1/cache";
		Dir::Etc::sourcelist "$1/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architecture "amd64";
		APT::Sandbox::User "";
		Acquire::Languages "none";
		Acquire::Retries "2";
	EOF
	export APT_CONFIG=$1/apt.conf
	# One suite that is gone must not stop the others; what counts is whether the package is found.
	apt-get update -qq >"$1/log" 2>&1 || true
}

# apt_said DIR: the reason for a failure, in a line.
apt_said()
{
	grep -m 1 '^[EW]:' "$1/log" || echo "the mirror does not have it"
}

# private_download DIR PACKAGE: to DIR/PACKAGE.deb
private_download()
{
	(cd "$1" && apt-get download -qq "$2" >log 2>&1) || die "cannot download $2: $(apt_said "$1")"
	mv "$1/$2"_*.deb "$1/$2.deb"
}

# locked_dir DIR: make it and hold its lock, so that two runs do not fetch the same thing at once.
locked_dir()
{
	mkdir -p "$1"
	exec 9>"$1/.lock"
	flock 9
}

