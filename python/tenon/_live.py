"""A live view of a session: a page in the notebook that shows the state after every call."""
from __future__ import annotations

import http.server
import json
import re
import secrets
import threading
from typing import List, Optional

import numpy as np

_PREVIEW = 2.0          # s of motion from the start that the picture is fitted to


def _channels(body: dict, dimension: int) -> List[str]:
    """What its pose is made of: position, then angle (plane) or quaternion (space) unless it is a particle."""
    turn = [] if body["type"] == "particle" else ["angle"] if dimension == 2 else [f"orientation.{k}" for k in "wxyz"]
    return [f"{body['name']}.{part}" for part in [*(f"position.{k}" for k in "xyz"[:dimension]), *turn]]


def _pose(values: np.ndarray, dimension: int) -> List[float]:
    """Position and quaternion, w first, from the values of the channels."""
    place = [*values[:dimension], *[0.0] * (3 - dimension)]
    turn = values[dimension:]
    if len(turn) == 1:
        return [*place, np.cos(turn[0] / 2), 0.0, 0.0, np.sin(turn[0] / 2)]
    return [*place, *(turn if len(turn) == 4 else [1.0, 0.0, 0.0, 0.0])]


class View:
    """The page of a session, at `url`; Jupyter shows it in a frame. Made by Session.view().

    A small server in this process, which only programs of this machine reach, gives the page and the last state to whoever
    has the address. The state is taken when a call of the session ends, never while it computes.
    """

    def __init__(self, session):
        self._session = session
        self._lock = threading.Lock()
        self._revision = 0
        self._page = self._frame = b""
        self.renew()
        token = secrets.token_urlsafe(16)
        view = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked, _, name = self.path.split("?")[0].removeprefix("/").partition("/")
                view._answer(self, name if secrets.compare_digest(asked, token) else None)

            def log_message(self, *unused):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/{token}/?live"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _answer(self, request, name: Optional[str]) -> None:
        with self._lock:
            known = {"": ("text/html; charset=utf-8", self._page), "poses": ("application/octet-stream", self._frame)}
            revision = self._revision
        if name not in known:
            request.send_error(404)
            return
        kind, body = known[name]
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.send_header("Revision", str(revision))
        request.send_header("Cache-Control", "no-store")
        request.end_headers()
        request.wfile.write(body)

    def renew(self) -> None:
        """Makes the page anew, after the model has changed."""
        page = self._session._page(_PREVIEW)
        scene = json.loads(re.search(r'id="scene"[^>]*>(.*?)</script>', page, re.S).group(1))
        bodies = [_channels(body, scene["dimension"]) for body in scene["bodies"]]
        with self._lock:
            self._page = page.encode()
            self._revision += 1
        self._dimension = scene["dimension"]
        self._ends = np.cumsum([len(names) for names in bodies])[:-1]
        self._readout = self._session.readout([name for names in bodies for name in names])
        self.update()

    def update(self) -> None:
        """Takes the present state."""
        poses = [_pose(values, self._dimension) for values in np.split(self._readout(), self._ends)]
        frame = np.array([self._session.t, *(x for pose in poses for x in pose)], dtype="<f4").tobytes()
        with self._lock:
            self._frame = frame

    def close(self) -> None:
        """Ends the server; the page keeps its last picture."""
        self._server.shutdown()
        self._server.server_close()
        if self._session._view is self:
            self._session._view = None

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="480" style="border:0"></iframe>'
