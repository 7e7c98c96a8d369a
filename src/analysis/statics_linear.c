/* The linear problem of a step of the search for an equilibrium (statics.c). */
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "follow.h"
#include "statics_impl.h"

static const double PLACE_ROUND_OFF = 4e-15;   /* of positions, over the size; stiffness turns it into forces */

double tn_relaxer_length(const tn_relaxer *r, int column)
{
    double scale = r->s->structure.column_scale[column];
    return scale > 0 ? scale : 1;
}

static double find_noise(const tn_relaxer *r)
{
    const tn_derivatives *d = r->near->force;
    double most = 0;
    for (int k = 0; k < d->count; k++)
        if (d->row[k] < r->s->velocities && d->column[k] < r->s->velocities)
            most = fmax(most, fabs(d->position[k]) / (tn_relaxer_length(r, d->row[k]) * tn_relaxer_length(r, d->column[k])));
    return PLACE_ROUND_OFF * r->size * most;
}

/* States that depend on velocities: dz is then the change beyond r_v p, and K and r_x include the effect of r_v p. */
static int follow_velocities(tn_relaxer *r)
{
    tn_matrix Zv, stiffness, rates;
    TN_TRY(tn_tangent_rates_by_velocity(&Zv, r->near, &r->freedoms.V, r->pass));
    r->some_follow = false;
    for (int i = 0; i < r->s->states; i++) {
        r->follows[i] = false;
        for (int j = 0; j < Zv.columns; j++)
            r->follows[i] |= i < r->states && tn_column(&Zv, j)[i] != 0;
        r->some_follow |= r->follows[i];
    }
    if (!r->some_follow)
        return TN_OK;
    TN_TRY(tn_states_fastest(&r->fastest, &r->Zz, r->states, r->pass));
    TN_TRY(tn_matrix_multiply(&stiffness, r->pass, &r->Fz, &Zv));
    TN_TRY(tn_matrix_multiply(&rates, r->pass, &r->Zz, &Zv));
    for (int k = 0; k < r->K.rows * r->K.columns; k++)
        r->K.at[k] -= stiffness.at[k];
    for (int k = 0; k < r->Zx.rows * r->Zx.columns; k++)
        r->Zx.at[k] += rates.at[k];
    return TN_OK;
}

/* Adds the stiffness of the forces of unilateral constraints that touch, where the matrix of the step stays definite
 * with it; elsewhere the search only needs more steps without it. */
static int add_contact_stiffness(tn_relaxer *r)
{
    tn_derivatives *d = NULL;
    tn_matrix KV, without;
    const tn_matrix *V = &r->freedoms.V;
    bool definite;
    if (r->bounds)
        TN_TRY(r->bounds->stiffness(&d, r->bounds->user, r->near, r->pass));
    if (!d)
        return TN_OK;
    without = r->K;
    TN_TRY(tn_matrix_new(&KV, r->pass, V->rows, V->columns));
    for (int j = 0; j < V->columns; j++)
        for (int k = 0; k < d->count; k++)
            tn_column(&KV, j)[d->row[k]] -= d->position[k] * tn_column(V, j)[d->column[k]];
    TN_TRY(tn_matrix_multiply_transposed(&r->K, r->pass, V, &KV));
    for (int k = 0; k < r->K.rows * r->K.columns; k++)
        r->K.at[k] += without.at[k];
    TN_TRY(tn_relaxer_is_definite(r, 1 / (r->h * r->h), &definite));
    if (!definite)
        r->K = without;
    return TN_OK;
}

int tn_relaxer_reduce(tn_relaxer *r)
{
    const tn_matrix *V = &r->freedoms.V;
    tn_tangent_differentiate(r->near);
    TN_TRY(tn_freedoms_find(&r->freedoms, r->near->stepper->eval, r->s, r->near->memory, NULL, r->pass));
    TN_TRY(tn_tangent_stiffness(&r->K, r->near, V, V, r->pass));
    TN_TRY(tn_tangent_mass(&r->M, r->near, V, V, r->pass));
    TN_TRY(add_contact_stiffness(r));
    if (r->bounds)                                     /* complementarity needs symmetry, which rotations away from */
        tn_matrix_symmetrize(&r->K);                   /* the equilibrium disturb */
    TN_TRY(tn_tangent_force_by_states(&r->Fz, r->near, V, r->pass));
    TN_TRY(tn_tangent_rates_by_position(&r->Zx, r->near, V, r->pass));
    TN_TRY(tn_tangent_rates_by_states(&r->Zz, r->near, r->pass));
    TN_TRY(follow_velocities(r));
    int n = r->freedoms.rates;
    r->r = tn_numbers(r->pass, n);
    r->rates = tn_numbers(r->pass, r->s->states);
    if (!r->r || !r->rates)
        return TN_ERROR_MEMORY;
    r->stiffest = 0;
    r->noise = find_noise(r);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < r->s->velocities; i++)
            r->r[k] += tn_column(V, k)[i] * r->near->unbalanced[i];
        r->stiffest = fmax(r->stiffest, fabs(tn_column(&r->K, k)[k]) / tn_column(&r->M, k)[k]);
    }
    memcpy(r->rates, r->near->stepper->eval->dz, (size_t)r->s->states * sizeof(double));
    return TN_OK;
}

int tn_relaxer_is_definite(const tn_relaxer *r, double s, bool *definite)
{
    tn_matrix A;
    TN_TRY(tn_matrix_copy(&A, r->pass, &r->K));
    int n = A.rows;
    for (int k = 0; k < n * n; k++)
        A.at[k] += s * r->M.at[k];
    tn_matrix_symmetrize(&A);
    int code = n == 0 ? TN_OK : tn_lapack_code(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, A.at, n));
    *definite = code == TN_OK;
    return code < 0 ? code : TN_OK;
}

int tn_relaxer_system(tn_matrix *A, tn_matrix *b, const tn_relaxer *r, double s)
{
    int n = r->freedoms.rates, m = r->states;
    TN_TRY(tn_matrix_new(A, r->pass, n + m, n + m));
    TN_TRY(tn_matrix_new(b, r->pass, n + m, 1));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            tn_column(A, j)[i] = s * tn_column(&r->M, j)[i] + tn_column(&r->K, j)[i];
        for (int i = 0; i < m; i++)
            tn_column(A, j)[n + i] = -tn_column(&r->Zx, j)[i];
        b->at[j] = r->r[j];
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++)
            tn_column(A, n + j)[i] = -tn_column(&r->Fz, j)[i];
        for (int i = 0; i < m; i++)
            tn_column(A, n + j)[n + i] = (i == j ? sqrt(s) : 0) - tn_column(&r->Zz, j)[i];
        b->at[n + j] = r->rates[j];
    }
    return TN_OK;
}

double tn_relaxer_take(tn_relaxer *r, const double *solution)
{
    int n = r->freedoms.rates;
    double work = 0;
    memset(r->x, 0, (size_t)r->s->velocities * sizeof(double));
    for (int j = 0; j < n; j++) {
        work += solution[j] * r->r[j];
        for (int i = 0; i < r->s->velocities; i++)
            r->x[i] += solution[j] * tn_column(&r->freedoms.V, j)[i];
        for (int i = 0; i < n; i++)
            work -= 0.5 * solution[i] * tn_column(&r->K, j)[i] * solution[j];
        for (int i = 0; i < r->states; i++)
            work += 0.5 * solution[j] * tn_column(&r->Fz, i)[j] * solution[n + i];
    }
    memcpy(r->dz, solution + n, (size_t)r->states * sizeof(double));
    return work;
}
