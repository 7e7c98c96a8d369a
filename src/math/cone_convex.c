/* The convex problem of Coulomb cones (cone_convex.h), by the proximal point method. With W = L L', x = L'p and
 * c = L x + b, each round minimizes the smooth convex function
 *     |x|^2 / 2 + sum over contacts of |P(p - s c)|^2 / (2 s)
 * where P is the nearest point in the cone, and s the contact's stiffness, by Newton's method; then p = P(p - s c). The
 * matrix of Newton's method has the rank of W, which many contacts of few bodies exceed by far. Forces that W does not
 * determine stay near their start (Rockafellar 1976). */
#include "cone_convex.h"
#include <math.h>
#include <string.h>
#include "dense.h"

/* Share of a diagonal entry of W below which the rest of its row is round-off. */
static const double RANK = 1e-13;
/* Stiffness s times the largest W of a contact: in the first round, in that of another solution with other lifts; its growth and
 * bound. */
static const double FIRST_STIFFNESS = 1e2, AGAIN = 1e6, STIFFER = 30, STIFFEST = 1e10;
/* Residual that ends the search, and the one with lifts; share by which it has to fall in a round; gradient that ends a round, and one
 * that ends it where it does not fall. */
static const double ACCURACY = 1e-15, ROUGH = 1e-11, PROGRESS = 0.5, FLAT = 1e-15, FLAT_ENOUGH = 1e-9, ROUND_OFF = 1e-15;
/* Change of the lifts, as a share of the largest term, that ends their search; it is given up where PATIENCE rounds do not halve it. */
static const double LOWERED = 1e-7;
/* Armijo's condition. */
static const double ENOUGH = 1e-4;
enum { MOST_LOWERED = 25, PATIENCE = 4, MOST_ROUNDS = 30, MOST_IDLE = 4, MOST_NEWTON = 60, MOST_HALVINGS = 30, WIDEST = 1 + TN_CONE_TANGENTS };

typedef struct convex {
    const tn_cone_problem *problem;
    int m, rank;
    double *L;                     /* m rows of m numbers; the first `rank` of each count */
    double *H;                     /* matrix of Newton's method */
    double *b;                     /* that of the problem, with lifts */
    double *p, *c, *x, *d, *base, *trial, *gradient, *step, *convex, *lift;
    double *inverse;               /* of each contact: its largest W */
    double stiffness;
} convex;

long tn_cone_convex_doubles(int rows)
{
    long m = rows;
    return 2 * m * m + 12 * m;
}

/* Moves y to the nearest point of the cone; D: the derivative, NULL: it is not wanted. */
static void into_cone(double *y, double (*D)[WIDEST], int tangents, double mu)
{
    const double slip = tn_norm2(tangents, y + 1);
    if (D)
        memset(D, 0, WIDEST * sizeof *D);
    if (y[0] >= 0 && slip <= mu * y[0]) {
        for (int i = 0; i <= tangents && D; i++)
            D[i][i] = 1;
        return;
    }
    if (mu * slip <= -y[0]) {
        memset(y, 0, (size_t)(1 + tangents) * sizeof *y);
        return;
    }
    const double share = 1 / (1 + mu * mu), normal = (y[0] + mu * slip) * share;
    double u[TN_CONE_TANGENTS] = { 0 };
    for (int i = 0; i < tangents && slip > 0; i++)
        u[i] = y[1 + i] / slip;
    if (D)
        D[0][0] = share;
    for (int i = 0; i < tangents && D; i++) {
        D[0][1 + i] = D[1 + i][0] = mu * share * u[i];
        for (int j = 0; j < tangents; j++)
            D[1 + i][1 + j] = mu * mu * share * u[i] * u[j] + mu * normal / slip * ((i == j) - u[i] * u[j]);
    }
    y[0] = normal;
    for (int i = 0; i < tangents; i++)
        y[1 + i] = mu * normal * u[i];
}

