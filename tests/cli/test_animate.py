"""tenon animate from outside: the page, its data, and what can go wrong. tests/web plays the page in a browser.

usage: test_animate.py PROGRAM [unittest options]
"""
import base64
import csv
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, USAGE, FILE, STEP, INTERRUPTED = 0, 1, 2, 3, 5, 130

PENDULUM = """\
tenon: 1
name: NAME
dimension: 2
gravity: [0, -9.81]
parameters: { L: 1 m }
bodies:
  bar:
    shapes: [ { rod: { from: [0, 0], to: [L, 0], radius: 1 cm }, mass: 1 kg } ]
    position: [0, 0]
    frames: { tip: { at: [L, 0] } }
  bob: { type: particle, mass: 1 kg, position: [L, 0] }
joints:
  pivot: { type: revolute, between: [ground, bar] }
  hold: { type: pin-in-slot, between: [bar.tip, bob] }
outputs: [bar.position, bar.angle, bar.tip.position]
solve: { until: 2.5, step: 1 ms, integrator: rk4 }
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
solve: { until: 3, step: 10 ms, integrator: rk4 }
"""
POSE = 7


class Page:
    """What a page says: its scene, and rows of time and poses."""

    def __init__(self, path):
        self.text = Path(path).read_text()
        self.scene = json.loads(self.element("scene"))
        words = base64.b64decode(self.element("motion"), validate=True)
        numbers = struct.unpack(f"<{len(words) // 4}f", words)
        row = 1 + POSE * len(self.scene["bodies"])
        assert len(numbers) % row == 0
        self.rows = [numbers[i:i + row] for i in range(0, len(numbers), row)]

    def motion(self, run):
        words = base64.b64decode(self.element(f"motion-{run}"), validate=True)
        return struct.unpack(f"<{len(words) // 4}f", words)

    def element(self, name):
        return re.search(rf'<script type="[^"]*" id="{name}">(.*?)</script>', self.text, re.DOTALL).group(1)

    def pose(self, row, body):
        names = [b["name"] for b in self.scene["bodies"]]
        at = 1 + POSE * names.index(body)
        return self.rows[row][at:at + POSE]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("pendulum.yaml", PENDULUM)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def tenon(self, *words, status=OK):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder, timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def page(self, *words, status=OK):
        self.tenon("animate", "pendulum.yaml", "-o", "page.html", *words, status=status)
        return Page(self.folder / "page.html")


