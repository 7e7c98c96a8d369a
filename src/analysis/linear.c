/* The first-order form of a mechanism near a state (linear.h): matrices A and B, eigenvalues. */
#include "linear.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "diag.h"

/* Most forces are polynomials in their parameters: differences of eighth order are exact except for round-off. */
static const double INCREMENT = 0.01;          /* of a parameter, over its size */
static const double HIDDEN = 1e-10;            /* smaller displacements count as motion inside components only */
static const double NO_SWING = 1e-9;           /* relative imaginary part of a double eigenvalue by round-off */

int tn_check_size(const tn_system *s, const char *what)
{
    if (s->velocities <= TN_MOST_COORDINATES)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE,
                   "%s uses dense matrices: at most %d coordinates of bodies; this model has %d", what,
                   TN_MOST_COORDINATES, s->velocities);
}

typedef struct finder {
    tn_linear *out;
    tn_tangent *near;
    const tn_system *system;
    tn_arena *arena;
    tn_linear_observer observe;
    void *user;
    bool *left_out;                /* drives that are inputs */
    tn_direction direction;
    double *rates, *accelerations, *extra;
} finder;

/* The state that is the speed of a drive by acceleration and takes its input; -1: the drive is not one, or holds. */
static int speed_state(const finder *f, int constraint)
{
    const tn_system *s = f->system;
    for (int k = tn_drive_states_begin(s); k < tn_drive_states_end(s) && !f->near->held; k++)
        if (s->state[k].source == s->constraints[constraint].source)
            return k;
    return -1;
}

static int prepare(finder *f, const tn_linear_input *inputs, int input_count)
{
    const tn_system *s = f->system;
    tn_linear *out = f->out;
    f->left_out = tn_arena_alloc(f->arena, (size_t)s->constraint_count, sizeof(bool));
    f->rates = tn_numbers(f->arena, s->velocities);
    f->accelerations = tn_numbers(f->arena, s->velocities);
    f->extra = tn_numbers(f->arena, s->rows);
    out->values = tn_numbers(f->arena, input_count);
    if (!f->left_out || !f->rates || !f->accelerations || !f->extra || !out->values)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_direction_new(&f->direction, s, f->arena));
    for (int k = 0; k < input_count; k++)
        if (inputs[k].state < 0 && !inputs[k].force && speed_state(f, inputs[k].drive) < 0)
            f->left_out[inputs[k].drive] = true;
    TN_TRY(tn_freedoms_find(&out->freedoms, f->near->stepper->eval, s, f->near->memory, f->left_out, f->arena));
    out->states = f->near->held ? tn_drive_states_begin(s) : tn_drive_states_end(s);
    out->state = tn_arena_alloc(f->arena, (size_t)out->states, sizeof(int));
    if (!out->state)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < out->states; k++)
        out->state[k] = k;
    out->size = out->freedoms.count + out->freedoms.rates + out->states;
    TN_TRY(tn_matrix_new(&out->A, f->arena, out->size, out->size));
    return tn_matrix_new(&out->B, f->arena, out->size, input_count);
}

/* Writes the response to f->direction as a column of A or B. number: index among all columns. */
static int fill_column(finder *f, double *column, int number, const double *extra)
{
    const tn_freedoms *freedoms = &f->out->freedoms;
    TN_TRY(tn_tangent_response(f->near, freedoms, &f->direction, extra, f->rates, f->accelerations));
    memcpy(column, f->rates, (size_t)freedoms->count * sizeof(double));
    memcpy(column + freedoms->count, f->accelerations, (size_t)freedoms->rates * sizeof(double));
    memcpy(column + freedoms->count + freedoms->rates, f->direction.dz, (size_t)f->out->states * sizeof(double));
    return f->observe ? f->observe(f->user, number, &f->direction) : TN_OK;
}

static int fill_state(finder *f, int k)
{
    const tn_freedoms *freedoms = &f->out->freedoms;
    int rate = k - freedoms->count, state = rate - freedoms->rates;
    tn_direction_clear(&f->direction, f->system);
    memset(f->rates, 0, (size_t)f->system->velocities * sizeof(double));
    if (rate < 0)
        memcpy(f->direction.x, tn_column(&freedoms->P, k), (size_t)f->system->velocities * sizeof(double));
    else if (state < 0)
        f->rates[rate] = 1;
    else
        f->direction.z[state] = 1;
    TN_TRY(tn_tangent_velocity(f->near, freedoms, &f->direction, f->rates));
    TN_TRY(fill_column(f, tn_column(&f->out->A, k), k, NULL));
    /* the rate of a coordinate is the state of that name, without round-off; turns in space are no coordinates */
    for (int i = 0; i < freedoms->rates; i++)
        if (freedoms->items[i].kind != TN_FREEDOM_TURN)
            tn_column(&f->out->A, k)[i] = rate == i;
    return TN_OK;
}

