/* Removes overlaps that a time step leaves because gaps are not linear, by the smallest shifts of the bodies. */
#include "time_overlaps.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "time_motion.h"
#include "time_sleep.h"
#include "vec.h"

/* Rounds of shifts; convergence is quadratic. */
enum { MOST_SHIFTS = 12 };
/* A shift that is larger, relative to the overlap that it removes, follows from touches far from where they are linear. */
static const double MOST_SHIFT = 100;
/* m or rad: the shifts have failed when a larger overlap remains. */
static const double MOST_OVERLAP = 1e-8;
/* Residual of the problem of shifts: rounds that follow remove what it leaves. */
static const double SHIFT_ACCURACY = 1e-4;

/* Finds the smallest shift that removes the overlaps to first order, into r->v. */
static void find_shift(tn_session *s, tn_contact_rows *r)
{
    memset(r->v, 0, (size_t)s->system->velocities * sizeof(double));
    memset(r->free, 0, (size_t)s->system->velocities * sizeof(double));
    for (size_t k = 0; k < r->near_count; k++)
        r->contacts[k].shift = r->near[k].gap;
    for (int i = 0; i < r->island_count; i++) {
        int first = r->island_begin[i], count = r->island_begin[i + 1] - first;
        tn_sweeps_solve(r->v, r->free, r->contacts, r->order + first, count, SHIFT_ACCURACY, TN_STEP_SWEEPS, r->work,
                        r->newton);
    }
}

static const tn_unilateral *deepest(const tn_contact_rows *r)
{
    const tn_unilateral *found = NULL;
    for (size_t k = 0; k < r->near_count; k++)
        if (r->near[k].gap < 0 && (!found || r->near[k].gap < found->gap))
            found = &r->near[k];
    return found;
}

static int refuse_overlap(const tn_session *s, const tn_unilateral *worst, double t)
{
    return tn_fail(s->context, TN_ERROR_STEP, tn_unilateral_span(s, worst), "'%s' at t = %.9g s: nothing keeps it from "
                   "overlapping by %.3g m: joints or drives force it", worst->name, t, -worst->gap);
}

/* Returns the largest displacement (m) of a body's surface by the shift in r->v. */
static double shift_size(const tn_session *s, const tn_contact_rows *r)
{
    const tn_system *sys = s->system;
    double most = 0;
    for (int b = 0; b < sys->body_count; b++) {
        const tn_sys_body *body = &sys->bodies[b];
        const double *v = r->v + body->v;
        double reach = s->unilaterals->near.touches ? s->unilaterals->near.reach[body->source] : 0;
        if (body->motion == TN_MOTION_SPATIAL)
            most = fmax(most, tn_norm3(v) + reach * tn_norm3(v + 3));
        else if (body->motion == TN_MOTION_PLANAR)
            most = fmax(most, fabs(v[0]) + fabs(v[1]) + reach * fabs(v[2]));
    }
    return most;
}

int tn_overlaps_remove(tn_session *s, tn_contact_rows *r, double t, bool bounded)
{
    for (int round = 0;; round++) {
        tn_motion_at(s, t, r->y);
        do
            TN_TRY(tn_contact_rows_near(r, s, TN_UNILATERAL_TOUCHES, 0));
        while (tn_sleep_disturb(r, s->system));
        const tn_unilateral *worst = deepest(r);
        if (!worst || worst->gap >= -TN_SMALL_OVERLAP)
            return TN_OK;
        if (round == MOST_SHIFTS)
            return worst->gap >= -MOST_OVERLAP ? TN_OK : refuse_overlap(s, worst, t);
        TN_TRY(tn_contact_rows_build(r, s, t, r->y, false));
        find_shift(s, r);
        if (bounded && shift_size(s, r) > MOST_SHIFT * (MOST_OVERLAP - worst->gap))
            return refuse_overlap(s, worst, t);
        tn_position_move(s->system, r->y, r->v, r->y);
        TN_TRY(tn_stepper_finish(s->stepper, t, r->y));
    }
}
