/* Interior point method for the cone problem of cone_sweeps.h: where sweeps converge slowly, because loads pass through many
 * contacts and may be shared in many ways. After De Saxce (1992) the laws of a contact are
 *     x = (mu p_n, p_t) and z = (u_n / mu + |u_t|, u_t) are in the cone x_0 >= |x_t|, and x . z = 0
 * where u = J v + shift. The method (Acary, Armand, Nguyen and Shpakovych 2023) keeps both within their cones and lets the
 * Jordan products x o z of all contacts go to zero together, with the scaling of Nesterov and Todd and the predictor and
 * corrector of Mehrotra. A step solves
 *     dx = g - H dz,  dz = S J dv + r,  dv = sum of A T dx      (T: from x to p)
 * which is (1 + sum of A T H S J) dv = sum of A T (g - H r), a sparse linear system over the bodies, by block LU. */
#include <math.h>
#include <string.h>
#include "cone_sweeps_impl.h"
#include "dense.h"

/* Open contacts that part faster than this share of the largest velocity are left out. */
static const double FAR = 0.1;
/* Slips are rounded off below this share of the depth of z in its cone. */
static const double ROUNDED = 0.02;
/* Share of the way to the edge of the cones; steps shorter than SHORT are taken towards the centre, with this share of the
 * mean product. Steps are one at most; LONGEST is more than one over NEARLY. */
static const double NEARLY = 0.97, SHORT = 0.5, CENTRAL = 0.8, LONGEST = 2;
/* Behind a turn of the path (find_step) the mean product is to grow by this factor. */
static const double BACK = 10;
/* Steps below this length, in a row, end the search. */
static const double IDLE = 0.1;
enum { MOST_IDLE = 8 };
/* The end, as shares of the tolerance: of the residual, and of the mean product. What contacts do is known there, and Newton's
 * method for it (cone_active.c) is quicker than further steps. */
static const double TIGHT = 1, TINY = 1e-3;

typedef struct tn_cone_cell {
    int size;                      /* rows of the cone: 0: the contact does not take part */
    double mu;                     /* 1 where there is no friction */
    double x[TN_SWEEP_ROWS], z[TN_SWEEP_ROWS];
    double w[TN_SWEEP_ROWS], beta; /* the scaling: W = beta (w_0, w_t'; w_t, 1 + w_t w_t' / (1 + w_0)) */
    double lambda[TN_SWEEP_ROWS];  /* W x = W^-1 z */
    double S[TN_SWEEP_ROWS];       /* first row of S; the others are those of the identity */
    double r[TN_SWEEP_ROWS];       /* z that belongs to the velocities, less z */
    double g[TN_SWEEP_ROWS];       /* W^-1 (lambda \ d), d: right side of the complementarity */
    double dx[TN_SWEEP_ROWS], dz[TN_SWEEP_ROWS];
} tn_cone_cell;

/* ---- the algebra of one cone ---- */

static double tail_norm(int size, const double *x)
{
    return tn_norm2(size - 1, x + 1);
}

/* The square root of x_0^2 - |x_t|^2. */
static double depth(int size, const double *x)
{
    double t = tail_norm(size, x);
    return sqrt(tn_more(x[0] - t, 0) * (x[0] + t));
}

/* Finds the scaling of Nesterov and Todd with W x = W^-1 z. */
static void scale_cell(tn_cone_cell *c)
{
    double dx = depth(c->size, c->x), dz = depth(c->size, c->z), product = 1;
    for (int i = 0; i < c->size; i++)
        product += c->x[i] / dx * (c->z[i] / dz);
    double g = 1 / sqrt(2 * product);              /* 1 / (2 gamma), gamma = sqrt((1 + x z) / 2) */
    for (int i = 0; i < c->size; i++)
        c->w[i] = g * (c->z[i] / dz + (i == 0 ? 1 : -1) * c->x[i] / dx);
    c->w[0] = sqrt(1 + tn_dot(c->size - 1, c->w + 1, c->w + 1));
    c->beta = sqrt(dz / dx);
}

