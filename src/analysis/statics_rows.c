/* A step of the search for an equilibrium between unilateral constraints (statics.h). With W = J V A^-1 V'J' the
 * problem is one of complementarity with Coulomb cones, displacements in place of velocities:
 *     w = W f + J V x + gap,   0 <= w_n,  0 <= f_n,  w_n f_n = 0,   f_t against w_t, at most mu f_n
 * It is solved in its convex form (cone_convex.h), where w_n = mu |w_t| of a contact that slides: the solution is the
 * displacement between the constraints that takes most energy out of the loads, so that steps go downhill, and it is zero
 * exactly where forces within the cones hold the loads. */
#include <math.h>
#include <string.h>
#include "cone_convex.h"
#include "statics.h"

/* B = V'J' in the rows of displacements, zero in those of states. */
static int build_loads(tn_matrix *B, const tn_matrix *A, const tn_matrix *V, const tn_static_rows *rows,
                       tn_arena *arena)
{
    TN_TRY(tn_matrix_new(B, arena, A->rows, rows->rows));
    for (int i = 0; i < rows->rows; i++)
        for (int j = 0; j < V->columns; j++) {
            double sum = 0;
            for (int k = 0; k < V->rows; k++)
                sum += rows->J[(size_t)i * (size_t)V->rows + (size_t)k] * tn_column(V, j)[k];
            tn_column(B, i)[j] = sum;
        }
    return TN_OK;
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

int tn_static_rows_constrain(double *x, tn_matrix *A, const tn_matrix *V, const tn_static_rows *rows, tn_arena *arena)
{
    const int n = V->columns, m = rows->rows;
    tn_matrix B, X, W;
    TN_TRY(build_loads(&B, A, V, rows, arena));
    TN_TRY(tn_matrix_copy(&X, arena, &B));
    int code = tn_matrix_solve(A, &X, arena);
    if (code != TN_OK)
        return code < 0 ? code : TN_ERROR_STEP;
    TN_TRY(tn_matrix_new(&W, arena, m, m));
    double *b = tn_numbers(arena, m), *w = tn_numbers(arena, m), *f = rows->force;
    double *work = tn_arena_alloc(arena, (size_t)tn_cone_convex_doubles(m), sizeof *work);
    if (!b || !w || !work)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < m; i++) {
        b[i] = product(n, tn_column(&B, i), x);
        for (int j = 0; j < m; j++)
            tn_column(&W, j)[i] = product(n, tn_column(&B, i), tn_column(&X, j));
    }
    tn_matrix_symmetrize(&W);
    for (int k = 0; k < rows->count; k++)
        b[rows->contacts[k].row] += rows->gap[k];
    tn_cone_problem problem = { m, W.at, b, rows->contacts, rows->count };
    bool lifted;
    (void)tn_cone_convex_lowered(f, w, &problem, work, &lifted);       /* the search checks the step that follows */
    for (int i = 0; i < m; i++)
        for (int k = 0; k < A->rows; k++)
            x[k] += f[i] * tn_column(&X, i)[k];
    return TN_OK;
}

double tn_static_rows_correct(tn_static_rows *rows, const double *gaps, const double *x, int velocities)
{
    double most = 0;
    for (int k = 0; k < rows->count; k++) {
        const int row = rows->contacts[k].row;
        if (rows->force[row] > 0)
            most = fmax(most, fabs(gaps[k]));
        rows->gap[k] = gaps[k] - product(velocities, rows->J + (size_t)row * (size_t)velocities, x);
    }
    return most;
}
