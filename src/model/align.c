/* Alignment: gives the entities of a newly read model the slots of the same names in the model of a running session. */
#include <math.h>
#include <string.h>
#include "groups.h"
#include "names.h"
#include "tables.h"
#include "vec.h"

enum { KINDS = TN_KIND_SUBSYSTEM + 1 };

/* New slot by old slot, for each kind, and the resulting number of slots. */
typedef struct places {
    uint32_t *slot[KINDS];
    size_t count[KINDS];
} places;

static uint16_t next_generation(uint16_t generation)
{
    return generation == UINT16_MAX ? 1 : (uint16_t)(generation + 1);
}

/* The slot of the same entity in the other model; false: there is none. */
static bool find_like(const tn_model *model, const tn_model *like, tn_kind kind, size_t index, uint32_t *slot)
{
    tn_id id = tn_names_find(like->names, tn_table_path(model, kind, index));
    *slot = id.index;
    return id.kind == kind;
}

/* Assigns slots: first to entities of the same name; the others take the remaining slots. */
static int place_kind(places *p, const tn_model *model, const tn_model *like, tn_kind kind)
{
    size_t count = tn_table_count(model, kind), most = tn_table_count(like, kind) + count, next = 0;
    bool *taken = tn_alloc(model->context, most, sizeof *taken);
    p->slot[kind] = tn_alloc(model->context, count, sizeof *p->slot[kind]);
    if (!taken || !p->slot[kind]) {
        tn_free(model->context, taken);
        return TN_ERROR_MEMORY;
    }
    p->count[kind] = tn_table_count(like, kind);
    for (size_t k = 0; k < count; k++)
        if (tn_table_entity(model, kind, k)->alive && find_like(model, like, kind, k, &p->slot[kind][k]))
            taken[p->slot[kind][k]] = true;
    for (size_t k = 0; k < count; k++) {
        uint32_t ignored;
        if (!tn_table_entity(model, kind, k)->alive || find_like(model, like, kind, k, &ignored))
            continue;
        while (taken[next])
            next++;
        taken[next] = true;
        p->slot[kind][k] = (uint32_t)next;
        p->count[kind] = next + 1 > p->count[kind] ? next + 1 : p->count[kind];
    }
    tn_free(model->context, taken);
    return TN_OK;
}

/* Makes an array with the living entities at their new slots. */
static void *moved(const tn_model *model, const places *p, tn_kind kind, const void *from, size_t size)
{
    char *to = tn_alloc(model->context, p->count[kind], size);
    for (size_t k = 0; to && k < tn_table_count(model, kind); k++)
        if (tn_table_entity(model, kind, k)->alive)
            memcpy(to + p->slot[kind][k] * size, (const char *)from + k * size, size);
    return to;
}

typedef struct moved_tables {
    tn_body *bodies;
    tn_frame *frames;
    tn_joint *joints;
    tn_force *forces;
    tn_contact *contacts;
    tn_subsystem *subsystems;
    tn_name_table *names;
} moved_tables;

static int move_tables(moved_tables *t, const tn_model *m, const places *p)
{
    t->bodies = moved(m, p, TN_KIND_BODY, m->bodies, sizeof *m->bodies);
    t->frames = moved(m, p, TN_KIND_FRAME, m->frames, sizeof *m->frames);
    t->joints = moved(m, p, TN_KIND_JOINT, m->joints, sizeof *m->joints);
    t->forces = moved(m, p, TN_KIND_FORCE, m->forces, sizeof *m->forces);
    t->contacts = moved(m, p, TN_KIND_CONTACT, m->contacts, sizeof *m->contacts);
    t->subsystems = moved(m, p, TN_KIND_SUBSYSTEM, m->subsystems, sizeof *m->subsystems);
    if (!t->bodies || !t->frames || !t->joints || !t->forces || !t->contacts || !t->subsystems)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_names_create(&t->names, m->context));
    for (int kind = TN_KIND_BODY; kind < KINDS; kind++)
        for (size_t k = 0; k < tn_table_count(m, (tn_kind)kind); k++)
            if (tn_table_entity(m, (tn_kind)kind, k)->alive) {
                TN_TRY(tn_names_reserve(t->names));
                tn_names_put(t->names, tn_table_path(m, (tn_kind)kind, k), (tn_id){ 0 });
            }
    return TN_OK;
}

