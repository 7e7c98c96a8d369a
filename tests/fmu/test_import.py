"""Devices with `use: x.fmu`: our own FMUs give the motion of the uncut model; FMUs of others, with events, loops and all the ways in
which they go wrong.

usage: test_import.py PROGRAM GUEST_LIBRARY PYTHON_PACKAGE_FOLDER
"""
import csv
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

PROGRAM, GUEST, PACKAGE = [os.path.abspath(path) for path in sys.argv[1:4]]
sys.path.insert(0, PACKAGE)
import tenon  # noqa: E402

WHOLE = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: { mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0] }
  load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0] }
joints:
  pin: { type: revolute, between: [ground, arm], at: [0, 0] }
  hinge: { type: revolute, between: [ground, load], at: [2, 0] }
forces:
  pull: { type: motor, joint: pin, value: 20 N m/rad * (hinge.angle - pin.angle) }
  back: { type: motor, joint: hinge, value: 20 N m/rad * (pin.angle - hinge.angle) - 0.3 N m s/rad * hinge.rate }
outputs: [pin.angle, hinge.angle]
solve: { until: 2 s, record: 0.1 s, integrator: dopri5, tolerance: 1e-12 }
"""
LOAD = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: { load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0] } }
joints: { hinge: { type: revolute, between: [ground, load], at: [2, 0] } }
inputs: { pin: { unit: rad } }
parameters: { k: 20 }
forces: { back: { type: motor, joint: hinge, value: k * 1 N m/rad * (pin - hinge.angle) - 0.3 N m s/rad * hinge.rate } }
outputs: [hinge.angle, tau: 20 N m/rad * (hinge.angle - pin)]
solve: { until: 2 s, record: 0.1 s, tolerance: 1e-12 }
"""
CUT = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: {{ arm: {{ mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0] }} }}
joints: {{ pin: {{ type: revolute, between: [ground, arm], at: [0, 0] }} }}
devices:
  other: {{ use: {use}, inputs: {{ pin: pin.angle }} }}
forces: {{ pull: {{ type: motor, joint: pin, value: other.tau }} }}
outputs: [pin.angle, other.hinge.angle]
solve: {{ until: 2 s, record: 0.1 s, integrator: {integrator}, tolerance: {tolerance} }}
"""
BALL = """tenon: 1
devices:
  ball: {{ use: {use} }}
  twice: {{ type: signal, value: 2 * ball.y }}
outputs: [ball.h, ball.y, ball.count, twice.value]
solve: {{ until: {until} s, record: 0.05 s, integrator: dopri5, tolerance: 1e-10 }}
"""
BALL2 = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="ball" guid="{{ball}}" numberOfEventIndicators="1">
{kinds}
<UnitDefinitions><Unit name="cm"><BaseUnit m="1" factor="0.01"/></Unit></UnitDefinitions>
<ModelVariables>
<ScalarVariable name="h" valueReference="1" causality="output"><Real start="1"/></ScalarVariable>
<ScalarVariable name="v" valueReference="2"><Real start="0"/></ScalarVariable>
<ScalarVariable name="der(h)" valueReference="3"><Real derivative="1"/></ScalarVariable>
<ScalarVariable name="der(v)" valueReference="4"><Real derivative="2"/></ScalarVariable>
<ScalarVariable name="u" valueReference="5" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="6" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="count" valueReference="7" causality="output" variability="discrete"><Integer/></ScalarVariable>
<ScalarVariable name="e" valueReference="8" causality="parameter" variability="fixed"><Real start="0.8"/></ScalarVariable>
<ScalarVariable name="mischief" valueReference="9" causality="parameter" variability="fixed"><Integer start="0"/></ScalarVariable>
<ScalarVariable name="h[cm]" valueReference="1"><Real unit="cm"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="1" dependencies="1"/><Unknown index="6" dependencies="5 1"/>
<Unknown index="7" dependencies=""/></Outputs>
<Derivatives><Unknown index="3" dependencies="2"/><Unknown index="4" dependencies="5"/></Derivatives></ModelStructure>
</fmiModelDescription>"""
BALL3 = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="ball" instantiationToken="{{ball}}">
{kinds}
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="h" valueReference="1" causality="output" start="1"/>
<Float64 name="v" valueReference="2" start="0"/>
<Float64 name="der(h)" valueReference="3" derivative="1"/>
<Float64 name="der(v)" valueReference="4" derivative="2"/>
<Float64 name="u" valueReference="5" causality="input" start="0"/>
<Float64 name="y" valueReference="6" causality="output"/>
<Int32 name="count" valueReference="7" causality="output" variability="discrete"/>
<Float64 name="e" valueReference="8" causality="parameter" variability="fixed" start="0.8"/>
<Int32 name="mischief" valueReference="9" causality="parameter" variability="fixed" start="0"/>
</ModelVariables>
<ModelStructure><Output valueReference="1" dependencies="1"/><Output valueReference="6" dependencies="5 1"/>
<Output valueReference="7" dependencies=""/><ContinuousStateDerivative valueReference="3" dependencies="2"/>
<ContinuousStateDerivative valueReference="4" dependencies="5"/><EventIndicator valueReference="1"/></ModelStructure>
</fmiModelDescription>"""
ARRAYS = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="arrays" instantiationToken="{{arrays}}">
<ModelExchange modelIdentifier="arrays"/><CoSimulation modelIdentifier="arrays"/>
<UnitDefinitions><Unit name="cm"><BaseUnit m="1" factor="0.01"/></Unit></UnitDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="x" valueReference="1" start="0"><Dimension start="3"/></Float64>
<Float64 name="der(x)" valueReference="2" derivative="1"><Dimension valueReference="7"/></Float64>
<Float64 name="u" valueReference="3" causality="input" start="0 0 {third}"><Dimension valueReference="7"/></Float64>
<Float64 name="y" valueReference="4" causality="output"><Dimension start="3"/></Float64>
<Int16 name="corners" valueReference="5" causality="output" variability="discrete"><Dimension start="2"/><Dimension start="2"/></Int16>
<Float64 name="gain" valueReference="6" causality="parameter" variability="fixed" start="1 2 3"><Dimension start="3"/></Float64>
<UInt64 name="n" valueReference="7" causality="structuralParameter" variability="fixed" start="3"/>{more}
</ModelVariables>
<ModelStructure><Output valueReference="4" dependencies="1 3"/><Output valueReference="5" dependencies=""/>
<ContinuousStateDerivative valueReference="2" dependencies="1 3"/></ModelStructure>
</fmiModelDescription>"""
ARRAYS_MODEL = """tenon: 1
devices:
  a: {{ use: arrays.fmu, kind: {kind}, inputs: {{ "u[1]": 1 + 0.5 * a.corners_1_1, "u[2]": 3 }}, parameters: {{ "gain[2]": 5 }} }}
outputs: [a.y_1, a.y_2, a.y_3, a.corners_1_2, a.corners_2_1]
solve: {{ until: 1 s, record: 0.5 s, tolerance: 1e-11, integrator: {integrator} }}
"""
SWITCH2 = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="switch" guid="{switch}" numberOfEventIndicators="0">
<ModelExchange modelIdentifier="switch"/><CoSimulation modelIdentifier="switch"/>
<UnitDefinitions><Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit></UnitDefinitions>
<TypeDefinitions><SimpleType name="Mode"><Enumeration><Item name="idle" value="1"/><Item name="go" value="3"/></Enumeration></SimpleType></TypeDefinitions>
<ModelVariables>
<ScalarVariable name="u" valueReference="1" causality="input"><Real unit="degC" relativeQuantity="true" start="0"/></ScalarVariable>
<ScalarVariable name="on" valueReference="2" causality="input" variability="discrete"><Boolean start="false"/></ScalarVariable>
<ScalarVariable name="gear" valueReference="3" causality="input" variability="discrete"><Integer start="0"/></ScalarVariable>
<ScalarVariable name="level" valueReference="4" causality="input" variability="discrete"><Real start="0"/></ScalarVariable>
<ScalarVariable name="mode" valueReference="5" causality="parameter" variability="fixed"><Enumeration declaredType="Mode" start="1"/></ScalarVariable>
<ScalarVariable name="name" valueReference="6" causality="parameter" variability="fixed"><String start=""/></ScalarVariable>
<ScalarVariable name="y" valueReference="7" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="turns" valueReference="8" causality="output" variability="discrete"><Integer/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="7"/><Unknown index="8"/></Outputs></ModelStructure>
</fmiModelDescription>"""
SWITCH3 = """<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="switch" instantiationToken="{switch}">
<ModelExchange modelIdentifier="switch"/><CoSimulation modelIdentifier="switch"/>
<UnitDefinitions><Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit></UnitDefinitions>
<TypeDefinitions><EnumerationType name="Mode"><Item name="idle" value="1"/><Item name="go" value="3"/></EnumerationType></TypeDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="u" valueReference="1" causality="input" unit="degC" relativeQuantity="true" start="0"/>
<Boolean name="on" valueReference="2" causality="input" variability="discrete" start="false"/>
<Int32 name="gear" valueReference="3" causality="input" variability="discrete" start="0"/>
<Float64 name="level" valueReference="4" causality="input" variability="discrete" start="0"/>
<Enumeration name="mode" valueReference="5" causality="parameter" variability="fixed" declaredType="Mode" start="1"/>
<String name="name" valueReference="6" causality="parameter" variability="fixed"><Start value=""/></String>
<Float64 name="y" valueReference="7" causality="output"/>
<Int32 name="turns" valueReference="8" causality="output" variability="discrete"/>
<Binary name="blob" valueReference="9" causality="parameter" variability="fixed"><Start value="00ff"/></Binary>
</ModelVariables>
<ModelStructure><Output valueReference="7"/><Output valueReference="8"/></ModelStructure>
</fmiModelDescription>"""
SWITCHED = """tenon: 1
devices:
  d: {{ use: switch.fmu, kind: {kind}, inputs: {{ u: 2 * t, on: "sin(10 rad/s * t) > 0", gear: 3 * t, level: h.y }}, parameters: {parameters} }}
  h: {{ type: sample-hold, u: t, period: 0.3 s }}
