"""CAD assemblies for the tests of tenon import: a four-bar with a flexible and a rigid sub-assembly, as Simscape XML."""
import math

BARS = {"frame": 1.0, "crank": 0.3, "coupler": 0.9, "rocker": 0.7}
CRANK_ANGLE = math.radians(60)


def turn(angle):
    c, s = math.cos(angle), math.sin(angle)
    return [c, -s, 0, s, c, 0, 0, 0, 1]


def four_bar():
    """Angle and position of each bar when the crank is at its angle; a bar goes from its origin along its x axis."""
    ax, ay = BARS["crank"] * math.cos(CRANK_ANGLE), BARS["crank"] * math.sin(CRANK_ANGLE)
    dx, dy = BARS["frame"] - ax, -ay
    d = math.hypot(dx, dy)
    along = (BARS["coupler"] ** 2 - BARS["rocker"] ** 2 + d * d) / (2 * d)
    up = math.sqrt(BARS["coupler"] ** 2 - along ** 2)
    bx, by = ax + (along * dx - up * dy) / d, ay + (along * dy + up * dx) / d
    return {"frame": (0, (0, 0, 0)), "crank": (CRANK_ANGLE, (0, 0, 0)), "coupler": (math.atan2(by - ay, bx - ax), (ax, ay, 0)),
            "rocker": (math.atan2(by, bx - BARS["frame"]), (BARS["frame"], 0, 0))}


def numbers(values):
    return " ".join(f"{v:.17g}" for v in values)


def instance(name, entity, angle=0.0, at=(0, 0, 0), inside="", more=""):
    return (f'<Instance name="{name}" uid="{name}" entityUid="{entity}"{more}><Transform><Rotation>{numbers(turn(angle))}'
            f'</Rotation><Translation>{numbers(at)}</Translation></Transform>{inside}</Instance>\n')


def geometry(kind, path, position, axis):
    uids = "".join(f"<Uid>{uid}</Uid>" for uid in path)
    return (f'<ConstraintGeometry geomType="{kind}"><InstancePath>{uids}</InstancePath><Position>{numbers(position)}</Position>'
            f'<Axis>{numbers(axis)}</Axis></ConstraintGeometry>')


def mate(kind, name, a, b):
    return f'<{kind} name="{name}">{geometry(*a)}{geometry(*b)}</{kind}>\n'


def hinge(number, path1, at1, path2, at2):
    """Two mates: concentric holes, and side faces against each other."""
    z = (0, 0, 1)
    return (mate("Concentric", f"Concentric{number}", ("cylinder", path1, at1, z), ("cylinder", path2, at2, (0, 0, -1))) +
            mate("Coincident", f"Coincident{number}", ("plane", path1, (0.1, 0.05, 0), z), ("plane", path2, (0, 0, 0), z)))


def bolted(number, path1, path2):
    """Three pairs of planes, and a fourth that says nothing new."""
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))
    return "".join(mate("Coincident", f"Face{number}_{k}", ("plane", path1, (0, 0, 0), axis), ("plane", path2, (0, 0, 0), axis))
                   for k, axis in enumerate(axes))


def part(name, length, mass):
    inertia = mass * length * length / 12
    return (f'<Part name="{name}" uid="{name}*:*Default"><MassProperties><Mass>{mass}</Mass><CenterOfMass>{length / 2} 0 0'
            f'</CenterOfMass><Inertia>1e-3 {inertia + 1e-3} {inertia + 1e-3} 0 0 0</Inertia></MassProperties></Part>\n')


