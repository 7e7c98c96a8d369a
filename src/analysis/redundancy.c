/* Redundancy of joints (redundancy.h). The motion determines the reactions up to the null space of the transposed
 * Jacobian: multipliers with G'lambda = 0. Its orthogonal projector is block-diagonal exactly where groups
 * of joints are independent of each other, whatever basis is used, so the groups do not depend on the order of
 * elimination.
 *
 * Bodies that hang on one joint cannot carry such multipliers and are removed first. The rest falls into
 * pieces that only ground connects, and each piece gets a dense singular value decomposition of its scaled rows. */
#include "redundancy.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>
#include "diag.h"

static const double RANK_TOLERANCE = 1e-6;     /* of scaled rows: as in the solvers */
static const double COUPLED = 1e-7;            /* entries of the projector, wrenches over the largest one */
static const int MOST_ROWS = 3000;             /* per piece: 72 MB and some seconds */

typedef struct finder {
    const tn_system *system;
    tn_eval *e;
    tn_arena *arena, *scratch;
    tn_report *report;
    int *degree;                   /* joints left on each body */
    int *left;                     /* their numbers, joined by exclusive or: the number of the last one */
    bool *gone;                    /* the constraint has been removed */
    int *piece;                    /* of each body, union-find */
    int *body_begin, *bodies;      /* bodies by piece */
    int *joint_begin, *joints;     /* constraints that are left, by piece */
    int *column;                   /* first column of a body in its piece */
    int *key, *work;               /* piece or group of each item; bodies that hang on one joint */
    int *group;                    /* of each constraint, union-find over those in the null space */
    double *share;                 /* of each constraint: trace of its block of the projector */
    bool *loose;                   /* constraint x 6: wrench component not unique */
    int aside, aside_count;        /* joints of pieces that are too large: one of them (-1: none), how many */
} finder;

static int root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* list[begin[k]] to list[begin[k + 1] - 1] are the items with key k, in order; begin has keys + 2 numbers. Items with a negative
 * key are left out. */
static void list_by_key(int *begin, int *list, const int *key, int count, int keys)
{
    memset(begin, 0, ((size_t)keys + 2) * sizeof(int));
    for (int i = 0; i < count; i++)
        if (key[i] >= 0)
            begin[key[i] + 2]++;
    for (int k = 2; k < keys + 2; k++)
        begin[k] += begin[k - 1];
    for (int i = 0; i < count; i++)
        if (key[i] >= 0)
            list[begin[key[i] + 1]++] = i;
}

static int columns_of(const tn_structure *st, int body)
{
    return st->body_column[body + 1] - st->body_column[body];
}

/* ---- removing bodies that hang on one joint ---- */

/* Rows of a block are independent: then the joint's multipliers vanish in every null vector. */
static bool full_row_rank(const finder *f, int block, int rows)
{
    const tn_structure *st = &f->system->structure;
    int body = st->block_body[block], w = columns_of(st, body);
    const double *scale = st->column_scale + st->body_column[body];
    double A[TN_JOINT_ROWS * 6], tau[6];
    lapack_int pivot[TN_JOINT_ROWS] = { 0 };
    if (rows > w)
        return false;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < w; j++) {
            A[j + i * w] = f->e->G[st->block_offset[block] + (size_t)(i * w + j)] / scale[j];
            sum += A[j + i * w] * A[j + i * w];
        }
        for (int j = 0; j < w && sum > 0; j++)
            A[j + i * w] /= sqrt(sum);
    }
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, w, rows, A, w, pivot, tau) != 0)
        return false;
    return rows == 0 || fabs(A[(rows - 1) * (w + 1)]) > RANK_TOLERANCE;
}

/* True: the body hangs on the constraint alone, which has independent rows there. */
static bool hangs_on(const finder *f, int body, int constraint)
{
    const tn_structure *st = &f->system->structure;
    int rows = st->constraint_row[constraint + 1] - st->constraint_row[constraint];
    for (int b = st->block_begin[constraint]; b < st->block_begin[constraint + 1]; b++)
        if (st->block_body[b] == body && full_row_rank(f, b, rows))
            return true;
    return false;
}

/* Removes joints that hold one body each, until none is left. */
static void take_off_leaves(finder *f)
{
    const tn_structure *st = &f->system->structure;
    int waiting = 0;
    for (int b = 0; b < st->bodies; b++)
        if (f->degree[b] == 1)
            f->work[waiting++] = b;
    while (waiting > 0) {
        const int leaf = f->work[--waiting], c = f->left[leaf];
        if (f->degree[leaf] != 1 || !hangs_on(f, leaf, c))
            continue;
        f->gone[c] = true;
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            const int body = st->block_body[b];
            f->left[body] ^= c;
            if (--f->degree[body] == 1)
                f->work[waiting++] = body;
        }
    }
}

