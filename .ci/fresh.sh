#!/bin/sh
# Proves README's two commands on a machine where nothing was installed by hand: a tree
# of Debian with no more than make and the certificates of the network, this checkout's
# committed files, and Go's toolchain from outside. The tree is entered by pivot_root in
# a mount namespace of its own; in a mere chroot the kernel refuses user namespaces, and
# the sandbox cannot start. Packages are kept in .tools/fresh for the next time.
#
# FRESH_RUN is what is run in it, FRESH_SUITE and FRESH_MIRROR say which Debian.
set -eu
cd "$(dirname "$0")/.."
run=${FRESH_RUN:-make demo && make test}
suite=${FRESH_SUITE:-bookworm}
mirror=${FRESH_MIRROR:-http://deb.debian.org/debian}
fail() { echo "fresh: $1" >&2; exit 1; }

[ "$(id -u)" -eq 0 ] || fail "only root can lay out and enter a tree of Debian; run: sudo make fresh"
for tool in debootstrap unshare pivot_root go git; do
	PATH="$PATH:/usr/sbin:/sbin" command -v "$tool" >/dev/null || fail "$tool is not there; install it (apt-get install debootstrap util-linux git, and Go from https://go.dev/dl) and start again"
done
go=$(go env GOROOT)
debs=$PWD/.tools/fresh/$suite
mkdir -p "$debs"

tree=$(mktemp -d /var/tmp/fettle-fresh.XXXXXX)
chmod 755 "$tree" # its / is entered by every user
trap 'rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM
echo "fresh: laying out Debian $suite in $tree"
debootstrap --variant=minbase --include=ca-certificates,make --cache-dir="$debs" "$suite" "$tree" "$mirror" >"$tree.log" 2>&1 || {
	tail -20 "$tree.log" >&2
	fail "debootstrap failed, its log is $tree.log; is $mirror reachable, and $suite a release of it?"
}
rm -f "$tree.log"
mkdir -p "$tree/usr/local/go" "$tree/src" "$tree/old"
git archive HEAD | tar -x -C "$tree/src"
cp /etc/resolv.conf /etc/hosts "$tree/etc/"
authorities=/etc/ssl/certs/ca-certificates.crt # a network may have one of its own
[ ! -e $authorities ] || cp -L --remove-destination $authorities "$tree$authorities"

export tree go run
status=0
unshare --mount --pid --fork --kill-child --propagation private sh -eu -c '
	mount --bind "$tree" "$tree"
	mount --rbind /dev "$tree/dev"
	mount --rbind /sys "$tree/sys"
	mount -t proc proc "$tree/proc"
	mount --bind "$go" "$tree/usr/local/go"
	mount -o remount,bind,ro "$tree/usr/local/go"
	cd "$tree"
	pivot_root . old
	umount -l /old
	cd /src
	exec env -i PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
		${GOPROXY:+GOPROXY="$GOPROXY"} ${GOSUMDB:+GOSUMDB="$GOSUMDB"} sh -euc "$run"
' || status=$?
[ $status -eq 0 ] || fail "\"$run\" ended with $status in a fresh Debian $suite"
echo "fresh: \"$run\" passed in a fresh Debian $suite"
