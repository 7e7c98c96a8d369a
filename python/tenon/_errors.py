"""Errors of the engine as exceptions, with their places in files."""
from __future__ import annotations

import difflib
import warnings
from typing import Iterable, NamedTuple, Optional

from . import _tenon


class Diagnostic(NamedTuple):
    """One message of the engine: what is wrong, and where."""
    severity: str                   #: "error", "warning" or "note"
    file: Optional[str]
    line: int                       #: from 1; 0: unknown
    column: int
    message: str

    def __str__(self) -> str:
        place = "" if not self.file else f"{self.file}:"
        place += f"{self.line}:{self.column}:" if self.line else ""
        return f"{place}{' ' if place else ''}{self.severity}: {self.message}"


class Error(Exception):
    """Something is wrong with a model, an argument or a file, or a step cannot be taken.

    The text has one line for each mistake, "file:line:column: error: message"; `diagnostics` lists them, `code` is the
    code of the C library (tenon/context.h).
    """

    def __init__(self, code: int = 0, text: str = "", diagnostics=()):
        self.code = code
        self.diagnostics = [Diagnostic(*d) for d in diagnostics]
        lines = [str(d) for d in self.diagnostics if d.severity == "error"] or [str(d) for d in self.diagnostics]
        super().__init__("\n".join(lines) or text)

    def __reduce__(self):
        return (Error, (self.code, str(self), [tuple(d) for d in self.diagnostics]))


Error.__module__ = "tenon"                      # as users name it
_tenon.set_error(Error)


def warn(diagnostics, stacklevel: int = 3) -> None:
    """Warnings of the engine become warnings of Python."""
    for d in diagnostics:
        if d[0] == "warning":
            warnings.warn(str(Diagnostic(*d)), stacklevel=stacklevel)


def number(value, unit: Optional[str] = None) -> float:
    """A number in SI: a number as it is, a text such as "120 mm" converted; its dimension must be that of the unit."""
    return _tenon.quantity(value, unit) if isinstance(value, str) else float(value)


def unknown(what: str, name: str, known: Iterable[str]) -> "Error":
    """The model has no such parameter or input; names the nearest one."""
    near = difflib.get_close_matches(name, list(known), 1)
    return Error(text=f"the model has no {what} {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
