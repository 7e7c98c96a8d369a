/* Integrator "dopri5": Dormand and Prince 5(4) with dense output of order 4 (Dormand & Prince 1980; Hairer, Norsett,
 * Wanner, II.5, II.6). The last stage is the rate at the finished step, after projection, which is also the first of
 * the next step. */
#include "runge_kutta.h"

static const double a[] = {
    0, 0, 0, 0, 0, 0,
    1.0 / 5, 0, 0, 0, 0, 0,
    3.0 / 40, 9.0 / 40, 0, 0, 0, 0,
    44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0,
    9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0,
};
static const double b[] = { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 };
static const double c[] = { 0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1 };
/* b minus the weights of order 4, seven stages */
static const double e[] = { 71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40 };
/* dense output */
static const double d[] = { -12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
                            701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423 };

static const double *rate(const tn_step *s, int stage)
{
    return stage == 6 ? s->dy1 : tn_runge_kutta_rate(s, stage);
}

static int step_dopri5(tn_stepper *stepper, tn_step *s)
{
    return tn_runge_kutta(stepper, s, &(tn_butcher){ 6, a, b, c });
}

static void error_dopri5(const tn_step *s, double *err)
{
    int n = tn_step_length(s);
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < 7; i++)
            sum += e[i] * rate(s, i)[j];
        err[j] = s->h * sum;
    }
}

static void interpolate(const tn_step *s, double theta, double *y)
{
    int n = tn_step_length(s);
    double rest = 1 - theta;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < 7; i++)
            sum += d[i] * rate(s, i)[j];
        double r2 = s->y1[j] - s->y0[j], r3 = s->h * s->dy0[j] - r2, r4 = r2 - s->h * s->dy1[j] - r3;
        y[j] = s->y0[j] + theta * (r2 + rest * (r3 + theta * (r4 + rest * s->h * sum)));
    }
}

const tn_integrator_type tn_integrator_dopri5 = {
    .name = "dopri5",
    .doc = "Dormand-Prince 5(4): adaptive step by local error, dense output. The default.",
    .order = 5,
    .vectors = 5,
    .step = step_dopri5,
    .error = error_dopri5,
    .error_order = 5,
    .interpolate = interpolate,
};
