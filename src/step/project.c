/* Projection of positions and velocities on the constraints, those inside components included. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "stepper.h"
#include "vec.h"

/* Residuals (m, rad; per second) below this part of the largest coordinate (of the fastest body) are round-off. Near
 * a singular position the residual in the weak direction is divided by the distance, so this accuracy is needed. */
static const double ROUND_OFF = 1e-14;
/* Passes with the factorization kept, and D of components with it: from a step's drift d the residual falls like d^2,
 * d^3 ... */
static const int PROJECTION_PASSES = 12;
/* A pass that does not at least halve the residual is no progress. A pass that does not reduce it to the part
 * SLOW requires a new factorization. */
static const double PROGRESS = 0.5, SLOW = 0.05;
/* m or rad: without further progress, a residual above this counts as not solved. */
static const double UNSOLVED = 1e-9;

/* The round-off of residuals for the given positions or velocities of the bodies. */
static double round_off(const tn_system *s, const double *x, bool velocities)
{
    double size = 1;
    for (int b = 0; b < s->body_count; b++)
        size = fmax(size, tn_largest(s->dimension, x + (velocities ? s->bodies[b].v : s->bodies[b].q)));
    return ROUND_OFF * size;
}

/* Overwrites the forces with zeros; every evaluation computes the forces again. */
static const double *no_forces(tn_stepper *st)
{
    return memset(st->eval->f, 0, (size_t)st->system->velocities * sizeof(double));
}

static void note_correction(tn_stepper *st, tn_question question)
{
    const double size = tn_largest(st->system->velocities, st->delta);
    st->corrected = fmax(st->corrected, size);
    if (question == TN_ASK_POSITIONS)
        st->shifted = fmax(st->shifted, size);
}

/* delta of least mass-weighted length with G delta = -residual; components correct their states in z. */
static int correction(tn_stepper *st, tn_question question, const double *residual, double *z)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    const double *u = st->u;
    double *lambda = tn_system_allows(s, TN_ALLOW_NO_LAMBDA) ? NULL : e->lambda;
    for (int i = 0; i < s->rows; i++)
        st->u[i] = -residual[i];
    if (question == TN_ASK_POSITIONS && st->places_used) {
        TN_TRY(tn_places_solve(st, no_forces(st), u, st->delta));
        note_correction(st, question);
        return TN_OK;
    }
    TN_TRY(tn_coupling_ask(e, s, &st->structure, e->G, question, &u, st->u));
    TN_TRY(st->solver->solve(st->saddle, no_forces(st), u, st->delta, lambda));
    tn_coupling_add_free(e, s, st->delta);
    TN_TRY(tn_coupling_tell(e, s, &st->structure, e->G, question, e->f, lambda, z, &st->component_change));
    note_correction(st, question);
    return TN_OK;
}

static int factor_here(tn_stepper *st, int order)
{
    tn_eval_constraints(st->eval, st->system, st->memory, order, true);
    return st->solver->factor(st->saddle, st->eval->M, st->eval->G, TN_RANK_KEEP);
}

static int factor_positions(tn_stepper *st)
{
    if (!st->places_used)
        return factor_here(st, 0);
    tn_eval_constraints(st->eval, st->system, st->memory, 0, true);
    return tn_places_factor(st);
}

static int stalled(tn_stepper *st, double gap)
{
    st->unclosed = !(gap <= UNSOLVED);
    return st->unclosed ? TN_ERROR_STEP : TN_OK;
}

/* Raises gap to the largest residual inside components. */
static int left_inside(tn_stepper *st, int pass, tn_question question, bool matrices, double *gap)
{
    const tn_coupling_pass inside = { .question = question, .first = pass == 0, .matrices = matrices,
                                      .changed = st->component_change };
    return tn_coupling_gap(st->eval, st->system, &inside, st->scratch, gap);
}

