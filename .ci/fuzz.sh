#!/bin/sh
# Runs every fuzz target of the module for TIME, one after the other.
set -eu
for pkg in $(${GO:-go} list ./...); do
	for target in $(${GO:-go} test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		${GO:-go} test -run '^$' -fuzz "^$target\$" -fuzztime "${TIME:-30s}" -fuzzminimizetime 10x -parallel 2 "$pkg"
	done
done
