#!/bin/sh
# Makes what a release holds into dist/: an archive for each system, their checksums, and
# a bill of materials. The same commit gives the same bytes, whoever builds it with the
# same Go. RELEASE_TARGETS limits the systems.
set -eu
cd "$(dirname "$0")/.."
version=${1:-}
case $version in
v[0-9]*) ;;
*) echo "release: give the version, such as v1.2.3" >&2; exit 2 ;;
esac
targets=${RELEASE_TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
GO=${GO:-go}
out=dist
rm -rf $out
mkdir -p $out
when=$(git log -1 --format=%ct)
for target in $targets; do
	os=${target%/*} arch=${target#*/}
	name=fettle_${version#v}_${os}_$arch
	mkdir "$out/$name"
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch GOFLAGS= "$GO" build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$version" -o "$out/$name/fettle" ./cmd/fettle
	cp LICENSE README.md CHANGELOG.md "$out/$name/"
	tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" -C $out -cf - "$name" | gzip -n -9 >"$out/$name.tar.gz"
	rm -r "${out:?}/$name"
	echo "release: $name.tar.gz"
done
.tools/cyclonedx-gomod app -json -licenses -main cmd/fettle -output "$out/fettle_${version#v}_sbom.cdx.json" . 2>"$out/sbom.log" || { cat "$out/sbom.log" >&2; exit 1; }
rm "$out/sbom.log"
(cd $out && sha256sum -- * >SHA256SUMS)
echo "release: everything is in $out/"
