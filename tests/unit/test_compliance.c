/* Contacts of shapes that give way: Hertz's law on balls in closed form, momentum, energy, rest and frequency; steps that pass
 * over no touch; laws by material beside rigid ones. */
#include "event_runs.h"
#include "tenon/analysis.h"

#define ACCURATE "tolerance: 1e-13, absolute_tolerance: 1e-14"
static const double PI = 3.14159265358979323846;

/* Ratio of the time of touch to deepest depth / speed: 4/5 sqrt(pi) Gamma(2/5) / Gamma(9/10). */
static double touch_ratio(void)
{
    return 0.8 * sqrt(PI) * tgamma(0.4) / tgamma(0.9);
}

/* Two balls meet head on with the speed v: mass and radius are the reduced ones. At half the time of touch they are at their
 * deepest, and in the end they have exchanged momentum as elastic ones. */
static void test_two_balls(void **state)
{
    (void)state;
    const double m1 = 1, m2 = 0.25, r1 = 0.05, r2 = 0.03, v = 2, modulus = 1e9;
    const double m = m1 * m2 / (m1 + m2), k = 4.0 / 3 * modulus * sqrt(r1 * r2 / (r1 + r2));
    const double deepest = pow(1.25 * m * v * v / k, 0.4), touch = touch_ratio() * deepest / v, meet = (0.5 - r1 - r2) / v;
    static const char head[] =
        "tenon: 1\nbodies:\n"
        "  a: { velocity: [2, 0, 0], shapes: [ { sphere: { radius: 0.05 }, mass: 1 } ] }\n"
        "  b: { position: [0.5, 0, 0], shapes: [ { sphere: { radius: 0.03 }, mass: 0.25 } ] }\n"
        "contacts: { hit: { between: [a, b], modulus: 1e9 } }\n";
    char solve[2][120];
    snprintf(solve[0], sizeof solve[0], "solve: { until: %.17g, " ACCURATE " }\n", meet + touch / 2);
    snprintf(solve[1], sizeof solve[1], "solve: { until: %.17g, " ACCURATE " }\n", meet + touch + 0.1);
    run x = run_parts(head, "", solve[0]);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "hit.gap"), -deepest, 1e-8 * deepest);
    assert_near(value_of(&x, "hit.normal"), k * pow(deepest, 1.5), 1e-7 * k * pow(deepest, 1.5));
    assert_near(value_of(&x, "hit.force.x"), value_of(&x, "hit.normal"), 1e-9);
    assert_near(value_of(&x, "energy.potential"), m * v * v / 2, 1e-9);
    assert_near(value_of(&x, "hit.closed"), 1, 0);
    tn_contact_touch touches[2];
    assert_int_equal(tn_session_touches(touches, 2, x.session), 1);
    assert_string_equal(touches[0].state, "gives way");
    assert_near(touches[0].normal[0], 1, 1e-15);
    close_run(&x);
    x = run_parts(head, "", solve[1]);
    assert_near(value_of(&x, "a.velocity.x"), v * (m1 - m2) / (m1 + m2), 1e-9);
    assert_near(value_of(&x, "b.velocity.x"), v * 2 * m1 / (m1 + m2), 1e-9);
    assert_near(value_of(&x, "hit.closed"), 0, 0);
    close_run(&x);
}

/* Oblique, with friction and damping: momentum about every point is kept to round-off, the energy account closes. */
static void test_momentum(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\nbodies:\n"
        "  a: { velocity: [2, 0.3, 0], angular_velocity: [3, -20, 5], shapes: [ { sphere: { radius: 0.05 }, mass: 1 } ] }\n"
        "  b: { position: [0.5, 0.09, 0.02], shapes: [ { capsule: { radius: 0.03, length: 0.2 }, mass: 0.25 } ] }\n"
        "contacts: { hit: { between: [a, b], stiffness: 1e8, damping: 0.3, friction: 0.4 } }\n", "",
        "solve: { until: 0.5, tolerance: 1e-10 }\n");
    tn_summary s = tn_session_summary(x.session);
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "a.velocity.x") + 0.25 * value_of(&x, "b.velocity.x"), 2, 1e-11);
    assert_near(value_of(&x, "a.velocity.y") + 0.25 * value_of(&x, "b.velocity.y"), 0.3, 1e-11);
    assert_true(value_of(&x, "b.velocity.x") > 1);
    assert_true(s.energy_end < s.energy_start - 0.05);
    assert_true(s.energy_error < 1e-6);
    close_run(&x);
}

static const char resting[] =
    "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
    "  ball: { position: [0, 0, 0.06], shapes: [ { sphere: { radius: 0.05 }, mass: 1 } ] }\n"
    "contacts: { floor: { between: [ground, ball], stiffness: 1e8, friction: 0.3 } }\n";

