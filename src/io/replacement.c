/* Replacement of a subsystem by another one while a model is being edited. */
#include "replacement.h"
#include "tables.h"
#include "vec.h"
#include <math.h>
#include <string.h>

/* m: an end this near to a port's origin is attached to the port. */
static const double AT_PORT = 1e-9;

static const tn_kind kinds[] = { TN_KIND_CONTACT, TN_KIND_JOINT, TN_KIND_FORCE, TN_KIND_BODY, TN_KIND_SUBSYSTEM };

/* One end of a joint or force from outside, or one body of a contact. */
struct tn_hanging {
    tn_kind kind;
    size_t index, side;
    int port;                  /* of the old one; -1: it is at no port */
    const char *body;          /* what it is attached to */
    tn_pose pose;              /* of the end, in the port's frame or the body's; not of a contact */
};

typedef struct end {
    uint32_t *body;
    tn_pose *pose;             /* NULL: the whole body touches */
} end;

static size_t count_sides(const tn_model *model, tn_kind kind, size_t index)
{
    return kind == TN_KIND_CONTACT ? model->contacts[index].body_count : 2;
}

/* False: the entity is attached to joints or to nothing. */
static bool end_of(end *out, tn_model *model, tn_kind kind, size_t index, size_t side)
{
    tn_joint *joint = kind == TN_KIND_JOINT ? &model->joints[index] : NULL;
    tn_force *force = kind == TN_KIND_FORCE ? &model->forces[index] : NULL;
    if (kind == TN_KIND_CONTACT)
        *out = (end){ &model->contacts[index].bodies[side], NULL };
    else if (joint != NULL && joint->type->joints == 0)
        *out = (end){ side ? &joint->body2 : &joint->body1, side ? &joint->frame2 : &joint->frame1 };
    else if (force != NULL && force->type->place == TN_PLACE_FRAMES)
        *out = (end){ side ? &force->body2 : &force->body1, side ? &force->frame2 : &force->frame1 };
    else
        return false;
    return true;
}

static bool is_inside(const tn_replacement *p, uint32_t body)
{
    return body != 0 && tn_path_inside(p->model->bodies[body].entity.name, p->path);
}

/* ---- before ---- */

/* Body and pose of a port; false: its target was removed, or is a node. */
static bool port_place(const tn_model *model, tn_id target, uint32_t *body, tn_pose *pose)
{
    if (tn_model_entity(model, target) == NULL || target.kind == TN_KIND_FORCE)
        return false;
    *body = target.kind == TN_KIND_FRAME ? model->frames[target.index].body : target.index;
    *pose = target.kind == TN_KIND_FRAME ? model->frames[target.index].pose : tn_pose_identity();
    return true;
}

/* The port that an end is attached to: a port on its body with the same origin, else one that is the whole body. */
static int port_of(const tn_model *model, const tn_subsystem *subsystem, const end *e)
{
    int whole = -1;
    for (size_t k = 0; k < subsystem->port_count; k++) {
        uint32_t body;
        tn_pose pose;
        double d[3];
        if (!port_place(model, subsystem->ports[k].target, &body, &pose) || body != *e->body)
            continue;
        if (e->pose != NULL) {
            tn_sub3(d, e->pose->p, pose.p);
            if (tn_norm3(d) <= AT_PORT)
                return (int)k;
        }
        if (subsystem->ports[k].target.kind == TN_KIND_BODY)
            whole = (int)k;
    }
    return whole;
}

static int note_hanging(tn_replacement *p, const tn_subsystem *subsystem, tn_kind kind, size_t index, size_t side)
{
    end e;
    if (!end_of(&e, p->model, kind, index, side) || !is_inside(p, *e.body))
        return TN_OK;
    TN_TRY(tn_grow(p->model->context, &p->hanging, &p->hanging_capacity, p->hanging_count + 1, sizeof *p->hanging));
    tn_hanging *h = &p->hanging[p->hanging_count++];
    *h = (tn_hanging){ kind, index, side, port_of(p->model, subsystem, &e), p->model->bodies[*e.body].entity.name,
                       e.pose != NULL ? *e.pose : tn_pose_identity() };
    if (h->port >= 0 && e.pose != NULL) {
        h->pose = tn_pose_relative(&p->ports[h->port].pose, e.pose);
        p->ports[h->port].used = true;
    }
    return TN_OK;
}

