/* Recompile: replaces the model of a running session. Entities that both models have keep their state bit for bit. New
 * joints are closed by an impulse, and by moving bodies where the options allow it. */
#include <math.h>
#include <string.h>
#include "check.h"
#include "close_joints.h"
#include "compliance.h"
#include "coupling.h"
#include "diag.h"
#include "draw.h"
#include "hybrid.h"
#include "live.h"
#include "vec.h"


/* The new model with its compiled parts, before they replace those of the session. */
typedef struct successor {
    tn_session *session;
    const tn_standing *was;        /* the old model with the present state */
    tn_model *model;
    tn_joining at;                 /* its system and stepper, with the state at which it begins */
    tn_unilaterals unilaterals;
    const char *begun;             /* name of a component that starts again; NULL: none */
    double misfit;                 /* m or rad: largest gap between ports of such components and their former poses */
    tn_pulling pull;               /* the pull that continues */
    tn_closing_list closings;      /* joints that are still being closed, and new ones */
} successor;

/* ---- entities of both models ---- */

/* Index in the old system of the body (or constraint) in a slot of the new model; -1: the old system has none. */
static int old_body(const successor *n, uint32_t slot)
{
    const tn_model *old = n->session->model;
    bool same = slot < old->body_count && tn_entity_same(&old->bodies[slot].entity, &n->model->bodies[slot].entity);
    return same ? n->session->system->body_of[slot] : -1;
}

static int old_constraint(const successor *n, uint32_t slot)
{
    const tn_model *old = n->session->model;
    bool same = slot < old->joint_count && tn_entity_same(&old->joints[slot].entity, &n->model->joints[slot].entity) &&
                strcmp(old->joints[slot].type->name, n->model->joints[slot].type->name) == 0;
    return same ? n->session->system->constraint_of[slot] : -1;
}

static bool same_joint(const tn_joint *a, const tn_joint *b)
{
    bool terms = a->term_count == b->term_count;
    for (size_t k = 0; k < a->term_count && terms; k++)
        terms = a->terms[k].joint == b->terms[k].joint && a->terms[k].coordinate == b->terms[k].coordinate &&
                a->terms[k].factor == b->terms[k].factor;
    const tn_expression *was = tn_joint_motion(a), *is = tn_joint_motion(b);
    bool motion = !was == !is && (!was || strcmp(was->text, is->text) == 0);
    return terms && motion && a->body1 == b->body1 && a->body2 == b->body2 &&
           a->entity.mirrored == b->entity.mirrored &&
           memcmp(&a->frame1, &b->frame1, sizeof a->frame1) == 0 &&
           memcmp(&a->frame2, &b->frame2, sizeof a->frame2) == 0 &&
           memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0;
}

/* ---- carrying the state over ---- */

/* Copies the state of a body, unless the edit changed its pose, its velocity or its internal coordinates, which depend
 * on the mass distribution. */
static void carry_body(successor *n, int b)
{
    const tn_sys_body *to = &n->at.system->bodies[b];
    int old = old_body(n, to->source);
    if (old < 0)
        return;
    const tn_sys_body *from = &n->session->system->bodies[old];
    const tn_body *was = &n->was->bodies[to->source], *is = &n->model->bodies[to->source];
    if (from->motion != to->motion || memcmp(&was->pose, &is->pose, sizeof is->pose) != 0 ||
        memcmp(was->velocity, is->velocity, sizeof is->velocity) != 0 ||
        memcmp(was->angular_velocity, is->angular_velocity, sizeof is->angular_velocity) != 0)
        return;
    const tn_system *s = n->at.system;
    const double *y = n->session->stepper->y, *v = y + n->session->system->positions;
    if (memcmp(&from->offset, &to->offset, sizeof to->offset) != 0) {
        if (to->motion == TN_MOTION_PLANAR)
            n->at.q[to->q + 2] = y[from->q + 2];       /* with its full turns */
        return;
    }
    int positions = (b + 1 < s->body_count ? s->bodies[b + 1].q : s->positions) - to->q;
    memcpy(n->at.q + to->q, y + from->q, (size_t)positions * sizeof(double));
    memcpy(n->at.v + to->v, v + from->v, (size_t)(s->structure.body_column[b + 1] - to->v) * sizeof(double));
}

