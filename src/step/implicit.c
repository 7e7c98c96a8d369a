/* The iteration matrix of implicit integrators (implicit.h): entries, sparse pattern, factorization, solutions. */
#include "implicit.h"
#include "vec.h"

#include <klu.h>
#include <math.h>
#include <string.h>
#include "derivatives.h"
#include "device_network.h"
#include "diag.h"

/* Softness of a row relative to the mobility of the row's bodies. Even when dampers make the bodies 1e4 times stiffer,
 * it stays below 1e-6 of the row, and pivots of redundant rows keep that many digits. */
static const double SOFTNESS = 1e-10;
/* Softness of a row without stiffness and damping, in its own units: as good as none is there. */
static const double WITHOUT_FORCE = 1e30;
/* Pivots kept from an earlier matrix are chosen again when they fall below this part of their column. */
static const double WORN_PIVOTS = 1e-6;
/* Closing ends when residuals, m or rad (per second), are below this or no longer fall to this part from pass to pass.
 * The first pass is always made: corrections in some steps only are noise, which excites stiff forces. */
static const double CLOSED = 1e-15, PROGRESS = 0.5;
static const int MOST_PASSES = 12;

struct tn_iteration {
    tn_stepper *stepper;
    tn_derivatives *forces, *joints;
    int pulled;                    /* body that the user pulls; -1: none */
    double pull_position[36], pull_velocity[36];       /* derivatives of that force, like a mass block */
    tn_iteration_weights weights;
    int size;                      /* velocities + states + rows + unknowns */
    int unknowns;                  /* of the network */
    double *network;               /* right side of the network's equations */
    /* Entries in the order in which they are written; several may have the same place. First counted, then numbered. */
    int entry, entries;
    int *row, *column, *place;
    int *begin, *index;            /* compressed columns */
    double *values;
    double *softness;              /* of rows */
    double *stiffness, *viscosity; /* of rows, where joints are springs (springs of the scheme) */
    double *row_change[2];         /* change of residuals and of their rates */
    bool rigid;                    /* rows are independent: none is soft */
    double *right;                 /* right side and solution */
    double *state;                 /* like y, in velocities */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

/* ---- entries ---- */

/* The next entry; while the pattern is not known yet, its place only. */
static void put_implicit(tn_iteration *m, int row, int column, double value)
{
    if (m->place) {
        m->values[m->place[m->entry]] += value;
    } else if (m->row) {
        m->row[m->entry] = row;
        m->column[m->entry] = column;
    }
    m->entry++;
}

/* Writes the masses. The force of a pull depends only on the motion of its body, so it belongs to that body's block. */
static void put_masses(tn_iteration *m)
{
    const tn_structure *k = &m->stepper->system->structure;
    const tn_iteration_weights *w = &m->weights;
    for (int b = 0; b < k->bodies; b++) {
        int first = k->body_column[b], n = k->body_column[b + 1] - first;
        const double *M = m->stepper->eval->M + k->mass_offset[b];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                put_implicit(m, first + i, first + j, M[i * n + j] - (b != m->pulled ? 0 : w->q * m->pull_position[i * n + j] +
                                                             w->v * m->pull_velocity[i * n + j]));
    }
}

/* Unknowns of the network, and its equations, come after the rows of the joints. */
static int place_of_derivative(const tn_iteration *m, int index)
{
    const tn_system *s = m->stepper->system;
    return index < s->velocities + s->states ? index : index + s->rows;
}

static void put_derivatives(tn_iteration *m, const tn_derivatives *d)
{
    int velocities = m->stepper->system->velocities, own = velocities + m->stepper->system->states;
    for (int k = 0; k < d->count; k++) {
        double change = d->column[k] >= own          ? d->position[k]
                        : d->column[k] >= velocities ? m->weights.z * d->position[k]
                                                     : m->weights.q * d->position[k] + m->weights.v * d->velocity[k];
        put_implicit(m, place_of_derivative(m, d->row[k]), place_of_derivative(m, d->column[k]), -change);
    }
}

/* A change a of the accelerations changes the force of a spring with row i by -weight (G a)_i. */
static double spring_weight(const tn_iteration *m, int row)
{
    return m->weights.q * m->stiffness[row] + m->weights.v * m->viscosity[row];
}

/* Joints that are springs give way: G a + mobility mu / weight = 0. A row without weight exerts no force. */
static void put_springs(tn_iteration *m, int c)
{
    const tn_system *s = m->stepper->system;
    int row = s->structure.constraint_row[c], rows = s->structure.constraint_row[c + 1] - row;
    int first = s->velocities + s->states + row;
    double mobility[TN_JOINT_ROWS * TN_JOINT_ROWS] = { 0 };
    if (m->place)
        m->stepper->scheme->springs(m->stepper, c, mobility, m->stiffness + row, m->viscosity + row);
    for (int i = 0; i < rows; i++) {
        double weight = spring_weight(m, row + i);
        m->softness[row + i] = weight > 0 ? mobility[i * (rows + 1)] / weight : WITHOUT_FORCE;
        for (int j = 0; j < rows; j++)
            put_implicit(m, first + i, first + j, weight > 0 ? mobility[i * rows + j] / weight : i == j ? WITHOUT_FORCE : 0);
    }
}

/* Rows of a constraint, their transpose, and the softness of each. */
static void put_constraint(tn_iteration *m, int c)
{
    const tn_system *s = m->stepper->system;
    const tn_structure *k = &s->structure;
    int rows = k->constraint_row[c + 1] - k->constraint_row[c];
    int first = s->velocities + s->states + k->constraint_row[c];
    bool springs = m->stepper->scheme->springs != NULL;
    double mobility[TN_JOINT_ROWS] = { 0 }, store[30];
    for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
        int body = k->block_body[b], column = k->body_column[body], n = k->body_column[body + 1] - column;
        const double *G = tn_eval_block(m->stepper->eval, s, c, b, store);
        const double *M = m->stepper->eval->M + k->mass_offset[body];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++) {
                put_implicit(m, first + i, column + j, G[i * n + j]);
                put_implicit(m, column + j, first + i, -G[i * n + j]);
                mobility[i] += G[i * n + j] * G[i * n + j] / M[j * (n + 1)];
            }
    }
    if (springs)
        put_springs(m, c);
    for (int i = 0; i < rows && !springs; i++) {
        double softness = mobility[i] > 0 ? (m->rigid ? 0 : SOFTNESS * mobility[i]) : 1;
        m->softness[k->constraint_row[c] + i] = softness;
        put_implicit(m, first + i, first + i, softness);
    }
}

