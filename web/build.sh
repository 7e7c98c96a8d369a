#!/bin/sh
# Builds the player page: build.sh OUTPUT. The packages are fetched when they are not those of package-lock.json.
set -eu
case $1 in /*) page=$1 ;; *) page=$PWD/$1 ;; esac
cd "$(dirname "$0")"
if ! cmp -s package-lock.json node_modules/.installed-lock; then
    npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
    cp package-lock.json node_modules/.installed-lock
fi
node build.mjs "$page"
