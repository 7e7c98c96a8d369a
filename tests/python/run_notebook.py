"""Executes a notebook as Jupyter does: the code cells in order, in one namespace, in the notebook's folder; the last expression of
a cell is shown. Jupyter itself is not needed.

usage: run_notebook.py NOTEBOOK [--write]      --write: keeps the texts that the cells print in the notebook
"""
import ast
import contextlib
import io
import json
import os
import sys
import traceback

os.environ["MPLBACKEND"] = "Agg"                       # no display; notebooks do not say so


def show(value):
    """What Jupyter would show of a value: its page or picture, else its text."""
    for method in ("_repr_html_", "_repr_png_"):
        if hasattr(value, method):
            page = getattr(value, method)()
            if page is not None and len(page) == 0:
                raise AssertionError(f"{type(value).__name__}.{method} gives nothing")
    return repr(value)


def execute(source, namespace, name):
    """Runs one cell; returns what it prints."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)   # noqa: S102
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace) if last else None   # noqa: S307
        shown = show(value) if value is not None else ""
    text = printed.getvalue()
    return text if hasattr(value, "_repr_html_") or not shown else text + shown + "\n"


def check(notebook):
    assert notebook["nbformat"] == 4, "not a notebook of format 4"
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names), "two cells have one id"
    assert notebook["cells"][0]["cell_type"] == "markdown", "the first cell says what the notebook is about"


def main(path, write):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    check(notebook)
    os.chdir(os.path.dirname(os.path.abspath(path)))
    namespace = {"__name__": "__main__"}
    for k, cell in enumerate(c for c in notebook["cells"] if c["cell_type"] == "code"):
        try:
            text = execute("".join(cell["source"]), namespace, f"{os.path.basename(path)}[{k + 1}]")
        except Exception:                              # noqa: BLE001: any error of a cell fails the test
            traceback.print_exc()
            return 1
        sys.stdout.write(text)
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []
        cell["execution_count"] = k + 1
    if write:
        with open(os.path.basename(path), "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--write" in sys.argv[2:]))