class Pages(Case):
    def test_default_name_and_report(self):
        done = self.tenon("animate", "pendulum.yaml")
        self.assertIn("pendulum.html: 151 frames, 2.5 s at 1 x real time", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue((self.folder / "pendulum.html").is_file())

    def test_quiet(self):
        done = self.tenon("animate", "pendulum.yaml", "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_json(self):
        answer = json.loads(self.tenon("animate", "pendulum.yaml", "--json").stdout)
        self.assertEqual((answer["ok"], answer["page"], answer["frames"], answer["end"]),
                         (True, "pendulum.html", 151, "complete"))

    def test_poses_are_those_of_the_run(self):
        page = self.page("--fps", "25")
        self.tenon("run", "pendulum.yaml", "--record", "0.04", "-o", "table.csv")
        with open(self.folder / "table.csv") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(len(page.rows), len(table) + 1)           # 2.5 s is no multiple of 0.04 s
        self.assertAlmostEqual(page.rows[-1][0], 2.5, places=6)
        for k, row in enumerate(table):
            x, y, _, w, _, _, z = page.pose(k, "bar")
            angle = float(row["bar.angle [rad]"])
            self.assertAlmostEqual(page.rows[k][0], float(row["t [s]"]), places=6)
            self.assertAlmostEqual(x, float(row["bar.position.x [m]"]), places=6)
            self.assertAlmostEqual(y, float(row["bar.position.y [m]"]), places=6)
            self.assertAlmostEqual(w * w - z * z, math.cos(angle), places=6)
            self.assertAlmostEqual(2 * w * z, math.sin(angle), places=6)

    def test_sliders(self):
        page = self.page("--slider", "L=500 mm:1.5:3", "--fps", "10")
        self.assertEqual(json.loads(page.element("sliders")),
                         [{"values": [0.5, 1, 1.5], "name": "L", "unit": "m", "start": 1}])
        for run, length in enumerate([0.5, 1, 1.5]):                    # each as the model with that value alone
            alone = self.page("-p", f"L={length}", "--fps", "10")
            self.assertEqual(page.motion(run) if run else sum(page.rows, ()), sum(alone.rows, ()))
            scene = page.scene if run == 0 else json.loads(page.element(f"scene-{run}"))
            self.assertEqual(scene["bodies"][0]["shapes"][0]["size"], [0.01, length])
        done = self.tenon("animate", "pendulum.yaml", "-o", "a&b.html", "--slider", "L=1:2:2", "--embed", "-q")
        self.assertIn('<iframe src="a&#38;b.html" title="NAME"', done.stdout)

    def test_wrong_sliders(self):
        for words, why in [("M=1:2:3", "names no parameter"), ("L=1:2", "is not NAME=LOW:HIGH:COUNT"),
                           ("L=2:1:3", "from a lower to a higher"), ("L=1:2:1", "fewer than 2"), ("L=1:2:x", "is not NAME")]:
            self.assertIn(why, self.tenon("animate", "pendulum.yaml", "--slider", words, status=USAGE).stderr)
        self.tenon("animate", "pendulum.yaml", "--slider", "L=-1:1:3", status=MODEL)       # no rod of no length
        self.assertEqual(list(self.folder.glob("*.html*")), [])

    def test_scene(self):
        scene = self.page().scene
        bar, bob = scene["bodies"]
        self.assertEqual((scene["name"], scene["dimension"], scene["units"]), ("NAME", 2, {"length": "m", "time": "s"}))
        self.assertEqual((bar["name"], bar["type"], bar["watched"], bob["watched"]), ("bar", "rigid", True, False))
        self.assertEqual(bar["shapes"][0]["kind"], "rod")
        self.assertEqual(bar["shapes"][0]["size"], [0.01, 1])
        self.assertEqual(bar["com"], [0.5, 0, 0])
        pivot, hold = scene["joints"]
        self.assertEqual((pivot["glyph"], pivot["end1"]["body"], pivot["end2"]["body"]), ("hinge", -1, 0))
        self.assertEqual((hold["end1"]["body"], hold["end1"]["position"]), (0, [1, 0, 0]))
        self.assertEqual([f["name"] for f in scene["frames"]], ["bar.tip"])

    def test_shapes_that_touch(self):
        self.write("pendulum.yaml", PENDULUM.replace("bodies:\n", """bodies:
  ground: { shapes: [ { half_space: { at: [0, -9], normal: x } } ] }
  tile: { shapes: [ { polygon: { corners: [[0, 0], [2, 0], [0, 1]] }, mass: 1 }, { disc: { radius: 3 } } ] }
""", 1))
        scene = self.page().scene
        floor, = scene["ground"]["shapes"]
        self.assertEqual((floor["kind"], floor["position"]), ("half_space", [0, -9, 0]))
        turn = 2 * math.atan2(floor["rotation"][3], floor["rotation"][0])
        self.assertAlmostEqual(turn, -math.pi / 2)
        polygon, disc = next(b for b in scene["bodies"] if b["name"] == "tile")["shapes"]
        self.assertEqual((polygon["kind"], polygon["corners"], polygon["size"]),
                         ("polygon", [[0, 0], [2, 0], [0, 1]], [1]))
        self.assertEqual((disc["kind"], disc["size"]), ("cylinder", [3, 1]))

    def test_looks(self):
        self.write("pendulum.yaml", PENDULUM.replace("bodies:\n", """bodies:
  ground: { look: [ { box: { size: [2, 1] }, material: wood } ] }
  tile: { mass: 1, inertia: 1, look: [ { tube: { radius: 3, inner: 2 }, material: glass, colour: "#102030" }, { colour: red } ] }
""", 1))
        scene = self.page().scene
        frame, = scene["ground"]["looks"]
        self.assertEqual((frame["kind"], frame["surface"]["opacity"]), ("box", 1))
        tile = next(b for b in scene["bodies"] if b["name"] == "tile")
        tube, paint = tile["looks"]
        self.assertEqual(tile["shapes"], [])
        self.assertEqual((tube["kind"], tube["size"], tube["surface"]["colour"]), ("tube", [3, 1, 2], 0x102030))
        self.assertLess(tube["surface"]["opacity"], 1)
        self.assertEqual(paint["kind"], "none")
        self.assertNotIn("looks", next(b for b in scene["bodies"] if b["name"] == "bar"))

    def test_options_of_run(self):
        page = self.page("--until", "1", "--speed", "0.5", "--fps", "30", "-p", "L=0.5", "--integrator", "dopri5")
        self.assertEqual(len(page.rows), 61)
        self.assertEqual(page.scene["joints"][1]["end1"]["position"], [0.5, 0, 0])
        self.assertEqual((page.scene["speed"], page.scene["fps"]), (0.5, 30))

    def test_short_runs_are_played_slower(self):
        for until, speed in (("2.5", 1), ("2", 1), ("1.9", 0.5), ("0.9", 0.2), ("0.05", 0.02), ("1e-3", 5e-4)):
            page = self.page("--until", until)
            self.assertEqual(page.scene["speed"], speed)
            self.assertGreaterEqual(len(page.rows), 121)

    def test_needs_no_network(self):
        text = self.page().text
        self.assertIn("default-src 'none'", text)
        markup = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
        self.assertIsNone(re.search(r"""(?:src|href)\s*=\s*["']?(?!#)[\w/.]""", markup))
        hosts = set(re.findall(r"https?://([^/\"'` ]+)", text))
        self.assertLessEqual(hosts, {"www.w3.org"})                # names of XML vocabularies, not addresses

    def test_size(self):
        bodies = "".join(f"  b{k}: {{ type: particle, mass: 1, position: [{k}, 0, 0] }}\n" for k in range(10))
        self.write("ten.yaml", "tenon: 1\nbodies:\n" + bodies + "solve: { until: 10, step: 10 ms, integrator: rk4 }\n")
        self.tenon("animate", "ten.yaml")
        page = Page(self.folder / "ten.html")
        self.assertLess(len(page.element("scene")) + len(page.element("motion")), 300_000)

    def test_a_name_cannot_break_out(self):
        name = "</script><script>alert(1)</script><!-- & \\\" é"
        self.write("pendulum.yaml", PENDULUM.replace("NAME", f'"{name}"'))
        page = self.page()
        self.assertEqual(page.scene["name"], name.replace('\\"', '"'))
        self.assertNotIn("alert(1)</script>", page.text)
        self.assertNotIn("<", page.element("scene"))


class Mistakes(Case):
    def test_bad_numbers(self):
        for option in ("--fps", "--speed", "--until"):
            for number in ("0", "-1", "x", "nan"):
                done = self.tenon("animate", "pendulum.yaml", option, number, status=USAGE)
                self.assertIn(f"{option}: '{number}' is not a number", done.stderr)
        self.assertFalse((self.folder / "pendulum.html").exists())

    def test_too_many_frames(self):
        done = self.tenon("animate", "pendulum.yaml", "--until", "1e9", status=USAGE)
        self.assertIn("choose a smaller --fps or --until", done.stderr)

    def test_bad_models(self):
        self.write("bad.yaml", PENDULUM.replace("[ground, bar]", "[ground, bra]"))
        done = self.tenon("animate", "bad.yaml", status=MODEL)
        self.assertIn("did you mean 'bar'?", done.stderr)
        self.assertFalse((self.folder / "bad.html").exists())
        self.tenon("animate", "missing.yaml", status=FILE)

    def test_unwritable(self):
        done = self.tenon("animate", "pendulum.yaml", "-o", "no/such/folder.html", status=FILE)
        self.assertIn("cannot write 'no/such/folder.html'", done.stderr)
        done = self.tenon("animate", "pendulum.yaml", "-o", "/dev/full", status=FILE)
        self.assertIn("cannot write '/dev/full'", done.stderr)
        done = self.tenon("animate", "pendulum.yaml", "-o", "pendulum.yaml", status=USAGE)
        self.assertIn("is the model itself", done.stderr)
        self.assertEqual((self.folder / "pendulum.yaml").read_text(), PENDULUM)

    def test_a_run_that_fails_is_shown_up_to_there(self):
        self.write("shrinking.yaml", SHRINKING)
        answer = json.loads(self.tenon("animate", "shrinking.yaml", "--json", status=STEP).stdout)
        self.assertEqual((answer["ok"], answer["end"]), (False, "failed"))
        page = Page(self.folder / "shrinking.html")
        self.assertGreater(page.rows[-1][0], 0.9)
        self.assertLess(page.rows[-1][0], 1.001)
        self.assertAlmostEqual(page.rows[-1][0], answer["time"], places=5)

    def test_interrupted(self):
        run = subprocess.Popen([PROGRAM, "animate", "pendulum.yaml", "--until", "1e5", "--fps", "1"], cwd=self.folder,
                               stderr=subprocess.DEVNULL)
        page = self.folder / "pendulum.html"
        while not (self.folder / "pendulum.html.part").exists():
            time.sleep(0.01)
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(TIMEOUT), INTERRUPTED)
        self.assertGreater(len(Page(page).rows), 2)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
