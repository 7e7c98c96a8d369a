"""What the tests of `tenon export` share: a folder with FMUs of a pendulum, and tables of `tenon run` to compare with."""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from importer import FMU

PROGRAM, SOURCE = [os.path.abspath(path) for path in sys.argv[1:3]]
PENDULUM = """
tenon: 1
name: Driven pendulum
dimension: 2
gravity: [0, -9.81]
parameters: { L: 1 m, m: 1 kg }
inputs:
  torque: { unit: N m, default: 0.5, low: -10, high: 10 }
bodies:
  arm: { mass: m, com: [L / 2, 0], inertia: 0.1 kg m^2, frames: { tip: { at: [L, 0] } } }
joints:
  pivot: { type: revolute, between: [ground, arm] }
forces:
  motor: { type: motor, joint: pivot, value: torque }
outputs: [pivot.angle, pivot.rate, power: torque * pivot.rate, arm.tip.acceleration.y, torque]
solve: { until: 1 s, record: 0.1 s, tolerance: 1e-10 }
"""


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tenon fmu ")
        cls.model = os.path.join(cls.folder, "pendulum.yaml")
        with open(cls.model, "w") as file:
            file.write(PENDULUM)
        cls.fmus = {v: cls.export(cls.model, "--fmi", str(v)) for v in (2, 3)}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def export(cls, model, *options, name="p"):
        path = os.path.join(cls.folder, f"{name}{len(os.listdir(cls.folder))}.fmu")
        subprocess.run([PROGRAM, "export", model, "-o", path, *options], check=True, stdout=subprocess.DEVNULL)
        return FMU(path)

    def table(self, model, until, step):
        path = os.path.join(self.folder, "run.csv")
        subprocess.run([PROGRAM, "run", model, "--until", repr(until), "--record", repr(step), "--output", path, "--quiet"],
                       check=False, stderr=subprocess.DEVNULL)
        with open(path) as file:
            rows = list(csv.reader(file))
        return [n.split(" [")[0] for n in rows[0]], [[float(x) for x in r] for r in rows[1:]]

    def compare(self, rows, names, table, tolerance, what):
        head, expected = table
        self.assertEqual(len(rows), len(expected), what)
        for row, right in zip(rows, expected):
            for name, value in zip(names, row):
                wanted = right[head.index(name)]
                self.assertLessEqual(abs(value - wanted), tolerance * max(1, abs(wanted)), f"{what}: {name} at {right[0]}")
