#!/bin/bash
# All tests: everything with gcc, a clang build in which warnings are errors, a build without optional libraries and with
# one addition by each recipe of CONTRIBUTING.md, the unit tests under AddressSanitizer and UBSan, those with threads under
# ThreadSanitizer.
# Goes on after a failure and ends with one line that counts all runs.
set -uo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
passed=0
failed=0

stage() { printf '\n== %s\n' "$1"; }

build() {   # preset
    if cmake --preset "$1" >/dev/null && cmake --build --preset "$1" -j "$jobs"; then
        return 0
    fi
    echo "the build '$1' failed" >&2
    failed=$((failed + 1))
    return 1
}

run_tests() {   # preset
    local log count bad
    log=$(mktemp)
    ctest --preset "$1" -j "$jobs" --timeout 300 --no-tests=error 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    read -r bad count < <(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*/\1 \2/p' "$log")
    rm -f "$log"
    if [ -z "${count:-}" ]; then
        echo "the tests of '$1' could not be run" >&2
        failed=$((failed + 1))
        return
    fi
    passed=$((passed + count - bad))
    failed=$((failed + bad))
    [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || failed=$((failed + 1))
}

stage 'gcc: build and all tests'
build release && run_tests release

stage 'clang: build, warnings are errors'
build clang && passed=$((passed + 1))

stage 'lean: shared library, nothing optional; one addition by each recipe'
lean=build/recipes/build/lean/tenon
if tests/recipes.py copy . build/recipes && (cd build/recipes && build lean) &&
        tests/lean.py $lean HDF5 SUNDIALS METIS MPI studio import net pages && tests/recipes.py try $lean build/recipes; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
fi

stage 'AddressSanitizer and UBSan: unit tests'
build asan && run_tests asan

stage 'ThreadSanitizer: sessions in threads'
build tsan && run_tests tsan

printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
