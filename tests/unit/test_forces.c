/* Force types in motion, against closed forms. */
#include "mechanisms.h"
#include <complex.h>

#define PI 3.14159265358979323846
#define PLANE "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
#define FALL "tenon: 1\ndimension: 2\ngravity: [0, -10]\n"
/* A block of 2 kg on a slide along x. */
#define BLOCK "bodies: { block: { mass: 2, inertia: 1, position: [0, 0], velocity: [3, 0] } }\n" \
              "joints: { slide: { type: translational, between: [ground, block], axis: x } }\n"
/* A wheel of 0.5 kg m^2 on a hinge. */
#define WHEEL "bodies: { wheel: { mass: 1, inertia: 0.5, position: [0, 0] } }\n" \
              "joints: { axle: { type: revolute, between: [ground, wheel], at: [0, 0] } }\n"

/* ---- springs ---- */

/* x'' + 2 z w x' + w^2 x = 0 from x(0) = 1, x'(0) = 0; all cases in one complex formula. */
static double free_oscillation(double w, double z, double t)
{
    double complex root = csqrt(z * z - 1 + 0 * I), s1 = w * (-z + root), s2 = w * (-z - root);
    if (z == 1)
        return (1 + w * t) * exp(-w * t);
    return creal((s1 * cexp(s2 * t) - s2 * cexp(s1 * t)) / (s1 - s2));
}

static void test_damped_oscillator(void **state)
{
    (void)state;
    static const double damping[] = { 0, 0.1, 0.7, 1, 2.5 };
    const double w = 3, mass = 2;
    for (size_t k = 0; k < sizeof damping / sizeof damping[0]; k++) {
        machine m = machine_format(PLANE
            "bodies: { bob: { type: particle, mass: %g, position: [3, 0] } }\n"
            "forces: { coil: { type: spring, between: [ground, bob], stiffness: %g, length: 2, damping: %g } }\n",
            mass, mass * w * w, 2 * damping[k] * w * mass);
        machine_start(&m, accurate(4));
        for (int n = 1; n <= 8; n++) {
            run_to(&m, 0.5 * n);
            double x = free_oscillation(w, damping[k], 0.5 * n);
            assert_near(value(&m, "bob.position.x"), 2 + x, 1e-10);
            assert_near(value(&m, "coil.tension"),
                        mass * w * w * x + 2 * damping[k] * w * mass * value(&m, "coil.rate"), 1e-9);
        }
        check_energy(&m, 1e-10);
        machine_close(&m);
    }
}

/* Below, at and above resonance, after the transient. */
static void test_driven_resonance(void **state)
{
    (void)state;
    static const double drive[] = { 1, 2, 5 };
    const double w = 2, z = 0.3, mass = 2, push = 6;
    for (size_t k = 0; k < 3; k++) {
        machine m = machine_format(PLANE "bodies: { block: { mass: %g, inertia: 1, position: [0, 0] } }\n"
            "joints: { slide: { type: translational, between: [ground, block], axis: x } }\n"
            "forces:\n  coil: { type: torsion-spring, joint: slide, stiffness: %g, damping: %g }\n"
            "  shaker: { type: force, on: block, value: ['%g N * cos(%g * t)', 0] }\n",
            mass, mass * w * w, 2 * z * w * mass, push, drive[k]);
        double W = drive[k];
        double complex response = push / mass / (w * w - W * W + 2 * I * z * w * W);
        machine_start(&m, accurate(50));
        run_to(&m, 45);                        /* exp(-z w t) = 2e-12 */
        double complex phasor = (value(&m, "slide.position") - I * value(&m, "slide.rate") / W) * cexp(-I * W * 45);
        assert_near(cabs(phasor), cabs(response), 1e-9);
        assert_near(carg(phasor), carg(response), 1e-9);
        check_energy(&m, 1e-9);
        machine_close(&m);
    }
}

