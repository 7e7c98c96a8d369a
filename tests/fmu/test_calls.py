"""Calls of FMUs in random order, with good and bad arguments: a status of the standard for each, a message for each refusal, no crash,
and afterwards the instance does what a new one does.

usage: test_calls.py PROGRAM SOURCE_FOLDER
"""
import ctypes
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import Folder
from importer import BOOL, D, DISCARD, ERROR, OK, SIZE, VR, EventInfo2, Instance

MODEL = """
tenon: 1
dimension: 2
gravity: [0, -9.81]
parameters: { L: 1 m, m: 1 kg, k: 20 }
inputs: { torque: { unit: N m, default: 0.5, low: -10, high: 10 }, w: { unit: rad } }
bodies:
  arm: { mass: m, com: [L / 2, 0], inertia: 0.1 kg m^2, frames: { tip: { at: [L, 0] } } }
joints: { pivot: { type: revolute, between: [ground, arm] } }
devices:
  c: { type: discrete-pid, period: 30 ms, target: w, measured: pivot.angle, kp: k }
  r: { type: relay, u: pivot.rate, on: 0.5 rad/s, off: -0.5 rad/s, low: -1, high: 1 }
forces: { motor: { type: motor, joint: pivot, value: torque + (c.y + r.y) * 1 N m } }
outputs: [pivot.angle, pivot.rate, c.y, r.y, arm.tip.acceleration.y]
solve: { until: 1 s, record: 0.1 s, tolerance: 1e-8 }
"""
NUMBERS = [0.0, 1.0, -1.0, 0.5, 1e3, float("nan"), float("inf")]


