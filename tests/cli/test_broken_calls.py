"""Commands in which the n-th system call of a kind fails, or that are killed there: each ends by itself, with a message when it failed, and what was in
its output file before is there, or the whole new file.

usage: test_broken_calls.py PROGRAM TRACER [unittest options]
BREAK_CALLS_MOST=N: faults for each command, kind and error; 0: every call. BREAK_CALLS_KINDS="write file": only these kinds.
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = TRACER = ""
MOST = int(os.environ.get("BREAK_CALLS_MOST", "2"))
KINDS = os.environ.get("BREAK_CALLS_KINDS", "").split()
TIMEOUT = 120
FILE = 3
OLD = b"what was there before\n"
MODEL = """\
tenon: 1
dimension: 2
parameters: { m: 1 kg }
gravity: [0, -9.81]
bodies:
  rod: { mass: m, inertia: 1 kg m^2, position: [0.6, -0.8], shapes: [ { sphere: { radius: 0.1 } } ] }
joints:
  pivot: { type: revolute, between: [ground, rod], at: [0, 0] }
outputs: [pivot.angle, rod.position]
solve: { until: 0.02, step: 1 ms, integrator: rk4, record: 2 ms }
"""
PART = """\
tenon: 1
dimension: 2
bodies:
  rod: { mass: 1 kg, inertia: 1 kg m^2, position: [0.6, -0.8] }
