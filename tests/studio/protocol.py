"""The types of the page and the tables of docs/protocol.md are what src/studio/protocol_list.h says.
usage: protocol.py TOOL [--write]; TOOL is the program protocol_tool of the build."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def output(tool, kind):
    return subprocess.run([tool, kind], check=True, capture_output=True, text=True).stdout


def with_tables(text, tool):
    """The document with its generated tables replaced."""
    for kind in ("verbs", "pushes", "records"):
        pattern = re.compile(rf"(<!-- generated: {kind} -->\n).*?(<!-- end -->)", re.S)
        text, count = pattern.subn(lambda m: m[1] + output(tool, kind) + m[2], text)
        if count != 1:
            sys.exit(f"docs/protocol.md has {count} tables '{kind}' instead of one")
    return text


def main():
    tool, write = sys.argv[1], "--write" in sys.argv[2:]
    page, docs = ROOT / "web/src/studio/messages.ts", ROOT / "docs/protocol.md"
    wanted = {page: output(tool, "types"), docs: with_tables(docs.read_text(), tool)}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if write:
            path.write_text(wanted[path])
        print(f"{path.relative_to(ROOT)}: {'written' if write else 'not what src/studio/protocol_list.h says'}")
    if stale and not write:
        sys.exit("run tests/studio/protocol.py BUILD/src/protocol_tool --write")


main()
