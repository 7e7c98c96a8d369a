"""Building models from Python objects; the result is a model text like any other."""
from __future__ import annotations

import json
import re
from typing import Dict, List, Optional

from . import _tenon
from ._model import Function, Model, parse


class Expression:
    """An expression of the model language, made with Python's operators: -k * pivot.angle."""

    def __init__(self, text):
        self._text = text if isinstance(text, str) else repr(float(text))

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def __getattr__(self, name: str) -> "Expression":
        if name.startswith("_"):
            raise AttributeError(name)
        return Expression(f"{self._text}.{name}")

    def __getitem__(self, name: str) -> "Expression":
        """For names that are no Python identifiers: crank["pin-a"]."""
        return Expression(f"{self._text}.{name}")

    def _join(self, operator: str, other, swapped: bool = False) -> "Expression":
        a, b = (other, self) if swapped else (self, other)
        return Expression(f"({Expression._plain(a)} {operator} {Expression._plain(b)})")

    @staticmethod
    def _plain(x) -> str:
        return str(x) if isinstance(x, (Expression, str)) else repr(float(x))

    def __add__(self, other): return self._join("+", other)
    def __radd__(self, other): return self._join("+", other, True)
    def __sub__(self, other): return self._join("-", other)
    def __rsub__(self, other): return self._join("-", other, True)
    def __mul__(self, other): return self._join("*", other)
    def __rmul__(self, other): return self._join("*", other, True)
    def __truediv__(self, other): return self._join("/", other)
    def __rtruediv__(self, other): return self._join("/", other, True)
    def __pow__(self, other): return self._join("^", other)
    def __lt__(self, other): return self._join("<", other)
    def __le__(self, other): return self._join("<=", other)
    def __gt__(self, other): return self._join(">", other)
    def __ge__(self, other): return self._join(">=", other)
    def __neg__(self): return Expression(f"(-{self._text})")
    def __pos__(self): return self


def expression(text: str) -> Expression:
    """A piece of the model language, for use with Python's operators: expression("sin(2 rad/s * t)") * gain."""
    return Expression(text)


time = Expression("t")


def _plain(value):
    """Python objects as maps, lists, numbers and texts."""
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return [_plain(v) for v in (value.tolist() if hasattr(value, "tolist") else value)]
    return value if isinstance(value, str) else float(value)


def _flow(value) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)}: {_flow(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(v) for v in value) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value if re.fullmatch(r"[A-Za-z_(][\w .()*/+^-]*", value) and not value.endswith(" ") else json.dumps(value)
    return repr(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else json.dumps(key)


class Builder:
    """Collects bodies, joints and forces; `.model()` gives the model, `.text` its file.

        b = tenon.Builder("Pendulum", dimension=2, gravity=[0, -9.81])
        L = b.parameter("L", "1 m")
        arm = b.body("arm", mass=1, com=[L / 2, 0], inertia=0.1)
        pivot = b.joint("pivot", "revolute", between=[b.ground, arm])
        b.force("damper", "motor", joint=pivot, value=-0.1 * pivot.rate)
        m = b.model()

    Keys are those of model files (docs/model-format.md); a key that is a word of Python gets an underscore: from_.
    """
    ground = Expression("ground")
    _SECTIONS = ["parameters", "bodies", "subsystems", "joints", "drives", "forces", "let", "contacts", "states", "inputs", "tables",
                 "initial", "events", "solve"]

    def __init__(self, name: str = "", dimension: int = 3, gravity=None, folder: str = "."):
        self._head = {"tenon": 1, "name": name or None, "dimension": dimension, "gravity": gravity}
        self._sections: Dict[str, dict] = {s: {} for s in self._SECTIONS}
        self._outputs: List = []
        self._functions: dict = {}
        self._folder = folder

    def _put(self, section: str, name: str, value: dict) -> Expression:
        if name in self._sections[section]:
            raise ValueError(f"{section}: {name!r} is there already")
        self._sections[section][name] = {k.rstrip("_"): v for k, v in value.items()}
        return Expression(name)

    def parameter(self, name: str, value) -> Expression:
        self._sections["parameters"][name] = value
        return Expression(name)

    def body(self, name: str, **keys) -> Expression:
        """frames={"tip": [1, 0]} is short for frames={"tip": {"at": [1, 0]}}."""
        frames = keys.get("frames")
        if frames:
            keys["frames"] = {k: v if isinstance(v, dict) else {"at": v} for k, v in frames.items()}
        return self._put("bodies", name, keys)

    def joint(self, name: str, type: str, **keys) -> Expression:
        return self._put("joints", name, {"type": type, **keys})

    def drive(self, name: str, joint, **keys) -> Expression:
        return self._put("drives", name, {"joint": joint, **keys})

    def force(self, name: str, type: str, **keys) -> Expression:
        return self._put("forces", name, {"type": type, **keys})

    def contact(self, name: str, **keys) -> Expression:
        return self._put("contacts", name, keys)

    def state(self, name: str, rate, **keys) -> Expression:
        return self._put("states", name, {"rate": rate, **keys})

    def input(self, name: str, **keys) -> Expression:
        return self._put("inputs", name, keys)

    def function(self, call, name: Optional[str] = None, unit: Optional[str] = None, of=None):
        """A function of Python for expressions: law = b.function(law); b.force(..., value=law(pivot.angle, pivot.rate)).

        unit and of: units of its value and of its arguments, which are then checked.
        """
        name = name or call.__name__
        self._functions[name] = Function(call, unit, of)
        return lambda *arguments: Expression(f"{name}({', '.join(Expression._plain(a) for a in arguments)})")

    def table(self, name: str, x, y, **keys) -> Expression:
        return self._put("tables", name, {"x": x, "y": y, **keys})

    def subsystem(self, name: str, use: str, **keys) -> Expression:
        return self._put("subsystems", name, {"use": use, **keys})

    def event(self, name: str, when, do, **keys) -> Expression:
        return self._put("events", name, {"when": when, "do": do, **keys})

    def initial(self, name, **values) -> None:
        self._sections["initial"][str(name)] = values

    def output(self, channel, **named) -> None:
        """Records channels: output(pivot.angle), output(power=motor.value * pivot.rate)."""
        if channel is not None:
            self._outputs.append(str(channel))
        self._outputs += [{k: v} for k, v in named.items()]

    def solve(self, **settings) -> None:
        self._sections["solve"].update(settings)

    @property
    def text(self) -> str:
        """The model file, in normal form."""
        lines = [f"{k}: {_flow(_plain(v))}" for k, v in self._head.items() if v is not None]
        for section, content in self._sections.items():
            if content and section == "solve":
                lines.append(f"solve: {_flow(_plain(content))}")
            elif content:
                lines.append(f"{section}:")
                lines += [f"  {_key(k)}: {_flow(_plain(v))}" for k, v in content.items()]
        if self._outputs:
            lines.append(f"outputs: {_flow(_plain(self._outputs))}")
        return _tenon.format("\n".join(lines) + "\n", "model.yaml")

    def model(self) -> Model:
        return parse(self.text, self._folder, functions=self._functions)
