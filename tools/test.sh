#!/bin/bash
# All tests: everything with gcc, a build without optional libraries and with one addition by each recipe of
# CONTRIBUTING.md, the unit tests with clang under AddressSanitizer and UBSan, those with threads under ThreadSanitizer.
# Warnings of both compilers are errors. The other builds go on beside the tests with gcc, which often wait for browsers and
# processes.
# Goes on after a failure and ends with one line that counts all runs.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

jobs=$(nproc)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# One line "passed failed" for each thing that was tried; stages run beside each other, so the counts are in a file.
count() { echo "$1 $2" >>"$logs/counts"; }

stage() { printf '\n== %s\n' "$1"; }

build() {   # preset
    if cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$jobs"; then
        return 0
    fi
    echo "the build '$1' failed" >&2
    count 0 1
    return 1
}

run_tests() {   # preset
    local log=$logs/$1.tests total bad
    ctest --preset "$1" -j $((jobs + 1)) --timeout 300 --no-tests=error 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    read -r bad total < <(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$log")
    if [ -z "${total:-}" ]; then
        echo "the tests of '$1' could not be run" >&2
        count 0 1
        return
    fi
    count $((total - bad)) "$bad"
    [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || count 0 1
}

test_lean() {
    stage 'lean: shared library, nothing optional; one addition by each recipe'
    local program=build/recipes/build/lean/tenon
    if tests/recipes.py copy . build/recipes && (cd build/recipes && build lean) &&
            tests/lean.py $program HDF5 SUNDIALS METIS MPI studio import net pages &&
            tests/recipes.py try $program build/recipes; then
        count 1 0
    else
        count 0 1
    fi
}

stage 'gcc: build and all tests'
if build release; then
    # Low priority: no test waits longer for an answer because of these builds. The last one is stopped when the tests are
    # done, since its stage then has all processors.
    (
        renice -n 10 $BASHPID >/dev/null
        jobs=1
        test_lean
        touch "$logs/beside_done"
        cmake --preset asan >/dev/null && exec ninja -C build/asan -j 1 unit_tests >/dev/null
    ) >"$logs/beside" 2>&1 &
    beside=$!
    run_tests release
    while [ ! -e "$logs/beside_done" ] && kill -0 $beside 2>/dev/null; do sleep 1; done
    kill $beside 2>/dev/null
    wait $beside
    cat "$logs/beside"
else
    test_lean
fi

stage 'clang with AddressSanitizer and UBSan: unit tests'
build asan && run_tests asan

stage 'ThreadSanitizer: sessions in threads'
build tsan && run_tests tsan

read -r passed failed < <(awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }' "$logs/counts")
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