static void test_pendulum_on_spring(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
        "bodies: { bob: { type: particle, mass: 1.3, position: [0.9, 0.2, -0.4], velocity: [0, 0.8, 0] } }\n"
        "forces: { coil: { type: spring, between: [ground, bob], stiffness: 40, length: 0.8, preload: 2 } }\n");
    machine_start(&m, accurate(20));
    double before = value(&m, "energy.total"), spin = value(&m, "momentum.angular.z");
    machine_must(&m, tn_session_run(m.session));
    assert_near(value(&m, "energy.total") / before, 1, 1e-10);
    assert_near(value(&m, "momentum.angular.z"), spin, 1e-10);
    machine_close(&m);
}

/* Counted over full turns. */
static void test_torsion_spring(void **state)
{
    (void)state;
    machine m = machine_text(PLANE WHEEL "initial: { axle: { angle: 10 rad } }\n"
        "forces: { coil: { type: torsion-spring, joint: axle, stiffness: 2 N m/rad, rest: 1 rad, preload: 0.4 } }\n");
    machine_start(&m, accurate(10));
    for (int n = 1; n <= 10; n++) {            /* w = 2, about rest - preload / stiffness */
        run_to(&m, n);
        assert_near(value(&m, "axle.angle"), 0.8 + 9.2 * cos(2.0 * n), 1e-9);
    }
    check_energy(&m, 1e-11);
    machine_close(&m);
}

/* A straight table is a spring; a bent one keeps its energy. */
static void test_table_springs(void **state)
{
    (void)state;
    static const char text[] = PLANE
        "bodies: { bob: { type: particle, mass: 1, position: [3, 0.5], velocity: [0, 1] },\n"
        "          wheel: { mass: 1, inertia: 0.5, position: [0, 0], angular_velocity: 5 } }\n"
        "joints: { axle: { type: revolute, between: [ground, wheel], at: [0, 0] } }\n"
        "tables: { line: { x: [-1 m, 1 m], y: [-30 N, 30 N], outside: extend },\n"
        "          bent: { x: [-1, 0, 1, 2], y: [-9, 0.5, 2, 16], outside: extend } }\n"
        "forces: { coil: { %s, damping: 0.2 },\n"
        "          brake: { type: table-torsion-spring, joint: axle, law: bent, rest: 0.2 rad } }\n";
    double x[2], y[2];
    for (int k = 0; k < 2; k++) {
        machine m = machine_format(text, k ? "type: table-spring, between: [ground, bob], law: line, length: 2"
                                           : "type: spring, between: [ground, bob], stiffness: 30, length: 2");
        machine_run(&m, accurate(3));
        x[k] = value(&m, "bob.position.x");
        y[k] = value(&m, "bob.position.y");
        check_energy(&m, 1e-9);
        machine_close(&m);
    }
    assert_near(x[0], x[1], 1e-10);
    assert_near(y[0], y[1], 1e-10);
}

/* ---- friction and drag ---- */

/* v' = -mu g tanh(v/s):  sinh(v/s) = sinh(v0/s) exp(-mu g t/s), and v0^2/(2 mu g) + (pi s)^2/(12 mu g) to the stop. */
static void test_block_on_rough_table(void **state)
{
    (void)state;
    machine m = machine_text(FALL BLOCK
        "forces: { rub: { type: friction, joint: slide, coefficient: 0.3, speed: 0.1 m/s } }\n");
    const double mu = 0.3, g = 10, s = 0.1, v0 = 3;
    machine_start(&m, accurate(4));
    for (int n = 1; n <= 12; n++) {
        run_to(&m, 0.1 * n);
        assert_near(value(&m, "slide.rate"), s * asinh(sinh(v0 / s) * exp(-mu * g * 0.1 * n / s)), 1e-9);
        assert_near(value(&m, "rub.normal"), 20, 1e-10);
    }
    run_to(&m, 4);
    assert_near(value(&m, "slide.position"), v0 * v0 / (2 * mu * g) + PI * PI * s * s / (12 * mu * g), 1e-9);
    assert_near(value(&m, "energy.work"), -9, 1e-8);
    check_energy(&m, 1e-9);
    machine_close(&m);

    m = machine_text(FALL BLOCK "forces: { rub: { type: friction, joint: slide, coefficient: 0.3 } }\n");
    machine_run(&m, accurate(2));
    assert_near(value(&m, "slide.position"), v0 * v0 / (2 * mu * g), 1e-6);    /* 3e-7 by the speed of 1 mm/s */
    machine_close(&m);
}