void tn_cone_nearest(double *p, int tangents, double mu)
{
    into_cone(p, NULL, tangents, mu);
}

/* ---- W = L L' ---- */

/* Cholesky's method; the pivot is the row of which most is left. */
static void factor(convex *k, double *left)
{
    const int m = k->m;
    const double *W = k->problem->W;
    memset(k->L, 0, (size_t)m * (size_t)m * sizeof *k->L);
    for (int i = 0; i < m; i++)
        left[i] = W[i + i * m];
    for (k->rank = 0; k->rank < m; k->rank++) {
        int pivot = -1;
        double most = RANK;
        for (int i = 0; i < m; i++)
            if (left[i] > most * W[i + i * m]) {
                most = left[i] / W[i + i * m];
                pivot = i;
            }
        if (pivot < 0)
            return;
        const double *row = k->L + (size_t)pivot * (size_t)m, root = sqrt(left[pivot]);
        for (int i = 0; i < m; i++) {
            double *to = k->L + (size_t)i * (size_t)m;
            if (i == pivot || !(left[i] > 0))
                continue;
            to[k->rank] = (W[i + pivot * m] - tn_dot(k->rank, to, row)) / root;
            left[i] = fmax(left[i] - to[k->rank] * to[k->rank], 0);
        }
        k->L[(size_t)pivot * (size_t)m + (size_t)k->rank] = root;
        left[pivot] = 0;
    }
}

/* ---- a round ---- */

static const double *row_of(const convex *k, int i)
{
    return k->L + (size_t)i * (size_t)k->m;
}

static double stiffness_of(const convex *k, int contact)
{
    return k->stiffness / k->inverse[contact];
}

/* y = p - s c of a contact at x + d. */
static void pushed(const convex *k, int contact, const double *d, double y[WIDEST])
{
    const tn_cone_contact *c = &k->problem->contacts[contact];
    for (int i = 0; i <= c->tangents; i++)
        y[i] = k->base[c->row + i] - stiffness_of(k, contact) * tn_dot(k->rank, row_of(k, c->row + i), d);
}

/* The function to be minimized at x + d. gradient: it, too; NULL: it is not wanted. *terms: the sum of its terms. */
static double evaluate(convex *k, const double *d, double *gradient, double *terms)
{
    double value = 0, all = tn_norm2(k->rank, k->x);
    for (int i = 0; i < k->rank; i++) {
        value += (k->x[i] + d[i]) * (k->x[i] + d[i]) / 2;
        if (gradient)
            gradient[i] = k->x[i] + d[i];
    }
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        double y[WIDEST];
        pushed(k, j, d, y);
        into_cone(y, NULL, c->tangents, c->mu);
        value += tn_dot(1 + c->tangents, y, y) / (2 * stiffness_of(k, j));
        for (int i = 0; i <= c->tangents && gradient && y[0] > 0; i++) {
            tn_add(k->rank, -y[i], row_of(k, c->row + i), gradient);
            all += fabs(y[i]) * sqrt(k->problem->W[(c->row + i) * (k->m + 1)]);
        }
    }
    if (terms)
        *terms = all;
    return value;
}

/* H = 1 + sum of s L' D L, its lower triangle. */
static void fill_matrix(convex *k)
{
    const int n = k->rank;
    memset(k->H, 0, (size_t)n * (size_t)n * sizeof *k->H);
    for (int i = 0; i < n; i++)
        k->H[i * (n + 1)] = 1;
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        const double s = stiffness_of(k, j);
        double y[WIDEST], D[WIDEST][WIDEST];
        pushed(k, j, k->d, y);
        into_cone(y, D, c->tangents, c->mu);
        for (int q = 0; q < n && D[0][0] > 0; q++)
            for (int a = 0; a <= c->tangents; a++) {
                double factor = 0;
                for (int b = 0; b <= c->tangents; b++)
                    factor += s * D[a][b] * row_of(k, c->row + b)[q];
                if (factor != 0)
                    tn_add(n - q, factor, row_of(k, c->row + a) + q, k->H + q * (n + 1));
            }
    }
}

