"""Machines for the tests of tenon import, written in several formats from one description.

A robot is a list of links, each with the name of its parent, a joint to it, mass, centre of mass and inertia. rpy_matrix
and mass_matrix are independent of the importer: they are what its results are compared with.
"""
import math


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def apply(m, v):
    return [sum(x * y for x, y in zip(row, v)) for row in m]


def transpose(m):
    return [list(row) for row in zip(*m)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rotation(axis, angle):
    """About a unit vector."""
    x, y, z = axis
    c, s, d = math.cos(angle), math.sin(angle), 1 - math.cos(angle)
    return [[c + d * x * x, d * x * y - s * z, d * x * z + s * y],
            [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
            [d * x * z - s * y, d * y * z + s * x, c + d * z * z]]


def rpy_matrix(rpy):
    """Fixed axes x, y, z."""
    r, p, y = rpy
    return matmul(rotation([0, 0, 1], y), matmul(rotation([0, 1, 0], p), rotation([1, 0, 0], r)))


class Link:
    def __init__(self, name, parent, kind, xyz, rpy, axis, mass, com, tensor, com_rpy=(0, 0, 0), limits=None, damping=0.0):
        self.name, self.parent, self.kind = name, parent, kind
        self.xyz, self.rpy, self.axis = list(xyz), list(rpy), list(axis)
        self.mass, self.com, self.tensor, self.com_rpy = mass, list(com), list(tensor), list(com_rpy)
        self.limits, self.damping = limits, damping

    @property
    def joint(self):
        return f"{self.name}_joint"


def arm():
    """Five joints: turning, sliding, a branch, and a fixed tool; no axis along a coordinate by chance."""
    return [
        Link("turret", None, "revolute", (0.1, -0.2, 0.3), (0.1, 0.2, 0.3), (0, 0, 1), 3.0, (0.01, 0.02, 0.1),
             (0.05, 0.06, 0.03, 0.002, -0.001, 0.003), damping=0.4),
        Link("boom", "turret", "revolute", (0.0, 0.1, 0.2), (0.4, -0.3, 0.2), (0.6, 0.8, 0), 2.0, (0.3, 0.0, 0.05),
             (0.01, 0.09, 0.095, 0.0005, 0.001, -0.0007), (0.3, 0.1, -0.2), damping=0.1),
        Link("ram", "boom", "prismatic", (0.5, 0, 0.1), (0, 0.7, 0.1), (0, 0.28, 0.96), 1.2, (0.05, -0.02, 0.2),
             (0.02, 0.021, 0.004, 0.0001, 0.0002, 0.0003), damping=2.0),
        Link("hand", "ram", "revolute", (0.02, 0.03, 0.4), (1.0, 0.2, -0.5), (1, 0, 0), 0.7, (0, 0.04, 0.06),
             (0.003, 0.002, 0.0025, 0.0001, 0, 0.0002), (0.2, 0.3, 0.4)),
        Link("tool", "hand", "fixed", (0.0, 0.05, 0.1), (0.3, -0.6, 0.9), (1, 0, 0), 0.4, (0.01, 0.0, 0.05),
             (0.001, 0.0012, 0.0008, 0, 0.00005, 0)),
        Link("counter", "turret", "revolute", (-0.2, 0, 0.25), (0, 0.1, 2.0), (0, 1, 0), 1.1, (-0.1, 0, 0),
             (0.002, 0.006, 0.0065, 0, 0, 0.0001), (0, 0.5, 0)),
    ]


def text(values):
    return " ".join(repr(float(v)) for v in values)


def urdf(links, name="arm"):
    out = [f'<?xml version="1.0"?>\n<robot name="{name}">', '  <link name="base"/>']
    for l in links:
        xx, yy, zz, xy, xz, yz = l.tensor
        out.append(f'  <link name="{l.name}">\n    <inertial><origin xyz="{text(l.com)}" rpy="{text(l.com_rpy)}"/>'
                   f'<mass value="{l.mass!r}"/><inertia ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}" '
                   f'izz="{zz!r}"/></inertial>\n  </link>')
        kind = "continuous" if l.kind == "revolute" else l.kind
        limit = '<limit lower="-5" upper="5" effort="1" velocity="1"/>' if kind == "prismatic" else ""
        out.append(f'  <joint name="{l.joint}" type="{kind}"><origin xyz="{text(l.xyz)}" rpy="{text(l.rpy)}"/>'
                   f'<axis xyz="{text(l.axis)}"/><parent link="{l.parent or "base"}"/><child link="{l.name}"/>{limit}'
                   f'<dynamics damping="{l.damping!r}"/></joint>')
    return "\n".join(out + ["</robot>\n"])


def mjcf(links, name="arm", more=""):
    """Bodies in bodies; defaults by class, angles in radians, turns about fixed axes."""
    def body(l, indent):
        pad = " " * indent
        joint = ""
        if l.kind != "fixed":
            kind = "hinge" if l.kind == "revolute" else "slide"
            joint = (f'\n{pad}  <joint name="{l.joint}" type="{kind}" axis="{text(l.axis)}" damping="{l.damping!r}"'
                     f'{" range=" + chr(34) + "-5 5" + chr(34) if kind == "slide" else ""}/>')
        inside = "".join(body(other, indent + 2) for other in links if other.parent == l.name)
        return (f'\n{pad}<body name="{l.name}" pos="{text(l.xyz)}" euler="{text(l.rpy)}">{joint}\n'
                f'{pad}  <inertial pos="{text(l.com)}" euler="{text(l.com_rpy)}" mass="{l.mass!r}" '
                f'fullinertia="{text(l.tensor)}"/>{inside}\n{pad}</body>')
    bodies = "".join(body(l, 4) for l in links if l.parent is None)
    return (f'<mujoco model="{name}">\n  <compiler angle="radian" eulerseq="XYZ"/>\n  <worldbody>{bodies}\n  </worldbody>'
            f'{more}\n</mujoco>\n')


def sdf(links, name="arm"):
    """Links relative to their parents, joints at their children, and one joint to the world."""
    out = [f'<?xml version="1.0"?>\n<sdf version="1.9">\n<model name="{name}">']
    for l in links:
        xx, yy, zz, xy, xz, yz = l.tensor
        relative = f' relative_to="{l.parent}"' if l.parent else ""
        out.append(f'  <link name="{l.name}"><pose{relative}>{text(l.xyz)} {text(l.rpy)}</pose><inertial>'
                   f'<pose>{text(l.com)} {text(l.com_rpy)}</pose><mass>{l.mass!r}</mass><inertia><ixx>{xx!r}</ixx>'
                   f'<ixy>{xy!r}</ixy><ixz>{xz!r}</ixz><iyy>{yy!r}</iyy><iyz>{yz!r}</iyz><izz>{zz!r}</izz></inertia>'
                   f'</inertial></link>')
        limit = "<limit><lower>-5</lower><upper>5</upper></limit>" if l.kind == "prismatic" else ""
        axis = (f"<axis><xyz>{text(l.axis)}</xyz><dynamics><damping>{l.damping!r}</damping></dynamics>{limit}</axis>"
                if l.kind != "fixed" else "")
        out.append(f'  <joint name="{l.joint}" type="{l.kind}"><parent>{l.parent or "world"}</parent>'
                   f'<child>{l.name}</child>{axis}</joint>')
    return "\n".join(out + ["</model>\n</sdf>\n"])


def poses(links):
    """By name: rotation and place in the world with all coordinates zero."""
    out = {None: ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])}
    for l in links:
        r, p = out[l.parent]
        out[l.name] = (matmul(r, rpy_matrix(l.rpy)), [a + b for a, b in zip(p, apply(r, l.xyz))])
    return out


