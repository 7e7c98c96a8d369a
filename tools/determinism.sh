#!/bin/bash
# Builds the program in several ways and compares the state hashes of twelve models, with one BLAS thread and with four where BLAS has threads:
# compilers, optimisation levels, levels of x86-64. Exit status 1 when a hash differs. VARIANTS="gcc-O3 clang-O2": only these.
set -euo pipefail
cd "$(dirname "$0")/.."
work=build/determinism
models="double-pendulum four-bar gyroscope quarter-car pid-arm driven-slider-crank bricard bouncing-ball newtons-cradle \
planetary-gear rattleback n-four-bar"
variants=${VARIANTS:-gcc-O3 gcc-O0 gcc-O2 gcc-O3-v3 clang-O3 clang-O0 clang-O3-v3}
mkdir -p $work

# NAME-OPTIMISATION[-LEVEL]
build() {
    local compiler=${1%%-*} rest=${1#*-} flags
    flags=-${rest%%-*}
    case $1 in *-v3) flags="$flags -march=x86-64-v3" ;; esac
    cmake -S . -B "$work/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS_RELEASE="$flags -DNDEBUG" \
        -DTENON_TESTS=OFF -DTENON_WEB=OFF -DTENON_CAD=OFF -DTENON_PYTHON=OFF -DTENON_FMU=OFF >/dev/null
    cmake --build "$work/$1" --target tenon_program >"$work/$1.log" 2>&1 || { tail -20 "$work/$1.log"; exit 1; }
}

# The hash at the end of a run; models without a duration of their own run as far as they say.
hash_of() { # VARIANT MODEL THREADS
    OPENBLAS_NUM_THREADS=$3 OMP_NUM_THREADS=$3 timeout 600 "$work/$1/tenon" run "examples/$2.yaml" -o /dev/null 2>&1 |
        sed -n 's/^state hash *//p'
}

failed=0 compared=0 first=
for variant in $variants; do
    case $variant in *-v3) grep -q avx2 /proc/cpuinfo || { echo "$variant: this processor has no AVX2"; continue; } ;; esac
    build "$variant"
    for model in $models; do
        for threads in 1 4; do
            hash=$(hash_of "$variant" "$model" $threads)
            file=$work/$model.hash
            [ -n "$first" ] || rm -f $work/*.hash
            first=$variant
            if [ ! -e "$file" ]; then echo "$hash" > "$file"; fi
            if [ -z "$hash" ] || [ "$hash" != "$(cat "$file")" ]; then
                echo "$variant, $threads BLAS threads, $model: $hash, not $(cat "$file")"
                failed=$((failed + 1))
            fi
            compared=$((compared + 1))
        done
    done
    echo "$variant: done"
done
echo "$compared hashes compared, $failed differ"

# A processor without FMA, for which the C library has other versions of sin, cos, exp, ...: the engine must not use them.
for model in $models; do
    hash=$(GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F hash_of "${variants%% *}" "$model" 1)
    if [ "$hash" != "$(cat "$work/$model.hash")" ]; then
        echo "without FMA, $model: $hash, not $(cat "$work/$model.hash")"
        failed=$((failed + 1))
    fi
done
echo "as on a processor without FMA: done"
[ $failed -eq 0 ]
