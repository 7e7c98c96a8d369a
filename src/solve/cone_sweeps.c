/* Solves Coulomb cone problems with sparse rows: Gauss-Seidel sweeps with an exact solution of every contact, Anderson
 * acceleration (Walker and Ni 2011) over the sweeps. */
#include "cone_sweeps_impl.h"

#include <math.h>
#include <string.h>
#include "dense.h"
#include "vec.h"

/* Share of the trace added to W of a contact where it is singular: joints hold the touching bodies in some direction. */
static const double SOFT = 1e-13;
/* Off-diagonal entries below this share of the diagonal count as zero. */
static const double DECOUPLED = 1e-14;
/* The search for the slip ratio ends at this relative accuracy, or after so many iterations. */
static const double SLIP_ACCURACY = 1e-14;
enum { MAX_SLIP_STEPS = 60 };
/* Share of the largest diagonal entry added to the least-squares problem of the acceleration. */
static const double LEAST_SQUARES_SOFT = 1e-13;
/* An accelerated iterate whose sweep changes more than this times the last sweep is given up. */
static const double WORSE = 2;

/* Margins with which the interior point method begins, one after the other until it succeeds; its steps for each. */
static const double MARGINS[] = { 0.01, 0.1, 1 };
enum { MOST_INTERIOR = 40 };
/* Sweeps after it. */
enum { LAST_SWEEPS = 2 };
/* Steps of Newton's method for what contacts do at present: before the interior point method and after it; sweeps after each. */
enum { FIRST_ACTIVE = 12, LAST_ACTIVE = 12, SWEEPS_BETWEEN = 2, PATIENCE = 2 };
static const double PROGRESS = 10;
/* Softened problems: softness at the start, at most and at least, and its factors after success and failure; steps of
 * Newton's method for one problem, and for all. */
static const double FIRST_SOFT = 0.1, SOFTEST = 10, HARDEST = 1e-5, HARDER = 10, SOFTER = 5;
enum { MAX_NEWTON = 10, MOST_NEWTON = 12 };
/* Share of the tolerance to which a softened problem is solved. */
static const double SOFT_SHARE = 0.1;
/* Contacts: more have few sweeps, because those do not converge; more have fewer margins and no softened problems; more have no
 * interior point method, because the cost of a factorization grows faster than their number. */
enum { FEW_CONTACTS = 60, MANY_CONTACTS = 400, TOO_MANY_CONTACTS = 1000, FEW_SWEEPS = 2 };

/* ---- one contact ---- */

