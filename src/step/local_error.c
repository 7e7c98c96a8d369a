/* The local error of a step over its tolerance, and the length of the next step that follows from it. */
#include "stepper_impl.h"

#include <math.h>
#include "coupling.h"
#include "elementary.h"
#include "vec.h"

/* Step control: safety factor below the estimate, and the largest growth of a step at once. */
static const double SAFETY = 0.9, GROW = 5;
/* Corrections of velocities below this part of the fastest one are round-off. */
static const double VELOCITY_ROUND_OFF = 1e-8;

/* Largest local error over its tolerance; rotations, positions and velocities alike. */
static double worst_ratio(const tn_stepper *st, const double *error, int first, int count)
{
    double worst = 0;
    for (int k = 0; k < count; k++) {
        double size = fmax(fabs(st->y[first + k]), fabs(st->y1[first + k]));
        double ratio = fabs(error[k]) / (st->absolute_tolerance + st->tolerance * size);
        if (!(ratio <= worst))
            worst = ratio;
    }
    return worst;
}

/* Keeps the part of the error that projection does not remove. Near a singular position the removed part is round-off
 * divided by the distance to it, and would stop every step. */
static double projected_ratio(tn_stepper *st)
{
    const tn_system *s = st->system;
    double *change = st->scratch, *rate = st->error + s->positions;
    tn_position_tangent(s, st->y1, st->error, change);
    if (tn_project_shift(st, change) < 0 || tn_project_direction(st, rate) < 0)
        return INFINITY;
    double velocity = worst_ratio(st, rate, s->positions, s->velocities + s->states);
    tn_position_rate(s, st->y1, change, st->error);
    return fmax(velocity, worst_ratio(st, st->error, 0, s->positions));
}

double tn_fastest_velocity(const tn_stepper *st)
{
    return fmax(1, tn_largest(st->system->velocities, st->y + st->system->positions));
}

/* Projection removes a deviation, but not its earlier effect on the motion, which is of second order in the
 * deviation. Where light links turn at thousands of rad/s, round-off of velocities alone is larger than any tolerance; it does not
 * count. */
static double error_ratio(tn_stepper *st)
{
    st->integrator->error(&st->step, st->error);
    tn_coupling_clear_ports(st->system, st->error);
    double ratio = worst_ratio(st, st->error, 0, st->system->size);
    if (ratio > 1 && st->scheme->finish)
        ratio = projected_ratio(st);
    const double deviation = st->corrected > VELOCITY_ROUND_OFF * tn_fastest_velocity(st) ? st->corrected : st->shifted;
    return fmax(ratio, deviation * deviation / st->absolute_tolerance);
}

double tn_local_error_judge(tn_stepper *st, double *factor)
{
    double own = st->integrator->judge ? st->integrator->judge(st, factor) : NAN;
    if (!isnan(own))
        return own;
    double ratio = error_ratio(st), exponent = -1.0 / st->integrator->error_order;
    *factor = fmin(GROW, fmax(TN_MOST_SHRINK, SAFETY * tn_pow(fmax(ratio, 1e-12), exponent)));
    return ratio;
}
