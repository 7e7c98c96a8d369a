/* Jumps of what depends on time alone: if(t < 0.5 s, 10 N, 0 N), floor, mod, sign, abs, min and max of the time.
 *
 * A step over such an instant would lose the order of the integrator, and error control would take it for noise. So a step, of free or of
 * fixed length, ends in front of the instant, which is found to the last bit; all that is evaluated in it sees the side before. The next step
 * begins behind the instant, with rates of its own. A fixed step after it goes to the next multiple of its length. */
#include "stepper.h"

#include <float.h>
#include <math.h>
#include "clocks.h"
#include "multiple.h"
#include "stepper_impl.h"

/* Interval in which the next jump is searched: in s, and in steps. */
static const double AHEAD = 1, STEPS_AHEAD = 10;
/* ON_IT, part of a step: an instant so close to the start of a step is passed without a step. ON_GRID, part of a fixed step: a multiple so
 * close to an instant counts as that instant. */
static const double ON_IT = 1e-12, ON_GRID = 1e-9;
/* Round-off of times: an instant so close to the requested end is that end. */
static const double SAME_TIME = 4 * DBL_EPSILON;
/* MOST_AT_ONCE: instants that one call passes. After MOST_SHORT steps in a row that instants have cut to less than the part SHORT of their
 * length, one step ignores instants: faster switching counts as noise. */
enum { MOST_AT_ONCE = 4, MOST_SHORT = 64 };
static const double SHORT = 0.01;

static bool has_fixed_length(const tn_stepper *st)
{
    const tn_integrator_type *integrator = tn_stepper_integrator(st);
    return !integrator || (!integrator->advance && !integrator->error);
}

/* Restarts the stepper behind an instant. */
static int go_behind(tn_stepper *st, double instant)
{
    const double t = fmax(st->t, instant);
    if (st->scheme->finish)
        TN_TRY(tn_stepper_finish(st, t, st->y));
    TN_TRY(tn_stepper_begin(st, t));
    st->anew = true;
    return TN_OK;
}

/* The next multiple of the length of fixed steps. */
static double next_multiple(const tn_stepper *st)
{
    return tn_multiple(floor(st->t / st->h + ON_GRID) + 1, st->h);
}

int tn_switches_begin(tn_stepper *st, double *t_end)
{
    const double jump = st->jump;
    const bool off_grid = st->off_grid;
    st->eval->latest = INFINITY;
    st->anew = false;
    if (!st->clocks)
        return TN_OK;
    if (!isnan(jump))
        TN_TRY(go_behind(st, jump));
    if (off_grid)
        *t_end = fmin(*t_end, next_multiple(st));
    if (st->short_steps > MOST_SHORT) {
        st->short_steps = 0;
        return TN_OK;
    }
    for (int k = 0; k < MOST_AT_ONCE; k++) {
        const double look = fmax(AHEAD, STEPS_AHEAD * st->h), last = fmin(*t_end, st->t + look);
        double instant[2];
        if (!tn_clocks_switch(st, st->t, last, instant)) {
            *t_end = has_fixed_length(st) ? *t_end : last;
            return TN_OK;
        }
        if (instant[0] - st->t > fmax(SAME_TIME * fabs(st->t), ON_IT * st->h)) {
            st->eval->latest = instant[0];
            st->jump = instant[1];
            *t_end = *t_end - instant[0] <= SAME_TIME * fabs(*t_end) ? *t_end : instant[0];
            return TN_OK;
        }
        if (instant[1] >= *t_end)
            return TN_OK;
        TN_TRY(go_behind(st, instant[1]));
    }
    return TN_OK;
}

void tn_switches_end(tn_stepper *st)
{
    const double before = st->eval->latest - st->t;
    if (isnan(st->jump) || before > ON_GRID * st->step.h) {
        st->jump = NAN;
        st->off_grid = false;
        st->short_steps = 0;
        return;
    }
    const double steps = st->t / st->h;
    st->off_grid = st->fixed && fabs(steps - round(steps)) > ON_GRID;
    st->short_steps = st->step.h < SHORT * st->h ? st->short_steps + 1 : 0;
}

bool tn_switches_passed(const tn_stepper *st)
{
    double instant[2];
    return tn_clocks_switch(st, st->t - fmax(SAME_TIME * fabs(st->t), ON_GRID * st->h), st->t, instant);
}
