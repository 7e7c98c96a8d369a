/* Equilibria, natural modes and free motions of a session. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "coupling.h"
#include "diag.h"
#include "free_motions.h"
#include "modes.h"
#include "rest.h"
#include "session_parts.h"

/* Share of the load that contact forces may leave unbalanced. */
static const double BALANCED = 1e-8;
/* m/s or rad/s: slower drives stand still but for round-off. */
static const double MOVES = 1e-9;

/* The equilibrium that the caller receives, with the arena that owns its memory. */
typedef struct owned_equilibrium {
    tn_equilibrium equilibrium;
    tn_arena *arena;
} owned_equilibrium;

typedef struct owned_modes {
    tn_modes modes;
    tn_arena *arena;
} owned_modes;

typedef struct owned_motions {
    tn_free_motions motions;
    tn_arena *arena;
} owned_motions;

int tn_tangent_of_session(tn_tangent **out, tn_session *s)
{
    const tn_stepper *st = s->stepper;
    TN_TRY(tn_tangent_create(out, s->system, s->coupling));
    int code = tn_tangent_place(*out, st->t, st->y, st->memory, s->at_rest);
    if (code == TN_ERROR_STEP)
        tn_tangent_failed(*out);
    if (code < 0)
        tn_tangent_destroy(*out);
    return code;
}

/* Lists drives that stand, but would not for long: those by acceleration. */
static int add_accelerating(tn_equilibrium *out, tn_halted_motion *halted, tn_session *s, const tn_tangent *n, tn_arena *arena)
{
    const tn_system *sys = s->system;
    tn_eval *e = s->stepper->eval;
    tn_eval_drives(e, sys, n->memory);
    for (int k = tn_drive_states_begin(sys); k < tn_drive_states_end(sys); k++) {
        const char *name = s->model->joints[sys->state[k].source].entity.name;
        bool there = !(fabs(e->dz[k]) > MOVES);
        for (size_t i = 0; i < out->halted_count; i++)
            there = there || strcmp(halted[i].name, name) == 0;
        name = there ? NULL : tn_arena_strdup(arena, name);
        if (!there && !name)
            return TN_ERROR_MEMORY;
        if (!there)
            halted[out->halted_count++] = (tn_halted_motion){ .name = name, .acceleration = e->dz[k] };
    }
    return TN_OK;
}

/* Lists the drives, and other joints with time in their equations, that move at this time: at rest, they alone change equations. */
static int find_halted(tn_equilibrium *out, tn_session *s, const tn_tangent *n, tn_arena *arena)
{
    const tn_system *sys = s->system;
    tn_eval *e = s->stepper->eval;
    tn_halted_motion *halted = tn_arena_alloc(arena, sys->works ? (size_t)sys->constraint_count : 0, sizeof *halted);
    if (!halted)
        return TN_ERROR_MEMORY;
    out->halted = halted;
    if (!sys->works)
        return TN_OK;
    tn_eval_motion(e, sys, n->t, n->y, NULL);
    tn_eval_constraints(e, sys, n->memory, 1, false);
    for (int i = 0; i < sys->own_constraints; i++) {
        const double rate = sys->constraints[i].works ? tn_eval_velocity_gap(e, sys, i) : 0;
        if (!(rate > MOVES))
            continue;
        const char *name = tn_arena_strdup(arena, tn_model_entity_name(s->model, tn_constraint_id(sys, i)));
        if (!name)
            return TN_ERROR_MEMORY;
        halted[out->halted_count++] = (tn_halted_motion){ .name = name, .rate = rate };
    }
    return add_accelerating(out, halted, s, n, arena);
}

int tn_session_take_equilibrium(tn_equilibrium *out, tn_session *s, const tn_tangent *n, tn_arena *arena)
{
    const tn_system *sys = s->system;
    tn_stepper *st = s->stepper;
    tn_eval *e = st->eval;
    const double before = tn_stepper_energy(st);
    TN_TRY(find_halted(out, s, n, arena));
    TN_TRY(tn_stepper_start(st, n->t, n->y, n->y + sys->positions, n->memory));
    s->work += tn_stepper_energy(st) - before;         /* keeps the energy balance closed */
    e->reactions_known = true;
    memset(e->a, 0, (size_t)sys->velocities * sizeof(double));
    memcpy(e->lambda, n->stepper->eval->lambda, (size_t)sys->rows * sizeof(double));
    memcpy(e->f, n->stepper->eval->f, (size_t)sys->velocities * sizeof(double));
    s->eval_current = s->at_rest = s->reactions_shared = true;
    return tn_work_begin(s);
}

/* Checks an equilibrium that was found without regard to unilateral constraints that are open, and with those that are
 * closed as equations. */
