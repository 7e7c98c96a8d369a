/* Eliminates the network's unknowns from the derivatives of forces and states.
 *
 * With the network n(y, x) = 0 and forces and rates f(y, x), a change of y changes x by -n_x^-1 n_y, so
 *     df/dy = f_y - f_x n_x^-1 n_y.
 * Entries of the second part are all pairs of a row that reads unknowns and a column that the network reads. */
#include <klu.h>
#include <math.h>
#include <string.h>
#include "derivatives.h"
#include "device_network.h"

struct tn_elimination {
    tn_derivatives *open;
    int kept;                      /* entries of open that the reduced derivatives begin with */
    int *entry;                    /* those entries */
    int row_count, column_count, unknowns;
    int *rows, *columns;           /* rows that read unknowns, columns that the network reads */
    int *row_place, *column_place; /* place of each row and column in those lists, -1: none */
    int *begin, *index, *place;    /* n_x in compressed columns; place of each entry of open, -1: not in n_x */
    double *values;
    double *W;                     /* n_x^-1 n_y: positions of all columns, then velocities */
    double *fx;                    /* f_x by rows */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

static void free_elimination(void *user)
{
    struct tn_elimination *m = user;
    klu_free_numeric(&m->numeric, &m->common);
    klu_free_symbolic(&m->symbolic, &m->common);
}

/* Numbers the rows and columns that take part. */
static int survey(struct tn_elimination *m, int own, tn_arena *arena)
{
    const tn_derivatives *d = m->open;
    m->row_place = tn_arena_alloc(arena, (size_t)own, sizeof(int));
    m->column_place = tn_arena_alloc(arena, (size_t)own, sizeof(int));
    m->rows = tn_arena_alloc(arena, (size_t)own, sizeof(int));
    m->columns = tn_arena_alloc(arena, (size_t)own, sizeof(int));
    m->entry = tn_arena_alloc(arena, (size_t)d->count, sizeof(int));
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < own; k++)
        m->row_place[k] = m->column_place[k] = -1;
    for (int k = 0; k < d->count; k++) {
        int i = d->row[k], j = d->column[k];
        if (i < own && j < own)
            m->entry[m->kept++] = k;
        else if (i < own && m->row_place[i] < 0)
            m->rows[m->row_place[i] = m->row_count++] = i;
        else if (i >= own && j < own && m->column_place[j] < 0)
            m->columns[m->column_place[j] = m->column_count++] = j;
    }
    return TN_OK;
}

/* The pattern of n_x; repeated entries share a place. */
static int find_pattern(struct tn_elimination *m, int own, tn_arena *arena)
{
    const tn_derivatives *d = m->open;
    const int n = m->unknowns;
    int *last = tn_arena_alloc(arena, (size_t)n, sizeof(int)), count = 0;
    m->begin = tn_arena_alloc(arena, (size_t)n + 1, sizeof(int));
    m->index = tn_arena_alloc(arena, (size_t)d->count, sizeof(int));
    m->place = tn_arena_alloc(arena, (size_t)d->count, sizeof(int));
    int *head = tn_arena_alloc(arena, (size_t)n, sizeof(int)), *next = tn_arena_alloc(arena, (size_t)d->count, sizeof(int));
    TN_TRY(tn_arena_status(arena));
    for (int j = 0; j < n; j++)
        head[j] = last[j] = -1;
    for (int k = d->count; k-- > 0;) {
        m->place[k] = -1;
        if (d->row[k] >= own && d->column[k] >= own) {
            next[k] = head[d->column[k] - own];
            head[d->column[k] - own] = k;
        }
    }
    for (int j = 0; j < n; j++) {
        m->begin[j] = count;
        for (int k = head[j]; k >= 0; k = next[k]) {
            int row = d->row[k] - own;
            if (last[row] < m->begin[j]) {
                last[row] = count;
                m->index[count++] = row;
            }
            m->place[k] = last[row];
        }
    }
    m->begin[n] = count;
    m->values = tn_arena_alloc(arena, (size_t)count, sizeof(double));
    return tn_arena_status(arena);
}