/* Marks new and changed constraints. Copies the counted angles of the coordinates of a joint that both models have. */
static void carry_coordinates(successor *n, int constraint)
{
    const tn_system *old = n->session->system;
    uint32_t slot = n->at.system->constraints[constraint].source;
    int from = old_constraint(n, slot);
    n->at.fresh[constraint] = from < 0 || !same_joint(&n->was->joints[slot], &n->model->joints[slot]);
    n->at.fresh_count += n->at.fresh[constraint];
    const tn_coordinates *to = &n->at.system->coordinates[constraint];
    if (from >= 0 && old->coordinates[from].count == to->count)
        memcpy(n->at.memory + to->memory, n->session->stepper->memory + old->coordinates[from].memory,
               (size_t)to->count * sizeof(double));
}

/* Starts a new component: fits its ports to their present poses and marks its joints as fresh, so that they are closed
 * again. */
static int begin_component(successor *n, const tn_sys_component *component)
{
    const tn_system *s = n->at.system;
    double gap;
    for (int i = 0; i < s->constraint_count; i++)
        for (int k = 0; k < s->constraints[i].slot_count && !n->at.fresh[i]; k++)
            for (int p = 0; p < component->type->port_count && !n->at.fresh[i]; p++)
                if (tn_slot_body(s, &s->constraints[i], k) == component->body[p]) {
                    n->at.fresh[i] = true;
                    n->at.fresh_count++;
                }
    TN_TRY(tn_coupling_fit(n->at.stepper->eval, s, (int)(component - s->components), n->session->stepper->t, n->at.q, n->at.v, n->at.arena,
                           &gap));
    n->misfit = fmax(n->misfit, gap);
    n->begun = tn_sys_component_name(s, component);
    return TN_OK;
}

/* Whether the state of a force, FMU or drive is one that the run has; those of forces and devices by their names. */
static bool same_state(const successor *n, const tn_sys_state *from, const tn_sys_state *to)
{
    if ((from->decl >= 0) != (to->decl >= 0) || (to->decl < 0 && from->decl != to->decl))
        return false;
    if (to->decl < 0 && to->decl > TN_STATE_OF_EXTERNAL)
        return old_constraint(n, to->source) >= 0;
    const tn_force *was = &n->session->model->forces[to->source], *is = &n->model->forces[to->source];
    if (!tn_entity_same(&was->entity, &is->entity))
        return false;
    if (to->decl <= TN_STATE_OF_EXTERNAL)
        return was->type->device->external == is->type->device->external;
    return strcmp(was->type->states[from->decl].name, is->type->states[to->decl].name) == 0;
}

static void carry_state(successor *n, int k)
{
    const tn_system *old = n->session->system;
    const tn_sys_state *to = &n->at.system->state[k];
    for (int j = old->component_states; j < old->states; j++) {
        const tn_sys_state *from = &old->state[j];
        if (from->source != to->source || !same_state(n, from, to))
            continue;
        if (to->decl < 0 || isnan(n->model->forces[to->source].start[to->decl]) ||
            n->model->forces[to->source].start[to->decl] == n->was->forces[to->source].start[from->decl])
            n->at.v[n->at.system->velocities + k] =
                n->session->stepper->y[old->positions + old->velocities + j];
    }
}

static int carry_components(successor *n)
{
    const tn_system *s = n->at.system;
    const tn_stepper *was = n->session->stepper;
    bool *begins = tn_arena_alloc(n->at.arena, (size_t)s->component_count, sizeof(bool));
    if (!begins)
        return TN_ERROR_MEMORY;
    tn_hybrid_carry(was->system, was->memory, s, n->at.memory);
    tn_coupling_carry(was->system, was->y, was->memory, s, n->at.v, n->at.memory, begins);
    TN_TRY(tn_coupling_restore(n->at.stepper->eval, s, n->at.memory));
    for (int k = 0; k < s->component_count; k++)
        if (begins[k])
            TN_TRY(begin_component(n, &s->components[k]));
    return TN_OK;
}

