/* Scheme "penalty": every joint is a spring and damper that pulls its equations to zero; nothing is solved for all
 * joints together (modular penalty, Seguy et al. 2003, with the mass that a joint really sees).
 *     lambda_j = - (G_j M^-1 G_j')^-1 (omega^2 g + 2 damping omega g')        position level
 *     lambda_j = - (G_j M^-1 G_j')^-1 (relaxation / h) g'                      velocity level
 *     omega = 2 pi sqrt(stiffness) / h
 * With mass given, mass stands for the bracket: Eq. 17, 18 and 21 of the publication, whose mass G_j M G_j' is not
 * the effective mass at the joint.
 * A joint on its own then swings with omega; n joints that share a body swing up to sqrt(n) times faster, which is why
 * the published stiffness of 0.1 is too much for explicit integrators; implicit ones bear it. Joints open by about a / omega^2 under load: the motion is that of a
 * slightly elastic mechanism, and tends to the rigid one with h. */
#include "stepper.h"

#include <math.h>
#include <string.h>
#include "dense.h"

enum { STIFFNESS, DAMPING, RELAXATION, MASS };
enum { COLUMNS = 6 };
static const double PI = 3.14159265358979324;
/* Relative change that makes the mass of a joint with dependent rows invertible; too small to affect the motion. */
static const double SOFTENING = 1e-10;

static bool needs_step(const tn_stepper *st)
{
    (void)st;
    return true;
}

/* K = G_j M^-1 G_j' of constraint c. */
static void mobility(const tn_stepper *st, int c, int rows, double *K)
{
    const tn_structure *k = &st->system->structure;
    memset(K, 0, (size_t)(rows * rows) * sizeof(double));
    for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
        int body = k->block_body[b], n = k->body_column[body + 1] - k->body_column[body];
        const double *G = st->eval->G + k->block_offset[b];
        for (int j = 0; j < rows; j++) {
            double x[COLUMNS];
            memcpy(x, G + j * n, (size_t)n * sizeof(double));
            tn_eval_divide_by_mass(st->eval, st->system, body, x);
            for (int i = j; i < rows; i++)
                for (int m = 0; m < n; m++)
                    K[i + j * rows] += G[i * n + m] * x[m];
        }
    }
    for (int i = 0; i < rows; i++) {
        double *own = &K[i + i * rows];
        *own = *own > 0 ? *own * (1 + SOFTENING) : 1;      /* a zero row exerts no force */
        for (int j = 0; j < i; j++)
            K[j + i * rows] = K[i + j * rows];
    }
}

/* mobility lambda = -(stiffness g + viscosity gdot), by rows. With mass given, the mobility is 1 / mass. */
static void springs_of(const tn_stepper *st, int c, double *K, double *stiffness, double *viscosity)
{
    const tn_system *s = st->system;
    int first = s->constraints[c].row, rows = s->constraints[c].rows;
    double h = tn_gain_step(st), omega = 2 * PI * sqrt(tn_scheme_parameter_for(st, STIFFNESS, c)) / h;
    double viscous = 2 * tn_scheme_parameter_for(st, DAMPING, c) * omega;
    double relax = tn_scheme_parameter_for(st, RELAXATION, c) / h;
    double mass = tn_scheme_parameter_for(st, MASS, c);
    for (int i = 0; i < rows; i++) {
        bool rate_only = s->velocity_row[first + i];
        stiffness[i] = rate_only ? 0 : omega * omega;
        viscosity[i] = rate_only ? relax : viscous;
    }
    if (!(mass > 0)) {
        mobility(st, c, rows, K);
        return;
    }
    memset(K, 0, (size_t)(rows * rows) * sizeof(double));
    for (int i = 0; i < rows; i++)
        K[i * (rows + 1)] = 1 / mass;
}

/* lambda of constraint c */
static int pull(tn_stepper *st, int c)
{
    int first = st->system->constraints[c].row, rows = st->system->constraints[c].rows;
    double K[TN_JOINT_ROWS * TN_JOINT_ROWS], stiffness[TN_JOINT_ROWS], viscosity[TN_JOINT_ROWS];
    double *lambda = st->eval->lambda + first;
    springs_of(st, c, K, stiffness, viscosity);
    for (int i = 0; i < rows; i++)
        lambda[i] = -(stiffness[i] * st->eval->g[first + i] + viscosity[i] * st->eval->gdot[first + i]);
    if (tn_cholesky(rows, K, rows) < 0)
        return TN_ERROR_STEP;
    tn_cholesky_solve(rows, K, rows, lambda);
    return TN_OK;
}

static int accelerate_penalty(tn_stepper *st)
{
    const tn_system *s = st->system;
    for (int c = 0; c < s->constraint_count; c++)
        TN_TRY(pull(st, c));
    memcpy(st->eval->a, st->eval->f, (size_t)s->velocities * sizeof(double));
    tn_add_joint_forces(st, st->eval->lambda, st->eval->a);
    for (int b = 0; b < s->body_count; b++)
        tn_eval_divide_by_mass(st->eval, st->system, b, st->eval->a + s->structure.body_column[b]);
    return TN_OK;
}

const tn_scheme_type tn_scheme_penalty = {
    .name = "penalty",
    .doc = "Joints are stiff springs and dampers tied to the step: no solver, each joint on its own.",
    .parameters = {
        [STIFFNESS] = { "stiffness", "", "Square of a step's part of a joint's period: 0.01 is ten steps a period",
                        0.01, NULL },
        [DAMPING] = { "damping", "", "Damping of a joint's swing, 1: critical", 0.1, NULL },
        [RELAXATION] = { "relaxation", "", "Part of an error at velocity level that a step takes away", 0.5, NULL },
        [MASS] = { "mass", "kg", "Mass that gains are for; 0: what the joint sees", 0, NULL },
    },
    .joint_parameters = true,
    .needs_step = needs_step,
    .accelerate = accelerate_penalty,
    .springs = springs_of,
};
