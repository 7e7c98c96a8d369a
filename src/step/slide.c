/* Accelerations where some attached joints slide with friction. The reactions x of the rows depend on all forces,
 * and friction depends on the normal reactions N with adhesion:
 *     x = x0 + sum of N_k x_k,  x_k from friction k for a normal force of 1, alone
 * The normal rows of this equation are a small linear system for N. Its solution is exact for any friction. */
#include <math.h>
#include <string.h>
#include "slide.h"
#include "dense.h"

int tn_slides_allocate(tn_stepper *st)
{
    const tn_system *s = st->system;
    size_t n = (size_t)s->layout.slide_count, v = (size_t)s->velocities, rows = (size_t)s->rows;
    st->slide_force = tn_arena_alloc(st->arena, v, sizeof(double));
    st->slide_rest = tn_arena_alloc(st->arena, rows, sizeof(double));
    st->slide_a = tn_arena_alloc(st->arena, n * v, sizeof(double));
    st->slide_lambda = tn_arena_alloc(st->arena, n * rows, sizeof(double));
    st->slide_matrix = tn_arena_alloc(st->arena, n * (n + 1), sizeof(double));
    return tn_arena_status(st->arena);
}

static int normal_row(const tn_stepper *st, int slide)
{
    const tn_system *s = st->system;
    return s->constraints[s->layout.slides[slide].constraint].row;
}

int tn_slides_add(tn_stepper *st)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    int n = s->layout.slide_count, w = n + 1;
    memset(st->slide_rest, 0, (size_t)s->rows * sizeof(double));
    for (int k = 0; k < n; k++) {
        tn_eval_slide(e, s, st->memory, &s->layout.slides[k], st->slide_force);
        TN_TRY(st->solver->solve(st->saddle, st->slide_force, st->slide_rest, st->slide_a + k * s->velocities,
                                 st->slide_lambda + k * s->rows));
        for (int i = 0; i < n; i++)
            st->slide_matrix[i * w + k] = (i == k) - st->slide_lambda[k * s->rows + normal_row(st, i)];
    }
    for (int i = 0; i < n; i++)
        st->slide_matrix[i * w + n] = e->lambda[normal_row(st, i)] + s->layout.slides[i].law.adhesion;
    if (tn_gauss_solve(n, st->slide_matrix, n + 1, st->slide_matrix + n, n + 1, 0) < n) {
        tn_eval_joint_failed(e, s, s->layout.slides[0].constraint, "friction jams what slides");
        return TN_ERROR_STEP;
    }
    for (int k = 0; k < n; k++) {
        double normal = st->slide_matrix[k * w + n];
        for (int j = 0; j < s->velocities; j++)
            e->a[j] += normal * st->slide_a[k * s->velocities + j];
        for (int j = 0; j < s->rows; j++)
            e->lambda[j] += normal * st->slide_lambda[k * s->rows + j];
    }
    return TN_OK;
}