/* x = M^-1 x for a symmetric matrix of order n <= 3, by elimination without exchange; M is positive definite. */
static void solve_small(int n, const double M[TN_SWEEP_ROWS][TN_SWEEP_ROWS], double x[TN_SWEEP_ROWS])
{
    double L[TN_SWEEP_ROWS][TN_SWEEP_ROWS], d[TN_SWEEP_ROWS];
    for (int j = 0; j < n; j++) {
        d[j] = M[j][j];
        for (int k = 0; k < j; k++)
            d[j] -= L[j][k] * L[j][k] * d[k];
        for (int i = j + 1; i < n; i++) {
            L[i][j] = M[i][j];
            for (int k = 0; k < j; k++)
                L[i][j] -= L[i][k] * L[j][k] * d[k];
            L[i][j] /= d[j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            x[i] -= L[i][k] * x[k];
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= d[i];
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k][i] * x[k];
    }
}

/* p(slip): impulses with normal velocity zero and sliding velocity -slip p_t, from the velocities q without p. */
static void impulse_at(const tn_sweep_contact *c, const double *q, double slip, double p[TN_SWEEP_ROWS])
{
    double M[TN_SWEEP_ROWS][TN_SWEEP_ROWS];
    memcpy(M, c->W, sizeof M);
    for (int r = 1; r < c->rows; r++)
        M[r][r] += slip;
    for (int r = 0; r < c->rows; r++)
        p[r] = -q[r];
    solve_small(c->rows, (const double (*)[TN_SWEEP_ROWS])M, p);
}

/* Sliding: finds the slip ratio with |p_t| = mu p_n. f(slip) = mu p_n / |p_t| - 1 is nearly linear; it is negative at
 * zero, where sticking would need too much friction, and positive for large ratios. */
static void slide(tn_sweep_contact *c, const double *q, double p[TN_SWEEP_ROWS])
{
    double low = 0, high = INFINITY, scale = c->W[1][1] + (c->rows == 3 ? c->W[2][2] : 0), x = tn_more(c->slip, 0);
    for (int i = 0; i < MAX_SLIP_STEPS; i++) {
        impulse_at(c, q, x, p);
        double friction = tn_norm2(c->rows - 1, p + 1), f = c->mu * p[0] - friction;
        if (f > 0)
            high = fmin(high, x);
        else
            low = tn_more(low, x);
        if (fabs(f) <= SLIP_ACCURACY * c->mu * fabs(p[0]) ||
            (isfinite(high) && high - low <= SLIP_ACCURACY * high))
            break;
        double d[TN_SWEEP_ROWS] = { 0 }, M[TN_SWEEP_ROWS][TN_SWEEP_ROWS];     /* d = dp / dslip */
        memcpy(M, c->W, sizeof M);
        for (int r = 1; r < c->rows; r++) {
            M[r][r] += x;
            d[r] = -p[r];
        }
        solve_small(c->rows, (const double (*)[TN_SWEEP_ROWS])M, d);
        double turn = tn_dot(c->rows - 1, p + 1, d + 1) / friction;
        double ratio = c->mu * p[0] / friction - 1, slope = c->mu * (d[0] - p[0] * turn / friction) / friction;
        double next = x - ratio / slope;
        if (!(next > low && next < high))
            next = isinf(high) ? 4 * x + scale : (low + high) / 2;
        x = next;
    }
    c->slip = x;
    double friction = tn_norm2(c->rows - 1, p + 1), most = c->mu * tn_more(p[0], 0);
    for (int r = 1; r < c->rows; r++)                  /* exactly within the disc */
        p[r] *= friction > 0 ? most / friction : 0;
    p[0] = tn_more(p[0], 0);
}

static bool within_cone(const tn_sweep_contact *c, const double *p)
{
    double square = 0;
    for (int r = 1; r < c->rows; r++)
        square += p[r] * p[r];
    return p[0] >= 0 && square <= c->mu * c->mu * p[0] * p[0];
}

/* Sliding where no row is coupled to another, and the tangents are alike: in closed form. */
static void slide_round(const tn_sweep_contact *c, const double *q, double p[TN_SWEEP_ROWS])
{
    double speed = tn_norm2(c->rows - 1, q + 1);
    p[0] = -q[0] / c->W[0][0];
    for (int r = 1; r < c->rows; r++)
        p[r] = -c->mu * p[0] * q[r] / speed;
}

/* Solves one contact alone: p from q, its velocities without p. */
static void solve_contact(tn_sweep_contact *c, const double *q, double p[TN_SWEEP_ROWS])
{
    memset(p, 0, TN_SWEEP_ROWS * sizeof *p);
    if (q[0] >= 0 || !(c->W[0][0] > 0))
        return;
    for (int r = 0; r < c->rows; r++)
        for (int k = 0; k < c->rows; k++)
            p[r] -= c->inverse[r][k] * q[k];
    if (c->rows == 1 || within_cone(c, p))
        return;
    if (c->round)
        slide_round(c, q, p);
    else
        slide(c, q, p);
}

static void invert(tn_sweep_contact *c)
{
    double M[TN_SWEEP_ROWS][TN_SWEEP_ROWS], trace = 0;
    memcpy(M, c->W, sizeof M);
    for (int r = 0; r < c->rows; r++)
        trace += M[r][r];
    for (int r = 0; r < c->rows; r++)
        M[r][r] += SOFT * trace;
    for (int r = 0; r < c->rows; r++) {
        double unit[TN_SWEEP_ROWS] = { 0 };
        unit[r] = 1;
        solve_small(c->rows, (const double (*)[TN_SWEEP_ROWS])M, unit);
        for (int k = 0; k < c->rows; k++)
            c->inverse[k][r] = trace > 0 ? unit[k] : 0;
    }
    c->round = c->rows > 1;
    for (int r = 0; r < c->rows; r++)
        for (int k = 0; k < r; k++)
            c->round = c->round && fabs(c->W[r][k]) <= DECOUPLED * trace;
    if (c->rows == 3)
        c->round = c->round && fabs(c->W[1][1] - c->W[2][2]) <= DECOUPLED * trace;
    memcpy(c->W, M, sizeof M);
}

/* W = J A: the responses of A at the velocities of J. */
static void own_matrix(tn_sweep_contact *c)
{
    memset(c->W, 0, sizeof c->W);
    for (int b = 0; b < c->J_count; b++)
        for (int a = 0; a < c->A_count; a++) {
            const tn_sweep_block *J = &c->J[b], *A = &c->A[a];
            if (A->at != J->at)
                continue;
            for (int j = 0; j < J->width; j++)
                for (int r = 0; r < c->rows; r++)
                    for (int k = 0; k < c->rows; k++)
                        c->W[r][k] += J->values[j * c->rows + r] * A->values[j * c->rows + k];
        }
}

void tn_sweeps_prepare(tn_sweep_contact *contacts, int count)
{
    for (int i = 0; i < count; i++) {
        own_matrix(&contacts[i]);
        invert(&contacts[i]);
    }
}

/* ---- sweeps ---- */

/* Solves one contact again; returns the change of its velocities. */
static double visit(tn_sweeps *s, tn_sweep_contact *c)
{
    double w[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(c), q[TN_SWEEP_ROWS] = { 0 }, p[TN_SWEEP_ROWS], d[TN_SWEEP_ROWS] = { 0 }, change = 0;
    tn_sweep_add_rows(c, s->v, w);
    if (w[0] >= 0 && c->p[0] == 0)
        return 0;
    for (int r = 0; r < c->rows; r++) {
        q[r] = w[r];
        for (int k = 0; k < c->rows; k++)
            q[r] -= c->W[r][k] * c->p[k];
    }
    solve_contact(c, q, p);
    for (int r = 0; r < c->rows; r++)
        d[r] = p[r] - c->p[r];
    for (int r = 0; r < c->rows; r++)
        change = tn_more(change, c->W[r][r] * fabs(d[r]));
    if (change == 0)
        return 0;
    memcpy(c->p, p, sizeof c->p);
    tn_sweep_add_response(c, d, s->v);
    return change;
}

static double sweep(tn_sweeps *s)
{
    double change = 0;
    for (int i = 0; i < s->count; i++)
        change = tn_more(change, visit(s, &s->contacts[s->list[i]]));
    for (int i = s->count - 1; i >= 0; i--)
        change = tn_more(change, visit(s, &s->contacts[s->list[i]]));
    return change;
}

/* Impulses times the root of the mobility, so that the squares of all are energies. */
static void get_impulses(const tn_sweeps *s, double *x)
{
    for (int i = 0, k = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        for (int r = 0; r < c->rows; r++)
            x[k++] = sqrt(c->W[0][0]) * c->p[r];
    }
}

void tn_sweep_into_cone(const tn_sweep_contact *c, double *p)
{
    double friction = tn_norm2(c->rows - 1, p + 1);
    p[0] = tn_more(p[0], 0);
    for (int r = 1; r < c->rows && friction > c->mu * p[0]; r++)
        p[r] *= c->mu * p[0] / friction;
}

/* Sets the impulses, moved into their cones, and the velocities that belong to them. */
static void set_impulses(tn_sweeps *s, const double *x)
{
    for (int i = 0, k = 0; i < s->count; i++) {
        tn_sweep_contact *c = &s->contacts[s->list[i]];
        double p[TN_SWEEP_ROWS] = { 0 }, d[TN_SWEEP_ROWS], scale = c->W[0][0] > 0 ? 1 / sqrt(c->W[0][0]) : 0;
        bool differs = false;
        for (int r = 0; r < c->rows; r++)
            p[r] = scale * x[k++];
        tn_sweep_into_cone(c, p);
        for (int r = 0; r < c->rows; r++) {
            d[r] = p[r] - c->p[r];
            differs = differs || d[r] != 0;
        }
        if (!differs)
            continue;
        memcpy(c->p, p, sizeof p);
        tn_sweep_add_response(c, d, s->v);
    }
}

/* ---- acceleration ---- */

static double dot_long(int n, const double *a, const double *b)
{
    double sum[4] = { 0 };
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Adds the difference of the last two sweeps to the window. */
static void remember(tn_sweeps *s)
{
    int to = s->kept < TN_SWEEP_WINDOW ? s->kept++ : s->oldest;
    s->oldest = s->kept < TN_SWEEP_WINDOW ? 0 : (to + 1) % TN_SWEEP_WINDOW;
    for (int i = 0; i < s->rows; i++) {
        s->dx[to][i] = s->x[i] - s->last_x[i];
        s->df[to][i] = s->f[i] - s->last_f[i];
    }
    for (int k = 0; k < s->kept; k++)
        s->gram[to][k] = s->gram[k][to] = dot_long(s->rows, s->df[to], s->df[k]);
}

/* Writes the accelerated impulses into out: x + f - sum of g_k (dx_k + df_k), with g the least squares solution of
 * f = sum of g_k df_k. */
static bool accelerate(tn_sweeps *s, double *out)
{
    double A[TN_SWEEP_WINDOW * TN_SWEEP_WINDOW], g[TN_SWEEP_WINDOW], most = 0;
    int n = s->kept;
    for (int k = 0; k < n; k++)
        most = tn_more(most, s->gram[k][k]);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            A[i + k * n] = s->gram[i][k] + (i == k ? LEAST_SQUARES_SOFT * most : 0);
        g[i] = dot_long(s->rows, s->df[i], s->f);
    }
    if (!(most > 0) || tn_cholesky(n, A, n) != 0)
        return false;
    tn_cholesky_solve(n, A, n, g);
    for (int i = 0; i < s->rows; i++)
        out[i] = s->x[i] + s->f[i];
    for (int k = 0; k < n; k++)
        for (int i = 0; i < s->rows; i++)
            out[i] -= g[k] * (s->dx[k][i] + s->df[k][i]);
    return tn_finite(s->rows, out);
}

/* ---- residual ---- */

/* Violation of the laws by one contact (m/s): the change of its velocities when it is solved again. */
static double violation(const tn_sweeps *s, tn_sweep_contact c)
{
    double w[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(&c), q[TN_SWEEP_ROWS] = { 0 }, p[TN_SWEEP_ROWS], most = 0;
    tn_sweep_add_rows(&c, s->v, w);
    for (int r = 0; r < c.rows; r++) {
        q[r] = w[r];
        for (int k = 0; k < c.rows; k++)
            q[r] -= c.W[r][k] * c.p[k];
    }
    solve_contact(&c, q, p);
    for (int r = 0; r < c.rows; r++)
        most = tn_more(most, c.W[r][r] * fabs(p[r] - c.p[r]));
    return c.W[0][0] > 0 ? most : tn_more(-w[0], 0);
}

double tn_sweeps_violations(const tn_sweeps *s, double *largest)
{
    double sum = 0;
    *largest = 0;
    for (int i = 0; i < s->count; i++) {
        double now = violation(s, s->contacts[s->list[i]]);
        *largest = tn_more(*largest, now);
        sum += now * now;
    }
    return sqrt(sum);
}

double tn_sweeps_violation(const tn_sweeps *s)
{
    double most;
    tn_sweeps_violations(s, &most);
    return most;
}

/* ---- solving ---- */

long tn_sweeps_doubles(long rows)
{
    return (2 * TN_SWEEP_WINDOW + 7) * rows;
}

void tn_sweeps_velocities(tn_sweeps *s)
{
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        for (int b = 0; b < c->A_count; b++)
            memcpy(s->v + c->A[b].at, s->free + c->A[b].at, (size_t)c->A[b].width * sizeof(double));
    }
    for (int i = 0; i < s->count; i++)
        tn_sweep_add_response(&s->contacts[s->list[i]], s->contacts[s->list[i]].p, s->v);
}

/* Largest velocity of a contact without impulses. */
static double largest_velocity(const tn_sweeps *s)
{
    double most = 0;
    for (int i = 0; i < s->count; i++) {
        const tn_sweep_contact *c = &s->contacts[s->list[i]];
        double w[TN_SWEEP_ROWS] = TN_SWEEP_VELOCITY(c);
        tn_sweep_add_rows(c, s->free, w);
        for (int r = 0; r < c->rows; r++)
            most = tn_more(most, fabs(w[r]));
    }
    return most;
}

static tn_sweeps begin_sweeps(double *v, const double *free, tn_sweep_contact *contacts, const int *list, int count,
                              double *work)
{
    tn_sweeps s = { .v = v, .free = free, .contacts = contacts, .list = list, .count = count };
    for (int i = 0; i < count; i++)
        s.rows += contacts[list[i]].rows;
    double **vectors[] = { &s.x, &s.f, &s.last_x, &s.last_f };
    for (int k = 0; k < 4; k++, work += s.rows)
        *vectors[k] = work;
    for (int k = 0; k < TN_SWEEP_WINDOW; k++, work += 2 * s.rows) {
        s.dx[k] = work;
        s.df[k] = work + s.rows;
    }
    s.scale = largest_velocity(&s);
    tn_sweeps_velocities(&s);
    return s;
}

/* One sweep with acceleration behind it. next: room for the accelerated impulses. */
static void accelerated_sweep(tn_sweeps *s, double *change, double *next)
{
    double before = *change;
    get_impulses(s, s->x);
    *change = sweep(s);
    get_impulses(s, s->f);
    for (int i = 0; i < s->rows; i++)
        s->f[i] -= s->x[i];
    if (*change > WORSE * before)
        s->kept = s->oldest = 0;
    else if (isfinite(before))
        remember(s);
    memcpy(s->last_x, s->x, (size_t)s->rows * sizeof *s->x);
    memcpy(s->last_f, s->f, (size_t)s->rows * sizeof *s->f);
    if (s->kept > 0 && accelerate(s, next))
        set_impulses(s, next);
}

/* Copies the impulses out, and back with the velocities that belong to them. */
static void save_impulses(const tn_sweeps *s, double *p)
{
    for (int i = 0; i < s->count; i++)
        for (int r = 0; r < s->contacts[s->list[i]].rows; r++)
            *p++ = s->contacts[s->list[i]].p[r];
}

static void restore_impulses(tn_sweeps *s, const double *p)
{
    for (int i = 0; i < s->count; i++)
        for (int r = 0; r < s->contacts[s->list[i]].rows; r++)
            s->contacts[s->list[i]].p[r] = *p++;
    tn_sweeps_velocities(s);
}

typedef struct search {
    tn_sweeps s;
    double tolerance;
    double *next, *best;       /* room for accelerated impulses; the best impulses so far */
    double *anchor;            /* impulses around which Newton's method softens the problem */
    double worst;              /* their violation */
    tn_sweep_result result;
} search;

/* Measures the present impulses; keeps them where they are the best. Returns whether they are good enough. */
static bool measure(search *x)
{
    double now = tn_sweeps_violation(&x->s);
    if (now < x->worst) {
        x->worst = now;
        save_impulses(&x->s, x->best);
    }
    return now <= x->tolerance * x->s.scale;
}

/* Sweeps until they change little, at most `most` times. Returns whether the impulses are good enough. */
static bool sweep_on(search *x, int most)
{
    double change = INFINITY;
    x->s.kept = x->s.oldest = 0;
    for (int k = 0; k < most; k++) {
        accelerated_sweep(&x->s, &change, x->next);
        x->result.sweeps++;
        if (change > x->tolerance * x->s.scale)
            continue;
        sweep(&x->s);                                  /* what acceleration has left */
        if (measure(x))
            return true;
    }
    sweep(&x->s);
    return measure(x);
}

/* Proximal point method: solves softened problems, each around the solution of the one before. The softness falls
 * after each solution, and rises where none is found. */
static bool soften_on(search *x, tn_cone_newton *newton)
{
    double soft = FIRST_SOFT, enough = SOFT_SHARE * x->tolerance * x->s.scale;
    int most = x->result.newton + MOST_NEWTON;
    restore_impulses(&x->s, x->best);
    save_impulses(&x->s, x->anchor);
    while (soft <= SOFTEST && x->result.newton < most) {
        int before = x->result.newton;
        int code = tn_cone_soften(&x->s, newton, soft, x->anchor, enough, MAX_NEWTON, &x->result.newton);
        tn_sweeps_velocities(&x->s);
        if (measure(x))
            return true;
        if (code == 0) {
            if (x->result.newton == before && soft <= HARDEST)
                return false;                          /* round-off: nothing changes any more */
            save_impulses(&x->s, x->anchor);
            soft = tn_more(soft / HARDER, HARDEST);
        } else {
            restore_impulses(&x->s, x->anchor);
            soft *= SOFTER;
        }
    }
    return false;
}

/* Plain sweeps. Returns whether the impulses are good enough. */
static bool sweep_plainly(search *x, int most)
{
    bool done = measure(x);
    for (int k = 0; k < most && !done; k++) {
        sweep(&x->s);
        x->result.sweeps++;
        done = measure(x);
    }
    return done;
}

/* Newton's method for what contacts do, from the best impulses, with sweeps between its steps. It is given up where PATIENCE
 * steps do not divide the violation by PROGRESS. */
static bool pursue(search *x, tn_cone_newton *newton, int most)
{
    tn_cone_active active;
    double last = INFINITY;
    restore_impulses(&x->s, x->best);
    if (tn_cone_active_begin(&active, &x->s, newton) < 0)
        return false;
    for (int k = 0; k < most; k++) {
        if (k % PATIENCE == 0) {
            if (x->worst > last / PROGRESS)
                return false;
            last = x->worst;
        }
        if (tn_cone_active_step(&active, &x->s, newton) != 0)
            return false;
        x->result.newton++;
        if (sweep_plainly(x, SWEEPS_BETWEEN))
            return true;
    }
    return false;
}

/* The interior point method from the best impulses, then sweeps, Newton's method and softened problems. */
static bool finish(search *x, tn_cone_newton *newton, double margin)
{
    restore_impulses(&x->s, x->best);
    tn_cone_interior(&x->s, newton, margin, x->tolerance, MOST_INTERIOR, &x->result.newton);
    tn_sweeps_velocities(&x->s);
    if (sweep_plainly(x, LAST_SWEEPS) || pursue(x, newton, LAST_ACTIVE))
        return true;
    return x->s.count <= MANY_CONTACTS && soften_on(x, newton);
}

tn_sweep_result tn_sweeps_solve(double *v, const double *free, tn_sweep_contact *contacts, const int *list, int count,
                                double tolerance, int most, double *work, tn_cone_newton *newton)
{
    search x = { .s = begin_sweeps(v, free, contacts, list, count, work), .tolerance = tolerance, .worst = INFINITY };
    x.next = work + (2 * TN_SWEEP_WINDOW + 4) * x.s.rows;
    x.best = x.next + x.s.rows;
    x.anchor = x.best + x.s.rows;
    bool few = count <= FEW_CONTACTS, too_many = count > TOO_MANY_CONTACTS;
    bool done = sweep_plainly(&x, few ? 0 : FEW_SWEEPS) || (few && sweep_on(&x, most)) || pursue(&x, newton, FIRST_ACTIVE);
    for (int k = 0; k < 2 && too_many && !done; k++) {
        restore_impulses(&x.s, x.best);
        done = sweep_on(&x, most);
    }
    int margins = too_many ? 0 : count > MANY_CONTACTS ? 1 : (int)TN_LENGTH(MARGINS);
    for (int k = 0; k < margins && !done; k++)
        done = finish(&x, newton, MARGINS[k]);
    restore_impulses(&x.s, x.best);
    for (int i = 0; i < count; i++)                    /* but for round-off they are there already */
        tn_sweep_into_cone(&contacts[list[i]], contacts[list[i]].p);
    x.result.residual = x.s.scale > 0 ? x.worst / x.s.scale : 0;
    return x.result;
}
