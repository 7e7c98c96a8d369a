/* Projection of positions where rows at velocity level (rolling, knife edges, driven rates) and redundant rows meet.
 *
 * The rank of all rows is decided together, and of rows that depend on each other some are left out. Rows at velocity level say
 * nothing about positions: where a row of a joint depends on them, leaving that row out would let the joint drift, and keeping all
 * rows would ask for a correction that does not exist. So positions are then projected with the rows at position level alone,
 * whose rank is decided at the same states. */
#include "allowances.h"
#include "stepper.h"

#include <string.h>

static bool wants_places(const tn_stepper *st)
{
    const tn_system *s = st->system;
    tn_saddle_info info;
    if (!s->has_velocity_rows || st->scheme->accelerate || !tn_system_allows(s, TN_ALLOW_OTHER_STATES))
        return false;
    st->solver->info(st->saddle, &info);
    return info.rank < s->rows;
}

static int create_places(tn_stepper *st)
{
    const tn_system *s = st->system;
    st->places_rows = tn_arena_alloc(st->arena, s->jacobian_size, sizeof(double));
    if (!st->places_rows)
        return TN_ERROR_MEMORY;
    return tn_solver_types[0]->analyze(&st->places, s->context, &st->structure);
}

static int factor_places(tn_stepper *st, tn_rank_rule rule)
{
    const tn_system *s = st->system;
    const tn_eval *e = st->eval;
    memcpy(st->places_rows, e->G, (e->lazy ? s->tape_jacobian_size : s->jacobian_size) * sizeof(double));
    tn_clear_velocity_rows(s, st->places_rows, true);
    return tn_solver_types[0]->factor(st->places, e->M, st->places_rows, rule);
}

int tn_places_decide(tn_stepper *st)
{
    st->places_used = wants_places(st);
    if (!st->places_used)
        return TN_OK;
    if (!st->places)
        TN_TRY(create_places(st));
    return factor_places(st, TN_RANK_DECIDE);
}

int tn_places_factor(tn_stepper *st)
{
    return factor_places(st, TN_RANK_KEEP);
}

int tn_places_solve(tn_stepper *st, const double *force, const double *u, double *delta)
{
    return tn_solver_types[0]->solve(st->places, force, u, delta, NULL);
}

void tn_places_destroy(tn_stepper *st)
{
    if (st->places)
        tn_solver_types[0]->destroy(st->places);
}
