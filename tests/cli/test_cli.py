"""The program from outside: exit statuses, messages, tables, JSON, signals.

usage: test_cli.py PROGRAM [unittest options]
"""
import csv
import io
import json
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

from mistakes import FILES

PROGRAM = ""
TIMEOUT = 60
COMMANDS = re.findall(r"^TN_COMMAND\((\w+)\)", (Path(__file__).parents[2] / "cli/list.h").read_text(), re.MULTILINE)
OK, MODEL, USAGE, FILE, ASSEMBLY, STEP, EXPECT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130

PENDULUM = """\
tenon: 1
name: Pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: { type: particle, mass: 1 kg, position: [1, 0] }
joints:
  bar: { type: rod, between: [ground, bob], length: 1 m }
outputs: [bob.position, energy.total]
solve: { until: 1, step: 1 ms, integrator: rk4, record: 0.1 }
"""
DOOR = """\
tenon: 1
name: Door
gravity: [0, 0, -9.81]
bodies:
  leaf: { mass: 25 kg, inertia: [8, 10, 2], com: [0.4, 0, 1], position: [0, 0, 0] }
joints:
  lower: { type: revolute, between: [ground, leaf], at: [0, 0, 0.2], axis: z }
  upper: { type: revolute, between: [ground, leaf], at: [0, 0, 1.8], axis: z }
solve: { until: 1, step: 10 ms, integrator: rk4 }
"""
MISTAKES = PENDULUM.replace("[ground, bob]", "[ground, bbo]").replace("step: 1 ms", "stpe: 1 ms")
UNREACHABLE = """\
tenon: 1
dimension: 2
bodies:
  bob: { type: particle, mass: 1 kg, position: [1, 0] }
joints:
  left: { type: rod, between: [ground, bob], length: 1 m }
  right: { type: rod, between: [ground, bob], length: 2 m }
"""
SHRINKING = """\
tenon: 1
dimension: 2
joint_types:
  shrinking: { equations: ["d . d - (1 - t / 1 s) * (1 m)^2"] }
bodies:
  bob: { type: particle, mass: 1 kg, position: [1, 0] }
joints:
  bar: { type: shrinking, between: [ground, bob] }
outputs: [bob.position]
solve: { until: 3, step: 10 ms, integrator: rk4, record: 0.1 }
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def tenon(self, *words, status=OK, stdout=subprocess.PIPE):
        done = subprocess.run([PROGRAM, *words], stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=self.folder,
                              timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *words, status=OK):
        return json.loads(self.tenon(*words, "--json", status=status).stdout)

    def table(self, text):
        """Header and rows of a whole table: as many numbers in each row as there are names."""
        header, *rows = csv.reader(io.StringIO(text))
        for row in rows:
            self.assertEqual(len(row), len(header), row)
        return header, [[float(cell) for cell in row] for row in rows]


class CommandLine(Case):
    def test_help_of_all(self):
        for words in (["help"], ["--help"], ["-h"]):
            text = self.tenon(*words).stdout
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} ")

    def test_help_of_each_command(self):
        for command in COMMANDS:
            by_option = self.tenon(command, "--help").stdout
            self.assertTrue(by_option.startswith(f"usage: tenon {command}"), by_option)
            self.assertIn("--json", by_option)
            self.assertEqual(self.tenon("help", command).stdout, by_option)

    def test_help_as_json_lists_every_option(self):
        for command in self.json("help")["commands"]:
            text = self.tenon("help", command["name"]).stdout
            for option in command["options"]:
                self.assertIn(option["name"], text)

    def test_version(self):
        version = self.json("version")["version"]
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        lines = self.tenon("--version").stdout.splitlines()
        self.assertEqual(lines[0], f"tenon {version}")
        features = self.json("version")["features"]
        self.assertEqual(set(features), {"HDF5", "SUNDIALS", "METIS", "import", "net", "MPI", "studio", "pages"})
        for name, built in features.items():
            self.assertIn(f"{name} (", next(line for line in lines if line.startswith("with " if built else "without")))

    def test_mistyped_words_get_the_nearest(self):
        for words, expected in (
            (["rnu"], "did you mean 'run'?"),
            (["help", "chek"], "did you mean 'check'?"),
            (["run", "m.yaml", "--untill", "1"], "did you mean '--until'?"),
            (["check", "m.yaml", "--jsno"], "did you mean '--json'?"),
        ):
            self.assertIn(expected, self.tenon(*words, status=USAGE).stderr)

    def test_wrong_command_lines(self):
        for words, expected in (
            ([], "usage: tenon"),
            (["frobnicate"], "unknown command 'frobnicate'"),
            (["run"], "MODEL is missing"),
            (["run", "a", "b"], "'b' is too much"),
            (["version", "1"], "'1' is too much"),
            (["run", "a", "--until"], "--until needs a value"),
            (["run", "a", "--quiet=1"], "--quiet takes no value"),
        ):
            done = self.tenon(*words, status=USAGE)
            self.assertIn(expected, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_bad_numbers(self):
        for option in ("--until", "--step", "--tolerance", "--record"):
            for number in ("abc", "1x", "", "nan", "inf", "1e999", "-1"):
                done = self.tenon("run", "m.yaml", option, number, status=USAGE)
                self.assertIn(f"{option}: '{number}' is not a number", done.stderr)
        self.tenon("run", "m.yaml", "--until=0", status=USAGE)

    def test_double_dash_ends_options(self):
        self.write("--odd.yaml", PENDULUM)
        self.tenon("check", "--", "--odd.yaml")

    def test_full_disk_is_an_error(self):
        self.write("m.yaml", PENDULUM)
        with open("/dev/full", "w") as full:
            for words in (["help"], ["schema"], ["run", "m.yaml"]):
                self.assertIn("cannot write", self.tenon(*words, status=FILE, stdout=full).stderr)
        self.assertIn("cannot write", self.tenon("run", "m.yaml", "-o", "/dev/full", status=FILE).stderr)


class Reference(Case):
    def test_schema_is_json(self):
        self.assertIn("properties", json.loads(self.tenon("schema").stdout))
        self.json("schema")

    def test_describe(self):
        listing = self.tenon("describe").stdout
        for name in ("revolute", "rk4", "direct"):
            self.assertIn(name, listing)
            self.assertIn(name, self.tenon("describe", name).stdout)
        self.json("describe")
        self.json("describe", "revolute")

    def test_describe_channels(self):
        text = self.tenon("describe", "channels").stdout
        kinds = self.json("describe", "channels")["channels"]
        self.assertGreater(len(kinds), 40)
        for kind in kinds:
            self.assertIn(f"  {kind['name']} ", text)
            self.assertTrue(kind["doc"])
        self.assertIn({"of": "joints", "name": "NAME.COORDINATE.rate", "unit": "m/s or rad/s", "level": "motion",
                       "doc": "its rate; NAME.rate is short for the first coordinate's"}, kinds)

    def test_describe_unknown(self):
        done = self.tenon("describe", "revolut", status=USAGE)
        self.assertIn("'revolute'", done.stderr)
        self.assertEqual(done.stdout, "")


class Check(Case):
    def test_good(self):
        self.write("m.yaml", PENDULUM)
        self.write("door.yaml", DOOR)
        done = self.tenon("check", "m.yaml", "door.yaml")
        self.assertEqual(done.stdout, "m.yaml: ok (1 body, 1 joint)\ndoor.yaml: ok (1 body, 2 joints)\n")

    def test_all_mistakes_with_their_places(self):
        self.write("good.yaml", PENDULUM)
        self.write("bad.yaml", MISTAKES)
        done = self.tenon("check", "bad.yaml", "good.yaml", status=MODEL)
        self.assertRegex(done.stderr, r"(?m)^bad\.yaml:8:\d+: error: .*'bbo'.*'bob'")
        self.assertRegex(done.stderr, r"(?m)^bad\.yaml:10:\d+: error: .*'stpe'.*'step'")
        self.assertEqual(done.stdout, "good.yaml: ok (1 body, 1 joint)\n")

    def test_json(self):
        self.write("good.yaml", PENDULUM)
        self.write("bad.yaml", MISTAKES)
        answer = self.json("check", "good.yaml", "bad.yaml", status=MODEL)
        self.assertFalse(answer["ok"])
        good, bad = answer["models"]
        self.assertEqual((good["ok"], good["bodies"], good["diagnostics"]), (True, 1, []))
        self.assertFalse(bad["ok"])
        errors = [d for d in bad["diagnostics"] if d["severity"] == "error"]
        self.assertEqual(sorted(d["line"] for d in errors), [8, 10])
        self.assertTrue(all(d["file"] == "bad.yaml" for d in errors))

    def test_missing_file(self):
        self.assertIn("nowhere.yaml", self.tenon("check", "nowhere.yaml", status=FILE).stderr)

    def test_binary_garbage(self):
        (self.folder / "m.yaml").write_bytes(bytes(range(256)) * 16)
        self.assertIn("error:", self.tenon("check", "m.yaml", status=MODEL).stderr)

    def test_what_cannot_be_assembled(self):
        self.write("m.yaml", UNREACHABLE)
        done = self.tenon("check", "m.yaml", status=ASSEMBLY)
        self.assertRegex(done.stderr, r"error: .*('left'|'right')")


class Info(Case):
    def test_door(self):
        self.write("door.yaml", DOOR)
        text = self.tenon("info", "door.yaml").stdout
        self.assertRegex(text, r"(?m)^equations +10$")
        self.assertRegex(text, r"(?m)^rank +5\b")
        self.assertRegex(text, r"(?m)^freedoms +1 by rank, -4 by")
        self.assertRegex(text, r"(?m)^  lower, upper: 5 more equations")
        self.assertIn("The motion is unique; the reactions marked 'no'", text)

    def test_door_as_json(self):
        self.write("door.yaml", DOOR)
        answer = self.json("info", "door.yaml")
        self.assertEqual([answer[key] for key in ("equations", "rank", "freedoms", "gruebler")], [10, 5, 1, -4])
        self.assertEqual(answer["groups"], [{"joints": ["lower", "upper"], "excess": 5}])
        lower = answer["joints"][0]["unique"]
        self.assertFalse(lower["Fz"])      # the hinges share the weight in a way nobody can know
        self.assertTrue(lower["Tz"])       # a hinge transmits no torque about its axis

    def test_nothing_redundant(self):
        self.write("m.yaml", PENDULUM)
        self.assertIn("all reactions are unique", self.tenon("info", "m.yaml").stdout)
        self.assertEqual(self.json("info", "m.yaml")["groups"], [])

    def test_contacts(self):
        self.write("m.yaml", """tenon: 1
