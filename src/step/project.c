#include <math.h>
#include <string.h>
#include "stepper.h"

/* Residuals (m, rad; per second) below this are round-off. */
static const double PROJECTION_TARGET = 1e-12;
/* Newton with the first factorization kept: from a step's drift d the residual falls like d^2, d^3 ...; more passes than
 * this only polish round-off. */
static const int PROJECTION_PASSES = 6;
/* A pass that does not at least halve the residual is no progress. */
static const double PROGRESS = 0.5;

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most))
            most = fabs(x[i]);
    return most;
}

/* delta of least mass-weighted length with G delta = -residual. */
static int correction(tn_stepper *st, const double *residual)
{
    for (int i = 0; i < st->system->rows; i++)
        st->u[i] = -residual[i];
    return st->solver->solve(st->saddle, st->zero, st->u, st->delta, NULL);
}

int tn_project_positions(tn_stepper *st, double t, double *q)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    double before = INFINITY;
    double *kept = st->scratch;
    tn_position_normalize(s, q);
    for (int pass = 0; pass <= PROJECTION_PASSES; pass++) {
        tn_eval_motion(e, s, t, q, NULL);
        tn_eval_constraints(e, s, st->memory, 0, pass == 0);
        double gap = largest(s->rows, e->g);
        if (gap > PROGRESS * before) {
            memcpy(q, kept, (size_t)s->positions * sizeof(double));
            return TN_OK;
        }
        if (gap <= PROJECTION_TARGET || pass == PROJECTION_PASSES)
            return TN_OK;
        if (!isfinite(gap))
            return TN_ERROR_STEP;
        if (pass == 0)
            TN_TRY(st->solver->factor(st->saddle, s->mass, e->G, TN_RANK_KEEP));
        TN_TRY(correction(st, e->g));
        memcpy(kept, q, (size_t)s->positions * sizeof(double));
        tn_position_move(s, q, st->delta, q);
        before = gap;
    }
    return TN_OK;
}

int tn_project_velocities(tn_stepper *st, double t, const double *q, double *v)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    double before = INFINITY;
    for (int pass = 0; pass <= PROJECTION_PASSES; pass++) {
        tn_eval_motion(e, s, t, q, v);
        tn_eval_constraints(e, s, st->memory, 1, pass == 0);
        double gap = largest(s->rows, e->gdot);
        if (gap > PROGRESS * before) {
            for (int k = 0; k < s->velocities; k++)
                v[k] -= st->delta[k];
            return TN_OK;
        }
        if (gap <= PROJECTION_TARGET || pass == PROJECTION_PASSES)
            return TN_OK;
        if (!isfinite(gap))
            return TN_ERROR_STEP;
        if (pass == 0)
            TN_TRY(st->solver->factor(st->saddle, s->mass, e->G, TN_RANK_KEEP));
        TN_TRY(correction(st, e->gdot));
        for (int k = 0; k < s->velocities; k++)
            v[k] += st->delta[k];
        before = gap;
    }
    return TN_OK;
}
