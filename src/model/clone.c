/* Copies of whole models: tables in bulk, then everything they point at into the copy's own arena. Free slots stay
 * where they are, so that ids and the order of entities are the same. */
#include "check.h"
#include "devices.h"
#include "groups.h"
#include "fmi_ports.h"
#include "tenon/library.h"
#include "names.h"
#include "tables.h"
#include "tn_assert.h"
#include "fmi.h"

#include <string.h>

typedef struct cloner {
    const tn_model *from;
    tn_model *to;
    const char *file, *own_file;       /* of the last span: most stand in the same file */
} cloner;

static void *copy_array(tn_context *context, const void *array, size_t count, size_t size)
{
    void *copy = tn_alloc(context, count, size);
    if (copy && count > 0)
        memcpy(copy, array, count * size);
    return copy;
}

/* ---- pieces ---- */

static int own_span(cloner *c, tn_span *span)
{
    if (!span->file)
        return TN_OK;
    if (span->file != c->file) {
        c->own_file = tn_arena_strdup(c->to->arena, span->file);
        if (!c->own_file)
            return TN_ERROR_MEMORY;
        c->file = span->file;
    }
    span->file = c->own_file;
    return TN_OK;
}

static int own_entity(cloner *c, tn_entity *entity)
{
    TN_TRY(tn_own_text(c->to->arena, &entity->name));
    return own_span(c, &entity->span);
}

static int own_expression_texts(cloner *c, tn_expression *expression)
{
    TN_TRY(tn_own_text(c->to->arena, &expression->name));
    TN_TRY(tn_own_text(c->to->arena, &expression->text));
    return own_span(c, &expression->span);
}

/* Replaces an expression by a copy; NULL stays NULL. */
static int own_expression(cloner *c, const tn_expression **expression)
{
    if (!*expression)
        return TN_OK;
    tn_expression *copy = tn_arena_alloc(c->to->arena, 1, sizeof *copy);
    if (!copy)
        return TN_ERROR_MEMORY;
    *copy = **expression;
    *expression = copy;
    return own_expression_texts(c, copy);
}

/* ---- entities ---- */

static int clone_bodies(cloner *c)
{
    tn_model *to = c->to;
    to->bodies = copy_array(to->context, c->from->bodies, c->from->body_count, sizeof *to->bodies);
    if (!to->bodies)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < c->from->body_count; i++) {
        to->bodies[i].shapes = to->bodies[i].looks = NULL;
        to->bodies[i].shape_count = to->bodies[i].look_count = 0;
    }
    to->body_count = to->body_capacity = c->from->body_count;
    for (size_t i = 0; i < to->body_count; i++) {
        const tn_body *from = &c->from->bodies[i];
        tn_body *body = &to->bodies[i];
        if (!body->entity.alive)
            continue;
        TN_TRY(own_entity(c, &body->entity));
        TN_TRY(tn_shapes_clone(&body->shapes, to->context, from->shapes, from->shape_count));
        body->shape_count = from->shape_count;
        TN_TRY(tn_shapes_clone(&body->looks, to->context, from->looks, from->look_count));
        body->look_count = from->look_count;
    }
    return TN_OK;
}

static int clone_frames(cloner *c)
{
    tn_model *to = c->to;
    to->frames = copy_array(to->context, c->from->frames, c->from->frame_count, sizeof *to->frames);
    if (!to->frames)
        return TN_ERROR_MEMORY;
    to->frame_count = to->frame_capacity = c->from->frame_count;
    for (size_t i = 0; i < to->frame_count; i++) {
        tn_frame *frame = &to->frames[i];
        if (!frame->entity.alive)
            continue;
        size_t owner = (size_t)(frame->entity.name - frame->path);
        TN_TRY(tn_own_text(to->arena, &frame->path));
        TN_TRY(own_span(c, &frame->entity.span));
        frame->entity.name = frame->path + owner;
    }
    return TN_OK;
}

static const tn_joint_type *own_type(const cloner *c, const tn_joint_type *type)
{
    for (size_t k = 0; k < c->from->own_type_count; k++)
        if (c->from->own_types[k] == type)
            return c->to->own_types[k];
    return type;
}

