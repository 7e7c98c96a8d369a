/* Natural modes (modes.h). Without damping and states, and with symmetric stiffness, K x = w^2 M x gives all modes.
 * Otherwise the modes are the eigenvectors of the first-order form. */
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diag.h"
#include "elementary.h"
#include "shape.h"

static const double PI = 3.14159265358979323846;
static const double SYMMETRIC = 1e-9;          /* of K: what counts as round-off */
/* Smaller eigenvalues, over the largest, count as zero: of K and M; of the first-order form, in which a motion without
 * stiffness is a double eigenvalue, whose round-off error is a square root. */
static const double NO_STIFFNESS = 1e-11, NO_RATE = 3e-8;

typedef struct finder {
    tn_modes *out;
    tn_tangent *near;
    tn_arena *arena, *scratch;
    tn_mode *modes;
    tn_shapes shapes;
    double *re, *im;               /* a displacement */
} finder;

/* True: damping forces supply no energy; the symmetric part of C is positive semidefinite. Overwrites C. */
static int takes_energy(bool *out, tn_matrix *C, tn_arena *arena)
{
    tn_matrix I;
    double *values = tn_numbers(arena, C->rows);
    if (!values)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&I, arena, C->rows, C->rows));
    for (int k = 0; k < C->rows; k++)
        tn_column(&I, k)[k] = 1;
    tn_matrix_symmetrize(C);
    int code = tn_matrix_eigen(C, &I, values);
    TN_TRY(code);
    *out = code == TN_OK && (C->rows == 0 || values[0] >= -SYMMETRIC * fabs(values[C->rows - 1]));
    return TN_OK;
}

int tn_vibration_find(tn_vibration *out, const tn_tangent *n, const tn_freedoms *freedoms, tn_arena *arena)
{
    const tn_system *s = n->system;
    const tn_matrix *V = &freedoms->V;
    tn_matrix C;
    TN_TRY(tn_tangent_stiffness(&out->K, n, V, V, arena));
    TN_TRY(tn_tangent_mass(&out->M, n, V, V, arena));
    TN_TRY(tn_tangent_damping(&C, n, V, V, arena));
    bool symmetric = tn_drive_states_begin(s) == 0 && !s->has_velocity_rows && tn_matrix_skewness(&out->K) <= SYMMETRIC;
    out->complete = symmetric && tn_matrix_largest(&C) == 0;
    TN_TRY(takes_energy(&out->potential, &C, arena));
    out->potential &= symmetric;
    tn_matrix_symmetrize(&out->M);
    if (symmetric)
        tn_matrix_symmetrize(&out->K);
    return TN_OK;
}

int tn_massless(const tn_tangent *n, const tn_freedoms *freedoms, const tn_matrix *M)
{
    int least = 0;
    for (int k = 1; k < freedoms->rates; k++)
        if (tn_column(M, k)[k] < tn_column(M, least)[least])
            least = k;
    return tn_fail(n->system->context, TN_ERROR_STEP, TN_NOWHERE, "the mass matrix is singular: nothing has inertia "
                   "against '%s'", tn_freedom_owner(&freedoms->items[least], n->system));
}

/* ---- modes ---- */

static tn_mode new_mode(double re, double im)
{
    double size = tn_hypot(re, im);
    return (tn_mode){ .value = { re, im }, .frequency = im != 0 ? size / (2 * PI) : 0,
                      .damping = size > 0 ? -re / size : 0 };
}

/* The mode re + i im, whose shape is in f->re, f->im. */
static int add_mode(finder *f, tn_mode mode)
{
    tn_mode *added = &f->modes[f->out->count++];
    const double *im = mode.value.im != 0 ? f->im : NULL;
    *added = mode;
    TN_TRY(tn_shape_describe(&added->shape, &added->shape_count, &f->shapes, f->re, im, f->arena));
    return tn_shape_of_bodies(&added->bodies, &added->body_count, &f->shapes, f->re, im, f->arena);
}

/* f->re = basis vector */
static void displace(const tn_matrix *basis, const double *vector, double *x)
{
    memset(x, 0, (size_t)basis->rows * sizeof(double));
    for (int j = 0; j < basis->columns; j++)
        for (int i = 0; i < basis->rows; i++)
            x[i] += vector[j] * tn_column(basis, j)[i];
}

