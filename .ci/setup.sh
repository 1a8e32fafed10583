#!/bin/sh
# Installs the Debian packages that fettle and its tests need and that are
# missing, and says so. It never touches what is there. Started as root it looks
# as uid 65534, too: some tests run themselves again as that user, who cannot
# see into root's home, where version managers put their programs. Where another
# python3 without pytest stands before Debian's, the tests get a link to Debian's
# in .tools/bin, which the Makefile puts first.
set -eu
tools=${TOOLS:-$(cd "$(dirname "$0")/.." && pwd)/.tools/bin}
debian=${DEBIAN_PYTHON:-/usr/bin/python3}
PATH="$tools:$PATH"
export PATH
as_nobody() { (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups env -i "PATH=$PATH" HOME=/ "$@"); }
for_all() { # command or test: does it succeed for every user that tests run as?
	(cd / && sh -c "$1") || return 1
	[ "$(id -u)" -eq 0 ] && as_nobody true || return 0 # then those tests are skipped
	as_nobody sh -c "$1"
}
need() { # command or test, package
	if ! for_all "$1" >/dev/null 2>&1; then missing="$missing $2"; fi
}
look() {
	missing=""
	need 'command -v git' git
	need 'command -v patch' patch
	need 'command -v bwrap' bubblewrap
	need 'command -v python3' python3
	need 'python3 -c "import pytest"' python3-pytest
	need 'command -v node' nodejs
	need 'command -v gcc' gcc
	need 'echo "#include <stdlib.h>" | gcc -xc -E -' libc6-dev
	need 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb' postgresql
}
use_debians() {
	if [ "$missing" = " python3-pytest" ] && for_all "$debian -c 'import pytest'" >/dev/null 2>&1; then
		echo "setup: $(command -v python3) has no pytest; the tests use $debian"
		mkdir -p "$tools"
		ln -sf "$debian" "$tools/python3"
		look
	fi
}
look
use_debians
[ -n "$missing" ] || exit 0
echo "setup: installing$missing"
if ! command -v apt-get >/dev/null 2>&1; then
	echo "setup: this is not Debian or Ubuntu; install these yourself:$missing" >&2
	exit 1
fi
sudo=""
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null 2>&1 || { echo "setup: run as root: apt-get install$missing" >&2; exit 1; }
	sudo="sudo"
fi
$sudo apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
look
use_debians
[ -z "$missing" ] || {
	echo "setup: installed, and yet not found:$missing; another program stands before Debian's on PATH (python3 is $(command -v python3)): take it off PATH, or give it what is missing (python3 -m pip install pytest)" >&2
	exit 1
}
