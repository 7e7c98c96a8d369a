/* Finds the states of a component that is added during a run, from the required motion of its ports. Starting from the
 * component's start, forces tau on its ports move the ports towards their places, as for the closing of joints: the
 * ports answer D tau + r (tenon/sys/component.h). With D = w W W' (coupling_impl.h) the answer W x nearest to the
 * wanted motion has
 *     (W'W + eps) x = W' want,    w (W'W + eps) s = x,    tau = W s
 * where eps suppresses directions in which the ports hardly move. Passes are repeated while the gap shrinks. */
#include <math.h>
#include <string.h>
#include "coupling_impl.h"
#include "dense.h"
#include "elementary.h"
#include "vec.h"

/* m or rad: longest move in one pass; the answer of positions is linear for small moves only. */
static const double LONGEST_MOVE = 0.1;
static const int MOST_PASSES = 200;
/* eps over the largest diagonal entry of W'W; a gap that is round-off; a pass that leaves more than this part of the
 * gap is the last pass. */
static const double WEAK = 1e-12, FITS = 1e-13, PROGRESS = 0.999;

typedef struct fitting {
    tn_eval *e;
    const tn_system *s;
    const tn_coupled *component;
    double t, *q, *v;              /* required motion of ports; the states after v are the result */
    double *N, *x, *want;          /* W'W, factorized; over columns of W; over columns of the component */
    double *tau, *z;               /* over the velocities; over the states */
} fitting;

/* ---- wanted motion of the ports ---- */

/* The small rotation from the axes of a port to its axes in q. */
static void turn_to(const fitting *f, const tn_sys_body *body, int index, double turn[3])
{
    double R[3][3], part[3];
    tn_zero3(turn);
    tn_quat_matrix(R, f->q + body->q + 3);
    for (int k = 0; k < 3; k++) {
        const double (*now)[3] = (const double (*)[3])f->e->R[index];
        const double from[3] = { now[0][k], now[1][k], now[2][k] }, to[3] = { R[0][k], R[1][k], R[2][k] };
        tn_cross3(part, from, to);
        for (int i = 0; i < 3; i++)
            turn[i] += part[i] / 2;
    }
}

/* Writes the distance of the ports from their places to want. */
static void position_gap(fitting *f)
{
    const tn_system *s = f->s;
    const tn_sys_component *of = f->component->of;
    const double *q = f->e->q, circle = 2 * tn_acos(-1);
    for (int p = 0; p < of->type->port_count; p++) {
        const int index = of->body[p];
        const tn_sys_body *body = &s->bodies[index];
        double *want = f->want + p * of->width;
        for (int k = 0; k < s->dimension; k++)
            want[k] = f->q[body->q + k] - q[body->q + k];
        if (s->dimension == 2)
            want[2] = remainder(f->q[body->q + 2] - q[body->q + 2], circle);
        else
            turn_to(f, body, index, want + 3);
    }
}

static void velocity_gap(fitting *f)
{
    const int *column = f->component->of->column;
    for (int j = 0; j < f->component->of->columns; j++)
        f->want[j] = f->v[column[j]] - f->e->v[column[j]];
}

/* ---- forces that cause it ---- */

/* W'W + eps = L L', in place: the lower half. */
static void factorize(fitting *f)
{
    const int n = f->component->of->columns, rank = f->component->response.rank;
    const double *W = f->component->response.W;
    double most = 0;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j <= i; j++) {
            f->N[i + j * n] = tn_dot(n, W + i * n, W + j * n);
            most = fmax(most, i == j ? f->N[i + i * n] : 0);
        }
    for (int i = 0; i < rank; i++)
        f->N[i + i * n] += WEAK * most;
    tn_cholesky_floored(rank, f->N, n, WEAK * most);
}

/* tau from want. */
static void find_forces(fitting *f)
{
    const tn_coupled_response *r = &f->component->response;
    const int n = f->component->of->columns;
    memset(f->x, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < r->rank; i++)
        for (int k = 0; k < n; k++)
            f->x[i] += r->W[k + i * n] * f->want[k];
    factorize(f);
    tn_cholesky_solve(r->rank, f->N, n, f->x);
    for (int i = 0; i < r->rank; i++)
        f->x[i] /= r->weight;
    tn_cholesky_solve(r->rank, f->N, n, f->x);
    memset(f->tau, 0, (size_t)f->s->velocities * sizeof(double));
    for (int i = 0; i < r->rank; i++)
        for (int k = 0; k < n; k++)
            f->tau[f->component->of->column[k]] += r->W[k + i * n] * f->x[i];
}

/* ---- passes ---- */

static double *states(const fitting *f)
{
    return f->v + f->s->velocities + f->component->of->state;
}

/* Moves the ports by want, limited to the longest move of one pass, and writes the states. */
static int move_fitting(fitting *f, tn_question question, double gap)
{
    const tn_system *s = f->s;
    const tn_sys_component *of = f->component->of;
    const double part = question == TN_ASK_POSITIONS ? fmin(1, LONGEST_MOVE / gap) : 1;
    TN_TRY(tn_coupling_condense(f->e, s, TN_RANK_DECIDE));
    TN_TRY(tn_coupling_free(f->e, s, question, f->e->free));
    for (int j = 0; j < of->columns; j++)
        f->want[j] = part * f->want[j] - f->e->free[of->column[j]];
    find_forces(f);
    TN_TRY(tn_coupling_take(f->e, s, question, f->tau, f->z, NULL));
    memcpy(states(f), f->z + of->state, (size_t)of->state_count * sizeof(double));
    return TN_OK;
}

static int place_fitting(fitting *f)
{
    tn_eval_motion(f->e, f->s, f->t, f->q, f->v);
    return f->e->component_code;
}

static int fit(fitting *f, tn_question question, double *gap)
{
    const size_t size = (size_t)f->component->of->state_count * sizeof(double);
    double *kept = f->z + f->s->states;
    *gap = INFINITY;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        TN_TRY(place_fitting(f));
        if (question == TN_ASK_POSITIONS)
            position_gap(f);
        else
            velocity_gap(f);
        double now = tn_largest(f->component->of->columns, f->want);
        if (!(now <= PROGRESS * *gap)) {
            memcpy(states(f), kept, size);
            return TN_OK;
        }
        *gap = now;
        memcpy(kept, states(f), size);
        if (now <= FITS)
            return TN_OK;
        TN_TRY(move_fitting(f, question, now));
    }
    return TN_OK;
}

int tn_coupling_fit(tn_eval *e, const tn_system *s, int component, double t, double *q, double *v, tn_arena *arena,
                    double *gap)
{
    const tn_sys_component *of = &s->components[component];
    const size_t n = (size_t)of->columns;
    TN_ASSERT(component < tn_coupled_count(e, s));
    fitting f = { .e = e, .s = s, .component = &e->coupling->items[component], .t = t, .q = q, .v = v,
                  .N = tn_arena_alloc(arena, n * n, sizeof(double)), .x = tn_arena_alloc(arena, n, sizeof(double)),
                  .want = tn_arena_alloc(arena, n, sizeof(double)),
                  .tau = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double)),
                  .z = tn_arena_alloc(arena, (size_t)(s->states + of->state_count), sizeof(double)) };
    TN_TRY(tn_arena_status(arena));
    TN_TRY(fit(&f, TN_ASK_POSITIONS, gap));
    double rate;
    return fit(&f, TN_ASK_VELOCITIES, &rate);
}
