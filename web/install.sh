#!/bin/sh
# Fetches the packages of package-lock.json, unless they are there already.
set -eu
cd "$(dirname "$0")"
if ! cmp -s package-lock.json node_modules/.installed-lock; then
    npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
    cp package-lock.json node_modules/.installed-lock
fi
touch node_modules/.installed-lock
