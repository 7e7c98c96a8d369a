/* Cables of strands against closed forms, with every solver. */
#include "mechanisms.h"
#include <stdio.h>

static const char *const solvers[] = { "direct", "hierarchical", "augmented" };

static double value_of(machine *m, const char *channel)
{
    double value = NAN;
    machine_must(m, tn_session_value(&value, m->session, channel));
    return value;
}

static machine run_text(const char *format, int dimension, const char *solver, double until)
{
    char text[4000];
    snprintf(text, sizeof text, format, dimension);
    machine m = machine_text(text);
    tn_solve solve = tn_solve_default();
    solve.solver = solver;
    solve.tolerance = solve.absolute_tolerance = 1e-11;
    solve.until = until;
    machine_start(&m, solve);
    machine_must(&m, tn_session_advance(m.session, until));
    return m;
}

/* A block and tackle: 3 kg hang on two pieces of a rope whose third piece holds 1 kg; s' = -2 S'. With S of the load upwards
 *     (M + 4 m) S'' = (2 m - M) g,     tension = M (g + S'') / 2 */
static const char tackle[] =
    "tenon: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  load: { mass: 3, inertia: [1, 1, 1], position: [0, 0, -2] }\n"
    "  weight: { mass: 1, inertia: [1, 1, 1], position: [1, 0, -1] }\n"
    "joints:\n"
    "  up: { type: prismatic, between: [ground, load], at: [0, 0, -2], axis: [0, 0, 1] }\n"
    "  down: { type: prismatic, between: [ground, weight], at: [1, 0, -1], axis: [0, 0, 1] }\n"
    "  twice: { type: strand, between: [ground, load], ends: [{ at: [0, 0, 0] }, { at: [0, 0, 0] }] }\n"
    "  once: { type: strand, between: [ground, weight], ends: [{ at: [1, 0, 0] }, { at: [0, 0, 0] }] }\n"
    "  rope: { type: coupler, terms: { twice.length: 2, once.length: 1 } }\n# %d\n";

static void test_tackle(void **state)
{
    (void)state;
    const double M = 3, g = 9.81, m1 = 1, a = (2 * m1 - M) * g / (M + 4 * m1);
    for (size_t k = 0; k < 3; k++) {
        machine m = run_text(tackle, 3, solvers[k], 0.5);
        assert_near(value_of(&m, "up.position"), a * 0.125, 1e-9);
        assert_near(value_of(&m, "down.position"), -2 * a * 0.125, 1e-9);
        assert_near(value_of(&m, "energy.error"), 0, 1e-9);
        machine_close(&m);
    }
}

/* A rope that winds itself round a fixed peg of radius R, without gravity: the speed v stays, and l l' = -R v, so
 *     l^2 = l0^2 - 2 R v t,      the rope has turned by (l0 - l) / R: more than a full turn here */
static const char peg[] =
    "tenon: 1\ndimension: %d\n"
    "bodies:\n  ball: { type: particle, mass: 2, position: [1, -0.1], velocity: [0, 1] }\n"
    "joints:\n"
    "  rope: { type: pulley-strand, between: [ground, ball], ends: [{ at: [0, 0] }, { at: [0, 0] }], radius_1: 0.1 }\n"
    "  whole: { type: coupler, terms: { rope.length: 1, rope.angle_1: 0.1 } }\n";

static void test_peg(void **state)
{
    (void)state;
    const double R = 0.1, t = 4.5, length = sqrt(1 - 2 * R * t);
    for (size_t k = 0; k < 3; k++) {
        machine m = run_text(peg, 2, solvers[k], t);
        assert_near(value_of(&m, "rope.length"), length, 1e-8);
        assert_near(value_of(&m, "rope.angle_1"), (1 - length) / R, 1e-7);
        assert_near(value_of(&m, "energy.kinetic"), 1, 1e-8);
        machine_close(&m);
    }
}

/* A belt between two pulleys of radii r and 2 r with crossed and open strands: lengths of the common tangents. */
static void test_tangents(void **state)
{
    (void)state;
    static const char text[] =
        "tenon: 1\ndimension: %d\nbodies:\n  wheel: { mass: 1, inertia: 1, position: [0.5, 0] }\n"
        "joints:\n  axle: { type: revolute, between: [ground, wheel], at: [0.5, 0] }\n"
        "  open: { type: pulley-strand, between: [ground, wheel], ends: [{ at: [0, 0] }, { at: [0, 0] }], radius_1: 0.1, radius_2: 0.2 }\n"
        "  cross: { type: pulley-strand, between: [ground, wheel], ends: [{ at: [0, 0] }, { at: [0, 0] }], radius_1: 0.1, "
        "radius_2: -0.2 }\n";
    machine m = run_text(text, 2, "direct", 0.01);
    assert_near(value_of(&m, "open.length"), sqrt(0.25 - 0.01), 1e-14);
    assert_near(value_of(&m, "cross.length"), sqrt(0.25 - 0.09), 1e-14);
    assert_near(value_of(&m, "open.angle_1"), -asin(0.1 / 0.5), 1e-14);
    assert_near(value_of(&m, "cross.angle_1"), asin(0.3 / 0.5), 1e-14);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tackle),
        cmocka_unit_test(test_peg),
        cmocka_unit_test(test_tangents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
