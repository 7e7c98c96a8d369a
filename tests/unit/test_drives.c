/* Drives in dynamics: by value, rate and acceleration, in the plane and in space; their channels and their work; and
 * drives that ask for what others do not allow. */
#include "driven.h"

static void add_drive(machine *m, const char *name, const char *joint, const char *type, const char *motion)
{
    tn_joint_def def = tn_joint_default(type);
    tn_id id;
    def.terms = &(tn_coupling_term){ .joint = named(m, joint) };
    def.term_count = 1;
    def.motion.text = motion;
    machine_must(m, tn_model_add_joint(&id, m->model, name, &def));
}

/* ---- three ways to say the same ---- */

static const struct { const char *type, *motion; } swings[] = {
    { "drive", "0.4 * sin(3 rad/s * t)" },
    { "drive-rate", "1.2 rad/s * cos(3 rad/s * t)" },
    { "drive-acceleration", "-3.6 rad/s^2 * sin(3 rad/s * t)" },
};

/* A bar on a hinge along z, driven about it. */
static machine driven_bar(int dimension, const char *type, const char *motion)
{
    machine m = machine_new(dimension);
    tn_joint_def def = tn_joint_default("revolute");
    tn_id id;
    def.body1 = tn_model_ground(m.model);
    def.body2 = add_bar(&m, "bar", 0, 0, 0, 2, 3);
    def.start = &(tn_joint_start){ NULL, 0, 1.2 };
    def.start_count = 1;
    machine_must(&m, tn_model_add_joint(&id, m.model, "hinge", &def));
    add_drive(&m, "motor", "hinge", type, motion);
    return m;
}

/* M = (1/3) m l^2 q'' + m g (l / 2) cos(q). */
static void test_channels(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        machine m = driven_bar(2 + k / 3, swings[k % 3].type, swings[k % 3].motion);
        tn_summary summary = machine_run(&m, accurate(2));
        double q = 0.4 * sin(6), rate = 1.2 * cos(6), acceleration = -3.6 * sin(6);
        double torque = 4 * acceleration + 3 * 9.81 * cos(q);
        assert_jet(coordinate(&m, "hinge.angle"), (jet){ q, rate, acceleration }, 1e-10);
        assert_near(value(&m, "motor.torque"), torque, 1e-8);
        assert_near(value(&m, "motor.power"), torque * rate, 1e-8);
        assert_near(value(&m, "motor.drift"), 0, 1e-10);
        assert_near(summary.energy_work, 2 * (rate * rate - 1.44) + 3 * 9.81 * sin(q), 1e-8);
        assert_near(summary.energy_error, 0, 1e-8);
        machine_close(&m);
    }
}

/* A slide driven up an incline: force and unit of a length. */
static void test_slide(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "gravity: [0, 0, -9.81]\n"
                             "bodies: { block: { mass: 2, inertia: [1, 1, 1], position: [0, 0, 0] } }\n"
                             "joints: { way: { type: prismatic, between: [ground, block], axis: [3, 0, 4] } }\n"
                             "drives: { jack: { joint: way, position: 0.25 m/s^2 * t^2 } }\n");
    machine_run(&m, accurate(1));
    assert_near(value(&m, "jack.force"), 2 * (9.81 * 0.8 + 0.5), 1e-9);
    assert_near(value(&m, "block.position.z"), 0.8 * 0.25, 1e-10);
    assert_near(value(&m, "energy.work"), 2 * 9.81 * 0.2 + 0.25, 1e-9);
    machine_close(&m);
}

/* The same motion three ways through a loop: the same reactions everywhere. */
static void test_loop(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double force[3];
        for (int k = 0; k < 3; k++) {
            machine m = four_bar(dimension);
            add_drive(&m, "motor", "D", swings[k].type, swings[k].motion);
            if (k == 2)
                add_drive(&m, "kick", "D", "drive-rate", "1.2 rad/s * cos(3 rad/s * t)");
            tn_solve solve = accurate(1);
            int code = tn_session_open(&m.session, m.model, &solve);
            if (k == 2) {                              /* starts at rest, and the kick does not */
                assert_true(code < 0);
                assert_true(said(&m, "drive 'kick' asks for something that drive 'motor' does not allow"));
                machine_close(&m);
                continue;
            }
            machine_must(&m, code);
            machine_must(&m, tn_session_run(m.session));
            force[k] = value(&m, "motor.torque");
            assert_near(tn_session_summary(m.session).energy_error, 0, 1e-7);
            machine_close(&m);
        }
        assert_near(force[0], force[1], 1e-6);
    }
}

