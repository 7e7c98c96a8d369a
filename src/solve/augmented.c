/* Solver "augmented": augmented Lagrangian (Bayo; Seguy).
 *
 *     A = M + alpha G'W G,                 W_i = 1 / (g_i M^-1 g_i'), the effective mass that row i sees by itself
 *     A da     = f - M a + G'(lambda + alpha W (u - G a))
 *     a        <- a + da
 *     lambda   <- lambda + alpha W (u - G a)
 * from a = 0, lambda = 0. A is positive definite whatever the rows: redundant and singular rows need no decision. W
 * makes alpha a plain number, the penalty mass of a row over its effective mass, whatever the row's units and length.
 * A direction with eigenvalue mu of W^1/2 G M^-1 G'W^1/2 converges by 1/(1 + alpha mu) a pass. As the passes correct
 * the residuals of both equations they are also the iterative refinement that takes away the round-off of the large
 * alpha. Of the multipliers of redundant rows this gives the smallest, measured by lambda'W^-1 lambda.
 *
 * A is factored by block Cholesky over the graph of bodies: the front of body c holds the columns of c and of its
 * border; after the columns of c are eliminated the rest is added to the front of the parent. */
#include "blocks.h"
#include "dense.h"
#include "order.h"
#include "row_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* If a pass does not reduce the correction to this part of the last one, the iteration has reached round-off, or
 * directions that are too weak for alpha. */
static const double FALLING = 0.9;
/* The second correction may be as large as the first: where the bodies are in balance, it takes the first away. */
static const double FIRST = 2;
/* A correction below this part of a is round-off. */
static const double ROUND_OFF = 4e-16;
/* Each pass gains a factor alpha: more than a few passes mean directions with almost no weight in the penalty. */
enum { MOST_PASSES = 30 };

extern const tn_solver_type tn_solver_augmented;   /* the declaration of its parameters holds the defaults */
enum { ALPHA };

typedef struct front {
    int body, parent;
    int nc, nf;                    /* columns of the body; of body and border */
    int *column;                   /* nf: column of the whole problem */
    int *to_parent;                /* nf - nc: column of the parent's front */
    int constraint_count;
    const int *constraints;        /* constraints whose first eliminated body is this body */
    int *place;                    /* for each block of these constraints: first column in this front */
    double *F;                     /* nf x nf, lower: factor in the first nc columns, the rest for the parent */
} front;

struct tn_saddle {
    tn_context *context;
    tn_arena *arena;
    tn_blocks blocks;
    tn_row_choice selection;
    front *fronts;
    double alpha;
    double *penalty;               /* alpha W */
    double *lambda, *residual, *pull;      /* rows */
    double *correction, *force;    /* columns */
    bool factored;
    long iterations, total;
    char trouble[160];
};

/* ---- analysis ---- */

