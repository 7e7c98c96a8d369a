/* Assembly: from any given start to the nearest one that holds together; and what is said when there is none. */
#include "mechanisms.h"

#define DEGREE (atan(1) / 45)

/* ---- helpers ---- */

/* A planar linkage by frames: bars a, b, c of the given lengths between pivots 0.5 m apart, placed anywhere. */
static const char linkage[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  ground: { frames: { right: { at: [0.5, 0] } } }\n"
    "  a: { mass: 1, inertia: 0.01, com: [0.1, 0], %s frames: { tip: { at: [0.2, 0] } } }\n"
    "  b: { mass: 2, inertia: 0.02, com: [0.2, 0], %s frames: { end: { at: [%g, 0] } } }\n"
    "  c: { mass: 1, inertia: 0.01, com: [0.1, 0], %s frames: { tip: { at: [0.4, 0] } } }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a] }\n"
    "  elbow: { type: revolute, between: [a.tip, b] }\n"
    "  wrist: { type: revolute, between: [b.end, c.tip] }\n"
    "  hinge: { type: revolute, between: [ground.right, c] }\n"
    "initial: { %s }\n";

static machine linkage_with(const char *a, const char *b, const char *c, double length, const char *initial)
{
    char text[2000];
    snprintf(text, sizeof text, linkage, a, b, length, c, initial);
    return machine_text(text);
}

static bool said(const machine *m, const char *words)
{
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        if (strstr(tn_diagnostics_get(m->context, k)->message, words))
            return true;
    tn_diagnostics_print(m->context, stderr);
    return false;
}

static const char *gap_name(const machine *m, size_t index)
{
    return tn_model_entity_name(m->model, tn_session_gap(m->session, index).joint);
}

static tn_id add_ball(machine *m, const char *name, double mass, const double position[3], const double velocity[3])
{
    tn_body_def def = tn_body_default();
    tn_id id;
    def.mass = mass;
    memcpy(def.inertia, (double[6]){ 0.4, 0.4, 0.4, 0, 0, 0 }, sizeof def.inertia);
    memcpy(def.pose.p, position, sizeof def.pose.p);
    memcpy(def.velocity, velocity, sizeof def.velocity);
    def.placed = def.guess = true;
    machine_must(m, tn_model_add_body(&id, m->model, name, &def));
    return id;
}

/* ---- what assembles ---- */

static void test_far_apart(void **state)
{
    (void)state;
    machine m = linkage_with("position: [0.3, -0.4], angle: 10 deg,", "position: [0.6, 0.8], angle: 70 deg,",
                             "position: [-0.2, 0.5], angle: 60 deg,", 0.5, "pivot: { angle: 60 deg, rate: 2 }");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "drift.max"), 0, 1e-12);
    assert_near(value(&m, "pivot.angle"), 60 * DEGREE, 1e-12);
    assert_near(value(&m, "pivot.rate"), 2, 1e-12);
    assert_near(value(&m, "a.tip.position.x"), 0.2 * cos(60 * DEGREE), 1e-12);
    assert_near(hypot(value(&m, "c.tip.position.x") - 0.5, value(&m, "c.tip.position.y")), 0.4, 1e-12);
    assert_near(hypot(value(&m, "b.end.velocity.x") - value(&m, "c.tip.velocity.x"),
                      value(&m, "b.end.velocity.y") - value(&m, "c.tip.velocity.y")), 0, 1e-12);
    machine_close(&m);
}

/* Bodies without a place are put where their joints want them. */
static void test_unplaced(void **state)
{
    (void)state;
    machine m = linkage_with("", "", "", 0.5, "pivot: { angle: 60 deg }");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "drift.max"), 0, 1e-12);
    assert_near(value(&m, "pivot.angle"), 60 * DEGREE, 1e-12);
    machine_close(&m);
}

/* Angles are counted over full turns from the start on, and go on from there. */
static void test_full_turns(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { wheel: { mass: 1, inertia: 1 } }\n"
                             "joints: { shaft: { type: revolute, between: [ground, wheel] } }\n"
                             "initial: { shaft: { angle: 400 deg, rate: 10 } }\n");
    machine_start(&m, fixed_steps("rk4", 0.01, 2));
    assert_near(value(&m, "shaft.angle"), 400 * DEGREE, 1e-12);
    assert_near(value(&m, "shaft.rate"), 10, 1e-12);
    assert_int_equal(tn_session_run(m.session), TN_NEWS_END);
    assert_near(value(&m, "shaft.angle"), 400 * DEGREE + 20, 1e-10);
    machine_close(&m);
}