/* ---- contradictions ---- */

static int open_and_run(machine *m, const char *rest)
{
    char text[1000];
    snprintf(text, sizeof text, "tenon: 1\n"
             "dimension: 2\n"
             "bodies: { bar: { mass: 1, inertia: 1 }, block: { mass: 1, inertia: 1 } }\n"
             "joints:\n"
             "  hinge: { type: revolute, between: [ground, bar] }\n"
             "  slide: { type: translational, between: [ground, block] }\n"
             "%s", rest);
    *m = machine_text(text);
    tn_solve solve = accurate(2);
    int code = tn_session_open(&m->session, m->model, &solve);
    return code == TN_OK ? tn_session_run(m->session) : code;
}

static void contradicts(const char *rest, int code, const char *words)
{
    machine m;
    assert_int_equal(open_and_run(&m, rest), code);
    assert_true(said(&m, words));
    machine_close(&m);
}

static void test_contradictions(void **state)
{
    (void)state;
    contradicts("drives: { a: { joint: hinge, angle: 0.1 }, b: { joint: hinge, angle: 0.2 } }\n", TN_ERROR_ASSEMBLY,
                "does not assemble: drive 'b' asks for something that drive 'a' does not allow");
    contradicts("drives: { a: { joint: hinge, rate: 1 }, b: { joint: hinge, rate: 2 } }\n", TN_ERROR_ASSEMBLY,
                "no velocities at the start: drive 'b' asks for something that drive 'a' does not allow: over-driven");
    contradicts("drives:\n"
                "  a: { joint: hinge, acceleration: 1 }\n"
                "  b: { joint: hinge, acceleration: 2 }\n", TN_ERROR_ASSEMBLY,
                "no accelerations at the start: drive 'b' asks for something that drive 'a' does not allow");
    contradicts("drives:\n"
                "  a: { joint: hinge, angle: '1 rad/s * t' }\n"
                "  b: { joint: hinge, angle: '1 rad/s * t + 1 rad/s^4 * t^4' }\n", TN_ERROR_STEP,
                "drive 'b' asks for something that drive 'a' does not allow: over-driven");
}

/* A joint that says no. */
static void test_fights_a_joint(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { bar: { mass: 1, inertia: 1, position: [0, 0] } }\n"
                             "joints:\n"
                             "  hinge: { type: revolute, between: [ground, bar] }\n"
                             "  bolt: { type: fixed, between: [ground, bar], at: [0, 0] }\n"
                             "drives: { motor: { joint: hinge, rate: 1 rad/s } }\n");
    tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ASSEMBLY);
    assert_true(said(&m, "drive 'motor' asks for something that joint 'bolt' does not allow: over-driven"));
    machine_close(&m);
}

/* Drives that agree, and joints that are redundant without any drive, are nobody's conflict. */
static void test_agreement(void **state)
{
    (void)state;
    machine m;
    assert_int_equal(open_and_run(&m, "initial: { hinge: { angle: 0.1 } }\n"
                                      "drives:\n"
                                      "  a: { joint: hinge, rate: 2 rad/s }\n"
                                      "  b: { joint: hinge, angle: '0.1 + 2 rad/s * t' }\n"
                                      "  c: { joint: slide, acceleration: 1 m/s^2 }\n"), TN_NEWS_END);
    assert_near(value(&m, "hinge.angle"), 4.1, 1e-10);
    assert_near(value(&m, "slide.position"), 2, 1e-10);
    assert_near(value(&m, "a.torque") + value(&m, "b.torque"), 0, 1e-9);
    machine_close(&m);
}

/* ---- adaptive steps: nothing but the step control keeps the angle, because a row at velocity level does not project positions ---- */

