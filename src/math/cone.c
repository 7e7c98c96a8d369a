/* Solves complementarity problems with Coulomb cones. Sweeps over the contacts (each contact's rows projected on its
 * cone in turn) come near a solution and find which contacts press, stick and slide; Newton's method on the resulting
 * equations (Alart & Curnier 1991) makes the solution exact. With r > 0 the conditions of a contact are
 *     p_n = max(0, p_n - r w_n),   p_t = the point nearest to p_t - r w_t in the disc of radius mu max(0, p_n - r w_n)
 * and the residuals are the differences of both sides, divided by r: in units of w. Where W is singular, Newton's step
 * is the shortest possible step, so that the solution stays near the result of the sweeps. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "cone.h"
#include "dense.h"
#include "elementary.h"

static const double round_off = 1e-14;         /* share of the largest term of w: Newton's method gets no further */
static const double accuracy = 1e-12;          /* of a solution, in the same measure */
static const double acceptable = 1e-9;         /* a larger residual counts as not solved */
static const double edge = 1e-8;               /* share of the radius: forces this near to the edge are on it */
static const double most_work = 4e6;           /* multiplications in sweeps: some milliseconds */
static const double rank_tolerance = 1e-11;    /* pivots below this share of the largest are round-off */

enum {
    FIRST_SWEEPS = 8,          /* doubled from round to round */
    MIN_ROUNDS = 6,
    PATIENT_ROUNDS = 4,        /* rounds that require full accuracy */
    MAX_ROUNDS = 14,           /* 130 000 sweeps: later there is no hope of convergence */
    MAX_NEWTON = 12,
    MAX_IDLE = 3               /* Newton steps without progress */
};

typedef struct steps {         /* r of a contact: inverse stiffness of its normal and of its tangents */
    double normal, tangent;
} steps;

typedef struct workspace {
    double *J, *null;                                  /* matrices; null has room for two */
    double *f, *step, *share, *trial, *swept, *polished;
    steps *full;                                       /* of each contact, for length 1 */
    int *columns;
} workspace;

int tn_cone_doubles(int rows)
{
    return 3 * rows * rows + 8 * rows;
}

int tn_cone_ints(int rows)
{
    return rows;
}

static workspace partition(int m, double *work, int *numbers)
{
    double *v = work + 3 * m * m;
    return (workspace){ .J = work, .null = work + m * m, .f = v, .step = v + m, .share = v + 2 * m,
                        .trial = v + 3 * m, .swept = v + 4 * m, .polished = v + 5 * m,
                        .full = (steps *)(v + 6 * m), .columns = numbers };
}

static double entry(const tn_cone_problem *k, int i, int j)
{
    return k->W[i + j * k->rows];
}

static double row_value(const tn_cone_problem *k, int row, const double *p)
{
    const double *line = k->W + row * k->rows;         /* W is symmetric: a row is a column */
    double s = k->b[row];
    for (int j = 0; j < k->rows; j++)
        s += line[j] * p[j];
    return s;
}

/* Returns r of a contact for length 1: the inverse of its mobility. A known slip direction changes the normal mobility,
 * because friction follows the normal force. A contact without mobility gets the step of the most mobile row. */
static steps full_steps(const tn_cone_problem *k, const tn_cone_contact *c, double most)
{
    int n = c->row;
    double normal = entry(k, n, n), tangent = 0;
    for (int i = 0; i < c->tangents && c->slides; i++)
        normal -= c->mu * c->slip[i] * entry(k, n, n + 1 + i);
    if (c->tangents == 1) {
        tangent = entry(k, n + 1, n + 1);
    } else if (c->tangents == 2) {
        double a = entry(k, n + 1, n + 1), d = entry(k, n + 2, n + 2), e = entry(k, n + 1, n + 2);
        tangent = (a + d) / 2 + tn_hypot((a - d) / 2, e);
    }
    return (steps){ 1 / (normal > rank_tolerance * most ? normal : most),
                    1 / (tangent > rank_tolerance * most ? tangent : most) };
}

