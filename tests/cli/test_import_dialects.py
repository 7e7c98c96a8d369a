"""Habits of files in the wild, each in a small file of our own: what tools write that no specification has.

usage: test_import_dialects.py PROGRAM [unittest options]
"""
import math
import sys
import unittest
from pathlib import Path

import test_import
from test_import import Case

BOX = ('<inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial>')


def hinge(more=""):
    return ('<robot name="r"><link name="base"/><link name="arm">%s</link><joint name="j" type="continuous">'
            '<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>%s</joint></robot>' % (BOX, more))


class Wild(Case):
    def end(self, names, until):
        """Quantities at the end of a run of the mechanism alone."""
        self.write("out/probe.yaml", "tenon: 1\ninclude: mechanism.yaml\noutputs: [%s]\n"
                   "solve: { until: %g, tolerance: 1e-11 }\n" % (", ".join(names), until))
        self.tenon("run", "out/probe.yaml", "-o", "run.csv", "--quiet")
        head, *_, last = (self.folder / "run.csv").read_text().splitlines()
        row = dict(zip((h.split(" ")[0].strip('"') for h in head.split(",")), last.split(",")))
        return [float(row[name]) for name in names]


class Xml(Case):
    def test_lines_before_the_declaration(self):
        self.assertEqual(self.bring("r.urdf", '\n\n<?xml version="1.0"?>\n' + hinge())["freedoms"], 1)
        error = self.refused("s.urdf", '\n<?xml version="1.0"?>\n<robot name="r">\n<link/></robot>', "without a name")
        self.assertIn("s.urdf:4:", error)

    def test_declaration_after_comments_or_misspelt(self):
        self.assertEqual(self.bring("r.urdf", '<!-- made by xacro\n-->\n<?xml version="1.0"?>\n' + hinge())["freedoms"], 1)
        self.assertEqual(self.bring("r.urdf", '<?xml verison="1.0"?>\n' + hinge())["freedoms"], 1)
        error = self.refused("s.urdf", '<!-- a\n--><?xml\n version="1.0"?>\n<robot name="r">\n<link/></robot>', "without a name")
        self.assertIn("s.urdf:5:", error)
        latin = '<?xml version="1.0" encoding="ISO-8859-1"?>' + hinge().replace('"arm"', '"\xfcber"')
        self.assertEqual([b["source"] for b in self.bring("r.urdf", latin.encode("latin-1"))["bodies"]][-1], "\xfcber")

    def test_control_characters_in_names(self):
        text = hinge().replace('name="r"', 'name="leg\x0c\x15"').encode()
        self.assertEqual(self.bring("r.urdf", text)["freedoms"], 1)


class Urdf(Case):
    def test_nothing_is_dropped_without_a_word(self):
        text = hinge('<safety_controller k_velocity="1"/><calibration rising="0"/>').replace(
            "</link><joint", '<contact><lateral_friction value="1"/></contact><visual><geometry><mesh filename="no.stl" '
            'scale="1 1 1 1"/></geometry></visual></link><joint')
        report = self.bring("r.urdf", text)
        self.assertEqual({l["what"] for l in report["left_out"]},
                         {"<safety_controller> of joints", "<calibration> of joints", "<contact> of links"})
        self.write("no.stl", "solid a\nendsolid a\n")
        report = self.bring("r.urdf", text)
        self.assertTrue(any("4 numbers where 3 are meant" in n["message"] for n in report["notes"]))


    def test_a_robot_within_other_elements(self):
        told = self.bring("wrapped.urdf", '<?xml version="1.0"?>\n<urdf>\n<meta/>\n' + hinge() + "</urdf>")
        self.assertEqual(told["freedoms"], 1)
        self.assertTrue(any("the root element is <urdf>" in str(note) for note in told["notes"]), told["notes"])
        self.refused("two.urdf", "<urdf>\n" + hinge() + "\n" + hinge() + "</urdf>", "two.urdf:3:", "a second <robot> in <urdf>")

    def test_calls_of_macros_that_xacro_left(self):
        text = hinge().replace("<joint", '<xacro:arm_gazebo name="arm"/><joint')
        report = self.bring("r.urdf", text)
        self.assertEqual(report["freedoms"], 1)
        self.assertTrue(any("<xacro:arm_gazebo>" in n["message"] for n in report["notes"]))
        for more in ('<xacro:include filename="arm.xacro"/>', '<xacro:macro name="arm_gazebo"/>', '<xacro:if value="1"/>'):
            self.refused("s.urdf", text.replace("<link", more + "<link", 1), "xacro file")

    def test_limits_of_followers_are_limits_of_their_leader(self):
        joint = ('<joint name="%s" type="revolute"><parent link="base"/><child link="%s"/><axis xyz="0 0 1"/>'
                 '<limit lower="%g" upper="%g" effort="1" velocity="1"/>%s</joint>')
        text = '<robot name="gripper"><link name="base"/>' + "".join('<link name="%s">%s</link>' % (n, BOX) for n in "abc")
        text += joint % ("a_j", "a", 0, 0.8, "") + joint % ("b_j", "b", -1.2, 0, '<mimic joint="a_j" multiplier="-2"/>')
        text += joint % ("c_j", "c", -0.5, 3, '<mimic joint="b_j" multiplier="1" offset="0.3"/>') + "</robot>"
        report = self.bring("g.urdf", text)
        self.assertEqual(report["freedoms"], 1)
        self.assertTrue(any("limits of 3 joints" in n["message"] for n in report["notes"]))
        # b = -2 a in [-1.2, 0]: a in [0, 0.6]; c = b + 0.3 in [-0.5, 3]: b above -0.8, a below 0.4
        model = (self.folder / "out/mechanism.yaml").read_text()
        self.assertEqual(model.count("limits:"), 1)
        self.assertIn("limits: { angle: [0, 0.4] }", model)


class Repeated(Case):
    def test_messages_that_are_alike_do_not_hide_others(self):
        links = "".join('<link name="l%d">%s<visual><geometry><mesh filename="package://p/part_%d.dae"/></geometry></visual></link>'
                        '<joint name="j%d" type="continuous"><parent link="%s"/><child link="l%d"/></joint>\n'
                        % (i, BOX, i, i, "l%d" % (i - 1) if i else "base", i) for i in range(60))
        self.write("r.urdf", '<robot name="r"><link name="base"/>%s<link name="bare"/><joint name="last" type="continuous"><parent '
                   'link="l59"/><child link="bare"/></joint></robot>' % links)
        text = self.tenon("import", "r.urdf", "-o", "out").stdout
        self.assertEqual(text.count("was not found"), 3)
        self.assertIn("... and 57 more warnings like that of line 1 (--json lists all)", text)
        self.assertIn("body 'bare' has no mass", text)
        report = self.bring("r.urdf", (self.folder / "r.urdf").read_text())
        self.assertEqual(sum("was not found" in n["message"] for n in report["notes"]), 60)

    def test_round_off_is_within_limits(self):
        joint = '<limit lower="%s" upper="3" effort="1" velocity="1"/>'
        for low, notes in (("1e-12", 0), ("1e-3", 1)):
            report = self.bring("r.urdf", hinge(joint % low).replace("continuous", "revolute"))
            self.assertEqual(sum("beyond its limits" in n["message"] for n in report["notes"]), notes)
            self.tenon("run", "out/model.yaml", "--until", "0.1", "-o", "run.csv", "--quiet")


class Negative(Case):
    def test_negative_losses_and_bounds_the_wrong_way_round_are_told(self):
        report = self.bring("r.urdf", hinge('<dynamics damping="-2" friction="-1"/>'))
        self.assertEqual([n["message"].split(": ", 1)[1] for n in report["notes"] if "negative" in n["message"]],
                         ["its damping is negative, -2: taken as given, it feeds the motion", "its friction is negative, -1: left out"])
        report = self.bring("m.xml", '<mujoco><worldbody><body><joint range="1 -1" limited="true"/><geom size=".1"/></body></worldbody></mujoco>')
        self.assertTrue(any("the first number is not below the second" in n["message"] for n in report["notes"]))
        report = self.bring("m.xml", '<mujoco><worldbody><body><joint range="0 0"/><geom size=".1"/></body></worldbody></mujoco>')
        self.assertEqual(report["notes"], [])


class Numbers(Case):
    def test_two_points_and_many_turns(self):
        text = hinge('<limit lower="-1.57." upper="20" effort="1" velocity="1"/>').replace("continuous", "revolute")
        report = self.bring("r.urdf", text)
        self.assertTrue(any("taken as -1.57" in n["message"] for n in report["notes"]))
        self.assertIn("limits: { angle: [-1.57, 20 rad] }", (self.folder / "out/mechanism.yaml").read_text())
        self.assertNotIn("without a unit", self.tenon("check", "out/model.yaml").stderr)
        self.refused("s.urdf", text.replace("-1.57.", "-1.57x"), "expected 1 finite number")
        self.refused("s.urdf", text.replace("-1.57.", "-1..57"), "expected 1 finite number")