class Caller:
    """Random calls of one instance."""

    def __init__(self, fmu, exchange, seed):
        self.random = random.Random(seed)
        two = fmu.version == 2
        event = not two and not exchange and self.random.random() < 0.5
        self.i = Instance(fmu, exchange=exchange, event_mode=event, early=event)
        self.fmu, self.two, self.t, self.states, self.x = fmu, two, 0.0, [], None
        self.word = "FMUstate" if two else "FMUState"
        self.flag = ctypes.c_int if two else BOOL
        plain = ["ExitInitializationMode", "EnterEventMode", "EnterContinuousTimeMode"]
        plain += [] if two else ["EnterStepMode", "EnterConfigurationMode", "ExitConfigurationMode", "EvaluateDiscreteStates"]
        self.often = [getattr(self, n) for n in dir(self) if n.startswith("do_")] + [self.do_step] * 2
        self.often += [lambda n=n: self.i.call(n) for n in plain]
        self.seldom = [lambda: self.i.call("Terminate"), self.reset]

    def some(self):
        known = [*self.fmu.references.values(), 12345, 0xffffffff]
        count = self.random.randint(0, 4)
        return (VR * (count + 1))(*[self.random.choice(known) for _ in range(count)]), SIZE(count), count

    def numbers(self, count):
        return (D * (count + 1))(*[self.random.choice(NUMBERS) for _ in range(count)])

    def values(self, function, values, references, size):
        return self.i.call(function + ("Real" if self.two else "Float64"), references, size, values, *([] if self.two else [size]))

    def vector(self, function, values, count):
        return self.i.call(function, values, SIZE(count))

    def reset(self):
        self.t = 0.0
        return self.i.call("Reset")

    def do_get(self):
        references, size, count = self.some()
        return self.values("Get", (D * (count + 1))(), references, size)

    def do_set(self):
        references, size, count = self.some()
        return self.values("Set", self.numbers(count), references, size)

    def do_setup(self):
        end, tolerance = self.random.choice([5.0, -9.0]), self.random.choice([1e-4, 0, -1])
        if self.two:
            return self.i.call("SetupExperiment", self.random.randint(0, 1), D(tolerance), D(self.random.choice([0, 1, -2])), 0, D(end))
        return self.i.call("EnterInitializationMode", BOOL(self.random.random() < 0.5), D(tolerance), D(0), BOOL(0), D(end))

    def do_enter(self):
        return self.i.call("EnterInitializationMode", *([] if self.two else [BOOL(0), D(0), D(0), BOOL(0), D(0)]))

    def do_step(self):
        start = self.random.choice([self.t] * 4 + [self.t + 1])
        step = self.random.choice([0.01, 0.02, 0.05, 0, -0.1, float("nan")])
        status = self.i.step(start, step)
        if status == OK:
            self.t = start + step if self.two else self.i.last
        return status

    def do_keep(self):
        state = ctypes.c_void_p()
        status = self.i.call("Get" + self.word, ctypes.byref(state))
        if status == OK:
            self.states.append((state, self.t))
        return status

    def do_go_back(self):
        state, time = self.random.choice(self.states or [(None, self.t)])
        status = self.i.call("Set" + self.word, state)
        self.t = time if status == OK else self.t
        return status

    def do_forget(self):
        state = self.states.pop()[0] if self.states else ctypes.c_void_p()
        return self.i.call("Free" + self.word, ctypes.byref(state))

    def do_serialize(self):
        if not self.states:
            return OK
        (state, time), size, copied = self.random.choice(self.states), SIZE(), ctypes.c_void_p()
        self.i.must(f"Serialized{self.word}Size", state, ctypes.byref(size))
        data = (ctypes.c_char * size.value)()
        status = self.i.call("Serialize" + self.word, state, data, SIZE(self.random.choice([size.value, size.value // 2])))
        if status == OK:
            self.i.must(("DeSerialize" if self.two else "Deserialize") + self.word, data, size, ctypes.byref(copied))
            self.states.append((copied, time))
        return status

    def do_derive(self):
        unknowns, knowns = self.some(), self.some()
        sizes = [] if self.two else [knowns[1]]
        ends = [] if self.two else [unknowns[1]]
        return self.i.call("GetDirectionalDerivative", *unknowns[:2], *knowns[:2], self.numbers(knowns[2]), *sizes,
                           (D * (unknowns[2] + 1))(), *ends)

    def do_output_rates(self):
        references, size, count = self.some()
        orders = (ctypes.c_int32 * (count + 1))(*[self.random.randint(0, 2) for _ in range(count)])
        name = "GetRealOutputDerivatives" if self.two else "GetOutputDerivatives"
        return self.i.call(name, references, size, orders, (D * (count + 1))(), *([] if self.two else [size]))

    def do_update(self):
        if self.two:
            return self.i.call("NewDiscreteStates", ctypes.byref(EventInfo2()))
        return self.i.call("UpdateDiscreteStates", *[ctypes.byref(BOOL(1)) for _ in range(5)], ctypes.byref(D()))

    def do_complete(self):
        return self.i.call("CompletedIntegratorStep", self.flag(1), ctypes.byref(self.flag()), ctypes.byref(self.flag()))

    def do_time(self):
        return self.i.call("SetTime", D(self.random.choice([0.0, 0.1, 0.2, float("nan"), -5.0])))

    def do_put(self):
        count = self.random.choice([self.fmu.states, self.fmu.states, 0, self.fmu.states + 1])
        good = self.x is not None and count == self.fmu.states and self.random.random() < 0.7
        return self.vector("SetContinuousStates", self.x if good else self.numbers(count), count)

    def do_states(self):
        values = (D * (self.fmu.states + 1))()
        status = self.vector("GetContinuousStates", values, self.fmu.states)
        self.x = values if status == OK else self.x
        return status

    def do_rates(self):
        return self.vector("GetDerivatives" if self.two else "GetContinuousStateDerivatives", (D * (self.fmu.states + 1))(), self.fmu.states)

    def do_indicators(self):
        return self.vector("GetEventIndicators", (D * (self.fmu.indicators + 1))(), self.fmu.indicators)

    def do_nominals(self):
        return self.vector("GetNominalsOfContinuousStates", (D * (self.fmu.states + 1))(), self.fmu.states)

    def call(self, test):
        self.i.messages.clear()
        status = self.random.choice(self.often if self.random.random() < 0.98 else self.seldom)()
        test.assertIn(status, (OK, DISCARD, ERROR))
        test.assertTrue(status == OK or self.i.messages)
        return status

    def end(self):
        for state, _ in self.states:
            self.i.must("Free" + self.word, ctypes.byref(state))


class Calls(Folder):
    def run_after(self, i):
        """The motion of the instance, from a reset."""
        i.must("Reset")
        if i.exchange:
            i.initialize()
            return i.vector("GetDerivatives" if i.v == 2 else "GetContinuousStateDerivatives")
        i.event_mode = False
        i.initialize()
        if i.v == 3 and i.call("EnterStepMode") != OK:
            i.messages.clear()
        return [i.step(0, 0.2)] + i.get(["pivot.angle", "c.y"])

    def test_random_calls(self):
        path = os.path.join(self.folder, "calls.yaml")
        with open(path, "w") as file:
            file.write(MODEL)
        for version in (2, 3):
            fmu = self.export(path, "--fmi", str(version), name="calls")
            for exchange in (False, True):
                new = Instance(fmu, exchange=exchange)
                expected = self.run_after(new)
                new.free()
                for seed in range(12):
                    caller = Caller(fmu, exchange, seed)
                    done = sum(caller.call(self) == OK for _ in range(300))
                    self.assertGreater(done, 30)
                    caller.end()
                    self.assertEqual(self.run_after(caller.i), expected, (version, exchange, seed))
                    caller.i.free()
            fmu.close()

    def test_wrong_parameters(self):
        """A parameter that the model cannot have is an error of initialization; the instance goes on with a better one."""
        for version in (2, 3):
            for exchange in (False, True):
                i = Instance(self.fmus[version], exchange=exchange)
                i.set(m=-1.0)
                if version == 2:
                    i.must("SetupExperiment", 0, D(0), D(0), 0, D(0))
                times = [] if version == 2 else [BOOL(0), D(0), D(0), BOOL(0), D(0)]
                self.assertEqual(i.call("EnterInitializationMode", *times), ERROR)
                self.assertIn("mass -1 kg must be positive", i.messages[-1][1])
                for name in ("pivot.angle", "arm.tip.acceleration.y"):
                    with self.assertRaises(AssertionError):
                        i.get([name])
                self.assertEqual(i.get(["m", "torque"]), [-1.0, 0.5])
                self.assertEqual(i.call("EnterInitializationMode", *times), ERROR)
                i.set(m=2.0)
                i.must("EnterInitializationMode", *times)
                other = Instance(self.fmus[version], exchange=exchange)
                other.set(m=2.0)
                other.initialize()
                i.must("ExitInitializationMode")
                self.assertEqual(i.get(["arm.tip.acceleration.y"]), other.get(["arm.tip.acceleration.y"]))
                i.free()
                other.free()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
