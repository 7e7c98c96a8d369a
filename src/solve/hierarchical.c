/* Solver "hierarchical": condenses the whole system, which has no ports. condenser.c has the mathematics. */
#include "mem.h"
#include "tenon/sys/condense.h"
#include "tenon/team.h"

struct tn_saddle {
    tn_context *context;
    tn_condenser *condenser;
    bool factored;
};

static void destroy_hierarchical(tn_saddle *k)
{
    if (!k)
        return;
    tn_condenser_destroy(k->condenser);
    tn_free(k->context, k);
}

static int analyze_hierarchical(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    int code = tn_condenser_create_shared(&k->condenser, context, structure, tn_context_team(context));
    if (code < 0) {
        destroy_hierarchical(k);
        return code;
    }
    *out = k;
    return TN_OK;
}

static int factor_hierarchical(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    int code = tn_condenser_factor(k->condenser, M, G, rule);
    k->factored = code == TN_OK;
    return code;
}

static int solve_hierarchical(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    if (!k->factored)
        return TN_ERROR_STEP;
    TN_TRY(tn_condenser_free(NULL, k->condenser, f, u));
    return tn_condenser_back_substitute(a, lambda, k->condenser, NULL);
}

static int factor_solve(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule, const double *f,
                        const double *u, double *a, double *lambda)
{
    int code = tn_condenser_factor_free(k->condenser, M, G, rule, f, u);
    if (code == TN_OK)
        code = tn_condenser_back_substitute(a, lambda, k->condenser, NULL);
    k->factored = code == TN_OK;
    return code;
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