def simscape(off=0.0, extra="", units="meter"):
    """Root: frame (grounded), sub-assembly "arm" with crank and coupler (flexible), rocker, cover (rigid, two parts).
    off turns the coupler and the rocker away from where their mates want them."""
    p = four_bar()
    crank_angle, crank_at = p["crank"]
    c, s = math.cos(-crank_angle), math.sin(-crank_angle)
    x, y, _ = p["coupler"][1]
    coupler_at = (c * x - s * y, s * x + c * y, 0)
    arm = (instance("crank-1", "crank*:*Default", more=' grounded="true"') +
           instance("coupler-1", "coupler*:*Default", p["coupler"][0] - crank_angle + off, coupler_at))
    cover = (instance("plate-1", "plate*:*Default", more=' grounded="true"') +
             instance("screw-1", "screw*:*Default", at=(0.01, 0.02, 0.003)))
    tree = (instance("frame-1", "frame*:*Default", more=' grounded="true"') +
            instance("arm-1", "arm", crank_angle, crank_at, arm) +
            instance("rocker-1", "rocker*:*Default", p["rocker"][0] + 2 * off, p["rocker"][1]) +
            instance("cover-1", "cover", p["rocker"][0] + 2 * off, p["rocker"][1], cover, ' rigid="true"'))
    origin = (0, 0, 0)
    mates = (hinge(1, ["frame-1"], origin, ["arm-1", "crank-1"], origin) +
             hinge(2, ["frame-1"], (1, 0, 0), ["rocker-1"], origin) +
             hinge(3, ["arm-1", "coupler-1"], (0.9, 0, 0), ["rocker-1"], (0.7, 0, 0)) +
             bolted(4, ["rocker-1"], ["cover-1", "plate-1"]) + extra)
    inner = hinge(1, ["crank-1"], (0.3, 0, 0), ["coupler-1"], origin)
    parts = "".join(part(name, length, 2 * length) for name, length in BARS.items()) + part("plate", 0.1, 0.2) + part(
        "screw", 0.02, 0.01)
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<SimscapeMultibodyImportXML version="2.0" '
            f'xmlns="urn:mathworks:SimscapeMultibody:import">\n<ModelUnits mass="kilogram" length="millimeter"/>'
            f'<DataUnits mass="kilogram" length="{units}"/>\n<RootAssembly name="four bar" uid="four bar"><InstanceTree>\n{tree}'
            f'</InstanceTree><Constraints>\n{mates}</Constraints></RootAssembly>\n<Assemblies><Assembly name="arm" uid="arm">'
            f'<Constraints>{inner}</Constraints></Assembly><Assembly name="cover" uid="cover"><Constraints/></Assembly>'
            f'</Assemblies>\n<Parts>\n{parts}</Parts>\n</SimscapeMultibodyImportXML>\n')


# ---- Ondsel .asmt ----

def block(level, word, *lines):
    tab = "\t" * level
    return f"{tab}{word}\n" + "".join(f"{tab}\t{line}\n" if not line.startswith("\t") else f"{line}" for line in lines)


def asmt_place(level, position, angle=0.0):
    m = turn(angle)
    rows = ["\t".join(f"{v:.17g}" for v in m[3 * k:3 * k + 3]) for k in range(3)]
    return (block(level, "Position3D", "\t".join(f"{v:.17g}" for v in position)) + block(level, "RotationMatrix", *rows))


def asmt_markers(level, markers):
    out = "\t" * level + "RefPoints\n"
    for name, position in markers:
        out += "\t" * (level + 1) + "RefPoint\n" + asmt_place(level + 2, position) + "\t" * (level + 2) + "Markers\n"
        out += "\t" * (level + 3) + "Marker\n" + block(level + 4, "Name", name) + asmt_place(level + 4, (0, 0, 0))
    return out


def asmt_item(kind, name, **fields):
    """A joint, motion, limit or force: fields are lines below their names."""
    return f"\t\t\t{kind}\n" + block(4, "Name", name) + "".join(block(4, key, str(text)) for key, text in fields.items())


def asmt_file(ground, parts, joints, motions="", limits="", forces="", series=""):
    """parts: name, (angle, position), length of a bar of 2 kg/m along x, markers."""
    out = "OndselSolver\nAssembly\n" + block(1, "Name", "Assembly1") + asmt_place(1, (0, 0, 0))
    out += asmt_markers(1, ground) + "\tParts\n"
    for name, (angle, at), length, markers in parts:
        out += "\t\tPart\n" + block(3, "Name", name) + asmt_place(3, at, angle) + "\t\t\tPrincipalMassMarker\n"
        out += block(4, "Name", "MassMarker") + asmt_place(4, (length / 2, 0, 0)) + block(4, "Mass", f"{2 * length:.17g}")
        out += block(4, "MomentOfInertias", f"0.01\t{length ** 3 / 6:.17g}\t{length ** 3 / 6:.17g}") + asmt_markers(3, markers)
    out += "\tConstraintSets\n\t\tJoints\n" + joints + "\t\tMotions\n" + motions
    out += ("\t\tLimits\n" + limits if limits else "") + ("\tForceTorques\n" + forces.replace("\n\t", "\n")[1:] if forces else "")
    out += block(1, "ConstantGravity", "0\t-9.81\t0") + "\tSimulationParameters\n" + block(2, "tend", "1")
    return out + series


def asmt(drive="2.0d*pi*time", joint="RevoluteJoint", series="", limits=""):
    """The four-bar, driven at its crank."""
    parts = [(name, place, BARS[name], [("M1", (0, 0, 0)), ("M2", (BARS[name], 0, 0))]) for name, place in four_bar().items()
             if name != "frame"]
    pairs = [("J1", "/Assembly1/A", "/Assembly1/crank/M1"), ("J2", "/Assembly1/crank/M2", "/Assembly1/coupler/M1"),
             ("J3", "/Assembly1/coupler/M2", "/Assembly1/rocker/M2"), ("J4", "/Assembly1/B", "/Assembly1/rocker/M1")]
    joints = "".join(asmt_item(joint, name, MarkerI=i, MarkerJ=j) for name, i, j in pairs)
    motion = asmt_item("RotationalMotion", "Motion1", MotionJoint="/Assembly1/J1", RotationZ=f"{CRANK_ANGLE:.17g} + {drive}")
    return asmt_file([("A", (0, 0, 0)), ("B", (BARS["frame"], 0, 0))], parts, joints, motion if drive else "", limits, "", series)


