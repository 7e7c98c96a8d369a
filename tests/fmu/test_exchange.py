"""Model exchange of models with limits, contacts and devices that hold a joint: FMUs that an importer of our own integrates agree
with `tenon run`.

usage: test_exchange.py PROGRAM SOURCE_FOLDER
"""
import ctypes
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import PROGRAM, Folder
from importer import SIZE, Instance, check, integrate, runge_kutta, put

SOLVE = "solve: { tolerance: 1e-12, absolute_tolerance: 1e-12 }\n"
BALL = """
tenon: 1
dimension: 2
gravity: [0, -10]
bodies:
  ball: { mass: 1, inertia: 0.01, position: [0, 1.1], velocity: [1, 0], shapes: [ { disc: { radius: 0.1 } } ] }
  ground: { shapes: [ { half_space: { at: [0, 0], normal: [0, 1] } } ] }
contacts: { floor: { among: [ground, ball], restitution: 0.5, friction: 0.2 } }
outputs: [ball.position.x, ball.position.y, ball.angle, floor.normal]
""" + SOLVE
# A crank with a clutch to the motor, between stops; the motor pushes it from one stop to the other.
CRANK = """
tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  rotor: { mass: 1, inertia: 2 }
  arm: { mass: 1, com: [0.3, 0], inertia: 0.1 }
joints:
  axle: { type: revolute, between: [ground, rotor] }
  pin: { type: revolute, between: [ground, arm], limits: { angle: [-60 deg, 60 deg], restitution: 0.4 } }
devices:
  grip: { type: clutch, shaft: { axle.angle: 1, pin.angle: -1 }, capacity: 3 N m }
forces:
  push: { type: motor, joint: axle, value: 30 N m * sin(6 rad/s * t) }
outputs: [axle.angle, pin.angle, pin.angle.rate, grip.mode]
""" + SOLVE


class Exchange(Folder):
    def write(self, name, text):
        path = os.path.join(self.folder, name + ".yaml")
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_agrees_with_run(self):
        for name, text, until, least in (("ball", BALL, 1.6, 20), ("crank", CRANK, 1.0, 2)):
            path = self.write(name, text)
            table = self.table(path, until, 0.1)
            for version in (2, 3):
                fmu = self.export(path, "--fmi", str(version), name=name)
                self.assertIn("ModelExchange", fmu.kinds)
                self.assertEqual(check(fmu.root), [])
                rows, events = integrate(fmu, fmu.outputs, until, 0.1, 2e-3)
                self.compare(rows, fmu.outputs, table, 1e-6, f"{name} ME {version}")
                self.assertGreaterEqual(events, least)
                fmu.close()

    def test_rough_event_search(self):
        """A tool that finds the instant of an impact to 10 us only: the ball bounces less and less, and comes to rest."""
        fmu = self.export(self.write("rough", BALL), "--fmi", "3", name="rough")
        i = Instance(fmu, exchange=True)
        i.initialize()
        i.update()
        i.must("EnterContinuousTimeMode")
        x, t, events = i.vector("GetContinuousStates"), 0.0, 0
        before = i.indicators()
        while t < 1.6:
            h = 2e-3
            while True:
                y = runge_kutta(i, t, x, h)
                put(i, t + h, y)
                crossed = i.indicators() != before
                if not crossed or h <= 1e-5:
                    break
                h /= 2
            t, x = t + h, y
            if i.completed() or crossed:
                i.must("EnterEventMode")
                events += 1
                while i.update():
                    x = i.vector("GetContinuousStates")
                i.must("EnterContinuousTimeMode")
            before = i.indicators()
        position, height, _, force = i.get(fmu.outputs)
        self.assertAlmostEqual(height, 0.1, 5)
        self.assertAlmostEqual(force, 10, 6)
        self.assertLess(events, 60)
        i.free()
        fmu.close()

    def test_state_in_contact(self):
        """A saved state contains the modes: another instance goes on with the same bits."""
        fmu = self.export(self.write("rest", BALL), "--fmi", "3", name="rest")
        i, j = Instance(fmu, exchange=True), Instance(fmu, exchange=True)
        for one in (i, j):
            one.initialize()
            one.update()
            one.must("EnterContinuousTimeMode")
        x, t = i.vector("GetContinuousStates"), 0.0
        before = i.indicators()
        while t < 1.5:                                   # it rolls in the end
            y = runge_kutta(i, t, x, 1e-3)
            t += 1e-3
            put(i, t, y)
            x = y
            if i.completed() or i.indicators() != before:
                i.must("EnterEventMode")
                while i.update():
                    x = i.vector("GetContinuousStates")
                i.must("EnterContinuousTimeMode")
            before = i.indicators()
        state, size, copied = ctypes.c_void_p(), SIZE(), ctypes.c_void_p()
        i.must("GetFMUState", ctypes.byref(state))
        i.must("SerializedFMUStateSize", state, ctypes.byref(size))
        data = (ctypes.c_char * size.value)()
        i.must("SerializeFMUState", state, data, size)
        j.must("DeserializeFMUState", data, size, ctypes.byref(copied))
        j.must("SetFMUState", copied)
        self.assertEqual(j.get(fmu.outputs), i.get(fmu.outputs))
        self.assertAlmostEqual(j.get(["floor.normal"])[0], 10, 9)
        self.assertEqual(runge_kutta(j, t, j.vector("GetContinuousStates"), 1e-3), runge_kutta(i, t, x, 1e-3))
        for one, kept in ((i, state), (j, copied)):
            one.must("FreeFMUState", ctypes.byref(kept))
            one.free()
        fmu.close()

    def test_refusals(self):
        delay = ("tenon: 1\ndimension: 2\nbodies: { cart: { type: particle, mass: 1 kg } }\n"
                 "devices: { d: { type: delay, u: cart.position.x, time: 0.1 s } }\noutputs: [d.y]\n")
        for text, reason in ((delay, "delays"), (BALL.replace("solve: {", "solve: { contact: time-stepping, step: 1 ms,"), "in time")):
            path = self.write("refused", text)
            done = subprocess.run([PROGRAM, "export", path, "--kind", "me", "-o", os.path.join(self.folder, "no.fmu")],
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)
            self.assertIn("co-simulation", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