static int check_bounds(tn_session *s, tn_tangent *near, double load, bool nearest)
{
    const char *name = NULL;
    double depth = 0;
    bool rests = true;
    const char *advice = nearest ? "without 'nearest' the search respects stops and contacts"
                                 : "the search does not respect stops and contacts in models with compiled components";
    TN_TRY(tn_rest_violated(&name, &depth, s, near));
    if (name)
        return tn_fail(s->context, TN_ERROR_STEP, TN_NOWHERE, "the equilibrium lies beyond '%s', by %.6g m or rad; %s",
                       name, depth, advice);
    TN_TRY(tn_rest_check(s, near, BALANCED, load, &rests));
    return rests ? TN_OK : tn_fail(s->context, TN_ERROR_STEP, TN_NOWHERE, "in the equilibrium with the stops and contacts "
                                   "that are closed now, some would have to pull, or to hold more than their friction "
                                   "can; %s", advice);
}

static int find_plain_equilibrium(owned_equilibrium *owned, tn_session *s, const tn_statics_options *options)
{
    tn_tangent *near = NULL;
    TN_TRY(tn_tangent_of_session(&near, s));
    int code = tn_statics_find(&owned->equilibrium, near, options, NULL, owned->arena);
    if (code == TN_OK && tn_rest_needed(s))
        code = check_bounds(s, near, owned->equilibrium.load, options->nearest);
    if (code == TN_OK && tn_rest_needed(s))
        code = tn_rest_supports(&owned->equilibrium, s, near->stepper->eval->lambda, owned->arena);
    if (code == TN_OK)
        code = tn_session_take_equilibrium(&owned->equilibrium, s, near, owned->arena);
    tn_tangent_destroy(near);
    return code;
}

static int find_equilibrium(owned_equilibrium *owned, tn_session *s, const tn_statics_options *options)
{
    bool plain = !tn_rest_needed(s) || options->nearest || !tn_system_allows(s->system, TN_ALLOW_TERMS);
    TN_TRY(tn_log_flush(s));
    int code = plain ? find_plain_equilibrium(owned, s, options)
                     : tn_session_find_rest(&owned->equilibrium, s, options, owned->arena);
    if (code == TN_OK && s->log && s->log->rewind)
        tn_rewind_mark(s);
    return code == TN_OK ? tn_log_moved(s) : code;
}

int tn_session_statics(tn_equilibrium **out, tn_session *s, const tn_statics_options *options)
{
    tn_statics_options defaults = tn_statics_default();
    owned_equilibrium *owned = tn_alloc(s->context, 1, sizeof *owned);
    if (!owned)
        return TN_ERROR_MEMORY;
    owned->arena = tn_arena_create(s->context);
    int code = owned->arena ? find_equilibrium(owned, s, options ? options : &defaults) : TN_ERROR_MEMORY;
    if (code < 0)
        tn_equilibrium_destroy(s->context, &owned->equilibrium);
    else
        *out = &owned->equilibrium;
    return code < 0 ? code : TN_OK;
}

void tn_equilibrium_destroy(tn_context *context, tn_equilibrium *equilibrium)
{
    if (!equilibrium)
        return;
    owned_equilibrium *owned = (owned_equilibrium *)equilibrium;       /* it is the first member */
    tn_arena_destroy(owned->arena);
    tn_free(context, owned);
}

static int find_modes(owned_modes *owned, tn_session *s)
{
    tn_tangent *near = NULL;
    TN_TRY(tn_tangent_of_session(&near, s));
    int code = tn_modes_find(&owned->modes, near, owned->arena);
    tn_tangent_destroy(near);
    return code;
}

int tn_session_modes(tn_modes **out, tn_session *s)
{
    owned_modes *owned = tn_alloc(s->context, 1, sizeof *owned);
    if (!owned)
        return TN_ERROR_MEMORY;
    owned->arena = tn_arena_create(s->context);
    int code = owned->arena ? find_modes(owned, s) : TN_ERROR_MEMORY;
    if (code < 0)
        tn_modes_destroy(s->context, &owned->modes);
    else
        *out = &owned->modes;
    return code < 0 ? code : TN_OK;
}

void tn_modes_destroy(tn_context *context, tn_modes *modes)
{
    if (!modes)
        return;
    owned_modes *owned = (owned_modes *)modes;         /* it is the first member */
    tn_arena_destroy(owned->arena);
    tn_free(context, owned);
}

static int find_free_motions(owned_motions *owned, tn_session *s)
{
    tn_tangent *near = NULL;
    TN_TRY(tn_tangent_of_session(&near, s));
    int code = tn_free_motions_find(&owned->motions, near, owned->arena);
    tn_tangent_destroy(near);
    return code;
}

int tn_session_free_motions(tn_free_motions **out, tn_session *s)
{
    owned_motions *owned = tn_alloc(s->context, 1, sizeof *owned);
    if (!owned)
        return TN_ERROR_MEMORY;
    owned->arena = tn_arena_create(s->context);
    int code = owned->arena ? find_free_motions(owned, s) : TN_ERROR_MEMORY;
    if (code < 0)
        tn_free_motions_destroy(s->context, &owned->motions);
    else
        *out = &owned->motions;
    return code < 0 ? code : TN_OK;
}

void tn_free_motions_destroy(tn_context *context, tn_free_motions *motions)
{
    if (!motions)
        return;
    owned_motions *owned = (owned_motions *)motions;   /* it is the first member */
    tn_arena_destroy(owned->arena);
    tn_free(context, owned);
}
