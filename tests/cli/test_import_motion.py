"""Robots that are imported and set in motion as they are: many branches, stops that press at the start, losses that are stiff.

usage: test_import_motion.py PROGRAM [unittest options]
"""
import csv
import json
import sys
import unittest
from pathlib import Path

import test_import
from test_import import Case

X, Y, Z = "1 0 0", "0 1 0", "0 0 1"


def link(name, mass, centre, moments):
    return (f'<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/><inertia ixx="{moments[0]}" iyy="{moments[1]}" '
            f'izz="{moments[2]}" ixy="0" ixz="0" iyz="0"/></inertial></link>\n')


def joint(name, parent, child, place, axis, limits=None, damping=0.0, leader=None, turned="0 0 0"):
    bounds = f'<limit lower="{limits[0]}" upper="{limits[1]}" effort="9" velocity="9"/>' if limits else ""
    mimic = f'<mimic joint="{leader}" multiplier="1" offset="0"/>' if leader else ""
    return (f'<joint name="{name}" type="{"revolute" if limits else "continuous"}"><origin xyz="{place}" rpy="{turned}"/><axis xyz="{axis}"/>'
            f'<parent link="{parent}"/><child link="{child}"/>{bounds}<dynamics damping="{damping}"/>{mimic}</joint>\n')


def gripper(palm, side):
    """Two fingers with two tips that follow the first one, closed at the start."""
    lead, text = f"{side}_close", ""
    for name, parent, place, axis, mass, centre, damping in (
            ("left", palm, "0.077 0.01 0", Z, 0.171, "0.036 0.0173 -0.0016", 0.2),
            ("right", palm, "0.077 -0.01 0", "0 0 -1", 0.174, "0.0358 -0.0174 -0.001", 0.2),
            ("left_tip", f"{side}_left", "0.091 0.005 0", "0 0 -1", 0.044, "0.004 0.003 0", 0.01),
            ("right_tip", f"{side}_right", "0.091 -0.005 0", Z, 0.044, "0.004 -0.003 0", 0.01)):
        moments = (8e-6, 1e-5, 1.5e-5) if "tip" in name else (7.8e-5, 2e-4, 1.8e-4)
        text += link(f"{side}_{name}", mass, centre, moments)
        text += joint(lead if name == "left" else f"{side}_{name}_turn", parent, f"{side}_{name}", place, axis, (0, 0.548), damping,
                      None if name == "left" else lead)
    return text


def straight_arms():
    """Two arms of seven hinges, stretched: axes coincide, and elbows, wrists and grippers press on their stops."""
    text = '<robot name="arms">\n' + link("torso", 36, "-0.1 0 -0.09", (2.8, 2.5, 0.5))
    for side, way, pan, roll in (("right", -1, (-2.29, 0.71), (-3.9, 0.8)), ("left", 1, (-0.71, 2.29), (-0.8, 3.9))):
        for name, above, place, axis, mass, centre, moments, limits, damping in (
                ("shoulder", "torso", f"0 {0.188 * way} 0", Z, 25.8, "-0.0012 0.0245 -0.098", (0.87, 0.88, 0.28), pan, 10),
                ("lift", "shoulder", "0.1 0 0", Y, 2.75, "0.022 -0.0266 -0.0313", (0.021, 0.0213, 0.0198), (-0.52, 1.4), 10),
                ("upper", "lift", "0 0 0", X, 6.1, "0.21 -0.016 0", (0.026, 0.09, 0.09), roll, 0.1),
                ("elbow", "upper", "0.4 0 0", Y, 1.9, "0.01 0.0003 -0.012", (0.0035, 0.0044, 0.0036), (-2.32, 0), 1),
                ("fore", "elbow", "0 0 0", X, 2.68, "0.181 0 -0.009", (0.0137, 0.026, 0.027), None, 0.1),
                ("wrist", "fore", "0.321 0 0", Y, 0.61, "-0.0016 0 -0.0008", (6.5e-4, 2e-4, 6.4e-4), (-2.09, 0), 0.1),
                ("palm", "wrist", "0 0 0", X, 0.68, "0.056 0.0005 -0.001", (0.011, 0.0123, 0.0125), None, 0.1)):
            parent = above if above == "torso" else f"{side}_{above}"
            text += link(f"{side}_{name}", mass, centre, moments)
            text += joint(f"{side}_{name}_turn", parent, f"{side}_{name}", place, axis, limits, damping)
        text += gripper(f"{side}_palm", side)
    return text + "</robot>\n"


