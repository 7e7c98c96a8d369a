/* First-order form of a mechanism with components. Only the response of components is known, not
 * their equations: each number of the state is changed by itself, the state is projected onto the joints inside and
 * outside of components, and solved. Differences of eighth order
 * give the columns of a projector onto the changes that joints allow, and the response to each.
 *
 * The singular values of a projector are zero or at least one, so its rank is certain, and that many columns are a
 * basis. The states of the form are independent functions of the state: coordinates of joints, then of bodies, their
 * rates, states of forces, and states of components as far as they are independent of these. */
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "coupling.h"
#include "dense.h"
#include "diag.h"
#include "linear.h"
#include "vec.h"

/* m (over the reach of a body below 1 m), rad and so on, or part of a state's size; by one pair of points instead. */
static const double INCREMENT = 1e-3, ROUGH_INCREMENT = 1e-4;
/* If joints cannot be closed at an increment, it is reduced by this factor, at most so often. */
static const double SMALLER = 0.1;
static const int MOST_TRIES = 4;
static const double NO_PIVOT = 1e-4;           /* of the projector */
/* The independent part of a function beside the chosen ones, over the largest of its kind: enough to choose a joint
 * coordinate, and any function. */
static const double CLEAR = 1e-3, INDEPENDENT = 1e-7;

/* A function of the state: a coordinate or its rate, of freedoms; or a number of the states. */
typedef struct function {
    enum { POSITION, RATE, STATE } kind;
    int index;
} function;

typedef struct differ {
    tn_difference_form *out;
    tn_tangent *near;
    const tn_system *s;
    tn_arena *arena;
    bool rough;
    tn_freedom *freedoms;
    int freedom_count;
    tn_matrix rows;                /* velocities x freedoms: how they change with x */
    int a, lambda, dz, rates, accelerations, width;    /* places in a sample; x, v and z come first */
    int *moved;                    /* numbers of the state, by their places in a sample */
    int moved_count;
    double *y, *shift, *sample, *base;
    tn_matrix changes;             /* of a sample, by each number */
    int *basis, size;              /* its independent columns */
    function *list;                /* the functions chosen */
    int chosen_count;
    tn_matrix told;                /* gradients of the chosen functions over the basis, orthonormal */
} differ;

/* ---- samples ---- */

static void place_parts(differ *d)
{
    const tn_system *s = d->s;
    d->a = 2 * s->velocities + s->states;
    d->lambda = d->a + s->velocities;
    d->dz = d->lambda + s->rows;
    d->rates = d->dz + s->states;
    d->accelerations = d->rates + d->freedom_count;
    d->width = d->accelerations + d->freedom_count;
}

/* Lists the numbers of the state that are changed one by one. It omits ports, which move with their components, the
 * accumulated work of components, which has no effect, and the states of drives that hold. */
static int list_numbers(differ *d)
{
    const tn_system *s = d->s;
    const int states = d->near->held ? tn_drive_states_begin(s) : tn_drive_states_end(s);
    d->moved = tn_arena_alloc(d->arena, (size_t)(2 * s->velocities + s->states), sizeof(int));
    if (!d->moved)
        return TN_ERROR_MEMORY;
    for (int level = 0; level < 2; level++)
        for (int b = 0; b < s->body_count; b++)
            for (int k = s->structure.body_column[b]; !s->bodies[b].port && k < s->structure.body_column[b + 1]; k++)
                d->moved[d->moved_count++] = level * s->velocities + k;
    for (int k = 0; k < states; k++)
        if (!tn_coupling_is_work(s, k))
            d->moved[d->moved_count++] = 2 * s->velocities + k;
    return TN_OK;
}

/* The change of a number for an increment of 1. */
static double scale_of(const differ *d, int number)
{
    const tn_system *s = d->s;
    if (number >= 2 * s->velocities)
        return fmax(1, fabs(d->near->y[s->positions + number - s->velocities]));
    for (int b = 0; b < s->body_count && number < s->velocities; b++) {
        const int first = s->structure.body_column[b], turns = first + s->dimension;
        if (number >= first && number < turns && turns < s->structure.body_column[b + 1])
            return fmin(1, s->structure.column_scale[turns]);
    }
    return 1;
}

