/* Orientation as axes and Euler angles, and rates of positions, as channels and in expressions; what the motion cannot
 * depend on is refused with the reason. */
#include "event_runs.h"
#include "mem.h"
#include "tenon/analysis.h"

#define TOP                                                                                                            \
    "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                                      \
    "  top: { mass: 1, inertia: [0.3, 0.4, 0.5], position: [0.2, 0.1, 1], angular_velocity: [1, 2, 3], frames: { tip: { at: [0.1, 0.2, 0.3] } } }\n" \
    "joints: { foot: { type: spherical, between: [ground, top], at: [0, 0, 0] } }\n"

/* R += R turned by an angle about the axis of the frame: columns are the axes. */
static void turn_frame(double R[3][3], int axis, double angle)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int k = 0; k < 3; k++) {
        double a = R[i][k], b = R[j][k];
        R[i][k] = cos(angle) * a + sin(angle) * b;
        R[j][k] = cos(angle) * b - sin(angle) * a;
    }
}

/* The three turns of each convention give the axes. */
static void test_angles_give_axes(void **state)
{
    static const char *const conventions[] = { "zyx", "xyz", "zxz" };
    (void)state;
    for (int step = 1; step <= 4; step++) {
        char solve[60];
        snprintf(solve, sizeof solve, "solve: { until: %g }\n", 0.3 * step);
        run x = run_parts(TOP, "", solve);
        for (size_t c = 0; c < TN_LENGTH(conventions); c++) {
            double R[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
            char name[60];
            for (int k = 0; k < 3; k++) {
                snprintf(name, sizeof name, "top.tip.euler_%s_%d", conventions[c], k + 1);
                turn_frame(R, conventions[c][k] - 'x', value_of(&x, name));
            }
            for (int k = 0; k < 9; k++) {
                snprintf(name, sizeof name, "top.tip.%c_axis.%c", 'x' + k / 3, 'x' + k % 3);
                assert_near(value_of(&x, name), R[k / 3][k % 3], 1e-12);
            }
        }
        close_run(&x);
    }
}

/* Outputs by expression agree with channels; rates of angles agree with the angular velocity w = R (kinematics). */
static void test_outputs(void **state)
{
    (void)state;
    run x = run_parts(TOP, "",
                      "outputs:\n  - a: vel(top.tip.position.x)\n  - b: top.orientation.w * 1\n  - c: 2 * top.acceleration.x\n"
                      "  - d: foot.angle_x.acceleration\n  - e: vel(top.x_axis . top.tip.position)\n  - f: vel(top.euler_zyx_1)\n"
                      "  - g: vel(top.euler_zyx_2)\n  - h: vel(top.euler_zyx_3)\n  - i: top.euler_zxz_2\n  - j: norm(vel(top.position))\n"
                      "solve: { until: 0.4 }\n");
    const double a = value_of(&x, "top.euler_zyx_1"), b = value_of(&x, "top.euler_zyx_2");
    const double da = value_of(&x, "f"), db = value_of(&x, "g"), dc = value_of(&x, "h");
    assert_near(value_of(&x, "a"), value_of(&x, "top.tip.velocity.x"), 1e-12);
    assert_near(value_of(&x, "b"), value_of(&x, "top.orientation.w"), 1e-12);
    assert_near(value_of(&x, "c"), 2 * value_of(&x, "top.acceleration.x"), 1e-12);
    assert_near(value_of(&x, "d"), value_of(&x, "foot.angle_x.acceleration"), 1e-12);
    assert_near(value_of(&x, "e"), 0, 1e-12);              /* a component along axes that turn along does not change */
    assert_near(value_of(&x, "i"), value_of(&x, "top.euler_zxz_2"), 1e-12);
    assert_near(value_of(&x, "j"), sqrt(pow(value_of(&x, "top.velocity.x"), 2) + pow(value_of(&x, "top.velocity.y"), 2) +
                                        pow(value_of(&x, "top.velocity.z"), 2)), 1e-12);
    assert_near(value_of(&x, "top.angular_velocity.x"), cos(a) * cos(b) * dc - sin(a) * db, 1e-11);
    assert_near(value_of(&x, "top.angular_velocity.y"), sin(a) * cos(b) * dc + cos(a) * db, 1e-11);
    assert_near(value_of(&x, "top.angular_velocity.z"), da - sin(b) * dc, 1e-11);
    close_run(&x);
}

/* A force along an axis of the body, by expression and by its own type. */
static void test_force_along_axis(void **state)
{
    static const char *const forces[] = {
        "forces: { f: { type: follower-force, on: top.tip, value: [2, 0, 0] } }\n",
        "forces: { f: { type: force, on: top.tip, value: [2 * top.tip.x_axis.x, 2 * top.tip.x_axis.y, 2 * top.tip.x_axis.z] } }\n",
    };
    (void)state;
    double end[2];
    for (int k = 0; k < 2; k++) {
        run x = run_parts(TOP, forces[k], "solve: { until: 0.5, step: 1 ms, integrator: rk4 }\n");
        end[k] = value_of(&x, "top.position.x");
        close_run(&x);
    }
    assert_near(end[0], end[1], 1e-12);
}

static void test_refused(void **state)
{
    static const char *const late[] = { "top.acceleration.x", "foot.reaction.force.x", "foot.angle_x.acceleration", "energy.kinetic",
                                        "top.angular_acceleration.y", "f.end1.force.x" };
    (void)state;
    for (size_t k = 0; k <= TN_LENGTH(late); k++) {
        char text[2000];
        snprintf(text, sizeof text, "%sforces: { f: { type: force, on: top, value: [%s, 0, 0] } }\n", TOP,
                 k < TN_LENGTH(late) ? late[k] : "top.orientation.w");
        reading r = accepted(text);
        assert_true(tn_model_check(r.model) < 0);
        must_say(&r, k < TN_LENGTH(late) ? "follows from the forces" : "know axes (NAME.x_axis.x ...)");
        done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angles_give_axes), cmocka_unit_test(test_outputs), cmocka_unit_test(test_force_along_axis),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
