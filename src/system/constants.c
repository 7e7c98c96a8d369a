/* Names in expressions that do not depend on the motion: time, parameters and tables. */
#include <string.h>
#include "program.h"
#include "units.h"

static tn_symbol table_symbol(const tn_model_table *t)
{
    return (tn_symbol){ .kind = TN_SYMBOL_CURVE, .curve = t->curve, .surface = t->surface, .dim = t->surface ? t->z_dim : t->y_dim,
                        .dim_known = t->surface ? t->z_known : t->y_known, .dim_in = t->x_dim, .dim_in_known = t->x_known,
                        .dim_in2 = t->y_dim, .dim_in2_known = t->surface && t->y_known };
}

static tn_symbol find_constants(const tn_model *model, const char *name)
{
    double factor;
    for (size_t k = 0; k < model->parameter_count; k++) {
        const tn_parameter_value *p = &model->parameters[k];
        if (strcmp(p->name, name) != 0)
            continue;
        tn_symbol symbol = { .kind = TN_SYMBOL_CONSTANT, .value = p->value };
        symbol.dim_known = p->unit && tn_unit_parse(p->unit, strlen(p->unit), &factor, &symbol.dim) == 0;
        return symbol;
    }
    for (size_t k = 0; k < model->table_count; k++)
        if (strcmp(model->tables[k].name, name) == 0)
            return table_symbol(&model->tables[k]);
    return (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
}

tn_symbol tn_constant_symbol(const tn_viewpoint *from, const char *name)
{
    char path[TN_PATH_SIZE];
    if (strcmp(name, "t") == 0)
        return (tn_symbol){ .kind = TN_SYMBOL_TIME, .dim = TN_DIM_TIME, .dim_known = true };
    return find_constants(from->model, tn_path_within(path, from->entity, name) ? path : name);
}

const char *tn_name_from(const tn_viewpoint *from, const char *path)
{
    const char *dot = from->entity ? strrchr(from->entity, '.') : NULL;
    size_t n = dot ? (size_t)(dot - from->entity) : 0;
    return dot && strncmp(path, from->entity, n + 1) == 0 ? path + n + 1 : path;
}

const char *tn_constant_candidate(const tn_viewpoint *from, size_t index)
{
    const tn_model *model = from->model;
    if (index < model->parameter_count)
        return tn_name_from(from, model->parameters[index].name);
    index -= model->parameter_count;
    return index < model->table_count ? tn_name_from(from, model->tables[index].name) : NULL;
}

/* A named expression ("let") as seen from an entity; in it the same names are known as around it. */
static tn_symbol named_expression(const tn_scope *scope, const char *name)
{
    const tn_viewpoint *from = scope->user;
    char path[TN_PATH_SIZE];
    tn_id id = tn_model_find(from->model, tn_path_within(path, from->entity, name) ? path : name);
    const tn_force *force = id.kind == TN_KIND_FORCE ? &from->model->forces[id.index] : NULL;
    if (!force || !force->type->named)
        return (tn_symbol){ .kind = TN_SYMBOL_UNKNOWN };
    return force->expressions && force->expressions[0]
               ? (tn_symbol){ .kind = TN_SYMBOL_TEXT, .text = force->expressions[0]->text, .scope = scope, .memory = -1 }
               : (tn_symbol){ .kind = TN_SYMBOL_CONSTANT, .value = force->parameters[0] };
}

static tn_symbol lookup(const tn_scope *scope, const char *name)
{
    tn_symbol symbol = tn_constant_symbol(scope->user, name);
    return symbol.kind == TN_SYMBOL_UNKNOWN ? named_expression(scope, name) : symbol;
}

static const char *candidate(const tn_scope *scope, size_t index)
{
    return tn_constant_candidate(scope->user, index);
}

tn_scope tn_constant_scope(const tn_viewpoint *from)
{
    return (tn_scope){ .lookup = lookup, .candidate = candidate, .user = from };
}