static void put_all(tn_iteration *m)
{
    const tn_system *s = m->stepper->system;
    m->entry = 0;
    put_masses(m);
    for (int k = 0; k < s->states; k++)
        put_implicit(m, s->velocities + k, s->velocities + k, 1);
    put_derivatives(m, m->forces);
    put_derivatives(m, m->joints);
    for (int c = 0; c < s->constraint_count; c++)
        put_constraint(m, c);
}

/* ---- pattern ---- */

static void *memory(tn_iteration *m, int count, size_t size)
{
    return tn_arena_alloc(m->stepper->arena, (size_t)count, size);
}

/* Sorts the entries by rows and then by columns (two passes of counting sort); equal places come together. */
static void sort_entries(tn_iteration *m, const int *key, const int *from, int *to)
{
    memset(m->begin, 0, (size_t)(m->size + 1) * sizeof(int));
    for (int k = 0; k < m->entries; k++)
        m->begin[key[k] + 1]++;
    for (int j = 0; j < m->size; j++)
        m->begin[j + 1] += m->begin[j];
    for (int k = 0; k < m->entries; k++) {
        int entry = from ? from[k] : k;
        to[m->begin[key[entry]]++] = entry;
    }
}

/* Numbers the places; order: entries by columns, then rows. */
static void number_places(tn_iteration *m, const int *order, int *place)
{
    int count = 0, column = 0;
    m->begin[0] = 0;
    for (int k = 0; k < m->entries; k++) {
        int entry = order[k], last = k > 0 ? order[k - 1] : -1;
        bool new = last < 0 || m->row[last] != m->row[entry] || m->column[last] != m->column[entry];
        for (; column < m->column[entry]; column++)
            m->begin[column + 1] = count;
        if (new)
            m->index[count++] = m->row[entry];
        place[entry] = count - 1;
    }
    for (; column < m->size; column++)
        m->begin[column + 1] = count;
    m->place = place;
}

static int find_pattern(tn_iteration *m)
{
    put_all(m);
    m->entries = m->entry;
    m->column = memory(m, m->entries, sizeof(int));
    m->row = memory(m, m->entries, sizeof(int));
    m->begin = memory(m, m->size + 1, sizeof(int));
    m->index = memory(m, m->entries, sizeof(int));
    m->values = memory(m, m->entries, sizeof(double));
    int *by_row = memory(m, m->entries, sizeof(int)), *order = memory(m, m->entries, sizeof(int));
    int *place = memory(m, m->entries, sizeof(int));
    TN_TRY(tn_arena_status(m->stepper->arena));
    put_all(m);
    sort_entries(m, m->row, NULL, by_row);
    sort_entries(m, m->column, by_row, order);
    number_places(m, order, place);
    return TN_OK;
}

