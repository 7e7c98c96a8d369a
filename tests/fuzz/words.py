"""Writes a dictionary for libFuzzer: the words that the readers of a fuzz target know, which are the texts in their sources.

usage: words.py ROOT TARGET
"""
import re
import sys
from pathlib import Path

# Where the readers of a target are.
SOURCES = {
    "model": ("src/io", "src/joints", "src/forces", "src/devices", "src/model"),
    "expression": ("src/base",),
    "live": ("src/live", "src/history", "src/io", "src/joints", "src/forces"),
    "run": ("src/replay", "src/history", "src/live"),
    "table": ("src/io/csv.c", "src/io/hdf5_read.c"),
    "stl": ("src/io/stl.c",),
    "payload": ("src/library", "src/component"),
    "import": ("src/import",),
    "package": ("src/fmi", "src/files"),
    "protocol": ("src/studio", "src/live"),
    "link": ("src/library",),
    "beside": ("src/io/tir.c", "src/io/csv.c", "src/io/stl.c", "src/io/reader_tables.c"),
}
WORD = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
GOOD = re.compile(r"[A-Za-z_][A-Za-z0-9_:.\-]{1,40}")


def sources(root, target):
    for place in SOURCES[target]:
        path = root / place
        yield from sorted(path.glob("*.[ch]")) if path.is_dir() else [path] if path.exists() else []


def main():
    root, target = Path(sys.argv[1]), sys.argv[2]
    words = {word for file in sources(root, target) for word in WORD.findall(file.read_text()) if GOOD.fullmatch(word)}
    words = {word for word in words if not word.endswith((".h", ".c"))}
    if not words:
        sys.exit(f"{target}: no words in {SOURCES[target]}")
    print("\n".join(f'"{word}"' for word in sorted(words)))


main()
