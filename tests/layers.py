"""The layers hold: each include leads to the file's own layer or to a layer that the table src/layers.txt allows.

usage: layers.py ROOT [--write]

The rule covers includes of includes: a header that a file reaches through other headers counts as well. The include
paths of the build keep most of this; this test also sees relative paths and changed build files. It compares the tables
in the documents with src/layers.txt; --write writes them. Every source begins with a comment that says what it is.
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
IMPORT = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]*)['"]""")
LISTED = re.compile(r"^TN_(?:JOINT|FORCE)\((\w+)\)", re.MULTILINE)
PUBLIC = ("public", "sys")
DOCUMENTS = ("docs/architecture.md", "CONTRIBUTING.md")
SOURCES = ("include", "src", "cli", "python/src", "bench", "examples", "tests", "web/src", "web/test")
BEGIN, END = "<!-- layers: written from src/layers.txt -->\n", "<!-- end of layers -->\n"


class Layer:
    def __init__(self, root, line):
        self.name, self.place, uses, self.purpose = (part.strip() for part in line.split("|", 3))
        self.uses = uses.split()
        self.folder = root / self.place

    def files(self, *suffixes):
        """Its sources. The headers for authors lie in a folder of the public ones and are a layer of their own."""
        found = self.folder.glob("*") if self.name in PUBLIC else self.folder.rglob("*")
        return sorted(path for path in found if path.suffix in suffixes)


def read_table(root):
    lines = (root / "src/layers.txt").read_text().splitlines()
    layers = [Layer(root, line) for line in lines if line.strip() and not line.startswith("#")]
    return {layer.name: layer for layer in layers}


def check_table(root, layers):
    """Every folder has a line; a line names layers above it, so that there are no cycles."""
    known = set()
    for layer in layers.values():
        for used in layer.uses:
            if used not in known:
                yield f"src/layers.txt: '{layer.name}' uses '{used}', which no line above it declares"
        known.add(layer.name)
        if not layer.folder.is_dir():
            yield f"src/layers.txt: there is no folder {layer.place}"
    places = {layer.place for layer in layers.values()}
    for parent in ("src", "web/src"):
        for folder in (root / parent).iterdir():
            if folder.is_dir() and f"{parent}/{folder.name}" not in places:
                yield f"{parent}/{folder.name}: a layer that src/layers.txt does not know"


class Includes:
    """Which file an include leads to, and which layer that file belongs to."""

    def __init__(self, root, layers):
        self.root = root
        self.layer_of = {path: layer.name for layer in layers.values() for path in layer.files(".c", ".h")}
        self.by_name = {path.name: path for path, layer in self.layer_of.items()
                        if path.suffix == ".h" and layer not in PUBLIC}
        self.of = {}

    def resolve(self, path, header, layer):
        """The file behind an include, or None when it is not a file of this tree."""
        for place in (path.parent / header, layer.folder / header, self.root / "include" / header):
            if place.is_file():
                return place.resolve()
        return self.by_name.get(header)

    def read(self, path, layers):
        if path not in self.of:
            layer = layers[self.layer_of[path]]
            names = INCLUDE.findall(path.read_text())
            self.of[path] = [(name, self.resolve(path, name, layer)) for name in names]
        return self.of[path]


def check_includes(root, layers):
    includes = Includes(root, layers)
    for path, name in includes.layer_of.items():
        yield from check_file(root, layers, includes, path, layers[name])


def check_file(root, layers, includes, path, layer):
    """Follows the includes of one file. Public headers end the walk: what they include is checked in their own lines."""
    allowed = {layer.name, *layer.uses}
    seen, open_ends = {path}, [(path, ())]
    while open_ends:
        place, way = open_ends.pop()
        for name, found in includes.read(place, layers):
            route = f'{path.relative_to(root)}: includes {"".join(step + ", which includes " for step in way)}{name}'
            if ".." in name and layer.name not in PUBLIC:
                yield f"{route}: relative paths go round the layers"
            elif found and includes.layer_of.get(found) not in allowed:
                yield f"{route}: {layer.name} may not use {includes.layer_of.get(found)}"
            elif found and found not in seen and includes.layer_of[found] not in PUBLIC:
                seen.add(found)
                open_ends.append((found, (*way, name)))


