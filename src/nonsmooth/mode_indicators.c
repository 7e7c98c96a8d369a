/* Event indicators of limits and contacts, for integrators of other tools: one for each limit and ratchet, one for all shapes
 * that do not touch, one for shapes that give way, one for the modes of everything that touches. The modes stay as they are between two events; the tool
 * finds the zero of an indicator, and tn_unilaterals_handle solves the impact or decides other modes there. */
#include <float.h>
#include <math.h>
#include "compliance.h"
#include "diag.h"
#include "mode_check.h"
#include "vec.h"

/* m/s or rad/s: a constraint that overlaps and approaches faster than this is struck. */
static const double APPROACHES = 1e-9;
/* Zeros of gaps are beyond zero by so many units of round-off, of 1 m or rad or the largest position: what has just been struck or
 * has opened stays positive. A longer way would give back energy to bodies that bounce less and less. */
static const double BEYOND = 8 * DBL_EPSILON;
/* A tool that finds instants roughly makes bounces as long as its error, and they never end. So approaches slower than this share
 * of the fastest do not rebound when the overlap has lasted longer than that share of the time since the last decision. */
static const double SLOW = 1e-3, UNRESOLVED = 0.1;
/* Value of indicators that are not in use. */
static const double UNUSED = 1;

static size_t count_stops(const tn_session *s)
{
    size_t count = 0;
    for (size_t k = 0; k < s->unilaterals->count; k++)
        count += s->unilaterals->items[k].limit >= 0;
    return count;
}

static bool gives_way(const tn_session *s)
{
    return s->system->field && s->unilaterals->near.touches;
}

size_t tn_unilaterals_indicator_count(const tn_session *s)
{
    const size_t stops = count_stops(s), shapes = s->unilaterals->near.touches ? 1 : 0;
    return stops + shapes + gives_way(s) + (stops + shapes > 0 ? 1 : 0);
}

/* ---- shapes that give way ---- */

static bool is_kept(const tn_touch *kept, size_t count, const tn_touch_key *key)
{
    for (size_t k = 0; k < count; k++)
        if (tn_touch_key_equal(&kept[k].key, key))
            return true;
    return false;
}

/* Keeps the compliant touches that overlap at the accepted state, which is in stepper->eval. */
static int keep_overlaps(tn_session *s)
{
    const tn_touch *list;
    size_t count;
    if (!gives_way(s))
        return TN_OK;
    TN_TRY(tn_compliance_touches(&list, &count, s, 0));
    return tn_compliance_keep(s, list, count, false);
}

/* ---- the accepted state ---- */

/* Finds how deep the touches overlap that are leaving at the accepted state: a tool locates an impact up to its tolerance, and
 * what has been struck is no new touch while it leaves. */
static int find_leaving(tn_session *s, double *depth)
{
    const tn_touch *list;
    size_t count;
    *depth = 0;
    if (!s->unilaterals->near.touches)
        return TN_OK;
    TN_TRY(tn_contact_shapes_find(&list, &count, s, TN_UNILATERAL_TOUCHES));
    for (size_t k = 0; k < count; k++) {
        tn_unilateral g = tn_touch_unilateral(s, &list[k]);
        if (tn_touch_held(s, &list[k].key))
            continue;
        tn_touch_measure(&g, s);
        if (g.rate >= 0)
            *depth = fmax(*depth, -g.gap);
    }
    return TN_OK;
}

static void move_to_accepted(tn_session *s)
{
    tn_stepper *st = s->stepper;
    s->eval_current = false;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
}

/* Measures the accepted state, from which the tool goes on. */
static int measure_accepted(tn_session *s, double *leaving)
{
    move_to_accepted(s);
    tn_slips_watch(s);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        tn_unilateral_measure(g, s);
        g->gap_before = g->gap;
        g->rate_before = g->rate;
    }
    TN_TRY(keep_overlaps(s));
    return find_leaving(s, leaving);
}

/* ---- values ---- */

/* A ratchet without teeth catches where its coordinate turns back; one with teeth also stops where it passes the next one. */
static double ratchet_value(const tn_session *s, const tn_unilateral *g, double beyond)
{
    const double pitch = s->model->limits[g->limit].pitch;
    return pitch == 0 ? g->rate + APPROACHES : fmin(g->gap + beyond, pitch - g->gap + TN_UNILATERAL_NOISE);
}

