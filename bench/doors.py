#!/usr/bin/env python3
"""What the doors to other tools cost: inputs in C, steps of an FMU, calls from Python. Processor time, the least of several rounds.

usage: doors.py PROGRAM DOORS_BENCH [PACKAGE]      (PACKAGE: folder of the Python package, run with this Python)
"""
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
import zipfile

MODEL = """tenon: 1
dimension: 2
gravity: [0, -9.81]
inputs: { push: { unit: N } }
bodies:
  cart: { mass: 1 kg, inertia: 1 kg m^2 }
  pole: { mass: 0.2 kg, com: [0, 0.5], inertia: 0.02 kg m^2 }
joints:
  rail: { type: translational, between: [ground, cart] }
  pin: { type: revolute, between: [cart, pole] }
forces: { motor: { type: force, on: cart, value: [push, 0] } }
outputs: [pin.angle]
solve: { integrator: rk4, step: 1 ms, until: 100 s }
"""


def python_costs(package, path):
    """ns of a call of advance, and of a readout, beyond the engine's own work: calls that have nothing to do."""
    sys.path.insert(0, package)
    import numpy  # noqa: F401
    import tenon
    session = tenon.load(path).session()
    readout = session.readout(["pin.angle"])
    costs = {}
    for name, call in (("advance", lambda: session.advance(0.0)), ("readout", readout), ("empty", lambda: None)):
        best = float("inf")
        for _ in range(5):
            begin = time.process_time()
            for _ in range(400000):
                call()
            best = min(best, (time.process_time() - begin) / 400000)
        costs[name] = 1e9 * best
    print(f"python advance {costs['advance'] - costs['empty']:.0f} ns\npython readout {costs['readout'] - costs['empty']:.0f} ns")


def main():
    program, bench = [os.path.abspath(p) for p in sys.argv[1:3]]
    with tempfile.TemporaryDirectory() as folder:
        path, fmu = os.path.join(folder, "cart.yaml"), os.path.join(folder, "cart.fmu")
        with open(path, "w") as file:
            file.write(MODEL)
        subprocess.run([program, "export", path, "-o", fmu, "--kind", "cs"], check=True, stdout=subprocess.DEVNULL)
        with zipfile.ZipFile(fmu) as archive:
            archive.extractall(os.path.join(folder, "fmu"))
        root = ElementTree.parse(os.path.join(folder, "fmu", "modelDescription.xml")).getroot()
        subprocess.run([bench, path, os.path.join(folder, "fmu", "binaries", "linux64", "cart.so"), root.get("guid"), "push",
                        "pin.angle"], check=True)
        if len(sys.argv) > 3:
            python_costs(sys.argv[3], path)


if __name__ == "__main__":
    main()
