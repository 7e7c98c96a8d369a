/* Scheme "taylor2": parameter-free scheme of order 2 of Welch, Hong, Trapp and Choi (2007), Eq. 43 and 44.
 *     predictor   q^p, dv^p (taylor.h)
 *     corrector   forces and rows at q^h = (q0 + q^p)/2, v^h, t + h/2;  g^p at q^p, t + h
 *                 M dv - G' h lambda = h f,    G dv = 2 G dv^p - 2 g^p / h        (velocity level: G dv^p - g'^p)
 *     v1 = v0 + dv,    q1 = q0 moved by h (v0 + v1)/2; rotations by the Cayley map
 * Constraints are of order 3. With v^h = v0 + dv^p/2, as printed, velocity-dependent forces (gyroscopic ones in space)
 * see an error of order h, because the predictor's velocities are off by that much across the constraints: the motion
 * is of order 1. A second pass of the corrector, on the same factorization, with v^h = v0 + dv/2 restores order 2.
 *
 * As printed, g1 = 0 = g0 + h (g'0 + g'1)/2: an error of the constraints' velocities changes its sign from step to step and
 * never falls, and where forces of rolling feed it, it grows (a bicycle: by 1.2 % a step of 1 ms). So the right side has
 * + damping (g'0 + g0/h) as well. Then (g, h g') is multiplied by
 *     (damping/2  damping/2;  damping - 2  damping - 1)        both eigenvalues -1/3 for damping = 2/9 */
#include "taylor.h"

#include <math.h>

enum { PASSES, DAMPING };
enum { MOST_PASSES = 20 };             /* each gains a power of h: more passes change nothing */
enum { V0, DVP, DV, VH, QP, QH, VECTORS };

/* The constraints at the predicted state: g^p with the damping for rows at position level, g'^p for those at velocity level.
 * st->u holds - g'0 - g0/h of the predictor. */
static void predicted_gaps(tn_stepper *st, const tn_step *s, const double *qp, const double *v0, const double *dvp,
                           double *v)
{
    const tn_system *system = st->system;
    for (int k = 0; k < s->velocities + s->states; k++)
        v[k] = v0[k] + dvp[k];
    tn_eval_motion(st->eval, system, s->t + s->h, qp, NULL);
    if (system->has_velocity_rows) {
        tn_world_axes(st, v, v);
        tn_eval_motion(st->eval, system, s->t + s->h, qp, v);
    }
    tn_eval_constraints(st->eval, system, st->memory, system->has_velocity_rows ? 1 : 0, false);
    const double damping = 0.5 * s->h * tn_scheme_parameter(st, DAMPING);
    for (int i = 0; i < system->rows; i++)
        st->multipliers[i] = system->velocity_row[i] ? st->eval->gdot[i] : st->eval->g[i] + damping * st->u[i];
}

/* Rows at q^h, and the right side from the gaps that predicted_gaps left. dvp in body axes, world: scratch. */
static int factor_middle(tn_stepper *st, const tn_step *s, const double *qh, const double *dvp, double *world)
{
    const tn_system *system = st->system;
    tn_eval *e = st->eval;
    tn_eval_motion(e, system, s->t + 0.5 * s->h, qh, NULL);
    tn_eval_constraints(e, system, st->memory, 0, true);
    tn_world_axes(st, dvp, world);
    tn_jacobian_times(st, world, st->u);
    for (int i = 0; i < system->rows; i++)
        st->u[i] = system->velocity_row[i] ? st->u[i] - st->multipliers[i] : 2 * (st->u[i] - st->multipliers[i] / s->h);
    return st->solver->factor(st->saddle, e->M, e->G, TN_RANK_KEEP);
}

/* One pass of the corrector; dv enters as the increment that v^h is made of and leaves corrected, in body axes. */
static int correct(tn_stepper *st, const tn_step *s, const double *qh, double *v0, double *vh, double *dv)
{
    const tn_system *system = st->system;
    tn_eval *e = st->eval;
    for (int k = 0; k < s->velocities + s->states; k++)
        vh[k] = v0[k] + 0.5 * dv[k];
    tn_world_axes(st, vh, vh);
    tn_eval_motion(e, system, s->t + 0.5 * s->h, qh, vh);
    tn_eval_forces(e, system, st->memory);
    for (int k = 0; k < s->velocities; k++)
        e->f[k] *= s->h;
    TN_TRY(st->solver->solve(st->saddle, e->f, st->u, dv, st->multipliers));
    tn_body_axes(st, dv, dv);
    tn_state_increment(st, s, v0, dv);
    return TN_OK;
}

static void finish_step(tn_stepper *st, tn_step *s, const double *v0, const double *dv, double *mean)
{
    double *v1 = s->y1 + s->positions;
    for (int k = 0; k < s->velocities + s->states; k++) {
        mean[k] = v0[k] + 0.5 * dv[k];
        v1[k] = v0[k] + dv[k];
    }
    tn_drift(st, s->y0, 0.5 * s->h, mean, s->y1);
    tn_drift(st, s->y1, 0.5 * s->h, mean, s->y1);          /* twice half a step: the Cayley map */
    tn_eval_motion(st->eval, st->system, s->t + s->h, s->y1, NULL);
    tn_world_axes(st, v1, v1);
}

static int step_taylor2(tn_stepper *st, tn_step *s)
{
    int n = tn_step_length(s), passes = (int)fmax(1, fmin(tn_scheme_parameter(st, PASSES), MOST_PASSES));
    double *vector[VECTORS];
    for (int k = 0; k < VECTORS; k++)
        vector[k] = s->work + k * n;
    TN_TRY(tn_predict(st, s, vector[V0], vector[DVP], vector[QP]));
    predicted_gaps(st, s, vector[QP], vector[V0], vector[DVP], vector[VH]);
    for (int k = 0; k < s->positions; k++)
        vector[QH][k] = 0.5 * (s->y0[k] + vector[QP][k]);
    tn_position_normalize(st->system, vector[QH]);
    TN_TRY(factor_middle(st, s, vector[QH], vector[DVP], vector[VH]));
    for (int k = 0; k < s->velocities + s->states; k++)
        vector[DV][k] = vector[DVP][k];
    for (int pass = 0; pass < passes; pass++)
        TN_TRY(correct(st, s, vector[QH], vector[V0], vector[VH], vector[DV]));
    for (int i = 0; i < st->system->rows; i++)
        st->multipliers[i] /= s->h;
    finish_step(st, s, vector[V0], vector[DV], vector[VH]);
    st->counts.evaluations++;
    return TN_OK;
}

const tn_scheme_type tn_scheme_taylor2 = {
    .name = "taylor2",
    .doc = "Parameter-free, order 2: predictor and corrector that close the joints; brings its own fixed step.",
    .parameters = {
        [PASSES] = { "passes", "", "Passes of the corrector; 1: as published, order 1 if forces depend on velocities",
                     2, NULL },
        [DAMPING] = { "damping", "", "Part of constraint errors that a step takes from those of the last; 0: as published, "
                      "they never fall", 2.0 / 9, NULL },
    },
    .step = step_taylor2,
    .order = 2,
    .vectors = VECTORS,
};
