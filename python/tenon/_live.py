"""A live view of a session: a page in the notebook that shows the state after every call."""
from __future__ import annotations

import http.server
import secrets
import threading
from typing import Optional

import numpy as np

from . import _page

_PREVIEW = 2.0          # s of motion from the start that the picture is fitted to


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
        scene = self._session._scene()
        names, self._ends = _page.split(scene)
        with self._lock:
            self._page = page.encode()
            self._revision += 1
        self._dimension = scene["dimension"]
        self._readout = self._session.readout(names)
        self.update()

    def update(self) -> None:
        """Takes the present state."""
        bodies = [values.reshape(1, -1) for values in np.split(self._readout(), self._ends)]
        frame = np.array([self._session.t, *_page.poses(bodies, self._dimension)[0]], dtype="<f4").tobytes()
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
