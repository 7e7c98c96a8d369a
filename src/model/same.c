/* Comparison of two models. Entities are compared in the order of their living slots, and references by name; free
 * slots and positions in files do not count. */
#include "attributes.h"
#include "devices.h"
#include "fmi_ports.h"
#include "groups.h"
#include "joint_limits.h"
#include "libraries.h"
#include "tables.h"

#include <math.h>
#include <string.h>

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_numbers(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_number(a[i], b[i]))
            return false;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_pose(const tn_pose *a, const tn_pose *b)
{
    return same_numbers(a->p, b->p, 3) && same_numbers(a->q, b->q, 4);
}

/* Of parameters, by their place: names do not count. */
static bool same_expression(const tn_expression *a, const tn_expression *b)
{
    return a && b ? same_text(a->text, b->text) : a == b;
}

/* ---- entities ---- */

static bool same_shapes(const tn_shape *a, size_t count, const tn_shape *b, size_t other_count)
{
    if (count != other_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const tn_shape *s = &a[i], *r = &b[i];
        if (s->kind != r->kind || !same_pose(&s->pose, &r->pose) || !same_numbers(s->size, r->size, 3) ||
            !same_number(s->density, r->density) || !same_number(s->mass, r->mass) ||
            s->vertex_count != r->vertex_count || s->triangle_count != r->triangle_count ||
            s->touch != r->touch || s->finish != r->finish || s->colour != r->colour || strcmp(s->material, r->material) != 0)
            return false;
        if (!same_numbers(s->vertices, r->vertices, 3 * s->vertex_count))
            return false;
        if (s->triangle_count > 0 &&
            memcmp(s->triangles, r->triangles, 3 * s->triangle_count * sizeof *s->triangles) != 0)
            return false;
    }
    return true;
}

static bool same_body(const tn_model *m, size_t i, const tn_model *n, size_t j)
{
    const tn_body *a = &m->bodies[i], *b = &n->bodies[j];
    return a->kind == b->kind && same_number(a->mass, b->mass) && same_numbers(a->com, b->com, 3) &&
           same_numbers(a->inertia, b->inertia, 6) && same_pose(&a->pose, &b->pose) && a->placed == b->placed && a->place_free == b->place_free &&
           a->given == b->given &&
           same_numbers(a->velocity, b->velocity, 3) &&
           same_numbers(a->angular_velocity, b->angular_velocity, 3) && same_shapes(a->shapes, a->shape_count, b->shapes, b->shape_count) &&
           same_shapes(a->looks, a->look_count, b->looks, b->look_count);
}

static bool same_frame(const tn_model *m, size_t i, const tn_model *n, size_t j)
{
    const tn_frame *a = &m->frames[i], *b = &n->frames[j];
    return same_text(a->path, b->path) && same_pose(&a->pose, &b->pose);
}

static bool same_place(const tn_model *m, uint32_t body, const tn_pose *frame, const tn_model *n, uint32_t body_n,
                       const tn_pose *frame_n)
{
    return same_text(m->bodies[body].entity.name, n->bodies[body_n].entity.name) && same_pose(frame, frame_n);
}

static bool same_terms(const tn_model *m, const tn_joint *a, const tn_model *n, const tn_joint *b)
{
    if (a->term_count != b->term_count)
        return false;
    for (size_t k = 0; k < a->term_count; k++) {
        const struct tn_joint_term *s = &a->terms[k], *r = &b->terms[k];
        if (!same_text(m->joints[s->joint].entity.name, n->joints[r->joint].entity.name) ||
            s->coordinate != r->coordinate || !same_number(s->factor, r->factor))
            return false;
    }
    return true;
}

static bool same_trigger(const tn_trigger *a, const tn_trigger *b)
{
    if (!a || !b)
        return a == b;
    return tn_attributes_same(tn_fuse_attributes, &a->fuse, &b->fuse) &&
           tn_attributes_same(tn_latch_attributes, &a->latch, &b->latch);
}

/* Types of the same name are the same: a model's own ones are compared by themselves. */
static bool same_joint(const tn_model *m, size_t i, const tn_model *n, size_t j)
{
    const tn_joint *a = &m->joints[i], *b = &n->joints[j];
    return same_text(a->type->name, b->type->name) && same_place(m, a->body1, &a->frame1, n, b->body1, &b->frame1) &&
           same_place(m, a->body2, &a->frame2, n, b->body2, &b->frame2) &&
           same_numbers(a->parameters, b->parameters, TN_JOINT_PARAMETERS) && same_terms(m, a, n, b) &&
           same_expression(tn_joint_motion(a), tn_joint_motion(b)) &&
           tn_limits_same(m, (uint32_t)i, n, (uint32_t)j) &&
           same_numbers(a->start, b->start, TN_MAX_COORDINATES) &&
           same_numbers(a->start_rate, b->start_rate, TN_MAX_COORDINATES) && a->guess == b->guess &&
           same_trigger(tn_model_trigger(m, (uint32_t)i), tn_model_trigger(n, (uint32_t)j));
}

