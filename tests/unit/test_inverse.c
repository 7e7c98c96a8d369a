/* Inverse dynamics: efforts of drives against equations of motion written down by hand, against forward runs, and
 * against the energy they put in. */
#include "driven.h"
#include <complex.h>

#define PI (4 * atan(1))

static void start_inverse(machine *m, tn_solve solve)
{
    machine_must(m, tn_session_open_inverse(&m->session, m->model, &solve));
}

/* ---- one body ---- */

/* A pendulum turned at a constant rate: M = m g l cos(w t), its square mean over a turn half of the largest square. */
static void test_turned_pendulum(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "gravity: [0, -10]\n"
                             "bodies: { bar: { mass: 2, inertia: 0.1, com: [0.5, 0], position: [0, 0], angle: 0 } }\n"
                             "joints: { pivot: { type: revolute, between: [ground, bar] } }\n"
                             "drives: { motor: { joint: pivot, angle: 3 rad/s * t } }\n");
    start_inverse(&m, every(0.05, 2 * PI / 3));
    assert_near(value(&m, "motor.torque"), 10, 1e-12);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    assert_near(value(&m, "motor.torque"), 10 * cos(1.2), 1e-11);
    assert_near(value(&m, "motor.power"), 30 * cos(1.2), 1e-11);
    assert_near(value(&m, "pivot.reaction.force.x"), -2 * 9 * 0.5 * cos(1.2), 1e-11);
    assert_near(value(&m, "pivot.reaction.force.y"), 20 - 2 * 9 * 0.5 * sin(1.2), 1e-11);
    machine_must(&m, tn_session_run(m.session));
    tn_drive_load load = tn_session_drive_load(m.session, 0);
    assert_int_equal(tn_session_drive_load_count(m.session), 1);
    assert_string_equal(load.unit, "N m");
    assert_near(load.peak, 10, 1e-10);
    assert_near(load.rms, 10 / sqrt(2), 1e-9);
    assert_near(load.power, 30, 1e-10);
    assert_near(load.work, 0, 1e-10);
    assert_near(tn_session_summary(m.session).energy_error, 0, 1e-10);
    assert_near(tn_session_joint_load(m.session, 0).force, 29, 1e-2);
    machine_close(&m);
}

/* ---- slider-crank ---- */