/* At rest K delta^(3/2) = m g; small oscillations have m w^2 = 3/2 K sqrt(delta). */
static void test_rest_and_frequency(void **state)
{
    (void)state;
    const double depth = pow(G / 1e8, 2.0 / 3);
    reading r = accepted(resting);
    tn_session *session = NULL;
    tn_equilibrium *rest = NULL;
    tn_modes *modes = NULL;
    double height, fastest = 0;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_statics(&rest, session, NULL), TN_OK);
    assert_int_equal(tn_session_value(&height, session, "ball.position.z"), TN_OK);
    assert_near(0.05 - height, depth, 1e-9 * depth);
    assert_int_equal(tn_session_modes(&modes, session), TN_OK);
    for (size_t k = 0; k < modes->count; k++)
        fastest = fmax(fastest, 2 * PI * modes->items[k].frequency);
    assert_near(fastest, sqrt(1.5 * 1e8 * sqrt(depth)), 1e-6 * fastest);
    tn_modes_destroy(r.context, modes);
    tn_equilibrium_destroy(r.context, rest);
    tn_session_close(session);
    done(&r);
}

/* A ball (10 mm) that flies at 200 m/s meets a plate of 1 mm. The touch lasts for 0.1 ms and steps are long: it is found, and
 * every integrator turns the ball round. */
static void test_thin_plate(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "dop853", "cvode" };
    for (int k = 0; k < 3; k++) {
        char solve[120];
        snprintf(solve, sizeof solve, "solve: { until: 1, integrator: %s, tolerance: 1e-9, absolute_tolerance: 1e-11 }\n",
                 integrators[k]);
        run x = run_parts(
            "tenon: 1\nbodies:\n  ground: { shapes: [ { box: { size: [1, 1, 0.001] } } ] }\n"
            "  ball: { position: [0.1, 0.2, 77], velocity: [0, 0, -200], shapes: [ { sphere: { radius: 0.01 }, mass: 0.03 } ] }\n"
            "contacts: { plate: { between: [ground, ball], stiffness: 1e9 } }\n", "", solve);
        assert_int_equal(x.code, TN_NEWS_END);
        assert_near(value_of(&x, "ball.velocity.z"), 200, 1e-3);
        assert_true(tn_session_summary(x.session).steps < 2000);
        close_run(&x);
    }
}

/* A ball that slides with 1.4 m/s rolls with 5/7 of it in the end; on a belt with 0.5 m/s it goes on with 2/7 of that. */
static void test_rolling(void **state)
{
    (void)state;
    static const struct { const char *start, *belt; double end; } cases[] = {
        { "1.4", "", 1.0 }, { "0", ", surface_velocity: [0.5, 0, 0]", 0.5 * 2 / 7 } };
    for (int k = 0; k < 2; k++) {
        char contact[200], bodies[400];
        snprintf(bodies, sizeof bodies,
                 "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  ball: { position: [0, 0, %.17g], velocity: [%s, 0, 0], shapes: [ { sphere: { radius: 0.05 }, mass: 1 } ] }\n",
                 0.05 - pow(G / 1e8, 2.0 / 3), cases[k].start);
        snprintf(contact, sizeof contact, "contacts: { floor: { between: [ground, ball], stiffness: 1e8, friction: 0.3%s } }\n",
                 cases[k].belt);
        run x = run_parts(bodies, contact, "solve: { until: 0.6, tolerance: 1e-9 }\n");
        assert_int_equal(x.code, TN_NEWS_END);
        assert_near(value_of(&x, "ball.velocity.x"), cases[k].end, 1e-6);
        assert_true(tn_session_summary(x.session).energy_error < 1e-6);
        close_run(&x);
    }
}

/* Rubber gives way on steel; the same ball of steel rebounds from it with e = 0.5, at the same time. */
static void test_materials(void **state)
{
    (void)state;
    const double v = sqrt(2 * G * 0.5);
    run x = run_parts(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  ground: { shapes: [ { half_space: {}, material: steel } ] }\n"
        "  soft: { position: [0, 0.55], shapes: [ { disc: { radius: 0.05 }, mass: 1, material: rubber } ] }\n"
        "  hard: { position: [1, 0.55], shapes: [ { disc: { radius: 0.05 }, mass: 1, material: steel } ] }\n"
        "contacts:\n  yard: { among: [ground, soft, hard], restitution: 0.5,\n"
        "          materials: [ { between: [steel, rubber], stiffness: 20 kN/m, exponent: 1 } ] }\n", "",
        "solve: { until: 0.4, tolerance: 1e-10 }\n");
    /* linear: m w^2 = k, and gravity: half a swing about the depth m g / k, from v there and back */
    double w = sqrt(2e4), fall = v / G, sink = G / 2e4, touch = (PI + 2 * atan(w * sink / v)) / w;
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "hard.velocity.y"), 0.5 * v - G * (0.4 - fall), 1e-9);
    assert_near(value_of(&x, "soft.velocity.y"), v - G * (0.4 - fall - touch), 1e-6);
    close_run(&x);
}