static double stop_value(const tn_session *s, const tn_unilateral *g, double beyond)
{
    if (tn_unilateral_closed(g))
        return UNUSED;
    if (g->mode == TN_UNILATERAL_RESTS)
        return g->gap + TN_UNILATERAL_TOUCHES;
    if (tn_unilateral_is_ratchet(s, g))
        return ratchet_value(s, g, beyond);
    const double leaving = g->rate_before >= 0 ? fmax(-g->gap_before, 0) : 0;
    return g->gap + leaving + beyond;
}

/* Finds the smallest gap (m) below margin of the shapes that do not touch; margin: there is none. */
static int find_nearest(tn_session *s, double margin, double *gap)
{
    const tn_touch *list;
    size_t count;
    *gap = margin;
    TN_TRY(tn_contact_shapes_find(&list, &count, s, margin));
    for (size_t k = 0; k < count; k++)
        if (!tn_touch_held(s, &list[k].key))
            *gap = fmin(*gap, list[k].gap);
    return TN_OK;
}

/* Smallest gap (m) of the shapes that do not touch; at most the thickness of the slimmest shape. With a large margin, faces and
 * edges beside the touch are listed as if they had no bounds; shapes that overlap deeply are not listed at all. So the small margin
 * decides, and the line on which the tool has come there. */
static int shapes_value(tn_session *s, double t, const double *y, double leaving, double *value)
{
    bool meet;
    TN_TRY(find_nearest(s, TN_UNILATERAL_TOUCHES, value));
    *value += leaving;
    if (*value < TN_UNILATERAL_TOUCHES)
        return TN_OK;
    TN_TRY(find_nearest(s, tn_touches_length(s->unilaterals->near.touches), value));
    TN_TRY(tn_touches_meet_before(s, t, y, &meet));
    *value = meet ? -fmax(fabs(*value), TN_UNILATERAL_TOUCHES) : fmax(*value, TN_UNILATERAL_TOUCHES);
    return TN_OK;
}

/* Positive while the same shapes overlap as at the accepted state: the smallest gap or depth (m) before a touch begins or ends,
 * where the force has a kink. */
static int overlaps_value(tn_session *s, double beyond, double *value)
{
    const tn_touch *list, *kept;
    size_t count, kept_count, still = 0;
    *value = tn_compliance_length(s);
    TN_TRY(tn_compliance_touches(&list, &count, s, *value));
    tn_compliance_kept(s, &kept, &kept_count);
    for (size_t k = 0; k < count; k++) {
        bool overlapped = is_kept(kept, kept_count, &list[k].key);
        *value = fmin(*value, overlapped ? -list[k].gap : list[k].gap);
        still += overlapped;
    }
    *value = still < kept_count ? -*value : *value + beyond;
    return TN_OK;
}

/* ---- modes ---- */

/* Positive while the modes are the solution: the smallest force or slip before a mode ends. */
static int modes_value(tn_session *s, const double *y, double *value)
{
    tn_mode_check check = { .session = s };
    bool changes;
    *value = UNUSED;
    if (!tn_modes_any_closed(s))
        return TN_OK;
    double least = tn_slips_left(s);
    for (size_t k = 0; k < s->unilaterals->count; k++)
        if (tn_unilateral_closed(&s->unilaterals->items[k]))
            least = fmin(least, tn_mode_margin(s, &s->unilaterals->items[k]));
    int code = tn_mode_check_changes(&check, y, &changes);
    tn_mode_check_close(&check);
    TN_TRY(code);
    if (changes)
        *value = least < 0 ? least : -TN_UNILATERAL_NOISE;
    else if (least > 0 && isfinite(least))             /* else other constraints bear the load */
        *value = least;
    return TN_OK;
}