outputs: [d.y, d.turns]
solve: {{ until: 1 s, record: 0.05 s }}
"""
PLATFORMS = {2: "linux64", 3: "x86_64-linux"}


def exact_ball(t, e=0.8, g=10.0):
    """Height of the ball at time t."""
    start, speed = 0.0, None
    flight = math.sqrt(2 / g)
    if t <= flight:
        return 1 - g * t * t / 2
    start, speed = flight, e * g * flight
    while t > start + 2 * speed / g:
        start += 2 * speed / g
        speed *= e
    t -= start
    return speed * t - g * t * t / 2


class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tenon import ")
        self.unpacked = tempfile.mkdtemp(prefix="tenon-unpacked-")         # of this test alone; others run at the same time
        os.environ["TMPDIR"] = self.unpacked

    def tearDown(self):
        del os.environ["TMPDIR"]
        left = os.listdir(self.unpacked)
        shutil.rmtree(self.folder)
        shutil.rmtree(self.unpacked)
        self.assertEqual([name for name in left if name.startswith("tenon-fmu-")], [], "unpacked files are left behind")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def run_program(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder, timeout=100, check=False)

    def rows(self, model, *options):
        done = self.run_program("run", model, "-o", "out.csv", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("out.csv")) as file:
            table = list(csv.reader(file))
        return table[0], [[float(x) for x in row] for row in table[1:]]

    def difference(self, a, b):
        return max(abs(x - y) for r, s in zip(a, b, strict=True) for x, y in zip(r, s, strict=True))

    def ball(self, version=2, name="ball.fmu", saves=True, kinds="ModelExchange CoSimulation", text=None, library=True):
        text = text or (BALL2 if version == 2 else BALL3)
        flag = ("canGetAndSetFMUstate" if version == 2 else "canGetAndSetFMUState") + f'="{str(saves).lower()}"'
        text = text.format(kinds="".join(f'<{k} modelIdentifier="ball" {flag}/>' for k in kinds.split()))
        with zipfile.ZipFile(self.path(name), "w") as archive:
            archive.writestr("modelDescription.xml", text)
            if library:
                archive.write(GUEST, f"binaries/{PLATFORMS[version]}/ball.so")
        return self.path(name)


FOUR_BAR = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {{ mass: 1 kg, inertia: 0.02 kg m^2, com: [0.1, 0], frames: {{ end: {{ at: [0.2, 0] }} }} }}
  coupler: {{ mass: 1 kg, inertia: 0.1 kg m^2, com: [0.4, 0], position: [0.2, 0], frames: {{ end: {{ at: [0.8, 0] }} }} }}
  rocker: {{ mass: 1 kg, inertia: 0.05 kg m^2, com: [0, 0.3], position: [1, -0.6], frames: {{ end: {{ at: [0, 0.6] }} }} }}
joints:
  pivot: {{ type: revolute, between: [ground, crank] }}
  elbow: {{ type: revolute, between: [crank.end, coupler] }}
  knee: {{ type: revolute, between: [coupler.end, rocker.end] }}
  foot: {{ type: revolute, between: [ground, rocker], at: [1, -0.6] }}
devices:
  control: {device}
forces: {{ drive: {{ type: motor, joint: pivot, value: {torque} }} }}
outputs: [pivot.angle, torque: {torque}]
solve: {{ until: 1 s, record: 0.1 s, integrator: dopri5, tolerance: 1e-11 }}
"""
CONTROLLER = """tenon: 1
name: Speed controller
inputs: { angle: { unit: rad }, target: { unit: rad } }
devices:
  loop: { type: pid, target: target, measured: angle, kp: 40, ki: 5, kd: 4, filter: 10 ms }
outputs: [torque: loop.y * 1 N m]
solve: { until: 1 s, record: 0.1 s, tolerance: 1e-11 }
"""