/* With a given normal force N the deceleration is mu N / m, whatever the block weighs: x = v0^2 m / (2 mu N) to the stop. */
static void test_friction_by_a_given_normal_force(void **state)
{
    (void)state;
    machine m = machine_text(FALL BLOCK
        "forces: { rub: { type: friction, joint: slide, coefficient: 0.3, reaction_share: 0, preload: 50, speed: 0.1 m/s } }\n");
    const double a = 0.3 * 50 / 2, s = 0.1, v0 = 3;
    machine_start(&m, accurate(2));
    run_to(&m, 0.2);
    assert_near(value(&m, "slide.rate"), s * asinh(sinh(v0 / s) * exp(-a * 0.2 / s)), 1e-9);
    assert_near(value(&m, "rub.normal"), 50, 1e-12);
    run_to(&m, 2);
    assert_near(value(&m, "slide.position"), v0 * v0 / (2 * a) + PI * PI * s * s / (12 * a), 1e-9);
    machine_close(&m);
}

static machine incline(double coefficient)
{
    return machine_format("tenon: 1\ndimension: 3\ngravity: [0, 0, -10]\n"
        "bodies: { block: { mass: 2, inertia: [1, 1, 1], position: [0, 0, 0] } }\n"
        "joints: { slope: { type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [%.17g, 0, %.17g] } }\n"
        "forces: { rub: { type: friction, joint: slope, coefficient: %g, speed: 1 mm/s } }\n",
        cos(PI / 6), -sin(PI / 6), coefficient);
}

/* Steep: g (sin - mu cos) after the first millimetres per second. Rough: creeps at s artanh(tan / mu). */
static void test_block_on_incline(void **state)
{
    (void)state;
    const double mu = 0.2, a = 10 * (sin(PI / 6) - mu * cos(PI / 6));
    machine m = incline(mu);
    machine_start(&m, accurate(2));
    run_to(&m, 1);
    double v1 = value(&m, "slope.rate");
    run_to(&m, 2);
    assert_near(value(&m, "slope.rate") - v1, a, 1e-9);
    assert_near(v1, a, 2e-3);
    machine_close(&m);
    m = incline(0.8);
    machine_run(&m, accurate(0.2));
    assert_near(value(&m, "slope.rate"), 1e-3 * atanh(tan(PI / 6) / 0.8), 1e-9);
    assert_near(value(&m, "rub.normal"), 20 * cos(PI / 6), 1e-8);
    machine_close(&m);
}

