/* Steady starts: a run begins in the equilibrium of mechanism and devices. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "hybrid.h"
#include "session_parts.h"

/* A state rests when its rate is below this part of that at the given start, or when it changes by less than this part of its
 * value, at least of 1 SI unit, in a second. */
static const double RESTS = 1e-6, HARDLY = 1e-9;

/* A search can end where a state runs away so far that its rate seems small. */
static int check_rates(const tn_session *s, const double *before)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    const double *dz = st->dy + sys->positions + sys->velocities, *z = before, *was = before + sys->states;
    char name[160];
    for (int k = 0; k < sys->states; k++)
        if (fabs(dz[k]) > RESTS * fabs(was[k]) && fabs(dz[k]) > HARDLY * fmax(fabs(z[k]), 1))
            return tn_fail(s->context, TN_ERROR_MODEL, s->model->solve_span, "there is no steady start: '%s' still changes by %.6g in SI units "
                           "a second where all else has come to rest; 'start: given' starts as given",
                           tn_state_name(sys, k, name, sizeof name), dz[k]);
    return TN_OK;
}

static int find_start(tn_session *s)
{
    tn_equilibrium *found = NULL;
    int code = tn_session_statics(&found, s, NULL);
    tn_equilibrium_destroy(s->context, found);
    if (code == TN_ERROR_STEP || code == TN_ERROR_ASSEMBLY)
        return tn_fail(s->context, TN_ERROR_MODEL, s->model->solve_span, "there is no steady start: from the start that is given, no "
                       "equilibrium of the mechanism and its devices is found; 'start: given' starts as given");
    TN_TRY(code);
    tn_stepper *st = s->stepper;
    s->eval_current = s->at_rest = false;
    s->work = 0;
    if (s->system->network)
        tn_hybrid_begin_again(s->system, st->memory);  /* samples and modes begin here */
    return tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory);
}

int tn_session_start_steady(tn_session *s)
{
    const int states = s->system->states, z = s->system->positions + s->system->velocities;
    double *before = tn_alloc(s->context, 2 * (size_t)states, sizeof *before);
    if (!before)
        return TN_ERROR_MEMORY;
    if (states > 0) {
        memcpy(before, s->stepper->y + z, (size_t)states * sizeof *before);
        memcpy(before + states, s->stepper->dy + z, (size_t)states * sizeof *before);
    }
    int code = find_start(s);
    if (code == TN_OK)
        code = check_rates(s, before);
    tn_free(s->context, before);
    return code;
}
