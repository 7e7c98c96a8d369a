/* Setting numbers of a running model, in the model and in the compiled system, without a recompile. */
#include "live.h"

#include <math.h>
#include <string.h>
#include "allowances.h"
#include "close_joints.h"
#include "compliance.h"
#include "diag.h"
#include "hybrid.h"
#include "module.h"
#include "tn_assert.h"
#include "vec.h"

static bool is_of_body(const tn_number *n)
{
    return n->kind == TN_NUMBER_MASS || n->kind == TN_NUMBER_COM || n->kind == TN_NUMBER_INERTIA;
}

static bool can_take_force(const tn_system *s, const tn_number *n)
{
    const int force = s->force_of[n->index];
    return force >= 0 && s->forces[force].settable[n->part];
}

/* A part of the integrator "modular" has a system of its own, with the forces that act within the part. */
static bool parts_can_take_force(const tn_session *session, const tn_number *n)
{
    const tn_module *parts = NULL;
    const int count = tn_stepper_modules(session->stepper, &parts);
    bool can = true;
    for (int k = 0; k < count; k++)
        can = can && (parts[k].system->force_of[n->index] < 0 || can_take_force(parts[k].system, n));
    return can;
}

static bool has_place(const tn_session *session, const tn_number *n)
{
    const tn_system *s = session->system;
    switch (n->kind) {
    case TN_NUMBER_FORCE:
        return can_take_force(s, n) && parts_can_take_force(session, n);
    case TN_NUMBER_GRAVITY:
        return s->gravity_formula == NULL && tn_system_allows(s, TN_ALLOW_NEW_GRAVITY);
    case TN_NUMBER_MASS:
    case TN_NUMBER_COM:
    case TN_NUMBER_INERTIA:
        return s->body_of[n->index] >= 0 && !s->bodies[s->body_of[n->index]].port;
    case TN_NUMBER_JOINT:
        return tn_system_can_take_joint(s, n->index, n->part, n->value) &&
               !tn_closing_of(&session->overlay.closings, n->index);
    case TN_NUMBER_CONTACT:
    case TN_NUMBER_LIMIT_LOW:
    case TN_NUMBER_LIMIT_HIGH:
    case TN_NUMBER_LIMIT_RESTITUTION:
    case TN_NUMBER_PITCH:
    case TN_NUMBER_FUSE:
        return true;
    }
    return false;
}

bool tn_session_can_set(const tn_session *s, const tn_number_list *numbers)
{
    bool can = !s->stepper->motion_only && !s->kinematics && !s->loads;
    for (int k = 0; k < numbers->count && can; k++)
        can = has_place(s, &numbers->items[k]);
    return can && numbers->count > 0;
}

/* Parameters that were found "as built" become numbers of the model before another number takes their place. */
static void keep_found(tn_session *s, const tn_number *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        double *now = numbers[k].kind == TN_NUMBER_JOINT ? &s->model->joints[numbers[k].index].parameters[numbers[k].part] : NULL;
        if (now && isnan(*now))
            *now = s->system->constraints[s->system->constraint_of[numbers[k].index]].parameters[numbers[k].part];
    }
}

/* The lengths that scale rank decisions follow from masses and frames. */
static void rescale(tn_system *sys, tn_stepper *st)
{
    tn_system_rescale(sys);
    if (st->saddle && st->solver->rescale)
        st->solver->rescale(st->saddle);
    if (st->places && tn_solver_types[0]->rescale)
        tn_solver_types[0]->rescale(st->places);
}

static bool is_in(const tn_system *sys, const tn_number *n)
{
    if (n->kind == TN_NUMBER_FORCE)
        return sys->force_of[n->index] >= 0;
    if (n->kind == TN_NUMBER_JOINT)
        return sys->constraint_of[n->index] >= 0;
    return is_of_body(n) && sys->body_of[n->index] >= 0;
}