static const char heavy_slider_crank[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: { mass: 1.1, inertia: 0.02, com: [0.1, 0], position: [0, 0], angle: 1,"
    " frames: { tip: { at: [0.3, 0] } } }\n"
    "  rod: { mass: 0.8, inertia: 0.03, com: [0.2, 0], position: [0.162, 0.252], angle: -0.53,"
    " frames: { end: { at: [0.5, 0] } } }\n"
    "  piston: { mass: 0.6, inertia: 0.01, position: [0.594, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank] }\n"
    "  elbow: { type: revolute, between: [crank.tip, rod] }\n"
    "  wrist: { type: revolute, between: [rod.end, piston] }\n"
    "  slide: { type: translational, between: [ground, piston] }\n"
    "%s";

/* Kinetic energy at unit rate of the crank, times 2, and potential energy, at a complex angle. The slope of the rod is
 * s = -r sin(theta) / L; its rate follows from L cos(tilt) tilt' = -r cos(theta). */
static double complex inertia_at(double complex angle)
{
    const double r = 0.3, L = 0.5;
    double complex s = -r * csin(angle) / L, c = csqrt(1 - s * s), tilt = -r * ccos(angle) / (L * c);
    double complex vx = -r * csin(angle) - 0.2 * s * tilt, vy = r * ccos(angle) + 0.2 * c * tilt;
    double complex piston = -r * csin(angle) - L * s * tilt;
    return 0.02 + 1.1 * 0.01 + 0.8 * (vx * vx + vy * vy) + 0.03 * tilt * tilt + 0.6 * piston * piston;
}

static double complex potential_at(double complex angle)
{
    return 9.81 * (1.1 * 0.1 * csin(angle) + 0.8 * (0.3 * csin(angle) - 0.2 * 0.3 * csin(angle) / 0.5));
}

/* Derivatives by complex steps: no differences, no round-off. */
static double slope(double complex (*f)(double complex), double angle)
{
    const double h = 1e-30;
    return cimag(f(angle + h * I)) / h;
}

/* J(q) q'' + J'(q) q'^2 / 2 + V'(q) = M: one freedom, whatever the mechanism. */
static void test_slider_crank(void **state)
{
    (void)state;
    machine m = driven_text(heavy_slider_crank,
                            "drives: { motor: { joint: pivot, angle: '1 + 6 rad/s * t + 0.2 * sin(5 rad/s * t)' } }\n");
    start_inverse(&m, every(0.01, 2));
    for (int i = 0; i < 10; i++) {
        double t = tn_session_time(m.session);
        jet q = { 1 + 6 * t + 0.2 * sin(5 * t), 6 + cos(5 * t), -5 * sin(5 * t) };
        double inertia = creal(inertia_at(q.x)), square = q.v * q.v / 2;
        double torque = inertia * q.a + slope(inertia_at, q.x) * square + slope(potential_at, q.x);
        assert_near(value(&m, "motor.torque"), torque, 1e-10);
        assert_near(value(&m, "energy.total"), inertia * square + creal(potential_at(q.x)), 1e-10);
        machine_must(&m, tn_session_advance(m.session, 0.19));
    }
    tn_summary summary = tn_session_summary(m.session);
    assert_near(tn_session_drive_load(m.session, 0).work, summary.energy_end - summary.energy_start, 1e-10);
    assert_near(summary.energy_error, 0, 1e-10);
    machine_close(&m);
}

/* ---- forward and back ---- */

/* Two bars of 1 m and 1 kg, centres in their middles, inertia 1/12, hanging on each other; q2 is relative. */
static const char arm[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: { mass: 1, inertia: 1/12, com: [0.5, 0], position: [0, 0], frames: { tip: { at: [1, 0] } } }\n"
    "  lower: { mass: 1, inertia: 1/12, com: [0.5, 0], position: [1, 0] }\n"
    "joints:\n"
    "  shoulder: { type: revolute, between: [ground, upper] }\n"
    "  elbow: { type: revolute, between: [upper.tip, lower] }\n"
    "%s";

/* The textbook's equations of a two-link arm. */
static void arm_torques(jet q1, jet q2, double torque[2])
{
    const double g = 9.81;
    double c = 0.5 * cos(q2.x), s = 0.5 * sin(q2.x), w = q1.v + q2.v;
    double m22 = 1.0 / 3, m12 = m22 + c, m11 = 4.0 / 3 + m22 + 2 * c;
    double v2 = 0.5 * g * cos(q1.x + q2.x), v1 = 1.5 * g * cos(q1.x) + v2;
    torque[0] = m11 * q1.a + m12 * q2.a - s * (w * w - q1.v * q1.v) + v1;
    torque[1] = m12 * q1.a + m22 * q2.a + s * q1.v * q1.v + v2;
}

static void test_arm(void **state)
{
    (void)state;
    machine m = driven_text(arm, "drives:\n"
                                 "  one: { joint: shoulder, angle: '0.5 + 0.8 * sin(2 rad/s * t)' }\n"
                                 "  two: { joint: elbow, angle: '1.2 * cos(3 rad/s * t)' }\n");
    start_inverse(&m, every(0.01, 2));
    for (int i = 0; i < 8; i++) {
        double t = tn_session_time(m.session), torque[2];
        arm_torques((jet){ 0.5 + 0.8 * sin(2 * t), 1.6 * cos(2 * t), -3.2 * sin(2 * t) },
                    (jet){ 1.2 * cos(3 * t), -3.6 * sin(3 * t), -10.8 * cos(3 * t) }, torque);
        assert_near(value(&m, "one.torque"), torque[0], 1e-11);
        assert_near(value(&m, "two.torque"), torque[1], 1e-11);
        machine_must(&m, tn_session_advance(m.session, 0.21));
    }
    machine_close(&m);
}

/* Torques of the equations above as expressions of time drive a forward run through the same motion; with them acting,
 * drives of that motion have nothing left to do. */
static void test_there_and_back(void **state)
{
    (void)state;
    static const char forces[] =
        "parameters: { g: 9.81, w: 1 rad/s }\n"
        "initial: { shoulder: { angle: 0.5, rate: 1.6 }, elbow: { angle: 1.2, rate: 0 } }\n"
        "forces:\n"
        "  one: { type: torque, on: upper, value.z: '1 N m * ("
        "(5/3 + cos(1.2 * cos(3 * w * t))) * (-3.2 * sin(2 * w * t))"
        " + (1/3 + 0.5 * cos(1.2 * cos(3 * w * t))) * (-10.8 * cos(3 * w * t))"
        " - 0.5 * sin(1.2 * cos(3 * w * t)) * ((1.6 * cos(2 * w * t) - 3.6 * sin(3 * w * t))^2 - (1.6 * cos(2 * w * t))^2)"
        " + 1.5 * g * cos(0.5 + 0.8 * sin(2 * w * t))"
        " + 0.5 * g * cos(0.5 + 0.8 * sin(2 * w * t) + 1.2 * cos(3 * w * t)))' }\n"
        "  two: { type: torque, between: [upper, lower], value.z: '1 N m * ("
        "(1/3 + 0.5 * cos(1.2 * cos(3 * w * t))) * (-3.2 * sin(2 * w * t)) - 3.6 * cos(3 * w * t)"
        " + 0.5 * sin(1.2 * cos(3 * w * t)) * (1.6 * cos(2 * w * t))^2"
        " + 0.5 * g * cos(0.5 + 0.8 * sin(2 * w * t) + 1.2 * cos(3 * w * t)))' }\n";
    char both[sizeof forces + 200];
    machine m = driven_text(arm, forces);
    machine_run(&m, accurate(1));
    assert_near(value(&m, "shoulder.angle"), 0.5 + 0.8 * sin(2), 1e-9);
    assert_near(value(&m, "elbow.angle"), 1.2 * cos(3), 1e-9);
    assert_near(value(&m, "elbow.rate"), -3.6 * sin(3), 1e-9);
    machine_close(&m);
    strcat(strcpy(both, forces), "drives:\n"
                                 "  three: { joint: shoulder, angle: '0.5 + 0.8 * sin(2 rad/s * t)' }\n"
                                 "  four: { joint: elbow, angle: '1.2 * cos(3 rad/s * t)' }\n");
    m = driven_text(arm, both);
    start_inverse(&m, every(0.01, 1));
    machine_must(&m, tn_session_run(m.session));
    for (size_t k = 0; k < 2; k++)
        assert_near(tn_session_drive_load(m.session, k).peak, 0, 1e-11);
    machine_close(&m);
}

/* A torque that follows the motion takes its part. */
static void test_torque_by_channel(void **state)
{
    (void)state;
    machine m = driven_text(arm, "parameters: { w: 2 rad/s }\n"
                                 "forces:\n"
                                 "  hold: { type: torque, on: upper, value.z: '2 N m * 9.81 * cos(shoulder.angle)' }\n"
                                 "drives:\n"
                                 "  one: { joint: shoulder, angle: w * t }\n"
                                 "  two: { joint: elbow, angle: 0 }\n");
    start_inverse(&m, every(0.01, 1));
    machine_must(&m, tn_session_run(m.session));
    assert_near(tn_session_drive_load(m.session, 0).peak, 0, 1e-10);
    assert_near(value(&m, "two.torque"), 0.5 * 9.81 * cos(2), 1e-10);
    assert_near(tn_session_summary(m.session).energy_error, 0, 1e-10);
    machine_close(&m);
}

/* ---- redundancy ---- */

/* A door on two hinges: how they share the load is open, what the drive needs is not. */
static void test_redundant_hinges(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "gravity: [0, 0, -9.81]\n"
                             "bodies:\n"
                             "  leaf: { mass: 25, inertia: [8, 10, 2], com: [0.4, 0, 1], position: [0, 0, 0] }\n"
                             "joints:\n"
                             "  lower: { type: revolute, between: [ground, leaf], at: [0, 0, 0.2], axis: z }\n"
                             "  upper: { type: revolute, between: [ground, leaf], at: [0, 0, 1.8], axis: z }\n"
                             "drives: { closer: { joint: upper, angle: 0.5 rad/s^2 * t^2 } }\n");
    tn_report *report = NULL;
    start_inverse(&m, every(0.1, 1));
    machine_must(&m, tn_session_run(m.session));
    assert_true(tn_session_is_driven(m.session));
    assert_near(value(&m, "closer.torque"), 2 + 25 * 0.16, 1e-10);
    assert_near(value(&m, "lower.reaction.force.z") + value(&m, "upper.reaction.force.z"), 25 * 9.81, 1e-9);
    machine_must(&m, tn_session_report(&report, m.session));
    assert_int_equal(report->freedoms, 0);
    assert_int_equal(report->group_count, 1);
    tn_report_destroy(m.context, report);
    machine_close(&m);
}

/* ---- what is integrated after all ---- */

static void goes_forward(const char *rest, const char *words)
{
    machine m = driven_text(arm, rest);
    tn_solve solve = accurate(0.5);
    start_inverse(&m, solve);
    assert_false(tn_session_is_driven(m.session));
    assert_true(said(&m, words));
    assert_true(said(&m, "forward dynamics"));
    assert_near(tn_session_solve(m.session).tolerance, 1e-13, 0);
    machine_must(&m, tn_session_run(m.session));
    tn_drive_load load = tn_session_drive_load(m.session, 0);
    tn_summary summary = tn_session_summary(m.session);
    assert_near(load.work, summary.energy_work, 1e-9);
    assert_true(load.rms > 0 && load.rms <= fabs(load.peak));
    machine_close(&m);
}

static void test_forward(void **state)
{
    (void)state;
    goes_forward("drives: { one: { joint: shoulder, angle: 'sin(2 rad/s * t)' } }\n",
                 "this joint can still move: 'elbow'");
    goes_forward("drives:\n"
                 "  one: { joint: shoulder, angle: 'sin(2 rad/s * t)' }\n"
                 "  two: { joint: elbow, angle: 0 }\n"
                 "states: { tank: { rate: 1 } }\n", "'tank' has a state of its own");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turned_pendulum),
        cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_torque_by_channel),
        cmocka_unit_test(test_redundant_hinges),
        cmocka_unit_test(test_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