/* A bearing of radius r: the torque is mu N r; preload and viscous part on top. */
static void test_bearing_friction(void **state)
{
    (void)state;
    machine m = machine_text(FALL WHEEL "initial: { axle: { rate: 20 rad/s } }\n"
        "forces: { rub: { type: friction, joint: axle, coefficient: 0.1, radius: 20 mm, preload: 40 N,\n"
        "                 static_coefficient: 0.15, stribeck_speed: 0.2 rad/s, viscous: 0.03 N m s/rad } }\n");
    machine_start(&m, accurate(2));
    assert_near(value(&m, "rub.effort"), -(0.1 * 50 * 0.02 + 0.03 * 20), 1e-12);
    run_to(&m, 1);                             /* J w' = -(0.1 + 0.03 w) */
    assert_near(value(&m, "axle.rate"), -0.1 / 0.03 + (20 + 0.1 / 0.03) * exp(-0.06), 1e-9);
    check_energy(&m, 1e-10);
    machine_close(&m);
    m = machine_text(FALL WHEEL "initial: { axle: { rate: 0.02 rad/s } }\n"
        "forces: { rub: { type: friction, joint: axle, coefficient: 0.1, radius: 20 mm, static_coefficient: 0.15,\n"
        "                 stribeck_speed: 0.02 rad/s, speed: 0.01 rad/s } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "rub.effort"), -(0.1 + 0.05 * exp(-1)) * 10 * 0.02 * tanh(2), 1e-12);
    machine_close(&m);
}

/* A ball falls to its final speed: v = u tanh(g t / u), u^2 = m g / c. */
static void test_quadratic_drag(void **state)
{
    (void)state;
    const double u = sqrt(2 * 10 / 0.4);
    machine m = machine_text(FALL "bodies: { ball: { type: particle, mass: 2, position: [0, 0] } }\n"
                                  "forces: { air: { type: drag, on: ball, quadratic: 0.4 } }\n");
    machine_start(&m, accurate(3));
    for (int n = 1; n <= 6; n++) {
        run_to(&m, 0.5 * n);
        assert_near(value(&m, "ball.velocity.y"), -u * tanh(10 * 0.5 * n / u), 1e-10);
        assert_near(value(&m, "ball.position.y"), -u * u / 10 * log(cosh(10 * 0.5 * n / u)), 1e-10);
    }
    check_energy(&m, 1e-10);
    machine_close(&m);
}

/* Linear, in wind, spinning: both velocities decay to those of the medium. */
static void test_linear_drag(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
        "bodies: { ball: { mass: 2, inertia: [0.5, 0.5, 0.5], position: [0, 0, 0], velocity: [1, 0, 4],\n"
        "                  angular_velocity: [0, 6, 0] } }\n"
        "forces: { air: { type: drag, on: ball, linear: 3, wind: [5, '2 * t', 0], angular: 0.25 } }\n");
    machine_run(&m, accurate(1));
    const double r = 1.5;
    assert_near(value(&m, "ball.velocity.x"), 5 - 4 * exp(-r), 1e-10);
    assert_near(value(&m, "ball.velocity.y"), 2 * (1 - (1 - exp(-r)) / r), 1e-10);
    assert_near(value(&m, "ball.velocity.z"), 4 * exp(-r), 1e-10);
    assert_near(value(&m, "ball.angular_velocity.y"), 6 * exp(-0.5), 1e-10);
    check_energy(&m, 1e-10);
    machine_close(&m);
}

/* ---- given efforts ---- */

/* A thruster on a spinning disc: v = F / (m w) (sin w t, 1 - cos w t). */
static void test_follower_force(void **state)
{
    (void)state;
    machine m = machine_text(PLANE "bodies: { disc: { mass: 2, inertia: 1, position: [0, 0], angular_velocity: 3 } }\n"
                                   "forces: { jet: { type: follower-force, on: disc, value: [6, 0] } }\n");
    machine_run(&m, accurate(2));
    assert_near(value(&m, "disc.velocity.x"), sin(6), 1e-10);
    assert_near(value(&m, "disc.velocity.y"), 1 - cos(6), 1e-10);
    check_energy(&m, 1e-10);
    machine_close(&m);
}

/* A torque about the body's own skew axis of symmetry spins it about that axis, however it lies. */
static void test_follower_torque(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
        "bodies: { top: { mass: 1, inertia: [0.3, 0.3, 0.2], position: [0, 0, 0],\n"
        "                 rotation: { axis: [1, 0, 0], angle: 40 deg } } }\n"
        "forces: { spin: { type: follower-torque, on: top, value: [0, 0, '0.6 * t'] } }\n");
    machine_run(&m, accurate(2));
    assert_near(value(&m, "top.angular_velocity.y"), -6 * sin(PI * 40 / 180), 1e-10);
    assert_near(value(&m, "top.angular_velocity.z"), 6 * cos(PI * 40 / 180), 1e-10);
    machine_close(&m);
}