class Zaxis(Wild):
    """zaxis and fromto of MJCF turn the z axis the shortest way, so that it is known where x and y are."""

    def test_shortest_way(self):
        body = ('<mujoco><worldbody><body name="mount" %s><body name="bob" pos="0.3 0.2 0.1"><joint name="j" type="slide" axis="1 0 0"/>'
                '<geom size="0.1"/></body></body></worldbody></mujoco>')
        # From z to (1, 2, 2) / 3: about (-2, 1, 0) / sqrt(5), by acos(2/3).
        c, s, x, y = 2 / 3, math.sqrt(5) / 3, -2 / math.sqrt(5), 1 / math.sqrt(5)
        p = [0.3, 0.2, 0.1]
        along, cross = x * p[0] + y * p[1], [y * p[2], -x * p[2], x * p[1] - y * p[0]]
        turned = [p[k] * c + cross[k] * s + (x, y, 0)[k] * along * (1 - c) for k in range(3)]
        for text, wanted in (('zaxis="1 2 2"', turned), ('zaxis="0 0 -3"', [0.3, -0.2, -0.1])):
            self.bring("m.xml", body % text)
            for got, value in zip(self.end(["bob.position.x", "bob.position.y", "bob.position.z"], 1e-9), wanted):
                self.assertAlmostEqual(got, value, delta=1e-12)

    def test_what_is_left_out_is_told(self):
        report = self.bring("m.xml", '<mujoco><worldbody><body name="b"><joint name="j" springdamper="0.5 1"/><geom size="0.1"/></body>'
                            '<attach model="arm" prefix="l"/></worldbody></mujoco>')
        notes = " ".join(n["message"] for n in report["notes"])
        self.assertIn("springdamper of joint 'j' is left out", notes)
        self.assertIn("<attach> of model 'arm' is left out", notes)


class Composed(Wild):
    """Two or three hinges of one body whose axes meet in a point, wherever they are anchored."""
    BODY = ('<mujoco><option gravity="1 2 3"/><worldbody><body name="b" pos="0 0 1">%s<geom type="box" size=".1 .05 .02" pos=".3 .1 0"/>'
            '</body></worldbody></mujoco>')

    def test_axes_that_meet(self):
        one = '<joint name="u" axis="0 1 0"/><joint name="v" axis="1 0 0" pos="0 .05 0"/>'
        for joints, same, kind in ((one, one.replace('u" axis', 'u" pos="0 .05 0" axis'), "universal"),
                                   (one + '<joint name="w" axis="0 0 1" pos="0 .05 .2"/>', (one + '<joint name="w" axis="0 0 1" pos="0 .05 0"/>').
                                    replace('u" axis', 'u" pos="0 .05 0" axis'), "spherical")):
            ends = []
            for text in (joints, same):
                report = self.bring("m.xml", self.BODY % text)
                self.assertEqual([j["type"] for j in report["joints"]], [kind])
                ends.append(self.end(["b.position.x", "b.position.y", "b.position.z"], 0.5))
            for a, b in zip(*ends):
                self.assertAlmostEqual(a, b, delta=1e-9)
        report = self.bring("m.xml", self.BODY % one.replace("0 .05 0", "0 .05 .1"))
        self.assertEqual([j["type"] for j in report["joints"]], ["revolute", "revolute"])


class Floating(Wild):
    """Three slides and three hinges of one body, as hands that servos carry have them."""
    BODY = ('<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="b" pos="0 0 1" quat="0.5 0.5 0.5 0.5">'
            '<inertial pos=".1 .2 .3" mass="2" diaginertia=".02 .03 .04"/>'
            '<joint name="s1" type="slide" axis="0 -1 0"%s/><joint name="s2" type="slide" axis="0 0 1"%s/><joint name="s3" type="slide"'
            ' axis="1 0 0"%s/>'
            '<joint name="h1" axis="0 1 0" pos=".1 .2 .3"%s/><joint name="h2" axis="-1 0 0" pos=".1 .2 .3"%s/><joint name="h3" axis="0 0 1"'
            ' pos=".1 .2 .3"%s/></body></worldbody>%s</mujoco>')

    def place(self, more, after="", until=0.3):
        report = self.bring("m.xml", self.BODY % (*(more.get(n, "") for n in ("s1", "s2", "s3", "h1", "h2", "h3")), after))
        self.assertEqual((report["freedoms"], report["left_out"]), (6, []))
        self.assertEqual([j["type"] for j in report["joints"]], ["free"])
        return self.end(["b.position.x", "b.position.y", "b.position.z"], until)

    def seen(self, v):
        """A vector of the body's axes in the world: its y, z, x are along x, y, z."""
        return [v[2], v[0], v[1]]

    def test_springs_turn_about_one_hinge(self):
        com = (0.1, 0.2, 0.3)
        for name, axis, inertia in (("h1", (0, 1, 0), 0.03), ("h2", (-1, 0, 0), 0.02), ("h3", (0, 0, 1), 0.04)):
            place = self.place({name: ' stiffness="0.5" springref="0.4"'})
            q = 0.4 * (1 - math.cos(math.sqrt(0.5 / inertia) * 0.3))
            along = sum(a * c for a, c in zip(axis, com))
            cross = (axis[1] * com[2] - axis[2] * com[1], axis[2] * com[0] - axis[0] * com[2], axis[0] * com[1] - axis[1] * com[0])
            turned = [c * math.cos(q) + x * math.sin(q) + a * along * (1 - math.cos(q)) for a, c, x in zip(axis, com, cross)]
            expected = self.seen([c - t for c, t in zip(com, turned)])
            for have, want in zip(place, (expected[0], expected[1], 1 + expected[2])):
                self.assertAlmostEqual(have, want, delta=1e-9, msg=name)

    def test_servos_push_along_slides(self):
        for name, axis in (("s1", (0, -1, 0)), ("s2", (0, 0, 1)), ("s3", (1, 0, 0))):
            place = self.place({name: ' damping="3"'}, '<actuator><motor joint="%s" ctrllimited="true" ctrlrange="5 6"/></actuator>' % name)
            way = 5 / 3 * (0.3 - 2 / 3 * (1 - math.exp(-1.5 * 0.3)))
            expected = self.seen([a * way for a in axis])
            for have, want in zip(place, (expected[0], expected[1], 1 + expected[2])):
                self.assertAlmostEqual(have, want, delta=1e-9, msg=name)

    def test_where_nothing_acts_the_body_is_free_without_a_joint(self):
        report = self.bring("m.xml", self.BODY % (("",) * 7))
        self.assertEqual((report["freedoms"], report["joints"], report["left_out"]), (6, [], []))

    def test_slides_that_turn_with_the_body(self):
        text = ('<mujoco><worldbody><body name="b"><geom size=".1"/><joint axis="0 0 1" damping="1"/><joint type="slide" axis="1 0 0"/>'
                '<joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/><joint axis="0 1 0"/>'
                '</body></worldbody></mujoco>')
        report = self.bring("m.xml", text)
        self.assertEqual((report["freedoms"], len(report["joints"]), report["left_out"]), (6, 6, []))


class Thrust(Wild):
    """Motors on sites push and turn a body along the axes of the site."""
    def test_a_drone(self):
        text = ('<mujoco><worldbody><body name="b" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="0.5" diaginertia=".2 .3 .4"/>'
                '<body name="rotor" pos="%s" euler="0 0 90"><site name="s" pos="0 0 0.1" euler="%s"/></body></body></worldbody><actuator>'
                '<motor name="lift" site="s" gear="%s" ctrlrange="%s"/></actuator></mujoco>')
        self.bring("m.xml", text % ("0 0 0", "0 0 0", "0 0 2 0 0 0", "3 4"))
        self.assertAlmostEqual(self.end(["b.position.z"], 0.1)[0], 1 + (6 / 0.5 - 9.81) * 0.1 ** 2 / 2, delta=1e-9)
        self.bring("m.xml", text % ("0.1 0 0", "0 0 0", "0 0 2 0 0 0", "3 4"))
        self.assertAlmostEqual(self.end(["b.angular_velocity.y"], 0.1)[0], -0.1 * 6 / 0.3 * 0.1, delta=1e-9)
        report = self.bring("m.xml", text % ("0.1 0 0", "0 90 0", "0 0 0 0 0 0.5", "0.2 1"))    # z of the site: x of the rotor, y of the body
        self.assertEqual(report["left_out"], [])
        self.assertAlmostEqual(self.end(["b.angular_velocity.y"], 0.1)[0], 0.5 * 0.2 / 0.3 * 0.1, delta=1e-9)
        report = self.bring("m.xml", (text % ("0 0 0", "0 0 0", "0 0 1 0 0 0", "0 1")).replace('site="s"', 'site="s" refsite="s"'))
        self.assertIn("on sites", report["left_out"][0]["what"])


