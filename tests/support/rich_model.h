/* A model with something of everything a model can say, a mesh and own joint types included. */
#ifndef TEST_RICH_MODEL_H
#define TEST_RICH_MODEL_H

#include "near.h"
#include "tenon/model.h"
#include <string.h>

static const char rich_text[] =
    "tenon: 1\n"
    "name: rich\n"
    "gravity: [0, \"-9.81 m/s^2 * (1 + 0.1 * sin(t / 1 s))\", 0]\n"
    "parameters: { L: 0.5 m, k: 2 kN/m }\n"
    "bodies:\n"
    "  leaf:\n"
    "    shapes: [ { box: { size: [L, 0.1, 1], at: [0.25, 0, 0] }, density: 700 } ]\n"
    "    angular_velocity: [0, 0, 1]\n"
    "  wheel: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], frames: { rim: { at: [0.1, 0, 0] } } }\n"
    "  bob: { type: particle, mass: 0.2, position: [1.1, -0.3, 0] }\n"
    "  disc: { mass: 2, inertia: [0.2, 0.2, 0.2], position: [3, 0, 0] }\n"
    "  ground: { shapes: [ { half_space: { at: [0, 0, -50] } } ] }\n"
    "joint_types:\n"
    "  tether: { parameters: { length: length }, equations: ['d . d - length^2'], coordinates: { stretch: norm(d) } }\n"
    "joints:\n"
    "  low: { type: revolute, between: [ground, leaf], at: [0, 0, 0], axis: z }\n"
    "  high: { type: revolute, between: [ground, leaf], at: [0, 0, 1], axis: z }\n"
    "  shaft: { type: revolute, between: [ground, wheel], at: [1, 0, 0], axis: z }\n"
    "  axle: { type: revolute, between: [ground, disc], at: [3, 0, 0], axis: z }\n"
    "  mesh: { type: gear, joints: [low, shaft], ratio: 2 }\n"
    "  string: { type: tether, between: [wheel.rim, bob], length: 0.3 m }\n"
    "forces:\n"
    "  pull: { type: spring, between: [ground, bob], stiffness: k, length: L }\n"
    "  push: { type: force, on: wheel.rim, value: [\"grip(bob.position.x)\", \"lag.value\", 0] }\n"
    "  brake: { type: torsion-spring, joint: shaft, stiffness: 2 N m, damping: 0.01 N m s }\n"
    "contacts:\n"
    "  below: { between: [ground, leaf], restitution: 0.4, friction: 0.2 }\n"
    "drives:\n"
    "  motor: { joint: axle, rate: \"2 rad/s * sin(t / 1 s)\" }\n"
    "states:\n"
    "  lag: { initial: 0.5 N, rate: \"-lag.value / 0.1 s\" }\n"
    "tables:\n"
    "  grip: { x: [0, 1 m, 2 m], y: [0, 1 N, 3 N] }\n"
    "initial: { shaft: { rate: -0.5 } }\n"
    "events:\n"
    "  far: { when: bob.position.x - L, hysteresis: 1 mm, touch: 2 mm, crosses: up, zeno: off, do: [{ log: far }] }\n"
    "  late: { when: t - 0.9 s, once: yes, do: [{ reset: counters }, stop] }\n"
    "outputs: [bob.position, { ratio: \"bob.position.x / L\" }, energy.total]\n"
    "solve: { until: 1, solver: augmented, penalty: 1e8, integrator: rk4, step: 1 ms, record: 2 ms }\n"
    "expect: { energy: 1e-3, drift: 1e-3 }\n";

static inline tn_model *read_rich(tn_context *context, const char *text)
{
    static const double corners[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    tn_shape_def solid = tn_shape_default(TN_SHAPE_MESH);
    solid.vertices = corners, solid.vertex_count = 4;
    solid.triangles = faces, solid.triangle_count = 4;
    solid.density = 1000;
    tn_body_def body = tn_body_default();
    body.shapes = &solid, body.shape_count = 1;
    tn_model *model = NULL;
    if (tn_model_read_text(&model, context, text, strlen(text), "rich.yaml", ".") < 0) {
        tn_diagnostics_print(context, stderr);
        fail_msg("the model cannot be read");
    }
    assert_int_equal(tn_model_add_body(NULL, model, "solid", &body), TN_OK);
    return model;
}

#endif