/* ---- life ---- */

static int build_implicit(tn_iteration *m)
{
    tn_stepper *st = m->stepper;
    const tn_system *s = st->system;
    m->unknowns = s->network ? s->network->count : 0;
    m->size = s->velocities + s->states + s->rows + m->unknowns;
    m->network = memory(m, m->unknowns, sizeof(double));
    m->softness = memory(m, s->rows, sizeof(double));
    m->stiffness = memory(m, s->rows, sizeof(double));
    m->viscosity = memory(m, s->rows, sizeof(double));
    m->row_change[0] = memory(m, 2 * s->rows, sizeof(double));
    m->right = memory(m, m->size, sizeof(double));
    m->state = memory(m, 2 * s->velocities + s->states, sizeof(double));
    if (!m->softness || !m->stiffness || !m->viscosity || !m->row_change[0] || !m->right || !m->state || !m->network)
        return TN_ERROR_MEMORY;
    m->row_change[1] = m->row_change[0] + s->rows;
    TN_TRY((m->unknowns > 0 ? tn_open_derivatives_create : tn_force_derivatives_create)(&m->forces, s, st->arena));
    TN_TRY(tn_joint_derivatives_create(&m->joints, s, st->arena));
    TN_TRY(find_pattern(m));
    klu_defaults(&m->common);
    if (m->size == 0)                                  /* nothing moves: KLU has no empty matrices */
        return TN_OK;
    m->symbolic = klu_analyze(m->size, m->begin, m->index, &m->common);
    return m->symbolic ? TN_OK : TN_ERROR_MEMORY;
}

int tn_iteration_create(tn_iteration **out, tn_stepper *stepper, tn_span span)
{
    if (stepper->scheme->accelerate && !stepper->scheme->springs)
        return tn_fail(stepper->system->context, TN_ERROR_ARGUMENT, span, "integrator '%s' needs joints that a solver "
                       "holds, which scheme '%s' has not; try scheme 'projection'", stepper->integrator->name,
                       stepper->scheme->name);
    tn_iteration *m = tn_alloc(stepper->system->context, 1, sizeof *m);
    if (!m)
        return TN_ERROR_MEMORY;
    m->stepper = stepper;
    m->pulled = -1;
    int code = build_implicit(m);
    if (code < 0) {
        tn_iteration_destroy(m);
        return code;
    }
    *out = m;
    return TN_OK;
}

void tn_iteration_destroy(tn_iteration *m)
{
    if (!m)
        return;
    klu_free_numeric(&m->numeric, &m->common);
    klu_free_symbolic(&m->symbolic, &m->common);
    tn_free(m->stepper->system->context, m);
}

/* ---- factorization ---- */

/* Factors with the last pivots. False: there are none, or they have become too small. */
static bool refactored(tn_iteration *m)
{
    return m->numeric && klu_refactor(m->begin, m->index, m->values, m->symbolic, m->numeric, &m->common) &&
           klu_rgrowth(m->begin, m->index, m->values, m->symbolic, m->numeric, &m->common) &&
           m->common.rgrowth > WORN_PIVOTS;
}

static int factor_implicit(tn_iteration *m)
{
    if (m->size == 0 || refactored(m))
        return TN_OK;
    klu_free_numeric(&m->numeric, &m->common);
    m->numeric = klu_factor(m->begin, m->index, m->values, m->symbolic, &m->common);
    if (m->numeric)
        return TN_OK;
    return m->common.status == KLU_OUT_OF_MEMORY ? TN_ERROR_MEMORY : TN_ERROR_STEP;
}

static int evaluate_implicit(tn_iteration *m, double t, const double *y)
{
    tn_stepper *st = m->stepper;
    st->with_lambda = true;
    int code = tn_stepper_evaluate(st, t, y);
    st->with_lambda = false;
    return code;
}

