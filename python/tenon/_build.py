"""Building models from Python objects; the result is a model text like any other."""
from __future__ import annotations

import json
import re
from typing import Dict, List, Optional

import numpy as np

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
        return Expression(f"{self._owner()}.{name}")

    def __getitem__(self, name: str) -> "Expression":
        """For names that are no Python identifiers: crank["pin-a"]."""
        return Expression(f"{self._owner()}.{name}")

    def __call__(self, *arguments) -> "Expression":
        """A table of the model, or a function under `let`, at its arguments: law(pivot.angle)."""
        return _call(self._text)(*arguments)

    def _owner(self) -> str:
        return self._text if re.fullmatch(r"[\w.-]+", self._text) else _operand(self)

    def __iter__(self):
        raise TypeError(f"'{self._text}' is an expression, not a list: its parts have names, such as position.x")

    def _join(self, operator: str, other, swapped: bool = False) -> "Expression":
        a, b = (other, self) if swapped else (self, other)
        return _operator(operator)(a, b)

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
    def __mod__(self, other): return _call("mod")(self, other)
    def __rmod__(self, other): return _call("mod")(other, self)
    def __floordiv__(self, other): return _call("floor")(self / other)
    def __rfloordiv__(self, other): return _call("floor")(other / self)
    def __pow__(self, other): return self._join("^", other)
    def __lt__(self, other): return self._join("<", other)
    def __le__(self, other): return self._join("<=", other)
    def __gt__(self, other): return self._join(">", other)
    def __ge__(self, other): return self._join(">=", other)
    def __rpow__(self, other): return self._join("^", other, True)
    def __and__(self, other): return self._join("and", other)
    def __rand__(self, other): return self._join("and", other, True)
    def __or__(self, other): return self._join("or", other)
    def __ror__(self, other): return self._join("or", other, True)
    def __invert__(self): return Expression(f"(not {_operand(self)})")
    def __neg__(self): return Expression(f"(-{_operand(self)})")
    def __pos__(self): return self
    def __abs__(self): return Expression(f"abs({self._text})")

    def __bool__(self) -> bool:
        raise TypeError("an expression has no value before the model runs: write (a < b) & (b < c) for a condition, and "
                        "np.where(condition, this, that) for a choice")

    def __eq__(self, other):
        raise TypeError("expressions are not compared by ==: write abs(a - b) < bound")

    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        """np.sin(pivot.angle), np.maximum(a, b), np.float64(2) * a; with arrays, element by element."""
        make = _UFUNCS.get(ufunc.__name__)
        if make is None or method != "__call__" or keywords:
            return NotImplemented
        return _each(make, inputs)

    def __array_function__(self, function, types, arguments, keywords):
        """np.where(a > 1, b, c), np.clip(a, -1, 1); with arrays, element by element."""
        make = _FUNCTIONS.get(function.__name__)
        if make is not None and not keywords:
            return _each(make, arguments)
        plain = getattr(function, "_implementation", getattr(function, "__wrapped__", None))
        return plain(*arguments, **keywords) if plain else NotImplemented


def _each(make, inputs):
    if not any(isinstance(x, np.ndarray) for x in inputs):
        return make(*inputs)
    boxes = [x if isinstance(x, np.ndarray) else _box(x) for x in inputs]
    return np.frompyfunc(make, len(boxes), 1)(*boxes)


def _box(x) -> np.ndarray:
    box = np.empty((), dtype=object)
    box[()] = x
    return box


def _call(name: str):
    return lambda *arguments: Expression(f"{name}({', '.join(Expression._plain(a) for a in arguments)})")


