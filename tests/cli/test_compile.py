"""Subsystems compiled to libraries, from outside: the report, what is refused, what a library discloses.

usage: test_compile.py PROGRAM [unittest options]
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
SUSPENSION = Path(__file__).parents[2] / "examples/car/suspension.yaml"
LOOSE = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"


class Compile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.path, capture_output=True, text=True,
                              timeout=60)

    def test_report(self):
        told = self.run_program("compile", SUSPENSION, "-o", "corner.so", "--open", "stiffness,damping",
                                "--open", "side")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertRegex(told.stdout, r"(?s)^corner.so: Suspension \(spatial\).*level 3, open.*states +39"
                                      r".*ball.*top_arm.*top_hinge.*stiffness +26000 kg/s\^2.*damping.*side +1")
        found = json.loads(self.run_program("info", "corner.so", "--json").stdout)
        self.assertEqual(found["ports"], ["ball", "top_arm", "top_hinge"])
        self.assertEqual([p["name"] for p in found["parameters"]], ["stiffness", "damping", "side"])
        self.assertEqual((found["ok"], found["states"], found["level"], found["interface"]), (True, 39, 3, 2))
        self.assertEqual([p.name for p in self.path.iterdir()], ["corner.so"])

    def test_same_bytes(self):
        for name in ("a.so", "b.so"):
            self.assertEqual(self.run_program("compile", SUSPENSION, "-o", name).returncode, 0)
        self.assertEqual((self.path / "a.so").read_bytes(), (self.path / "b.so").read_bytes())

    def test_name_of_the_library(self):
        (self.path / "part.yaml").write_text(LOOSE + "ports: { p: a }\n")
        self.assertEqual(self.run_program("compile", "part.yaml").returncode, 0)
        self.assertIn("part.so: part (planar)", self.run_program("info", "part.so").stdout)

    def test_refusals(self):
        (self.path / "part.yaml").write_text(LOOSE)
        told = self.run_program("compile", "part.yaml", "-o", "x.so", "--json")
        self.assertEqual(told.returncode, 1)
        self.assertIn("part.yaml: error: the subsystem has no ports", told.stderr)
        self.assertFalse(json.loads(told.stdout)["ok"])
        self.assertFalse((self.path / "x.so").exists())
        self.assertEqual(self.run_program("compile", "none.yaml").returncode, 3)
        self.assertEqual(self.run_program("compile").returncode, 2)

    def test_no_plugins(self):
        self.assertEqual(self.run_program("compile", SUSPENSION, "-o", "x.so").returncode, 0)
        told = self.run_program("info", "x.so", "--no-plugins")
        self.assertEqual(told.returncode, 2)
        self.assertIn("libraries are refused here", told.stderr)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
