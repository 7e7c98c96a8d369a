/* Enumerating the channels of a session, and finding them by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "channels.h"
#include "device_network.h"
#include "event_list.h"
#include "vec.h"
#include "fmi.h"

/* ---- enumeration ---- */

/* Collects the probes that match the wanted name; wanted NULL: all probes. */
typedef struct collector {
    tn_session *session;
    tn_probe_list *list;
    tn_arena *arena;               /* of the names */
    const char *wanted;
    int code;
} collector;

static bool matches(const char *name, const char *wanted)
{
    size_t n = strlen(wanted);
    return strncmp(name, wanted, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

/* Adds the channel of that name if it matches the wanted name. */
static void offer_channel(collector *c, const tn_probe *probe, const char *name)
{
    if (c->code < 0 || (c->wanted && !matches(name, c->wanted)))
        return;
    tn_session *s = c->session;
    c->code = tn_grow(s->context, &c->list->items, &c->list->capacity, c->list->count + 1, sizeof(tn_probe));
    if (c->code < 0)
        return;
    tn_probe *added = &c->list->items[c->list->count];
    *added = *probe;
    added->name = tn_arena_strdup(c->arena, name);
    if (!added->name) {
        c->code = TN_ERROR_MEMORY;
        return;
    }
    c->list->count++;
}

/* Properties of the owner that decide whether conditional rows apply. */
typedef struct circumstance {
    bool particle;
    bool angle;                    /* the coordinate is an angle */
} circumstance;

static bool row_applies(const tn_channel_row *row, const tn_system *s, circumstance now)
{
    const int dimension = s->dimension;
    switch (row->when) {
    case TN_CASE_ALWAYS: return true;
    case TN_CASE_TURNING: return !now.particle;
    case TN_CASE_PLANE: return !now.particle && dimension == 2;
    case TN_CASE_SPACE: return !now.particle && dimension == 3;
    case TN_CASE_LENGTH: return !now.angle;
    case TN_CASE_ANGLE: return now.angle;
    case TN_CASE_NETWORK: return tn_network_has_account(s);
    }
    return false;
}

/* Can a channel of this row and owner match the wanted name? */
static bool concerns_row(const collector *c, const char *owner, const tn_channel_row *row)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s%s", owner, owner[0] && row->name[0] ? "." : "", row->name);
    size_t n = strlen(name);
    return !c->wanted || strncmp(c->wanted, name, strlen(c->wanted) < n ? strlen(c->wanted) : n) == 0;
}

/* Offers all rows of one kind of owner, for the owner of that name. */
static void offer_rows(collector *c, tn_channel_owner kind, const char *owner, tn_probe p, circumstance now)
{
    const int dimension = c->session->system->dimension;
    for (const tn_channel_row *row = tn_channel_table; row->value; row++) {
        if (row->owner != kind || !row_applies(row, c->session->system, now) || !concerns_row(c, owner, row))
            continue;
        p.row = row;
        p.unit = now.angle && row->angle_unit ? row->angle_unit : row->unit;
        for (int k = 0; k < tn_channel_parts(row->shape, dimension); k++) {
            char name[512];
            snprintf(name, sizeof name, "%s%s%s%s", owner, owner[0] && row->name[0] ? "." : "", row->name,
                     tn_channel_part(row->shape, dimension, k));
            p.component = row->shape == TN_SHAPED_TURN && dimension == 2 ? 2 : k;
            offer_channel(c, &p, name);
        }
    }
}

static void offer_frame(collector *c, const char *owner, uint32_t body_slot, const tn_pose *pose)
{
    const tn_system *s = c->session->system;
    tn_probe p = { .body = body_slot, .pose = *pose };
    int body = s->body_of[body_slot];
    offer_rows(c, TN_OF_FRAME, owner, p,
               (circumstance){ .particle = body >= 0 && s->bodies[body].motion == TN_MOTION_PARTICLE });
}

static void offer_body(collector *c, uint32_t slot)
{
    const tn_model *m = c->session->model;
    tn_pose identity = tn_pose_identity();
    if (slot > 0)
        offer_frame(c, m->bodies[slot].entity.name, slot, &identity);
    for (size_t k = 0; k < m->frame_count; k++)
        if (m->frames[k].entity.alive && m->frames[k].body == slot)
            offer_frame(c, m->frames[k].path, slot, &m->frames[k].pose);
}

/* Offers the rows of one coordinate of a joint. */
static void offer_coordinate(collector *c, tn_channel_owner kind, const char *owner, tn_probe p,
                             const tn_joint_form *form, int coordinate)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s", owner, form->coordinates[coordinate].name);
    p.coordinate = coordinate;
    offer_rows(c, kind, name, p, (circumstance){ .angle = form->coordinates[coordinate].unit[0] == 'r' });
}

