/* Solver "uzawa": its parts of the structure, its settings, and the preconditioner of its conjugate gradients. */
#include "dense.h"
#include "uzawa_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A row depends on the other rows of its constraint if its mobility, with these rows held, is below this part of its
 * own mobility. */
static const double DEPENDENT_ROW = 1e-12;

/* ---- analysis ---- */

static double *vector(const tn_saddle *k, size_t n)
{
    return tn_arena_alloc(k->arena, n, sizeof(double));
}

static void forget_inner(tn_saddle *k)
{
    if (k->inner)
        tn_solver_direct.destroy(k->inner);
    k->inner = NULL;
}

static int build_inner(tn_saddle *k)
{
    const tn_structure *s = &k->kept_inside.structure;
    size_t rows = (size_t)s->constraint_row[s->constraints];
    forget_inner(k);
    if (s->constraints == 0)
        return TN_OK;
    k->inner_u = vector(k, rows);
    k->inner_zero = vector(k, rows);
    k->inner_lambda = vector(k, rows);
    if (!k->inner_u || !k->inner_zero || !k->inner_lambda)
        return TN_ERROR_MEMORY;
    return tn_solver_direct.analyze(&k->inner, k->context, s);
}

static int build_uzawa(tn_saddle *k)
{
    const tn_structure *s = &k->iterated.structure;
    TN_TRY(tn_part_create(&k->iterated, k->arena, k->structure, k->internal, false));
    TN_TRY(tn_part_create(&k->kept_inside, k->arena, k->structure, k->internal, true));
    TN_TRY(build_inner(k));
    TN_TRY(tn_blocks_create(&k->blocks, k->arena, s));
    size_t rows = (size_t)k->blocks.rows, columns = (size_t)k->blocks.columns, size = 0;
    k->factor_at = tn_arena_alloc(k->arena, (size_t)s->constraints, sizeof(size_t));
    k->kept_count = tn_arena_alloc(k->arena, (size_t)s->constraints, sizeof(int));
    k->kept = tn_arena_alloc(k->arena, rows, sizeof(int));
    if (!k->factor_at || !k->kept_count || !k->kept)
        return TN_ERROR_MEMORY;
    for (int c = 0; c < s->constraints; c++) {
        k->factor_at[c] = size;
        size += (size_t)tn_uzawa_height(s, c) * (size_t)tn_uzawa_height(s, c);
    }
    k->factor = vector(k, size);
    double **row_vectors[] = { &k->diagonal, &k->weight, &k->lambda, &k->r, &k->z, &k->w, &k->q, &k->y, &k->x,
                               &k->last_lambda, &k->kept_lambda, &k->u };
    double **column_vectors[] = { &k->s, &k->h, &k->v };
    bool ok = k->factor;
    for (size_t i = 0; i < TN_LENGTH(row_vectors); i++)
        ok = (*row_vectors[i] = vector(k, rows)) && ok;
    for (size_t i = 0; i < TN_LENGTH(column_vectors); i++)
        ok = (*column_vectors[i] = vector(k, columns)) && ok;
    k->has_last = k->has_kept = false;
    k->stale = !ok;
    return ok ? TN_OK : TN_ERROR_MEMORY;
}

void tn_uzawa_destroy(tn_saddle *k)
{
    if (!k)
        return;
    forget_inner(k);
    tn_row_choice_destroy(&k->selection);
    if (k->arena)
        tn_arena_destroy(k->arena);
    tn_free(k->context, k);
}

static int create_uzawa(tn_saddle *k, const tn_structure *structure)
{
    k->arena = tn_arena_create(k->context);
    if (!k->arena)
        return TN_ERROR_MEMORY;
    k->structure = structure;
    k->internal = tn_arena_alloc(k->arena, (size_t)structure->constraints, sizeof *k->internal);
    k->own = tn_arena_alloc(k->arena, (size_t)structure->constraints, sizeof *k->own);
    if (!k->internal || !k->own)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_row_choice_create(&k->selection, k->context, k->arena, structure));
    return build_uzawa(k);
}

int tn_uzawa_analyze(tn_saddle **out, tn_context *context, const tn_structure *structure)
{
    tn_saddle *k = tn_alloc(context, 1, sizeof *k);
    if (!k)
        return TN_ERROR_MEMORY;
    k->context = context;
    for (int i = 0; i < PARAMETERS; i++)
        k->parameters[i] = tn_solver_uzawa.parameters[i].initial;
    int result = create_uzawa(k, structure);
    if (result < 0) {
        tn_uzawa_destroy(k);
        return result;
    }
    *out = k;
    return TN_OK;
}

/* A small change of the multipliers does not mean that they are right, unless rho is fixed and they start from zero. */
static bool stops_on_change(const double *p)
{
    return p[METHOD] == FIXED_RHO && p[WARM] == 0;
}

int tn_uzawa_configure(tn_saddle *k, const double *p)
{
    const char *wrong = p[METHOD] != CONJUGATE_GRADIENTS && p[METHOD] != FIXED_RHO
                            ? "method must be 0 (conjugate gradients) or 1 (fixed rho)"
                        : !(p[RESIDUAL] > 0 && p[RESIDUAL] < 1) ? "residual must be between 0 and 1"
                        : !(p[ITERATIONS] >= 0 && p[ITERATIONS] < 1e9) ? "iterations must be 0 (chosen) or a count"
                        : !(p[RHO] > 0) || !(p[RHO_ABSOLUTE] >= 0) ? "rho must be positive"
                        : p[INTERNAL] != 0 ? "internal is for single joints (internal: { JOINT: 1 })"
                        : !(p[INCREMENT] >= 0 && p[INCREMENT] < 1) ? "increment must be between 0 and 1"
                        : p[INCREMENT] > 0 && !stops_on_change(p)
                            ? "increment is for fixed rho from zero (method: 1, warm: 0): otherwise a small change of "
                              "the multipliers does not mean that they are right"
                            : "";
    snprintf(k->trouble, sizeof k->trouble, "%s", wrong);
    if (wrong[0])
        return TN_ERROR_ARGUMENT;
    memcpy(k->parameters, p, sizeof k->parameters);
    return TN_OK;
}

