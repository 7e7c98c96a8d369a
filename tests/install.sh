#!/bin/bash
# Installs into an empty prefix and builds a client against it, once with pkg-config and once with find_package.
set -euo pipefail
build=$1
compiler=$2
client=$(cd "$(dirname "$0")" && pwd)/install_client
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null

for file in bin/tenon include/tenon/tenon.h include/tenon/sys/joint.h share/man/man1/tenon.1; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
library_folder=$(dirname "$(find "$prefix" -name tenon.pc)")/..
export LD_LIBRARY_PATH=$library_folder

"$prefix/bin/tenon" version

export PKG_CONFIG_PATH=$library_folder/pkgconfig
read -ra flags < <(pkg-config --cflags --libs tenon)
"$compiler" -std=c11 "$client/main.c" "${flags[@]}" -o "$work/by_pkg_config"
"$work/by_pkg_config"

cmake -S "$client" -B "$work/client" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/client"
"$work/client/client"