static int own_joint(cloner *c, tn_joint *joint)
{
    const struct tn_joint_term *terms = joint->terms;
    joint->type = own_type(c, joint->type);
    TN_TRY(own_entity(c, &joint->entity));
    if (!terms)
        return TN_OK;
    joint->terms = tn_arena_alloc(c->to->arena, joint->term_count, sizeof *terms);
    if (!joint->terms)
        return TN_ERROR_MEMORY;
    memcpy(joint->terms, terms, joint->term_count * sizeof *terms);
    for (size_t k = 0; k < joint->term_count; k++)
        TN_TRY(own_expression(c, &joint->terms[k].motion));
    return TN_OK;
}

static int clone_triggers(cloner *c)
{
    tn_model *to = c->to;
    to->triggers = copy_array(to->context, c->from->triggers, c->from->trigger_count, sizeof *to->triggers);
    if (!to->triggers)
        return TN_ERROR_MEMORY;
    to->trigger_count = to->trigger_capacity = c->from->trigger_count;
    for (size_t k = 0; k < to->trigger_count; k++)
        TN_TRY(own_expression_texts(c, &to->triggers[k].latch.when));
    return TN_OK;
}

static int clone_joints(cloner *c)
{
    tn_model *to = c->to;
    to->joints = copy_array(to->context, c->from->joints, c->from->joint_count, sizeof *to->joints);
    if (!to->joints)
        return TN_ERROR_MEMORY;
    to->joint_count = to->joint_capacity = c->from->joint_count;
    for (size_t i = 0; i < to->joint_count; i++)
        if (to->joints[i].entity.alive)
            TN_TRY(own_joint(c, &to->joints[i]));
    to->limits = copy_array(to->context, c->from->limits, c->from->limit_count, sizeof *to->limits);
    if (!to->limits)
        return TN_ERROR_MEMORY;
    to->limit_count = to->limit_capacity = c->from->limit_count;
    return TN_OK;
}

static const tn_force_type *own_device_type(const cloner *c, const tn_force_type *type)
{
    for (size_t k = 0; k < c->from->own_device_count; k++)
        if (c->from->own_devices[k] == type)
            return c->to->own_devices[k];
    return type;
}

static int own_ports(cloner *c, tn_force *force)
{
    const tn_expression **ports = force->ports;
    if (!ports)
        return TN_OK;
    force->ports = tn_arena_alloc(c->to->arena, TN_DEVICE_PORTS, sizeof *ports);
    if (!force->ports)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < TN_DEVICE_PORTS; k++) {
        force->ports[k] = ports[k];
        TN_TRY(own_expression(c, &force->ports[k]));
    }
    return TN_OK;
}

static int own_force(cloner *c, tn_force *force)
{
    tn_arena *arena = c->to->arena;
    size_t count = tn_force_parameter_count(force->type);
    const double *parameters = force->parameters;
    const tn_expression **expressions = force->expressions;
    force->type = own_device_type(c, force->type);
    TN_TRY(own_entity(c, &force->entity));
    TN_TRY(tn_own_text(arena, &force->unit));
    force->parameters = tn_arena_alloc(arena, count, sizeof *parameters);
    if (!force->parameters)
        return TN_ERROR_MEMORY;
    memcpy(force->parameters, parameters, count * sizeof *parameters);
    TN_TRY(own_ports(c, force));
    if (!expressions)
        return TN_OK;
    force->expressions = tn_arena_alloc(arena, count, sizeof *expressions);
    if (!force->expressions)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        force->expressions[k] = expressions[k];
        TN_TRY(own_expression(c, &force->expressions[k]));
    }
    return TN_OK;
}

static int clone_forces(cloner *c)
{
    tn_model *to = c->to;
    to->forces = copy_array(to->context, c->from->forces, c->from->force_count, sizeof *to->forces);
    if (!to->forces)
        return TN_ERROR_MEMORY;
    to->force_count = to->force_capacity = c->from->force_count;
    for (size_t i = 0; i < to->force_count; i++)
        if (to->forces[i].entity.alive)
            TN_TRY(own_force(c, &to->forces[i]));
    return TN_OK;
}