def check_imports(root, layers):
    """The same for the web pages: an import that leaves its folder leads to a layer that may be used."""
    pages = {name: layer for name, layer in layers.items() if layer.place.startswith("web/")}
    for name, layer in pages.items():
        for path in layer.files(".ts", ".js", ".svelte"):
            for target in IMPORT.findall(path.read_text()):
                found = (path.parent / target).resolve()
                owner = next((n for n, page in pages.items() if page.folder in (found, *found.parents)), None)
                if owner != name and owner not in layer.uses:
                    yield f"{path.relative_to(root)}: imports {target}: {name} may not use {owner or 'that folder'}"


def check_names_unique(layers):
    """Headers are included by bare name, so a name may exist once (list.h is each folder's own)."""
    seen = {}
    for layer in layers.values():
        for path in [] if layer.name in PUBLIC else layer.folder.glob("*.h"):
            if path.name != "list.h" and seen.setdefault(path.name, layer.name) != layer.name:
                yield f"{path.name} exists in {seen[path.name]} and in {layer.name}"


def check_concrete_types(root, layers):
    """Only its own folder names a concrete joint or force; everyone else goes through the table."""
    for kind, prefix in (("joints", "tn_joint_"), ("forces", "tn_force_")):
        names = LISTED.findall((layers[kind].folder / "list.h").read_text())
        concrete = re.compile(rf"\b{prefix}(?:{'|'.join(names)})\b")
        for layer in layers.values():
            for path in layer.files(".c", ".h") if names and layer.name != kind else []:
                for name in set(concrete.findall(path.read_text())):
                    yield f"{path.relative_to(root)}: names {name}"


def check_components(root, layers):
    """Methods ask what they may rely on (allowances.h), and do not branch on components."""
    branch = re.compile(r"\b(?:component_count|closed_components|disclosure)\b")
    for name in ("step", "analysis", "run", "nonsmooth", "channels", "events", "history", "session", "replay"):
        for path in layers[name].files(".c", ".h"):
            if branch.search(path.read_text()):
                yield f"{path.relative_to(root)}: looks at components; ask tn_system_allows or the coupling"


def document_table(layers):
    rows = ["| layer | folder | is | may use |", "| --- | --- | --- | --- |"]
    for layer in layers.values():
        rows.append(f"| {layer.name} | `{layer.place}/` | {layer.purpose} | {', '.join(layer.uses)} |")
    return "\n".join(rows) + "\n"


def check_documents(root, layers, write):
    table = document_table(layers)
    for name in DOCUMENTS:
        text = (root / name).read_text()
        if BEGIN not in text or END not in text:
            yield f"{name}: no place for the table of layers ({BEGIN.strip()})"
            continue
        head, rest = text.split(BEGIN, 1)
        tail = rest.split(END, 1)[1]
        wanted = head + BEGIN + table + END + tail
        if write:
            (root / name).write_text(wanted)
        elif wanted != text:
            yield f"{name}: its table of layers is not that of src/layers.txt; run: python3 tests/layers.py . --write"


def check_first_lines(root):
    """Every source says in its first line what it is."""
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".ts") and "node_modules" not in path.parts:
                with path.open() as file:
                    if not file.readline().startswith(("/*", "//")):
                        yield f"{path.relative_to(root)}: begins without a comment that says what it is"


def main():
    root = Path(sys.argv[1]).resolve()
    layers = read_table(root)
    problems = [
        *check_table(root, layers),
        *check_includes(root, layers),
        *check_imports(root, layers),
        *check_names_unique(layers),
        *check_concrete_types(root, layers),
        *check_components(root, layers),
        *check_first_lines(root),
        *check_documents(root, layers, "--write" in sys.argv),
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
