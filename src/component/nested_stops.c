/* Limits and reactions inside a nested model, as the surrounding model needs them. Limits: the model around has the same
 * coordinates between ports and stops the motion. Reactions: friction inside is evaluated again after each solution,
 * until it agrees with the reactions of that solution. */
#include "elementary.h"
#include "nested.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "decimal.h"
#include "diag.h"
#include "mem.h"
#include "vec.h"

/* rad: an angle that is larger at the start may be counted from another turn outside. */
static const double LARGE_ANGLE = 2;

/* ---- limits ---- */

static bool limits_joint(const tn_nested *n, uint32_t joint)
{
    const tn_model *m = n->system->model;
    for (size_t k = 0; k < m->limit_count; k++)
        if (m->limits[k].joint == joint)
            return n->system->constraint_of[joint] >= 0;
    return false;
}

static int port_on(const tn_nested *n, uint32_t body)
{
    for (int k = 0; k < n->type.port_count; k++)
        if (n->ports[k].body == body)
            return k;
    return -1;
}

/* Splits "turn(a, b, c)" at its commas. False: the text is something else. */
static bool split_turn(const char *text, int lengths[3], const char *parts[3])
{
    static const char head[] = "turn(";
    const size_t size = strlen(text);
    int depth = 0, count = 0;
    if (strncmp(text, head, strlen(head)) != 0 || text[size - 1] != ')')
        return false;
    parts[0] = text + strlen(head);
    for (const char *at = parts[0]; at < text + size; at++) {
        if (depth == 0 && (*at == ',' || *at == ')')) {
            lengths[count] = (int)(at - parts[count]);
            count++;
            if (*at == ')' || count == 3)
                return count == 3 && at == text + size - 1;
            parts[count] = at + 1;
        }
        depth += (*at == '(') - (*at == ')');
    }
    return false;
}

/* Writes the expression of a coordinate. A large angle is counted from *zero instead, since the reader of the
 * expression does not know earlier turns. False: the coordinate cannot be written. */
static bool write_expression(char out[TN_STOP_TEXT], double *zero, const char *text, double value, double uncounted)
{
    int lengths[3], size;
    const char *p[3];
    const bool large = fabs(value) > LARGE_ANGLE && split_turn(text, lengths, p);
    if (!large && fabs(value - uncounted) > 1e-6)
        return false;
    const double c = tn_cos(*zero), s = tn_sin(*zero);
    *zero = large ? *zero : 0;
    size = large ? snprintf(out, TN_STOP_TEXT, "turn(%.17g * (%.*s) + %.17g * (%.*s), %.17g * (%.*s) - %.17g * (%.*s), %.*s)",
                            c, lengths[0], p[0], s, lengths[1], p[1], c, lengths[1], p[1], s, lengths[0], p[0], lengths[2], p[2])
                 : snprintf(out, TN_STOP_TEXT, "%s", text);
    return size < TN_STOP_TEXT;
}

/* Where a large angle is counted from: its value, or the tooth of a ratchet nearest to it. */
static double zero_of(const tn_nested *n, uint32_t joint, int coordinate, double value)
{
    const tn_model *m = n->system->model;
    for (size_t k = 0; k < m->limit_count; k++)
        if (m->limits[k].joint == joint && m->limits[k].coordinate == coordinate && m->limits[k].way != 0 &&
            m->limits[k].pitch > 0)
            return m->limits[k].pitch * round(value / m->limits[k].pitch);
    return value;
}

/* The frame of a joint on one of its bodies, in the frame of the port on this body. */
static tn_pose in_port(const tn_nested *n, int port, const tn_pose *frame)
{
    return port < 0 ? *frame : tn_pose_relative(&n->ports[port].pose, frame);
}

/* zero: of each coordinate, where it is counted from. */
static void describe_limits(const tn_nested *n, uint32_t joint, const double zero[], tn_component_stop *out)
{
    const tn_model *m = n->system->model;
    for (size_t k = 0; k < m->limit_count; k++) {
        const tn_model_limit *limit = &m->limits[k];
        if (limit->joint != joint)
            continue;
        if (limit->way != 0) {
            out->ratchet = limit->coordinate;
            out->way = limit->way;
            out->pitch = limit->pitch;
            out->rebound = limit->restitution;
            continue;
        }
        tn_stop_coordinate *c = &out->coordinates[limit->coordinate];
        c->limited = true;
        c->low = limit->low - zero[limit->coordinate];
        c->high = limit->high - zero[limit->coordinate];
        c->restitution = limit->restitution;
    }
}

