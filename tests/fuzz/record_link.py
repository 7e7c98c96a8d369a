#!/usr/bin/env python3
"""Writes the corpus of the fuzz target 'link': what 'tenon serve' answers to a model that uses a small component.

usage: tests/fuzz/record_link.py PROGRAM FILE
To be run again when the messages between models and servers change (src/library/link.c, isolated_impl.h).
"""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

PART = """tenon: 1
dimension: 2
bodies: { rod: { mass: 2 kg, inertia: 0.1 kg m^2, position: [0.5, 0], frames: { end: { at: [-0.5, 0] } } } }
ports: { hook: rod.end }
"""
MODEL = """tenon: 1
dimension: 2
subsystems: {{ part: {{ use: 'tenon+tcp://127.0.0.1:{port}/part' }} }}
joints: {{ pivot: {{ type: revolute, between: [ground, part.hook] }} }}
solve: {{ until: 2 ms, step: 1 ms, integrator: rk4 }}
"""


def pass_on(source, target, kept):
    while data := source.recv(1 << 16):
        if kept is not None:
            kept.append(data)
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def record(port, streams):
    listening = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            client, _ = listening.accept()
            server = socket.create_connection(("localhost", port))
            streams.append([])
            for source, target, kept in ((client, server, None), (server, client, streams[-1])):
                threading.Thread(target=pass_on, args=(source, target, kept), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listening.getsockname()[1]


def main(program, file):
    environment = {**os.environ, "TENON_TOKEN": "the-token-of-fuzzing"}
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "part.yaml").write_text(PART)
        server = subprocess.Popen([program, "serve", "part.yaml"], cwd=folder, stdout=subprocess.PIPE, text=True,
                                  env=environment)
        address = next(line.strip() for line in server.stdout if line.startswith("tenon"))
        streams = []
        port = record(int(address.rsplit(":", 1)[1].split("/")[0]), streams)
        Path(folder, "model.yaml").write_text(MODEL.format(port=port))
        subprocess.run([program, "run", "model.yaml"], cwd=folder, env=environment, check=True)
        server.terminate()
        server.wait()
    first, second = (b"".join(stream) for stream in (streams[0], max(streams[1:], key=lambda s: sum(map(len, s)))))
    Path(file).write_bytes(struct.pack("<H", len(first)) + first + second)
    print(len(streams), "connections,", len(first), "and", len(second), "bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
