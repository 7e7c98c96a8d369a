/* Joints at the start: angles as built, axes that cannot be, particles; and what a bare number is in an expression. */
#include "mechanisms.h"

static const char cardan[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: [1, 1, 1], position: [0, 0, 0] }\n"
    "  b: { mass: 1, inertia: [1, 1, 1], position: [0.5, 0.2, 0], rotation: { euler: [0.2, 0.3, 0.4] } }\n"
    "joints:\n"
    "  bearing: { type: revolute, between: [ground, a], axis: z, at: [0, 0, 0] }\n"
    "  cross: { type: %s, between: [a, b], at: [0.2, 0, 0], axis: [1, 0.3, 0.1], axis2: [-0.3, %s, 0] }\n"
    "%s";

/* As built both angles are 0, the bodies stay as they are; angles that are given are those that are found. */
static void test_angles_as_built(void **state)
{
    (void)state;
    static const char *const types[] = { "universal", "perpendicular" };
    for (size_t k = 0; k < 2; k++) {
        machine m = machine_format(cardan, types[k], "1", "");
        machine_start(&m, accurate(1));
        assert_near(value(&m, "cross.angle_1"), 0, 1e-12);
        assert_near(value(&m, "cross.angle_2"), 0, 1e-12);
        assert_int_equal(tn_session_start_value_count(m.session), 0);
        machine_close(&m);
    }
    machine m = machine_format(cardan, "universal", "1",
                               "initial: { cross: { angle_1: 0.4, angle_2: -0.3, angle_1_rate: 2 } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "cross.angle_1"), 0.4, 1e-12);
    assert_near(value(&m, "cross.angle_2"), -0.3, 1e-12);
    assert_near(value(&m, "cross.angle_1.rate"), 2, 1e-12);
    machine_close(&m);
}

/* A body without a pose is put at the angles that are given, without a gap to be closed. */
static void test_unplaced_cross(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "bodies: { b: { mass: 1, inertia: [1, 1, 1] } }\n"
                             "joints: { cross: { type: universal, between: [ground, b] } }\n"
                             "initial: { cross: { angle_1: 0.4, angle_2: -0.3 } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "cross.angle_1"), 0.4, 1e-12);
    assert_near(value(&m, "cross.angle_2"), -0.3, 1e-12);
    assert_int_equal(tn_session_gap_count(m.session), 0);
    machine_close(&m);
}

static void refuses(const char *text, const char *words)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", "."), TN_ERROR_MODEL);
    assert_true(tn_diagnostics_count(context) > 0);
    if (!strstr(tn_diagnostics_get(context, 0)->message, words))
        fail_msg("'%s' is not in: %s", words, tn_diagnostics_get(context, 0)->message);
    tn_diagnostics_clear(context);
    tn_context_destroy(context);
}

static void test_axes_not_perpendicular(void **state)
{
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, cardan, "universal", "1.3", "");
    refuses(text, "must be perpendicular: they are 86.3123 deg apart");
}

/* A weight at the end of an arm: a weld to a particle would hold the arm. */
static const char weight[] =
    "tenon: 1\n"
    "dimension: %d\n"
    "bodies:\n"
    "  arm: { mass: 1, inertia: %s }\n"
    "  bob: { type: particle, mass: 1 }\n"
    "joints: { joint: { type: %s, between: [%s, bob] } }\n";

static void test_particles(void **state)
{
    (void)state;
    static const struct { int dimension; const char *type, *other; bool good; } cases[] = {
        { 2, "fixed", "arm", false },     { 2, "translational", "arm", false },   { 2, "revolute", "arm", true },
        { 2, "pin-in-slot", "arm", true }, { 2, "translational", "ground", true }, { 3, "fixed", "arm", false },
        { 3, "revolute", "arm", false },  { 3, "spherical", "arm", true },    { 3, "point-on-line", "arm", true },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text, weight, cases[k].dimension, cases[k].dimension == 2 ? "1" : "[1, 1, 1]",
                 cases[k].type, cases[k].other);
        if (!cases[k].good) {
            refuses(text, "which particle 'bob' does not have");
            continue;
        }
        machine m = machine_text(text);
        machine_close(&m);
    }
}

/* pi is a bare number, as 3.14 is: it takes the dimension that fits. t alone is a time. */
static void test_pi_is_bare(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
                               "joints: { p: { type: revolute, between: [ground, a] } }\n"
                               "forces: { f: { type: torque, on: a, value: '1 N m * cos(%s)' } }\n";
    static const char *const good[] = { "pi * t", "2 * pi * t", "t * pi / 2", "3 * t", "2 rad/s * t" };
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        machine m = machine_format(text, good[k]);
        machine_start(&m, accurate(1));
        machine_close(&m);
    }
    machine m = machine_format(text, "t");
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, m.model, NULL), TN_ERROR_MODEL);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "not time (s): multiply it by a rate"));
    tn_diagnostics_clear(m.context);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angles_as_built), cmocka_unit_test(test_unplaced_cross),
        cmocka_unit_test(test_axes_not_perpendicular), cmocka_unit_test(test_particles),
        cmocka_unit_test(test_pi_is_bare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
