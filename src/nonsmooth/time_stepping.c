/* Time stepping of contacts after Moreau (1988) and Jean (1999), for times at which mode changes are too frequent or
 * the event-driven method finds no modes. In a step of fixed length h, one problem gives the impulses p of all
 * unilateral constraints with a small gap and the velocities w at the end of the step, with free velocities v and
 * accelerations a,
 *     w = W p + v + h a,   0 <= w_n + gap / h,  0 <= p_n,  one of them 0,
 *     p_t in the disc of radius mu p_n, against w_t
 * and positions move with the velocities at the end. The method locates no events and keeps no constraint closed from
 * step to step, so contacts cannot pull, and mode changes cannot repeat without end. The order is one; there is no
 * rebound. The smallest shift of the bodies removes overlaps that remain because the gaps are not linear. */
#include <math.h>
#include <string.h>
#include "dense.h"
#include "diag.h"
#include "unilateral_modes.h"
#include "vec.h"

/* s: length of a step; length of a period of time stepping after the event-driven method has failed; longest period,
 * when that method fails again and again. */
static const double STEP = 1e-4, PAUSE = 2e-4, LONGEST_PAUSE = 2e-2;
/* Mode decisions allowed after a period of time stepping, before they count as too frequent again. */
static const double FEW = 8;
/* Safety factor for the approach of shapes in a step, relative to the speeds at its start. */
static const double SURELY = 1.5;
/* Rounds of shifts against overlaps; convergence is quadratic. */
enum { MOST_SHIFTS = 8 };
/* m or rad: the step has failed when a larger overlap remains after all shifts. */
static const double MOST_OVERLAP = 1e-8;

int tn_near_list_find(tn_near_list *out, tn_session *s, double margin, double h, tn_arena *arena)
{
    const tn_touch *touches = NULL;
    size_t count = 0;
    if (s->unilaterals->near.touches)
        TN_TRY(tn_contact_shapes_find(&touches, &count, s, margin));
    out->unilaterals = tn_arena_alloc(arena, count + s->unilaterals->count, sizeof *out->unilaterals);
    out->list = tn_arena_alloc(arena, count + s->unilaterals->count, sizeof *out->list);
    out->count = 0;
    if (!out->unilaterals || !out->list)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++)
        out->unilaterals[out->count++] = tn_touch_unilateral(s, &touches[k]);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        if (g->limit < 0)
            continue;
        tn_unilateral_measure(g, s);
        if (g->gap + SURELY * h * fmin(g->rate, 0) < margin)
            out->unilaterals[out->count++] = *g;
    }
    for (int k = 0; k < out->count; k++) {
        out->list[k] = &out->unilaterals[k];
        tn_unilateral_measure(out->list[k], s);
    }
    return TN_OK;
}

static void move_to(tn_session *s, double t, const double *y)
{
    tn_eval_motion(s->stepper->eval, s->system, t, y, y + s->system->positions);
    s->eval_current = false;
}

/* ---- velocities ---- */

void tn_delassus_add_response(const tn_delassus *b, double *to)
{
    int n = b->session->system->velocities;
    for (int i = 0; i < b->rows; i++)
        for (int j = 0; j < n; j++)
            to[j] += b->p[i] * b->A[i * n + j];
}

/* Finds the impulses of the step, into p. */
static int find_impulses(tn_delassus *b, double h, bool *solved)
{
    TN_TRY(tn_delassus_accelerations(b));
    for (int i = 0; i < b->rows; i++)
        b->part_b[i] = b->eval->gdot[b->first + i] + h * b->b[i];
    for (int k = 0; k < b->count; k++) {
        b->contacts[k].slides = false;
        b->part_b[b->contacts[k].row] += fmax(b->unilaterals[k]->gap, 0) / h;
    }
    memset(b->p, 0, (size_t)b->rows * sizeof(double));
    tn_cone_problem problem = { b->rows, b->W, b->part_b, b->contacts, b->count };
    *solved = tn_cone_solve(b->p, b->w, &problem, b->work, b->numbers) == 0;
    return TN_OK;
}

/* Computes y, the state after the step, from the stepper's state. No contact is in force in the stepper. */
static int take_velocities(tn_session *s, double h, double *y, tn_arena *arena)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    double *v = y + sys->positions;
    tn_near_list near;
    tn_delassus delassus;
    bool solved = true;
    memcpy(y, st->y, (size_t)sys->size * sizeof(double));
    move_to(s, st->t, st->y);
    double speed = s->unilaterals->near.touches ? tn_touches_speed(s) : 0;
    double reach = SURELY * h * (speed + h * tn_largest(sys->velocities, st->dy + sys->positions));
    TN_TRY(tn_near_list_find(&near, s, reach + TN_UNILATERAL_TOUCHES, h, arena));
    for (int k = 0; k < sys->velocities + sys->states; k++)
        v[k] += h * st->dy[sys->positions + k];
    if (near.count > 0) {
        TN_TRY(tn_delassus_open(&delassus, s, near.list, near.count));
        int code = tn_delassus_load(&delassus, st->t, st->y);
        if (code == TN_OK)
            code = find_impulses(&delassus, h, &solved);
        if (code == TN_OK)
            tn_delassus_add_response(&delassus, v);
        tn_delassus_close(&delassus);
        TN_TRY(code);
    }
    tn_unilaterals_note_solved(s, solved);
    for (int k = 0; k < sys->velocities; k++)
        st->delta[k] = h * v[k];
    tn_position_move(sys, st->y, st->delta, y);
    return tn_stepper_finish(s->stepper, st->t + h, y);
}

/* ---- overlaps ---- */

