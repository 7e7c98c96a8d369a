"""tenon export: FMUs run by an importer of our own agree with `tenon run`; every rule and call order is tried.

usage: test_fmu.py PROGRAM SOURCE_FOLDER
"""
import copy
import ctypes
import hashlib
import math
import os
import resource
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import PENDULUM, PROGRAM, SOURCE, Folder
from importer import BOOL, D, DISCARD, ERROR, OK, SIZE, VR, Instance, check, integrate, simulate

# model, model exchange too, end, RK4 step
MODELS = [("four-bar", 0.1), ("double-pendulum", 0.1), ("slider-crank", 0.1), ("gyroscope", 0.1), ("quarter-car", 0.1),
          ("andrews", 0), ("bricard", 0.1), ("pid-arm", 0.1), ("gear-train", 0.1), ("vibration", 0.1), ("watt", 0.1),
          ("bouncing-ball", 0.1), ("driven-slider-crank", 0.1), ("car/car", 0)]


HYBRID = """
tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  cart: { type: particle, mass: 1 kg, position: [0.3, 0] }
  ball: { type: particle, mass: 1 kg, position: [2, 3] }
  a: { mass: 1 kg, com: [0.5, 0], inertia: 0.1 kg m^2, frames: { tip: { at: [1, 0] } } }
  b: { mass: 1 kg, com: [0.5, 0], inertia: 0.1 kg m^2, position: [1, 0] }
joints:
  p: { type: revolute, between: [ground, a] }
  q: { type: revolute, between: [a.tip, b], fuse: { force: 22 N } }
devices:
  lim: { type: limiter, u: 20 * sin(5 rad/s * t), low: -8, high: 8 }
  c: { type: discrete-pid, period: 70 ms, offset: 10 ms, target: 1 m, measured: cart.position.x, kp: 20, kd: 5 }
  r: { type: relay, u: cart.position.x, on: 0.7, off: 0.2, low: 1, high: -1 }
forces:
  f: { type: force, on: cart, value: [(lim.y + c.y + r.y) * 1 N, 9.81 N] }
events:
  bounce: { when: ball.position.y, crosses: down, do: { state: { ball: { velocity: [0, "{-0.8 * ball.velocity.y}"] } } } }
outputs: [cart.position.x, lim.y, c.y, r.y, ball.position.y, ball.velocity.y, p.angle, b.position.y, energy.error]
solve: { until: 2 s, tolerance: 1e-11, absolute_tolerance: 1e-11 }
"""


