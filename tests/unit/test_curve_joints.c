/* Curves in joint equations: grooves and cams by periodic tables, polynomial couplings, and driven poses, against closed forms
 * and against the same joints by formulas. */
#include "mechanisms.h"
#include <stdio.h>
#include <string.h>

static const double TURN = 6.283185307179586;

static double value_of(machine *m, const char *channel)
{
    double value = NAN;
    machine_must(m, tn_session_value(&value, m->session, channel));
    return value;
}

static machine run_text(const char *text, double until)
{
    machine m = machine_text(text);
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-11;
    solve.until = until;
    machine_start(&m, solve);
    machine_must(&m, tn_session_advance(m.session, until));
    assert_near(value_of(&m, "energy.error"), 0, 1e-6);       /* of some 10 J; a spline has jumps in its third derivative */
    return m;
}

/* "tables: NAME" with count points of a function over a turn, the last one as the first. */
static size_t write_table(char *text, size_t size, const char *name, int count, double (*function)(double))
{
    size_t used = (size_t)snprintf(text, size, "tables:\n  %s: { kind: periodic, points: [", name);
    for (int k = 0; k <= count; k++)
        used += (size_t)snprintf(text + used, size - used, "%s[%.17g rad, %.17g m]", k > 0 ? ", " : "", TURN * k / count,
                                 function(TURN * (k % count) / count));
    return used + (size_t)snprintf(text + used, size - used, "] }\n");
}

/* ---- a bead in a closed groove r(angle) ---- */

static double rim(double angle)
{
    return 1 + 0.2 * cos(2 * angle);
}

