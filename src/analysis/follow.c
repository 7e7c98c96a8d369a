/* Integrates the states that follow the motion along the path of a step (follow.h). */
#include "follow.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "elementary.h"
#include "vec.h"

static const double RANK_TOLERANCE = 1e-9;     /* of rows of length 1 */
static const double AT_REST = 150;             /* times the fastest time constant: the longest time integrated */
static const double STEPS_PER_TIME = 2;        /* of the classical Runge-Kutta method, for the fastest time constant */
static const int FEWEST_STEPS = 8;

int tn_states_conserved(int *count, const tn_matrix *Zx, const tn_matrix *Zz, int states, tn_arena *arena)
{
    int n = Zx->columns + states, rank = 0, least = n < states ? n : states;
    tn_matrix rows;
    double *tau = tn_numbers(arena, states);
    lapack_int *pivots = tn_arena_alloc(arena, (size_t)states, sizeof *pivots);
    if (!tau || !pivots)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&rows, arena, n, states));
    for (int i = 0; i < states; i++) {
        double *row = tn_column(&rows, i), sum = 0;
        for (int j = 0; j < n; j++) {
            row[j] = j < Zx->columns ? tn_column(Zx, j)[i] : tn_column(Zz, j - Zx->columns)[i];
            sum += row[j] * row[j];
        }
        for (int j = 0; j < n && sum > 0; j++)
            row[j] /= sqrt(sum);
    }
    int code = least > 0 ? tn_lapack_code(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, states, rows.at, n, pivots, tau)) : TN_OK;
    TN_TRY(code);
    while (code == TN_OK && rank < least && fabs(tn_column(&rows, rank)[rank]) > RANK_TOLERANCE)
        rank++;
    *count = states - rank;
    return TN_OK;
}

int tn_states_fastest(double *rate, const tn_matrix *Zz, int states, tn_arena *arena)
{
    tn_matrix A;
    double *re = tn_numbers(arena, states), *im = tn_numbers(arena, states);
    if (!re || !im)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&A, arena, states, states));
    for (int j = 0; j < states; j++)
        memcpy(tn_column(&A, j), tn_column(Zz, j), (size_t)states * sizeof(double));
    *rate = 0;
    if (states > 0)
        TN_TRY(tn_lapack_code(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', states, A.at, states, re, im, NULL, 1, NULL,
                                            1)));
    for (int k = 0; k < states; k++)
        *rate = fmax(*rate, tn_hypot(re[k], im[k]));
    return TN_OK;
}

/* Computes the x for which tn_position_move leads from q0 to q1. */
static void find_displacement(const tn_system *s, const double *q0, const double *q1, double *x)
{
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        int plain = body->motion == TN_MOTION_PARTICLE ? s->dimension : 3;
        double back[4], turn[4];
        for (int k = 0; k < plain; k++)
            x[body->v + k] = q1[body->q + k] - q0[body->q + k];
        if (body->motion != TN_MOTION_SPATIAL)
            continue;
        tn_quat_conj(back, q0 + body->q + 3);
        tn_quat_mul(turn, q1 + body->q + 3, back);
        double sine = tn_norm3(turn + 1), angle = 2 * tn_atan2(sine, turn[0]);
        for (int k = 0; k < 3; k++)
            x[body->v + 3 + k] = sine > 0 ? angle * turn[k + 1] / sine : 0;
    }
}

/* dz/ds at the part s of the path, whose displacement is x. */
static void slope(tn_tangent *n, const tn_state_way *w, double s, const double *z, double *out)
{
    const tn_system *sys = n->system;
    const double *x = n->right_f;
    double *v = n->y_near + sys->positions;
    for (int k = 0; k < sys->velocities; k++)
        v[k] = s * x[k];
    tn_position_move(sys, w->q0, v, n->y_near);
    for (int k = 0; k < sys->velocities; k++)
        v[k] = x[k] / w->duration;
    memcpy(v + sys->velocities, z, (size_t)sys->states * sizeof(double));
    tn_eval_motion(n->probe, sys, n->t, n->y_near, v);
    tn_eval_forces(n->probe, sys, n->memory);
    for (int k = 0; k < sys->states; k++)
        out[k] = w->follows[k] ? w->duration * n->probe->dz[k] : w->changes[k];
}

void tn_states_follow(tn_tangent *n, const tn_state_way *way, double *z)
{
    static const double at[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    int states = n->system->states;
    double *stage = n->carried, *rate = stage + states, *sum = rate + states;
    tn_state_way w = *way;
    w.duration = w.fastest > 0 ? fmin(w.duration, AT_REST / w.fastest) : w.duration;
    int steps = (int)fmax(FEWEST_STEPS, ceil(STEPS_PER_TIME * w.duration * w.fastest));
    find_displacement(n->system, w.q0, w.q1, n->right_f);
    for (int step = 0; step < steps; step++) {
        memset(rate, 0, (size_t)(2 * states) * sizeof(double));
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < states; k++)
                stage[k] = z[k] + at[i] / steps * rate[k];
            slope(n, &w, (step + at[i]) / steps, stage, rate);
            for (int k = 0; k < states; k++)
                sum[k] += weight[i] / steps * rate[k];
        }
        for (int k = 0; k < states; k++)
            z[k] += sum[k];
    }
}
