/* Singular positions (singular.h): sign of the determinant, orientation of the rows, joints that can move. */
#include "singular.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"

static const double RANK_TOLERANCE = 1e-6;     /* of scaled rows: as in the solvers */
static const double MOVES = 1e-3;              /* rate of a coordinate over the fastest one that is worth naming */
static const int MOST_NAMED = 6;
static const int MOST_COORDINATES = 1500;      /* some seconds */

/* Rows of unit length, rotations as displacements at a distance; row r is column r of A. */
static void load_singular(const tn_system *s, const tn_eval *e, double *A)
{
    const tn_structure *k = &s->structure;
    size_t n = (size_t)s->velocities;
    double block[30];
    memset(A, 0, n * (size_t)s->rows * sizeof(double));
    for (int c = 0; c < k->constraints; c++)
        for (int b = k->block_begin[c]; b < k->block_begin[c + 1]; b++) {
            int first = k->body_column[k->block_body[b]], w = k->body_column[k->block_body[b] + 1] - first;
            const double *G = tn_eval_block(e, s, c, b, block);
            for (int r = k->constraint_row[c]; r < k->constraint_row[c + 1]; r++, G += w)
                for (int j = 0; j < w; j++)
                    A[(size_t)r * n + (size_t)(first + j)] = G[j] / k->column_scale[first + j];
        }
    for (int r = 0; r < s->rows; r++) {
        double *row = A + (size_t)r * n, sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += row[j] * row[j];
        for (size_t j = 0; j < n && sum > 0; j++)
            row[j] /= sqrt(sum);
    }
}

/* ---- the sign of the determinant ---- */

int tn_watch_choose(tn_watch *w, const tn_eval *e)
{
    const tn_system *s = w->system;
    int n = s->velocities;
    if (n > TN_WATCHED_COORDINATES)
        return TN_OK;
    load_singular(s, e, w->A);
    memset(w->rows, 0, (size_t)s->rows * sizeof(int));
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, s->rows, w->A, n, w->rows, w->tau) != 0)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < s->rows; k++)
        w->rows[k]--;
    return TN_OK;
}

int tn_watch_create(tn_watch *w, const tn_system *s, tn_arena *arena, const tn_eval *e)
{
    bool small = s->velocities <= TN_WATCHED_COORDINATES;
    size_t n = small ? (size_t)s->velocities : 0, rows = small ? (size_t)s->rows : 0;
    *w = (tn_watch){ .system = s, .rows = tn_arena_alloc(arena, rows, sizeof(int)),
                     .A = tn_arena_alloc(arena, n * rows, sizeof(double)),
                     .chosen = tn_arena_alloc(arena, n * n, sizeof(double)),
                     .tau = tn_arena_alloc(arena, n, sizeof(double)),
                     .pivots = tn_arena_alloc(arena, n, sizeof(int)) };
    TN_TRY(tn_arena_status(arena));
    return tn_watch_choose(w, e);
}

int tn_watch_sign(tn_watch *w, const tn_eval *e)
{
    int n = w->system->velocities, sign = 1;
    if (n == 0 || n > TN_WATCHED_COORDINATES || w->system->rows < n)
        return 0;
    load_singular(w->system, e, w->A);
    for (int k = 0; k < n; k++)
        memcpy(w->chosen + (size_t)k * (size_t)n, w->A + (size_t)w->rows[k] * (size_t)n, (size_t)n * sizeof(double));
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, w->chosen, n, w->pivots) != 0)
        return 0;
    for (int k = 0; k < n; k++) {
        double pivot = w->chosen[(size_t)k * (size_t)(n + 1)];
        sign *= (pivot < 0 ? -1 : 1) * (w->pivots[k] != k + 1 ? -1 : 1);
    }
    return sign;
}

/* ---- the orientation of the rows ---- */

int tn_hand_take(tn_hand *h, const tn_system *s, tn_arena *arena, const tn_eval *e)
{
    int n = s->velocities <= TN_WATCHED_COORDINATES ? s->velocities : 0, rows = n > 0 ? s->rows : 0;
    *h = (tn_hand){ .system = s, .positive = true, .rows = tn_arena_alloc(arena, (size_t)rows, sizeof(int)),
                    .A = tn_arena_alloc(arena, (size_t)n * (size_t)rows, sizeof(double)),
                    .others = tn_arena_alloc(arena, (size_t)n * (size_t)rows, sizeof(double)),
                    .chosen = tn_arena_alloc(arena, (size_t)n * (size_t)rows, sizeof(double)),
                    .tau = tn_arena_alloc(arena, (size_t)rows, sizeof(double)),
                    .pivots = tn_arena_alloc(arena, (size_t)rows, sizeof(int)) };
    TN_TRY(tn_arena_status(arena));
    if (rows == 0)
        return TN_OK;
    load_singular(s, e, h->A);
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, n, rows, h->A, n, h->rows, h->tau) != 0)
        return TN_ERROR_MEMORY;
    while (h->rank < rows && h->rank < n) {
        double pivot = h->A[(size_t)h->rank * (size_t)(n + 1)];
        if (fabs(pivot) <= RANK_TOLERANCE)
            break;
        h->positive ^= pivot < 0;
        h->rank++;
    }
    return TN_OK;
}