class Controller(Models):
    """The worked example of docs/fmi.md: a controller that was made elsewhere, on a four-bar linkage."""

    def test_controller_on_a_four_bar(self):
        self.write("controller.yaml", CONTROLLER)
        done = self.run_program("export", "controller.yaml", "-o", "controller.fmu", "--fmi", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        own = "{ type: pid, target: 0.5 rad, measured: pivot.angle, kp: 40, ki: 5, kd: 4, filter: 10 ms }"
        _, uncut = self.rows(self.write("own.yaml", FOUR_BAR.format(device=own, torque="control.y * 1 N m")))
        fmu = "{ use: controller.fmu, inputs: { angle: pivot.angle, target: 0.5 rad } }"
        _, cut = self.rows(self.write("fmu.yaml", FOUR_BAR.format(device=fmu, torque="control.torque")))
        self.assertGreater(abs(uncut[-1][1]), 0.1)
        self.assertLess(max(abs(a[1] - b[1]) for a, b in zip(uncut, cut, strict=True)), 1e-8)


    def test_sampled_controller(self):
        """Samples are time events of the FMU, the limits of its output event indicators: as with own devices."""
        own = "{ type: discrete-pid, period: 50 ms, target: 0.5 rad, measured: pivot.angle, kp: 40, kd: 4, low: -3, high: 3 }"
        _, uncut = self.rows(self.write("own.yaml", FOUR_BAR.format(device=own, torque="control.y * 1 N m")))
        self.write("sampled.yaml", CONTROLLER.replace("type: pid", "type: discrete-pid, period: 50 ms").replace(
            "ki: 5, kd: 4, filter: 10 ms", "kd: 4, low: -3, high: 3"))
        for version in "23":
            done = self.run_program("export", "sampled.yaml", "-o", "sampled.fmu", "--fmi", version)
            self.assertIn("model exchange", done.stdout)
            fmu = "{ use: sampled.fmu, inputs: { angle: pivot.angle, target: 0.5 rad } }"
            _, cut = self.rows(self.write("fmu.yaml", FOUR_BAR.format(device=fmu, torque="control.torque")))
            self.assertGreater(max(abs(row[1]) for row in uncut), 0.1)
            self.assertLess(max(abs(a[1] - b[1]) for a, b in zip(uncut, cut, strict=True)), 1e-8)


BOUNCING = """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {{ shapes: [ {{ half_space: {{ normal: [0, 1] }} }} ] }}
  ball: {{ mass: 1, inertia: 0.01, position: [0, 1], shapes: [ {{ disc: {{ radius: 0.1 }} }} ] }}
contacts: {{ floor: {{ between: [ground, ball], restitution: 0.7 }} }}
outputs: [ball.position.y]
solve: {{ until: {until} }}
"""

BOUNCING_FMU = """\
tenon: 1
dimension: 2
devices: {{ b: {{ use: ball.fmu, kind: me }} }}
outputs: [b.ball.position.y]
solve: {{ until: {until}, tolerance: 1e-9 }}
"""


class Arrays(Models):
    """FMI 3.0: states, inputs, outputs and parameters that are arrays. The guest refuses lists of a wrong length."""

    def arrays(self, more="", third="4"):
        with zipfile.ZipFile(self.path("arrays.fmu"), "w") as archive:
            archive.writestr("modelDescription.xml", ARRAYS.format(more=more, third=third))
            archive.write(os.path.join(os.path.dirname(GUEST), "libfmu_array_guest.so"), "binaries/x86_64-linux/arrays.so")

    def test_elements(self):
        self.arrays()
        grown = 1 - math.exp(-1)
        for integrator in ("dopri5", "cvode"):
            _, rows = self.rows(self.write("m.yaml", ARRAYS_MODEL.format(kind="me", integrator=integrator)))
            for value, gain, u in zip(rows[-1][1:4], (1, 5, 3), (1.5, 3, 4)):
                self.assertAlmostEqual(value, 2 * gain * u * grown + u, delta=1e-7)
            self.assertEqual(rows[-1][4:], [2, 3])
        _, rows = self.rows(self.write("m.yaml", ARRAYS_MODEL.format(kind="cs, period: 0.5 s", integrator="dopri5")))
        for value, gain, u in zip(rows[-1][2:4], (5, 3), (3, 4)):
            self.assertAlmostEqual(value, 2 * gain * u * grown + u, delta=1e-12)
        self.assertEqual(rows[-1][4:], [4, 5])                         # two steps have been made

    def test_refusals_name_the_variable(self):
        clock = '<Clock name="tick" valueReference="8" causality="input" intervalVariability="constant" intervalDecimal="0.1"/>'
        clocked = '<Float64 name="w" valueReference="9" causality="input" variability="discrete" start="0" clocks="8"/>'
        unsized = '<Float64 name="v" valueReference="9" causality="input" start="0"><Dimension valueReference="55"/></Float64>'
        model = self.write("m.yaml", ARRAYS_MODEL.format(kind="me", integrator="dopri5"))
        for more, words in ((clock, "has the clock 'tick': clocks are not supported"), (clocked, "'w', which changes with a clock"),
                            (unsized, "'v' as an array whose size is not known")):
            self.arrays(more)
            done = self.run_program("check", model)
            self.assertIn(words, done.stderr)
        self.arrays()
        self.write("m.yaml", ARRAYS_MODEL.format(kind="me", integrator="dopri5").replace("u[2]", "u[4]"))
        self.assertIn("has no input 'u[4]'", self.run_program("check", "m.yaml").stderr)


class OwnFMUs(Models):
    def setUp(self):
        super().setUp()
        self.write("whole.yaml", WHOLE)
        self.write("load.yaml", LOAD)
        for version in "23":
            done = self.run_program("export", "load.yaml", "-o", f"load{version}.fmu", "--fmi", version)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.whole = self.rows("whole.yaml")[1]

    def cut(self, use, integrator="dopri5", tolerance="1e-12"):
        return self.rows(self.write("cut.yaml", CUT.format(use=use, integrator=integrator, tolerance=tolerance)))

    def test_model_exchange_is_the_uncut_model(self):
        for version in "23":
            names, rows = self.cut(f"load{version}.fmu, kind: me")
            self.assertEqual(names[2], "other.hinge.angle [rad]")
            self.assertLess(self.difference(self.whole, rows), 1e-8)

    def test_rebounds_come_back_however_short_they_are(self):
        """The bounces of a ball end at 2.43 s: 0.4283 s of fall and a flight of 2 * 0.7^k * 0.4283 s after each of them."""
        for until in (1.5, 2.5, 10):                       # the longer the step, the shorter a flight beside it
            self.write("ball.yaml", BOUNCING.format(until=until))
            height = self.rows("ball.yaml")[1][-1][1]
            for version in "23":
                done = self.run_program("export", "ball.yaml", "-o", "ball.fmu", "--fmi", version)
                self.assertEqual(done.returncode, 0, done.stderr)
                _, rows = self.rows(self.write("m.yaml", BOUNCING_FMU.format(until=until)))
                self.assertAlmostEqual(rows[-1][1], height, delta=1e-11)

    def test_implicit_methods_have_the_derivatives(self):
        for integrator, error in (("cvode", 1e-5), ("ida", 1e-5)):
            _, rows = self.cut("load2.fmu, kind: me", integrator, "1e-9")
            self.assertLess(self.difference(self.whole, rows), error)

    def test_co_simulation_converges_with_first_order(self):
        for version in "23":
            errors = [self.difference(self.whole, self.cut(f"load{version}.fmu, kind: cs, period: {h} ms")[1]) for h in (2, 1)]
            self.assertLess(errors[1], 0.03)
            self.assertAlmostEqual(errors[0] / errors[1], 2, delta=0.2)

    def test_connections(self):
        """The same by a list of connections; what is wrong is named, and an edit of the model keeps the list."""
        text = CUT.format(use="load3.fmu, kind: me", integrator="dopri5", tolerance="1e-12").replace(", inputs: { pin: pin.angle }", "")
        good = text.replace("forces:", "connect:\n  - { from: pin.angle, to: other.pin }\nforces:")
        _, rows = self.rows(self.write("cut.yaml", good))
        self.assertLess(self.difference(self.whole, rows), 1e-8)
        for connection, words in (("{ from: pin.angle, to: other.pinn }", "has no input 'pinn'; did you mean 'pin'?"),
                                  ("{ from: pin.angle, to: another.pin }", "'another.pin' is not DEVICE.INPUT"),
                                  ("{ to: other.pin }", "needs 'from' and 'to'"), ("{ from: 1 s, to: other.pin }", "time"),
                                  ("{ from: 1, to: other.pin }\n  - { from: 2, to: other.pin }", "'other.pin' is given twice")):
            done = self.run_program("check", self.write("m.yaml", good.replace("{ from: pin.angle, to: other.pin }", connection)))
            self.assertRegex(done.stderr, r"m.yaml:\d+:\d+: error: .*" + words.replace("?", r"\?"))
        s = tenon.load(self.path("cut.yaml")).session()
        s.apply({"set": {"arm.mass": 3}})
        self.assertIn("{ from: pin.angle, to: other.pin }", s.text)
        tenon.parse(s.text, self.folder)
        s.apply({"remove": ["pull", "other"]})
        self.assertNotIn("other.pin", s.text)
        tenon.parse(s.text, self.folder)

    def test_motion_out_and_force_in(self):
        """A body inside an FMU that takes force and gives motion, held to the mechanism by a stiff spring: the uncut model's motion."""
        spring = "1e5 N m/rad * (%s - pin.angle) + 100 N m s/rad * (%s - pin.rate)"
        load = LOAD.replace("inputs: { pin: { unit: rad } }", "inputs: { tau: { unit: N m } }").replace("parameters: { k: 20 }\n", "")
        load = load[:load.index("forces:")] + "forces: { back: { type: motor, joint: hinge, value: tau } }\n" \
            "outputs: [angle: hinge.angle, rate: hinge.rate]\nsolve: { until: 2 s, tolerance: 1e-12 }\n"
        self.write("passive.yaml", load)
        self.assertEqual(self.run_program("export", "passive.yaml", "-o", "passive.fmu").returncode, 0)
        whole = WHOLE[:WHOLE.index("forces:")] + "forces:\n  pull: { type: motor, joint: pin, value: %s }\n" \
            "  back: { type: motor, joint: hinge, value: -(%s) }\n" % ((spring % ("hinge.angle", "hinge.rate"),) * 2) + WHOLE[WHOLE.index("outputs:"):]
        text = spring % ("other.angle", "other.rate")
        cut = CUT.format(use="passive.fmu, kind: me", integrator="dopri5", tolerance="1e-12").replace("{ pin: pin.angle }", f"{{ tau: -({text}) }}")
        cut = cut.replace("value: other.tau", f"value: {text}").replace("other.hinge.angle", "other.angle")
        a, b = [self.rows(self.write("m.yaml", t.replace("until: 2 s", "until: 0.5 s")))[1] for t in (whole, cut)]
        self.assertGreater(max(abs(r[1]) for r in a), 0.04)
        self.assertLess(self.difference(a, b), 1e-8)

    def test_parameters(self):
        _, same = self.cut("load2.fmu, kind: me, parameters: { k: 20 }")
        _, other = self.cut("load2.fmu, kind: me, parameters: { k: 25 }")
        self.assertLess(self.difference(self.whole, same), 1e-8)
        self.assertGreater(self.difference(self.whole, other), 1e-3)

    def test_going_back_and_branches(self):
        for use in ("load2.fmu, kind: me", "load3.fmu, kind: cs, period: 5 ms"):
            model = tenon.load(self.write("cut.yaml", CUT.format(use=use, integrator="dopri5", tolerance="1e-10")))
            s = model.session()
            s.advance_to(0.5)
            snapshot = s.snapshot()
            branch = s.branch()
            s.advance_to(1)
            end = s["pin.angle"]
            s.restore(snapshot)
            s.advance_to(1)
            branch.advance_to(1)
            self.assertEqual(s["pin.angle"], end)
            self.assertEqual(branch["pin.angle"], end)

    def test_an_edit_keeps_the_state(self):
        for use in ("load2.fmu, kind: me", "load2.fmu, kind: cs, period: 5 ms"):
            model = tenon.load(self.write("cut.yaml", CUT.format(use=use, integrator="dopri5", tolerance="1e-10")))
            plain, edited = model.session(), model.session()
            plain.advance_to(0.5)
            edited.advance_to(0.5)
            edited.apply({"add": {"bodies": {"far": {"mass": "1 kg", "inertia": "1 kg m^2", "position": [9, 9]}}}})
            plain.advance_to(1)
            edited.advance_to(1)
            self.assertAlmostEqual(plain["pin.angle"], edited["pin.angle"], delta=1e-6)

    def test_linearize_sees_the_states_of_the_fmu(self):
        model = tenon.load(self.write("cut.yaml", CUT.format(use="load2.fmu, kind: me", integrator="dopri5", tolerance="1e-10")))
        whole = tenon.load(self.path("whole.yaml"))
        cut = sorted(model.session().linearize().eigenvalues(), key=lambda z: (abs(z), z.imag))
        uncut = sorted(whole.session().linearize().eigenvalues(), key=lambda z: (abs(z), z.imag))
        for value in uncut:
            self.assertLess(min(abs(value - z) for z in cut), 1e-5 * max(1, abs(value)), (uncut, cut))


ARM = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: { arm: { mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0] } }
joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0] } }
inputs: { minus: { unit: N m } }
forces: { pull: { type: motor, joint: pin, value: -minus } }
outputs: [pin.angle]
solve: { until: 2 s, record: 0.1 s, tolerance: 1e-12 }
"""
SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="1.0" name="Two arms" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
  xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping">
<ssd:System name="root">
  <ssd:Connectors><ssd:Connector name="pin angle" kind="output"><ssc:Real unit="rad"/></ssd:Connector>
    <ssd:Connector name="hinge" kind="output"><ssc:Real unit="rad"/></ssd:Connector>
    <ssd:Connector name="load" kind="input"><ssc:Real unit="Nm"/></ssd:Connector></ssd:Connectors>
  <ssd:ParameterBindings><ssd:ParameterBinding source="k.ssv"><ssd:ParameterMapping><ssm:ParameterMapping version="1.0">
    <ssm:MappingEntry source="tenth" target="inner.load.k"><ssc:LinearTransformation factor="10"/></ssm:MappingEntry>
    <ssm:MappingEntry source="other" target="inner.load.text"/>
    </ssm:ParameterMapping></ssd:ParameterMapping></ssd:ParameterBinding></ssd:ParameterBindings>
  <ssd:Elements>
    <ssd:Component name="arm" type="application/x-fmu-sharedlibrary" source="resources/arm.fmu" implementation="ModelExchange"/>
    <ssd:System name="inner">
      <ssd:Connectors><ssd:Connector name="in" kind="input"><ssc:Real/></ssd:Connector>
        <ssd:Connector name="out" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
      <ssd:Elements><ssd:Component name="load" source="resources/load.fmu"><ssd:Connectors>
        <ssd:Connector name="hinge.angle" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component></ssd:Elements>
      <ssd:Connections><ssd:Connection startConnector="in" endElement="load" endConnector="pin"/>
        <ssd:Connection startElement="load" startConnector="tau" endConnector="out"><ssc:LinearTransformation factor="-1"/>
        </ssd:Connection>
        <ssd:Connection startElement="load" startConnector="hinge.angle" endConnector="hinge"/></ssd:Connections>
    </ssd:System>
  </ssd:Elements>
  <ssd:Connections>
    <ssd:Connection startElement="arm" startConnector="pin.angle" endElement="inner" endConnector="in"/>
    <ssd:Connection startElement="inner" startConnector="out" endElement="arm" endConnector="minus"/>
    <ssd:Connection startElement="arm" startConnector="pin.angle" endConnector="pin angle"/>
    <ssd:Connection startElement="inner" startConnector="hinge" endConnector="hinge"/>
  </ssd:Connections>
</ssd:System>
<ssd:Units><ssc:Unit name="Nm"><ssc:BaseUnit kg="1" m="2" s="-2"/></ssc:Unit></ssd:Units>
<ssd:DefaultExperiment startTime="0" stopTime="2"/>
</ssd:SystemStructureDescription>"""
VALUES = """<ssv:ParameterSet version="1.0" name="k" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"><ssv:Parameters>
<ssv:Parameter name="tenth"><ssv:Real value="2"/></ssv:Parameter><ssv:Parameter name="other"><ssv:Binary value="x"/></ssv:Parameter>
</ssv:Parameters></ssv:ParameterSet>"""


