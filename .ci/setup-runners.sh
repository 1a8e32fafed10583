#!/bin/sh
# Installs the test runners that some tests run when they are there: cargo from
# Debian, vitest and jest below .tools/runners. A test without its runner says so.
set -eu
cd "$(dirname "$0")/.."
if ! command -v cargo >/dev/null 2>&1; then
	sudo=""
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	echo "setup: installing cargo"
	$sudo apt-get update -qq
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends cargo
fi
if command -v npm >/dev/null 2>&1; then
	mkdir -p .tools/runners
	[ -e .tools/runners/package.json ] || echo '{"private": true}' >.tools/runners/package.json
	if [ ! -x .tools/runners/node_modules/.bin/vitest ] || [ ! -x .tools/runners/node_modules/.bin/jest ] || [ ! -x .tools/runners/node_modules/.bin/tape ]; then
		echo "setup: installing vitest, jest and tape"
		npm install --prefix .tools/runners --no-audit --no-fund --silent vitest@3.2.4 jest@29.7.0 tape@5.9.0
	fi
else
	echo "setup: npm is not here; vitest and jest are not installed, their tests will say so" >&2
fi
