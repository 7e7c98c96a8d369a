"""tenon sweep from outside: plans, measures, restarts, failing and crashing runs, ranks.

usage: test_sweep.py PROGRAM [unittest options]
"""
import csv
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, USAGE, FILE, INTERRUPTED = 0, 2, 3, 130

PENDULUM = """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
parameters: { L: 1 m, m: 1 kg, x0: L, n: 3 }
bodies:
  bob: { type: particle, mass: m, position: [x0, 0] }
joints:
  bar: { type: rod, between: [ground, bob], length: L }
outputs: [bob.position, energy.total]
solve: { until: 0.2, step: 1 ms, integrator: rk4, record: 0.01 }
"""
# Two rods to one point: with a > 2 m there is no such point, with a < 2 m there is.
TRIANGLE = """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
parameters: { a: 1.5 m }
bodies:
  bob: { type: particle, mass: 1 kg, position: [a / 2, -0.5] }
joints:
  left: { type: rod, between: [ground, bob], length: 1 m }
  right: { type: rod, between: [ground.right, bob], length: 1 m }
outputs: [bob.position]
solve: { until: 0.1, step: 1 ms, integrator: rk4 }
""".replace("bodies:\n", "bodies:\n  ground: { frames: { right: { at: [a, 0] } } }\n")
SLOW = ("--until", "40")       # about a tenth of a second a run


def no_ranks():
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("OMPI_", "PMI_", "PMIX_", "SLURM_"))}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "m.yaml").write_text(PENDULUM)
        (self.folder / "triangle.yaml").write_text(TRIANGLE)

    def start(self, *words, environment=None, stderr=subprocess.PIPE):
        process = subprocess.Popen([PROGRAM, "sweep", *words], stdout=subprocess.PIPE, stderr=stderr, text=True,
                                   cwd=self.folder, env={**no_ranks(), **(environment or {})})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        if process.stderr:
            self.addCleanup(process.stderr.close)
        return process

    def finish(self, process, status=OK):
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, status, f"{process.args}\n{stdout}\n{stderr}")
        return stdout, stderr

    def sweep(self, *words, status=OK, **how):
        return self.finish(self.start(*words, **how), status)

    def table(self, name="out.csv"):
        """Rows by column name without unit, in the order of the file."""
        lines = (self.folder / name).read_text().splitlines()
        self.assertRegex(lines[0], r"^# tenon sweep [0-9a-f]{16}$")
        header, *rows = csv.reader(lines[1:])
        names = [re.sub(r" \[.*", "", cell) for cell in header]
        for row in rows:
            self.assertEqual(len(row), len(names), row)
        return [dict(zip(names, row)) for row in rows]

    def timeless(self, name):
        """The table without what differs from run to run."""
        return [{key: row[key] for key in row if key != "wall time"} for row in self.table(name)]

    def wait_for_rows(self, count, name="out.csv"):
        limit = time.monotonic() + TIMEOUT
        path = self.folder / name
        while not path.exists() or path.read_text().count("\n") < count + 2:
            self.assertLess(time.monotonic(), limit, "no rows")
            time.sleep(0.01)