/* Copies numbers of the model to a system, that of the session or that of a part, and to the workspace of its stepper. */
static int take_into_system(tn_system *sys, tn_stepper *st, const tn_number *numbers, int count)
{
    bool bodies = false;
    for (int k = 0; k < count; k++) {
        const tn_number *n = &numbers[k];
        const bool again = k > 0 && n[-1].kind == n->kind && n[-1].index == n->index;
        if (again || !is_in(sys, n))
            continue;
        if (n->kind == TN_NUMBER_FORCE)
            TN_TRY(tn_force_take_numbers(sys, sys->force_of[n->index]));
        else if (n->kind == TN_NUMBER_JOINT)
            tn_system_take_joint(sys, n->index);
        else
            tn_system_take_body(sys, n->index);
        bodies = bodies || is_of_body(n);
    }
    if (bodies)
        rescale(sys, st);
    tn_copy3(sys->gravity, sys->model->gravity);
    tn_eval_take_values(st->eval, sys);
    return TN_OK;
}

static bool has_kind(const tn_number *numbers, int count, tn_number_kind kind)
{
    bool has = false;
    for (int k = 0; k < count; k++)
        has = has || numbers[k].kind == kind;
    return has;
}

static int take_numbers(tn_session *s, const tn_number *numbers, int count)
{
    const tn_module *parts = NULL;
    const int part_count = tn_stepper_modules(s->stepper, &parts);
    TN_TRY(take_into_system(s->system, s->stepper, numbers, count));
    for (int p = 0; p < part_count; p++)
        TN_TRY(take_into_system(parts[p].system, parts[p].stepper, numbers, count));
    if (has_kind(numbers, count, TN_NUMBER_JOINT)) {
        tn_system_find_works(s->system, s->stepper->eval, s->stepper->y, s->stepper->memory);
        tn_overlay_bind(s);
    }
    /* The event of a fuse has its bound in its expression. */
    return has_kind(numbers, count, TN_NUMBER_FUSE) ? tn_session_rebind(s) : TN_OK;
}

/* A body with another centre of mass or other principal axes has other coordinates: they are computed from the pose and the
 * velocity of its frame, which stay. */
typedef struct kept_body {
    const tn_sys_body *body;
    tn_pose offset;                /* before */
    tn_body moves;                 /* pose and velocities */
} kept_body;

static int keep_bodies(kept_body *kept, const tn_session *s, const tn_number *numbers, int count)
{
    const tn_stepper *st = s->stepper;
    int bodies = 0;
    for (int k = 0; k < count; k++) {
        const int b = is_of_body(&numbers[k]) ? s->system->body_of[numbers[k].index] : -1;
        bool known = b < 0;
        for (int i = 0; i < bodies; i++)
            known = known || kept[i].body == &s->system->bodies[b];
        if (known)
            continue;
        if (bodies == 0)
            tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
        kept[bodies] = (kept_body){ .body = &s->system->bodies[b], .offset = s->system->bodies[b].offset };
        tn_standing_body(&kept[bodies++].moves, s, b);
    }
    return bodies;
}

static void place_bodies(tn_session *s, const kept_body *kept, int count)
{
    double *q = s->stepper->y, *v = q + s->system->positions;
    for (int k = 0; k < count; k++) {
        const tn_sys_body *body = kept[k].body;
        const double angle = body->motion == TN_MOTION_PLANAR ? q[body->q + 2] : 0;
        if (memcmp(&kept[k].offset, &body->offset, sizeof body->offset) == 0)
            continue;
        tn_system_place_body(s->system, body, &kept[k].moves, q, v);
        if (body->motion == TN_MOTION_PLANAR)
            q[body->q + 2] = angle;                    /* with its full turns */
    }
}

static int exchange_numbers(tn_session *s, kept_body *kept, tn_number *numbers, int count)
{
    const int bodies = keep_bodies(kept, s, numbers, count);
    keep_found(s, numbers, count);
    tn_numbers_exchange(s->model, numbers, count);
    int code = take_numbers(s, numbers, count);
    if (code < 0) {
        tn_numbers_exchange(s->model, numbers, count);
        take_numbers(s, numbers, count);               /* the old numbers are valid */
    } else {
        place_bodies(s, kept, bodies);
    }
    return code;
}

