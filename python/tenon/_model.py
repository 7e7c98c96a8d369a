"""Models: loading, running, analysing and sweeping them."""
from __future__ import annotations

import inspect
import json
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _page, _tenon
from ._errors import Diagnostic, Error, number, unknown, warn
from ._results import Channel, Results, table_columns
from ._session import Session, multiple


class Function(NamedTuple):
    """A function of Python for expressions, with units: Function(grip, "N m", ("rad", "rad/s"))."""
    call: Callable[..., float]
    unit: Optional[str] = None                      #: of its value; None: any
    of: Optional[Tuple[Optional[str], ...]] = None  #: of its arguments

    def __call__(self, *arguments: float) -> float:
        return self.call(*arguments)


Functions = Dict[str, Callable[..., float]]


def _count(call: Callable) -> int:
    """How many arguments the function needs."""
    try:
        kinds = inspect.signature(call).parameters.values()
    except ValueError:                              # some built-in functions do not tell
        return 1
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in kinds)


def _entries(functions: Optional[Functions]) -> dict:
    """Functions as the C part takes them."""
    entries = {}
    for name, f in (functions or {}).items():
        f = f if isinstance(f, Function) else Function(f)
        if not callable(f.call):
            raise TypeError(f"function {name!r} cannot be called")
        of = None if f.of is None else tuple(f.of)
        entries[name] = (f.call, _count(f.call) if of is None else len(of), of, f.unit)
    return entries


class Input(NamedTuple):
    """An input of a model: what may be set while it runs."""
    name: str
    unit: str
    initial: float
    low: float
    high: float


@dataclass
class Mode:
    """A natural motion exp((re + i im) t); one of a conjugate pair stands for both."""
    re: float                       #: 1/s
    im: float                       #: 1/s
    frequency: float                #: Hz; 0: it does not oscillate
    damping: float                  #: of critical
    shape: List[Tuple[str, float, float]]   #: coordinate, amount, phase

    def __repr__(self) -> str:
        return f"<Mode {self.frequency:.6g} Hz, damping {self.damping + 0.0:.3g}, {self.shape[0][0] if self.shape else ''}>"


class Statics:
    """A static equilibrium; `eq["spring.force"]` reads any channel there."""

    def __init__(self, facts: dict, session: Session):
        self.__dict__.update(facts)
        self.session = session      #: at the equilibrium

    def __getitem__(self, channel: str) -> float:
        return self.session[channel]

    def __repr__(self) -> str:
        return f"<Statics: {self.kind}, {self.residual:.2g} N unbalanced of {self.load:.4g} N>"


@dataclass
class Linear:
    """x' = A x + B u, y = C x + D u for small changes about a state."""
    time: float
    states: List[Tuple[str, str, float]]    #: name, unit, value
    inputs: List[Tuple[str, str, float]]
    outputs: List[Tuple[str, str, float]]
    A: np.ndarray = field(repr=False)
    B: np.ndarray = field(repr=False)
    C: np.ndarray = field(repr=False)
    D: np.ndarray = field(repr=False)

    def __post_init__(self) -> None:
        self.A, self.B, self.C, self.D = (np.asarray(x) for x in (self.A, self.B, self.C, self.D))

    def __iter__(self):
        """A, B, C, D = lin"""
        return iter((self.A, self.B, self.C, self.D))

    def eigenvalues(self) -> np.ndarray:
        return np.linalg.eigvals(self.A)

    def to_scipy(self):
        """scipy.signal.StateSpace"""
        from scipy.signal import StateSpace
        return StateSpace(*self)

    def to_control(self):
        """control.StateSpace of python-control, with names"""
        import control
        return control.ss(*self, states=[s[0] for s in self.states], inputs=[s[0] for s in self.inputs],
                          outputs=[s[0] for s in self.outputs])


