#!/usr/bin/env python3
"""Every model of the gallery has a first comment, a name and a picture, and every picture has a model.

usage: gallery.py SOURCE
"""
import sys
from pathlib import Path


def models(examples):
    """Name -> file: examples/NAME.yaml, or examples/NAME/NAME.yaml."""
    found = {path.stem: path for path in examples.glob("*.yaml")}
    found.update({folder.name: folder / f"{folder.name}.yaml" for folder in examples.iterdir()
                  if (folder / f"{folder.name}.yaml").exists()})
    return found


def main(source):
    pictures = {path.stem for path in (source / "web/src/studio/pictures").glob("*.webp")}
    found = models(source / "examples")
    faults = [f"{path}: no picture; draw it with: node web/pictures.mjs build/tenon {name}"
              for name, path in sorted(found.items()) if name not in pictures]
    faults += [f"web/src/studio/pictures/{name}.webp: no such model" for name in sorted(pictures - set(found))]
    for path in found.values():
        text = path.read_text(encoding="utf-8")
        if not text.startswith("# "):
            faults.append(f"{path}: does not begin with a comment")
        if "\nname: " not in text:
            faults.append(f"{path}: has no name")
    print("\n".join(faults) if faults else f"{len(found)} models")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) if len(sys.argv) == 2 else __doc__)