class Between(Wild):
    """Bodies without mass between others, as stages and crosses have them."""
    def test_they_do_not_count(self):
        light = '<inertial pos="0 0 0" mass="0.001" diaginertia="1e-6 1e-6 1e-6"/>'
        for kind, inertia in (("slide", 1e-3), ("hinge", 1e-6)):
            joints = '<joint name="x" type="%s" axis="1 0 0"%%s/><joint name="y" type="%s" axis="0 1 0"%%s/>' % (kind, kind)
            for at in (0, 1):
                spring = ' stiffness="%.17g" springref="0.01"' % (inertia * 100)
                text = joints % ((spring, "") if at == 0 else ("", spring))
                report = self.bring("m.xml", '<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="b">%s<joint '
                                    'name="z" type="slide" axis="0 0 1"/>%s</body></worldbody></mujoco>' % (light, text))
                self.assertTrue(any("only passes motion on" in n["message"] for n in report["notes"]))
                names = [j["name"] + "." + j["coordinates"][0] for j in report["joints"] if j["name"].startswith("xy"[at])]
                self.assertAlmostEqual(self.end(names, 0.3)[0], 0.01 * (1 - math.cos(3)), delta=3e-9)

    def test_what_nothing_carries_on_is_told(self):
        for axis, words in (("0 1 0", "has no mass: 1e-6 kg"), ("1 0 0", "only passes motion on")):
            report = self.bring("r.urdf", '<robot name="r"><link name="base"/><link name="cross"/><link name="arm">%s</link>'
                                '<joint name="j" type="continuous"><parent link="base"/><child link="cross"/><axis xyz="0 1 0"/></joint>'
                                '<joint name="k" type="continuous"><parent link="cross"/><child link="arm"/><axis xyz="%s"/></joint></robot>'
                                % (BOX, axis))
            self.assertEqual([words in n["message"] for n in report["notes"] if "cross" in n["message"]], [True])


class Defaults(Wild):
    """One class from several <default> sections, actuators that share one default, efforts bounded otherwise than evenly."""
    BODY = '<body name="%s1" pos="0 %d 0"><joint name="%s" %s/><geom type="box" size=".1 .1 .1" pos=".3 0 0"/></body>'
    MODEL = ('<mujoco><compiler angle="radian"/><default><joint damping="0.5"/><geom density="500"/><default class="a">'
             '<joint armature="0.1"/></default></default><default><joint axis="0 1 0"/><motor gear="3" forcerange="-1 1"/>'
             '<default class="b"><joint damping="0.2"/></default></default><worldbody>' + BODY % ("p", 0, "p", 'actuatorfrcrange="-2 4"') +
             BODY % ("q", 2, "q", 'class="b"') + BODY % ("r", 4, "r", 'class="a"') + '</worldbody>%s<actuator><position name="s" '
             'joint="p" kp="10" ctrlrange="1 2"/><velocity name="v" joint="q" kv="3" ctrlrange="5 6"/><motor name="m" joint="r" '
             'ctrlrange="0.5 3"/></actuator></mujoco>')

    @staticmethod
    def turn(acceleration, until, steps=4000):
        """Angle at the end from rest, by Runge and Kutta."""
        q, w, h = 0.0, 0.0, until / steps
        for _ in range(steps):
            a1 = acceleration(q, w)
            a2 = acceleration(q + h / 2 * w, w + h / 2 * a1)
            a3 = acceleration(q + h / 2 * w + h * h / 4 * a1, w + h / 2 * a2)
            a4 = acceleration(q + h * w + h * h / 2 * a2, w + h * a3)
            q, w = q + h * w + h * h / 6 * (a1 + a2 + a3), w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return q

    def test_motion(self):
        report = self.bring("m.xml", self.MODEL % "")
        for body in report["bodies"]:
            self.assertAlmostEqual(body["mass"], 4, delta=1e-12)
        inertia, weight, clamp = 4 * (0.04 / 6 + 0.09), 4 * 9.81 * 0.3, lambda x, a, b: min(max(x, a), b)
        servo = lambda q, w: (3 * clamp(10 - 30 * q, -2 / 3, 1) - 0.5 * w + weight * math.cos(q)) / inertia
        speed = lambda q, w: (3 * clamp(15 - 9 * w, -1, 1) - 0.2 * w + weight * math.cos(q)) / inertia
        level = lambda q, w: (1.5 - 0.5 * w) / (inertia + 0.1)
        found = self.end(["p.angle", "q.angle", "r.angle"], 0.5)
        for value, law in zip(found, (servo, speed, level)):
            self.assertAlmostEqual(value, self.turn(law, 0.5), delta=1e-6)

    def test_damping_by_its_ratio(self):
        """The share of the critical damping of everything that hangs on the joint, with armature, in the pose of the file."""
        servo = '<position joint="a" kp="10" dampratio="0.5" gear="2"/>'
        text = ('<mujoco><compiler angle="radian"/><worldbody><body name="one"><joint name="a" axis="0 1 0" armature="0.3" ref="0.2"/>'
                '<joint name="s" type="slide" axis="0 1 0"/><geom size=".1" mass="2" pos="0 0 -.5"/><body name="two" pos="0 .3 -1" '
                'euler="0 0 1"><joint name="b" axis="1 0 0"/><geom size=".2" mass="3" pos=".4 0 -.1"/></body></body></worldbody>'
                '<actuator>%s<position joint="s" kp="7" dampratio="1"/></actuator></mujoco>')
        c, s = math.cos(1), math.sin(1)
        inertia = 0.3 + 2 * (0.4 * 0.01 + 0.25) + 3 * (0.4 * 0.04 + (0.4 * c) ** 2 + 1.1 ** 2)
        wanted = [4 * 0.5 * 2 * math.sqrt(10 * inertia / 4), 2 * math.sqrt(7 * 5)]
        for kind in (servo, '<general joint="a" gear="2" gainprm="10" biastype="affine" biasprm="0 -10 0.5"/>'):
            self.bring("m.xml", text % kind)
            found = [float(l.split("kd:")[1].strip(" ,}")) for l in (self.folder / "out/mechanism.yaml").read_text().splitlines() if "kd:" in l]
            self.assertEqual(len(found), 2)
            for value, number in zip(found, wanted):
                self.assertAlmostEqual(value, number, delta=1e-9)

    def test_a_short_polynomial_keeps_its_slope(self):
        self.bring("m.xml", self.MODEL % '<equality><joint joint1="q" joint2="r" polycoef="0.1"/></equality>')
        q, r = self.end(["q.angle", "r.angle"], 0.3)
        self.assertAlmostEqual(q, 0.1 + r, delta=1e-9)
        self.assertGreater(abs(r), 0.01)


