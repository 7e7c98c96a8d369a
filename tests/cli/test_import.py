"""tenon import from outside: what becomes of machines in other formats, and of files that are wrong.

usage: test_import.py PROGRAM [unittest options]
"""
import base64
import csv
import io
import json
import math
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import assemblies
import robots

PROGRAM = ""
TIMEOUT = 60
OK, MODEL, USAGE, FILE = 0, 1, 2, 3


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def tenon(self, *words, status=OK):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              timeout=TIMEOUT)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def bring(self, name, content, *words):
        """Imports a text; the report as JSON."""
        self.write(name, content)
        return json.loads(self.tenon("import", name, "-o", "out", "--json", *words).stdout)

    def refused(self, name, content, *texts, status=MODEL, words=()):
        """Is refused with a message that has the texts, and leaves nothing behind."""
        self.write(name, content)
        before = sorted(path.name for path in self.folder.iterdir())
        done = self.tenon("import", name, "-o", "out", *words, status=status)
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual(before, sorted(path.name for path in self.folder.iterdir()))
        return done.stderr

    def at_end(self, channels, until):
        """Channels at the end of a run."""
        text = (self.folder / "out/model.yaml").read_text().split("solve:")[0]
        self.write("out/probe.yaml", text + f"outputs: [{', '.join(channels)}]\n"
                   f"solve: {{ until: {until}, tolerance: 1e-11, absolute_tolerance: 1e-11 }}\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
        last = list(csv.DictReader((self.folder / "run.csv").read_text().splitlines()))[-1]
        values = {key.split(" ")[0]: float(value) for key, value in last.items()}
        return [values[name] for name in channels]

    def mass_matrix(self, coordinates):
        """M of the imported model: the inverse of what unit efforts along the coordinates do to their accelerations."""
        forces = "".join(f"  effort_{k}: {{ type: motor, joint: {name}, value: 0 }}\n" for k, name in enumerate(coordinates))
        text = (self.folder / "out/model.yaml").read_text().split("solve:")[0]
        self.write("out/probe.yaml", text + "forces:\n" + forces)
        done = self.tenon("linearize", "out/probe.yaml", "--json", "--inputs",
                          ",".join(f"effort_{k}.value" for k in range(len(coordinates))), "--outputs",
                          ",".join(f"{name}.acceleration" for name in coordinates))
        return inverse(json.loads(done.stdout)["D"])

    def motion(self, coordinates, until=0.5):
        """Coordinates and their rates at the end of a run."""
        text = (self.folder / "out/model.yaml").read_text().split("solve:")[0]
        outputs = ", ".join(f"{name}, {name}.rate" for name in coordinates)
        self.write("out/probe.yaml", text + f"outputs: [{outputs}]\n"
                   f"solve: {{ until: {until}, tolerance: 1e-11, absolute_tolerance: 1e-11 }}\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
        return [float(v) for v in list(csv.reader((self.folder / "run.csv").read_text().splitlines()))[-1]]

    def same(self, a, b, tolerance):
        flat = lambda m: [v for row in m for v in (row if isinstance(row, list) else [row])]
        for x, y in zip(flat(a), flat(b), strict=True):
            self.assertAlmostEqual(x, y, delta=tolerance)


def inverse(a):
    n = len(a)
    m = [list(map(float, row)) + [float(i == k) for k in range(n)] for i, row in enumerate(a)]
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(m[r][c]))
        m[c], m[p] = m[p], m[c]
        m[c] = [v / m[c][c] for v in m[c]]
        for r in range(n):
            if r != c:
                m[r] = [a - m[r][c] * b for a, b in zip(m[r], m[c])]
    return [row[n:] for row in m]


ARM = robots.arm()
COORDINATES = [f"{l.joint}.{'angle' if l.kind == 'revolute' else 'position'}" for l in ARM if l.kind != "fixed"]


class SameRobot(Case):
    """One robot in several formats: the mass matrix of an independent computation, and the same motion."""

    FORMATS = (("arm.urdf", robots.urdf(ARM)), ("arm.xml", robots.mjcf(ARM)), ("arm.sdf", robots.sdf(ARM)),
               ("arm.usda", robots.usda(ARM)), ("arm.adm", robots.adm(ARM)))

    def test_mass_matrix(self):
        wanted = robots.mass_matrix(ARM)
        for name, content in self.FORMATS:
            with self.subTest(name):
                report = self.bring(name, content)
                self.assertEqual((report["freedoms"], report["redundant"]), (5, 0))
                self.assertEqual(report["moved"], [])
                self.same(self.mass_matrix(COORDINATES), wanted, 1e-9)

    def test_motion(self):
        ends = []
        for name, content in self.FORMATS[:4]:
            self.bring(name, content)
            ends.append(self.motion(COORDINATES))
        self.assertGreater(max(map(abs, ends[0][1:])), 0.5)
        self.same(ends[1], ends[0], 1e-8)
        self.same(ends[2], ends[0], 1e-8)
        self.same(ends[3], ends[0], 1e-8)

    def test_motion_without_damping_of_slides(self):
        """Formats that have no damper along a slide."""
        links = robots.arm()
        for l in links:
            l.damping = l.damping if l.kind == "revolute" else 0.0
        ends = []
        for name, content in (("arm.urdf", robots.urdf(links)), ("arm.adm", robots.adm(links))):
            self.bring(name, content)
            ends.append(self.motion(COORDINATES))
        self.same(ends[1], ends[0], 1e-8)

    def test_report(self):
        report = self.bring("arm.urdf", robots.urdf(ARM))
        used = {j["name"]: j["type"] for j in report["joints"] if j["used"] and not j["merged"]}
        self.assertEqual(used, {l.joint: l.kind for l in ARM if l.kind != "fixed"})
        self.assertEqual(report["moved"], [])
        parts = {b["source"]: b["part_of"] for b in report["bodies"] if "part_of" in b}
        self.assertEqual(parts, {"base": "ground", "tool": "hand"})
        self.assertAlmostEqual(report["mass"], sum(l.mass for l in ARM))

    def test_files_are_in_normal_form(self):
        self.bring("arm.urdf", robots.urdf(ARM))
        self.tenon("format", "--check", "out/model.yaml", "out/mechanism.yaml")


def robot(body, name="r"):
    return f'<robot name="{name}">{body}</robot>'


def link(name, mass=1.0, more=""):
    inertia = 'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"'
    return f'<link name="{name}"><inertial><mass value="{mass}"/><inertia {inertia}/></inertial>{more}</link>'


def joint(name, parent, child, kind="continuous", more=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


class Urdf(Case):
    def test_mimic_and_limits(self):
        body = (link("a") + link("b") + link("c") +
                joint("j1", "a", "b", "revolute", '<axis xyz="0 0 1"/><limit lower="0.5" upper="1.5"/>') +
                joint("j2", "b", "c", "revolute", '<axis xyz="0 0 1"/><limit lower="-2" upper="2"/>'
                      '<mimic joint="j1" multiplier="-0.5" offset="0.1"/>'))
        report = self.bring("r.urdf", robot(body))
        self.assertEqual((report["freedoms"], report["couplings"]), (1, 1))
        self.assertTrue(any("beyond its limits" in n["message"] for n in report["notes"]))
        self.tenon("run", "out/model.yaml", "--until", "0.1", "-o", "x.csv", "--quiet")
        first = dict(zip(*list(csv.reader((self.folder / "x.csv").read_text().splitlines()))[:2]))
        self.assertAlmostEqual(float(first["j1.angle [rad]"]), 0.6, delta=1e-9)
        self.assertAlmostEqual(float(first["j2.angle [rad]"]), -0.5 * 0.6 + 0.1, delta=1e-9)

    def test_free_base(self):
        body = link("a") + link("b") + joint("j", "a", "b")
        self.assertEqual(self.bring("r.urdf", robot(body))["freedoms"], 1)
        self.assertEqual(self.bring("r.urdf", robot(body), "--base=free")["freedoms"], 7)

    def test_keep_fixed(self):
        body = link("a") + link("b") + joint("j", "a", "b") + link("c") + joint("k", "b", "c", "fixed")
        report = self.bring("r.urdf", robot(body), "--keep-fixed")
        self.assertEqual((report["equations"], report["freedoms"]), (11, 1))

    def test_meshes(self):
        tetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        self.write("pkg/package.xml", "<package/>")
        self.write("pkg/meshes/tetra.obj", tetra)
        shape = '<visual><geometry><mesh filename="package://pkg/meshes/tetra.obj" scale="0.1 0.1 0.1"/></geometry></visual>'
        self.write("pkg/urdf/r.urdf", robot(link("a") + link("b", more=shape) + joint("j", "a", "b")))
        report = json.loads(self.tenon("import", "pkg/urdf/r.urdf", "-o", "out", "--json").stdout)
        self.assertEqual([n["message"] for n in report["notes"] if n["severity"] != "note"], [])
        self.assertEqual((self.folder / "out/meshes/tetra.stl").stat().st_size, 84 + 50 * 4)
        self.tenon("check", "out/model.yaml")

    def test_what_is_missing_is_told(self):
        shape = '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>'
        report = self.bring("r.urdf", robot(link("a") + link("b", more=shape) + joint("j", "a", "b")))
        self.assertTrue(any("'package://nowhere/a.stl' was not found" in n["message"] for n in report["notes"]))

    def test_massless_and_impossible(self):
        body = (link("a") + '<link name="b"/>' + link("c") + joint("j", "a", "b", more='<axis xyz="1 0 0"/>') +
                joint("k", "b", "c", more='<axis xyz="0 1 0"/>') +
                '<link name="d"><inertial><mass value="1"/><inertia ixx="1" iyy="0.1" izz="0.1"/></inertial></link>' +
                joint("l", "c", "d"))
        report = self.bring("r.urdf", robot(body))
        self.assertTrue(any("'b' has no mass" in n["message"] for n in report["notes"]))
        self.assertTrue(any("'d': no body has these moments" in n["message"] for n in report["notes"]))
        self.assertTrue(report["assembled"])

    def test_leftovers_of_real_packages(self):
        """Definitions of xacro that nothing uses, $(find ...), one number as scale, infinite and turned limits."""
        tetra = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        self.write("pkg/package.xml", "<package/>")
        self.write("pkg/meshes/a tetra.obj", tetra)
        shape = ('<visual><geometry><mesh filename="file://$(find pkg)/meshes/a%20tetra.obj" scale="0.5"/></geometry></visual>'
                 '<visual><geometry><mesh filename="..\\meshes\\a tetra.obj"/></geometry></visual>')
        limits = '<axis xyz="0 1 0"/><limit lower="{}" upper="{}" effort="inf" velocity="3"/>'.format
        self.write("pkg/urdf/r.urdf", '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="x" default=""/>'
                   '<xacro:property name="mass" value="${2 * 3}"/>' + link("a", more=shape) + link("b") + link("c") + link("d") +
                   joint("j", "a", "b", "revolute", limits("-inf", "inf")) +
                   joint("k", "b", "c", "revolute", limits("1", "-1")) + joint("l", "c", "d", "revolute", limits("-1", "1")) +
                   '<gazebo reference="a"><mu1>${mu}</mu1><plugin name="p" filename="$(arg x)"/></gazebo></robot>')
        report = json.loads(self.tenon("import", "pkg/urdf/r.urdf", "-o", "out", "--json").stdout)
        self.assertEqual([n["message"] for n in report["notes"] if n["severity"] == "warning"],
                         ["joint 'k': its lower limit 1 is above the upper one -1: no limits"])
        self.assertEqual({l["what"]: l["line"] for l in report["left_out"] if "xacro" in l["what"]},
                         {"<xacro:arg>": 1, "<xacro:property>": 1})
        mechanism = (self.folder / "out/mechanism.yaml").read_text()
        self.assertEqual(mechanism.count("limits:"), 1)
        self.assertEqual(mechanism.count(".stl"), 2)

    def test_losses_on_a_link_without_inertia(self):
        """Friction of real files on frames without mass: an implicit integrator, or the run would take hours."""
        body = (link("a") + '<link name="b"/>' + joint("j", "a", "b", more='<axis xyz="0 0 1"/><dynamics damping="0.7" '
                                                                           'friction="0.4"/>'))
        report = self.bring("r.urdf", robot(body))
        self.assertTrue(any("the model is stiff" in n["message"] for n in report["notes"]))
        self.assertIn("integrator: ", (self.folder / "out/model.yaml").read_text())
        self.tenon("run", "out/model.yaml", "-o", "x.csv", "--quiet")

    def test_import_again_keeps_what_was_added(self):
        body = link("a") + link("b") + joint("j", "a", "b", more='<axis xyz="0 0 1"/>')
        self.bring("r.urdf", robot(body))
        model = self.folder / "out/model.yaml"
        model.write_text(model.read_text() + "drives: { motor: { joint: j, rate: 1 rad/s } }\n")
        body += link("c") + joint("k", "b", "c", more='<origin xyz="1 0 0"/>')
        report = self.bring("r.urdf", robot(body))
        self.assertEqual(report["changes"], ["new: c"])
        self.assertIn("motor", model.read_text())
        self.assertEqual(self.bring("r.urdf", robot(link("a") + link("b") + joint("j", "a", "b")))["changes"],
                         ["vanished: c"])

    def test_names(self):
        body = link("a b") + link("a_b") + joint("a b", "a b", "a_b") + link("größe") + joint("t", "a_b", "größe")
        report = self.bring("r.urdf", robot(body))
        self.assertEqual(len({j["name"] for j in report["joints"]}), 3)
        self.assertTrue(report["assembled"])


def mujoco(body, more="", options='<compiler angle="degree"/>'):
    return f'<mujoco model="m">{options}<worldbody>{body}</worldbody>{more}</mujoco>'


INERTIAL = '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'


class Mjcf(Case):
    def coordinates(self, report):
        return {j["name"]: (j["type"], j["source"]) for j in report["joints"] if j["used"] and not j["merged"]}

    def mechanism(self):
        return (self.folder / "out/mechanism.yaml").read_text()

    def test_sizes_that_no_shape_has(self):
        shapes = ('<geom type="capsule" size="0.1"/><geom type="box" size="0 0.1 0.1"/><geom type="sphere" size="-1"/>'
                  '<geom type="ellipsoid" size="0.1 0.1"/><geom type="cylinder" size="0.2 0.1"/>')
        report = self.bring("m.xml", mujoco(f'<body name="a">{INERTIAL}<freejoint/>{shapes}</body>' + shapes))
        self.assertEqual([(item["what"], item["count"]) for item in report["left_out"]], [("geoms without volume", 6)])
        self.tenon("check", "out/model.yaml")
        self.assertEqual((self.mechanism().count("sphere:"), self.mechanism().count("cylinder:"), self.mechanism().count("box:")), (2, 2, 0))

    def test_armature_is_in_the_mass_matrix(self):
        more = "".join(f'<default class="{l.joint}"><joint armature="0.25"/></default>' for l in ARM)
        text = robots.mjcf(ARM).replace("<worldbody>", f"<default>{more}</default><worldbody>")
        for l in ARM:
            text = text.replace(f'<joint name="{l.joint}"', f'<joint class="{l.joint}" name="{l.joint}"')
        report = self.bring("arm.xml", text)
        wanted = robots.mass_matrix(ARM)
        for k in range(5):
            wanted[k][k] += 0.25
        self.assertEqual(report["freedoms"], 5)
        self.same(self.mass_matrix(COORDINATES), wanted, 1e-9)

    def test_joints_of_one_body_compose(self):
        hinge = '<joint name="{0}" type="hinge" axis="{1}"/>'.format
        slide = '<joint name="{0}" type="slide" axis="{1}"/>'.format
        cases = [(hinge("a", "1 0 0") + hinge("b", "0 1 0"), "universal", 2),
                 (hinge("a", "1 0 0") + hinge("b", "0 0 1") + hinge("c", "0 1 0"), "spherical", 3),
                 (slide("a", "1 0 0") + slide("b", "0 0 1") + hinge("c", "0 1 0"), "planar", 3),
                 (slide("a", "0 0 1") + hinge("b", "0 0 -1"), "cylindrical", 2),
                 ('<joint type="ball"/>', "spherical", 3), ('<freejoint/>', None, 6)]
        for joints, kind, freedoms in cases:
            with self.subTest(kind):
                report = self.bring("m.xml", mujoco(f'<body name="b">{joints}{INERTIAL}</body>'))
                self.assertEqual(report["freedoms"], freedoms)
                self.assertEqual([t for t, _ in self.coordinates(report).values()], [kind] if kind else [])

    def test_composed_coordinates_count_as_in_the_file(self):
        """Three hinges as one spherical joint move as the chain with small bodies between them does."""
        motions = []
        body = ('<body name="b" pos="0.1 0.2 0.3"><joint name="a" axis="1 0 0" range="-30 10"/>{0}'
                '<joint name="c" axis="0 0 1" stiffness="3" springref="20"/>{1}<joint name="d" axis="0 1 0" damping="0.2"/>'
                '<inertial pos="0.3 0.1 -0.2" mass="2" fullinertia="0.1 0.2 0.25 0.01 0.02 0.03"/><site name="tip" pos="1 2 3"/>{2}</body>')
        stage = '<inertial pos="0 0 0" mass="1e-6" diaginertia="1e-9 1e-9 1e-9"/>'
        apart = body.format(f'{stage}<body name="s1">', f'{stage}<body name="s2">', "</body></body>")
        for name, content in (("b", body.format("", "", "")), ("s2", apart)):
            report = self.bring("m.xml", mujoco(content))
            self.assertEqual(report["freedoms"], 3)
            text = (self.folder / "out/model.yaml").read_text().split("solve:")[0]
            self.write("out/probe.yaml", text + f"outputs: [{name}.tip.position]\n"
                       "solve: { until: 0.4, tolerance: 1e-10, absolute_tolerance: 1e-10 }\n")
            self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
            motions.append([float(v) for v in (self.folder / "run.csv").read_text().splitlines()[-1].split(",")])
        self.same(motions[0][-3:], motions[1][-3:], 1e-5)

    def test_defaults_and_degrees(self):
        text = mujoco(f'<body name="b" childclass="x"><joint name="j" class="y"/>{INERTIAL}</body>', options=(
            '<default><joint range="-90 90" damping="1"/><default class="x"><joint axis="0 1 0"/>'
            '<default class="y"><joint damping="2"/></default></default></default>'))
        self.bring("m.xml", text)
        self.assertIn("damping: 2 }", self.mechanism())
        self.assertIn(f"[{-math.pi / 2!r}, {math.pi / 2!r}]", self.mechanism())
        self.refused("m.xml", mujoco('<body><joint class="z"/></body>'), "no default class 'z'")

    def test_masses_from_geoms(self):
        geoms = ('<geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/><geom type="box" size="0.1 0.2 0.3" pos="1 0 0" '
                 'density="500"/><geom type="cylinder" size="0.1 0.5" mass="2"/><geom type="ellipsoid" size="1 2 3" mass="1"/>')
        report = self.bring("m.xml", mujoco(f'<body name="b"><joint/>{geoms}</body>'))
        capsule = 1000 * (math.pi * 0.01 * 1 + 4 / 3 * math.pi * 0.001)
        self.assertAlmostEqual(report["mass"], capsule + 500 * 8 * 0.006 + 3, places=9)

    def test_mesh_mass(self):
        self.write("assets/tetra.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        text = mujoco('<body name="b"><joint/><geom type="mesh" mesh="tetra"/></body>',
                      '<asset><mesh file="tetra.obj" scale="2 2 2"/></asset>', '<compiler meshdir="assets"/>')
        self.assertAlmostEqual(self.bring("m.xml", text)["mass"], 1000 * 8 / 6, places=9)

    def test_equalities(self):
        four = ('<body name="a"><joint name="ja" axis="0 1 0"/>{0}<body name="b" pos="0 0 1"><joint name="jb" axis="0 1 0"/>{0}'
                '</body></body><body name="c" pos="1 0 0"><joint name="jc" axis="0 1 0"/>{0}</body>').format(INERTIAL)
        report = self.bring("m.xml", mujoco(four, '<equality><connect body1="b" body2="c" anchor="1 0 0"/></equality>'))
        self.assertEqual((report["freedoms"], report["redundant"], report["moved"]), (1, 1, []))
        report = self.bring("m.xml", mujoco(four, '<equality><joint joint1="ja" joint2="jc" polycoef="0 2"/></equality>'))
        self.assertEqual((report["freedoms"], report["couplings"]), (2, 1))
        self.assertIn("{ ja.angle: 1, jc.angle: -2 }, offset: 0", self.mechanism())
        report = self.bring("m.xml", mujoco(four, '<equality><weld body1="a" body2="c"/></equality>'))
        self.assertEqual(report["freedoms"], 1)

    def test_friction_slides_and_sticks(self):
        """J = 0.2 with armature, T = 0.4: 2 rad/s are gone after 1 s and 1 rad. A hanging arm is held off its rest."""
        body = (f'<body name="b"><joint name="j" axis="0 0 1" armature="0.1" frictionloss="0.4"/>{INERTIAL}</body>'
                '<body name="c"><joint name="k" axis="0 1 0" frictionloss="3"/>'
                f'{INERTIAL.replace("0 0 0", "0.3 0 0")}</body>')
        self.bring("m.xml", mujoco(body))
        self.assertIn("j_friction: { type: clutch, shaft: j.angle, capacity: 0.4 }", self.mechanism())
        text = (self.folder / "out/model.yaml").read_text().split("solve:")[0]
        self.write("out/probe.yaml", text + "initial: { j: { rate: 2 } }\noutputs: [j.angle, j_rate: j.angle.rate, k.angle, k_rate: k.angle.rate]\n"
                   "solve: { until: 2, record: 0.5, tolerance: 1e-11 }\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
        rows = [{re.split(r"[ \[(]", k)[0]: float(v) for k, v in row.items()} for row in
                csv.DictReader((self.folder / "run.csv").read_text().splitlines())]
        self.assertAlmostEqual(rows[1]["j.angle"], 0.75, delta=1e-8)
        self.assertAlmostEqual(rows[4]["j.angle"], 1, delta=1e-8)
        for name in ("j_rate", "k.angle", "k_rate"):
            self.assertAlmostEqual(rows[4][name], 0, delta=1e-13)

    def test_gravity_compensation(self):
        """An arm that is weightless by 3/4, with a tool that is part of it: it falls a quarter as fast."""
        arm = '<inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>'
        body = ('<body name="b" gravcomp="0.75"><joint name="j" axis="0 1 0"/>{0}'
                '<body name="tool" pos="0.1 0 0" gravcomp="0.75">{0}</body></body>').format(arm)
        self.bring("m.xml", mujoco(body, options='<compiler angle="radian"/><option gravity="0 0 -8"/>'))
        inertia = 2 * 0.1 + 2 * 0.3**2 + 2 * 0.4**2
        rate = 8 / 4 * (2 * 0.3 + 2 * 0.4) / inertia
        self.assertAlmostEqual(self.motion(["j.angle"], 0.01)[1] / 0.01**2 * 2, rate, delta=1e-4 * rate)

    def test_polynomials_are_exact(self):
        two = ('<body name="a"><joint name="ja" axis="0 1 0" ref="0.1"/>{0}</body>'
               '<body name="c" pos="1 0 0"><joint name="jc" axis="0 1 0" ref="0.2"/>{0}</body>').format(INERTIAL.replace('pos="0 0 0"', 'pos="0.3 0 0"'))
        p = (0.05, 0.9, -0.3, 0.2, 0.1)
        report = self.bring("m.xml", mujoco(two, '<compiler angle="radian"/><equality><joint joint1="ja" joint2="jc" '
                                            f'polycoef="{" ".join(map(str, p))}"/></equality>'))
        self.assertEqual((report["freedoms"], report["couplings"]), (1, 1))
        self.motion(("ja.angle", "jc.angle"), until=0.4)
        with open(self.folder / "run.csv") as file:
            last = list(csv.DictReader(file))[-1]
        y, x = (next(float(v) for k, v in last.items() if k.startswith(name)) for name in ("ja.angle", "jc.angle"))
        self.assertGreater(abs(x - 0.2), 0.05)
        self.assertAlmostEqual(y, 0.1 + sum(c * (x - 0.2)**k for k, c in enumerate(p)), delta=1e-10)

    def test_actuators(self):
        more = ('<actuator><motor name="m1" joint="j" gear="10"/><position name="p1" joint="j" kp="50" kv="3"/>'
                '<general name="g1" joint="j" gainprm="5" biastype="affine" biasprm="1 -5 -2" ctrlrange="0.5 1"/>'
                '<muscle name="u1" joint="j"/></actuator>')
        report = self.bring("m.xml", mujoco(f'<body name="b"><joint name="j"/>{INERTIAL}</body>', more))
        self.assertEqual(report["loads"], 3)
        self.assertIn("actuators <muscle>", [x["what"] for x in report["left_out"]])
        text = self.mechanism()
        self.assertIn("type: pid, joint: j.angle, target: 0 rad, kp: 50, kd: 3", text)
        self.assertIn("target: 0.7 rad, kp: 5, kd: 2", " ".join(text.split()).replace("0.69999999999999996", "0.7"))
        knee = '<default><default class="k"><joint range="-2.8 -0.8"/><position kp="9" inheritrange="0.5"/></default></default>'
        self.bring("m.xml", mujoco(f'<body name="b"><joint name="j" class="k"/>{INERTIAL}</body>',
                                   knee + '<actuator><position class="k" joint="j"/></actuator>', '<compiler angle="radian"/>'))
        self.assertIn("target: -1.3 rad, kp: 9", self.mechanism().replace("-1.2999999999999998", "-1.3"))

    def test_servo_and_spring_of_a_fixed_tendon(self):
        """Two fingers of 1 kg on a tendon (q1 + q2)/2: a servo of 100 N/m with a spring of 50 N/m, both by L."""
        finger = '<body name="{0}_finger"><joint name="{0}" type="slide" axis="1 0 0"/>{1}</body>'.format
        more = ('<tendon><fixed name="t" stiffness="50" springlength="0"><joint joint="a" coef="0.5"/><joint joint="b" coef="0.5"/>'
                '</fixed></tendon><actuator><general name="servo" tendon="t" gainprm="100" biastype="affine" '
                'biasprm="0 -100 0" ctrlrange="0.3 1"/></actuator>')
        report = self.bring("m.xml", mujoco(finger("a", INERTIAL) + finger("b", INERTIAL), more,
                                            '<option><flag gravity="disable"/></option>'))
        self.assertEqual(report["freedoms"], 2)
        until = 0.2                    # q1 = q2 = L: q'' = (30 - 150 q) / 2
        a = self.motion(["a.position", "b.position"], until)
        wanted = 0.2 * (1 - math.cos(math.sqrt(75) * until))
        self.assertAlmostEqual(a[1], wanted, delta=1e-8)
        self.assertAlmostEqual(a[2], wanted, delta=1e-8)

    def test_spatial_tendons_are_strands(self):
        """Atwood's machine by a tendon through three fixed sites whose length an equality holds: a = g (m - n) / (m + n)."""
        body = lambda name, x, mass: (f'<body name="{name}" pos="{x} 0 -1"><joint name="{name}_j" type="slide" axis="0 0 1"/>'
                                      f'<geom type="sphere" size="0.05" mass="{mass}"/><site name="{name}_s"/></body>')
        text = mujoco(body("a", -1, 3) + body("b", 1, 1) + '<site name="left" pos="-1 0 0"/><site name="right" pos="1 0 0"/>',
                      '<tendon><spatial name="rope"><site site="a_s"/><site site="left"/><site site="right"/><site site="b_s"/>'
                      '</spatial></tendon><equality><tendon tendon1="rope"/></equality>')
        report = self.bring("rope.xml", text)
        self.assertEqual(report["freedoms"], 1)
        self.assertEqual({j["name"]: j["type"] for j in report["joints"] if j["type"] == "strand"},
                         {"rope_1": "strand", "rope_2": "strand"})
        self.motion(["a_j.position", "b_j.position"], until=0.5)
        rows = list(csv.reader((self.folder / "run.csv").read_text().splitlines()))
        end = {name.split(" ")[0]: float(value) for name, value in zip(rows[0], rows[-1])}
        fall = 9.81 * (3 - 1) / (3 + 1) * 0.5 ** 2 / 2
        self.same([end[name] for name in ("a_j.position", "a_j.position.rate", "b_j.position", "b_j.position.rate")],
                  [-fall, -4 * fall, fall, 4 * fall], 1e-9)
        springy = self.bring("rope.xml", text.replace('<spatial name="rope"', '<spatial name="rope" stiffness="200" springlength="4"')
                             .replace('<equality><tendon tendon1="rope"/></equality>', ""))
        self.assertEqual((springy["freedoms"], springy["loads"]), (2, 2))
        self.motion(["a_j.position"], until=0.1)

    def test_replicas_frames_and_groups(self):
        body = ('<replicate count="3" offset="0.5 0 0" sep="_"><body name="p" pos="0 0 1"><frame pos="0 0.1 0" euler="90 0 0">'
                '<joint name="h" pos="0 0 0.2" axis="0 0 1"/></frame><geom size="0.1" mass="2" group="3"/>'
                '<geom size="0.2" mass="5" group="2"/></body></replicate>')
        report = self.bring("m.xml", mujoco(body, options='<compiler inertiagrouprange="3 3"/>'))
        self.assertEqual({b["name"]: b["mass"] for b in report["bodies"]}, {"p_0": 2, "p_1": 2, "p_2": 2})
        self.assertEqual([j["name"] for j in report["joints"]], ["h_0", "h_1", "h_2"])
        # The axis is -y through (0, -0.1, 0) of the body, in its frame: frames[1] of the last joint stands at y = 0.1 - 0.2.
        self.assertIn("at: [1, -0.1, 1]", self.mechanism().replace("-0.10000000000000003", "-0.1"))
        self.refused("m.xml", mujoco('<replicate count="1000000"><body><geom size="1"/></body></replicate>'), "makes more than")

    def test_flags(self):
        body = f'<body name="b"><joint name="j" axis="0 1 0" range="-10 10"/>{INERTIAL}</body>'
        flags = '<option><flag gravity="disable" limit="disable" sensor="disable" contact="disable"/></option>'
        report = self.bring("m.xml", mujoco(body, options=flags))
        self.assertIn("gravity: [0, 0, 0]", self.mechanism())
        self.assertNotIn("limits", self.mechanism())
        self.assertEqual([l["what"] for l in report["left_out"]], ['<flag> sensor="disable"'])

    def test_includes(self):
        self.write("part.xml", f'<mujocoinclude><body name="b"><joint/>{INERTIAL}</body></mujocoinclude>')
        self.assertEqual(self.bring("m.xml", mujoco('<include file="part.xml"/>'))["freedoms"], 1)
        self.refused("m.xml", mujoco('<include file="m.xml"/>'), "includes itself")
        self.refused("m.xml", mujoco('<include file="gone.xml"/>'), "no bodies")
        report = self.bring("n.xml", mujoco(f'<include file="gone.xml"/><body name="b"><joint/>{INERTIAL}</body>'))
        self.assertTrue(any("'gone.xml' would include is missing" in n["message"] for n in report["notes"]))

    def test_wrong(self):
        self.refused("m.xml", mujoco('<body name="a"/><body name="a"/>'), "body 'a' is there twice")
        self.refused("m.xml", mujoco('<body><joint type="slider"/></body>'), "joint type 'slider'")
        self.refused("m.xml", mujoco('<body><joint axis="0 0 nan"/></body>'), "expected 3 finite numbers")
        self.refused("m.xml", mujoco(""), "no bodies")
        self.refused("m.xml", mujoco('<body><geom type="mesh" mesh="m"/></body>'), "no mesh 'm'")
        self.refused("m.xml", mujoco("<body>" * 1000000), "m.xml:1:")


def gazebo(content, version="1.9"):
    return f'<sdf version="{version}">{content}</sdf>'


class Sdf(Case):
    def test_versions(self):
        """1.10 is newer than 1.5: the axis is in the frame of the joint, here along x of the world; in 1.4 it was that of the model."""
        text = ('<sdf version="{}"><model name="m"><link name="a"><pose>0 0 1 0 1.5707963267948966 0</pose></link>'
                '<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>')
        for version, turned in (("1.4", "z"), ("1.5", "x"), ("1.9", "x"), ("1.10", "x"), ("1.11", "x"), ("1.12", "x")):
            report = self.bring("m.sdf", text.format(version))
            self.assertFalse([n for n in report["notes"] if "is not known" in n["message"]])
            self.write("out/drive.yaml", (self.folder / "out/model.yaml").read_text().split("solve:")[0] +
                       "drives: { d: { joint: j.angle, rate: 2 } }\noutputs: [a.angular_velocity.x, a.angular_velocity.z]\nsolve: { until: 0.01 }\n")
            self.tenon("run", "out/drive.yaml", "-o", "run.csv", "--quiet")
            last = list(csv.DictReader((self.folder / "run.csv").read_text().splitlines()))[-1]
            self.assertAlmostEqual(float(last[f"a.angular_velocity.{turned} [rad/s]"]), 2, delta=1e-9, msg=version)
        report = self.bring("m.sdf", text.format("99.0"))
        self.assertTrue(any("version 99.0 of SDFormat is not known" in n["message"] for n in report["notes"]))

    def test_automatic_inertia(self):
        collisions = ('<collision name="c"><pose>0 0 1 0 0 0</pose><density>2000</density><geometry><cylinder><radius>0.1</radius>'
                      '<length>0.5</length></cylinder></geometry></collision>'
                      '<collision name="d"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>')
        link = f'<model name="m"><link name="a"><inertial auto="true">{{}}</inertial>{collisions}</link></model>'
        rod, box = 2000 * math.pi * 0.01 * 0.5, 500 * 0.006
        report = self.bring("m.sdf", gazebo(link.format("<density>500</density>"), "1.11"))
        self.assertAlmostEqual(report["bodies"][0]["mass"], rod + box, delta=1e-12)
        self.assertEqual(report["bodies"][0]["mass_source"], "collisions of the file")
        report = self.bring("m.sdf", gazebo(link.format("<density>500</density><mass>4</mass>"), "1.11"))
        self.assertAlmostEqual(report["bodies"][0]["mass"], 4, delta=1e-12)
        mechanism = (self.folder / "out/mechanism.yaml").read_text()
        self.assertIn(f"{rod / (rod + box):.6f}"[:6], mechanism)                   # height of the centre of mass

    LINK = ('<link name="{0}"><pose{1}>{2}</pose><inertial><mass>1</mass></inertial></link>').format

    def test_frames(self):
        """The same hinge, said in four ways."""
        joint = '<joint name="j" type="revolute"><parent>a</parent><child>b</child>{0}<axis>{1}</axis></joint>'.format
        ways = [joint("", "<xyz>0 1 0</xyz>"),
                joint('<pose relative_to="f"/>', '<xyz expressed_in="__model__">0 1 0</xyz>') +
                '<frame name="f" attached_to="b"/>',
                joint("", '<xyz expressed_in="g">1 0 0</xyz>') +
                '<frame name="g" attached_to="a"><pose degrees="true">0 0 0 0 0 90</pose></frame>',
                joint("<pose>0 0 0 0.3 0 0</pose>", '<xyz expressed_in="a">0 1 0</xyz>')]
        results = []
        for way in ways:
            model = (f'<model name="m">{self.LINK("a", "", "0 0 1 0 0 0")}{self.LINK("b", "", "1 0 1 0 0 0")}{way}'
                     '<joint name="base" type="fixed"><parent>world</parent><child>a</child></joint></model>')
            self.assertEqual(self.bring("m.sdf", gazebo(model))["freedoms"], 1)
            self.tenon("run", "out/model.yaml", "--until", "0.3", "-o", "run.csv", "--quiet")
            results.append([float(v) for v in (self.folder / "run.csv").read_text().splitlines()[-1].split(",")])
        for result in results[1:]:
            self.same(result, results[0], 1e-9)

    def test_loops_types_and_nesting(self):
        inner = f'<model name="n"><pose>0 0 2 0 0 0</pose>{self.LINK("c", "", "0 0 0 0 0 0")}</model>'
        model = (f'<model name="m">{self.LINK("a", "", "0 0 1 0 0 0")}{self.LINK("b", "", "1 0 1 0 0 0")}{inner}'
                 '<joint name="u" type="universal"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis>'
                 '<axis2><xyz>0 1 0</xyz></axis2></joint><joint name="s" type="ball"><parent>a</parent><child>b</child></joint>'
                 '<joint name="p" type="prismatic"><parent>b</parent><child>n::c</child><axis><xyz>0 0 1</xyz></axis></joint>'
                 '<joint name="k" type="ball"><parent>n::c</parent><child>a</child></joint></model>')
        report = self.bring("m.sdf", gazebo(model))
        self.assertEqual(report["equations"], 4 + 3 + 5 + 3)
        self.assertTrue(report["assembled"])
        self.assertEqual({b["source"] for b in report["bodies"]}, {"m::a", "m::b", "m::n::c"})

    def test_static_free_and_defaults(self):
        model = f'<model name="m">{{0}}{self.LINK("a", "", "0 0 1 0 0 0")}<link name="b"/></model>'.format
        self.assertEqual(self.bring("m.sdf", gazebo(model("")))["freedoms"], 12)
        report = self.bring("m.sdf", gazebo(model("<static>true</static>")))
        self.assertEqual(len([b for b in report["bodies"] if b.get("part_of") == "ground"]), 2)
        self.assertEqual(self.bring("m.sdf", gazebo(model("")), "--base=fixed")["freedoms"], 6)

    def test_wrong(self):
        circle = self.LINK("a", ' relative_to="b"', "0 0 0 0 0 0") + self.LINK("b", ' relative_to="a"', "0 0 0 0 0 0")
        self.refused("m.sdf", gazebo(f'<model name="m">{circle}</model>'), "is placed relative to itself")
        self.refused("m.sdf", gazebo(f'<model name="m">{self.LINK("a", " relative_to=" + chr(34) + "x" + chr(34), "0 0 0 0 0 0")}'
                                     '</model>'), "there is no frame, link or joint 'x'")
        self.refused("m.sdf", gazebo(f'<model name="m">{self.LINK("a", "", "0 0 nan 0 0 0")}</model>'), "expected 6 finite")
        self.refused("m.sdf", gazebo("<world name='w'/>"), "no links")


class GltfMeshes(Case):
    """A tetrahedron of 1/6 m^3 in a GLB and a glTF, placed by a tree of nodes; its mass tells that all of it was read."""

    POINTS = struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    CORNERS = struct.pack("<12H", 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)

    def document(self, **more):
        return {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [1]}],
                "nodes": [{"mesh": 0, "scale": [1, 2, 1]}, {"children": [0], "translation": [3, 0, 0],
                          "rotation": [0, 0, math.sqrt(0.5), math.sqrt(0.5)]}],
                "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                              {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
                "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
                "buffers": [{"byteLength": 72}]} | more

    def glb(self, document):
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", 72, b"BIN\0") + self.POINTS + self.CORNERS
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks

    def mass(self, name, content):
        self.write(name, content)
        report = self.bring("m.xml", '<mujoco><asset><mesh name="t" file="%s"/></asset><worldbody><body name="b"><freejoint/>'
                            '<geom type="mesh" mesh="t"/></body></worldbody></mujoco>' % name)
        return report["bodies"][0]["mass"], [n["message"] for n in report["notes"]]

    def test_forms(self):
        data = "data:application/octet-stream;base64," + base64.b64encode(self.POINTS + self.CORNERS).decode()
        text = self.document(buffers=[{"byteLength": 72, "uri": data}])
        beside = self.document(buffers=[{"byteLength": 72, "uri": "t.bin"}])
        self.write("t.bin", self.POINTS + self.CORNERS)
        for name, content in (("t.glb", self.glb(self.document())), ("t.gltf", json.dumps(text)), ("u.gltf", json.dumps(beside))):
            with self.subTest(name):
                mass, _ = self.mass(name, content)
                self.assertAlmostEqual(mass, 1000 / 3, delta=1e-3)
        mechanism = (self.folder / "out/mechanism.yaml").read_text()
        com = [float(v) for v in mechanism.split("com: [")[1].split("]")[0].split(",")]
        self.same(com, [3 - 0.5, 0.25, 0.25], 1e-6)        # y of the mesh, scaled by 2, points along -x

    def test_mirrored_nodes_and_many_buffers(self):
        nodes = [{"mesh": 0}, {"mesh": 0, "scale": [-1, 1, 1]}]
        self.assertAlmostEqual(self.mass("t.glb", self.glb(self.document(nodes=nodes, scenes=[{"nodes": [0, 1]}])))[0], 1000 / 3, delta=1e-3)
        data = "data:application/octet-stream;base64,"
        buffers = [{"byteLength": 0, "uri": data}] * 80 + [{"byteLength": len(part), "uri": data + base64.b64encode(part).decode()}
                                                           for part in (self.POINTS, self.CORNERS)]
        views = [{"buffer": 80, "byteLength": 48}, {"buffer": 81, "byteLength": 24}]
        content = json.dumps(self.document(buffers=buffers, bufferViews=views))
        self.assertAlmostEqual(self.mass("t.gltf", content)[0], 1000 / 3, delta=1e-3)

    def test_mistakes(self):
        circle = self.document(nodes=[{"children": [1]}, {"children": [0]}])
        outside = self.document(bufferViews=[{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 64, "byteLength": 24}])
        elsewhere = self.document(buffers=[{"byteLength": 72, "uri": "../t.bin"}])
        for content, text in ((self.glb(circle), "form a circle"), (self.glb(outside), "outside of their buffer"),
                              (json.dumps(elsewhere), "not beside the file"), (self.glb(self.document())[:60], "cut off"),
                              (json.dumps(self.document(asset={"version": "1.0"})), "glTF 1.0"), ("[" * 5000, "not JSON"), (self.glb(self.document(meshes=[])), "no triangles")):
            name = "t.glb" if isinstance(content, bytes) else "t.gltf"
            mass, notes = self.mass(name, content)
            self.assertTrue(any(text in n for n in notes), (text, notes))


class Meshes(Case):
    def test_a_mesh_is_a_body(self):
        corners = [(x, y, z) for x in (0, 0.2) for y in (0, 0.1) for z in (0, 0.3)]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        obj = "".join("v %g %g %g\n" % c for c in corners) + "".join("f %d %d %d %d\n" % tuple(k + 1 for k in f) for f in faces)
        report = self.bring("box.obj", obj, "--density", "500")
        self.assertAlmostEqual(report["mass"], 500 * 0.006, delta=1e-12)
        self.assertEqual((report["format"], report["freedoms"]), ("mesh", 6))
        self.assertAlmostEqual(self.bring("box.obj", obj, "--material", "box=steel")["mass"], 7850 * 0.006, delta=1e-12)
        self.tenon("run", "out/model.yaml", "--until", "0.1", "-o", "run.csv", "--quiet")
        shutil.rmtree(self.folder / "out")
        self.assertIn("drawn in mm", json.dumps(self.bring("big.obj", obj.replace("0.", "10"))["notes"]))
        shutil.rmtree(self.folder / "out")
        self.refused("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "no volume")
        self.assertIn("is not closed", json.dumps(self.bring("lid.obj", obj[:obj.rindex("f")])["notes"]))

    def test_other_lists_of_faces_and_capital_letters(self):
        points, corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
        ply = ("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n"
               "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n" +
               "".join("%g %g %g\n" % p for p in points) + "".join("3 %d %d %d 6 1 0 2 3 1 2 9 9\n" % c for c in corners))
        report = self.bring("t.ply", ply)
        self.assertAlmostEqual(report["mass"], 1000 / 6, delta=1e-9)
        self.assertNotIn("is not closed", json.dumps(report["notes"]))
        stl = "solid t\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % points[k] for k in c) +
                                   "endloop\nendfacet\n" for c in corners) + "endsolid t\n"
        shutil.rmtree(self.folder / "out")
        self.assertAlmostEqual(self.bring("t.stl", stl.upper())["mass"], 1000 / 6, delta=1e-9)


class Collada(Case):
    """A tetrahedron of 1/6 m^3 by triangles, strips and fans, with points or commas in its numbers."""

    def mass(self, primitives, more="", comma=False):
        points = "0 0 0 1.0 0 0 0 1.0 0 0 0 1.0".replace(".", "," if comma else ".")
        self.write("t.dae", '<COLLADA><library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="12">'
                   f'{points}</float_array></source><vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{primitives}'
                   f'</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="w"><node>'
                   f'<instance_geometry url="#g"/></node>{more}</visual_scene></library_visual_scenes></COLLADA>')
        return json.loads(self.tenon("import", "t.dae", "-o", "out", "--json").stdout)["mass"]

    def test_kinds_of_triangles(self):
        put = lambda kind, *lists: f'<{kind}><input semantic="VERTEX" source="#v" offset="0"/>{"".join(f"<p>{p}</p>" for p in lists)}</{kind}>'
        triangles = put("triangles", "0 2 1 0 1 3 0 3 2 1 2 3")
        for primitives in (triangles, put("tristrips", "2 1 0 3 2 1"), put("trifans", "0 2 1 3 2", "1 2 3")):
            self.assertAlmostEqual(self.mass(primitives), 1000 / 6, delta=1e-9)
        self.assertAlmostEqual(self.mass(triangles, comma=True), 1000 / 6, delta=1e-9)
        mirrored = '<node><translate>5 0 0</translate><scale>-1 1 1</scale><instance_geometry url="#g"/></node>'
        self.assertAlmostEqual(self.mass(triangles, mirrored), 1000 / 3, delta=1e-9)


class Worlds(Case):
    """Gazebo worlds with models of their own folders."""

    CAR = ('<sdf version="1.6"><model name="car"><link name="body"><pose frame="">0 0 1 0 0 0</pose>{0}<visual name="v"><geometry>'
           '<mesh><uri>meshes/tetra.obj</uri></mesh></geometry></visual></link><link name="wheel"><pose>0 1 0 0 0 0</pose>{0}</link>'
           '<joint name="axle" type="revolute"><parent>body</parent><child>wheel</child><axis><xyz>0 1 0</xyz></axis></joint>'
           '</model></sdf>').format("<inertial><mass>2</mass></inertial>")

    def setUp(self):
        super().setUp()
        self.write("gz/models/car/model.config", '<model><name>car</name><sdf version="1.6">car-16.sdf</sdf></model>')
        self.write("gz/models/car/car-16.sdf", self.CAR)
        self.write("gz/models/car/meshes/tetra.obj",
                   "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")

    def world(self, content):
        self.write("gz/worlds/w.world", f'<sdf version="1.6"><world name="w">{content}</world></sdf>')

    def report(self):
        return json.loads(self.tenon("import", "gz/worlds/w.world", "-o", "out", "--json").stdout)

    def test_includes(self):
        include = "<include><uri>model://car</uri><name>{}</name><pose>{} 0 0 0 0 0</pose>{}</include>".format
        self.world(include("one", 0, "") + include("two", 5, "") + include("three", 9, "<static>1</static>") +
                   "<include><uri>model://sun</uri></include><include><uri>https://x.org/models/Table</uri></include>" +
                   '<model name="floor"><static>true</static><link name="link"><visual name="v"><geometry><plane>'
                   '<normal>0 0 2</normal></plane></geometry></visual></link></model>')
        report = self.report()
        self.assertEqual(report["freedoms"], 2 * 7)
        self.assertEqual([b["name"] for b in report["bodies"] if "part_of" not in b],
                         ["one_body", "one_wheel", "two_body", "two_wheel"])
        self.assertEqual([n["message"].split(":")[0] for n in report["notes"]],
                         ["<include> of 'https", "joint 'axle' is inside one rigid body"])
        self.assertIn("half_space", (self.folder / "out/mechanism.yaml").read_text())
        self.assertIn("position: [5, 0, 1]", (self.folder / "out/mechanism.yaml").read_text())
        self.assertTrue((self.folder / "out/meshes/tetra.stl").is_file())

    def test_included_in_a_model(self):
        self.world('<model name="rig"><include><uri>model://car</uri><name>inner</name></include><link name="post"/>'
                   '<joint name="mount" type="fixed"><parent>world</parent><child>inner::body</child></joint></model>')
        self.assertEqual(self.report()["freedoms"], 1 + 6)

    def test_circles(self):
        self.write("gz/models/car/car-16.sdf", '<sdf version="1.6"><model name="car"><include><uri>model://car</uri></include>'
                                               '</model></sdf>')
        self.world("<include><uri>model://car</uri></include>")
        self.assertIn("include themselves", self.tenon("import", "gz/worlds/w.world", "-o", "out", status=MODEL).stderr)


class Adams(Case):
    HEAD = ("title\nUNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=MILLIMETER,TIME=SECOND\nPART/1, GROUND\nMARKER/1, PART=1\n"
            "MARKER/2, PART=1, ZP=1,0,0\n")

    def part(self, number, x=0.0):
        return (f"PART/{number}, QG={x},0,0, MASS=2, CM={number}0, IP=1E4, 1E4, 1E4\nMARKER/{number}0\nMARKER/{number}1, ZP=1,0,0\n"
                f"MARKER/{number}2, QP={-x},0,0\n")

    def forces(self, text):
        """The motion of 2 kg along x after 0.5 s under forces; gravity is off."""
        report = self.bring("m.adm", self.HEAD + self.part(2, 100) + "JOINT/1, TRANS, I=21, J=2\n" + text)
        self.assertTrue(report["assembled"], report)
        return report, self.motion(["JOINT_1.position"], 0.5)[1]

    def test_splines_variables_and_stops(self):
        wanted = 0.06 + 0.04 * math.cos(5 * 0.5)
        report, x = self.forces("SPLINE/7, X=0, 50, 100\n, 200, Y=3, 0.5, -2, -7\nSPLINE/8, X=0,1, Y=0,1\n"
                                "VARIABLE/3, IC=0, FUNCTION = DX(20,1)*1\n"
                                "SFORCE/1, I=20, J=2, ACTIONONLY, TRANS, FUNCTION = AKISPL(VARVAL(3), 0, 7, 0)\n")
        self.assertAlmostEqual(x, wanted, delta=1e-9)      # the points are on a line
        self.assertEqual([l["what"] for l in report["left_out"]], ["SPLINE that no function uses"])
        # Thrown at a spring by IMPACT: half a period of contact, then back with the same speed. 2 kg, 50 N/m, 1 m/s.
        law = "SFORCE/1, I=20, J=2, ACTIONONLY, TRANS, FUNCTION = IMPACT(DX(20,1), VX(20,1), 101, 0.05, 1, 0, 1)\n"
        _, x = self.forces(law)                            # begins 1 mm deep: x'' = 25 (101 mm - x) until it is free
        self.assertAlmostEqual(x, 0.101 + 0.001 * 5 * (0.5 - math.pi / 10), delta=1e-8)
        _, x = self.forces(law.replace("IMPACT(DX(20,1), VX(20,1), 101,", "BISTOP(DX(20,1), VX(20,1), 101, 900,"))
        self.assertAlmostEqual(x, 0.101 + 0.001 * 5 * (0.5 - math.pi / 10), delta=1e-8)
        self.refused("m.adm", self.HEAD + self.part(2, 100) + "JOINT/1, TRANS, I=21, J=2\nSPLINE/1, X=0,1, Y=0\n"
                     "MOTION/1, JOINT=1, FUNCTION=CUBSPL(TIME,0,1)\n", "2 values of X and 1 of Y")
        self.refused("m.adm", self.HEAD + self.part(2, 100) + "JOINT/1, TRANS, I=21, J=2\nSPLINE/1, X=0,1,1, Y=0,1,2\n"
                     "MOTION/1, JOINT=1, FUNCTION=CUBSPL(TIME,0,1)\n", "X must increase: value 3 is 1 after 1")
        report, _ = self.forces("VARIABLE/1, FUNCTION=VARVAL(1)\nSFORCE/1, I=20, J=2, ACTIONONLY, TRANS, FUNCTION=VARVAL(1)\n")
        self.assertTrue(any("leads to itself" in n["message"] for n in report["notes"]))

    def test_spring_by_function_and_by_statement(self):
        """m x'' = -k (x - 60 mm) from x = 100 mm, k = 50 N/m: both ways of saying it, and a lively function."""
        wanted = 0.06 + 0.04 * math.cos(5 * 0.5)
        _, x = self.forces("SPRINGDAMPER/1, I=20, J=1, TRANSLATION, K=0.05, C=0, LENGTH=60\n")
        self.assertAlmostEqual(x, wanted, delta=1e-9)
        _, x = self.forces("SFORCE/1, I=20, J=1, TRANSLATION\n, FUNCTION = -0.05*(DM(20,\n, 1)\n, - 60) ! spring\n")
        self.assertAlmostEqual(x, wanted, delta=1e-9)
        _, x = self.forces("SFORCE/1, I=20, J=2, ACTIONONLY, TRANS, FUNCTION = -0.05*(DX(20,1)-30) + 1.5*STEP(TIME,-2,0,-1,1)\n")
        self.assertAlmostEqual(x, wanted, delta=1e-9)
        _, x = self.forces("VFORCE/1, I=20, JFLOAT=9, RM=1, FX=-0.05*DZ(21,2,2)+3\\FY=0\\FZ=0\nMARKER/9, PART=1, FLOATING\n")
        self.assertAlmostEqual(x, wanted, delta=1e-9)

    def test_what_has_no_counterpart(self):
        report = self.bring("m.adm", self.HEAD + self.part(2) + "JOINT/1, REVOLUTE, I=20, J=1")     # no end of the last line
        self.assertEqual(report["freedoms"], 1)
        report, _ = self.forces("SFORCE/1, I=20, J=1, TRANS, FUNCTION=AKISPL(TIME,0,1)\nSENSOR/1, FUNCTION=TIME, VALUE=1\n"
                                "MOTION/1, TRANSLATION, JOINT=1, FUNCTION=USER(1,2)\n")
        notes = [(n["message"], n["line"]) for n in report["notes"]]
        self.assertIn(("SFORCE 'SFORCE_1' is left out: there is no SPLINE/1", 11), notes)
        self.assertIn(("MOTION 'MOTION_1' is left out: function USER has no counterpart; its coordinate is free", 13), notes)
        self.assertEqual([(l["what"], l["line"]) for l in report["left_out"]], [("SENSOR", 12)])

    def test_motions(self):
        """Adams' cubic STEP, degrees, rates, powers."""
        text = self.HEAD + self.part(2) + "JOINT/1, REVOLUTE, I=20, J=1\nMOTION/1, JOINT=1, ROTATION, FUNCTION={}\nEND\n"
        for law, angle in (("90D*TIME**2", math.pi / 8), ("STEP(TIME, 0, 0, 2, 1.0)", 0.25 ** 2 * (3 - 0.5)),
                           ("-2**2*TIME + STEP5(TIME, 0, 0, 1, 1)", -2 + 0.5), ("SHF(TIME, 0, 2, PI, 0, 1)", 3),
                           ("POLY(TIME, 0, 1, 2, 4)", 3), ("HAVSIN(TIME, 0, 0, 1, 4)", 2), ("IF(TIME-0.2: 1, 2, TIME)", None),
                           # arguments that are sums: they stand beside other operators in what a function becomes
                           ("STEP(TIME, 0-1, 1-3, 1+1, 4+2)", 0 * 1 + 2), ("HAVSIN(TIME+1, 1-0.5, 2-1, 1+1.5, 6-1)", 1 + 2),
                           ("SHF(TIME-0.1, 0.2-0.3, 1+1, 1+1, 1-PI/2, 1-2)", 2 * math.sin(2 * 0.5 - 1 + math.pi / 2) - 1),
                           ("POLY(TIME, 1-1, 1-2, 2-5, 1+1)", -1 - 1.5 + 0.5), ("SIGN(1-3, TIME-2)", -2),
                           ("VELO", None)):
            with self.subTest(law):
                if angle is None:
                    continue
                self.bring("m.adm", text.format(law))
                self.assertAlmostEqual(self.motion(["JOINT_1.angle"], 0.5)[1], angle, delta=1e-9)

    def test_couplers_gears_and_screws(self):
        two = self.HEAD + self.part(2) + self.part(3, 100) + "MARKER/5, PART=1, QP=100,0,0\n"
        joints = "JOINT/1, REVOLUTE, I=20, J=1\nJOINT/2, REVOLUTE, I=30, J=5\nMOTION/1, ROTATION, JOINT=1, FUNCTION=TIME\n"
        self.bring("m.adm", two + joints + "COUPLER/1, JOINTS=1,2, TYPE=R:R, SCALES=1,-2\n")
        self.assertAlmostEqual(self.motion(["JOINT_1.angle", "JOINT_2.angle"], 0.5)[2], 0.25, delta=1e-9)
        # Teeth meet at x = 25: radii 25 and 75, outer gears turn against each other.
        self.bring("m.adm", two + joints + "GEAR/1, JOINTS=1,2, CV=6\nMARKER/6, PART=1, QP=25,0,0, ZP=25,1,0\n")
        self.assertAlmostEqual(self.motion(["JOINT_1.angle", "JOINT_2.angle"], 0.5)[2], -0.5 / 3, delta=1e-9)
        report = self.bring("m.adm", self.HEAD + self.part(2) + "JOINT/1, CYLINDRICAL, I=20, J=1\nJOINT/2, SCREW, I=20, J=1, "
                            "PITCH=5\nMOTION/1, ROTATION, JOINT=1, FUNCTION=2*PI*TIME\n")
        self.assertEqual((report["freedoms"], report["redundant"]), (0, 0))
        values = dict(zip(("t", "energy", "position", "angle"), self.motion([], 0.5)))
        self.write("out/probe.yaml", (self.folder / "out/model.yaml").read_text().split("solve:")[0] +
                   "outputs: [JOINT_1.position]\nsolve: { until: 0.5 }\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
        rows = list(csv.reader((self.folder / "run.csv").read_text().splitlines()))
        last = dict(zip(rows[0], rows[-1]))
        self.assertAlmostEqual(float(last["JOINT_1.position [m]"]), 0.0025, delta=1e-9)
        self.assertTrue(values)

    def test_numbers_with_zeros_in_front(self):
        text = ("title\nUNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND\nPART/01, GROUND\nMARKER/0102, PART = 01\n"
                "PART/02, MASS = 1\n, CM = 0201, IP = 1, 1, 1\nMARKER/0201, PART = 02\nJOINT/01, REVOLUTE\n, I = 0201, J = 0102\n")
        self.assertEqual(self.bring("m.adm", text)["freedoms"], 1)

    def test_markers_that_are_not_those_of_the_joint(self):
        """A torsion spring and a motion between markers of their own: the angle counts over full turns."""
        hinge = self.HEAD + self.part(2) + "MARKER/7, PART=1\nMARKER/27, PART=2\nJOINT/1, REVOLUTE, I=20, J=1\n"
        self.bring("m.adm", hinge + "SFORCE/1, ROTATIONAL, I=27, J=7, FUNCTION = 1.0*RTOD*(1 - az(27,7))\n, - 0.5*wz(27,7,7)\n")
        k, c, inertia = 180 / math.pi * 1e-3, 0.5e-3, 1e-2
        decay, omega = c / 2 / inertia, math.sqrt(k / inertia - (c / 2 / inertia) ** 2)
        wanted = 1 - math.exp(-decay * 2) * (math.cos(2 * omega) + decay / omega * math.sin(2 * omega))
        self.assertAlmostEqual(self.at_end(["JOINT_1.angle"], 2)[0], wanted, delta=1e-6)
        self.bring("m.adm", hinge + "MOTION/1, ROTATION, I=27, J=7, FUNCTION = 9*TIME\n")
        self.assertAlmostEqual(self.at_end(["JOINT_1.angle"], 1)[0], 9, delta=1e-9)

    def test_rods_racks_and_screws_by_themselves(self):
        head = self.HEAD + "ACCGRAV/KGRAV=-9810\n"
        report = self.bring("m.adm", head + self.part(2, 100) + "GCON/1, I=1, FUNCTION = DM(20, 1)-100\nGCON/2, FUNCTION=DX(20)\n")
        self.assertEqual(([j["type"] for j in report["joints"]], report["freedoms"]), (["rod"], 5))
        self.assertTrue(any("GCON 'GCON_2' is left out" in n["message"] for n in report["notes"]))
        # The pinion turns about y, the rack falls along z at its side of +x: a = g m / (m + J / r^2).
        rack = (head + "MARKER/5, PART=1, ZP=0,1,0\nMARKER/6, PART=1, QP=50,0,0\n" + self.part(2) + "MARKER/25, PART=2, ZP=0,1,0\n" +
                self.part(3, 50) + "JOINT/1, REVOLUTE, I=25, J=5\nJOINT/2, TRANSLATIONAL, I=30, J=6\n"
                "JOINT/3, RACKPIN, I=25, J=30, PD=100\n")
        self.bring("m.adm", rack)
        angle, drop = self.at_end(["JOINT_1.angle", "JOINT_2.position"], 0.2)
        self.assertAlmostEqual(drop, -9.81 * 2 / (2 + 1e-2 / 0.05 ** 2) * 0.2 ** 2 / 2, delta=1e-9)
        self.assertAlmostEqual(angle, -drop / 0.05, delta=1e-8)       # y x (+x) is -z
        screw = (head + self.part(2) + self.part(3, 50) + "MARKER/6, PART=1, QP=50,0,0\nJOINT/1, REVOLUTE, I=20, J=1\n"
                 "JOINT/2, TRANSLATIONAL, I=30, J=6\nJOINT/3, SCREW, I=20, J=30, PITCH=5\nMOTION/1, ROTATION, JOINT=1, FUNCTION=2*PI*TIME\n")
        report = self.bring("m.adm", screw)
        self.assertEqual((report["freedoms"], report["redundant"]), (0, 0))
        self.assertAlmostEqual(self.at_end(["JOINT_2.position"], 0.5)[0], -0.0025, delta=1e-9)

    def test_beam(self):
        """A cantilever of 1 m with a tip load: F L^3 / (3 E I), by the balance of a run with much damping."""
        text = (self.HEAD + "PART/2, QG=1000,0,0, MASS=1, CM=20, IP=1E6,1E6,1E6\nMARKER/20\nBEAM/1, I=20, J=1, LENGTH=1000, AREA=100, "
                "IXX=2000, IYY=1000, IZZ=1000, EMOD=2E5, GMOD=8E4, CRATIO=0.2\nVFORCE/1, I=20, JFLOAT=9, RM=1, FX=0\\FY=0.1\\FZ=0\n"
                "MARKER/9, FLOATING, PART=1\n")
        self.bring("m.adm", text)
        self.write("out/probe.yaml", (self.folder / "out/model.yaml").read_text().split("solve:")[0] +
                   "outputs: [PART_2.position.y]\nsolve: { until: 40, integrator: cvode }\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
        rows = list(csv.reader((self.folder / "run.csv").read_text().splitlines()))
        y = float(dict(zip(rows[0], rows[-1]))["PART_2.position.y [m]"])
        self.assertAlmostEqual(y, 0.1 / (3 * 2e11 * 1e-9), delta=1e-6)

    def test_a_hundred_redundant_rows(self):
        """A table on 27 parallel legs swings for 10 s: 103 equations more than the motion needs, no drift, no loss of energy."""
        lines = ["title", "UNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND", "PART/1, GROUND",
                 "PART/2, QG=0.3,0,-0.4, MASS=5, CM=2, IP=0.1,2,2", "MARKER/2", "ACCGRAV/KGRAV=-9.81"]
        for p in range(10, 37):
            x = repr(0.2 * (p - 10))
            lines += [f"PART/{p}, QG={x},0,0, MASS=0.5, CM={p}0, IP=0.01,0.01,0.001", f"MARKER/{p}0, QP=0.15,0,-0.2",
                      f"MARKER/{p}1, ZP=0,1,0", f"MARKER/{p}2, QP=0.3,0,-0.4, ZP=0.3,1,-0.4",
                      f"MARKER/{p}3, PART=1, QP={x},0,0, ZP={x},1,0", f"MARKER/{p}4, PART=2, QP={x},0,0, ZP={x},1,0",
                      f"JOINT/{p}1, REVOLUTE, I={p}1, J={p}3", f"JOINT/{p}2, REVOLUTE, I={p}2, J={p}4"]
        report = self.bring("m.adm", "\n".join(lines) + "\n")
        self.assertEqual((report["equations"], report["redundant"], report["freedoms"]), (270, 103, 1))
        self.write("out/probe.yaml", "tenon: 1\ninclude: mechanism.yaml\nsolve: { until: 10 s, tolerance: 1e-11, absolute_tolerance: "
                   "1e-11, integrator: dop853 }\nexpect: { energy: 1e-8, drift: 1e-10 }\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")

    def test_mistakes(self):
        self.refused("m.adm", self.HEAD + "PART/2, MASS=1x\nMARKER/3, PART=2\n", "m.adm:6:1", "expected numbers")
        self.refused("m.adm", self.HEAD + self.part(2) + "JOINT/1, REVOLUTE, I=77, J=1\n", "I = 77: there is no such marker")
        self.refused("m.adm", self.HEAD + "MARKER/3, PART=7\nPART/2, MASS=1\n", "there is no part 7")
        self.refused("m.adm", self.HEAD.replace("MILLIMETER", "CUBIT") + self.part(2), "LENGTH 'CUBIT' is not known")
        deep = "(" * 3000 + "1" + ")" * 3000
        report, _ = self.forces(f"SFORCE/1, I=20, J=1, TRANS, FUNCTION={deep}\n")
        self.assertTrue(any("too many brackets" in n["message"] for n in report["notes"]))
        nest = "STEP(" * 30 + "TIME" + ",0,0,1,1)" * 30
        report, _ = self.forces(f"SFORCE/1, I=20, J=1, TRANS, FUNCTION={nest}\n")
        self.assertTrue(any("too long" in n["message"] for n in report["notes"]))


class Usd(Case):
    HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Y"\n)\n'
    BODY = ('def {kind} "{name}" (\n    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]\n)\n{{\n    {more}\n}}\n').format

    def mechanism(self):
        return (self.folder / "out/mechanism.yaml").read_text()

    def test_masses_of_colliders(self):
        """A cube of 2 x 0.5 with a scale, a capsule along y, a mesh, a mass that only scales what the shape has."""
        mesh = ("int[] faceVertexCounts = [3, 3, 3, 3]\n    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n"
                "    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)] ( interpolation = \"vertex\" )\n")
        text = (self.HEAD + self.BODY(kind="Cube", name="a", more='double size = 0.5\n    float physics:density = 100\n    float3 '
                'xformOp:scale = (1, 2, 1)\n    uniform token[] xformOpOrder = ["xformOp:scale"]') +
                self.BODY(kind="Capsule", name="b", more='double height = 2\n    double radius = 0.1\n    uniform token axis = "Y"') +
                self.BODY(kind="Mesh", name="c", more=mesh) + self.BODY(kind="Sphere", name="d", more="double radius = 1\n"
                "    float physics:mass = 5"))
        report = self.bring("s.usda", text)
        masses = {b["name"]: b["mass"] for b in report["bodies"]}
        wanted = {"a": 25, "b": 1000 * math.pi * 0.01 * (2 + 0.4 / 3), "c": 1000 / 6, "d": 5}
        for name, mass in wanted.items():
            self.assertAlmostEqual(masses[name], mass, delta=1e-9 * mass)
        self.assertIn("inertia: [2, 2, 2]", self.mechanism().replace("1.9999999999999998", "2"))     # of the ball: 0.4 m r^2
        self.assertIn("gravity: [0, -9.81, 0]", self.mechanism())
        self.assertTrue((self.folder / "out/meshes").is_dir())
        self.assertEqual(report["freedoms"], 24)

    def test_joints(self):
        """Limits in degrees, drives, generic joints with locked axes, a body inside another prim, the world as body0."""
        joint = 'def {0} "{1}"\n{{\n    rel physics:body0\n    rel physics:body1 = </w/{2}>\n    {3}\n}}\n'.format
        lock = "float limit:{0}:physics:low = 1\n    float limit:{0}:physics:high = -1\n    ".format
        text = (self.HEAD + 'def Xform "w"\n{\n' + "".join(self.BODY(kind="Cube", name=n, more="") for n in "abcd") + "}\n" +
                joint("PhysicsRevoluteJoint", "j1", "a", 'uniform token physics:axis = "Y"\n    float physics:lowerLimit = -90\n'
                      "    float physics:upperLimit = 45\n    float drive:angular:physics:stiffness = 10\n"
                      "    float drive:angular:physics:targetPosition = 30") +
                joint("PhysicsJoint", "j2", "b", "".join(map(lock, ("transX", "transY", "transZ", "rotX", "rotZ")))) +
                joint("PhysicsJoint", "j3", "c", lock("transX")) +
                joint("PhysicsSphericalJoint", "j4", "d", "bool physics:jointEnabled = 0"))
        report = self.bring("s.usda", text)
        self.assertEqual({j["name"]: j["type"] for j in report["joints"]}, {"j1": "revolute", "j2": "revolute"})
        self.assertTrue(any("'/j3': its locked axes" in n["message"] and n["line"] > 40 for n in report["notes"]))
        self.assertEqual([l["what"] for l in report["left_out"]], ["joints that are not enabled"])
        self.assertIn("angle: [-1.5707963267948966, 0.7853981633974483]", self.mechanism())
        self.assertIn("kp: 572.9577951308232", self.mechanism())

    def test_free_axes(self):
        """PhysicsJoint by its locked axes, with limits and drives of the free ones; joints of PhysX that nobody knows are told."""
        joint = 'def {0} "{1}"\n{{\n    rel physics:body1 = </w/{2}>\n    {3}\n}}\n'.format
        lock = "float limit:{0}:physics:low = 1\n    float limit:{0}:physics:high = -1\n    ".format
        bound = "float limit:{0}:physics:low = {1}\n    float limit:{0}:physics:high = {2}\n    ".format
        text = (self.HEAD + 'def Xform "w"\n{\n' + "".join(self.BODY(kind="Cube", name=n, more="") for n in "abcd") + "}\n" +
                joint("PhysicsJoint", "j1", "a", "".join(map(lock, ("transX", "transY", "transZ", "rotX", "rotY"))) + bound("rotZ", -90, 45) +
                      "float drive:rotZ:physics:stiffness = 10\n    float drive:rotZ:physics:damping = 1\n"
                      "    float drive:rotZ:physics:targetVelocity = 20") +
                joint("PhysicsJoint", "j2", "b", "".join(map(lock, ("transY", "rotX", "rotZ")))) +
                joint("PhysicsJoint", "j3", "c", "".join(map(lock, ("transY", "transZ", "rotY", "rotZ"))) + bound("transX", -0.2, 0.3)) +
                joint("PhysxPhysicsGearJoint", "j4", "d", ""))
        report = self.bring("s.usda", text)
        self.assertEqual({j["name"]: j["type"] for j in report["joints"]}, {"j1": "revolute", "j2": "planar", "j3": "cylindrical"})
        self.assertTrue(any("'/j4' of type PhysxPhysicsGearJoint is left out" in n["message"] for n in report["notes"]))
        self.assertEqual(report["freedoms"], 1 + 3 + 2 + 6)
        self.assertIn("angle: [-1.5707963267948966, 0.7853981633974483]", self.mechanism())
        self.assertIn("position: [-0.2", self.mechanism())
        self.assertIn("kp: 572.9577951308232", self.mechanism())
        self.assertIn("target: 0.034906585039886", self.mechanism())       # 20 / 10 degrees

    def test_composition(self):
        """A leg by reference (twice, with an override), links from a class, a joint in a variant, a mimic in a payload, a sub-layer with
        gravity: the machine is that of the flat stage."""
        link = '{{\n float physics:mass = {0}\n float3 physics:diagonalInertia = (0.1, 0.1, 0.1)\n double3 xformOp:translate = ({1}, 0, 0)\n' \
               ' uniform token[] xformOpOrder = ["xformOp:translate"]\n}}\n'.format
        joint = 'def PhysicsRevoluteJoint "{0}" ( {1} )\n{{\n rel physics:body0 = <{2}>\n rel physics:body1 = <{3}>\n' \
                ' uniform token physics:axis = "Z"\n point3f physics:localPos0 = ({4}, 0, 0)\n {5}\n}}\n'.format
        self.write("leg.usda", '#usda 1.0\n( defaultPrim = "Leg"\n metersPerUnit = 1 )\nclass "_link" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"] )\n{\n'
                   ' float physics:mass = 7\n}\ndef Xform "Leg" (\n variants = { string knee = "stiff" }\n prepend variantSets = "knee"\n'
                   ' prepend payload = @./parts/more.usda@</More>\n)\n{\n def Xform "upper" ( inherits = </_link> ) ' + link(2, 1) +
                   ' def Xform "lower" ( prepend inherits = </_link> )\n { double3 xformOp:translate = (2, 0, 0)\n uniform token[] xformOpOrder = '
                   '["xformOp:translate"]\n float3 physics:diagonalInertia = (1, 1, 1) }\n' + joint("hip", "", "/World", "/Leg/upper", 0, "") +
                   ' variantSet "knee" = {\n "hinged" {\n' + joint("knee", "", "/Leg/upper", "/Leg/lower", 1, "") + ' }\n "stiff" {\n'
                   ' def PhysicsFixedJoint "knee" { rel physics:body0 = </Leg/upper>\n rel physics:body1 = </Leg/lower>\n point3f physics:localPos0 = (1, 0, 0) }\n }\n }\n}\n')
        self.write("parts/more.usda", '#usda 1.0\n( metersPerUnit = 1 )\ndef "More"\n{\n over "upper" { float physics:mass = 99 }\n' +
                   joint("ankle", 'prepend apiSchemas = ["PhysxMimicJointAPI:rotZ"]', "/More/lower", "/More/foot", 1,
                         "rel physxMimicJoint:rotZ:referenceJoint = </More/knee>\n float physxMimicJoint:rotZ:gearing = -0.5\n"
                         " float physxMimicJoint:rotZ:offset = 0") +
                   ' def Xform "foot" ( apiSchemas = ["PhysicsRigidBodyAPI"] ) ' + link(3, 3) + '}\n')
        self.write("base.usda", '#usda 1.0\n( metersPerUnit = 1 )\ndef PhysicsScene "scene" { vector3f physics:gravityDirection = (0, 1, 0)\n'
                   ' float physics:gravityMagnitude = 2 }\n')
        report = self.bring("s.usda", '#usda 1.0\n( metersPerUnit = 1\n upAxis = "Z"\n subLayers = [ @base.usda@ ] )\ndef Xform "World"\n{\n'
                            ' def Xform "left" ( prepend references = @leg.usda@\n variants = { string knee = "hinged" } )\n {\n  over "upper" { float '
                            'physics:mass = 5 }\n }\n def "right" ( references = @leg.usda@</Leg> ) { over "ankle" ( active = false ) { bool '
                            'physics:jointEnabled = false } }\n}\n')
        self.assertEqual({(b["source"], b["own_mass"] if "own_mass" in b else b["mass"]) for b in report["bodies"]} >=
                         {("/World/left/upper", 5), ("/World/left/lower", 7), ("/World/left/foot", 3), ("/World/right/foot", 3)}, True, report["bodies"])
        self.assertEqual([(j["name"], j["type"]) for j in report["joints"]],
                         [("hip", "revolute"), ("knee", "revolute"), ("ankle", "revolute"), ("hip_2", "revolute"), ("knee_2", "fixed")])
        self.assertEqual([report["freedoms"], report["couplings"]], [2 + 1 + 6, 1])
        self.assertIn("gravity: [0, 2, 0]", self.mechanism())
        knee, ankle = self.at_end(["knee.angle", "ankle.angle"], 0.2)
        self.assertGreater(abs(knee), 0.001)
        self.assertAlmostEqual(ankle, 0.5 * knee, delta=1e-9)

    def test_composition_in_circles(self):
        body = self.BODY(kind="Cube", name="a", more="")
        for text in ('def "b" ( references = </b> ) { }', 'def "b" { def "c" ( references = </b> ) { } }', 'def "b" ( references = @s.usda@</b> ) { }',
                     'def "b" ( inherits = </c> ) { }\ndef "c" ( inherits = </b> ) { }'):
            self.refused("s.usda", self.HEAD + body + text, "refers to itself")

    def test_bases(self):
        """An articulation with a fixed base is held at its first link; a machine that hangs on nothing is told."""
        text = (self.HEAD + 'def Xform "w"\n{\n    bool physxArticulation:isFixedBase = true\n' +
                "".join(self.BODY(kind="Cube", name=n, more="") for n in "ab") + '}\ndef PhysicsRevoluteJoint "j"\n{\n'
                "    rel physics:body0 = </w/b>\n    rel physics:body1 = </w/a>\n}\n")
        report = self.bring("s.usda", text)
        self.assertEqual(report["freedoms"], 1, report)
        self.assertEqual([b["part_of"] for b in report["bodies"] if "part_of" in b], ["ground"])
        self.assertIn("between: [ground, a]", self.mechanism())
        report = self.bring("s.usda", text.replace("isFixedBase = true", "isFixedBase = false"))
        self.assertEqual(report["freedoms"], 7)
        self.assertTrue(any("nothing holds the machine" in n["message"] for n in report["notes"]))

    def test_mistakes(self):
        self.refused("s.usda", self.HEAD + 'def Xform "a" {', "'}' is missing")
        self.refused("s.usda", self.HEAD + 'def Xform "a" { double x = "b', "a text does not end")
        self.refused("s.usda", self.HEAD + self.BODY(kind="Xform", name="a", more="float physics:mass = nan"), "physics:mass of '/a' is not a "
                     "number")
        self.refused("s.usda", self.HEAD + 'def Xform "a" { }', "no prim has the PhysicsRigidBodyAPI")
        self.refused("s.usda", self.HEAD + self.BODY(kind="Xform", name="a", more="float physics:mass = (1, 2)"), "s.usda:10:1",
                     "expected 1 numbers, there are 2")
        self.refused("s.usda", self.HEAD + 'def Xform "a" {' * 5000, "nested too deep")
        self.refused("s.usda", self.HEAD + 'def Xform "a" { double x = ' + "(" * 5000, "nested too deep")
        self.refused("s.usdc", b"PXR-USDC\0\0\0\0", "usdcat")
        report = self.bring("s.usda", self.HEAD + self.BODY(kind="Cube", name="a", more="") + 'def "b" ( references = @x.usd@</y> ) { }')
        self.assertTrue(any("flatten" in n["message"] for n in report["notes"]))


class Export(Case):
    """Machines that go out come back the same."""

    def exported(self, model, name):
        return json.loads(self.tenon("export", model, "-o", name, "--json").stdout)

    def test_round_trips(self):
        """The arm with its damping, twice through a file: mass matrix to 1e-9, motion to 1e-8."""
        self.bring("arm.urdf", robots.urdf(ARM))
        matrix = self.mass_matrix(COORDINATES)
        self.motion(COORDINATES)
        end = self.last("out/probe.yaml")
        for name in ("again.urdf", "again.xml"):
            with self.subTest(name):
                self.bring("arm.urdf", robots.urdf(ARM))
                answer = self.exported("out/model.yaml", name)
                self.assertEqual((answer["bodies"], answer["joints"], answer["loops"], answer["notes"]), (5, 5, 0, []))
                shutil.rmtree(self.folder / "out")
                report = json.loads(self.tenon("import", name, "-o", "out", "--json").stdout)
                self.assertEqual((report["freedoms"], report["redundant"]), (5, 0))
                self.same(self.mass_matrix(COORDINATES), matrix, 1e-9)
                self.motion(COORDINATES)
                back = self.last("out/probe.yaml")
                wanted = [c + rate for c in COORDINATES for rate in ("", ".rate")]
                self.same([back[c] for c in wanted], [end[c] for c in wanted], 1e-8)

    def test_rotors_and_names(self):
        """Rotors are armature of their joints, no bodies with mass; links that stand between joints get names that no body has."""
        self.bring("m.xml", '<mujoco><option gravity="2 0 -9.81"/><worldbody><body name="b"><joint name="h" axis="0 1 0" armature="0.3"/><geom size=".1" '
                   'pos=".3 0 0"/><body name="b_1" pos=".5 0 0"><joint name="s" type="slide" axis="1 0 1" armature="2"/><geom size=".1"/></body>'
                   '</body><body name="c"><joint name="ball" type="ball"/><geom size=".1" pos=".1 0 .2"/></body><body name="c_1" pos="0 1 0"><freejoint/>'
                   '<geom size=".1"/></body></worldbody></mujoco>')
        names = ["h.angle", "s.position"]
        self.motion(names)
        end = self.last("out/probe.yaml")
        mass = 4 * 1000 * 4 / 3 * math.pi * 0.1 ** 3
        for name in ("again.urdf", "again.xml", "again.simscape.xml"):
            with self.subTest(name):
                answer = self.exported("out/model.yaml", name)
                self.assertEqual(answer["bodies"], 4)
                self.assertEqual(sum("rotors" in n for n in answer["notes"]), 2 if "simscape" in name else 0)
                report = json.loads(self.tenon("import", name, "-o", "back", "--json", "--base=free").stdout)
                self.assertEqual((report["freedoms"], report["assembled"]), (11, True))
                self.assertAlmostEqual(report["mass"], mass, delta=1e-5)
                if name == "again.xml":
                    self.write("back/probe.yaml", (self.folder / "out/probe.yaml").read_text())
                    back = self.last("back/probe.yaml")
                    self.same([back[c] for c in names], [end[c] for c in names], 1e-8)

    def test_losses_and_free_joints(self):
        """Friction goes along, free joints are free elsewhere, and what a format lacks is told by its name."""
        self.write("m.yaml", "tenon: 1\ngravity: [0, 0, -9.81]\nbodies: { a: { mass: 1, inertia: [1, 1, 1], com: [0.1, 0, 0] }, b: { mass: 1, inertia: "
                   "[1, 1, 1], position: [0, 0, 2] }, c: { mass: 1, inertia: [1, 1, 1] } }\njoints:\n"
                   "  h: { type: revolute, between: [ground, a], axis: [0, 1, 0], limits: { angle: [-2, 2] } }\n"
                   "  s: { type: prismatic, between: [a, c], axis: [1, 0, 0] }\n  f: { type: free, between: [ground, b] }\n"
                   "forces: { loss: { type: torsion-spring, joint: h, damping: 0.2 } }\n"
                   "devices: { rub: { type: clutch, shaft: h.angle, capacity: 0.1 }, slip: { type: slide-brake, slide: s.position, capacity: 0.4 } }\n"
                   "outputs: [h.angle, s.position]\nsolve: { until: 1, tolerance: 1e-10, absolute_tolerance: 1e-10, record: 0.5 }\n")
        end = self.last("m.yaml")
        for name in ("again.urdf", "again.xml"):
            with self.subTest(name):
                self.assertEqual(self.exported("m.yaml", name)["notes"], [])
                report = json.loads(self.tenon("import", name, "-o", "out", "--json", "--base=free").stdout)
                self.assertEqual(report["freedoms"], 8)
                self.write("out/probe.yaml", "tenon: 1\ninclude: mechanism.yaml\noutputs: [h.angle, s.position]\nsolve: { until: 1, tolerance: "
                           "1e-10, absolute_tolerance: 1e-10, record: 0.5 }\n")
                back = self.last("out/probe.yaml")
                self.same([back["h.angle"], back["s.position"]], [end["h.angle"], end["s.position"]], 1e-7)
                shutil.rmtree(self.folder / "out")
        notes = self.exported("m.yaml", "again.simscape.xml")["notes"]
        self.assertEqual(notes, ["limits, damping, friction along 'h' left out: the format has none",
                                 "friction along 's' left out: the format has none"])

    def test_simscape(self):
        """Bodies, loops and masses come back; what the format lacks is noted."""
        self.write("loop.yaml", self.LOOP)
        answer = self.exported("loop.yaml", "again.simscape.xml")
        self.assertEqual((answer["bodies"], answer["joints"], len(answer["notes"])), (3, 4, 1))
        self.assertIn("pivot", answer["notes"][0])
        report = json.loads(self.tenon("import", "again.simscape.xml", "-o", "out", "--json").stdout)
        self.assertEqual((report["freedoms"], report["moved"]), (1, []))
        self.assertEqual({j["name"]: j["type"] for j in report["joints"] if not j["merged"]},
                         {"pivot": "revolute", "eye": "revolute", "ball": "spherical", "slide": "prismatic"})
        text = self.LOOP.replace("forces: {", "disabled_forces: {").split("disabled_forces")[0]
        self.write("out/probe.yaml", (self.folder / "out/model.yaml").read_text().split("solve:")[0] +
                   "initial: { pivot: { angle_rate: 1 } }\noutputs: [block.position.x]\nsolve: { until: 1, tolerance: 1e-10, "
                   "absolute_tolerance: 1e-10, record: 0.5 }\n")
        self.write("plain.yaml", text + self.LOOP.split("damping: 0.2 } }\n")[1])
        self.assertAlmostEqual(self.last("out/probe.yaml")["block.position.x"], self.last("plain.yaml")["block.position.x"],
                               delta=1e-8)

    LOOP = """tenon: 1
name: loop
gravity: [0, 0, -9.81]
bodies:
  crank: { mass: 1, inertia: [0.01, 0.02, 0.02], position: [0, 0, 0], com: [0.1, 0, 0] }
  rod: { mass: 2, inertia: [0.01, 0.1, 0.1], position: [0.2, 0, 0], com: [0.25, 0, 0] }
  block: { mass: 3, inertia: [0.1, 0.1, 0.1], position: [0.7, 0, 0], shapes: [ { box: { size: [0.1, 0.1, 0.1] } } ] }
joints:
  pivot: { type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0] }
  eye: { type: revolute, between: [rod, crank], at: [0.2, 0, 0], axis: [0, 1, 0] }
  ball: { type: spherical, between: [rod, block], at: [0.7, 0, 0] }
  slide: { type: prismatic, between: [block, ground], at: [0.7, 0, 0], axis: [1, 0, 0] }
forces: { coil: { type: torsion-spring, joint: pivot, stiffness: 5, rest: 0.3, damping: 0.2 } }
initial: { pivot: { angle: 0.7, angle_rate: 1 } }
outputs: [pivot.angle, block.position.x]
solve: { until: 1, tolerance: 1e-10, absolute_tolerance: 1e-10, record: 0.5 }
"""

    def last(self, model):
        self.tenon("run", model, "-o", "run.csv", "--quiet")
        rows = list(csv.reader((self.folder / "run.csv").read_text().splitlines()))
        return {k.split(" ")[0]: float(v) for k, v in zip(rows[0], rows[-1])}

    def test_a_loop_with_a_start_and_reversed_joints(self):
        """MJCF keeps the start and closes the loop; the slide, which MJCF cannot close, stays in the tree."""
        self.write("loop.yaml", self.LOOP.replace(", angle_rate: 1", ""))
        wanted = self.last("loop.yaml")
        answer = self.exported("loop.yaml", "loop.xml")
        self.assertEqual((answer["loops"], answer["notes"]), (1, []))
        report = json.loads(self.tenon("import", "loop.xml", "-o", "out", "--json").stdout)
        self.assertEqual(report["freedoms"], 1)
        self.write("out/probe.yaml", (self.folder / "out/model.yaml").read_text().split("solve:")[0] +
                   "outputs: [block.position.x]\nsolve: { until: 1, tolerance: 1e-10, absolute_tolerance: 1e-10 }\n")
        back = self.last("out/probe.yaml")
        self.assertAlmostEqual(back["pivot.angle"], wanted["pivot.angle"], delta=1e-8)
        self.assertAlmostEqual(back["block.position.x"], wanted["block.position.x"], delta=1e-8)
        answer = self.exported("loop.yaml", "loop.urdf")
        self.assertEqual(answer["loops"], 1)
        self.assertTrue(any("it is cut" in n for n in answer["notes"]) and any("start at zero" in n for n in answer["notes"]))

    def test_other_joints_and_couplings(self):
        """Universal, cylindrical, planar, free, gear and rack keep their freedoms."""
        body = "{ mass: 1, inertia: [0.1, 0.1, 0.1] }"
        self.write("m.yaml", "tenon: 1\nbodies: { a: %s, b: %s, c: %s, d: %s, e: %s, f: %s }\n" % ((body,) * 6) +
                   "joints:\n  u: { type: universal, between: [ground, a], axis: [0, 0, 1], axis2: [1, 0, 0] }\n"
                   "  y: { type: cylindrical, between: [b, a], axis: [0, 1, 0] }\n  p: { type: planar, between: [ground, c], axis: [0, 0, 1] }\n"
                   "  r: { type: revolute, between: [ground, e], axis: [0, 0, 1] }\n  s: { type: prismatic, between: [ground, f], axis: [1, 0, 0] }\n"
                   "  k: { type: rack-and-pinion, joints: [r, s], radius: 0.2 }\n")
        for name, freedoms in (("m.xml", 14), ("m.urdf", 14)):
            with self.subTest(name):
                self.exported("m.yaml", name)
                report = json.loads(self.tenon("import", name, "-o", name + ".out", "--json").stdout)
                self.assertEqual(report["freedoms"], freedoms)

    def test_animation(self):
        """Nodes and times of the glTF; the last key is where the run ends."""
        self.write("loop.yaml", self.LOOP)
        wanted = self.last("loop.yaml")
        self.exported("loop.yaml", "loop.glb")
        data = (self.folder / "loop.glb").read_bytes()
        magic, version, size, length, kind = struct.unpack("<4sIII4s", data[:20])
        document, binary = json.loads(data[20:20 + length]), data[20 + length + 8:]
        self.assertEqual((magic, version, size, kind), (b"glTF", 2, len(data), b"JSON"))
        self.exported("loop.yaml", "loop.gltf")
        text = json.loads((self.folder / "loop.gltf").read_text())
        self.assertEqual(base64.b64decode(text["buffers"][0]["uri"].split(",")[1]), binary)
        for accessor in document["accessors"]:
            view = document["bufferViews"][accessor["bufferView"]]
            width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
            self.assertEqual(view["byteLength"], 4 * width * accessor["count"])
        animation = document["animations"][0]

        def keys(node, path):
            number = [n["name"] for n in document["nodes"]].index(node)
            channel = next(c for c in animation["channels"] if c["target"] == {"node": number, "path": path})
            sampler = animation["samplers"][channel["sampler"]]
            out = []
            for end in ("input", "output"):
                accessor = document["accessors"][sampler[end]]
                view = document["bufferViews"][accessor["bufferView"]]
                part = binary[view["byteOffset"]:view["byteOffset"] + view["byteLength"]]
                out.append(struct.unpack(f"<{len(part) // 4}f", part))
            return out
        times, values = keys("block", "translation")
        self.assertEqual((len(times), times[0], times[-1]), (31, 0.0, 1.0))
        self.assertAlmostEqual(values[-3], wanted["block.position.x"], delta=1e-6)
        _, turns = keys("crank", "rotation")
        for k in range(0, len(turns), 4):
            self.assertAlmostEqual(sum(v * v for v in turns[k:k + 4]), 1, delta=1e-6)
        self.assertEqual(len(document["meshes"]), 1)


class Simscape(Case):
    JOINTS = {"frame-1_crank-1": "revolute", "frame-1_rocker-1": "revolute", "crank-1_coupler-1": "revolute",
              "coupler-1_rocker-1": "revolute"}

    def joints(self, report):
        return {j["name"]: j["type"] for j in report["joints"] if j["used"] and not j["merged"]}

    def test_mates_become_joints(self):
        report = self.bring("a.xml", assemblies.simscape())
        self.assertEqual(self.joints(report), self.JOINTS)
        self.assertEqual((report["equations"], report["rank"], report["freedoms"]), (20, 17, 1))
        self.assertEqual((report["moved"], report["subsystems"]), ([], 1))
        parts = {b["source"]: b["part_of"] for b in report["bodies"] if "part_of" in b}
        self.assertEqual(parts, {"frame-1": "ground", "arm-1": "crank-1", "cover-1": "rocker-1",
                                 "cover-1/plate-1": "rocker-1", "cover-1/screw-1": "rocker-1"})
        self.assertIn("use: part-arm-1.yaml", (self.folder / "out/mechanism.yaml").read_text())

    def test_edges_and_limit_mates(self):
        """Axes of edges are as long as the edges, in lengths of the file; limit mates hold no distance."""
        short = assemblies.simscape().replace("<Axis>0 0 1</Axis>", "<Axis>0 0 0.01</Axis>").replace('"cylinder"', '"line"')
        self.assertEqual(self.joints(self.bring("a.xml", short)), self.JOINTS)
        far = "".join(assemblies.mate(*m) for m in (
            ("Distance", "LimitDistance1", ("plane", ["frame-1"], (0, 0, 0), (1, 0, 0)), ("point", ["rocker-1"], (0, 0, 0), (0, 0, 0))),
            ("Angle", "LimitAngle1", ("plane", ["frame-1"], (0, 0, 0), (1, 0, 0)), ("plane", ["rocker-1"], (0, 0, 0), (1, 0, 0))),
            ("Distance", "LimitDistance2", ("plane", ["frame-1"], (0, 0, 0), (0, 0, 1)), ("plane", ["rocker-1"], (0, 0, 0), (0, 0, 1)))))
        report = self.bring("a.xml", assemblies.simscape(extra=far))
        self.assertEqual(report["freedoms"], 1)
        self.assertEqual(sum("format does not hold its range" in n["message"] for n in report["notes"]), 3)
        held = far.replace("LimitAngle1", "Angle1")
        self.assertEqual(self.bring("a.xml", assemblies.simscape(extra=held))["freedoms"], 0)

    def test_skeletons_and_parts_without_density(self):
        """Creo writes the skeleton as a part without mass, and 1 kg/mm^3 where nobody has set a density."""
        text = assemblies.simscape().replace("</InstanceTree>", assemblies.instance("skel-1", "skel") + "</InstanceTree>")
        text = text.replace("</Parts>", '<Part name="skel" uid="skel"><MassProperties><Mass>0</Mass><CenterOfMass>0 0 0</CenterOfMass>'
                            '<Inertia>0 0 0 0 0 0</Inertia></MassProperties></Part></Parts>')
        report = self.bring("a.xml", text)
        self.assertEqual(report["freedoms"], 1, report)
        self.assertEqual([e["count"] for e in report["left_out"] if "nothing holds" in e["what"]], [1], report["left_out"])
        self.assertFalse(any("denser" in n["message"] for n in report["notes"]))
        heavy = re.sub(r"<Mass>([^<]+)</Mass>", lambda m: f"<Mass>{float(m[1]) * 1e9}</Mass>", text)
        heavy = re.sub(r"<Inertia>([^<]+)</Inertia>", lambda m: "<Inertia>" + " ".join(str(float(v) * 1e9) for v in m[1].split()) +
                       "</Inertia>", heavy)
        report = self.bring("a.xml", heavy)
        self.assertTrue(any("denser than any material" in n["message"] for n in report["notes"]), report["notes"])

    def test_rows_that_say_nothing_new_do_not_drift(self):
        self.bring("a.xml", assemblies.simscape())
        text = (self.folder / "out/model.yaml").read_text().split("solve:")[0]
        self.write("out/probe.yaml", text + "gravity: [0, -9.81, 0]\nsolve: { until: 10 s, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n"
                   "expect: { drift: 1e-10, energy: 1e-8 }\n")
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")

    def test_what_does_not_fit_is_put_together(self):
        report = self.bring("a.xml", assemblies.simscape(off=math.radians(1.4)))
        self.assertEqual(self.joints(report), self.JOINTS)
        self.assertEqual((report["freedoms"], report["redundant"]), (1, 3))
        moved = {m["name"]: m["angle"] for m in report["moved"]}
        self.assertEqual(set(moved), {"arm-1.crank-1", "arm-1.coupler-1", "rocker-1"})
        self.assertGreater(moved["rocker-1"], math.radians(2))
        done = self.tenon("info", "out/model.yaml", "--json")
        self.assertEqual(json.loads(done.stdout)["gaps"], [])

    def test_units(self):
        text = assemblies.simscape(units="inch")
        report = self.bring("a.xml", text)
        self.assertEqual(report["freedoms"], 1)
        self.assertIn("position: [0.0254, 0, 0]", (self.folder / "out/mechanism.yaml").read_text())
        self.refused("b.xml", text.replace('length="inch"', 'length="cubit"'), "unit 'cubit' is not known", words=("-o", "b"))

    def test_unknown_mates_are_told(self):
        extra = assemblies.mate("Symmetric", "Sym1", ("plane", ["frame-1"], (0, 0, 0), (0, 0, 1)),
                                ("plane", ["rocker-1"], (0, 0, 0), (0, 0, 1)))
        report = self.bring("a.xml", assemblies.simscape(extra=extra))
        self.assertTrue(any("mate 'Sym1' (Symmetric between plane and plane) is not understood" in n["message"]
                            for n in report["notes"]))

    def test_joints_of_onshape(self):
        frame = ('<{0}><InstancePath><Uid>{1}</Uid></InstancePath><Transform><Rotation>1 0 0 0 1 0 0 0 1</Rotation>'
                 '<Translation>{2}</Translation></Transform></{0}>').format
        text = assemblies.simscape()
        joints = (f'<Joints><Revolute name="r">{frame("BaseFrame", "a/+1", "0 0 0")}{frame("FollowerFrame", "b/+2", "0 0 0")}'
                  f'</Revolute><Weld name="w">{frame("BaseFrame", "b/+2", "0 0 0")}{frame("FollowerFrame", "c", "0 0 -1")}'
                  f'</Weld></Joints>')
        tree = (assemblies.instance("a", "crank*:*Default", more=' grounded="true"').replace('uid="a"', 'uid="a/+1"') +
                assemblies.instance("b", "crank*:*Default").replace('uid="b"', 'uid="b/+2"') +
                assemblies.instance("c", "rocker*:*Default", at=(0, 0, 1)))
        head, tail = text.split("<InstanceTree>")[0], text.split("</RootAssembly>")[1]
        report = self.bring("a.xml", f"{head}<InstanceTree>{tree}</InstanceTree><Constraints/>{joints}</RootAssembly>{tail}")
        self.assertEqual((self.joints(report), report["freedoms"]), ({"r": "revolute"}, 1))

    def test_wrong(self):
        good = assemblies.simscape()
        self.refused("a.xml", '<SimMechanicsImportXML version="1.0"/>', "version 1.0 of the format")
        self.refused("a.xml", good.replace('version="2.0"', 'version="4.0"'), "version 4.0 of the format is not known")
        self.refused("a.xml", good.replace("<Uid>rocker-1</Uid>", "<Uid>rocker-7</Uid>"), "there is no instance 'rocker-7'")
        self.refused("a.xml", good.replace("<Rotation>1 ", "<Rotation>2 ", 1), "is no rotation")
        self.refused("a.xml", good.replace("<Rotation>1 ", "<Rotation>nan ", 1), "expected 9 finite numbers")
        self.refused("a.xml", good[:3000], "not well-formed XML")


class Asmt(Case):
    def test_four_bar_with_its_solution(self):
        times = [k / 20 for k in range(21)]
        report = self.bring("a.asmt", assemblies.asmt(series=assemblies.asmt_series(times)))
        self.assertEqual((report["equations"], report["rank"], report["freedoms"]), (21, 18, 0))
        self.tenon("run", "out/model.yaml", "-o", "run.csv", "--quiet")      # judged by the series of the file
        lines = (self.folder / "out/reference.csv").read_text().splitlines()
        self.write("out/reference.csv", "\n".join([*lines[:-1], ",".join(["1", "9", *lines[-1].split(",")[2:]])]) + "\n")
        self.tenon("run", "out/model.yaml", "-o", "run.csv", "--quiet", status=6)

    def test_without_drive(self):
        report = self.bring("a.asmt", assemblies.asmt(drive=""))
        self.assertEqual(report["freedoms"], 1)
        self.assertIn("gravity: [0, -9.81, 0]", (self.folder / "out/mechanism.yaml").read_text())

    def test_wrong(self):
        self.refused("a.asmt", assemblies.asmt().replace("/Assembly1/crank/M2", "/Assembly1/crank/M3"), "there is no marker")
        self.refused("a.asmt", "OndselSolver\nAssembly\n\t\t\tName\n", "a.asmt:3:1: error: a line that is indented")
        self.refused("a.asmt", assemblies.asmt().replace("\t0.59", "\tnan", 1).replace("Mass\n\t\t\t\t\t0.", "Mass\n\t\t\t\t\tnan", 1),
                     "finite number")
        self.refused("a.asmt", "OndselSolver\nAssembly\n\tName\n\t\tA\n", "has no parts")
        report = self.bring("a.asmt", assemblies.asmt(joint="CurveCurveContact", drive=""))
        self.assertEqual(len([n for n in report["notes"] if "is not understood" in n["message"]]), 4)
        report = self.bring("a.asmt", assemblies.asmt(drive="mystery(time)"))
        self.assertTrue(any("'mystery' in its function" in n["message"] for n in report["notes"]), report)

    def test_joints_that_contradict_each_other_by_rounding(self):
        text = assemblies.asmt(drive="")
        old = assemblies.asmt_markers(3, [("M2", (assemblies.BARS["crank"], 0, 0))])[len("\t\t\tRefPoints\n"):]
        self.assertIn(old, text)
        report = self.bring("a.asmt", text.replace(old, old.replace("\t0\t0\n", "\t0\t1e-7\n", 1), 1))
        self.assertTrue(report["assembled"] and report["freedoms"] == 1, report)
        self.assertTrue(any("contradict each other a little: 1 of them is taken" in n["message"] for n in report["notes"]), report)
        self.tenon("run", "out/model.yaml", "--until", "0.1", "-o", "x.csv", "--quiet")
        report = self.bring("b.asmt", text.replace(old, old.replace("\t0\t0\n", "\t0\t0.01\n", 1), 1), "-o", "far")
        self.assertFalse(report["assembled"])

    def test_shafts_at_an_angle(self):
        """Constant velocity: the z axes of both markers point away from the joint."""
        angle = 0.4
        head = ("title\nUNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND\nPART/1, GROUND\nMARKER/1, PART=1, QP=0,0,1, ZP=0,0,2\n"
                f"MARKER/2, PART=1, QP={math.sin(angle)},0,{-math.cos(angle)}, ZP={2 * math.sin(angle)},0,{-2 * math.cos(angle)}\n")
        part = "PART/{0}, MASS=1, CM={0}0, IP=1,1,1\nMARKER/{0}0, QP=0,0,0\n"
        text = (head + part.format(3) + "MARKER/31, QP=0,0,1\nMARKER/32, ZP=0,0,1, XP=0,1,0\n" + part.format(4) +
                f"MARKER/41, QP={math.sin(angle)},0,{-math.cos(angle)}, ZP={2 * math.sin(angle)},0,{-2 * math.cos(angle)}\n"
                f"MARKER/42, ZP={math.sin(angle)},0,{-math.cos(angle)}, XP=0,1,0\n"
                "JOINT/1, REVOLUTE, I=31, J=1\nJOINT/2, REVOLUTE, I=41, J=2\nJOINT/3, CONVEL, I=42, J=32\n"
                "MOTION/1, ROTATION, JOINT=1, FUNCTION=3*TIME**2\n")
        report = self.bring("m.adm", text)
        self.assertEqual(report["freedoms"], 0, report)
        for until in (0.3, 0.7):       # equal and opposite about axes that point away from each other, at every moment
            self.assertAlmostEqual(self.at_end(["JOINT_2.angle"], until)[0], -3 * until ** 2, delta=1e-8)

    def test_series_with_blanks(self):
        """Files of the older writer have a blank between the word and the part."""
        self.bring("a.asmt", assemblies.asmt(series=assemblies.asmt_series([0.0, 0.5, 1.0], mark=" ")))
        self.assertTrue((self.folder / "out/reference.csv").exists())

    def wheels(self, joints="", motions="", forces="", limits="", second=(0.3, 0, 0)):
        """Two bars that turn about z at the origin and at (0.3, 0, 0)."""
        item = assemblies.asmt_item
        ends = [("M1", (0, 0, 0)), ("M2", (0.1, 0, 0))]
        parts = [("one", (0.0, (0, 0, 0)), 0.1, ends), ("two", (0.0, second), 0.1, ends)]
        hinge = item("RevoluteJoint", "H1", MarkerI="/Assembly1/A", MarkerJ="/Assembly1/one/M1")
        return self.bring("a.asmt", assemblies.asmt_file([("A", (0, 0, 0)), ("B", (0.3, 0, 0))], parts, hinge + joints, motions,
                                                         limits, forces).replace("0\t-9.81\t0", "0\t0\t0"))

    def test_gears_racks_and_screws(self):
        item = assemblies.asmt_item
        turn = item("RotationalMotion", "turn", MotionJoint="/Assembly1/H1", RotationZ="2.0d*time")
        second = item("RevoluteJoint", "H2", MarkerI="/Assembly1/B", MarkerJ="/Assembly1/two/M1")
        mesh = {"MarkerI": "/Assembly1/one/M1", "MarkerJ": "/Assembly1/two/M1"}
        report = self.wheels(second + item("GearJoint", "G", **mesh, radiusI=0.1, radiusJ=0.2), turn)
        self.assertEqual((report["freedoms"], report["redundant"]), (0, 0), report)
        self.assertAlmostEqual(self.at_end(["H2.angle"], 0.5)[0], -0.5, delta=1e-9)
        slide = item("TranslationalJoint", "S", MarkerI="/Assembly1/B", MarkerJ="/Assembly1/two/M1")
        self.wheels(slide + item("ScrewJoint", "T", MarkerI="/Assembly1/one/M1", MarkerJ="/Assembly1/two/M1", pitch=0.06), turn)
        # The screw turns by 1 rad against part two, which does not turn.
        self.assertAlmostEqual(self.at_end(["S.position"], 0.5)[0], -0.06 / (2 * math.pi), delta=1e-9)
        report = self.wheels(slide + item("RackPinionJoint", "R", MarkerI="/Assembly1/two/M1", MarkerJ="/Assembly1/one/M1",
                                          pitchRadius=0.05), turn)
        self.assertEqual([j["type"] for j in report["joints"] if j["name"] == "R"], ["rack-mesh"])
        report = self.wheels(slide + item("RackPinionJoint", "R", MarkerI="/Assembly1/two/M1", MarkerJ="/Assembly1/one/M1",
                                          pitchRadius=0), turn)
        self.assertEqual([j["used"] for j in report["joints"] if j["name"] == "R"], [False])
        self.assertTrue(any("radius of 0 holds nothing" in n["message"] for n in report["notes"]), report)
        self.tenon("check", "out/model.yaml")

    def test_motions_of_a_pose(self):
        item = assemblies.asmt_item
        places = {"rIJI1": "0.3 + 0.1*sin(2.0*pi*time - 0)", "rIJI2": '"a comment"<n>0.2*time', "rIJI3": "spline(time, 3, <n>0, 0,<n>1, 0.5,<n>2, 1)"}
        for order, angles, wanted in (("1\t2\t3", ("0.3*time", "0.4*time", "0.5*time"), "xyz"),
                                      ("3\t2\t1", ("0.3*time", "0.4*time", "0.5*time"), "zyx"),
                                      ("2\t3\t1", ("0", "0.4*time", "0"), "zyx")):
            turns = dict(zip(("angIJJ1", "angIJJ2", "angIJJ3"), angles))
            report = self.wheels(motions=item("GeneralMotion", "fly", MarkerI="/Assembly1/A", MarkerJ="/Assembly1/two/MassMarker",
                                              **places, **turns, RotationOrder=order))
            self.assertEqual(report["freedoms"], 1, report)
            frame = "fly.x, fly.y, fly.z".split(", ")
            at = self.at_end([*frame, *(f"two.euler_{wanted}_{k}" for k in (1, 2, 3))], 0.5)
            expected = [0.15, 0.2, 0.25] if wanted == "xyz" or order[0] == "3" else [0.2, 0, 0]
            for got, want in zip(at, [0.3 + 0.1 * math.sin(math.pi), 0.1, 0.25, *expected]):
                self.assertAlmostEqual(got, want, delta=1e-8)
        report = self.wheels(motions=item("GeneralMotion", "fly", MarkerI="/Assembly1/A", MarkerJ="/Assembly1/two/M1",
                                          angIJJ1="time", angIJJ2="time", RotationOrder="2\t3\t1"))
        self.assertTrue(any("in an order that has no counterpart" in n["message"] for n in report["notes"]), report)
        self.wheels(motions=item("GeneralMotion", "fly", MarkerI="/Assembly1/A", MarkerJ="/Assembly1/two/M1",
                                 rIJI1="spline(time, 3, 0, 0, 0, 0.5, 1, 1)"))
        self.tenon("check", "out/model.yaml")

    def test_limits_and_forces(self):
        item = assemblies.asmt_item
        self.bring("a.asmt", assemblies.asmt(drive="", limits=(
            item("RotationLimit", "low", MotionJoint="/Assembly1/J1", Limit="-30*pi/180.0", Type="=>", Tol="1e-9") +
            item("RotationLimit", "high", MarkerI="/Assembly1/A", MarkerJ="/Assembly1/crank/M1", Limit="2.5d", Type="=<"))))
        text = (self.folder / "out/mechanism.yaml").read_text()
        self.assertRegex(text, r"angle: \[-0\.5235987755982\d*, 2\.5\]")
        spring = item("InLineForceTorque", "spring", MarkerI="/Assembly1/A", MarkerJ="/Assembly1/two/M1",
                      tension="(1.0d + 20.0d*(rIJ(self) + (-0.25d)) + 0.5d*vrIJ(self))", twist="0")
        slide = item("TranslationalJoint", "S", MarkerI="/Assembly1/B", MarkerJ="/Assembly1/two/M1")
        self.wheels(slide, forces=spring, second=(0.3, 0, 0.4))
        # Along z: m z'' = -T z / r with r^2 = 0.3^2 + z^2, in small steps of a method of its own.
        z, v, h = 0.4, 0.0, 1e-4

        def rate(z, v):
            r = math.hypot(0.3, z)
            return v, -(1 + 20 * (r - 0.25) + 0.5 * v * z / r) * z / r / 0.2
        for _ in range(1000):
            a = rate(z, v)
            b = rate(z + h / 2 * a[0], v + h / 2 * a[1])
            c = rate(z + h / 2 * b[0], v + h / 2 * b[1])
            d = rate(z + h * c[0], v + h * c[1])
            z, v = (q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for q, k1, k2, k3, k4 in zip((z, v), a, b, c, d))
        self.assertAlmostEqual(self.at_end(["S.position"], 0.1)[0], z, delta=1e-7)


class FreeCad(Case):
    def test_both_dialects(self):
        for dialect in ("1.0", "1.1"):
            with self.subTest(dialect):
                report = self.bring("a.FCStd", assemblies.archive(assemblies.freecad(dialect)))
                self.assertEqual((report["equations"], report["rank"], report["freedoms"], report["moved"]), (20, 17, 1, []))
                self.assertEqual([j["type"] for j in report["joints"] if not j["merged"]], ["revolute"] * 4)
                self.assertIn("0.3", (self.folder / "out/mechanism.yaml").read_text())

    def test_limits_gears_and_what_is_off(self):
        flag = '<Property name="{0}" type="App::PropertyBool"><Bool value="{1}"/></Property>'.format
        number = '<Property name="{0}" type="App::PropertyFloat"><Float value="{1}"/></Property>'.format
        wheels = [(n, "Part::Feature", assemblies.fc_placement("Placement", (x, 1, 0))) for n, x in (("w1", 0), ("w2", 0.3))]
        limits = flag("EnableAngleMin", "true") + number("AngleMin", "-90") + flag("EnableAngleMax", "false") + number(
            "AngleMax", "5")
        joints = [assemblies.fc_joint("Revolute", "H1", "1.1", "frame", (0, 1, 0), "w1", (0, 0, 0), limits),
                  assemblies.fc_joint("Revolute", "H2", "1.1", "frame", (0.3, 1, 0), "w2", (0, 0, 0)),
                  assemblies.fc_joint("Gears", "G", "1.1", "w1", (0, 0, 0), "w2", (0, 0, 0),
                                      number("Distance", "100") + number("Distance2", "200")),
                  assemblies.fc_joint("Fixed", "Off", "1.1", "w1", (0, 0, 0), "w2", (0, 0, 0), flag("Suppressed", "true"))]
        report = self.bring("a.FCStd", assemblies.archive(assemblies.freecad("1.1", joints, wheels)))
        self.assertEqual((report["freedoms"], report["couplings"]), (2, 1))
        text = (self.folder / "out/mechanism.yaml").read_text()
        self.assertIn(f"limits: {{ angle: [{-math.pi / 2!r}, none] }}", text)
        self.assertIn("{ H1.angle: 0.1, H2.angle: 0.2 }", text)
        self.assertIn("joints that are not active", [x["what"] for x in report["left_out"]])

    def test_screw(self):
        """One equation, as FreeCAD solves it: the nut slides 0.3 m beside the axis of the screw, and stays there."""
        number = '<Property name="{0}" type="App::PropertyFloat"><Float value="{1}"/></Property>'.format
        parts = [(n, "Part::Feature", assemblies.fc_placement("Placement", (x, 1, 0))) for n, x in (("screw", 0), ("nut", 0.3))]
        joints = [assemblies.fc_joint("Revolute", "H", "1.1", "frame", (0, 1, 0), "screw", (0, 0, 0)),
                  assemblies.fc_joint("Slider", "S", "1.1", "frame", (0.3, 1, 0), "nut", (0, 0, 0)),
                  assemblies.fc_joint("Screw", "T", "1.1", "nut", (0, 0, 0), "screw", (0, 0, 0), number("Distance", "5"))]
        report = self.bring("a.FCStd", assemblies.archive(assemblies.freecad("1.1", joints, parts)), "--drive", "H=angle: 2 * pi * t")
        self.assertEqual((report["freedoms"], report["redundant"] - 3, report["moved"]), (1, 0, []), report)     # and the four-bar
        self.assertAlmostEqual(self.at_end(["S.position"], 0.5)[0], 0.0025 * -1, delta=1e-9)

    def test_wrong(self):
        good = assemblies.archive(assemblies.freecad())
        self.refused("a.FCStd", good[:len(good) // 2], "is not a whole zip archive", status=FILE)
        self.refused("a.FCStd", assemblies.archive("x", "Other.xml"), "no readable 'Document.xml'", status=FILE)
        self.refused("a.FCStd", assemblies.archive(assemblies.freecad()[:2000]), "not well-formed XML")
        self.refused("a.FCStd", assemblies.archive(" " * (130 << 20)), "has more than 128 MB", status=FILE)
        self.refused("a.FCStd", assemblies.archive(assemblies.fc_document([("B", "Part::Feature", "")])), "there is no assembly")
        self.refused("a.FCStd", assemblies.archive(assemblies.fc_document([("a2p_B", "Part::FeaturePython", "")])), "A2plus")


class Step(Case):
    """Files made by make_step_files, where the build has Open CASCADE."""

    def setUp(self):
        super().setUp()
        maker = Path(PROGRAM).parent / "tests/make_step_files"
        if not maker.exists() or not (Path(PROGRAM).parent / "tenon-cad").exists():
            self.skipTest("this build has no tenon-cad: Open CASCADE is not installed")
        subprocess.run([maker, self.folder], check=True, capture_output=True, timeout=TIMEOUT)

    def step(self, name, *words):
        return json.loads(self.tenon("import", name, "-o", "out", "--json", *words).stdout)

    def joints(self, report):
        return {j["name"]: j["type"] for j in report["joints"] if j["used"] and not j["merged"]}

    def test_four_bar_with_pins(self):
        report = self.step("four-bar.step", "--density", "7850")
        self.assertEqual(self.joints(report), {"frame_crank": "revolute", "frame_rocker": "revolute",
                                               "crank_coupler": "revolute", "coupler_rocker": "revolute"})
        self.assertEqual((report["equations"], report["rank"], report["freedoms"]), (20, 17, 1))
        self.assertTrue(all(j["confidence"] >= 0.7 for j in report["joints"] if j["used"]))
        bodies = {b["source"]: b for b in report["bodies"]}
        hole, pin = math.pi * 5.05e-3 ** 2 * 8e-3, math.pi * (5e-3 ** 2 * 16e-3 + 10e-3 ** 2 * 3e-3)
        bar = lambda length, width: 7850 * ((length + 0.03) * width * 8e-3 - 2 * hole)
        whole = bar(0.1, 0.03) + bar(0.3, 0.03) + bar(0.25, 0.03) + bar(0.32, 0.06) + 4 * 7850 * pin
        # pins belong to a bar or to the frame; what moves is the rest
        held = sum(7850 * pin for b in bodies.values() if "pin" in b["source"] and b.get("part_of") == "ground")
        self.assertAlmostEqual(report["mass"], whole - bar(0.32, 0.06) - held, delta=1e-9)
        self.tenon("run", "out/model.yaml", "--until", "0.5", "-o", "run.csv", "--quiet")

    def test_parts_in_files_of_their_own(self):
        names = {p.name for p in self.folder.iterdir() if p.name.startswith("rail_")}
        self.assertEqual(len(names), 2)
        whole = self.step("rail.step")
        self.assertEqual(self.joints(self.step("parted-rail.step")), self.joints(whole))
        self.write("away/keep", "")
        for name in names | {"parted-rail.step"}:               # called from another folder
            shutil.move(self.folder / name, self.folder / "away" / name)
        parted = json.loads(self.tenon("import", "away/parted-rail.step", "-o", "elsewhere", "--json").stdout)
        self.assertEqual((parted["mass"], parted["freedoms"]), (whole["mass"], whole["freedoms"]))
        self.assertTrue(all(n in (self.folder / "elsewhere/import.yaml").read_text() for n in names))
        text = (self.folder / "away/parted-rail.step").read_text()
        for name in names:
            text = text.replace(name, "../outside_" + name)
            shutil.move(self.folder / "away" / name, self.folder / ("outside_" + name))
        self.write("away/bad.step", text)
        self.assertIn("outside the folder of the import", self.tenon("import", "away/bad.step", "-o", "bad", status=MODEL).stderr)
        self.assertFalse((self.folder / "bad").exists())
        allowed = json.loads(self.tenon("import", "away/bad.step", ".", "-o", "fine", "--json").stdout)
        self.assertEqual(allowed["mass"], whole["mass"])
        for name in names:
            (self.folder / ("outside_" + name)).unlink()
        report = json.loads(self.tenon("import", "away/bad.step", "-o", "missing", "--json").stdout)
        self.assertEqual(sum("is not beside it" in n["message"] for n in report["notes"]), 2)

    def test_slider_in_a_tube(self):
        self.assertEqual(self.joints(self.step("rail.step")), {"tube_slider": "prismatic"})

    def test_screws_hold_and_neighbours_do_not(self):
        report = self.step("cover.step")
        self.assertEqual((self.joints(report), report["freedoms"]), ({}, 6))
        parts = {b["source"]: b["part_of"] for b in report["bodies"] if "part_of" in b}
        self.assertEqual(set(parts.values()), {"ground"})
        self.assertEqual(len(parts), 4)

    def test_proposals_are_accepted_and_rejected_by_name(self):
        report = self.step("four-bar.step", "--reject", "coupler_rocker")
        self.assertEqual(report["freedoms"], 3)
        self.assertEqual(self.step("four-bar.step")["freedoms"], 3)        # the decision is kept
        self.assertEqual(self.step("four-bar.step", "--accept", "coupler_rocker")["freedoms"], 1)
        self.assertEqual(self.step("four-bar.step", "--confidence", "0.8")["freedoms"], 3)

    def test_the_generated_set_is_inferred_without_false_proposals(self):
        """Every proposal from 0.7 on is a joint that is there; all are found; volumes are exact."""
        pair = lambda report: {j["key"]: j["type"] for j in report["joints"] if j["confidence"] < 1 and j["confidence"] >= 0.7}
        crank = self.step("slider-crank.step")
        self.assertEqual(pair(crank), {"housing_crank": "revolute", "crank_rod": "revolute", "rod_piston": "revolute",
                                       "housing_piston": "prismatic"})
        self.assertEqual((crank["equations"], crank["rank"], crank["freedoms"]), (20, 17, 1))
        bodies = {b["source"].split("/")[-1]: b for b in crank["bodies"]}
        disc = lambda radius, height: math.pi * radius ** 2 * height * 1e-9
        self.assertAlmostEqual(bodies["crank"]["volume"], disc(8, 10) + disc(35, 24) + disc(12, 5) + disc(6, 8), delta=1e-9 * 1e-4)
        self.assertAlmostEqual(bodies["rod"]["volume"], 154 * 20 * 8e-9 - 2 * disc(6.05, 8), delta=1e-9 * 1e-5)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(pair(self.step("ball.step")), {"socket_lever": "spherical"})
        shutil.rmtree(self.folder / "out")
        hinge = self.step("hinge.step")
        self.assertEqual(pair(hinge), {"frame_leaf_door_leaf": "revolute", "frame_leaf_pin": "fixed"} |
                         {k: v for k, v in pair(hinge).items() if "pin" in k})
        self.assertEqual(hinge["freedoms"], 1)
        shutil.rmtree(self.folder / "out")
        self.assertEqual(pair(self.step("spline-hinge.step")), pair(hinge))

    def test_a_sub_assembly_moves_in_itself_when_decided(self):
        path = "slider crank/running gear"
        rigid = self.step("nested-crank.step")
        self.assertEqual(rigid["freedoms"], 0)
        self.assertEqual({a["path"]: a["inside"] for a in rigid["assemblies"]}[path], 2)
        flexible = self.step("nested-crank.step", "--flexible", path)
        self.assertEqual((flexible["freedoms"], flexible["subsystems"]), (1, 1))
        part = (self.folder / "out/part-running_gear.yaml").read_text()
        self.assertIn("crank_rod:", part)
        self.assertIn("rod_piston:", part)
        self.assertEqual(self.step("nested-crank.step")["freedoms"], 1)      # kept
        self.assertEqual(self.step("nested-crank.step", "--rigid", path)["freedoms"], 0)

    def test_materials_ground_types_and_drives(self):
        report = self.step("slider-crank.step", "--material", "slider crank=aluminium", "--material",
                           "slider crank/rod=steel", "--ground", "slider crank/crank", "--drive", "housing_crank=rate: 6.28")
        bodies = {b["source"].split("/")[-1]: b for b in report["bodies"]}
        self.assertAlmostEqual(bodies["rod"]["mass"], 7850 * bodies["rod"]["volume"], delta=1e-12)
        self.assertAlmostEqual(bodies["piston"]["mass"], 2700 * bodies["piston"]["volume"], delta=1e-12)
        self.assertEqual(bodies["crank"]["part_of"], "ground")
        self.assertEqual(bodies["cover"]["part_of"], "housing")
        self.assertEqual(report["freedoms"], 0)
        report = self.step("slider-crank.step", "--type", "rod_piston=spherical")
        self.assertEqual({j["key"]: j["type"] for j in report["joints"]}["rod_piston"], "spherical")
        self.assertEqual(report["redundant"], 1)
        self.tenon("run", "out/model.yaml", "--until", "0.2", "-o", "run.csv", "--quiet")
        for words, text in ((("--type", "rod_piston=screwy"), "neither accept nor reject"), (("--reject", "nothing"), "no joint"),
                            (("--material", "slider crank=butter"), "neither a material"), (("--ground", "x"), "no body 'x'"),
                            (("--drive", "rod_piston=rate: 1"), "is not 'rate"), (("--flexible", "y"), "no sub-assembly 'y'")):
            self.assertIn(text, self.tenon("import", "slider-crank.step", "-o", "out", *words, status=USAGE).stderr)

    def test_the_file_changes_and_decisions_stay(self):
        self.step("slider-crank.step", "--reject", "rod_piston", "--material", "=steel")
        (self.folder / "out/model.yaml").write_text((self.folder / "out/model.yaml").read_text() +
                                                    "forces:\n  push: { type: force, on: crank, value: [1, 0, 0] }\n")
        text = (self.folder / "slider-crank.step").read_text()
        self.write("slider-crank.step", text.replace("'piston'", "'plunger'"))
        report = self.step("slider-crank.step")
        self.assertEqual(sorted(report["changes"]), [
            "a decision about joint 'rod_piston' (reject) finds nothing of that name", "new: slider crank/plunger",
            "vanished: slider crank/piston"])
        self.assertIn("push", (self.folder / "out/model.yaml").read_text())
        self.write("slider-crank.step", text)
        report = self.step("slider-crank.step")
        self.assertEqual(report["freedoms"], 3)
        self.assertAlmostEqual({b["source"]: b for b in report["bodies"]}["slider crank/rod"]["mass"],
                               7850 * (154 * 20 * 8e-9 - 2 * math.pi * 6.05 ** 2 * 8e-9), delta=1e-9)

    def test_shapes_of_freecad(self):
        shape = ('<Property name="Shape" type="Part::PropertyPartShape"><Part file="crank.Shape.brp"/></Property>')
        document = assemblies.freecad().replace('<Object name="crank"><Properties>', f'<Object name="crank"><Properties>{shape}')
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            z.writestr("Document.xml", document)
            z.writestr("crank.Shape.brp", (self.folder / "block.brp").read_bytes())
        report = self.bring("a.FCStd", out.getvalue(), "--density", "2700")
        crank = next(b for b in report["bodies"] if b["source"] == "crank")
        self.assertAlmostEqual(crank["mass"], 2700 * 0.1 * 0.05 * 0.02, delta=1e-12)
        text = (self.folder / "out/mechanism.yaml").read_text().split("crank:")[1]
        com = [float(v) for v in text.split("com: [")[1].split("]")[0].split(",")]
        self.same(com, [0.06, 0.045, 0.04], 1e-12)

    def test_wrong(self):
        good = (self.folder / "rail.step").read_bytes()
        self.refused("cut.step", good[:len(good) // 2], "tenon-cad failed", status=FILE)
        self.refused("empty.step", b"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n", "error:", status=FILE)


class NoHelper(Case):
    def test_a_missing_helper_is_told(self):
        program = self.folder / "tenon"
        shutil.copy(PROGRAM, program)
        self.write("a.step", "ISO-10303-21;\nHEADER;\n")
        done = subprocess.run([program, "import", "a.step", "-o", "out"], capture_output=True, text=True, cwd=self.folder,
                              timeout=TIMEOUT, env={"PATH": "/nowhere"}, check=False)
        self.assertEqual(done.returncode, FILE)
        self.assertIn("needs the program tenon-cad", done.stderr)


class Example(Case):
    def test_the_crane_runs(self):
        crane = Path(__file__).resolve().parents[2] / "examples/import/crane.urdf"
        report = json.loads(self.tenon("import", crane, "-o", "out", "--json").stdout)
        self.assertEqual((report["freedoms"], report["moved"]), (4, []))
        self.tenon("run", "out/model.yaml", "--until", "1", "-o", "run.csv", "--quiet")

    def test_many_parts_take_no_time_to_speak_of(self):
        """500 parts, 1996 mates; the time limit of the test is generous for a quadratic algorithm, too."""
        count = 500
        tree = assemblies.instance("p0", "bar*:*Default", more=' grounded="true"') + "".join(
            assemblies.instance(f"p{k}", "bar*:*Default", 0.0, (0.1 * k, 0, 0)) for k in range(1, count))
        mates = "".join(assemblies.hinge(2 * k + side, [f"p{k - 1}"], (0.1, 0, 0.01 * side), [f"p{k}"], (0, 0, 0.01 * side))
                        for k in range(1, count) for side in (0, 1))
        text = ('<SimscapeMultibodyImportXML version="2.0"><DataUnits mass="kilogram" length="meter"/><RootAssembly name="chain" '
                f'uid="chain"><InstanceTree>{tree}</InstanceTree><Constraints>{mates}</Constraints></RootAssembly><Parts>'
                f'{assemblies.part("bar", 0.1, 0.2)}</Parts></SimscapeMultibodyImportXML>')
        report = self.bring("chain.xml", text)
        self.assertEqual((report["freedoms"], report["redundant"]), (count - 1, 0))


class Wrong(Case):
    def test_trees_that_are_none(self):
        a, b, c = link("a"), link("b"), link("c")
        self.refused("r.urdf", robot(a + b + joint("j", "a", "x")), "r.urdf:1:1: error: joint 'j': there is no link 'x'")
        self.refused("r.urdf", robot(a + a), "link 'a' is there twice")
        self.refused("r.urdf", robot(a + b), "link 'b' is a second root beside 'a'")
        self.refused("r.urdf", robot(a + b + joint("j", "a", "b") + joint("k", "b", "a")), "form a circle")
        self.refused("r.urdf", robot(a + b + c + joint("j", "a", "c") + joint("k", "b", "c")), "child of two joints")
        self.refused("r.urdf", robot(""), "no links")
        self.refused("r.urdf", robot(a + b + joint("j", "a", "b", "sliding")), "type 'sliding' is none of")
        self.refused("r.urdf", robot(a + b + joint("j", "a", "b", more='<axis xyz="0 0 0"/>')), "no direction")

    def test_numbers(self):
        for bad in ("nan", "inf", "1e999", "1 2", "one", ""):
            with self.subTest(bad):
                self.refused("r.urdf", robot(link("a", mass=bad)), "<mass> value", "expected 1 finite number")

    def test_xacro(self):
        self.refused("r.urdf", '<robot xmlns:xacro="http://x" name="r"><xacro:macro name="m"/></robot>', "run 'xacro")
        self.refused("r.urdf", robot(link("${prefix}a")), "run 'xacro")

    def test_xml(self):
        good = robots.urdf(ARM)
        self.refused("r.urdf", good[:len(good) // 2], "not well-formed XML")
        self.refused("r.urdf", "", "the file is empty", status=FILE)
        self.refused("r.urdf", "<sdf/>", "not <robot>", words=("--format", "urdf"))
        self.refused("r.urdf", "\0" * 1000, "error:", status=FILE)
        laughs = '<!DOCTYPE r [<!ENTITY a "ha">' + "".join(
            f'<!ENTITY {chr(98 + k)} "{("&" + chr(97 + k) + ";") * 10}">' for k in range(12)) + "]>"
        self.refused("r.urdf", laughs + robot(link("&m;")), "r.urdf:1:1: error: the file declares entities")
        self.refused("r.urdf", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + robot(link("&x;")), "entities")
        self.refused("r.urdf", "<robot>" + "<a>" * 1000000 + "</a>" * 1000000 + "</robot>", "r.urdf:1:")

    def test_bombs_and_circles(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("Document.xml", b" " * (160 << 20))
        self.assertLess(len(out.getvalue()), 1 << 20)
        self.refused("bomb.FCStd", out.getvalue(), "error:", status=FILE)
        self.refused("cut.FCStd", out.getvalue()[:200], "error:", status=FILE)
        self.write("b.xml", '<mujoco><include file="a.xml"/></mujoco>')
        self.refused("a.xml", '<mujoco><include file="b.xml"/></mujoco>', "error:")

    def test_text_that_is_not_utf8(self):
        text = robot(link("a") + link("b") + joint("j", "a", "b")).replace('name="b"', 'name="b\xe4"').replace(
            'link="b"', 'link="b\xe4"').encode("latin-1")
        self.assertTrue(self.bring("r.urdf", text)["assembled"])

    def test_paths_outside(self):
        self.write("secret.stl", "solid x\nendsolid x\n")
        shape = '<visual><geometry><mesh filename="../../../secret.stl"/></geometry></visual>'
        self.write("a/b/c/r.urdf", robot(link("a", more=shape)))
        report = json.loads(self.tenon("import", "a/b/c/r.urdf", "-o", "out", "--json").stdout)
        self.assertTrue(any("outside the folder" in n["message"] for n in report["notes"]))
        self.assertFalse((self.folder / "out/meshes").exists())

    def test_folders(self):
        self.write("out/precious.txt", "mine")
        self.write("r.urdf", robot(link("a")))
        done = self.tenon("import", "r.urdf", "-o", "out", status=FILE)
        self.assertIn("was not made by an import", done.stderr)
        self.tenon("import", "nowhere.urdf", status=FILE)
        self.tenon("import", "r.urdf", "-o", "no/such/folder", status=FILE)
        self.tenon("import", "r.urdf", "--base=floating", status=USAGE)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