static int undamped_modes(finder *f, const tn_freedoms *freedoms, tn_vibration *vibration)
{
    int n = freedoms->rates;
    tn_matrix M;
    double *values = tn_numbers(f->scratch, n);
    if (!values)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_copy(&M, f->scratch, &vibration->M));
    int code = tn_matrix_eigen(&vibration->K, &M, values);
    if (code == TN_MATRIX_SINGULAR)
        return tn_massless(f->near, freedoms, &vibration->M);
    TN_TRY(code);
    double largest = n > 0 ? fmax(fabs(values[0]), fabs(values[n - 1])) : 0;
    memset(f->im, 0, (size_t)f->near->system->velocities * sizeof(double));
    for (int k = 0; k < n; k++) {
        double square = fabs(values[k]) <= NO_STIFFNESS * largest ? 0 : values[k], rate = sqrt(fabs(square));
        displace(&freedoms->V, tn_column(&vibration->K, k), f->re);
        TN_TRY(add_mode(f, square < 0 ? new_mode(rate, 0) : new_mode(0, rate)));
        if (square < 0)
            TN_TRY(add_mode(f, new_mode(-rate, 0)));
    }
    return TN_OK;
}

static int general_modes(finder *f, const tn_linear *linear)
{
    tn_linear_eigen eigen;
    double largest = 0;
    int code = tn_linear_eigenvalues(&eigen, linear, f->scratch);
    if (code == TN_MATRIX_SINGULAR)
        return tn_fail(f->near->system->context, TN_ERROR_STEP, TN_NOWHERE, "the eigenvalues cannot be found");
    TN_TRY(code);
    f->modes = tn_arena_alloc(f->arena, (size_t)linear->size, sizeof *f->modes);
    if (!f->modes)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < linear->size; k++)
        largest = fmax(largest, tn_hypot(eigen.re[k], eigen.im[k]));
    for (int k = 0; k < linear->size; k++) {
        bool pair = eigen.im[k] != 0, still = tn_hypot(eigen.re[k], eigen.im[k]) <= NO_RATE * largest;
        tn_linear_displace(linear, tn_column(&eigen.vectors, k), f->re);
        if (pair)
            tn_linear_displace(linear, tn_column(&eigen.vectors, k + 1), f->im);
        TN_TRY(add_mode(f, still ? new_mode(0, 0) : new_mode(eigen.re[k], eigen.im[k])));
        if (pair && still)
            TN_TRY(add_mode(f, new_mode(0, 0)));
        k += pair;
    }
    return TN_OK;
}

static int slower_first(const void *left, const void *right)
{
    const tn_mode *a = left, *b = right;
    double sizes[2] = { tn_hypot(a->value.re, a->value.im), tn_hypot(b->value.re, b->value.im) };
    double order = sizes[0] != sizes[1] ? sizes[0] - sizes[1] : b->value.re - a->value.re;
    return (order > 0) - (order < 0);
}

/* Modes of the first-order form. */
static int all_modes(finder *f)
{
    tn_linear linear;
    TN_TRY(tn_linear_find(&linear, f->near, NULL, 0, NULL, NULL, f->scratch));
    TN_TRY(tn_shapes_prepare(&f->shapes, f->near, &linear.freedoms, f->arena));
    f->out->freedoms = tn_tangent_freedoms(f->near);
    return general_modes(f, &linear);
}

/* Modes of stiffness and mass, if these determine all modes. */
static int find_by_stiffness(finder *f)
{
    const tn_system *s = f->near->system;
    tn_freedoms freedoms;
    tn_vibration vibration;
    tn_tangent_differentiate(f->near);
    TN_TRY(tn_freedoms_find(&freedoms, f->near->stepper->eval, s, f->near->memory, NULL, f->scratch));
    TN_TRY(tn_vibration_find(&vibration, f->near, &freedoms, f->scratch));
    f->out->undamped = f->near->held && vibration.complete;
    if (!f->out->undamped)
        return all_modes(f);
    TN_TRY(tn_shapes_prepare(&f->shapes, f->near, &freedoms, f->arena));
    f->out->freedoms = freedoms.rates;
    f->modes = tn_arena_alloc(f->arena, 2 * (size_t)freedoms.rates, sizeof *f->modes);
    return f->modes ? undamped_modes(f, &freedoms, &vibration) : TN_ERROR_MEMORY;
}

static int find_modes(finder *f)
{
    const tn_system *s = f->near->system;
    f->re = tn_numbers(f->scratch, s->velocities);
    f->im = tn_numbers(f->scratch, s->velocities);
    if (!f->re || !f->im)
        return TN_ERROR_MEMORY;
    TN_TRY(f->near->by_differences ? all_modes(f) : find_by_stiffness(f));
    qsort(f->modes, f->out->count, sizeof *f->modes, slower_first);
    f->out->items = f->modes;
    return TN_OK;
}

int tn_modes_find(tn_modes *out, tn_tangent *near, tn_arena *arena)
{
    finder f = { .out = out, .near = near, .arena = arena };
    TN_TRY(tn_check_size(near->system, "a modal analysis"));
    f.scratch = tn_arena_create(near->system->context);
    out->time = near->t;
    int code = f.scratch ? find_modes(&f) : TN_ERROR_MEMORY;
    tn_arena_destroy(f.scratch);
    return code;
}
