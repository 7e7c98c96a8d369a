#!/bin/bash
# Simulates a model of the gallery and shows its motion: a table (CSV), a picture (PNG), and a plot in the terminal.
set -euo pipefail
cd "$(dirname "$0")/.."

model=${1:-examples/four-bar.yaml}
name=$(basename "$model" .yaml)
folder=build/gallery
max_panels=6

mkdir -p "$folder"
build/tenon run "$model" >"$folder/$name.csv"
echo "table:   $folder/$name.csv"

if ! command -v gnuplot >/dev/null; then
    echo 'no picture: gnuplot is not installed'
    exit 0
fi

columns=$(head -n 1 "$folder/$name.csv" | awk -F, '{ print NF }')
panels=$((columns - 1 < max_panels ? columns - 1 : max_panels))
if [ "$panels" -lt 1 ]; then
    echo 'no picture: the model records no outputs'
    exit 0
fi

gnuplot <<EOF
set datafile separator ','
set key noenhanced autotitle columnhead
set xlabel 't, s'
set grid
set terminal pngcairo size 900, 240 * $panels
set output '$folder/$name.png'
set multiplot layout $panels, 1
do for [column = 2 : $panels + 1] { plot '$folder/$name.csv' using 1:column with lines linewidth 2 }
unset multiplot
set output
unset grid
set terminal dumb size 100, 24
plot '$folder/$name.csv' using 1:2 with lines
EOF
echo "picture: $folder/$name.png"
