#!/bin/bash
# Simulates a model of the gallery and shows its motion: a table (CSV), pictures (PNG), and a plot in the terminal.
# The pictures: some outputs over time, and the path of a point, where x and y of its position are among the outputs.
set -euo pipefail
cd "$(dirname "$0")/.."

model=${1:-examples/four-bar.yaml}
name=$(basename "$model" .yaml)
folder=build/gallery
table=$folder/$name.csv
max_channels=6

mkdir -p "$folder"
printf '\n%s\n\n' "tenon run $model"
build/tenon run "$model" --output "$table"
printf '\ntable:   %s (%d rows)\n' "$table" "$(($(wc -l <"$table") - 1))"

if ! command -v gnuplot >/dev/null; then
    echo 'no picture: gnuplot is not installed'
    exit 0
fi

IFS=, read -r -a titles < <(head -n 1 "$table")
channels=()
path=       # the point whose path is drawn
for title in "${titles[@]% \[*}"; do
    case $title in
        t | energy.* | drift.* | *.velocity.*) ;;
        *) [ ${#channels[@]} -ge $max_channels ] || channels+=("$title") ;;
    esac
    [ -n "$path" ] || [[ $title != *.position.y || " ${titles[*]% \[*} " != *" ${title%.y}.x "* ]] || path=${title%.y}
done
if [ ${#channels[@]} -eq 0 ]; then
    echo 'no picture: the model records no outputs that move'
    exit 0
fi

across=()
[ -z "$path" ] || across=("$path.y" --against "$path.x")
build/tenon plot "$table" "${across[@]:-${channels[0]}}" --text
printf '\npicture: %s\n' "$(build/tenon plot "$table" "${channels[@]}")"
[ -z "$path" ] || printf 'path:    %s\n' "$(build/tenon plot "$table" "${across[@]}" --output "${table%.csv}-path.png")"
echo
echo 'next:    build/tenon info examples/bricard.yaml    explains a mechanism that counting says cannot move'
echo '         build/tenon help                          lists the commands; docs/README.md the documentation'