static void test_full_turns_of_screw(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "bodies: { nut: { mass: 1, inertia: [1, 1, 1] } }\n"
                             "joints:\n"
                             "  thread: { type: screw, between: [ground, nut], axis: z, lead: 2 mm, offset: 0 }\n"
                             "initial: { thread: { angle: -1000 deg } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "thread.angle"), -1000 * DEGREE, 1e-12);
    assert_near(value(&m, "nut.position.z"), -0.002 * 1000 / 360, 1e-12);
    machine_close(&m);
}

/* Turns are counted where no body turns, too. */
static void test_full_turns_of_rod(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { bob: { type: particle, mass: 1, position: [1, 0], velocity: [0, 10] } }\n"
                             "joints: { string: { type: rod, between: [ground, bob], length: 1 } }\n");
    machine_run(&m, accurate(2));
    assert_near(value(&m, "string.angle"), 20, 1e-9);
    machine_close(&m);
}

/* ---- the least change ---- */

/* Two balls joined at their centres meet in their common centre of mass; their velocities as in a plastic impact. */
static void test_heavy_moves_less(void **state)
{
    (void)state;
    machine m = machine_new(3);
    tn_joint_def def = tn_joint_default("spherical");
    tn_id id;
    def.body1 = add_ball(&m, "light", 1, (double[3]){ 0, 0, 0 }, (double[3]){ 4, 0, 0 });
    def.body2 = add_ball(&m, "heavy", 3, (double[3]){ 0.4, 0, 0 }, (double[3]){ 0, 4, 0 });
    machine_must(&m, tn_model_add_joint(&id, m.model, "ball", &def));
    machine_start(&m, accurate(1));
    assert_near(value(&m, "light.position.x"), 0.3, 1e-12);
    assert_near(value(&m, "heavy.position.x"), 0.3, 1e-12);
    assert_near(value(&m, "heavy.position.y"), 0, 1e-12);
    assert_near(value(&m, "light.velocity.x"), 1, 1e-12);
    assert_near(value(&m, "heavy.velocity.y"), 3, 1e-12);
    assert_int_equal(tn_session_gap_count(m.session), 1);
    assert_near(tn_session_gap(m.session, 0).before, 0.4, 1e-15);
    assert_near(tn_session_gap(m.session, 0).after, 0, 1e-12);
    machine_close(&m);
}

/* Impulses of joints between bodies are inner ones: momentum about any point stays. */
static void test_momentum_stays(void **state)
{
    (void)state;
    machine m = machine_new(3);
    tn_joint_def def = tn_joint_default("spherical");
    tn_id id;
    static const double p1[3] = { 0, 0, 0 }, p2[3] = { 1, 0, 0 }, v1[3] = { 1, 2, 0 }, v2[3] = { -1, 0, 3 };
    def.body1 = add_ball(&m, "one", 2, p1, v1);
    def.body2 = add_ball(&m, "two", 5, p2, v2);
    def.frame1.p[0] = 0.4;
    def.frame2.p[0] = -0.6;
    machine_must(&m, tn_model_add_joint(&id, m.model, "ball", &def));
    machine_start(&m, accurate(1));
    for (int k = 0; k < 3; k++) {
        char channel[] = "momentum.linear.x";
        channel[16] = "xyz"[k];
        assert_near(value(&m, channel), 2 * v1[k] + 5 * v2[k], 1e-12);
    }
    assert_near(value(&m, "momentum.angular.x"), 0, 1e-12);
    assert_near(value(&m, "momentum.angular.y"), -5 * v2[2], 1e-12);
    assert_near(value(&m, "momentum.angular.z"), 0, 1e-12);
    assert_int_equal(tn_session_gap_count(m.session), 0);
    machine_close(&m);
}

/* ---- gaps ---- */

