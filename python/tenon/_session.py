"""Sessions: models being solved, step by step."""
from __future__ import annotations

import json
import time
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _tenon
from ._errors import number, unknown, warn
from ._live import View
from ._results import Channel, Page, Results, table_columns

_ENDED = {0: "", 1: "end", 2: "interrupted", 3: "stopped"}


def multiple(count: int, length: float) -> float:
    """count * length as a decimal number where length is one: 3 * 0.1 is 0.3, as the engine counts its samples."""
    unit = 1.0
    while unit <= 1e12:
        whole = round(length * unit)
        if whole / unit == length and abs(count * whole) < 2 ** 53:
            return count * whole / unit
        unit *= 10
    return count * length


class Readout:
    """Channels looked up once, for loops: `readout()` returns their present values as a new array, `readout.into(array)` writes
    them into one that is there."""

    def __init__(self, raw, names: Sequence[str]):
        self._raw = raw
        self.names = list(names)
        self.units: List[str] = raw.units()
        self._count = len(self.names)
        self.into = raw.into

    def __call__(self) -> np.ndarray:
        values = np.empty(self._count)
        self.into(values)
        return values


class Session:
    """A model being solved. Made by Model.session().

    `s.advance(0.5)` goes on by half a second, `s["pin.angle"]` reads a channel or an expression, `s["torque"] = 3` sets an
    input, `s.apply({"remove": "elbow"})` changes the mechanism in mid-motion, `s.undo()` takes that back.
    """

    def __init__(self, raw, model=None):
        self._raw = raw
        self._model = model
        self._inputs: Tuple[str, ...] = ()
        self._view: Optional[View] = None
        warn(raw.diagnostics())

    # ---- time ----

    @property
    def t(self) -> float:
        """The time, s."""
        return self._raw.time()

    def advance(self, duration: Union[float, str]) -> str:
        """Goes on by a duration: s, or a text such as "5 ms". Returns "" or, when an event ended the run, "stopped"."""
        if isinstance(duration, str):
            duration = number(duration, "s")
        return self._seen(_ENDED[self._raw.advance(duration)])

    def advance_to(self, time: Union[float, str]) -> str:
        """Goes on to a time, which must not be over; rewind by snapshots or undo."""
        if isinstance(time, str):
            time = number(time, "s")
        if time < self.t - 1e-9 * abs(self.t):
            raise ValueError(f"the session is at {self.t:g} s and cannot go back to {time:g} s: restore a snapshot")
        return self._seen(_ENDED[self._raw.advance_to(time)])

    def step(self) -> str:
        """Takes one step of the integrator."""
        return self._seen(_ENDED[self._raw.step()])

    def run(self, until: Union[float, str]) -> Results:
        """Goes on to a time and returns the samples of the model's outputs on the way."""
        self._raw.record(True)
        names = self._raw.recorded()
        self.advance_to(until)
        return Results(table_columns(names, self._raw.samples()), self._model.name if self._model else "", self.summary)

    def control(self, until: Union[float, str], period: Union[float, str], controller: Callable[["Session"], object]) -> None:
        """Advances and calls controller(session) exactly at the multiples of period (s, or "1 ms"); it reads channels and sets inputs.

        An answer of False ends the call, and so does an event that stops the run.
        """
        until, period = number(until, "s"), number(period, "s")
        if not 0 < period < np.inf:
            raise ValueError(f"samples cannot be {period} s apart")
        k = int(np.ceil(self.t / period * (1 - 1e-12)))
        while multiple(k, period) < until * (1 - 1e-12):
            if self.advance_to(multiple(k, period)):
                return
            sample = self.t
            if controller(self) is False:
                return
            if self.t != sample:
                raise RuntimeError(f"the controller has moved the session from t = {sample:g} s to {self.t:g} s: it reads channels, "
                                   "sets inputs and edits, nothing else")
            k += 1
        self.advance_to(until)

    # ---- numbers ----

    def __getitem__(self, channel: str) -> float:
        """The present value of a channel or of an expression of channels, in SI."""
        return self._raw.value(channel)

    def _input(self, name: str, value: Union[float, str]) -> float:
        """A value of an input in SI; the unit of a text is checked."""
        return number(value, dict(self._raw.channels()).get(name)) if isinstance(value, str) else float(value)

    def __setitem__(self, name: str, value: Union[float, str]) -> None:
        """Sets an input of the model; the value holds from now on."""
        self._raw.input(name, self._input(name, value))

    def input(self, name: str, value: Union[float, str], rate: float = 0.0, within: Union[float, str] = 0.0) -> None:
        """Sets an input of the model, with a rate: the value changes linearly from now on. With `within`, the input goes
        from its present value and rate to these within so many seconds, as a cubic: to be set before every step."""
        self._raw.input(name, self._input(name, value), float(rate), number(within, "s"))

    def inputs(self, names: Sequence[str], values) -> None:
        """Sets several inputs at once."""
        self._raw.inputs(tuple(names), np.ascontiguousarray(values, dtype=float))

    def readout(self, channels: Iterable[str]) -> Readout:
        """Looks channels up once, for reading in a loop."""
        names = [channels] if isinstance(channels, str) else list(channels)
        return Readout(self._raw.readout(names), names)

    @property
    def channels(self) -> Dict[str, str]:
        """All channels with their units."""
        return dict(self._raw.channels())

    # ---- edits ----

    def apply(self, command: Union[str, dict]) -> dict:
        """Changes the mechanism now: {"remove": "elbow"}, {"set": {"spring.stiffness": 200}}, {"add": {...}}.

        The language is that of model files (docs/live.md), as a dict or as text. Returns what happened.
        """
        return self._changed(self._raw.apply(command if isinstance(command, str) else json.dumps(command)))

    def undo(self, restore: bool = True) -> dict:
        """Reverts the last edit. restore: time and state return to the moment before it, too."""
        return self._changed(self._raw.undo(restore))

    def redo(self, restore: bool = True) -> dict:
        """Makes the edit again that was undone."""
        return self._changed(self._raw.redo(restore))

    @property
    def text(self) -> str:
        """The model as text, with all edits; comments and order are those of the file."""
        return self._raw.text()

    # ---- states ----

    @property
    def state(self) -> np.ndarray:
        """The state (positions, velocities, further states) as a vector: a copy. Assign to move the session there."""
        return np.asarray(self._raw.state())[0]

    @state.setter
    def state(self, values) -> None:
        self.set_state(self.t, values)

    def set_state(self, time: float, values) -> None:
        """Moves the session to another time and state; it is projected onto the joints first."""
        self._raw.set_state(float(time), np.ascontiguousarray(values, dtype=float))
        self._seen("")

    def rate_at(self, time: float, state) -> np.ndarray:
        """d(state)/dt at any time and state; the session does not move. For integrators of others."""
        return np.asarray(self._raw.rate_at(float(time), np.ascontiguousarray(state, dtype=float)))[0]

    def snapshot(self):
        """The complete state, kept in memory; restore(snapshot) returns to it, to the bit, any number of times."""
        return self._raw.snapshot()

    def restore(self, snapshot) -> None:
        """Returns to a snapshot of this session."""
        self._raw.restore(snapshot)
        self._changed({})

    def branch(self) -> "Session":
        """A second session with the same model and state, independent of this one."""
        return Session(self._raw.branch(), self._model)

    def save(self, path: str) -> None:
        """Saves model, edits and state; tenon.load_session continues from there."""
        self._raw.save(str(path))

    @property
    def hash(self) -> int:
        """A hash of the whole state: same build, same model, same hash."""
        return self._raw.hash()

    # ---- analyses at the present state ----

    def statics(self, time: Optional[float] = None, nearest: bool = False):
        """Moves the session to a static equilibrium."""
        from ._model import Statics
        return Statics(self._raw.statics(float("nan") if time is None else time, nearest), self)

    def modes(self):
        """Natural motions about the present state."""
        from ._model import Mode
        return [Mode(**m) for m in self._raw.modes()]

    def derivative(self, outputs: Sequence[str] = (), state=None, inputs: Optional[Dict[str, float]] = None):
        """How d(state)/dt and channels change, exactly to first order, when state and inputs change in a direction; time stands still.

        Returns two arrays. state: a direction over `state`; inputs: amounts by name.
        """
        names = [i[0] for i in self._model._raw.inputs()] if self._model else []
        along = np.zeros(self.state.shape) if state is None else np.ascontiguousarray(state, dtype=float)
        amounts = np.zeros(len(names))
        for name, amount in (inputs or {}).items():
            if name not in names:
                raise unknown("input", name, names)
            amounts[names.index(name)] = amount
        readout = self._raw.readout(list(outputs)) if outputs else None
        rate, change = self._raw.derivative(readout, along, amounts)
        return np.asarray(rate)[0], np.asarray(change)[0]

    def linearize(self, inputs: Optional[Sequence[str]] = None, outputs: Optional[Sequence[str]] = None):
        """x' = A x + B u, y = C x + D u about the present state."""
        from ._model import Linear
        return Linear(**self._raw.linearize(None if inputs is None else list(inputs),
                                            None if outputs is None else list(outputs)))

    @property
    def summary(self) -> dict:
        """Steps, drift and energy balance so far."""
        return self._raw.summary()

    @property
    def events(self) -> List[Tuple[float, str]]:
        """Events that fired: time and name."""
        return self._raw.events()

    def _scene(self) -> dict:
        """The present model as viewers see it."""
        return json.loads(self._raw.scene())

    def _page(self, until: float) -> str:
        """The motion of the present model from its start, with the present values of its inputs."""
        from ._model import Model
        own = self._model
        model = Model._of_text(self.text, own._folder if own else ".", {}, functions=own._functions if own else None)
        return model._page(until, inputs={i.name: self[i.name] for i in model.inputs})

    def show(self) -> Page:
        """The motion of the present model from its start to the present time, with the present values of its inputs, inline in
        Jupyter (see Results.animate)."""
        return Page(self._page(max(self.t, 1e-3)))

    def view(self) -> View:
        """A live view, inline in Jupyter or at its `url`: it shows the state after every call of this session."""
        if self._view is None:
            self._view = View(self)
        return self._view

    def play(self, duration: float, speed: float = 1.0, fps: float = 30.0) -> str:
        """Advances with the clock on the wall, `speed` simulated seconds a second, for whoever watches the view."""
        begin, clock = self.t, time.monotonic()
        ended, frame, frames = "", 0, max(1, round(duration / speed * fps))
        while frame < frames and not ended:
            frame += 1
            ended = self.advance_to(begin + duration * frame / frames)
            time.sleep(max(0.0, clock + frame / fps - time.monotonic()))
        return ended

    def __copy__(self) -> "Session":
        return self.branch()

    def __deepcopy__(self, memo) -> "Session":
        return self.branch()

    def __reduce__(self):
        raise TypeError("a session cannot be pickled: s.save(path) writes it, tenon.load_session(path) goes on; models and results can")

    def _seen(self, answer: str) -> str:
        if self._view is not None:
            self._view.update()
        return answer

    def _changed(self, answer: dict) -> dict:
        if self._view is not None:
            self._view.renew()
        return answer

    def close(self) -> None:
        """Frees the session; it is also freed when nobody refers to it any more."""
        self._raw.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *unused) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<Session, closed>" if self._raw.closed() else f"<Session at t = {self.t:g} s>"


def load_session(path: str) -> Session:
    """Continues a run that was saved with Session.save, to the bit."""
    return Session(_tenon.load_run(str(path)))
