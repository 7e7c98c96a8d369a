/* Time stepping of contacts after Moreau (1988) and Jean (1999), for times at which mode changes are too frequent, the
 * event-driven method finds no modes, heaps are too large for it, or the model asks for it. In a step of fixed length
 * h, one problem gives the impulses p of all near contacts and the velocities w at the end of the step, from the
 * velocities v at its start and the accelerations a without contacts,
 *     w = v + h a + A J' p,   0 <= w_n + gap / h,  0 <= p_n,  one of them 0,
 *     p_t in the disc of radius mu p_n, against w_t
 * A contact that would close within the step, faster than the resting speed, rebounds: 0 <= w_n + restitution v_n
 * takes the place of the first line (Newton's law). The method locates no events and keeps no constraint closed from
 * step to step, so contacts cannot pull, and mode changes cannot repeat without end. The order is one, where nothing
 * strikes two. The smallest shift of the bodies removes overlaps that remain because the gaps are not linear. */
#include <math.h>
#include <string.h>
#include "allowances.h"
#include "contact_rows.h"
#include "diag.h"
#include "impact_laws.h"
#include "time_lengths.h"
#include "time_motion.h"
#include "time_overlaps.h"
#include "time_sleep.h"
#include "time_turning.h"
#include "unilateral_modes.h"
#include "vec.h"

/* s: length of a period of time stepping after the event-driven method has failed. */
static const double PAUSE = 2e-4;
/* Mode decisions allowed after a period of time stepping, before they count as too frequent again. */
static const double FEW = 8;
/* Safety factor for the approach of shapes in a step, relative to the speeds at its start. */
static const double SURELY = 1.5;
/* Repetitions of a step with touches that were missed. */
enum { MOST_MISSES = 4 };
/* m: a larger overlap at the end of a step is that of a gap that is not linear; the step is taken again, so many times. */
static const double BENT = 1e-6;
enum { MOST_MIDDLES = 2 };
/* A step that leaves overlaps of this share of the smallest shape even then is too long for touches that move so far. */
static const double DEEP = 2e-3;
/* Rounds in which impulses and the torques against turning are found in turn. */
enum { MOST_TURNS = 20 };
/* A step that leaves overlaps is repeated with this share of its length, so many times. */
static const double SHORTER = 0.25;
enum { MOST_SHORTER = 5 };
/* m or rad: smaller gaps count as closed, so that noise of gaps does not set what rests in motion. */
static const double SMALL_GAP = 1e-8;
/* m or rad: gap, at the end of a step, of a contact that presses in it; more shortens the step where the method helps out. */
static const double MOST_OPENING = 5e-8;
/* Residual of the cone problem, as a share of the largest velocity: the solver ends, in small islands and in others; the
 * step counts as solved. */
static const double SMALL_ACCURACY = 1e-10, ACCURACY = 4e-9, ACCEPTABLE = 1e-8;
/* m/s: an island of bodies that touch stops where all its points are slower. */
static const double AT_REST = 1e-7;

/* ---- velocities ---- */

/* Returns the gap (m or rad) below which a contact counts as closed. In coarse steps that is the tolerance of gaps for a contact
 * that pressed in the last step: contacts that stick cannot all follow the small velocities that would close such gaps. */
static double closed_gap(const tn_session *s, const tn_unilateral *g)
{
    return g->mode == TN_UNILATERAL_PRESSED && tn_time_is_coarse(s) ? fmax(SMALL_GAP, s->solve.gap_tolerance) : SMALL_GAP;
}