static double most_mobile(const tn_cone_problem *k)
{
    double most = 0;
    for (int i = 0; i < k->rows; i++)
        most = fmax(most, entry(k, i, i));
    return most > 0 ? most : 1;
}

/* Returns r of a contact. full: the steps for length 1, NULL: not yet computed. */
static steps steps_of(const tn_cone_problem *k, const steps *full, int contact, double length)
{
    steps r = full ? full[contact] : full_steps(k, &k->contacts[contact], most_mobile(k));
    return (steps){ length * r.normal, length * r.tangent };
}

/* Moves y to the nearest point of the disc. */
static void into_disc(int n, double *y, double radius)
{
    double length = tn_norm2(n, y);
    for (int i = 0; i < n && length > radius; i++)
        y[i] *= radius / length;
}

/* One sweep over all contacts. Shorter steps (length < 1) converge where long steps cycle, but converge more slowly. */
static void sweep(const tn_cone_problem *k, const steps *full, double length, double *p)
{
    for (int i = 0; i < k->contact_count; i++) {
        const tn_cone_contact *c = &k->contacts[i];
        steps r = steps_of(k, full, i, length);
        double *n = &p[c->row], *t = n + 1, y[TN_CONE_TANGENTS];
        *n = fmax(0, *n - r.normal * row_value(k, c->row, p));
        for (int j = 0; j < c->tangents; j++)
            y[j] = c->slides ? -c->mu * *n * c->slip[j] : t[j] - r.tangent * row_value(k, c->row + 1 + j, p);
        into_disc(c->tangents, y, c->mu * *n);
        memcpy(t, y, (size_t)c->tangents * sizeof *t);
    }
}

/* f = residuals of a contact's tangents at p, w. */
static void tangent_residual(double *f, const tn_cone_contact *c, steps r, const double *p, const double *w)
{
    const double *t = p + c->row + 1, *wt = w + c->row + 1;
    double pressure = fmax(0, p[c->row] - r.normal * w[c->row]), y[TN_CONE_TANGENTS];
    for (int j = 0; j < c->tangents; j++)
        y[j] = c->slides ? -c->mu * pressure * c->slip[j] : t[j] - r.tangent * wt[j];
    into_disc(c->tangents, y, c->mu * pressure);
    for (int j = 0; j < c->tangents; j++)
        f[j] = (t[j] - y[j]) / r.tangent;
}

/* The residuals f (NULL: only their size) and w at p. Returns the largest as a share of the largest term. */
static double residuals(double *f, double *w, const tn_cone_problem *k, const steps *full, double length,
                        const double *p)
{
    double worst = 0, scale = 0;
    for (int i = 0; i < k->rows; i++) {
        const double *line = k->W + i * k->rows;
        double size = fabs(k->b[i]);
        for (int j = 0; j < k->rows; j++)
            size += fabs(line[j] * p[j]);
        scale = fmax(scale, size);
        w[i] = row_value(k, i, p);
    }
    for (int i = 0; i < k->contact_count; i++) {
        const tn_cone_contact *c = &k->contacts[i];
        steps r = steps_of(k, full, i, length);
        double own[1 + TN_CONE_TANGENTS];
        own[0] = (p[c->row] - fmax(0, p[c->row] - r.normal * w[c->row])) / r.normal;
        tangent_residual(own + 1, c, r, p, w);
        for (int j = 0; j <= c->tangents; j++) {
            worst = fmax(worst, fabs(own[j]));
            if (f)
                f[c->row + j] = own[j];
        }
    }
    return scale > 0 ? worst / scale : worst;
}

double tn_cone_residual(double *w, const tn_cone_problem *problem, const double *p)
{
    return residuals(NULL, w, problem, NULL, 1, p);
}

/* J[row] += a W[of] */
static void add_row(double *J, const tn_cone_problem *k, int row, double a, int of)
{
    for (int j = 0; j < k->rows; j++)
        J[row + j * k->rows] += a * entry(k, of, j);
}