/* Minimizes the function of the round, from d = 0. */
static void minimize(convex *k)
{
    double terms, value, slope, part, next = 0, flat = INFINITY;
    memset(k->d, 0, (size_t)k->rank * sizeof *k->d);
    value = evaluate(k, k->d, k->gradient, &terms);
    for (int round = 0, idle = 0; round < MOST_NEWTON && idle < 2; round++) {
        const double now = tn_norm2(k->rank, k->gradient);
        if (now <= FLAT * terms)
            return;
        idle = now < flat / 2 ? 0 : now < FLAT_ENOUGH * terms ? idle + 1 : 0;
        flat = fmin(now, flat);
        fill_matrix(k);
        if (tn_cholesky(k->rank, k->H, k->rank) != 0)
            return;
        memcpy(k->step, k->gradient, (size_t)k->rank * sizeof *k->step);
        tn_cholesky_solve(k->rank, k->H, k->rank, k->step);
        slope = tn_dot(k->rank, k->gradient, k->step);
        part = 1;
        for (int halvings = 0; halvings < MOST_HALVINGS; halvings++, part /= 2) {
            memcpy(k->trial, k->d, (size_t)k->rank * sizeof *k->trial);
            tn_add(k->rank, -part, k->step, k->trial);
            next = evaluate(k, k->trial, NULL, NULL);
            if (next <= value - ENOUGH * part * slope + ROUND_OFF * fabs(value))
                break;
        }
        memcpy(k->d, k->trial, (size_t)k->rank * sizeof *k->d);
        value = evaluate(k, k->d, k->gradient, &terms);
    }
}

/* ---- the search ---- */

/* Returns the largest violation of the laws by p, as a share of the largest b; w = W p + b. */
static double residual(const convex *k, const double *p, double *w)
{
    double worst = 0, scale = 0;
    memcpy(w, k->b, (size_t)k->m * sizeof *w);
    for (int j = 0; j < k->m; j++)
        if (p[j] != 0)
            tn_add(k->m, p[j], k->problem->W + (size_t)j * (size_t)k->m, w);
    for (int i = 0; i < k->m; i++)
        scale = fmax(scale, fabs(k->b[i]));
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        double y[WIDEST];
        for (int i = 0; i <= c->tangents; i++)
            y[i] = p[c->row + i] - w[c->row + i] / k->inverse[j];
        into_cone(y, NULL, c->tangents, c->mu);
        for (int i = 0; i <= c->tangents; i++)
            worst = fmax(worst, fabs(p[c->row + i] - y[i]) * k->inverse[j]);
    }
    return scale > 0 ? worst / scale : worst;
}

static void find_inverses(convex *k)
{
    double most = 0;
    for (int i = 0; i < k->m; i++)
        most = fmax(most, k->problem->W[i * (k->m + 1)]);
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        k->inverse[j] = 0;
        for (int i = 0; i <= c->tangents; i++)
            k->inverse[j] = fmax(k->inverse[j], k->problem->W[(c->row + i) * (k->m + 1)]);
        if (!(k->inverse[j] > RANK * most))
            k->inverse[j] = most > 0 ? most : 1;
    }
}

/* One round from p, which is then that after it. What is large is left out of the function: x = L'p before the round, so that
 * round-off of c does not grow by s. */
static void take_round(convex *k)
{
    memset(k->x, 0, (size_t)k->m * sizeof *k->x);
    for (int i = 0; i < k->m; i++)
        tn_add(k->rank, k->p[i], row_of(k, i), k->x);
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        for (int i = c->row; i <= c->row + c->tangents; i++)
            k->base[i] = k->p[i] - stiffness_of(k, j) * (tn_dot(k->rank, row_of(k, i), k->x) + k->b[i]);
    }
    minimize(k);
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        double y[WIDEST];
        pushed(k, j, k->d, y);
        into_cone(y, NULL, c->tangents, c->mu);
        memcpy(k->p + c->row, y, (size_t)(1 + c->tangents) * sizeof *y);
    }
}

