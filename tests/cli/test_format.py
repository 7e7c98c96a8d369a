"""tenon format and tenon new from outside.

usage: test_format.py PROGRAM [unittest options]
"""
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, USAGE, FILE = 0, 1, 2, 3
ROUGH = """\
# A pendulum
name: 'Pendulum'   # to be renamed
tenon: 1
joints:
  bar:
    between: [ground,bob]
    type: rod
    length: 1 m
bodies: {bob: {mass: 1 kg,type: particle, position: [1,0]}}
"""
NORMAL = """\
# A pendulum
tenon: 1
name: Pendulum  # to be renamed

bodies:
  bob: { type: particle, mass: 1 kg, position: [1, 0] }

joints:
  bar: { type: rod, between: [ground, bob], length: 1 m }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.rough = self.folder / "rough.yaml"
        self.rough.write_text(ROUGH)
        (self.folder / "normal.yaml").write_text(NORMAL)
        (self.folder / "broken.yaml").write_text("tenon: 1\nbodies: [1, 2\n")

    def tenon(self, *words, status=OK, stdin=""):
        done = subprocess.run([PROGRAM, *words], input=stdin, capture_output=True, text=True, cwd=self.folder,
                              timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def nothing_left_over(self, *names):
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         sorted(["rough.yaml", "normal.yaml", "broken.yaml", *names]))


class Format(Case):
    def test_to_standard_output(self):
        self.assertEqual(self.tenon("format", "rough.yaml").stdout, NORMAL)
        self.assertEqual(self.tenon("format", "-", stdin=ROUGH).stdout, NORMAL)
        self.assertEqual(self.rough.read_text(), ROUGH)

    def test_to_a_file(self):
        self.tenon("format", "rough.yaml", "-o", "new.yaml")
        self.assertEqual((self.folder / "new.yaml").read_text(), NORMAL)
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(stat.S_IMODE((self.folder / "new.yaml").stat().st_mode), 0o666 & ~mask)
        self.nothing_left_over("new.yaml")

    def test_in_place(self):
        self.rough.chmod(0o640)
        done = self.tenon("format", "--in-place", "rough.yaml", "normal.yaml")
        self.assertEqual(done.stderr, "rough.yaml: formatted\n")
        self.assertEqual(self.rough.read_text(), NORMAL)
        self.assertEqual(stat.S_IMODE(self.rough.stat().st_mode), 0o640)
        self.nothing_left_over()

    def test_in_place_leaves_normal_files_alone(self):
        before = (self.folder / "normal.yaml").stat()
        self.tenon("format", "-i", "normal.yaml")
        after = (self.folder / "normal.yaml").stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_links_stay_links(self):
        link = self.folder / "link.yaml"
        link.symlink_to("rough.yaml")
        self.tenon("format", "-i", "link.yaml")
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.rough.read_text(), NORMAL)

    def test_check(self):
        done = self.tenon("format", "--check", "normal.yaml", "rough.yaml", status=MODEL)
        self.assertEqual(done.stdout, "rough.yaml\n")
        self.assertEqual(self.tenon("format", "--check", "normal.yaml").stdout, "")
        self.assertEqual(self.rough.read_text(), ROUGH)

    def test_mistakes_are_reported_as_by_check(self):
        message = self.tenon("format", "-i", "broken.yaml", status=MODEL).stderr
        self.assertTrue(message.startswith("broken.yaml:3:1: error: "), message)
        self.assertEqual(message, self.tenon("check", "broken.yaml", status=MODEL).stderr)
        self.nothing_left_over()

    def test_one_mistake_does_not_stop_the_others(self):
        self.tenon("format", "-i", "broken.yaml", "missing.yaml", "rough.yaml", status=MODEL)
        self.assertEqual(self.rough.read_text(), NORMAL)

    def test_files_that_cannot_be_read_or_written(self):
        self.assertIn("No such file", self.tenon("format", "missing.yaml", status=FILE).stderr)
        self.assertIn("Is a directory", self.tenon("format", ".", status=FILE).stderr)
        self.tenon("format", "rough.yaml", "-o", "missing/new.yaml", status=FILE)
        self.tenon("format", "/dev/zero", status=FILE)

    def test_json(self):
        files = json.loads(self.tenon("format", "--json", "rough.yaml", "normal.yaml").stdout)["files"]
        self.assertEqual([(f["file"], f["normal"], f["text"]) for f in files],
                         [("rough.yaml", False, NORMAL), ("normal.yaml", True, NORMAL)])
        answer = json.loads(self.tenon("format", "--json", "--check", "rough.yaml", "broken.yaml", status=MODEL).stdout)
        self.assertFalse(answer["ok"])
        self.assertEqual([len(f["diagnostics"]) for f in answer["files"]], [0, 1])

    def test_wrong_command_lines(self):
        for words, expected in (
            (["a", "b"], "several files need"),
            (["a", "--check", "-i"], "exclude each other"),
            (["a", "b", "-o", "c"], "one file"),
            (["-", "-i"], "standard input"),
            ([], "FILE... is missing"),
        ):
            self.assertIn(expected, self.tenon("format", *words, status=USAGE).stderr)

    def test_json_models_stay_json(self):
        text = self.tenon("format", "-", stdin='{"bodies":{},"tenon":1}').stdout
        self.assertEqual(text, '{\n  "tenon": 1,\n  "bodies": {}\n}\n')


class New(Case):
    FILES = sorted((Path(__file__).parents[2] / "cli" / "starters").glob("*.yaml"))

    def test_every_kind_runs_as_it_is(self):
        self.assertEqual(len(self.FILES), 8)
        for file in self.FILES:
            kind, dimension = file.stem.rsplit("-", 1)
            talk = self.tenon("new", file.name, "--kind", kind, "--dimension", dimension).stderr
            self.assertIn(f"tenon run {file.name}", talk)
            text = (self.folder / file.name).read_text()
            self.assertEqual(text, file.read_text())
            self.assertLess(len(text.splitlines()), 60)
            self.assertIn(f"dimension: {dimension}", text)
            verdicts = json.loads(self.tenon("run", file.name, "--json").stdout)["verdicts"]
            self.assertIn("energy", [verdict["what"] for verdict in verdicts])
            self.assertTrue(all(verdict["ok"] for verdict in verdicts))
            self.tenon("format", "--check", file.name)

    def test_standard_output(self):
        self.assertIn("name: Pendulum\n", self.tenon("new").stdout)
        self.assertIn("text", json.loads(self.tenon("new", "--json").stdout))
        self.nothing_left_over()

    def test_files_are_not_overwritten(self):
        self.assertIn("--force", self.tenon("new", "rough.yaml", status=FILE).stderr)
        self.assertEqual(self.rough.read_text(), ROUGH)
        self.tenon("new", "rough.yaml", "--force")
        self.assertIn("name: Pendulum\n", self.rough.read_text())
        self.nothing_left_over()

    def test_mistakes(self):
        self.assertIn("did you mean 'four-bar'?", self.tenon("new", "--kind", "fourbar", status=USAGE).stderr)
        self.assertIn("there is no '4'", self.tenon("new", "--dimension", "4", status=USAGE).stderr)
        self.tenon("new", "missing/model.yaml", status=FILE)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