static int carry(successor *n)
{
    const tn_system *s = n->at.system;
    TN_TRY(tn_joining_begin(&n->at));
    TN_TRY(tn_system_start(s, n->at.q, n->at.v));
    for (int b = 0; b < s->body_count; b++)
        carry_body(n, b);
    for (int i = 0; i < s->constraint_count; i++)
        carry_coordinates(n, i);
    for (int k = s->component_states; k < s->states; k++)
        carry_state(n, k);
    TN_TRY(carry_components(n));
    memcpy(n->at.moved, n->at.q, (size_t)s->positions * sizeof(double));
    return TN_OK;
}

/* ---- new joints ---- */

/* Starts closings that reduce the gaps of new joints to zero gradually, over the duration, without a jump. With
 * duration 0 no closing starts and the joints are closed at once. */
static int draw_joints(successor *n, double duration)
{
    tn_eval *e = n->at.stepper->eval;
    const double now = n->session->stepper->t;
    for (int i = 0; i < n->at.system->constraint_count; i++)
        if (n->at.fresh[i])
            tn_closings_drop(&n->closings, n->at.system->constraints[i].source);
    if (duration == 0 || n->at.fresh_count == 0)
        return TN_OK;
    tn_eval_motion(e, n->at.system, now, n->at.q, n->at.v);
    tn_eval_constraints(e, n->at.system, n->at.memory, 1, false);
    for (int i = 0; i < n->at.system->constraint_count; i++) {
        tn_constraint *c = &n->at.system->constraints[i];
        tn_closing closing = { .joint = c->source, .begin = now, .duration = duration, .most_energy = INFINITY,
                               .most_force = INFINITY, .most_power = INFINITY };
        if (!n->at.fresh[i])
            continue;
        tn_closing_begin(&closing, e, n->at.system, i);
        TN_TRY(tn_closings_put(&n->closings, n->session->context, &closing));
    }
    tn_system_set_closings(n->at.system, &n->closings);
    return TN_OK;
}

/* The values of bodies that the command 'state' gives: they hold exactly, as in 'initial'. A body of which only the angular
 * velocity is given goes on with the velocity of its centre of mass. */
static int take_given(successor *n)
{
    const tn_system *s = n->at.system, *old = n->session->system;
    const double *v = n->session->stepper->y + old->positions;
    unsigned char *given = tn_arena_alloc(n->at.arena, (size_t)s->body_count, 1);
    double *moving = tn_arena_alloc(n->at.arena, (size_t)s->velocities, sizeof(double));
    if (!given || !moving)
        return TN_ERROR_MEMORY;
    for (int b = 0; b < s->body_count; b++) {
        int from = old_body(n, s->bodies[b].source);
        given[b] = s->bodies[b].port ? 0 : n->model->bodies[s->bodies[b].source].given;
        if (from >= 0)
            memcpy(moving + s->bodies[b].v, v + old->bodies[from].v, (size_t)s->dimension * sizeof(double));
    }
    n->at.given = given;
    n->at.moving = moving;
    return TN_OK;
}

/* ---- replacing the model ---- */

/* Refuses closings that the mechanism cannot follow; the others get the bounds at which they end the run. */
static int check_drawing(successor *n, double duration)
{
    tn_draw_bounds most;
    TN_TRY(tn_draw_check(&most, &(tn_drawing){ .system = n->at.system, .coupling = n->at.coupling, .solver = n->at.stepper->chosen,
                                        .eval = n->at.stepper->eval, .arena = n->at.arena, .fresh = n->at.fresh, .q = n->at.q,
                                        .v = n->at.v, .memory = n->at.memory, .begin = n->session->stepper->t,
                                        .duration = duration, .gap_tolerance = n->session->solve.gap_tolerance }));
    for (size_t k = 0; k < n->closings.count; k++) {
        tn_closing *closing = &n->closings.items[k];
        if (closing->begin != n->session->stepper->t)
            continue;
        closing->most_energy = most.energy;
        closing->most_force = most.force;
        closing->most_power = most.power;
    }
    return TN_OK;
}