class Motion(Folder):
    def test_models(self):
        for name, exchange in MODELS:
            model = os.path.join(SOURCE, "examples", name + ".yaml")
            if not os.path.exists(model):
                continue
            until, step = (exchange or 0.2), 0.02 if exchange != 0.1 else 0.01
            table = self.table(model, until, step)
            for version in (2, 3):
                fmu = self.export(model, "--fmi", str(version), name="m")
                self.assertEqual(check(fmu.root), [], name)
                names = [n for n in fmu.outputs if not n.startswith("drift")]
                self.compare(simulate(fmu, names, until, step), names, table, 1e-5, f"{name} CS {version}")
                if exchange:
                    self.assertIn("ModelExchange", fmu.kinds, name)
                    length = until if version == 3 else 2 * step        # the states are the same: a look at the other functions
                    rows, events = integrate(fmu, names, length, step, 1e-3)
                    self.compare(rows, names, (table[0], table[1][:len(rows)]), 1e-3, f"{name} ME {version}")
                if name == "driven-slider-crank":       # lengths, and what the drive turns by
                    self.assertFalse([n for n, v in fmu.variables.items() if v.get("variability") == "tunable"])
                fmu.close()

    def test_compiled_component(self):
        """A model with a compiled component exports without the component's text, and moves as with its file."""
        part = ("tenon: 1\ndimension: 2\nports: { left: cart, right: secret_weight }\nparameters: { hidden_stiffness: 137.25 N/m }\n"
                "bodies: { cart: { mass: 1, inertia: 0.1 }, secret_weight: { mass: 2, inertia: 0.1, position: [1, 0] } }\n"
                "forces: { s: { type: spring, between: [cart, secret_weight], stiffness: hidden_stiffness, length: 0.8 } }\n")
        model = ("tenon: 1\ndimension: 2\nsubsystems: { p: { use: part.%s } }\ninputs: { f: { unit: N, default: 3 } }\n"
                 "joints: { a: { type: translational, between: [ground, p.left] }, b: { type: translational, between: [ground, p.right] } }\n"
                 "forces: { push: { type: force, on: p.left, value: [f, 0] } }\n"
                 "outputs: [a.position, b.position]\nsolve: { until: 0.5, tolerance: 1e-10 }\n")
        for name, text in (("part.yaml", part), ("file.yaml", model % "yaml"), ("compiled.yaml", model % "so")):
            with open(os.path.join(self.folder, name), "w") as file:
                file.write(text)
        subprocess.run([PROGRAM, "compile", "part.yaml", "-o", "part.so"], check=True, cwd=self.folder, stdout=subprocess.DEVNULL)
        names, table = ["a.position", "b.position"], self.table(os.path.join(self.folder, "file.yaml"), 0.5, 0.1)
        here = os.getcwd()
        os.chdir(self.folder)                           # a relative path: names in the archive are plain all the same
        try:
            fmu = self.export("compiled.yaml", "--fmi", "3", name="compiled")
        finally:
            os.chdir(here)
        self.assertTrue(os.path.exists(os.path.join(fmu.folder, "resources", "part.so")))
        self.compare(simulate(fmu, names, 0.5, 0.1), names, table, 1e-8, "compiled component")
        for folder, _, files in os.walk(fmu.folder):
            for file in files:
                with open(os.path.join(folder, file), "rb") as data:
                    content = data.read()
                self.assertNotIn(b"secret_weight", content, file)
                self.assertNotIn(b"hidden_stiffness", content, file)
        fmu.close()

    def test_exchange_2(self):
        rows, events = integrate(self.fmus[2], ["pivot.angle", "pivot.angle.rate", "power"], 1, 0.1, 1e-3)
        self.compare(rows, ["pivot.angle", "pivot.angle.rate", "power"], self.table(self.model, 1.0, 0.1), 1e-6, "ME 2")
        self.assertLess(events, 3)                      # drift is far below what needs a correction

    def test_drift_is_corrected(self):
        """A rough integrator leaves the constraints; event mode brings the state back."""
        for version in (2, 3):
            i = Instance(self.fmus[version], exchange=True)
            i.initialize()
            i.update()
            i.must("EnterContinuousTimeMode")
            x, corrected = i.vector("GetContinuousStates"), 0
            for k in range(200):
                x = [a + 0.01 * b for a, b in zip(x, i.rates(0.01 * k, x))]
                i.rates(0.01 * (k + 1), x)
                if i.completed():
                    i.must("EnterEventMode")
                    self.assertTrue(i.update())
                    x = i.vector("GetContinuousStates")
                    i.must("EnterContinuousTimeMode")
                    corrected += 1
            self.assertGreater(corrected, 50)
            self.assertAlmostEqual(x[0] ** 2 + x[1] ** 2, 0.25, 9)      # the centre of mass is half a metre from the pivot
            i.free()

    def test_exchange_with_events(self):
        """Kinks, samples, modes, events of the model and a joint that breaks: by indicators and time events."""
        path = os.path.join(self.folder, "hybrid.yaml")
        with open(path, "w") as file:
            file.write(HYBRID)
        names = ["cart.position.x", "lim.y", "c.y", "r.y", "ball.position.y", "ball.velocity.y", "p.angle", "b.position.y"]
        table = self.table(path, 1.4, 0.1)
        for version in (2, 3):
            fmu = self.export(path, "--fmi", str(version), name="hybrid")
            self.assertIn("ModelExchange", fmu.kinds)
            self.assertEqual(check(fmu.root), [])
            self.assertGreaterEqual(fmu.indicators, 6)
            rows, events = integrate(fmu, names, 1.4, 0.1, 2e-3)
            self.compare(rows, names, table, 1e-6, f"hybrid ME {version}")
            self.assertGreater(events, 20)
            self.assertNotIn("energy.error", fmu.outputs)               # a sum over the steps of a run
            fmu.close()
        alone = self.export(path, "--kind", "cs", name="alone")
        self.assertIn("energy.error", alone.outputs)

    def test_turns(self):
        """An angle is counted over full turns in model exchange."""
        rows, _ = integrate(self.fmus[3], ["pivot.angle"], 1, 0.1, 2e-3, lambda i: i.set(torque=10.0, m=0.1))
        whole = simulate(self.fmus[3], ["pivot.angle"], 1, 0.1, torque=10.0, m=0.1)
        self.assertGreater(whole[-1][0], 7)
        for one, other in zip(rows, whole):
            self.assertAlmostEqual(one[0], other[0], 5)

    def test_inputs(self):
        for version in (2, 3):
            rows = simulate(self.fmus[version], ["pivot.angle"], 0.5, 0.01, lambda t: {"torque": 3.0})
            other = simulate(self.fmus[version], ["pivot.angle"], 0.5, 0.05, torque=3.0)
            self.assertAlmostEqual(rows[-1][0], other[-1][0], 8)
            changed = simulate(self.fmus[version], ["pivot.angle"], 0.5, 0.05, L=0.5, m=2.0)
            self.assertNotAlmostEqual(changed[-1][0], other[-1][0], 2)

    def test_input_derivatives(self):
        """A ramp in one step is the motion of a ramp, not of a hold."""
        fmu = self.fmus[2]
        fine = simulate(fmu, ["pivot.angle"], 0.2, 0.0005, lambda t: {"torque": 10 * (t + 0.00025)}, torque=0.0)[-1][0]
        i = Instance(fmu)
        i.initialize(torque=0.0)
        i.must("SetRealInputDerivatives", i.references(["torque"]), SIZE(1), (ctypes.c_int * 1)(1), (D * 1)(10.0))
        self.assertEqual(i.step(0, 0.2), OK)
        self.assertAlmostEqual(i.get(["pivot.angle"])[0], fine, 6)
        self.assertAlmostEqual(i.get(["torque"])[0], 2.0, 9)
        orders, rates = (ctypes.c_int * 3)(1, 2, 3), (D * 3)(1.0, -20.0, 600.0)
        i.must("SetRealInputDerivatives", i.references(["torque"] * 3), SIZE(3), orders, rates)
        self.assertEqual(i.step(0.2, 0.1), OK)
        self.assertAlmostEqual(i.get(["torque"])[0], 2 + 0.1 - 0.1 + 0.1, 9)
        self.assertEqual(i.call("SetRealInputDerivatives", i.references(["torque"]), SIZE(1), (ctypes.c_int * 1)(4), (D * 1)(1)), ERROR)
        i.free()

    def test_output_derivatives(self):
        """d/dt of an angle is its rate; of the power the torque times the acceleration."""
        for version in (2, 3):
            i = Instance(self.fmus[version])
            self.assertEqual(self.fmus[version].root.find("CoSimulation").get("maxOutputDerivativeOrder"), "1")
            i.initialize(torque=2.0)
            self.assertEqual(i.step(0, 0.3), OK)
            names, values, orders = ["pivot.angle", "power"], (D * 2)(), (ctypes.c_int32 * 2)(1, 1)
            extra = () if version == 2 else (SIZE(2),)
            function = "GetRealOutputDerivatives" if version == 2 else "GetOutputDerivatives"
            i.must(function, i.references(names), SIZE(2), orders, values, *extra)
            self.assertAlmostEqual(values[0], i.get(["pivot.angle.rate"])[0], 9)
            before, later = i.get(["power"])[0], Instance(self.fmus[version])
            later.initialize(torque=2.0)
            later.step(0, 0.3)
            later.step(0.3, 1e-5)
            self.assertAlmostEqual((later.get(["power"])[0] - before) / 1e-5, values[1], 3)
            self.assertEqual(i.call(function, i.references(["torque", "power"]), SIZE(2), orders, values, *extra), ERROR)
            i.free()
            later.free()

    def test_tolerance(self):
        """The importer's tolerance is used, also after variables were read at another start."""
        for version in (2, 3):
            angles = []
            for tolerance in (1e-3, 1e-10):
                i = Instance(self.fmus[version])
                i.get(["pivot.angle"])
                if version == 2:
                    i.must("SetupExperiment", 1, D(tolerance), D(5.0), 0, D(0))
                    i.must("EnterInitializationMode")
                else:
                    i.must("EnterInitializationMode", BOOL(1), D(tolerance), D(5.0), BOOL(0), D(0))
                i.must("ExitInitializationMode")
                self.assertEqual(i.step(5.0, 1.0), OK)
                angles.append(i.get(["pivot.angle"])[0])
                i.free()
            exact = simulate(self.fmus[version], ["pivot.angle"], 1.0, 1.0)[-1][0]
            self.assertAlmostEqual(angles[1], exact, 9)
            self.assertNotAlmostEqual(angles[0], exact, 8)
            bad = Instance(self.fmus[version])
            arguments = (1, D(-1), D(0), 0, D(0)) if version == 2 else (BOOL(1), D(-1), D(0), BOOL(0), D(0))
            self.assertEqual(bad.call("SetupExperiment" if version == 2 else "EnterInitializationMode", *arguments), ERROR)
            bad.free()

    def test_start_time(self):
        for version in (2, 3):
            i = Instance(self.fmus[version])
            i.initialize(start=5.0)
            self.assertEqual(i.step(5.0, 0.1), OK)
            late = i.get(["pivot.angle"])
            self.assertEqual(i.step(5.1, -0.1), ERROR)
            self.assertEqual(i.step(7.0, 0.1), ERROR)
            i.free()
            self.assertAlmostEqual(late[0], simulate(self.fmus[version], ["pivot.angle"], 0.1, 0.1)[-1][0], 8)

    def test_start_time_of_devices(self):
        """Samples, pulses and delays from another start are those from zero, later; the outputs of the start have the first sample.
        Before zero no device has samples, but the motion goes on."""
        path = os.path.join(self.folder, "sampled.yaml")
        with open(path, "w") as file:
            file.write("tenon: 1\ndimension: 2\nbodies: { cart: { type: particle, mass: 1 kg, position: [0.3, 0] } }\n"
                       "devices:\n  c: { type: discrete-pid, period: 70 ms, target: 1 m, measured: cart.position.x, kp: 20, kd: 5 }\n"
                       "  w: { type: pwm, duty: 0.3, period: 50 ms }\n"
                       "  d: { type: delay, u: cart.position.x, time: 0.13, before: 0.3 }\n"
                       "forces: { f: { type: force, on: cart, value: [(c.y + 3 * w.y - 2 * d.y) * 1 N, 0] } }\n"
                       "outputs: [cart.position.x, c.y, w.y, d.y]\n"
                       "solve: { until: 2 s, tolerance: 1e-11, absolute_tolerance: 1e-11, record: 0.05 }\n")
        table = self.table(path, 0.7, 0.05)
        for version in (2, 3):
            fmu = self.export(path, "--fmi", str(version))
            for start in (0.0, 7.0, -3.0):
                i = Instance(fmu, event_mode=version == 3)
                i.initialize(start=start)
                if version == 3:
                    update = [BOOL(1) for _ in range(5)] + [D(1)]
                    i.must("UpdateDiscreteStates", *[ctypes.byref(x) for x in update])
                    i.must("EnterStepMode")
                rows = [i.get(fmu.outputs)]
                for k in range(14):
                    self.assertEqual(i.step(start + 0.05 * k, 0.05), OK, i.messages)
                    rows.append(i.get(fmu.outputs))
                if start >= 0:
                    self.compare(rows, fmu.outputs, table, 1e-9, f"from {start} s")
                else:
                    self.assertEqual([row[1] for row in rows], [0.0] * 15)
                    self.assertNotAlmostEqual(rows[14][0], rows[0][0], 2)
                i.free()
            fmu.close()

    def test_directional(self):
        for version in (2, 3):
            for exchange in (False, True):
                i = Instance(self.fmus[version], exchange=exchange)
                i.initialize()
                change = (D * 2)()
                arguments = [i.references(["power", "arm.tip.acceleration.y"]), SIZE(2), i.references(["torque"]), SIZE(1),
                             (D * 1)(2.0)]
                if version == 2:
                    i.must("GetDirectionalDerivative", *arguments, change)
                else:
                    i.must("GetDirectionalDerivative", *arguments, SIZE(1), change, SIZE(2))
                self.assertAlmostEqual(change[0], 0, 7)             # the rate is 0 at the start
                a = i.get(["arm.tip.acceleration.y"])[0]
                i.set(torque=2.5)
                self.assertAlmostEqual(i.get(["arm.tip.acceleration.y"])[0] - a, change[1], 6)
                if version == 3:
                    adjoint = (D * 1)()
                    i.must("GetAdjointDerivative", i.references(["arm.tip.acceleration.y"]), SIZE(1), i.references(["torque"]),
                           SIZE(1), (D * 1)(2.0), SIZE(1), adjoint, SIZE(1))
                    self.assertAlmostEqual(adjoint[0], change[1], 7)
                i.free()


