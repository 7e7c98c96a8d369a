"""tenon export: parameters of an FMU that change while the model runs.

usage: test_tuning.py PROGRAM SOURCE_FOLDER
"""
import ctypes
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import Folder
from importer import ERROR, OK, SIZE, Instance, check

OSCILLATOR = """
tenon: 1
name: Oscillator
dimension: 2
gravity: [0, 0]
parameters: { mass: 2 kg, k: 200 N/m, c: k * 0.01 s, x0: 0.1 m, offset: 0.2 m, speed: 1 m/s, late: 1 m/s }
inputs:
  push: { unit: N, default: 0 }
bodies:
  cart: { mass: mass, inertia: 1 kg m^2 }
  arm: { mass: 1 kg, com: [offset, 0], inertia: 1 kg m^2 }
  belt: { mass: 1 kg, inertia: 1 kg m^2 }
joints:
  slide: { type: translational, between: [ground, cart] }
  pin: { type: revolute, between: [ground, arm] }
  way: { type: translational, between: [ground, belt] }
forces:
  spring: { type: motor, joint: slide, value: push - k * slide.position - c * slide.position.rate }
drives:
  run: { joint: way, rate: "speed * (1 + t / 1 s) + late * step(t, 0.6 s, 0.8 s)" }
initial: { slide: { position: x0 }, way: { rate: speed } }
outputs: [slide.position, slide.position.rate, slide.position.acceleration, way.position]
solve: { until: 1 s, record: 0.1 s, tolerance: 1e-11 }
"""


def oscillate(x, v, m, k, c, push, until):
    """The oscillator by the classical Runge-Kutta method."""
    rate = lambda y: (y[1], (push - k * y[0] - c * y[1]) / m)
    steps = 2000
    h, y = until / steps, (x, v)
    move = lambda y, s, d: (y[0] + s * d[0], y[1] + s * d[1])
    for _ in range(steps):
        a = rate(y)
        b = rate(move(y, h / 2, a))
        c_ = rate(move(y, h / 2, b))
        d = rate(move(y, h, c_))
        y = tuple(y[i] + h / 6 * (a[i] + 2 * b[i] + 2 * c_[i] + d[i]) for i in range(2))
    return y


