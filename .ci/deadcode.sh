#!/bin/sh
# Fails where a function of fettle is reached by tests alone, or by nothing.
set -eu
cd "$(dirname "$0")/.."
all=$(.tools/deadcode ./cmd/fettle)
# probe is built into other repositories' tests, and tests drive the simulator.
dead=$(echo "$all" | grep -v '^bot/\(verify/testgen/probe\|forge/simulator\)/' || true)
[ -z "$dead" ] || {
	echo "$dead"
	echo "no command reaches these functions: delete them, or move what tests need into their files" >&2
	exit 1
}