class Sweep:
    """Results of a sweep: `np.asarray(sweep)` has one number for each run (or one row, for several measures)."""

    def __init__(self, parameters: Dict[str, np.ndarray], measures: List[str], values: np.ndarray,
                 errors: Dict[int, Error]):
        self.parameters = parameters
        self.measures = measures
        self.values = values
        self.errors = errors        #: by run: why it failed; its numbers are NaN

    def __array__(self, dtype=None, copy=None):
        values = self.values[:, 0] if len(self.measures) == 1 else self.values
        return np.array(values, dtype=dtype)

    def __getitem__(self, name):
        if isinstance(name, str):
            if name in self.parameters:
                return self.parameters[name]
            return self.values[:, self.measures.index(name)]
        return np.asarray(self)[name]

    def __len__(self) -> int:
        return len(self.values)

    def to_pandas(self):
        import pandas
        return pandas.DataFrame({**self.parameters, **{m: self.values[:, k] for k, m in enumerate(self.measures)}})

    def plot(self, ax=None):
        """Draws the measures over the first parameter."""
        import matplotlib.pyplot as plt
        ax = ax or plt.subplots()[1]
        name, values = next(iter(self.parameters.items()))
        for k, measure in enumerate(self.measures):
            ax.plot(values, self.values[:, k], ".-", label=measure)
        ax.set_xlabel(name)
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return f"<Sweep: {len(self)} runs over {', '.join(self.parameters)}; {', '.join(self.measures)}>"


_HOW = {"max": np.max, "min": np.min, "mean": np.mean, "final": lambda x: x[-1], "first": lambda x: x[0],
        "rms": lambda x: float(np.sqrt(np.mean(np.square(x)))), "range": np.ptp,
        "peak": lambda x: np.max(np.abs(x))}


def _measure(text: str) -> Tuple[str, str]:
    """"max(elbow.reaction)" is ("max", "elbow.reaction"); a plain channel is its final value."""
    found = re.fullmatch(r"\s*(\w+)\((.*)\)\s*", text, re.S)
    if not found or found.group(1) not in _HOW:
        return "final", text.strip()
    depth = 0
    for c in found.group(2):
        depth += (c == "(") - (c == ")")
        if depth < 0 or (c == "," and depth == 0):      # max(a, b) is an expression
            return "final", text.strip()
    return found.group(1), found.group(2).strip()