static void offer_limits(collector *c, tn_id joint, const char *owner, tn_probe p, const tn_joint_form *form)
{
    const tn_model *m = c->session->model;
    tn_ratchet ratchet = tn_model_ratchet(m, joint);
    for (size_t k = 0; k < tn_model_limit_count(m, joint); k++)
        offer_coordinate(c, TN_OF_LIMIT, owner, p, form,
                         tn_joint_coordinate_find(form, tn_model_limit_at(m, joint, k).coordinate));
    if (ratchet.way != 0)
        offer_coordinate(c, TN_OF_RATCHET, owner, p, form, tn_joint_coordinate_find(form, ratchet.coordinate));
}

typedef struct wording {
    const char *text;          /* NULL: the name of the channel */
    const char *from;          /* entity in which names are looked up first; NULL: the model */
    const char *unit;          /* NULL: the unit of the expression */
    tn_span span;
} wording;

/* Offers a channel by expression: an output of a force, or an output that the model defines. */
static void offer_formula(collector *c, const char *owner, const char *what, const wording *w)
{
    char name[512];
    tn_probe p = { .row = NULL };
    snprintf(name, sizeof name, "%s%s%s", owner, what[0] ? "." : "", what);
    if (c->code < 0 || (c->wanted && !matches(name, c->wanted)))
        return;
    c->code = tn_channel_formula_get(&p.formula, c->session, &(tn_channel_text){
                  .name = name, .text = w->text ? w->text : name, .from = w->from, .unit = w->unit, .span = w->span });
    if (c->code < 0)
        return;
    p.unit = tn_channel_formula_unit(p.formula);
    p.of_force = what[0] != '\0';
    offer_channel(c, &p, name);
}

/* Offers what a device has beyond a force: unknowns, memories, flows into its ports, its energy account. */
static void offer_device(collector *c, const tn_force *force)
{
    const tn_device *d = force->type->device;
    const char *owner = force->entity.name;
    const tn_span span = force->entity.span;
    const struct { const char *name, *text, *unit; } accounts[] = {
        { "stored", d->stored, "J" }, { "loss", d->loss, "W" }, { "supplied", d->supplied, "W" }
    };
    for (int k = 0; k < TN_DEVICE_UNKNOWNS && d->unknowns[k].name; k++)
        offer_formula(c, owner, d->unknowns[k].name, &(wording){ .unit = d->unknowns[k].unit, .span = span });
    for (int k = 0; k < TN_DEVICE_MEMORIES && d->memories[k].name; k++)
        offer_formula(c, owner, d->memories[k].name, &(wording){ .unit = d->memories[k].unit, .span = span });
    const tn_fmi_facts *fmu = d->external ? tn_fmi_facts_of(d->external) : NULL;
    for (int k = 0; fmu && k < fmu->outputs; k++)
        offer_formula(c, owner, fmu->output[k].name, &(wording){ .unit = fmu->output[k].unit, .span = span });
    if (d->modes[0]) {
        offer_formula(c, owner, "mode", &(wording){ .unit = "", .span = span });
        offer_formula(c, owner, "since", &(wording){ .unit = "s", .span = span });
        if (d->hold_mode) {
            const char *port = d->ports[tn_device_port_find(force->type, d->hold_port)].domain;
            offer_formula(c, owner, "hold", &(wording){ .unit = strcmp(port, TN_PORT_ROTARY) == 0 ? "N m" : "N", .span = span });
        }
    }
    for (int k = 0; k < TN_DEVICE_PORTS && d->ports[k].name; k++) {
        const tn_domain *domain = tn_domain_find(d->ports[k].domain);
        for (int n = 0; domain && n < TN_DOMAIN_ACROSS && domain->through[n].name && !tn_port_open(force, k); n++) {
            char name[160];
            snprintf(name, sizeof name, "%.60s.%.60s", d->ports[k].name, domain->through[n].name);
            offer_formula(c, owner, name, &(wording){ .unit = domain->through[n].unit, .span = span });
        }
    }
    for (int k = 0; k < 3; k++)
        if (accounts[k].text)
            offer_formula(c, owner, accounts[k].name, &(wording){ .unit = accounts[k].unit, .span = span });
}

