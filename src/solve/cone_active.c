/* Newton's method on the equations of Alart and Curnier (1991) for the cone problem of cone_sweeps.h. From
 *     y = p - r u,   r = 1 / W of the contact,   u = J v + shift
 * follows what a contact does: open (y_n <= 0): p + dp = 0; sticking (|y_t| <= mu y_n): u + du = 0; sliding otherwise:
 *     u_n + du_n = 0,   p_t + dp_t = mu (p_n + dp_n) t + b Q (dp_t - r du_t),   t = y_t / |y_t|,  b = mu y_n / |y_t|,
 * with Q the projector normal to t. Near a solution whose contacts do the same as in the last step, one or two steps are
 * enough. Where more contacts stick than the bodies have freedoms, impulses are not unique: u + du = -soft W dp takes the place
 * of u + du = 0, and softness falls while steps succeed. A step ends early where too many contacts would leave their cones: what
 * sticks there begins to slide. */
#include <math.h>
#include <string.h>
#include "cone_sweeps_impl.h"
#include "dense.h"

/* Softness at most and at least; its factor after a step that was shortened or failed, and its divisor after a long one. */
static const double SOFTEST = 1, HARDEST = 1e-7, CHANGE = 5;
/* Shares of a step: shorter ones soften, longer ones harden. */
static const double SHORT_STEP = 0.1, LONG_STEP = 0.5;
/* A step that leaves less than this share of the violations needs no search; one that leaves more than GROWTH softens. */
static const double GOOD = 0.5, GROWTH = 1.5;
/* The search tries the whole step, then the place where half of the cones are left, then less of them by this factor. */
static const double FEWER = 0.4;
enum { MOST_TRIALS = 6 };
/* Relative distance behind a place where a cone is left. */
static const double BEHIND = 1e-6;
/* Impulses that are so near to the edge of their cone, as a share, are on it. */
static const double AT_EDGE = 1e-12;

/* ---- one contact ---- */

static void answer_sliding(tn_cone_answer *a, const tn_sweep_contact *c, const double *y, double length, double r, double stiff)
{
    double b = c->mu * y[0] / length, g = b / (1 - b) * r, t[TN_SWEEP_ROWS] = { 0 }, along = 0;
    if (!(g < stiff)) {                                /* it hardly slides */
        g = stiff;
        b = g / (g + r);
    }
    for (int i = 1; i < c->rows; i++) {
        t[i] = y[i] / length;
        along += t[i] * c->p[i];
    }
    for (int i = 1; i < c->rows; i++) {
        a->K[i][0] = c->mu * t[i] * a->K[0][0];
        a->k[i] = c->mu * t[i] * (c->p[0] + a->k[0]) - along * t[i] - (c->p[i] - along * t[i]) / (1 - b);
        for (int j = 1; j < c->rows; j++)
            a->K[i][j] = g * ((i == j) - t[i] * t[j]);
    }
}