/* Updates ids in the model; generations are set later. An id that was invalid stays invalid. */
static void redirect_id(const tn_model *m, tn_id *id, const places *p)
{
    if (tn_model_entity(m, *id))
        id->index = p->slot[id->kind][id->index];
    else
        *id = (tn_id){ .kind = TN_KIND_NONE };
}

/* Updates the targets of ports and the bodies of groups. */
static void redirect_ids(const moved_tables *t, const tn_model *m, const places *p)
{
    for (size_t k = 0; k < p->count[TN_KIND_SUBSYSTEM]; k++)
        for (size_t i = 0; t->subsystems[k].entity.alive && i < t->subsystems[k].port_count; i++)
            redirect_id(m, &t->subsystems[k].ports[i].target, p);
    for (size_t k = 0; k < m->group_count; k++)
        for (size_t i = 0; i < m->groups[k].body_count; i++)
            redirect_id(m, &m->groups[k].bodies[i], p);
}

/* Updates references by slot. */
static void redirect(const moved_tables *t, const tn_model *m, const places *p)
{
    redirect_ids(t, m, p);
    for (size_t k = 0; k < p->count[TN_KIND_FRAME]; k++)
        if (t->frames[k].entity.alive)
            t->frames[k].body = p->slot[TN_KIND_BODY][t->frames[k].body];
    for (size_t k = 0; k < p->count[TN_KIND_JOINT]; k++) {
        tn_joint *joint = &t->joints[k];
        if (!joint->entity.alive)
            continue;
        joint->body1 = p->slot[TN_KIND_BODY][joint->body1];
        joint->body2 = p->slot[TN_KIND_BODY][joint->body2];
        for (size_t i = 0; i < joint->term_count; i++)
            joint->terms[i].joint = p->slot[TN_KIND_JOINT][joint->terms[i].joint];
    }
    for (size_t k = 0; k < p->count[TN_KIND_FORCE]; k++) {
        tn_force *force = &t->forces[k];
        if (!force->entity.alive)
            continue;
        force->body1 = p->slot[TN_KIND_BODY][force->body1];
        force->body2 = p->slot[TN_KIND_BODY][force->body2];
        if (force->type->place == TN_PLACE_JOINT)
            force->joint = p->slot[TN_KIND_JOINT][force->joint];
    }
    for (size_t k = 0; k < p->count[TN_KIND_CONTACT]; k++) {
        tn_contact *contact = &t->contacts[k];
        for (size_t i = 0; contact->entity.alive && i < contact->body_count; i++)
            contact->bodies[i] = p->slot[TN_KIND_BODY][contact->bodies[i]];
    }
}

static void put_tables(tn_model *m, const moved_tables *t, const places *p)
{
    for (size_t k = 0; k < m->trigger_count; k++)
        m->triggers[k].joint = p->slot[TN_KIND_JOINT][m->triggers[k].joint];
    for (size_t k = 0; k < m->limit_count; k++)
        m->limits[k].joint = p->slot[TN_KIND_JOINT][m->limits[k].joint];
    tn_free(m->context, m->bodies);
    tn_free(m->context, m->frames);
    tn_free(m->context, m->joints);
    tn_free(m->context, m->forces);
    tn_free(m->context, m->contacts);
    for (size_t k = 0; k < m->subsystem_count; k++)
        if (!m->subsystems[k].entity.alive)
            tn_free(m->context, m->subsystems[k].ports);
    tn_free(m->context, m->subsystems);
    tn_names_destroy(m->names);
    m->bodies = t->bodies;
    m->frames = t->frames;
    m->joints = t->joints;
    m->forces = t->forces;
    m->contacts = t->contacts;
    m->subsystems = t->subsystems;
    m->names = t->names;
    m->body_count = m->body_capacity = p->count[TN_KIND_BODY];
    m->frame_count = m->frame_capacity = p->count[TN_KIND_FRAME];
    m->joint_count = m->joint_capacity = p->count[TN_KIND_JOINT];
    m->force_count = m->force_capacity = p->count[TN_KIND_FORCE];
    m->contact_count = m->contact_capacity = p->count[TN_KIND_CONTACT];
    m->subsystem_count = m->subsystem_capacity = p->count[TN_KIND_SUBSYSTEM];
}

static bool same_name(const tn_model *m, const tn_model *like, tn_kind kind, size_t slot)
{
    return slot < tn_table_count(like, kind) && tn_table_entity(like, kind, slot)->alive &&
           tn_table_entity(m, kind, slot)->alive &&
           strcmp(tn_table_path(m, kind, slot), tn_table_path(like, kind, slot)) == 0;
}

