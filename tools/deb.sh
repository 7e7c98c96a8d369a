#!/bin/bash
# Builds Debian packages of the tree into build/deb/packages, and has lintian look at them:
#     tenon  libtenon0.1  libtenon-dev  python3-tenon  tenon-doc
# The name of the library's package is that of its soname, as Debian wants it.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
version=$(sed -nE "s/^#define TENON_VERSION_(MAJOR|MINOR|PATCH) //p" include/tenon/version.h | paste -sd.)
soname=${version%.*}
maintainer=${DEB_MAINTAINER:-Tenon developers <developers@tenon-dynamics.org>}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
work=build/deb
stage=$work/stage
out=$work/packages

cmake -S . -B $work -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DTENON_TESTS=OFF -DCMAKE_SKIP_RPATH=ON \
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/"$triplet" >/dev/null
export LD_LIBRARY_PATH=$PWD/$work/src
cmake --build $work
rm -rf $stage $out $work/tree
mkdir -p $out
DESTDIR=$PWD/$stage cmake --install $work >/dev/null

# ---- what goes where ----
tree() { echo "$work/tree/$1"; }
move() { # PACKAGE PATH...
    local package=$1 path
    shift
    for path; do
        [ -e "$stage/$path" ] || [ -L "$stage/$path" ] || { echo "deb: not installed: $path" >&2; exit 1; }
        mkdir -p "$(tree "$package")/$(dirname "$path")"
        mv "$stage/$path" "$(tree "$package")/$path"
    done
}
lib=usr/lib/$triplet
for file in "$stage/$lib"/libtenon.so.*; do move "libtenon$soname" "${file#"$stage/"}"; done
move libtenon-dev usr/include/tenon $lib/libtenon.so $lib/pkgconfig $lib/cmake
move tenon usr/bin usr/share/man usr/share/applications usr/share/mime usr/share/bash-completion usr/share/zsh usr/share/fish \
    usr/share/tenon $lib/tenon
mv "$(tree tenon)/usr/share/zsh/site-functions" "$(tree tenon)/usr/share/zsh/vendor-completions"
rm -f "$stage/usr/share/doc/tenon/LICENSE"
move tenon usr/share/doc/tenon
left=$(find $stage \( -type f -o -type l \))
[ -z "$left" ] || { echo "deb: in no package: $left" >&2; exit 1; }

packages="tenon libtenon$soname libtenon-dev tenon-doc"
if [ -e $work/python/tenon/_tenon.abi3.so ]; then
    packages="$packages python3-tenon"
    mkdir -p "$(tree python3-tenon)/usr/lib/python3/dist-packages"
    cp -r $work/python/tenon "$(tree python3-tenon)/usr/lib/python3/dist-packages/"
    find "$(tree python3-tenon)" -name __pycache__ -prune -exec rm -rf {} +