/* Derivatives of a tangent's residual where the force is on the edge of the disc: with y = p_t - r w_t, u = y / |y| and
 * the radius R = mu (p_n - s w_n) they are those of (p_t - R u) / r. */
static void slide_rows(double *J, const tn_cone_problem *k, const tn_cone_contact *c, steps r, const double *p,
                       const double *w)
{
    int n = c->row, m = k->rows, tangents = c->tangents;
    double y[TN_CONE_TANGENTS], radius = c->mu * (p[n] - r.normal * w[n]);
    for (int j = 0; j < tangents; j++)
        y[j] = p[n + 1 + j] - r.tangent * w[n + 1 + j];
    double length = tn_norm2(tangents, y);
    for (int i = 0; i < tangents; i++) {
        int row = n + 1 + i;
        double u = c->slides ? -c->slip[i] : y[i] / length;
        J[row + row * m] += 1 / r.tangent;
        J[row + n * m] -= c->mu * u / r.tangent;
        add_row(J, k, row, c->mu * u * r.normal / r.tangent, n);
        for (int j = 0; j < tangents && !c->slides; j++) {
            double across = ((i == j) - u * y[j] / length) * radius / length;
            J[row + (n + 1 + j) * m] -= across / r.tangent;
            add_row(J, k, row, across, n + 1 + j);
        }
    }
}

static void jacobian(double *J, const tn_cone_problem *k, const steps *full, double length, const double *p,
                     const double *w)
{
    int m = k->rows;
    memset(J, 0, (size_t)m * (size_t)m * sizeof *J);
    for (int i = 0; i < k->contact_count; i++) {
        const tn_cone_contact *c = &k->contacts[i];
        steps r = steps_of(k, full, i, length);
        int n = c->row;
        double pressure = p[n] - r.normal * w[n], y[TN_CONE_TANGENTS];
        for (int j = 0; j < c->tangents; j++)
            y[j] = p[n + 1 + j] - r.tangent * w[n + 1 + j];
        if (pressure > 0)
            add_row(J, k, n, 1, n);
        else
            J[n + n * m] = 1 / r.normal;
        if (pressure > 0 && (c->slides || tn_norm2(c->tangents, y) > c->mu * pressure))
            slide_rows(J, k, c, r, p, w);
        else
            for (int row = n + 1; row <= n + c->tangents; row++)
                if (pressure > 0)
                    add_row(J, k, row, 1, row);
                else
                    J[row + row * m] = 1 / r.tangent;
    }
}

/* The shortest x with A x = f (as far as the rank goes): one solution, less its part along the null space, spanned by
 * the columns (-U1^-1 U2; 1). x may be f. */
static void shortest_solution(double *x, double *A, double *f, int m, const workspace *at)
{
    int rank = tn_gauss_rank(m, A, f, at->columns, rank_tolerance), free_count = m - rank;
    double *N = at->null, *gram = at->null + m * m, *share = at->share;
    tn_upper_solve(rank, A, m, f);
    memset(f + rank, 0, (size_t)free_count * sizeof *f);
    for (int j = 0; j < free_count; j++) {
        double *column = &N[j * m];
        for (int i = 0; i < m; i++)
            column[i] = i < rank ? -A[i + (rank + j) * m] : i == rank + j;
        tn_upper_solve(rank, A, m, column);
        share[j] = tn_dot(m, column, f);
    }
    for (int i = 0; i < free_count; i++)
        for (int j = 0; j < free_count; j++)
            gram[i + j * free_count] = tn_dot(m, &N[i * m], &N[j * m]);
    if (tn_cholesky(free_count, gram, free_count) == 0) {
        tn_cholesky_solve(free_count, gram, free_count, share);
        for (int j = 0; j < free_count; j++)
            for (int i = 0; i < m; i++)
                f[i] -= share[j] * N[i + j * m];
    }
    for (int i = 0; i < m; i++)
        x[at->columns[i]] = f[i];
}

