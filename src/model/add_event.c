/* Adding events to a model: default definition, checks, insertion. */
#include "check.h"
#include "diag.h"
#include <math.h>
#include <string.h>

tn_event_def tn_event_default(const char *when)
{
    return (tn_event_def){ .when = { .text = when }, .touch = NAN };
}

const tn_event *tn_model_event(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < model->event_count; k++)
        if (strcmp(model->events[k].name, name) == 0)
            return &model->events[k];
    return NULL;
}

static void check_distance(tn_check *check, const char *role, double distance)
{
    if (!(distance >= 0) || !isfinite(distance))
        tn_complain(check, "%s %g must not be negative", role, distance);
}

static void check_event(tn_check *check, const tn_event_def *def)
{
    tn_check_name(check);
    if (!def->when.text || !*def->when.text)
        tn_complain(check, "'when' is missing: the expression whose zeros are looked for");
    check_distance(check, "hysteresis", def->hysteresis);
    if (!isnan(def->touch))
        check_distance(check, "touch", def->touch);
    for (size_t k = 0; k < def->action_count; k++)
        if (!def->actions[k].text || !*def->actions[k].text)
            tn_complain(check, "action %zu is empty", k + 1);
}

static const tn_action *copy_actions(tn_arena *arena, const tn_action *actions, size_t count)
{
    tn_action *copy = tn_arena_alloc(arena, count, sizeof *copy);
    for (size_t k = 0; copy && k < count; k++) {
        copy[k] = (tn_action){ tn_arena_strdup(arena, actions[k].text), actions[k].span };
        if (!copy[k].text)
            return NULL;
    }
    return copy;
}

int tn_model_add_event_at(tn_model *model, const char *name, const tn_event_def *def, tn_span span)
{
    tn_check check = { model, model->context, span, "event", name, TN_OK };
    tn_event event = { .span = span, .def = *def };
    check_event(&check, def);
    TN_TRY(check.code);
    TN_TRY(tn_grow(model->context, &model->events, &model->event_capacity, model->event_count + 1,
                   sizeof *model->events));
    const tn_expression *when = tn_expression_copy(model->arena, &def->when);
    event.name = tn_arena_strdup(model->arena, name);
    event.def.unit = def->unit ? tn_arena_strdup(model->arena, def->unit) : NULL;
    event.def.actions = copy_actions(model->arena, def->actions, def->action_count);
    if (!when || !event.name || (def->unit && !event.def.unit) || !event.def.actions)
        return TN_ERROR_MEMORY;
    event.def.when = *when;
    model->events[model->event_count++] = event;
    return TN_OK;
}

int tn_model_add_event(tn_model *model, const char *name, const tn_event_def *def)
{
    return tn_model_add_event_at(model, name, def, TN_NOWHERE);
}
