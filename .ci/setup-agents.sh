#!/bin/sh
# Installs agents that can be a tier (docs/configure.md), each in a virtual environment of its own where
# the sandbox sees it. Their test runs where they are there.
set -eu
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
install() { # program, package
	[ -x "/usr/local/bin/$1" ] && return
	echo "setup: installing $2"
	$sudo python3 -m venv "/usr/local/lib/fettle-agents/$1" &&
		$sudo "/usr/local/lib/fettle-agents/$1/bin/pip" -q install "$2" &&
		$sudo ln -sf "/usr/local/lib/fettle-agents/$1/bin/$1" "/usr/local/bin/$1" ||
		echo "setup: $2 could not be installed; its test will say so" >&2
}
install mini mini-swe-agent==2.4.6
install aider aider-chat==0.86.2
