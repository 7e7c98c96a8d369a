#!/bin/bash
# The gallery: models of examples/ run and analysed, with pictures and pages that play their motion, on one index page.
# With a model as argument, only that one, and its motion as a plot in the terminal.
set -euo pipefail
cd "$(dirname "$0")/.."

tenon=build/tenon
folder=build/gallery
mkdir -p "$folder"

# Channels of a table that move: not time, energies, drift or velocities; a few.
moving() {   # table
    head -n 1 "$1" | tr ',' '\n' | sed 's/ \[.*//' | grep -vE '^(t|energy\..*|drift\..*|.*\.velocity\..*)$' | head -n 6
}

picture() {   # table
    local channels
    mapfile -t channels < <(moving "$1")
    [ ${#channels[@]} -gt 0 ] || return 0
    command -v gnuplot >/dev/null || { echo 'no picture: gnuplot is not installed'; return 0; }
    "$tenon" plot "$1" "${channels[@]}"
}

# A card of the index page: what was done, its words, its picture and its animation where there are some.
card() {   # title command text-file name
    printf '<section><h2>%s</h2><code>tenon %s</code>\n' "$1" "$2"
    [ ! -s "$folder/$4.png" ] || printf '<img src="%s.png" alt="%s: outputs over time" loading="lazy">\n' "$4" "$1"
    [ ! -s "$folder/$4.html" ] || printf '<a href="%s.html">play the motion</a>\n' "$4"
    printf '<pre>'
    head -n 18 "$3" | sed 's/&/\&amp;/g; s/</\&lt;/g'
    printf '</pre></section>\n'
}

show() {   # name command title
    local model=examples/$1.yaml words=$folder/$1.txt table=$folder/$1.csv
    echo "  tenon $2 $model"
    case $2 in
        run | kinematics | inverse)
            "$tenon" "$2" "$model" --output "$table" >"$words" 2>&1
            picture "$table" >/dev/null
            "$tenon" animate "$model" --output "$folder/$1.html" >/dev/null 2>&1 || true
            ;;
        *) "$tenon" "$2" "$model" >"$words" 2>&1 ;;
    esac
    card "$3" "$2 $model" "$words" "$1" >>"$index"
}

gallery() {
    index=$folder/index.html
    cat >"$index" <<'PAGE'
<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tenon gallery</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1.5rem; }
section { border: 1px solid #8884; border-radius: .5rem; padding: 1rem; overflow: hidden; }
h2 { margin: 0 0 .25rem; font-size: 1.1rem; } img { width: 100%; background: #fff; border-radius: .25rem; margin: .5rem 0; }
pre { overflow: auto; font-size: .75rem; } code { font-size: .85rem; }
</style>
<h1>Tenon gallery</h1><main>
PAGE
    echo 'the gallery:'
    show four-bar run 'Four-bar linkage'
    show bricard run 'Bricard linkage: one freedom that counting denies'
    show gyroscope run 'Gyroscope'
    show quarter-car run 'Quarter car on a road by table'
    show pid-arm run 'Arm with controllers'
    show gas-spring-door run 'Hatch on a gas strut'
    show bouncing-ball run 'Bouncing ball: events and commands'
    show stiff-linkage run 'Stiff linkage: implicit integration'
    show driven-slider-crank kinematics 'Slider-crank: kinematics of a drive'
    show robot-arm-inverse inverse 'Robot arm: what its motors must give'
    show slider-crank assemble 'Slider-crank: put together from a rough start'
    show catenary statics 'Hanging chain: where it rests'
    show vibration modes 'Vibration of a car: natural motions'
    show balance linearize 'Letter scale as a linear system'
    echo '</main></html>' >>"$index"
    printf '\nopen %s in a browser\n' "$PWD/$index"
}

single() {   # model
    local table path
    table=$folder/$(basename "$1" .yaml).csv
    printf '\n%s\n\n' "tenon run $1"
    "$tenon" run "$1" --output "$table"
    printf '\ntable:   %s (%d rows)\n' "$table" "$(($(wc -l <"$table") - 1))"
    path=$(head -n 1 "$table" | tr ',' '\n' | sed -n 's/\.position\.y \[.*/.position/p' | head -n 1)
    if [ -n "$path" ]; then
        "$tenon" plot "$table" "$path.y" --against "$path.x" --text
    else
        "$tenon" plot "$table" "$(moving "$table" | head -n 1)" --text
    fi
    printf 'picture: %s\n' "$(picture "$table")"
    "$tenon" animate "$1" --output "${table%.csv}.html" >/dev/null && printf 'motion:  %s\n' "${table%.csv}.html"
}

single "${1:-examples/four-bar.yaml}"
[ $# -gt 0 ] || gallery
echo
echo 'next:    build/tenon info examples/bricard.yaml    explains a mechanism that counting says cannot move'
echo '         build/tenon help                          lists the commands; docs/README.md the documentation'