/* True: the constraint touches a body without a mass matrix (tn_responder). */
static bool is_at_asked(const tn_structure *s, int constraint)
{
    for (int b = s->block_begin[constraint]; s->responder && b < s->block_begin[constraint + 1]; b++)
        if (s->responder->asked[s->block_body[b]])
            return true;
    return false;
}

static int configure_increment(tn_saddle *k, int constraint, double value)
{
    if (!(value > 0 && value < 1) || !stops_on_change(k->parameters)) {
        snprintf(k->trouble, sizeof k->trouble, "increment of a joint must be between 0 and 1, and is for fixed rho from zero "
                 "(method: 1, warm: 0)");
        return TN_ERROR_ARGUMENT;
    }
    k->own[constraint].increment = value;
    k->own_increments = true;
    return TN_OK;
}

int tn_uzawa_configure_constraint(tn_saddle *k, int parameter, int constraint, double value)
{
    if (parameter == INTERNAL && value == 1 && is_at_asked(k->structure, constraint)) {
        snprintf(k->trouble, sizeof k->trouble, "a joint at a component that only responds cannot be internal");
        return TN_ERROR_ARGUMENT;
    }
    if (parameter == INTERNAL && (value == 0 || value == 1)) {
        k->internal[constraint] = value == 1;
        k->stale = true;
        return TN_OK;
    }
    if (parameter == INCREMENT)
        return configure_increment(k, constraint, value);
    if ((parameter != RHO && parameter != RHO_ABSOLUTE) || !(value > 0)) {
        snprintf(k->trouble, sizeof k->trouble, "single joints may have their own rho, rho_absolute or increment, which are "
                 "positive, and be internal (1) or not (0)");
        return TN_ERROR_ARGUMENT;
    }
    *(parameter == RHO ? &k->own[constraint].relative : &k->own[constraint].absolute) = value;
    return TN_OK;
}

/* ---- preconditioner ---- */

/* Factor of the residual of row r of constraint c in the method with fixed rho. */
static double weight_of(const tn_saddle *k, int c, int r)
{
    const double *p = k->parameters;
    const struct own_values *own = &k->own[k->iterated.constraint[c]];
    if (own->absolute > 0)
        return own->absolute;
    if (own->relative > 0)
        return own->relative * k->diagonal[r];
    return p[RHO_ABSOLUTE] > 0 ? p[RHO_ABSOLUTE] : p[RHO] * k->diagonal[r];
}

/* Factors row by row. Keeps a row if it is independent of the rows kept before. */
static void factor_mobility(tn_saddle *k, int c)
{
    const tn_structure *s = k->blocks.structure;
    const int first = s->constraint_row[c], m = tn_uzawa_height(s, c);
    double *L = k->factor + k->factor_at[c], *mobility = k->x;
    int *kept = k->kept + first, count = 0;
    for (int i = 0; i < m; i++) {
        tn_blocks_mobility(&k->blocks, c, i, 0, mobility);
        bool counts = tn_blocks_row_counts(&k->blocks, c, i) &&
                      (k->inner || tn_row_choice_uses(&k->selection, first + i));
        k->diagonal[first + i] = counts ? 1 / mobility[i] : 0;
        for (int p = 0; p < count; p++)
            L[count + p * m] = mobility[kept[p]];
        double left = tn_cholesky_row(count, L, m, mobility[i]);
        if (counts && left > DEPENDENT_ROW * mobility[i]) {
            L[count + count * m] = sqrt(left);
            kept[count++] = i;
        }
    }
    k->kept_count[c] = count;
    for (int r = first; r < first + m; r++)
        k->weight[r] = weight_of(k, c, r);
}

void tn_uzawa_precondition(const tn_saddle *k, const double *r, double *z)
{
    const tn_structure *s = k->blocks.structure;
    double *x = k->x;
    for (int c = 0; c < s->constraints; c++) {
        const int first = s->constraint_row[c], m = tn_uzawa_height(s, c), count = k->kept_count[c], *kept = k->kept + first;
        for (int p = 0; p < count; p++)
            x[p] = r[first + kept[p]];
        tn_cholesky_solve(count, k->factor + k->factor_at[c], m, x);
        memset(z + first, 0, (size_t)m * sizeof(double));
        for (int p = 0; p < count; p++)
            z[first + kept[p]] = x[p];
    }
}

int tn_uzawa_factor(tn_saddle *k, const double *M, const double *G, tn_rank_rule rule)
{
    k->loaded = false;
    if (k->stale)
        TN_TRY(build_uzawa(k));
    TN_TRY(tn_blocks_load(&k->blocks, M, G));
    TN_TRY(tn_row_choice_decide(&k->selection, G, rule));
    if (k->inner)
        TN_TRY(tn_solver_direct.factor(k->inner, M, G, rule));
    for (int c = 0; c < k->blocks.structure->constraints; c++)
        factor_mobility(k, c);
    k->loaded = true;
    return TN_OK;
}
