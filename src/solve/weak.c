/* Weak pivots and unequal masses of the solver "direct": the system is then measured, or also solved, by condensation (condenser.c).
 *
 * A front sees only the columns of its body and border. A row that hardly moves the body gives a small pivot there even if
 * it is well independent of all other rows, and the solution loses the square of the pivot. Condensation compares whole
 * rows: its pivots are small only near a singular position of the mechanism, whatever the order of elimination. So where
 * the fronts find a weak pivot, rank and distance from a singular position are those of the condensed system, and where a
 * pivot is so weak that digits are lost, or the ranks differ, accelerations too. Where rows are redundant the multipliers are those of the fronts, which share the forces among such rows, with a
 * correction that balances the bodies exactly.
 *
 * A heavy body that is eliminated before a light one leaves its mass in the form of the light one, where it cancels in the
 * directions in which the joint is free: of the light body's own mass, digits are lost by the ratio of the masses.
 * Condensation in square-root form adds no masses, so it solves such systems, too. */
#include "front.h"
#include "mem.h"

#include <math.h>
#include <string.h>

/* Scaled pivots below WEAK may mean that a singular position is near: it has to be measured. Below LOSSY solutions of the
 * fronts lose more than three digits. */
static const double WEAK = 0.1, LOSSY = 0.03;
/* A front that gets this many times the mass of its own body from the fronts below loses six digits. */
static const double UNEQUAL = 1e6;
/* A pivot between this and the rank tolerance was dropped, but is no round-off. */
static const double DOUBTFUL_DROP = 1e-9;

static int columns_of(const tn_structure *s, int body)
{
    return s->body_column[body + 1] - s->body_column[body];
}

static int block_size(const tn_structure *s, int constraint, int block)
{
    return (s->constraint_row[constraint + 1] - s->constraint_row[constraint]) * columns_of(s, s->block_body[block]);
}

static bool is_pin(const tn_structure *s, int constraint)
{
    return s->pins && s->pin_kind && s->pin_kind[constraint] != TN_PIN_NONE;
}

static int create_condenser(tn_saddle *k)
{
    const tn_structure *s = k->structure;
    size_t size = 0;
    for (int c = 0; c < s->constraints; c++)
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1]; b++) {
            size_t end = s->block_offset[b] + (size_t)block_size(s, c, b);
            size = end > size ? end : size;
        }
    k->rows_structure = *s;
    k->rows_structure.pins = NULL;
    k->rows_structure.pin_kind = NULL;
    const int columns = s->body_column[s->bodies], rows = s->constraint_row[s->constraints];
    size_t mass = 0;
    for (int b = 0; b < s->bodies; b++) {
        size_t end = s->mass_offset[b] + (size_t)(columns_of(s, b) * columns_of(s, b));
        mass = end > mass ? end : mass;
    }
    k->mass_size = mass;
    k->independent = tn_arena_alloc(k->arena, (size_t)rows, sizeof(bool));
    k->rows = tn_arena_alloc(k->arena, size, sizeof(double));
    k->mass = tn_arena_alloc(k->arena, mass, sizeof(double));
    k->unbalanced = tn_arena_alloc(k->arena, (size_t)columns, sizeof(double));
    k->change = tn_arena_alloc(k->arena, (size_t)columns, sizeof(double));
    k->no_u = tn_arena_alloc(k->arena, (size_t)rows, sizeof(double));
    k->more = tn_arena_alloc(k->arena, (size_t)rows, sizeof(double));
    k->all = tn_arena_alloc(k->arena, (size_t)rows, sizeof(double));
    TN_TRY(tn_arena_status(k->arena));
    TN_TRY(tn_refinement_create(&k->refinement, &k->rows_structure, k->arena));
    return tn_condenser_create(&k->whole_rows, k->context, &k->rows_structure, NULL, 0);
}

/* Writes all rows, those of pins too. */
static void load_rows(const tn_saddle *k, const double *G)
{
    const tn_structure *s = k->structure;
    for (int c = 0; c < s->constraints; c++)
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1]; b++) {
            const int body = s->block_body[b];
            double *rows = k->rows + s->block_offset[b];
            if (is_pin(s, c))
                tn_pin_write(rows, &s->pins[c], (tn_pin_kind)s->pin_kind[c], columns_of(s, body) == 3,
                             s->pins[c].body2 == body ? 1 : -1);
            else
                memcpy(rows, G + s->block_offset[b], (size_t)block_size(s, c, b) * sizeof(double));
        }
}

/* True: somewhere a heavy body is eliminated into a light one. Bodies of one column (rotors, sliders) have no mass to compare. */
static bool is_unequal(const tn_saddle *k, const double *M)
{
    const tn_structure *s = k->structure;
    bool unequal = false;
    memset(k->carried, 0, (size_t)s->bodies * sizeof(double));
    for (int i = 0; i < s->bodies; i++) {
        const tn_front *f = &k->fronts[i];
        double own = f->nc > 1 ? M[s->mass_offset[f->body]] : 0;
        unequal = unequal || (own > 0 && k->carried[i] > UNEQUAL * own);
        if (f->parent >= 0)
            k->carried[f->parent] += k->carried[i] + own;
    }
    return unequal;
}

