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
