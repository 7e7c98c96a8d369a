/* Device types that a model defines itself: copies, comparison, checks. */
#include "devices.h"

#include <string.h>
#include "check.h"
#include "diag.h"
#include "fmi.h"
#include "tables.h"

/* Calls visit for every text of a type; stops at the first error. */
typedef int (*text_visitor)(void *user, const char **text);

static int visit_flows(tn_flow_decl *flows, size_t count, text_visitor visit, void *user)
{
    for (size_t k = 0; k < count; k++) {
        TN_TRY(visit(user, &flows[k].port));
        TN_TRY(visit(user, &flows[k].name));
        TN_TRY(visit(user, &flows[k].expression));
    }
    return TN_OK;
}

static int visit_force_texts(tn_force_type *type, text_visitor visit, void *user)
{
    TN_TRY(visit(user, &type->name));
    TN_TRY(visit(user, &type->doc));
    for (size_t k = 0; k < TN_FORCE_PARAMETERS; k++) {
        TN_TRY(visit(user, &type->parameters[k].name));
        TN_TRY(visit(user, &type->parameters[k].unit));
        TN_TRY(visit(user, &type->parameters[k].doc));
        TN_TRY(visit(user, &type->parameters[k].as_built));
    }
    for (size_t k = 0; k < TN_FORCE_REQUIREMENTS; k++) {
        TN_TRY(visit(user, &type->requirements[k].condition));
        TN_TRY(visit(user, &type->requirements[k].message));
    }
    for (size_t k = 0; k < TN_FORCE_EFFORTS; k++)
        TN_TRY(visit(user, &type->effort[k]));
    for (size_t k = 0; k < TN_FORCE_STATES; k++) {
        TN_TRY(visit(user, &type->states[k].name));
        TN_TRY(visit(user, &type->states[k].unit));
        TN_TRY(visit(user, &type->states[k].start));
        TN_TRY(visit(user, &type->states[k].rate));
    }
    for (size_t k = 0; k < TN_FORCE_CHANNELS; k++) {
        TN_TRY(visit(user, &type->channels[k].name));
        TN_TRY(visit(user, &type->channels[k].unit));
        TN_TRY(visit(user, &type->channels[k].expression));
    }
    return TN_OK;
}

static int visit_network_texts(tn_device *d, text_visitor visit, void *user)
{
    TN_TRY(visit(user, &d->family));
    for (size_t k = 0; k < TN_DEVICE_PORTS; k++) {
        TN_TRY(visit(user, &d->ports[k].name));
        TN_TRY(visit(user, &d->ports[k].domain));
        TN_TRY(visit(user, &d->ports[k].doc));
    }
    for (size_t k = 0; k < TN_DEVICE_UNKNOWNS; k++) {
        TN_TRY(visit(user, &d->unknowns[k].name));
        TN_TRY(visit(user, &d->unknowns[k].unit));
        TN_TRY(visit(user, &d->unknowns[k].guess));
        TN_TRY(visit(user, &d->equations[k]));
    }
    TN_TRY(visit_flows(d->flows, TN_DEVICE_FLOWS, visit, user));
    TN_TRY(visit_flows(d->stores, TN_DEVICE_STORES, visit, user));
    return visit_flows(d->starts, TN_DEVICE_STARTS, visit, user);
}

static int visit_hybrid_texts(tn_device *d, text_visitor visit, void *user)
{
    const char **single[] = { &d->period, &d->offset, &d->start_mode, &d->hold_mode, &d->hold_port, &d->stored, &d->loss, &d->supplied, &d->history };
    for (size_t k = 0; k < TN_DEVICE_MEMORIES; k++) {
        TN_TRY(visit(user, &d->memories[k].name));
        TN_TRY(visit(user, &d->memories[k].unit));
        TN_TRY(visit(user, &d->memories[k].start));
        TN_TRY(visit(user, &d->memories[k].next));
    }
    for (size_t k = 0; k < TN_DEVICE_MODES; k++)
        TN_TRY(visit(user, &d->modes[k]));
    for (size_t k = 0; k < TN_DEVICE_SWITCHES; k++) {
        TN_TRY(visit(user, &d->switches[k].from));
        TN_TRY(visit(user, &d->switches[k].to));
        TN_TRY(visit(user, &d->switches[k].when));
    }
    for (size_t k = 0; k < TN_LENGTH(single); k++)
        TN_TRY(visit(user, single[k]));
    return TN_OK;
}

static int own_visited(void *user, const char **text)
{
    return tn_own_text(user, text);
}

const tn_force_type *tn_device_type_copy(tn_arena *arena, const tn_force_type *type)
{
    tn_force_type *copy = tn_arena_alloc(arena, 1, sizeof *copy);
    tn_device *device = tn_arena_alloc(arena, 1, sizeof *device);
    if (!copy || !device)
        return NULL;
    *copy = *type;
    *device = *type->device;
    copy->device = device;
    bool good = visit_force_texts(copy, own_visited, arena) == TN_OK &&
                visit_network_texts(device, own_visited, arena) == TN_OK &&
                visit_hybrid_texts(device, own_visited, arena) == TN_OK;
    return good ? copy : NULL;
}

