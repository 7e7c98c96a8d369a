/* Balls that give way, on planes and in sockets: against closed forms, and against the equation of one impact integrated here. */
#include "mechanisms.h"

#define PI 3.14159265358979323846
#define MASS 2.0
#define RADIUS 0.1
#define STIFFNESS 3e7          /* of Hertz's law in SI units */

/* A ball that only translates, at the given height of its lowest point, with vertical velocity v. */
static machine falling(double height, double v, double gravity, double damping)
{
    return machine_format("tenon: 1\ngravity: [0, 0, %.17g]\n"
        "bodies: { ball: { type: particle, mass: %g, position: [0, 0, %.17g], velocity: [0, 0, %.17g] } }\n"
        "forces: { floor: { type: ball-on-plane, on: ball, radius: %g, normal: [0, 0, 3], stiffness: %g, damping: %.17g } }\n",
        -gravity, MASS, RADIUS + height, v, RADIUS, STIFFNESS, damping);
}

/* Without damping a ball touches for c delta / v with the deepest depth delta = (5 m v^2 / (4 k))^(2/5) and
 * c = 4/5 sqrt(pi) Gamma(2/5) / Gamma(9/10) = 2.9432..., and leaves as fast as it came. */
static void test_time_of_touch(void **state)
{
    (void)state;
    const double v = 1.5, deepest = pow(5 * MASS * v * v / (4 * STIFFNESS), 0.4);
    const double touch = 0.8 * sqrt(PI) * tgamma(0.4) / tgamma(0.9) * deepest / v;
    machine m = falling(0, -v, 0, 0);
    machine_start(&m, accurate(1));
    run_to(&m, touch / 2);
    assert_near(value(&m, "floor.depth"), deepest, 1e-9 * deepest);
    assert_near(value(&m, "energy.potential"), MASS * v * v / 2, 1e-9);
    run_to(&m, touch);
    assert_near(value(&m, "floor.depth"), 0, 1e-7 * deepest);
    assert_near(value(&m, "ball.velocity.z"), v, 1e-8);
    run_to(&m, 1);
    assert_near(value(&m, "ball.velocity.z"), v, 1e-8);
    check_energy(&m, 1e-9);
    machine_close(&m);
}

/* The rebound of m delta'' = -max(0, k delta^(3/2) (1 + c delta')), by many steps of the classical Runge-Kutta method. */
static double rebound(double v, double damping)
{
    static const double part[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    const double h = 2e-8;
    double x = 0, u = v;
    while (x >= 0) {
        double dx[4] = { 0 }, du[4] = { 0 }, x_sum = 0, u_sum = 0;
        for (int k = 0; k < 4; k++) {
            double at = x + part[k] * h * (k ? dx[k - 1] : 0), rate = u + part[k] * h * (k ? du[k - 1] : 0);
            dx[k] = rate;
            du[k] = at > 0 ? -fmax(0, STIFFNESS * pow(at, 1.5) * (1 + damping * rate)) / MASS : 0;
            x_sum += weight[k] * dx[k] * h / 6;
            u_sum += weight[k] * du[k] * h / 6;
        }
        x += x_sum;
        u += u_sum;
    }
    return -u;
}

static void test_rebound(void **state)
{
    (void)state;
    static const double damping[] = { 0.05, 0.4, 2 };
    const double v = 1.5;
    double before = v;
    for (size_t k = 0; k < sizeof damping / sizeof damping[0]; k++) {
        machine m = falling(0.01, -v, 0, damping[k]);
        tn_solve solve = accurate(0.5);
        solve.tolerance = solve.absolute_tolerance = 1e-11;
        machine_run(&m, solve);
        double after = value(&m, "ball.velocity.z");
        assert_near(after, rebound(v, damping[k]), 1e-7);
        assert_true(after > 0 && after < before);
        assert_near(value(&m, "energy.work"), MASS * (after * after - v * v) / 2, 1e-7);
        check_energy(&m, 1e-8);
        before = after;
        machine_close(&m);
    }
}

/* However long the steps of free flight are, the floor is not flown through; at default tolerances. */
static void test_long_fall(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "dop853" };
    const double v = 100, touch = 2.94327 * pow(5 * MASS * v * v / (4 * STIFFNESS), 0.4) / v;
    for (size_t k = 0; k < sizeof integrators / sizeof integrators[0]; k++) {
        machine m = falling(500, 0, 10, 0);
        tn_solve solve = tn_solve_default();
        solve.integrator = integrators[k];
        solve.until = 19;                              /* it falls for 10 s, touches, and rises to where it has 10 m/s */
        machine_run(&m, solve);
        assert_near(value(&m, "ball.position.z"), RADIUS + 495 - 10 * touch, 1e-3);
        machine_close(&m);
    }
}

/* Statics finds the depth (m g / k)^(2/3). */
static void test_sink(void **state)
{
    (void)state;
    machine m = falling(-1e-4, 0, 9.81, 0.2);
    tn_equilibrium *found;
    const double depth = pow(MASS * 9.81 / STIFFNESS, 2.0 / 3);
    machine_start(&m, accurate(1));
    machine_must(&m, tn_session_statics(&found, m.session, NULL));
    assert_near(value(&m, "floor.depth"), depth, 1e-9 * depth);
    assert_near(value(&m, "floor.normal_force"), MASS * 9.81, 1e-8);
    tn_equilibrium_destroy(m.context, found);
    machine_close(&m);
}