void tn_delassus_find_shift(tn_delassus *b, double *delta)
{
    memset(b->part_b, 0, (size_t)b->rows * sizeof(double));
    memset(b->p, 0, (size_t)b->rows * sizeof(double));
    memset(delta, 0, (size_t)b->session->system->velocities * sizeof(double));
    for (int k = 0; k < b->count; k++) {
        b->contacts[k].mu = 0;
        b->part_b[b->contacts[k].row] = b->unilaterals[k]->gap;
    }
    tn_cone_problem problem = { b->rows, b->W, b->part_b, b->contacts, b->count };
    (void)tn_cone_solve(b->p, b->w, &problem, b->work, b->numbers);
    tn_delassus_add_response(b, delta);
}

double tn_near_list_depth(const tn_near_list *near)
{
    double least = 0;
    for (int k = 0; k < near->count; k++)
        least = fmin(least, near->unilaterals[k].gap);
    return -least;
}

static int refuse_overlap(const tn_session *s, const tn_near_list *near, double t)
{
    const tn_unilateral *worst = near->list[0];
    for (int k = 1; k < near->count; k++)
        worst = near->list[k]->gap < worst->gap ? near->list[k] : worst;
    return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, worst), "'%s' at t = %.9g s: nothing keeps it from "
                   "overlapping by %.3g m: joints or drives force it", worst->name, t, -worst->gap);
}

static int push_apart(tn_session *s, double t, double *y, tn_arena *arena)
{
    const tn_stepper *st = s->stepper;
    tn_near_list near;
    tn_delassus delassus;
    for (int round = 0; round < MOST_SHIFTS; round++) {
        move_to(s, t, y);
        TN_TRY(tn_near_list_find(&near, s, TN_UNILATERAL_TOUCHES, 0, arena));
        if (tn_near_list_depth(&near) <= TN_UNILATERAL_NOISE)
            return TN_OK;
        TN_TRY(tn_delassus_open(&delassus, s, near.list, near.count));
        int code = tn_delassus_load(&delassus, t, y);
        if (code == TN_OK)
            tn_delassus_find_shift(&delassus, st->delta);
        tn_delassus_close(&delassus);
        TN_TRY(code);
        tn_position_move(s->system, y, st->delta, y);
        TN_TRY(tn_stepper_finish(s->stepper, t, y));
    }
    move_to(s, t, y);
    TN_TRY(tn_near_list_find(&near, s, TN_UNILATERAL_TOUCHES, 0, arena));
    return tn_near_list_depth(&near) <= MOST_OVERLAP ? TN_OK : refuse_overlap(s, &near, t);
}

/* ---- the step ---- */

/* Returns the length of the next step. Steps end at sample times, because there is no dense output. */
static double length_of(const tn_session *s, double t_end)
{
    double t = s->stepper->t, h = fmin(STEP, t_end - t);
    double sample = s->solve.record > 0 ? (double)s->next_sample * s->solve.record - t : INFINITY;
    return sample > TN_SAME_STEP * h ? fmin(h, sample) : h;
}

static int step_in_time(tn_session *s, double t_end, tn_arena *arena)
{
    double *y = tn_arena_alloc(arena, (size_t)s->system->size, sizeof *y), h = length_of(s, t_end);
    double before = s->energy.kinetic + s->energy.potential;
    if (!y)
        return TN_ERROR_MEMORY;
    TN_TRY(take_velocities(s, h, y, arena));
    TN_TRY(push_apart(s, s->stepper->t + h, y, arena));
    double t = s->stepper->t + h;
    TN_TRY(tn_stepper_start(s->stepper, t, y, y + s->system->positions, s->stepper->memory));
    s->stepper->counts.steps++;
    s->eval_current = s->at_rest = false;
    TN_TRY(tn_work_begin(s));
    s->work += s->energy.kinetic + s->energy.potential - before;
    return TN_OK;
}

int tn_time_step(tn_session *s, double t_end)
{
    double until = s->unilaterals->held_until;
    TN_TRY(tn_unilaterals_let_go(s));
    s->unilaterals->held = true;
    tn_arena *arena = tn_arena_create(s->context);
    int code = arena ? step_in_time(s, t_end, arena) : TN_ERROR_MEMORY;
    tn_arena_destroy(arena);
    s->unilaterals->held = s->stepper->t < until;
    s->unilaterals->last = s->stepper->t;                    /* `crowd` does not shrink meanwhile */
    s->unilaterals->rounds = 0;
    if (!s->unilaterals->held)
        s->unilaterals->crowd = fmax(s->unilaterals->crowd - FEW, 0);
    return code;
}

int tn_time_step_helps(tn_session *s, bool *helps)
{
    tn_near_list near;
    *helps = false;
    if (s->system->component_count > 0 || s->stepper->source.step || !s->stepper->scheme->finish ||
        (!s->unilaterals->near.touches && s->unilaterals->count == 0))
        return TN_OK;
    tn_arena *arena = tn_arena_create(s->context);
    move_to(s, s->stepper->t, s->stepper->y);
    int code = arena ? tn_near_list_find(&near, s, TN_UNILATERAL_TOUCHES, 0, arena) : TN_ERROR_MEMORY;
    *helps = code == TN_OK && near.count > 0;
    tn_arena_destroy(arena);
    return code;
}

void tn_time_steps_begin(tn_session *s, const char *why)
{
    tn_unilaterals *g = s->unilaterals;
    bool again = s->summary.holds > 0 && s->stepper->t - g->held_until < g->pause;
    g->pause = again ? fmin(2 * g->pause, LONGEST_PAUSE) : PAUSE;
    g->held = true;
    g->held_until = s->stepper->t + g->pause;
    if (s->summary.holds++ == 0)
        tn_warn(s->context, TN_NOWHERE, "contacts are stepped in time, to first order and without rebound, for %g s or "
                "more from t = %.9g s on: %s", PAUSE, s->stepper->t, why);
}
