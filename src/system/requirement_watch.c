/* Requirements of forces and devices that depend on parameters which change, or on states: they cannot be checked when the model is
 * read, so the judge of a run evaluates them after its steps. */
#include "requirement_watch.h"

#include <stdio.h>
#include "devices.h"

typedef struct tn_requirement_watch {
    uint32_t source;
    tn_formula *formula;           /* one output for each requirement */
    int count;
    int which[TN_FORCE_REQUIREMENTS];
} tn_requirement_watch;

static int compile_watch(tn_system *s, const tn_sys_force *compiled, tn_requirement_watch *watch)
{
    const tn_force *force = &s->model->forces[compiled->source];
    char what[200];
    snprintf(what, sizeof what, "%s '%.80s'", tn_force_word(force), force->entity.name);
    watch->source = compiled->source;
    TN_TRY(tn_formula_create(&watch->formula, s, force->entity.name));
    watch->formula->acts = true;
    watch->formula->samples = compiled->formula->samples;
    watch->formula->sampler = compiled->formula->sampler;
    const tn_scope *scope = tn_force_scope_in(watch->formula, compiled->source);
    if (!scope)
        return TN_ERROR_MEMORY;
    for (int k = 0; k < TN_FORCE_REQUIREMENTS; k++) {
        if (!(compiled->watched & 1u << k))
            continue;
        const char *text = tn_force_text(s, force, force->type->requirements[k].condition);
        if (!text)
            return TN_ERROR_MEMORY;
        TN_TRY(tn_formula_add(watch->formula, text, scope, NULL, force->entity.span, what, NULL));
        watch->which[watch->count++] = k;
    }
    return tn_formula_finish(watch->formula);
}

int tn_requirements_compile(tn_system *s)
{
    int count = 0;
    for (int k = 0; k < s->force_count; k++)
        count += s->forces[k].watched != 0;
    s->watches = tn_arena_alloc(s->arena, (size_t)count, sizeof *s->watches);
    TN_TRY(tn_arena_status(s->arena));
    for (int k = 0; k < s->force_count; k++)
        if (s->forces[k].watched)
            TN_TRY(compile_watch(s, &s->forces[k], &s->watches[s->watch_count++]));
    return TN_OK;
}

uint32_t tn_requirement_source(const tn_system *s, int watch)
{
    return s->watches[watch].source;
}

const char *tn_requirement_broken(tn_eval *e, const tn_system *s, const double *memory, int watch)
{
    const tn_requirement_watch *w = &s->watches[watch];
    tn_formula_evaluate_values(w->formula, e, memory);
    for (int k = 0; k < w->count; k++)
        if (tn_formula_value(w->formula, e, k, 0) == 0)
            return s->model->forces[w->source].type->requirements[w->which[k]].message;
    return NULL;
}
