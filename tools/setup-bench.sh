#!/bin/bash
# Installs the engines of the benchmark and what their drivers need. One that cannot be had is skipped with a line.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
peers=(libmujoco-dev libbullet-dev libsimbody-dev libdart-dev libode-dev ngspice)
needed=(g++ gnuplot-nox util-linux)

if ! command -v dpkg-query >/dev/null; then
    echo "setup-bench: not a Debian system; the benchmark uses the peers it finds: ${peers[*]}" >&2
    exit 0
fi

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for package in "${needed[@]}" "${peers[@]}"; do
    installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup-bench: without root these are skipped: ${missing[*]}" >&2
        exit 0
    fi
    as_root=(sudo)
fi

apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
echo "setup-bench: installing ${missing[*]}" >&2
"${apt[@]}" update
for package in "${missing[@]}"; do
    "${apt[@]}" install -y --no-install-recommends "$package" >/dev/null ||
        echo "setup-bench: $package cannot be installed: skipped" >&2
done
