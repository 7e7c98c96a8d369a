/* A model text with something in every section, for tests that damage it. */
#ifndef TEST_ALL_SECTIONS_H
#define TEST_ALL_SECTIONS_H

static const char good[] =
    "tenon: 1\n"
    "parameters: { r: 0.3 m, L: 2*r }\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1 kg, inertia: [1, 1, 1], position: [0, 0, L], frames: { f: { at: [r, 0, 0], axis: y } } }\n"
    "  b: { shapes: [ { box: { size: [1, 2, 3] }, density: 1 g/cm^3 },\n"
    "      { polygon: { corners: [[0, 0], [1, 0], [0, 1]], thickness: 1 cm } },\n"
    "      { disc: { radius: 1, thickness: 2 } } ],\n"
    "    look: [ { tube: { radius: 2, inner: 1, length: 3 }, material: steel }, { colour: red } ],\n"
    "    rotation: { euler: [1, 2, 3] } }\n"
    "  ground: { shapes: [ { half_space: { at: [0, 0, -5], normal: [0, 0, 1] } } ] }\n"
    "  c: { type: particle, mass: 2, velocity: [1, 2, 3] }\n"
    "joint_types: { own: { parameters: { p: length }, equations: [\"d . d - p^2\"] } }\n"
    "joints:\n"
    "  h: { type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 1] }\n"
    "  s: { type: spherical, between: [a.f, b] }\n"
    "  o: { type: own, between: [b, c], p: 5 cm }\n"
    "  g: { type: coupler, terms: { h.angle: &one 1 } }\n"
    "forces: { f: { type: force, on: a.f, value: [*one, 2, 3 kN] } }\n"
    "contacts: { k: { between: [ground, b], restitution: 0.5, friction: 0.1, enabled: yes } }\n"
    "initial: { h: { angle: 45 deg, rate: 1 } }\n"
    "events:\n"
    "  e: { when: h.angle - 0.1, crosses: up, hysteresis: 1 deg, once: yes, zeno: off, do: [stop, { log: x }] }\n"
    "groups: { one: { members: [a, b] }, two: { members: [one, c] } }\n"
    "outputs: [h.angle, energy.total]\n"
    "solve: { until: 1 s, step: 1 ms, scheme: projection, integrator: rk4, solver: direct, assemble: strict }\n"
    "expect: { energy: 1e-8, reference: { file: a.csv, tolerance: 1, channels: { x: h.angle } } }\n";

#endif