def asmt_series(times, mark="\t"):
    """Positions of the coupler's origin, which the crank carries."""
    angles = [CRANK_ANGLE + 2 * math.pi * t for t in times]
    rows = [[BARS["crank"] * f(a) for a in angles] for f in (math.cos, math.sin, lambda a: 0.0)]
    text = "TimeSeries\nTime\tInput\t" + "\t".join(map(repr, times)) + f"\nPartSeries{mark}/Assembly1/coupler\n"
    for letter, row in zip("XYZ", rows):
        text += f"{letter}\t" + "\t".join(repr(float(v)) for v in [row[0], *row]) + "\n"
    return text


# ---- FreeCAD ----

JOINT_TYPES = ["Fixed", "Revolute", "Cylindrical", "Slider", "Ball", "Distance", "Parallel", "Perpendicular", "Angle",
               "RackPinion", "Screw", "Gears", "Belt"]


def fc_placement(name, position, angle=0.0):
    """Millimetres; quaternion x y z w."""
    x, y, z = (1000 * v for v in position)
    return (f'<Property name="{name}" type="App::PropertyPlacement"><PropertyPlacement Px="{x!r}" Py="{y!r}" Pz="{z!r}" Q0="0" '
            f'Q1="0" Q2="{math.sin(angle / 2)!r}" Q3="{math.cos(angle / 2)!r}"/></Property>')


def fc_link(name, target, subs=()):
    inside = "".join(f'<Sub value="{s}"/>' for s in subs)
    return f'<Property name="{name}" type="App::PropertyXLinkSub"><XLink file="" name="{target}">{inside}</XLink></Property>'


def fc_group(members):
    links = "".join(f'<Link value="{m}"/>' for m in members)
    return f'<Property name="Group" type="App::PropertyLinkList"><LinkList count="{len(members)}">{links}</LinkList></Property>'


def fc_joint(kind, name, dialect, part1, at1, part2, at2, more=""):
    words = "".join(f'<Enum value="{w}"/>' for w in JOINT_TYPES)
    reference = ((lambda which, part: fc_link(f"Reference{which}", "Assembly", [f"{part}.Face1", f"{part}.Face1"]))
                 if dialect == "1.0" else (lambda which, part: fc_link(f"Reference{which}", part, ["Face1"])))
    return (name, "App::FeaturePython", f'<Property name="JointType" type="App::PropertyEnumeration"><Integer '
            f'value="{JOINT_TYPES.index(kind)}" CustomEnum="true"/><CustomEnumList count="13">{words}</CustomEnumList></Property>'
            + reference(1, part1) + reference(2, part2) + fc_placement("Placement1", at1) + fc_placement("Placement2", at2) + more)


def fc_document(objects):
    listed = "".join(f'<Object type="{t}" name="{n}" id="{k}"/>\n' for k, (n, t, _) in enumerate(objects))
    data = "".join(f'<Object name="{n}"><Properties>{p}</Properties></Object>\n' for n, _, p in objects)
    return (f'<?xml version="1.0" encoding="utf-8"?>\n<Document SchemaVersion="4" ProgramVersion="1.0"><Objects>{listed}</Objects>'
            f'<ObjectData>{data}</ObjectData></Document>')


def freecad(dialect="1.0", more_joints=(), more_parts=()):
    """The four-bar in FreeCAD."""
    parts = [(name, "Part::Feature", fc_placement("Placement", at, angle)) for name, (angle, at) in four_bar().items()]
    parts += more_parts
    origin = (0, 0, 0)
    joints = [("GroundedJoint", "App::FeaturePython", '<Property name="ObjectToGround" type="App::PropertyLink"><Link '
               'value="frame"/></Property>'),
              fc_joint("Revolute", "J1", dialect, "frame", origin, "crank", origin),
              fc_joint("Revolute", "J2", dialect, "crank", (0.3, 0, 0), "coupler", origin),
              fc_joint("Revolute", "J3", dialect, "coupler", (0.9, 0, 0), "rocker", (0.7, 0, 0)),
              fc_joint("Revolute", "J4", dialect, "frame", (1, 0, 0), "rocker", origin), *more_joints]
    top = [("Assembly", "Assembly::AssemblyObject", fc_group(["Joints"] + [p[0] for p in parts])),
           ("Joints", "Assembly::JointGroup", fc_group([j[0] for j in joints]))]
    return fc_document(top + parts + joints)


def archive(document, name="Document.xml"):
    import io
    import zipfile
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(name, document)
    return out.getvalue()
