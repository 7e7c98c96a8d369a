#!/bin/bash
# usage: tools/build-matrix.sh [FOLDER]
# Builds library and program in many ways, warnings as errors, and tries each from outside (tests/lean.py): every level of
# optimization with both compilers, static and shared, and without each optional library. Takes long; "make test" has one
# representative, the preset "lean".
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/matrix}
jobs=$(nproc)
built=0
failed=0
mkdir -p "$folder"

# label, compiler, optimization, absent features, further options
try() {
    local label=$1 compiler=$2 level=$3 absent=$4
    shift 4
    local where=$folder/$label without=() names=() log=$folder/$label.log
    for feature in $absent; do
        without+=("-DTENON_$feature=OFF")
        names+=("${feature/STUDIO/studio}")
    done
    if cmake -S . -B "$where" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_C_FLAGS_RELEASE="$level -DNDEBUG" -DTENON_WERROR=ON -DTENON_TESTS=OFF -DTENON_WEB=OFF \
            "${without[@]}" "$@" >"$log" 2>&1 &&
        cmake --build "$where" -j "$jobs" -- -k 0 >>"$log" 2>&1 &&
        tests/lean.py "$where/tenon" pages "${names[@]}" >>"$log" 2>&1; then
        printf 'ok      %s\n' "$label"
        built=$((built + 1))
        rm -rf "$where"
    else
        printf 'FAILED  %s: see %s\n' "$label" "$log"
        failed=$((failed + 1))
    fi
}

all='HDF5 SUNDIALS METIS MPI STUDIO IMPORT'
for compiler in gcc clang; do
    for level in -O0 -O1 -O2 -O3; do
        try "$compiler$level" "$compiler" "$level" ''
    done
    try "$compiler-shared" "$compiler" -O2 '' -DBUILD_SHARED_LIBS=ON
    try "$compiler-shared-nothing" "$compiler" -O2 "$all" -DBUILD_SHARED_LIBS=ON
done
for feature in $all; do
    try "gcc-without-$feature" gcc -O3 "$feature"
done
try gcc-debug gcc -O0 '' -DCMAKE_BUILD_TYPE=Debug
printf '%d built, %d failed\n' "$built" "$failed"
[ "$failed" -eq 0 ]