int tn_unilaterals_indicators(double *values, tn_session *s, double t, const double *y)
{
    tn_stepper *st = s->stepper;
    const double beyond = BEYOND * (1 + tn_largest(s->system->positions, y));
    double leaving;
    if (tn_unilaterals_indicator_count(s) == 0)
        return TN_OK;
    TN_TRY(measure_accepted(s, &leaving));
    if (tn_modes_any_closed(s))
        TN_TRY(tn_session_evaluate_at(s, t, y));
    else
        tn_eval_motion(st->eval, s->system, t, y, y + s->system->positions);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        tn_unilateral_measure(g, s);
        if (g->limit >= 0)
            *values++ = stop_value(s, g, beyond);
    }
    if (gives_way(s))
        TN_TRY(overlaps_value(s, beyond, values++));
    TN_TRY(modes_value(s, y, values + (s->unilaterals->near.touches ? 1 : 0)));
    return s->unilaterals->near.touches ? shapes_value(s, t, y, leaving + beyond, values) : TN_OK;
}

/* ---- accepted steps and events ---- */

void tn_unilaterals_note(tn_session *s, const double *values)
{
    const size_t count = tn_unilaterals_indicator_count(s);
    for (size_t k = 0; k < count; k++)
        s->unilaterals->noted = s->unilaterals->noted || !(values[k] > 0);
}

void tn_unilaterals_accepted(tn_session *s)
{
    if (tn_unilaterals_indicator_count(s) == 0)
        return;
    move_to_accepted(s);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        tn_unilateral_measure(g, s);
        if (g->mode == TN_UNILATERAL_RESTS && g->gap > TN_UNILATERAL_TOUCHES)
            g->mode = TN_UNILATERAL_OPEN;
    }
    tn_unilaterals_pass_teeth(s);
    tn_slips_follow(s);
    tn_touches_compact(s);
}

/* The contacts and limits that strike at the accepted state, taken together. */
typedef struct strike {
    bool any;
    double speed, fastest;         /* m/s or rad/s: largest approach now, and so far */
    double lasts;                  /* s: since when it overlaps, at this speed */
} strike;

static void add_strike(strike *all, const tn_unilateral *g)
{
    if (g->mode != TN_UNILATERAL_OPEN || !(g->gap <= 0) || !(g->rate < -APPROACHES))
        return;
    all->any = true;
    all->speed = fmax(all->speed, -g->rate);
    all->fastest = fmax(all->fastest, g->fastest);
    all->lasts = fmax(all->lasts, g->gap / g->rate);
}

static int find_strikes(tn_session *s, strike *all)
{
    const tn_touch *list;
    size_t count = 0;
    *all = (strike){ 0 };
    move_to_accepted(s);
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral_measure(&s->unilaterals->items[k], s);
        add_strike(all, &s->unilaterals->items[k]);
    }
    if (s->unilaterals->near.touches)
        TN_TRY(tn_contact_shapes_find(&list, &count, s, 0));
    for (size_t k = 0; k < count; k++) {
        tn_unilateral g = tn_touch_unilateral(s, &list[k]);
        tn_touch_measure(&g, s);
        if (!tn_touch_held(s, &list[k].key))
            add_strike(all, &g);
    }
    return TN_OK;
}

/* Solves impacts and decides modes. */
static int act_on_strikes(tn_session *s, const strike *all)
{
    const double given = s->solve.resting_speed, since = s->stepper->t - s->unilaterals->last;
    if (all->any && all->speed < SLOW * all->fastest && all->lasts > UNRESOLVED * since)
        s->solve.resting_speed = 2 * all->speed;
    int code = tn_unilaterals_act(s);
    s->solve.resting_speed = given;
    return code;
}

int tn_unilaterals_handle(tn_session *s, bool *acted)
{
    strike all;
    double unlawful = INFINITY;
    *acted = s->unilaterals->noted;
    s->unilaterals->noted = false;
    if (tn_unilaterals_indicator_count(s) == 0)
        return TN_OK;
    TN_TRY(find_strikes(s, &all));
    if (!*acted && !all.any)
        TN_TRY(tn_laws_due(s, &unlawful));
    *acted = *acted || all.any || isfinite(unlawful);
    if (!*acted)
        return TN_OK;
    TN_TRY(act_on_strikes(s, &all));
    if (!s->unilaterals->held)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_STEP, s->model->solve_span, "contacts need time stepping at t = %.9g s, which an "
                   "integrator of another tool cannot do: take co-simulation", s->stepper->t);
}
