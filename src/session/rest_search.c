/* Static equilibrium of a session with unilateral constraints. The search goes downhill between the constraints, all
 * open (tn_statics_descend); where it comes to rest, the constraints that bear load are closed, and Newton's method
 * finds the equilibrium with them as equations. The result counts when gaps and forces obey the laws of contact there.
 * Stability is judged with the closed constraints; from an unstable equilibrium the search goes on. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "rest.h"
#include "session_parts.h"

/* Share of the load that may be unbalanced where Newton's method takes over; the next value where the one before did
 * not lead to an equilibrium. */
static const double ROUGH[] = { 1e-4, 1e-6, 1e-8, 1e-9 };
enum { ROUGH_COUNT = 4, MOST_ESCAPES = 20 };
/* Share of the load that contact forces may leave unbalanced in the end. */
static const double BALANCED = 1e-9;

typedef struct rest_search {
    tn_session *s;
    const tn_statics_options *options;
    tn_arena *arena;
    tn_unilaterals_snapshot before;    /* of the session, for failures */
    double t_before, *y_before, *memory_before;
    double *away;                      /* direction off an unstable equilibrium */
    double *place;                     /* an equilibrium, before constraints without load are opened */
    bool leaves;                       /* away is valid */
    int rough;                         /* index of ROUGH */
    long steps;
} rest_search;

static int save_before(rest_search *r)
{
    const tn_system *sys = r->s->system;
    const tn_stepper *st = r->s->stepper;
    r->y_before = tn_arena_alloc(r->arena, (size_t)sys->size, sizeof(double));
    r->memory_before = tn_arena_alloc(r->arena, (size_t)sys->memory, sizeof(double));
    r->away = tn_arena_alloc(r->arena, (size_t)sys->velocities, sizeof(double));
    r->place = tn_arena_alloc(r->arena, (size_t)sys->size, sizeof(double));
    TN_TRY(tn_arena_status(r->arena));
    r->t_before = st->t;
    memcpy(r->y_before, st->y, (size_t)sys->size * sizeof(double));
    memcpy(r->memory_before, st->memory, (size_t)sys->memory * sizeof(double));
    return tn_unilaterals_take(&r->before, r->s);
}

/* Puts the session back to the state before the search. */
static void restore_before(rest_search *r)
{
    tn_session *s = r->s;
    bool at_rest = s->at_rest;
    if (tn_unilaterals_let_go(s) < 0 ||
        tn_stepper_start(s->stepper, r->t_before, r->y_before, r->y_before + s->system->positions, r->memory_before) < 0)
        return;
    (void)tn_unilaterals_restore(s, &r->before);
    s->eval_current = false;
    s->at_rest = at_rest;
    (void)tn_work_begin(s);
}

/* Makes the state of near the accepted one. */
static int take_state(tn_session *s, const tn_tangent *near)
{
    TN_TRY(tn_stepper_start(s->stepper, near->t, near->y, near->y + s->system->positions, near->memory));
    s->eval_current = false;
    return TN_OK;
}

static int place_tangent(tn_tangent **out, tn_session *s)
{
    const tn_stepper *st = s->stepper;
    TN_TRY(tn_tangent_create(out, s->system, s->coupling));
    memset(st->y + s->system->positions, 0, (size_t)s->system->velocities * sizeof(double));
    int code = tn_tangent_place(*out, st->t, st->y, st->memory, true);
    if (code == TN_ERROR_STEP)
        tn_tangent_failed(*out);
    if (code < 0)
        tn_tangent_destroy(*out);
    return code;
}

/* Goes downhill; the accepted state of the session is then nearly at rest. */
static int go_down(rest_search *r)
{
    tn_session *s = r->s;
    tn_statics_options options = *r->options;
    const tn_static_bounds bounds = tn_rest_bounds(s);
    tn_tangent *near = NULL;
    options.tolerance = fmax(ROUGH[r->rough], options.tolerance);
    TN_TRY(place_tangent(&near, s));
    int code = tn_statics_descend(&r->steps, near, &options, &bounds, r->leaves ? r->away : NULL);
    if (code == TN_OK)
        code = take_state(s, near);
    tn_tangent_destroy(near);
    r->leaves = false;
    return code;
}

/* Finds the equilibrium with the closed constraints as equations. *found: near is there, and the laws hold. */
static int finish(rest_search *r, tn_equilibrium *out, tn_tangent *near, bool *found, tn_arena *arena)
{
    tn_statics_options options = *r->options;
    options.nearest = true;
    options.time = near->t;
    tn_report_mark mark = tn_report_now(r->s->context);
    int code = tn_statics_find(out, near, &options, r->away, arena);
    *found = false;
    if (code == TN_ERROR_STEP) {
        if (r->rough + 1 < ROUGH_COUNT)
            tn_report_forget(r->s->context, mark);
        return r->rough + 1 < ROUGH_COUNT ? TN_OK : code;
    }
    TN_TRY(code);
    r->steps += out->iterations;
    return tn_rest_check(r->s, near, BALANCED, out->load, found);
}

static int refuse(const rest_search *r)
{
    return tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "no equilibrium was found: stops and contacts close and open "
                   "without end on the way");
}

