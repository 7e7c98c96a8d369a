"""assemble, kinematics and inverse from outside: statuses, tables, messages, JSON.

usage: test_motion.py PROGRAM [unittest options]
"""
import csv
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
EXAMPLES = Path(__file__).parents[2] / "examples"
OK, MODEL, USAGE, ASSEMBLY, STEP = 0, 1, 2, 4, 5

CRANK = """\
tenon: 1
dimension: 2
bodies:
  crank: { position: [0, 0], angle: 1, frames: { tip: { at: [0.3, 0] } } }
  rod: { position: [0.162, 0.252], angle: -0.53, frames: { end: { at: [0.5, 0] } } }
  piston: { position: [0.594, 0] }
joints:
  pivot: { type: revolute, between: [ground, crank] }
  elbow: { type: revolute, between: [crank.tip, rod] }
  wrist: { type: revolute, between: [rod.end, piston] }
  slide: { type: translational, between: [ground, piston] }
outputs: [pivot.angle, slide.position, slide.reaction.force]
solve: { until: 3, record: 0.1 }
"""
MOTOR = "drives: { motor: { joint: pivot, angle: 1 + 2 rad/s * t } }\n"
PUSH = "drives: { push: { joint: slide, position: 0.6 m + 0.1 m/s * t } }\n"


class Motion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text):
        (self.folder / "model.yaml").write_text(text)
        return "model.yaml"

    def tenon(self, *words, status=OK):
        done = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *words, status=OK):
        return json.loads(self.tenon(*words, "--json", status=status).stdout)

    def test_kinematics(self):
        done = self.tenon("kinematics", self.write(CRANK + MOTOR))
        header, *rows = csv.reader(done.stdout.splitlines())
        self.assertEqual(header, ["t [s]", "pivot.angle [rad]", "slide.position [m]"])
        self.assertEqual(len(rows), 31)
        for t, angle, position in (map(float, row) for row in rows):
            self.assertAlmostEqual(angle, 1 + 2 * t, delta=1e-12)
            s = 0.3 * math.sin(angle)
            self.assertAlmostEqual(position, 0.3 * math.cos(angle) + math.sqrt(0.25 - s * s), delta=1e-12)
        self.assertIn("2 outputs are left out ('slide.reaction.force.x'", done.stderr)
        self.assertIn("solved      3 of 3 s: 30 steps", done.stderr)

    def test_masses_are_asked_for_elsewhere(self):
        model = self.write(CRANK + MOTOR)
        for command in ("run", "inverse", "check", "info"):
            done = self.tenon(command, model, status=MODEL)
            self.assertIn("model.yaml:4:3: error: body 'crank': mass is missing", done.stderr)
            self.assertIn("body 'piston': mass is missing", done.stderr)

    def test_dead_point(self):
        done = self.tenon("kinematics", self.write(CRANK + PUSH), status=STEP)
        self.assertRegex(done.stderr, r"dead point at t = (2|1\.9999999999\d*) s: there 'elbow', 'pivot', 'wrist' can move")
        self.assertEqual(len(done.stdout.splitlines()), 21)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["model.yaml"])

    def test_not_driven(self):
        done = self.tenon("kinematics", self.write(CRANK), status=MODEL)
        self.assertIn("1 freedom is left; these joints can still move: 'elbow', 'pivot', 'wrist', 'slide'", done.stderr)

    def test_kinematics_as_json(self):
        answer = self.json("kinematics", self.write(CRANK + MOTOR), "--output", "motion.h5", "--until", 1)
        self.assertTrue(answer["ok"])
        self.assertEqual(answer["summary"]["steps"], 10)
        self.assertLess(answer["summary"]["max_drift"], 1e-11)
        self.tenon("diff", "motion.h5", "motion.h5")

    def test_inverse(self):
        answer = self.json("inverse", EXAMPLES / "robot-arm-inverse.yaml", "--output", "arm.csv")
        self.assertTrue(answer["driven"])
        work = sum(drive["work"] for drive in answer["drives"])
        summary = answer["summary"]
        self.assertAlmostEqual(work, summary["energy_end"] - summary["energy_start"], delta=1e-9)
        self.assertEqual([drive["name"] for drive in answer["drives"]], ["shoulder_motor", "elbow_motor"])
        self.assertEqual(answer["not_unique"], [])
        with open(self.folder / "arm.csv") as table:
            rows = list(csv.DictReader(table))
        peak = max((float(row["shoulder_motor.torque [N m]"]) for row in rows), key=abs)
        self.assertAlmostEqual(answer["drives"][0]["peak"], peak, delta=1e-2)
        text = self.tenon("inverse", EXAMPLES / "robot-arm-inverse.yaml", "--output", "arm.csv").stderr
        self.assertRegex(text, r"(?m)^shoulder_motor +91\.\d+ ")

    def test_inverse_of_what_swings_freely(self):
        done = self.tenon("inverse", EXAMPLES / "double-pendulum.yaml", "--until", 0.1, "--output", "table.csv")
        self.assertIn("it is found by forward dynamics", done.stderr)
        self.assertFalse(self.json("inverse", EXAMPLES / "double-pendulum.yaml", "--until", 0.1)["driven"])

    def test_assemble(self):
        model = EXAMPLES / "four-bar.yaml"
        done = self.tenon("assemble", model, "--fix", "pivot=30deg", "--weight", "coupler=100", "-o", "start.yaml")
        self.assertRegex(done.stdout, r"assembled in \d+ steps")
        self.assertRegex(done.stdout, r"(?m)^crank +0\.0517638 +30$")
        (self.folder / "again.yaml").write_text(f"tenon: 1\ninclude: [{model}, start.yaml]\n"
                                                "initial: { pivot: { angle: 30 deg } }\n")
        self.assertEqual(self.json("assemble", "again.yaml")["steps"], 0)
        answer = self.json("assemble", model, "--hold", "rocker", "--fix", "pivot.angle=60 deg", status=ASSEMBLY)
        self.assertIn("held: 'rocker'", answer["diagnostics"][0]["message"])

    def test_wishes_that_make_no_sense(self):
        model = EXAMPLES / "four-bar.yaml"
        for words, expected in (
            (["--fix", "pivto=1"], "there is no joint 'pivto'; did you mean 'pivot'?"),
            (["--fix", "pivot.position=1"], "names no coordinate of the joint"),
            (["--fix", "pivot=1 m"], "length"),
            (["--fix", "pivot"], "is not of the form JOINT=VALUE"),
            (["--weight", "crank=-1"], "is not greater than 0"),
            (["--weight", "crank"], "is not of the form BODY=NUMBER"),
            (["--hold", "ground"], "there is no moving body 'ground'"),
            (["-o", model], "is the model itself"),
        ):
            self.assertIn(expected, self.tenon("assemble", model, *words, status=USAGE).stderr)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
