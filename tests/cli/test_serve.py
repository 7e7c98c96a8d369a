"""Components of other machines: 'tenon serve' with TLS and tokens, and models that use it.

usage: test_serve.py PROGRAM [unittest options]
"""
import csv
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
ROOT = Path(__file__).parents[2]
OPEN = "side,stiffness,damping,strut_load,tyre_load"
TOKEN = "the-token-of-this-test"


class Serve(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "car"
        shutil.copytree(ROOT / "examples/car", self.path)
        self.environment = {**os.environ, "TENON_TOKEN": TOKEN}

    def serve(self, *options):
        """Starts a server of suspensions; returns its process and the address that it prints."""
        server = subprocess.Popen([PROGRAM, "serve", "suspension.yaml", "--open", OPEN, *options], cwd=self.path,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        self.addCleanup(self.end, server)
        for line in server.stdout:
            if line.startswith("tenon"):
                return server, line.strip()
        self.fail(server.stderr.read())

    def end(self, server):
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
        server.stdout.close()
        server.stderr.close()

    def model(self, name, use):
        """The car with other suspensions, without what is inside of them."""
        text = (self.path / "car.yaml").read_text().replace("use: suspension.yaml", f'use: "{use}"')
        lines = [line for line in text.splitlines() if "hub.wheel" not in line and "reference" not in line]
        (self.path / name).write_text("\n".join(lines).replace("until: 5 s", "until: 0.05 s").replace("(t - 2.5 s)", "t"))
        return name

    def run_program(self, *arguments, code=0, **environment):
        told = subprocess.run([PROGRAM, *arguments], cwd=self.path, capture_output=True, text=True, timeout=300,
                              env={**self.environment, **environment})
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told.stdout + told.stderr

    def last_row(self, table):
        with open(self.path / table) as lines:
            return [float(x) for x in list(csv.reader(lines))[-1]]

    def make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                       cwd=self.path, check=True, capture_output=True)

    def test_car_with_served_suspensions(self):
        """Through TLS the car moves as with the libraries in its own process."""
        self.make_certificate()
        server, address = self.serve("--certificate", "cert.pem", "--key", "key.pem")
        self.assertRegex(address, r"^tenon://localhost:\d+/suspension$")
        self.run_program("compile", "suspension.yaml", "-o", "suspension.so", "--disclose", "condense", "--open", OPEN)
        self.run_program("run", self.model("here.yaml", "suspension.so"), "-o", "here.csv")
        told = self.run_program("run", self.model("there.yaml", address), "-o", "there.csv", TENON_AUTHORITY="cert.pem")
        self.assertIn("expect", told)
        for a, b in zip(self.last_row("here.csv"), self.last_row("there.csv")):
            self.assertAlmostEqual(a, b, delta=1e-12)
        told = self.run_program("run", "there.yaml", code=1)
        self.assertRegex(told, r"there.yaml:\d+:\d+: error: subsystem 'front_left': .*TLS cannot be agreed on: self.signed")
        told = self.run_program("run", "there.yaml", code=1, TENON_AUTHORITY="cert.pem", TENON_TOKEN="wrong")
        self.assertIn("does not accept the token", told)
        self.run_program("run", "there.yaml", "--no-plugins", code=1, TENON_AUTHORITY="cert.pem")
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=30), 0)

    def test_nothing_of_the_file_travels(self):
        """A client sees names of ports and open parameters; a recording of its bytes has no other name of the file."""
        _, address = self.serve()
        port = int(address.rsplit(":", 1)[1].split("/")[0])
        recorder = Recorder(port)
        self.addCleanup(recorder.close)
        self.run_program("run", self.model("there.yaml", f"tenon+tcp://localhost:{recorder.port}/suspension"))
        words = set(re.findall(rb"[a-z_]{5,}", (self.path / "suspension.yaml").read_bytes()))
        seen = {word for word in words if word in recorder.bytes}
        known = f"Suspension suspension top_arm top_hinge {OPEN}".encode()
        self.assertGreater(len(recorder.bytes), 20000)
        self.assertEqual({word for word in seen if word not in known}, set())

    def test_refusals(self):
        for options, words in ((["--host", "0.0.0.0"], "needs TLS"), (["--token", "short"], "8 to 127 characters"),
                               (["--certificate", "cert.pem"], "needs its key")):
            told = self.run_program("serve", "suspension.yaml", *options, code=2)
            self.assertIn(words, told)
        self.assertIn("no such file", self.run_program("serve", "none.yaml", code=3).lower())

    def test_no_room(self):
        _, address = self.serve("--clients", "2")
        told = self.run_program("run", self.model("there.yaml", address), code=1)
        self.assertIn("no room: 2 components at a time (its option --clients)", told)

    def test_silent_connections(self):
        """Connections that never greet do not keep a client away."""
        _, address = self.serve()
        port = int(address.rsplit(":", 1)[1].split("/")[0])
        silent = [socket.create_connection(("localhost", port)) for _ in range(100)]
        time.sleep(1.2)
        self.run_program("check", self.model("there.yaml", address))
        for connection in silent:
            connection.close()


class Recorder:
    """Passes bytes between clients and a server on, and keeps those of the server."""

    def __init__(self, port):
        import threading
        self.target, self.bytes, self.open = port, b"", []
        self.listening = socket.create_server(("localhost", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, args=(threading,), daemon=True).start()

    def accept(self, threading):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            server = socket.create_connection(("localhost", self.target))
            self.open += [client, server]
            threading.Thread(target=self.pass_on, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(server, client, True), daemon=True).start()

    def pass_on(self, source, sink, keep):
        try:
            while piece := source.recv(65536):
                if keep:
                    self.bytes += piece
                sink.sendall(piece)
        except OSError:
            pass
        finally:
            sink.close()

    def close(self):
        for connection in [self.listening, *self.open]:
            connection.close()


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