/* Finds the equilibrium with the constraints that are closed now, in a new tangent; NULL: there is none. */
static int finish_here(rest_search *r, tn_equilibrium *out, tn_tangent **near, tn_arena *arena)
{
    bool found = false;
    TN_TRY(place_tangent(near, r->s));
    int code = finish(r, out, *near, &found, arena);
    if (code == TN_OK && found)
        return TN_OK;
    tn_tangent_destroy(*near);
    *near = NULL;
    return code;
}

/* At an equilibrium that is unstable without the constraints that bear no load; r->place is the one with them. Turns the
 * direction away to a side on which nothing opposes it; where there is none, closes these constraints again. */
static int look_around(rest_search *r, tn_equilibrium *out, tn_tangent **near,
                       const tn_unilaterals_snapshot *closed, tn_arena *arena)
{
    tn_session *s = r->s;
    bool forward, backward;
    TN_TRY(tn_rest_opposes(&forward, &backward, s, *near, r->place, r->away));
    for (int k = 0; k < s->system->velocities && forward; k++)
        r->away[k] = -r->away[k];
    if (!forward || !backward)
        return TN_OK;
    int code = tn_stepper_start(s->stepper, (*near)->t, r->place, r->place + s->system->positions, (*near)->memory);
    tn_tangent_destroy(*near);
    *near = NULL;
    TN_TRY(code);
    TN_TRY(tn_unilaterals_restore(s, closed));
    return finish_here(r, out, near, arena);
}

/* Opens constraints that bear no load at the equilibrium, so that they do not count as equations in its stability. */
static int release_idle(rest_search *r, tn_equilibrium *out, tn_tangent **near,
                        const tn_unilaterals_snapshot *closed, tn_arena *arena)
{
    int released;
    memcpy(r->place, (*near)->y, (size_t)r->s->system->size * sizeof(double));
    TN_TRY(tn_rest_release(&released, r->s, (*near)->stepper->eval->lambda, out->load));
    if (released == 0)
        return TN_OK;
    int code = take_state(r->s, *near);
    tn_tangent_destroy(*near);
    *near = NULL;
    TN_TRY(code);
    TN_TRY(finish_here(r, out, near, arena));
    return *near && out->kind == TN_EQUILIBRIUM_UNSTABLE ? look_around(r, out, near, closed, arena) : TN_OK;
}

static int judge_without_idle(rest_search *r, tn_equilibrium *out, tn_tangent **near, tn_arena *arena)
{
    tn_unilaterals_snapshot closed;
    TN_TRY(tn_unilaterals_take(&closed, r->s));
    int code = release_idle(r, out, near, &closed, arena);
    tn_free(r->s->context, closed.items);
    return code;
}

/* One way down and its equilibrium. *near: at the equilibrium, or NULL when the search has to go on. */
static int search_once(rest_search *r, tn_equilibrium *out, tn_tangent **near, tn_arena *arena)
{
    *near = NULL;
    TN_TRY(go_down(r));
    TN_TRY(tn_rest_close(r->s));
    TN_TRY(finish_here(r, out, near, arena));
    if (*near)
        TN_TRY(judge_without_idle(r, out, near, arena));
    if (*near)
        return TN_OK;
    r->rough++;
    TN_TRY(tn_unilaterals_let_go(r->s));
    return r->rough < ROUGH_COUNT ? TN_OK : refuse(r);
}

static int search(rest_search *r, tn_equilibrium *out, tn_tangent **near, tn_arena *arena)
{
    for (int escapes = 0;;) {
        TN_TRY(search_once(r, out, near, arena));
        if (!*near)
            continue;
        if (out->kind != TN_EQUILIBRIUM_UNSTABLE || escapes++ == MOST_ESCAPES)
            return TN_OK;
        r->leaves = true;
        r->rough = 0;
        int code = take_state(r->s, *near);
        tn_tangent_destroy(*near);
        TN_TRY(code);
        TN_TRY(tn_unilaterals_let_go(r->s));
    }
}

static int run_search(rest_search *r, tn_equilibrium *out, tn_arena *arena)
{
    tn_tangent *near = NULL;
    TN_TRY(tn_unilaterals_let_go(r->s));
    TN_TRY(search(r, out, &near, arena));
    out->iterations = r->steps;
    int code = tn_rest_supports(out, r->s, near->stepper->eval->lambda, arena);
    if (code == TN_OK)
        code = tn_session_take_equilibrium(out, r->s, near, arena);
    tn_tangent_destroy(near);
    return code;
}

int tn_session_find_rest(tn_equilibrium *out, tn_session *s, const tn_statics_options *options, tn_arena *arena)
{
    rest_search r = { .s = s, .options = options, .arena = tn_arena_create(s->context) };
    int code = r.arena ? save_before(&r) : TN_ERROR_MEMORY;
    if (code == TN_OK) {
        const double energy = tn_stepper_energy(s->stepper), work = s->work;
        code = run_search(&r, out, arena);
        if (code < 0)
            restore_before(&r);
        else                                           /* keeps the energy balance closed */
            s->work = work + s->energy.kinetic + s->energy.potential - energy;
    }
    tn_free(s->context, r.before.items);
    tn_arena_destroy(r.arena);
    return code;
}