class States(Folder):
    def test_save_restore(self):
        for version in (2, 3):
            word = "FMUstate" if version == 2 else "FMUState"
            i = Instance(self.fmus[version])
            i.initialize(L=0.8)
            for k in range(5):
                i.step(k * 0.1, 0.1)
            state = ctypes.c_void_p()
            i.must(f"Get{word}", ctypes.byref(state))
            i.set(torque=-2.0)
            i.step(0.5, 0.1)
            end = i.get(["pivot.angle", "pivot.angle.rate"])
            i.must(f"Set{word}", state)
            i.set(torque=-2.0)
            self.assertEqual(i.step(0.5, 0.1), OK)
            self.assertEqual(i.get(["pivot.angle", "pivot.angle.rate"]), end)
            size = SIZE()
            i.must(f"Serialized{word}Size", state, ctypes.byref(size))
            bytes_ = (ctypes.c_char * size.value)()
            i.must(f"Serialize{word}", state, bytes_, size)
            other = Instance(self.fmus[version])                    # another instance goes on with the same bits
            other.initialize()
            copied = ctypes.c_void_p()
            other.must(f"De{'S' if version == 2 else 's'}erialize{word}", bytes_, size, ctypes.byref(copied))
            other.must(f"Set{word}", copied)
            other.set(torque=-2.0)
            self.assertEqual(other.step(0.5, 0.1), OK)
            self.assertEqual(other.get(["pivot.angle", "pivot.angle.rate"]), end)
            for cut in range(0, size.value, 97):
                broken = ctypes.c_void_p()
                if other.call(f"De{'S' if version == 2 else 's'}erialize{word}", bytes_, SIZE(cut),
                              ctypes.byref(broken)) == OK:
                    other.call(f"Set{word}", broken)                 # refused or not: no crash
                    other.call(f"Free{word}", ctypes.byref(broken))
            other.must(f"Free{word}", ctypes.byref(copied))
            i.must(f"Free{word}", ctypes.byref(state))
            self.assertIsNone(state.value)
            other.free()
            i.free()

    def test_states_of_every_mode(self):
        """States saved before the run and in event mode lead back there; a tolerance goes along to another instance."""
        for version in (2, 3):
            word = "FMUstate" if version == 2 else "FMUState"
            i, state = Instance(self.fmus[version]), ctypes.c_void_p()
            i.must(f"Get{word}", ctypes.byref(state))
            for _ in range(2):
                i.initialize(torque=1.0)
                self.assertEqual(i.get(["pivot.angle"]), [0])
                self.assertEqual((i.step(0, 0.1), i.step(0.1, 0.1)), (OK, OK))
                i.must(f"Set{word}", state)
            i.must(f"Free{word}", ctypes.byref(state))
            i.free()
            rough, other, size, copied = Instance(self.fmus[version]), Instance(self.fmus[version]), SIZE(), ctypes.c_void_p()
            if version == 2:
                rough.must("SetupExperiment", 1, D(1e-3), D(0), 0, D(0))
                rough.must("EnterInitializationMode")
            else:
                rough.must("EnterInitializationMode", BOOL(1), D(1e-3), D(0), BOOL(0), D(0))
            rough.must("ExitInitializationMode")
            rough.step(0, 0.1)
            rough.must(f"Get{word}", ctypes.byref(state))
            rough.must(f"Serialized{word}Size", state, ctypes.byref(size))
            bytes_ = (ctypes.c_char * size.value)()
            rough.must(f"Serialize{word}", state, bytes_, size)
            other.must(f"De{'S' if version == 2 else 's'}erialize{word}", bytes_, size, ctypes.byref(copied))
            other.must(f"Set{word}", copied)
            for one in (rough, other):
                self.assertEqual(one.step(0.1, 0.5), OK)
            self.assertEqual(rough.get(["pivot.angle"]), other.get(["pivot.angle"]))
            for one in (rough, other):
                one.must(f"Free{word}", ctypes.byref(state if one is rough else copied))
                one.free()
        i = Instance(self.fmus[3], event_mode=True)
        i.initialize()
        i.must("GetFMUState", ctypes.byref(state))
        i.must("EnterStepMode")
        i.step(0, 0.1)
        i.must("SetFMUState", state)
        i.must("EnterStepMode")
        self.assertEqual(i.step(0, 0.1), OK)
        i.must("FreeFMUState", ctypes.byref(state))
        i.free()

    def test_reset_and_again(self):
        for version in (2, 3):
            i = Instance(self.fmus[version])
            angles = []
            for _ in range(3):
                i.initialize()
                i.step(0, 0.1)
                angles.append(i.get(["pivot.angle"])[0])
                i.must("Reset")
            self.assertEqual(angles, [angles[0]] * 3)
            i.free()

    def test_leak(self):
        """Instances that come and go, with runs and saved states, leave no memory behind."""
        def use(times):
            for _ in range(times):
                i = Instance(self.fmus[3])
                i.initialize(L=0.9)
                i.step(0, 0.1)
                i.set(m=1.5)                                # an edit of the running model
                state = ctypes.c_void_p()
                i.must("GetFMUState", ctypes.byref(state))
                i.must("FreeFMUState", ctypes.byref(state))
                i.free()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = use(50)
        self.assertLess(use(300) - before, 4096)            # kB

    def test_foreign_states(self):
        """A state of another kind of instance, or bytes that somebody changed, are refused."""
        i, j = Instance(self.fmus[3]), Instance(self.fmus[3], exchange=True)
        i.initialize()
        j.initialize()
        state, size = ctypes.c_void_p(), SIZE()
        i.must("GetFMUState", ctypes.byref(state))
        self.assertEqual(j.call("SetFMUState", state), ERROR)
        i.must("SerializedFMUStateSize", state, ctypes.byref(size))
        bytes_ = (ctypes.c_char * size.value)()
        i.must("SerializeFMUState", state, bytes_, size)
        for k in range(0, min(size.value, 400), 3):
            changed = bytearray(bytes_.raw)
            changed[k] ^= 5
            other = ctypes.c_void_p()
            data = (ctypes.c_char * len(changed)).from_buffer(changed)
            if i.call("DeserializeFMUState", data, size, ctypes.byref(other)) == OK:
                i.call("SetFMUState", other)                # refused or not: no crash
                i.call("FreeFMUState", ctypes.byref(other))
        i.must("SetFMUState", state)
        self.assertEqual(i.step(0, 0.1), OK)
        i.must("FreeFMUState", ctypes.byref(state))
        i.free()
        j.free()

    def test_several(self):
        """Two instances and two FMUs in one process do not disturb each other."""
        other = self.export(os.path.join(SOURCE, "examples", "four-bar.yaml"))
        a, b, c = Instance(self.fmus[2], name=b"a"), Instance(self.fmus[2], name=b"b"), Instance(other)
        for x in (a, b, c):
            x.initialize()
        b.set(torque=5.0)
        for k in range(5):
            for x in (a, b, c):
                self.assertEqual(x.step(k * 0.1, 0.1), OK)
        alone = simulate(self.fmus[2], ["pivot.angle"], 0.5, 0.1)[-1][0]
        self.assertEqual(a.get(["pivot.angle"])[0], alone)
        self.assertNotEqual(b.get(["pivot.angle"])[0], alone)
        for x in (a, b, c):
            x.free()
        other.close()


