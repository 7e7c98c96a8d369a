"""What commands leave behind when disks are full, programs are killed, two write one file, and texts or numbers are hostile.

usage: test_outputs.py PROGRAM [unittest options]
"""
import fcntl
import os
import pty
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
OK, MODEL, USAGE, FILE, INTERRUPTED = 0, 1, 2, 3, 130
OLD = "what was there before\n"
PENDULUM = """\
tenon: 1
name: Pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: { mass: 1 kg, inertia: 1 kg m^2, position: [0.6, -0.8] }
joints:
  pivot: { type: revolute, between: [ground, rod], at: [0, 0] }
outputs: [pivot.angle, rod.position]
solve: { until: 2, step: 1 ms, integrator: rk4, record: 0.01 }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "m.yaml").write_text(PENDULUM)

    def tenon(self, *words, status=OK, **how):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder, timeout=TIMEOUT, **how)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *words):
        """A run that takes minutes; returns when its table has grown."""
        child = subprocess.Popen([PROGRAM, *words, "--until", "100000"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stderr.close)
        part = self.folder / "out.csv.part"
        end = time.monotonic() + TIMEOUT
        while not (part.exists() and part.stat().st_size > 20000):
            self.assertIsNone(child.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return child

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


def limited(size):
    """Of a child: files end at this size, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


WRITERS = {
    "out.csv": ("run", "m.yaml", "--quiet", "--output"),
    "out.h5": ("run", "m.yaml", "--quiet", "--output"),
    "out.html": ("animate", "m.yaml", "--output"),
    "out.state.yaml": ("run", "m.yaml", "--quiet", "--output", "/dev/null", "--state"),
    "out.tenon": ("run", "m.yaml", "--quiet", "--output", "/dev/null", "--save"),
    "rest.yaml": ("statics", "m.yaml", "--output"),
    "put.yaml": ("assemble", "m.yaml", "--output"),
    "modes.csv": ("modes", "m.yaml", "--output"),
    "linear.m": ("linearize", "m.yaml", "--output"),
    "linear.json": ("linearize", "m.yaml", "--output"),
}