static int columns_of(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

/* Column in a body's front where the columns of another body start. */
static int place_in(const tn_front_plan *plan, const tn_structure *s, int body)
{
    if (body == plan->body)
        return 0;
    int at = columns_of(s, plan->body);
    for (int n = 0; plan->border[n] != body; n++)
        at += columns_of(s, plan->border[n]);
    return at;
}

static int add_columns(const tn_structure *s, int body, int *column)
{
    int count = columns_of(s, body);
    for (int j = 0; j < count; j++)
        column[j] = s->body_column[body] + j;
    return count;
}

static int allocate_front(front *f, const tn_front_plan *plan, const tn_structure *s, tn_arena *arena)
{
    size_t blocks = 0;
    f->body = plan->body;
    f->parent = plan->parent;
    f->constraint_count = plan->constraint_count;
    f->constraints = plan->constraints;
    f->nc = f->nf = columns_of(s, plan->body);
    for (int n = 0; n < plan->border_count; n++)
        f->nf += columns_of(s, plan->border[n]);
    for (int n = 0; n < f->constraint_count; n++)
        blocks += (size_t)(s->block_begin[f->constraints[n] + 1] - s->block_begin[f->constraints[n]]);
    f->column = tn_arena_alloc(arena, (size_t)f->nf, sizeof(int));
    f->to_parent = tn_arena_alloc(arena, (size_t)(f->nf - f->nc), sizeof(int));
    f->place = tn_arena_alloc(arena, blocks, sizeof(int));
    f->F = tn_arena_alloc(arena, (size_t)f->nf * (size_t)f->nf, sizeof(double));
    return f->column && f->to_parent && f->place && f->F ? TN_OK : TN_ERROR_MEMORY;
}

static void connect_front(front *f, const tn_front_plan *plans, const tn_front_plan *plan, const tn_structure *s)
{
    int at = add_columns(s, plan->body, f->column), block = 0;
    for (int n = 0; n < plan->border_count; n++) {
        int body = plan->border[n], first = place_in(&plans[f->parent], s, body);
        for (int j = 0; j < columns_of(s, body); j++)
            f->to_parent[at - f->nc + j] = first + j;
        at += add_columns(s, body, f->column + at);
    }
    for (int n = 0; n < f->constraint_count; n++)
        for (int e = s->block_begin[f->constraints[n]]; e < s->block_begin[f->constraints[n] + 1]; e++)
            f->place[block++] = place_in(plan, s, s->block_body[e]);
}

static int build_augmented(tn_saddle *k, const tn_structure *s)
{
    tn_front_plan *plans = NULL;
    TN_TRY(tn_blocks_create(&k->blocks, k->arena, s));
    TN_TRY(tn_row_choice_create(&k->selection, k->context, k->arena, s));
    TN_TRY(tn_order(&plans, k->arena, k->context, s));
    k->fronts = tn_arena_alloc(k->arena, (size_t)s->bodies, sizeof(front));
    if (!k->fronts)
        return TN_ERROR_MEMORY;
    for (int i = 0; i < s->bodies; i++) {
        TN_TRY(allocate_front(&k->fronts[i], &plans[i], s, k->arena));
        connect_front(&k->fronts[i], plans, &plans[i], s);
    }
    size_t rows = (size_t)k->blocks.rows, columns = (size_t)k->blocks.columns;
    k->penalty = tn_arena_alloc(k->arena, rows, sizeof(double));
    k->lambda = tn_arena_alloc(k->arena, rows, sizeof(double));
    k->residual = tn_arena_alloc(k->arena, rows, sizeof(double));
    k->pull = tn_arena_alloc(k->arena, rows, sizeof(double));
    k->correction = tn_arena_alloc(k->arena, columns, sizeof(double));
    k->force = tn_arena_alloc(k->arena, columns, sizeof(double));
    bool ok = k->penalty && k->lambda && k->residual && k->pull && k->correction && k->force;
    return ok ? TN_OK : TN_ERROR_MEMORY;
}

static void destroy_augmented(tn_saddle *k)
{
    if (!k)
        return;
    tn_row_choice_destroy(&k->selection);
    if (k->arena)
        tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

static int analyze_augmented(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->alpha = tn_solver_augmented.parameters[ALPHA].initial;
    k->arena = tn_arena_create(context);
    int result = k->arena ? build_augmented(k, structure) : TN_ERROR_MEMORY;
    if (result < 0) {
        destroy_augmented(k);
        return result;
    }
    *out = k;
    return TN_OK;
}

static int configure(tn_saddle *k, const double *parameters)
{
    k->trouble[0] = 0;
    if (!(parameters[ALPHA] > 0 && parameters[ALPHA] <= 1 / ROUND_OFF)) {
        snprintf(k->trouble, sizeof k->trouble, "penalty must be positive and below %g", 1 / ROUND_OFF);
        return TN_ERROR_ARGUMENT;
    }
    k->alpha = parameters[ALPHA];
    return TN_OK;
}

/* ---- factorization ---- */

static void find_penalties(tn_saddle *k)
{
    const tn_structure *s = k->blocks.structure;
    for (int c = 0; c < s->constraints; c++)
        for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++) {
            int i = r - s->constraint_row[c];
            double mobility;
            tn_blocks_mobility(&k->blocks, c, i, i, &mobility);
            bool counts = tn_blocks_row_counts(&k->blocks, c, i) && tn_row_choice_uses(&k->selection, r);
            k->penalty[r] = counts ? k->alpha / mobility : 0;
        }
}

static void add_mass(const tn_blocks *b, front *f)
{
    const double *M = b->M + b->structure->mass_offset[f->body];
    for (int j = 0; j < f->nc; j++)
        for (int i = j; i < f->nc; i++)
            f->F[i + j * f->nf] += M[i + j * f->nc];
}

/* F += A' diag(weight) B, at (row, column) of the front; A (rows x wa), B (rows x wb) are blocks of one constraint. */
static void add_pair(front *f, int row, int column, const double *A, int wa, const double *B, int wb,
                     const double *weight, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < wb; j++) {
            double x = weight[r] * B[r * wb + j];
            double *to = f->F + row + (column + j) * f->nf;
            for (int i = 0; i < wa; i++)
                to[i] += A[r * wa + i] * x;
        }
}