/* ---- inputs ---- */

/* Sets f and dz of the direction to the derivatives by the free parameter. */
static int differentiate_force(finder *f, const tn_linear_input *input, double value)
{
    const tn_system *s = f->system;
    tn_tangent *n = f->near;
    tn_eval *e = n->probe;
    double h = INCREMENT * fmax(fabs(value), 1);
    tn_eval_motion(e, s, n->t, n->y, n->y + s->positions);
    e->reactions_known = n->stepper->eval->reactions_known;
    memcpy(e->lambda, n->stepper->eval->lambda, (size_t)s->rows * sizeof(double));
    tn_eval_constraints(e, s, n->memory, 0, true);
    e->failed = NULL;
    for (int k = 0; k < TN_STENCIL; k++)
        for (int side = -1; side <= 1; side += 2) {
            double weight = side * tn_stencil[k] / h;
            memset(e->f, 0, (size_t)s->velocities * sizeof(double));
            memset(e->dz, 0, (size_t)s->states * sizeof(double));
            input->force->formula->parameters[0] = value + side * (k + 1) * h;
            tn_eval_force(e, s, input->force, n->memory);
            for (int i = 0; i < s->velocities; i++)
                f->direction.f[i] += weight * e->f[i];
            for (int i = 0; i < s->states; i++)
                f->direction.dz[i] += weight * e->dz[i];
        }
    if (!e->failed)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_STEP, e->failed_span, "'%s' has no derivative by its parameter '%s'", e->failed,
                   input->force->type->parameters[input->parameter].name);
}

static int fill_input(finder *f, const tn_linear_input *input, int k)
{
    const tn_system *s = f->system;
    double *column = tn_column(&f->out->B, k), *value = &f->out->values[k];
    tn_direction_clear(&f->direction, s);
    memset(f->extra, 0, (size_t)s->rows * sizeof(double));
    if (input->state >= 0) {
        *value = f->near->y[s->positions + s->velocities + input->state];
        f->direction.z[input->state] = 1;
        memset(f->rates, 0, (size_t)s->velocities * sizeof(double));
        TN_TRY(tn_tangent_velocity(f->near, &f->out->freedoms, &f->direction, f->rates));
        return fill_column(f, column, f->out->size + k, NULL);
    }
    if (input->force) {
        int index = s->force_of[input->force->source];
        *value = tn_force_parameter_value(f->near->stepper->eval, s, &s->forces[index], input->parameter,
                                          f->near->memory);
        TN_TRY(differentiate_force(f, input, *value));
    } else {
        int state = speed_state(f, input->drive);
        if (state >= 0)
            f->direction.dz[state] = 1;
        else
            f->extra[s->constraints[input->drive].row] = 1;
    }
    return fill_column(f, column, f->out->size + k, f->extra);
}

/* ---- with components ---- */

/* A force over all velocities, added with a factor. */
typedef struct added_force {
    const double *f;
    double factor;
    int velocities;
} added_force;

static void push(tn_eval *e, void *user)
{
    const added_force *added = user;
    for (int k = 0; k < added->velocities; k++)
        e->f[k] += added->factor * added->f[k];
}

/* The response to a force is linear in the force, also with components: half the difference of the responses to the
 * force and to its opposite. */
static int find_answer(finder *f)
{
    const tn_system *s = f->system;
    tn_eval *e = f->near->stepper->eval;
    const tn_direction *d = &f->direction;
    added_force added = { .f = d->f, .velocities = s->velocities };
    int code = TN_OK;
    e->push = push;
    e->push_user = &added;
    for (int side = -1; side <= 1 && code == TN_OK; side += 2) {
        added.factor = side;
        code = tn_tangent_solve(f->near, f->near->y, TN_RANK_KEEP);
        for (int k = 0; k < s->velocities && code == TN_OK; k++)
            d->a[k] += 0.5 * side * e->a[k];
        for (int k = 0; k < s->rows && code == TN_OK; k++)
            d->lambda[k] += 0.5 * side * e->lambda[k];
        for (int k = 0; k < s->component_states && code == TN_OK; k++)
            d->dz[k] += 0.5 * side * e->dz[k];
    }
    e->push = NULL;
    TN_TRY(code);
    return tn_tangent_solve(f->near, f->near->y, TN_RANK_KEEP);
}