/* Starts the new stepper at the present state: carries the common state over and closes new joints. */
static int start_from_now(successor *n, const tn_recompile_options *how)
{
    const tn_stepper *st = n->session->stepper;
    TN_TRY(carry(n));
    if (n->at.fresh_count > 0)
        TN_TRY(tn_joining_count_turns(&n->at));
    TN_TRY(draw_joints(n, how->draw));
    if (how->state)
        TN_TRY(take_given(n));
    if (n->at.fresh_count > 0 || how->state)
        TN_TRY(tn_joining_close(&n->at, how->snap));
    if (how->draw > 0 && n->at.fresh_count > 0)
        TN_TRY(check_drawing(n, how->draw));
    TN_TRY(tn_stepper_start(n->at.stepper, st->t, n->at.q, n->at.v, n->at.memory));
    n->at.stepper->counts = st->counts;
    if (isnan(n->model->solve.step) || n->session->solve.step == n->model->solve.step)
        n->at.stepper->h = st->h;
    return TN_OK;
}

/* Stores the found values of "as built" parameters as numbers in the model. */
static void keep_found(successor *n)
{
    for (int i = 0; i < n->at.system->own_constraints; i++) {
        const tn_constraint *c = &n->at.system->constraints[i];
        tn_joint *joint = &n->model->joints[c->source];
        for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++)
            joint->parameters[k] = c->parameters[k];
    }
}

static int build_recompile(successor *n, const tn_recompile_options *how)
{
    const tn_session *s = n->session;
    TN_TRY(tn_model_check_masses(n->model));
    TN_TRY(tn_system_create(&n->at.system, n->model));
    TN_TRY(tn_compliance_attach(n->at.system));
    TN_TRY(tn_coupling_create(&n->at.coupling, n->at.system));
    TN_TRY(how->snapshot ? tn_closings_copy(&n->closings, s->context, how->closings)
                       : tn_closings_carry(&n->closings, &s->overlay.closings, s->model, n->model, s->stepper->t));
    tn_system_set_closings(n->at.system, &n->closings);
    TN_TRY(tn_stepper_create(&n->at.stepper, n->at.system, n->at.coupling, &n->model->solve, n->model->solve_span));
    if (n->pull.active)
        n->at.stepper->eval->pull = &n->pull.load;
    return how->snapshot ? tn_snapshot_resume(n->at.stepper, how->snapshot) : start_from_now(n, how);
}

/* Adds a note to the answer when a component starts again: the edit keeps the poses of its ports only. */
static void tell_beginning(const successor *n, tn_ack *ack)
{
    size_t used = strlen(ack->text);
    if (n->begun)
        snprintf(ack->text + used, sizeof ack->text - used, "; the inside of '%.60s' begins anew, with ports off by "
                 "%.2g (m or rad)", n->begun, n->misfit);
}

/* Exchanges the model and its compiled parts between the session and n. */
static void exchange_with_session(successor *n)
{
    tn_session *s = n->session;
    tn_trust_room_free(s);
    successor was = { .model = s->model, .at = { .system = s->system, .coupling = s->coupling, .stepper = s->stepper } };
    s->model = n->model;
    s->system = n->at.system;
    s->coupling = n->at.coupling;
    s->stepper = n->at.stepper;
    tn_unilaterals_exchange(s->unilaterals, &n->unilaterals);
    n->model = was.model;
    n->at.system = was.at.system;
    n->at.coupling = was.at.coupling;
    n->at.stepper = was.at.stepper;
    tn_pulling pull = s->overlay.pull;
    s->overlay.pull = n->pull;
    n->pull = pull;
    tn_closing_list closings = s->overlay.closings;
    s->overlay.closings = n->closings;
    n->closings = closings;
    tn_overlay_bind(s);
    s->revision++;
    s->eval_current = s->at_rest = false;
    s->inputs = NULL;
    s->input_count = 0;
}