/* Writes the solved point as the numbers of a sample. */
static void take_sample(differ *d, double *out)
{
    const tn_system *s = d->s;
    const tn_eval *e = d->near->stepper->eval;
    const double *q = tn_eval_positions(e, s);
    const size_t v = (size_t)s->velocities, z = (size_t)s->states;
    for (int k = 0; k < s->positions; k++)
        d->y[k] = q[k] - d->near->y[k];
    tn_position_tangent(s, d->near->y, d->y, out);
    memcpy(out + v, e->v, v * sizeof(double));
    memcpy(out + 2 * v, e->z, z * sizeof(double));
    memcpy(out + d->a, e->a, v * sizeof(double));
    memcpy(out + d->lambda, e->lambda, (size_t)s->rows * sizeof(double));
    memcpy(out + d->dz, e->dz, z * sizeof(double));
    for (int k = 0; k < d->freedom_count; k++) {
        out[d->rates + k] = tn_freedom_value(&d->freedoms[k], d->near->stepper->eval, s, d->near->memory, 1);
        out[d->accelerations + k] = tn_freedom_value(&d->freedoms[k], d->near->stepper->eval, s, d->near->memory, 2);
    }
}

/* Changes one number of the state, projects the state onto the joints, and solves there. */
static int sample_at(differ *d, int number, double by)
{
    const tn_system *s = d->s;
    memcpy(d->y, d->near->y, (size_t)s->size * sizeof(double));
    memset(d->shift, 0, (size_t)s->velocities * sizeof(double));
    if (number < s->velocities) {
        d->shift[number] = by;
        tn_position_move(s, d->near->y, d->shift, d->y);
    } else {
        d->y[s->positions + number - s->velocities] += by;
    }
    TN_TRY(tn_tangent_project(d->near, d->y));
    TN_TRY(tn_tangent_solve(d->near, d->y, TN_RANK_KEEP));
    take_sample(d, d->sample);
    return TN_OK;
}

static int difference(differ *d, int number, double h, double *out)
{
    const int pairs = d->rough ? 1 : TN_STENCIL;
    memset(out, 0, (size_t)d->width * sizeof(double));
    for (int k = 0; k < pairs; k++)
        for (int side = -1; side <= 1; side += 2) {
            TN_TRY(sample_at(d, number, side * (k + 1) * h));
            for (int i = 0; i < d->width; i++)
                out[i] += side * (d->rough ? 0.5 : tn_stencil[k]) / h * d->sample[i];
        }
    return TN_OK;
}

static int differentiate(differ *d)
{
    TN_TRY(tn_matrix_new(&d->changes, d->arena, d->width, d->moved_count));
    for (int j = 0; j < d->moved_count; j++) {
        double h = (d->rough ? ROUGH_INCREMENT : INCREMENT) * scale_of(d, d->moved[j]);
        int code = TN_ERROR_STEP;
        for (int tries = 0; tries < MOST_TRIES && code == TN_ERROR_STEP; tries++, h *= SMALLER)
            code = difference(d, d->moved[j], h, tn_column(&d->changes, j));
        if (code == TN_ERROR_STEP)
            return tn_fail(d->s->context, code, TN_NOWHERE, "the state at t = %.9g s has no neighbours that can be "
                           "solved", d->near->t);
        TN_TRY(code);
    }
    return TN_OK;
}

/* ---- independent functions ---- */

static int choose_basis(differ *d)
{
    const int n = d->moved_count;
    tn_matrix T;
    double *tau = tn_numbers(d->arena, n);
    d->basis = tn_arena_alloc(d->arena, (size_t)n, sizeof(int));
    if (!tau || !d->basis)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&T, d->arena, n, n));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            tn_column(&T, j)[i] = tn_column(&d->changes, j)[d->moved[i]];
    if (n > 0 && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, n, T.at, n, d->basis, tau) != 0)
        return TN_ERROR_MEMORY;
    while (d->size < n && fabs(tn_column(&T, d->size)[d->size]) > NO_PIVOT)
        d->basis[d->size++]--;
    return TN_OK;
}

/* The gradient of a function over the basis. */
static void gradient_of(const differ *d, const function *f, double *out)
{
    const double *row = f->kind == POSITION ? tn_column(&d->rows, f->index) : NULL;
    const int place = f->kind == RATE ? d->rates + f->index : 2 * d->s->velocities + f->index;
    for (int j = 0; j < d->size; j++) {
        const double *change = tn_column(&d->changes, d->basis[j]);
        out[j] = row ? tn_dot(d->s->velocities, row, change) : change[place];
    }
}

/* The place of a function's rate in a sample. */
static int rate_of(const differ *d, const function *f)
{
    return (f->kind == POSITION ? d->rates : f->kind == RATE ? d->accelerations : d->dz) + f->index;
}