static const char bead[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n%s"
    "joint_types:\n  groove: { equations: [\"norm(d) - %s\"] }\n"
    "bodies:\n  bead: { type: particle, mass: 1, position: [1.2, 0], velocity: [0, 5] }\n"
    "joints:\n  wire: { type: groove, between: [ground, bead] }\n";

/* Where the bead is after 1 s, more than one turn; points 0: by the formula. */
static void run_bead(double place[2], int points)
{
    char text[20000], tables[12000] = "";
    if (points > 0)
        write_table(tables, sizeof tables, "rim", points, rim);
    snprintf(text, sizeof text, bead, tables,
             points > 0 ? "rim(atan2(d . y1, d . x1))" : "(1 + 0.2 * cos(2 * atan2(d . y1, d . x1)))");
    machine m = run_text(text, 1);
    place[0] = value_of(&m, "bead.position.x");
    place[1] = value_of(&m, "bead.position.y");
    machine_close(&m);
}

static void test_bead_in_a_closed_groove(void **state)
{
    (void)state;
    double exact[2], coarse[2], fine[2];
    run_bead(exact, 0);
    run_bead(coarse, 24);
    run_bead(fine, 48);
    double e1 = hypot(coarse[0] - exact[0], coarse[1] - exact[1]), e2 = hypot(fine[0] - exact[0], fine[1] - exact[1]);
    assert_true(e1 < 5e-3 && e1 > 1e-7);
    if (!(e1 / e2 > 9 && e1 / e2 < 64))                /* order 4: 16; more where the first error is still large */
        fail_msg("24 points: off by %g, 48 points: by %g", e1, e2);
}

/* ---- a cam ---- */

static double lift(double angle)
{
    return 0.02 * (1 - cos(angle));
}

static const char cam[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: { base: 0.05 }\n%s"
    "joint_types:\n  cam: { joints: 2, parameters: { gap: length }, equations: [\"q2 - gap - %s\"] }\n"
    "bodies:\n  cam: { mass: 1, inertia: 0.01, position: [0, 0] }\n  rod: { mass: 2, inertia: 1, position: [0, 0.1] }\n"
    "joints:\n  shaft: { type: revolute, between: [ground, cam] }\n"
    "  guide: { type: translational, between: [ground, rod], ends: [{ at: [0, 0], axis: [0, 1] }, { at: [0, 0], axis: [0, 1] }] }\n"
    "  follow: { type: cam, joints: [shaft, guide.position], gap: 0.05 }\n"
    "initial: { shaft: { angle: 0, rate: -20 } }\n";

static void test_cam(void **state)
{
    (void)state;
    char text[20000], tables[12000];
    write_table(tables, sizeof tables, "lift", 64, lift);
    snprintf(text, sizeof text, cam, tables, "lift(q1)");
    machine by_table = run_text(text, 1.5);
    snprintf(text, sizeof text, cam, "", "0.02 * (1 - cos(q1)) + 0 * base");
    machine by_formula = run_text(text, 1.5);
    double angle = value_of(&by_table, "shaft.angle"), rate = value_of(&by_table, "shaft.rate");
    assert_true(angle < -2 * TURN);
    assert_near(angle, value_of(&by_formula, "shaft.angle"), 2e-5);
    assert_near(value_of(&by_table, "guide.position"), 0.05 + lift(angle), 1e-7);
    /* energy: J w^2 / 2 + m (lift' w)^2 / 2 + m g lift */
    double slope = 0.02 * sin(angle);
    assert_near(rate * rate * (0.005 + slope * slope) + 2 * 9.81 * lift(angle), 0.005 * 400, 1e-5);
    machine_close(&by_table);
    machine_close(&by_formula);
}

/* ---- a polynomial ---- */

static void test_polynomial(void **state)
{
    (void)state;
    machine m = run_text("tenon: 1\n"
        "bodies:\n  a: { mass: 3, inertia: [1, 1, 1] }\n  b: { mass: 2, inertia: [1, 1, 1] }\n"
        "joints:\n  along: { type: prismatic, between: [ground, a], axis: [1, 0, 0], at: [0, 0, 0] }\n"
        "  across: { type: prismatic, between: [ground, b], axis: [0, 1, 0], at: [0, 0, 0] }\n"
        "  law: { type: polynomial, joints: [along, across], a1: 0.5, a2: 0.3, a3: -0.1, a4: 0.05 }\n"
        "initial: { across: { position: 0, rate: 1 } }\n", 1.5);
    double q = value_of(&m, "across.position"), v = value_of(&m, "across.rate");
    double slope = 0.5 + q * (0.6 + q * (-0.3 + q * 0.2));
    assert_near(value_of(&m, "along.position"), q * (0.5 + q * (0.3 + q * (-0.1 + q * 0.05))), 1e-10);
    assert_near(v * v * (3 * slope * slope + 2), 3 * 0.25 + 2, 1e-9);
    machine_close(&m);
}

/* ---- a driven pose ---- */

static void test_driven_pose(void **state)
{
    (void)state;
    machine m = run_text("tenon: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n  table: { mass: 3, com: [0.1, 0, 0], inertia: [1, 2, 3] }\n"
        "joints:\n  base: { type: free, between: [ground, table] }\n"
        "drives:\n  surge: { joint: base.x, position: 0.2 * sin(3 * t) }\n  sway: { joint: base.y, position: 0.1 * t^2 }\n"
        "  heave: { joint: base.z, position: 0.3 m }\n  yaw: { joint: base.yaw, angle: 4 * t }\n"
        "  pitch: { joint: base.pitch, angle: 0.5 * sin(2 * t) }\n  roll: { joint: base.roll, angle: -5 * t }\n", 2);
    const double t = 2, pitch = 0.5 * sin(2 * t), pitch_rate = cos(2 * t), yaw = 4 * t;
    assert_near(value_of(&m, "table.position.x"), 0.2 * sin(3 * t), 1e-10);
    assert_near(value_of(&m, "table.position.y"), 0.1 * t * t, 1e-10);
    assert_near(value_of(&m, "table.position.z"), 0.3, 1e-10);
    assert_near(value_of(&m, "base.yaw"), yaw, 1e-9);          /* over full turns */
    assert_near(value_of(&m, "base.roll"), -5 * t, 1e-9);
    assert_near(value_of(&m, "table.euler_zyx_2"), pitch, 1e-9);
    /* w = yaw' z + pitch' Rz y + roll' Rz Ry x */
    assert_near(value_of(&m, "table.angular_velocity.x"), -pitch_rate * sin(yaw) - 5 * cos(yaw) * cos(pitch), 1e-8);
    assert_near(value_of(&m, "table.angular_velocity.y"), pitch_rate * cos(yaw) - 5 * sin(yaw) * cos(pitch), 1e-8);
    assert_near(value_of(&m, "table.angular_velocity.z"), 4 + 5 * sin(pitch), 1e-8);
    machine_close(&m);
}

/* ---- mistakes ---- */

static void check_refused(const char *text, const char *message)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_text(&model, context, text, strlen(text), "test.yaml", ".");
    if (code >= 0)
        code = tn_session_open(&session, model, NULL);
    assert_true(code < 0);
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(context); k++)
        found |= strstr(tn_diagnostics_get(context, k)->message, message) != NULL;
    if (!found)
        fail_msg("no message '%s', but '%s'", message,
                 tn_diagnostics_count(context) > 0 ? tn_diagnostics_get(context, 0)->message : "");
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_mistakes(void **state)
{
    (void)state;
    check_refused("tenon: 1\ntables: { f: { kind: periodic, points: [[0, 1], [1, 2], [2, 3]] } }\n", "ends with the value 1");
    check_refused("tenon: 1\ntables: { f: { kind: periodic, points: [[0, 1], [1, 1]] } }\n", "at least 3 points");
    check_refused("tenon: 1\ntables: { f: { kind: periodic, outside: hold, points: [[0, 1], [1, 2], [2, 1]] } }\n", "repeats");
    check_refused("tenon: 1\njoint_types: { c: { joints: 1.5, equations: [q1] } }\n", "number of joints that the type couples");
    check_refused("tenon: 1\njoint_types: { c: { joints: 2, equations: [q1], coordinates: { angle: q2 } } }\n",
                  "no coordinates of its own");
    check_refused("tenon: 1\njoint_types: { c: { joints: 2, parameters: { q1: length }, equations: [q1] } }\n", "choose another");
    check_refused("tenon: 1\ndimension: 2\ntables: { rim: { points: [[0, 1], [1, 1]] } }\n"
                  "joint_types: { c: { equations: [\"norm(d) - rin(1)\"] } }\n"
                  "bodies: { a: { mass: 1, inertia: 1, position: [1, 0] } }\njoints: { j: { type: c, between: [ground, a] } }\n",
                  "rin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bead_in_a_closed_groove),
        cmocka_unit_test(test_cam),
        cmocka_unit_test(test_polynomial),
        cmocka_unit_test(test_driven_pose),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
