/* Solver "hierarchical": the condensation of the whole, which has no ports. condenser.c has the mathematics. */
#include "mem.h"
#include "tenon/sys/condense.h"

struct tn_saddle {
    tn_context *context;
    tn_condenser *condenser;
    bool factored;
};

static void destroy(tn_saddle *k)
{
    if (!k)
        return;
    tn_condenser_destroy(k->condenser);
    tn_free(k->context, k);
}

static int analyze(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    int code = tn_condenser_create(&k->condenser, context, structure, NULL, 0);
    if (code < 0) {
        destroy(k);
        return code;
    }
    *out = k;
    return TN_OK;
}

static int factor(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    int code = tn_condenser_factor(k->condenser, M, G, rule);
    k->factored = code == TN_OK;
    return code;
}

static int solve(tn_saddle *k, const double *f, const double *u, double *a, double *lambda)
{
    if (!k->factored)
        return TN_ERROR_STEP;
    tn_condenser_free(k->condenser, f, u, NULL);
    tn_condenser_back_substitute(k->condenser, NULL, a, lambda);
    return TN_OK;
}

static void info(const tn_saddle *k, tn_saddle_info *out)
{
    tn_condenser_info(k->condenser, out);
}

const tn_solver_type tn_solver_hierarchical = {
    .name = "hierarchical",
    .doc = "Condensation up the tree of subsystems, back-substitution down; each answers for its ports alone.",
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .info = info,
    .destroy = destroy,
};