/* Orthogonalizes a gradient against the chosen functions; twice, against round-off. */
static double reduce(const differ *d, double *gradient)
{
    for (int k = 0; k < 2 * d->chosen_count; k++) {
        const double *told = tn_column(&d->told, k % d->chosen_count), part = tn_dot(d->size, told, gradient);
        for (int i = 0; i < d->size; i++)
            gradient[i] -= part * told[i];
    }
    return sqrt(tn_dot(d->size, gradient, gradient));
}

/* Chooses the independent functions among these, the most independent first. */
static int choose(differ *d, const function *list, int count, double enough)
{
    tn_matrix left;
    double most = 0;
    TN_TRY(tn_matrix_new(&left, d->arena, d->size, count));
    for (int k = 0; k < count; k++) {
        gradient_of(d, &list[k], tn_column(&left, k));
        most = fmax(most, sqrt(tn_dot(d->size, tn_column(&left, k), tn_column(&left, k))));
    }
    while (d->chosen_count < d->size) {
        double largest = enough * most;
        int best = -1;
        for (int k = 0; k < count; k++) {
            const double length = reduce(d, tn_column(&left, k));
            best = length > largest ? k : best;
            largest = fmax(largest, length);
        }
        if (best < 0)
            break;
        for (int i = 0; i < d->size; i++)
            tn_column(&d->told, d->chosen_count)[i] = tn_column(&left, best)[i] / largest;
        d->list[d->chosen_count++] = list[best];
    }
    return TN_OK;
}

/* Chooses coordinates, of joints if possible; their rates; states. */
static int choose_functions(differ *d)
{
    const tn_system *s = d->s;
    const int states = d->near->held ? tn_drive_states_begin(s) : tn_drive_states_end(s);
    int joints = 0, positions, count = 0;
    function *list = tn_arena_alloc(d->arena, (size_t)(d->freedom_count + s->states), sizeof *list);
    d->list = tn_arena_alloc(d->arena, (size_t)d->size, sizeof *d->list);
    if (!list || !d->list)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&d->told, d->arena, d->size, d->size));
    for (int k = 0; k < d->freedom_count; k++) {
        list[k] = (function){ POSITION, k };
        joints += d->freedoms[k].kind == TN_FREEDOM_JOINT;
    }
    TN_TRY(choose(d, list, joints, CLEAR));
    TN_TRY(choose(d, list, d->freedom_count, INDEPENDENT));
    positions = d->chosen_count;
    for (int k = 0; k < positions; k++)
        list[k] = (function){ RATE, d->list[k].index };
    TN_TRY(choose(d, list, positions, INDEPENDENT));
    d->out->linear.freedoms.count = positions;
    d->out->linear.freedoms.rates = d->chosen_count - positions;
    for (int k = s->component_states; k < states; k++)
        list[count++] = (function){ STATE, k };
    TN_TRY(choose(d, list, count, INDEPENDENT));
    for (int k = 0; k < s->component_states; k++)
        list[k] = (function){ STATE, k };
    return choose(d, list, s->component_states, INDEPENDENT);
}

/* Coordinates with a rate of their own come first, in the order of the rates. */
static void sort_coordinates(const differ *d)
{
    const tn_freedoms *f = &d->out->linear.freedoms;
    for (int k = 0; k < f->rates; k++)
        for (int j = k; j < f->count; j++)
            if (d->list[j].index == d->list[f->count + k].index) {
                const function moved = d->list[j];
                d->list[j] = d->list[k];
                d->list[k] = moved;
            }
}

/* ---- the form ---- */

/* Computes the change of a sample for a unit of each function while the other functions stay constant. */
static int find_directions(differ *d)
{
    tn_matrix F, units, basis;
    TN_TRY(tn_matrix_new(&F, d->arena, d->size, d->size));
    TN_TRY(tn_matrix_new(&units, d->arena, d->size, d->size));
    TN_TRY(tn_matrix_new(&basis, d->arena, d->width, d->size));
    for (int k = 0; k < d->size; k++) {
        gradient_of(d, &d->list[k], d->sample);
        for (int j = 0; j < d->size; j++)
            tn_column(&F, j)[k] = d->sample[j];
        tn_column(&units, k)[k] = 1;
        memcpy(tn_column(&basis, k), tn_column(&d->changes, d->basis[k]), (size_t)d->width * sizeof(double));
    }
    int code = tn_matrix_solve(&F, &units, d->arena);
    TN_TRY(code);
    if (code == TN_MATRIX_SINGULAR || d->chosen_count < d->size)
        return tn_fail(d->s->context, TN_ERROR_STEP, TN_NOWHERE, "the state at t = %.9g s has no coordinates",
                       d->near->t);
    return tn_matrix_multiply(&d->out->directions, d->arena, &basis, &units);
}

