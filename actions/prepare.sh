#!/usr/bin/env bash
# Makes the sandbox possible on a runner with Debian or Ubuntu, and says what it does:
# it installs bubblewrap, Git and the packages of the input where they are missing,
# and where AppArmor forbids user namespaces it writes a profile that allows them to
# bwrap alone. It never fails: what it cannot do it says, and fettle refuses by itself
# where there is no sandbox.
set -uo pipefail
etc=${FETTLE_ETC:-/etc} proc=${FETTLE_PROC:-/proc} # tests put others in their place
say() { echo "fettle: $*"; }

sudo=()
if [ "$(id -u)" -ne 0 ]; then
	sudo=(sudo -n)
	"${sudo[@]}" true 2>/dev/null || sudo=(false)
fi

missing=()
command -v bwrap >/dev/null || missing+=(bubblewrap)
command -v git >/dev/null || missing+=(git)
for package in ${FETTLE_PACKAGES:-}; do
	if [[ ! $package =~ ^[a-z0-9][a-z0-9.+-]{1,80}$ ]]; then
		say "a word of the input packages is no name of a package and is left out"
	elif ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
		missing+=("$package")
	fi
done
if [ ${#missing[@]} -gt 0 ]; then
	say "installing ${missing[*]}"
	if ! command -v apt-get >/dev/null; then
		say "this is not Debian or Ubuntu; install them in a step before: ${missing[*]}"
	elif ! "${sudo[@]}" apt-get update -qq || ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; then
		say "they could not be installed (is there a sudo without a password?); install them in a step before: ${missing[*]}"
	fi
fi

works() { bwrap --unshare-user --unshare-net --ro-bind / / true 2>/dev/null; }
if ! command -v bwrap >/dev/null || works; then
	exit 0
fi
if [ "$(cat "$proc/sys/kernel/apparmor_restrict_unprivileged_userns" 2>/dev/null)" != 1 ]; then
	say "bubblewrap cannot make user namespaces here, and AppArmor is not what forbids it. In a container job, run the job on the machine itself (leave container: out)"
	exit 0
fi
say "AppArmor forbids user namespaces; writing a profile to $etc/apparmor.d/bwrap that allows them to bwrap alone"
profile='abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}'
if [ -e "$etc/apparmor.d/bwrap" ]; then
	say "there is a profile already, and it is left as it is"
elif ! echo "$profile" | "${sudo[@]}" tee "$etc/apparmor.d/bwrap" >/dev/null; then
	say "it could not be written (is there a sudo without a password?)"
fi
"${sudo[@]}" apparmor_parser -r "$etc/apparmor.d/bwrap" || say "it could not be loaded"
works || say "bubblewrap still cannot make user namespaces. An administrator of this runner can allow it: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
exit 0