FREE = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: { load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0.05], position: [0, 0] } }
inputs: { fx: { unit: N }, fy: { unit: N }, tau: { unit: N m } }
forces: { push: { type: force, on: load, value: [fx, fy] }, twist: { type: torque, on: load, value: tau } }
outputs: [x: load.position.x, y: load.position.y, vx: load.velocity.x, vy: load.velocity.y, phi: load.angle, w: load.angular_velocity]
"""
HINGED = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: { load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0] } }
joints: { hinge: { type: revolute, between: [ground, load], at: [2, 0] } }
inputs: { tau: { unit: N m } }
forces: { back: { type: motor, joint: hinge, value: tau } }
outputs: [angle: hinge.angle, rate: hinge.rate]
solve: { tolerance: 1e-12 }
"""
ELBOW = """tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies: { arm: { mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0], frames: { tip: { at: [1, 0] } } }%s }
joints:
  pin: { type: revolute, between: [ground, arm], at: [0, 0] }
  elbow: { type: revolute, between: [arm.tip, %s] }
%soutputs: [pin.angle, elbow.angle, elbow.reaction.force.y]
solve: { until: 1 s, record: 0.1 s, integrator: %s, tolerance: 1e-12, absolute_tolerance: 1e-12 }
"""
ALL_OF_IT = "x: x, vx: vx, fx: fx, y: y, vy: vy, fy: fy, turn: phi, rate: w, torque: tau"