def hands():
    """Two hands on one torso, with a finger whose damping settles within 1e-5 s, and stops at its start."""
    text = '<robot name="hands">\n' + link("base", 10, "0 0 0", (1, 1, 1)) + link("torso", 61, "-0.06 0.002 0.3", (1.5, 1.6, 0.56))
    text += joint("back", "base", "torso", "0 0 0", Y, (-0.5, 0.5), 0.1)
    for side, way in (("left", 1), ("right", -1)):
        for name, parent, place, axis, mass, centre, moments, limits, damping, turned in (
                ("fore", None, f"0.1 {0.4 * way} 0.48", Y, 3.388, f"0 {-0.065 * way} 0", (0.0066, 0.0036, 0.0066), (0, 3), 0.1, "0 0 0"),
                ("hand", "fore", f"0 {0.119 * way} 0.0092", X, 3.8, f"0 {0.06 * way} 0.003", (0.02, 0.006, 0.02), (-1, 1), 0.1, "0 0 0"),
                ("root", "hand", f"-0.02 {0.17 * way} 0.01", Y, 0.1, "-0.01 0 0", (1.8e-5, 2.5e-5, 2.5e-5), (-0.25, 0.16), 1,
                 f"{3.14159 * (way < 0)} 0 {1.57 * way}"),
                ("bone", "root", "0 0 0", Z, 0.047, "0.0282 -0.0155 0", (5e-6, 6.4e-5, 6e-5), (0, 3), 1, "0 0 0"),
                ("tip", "bone", "0.05 -0.028 0", Z, 0.033, "0.0217 0.0005 0", (3.5e-6, 2.2e-5, 2e-5), (0, 3.1), 1, "0 0 -0.52")):
            text += link(f"{side}_{name}", mass, centre, moments)
            text += joint(f"{side}_{name}_turn", f"{side}_{parent}" if parent else "torso", f"{side}_{name}", place, axis, limits, damping,
                          turned=turned)
    return text + "</robot>\n"


class Motion(Case):
    def run_on(self, until, **solve):
        """The last row of a run of the imported model, and what the run tells of itself."""
        head, line = (self.folder / "out/model.yaml").read_text().split("solve: {")
        more = "".join(f"{key}: {value}, " for key, value in solve.items())
        self.write("out/probe.yaml", head + "solve: {" + more + line)
        told = json.loads(self.tenon("run", "out/probe.yaml", "--until", until, "-o", "run.csv", "--json").stdout)
        rows = list(csv.reader((self.folder / "run.csv").read_text().splitlines()))
        return [float(value) for value in rows[-1]], told

    def test_straight_arms_begin_to_fall(self):
        self.bring("arms.urdf", straight_arms())
        last, told = self.run_on(0.5)
        self.assertAlmostEqual(last[0], 0.5)
        other, _ = self.run_on(0.5, solver="hierarchical")
        for a, b in zip(last, other):
            self.assertAlmostEqual(a, b, delta=2e-4)
        self.assertLess(told["summary"]["evaluations"], 10000)

    def test_stops_of_stiff_fingers_settle(self):
        self.bring("hands.urdf", hands())
        last, told = self.run_on(0.3)
        self.assertAlmostEqual(last[0], 0.3)
        self.assertEqual(told["summary"]["holds"], 0)       # no step in time, which is of first order
        self.assertLess(told["summary"]["steps"], 2000)
        self.assertLess(len(told["impacts"]), 50)


if __name__ == "__main__":
    test_import.PROGRAM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
