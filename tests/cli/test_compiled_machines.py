"""Car and steam machine with a subsystem as a compiled library: the same motion with every way of solving, libraries
that take the place of files in a run, the motor written by hand with steps of its own.

usage: test_compiled_machines.py PROGRAM [unittest options]
"""
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
ROOT = Path(__file__).parents[2]
WAYS = {
    "direct": "solver: direct",
    "hierarchical": "solver: hierarchical",
}
STEAM_WAYS = {**WAYS, "parts": "integrator: modular"}


class CompiledMachine(unittest.TestCase):
    example = ""
    level = "open"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "model"
        if self.example:
            self.take(self.example)

    def take(self, example):
        shutil.copytree(ROOT / "examples" / example, self.path)

    def run_program(self, *arguments, code=0):
        told = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.path, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told.stdout + told.stderr

    def write(self, name, model, settings="", without="", compiled=""):
        """A variant of a model: other settings, without lines that have a word, an entry with its library."""
        lines = [line for line in (self.path / model).read_text().splitlines() if not without or without not in line]
        text = "\n".join(line.replace(".yaml", ".so") if compiled and line.startswith(f"  {compiled}:") else line
                         for line in lines)
        (self.path / name).write_text(text.replace("\nsolve: { ", "\nsolve: { " + settings))
        return name

    def check_counts(self, model, equations, rank, freedoms):
        told = self.run_program("info", model)
        self.assertRegex(told, rf"(?m)^equations +{equations}$")
        self.assertRegex(told, rf"(?m)^rank +{rank}\b")
        self.assertRegex(told, rf"(?m)^freedoms +{freedoms} by rank")

    def check_expectations(self, model, count):
        told = self.run_program("run", model, "-o", "out.csv")
        self.assertEqual(len(re.findall(r"(?m)^expect .*: ok$", told)), count, told)

    def column(self, table, name):
        with open(self.path / table) as lines:
            rows = list(csv.reader(lines))
        at = next(k for k, title in enumerate(rows[0]) if title.split(" ")[0] == name)
        return [float(row[at]) for row in rows[1:]]