static int note_all_hanging(tn_replacement *p, const tn_subsystem *subsystem)
{
    static const tn_kind attached[] = { TN_KIND_JOINT, TN_KIND_FORCE, TN_KIND_CONTACT };
    for (size_t k = 0; k < TN_LENGTH(attached); k++)
        for (size_t i = 0; i < tn_table_count(p->model, attached[k]); i++)
            if (tn_table_entity(p->model, attached[k], i)->alive && !tn_table_inside(p->model, attached[k], i, p->path))
                for (size_t side = 0; side < count_sides(p->model, attached[k], i); side++)
                    TN_TRY(note_hanging(p, subsystem, attached[k], i, side));
    return TN_OK;
}

static void note_motion(struct tn_old_port *port, const tn_body *body)
{
    double arm[3], turn[3];
    port->world = tn_pose_compose(&body->pose, &port->pose);
    tn_sub3(arm, port->world.p, body->pose.p);
    tn_cross3(turn, body->angular_velocity, arm);
    tn_add3(port->v, body->velocity, turn);
    tn_copy3(port->w, body->angular_velocity);
}

static int note_ports(tn_replacement *p, const tn_subsystem *subsystem)
{
    p->port_count = subsystem->port_count;
    p->ports = tn_alloc(p->model->context, p->port_count, sizeof *p->ports);
    if (p->ports == NULL)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < p->port_count; k++) {
        struct tn_old_port *port = &p->ports[k];
        port->name = subsystem->ports[k].name;
        if (port_place(p->model, subsystem->ports[k].target, &port->body, &port->pose))
            note_motion(port, &p->model->bodies[port->body]);
    }
    return TN_OK;
}

static void *copy_of(tn_context *context, const void *array, size_t count, size_t size)
{
    void *copy = tn_alloc(context, count, size);
    if (copy != NULL && count > 0)
        memcpy(copy, array, count * size);
    return copy;
}

static int note_tables(tn_replacement *p)
{
    tn_model *m = p->model;
    p->bodies = copy_of(m->context, m->bodies, m->body_count, sizeof *m->bodies);
    p->joints = copy_of(m->context, m->joints, m->joint_count, sizeof *m->joints);
    p->forces = copy_of(m->context, m->forces, m->force_count, sizeof *m->forces);
    if (p->bodies == NULL || p->joints == NULL || p->forces == NULL)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < TN_LENGTH(kinds); k++) {
        p->counts[kinds[k]] = tn_table_count(m, kinds[k]);
        p->seen[kinds[k]] = tn_alloc(m->context, p->counts[kinds[k]], sizeof(bool));
        p->lived[kinds[k]] = tn_alloc(m->context, p->counts[kinds[k]], sizeof(bool));
        if (p->seen[kinds[k]] == NULL || p->lived[kinds[k]] == NULL)
            return TN_ERROR_MEMORY;
        for (size_t i = 0; i < p->counts[kinds[k]]; i++)
            p->lived[kinds[k]][i] = tn_table_entity(m, kinds[k], i)->alive;
    }
    return TN_OK;
}

/* Frames on ground are those of the new one only. */
static void drop_ground_frames(tn_replacement *p)
{
    for (size_t i = 0; i < p->model->frame_count; i++)
        if (p->model->frames[i].entity.alive && p->model->frames[i].body == 0 &&
            tn_table_inside(p->model, TN_KIND_FRAME, i, p->path))
            tn_table_release(p->model, TN_KIND_FRAME, i);
}

static void drop_ports(tn_replacement *p)
{
    for (size_t i = 0; i < p->model->subsystem_count; i++)
        if (p->model->subsystems[i].entity.alive && tn_table_inside(p->model, TN_KIND_SUBSYSTEM, i, p->path))
            p->model->subsystems[i].port_count = 0;
}

/* The list positions of the old subsystem's entries; the new entries get the same positions. */
static void note_places(tn_replacement *p)
{
    const tn_model *m = p->model;
    while (p->first_parameter < m->parameter_count &&
           !tn_path_inside(m->parameters[p->first_parameter].name, p->path))
        p->first_parameter++;
    while (p->first_output < m->output_count && (m->outputs[p->first_output].owner == NULL ||
                                                 !tn_path_inside(m->outputs[p->first_output].owner, p->path)))
        p->first_output++;
    while (p->first_event < m->event_count && !tn_path_inside(m->events[p->first_event].name, p->path))
        p->first_event++;
}

