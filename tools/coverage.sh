#!/bin/bash
# Runs the unit tests in a build that counts lines, and prints for every folder under src/ how many were reached.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset coverage >/dev/null
cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete
ctest --preset coverage -j "$(nproc)" "$@" || true      # a failing test still counts its lines

# Object files of the layers only; "Lines executed:97.5% of 120" after each "File '...src/step/rk4.c'".
find build/coverage/src/CMakeFiles -name '*.gcda' -path '*/tn_*' -print0 | xargs -0 gcov -n 2>/dev/null |
    awk -v root="$PWD/" '
        /^File/ { file = $0; gsub(/^File .|.$/, "", file); sub(root, "", file); next }
        /^Lines executed/ && file ~ /^src\/[a-z]+\// {
            split($2, share, /[:%]/); split(file, part, "/")
            reached[part[2]] += share[2] / 100 * $4; lines[part[2]] += $4
        }
        END {
            for (folder in lines) {
                printf "%-12s %6d lines  %5.1f %%\n", folder, lines[folder], 100 * reached[folder] / lines[folder]
                all += lines[folder]; hit += reached[folder]
            }
            printf "%-12s %6d lines  %5.1f %%\n", "~ all", all, 100 * hit / all
        }' | sort