/* stiffness at a depth of scale, with an exponent: a depth of scale presses with stiffness times scale. */
static void test_power_law(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { tip: { type: particle, mass: 1, position: [-2 mm, 5] } }\n"
        "forces: { wall: { type: ball-on-plane, on: tip, radius: 0, normal: [1, 0], stiffness: 50 kN/m, scale: 1 mm,\n"
        "                  exponent: 2 } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "wall.depth"), 0.002, 1e-15);
    assert_near(value(&m, "wall.normal_force"), 50 * 4, 1e-9);
    assert_near(value(&m, "energy.potential"), 50 * 4 * 0.002 / 3, 1e-12);
    machine_close(&m);
}

/* A ball that slides first rolls with 5/7 of its speed, whichever the friction: the touch is at the radius from the centre. */
static void test_rolling(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: { ball: { mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.0999246], velocity: [2, 1, 0] } }\n"
        "forces: { floor: { type: ball-on-plane, on: ball, radius: 0.1, normal: [0, 0, 1], stiffness: 3e7, damping: 0.5,\n"
        "                   friction: 0.3 } }\n");
    tn_solve solve = accurate(1);
    solve.tolerance = solve.absolute_tolerance = 1e-10;
    machine_run(&m, solve);
    assert_near(value(&m, "ball.velocity.x"), 2 * 5 / 7.0, 1e-6);
    assert_near(value(&m, "ball.velocity.y"), 1 * 5 / 7.0, 1e-6);
    assert_near(value(&m, "ball.angular_velocity.y"), 2 * 5 / 7.0 / 0.1, 1e-5);
    assert_near(value(&m, "floor.slip"), 0, 1e-6);
    check_energy(&m, 1e-7);
    machine_close(&m);
}

/* A journal circles in its bearing: m v^2 / r = K delta^(3/2) at r = clearance + delta. */
static void test_whirl(void **state)
{
    (void)state;
    const double depth = 2e-4, r = 1e-3 + depth, v = sqrt(STIFFNESS * pow(depth, 1.5) * r / MASS);
    machine m = machine_format("tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { shaft: { mass: %g, inertia: 0.01, position: [%.17g, 0], velocity: [0, %.17g] } }\n"
        "forces: { bearing: { type: ball-in-socket, on: shaft, radius: 50 mm, clearance: 1 mm, stiffness: %g, damping: 3 } }\n",
        MASS, r, v, STIFFNESS);
    machine_run(&m, accurate(0.1));
    assert_near(value(&m, "shaft.position.x"), r * cos(v / r * 0.1), 1e-9);
    assert_near(value(&m, "shaft.position.y"), r * sin(v / r * 0.1), 1e-9);
    assert_near(value(&m, "bearing.depth"), depth, 1e-10);
    check_energy(&m, 1e-10);
    machine_close(&m);
}

/* A ball starts in the middle of its socket, where the direction is unknown, and rattles in it; nobody holds the two bodies. */
static void test_rattle(void **state)
{
    (void)state;
    machine m = machine_format("tenon: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  cup: { mass: 3, inertia: [0.02, 0.03, 0.04], position: [0.1, 0, 0], frames: { hole: { at: [0.2, 0, 0.1] } } }\n"
        "  shaft: { mass: %g, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0.1], velocity: [0.3, 0.1, -0.2],\n"
        "           angular_velocity: [3, 5, -4] }\n"
        "forces: { joint: { type: ball-in-socket, between: [cup.hole, shaft], radius: 50 mm, clearance: 1 mm, stiffness: %g,\n"
        "                   damping: 1, friction: 0.2 } }\n", MASS, STIFFNESS);
    static const char *const kept[] = { "momentum.angular.x", "momentum.angular.y", "momentum.angular.z", "momentum.linear.x" };
    double before[4];
    tn_solve solve = accurate(0.3);
    solve.tolerance = solve.absolute_tolerance = 1e-10;
    machine_start(&m, solve);
    assert_near(value(&m, "joint.depth"), -1e-3, 1e-12);
    assert_near(value(&m, "joint.normal_force"), 0, 0);
    for (int k = 0; k < 4; k++)
        before[k] = value(&m, kept[k]);
    machine_must(&m, tn_session_run(m.session));
    for (int k = 0; k < 4; k++)
        assert_near(value(&m, kept[k]), before[k], 1e-9);
    assert_true(value(&m, "energy.work") < -1e-3);
    assert_true(value(&m, "joint.depth") < 2e-4);
    check_energy(&m, 1e-7);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_of_touch),
        cmocka_unit_test(test_rebound),
        cmocka_unit_test(test_long_fall),
        cmocka_unit_test(test_sink),
        cmocka_unit_test(test_power_law),
        cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_whirl),
        cmocka_unit_test(test_rattle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