/* out = W a (sign 1), W^-1 a (sign -1). */
static void scale(const tn_cone_cell *c, double sign, const double *a, double *out)
{
    double beta = sign > 0 ? c->beta : 1 / c->beta, along = 0;
    for (int i = 1; i < c->size; i++)
        along += sign * c->w[i] * a[i];
    double first = c->w[0] * a[0] + along, share = a[0] + along / (1 + c->w[0]);
    out[0] = beta * first;
    for (int i = 1; i < c->size; i++)
        out[i] = beta * (a[i] + sign * c->w[i] * share);
}

/* out = a o b */
static void multiply(int size, const double *a, const double *b, double *out)
{
    double first = 0;
    for (int i = 0; i < size; i++)
        first += a[i] * b[i];
    for (int i = 1; i < size; i++)
        out[i] = a[0] * b[i] + b[0] * a[i];
    out[0] = first;
}

/* out with a o out = b */
static void divide(int size, const double *a, const double *b, double *out)
{
    double d = depth(size, a), along = 0;
    for (int i = 1; i < size; i++)
        along += a[i] * b[i];
    double first = (a[0] * b[0] - along) / (d * d);
    out[0] = first;
    for (int i = 1; i < size; i++)
        out[i] = (b[i] - first * a[i]) / a[0];
}

/* Largest step that keeps x + step d in the cone. */
static double longest(int size, const double *x, const double *d)
{
    if (size == 1)
        return d[0] < 0 ? -x[0] / d[0] : INFINITY;
    double t = tail_norm(size, x), a = d[0] * d[0], b = x[0] * d[0], c = (x[0] - t) * (x[0] + t);
    for (int i = 1; i < size; i++) {
        a -= d[i] * d[i];
        b -= x[i] * d[i];
    }
    double root = b * b - a * c, step = INFINITY;
    if (root >= 0) {                               /* a s^2 + 2 b s + c = 0: smallest positive root */
        double q = -(b + (b > 0 ? 1 : -1) * sqrt(root));
        double s1 = a != 0 ? q / a : INFINITY, s2 = q != 0 ? c / q : INFINITY;
        if (s1 > 0)
            step = s1;
        if (s2 > 0 && s2 < step)
            step = s2;
    }
    if (d[0] < 0 && -x[0] / d[0] < step)
        step = -x[0] / d[0];
    return step;
}

/* Returns the smaller one of `step` and the largest step that keeps x + step d in the cone, which is sought only where `step` leaves it. */
static inline double shorten(int size, const double *x, const double *d, double step)
{
    double first = x[0] + step * d[0], square = 0;
    for (int i = 1; i < size; i++) {
        double t = x[i] + step * d[i];
        square += t * t;
    }
    return first >= 0 && square <= first * first ? step : fmin(step, longest(size, x, d));
}

/* ---- the cells ---- */

