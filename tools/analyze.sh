#!/bin/bash
# usage: tools/analyze.sh
# Has cppcheck look at src and cli; fails with whatever tools/analyze/cppcheck.txt does not explain. TIDY="FILE...": shows
# what clang-tidy, with the clang static analyzer (the engine of scan-build), says of these files; .clang-tidy has the checks.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v cppcheck >/dev/null || { echo "analyze: install cppcheck" >&2; exit 1; }
mkdir -p build/analyze
cppcheck --enable=warning,performance,portability --std=c11 --inline-suppr --quiet --max-configs=1 -j "$(nproc)" \
    --template='{file}:{line}: {severity}: {message} [{id}]' --suppressions-list=tools/analyze/cppcheck.txt \
    --error-exitcode=1 -D_POSIX_C_SOURCE=200809L -Iinclude --cppcheck-build-dir=build/analyze src cli
echo "cppcheck: nothing that is not explained"
if [ -n "${TIDY:-}" ]; then
    [ -e build/compile_commands.json ] || cmake --preset release >/dev/null
    # shellcheck disable=SC2086
    clang-tidy -p build --quiet $TIDY 2>/dev/null
fi
