"""Runs that change and can be repeated, from outside: scripts, journals, replay, saved runs.

usage: test_live.py PROGRAM [unittest options]
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, DIFFERENT, USAGE, FILE, INTERRUPTED = 0, 1, 1, 2, 3, 130
PENDULUMS = """\
tenon: 1
name: Pendulums
dimension: 2
gravity: [0, -g]
parameters: { g: 9.81 m/s^2 }
bodies:
  a: { mass: 1, inertia: 0.1, position: [0.5, 0], frames: { end: { at: [0.5, 0] } } }
  b: { mass: 2, inertia: 0.2, position: [1.5, 0], frames: { start: { at: [-0.5, 0] } } }
joints:
  pivot: { type: revolute, between: [ground, a], at: [0, 0] }
  elbow: { type: revolute, between: [a.end, b.start] }
outputs: [pivot.angle, b.position]
solve: { until: 2, record: 0.01 }
"""
SCRIPT = """\
# cut, slow down, think better of it
edits:
  - { at: 500 ms, do: { remove: elbow } }
  - at: 1 s
    do:
      - gravity: [0, -1.6]          # the moon's
      - { add: { joints: { weld: { type: fixed, between: [ground, a], at: [0, 0] } } } }
  - { at: 1.5 s, undo: keep }
  - { at: 1.5 s, redo: keep }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("m.yaml", PENDULUMS)
        self.write("s.yaml", SCRIPT)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def read(self, name):
        return (self.folder / name).read_text()

    def tenon(self, *words, status=OK, **how):
        how.setdefault("cwd", self.folder)
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=TIMEOUT, **how)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *words, status=OK, **how):
        return json.loads(self.tenon(*words, "--json", status=status, **how).stdout)

    def hash(self, *words):
        return self.tenon("run", *words, "--hash", "-q").stdout.strip()


class Script(Case):
    def test_edits_are_made_at_their_times(self):
        answer = self.json("run", "m.yaml", "--script", "s.yaml")
        edits = answer["edits"]
        self.assertEqual([e["time"] for e in edits], [0.5, 1, 1, 1.5, 1.5])
        self.assertEqual([e["text"].split("; ")[0] for e in edits],
                         ["removed elbow", "set gravity", "added weld", "took back: added weld",
                          "made again: added weld"])
        self.assertAlmostEqual(edits[0]["energy_change"], 0, 12)
        self.assertLess(edits[2]["energy_change"], 0)
        self.assertAlmostEqual(answer["summary"]["time"], 2)
        self.assertLess(answer["summary"]["energy_error_relative"], 1e-6)

    def test_they_are_told(self):
        told = self.tenon("run", "m.yaml", "--script", "s.yaml", "-o", "a.csv").stderr
        self.assertRegex(told, r"0\.5 +\+0 +0  removed elbow\n")
        self.assertRegex(told, r"edits +5 of 5: ")
        told = self.tenon("run", "m.yaml", "--script", "s.yaml", "-o", "a.csv", "--until", "0.7").stderr
        self.assertIn("1 of 5", told)
        self.assertIn("the next is at 1 s", told)
        self.assertEqual(self.tenon("run", "m.yaml", "--script", "s.yaml", "-o", "a.csv", "-q").stderr, "")

    def test_mistakes_are_found_in_the_script(self):
        cases = [("elbow }", "elbwo }",
                  "s.yaml:3:33: error: no body, joint, force, contact or subsystem 'elbwo'; did you mean 'elbow'?"),
                 ("- gravity", "- gravty", "s.yaml:6:9: error: unknown key 'gravty'; did you mean 'gravity'?"),
                 ("type: fixed", "type: fixd", "s.yaml:7:42: error: joint 'weld': no joint type 'fixd'"),
                 ("at: 500 ms", "at: 500 mm", "s.yaml:3:11: error: this is not a time"),
                 ("at: 1 s", "at: 0.4 s", "s.yaml:4:9: error: times must ascend"),
                 ("undo: keep", "undo: it", "s.yaml:8:24: error: must be 'restore'"),
                 ("undo: keep", "undone: keep", "an edit has no 'undone'; did you mean 'undo'?"),
                 ("edits:", "edit:", "s.yaml:2:1: error: a script is a map with one list"),
                 ("undo: keep }", "undo: keep, redo: keep }", "one of 'do', 'undo' and 'redo'"),
                 ("at: 1 s", "# at", "s.yaml:5:5: error: an edit needs a time"),
                 ("- { at: 500 ms, do: { remove: elbow } }", "- 7", "s.yaml:3:5: error: an edit is a map")]
        for old, new, message in cases:
            with self.subTest(new):
                self.write("s.yaml", SCRIPT.replace(old, new, 1))
                said = self.tenon("run", "m.yaml", "--script", "s.yaml", "--hash", status=MODEL).stderr
                self.assertIn(message, said)
        self.write("s.yaml", "edits: [ { at: 0.1, undo: keep } ]")
        said = self.tenon("run", "m.yaml", "--script", "s.yaml", "--hash", status=USAGE).stderr
        self.assertIn("there is nothing to undo", said)
        self.assertIn("s.yaml:1:27: error:", said)

    def test_a_mistake_costs_no_table(self):
        self.write("old.csv", "precious")
        self.write("s.yaml", SCRIPT.replace("at: 1 s", "at: 1 kg"))
        self.tenon("run", "m.yaml", "--script", "s.yaml", "-o", "old.csv", status=MODEL)
        self.assertEqual(self.read("old.csv"), "precious")


