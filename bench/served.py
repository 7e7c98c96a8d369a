#!/usr/bin/env python3
"""What it costs to have components on other machines: the car of examples/car with its four suspensions served by four
processes, over connections with an added delay. Prints round trips and time for each step.

usage: served.py BUILD [DELAY_MS ...]
"""
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPEN = "side,stiffness,damping,strut_load,tyre_load"
STEPS = 20
ENVIRONMENT = {**os.environ, "TENON_TOKEN": "a-token-of-the-bench"}


class Delay:
    """A connection that passes bytes on after a delay, and counts the requests."""

    def __init__(self, port, delay):
        self.target, self.delay, self.requests = port, delay, 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listening.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.pass_on, args=(client, server), daemon=True).start()

    def pass_on(self, client, server):
        asking = False
        while True:
            for source in select.select([client, server], [], [])[0]:
                piece = source.recv(1 << 20)
                if not piece:
                    client.close()
                    server.close()
                    return
                if (source is client) != asking:         # the direction turns: half of the delay
                    asking = not asking
                    self.requests += asking
                    time.sleep(self.delay / 2)
                (server if source is client else client).sendall(piece)


def start_servers(program, folder, count):
    servers, ports = [], []
    for _ in range(count):
        servers.append(subprocess.Popen([program, "serve", "suspension.yaml", "--open", OPEN, "--host", "127.0.0.1"], cwd=folder,
                                        stdout=subprocess.PIPE, text=True, env=ENVIRONMENT))
        ports.append(int(re.search(r":(\d+)/", servers[-1].stdout.readline()).group(1)))
    return servers, ports


def run_model(program, folder, uses):
    """Seconds for each step, by the difference of two lengths of a run."""
    text = (folder / "car.yaml").read_text()
    for use in uses:
        text = text.replace("use: suspension.yaml", f'use: "{use}"', 1)
    lines = [line for line in text.splitlines() if "hub.wheel" not in line and "reference" not in line]
    (folder / "model.yaml").write_text("\n".join(lines).replace("(t - 2.5 s)", "t"))
    times = []
    for steps in (STEPS, 3 * STEPS):
        begin = time.monotonic()
        subprocess.run([program, "run", "model.yaml", f"--until={0.005 * steps}", "-o", "out.csv"], cwd=folder, check=True,
                       capture_output=True, env=ENVIRONMENT)
        times.append(time.monotonic() - begin)
    return (times[1] - times[0]) / (2 * STEPS)


def main():
    program = str(Path(sys.argv[1]).resolve() / "tenon")
    delays = [float(x) for x in sys.argv[2:]] or [0, 1, 10]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "car"
        shutil.copytree(ROOT / "examples/car", folder)
        subprocess.run([program, "compile", "suspension.yaml", "-o", "suspension.so", "--disclose", "condense", "--open", OPEN],
                       cwd=folder, check=True, capture_output=True)
        print(f"libraries in one process     {1e3 * run_model(program, folder, 4 * ['suspension.so']):8.3f} ms a step")
        servers, ports = start_servers(program, folder, 4)
        for delay in delays:
            ways = [Delay(port, delay / 1e3) for port in ports]
            cost = run_model(program, folder, [f"tenon+tcp://127.0.0.1:{way.port}/suspension" for way in ways])
            trips = sum(way.requests for way in ways) / (4 * 4 * STEPS)
            print(f"served, delay {delay:5g} ms       {1e3 * cost:8.3f} ms a step, {trips:.1f} round trips a step and component")
        for server in servers:
            server.terminate()


if __name__ == "__main__":
    main()
