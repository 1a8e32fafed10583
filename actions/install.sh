#!/usr/bin/env bash
# Gives the path of fettle as the output "fettle": the binary of the input, or the
# commit of this action, built with the runner's Go. Nothing is taken from a cache
# that other jobs of the repository can write.
set -euo pipefail
fail() {
	echo "::error title=fettle was not found::$1"
	exit 1
}
binary=${FETTLE_BINARY:-}
case $binary in
*$'\n'* | *$'\r'*) fail "the input binary holds a line end" ;;
"") ;;
*) [ -x "$binary" ] || fail "the input binary names no program of this runner" ;;
esac
if [ -z "$binary" ]; then
	command -v go >/dev/null || fail "Go is not on this runner, so fettle cannot be built: use actions/setup-go before, or give the input binary"
	binary=$RUNNER_TEMP/fettle-bin/fettle
	echo "fettle: building it from ${GITHUB_ACTION_REPOSITORY:-this repository} ${GITHUB_ACTION_REF:-}"
	cd "${BASH_SOURCE[0]%/*}/.."
	# Caches that a step before has restored hold what other jobs put there.
	export GOCACHE="$RUNNER_TEMP/fettle-bin/cache" GOMODCACHE="$RUNNER_TEMP/fettle-bin/modules" GOENV=off GOFLAGS=-modcacherw
	CGO_ENABLED=0 GOWORK=off go build -trimpath -o "$binary" ./cmd/fettle || fail "fettle could not be built; the lines above say why"
fi
"$binary" version || fail "fettle does not start on this runner"
echo "fettle=$binary" >>"$GITHUB_OUTPUT"
