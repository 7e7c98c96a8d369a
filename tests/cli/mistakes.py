"""Files with many mistakes. Every line with a mark #! has one mistake for each "!", other lines have none."""

FILES = {
    "keys": """\
tenon: 1
dimension: 2
gravty: [0, -9.81]  #!
bodies:
  a: { mas: 1, mass: 1, inertia: 1, position: [0, 0] }  #!
  b: { mass: 1, inertia: 1, position: [1, 0], colour: red }  #!
joints:
  j: { type: revolute, between: [ground, a], att: [0, 0] }  #!
  k: { type: revolut, between: [a, b], at: [0.5, 0] }  #!
solve: { until: 1, stpe: 1 ms, integrater: rk4 }  #!!
output: [a.position]  #!
""",
    "units": """\
tenon: 1
dimension: 2
gravity: [0, -9.81 m/s]  #!
parameters: { l: 1 kg/parsec, r: 2 m }  #!
bodies:
  a: { mass: 1 m, inertia: 1 kg, position: [0 s, 0] }  #!!!
joints:
  j: { type: rod, between: [ground, a], length: 3 N }  #!
forces:
  s: { type: spring, between: [ground, a], stiffness: 3 N, length: 2 s }  #!!
solve: { until: 1 m, step: 1 Hz }  #!!
""",
    "references": """\
tenon: 1
dimension: 2
bodies:
  crank: { mass: 1, inertia: 1, position: [0, 0], frames: { tip: { at: [1, 0] } } }
joints:
  j: { type: revolute, between: [ground, crnk], at: [0, 0] }  #!
  k: { type: revolute, between: [crank.tp, ground] }  #!
  l: { type: gear, joints: [j, m], ratio: 2 }  #!
drives:
  d: { joint: jj, angle: t }  #!
forces:
  s: { type: spring, between: [crank.tip, grund], stiffness: 3 }  #!
outputs: [crank.positon.x, nobody.angle]  #!!
initial: { crnk.angle: 3 }  #!
groups: { g: { members: [crank, nix] } }  #!
""",
    "types": """\
tenon: 1
dimension: 2
gravity: down  #!
bodies:
  a: { mass: [1, 2], inertia: 1, position: 3 }  #!!
  b: 7  #!
  c: { mass: 1, inertia: 1, position: [0, 0, 0, 0] }  #!
joints: [ { type: revolute } ]  #!
forces:
  f: { type: spring, between: ground, stiffness: 3 }  #!
outputs: a.position
solve: { until: {}, step: [] }  #!!
""",
    "starts": """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  a: { mass: 1, inertia: 1, position: [1, 0] }
  b: { mass: 1, inertia: 1, position: [3, 0] }
joints:
  j: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [10 deg, 90 deg] } }  #!
  k: { type: revolute, between: [a, b], at: [2, 0], limits: { angle: [-90 deg, -10 deg] } }  #!
initial: { j.angle: 0.0, a.angle: 1.0, k.anglee.rate: 2 }  #!!
outputs: [a.position.q]  #!
""",
    "tables": """\
tenon: 1
dimension: 2
tables:
  t1: { x: [0, 1, 1], y: [0, 1, 2] }  #!
  t2: { x: [0, 1], y: [0, 1, 2] }  #!
  t3: { x: [0, 1 m, 2 s], y: [0, 1, 2] }  #!
  t4: { x: [1, 0], y: [0, 1], kind: cubik }  #!!
  t5: { file: none.csv }  #!
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] } }
joints: { j: { type: revolute, between: [ground, a], at: [0, 0] } }
forces: { f: { type: torque, on: a, value: t9(j.angle) } }  #!
""",
    "inputs": """\
tenon: 1
dimension: 2
inputs:
  u: { initial: 3 parsec }  #!
  v: { unit: bananas }  #!
  w: { inital: 3 }  #!
  x: { file: nofile.csv }  #!
states:
  s: { rate: 1 +, initial: 0 }  #!
  q: { initial: 0 }  #!
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] } }
joints: { j: { type: revolute, between: [ground, a], at: [0, 0] } }
forces: { f: { type: torque, on: a, value: uu } }  #!
""",
    "masses": """\
tenon: 1
bodies:
  a: { mass: 1, inertia: [1, 1, 5], position: [0, 0, 0] }  #!
  b: { mass: 0, inertia: [1, 1, 1] }  #!
  c: { mass: 1, inertia: [1, -1, 1] }  #!
  d: { mass: 1, inertia: [1, 1, 1], orientation: [0, 0, 0, 0] }  #!
  e: { inertia: [1, 1, 1] }  #!
  f: { mass: 1 }  #!
  a: { mass: 1 }  #!
joints:
  u: { type: universal, between: [a, b], axis: [0, 0, 0] }  #!
  v: { type: revolute, between: [a, a], at: [0, 0, 0], axis: x }  #!
""",
    "drives": """\
tenon: 1
dimension: 2
bodies:
  a: { mass: 1, inertia: 1, position: [1, 0] }
  b: { mass: 1, inertia: 1, position: [3, 0] }
joints:
  j: { type: revolute, between: [ground, a], at: [0, 0] }
  k: { type: revolute, between: [a, b], at: [2, 0] }
  w: { type: fixed, between: [ground, b] }
drives:
  d1: { joint: j, angle: 1 m }  #!
  d2: { joint: k, position: t }  #!
  d3: { joint: k, angle: t, torque: 3 }  #!
  d4: { joint: k }  #!
""",
    "welds": """\
tenon: 1
dimension: 2
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] }, b: { mass: 1, inertia: 1, position: [1, 0] } }
joints:
  j: { type: fixed, between: [ground, a] }
  k: { type: fixed, between: [a, b] }
  r: { type: rod, between: [ground, b], length: 5 }  #!
outputs: [a.speed, b.position.zz]  #!!
initial: { a.velocity.x: 1 }  #!
""",
    "expressions": """\
tenon: 1
dimension: 2
bodies: { x: { mass: 1, inertia: 1, position: [0, 0] } }
joints: { j: { type: revolute, between: [ground, x], at: [0, 0] } }
drives:
  d: { joint: j, angle: sin(2 * pi * ) }  #!
forces:
  f: { type: force, on: x, value: [x.postion.y, t ** 2] }  #!!
let: { q: j.angle + j.anglee }  #!
states: { z: { rate: 1 +, initial: 0 }, y: { rate: nix, initial: 0 } }  #!!
initial: { jj.angle: 3, x.position.zz: 2 }  #!!
events:
  e: { when: j.angle > 3 and, do: stop }  #!
  e1: { when: j.angle - 1 m, do: stop }  #!
  e7: { when: j.angle, do: jump }  #!
outputs: [x.position.x +, j.angle * zz, x.positin]  #!!!
""",
    "types of joints": """\
tenon: 1
dimension: 2
joint_types:
  slot: { equations: ["d . y1", "d . q2"] }
  slat: {}  #!
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] } }
joints:
  j: { type: slot, between: [ground, a] }  #!
  k: { type: slot, between: [ground, a, a] }  #!
outputs: [a.positon.x]  #!
""",
    "contacts and limits": """\
tenon: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }
  a: { mass: 1, inertia: 1, position: [1, 0] }
  b: { mass: 1, inertia: 1, position: [3, 0] }
  c: { mass: 1, inertia: 1, position: [8, 0.5], shapes: [ { disc: { radius: 1 } } ] }
joints:
  j: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [10 deg, 90 deg] } }  #!
  k: { type: revolute, between: [a, b], at: [2, 0], limits: { angle: [-90 deg, -10 deg] } }  #!
contacts: { floor: { between: [ground, c] } }  #!
outputs: [a.position.q]  #!
""",
    "settings": """\
tenon: 1
dimension: 2
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] } }
joints: { j: { type: revolute, between: [ground, a], at: [0, 0] } }
solve:
  until: -1  #!
  step: 0  #!
  integrator: rk5  #!
  solver: driect  #!
  scheme: projecion  #!
  tolerance: -1  #!
  alpha: 3
  rho_infinity: 2
expect: { energy: -1, drift: 0 }  #!!
outputs: [a.positon.x]  #!
""",
    "missing include": """\
tenon: 1
dimension: 2
include: [missing.yaml]  #!
bodies: { a: { mass: -1, inertia: 1, position: [0, 0] } }  #!
joints: { j: { type: revolute, between: [ground, c], at: [0, 0] } }
solve: { until: length / 2, stpe: 1 }  #!
""",
    "particles": """\
tenon: 1
dimension: 2
bodies:
  a: { mass: 1, inertia: 1, position: [0, 0], frames: { e: { at: [1, 0] } } }
  c: { type: particle, mass: 1, position: [1, 0] }
  d: { type: particle, mass: 1, angle: 2 }  #!
joints:
  j: { type: revolute, between: [a.e, c] }
  k: { type: revolute, between: [ground, c], at: [0, 0] }  #!
  l: { type: rolling, between: [ground, c], radius: 0.1 }  #!
  m: { type: pin-in-slot, between: [a, c], at: [0, 0] }  #!
  n: { type: knife-edge, between: [ground, c] }  #!
drives: { w: { joint: j, rate: 2 } }  #!
forces:
  t: { type: torque, on: c, value: 1 }  #!
  f: { type: follower-force, on: c, value: [1, 0] }  #!
  s: { type: torsion-spring, joint: j, stiffness: 2 }  #!
  g: { type: spring, between: [ground, c], ends: [{ at: [0, 0] }, { at: [0.1, 0] }], stiffness: 2, length: 1 }  #!
  b: { type: bushing, between: [a, c], stiffness: [1, 1, 0] }
initial: { c: { angle: 1 } }  #!
""",
    "couplings and states": """\
tenon: 1
dimension: 2
bodies:
  a: { mass: 1, inertia: 1, position: [0, 0] }
  b: { mass: 1, inertia: 1, position: [2, 0] }
joints:
  j: { type: revolute, between: [ground, a], at: [0, 0] }
  k: { type: revolute, between: [ground, b], at: [2, 0] }
  g: { type: gear, joints: [j, k], ratio: 0 }  #!
  h: { type: gear, joints: [j, j], ratio: 2 }  #!
  l: { type: coupler, terms: { j.angle: 1, k.angle: 0 } }  #!
states:
  x: { initial: 1 m, rate: 2 kg }  #!
""",
    "rates of states": """\
tenon: 1
dimension: 2
bodies: { a: { mass: 1, inertia: 1, position: [0, 0] } }
states:
  x: { initial: 1 m, rate: a.velocity.x * 2 }
  y: { initial: 1 m, rate: a.position.x }  #!
""",
    "networks": """\
tenon: 1
device_types:
  z: { ports: { p: magnetic } }  #!
devices:
  V: { type: voltage-source, at: { p: bus, n: ground }, value: 5 Pa }  #!
  R: { type: resistor, at: { p: bus, n: ground }, resistance: 1 ohm }
  U: { type: voltage-source, at: { p: open }, value: 5 V }  #!
  Q: { type: resistor, at: { p: open, n: far }, resistance: 1 ohm }
  P: { type: resistor, at: { p: far, n: open }, resistance: 1 ohm }
  Z: { type: z, at: { p: a } }
  T: { type: resistor, at: { p: a, n: ground }, resistence: 1 ohm }  #!
  W: { type: voltage-sourc, at: { p: c, n: d }, value: 1 V }  #!
  X: { type: resistor, at: { p: c, n: d }, resistance: 1 ohm }
""",
}