static void offer_force(collector *c, uint32_t slot)
{
    const tn_force *force = &c->session->model->forces[slot];
    const tn_force_type *type = force->type;
    const char *owner = force->entity.name;
    const tn_span span = force->entity.span;
    bool angle = tn_force_along_angle(c->session->model, force);
    char unit[40];
    if (type->input) {                                 /* its channel has its name alone */
        offer_formula(c, owner, "", &(wording){ .unit = force->unit, .span = span });
        return;
    }
    if (type->named) {
        if (!tn_expr_is_function(force->expressions && force->expressions[0] ? force->expressions[0]->text : ""))
            offer_formula(c, owner, "", &(wording){ .span = span });
        return;
    }
    if (type->device && (type->device->medium || (tn_force_domain(force) &&
                                                  c->session->system->network->ports[slot] == 0)))
        return;
    for (int k = 0; k < TN_FORCE_STATES && type->states[k].name; k++)
        offer_formula(c, owner, type->states[k].name, &(wording){
                      .unit = type->states[k].unit ? tn_unit_for(type->states[k].unit, angle, unit, sizeof unit)
                                                   : force->unit, .span = span });
    for (int k = 0; k < TN_FORCE_CHANNELS && type->channels[k].name; k++)
        offer_formula(c, owner, type->channels[k].name, &(wording){
                      .unit = tn_unit_for(type->channels[k].unit, angle, unit, sizeof unit), .span = span });
    for (int k = 0; force->expressions && k < TN_FORCE_PARAMETERS && type->parameters[k].name; k++)
        if (force->expressions[k] && (type->place != TN_PLACE_NONE || type->device) &&
            strcmp(type->parameters[k].unit, TN_UNIT_TABLE) != 0)
            offer_formula(c, owner, type->parameters[k].name, &(wording){
                          .unit = tn_unit_for(type->parameters[k].unit, angle, unit, sizeof unit), .span = span });
    if (tn_force_is_device(force))
        offer_device(c, force);
    const tn_probe p = { .index = c->session->system->force_of[slot] };
    if (type->place != TN_PLACE_NONE || type->effort[0])
        offer_rows(c, TN_OF_FORCE, owner, p, (circumstance){ 0 });
    if (type->place == TN_PLACE_FRAMES || (type->place == TN_PLACE_JOINT &&
                                           c->session->model->joints[force->joint].type->joints == 0))
        offer_rows(c, TN_OF_ENDS, owner, p, (circumstance){ 0 });
}

/* Offers the channels that the model defines by expressions. */
static void offer_own(collector *c)
{
    const tn_model *m = c->session->model;
    for (size_t k = 0; k < m->output_count; k++)
        if (m->outputs[k].expression && tn_path_active(m, m->outputs[k].channel))
            offer_formula(c, m->outputs[k].channel, "", &(wording){ .text = m->outputs[k].expression,
                          .from = m->outputs[k].channel, .span = m->outputs[k].span });
}

static void offer_event(collector *c, size_t k)
{
    const tn_event *event = c->session->events->list[k];
    if (!tn_event_waits(c->session, event))
        offer_formula(c, event->name, "value", &(wording){ .text = event->def.when.text,
                      .from = tn_event_viewpoint(c->session, event), .span = event->def.when.span });
    offer_rows(c, TN_OF_EVENT, event->name, (tn_probe){ .index = (int)k }, (circumstance){ 0 });
}

/* Offers the channels of the events of a joint (its fuse, latch or closing), also of an inactive joint. joint NULL: all
 * other events. */
static void offer_events(collector *c, const uint32_t *joint)
{
    for (size_t k = 0; k < c->session->events->count; k++) {
        const tn_event *event = c->session->events->list[k];
        bool own = event->is_fuse || event->is_latch || event->is_closing;
        if (tn_path_active(c->session->model, event->name) && (joint ? own && event->joint == *joint : !own))
            offer_event(c, k);
    }
}

static void offer_drive(collector *c, const tn_joint *joint, tn_probe p)
{
    const tn_model *m = c->session->model;
    const tn_joint_form *form = tn_joint_form_of(m, m->joints[joint->terms[0].joint].type);
    bool angle = form->coordinates[joint->terms[0].coordinate].unit[0] == 'r';
    offer_rows(c, TN_OF_DRIVE, joint->entity.name, p, (circumstance){ .angle = angle });
}

