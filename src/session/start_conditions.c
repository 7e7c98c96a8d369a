/* Start conditions on channels and named expressions, compiled for assembly. */
#include <string.h>
#include "diag.h"
#include "session_parts.h"
#include "units.h"

static int check_unit(const tn_session *s, const tn_model_condition *given, const tn_output_info *info)
{
    char is[64], wanted[64];
    if (!given->dim_known || !info->dim_known || tn_dim_equal(given->dim, info->dim))
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_MODEL, given->span, "initial '%s': is a %s, must be a %s", given->channel,
                   tn_dim_name(given->dim, is, sizeof is), tn_dim_name(info->dim, wanted, sizeof wanted));
}

static int compile_condition(tn_start_condition *out, tn_session *s, tn_arena *scratch, const tn_model_condition *given)
{
    char what[240], unit[64] = "";
    tn_output_info info;
    tn_formula *f = NULL;
    snprintf(what, sizeof what, "initial '%.200s'", given->channel);
    TN_TRY(tn_formula_create(&f, s->system, given->owner ? given->channel : NULL));
    f->inlines = true;
    TN_TRY(tn_formula_add(f, given->channel, NULL, NULL, given->span, what, &info));
    if (info.vector)
        return tn_fail(s->context, TN_ERROR_MODEL, given->span, "%s: is a vector; name a component, .x for example",
                       what);
    TN_TRY(check_unit(s, given, &info));
    TN_TRY(tn_formula_finish(f));
    if (info.dim_known && !tn_dim_equal(info.dim, TN_DIM_NUMBER))
        tn_dim_text(info.dim, unit, sizeof unit);
    *out = (tn_start_condition){ f, given->value, given->channel, tn_arena_strdup(scratch, unit), given->span };
    return out->unit ? TN_OK : TN_ERROR_MEMORY;
}

int tn_start_conditions(tn_assembly *a, tn_session *s, tn_arena *scratch)
{
    const tn_model *m = s->model;
    tn_start_condition *conditions = tn_arena_alloc(scratch, m->condition_count, sizeof *conditions);
    if (!conditions)
        return TN_ERROR_MEMORY;
    int worst = TN_OK;
    for (size_t k = 0; k < m->condition_count; k++) {
        const tn_model_condition *given = &m->conditions[k];
        if (given->owner && !tn_path_active(m, given->channel))
            continue;
        int code = compile_condition(&conditions[a->condition_count], s, scratch, given);
        if (code == TN_ERROR_MEMORY)
            return code;
        worst = code < 0 ? code : worst;
        a->condition_count++;
    }
    a->conditions = conditions;
    return worst;
}

int tn_start_check(tn_session *s)
{
    tn_assembly a = { 0 };
    tn_arena *scratch = tn_arena_create(s->context);
    int code = scratch ? tn_start_conditions(&a, s, scratch) : TN_ERROR_MEMORY;
    tn_arena_destroy(scratch);
    return code;
}