class Rules(Folder):
    def test_wrong_token(self):
        for version in (2, 3):
            i = Instance(self.fmus[version], token="{wrong}")
            self.assertIsNone(i.c)
            self.assertIn("token", i.messages[0][1])
            for resource in (None, "file:///nowhere", "/nowhere"):      # the library finds its files by itself
                i = Instance(self.fmus[version], resource=resource, callbacks=False)
                i.initialize()
                self.assertEqual(i.step(0, 0.1), OK)
                self.assertEqual(i.step(9, 0.1), ERROR)                 # nobody listens
                i.free()

    def test_moved_folder(self):
        """Blanks and percent signs in the path."""
        for version in (2, 3):
            folder = os.path.join(self.folder, f"a %41 b{version}")
            shutil.copytree(self.fmus[version].folder, folder)
            fmu = copy.copy(self.fmus[version])
            fmu.folder = folder
            fmu.library = ctypes.CDLL(os.path.join(os.path.relpath(folder), os.path.relpath(fmu.path, self.fmus[version].folder)))
            simulate(fmu, ["pivot.angle"], 0.1, 0.1)

    def test_order_of_calls(self):
        for version in (2, 3):
            i = Instance(self.fmus[version])
            self.assertEqual(i.step(0, 0.1), ERROR)
            self.assertEqual(i.call("ExitInitializationMode"), ERROR)
            self.assertEqual(i.call("Terminate"), ERROR)
            i.initialize()
            self.assertEqual(i.call("ExitInitializationMode"), ERROR)
            self.assertEqual(i.call("EnterContinuousTimeMode"), ERROR)
            self.assertEqual(i.try_set(["L"], [2.0]), ERROR)            # fixed parameters are fixed now
            self.assertEqual(i.try_set(["torque"], [11.0]), ERROR)
            self.assertEqual(i.try_set(["torque"], [float("nan")]), ERROR)
            self.assertEqual(i.try_set(["pivot.angle"], [1.0]), ERROR)
            self.assertEqual(i.step(0, 0.1), OK)                        # errors of arguments leave the instance whole
            self.assertEqual(i.step(0.1, 0), ERROR)
            i.must("Terminate")
            self.assertEqual(i.step(0.1, 0.1), ERROR)
            self.assertTrue(all(text for _, text in i.messages))
            i.free()
            j = Instance(self.fmus[version], exchange=True)
            self.assertEqual(j.call("SetTime", D(0)), ERROR)
            j.initialize()
            self.assertEqual(j.step(0, 0.1), ERROR)
            self.assertEqual(j.call("SetContinuousStates", (D * 1)(0), SIZE(1)), ERROR)
            j.update()
            j.must("EnterContinuousTimeMode")
            self.assertEqual(j.call("SetContinuousStates", (D * 1)(0), SIZE(1)), ERROR)
            bad = (D * j.fmu.states)(*[float("nan")] * j.fmu.states)
            self.assertEqual(j.call("SetContinuousStates", bad, SIZE(j.fmu.states)), DISCARD)
            j.free()

    def test_forbidden_calls(self):
        """Functions of the other kind, kinds that the FMU does not have, steps beyond the stop time, a start that is not known."""
        for version in (2, 3):
            i = Instance(self.fmus[version], event_mode=True)
            if version == 2:
                self.assertEqual(i.call("EnterInitializationMode"), ERROR)
                i.must("SetupExperiment", 0, D(0), D(0), 1, D(0.3))
                i.must("EnterInitializationMode")
            else:
                i.must("EnterInitializationMode", BOOL(0), D(0), D(0), BOOL(1), D(0.3))
            i.must("ExitInitializationMode")
            self.assertEqual(i.call("SetTime", D(5)), ERROR)
            self.assertEqual(i.call("GetContinuousStates", (D * i.fmu.states)(), SIZE(i.fmu.states)), ERROR)
            if version == 3:
                i.must("EnterStepMode")
            self.assertEqual([i.step(k * 0.1, 0.1) for k in range(4)], [OK, OK, OK, ERROR])
            i.free()
            j = Instance(self.fmus[version], exchange=True)
            j.initialize()
            self.assertEqual(j.call(*(("EnterStepMode",) if version == 3 else ("GetRealStatus", 2, ctypes.byref(D())))), ERROR)
            j.free()
            for kind in ("cs", "me"):
                fmu = self.export(self.model, "--fmi", str(version), "--kind", kind)
                other = Instance(fmu, exchange=kind == "cs")
                self.assertIsNone(other.c)
                self.assertIn("this FMU has no", other.messages[0][1])
                self.assertNotEqual(fmu.token, self.fmus[version].token)
                fmu.close()

    def test_categories(self):
        """Messages of the categories that the importer wants, and of these alone; unknown categories are refused."""
        for version in (2, 3):
            listed = [c.get("name") for c in self.fmus[version].root.iter("Category")]
            i = Instance(self.fmus[version])
            i.initialize()
            flag = ctypes.c_int if version == 2 else BOOL

            def choose(on, *names):
                return i.call("SetDebugLogging", flag(on), SIZE(len(names)), (ctypes.c_char_p * len(names))(*[n.encode() for n in names]))

            def said():
                i.messages.clear()
                self.assertEqual(i.step(5.0, 0.1), ERROR)
                return len(i.messages)

            self.assertEqual([choose(1, n) for n in listed], [OK] * len(listed))
            self.assertEqual((choose(1, "logEvents"), said()), (OK, 0))
            self.assertEqual((choose(1, "logEvents", "logStatusError"), said()), (OK, 1))
            self.assertEqual((choose(1, "logNothing"), said()), (ERROR, 1))
            self.assertEqual((choose(1), said()), (OK, 1))
            self.assertEqual((choose(0), said()), (OK, 1))                  # refusals are no debug messages
            i.free()

    def test_unknown_references(self):
        for version in (2, 3):
            i = Instance(self.fmus[version])
            i.initialize()
            for reference in (1, 12345, (1 << 20) + 99, (3 << 20) + 99, (4 << 20) + 999, (6 << 20), 0xffffffff):
                vr, value = (VR * 1)(reference), (D * 1)()
                extra = () if version == 2 else (SIZE(1),)
                name = "Real" if version == 2 else "Float64"
                self.assertEqual(i.call(f"Get{name}", vr, SIZE(1), value, *extra), ERROR)
                self.assertEqual(i.call(f"Set{name}", vr, SIZE(1), value, *extra), ERROR)
            i.free()

    def test_stop(self):
        """An event of the model ends the run: the importer is told, the state is the last good one."""
        path = os.path.join(self.folder, "stops.yaml")
        with open(path, "w") as file:
            file.write(PENDULUM + "events: { low: { when: pivot.angle + 1 rad, do: stop } }\n")
        for version in (2, 3):
            fmu = self.export(path, "--fmi", str(version))
            rows, events = integrate(fmu, ["pivot.angle"], 1, 0.1, 0.01)
            self.assertEqual((len(rows), events), (5, 1))               # model exchange ends there, too
            i = Instance(fmu)
            i.initialize()
            status = i.step(0, 1.0)
            if version == 2:
                value, last = ctypes.c_int(9), D()
                self.assertEqual(status, DISCARD)
                i.must("GetBooleanStatus", 3, ctypes.byref(value))
                i.must("GetRealStatus", 2, ctypes.byref(last))
                self.assertEqual(value.value, 1)
            else:
                self.assertEqual((status, i.terminate), (OK, True))
                last = D(i.last)
            self.assertAlmostEqual(i.get(["pivot.angle"])[0], -1, 8)
            self.assertTrue(0.1 < last.value < 1)
            i.free()
            fmu.close()

    def test_event_mode_and_early_return(self):
        """A ball that falls 1 m: the step ends at the impact, in event mode nothing is left to do, and the run goes on."""
        path = os.path.join(self.folder, "ball.yaml")
        with open(path, "w") as file:
            file.write("tenon: 1\ndimension: 2\ngravity: [0, -10]\n"
                       "bodies: { ball: { mass: 1, inertia: 1, position: [0, 1.1], shapes: [ { disc: { radius: 0.1 } } ] },\n"
                       "  ground: { shapes: [ { half_space: { at: [0, 0], normal: [0, 1] } } ] } }\n"
                       "contacts: { floor: { among: [ground, ball], restitution: 0.5 } }\n"
                       "outputs: [ball.position.y, ball.velocity.y]\nsolve: { until: 1, tolerance: 1e-11 }\n")
        fmu = self.export(path, "--fmi", "3")
        whole = Instance(fmu)
        whole.initialize()
        self.assertEqual((whole.step(0, 0.6), whole.early, whole.event), (OK, False, False))
        i = Instance(fmu, event_mode=True, early=True)
        i.initialize()
        update = [BOOL(1) for _ in range(5)] + [D(1)]
        self.assertEqual(i.call("DoStep", D(0), D(1), BOOL(0), *[ctypes.byref(x) for x in (*update[:3], update[5])]), ERROR)
        i.must("UpdateDiscreteStates", *[ctypes.byref(x) for x in update])
        self.assertEqual([x.value for x in update[:5]], [False] * 5)
        i.must("EnterStepMode")
        self.assertEqual((i.step(0, 0.6), i.early, i.event, i.terminate), (OK, True, True, False))
        self.assertAlmostEqual(i.last, math.sqrt(0.2), 9)
        self.assertAlmostEqual(i.get(["ball.velocity.y"])[0], 0.5 * math.sqrt(20), 7)
        i.must("EnterEventMode")
        i.must("UpdateDiscreteStates", *[ctypes.byref(x) for x in update])
        i.must("EnterStepMode")
        self.assertEqual((i.step(i.last, 0.6 - i.last), i.early, i.event), (OK, False, False))
        self.assertAlmostEqual(i.get(["ball.position.y"])[0], whole.get(["ball.position.y"])[0], 9)
        late = Instance(fmu, event_mode=True)           # may not return early: the event is told at the end
        late.initialize()
        late.must("EnterStepMode")
        self.assertEqual((late.step(0, 0.6), late.early, late.event, late.last), (OK, False, True, 0.6))
        self.assertEqual(whole.call("EnterEventMode"), ERROR)
        for one in (whole, i, late):
            one.free()
        fmu.close()

    def test_intermediate_update(self):
        seen = []

        def look(_environment, time, may_set, may_get, finished, may_return, request, return_time):
            flags, last = [BOOL(1), BOOL(1), BOOL(1)], D()
            seen.append((time, i.get(["pivot.angle"])[0], may_set, may_get, finished, may_return))
            self.assertEqual(i.call("DoStep", D(time), D(0.1), BOOL(0), *map(ctypes.byref, flags), ctypes.byref(last)), ERROR)
            self.assertEqual(i.try_set(["torque"], [1]), ERROR)
            if may_return:
                request[0], return_time[0] = True, 0.3

        for early in (False, True):
            seen.clear()
            i = Instance(self.fmus[3], early=early, look=look)
            i.initialize()
            self.assertEqual((i.step(0, 0.8), i.early), (OK, early))
            self.assertGreater(len(seen), 3)
            self.assertEqual({entry[2:] for entry in seen}, {(False, True, True, early)})
            self.assertEqual(seen[-1][0], i.last)
            self.assertEqual(seen[-1][1], i.get(["pivot.angle"])[0])
            self.assertTrue(0.3 <= i.last < 0.8 if early else i.last == 0.8)
            self.assertTrue(all(entry[0] < 0.3 for entry in seen[:-1]) or not early)
            i.free()

    def test_library(self):
        libraries = subprocess.run(["ldd", self.fmus[2].path], capture_output=True, text=True, check=True).stdout
        needed = {line.split()[0].split(".so")[0].split("/")[-1] for line in libraries.splitlines()}
        self.assertLessEqual(needed, {"linux-vdso", "libm", "libc", "ld-linux-x86-64"})
        symbols = subprocess.run(["nm", "-D", "--defined-only", self.fmus[2].path], capture_output=True, text=True,
                                 check=True).stdout.split()[2::3]
        self.assertEqual((sum(s.startswith("fmi2") for s in symbols), sum(s.startswith("fmi3") for s in symbols)), (44, 75))
        self.assertEqual(len(symbols), 119)

    def test_same_bytes(self):
        digests = set()
        for k in range(2):
            path = os.path.join(self.folder, "same.fmu")
            subprocess.run([PROGRAM, "export", self.model, "-o", path], check=True, stdout=subprocess.DEVNULL)
            with open(path, "rb") as file:
                digests.add(hashlib.sha256(file.read()).hexdigest())
        self.assertEqual(len(digests), 1)

    def test_description(self):
        for version in (2, 3):
            fmu = self.fmus[version]
            self.assertEqual(check(fmu.root), [])
            torque = fmu.type_of(fmu.variables["torque"])
            self.assertEqual((torque.get("unit"), torque.get("start"), torque.get("min")), ("N m", "0.5", "-10"))
            unit = next(u for u in fmu.root.iter("Unit") if u.get("name") == "N m")
            self.assertEqual(unit[0].attrib, {"kg": "1", "m": "2", "s": "-2"})
            structure = fmu.root.find("ModelStructure")
            outputs = list(structure.find("Outputs")) if version == 2 else structure.findall("Output")
            keys = list(fmu.variables) if version == 2 else {str(r): n for n, r in fmu.references.items()}
            depends = {}
            for o in outputs:
                name = keys[int(o.get("index")) - 1] if version == 2 else keys[o.get("valueReference")]
                depends[name] = {keys[int(d) - 1] if version == 2 else keys[d] for d in o.get("dependencies").split()}
            self.assertNotIn("torque", depends["pivot.angle"])          # no false loops
            self.assertIn("torque", depends["arm.tip.acceleration.y"])
            self.assertIn("torque", depends["power"])
        path = os.path.join(self.folder, "time.yaml")               # names that the standard's own variables have, too
        with open(path, "w") as file:
            file.write("tenon: 1\nparameters: { time: 2 s }\ninputs: { time_2: { default: 1 } }\n"
                       "bodies: { a: { mass: 1, inertia: [1, 1, 1] } }\noutputs: [after: t + time]\nsolve: { until: 1 }\n")
        fmu = self.export(path, "--fmi", "3")
        self.assertEqual(check(fmu.root), [])
        self.assertEqual(fmu.references["time_3"], 0)
        self.assertEqual(simulate(fmu, ["after", "time_3"], 1, 0.5)[-1], [3.0, 1.0])
        fmu.close()

    def test_checker(self):
        """The checker finds what it should: each broken description gives a complaint."""
        def broken(change):
            root = copy.deepcopy(self.fmus[3].root)
            change(root)
            return check(root)

        variables = lambda root: root.find("ModelVariables")
        structure = lambda root: root.find("ModelStructure")
        changes = [lambda r: r.attrib.pop("instantiationToken"), lambda r: r.set("fmiVersion", "3.1"),
                   lambda r: r.remove(structure(r)), lambda r: r.set("generationDateAndTime", "2026-01-01 10:00"),
                   lambda r: variables(r)[1].set("name", variables(r)[2].get("name")),
                   lambda r: variables(r)[1].set("valueReference", variables(r)[2].get("valueReference")),
                   lambda r: variables(r)[1].attrib.pop("start"), lambda r: variables(r)[4].set("start", "1"),
                   lambda r: variables(r)[1].set("variability", "continuous"), lambda r: variables(r)[3].set("unit", "parsec"),
                   lambda r: structure(r).remove(structure(r).find("Output")),
                   lambda r: structure(r).remove(structure(r).find("InitialUnknown")),
                   lambda r: structure(r).remove(structure(r).find("ContinuousStateDerivative")),
                   lambda r: structure(r)[0].set("dependencies", "77"), lambda r: structure(r)[0].set("dependenciesKind", "x"),
                   lambda r: variables(r).remove(variables(r)[0]), lambda r: variables(r)[-1].set("derivative", "99"),
                   lambda r: r.find("CoSimulation").set("modelIdentifier", "a b"),
                   lambda r: r.find("CoSimulation").set("canGetAndSetFMUstate", "true"),
                   lambda r: r.insert(0, r.find("ModelStructure")) if r.remove(structure(r)) is None and False else
                   r.append(r.find("CoSimulation"))]
        units = lambda root: root.find("UnitDefinitions")
        changes += [lambda r: r.attrib.pop("modelName"), lambda r: r.set("fmiVersion", "2.0"),
                    lambda r: variables(r)[1].attrib.pop("valueReference"), lambda r: variables(r)[1].attrib.pop("name"),
                    lambda r: variables(r)[1].set("valueReference", "-1"), lambda r: variables(r)[1].set("valueReference", "1.5"),
                    lambda r: variables(r)[1].set("causality", "Parameter"), lambda r: variables(r)[3].set("initial", "exact"),
                    lambda r: variables(r)[1].set("start", "one"), lambda r: variables(r)[1].set("start", "nan"),
                    lambda r: variables(r)[1].set("min", "5"), lambda r: variables(r)[1].set("max", "-5"),
                    lambda r: (variables(r)[1].set("min", "2"), variables(r)[1].set("max", "1")),
                    lambda r: variables(r)[0].set("start", "0"), lambda r: variables(r)[0].set("variability", "fixed"),
                    lambda r: setattr(variables(r)[1], "tag", "Real"), lambda r: units(r).append(copy.deepcopy(units(r)[0])),
                    lambda r: units(r)[0].attrib.pop("name"), lambda r: units(r)[0][0].set("kg", "1.5"),
                    lambda r: units(r)[0][0].set("factor", "x"), lambda r: units(r)[0][0].set("parsec", "1"),
                    lambda r: next(u for u in r.iter("Unit") if u.find("DisplayUnit") is not None).find("DisplayUnit").set("factor", "0"),
                    lambda r: next(v for v in variables(r) if v.get("displayUnit")).set("displayUnit", "grad"),
                    lambda r: r.find("DefaultExperiment").set("stopTime", "-1"), lambda r: r.find("DefaultExperiment").set("tolerance", "0"),
                    lambda r: r.find("DefaultExperiment").set("stepSize", "x"),
                    lambda r: r.find("CoSimulation").set("maxOutputDerivativeOrder", "-1"),
                    lambda r: r.find("CoSimulation").set("hasEventMode", "yes"),
                    lambda r: r.find("CoSimulation").set("fixedInternalStepSize", "0"),
                    lambda r: structure(r).append(copy.deepcopy(structure(r).find("Output"))),
                    lambda r: structure(r).find("Output").attrib.pop("valueReference"),
                    lambda r: structure(r).append(structure(r).makeelement("Unknown", {"valueReference": "1"})),
                    lambda r: next(v for v in variables(r) if v.get("derivative")).set("derivative", variables(r)[1].get("valueReference")),
                    lambda r: r.append(copy.deepcopy(r.find("ModelVariables"))),
                    lambda r: r.set("generationDateAndTime", "2026-13-01T10:00:00Z")]
        for k, change in enumerate(changes):
            self.assertNotEqual(broken(change), [], f"change {k}")

    def test_command(self):
        def fails(*arguments):
            done = subprocess.run([PROGRAM, "export", *arguments], capture_output=True, text=True, cwd=self.folder)
            self.assertNotEqual(done.returncode, 0, arguments)
            return done.stderr

        self.assertIn("must be 2 or 3", fails(self.model, "--fmi", "4"))
        self.assertIn("must be cs", fails(self.model, "--kind", "x"))
        self.assertIn("nowhere", fails("nowhere.yaml"))
        self.assertIn("cannot", fails(self.model, "-o", "/nowhere/x.fmu"))
        self.assertIn("pivot.angle", fails(self.model, "--channel", "pivot.angel"))
        inner = os.path.join(self.folder, "inner.fmu")
        subprocess.run([PROGRAM, "export", self.model, "-o", inner], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.folder, "outer.yaml"), "w") as file:        # such an FMU would not run
            file.write("tenon: 1\ndevices: { d: { use: inner.fmu } }\noutputs: [d.power]\n")
        for target in ("outer.fmu", "outer.ssp"):
            self.assertIn("an FMU cannot contain another one", fails("outer.yaml", "-o", target))
        with_parameter = self.export(self.model, "-p", "L=0.7", "--channel", "arm.tip.position.x")
        self.assertEqual(with_parameter.type_of(with_parameter.variables["L"]).get("start"), "0.69999999999999996")
        self.assertIn("arm.tip.position.x", with_parameter.outputs)
        given = simulate(with_parameter, ["pivot.angle"], 0.5, 0.1)[-1][0]
        self.assertEqual(given, simulate(self.fmus[2], ["pivot.angle"], 0.5, 0.1, L=0.7)[-1][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
