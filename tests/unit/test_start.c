/* Start values: what is given holds, what is not follows by least kinetic energy, what contradicts itself is refused
 * with its parties, and what assembly changed or chose is told. */
#include "mechanisms.h"

/* ---- helpers ---- */

static const char pendulum_text[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  upper: { mass: 1, com: [0.5, 0], inertia: 1/12, position: [0, 0], frames: { tip: { at: [1, 0] } } }\n"
    "  lower: { mass: 1, com: [0.5, 0], inertia: 1/12, position: [1, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, upper] }\n"
    "  elbow: { type: revolute, between: [upper.tip, lower] }\n"
    "%s"
    "initial: { %s }\n"
    "outputs: [pivot.angle%s]\n";

static machine pendulum_with(const char *drives, const char *initial, const char *outputs)
{
    return machine_format(pendulum_text, drives, initial, outputs);
}

/* The session does not open; the message has these words. */
static void refuses(machine *m, const char *const *words)
{
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, m->model, NULL), TN_ERROR_ASSEMBLY);
    assert_true(tn_diagnostics_count(m->context) > 0);
    const char *message = tn_diagnostics_get(m->context, 0)->message;
    for (; *words; words++)
        if (!strstr(message, *words))
            fail_msg("'%s' is not in: %s", *words, message);
    tn_diagnostics_clear(m->context);
    machine_close(m);
}

#define REFUSES(machine, ...) refuses(machine, (const char *const[]){ __VA_ARGS__, NULL })

/* The value found for "entity.what", which must have been told. */
static tn_start_value told(const machine *m, const char *entity, const char *what)
{
    for (size_t k = 0; k < tn_session_start_value_count(m->session); k++) {
        tn_start_value value = tn_session_start_value(m->session, k);
        if (strcmp(tn_model_entity_name(m->model, value.entity), entity) == 0 && strcmp(value.what, what) == 0)
            return value;
    }
    fail_msg("nothing is said about %s.%s", entity, what);
    return (tn_start_value){ 0 };
}

/* ---- velocities ---- */

/* Stretched links of length 1: kinetic energy (1/2)(4/3 a^2 + a b + 1/3 b^2), a and b the angular velocities. With a
 * given it is least at b = -3/2 a, with b given at a = -3/8 b. */
static void test_given_spin_holds(void **state)
{
    (void)state;
    machine m = pendulum_with("", "upper: { angular_velocity: 5 }", "");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "upper.angular_velocity"), 5, 1e-12);
    assert_near(value(&m, "lower.angular_velocity"), -7.5, 1e-12);
    assert_int_equal(tn_session_start_value_count(m.session), 0);
    machine_close(&m);
    m = pendulum_with("", "lower: { angular_velocity: 5 }", "");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "lower.angular_velocity"), 5, 1e-12);
    assert_near(value(&m, "upper.angular_velocity"), -1.875, 1e-12);
    machine_close(&m);
}

/* Zero is a value, too. */
static void test_given_zero_holds(void **state)
{
    (void)state;
    machine m = pendulum_with("", "upper: { angular_velocity: 5 }, lower: { angular_velocity: 0 }", "");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "upper.angular_velocity"), 5, 1e-12);
    assert_near(value(&m, "lower.angular_velocity"), 0, 1e-12);
    assert_near(value(&m, "lower.velocity.y"), 5, 1e-12);
    machine_close(&m);
}

/* A body that nothing holds: its velocity alone is a translation, its spin alone leaves the centre of mass at rest. */
static void test_free_body(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\nbodies: { b: { mass: 2, com: [1, 0, 0], inertia: [1, 1, 1], %s } }\n";
    machine m = machine_format(text, "velocity: [0, 3, 0]");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "b.velocity.y"), 3, 1e-15);
    assert_near(value(&m, "b.angular_velocity.z"), 0, 1e-15);
    machine_close(&m);
    m = machine_format(text, "angular_velocity: [0, 0, 3]");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "b.angular_velocity.z"), 3, 1e-15);
    assert_near(value(&m, "momentum.linear.y"), 0, 1e-12);
    machine_close(&m);
}

