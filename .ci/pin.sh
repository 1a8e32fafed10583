#!/bin/sh
# Has the reusable workflow use the action of a release, before it is tagged:
# .ci/pin.sh v1.2.3 [FILE]. On main it follows main. Whoever calls the workflow at that
# tag, or at its commit, then runs exactly what the tag holds, if tags are protected.
set -eu
tag=${1:-} file=${2:-.github/workflows/fettle.yml}
case $tag in
v[0-9]*.[0-9]*.[0-9]*) ;;
*)
	echo "pin: the tag of a release is needed, such as v1.2.3, and this is \"$tag\"" >&2
	exit 2
	;;
esac
case $tag in
*[!v0-9.]*)
	echo "pin: \"$tag\" holds more than digits and points" >&2
	exit 2
	;;
esac
sed "s#\(uses: fettle-dev/fettle/actions\)@[^ ]*#\1@$tag#" "$file" >"$file.pinned"
if ! grep -q "uses: fettle-dev/fettle/actions@$tag\$" "$file.pinned"; then
	rm "$file.pinned"
	echo "pin: $file does not use the action; nothing was changed" >&2
	exit 1
fi
mv "$file.pinned" "$file"