class Ports(Models):
    """FMUs that take forces and give motion, held by joints."""

    def setUp(self):
        super().setUp()
        self.write("free.yaml", FREE)
        self.assertEqual(self.run_program("export", "free.yaml", "-o", "free.fmu").returncode, 0)

    def elbow(self, port=ALL_OF_IT, integrator="dopri5"):
        use = "subsystems: { load: { use: free.fmu, at: [1, 0], ports: { shaft: { %s } } } }\n" % port
        return ELBOW % ("", "load.shaft", use, integrator)

    def test_motion_of_the_uncut_model(self):
        body = ", load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0.05] }"
        whole = self.rows(self.write("m.yaml", ELBOW % (body, "load", "", "dop853")))[1]
        for integrator in ("dopri5", "dop853"):
            self.assertLess(self.difference(whole, self.rows(self.write("m.yaml", self.elbow(integrator=integrator)))[1]), 1e-9)
        port = ALL_OF_IT.replace("x: x, ", "").replace("y: y, ", "").replace("turn: phi, ", "")
        self.assertLess(self.difference(whole, self.rows(self.write("m.yaml", self.elbow(port)))[1]), 1e-9)

    def test_rigid_gear_to_a_body_on_joints_of_its_own(self):
        self.write("load.yaml", HINGED)
        self.assertEqual(self.run_program("export", "load.yaml", "-o", "load.fmu", "--fmi", "3").returncode, 0)
        text = HINGED.replace("bodies: {", "bodies: { arm: { mass: 2 kg, inertia: 0.2 kg m^2, com: [0.5, 0] },").replace(
            "joints: {", "joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0] }, "
            "gear: { type: gear, joints: [pin, hinge], ratio: 3 },")
        end = "outputs: [pin.angle, hinge.angle]\nsolve: { until: 1 s, record: 0.1 s, integrator: dop853, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n"
        whole = text[:text.index("inputs:")] + end
        cut = whole.replace(", load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0] }", "").replace("[ground, load]", "[ground, load.shaft]")
        cut += "subsystems: { load: { use: load.fmu, at: [2, 0], ports: { shaft: { turn: angle, rate: rate, torque: tau } } } }\n"
        a, b = [self.rows(self.write("m.yaml", t))[1] for t in (whole, cut)]
        self.assertGreater(max(abs(r[1]) for r in a), 1)
        self.assertLess(self.difference(a, b), 1e-9)

    def test_going_back_branches_and_edits(self):
        path = self.write("m.yaml", self.elbow())
        s = tenon.load(path).session()
        s.advance(0.5)
        start, branch = s.snapshot(), s.branch()
        s.advance(0.5)
        angle = s["elbow.angle"]
        s.restore(start)
        s.advance(0.5)
        branch.advance(0.5)
        self.assertEqual([s["elbow.angle"], branch["elbow.angle"]], [angle, angle])
        s.apply({"remove": "elbow"})
        s.advance(0.2)
        s.undo()
        self.assertEqual(s["elbow.angle"], angle)
        s.save(self.path("run"))
        s.advance(0.3)
        again = tenon.load_session(self.path("run"))
        again.advance(0.3)
        self.assertAlmostEqual(again["elbow.angle"], s["elbow.angle"], delta=1e-9)

    def test_analyses(self):
        m = tenon.load(self.write("m.yaml", self.elbow()))
        self.assertAlmostEqual(m.statics()["pin.reaction.force.y"], 2.5 * 9.81, delta=1e-6)
        body = ", load: { mass: 0.5 kg, inertia: 0.1 kg m^2, com: [0.2, 0.05] }"
        whole = tenon.load(self.write("w.yaml", ELBOW % (body, "load", "", "dopri5")))
        for a, b in zip(m.modes(), whole.modes()):
            self.assertAlmostEqual(a.frequency, b.frequency, delta=1e-6)

    def test_refusals(self):
        for port, message in (("turn: phi, rate: w", "'torque' is missing"), ("turn: phi, rate: wx, torque: tau", "no variable 'wx'"),
                              ("turn: w, rate: w, torque: tau", "'w' is in 1/s, not in rad"), ("rate: w, torque: u", "no input 'u'"),
                              ("rate: phi, torque: tau", "does not accelerate"), ("vz: vx, fz: fx", "do not move along z"),
                              ("vx: vx, fx: fx, vy: vx, fy: fy", "one direction"), ("vx: vx, fx: fx, vy: vy, fy: tau", "'tau' is in"),
                              ("", "no port moves")):
            done = self.rows_of_error(self.elbow(port))
            self.assertIn(message, done)
            self.assertRegex(done, r"m\.yaml:\d+:\d+: error: (subsystem|component) 'load'")
        self.assertIn("no mirror image", self.rows_of_error(self.elbow().replace("at: [1, 0], ports", "at: [1, 0], isolate: yes, mirror: x, ports")))
        self.assertIn("is for FMUs", self.rows_of_error(self.elbow().replace("free.fmu", "free.yaml")))
        self.assertIn("'ports' is missing", self.rows_of_error(self.elbow().replace("ports: { shaft: { %s } }" % ALL_OF_IT, "enabled: yes")))
        self.write("late.yaml", FREE.replace("vx: load", "vx: 1 m/s/N * fx + load"))
        self.assertEqual(self.run_program("export", "late.yaml", "-o", "late.fmu").returncode, 0)
        self.assertIn("follows forces at once", self.rows_of_error(self.elbow("vx: vx, fx: fx").replace("free.fmu", "late.fmu")))
        self.write("bump.yaml", FREE.replace("outputs:", "events: { e: { when: load.position.x - 1 m, do: [] } }\noutputs:"))
        self.assertEqual(self.run_program("export", "bump.yaml", "-o", "bump.fmu").returncode, 0)
        self.assertIn("has events", self.rows_of_error(self.elbow().replace("free.fmu", "bump.fmu")))

    def rows_of_error(self, text):
        done = self.run_program("run", self.write("m.yaml", text), "-q")
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr


class Runs(Models):
    """Several runs of one model that has an FMU."""

    def setUp(self):
        super().setUp()
        self.write("free.yaml", FREE)
        self.assertEqual(self.run_program("export", "free.yaml", "-o", "free.fmu").returncode, 0)
        self.model = "tenon: 1\ndimension: 2\ndevices: { other: { use: free.fmu, kind: %s, inputs: { tau: 1 } } }\noutputs: [other.phi]\n"

    def test_each_starts_at_the_start(self):
        for kind in ("me", "cs, period: 1 ms"):
            m = tenon.load(self.write("m.yaml", self.model % kind))
            first = m.session()
            first.advance(1)
            second = m.session()
            self.assertEqual(second["other.phi"], 0)
            self.assertEqual(first["other.phi"], first["other.phi"])
            second.advance(1)
            self.assertEqual(second["other.phi"], first["other.phi"])

    def test_branch_of_a_model_that_was_read_by_a_relative_path(self):
        self.write("m.yaml", self.model % "me")
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            s = tenon.load("m.yaml").session()
            s.advance(0.5)
            branch = s.branch()
            s.advance(0.5)
            branch.advance(0.5)
            self.assertEqual(branch["other.phi"], s["other.phi"])
        finally:
            os.chdir(here)


class Switches(Models):
    """Discrete inputs, texts and enumerations. The guest refuses discrete inputs while time goes on."""

    def switch(self, version, name="switch.fmu"):
        with zipfile.ZipFile(self.path(name), "w") as archive:
            archive.writestr("modelDescription.xml", SWITCH2 if version == 2 else SWITCH3)
            archive.write(os.path.join(os.path.dirname(GUEST), "libfmu_switch_guest.so"), f"binaries/{PLATFORMS[version]}/switch.so")

    def test_discrete_inputs_of_model_exchange(self):
        """They change at located events: at zeros of the sine, where the number is rounded to another one, at samples."""
        for version in (2, 3):
            self.switch(version)
            _, rows = self.rows(self.write("m.yaml", SWITCHED.format(kind="me", parameters="{ mode: go, name: abc }")))
            for t, y, _ in rows[1:]:
                on, gear, level = math.sin(10 * t) > 0, math.floor(3 * t + 0.5), 0.3 * math.floor(t / 0.3 + 1e-9)
                if abs(3 * t - gear) < 0.499:
                    self.assertAlmostEqual(y, (2 * t if on else 0) + 100 * gear + 1000 * level + 30000 + 3e6, 6, msg=str(t))
            self.assertIn(rows[-1][2], (10, 11))        # begin, three zeros, three roundings, three samples, perhaps one twice

    def test_parameters(self):
        for version in (2, 3):
            self.switch(version)
            model = SWITCHED.format(kind="cs, period: 50 ms", parameters='{ mode: 3, name: "a: b" }').replace("h.y", "0")
            _, rows = self.rows(self.write("m.yaml", model))
            self.assertAlmostEqual(rows[0][1], 30000 + 4e6, 6)
            for parameters, words in (("{ mode: gone }", "unknown name 'gone'"), ("{ name: [1, 2] }", "whose value is a text"),
                                      ("{ nam: x }", "no variable 'nam'; did you mean 'name'"), ("{ mode: 3 m, name: x }", "mode"),
                                      ("{ blob: x }", "as bytes" if version == 3 else "no variable 'blob'")):
                self.write("m.yaml", SWITCHED.format(kind="me", parameters=parameters))
                done = self.run_program("check", "m.yaml")
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_texts_of_systems(self):
        """Texts and enumerations of SSP; one parameter that a mapping gives to two others."""
        self.switch(2)
        text = SYSTEM[:SYSTEM.index("<ssd:System name")] + """<ssd:System name="s"><ssd:Elements>
<ssd:Component name="a" source="resources/switch.fmu" implementation="CoSimulation"/>
<ssd:Component name="b" source="resources/switch.fmu" implementation="CoSimulation"/></ssd:Elements>
<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
<ssv:Parameter name="word"><ssv:String value="h&#233; &quot;x&quot;"/></ssv:Parameter>
<ssv:Parameter name="kind"><ssv:Enumeration value="go"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>
<ssd:ParameterMapping><ssm:ParameterMapping version="1.0"><ssm:MappingEntry source="word" target="a.name"/>
<ssm:MappingEntry source="word" target="b.name"/><ssm:MappingEntry source="kind" target="b.mode"/></ssm:ParameterMapping>
</ssd:ParameterMapping></ssd:ParameterBinding></ssd:ParameterBindings></ssd:System></ssd:SystemStructureDescription>"""
        with zipfile.ZipFile(self.path("s.ssp"), "w") as archive:
            archive.writestr("SystemStructure.ssd", text)
            archive.write(self.path("switch.fmu"), "resources/switch.fmu")
        done = self.run_program("import", "s.ssp", "-o", "made")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, rows = self.rows(self.write("made/probe.yaml", "tenon: 1\ninclude: mechanism.yaml\noutputs: [a.y, b.y]\nsolve: { until: 1 }\n"))
        self.assertEqual(rows[0][-2:], [10000 + 7e6, 30000 + 7e6])       # seven bytes