ports: { end: rod }
"""
ROBOT = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
# command: its output file and its words
COMMANDS = {
    "table": ("out.csv", ["run", "m.yaml", "--quiet", "-o", "out.csv"]),
    "hdf5": ("out.h5", ["run", "m.yaml", "--quiet", "-o", "out.h5"]),
    "journal": ("run.journal", ["run", "m.yaml", "--quiet", "-o", "other.csv", "--journal", "run.journal"]),
    "state": ("state.yaml", ["run", "m.yaml", "--quiet", "-o", "other.csv", "--state", "state.yaml"]),
    "saved": ("run.tenon", ["run", "m.yaml", "--quiet", "-o", "other.csv", "--save", "run.tenon"]),
    "page": ("out.html", ["animate", "m.yaml", "-o", "out.html"]),
    "sweep": ("out.csv", ["sweep", "m.yaml", "--quiet", "--grid", "m=1:2:2", "-o", "out.csv"]),
    "library": ("part.so", ["compile", "part.yaml", "-o", "part.so"]),
    "import": ("made", ["import", "r.urdf", "-o", "made"]),
    "robot": ("out.urdf", ["export", "m.yaml", "-o", "out.urdf"]),
    "motion": ("out.glb", ["export", "m.yaml", "-o", "out.glb"]),
    "fmu": ("out.fmu", ["export", "m.yaml", "-o", "out.fmu"]),
    "ssp": ("out.ssp", ["export", "m.yaml", "-o", "out.ssp"]),
    "system": ("made", ["import", "system.ssp", "-o", "made"]),
    "format": ("m.yaml", ["format", "--in-place", "m.yaml"]),
    "statics": ("out.yaml", ["statics", "m.yaml", "-o", "out.yaml"]),
    "guest": ("out.csv", ["run", "guest.yaml", "--quiet", "-o", "out.csv"]),
    "generate": ("chain.yaml", ["generate", "chain", "-n", "3", "-o", "chain.yaml"]),
}
COSTLY = ("fmu", "ssp", "system")          # the engine is packed each time: 'make faults' tries them
GUEST = """\
tenon: 1
devices: { f: { use: pendulum.fmu, kind: me } }
outputs: [f.pivot.angle]
solve: { until: 0.02 s, integrator: rk4, step: 2 ms, record: 2 ms }
"""
NO_OLD_FILE = ("m.yaml", "made")           # a sweep goes on with the table that is there
# kind of call: errors
FAULTS = { "write": ["ENOSPC", "EIO", "EINTR", "short"], "sync": ["EIO"], "rename": ["EACCES"], "map": ["ENOMEM"], "fork": ["EAGAIN"],
           "open": ["EMFILE", "ENOSPC"], "read": ["EIO", "EINTR", "short"], "cut": ["ENOSPC"], "close": ["EIO"],
           "file": ["SIGKILL", "SIGTERM", "SIGHUP"] }
# what a program ends with that a signal has ended
KILLED = { "SIGKILL": (137,), "SIGTERM": (0, 130, 143), "SIGHUP": (0, 129, 130) }


class BrokenCalls(unittest.TestCase):
    def run_broken(self, words, kind, number, error, begins):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in (("m.yaml", MODEL), ("part.yaml", PART), ("r.urdf", ROBOT), ("guest.yaml", GUEST)):
                (folder / file).write_text(text)
            for file in set(words) & {"guest.yaml", "system.ssp"}:
                (folder / ("pendulum.fmu" if file == "guest.yaml" else file)).write_bytes(self.package)
            target = folder / self.target
            if self.target not in NO_OLD_FILE and not words[0] == "sweep":
                target.write_bytes(OLD)
            count = folder / "count"
            done = subprocess.run([TRACER, kind, number, error, begins, PROGRAM, *words], cwd=folder, capture_output=True,
                                  timeout=TIMEOUT, env={ **os.environ, "BREAK_CALLS_COUNT": str(count) })
            left = target.read_bytes() if target.is_file() else None
            return done, left, int(count.read_text())

    def check(self, what, error, done, left, whole):
        said = done.stderr.decode(errors="replace")
        if error in KILLED:
            self.assertIn(done.returncode, KILLED[error], f"{what}: {said}")
        elif done.returncode != 127:                   # that is the loader
            self.assertLess(done.returncode, 125, f"{what}: {said}")
        if done.returncode != 0 and error not in KILLED:
            self.assertTrue(said.strip(), f"{what}: status {done.returncode} without a word")
        if self.target == "made" or self.varies or what.startswith("sweep"):
            return
        old = MODEL.encode() if self.target == "m.yaml" else OLD
        self.assertIn(left, (old, whole), f"{what}: neither the old file nor the new one; {said}")
        if done.returncode == 0:
            self.assertEqual(left, whole, f"{what}: success without the new file")

    def make_package(self, name):
        """A model as an FMU or a system."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "m.yaml").write_text(MODEL)
            done = subprocess.run([PROGRAM, "export", "m.yaml", "-o", name], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
            if done.returncode != 0:
                self.skipTest(f"this build makes no FMUs: {done.stderr}")
            return Path(folder, name).read_bytes()

    def try_command(self, name):
        self.target, words = COMMANDS[name]
        if name in ("fmu", "ssp", "guest", "system"):          # skipped where FMUs cannot be made
            self.package = self.make_package("m.ssp" if name == "system" else "m.fmu")
        inputs = [word for word in words if word in ("m.yaml", "part.yaml", "r.urdf", "guest.yaml", "system.ssp")]
        begins = inputs[0] if inputs else ""                   # "": with the loader
        done, whole, _ = self.run_broken(words, "write", "0", "EIO", begins)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.varies = self.run_broken(words, "write", "0", "EIO", begins)[1] != whole      # such as times in it
        tried = 0
        for kind, errors in FAULTS.items():
            if KINDS and kind not in KINDS:
                continue
            count = self.run_broken(words, kind, "0", "EIO", begins)[2]
            for error in errors:
                step = max(1, count // MOST) if MOST else 1
                for number in range(1, count + 1, step):
                    for later in ("", "+") if error in ("ENOSPC", "ENOMEM") else ("",):
                        done, left, _ = self.run_broken(words, kind, f"{number}{later}", error, begins)
                        self.check(f"{name}: {kind} {number}{later} of {count}: {error}", error, done, left, whole)
                        tried += 1
        print(f"{name}: {tried} faults", file=sys.stderr)


def add_tests():
    for name in COMMANDS:
        if MOST and name in COSTLY:
            continue
        setattr(BrokenCalls, f"test_{name}", lambda self, name=name: self.try_command(name))


if __name__ == "__main__":
    PROGRAM, TRACER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    add_tests()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
