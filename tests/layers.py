"""The layers hold: what a folder includes is its own, public, or of a layer below that it may use.

The include paths of the build keep most of this; the table here is the architecture itself, so that neither a relative
path nor a changed build file can bend it unseen.
"""
import re
import sys
from pathlib import Path

SYS_ONLY = {"joints", "forces"}      # their files are equations: they see the headers for authors and nothing else
MAY_USE = {
    "base": set(),
    "math": set(),
    "library": {"base"},
    "model": {"base", "math", "library"},
    "joints": set(),
    "forces": set(),
    "contact": {"base", "math", "library", "model"},
    "solve": {"base", "math"},
    "system": {"base", "math", "library", "model"},
    "step": {"base", "math", "library", "system"},
    "analysis": {"base", "math", "library", "model", "system", "step"},
    "io": {"base", "math", "library", "model"},
    "component": {"base", "math", "library", "model", "system", "step", "analysis", "io"},
    "run": {"base", "math", "library", "model", "system", "step", "analysis"},
    "nonsmooth": {"base", "math", "library", "model", "contact", "system", "step", "analysis", "run"},
    "channels": {"base", "math", "library", "model", "contact", "system", "step", "analysis", "io", "run", "nonsmooth"},
    "events": {"base", "math", "library", "model", "system", "step", "analysis", "io", "run", "channels"},
    "history": {"base", "math", "library", "model", "contact", "system", "step", "analysis", "io", "run", "nonsmooth",
                "channels", "events"},
    "live": {"base", "math", "library", "model", "contact", "system", "step", "analysis", "io", "run", "nonsmooth",
             "channels", "events", "history"},
    "session": {"base", "math", "library", "model", "contact", "system", "step", "analysis", "io", "component", "run",
                "nonsmooth", "channels", "events", "history", "live"},
    "replay": {"base", "math", "library", "model", "contact", "system", "step", "analysis", "io", "run", "nonsmooth",
               "channels", "events", "history", "live", "session"},
    "json": set(),
    "studio": {"json"},
    "cli": {"json", "studio"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
LISTED = re.compile(r"^TN_(?:JOINT|FORCE)\((\w+)\)", re.MULTILINE)


def folders(root):
    """Layer name -> folder, for every folder that has sources."""
    found = {path.name: path for path in (root / "src").iterdir() if path.is_dir()}
    found["cli"] = root / "cli"
    return found


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h"))


def complaint(layer, folders_of_its_own, header, owners):
    """Why this layer may not include this header, or None."""
    if ".." in header:
        return "relative paths go round the layers"
    if header.startswith("tenon/"):
        if layer in SYS_ONLY and not header.startswith("tenon/sys/"):
            return f"{layer} sees tenon/sys/ only"
        return None
    if any((folder / header).is_file() for folder in folders_of_its_own):
        return None
    owner = owners.get(header)
    if owner is None:
        return "no layer has such a header"
    return None if owner in MAY_USE[layer] else f"{layer} may not use {owner}"


def check_includes(root, layers):
    owners = {path.name: layer for layer, folder in layers.items() for path in folder.glob("*.h")}
    for layer, folder in layers.items():
        if layer not in MAY_USE:
            yield f"{folder}: a layer that {Path(__file__).name} does not know"
            continue
        for path in sources(folder):
            for header in INCLUDE.findall(path.read_text()):
                reason = complaint(layer, (folder, path.parent), header, owners)
                if reason:
                    yield f'{path.relative_to(root)}: includes "{header}": {reason}'


def check_names_unique(layers):
    """Headers are included by bare name, so a name may exist once (list.h is each folder's own)."""
    seen = {}
    for layer, folder in layers.items():
        for path in folder.glob("*.h"):
            if path.name != "list.h" and seen.setdefault(path.name, layer) != layer:
                yield f"{path.name} exists in {seen[path.name]} and in {layer}"


def check_concrete_types(root, layers):
    """Only its own folder names a concrete joint or force; everyone else goes through the table."""
    for kind, prefix in (("joints", "tn_joint_"), ("forces", "tn_force_")):
        names = LISTED.findall((layers[kind] / "list.h").read_text())
        if not names:
            continue
        concrete = re.compile(rf"\b{prefix}(?:{'|'.join(names)})\b")
        for layer, folder in layers.items():
            for path in sources(folder) if layer != kind else []:
                for name in set(concrete.findall(path.read_text())):
                    yield f"{path.relative_to(root)}: names {name}"


def main():
    root = Path(sys.argv[1])
    layers = folders(root)
    problems = [
        *check_includes(root, layers),
        *check_names_unique(layers),
        *check_concrete_types(root, layers),
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