static bool same_force_values(const tn_force *a, const tn_force *b)
{
    size_t count = tn_force_parameter_count(a->type);
    for (size_t k = 0; k < count; k++)
        if (!same_expression(a->expressions ? a->expressions[k] : NULL, b->expressions ? b->expressions[k] : NULL))
            return false;
    return same_numbers(a->parameters, b->parameters, count) && same_numbers(a->start, b->start, TN_MAX_STATES) &&
           same_text(a->unit, b->unit);
}

static bool same_ports(const tn_force *a, const tn_force *b)
{
    for (size_t k = 0; k < TN_DEVICE_PORTS; k++)
        if (!same_expression(a->ports ? a->ports[k] : NULL, b->ports ? b->ports[k] : NULL))
            return false;
    return a->implied == b->implied;
}

static bool same_force(const tn_model *m, size_t i, const tn_model *n, size_t j)
{
    const tn_force *a = &m->forces[i], *b = &n->forces[j];
    if (!same_text(a->type->name, b->type->name) || !a->type->device != !b->type->device || !same_ports(a, b) ||
        (a->type->device && (a->type->device->external || b->type->device->external) && !tn_device_type_same(a->type, b->type)) ||
        !same_place(m, a->body1, &a->frame1, n, b->body1, &b->frame1) ||
        !same_place(m, a->body2, &a->frame2, n, b->body2, &b->frame2))
        return false;
    if (a->type->place == TN_PLACE_JOINT &&
        (!same_text(m->joints[a->joint].entity.name, n->joints[b->joint].entity.name) ||
         a->coordinate != b->coordinate))
        return false;
    return same_force_values(a, b);
}

static size_t next_living(const tn_model *m, tn_kind kind, size_t index)
{
    while (!tn_table_entity(m, kind, index)->alive)
        index++;
    return index;
}

static bool same_law(const tn_contact_def *a, const tn_contact_def *b)
{
    return tn_attributes_same(tn_contact_attributes, a, b) && same_numbers(a->grain, b->grain, 3) &&
           same_numbers(a->surface_velocity, b->surface_velocity, 3) && a->restitution_count == b->restitution_count &&
           same_numbers(a->restitution_speeds, b->restitution_speeds, a->restitution_count) &&
           same_numbers(a->restitutions, b->restitutions, a->restitution_count);
}

static bool same_contact(const tn_model *m, size_t i, const tn_model *n, size_t j)
{
    const tn_contact *a = &m->contacts[i], *b = &n->contacts[j];
    if (a->body_count != b->body_count)
        return false;
    for (size_t k = 0; k < a->body_count; k++)
        if (!same_text(m->bodies[a->bodies[k]].entity.name, n->bodies[b->bodies[k]].entity.name))
            return false;
    for (size_t k = 0; k < a->law.material_count && a->law.material_count == b->law.material_count; k++) {
        const tn_material_law *one = &a->law.materials[k], *two = &b->law.materials[k];
        if (!same_text(one->materials[0], two->materials[0]) || !same_text(one->materials[1], two->materials[1]) ||
            !same_law(&one->law, &two->law))
            return false;
    }
    return a->law.material_count == b->law.material_count && same_law(&a->law, &b->law);
}

/* Names, switches and what else there is to say about each, in order. */
static bool same_table(const tn_model *m, const tn_model *n, tn_kind kind,
                       bool (*same)(const tn_model *, size_t, const tn_model *, size_t))
{
    size_t count = tn_model_count(m, kind), i = 0, j = 0;
    if (count != tn_model_count(n, kind))
        return false;
    for (size_t k = 0; k < count + (kind == TN_KIND_BODY); k++, i++, j++) {    /* ground is not counted */
        i = next_living(m, kind, i);
        j = next_living(n, kind, j);
        const tn_entity *a = tn_table_entity(m, kind, i), *b = tn_table_entity(n, kind, j);
        if (!same_text(a->name, b->name) || a->disabled != b->disabled || a->mirrored != b->mirrored ||
            !same(m, i, n, j))
            return false;
    }
    return true;
}

/* ---- the rest ---- */

