/* Checks whether the modes of the unilateral constraints still solve the complementarity problem at a state. */
#include "mode_check.h"
#include <math.h>
#include "dense.h"

/* m/s, in space: a slip slower than this has ended. */
static const double STOPPED = 1e-8;

/* Accelerations that differ by less than this share of the largest are equal. The second value is for equal modes,
 * where the difference must exceed the round-off of both computations. */
static const double ALIKE = 1e-9, ROUGHLY_ALIKE = 1e-6;

bool tn_modes_any_closed(const tn_session *s)
{
    for (size_t k = 0; k < s->unilaterals->count; k++)
        if (s->unilaterals->items[k].mode != TN_UNILATERAL_OPEN)
            return true;
    return false;
}

/* ---- forces ---- */

/* Tells whether a closed constraint presses, with friction within its cone. */
static bool is_in_cone(const tn_session *s, const tn_unilateral *g)
{
    const tn_constraint *c = &s->system->constraints[g->constraint];
    const double *lambda = s->stepper->eval->lambda + c->row;
    double normal = lambda[0] + g->law.adhesion;
    return normal > 0 && tn_norm2(c->rows - 1, lambda + 1) <= g->friction * normal;
}

/* Tells whether the multipliers at the point in stepper->eval obey all conditions; then the modes are a solution. */
static bool holds(const tn_session *s)
{
    for (size_t k = 0; k < s->unilaterals->count; k++)
        if (tn_unilateral_closed(&s->unilaterals->items[k]) && !is_in_cone(s, &s->unilaterals->items[k]))
            return false;
    return true;
}

double tn_mode_margin(const tn_session *s, const tn_unilateral *g)
{
    const tn_constraint *c = &s->system->constraints[g->constraint];
    const double *lambda = s->stepper->eval->lambda + c->row;
    double normal = lambda[0] + g->law.adhesion;
    return c->rows == 1 ? normal : fmin(normal, g->friction * normal - tn_norm2(c->rows - 1, lambda + 1));
}

/* ---- slips ---- */

/* Returns the slip (m/s) against the direction of friction; left: the slip that remains before it counts as ended. */
static double slip_forward(tn_session *s, const tn_slide *slide, double *left)
{
    double slip[TN_SLIDE_TANGENTS];
    double forward = tn_eval_slip_forward(s->stepper->eval, s->system, s->stepper->memory, slide);
    int count = tn_eval_slip(s->stepper->eval, s->system, s->stepper->memory, slide, slip);
    double speed = tn_norm2(count, slip);
    bool spins = slide->law.drilling > 0 && forward > speed + TN_SLIDE_NO_SPIN;
    *left = count == 1 || spins ? forward : fmin(forward, speed - STOPPED);
    return forward;
}

void tn_slips_watch(tn_session *s)
{
    const tn_layout *l = &s->system->layout;
    for (int k = 0; k < l->slide_count; k++) {
        double left;
        slip_forward(s, &l->slides[k], &left);
        l->slides[k].under_way = left > (s->system->dimension == 2 ? TN_UNILATERAL_NO_SLIP : TN_SLIDE_CREEP);
    }
}

/* A slip that has just begun may be negative by round-off. */
double tn_slips_left(tn_session *s)
{
    const tn_layout *l = &s->system->layout;
    double least = INFINITY;
    for (int k = 0; k < l->slide_count; k++) {
        double left, forward = slip_forward(s, &l->slides[k], &left);
        least = fmin(least, l->slides[k].under_way ? left : forward + TN_UNILATERAL_NO_SLIP);
    }
    return least;
}

void tn_slips_follow(tn_session *s)
{
    const tn_layout *l = &s->system->layout;
    for (size_t k = 0; k < s->unilaterals->count; k++) {
        tn_unilateral *g = &s->unilaterals->items[k];
        for (int j = 0; j < l->slide_count && tn_unilateral_closed(g); j++) {
            double slip[TN_SLIDE_TANGENTS], size;
            if (l->slides[j].constraint != g->constraint)
                continue;
            int count = tn_eval_slip(s->stepper->eval, s->system, s->stepper->memory, &l->slides[j], slip);
            size = tn_norm2(count, slip);
            for (int t = 0; t < count && count > 1 && size > TN_SLIDE_CREEP; t++)
                l->slides[j].along[t] = g->along[t] = slip[t] / size;
        }
    }
}

/* ---- the decision ---- */

static int open_delassus(tn_mode_check *x)
{
    TN_TRY(tn_delassus_open_touching(&x->delassus, x->session));
    x->has_delassus = true;
    x->modes = tn_arena_alloc(x->delassus.arena, (size_t)x->delassus.count, sizeof *x->modes);
    return x->modes ? TN_OK : TN_ERROR_MEMORY;
}

/* Decides modes at the loaded state; otherwise: their forces give another motion than the present modes. With equal
 * modes this happens only when no forces are compatible with them (a sliding contact jams). */
static int decides_otherwise(tn_mode_check *x, bool *otherwise)
{
    bool solved, differ = false;
    TN_TRY(tn_unilaterals_decide(&x->delassus, x->modes, &solved));
    for (int k = 0; k < x->delassus.count; k++) {
        tn_unilateral then = { .mode = x->modes[k] };
        const tn_unilateral *now = x->delassus.unilaterals[k];
        differ = differ || tn_unilateral_closed(&then) != tn_unilateral_closed(now) ||
                 (tn_unilateral_closed(now) && then.mode != now->mode);
    }
    *otherwise = !tn_delassus_moves_alike(&x->delassus, differ ? ALIKE : ROUGHLY_ALIKE);
    return TN_OK;
}

int tn_mode_check_changes(tn_mode_check *x, const double *y, bool *changes)
{
    tn_session *s = x->session;
    bool hold;
    TN_TRY(tn_touches_hold(s, &hold));
    *changes = !hold || tn_slips_left(s) < 0;
    if (*changes || holds(s))
        return TN_OK;
    if (!x->has_delassus)
        TN_TRY(open_delassus(x));
    TN_TRY(tn_delassus_load(&x->delassus, s->stepper->eval->t, y));
    tn_delassus_recall(&x->delassus);                        /* the same start values as in tn_unilaterals_act */
    TN_TRY(decides_otherwise(x, changes));
    if (!*changes)
        tn_delassus_remember(&x->delassus);
    return TN_OK;
}

void tn_mode_check_close(tn_mode_check *x)
{
    if (x->has_delassus)
        tn_delassus_close(&x->delassus);
    x->has_delassus = false;
}
