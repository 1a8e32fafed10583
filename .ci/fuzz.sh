#!/bin/sh
# Runs every fuzz target of the module for TIME, one after the other.
#
# Before Go 1.27 the coordinator of go test -fuzz can report its own end,
# "context deadline exceeded", as a failure (golang/go#75804), the more likely
# the busier the machine. Such an end, which names no failing input, counts as a
# pass when the inputs kept so far pass; everything else fails.
set -eu
GO=${GO:-go}
said=$(mktemp "${TMPDIR:-/tmp}/fettle-fuzz.XXXXXX")
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT TERM
fuzz() {
	"$GO" test -run '^$' -fuzz "^$2\$" -fuzztime "${TIME:-30s}" -fuzzminimizetime 10x -parallel 2 "$1" >"$said" 2>&1 && return 0
	grep -q '^ *context deadline exceeded$' "$said" || return 1
	grep -Eq 'Failing input|panic:|fatal error:|fuzzing process' "$said" && return 1
	echo "fuzz: $2 ended by its time (golang/go#75804); running the inputs that it keeps"
	"$GO" test -run "^$2\$" "$1"
}
for pkg in $("$GO" list ./...); do
	for target in $("$GO" test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "== $pkg $target"
		if ! fuzz "$pkg" "$target"; then
			cat "$said"
			exit 1
		fi
		tail -n 2 "$said"
	done
done