static int clone_contacts(cloner *c)
{
    tn_model *to = c->to;
    to->contacts = copy_array(to->context, c->from->contacts, c->from->contact_count, sizeof *to->contacts);
    if (!to->contacts)
        return TN_ERROR_MEMORY;
    to->contact_count = to->contact_capacity = c->from->contact_count;
    for (size_t i = 0; i < to->contact_count; i++) {
        tn_contact *contact = &to->contacts[i];
        if (!contact->entity.alive)
            continue;
        const uint32_t *bodies = contact->bodies;
        contact->bodies = tn_arena_alloc(to->arena, contact->body_count, sizeof *bodies);
        if (!contact->bodies)
            return TN_ERROR_MEMORY;
        memcpy(contact->bodies, bodies, contact->body_count * sizeof *bodies);
        TN_TRY(tn_own_materials(to->arena, &contact->law));
        TN_TRY(own_entity(c, &contact->entity));
    }
    return TN_OK;
}

static int own_numbers(cloner *c, const double **numbers, size_t count)
{
    double *copy = tn_arena_alloc(c->to->arena, count, sizeof *copy);
    if (copy && count > 0)
        memcpy(copy, *numbers, count * sizeof *copy);
    *numbers = copy;
    return copy ? TN_OK : TN_ERROR_MEMORY;
}

static int own_subsystem(cloner *c, tn_subsystem *subsystem, const tn_subsystem *from)
{
    TN_TRY(own_entity(c, &subsystem->entity));
    TN_TRY(tn_own_text(c->to->arena, &subsystem->file));
    TN_TRY(tn_own_text(c->to->arena, &subsystem->solve_keys));
    subsystem->ports = copy_array(c->to->context, from->ports, from->port_count, sizeof *from->ports);
    if (!subsystem->ports)
        return TN_ERROR_MEMORY;
    subsystem->port_count = subsystem->port_capacity = from->port_count;
    for (size_t k = 0; k < subsystem->port_count; k++) {
        TN_TRY(tn_own_text(c->to->arena, &subsystem->ports[k].name));
        TN_TRY(own_span(c, &subsystem->ports[k].span));
    }
    TN_TRY(own_numbers(c, &subsystem->parameters, from->type ? (size_t)from->type->parameter_count : 0));
    TN_TRY(own_span(c, &subsystem->solve_span));
    return from->solve ? tn_subsystem_set_solve(subsystem, c->to->arena, from->solve, subsystem->solve_span) : TN_OK;
}

static int clone_subsystems(cloner *c)
{
    tn_model *to = c->to;
    size_t count = c->from->subsystem_count;
    to->subsystems = copy_array(to->context, c->from->subsystems, count, sizeof *to->subsystems);
    if (!to->subsystems)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        to->subsystems[i].ports = NULL;
        to->subsystems[i].port_count = to->subsystems[i].port_capacity = 0;
        if (to->subsystems[i].library)
            tn_library_hold(to->subsystems[i].library);
        if (to->subsystems[i].fmu)
            tn_fmi_ports_retain(to->subsystems[i].fmu);
    }
    to->subsystem_count = to->subsystem_capacity = count;
    for (size_t i = 0; i < count; i++)
        if (to->subsystems[i].entity.alive)
            TN_TRY(own_subsystem(c, &to->subsystems[i], &c->from->subsystems[i]));
    return TN_OK;
}

static const char *path_in(const void *model, tn_id id)
{
    return tn_table_path(model, (tn_kind)id.kind, id.index);
}

/* ---- the rest ---- */