int tn_iteration_refresh(tn_iteration *m, double t, const double *y, tn_iteration_weights weights)
{
    tn_stepper *st = m->stepper;
    m->weights = weights;
    TN_TRY(evaluate_implicit(m, t, y));
    (m->unknowns > 0 ? tn_open_derivatives : tn_force_derivatives)(m->forces, st->eval, st->system, st->memory);
    tn_joint_derivatives(m->joints, st->eval, st->system, st->memory);
    m->pulled = tn_eval_pull_derivatives(st->eval, st->system, m->pull_position, m->pull_velocity);
    memset(m->values, 0, (size_t)m->entries * sizeof(double));
    put_all(m);
    for (int k = 0; k < m->begin[m->size]; k++)
        if (!isfinite(m->values[k]))
            return TN_ERROR_STEP;
    return factor_implicit(m);
}

tn_iteration_weights tn_iteration_weights_of(const tn_iteration *m)
{
    return m->weights;
}

void tn_iteration_set_rigid(tn_iteration *m, bool rigid)
{
    m->rigid = rigid;
}

const double *tn_iteration_softness(const tn_iteration *m)
{
    return m->softness;
}

/* ---- solutions ---- */

/* The right side of the network's equations, as forces have been added; it begins again at zero. */
static void take_network(tn_iteration *m)
{
    memcpy(m->right + m->size - m->unknowns, m->network, (size_t)m->unknowns * sizeof(double));
    memset(m->network, 0, (size_t)m->unknowns * sizeof(double));
}

int tn_iteration_rates(tn_iteration *m, double *rates, double *rows)
{
    const tn_system *s = m->stepper->system;
    size_t n = (size_t)(s->velocities + s->states), r = (size_t)s->rows;
    memcpy(m->right, rates, n * sizeof(double));
    memcpy(m->right + n, rows, r * sizeof(double));
    take_network(m);
    if (m->size > 0 && !klu_solve(m->symbolic, m->numeric, m->size, 1, m->right, &m->common))
        return TN_ERROR_STEP;
    memcpy(rates, m->right, n * sizeof(double));
    memcpy(rows, m->right + n, r * sizeof(double));
    return TN_OK;
}

/* Unknowns of the network are solved for: only their equations see the change. */
static void add_derivatives(const tn_iteration *m, const tn_derivatives *d, const double *positions, const double *velocities,
                            const double *states, double *rates)
{
    const int count = m->stepper->system->velocities, own = count + m->stepper->system->states;
    for (int k = 0; k < d->count; k++) {
        int column = d->column[k], row = d->row[k];
        if (column >= own)
            continue;
        double *out = row < own ? &rates[row] : &m->network[row - own];
        *out += d->position[k] * (column < count ? positions[column] : states[column - count]);
        if (column < count)
            *out += d->velocity[k] * velocities[column];
    }
}

static void add_pull(const tn_iteration *m, const double *positions, const double *velocities, double *rates)
{
    const tn_structure *k = &m->stepper->system->structure;
    int first = m->pulled < 0 ? 0 : k->body_column[m->pulled], n = m->pulled < 0 ? 0 : tn_width_of(k, m->pulled);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            rates[first + i] += m->pull_position[i * n + j] * positions[first + j] +
                                m->pull_velocity[i * n + j] * velocities[first + j];
}

void tn_iteration_add_forces(const tn_iteration *m, const double *positions, const double *velocities,
                             const double *states, double *rates)
{
    add_derivatives(m, m->forces, positions, velocities, states, rates);
    add_derivatives(m, m->joints, positions, velocities, states, rates);
    add_pull(m, positions, velocities, rates);
}

/* Right side of the rows: zero, or what springs do when bodies move by positions and velocities. */
static void spring_rows(const tn_iteration *m, const double *positions, const double *velocities, double *rows)
{
    const tn_system *s = m->stepper->system;
    memset(rows, 0, (size_t)s->rows * sizeof(double));
    if (!m->stepper->scheme->springs)
        return;
    double *moved = m->row_change[0], *rate = m->row_change[1];
    tn_jacobian_times(m->stepper, positions, moved);
    tn_jacobian_times(m->stepper, velocities, rate);
    for (int i = 0; i < s->rows; i++) {
        double weight = spring_weight(m, i);
        rows[i] = weight > 0 ? -(m->stiffness[i] * moved[i] + m->viscosity[i] * rate[i]) / weight : 0;
    }
}

/* Computes the rates (a, w) that x causes, then the solution:
 *     velocities b_v + c_v a,   positions b_q + c_q/c_v b_v + c_q a,   states b_z + c_z w */