class Model:
    """A mechanism as it is described. Made by tenon.load, tenon.parse or tenon.Builder."""

    def __init__(self, raw, source: Tuple[str, str], folder: str, parameters: Dict[str, float],
                 functions: Optional[Functions] = None):
        self._raw = raw
        self._functions = functions or {}
        self._source = source           # ("file", path) or ("text", text)
        self._folder = folder
        self._given = parameters
        warn(raw.diagnostics(), 4)

    @staticmethod
    def _of_file(path: str, parameters: Dict[str, float], functions: Optional[Functions] = None) -> "Model":
        raw = _tenon.read(path, parameters, _entries(functions))
        return Model(raw, ("file", path), os.path.dirname(path) or ".", parameters, functions)

    @staticmethod
    def _of_text(text: str, folder: str, parameters: Dict[str, float], name: str = "model.yaml",
                 functions: Optional[Functions] = None) -> "Model":
        raw = _tenon.parse(text, name, folder, parameters, _entries(functions))
        return Model(raw, ("text", text), folder, parameters, functions)

    def _fresh(self, parameters: Optional[Dict[str, float]] = None) -> "Model":
        """The same model once more, with a context of its own."""
        return _read_again(self._source, self._folder, {**self._given, **(parameters or {})}, self._functions)

    def with_parameters(self, **parameters) -> "Model":
        """The same model with other values of parameters."""
        return self._fresh(self._numbers(parameters))

    def _numbers(self, parameters: dict) -> Dict[str, float]:
        """Values of parameters in SI: numbers as they are, texts in the dimension of the parameter."""
        return {k: self._raw.parameter_value(k, v) if isinstance(v, str) else float(v) for k, v in parameters.items()}

    def __reduce__(self):
        """Pickled as its text, or as the path of its file, which is read again: for processes of multiprocessing."""
        return _read_again, (self._source, self._folder, self._given, self._functions)

    # ---- facts ----

    @property
    def name(self) -> str:
        return self._raw.facts()["name"]

    @property
    def dimension(self) -> int:
        return self._raw.facts()["dimension"]

    @property
    def parameters(self) -> Dict[str, float]:
        """Parameters of the file with the values in use, SI."""
        return {name: value for name, value, _ in self._raw.parameters()}

    @property
    def inputs(self) -> List[Input]:
        """What may be set while the model runs."""
        return [Input(*i) for i in self._raw.inputs()]

    @property
    def outputs(self) -> List[str]:
        """Channels that a run records."""
        return self._raw.outputs()

    @property
    def entities(self) -> List[Tuple[str, str, str]]:
        """Bodies, frames, joints, forces: kind, name, type."""
        return self._raw.entities()

    @property
    def text(self) -> str:
        """The text of the model's file."""
        return self._raw.file_text()[1] or self.session().text

    def check(self) -> List[Diagnostic]:
        """Finds all mistakes at once: raises Error, or returns the warnings."""
        return [Diagnostic(*d) for d in self._raw.check()]

    def __repr__(self) -> str:
        f = self._raw.facts()
        return f"<Model {f['name']!r}: {f['bodies']} bodies, {f['joints']} joints, {f['forces'] - len(self.inputs)} forces>"

    # ---- solving ----

    def session(self, *, analysis: str = "", **settings) -> Session:
        """Opens a session: the mechanism is put together at t = 0.

        Settings are those of "solve" in model files: until, step, tolerance, record, integrator, solver, scheme, ...
        analysis "kinematics" or "inverse": the drives determine the motion.
        """
        return Session(self._raw.open(_settings(settings), analysis), self)

    def run(self, until: Optional[float] = None, record: Optional[float] = None, *, outputs: Sequence[str] = (),
            inputs: Optional[dict] = None, analysis: str = "", **settings) -> Results:
        """Simulates the model from its start and returns what it records.

        until, record: s; default: as the model says. outputs: further channels or expressions. inputs: values by name, or
        functions of t, which are interpolated linearly between the samples. Other settings are those of "solve".
        """
        return self._run(until, record, outputs, inputs or {}, analysis, settings)

    def _run(self, until, record, outputs: Sequence[str], inputs: dict, analysis: str, settings: dict,
             watch: Callable = lambda session: None) -> Results:
        """watch is told of the session before it runs."""
        facts = self._raw.facts()
        until = facts["until"] if until is None else number(until, "s")
        record = None if record is None else number(record, "s")
        if not 0 <= until < np.inf:
            raise ValueError(f"a run cannot end at {until} s")
        if record is not None and not 0 <= record < np.inf:
            raise ValueError(f"samples cannot be {record} s apart")
        if isinstance(outputs, str):
            outputs = [outputs]
        given = dict(settings) if record is None else {**settings, "record": record}
        model = self._fresh()
        _add_outputs(model, outputs)
        session = model.session(analysis=analysis, until=until, **given)
        watch(session)
        _go(session, until, number(given.get("record", facts["record"]), "s"), inputs)
        names = _asked_names(session._raw.recorded(), outputs)
        table = session._raw.samples()

        def again(name: str) -> Results:
            return self._run(until, record, [*outputs, name], inputs, analysis, settings)

        return Results(table_columns(names, table), facts["name"], session.summary, again,
                       lambda: self._page(until, record, inputs, analysis, settings))

    def _page(self, until: float, record=None, inputs: Optional[dict] = None, analysis: str = "",
              settings: Optional[dict] = None) -> str:
        """The motion of a run as a page; the run is made once more, with the poses of all bodies."""
        speed = _page.speed_of(until)
        period = number(self._raw.facts()["record"] if record is None else record)
        model = self._fresh()
        start = model.session(analysis=analysis, **(settings or {}))
        scene = json.loads(start._raw.scene())
        start.close()
        names, ends = _page.split(scene)
        _add_outputs(model, names)
        session = model.session(analysis=analysis, until=until, **{**(settings or {}), "record": speed / _page.FPS})
        _go(session, until, period, inputs or {})
        columns = table_columns(session._raw.recorded(), session._raw.samples())
        bodies = [np.column_stack([columns[name] for name in part]) for part in np.split(np.array(names), ends)]
        return _page.make(scene, np.asarray(columns["t"]), _page.poses(bodies, scene["dimension"]), speed)

    def statics(self, time: Optional[float] = None, nearest: bool = False) -> Statics:
        """A static equilibrium from the start of the model."""
        return self.session().statics(time, nearest)

    def modes(self, equilibrium: bool = True) -> List[Mode]:
        """Natural motions about the equilibrium (or about the start)."""
        session = self.session()
        if equilibrium:
            session.statics()
        return session.modes()

    def linearize(self, inputs: Optional[Sequence[str]] = None, outputs: Optional[Sequence[str]] = None,
                  equilibrium: bool = False) -> Linear:
        """A, B, C, D about the start of the model (or about its equilibrium)."""
        session = self.session()
        if equilibrium:
            session.statics()
        return session.linearize(inputs, outputs)

    def sweep(self, of: Union[str, Sequence[str]], *, until: Optional[float] = None, threads: Optional[int] = None,
              settings: Optional[dict] = None, **parameters) -> Sweep:
        """Runs the model for many values of its parameters and measures each run.

        of: "max(elbow.reaction)", also min, mean, rms, peak, range, first, final; a list for several. A group of channels
        counts by its size: the length of a force. parameters: arrays; several make all combinations. A run that fails has
        NaN, and its reason in `.errors`; when all fail, the first reason is raised. Ctrl-C stops all runs.
        """
        measures = [of] if isinstance(of, str) else list(of)
        parsed = [_measure(m) for m in measures]
        names, known = list(parameters), self.parameters
        for name in names:
            if name not in known:
                raise unknown("parameter", name, known)
        grid = list(product(*[[self._numbers({n: x})[n] for x in np.atleast_1d(np.asarray(parameters[n], dtype=object))]
                              for n in names]))
        runs = _Runs()

        def one(values) -> Union[List[float], Error]:
            try:
                model = self._fresh(dict(zip(names, values)))
                outputs = [expression for _, expression in parsed]
                result = model._run(until, None, outputs, {}, "", settings or {}, runs.add)
                return [float(_HOW[how](_size(result, expression))) for how, expression in parsed]
            except Error as error:
                return error

        answers = runs.map(one, grid, threads or os.cpu_count())
        if answers and all(isinstance(a, Error) for a in answers):
            raise answers[0]
        table = np.array([[np.nan] * len(measures) if isinstance(a, Error) else a for a in answers])
        columns = {n: np.array([row[k] for row in grid]) for k, n in enumerate(names)}
        return Sweep(columns, measures, table.reshape(len(grid), len(measures)),
                     {k: a for k, a in enumerate(answers) if isinstance(a, Error)})