/* Newton's method from p; p and w become the iterate with the smallest residual. Returns that residual. */
static double polish(double *p, double *w, const tn_cone_problem *k, double length, const workspace *at)
{
    size_t size = (size_t)k->rows * sizeof *p;
    double best = residuals(at->f, w, k, at->full, length, p);
    memcpy(at->trial, p, size);
    for (int i = 0, idle = 0; i < MAX_NEWTON && idle < MAX_IDLE && best > round_off; i++) {
        jacobian(at->J, k, at->full, length, at->trial, w);
        shortest_solution(at->step, at->J, at->f, k->rows, at);
        for (int j = 0; j < k->rows; j++)
            at->trial[j] -= at->step[j];
        double now = residuals(at->f, w, k, at->full, length, at->trial);
        if (!isfinite(now))
            break;
        idle = now < best ? 0 : idle + 1;
        if (now < best) {
            best = now;
            memcpy(p, at->trial, size);
        }
    }
    return residuals(NULL, w, k, at->full, 1, p);
}

int tn_cone_solve(double *p, double *w, const tn_cone_problem *problem, double *work, int *numbers)
{
    workspace at = partition(problem->rows, work, numbers);
    size_t size = (size_t)problem->rows * sizeof *p;
    double best, enough = accuracy, length = 1, square = (double)problem->rows * problem->rows;
    double most = most_mobile(problem);
    for (int i = 0; i < problem->contact_count; i++)
        at.full[i] = full_steps(problem, &problem->contacts[i], most);
    if (!isfinite(residuals(NULL, w, problem, at.full, 1, p)))
        memset(p, 0, size);
    memcpy(at.swept, p, size);
    best = polish(p, w, problem, length, &at);         /* p may be next to a solution already */
    for (int round = 0, sweeps = FIRST_SWEEPS; round < MAX_ROUNDS && best > enough; round++, sweeps *= 2) {
        if (round >= PATIENT_ROUNDS)                   /* W may be too badly conditioned for full accuracy */
            enough = fmin(10 * enough, acceptable);
        if (round >= MIN_ROUNDS && sweeps * square > most_work)
            break;
        for (int i = 0; i < sweeps; i++)
            sweep(problem, at.full, length, at.swept);
        memcpy(at.polished, at.swept, size);
        double now = polish(at.polished, w, problem, length, &at);
        if (now < best) {
            best = now;
            memcpy(p, at.polished, size);
            memcpy(at.swept, at.polished, size);
        }
        length = round % 2 ? 1 : 1.0 / (2 << round / 2);
    }
    residuals(NULL, w, problem, at.full, 1, p);
    return best <= acceptable ? 0 : -1;
}

/* Tells whether a contact presses: p_n > r w_n, and p_n exceeds round-off of the largest force and of the force that
 * would stop this contact alone. The second comparison matters where all forces vanish: remains of the start value must
 * not count as forces. */
static bool presses(const tn_cone_problem *k, const tn_cone_contact *c, const double *p, const double *w,
                    double tolerance)
{
    double mobility = entry(k, c->row, c->row), force = 0, stops;
    if (!(mobility > rank_tolerance * most_mobile(k)))
        mobility = most_mobile(k);
    for (int i = 0; i < k->rows; i++)
        force = fmax(force, fabs(p[i]));
    stops = fabs(k->b[c->row]) / mobility;
    return p[c->row] > w[c->row] / mobility && p[c->row] > tolerance * fmax(force, stops);
}

tn_cone_mode tn_cone_mode_of(const tn_cone_problem *problem, int contact, const double *p, const double *w,
                             double tolerance)
{
    const tn_cone_contact *c = &problem->contacts[contact];
    double rate = 0;
    for (int i = 0; i < problem->rows; i++)
        rate = fmax(rate, fabs(problem->b[i]));
    if (!presses(problem, c, p, w, tolerance))
        return TN_CONE_OPEN;
    bool at_edge = tn_norm2(c->tangents, p + c->row + 1) > (1 - edge) * c->mu * p[c->row];
    bool moves = tn_norm2(c->tangents, w + c->row + 1) > tolerance * rate;
    return c->slides || (at_edge && moves) ? TN_CONE_SLIDES : TN_CONE_STICKS;
}
