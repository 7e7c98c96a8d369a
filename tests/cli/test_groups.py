"""tenon generate and tenon partition from outside.

usage: test_groups.py PROGRAM [unittest options]
"""
import json
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, USAGE, FILE = 0, 1, 2, 3
SHAPES = [("chain", 2), ("chain", 3), ("tree", 2), ("tree", 3), ("ladder", 2), ("ladder", 3), ("fleet", 3)]
EACH = {"chain": lambda n: (n, n), "tree": lambda n: (n, n), "ladder": lambda n: (2 * n + 1, 3 * n + 1),
        "fleet": lambda n: (17 * n, 20 * n)}
OPENS_WITHIN = 10       # s for 10 000 bodies on a busy machine


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tenon(self, *words, status=OK):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def generate(self, kind, size, dimension=3):
        path = self.folder / f"{kind}.yaml"
        self.tenon("generate", kind, "--size", size, "-d", dimension, "-o", path)
        return path


class Generate(Case):
    def test_models_are_sound(self):
        for kind, dimension in SHAPES:
            for size in (1, 2, 12):
                with self.subTest(kind=kind, dimension=dimension, size=size):
                    path = self.generate(kind, size, dimension)
                    bodies, joints = EACH[kind](size)
                    said = self.tenon("check", path).stdout
                    self.assertRegex(said, rf"ok \({bodies} bod(y|ies), {joints} joints?\)")
                    self.tenon("format", "--check", path)

    def test_models_run(self):
        for kind, dimension in SHAPES:
            with self.subTest(kind=kind, dimension=dimension):
                path = self.generate(kind, 3, dimension)
                done = self.tenon("run", path, "--until", "0.05", "--json", "-o", "table.csv")
                summary = json.loads(done.stdout)["summary"]
                self.assertLess(summary["energy_error_relative"], 1e-6)
                self.assertLess(summary["max_drift"], 1e-10)

    def test_the_fleet_stands_in_balance(self):
        path = self.generate("fleet", 1)
        text = path.read_text()
        path.write_text(text.replace("velocity: [0, 0, 0.1]", "velocity: [0, 0, 0]"))
        done = self.tenon("run", path, "--json", "-o", "table.csv")
        self.assertEqual(json.loads(done.stdout)["end"], "complete")
        rows = (self.folder / "table.csv").read_text().splitlines()
        heights = [float(row.split(",")[3]) for row in rows[1:]]
        self.assertLess(max(heights) - min(heights), 2e-5)

    def test_ten_thousand_bodies(self):
        start = time.monotonic()
        path = self.generate("chain", 10000)
        self.tenon("check", path)
        self.assertLess(time.monotonic() - start, OPENS_WITHIN)

    def test_to_standard_output(self):
        text = self.tenon("generate", "chain", "-n", 2).stdout
        self.assertTrue(text.startswith("# Written by tenon generate.\ntenon: 1\nname: Chain of 2 links\n"))
        document = json.loads(self.tenon("generate", "chain", "-n", 2, "--json").stdout)
        self.assertEqual(document, {"kind": "chain", "size": 2, "dimension": 3, "text": text})

    def test_mistakes(self):
        self.assertIn("did you mean 'ladder'?", self.tenon("generate", "lader", status=USAGE).stderr)
        self.assertIn("whole number", self.tenon("generate", "chain", "-n", "2.5", status=USAGE).stderr)
        self.assertIn("up to 200000", self.tenon("generate", "chain", "-n", "1e9", status=USAGE).stderr)
        self.assertIn("dimension '2'", self.tenon("generate", "fleet", "-d", "2", status=USAGE).stderr)
        self.assertIn("dimension '4'", self.tenon("generate", "chain", "-d", "4", status=USAGE).stderr)
        self.tenon("generate", "chain", "-o", "missing/chain.yaml", status=FILE)


class Partition(Case):
    def test_cars_are_parts(self):
        path = self.generate("fleet", 3)
        document = json.loads(self.tenon("partition", path, "--parts", 3, "--json").stdout)
        self.assertTrue(document["ok"])
        self.assertEqual(document["cut"], [])
        cars = sorted({body.split("_")[0] for body in part["bodies"]} for part in document["parts"])
        self.assertEqual(cars, [{"car0"}, {"car1"}, {"car2"}])
        self.assertIn("joints between parts: none", self.tenon("partition", path, "--parts", 3).stdout)

    def test_the_result_is_a_model(self):
        path = self.generate("ladder", 20, 2)
        said = self.tenon("partition", path, "--parts", 4, "--balance", "-o", "parts.yaml").stdout
        self.assertIn("between", said)
        self.tenon("format", "--check", "parts.yaml")
        values = []
        for name, solver in ((path, "direct"), ("parts.yaml", "hierarchical")):
            self.tenon("run", name, "--solver", solver, "--until", "0.2", "-q", "-o", "table.csv")
            last = (self.folder / "table.csv").read_text().splitlines()[-1]
            values.append([float(x) for x in last.split(",")[:3]])
        for a, b in zip(*values):
            self.assertAlmostEqual(a, b, delta=1e-10)

    def test_mistakes(self):
        path = self.generate("chain", 3)
        self.assertIn("3 bodies cannot be divided into 4 parts",
                      self.tenon("partition", path, "--parts", 4, status=USAGE).stderr)
        self.assertIn("whole number", self.tenon("partition", path, "--parts", 1.5, status=USAGE).stderr)
        self.tenon("partition", path, "-o", "parts.yaml")
        self.assertIn("has groups already",
                      self.tenon("partition", "parts.yaml", "-o", "again.yaml", status=MODEL).stderr)
        self.tenon("partition", "missing.yaml", status=FILE)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
