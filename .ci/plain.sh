#!/bin/sh
# The peer of the benchmark: what somebody who knows the change would type.
#   plain.sh BARE-REPOSITORY WORK-DIR DIFF BRANCH python|go|javascript RED
# Clone, run the tests, run those files or packages again where a test was RED,
# change the files, run the tests again, commit, push: the same runs of tests as
# fettle's, nothing else.
set -eu
repo=$1 work=$2 diff=$3 branch=$4 language=$5 red=$6
tests() {
	case $language in
	python) "${PYTHON:-python3}" -m pytest -q "$@" ;;
	go)
		[ $# -gt 0 ] || set -- ./...
		go test -count=1 "$@"
		;;
	javascript) node --test "$@" ;;
	esac
}
git clone -q "file://$repo" "$work"
cd "$work"
if tests; then
	echo "plain.sh: no test fails before the change" >&2
	exit 1
fi
# shellcheck disable=SC2086 # they are several
if tests $red; then
	echo "plain.sh: $red did not fail again" >&2
	exit 1
fi
git apply "$diff"
tests
git checkout -q -b "$branch"
git -c user.name=plain -c user.email=plain@localhost commit -q -a -m "the change"
git push -q origin "$branch"