class Simulators(Wild):
    """What simulators have added to URDF: a parallelogram whose loop only they know, against its equation of motion."""
    LINK = ('<link name="%s"><inertial><origin xyz="%s"/><mass value="%g"/><inertia ixx=".1" iyy="%g" izz=".1" ixy="0" ixz="0" iyz="0"/>'
            '</inertial></link>')
    JOINT = ('<joint name="%s" type="continuous"><origin xyz="%s"/><parent link="%s"/><child link="%s"/><axis xyz="0 1 0"/></joint>')
    MORE = ('<gazebo reference="rod"><turnGravityOff>true</turnGravityOff></gazebo><gazebo reference="a"><implicitSpringDamper>1'
            '</implicitSpringDamper><springStiffness>3</springStiffness><springReference>0.5</springReference></gazebo><transmission name="t">'
            '<actuator name="m"><drake:rotor_inertia value="0.01"/><drake:gear_ratio value="10"/></actuator><joint name="c"/></transmission>')
    HINGE = ('<gazebo><joint name="loop" type="revolute"><pose>0 0 1 0 0 0</pose><parent>rod</parent><child>rocker</child><axis><xyz>0 1 0'
             '</xyz><dynamics><damping>%s</damping></dynamics></axis></joint></gazebo>')
    BALL = ('<loop_joint name="loop" type="spherical"><link1 link="rod" xyz="2 0 0" rpy="0 0 0"/><link2 link="rocker" xyz="0 0 1" '
            'rpy="0 0 0"/></loop_joint>')

    def robot(self, loop):
        return ('<robot name="r" xmlns:drake="http://drake.mit.edu">' + self.MORE + '<link name="base"/>' +
                self.LINK % ("crank", "0 0 .5", 1, 0.1) + self.LINK % ("rod", "1 0 0", 2, 0.6) + self.LINK % ("rocker", "0 0 .5", 1, 0.1) +
                self.JOINT % ("a", "0 0 0", "base", "crank") + self.JOINT % ("b", "0 0 1", "crank", "rod") +
                self.JOINT % ("c", "2 0 0", "base", "rocker") + loop + '</robot>')

    def test_loops(self):
        for loop, damping, redundant in ((self.HINGE % "0.2", 0.2, 3), (self.BALL, 0, 1)):
            report = self.bring("r.urdf", self.robot(loop))
            self.assertEqual([report["freedoms"], report["redundant"]], [1, redundant])
            motion = lambda q, w: (9.81 * math.sin(q) - 3 * (q - 0.5) - damping * w) / 3.7
            self.assertAlmostEqual(self.end(["a.angle"], 1)[0], Defaults.turn(motion, 1), delta=1e-7)

    def test_loops_that_nobody_understands_are_told(self):
        report = self.bring("r.urdf", self.robot(self.HINGE % "${d}"))
        self.assertEqual(report["freedoms"], 3)
        self.assertIn("<gazebo>", [l["what"] for l in report["left_out"]])
        self.refused("s.urdf", self.robot(self.BALL.replace('link="rod"', 'link="rode"')), "there is no link 'rode'; did you mean 'rod'?")

    def test_joints_of_drake(self):
        joint = '<drake:joint name="j" type="%s"><parent link="base"/><child link="arm"/>%s</drake:joint></robot>'
        text = ('<robot name="r" xmlns:drake="http://drake.mit.edu"><link name="base"/>' + self.LINK % ("arm", "0 0 -1", 1, 0.1) + joint)
        self.assertEqual(self.bring("r.urdf", text % ("universal", ""))["freedoms"], 2)
        self.assertEqual(self.bring("r.urdf", text % ("screw", '<axis xyz="0 0 1"/><drake:screw_thread_pitch value="0.2"/>'))["freedoms"], 1)
        place, angle = self.end(["j.position", "j.angle"], 0.4)
        self.assertAlmostEqual(place, 0.2 / (2 * math.pi) * angle, delta=1e-9)
        lead = 0.2 / (2 * math.pi)
        self.assertAlmostEqual(place, -9.81 * 0.08 * lead ** 2 / (lead ** 2 + 0.1), delta=1e-9)


class Coordinates(Case):
    """MJCF with places in the world, as files of MuJoCo 1 have them, and the same with places in bodies."""

    LOCAL = ('<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="torso" pos="0 0 1.25">'
             '<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1" ref="1.25"/>'
             '<joint name="y" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 .2 0 0 -.2" size=".05"/>'
             '<body name="thigh" pos="0 0 -.2" euler="0 0 90"><joint name="hip" axis="-1 0 0" pos="0 0 0"/>'
             '<geom type="capsule" fromto="0 0 0 0.1 0 -.45" size=".05"/>'
             '<site name="tip" pos="0 0 -.45"/></body></body></worldbody></mujoco>')
    GLOBAL = ('<mujoco><compiler inertiafromgeom="true" coordinate="global"/><worldbody><body name="torso" pos="0 0 1.25">'
              '<joint name="x" type="slide" axis="1 0 0" pos="0 0 0"/><joint name="z" type="slide" axis="0 0 1" ref="1.25"/>'
              '<joint name="y" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 1.45 0 0 1.05" size=".05"/>'
              '<body name="thigh" pos="0 0 2.1/2" euler="0 0 90"><joint name="hip" axis="0 -1 0" pos="0 0 1.05"/>'
              '<geom type="capsule" fromto="0 0 1.05 0 0.1 0.6" size=".05"/>'
              '<site name="tip" pos="0 0 0.6"/></body></body></worldbody></mujoco>')

    def test_places_in_the_world(self):
        names = ["torso_joint.x", "torso_joint.y", "torso_joint.angle", "hip.angle"]
        self.bring("l.xml", self.LOCAL)
        wanted, end = self.mass_matrix(names), self.motion(names, 0.2)
        report = self.bring("g.xml", self.GLOBAL)
        self.same(self.mass_matrix(names), wanted, 1e-12)
        self.same(self.motion(names, 0.2), end, 1e-9)
        self.assertTrue(any("quotients" in n["message"] for n in report["notes"]))
        self.refused("q.xml", self.LOCAL.replace('size=".05"', 'pos="1/0 0 0" size=".05"', 1), "expected 3 finite numbers")


class Balls(Wild):
    def test_damping_of_ball_and_free_joints(self):
        """A ball that spins and one that slides lose their speed as exp(-c t / m)."""
        report = self.bring("b.xml", '<mujoco><option gravity="0 0 0"/><default><joint damping="0.3"/></default><worldbody>'
                            '<body name="a"><joint type="ball" name="s"/><geom type="sphere" size="0.1" mass="5"/></body>'
                            '<body name="b" pos="1 0 0"><joint type="free"/><geom type="sphere" size="0.1" mass="2"/></body>'
                            '</worldbody></mujoco>')
        self.assertEqual(report["left_out"], [])
        text = (self.folder / "out/mechanism.yaml").read_text()
        text = text.replace("\n  a:\n", "\n  a:\n    angular_velocity: [1, 2, 3]\n").replace(
            "\n  b:\n", "\n  b:\n    velocity: [4, 0, 0]\n")
        self.write("out/mechanism.yaml", text)
        spin, slide = self.end(["a.angular_velocity.y", "b.velocity.x"], 0.1)
        self.assertAlmostEqual(spin, 2 * math.exp(-0.3 * 0.1 / (0.4 * 5 * 0.01)), delta=1e-8)
        self.assertAlmostEqual(slide, 4 * math.exp(-0.3 * 0.1 / 2), delta=1e-8)

    def test_stiffness_of_a_ball_joint(self):
        report = self.bring("b.xml", '<mujoco><option gravity="0 0 0"/><worldbody><body name="a">'
                            '<joint type="ball" name="s" stiffness="7" armature="1"/>'
                            '<geom type="sphere" size="0.1" mass="5"/></body></worldbody></mujoco>')
        self.assertIn("stiffness: [0, 0, 0, 7, 7, 7]", (self.folder / "out/mechanism.yaml").read_text())
        self.assertEqual([l["what"] for l in report["left_out"]], ["armature of ball joints"])

    def test_a_stage_without_mass_is_not_taken_for_a_light_link(self):
        """Hinge and slide that are not parallel need a body between them; what the hinge damps is the whole."""
        report = self.bring("m.xml", '<mujoco><worldbody><body name="a"><joint name="h" axis="0.1 0.2 0.3" damping="0.3"/>'
                            '<joint name="s" type="slide" axis="0.4 0.5 0.6" damping="0.3"/>'
                            '<geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/></body></worldbody></mujoco>')
        self.assertFalse(any("stiff" in n["message"] for n in report["notes"]))
        self.assertNotIn("integrator", (self.folder / "out/model.yaml").read_text())


class Vertices(Wild):
    def test_hulls_and_faces(self):
        """A pyramid by its corners and one inside, and a tetrahedron by faces: V = a b h / 3, and 1/6."""
        report = self.bring("m.xml", '<mujoco><asset><mesh name="p" scale="1 2 1" vertex="1 1 0 -1 1 0 -1 -1 0 1 -1 0 0 0 3 0 0 1"/>'
                            '<mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset><worldbody>'
                            '<body name="a"><freejoint/><geom type="mesh" mesh="p"/></body>'
                            '<body name="b"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>')
        self.assertEqual([round(b["mass"], 6) for b in report["bodies"]], [8000, round(1000 / 6, 6)])
        self.assertEqual(len(list((self.folder / "out/meshes").iterdir())), 2)
        shell = ('<mujoco><asset><mesh name="t" inertia="%s" vertex="0 0 0 1 0 0 0 1 0 0 0 1" %s/></asset><worldbody><body name="b">'
                 '<freejoint/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>')
        faces, left = 'face="0 2 1 0 1 3 0 3 2 1 2 3"', []
        for kind in (("shell", faces), ("convex", faces), ("convex", ""), ("exact", faces)):
            left.append([l["what"] for l in self.bring("s.xml", shell % kind)["left_out"]])
        self.assertEqual([len(l) for l in left], [1, 1, 0, 0])
        bad = '<mujoco><asset><mesh name="p" vertex="{}" {}/></asset><worldbody><body name="a"/></worldbody></mujoco>'
        self.refused("n.xml", bad.format("0 0 0 1", ""), "three a point")
        self.refused("n.xml", bad.format("0 0 0 1 0 0 0 1 0 0 0 1", 'face="0 1 9"'), "there is no vertex 9")