int tn_replacement_begin(tn_replacement *p, tn_model *model, tn_id id)
{
    *p = (tn_replacement){ .model = model, .path = model->subsystems[id.index].entity.name };
    TN_TRY(note_tables(p));
    TN_TRY(note_ports(p, &model->subsystems[id.index]));
    TN_TRY(note_all_hanging(p, &model->subsystems[id.index]));
    drop_ground_frames(p);
    drop_ports(p);
    note_places(p);
    tn_model_forget_texts(model, p->path);
    p->parameters = model->parameter_count;
    p->outputs = model->output_count;
    p->events = model->event_count;
    return TN_OK;
}

void tn_replacement_end(tn_replacement *p)
{
    tn_context *context = p->model->context;
    for (size_t k = 0; k < TN_LENGTH(kinds); k++) {
        tn_free(context, p->seen[kinds[k]]);
        tn_free(context, p->lived[kinds[k]]);
    }
    tn_free(context, p->bodies);
    tn_free(context, p->joints);
    tn_free(context, p->forces);
    tn_free(context, p->ports);
    tn_free(context, p->hanging);
}

/* ---- meanwhile ---- */

/* Of the one that is replaced, and not yet in the other. */
static bool is_old(const tn_replacement *p, tn_kind kind, size_t index)
{
    return p->seen[kind] != NULL && index < p->counts[kind] && p->lived[kind][index] && !p->seen[kind][index] &&
           tn_table_inside(p->model, kind, index, p->path);
}

bool tn_replacement_takes(tn_replacement *p, tn_id id)
{
    bool old = is_old(p, (tn_kind)id.kind, id.index);
    if (old)
        p->seen[id.kind][id.index] = true;
    return old;
}

/* "a, b" in a text that may be full. */
static void add_name(char *text, size_t size, const char *name)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

void tn_replacement_new(tn_replacement *p, const char *path)
{
    add_name(p->added, sizeof p->added, path + strlen(p->path) + 1);
}

int tn_replacement_free_name(tn_replacement *p, const char *path)
{
    char other[2 * TN_PATH_SIZE];
    tn_id id = tn_model_find(p->model, path);
    bool old = id.kind == TN_KIND_BODY && is_old(p, TN_KIND_BODY, id.index);
    snprintf(other, sizeof other, "%s__old", path);
    return old ? tn_model_rename(p->model, id, other) : TN_OK;
}

/* ---- afterwards ---- */

static const tn_subsystem *subsystem_now(const tn_replacement *p)
{
    return &p->model->subsystems[tn_model_find(p->model, p->path).index];
}

/* Index of a port of the new one; -1: there is none. */
static int find_port(const tn_subsystem *subsystem, const char *name)
{
    for (size_t k = 0; k < subsystem->port_count; k++)
        if (strcmp(subsystem->ports[k].name, name) == 0)
            return (int)k;
    return -1;
}

static bool check_ports(tn_replacement *p, tn_reader *r, tn_span place)
{
    char missing[300] = "";
    for (size_t k = 0; k < p->port_count; k++)
        if (find_port(subsystem_now(p), p->ports[k].name) < 0)
            add_name(missing, sizeof missing, p->ports[k].name);
    if (missing[0] != '\0')
        tn_read_error(r, place, "the file has not all ports of the subsystem that it replaces: %s", missing);
    return missing[0] == '\0';
}

/* Forces along a joint act on its bodies. */
static void follow_joint(tn_model *model, size_t joint)
{
    for (size_t i = 0; i < model->force_count; i++) {
        tn_force *force = &model->forces[i];
        if (force->entity.alive && force->type->place == TN_PLACE_JOINT && force->joint == joint) {
            force->body1 = model->joints[joint].body1;
            force->body2 = model->joints[joint].body2;
        }
    }
}

/* Checks that the new body of a contact has a shape that can touch. */
static void check_touching(tn_reader *r, const tn_contact *contact, size_t side, tn_span place)
{
    const tn_body *body = &r->model->bodies[contact->bodies[side]];
    if (!tn_body_touches(body, r->model->dimension))
        tn_read_error(r, place, "'%s' has no shape that can touch, as contact '%s' needs", body->entity.name,
                      contact->entity.name);
    for (size_t k = 0; k < contact->body_count; k++)
        if (k != side && contact->bodies[k] == contact->bodies[side])
            tn_read_error(r, place, "contact '%s' would have '%s' twice", contact->entity.name, body->entity.name);
}

