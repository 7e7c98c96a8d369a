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

for file in bin/tenon include/tenon/tenon.h include/tenon/sys/joint.h share/man/man1/tenon.1 \
    include/tenon/sys/component.h share/tenon/examples/component_from_scratch/motor.c; do
    [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
library_folder=$(dirname "$(find "$prefix" -name tenon.pc)")/..
export LD_LIBRARY_PATH=$library_folder

"$prefix/bin/tenon" version
"$prefix/bin/tenon" compile "$prefix/share/tenon/examples/car/suspension.yaml" -o "$work/suspension.so" >/dev/null
make -s -C "$prefix/share/tenon/examples/component_from_scratch" CC="$compiler" INCLUDE="$prefix/include"
"$prefix/bin/tenon" info "$prefix/share/tenon/examples/component_from_scratch/motor.so" >/dev/null

export PKG_CONFIG_PATH=$library_folder/pkgconfig
read -ra flags < <(pkg-config --cflags --libs tenon)
"$compiler" -std=c11 "$client/main.c" "${flags[@]}" -o "$work/by_pkg_config"
"$work/by_pkg_config"

cmake -S "$client" -B "$work/client" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/client"
"$work/client/client"