static void find_pieces(finder *f)
{
    const tn_structure *st = &f->system->structure;
    for (int c = 0; c < st->constraints; c++)
        for (int b = st->block_begin[c]; b < st->block_begin[c + 1]; b++) {
            f->degree[st->block_body[b]]++;
            f->left[st->block_body[b]] ^= c;
        }
    take_off_leaves(f);
    for (int b = 0; b < st->bodies; b++)
        f->piece[b] = b;
    for (int c = 0; c < st->constraints; c++)
        for (int b = st->block_begin[c] + 1; b < st->block_begin[c + 1] && !f->gone[c]; b++)
            f->piece[root(f->piece, st->block_body[b])] = root(f->piece, st->block_body[st->block_begin[c]]);
    for (int b = 0; b < st->bodies; b++)
        f->key[b] = root(f->piece, b);
    list_by_key(f->body_begin, f->bodies, f->key, st->bodies, st->bodies);
    for (int c = 0; c < st->constraints; c++)
        f->key[c] = f->gone[c] ? -1 : root(f->piece, st->block_body[st->block_begin[c]]);
    list_by_key(f->joint_begin, f->joints, f->key, st->constraints, st->bodies);
}

/* ---- one piece ---- */

typedef struct piece {
    int rows, columns, constraint_count;
    const int *constraints;        /* of the piece */
    int *first_row;                /* where they start in it */
    double *A, *U, *sigma, *scale;
    int nullity;
} piece;

static int gather(finder *f, piece *p, int leader)
{
    const tn_structure *st = &f->system->structure;
    p->constraints = f->joints + f->joint_begin[leader];
    p->constraint_count = f->joint_begin[leader + 1] - f->joint_begin[leader];
    p->first_row = tn_arena_alloc(f->scratch, (size_t)p->constraint_count + 1, sizeof(int));
    if (!p->first_row)
        return TN_ERROR_MEMORY;
    for (int k = f->body_begin[leader]; k < f->body_begin[leader + 1]; k++) {
        f->column[f->bodies[k]] = p->columns;
        p->columns += columns_of(st, f->bodies[k]);
    }
    for (int n = 0; n < p->constraint_count; n++) {
        p->first_row[n] = p->rows;
        p->rows += st->constraint_row[p->constraints[n] + 1] - st->constraint_row[p->constraints[n]];
    }
    p->first_row[p->constraint_count] = p->rows;
    return TN_OK;
}

static int load_redundancy(finder *f, piece *p)
{
    const tn_structure *st = &f->system->structure;
    size_t rows = (size_t)p->rows, columns = (size_t)p->columns;
    p->A = tn_arena_alloc(f->scratch, rows * columns, sizeof(double));
    p->U = tn_arena_alloc(f->scratch, rows * rows, sizeof(double));
    p->sigma = tn_arena_alloc(f->scratch, rows, sizeof(double));
    p->scale = tn_arena_alloc(f->scratch, rows, sizeof(double));
    TN_TRY(tn_arena_status(f->scratch));
    for (int n = 0; n < p->constraint_count; n++)
        for (int b = st->block_begin[p->constraints[n]]; b < st->block_begin[p->constraints[n] + 1]; b++) {
            int body = st->block_body[b], w = columns_of(st, body), m = p->first_row[n + 1] - p->first_row[n];
            const double *scale = st->column_scale + st->body_column[body];
            for (int i = 0; i < m; i++)
                for (int j = 0; j < w; j++)
                    p->A[p->first_row[n] + i + (f->column[body] + j) * p->rows] =
                        f->e->G[st->block_offset[b] + (size_t)(i * w + j)] / scale[j];
        }
    for (int i = 0; i < p->rows; i++) {
        double sum = 0;
        for (int j = 0; j < p->columns; j++)
            sum += p->A[i + j * p->rows] * p->A[i + j * p->rows];
        p->scale[i] = sum > 0 ? 1 / sqrt(sum) : 1;
        for (int j = 0; j < p->columns; j++)
            p->A[i + j * p->rows] *= p->scale[i];
    }
    return TN_OK;
}

