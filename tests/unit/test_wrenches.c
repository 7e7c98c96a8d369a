/* Channels of forces on both ends and of reactions on both bodies and about points, against closed forms. */
#include "event_runs.h"

static double vector_of(run *x, const char *name, double out[3])
{
    static const char *const parts[] = { "x", "y", "z" };
    for (int k = 0; k < 3; k++) {
        char channel[200];
        snprintf(channel, sizeof channel, "%s.%s", name, parts[k]);
        out[k] = value_of(x, channel);
    }
    return sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

/* A spring of 100 N/m, 0.5 m long and now 1 m along y, at points of a bar and of ground: 50 N at each end, no torque about
 * the frames; a force on the tip: ground feels the opposite, about its own origin. */
static void test_forces(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ndimension: 2\ngravity: [0, 0]\nbodies:\n  ground: { frames: { hook: { at: [0.4, 1] } } }\n"
                      "  bar: { mass: 2, inertia: 0.1, position: [0.4, 0], frames: { eye: { at: [0, 0] }, tip: { at: [0.2, 0] } } }\n"
                      "joints: { pivot: { type: revolute, between: [ground, bar], at: [0, 0] } }\n",
                      "forces:\n  coil: { type: spring, between: [ground.hook, bar.eye], stiffness: 100, length: 0.5 }\n"
                      "  push: { type: force, on: bar.tip, value: [3, -7] }\n"
                      "  twist: { type: torsion-spring, joint: pivot, stiffness: 8, rest: 0.25 }\n",
                      "outputs: [ { both: coil.end1.force.y + coil.end2.force.y } ]\nsolve: { until: 1e-12 }\n");
    assert_near(value_of(&x, "coil.end1.force.y"), -50, 1e-12);
    assert_near(value_of(&x, "coil.end2.force.y"), 50, 1e-12);
    assert_near(value_of(&x, "coil.end1.force.x"), 0, 1e-12);
    assert_near(value_of(&x, "coil.end1.torque"), 0, 1e-12);
    assert_near(value_of(&x, "coil.end2.torque"), 0, 1e-12);
    assert_near(value_of(&x, "both"), 0, 1e-12);
    assert_near(value_of(&x, "push.end2.force.x"), 3, 1e-12);
    assert_near(value_of(&x, "push.end2.force.y"), -7, 1e-12);
    assert_near(value_of(&x, "push.end2.torque"), 0, 1e-12);
    assert_near(value_of(&x, "push.end1.force.y"), 7, 1e-12);
    assert_near(value_of(&x, "push.end1.torque"), 0.6 * 7, 1e-12);
    assert_near(value_of(&x, "twist.end2.torque"), 8 * 0.25, 1e-12);
    assert_near(value_of(&x, "twist.end1.torque"), -8 * 0.25, 1e-12);
    assert_near(value_of(&x, "twist.end2.force.x"), 0, 1e-12);
    close_run(&x);
}

/* A beam clamped at one end, 3 kg with its centre 0.5 m out: weight up and moment m g l at the clamp; about the centre of the
 * beam no moment, about a point of ground below the clamp the same as at the clamp. A second beam hangs on the first. */
static void test_reactions(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { frames: { below: { at: [0.1, 0.2, -1] } } }\n"
                      "  beam: { mass: 3, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], frames: { end: { at: [0.5, 0, 0] } } }\n"
                      "  more: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.25, 0, 0] }\n"
                      "joints:\n  clamp: { type: fixed, between: [ground, beam], at: [0, 0, 0] }\n"
                      "  weld: { type: fixed, between: [beam, more], at: [1, 0, 0] }\n",
                      "", "solve: { until: 1e-12 }\n");
    const double weight = 4 * 9.81, moment = -9.81 * (3 * 0.5 + 1.25);     /* about y: r x F = -x Fz, and the joint holds it */
    assert_near(value_of(&x, "clamp.reaction.force.z"), weight, 1e-9);
    assert_near(value_of(&x, "clamp.reaction.torque.y"), moment, 1e-9);
    assert_near(value_of(&x, "clamp.reaction1.force.z"), -weight, 1e-9);
    assert_near(value_of(&x, "clamp.reaction1.torque.y"), -moment, 1e-9);
    assert_near(value_of(&x, "weld.reaction1.force.z"), -9.81, 1e-9);
    assert_near(value_of(&x, "weld.reaction1.torque.y"), 9.81 * 0.25, 1e-9);
    assert_near(value_of(&x, "weld.reaction_about.more.torque.y"), 0, 1e-9);
    assert_near(value_of(&x, "weld.reaction_about.ground.torque.y"), -9.81 * 1.25, 1e-9);
    assert_near(value_of(&x, "clamp.reaction_about.ground.below.torque.y"), moment + 0.1 * weight, 1e-9);
    assert_near(value_of(&x, "clamp.reaction_about.ground.below.torque.x"), -0.2 * weight, 1e-9);
    assert_near(value_of(&x, "clamp.reaction_about.beam.end.torque.y"), moment + weight, 1e-9);
    double f1[3], f2[3];
    assert_near(vector_of(&x, "weld.reaction.force", f2), vector_of(&x, "weld.reaction1.force", f1), 1e-12);
    double nothing;
    assert_int_equal(tn_session_value(&nothing, x.session, "weld.reaction_about.nobody.torque.y"), TN_ERROR_ARGUMENT);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_forces), cmocka_unit_test(test_reactions) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
