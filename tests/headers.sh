#!/bin/bash
# Every public header compiles alone, as C11 and as C++17, with both compilers.
set -uo pipefail
include=$1
warnings=(-Wall -Wextra -Wpedantic -Werror)
failed=0

check() {   # header, compiler and its options
    local header=$1
    shift
    if ! "$@" "${warnings[@]}" -fsyntax-only -I "$include" - <<<"#include \"$header\""; then
        echo "$header does not compile alone with: $*"
        failed=1
    fi
}

while read -r header; do
    for compiler in gcc clang; do
        check "$header" "$compiler" -std=c11 -x c
    done
    for compiler in g++ clang++; do
        check "$header" "$compiler" -std=c++17 -x c++
    done
done < <(cd "$include" && find tenon -name '*.h' | sort)
exit "$failed"