/* All texts of a type in the order of visiting. */
typedef struct text_list {
    const char *items[1024];
    size_t count;
} text_list;

static int list_visited(void *user, const char **text)
{
    text_list *list = user;
    if (list->count < TN_LENGTH(list->items))
        list->items[list->count++] = *text;
    return TN_OK;
}

static void list_texts(text_list *out, const tn_force_type *type)
{
    tn_force_type copy = *type;
    tn_device device = *type->device;
    out->count = 0;
    visit_force_texts(&copy, list_visited, out);
    visit_network_texts(&device, list_visited, out);
    visit_hybrid_texts(&device, list_visited, out);
}

bool tn_device_type_same(const tn_force_type *a, const tn_force_type *b)
{
    text_list first, second;
    list_texts(&first, a);
    list_texts(&second, b);
    bool same = first.count == second.count;
    for (size_t k = 0; k < first.count && same; k++)
        same = (!first.items[k] && !second.items[k]) ||
               (first.items[k] && second.items[k] && strcmp(first.items[k], second.items[k]) == 0);
    if (!a->device->external != !b->device->external ||
        (a->device->external && !tn_fmi_same(a->device->external, b->device->external)))
        return false;
    same = same && a->device->shift == b->device->shift;
    for (size_t k = 0; k < TN_FORCE_PARAMETERS && same && a->parameters[k].name; k++)
        same = memcmp(&a->parameters[k].initial, &b->parameters[k].initial, sizeof(double)) == 0;
    return same;
}

int tn_model_add_fmu(tn_model *model, const tn_force_type *type)
{
    const tn_force_type *copy = tn_device_type_copy(model->arena, type);
    if (!copy)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_grow(model->context, &model->own_devices, &model->own_device_capacity, model->own_device_count + 1,
                   sizeof *model->own_devices));
    TN_TRY(tn_grow(model->context, &model->fmus, &model->fmu_capacity, model->fmu_count + 1, sizeof *model->fmus));
    model->fmus[model->fmu_count++] = tn_fmi_retain(type->device->external);
    size_t k = 0;
    while (k < model->own_device_count && strcmp(model->own_devices[k]->name, type->name) != 0)
        k++;
    model->own_devices[k] = copy;
    model->own_device_count += k == model->own_device_count;
    return TN_OK;
}

/* Reports names of one kind that occur twice in the type. */
static void check_names(tn_check *check, const tn_force_type *type)
{
    const char *names[TN_FORCE_PARAMETERS + TN_FORCE_STATES + TN_DEVICE_UNKNOWNS + TN_FORCE_CHANNELS + TN_DEVICE_PORTS +
                      TN_DEVICE_MEMORIES];
    size_t count = 0;
    for (size_t k = 0; k < TN_FORCE_PARAMETERS && type->parameters[k].name; k++)
        names[count++] = type->parameters[k].name;
    for (size_t k = 0; k < TN_FORCE_STATES && type->states[k].name; k++)
        names[count++] = type->states[k].name;
    for (size_t k = 0; k < TN_DEVICE_UNKNOWNS && type->device->unknowns[k].name; k++)
        names[count++] = type->device->unknowns[k].name;
    for (size_t k = 0; k < TN_FORCE_CHANNELS && type->channels[k].name; k++)
        names[count++] = type->channels[k].name;
    for (size_t k = 0; k < TN_DEVICE_PORTS && type->device->ports[k].name; k++)
        names[count++] = type->device->ports[k].name;
    for (size_t k = 0; k < TN_DEVICE_MEMORIES && type->device->memories[k].name; k++)
        names[count++] = type->device->memories[k].name;
    for (size_t k = 0; k < count; k++)
        for (size_t n = 0; n < k; n++)
            if (strcmp(names[k], names[n]) == 0)
                tn_complain(check, "'%s' is declared twice", names[k]);
}

static void check_network(tn_check *check, const tn_device *d)
{
    int unknowns = 0, equations = 0;
    while (unknowns < TN_DEVICE_UNKNOWNS && d->unknowns[unknowns].name)
        unknowns++;
    while (equations < TN_DEVICE_UNKNOWNS && d->equations[equations])
        equations++;
    if (unknowns != equations)
        tn_complain(check, "there are %d unknowns and %d equations: there must be as many equations as unknowns", unknowns,
                    equations);
}

int tn_model_add_device_type_at(tn_model *model, const tn_force_type *type, tn_span span)
{
    tn_check check = { model, model->context, span, "device type", type->name, TN_OK };
    if (tn_check_spelling(&check) && tn_model_device_type(model, NULL, type->name))
        tn_complain(&check, "the type is defined already: choose another name");
    check_names(&check, type);
    check_network(&check, type->device);
    TN_TRY(check.code);
    const tn_force_type *copy = tn_device_type_copy(model->arena, type);
    if (!copy)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_grow(model->context, &model->own_devices, &model->own_device_capacity, model->own_device_count + 1,
                   sizeof *model->own_devices));
    model->own_devices[model->own_device_count++] = copy;
    return TN_OK;
}
