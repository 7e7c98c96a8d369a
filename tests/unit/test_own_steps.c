/* Components that take steps of their own within macro steps (integrator modular): the motor written by hand against
 * the closed form, parts and components in one model, what is refused, histories to the bit.
 *
 * Motor with its housing held and a flywheel on its shaft: with the speed w, inertia Je of rotor, shaft and flywheel,
 *     L i' = V - R i - n K w,    Je w' = n K i
 * from rest, a sum of two exponentials with the roots of s^2 + R/L s + n^2 K^2 / (L Je) = 0. */
#include "live_runs.h"
#include "session_impl.h"
#include "tenon/history.h"
#include <math.h>

static const double V = 12, R = 1.2, L = 0.6e-3, K = 0.04, N = 8, ROTOR = 5e-6, SHAFT = 1e-5, FLYWHEEL = 4e-3;

static const char MOTOR[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { flywheel: { mass: 0.3 kg, inertia: 4e-3 kg m^2, position: [0, 0] } }\n"
    "subsystems: { motor: { use: " TENON_MOTOR ", parameters: { voltage: 12, gear_ratio: 8 } } }\n"
    "joints:\n"
    "  foot: { type: fixed, between: [ground, motor.housing] }\n"
    "  hub: { type: fixed, between: [motor.shaft, flywheel] }\n";

static machine motor(void)
{
    return machine_text(MOTOR);
}

static double speed(double t)
{
    double je = N * N * ROTOR + SHAFT + FLYWHEEL, k = N * K, half = R / L / 2;
    double root = sqrt(half * half - k * k / (L * je)), s1 = -half + root, s2 = -half - root;
    return V / k * (1 - (s2 * exp(s1 * t) - s1 * exp(s2 * t)) / (s2 - s1));
}

static tn_solve modular(double step, double until, int corrections, int interpolation)
{
    tn_solve solve = fixed_steps("modular", step, until);
    tn_solve_set(&solve, "corrections", corrections);
    tn_solve_set(&solve, "interpolation", interpolation);
    return solve;
}

/* Largest error of the speed over its end value, at the ends of macro steps after from. */
static double motor_error(double h, int corrections, int interpolation, double from)
{
    machine m = motor();
    double most = 0;
    machine_start(&m, modular(h, 0.2, corrections, interpolation));
    for (int k = 1; k * h < 0.2 + h / 2; k++) {
        run_to(&m, k * h);
        if (k * h > from)
            most = fmax(most, fabs(value(&m, "flywheel.angular_velocity") - speed(k * h)));
    }
    machine_close(&m);
    return most / (V / (N * K));
}

static void test_motor(void **state)
{
    (void)state;
    for (int interpolation = 0; interpolation <= 1; interpolation++)
        for (int corrections = 2; corrections <= 4; corrections++)
            for (double h = 5e-3; h > 0.3e-3; h /= 2)
                printf("interpolation %d corrections %d h %g: %g %g\n", interpolation, corrections, h,
                       motor_error(h, corrections, interpolation, 0), motor_error(h, corrections, interpolation, 0.05));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
