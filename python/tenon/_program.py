"""The program tenon, for what only it can do: pages that play a motion."""
from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from typing import Dict

from ._errors import Error


def find() -> str:
    """The program: beside the package, in $TENON_PROGRAM, or in the path."""
    here = os.path.join(os.path.dirname(__file__), "bin", "tenon")
    for candidate in (os.environ.get("TENON_PROGRAM"), here, shutil.which("tenon")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise Error(text="the program 'tenon' was not found: install it, or set TENON_PROGRAM")


def animate(path: str, parameters: Dict[str, float], until: float) -> str:
    """The page of `tenon animate` as text."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        command = [find(), "animate", path, "--output", page, "--until", repr(until), "--quiet", "--no-progress"]
        for name, value in parameters.items():
            command += ["--parameter", f"{name}={value!r}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not os.path.exists(page):
            raise Error(text=done.stderr.strip() or "tenon animate failed")
        with open(page, encoding="utf-8") as file:
            return file.read()