def frame_of(axis):
    """A rotation with the axis as z."""
    helper = [1, 0, 0] if abs(axis[0]) < 0.9 else [0, 1, 0]
    x = cross(helper, axis)
    x = [v / math.sqrt(dot(x, x)) for v in x]
    return transpose([x, cross(axis, x), axis])


def adm(links, name="arm"):
    """Adams: parts in the world, markers with 3-1-3 angles in degrees, mm; the axes of a mass by its CM marker."""
    def euler(m):
        theta = math.acos(max(-1, min(1, m[2][2])))
        a, c = ((math.atan2(m[0][2], -m[1][2]), math.atan2(m[2][0], m[2][1])) if abs(math.sin(theta)) > 1e-9
                else (math.atan2(m[1][0], m[0][0]), 0.0))
        return ", ".join(f"{math.degrees(v)!r}D" for v in (a, theta, c))

    def mm(v):
        return ", ".join(repr(1e3 * x) for x in v)

    def marker(number, part, at, turn):
        out.append(f"MARKER/{number}\n, PART = {part}\n, QP = {mm(at)}\n, REULER = {euler(turn)}\n!")

    placed = poses(links)
    number = {None: 1} | {l.name: k + 2 for k, l in enumerate(links)}
    out = [f"ADAMS/View model name: {name}\n!\nUNITS/\n, FORCE = NEWTON\n, MASS = KILOGRAM\n, LENGTH = MILLIMETER\n, TIME = SECOND",
           "PART/1\n, GROUND\n!"]
    for l in links:
        r, p = placed[l.name]
        k = 10 * number[l.name]
        xx, yy, zz, xy, xz, yz = (1e6 * v for v in l.tensor)
        out.append(f"!   adams_view_name='{l.name}'\nPART/{number[l.name]}\n, QG = {mm(p)}\n, REULER = {euler(r)}\n, MASS = {l.mass!r}\n"
                   f", CM = {k}\n, IP = {xx!r}, {yy!r}, {zz!r}, {-xy!r}, {-xz!r}, {-yz!r}")
        marker(k, number[l.name], l.com, rpy_matrix(l.com_rpy))
        axes = frame_of(l.axis)
        marker(k + 1, number[l.name], (0, 0, 0), axes)
        marker(k + 2, number[l.parent], l.xyz, matmul(rpy_matrix(l.rpy), axes))
        kind = {"revolute": "REVOLUTE", "prismatic": "TRANSLATIONAL", "fixed": "FIXED"}[l.kind]
        out.append(f"!   adams_view_name='{l.joint}'\nJOINT/{k}\n, {kind}\n, I = {k + 1}\n, J = {k + 2}\n!")
        if l.kind == "revolute" and l.damping:
            out.append(f"SPRINGDAMPER/{k}, ROTATION, I = {k + 1}, J = {k + 2}, KT = 0, CT = {1e3 * l.damping!r}")
    return "\n".join(out + ["ACCGRAV/\n, KGRAV = -9810", "END\n"])


