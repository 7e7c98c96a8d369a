/* Evaluates forces, constraints and accelerations at a state. */
#include "stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "slide.h"

/* Friction agrees with the reactions when forces change by less than this, relative to the largest force; and the most
 * passes. Each pass gains the factor friction radius / lever, so many passes mean a joint that locks. */
static const double SETTLED = 1e-14;
static const int MOST_REACTION_PASSES = 200;
/* Changes that no longer get smaller are round-off when they are below this, relative to the largest part of a reaction:
 * bodies that turn fast have reactions far above the forces. */
static const double REACTION_NOISE = 1e-12;

static int accelerate_joints(tn_stepper *st)
{
    tn_eval *e = st->eval;
    const double *u = e->bias;
    if (st->scheme->accelerate)
        return st->scheme->accelerate(st);
    if (st->scheme->stabilize) {
        memcpy(st->u, e->bias, (size_t)st->system->rows * sizeof(double));
        st->scheme->stabilize(st, e->g, e->gdot, st->u);
        u = st->u;
    }
    TN_TRY(tn_coupling_condense_levels(e, st->system, st->rule, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_CONDENSED));
    TN_TRY(tn_coupling_ask(e, st->system, &st->structure, e->G, TN_ASK_ACCELERATIONS, &u, st->u));
    double *lambda = st->with_lambda ? e->lambda : NULL;
    if (st->solver->factor_solve) {
        TN_TRY(st->solver->factor_solve(st->saddle, e->M, e->G, st->rule, e->f, u, e->a, lambda));
    } else {
        TN_TRY(st->solver->factor(st->saddle, e->M, e->G, st->rule));
        TN_TRY(st->solver->solve(st->saddle, e->f, u, e->a, lambda));
    }
    tn_coupling_add_free(e, st->system, e->a);
    return TN_OK;
}

static int accelerate_evaluate(tn_stepper *st)
{
    TN_TRY(accelerate_joints(st));
    return st->system->layout.slide_count > 0 && !st->motion_only ? tn_slides_add(st) : TN_OK;
}

/* Largest |a - b|; b NULL: largest |a|. */
static double largest_difference(int n, const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        if (!(fabs(a[k] - (b ? b[k] : 0)) <= most))
            most = fabs(a[k] - (b ? b[k] : 0));
    return most;
}

/* Friction depends on the joints' reactions, and the reactions depend on friction: solves repeatedly until both
 * agree. */
static int settle_reactions(tn_stepper *st)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    double *before = st->delta, last = INFINITY;
    tn_component_reaction inside;
    e->reactions_known = true;
    st->rule = TN_RANK_KEEP;
    for (int pass = 0; pass < MOST_REACTION_PASSES; pass++) {
        memcpy(before, e->f, (size_t)s->velocities * sizeof(double));
        TN_TRY(tn_coupling_react(e, s, &st->structure, &inside));
        tn_eval_forces(e, s, st->memory);
        double change = fmax(largest_difference(s->velocities, e->f, before), inside.change);
        if (e->failed || !isfinite(change))
            return TN_ERROR_STEP;
        if (change <= SETTLED * fmax(largest_difference(s->velocities, e->f, NULL), inside.force))
            return TN_OK;
        if (change >= last && change <= REACTION_NOISE * fmax(tn_eval_largest_reaction(e, s), inside.row))
            return TN_OK;
        last = change;
        tn_coupling_ask_again(e, s);
        TN_TRY(accelerate_evaluate(st));
    }
    for (int k = 0; k < s->force_count && !e->failed; k++)
        if (s->forces[k].reacts) {
            const tn_entity *force = &s->model->forces[s->forces[k].source].entity;
            e->failed = force->name;
            e->failed_span = force->span;
            snprintf(e->trouble, sizeof e->trouble,
                     "force '%.80s': friction and reactions do not settle: the joint locks itself", force->name);
        }
    for (int i = 0; i < s->constraint_count && !e->failed; i++)
        if (s->constraints[i].separation >= 0)
            tn_eval_joint_failed(e, s, i, "the force that pushes its teeth apart does not settle: nothing holds the gears");
    return e->failed ? TN_ERROR_STEP : tn_coupling_not_settled(e, s);
}

static void evaluate_forces(tn_stepper *st)
{
    const tn_system *s = st->system;
    if (!st->motion_only) {
        tn_eval_forces(st->eval, s, st->memory);
        return;
    }
    memset(st->eval->f, 0, (size_t)s->velocities * sizeof(double));
    tn_eval_drives(st->eval, s, st->memory);
}

int tn_stepper_evaluate(tn_stepper *st, double t, const double *y)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    tn_rank_rule rule = st->rule;
    bool with_lambda = st->with_lambda;
    e->failed = NULL;
    e->reactions_known = false;
    st->with_lambda |= s->reacts || s->layout.slide_count > 0 || !tn_system_allows(s, TN_ALLOW_NO_LAMBDA);
    tn_eval_motion(e, s, t, y, y + s->positions);
    evaluate_forces(st);
    tn_eval_constraints(e, s, st->memory, 2, true);
    int code = e->component_code < 0 ? e->component_code : e->failed ? TN_ERROR_STEP : accelerate_evaluate(st);
    if (code == TN_OK && rule == TN_RANK_DECIDE && s->has_velocity_rows)
        code = tn_places_decide(st);
    if (code == TN_OK && s->reacts && !st->motion_only)
        code = settle_reactions(st);
    st->with_lambda = with_lambda;
    st->rule = rule;
    st->counts.evaluations += code == TN_OK;
    return code;
}