class Contacts(Wild):
    ROBOT = ('<mujoco><worldbody><geom type="plane" size="1 1 1" friction="0.2"/><body name="trunk" pos="0 0 .5"><freejoint/>'
             '<geom type="box" size=".2 .1 .1" friction=".6"/><geom type="sphere" size=".3" contype="0" conaffinity="0"/>'
             '<body name="leg" pos=".1 0 -.1"><joint axis="0 1 0" damping="1" range="-1 1"/>'
             '<geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/></body></body>'
             '<body name="ball" pos="2 0 1"><freejoint/><geom size=".1" friction=".3"/></body></worldbody></mujoco>')

    def test_shapes_for_contacts_touch_the_floor_and_others(self):
        self.bring("m.xml", self.ROBOT, "--contacts")
        text = (self.folder / "out/mechanism.yaml").read_text()
        self.assertEqual({l.split(":")[0].strip(): l.split("friction: ")[1].strip(" }") for l in text.splitlines() if "between:" in l and
                          "friction" in l}, {"trunk_on_ground": "0.6", "leg_on_ground": "1", "ball_on_ground": "0.3",
                                             "ball_on_trunk": "0.6", "ball_on_leg": "1"})
        self.tenon("run", "out/model.yaml", "--until", "2", "-o", "run.csv", "--quiet")
        place = self.end(["ball.position.z"], 2)[0]
        self.assertAlmostEqual(place, 0.1, delta=1e-9)

    def test_contacts_take_no_freedom_away(self):
        text = self.ROBOT.replace('pos="2 0 1"', 'pos="2 0 .1"')
        report = self.bring("m.xml", text, "--contacts")
        self.assertEqual((report["freedoms"], report["redundant"]), (13, 0))
        self.assertNotIn("(null)", self.tenon("info", "out/model.yaml").stdout)

    def test_nothing_touches_unless_it_is_wanted(self):
        self.bring("m.xml", self.ROBOT)
        self.assertNotIn("contacts:", (self.folder / "out/mechanism.yaml").read_text())

    def test_excluded_pairs(self):
        text = self.ROBOT.replace("</mujoco>", '<contact><exclude body1="ball" body2="trunk"/><exclude body1="leg" body2="world"/>'
                                  '</contact></mujoco>')
        left = self.bring("m.xml", text, "--contacts")["left_out"]
        self.assertFalse(any("exclude" in l["what"] for l in left))
        text = (self.folder / "out/mechanism.yaml").read_text()
        self.assertEqual([name in text for name in ("ball_on_trunk", "leg_on_ground", "ball_on_leg", "trunk_on_ground")],
                         [False, False, True, True])

    def test_friction_of_sdf_and_bullet(self):
        surface = "<surface><friction><ode><mu>{}</mu></ode></friction></surface>"
        box = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry>%s</collision>'
        self.bring("m.sdf", f'<sdf version="1.7"><world name="w"><model name="m"><static>true</static><link name="a">'
                   f'{box % surface.format(0.4)}</link></model><model name="n"><pose>0 0 2 0 0 0</pose><link name="b">'
                   f'{box % surface.format(0.7)}</link></model></world></sdf>', "--contacts")
        self.assertIn("friction: 0.4", (self.folder / "out/mechanism.yaml").read_text())


class Loops(Wild):
    LOOP = ('<mujoco><compiler angle="radian"/><worldbody><body name="crank"><joint name="a" axis="0 1 0" range="-2 -0.5"/>'
            '<geom type="capsule" fromto="0 0 0 .06 0 0" size=".01"/><body name="rod" pos=".06 0 0"><joint name="b" axis="0 1 0"/>'
            '<geom type="capsule" fromto="0 0 0 .35 0 .006" size=".01"/></body></body>'
            '<body name="foot" pos=".35 0 0"><joint name="c" axis="0 1 0" range="-2 -0.5"/>'
            '<geom type="capsule" fromto="0 0 0 .06 0 .006" size=".01"/></body></worldbody>'
            '<equality><connect body1="rod" body2="foot" anchor=".35 0 .006"/></equality></mujoco>')

    def test_starts_within_limits_close_the_loop(self):
        report = self.bring("m.xml", self.LOOP)
        self.assertTrue(report["assembled"], report.get("trouble"))
        self.assertEqual(report["freedoms"], 1)
        a, c = self.end(["a.angle", "c.angle"], 1e-6)
        for angle in (a, c):
            self.assertTrue(-2 < angle < -0.5, angle)

    def test_a_stop_takes_no_freedom_away(self):
        report = self.bring("r.urdf", hinge().replace("continuous", "revolute").replace("</joint>", '<limit lower="0" upper="1"/></joint>'))
        self.assertEqual((report["freedoms"], report["equations"]), (1, 5))

    def test_a_follower_beyond_its_limits_moves_its_leader(self):
        report = self.bring("r.urdf", '<robot name="r"><link name="base"/><link name="a">%s</link><link name="b">%s</link>'
                            '<joint name="one" type="revolute"><parent link="base"/><child link="a"/><limit lower="-1" upper="1"/>'
                            '</joint><joint name="two" type="revolute"><parent link="base"/><child link="b"/>'
                            '<limit lower="-0.2" upper="0.4"/><mimic joint="one" multiplier="-1" offset="0.6"/></joint></robot>'
                            % (BOX, BOX))
        self.assertTrue(report["assembled"], report.get("trouble"))
        one, two = self.end(["one.angle", "two.angle"], 1e-6)
        self.assertAlmostEqual(two, 0.6 - one, delta=1e-10)
        self.assertTrue(-0.2 < two < 0.4)


class Welds(Wild):
    BEAM = ('<mujoco><option><flag contact="disable"/></option><worldbody><body name="post" pos="3 0 0"><geom type="box" size=".1 .1 .1"/></body>'
            '<body name="beam" pos="3 0 0"><freejoint/><geom type="box" size=".2 .2 1"/></body></worldbody>'
            '<equality><weld body1="post" body2="beam" %s/></equality></mujoco>')

    def test_relpose_places_the_anchor(self):
        """Body 1 holds the anchor, a point of body 2, at relpose; with an identity rotation the beam stands 1 m higher."""
        report = self.bring("m.xml", self.BEAM % 'relpose="0 0.5 0 1 0 0 0" anchor="0 0 -1"')
        self.assertEqual(report["freedoms"], 0)
        place = self.end(["beam.position.x", "beam.position.y", "beam.position.z"], 1e-6)
        for got, wanted in zip(place, (3, 0.5, 1)):
            self.assertAlmostEqual(got, wanted, delta=1e-9)

    def test_a_weld_without_torque_is_a_ball(self):
        report = self.bring("m.xml", self.BEAM % 'torquescale="0" anchor="0 0 1"')
        ball = [joint for joint in report["joints"] if joint["type"] == "spherical"]
        self.assertEqual((report["freedoms"], len(ball), ball[0]["at"]), (3, 1, [3, 0, 1]))


class Dialects(Wild):
    def test_dry_friction_takes_no_freedom_away(self):
        report = self.bring("r.urdf", hinge('<dynamics friction="50"/>'))
        self.assertEqual((report["freedoms"], report["equations"]), (1, 5))

    def test_a_world_that_is_not_declared(self):
        report = self.bring("r.urdf", hinge().replace('<link name="base"/>', '').replace('link="base"', 'link="world"'))
        self.assertEqual((report["freedoms"], len(report["bodies"])), (1, 2))
        self.assertIn("it is taken for ground", str(report))
        self.refused("b.urdf", hinge().replace('link="base"', 'link="bse"'), "there is no link 'bse'")

    def test_the_root_before_sdf(self):
        link = '<link name="a"><inertial><mass>1</mass></inertial></link>'
        report = self.bring("m.sdf", '<gazebo version="1.2"><world><model name="m">%s</model></world></gazebo>' % link)
        self.assertEqual(report["freedoms"], 6)


def sdf(content, version="1.7"):
    return f'<sdf version="{version}"><model name="m">{content}</model></sdf>'


def joint(name, kind, child, more="", parent="a"):
    return (f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
            f'<axis><xyz>0 0 1</xyz>{more}</axis></joint>')


class LimitedLoops(Wild):
    """Loops that only simulators know close within the limits of their joints, wherever the file has its zero."""
    LIMITS = {"j0": (0, 3), "j1": (-3, -1), "j2": (0.5, 3)}

    def joint(self, name, parent, child, x):
        return ('<joint name="%s" type="revolute"><parent link="%s"/><child link="%s"/><origin xyz="%g 0 0"/><axis xyz="0 0 1"/>'
                '<limit lower="%g" upper="%g" effort="1" velocity="1"/></joint>' % (name, parent, child, x, *self.LIMITS[name]))

    def test_starts_within_limits(self):
        links = '<link name="base"/>' + "".join('<link name="%s">%s</link>' % (n, BOX) for n in ("crank", "coupler", "rocker"))
        text = ('<robot name="r">' + links + self.joint("j0", "base", "crank", 0) + self.joint("j1", "crank", "coupler", 0.3) +
                self.joint("j2", "base", "rocker", 1) + '<loop_joint name="close" type="continuous"><axis xyz="0 0 1"/><link1 link="coupler" '
                'rpy="0 0 0" xyz="0.9 0 0"/><link2 link="rocker" rpy="0 0 0" xyz="0.7 0 0"/></loop_joint></robot>')
        report = self.bring("r.urdf", text)
        self.assertTrue(report["assembled"], report)
        self.assertEqual(report["freedoms"], 1)
        self.assertTrue(any("loops close beyond limits" in n["message"] for n in report["notes"]))
        for (low, high), value in zip(self.LIMITS.values(), self.end(["j0.angle", "j1.angle", "j2.angle"], 1e-9)):
            self.assertTrue(low <= value <= high, (low, value, high))