class Systems(Models):
    """SSP: FMUs that are connected with each other, as files of other tools have them."""

    def archive(self, text=SYSTEM, **files):
        with zipfile.ZipFile(self.path("s.ssp"), "w") as archive:
            archive.writestr("SystemStructure.ssd", text)
            archive.writestr("k.ssv", VALUES)
            for name, path in files.items():
                archive.write(self.path(path), f"resources/{name}.fmu")

    def test_two_halves_of_a_model(self):
        self.write("arm.yaml", ARM)
        self.write("load.yaml", LOAD.replace("k: 20", "k: 7"))
        self.write("whole.yaml", WHOLE)
        for name in ("arm", "load"):
            self.assertEqual(self.run_program("export", f"{name}.yaml", "-o", f"{name}.fmu").returncode, 0)
        self.archive(arm="arm.fmu", load="load.fmu")
        done = self.run_program("import", "s.ssp", "-o", "made")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 x parameters that are neither numbers nor texts", done.stdout)
        with open(self.path("made/mechanism.yaml")) as file:
            text = " ".join(file.read().split())
        self.assertIn("load: { unit: kg m^2/s^2 }", text)
        self.assertIn("parameters: { k: 20 }", text)
        self.write("made/probe.yaml", "tenon: 1\ninclude: mechanism.yaml\n"
                   "solve: { until: 2 s, record: 0.1 s, integrator: dopri5, tolerance: 1e-12 }\n")
        head, rows = self.rows("made/probe.yaml")
        columns = [next(k for k, name in enumerate(head) if name.startswith(word)) for word in ("t", "pin_angle", "hinge")]
        _, whole = self.rows("whole.yaml")
        self.assertLess(self.difference([[row[k] for k in columns] for row in rows], whole), 1e-8)

    def test_export_and_back(self):
        self.write("load.yaml", LOAD)
        done = self.run_program("export", "load.yaml", "-o", "load.ssp", "--fmi", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([n for n in os.listdir(self.folder) if "part" in n], [])
        done = self.run_program("import", "load.ssp", "-o", "back")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, rows = self.rows("back/model.yaml", "--record", "0.1")
        column = next(k for k, name in enumerate(head) if name.startswith("hinge_angle"))
        _, whole = self.rows("load.yaml")
        self.assertLess(max(abs(a[column] - b[1]) for a, b in zip(rows, whole, strict=True)), 1e-6)

    def test_mistakes(self):
        def refused(text, message, **files):
            self.archive(text, **files)
            done = self.run_program("import", "s.ssp", "-o", "made")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.path("made")))
        self.write("empty.fmu", "")
        refused(SYSTEM, "'resources/arm.fmu' is not in the archive")
        refused(SYSTEM.replace('startElement="arm"', 'startElement="armm"'), "there is no element 'armm'", arm="empty.fmu", load="empty.fmu")
        refused("<a/>", "has no system")
        refused(SYSTEM.replace("x-fmu-sharedlibrary", "x-ssp-package"), "only FMUs are read", arm="empty.fmu", load="empty.fmu")
        circle = SYSTEM.replace('startElement="load" startConnector="tau" endConnector="out"', 'startConnector="in" endConnector="out"'
                                ).replace('startElement="arm" startConnector="pin.angle" endElement="inner"',
                                          'startElement="inner" startConnector="out" endElement="inner"')
        refused(circle, "in a circle", arm="empty.fmu", load="empty.fmu")


class Events(Models):
    def test_events_are_located(self):
        for version in (2, 3):
            for saves in (True, False):
                self.ball(version, saves=saves)
                _, rows = self.rows(self.write("m.yaml", BALL.format(use="ball.fmu, kind: me", until=2)))
                for t, h, y, count, twice in rows:
                    self.assertAlmostEqual(h, exact_ball(t), delta=1e-9)
                    self.assertAlmostEqual(twice, 2 * y, delta=1e-12)
                    self.assertAlmostEqual(count, math.floor(t / 0.25 + 1e-9))

    def test_co_simulation_has_events_inside(self):
        for version in (2, 3):
            self.ball(version)
            _, rows = self.rows(self.write("m.yaml", BALL.format(use="ball.fmu, kind: cs, period: 10 ms", until=2)))
            for t, h, _, count, _ in rows:
                self.assertAlmostEqual(h, exact_ball(t), delta=1e-9)
                self.assertAlmostEqual(count, math.floor(t / 0.25 + 1e-9))

    def test_going_back_without_saved_states_repeats_the_calls(self):
        for saves in (True, False):
            for kind in ("me", "cs, period: 10 ms"):
                self.ball(saves=saves)
                s = tenon.load(self.write("m.yaml", BALL.format(use=f"ball.fmu, kind: {kind}", until=2))).session()
                s.advance_to(0.6)
                snapshot = s.snapshot()
                s.advance_to(1.5)
                s.restore(snapshot)
                s.advance_to(1.1)
                self.assertAlmostEqual(s["ball.h"], exact_ball(1.1), delta=1e-9)

    def test_loop_through_feedthrough_is_solved(self):
        self.ball()
        text = BALL.format(use="ball.fmu, kind: me, inputs: { u: 1 + ball.y }", until=0.1)       # y = 0.5 (1 + y) + h
        _, rows = self.rows(self.write("m.yaml", text))
        for _, h, y, _, _ in rows:
            self.assertAlmostEqual(y, 1 + 2 * h, delta=1e-9)

    def test_names_and_units_of_outputs(self):
        self.ball()
        text = BALL.format(use='ball.fmu, kind: me, outputs: { h: "h[cm]", y: y, count: count }', until=0.1)
        names, rows = self.rows(self.write("m.yaml", text))
        self.assertEqual(names[1], "ball.h [m]")
        self.assertAlmostEqual(rows[0][1], 0.01, delta=1e-15)

    def test_two_devices_share_nothing(self):
        self.ball()
        text = BALL.format(use="ball.fmu, kind: me", until=1).replace("  twice", "  slow: { use: ball.fmu, kind: me, parameters: { e: 0.5 } }\n  twice")
        _, rows = self.rows(self.write("m.yaml", text.replace("ball.y,", "slow.h,").replace("2 * ball.y", "ball.h")))
        self.assertAlmostEqual(rows[-1][1], exact_ball(1), delta=1e-9)
        self.assertAlmostEqual(rows[-1][2], exact_ball(1, 0.5), delta=1e-9)