static const char *const step_choosers[] = { "dopri5", "dop853", "cvode", "ida", "generalized-alpha" };

static void test_adaptive_rates(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof step_choosers / sizeof *step_choosers; k++) {
        machine m = driven_bar(2, "drive-rate", "1.2 rad/s + 3 rad/s * sin(5 rad/s * t)");
        tn_solve solve = accurate(1);
        solve.integrator = step_choosers[k];
        solve.tolerance = solve.absolute_tolerance = 1e-8;
        machine_run(&m, solve);
        assert_near(value(&m, "hinge.angle"), 1.2 + 0.6 * (1 - cos(5)), 3e-6);
        machine_close(&m);
    }
}

/* A wheel rolls down a slope of 3 : 4 without slip. It turns faster within a step than at the start of the step: integrators that are
 * content with a step in which the turns cannot be counted take a shorter one. */
static void test_rolling_faster(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof step_choosers / sizeof *step_choosers; k++) {
        machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [5.886, -7.848]\n"
                                 "bodies: { wheel: { mass: 2, inertia: 0.03, position: [0, 0.2] } }\n"
                                 "joints: { floor: { type: rolling, between: [ground, wheel], radius: 0.2 } }\n");
        tn_solve solve = accurate(2);
        solve.integrator = step_choosers[k];
        solve.tolerance = solve.absolute_tolerance = 1e-8;
        machine_run(&m, solve);
        assert_near(value(&m, "wheel.position.x"), 2 * 5.886 / (1 + 0.03 / (2 * 0.04)), 1e-6);
        machine_close(&m);
    }
}

/* ---- the speed that a drive by acceleration starts with ---- */

static double speed_at_start(const char *body, const char *initial)
{
    machine m = machine_format("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                               "bodies: { bar: { mass: 3, com: [1, 0], inertia: 1, frames: { tip: { at: [2, 0] } }%s } }\n"
                               "joints: { hinge: { type: revolute, between: [ground, bar], at: [0, 0] } }\n"
                               "drives: { motor: { joint: hinge, acceleration: 2 } }\ninitial: { %s }\n", body, initial);
    machine_start(&m, accurate(1));
    const double speed = value(&m, "hinge.rate");
    run_to(&m, 1);
    assert_near(value(&m, "hinge.rate"), speed + 2, 1e-9);
    machine_close(&m);
    return speed;
}

/* It follows from a velocity of a body or an expression, which was refused; nothing given: 0. */
static void test_speed_follows(void **state)
{
    (void)state;
    assert_near(speed_at_start("", ""), 0, 1e-15);
    assert_near(speed_at_start(", angular_velocity: 4", ""), 4, 1e-12);
    assert_near(speed_at_start("", "motor: { speed: 1 }"), 1, 1e-12);
    assert_near(speed_at_start("", "2 * bar.tip.velocity.y: 3 m/s"), 0.75, 1e-12);
}

/* A table that ends while the drive moves stops it at once: the run stops there, and the message names drive and table. */
static void test_end_of_table(void **state)
{
    static const char TEXT[] = "tenon: 1\ndimension: 2\nbodies:\n  bar: { mass: 1, inertia: 1 }\n"
                               "joints:\n  hinge: { type: revolute, between: [ground, bar] }\n"
                               "tables:\n  path: { x: [0 s, 1 s, 2 s], y: [0 deg, 20 deg, 50 deg] }\n"
                               "drives:\n  motor: { joint: hinge, angle: path(t) }\n";
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    (void)state;
    assert_int_equal(tn_model_read_text(&model, context, TEXT, strlen(TEXT), "bar.yaml", "."), TN_OK);
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    assert_int_equal(tn_session_advance(session, 3), TN_ERROR_STEP);
    assert_near(tn_session_time(session), 2, 1e-9);
    const char *message = tn_diagnostics_get(context, tn_diagnostics_count(context) - 1)->message;
    assert_non_null(strstr(message, "'motor' changes its velocity at once"));
    assert_non_null(strstr(message, "table 'path' ends there"));
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_of_table),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_slide),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_fights_a_joint),
        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_adaptive_rates),
        cmocka_unit_test(test_rolling_faster),
        cmocka_unit_test(test_speed_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