class Plans(Case):
    def test_grid_has_all_combinations_in_order(self):
        self.sweep("m.yaml", "--grid", "L=500 mm:1.5 m:3", "--grid", "m=1,2", "-o", "out.csv")
        rows = self.table()
        self.assertEqual([row["run"] for row in rows], ["1", "2", "3", "4", "5", "6"])
        self.assertEqual([(float(row["L"]), float(row["m"])) for row in rows],
                         [(0.5, 1), (0.5, 2), (1, 1), (1, 2), (1.5, 1), (1.5, 2)])
        self.assertTrue(all(row["status"] == "ok" for row in rows))
        for row in rows:       # what is computed from a parameter follows: the bob starts at x0 = L
            self.assertAlmostEqual(math.hypot(float(row["bob.position.x"]), float(row["bob.position.y"])),
                                   float(row["L"]), delta=1e-9)
            self.assertEqual(row["steps"], "200")
        self.assertIn("L [m],m [kg],status,bob.position.x [m]", (self.folder / "out.csv").read_text())

    def test_a_row_is_what_a_run_gives(self):
        self.sweep("m.yaml", "--grid", "L=0.7 m,0.8 m", "-o", "out.csv", "--until", "0.1")
        run = subprocess.run([PROGRAM, "run", "m.yaml", "--parameter", "L=800 mm", "--until=0.1"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.folder, check=True)
        last = list(csv.reader(run.stdout.splitlines()))[-1]
        row = self.table()[1]
        self.assertEqual([float(x) for x in last[1:]],
                         [float(row[name]) for name in ("bob.position.x", "bob.position.y", "energy.total")])

    def test_list(self):
        (self.folder / "list.csv").write_text("# lengths\nL [mm], m\n500, 2 kg\n\n750, 300 g\n")
        self.sweep("m.yaml", "--list", "list.csv", "-o", "out.csv")
        self.assertEqual([(float(row["L"]), float(row["m"])) for row in self.table()], [(0.5, 2), (0.75, 0.3)])

    def test_random_is_the_same_for_the_same_seed(self):
        words = ("m.yaml", "--random", "L=0.5 m:1.5 m", "--random", "m=1:2")
        self.sweep(*words, "--samples=20", "-o", "a.csv")
        self.sweep(*words, "--samples=30", "-o", "b.csv")
        self.sweep(*words, "--samples=20", "--seed=2", "-o", "c.csv")
        a, b, c = self.timeless("a.csv"), self.timeless("b.csv"), self.timeless("c.csv")
        self.assertEqual(a, b[:20])
        lengths = [float(row["L"]) for row in a]
        self.assertEqual(len(set(lengths)), 20)
        self.assertTrue(all(0.5 <= x <= 1.5 for x in lengths))
        self.assertTrue(min(lengths) < 0.75 and max(lengths) > 1.25)
        self.assertFalse(set(lengths) & {float(row["L"]) for row in c})

    def test_fixed_parameters(self):
        self.sweep("m.yaml", "--grid", "m=1,2", "-p", "L=50 cm", "-o", "out.csv")
        for row in self.table():
            self.assertAlmostEqual(math.hypot(float(row["bob.position.x"]), float(row["bob.position.y"])), 0.5,
                                   delta=1e-9)

    def test_mistakes(self):
        (self.folder / "short.csv").write_text("L,m\n1\n")
        (self.folder / "wrong.csv").write_text("L,m\n1,2 s\n")
        (self.folder / "zero.csv").write_bytes(b"L,m\n1,2\n1,2\0,7\n")
        for words, expected in (
            ([], "one of --grid, --list and --random"),
            (["--grid", "L=1:2:3", "--list", "x"], "exclude each other"),
            (["--random", "L=1:2"], "needs --samples"),
            (["--grid", "L=1,2", "--samples", "3"], "belong to --random"),
            (["--grid", "LL=1,2"], "no parameter 'LL'; did you mean 'L'?"),
            (["--grid", "L=1,2", "--grid", "L=1,2"], "'L' is given twice"),
            (["--grid", "L"], "NAME=VALUES"),
            (["--grid", "L=1:2"], "LOW:HIGH:COUNT"),
            (["--grid", "L=1:2:0"], "LOW:HIGH:COUNT"),
            (["--grid", "L=1:2:3:4"], "LOW:HIGH:COUNT"),
            (["--grid", "L=1:2:100000", "--grid", "m=1:2:100000"], "more than 1000000 runs"),
            (["--grid", "L=1 kg,2 kg"], "'1 kg': mass, where length (m) is expected"),
            (["--grid", "L=1 mn"], "unknown unit 'mn'"),
            (["--random", "L=2:1", "--samples", "3"], "LOW:HIGH"),
            (["--random", "L=1:2", "--samples", "2.5"], "not a whole number"),
            (["--grid", "L=1,2", "--measure", "bob.positoin"], "no channel 'bob.positoin'"),
            (["--grid", "L=1,2", "--measure", "bob.position:most"], "CHANNEL:final, max"),
            (["--grid", "L=1,2", "-p", "mm=3"], "no parameter 'mm'"),
            (["--grid", "L=1,2", "--integrator", "rk44"], "'rk4'"),
            (["--list", "short.csv"], "short.csv:2: error: 1 values for 2 parameters"),
            (["--list", "wrong.csv"], "wrong.csv:2: error"),
            (["--list", "zero.csv"], "a zero byte"),
            (["--list", "."], "Is a directory"),
            (["--list", "/dev/zero"], "larger than 64 MiB"),
            (["--grid", "L=1,2", "-o", "m.yaml"], "the model itself"),
        ):
            process = self.start("m.yaml", *words)
            _, stderr = process.communicate(timeout=TIMEOUT)
            self.assertNotEqual(process.returncode, OK, words)
            self.assertIn(expected, stderr)
        self.sweep("m.yaml", "--list", "nowhere.csv", status=FILE)
        self.sweep("m.yaml", "--grid", "L=1,2", "-o", "nowhere/out.csv", status=FILE)
        self.assertEqual(list(self.folder.glob("*.sweep.csv*")), [])
        self.assertEqual((self.folder / "m.yaml").read_text(), PENDULUM)


class Measures(Case):
    def test_statistics_agree_with_the_samples(self):
        run = subprocess.run([PROGRAM, "run", "m.yaml", "--until=1"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, cwd=self.folder, check=True)
        rows = [[float(cell) for cell in row] for row in list(csv.reader(run.stdout.splitlines()))[1:]]
        t, y = [row[0] for row in rows], [row[2] for row in rows]
        mean = sum((t[i + 1] - t[i]) * (y[i] + y[i + 1]) / 2 for i in range(len(t) - 1)) / t[-1]
        square = sum((t[i + 1] - t[i]) * (y[i] ** 2 + y[i + 1] ** 2) / 2 for i in range(len(t) - 1)) / t[-1]
        names = [f"bob.position.y:{how}" for how in ("max", "min", "mean", "rms", "final")]
        self.sweep("m.yaml", "--grid", "L=1,1", "--until=1", "-o", "out.csv", *(f"--measure={name}" for name in names))
        got = self.table()[0]
        for name, expected in zip(names, (max(y), min(y), mean, math.sqrt(square), y[-1])):
            self.assertAlmostEqual(float(got[name.removesuffix(":final")]), expected, delta=1e-12)

    def test_groups_and_channels_that_are_no_outputs(self):
        self.sweep("m.yaml", "--grid", "L=1,2", "-o", "out.csv", "-m", "bob.velocity:max", "-m", "bar.reaction.force")
        self.assertEqual(list(self.table()[0])[3:-4], ["bob.velocity.x:max", "bob.velocity.y:max",
                                                       "bar.reaction.force.x", "bar.reaction.force.y"])


class Failures(Case):
    def test_failed_runs_are_rows(self):
        _, talk = self.sweep("triangle.yaml", "--grid", "a=1:3:4", "-o", "out.csv")
        self.assertIn("4 runs, 2 failed", talk)
        rows = self.table()
        self.assertEqual([row["status"] == "ok" for row in rows], [True, True, False, False])
        self.assertGreater(len(rows[3]["status"]), 10)
        self.assertEqual((rows[3]["bob.position.x"], rows[3]["steps"]), ("", ""))
        answer = json.loads(self.sweep("triangle.yaml", "--grid", "a=1:3:4", "-o", "out.csv", "--json")[0])
        self.assertEqual([answer[key] for key in ("ok", "runs", "failed", "done_before")], [True, 4, 2, 4])

    def test_a_crash_is_a_row(self):
        process = self.start("m.yaml", "--grid", "L=1:2:6", "-o", "out.csv", "--jobs", "1", *SLOW)
        self.wait_for_rows(1)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        _, talk = self.finish(process)
        self.assertIn("6 runs, 1 failed", talk)
        failed, = (row for row in self.table() if row["status"] != "ok")
        self.assertIn("crashed: Killed", failed["status"])


class Determinism(Case):
    def test_any_number_of_jobs(self):
        for jobs in ("1", "2", "5"):
            self.sweep("m.yaml", "--random", "L=0.5:1.5", "--samples=17", "--jobs", jobs, "-o", f"{jobs}.csv")
        self.assertEqual(self.timeless("1.csv"), self.timeless("2.csv"))
        self.assertEqual(self.timeless("1.csv"), self.timeless("5.csv"))


class Restart(Case):
    WORDS = ("m.yaml", "--grid", "L=0.5:1.5:12", "-o", "out.csv", *SLOW)

    def test_kill_loses_no_finished_run(self):
        process = self.start(*self.WORDS, "--jobs", "2")
        self.wait_for_rows(3)
        process.kill()
        process.wait()
        before = self.table()
        self.assertGreaterEqual(len(before), 3)
        self.assertLess(len(before), 12)
        with open(self.folder / "out.csv", "a") as torn:       # as if the machine had died while writing
            torn.write("12,1.5,ok,0.")
        _, talk = self.sweep(*self.WORDS)
        self.assertIn(f"12 runs, 0 failed, {len(before)} of them done before", talk)
        after = self.table()
        self.assertEqual([int(row["run"]) for row in after], list(range(1, 13)))
        for row in before:                                     # to the wall time: not done again
            self.assertEqual(after[int(row["run"]) - 1], row)
        self.sweep(*self.WORDS, "--output", "fresh.csv")
        self.assertEqual(self.timeless("out.csv"), self.timeless("fresh.csv"))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["fresh.csv", "m.yaml", "out.csv", "triangle.yaml"])

    def test_workers_do_not_outlive_the_program(self):
        process = self.start("m.yaml", "--grid", "L=1,2", "-o", "out.csv", "--jobs", "2", "--until", "1e7")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        limit = time.monotonic() + TIMEOUT
        while len(children.read_text().split()) < 2:
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)
        workers = children.read_text().split()
        process.kill()
        process.wait()
        while any(self.runs(worker) for worker in workers):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)

    def runs(self, pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def test_interrupt_says_how_to_go_on(self):
        process = self.start(*self.WORDS)
        self.wait_for_rows(3)
        process.send_signal(signal.SIGINT)
        _, talk = self.finish(process, INTERRUPTED)
        done = self.table()
        self.assertIn(f"{len(done)} of 12 runs are done and kept in 'out.csv'", talk)
        self.assertIn("The same command goes on", talk)
        self.sweep(*self.WORDS)
        self.assertEqual(len(self.table()), 12)

    def test_another_sweep_is_not_mixed_in(self):
        self.sweep("m.yaml", "--grid", "L=1,2", "-o", "out.csv")
        before = (self.folder / "out.csv").read_text()
        for words in (["--grid", "L=1,3"], ["--grid", "L=1,2", "--until=0.3"], ["--grid", "L=1,2", "-p", "m=2"]):
            self.assertIn("another sweep", self.sweep("m.yaml", *words, "-o", "out.csv", status=USAGE)[1])
        self.assertEqual((self.folder / "out.csv").read_text(), before)
        self.sweep("m.yaml", "--grid", "L=1,3", "-o", "out.csv", "--restart")
        self.assertEqual([float(row["L"]) for row in self.table()], [1, 3])
        (self.folder / "m.yaml").write_text(PENDULUM.replace("-9.81", "-9.8"))
        self.assertIn("another sweep", self.sweep("m.yaml", "--grid", "L=1,3", "-o", "out.csv", status=USAGE)[1])
        (self.folder / "notes.csv").write_text("precious\n")
        self.assertIn("not the table of a sweep",
                      self.sweep("m.yaml", "--grid", "L=1,3", "-o", "notes.csv", status=USAGE)[1])
        self.assertEqual((self.folder / "notes.csv").read_text(), "precious\n")


class Ranks(Case):
    WORDS = ("m.yaml", "--grid", "L=0.5:1.5:9", "-o", "out.csv")

    def rank(self, names, rank, size, *words):
        return self.start(*self.WORDS, *words, environment={names[0]: str(rank), names[1]: str(size)})

    def test_two_ranks_make_one_table(self):
        self.sweep(*self.WORDS, "--output=alone.csv")
        for names in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
                      ("PMIX_RANK", "SLURM_NTASKS")):
            first = self.rank(names, 0, 2)
            self.wait_for_rows(5, "out.csv.rank0")             # every second run, and no more
            self.assertIsNone(first.poll())
            self.finish(self.rank(names, 1, 2))
            self.finish(first)
            self.assertEqual(self.timeless("out.csv"), self.timeless("alone.csv"))
            self.assertEqual(list(self.folder.glob("*.rank*")), [])
            (self.folder / "out.csv").unlink()

    def test_parts_are_taken_over(self):
        names = ("PMI_RANK", "PMI_SIZE")
        self.finish(self.rank(names, 2, 3))
        part = self.table("out.csv.rank2")
        self.assertEqual([int(row["run"]) for row in part], [3, 6, 9])
        _, talk = self.sweep(*self.WORDS)
        self.assertIn("9 runs, 0 failed, 3 of them done before", talk)
        for row in part:
            self.assertIn(row, self.table())
        self.assertEqual(list(self.folder.glob("*.rank*")), [])


class Progress(Case):
    def test_bar_on_a_terminal(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start("m.yaml", "--grid", "L=0.5:1.5:12", *SLOW, "-o", "out.csv", stderr=theirs)
        os.close(theirs)
        process.wait(timeout=TIMEOUT)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:        # how a terminal says that the other side is closed
            pass
        self.assertRegex(shown.decode(), r"\r\[[#.]{30}\] +\d+%  \d+ of 12 runs  ETA \d+:\d\d:\d\d  \S+ runs/s")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