static bool same_form(const tn_joint_form *a, const tn_joint_form *b)
{
    for (size_t i = 0; i < TN_JOINT_EQUATIONS; i++)
        if (!same_text(a->equations[i], b->equations[i]) ||
            !same_text(a->velocity_equations[i], b->velocity_equations[i]))
            return false;
    if (!same_text(a->separation, b->separation))
        return false;
    for (size_t i = 0; i < TN_MAX_COORDINATES; i++) {
        const tn_coordinate_decl *s = &a->coordinates[i], *r = &b->coordinates[i];
        if (!same_text(s->name, r->name) || !same_text(s->unit, r->unit) || !same_text(s->expression, r->expression))
            return false;
    }
    return true;
}

static bool same_type(const tn_joint_type *a, const tn_joint_type *b)
{
    for (size_t i = 0; i < TN_JOINT_PARAMETERS; i++) {
        const tn_parameter_decl *s = &a->parameters[i], *r = &b->parameters[i];
        if (!same_text(s->name, r->name) || !same_text(s->unit, r->unit) || !same_number(s->initial, r->initial) ||
            !same_text(s->as_built, r->as_built))
            return false;
    }
    return same_text(a->name, b->name) && a->drives == b->drives && a->joints == b->joints &&
           same_form(&a->planar, &b->planar) && same_form(&a->spatial, &b->spatial) &&
           a->planar_axis == b->planar_axis && a->spatial_axis == b->spatial_axis && same_text(a->glyph, b->glyph);
}

/* The next type that a file has declared, from k on; types that lists or FMUs made are known by their devices. */
static size_t next_declared(const tn_model *m, size_t k)
{
    while (k < m->own_device_count && (m->own_devices[k]->device->from_lists || m->own_devices[k]->device->external))
        k++;
    return k;
}

static bool same_device_types(const tn_model *m, const tn_model *n)
{
    size_t k = next_declared(m, 0), j = next_declared(n, 0);
    for (; k < m->own_device_count && j < n->own_device_count; k = next_declared(m, k + 1), j = next_declared(n, j + 1))
        if (!tn_device_type_same(m->own_devices[k], n->own_devices[j]))
            return false;
    return k == m->own_device_count && j == n->own_device_count;
}

static bool same_types(const tn_model *m, const tn_model *n)
{
    if (m->own_type_count != n->own_type_count)
        return false;
    for (size_t k = 0; k < m->own_type_count; k++)
        if (!same_type(m->own_types[k], n->own_types[k]))
            return false;
    return same_device_types(m, n);
}

static bool same_dim(bool known, tn_dim dim, bool known_n, tn_dim dim_n)
{
    return known == known_n && (!known || (dim.m == dim_n.m && dim.kg == dim_n.kg && dim.s == dim_n.s &&
                                           dim.A == dim_n.A && dim.K == dim_n.K));
}

static bool same_curves(const tn_model *m, const tn_model *n)
{
    if (m->table_count != n->table_count)
        return false;
    for (size_t k = 0; k < m->table_count; k++) {
        const tn_model_table *a = &m->tables[k], *b = &n->tables[k];
        if (!same_text(a->name, b->name) || !same_dim(a->x_known, a->x_dim, b->x_known, b->x_dim) ||
            !same_dim(a->y_known, a->y_dim, b->y_known, b->y_dim) || !same_dim(a->z_known, a->z_dim, b->z_known, b->z_dim) ||
            !tn_grid_same(a->surface, b->surface) || (!a->surface && !tn_curve_same(a->curve, b->curve)))
            return false;
    }
    return true;
}

/* The next number among the parameters, or the choice of this variant; NULL: there is none. */
static const tn_parameter_value *same_kind(const tn_model *n, const tn_parameter_value *a, size_t *next)
{
    for (size_t k = a->choices ? 0 : *next; k < n->parameter_count; k++) {
        const tn_parameter_value *b = &n->parameters[k];
        if (!a->choices != !b->choices || (a->choices && strcmp(a->name, b->name) != 0))
            continue;
        *next = a->choices ? *next : k + 1;
        return b;
    }
    return NULL;
}

/* Numbers in their order, choices of variants in any. */
static bool same_parameters(const tn_model *m, const tn_model *n)
{
    size_t next = 0;
    if (m->parameter_count != n->parameter_count)
        return false;
    for (size_t k = 0; k < m->parameter_count; k++) {
        const tn_parameter_value *a = &m->parameters[k], *b = same_kind(n, a, &next);
        if (!b || !same_text(a->name, b->name) || !same_number(a->value, b->value) || !same_text(a->unit, b->unit) ||
            !same_text(a->choices, b->choices))
            return false;
    }
    return true;
}

