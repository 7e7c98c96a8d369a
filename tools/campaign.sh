#!/bin/bash
# The random tests with large samples, of which `make test` runs a part. TIMES multiplies the sizes.
# usage: campaign.sh [TIMES]
set -uo pipefail
cd "$(dirname "$0")/.." || exit
times=${1:-1}
failed=0

campaign() {   # test variable size
    cmake --build --preset release --target "test_$1" >/dev/null || { failed=1; return; }
    echo "== $1: $2=$(($3 * times))"
    env "$2=$(($3 * times))" "build/tests/test_$1" || failed=1
}

campaign contact_laws TENON_CONTACT_MODELS 2000
campaign heaps TENON_HEAP_SEEDS 24
campaign statics_bounds TENON_STATICS_MODELS 80
campaign storm TENON_STORM 100000
campaign live_sequences TENON_LIVE_SEQUENCES 1000
campaign differential TENON_DIFFERENTIAL_COUNT 224
campaign ladders TENON_LADDERS 200
exit $failed
