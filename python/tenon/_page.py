"""Pages that play a motion: the player of `tenon animate`, with a scene and its poses."""
from __future__ import annotations

import base64
import json
from typing import List, Tuple

import numpy as np

from . import _tenon
from ._errors import Error

FPS = 60.0
_LEAST = 2.0            # s: a shorter run is played slower, else nobody sees it
_MARK = "<!--tenon-data-->"
_MOST = 256e6           # bytes of poses: what browsers open without trouble


def speed_of(until: float) -> float:
    """Simulated seconds a second: the largest of 1, 1/2, 1/5, 1/10, ... with which playing takes long enough to be seen."""
    slower, k = 1.0, 0
    while 0 < until * slower < _LEAST:
        slower *= 2.5 if k % 3 == 1 else 2
        k += 1
    return 1 / slower


def channels(scene: dict) -> List[List[str]]:
    """For each body what its pose is made of: position, then angle (plane) or quaternion (space) unless it is a particle."""
    dimension = scene["dimension"]
    return [[f"{body['name']}.{part}" for part in [
        *(f"position.{k}" for k in "xyz"[:dimension]),
        *([] if body["type"] == "particle" else ["angle"] if dimension == 2 else [f"orientation.{k}" for k in "wxyz"])]]
        for body in scene["bodies"]]


def poses(bodies: List[np.ndarray], dimension: int) -> np.ndarray:
    """Position and quaternion, w first, of each body in a row; bodies: rows of the values of its channels."""
    parts = []
    for values in bodies:
        n = len(values)
        turn = values[:, dimension:]
        if turn.shape[1] == 1:
            zero = np.zeros((n, 2))
            turn = np.column_stack([np.cos(turn / 2), zero, np.sin(turn / 2)])
        elif turn.shape[1] == 0:
            turn = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
        parts += [values[:, :dimension], np.zeros((n, 3 - dimension)), turn]
    return np.column_stack(parts)


def _hold(rows: np.ndarray) -> np.ndarray:
    """A body that was removed stays where it was last."""
    for k in range(1, len(rows)):
        missing = np.isnan(rows[k])
        rows[k, missing] = rows[k - 1, missing]
    return np.nan_to_num(rows)


def make(scene: dict, times: np.ndarray, rows: np.ndarray, speed: float) -> str:
    """The page. rows: poses, one row for each time."""
    page = _tenon.player()
    if not page:
        raise Error(text="this package was built without the player (TENON_WEB=OFF)")
    frames = np.column_stack([times, _hold(rows)]).astype("<f4")
    if frames.nbytes > _MOST:
        raise Error(text=f"{len(frames)} frames of {frames.nbytes / 1e6:.3g} MB are too many for a page: run a shorter time")
    scene = {**scene, "generator": "tenon " + _tenon.version(), "speed": speed, "fps": FPS}
    text = json.dumps(scene).replace("<", "\\u003c")
    motion = base64.b64encode(frames.tobytes()).decode()
    head, tail = page.split(_MARK)
    return (f'{head}<script type="application/json" id="scene">{text}</script>\n'
            f'<script type="text/plain" id="motion">{motion}</script>\n{tail}')


def split(scene: dict) -> Tuple[List[str], np.ndarray]:
    """All channels in one list, and where the next body begins."""
    lists = channels(scene)
    return [name for names in lists for name in names], np.cumsum([len(names) for names in lists])[:-1]