class Car(CompiledMachine):
    example = "car"
    open = "side,stiffness,damping,strut_load,tyre_load"
    open_modes = []

    def compile(self):
        self.run_program("compile", "suspension.yaml", "-o", "suspension.so", "--open", self.open,
                         "--disclose", self.level)

    def with_library(self, settings):
        return self.write("compiled.yaml", "car.yaml", settings, "front_left.hub", "front_left")

    def test_solved_as_a_whole(self):
        self.compile()
        self.check_counts(self.with_library(""), 94, 88, 14)
        for name, settings in WAYS.items():
            with self.subTest(name):
                self.check_expectations(self.with_library(settings + ", "), 2)

    def test_solved_by_parts(self):
        self.compile()
        self.with_library("")
        (self.path / "parts.yaml").write_text(
            (self.path / "car-modular.yaml").read_text().replace("include: car.yaml", "include: compiled.yaml"))
        self.check_expectations("parts.yaml", 2)

    def test_a_library_takes_the_place_of_its_file(self):
        """The ports tell where the inside is, all but the wheel's turn: the car goes on as if nothing had happened."""
        self.compile()
        self.write("plain.yaml", "car.yaml", without="front_left.hub")
        text = (self.path / "plain.yaml").read_text()
        (self.path / "plain.yaml").write_text(text[:text.index("expect:")])
        (self.path / "edits.yaml").write_text(
            "edits:\n  - { at: 2.9 s, do: { replace: { subsystems: { front_left: { use: suspension.so } } } } }\n")
        self.run_program("run", "plain.yaml", "-o", "plain.csv")
        told = self.run_program("run", "plain.yaml", "--script", "edits.yaml", "--journal", "run.journal",
                                "-o", "a.csv")
        self.assertIn("the inside of 'front_left' begins anew", told)
        heights = zip(self.column("plain.csv", "chassis.position.z"), self.column("a.csv", "chassis.position.z"))
        self.assertLess(max(abs(a - b) for a, b in heights), 1e-9)
        self.run_program("replay", "run.journal", "--check")

    def test_a_file_takes_the_place_of_a_library(self):
        self.compile()
        self.with_library("")
        (self.path / "edits.yaml").write_text(
            "edits:\n  - at: 2 s\n    do: { replace: { subsystems: { front_left: { use: suspension.yaml } } } }\n")
        told = self.run_program("run", "compiled.yaml", "--script", "edits.yaml", "-o", "a.csv")
        self.assertRegex(told, r"replaced front_left, new: strut, hub, ")
        self.assertEqual(len(re.findall(r"(?m)^expect .*: ok$", told)), 2, told)

    def test_open_parameters_are_those_of_the_model(self):
        """From the command line, in a sweep and in a run, as with files."""
        self.compile()
        self.write("plain.yaml", "car.yaml", without="hub.wheel")
        text = (self.path / "plain.yaml").read_text()
        text = text[:text.index("expect:")]
        for name, part in (("plain", "suspension.yaml"), ("compiled", "suspension.so")):
            (self.path / f"{name}.yaml").write_text(text.replace("suspension.yaml", part))
        (self.path / "edits.yaml").write_text(
            "edits:\n  - { at: 2.6 s, do: { parameters: { rear_left.stiffness: 40 kN/m } } }\n")
        for name in ("plain", "compiled"):
            self.run_program("run", f"{name}.yaml", "-p", "front_left.stiffness=20000", "--script", "edits.yaml",
                             "-o", f"{name}.csv")
        told = self.run_program("sweep", "compiled.yaml", "--grid", "front_left.stiffness=2e4:3e4:2", "-o", "sweep.csv")
        self.assertIn("2 runs, 0 failed", told)
        z = [self.column(f"{name}.csv", "chassis.position.z") for name in ("plain", "compiled")]
        self.assertLess(max(abs(a - b) for a, b in zip(*z)), 1e-9)
        told = self.run_program("run", "compiled.yaml", "-p", "front_left.stifness=1", code=2)
        self.assertIn("no parameter 'front_left.stifness'; did you mean 'front_left.stiffness'?", told)

    def test_rest_and_natural_motions(self):
        """All four suspensions as libraries: how far the passenger's weight brings the car down, and its frequencies."""
        self.compile()
        text = (self.path / self.write("compiled.yaml", "car.yaml", without="hub.wheel")).read_text()
        (self.path / "compiled.yaml").write_text(text.replace("suspension.yaml", "suspension.so"))
        rest = json.loads(self.run_program("statics", "compiled.yaml", "--time", "5", "--json"))
        self.assertEqual(rest["freedoms"], 14)
        self.assertAlmostEqual(0.55 - rest["values"]["chassis.position.z"], 0.011243790, delta=1e-8)
        if not Car.open_modes:                         # the same for all that a library discloses
            Car.open_modes.extend(json.loads(self.run_program("modes", "car.yaml", "--json"))["modes"])
        modes = json.loads(self.run_program("modes", "compiled.yaml", "--json"))["modes"]
        self.assertEqual(len(modes), len(Car.open_modes))
        for open_mode, compiled_mode in zip(Car.open_modes, modes):
            self.assertAlmostEqual(open_mode["frequency"], compiled_mode["frequency"], delta=1e-6)

    def test_what_is_refused_says_what_to_do(self):
        self.compile()
        self.with_library("")
        for arguments, word in ((("run", "compiled.yaml", "--scheme", "penalty"), "take 'projection'"),
                                (("run", "compiled.yaml", "--integrator", "cvode"), "take 'dopri5'"),
                                (("kinematics", "compiled.yaml"), "'tenon run' integrates"),
                                (("stability", "compiled.yaml"), "'tenon modes'")):
            with self.subTest(arguments[0]):
                told = subprocess.run([PROGRAM, *arguments], cwd=self.path, capture_output=True, text=True, timeout=300)
                self.assertNotEqual(told.returncode, 0)
                self.assertIn(word, told.stderr)
                self.assertIn("front_left", told.stderr)

    def test_there_and_back(self):
        self.compile()
        self.write("plain.yaml", "car.yaml", without="front_left.hub")
        edit = "  - at: {} s\n    do: {{ replace: {{ subsystems: {{ front_left: {{ use: suspension.{} }} }} }} }}\n"
        (self.path / "edits.yaml").write_text("edits:\n" + edit.format(1, "so") + edit.format(2, "yaml"))
        told = self.run_program("run", "plain.yaml", "--script", "edits.yaml", "-o", "a.csv")
        self.assertRegex(told, r"(?m)^rank +88$")
        self.assertEqual(len(re.findall(r"(?m)^expect .*: ok$", told)), 2, told)