/* dp = k - K J dv of a contact. */
static void answer_contact(tn_cone_answer *a, const tn_sweep_contact *c, const double *v, double soft)
{
    double u[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(c), y[TN_SWEEP_ROWS] = { 0 }, widest = 0;
    memset(a, 0, sizeof *a);
    a->open = true;
    tn_sweep_add_rows(c, v, u);
    for (int i = 1; i < c->rows; i++)
        widest = tn_more(widest, c->W[i][i]);
    for (int i = 0; i < c->rows && c->W[0][0] > 0; i++)
        y[i] = c->p[i] - u[i] / (i == 0 ? c->W[0][0] : widest);
    if (!(y[0] > 0)) {
        for (int i = 0; i < c->rows; i++)
            a->k[i] = -c->p[i];
        return;
    }
    a->open = false;
    a->K[0][0] = 1 / (soft * c->W[0][0]);
    a->k[0] = -a->K[0][0] * u[0];
    double length = tn_norm2(c->rows - 1, y + 1);
    if (c->rows > 1 && length > c->mu * y[0]) {
        answer_sliding(a, c, y, length, 1 / widest, 1 / (soft * widest));
        return;
    }
    for (int i = 1; i < c->rows; i++) {
        a->K[i][i] = 1 / (soft * widest);
        a->k[i] = -a->K[i][i] * u[i];
    }
}

/* Returns the share of the step d at which p leaves its cone; infinite: it does not, or is at its edge already. */
static double share_to_edge(const tn_sweep_contact *c, const double *p, const double *d)
{
    double m = c->mu * c->mu, a = -m * d[0] * d[0], b = -m * p[0] * d[0], e = -m * p[0] * p[0], share = INFINITY;
    for (int i = 1; i < c->rows; i++) {
        a += d[i] * d[i];
        b += p[i] * d[i];
        e += p[i] * p[i];
    }
    if (c->rows > 1 && !(e < -AT_EDGE * m * p[0] * p[0]))
        return INFINITY;
    if (c->rows > 1 && b * b >= a * e) {               /* a s^2 + 2 b s + e = 0: smallest positive root */
        double q = -(b + (b > 0 ? 1 : -1) * sqrt(b * b - a * e)), one = q / a, two = e / q;
        share = one > 0 ? one : share;
        share = two > 0 && two < share ? two : share;
    }
    return d[0] < 0 && p[0] > 0 && -p[0] / d[0] < share ? -p[0] / d[0] : share;
}

/* ---- the step ---- */

/* Sorts ascending (Shell). */
static void sort_numbers(double *x, int count)
{
    for (int gap = count / 2; gap > 0; gap /= 2)
        for (int i = gap; i < count; i++) {
            double now = x[i];
            int j = i;
            for (; j >= gap && x[j - gap] > now; j -= gap)
                x[j] = x[j - gap];
            x[j] = now;
        }
}

/* Finds the step of every contact's impulses, and the shares of it at which cones are left: the first *edges of n->edge, ascending.
 * Returns 0, or -1. */
static int find_step(tn_cone_newton *n, const tn_sweeps *s, double soft, int *edges)
{
    *edges = 0;
    for (int i = 0; i < s->count; i++)
        answer_contact(&n->answers[i], &s->contacts[s->list[i]], s->v, soft);
    if (tn_cone_system_factor(n, s) != 0 || tn_cone_system_solve(n, s) != 0)
        return -1;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        const tn_cone_answer *a = &n->answers[i];
        tn_cone_point *at = &n->points[i];
        double w[TN_SWEEP_ROWS] = { 0 };
        if (!a->open)
            tn_sweep_add_rows(c, n->dv, w);
        memcpy(at->p, c->p, sizeof at->p);
        for (int r = 0; r < c->rows; r++) {
            at->step[r] = a->k[r];
            for (int j = 0; j < c->rows; j++)
                at->step[r] -= a->K[r][j] * w[j];
        }
        double share = a->open ? INFINITY : share_to_edge(c, at->p, at->step);
        if (share < 1)
            n->edge[(*edges)++] = share;
    }
    sort_numbers(n->edge, *edges);
    return 0;
}

static void take_share(const tn_cone_newton *n, tn_sweeps *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        tn_sweep_contact *c = &s->contacts[s->list[i]];
        for (int r = 0; r < c->rows; r++)
            c->p[r] = n->points[i].p[r] + share * n->points[i].step[r];
        tn_sweep_into_cone(c, c->p);
    }
    tn_sweeps_velocities(s);
}

/* Takes the share of the step that leaves the smallest violations among a few. Returns it. */
static double search_share(const tn_cone_newton *n, tn_sweeps *s, int edges, double before)
{
    double best = INFINITY, taken = 1, share = 1, largest;
    int left = edges;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        take_share(n, s, share);
        double now = tn_sweeps_violations(s, &largest);
        if (now < best) {
            best = now;
            taken = share;
        } else if (trial > 0 && best < before) {
            break;
        }
        if (now < GOOD * before || left == (trial > 0 ? 1 : 0))
            break;
        left = trial == 0 ? (edges + 1) / 2 : (int)(FEWER * left) + ((int)(FEWER * left) < 1);
        share = fmin(1, (1 + BEHIND) * n->edge[left - 1]);
    }
    if (taken != share)
        take_share(n, s, taken);
    return taken;
}

int tn_cone_active_begin(tn_cone_active *a, const tn_sweeps *s, tn_cone_newton *n)
{
    size_t count = (size_t)s->count;
    *a = (tn_cone_active){ .soft = 1e-4, .before = INFINITY, .share = LONG_STEP };
    TN_TRY(tn_cone_system_begin(n, s));
    TN_TRY(tn_grow(n->context, &n->points, &n->capacity[8], count, sizeof *n->points));
    return tn_grow(n->context, &n->edge, &n->capacity[10], count, sizeof *n->edge);
}

int tn_cone_active_step(tn_cone_active *a, tn_sweeps *s, tn_cone_newton *n)
{
    double largest, now = tn_sweeps_violations(s, &largest);
    int edges;
    if (a->share < SHORT_STEP || now > GROWTH * a->before)
        a->soft = fmin(CHANGE * a->soft, SOFTEST);
    else if (a->share > LONG_STEP)
        a->soft = tn_more(a->soft / CHANGE, HARDEST);
    a->before = now;
    if (find_step(n, s, a->soft, &edges) != 0)
        return -1;
    a->share = search_share(n, s, edges, now);
    return 0;
}
