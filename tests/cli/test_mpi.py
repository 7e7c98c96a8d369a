"""tenon under mpirun: the same bits for any number of ranks, placement, and ranks that die or fail.

usage: test_mpi.py PROGRAM [unittest options]
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
TIMEOUT = 60
OK, USAGE, RANKS = 0, 2, 8
CAR, STEAM = "car.yaml", "steam-machine.yaml"
EXPECT = re.compile(r"^expect:.*?(?=^\S|\Z)", re.DOTALL | re.MULTILINE)   # of the whole run: ours are short
MPIRUN = ["mpirun", "--oversubscribe", "-n"]
# On a busy machine those that are left when one dies may need more than the usual second to save.
PATIENT = ["mpirun", "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "4", "-n"]
SAID_BY_MPIRUN = re.compile(r"^-{20,}\n.*?^-{20,}\n", re.DOTALL | re.MULTILINE)


def models():
    """Name -> text, of both demos."""
    return {path.name: EXPECT.sub("", path.read_text()) for name in ("car", "steam-machine")
            for path in (EXAMPLES / name).glob("*.yaml")}


def environment():
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMPI_", "PMI_", "PMIX_", "SLURM_"))}
    return {**own, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in models().items():
            (self.folder / name).write_text(text)

    def call(self, words, status):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=self.folder,
                              timeout=TIMEOUT, env=environment())
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        done.stderr = SAID_BY_MPIRUN.sub("", done.stderr)
        return done

    def alone(self, *words, status=OK):
        return self.call([PROGRAM, *words], status)

    def ranks(self, size, *words, status=OK):
        return self.call([*MPIRUN, size, PROGRAM, *words], status)

    def read(self, name):
        return (self.folder / name).read_bytes()


class Together(Case):
    def same(self, sizes, *words, place=()):
        self.alone("run", *words, "--solver=hierarchical", "-q", "-o", "alone.csv")
        for size in sizes:
            self.ranks(size, "run", *words, *place, "-q", "-o", "ranks.csv")
            self.assertEqual(self.read("alone.csv"), self.read("ranks.csv"))

    def test_same_bits(self):
        self.same((2, 3, 4), CAR, "--until=0.1")
        self.same((3,), STEAM, "--until=0.01")
        self.same((2,), CAR, "--until=0.05", "--integrator=dopri5", place=["--place=front_left=1,rear_right.hub=0"])

    def test_fleet(self):
        self.alone("generate", "fleet", "-n", 4, "-o", "fleet.yaml")
        self.same((2,), "fleet.yaml", "--until=0.01")

    def test_saved_run_goes_on(self):
        self.ranks(2, "run", CAR, "--until=0.05", "-q", "--save=ranks.tenon", "-o", "first.csv")
        self.alone("run", CAR, "--until=0.05", "-q", "--save=alone.tenon", "-o", "first.csv", "--solver=hierarchical")
        on = ("--until=0.1", "-q", "--hash")
        expected = self.alone("run", "alone.tenon", *on).stdout
        self.assertEqual(self.alone("run", "ranks.tenon", *on).stdout, expected)
        self.assertEqual(self.ranks(3, "run", "ranks.tenon", *on).stdout, expected)

    def test_report(self):
        done = self.ranks(2, "run", CAR, "--until=0.02", "-o", "t.csv")
        self.assertIn("solver 'hierarchical' in place of 'direct'", done.stderr)
        self.assertRegex(done.stderr, r"ranks       2; the solver's work takes 0\.\d\d of the time")
        self.assertRegex(done.stderr, r"rank 1 +[\d.]+ % of the work, \d+ bodies: ")
        self.assertRegex(done.stderr, r"messages    [\d.]+ of [\d.]+ kB in all and [\d.]+ gathers")
        self.assertEqual(len(re.findall("simulated", done.stderr)), 1)

    def test_json_is_one_document(self):
        done = self.ranks(3, "run", CAR, "--until=0.02", "--json", "--place", "front_left=2,rear_left=1")
        answer = json.loads(done.stdout)
        placed = answer["ranks"]["placed"]
        self.assertIn("front_left.hub", placed[2]["parts"])
        self.assertIn("rear_left", placed[1]["parts"])
        self.assertEqual(sum(rank["bodies"] for rank in placed), 17)
        self.assertGreater(answer["ranks"]["messages_per_step"], 0)

    def test_other_commands_are_done_once(self):
        self.assertEqual(self.ranks(3, "version").stdout, self.alone("version").stdout)
        self.assertEqual(self.ranks(2, "check", CAR).stdout, self.alone("check", CAR).stdout)
        self.assertEqual(self.ranks(2, "nonsense", status=USAGE).stderr.count("unknown command"), 1)

    def test_one_rank_is_a_plain_run(self):
        done = self.ranks(1, "run", CAR, "--until=0.02", "--hash")
        self.assertEqual(done.stdout, self.alone("run", CAR, "--until=0.02", "--hash").stdout)
        self.assertNotIn("ranks ", done.stderr)


class Mistakes(Case):
    def refused(self, text, *words):
        done = self.ranks(2, "run", CAR, "--until=0.01", *words, status=USAGE)
        self.assertEqual(done.stderr.count(text), 1, done.stderr)

    def test_usage(self):
        self.refused("no subsystem or group 'front_lef'; did you mean 'front_left'?", "--place=front_lef=1")
        self.refused("'front_left=2' is not of the form NAME=RANK, with a rank from 0 to 1", "--place=front_left=2")
        self.refused("'direct' cannot be shared by several processes; 'hierarchical' can", "--solver=direct")
        self.refused("--nonsense", "--nonsense")
        self.assertIn("one process only", self.alone("run", CAR, "--place=front_left=1", status=USAGE).stderr)


class Failing(Case):
    """One message, a saved state, no waiting for ever."""

    def start(self, size, *words):
        process = subprocess.Popen([*PATIENT, str(size), PROGRAM, *map(str, words)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder, env=environment())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def wait_for_rows(self, name):
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            path = self.folder / (name + ".part")
            if path.exists() and path.stat().st_size > 0:
                return
            time.sleep(0.02)
        self.fail(f"nothing in {name}")

    @staticmethod
    def pid_of(mpirun, rank):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                parent = re.search(r"^PPid:\s*(\d+)", (process / "status").read_text(), re.MULTILINE)
                told = (process / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if int(parent[1]) == mpirun and b"OMPI_COMM_WORLD_RANK=%d" % rank in told:
                return int(process.name)
        raise AssertionError(f"no rank {rank}")

    def check_killed(self, rank):
        process = self.start(3, "run", CAR, "--until=1e6", "-q", "-o", "t.csv", "--save=kept.tenon")
        self.wait_for_rows("t.csv")
        os.kill(self.pid_of(process.pid, rank), signal.SIGKILL)
        said = SAID_BY_MPIRUN.sub("", process.communicate(timeout=TIMEOUT)[1])
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(said.count("error:"), 1, said)
        self.assertIn("error: the run was ended from outside, or another rank died", said)
        at = float(re.search(r"the last good state at t = (\S+) s is in 'car.state.yaml'", said)[1])
        self.assertIn("chassis", (self.folder / "car.state.yaml").read_text())
        gone_on = json.loads(self.alone("run", "kept.tenon", "--json", "--until", at + 0.05).stdout)
        self.assertAlmostEqual(gone_on["summary"]["time"], at + 0.05, 6)

    def test_rank_that_dies(self):
        self.check_killed(1)

    def test_first_rank_that_dies(self):
        self.check_killed(0)

    def each(self, size, status, *words):
        """Every rank in a folder of its own."""
        script = self.folder / "each.sh"
        script.write_text(f'cd "{self.folder}/$OMPI_COMM_WORLD_RANK" && exec "{PROGRAM}" "$@"\n')
        return self.call([*PATIENT, size, "sh", script, *words], status).stderr

    def folders(self, size):
        for rank in range(size):
            (self.folder / str(rank)).mkdir()
            for name, text in models().items():
                (self.folder / str(rank) / name).write_text(text)

    def test_rank_without_the_model(self):
        self.folders(3)
        (self.folder / "2" / "hub.yaml").unlink()
        said = self.each(3, RANKS, "run", "car.yaml", "-q")
        self.assertRegex(said, r"\Atenon: error: rank 2: .*hub.yaml.*\n\Z")

    def test_rank_with_another_model(self):
        self.folders(3)
        path = self.folder / "1" / "hub.yaml"
        path.write_text(path.read_text() + "\n")
        said = self.each(3, RANKS, "run", "car.yaml", "-q")
        self.assertEqual(said, "tenon run: rank 1 has read another model than rank 0: all need the same\n")

    def test_error_of_one_rank(self):
        self.folders(3)
        for rank in range(3):
            what = "arm_chassis_fl" if rank != 1 else "nothing_of_that_name"
            script = f"edits: [ {{ at: 0.02 s, do: {{ disable: {what} }} }} ]\n"
            (self.folder / str(rank) / "edits.yaml").write_text(script)
        said = self.each(3, RANKS, "run", "car.yaml", "-q", "--until=0.1", "--script=edits.yaml", "-o", "t.csv")
        self.assertEqual(said.count("error:"), 2, said)        # that of rank 1, as rank 0 tells it
        self.assertIn("tenon: error: rank 1: ", said)
        self.assertIn("nothing_of_that_name", said)
        self.assertTrue((self.folder / "0" / "car.state.yaml").exists())
        self.assertFalse((self.folder / "2" / "car.state.yaml").exists())

    def test_step_that_fails_for_all(self):
        path = self.folder / CAR
        path.write_text(path.read_text().replace("weight: 1000 N", "weight: 1e300 N"))
        alone = self.alone("run", "car.yaml", "-q", "-o", "t.csv", "--solver=hierarchical", status=5).stderr
        self.assertEqual(self.ranks(3, "run", "car.yaml", "-q", "-o", "t.csv", status=5).stderr, alone)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