class OpenMachines(CompiledMachine):
    """The same counts and motions with files: what the libraries, whatever they disclose, are compared with."""

    def test_car(self):
        self.take("car")
        self.check_counts("car.yaml", 94, 88, 14)
        for name, settings in WAYS.items():
            with self.subTest(name):
                self.check_expectations(self.write("open.yaml", "car.yaml", settings + ", "), 2)

    def test_steam_machine(self):
        self.take("steam-machine")
        self.check_counts("steam-machine.yaml", 93, 78, 0)
        for name, settings in STEAM_WAYS.items():
            with self.subTest(name):
                (self.path / "run.yaml").write_text(f"tenon: 1\ninclude: steam-machine.yaml\nsolve: {{ {settings} }}\n")
                self.check_expectations("run.yaml", 4)


class SteamMachine(CompiledMachine):
    example = "steam-machine"

    def test_every_way(self):
        self.run_program("compile", "unit.yaml", "-o", "unit.so", "--open", "phase", "--disclose", self.level)
        self.write("model.yaml", "steam-machine.yaml", compiled="right")
        for name, settings in STEAM_WAYS.items():
            with self.subTest(name):
                (self.path / "run.yaml").write_text(f"tenon: 1\ninclude: model.yaml\nsolve: {{ {settings} }}\n")
                self.check_expectations("run.yaml", 4)


TURNED = "rotation: { axis: z, angle: 40 deg }"
ARM = """tenon: 1
bodies:
  link: { mass: 2 kg, inertia: [0.02, 0.3, 0.31], position: [0.5, 0, 0],
          frames: { root: { at: [-0.5, 0, 0] }, tip: { at: [0.5, 0, 0] } } }
ports: { root: link.root, tip: link.tip, link: link }
"""
ARMS = f"""tenon: 1
gravity: [0, 0, -9.81]
bodies:
  ground: {{ frames: {{ hook: {{ {TURNED} }} }} }}
  bob: {{ mass: 1 kg, inertia: [0.01, 0.01, 0.01], position: [1.6, 1.3, 0] }}
subsystems:
  upper: {{ use: arm.yaml, {TURNED} }}
  lower: {{ use: arm.yaml, at: [cos(40 deg) * 1 m, sin(40 deg) * 1 m, 0], {TURNED} }}
joints:
  shoulder: {{ type: revolute, between: [ground.hook, upper.root], axis: y }}
  elbow: {{ type: revolute, between: [upper.tip, lower.root], axis: [0.6, 0.8, 0] }}
  wrist: {{ type: revolute, between: [lower.link, bob], at: [cos(40 deg) * 2 m, sin(40 deg) * 2 m, 0], axis: x }}
outputs: [bob.position, elbow.angle, wrist.angle]
solve: {{ until: 0.5 s, step: 1 ms, integrator: rk4, record: 0.1 s }}
"""


class Arms(CompiledMachine):
    """Ports that are frames and ports that are bodies: joints at them have the axes that they have in the file."""
    example = "gripper"

    def test_axes_at_turned_ports(self):
        (self.path / "arm.yaml").write_text(ARM)
        (self.path / "arms.yaml").write_text(ARMS)
        self.run_program("compile", "arm.yaml", "-o", "arm.so", "--disclose", self.level)
        self.run_program("run", "arms.yaml", "-o", "arms.csv")
        for compiled in ("upper", "lower"):
            self.run_program("run", self.write("compiled.yaml", "arms.yaml", compiled=compiled), "-o", "compiled.csv")
            self.write("arms.yaml", "compiled.yaml")                  # the second time both are
            for name in ("bob.position.z", "elbow.angle", "wrist.angle"):
                pairs = zip(self.column("arms.csv", name), self.column("compiled.csv", name))
                self.assertLess(max(abs(a - b) for a, b in pairs), 1e-11, (compiled, name))


class Motor(CompiledMachine):
    example = "component_from_scratch"

    def test_example(self):
        subprocess.run(["make", "-s", f"INCLUDE={ROOT}/include"], cwd=self.path, check=True)
        self.run_program("run", "motor.yaml", "-o", "out.csv")
        text = (self.path / "motor.yaml").read_text()
        whole = re.sub(r"(?m)^solve: .*$", "solve: { until: 0.5 s, step: 0.1 ms, integrator: rk4, record: 5 ms }", text)
        (self.path / "whole.yaml").write_text(whole)
        self.run_program("run", "whole.yaml", "-o", "whole.csv")
        name = "flywheel.angular_velocity"
        speeds = list(zip(self.column("out.csv", name), self.column("whole.csv", name)))
        self.assertGreater(speeds[-1][1], 10)
        self.assertLess(max(abs(a - b) for a, b in speeds), 0.005 * speeds[-1][1])


class CarCondensed(Car):
    level = "condense"


class SteamMachineCondensed(SteamMachine):
    level = "condense"


class ArmsCondensed(Arms):
    level = "condense"


del CompiledMachine
if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
