"""A model as an environment of reinforcement learning, in the manner of Gymnasium, without depending on it."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable, Optional, Sequence, Tuple

import numpy as np

from ._errors import Error
from ._model import Model


@dataclass
class Box:
    """Bounds of observations or actions."""
    low: np.ndarray
    high: np.ndarray

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.low.shape

    dtype = np.dtype(float)

    def sample(self, rng: Optional[np.random.Generator] = None) -> np.ndarray:
        rng = rng or np.random.default_rng()
        low, high = np.maximum(self.low, -1e3), np.minimum(self.high, 1e3)
        return rng.uniform(low, high)


class Environment:
    """reset and step of one mechanism, or of n at once (arrays then have a first axis of length n).

    observe: channels; act: inputs of the model; step: s between two actions; horizon: s until an episode is truncated.
    reward(observation, action) and terminated(observation) get arrays; with n, with a first axis.
    start(session, rng) may change the start of an episode: set inputs, state.
    """

    def __init__(self, model: Model, observe: Sequence[str], act: Sequence[str], step: float = 0.01, horizon: float = 10.0,
                 reward: Optional[Callable] = None, terminated: Optional[Callable] = None,
                 start: Optional[Callable] = None, n: Optional[int] = None, threads: int = 1, **settings):
        if n is not None and n < 1:
            raise ValueError(f"there cannot be {n} mechanisms")
        self.n, self.period, self.horizon = n, step, horizon
        self._act = tuple(act)
        self._reward, self._terminated, self._start = reward, terminated, start
        if np.ndim(act) != 1 or isinstance(act, str) or isinstance(observe, str):
            raise TypeError("observe and act are lists of names")
        self._sessions = [model._fresh().session(**settings) for _ in range(n or 1)]
        self._readouts = [s.readout(observe) for s in self._sessions]
        self._begin = [s.snapshot() for s in self._sessions]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._rng = np.random.default_rng()
        known = {i.name: i for i in model.inputs}
        for name in act:
            if name not in known:
                raise Error(text=f"the model has no input {name!r}; it has {', '.join(known) or 'none'}")
        self.action_space = Box(np.array([known[a].low for a in act]), np.array([known[a].high for a in act]))
        self.observation_space = Box(np.full(len(observe), -np.inf), np.full(len(observe), np.inf))
        self._observations = np.zeros((n or 1, len(observe)))
        self._failed = np.zeros(n or 1, dtype=bool)
        self._begun = np.full(n or 1, np.nan)           # s: start of the episode; NaN: none yet

    def _each(self, function, indices) -> None:
        if self._pool is None:
            for k in indices:
                function(k)
        else:
            list(self._pool.map(function, indices))

    def _restart(self, k: int) -> None:
        session = self._sessions[k]
        session.restore(self._begin[k])
        if self._start:
            self._start(session, self._rng)
        self._begun[k] = session.t
        self._readouts[k].into(self._observations[k])

    def reset(self, seed: Optional[int] = None, indices: Optional[Sequence[int]] = None):
        """Starts new episodes (of all, or of some). Returns observation and info."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        for k in range(self.n or 1) if indices is None else indices:       # in order: the numbers of rng are repeatable
            self._restart(k)
        return self._shape(self._observations.copy()), {}

    def _shape(self, array: np.ndarray):
        return array if self.n is not None else array[0]

    def _advance(self, k: int) -> None:
        try:
            self._sessions[k].advance(self.period)
            self._failed[k] = False
        except Error:                                                      # no step can be taken: the episode ends
            self._failed[k] = True
        self._readouts[k].into(self._observations[k])

    def step(self, action):
        """Sets the inputs, advances by one period. Returns observation, reward, terminated, truncated, info."""
        if np.isnan(self._begun).any():
            raise RuntimeError("call reset before the first step")
        actions = np.asarray(action, dtype=float).reshape(self.n or 1, len(self._act))
        clipped = np.clip(actions, self.action_space.low, self.action_space.high)
        for k, session in enumerate(self._sessions):
            session.inputs(self._act, clipped[k])
        self._each(self._advance, range(self.n or 1))
        seen = self._observations.copy()
        times = np.array([s.t for s in self._sessions]) - self._begun
        shown, acted = self._shape(seen), self._shape(clipped)
        reward = self._reward(shown, acted) if self._reward else self._shape(np.zeros(len(seen)))
        ended = self._terminated(shown) if self._terminated else self._shape(np.zeros(len(seen), dtype=bool))
        truncated = self._shape(times >= self.horizon - 1e-9)
        return shown, reward, np.logical_or(ended, self._shape(self._failed.copy())), truncated, {}

    def close(self) -> None:
        """Frees the sessions and threads."""
        if self._pool is not None:
            self._pool.shutdown()
        self._readouts, self._begin = [], []
        self._sessions = []