/* Finds from the pivots of the fronts whether whole rows have to be compared, and whether the fronts lose digits. */
static void judge_fronts(tn_saddle *k, const double *M)
{
    double weakest = 1, dropped = 0;
    for (int i = 0; i < k->structure->bodies; i++) {
        const tn_general *g = k->fronts[i].general;
        if (k->fronts[i].kind == TN_FRONT_LEAF)
            continue;
        weakest = fmin(weakest, g->weakest);
        dropped = fmax(dropped, g->dropped);
    }
    k->weak = !k->structure->combined && (!k->fronts_ready || weakest < LOSSY || dropped > DOUBTFUL_DROP || is_unequal(k, M));
    k->measured = k->weak || (!k->structure->combined && weakest < WEAK);
}

/* Decides the rank by whole rows; where the fronts find another one, they do not solve. */
static int measure(tn_saddle *k, const double *G)
{
    tn_saddle_info info;
    load_rows(k, G);
    TN_TRY(tn_condenser_decide(k->independent, k->whole_rows, k->rows));
    tn_condenser_info(&info, k->whole_rows);
    k->weak = info.rank != tn_fronts_rank(k);
    return TN_OK;
}

/* True: a pivot that was good where the ranks were decided is lossy at this point, or zero. It depends on the point alone, not on
 * the points before. Where whole rows were not compared at the start and some depend on others, they cannot be compared off the
 * constraints. */
static bool lossy_since(const tn_saddle *k)
{
    const tn_structure *s = k->structure;
    if (k->weak || s->combined || (!k->measured && tn_fronts_rank(k) < s->constraint_row[s->constraints]))
        return false;
    for (int i = 0; i < s->bodies && k->fronts_ready; i++)
        if (k->fronts[i].kind != TN_FRONT_LEAF && k->fronts[i].general->weakest < LOSSY)
            return true;
    return !k->fronts_ready;
}

int tn_weak_factor(tn_saddle *k, const double *M, const double *G, bool decide)
{
    if (decide)
        judge_fronts(k, M);
    k->condensed = decide ? k->weak : k->weak || lossy_since(k);
    if (!k->fronts_ready && !k->condensed)
        return TN_ERROR_STEP;
    if (!k->measured && !k->condensed)
        return TN_OK;
    if (!k->whole_rows)
        TN_TRY(create_condenser(k));
    if (decide && !k->weak) {
        TN_TRY(measure(k, G));
        k->condensed = k->weak;
    }
    if (!k->condensed)
        return TN_OK;
    load_rows(k, G);
    memcpy(k->mass, M, k->mass_size * sizeof(double));
    return tn_condenser_factor(k->whole_rows, M, k->rows, decide || !k->measured ? TN_RANK_DECIDE : TN_RANK_KEEP);
}

/* unbalanced = f - M a + G' lambda */
static void find_unbalanced(const tn_saddle *k, const double *f, const double *a, const double *lambda)
{
    const tn_structure *s = k->structure;
    for (int b = 0; b < s->bodies; b++) {
        const int first = s->body_column[b], n = columns_of(s, b);
        const double *M = k->mass + s->mass_offset[b];
        for (int i = 0; i < n; i++) {
            k->unbalanced[first + i] = f[first + i];
            for (int j = 0; j < n; j++)
                k->unbalanced[first + i] -= M[i + j * n] * a[first + j];
        }
    }
    for (int c = 0; c < s->constraints; c++)
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1]; b++) {
            const int first = s->body_column[s->block_body[b]], n = columns_of(s, s->block_body[b]);
            const double *G = k->rows + s->block_offset[b];
            for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++, G += n)
                for (int j = 0; j < n; j++)
                    k->unbalanced[first + j] += G[j] * lambda[r];
        }
}

/* Corrects multipliers of the fronts so that they balance the bodies with accelerations a. */
static int balance(tn_saddle *k, const double *f, const double *a, double *lambda)
{
    find_unbalanced(k, f, a, lambda);
    TN_TRY(tn_condenser_free(NULL, k->whole_rows, k->unbalanced, k->no_u));
    TN_TRY(tn_condenser_back_substitute(k->change, k->more, k->whole_rows, NULL));
    for (int r = 0; r < k->structure->constraint_row[k->structure->constraints]; r++)
        lambda[r] += k->more[r];
    return TN_OK;
}

double *tn_weak_multipliers(tn_saddle *k, double *lambda)
{
    return lambda && k->condensed ? k->all : lambda;
}

int tn_weak_solve(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    const tn_structure *s = k->structure;
    tn_saddle_info info;
    tn_condenser_info(&info, k->whole_rows);
    const bool shared = lambda && k->fronts_ready && info.rank < info.rows;
    TN_TRY(tn_condenser_free(NULL, k->whole_rows, f, u));
    TN_TRY(tn_condenser_back_substitute(a, lambda && !shared ? k->all : NULL, k->whole_rows, NULL));
    TN_TRY(tn_refine(&k->refinement, k->whole_rows, k->rows, u, a, lambda && !shared ? k->all : NULL));
    if (shared)
        TN_TRY(balance(k, f, a, k->all));
    for (int c = 0; c < s->constraints && lambda; c++)
        for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1] && !(s->silent && s->silent[c]); r++)
            lambda[r] = k->all[r];
    return TN_OK;
}
