#!/bin/bash
# The studio on a model, or on the gallery. In a terminal it serves until Ctrl+C; elsewhere it shows that
# it starts, says where it was, and ends.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -t 1 ]; then
    exec build/tenon studio "$@"
fi
out=$(mktemp)
build/tenon studio "$@" --no-browser >"$out" &
studio=$!
trap 'kill "$studio" 2>/dev/null || true; rm -f "$out"' EXIT
for _ in $(seq 100); do
    [ -s "$out" ] && break
    kill -0 "$studio" || exit 1
    sleep 0.1
done
cat "$out"
sleep 1
kill "$studio"
wait "$studio"
echo 'not a terminal: the studio was ended again; "build/tenon studio MODEL" serves until Ctrl+C'
