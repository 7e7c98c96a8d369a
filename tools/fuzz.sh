#!/bin/bash
# usage: tools/fuzz.sh [MINUTES] [TARGET...]
# Builds the fuzz targets of tests/fuzz with libFuzzer, AddressSanitizer and UBSan (clang) and runs each for its share of
# MINUTES, in turn, on all cores, with a dictionary of the words in the sources of its readers. New inputs that reach new code
# are kept in build/fuzz/found/TARGET; inputs that fail are build/fuzz/found/TARGET/crash-* or timeout-*, and the script ends
# with status 1.
# With AFL++: CC=afl-clang-fast cmake ... -DTENON_FUZZ=ON builds the same targets for afl-fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-10}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(model expression live run table stl payload import package protocol link beside)
build=build/fuzz
cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER="${CC:-clang}" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DTENON_FUZZ=ON \
    -DTENON_SANITIZE=address,undefined -DTENON_WEB=OFF >/dev/null
cmake --build $build --target fuzz_targets
export LSAN_OPTIONS=suppressions=$PWD/tests/fuzz/leaks.txt
seconds=$(awk -v m="$minutes" -v n=${#targets[@]} 'BEGIN { s = int(60 * m / n); print s < 1 ? 1 : s }')
status=0
TIMEFORMAT=%U
for target in "${targets[@]}"; do
    found=$build/found/$target
    mkdir -p "$found"
    log=$build/$target.log
    python3 tests/fuzz/words.py . "$target" >"$build/$target.dict"
    seeds=("tests/fuzz/corpus/$target")
    [ "$target" != model ] || seeds+=(examples)
    # the corpus of the tree is only read; inputs of more than 64 KiB find nothing that shorter ones do not
    if used=$( { time "$build/tests/fuzz_$target" -max_total_time="$seconds" -max_len=65536 -timeout=20 -rss_limit_mb=2048 \
        -jobs="$(nproc)" -workers="$(nproc)" -dict="$build/$target.dict" -artifact_prefix="$found/" "$found" "${seeds[@]}" \
        >"$log" 2>&1; } 2>&1 ); then
        outcome=good
    else
        outcome=FAILED
        status=1
    fi
    runs=$(cat fuzz-*.log 2>/dev/null | sed -n 's/^Done \([0-9]*\) runs.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
    cat fuzz-*.log >>"$log" 2>/dev/null || true
    rm -f fuzz-*.log
    printf '%-12s %-7s %10d inputs in %d s on %d cores, %.0f s of processor time, %d kept\n' "$target" "$outcome" "$runs" "$seconds" \
        "$(nproc)" "$used" "$(find "$found" -type f | wc -l)"
done
exit $status
