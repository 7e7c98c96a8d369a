#!/usr/bin/env python3
"""Drives a studio from a script, with nothing but Python: cuts a joint of the four-bar and watches what falls.

usage: studio_client.py URL        the address that 'tenon studio examples/four-bar.yaml' prints
"""
import base64
import json
import os
import socket
import struct
import sys
from urllib.parse import parse_qs, urlparse


class Studio:
    def __init__(self, url):
        where, token = urlparse(url), parse_qs(urlparse(url).fragment)["token"][0]
        self.socket = socket.create_connection((where.hostname, where.port))
        self.socket.sendall((f"GET /session HTTP/1.1\r\nHost: {where.netloc}\r\nConnection: Upgrade\r\n"
                             f"Authorization: Bearer {token}\r\n"
                             "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tenon.1\r\n"
                             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
        self.file, self.asked = self.socket.makefile("rb"), 0
        if b" 101 " not in self.file.readline():
            raise SystemExit("the studio refused: wrong token?")
        while self.file.readline().strip():
            pass

    def receive(self):
        """The next message: a document, or the bytes of a frame (servers send each in one piece)."""
        kind, size = self.file.read(2)
        size = struct.unpack(">H", self.file.read(2))[0] if size == 126 else size
        size = struct.unpack(">Q", self.file.read(8))[0] if size == 127 else size
        data = self.file.read(size)
        return json.loads(data) if kind & 15 == 1 else data if kind & 15 == 2 else self.receive()

    def ask(self, verb, **parts):
        self.asked += 1
        data = json.dumps({"id": self.asked, "do": verb, **parts}).encode()
        self.socket.sendall(struct.pack(">BBH", 0x81, 0x80 | 126, len(data)) + bytes(4) + data)    # mask 0
        while True:
            answer = self.receive()
            if isinstance(answer, dict) and answer.get("id") == self.asked:
                if not answer["ok"]:
                    raise SystemExit(f"{verb}: {answer['message']}")
                return answer


studio = Studio(sys.argv[1])
studio.ask("subscribe", channels=["coupler.position.y", "energy.total"])
print("cut:", studio.ask("command", command={"remove": "wrist"})["text"])
studio.ask("speed", value=1)
for _ in range(60):
    while isinstance(frame := studio.receive(), dict) or struct.unpack_from("<I", frame, 40)[0] != 2:
        pass
    time, (height, energy) = struct.unpack_from("<d", frame, 16)[0], struct.unpack("<2d", frame[-16:])
print(f"t = {time:.3f} s: the coupler is at y = {height:.3f} m; energy {energy:.6f} J")
print("undo:", studio.ask("undo", restore=True)["text"])