static void add_constraint(const tn_saddle *k, front *f, int c, const int *place)
{
    const tn_structure *s = k->blocks.structure;
    const int first = s->block_begin[c], count = s->block_begin[c + 1] - first;
    const int rows = s->constraint_row[c + 1] - s->constraint_row[c];
    const double *weight = k->penalty + s->constraint_row[c];
    for (int p = 0; p < count; p++)
        for (int q = 0; q < count; q++)
            if (place[p] >= place[q])
                add_pair(f, place[p], place[q], k->blocks.G + s->block_offset[first + p],
                         columns_of(s, s->block_body[first + p]), k->blocks.G + s->block_offset[first + q],
                         columns_of(s, s->block_body[first + q]), weight, rows);
}

/* Cholesky of the first nc columns; the rest becomes the Schur complement. */
static int eliminate(front *f)
{
    const int nf = f->nf;
    for (int j = 0; j < f->nc; j++) {
        double *column = f->F + j * nf;
        if (!(column[j] > 0))
            return TN_ERROR_STEP;
        double pivot = sqrt(column[j]);
        column[j] = pivot;
        for (int i = j + 1; i < nf; i++)
            column[i] /= pivot;
        for (int n = j + 1; n < nf; n++) {
            double x = column[n], *to = f->F + n * nf;
            for (int i = n; i < nf; i++)
                to[i] -= column[i] * x;
        }
    }
    return TN_OK;
}

static void add_to_parent(const front *f, front *parent)
{
    const int nn = f->nf - f->nc;
    for (int j = 0; j < nn; j++) {
        const double *from = f->F + f->nc + (f->nc + j) * f->nf;
        for (int i = j; i < nn; i++)
            parent->F[f->to_parent[i] + f->to_parent[j] * parent->nf] += from[i];
    }
}

static int factor_front(const tn_saddle *k, front *f)
{
    const tn_structure *s = k->blocks.structure;
    const int *place = f->place;
    add_mass(&k->blocks, f);
    for (int n = 0; n < f->constraint_count; n++) {
        int c = f->constraints[n];
        add_constraint(k, f, c, place);
        place += s->block_begin[c + 1] - s->block_begin[c];
    }
    TN_TRY(eliminate(f));
    if (f->parent >= 0)
        add_to_parent(f, &k->fronts[f->parent]);
    return TN_OK;
}

static int factor_augmented(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    const int bodies = k->blocks.structure->bodies;
    k->factored = false;
    TN_TRY(tn_blocks_load(&k->blocks, M, G));
    TN_TRY(tn_row_choice_decide(&k->selection, G, rule));
    find_penalties(k);
    for (int i = 0; i < bodies; i++)
        memset(k->fronts[i].F, 0, (size_t)k->fronts[i].nf * (size_t)k->fronts[i].nf * sizeof(double));
    for (int i = 0; i < bodies; i++)
        TN_TRY(factor_front(k, &k->fronts[i]));
    k->factored = true;
    return TN_OK;
}

/* ---- solution ---- */

static void forward(const front *f, double *x)
{
    for (int j = 0; j < f->nc; j++) {
        const double *column = f->F + j * f->nf;
        double xj = x[f->column[j]] /= column[j];
        for (int i = j + 1; i < f->nf; i++)
            x[f->column[i]] -= column[i] * xj;
    }
}

