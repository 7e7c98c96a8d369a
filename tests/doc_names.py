"""Names of functions and types in the documents about the code exist in the code.

    doc_names.py ROOT
"""
import re
import sys
from pathlib import Path

PAGES = ("docs/architecture.md", "docs/method.md", "docs/embedding.md")
NAME = re.compile(r"\btn_[a-z0-9_]*[a-z0-9]\b(?![*_])")
# Functions of a file, in quotes and alone or behind an arrow: on the page about the code itself.
LOCAL = re.compile(r"(?:`|→ )([a-z]+(?:_[a-z0-9]+)+)(?=`| →)")
LOCAL_PAGE = "docs/architecture.md"


def main():
    root = Path(sys.argv[1])
    code = "\n".join(path.read_text() for folder in ("src", "include", "cli", "tests", "bench")
                     for path in (root / folder).rglob("*") if path.suffix in (".c", ".h"))
    known = set(re.findall(r"\btn_\w+", code))
    missing = [f"{page}: there is no {name} in the code" for page in PAGES
               for name in sorted(set(NAME.findall((root / page).read_text()))) if name not in known]
    words = set(re.findall(r"\w+", code))
    missing += [f"{LOCAL_PAGE}: there is no {name} in the code"
                for name in sorted(set(LOCAL.findall((root / LOCAL_PAGE).read_text())) - words)]
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
