"""Files of results from outside: tenon run --output in both formats, and tenon diff.

usage: test_results.py PROGRAM [unittest options]
"""
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, DIFFERENT, USAGE, FILE, INTERRUPTED = 0, 1, 2, 3, 130
PENDULUM = """\
tenon: 1
name: Pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: { type: particle, mass: 1 kg, position: [1, 0] }
joints:
  bar: { type: rod, between: [ground, bob], length: 1 m }
outputs: [bob.position, bob.velocity]
solve: { until: 2, step: 1 ms, integrator: rk4, record: 0.01 }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("m.yaml", PENDULUM)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def table(self, name, function, step, rows, column="x [m]"):
        """A file with function(t) every step."""
        lines = [f"{k * step!r},{function(k * step)!r}\n" for k in range(rows)]
        return self.write(name, f"t [s],{column}\n" + "".join(lines))

    def tenon(self, *words, status=OK, **how):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder, timeout=TIMEOUT,
                              **how)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def diff(self, *words, status=OK):
        return json.loads(self.tenon("diff", *words, "--json", status=status).stdout)


class LateLibraries(Case):
    def libraries(self, *words):
        """Names of the libraries that a run loads, as the loader of the GNU C library tells them."""
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT,
                              env=os.environ | {"LD_DEBUG": "files"})
        self.assertEqual(done.returncode, OK, done.stderr[-2000:])
        return done.stderr

    def test_hdf5_is_loaded_when_it_is_used(self):
        if "HDF5 (" not in subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.split("without")[0]:
            self.skipTest("built without HDF5")
        if b"libhdf5" not in Path(PROGRAM).read_bytes() or "libtenon.so" in self.libraries("--version"):
            self.skipTest("the program is linked with HDF5 in another way")
        table = self.libraries("run", "m.yaml", "-q", "-o", "x.csv")
        if "libc.so" not in table:
            self.skipTest("another loader")
        self.assertNotIn("libhdf5", table)
        self.assertNotIn("liblapack", table)
        self.assertIn("libhdf5", self.libraries("run", "m.yaml", "-q", "-o", "x.h5"))
        self.assertEqual((self.folder / "x.h5").read_bytes()[1:4], b"HDF")
        self.assertIn("liblapack", self.libraries("modes", "m.yaml"))


class Run(Case):
    def test_hdf5_holds_what_csv_holds(self):
        self.tenon("run", "m.yaml", "-q", "-o", "a.csv")
        for name in ("a.h5", "a.hdf5"):
            self.tenon("run", "m.yaml", "-q", "-o", name)
            self.assertEqual((self.folder / name).read_bytes()[:4], b"\x89HDF")
            answer = self.diff("a.csv", name, "--tolerance", "0")
            self.assertTrue(answer["ok"] and answer["same_times"])
            self.assertEqual((answer["rows"], len(answer["channels"])), (201, 4))

    def test_every_step(self):
        self.tenon("run", "m.yaml", "-q", "--record", "step", "-o", "option.csv")
        self.write("m.yaml", PENDULUM.replace("record: 0.01", "record: step"))
        self.tenon("run", "m.yaml", "-q", "-o", "model.csv")
        rows = (self.folder / "model.csv").read_text()
        self.assertEqual(len(rows.splitlines()), 2002)
        self.assertEqual(rows, (self.folder / "option.csv").read_text())
        self.assertIn("or 'step'", self.tenon("run", "m.yaml", "--record", "steps", status=USAGE).stderr)

    def test_interrupt_leaves_a_whole_file(self):
        process = subprocess.Popen([PROGRAM, "run", "m.yaml", "-q", "--until", "1e6", "--record", "step", "-o", "a.h5"],
                                   cwd=self.folder, stderr=subprocess.PIPE)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            part = self.folder / "a.h5.part"
            if part.exists() and part.stat().st_size > 200000:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=TIMEOUT), INTERRUPTED)
        process.stderr.close()
        self.assertGreater(self.diff("a.h5", "a.h5")["rows"], 1024)

    def test_places_that_cannot_be_written(self):
        self.assertIn("cannot write 'no/a.h5': No such file or directory",
                      self.tenon("run", "m.yaml", "-o", "no/a.h5", status=FILE).stderr)
        (self.folder / "full.h5").symlink_to("/dev/full")
        done = self.tenon("run", "m.yaml", "-q", "-o", "full.h5", status=FILE)
        self.assertEqual(done.stderr, "error: cannot write 'full.h5': No space left on device\n")

    def test_disk_that_gets_full(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for name, words in (("a.h5", "cannot write 'a.h5.part': File too large"),
                            ("a.csv", "cannot write the table: File too large")):
            done = self.tenon("run", "m.yaml", "-q", "--record", "step", "--until", "10", "-o", name, status=FILE,
                              preexec_fn=limit)
            told, kept = done.stderr.splitlines()
            self.assertEqual(told, f"error: {words}")
            self.assertTrue(kept.endswith(f"{name}.part'"))


class Diff(Case):
    def test_largest_difference_and_its_time(self):
        self.table("a.csv", math.sin, 0.1, 21)
        self.table("b.csv", lambda t: math.sin(t) + (1e-3 if t == 0.5 else 1e-4), 0.1, 21)
        channel, = self.diff("a.csv", "b.csv", status=DIFFERENT)["channels"]
        self.assertAlmostEqual(channel["difference"], 1e-3, delta=1e-15)
        self.assertAlmostEqual(channel["relative"], 1e-3, delta=2e-6)      # the largest magnitude is 1.0001
        self.assertEqual((channel["time"], channel["unit"], channel["ok"]), (0.5, "m", False))
        self.diff("a.csv", "b.csv", "--tolerance", "1.01e-3")
        self.diff("a.csv", "b.csv", "--tolerance", "0.99e-3", status=DIFFERENT)
        self.diff("a.csv", "b.csv", "--relative", "1.01e-3")
        self.diff("a.csv", "b.csv", "--tolerance", "0.6e-3", "--relative", "0.6e-3")

    def test_default_tolerance(self):
        self.table("a.csv", math.cos, 0.1, 21)
        self.table("b.csv", lambda t: math.cos(t) * (1 + 0.9e-9), 0.1, 21)
        self.table("c.csv", lambda t: math.cos(t) * (1 + 1.1e-9), 0.1, 21)
        self.diff("a.csv", "b.csv")
        self.diff("a.csv", "c.csv", status=DIFFERENT)
        self.diff("a.csv", "b.csv", "--tolerance", "0", status=DIFFERENT)

    def test_interpolation_is_of_fourth_order(self):
        """At the middle of four equidistant points the error of a cubic is 9/384 h^4 times the fourth derivative."""
        self.table("coarse.csv", math.sin, 0.5, 5)
        for step in (0.2, 0.2 / 3):                    # 0.5 and 1.5 lie in the middle between rows
            self.table("fine.csv", math.sin, step, round(2 / step) + 1)
            answer = self.diff("fine.csv", "coarse.csv", status=DIFFERENT)
            self.assertEqual((answer["interpolated"], answer["rows"]), ("fine.csv", 5))
            channel, = answer["channels"]
            self.assertEqual(channel["time"], 1.5)
            self.assertAlmostEqual(channel["difference"] / (9 / 384 * step ** 4 * math.sin(1.5)), 1, delta=0.02)
        text = self.tenon("diff", "fine.csv", "coarse.csv", status=DIFFERENT).stdout
        self.assertIn("Times differ: 'fine.csv' is interpolated (cubic) at the 5 times of 'coarse.csv'", text)

    def test_jumps_stay_jumps(self):
        """A time that is there twice: neither side knows of the other."""
        self.write("a.csv", "t,x\n0,0\n1,1\n2,2\n2,10\n3,11\n4,12\n")
        self.write("b.csv", "t,x\n0,0\n0.5,0.5\n1.5,1.5\n2.5,10.5\n4,12\n")
        self.assertEqual(self.diff("a.csv", "b.csv", "--tolerance", "0")["channels"][0]["difference"], 0)

    def test_missing_channels(self):
        self.write("a.csv", "t,x,y\n0,1,2\n1,1,2\n")
        self.write("b.csv", "t,z,x\n0,3,1\n1,3,1\n")
        answer = self.diff("a.csv", "b.csv", status=DIFFERENT)
        self.assertEqual(answer["missing"], [{"name": "y", "file": "b.csv"}, {"name": "z", "file": "a.csv"}])
        self.assertTrue(answer["channels"][0]["ok"])
        self.assertTrue(self.diff("a.csv", "b.csv", "--channels", "x")["ok"])
        self.assertIn("y                                missing in 'b.csv'",
                      self.tenon("diff", "a.csv", "b.csv", status=DIFFERENT).stdout)

    def test_wrong_channels(self):
        self.tenon("run", "m.yaml", "-q", "-o", "a.csv")
        done = self.tenon("diff", "a.csv", "a.csv", "--channels", "bob.position.x,bob.positon.y", status=USAGE)
        self.assertIn("no column 'bob.positon.y'; did you mean 'bob.position.y'?", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_units(self):
        self.table("a.csv", math.sin, 0.1, 5)
        self.table("b.csv", math.sin, 0.1, 5, column="x [mm]")
        self.table("c.csv", math.sin, 0.1, 5, column="x")
        self.assertIn("'x' is in m in 'a.csv' and in mm in 'b.csv'",
                      self.tenon("diff", "a.csv", "b.csv", status=DIFFERENT).stderr)
        self.diff("a.csv", "c.csv")

    def test_not_a_number(self):
        self.write("a.csv", "t,x\n0,nan\n1,inf\n2,1\n")
        self.write("b.csv", "t,x\n0,nan\n1,inf\n2,nan\n")
        self.diff("a.csv", "a.csv", "--tolerance", "0")
        answer = self.diff("a.csv", "b.csv", "--tolerance", "1e300", status=DIFFERENT)
        self.assertEqual(answer["channels"][0]["time"], 2)

    def test_covered_times(self):
        self.table("long.csv", math.sin, 0.1, 21)
        self.table("short.csv", math.sin, 0.1, 20)
        self.table("other.csv", math.sin, 0.3, 7)
        self.table("later.csv", math.sin, 0.1, 0)
        done = self.tenon("diff", "long.csv", "short.csv", status=DIFFERENT)
        self.assertIn("'short.csv' covers 0 to 1.9", done.stdout)
        self.assertIn("different: 0 of 1 channels differ, the times covered differ", done.stdout)
        self.diff("long.csv", "other.csv")             # ends at 1.8, within an interval of its own
        self.assertIn("no time in common", self.tenon("diff", "long.csv", "later.csv", status=DIFFERENT).stdout)

    def test_files_that_cannot_be_read(self):
        self.table("a.csv", math.sin, 0.1, 5)
        self.write("gap.csv", "t,x\n0,1\n1,\n")
        self.write("timeless.csv", "time,x\n0,1\n")
        self.write("back.csv", "t,x\n0,1\n2,1\n1,1\n")
        (self.folder / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(range(256)) * 100)
        for name, words in (("none.csv", "No such file"), ("gap.csv", "gap.csv:3:3: error: a number is missing here"),
                            ("timeless.csv", "no column 't'"), ("back.csv", "the time in row 3"),
                            ("bad.h5", "this HDF5 file cannot be read")):
            self.assertIn(words, self.tenon("diff", "a.csv", name, status=FILE).stderr)
            self.assertFalse(self.diff(name, "a.csv", status=FILE)["ok"])
        self.assertIn("A B is missing", self.tenon("diff", "a.csv", status=USAGE).stderr)

    def test_damaged_hdf5(self):
        self.tenon("run", "m.yaml", "-q", "-o", "a.h5")
        whole = (self.folder / "a.h5").read_bytes()
        for size in range(100, len(whole), len(whole) // 20):
            (self.folder / "cut.h5").write_bytes(whole[:size])
            done = self.tenon("diff", "a.h5", "cut.h5", status=FILE)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