static void test_contradictions(void **state)
{
    (void)state;
    machine m = pendulum_with("", "upper: { angular_velocity: 5 }, pivot: { rate: 3 }", "");
    REFUSES(&m, "contradicts itself", "body 'upper' angular_velocity 5 rad/s", "joint 'pivot' angle rate 3 rad/s",
            "off by 2 rad/s");
    m = pendulum_with("", "upper: { velocity: [0.25, 0] }", "");
    REFUSES(&m, "body 'upper' velocity [0.25, 0] m/s", "joint 'pivot'", "off by 0.25 m/s");
    m = pendulum_with("", "upper: { position: [0.5, 0] }", "");
    REFUSES(&m, "body 'upper' position [0.5, 0] m", "joint 'pivot'", "off by 0.5 m");
    m = pendulum_with("drives: { motor: { joint: pivot, angle: 0.5 + 2 * t } }\n", "pivot: { angle: 0.3 }", "");
    REFUSES(&m, "joint 'pivot' angle 0.3 rad", "drive 'motor'", "off by 0.2 rad");
    m = pendulum_with("drives: { motor: { joint: pivot, angle: 0.5 + 2 * t } }\n", "pivot: { rate: 3 }", "");
    REFUSES(&m, "joint 'pivot' angle rate 3 rad/s", "drive 'motor'", "off by 1 rad/s");
}

/* Numbers that were rounded when they were written are changed, and that is told. */
static void test_rounded(void **state)
{
    (void)state;
    machine m = pendulum_with("", "upper: { angular_velocity: 5 }, lower: { velocity: [0, 5.0000004] }", "");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "lower.velocity.y") - value(&m, "upper.tip.velocity.y"), 0, 1e-12);
    tn_start_value change = told(&m, "lower", "velocity.y");
    assert_near(change.given, 5.0000004, 1e-15);
    assert_near(change.found, value(&m, "lower.velocity.y"), 1e-12);
    machine_close(&m);
}

/* ---- channels and expressions ---- */

static void test_conditions(void **state)
{
    (void)state;
    machine m = pendulum_with("", "height: 0.4, tip_speed: 2 m/s, \"elbow.rate\": 1",
                              ", { height: upper.tip.position.y }, { tip_speed: upper.tip.velocity.x / cos(pivot.angle) }");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "upper.tip.position.y"), 0.4, 1e-10);
    assert_near(value(&m, "tip_speed"), 2, 1e-10);
    assert_near(value(&m, "elbow.rate"), 1, 1e-10);
    machine_close(&m);
    m = pendulum_with("", "height: 0.4, pivot: { angle: 0 }", ", { height: upper.tip.position.y }");
    REFUSES(&m, "'height' 0.4 m", "joint 'pivot' angle 0 rad");
}

/* Names under 'let', also those of a subsystem, and expressions as they stand. */
static void test_named_conditions(void **state)
{
    (void)state;
    machine m = pendulum_with("let: { lean: 'atan2(upper.tip.position.y, upper.tip.position.x)', speed: 2 * vel(lower.angle) }\n",
                              "lean: 0.3 rad, speed: 4 rad/s, '2 * elbow.angle': 0.5, 'vel(upper.tip.position.x)': -0.1 m/s", "");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "pivot.angle"), 0.3, 1e-10);
    assert_near(value(&m, "lower.angular_velocity"), 2, 1e-10);
    assert_near(value(&m, "elbow.angle"), 0.25, 1e-10);
    assert_near(value(&m, "upper.angular_velocity"), 0.1 / sin(0.3), 1e-9);
    assert_true(tn_session_apply(NULL, m.session, "{ state: { lean: 0.2 } }") < 0);
    machine_close(&m);
    m = pendulum_with("let: { lean: 2 * pivot.angle }\n", "lean: 0.3 rad, pivot: { angle: 0.1 }", "");
    REFUSES(&m, "'lean' 0.3", "joint 'pivot' angle 0.1 rad", "off by");
}