int tn_session_put_numbers(tn_session *s, tn_number *numbers, int count)
{
    size_t of_bodies = 0;
    for (int k = 0; k < count; k++)
        of_bodies += is_of_body(&numbers[k]);
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = TN_ERROR_MEMORY;
    kept_body *kept = tn_arena_alloc(s->scratch, of_bodies, sizeof *kept);
    if (kept) {
        tn_trust_room_free(s);                         /* its workspaces have the old numbers */
        code = exchange_numbers(s, kept, numbers, count);
        s->eval_current = s->at_rest = false;
    }
    tn_arena_release(s->scratch, &mark);
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

/* Copies the state to the arrays of n and marks the joints whose parameters have changed. old: their former values. */
static int begin_joining(tn_joining *n, const tn_session *s, const tn_number *old, int count)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    TN_TRY(tn_joining_begin(n));
    memcpy(n->q, st->y, (size_t)sys->positions * sizeof(double));
    memcpy(n->moved, n->q, (size_t)sys->positions * sizeof(double));
    memcpy(n->v, st->y + sys->positions, (size_t)(sys->velocities + sys->states) * sizeof(double));
    if (sys->memory > 0)
        memcpy(n->memory, st->memory, (size_t)sys->memory * sizeof(double));
    for (int k = 0; k < count; k++) {
        bool *fresh = old[k].kind == TN_NUMBER_JOINT ? &n->fresh[sys->constraint_of[old[k].index]] : NULL;
        if (!fresh || *fresh || tn_number_in(s->model, &old[k]) == old[k].value)
            continue;
        *fresh = true;
        n->fresh_count++;
    }
    return TN_OK;
}

/* Restarts the stepper at the present state. Joints whose parameters have changed are closed as new joints are. */
static int restart(tn_session *s, tn_joining *n, bool snap, tn_ack *ack)
{
    tn_stepper *st = s->stepper;
    const tn_step_counts counts = st->counts;
    const tn_saddle_info was = tn_joining_rank(st);
    if (n->fresh_count == 0)
        return tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory);
    TN_TRY(tn_joining_count_turns(n));
    TN_TRY(tn_joining_close(n, snap));
    TN_TRY(tn_stepper_start(st, n->t, n->q, n->v, n->memory));
    st->counts = counts;
    ack->displacement = tn_joining_displacement(n);
    tn_joining_tell_rank(ack, &was, st);
    return TN_OK;
}

static int close_changed(tn_session *s, const tn_number *old, int count, bool snap, tn_ack *ack)
{
    tn_joining n = { .system = s->system, .coupling = s->coupling, .stepper = s->stepper, .t = s->stepper->t,
                     .gap_tolerance = s->solve.gap_tolerance, .arena = tn_arena_create(s->context) };
    int code = n.arena ? begin_joining(&n, s, old, count) : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = restart(s, &n, snap, ack);
    tn_arena_destroy(n.arena);
    return code;
}

/* The angles of joints are remembered anew from here when geometry has changed. */
static void count_turning_anew(tn_session *s, const tn_number *numbers, int count)
{
    for (int k = 0; k < count; k++)
        if (numbers[k].kind == TN_NUMBER_JOINT || numbers[k].kind == TN_NUMBER_COM ||
            (numbers[k].kind == TN_NUMBER_INERTIA && s->system->dimension == 3))
            s->stepper->turned = 0;
}

int tn_session_go_on(tn_session *s, const tn_number *old, int count, bool snap, tn_ack *ack)
{
    const double before = s->energy.kinetic + s->energy.potential;
    TN_TRY(tn_unilaterals_let_go(s));
    TN_TRY(tn_compliance_attach(s->system));           /* a contact may have become rigid, or give way */
    tn_hybrid_unsettle(s->system, s->stepper->memory);
    count_turning_anew(s, old, count);
    TN_TRY(close_changed(s, old, count, snap, ack));
    s->eval_current = s->at_rest = false;
    TN_TRY(tn_work_begin(s));
    ack->energy_change = s->energy.kinetic + s->energy.potential - before;
    s->work += ack->energy_change;                     /* keeps the energy balance closed */
    TN_TRY(begin_unilaterals(s));
    return s->events->firing ? TN_OK : tn_events_rearm(s);
}
