/* Judges the stability of an equilibrium (judge.h). If stiffness is symmetric and no state takes part: by the lowest
 * w^2 of K x = w^2 M x. Otherwise by the largest real part of an eigenvalue of the first-order form, without the zero
 * eigenvalues of conserved quantities (follow.h), and without those of displacements that joints at velocity level
 * (rolling) exclude. */
#include "judge.h"

#include <math.h>
#include <string.h>
#include "diag.h"
#include "elementary.h"
#include "follow.h"
#include "linear.h"
#include "modes.h"
#include "shape.h"

/* Smaller values count as zero: w^2 over the largest w^2 and over softness; rates over the largest eigenvalue. */
static const double ZERO_SQUARE = 1e-12, ZERO_LOAD = 1e-9, ZERO_RATE = 1e-6;

typedef struct judge {
    tn_equilibrium *out;
    tn_tangent *near;
    const tn_system *s;
    tn_arena *scratch;
    double softness;
    double *x;
    tn_freedoms freedoms;
} judge;

/* x = basis vector */
static void take_direction(judge *j, const tn_matrix *basis, const double *vector)
{
    memset(j->x, 0, (size_t)j->s->velocities * sizeof(double));
    for (int k = 0; k < basis->columns; k++)
        for (int i = 0; i < basis->rows; i++)
            j->x[i] += vector[k] * tn_column(basis, k)[i];
}

static int judge_stiffness(judge *j, tn_vibration *vibration)
{
    int n = j->freedoms.rates;
    tn_matrix M;
    double *values = tn_numbers(j->scratch, n);
    if (!values)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_copy(&M, j->scratch, &vibration->M));
    int code = tn_matrix_eigen(&vibration->K, &M, values);
    if (code == TN_MATRIX_SINGULAR)
        return tn_massless(j->near, &j->freedoms, &vibration->M);
    TN_TRY(code);
    double zero = ZERO_SQUARE * fmax(fabs(values[0]), fabs(values[n - 1])) + ZERO_LOAD * j->softness;
    j->out->margin = fabs(values[0]) <= zero ? 0 : values[0];
    take_direction(j, &j->freedoms.V, tn_column(&vibration->K, 0));
    return TN_OK;
}

static double modulus(const tn_linear_eigen *eigen, int k)
{
    return tn_hypot(eigen->re[k], eigen->im[k]);
}

/* The eigenvalue of largest real part, without the given number of eigenvalues nearest to zero; -1: none left. */
static int worst_of(const tn_linear_eigen *eigen, int size, int conserved, bool *skipped)
{
    int worst = -1;
    for (int i = 0; i < conserved; i++) {
        int slowest = -1;
        for (int k = 0; k < size; k++)
            if (!skipped[k] && (slowest < 0 || modulus(eigen, k) < modulus(eigen, slowest)))
                slowest = k;
        if (slowest >= 0)
            skipped[slowest] = true;
    }
    for (int k = 0; k < size; k++)
        if (!skipped[k] && (worst < 0 || eigen->re[k] > eigen->re[worst]))
            worst = k;
    return worst;
}

static int count_conserved(int *count, judge *j, int states)
{
    tn_matrix Zx, Zz;
    TN_TRY(tn_tangent_rates_by_position(&Zx, j->near, &j->freedoms.V, j->scratch));
    TN_TRY(tn_tangent_rates_by_states(&Zz, j->near, j->scratch));
    return tn_states_conserved(count, &Zx, &Zz, states, j->scratch);
}

/* Motions that neither grow nor fade count as stable. */
static int judge_rates(judge *j)
{
    tn_linear linear;
    tn_linear_eigen eigen;
    int conserved = 0;
    double largest = 0;
    TN_TRY(tn_linear_find(&linear, j->near, NULL, 0, NULL, NULL, j->scratch));
    j->freedoms = linear.freedoms;
    if (!j->near->by_differences)
        TN_TRY(count_conserved(&conserved, j, linear.states));
    conserved += linear.freedoms.count - linear.freedoms.rates;    /* positions that rolling does not reach at once */
    int code = tn_linear_eigenvalues(&eigen, &linear, j->scratch);
    if (code == TN_MATRIX_SINGULAR)
        return tn_fail(j->s->context, TN_ERROR_STEP, TN_NOWHERE, "the eigenvalues cannot be found");
    TN_TRY(code);
    bool *skipped = tn_arena_alloc(j->scratch, (size_t)linear.size, sizeof *skipped);
    if (!skipped)
        return TN_ERROR_MEMORY;
    int worst = worst_of(&eigen, linear.size, conserved, skipped);
    for (int k = 0; k < linear.size; k++)
        largest = fmax(largest, modulus(&eigen, k));
    if (worst < 0) {
        j->out->margin = INFINITY;
        return TN_OK;
    }
    /* Without states, the squares of rates have the bound of judge_stiffness for round-off of forces. */
    const double zero_rate = fmax(ZERO_RATE * largest, linear.states == 0 ? sqrt(ZERO_LOAD * j->softness) : 0);
    bool oscillates = fabs(eigen.im[worst]) > zero_rate, zero = fabs(eigen.re[worst]) <= zero_rate;
    j->out->margin = zero && oscillates ? zero_rate : zero ? 0 : -eigen.re[worst];
    tn_linear_displace(&linear, tn_column(&eigen.vectors, worst), j->x);
    return TN_OK;
}

/* For systems with components, whose stiffness is not known. NOTHING_MOVES: there is no margin. */
enum { NOTHING_MOVES = 1 };
static int find_margin(judge *j)
{
    tn_vibration vibration;
    if (j->near->by_differences)
        return judge_rates(j);
    tn_tangent_differentiate(j->near);
    TN_TRY(tn_freedoms_find(&j->freedoms, j->near->stepper->eval, j->s, j->near->memory, NULL, j->scratch));
    if (j->freedoms.rates == 0 && tn_drive_states_begin(j->s) == 0)
        return NOTHING_MOVES;
    TN_TRY(tn_vibration_find(&vibration, j->near, &j->freedoms, j->scratch));
    j->out->by_stiffness = vibration.potential;
    return vibration.potential ? judge_stiffness(j, &vibration) : judge_rates(j);
}

static int find_judge(judge *j, tn_arena *arena)
{
    tn_equilibrium *out = j->out;
    tn_shapes shapes;
    int code = find_margin(j);
    TN_TRY(code);
    out->freedoms = tn_tangent_freedoms(j->near);
    out->kind = TN_EQUILIBRIUM_STABLE;
    if (code == NOTHING_MOVES) {           /* also not along what an earlier, unstable equilibrium has left by */
        out->direction = NULL;
        out->direction_count = 0;
        out->margin = 0;
        return TN_OK;
    }
    out->kind = out->margin < 0 ? TN_EQUILIBRIUM_UNSTABLE
                : out->margin == 0 ? TN_EQUILIBRIUM_INDIFFERENT : TN_EQUILIBRIUM_STABLE;
    TN_TRY(tn_shapes_prepare(&shapes, j->near, &j->freedoms, arena));
    return tn_shape_describe(&out->direction, &out->direction_count, &shapes, j->x, NULL, arena);
}

int tn_equilibrium_judge(tn_equilibrium *out, tn_tangent *near, double softness, double *x, tn_arena *arena,
                         tn_arena *scratch)
{
    judge j = { .out = out, .near = near, .s = near->system, .scratch = scratch, .softness = softness, .x = x };
    memset(x, 0, (size_t)near->system->velocities * sizeof(double));
    return find_judge(&j, arena);
}
