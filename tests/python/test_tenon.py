"""The Python package: the same numbers as the program, exceptions with places, no crash whatever the arguments.

usage: test_tenon.py PROGRAM SOURCE_FOLDER      (with PYTHONPATH at the package)
"""
import base64
import copy
import csv
import doctest
import gc
import json
import os
import pickle
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import matplotlib
matplotlib.use("Agg")
import numpy as np
import tenon

PROGRAM, SOURCE = sys.argv[1:3]
FOUR_BAR = os.path.join(SOURCE, "examples", "four-bar.yaml")
CART = """
tenon: 1
name: Cart
dimension: 2
parameters: { m: 2 kg }
inputs: { push: { unit: N, low: -10, high: 10 } }
bodies: { cart: { mass: m, inertia: 0.1 } }
joints: { rail: { type: translational, between: [ground, cart] } }
forces: { motor: { type: force, on: cart, value: [push, 0] } }
events: { far: { when: rail.position - 100 m, do: stop } }
outputs: [rail.position, push]
solve: { until: 2 s, record: 0.1 s }
"""



class NearlyEqual(doctest.OutputChecker):
    """The same words, and numbers that agree to 1e-6: the last digits depend on the machine."""
    NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")

    def check_output(self, want, got, optionflags):
        words = [" ".join(self.NUMBER.sub("#", text).split()) for text in (want, got)]
        numbers = [[float(x) for x in self.NUMBER.findall(text)] for text in (want, got)]
        return words[0] == words[1] and all(abs(a - b) <= 1e-6 * abs(a) + 1e-12 for a, b in zip(*numbers))