static machine apart(void)
{
    return linkage_with("position: [3 mm, 0], angle: 90 deg,", "position: [3 mm, 0.2], angle: 0,",
                        "position: [0.5, 0], angle: 90 deg,", 0.5, "");
}

static void test_gaps(void **state)
{
    (void)state;
    machine m = apart();
    machine_start(&m, accurate(1));
    assert_int_equal(tn_session_gap_count(m.session), 2);
    assert_string_equal(gap_name(&m, 0), "wrist");
    assert_near(tn_session_gap(m.session, 0).before, 0.2, 1e-12);
    assert_string_equal(gap_name(&m, 1), "pivot");
    assert_near(tn_session_gap(m.session, 1).before, 0.003, 1e-12);
    assert_near(tn_session_gap(m.session, 1).after, 0, 1e-12);
    machine_close(&m);
}

static void test_strict(void **state)
{
    (void)state;
    machine m = apart();
    tn_solve solve = accurate(1);
    solve.assemble = TN_ASSEMBLE_STRICT;
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ASSEMBLY);
    assert_true(said(&m, "joint 'wrist' is 0.2"));
    assert_true(said(&m, "'pivot' 0.003"));
    tn_diagnostics_clear(m.context);
    solve.gap_tolerance = 0.25;
    machine_start(&m, solve);
    machine_close(&m);
}

/* ---- what cannot be ---- */

static void test_impossible(void **state)
{
    (void)state;
    machine m = linkage_with("angle: 90 deg,", "position: [0, 0.2],", "position: [0.5, 0], angle: 90 deg,", 5, "");
    tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ASSEMBLY);
    assert_null(m.session);
    assert_true(said(&m, "does not assemble"));
    assert_true(said(&m, "'wrist'") || said(&m, "'elbow'"));
    machine_close(&m);
}

static void test_impossible_start(void **state)
{
    (void)state;
    machine m = linkage_with("", "", "", 0.5, "pivot: { angle: 60 deg }, hinge: { angle: -60 deg }");
    tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ASSEMBLY);
    machine_close(&m);
}

static void test_impossible_rates(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { wheel: { mass: 1, inertia: 1 }, disc: { mass: 1, inertia: 1 } }\n"
                             "joints:\n"
                             "  one: { type: revolute, between: [ground, wheel] }\n"
                             "  two: { type: revolute, between: [ground, disc] }\n"
                             "  mesh: { type: gear, joints: [one, two], ratio: 2 }\n"
                             "initial: { one: { rate: 1 }, two: { rate: 1 } }\n");
    tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ASSEMBLY);
    assert_true(said(&m, "joint 'one' angle rate 1 rad/s, joint 'two' angle rate 1 rad/s and joint 'mesh' do not fit together, off by 3 rad/s"));
    machine_close(&m);
}

/* ---- wishes ---- */

/* Two balls 0.4 m apart, to be joined: the light one, weighed, moves as if it were as heavy as the other, or not at all
 * when it is held. */
static machine two_balls(double weight, bool held, int *code)
{
    machine m = machine_new(3);
    tn_joint_def def = tn_joint_default("spherical");
    tn_id id;
    def.body1 = add_ball(&m, "light", 1, (double[3]){ 0, 0, 0 }, (double[3]){ 0, 0, 0 });
    def.body2 = add_ball(&m, "heavy", 3, (double[3]){ 0.4, 0, 0 }, (double[3]){ 0, 0, 0 });
    machine_must(&m, tn_model_add_joint(&id, m.model, "ball", &def));
    tn_assembly_options own = { .weights = &(tn_body_weight){ def.body1, weight }, .weight_count = 1,
                                .held = &def.body1, .held_count = held };
    *code = tn_session_open_assembled(&m.session, m.model, &own);
    return m;
}