/* In the plane a torque is one number; by a table over an angle it may follow the wheel. */
static void test_planar_torque(void **state)
{
    (void)state;
    machine m = machine_text(PLANE WHEEL "initial: { axle: { angle: 90 deg } }\n"
        "tables: { pull: { x: [-360 deg, 360 deg], y: [4 N m, -4 N m], kind: linear } }\n"
        "forces: { a: { type: torque, on: wheel, value: pull(axle.angle) },\n"
        "          b: { type: follower-torque, on: wheel, value: 1 N m },\n"
        "          c: { type: torque, on: wheel, value.z: -1 } }\n");
    machine_run(&m, accurate(3));
    assert_near(value(&m, "axle.angle"), PI / 2 * cos(sqrt(2 / PI / 0.5) * 3), 1e-9);
    check_energy(&m, 1e-10);
    machine_close(&m);
}

/* Two free masses pushed apart; the push is a table of time. */
static void test_actuator(void **state)
{
    (void)state;
    machine m = machine_text(PLANE
        "bodies: { a: { type: particle, mass: 1, position: [0, 0] }, \n"
        "          b: { type: particle, mass: 3, position: [3, 4] } }\n"
        "tables: { ramp: { x: [0 s, 2 s], y: [0 N, 8 N], kind: linear } }\n"
        "forces: { piston: { type: actuator, between: [a, b], value: ramp(t) } }\n");
    machine_run(&m, accurate(2));
    assert_near(value(&m, "piston.length"), 5 + (1 + 1.0 / 3) * 4 * 8 / 6, 1e-10);     /* 4 t^3 / 6 */
    assert_near(value(&m, "piston.force"), 8, 1e-12);
    assert_near(value(&m, "momentum.linear.x"), 0, 1e-12);
    check_energy(&m, 1e-10);
    machine_close(&m);
}

/* Driving: J w' = limit (1 - w / w0). Braking: the whole limit. */
static void test_motor(void **state)
{
    (void)state;
    machine m = machine_text(PLANE WHEEL "initial: { axle: { rate: -3 rad/s } }\n"
        "forces: { motor: { type: motor, joint: axle, value: 5 N m, limit: 2 N m, no_load_speed: 4 rad/s } }\n");
    machine_start(&m, accurate(3));
    run_to(&m, 0.5);
    assert_near(value(&m, "axle.rate"), -1, 1e-9);
    run_to(&m, 2.75);                          /* from rest at 0.75 s */
    assert_near(value(&m, "axle.rate"), 4 * (1 - exp(-2)), 1e-8);
    assert_near(value(&m, "motor.effort"), 2 * exp(-2), 1e-8);
    check_energy(&m, 1e-8);
    machine_close(&m);
    m = machine_text(PLANE WHEEL
        "forces: { motor: { type: motor, joint: axle, value: 3 N m * sin(2 * t), limit: 1 N m } }\n");
    machine_start(&m, accurate(2));
    double t1 = asin(1.0 / 3) / 2;             /* where the limit is met */
    run_to(&m, 1);
    assert_near(value(&m, "axle.rate"), (1.5 * (1 - cos(2 * t1)) + 1 - t1) / 0.5, 1e-8);
    machine_close(&m);
}

/* ---- the mount ---- */