def principal(tensor):
    """Moments and axes (columns, a rotation) of a tensor xx yy zz xy xz yz, by Jacobi's turns."""
    xx, yy, zz, xy, xz, yz = tensor
    m, q = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    for _ in range(40):
        for i, k in ((0, 1), (0, 2), (1, 2)):
            angle = 0.5 * math.atan2(2 * m[i][k], m[k][k] - m[i][i])
            turn = [[float(a == b) for b in range(3)] for a in range(3)]
            turn[i][i] = turn[k][k] = math.cos(angle)
            turn[i][k], turn[k][i] = math.sin(angle), -math.sin(angle)
            m, q = matmul(transpose(turn), matmul(m, turn)), matmul(q, turn)
    return [m[k][k] for k in range(3)], q


def quaternion(m):
    """w first, by the largest of its squares."""
    squares = [1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2],
               1 - m[0][0] - m[1][1] + m[2][2]]
    k = squares.index(max(squares))
    parts = [[squares[0], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]],
             [m[2][1] - m[1][2], squares[1], m[0][1] + m[1][0], m[0][2] + m[2][0]],
             [m[0][2] - m[2][0], m[0][1] + m[1][0], squares[2], m[1][2] + m[2][1]],
             [m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], squares[3]]][k]
    norm = math.sqrt(sum(v * v for v in parts))
    return [v / norm for v in parts]


