#!/bin/sh
# Proves the image without an engine: lays out the root file system that
# deploy/Containerfile describes from Debian's packages, puts a fettle into it (a
# release's, IMAGE_FETTLE, or bin/fettle), and runs the demo there as the image's user on
# a read-only root. As root.
set -eu
cd "$(dirname "$0")/.."
file=deploy/Containerfile
suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim$/\1/p' $file)
packages=$(sed -n 's/^ARG PACKAGES="\(.*\)"$/\1/p' $file)
always=$(sed -n 's/.*install -y --no-install-recommends \(.*\) \$PACKAGES.*/\1/p' $file)
uid=$(sed -n 's/^USER \([0-9]*\):.*/\1/p' $file)
mirror=${FRESH_MIRROR:-http://deb.debian.org/debian}
fettle=${IMAGE_FETTLE:-bin/fettle}
run=${IMAGE_RUN:-/usr/local/bin/fettle demo}
fail() { echo "image: $1" >&2; exit 1; }
[ -n "$suite" ] && [ -n "$packages" ] && [ -n "$always" ] && [ -n "$uid" ] || fail "$file is not written as this script reads it"
[ "$(id -u)" -eq 0 ] || fail "only root can lay out and enter a root file system; run: sudo make image-test"
for tool in debootstrap unshare pivot_root setpriv; do
	PATH="$PATH:/usr/sbin:/sbin" command -v "$tool" >/dev/null || fail "$tool is not there; apt-get install debootstrap util-linux"
done
debs=$PWD/.tools/fresh/$suite
mkdir -p "$debs"
tree=$(mktemp -d /var/tmp/fettle-image.XXXXXX)
chmod 755 "$tree"
trap 'rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM
echo "image: laying out Debian $suite with $always $packages"
cp /etc/resolv.conf /etc/hosts "$debs/"
{
	debootstrap --variant=minbase --cache-dir="$debs" "$suite" "$tree" "$mirror"
	cp "$debs/resolv.conf" "$debs/hosts" "$tree/etc/"
	mount -t proc proc "$tree/proc"
	chroot "$tree" env DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} sh -euc \
		"apt-get update && apt-get install -y --no-install-recommends $always $packages && apt-get clean"
	umount "$tree/proc"
} >"$tree.log" 2>&1 || {
	umount "$tree/proc" 2>/dev/null || true
	tail -20 "$tree.log" >&2
	fail "laying it out failed, the log is $tree.log"
}
rm -f "$tree.log"
install -m 0755 "$fettle" "$tree/usr/local/bin/fettle"
echo "fettle:x:$uid:$uid::/var/lib/fettle:/usr/sbin/nologin" >>"$tree/etc/passwd"
echo "fettle:x:$uid:" >>"$tree/etc/group"
install -d -o "$uid" -g "$uid" -m 0700 "$tree/var/lib/fettle"
mkdir "$tree/old"
export tree run uid
status=0
unshare --mount --pid --net --fork --kill-child --propagation private sh -eu -c '
	ip link set lo up 2>/dev/null || true
	mount --bind "$tree" "$tree"
	mount --rbind /dev "$tree/dev"
	mount --rbind /sys "$tree/sys"
	mount -t proc proc "$tree/proc"
	mount -t tmpfs -o mode=1777 tmp "$tree/tmp"
	mount --bind "$tree/var/lib/fettle" "$tree/var/lib/fettle"
	cd "$tree"
	pivot_root . old
	umount -l /old
	mount -o remount,bind,ro /
	cd /var/lib/fettle
	exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs --bounding-set=-all \
		env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/var/lib/fettle LANG=C.UTF-8 sh -euc "$run"
' || status=$?
[ $status -eq 0 ] || fail "\"$run\" ended with $status"
echo "image: \"$run\" passed as user $uid on a read-only root without a network"
