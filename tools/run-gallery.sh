#!/bin/bash
# Simulates a model of the gallery and shows its motion: a table (CSV), a picture (PNG), and a plot in the terminal.
# The picture has the path of a point, where x and y of its position are among the outputs, and some outputs over time.
set -euo pipefail
cd "$(dirname "$0")/.."

model=${1:-examples/four-bar.yaml}
name=$(basename "$model" .yaml)
folder=build/gallery
table=$folder/$name.csv
picture=$folder/$name.png
max_panels=4

mkdir -p "$folder"
printf '\n%s\n\n' "tenon run $model"
build/tenon run "$model" --output "$table"
printf '\ntable:   %s (%d rows)\n' "$table" "$(($(wc -l <"$table") - 1))"

if ! command -v gnuplot >/dev/null; then
    echo 'no picture: gnuplot is not installed'
    exit 0
fi

IFS=, read -r -a titles < <(head -n 1 "$table")
path=0      # columns, counted from 1 as gnuplot does: x of the path (y is the next one), and what goes over time
panels=()
for i in "${!titles[@]}"; do
    point=${titles[i]%.position.x*}
    case ${titles[i]} in
        *.position.x*) [ "$path" -gt 0 ] || [[ ${titles[i + 1]:-} != "$point".position.y* ]] || path=$((i + 1)) ;;
        t\ * | energy.* | drift.* | *.position.[yz]* | *.velocity.*) ;;
        *) [ ${#panels[@]} -ge $max_panels ] || panels+=($((i + 1))) ;;
    esac
done
if [ ${#panels[@]} -eq 0 ] && [ "$path" -eq 0 ]; then
    echo 'no picture: the model records no outputs that move'
    exit 0
fi
path_title="${titles[path > 0 ? path - 1 : 0]% *}"
path_title="${path_title%.x}"

gnuplot <<PLOT
table = '$table'
path = $path
panels = '${panels[*]}'
set datafile separator ','
set key noenhanced autotitle columnhead
set grid
set border 3
set tics nomirror
left = path ? 0.4 : 0.0
set terminal pngcairo size 1000, 560 font 'sans,9'
set output '$picture'
set multiplot
if (path) {
    set origin 0, 0
    set size 0.4, 1
    set size ratio -1
    set xlabel 'x, m'
    set ylabel 'y, m'
    set title '$path_title: y over x' noenhanced
    plot table using path:path + 1 with lines linewidth 2 linecolor rgb '#0b6e4f' notitle
    unset title
    unset ylabel
    unset xlabel
    set size noratio
}
n = words(panels)
set key above left reverse samplen 1
do for [k = 1 : n] {
    column = int(word(panels, k))
    set size 1 - left, 1.0 / n
    set origin left, 1 - 1.0 * k / n
    if (k == n) { set xlabel 't, s' } else { unset xlabel }
    plot table using 1:column with lines linewidth 2 linecolor rgb '#1f4e9c'
}
unset multiplot
set output
set terminal dumb size 90, 24
unset grid
set key default noenhanced autotitle columnhead
set origin 0, 0
set size 1, 1
if (path) {
    set title '$path_title: y over x, m' noenhanced
    unset xlabel
    plot table using path:path + 1 with points pointtype 0 notitle
} else {
    column = int(word(panels, 1))
    plot table using 1:column with lines
}
PLOT
echo "picture: $picture"
echo
echo 'next:    build/tenon info examples/bricard.yaml    explains a mechanism that counting says cannot move'
echo '         build/tenon help                          lists the commands; docs/README.md the documentation'
