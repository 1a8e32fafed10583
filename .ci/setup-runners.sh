#!/bin/sh
# Installs the test runners that some tests run when they are there: cargo, RSpec,
# minitest, test-unit and PHPUnit from Debian, vitest and jest below .tools/runners.
# A test without its runner says so.
set -eu
cd "$(dirname "$0")/.."

# debian PROGRAM PACKAGE...: installs packages where a program is missing.
debian() {
	program=$1
	shift
	if command -v "$program" >/dev/null 2>&1; then
		return
	fi
	sudo=""
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	echo "setup: installing $*"
	{ $sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } ||
		echo "setup: $* could not be installed; tests that need it will say so" >&2
}

debian cargo cargo
debian rspec ruby ruby-rspec ruby-minitest ruby-test-unit rake bundler
debian phpunit php-cli phpunit
if command -v npm >/dev/null 2>&1; then
	mkdir -p .tools/runners
	[ -e .tools/runners/package.json ] || echo '{"private": true}' >.tools/runners/package.json
	if [ ! -x .tools/runners/node_modules/.bin/vitest ] || [ ! -x .tools/runners/node_modules/.bin/jest ]; then
		echo "setup: installing vitest and jest"
		npm install --prefix .tools/runners --no-audit --no-fund --silent vitest@3.2.4 jest@29.7.0
	fi
else
	echo "setup: npm is not here; vitest and jest are not installed, their tests will say so" >&2
fi
