/* Equilibria and natural modes of a session. */
#include <string.h>
#include "session_parts.h"
#include "modes.h"
#include "statics.h"

/* The equilibrium that the caller receives, with the arena that owns its memory. */
typedef struct owned_equilibrium {
    tn_equilibrium equilibrium;
    tn_arena *arena;
} owned_equilibrium;

typedef struct owned_modes {
    tn_modes modes;
    tn_arena *arena;
} owned_modes;

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

/* Moves the session to the state of the tangent; its channels then show the solution at that state. */
static int move_to_tangent_state(tn_session *s, const tn_tangent *n)
{
    const tn_system *sys = s->system;
    tn_stepper *st = s->stepper;
    tn_eval *e = st->eval;
    const double before = tn_stepper_energy(st);
    TN_TRY(tn_stepper_start(st, n->t, n->y, n->y + sys->positions, n->memory));
    s->work += tn_stepper_energy(st) - before;         /* keeps the energy balance closed */
    e->reactions_known = true;
    memset(e->a, 0, (size_t)sys->velocities * sizeof(double));
    memcpy(e->lambda, n->stepper->eval->lambda, (size_t)sys->rows * sizeof(double));
    memcpy(e->f, n->stepper->eval->f, (size_t)sys->velocities * sizeof(double));
    s->eval_current = s->at_rest = true;
    return tn_work_begin(s);
}

static int find_equilibrium(owned_equilibrium *owned, tn_session *s, const tn_statics_options *options)
{
    tn_tangent *near = NULL;
    TN_TRY(tn_log_flush(s));
    TN_TRY(tn_tangent_of_session(&near, s));
    int code = tn_statics_find(&owned->equilibrium, near, options, owned->arena);
    if (code == TN_OK)
        code = move_to_tangent_state(s, near);
    tn_tangent_destroy(near);
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
