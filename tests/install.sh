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
for file in share/applications/tenon.desktop share/mime/packages/tenon.xml share/bash-completion/completions/tenon \
    share/zsh/site-functions/_tenon share/fish/vendor_completions.d/tenon.fish; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
if command -v dpkg >/dev/null; then
    for file in THIRD-PARTY-NOTICES.txt tenon.spdx.json; do
        [ -s "$prefix/share/doc/tenon/$file" ] || { echo "not installed: $file"; exit 1; }
    done
    grep -q LGPL "$prefix/share/doc/tenon/THIRD-PARTY-NOTICES.txt"
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert len(d["packages"]) > 10, d' \
        "$prefix/share/doc/tenon/tenon.spdx.json"
fi
python3 "$(dirname "$0")/hardening.py" "$prefix/bin/tenon" "$(find "$prefix" -name tenon_shell.so)"
"$prefix/bin/tenon" doctor >/dev/null
bash -n "$prefix/share/bash-completion/completions/tenon"
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
