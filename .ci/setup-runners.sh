#!/bin/sh
# Installs the test runners that some tests run when they are there: cargo, CMake with ccache, a JDK,
# Maven, Gradle, RSpec, minitest, test-unit, PHPUnit, promtool, Neovim, jq, tmux and Chromium from Debian, vitest, jest and tape
# below .tools/runners, and beside them husky, lefthook, pre-commit and axe-core. A test without its runner says so.
set -eu
cd "$(dirname "$0")/.."
debian=""
command -v tmux >/dev/null 2>&1 || debian="$debian tmux" # terminals that tests type into
command -v jq >/dev/null 2>&1 || debian="$debian jq" # reads what examples of --json print
command -v nvim >/dev/null 2>&1 || debian="$debian neovim" # an editor that is shown what is red
command -v javac >/dev/null 2>&1 || debian="$debian default-jdk-headless"
command -v mvn >/dev/null 2>&1 || debian="$debian maven"
command -v gradle >/dev/null 2>&1 || debian="$debian gradle"
command -v ctest >/dev/null 2>&1 || debian="$debian cmake"
command -v g++ >/dev/null 2>&1 || debian="$debian g++"
command -v ccache >/dev/null 2>&1 || debian="$debian ccache"
ruby -e 'require "rspec/core"; require "minitest"; require "test/unit/version"; require "rake"; require "bundler"' >/dev/null 2>&1 ||
	debian="$debian ruby ruby-rspec ruby-minitest ruby-test-unit rake bundler"
command -v phpunit >/dev/null 2>&1 || debian="$debian php-cli php-xml php-mbstring phpunit"
command -v redis-server >/dev/null 2>&1 || debian="$debian redis-server" # services that tests talk to
command -v promtool >/dev/null 2>&1 || debian="$debian prometheus" # checks the alert rules of deploy/
command -v chromium >/dev/null 2>&1 || debian="$debian chromium" # looks at the pages of bot/web
[ -e /usr/sbin/mariadbd ] || debian="$debian mariadb-server"
if [ -n "$debian" ]; then
	sudo=""
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	echo "setup: installing$debian"
	# shellcheck disable=SC2086 # a list of packages
	$sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $debian ||
		echo "setup: not all of$debian could be installed; their tests will say so" >&2
fi
# What a build with Maven fetches, once: tests run without a network.
surefire="$HOME/.m2/repository/org/apache/maven/surefire"
if command -v mvn >/dev/null 2>&1 && { [ ! -d "$surefire/surefire-junit-platform/3.5.2" ] || [ ! -d "$surefire/surefire-junit4/3.5.2" ]; }; then
	echo "setup: fetching surefire and JUnit"
	build=$(mktemp -d)
	awk -v to="$build/" '/^-- .* --$/ { f = to $2; d = f; sub("/[^/]*$", "", d); system("mkdir -p " d); next } { print > f }' bot/verify/testdata/java.txtar
	(cd "$build" && mvn -B -q -Dmaven.test.failure.ignore=true test >mvn.log 2>&1) || tail -5 "$build/mvn.log" >&2
	rm -rf "$build"
fi
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
# Managers of Git hooks, beside which fettle's hook stands.
if command -v npm >/dev/null 2>&1 && { [ ! -x .tools/runners/node_modules/.bin/husky ] || [ ! -x .tools/runners/node_modules/.bin/lefthook ]; }; then
	echo "setup: installing husky and lefthook"
	npm install --prefix .tools/runners --no-audit --no-fund --silent husky@9.1.7 lefthook@2.2.2
fi
# Checks the pages' accessibility.
if command -v npm >/dev/null 2>&1 && [ ! -e .tools/runners/node_modules/axe-core/axe.min.js ]; then
	echo "setup: installing axe-core"
	npm install --prefix .tools/runners --no-audit --no-fund --silent axe-core@4.10.3
fi
if command -v python3 >/dev/null 2>&1 && [ ! -x .tools/runners/pre-commit/bin/pre-commit ]; then
	echo "setup: installing pre-commit"
	{ python3 -m venv .tools/runners/pre-commit && .tools/runners/pre-commit/bin/pip -q install pre-commit==4.6.0; } ||
		echo "setup: pre-commit could not be installed; its test will say so" >&2
fi
