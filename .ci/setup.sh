#!/bin/sh
# Installs the Debian packages that fettle and its tests need and that are
# missing, and says so. It never touches what is there.
set -eu
missing=""
need() { # command or test, package
	if ! eval "$1" >/dev/null 2>&1; then missing="$missing $2"; fi
}
need 'command -v git' git
need 'command -v bwrap' bubblewrap
need 'command -v python3' python3
need 'python3 -c "import pytest" || /usr/bin/python3 -c "import pytest"' python3-pytest
need 'command -v node' nodejs
need 'command -v gcc' gcc
need 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb' postgresql
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
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