bodies:
  ground: { shapes: [ { half_space: {} } ] }
  ball: { shapes: [ { sphere: { radius: 1 }, mass: 1 } ], position: [0, 0, 5] }
contacts: { floor: { between: [ground, ball], restitution: 0.5 } }
""")
        self.assertRegex(self.tenon("info", "m.yaml").stdout, r"(?m)^floor +0.5 +0  ground, ball$")
        contact, = self.json("info", "m.yaml")["contacts"]
        self.assertEqual({key: value for key, value in contact.items() if value != 0},
                         {"name": "floor", "restitution": 0.5, "exponent": 1.5, "scale": 1, "creep_speed": contact["creep_speed"], "bodies": ["ground", "ball"]})
        self.assertEqual((contact["friction"], contact["static_friction"], contact["adhesion"]), (0, 0, 0))

    def test_mistake(self):
        self.write("m.yaml", MISTAKES)
        answer = self.json("info", "m.yaml", status=MODEL)
        self.assertFalse(answer["ok"])
        self.assertTrue(answer["diagnostics"])


class Stability(Case):
    def test_semi_implicit_euler(self):
        """A pendulum that hangs, w h = 0.3: eigenvalues on the unit circle, nothing left of an open joint."""
        self.write("m.yaml", PENDULUM.replace("[1, 0]", "[0, -1]"))
        step = str(0.3 / 9.81 ** 0.5)
        answer = self.json("stability", "m.yaml", "--integrator", "semi-implicit-euler", "--step", step)
        (re, im), _ = answer["motion"]["eigenvalues"]
        self.assertAlmostEqual(re, 1 - 0.3 ** 2 / 2, places=7)
        self.assertAlmostEqual(re * re + im * im, 1, places=7)
        self.assertAlmostEqual(answer["constraints"]["radius"], 0, places=7)
        self.assertEqual(len(answer["all"]["eigenvalues"]), 4)

    def test_settings_and_time(self):
        self.write("m.yaml", PENDULUM)
        text = self.tenon("stability", "m.yaml", "--scheme", "baumgarte", "--set", "alpha_step=1", "--set",
                          "beta_step=1", "--integrator", "heun", "--at", "0.2").stdout
        self.assertIn("one step of 0.001 s at t = 0.2 s, scheme baumgarte, integrator heun, solver direct", text)
        self.assertRegex(text, r"(?m)^constraints: 2, radius 0\.50000")

    def test_mistakes(self):
        self.write("m.yaml", PENDULUM)
        self.assertIn("NAME=NUMBER", self.tenon("stability", "m.yaml", "--set", "alpha", status=USAGE).stderr)
        self.write("wrong.yaml", MISTAKES)
        self.assertFalse(self.json("stability", "wrong.yaml", status=MODEL)["ok"])


class Reproduce(Case):
    def test_figure(self):
        """Data and script are written with or without gnuplot; without it a line says so."""
        self.tenon("reproduce", "welch-stability", "--plot", "figures")
        self.assertTrue((self.folder / "figures/welch-stability.dat").stat().st_size > 1000)
        self.assertIn("welch-stability.dat", (self.folder / "figures/welch-stability.gp").read_text())
        done = subprocess.run([PROGRAM, "reproduce", "welch-stability", "--plot", "bare"], cwd=self.folder, text=True,
                              capture_output=True, timeout=TIMEOUT, env={"PATH": ""})
        self.assertEqual(done.returncode, OK)
        self.assertIn("gnuplot is not installed", done.stderr)

    def test_sources_and_verdicts(self):
        """Several results in one call; published values are told from references, and wide tolerances from narrow ones."""
        text = self.tenon("reproduce", "welch-table-2", "welch-stability").stdout
        self.assertIn("welch-table-2: ", text)
        self.assertIn("welch-stability: ", text)
        self.assertIn("  reference: the scheme's eigenvalues, in closed form", text)
        self.assertRegex(text, r"Baumgarte over second order .* ok within 2 %")
        results = self.json("reproduce", "welch-table-2", "welch-stability")
        self.assertEqual([r["name"] for r in results], ["welch-table-2", "welch-stability"])
        self.assertTrue(all("published" in row and row["verdict"] == "ok" for row in results[0]["rows"][:9]))
        self.assertTrue(any("reference" in row and "published" not in row for row in results[1]["rows"]))
        self.tenon("reproduce", "welch-table-2", "--plot", "figures")
        for k in (1, 2, 3):
            self.assertTrue((self.folder / f"figures/welch-figure-{k}.dat").stat().st_size > 30000)
        self.tenon("reproduce", "welch-table-2", "vlasenko-assemblies", "--plot", "figures")
        page = (self.folder / "figures/figures.md").read_text()
        self.assertEqual(page.count("## welch-figure-1\n"), 1, "a figure is on the page once, however often it is drawn")
        self.assertIn("Published: Fig. 8", page)
        # the highest level of the car: 54 equations, 13 bodies
        self.assertEqual(len(re.findall(r"(?m)^\d", (self.folder / "figures/vlasenko-density-A.dat").read_text())), 54 * 12)

    def test_unknown(self):
        self.assertIn("did you mean 'welch-table-1'", self.tenon("reproduce", "welch-tabel-1", status=USAGE).stderr)


class Run(Case):
    def setUp(self):
        super().setUp()
        self.write("m.yaml", PENDULUM)

    def test_table_on_stdout_and_talk_on_stderr(self):
        done = self.tenon("run", "m.yaml")
        header, rows = self.table(done.stdout)
        self.assertEqual(header[0].split()[0], "t")
        self.assertEqual(len(rows), 11)
        self.assertEqual((rows[0][0], rows[-1][0]), (0.0, 1.0))
        for _, x, y, *_ in rows:
            self.assertAlmostEqual(x * x + y * y, 1, delta=1e-9)
        for word in ("simulated", "wall time", "drift", "energy", "rank", "state hash"):
            self.assertRegex(done.stderr, rf"(?m)^{word} ")
        self.assertNotIn("\r", done.stderr)    # no progress bar off a terminal

    def test_names_before_units(self):
        """A force that is read as a number first: what the model calls s and t are no seconds and tonnes there."""
        self.write("units.yaml", """