def usda(links, name="arm"):
    """USD text in centimetres and grams, z up; bodies side by side under one prim that is moved and scaled by nothing."""
    def tup(v, factor=1.0):
        return "(" + ", ".join(repr(factor * float(x)) for x in v) + ")"

    placed = poses(links)
    out = ['#usda 1.0\n(\n    defaultPrim = "%s"\n    kilogramsPerUnit = 0.001\n    metersPerUnit = 0.01\n    upAxis = "Z"\n)\n' % name,
           'def Xform "%s" (\n    prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n)\n{' % name,
           '    def PhysicsScene "scene"\n    {\n        vector3f physics:gravityDirection = (0, 0, -1)\n'
           '        float physics:gravityMagnitude = 981\n    }']
    for l in links:
        r, p = placed[l.name]
        moments, axes = principal(l.tensor)
        axes = matmul(rpy_matrix(l.com_rpy), axes)
        out.append(f'    def Xform "{l.name}" (\n        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n    )\n    {{\n'
                   f'        point3f physics:centerOfMass = {tup(l.com, 100)}\n        float3 physics:diagonalInertia = {tup(moments, 1e7)}\n'
                   f'        float physics:mass = {1000 * l.mass!r}\n        quatf physics:principalAxes = {tup(quaternion(axes))}\n'
                   f'        quatd xformOp:orient = {tup(quaternion(r))}\n        double3 xformOp:translate = {tup(p, 100)}\n'
                   '        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n    }')
        turn = frame_of(l.axis)
        kind = {"revolute": "Revolute", "prismatic": "Prismatic", "fixed": "Fixed"}[l.kind]
        drive = {"revolute": f"float drive:angular:physics:damping = {l.damping * 1e7 * math.pi / 180!r}",
                 "prismatic": f"float drive:linear:physics:damping = {l.damping * 1e3!r}", "fixed": ""}[l.kind]
        parent = f"        rel physics:body0 = </{name}/{l.parent}>\n" if l.parent else ""
        out.append(f'    def Physics{kind}Joint "{l.joint}"\n    {{\n        uniform token physics:axis = "Z"\n{parent}'
                   f'        rel physics:body1 = </{name}/{l.name}>\n        {drive}\n'
                   f'        point3f physics:localPos0 = {tup(l.xyz, 100)}\n        point3f physics:localPos1 = (0, 0, 0)\n'
                   f'        quatf physics:localRot0 = {tup(quaternion(matmul(rpy_matrix(l.rpy), turn)))}\n'
                   f'        quatf physics:localRot1 = {tup(quaternion(turn))}\n    }}')
    return "\n".join(out + ["}\n"])


def mass_matrix(links):
    """M of the joint coordinates at zero, from kinetic energy: sums over links of J' M J."""
    moving = [l for l in links if l.kind != "fixed"]
    poses, chains = {None: ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])}, {None: []}
    n = len(moving)
    total = [[0.0] * n for _ in range(n)]
    for l in links:
        above, origin = poses[l.parent]
        r = matmul(above, rpy_matrix(l.rpy))
        p = [a + b for a, b in zip(origin, apply(above, l.xyz))]
        poses[l.name] = (r, p)
        chains[l.name] = chains[l.parent] + ([(moving.index(l), l.kind, apply(r, l.axis), p)] if l in moving else [])
        com = [a + b for a, b in zip(p, apply(r, l.com))]
        xx, yy, zz, xy, xz, yz = l.tensor
        turn = matmul(r, rpy_matrix(l.com_rpy))
        inertia = matmul(matmul(turn, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), transpose(turn))
        columns = []
        for index, kind, axis, at in chains[l.name]:
            if kind == "revolute":
                columns.append((index, axis, cross(axis, [a - b for a, b in zip(com, at)])))
            else:
                columns.append((index, [0, 0, 0], axis))
        for i, wi, vi in columns:
            for j, wj, vj in columns:
                total[i][j] += l.mass * dot(vi, vj) + dot(wi, apply(inertia, wj))
    return total
