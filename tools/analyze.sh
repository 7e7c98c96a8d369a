#!/bin/bash
# usage: tools/analyze.sh
# Has cppcheck look at src and cli; fails with whatever tools/analyze/cppcheck.txt does not explain.
# TIDY=all: clang-tidy with the clang static analyzer (the engine of scan-build), too, over all files of src and cli that the
# build compiles; TIDY="src/io src/net/net.c": over these folders and files. .clang-tidy has the checks, tools/analyze/tidy.txt
# explains what they are wrong about; anything else fails. Files that have not changed since are not looked at again
# (build/analyze/tidy). All of them take some 40 minutes of processor time.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/analyze/tidy

look_with_cppcheck() {
    command -v cppcheck >/dev/null || { echo "analyze: install cppcheck" >&2; exit 1; }
    cppcheck --enable=warning,performance,portability --std=c11 --inline-suppr --quiet --max-configs=1 -j "$(nproc)" \
        --template='{file}:{line}: {severity}: {message} [{id}]' --suppressions-list=tools/analyze/cppcheck.txt \
        --error-exitcode=1 -D_POSIX_C_SOURCE=200809L -Iinclude --cppcheck-build-dir=build/analyze src cli
    echo "cppcheck: nothing that is not explained"
}

# Sources that the build compiles, within the given folders and files.
list_sources() {
    python3 - "$PWD" "$@" <<'PYTHON'
import json, os, sys
root, wanted = sys.argv[1], sys.argv[2:]
files = {os.path.relpath(entry["file"], root) for entry in json.load(open(os.path.join(root, "build/compile_commands.json")))}
print("\n".join(sorted(f for f in files if f.startswith(("src/", "cli/")) and
                       (wanted == ["all"] or any(f == w or f.startswith(w.rstrip("/") + "/") for w in wanted)))))
PYTHON
}

look_at() { # FILE
    local log=build/analyze/tidy/${1//\//_}.txt
    [ "$log" -nt "$1" ] && [ "$log" -nt .clang-tidy ] && return
    clang-tidy -p build --quiet "$1" 2>/dev/null | grep -E '^/.*: (warning|error): ' | sed "s|^$PWD/||" | sort -u >"$log.new" || true
    mv "$log.new" "$log"
}

# Lines of tidy.txt: CHECK FILE, under a comment with the reason.
look_with_tidy() {
    local file failed=0 count=0
    [ -e build/compile_commands.json ] || cmake --preset release >/dev/null
    export -f look_at
    list_sources "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'look_at {}'
    for file in $(list_sources "$@"); do
        count=$((count + 1))
        while read -r line; do
            local check=${line##*[} place=${line%%:*}
            check=${check%]}
            grep -qxF "${check%%,*} $place" tools/analyze/tidy.txt && continue
            echo "$line"
            failed=$((failed + 1))
        done <"build/analyze/tidy/${file//\//_}.txt"
    done
    echo "clang-tidy: $count files, $failed findings that are not explained"
    [ $failed -eq 0 ]
}

look_with_cppcheck
# shellcheck disable=SC2086
[ -z "${TIDY:-}" ] || look_with_tidy $TIDY