fi
manual=$(tree tenon-doc)/usr/share/doc/tenon-doc
mkdir -p "$manual/examples"
cp -r docs/*.md docs/images "$manual/"
cp examples/*.c "$manual/examples/"

# ---- what packages say ----
depends() { # of the programs and libraries of a package
    local files
    files=$(find "$(tree "$1")" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec sh -c 'file -b "$1" | grep -q ELF' _ {} \; -print)
    [ -n "$files" ] || return 0
    # shellcheck disable=SC2086
    (cd $work/shlibs && dpkg-shlibdeps -O -L../local.shlibs -l"$PWD/../tree/libtenon$soname/$lib" \
        $(printf '../../../%s ' $files) 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}
mkdir -p $work/shlibs/debian
printf 'Source: tenon\n\nPackage: tenon\nArchitecture: any\n' > $work/shlibs/debian/control
echo "libtenon $soname libtenon$soname (= $version-1)" > $work/local.shlibs

section() { case $1 in libtenon-dev) echo libdevel ;; lib*) echo libs ;; python3-*) echo python ;; *-doc) echo doc ;; *) echo science ;; esac; }
architecture() { case $1 in *-doc) echo all ;; *) echo "$arch" ;; esac; }
also() { # what a package needs that no program tells
    case $1 in
    libtenon-dev) echo "libtenon$soname (= $version-1)" ;;
    python3-tenon) echo "python3 (>= 3.11), python3-numpy" ;;
    esac
}
describe() {
    case $1 in
    tenon) echo "dynamics of mechanisms: simulate, analyse, edit in the browser
 Tenon simulates rigid bodies with joints, forces, contacts, drives and devices,
 described in a file, and changes them while they run. This package has the
 program 'tenon' with its studio, a page that is served to browsers." ;;
    libtenon-dev) echo "dynamics of mechanisms: files for development in C
 Headers, the link for the linker, and the files for pkg-config and CMake." ;;
    lib*) echo "dynamics of mechanisms: shared library
 The library that simulates rigid bodies with joints, forces and contacts." ;;
    python3-tenon) echo "dynamics of mechanisms: package for Python 3
 Models, runs, sessions, edits, analyses and sweeps, with arrays of NumPy." ;;
    tenon-doc) echo "dynamics of mechanisms: manual
 The manual as Markdown with pictures, and examples in C." ;;
    esac
}
control() {
    local needs more
    needs=$(depends "$1")
    more=$(also "$1")
    echo "Package: $1"
    echo "Source: tenon"
    echo "Version: $version-1"
    echo "Architecture: $(architecture "$1")"
    echo "Maintainer: $maintainer"
    echo "Installed-Size: $(du -k -s "$(tree "$1")" | cut -f1)"
    if [ -n "$needs$more" ]; then echo "Depends: $needs${needs:+${more:+, }}$more"; fi
    if [ "$1" = tenon ]; then echo "Suggests: tenon-doc, gnuplot-nox | gnuplot"; fi
    case $1 in libtenon[0-9]* | libtenon-dev) echo "Multi-Arch: same" ;; *-doc) echo "Multi-Arch: foreign" ;; esac
    echo "Section: $(section "$1")"
    echo "Priority: optional"
    echo "Description: $(describe "$1")"
}
copyright() {
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tenon

Files: *
Copyright: $(date -u -d @"$SOURCE_DATE_EPOCH" +%Y) Tenon developers
License: Apache-2.0
 On Debian systems, the full text of the Apache License version 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
END
}
# What lintian may find, and why.
overrides() {
    echo "# these packages are built from the source tree, not uploaded to Debian: no bug report asked for them"
    echo "$1: initial-upload-closes-no-bugs"
    [ "$1" = tenon ] || return 0
    echo "# goes into FMUs, which must run where nothing but the C library is installed"
    echo "$1: embedded-library *tenon_fmu.so*"
}
changelog() {
    echo "tenon ($version-1) unstable; urgency=medium"
    echo
    echo "  * New release; see the changelog of the program."
    echo
    echo " -- $maintainer  $(LC_ALL=C date -u -R -d @"$SOURCE_DATE_EPOCH")"
}

# ---- packages ----
for package in $packages; do
    root=$(tree "$package")
    doc=$root/usr/share/doc/$package
    mkdir -p "$root/DEBIAN" "$doc"
    find "$root" -type f -exec sh -c 'file -b "$1" | grep -q ELF' _ {} \; -exec strip --strip-unneeded --remove-section=.comment {} \;
    copyright > "$doc/copyright"
    changelog | gzip -9n > "$doc/changelog.Debian.gz"
    gzip -9n < CHANGELOG.md > "$doc/changelog.gz"
    find "$root/usr/share/man" -name '*.1' -exec gzip -9n {} \; 2>/dev/null || true
    if [ "$package" = "libtenon$soname" ]; then
        echo "libtenon $soname libtenon$soname (>= $version)" > "$root/DEBIAN/shlibs"
        echo "activate-noawait ldconfig" > "$root/DEBIAN/triggers"
    fi
    mkdir -p "$root/usr/share/lintian/overrides"
    overrides "$package" > "$root/usr/share/lintian/overrides/$package"
    find "$root" -type d -exec chmod 755 {} +
    find "$root" -type f -exec chmod u=rwX,go=rX {} +
    find "$root" -type f -name '*.so*' -exec chmod 644 {} +
    find "$root/usr/share" -type f -exec chmod 644 {} +
    control "$package" > "$root/DEBIAN/control"
    (cd "$root" && find usr -type f -printf '%P\0' | sed -z 's,^,usr/,' | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
    find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$out" >/dev/null
done
ls -l $out

lintian --allow-root --fail-on error,warning --tag-display-limit 0 $out/*.deb
echo "lintian: no errors, no warnings"