def _read_again(source: Tuple[str, str], folder: str, given: Dict[str, float], functions: Functions) -> Model:
    """A model that was pickled."""
    if source[0] == "file":
        return Model._of_file(source[1], given, functions)
    return Model._of_text(source[1], folder, given, functions=functions)


class _Runs:
    """Runs side by side in threads; an exception in the thread that waits, such as Ctrl-C, stops them all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: list = []
        self._stopped = False

    def add(self, session: Session) -> None:
        with self._lock:
            self._sessions.append(session)
            if self._stopped:
                session._raw.stop()

    def map(self, function: Callable, values: Sequence, threads) -> list:
        with ThreadPoolExecutor(threads) as pool:
            try:
                return list(pool.map(function, values))
            except BaseException:
                with self._lock:
                    self._stopped = True
                    for session in self._sessions:
                        session._raw.stop()
                pool.shutdown(wait=True, cancel_futures=True)
                raise


def _size(result: Results, name: str) -> np.ndarray:
    """A channel; of a group the size of its forces, or else of all its parts."""
    if name in result:
        return result[name]
    parts = [k for k in result if k.startswith(name + ".")]
    forces = [k for k in parts if result[k].unit == "N"] or parts
    if not forces:
        return result[name]
    return np.sqrt(sum(np.square(np.asarray(result[k])) for k in forces))


def _add_outputs(model: Model, outputs: Sequence[str]) -> None:
    """Channels and groups by name; expressions get names of their own."""
    for k, output in enumerate(outputs):
        if re.fullmatch(r"[\w.\-]+", output):
            model._raw.add_output(output)
        else:
            model._raw.add_output(f"expression_{k + 1}", output)


def _asked_names(columns: List[Tuple[str, str]], outputs: Sequence[str]) -> List[Tuple[str, str]]:
    """Columns under the names that were asked for: expressions, and short names such as pivot.rate, which is recorded as
    pivot.angle.rate. The columns of the outputs that were added come last, in their order."""
    names = [name for name, _ in columns]
    place = len(names)
    for output in reversed(outputs):
        if not any(name.startswith(output + ".") for name in names[place - 1:place]):
            place -= 1
            names[place] = output
            continue
        parts: set = set()
        while names[place - 1].startswith(output + ".") and names[place - 1] not in parts:
            place -= 1
            parts.add(names[place])
    return [(name, unit) for name, (_, unit) in zip(names, columns)]


def _settings(settings: dict) -> dict:
    """Values as model files spell them."""
    return {k: v if isinstance(v, str) else repr(float(v)) for k, v in settings.items() if v is not None}


def _go(session: Session, until: float, record: float, inputs: dict) -> None:
    """Advances to the end; inputs that are functions are followed linearly from sample to sample."""
    raw = session._raw
    moving = {name: f for name, f in inputs.items() if callable(f)}
    units = {i.name: i.unit for i in session._model.inputs}
    for name, value in inputs.items():
        if name not in moving and np.ndim(value) > 0:
            raise TypeError(f"input {name!r} is a number, a text with a unit or a function of t; for samples: "
                            "lambda t: np.interp(t, times, values)")
        if name not in moving:
            raw.input(name, number(value, units.get(name)))
    raw.record(True)
    if not moving:
        raw.advance_to(until)
        return
    period = record if record > 0 else until / 1000
    steps = int(np.ceil(until / period * (1 - 1e-12)))
    for k in range(steps):
        t, end = multiple(k, period), min(multiple(k + 1, period), until)
        for name, f in moving.items():
            now = float(f(t))
            raw.input(name, now, (float(f(end)) - now) / (end - t))
        raw.advance_to(end)


def load(path, *, functions: Optional[Functions] = None, **parameters) -> Model:
    """Reads a model file; parameters replace values of its "parameters": load("four-bar.yaml", r=0.12, mass="2 kg").

    functions: functions of Python that expressions of the model call, by name: load(path, functions={"grip": grip}) for
    "value: grip(pin.angle, pin.rate)". They get and return numbers in SI units, and must give the same value for the same arguments.
    A tenon.Function adds units, which are then checked.
    """
    texts = any(isinstance(v, str) for v in parameters.values())
    plain = Model._of_file(os.fspath(path), {}, functions) if texts else None      # has the dimensions of its parameters
    return Model._of_file(os.fspath(path), plain._numbers(parameters) if plain else {k: float(v) for k, v in parameters.items()},
                          functions)


def parse(text: str, folder: str = ".", name: str = "model.yaml", *, functions: Optional[Functions] = None) -> Model:
    """Reads a model from a text; files that it names are relative to folder. functions: as for load."""
    return Model._of_text(text, os.fspath(folder), {}, name, functions)
