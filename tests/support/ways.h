/* Ways to solve a mechanism (solver, scheme, integrator, step or tolerance), and the outcome of a run with each. */
#ifndef TEST_WAYS_H
#define TEST_WAYS_H

#include "mechanism_hard.h"
#include "near.h"
#include "session_impl.h"
#include "tenon/session.h"
#include "vec.h"

enum { MOST_STATE = 1400 };

typedef struct outcome {
    char label[80];
    bool stopped;
    char why[240];             /* of a stop; or the first warning */
    int size, positions;
    double y[MOST_STATE];
    double fastest;
    long steps;                /* tries included */
    double energy;             /* error over the peak of the kinetic energy */
    double acceleration;       /* the largest at the end */
    double error;              /* distance from the reference */
    double tolerance;          /* it was run with */
} outcome;

typedef struct way {
    const char *solver, *scheme, *integrator;
    double step, tolerance;    /* NaN: adaptive; 0: fixed */
} way;

static inline void take_end(outcome *o, const tn_session *session)
{
    const tn_system *s = session->system;
    const double *y = session->stepper->y;
    assert_true(s->size <= MOST_STATE);
    o->size = s->positions + s->velocities;
    o->positions = s->positions;
    memcpy(o->y, y, (size_t)o->size * sizeof(double));
    o->fastest = 1;
    for (int k = s->positions; k < o->size; k++)
        o->fastest = fmax(o->fastest, fabs(y[k]));
    o->acceleration = tn_largest(s->velocities, session->stepper->dy + s->positions);
    tn_summary sum = tn_session_summary(session);
    o->steps = sum.steps + sum.rejected;
    o->energy = sum.energy_error / fmax(sum.energy_peak, 1e-3);
}

static inline void note_stop(outcome *o, tn_context *context)
{
    size_t count = tn_diagnostics_count(context);
    o->stopped = true;
    snprintf(o->why, sizeof o->why, "%.230s", count ? tn_diagnostics_get(context, count - 1)->message : "no message");
}

static inline void run_way(outcome *o, tn_model *model, tn_context *context, way w)
{
    tn_solve solve = tn_model_solve(model);
    tn_session *session = NULL;
    memset(o, 0, sizeof *o);
    o->tolerance = w.tolerance;
    snprintf(o->label, sizeof o->label, "%s %s %s %s%g", w.solver, w.scheme, w.integrator, w.tolerance > 0 ? "tol " : "h ",
             w.tolerance > 0 ? w.tolerance : w.step);
    solve.solver = w.solver;
    solve.scheme = w.scheme;
    solve.integrator = w.integrator;
    solve.step = w.tolerance > 0 ? NAN : w.step;
    if (w.tolerance > 0)
        solve.tolerance = solve.absolute_tolerance = w.tolerance;
    solve.record = solve.until;
    tn_diagnostics_clear(context);
    int code = tn_session_open(&session, model, &solve);
    if (code >= 0)
        code = tn_session_run(session);
    if (code < 0)
        note_stop(o, context);
    else
        take_end(o, session);
    if (code >= 0 && tn_diagnostics_count(context) > 0)
        snprintf(o->why, sizeof o->why, "%.230s", tn_diagnostics_get(context, 0)->message);
    tn_session_close(session);
}

static inline double distance(const outcome *a, const outcome *b)
{
    double most = 0, fastest = fmax(a->fastest, b->fastest);
    if (a->stopped || b->stopped)
        return INFINITY;
    for (int k = 0; k < a->size; k++)
        most = fmax(most, fabs(a->y[k] - b->y[k]) / (k < a->positions ? 1 : fastest));
    return isfinite(most) ? most : INFINITY;
}

/* Runs a model to its end; a run that stops fails the test. */
static inline void run_text(outcome *o, const char *text, way w)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    assert_int_equal(tn_model_read_text(&model, context, text, strlen(text), "model.yaml", "."), TN_OK);
    run_way(o, model, context, w);
    tn_model_destroy(model);
    tn_context_destroy(context);
    if (o->stopped)
        fail_msg("%s: %s", o->label, o->why);
}

#endif