static void test_condition_mistakes(void **state)
{
    (void)state;
    tn_session *session = NULL;
    static const char *const mistakes[][2] = {
        { "\"upper.tip.velocity.x\": 2 kg", "must be a velocity" },
        { "\"upper.tip.velocity\": 2", "vector" },
        { "\"upper.tpi.velocity.x\": 2", "upper.t" },
        { "\"pivot.reaction.force.x\": 2", "pivot" },
        { "loop: 1", "loop" },
    };
    for (size_t k = 0; k < sizeof mistakes / sizeof *mistakes; k++) {
        machine m = pendulum_with("", mistakes[k][0], ", { loop: 2 * loop }");
        assert_int_equal(tn_session_open(&session, m.model, NULL), TN_ERROR_MODEL);
        assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, mistakes[k][1]));
        tn_diagnostics_clear(m.context);
        machine_close(&m);
    }
}

/* ---- positions ---- */

/* Crank, rod and slide: the rod, which has no pose, may point either way. */
static const char crank_and_rod[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  crank: { mass: 1, inertia: 0.1, angle: 30 deg, frames: { tip: { at: [0.3, 0] } } }\n"
    "  rod: { mass: 1, inertia: 0.1, frames: { end: { at: [0.5, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank] }\n"
    "  elbow: { type: revolute, between: [crank.tip, rod] }\n"
    "  slide: { type: pin-in-slot, between: [ground, rod.end] }\n"
    "initial: { pivot: { angle: 30 deg }%s }\n";

static void test_branch_is_told_and_chosen(void **state)
{
    (void)state;
    const double half = 0.3 * cos(atan(1) / 45 * 30), reach = sqrt(0.25 - 0.15 * 0.15);
    machine m = machine_format(crank_and_rod, "");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "slide.position"), half + reach, 1e-10);
    assert_true(isnan(told(&m, "slide", "position").given));
    assert_near(told(&m, "slide", "position").found, half + reach, 1e-10);
    machine_close(&m);
    m = machine_format(crank_and_rod, ", slide: { position: -0.2 m, guess: yes }");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "slide.position"), half - reach, 1e-10);
    assert_near(value(&m, "pivot.angle"), atan(1) / 45 * 30, 1e-12);
    machine_close(&m);
}

/* A platform on six legs of two bodies each, none of which has a pose. */
static machine platform_on_six_legs(const char *of_each_slide, const char *initial)
{
    enum { LEGS = 6 };
    const double degree = atan(1) / 45;
    char text[8000], feet[1200] = "", heads[1200] = "", bodies[2400] = "", joints[2400] = "", starts[600] = "";
    for (int k = 0; k < LEGS; k++) {
        double foot = degree * (120 * (k / 2) + (k % 2 ? 10 : -10)), head = degree * (120 * (k / 2) + (k % 2 ? 50 : -50));
        sprintf(feet + strlen(feet), "b%d: { at: [%.9f, %.9f, 0], axis: x }, ", k, cos(foot), sin(foot));
        sprintf(heads + strlen(heads), "p%d: { at: [%.9f, %.9f, 0] }, ", k, 0.6 * cos(head), 0.6 * sin(head));
        sprintf(bodies + strlen(bodies), "  l%d: { mass: 1, inertia: [0.1, 0.1, 0.01], frames: { foot: { axis: y } } }\n"
                "  u%d: { mass: 1, inertia: [0.1, 0.1, 0.01] }\n", k, k);
        sprintf(joints + strlen(joints), "  b%d: { type: universal, between: [ground.b%d, l%d.foot] }\n"
                "  s%d: { type: prismatic, between: [l%d, u%d] }\n  t%d: { type: spherical, between: [u%d, top.p%d] }\n",
                k, k, k, k, k, k, k, k, k);
        if (of_each_slide[0] != '\0')
            sprintf(starts + strlen(starts), of_each_slide, k, k);
    }
    snprintf(text, sizeof text, "tenon: 1\nbodies:\n  ground: { frames: { %s} }\n"
             "  top: { mass: 10, inertia: [1, 1, 2], position: [0, 0, 1], frames: { %s} }\n%sjoints:\n%s%s%s",
             feet, heads, bodies, joints, initial, starts);
    machine m = machine_text(text);
    machine_start(&m, accurate(1));
    for (int k = 0; k < LEGS; k++) {
        char name[8], channel[24];
        snprintf(name, sizeof name, "s%d", k);
        snprintf(channel, sizeof channel, "s%d.position", k);
        double z = value(&m, "top.position.z"), found = value(&m, channel);
        assert_near(told(&m, name, "position").found, found, 0);
        assert_near(found, sqrt(z * z + 1 + 0.36 - 1.2 * cos(40 * degree)), 1e-8);     /* no leg points backwards */
    }
    return m;
}