class Troubles(Models):
    def refuses(self, expected, use="ball.fmu, kind: me", command="run"):
        model = self.write("m.yaml", BALL.format(use=use, until=1))
        done = self.run_program(command, model, *(["-o", "out.csv"] if command == "run" else []))
        self.assertGreater(done.returncode, 0, done.stdout)
        self.assertIn(expected, done.stderr)
        self.assertRegex(done.stderr, r"\.(yaml|fmu):")
        return done.stderr

    def test_archives(self):
        with open(self.ball(), "rb") as file:
            whole = file.read()
        for cut in (0, 10, len(whole) // 2, len(whole) - 5):
            with open(self.path("ball.fmu"), "wb") as file:
                file.write(whole[:cut])
            self.refuses("archive", command="check")
        for name in ("../evil.so", "/etc/evil.so", "resources/../../evil", "a\\..\\evil"):
            self.ball()
            with zipfile.ZipFile(self.path("ball.fmu"), "a") as archive:
                archive.writestr(name, "x")
            self.refuses("leads out of its folder", command="check")
        self.ball()
        with zipfile.ZipFile(self.path("ball.fmu"), "a") as archive:
            link = zipfile.ZipInfo("resources/link")
            link.create_system, link.external_attr = 3, 0o120777 << 16
            archive.writestr(link, "/etc/passwd")
        self.refuses("is a link", command="check")

    def test_descriptions(self):
        for text, expected in (("<a/>", "not a description of FMI 2.0 or 3.0"), ("<a", "m.fmu" if False else "ball.fmu"),
                               (BALL2.replace('fmiVersion="2.0"', 'fmiVersion="1.0"'), "not a description of FMI 2.0 or 3.0"),
                               (BALL2.replace('modelName="ball"', 'modelName="ball" x="y"').replace('index="3"', 'index="99"'), "names a variable '99'"),
                               (BALL2.replace('derivative="1"', ''), "does not say of which state"),
                               ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "declares entities")):
            self.ball(text=text.replace("{", "{{").replace("}", "}}") if "kinds" not in text else text)
            self.refuses(expected, command="check")
        self.ball(library=False)
        self.refuses("has no library 'ball' for this platform", command="check")
        self.ball(kinds="CoSimulation")
        self.refuses("offers co-simulation (kind: cs) only", command="check")
        self.refuses("such as period: 1 ms", use="ball.fmu, kind: cs", command="check")
        self.ball()
        self.refuses("has no variable 'hh'; did you mean 'h'?", use="ball.fmu, outputs: { a: hh }", command="check")
        self.refuses("the FMU has no input 'w'", use="ball.fmu, inputs: { w: 1 }", command="check")
        self.refuses("not a parameter that can be set", use="ball.fmu, parameters: { y: 1 }", command="check")
        self.refuses("cannot read", use="none.fmu", command="check")

    def test_only_from_the_folder_of_the_model(self):
        self.ball()
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        with open(os.path.join(inner, "m.yaml"), "w") as file:
            file.write(BALL.format(use="../ball.fmu, kind: me", until=1))
        # the studio confines its sessions to the folder of the model; the program, run by its user, does not
        self.assertEqual(self.run_program("check", "inner/m.yaml").returncode, 0)
        done = self.run_program("check", "inner/m.yaml", "--no-plugins")
        self.assertGreater(done.returncode, 0)
        self.assertIn("has native code, which is refused here", done.stderr)

    def test_wrong_token(self):
        self.ball(text=BALL2.replace("{{ball}}", "other"))
        for use in ("kind: me", "kind: cs, period: 10 ms"):
            self.refuses("fmi2Instantiate gives no instance", use="ball.fmu, " + use)

    def test_numbers_that_are_none(self):
        for version, text in ((2, BALL2), (3, BALL3)):
            self.ball(version, text=text.replace('start="0.8"', 'start="0,8"'))
            self.refuses("the start value '0,8' is no number", command="check")
            self.ball(version, text=text.replace('valueReference="8"', 'valueReference="-8"'))
            self.refuses("the valueReference '-8' is no number", command="check")

    def test_library_of_another_platform(self):
        self.ball(library=False)
        with zipfile.ZipFile(self.path("ball.fmu"), "a") as archive:
            archive.writestr("binaries/linux64/ball.so", b"\x7fELF" + struct.pack("<BBB", 1, 1, 1) + bytes(100))
        self.refuses("its library cannot be loaded")

    def test_mischief(self):
        self.ball()
        me, cs = "ball.fmu, kind: me, time_limit: 0.3 s, parameters: { mischief: %d }", \
                 "ball.fmu, kind: cs, period: 10 ms, time_limit: 0.3 s, parameters: { mischief: %d }"
        for number, use, expected in (
                (1, me, "output 'y' is not a finite number"), (1, cs, "output 'y' is not a finite number"),
                (2, me, "fmi2GetDerivatives returns Error"), (2, cs, "fmi2DoStep returns Error"),
                (3, me, "fmi2GetDerivatives returns Discard"), (3, cs, "fmi2DoStep returns Discard"),
                (4, me, "fmi2GetDerivatives returns Fatal"), (4, cs, "fmi2DoStep returns Fatal"),
                (5, me, "does not come back within 0.3 s in 'fmi2GetDerivatives'"),
                (5, cs, "does not come back within 0.3 s in 'fmi2DoStep'"),
                (6, me, "crashes in 'fmi2GetDerivatives' (Segmentation fault)"),
                (6, cs, "crashes in 'fmi2DoStep' (Segmentation fault)"),
                (8, cs, "ends its process in 'fmi2DoStep'"), (9, me, "the rate of one of its states is not a finite number"),
                (10, me, "its events do not come to an end")):
            with self.subTest(number=number, use=use):
                self.refuses(expected, use=use % number)

    def test_a_crash_at_the_end_loses_nothing(self):
        self.ball()
        _, rows = self.rows(self.write("m.yaml", BALL.format(use="ball.fmu, kind: me, parameters: { mischief: 7 }", until=1)))
        self.assertAlmostEqual(rows[-1][1], exact_ball(1), delta=1e-9)

    def test_folders_of_killed_programs_are_removed(self):
        self.ball()
        self.write("m.yaml", BALL.format(use="ball.fmu, kind: me, parameters: { e: 1 }", until=1e9))     # bounces for ever
        def start():
            child = subprocess.Popen([PROGRAM, "run", "m.yaml", "--quiet", "-o", "out.csv"], cwd=self.folder, stderr=subprocess.DEVNULL)
            self.addCleanup(child.kill)
            end = time.monotonic() + 60
            while not os.path.exists(self.path("out.csv.part")):
                self.assertIsNone(child.poll())
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            return child
        names = lambda: sorted(os.listdir(self.unpacked))
        child = start()
        child.kill()
        child.wait()
        killed = names()
        self.assertEqual(len(killed), 1)
        os.utime(os.path.join(self.unpacked, killed[0]), (1, 1))                   # long ago
        os.remove(self.path("out.csv.part"))
        child = start()
        running = names()
        self.assertEqual(len(running), 1)
        self.assertNotEqual(running, killed)
        os.utime(os.path.join(self.unpacked, running[0]), (1, 1))                  # old, but in use
        self.write("short.yaml", BALL.format(use="ball.fmu, kind: me", until=0.1))
        done = self.run_program("run", "short.yaml", "-o", "other.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(names(), running)
        child.terminate()
        child.wait()
        self.assertEqual(names(), [])

    def test_the_last_good_state_stays(self):
        self.ball()
        s = tenon.load(self.write("m.yaml", BALL.format(use="ball.fmu, kind: cs, period: 10 ms, parameters: { mischief: 6 }", until=1))).session()
        with self.assertRaises(tenon.Error):
            s.advance_to(1)
        self.assertGreater(s.t, 0.05)
        self.assertLess(s.t, 0.12)
        self.assertAlmostEqual(s["ball.h"], exact_ball(s.t), delta=0.1)

    def test_damaged_descriptions_and_archives_never_crash(self):
        """Random damage, always the same: an error with a message, or a model that can be loaded."""
        rng = random.Random(21)
        model = self.write("m.yaml", BALL.format(use="ball.fmu, kind: me", until=1))
        words = ["", "-1", "99999999999", "nan", "index", "<", ">", '"', "&amp;", "dependencies", "\x00", "é" * 300, "1e999"]
        refused = 0
        for trial in range(150):
            text = BALL2 if trial % 2 else BALL3
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text))
                text = text[:at] + rng.choice(words) + text[at + rng.randint(0, 12):]
            try:
                self.ball(2 if trial % 2 else 3, text=text.replace("{kinds}", "KINDS").replace("{", "{{").replace("}", "}}")
                          .replace("KINDS", "{kinds}"))
            except UnicodeEncodeError:
                continue
            if trial % 3 == 0:                         # and bytes of the archive itself
                with open(self.path("ball.fmu"), "r+b") as file:
                    size = file.seek(0, 2)
                    for _ in range(3):
                        file.seek(rng.randrange(size))
                        file.write(bytes([rng.randrange(256)]))
            try:
                tenon.load(model)
            except tenon.Error as error:
                refused += 1
                self.assertTrue(str(error).strip())
        self.assertGreater(refused, 50)

    def test_warns_about_the_order(self):
        self.ball(kinds="CoSimulation")
        done = self.run_program("check", self.write("m.yaml", BALL.format(use="ball.fmu, period: 10 ms", until=1)))
        self.assertIn("first power of 'period'", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