class FullDisks(Case):
    def test_the_old_file_stays_whole(self):
        for name, words in WRITERS.items():
            with self.subTest(name):
                target = self.folder / name
                self.tenon(*words, name)
                whole = target.read_bytes()
                failed = 0
                for size in (1, len(whole) // 3, len(whole) - 1):
                    target.write_text(OLD)
                    done = self.tenon(*words, name, status=None, preexec_fn=limited(size))
                    if done.returncode == OK:          # another file was shorter this time
                        self.assertNotEqual(target.read_text(errors="replace"), OLD)
                        continue
                    failed += 1
                    self.assertEqual(done.returncode, FILE, done.stderr)
                    self.assertIn("error", done.stderr)
                    self.assertEqual(target.read_text(), OLD)
                self.assertGreaterEqual(failed, 2)
                target.unlink()
                (self.folder / (name + ".part")).unlink(missing_ok=True)

    def test_rows_that_could_be_written_are_kept(self):
        done = self.tenon("run", "m.yaml", "--quiet", "--output", "out.csv", status=FILE, preexec_fn=limited(5000))
        self.assertIn("out.csv.part", done.stderr)
        self.assertEqual(self.names(), ["m.yaml", "out.csv.part"])
        self.assertGreater((self.folder / "out.csv.part").stat().st_size, 3000)


class EndedRuns(Case):
    def test_killed(self):
        (self.folder / "out.csv").write_text(OLD)
        child = self.start("run", "m.yaml", "--quiet", "--output", "out.csv")
        child.kill()
        child.wait()
        self.assertEqual((self.folder / "out.csv").read_text(), OLD)
        rows = (self.folder / "out.csv.part").read_text().split("\n")
        self.assertEqual({row.count(",") for row in rows[:-1]}, {3})
        self.tenon("run", "m.yaml", "--quiet", "--output", "out.csv")      # takes the part over
        self.assertEqual(self.names(), ["m.yaml", "out.csv"])

    def test_asked_to_end(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            child = self.start("run", "m.yaml", "--quiet", "--output", "out.csv")
            child.send_signal(sent)
            self.assertEqual(child.wait(timeout=TIMEOUT), INTERRUPTED)
            rows = (self.folder / "out.csv").read_text().split("\n")
            self.assertEqual({row.count(",") for row in rows[:-1]}, {3})
            self.assertEqual(rows[-1], "")
            self.assertEqual(self.names(), ["m.yaml", "out.csv"])

    def test_a_program_under_nohup_goes_on(self):
        done = subprocess.run(["nohup", "sh", "-c", f'"{PROGRAM}" run m.yaml --quiet --until 50 -o out.csv & kill -HUP $!; wait $!'],
                              cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, OK, done.stderr)


class ClosedFiles(Case):
    """Programs that are started without standard files: what they open must not get their numbers."""

    def closed(self, *files):
        return lambda: [os.close(file) for file in files]

    def test_the_addresses_of_a_studio_do_not_go_into_its_journal(self):
        child = subprocess.Popen([PROGRAM, "studio", "m.yaml", "--no-browser", "--state", "state"], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=self.closed(1))
        self.addCleanup(child.stderr.close)
        end = time.monotonic() + TIMEOUT
        while not [path for path in self.folder.glob("state/*.journal") if b"advance" in path.read_bytes()]:
            self.assertIsNone(child.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        child.terminate()
        self.assertEqual(child.wait(TIMEOUT), FILE)
        for path in self.folder.glob("state/*"):
            self.assertNotIn(b"token", path.read_bytes())

    def test_runs_and_libraries(self):
        self.tenon("run", "m.yaml", "-o", "whole.csv")
        for files in ((0, 1, 2), (1,), (2,), (1, 2)):
            with self.subTest(files=files):
                subprocess.run([PROGRAM, "run", "m.yaml", "-o", "out.csv", "--journal", "run.journal"], cwd=self.folder, timeout=TIMEOUT,
                               stderr=subprocess.DEVNULL, preexec_fn=self.closed(*files))
                self.assertEqual((self.folder / "out.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())
                self.tenon("replay", "--check", "run.journal")
        (self.folder / "m.yaml").write_text(PENDULUM + "ports: { rod: rod }\n")
        done = subprocess.run([PROGRAM, "compile", "m.yaml"], cwd=self.folder, timeout=TIMEOUT, preexec_fn=self.closed(0, 1, 2))
        self.assertEqual(done.returncode, FILE)        # nothing can be said on standard output
        self.assertTrue((self.folder / "m.so").exists())


class Writers(Case):
    def test_what_a_command_reads_is_not_what_it_writes(self):
        parts = {
            "m.yaml": PENDULUM.replace("gravity: [0, -9.81]", "include: [part.yaml]\nparameters: { pull: 1 N }") +
            "forces: { tug: { type: force, on: rod, value: [pull * road(t), 0] } }\n"
            "tables: { road: { file: road.csv } }\nports: { rod: rod }\n",
            "part.yaml": "gravity: [0, -9.81]\nbodies: { arm: { mass: 1 kg, inertia: 1 kg m^2, position: [2, 0] } }\n"
            "joints: { hinge: { type: revolute, between: [rod, arm], at: [1.2, -1.6] } }\n", "road.csv": "x,y\n0,0\n9,1\n",
            "edits.yaml": "edits: [ { at: 1, do: { remove: pivot } } ]\n"}
        run = ("run", "m.yaml", "--quiet", "--until", "0.1", "--script", "edits.yaml")
        inputs = ["m.yaml", "part.yaml", "road.csv"]
        attempts = [((*run, option), inputs + ["edits.yaml"])
                    for option in ("--output", "--journal", "--save", "--impacts")] + [
            ((*run, "--state"), ["m.yaml", "edits.yaml"]),
            (("animate", "m.yaml", "--until", "0.1", "-o"), inputs), (("modes", "m.yaml", "-o"), inputs),
            (("sweep", "m.yaml", "--grid", "pull=1,2", "-o"), inputs), (("export", "m.yaml", "-o"), inputs),
            (("statics", "m.yaml", "-o"), ["m.yaml"]), (("assemble", "m.yaml", "-o"), ["m.yaml"]),
            (("partition", "m.yaml", "-o"), ["part.yaml", "road.csv"]), (("compile", "m.yaml", "-o"), inputs)]
        def restore():
            for part, text in parts.items():
                (self.folder / part).write_text(text)

        restore()
        self.tenon(*run)
        for words, names in attempts:
            for name in names:
                with self.subTest(words=words, name=name):
                    restore()
                    done = self.tenon(*words, "./" + name, status=None)
                    self.assertNotEqual(done.returncode, OK)
                    self.assertRegex(done.stderr, "is the model itself|is a file that the model uses|is the script|cannot replace a file|does not end in")
                    self.assertEqual({part: (self.folder / part).read_text() for part in parts}, parts)

    def test_the_model_may_include_the_state_that_its_last_run_has_left(self):
        (self.folder / "m.yaml").write_text(PENDULUM.replace("gravity:", "include: [last.yaml]\ngravity:"))
        (self.folder / "last.yaml").write_text("initial: { pivot: { angle: 0.1 rad } }\n")
        for turn in range(2):
            self.tenon("run", "m.yaml", "--quiet", "-o", "out.csv", "--until", "0.1", "--state", "last.yaml")
        self.assertIn("# state of", (self.folder / "last.yaml").read_text())

    def test_a_second_writer_is_refused(self):
        with open(self.folder / "out.csv.part", "w") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            done = self.tenon("run", "m.yaml", "--quiet", "--output", "out.csv", status=FILE)
            self.assertIn("another program is writing it", done.stderr)
        self.tenon("run", "m.yaml", "--quiet", "--output", "out.csv")

    def test_links_devices_and_rights(self):
        (self.folder / "real.csv").write_text(OLD)
        os.chmod(self.folder / "real.csv", 0o640)
        (self.folder / "link.csv").symlink_to("real.csv")
        self.tenon("run", "m.yaml", "--quiet", "--output", "link.csv")
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertIn("pivot.angle", (self.folder / "real.csv").read_text())
        self.assertEqual((self.folder / "real.csv").stat().st_mode & 0o777, 0o640)
        self.assertIn("pivot.angle", self.tenon("run", "m.yaml", "--quiet", "--output", "/dev/stdout").stdout)
        done = self.tenon("run", "m.yaml", "--quiet", "--output", "/dev/full", status=FILE)
        self.assertIn("No space left", done.stderr)


class HostileTexts(Case):
    def test_pipes_and_devices_are_not_replaced(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.tenon("run", "m.yaml", "--quiet", "--until", "0.1", "-o", "out.csv", "--save", "pipe")
        self.assertIn("tenon-run: 1", reader.communicate(timeout=TIMEOUT)[0])
        self.assertTrue(pipe.is_fifo())
        (self.folder / "m.yaml").write_text(PENDULUM + "ports: { rod: rod }\n")
        self.assertIn("a library must be a file", self.tenon("compile", "m.yaml", "-o", "pipe", status=FILE).stderr)
        self.assertTrue(pipe.is_fifo())

    def test_an_empty_name_is_refused_before_the_run(self):
        done = self.tenon("run", "m.yaml", "--until", "1000000", "-o", "", status=FILE)
        self.assertIn("cannot write ''", done.stderr)
        self.assertEqual(self.names(), ["m.yaml"])

    def test_a_dash_is_standard_output(self):
        table = self.tenon("run", "m.yaml", "--until", "0.05").stdout
        self.assertEqual(self.tenon("run", "m.yaml", "--until", "0.05", "-o", "-").stdout, table)
        self.tenon("run", "m.yaml", "--until", "0.05", "-o", "-", "--json", status=USAGE)
        self.assertFalse((self.folder / "-").exists())

    def test_messages_steer_no_terminal(self):
        cases = {
            "title": PENDULUM.replace("Pendulum", '"a\\e[2Jb"'),
            "name": PENDULUM.replace("  rod:", '  "rod\\e]0;x\\a":'),
            "c1": PENDULUM.replace("Pendulum", '"a\\x9bb"'),
            "direction": PENDULUM.replace("Pendulum", '"a\\u202eb"'),
            "unknown key": PENDULUM + '"k\\e[31m": 1\n',
        }
        for what, text in cases.items():
            with self.subTest(what):
                (self.folder / "bad.yaml").write_text(text)
                done = self.tenon("check", "bad.yaml", status=MODEL)
                self.assertIn("control characters", done.stderr)
                self.assert_harmless(done.stdout + done.stderr)

    def test_names_of_files_and_lines_of_logs(self):
        (self.folder / "a\x1b[31m.yaml").write_text(PENDULUM + "wrong: 1\n")
        self.assert_harmless(self.tenon("check", "a\x1b[31m.yaml", status=MODEL).stderr)
        self.assert_harmless(self.tenon("check", "none\x1b[31m.yaml", status=FILE).stderr)
        self.assert_harmless(self.tenon("run", "m.yaml", "--output", "/none/\x1b[31m", status=FILE).stderr)
        for words in (["\x1b[31m"], ["help", "\x9b31m"], ["run", "--\x1b[31m"], ["run", "m.yaml", "--set", "\u202e"], ["run", "m.yaml", "--step", "\x1b"],
                      ["run", "m.yaml", "too\x1b]0;much\x07"],
                      ["sweep", "m.yaml", "--parameter", "\x1b=1:2:3"], ["export", "m.yaml", "--fmi", "\x1b"]):
            told = self.tenon(*words, status=None)
            self.assertNotEqual(told.returncode, 0, words)
            self.assertIn("\\x", told.stderr, words)
            self.assert_harmless(told.stderr)
        event = 'events: { e: { when: pivot.angle + 1, do: { log: "one\\ntwo\\e[31m" } } }\n'
        (self.folder / "log.yaml").write_text(PENDULUM + event)
        done = self.tenon("run", "log.yaml", "--output", "/dev/null")
        self.assertIn("two?[31m", done.stderr)
        self.assert_harmless(done.stderr)

    def at_terminal(self, *words, **more):
        """What a program writes to a terminal until it ends, or says that Ctrl+C ends it."""
        terminal, end = pty.openpty()
        program = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=end, stderr=subprocess.PIPE, **more)
        os.close(end)
        text = b""
        try:
            while b"Ctrl+C" not in text and (part := os.read(terminal, 4096)):
                text += part
        except OSError:                                    # the other end is closed
            pass
        self.addCleanup(os.close, terminal)
        return program, text.decode().replace("\r\n", "\n")

    def test_answers_at_a_terminal(self):
        (self.folder / "a\x1b[31m.yaml").write_text(PENDULUM)
        for command in ("check", "info", "modes"):
            program, text = self.at_terminal(command, "a\x1b[31m.yaml")
            program.communicate(timeout=TIMEOUT)
            self.assertEqual(program.returncode, OK, command)
            self.assertIn("a\\x1b[31m.yaml", text, command)
            self.assert_harmless(text)

    def test_no_token_among_the_words_of_a_program(self):
        if "studio           yes" not in self.tenon("doctor").stdout:
            self.skipTest("this program has no studio")
        for name, text in {"bin": None, "bin/xdg-open": '#!/bin/sh\nls -l "$1" > words.new; echo "$@" >> words.new; cat "$1" >> words.new; mv words.new words\n'}.items():
            (self.folder / name).mkdir() if text is None else (self.folder / name).write_text(text)
        (self.folder / "bin/xdg-open").chmod(0o755)
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        program, text = self.at_terminal("studio", "m.yaml", "--state", "state", env={**os.environ, "PATH": path, "DISPLAY": ":7"})
        try:
            self.wait_for(lambda: (self.folder / "words").exists())
        finally:
            program.terminate()
            program.communicate(timeout=TIMEOUT)
        rights, words, page = (self.folder / "words").read_text().split("\n", 2)
        token = text.split("#token=")[1].split()[0]
        self.assertRegex(rights, "^-rw-------")
        self.assertNotIn(token, words)
        self.assertIn(token, page)
        self.assertEqual(list((self.folder / "state").glob("*.html")), [])

    def wait_for(self, condition):
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_devices_are_no_tables_and_no_meshes(self):
        for part in ("dimension: 2\ntables: { road: { file: /dev/zero } }\n",
                     "dimension: 3\nbodies: { b: { shapes: [ { mesh: { file: /dev/zero }, density: 1 } ] } }\n"):
            (self.folder / "d.yaml").write_text("tenon: 1\n" + part)
            self.assertIn("a pipe or a device", self.tenon("check", "d.yaml", status=MODEL).stderr)

    def assert_harmless(self, text):
        bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e]
        self.assertEqual(bad, [])


class HostileNumbers(Case):
    def test_runs_that_could_not_end_are_refused(self):
        for words in (("--record", "1e-300"), ("--record", "1e-13"), ("--step", "1e-300"), ("--step", "1e-17"),
                      ("--until", "1e300"), ("--until", "1e300", "--record", "1")):
            done = self.tenon("run", "m.yaml", "--quiet", "--output", "out.csv", *words, status=USAGE)
            self.assertIn("is too short", done.stderr)
        for key in ("record", "step", "max_step"):
            (self.folder / "bad.yaml").write_text(PENDULUM.replace("solve: {", f"solve: {{ {key}: 1e-300 s,").replace(
                {"record": " record: 0.01", "step": " step: 1 ms,"}.get(key, "@"), ""))
            self.assertIn("is too short", self.tenon("run", "bad.yaml", status=None).stderr)
            (self.folder / "edit.yaml").write_text(f"edits: [ {{ at: 0.1 s, do: {{ solve: {{ {key}: 1e-300 s }} }} }} ]\n")
            self.assertIn("is too short", self.tenon("run", "m.yaml", "--quiet", "--output", "/dev/null", "--script",
                                                     "edit.yaml", status=None).stderr)
        self.assertEqual([name for name in self.names() if name.startswith("out")], [])
        for words in (("stability", "--at"), ("linearize", "--time"), ("modes", "--as-given", "--time")):
            done = self.tenon(words[0], "m.yaml", *words[1:], "1e19", status=None)
            self.assertIn("is too short", done.stderr)
            self.assertNotEqual(done.returncode, OK)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