/* Legs point towards the platform, wherever they begin, and the platform stays where it was given unless drives move it. */
static void test_platform_on_six_legs(void **state)
{
    (void)state;
    static const char *const starts[][2] = {
        { "", "" }, { "", "initial: { top: { position: [0, 0, 1] } }\n" }, { "  s%d: { position: 1 m, guess: yes }\n", "initial:\n" },
    };
    for (size_t k = 0; k < sizeof starts / sizeof starts[0]; k++) {
        machine m = platform_on_six_legs(starts[k][0], starts[k][1]);
        assert_near(value(&m, "top.position.x"), 0, 1e-12);
        assert_near(value(&m, "top.position.z"), 1, 1e-12);
        machine_close(&m);
    }
    machine m = platform_on_six_legs("  d%d: { joint: s%d, position: 1.5 m }\n", "drives:\n");
    assert_near(value(&m, "top.position.z"), sqrt(2.25 - 1.36 + 1.2 * cos(atan(1) / 45 * 40)), 1e-8);
    machine_close(&m);
}

/* A start from which no small motion lessens the gap: the link points along the way its end is to go. Two values that hold only in
 * another pose of a loop. A point out of reach is refused. */
static void test_starts_beside(void **state)
{
    (void)state;
    static const char link[] = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 0.1, com: [0.1, 0.05], frames: { e: { at: [0.6, 0] } } } }\n"
                               "joints: { p: { type: revolute, between: [ground, a] } }\ninitial: { a.e.position.x: %s }\n";
    machine m = machine_format(link, "0.15");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "a.e.position.x"), 0.15, 1e-10);
    assert_near(fabs(value(&m, "p.angle")), acos(0.25), 1e-9);
    machine_close(&m);
    m = machine_format(link, "0.61");
    REFUSES(&m, "'a.e.position.x' 0.61 m", "joint 'p'");
    m = machine_text("tenon: 1\ndimension: 2\nbodies:\n"
                     "  ground: { frames: { e: { at: [-0.23973332143948439, -0.58688051480135317] } } }\n"
                     "  a: { mass: 1.978, inertia: 0.1, com: [0.1, 0.05], frames: { e: { at: [0.72094996456012406, 0] } } }\n"
                     "  b: { mass: 1.22, inertia: 0.1, com: [0.1, 0.05], frames: { e: { at: [0.62448673246175912, 0] } } }\n"
                     "  c: { mass: 1.538, inertia: 0.1, com: [0.1, 0.05], position: [-0.284269, -0.916585], angle: 1.436533,\n"
                     "       frames: { e: { at: [0.3326989644010106, 0] } } }\n"
                     "joints:\n  p: { type: revolute, between: [ground, a] }\n  q: { type: revolute, between: [a.e, b] }\n"
                     "  r: { type: revolute, between: [b.e, c] }\n  s: { type: revolute, between: [c.e, ground.e] }\n"
                     "initial: { b: { angle: -1.0216475661211466 }, c: { angle: 1.4365329435012617 } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "b.angle"), -1.0216475661211466, 1e-9);
    assert_near(value(&m, "c.angle"), 1.4365329435012617, 1e-9);
    assert_true(value(&m, "s.drift") < 1e-9);
    machine_close(&m);
}

