"""Co-simulations that are solved with the model: `coupling: iterate` takes steps of the FMU back and repeats them.

usage: test_iterate.py PROGRAM
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROGRAM = os.path.abspath(sys.argv[1])

WHOLE = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: { mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0] }
  load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0] }
joints:
  pin: { type: revolute, between: [ground, arm], at: [0, 0] }
  hinge: { type: revolute, between: [ground, load], at: [2, 0] }
forces:
  pull: { type: motor, joint: pin, value: 20 N m/rad * (hinge.angle - pin.angle) }
  back: { type: motor, joint: hinge, value: 20 N m/rad * (pin.angle - hinge.angle) }
outputs: [pin.angle]
solve: { until: 0.4 s, record: 0.1 s, tolerance: 1e-10 }
"""
LOAD = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: { load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0] } }
joints: { hinge: { type: revolute, between: [ground, load], at: [2, 0] } }
inputs: { pin: { unit: rad } }
forces: { back: { type: motor, joint: hinge, value: 20 N m/rad * (pin - hinge.angle) } }
outputs: [tau: 20 N m/rad * (hinge.angle - pin)]
solve: { until: 0.4 s, record: 0.1 s, tolerance: 1e-10 }
"""
CUT = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: {{ arm: {{ mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0] }} }}
joints: {{ pin: {{ type: revolute, between: [ground, arm], at: [0, 0] }} }}
devices: {{ other: {{ use: load.fmu, coupling: iterate, period: {period}, inputs: {{ pin: pin.angle }} }} }}
forces: {{ pull: {{ type: motor, joint: pin, value: other.tau }} }}
outputs: [pin.angle]
solve: {{ until: 0.4 s, record: 0.1 s, integrator: {integrator}, tolerance: 1e-8 }}
"""
LOOP = """tenon: 1
devices:
  a: {{ use: {file}, coupling: iterate, period: 10 ms, inputs: {{ u: b.y }} }}
  b: {{ use: {file}, coupling: iterate, period: 10 ms, inputs: {{ u: a.y }} }}
outputs: [a.y, b.y]
solve: {{ until: 0.03 s, record: 10 ms }}
"""


class Iterate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tenon iterate ")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def program(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder, timeout=100, check=False)

    def export(self, name, text, *options):
        self.write(name + ".yaml", text)
        done = self.program("export", name + ".yaml", "-o", name + ".fmu", *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def rows(self, text):
        self.write("model.yaml", text)
        done = self.program("run", "model.yaml", "-o", "out.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "out.csv")) as file:
            return [[float(x) for x in row] for row in list(csv.reader(file))[1:]]

    def refused(self, text):
        self.write("model.yaml", text)
        done = self.program("run", "model.yaml")
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def change_description(self, before, after):
        """The FMU with another text in its description."""
        path = os.path.join(self.folder, "load.fmu")
        with zipfile.ZipFile(path) as old:
            files = {name: old.read(name) for name in old.namelist()}
        self.assertIn(before, files["modelDescription.xml"])
        files["modelDescription.xml"] = files["modelDescription.xml"].replace(before, after)
        with zipfile.ZipFile(path, "w") as new:
            for name, data in files.items():
                new.writestr(name, data)

    def error(self, whole, period, integrator):
        cut = self.rows(CUT.format(period=period, integrator=integrator))
        return max(abs(a[1] - b[1]) for a, b in zip(whole, cut, strict=True))

    def test_second_order(self):
        whole = self.rows(WHOLE)
        for version in ("2", "3"):
            self.export("load", LOAD, "--fmi", version)
            coarse, fine = (self.error(whole, period, "dopri5") for period in ("20 ms", "10 ms"))
            self.assertLess(coarse, 3e-4)               # values that hold for a period give 0.02 and more
            self.assertLess(fine, 0.3 * coarse)
        self.assertAlmostEqual(self.error(whole, "20 ms", "cvode"), coarse, 5)

    def test_loops(self):
        self.export("half", "tenon: 1\ninputs: { u: {} }\noutputs: [y: 0.5 * u + 1]\n", "--fmi", "3")
        for row in self.rows(LOOP.format(file="half.fmu")):
            self.assertAlmostEqual(row[1], 2, 9)
            self.assertAlmostEqual(row[2], 2, 9)
        self.export("whole", "tenon: 1\ninputs: { u: {} }\noutputs: [y: u + 1]\n")
        text = self.refused(LOOP.format(file="whole.fmu"))
        self.assertIn("network, at 'a.y': no solution", text)

    def test_refused(self):
        cut = CUT.format(period="10 ms", integrator="dopri5")
        self.export("load", LOAD)
        self.assertIn("'coupling' is for co-simulation", self.refused(cut.replace("coupling", "kind: me, coupling")))
        self.change_description(b'causality="input" variability="continuous"', b'causality="input" variability="discrete"')
        self.assertIn("discrete input 'pin', which 'coupling: iterate' cannot follow", self.refused(cut))
        self.change_description(b'canHandleVariableCommunicationStepSize="true"', b"")
        self.assertIn("no canHandleVariableCommunicationStepSize", self.refused(cut))
        self.change_description(b'canGetAndSetFMUstate="true"', b"")
        self.assertIn("(canGetAndSetFMUState), which 'coupling: iterate' needs", self.refused(cut))

    def test_end_of_simulation(self):
        self.export("load", LOAD + "events: { end: { when: t - 0.15 s, do: [stop] } }\n", "--fmi", "3")
        for kind in ("coupling: iterate", "kind: cs"):
            text = self.refused(CUT.format(period="10 ms", integrator="dopri5").replace("coupling: iterate", kind))
            self.assertIn("it wants the simulation to end here", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