class Tuning(Folder):
    """Parameters that change while the model runs."""
    POSITION = ["slide.position", "slide.position.rate"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = os.path.join(cls.folder, "oscillator.yaml")
        with open(path, "w") as file:
            file.write(OSCILLATOR)
        cls.oscillators = {v: cls.export(path, "--fmi", str(v)) for v in (2, 3)}

    def test_variability(self):
        for version in (2, 3):
            fmu = self.oscillators[version]
            self.assertEqual(check(fmu.root), [])
            found = {n: v.get("variability") for n, v in fmu.variables.items() if v.get("causality") == "parameter"}
            # the start, places of centres of mass and rates of drives cannot change without a jump
            self.assertEqual(found, {"mass": "tunable", "k": "tunable", "c": "tunable", "x0": "fixed", "offset": "fixed",
                                     "speed": "fixed", "late": "tunable"})
            units = {n: fmu.type_of(fmu.variables[n]).get("unit") for n in ("mass", "x0")}
            self.assertEqual(units, {"mass": "kg", "x0": "m"})

    def test_simulation(self):
        for version in (2, 3):
            i = Instance(self.oscillators[version])
            i.initialize(x0=0.15, push=1.0)
            self.assertEqual(i.step(0, 0.3), OK)
            half = oscillate(0.15, 0, 2, 200, 2, 1, 0.3)
            i.set(k=400.0, mass=3.0)
            self.assertEqual(i.get(["k", "mass", "c", "x0", "push"]), [400, 3, 4, 0.15, 1])      # c follows from k
            for value, wanted in zip(i.get(self.POSITION), half):
                self.assertAlmostEqual(value, wanted, 8)                   # nothing has moved
            self.assertAlmostEqual(i.get(["slide.position.acceleration"])[0], (1 - 400 * half[0] - 4 * half[1]) / 3, 6)
            i.set(push=-2.0)                                               # inputs are still there
            self.assertEqual(i.step(0.3, 0.4), OK)
            for value, wanted in zip(i.get(self.POSITION), oscillate(*half, 3, 400, 4, -2, 0.4)):
                self.assertAlmostEqual(value, wanted, 7)
            i.set(c=0.5)                                                   # what was computed can be given, too
            i.set(k=100.0)
            self.assertEqual(i.get(["k", "c"]), [100, 0.5])
            i.must("Reset")
            self.assertEqual(i.get(["k", "mass", "c", "x0"]), [200, 2, 2, 0.1])
            i.free()

    def test_exchange(self):
        for version in (2, 3):
            i = Instance(self.oscillators[version], exchange=True)
            i.initialize()
            i.set(mass=4.0)                                                   # event mode
            while i.update():
                pass
            i.must("EnterContinuousTimeMode")
            self.assertEqual(i.try_set(["k"], [300.0]), ERROR)
            self.assertEqual(i.get(["k"]), [200])
            x, h = i.vector("GetContinuousStates"), 1e-3
            for k in range(400):
                if k == 200:
                    i.must("EnterEventMode")
                    i.set(k=400.0)
                    i.update()
                    self.assertEqual(i.vector("GetContinuousStates"), x)
                    i.must("EnterContinuousTimeMode")
                t = k * h
                slope = i.rates(t + h / 2, [a + h / 2 * b for a, b in zip(x, i.rates(t, x))])
                x = [a + h * b for a, b in zip(x, slope)]
                i.rates(t + h, x)
                if i.completed():
                    i.must("EnterEventMode")
                    if i.update():
                        x = i.vector("GetContinuousStates")
                    i.must("EnterContinuousTimeMode")
            half = oscillate(0.1, 0, 4, 200, 2, 0, 0.2)
            for value, wanted in zip(i.get(self.POSITION), oscillate(*half, 4, 400, 4, 0, 0.2)):
                self.assertAlmostEqual(value, wanted, 4)
            i.free()

    def test_refused(self):
        """Values that the model cannot have are errors, and the motion goes on as if nobody had asked."""
        for version in (2, 3):
            i, j = Instance(self.oscillators[version]), Instance(self.oscillators[version])
            for x in (i, j):
                x.initialize()
                self.assertEqual(x.step(0, 0.2), OK)
            before = len(i.messages)
            for names, values in ((["mass"], [-1.0]), (["mass"], [0.0]), (["k"], [float("nan")]), (["k"], [float("inf")]), (["x0"], [0.2]),
                                  (["offset"], [0.3]), (["k", "mass"], [300.0, -1.0])):
                self.assertEqual(i.try_set(names, values), ERROR, names)
                self.assertGreater(len(i.messages), before)
                before = len(i.messages)
                self.assertEqual(i.get(["mass", "k", "x0", "offset"]), [2, 200, 0.1, 0.2])
            i.set(k=200.0)                                                 # the same value changes nothing
            for x in (i, j):
                self.assertEqual(x.step(0.2, 0.2), OK)
            self.assertEqual(i.get(self.POSITION), j.get(self.POSITION))
            for x in (i, j):
                x.set(late=1.5)                                            # the drive does not use it yet
                self.assertEqual(x.step(0.4, 0.3), OK)
            self.assertEqual(i.try_set(["late"], [2.0]), ERROR)            # now the belt would jump
            self.assertIn("jump", i.messages[-1][1])
            self.assertEqual(i.get(["late"]), [1.5])
            for x in (i, j):
                self.assertEqual(x.step(0.7, 0.2), OK)
            self.assertEqual(i.get(self.POSITION + ["way.position"]), j.get(self.POSITION + ["way.position"]))
            i.must("Terminate")
            self.assertEqual(i.try_set(["k"], [300.0]), ERROR)
            i.free()
            j.free()

    def test_states(self):
        """A saved state brings its parameters back, here and in another instance, to the bit."""
        for version in (2, 3):
            word, open_ = ("FMUstate", "DeSerialize") if version == 2 else ("FMUState", "Deserialize")
            i, j = Instance(self.oscillators[version]), Instance(self.oscillators[version])
            i.initialize()
            j.initialize()
            states, ends, size = [ctypes.c_void_p(), ctypes.c_void_p()], [], SIZE()
            self.assertEqual(i.step(0, 0.2), OK)
            i.must(f"Get{word}", ctypes.byref(states[0]))
            i.set(k=500.0)
            i.must(f"Get{word}", ctypes.byref(states[1]))
            self.assertEqual(i.step(0.2, 0.1), OK)
            ends.append((i.get(self.POSITION), [500, 5]))
            i.must(f"Set{word}", states[0])
            self.assertEqual(i.get(["k", "c"]), [200, 2])
            self.assertEqual(i.step(0.2, 0.1), OK)
            ends.append((i.get(self.POSITION), [200, 2]))
            i.must(f"Set{word}", states[1])
            self.assertEqual(i.step(0.2, 0.1), OK)
            self.assertEqual((i.get(self.POSITION), i.get(["k", "c"])), ends[0])
            for state, end in ((states[1], ends[0]), (states[0], ends[1])):
                i.must(f"Serialized{word}Size", state, ctypes.byref(size))
                bytes_, copied = (ctypes.c_char * size.value)(), ctypes.c_void_p()
                i.must(f"Serialize{word}", state, bytes_, size)
                j.must(f"{open_}{word}", bytes_, size, ctypes.byref(copied))
                j.must(f"Set{word}", copied)
                self.assertEqual(j.step(0.2, 0.1), OK)
                self.assertEqual((j.get(self.POSITION), j.get(["k", "c"])), end)
                j.set(k=250.0)                                             # c still follows
                self.assertEqual(j.get(["c"]), [2.5])
                j.must(f"Free{word}", ctypes.byref(copied))
                i.must(f"Free{word}", ctypes.byref(state))
            i.free()
            j.free()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