static int fill_input_by_differences(finder *f, const tn_linear_input *input, int k)
{
    const tn_system *s = f->system;
    const tn_linear *out = f->out;
    double *column = tn_column(&out->B, k), *row = f->rates;
    if (input->state >= 0)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "inputs of the model cannot be inputs of a linear model "
                       "with components: name other inputs, parameters of forces");
    if (!input->force)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, tn_constraint_span(s, input->drive), "the drive '%s' cannot be "
                       "an input of a linear model with components: name other inputs, parameters of forces",
                       tn_constraint_name(s, input->drive));
    tn_direction_clear(&f->direction, s);
    out->values[k] = tn_force_parameter_value(f->near->stepper->eval, s, &s->forces[s->force_of[input->force->source]],
                                              input->parameter, f->near->memory);
    TN_TRY(differentiate_force(f, input, out->values[k]));
    TN_TRY(find_answer(f));
    for (int i = 0; i < out->freedoms.rates; i++) {
        tn_freedom_row(&out->freedoms.items[i], f->near->stepper->eval, s, f->near->memory, row);
        for (int j = 0; j < s->velocities; j++)
            column[out->freedoms.count + i] += row[j] * f->direction.a[j];
    }
    for (int i = 0; i < out->states; i++)
        column[out->size - out->states + i] = f->direction.dz[out->state[i]];
    return f->observe ? f->observe(f->user, out->size + k, &f->direction) : TN_OK;
}

static int find_by_differences(finder *f, const tn_linear_input *inputs, int input_count)
{
    tn_difference_form form;
    TN_TRY(tn_linear_by_differences(&form, f->near, false, f->arena));
    *f->out = form.linear;
    f->rates = tn_numbers(f->arena, f->system->velocities);
    f->out->values = tn_numbers(f->arena, input_count);
    if (!f->rates || !f->out->values)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_matrix_new(&f->out->B, f->arena, f->out->size, input_count));
    TN_TRY(tn_direction_new(&f->direction, f->system, f->arena));
    for (int k = 0; k < f->out->size && f->observe; k++) {
        const tn_direction d = tn_difference_direction(&form, f->system, k);
        TN_TRY(f->observe(f->user, k, &d));
    }
    for (int k = 0; k < input_count; k++)
        TN_TRY(fill_input_by_differences(f, &inputs[k], k));
    return TN_OK;
}

int tn_linear_find(tn_linear *out, tn_tangent *near, const tn_linear_input *inputs, int input_count,
                   tn_linear_observer observe, void *user, tn_arena *arena)
{
    finder f = { .out = out, .near = near, .system = near->system, .arena = arena, .observe = observe, .user = user };
    *out = (tn_linear){ 0 };
    if (near->by_differences)
        return find_by_differences(&f, inputs, input_count);
    tn_tangent_differentiate(near);
    TN_TRY(prepare(&f, inputs, input_count));
    for (int k = 0; k < out->size; k++)
        TN_TRY(fill_state(&f, k));
    for (int k = 0; k < input_count; k++)
        TN_TRY(fill_input(&f, &inputs[k], k));
    return TN_OK;
}

int tn_linear_eigenvalues(tn_linear_eigen *out, const tn_linear *linear, tn_arena *arena)
{
    int n = linear->size;
    tn_matrix A;
    TN_TRY(tn_matrix_copy(&A, arena, &linear->A));
    TN_TRY(tn_matrix_new(&out->vectors, arena, n, n));
    out->re = tn_numbers(arena, n);
    out->im = tn_numbers(arena, n);
    if (!out->re || !out->im)
        return TN_ERROR_MEMORY;
    if (n == 0)
        return TN_OK;
    int code = tn_lapack_code(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, A.at, n, out->re, out->im, NULL, 1,
                                            out->vectors.at, n));
    for (int k = 0; k + 1 < n && code == TN_OK; k++)
        if (out->im[k] > 0 && out->im[k] <= NO_SWING * fabs(out->re[k]))
            out->im[k] = out->im[k + 1] = 0;           /* both columns are real eigenvectors */
    return code;
}

void tn_linear_displace(const tn_linear *linear, const double *states, double *x)
{
    const tn_matrix *P = &linear->freedoms.P;
    double most = 0, seen = 0;
    for (int k = 0; k < linear->size; k++) {
        most = fmax(most, fabs(states[k]));
        seen = k < P->columns ? most : seen;
    }
    memset(x, 0, (size_t)P->rows * sizeof(double));
    for (int j = 0; j < P->columns && !(linear->hidden && seen <= HIDDEN * most); j++)
        for (int i = 0; i < P->rows; i++)
            x[i] += states[j] * tn_column(P, j)[i];
}
