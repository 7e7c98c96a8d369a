"""Tenon: how mechanisms move.

    import tenon
    m = tenon.load("four-bar.yaml", r=0.12)       # a model, with other values for its parameters
    res = m.run(until=5, record=1e-3)             # simulate it; res["pin.angle"] is an array with a unit
    s = m.session(); s.advance(0.5)               # or go step by step, and change the mechanism while it moves
    s["pin.angle"]; s.apply({"remove": "elbow"}); s.undo()
    m.statics(); m.modes(); m.linearize()         # rest, natural motions, A B C D

Numbers are in SI units: m, kg, s, rad, N. Where a number is expected, a text with a unit does as well: "120 mm".
Mistakes are exceptions of type tenon.Error whose text begins with file:line:column.
"""
from ._build import Builder, Expression, expression, time
from ._env import Box, Environment
from ._errors import Diagnostic, Error
from ._model import Function, Linear, Mode, Model, Statics, Sweep, load, parse
from ._results import Channel, Results, read_results
from ._session import Session, load_session
from . import _tenon

__version__ = _tenon.version()
__all__ = ["Box", "Builder", "Channel", "Diagnostic", "Environment", "Error", "Expression", "Function", "Linear", "Mode", "Model",
           "Results", "Session", "Statics", "Sweep", "expression", "load", "load_session", "parse", "read_results", "time"]