tenon: 1
dimension: 2
gravity: [0, 0]
let: { s: 2 }
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] } }
forces:
  f: { type: force, on: a, value: [3 N * s, 6 N / s] }
  g: { type: torque, on: a, value: "3 N*m * t / 1 s" }
outputs: [a.velocity, a.angular_velocity]
solve: { until: 1 s }
""")
        _, rows = self.table(self.tenon("run", "units.yaml").stdout)
        for value, wanted in zip(rows[-1], (1, 6, 3, 1.5)):
            self.assertAlmostEqual(value, wanted, delta=1e-9)

    def test_run_without_a_sample_is_told(self):
        words = "table       the start only"
        self.assertNotIn(words, self.tenon("run", "m.yaml", "--until", "0.5", "--record", "0.5").stderr)
        self.assertIn(words, self.tenon("run", "m.yaml", "--until", "0.5", "--record", "0.6").stderr)

    def test_table_in_a_file(self):
        done = self.tenon("run", "m.yaml", "-o", "m.csv")
        self.assertEqual(done.stdout, "")
        self.assertEqual((self.folder / "m.csv").read_text(), self.tenon("run", "m.yaml").stdout)

    def test_options_replace_settings(self):
        _, rows = self.table(self.tenon("run", "m.yaml", "--until", "0.5", "--record=0.25").stdout)
        self.assertEqual([round(row[0], 9) for row in rows], [0, 0.25, 0.5])
        coarse = self.json("run", "m.yaml", "--step", "0.01")["summary"]
        fine = self.json("run", "m.yaml", "--step", "0.001")["summary"]
        self.assertEqual((coarse["steps"], fine["steps"]), (100, 1000))
        loose = self.json("run", "m.yaml", "--integrator", "dopri5", "--tolerance", "1e-4")["summary"]
        tight = self.json("run", "m.yaml", "--integrator", "dopri5", "--tolerance", "1e-10")["summary"]
        self.assertLess(loose["evaluations"], tight["evaluations"])

    def test_unknown_method(self):
        for option, nearest in (("--integrator=rk44", "rk4"), ("--solver=dirct", "direct"),
                                ("--scheme=projecton", "projection")):
            done = subprocess.run([PROGRAM, "run", "m.yaml", option], capture_output=True, text=True, cwd=self.folder)
            self.assertIn(done.returncode, (MODEL, USAGE))
            self.assertIn(f"'{nearest}'", done.stderr)

    def test_settings_of_methods(self):
        baumgarte = ("run", "m.yaml", "--scheme=baumgarte", "--step=0.01", "--until=0.5")
        soft = self.json(*baumgarte, "--set", "alpha=1", "--set=beta=1")["summary"]["max_drift"]
        firm = self.json(*baumgarte, "--set", "alpha=10", "--set=beta=10")["summary"]["max_drift"]
        self.assertNotEqual(firm, soft)
        self.assertLess(max(firm, soft), 1e-4)
        for wrong, message in (("alhpa=1", "'alpha'"), ("alpha=-1", "0 or greater"), ("alpha", "NAME=NUMBER"),
                               ("alpha=1x", "NAME=NUMBER"), ("=1", "NAME=NUMBER")):
            done = subprocess.run([PROGRAM, *baumgarte, "--set", wrong], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(done.returncode, USAGE)
            self.assertIn(message, done.stderr)

    def test_quiet(self):
        self.assertEqual(self.tenon("run", "m.yaml", "--quiet").stderr, "")

    def test_hash_is_the_same_every_time(self):
        first, second = (self.tenon("run", "m.yaml", "--hash").stdout for _ in range(2))
        self.assertRegex(first, r"^[0-9a-f]{16}\n$")
        self.assertEqual(first, second)
        self.assertNotEqual(first, self.tenon("run", "m.yaml", "--hash", "--until", "0.9").stdout)
        self.assertEqual(self.json("run", "m.yaml")["summary"]["hash"], first.strip())

    def test_json(self):
        answer = self.json("run", "m.yaml", "-o", "m.csv")
        self.assertTrue(answer["ok"])
        self.assertEqual((answer["end"], answer["table"]), ("complete", "m.csv"))
        self.assertEqual(answer["summary"]["time"], 1)
        self.assertLess(answer["summary"]["max_drift"], 1e-10)
        self.assertLess(answer["summary"]["energy_error_relative"], 1e-8)
        self.assertEqual(len(self.table((self.folder / "m.csv").read_text())[1]), 11)

    def test_gaps_are_reported(self):
        self.write("gap.yaml", PENDULUM.replace("[1, 0]", "[1.01, 0]"))
        self.assertRegex(self.tenon("run", "gap.yaml").stderr, r"(?m)^  bar +0\.0")
        gap, = self.json("run", "gap.yaml")["gaps"]
        self.assertEqual(gap["joint"], "bar")
        self.assertLess(gap["after"], 1e-9)

    def test_expectations(self):
        self.write("kept.yaml", PENDULUM + "expect: { energy: 1e-6, drift: 1e-9 }\n")
        self.write("missed.yaml", PENDULUM + "expect: { energy: 1e-30, drift: 1e-9 }\n")
        self.assertRegex(self.tenon("run", "kept.yaml").stderr, r"(?m)^expect +energy .*: ok$")
        missed = self.tenon("run", "missed.yaml", "--quiet", status=EXPECT)
        self.assertRegex(missed.stderr, r"^expect +energy .*: FAIL\n$")
        verdicts = {v["what"]: v["ok"] for v in self.json("run", "missed.yaml", status=EXPECT)["verdicts"]}
        self.assertEqual(verdicts, {"energy": False, "drift": True})

    def test_all_mistakes_in_one_go(self):
        for name, text in FILES.items():
            self.write("wrong.yaml", text)
            told = self.tenon("check", "wrong.yaml", status=ASSEMBLY if "limits" in name else MODEL)
            found = re.findall(r"(?m)^wrong\.yaml:(\d+):\d+: error: ", told.stderr + told.stdout)
            self.assertEqual(len(found), (told.stderr + told.stdout).count("error:"), told.stderr)
            marks = {k: len(line.rpartition("#")[2]) for k, line in enumerate(text.splitlines(), 1) if line.endswith("!")}
            self.assertEqual({int(k): found.count(k) for k in set(found)}, marks, name + "\n" + told.stderr)

    def test_actions_that_cannot_work(self):
        self.write("acts.yaml", PENDULUM.replace("outputs:", """events:
  a: { when: t - 1, do: { remove: brr } }
  b: { when: t - 1, do: { set: { bob.mass: 1 s } } }
  c: { when: t - 1, do: { remove: bar } }
  d: { when: t - 2, do: { add: { joints: { bar: { type: rod, between: [ground, bob] } } } } }
  e: { when: t - 2, do: { add: { bodies: { new: { mass: 1, inertia: 1 } } } } }
  f: { when: t - 3, do: { remove: new } }