static int clone_types(cloner *c)
{
    tn_model *to = c->to;
    size_t count = c->from->own_type_count;
    to->own_types = tn_alloc(to->context, count, sizeof *to->own_types);
    if (!to->own_types)
        return TN_ERROR_MEMORY;
    to->own_type_count = to->own_type_capacity = count;
    for (size_t k = 0; k < count; k++) {
        to->own_types[k] = tn_joint_type_copy(to->arena, c->from->own_types[k]);
        if (!to->own_types[k])
            return TN_ERROR_MEMORY;
    }
    to->fmus = tn_alloc(to->context, c->from->fmu_count, sizeof *to->fmus);
    if (!to->fmus)
        return TN_ERROR_MEMORY;
    to->fmu_capacity = c->from->fmu_count;
    for (size_t k = 0; k < c->from->fmu_count; k++)
        to->fmus[to->fmu_count++] = tn_fmi_retain(c->from->fmus[k]);
    count = c->from->own_device_count;
    to->own_devices = tn_alloc(to->context, count, sizeof *to->own_devices);
    if (!to->own_devices)
        return TN_ERROR_MEMORY;
    to->own_device_count = to->own_device_capacity = count;
    for (size_t k = 0; k < count; k++)
        if (!(to->own_devices[k] = tn_device_type_copy(to->arena, c->from->own_devices[k])))
            return TN_ERROR_MEMORY;
    return TN_OK;
}

static int clone_tables(cloner *c)
{
    tn_model *to = c->to;
    to->tables = tn_alloc(to->context, c->from->table_count, sizeof *to->tables);
    if (!to->tables)
        return TN_ERROR_MEMORY;
    to->table_capacity = c->from->table_count;
    for (size_t k = 0; k < c->from->table_count; k++) {
        tn_model_table *table = &to->tables[k];
        *table = c->from->tables[k];
        table->curve = NULL;
        table->surface = NULL;
        to->table_count++;
        TN_TRY(c->from->tables[k].surface ? tn_grid_clone(&table->surface, c->from->tables[k].surface)
                                          : tn_curve_clone(&table->curve, c->from->tables[k].curve));
        TN_TRY(tn_own_text(to->arena, &table->name));
    }
    return TN_OK;
}

static int clone_parameters(cloner *c)
{
    for (size_t k = 0; k < c->from->parameter_count; k++)
        TN_TRY(tn_model_add_parameter(c->to, &c->from->parameters[k]));
    return TN_OK;
}

static int clone_outputs(cloner *c)
{
    tn_model *to = c->to;
    to->outputs = copy_array(to->context, c->from->outputs, c->from->output_count, sizeof *to->outputs);
    if (!to->outputs)
        return TN_ERROR_MEMORY;
    to->output_count = to->output_capacity = c->from->output_count;
    for (size_t k = 0; k < to->output_count; k++) {
        TN_TRY(tn_own_text(to->arena, &to->outputs[k].channel));
        TN_TRY(tn_own_text(to->arena, &to->outputs[k].expression));
        TN_TRY(tn_own_text(to->arena, &to->outputs[k].owner));
        TN_TRY(own_span(c, &to->outputs[k].span));
    }
    return TN_OK;
}

static int clone_conditions(cloner *c)
{
    tn_model *to = c->to;
    to->conditions = copy_array(to->context, c->from->conditions, c->from->condition_count, sizeof *to->conditions);
    if (!to->conditions)
        return TN_ERROR_MEMORY;
    to->condition_count = to->condition_capacity = c->from->condition_count;
    for (size_t k = 0; k < to->condition_count; k++) {
        TN_TRY(tn_own_text(to->arena, &to->conditions[k].channel));
        TN_TRY(tn_own_text(to->arena, &to->conditions[k].owner));
        TN_TRY(own_span(c, &to->conditions[k].span));
    }
    return TN_OK;
}

static int own_actions(cloner *c, tn_event_def *def)
{
    const tn_action *from = def->actions;
    tn_action *actions = tn_arena_alloc(c->to->arena, def->action_count, sizeof *actions);
    if (!actions)
        return TN_ERROR_MEMORY;
    def->actions = actions;
    for (size_t k = 0; k < def->action_count; k++) {
        actions[k] = from[k];
        TN_TRY(tn_own_text(c->to->arena, &actions[k].text));
        TN_TRY(own_span(c, &actions[k].span));
    }
    return TN_OK;
}