class Drake(Wild):
    """Elements of Drake, in both formats; those of others are counted."""
    SPRING = (("body_A", "name", "base"), ("p_AP", "value", "0 0 0.5"), ("body_B", "name", "cart"), ("p_BQ", "value", "0 0 0.5"),
              ("free_length", "value", "1"), ("stiffness", "value", "50"), ("damping", "value", "0"))

    def elements(self, urdf):
        form = '<drake:%s %s="%s"/>' if urdf else '<drake:%s>%.0s%s</drake:%.0s%.0s%s>'
        def child(name, key, text):
            return form % ((name, key, text) if urdf else (name, key, text, key, text, name))
        ball = (("body_A", "name", "base"), ("p_AP", "value", "0 0 0"), ("body_B", "name", "pin"), ("p_BQ", "value", "0 0 1"))
        bushing = [("bushing_frameA", "name", "corner"), ("bushing_frameC", "name", "cart")] + [
            ("bushing_" + n, "value", "0 0 0") for n in ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")]
        return ("<drake:linear_spring_damper>" + "".join(child("linear_spring_damper_" + n, k, v) for n, k, v in self.SPRING) +
                "</drake:linear_spring_damper><drake:ball_constraint>" + "".join(child("ball_constraint_" + n, k, v) for n, k, v in ball) +
                "</drake:ball_constraint><drake:linear_bushing_rpy>" + "".join(child(n, k, v) for n, k, v in bushing) +
                "</drake:linear_bushing_rpy>")

    def test_springs_bushings_and_balls(self):
        urdf = ('<robot name="m" xmlns:drake="http://drake.mit.edu"><link name="base"/>' + "".join(
                '<link name="%s">%s</link><joint name="%s_j" type="%s"><parent link="base"/><child link="%s"/><origin xyz="%s"/><axis xyz="1 0 0"/>'
                '</joint>' % (n, BOX, n, t, n, at) for n, t, at in (("cart", "prismatic", "1.2 0 0"), ("pin", "floating", "0 0 -1"))) +
                '<frame name="corner" link="base" xyz="0 0 0.1" rpy="0 0 0"/>' + self.elements(True) + "</robot>")
        inertial = '<inertial><mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial>'
        model = ('<sdf version="1.7" xmlns:drake="http://drake.mit.edu" xmlns:my="m"><model name="m"><link name="base"/><link name="cart"><pose>1.2 0 0 0 0 0'
                 '</pose>' + inertial + '</link><link name="pin"><pose>0 0 -1 0 0 0</pose>' + inertial + '</link><frame name="corner" attached_to="base">'
                 '<pose>0 0 0.1 0 0 0</pose></frame><joint name="hold" type="fixed"><parent>world</parent><child>base</child></joint>'
                 '<joint name="cart_j" type="prismatic"><parent>base</parent><child>cart</child><axis><xyz>1 0 0</xyz></axis></joint>'
                 '<my:link name="other"/>' + self.elements(False) + "</model></sdf>")
        for name, text in (("m.urdf", urdf), ("m.sdf", model)):
            report = self.bring(name, text)
            self.assertEqual(report["freedoms"], 4, report)        # the cart, and the pin about its top
            self.assertEqual([l["what"] for l in report["left_out"]], [] if name == "m.urdf" else ["<my:link>"])
            self.assertAlmostEqual(self.end(["cart.position.x"], 0.3)[0], 1 + 0.2 * math.cos(5 * 0.3), delta=1e-9)
        self.refused("n.urdf", urdf.replace('frameC name="cart"', 'frameC name="card"'), "no link or frame 'card'")

    def test_planar_joints_of_sdf(self):
        text = ('<sdf version="1.7" xmlns:drake="d"><model name="m"><link name="a"/><link name="b"/><joint name="w" type="fixed"><parent>world</parent>'
                '<child>a</child></joint><drake:joint name="p" type="planar"><drake:parent>a</drake:parent><drake:child>b</drake:child>'
                '<pose>0 0 0 1.5707963267948966 0 0</pose><drake:damping>0.1 2 0.3</drake:damping></drake:joint></model></sdf>')
        self.assertEqual(self.bring("m.sdf", text)["freedoms"], 3)
        # 1 kg falls along y of the joint: v' = g - 2 v
        self.assertAlmostEqual(self.end(["b.position.z"], 0.5)[0], -9.81 / 2 * (0.5 - (1 - math.exp(-1)) / 2), delta=1e-8)


class Sdf(Wild):
    WHEEL = ('<link name="%s"><pose>%s</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>.01</ixx><iyy>.01</iyy>'
             '<izz>.01</izz></inertia></inertial></link>')
    HINGE = '<joint name="%s" type="revolute"><parent>%s</parent><child>%s</child><axis><xyz>%s</xyz></axis></joint>'

    def test_merged_includes(self):
        """A model of parts as in PX4: what is merged belongs to the model around it, also twice, and joints name it so."""
        self.write("base/model.sdf", '<sdf version="1.9"><model name="base"><pose>0 0 5 0 0 0</pose>' + self.WHEEL % ("body", "1 0 0 0 0 0") +
                   '<frame name="mount"><pose relative_to="__model__">0 0 0.5 0 0 1.5707963267948966</pose></frame></model></sdf>')
        self.write("middle/model.sdf", '<sdf version="1.9"><model name="middle"><include merge="true"><uri>base</uri>'
                   '<pose>0 3 0 0 0 0</pose></include>' + (self.WHEEL % ("rotor", "0 0 0.2 0 0 0")).replace("<pose>", '<pose relative_to="mount">', 1) +
                   self.HINGE % ("spin", "body", "rotor", "0 0 1") + '</model></sdf>')
        report = self.bring("m.sdf", '<sdf version="1.9"><model name="whole"><include merge="true"><uri>model://middle</uri><pose>0 0 1 0 0 0'
                            '</pose></include>' + self.WHEEL % ("eye", "9 0 0 0 0 0") + self.HINGE % ("pan", "body", "eye", "0 1 0") +
                            '<joint name="hold" type="fixed"><parent>world</parent><child>rotor</child></joint></model></sdf>')
        self.assertEqual([report["freedoms"], report["mass"], {b["source"] for b in report["bodies"]}], [2, 4, {"whole::body", "whole::eye", "whole::rotor"}])
        at = self.end(["body.position." + c for c in "xyz"], 1e-9)
        for value, wanted in zip(at, (1, 3, 1)):
            self.assertAlmostEqual(value, wanted, delta=1e-9)

    def test_gearboxes(self):
        box = ('<joint name="gears" type="gearbox"><parent>a</parent><child>b</child><gearbox_ratio>5</gearbox_ratio>'
               '<gearbox_reference_body>%s</gearbox_reference_body><axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 -1 0</xyz></axis2></joint>')
        text = ('<sdf version="1.7"><model name="m">' + self.WHEEL % ("base", "0 0 0 0 0 0") + self.WHEEL % ("a", "1 0 0 0 0 0") +
                self.WHEEL % ("b", "0 0 0 0 0 0") + (self.HINGE % ("hold", "world", "base", "0 0 1")).replace("revolute", "fixed") +
                self.HINGE % ("in", "base", "a", "0 1 0") + self.HINGE % ("out", "base", "b", "0 1 0") + box + '</model></sdf>')
        self.assertEqual(self.bring("m.sdf", text % "base")["freedoms"], 1)
        first, second = self.end(["in.angle", "out.angle"], 0.3)
        self.assertGreater(abs(second), 0.01)
        self.assertAlmostEqual(first, 5 * second, delta=1e-9)
        report = self.bring("m.sdf", text % "b")
        self.assertEqual(report["freedoms"], 2)
        self.assertTrue(any("no hinge" in n["message"] for n in report["notes"]))
        report = self.bring("m.sdf", (text % "b").replace("<gearbox_reference_body>b</gearbox_reference_body>", ""))
        self.assertTrue(any("it has no <gearbox_reference_body>" in n["message"] for n in report["notes"]))

    def test_gravity_of_the_physics(self):
        text = '<sdf version="1.4"><world name="w"><physics type="ode"><gravity>0 0 -1</gravity></physics><model name="m">%s</model></world></sdf>'
        self.bring("m.sdf", text % (self.WHEEL % ("a", "0 0 0 0 0 0")))
        self.assertAlmostEqual(self.end(["a.position.z"], 1)[0], -0.5, delta=1e-9)

    def test_shapes_relative_to_other_frames(self):
        ball = '<geometry><sphere><radius>0.5</radius></sphere></geometry>'
        self.bring("m.sdf", sdf('<link name="a"><pose>1 0 0 0 0 0</pose></link><link name="b"><pose>2 0 0 0 1.5707963267948966 0'
                   f'</pose><visual name="v"><pose relative_to="f">0 0 14 0 0 0</pose>{ball}</visual></link>'
                   '<joint name="j" type="fixed"><pose>0 3 0 0 -1.5707963267948966 0</pose><parent>a</parent><child>b</child>'
                   '</joint><frame name="f"><pose relative_to="j">0 0 3 0 1.5707963267948966 0</pose></frame>'))
        at = (self.folder / "out/mechanism.yaml").read_text().split("at: [")[1].split("]")[0]
        self.same([float(v) for v in at.split(",")], [15, 3, 3], 1e-12)
        self.refused("n.sdf", sdf(f'<link name="a"><visual name="v"><pose relative_to="no">0 0 1 0 0 0</pose>{ball}</visual>'
                     '</link>'), "there is no frame, link or joint 'no'")

    def test_cones_and_ellipsoids(self):
        self.bring("m.sdf", sdf('<link name="a"><inertial auto="true"/><collision name="c"><pose>0 0 1 0 0 0</pose><geometry>'
                   '<cone><radius>0.3</radius><length>0.8</length></cone></geometry></collision></link>'
                   '<link name="b"><visual name="v"><geometry><ellipsoid><radii>.1 .2 .3</radii></ellipsoid></geometry></visual>'
                   '</link>', "1.12"), "--collisions")
        text, mass = (self.folder / "out/mechanism.yaml").read_text(), 1000 * math.pi / 3 * 0.09 * 0.8
        given = [float(v) for key in ("mass: ", "com: [", "inertia: [") for v in text.split(key)[1].split("\n")[0].strip(
            "]").split(",")]
        across = mass * (3 * 0.09 / 20 + 3 * 0.64 / 80)
        self.same(given, [mass, 0, 0, 0.8, across, across, 0.3 * mass * 0.09], 1e-9)
        self.assertIn("cone: { radius: 0.3, length: 0.8", text)

    def test_a_link_that_is_the_world(self):
        report = self.bring("m.sdf", sdf('<link name="world"/><link name="a"/>' + joint("j", "prismatic", "a", parent="world")))
        self.assertEqual(report["freedoms"], 1)
        self.assertTrue(any("taken as ground" in n["message"] for n in report["notes"]))

    def test_a_joint_with_the_name_of_a_link(self):
        report = self.bring("m.sdf", sdf('<link name="a"/><link name="b"/><link name="c"/>' + joint("b", "revolute", "b") +
                            joint("k", "revolute", "c", '<mimic joint="b"><multiplier>2</multiplier></mimic>'), "1.11"),
                            "--base=fixed")
        self.assertEqual(report["freedoms"], 1)
        self.refused("n.sdf", sdf('<link name="a"/><link name="a"/>'), "'m::a' is there twice")

    def test_limits_of_zero_hold(self):
        limit = "<limit><lower>0</lower><upper>0</upper></limit>"
        report = self.bring("m.sdf", sdf('<link name="a"/><link name="b"/>' + joint("j", "revolute", "b", limit)), "--base=fixed")
        self.assertEqual(report["freedoms"], 0)

    def test_placement_frame(self):
        text = sdf('<pose>0 0 5 0 0 0</pose><link name="a"><pose>1 0 0 0 0 0</pose></link>'
                   '<frame name="f" attached_to="a"><pose>0 2 0 0 0 1.5707963267948966</pose></frame>')
        self.bring("m.sdf", text.replace('name="m"', 'name="m" placement_frame="f"'))
        place = (self.folder / "out/mechanism.yaml").read_text().split("position: [")[1].split("]")[0]
        self.same([float(v) for v in place.split(",")], [-2, 0, 5], 1e-12)     # f at (0, 0, 5) with the axes of the world

    def test_links_without_weight(self):
        self.bring("m.sdf", sdf('<link name="a"><gravity>0</gravity></link>'))
        self.assertAlmostEqual(self.end(["a.velocity.z"], 1)[0], 0, delta=1e-12)

    def test_universal_joint_without_second_axis(self):
        report = self.bring("m.sdf", sdf('<link name="a"/><link name="b"/>' + joint("j", "universal", "b")), "--base=fixed")
        self.assertEqual(report["freedoms"], 2)
        self.assertTrue(any("<axis2>" in n["message"] for n in report["notes"]))


class Adams(Wild):
    MODEL = ("! Solver dataset\n\n{}UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND\nPART/1, GROUND\nMARKER/1, PART=1\n"
             "PART/2, MASS=3, CM=2, IP=1, 1, 1\nMARKER/2, PART=2\nJOINT/1, REVOLUTE, I=2, J=1\nEND\n")

    def test_a_title_below_comments_or_none(self):
        report = self.bring("m.adm", self.MODEL.format("ADAMS/View model name: Rig\n"))
        self.assertEqual((report["name"], report["freedoms"], report["left_out"]), ("Rig", 1, []))
        report = self.bring("n.adm", self.MODEL.format("").split("\n\n")[1])
        self.assertEqual((report["freedoms"], report["mass"]), (1, 3))
        self.assertFalse(any("UNITS" in n["message"] for n in report["notes"]))

    COMMANDS = """!
defaults units  &
   length = mm  angle = deg  force = newton  mass = kg  time = sec
if condition = (! db_exists(".colors.RED"))
end
model create  &
   model_name = arm
material create  &
   material_name = .arm.steel  density = 7.801E-06
defaults coordinate_system  default_coordinate_system = .arm.ground
marker create  marker_name = .arm.ground.W  location = 0.0, 0.0, 0.0  orientation = 0.0d, 0.0d, 0.0d
part create rigid_body name_and_position  &
   part_name = .arm.lower  adams_id = 2  &
   location = 0.0, 0.0, 0.0  orientation = 0.0d, 0.0d, 0.0d
defaults coordinate_system  default_coordinate_system = .arm.lower
marker create  marker_name = .arm.lower.A  location = 0.0, 0.0, 0.0  orientation = 90.0d, 0.0d, 0.0d
marker create  marker_name = .arm.lower.B  location = 0.0, 150.0, 0.0  orientation = 90.0d, 0.0d, 0.0d
marker create  marker_name = .arm.lower.C  location = 0.0, 150.0, 0.0  orientation = 0.0d, 0.0d, 0.0d
part create rigid_body mass_properties  part_name = .arm.lower  material_type = .arm.steel
geometry create shape link  link_name = .arm.lower.LINK  &
   i_marker = .arm.lower.A  j_marker = .arm.lower.B  width = 40.0  depth = 40.0
defaults coordinate_system  default_coordinate_system = .arm.ground
part create rigid_body name_and_position  part_name = .arm.upper  location = 0.0, 150.0, 0.0  orientation = 90.0, 0.0, 0.0
marker create  marker_name = .arm.upper.D  location = 0.0, 150.0, 0.0  orientation = 0.0d, 0.0d, 0.0d   ! in the frame of ground
marker create  marker_name = .arm.upper.cm  location = 0.0, 200.0, 0.0  orientation = 0.0d, 90.0d, 0.0d
part create rigid_body mass_properties  part_name = .arm.upper  mass = 2.0E-02  center_of_mass_marker = .arm.upper.cm  &
   ixx = 30.0  iyy = 20.0  izz = 10.0  ixy = 0.0  izx = 0.0  iyz = 0.0
constraint create joint revolute  joint_name = .arm.ELBOW  i_marker_name = .arm.upper.D  j_marker_name = .arm.lower.C
constraint create joint revolute  joint_name = .arm.FOOT  i_marker_name = .arm.lower.A  j_marker_name = .arm.ground.W
constraint create joint fixed  joint_name = .arm.OFF  i_marker_name = .arm.lower.A  j_marker_name = .arm.ground.W
constraint attributes  constraint_name = .arm.OFF  active = off
constraint create motion_generator  motion_name = .arm.motor  type_of_freedom = rotational  joint_name = .arm.FOOT  function = ""
force create direct single_component_force  single_component_force_name = .arm.torque  type_of_freedom = rotational  &
   i_marker_name = .arm.upper.D  j_marker_name = .arm.lower.C  action_only = off  function = ""
force create element_like rotational_spring_damper  spring_damper_name = .arm.SPRING  i_marker_name = .arm.upper.D  &
   j_marker_name = .arm.lower.C  damping = 0.01  stiffness = 2.0  preload = 0.0  displacement_at_preload = 5
force create body gravitational  gravity_field_name = gravity  x_component_gravity = 0.0  &
   y_component_gravity = -9806.65  z_component_gravity = 0.0
constraint modify motion_generator  motion_name = .arm.motor  function = "step(time,0,90d,1,50d)",  &
   "+step(time,2,0d,3,20d)"
force modify direct single_component_force  single_component_force_name = .arm.torque  &
   function = "-8.0 - 0.5*WZ(.arm.upper.D, C, C)"
material modify  material_name = .arm.steel  density = (7801.0(kg/meter**3))
"""
    DATASET = """ADAMS/View model name: arm
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND
PART/1, GROUND
MARKER/1, PART=1
! adams_view_name='lower'
PART/2, MASS=%.17g, CM=5, IP=%.17g, %.17g, %.17g
MARKER/2, PART=2, REULER=90D,0D,0D
MARKER/4, PART=2, QP=0, 150, 0
MARKER/5, PART=2, QP=0, 75, 0
! adams_view_name='upper'
PART/3, QG=0, 150, 0, REULER=90D,0D,0D, MASS=2E-2, CM=7, IP=30, 20, 10
MARKER/6, PART=3, REULER=-90D,0D,0D
MARKER/7, PART=3, QP=50, 0, 0, REULER=-90D,90D,0D
! adams_view_name='ELBOW'
JOINT/1, REVOLUTE, I=6, J=4
! adams_view_name='FOOT'
JOINT/2, REVOLUTE, I=2, J=1
MOTION/1, ROTATION, JOINT=2, FUNCTION=step(time,0,90d,1,50d)+step(time,2,0d,3,20d)
SFORCE/1, ROTATION, I=6, J=4, FUNCTION=-8.0 - 0.5*WZ(6, 4, 4)
SPRINGDAMPER/1, ROTATION, I=6, J=4, KT=%.17g, CT=%.17g, ANGLE=5D
ACCGRAV/JGRAV=-9806.65
END
"""

    def test_command_files(self):
        """A command file of Adams View moves like the dataset of the same machine; the link's mass is that of a bar with round ends."""
        L, w, d, rho = 150.0, 40.0, 40.0, 7.801e-6
        disc, area = math.pi * w * w / 4, L * w + math.pi * w * w / 4
        across = L * w ** 3 / 12 + math.pi * w ** 4 / 64
        polar = L * w * (L * L + w * w) / 12 + math.pi * w ** 4 / 32 + disc * (L * L / 4 + 2 * L * w / (3 * math.pi))
        flat = area * d ** 3 / 12
        inertia = [rho * (d * (polar - across) + flat), rho * (d * across + flat), rho * d * polar]        # the bar lies along y
        turn = 180 / math.pi
        names, ends = ["ELBOW.angle", "FOOT.angle", "upper.position.x"], []
        for name, text in (("m.cmd", self.COMMANDS), ("m.adm", self.DATASET % (rho * area * d, *inertia, 2 * turn, 0.01 * turn))):
            report = self.bring(name, text)
            self.assertEqual((report["name"], report["freedoms"], [j["name"] for j in report["joints"]]), ("arm", 1, ["ELBOW", "FOOT"]))
            self.assertAlmostEqual(report["mass"], rho * area * d + 0.02, delta=1e-12)
            ends.append(self.end(names, 0.8))
        for a, b in zip(*ends):
            self.assertAlmostEqual(a, b, delta=1e-9)
        self.assertGreater(abs(ends[0][0]), 0.02)

    def test_design_variables(self):
        """Functions of command files name design variables, and variables without a function are inputs of controllers."""
        text = self.COMMANDS.replace("force modify direct", """variable create  variable_name = .arm.DV_low  units = "no_units"  range = -1.0, 1.0  real_value = 30.0
variable create  variable_name = .arm.DV_high  integer_value = 40
data_element create variable  variable_name = .arm.input  function = ""
force modify direct""")
        text = text.replace('"-8.0 - 0.5*WZ', '"BISTOP(50 + TIME, 1, .arm.DV_high - .arm.DV_low, .arm.DV_low + .arm.DV_high,  &\n 1e3, 1, 0, 1)  &'
                            '\n + VARVAL(.arm.input) - 8.0 - 0.5*WZ')
        report = self.bring("m.cmd", text)                 # 50 mm lies between 10 and 70: the stops do nothing
        self.assertEqual([n["message"] for n in report["notes"] if "left out" in n["message"]], [])
        self.assertTrue(any("input of a controller: it is 0" in n["message"] for n in report["notes"]))
        stopped = self.end(["ELBOW.angle"], 0.8)
        self.bring("m.cmd", self.COMMANDS)
        self.assertAlmostEqual(stopped[0], self.end(["ELBOW.angle"], 0.8)[0], delta=1e-9)

    def test_gears_beams_and_blocks_of_commands(self):
        text = self.COMMANDS.split("constraint create joint fixed")[0].replace("orientation = 0.0d, 90.0d, 0.0d", "orientation = 0.0d, 0.0d, 0.0d")
        gear = ("marker create  marker_name = .arm.lower.CV  relative_to = .arm.ground  location = 0.0, 100.0, 0.0  orientation = 90.0d, 90.0d, 0.0d\n"
                "constraint create complex_joint gear  gear_name = .arm.GEAR  joint_name = .arm.ELBOW, .arm.FOOT  common_velocity_marker = .arm.lower.CV\n")
        beam = ("force create element_like beam  beam_name = .arm.BEAM  i_marker_name = .arm.upper.cm  j_marker_name = .arm.lower.C  length = 50.0  &\n"
                "area_of_cross_section = 10.0  y_shear_area_ratio = 0.0  z_shear_area_ratio = 0.0  youngs_modulus = 2.0E+05  shear_modulus = 8.0E+04  &\n"
                "ixx = 9.0  iyy = 8.0  izz = 8.0  damping_ratio = 1.0E-02\n")
        report = self.bring("m.cmd", text + beam)
        self.assertEqual([l["what"] for l in report["left_out"]], [])
        self.assertIn("type: bushing", (self.folder / "out/mechanism.yaml").read_text())
        self.assertEqual(self.bring("m.cmd", text + gear)["freedoms"], 1)
        for block in ("for variable_name = i  start_value = 1  end_value = 3", "while condition = (1)", 'if condition = (db_exists(".x"))'):
            error = self.refused("m.cmd", text + block + "\n" + beam + "end\n", "which are not evaluated")
            self.assertIn("m.cmd:%d:" % (text.count("\n") + 2), error)

    def test_forces_without_a_direction(self):
        text = self.MODEL.format("").replace("REVOLUTE", "TRANSLATIONAL").replace("END", "SFORCE/1, TRANSLATION, I=2, J=1, FUNCTION=5\nEND")
        self.assertTrue(any("markers coincide" in n["message"] for n in self.bring("m.adm", text)["notes"]))

    def test_mistakes_in_command_files(self):
        error = self.refused("m.cmd", self.COMMANDS.replace("location = 0.0, 200.0", "location = (LOC_RELATIVE_TO({0,0,0}, W)), 2"),
                             "expressions are not evaluated")
        self.assertIn("m.cmd:%d:" % (1 + self.COMMANDS[:self.COMMANDS.index(".arm.upper.cm")].count("\n")), error)
        self.refused("m.cmd", self.COMMANDS.replace("part create rigid_body name_and_position  part_name = .arm.upper",
                                                    "part create flexible_body name_and_position  part_name = .arm.upper"), "'upper' is a flexible body")
        self.refused("m.cmd", self.COMMANDS.replace("j_marker_name = .arm.ground.W", "j_marker_name = .arm.ground.X", 1), "there is no '.arm.ground.X'")
        self.refused("m.cmd", self.COMMANDS.replace(".arm.upper  location", ".arm.upper  relative_to = .arm.upper.D  location", 1).replace(
            "marker_name = .arm.upper.D  location", "marker_name = .arm.upper.D  relative_to = .arm.upper  location", 1), "relative to itself")

    def test_systems_of_units(self):
        text = self.MODEL.format("ADAMS/View model name: Rig\n").replace("FORCE=NEWTON, MASS=KILOGRAM, LENGTH=METER, TIME=SECOND", "SYSTEM=%s")
        self.assertAlmostEqual(self.bring("m.adm", text % "IPS")["mass"], 3 * 175.12683524647636, delta=1e-9)
        self.assertAlmostEqual(self.bring("m.adm", text % "CGS")["mass"], 0.003, delta=1e-12)
        self.refused("n.adm", text % "XYZ", "SYSTEM 'XYZ' is not known")


if __name__ == "__main__":
    test_import.PROGRAM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
