#!/bin/bash
# usage: tools/setup.sh [PACKAGE...]
# Installs the Debian packages the build and the tests need, and others by name. Quick and offline when they are all there.
set -euo pipefail

packages=(
    gcc g++ libc6-dev make cmake ninja-build pkg-config python3          # build and tests
    clang libclang-rt-dev lld                                            # tests with sanitizers
    libyaml-dev libcjson-dev libcmocka-dev
    libwebsockets-dev libzip-dev zlib1g-dev                              # "tenon studio" and its downloads
    libssl-dev                                                           # "tenon serve"
    libxml2-dev                                                          # "tenon import"
    libocct-data-exchange-dev libocct-ocaf-dev                           # tenon-cad: STEP files of "tenon import"
    libhdf5-dev                                                          # results of runs
    libsundials-dev                                                      # stiff integrators
    libopenblas-serial-dev liblapacke-dev libsuitesparse-dev             # one BLAS thread: same bits on every run
    liblapack-dev libblas-dev                                            # static ones, inside FMUs
    python3-dev python3-setuptools python3-pip python3-wheel             # the Python package and its wheel
    python3-numpy python3-matplotlib                                     # tests of the Python package
    libmetis-dev                                                         # groups that "tenon partition" suggests
    openmpi-bin libopenmpi-dev                                           # "mpirun -n 4 tenon run"
    gnuplot-nox                                                          # pictures of "tenon plot"
    chromium                                                             # tests of web pages
    openssl                                                              # certificates for tests of "tenon studio"
)
# Web pages are built by Node.js. One from elsewhere is welcome.
node_major=$({ node --version 2>/dev/null || true; } | sed -n 's/^v\([0-9]*\).*/\1/p')
if [ "${node_major:-0}" -lt 18 ] || ! command -v npm >/dev/null; then
    packages+=(nodejs npm)
fi

packages+=("$@")

if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; the equivalents of these packages are needed: ${packages[*]}" >&2
    exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
    grep -qx "installed $package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: become root and run: apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "setup: installing ${missing[*]}" >&2
install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
"${as_root[@]}" "${install[@]}" update
"${as_root[@]}" "${install[@]}" install -y --no-install-recommends "${missing[@]}"
