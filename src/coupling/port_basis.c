/* Reflections that bring the rows on the ports of a component to triangular form. */
#include "port_basis.h"

#include <string.h>
#include "dense.h"

/* Entries between 1 and 2, all different: fractional parts of multiples of the golden ratio. */
static void choose_direction(const tn_port_basis *t)
{
    const double golden = 0.6180339887498949;
    for (int c = 0; c < t->columns; c++)
        t->direction[c] = 1 + fmod((c + 1) * golden, 1);
}

int tn_port_basis_create(tn_port_basis *t, int rows, int columns, tn_arena *arena)
{
    t->rows = rows;
    t->columns = columns;
    t->order = tn_arena_alloc(arena, (size_t)rows, sizeof(int));
    t->A = tn_arena_alloc(arena, (size_t)(rows * columns), sizeof(double));
    t->Q = tn_arena_alloc(arena, (size_t)(columns * columns), sizeof(double));
    t->tau = tn_arena_alloc(arena, (size_t)columns, sizeof(double));
    t->direction = tn_arena_alloc(arena, (size_t)columns, sizeof(double));
    t->x = tn_arena_alloc(arena, (size_t)columns, sizeof(double));
    TN_TRY(tn_arena_status(arena));
    for (int i = 0; i < rows; i++)
        t->order[i] = i;
    choose_direction(t);
    return TN_OK;
}

/* Makes the row with the largest norm in the unknowns from k on the k-th in order. */
static void take_largest(const tn_port_basis *t, int k)
{
    int best = k;
    double most = 0;
    for (int i = k; i < t->rows; i++) {
        const double size = tn_norm2(t->rank - k, tn_port_basis_row(t, t->order[i]) + k);
        if (size > most) {
            most = size;
            best = i;
        }
    }
    const int row = t->order[best];
    t->order[best] = t->order[k];
    t->order[k] = row;
}

/* Reflector k. Its first entry v[0] is the last entry of row k, which is made positive by negating unknown k. */
static double *reflector(const tn_port_basis *t, int k)
{
    return t->Q + k * t->columns;
}

static void reflect(const tn_port_basis *t, int k, double *x)
{
    const double *v = reflector(t, k);
    tn_reflect(t->rank - k, v, t->tau[k], x + k);
    x[k] = v[0] < 0 ? -x[k] : x[k];
}

/* Reflects row k in order, and all rows after it, so that row k has no entries after unknown k. */
static void turn_row(const tn_port_basis *t, int k)
{
    const size_t left = (size_t)(t->rank - k);
    double *row = tn_port_basis_row(t, t->order[k]) + k, *v = reflector(t, k);
    memcpy(v, row, left * sizeof(double));
    t->tau[k] = tn_reflector((int)left, v);
    memset(row, 0, left * sizeof(double));
    row[0] = fabs(v[0]);
    for (int i = k + 1; i < t->rows; i++)
        reflect(t, k, tn_port_basis_row(t, t->order[i]));
}

static int reflectors(const tn_port_basis *t)
{
    return t->rows < t->rank ? t->rows : t->rank;
}

static void mix(const tn_port_basis *t, double *x)
{
    const int n = t->touched;
    const double *v = t->direction;
    double along = 0, square = 0;
    if (n <= TN_PART_COLUMNS)
        return;
    for (int c = 0; c < n; c++) {
        along += v[c] * x[c];
        square += v[c] * v[c];
    }
    for (int c = 0; c < n; c++)
        x[c] -= 2 * along / square * v[c];
}

void tn_port_basis_find(tn_port_basis *t, int rank, int room, bool decide)
{
    t->rank = rank;
    t->touched = room;
    for (int i = 0; i < t->rows && decide; i++)
        t->order[i] = i;                               /* earlier decisions do not influence ties */
    for (int k = 0; k < reflectors(t); k++) {
        if (decide)
            take_largest(t, k);
        turn_row(t, k);
    }
    for (int i = 0; i < t->rows; i++)
        mix(t, tn_port_basis_row(t, i));
}

void tn_port_basis_to(const tn_port_basis *t, double *x)
{
    for (int k = 0; k < reflectors(t); k++)
        reflect(t, k, x);
    mix(t, x);
}

void tn_port_basis_back(const tn_port_basis *t, double *x)
{
    mix(t, x);
    for (int k = reflectors(t) - 1; k >= 0; k--) {
        const double *v = reflector(t, k);
        x[k] = v[0] < 0 ? -x[k] : x[k];
        tn_reflect(t->rank - k, v, t->tau[k], x + k);
    }
}