/* Generations: those of the other model for common entities; for the rest, generations that no old id has. */
static void give_ids(tn_model *m, const tn_model *like)
{
    m->owner = like->owner;
    for (int kind = TN_KIND_BODY; kind < KINDS; kind++) {
        m->dead[kind] = 0;
        for (size_t k = 0; k < tn_table_count(m, (tn_kind)kind); k++) {
            tn_entity *entity = tn_table_entity(m, (tn_kind)kind, k);
            bool known = k < tn_table_count(like, (tn_kind)kind);
            const tn_entity *was = known ? tn_table_entity(like, (tn_kind)kind, k) : NULL;
            bool other = was && was->alive && !same_name(m, like, (tn_kind)kind, k);
            entity->generation = !was ? 1 : other ? next_generation(was->generation) : was->generation;
            m->dead[kind] += !entity->alive;
            if (!entity->alive)
                continue;
            const char *path = tn_table_path(m, (tn_kind)kind, k);
            tn_names_remove(m->names, path);
            tn_names_put(m->names, path, tn_table_id(m, (tn_kind)kind, k));
        }
    }
}

static void renew_id(const tn_model *m, tn_id *id)
{
    if (id->kind != TN_KIND_NONE)
        *id = tn_table_id(m, (tn_kind)id->kind, id->index);
}

static void renew_ids(tn_model *m)
{
    for (size_t k = 0; k < m->subsystem_count; k++)
        for (size_t i = 0; m->subsystems[k].entity.alive && i < m->subsystems[k].port_count; i++)
            renew_id(m, &m->subsystems[k].ports[i].target);
    for (size_t k = 0; k < m->group_count; k++)
        for (size_t i = 0; i < m->groups[k].body_count; i++)
            renew_id(m, &m->groups[k].bodies[i]);
}

static void take_joint_state(tn_joint *to, const tn_joint *from)
{
    if (strcmp(to->type->name, from->type->name) != 0)
        return;
    for (size_t k = 0; k < TN_JOINT_PARAMETERS; k++)
        to->parameters[k] = isnan(to->parameters[k]) ? from->parameters[k] : to->parameters[k];
    memcpy(to->start, from->start, sizeof to->start);
    memcpy(to->start_rate, from->start_rate, sizeof to->start_rate);
    to->guess = from->guess;
}

static void take_state(tn_model *m, const tn_model *like)
{
    for (size_t k = 1; k < m->body_count; k++)
        if (same_name(m, like, TN_KIND_BODY, k)) {
            const tn_body *from = &like->bodies[k];
            m->bodies[k].pose = from->pose;
            m->bodies[k].placed = from->placed;
            m->bodies[k].place_free = from->place_free;
            m->bodies[k].given = (unsigned char)((from->given & ~TN_GIVEN_AXIS) | (m->bodies[k].given & TN_GIVEN_AXIS));
            tn_copy3(m->bodies[k].velocity, from->velocity);
            tn_copy3(m->bodies[k].angular_velocity, from->angular_velocity);
        }
    for (size_t k = 0; k < m->joint_count; k++)
        if (same_name(m, like, TN_KIND_JOINT, k))
            take_joint_state(&m->joints[k], &like->joints[k]);
    for (size_t k = 0; k < m->force_count; k++)
        if (same_name(m, like, TN_KIND_FORCE, k) && strcmp(m->forces[k].type->name, like->forces[k].type->name) == 0)
            memcpy(m->forces[k].start, like->forces[k].start, sizeof m->forces[k].start);
}

int tn_model_align(tn_model *model, const tn_model *like)
{
    places p = { 0 };
    moved_tables t = { 0 };
    int code = TN_OK;
    for (int kind = TN_KIND_BODY; kind < KINDS && code == TN_OK; kind++)
        code = place_kind(&p, model, like, (tn_kind)kind);
    if (code == TN_OK)
        code = move_tables(&t, model, &p);
    if (code == TN_OK) {
        redirect(&t, model, &p);
        put_tables(model, &t, &p);
        give_ids(model, like);
        renew_ids(model);
        take_state(model, like);
    } else {
        tn_free(model->context, t.bodies);
        tn_free(model->context, t.frames);
        tn_free(model->context, t.joints);
        tn_free(model->context, t.forces);
        tn_free(model->context, t.contacts);
        tn_free(model->context, t.subsystems);
        tn_names_destroy(t.names);
    }
    for (int kind = TN_KIND_BODY; kind < KINDS; kind++)
        tn_free(model->context, p.slot[kind]);
    return code;
}
