/* Creating and destroying models; name, gravity, parameters and outputs of a model. */
#include "check.h"
#include "components.h"
#include "diag.h"
#include "names.h"
#include "tables.h"
#include "vec.h"
#include "fmi.h"

/* A mark in the ids of a model; it differs between most models, so that foreign ids are recognized. */
static uint8_t owner_mark(const tn_model *model)
{
    uint64_t h = (uint64_t)(uintptr_t)model * 0x9E3779B97F4A7C15u;
    return (uint8_t)(1 + (h >> 32) % 255);
}

static int add_ground(tn_model *model)
{
    tn_id id;
    TN_TRY(tn_table_add(&id, model, TN_KIND_BODY, NULL, "ground", TN_NOWHERE));
    model->bodies[id.index].pose = tn_pose_identity();
    model->bodies[id.index].placed = true;
    return TN_OK;
}

static int fill(tn_model *model)
{
    model->arena = tn_arena_create(model->context);
    if (!model->arena)
        return TN_ERROR_MEMORY;
    model->owner = owner_mark(model);
    model->solve = tn_solve_default();
    model->expect.energy = model->expect.drift = model->expect.tolerance = NAN;
    TN_TRY(tn_names_create(&model->names, model->context));
    TN_TRY(tn_model_set_name(model, ""));
    return add_ground(model);
}

int tn_model_create(tn_model **out, tn_context *context, int dimension)
{
    *out = NULL;
    if (dimension != 2 && dimension != 3)
        return tn_fail(context, TN_ERROR_ARGUMENT, TN_NOWHERE, "dimension %d must be 2 or 3", dimension);
    tn_model *model = tn_alloc(context, 1, sizeof *model);
    if (!model)
        return TN_ERROR_MEMORY;
    model->context = context;
    model->dimension = dimension;
    int code = fill(model);
    if (code < 0) {
        tn_model_destroy(model);
        return code;
    }
    *out = model;
    return TN_OK;
}

void tn_model_destroy(tn_model *model)
{
    if (!model)
        return;
    tn_context *context = model->context;
    for (size_t i = 0; i < model->body_count; i++)
        tn_body_free_shapes(context, &model->bodies[i]);
    tn_free(context, model->bodies);
    tn_free(context, model->frames);
    tn_free(context, model->joints);
    tn_free(context, model->limits);
    tn_free(context, model->forces);
    tn_free(context, model->contacts);
    tn_free(context, model->triggers);
    for (size_t i = 0; i < model->subsystem_count; i++) {
        tn_subsystem_drop_component(&model->subsystems[i]);
        tn_free(context, model->subsystems[i].ports);
    }
    tn_free(context, model->subsystems);
    tn_free(context, model->parameters);
    tn_free(context, model->outputs);
    tn_free(context, model->conditions);
    tn_free(context, model->events);
    tn_free(context, model->groups);
    tn_free(context, model->own_types);
    tn_free(context, model->own_devices);
    for (size_t i = 0; i < model->fmu_count; i++)
        tn_fmi_release(model->fmus[i]);
    tn_free(context, model->fmus);
    for (size_t i = 0; i < model->table_count; i++) {
        tn_curve_destroy(model->tables[i].curve);
        tn_grid_destroy(model->tables[i].surface);
    }
    tn_free(context, model->tables);
    tn_free(context, model->expect.columns);
    tn_names_destroy(model->names);
    tn_origin_release(model->origin);
    tn_amendment_release(model->amendments);
    tn_arena_destroy(model->arena);
    tn_free(context, model);
}

const char *tn_model_name(const tn_model *model)
{
    return model->name;
}

int tn_model_set_name(tn_model *model, const char *name)
{
    char *copy = tn_arena_strdup(model->arena, name ? name : "");
    if (!copy)
        return TN_ERROR_MEMORY;
    model->name = copy;
    return TN_OK;
}

int tn_model_dimension(const tn_model *model)
{
    return model->dimension;
}

void tn_model_set_gravity(tn_model *model, const double gravity[3])
{
    tn_copy3(model->gravity, gravity);
    if (model->dimension == 2)
        model->gravity[2] = 0;
}

void tn_model_gravity(double gravity[3], const tn_model *model)
{
    tn_copy3(gravity, model->gravity);
}

size_t tn_model_parameter_count(const tn_model *model)
{
    return model->parameter_count;
}