/* The body or frame at the beginning of text, as seen from the subsystem of the owner, then from the model; its length. */
static tn_id find_point(const tn_model *m, const char *owner, const char *text, size_t *length)
{
    const char *dot = strrchr(owner, '.'), *rest = NULL;
    const size_t inside = dot ? (size_t)(dot - owner) + 1 : 0;
    char path[TN_PATH_SIZE];
    snprintf(path, sizeof path, "%.*s%s", (int)inside, owner, text);
    tn_id id = tn_model_split(m, path, &rest);
    if (id.kind == TN_KIND_BODY || id.kind == TN_KIND_FRAME) {
        *length = (rest ? (size_t)(rest - path) - 1 : strlen(path)) - inside;
        return id;
    }
    id = tn_model_split(m, text, &rest);
    *length = rest ? (size_t)(rest - text) - 1 : strlen(text);
    return id;
}

/* Offers the reaction about a point that the wanted name tells: NAME.reaction_about.FRAME. */
static void offer_point(collector *c, const char *owner, tn_probe p)
{
    static const char about[] = ".reaction_about.";
    const tn_model *m = c->session->model;
    const size_t n = strlen(owner), start = n + sizeof about - 1;
    size_t length = 0;
    char name[512];
    if (!c->wanted || strncmp(c->wanted, owner, n) != 0 || strncmp(c->wanted + n, about, sizeof about - 1) != 0)
        return;
    tn_id id = find_point(m, owner, c->wanted + start, &length);
    if ((id.kind != TN_KIND_FRAME && id.kind != TN_KIND_BODY) || !tn_model_active(m, id))
        return;
    const tn_pose identity = tn_pose_identity();
    const bool frame = id.kind == TN_KIND_FRAME;
    p.body = frame ? m->frames[id.index].body : id.index;
    p.pose = frame ? m->frames[id.index].pose : identity;
    snprintf(name, sizeof name, "%.*s", (int)(start + length), c->wanted);
    offer_rows(c, TN_OF_POINT, name, p, (circumstance){ 0 });
}

static void offer_joint(collector *c, uint32_t slot)
{
    const tn_system *s = c->session->system;
    const tn_joint *joint = &c->session->model->joints[slot];
    const char *owner = joint->entity.name;
    tn_probe p = { .index = s->constraint_of[slot] };
    if (tn_joint_motion(joint)) {
        offer_drive(c, joint, p);
    } else if (joint->type->joints != 0) {
        offer_rows(c, TN_OF_COUPLING, owner, p, (circumstance){ 0 });
    } else {
        const tn_joint_form *form = tn_joint_form_of(c->session->model, joint->type);
        for (int k = 0; k < s->coordinates[p.index].count; k++)
            offer_coordinate(c, TN_OF_COORDINATE, owner, p, form, k);
        offer_limits(c, tn_constraint_id(s, p.index), owner, p, form);
        offer_rows(c, TN_OF_JOINT, owner, p, (circumstance){ 0 });
        offer_point(c, owner, p);
    }
    offer_rows(c, TN_OF_ANY_JOINT, owner, p, (circumstance){ 0 });
}

static void offer_contact(collector *c, uint32_t slot)
{
    offer_rows(c, TN_OF_CONTACT, c->session->model->contacts[slot].entity.name, (tn_probe){ .index = (int)slot },
               (circumstance){ 0 });
}

static void offer_globals(collector *c)
{
    offer_rows(c, TN_OF_MODEL, "", (tn_probe){ .row = NULL }, (circumstance){ 0 });
}

/* Offers the channels of the session's pull. They are listed while a pull is active, and are found by name at any time.
 * An entity of the model with the same name has priority. */
static void offer_pull(collector *c)
{
    tn_id named = tn_model_find(c->session->model, "pull");
    bool other = named.kind != TN_KIND_NONE && c->wanted && strcmp(c->wanted, "pull") == 0;
    if (other || (c->wanted ? !matches(c->wanted, "pull") : !c->session->overlay.pull.active))
        return;
    offer_rows(c, TN_OF_PULL, "pull", (tn_probe){ .row = NULL }, (circumstance){ 0 });
}

/* Can a channel of the entity, or of an entity inside it, match the wanted name? */
static bool concerns_entity(const collector *c, const tn_entity *entity)
{
    return !c->wanted || tn_path_inside(entity->name, c->wanted) || tn_path_inside(c->wanted, entity->name);
}