static bool describe_coordinates(const tn_nested *n, uint32_t source, const double *no_memory, double zero[],
                                 tn_component_stop *out)
{
    const tn_system *s = n->system;
    const tn_joint_form *form = tn_joint_form_of(s->model, s->model->joints[source].type);
    double values[TN_MAX_COORDINATES], uncounted[TN_MAX_COORDINATES];
    bool good = true;
    tn_eval_coordinates(n->at.e, s, n->memory, s->constraint_of[source], 0, values);
    tn_eval_coordinates(n->at.e, s, no_memory, s->constraint_of[source], 0, uncounted);
    for (int k = 0; k < TN_MAX_COORDINATES && form->coordinates[k].name; k++) {
        tn_stop_coordinate *c = &out->coordinates[out->coordinate_count++];
        snprintf(c->name, sizeof c->name, "%s", form->coordinates[k].name);
        snprintf(c->unit, sizeof c->unit, "%s", form->coordinates[k].unit);
        zero[k] = zero_of(n, source, k, values[k]);
        good &= write_expression(c->expression, &zero[k], form->coordinates[k].expression, values[k], uncounted[k]);
        c->value = values[k] - zero[k];
    }
    return good;
}

/* ---- the list ---- */

static int fail_stop(const tn_nested *n, const tn_joint *joint, const char *why)
{
    return tn_fail(n->context, TN_ERROR_MODEL, joint->entity.span, "joint '%s' has limits: %s", joint->entity.name, why);
}

static bool names_fit(const tn_nested *n, const tn_joint *joint)
{
    const tn_joint_form *form = tn_joint_form_of(n->system->model, joint->type);
    bool fits = tn_joint_coordinate_count(form) <= TN_STOP_COORDINATES;
    for (int k = 0; k < TN_MAX_COORDINATES && form->coordinates[k].name; k++)
        fits &= strlen(form->coordinates[k].name) < TN_STOP_NAME;
    for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++)
        fits &= strlen(joint->type->parameters[k].name) < TN_STOP_NAME;
    return fits;
}

static int describe_stop(const tn_nested *n, const double *no_memory, uint32_t source, tn_component_stop *out)
{
    const tn_joint *joint = &n->system->model->joints[source];
    double zero[TN_MAX_COORDINATES];
    *out = (tn_component_stop){ .port1 = port_on(n, joint->body1), .port2 = port_on(n, joint->body2) };
    if ((joint->body1 != 0 && out->port1 < 0) || (joint->body2 != 0 && out->port2 < 0))
        return fail_stop(n, joint, "both its bodies need a port");
    if (!names_fit(n, joint) || !describe_coordinates(n, source, no_memory, zero, out))
        return fail_stop(n, joint, "its coordinates cannot be told to the model around the component: there are more than four, "
                         "their names or texts are too long, or they begin with several turns");
    out->frame1 = in_port(n, out->port1, &joint->frame1);
    out->frame2 = in_port(n, out->port2, &joint->frame2);
    describe_limits(n, source, zero, out);
    for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++) {
        if (isnan(joint->parameters[k]))
            continue;
        snprintf(out->parameters[out->parameter_count].name, TN_STOP_NAME, "%s", joint->type->parameters[k].name);
        out->parameters[out->parameter_count++].value = joint->parameters[k];
    }
    return TN_OK;
}

static int describe_stops(tn_nested *n, const double *no_memory)
{
    for (uint32_t j = 0; j < n->system->model->joint_count; j++)
        if (limits_joint(n, j))
            TN_TRY(describe_stop(n, no_memory, j, &n->stops[n->stop_count++]));
    return TN_OK;
}

int tn_nested_find_stops(tn_nested *n)
{
    tn_decimal decimal;
    n->stops = tn_arena_alloc(n->arena, n->system->model->limit_count, sizeof *n->stops);
    const double *no_memory = tn_arena_alloc(n->arena, (size_t)n->system->memory, sizeof(double));
    if (!n->stops || !no_memory)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_decimal_begin(&decimal));
    int code = describe_stops(n, no_memory);
    tn_decimal_end(&decimal);
    return code;
}

int tn_nested_stop_count(const void *self)
{
    return ((const tn_nested *)self)->stop_count;
}

void tn_nested_stop(const void *self, int index, tn_component_stop *out)
{
    *out = ((const tn_nested *)self)->stops[index];
}

/* ---- reactions ---- */

bool tn_nested_reacts(const void *self)
{
    return ((const tn_nested *)self)->system->reacts;
}

int tn_nested_react(void *self, tn_component_reaction *out)
{
    tn_nested *n = self;
    tn_eval *e = n->at.e;
    const int count = n->system->velocities;
    memcpy(n->before, e->f, (size_t)count * sizeof(double));
    e->reactions_known = true;
    n->at.forced = false;
    n->solved = -1;
    TN_TRY(tn_nested_find_forces(n));
    *out = (tn_component_reaction){ .force = tn_largest(count, e->f), .row = tn_eval_largest_reaction(e, n->system) };
    for (int k = 0; k < count; k++)
        if (!(fabs(e->f[k] - n->before[k]) <= out->change))
            out->change = fabs(e->f[k] - n->before[k]);
    return TN_OK;
}