tn_parameter_value tn_model_parameter(const tn_model *model, size_t index)
{
    return index < model->parameter_count ? model->parameters[index] : (tn_parameter_value){ 0 };
}

int tn_model_add_parameter(tn_model *model, const tn_parameter_value *value)
{
    TN_TRY(tn_grow(model->context, &model->parameters, &model->parameter_capacity, model->parameter_count + 1,
                   sizeof *model->parameters));
    tn_parameter_value own = *value;
    TN_TRY(tn_own_text(model->arena, &own.name));
    TN_TRY(tn_own_text(model->arena, &own.unit));
    TN_TRY(tn_own_text(model->arena, &own.given));
    TN_TRY(tn_own_text(model->arena, &own.choices));
    TN_TRY(tn_own_text(model->arena, &own.written));
    TN_TRY(tn_own_text(model->arena, &own.shown));
    if (!own.shown)
        own.shown = own.unit;
    model->parameters[model->parameter_count++] = own;
    return TN_OK;
}

/* Drops choices of variants; of one entity, or (NULL) of all that are gone. */
static void drop_choices(tn_model *model, const char *path)
{
    size_t kept = 0;
    for (size_t k = 0; k < model->parameter_count; k++) {
        const tn_parameter_value *p = &model->parameters[k];
        char owner[TN_PATH_SIZE];
        const char *point = strrchr(p->name, '.');
        snprintf(owner, sizeof owner, "%.*s", point ? (int)(point - p->name) : 0, p->name);
        bool goes = p->choices && (path ? strcmp(owner, path) == 0 : tn_model_find(model, owner).kind == TN_KIND_NONE);
        if (!goes)
            model->parameters[kept++] = *p;
    }
    model->parameter_count = kept;
}

void tn_model_forget_variant(tn_model *model, const char *path)
{
    drop_choices(model, path);
}

void tn_model_prune_variants(tn_model *model)
{
    drop_choices(model, NULL);
}

int tn_model_set_gravity_expression(tn_model *model, int component, const tn_expression *expression)
{
    if (component < 0 || component >= model->dimension)
        return tn_fail(model->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "gravity has no component %d", component);
    const tn_expression *copy = tn_expression_copy(model->arena, expression);
    if (!copy)
        return TN_ERROR_MEMORY;
    model->gravity_text[component] = *copy;
    return TN_OK;
}

int tn_model_add_output_at(tn_model *model, const char *channel, const char *expression, const char *owner,
                           tn_span span)
{
    if (!channel || !*channel)
        return tn_fail(model->context, TN_ERROR_MODEL, span, "an output needs the name of a channel");
    TN_TRY(tn_grow(model->context, &model->outputs, &model->output_capacity, model->output_count + 1,
                   sizeof *model->outputs));
    tn_output output = { .channel = channel, .expression = expression, .owner = owner, .span = span };
    TN_TRY(tn_own_text(model->arena, &output.channel));
    TN_TRY(tn_own_text(model->arena, &output.expression));
    TN_TRY(tn_own_text(model->arena, &output.owner));
    model->outputs[model->output_count++] = output;
    return TN_OK;
}

int tn_model_add_condition_at(tn_model *model, const tn_model_condition *condition)
{
    tn_model_condition own = *condition;
    TN_TRY(tn_grow(model->context, &model->conditions, &model->condition_capacity, model->condition_count + 1,
                   sizeof *model->conditions));
    TN_TRY(tn_own_text(model->arena, &own.channel));
    TN_TRY(tn_own_text(model->arena, &own.owner));
    model->conditions[model->condition_count++] = own;
    return TN_OK;
}

int tn_model_add_output(tn_model *model, const char *channel)
{
    return tn_model_add_output_at(model, channel, NULL, NULL, TN_NOWHERE);
}

int tn_model_add_output_expression(tn_model *model, const char *name, const char *expression)
{
    if (tn_model_find(model, name).kind != TN_KIND_NONE || tn_model_event(model, name))
        return tn_fail(model->context, TN_ERROR_MODEL, TN_NOWHERE, "the name '%s' is already taken", name);
    return tn_model_add_output_at(model, name, expression, NULL, TN_NOWHERE);
}

size_t tn_model_output_count(const tn_model *model)
{
    return model->output_count;
}

const char *tn_model_output(const tn_model *model, size_t index)
{
    return index < model->output_count ? model->outputs[index].channel : NULL;
}

void tn_text_free(tn_context *context, char *text)
{
    tn_free(context, text);
}