/* z that belongs to the velocities v, and the first row of S. near: slips below it are rounded off. */
static void target(const tn_sweep_contact *c, tn_cone_cell *a, const double *v, double near, double *z)
{
    double u[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(c);
    tn_sweep_add_rows(c, v, u);
    z[0] = u[0] / a->mu;
    a->S[0] = 1 / a->mu;
    if (a->size == 1)
        return;
    double slip = tn_norm2(a->size - 1, u + 1), length = sqrt(slip * slip + near * near);
    z[0] += length > 0 ? slip * slip / (length + near) : 0;
    for (int i = 1; i < a->size; i++) {
        z[i] = u[i];
        a->S[i] = length > 0 ? u[i] / length : 0;
    }
}

/* Begins inside the cones, by at least margin (m/s). Contacts that are far from touching stay open. */
static void begin_cells(tn_cone_newton *n, const tn_sweeps *s, double margin)
{
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        tn_cone_cell *a = &n->cells[i];
        bool rubs = c->rows > 1 && c->mu > 0;
        *a = (tn_cone_cell){ .size = c->W[0][0] > 0 ? rubs ? c->rows : 1 : 0, .mu = rubs ? c->mu : 1 };
        double u[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(c);
        tn_sweep_add_rows(c, s->v, u);
        if (c->p[0] == 0 && u[0] > FAR * s->scale)
            a->size = 0;
        n->answers[i] = (tn_cone_answer){ .open = a->size == 0 };
        if (a->size == 0)
            continue;
        for (int r = 0; r < a->size; r++)
            a->x[r] = r == 0 ? a->mu * c->p[0] : c->p[r];
        double inside = a->mu * margin / c->W[0][0], within = margin / a->mu;
        a->x[0] = tn_more(a->x[0], tail_norm(a->size, a->x)) + inside;
        target(c, a, s->v, 0, a->z);
        a->z[0] = tn_more(a->z[0], tail_norm(a->size, a->z)) + within;
    }
}

/* K = T H S, H = W^-2 = (2 J w w' J - J) / beta^2 with J = diag(1, -1, -1) */
static void set_answer(tn_cone_answer *answer, const tn_cone_cell *a)
{
    double h[TN_SWEEP_ROWS], b = 1 / (a->beta * a->beta);
    for (int j = 0; j < a->size; j++)
        h[j] = j == 0 ? a->w[0] : -a->w[j];
    for (int r = 0; r < a->size; r++) {
        double first = b * (2 * h[r] * h[0] - (r == 0));
        for (int j = 0; j < a->size; j++) {
            double H = b * (2 * h[r] * h[j] + (r == j ? 1 : 0));
            answer->K[r][j] = (j == 0 ? first * a->S[0] : H + first * a->S[j]) / (r == 0 ? a->mu : 1);
        }
    }
}

/* Scales all cells, and finds their residuals and answers. Returns the largest residual (m/s). */
static double prepare_cells(tn_cone_newton *n, const tn_sweeps *s)
{
    double most = 0;
    for (int i = 0; i < s->count; i++) {
        tn_cone_cell *a = &n->cells[i];
        double z[TN_SWEEP_ROWS];
        if (a->size == 0)
            continue;
        target(&s->contacts[s->list[i]], a, s->v, ROUNDED * (a->z[0] - tail_norm(a->size, a->z)), z);
        for (int r = 0; r < a->size; r++) {
            a->r[r] = z[r] - a->z[r];
            most = tn_more(most, fabs(a->r[r]));
        }
        scale_cell(a);
        scale(a, 1, a->x, a->lambda);
        set_answer(&n->answers[i], a);
    }
    return most;
}

/* The mean of x . z; impulse: the mean of x_0. */
static double mean_product(const tn_cone_newton *n, int count, double *impulse)
{
    double sum = 0;
    int cells = 0;
    *impulse = 0;
    for (int i = 0; i < count; i++) {
        const tn_cone_cell *a = &n->cells[i];
        for (int r = 0; r < a->size; r++)
            sum += a->x[r] * a->z[r];
        if (a->size > 0)
            *impulse += a->x[0];
        cells += a->size > 0;
    }
    *impulse /= cells > 0 ? cells : 1;
    return cells > 0 ? sum / cells : 0;
}

/* ---- the step ---- */

/* g of every cell: W^-1 (lambda \ (mean e - lambda o lambda - second-order part of the last step)) - H r. */
static void load_cells(tn_cone_newton *n, int count, double mean, bool second)
{
    for (int i = 0; i < count; i++) {
        tn_cone_cell *a = &n->cells[i];
        double d[TN_SWEEP_ROWS], e[TN_SWEEP_ROWS], f[TN_SWEEP_ROWS], q[TN_SWEEP_ROWS];
        if (a->size == 0)
            continue;
        multiply(a->size, a->lambda, a->lambda, d);
        for (int r = 0; r < a->size; r++)
            d[r] = (r == 0 ? mean : 0) - d[r];
        if (second) {
            scale(a, -1, a->dz, e);
            scale(a, 1, a->dx, f);
            multiply(a->size, e, f, q);
            for (int r = 0; r < a->size; r++)
                d[r] -= q[r];
        }
        divide(a->size, a->lambda, d, e);
        scale(a, -1, e, a->g);
        scale(a, -1, a->r, e);
        scale(a, -1, e, f);
        for (int r = 0; r < a->size; r++) {
            a->g[r] -= f[r];
            n->answers[i].k[r] = a->g[r] / (r == 0 ? a->mu : 1);
        }
    }
}

/* Finds dx and dz of every cell. Returns the longest step, up to LONGEST, that stays within the cones; NaN: there is no step. */
static double solve_cells(tn_cone_newton *n, const tn_sweeps *s)
{
    double step = LONGEST;
    if (tn_cone_system_solve(n, s) != 0)
        return NAN;
    for (int i = 0; i < s->count; i++) {
        tn_cone_cell *a = &n->cells[i];
        double w[TN_SWEEP_ROWS] = { 0 };
        if (a->size == 0)
            continue;
        tn_sweep_add_rows(&s->contacts[s->list[i]], n->dv, w);
        for (int r = 0; r < a->size; r++) {
            a->dx[r] = a->g[r];
            for (int j = 0; j < a->size; j++)
                a->dx[r] -= (r == 0 ? a->mu : 1) * n->answers[i].K[r][j] * w[j];
            a->dz[r] = a->r[r] + (r == 0 ? 0 : w[r]);
        }
        for (int j = 0; j < a->size; j++)
            a->dz[0] += a->S[j] * w[j];
        step = shorten(a->size, a->x, a->dx, shorten(a->size, a->z, a->dz, step));
    }
    return step;
}

/* Takes the step: x, z, the impulses and the velocities. */
static void move_on(tn_cone_newton *n, tn_sweeps *s, double step)
{
    for (int i = 0; i < s->count; i++) {
        tn_sweep_contact *c = &s->contacts[s->list[i]];
        tn_cone_cell *a = &n->cells[i];
        double d[TN_SWEEP_ROWS] = { 0 };
        for (int r = 0; r < a->size; r++) {
            a->x[r] += step * a->dx[r];
            a->z[r] += step * a->dz[r];
            double p = r == 0 ? a->x[0] / a->mu : a->x[r];
            d[r] = p - c->p[r];
            c->p[r] = p;
        }
        if (a->size > 0)
            tn_sweep_add_response(c, d, s->v);
    }
}

/* Predictor and corrector. The term mu |u_t| makes the problem non-convex, so the path along which the products fall may turn
 * back: there the determinant changes its sign, and the products rise until the path turns again. Steps that aim at smaller
 * products would only lead back to the turn. blurred: below this mean product round-off decides the sign. Returns the length of the
 * step; NaN: there is none. */
static double find_step(tn_cone_newton *n, const tn_sweeps *s, double mean, double blurred)
{
    if (tn_cone_system_factor(n, s) != 0)
        return NAN;
    if (mean > blurred && tn_cone_system_negative(n)) {
        load_cells(n, s->count, BACK * mean, false);
        return fmin(1, NEARLY * solve_cells(n, s));
    }
    load_cells(n, s->count, 0, false);
    double open = 1 - fmin(solve_cells(n, s), 1), want = open * open * mean;
    load_cells(n, s->count, want, true);
    double step = fmin(1, NEARLY * solve_cells(n, s));
    if (step < SHORT) {                                /* back to the centre */
        load_cells(n, s->count, tn_more(want, CENTRAL * mean), false);
        step = fmin(1, NEARLY * solve_cells(n, s));
    }
    return step;
}

void tn_cone_interior(tn_sweeps *s, tn_cone_newton *n, double margin, double tolerance, int most, int *steps)
{
    double impulse;
    int idle = 0;
    if (tn_cone_system_begin(n, s) < 0 ||
        tn_grow(n->context, &n->cells, &n->capacity[9], (size_t)s->count, sizeof *n->cells) < 0)
        return;
    begin_cells(n, s, margin * s->scale);
    move_on(n, s, 0);
    for (int k = 0; k < most && idle < MOST_IDLE; k++) {
        double mean = mean_product(n, s->count, &impulse), miss = prepare_cells(n, s);
        if (!(mean > 0) || (miss <= TIGHT * tolerance * s->scale && mean <= TINY * tolerance * impulse * s->scale))
            return;
        double step = find_step(n, s, mean, tolerance * impulse * s->scale);
        ++*steps;
        if (!(step > 0))
            return;
        idle = step < IDLE ? idle + 1 : 0;
        move_on(n, s, step);
    }
}