static void attach(tn_replacement *p, tn_reader *r, const tn_hanging *h, tn_span place)
{
    tn_model *m = p->model;
    const tn_subsystem *subsystem = subsystem_now(p);
    tn_id target = h->port < 0 ? tn_model_find(m, h->body)
                               : subsystem->ports[find_port(subsystem, p->ports[h->port].name)].target;
    uint32_t body = 0;
    tn_pose port = tn_pose_identity();
    end e;
    bool there = target.kind != TN_KIND_NONE && port_place(m, target, &body, &port);
    if (!there || (h->port < 0 && (body >= p->counts[TN_KIND_BODY] || !p->seen[TN_KIND_BODY][body]))) {
        tn_read_error(r, place, "%s '%s' is attached to '%s', which is no port, and which the file has not",
                      tn_kind_text(h->kind), tn_table_entity(m, h->kind, h->index)->name, h->body);
        return;
    }
    if (!end_of(&e, m, h->kind, h->index, h->side))
        return;
    bool moved = h->port >= 0 && (p->ports[h->port].body != body ||
                                  memcmp(&p->ports[h->port].pose, &port, sizeof port) != 0);
    *e.body = body;
    if (h->kind == TN_KIND_CONTACT) {
        check_touching(r, &m->contacts[h->index], h->side, place);
    } else if (moved) {
        *e.pose = tn_pose_compose(&port, &h->pose);
        tn_quat_keep_unit(e.pose->q);
    }
    if (h->kind == TN_KIND_JOINT)
        follow_joint(m, h->index);
}

/* Removes old entities that did not occur again, with their dependents. */
static void sweep(tn_replacement *p)
{
    for (size_t k = 0; k < TN_LENGTH(kinds); k++)
        for (size_t i = 0; i < p->counts[kinds[k]]; i++) {
            const tn_entity *entity = tn_table_entity(p->model, kinds[k], i);
            if (!entity->alive || !is_old(p, kinds[k], i))
                continue;
            bool renamed = kinds[k] == TN_KIND_BODY && entity->name != p->bodies[i].entity.name;
            if (!renamed)                      /* the name goes on */
                add_name(p->gone, sizeof p->gone, entity->name + strlen(p->path) + 1);
            tn_model_remove(p->model, tn_table_id(p->model, kinds[k], i));
        }
}

static bool is_on_ground(const tn_replacement *p)
{
    for (size_t i = 0; i < p->model->joint_count; i++) {
        const tn_joint *joint = &p->model->joints[i];
        if (joint->entity.alive && joint->type->joints == 0 && tn_path_inside(joint->entity.name, p->path) &&
            (joint->body1 == 0 || joint->body2 == 0))
            return true;
    }
    return false;
}

/* From where the file puts things to where the first port in use is now; false: they stay, because the subsystem is
 * joined to ground, or to nothing. */
static bool displacement(const tn_replacement *p, tn_pose *out)
{
    const tn_subsystem *subsystem = subsystem_now(p);
    const tn_pose identity = tn_pose_identity();
    for (size_t k = 0; k < p->port_count && !is_on_ground(p); k++) {
        uint32_t body;
        tn_pose pose;
        if (!p->ports[k].used ||
            !port_place(p->model, subsystem->ports[find_port(subsystem, p->ports[k].name)].target, &body, &pose))
            continue;
        tn_pose built = tn_pose_compose(&p->model->bodies[body].pose, &pose);
        tn_pose back = tn_pose_relative(&built, &identity);
        *out = tn_pose_compose(&p->ports[k].world, &back);
        return true;
    }
    return false;
}

static void turn(double v[3], const tn_pose *by)
{
    double turned[3];
    tn_quat_rotate(turned, by->q, v);
    tn_copy3(v, turned);
}

/* Ports of a component are where and as fast as those of the old one are: it is for the component to get there. */
static void place_ports(tn_replacement *p, const tn_subsystem *component)
{
    for (size_t k = 0; k < p->port_count; k++) {
        const tn_id target = component->ports[find_port(component, p->ports[k].name)].target;
        tn_body *body = &p->model->bodies[target.index];
        body->pose = p->ports[k].world;
        body->placed = true;
        tn_copy3(body->velocity, p->ports[k].v);
        tn_copy3(body->angular_velocity, p->ports[k].w);
    }
}

