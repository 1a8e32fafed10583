#!/bin/sh
# The peer of the benchmark: what somebody who knows the change would type.
#   plain.sh BARE-REPOSITORY WORK-DIR DIFF BRANCH python|go|javascript
# Clone, run the tests, change the files, run the tests again, commit, push.
set -eu
repo=$1 work=$2 diff=$3 branch=$4 language=$5
tests() {
	case $language in
	python) "${PYTHON:-python3}" -m pytest -q ;;
	go) go test -count=1 ./... ;;
	javascript) node --test ;;
	esac
}
git clone -q "file://$repo" "$work"
cd "$work"
if tests; then
	echo "plain.sh: no test fails before the change" >&2
	exit 1
fi
git apply "$diff"
tests
git checkout -q -b "$branch"
git -c user.name=plain -c user.email=plain@localhost commit -q -a -m "the change"
git push -q origin "$branch"
