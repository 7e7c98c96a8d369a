"""tenon plot from outside: pictures, what they show, spectra, phase plots, mistakes.

usage: test_plot.py PROGRAM [unittest options]
"""
import cmath
import csv
import json
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, USAGE, FILE = 0, 1, 2, 3

PENDULUM = """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  rod: { mass: 1 kg, inertia: 0.1, com: [0.5, 0], position: [0, 0], frames: { tip: { at: [1, 0] } } }
joints:
  pivot: { type: revolute, between: [ground, rod] }
outputs: [pivot.angle, pivot.angle.rate, rod.tip.position, rod.tip.velocity, rod.angle, energy.total]
solve: { until: 0.5, step: 1 ms, integrator: rk4, record: 0.01 }
"""


def table(columns):
    """CSV text of {title: values}."""
    rows = zip(*columns.values())
    return "\n".join([",".join(columns), *(",".join(f"{x:.17g}" for x in row) for row in rows)]) + "\n"


def amplitudes(values, hann):
    """The definition, term by term, without the mean: what a spectrum must be."""
    n = len(values)
    mean = math.fsum(values) / n
    window = [0.5 - 0.5 * math.cos(2 * math.pi * i / n) if hann else 1 for i in range(n)]
    weighted = [w * (x - mean) for w, x in zip(window, values)]
    sums = [sum(x * cmath.exp(-2j * math.pi * (i * k % n) / n) for i, x in enumerate(weighted))
            for k in range(n // 2 + 1)]
    return [abs(s) * (1 if k == 0 or 2 * k == n else 2) / math.fsum(window) for k, s in enumerate(sums)]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        t = [0.01 * i for i in range(101)]
        self.write("run.csv", table({
            "t [s]": t, "pin.angle [rad]": [math.sin(7 * x) for x in t],
            "pin.angle.rate [rad/s]": [7 * math.cos(7 * x) for x in t],
            "rod.tip_1.position.x [m]": [math.cos(5 * x) for x in t],
            "rod.tip_1.position.y [m]": [math.sin(5 * x) for x in t],
            "energy.total [J]": [3e-9 * x for x in t], "drift.max": [1e-16 for _ in t]}))

    def write(self, name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)

    def plot(self, *words, status=OK, environment=None):
        done = subprocess.run([PROGRAM, "plot", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, timeout=TIMEOUT, env=environment, check=False)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stderr if status != OK else done.stdout

    def json(self, *words):
        return json.loads(self.plot(*words, "--json"))

    def curves(self, *words):
        """{channel: curve} of all panels."""
        return {curve["channel"]: curve for panel in self.json(*words)["panels"] for curve in panel["curves"]}

    def column(self, title, name="run.csv"):
        rows = list(csv.reader((self.folder / name).read_text().splitlines()))
        k = rows[0].index(title)
        return [float(row[k]) for row in rows[1:]]

    def assert_same(self, numbers, expected):
        """Equal but for the last digit, which JSON may drop."""
        self.assertEqual(len(numbers), len(expected))
        for a, b in zip(numbers, expected):
            self.assertAlmostEqual(a, b, delta=1e-15 * max(1, abs(b)))

    def png_size(self, name):
        data = (self.folder / name).read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(data[12:16], b"IHDR")
        self.assertEqual(data[-8:-4], b"IEND")
        return struct.unpack(">II", data[16:24])

    def svg_texts(self, name):
        root = ElementTree.parse(self.folder / name).getroot()
        return ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]


class Pictures(Case):
    def test_png_next_to_the_results(self):
        self.assertEqual(self.plot("run.csv"), "run.png\n")
        answer = self.json("run.csv")
        self.assertEqual(self.png_size("run.png"), (answer["width"], answer["height"]))
        self.plot("run.csv", "-o", "small.png", "--size", "640x480", "-q")
        self.assertEqual(self.png_size("small.png"), (640, 480))

    def test_svg_says_what_it_shows(self):
        self.plot("run.csv", "-o", "run.svg", "--title", "Rod <1> & more")
        texts = self.svg_texts("run.svg")
        for expected in ("rod.tip_1.position.x", "rod.tip_1.position.y", "rod.tip_1.position, m", "pin.angle, rad",
                         "pin.angle.rate, rad/s", "energy.total, 10⁻⁹ J", "drift.max, 10⁻¹⁶", "time, s",
                         "Rod <1> & more"):
            self.assertIn(expected, texts)
        root = ElementTree.parse(self.folder / "run.svg").getroot()
        self.assertEqual(root.find("{http://www.w3.org/2000/svg}title").text, "Rod <1> & more")

    def test_same_input_same_bytes(self):
        for name in ("a.png", "a.svg"):
            self.plot("run.csv", "-o", name)
            first = (self.folder / name).read_bytes()
            self.plot("run.csv", "-o", name)
            self.assertEqual((self.folder / name).read_bytes(), first)

    def test_text(self):
        drawn = self.plot("run.csv", "pin.angle", "--text")
        self.assertIn("pin.angle, rad", drawn)
        self.assertGreater(drawn.count("*"), 50)
        self.assertEqual(drawn, self.plot("run.csv", "pin.angle", "-o", "-"))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["run.csv"])

    def test_labels_that_do_not_fit_go_to_the_legend(self):
        name = "a_very_long_name_of_a_body.with_a_frame.position.x"
        self.write("long.csv", table({"t [s]": [0, 1], f"{name} [m]": [0, 1], "a [rad]": [0, 1], "b [N]": [0, 1]}))
        self.plot("long.csv", "-o", "long.svg")
        texts = self.svg_texts("long.svg")
        self.assertIn("m", texts)
        self.assertIn(name, texts)
        self.assertNotIn("a", texts)           # its label says it all

    def test_names_are_only_text(self):
        for name in ("it's `touch broken` $(touch broken) @x \\ {y}^2 <b>&", "''", "'.system('touch broken').'",
                     "' `touch broken` '", "a # b; !touch broken"):
            self.write("odd.csv", f"t [s],{name}\n0,1\n1,2\n".encode())
            self.plot("odd.csv", "-o", "odd.svg", "--title", f"{name}\x02{name}")
            self.assertLessEqual({name, f"{name} {name}"}, set(self.svg_texts("odd.svg")))
        self.write("bytes.csv", b"t [s],caf\xe9\n0,1\n1,2\n")
        self.plot("bytes.csv", "-o", "bytes.svg")
        self.assertIn("caf?", self.svg_texts("bytes.svg"))
        self.assertFalse((self.folder / "broken").exists())

    def curve_extent(self, name):
        """Lowest and highest pixels of the first curve."""
        blue = re.findall(r"<path stroke='rgb\( *0, *114, *178\)' *d='([^']*)'", (self.folder / name).read_text())
        pieces = [piece for path in blue for piece in path.split("M")]
        curve = [piece for piece in pieces if piece.count("L") > 1]         # that of the legend is a single line
        heights = [float(y) for y in re.findall(r",([-\d.]+)", " ".join(curve))]
        return min(heights), max(heights)

    def test_long_runs_lose_no_spikes(self):
        spikes = {0.25: 1.0, 0.7: -1.0}
        for n, name in ((100, "few"), (200000, "many")):
            y = [0.0] * (n + 1)
            for part, height in spikes.items():
                y[int(part * n) + 1] = height
            t = [i / n for i in range(n + 1)]      # b holds the axis: what a lost would not rescale it
            self.write(f"{name}.csv", table({"t [s]": t, "a [m]": y, "b [m]": [4 * x - 2 for x in t]}))
            self.plot(f"{name}.csv", "-o", f"{name}.svg")
        self.assertEqual(self.curve_extent("many.svg"), self.curve_extent("few.svg"))
        self.assertLess((self.folder / "many.svg").stat().st_size, 500000)

    def test_data_with_gaps_constants_and_one_row(self):
        self.write("gaps.csv", "t [s],a [m],b [N]\n0,1,7\n1,nan,7\n2,inf,7\n3,1,7\n")
        self.plot("gaps.csv")
        self.assertEqual(self.curves("gaps.csv")["a"]["y"], [1, None, None, 1])
        self.write("one.csv", "t [s],a [m]\n0,1\n")
        self.plot("one.csv")


class Selections(Case):
    def panels(self, *words):
        return [[curve["channel"] for curve in panel["curves"]] for panel in self.json("run.csv", *words)["panels"]]

    def test_units_make_panels(self):
        x, y = "rod.tip_1.position.x", "rod.tip_1.position.y"
        self.assertEqual(self.panels(), [["pin.angle"], ["pin.angle.rate"], [x, y], ["energy.total"], ["drift.max"]])
        self.assertEqual(self.panels("rod", "pin.angle"), [[x, y], ["pin.angle"]])
        self.assertEqual(self.panels("rod", "pin.angle", "--panels"), [[x], [y], ["pin.angle"]])
        self.assertEqual(self.panels("rod", "pin.angle", "--together"), [[x, y, "pin.angle"]])
        self.assertEqual(self.panels("pin.angle", "pin.angle"), [["pin.angle"]])
        self.assertEqual(self.panels("*.position"), [[x, y]])
        self.assertEqual(self.panels("*.angle"), [["pin.angle"]])
        self.assertEqual(self.panels("*.[xr]*"), [["pin.angle.rate"], [x]])
        self.assertEqual(self.panels("pin"), [["pin.angle"], ["pin.angle.rate"]])

    def test_units_of_a_mixed_panel_are_in_the_legend(self):
        self.plot("run.csv", "pin.angle", "energy.total", "--together", "-o", "mixed.svg")
        texts = self.svg_texts("mixed.svg")
        self.assertIn("pin.angle, rad", texts)
        self.assertIn("energy.total, J", texts)

    def test_numbers_are_those_of_the_table(self):
        curve = self.curves("run.csv", "pin.angle", "--from", "0.2", "--until", "0.5")["pin.angle"]
        t, angle = self.column("t [s]"), self.column("pin.angle [rad]")
        kept = [i for i, x in enumerate(t) if 0.2 <= x <= 0.5]
        self.assert_same(curve["x"], [t[i] for i in kept])
        self.assert_same(curve["y"], [angle[i] for i in kept])
        self.assertEqual(len(kept), 31)

    def test_against(self):
        curve = self.curves("run.csv", "rod.tip_1.position.y", "--against", "rod.tip_1.position.x")
        self.assertEqual(list(curve), ["rod.tip_1.position.y"])
        self.assert_same(curve["rod.tip_1.position.y"]["x"], self.column("rod.tip_1.position.x [m]"))
        self.assertNotIn("pin.angle", self.curves("run.csv", "--against", "pin.angle"))

    def test_comparison(self):
        text = (self.folder / "run.csv").read_text()
        self.write("other.csv", text)
        (self.folder / "sub").mkdir()
        self.write("sub/run.csv", text)
        self.plot("run.csv", "other.csv", "pin.angle", "-o", "two.svg")
        self.assertLessEqual({"pin.angle (run.csv)", "pin.angle (other.csv)"}, set(self.svg_texts("two.svg")))
        self.plot("run.csv", "sub/run.csv", "pin.angle", "-o", "two.svg")
        self.assertLessEqual({"pin.angle (run.csv)", "pin.angle (sub/run.csv)"}, set(self.svg_texts("two.svg")))


class Models(Case):
    def setUp(self):
        super().setUp()
        self.write("m.yaml", PENDULUM)

    def run_model(self, output):
        subprocess.run([PROGRAM, "run", "m.yaml", "-q", "-o", output], cwd=self.folder, check=True, timeout=TIMEOUT)

    def test_a_model_is_run_first(self):
        self.run_model("m.csv")
        model, results = self.curves("m.yaml"), self.curves("m.csv")
        self.png_size("m.png")
        self.assertEqual(list(model), list(results))
        for name, curve in model.items():
            self.assertEqual(len(curve["x"]), 51)
            for axis in "xy":
                self.assert_same(curve[axis], results[name][axis])

    def test_until_is_where_the_run_ends(self):
        times = self.curves("m.yaml", "pivot.angle", "--until", "0.7")["pivot.angle"]["x"]
        self.assertEqual(len(times), 71)
        self.assertAlmostEqual(times[-1], 0.7, delta=1e-12)

    def test_hdf5(self):
        self.run_model("m.csv")
        self.run_model("m.h5")
        self.assert_same(self.curves("m.csv", "rod")["rod.angle"]["y"], self.curves("m.h5", "rod")["rod.angle"]["y"])

    def test_phase(self):
        curve = self.curves("m.yaml", "--phase", "pivot.angle")["pivot.angle.rate"]
        self.assertEqual(curve["over"], "pivot.angle")
        self.run_model("m.csv")
        self.assert_same(self.curves("m.csv", "pivot.angle", "--phase")["pivot.angle.rate"]["y"],
                         self.column("pivot.angle.rate [rad/s]", "m.csv"))
        for angle, rate in zip(curve["x"], curve["y"]):        # a swing from rest: the rod's energy stays 0
            self.assertAlmostEqual(0.5 * (0.1 + 0.25) * rate ** 2, -9.81 * 0.5 * math.sin(angle), delta=1e-9)
        self.assertEqual(list(self.curves("m.yaml", "--phase", "rod.tip.position")),
                         ["rod.tip.velocity.x", "rod.tip.velocity.y"])

    def test_phase_needs_a_recorded_rate(self):
        self.assertIn("add 'rod.angle.rate' to the outputs of the model, or 'rod.angular_velocity'",
                      self.plot("m.yaml", "--phase", "rod.angle", status=USAGE))
        self.assertIn("add 'energy.total.rate'", self.plot("m.yaml", "--phase", "energy.total", status=USAGE))
        self.assertIn("name of a coordinate", self.plot("m.yaml", "--phase", status=USAGE))
        self.assertIn("cannot share an axis",
                      self.plot("m.yaml", "--phase", "pivot.angle", "rod.tip.position", status=USAGE))

    def test_mistakes_in_a_model(self):
        self.write("m.yaml", PENDULUM.replace("mass: 1 kg", "mas: 1 kg"))
        self.assertIn("m.yaml:5:", self.plot("m.yaml", status=MODEL))
        self.assertFalse((self.folder / "m.png").exists())


class Spectra(Case):
    SINES = {3: 0.7, 10: 2.5, 41: 1e-3}        # Hz: amplitude

    def sines(self, t):
        return 4 + sum(a * math.sin(2 * math.pi * f * t + f) for f, a in self.SINES.items())

    def spectrum(self, name, *words):
        curve = self.curves(name, "--fft", *words)["a"]
        return curve["x"], curve["y"]

    def test_a_sine_gives_its_amplitude(self):
        for rows in (1001, 2001, 4001):
            t = [2 * i / (rows - 1) for i in range(rows)]
            self.write("s.csv", table({"t [s]": t, "a [m]": [self.sines(x) for x in t]}))
            for window in ("hann", "none"):
                f, a = self.spectrum("s.csv", "--window", window)
                for frequency, amplitude in self.SINES.items():
                    k = min(range(len(f)), key=lambda i: abs(f[i] - frequency))
                    self.assertAlmostEqual(f[k], frequency, delta=1e-9)
                    self.assertAlmostEqual(a[k], amplitude, delta=1e-9)
                    self.assertGreaterEqual(a[k], max(a[k - 1], a[k + 1]))
                lines = 1 if window == "none" else 3           # the window widens a line to both neighbours
                self.assertEqual(sum(x > 1e-9 for x in a), lines * len(self.SINES))

    def test_any_signal_any_number_of_samples(self):
        source = random.Random(1)
        for n in (8, 9, 60, 97, 121, 127):     # squares and primes among them
            values = [source.uniform(-1, 3) for _ in range(n + 1)]
            self.write("r.csv", table({"t [s]": [0.5 + 0.25 * i for i in range(n + 1)], "a": values}))
            for window in ("hann", "none"):
                f, a = self.spectrum("r.csv", "--window", window)
                expected = amplitudes(values[:n], window == "hann")
                self.assertEqual(len(a), len(expected))
                for k, amplitude in enumerate(expected):
                    self.assertAlmostEqual(f[k], k / (0.25 * n), delta=1e-12)
                    self.assertAlmostEqual(a[k], amplitude, delta=1e-13)

    def test_large_prime_numbers_of_samples_lose_a_few(self):
        values = [math.sin(i) for i in range(100004)]          # 100003 is prime
        self.write("p.csv", table({"t [s]": [0.001 * i for i in range(100004)], "a": values}))
        samples = self.curves("p.csv", "--fft")["a"]["samples"]
        self.assertTrue(99900 < samples < 100003, samples)

    def test_max_frequency(self):
        curve = self.curves("run.csv", "pin.angle", "--fft", "--max-frequency", "12.5")["pin.angle"]
        self.assertEqual(curve["over_unit"], "Hz")
        self.assertAlmostEqual(curve["x"][-1], 12, delta=1e-9)

    def test_part_of_the_time(self):
        self.assertEqual(self.curves("run.csv", "pin.angle", "--fft", "--from", "0.5")["pin.angle"]["samples"], 50)

    def test_uneven_samples(self):
        self.write("u.csv", table({"t [s]": [i + (0.01 if i == 7 else 0) for i in range(20)], "a": [1] * 20}))
        message = self.plot("u.csv", "--fft", status=USAGE)
        self.assertIn("not evenly spaced: from 0.99 s to 1.01 s apart", message)
        self.assertIn("record", message)
        self.write("u.csv", table({"t [s]": [1] * 20, "a": [1] * 20}))
        self.assertIn("not evenly spaced", self.plot("u.csv", "--fft", status=USAGE))
        self.write("u.csv", table({"t [s]": range(7), "a": range(7)}))
        self.assertIn("7 samples of 'a' in 'u.csv'; at least 8", self.plot("u.csv", "--fft", status=USAGE))
        self.write("u.csv", "t [s],a\n" + "".join(f"{i},{'nan' if i == 3 else i}\n" for i in range(20)))
        self.assertIn("no numbers", self.plot("u.csv", "--fft", status=USAGE))


class Mistakes(Case):
    def test_names_and_options(self):
        for words, expected in (
            (["pin.angel"], "no channel 'pin.angel' in 'run.csv'; did you mean 'pin.angle'?"),
            (["--against", "pin.angel"], "did you mean 'pin.angle'?"),
            (["zzz*"], "no channel 'zzz*'"),
            (["--fft", "--phase"], "exclude each other"),
            (["--panels", "--together"], "exclude each other"),
            (["--window", "hann"], "belong to --fft"),
            (["--fft", "--window", "hamming"], "hann or none"),
            (["-o", "x.pdf"], ".png or .svg"),
            (["--text", "-o", "x.png"], "standard output"),
            (["--text", "--json"], "exclude each other"),
            (["--size", "10"], "WIDTHxHEIGHT"),
            (["--size", "800x"], "WIDTHxHEIGHT"),
            (["--size", "1x1"], "WIDTHxHEIGHT"),
            (["--size", "99999999999999999999x600"], "WIDTHxHEIGHT"),
            (["--from", "5"], "no rows in that span of time"),
            (["--log-x", "--until", "0.001"], "positive"),
        ):
            self.assertIn(expected, self.plot("run.csv", *words, status=USAGE))
        self.assertEqual([p.name for p in self.folder.iterdir()], ["run.csv"])

    def test_files(self):
        self.assertIn("nowhere.csv", self.plot("nowhere.csv", status=FILE))
        self.write("empty.csv", "")
        self.assertIn("empty.csv: error: ", self.plot("empty.csv", status=FILE))
        self.write("head.csv", "t [s],a [m]\n")
        self.assertIn("'head.csv' has no rows", self.plot("head.csv", status=USAGE))
        self.write("time.csv", "t [s]\n0\n1\n")
        self.assertIn("no channels to draw", self.plot("time.csv", status=USAGE))
        self.assertIn("cannot write 'nowhere/x.png'", self.plot("run.csv", "-o", "nowhere/x.png", status=FILE))

    def test_logarithms_of_nothing(self):
        self.write("minus.csv", "t [s],a [m]\n0,-1\n1,0\n")
        self.assertIn("'a' has no positive values", self.plot("minus.csv", "--log-y", status=USAGE))

    def test_more_than_anyone_can_read(self):
        many = {"t [s]": [0, 1], **{f"c{i} [u{i}]": [0, 1] for i in range(50)}}
        self.write("many.csv", table(many))
        self.assertIn("50 panels in one picture", self.plot("many.csv", status=USAGE))
        self.assertIn("50 curves of a panel", self.plot("many.csv", "--together", status=USAGE))

    def test_without_gnuplot(self):
        self.write("run.png", "the picture of yesterday")
        message = self.plot("run.csv", status=FILE, environment={"PATH": str(self.folder)})
        self.assertIn("gnuplot is not installed: apt-get install gnuplot-nox", message)
        self.assertEqual((self.folder / "run.png").read_text(), "the picture of yesterday")

    def test_gnuplot_that_fails_is_quoted(self):
        self.write("gnuplot", "#!/bin/sh\necho 'line 0: out of ink' >&2\nexit 1\n")
        (self.folder / "gnuplot").chmod(0o755)
        self.assertIn("gnuplot: line 0: out of ink",
                      self.plot("run.csv", status=FILE, environment={"PATH": f"{self.folder}:/bin"}))
        self.assertFalse((self.folder / "run.png").exists())


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