/* Returns the largest speed that accelerations without contacts give to a body at the contact in the step. */
static double speed_gained(const tn_sweep_contact *c, const double *v, const double *free)
{
    double most = 0;
    for (int b = 0; b < c->J_count; b++) {
        double square = 0;
        for (int row = 0; row < c->rows; row++) {
            double w = 0;
            for (int j = 0; j < c->J[b].width; j++)
                w += c->J[b].values[j * c->rows + row] * (free[c->J[b].at + j] - v[c->J[b].at + j]);
            square += w * w;
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Sets the bound of a contact's normal velocity. The rebound is reduced by what accelerations take in the step, so that
 * no energy is gained. A body that is held by others, and falls for a step before they hold it again, does not rebound:
 * so slow an approach cannot be told from that. bounces false: nothing rebounds. Returns whether the contact rebounds. */
static bool set_shift(const tn_session *s, const tn_unilateral *g, tn_sweep_contact *c, const double *v, const double *free,
                      double h, bool bounces)
{
    double before = tn_contact_row_speed(c, 0, v), without = tn_contact_row_speed(c, 0, free);
    double rebound = -tn_unilateral_rebound(s, g, -before) * before + fmin(without - before, 0);
    c->shift = g->gap > closed_gap(s, g) ? g->gap / h : 0;
    if (!bounces || rebound <= 0 || g->gap + h * without > 0 ||
        -before <= fmax(tn_unilateral_resting_speed(s, g), speed_gained(c, v, free)))
        return false;
    c->shift = -rebound;
    return true;
}

/* Tells whether the contacts of an island that did not move hold it, with the impulses of the last step: nothing had to be solved. */
static bool stands(const tn_contact_rows *r, const int *list, int count, const tn_sweep_result *result)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        for (int b = 0; b < r->contacts[list[k]].A_count; b++)
            most = fmax(most, tn_largest(r->contacts[list[k]].A[b].width, r->v + r->contacts[list[k]].A[b].at));
    return result->sweeps == 0 && result->newton == 0 && result->residual <= ACCURACY && most <= AT_REST;
}

/* Solves the contacts of one island; `bounces` as for set_shift. any: a contact rebounds. */
static int solve_island(tn_session *s, tn_contact_rows *r, int island, double h, bool bounces, double *residual, bool *any)
{
    const int *list = r->order + r->island_begin[island];
    int count = r->island_begin[island + 1] - r->island_begin[island];
    const double *v = s->stepper->y + s->system->positions;
    *any = false;
    for (int k = 0; k < count; k++)
        *any = set_shift(s, &r->near[list[k]], &r->contacts[list[k]], v, r->free, h, bounces) || *any;
    bool small = tn_small_island(r, list, count), solved = false;
    tn_sweep_result result = tn_sweeps_solve(r->v, r->free, r->contacts, list, count, small ? SMALL_ACCURACY : ACCURACY,
                                             TN_STEP_SWEEPS, r->work, r->newton);
    s->unilaterals->sweeps += result.sweeps;
    if (!*any && !r->turns && tn_sleep_possible(r, s, list, count) && stands(r, list, count, &result))
        tn_sleep_stand(r, s->system, list, count);
    if (small && !(result.residual <= ACCURACY))
        TN_TRY(tn_small_island_solve(r, s->context, list, count, &solved));
    if (!solved)
        *residual = result.residual <= *residual ? *residual : result.residual;
    return TN_OK;
}

/* Returns the work (J) of the island's contacts over the step: impulses times the mean of the velocities before and
 * after. belts: adds the part of it that belts do. */
static double island_work(const tn_session *s, const tn_contact_rows *r, int island, double *belts)
{
    const double *v = s->stepper->y + s->system->positions;
    double work = 0;
    *belts = 0;
    for (int k = r->island_begin[island]; k < r->island_begin[island + 1]; k++) {
        const tn_sweep_contact *c = &r->contacts[r->order[k]];
        for (int row = 0; row < c->rows && c->p[0] > 0; row++)
            work += c->p[row] * (tn_contact_row_speed(c, row, v) + tn_contact_row_speed(c, row, r->v)) / 2;
        for (int row = 1; row < c->rows && c->p[0] > 0; row++)
            *belts -= c->p[row] * c->belt[row - 1];
    }
    return work;
}

/* Finds the impulses of all islands, and their work. Rebounds that would add energy, where friction and restitution
 * work against each other, do not happen. */
static int find_impulses(tn_session *s, tn_contact_rows *r, double h, double *work, double *residual)
{
    for (int i = 0; i < r->island_count; i++) {
        bool rebounds;
        TN_TRY(solve_island(s, r, i, h, true, residual, &rebounds));
        double belts, own = island_work(s, r, i, &belts);
        if (rebounds && own > belts) {
            TN_TRY(solve_island(s, r, i, h, false, residual, &rebounds));
            own = island_work(s, r, i, &belts);
        }
        *work += own;
    }
    return TN_OK;
}

/* Lists the impacts of the step: contacts that were open, approached faster than the resting speed, and press now. */
static int report_impacts(tn_session *s, const tn_contact_rows *r)
{
    const double *v = s->stepper->y + s->system->positions;
    for (size_t k = 0; k < r->near_count; k++) {
        tn_unilateral *g = &r->near[k];
        const tn_sweep_contact *c = &r->contacts[k];
        double approach = -tn_contact_row_speed(c, 0, v);
        if (!(c->p[0] > 0) || approach <= tn_unilateral_resting_speed(s, g))
            continue;
        double lost = 0;
        for (int row = 0; row < c->rows; row++)
            lost -= c->p[row] * (tn_contact_row_speed(c, row, v) + tn_contact_row_speed(c, row, r->v)) / 2;
        if (g->limit < 0)
            s->unilaterals->fastest = fmax(s->unilaterals->fastest, approach);
        s->summary.impacts++;
        TN_TRY(tn_impact_remember(s, &(tn_impact){ s->stepper->t, g->name, approach, c->p[0], lost }));
    }
    return TN_OK;
}

static int reserve_vectors(tn_contact_rows *r, tn_session *s)
{
    size_t n = (size_t)s->system->velocities, size = (size_t)s->system->size;
    TN_TRY(tn_grow(s->context, &r->v, &r->v_capacity, n + 1, sizeof *r->v));
    TN_TRY(tn_grow(s->context, &r->free, &r->free_capacity, n + 1, sizeof *r->free));
    TN_TRY(tn_grow(s->context, &r->flat, &r->flat_capacity, (size_t)s->system->body_count, sizeof *r->flat));
    TN_TRY(tn_grow(s->context, &r->y_mean, &r->y_mean_capacity, size, sizeof *r->y_mean));
    TN_TRY(tn_grow(s->context, &r->y_middle, &r->y_middle_capacity, size, sizeof *r->y_middle));
    return tn_grow(s->context, &r->y, &r->y_capacity, size, sizeof *r->y);
}

/* Finds the contacts that may close within the step. */
static int find_near(tn_session *s, tn_contact_rows *r, double h)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    double speed = s->unilaterals->near.touches ? tn_touches_speed(s) : 0;
    double reach = SURELY * h * (speed + h * tn_largest(sys->velocities, st->dy + sys->positions));
    do {
        r->margin = reach + TN_UNILATERAL_TOUCHES;
        TN_TRY(tn_contact_rows_near(r, s, r->margin, h));
        TN_TRY(tn_grow(s->context, &r->near, &r->near_capacity, r->near_count + r->missed_count, sizeof *r->near));
        for (size_t k = 0; k < r->missed_count; k++) {
            tn_unilateral_measure(&r->missed[k], s);
            r->near[r->near_count++] = r->missed[k];
        }
    } while (tn_sleep_disturb(r, sys));
    return TN_OK;
}

/* Stops islands that hardly move. */
static void stop_islands(tn_session *s, tn_contact_rows *r)
{
    const double *v = s->stepper->y + s->system->positions;
    for (int i = 0; i < r->island_count; i++) {
        double most = 0;
        for (int pass = 0; pass < 2 && most <= AT_REST; pass++)
            for (int k = r->island_begin[i]; k < r->island_begin[i + 1]; k++) {
                const tn_sweep_contact *c = &r->contacts[r->order[k]];
                for (int b = 0; b < c->A_count && pass == 0; b++)
                    most = fmax(most, fmax(tn_largest(c->A[b].width, v + c->A[b].at),
                                           tn_largest(c->A[b].width, r->v + c->A[b].at)));
                for (int b = 0; b < c->A_count && pass == 1; b++)
                    memset(r->v + c->A[b].at, 0, (size_t)c->A[b].width * sizeof(double));
            }
    }
}

/* Finds the velocities at the end of the step, with the rows at hand. */
static int solve_step(tn_session *s, tn_contact_rows *r, double h, double *work)
{
    const tn_system *sys = s->system;
    double residual = 0;
    TN_TRY(tn_contact_rows_recall(r, s, h));
    tn_motion_free(s, h, r->free);
    bool turns, settled = false;
    TN_TRY(tn_turning_begin(r, s, &turns));
    r->turns = turns;
    for (int k = 0; k < MOST_TURNS && !settled; k++) {
        *work = residual = 0;
        tn_sleep_clear(r, sys);
        memcpy(r->v, r->free, (size_t)sys->velocities * sizeof(double));
        TN_TRY(find_impulses(s, r, h, work, &residual));
        settled = !turns;
        if (turns && k + 1 < MOST_TURNS)
            TN_TRY(tn_turning_improve(r, s, &settled));
    }
    if (turns)
        tn_turning_work(r, s, work);
    stop_islands(s, r);
    tn_sleep_stop(r, sys, r->v);
    s->unilaterals->residual = residual;
    return tn_motion_drive_work(s, r, work);
}

static tn_unilateral *find_in_near(const tn_contact_rows *r, const tn_touch *touch)
{
    for (size_t k = 0; k < r->near_count; k++)
        if (r->near[k].limit < 0 && tn_touch_key_equal(&r->near[k].touch.key, &touch->key))
            return &r->near[k];
    return NULL;
}

/* Tells whether a near contact overlaps by more than this (m) at the end of the step, in r->y, because its gap is not linear. */
static int has_bent(tn_session *s, const tn_contact_rows *r, double t, double most, bool *bent)
{
    const tn_touch *touches = NULL;
    size_t count = 0;
    bool circles = false;
    *bent = false;
    tn_motion_at(s, t, r->y);
    for (size_t k = 0; k < r->near_count && !*bent; k++) {
        tn_unilateral g = r->near[k];
        if (g.limit >= 0)
            continue;
        circles = circles || tn_touch_on_rim(&g.touch);
        tn_unilateral_measure(&g, s);
        *bent = g.gap < -most;
    }
    if (!circles || *bent)
        return TN_OK;
    TN_TRY(tn_sleep_find(&touches, &count, r, s, -most));
    for (size_t k = 0; k < count && !*bent; k++)
        *bent = find_in_near(r, &touches[k]) != NULL;
    return TN_OK;
}

/* Moves the touches of near contacts to the middle of the step; their gaps stay those at its start. Touches of circles are found
 * there. */
static int touch_in_middle(tn_session *s, tn_contact_rows *r, double t)
{
    const tn_touch *touches = NULL;
    size_t count = 0;
    bool circles = false;
    tn_motion_at(s, t, r->y_middle);
    for (size_t k = 0; k < r->near_count; k++) {
        tn_unilateral *g = &r->near[k];
        double gap = g->gap, rate = g->rate;
        if (g->limit >= 0)
            continue;
        circles = circles || tn_touch_on_rim(&g->touch);
        tn_unilateral_measure(g, s);
        g->gap = gap;
        g->rate = rate;
    }
    if (!circles)
        return TN_OK;
    TN_TRY(tn_sleep_find(&touches, &count, r, s, r->margin));
    for (size_t k = 0; k < count; k++) {
        tn_unilateral *g = find_in_near(r, &touches[k]);
        if (g && tn_touch_on_rim(&touches[k]))
            g->touch = touches[k];
    }
    return TN_OK;
}

/* Computes r->y, the state after the step, from the stepper's state. No contact is in force in the stepper. Adds the
 * work of contacts. Where gaps bend, the step is taken again with the directions in its middle: they are those of the whole
 * step to second order. */
static int take_velocities(tn_session *s, tn_contact_rows *r, double h, double *work)
{
    const tn_stepper *st = s->stepper;
    bool stopped, again = false;
    r->deep = false;
    tn_motion_at(s, st->t, st->y);
    TN_TRY(tn_sleep_begin(r, s, h));
    TN_TRY(find_near(s, r, h));
    for (int k = 0;; k++) {
        memcpy(r->y, st->y, (size_t)s->system->size * sizeof(double));
        r->in_middle = again;
        TN_TRY(tn_contact_rows_build(r, s, st->t, st->y, true));
        r->in_middle = false;
        TN_TRY(solve_step(s, r, h, work));
        tn_motion_take(s, r, h, &stopped);
        if (k == MOST_MIDDLES) {
            double smallest = s->unilaterals->near.touches ? tn_touches_length(s->unilaterals->near.touches) : 0;
            TN_TRY(has_bent(s, r, st->t + h, DEEP * smallest, &r->deep));
            break;
        }
        TN_TRY(has_bent(s, r, st->t + h, BENT, &again));
        if (!again)
            break;
        tn_motion_middle(s, r);
        TN_TRY(touch_in_middle(s, r, st->t + h / 2));
    }
    TN_TRY(tn_stepper_finish(s->stepper, st->t + h, r->y));
    return stopped ? tn_motion_stop_work(s, r, st->t + h, work) : TN_OK;
}

/* Corners that meet corners or edges touch only when they overlap already, so that the search at the start of the step
 * does not find them. Adds the touches that overlap at the end of the step and were not near to the missed ones; more:
 * there are such touches. */
static int find_missed(tn_session *s, tn_contact_rows *r, double t, bool *more)
{
    const tn_touch *touches = NULL;
    size_t count = 0;
    *more = false;
    if (!s->unilaterals->near.touches)
        return TN_OK;
    tn_motion_at(s, t, r->y);
    TN_TRY(tn_sleep_find(&touches, &count, r, s, -TN_SMALL_OVERLAP));
    for (size_t k = 0; k < count; k++) {
        if (find_in_near(r, &touches[k]))
            continue;
        TN_TRY(tn_grow(s->context, &r->missed, &r->missed_capacity, r->missed_count + 1, sizeof *r->missed));
        r->missed[r->missed_count++] = tn_touch_unilateral(s, &touches[k]);
        *more = true;
    }
    return TN_OK;
}

/* ---- the step ---- */

/* Keeps the touches of bodies that sleep behind the first `kept` items. Returns the number of items kept. */
static size_t keep_asleep(tn_session *s, const tn_contact_rows *r, size_t kept)
{
    tn_unilaterals *u = s->unilaterals;
    size_t to = kept;
    for (size_t k = 0; k < u->count; k++)
        if (u->items[k].limit < 0 && u->items[k].mode == TN_UNILATERAL_PRESSED &&
            tn_sleep_holds(r, s->system, &u->items[k].touch))
            u->items[to++] = u->items[k];
    return to;
}

/* Makes the contacts with impulses the session's touches: channels read their forces, the next step starts with them. */
static int keep_pressed(tn_session *s, const tn_contact_rows *r, double h)
{
    tn_unilaterals *u = s->unilaterals;
    size_t kept = 0;
    for (size_t k = 0; k < u->count; k++)
        if (u->items[k].limit >= 0) {
            u->items[kept] = u->items[k];
            u->items[kept++].mode = TN_UNILATERAL_OPEN;
        }
    size_t limits = kept;
    kept = keep_asleep(s, r, kept);
    u->count = kept;
    TN_TRY(tn_grow(s->context, &u->items, &u->capacity, kept + r->near_count, sizeof *u->items));
    for (size_t k = 0; k < r->near_count; k++) {
        const tn_sweep_contact *c = &r->contacts[k];
        tn_unilateral *to = NULL;
        if (!(c->p[0] > 0) || c->shift < 0)            /* a contact that rebounds does not stay */
            continue;
        for (size_t j = 0; j < limits && r->near[k].limit >= 0 && !to; j++)
            if (u->items[j].limit == r->near[k].limit && u->items[j].side == r->near[k].side)
                to = &u->items[j];
        if (!to) {
            to = &u->items[u->count++];
            *to = r->near[k];
        }
        to->mode = TN_UNILATERAL_PRESSED;
        for (int row = 0; row < 1 + TN_SLIDE_TANGENTS && !tn_sleep_stands(r, s->system, c); row++)
            to->force[row] = row < c->rows ? c->p[row] / h : 0;
    }
    if (u->count > limits)
        tn_touches_sort(u->items + limits, u->count - limits);
    return TN_OK;
}

/* Takes one step of length h into r->y; again with touches that were missed. */
static int try_step(tn_session *s, tn_contact_rows *r, double h, double *work)
{
    bool more = true;
    r->missed_count = 0;
    for (int k = 0; k < MOST_MISSES && more; k++) {
        TN_TRY(take_velocities(s, r, h, work));
        TN_TRY(find_missed(s, r, s->stepper->t + h, &more));
    }
    tn_unilaterals_note_solved(s, s->unilaterals->residual <= ACCEPTABLE);
    TN_TRY(report_impacts(s, r));
    TN_TRY(keep_pressed(s, r, h));
    return tn_overlaps_remove(s, r, s->stepper->t + h, true);
}

/* Tells whether a contact that pressed in the step has opened by its end: gaps are not linear. */
static bool has_opened(tn_session *s, const tn_contact_rows *r, double t)
{
    tn_motion_at(s, t, r->y);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral g = s->unilaterals->items[k];
        if (g.mode != TN_UNILATERAL_PRESSED)
            continue;
        tn_unilateral_measure(&g, s);
        if (g.gap > MOST_OPENING)
            return true;
    }
    return false;
}