static int clone_events(cloner *c)
{
    tn_model *to = c->to;
    to->events = copy_array(to->context, c->from->events, c->from->event_count, sizeof *to->events);
    if (!to->events)
        return TN_ERROR_MEMORY;
    to->event_count = to->event_capacity = c->from->event_count;
    for (size_t k = 0; k < to->event_count; k++) {
        tn_event *event = &to->events[k];
        TN_TRY(tn_own_text(to->arena, &event->name));
        TN_TRY(own_span(c, &event->span));
        TN_TRY(tn_own_text(to->arena, &event->def.unit));
        TN_TRY(own_expression_texts(c, &event->def.when));
        TN_TRY(own_actions(c, &event->def));
    }
    return TN_OK;
}

static int clone_expectation(cloner *c)
{
    const tn_expectation *from = &c->from->expect;
    tn_expectation *to = &c->to->expect;
    *to = *from;
    to->column_capacity = from->column_count;
    to->columns = copy_array(c->to->context, from->columns, from->column_count, sizeof *to->columns);
    if (!to->columns)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < to->column_count; k++) {
        TN_TRY(tn_own_text(c->to->arena, &to->columns[k].column));
        TN_TRY(tn_own_text(c->to->arena, &to->columns[k].channel));
        TN_TRY(own_span(c, &to->columns[k].span));
    }
    TN_TRY(tn_own_text(c->to->arena, &to->stop));
    TN_TRY(tn_own_text(c->to->arena, &to->reference));
    return own_span(c, &to->span);
}

static int clone_solve(cloner *c)
{
    c->to->solve = c->from->solve;
    TN_TRY(tn_own_solve(c->to->arena, &c->to->solve));
    c->to->solve_span = c->from->solve_span;
    return own_span(c, &c->to->solve_span);
}

static int clone_gravity(cloner *c)
{
    memcpy(c->to->gravity, c->from->gravity, sizeof c->to->gravity);
    for (size_t k = 0; k < TN_LENGTH(c->to->gravity_text); k++) {
        c->to->gravity_text[k] = c->from->gravity_text[k];
        TN_TRY(own_expression_texts(c, &c->to->gravity_text[k]));
    }
    return TN_OK;
}

static int clone_all(cloner *c)
{
    tn_model *to = c->to;
    to->arena = tn_arena_create(to->context);
    if (!to->arena)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_model_set_name(to, c->from->name));
    TN_TRY(clone_gravity(c));
    TN_TRY(clone_types(c));
    TN_TRY(clone_tables(c));
    TN_TRY(clone_parameters(c));
    TN_TRY(clone_bodies(c));
    TN_TRY(clone_frames(c));
    TN_TRY(clone_joints(c));
    TN_TRY(clone_triggers(c));
    TN_TRY(clone_forces(c));
    TN_TRY(clone_contacts(c));
    TN_TRY(clone_subsystems(c));
    TN_TRY(clone_outputs(c));
    TN_TRY(clone_conditions(c));
    TN_TRY(clone_events(c));
    TN_TRY(tn_groups_clone(to, c->from));
    TN_TRY(clone_expectation(c));
    TN_TRY(clone_solve(c));
    memcpy(to->dead, c->from->dead, sizeof to->dead);
    to->origin = tn_origin_share(c->from->origin);
    to->amendments = tn_amendment_share(c->from->amendments);
    return tn_names_clone(&to->names, c->from->names, path_in, to);
}

int tn_model_clone(tn_model **out, const tn_model *model)
{
    cloner c = { .from = model, .to = tn_alloc(model->context, 1, sizeof *c.to) };
    *out = NULL;
    if (!c.to)
        return TN_ERROR_MEMORY;
    c.to->context = model->context;
    c.to->dimension = model->dimension;
    c.to->owner = model->owner;
    int code = clone_all(&c);
    if (code < 0) {
        tn_model_destroy(c.to);
        return code;
    }
    TN_ASSERT(tn_model_is_sound(c.to));
    *out = c.to;
    return TN_OK;
}