/* A small rotation x in space has the rate w + w0 x x. */
static double turn_rate(const differ *d, const tn_freedom *f, const double *x)
{
    double turn[3];
    if (f->kind != TN_FREEDOM_TURN || d->s->dimension == 2)
        return 0;
    tn_cross3(turn, d->near->stepper->eval->w[f->index], x + d->s->bodies[f->index].v + 3);
    return turn[f->component];
}

static int write_form(differ *d)
{
    const size_t length = (size_t)d->s->velocities * sizeof(double);
    tn_linear *out = &d->out->linear;
    tn_freedoms *f = &out->freedoms;
    out->hidden = true;
    out->size = d->size;
    out->states = d->size - f->count - f->rates;
    out->state = tn_arena_alloc(d->arena, (size_t)out->states, sizeof(int));
    f->items = tn_arena_alloc(d->arena, (size_t)f->count, sizeof *f->items);
    d->out->rates = tn_numbers(d->arena, d->size);
    if (!out->state || !f->items || !d->out->rates)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&out->A, d->arena, d->size, d->size));
    TN_TRY(tn_matrix_new(&f->P, d->arena, d->s->velocities, f->count));
    TN_TRY(tn_matrix_new(&f->V, d->arena, d->s->velocities, f->rates));
    for (int k = 0; k < d->size; k++) {
        const double *change = tn_column(&d->out->directions, k);
        for (int i = 0; i < d->size; i++)
            tn_column(&out->A, k)[i] = change[rate_of(d, &d->list[i])] +
                                       (i < f->count ? turn_rate(d, &d->freedoms[d->list[i].index], change) : 0);
        d->out->rates[k] = d->base[rate_of(d, &d->list[k])];
        if (k < f->count) {
            f->items[k] = d->freedoms[d->list[k].index];
            memcpy(tn_column(&f->P, k), change, length);
        } else if (k < f->count + f->rates) {
            memcpy(tn_column(&f->V, k - f->count), change + d->s->velocities, length);
        } else {
            out->state[k - f->count - f->rates] = d->list[k].index;
        }
    }
    return TN_OK;
}

/* Rows of all freedoms and a sample at the state itself. */
static int look_linear_differences(differ *d)
{
    const tn_system *s = d->s;
    TN_TRY(tn_tangent_solve(d->near, d->near->y, TN_RANK_DECIDE));
    take_sample(d, d->base);
    TN_TRY(tn_matrix_new(&d->rows, d->arena, s->velocities, d->freedom_count));
    for (int k = 0; k < d->freedom_count; k++) {
        double *row = tn_column(&d->rows, k);
        tn_freedom_row(&d->freedoms[k], d->near->stepper->eval, s, d->near->memory, row);
        if (!isfinite(tn_dot(s->velocities, row, row)))   /* the coordinate has no derivative here */
            memset(row, 0, (size_t)s->velocities * sizeof(double));
    }
    return TN_OK;
}

int tn_linear_by_differences(tn_difference_form *out, tn_tangent *near, bool rough, tn_arena *arena)
{
    const tn_system *s = near->system;
    differ d = { .out = out, .near = near, .s = s, .arena = arena, .rough = rough };
    *out = (tn_difference_form){ 0 };
    d.freedom_count = tn_freedoms_list(&d.freedoms, s, arena);
    TN_TRY(d.freedom_count);
    place_parts(&d);
    d.y = tn_numbers(arena, s->size);
    d.shift = tn_numbers(arena, s->velocities);
    d.sample = tn_numbers(arena, d.width);
    d.base = tn_numbers(arena, d.width);
    if (!d.y || !d.shift || !d.sample || !d.base)
        return TN_ERROR_MEMORY;
    TN_TRY(list_numbers(&d));
    TN_TRY(look_linear_differences(&d));
    TN_TRY(differentiate(&d));
    TN_TRY(choose_basis(&d));
    TN_TRY(choose_functions(&d));
    sort_coordinates(&d);
    TN_TRY(find_directions(&d));
    TN_TRY(tn_tangent_solve(near, near->y, TN_RANK_DECIDE));
    return write_form(&d);
}

tn_direction tn_difference_direction(const tn_difference_form *form, const tn_system *s, int column)
{
    double *x = tn_column(&form->directions, column), *z = x + 2 * s->velocities, *a = z + s->states;
    return (tn_direction){ .x = x, .v = x + s->velocities, .z = z, .a = a, .lambda = a + s->velocities,
                           .dz = a + s->velocities + s->rows };
}
