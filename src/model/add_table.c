/* Adding tables, which expressions call like functions, to a model. */
#include "check.h"
#include "diag.h"
#include "units.h"
#include <string.h>

static bool take_unit(tn_check *check, const char *role, const char *unit, tn_dim *dim)
{
    double factor;
    if (!unit)
        return false;
    if (tn_unit_parse(unit, strlen(unit), &factor, dim) < 0)
        tn_complain(check, "'%.40s' of %s is not a unit", unit, role);
    return true;
}

static void check_table_name(tn_check *check)
{
    if (!tn_check_spelling(check))
        return;
    for (size_t k = 0; k < check->model->table_count; k++)
        if (strcmp(check->model->tables[k].name, check->name) == 0)
            tn_complain(check, "the name is already taken by a table: choose another");
    for (size_t k = 0; k < check->model->parameter_count; k++)
        if (strcmp(check->model->parameters[k].name, check->name) == 0)
            tn_complain(check, "the name is already taken by a parameter: choose another");
}

int tn_model_add_table_at(tn_model *model, const char *name, const tn_table_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "table", name, TN_OK };
    tn_model_table table = { 0 };
    tn_curve_error error;
    check_table_name(&check);
    table.x_known = take_unit(&check, "x", def->x_unit, &table.x_dim);
    table.y_known = take_unit(&check, "y", def->y_unit, &table.y_dim);
    TN_TRY(check.code);
    TN_TRY(tn_grow(model->context, &model->tables, &model->table_capacity, model->table_count + 1,
                   sizeof *model->tables));
    table.z_known = take_unit(&check, "z", def->z_unit, &table.z_dim);
    TN_TRY(check.code);
    table.name = tn_arena_strdup(model->arena, name);
    if (!table.name)
        return TN_ERROR_MEMORY;
    const tn_curve_outside outside = def->extend ? TN_CURVE_EXTEND : TN_CURVE_HOLD;
    const tn_grid_def grid = { .x = def->x, .y = def->y, .z = def->z, .x_count = (int)def->count, .y_count = (int)def->y_count,
                                  .kind = def->kind, .outside = outside };
    const tn_curve_def points = { .x = def->x, .y = def->y, .count = (int)def->count, .kind = def->kind, .outside = outside };
    int code = def->z ? tn_grid_create(&table.surface, model->context, &grid, &error)
                      : tn_curve_create(&table.curve, model->context, &points, &error);
    if (code == TN_ERROR_MODEL)
        tn_complain(&check, "%s", error.message);
    TN_TRY(code);
    model->tables[model->table_count++] = table;
    return TN_OK;
}

int tn_model_add_table(tn_model *model, const char *name, const tn_table_def *def)
{
    return tn_model_add_table_at(model, name, def, TN_NOWHERE);
}
