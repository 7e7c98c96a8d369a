"""Models of several files, from outside: the tree, paths in channels and messages, exchange in a run.

usage: test_components.py PROGRAM [unittest options]
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
EXAMPLES = Path(__file__).parents[2] / "examples"

LINK = """\
tenon: 1
dimension: 2
parameters: { m: 1 kg }
bodies:
  rod: { mass: m, inertia: 0.1, position: [0.5, 0], frames: { head: { at: [-0.5, 0] }, tail: { at: [0.5, 0] } } }
ports: { head: rod.head, tail: rod.tail }
outputs: [rod.position]
"""
CHAIN = """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
subsystems:
  upper: { use: link.yaml }
  lower: { use: link.yaml, at: [1, 0] }
joints:
  hook: { type: revolute, between: [ground, upper.head], at: [0, 0] }
  elbow: { type: revolute, between: [upper.tail, lower.head] }
outputs: [lower.tail.position]
solve: { until: 1, record: 0.1 }
"""


class Components(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("link.yaml", LINK)
        self.write("chain.yaml", CHAIN)

    def write(self, name, text):
        (Path(self.folder.name) / name).write_text(text)

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder.name, capture_output=True, text=True,
                              timeout=60)

    def test_tree(self):
        told = self.run_program("info", EXAMPLES / "car/car.yaml").stdout
        self.assertRegex(told, r"(?m)^front_left +bodies 1, joints 1, forces 1; ports ball, top_arm, top_hinge \(.*"
                               r"suspension.yaml\)\n  hub +bodies 2, joints 1, forces 2; ports ball, foot, knuckle")
        found = json.loads(self.run_program("info", "chain.yaml", "--json").stdout)
        self.assertEqual([s["name"] for s in found["subsystems"]], ["upper", "lower"])
        self.assertEqual(found["subsystems"][1]["position"], [1, 0, 0])
        self.assertEqual(found["subsystems"][1]["ports"], {"head": "lower.rod.head", "tail": "lower.rod.tail"})

    def test_channels(self):
        self.assertEqual(self.run_program("run", "chain.yaml", "-o", "out.csv", "-q").returncode, 0)
        with open(Path(self.folder.name) / "out.csv") as table:
            header = next(csv.reader(table))
        self.assertEqual([column.split(" ")[0] for column in header],
                         ["t", "upper.rod.position.x", "upper.rod.position.y", "lower.rod.position.x",
                          "lower.rod.position.y", "lower.tail.position.x", "lower.tail.position.y"])
        self.assertEqual(self.run_program("animate", "chain.yaml", "-o", "out.html").returncode, 0)
        self.assertEqual(self.run_program("run", "chain.yaml", "-q", "-p", "lower.m=2 kg", "-o", "b.csv").returncode, 0)
        self.assertEqual(self.run_program("format", "-i", "chain.yaml", "link.yaml").returncode, 0)
        self.assertEqual(self.run_program("run", "chain.yaml", "-q", "-o", "c.csv").returncode, 0)
        folder = Path(self.folder.name)
        self.assertEqual((folder / "c.csv").read_text(), (folder / "out.csv").read_text())

    def test_messages(self):
        self.write("link.yaml", LINK.replace("mass: m", "mass: -1"))
        told = self.run_program("check", "chain.yaml")
        self.assertEqual(told.returncode, 1)
        self.assertEqual(told.stderr.splitlines(),
                         [f"link.yaml:5:16: error: body '{name}.rod': mass -1 kg must be positive"
                          for name in ("upper", "lower")])

    def test_exchange_in_a_script(self):
        self.write("heavy.yaml", LINK.replace("m: 1 kg", "m: 3 kg"))
        self.write("edits.yaml", "edits:\n  - { at: 0.5 s, do: { replace: { subsystems: { lower: { use: heavy.yaml } } } } }\n")
        told = self.run_program("run", "chain.yaml", "--script", "edits.yaml", "--journal", "run.journal", "-o", "a.csv")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("replaced lower", told.stdout + told.stderr)
        os.remove(Path(self.folder.name) / "heavy.yaml")
        os.remove(Path(self.folder.name) / "link.yaml")
        again = self.run_program("replay", "run.journal", "--check")
        self.assertEqual(again.returncode, 0, again.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