static bool same_outputs(const tn_model *m, const tn_model *n)
{
    if (m->output_count != n->output_count)
        return false;
    for (size_t k = 0; k < m->output_count; k++)
        if (!same_text(m->outputs[k].channel, n->outputs[k].channel) ||
            !same_text(m->outputs[k].expression, n->outputs[k].expression))
            return false;
    return true;
}

static bool same_conditions(const tn_model *m, const tn_model *n)
{
    if (m->condition_count != n->condition_count)
        return false;
    for (size_t k = 0; k < m->condition_count; k++)
        if (!same_text(m->conditions[k].channel, n->conditions[k].channel) ||
            !same_number(m->conditions[k].value, n->conditions[k].value))
            return false;
    return true;
}

static bool same_actions(const tn_event_def *a, const tn_event_def *b)
{
    if (a->action_count != b->action_count)
        return false;
    for (size_t k = 0; k < a->action_count; k++)
        if (!same_text(a->actions[k].text, b->actions[k].text))
            return false;
    return true;
}

static bool same_events(const tn_model *m, const tn_model *n)
{
    if (m->event_count != n->event_count)
        return false;
    for (size_t k = 0; k < m->event_count; k++) {
        const tn_event_def *a = &m->events[k].def, *b = &n->events[k].def;
        if (!same_text(m->events[k].name, n->events[k].name) || !same_expression(&a->when, &b->when) ||
            a->crosses != b->crosses || a->once != b->once || a->zeno != b->zeno || !same_text(a->unit, b->unit) ||
            !same_number(a->hysteresis, b->hysteresis) || !same_number(a->touch, b->touch) || !same_actions(a, b))
            return false;
    }
    return true;
}

static bool same_expectation(const tn_expectation *a, const tn_expectation *b)
{
    if (a->column_count != b->column_count)
        return false;
    for (size_t k = 0; k < a->column_count; k++)
        if (!same_text(a->columns[k].column, b->columns[k].column) ||
            !same_text(a->columns[k].channel, b->columns[k].channel))
            return false;
    return same_number(a->energy, b->energy) && same_number(a->drift, b->drift) &&
           same_text(a->stop, b->stop) && same_text(a->reference, b->reference) && same_number(a->tolerance, b->tolerance);
}

static bool same_subsystem(const tn_model *m, size_t i, const tn_model *n, size_t j)
{
    const tn_subsystem *a = &m->subsystems[i], *b = &n->subsystems[j];
    if (a->port_count != b->port_count || !a->solve != !b->solve)
        return false;
    for (size_t k = 0; k < a->port_count; k++)
        if (!same_text(a->ports[k].name, b->ports[k].name) ||
            !same_text(tn_model_entity_name(m, a->ports[k].target), tn_model_entity_name(n, b->ports[k].target)))
            return false;
    if (a->type != b->type && !tn_library_same(a->library, b->library) && (!a->fmu || !tn_fmi_ports_same(a->fmu, b->fmu)))
        return false;
    if (a->type && !same_numbers(a->parameters, b->parameters, (size_t)a->type->parameter_count))
        return false;
    return a->closed == b->closed && a->mirror == b->mirror && same_pose(&a->pose, &b->pose) &&
           (!a->solve || tn_solve_same(a->solve, b->solve));
}

static bool same_gravity(const tn_model *m, const tn_model *n)
{
    for (size_t k = 0; k < TN_LENGTH(m->gravity_text); k++)
        if (!same_expression(&m->gravity_text[k], &n->gravity_text[k]))
            return false;
    return same_numbers(m->gravity, n->gravity, 3);
}

bool tn_model_same(const tn_model *a, const tn_model *b)
{
    return a->dimension == b->dimension && same_text(a->name, b->name) && same_gravity(a, b) && same_types(a, b) &&
           same_curves(a, b) && same_parameters(a, b) && same_table(a, b, TN_KIND_BODY, same_body) &&
           same_table(a, b, TN_KIND_FRAME, same_frame) && same_table(a, b, TN_KIND_JOINT, same_joint) &&
           same_table(a, b, TN_KIND_FORCE, same_force) && same_table(a, b, TN_KIND_CONTACT, same_contact) &&
           same_table(a, b, TN_KIND_SUBSYSTEM, same_subsystem) && same_outputs(a, b) && same_conditions(a, b) &&
           same_events(a, b) &&
           tn_groups_same(a, b) &&
           same_expectation(&a->expect, &b->expect) && tn_solve_same(&a->solve, &b->solve);
}