static void backward(const front *f, double *x)
{
    for (int j = f->nc - 1; j >= 0; j--) {
        const double *column = f->F + j * f->nf;
        double sum = x[f->column[j]];
        for (int i = j + 1; i < f->nf; i++)
            sum -= column[i] * x[f->column[i]];
        x[f->column[j]] = sum / column[j];
    }
}

/* correction = A^-1 (f - M a + G'(lambda + penalty residual)), residual = u - G a. */
static void correct(tn_saddle *k, const double *f, const double *u, const double *a)
{
    const tn_blocks *b = &k->blocks;
    tn_blocks_rows(b, a, k->residual);
    for (int r = 0; r < b->rows; r++) {
        k->residual[r] = u[r] - k->residual[r];
        k->pull[r] = k->lambda[r] + k->penalty[r] * k->residual[r];
    }
    tn_blocks_forces(b, k->pull, k->correction);
    tn_blocks_mass(b, a, k->force);
    for (int j = 0; j < b->columns; j++)
        k->correction[j] += f[j] - k->force[j];
    for (int i = 0; i < b->structure->bodies; i++)
        forward(&k->fronts[i], k->correction);
    for (int i = b->structure->bodies - 1; i >= 0; i--)
        backward(&k->fronts[i], k->correction);
}

static void apply_correction(tn_saddle *k, double *a)
{
    tn_blocks_rows(&k->blocks, k->correction, k->pull);
    for (int r = 0; r < k->blocks.rows; r++)
        k->lambda[r] += k->penalty[r] * (k->residual[r] - k->pull[r]);
    for (int j = 0; j < k->blocks.columns; j++)
        a[j] += k->correction[j];
}

/* sqrt(x'M x) */
static double mass_norm(tn_saddle *k, const double *x)
{
    double sum = 0;
    tn_blocks_mass(&k->blocks, x, k->force);
    for (int j = 0; j < k->blocks.columns; j++)
        sum += x[j] * k->force[j];
    return sqrt(sum);
}

static int solve_augmented(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    double last = INFINITY;
    k->trouble[0] = 0;
    k->iterations = 0;
    if (!k->factored)
        return TN_ERROR_STEP;
    memset(a, 0, (size_t)k->blocks.columns * sizeof(double));
    memset(k->lambda, 0, (size_t)k->blocks.rows * sizeof(double));
    while (k->iterations < MOST_PASSES) {
        correct(k, f, u, a);
        double size = mass_norm(k, k->correction);
        if (!(size <= (k->iterations > 1 ? FALLING : FIRST) * last))
            break;
        apply_correction(k, a);
        k->iterations++;
        if (size <= ROUND_OFF * mass_norm(k, a))
            break;
        last = size;
    }
    k->total += k->iterations;
    if (k->iterations == 0)
        return TN_ERROR_STEP;
    if (lambda)
        memcpy(lambda, k->lambda, (size_t)k->blocks.rows * sizeof(double));
    return TN_OK;
}

static void info_augmented(const tn_saddle *k, tn_saddle_info *out)
{
    *out = (tn_saddle_info){ .rows = k->blocks.rows, .columns = k->blocks.columns, .rank = k->selection.info.rank,
                             .weakest_pivot = k->selection.info.weakest_pivot,
                             .largest_drop = k->selection.info.largest_drop, .iterations = k->iterations, .total_iterations = k->total,
                             .trouble = k->trouble[0] ? k->trouble : NULL };
}

const tn_solver_type tn_solver_augmented = {
    .name = "augmented",
    .doc = "Augmented Lagrangian: mass matrix and penalties factored once, multipliers iterated; never singular.",
    .parameters = { [ALPHA] = { "penalty", "", "penalty mass of a row over its effective mass", 1e9, NULL } },
    .analyze = analyze_augmented,
    .configure = configure,
    .factor = factor_augmented,
    .solve = solve_augmented,
    .info = info_augmented,
    .destroy = destroy_augmented,
};
