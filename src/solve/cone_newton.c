/* Newton's method for the cone problem of cone_sweeps.h, with the laws of Alart and Curnier (1991) softened around given
 * impulses a (proximal point): with steps r of each contact, the velocities v alone determine the impulses,
 *     y = a - r (J v + shift),  p_n = max(0, y_n),  p_t = the point nearest to y_t in the disc of radius mu p_n
 *     F(v) = v_free + sum of A p(v) - v = 0
 * F is piecewise smooth, the softer (the smaller r) the nearer to linear. With dp = -K J dv one step solves
 *     (1 + sum of A K J) dv = F
 * and is shortened until the energy of F falls. */
#include <math.h>
#include <string.h>
#include "cone_sweeps_impl.h"
#include "dense.h"

/* A step is halved so many times; the energy of F must fall by this share of the step. */
enum { MOST_HALVES = 8 };
static const double DESCENT = 1e-3;

/* ---- the answer of one contact ---- */

/* Friction at the edge of the disc: p_t = mu y_n u with u = y_t / |y_t|. */
static void slide_answer(tn_cone_answer *a, double *p, const tn_sweep_contact *c, const double *y, double length,
                         const double *r)
{
    int m = c->rows - 1;
    double share = c->mu * y[0] / length;
    for (int i = 0; i < m; i++) {
        double u = y[1 + i] / length;
        p[1 + i] = c->mu * y[0] * u;
        a->K[1 + i][0] = c->mu * u * r[0];
        for (int j = 0; j < m; j++)
            a->K[1 + i][1 + j] = ((i == j) - u * y[1 + j] / length) * share * r[1];
    }
}

/* Sets p and K of a contact for the velocities v. */
static void answer_contact(tn_cone_answer *a, double *p, const tn_sweep_contact *c, const double *v, double soft,
                           const double *anchor)
{
    double w[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(c), y[TN_SWEEP_ROWS] = { 0 }, widest = 0;
    memset(a->K, 0, sizeof a->K);
    memset(p, 0, TN_SWEEP_ROWS * sizeof *p);
    a->open = true;
    if (!(c->W[0][0] > 0))
        return;
    tn_sweep_add_rows(c, v, w);
    for (int i = 1; i < c->rows; i++)
        widest = tn_more(widest, c->W[i][i]);
    const double r[2] = { 1 / (soft * c->W[0][0]), 1 / (soft * widest) };
    for (int i = 0; i < c->rows; i++)
        y[i] = anchor[i] - r[i > 0] * w[i];
    if (!(y[0] > 0))
        return;
    double length = tn_norm2(c->rows - 1, y + 1);
    a->open = false;
    p[0] = y[0];
    a->K[0][0] = r[0];
    if (c->rows > 1 && length > c->mu * y[0]) {
        slide_answer(a, p, c, y, length, r);
        return;
    }
    for (int i = 1; i < c->rows; i++) {
        p[i] = y[i];
        a->K[i][i] = r[1];
    }
}

/* ---- the step ---- */

/* Finds the answers of all contacts to the velocities, and F. Returns the energy of F: with F = sum of A (p - q) that is
 * half the sum of (p - q) J F. largest: largest velocity of a contact in F. */
static double evaluate(tn_cone_newton *n, const tn_sweeps *s, double soft, const double *anchor, double *largest)
{
    double energy = 0;
    memset(n->F, 0, (size_t)n->velocities * sizeof(double));
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        tn_cone_answer *a = &n->answers[i];
        tn_cone_point *at = &n->points[i];
        answer_contact(a, at->p, c, s->v, soft, anchor);
        anchor += c->rows;
        for (int r = 0; r < c->rows; r++)
            a->k[r] = at->p[r] - at->q[r];
        tn_sweep_add_response(c, a->k, n->F);
    }
    *largest = 0;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        double w[TN_SWEEP_ROWS] = { 0 };
        tn_sweep_add_rows(c, n->F, w);
        for (int r = 0; r < c->rows; r++) {
            energy += n->answers[i].k[r] * w[r] / 2;
            *largest = tn_more(*largest, fabs(w[r]));
        }
    }
    return energy;
}

/* Solves for dv, then for the change of q that causes it. */
static int find_step(tn_cone_newton *n, const tn_sweeps *s)
{
    if (tn_cone_system_factor(n, s) != 0 || tn_cone_system_solve(n, s) != 0)
        return -1;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        const tn_cone_answer *a = &n->answers[i];
        double w[TN_SWEEP_ROWS] = { 0 }, *step = n->points[i].step;
        if (!a->open)
            tn_sweep_add_rows(c, n->dv, w);
        for (int r = 0; r < c->rows; r++) {
            step[r] = a->k[r];
            for (int k = 0; k < c->rows; k++)
                step[r] -= a->K[r][k] * w[k];
        }
    }
    return 0;
}

/* Adds `share` times the step to q and to the velocities. */
static void move_on(tn_cone_newton *n, tn_sweeps *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        tn_cone_point *at = &n->points[i];
        double d[TN_SWEEP_ROWS];
        for (int r = 0; r < c->rows; r++) {
            d[r] = share * at->step[r];
            at->q[r] += d[r];
        }
        tn_sweep_add_response(c, d, s->v);
    }
}

int tn_cone_soften(tn_sweeps *s, tn_cone_newton *n, double soft, const double *anchor, double enough, int most,
                   int *steps)
{
    double largest, energy;
    if (tn_cone_system_begin(n, s) < 0 ||
        tn_grow(n->context, &n->points, &n->capacity[8], (size_t)s->count, sizeof *n->points) < 0)
        return -1;
    for (int i = 0; i < s->count; i++)
        memcpy(n->points[i].q, s->contacts[s->list[i]].p, sizeof n->points[i].q);
    energy = evaluate(n, s, soft, anchor, &largest);
    for (int k = 0; k < most && largest > enough; k++) {
        double share = 1;
        if (find_step(n, s) != 0)
            return -1;
        ++*steps;
        move_on(n, s, 1);
        double next = evaluate(n, s, soft, anchor, &largest);
        for (int i = 0; i < MOST_HALVES && !(next <= (1 - DESCENT * share) * energy); i++, share /= 2) {
            move_on(n, s, -share / 2);
            next = evaluate(n, s, soft, anchor, &largest);
        }
        if (!(next < energy))
            break;
        energy = next;
    }
    for (int i = 0; i < s->count; i++)                 /* the impulses that belong to the velocities are in their cones */
        memcpy(s->contacts[s->list[i]].p, n->points[i].p, sizeof n->points[i].p);
    return largest <= enough ? 0 : -1;
}