def _is_whole(text: str) -> bool:
    """A name, a bare number, a call, or something in brackets: what may stand in a larger expression as it is."""
    if re.fullmatch(r"[A-Za-z_][\w.]*|[\d.]+([eE][-+]?\d+)?", text):
        return True
    begin = re.match(r"([A-Za-z_]\w*)?\(", text)
    depth = 0
    for at in range(begin.end() - 1 if begin else 0, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return begin is not None and at == len(text) - 1
    return False


def _operand(x) -> str:
    text = Expression._plain(x).strip()
    return text if _is_whole(text) else f"({text})"


def _operator(sign: str):
    return lambda a, b: Expression(f"({_operand(a)} {sign} {_operand(b)})")


_UFUNCS = {"sin": _call("sin"), "cos": _call("cos"), "tan": _call("tan"), "arcsin": _call("asin"), "arccos": _call("acos"),
           "arctan": _call("atan"), "arctan2": _call("atan2"), "sinh": _call("sinh"), "cosh": _call("cosh"), "tanh": _call("tanh"),
           "exp": _call("exp"), "log": _call("log"), "sqrt": _call("sqrt"), "absolute": _call("abs"), "fabs": _call("abs"),
           "sign": _call("sign"), "minimum": _call("min"), "maximum": _call("max"), "negative": lambda a: -a,
           "add": _operator("+"), "subtract": _operator("-"), "multiply": _operator("*"), "divide": _operator("/"),
           "power": _operator("^"), "float_power": _operator("^"), "less": _operator("<"), "less_equal": _operator("<="),
           "greater": _operator(">"), "greater_equal": _operator(">="), "logical_and": _operator("and"), "logical_or": _operator("or"),
           "logical_not": lambda a: ~a, "floor": _call("floor"), "remainder": _call("mod"), "hypot": _call("hypot"), "log10": _call("log10"),
           "floor_divide": lambda a, b: _call("floor")(_operator("/")(a, b)), "square": lambda a: a**2, "reciprocal": lambda a: 1 / a}
_FUNCTIONS = {"where": _call("if"), "clip": _call("clamp")}


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
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):                    # arrays and numbers of NumPy
        return _plain(value.tolist())
    if isinstance(value, str):
        return value
    if float(value) != float(value):
        raise ValueError("a value in a model cannot be NaN")
    return float(value)


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
    _SECTIONS = ["parameters", "bodies", "subsystems", "joint_types", "joints", "drives", "forces", "device_types", "media", "devices",
                 "nodes", "let", "contacts", "states", "inputs", "tables", "initial", "events", "groups", "solve", "expect"]

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

    def add(self, section: str, name: str, value=None, **keys) -> Expression:
        """An entry of any section of model files: add("media", "oil", density="870 kg/m^3"), add("groups", "front", [a, b])."""
        if section not in self._sections:
            raise ValueError(f"there is no section {section!r}; there are {', '.join(self._SECTIONS)}")
        if value is None:
            return self._put(section, name, keys)
        if keys:
            raise TypeError("give a value or keys, not both")
        self._put(section, name, {})
        self._sections[section][name] = value
        return Expression(name)

    def ports(self, closed: Optional[bool] = None, **places) -> None:
        """Ports of a model that others use as a subsystem: ports(top=strut.top). closed: others attach to ports only."""
        self._head["ports"] = {k: str(v) for k, v in places.items()}
        self._head["closed"] = closed

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

    def device(self, name: str, type: Optional[str] = None, **keys) -> Expression:
        """A device; use="motor.fmu" instead of a type: equations in an FMU."""
        return self._put("devices", name, {"type": type, **keys})

    def let(self, name: str, value) -> Expression:
        """A name for an expression."""
        return self.add("let", name, value)

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

    def output(self, *channels, **named) -> None:
        """Records channels: output(pivot.angle, pivot.rate, power=motor.value * pivot.rate)."""
        self._outputs += [str(c) for c in channels if c is not None]
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

    def model(self, **parameters) -> Model:
        """The model, with other values of parameters if some are given."""
        model = parse(self.text, self._folder, functions=self._functions)
        return model.with_parameters(**parameters) if parameters else model