int tn_session_rebind(tn_session *s)
{
    TN_TRY(tn_binding_renew(s));
    s->late_probes = NULL;
    TN_TRY(tn_events_collect(s));
    TN_TRY(tn_channels_rebind(s));
    TN_TRY(tn_work_begin(s));
    TN_TRY(tn_events_rebind(s));
    s->rebinding = false;
    if (!s->events->firing)
        tn_binding_release(s);
    return TN_OK;
}

static int put_in_place(successor *n, const tn_recompile_options *how, const tn_ack *ack)
{
    tn_session *s = n->session;
    exchange_with_session(n);
    s->solve = s->stepper->solve;
    s->iterations_before = s->summary.iterations;
    s->work += ack->energy_change;                     /* keeps the energy balance closed */
    if (how->snapshot)
        tn_snapshot_place(s->stepper, how->snapshot);
    TN_TRY(how->snapshot ? tn_unilaterals_restore(s, &how->snapshot->unilaterals) : tn_unilaterals_place(s));
    if (how->snapshot)
        TN_TRY(tn_snapshot_resume(s->stepper, how->snapshot));
    TN_TRY(tn_session_rebind(s));
    return how->snapshot ? tn_snapshot_account(s, how->snapshot) : TN_OK;
}

static int replace_model(successor *n, const tn_recompile_options *how, tn_ack *ack, tn_model **old)
{
    tn_session *s = n->session;
    tn_solve solve = s->solve;
    double work = s->work;
    long iterations = s->iterations_before;
    n->at.arena = tn_arena_create(s->context);
    if (!n->at.arena)
        return TN_ERROR_MEMORY;
    TN_TRY(build_recompile(n, how));
    TN_TRY(tn_unilaterals_list(&n->unilaterals, s, n->model));
    ack->energy_change = tn_stepper_energy(n->at.stepper) - tn_stepper_energy(s->stepper);
    ack->displacement = how->snapshot ? 0 : tn_joining_displacement(&n->at);
    const tn_saddle_info was = tn_joining_rank(s->stepper);
    tn_joining_tell_rank(ack, &was, n->at.stepper);
    tell_beginning(n, ack);
    keep_found(n);
    int code = put_in_place(n, how, ack);
    if (code == TN_OK) {
        *old = n->model;
        return TN_OK;
    }
    exchange_with_session(n);
    s->solve = solve;
    s->work = work;
    s->iterations_before = iterations;
    tn_session_rebind(s);                                         /* needs no new memory; code keeps the error */
    return code;
}

/* The pull that continues with the new model: the pull of the snapshot, or the present pull if its body remains. */
static tn_pulling pull_of(const tn_session *s, const tn_model *model, const tn_recompile_options *how)
{
    tn_pulling pull = how->snapshot ? how->snapshot->pull : s->overlay.pull;
    uint32_t body = pull.load.body;
    pull.active &= body < model->body_count && model->bodies[body].entity.alive &&
                   (how->snapshot || tn_entity_same(&model->bodies[body].entity, &s->model->bodies[body].entity));
    return pull;
}

int tn_session_recompile(tn_session *s, tn_model *model, const tn_recompile_options *how, tn_ack *ack, tn_model **old)
{
    successor n = { .session = s, .was = how->standing, .model = model, .pull = pull_of(s, model, how) };
    if (s->stepper->motion_only || s->kinematics || s->loads)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "only a session of tn_session_open can be edited");
    n.at.t = s->stepper->t;
    n.at.gap_tolerance = s->solve.gap_tolerance;
    int code = replace_model(&n, how, ack, old);
    tn_unilaterals_free(&n.unilaterals, s);
    tn_closings_free(&n.closings, s->context);
    tn_stepper_destroy(n.at.stepper);
    tn_coupling_destroy(n.at.coupling);
    tn_system_destroy(n.at.system);
    tn_arena_destroy(n.at.arena);
    return code;
}