/* The last nullity columns of U span the null space of the transposed rows. */
static int decompose(finder *f, piece *p)
{
    TN_TRY(load_redundancy(f, p));
    int least = p->rows < p->columns ? p->rows : p->columns;
    double *superdiagonal = tn_arena_alloc(f->scratch, (size_t)least + 1, sizeof(double));
    if (!superdiagonal)
        return TN_ERROR_MEMORY;
    if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'N', p->rows, p->columns, p->A, p->rows, p->sigma, p->U, p->rows, NULL, 1,
                       superdiagonal) != 0)
        return tn_fail(f->system->context, TN_ERROR_STEP, TN_NOWHERE, "the singular values of the joints' equations "
                       "cannot be found");
    int rank = 0;
    while (rank < least && p->sigma[rank] > RANK_TOLERANCE)
        rank++;
    p->nullity = p->rows - rank;
    tn_report *r = f->report;
    if (rank > 0)
        r->smallest_kept = fmin(r->smallest_kept, p->sigma[rank - 1]);
    if (rank < least)
        r->largest_dropped = fmax(r->largest_dropped, p->sigma[rank]);
    return TN_OK;
}

/* Largest entry of the projector's block (a, b), a and b numbered within the piece. */
static double block_size(const piece *p, int a, int b)
{
    double most = 0;
    for (int i = p->first_row[a]; i < p->first_row[a + 1]; i++)
        for (int j = p->first_row[b]; j < p->first_row[b + 1]; j++) {
            double sum = 0;
            for (int k = p->rows - p->nullity; k < p->rows; k++)
                sum += p->U[i + k * p->rows] * p->U[j + k * p->rows];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void find_groups(finder *f, const piece *p)
{
    for (int a = 0; a < p->constraint_count; a++) {
        for (int i = p->first_row[a]; i < p->first_row[a + 1]; i++)
            for (int k = p->rows - p->nullity; k < p->rows; k++)
                f->share[p->constraints[a]] += p->U[i + k * p->rows] * p->U[i + k * p->rows];
        for (int b = 0; b < a; b++)
            if (block_size(p, a, b) > COUPLED)
                f->group[root(f->group, p->constraints[a])] = root(f->group, p->constraints[b]);
    }
}

/* Wrench components of the piece's joints that a null vector changes. */
static void find_loose(finder *f, const piece *p, int column)
{
    const tn_system *s = f->system;
    double size = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int n = 0; n < p->constraint_count; n++) {
            int c = p->constraints[n];
            for (int i = p->first_row[n]; i < p->first_row[n + 1]; i++)
                f->e->lambda[s->constraints[c].row + i - p->first_row[n]] = p->U[i + column * p->rows] * p->scale[i];
            if (s->constraints[c].slot_count != 2)
                continue;
            tn_wrench w;
            tn_constraint_wrench(f->e, s, c, 1, &w);
            for (int k = 0; k < 3; k++) {
                size = pass == 0 ? fmax(size, fmax(fabs(w.force[k]), fabs(w.torque[k]))) : size;
                f->loose[6 * c + k] |= pass == 1 && fabs(w.force[k]) > COUPLED * size;
                f->loose[6 * c + 3 + k] |= pass == 1 && fabs(w.torque[k]) > COUPLED * size;
            }
        }
}

/* Adds the joints of a piece that is too large to the group of all such joints. */
static void set_aside(finder *f, const piece *p)
{
    if (f->aside < 0)
        f->aside = p->constraints[0];
    f->aside_count += p->constraint_count;
    for (int n = 0; n < p->constraint_count; n++)
        f->group[root(f->group, p->constraints[n])] = root(f->group, f->aside);
}

/* Joints that were set aside have the redundant equations that the others do not have. All of them may depend on each other. */
static void share_rest(finder *f, int excess)
{
    if (f->aside < 0 || excess <= 0)
        return;
    for (int c = 0; c < f->system->constraint_count; c++) {
        if (f->gone[c] || root(f->group, c) != root(f->group, f->aside))
            continue;
        f->share[c] = (double)excess / f->aside_count;
        memset(f->loose + 6 * c, true, 6 * sizeof(bool));
    }
    tn_warn(f->system->context, TN_NOWHERE, "%d joints are told as one group with %d redundant equations: which of them depend on each "
            "other is only examined in closed parts of up to %d equations", f->aside_count, excess, MOST_ROWS);
}

static int examine_piece(finder *f, int leader, int *excess)
{
    piece p = { 0 };
    TN_TRY(gather(f, &p, leader));
    if (p.rows == 0)
        return TN_OK;
    if (p.rows > MOST_ROWS) {
        set_aside(f, &p);
        return TN_OK;
    }
    TN_TRY(decompose(f, &p));
    *excess -= p.nullity;
    if (p.nullity == 0)
        return TN_OK;
    find_groups(f, &p);
    for (int k = p.rows - p.nullity; k < p.rows; k++)
        find_loose(f, &p, k);
    return TN_OK;
}

/* ---- the report ---- */

static int write_groups(finder *f)
{
    const tn_system *s = f->system;
    const int n = s->constraint_count;
    tn_redundancy_group *groups = tn_arena_alloc(f->arena, (size_t)n, sizeof *groups);
    tn_id *joints = tn_arena_alloc(f->arena, (size_t)n, sizeof *joints);
    if (!groups || !joints)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < n; c++)
        f->key[c] = f->share[c] > COUPLED ? root(f->group, c) : -1;
    list_by_key(f->joint_begin, f->joints, f->key, n, n);
    for (int leader = 0; leader < n; leader++) {
        if (f->joint_begin[leader] == f->joint_begin[leader + 1])
            continue;
        tn_redundancy_group *g = &groups[f->report->group_count++];
        double excess = 0;
        g->joints = joints;
        for (int k = f->joint_begin[leader]; k < f->joint_begin[leader + 1]; k++) {
            joints[g->joint_count++] = tn_constraint_id(s, f->joints[k]);
            excess += f->share[f->joints[k]];
        }
        joints += g->joint_count;
        g->excess = (int)lround(excess);
    }
    f->report->groups = groups;
    return TN_OK;
}