class Runs(unittest.TestCase):
    def test_same_as_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.csv")
            subprocess.run([PROGRAM, "run", FOUR_BAR, "--parameter", "r=0.12", "--output", path, "--quiet"], check=True)
            res = tenon.load(FOUR_BAR, r="120 mm").run()
            with open(path) as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0], [f"{k} [{u}]" if u else k for k, u in res.units.items()])
            table = np.array(rows[1:], dtype=float)
            for k, name in enumerate(res):
                np.testing.assert_array_equal(table[:, k], res[name])
            res.to_csv(path)
            again = tenon.read_results(path)
            self.assertEqual(again.keys(), res.keys())
            np.testing.assert_array_equal(again["hinge.angle"], res["hinge.angle"])
            self.assertEqual(again["hinge.angle"].unit, "rad")
            subprocess.run([PROGRAM, "run", FOUR_BAR, "--output", os.path.join(folder, "a.h5"), "--quiet"], check=True)
            self.assertEqual(len(tenon.read_results(os.path.join(folder, "a.h5")).t), 501)

    def test_five_lines(self):
        m = tenon.load(FOUR_BAR, r=0.12)
        res = m.run(until=5, record=1e-3)
        x = res["coupler.position.x"]                   # not among the outputs of the file
        self.assertEqual((len(x), x.unit), (5001, "m"))
        self.assertAlmostEqual(x[0], 0.06, 12)
        self.assertFalse(x.flags.owndata)               # a view of the recorded table
        s = m.session()
        s.advance(0.5)
        angle, hash = s["pivot.angle"], s.hash
        self.assertAlmostEqual(angle, np.interp(0.5, res.t, res["pivot.angle"]), 9)
        self.assertEqual(s.apply({"remove": "elbow"})["text"], "removed elbow")
        s.advance(0.1)
        s.undo()
        self.assertEqual((s["pivot.angle"], s.hash, s.t), (angle, hash, 0.5))
        self.assertEqual(m.statics().kind, "stable")
        self.assertAlmostEqual(m.modes()[0].frequency, 2.00028, 4)
        A, B, C, D = m.linearize()
        self.assertEqual((A.shape, B.shape, C.shape, D.shape), ((2, 2), (2, 0), (9, 2), (9, 0)))
        sweep = m.sweep(r=np.linspace(.1, .2, 4), of="max(elbow.reaction)", until=0.5)
        one = tenon.load(FOUR_BAR, r=0.1).run(until=0.5)
        force = np.hypot(one["elbow.reaction.force.x"], one["elbow.reaction.force.y"])
        self.assertAlmostEqual(np.asarray(sweep)[0], force.max(), 12)
        self.assertEqual(sweep.errors, {})
        self.assertEqual(len(res.plot("pivot.angle", "energy.total")), 2)

    def test_inputs(self):
        m = tenon.parse(CART)
        self.assertEqual([(i.name, i.unit, i.low) for i in m.inputs], [("push", "N", -10)])
        self.assertAlmostEqual(m.run(inputs={"push": 4})["rail.position"][-1], 4, 9)
        self.assertAlmostEqual(m.run(inputs={"push": lambda t: 3 * t})["rail.position"][-1], 2, 9)
        self.assertAlmostEqual(m.with_parameters(m=4).run(inputs={"push": 4})["rail.position"][-1], 2, 9)
        s = m.session()
        s["push"] = 2
        s.advance(1)
        self.assertAlmostEqual(s["rail.position"], 0.5, 9)
        s.input("push", 0, rate=6)
        s.advance(1)
        self.assertAlmostEqual(s["rail.position"], 0.5 + 1 + 0.5, 9)
        times = []
        s.control(3, 0.25, lambda s: times.append(s.t))
        np.testing.assert_allclose(times, [2, 2.25, 2.5, 2.75], rtol=1e-12)
        with self.assertRaisesRegex(tenon.Error, "11 N is not between -10 and 10"):
            s["push"] = 11
        self.assertEqual(s.linearize().inputs[0][0], "push")

    def test_state(self):
        s = tenon.parse(CART).session()
        s["push"] = 2
        y = s.state
        y[0] = 3
        s.state = y
        self.assertAlmostEqual(s["rail.position"], 3, 12)
        self.assertAlmostEqual(s.rate_at(0, y)[3], 1, 12)
        snapshot = s.snapshot()
        s.advance(1)
        end = s.hash
        s.restore(snapshot)
        b = s.branch()
        s.advance(1)
        b.advance(1)
        self.assertEqual(s.hash, end)
        self.assertEqual(b.hash, end)
        with self.assertRaises(ValueError):
            b.restore(snapshot)
        with tempfile.NamedTemporaryFile() as file:
            s.save(file.name)
            self.assertEqual(tenon.load_session(file.name).hash, end)

    def test_redundant_rows_to_the_bit(self):
        """Where rows are dependent, a run goes on from any copy of its state as it would have gone on without."""
        s = tenon.load(os.path.join(SOURCE, "examples", "bricard.yaml")).session()
        s.advance_to(0.2)
        snapshot, branch = s.snapshot(), s.branch()
        with tempfile.TemporaryDirectory() as folder:
            s.save(os.path.join(folder, "run"))
            loaded = tenon.load_session(os.path.join(folder, "run"))
        s.advance_to(0.4)
        end = s.hash
        s.restore(snapshot)
        for copy in (s, branch, loaded):
            copy.advance_to(0.4)
            self.assertEqual(copy.hash, end)

    def test_contacts_to_the_bit(self):
        """Time stepping begins each search with the forces of the last step: they go with a copy, and mean the same there."""
        for name in ("incline", "marble-run"):
            s = tenon.load(os.path.join(SOURCE, "examples", name + ".yaml")).session(contact="time-stepping", step="2 ms")
            s.advance_to(0.3)
            branch = s.branch()
            for copy in (s, branch):
                copy.advance_to(0.5)
            self.assertEqual(s.hash, branch.hash)

    def test_builder(self):
        b = tenon.Builder("Pendulum", dimension=2, gravity=[0, -9.81])
        L = b.parameter("L", "1 m")
        arm = b.body("arm", mass=1, com=np.array([0.5, 0]), inertia=0.1, frames={"tip": [L, 0]})
        pivot = b.joint("pivot", "revolute", between=[b.ground, arm])
        b.force("motor", "motor", joint=pivot, value=2 - 0.1 * pivot.rate * tenon.expression("1 N m s") / 1)
        b.output(pivot.angle, height=arm.tip.position.y)
        b.solve(until=1, integrator="rk4", step="1 ms")
        m = b.model()
        self.assertEqual(m.name, "Pendulum")
        self.assertEqual(tenon.parse(b.text).run()["height"][-1], m.run()["height"][-1])
        with self.assertRaises(ValueError):
            b.body("arm")

    def test_operators_keep_what_they_join_together(self):
        """A piece of the language is one operand, whatever is in it; values are compared with Python's own."""
        b = tenon.Builder("Sums")
        p, q = b.parameter("p", 3), b.parameter("q", -2.5)
        law = b.table("law", [-10, 0, 10], [-100, 0, 100])
        piece = tenon.expression("p + q")
        b.output(product=piece * 2, minus=-piece, power=piece**2, below=1 / piece, negative=tenon.expression("-p")**2, base=(-2.0)**p,
                 text=p * tenon.expression("1 + q"), no=~tenon.expression("p > 1 and q > 1"), rest=p - (q - 1), brackets=piece * piece,
                 rem=q % 2, quotient=p // 2, choice=np.where(p > q, 1, 2), clip=np.clip(q, -1, 1), whole=np.floor(q), side=np.hypot(p, q),
                 both=np.logical_and(p > 1, q > 1), table=law(p), unit=tenon.expression("2 s")**2 / tenon.expression("1 s") / tenon.expression("1 s"))
        res = b.model().run(until=0.1)
        P, Q = 3.0, -2.5
        expected = dict(product=(P + Q) * 2, minus=-(P + Q), power=(P + Q)**2, below=1 / (P + Q), negative=P**2, base=(-2.0)**P,
                        text=P * (1 + Q), no=1, rest=P - (Q - 1), brackets=(P + Q)**2, rem=Q % 2, quotient=P // 2, choice=1, clip=-1,
                        whole=np.floor(Q), side=np.hypot(P, Q), both=0, table=30, unit=4)
        for name, value in expected.items():
            self.assertAlmostEqual(res[name][-1], value, 12, name)
        self.assertEqual([str(e) for e in np.array([1.0, -1.0]) * tenon.expression("a - b")], ["(1.0 * (a - b))", "((-1.0) * (a - b))"])
        self.assertEqual(str(tenon.expression("a-b").angle + 1), "((a-b.angle) + 1.0)")

    def test_texts_with_units(self):
        """Texts with units wherever a time or the value of an input is asked for."""
        s = tenon.parse("tenon: 1\ninputs: { u: { unit: V, low: -10, high: 10 } }\nstates: { x: { rate: u / 1 V / 1 s } }\n").session()
        s["u"] = "500 mV"
        self.assertEqual(s["u"], 0.5)
        calls = []
        s.control("30 ms", "10 ms", lambda s: calls.append(s.t))
        self.assertEqual(calls, [0, 0.01, 0.02])
        s.input("u", "2 V", within="10 ms")
        s.advance("10 ms")
        self.assertAlmostEqual(s["u"], 2, 12)
        with self.assertRaisesRegex(tenon.Error, "current, where voltage"):
            s["u"] = "3 A"
        with self.assertRaisesRegex(tenon.Error, "did you mean 'integrator'") as wrong:
            tenon.parse(s.text).run(until=1, integrater="cvode")
        self.assertEqual(len(wrong.exception.diagnostics), 1)
        with self.assertRaisesRegex(TypeError, "np.interp"):
            tenon.parse(s.text).run(until=1, inputs={"u": np.ones(3)})

    def test_builder_sections_and_operators(self):
        b = tenon.Builder("Arm", dimension=2)
        arm = b.body("arm", mass=1, inertia=0.1)
        pin = b.joint("pin", "revolute", between=[b.ground, arm])
        loop = b.device("loop", "pid", target="0.5 rad", measured=pin.angle, kp=4, kd=1, filter="10 ms")
        push = b.let("push", loop.y * tenon.expression("1 N m"))
        b.force("motor", "motor", joint=pin, value=push)
        b.output(pin.angle, pin.rate, sine=np.sin(pin.angle), most=np.maximum(pin.angle, 0.1), size=abs(-pin.angle),
                 inside=(pin.angle > 0.1) & ~(pin.angle > 9))
        res = b.model().run(until=3)
        angle = np.asarray(res["pin.angle"])
        self.assertAlmostEqual(angle[-1], 0.5, 2)
        for name, expected in (("sine", np.sin(angle)), ("most", np.maximum(angle, 0.1)), ("size", np.abs(angle)),
                               ("inside", angle > 0.1)):
            np.testing.assert_allclose(res[name], expected, atol=1e-12)
        self.assertEqual([str(x) for x in np.array([1.0, 2.0]) * pin.angle], ["(1.0 * pin.angle)", "(2.0 * pin.angle)"])
        self.assertEqual((str(np.float64(2) * pin.angle), str(2 ** pin.angle)), ("(2.0 * pin.angle)", "(2.0 ^ pin.angle)"))
        for wrong in (lambda: 0 < pin.angle < 1, lambda: pin.angle == 1, lambda: bool(pin.angle)):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaisesRegex(ValueError, "no section 'devises'"):
            b.add("devises", "x")

    def test_settings(self):
        m = tenon.parse(CART)
        self.assertAlmostEqual(m.run(until="1 s", step="10 ms", integrator="rk4", contact="event-driven", trust="off").t[-1], 1, 12)
        for settings, words in (({"contact": "time-steping"}, "did you mean 'time-stepping'"), ({"step": "1 kg"}, "1 kg"),
                                ({"foo": 3}, "take no 'foo'")):
            with self.assertRaisesRegex(tenon.Error, words):
                m.run(until=0.1, **settings)
        with self.assertRaises(ValueError):
            m.run(until=-1)

    def test_functions(self):
        """Functions of Python in forces: x = 0.3 cos(4 t); errors of theirs come back; threads and sweeps have them, too."""
        text = ("tenon: 1\ndimension: 2\nparameters: { k: 16 N/m }\n"
                "bodies: { cart: { type: particle, mass: 1 kg, position: [0.3 m, 0] } }\n"
                "forces: { f: { type: force, on: cart, value: [\"law(cart.position.x, k)\", 0] } }\n"
                "outputs: [cart.position.x]\nsolve: { until: 1, record: 0.1, tolerance: 1e-10 }\n")
        law = tenon.Function(lambda x, k: -k * x, "N", ("m", "N/m"))
        m = tenon.parse(text, functions={"law": law})
        self.assertAlmostEqual(m.run()["cart.position.x"][-1], 0.3 * np.cos(4), 8)
        found = m.sweep(k=[1.0, 4.0, 16.0], of="final(cart.position.x)", threads=2)
        np.testing.assert_allclose(found, 0.3 * np.cos([1, 2, 4]), atol=1e-8)
        self.assertAlmostEqual(max(abs(m.linearize().eigenvalues())), 4, 9)
        with self.assertRaisesRegex(tenon.Error, "unknown function 'law'"):
            tenon.parse(text).session()
        with self.assertRaisesRegex(tenon.Error, r"argument 1 of law\(\) is time"):
            tenon.parse(text, functions={"law": tenon.Function(law.call, "N", ("s", "N/m"))}).session()
        for wrong in ({"sin": law}, {"a b": law}, {"law": 3}, {"law": lambda: 1}):
            with self.assertRaises((ValueError, TypeError)):
                tenon.parse(text, functions=wrong)

        def breaks(x, k):
            if x < 0.1:
                raise LookupError("too far")
            return -k * x

        s = tenon.parse(text, functions={"law": breaks}).session()
        with self.assertRaisesRegex(LookupError, "too far"):
            s.advance(1)
        self.assertTrue(0.09 < s["cart.position.x"] < 0.3)             # the last good state
        with self.assertRaises(TypeError):
            tenon.parse(text, functions={"law": lambda x, k: "text"}).session()
        b = tenon.Builder("Cart", dimension=2)
        cart = b.body("cart", type="particle", mass=1, position=[0.3, 0])
        spring = b.function(lambda x: -16 * x, "spring", unit="N", of=("m",))
        b.force("f", "force", on=cart, value=[spring(cart.position.x), 0])
        s = b.model().session(tolerance=1e-10)
        s.advance(1)
        self.assertAlmostEqual(s["cart.position.x"], 0.3 * np.cos(4), 7)

    def test_derivative(self):
        s = tenon.parse(CART).session()
        rate, change = s.derivative(["rail.position.acceleration", "2 * push"], inputs={"push": 3})
        self.assertAlmostEqual(change[1], 6, 9)
        self.assertAlmostEqual(max(rate), 1.5, 9)                      # 3 N on 2 kg
        rate, change = s.derivative(state=np.eye(len(s.state))[0])
        self.assertEqual((len(change), float(np.abs(rate).max())), (0, 0.0))
        with self.assertRaisesRegex(tenon.Error, "no input 'pull'"):
            s.derivative(inputs={"pull": 1})
        with self.assertRaises(ValueError):
            s.derivative(state=[1.0])

    def test_environment(self):
        m = tenon.parse(CART)
        env = tenon.Environment(m, ["rail.position", "rail.rate"], ["push"], step=0.1, horizon=0.5, n=3, threads=2,
                                reward=lambda o, a: -np.abs(o[:, 0] - 1), terminated=lambda o: o[:, 0] > 0.2,
                                start=lambda s, rng: s.inputs(["push"], rng.uniform(-1, 1, 1)))
        first, _ = env.reset(seed=3)
        actions = np.array([[4.0], [0.0], [99.0]])              # 99 is cut to 10
        for k in range(5):
            o, r, done, cut, _ = env.step(actions)
        np.testing.assert_allclose(o[:, 0], [0.25, 0, 0.625], atol=1e-9)
        self.assertEqual(done.tolist(), [True, False, True])
        self.assertEqual(cut.tolist(), [True] * 3)
        again, _ = env.reset(seed=3)
        np.testing.assert_array_equal(again, first)
        single = tenon.Environment(m, ["rail.position"], ["push"])
        single.reset()
        o, r, done, cut, _ = single.step([1.0])
        self.assertEqual((o.shape, bool(done)), ((1,), False))