int tn_project_positions(tn_stepper *st, double t, double *y)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    double before = INFINITY, target = st->crosses ? 0 : round_off(s, y, false);
    double *kept = st->scratch, *v = y + s->positions, *z = v + s->velocities;
    double *kept_z = kept + s->positions + s->velocities;
    const size_t size = (size_t)s->positions * sizeof(double), size_z = (size_t)s->component_states * sizeof(double);
    const bool factored = st->factored;            /* the last projection factored, so this one probably will */
    tn_position_normalize(s, y);
    st->factored = false;
    for (int pass = 0; pass <= PROJECTION_PASSES; pass++) {
        tn_eval_motion(e, s, t, y, tn_coupling_velocities(s, v));
        TN_TRY(e->component_code);
        tn_eval_constraints(e, s, st->memory, 0, false);
        double gap = tn_largest(s->rows, e->g);
        TN_TRY(left_inside(st, pass, TN_ASK_POSITIONS, factored && pass == 0, &gap));
        if (gap <= target)
            return TN_OK;
        if (!(gap <= PROGRESS * before)) {
            memcpy(y, kept, size);
            memcpy(z, kept_z, size_z);
            return stalled(st, before);
        }
        if (pass == 0 || gap > SLOW * before || !tn_system_allows(s, TN_ALLOW_KEPT_FACTORS))
            TN_TRY(factor_positions(st));
        st->factored = !st->places_used;
        memcpy(kept, y, size);
        memcpy(kept_z, z, size_z);
        TN_TRY(correction(st, TN_ASK_POSITIONS, e->g, z));
        tn_position_move(s, y, st->delta, y);
        before = gap;
    }
    return stalled(st, before);
}

int tn_project_velocities(tn_stepper *st, double t, const double *q, double *v)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    double before = INFINITY, target = round_off(s, v, true), *kept = st->scratch;
    const size_t size = (size_t)(s->velocities + s->component_states) * sizeof(double);
    for (int pass = 0; pass <= PROJECTION_PASSES; pass++) {
        tn_eval_motion(e, s, t, q, v);
        TN_TRY(e->component_code);
        tn_eval_constraints(e, s, st->memory, 1, false);
        double gap = tn_largest(s->rows, e->gdot);
        TN_TRY(left_inside(st, pass, TN_ASK_VELOCITIES, pass == st->last_pass, &gap));
        if (gap <= target) {
            st->last_pass = pass;
            return TN_OK;
        }
        if (!(gap <= PROGRESS * before)) {
            memcpy(v, kept, size);
            return TN_OK;
        }
        /* the factorization that projected the positions is good enough for a first pass */
        if (!st->factored || gap > SLOW * before || !tn_system_allows(s, TN_ALLOW_KEPT_FACTORS))
            TN_TRY(factor_here(st, 1));
        st->factored = true;
        memcpy(kept, v, size);
        TN_TRY(correction(st, TN_ASK_VELOCITIES, e->gdot, v + s->velocities));
        for (int k = 0; k < s->velocities; k++)
            v[k] += st->delta[k];
        before = gap;
    }
    return TN_OK;
}

void tn_jacobian_times(const tn_stepper *st, const double *x, double *product)
{
    tn_eval_rows_times(st->eval, st->system, x, product);
}

void tn_add_joint_forces(const tn_stepper *st, const double *lambda, double *f)
{
    tn_eval_add_reactions(st->eval, st->system, lambda, f);
}

/* Subtracts the correction that answers to st->u, by the solver or, with the rows at position level alone, by the places. */
static int subtract_correction(tn_stepper *st, bool places, double *direction)
{
    const tn_system *s = st->system;
    if (places) {
        TN_TRY(tn_places_factor(st));
        TN_TRY(tn_places_solve(st, no_forces(st), st->u, st->delta));
    } else
        TN_TRY(st->solver->solve(st->saddle, no_forces(st), st->u, st->delta, NULL));
    for (int j = 0; j < s->velocities; j++)
        direction[j] -= st->delta[j];
    return TN_OK;
}

int tn_project_direction(tn_stepper *st, double *direction)
{
    tn_jacobian_times(st, direction, st->u);
    return subtract_correction(st, false, direction);
}

int tn_project_shift(tn_stepper *st, double *shift)
{
    const tn_system *s = st->system;
    tn_jacobian_times(st, shift, st->u);
    for (int i = 0; i < s->rows && s->has_velocity_rows; i++)
        if (s->velocity_row[i])
            st->u[i] = 0;
    return subtract_correction(st, st->places_used, shift);
}