static convex begin(const tn_cone_problem *problem, double *work)
{
    const size_t m = (size_t)problem->rows;
    convex k = { .problem = problem, .m = problem->rows, .L = work, .H = work + m * m };
    double **vectors[] = { &k.p, &k.c, &k.x, &k.d, &k.base, &k.trial, &k.gradient, &k.step, &k.convex, &k.lift, &k.inverse, &k.b };
    work += 2 * m * m;
    for (int i = 0; i < (int)(sizeof vectors / sizeof *vectors); i++, work += m)
        *vectors[i] = work;
    factor(&k, k.step);
    find_inverses(&k);
    memcpy(k.b, problem->b, m * sizeof *k.b);
    return k;
}

/* Solves the convex problem with k->b, from the given stiffness on. */
static double solve(convex *k, double *p, double *w, double stiffness, double accuracy)
{
    const size_t size = (size_t)k->m * sizeof *p;
    memcpy(k->p, p, size);
    k->stiffness = stiffness;
    double best = residual(k, p, w);
    for (int round = 0, idle = 0; round < MOST_ROUNDS && idle < MOST_IDLE && best > accuracy; round++) {
        take_round(k);
        double now = residual(k, k->p, k->c);
        idle = now < PROGRESS * best ? 0 : idle + 1;
        if (now < best) {
            best = now;
            memcpy(p, k->p, size);
        }
        k->stiffness = fmin(k->stiffness * STIFFER, STIFFEST);
    }
    return residual(k, p, w);
}

double tn_cone_convex(double *p, double *w, const tn_cone_problem *problem, double *work)
{
    convex k = begin(problem, work);
    return solve(&k, p, w, FIRST_STIFFNESS, ACCURACY);
}

/* Adds the lifts of the slips w to b. Returns their largest change, *most: the largest term. */
static double lower(convex *k, const double *w, double *most)
{
    double change = 0;
    *most = 0;
    for (int j = 0; j < k->problem->contact_count; j++) {
        const tn_cone_contact *c = &k->problem->contacts[j];
        const double lift = c->mu * tn_norm2(c->tangents, w + c->row + 1);
        change = fmax(change, fabs(lift - k->lift[j]));
        *most = fmax(*most, fmax(fabs(k->problem->b[c->row]), lift));
        k->lift[j] = lift;
        k->b[c->row] = k->problem->b[c->row] + lift;
    }
    return change;
}

double tn_cone_convex_lowered(double *p, double *w, const tn_cone_problem *problem, double *work, bool *lifted)
{
    const size_t size = (size_t)problem->rows * sizeof *p;
    convex k = begin(problem, work);
    double left = solve(&k, p, w, FIRST_STIFFNESS, ROUGH), now = left, most, change = INFINITY, before = INFINITY;
    memcpy(k.convex, p, size);
    memset(k.lift, 0, size);
    *lifted = true;
    k.stiffness = AGAIN;
    for (int round = 0; round < MOST_LOWERED && *lifted; round++) {
        if (round % PATIENCE == 0) {
            if (!(change < before / 2) && round > 0)
                break;
            before = change;
        }
        change = lower(&k, w, &most);
        *lifted = change > LOWERED * most;
        if (!*lifted)
            break;
        memcpy(k.p, p, size);                          /* one round is enough: the next one has other lifts */
        take_round(&k);
        memcpy(p, k.p, size);
        (void)residual(&k, p, w);
    }
    if (!*lifted && change > 0)
        now = solve(&k, p, w, AGAIN, ROUGH);
    memcpy(k.b, problem->b, size);
    if (*lifted)
        memcpy(p, k.convex, size);
    (void)residual(&k, p, w);
    return *lifted ? left : now;
}