class Mistakes(unittest.TestCase):
    def test_places(self):
        with self.assertRaises(tenon.Error) as caught:
            tenon.parse("tenon: 1\nbodies:\n  a: { mas: 1 kg }\n  b: { mass: -1 kg }\n", name="x.yaml")
        self.assertEqual(str(caught.exception).splitlines()[0],
                         "x.yaml:3:8: error: body 'a': unknown key 'mas'; did you mean 'mass'?")
        d = caught.exception.diagnostics
        self.assertEqual((len(d), d[1].line, d[1].severity), (2, 4, "error"))
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).diagnostics, d)
        with self.assertRaisesRegex(tenon.Error, "no parameter 'q'"):
            tenon.load(FOUR_BAR, q=1)
        with self.assertRaisesRegex(tenon.Error, "nothing.yaml: error: No such file"):
            tenon.load("nothing.yaml")
        s = tenon.load(FOUR_BAR).session()
        with self.assertRaisesRegex(tenon.Error, "did you mean 'pivot.angle'"):
            s["pivot.angel"]
        with self.assertRaisesRegex(tenon.Error, "elbo"):
            s.apply({"remove": "elbo"})
        with self.assertRaisesRegex(tenon.Error, "no integrator|unknown integrator|integrator"):
            tenon.load(FOUR_BAR).run(integrator="rk5")
        sweep = tenon.load(FOUR_BAR).sweep(r=[0.2, 3.0], of="final(pivot.angle)", until=0.1)
        self.assertEqual(list(sweep.errors), [1])       # cannot be put together
        self.assertTrue(np.isnan(np.asarray(sweep)[1]))

    def test_interrupt(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)    # a shell starts background jobs with SIGINT ignored
        m = tenon.load(FOUR_BAR)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            m.run(until=1e8, record=1e8)
        timer.join()

    def test_interrupt_of_a_sweep(self):
        m = tenon.load(FOUR_BAR)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):                     # and does not wait for 1e8 s of motion
            m.sweep(r=[0.2, 0.21, 0.22, 0.23], of="final(pivot.angle)", until=1e8, settings={"record": 1e8}, threads=2)
        timer.join()

    def test_names(self):
        """What is wrong is named."""
        m = tenon.parse(CART)
        s = m.session()
        for call in (lambda: s.input("pull", 1), lambda: s.inputs(["push", "pull"], [1, 2]), lambda: m.run(inputs={"pull": 1}),
                     lambda: tenon.Environment(m, ["t"], ["pull"])):
            with self.assertRaisesRegex(tenon.Error, "no input 'pull'"):
                call()
        with self.assertRaisesRegex(tenon.Error, "no parameter 'n'"):
            m.sweep(n=[1, 2], of="final(rail.position)")
        with self.assertRaisesRegex(tenon.Error, "rail.positon"):      # all runs fail alike
            m.sweep(m=[1, 2], of="final(rail.positon)")
        with self.assertRaisesRegex(RuntimeError, "reset"):
            tenon.Environment(m, ["rail.position"], ["push"]).step([1.0])
        with tempfile.TemporaryDirectory() as folder:                  # nothing is written beside a model
            os.chmod(folder, 0o500)
            other = tenon.parse(CART, folder).with_parameters(m=4)
            self.assertEqual((other.parameters, os.listdir(folder)), ({"m": 4.0}, []))
            with self.assertRaisesRegex(tenon.Error, "model.yaml: error: no parameter 'q'"):
                other.with_parameters(q=1)

    def test_dimensions_and_ranges(self):
        """Texts have the dimension of what they are given for; numbers that make no sense are refused at once."""
        m = tenon.parse(CART)
        self.assertEqual(tenon.load(FOUR_BAR, r="120 mm").parameters["r"], 0.12)
        for call in (lambda: tenon.load(FOUR_BAR, r="12 kg"), lambda: m.with_parameters(m="3 m"), lambda: m.run(until="2 kg"),
                     lambda: m.run(until=1, record="1 N"), lambda: m.run(until=1, inputs={"push": "3 kg"}),
                     lambda: m.sweep(m=["1 kg", "2 s"], of="rail.position")):
            with self.assertRaisesRegex(tenon.Error, "is expected"):
                call()
        self.assertAlmostEqual(m.run(until="2000 ms", inputs={"push": "0.001 kN"})["rail.position"][-1], 1, 9)
        s = m.session()
        for call in (lambda: m.run(until=1, record=-1), lambda: m.run(until=float("inf")), lambda: s.control(1, 0, print),
                     lambda: s.control(1, -1, print), lambda: (s.advance(0.5), s.advance_to(0.1)),
                     lambda: tenon.Environment(m, ["rail.position"], ["push"], n=0)):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaisesRegex(tenon.Error, "no setting 'integratr' that could be 'rk4'; did you mean 'integrator'"):
            m.run(integratr="rk4")
        self.assertIn("push", m.run(until=0.1, outputs="2 * push"))

    def test_numpy_in_builders(self):
        b = tenon.Builder("Cart", dimension=2)
        u = b.input("u", unit="N")
        b.body("cart", mass=np.float64(2), com=np.array([0.1, 0.2]), inertia=np.float32(1))
        self.assertIn("mass: 2.0, com: [0.1, 0.2], inertia: 1.0", b.text)
        with self.assertRaisesRegex(TypeError, "not a list"):
            list(u)
        with self.assertRaisesRegex(ValueError, "NaN"):
            (b.body("other", mass=np.nan), b.text)

    def test_threads(self):
        m = tenon.load(FOUR_BAR)
        s, t = m.session(), m.session()
        codes = []

        def go(session):
            try:
                session.advance(20)
                codes.append("done")
            except RuntimeError:
                codes.append("refused")

        threads = [threading.Thread(target=go, args=(x,)) for x in (s, t)]
        for x in threads:
            x.start()
        for x in threads:
            x.join()
        self.assertIn("done", codes)                    # a race is refused, never a crash
        s.advance(0.1)

    def test_closed(self):
        m = tenon.load(FOUR_BAR)
        with m.session() as s:
            s.advance(0.1)
        for call in (lambda: s.advance(1), lambda: s.t, lambda: s["t"], lambda: s.state, lambda: s.snapshot()):
            with self.assertRaises(RuntimeError):
                call()
        with m.session() as s:
            r, snapshot = s.readout(["pivot.angle"]), s.snapshot()
        s.close()
        self.assertEqual(repr(s), "<Session, closed>")
        for call in (r, lambda: s.restore(snapshot), lambda: s.t):
            with self.assertRaisesRegex(RuntimeError, "closed"):
                call()
        del r, snapshot
        self.assertRaises(RuntimeError, lambda: s.t)
        s = m.session()
        r = s.readout(["pivot.angle"])
        del m, s
        gc.collect()
        self.assertAlmostEqual(r()[0], np.pi / 3, 9)    # a readout keeps its session alive

    def test_values_of_their_own(self):
        """What a readout returned stays as it was; durations with units; messages that say what to write instead."""
        s = tenon.load(FOUR_BAR).session()
        read = s.readout(["pivot.angle", "t"])
        rows, place = [], np.empty(2)
        for _ in range(3):
            rows.append(read())
            s.advance("10 ms")
        self.assertEqual([row[1] for row in rows], [0, 0.01, 0.02])
        self.assertNotEqual(rows[0][0], rows[2][0])
        read.into(place)
        self.assertEqual(place[1], s.t)
        s.advance_to("0.1 s")
        self.assertEqual(s.t, 0.1)
        for wrong, kind, words in ((lambda: s.advance("1 m"), tenon.Error, "length, where time"),
                                   (lambda: s[3], TypeError, "named by a text"),
                                   (lambda: s.__setitem__("r", 0.1), tenon.Error, "it is a parameter")):
            with self.assertRaisesRegex(kind, words):
                wrong()
        b = tenon.Builder("Fall", dimension=2, gravity=[0, -2])
        b.parameter("height", "1 m")
        b.output(b.body("ball", type="particle", mass=1, position=[0, "height"]).position.y)
        self.assertEqual(b.model(height="3 m").session()["ball.position.y"], 3)

    def test_pickles_and_copies(self):
        """Models, results and errors go to other processes; a copy of a session is a branch of it."""
        m = tenon.load(FOUR_BAR, r=0.12)
        res = m.run(until=0.2, record=0.1)
        other = pickle.loads(pickle.dumps(m))
        self.assertEqual((other.parameters, other.run(until=0.2, record=0.1).summary["steps"]), (m.parameters, res.summary["steps"]))
        self.assertEqual(copy.deepcopy(tenon.parse(CART).with_parameters(m=3)).parameters, {"m": 3.0})
        back = pickle.loads(pickle.dumps(res))
        self.assertEqual((list(back["pivot.angle"]), back["pivot.angle"].unit), (list(res["pivot.angle"]), "rad"))
        self.assertEqual(copy.deepcopy(res["pivot.angle"]).unit, "rad")
        with self.assertRaisesRegex(KeyError, "was not recorded"):
            back["energy.kinetic"]
        with self.assertRaisesRegex(TypeError, "named by a text"):
            res[0]
        with self.assertRaises(tenon.Error) as caught:
            tenon.parse("tenon: 1\nbodies: { a: { mas: 1 } }\n")
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))
        s = m.session()
        s.advance(0.1)
        for double in (copy.copy(s), copy.deepcopy(s)):
            double.advance(0.1)
            self.assertEqual((s.t, double.t), (0.1, 0.2))
        with self.assertRaisesRegex(TypeError, "save"):
            pickle.dumps(s)

    def test_short_names(self):
        """pivot.rate is pivot.angle.rate, for everything that takes channels."""
        m = tenon.load(FOUR_BAR)
        res = m.run(until=0.1, record=0.01)
        self.assertEqual(list(res["pivot.rate"]), list(res["pivot.angle.rate"]))
        self.assertEqual(res["pivot.rate"].unit, "rad/s")
        self.assertIn("pivot.rate", m.run(until=0.1, outputs=["pivot.rate", "elbow.reaction"]))
        sweep = m.sweep(r=[0.1, 0.12], of=["max(pivot.rate)", "max(pivot.angle.rate)"], until=0.1)
        self.assertEqual((list(sweep["max(pivot.rate)"]), sweep.errors), (list(sweep["max(pivot.angle.rate)"]), {}))
        s = m.session()
        self.assertEqual(s.readout("pivot.rate")(), [s["pivot.rate"]])

    def test_instants_of_control(self):
        """Decimal numbers, as those of sampled devices; a controller does not move its session; an event ends the call."""
        s, times = tenon.parse(CART).session(), []
        s.control(0.8, 0.1, lambda s: times.append(s.t))
        self.assertEqual(times, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
        start = s.snapshot()
        with self.assertRaisesRegex(RuntimeError, "moved the session"):
            s.control(2, 0.1, lambda s: s.restore(start) if s.t > 1 else None)
        s.input("push", 10)
        calls = []
        s.control(50, 1, lambda s: calls.append(s.t))           # the event "far" stops the run after 6.3 s
        self.assertEqual(len(calls), len([t for t in calls if t <= s.t]))
        self.assertLess(s.t, 10)

    def test_fuzz(self):
        """Every method of the C part with nonsense: exceptions only."""
        rng = random.Random(4)
        raw = tenon.parse(CART)._raw
        junk = [None, 0, -1, 1e308, float("nan"), float("inf"), "", "x" * 5000, "\0", "{", "push", b"1", [], ["rail.position"],
                [1], (), ("push",), {}, {"until": "x"}, {"step": -1}, {"a" * 100: 1.0}, np.zeros(3), np.zeros(10), object(),
                True, np.zeros(10, dtype=np.float32), {"integrator": "ida"}]
        for round in range(1500):
            if round % 50 == 0:
                session = raw.open({}, "")
                readout, snapshot = session.readout(["rail.position"]), session.snapshot()
            target = rng.choice([raw, session, session, session, readout, snapshot])
            names = [n for n in dir(target) if not n.startswith("_") and n not in ("close", "save")]
            arguments = [rng.choice(junk) for _ in range(rng.randrange(4))]
            name = rng.choice(names)
            if name in ("advance", "advance_to") and any(isinstance(a, float) and a > 1 for a in arguments):
                continue
            try:
                getattr(target, name)(*arguments)
            except (tenon.Error, TypeError, ValueError, RuntimeError, OverflowError, BufferError, MemoryError, KeyError):
                pass

    def test_texts_with_zeros(self):
        s = tenon.parse(CART).session()
        for use in (lambda: s["rail.position\0"], lambda: s.readout(["rail.position\0x"]), lambda: s.apply('{ remove: "push" }\0')):
            with self.assertRaisesRegex(ValueError, "null character"):
                use()

    def test_leak(self):
        count = int(os.environ.get("TENON_PYTHON_SESSIONS", "1500"))
        m = tenon.parse(CART)

        def use(times):
            for _ in range(times):
                s = m.session()
                s["push"] = 1
                s.advance(0.01)
                s.snapshot()
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = use(300)
        self.assertLess(use(count) - before, 4096)      # kB


class Rest(unittest.TestCase):
    def test_readme(self):
        """The lines of the README give the output that the README shows."""
        text = open(os.path.join(SOURCE, "README.md")).read()
        block = re.search(r"```python\n(>>> .*?)```", text, re.S).group(1)
        block = block.replace(", 100)", ", 100)[:3]")   # the README shows the first three runs
        test = doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0)
        here = os.getcwd()
        os.chdir(SOURCE)
        try:
            runner = doctest.DocTestRunner(checker=NearlyEqual())
            runner.run(test)
        finally:
            os.chdir(here)
        self.assertEqual(runner.failures, 0)
        self.assertGreater(runner.tries, 5)

    def test_help(self):
        for thing in (tenon, tenon.load, tenon.Model, tenon.Session, tenon.Results, tenon.Builder, tenon.Environment):
            self.assertGreater(len(thing.__doc__), 40)
        for kind in (tenon.Model, tenon.Session, tenon.Results):
            for name, member in vars(kind).items():
                if callable(member) and not name.startswith("_") and name not in ("keys", "to_pandas"):
                    self.assertTrue(member.__doc__, f"{kind.__name__}.{name} has no help")

    def test_view(self):
        """The live view gives the state after every call, to those who have the address."""
        def ask(name):
            with urllib.request.urlopen(view.url.replace("?live", name)) as answer:
                return answer.headers["Revision"], answer.read()

        session = tenon.load(FOUR_BAR).session()
        view = session.view()
        self.assertIs(session.view(), view)
        self.assertIn(b'id="scene"', ask("")[1])
        session.advance(0.3)
        first, frame = ask("poses")
        t, *poses = np.frombuffer(frame, dtype="<f4")
        self.assertAlmostEqual(t, 0.3, places=6)
        self.assertEqual(len(poses), 3 * 7)
        coupler = np.array(poses[7:14], dtype=float)
        self.assertAlmostEqual(coupler[0], session["coupler.position.x"], places=6)
        self.assertAlmostEqual(coupler[6], np.sin(session["coupler.angle"] / 2), places=6)
        session.apply({"remove": "elbow"})
        self.assertNotEqual(ask("poses")[0], first)
        session.play(0.1, speed=10)
        self.assertAlmostEqual(np.frombuffer(ask("poses")[1], dtype="<f4")[0], 0.4, places=6)
        for wrong in (view.url.replace("?live", "other"), re.sub(r"/[^/]*/\?live", "/guess/poses", view.url)):
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(wrong)
        view.close()
        with self.assertRaises(OSError):
            ask("poses")

    def frames(self, page):
        """Times and poses in a page."""
        scene = json.loads(re.search(r'id="scene">(.*?)</script>', page.html, re.S).group(1))
        data = base64.b64decode(re.search(r'id="motion">([^<]*)<', page.html).group(1))
        return np.frombuffer(data, "<f4").reshape(-1, 1 + 7 * len(scene["bodies"])), scene

    def test_animate(self):
        """Pages show the run that was made: with its parameters, inputs, settings and functions."""
        res = tenon.load(FOUR_BAR, r=0.12).run(until=0.2)
        page = res.animate()
        self.assertIn("<html", page.html)
        self.assertIn("srcdoc", page._repr_html_())
        rows, scene = self.frames(page)
        self.assertEqual((rows.shape[1], scene["name"]), (1 + 7 * 3, "Four-bar linkage"))
        self.assertAlmostEqual(rows[-1][8], res["coupler.position.x"][-1], places=6)
        self.assertAlmostEqual(rows[-1][14], np.sin(res["coupler.angle"][-1] / 2), places=6)
        heavy = tenon.parse(CART).with_parameters(m=4)
        rows, _ = self.frames(heavy.run(until=1, inputs={"push": lambda t: 8 * t}).animate())
        self.assertAlmostEqual(rows[-1][1], 8 / 6 / 4, places=6)
        law = tenon.parse(CART.replace("[push, 0]", '["law(t)", 0]'), functions={"law": lambda t: 4.0})
        rows, _ = self.frames(law.run(until=1).animate())
        self.assertAlmostEqual(rows[-1][1], 1, places=6)
        space = tenon.load(os.path.join(SOURCE, "examples", "gyroscope.yaml")).run(until=0.1)
        rows, scene = self.frames(space.animate())
        name = scene["bodies"][0]["name"]
        np.testing.assert_allclose(rows[-1][4:8], [space[f"{name}.orientation.{k}"][-1] for k in "wxyz"], atol=1e-6)
        s = tenon.parse(CART).session()
        s["push"] = 2
        s.advance(1)
        self.assertAlmostEqual(self.frames(s.show())[0][-1][1], s["rail.position"], places=6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