/* A box of rubber falls on a corner and comes to rest on its face; energy never rises. */
static void test_box_settles(void **state)
{
    (void)state;
    run x = run_parts(
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
        "  box: { position: [0, 0, 0.2], rotation: { axis: [1, 0.3, 0], angle: 20 deg },\n"
        "         shapes: [ { box: { size: [0.2, 0.2, 0.1] }, mass: 2 } ] }\n"
        "contacts: { floor: { between: [ground, box], stiffness: 20 kN/m, exponent: 1, damping: 5, friction: 0.6 } }\n", "",
        "solve: { until: 2 }\n");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "box.position.z"), 0.05 - 2 * G / 4 / 2e4, 1e-6);
    assert_near(value_of(&x, "floor.normal"), 2 * G, 1e-4);
    assert_near(value_of(&x, "floor.closed"), 4, 0);
    assert_true(tn_session_summary(x.session).energy_error < 1e-5);
    close_run(&x);
}

/* A contact that gives way becomes rigid in the running model, and gives way again. */
static void test_set(void **state)
{
    (void)state;
    reading r = accepted(resting);
    tn_session *session = NULL;
    double closed, gap;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_true(tn_session_advance(session, 0.01) >= 0);
    assert_int_equal(tn_session_apply(NULL, session, "{ set: { floor.stiffness: 0 } }"), TN_OK);
    assert_true(tn_session_advance(session, 0.49) >= 0);
    assert_int_equal(tn_session_value(&gap, session, "floor.gap"), TN_OK);
    assert_int_equal(tn_session_value(&closed, session, "floor.closed"), TN_OK);
    assert_near(gap, 0, 1e-9);
    assert_near(closed, 1, 0);
    assert_int_equal(tn_session_apply(NULL, session, "{ set: { floor.stiffness: 1000 N/m, floor.exponent: 1 } }"), TN_OK);
    assert_true(tn_session_advance(session, 0.01) >= 0);
    assert_int_equal(tn_session_value(&gap, session, "floor.gap"), TN_OK);
    assert_near(gap, -G / 1000 * (1 - cos(sqrt(1000) * 0.01)), 1e-9);
    tn_session_close(session);
    done(&r);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct { const char *law, *words; } cases[] = {
        { "stiffness: 1e6, modulus: 1e9", "either stiffness or modulus" },
        { "stiffness: 1e6, restitution: 0.5", "restitution is for rigid shapes" },
        { "stiffness: 1e6, exponent: 0.5", "exponent 0.5 must be at least 1" },
        { "stiffness: -1", "stiffness" },
        { "damping: 1", "damping needs stiffness" },
        { "modulus: 1e9, adhesion: 1", "adhesion is for rigid shapes" },
        { "stiffness: 1e6, scale: 0", "scale" },
        { "modulus: 1e9", "have shapes that need stiffness" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text, "tenon: 1\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  box: { mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], shapes: [ { box: { size: [0.1, 0.1, 0.1] } } ] }\n"
                 "contacts: { floor: { between: [ground, box], %s } }\n", cases[k].law);
        refused(text, cases[k].words);
    }
}

/* Implicit integrators have the derivatives: the same motion by all. */
static void test_integrators(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dop853", "cvode", "generalized-alpha" };
    double height[3];
    for (int k = 0; k < 3; k++) {
        char solve[160];
        snprintf(solve, sizeof solve, "solve: { until: 0.06, integrator: %s, %s }\n", integrators[k],
                 k == 2 ? "step: 2e-6" : "tolerance: 1e-11, absolute_tolerance: 1e-13");
        run x = run_parts(
            "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
            "  ball: { position: [0, 0, 0.051], velocity: [0.3, 0, -0.1], shapes: [ { sphere: { radius: 0.05 }, mass: 1 } ] }\n"
            "  top: { position: [0.03, 0.01, 0.14], shapes: [ { sphere: { radius: 0.04 }, mass: 0.5 } ] }\n"
            "contacts: { pile: { among: [ground, ball, top], stiffness: 1e7, damping: 0.5, friction: 0.3, creep_speed: 0.02 } }\n",
            "", solve);
        assert_int_equal(x.code, TN_NEWS_END);
        height[k] = value_of(&x, "top.position.z");
        close_run(&x);
    }
    assert_near(height[1], height[0], 1e-9);
    assert_near(height[2], height[0], 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_balls),    cmocka_unit_test(test_momentum),   cmocka_unit_test(test_rest_and_frequency),
        cmocka_unit_test(test_thin_plate),   cmocka_unit_test(test_rolling),    cmocka_unit_test(test_materials),
        cmocka_unit_test(test_box_settles),  cmocka_unit_test(test_set),        cmocka_unit_test(test_integrators),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