/* Common bodies stay where they were; new bodies move with the port. */
static void place_bodies(tn_replacement *p)
{
    tn_pose shift;
    bool moves = displacement(p, &shift);
    for (size_t i = 0; i < p->model->body_count; i++) {
        tn_body *body = &p->model->bodies[i];
        if (!body->entity.alive || !is_inside(p, (uint32_t)i))
            continue;
        if (i < p->counts[TN_KIND_BODY] && p->seen[TN_KIND_BODY][i]) {
            body->pose = p->bodies[i].pose;
            body->placed = true;
            tn_copy3(body->velocity, p->bodies[i].velocity);
            tn_copy3(body->angular_velocity, p->bodies[i].angular_velocity);
        } else if (moves) {
            body->pose = tn_pose_compose(&shift, &body->pose);
            body->placed = true;
            turn(body->velocity, &shift);
            turn(body->angular_velocity, &shift);
        }
    }
    if (subsystem_now(p)->type != NULL)
        place_ports(p, subsystem_now(p));
}

/* The run continues: removes start conditions and keeps values found as built. */
static void settle_joints(tn_replacement *p)
{
    for (size_t i = 0; i < p->model->joint_count; i++) {
        tn_joint *joint = &p->model->joints[i];
        if (!joint->entity.alive || !tn_path_inside(joint->entity.name, p->path))
            continue;
        for (int k = 0; k < TN_MAX_COORDINATES; k++)
            joint->start[k] = joint->start_rate[k] = NAN;
        bool same = i < p->counts[TN_KIND_JOINT] && p->seen[TN_KIND_JOINT][i] &&
                    strcmp(joint->type->name, p->joints[i].type->name) == 0;
        for (int k = 0; same && k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++)
            if (isnan(joint->parameters[k]))
                joint->parameters[k] = p->joints[i].parameters[k];
    }
}

/* Moves what is behind the first count elements to the place given. */
static int move_back(tn_context *context, void *array, size_t size, size_t count, size_t all, size_t place)
{
    char *bytes = array, *tail = tn_alloc(context, all - count, size);
    if (tail == NULL)
        return TN_ERROR_MEMORY;
    if (all > count) {
        memcpy(tail, bytes + count * size, (all - count) * size);
        memmove(bytes + (place + all - count) * size, bytes + place * size, (count - place) * size);
        memcpy(bytes + place * size, tail, (all - count) * size);
    }
    tn_free(context, tail);
    return TN_OK;
}

static int restore_order(tn_replacement *p)
{
    tn_model *m = p->model;
    TN_TRY(move_back(m->context, m->parameters, sizeof *m->parameters, p->parameters, m->parameter_count,
                     p->first_parameter));
    TN_TRY(move_back(m->context, m->outputs, sizeof *m->outputs, p->outputs, m->output_count, p->first_output));
    return move_back(m->context, m->events, sizeof *m->events, p->events, m->event_count, p->first_event);
}

/* The same for their states. */
static void settle_forces(tn_replacement *p)
{
    for (size_t i = 0; i < p->counts[TN_KIND_FORCE]; i++) {
        tn_force *force = &p->model->forces[i];
        if (force->entity.alive && p->seen[TN_KIND_FORCE][i] && force->type == p->forces[i].type)
            memcpy(force->start, p->forces[i].start, sizeof force->start);
    }
}

void tn_replacement_finish(tn_replacement *p, tn_reader *r, tn_span place)
{
    size_t before = r->errors;
    if (!check_ports(p, r, place))
        return;
    for (size_t k = 0; k < p->hanging_count; k++)
        attach(p, r, &p->hanging[k], place);
    if (r->errors != before)
        return;
    if (!tn_read_ok(r, restore_order(p)))
        return;
    sweep(p);
    place_bodies(p);
    settle_joints(p);
    settle_forces(p);
    snprintf(r->report, sizeof r->report, "%s%s%s%s", p->added[0] != '\0' ? "new: " : "", p->added,
             p->gone[0] != '\0' ? (p->added[0] != '\0' ? "; gone: " : "gone: ") : "", p->gone);
}