/* A pose that was given stays where a body without one can close the joints; one that cannot stay is told. */
static void test_given_poses_stay(void **state)
{
    (void)state;
    machine m = machine_format(crank_and_rod, "");
    machine_start(&m, accurate(1));
    for (size_t k = 0; k < tn_session_start_value_count(m.session); k++)
        assert_true(isnan(tn_session_start_value(m.session, k).given));
    machine_close(&m);
    m = machine_text("tenon: 1\ndimension: 2\n"
                     "bodies: { a: { mass: 1, inertia: 1, position: [0.25, 0], angle: 1 } }\n"
                     "joints: { pin: { type: revolute, between: [ground, a] } }\n");
    machine_start(&m, accurate(1));
    assert_near(told(&m, "a", "position.x").given, 0.25, 1e-15);
    assert_near(told(&m, "a", "position.x").found, 0, 1e-12);
    machine_close(&m);
}

/* Where bodies are follows from joints when only their orientations are given, in bodies or in initial: these hold. */
static void test_given_turns_hold(void **state)
{
    (void)state;
    static const char plane[] =
        "tenon: 1\ndimension: 2\nbodies:\n"
        "  a: { mass: 1, com: [0.5, 0], inertia: 0.1, angle: -60 deg, frames: { tip: { at: [1, 0] } } }\n"
        "  b: { mass: 1, com: [0.5, 0], inertia: 0.1, %s frames: { tip: { at: [1, 0] } } }\n"
        "  c: { mass: 1, com: [0.5, 0], inertia: 0.1, angle: 20 deg }\n"
        "joints:\n  p: { type: revolute, between: [ground, a] }\n  q: { type: revolute, between: [a.tip, b] }\n"
        "  r: { type: revolute, between: [b.tip, c] }\ninitial: { %s }\n";
    const double degree = 3.14159265358979323846 / 180;
    for (int k = 0; k < 2; k++) {
        machine m = machine_format(plane, k == 0 ? "angle: -20 deg," : "", k == 0 ? "" : "b: { angle: -20 deg }");
        machine_start(&m, accurate(1));
        assert_near(value(&m, "a.angle"), -60 * degree, 1e-12);
        assert_near(value(&m, "b.angle"), -20 * degree, 1e-12);
        assert_near(value(&m, "c.angle"), 20 * degree, 1e-12);
        assert_near(value(&m, "c.position.x"), cos(60 * degree) + cos(20 * degree), 1e-12);
        assert_int_equal(tn_session_start_value_count(m.session), 0);
        machine_close(&m);
    }
    machine m = machine_text(
        "tenon: 1\nbodies:\n"
        "  a: { mass: 1, inertia: [1, 1, 1], rotation: { axis: y, angle: 30 deg }, frames: { tip: { at: [1, 0, 0] } } }\n"
        "  b: { mass: 1, inertia: [1, 1, 1], com: [0.5, 0, 0], rotation: { axis: z, angle: 40 deg } }\n"
        "joints:\n  p: { type: spherical, between: [ground, a] }\n  q: { type: spherical, between: [a.tip, b] }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "b.euler_zyx_1"), 40 * degree, 1e-12);
    assert_near(value(&m, "b.position.x"), cos(30 * degree), 1e-12);
    assert_near(value(&m, "b.position.z"), -0.5, 1e-12);
    assert_int_equal(tn_session_start_value_count(m.session), 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_turns_hold),
        cmocka_unit_test(test_given_spin_holds),
        cmocka_unit_test(test_given_zero_holds),
        cmocka_unit_test(test_free_body),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_named_conditions),
        cmocka_unit_test(test_condition_mistakes),
        cmocka_unit_test(test_branch_is_told_and_chosen),
        cmocka_unit_test(test_platform_on_six_legs),
        cmocka_unit_test(test_starts_beside),
        cmocka_unit_test(test_given_poses_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