/* The rows at the other point, over the directions of the rows here: Q' G' = R for the rows here. */
int tn_hand_same(tn_hand *h, const tn_eval *e, bool *same)
{
    int n = h->system->velocities, rank = h->rank;
    size_t length = (size_t)n;
    bool positive = true;
    *same = true;
    if (rank == 0)
        return TN_OK;
    load_singular(h->system, e, h->others);
    for (int k = 0; k < rank; k++)
        memcpy(h->chosen + (size_t)k * length, h->others + (size_t)(h->rows[k] - 1) * length, length * sizeof(double));
    if (LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', n, rank, rank, h->A, n, h->tau, h->chosen, n) != 0 ||
        LAPACKE_dgetrf(LAPACK_COL_MAJOR, rank, rank, h->chosen, n, h->pivots) < 0)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < rank; k++)
        positive ^= (h->chosen[(size_t)k * (length + 1)] < 0) != (h->pivots[k] != k + 1);
    *same = positive == h->positive;
    return TN_OK;
}

/* ---- joints that can move ---- */

typedef struct loosener {
    const tn_system *s;
    tn_eval *e;
    const double *memory;
    double *A, *U, *sigma, *superb;
    double *v;                     /* a free motion */
    double *rate;                  /* of each constraint, largest over all free motions */
} loosener;

static int prepare(loosener *l, tn_arena *arena)
{
    size_t n = (size_t)l->s->velocities, rows = (size_t)l->s->rows;
    l->A = tn_arena_alloc(arena, n * rows, sizeof(double));
    l->U = tn_arena_alloc(arena, n * n, sizeof(double));
    l->sigma = tn_arena_alloc(arena, n + 1, sizeof(double));
    l->superb = tn_arena_alloc(arena, n + rows, sizeof(double));
    l->v = tn_arena_alloc(arena, n + (size_t)l->s->states, sizeof(double));
    l->rate = tn_arena_alloc(arena, (size_t)l->s->constraint_count, sizeof(double));
    return l->A && l->U && l->sigma && l->superb && l->v && l->rate ? TN_OK : TN_ERROR_MEMORY;
}

/* Coordinates are compared like columns: a translation by the unit of length equals a rotation at that distance. */
static void take_motion(loosener *l, int column)
{
    const tn_system *s = l->s;
    double values[TN_MAX_COORDINATES];
    for (int j = 0; j < s->velocities; j++)
        l->v[j] = l->U[(size_t)column * (size_t)s->velocities + (size_t)j] / s->structure.column_scale[j];
    tn_eval_motion(l->e, s, l->e->t, l->e->q, l->v);
    for (int c = 0; c < s->constraint_count; c++) {
        if (s->coordinates[c].count == 0)
            continue;
        tn_eval_coordinates(l->e, s, l->memory, c, 1, values);
        for (int k = 0; k < s->coordinates[c].count; k++)
            l->rate[c] = fmax(l->rate[c], fabs(values[k]));
    }
}

static int write_names(const loosener *l, char *text, size_t size)
{
    double fastest = 0, last = INFINITY;
    int count = 0;
    size_t used = 0;
    for (int c = 0; c < l->s->constraint_count; c++)
        fastest = fmax(fastest, l->rate[c]);
    for (int c = 0; c < l->s->constraint_count; c++)
        count += fastest > 0 && l->rate[c] > MOVES * fastest;
    text[0] = '\0';
    for (int named = 0; named < count && named < MOST_NAMED && used < size;) {
        double next = 0;
        for (int c = 0; c < l->s->constraint_count; c++)
            next = l->rate[c] < last ? fmax(next, l->rate[c]) : next;
        for (int c = 0; c < l->s->constraint_count && used < size; c++)
            if (l->rate[c] == next) {
                used += (size_t)snprintf(text + used, size - used, "%s'%.60s'", named ? ", " : "",
                                         tn_constraint_name(l->s, c));
                named++;
            }
        last = next;
    }
    return count;
}

static int find_loose(loosener *l, bool nearest, char *text, size_t size, double *smallest)
{
    const tn_system *s = l->s;
    int n = s->velocities, least = n < s->rows ? n : s->rows;
    load_singular(s, l->e, l->A);
    if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'N', n, s->rows, l->A, n, l->sigma, l->U, n, NULL, 1, l->superb) != 0)
        return tn_fail(s->context, TN_ERROR_STEP, TN_NOWHERE, "the singular values of the joints' equations cannot be "
                       "found");
    for (int k = 0; k < n; k++) {
        double sigma = k < least ? l->sigma[k] : 0;
        if (smallest && k == n - 1)
            *smallest = sigma;
        if (nearest ? k == n - 1 : sigma <= RANK_TOLERANCE)
            take_motion(l, k);
    }
    return write_names(l, text, size);
}

int tn_loose_joints(const tn_system *s, tn_eval *e, const double *memory, bool nearest, char *text, size_t size,
                    double *smallest)
{
    loosener l = { .s = s, .e = e, .memory = memory };
    text[0] = '\0';
    if (s->velocities == 0)
        return 0;
    if (s->velocities > MOST_COORDINATES)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the mechanism has %d coordinates; joints that can "
                       "still move are found for up to %d", s->velocities, MOST_COORDINATES);
    tn_arena *arena = tn_arena_create(s->context);
    int code = arena ? prepare(&l, arena) : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = find_loose(&l, nearest, text, size, smallest);
    tn_arena_destroy(arena);
    return code;
}