class Journal(Case):
    def record(self, *words):
        self.tenon("run", "m.yaml", "--script", "s.yaml", "--journal", "j", "-q", "-o", "a.csv", *words)

    def test_the_journal_alone_repeats_the_run(self):
        self.record("-p", "g=3", "--integrator", "rk4", "--step", "1e-3")
        for name in ("m.yaml", "s.yaml"):
            (self.folder / name).unlink()
        self.assertEqual(self.tenon("replay", "j", "-q").stdout, self.read("a.csv"))
        with tempfile.TemporaryDirectory() as elsewhere:
            answer = self.json("replay", str(self.folder / "j"), "--check", cwd=elsewhere)
        self.assertTrue(answer["same"] and answer["complete"] and answer["ok"])
        self.assertEqual(len(answer["edits"]), 5)
        self.assertGreater(answer["compared"], 8)
        self.assertIn("same state", self.tenon("replay", "j", "--check").stderr)

    def test_people_can_read_and_edit_it(self):
        self.record()
        text = self.read("j")
        self.assertIn("- { do: { remove: elbow }, at: 0.5 s, hash:", text)
        self.assertIn("    # a comment", self.commented(text))
        self.write("j", text.replace("-1.6", "-1.7"))
        answer = self.json("replay", "j", "--check", status=DIFFERENT)
        line = 1 + text[:text.index("- { run: 1.5 s")].count("\n")
        self.assertEqual((answer["same"], answer["differs_at_line"]), (False, line))
        self.assertRegex(self.tenon("replay", "j", "--check", status=DIFFERENT).stderr,
                         rf"j:{line}: another state than was recorded, at t = 1.5 s")

    def commented(self, text):
        self.write("m.yaml", "# a comment\n" + PENDULUMS)
        self.record()
        return self.read("j")

    def test_until(self):
        self.record()
        self.assertEqual(self.json("replay", "j", "--check", "--until", "2")["entries"], 2)
        time_reached = self.json("replay", "j", "--check", "--until", "700 ms")["time"]
        self.assertTrue(0.7 <= time_reached < 0.75)
        self.tenon("replay", "j", "--until", "3 kg", status=USAGE)

    def test_a_killed_run_can_be_repeated(self):
        process = subprocess.Popen([PROGRAM, "run", "m.yaml", "-q", "--until", "1e9", "--journal", "j", "-o", os.devnull],
                                   cwd=self.folder)
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline and (not (self.folder / "j").exists() or "under_way" not in self.read("j")):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        answer = self.json("replay", "j", "--check")
        self.assertTrue(answer["same"] and not answer["complete"])
        self.assertGreater(answer["time"], 0)
        self.assertIn("without its end", self.tenon("replay", "j", "--check").stderr)

    def test_an_interrupted_run_can_be_repeated(self):
        process = subprocess.Popen([PROGRAM, "run", "m.yaml", "-q", "--until", "1e9", "--journal", "j", "-o", os.devnull],
                                   cwd=self.folder)
        while not (self.folder / "j").exists():
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), INTERRUPTED)
        answer = self.json("replay", "j", "--check")
        self.assertTrue(answer["same"] and answer["complete"])

    def test_a_model_that_expects_a_reference(self):
        self.write("r.csv", "t,angle\n0,0\n1,0\n2,0\n")
        self.write("e.yaml", PENDULUMS + "expect: { reference: { file: r.csv, tolerance: 9, channels: { angle: "
                   "pivot.angle } } }\n")
        self.tenon("run", "e.yaml", "--journal", "j", "-q", "-o", "a.csv")
        self.tenon("replay", "j", "-q", "-o", "b.csv")
        self.assertEqual(self.read("a.csv"), self.read("b.csv"))

    def test_what_is_no_journal(self):
        self.assertIn("no run of Tenon", self.tenon("replay", "m.yaml", status=MODEL).stderr)
        self.tenon("replay", "nothing", status=FILE)
        self.record()
        text = self.read("j")
        self.write("j", text.replace("- { run: 1 s", "- { rum: 1 s", 1))
        self.assertIn("an entry is a line such as", self.tenon("replay", "j", "--check", status=MODEL).stderr)
        self.write("j", text.replace("tenon-run: 1", "tenon-run: 2"))
        self.assertIn("tenon-run: 1", self.tenon("replay", "j", "--check", status=MODEL).stderr)

    def test_files_are_not_mixed_up(self):
        self.tenon("run", "m.yaml", "--journal", "m.yaml", status=USAGE)
        self.tenon("run", "m.yaml", "--journal", "x", "--output", "x", status=USAGE)
        self.assertEqual(self.read("m.yaml"), PENDULUMS)
        self.record()
        self.tenon("replay", "j", "-o", "j", status=USAGE)
        self.tenon("run", "m.yaml", "-q", "--hash", "--journal", "/nowhere/j", status=FILE)

    def test_meshes_must_be_what_they_were(self):
        corners = [((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
                   ((0, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        facets = "".join("facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in facet) +
                         "endloop\nendfacet\n" for facet in corners)
        self.write("t.stl", f"solid t\n{facets}endsolid t\n")
        self.write("m.yaml", "tenon: 1\nbodies:\n  tetra: { shapes: [ { mesh: { file: t.stl }, density: 1 } ] }\n"
                             "outputs: [tetra.position]\nsolve: { until: 0.1 }\n")
        self.tenon("run", "m.yaml", "-q", "--journal", "j", "-o", "a.csv")
        with tempfile.TemporaryDirectory() as elsewhere:
            self.assertTrue(self.json("replay", str(self.folder / "j"), "--check", cwd=elsewhere)["same"])
        self.write("t.stl", f"solid other\n{facets}endsolid other\n")
        self.assertIn("is not the file it was", self.tenon("replay", "j", "--check", status=MODEL).stderr)


class Saved(Case):
    def test_a_saved_run_goes_on_to_the_bit(self):
        self.write("s.yaml", SCRIPT.split("  - { at: 1.5 s")[0])
        self.tenon("run", "m.yaml", "--script", "s.yaml", "--until", "1.25", "--save", "r.tenon", "-q", "-o", "a.csv")
        (self.folder / "m.yaml").unlink()
        whole = self.hash("r.tenon", "--until", "2")
        self.tenon("run", "r.tenon", "--until", "1.5", "--save", "r2.tenon", "-q", "-o", "b.csv")
        self.tenon("run", "r.tenon", "--until", "1.5", "--save", "r.tenon", "-q", "-o", "b.csv")
        self.assertEqual(self.hash("r.tenon", "--until", "2"), self.hash("r2.tenon", "--until", "2"))
        self.assertEqual(len(whole), 16)
        first, second = self.read("a.csv").splitlines(), self.read("b.csv").splitlines()
        self.assertEqual(first[0], second[0])
        self.assertTrue(second[1].startswith("1.26,"))

    def test_edits_after_loading(self):
        self.tenon("run", "m.yaml", "--until", "0.4", "--save", "r.tenon", "-q", "--hash")
        self.tenon("run", "r.tenon", "--until", "2", "--script", "s.yaml", "--journal", "j", "-q", "--hash")
        self.assertTrue(self.json("replay", "j", "--check")["same"])
        self.tenon("run", "m.yaml", "--until", "0.6", "--save", "r.tenon", "-q", "--hash")
        said = self.tenon("run", "r.tenon", "--until", "2", "--script", "s.yaml", "--hash", status=USAGE).stderr
        self.assertIn("s.yaml:3:23: error: the run is past this edit", said)

    def test_what_cannot_be_loaded(self):
        self.tenon("run", "m.yaml", "--until", "0.1", "--save", "r.tenon", "-q", "--hash")
        self.assertIn("--parameter", self.tenon("run", "r.tenon", "-p", "g=1", status=USAGE).stderr)
        text = self.read("r.tenon")
        self.write("half.tenon", text[:text.rindex("- { end")])
        self.assertIn("not complete", self.tenon("run", "half.tenon", status=MODEL).stderr)
        self.write("other.tenon", text.replace("mass: 2", "mass: 2, position: [0, 0]"))
        self.tenon("run", "other.tenon", status=MODEL)
        self.tenon("run", "none.tenon", status=FILE)
        self.tenon("run", "m.yaml", "--until", "0.1", "--save", "/nowhere/r.tenon", "-q", "--hash", status=FILE)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["half.tenon", "m.yaml", "other.tenon", "r.tenon", "s.yaml"])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