outputs:"""))
        told = self.tenon("check", "acts.yaml").stderr
        self.assertEqual(re.findall(r"warning: event '(\w)': its action would fail", told), ["a", "b"], told)

    def expecting(self, expect, rows=None, extra="", record="0.1", status=OK, until=()):
        """What a run says that compares itself with rows of a table."""
        if rows is not None:
            self.write("table.csv", "t,x\n" + "".join(f"{t!r},{x!r}\n" for t, x in rows))
        self.write("hostile.yaml", PENDULUM.replace("record: 0.1", f"record: {record}").replace("solve:", extra + "solve:") +
                   f"expect: {expect}\n")
        return self.tenon("run", "hostile.yaml", *until, status=status).stderr

    def test_a_run_that_stopped_early_is_not_ok(self):
        stop = "events: { e: { when: t - 0.55, do: stop }, f: { when: t - 0.6, do: stop } }\n"
        for expect in ("{ drift: 1e-6 }", "{ energy: 1e-4, drift: 1e-6 }"):
            told = self.expecting(expect, extra=stop, status=EXPECT)
            self.assertIn("stopped early", told)
            self.assertNotRegex(told, r"(?m)^expect .*: ok$")
        verdicts = self.json("run", "hostile.yaml", status=EXPECT)["verdicts"]
        self.assertEqual([v["ok"] for v in verdicts], [False] * 3)
        self.assertIn(": ok", self.expecting("{ drift: 1e-6, stop: e }", extra=stop))
        self.assertNotIn(": ok", self.expecting("{ drift: 1e-6, stop: f }", extra=stop, status=EXPECT))
        self.expecting("{ drift: 1e-6, stop: e }", extra=stop.replace("0.55", "5").replace("0.6", "6"), status=EXPECT)
        self.assertIn("there is no event 'g'", self.expecting("{ stop: g }", extra=stop, status=MODEL))

    def test_hostile_reference_tables(self):
        rows = self.table(self.tenon("run", "m.yaml").stdout)[1]
        good = [(row[0], row[1]) for row in rows]
        expect = "{ reference: { file: table.csv, tolerance: 1e-9, channels: { x: bob.position.x } } }"
        self.assertIn(": ok", self.expecting(expect, good))
        wrong = [(t, x + (0.01 if k == 3 else 0)) for k, (t, x) in enumerate(good)]
        self.assertIn("FAIL", self.expecting(expect, wrong, status=EXPECT))
        # rows between the times that are recorded count, too
        self.assertIn(": ok", self.expecting(expect, good, record="0.5"))
        self.assertIn("FAIL", self.expecting(expect, wrong, record="0.5", status=EXPECT))
        self.assertIn("FAIL", self.expecting(expect, wrong, record="1", status=EXPECT))
        last = good[:-1] + [(good[-1][0], float("nan"))]
        self.assertIn("not a finite number in row 11", self.expecting(expect, last, status=MODEL))
        self.assertIn("row 2 is before", self.expecting(expect, good[::-1], status=MODEL))
        for few in ([], good[:1]):
            self.assertIn("a comparison takes two", self.expecting(expect, few, status=MODEL))
        self.assertIn("nan, tolerance", self.expecting(expect, [(t + 9, x) for t, x in good], status=EXPECT))
        self.assertIn("5 of 11 rows are not compared", self.expecting(expect, good, until=("--until", "0.5")))
        self.assertIn("it holds for zeros", self.expecting(expect.replace("1e-9", "1e300"), good))
        self.assertIn("no channel 'bob.positon.x'", self.expecting(expect.replace("position", "positon"), good, status=MODEL))
        self.assertIn("no column 'y'", self.expecting(expect.replace("{ x:", "{ y:"), good, status=MODEL))

    def test_tolerances_that_say_nothing(self):
        for bad in ("-1", "0", ".nan", ".inf", "0/0", "1/0", "nan"):
            for key in ("energy", "drift"):
                self.assertIn("error: expect", self.expecting(f"{{ {key}: {bad} }}", status=MODEL))
        self.assertIn("as large as the energy in motion", self.expecting("{ energy: 2 }"))
        self.assertIn("1000 m or rad apart", self.expecting("{ drift: 1000 }"))
        self.assertIn("nothing is stated", self.expecting("{}"))
        self.expecting("{ drift: 1e-6 }", extra="let: { q: sqrt(0.999 - t) }\n", status=OK)
        self.write("last.yaml", (self.folder / "hostile.yaml").read_text().replace("energy.total]", "q]"))
        self.assertRegex(self.tenon("run", "last.yaml", status=EXPECT).stderr, r"numbers not finite +error +1, .*FAIL")

    def test_a_mistake_does_not_cost_the_last_table(self):
        self.write("m.csv", "precious\n")
        self.write("bad.yaml", MISTAKES)
        self.tenon("run", "bad.yaml", "-o", "m.csv", status=MODEL)
        self.assertEqual((self.folder / "m.csv").read_text(), "precious\n")

    def test_the_model_is_not_overwritten(self):
        self.assertIn("the model itself", self.tenon("run", "m.yaml", "-o", "./m.yaml", status=USAGE).stderr)
        self.assertEqual((self.folder / "m.yaml").read_text(), PENDULUM)

    def test_places_that_cannot_be_written(self):
        for option in ("--output", "--state"):
            self.assertIn("cannot write 'none/x'", self.tenon("run", "m.yaml", option, "none/x", status=FILE).stderr)

    def test_impacts_as_a_table(self):
        self.write("drop.yaml", "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                                "  ground: { shapes: [ { half_space: {} } ] }\n"
                                "  ball: { mass: 2, inertia: 1, position: [0, 1.1], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                                "contacts: { floor: { between: [ground, ball], restitution: 0.5 } }\nsolve: { until: 1 }\n")
        self.tenon("run", "drop.yaml", "--impacts", "hits.csv", "--hash")
        head, *rows = (self.folder / "hits.csv").read_text().splitlines()
        self.assertEqual(head, "t [s],name,speed [m/s],impulse [N s],loss [J]")
        time, name, speed, impulse, loss = rows[0].split(",")
        fall = (2 * 9.81) ** 0.5
        self.assertEqual((len(rows), name), (2, "floor"))
        for value, exact in ((time, fall / 9.81), (speed, fall), (impulse, 3 * fall), (loss, 0.75 * fall * fall)):
            self.assertAlmostEqual(float(value), exact, 6)

    def test_state_on_request(self):
        self.tenon("run", "m.yaml", "--state", "end.yaml", "--hash")
        self.assertIn("bob", (self.folder / "end.yaml").read_text())

    def test_failed_step_saves_the_last_good_state(self):
        self.write("shrinking.yaml", SHRINKING)
        done = self.tenon("run", "shrinking.yaml", status=STEP)
        self.assertRegex(done.stderr, r"error: ")
        self.assertRegex(done.stderr, r"last good state at t = [0-9.e-]+ s is in 'shrinking\.state\.yaml'")
        self.assertIn("bob", (self.folder / "shrinking.state.yaml").read_text())
        _, rows = self.table(done.stdout)
        self.assertGreaterEqual(len(rows), 9)
        answer = self.json("run", "shrinking.yaml", "--state", "here.yaml", status=STEP)
        self.assertEqual((answer["end"], answer["state"]), ("failed", "here.yaml"))
        self.assertTrue((self.folder / "here.yaml").exists())


class Interrupt(Case):
    def start(self, *words, stderr=subprocess.PIPE):
        self.write("m.yaml", PENDULUM)
        process = subprocess.Popen([PROGRAM, "run", "m.yaml", "--until", "1e7", "-o", "m.csv", *words],
                                   stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=self.folder)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for_rows(self):
        limit = time.monotonic() + TIMEOUT
        path = self.folder / "m.csv.part"
        while not path.exists() or path.stat().st_size == 0:
            self.assertLess(time.monotonic(), limit, "no rows")
            time.sleep(0.02)

    def test_results_are_valid_up_to_that_instant(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start()
            self.wait_for_rows()
            process.send_signal(number)
            _, talk = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, INTERRUPTED, talk)
            simulated = float(re.search(r"(?m)^simulated +(\S+) of 10000000 s:", talk).group(1))
            text = (self.folder / "m.csv").read_text()
            self.assertTrue(text.endswith("\n"))
            _, rows = self.table(text)
            self.assertGreater(len(rows), 1)
            self.assertLessEqual(rows[-1][0], simulated + 1e-9)
            self.assertGreater(rows[-1][0], simulated - 0.11)
            (self.folder / "m.csv").unlink()

    def test_json(self):
        process = self.start("--json")
        self.wait_for_rows()
        process.send_signal(signal.SIGINT)
        answer, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertEqual(json.loads(answer)["end"], "interrupted")

    def watch_terminal(self, *words, seconds=1.5):
        """What a run shows on a terminal in that time."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start(*words, stderr=theirs)
        os.close(theirs)
        self.wait_for_rows()
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=TIMEOUT)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:        # how a terminal says that the other side is closed
            pass
        return shown.decode()

    def test_progress_bar(self):
        shown = self.watch_terminal()
        drawings = re.findall(r"\r\[[#.]{30}\] +\d+%  t = \S+ of 1e\+07 s  ETA \d+:\d\d:\d\d  \S+ x real time", shown)
        self.assertGreaterEqual(len(drawings), 3)
        self.assertLessEqual(len(drawings), 40)
        self.assertNotIn("ETA", self.watch_terminal("--no-progress", seconds=0.3))
        self.assertNotIn("ETA", self.watch_terminal("--quiet", seconds=0.3))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
