/* The first step of integrators that control their error. */
#include <math.h>
#include <string.h>
#include "elementary.h"
#include "stepper_impl.h"

/* s: with states at zero, how far the rates are looked at. No round number: in 1 us many signals come back to where they were. */
static const double LOOK_AHEAD = 0.618e-6;
/* Parts of the time in which the states change by their own size: to look at the rates, and at most to step. */
static const double LOOK_PART = 0.01, STEP_PART = 1;
/* Below this, in tolerances, states and rates count as zero. */
static const double NOTHING = 1e-5;
/* Change of the states over the first step, in tolerances. */
static const double CHANGE = 0.01;

/* A small part of the time in which the motion changes by its own size. */
static double step_of_motion(const tn_stepper *st)
{
    const tn_system *s = st->system;
    double fastest = 0;
    for (int k = 0; k < s->velocities; k++) {
        double v = fabs(st->y[s->positions + k]), a = fabs(st->dy[s->positions + k]);
        double scale = s->structure.column_scale[k] == 1 ? 1 : 1 / s->structure.column_scale[k];
        fastest = fmax(fastest, fmax(v, sqrt(a * scale)));
    }
    double h = tn_pow(st->tolerance, 1.0 / st->integrator->error_order) / fmax(fastest, 1e-3);
    return fmin(h, st->max_h);
}

/* Largest of states of forces and devices, of their rates, and of differences of rates, in tolerances. */
static void measure_states(const tn_stepper *st, const double *rates, double *size, double *rate, double *change)
{
    const tn_system *s = st->system;
    const int first = s->positions + s->velocities;
    *size = *rate = *change = 0;
    for (int k = 0; k < s->force_count; k++)
        for (int i = 0; i < s->forces[k].state_count; i++) {
            const int at = first + s->forces[k].state + i;
            const double allowed = st->absolute_tolerance + st->tolerance * fabs(st->y[at]);
            *size = fmax(*size, fabs(st->y[at]) / allowed);
            *rate = fmax(*rate, fabs(st->dy[at]) / allowed);
            *change = fmax(*change, fabs(rates[at] - st->dy[at]) / allowed);
        }
}

static bool has_states(const tn_system *s)
{
    int count = 0;
    for (int k = 0; k < s->force_count; k++)
        count += s->forces[k].state_count;
    return count > 0;
}

/* Rates a little later show how fast they change: a step as long as the run would not see oscillations that begin and end at zero. */
static double step_of_states(tn_stepper *st, double most)
{
    const tn_system *s = st->system;
    const int first = s->positions + s->velocities;
    double size, rate, change;
    measure_states(st, st->dy, &size, &rate, &change);
    double look = size < NOTHING || rate < NOTHING ? LOOK_AHEAD : LOOK_PART * size / rate;
    look = fmin(look, LOOK_PART * most);
    memcpy(st->y1, st->y, (size_t)s->size * sizeof(double));
    for (int k = 0; k < s->force_count; k++)
        for (int i = 0, at = first + s->forces[k].state; i < s->forces[k].state_count; i++)
            st->y1[at + i] += look * st->dy[at + i];
    int code = tn_rate(st->dy1, st, st->t + look, st->y1);
    if (code < 0)
        st->eval->failed = NULL;
    else
        measure_states(st, st->dy1, &size, &rate, &change);
    const double fastest = fmax(rate, change / look);
    if (!(fastest > NOTHING))
        return code < 0 ? look : most;
    return fmin(most, fmin(STEP_PART * look / LOOK_PART, tn_pow(CHANGE / fastest, 1.0 / st->integrator->error_order)));
}

double tn_first_step(tn_stepper *st, bool *moved)
{
    const double h = step_of_motion(st);
    *moved = has_states(st->system);
    return *moved ? step_of_states(st, h) : h;
}
