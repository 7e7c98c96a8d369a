/* Setting numbers of a running model, in the model and in the compiled system, without a recompile. */
#include "live.h"

#include "compliance.h"
#include "diag.h"
#include "hybrid.h"
#include "vec.h"

static bool has_place(const tn_system *s, const tn_number *n)
{
    int force;
    switch (n->kind) {
    case TN_NUMBER_FORCE:
        force = s->force_of[n->index];
        return force >= 0 && s->forces[force].settable[n->part];
    case TN_NUMBER_GRAVITY:
        return s->gravity_formula == NULL;
    case TN_NUMBER_MASS:
    case TN_NUMBER_INERTIA:
        return s->body_of[n->index] >= 0 && !s->bodies[s->body_of[n->index]].port;
    case TN_NUMBER_CONTACT:
    case TN_NUMBER_LIMIT_LOW:
    case TN_NUMBER_LIMIT_HIGH:
        return true;
    }
    return false;
}

bool tn_session_can_set(const tn_session *s, const tn_number_list *numbers)
{
    bool can = !s->stepper->motion_only && !s->kinematics && !s->loads && s->system->component_count == 0 &&
               tn_session_part_count(s) == 0;
    for (int k = 0; k < numbers->count && can; k++)
        can = has_place(s->system, &numbers->items[k]);
    return can && numbers->count > 0;
}

static int take_into_system(tn_session *s, const tn_number *numbers, int count)
{
    tn_system *sys = s->system;
    for (int k = 0; k < count; k++) {
        const tn_number *n = &numbers[k];
        bool again = k > 0 && n->kind == TN_NUMBER_FORCE && n[-1].kind == n->kind && n[-1].index == n->index;
        if (n->kind == TN_NUMBER_FORCE && !again)
            TN_TRY(tn_force_take_numbers(sys, sys->force_of[n->index]));
        if (n->kind == TN_NUMBER_MASS || n->kind == TN_NUMBER_INERTIA)
            tn_system_take_mass(sys, n->index);
    }
    tn_copy3(sys->gravity, s->model->gravity);
    tn_eval_take_values(s->stepper->eval, sys);
    return TN_OK;
}

int tn_session_put_numbers(tn_session *s, tn_number *numbers, int count)
{
    tn_numbers_exchange(s->model, numbers, count);
    int code = take_into_system(s, numbers, count);
    if (code < 0) {
        tn_numbers_exchange(s->model, numbers, count);
        take_into_system(s, numbers, count);           /* the old numbers are valid */
    }
    s->eval_current = s->at_rest = false;
    return code;
}

static int renew_unilaterals(tn_session *s)
{
    tn_unilaterals fresh;
    TN_TRY(tn_unilaterals_list(&fresh, s, s->model));
    tn_unilaterals_exchange(s->unilaterals, &fresh);
    tn_unilaterals_free(&fresh, s);
    return TN_OK;
}

/* Renews limits and contacts with their present numbers, and decides again which of them are active. */
static int begin_unilaterals(tn_session *s)
{
    if (s->unilaterals->count == 0 && !s->unilaterals->near.touches)
        return tn_unilaterals_check_solve(s, &s->solve, s->model->solve_span);
    TN_TRY(renew_unilaterals(s));
    TN_TRY(tn_unilaterals_begin(s));
    return tn_work_begin(s);
}

int tn_session_go_on(tn_session *s, tn_ack *ack)
{
    const double before = s->energy.kinetic + s->energy.potential;
    TN_TRY(tn_unilaterals_let_go(s));
    TN_TRY(tn_compliance_attach(s->system));           /* a contact may have become rigid, or give way */
    tn_stepper *st = s->stepper;
    tn_hybrid_unsettle(s->system, st->memory);
    TN_TRY(tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory));
    s->eval_current = s->at_rest = false;
    TN_TRY(tn_work_begin(s));
    ack->energy_change = s->energy.kinetic + s->energy.potential - before;
    s->work += ack->energy_change;                     /* keeps the energy balance closed */
    TN_TRY(begin_unilaterals(s));
    return s->events->firing ? TN_OK : tn_events_rearm(s);
}
