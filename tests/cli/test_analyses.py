"""tenon statics, modes and linearize from outside.

usage: test_analyses.py PROGRAM [unittest options]
"""
import csv
import json
import math
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
EXAMPLES = Path(__file__).parents[2] / "examples"
OK, MODEL, USAGE, FILE, STEP = 0, 1, 2, 3, 5
FALLING = "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: { ball: { mass: 1, inertia: 0.1 } }\n"


class Analyses(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = Path(self.folder.name) / name
        if text is not None:
            path.write_text(text)
        return str(path)

    def tenon(self, *words, status=OK):
        result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def json(self, *words, status=OK):
        return json.loads(self.tenon(*words, "--json", status=status).stdout)


class Groups(Analyses):
    def test_a_net_that_is_too_large_is_one_group(self):
        """40 x 40 plates with pins at their corners, and a door beside them."""
        bodies, joints = [], []
        for x in range(40):
            for y in range(40):
                bodies.append(f"  p{x}_{y}: {{ mass: 1, inertia: 1, position: [{x}, {y}] }}\n")
                for name, dx, dy in (("a", 1, 0), ("b", 0, 1)):
                    if x + dx < 40 and y + dy < 40:
                        joints.append(f"  {name}{x}_{y}: {{ type: revolute, between: [p{x}_{y}, p{x + dx}_{y + dy}], ends: "
                                      f"[{{ at: [{dx / 2}, {dy / 2}] }}, {{ at: [{-dx / 2}, {-dy / 2}] }}] }}\n")
        bodies.append("  door: { mass: 1, inertia: 1, position: [-9, 0] }\n")
        for name in ("low", "top"):
            joints.append(f"  {name}: {{ type: translational, between: [ground, door], at: [-9, 0] }}\n")
        text = "tenon: 1\ndimension: 2\nbodies:\n" + "".join(bodies) + "joints:\n" + "".join(joints)
        told = self.json("info", self.path("net.yaml", text))
        net, door = sorted(told["groups"], key=lambda group: -len(group["joints"]))
        self.assertEqual(len(net["joints"]), 2 * 39 * 40)
        self.assertEqual((sorted(door["joints"]), door["excess"]), (["low", "top"], 2))
        self.assertEqual(net["excess"] + door["excess"], told["equations"] - told["rank"])
        self.assertIn("told as one group", told["diagnostics"][0]["message"])


class Judge(Analyses):
    def test_rest(self):
        """Before the arm moves, round-off is all that differs between a step and two half steps."""
        result = self.tenon("run", EXAMPLES / "pid-arm.yaml", "--scheme", "baumgarte", "--integrator", "rk4", "--step", 5e-4,
                            "--until", 0.11, "-o", self.path("arm.csv"))
        self.assertNotIn("warning", result.stderr)


class Statics(Analyses):
    def test_letter_scale(self):
        w, a, b, beta, pan = 0.1, 0.06, 0.05, math.radians(60), 0.02
        for letter in 0, 0.02:
            answer = self.json("statics", EXAMPLES / "balance.yaml", "-p", f"letter={letter}")
            angle = math.atan(((pan + letter) * b - w * a * math.cos(beta)) / (w * a * math.sin(beta)))
            self.assertEqual(answer["kind"], "stable")
            self.assertAlmostEqual(answer["values"]["pivot.angle"], angle, delta=1e-12)
            self.assertAlmostEqual(answer["values"]["pivot.reaction.force.y"], 9.81 * (w + pan + letter), delta=1e-12)

    def test_shared_load(self):
        door = self.path("door.yaml", """tenon: 1
gravity: [0, 0, -9.81]
bodies: { leaf: { mass: 20, inertia: [3, 2, 1], com: [0.4, 0, 1] } }
joints:
  low: { type: revolute, between: [ground, leaf], at: [0, 0, 0.2], axis: z }
  top: { type: revolute, between: [ground, leaf], at: [0, 0, 1.8], axis: z }
outputs: [low.reaction.force.z, low.reaction.torque.z, low.angle]
solve: { until: 0.1 }
""")
        self.assertIn("not unique  low, top: redundant equations", self.tenon("statics", door).stdout)
        self.assertEqual(self.json("statics", door)["not_unique"], ["low", "top"])
        self.assertIn("not unique  low.reaction.force.z: redundant equations", self.tenon("run", door, "-o", self.path("x.csv")).stderr)
        self.assertEqual(self.json("run", door)["not_unique"], ["low.reaction.force.z"])
        shares = self.path("shares.yaml", Path(door).read_text().split("outputs:")[0] + """let: { load: top.reaction.force.z / 2 }
outputs: [{ pull: 2 * low.reaction.force.z }, { half: load }, { whole: low.reaction.force.z + top.reaction.force.z }, { rate: low.angle.rate }]
solve: { until: 0.1 }
""")
        for solver in ("direct", "hierarchical", "augmented", "uzawa"):
            self.assertEqual(self.json("run", shares, "--solver", solver)["not_unique"], ["pull", "half"])
        self.assertEqual(self.json("run", EXAMPLES / "balance.yaml")["not_unique"], [])

    def test_shared_drives(self):
        """Two drives of one parallelogram: how they share the torque is open, and so are torques and powers that are recorded."""
        model = self.path("two.yaml", """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  a: { mass: 1, inertia: 0.1, com: [0.5, 0], position: [0, 0], angle: 90 deg }
  b: { mass: 1, inertia: 0.1, com: [0.5, 0], position: [2, 0], angle: 90 deg }
  c: { mass: 2, inertia: 0.1, com: [1, 0], position: [0, 1], angle: 0 }
joints:
  h1: { type: revolute, between: [ground, a], at: [0, 0] }
  h2: { type: revolute, between: [ground, b], at: [2, 0] }
  h3: { type: revolute, between: [a, c], at: [0, 1] }
  h4: { type: revolute, between: [b, c], at: [2, 1] }
drives:
  m1: { joint: h1, angle: 0.5 * sin(2 rad/s * t) }
  m2: { joint: h2, angle: 0.5 * sin(2 rad/s * t) }
outputs: [m1.torque, m2.power, h1.angle, h1.reaction.force.y]
solve: { until: 0.1 }
""")
        self.assertEqual(self.json("run", model)["not_unique"], ["m1.torque", "m2.power"])

    def test_halted_drives(self):
        """A pendulum on a shaft that turns with w = 6 rad/s: at rest it swings with g / l, in the motion it falls away with w^2 - g / l."""
        model = self.path("governor.yaml", """tenon: 1
gravity: [0, 0, -9.81]
bodies:
  hub: { mass: 1, inertia: [0.1, 0.1, 0.1] }
  arm: { mass: 1, inertia: [1e-6, 1e-6, 1e-6], com: [0, 0, -1] }
joints:
  shaft: { type: revolute, between: [ground, hub], axis: z }
  pin: { type: revolute, between: [hub, arm], axis: y }
drives: { motor: { joint: shaft, rate: 6 rad/s } }
""")
        self.assertEqual(self.json("statics", model)["halted"], {"motor": 6})
        self.assertIn("\nhalted: motor (6 m/s or rad/s): ", self.tenon("statics", model).stdout)
        self.assertIn("\nhalted: motor (6 m/s or rad/s): ", self.tenon("modes", model).stdout)
        moving = self.tenon("modes", model, "--as-given").stdout
        self.assertNotIn("halted", moving)
        self.assertIn(f"grows  by e in {1 / math.sqrt(36 - 9.81):.4g} s: pin.angle 1", moving)
        begins = self.path("begins.yaml", Path(model).read_text().replace("rate: 6 rad/s", "acceleration: 3 rad/s^2"))
        self.assertIn("\nhalted: motor (3 m/s^2 or rad/s^2): ", self.tenon("statics", begins).stdout)
        self.assertEqual(self.json("statics", EXAMPLES / "balance.yaml")["halted"], {})

    def test_upside_down(self):
        text = self.tenon("statics", EXAMPLES / "balance.yaml", "--nearest", "-p", "start=150 deg").stdout
        self.assertIn("unstable equilibrium", text)
        self.assertIn("runs away along: ", text)

    def test_state_is_an_equilibrium(self):
        state = self.path("hanging.yaml")
        self.tenon("statics", EXAMPLES / "catenary.yaml", "-o", state)
        both = self.path("both.yaml", f"tenon: 1\ninclude: [{EXAMPLES / 'catenary.yaml'}, {state}]\n"
                                      "solve: { until: 0.2 s, record: 0.2 s }\n")
        rows = list(csv.DictReader(self.tenon("run", both, "--quiet").stdout.splitlines()))
        for column in rows[0]:
            if "position" in column:
                self.assertAlmostEqual(float(rows[0][column]), float(rows[-1][column]), delta=1e-6)

    def test_heavy_and_light(self):
        """An angle of 0.4 rad is not round-off of a million million newtons, nor a torque of 1e-14 N m of an angle."""
        for mass, length in (1e12, 1), (1e-9, 1e-6):
            k, m = 9.81 * mass * length, mass
            text = self.tenon("statics", self.path("arm.yaml", f"""tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: {{ a: {{ mass: {m}, inertia: {m * length ** 2}, com: [{length}, 0] }} }}
joints: {{ p: {{ type: revolute, between: [ground, a], limits: {{ angle: [-0.4, 2] }} }} }}
forces: {{ s: {{ type: torsion-spring, joint: p, stiffness: {0.1 * k} }} }}
""")).stdout
            values = dict(re.findall(r"^(\S+) +(\S+) (?:rad|N m|N)$", text, re.MULTILINE))
            self.assertEqual(float(values["p.angle"]), -0.4)
            self.assertAlmostEqual(float(values["p.angle.limit"]) / k, math.cos(0.4) - 0.04, delta=1e-8)
            self.assertEqual(float(values["p.reaction.force.x"]), 0)

    def test_falling(self):
        result = self.tenon("statics", self.path("falling.yaml", FALLING), status=STEP)
        self.assertIn("nothing holds it: what moves most is 'ball.position.y'", result.stderr)
        self.assertEqual(result.stdout, "")
        answer = self.json("statics", self.path("falling.yaml"), status=STEP)
        self.assertFalse(answer["ok"])

    def test_the_model_is_not_overwritten(self):
        model = self.path("scale.yaml", (EXAMPLES / "balance.yaml").read_text())
        self.tenon("statics", model, "-o", model, status=USAGE)
        self.assertEqual(Path(model).read_text(), (EXAMPLES / "balance.yaml").read_text())


class Modes(Analyses):
    def test_quarter_car(self):
        answer = self.json("modes", EXAMPLES / "vibration.yaml")
        self.assertFalse(answer["undamped"])
        self.assertEqual(len(answer["modes"]), 3)
        for mode in answer["modes"]:
            s = complex(*mode["eigenvalue"])
            if mode["frequency"] == 0:
                self.assertAlmostEqual(s.real, -10, delta=1e-9)        # the filter
                continue
            suspension, tyre = 20e3 + 1.5e3 * s, 180e3 + 100 * s
            determinant = (300 * s**2 + suspension) * (40 * s**2 + suspension + tyre) - suspension**2
            self.assertLess(abs(determinant) / abs(suspension * tyre), 1e-9)
            self.assertAlmostEqual(mode["omega"], abs(s), delta=1e-9)
            self.assertEqual(mode["shape"][0]["amount"], 1)

    def test_count_and_table(self):
        table = self.path("shapes.csv")
        text = self.tenon("modes", EXAMPLES / "catenary.yaml", "--count", 3, "-o", table).stdout
        self.assertEqual(len(re.findall(r"^ +\d+ ", text, re.MULTILINE)), 3)
        with open(table) as file:
            self.assertEqual({row["mode"] for row in csv.DictReader(file)}, {"1", "2", "3"})

    def test_as_given(self):
        top = self.path("top.yaml", "tenon: 1\ngravity: [0, 0, 0]\nbodies: { top: { mass: 1, inertia: [0.2, 0.2, 0.3],"
                                    " angular_velocity: [0, 0, 5] } }\n")
        answer = self.json("modes", top, "--as-given")
        self.assertNotIn("equilibrium", answer)
        self.assertAlmostEqual(answer["modes"][-1]["omega"], 0.3 / 0.2 * 5, delta=1e-9)        # nutation


class Linearize(Analyses):
    def assert_same(self, numbers, others):
        self.assertEqual([len(row) for row in numbers], [len(row) for row in others])
        for row, other in zip(numbers, others):
            for a, b in zip(row, other):
                self.assertTrue(math.isclose(a, b, rel_tol=1e-14), (a, b))

    def test_files_agree(self):
        model, answers = EXAMPLES / "vibration.yaml", {}
        words = ["--statics", "--inputs", "bumps,tyre.stiffness", "--outputs", "car.acceleration.y,hypot(tyre.length, 1 m)"]
        for ending in "csv", "json", "m":
            file = self.path("car." + ending)
            self.tenon("linearize", model, *words, "-o", file)
            answers[ending] = Path(file).read_text()
        whole = json.loads(answers["json"])
        self.assertEqual([v["name"] for v in whole["outputs"]], ["car.acceleration.y", "hypot(tyre.length, 1 m)"])
        self.assertEqual(len(whole["A"]), 7)
        blocks = [list(csv.reader(block.splitlines())) for block in answers["csv"].split("\n\n")]
        for block in blocks:
            numbers = [[float(x) for x in row[1:]] for row in block[1:]]
            self.assert_same(numbers, whole[block[0][0]])
        for name in "ABCD":
            rows = re.search(rf"^{name} = \[\n(.*?)\n?\];", answers["m"], re.DOTALL | re.MULTILINE).group(1)
            self.assert_same([[float(x) for x in row.split()] for row in rows.splitlines()], whole[name])

    def test_default_input_is_the_drive(self):
        answer = self.json("linearize", EXAMPLES / "vibration.yaml", "--statics")
        self.assertEqual([v["name"] for v in answer["inputs"]], ["bumps"])
        text = self.tenon("linearize", EXAMPLES / "vibration.yaml", "--list-inputs").stdout
        self.assertRegex(text, r"(?m)^tyre\.stiffness +N/m *$")
        self.assertRegex(text, r"(?m)^bumps +m/s\^2 +by default$")

    def test_moving(self):
        answer = self.json("linearize", EXAMPLES / "four-bar.yaml", "--time", 0.5)
        self.assertAlmostEqual(answer["time"], 0.5)
        self.assertEqual(len(answer["states"]), 2)

    def test_small_entries(self):
        """k / m = 1e15 1/s^2 does not hide the 1 of dx/dt = v in the same matrix."""
        text = self.tenon("linearize", self.path("micron.yaml", """tenon: 1
dimension: 2
bodies: { a: { mass: 1e-12, inertia: 1e-24 } }
joints: { s: { type: translational, between: [ground, a], axis: x } }
forces: { k: { type: force, on: a, value: ["-1e3 * s.position - 1e-9 * vel(s.position)", 0] } }
outputs: [s.position]
""")).stdout
        rows = text.split("A =\n")[1].splitlines()[:2]
        self.assertEqual([row.split() for row in rows], [["0", "1"], ["-1e+15", "-1000"]])

    def test_mistakes(self):
        model = EXAMPLES / "vibration.yaml"
        result = self.tenon("linearize", model, "--inputs", "tyre.stifness", status=USAGE)
        self.assertIn("did you mean 'tyre.stiffness'?", result.stderr)
        result = self.tenon("linearize", model, "--outputs", "car.positon.y", status=USAGE)
        self.assertIn("did you mean 'car.position.y'?", result.stderr)
        self.tenon("linearize", model, "--outputs", "2 * (car.position.y", status=MODEL)
        self.tenon("linearize", model, "-o", self.path("car.txt"), status=USAGE)
        self.tenon("linearize", model, "-o", self.path("no/such/folder.csv"), status=FILE)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