/* Takes a step into r->y; a shorter one where overlaps remain or were deep, or where contacts that press are left open. */
static int try_steps(tn_session *s, tn_contact_rows *r, double *h, double *work)
{
    bool fine = !tn_time_is_coarse(s);
    tn_report_mark mark = tn_report_now(s->context);
    size_t entries = s->unilaterals->impact_count;
    long impacts = s->summary.impacts, unsolved = s->summary.unsolved;
    int code = try_step(s, r, *h, work);
    for (int k = 0; k < MOST_SHORTER; k++) {
        bool fits = code >= 0 && !r->deep && (!fine || !has_opened(s, r, s->stepper->t + *h));
        if (fits || (code < 0 && code != TN_ERROR_STEP))
            break;
        tn_report_forget(s->context, mark);
        s->unilaterals->impact_count = entries;
        s->summary.impacts = impacts;
        s->summary.unsolved = unsolved;
        *h *= SHORTER;
        code = try_step(s, r, *h, work);
    }
    return code;
}

static int step_in_time(tn_session *s, tn_contact_rows *r, double t_end)
{
    double h = tn_time_length(s, t_end), work, power;
    TN_TRY(reserve_vectors(r, s));
    TN_TRY(tn_work_begin(s));
    power = s->energy.power;
    TN_TRY(try_steps(s, r, &h, &work));
    tn_sleep_end(r, s);
    TN_TRY(tn_stepper_start(s->stepper, tn_time_end(s, h), r->y, r->y + s->system->positions, s->stepper->memory));
    s->stepper->counts.steps++;
    s->eval_current = s->at_rest = false;
    TN_TRY(tn_work_begin(s));
    s->work += work + h * (power + s->energy.power) / 2;
    return TN_OK;
}

