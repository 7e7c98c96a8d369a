"""The public border: the library exports what the public headers declare, and the declarations keep the rules.

usage: exports.py INCLUDE_FOLDER SHARED_LIBRARY NM

Every function and every table that a header declares has TN_API and is exported; nothing else is exported. Parameters
that a function writes come first (docs/embedding.md). Functions of descriptor tables (tn_component_type and the like)
have their object first and are not looked at.
"""
import re
import subprocess
import sys
from pathlib import Path

DECLARATION = re.compile(r"^(extern )?(TN_API )?((?:const |struct |unsigned )*\w+[\s*]+(?:const )?)(\w+)(\(|\[\];)",
                         re.MULTILINE)
# Pointers that are written through; others lead to objects, streams and what callbacks are given.
WRITTEN = re.compile(r"^(?:double|int|long|bool|size_t|uint64_t)\b[^*\[]*[*\[]|\*\*|^tn_(?:ack|id|row|reply|pose) \*")


def outside_braces(text):
    """The text without comments, preprocessor lines, and what is in braces (fields, bodies of inline functions)."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE).replace('extern "C" {', "")
    while True:
        shorter = re.sub(r"\{[^{}]*\}", "", text)
        if shorter == text:
            return text
        text = shorter


def parameters(text, start):
    end = text.index(";", start)
    inside = text[start:end].rstrip()[:-1]
    return [re.sub(r"\s+", " ", part).strip() for part in inside.split(",")]


def read_header(path):
    """Names that a header declares, and what is wrong with the declarations."""
    text, names, problems = outside_braces(path.read_text()), set(), []
    for found in DECLARATION.finditer(text):
        _, api, result, name, kind = found.groups()
        if result.startswith(("typedef", "static", "return")):
            continue
        names.add(name)
        if not api:
            problems.append(f"{path.name}: {name} has no TN_API")
        if kind == "(":
            written = [bool(WRITTEN.search(p)) for p in parameters(text, found.end())]
            sizes = [p.startswith(("size_t ", "int ")) for p in parameters(text, found.end())]
            head = [w or (k > 0 and written[k - 1] and sizes[k]) for k, w in enumerate(written)]    # "rows, max" is a pair
            first = head.index(False) if False in head else len(head)
            if any(written[first:]):
                problems.append(f"{path.name}: {name}: parameters that are written come first")
    return names, problems


def main():
    include, library, nm = sys.argv[1:4]
    declared, problems = set(), []
    for path in sorted(Path(include).rglob("*.h")):
        names, wrong = read_header(path)
        declared |= names
        problems += wrong
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in lines.splitlines()} - {"__bss_start", "_edata", "_end", "_init", "_fini"}
    problems += [f"{name} is exported, but no public header declares it" for name in sorted(exported - declared)]
    problems += [f"{name} is declared in a public header, but not exported" for name in sorted(declared - exported)]
    if len(declared) < 200:
        problems.append(f"only {len(declared)} declarations found: this test no longer reads the headers")
    print("\n".join(problems) or f"{len(exported)} symbols")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
