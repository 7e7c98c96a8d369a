/* Where changes crowd, touches are held together for a short while h. Velocities v that free accelerations a lead to,
 * and impulses p over that time, are found at once, as in Moreau's time stepping (1988):
 *     w = W p + v + h a,   0 <= w_n, 0 <= p_n, w_n p_n = 0,   p_t in the disc of radius mu p_n, against w_t
 * What presses is closed for that time, as a joint: it sticks, or it slides without friction after its impulse p_t has
 * been given at once. Closed joints do no work and p_t takes energy, so that energy does not grow. Velocities are wrong
 * by at most what accelerations do in h: the order is one. */
#include <math.h>
#include <string.h>
#include "dense.h"
#include "unilateral_modes.h"

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* slow: m/s, what accelerations do in the time of the hold. */
static tn_unilateral_mode mode_in_hold(const tn_delassus *b, const tn_cone_problem *problem, int k, double slow)
{
    const tn_cone_contact *c = &b->contacts[k];
    const double *slip = b->eval->gdot + b->first + c->row + 1;
    tn_cone_mode mode = tn_cone_mode_of(problem, k, b->p, b->w, TN_UNILATERAL_NOTHING);
    if (mode == TN_CONE_OPEN)
        return TN_UNILATERAL_OPEN;
    bool goes_on = tn_norm2(c->tangents, slip) > slow && dot(c->tangents, slip, b->w + c->row + 1) > 0;
    return c->tangents == 0 || (mode == TN_CONE_SLIDES && goes_on) ? TN_UNILATERAL_SLIDES : TN_UNILATERAL_STICKS;
}

/* The friction of what slides, at once. */
static int rub(tn_delassus *b, const tn_unilateral_mode *modes, double *lost)
{
    tn_delassus_velocities(b);
    for (int k = 0; k < b->count; k++) {
        const tn_cone_contact *c = &b->contacts[k];
        int kept = modes[k] == TN_UNILATERAL_SLIDES ? 1 : 1 + c->tangents;
        memset(b->p + c->row, 0, (size_t)kept * sizeof(double));
    }
    return tn_delassus_loss(b) > 0 ? tn_delassus_strike(b, lost) : TN_OK;
}

static int list_held(tn_delassus *b, const tn_unilateral_mode *modes)
{
    int rows = 0;
    for (int k = 0; k < b->count; k++) {
        const tn_cone_contact *c = &b->contacts[k];
        if (modes[k] == TN_UNILATERAL_OPEN && b->b[c->row] >= 0)
            continue;
        for (int r = 0; r <= (modes[k] == TN_UNILATERAL_STICKS ? c->tangents : 0); r++)
            b->numbers[rows++] = c->row + r;
    }
    return rows;
}

int tn_unilaterals_hold(tn_delassus *b, tn_unilateral_mode *modes, double h, double *lost, bool *solved)
{
    double most = 0;
    TN_TRY(tn_delassus_accelerations(b));
    for (int i = 0; i < b->rows; i++) {
        most = fmax(most, fabs(b->b[i]));
        b->part_b[i] = b->eval->gdot[b->first + i] + h * b->b[i];
        b->p[i] = 0;
    }
    for (int k = 0; k < b->count; k++)
        b->contacts[k].slides = false;
    tn_cone_problem problem = { b->rows, b->W, b->part_b, b->contacts, b->count };
    *solved = tn_cone_solve(b->p, b->w, &problem, b->work, b->numbers) == 0;
    for (int k = 0; k < b->count; k++)
        modes[k] = mode_in_hold(b, &problem, k, h * most);
    TN_TRY(rub(b, modes, lost));
    tn_delassus_velocities(b);
    tn_delassus_find_stop(b, list_held(b, modes));
    TN_TRY(tn_delassus_strike(b, lost));
    memset(b->forces, 0, (size_t)b->rows * sizeof(double));
    return TN_OK;
}