static void offer_entities(collector *c)
{
    const tn_model *m = c->session->model;
    for (uint32_t k = 0; k < m->body_count; k++)
        if (tn_body_active(m, k) && concerns_entity(c, &m->bodies[k].entity))
            offer_body(c, k);
    for (uint32_t k = 0; k < m->joint_count; k++) {
        if (!m->joints[k].entity.alive || !concerns_entity(c, &m->joints[k].entity))
            continue;
        if (tn_joint_active(m, k))
            offer_joint(c, k);
        offer_events(c, &k);
    }
    for (uint32_t k = 0; k < m->force_count; k++)
        if (tn_force_active(m, k) && concerns_entity(c, &m->forces[k].entity))
            offer_force(c, k);
    for (uint32_t k = 0; k < m->contact_count; k++)
        if (tn_contact_active(m, k) && concerns_entity(c, &m->contacts[k].entity))
            offer_contact(c, k);
}

static void offer_all(collector *c)
{
    offer_globals(c);
    offer_entities(c);
    offer_pull(c);
    offer_own(c);
    offer_events(c, NULL);
}

/* The first part of a channel's name: the entity. */
typedef struct beginning {
    tn_id id;                      /* kind NONE: the name begins with no entity of the model */
    char path[TN_PATH_SIZE];       /* the part of the name for the entity: a port keeps its own name */
    const char *rest;              /* the part after the entity; NULL: none */
} beginning;

static beginning begin_probes(const tn_model *model, const char *name)
{
    beginning b = { .rest = NULL };
    b.id = tn_model_split(model, name, &b.rest);
    if (b.id.kind != TN_KIND_NONE)
        snprintf(b.path, sizeof b.path, "%.*s", b.rest ? (int)(b.rest - name) - 1 : (int)strlen(name), name);
    return b;
}

/* Offers all channels of the entity; without an entity, the channels of the whole model. */
static void offer_owner(collector *c, const beginning *b)
{
    const tn_model *m = c->session->model;
    if (b->id.kind == TN_KIND_JOINT)
        offer_events(c, &b->id.index);
    if (!tn_model_active(m, b->id))
        return;
    bool port = b->id.kind == TN_KIND_BODY && strcmp(b->path, m->bodies[b->id.index].entity.name) != 0;
    const tn_pose identity = tn_pose_identity();
    if (b->id.kind == TN_KIND_FRAME)
        offer_frame(c, b->path, m->frames[b->id.index].body, &m->frames[b->id.index].pose);
    else if (port)
        offer_frame(c, b->path, b->id.index, &identity);
    else if (b->id.kind == TN_KIND_BODY)
        offer_body(c, b->id.index);
    else if (b->id.kind == TN_KIND_JOINT)
        offer_joint(c, b->id.index);
    else if (b->id.kind == TN_KIND_FORCE)
        offer_force(c, b->id.index);
    else if (b->id.kind == TN_KIND_CONTACT)
        offer_contact(c, b->id.index);
    else if (b->id.kind == TN_KIND_NONE)
        offer_globals(c);
    else
        offer_entities(c);
    if (b->id.kind == TN_KIND_NONE || b->id.kind == TN_KIND_SUBSYSTEM) {
        offer_own(c);
        offer_events(c, NULL);
    }
    offer_pull(c);
}

/* Expands a short name: "pivot.rate" means the rate of the joint's first coordinate, "rotor.angle" that of a rotor's axis. */
static const char *resolve_short(const tn_session *s, const beginning *b, const char *name, char *buffer, size_t size)
{
    if (b->id.kind != TN_KIND_JOINT || !b->rest)
        return name;
    const tn_joint *joint = &s->model->joints[b->id.index];
    const tn_joint_form *form = tn_joint_form_of(s->model, joint->type);
    if (strcmp(b->rest, "rate") != 0 && strcmp(b->path, joint->entity.name) != 0) {
        snprintf(buffer, size, "%s.%s", joint->entity.name, b->rest);
        return buffer;
    }
    if (strcmp(b->rest, "rate") != 0 || !form->coordinates[0].name)
        return name;
    snprintf(buffer, size, "%s.%s.rate", joint->entity.name, form->coordinates[0].name);
    return buffer;
}

/* Keeps only the channel with exactly the wanted name, if there is one: "pivot.angle" does not include its rate. */
static void keep_exact(tn_probe_list *list, size_t first, const char *wanted)
{
    for (size_t k = first; wanted && k < list->count; k++)
        if (strcmp(list->items[k].name, wanted) == 0) {
            list->items[first] = list->items[k];
            list->count = first + 1;
            return;
        }
}

