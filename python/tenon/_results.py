"""Results of runs: columns of numbers with units."""
from __future__ import annotations

import csv
from typing import Callable, Dict, Iterator, List, Optional, Sequence

import numpy as np

from . import _tenon
from ._errors import Error


class Channel(np.ndarray):
    """An array of numbers that knows its unit: a NumPy array in every other respect."""
    unit: str

    def __new__(cls, values, unit: str = "") -> "Channel":
        array = np.asarray(values).view(cls)
        array.unit = unit
        return array

    def __array_finalize__(self, source) -> None:
        self.unit = getattr(source, "unit", "")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """Arithmetic gives plain arrays: units of products are not tracked."""
        plain = [np.asarray(i) if isinstance(i, Channel) else i for i in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(np.asarray(o) if isinstance(o, Channel) else o for o in kwargs["out"])
        return getattr(ufunc, method)(*plain, **kwargs)

    def __reduce__(self):
        return Channel, (np.asarray(self), self.unit)

    def __deepcopy__(self, memo) -> "Channel":
        return Channel(np.array(self), self.unit)

    def __repr__(self) -> str:
        return f"{np.asarray(self)!r} {self.unit}".rstrip()


class Results:
    """A table of recorded channels over time.

    `res["pin.angle"]` is an array (no copy) with a unit; `res.t` the times. A channel that was not recorded is found by
    running the model once more, which gives the same motion to the bit.
    """

    def __init__(self, columns: Dict[str, Channel], name: str = "", summary: Optional[dict] = None,
                 again: Optional[Callable[[str], "Results"]] = None, page: Optional[Callable[[], str]] = None):
        self._columns = columns
        self._again = again
        self._page = page
        self.name = name                #: of the model
        self.summary = summary or {}    #: steps, drift, energy balance

    @property
    def t(self) -> Channel:
        """The times of the samples, s."""
        return self._columns["t"]

    def __getstate__(self) -> dict:
        """Pickled without the model: only what was recorded."""
        return {**self.__dict__, "_again": None, "_page": None}

    def __getitem__(self, name: str) -> Channel:
        if not isinstance(name, str):
            raise TypeError('a channel is named by a text, such as res["pivot.angle"]')
        if name in self._columns:
            return self._columns[name]
        if self._again is None:
            raise KeyError(f"{name!r} was not recorded; recorded are {', '.join(self._columns)}")
        for key, column in self._again(name)._columns.items():
            self._columns.setdefault(key, column)
        if name in self._columns:
            return self._columns[name]
        group = [key for key in self._columns if key.startswith(name + ".")]
        raise KeyError(f"{name!r} is a group of channels: {', '.join(group)}")

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def keys(self) -> List[str]:
        return list(self._columns)

    @property
    def units(self) -> Dict[str, str]:
        return {name: column.unit for name, column in self._columns.items()}

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no samples"
        return f"<Results of {self.name!r}: {len(self.t)} samples, {span}; {', '.join(self._columns)}>"

    def to_pandas(self):
        """A pandas.DataFrame with time as its index; units are in `frame.attrs["units"]`."""
        import pandas
        frame = pandas.DataFrame({k: np.asarray(v) for k, v in self._columns.items() if k != "t"},
                                 index=pandas.Index(np.asarray(self.t), name="t"))
        frame.attrs["units"] = self.units
        return frame

    def to_csv(self, path: str) -> None:
        """Writes the table in the format of `tenon run`."""
        with open(path, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([f"{k} [{v.unit}]" if v.unit else k for k, v in self._columns.items()])
            for row in zip(*self._columns.values()):
                writer.writerow([repr(float(x)) for x in row])

    def plot(self, *names: str, x: str = "t", axes=None):
        """Draws channels over time (or over another channel) with Matplotlib; one diagram for each unit. Returns the axes."""
        import matplotlib.pyplot as plt
        chosen: Sequence[str] = names or [k for k in self._columns if k != "t"]
        units: Dict[str, List[str]] = {}
        for name in chosen:
            units.setdefault(self[name].unit, []).append(name)
        if axes is None:
            _, axes = plt.subplots(len(units), 1, sharex=True, squeeze=False, figsize=(7, 2.4 * len(units)))
            axes = axes[:, 0]
        axes = np.atleast_1d(axes)
        for ax, (unit, group) in zip(axes, units.items()):
            for name in group:
                ax.plot(self[x], self[name], label=name)
            ax.set_ylabel(unit or "1")
            ax.legend()
            ax.grid(True, alpha=0.3)
        axes[-1].set_xlabel(f"{x} [{self[x].unit}]")
        return axes

    def animate(self) -> "Page":
        """The motion as a page that plays it, inline in Jupyter; `.save(path)` writes it."""
        if self._page is None:
            raise Error(text="these results have no model to animate")
        return Page(self._page())


class Page:
    """A self-contained web page; Jupyter shows it in a frame."""

    def __init__(self, html: str):
        self.html = html

    def save(self, path: str) -> str:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return path

    def _repr_html_(self) -> str:
        text = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{text}" width="100%" height="480" style="border:0"></iframe>'


def table_columns(names, table) -> Dict[str, Channel]:
    """Views of the columns of a table (rows by columns); the table stays alive through them."""
    array = np.asarray(table)
    return {name: Channel(array[:, k], unit) for k, (name, unit) in enumerate(names)}


def read_results(path: str) -> Results:
    """Reads a table of results, CSV or HDF5: files of `tenon run --output` and Results.to_csv."""
    names, table, model = _tenon.read_results(str(path))
    array = np.asarray(table)
    return Results({name: Channel(array[k], unit) for k, (name, unit) in enumerate(names)}, model or str(path))