static int create_elimination(tn_derivatives **out, const tn_system *s, tn_arena *arena)
{
    const int own = s->velocities + s->states;
    struct tn_elimination *m = tn_arena_alloc(arena, 1, sizeof *m);
    tn_derivatives *d = tn_arena_alloc(arena, 1, sizeof *d);
    if (!m || !d)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_open_derivatives_create(&m->open, s, arena));
    m->unknowns = s->network->count;
    TN_TRY(survey(m, own, arena));
    TN_TRY(find_pattern(m, own, arena));
    size_t count = (size_t)m->kept + (size_t)m->row_count * (size_t)m->column_count;
    d->row = tn_arena_alloc(arena, count, sizeof(int));
    d->column = tn_arena_alloc(arena, count, sizeof(int));
    d->position = tn_arena_alloc(arena, count, sizeof(double));
    d->velocity = tn_arena_alloc(arena, count, sizeof(double));
    m->W = tn_arena_alloc(arena, 2 * (size_t)m->unknowns * (size_t)m->column_count, sizeof(double));
    m->fx = tn_arena_alloc(arena, (size_t)m->unknowns * (size_t)m->row_count, sizeof(double));
    TN_TRY(tn_arena_status(arena));
    for (int k = 0; k < m->kept; k++) {
        d->row[d->count] = m->open->row[m->entry[k]];
        d->column[d->count++] = m->open->column[m->entry[k]];
    }
    for (int i = 0; i < m->row_count; i++)
        for (int j = 0; j < m->column_count; j++) {
            d->row[d->count] = m->rows[i];
            d->column[d->count++] = m->columns[j];
        }
    klu_defaults(&m->common);
    TN_TRY(tn_arena_on_destroy(arena, free_elimination, m));
    m->symbolic = klu_analyze(m->unknowns, m->begin, m->index, &m->common);
    d->elimination = m;
    *out = d;
    return m->symbolic ? TN_OK : TN_ERROR_MEMORY;
}

int tn_force_derivatives_create(tn_derivatives **out, const tn_system *s, tn_arena *arena)
{
    return s->network && s->network->count > 0 ? create_elimination(out, s, arena)
                                               : tn_open_derivatives_create(out, s, arena);
}

/* Sorts the open entries into n_x, n_y (as right sides) and f_x. */
static void sort_entries(struct tn_elimination *m, int own)
{
    const tn_derivatives *d = m->open;
    const int n = m->unknowns;
    memset(m->values, 0, (size_t)m->begin[n] * sizeof(double));
    memset(m->W, 0, 2 * (size_t)n * (size_t)m->column_count * sizeof(double));
    memset(m->fx, 0, (size_t)n * (size_t)m->row_count * sizeof(double));
    for (int k = 0; k < d->count; k++) {
        int i = d->row[k], j = d->column[k];
        if (m->place[k] >= 0) {
            m->values[m->place[k]] += d->position[k];
        } else if (i >= own) {
            m->W[n * m->column_place[j] + i - own] += d->position[k];
            m->W[n * (m->column_count + m->column_place[j]) + i - own] += d->velocity[k];
        } else if (j >= own) {
            m->fx[n * m->row_place[i] + j - own] += d->position[k];
        }
    }
}

static bool solve_columns(struct tn_elimination *m)
{
    static const double worn_pivots = 1e-8;
    bool good = m->numeric && klu_refactor(m->begin, m->index, m->values, m->symbolic, m->numeric, &m->common) &&
                klu_rgrowth(m->begin, m->index, m->values, m->symbolic, m->numeric, &m->common) &&
                m->common.rgrowth > worn_pivots;
    if (!good) {
        klu_free_numeric(&m->numeric, &m->common);
        m->numeric = klu_factor(m->begin, m->index, m->values, m->symbolic, &m->common);
    }
    return m->numeric && klu_solve(m->symbolic, m->numeric, m->unknowns, 2 * m->column_count, m->W, &m->common);
}

static double product(const struct tn_elimination *m, int row, int column)
{
    const double *f = m->fx + m->unknowns * row, *w = m->W + m->unknowns * column;
    double sum = 0;
    for (int k = 0; k < m->unknowns; k++)
        sum += f[k] * w[k];
    return sum;
}

void tn_force_derivatives(tn_derivatives *d, tn_eval *e, const tn_system *s, const double *memory)
{
    struct tn_elimination *m = d->elimination;
    if (!m) {
        tn_open_derivatives(d, e, s, memory);
        return;
    }
    tn_open_derivatives(m->open, e, s, memory);
    sort_entries(m, s->velocities + s->states);
    const bool good = solve_columns(m);
    int at = 0;
    for (; at < m->kept; at++) {
        d->position[at] = m->open->position[m->entry[at]];
        d->velocity[at] = m->open->velocity[m->entry[at]];
    }
    for (int i = 0; i < m->row_count; i++)
        for (int j = 0; j < m->column_count; j++, at++) {
            d->position[at] = good ? -product(m, i, j) : NAN;
            d->velocity[at] = good ? -product(m, i, m->column_count + j) : NAN;
        }
}
