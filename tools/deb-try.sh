#!/bin/bash
# Installs the packages of build/deb/packages in a clean Debian (debootstrap, in build/deb/root) and tries them there: the
# program, a client in C by pkg-config, the Python package. Needs to be root.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/deb/root
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=${DEB_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | head -1)}     # that of this system
[ "$(id -u)" -eq 0 ] || { echo "deb-try: become root: debootstrap and chroot need it" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "deb-try: apt-get install debootstrap" >&2; exit 1; }

if [ ! -e "$root/.complete" ]; then
    rm -rf "$root"
    # trust, proxies and mirrors are those of this system
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >/dev/null
    touch "$root/.complete"
fi
cp -r /etc/apt/apt.conf.d /etc/apt/sources.list.d "$root/etc/apt/" 2>/dev/null || true
if [ -e /etc/apt/sources.list ]; then cp /etc/apt/sources.list "$root/etc/apt/"; else rm -f "$root/etc/apt/sources.list"; fi
cp /etc/resolv.conf /etc/hosts "$root/etc/"
rm -rf "$root/packages" && cp -r build/deb/packages "$root/packages"
cp tests/install_client/main.c "$root/packages/"
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

chroot "$root" /bin/bash -euo pipefail <<'END'
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
apt-get -qq update
apt-get -qq purge -y 'tenon*' 'libtenon*' python3-tenon >/dev/null 2>&1 || true
# the program by itself needs nothing but what its package names
apt-get -qq install -y --no-install-recommends /packages/libtenon[0-9]*.deb /packages/tenon_*.deb >/dev/null
tenon version
tenon doctor >/dev/null
tenon run /usr/share/tenon/examples/four-bar.yaml -q -o /tmp/out.csv
[ -s /tmp/out.csv ]
cd /tmp && tenon compile /usr/share/tenon/examples/car/suspension.yaml -o suspension.so >/dev/null && tenon info suspension.so >/dev/null
timeout 5 tenon studio --no-browser --state /tmp/state --json > studio.json || [ $? -eq 124 ]
grep -q token studio.json
# the others, and what people build with them
apt-get -qq install -y --no-install-recommends /packages/*.deb gcc libc6-dev pkg-config >/dev/null
# shellcheck disable=SC2046
gcc -std=c11 /packages/main.c $(pkg-config --cflags --libs tenon) -o client && ./client
python3 -c 'import tenon; print("python:", tenon.__name__)'
[ -e /usr/share/doc/tenon-doc/studio.md ]
apt-get -qq purge -y tenon 'libtenon*' python3-tenon tenon-doc >/dev/null
! ls /usr/bin/tenon /usr/share/tenon 2>/dev/null
END
echo "the packages install, work and go away in a clean $suite"