/* The event-driven method begins without touches. */
static void forget_pressed(tn_session *s)
{
    for (size_t k = 0; k < s->unilaterals->count; k++)
        s->unilaterals->items[k].mode = TN_UNILATERAL_OPEN;
    tn_touches_compact(s);
    tn_sleep_wake(s->unilaterals->rows);
}

/* Tells whether so many contacts press, or rebounded in the last step, that the event-driven method would not get far: it would end
 * a step at each of them. */
static bool stays_crowded(const tn_session *s, const tn_contact_rows *r)
{
    size_t busy = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        busy += s->unilaterals->items[k].mode == TN_UNILATERAL_PRESSED;
    for (size_t k = 0; k < r->near_count; k++)
        busy += r->contacts[k].p[0] > 0 && r->contacts[k].shift < 0;
    return tn_time_is_held_long(s) && busy > TN_LARGE_HEAP / 2;
}

int tn_time_step(tn_session *s, double t_end)
{
    double until = s->unilaterals->held_until;
    s->stepper->destination = t_end;
    TN_TRY(tn_unilaterals_let_go(s));
    s->unilaterals->held = true;
    if (!s->unilaterals->rows)
        TN_TRY(tn_contact_rows_create(&s->unilaterals->rows, s->context));
    TN_TRY(step_in_time(s, s->unilaterals->rows, t_end));
    s->unilaterals->held = s->stepper->t < until || s->solve.contact == TN_CONTACT_TIME_STEPPING ||
                           stays_crowded(s, s->unilaterals->rows);
    s->unilaterals->last = s->stepper->t;                    /* `crowd` does not shrink meanwhile */
    s->unilaterals->rounds = 0;
    if (!s->unilaterals->held) {
        s->unilaterals->crowd = fmax(s->unilaterals->crowd - FEW, 0);
        forget_pressed(s);
    }
    return TN_OK;
}

