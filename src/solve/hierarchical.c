/* Solver "hierarchical": condenses the whole system, which has no ports. condenser.c has the mathematics. */
#include <math.h>
#include <string.h>
#include "refine.h"
#include "tenon/team.h"

/* Masses this far apart: digits are lost, and solutions refined. */
static const double UNEQUAL = 1e6;

struct tn_saddle {
    tn_context *context;
    tn_arena *arena;
    tn_condenser *condenser;
    bool factored;
    const tn_structure *structure;
    bool alone, unequal;           /* no other process takes part; masses differ much */
    double *G;                     /* of the last factorization, where they do */
    size_t size;                   /* of G */
    tn_refinement refinement;
};

static void destroy_hierarchical(tn_saddle *k)
{
    if (!k)
        return;
    tn_condenser_destroy(k->condenser);
    tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

/* Memory for refinement. */
static int prepare_refinement(tn_saddle *k)
{
    const tn_structure *s = k->structure;
    k->arena = tn_arena_create(k->context);
    if (!k->arena)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < s->constraints; c++)
        for (int b = s->block_begin[c]; b < s->block_begin[c + 1]; b++) {
            const int rows = s->constraint_row[c + 1] - s->constraint_row[c];
            const int n = s->body_column[s->block_body[b] + 1] - s->body_column[s->block_body[b]];
            const size_t end = s->block_offset[b] + (size_t)(rows * n);
            k->size = end > k->size ? end : k->size;
        }
    k->G = tn_arena_alloc(k->arena, k->size, sizeof(double));
    return k->G ? tn_refinement_create(&k->refinement, s, k->arena) : TN_ERROR_MEMORY;
}

static int analyze_hierarchical(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    k->structure = structure;
    k->alone = !tn_context_team(context);
    int code = tn_condenser_create_shared(&k->condenser, context, structure, tn_context_team(context));
    if (code == TN_OK && k->alone)
        code = prepare_refinement(k);
    if (code < 0) {
        destroy_hierarchical(k);
        return code;
    }
    *out = k;
    return TN_OK;
}

/* Notes G where masses differ so much that solutions are refined. Bodies of one column (rotors, sliders) have no mass to compare. */
static void look_at_masses(tn_saddle *k, const double *M, const double *G)
{
    const tn_structure *s = k->structure;
    double least = INFINITY, most = 0;
    for (int b = 0; b < s->bodies; b++)
        if (s->body_column[b + 1] - s->body_column[b] > 1) {
            least = fmin(least, M[s->mass_offset[b]]);
            most = fmax(most, M[s->mass_offset[b]]);
        }
    k->unequal = k->alone && most > UNEQUAL * least;
    if (k->unequal)
        memcpy(k->G, G, k->size * sizeof(double));
}

static int refine(tn_saddle *k, const double *u, double *a, double *lambda)
{
    return k->unequal ? tn_refine(&k->refinement, k->condenser, k->G, u, a, lambda) : TN_OK;
}

static int factor_hierarchical(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    int code = tn_condenser_factor(k->condenser, M, G, rule);
    k->factored = code == TN_OK;
    look_at_masses(k, M, G);
    return code;
}

static int solve_hierarchical(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    if (!k->factored)
        return TN_ERROR_STEP;
    TN_TRY(tn_condenser_free(NULL, k->condenser, f, u));
    TN_TRY(tn_condenser_back_substitute(a, lambda, k->condenser, NULL));
    return refine(k, u, a, lambda);
}

static int factor_solve(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                        const double *u, double *a, double *lambda)
{
    int code = tn_condenser_factor_free(k->condenser, M, G, rule, f, u);
    if (code == TN_OK)
        code = tn_condenser_back_substitute(a, lambda, k->condenser, NULL);
    k->factored = code == TN_OK;
    look_at_masses(k, M, G);
    return code == TN_OK ? refine(k, u, a, lambda) : code;
}

static void info_hierarchical(const tn_saddle *k, tn_saddle_info *out)
{
    tn_condenser_info(out, k->condenser);
}

const tn_solver_type tn_solver_hierarchical = {
    .name = "hierarchical",
    .doc = "Condensation up the tree of subsystems, back-substitution down; each answers for its ports alone.",
    .whole_rows = true,
    .analyze = analyze_hierarchical,
    .factor = factor_hierarchical,
    .solve = solve_hierarchical,
    .factor_solve = factor_solve,
    .info = info_hierarchical,
    .destroy = destroy_hierarchical,
};
