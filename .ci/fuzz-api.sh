#!/bin/sh
# Lets schemathesis make requests out of the API's description for SECONDS, against a server
# with runs in every state on loopback. It is installed below .tools.
set -eu
cd "$(dirname "$0")/.."
[ -x .tools/schemathesis/bin/schemathesis ] || {
	python3 -m venv .tools/schemathesis
	.tools/schemathesis/bin/pip -q install schemathesis==4.32.5
}
FETTLE_SCHEMATHESIS="$PWD/.tools/schemathesis/bin/schemathesis" FETTLE_FUZZ_SECONDS="${SECONDS_OF_FUZZING:-600}" \
	"${GO:-go}" test -count=1 -timeout 60m -v -run '^TestTheAPIUnderAFuzzer$' ./bot/web