/* Shifts exactly by the matrix; small turns by the matrix to third order; large ones by 2 sin(phi/2). */
static void test_bushing(void **state)
{
    (void)state;
    static const char mount[] = "tenon: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
        "bodies: { box: { mass: 1, inertia: [1, 1, 1], position: [%g, %g, %g],\n"
        "          rotation: { axis: [1, 2, 2], angle: %g } } }\n"
        "forces: { mount: { type: bushing, between: [ground, box], damping: [1, 2, 3, 4, 5, 6], stiffness:\n"
        "  [[9, 1, 2, 3, 1, 0], [1, 8, 0, 1, 2, 1], [2, 0, 7, 0, 1, 2], [3, 1, 0, 6, 1, 1], [1, 2, 1, 1, 5, 0],\n"
        "   [0, 1, 2, 1, 0, 4]] } }\n";
    static const double K[6][6] = { { 9, 1, 2, 3, 1, 0 }, { 1, 8, 0, 1, 2, 1 }, { 2, 0, 7, 0, 1, 2 },
                                    { 3, 1, 0, 6, 1, 1 }, { 1, 2, 1, 1, 5, 0 }, { 0, 1, 2, 1, 0, 4 } };
    static const char *const efforts[] = { "mount.force.x", "mount.force.y", "mount.force.z", "mount.torque.x",
                                           "mount.torque.y", "mount.torque.z" };
    static const double angles[] = { 0, 1e-4, 2.5 };
    for (size_t n = 0; n < 3; n++) {
        double turn = n < 2 ? angles[n] : 2 * sin(angles[n] / 2);
        double u[6] = { 0.3, -0.2, 0.1, turn / 3, 2 * turn / 3, 2 * turn / 3 };
        machine m = machine_format(mount, u[0], u[1], u[2], angles[n]);
        machine_start(&m, accurate(1));
        for (int i = 0; i < 6; i++) {
            double expected = 0;
            for (int k = 0; k < 6; k++)
                expected -= K[i][k] * u[k];
            assert_near(value(&m, efforts[i]), expected, n == 1 ? 1e-12 : 1e-14);
        }
        machine_must(&m, tn_session_run(m.session));
        check_energy(&m, 1e-9);
        machine_close(&m);
    }
}

/* In the plane: x, y and the turn. Small vibration in the turn. */
static void test_planar_bushing(void **state)
{
    (void)state;
    machine m = machine_text(PLANE "bodies: { box: { mass: 2, inertia: 0.5, position: [0, 0], angle: 1e-4 } }\n"
        "forces: { mount: { type: bushing, between: [ground, box], stiffness: [50, 80, 8 N m/rad] } }\n");
    machine_run(&m, accurate(1));
    assert_near(value(&m, "mount.turn.z"), 1e-4 * cos(4), 1e-11);
    assert_near(value(&m, "mount.torque.z"), -8e-4 * cos(4), 1e-10);
    machine_close(&m);
    m = machine_text(PLANE "bodies: { box: { mass: 2, inertia: 0.5, position: [0.1, 0] } }\n"
        "forces: { mount: { type: bushing, between: [ground, box],\n"
        "          stiffness: [[50, 2, 3], [2, 80, 0], [3, 0, 8]] } }\n");
    machine_start(&m, accurate(1));
    assert_near(value(&m, "mount.force.y"), -0.2, 1e-15);
    assert_near(value(&m, "mount.torque.z"), -0.3, 1e-15);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damped_oscillator),
        cmocka_unit_test(test_driven_resonance),
        cmocka_unit_test(test_pendulum_on_spring),
        cmocka_unit_test(test_torsion_spring),
        cmocka_unit_test(test_table_springs),
        cmocka_unit_test(test_block_on_rough_table),
        cmocka_unit_test(test_friction_by_a_given_normal_force),
        cmocka_unit_test(test_block_on_incline),
        cmocka_unit_test(test_bearing_friction),
        cmocka_unit_test(test_quadratic_drag),
        cmocka_unit_test(test_linear_drag),
        cmocka_unit_test(test_follower_force),
        cmocka_unit_test(test_follower_torque),
        cmocka_unit_test(test_planar_torque),
        cmocka_unit_test(test_actuator),
        cmocka_unit_test(test_motor),
        cmocka_unit_test(test_bushing),
        cmocka_unit_test(test_planar_bushing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
