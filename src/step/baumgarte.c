/* Scheme "baumgarte": a constraint that is off returns to zero like a damped oscillator (Baumgarte 1972).
 *     G a = bias - 2 alpha g' - beta^2 g        position level
 *     G a = bias - beta g'                      velocity level: first order, with the same time scale
 * Gains are given, or tied to the step h: alpha = alpha_step / h, beta = beta_step / h. The defaults are an oscillation
 * of ten steps a period with damping 0.1 (Joli, Seguy and Feng 2008, Eq. 12). Welch et al. 2007 use 1 and 1, in space
 * 0.5 and 1. Gains in 1/h^2 meet gaps of order h^2 at the stages of explicit integrators: positions are then of order 2
 * at most, velocities of order 1, whatever the integrator; given gains leave it its order. */
#include "stepper.h"

#include <math.h>

enum { ALPHA, BETA, ALPHA_STEP, BETA_STEP };

static double gain(const tn_stepper *st, int given, int by_step)
{
    double value = tn_scheme_parameter(st, given);
    return isnan(value) ? tn_scheme_parameter(st, by_step) / tn_gain_step(st) : value;
}

static bool needs_step(const tn_stepper *st)
{
    return isnan(tn_scheme_parameter(st, ALPHA)) || isnan(tn_scheme_parameter(st, BETA));
}

static void stabilize(const tn_stepper *st, const double *g, const double *gdot, double *u)
{
    const tn_system *s = st->system;
    double alpha = gain(st, ALPHA, ALPHA_STEP), beta = gain(st, BETA, BETA_STEP);
    for (int i = 0; i < s->rows; i++)
        u[i] -= s->velocity_row[i] ? beta * gdot[i] : 2 * alpha * gdot[i] + beta * beta * g[i];
}

const tn_scheme_type tn_scheme_baumgarte = {
    .name = "baumgarte",
    .doc = "Constraint errors decay like a damped oscillator: cheap, drift stays small but is never zero.",
    .parameters = {
        [ALPHA] = { "alpha", "1/s", "Damping gain", NAN, "alpha_step / step" },
        [BETA] = { "beta", "1/s", "Frequency gain", NAN, "beta_step / step" },
        [ALPHA_STEP] = { "alpha_step", "", "Damping gain times the step, when alpha is not given",
                         0.06283185307179587, NULL },
        [BETA_STEP] = { "beta_step", "", "Frequency gain times the step, when beta is not given",
                        0.6283185307179587, NULL },
    },
    .needs_step = needs_step,
    .stabilize = stabilize,
};