/* A coordinate that was asked for by the name of a rotor or slider keeps that name: "wheel.angle", not "wheel-axis.angle". */
static int name_by_body(collector *c, const beginning *b, size_t first)
{
    char buffer[512];
    if (b->id.kind != TN_KIND_JOINT || !b->rest || c->list->count != first + 1)
        return TN_OK;
    const char *joint = c->session->model->joints[b->id.index].entity.name;
    tn_probe *probe = &c->list->items[first];
    const size_t length = strlen(joint);
    if (strcmp(b->path, joint) == 0 || strncmp(probe->name, joint, length) != 0)
        return TN_OK;
    snprintf(buffer, sizeof buffer, "%s%s", b->path, probe->name + length);
    probe->name = tn_arena_strdup(c->arena, buffer);
    return probe->name ? TN_OK : TN_ERROR_MEMORY;
}

int tn_probes_add(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *name, size_t *added)
{
    char buffer[512];
    beginning b = begin_probes(session->model, name);
    collector c = { .session = session, .list = list, .arena = arena,
                    .wanted = resolve_short(session, &b, name, buffer, sizeof buffer) };
    size_t before = list->count;
    if (strcmp(name, "all") == 0) {
        c.wanted = NULL;
        offer_all(&c);
    } else {
        offer_owner(&c, &b);
    }
    keep_exact(list, before, c.wanted);
    *added = list->count - before;
    return c.code < 0 ? c.code : name_by_body(&c, &b, before);
}

static int rebind_probe(tn_session *s, tn_probe *probe)
{
    tn_probe_list found = { 0 };
    size_t added = 0;
    char *name = probe->name;
    const char *unit = probe->unit;
    tn_report_mark mark = tn_report_now(s->context);
    int code = tn_probes_add(s, &found, s->binding, name, &added);
    if (code < 0 && code != TN_ERROR_MEMORY)
        tn_report_forget(s->context, mark);            /* a missing channel is no error */
    *probe = added == 1 ? found.items[0] : (tn_probe){ .row = NULL };
    probe->name = name;
    probe->unit = unit;
    tn_free(s->context, found.items);
    return code == TN_ERROR_MEMORY ? code : TN_OK;
}

int tn_channels_rebind(tn_session *s)
{
    tn_channel_formulas_close(s);
    tn_free(s->context, s->channels->all.items);
    s->channels->all = (tn_probe_list){ 0 };
    for (size_t k = 0; k < s->channels->recorded.count; k++)
        TN_TRY(rebind_probe(s, &s->channels->recorded.items[k]));
    for (size_t k = 0; k < s->channels->reference.column_count; k++)
        TN_TRY(rebind_probe(s, &s->channels->reference.columns[k].probe));
    return tn_readouts_rebind(s);
}

/* ---- errors ---- */

typedef struct names_of {
    const tn_probe_list *list;
    const tn_model *model;
} names_of;

static const char *probe_candidate(void *user, size_t index)
{
    names_of *n = user;
    if (index < n->list->count)
        return n->list->items[index].name;
    return tn_model_name_candidate((void *)(uintptr_t)n->model, index - n->list->count);
}

int tn_probe_unknown(tn_session *session, const char *name, tn_span span)
{
    char hint[560], why[TN_INACTIVE_SIZE];
    tn_probe_list list = { 0 };
    beginning b = begin_probes(session->model, name);
    if (strpbrk(name, "()+*/^ "))
        return tn_fail(session->context, TN_ERROR_ARGUMENT, span, "'%.200s' is no channel but an expression, which needs a name: "
                       "{ NAME: %.200s }", name, name);
    if (!tn_model_active(session->model, b.id))
        return tn_fail(session->context, TN_ERROR_ARGUMENT, span, "there is no channel '%s': %s", name,
                       tn_model_inactive_text(session->model, b.id, why, sizeof why));
    collector c = { .session = session, .list = &list, .arena = tn_arena_create(session->context) };
    if (!c.arena)
        return TN_ERROR_MEMORY;
    offer_owner(&c, &b);
    names_of names = { &list, session->model };
    tn_fail(session->context, TN_ERROR_ARGUMENT, span, "there is no channel '%s'%s", name,
            tn_did_you_mean(hint, sizeof hint, name, probe_candidate, &names));
    tn_free(session->context, list.items);
    tn_arena_destroy(c.arena);
    return TN_ERROR_ARGUMENT;
}
