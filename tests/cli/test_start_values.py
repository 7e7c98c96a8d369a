"""Start values of random planar mechanisms against an independent solution: what is given holds, the rest follows by least kinetic
energy of the change, contradictions are refused; by 'initial', and by the command 'state' in a run.

usage: test_start_values.py PROGRAM [unittest options]; START_VALUES=N takes N mechanisms of each kind in place of 25
"""
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
TIMEOUT = 60
COUNT = int(os.environ.get("START_VALUES", "25"))
OK, ASSEMBLY = 0, 4
DEPENDENT = 1e-9     # part of a row that is left when other rows are taken out of it: less is round-off
CONTRADICTION = 1e-4  # of rates: more is a contradiction, which here is 0.1 or nothing
OFF = 0.1            # rad/s: a value that is made wrong


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def less(a, factor, b):
    return [x - factor * y for x, y in zip(a, b)]


def least(rows, values):
    """The shortest x with rows x = values, by orthogonal rows, and by how much dependent rows contradict the others."""
    basis, wrong = [], 0
    for row, value in zip(rows, values):
        size = math.sqrt(dot(row, row))
        for _ in range(2):
            for unit, part in basis:
                along = dot(row, unit)
                row, value = less(row, along, unit), value - along * part
        left = math.sqrt(dot(row, row))
        if left > DEPENDENT * size:
            basis.append(([x / left for x in row], value / left))
        else:
            wrong = max(wrong, abs(value))
    x = [0] * len(rows[0]) if rows else []
    for unit, part in basis:
        x = less(x, -part, unit)
    return x, wrong


class Mechanism:
    """Bars with pins, some of them in loops; positions and velocities (of the centre, and of rotation) by body."""

    def __init__(self, seed, loops):
        self.random = r = random.Random(seed)
        self.n = r.randint(1, 5)
        self.place = [(r.uniform(-1, 1), r.uniform(-1, 1)) for _ in range(self.n)]
        self.angle = [r.uniform(-3, 3) for _ in range(self.n)]
        self.com = [(r.uniform(-0.5, 0.5), r.uniform(-0.5, 0.5)) for _ in range(self.n)]
        self.mass = [r.uniform(0.5, 3) for _ in range(self.n)]
        self.inertia = [r.uniform(0.05, 0.3) for _ in range(self.n)]
        self.pins = [(r.randint(-1, k - 1) if k else -1, k, (r.uniform(-1, 1), r.uniform(-1, 1)))
                     for k in range(self.n) if k or r.random() > 0.3]
        if loops and self.n > 1 and r.random() < 0.4:
            a, b = r.sample(range(self.n), 2)
            self.pins.append((a, b, (r.uniform(-1, 1), r.uniform(-1, 1))))
        self.given, self.wanted, self.texts = [], [], []
        self.base = [0] * (3 * self.n)      # the velocities that change least

    def moved(self, k, point):
        """A point of a body, given at the start, where the body is now (self.now: origin and angle)."""
        (x, y), turn = self.now[k], self.now_angle[k] - self.angle[k]
        dx, dy = point[0] - self.place[k][0], point[1] - self.place[k][1]
        return x + math.cos(turn) * dx - math.sin(turn) * dy, y + math.sin(turn) * dx + math.cos(turn) * dy

    def stand(self, now, now_angle, base):
        self.now, self.now_angle, self.base = now, now_angle, list(base)
        self.centre = []
        for (x, y), angle, (cx, cy) in zip(now, now_angle, self.com):
            self.centre.append((x + math.cos(angle) * cx - math.sin(angle) * cy, y + math.sin(angle) * cx + math.cos(angle) * cy))

    def point_rows(self, k, point):
        rows = [[0] * (3 * self.n), [0] * (3 * self.n)]
        if k >= 0:
            rows[0][3 * k], rows[1][3 * k + 1] = 1, 1
            rows[0][3 * k + 2], rows[1][3 * k + 2] = self.centre[k][1] - point[1], point[0] - self.centre[k][0]
        return rows

    def joint_rows(self):
        rows = []
        for a, b, point in self.pins:
            at = self.moved(b, point)
            rows += [less(y, 1, x) for x, y in zip(self.point_rows(a, at), self.point_rows(b, at))]
        return rows

    def give(self, mistakes):
        """Gives some values of a motion that the joints allow; with mistakes some of them are off."""
        r, n = self.random, self.n
        rows = self.joint_rows()
        motion = [r.uniform(-3, 3) for _ in range(3 * n)]
        change, _ = least(rows, [dot(row, motion) for row in rows]) if rows else ([0] * (3 * n), 0)
        motion = less(motion, 1, change)

        def off():
            return OFF if mistakes and r.random() < 0.15 else 0
        for k in range(n):
            parts, spin = [], r.random() < 0.35
            if spin:
                value = motion[3 * k + 2] + off()
                parts.append(f"angular_velocity: {value!r}")
                self.given.append([float(j == 3 * k + 2) for j in range(3 * n)])
                self.wanted.append(value)
                self.base[3 * k + 2] = value
            if r.random() < 0.25:
                rows = self.point_rows(k, self.now[k])
                velocity = [dot(row, motion) for row in rows]
                parts.append(f"velocity: [{velocity[0]!r}, {velocity[1]!r}]")
                self.given += rows
                self.wanted += velocity
                w, (cx, cy), (x, y) = self.base[3 * k + 2], self.centre[k], self.now[k]
                self.base[3 * k:3 * k + 2] = [velocity[0] - w * (cy - y), velocity[1] + w * (cx - x)]
            if parts:
                self.texts.append(f"b{k}: {{ {', '.join(parts)} }}")
        for k, (a, b, _) in enumerate(self.pins):
            if r.random() < 0.2:
                row = [float(j == 3 * b + 2) - float(a >= 0 and j == 3 * a + 2) for j in range(3 * n)]
                self.given.append(row)
                self.wanted.append(dot(row, motion) + off())
                self.texts.append(f"j{k}: {{ rate: {self.wanted[-1]!r} }}")

    def solution(self):
        """Velocities with the least kinetic energy of the change, and by how much given values contradict each other."""
        weight = [math.sqrt(x) for k in range(self.n) for x in (self.mass[k], self.mass[k], self.inertia[k])]
        rows = self.joint_rows()
        values = [0] * len(rows) + self.wanted
        rows += self.given
        scaled = [[x / w for x, w in zip(row, weight)] for row in rows]
        change, wrong = least(scaled, [v - dot(row, self.base) for row, v in zip(rows, values)])
        return [b + (x / w) for b, x, w in zip(self.base, change or self.base, weight)] if rows else self.base, wrong

    def text(self, more, velocities, until):
        lines = ["tenon: 1", "dimension: 2", "bodies:"]
        for k in range(self.n):
            (x, y), (cx, cy) = self.place[k], self.com[k]
            lines.append(f"  b{k}: {{ mass: {self.mass[k]!r}, inertia: {self.inertia[k]!r}, com: [{cx!r}, {cy!r}], position: [{x!r}, {y!r}], "
                         f"angle: {self.angle[k]!r}{velocities(k)}, frames: {{ c: {{ at: [{cx!r}, {cy!r}] }} }} }}")
        lines += ["joints:"] if self.pins else []
        for k, (a, b, (x, y)) in enumerate(self.pins):
            lines.append(f"  j{k}: {{ type: revolute, between: [{f'b{a}' if a >= 0 else 'ground'}, b{b}], at: [{x!r}, {y!r}] }}")
        outputs = ", ".join(f"b{k}.position, b{k}.angle, b{k}.c.velocity, b{k}.angular_velocity" for k in range(self.n))
        lines += [more, f"outputs: [{outputs}]",
                  f"solve: {{ until: {until!r}, record: {until!r}, integrator: dopri5, tolerance: 1e-11 }}"]
        return "\n".join(lines) + "\n"


