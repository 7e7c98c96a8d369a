/* Searches the last step for the first time at which shapes that give way begin or cease to touch. The search goes through the dense
 * output in pieces in which no gap can close unseen. "part" is a time within the step, from 0 to 1. */
#include <float.h>
#include <math.h>
#include "compliance.h"
#include "zero.h"

/* A piece ends when shapes may have moved by this share of the smallest shape; safety factor for speeds within a step. */
static const double SMALL_PART = 0.25, SURELY = 1.5;
/* Accuracy of the located time, as a share of the step. */
static const double LOCATED = 1e-13;

/* The gap of one touch as a function of the part of the step. */
typedef struct touch_gap {
    tn_session *session;
    tn_touch touch;
    double factor;
} touch_gap;

/* Brings stepper->eval to the motion at a part of the step. */
static int look_at(tn_session *s, double part)
{
    tn_stepper *st = s->stepper;
    double t = part == 1 ? st->t : st->step.t + part * st->step.h;
    const double *y = st->y;
    s->eval_current = false;
    if (part != 1) {
        TN_TRY(tn_stepper_interpolate(st, t, st->stage));
        y = st->stage;
    }
    tn_eval_motion(st->eval, s->system, t, y, y + s->system->positions);
    return TN_OK;
}

static int gap_at(void *user, double part, double *out)
{
    touch_gap *g = user;
    const tn_session *s = g->session;
    tn_pose poses[2];
    TN_TRY(look_at(g->session, part));
    for (int k = 0; k < 2; k++) {
        uint32_t slot = k ? g->touch.key.body2 : g->touch.key.body1;
        int body = s->system->body_of[slot];
        poses[k] = body < 0 ? s->unilaterals->near.poses[slot]
                            : tn_body_pose(&s->system->bodies[body], s->stepper->eval->q + s->system->bodies[body].q,
                                           s->system->dimension);
    }
    tn_touch_move(&g->touch, s->system->dimension, &poses[0], &poses[1]);
    *out = g->factor * g->touch.gap;
    return TN_OK;
}

/* Finds when a touch begins or ends between a and b: when its gap, larger than round-off at a, changes its sign. Features go
 * on without bounds here, so the first of a face and an edge that take over from each other may count: a step too many. */
static int find_change(tn_session *s, const tn_touch *touch, double a, double b, double *part)
{
    touch_gap g = { s, *touch, 1 };
    const tn_step *step = &s->stepper->step;
    const double width = fmax(LOCATED, 4 * DBL_EPSILON * fabs(step->t) / step->h);
    double before, after;
    *part = INFINITY;
    TN_TRY(gap_at(&g, a, &before));
    g.factor = before > 0 ? 1 : -1;
    TN_TRY(gap_at(&g, b, &after));
    if (fabs(before) <= TN_UNILATERAL_TOUCHES || after >= 0)
        return TN_OK;
    return tn_zero_find(part, gap_at, &g, a, b, fabs(before), after, width);
}

/* Tells whether two shapes really touch at a part of the step: the gap of a touch alone treats faces and edges as
 * unbounded. */
static int touches_at(tn_session *s, double part, const tn_touch_key *key, bool *touch)
{
    const tn_touch *list;
    size_t count;
    *touch = false;
    TN_TRY(look_at(s, part));
    TN_TRY(tn_compliance_touches(&list, &count, s, TN_UNILATERAL_TOUCHES));
    for (size_t k = 0; k < count; k++)
        *touch = *touch || tn_touch_key_equal(&list[k].key, key);
    return TN_OK;
}

/* Keeps the touches with gaps below margin at a part of the step; nearest: the smallest gap of those that are open. */
static int keep_touches(tn_session *s, double part, double margin, bool add, double *nearest)
{
    const tn_touch *list;
    size_t count;
    TN_TRY(look_at(s, part));
    TN_TRY(tn_compliance_touches(&list, &count, s, margin));
    for (size_t k = 0; k < count; k++)
        if (list[k].gap > TN_UNILATERAL_TOUCHES)
            *nearest = fmin(*nearest, list[k].gap);
    return tn_compliance_keep(s, list, count, add);
}

/* Finds the first touch, of those that are near at a or overlap at b, that begins or ends in between. */
static int first_change(tn_session *s, double a, double b, double *first)
{
    const tn_touch *kept;
    size_t count;
    double nearest = INFINITY;
    TN_TRY(keep_touches(s, b, 0, true, &nearest));
    tn_compliance_kept(s, &kept, &count);
    for (size_t k = 0; k < count; k++) {
        bool touch = false;
        double part;
        TN_TRY(find_change(s, &kept[k], a, b, &part));
        if (part < *first)
            TN_TRY(touches_at(s, part, &kept[k].key, &touch));
        *first = touch ? part : *first;
    }
    return TN_OK;
}

static int find_speed(tn_session *s, double *speed)
{
    *speed = 0;
    for (int k = 0; k <= 2; k++) {
        TN_TRY(look_at(s, k / 2.0));
        *speed = fmax(*speed, SURELY * tn_touches_speed(s));
    }
    return TN_OK;
}

static int search_pieces(tn_session *s, double *first)
{
    const double h = s->stepper->step.h, small = SMALL_PART * tn_compliance_length(s);
    double speed, b;
    *first = INFINITY;
    TN_TRY(find_speed(s, &speed));
    for (double a = 0; a < 1 && isinf(*first) && speed > 0; a = b) {
        double margin = speed * (1 - a) * h, nearest = margin;
        TN_TRY(keep_touches(s, a, margin + TN_UNILATERAL_TOUCHES, false, &nearest));
        b = fmin(1, a + fmax(nearest, small) / (speed * h));
        b = 1 - b < 1e-9 ? 1 : b;
        TN_TRY(first_change(s, a, b, first));
    }
    return TN_OK;
}

int tn_compliance_find(tn_session *s, double *t)
{
    tn_stepper *st = s->stepper;
    double first;
    *t = INFINITY;
    if (!s->system->field || !s->unilaterals->near.touches)
        return TN_OK;
    TN_TRY(search_pieces(s, &first));
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    if (first <= 1)
        *t = first == 1 ? st->t : st->step.t + first * st->step.h;
    return TN_OK;
}

int tn_compliance_limit_step(tn_session *s)
{
    tn_stepper *st = s->stepper;
    const tn_touch *list;
    size_t count;
    if (!s->system->field || !s->unilaterals->near.touches)
        return TN_OK;
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    s->eval_current = false;
    TN_TRY(tn_compliance_touches(&list, &count, s, TN_UNILATERAL_TOUCHES));
    double speed = count > 0 ? tn_touches_speed(s) : 0;
    if (speed > 0 && !st->fixed)
        st->h = fmin(st->h, SMALL_PART * tn_compliance_length(s) / speed);
    return TN_OK;
}
