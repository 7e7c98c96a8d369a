"""'tenon check' tells all mistakes of a model in one go, also of what depends on something wrong, and nothing that only follows from
them: random sets of mistakes in one model, against what is wrong with each line alone.

usage: test_mistakes_at_once.py PROGRAM [unittest options]; MISTAKES=N takes N sets in place of 60
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
COUNT = int(os.environ.get("MISTAKES", "60"))
MODEL = 1            # exit status of a model with mistakes

# Lines with what may be wrong in them: the text, and what takes its place.
LINES = [
    ("tenon: 1",),
    ("dimension: 2",),
    ("parameters: { L: 1 m, k: 3 N/mm }", ("1 m", "1 mm m^q"), ("3 N/mm", "3 N/mm + 1 kg")),
    ("bodies:",),
    ("  crank: { mass: 1 kg, inertia: 0.1, position: [L/2, 0] }", ("1 kg", "-1 kg"), ("L/2", "L/2 + 1 kg"), ("0.1", "0.1, colour: red"),
     ("inertia: 0.1", "inertia: 1 s")),
    ("  rod: { mass: 1, inertia: 0.1, position: [L, 0.5], frames: { end: { at: [1, 0] } } }", ("mass: 1", "mass: 1 m"),
     ("at: [1, 0]", "at: [1, zero]"), ("mass: 1,", "")),
    ("  block: { position: [2, 0], shapes: [ { box: { size: [1, 1] }, mass: 2 } ] }", ("size: [1, 1]", "size: [1 kg, 1]"),
     ("[2, 0]", "[2, 0, 0]"), ("mass: 2", "mass: -2")),
    ("joints:",),
    ("  pivot: { type: revolute, between: [ground, crank], at: [0, 0] }", ("at:", "on:"), ("crank", "crnk"), ("[0, 0]", "[0]")),
    ("  pin: { type: revolute, between: [crank, rod], at: [L, 0], limits: { angle: [-5, 5] } }", ("[-5, 5]", "[5, -5]"),
     ("angle:", "angel:"), ("rod", "road")),
    ("  rail: { type: translational, between: [ground, block], at: [2, 0], axis: [1, 0] }", ("[1, 0]", "[0, 0]"), ("block", "blok")),
    ("drives:",),
    ("  motor: { joint: pivot, rate: 2 rad/s * t / 1 s }", ("2 rad/s", "2 rad"), ("pivot", "pivt"), ("rate:", "speed:")),
    ("forces:",),
    ("  spring: { type: spring, between: [rod.end, block], stiffness: k, length: 1 m }", ("1 m", "1 kg"), ("rod.end", "rod.tip"),
     ("stiffness: k", "stiffness: k * pin.angel")),
    ("  push: { type: force, on: rod, value: [\"3 N * sin(pin.angle)\", 0] }", ("pin.angle)", "pin.angle"), ("3 N", "3 m"), ("on: rod", "on: rods")),
    ("  brake: { type: torsion-spring, joint: pivot, stiffness: 1 N m/rad }", ("joint: pivot", "joint: pivto"), ("1 N m", "1 kg")),
    ("contacts:",),
    ("  hit: { among: [block, ball], restitution: 0.5 }", ("0.5", "0.5 m"), ("ball", "bal")),
    ("outputs:",),
    ("  - pin.angle.rate", ("angle", "angel")),
    ("  - rod.end.position", ("position", "posn")),
    ("  - { power: motor.power + 1 W }", ("1 W", "1 N"), ("motor.power", "motor.powr")),
    ("  - spring.tension", ("tension", "tensions")),
    ("events:",),
    ("  stop: { when: pin.angle - 0.5, do: stop }", ("0.5", "0.5 m"), ("angle", "shut")),
    ("initial:",),
    ("  pin: { angle: 0.2 }", ("0.2", "2 m"), ("angle", "angel")),
    ("solve: { until: 1 s, integrator: rk4, step: 1 ms }", ("rk4", "rk5"), ("1 ms", "1 mm")),
]
# Mistakes that leave open what a name stands for: nothing is said of lines with the name, where it may be the reason.
UNCLEAR = {("1 m", "1 mm m^q"): "L", ("3 N/mm", "3 N/mm + 1 kg"): "k", ("pivot", "pivt"): "motor", ("rate:", "speed:"): "motor",
           ("2 rad/s", "2 rad"): "motor", ("angle:", "angel:"): "pin"}
BALL = "  ball: { position: [3, 3], shapes: [ { sphere: { radius: 0.1 }, mass: 1 } ] }"
LINES.insert(7, (BALL, ("0.1", "-0.1"), ("[3, 3]", "[3, x]")))


class AtOnce(unittest.TestCase):
    def check(self, changes):
        """The lines with errors, and the answer, of the model with these changes: {line: (text, other)}."""
        lines = [line[0] for line in LINES]
        for index, (text, other) in changes.items():
            self.assertIn(text, lines[index])
            lines[index] = lines[index].replace(text, other, 1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.yaml"
            path.write_text("\n".join(lines) + "\n")
            ran = subprocess.run([PROGRAM, "check", path.name], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
        return {int(n) - 1 for n in re.findall(r"^model\.yaml:(\d+):\d+: error: ", ran.stderr, re.M)}, ran

    def test_right(self):
        found, ran = self.check({})
        self.assertEqual((found, ran.returncode), (set(), 0), ran.stderr)

    def test_one(self):
        for index, line in enumerate(LINES):
            for change in line[1:]:
                with self.subTest(change=change):
                    found, ran = self.check({index: change})
                    self.assertEqual((found, ran.returncode), ({index}, MODEL), ran.stderr)

    def test_several(self):
        wrong = [index for index, line in enumerate(LINES) if len(line) > 1]
        for seed in range(COUNT):
            with self.subTest(seed=seed):
                chance = random.Random(seed)
                changes = {index: chance.choice(LINES[index][1:]) for index in chance.sample(wrong, chance.randint(2, 8))}
                found, ran = self.check(changes)
                unclear = [UNCLEAR[change] for change in changes.values() if change in UNCLEAR]
                hidden = {index for index in changes for name in unclear if re.search(rf"\b{name}\b", LINES[index][0])}
                self.assertLessEqual(found, set(changes), f"{changes}\n{ran.stderr}")
                self.assertLessEqual(set(changes) - hidden, found, f"{changes}\n{ran.stderr}")


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