class StartValues(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def run_model(self, text, *options):
        (self.folder / "m.yaml").write_text(text)
        return subprocess.run([PROGRAM, "run", "m.yaml", "--quiet", *options], cwd=self.folder, capture_output=True, text=True,
                              timeout=TIMEOUT)

    def rows(self, run):
        return [[float(x) for x in line.split(",")][1:] for line in run.stdout.strip().split("\n")[1:]]

    def check_velocities(self, seed, m, row, tolerance):
        wanted, _ = m.solution()
        found = [x for k in range(m.n) for x in row[6 * k + 3:6 * k + 6]]
        scale = max(1, max(map(abs, wanted)))
        self.assertLess(max(abs(a - b) for a, b in zip(found, wanted)) / scale, tolerance, f"seed {seed}: {found}, wanted {wanted}")

    def start(self, seed, mistakes):
        m = Mechanism(seed, loops=True)
        m.stand(m.place, m.angle, m.base)
        m.give(mistakes)
        run = self.run_model(m.text(f"initial: {{ {', '.join(m.texts)} }}" if m.texts else "", lambda k: "", 0.001))
        return m, run

    def test_initial(self):
        for seed in range(COUNT):
            m, run = self.start(seed, False)
            self.assertEqual(run.returncode, OK, f"seed {seed}: {run.stderr}")
            self.check_velocities(seed, m, self.rows(run)[0], 1e-7)

    def test_contradictions(self):
        refused = 0
        for seed in range(COUNT):
            m, run = self.start(seed, True)
            _, wrong = m.solution()
            refused += wrong > CONTRADICTION
            self.assertEqual(run.returncode, ASSEMBLY if wrong > CONTRADICTION else OK, f"seed {seed}: off by {wrong}, {run.stderr}")
        self.assertGreater(refused, COUNT // 20)

    def test_state_in_a_run(self):
        for seed in range(COUNT):
            m = Mechanism(seed, loops=False)
            spins = [m.random.uniform(-3, 3) for _ in range(m.n)]
            text = m.text("gravity: [0, -9.81]", lambda k: f", angular_velocity: {spins[k]!r}, guess: yes", 0.1)
            row = self.rows(self.run_model(text))[-1]
            m.stand([tuple(row[6 * k:6 * k + 2]) for k in range(m.n)], [row[6 * k + 2] for k in range(m.n)],
                    [x for k in range(m.n) for x in row[6 * k + 3:6 * k + 6]])
            m.give(False)
            if not m.texts:
                continue
            (self.folder / "s.yaml").write_text(f"edits:\n  - {{ at: 0.1 s, do: {{ state: {{ {', '.join(m.texts)} }} }} }}\n")
            run = self.run_model(text.replace("until: 0.1,", "until: 0.10000001,").replace("record: 0.1,", "record: 0.10000001,"),
                                 "--script", "s.yaml")
            self.assertEqual(run.returncode, OK, f"seed {seed}: {run.stderr}")
            self.check_velocities(seed, m, self.rows(run)[-1], 1e-5)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