int tn_iteration_solve(tn_iteration *m, double *x)
{
    const tn_system *s = m->stepper->system;
    int n = s->velocities;
    double *positions = x, *velocities = x + n, *states = x + 2 * n, *rates = m->right;
    for (int k = 0; k < n; k++)
        positions[k] += m->weights.q / m->weights.v * velocities[k];
    memset(rates, 0, (size_t)(n + s->states) * sizeof(double));
    tn_iteration_add_forces(m, positions, velocities, states, rates);
    spring_rows(m, positions, velocities, rates + n + s->states);
    take_network(m);
    if (m->size > 0 && !klu_solve(m->symbolic, m->numeric, m->size, 1, rates, &m->common))
        return TN_ERROR_STEP;
    for (int k = 0; k < n; k++) {
        positions[k] += m->weights.q * rates[k];
        velocities[k] += m->weights.v * rates[k];
    }
    for (int k = 0; k < s->states; k++)
        states[k] += m->weights.z * rates[n + k];
    return TN_OK;
}

/* Adds the change of positions along the tangent. A change of the quaternions' length stays as it is. */
int tn_iteration_solve_state(tn_iteration *m, const double *y, double *x)
{
    const tn_system *s = m->stepper->system;
    double *before = m->stepper->scratch, *rate = m->stepper->delta;
    int n = s->velocities, rest = n + s->states;
    tn_position_tangent(s, y, x, m->state);
    memcpy(before, m->state, (size_t)n * sizeof(double));
    memcpy(m->state + n, x + s->positions, (size_t)rest * sizeof(double));
    TN_TRY(tn_iteration_solve(m, m->state));
    for (int k = 0; k < n; k++)
        rate[k] = m->state[k] - before[k];
    tn_position_rate(s, y, rate, before);
    for (int k = 0; k < s->positions; k++)
        x[k] += before[k];
    memcpy(x + s->positions, m->state + n, (size_t)rest * sizeof(double));
    return TN_OK;
}

/* ---- closing ---- */

/* Computes the least change with G change = -residual. */
static int correction(tn_iteration *m, const double *residual, double *change)
{
    const tn_system *s = m->stepper->system;
    double *rows = m->stepper->u;
    memset(change, 0, (size_t)(s->velocities + s->states) * sizeof(double));
    for (int i = 0; i < s->rows; i++)
        rows[i] = -residual[i];
    return tn_iteration_rates(m, change, rows);
}

/* Largest residual at y: of positions, or of velocities. */
static double gap_at(tn_iteration *m, double t, const double *y, bool velocities)
{
    tn_stepper *st = m->stepper;
    const tn_system *s = st->system;
    const double *residual = velocities ? st->eval->gdot : st->eval->g;
    double most = 0;
    tn_eval_motion(st->eval, s, t, y, velocities ? y + s->positions : NULL);
    tn_eval_constraints(st->eval, s, st->memory, velocities, false);
    for (int i = 0; i < s->rows; i++)
        if (!(fabs(residual[i]) <= most))
            most = fabs(residual[i]);
    return most;
}

static void change_by(const tn_system *s, double *y, bool velocities, const double *change)
{
    if (!velocities)
        tn_position_move(s, y, change, y);
    for (int k = 0; velocities && k < s->velocities; k++)
        y[s->positions + k] += change[k];
}

/* Closes positions or velocities. The rows may be some steps old: a pass that increases the residual is undone. */
static int close_level(tn_iteration *m, double t, double *y, bool velocities)
{
    tn_stepper *st = m->stepper;
    const tn_system *s = st->system;
    double before = INFINITY, *change = m->state;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        double gap = gap_at(m, t, y, velocities);
        if (!(gap <= before)) {
            for (int k = 0; k < s->velocities; k++)
                change[k] = -change[k];
            change_by(s, y, velocities, change);
            return TN_OK;
        }
        if (pass > 0 && (gap <= CLOSED || gap > PROGRESS * before))
            return TN_OK;
        TN_TRY(correction(m, velocities ? st->eval->gdot : st->eval->g, change));
        change_by(s, y, velocities, change);
        const double size = tn_largest(s->velocities, change);
        st->corrected = fmax(st->corrected, size);
        st->shifted = velocities ? st->shifted : fmax(st->shifted, size);
        before = gap;
    }
    return TN_OK;
}

/* Redundant rows are left to the scheme's finish, which knows the rank: the rows of the matrix were found off the constraints, where they
 * are not quite dependent, and may ask for a large change that closes the joints, too. */
int tn_iteration_close(tn_iteration *m, double t, double *y)
{
    const tn_stepper *st = m->stepper;
    if (st->rank >= 0 && st->rank < st->system->rows)
        return TN_OK;
    TN_TRY(close_level(m, t, y, false));
    return close_level(m, t, y, true);
}