static int write_reactions(finder *f)
{
    const tn_system *s = f->system;
    tn_reaction_uniqueness *reactions = tn_arena_alloc(f->arena, (size_t)s->constraint_count, sizeof *reactions);
    if (!reactions)
        return TN_ERROR_MEMORY;
    tn_reaction_uniqueness *next = reactions;
    for (size_t slot = 0; slot < s->model->joint_count; slot++) {
        int c = s->constraint_of[slot];
        if (c < 0)
            continue;
        next->joint = tn_constraint_id(s, c);
        bool coupling = s->constraints[c].slot_count != 2;
        for (int k = 0; k < 3; k++) {
            next->force[k] = coupling ? f->share[c] <= COUPLED : !f->loose[6 * c + k];
            next->torque[k] = coupling ? f->share[c] <= COUPLED : !f->loose[6 * c + 3 + k];
        }
        next++;
    }
    f->report->reactions = reactions;
    f->report->reaction_count = (size_t)s->constraint_count;
    return TN_OK;
}

static int examine(finder *f, const tn_saddle_info *info)
{
    const tn_system *s = f->system;
    const size_t bodies = (size_t)s->body_count, constraints = (size_t)s->constraint_count;
    const size_t most = bodies > constraints ? bodies : constraints;
    f->degree = tn_arena_alloc(f->scratch, bodies, sizeof(int));
    f->left = tn_arena_alloc(f->scratch, bodies, sizeof(int));
    f->piece = tn_arena_alloc(f->scratch, bodies, sizeof(int));
    f->column = tn_arena_alloc(f->scratch, bodies, sizeof(int));
    f->bodies = tn_arena_alloc(f->scratch, bodies, sizeof(int));
    f->joints = tn_arena_alloc(f->scratch, constraints, sizeof(int));
    f->body_begin = tn_arena_alloc(f->scratch, bodies + 2, sizeof(int));
    f->joint_begin = tn_arena_alloc(f->scratch, most + 2, sizeof(int));
    f->key = tn_arena_alloc(f->scratch, most, sizeof(int));
    f->work = tn_arena_alloc(f->scratch, bodies, sizeof(int));
    f->gone = tn_arena_alloc(f->scratch, constraints, sizeof(bool));
    f->group = tn_arena_alloc(f->scratch, constraints, sizeof(int));
    f->share = tn_arena_alloc(f->scratch, constraints, sizeof(double));
    f->loose = tn_arena_alloc(f->scratch, 6 * constraints, sizeof(bool));
    TN_TRY(tn_arena_status(f->scratch));
    for (int c = 0; c < s->constraint_count; c++)
        f->group[c] = c;
    *f->report = (tn_report){ .bodies = s->body_count, .joints = s->constraint_count, .coordinates = info->columns,
                              .equations = info->rows, .rank = info->rank, .freedoms = info->columns - info->rank,
                              .gruebler = info->columns - info->rows, .smallest_kept = info->weakest_pivot };
    if (info->rank < info->rows) {
        int excess = info->rows - info->rank;
        find_pieces(f);
        for (int b = 0; b < s->body_count; b++)
            if (f->joint_begin[b] < f->joint_begin[b + 1])
                TN_TRY(examine_piece(f, b, &excess));
        share_rest(f, excess);
    }
    TN_TRY(write_groups(f));
    return write_reactions(f);
}

int tn_redundancy(tn_report *out, const tn_system *system, tn_eval *e, const tn_saddle_info *info, tn_arena *arena, tn_arena *scratch)
{
    finder f = { .system = system, .e = e, .arena = arena, .scratch = scratch, .report = out, .aside = -1 };
    return examine(&f, info);
}