static void test_weights(void **state)
{
    (void)state;
    int code;
    machine m = two_balls(3, false, &code);
    machine_must(&m, code);
    assert_near(value(&m, "light.position.x"), 0.2, 1e-12);
    assert_int_equal(tn_session_shift_count(m.session), 2);
    assert_near(tn_session_shift(m.session, 0).distance, 0.2, 1e-12);
    assert_near(tn_session_shift(m.session, 0).angle, 0, 1e-12);
    machine_close(&m);
    m = two_balls(1, true, &code);
    machine_must(&m, code);
    assert_near(value(&m, "light.position.x"), 0, 1e-15);
    assert_near(value(&m, "heavy.position.x"), 0, 1e-12);
    assert_int_equal(tn_session_shift_count(m.session), 1);
    assert_int_equal(tn_session_advance(m.session, 1), TN_ERROR_ARGUMENT);
    machine_close(&m);
    m = two_balls(0, false, &code);
    assert_int_equal(code, TN_ERROR_ARGUMENT);
    machine_close(&m);
}

/* A coordinate fixed from outside, in place of the model's own start; no masses needed. */
static void test_fixed(void **state)
{
    (void)state;
    machine m = linkage_with("angle: 60 deg,", "position: [0.1, 0.17], angle: 27 deg,",
                             "position: [0.5, 0], angle: 83 deg,", 0.5, "pivot: { angle: 60 deg }");
    tn_fixed_coordinate fixed = { named(&m, "pivot"), "angle", 0.5 };
    tn_assembly_options options = { .fixed = &fixed, .fixed_count = 1 };
    machine_must(&m, tn_session_open_assembled(&m.session, m.model, &options));
    assert_near(value(&m, "pivot.angle"), 0.5, 1e-12);
    assert_near(value(&m, "drift.max"), 0, 1e-12);
    assert_true(tn_session_assembly_steps(m.session) > 0);
    assert_near(tn_session_shift(m.session, 0).angle, 60 * DEGREE - 0.5, 1e-12);
    assert_string_equal(tn_model_entity_name(m.model, tn_session_shift(m.session, 0).body), "a");
    tn_session_close(m.session);
    m.session = NULL;
    fixed.coordinate = "position";
    assert_int_equal(tn_session_open_assembled(&m.session, m.model, &options), TN_ERROR_ARGUMENT);
    assert_true(said(&m, "joint 'pivot' has no coordinate 'position'"));
    machine_close(&m);
}

/* What cannot be says what was in the way. */
static void test_impossible_wishes(void **state)
{
    (void)state;
    machine m = linkage_with("angle: 60 deg,", "position: [0.1, 0.17], angle: 27 deg,",
                             "position: [0.5, 0], angle: 83 deg,", 0.5, "pivot: { angle: 60 deg }");
    tn_id held[2] = { named(&m, "c"), named(&m, "a") };
    tn_assembly_options options = { .held = held, .held_count = 1 };
    assert_int_equal(tn_session_open_assembled(&m.session, m.model, &options), TN_ERROR_ASSEMBLY);
    assert_true(said(&m, "body 'c' cannot be held where it is"));
    assert_true(said(&m, "fixed: 'pivot' angle; held: 'c'"));
    options.held_count = 2;
    tn_diagnostics_clear(m.context);
    assert_int_equal(tn_session_open_assembled(&m.session, m.model, &options), TN_ERROR_ASSEMBLY);
    assert_true(said(&m, "held: 'a', 'c'"));
    machine_close(&m);
}

/* The state that is written is a start that fits. */
static void test_written_state(void **state)
{
    (void)state;
    machine m = apart();
    char text[4000], again[9000];
    machine_must(&m, tn_session_open_assembled(&m.session, m.model, NULL));
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    machine_must(&m, tn_session_write_state(m.session, out));
    fclose(out);
    machine_close(&m);
    int used = snprintf(again, sizeof again, linkage, "", "", 0.5, "", "");
    snprintf(again + used - (int)strlen("initial: {  }\n"), sizeof again - (size_t)used, "%s", text);
    m = machine_text(again);
    machine_must(&m, tn_session_open_assembled(&m.session, m.model, NULL));
    assert_int_equal(tn_session_assembly_steps(m.session), 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_unplaced),
        cmocka_unit_test(test_full_turns),
        cmocka_unit_test(test_full_turns_of_screw),
        cmocka_unit_test(test_full_turns_of_rod),
        cmocka_unit_test(test_heavy_moves_less),
        cmocka_unit_test(test_momentum_stays),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_impossible_start),
        cmocka_unit_test(test_impossible_rates),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_impossible_wishes),
        cmocka_unit_test(test_written_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