int tn_overlaps_resolve(tn_session *s)
{
    tn_stepper *st = s->stepper;
    if (!s->unilaterals->rows)
        TN_TRY(tn_contact_rows_create(&s->unilaterals->rows, s->context));
    tn_contact_rows *r = s->unilaterals->rows;
    tn_sleep_wake(r);
    TN_TRY(reserve_vectors(r, s));
    memcpy(r->y, st->y, (size_t)s->system->size * sizeof(double));
    TN_TRY(tn_overlaps_remove(s, r, st->t, false));
    return tn_stepper_start(st, st->t, r->y, r->y + s->system->positions, st->memory);
}

int tn_time_step_helps(tn_session *s, bool *helps)
{
    *helps = false;
    if (!tn_time_step_possible(s))
        return TN_OK;
    if (!s->unilaterals->rows)
        TN_TRY(tn_contact_rows_create(&s->unilaterals->rows, s->context));
    tn_sleep_wake(s->unilaterals->rows);
    tn_motion_at(s, s->stepper->t, s->stepper->y);
    TN_TRY(tn_contact_rows_near(s->unilaterals->rows, s, TN_UNILATERAL_TOUCHES, 0));
    *helps = s->unilaterals->rows->near_count > 0;
    return TN_OK;
}

bool tn_time_step_possible(const tn_session *s)
{
    return s->solve.contact != TN_CONTACT_EVENT_DRIVEN && tn_system_allows(s->system, TN_ALLOW_TIME_STEPPING) &&
           !tn_laws_need_events(s->model) && !s->stepper->source.step && s->stepper->scheme->finish &&
           (s->unilaterals->near.touches || s->unilaterals->count > 0);
}

void tn_time_steps_begin(tn_session *s, const char *why, bool large)
{
    tn_unilaterals *g = s->unilaterals;
    bool again = s->summary.holds > 0 && s->stepper->t - g->held_until < g->pause;
    g->pause = large ? TN_LONGEST_PAUSE : again ? fmin(2 * g->pause, TN_LONGEST_PAUSE) : PAUSE;
    g->held = true;
    g->held_until = s->stepper->t + g->pause;
    if (s->summary.holds++ == 0)
        tn_warn(s->context, TN_NOWHERE, "contacts are stepped in time, to first order, for %g s or more from t = %.9g s "
                "on: %s", g->pause, s->stepper->t, why);
}
