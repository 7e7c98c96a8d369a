/* Channels by name: which there are, and what each is worth at a state. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "session_impl.h"
#include "vec.h"

static const char *const xyz[] = { "x", "y", "z" };

/* ---- enumeration ---- */

/* Collects the probes that match; wanted NULL takes all. */
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

static void offer(collector *c, const tn_probe *probe, const char *owner, const char *what, const char *part)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s%s%s%s", owner, owner[0] && what[0] ? "." : "", what, part ? "." : "",
             part ? part : "");
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

static void offer_vector(collector *c, tn_probe probe, const char *owner, const char *what, tn_measure measure,
                         const char *unit)
{
    probe.measure = measure;
    probe.unit = unit;
    for (int k = 0; k < c->session->system->dimension; k++) {
        probe.component = k;
        offer(c, &probe, owner, what, xyz[k]);
    }
}

/* A rotational quantity: a number in the plane, a vector in space. */
static void offer_rotational(collector *c, tn_probe probe, const char *owner, const char *what, tn_measure measure,
                             const char *unit)
{
    if (c->session->system->dimension == 3) {
        offer_vector(c, probe, owner, what, measure, unit);
        return;
    }
    probe.measure = measure;
    probe.unit = unit;
    probe.component = 2;
    offer(c, &probe, owner, what, NULL);
}

static void offer_frame(collector *c, const char *owner, uint32_t body_slot, const tn_pose *pose)
{
    static const char *const wxyz[] = { "w", "x", "y", "z" };
    const tn_system *s = c->session->system;
    tn_probe p = { .frame = tn_system_frame(s, body_slot, pose) };
    int body = s->body_of[body_slot];
    p.frame_in_body = body >= 0 ? tn_pose_relative(&s->bodies[body].offset, pose) : *pose;
    offer_vector(c, p, owner, "position", TN_MEASURE_POSITION, "m");
    offer_vector(c, p, owner, "velocity", TN_MEASURE_VELOCITY, "m/s");
    offer_vector(c, p, owner, "acceleration", TN_MEASURE_ACCELERATION, "m/s^2");
    if (body >= 0 && s->bodies[body].motion == TN_MOTION_PARTICLE)
        return;
    offer_rotational(c, p, owner, "angular_velocity", TN_MEASURE_ANGULAR_VELOCITY, "rad/s");
    offer_rotational(c, p, owner, "angular_acceleration", TN_MEASURE_ANGULAR_ACCELERATION, "rad/s^2");
    if (s->dimension == 2) {
        p.measure = TN_MEASURE_ANGLE;
        p.unit = "rad";
        offer(c, &p, owner, "angle", NULL);
        return;
    }
    p.measure = TN_MEASURE_ORIENTATION;
    p.unit = "";
    for (int k = 0; k < 4; k++) {
        p.component = k;
        offer(c, &p, owner, "orientation", wxyz[k]);
    }
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

static void offer_coordinates(collector *c, const char *owner, tn_probe p, const tn_joint_form *form, int count)
{
    for (int k = 0; k < count; k++) {
        const tn_coordinate_decl *decl = &form->coordinates[k];
        bool angle = decl->unit[0] == 'r';
        p.component = k;
        p.measure = TN_MEASURE_COORDINATE;
        p.unit = decl->unit;
        offer(c, &p, owner, decl->name, NULL);
        p.measure = TN_MEASURE_COORDINATE_RATE;
        p.unit = angle ? "rad/s" : "m/s";
        offer(c, &p, owner, decl->name, "rate");
        p.measure = TN_MEASURE_COORDINATE_ACCELERATION;
        p.unit = angle ? "rad/s^2" : "m/s^2";
        offer(c, &p, owner, decl->name, "acceleration");
    }
}

static void offer_limits(collector *c, tn_id joint, const char *owner, tn_probe p, const tn_joint_form *form)
{
    const tn_model *m = c->session->model;
    p.measure = TN_MEASURE_LIMIT;
    for (size_t k = 0; k < tn_model_limit_count(m, joint); k++) {
        p.component = tn_joint_coordinate_find(form, tn_model_limit_at(m, joint, k).coordinate);
        p.unit = form->coordinates[p.component].unit[0] == 'r' ? "N m" : "N";
        offer(c, &p, owner, form->coordinates[p.component].name, "limit");
    }
}

/* A channel by expression: of a force, or the model's own. */
static void offer_formula(collector *c, const char *owner, const char *what, const char *text, const char *unit,
                          tn_span span)
{
    char name[512];
    tn_probe p = { .measure = TN_MEASURE_FORMULA };
    snprintf(name, sizeof name, "%s%s%s", owner, what[0] ? "." : "", what);
    if (c->code < 0 || (c->wanted && !matches(name, c->wanted)))
        return;
    c->code = tn_channel_formula_get(&p.formula, c->session, name, text ? text : name, unit, span);
    if (c->code < 0)
        return;
    p.unit = tn_channel_formula_unit(p.formula);
    p.of_force = what[0] != '\0';
    offer(c, &p, owner, what, NULL);
}

static void offer_force(collector *c, uint32_t slot)
{
    const tn_force *force = &c->session->model->forces[slot];
    const tn_force_type *type = force->type;
    const char *owner = force->entity.name;
    bool angle = tn_force_along_angle(c->session->model, force);
    char unit[40];
    for (int k = 0; k < TN_FORCE_STATES && type->states[k].name; k++)
        offer_formula(c, owner, type->states[k].name, NULL,
                      type->states[k].unit ? tn_unit_for(type->states[k].unit, angle, unit, sizeof unit) : force->unit,
                      force->entity.span);
    for (int k = 0; k < TN_FORCE_CHANNELS && type->channels[k].name; k++)
        offer_formula(c, owner, type->channels[k].name, NULL,
                      tn_unit_for(type->channels[k].unit, angle, unit, sizeof unit), force->entity.span);
    for (int k = 0; force->expressions && k < TN_FORCE_PARAMETERS && type->parameters[k].name; k++)
        if (force->expressions[k] && type->place != TN_PLACE_NONE &&
            strcmp(type->parameters[k].unit, TN_UNIT_TABLE) != 0)
            offer_formula(c, owner, type->parameters[k].name, NULL,
                          tn_unit_for(type->parameters[k].unit, angle, unit, sizeof unit), force->entity.span);
    if (type->place != TN_PLACE_NONE)
        offer(c, &(tn_probe){ .measure = TN_MEASURE_FORCE_POWER, .unit = "W",
                              .index = c->session->system->force_of[slot] }, owner, "power", NULL);
}

/* Channels that the model defines itself. */
static void offer_own(collector *c)
{
    const tn_model *m = c->session->model;
    for (size_t k = 0; k < m->output_count; k++)
        if (m->outputs[k].expression)
            offer_formula(c, m->outputs[k].channel, "", m->outputs[k].expression, NULL, m->outputs[k].span);
}

static void offer_event(collector *c, size_t k)
{
    const tn_event *event = c->session->events.list[k];
    tn_probe p = { .measure = TN_MEASURE_EVENT_COUNT, .unit = "", .index = (int)k };
    if (!tn_event_waits(c->session, event))
        offer_formula(c, event->name, "value", event->def.when.text, NULL, event->def.when.span);
    offer(c, &p, event->name, "count", NULL);
    p.measure = TN_MEASURE_EVENT_TIME;
    p.unit = "s";
    offer(c, &p, event->name, "time", NULL);
}

/* Those of a joint, whether it takes part or not; NULL: all others. */
static void offer_events(collector *c, const uint32_t *joint)
{
    for (size_t k = 0; k < c->session->events.count; k++) {
        const tn_event *event = c->session->events.list[k];
        bool own = event->is_fuse || event->is_latch || event->is_closing;
        if (joint ? own && event->joint == *joint : !own)
            offer_event(c, k);
    }
}

static void offer_drive(collector *c, const tn_joint *joint, tn_probe p)
{
    const tn_model *m = c->session->model;
    const tn_joint_form *form = tn_joint_form_of(m, m->joints[joint->terms[0].joint].type);
    bool angle = form->coordinates[joint->terms[0].coordinate].unit[0] == 'r';
    p.measure = TN_MEASURE_MULTIPLIER;
    p.unit = angle ? "N m" : "N";
    offer(c, &p, joint->entity.name, angle ? "torque" : "force", NULL);
    p.measure = TN_MEASURE_JOINT_POWER;
    p.unit = "W";
    offer(c, &p, joint->entity.name, "power", NULL);
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
        p.measure = TN_MEASURE_MULTIPLIER;
        p.unit = "";
        offer(c, &p, owner, "multiplier", NULL);
    } else {
        const tn_joint_form *form = tn_joint_form_of(c->session->model, joint->type);
        offer_coordinates(c, owner, p, form, s->coordinates[p.index].count);
        offer_limits(c, tn_constraint_id(s, p.index), owner, p, form);
        offer_vector(c, p, owner, "reaction.force", TN_MEASURE_FORCE, "N");
        offer_rotational(c, p, owner, "reaction.torque", TN_MEASURE_TORQUE, "N m");
        offer_vector(c, p, owner, "reaction_local.force", TN_MEASURE_LOCAL_FORCE, "N");
        offer_rotational(c, p, owner, "reaction_local.torque", TN_MEASURE_LOCAL_TORQUE, "N m");
    }
    p.measure = TN_MEASURE_DRIFT;
    p.unit = "";
    offer(c, &p, owner, "drift", NULL);
}

static void offer_contact(collector *c, uint32_t slot)
{
    const char *owner = c->session->model->contacts[slot].entity.name;
    tn_probe p = { .index = (int)slot };
    offer_vector(c, p, owner, "force", TN_MEASURE_CONTACT_FORCE, "N");
    p.measure = TN_MEASURE_CONTACT_NORMAL;
    p.unit = "N";
    offer(c, &p, owner, "normal", NULL);
    p.measure = TN_MEASURE_CONTACT_GAP;
    p.unit = "m";
    offer(c, &p, owner, "gap", NULL);
    p.measure = TN_MEASURE_CONTACT_CLOSED;
    p.unit = "";
    offer(c, &p, owner, "closed", NULL);
}

static void offer_globals(collector *c)
{
    static const struct { const char *owner, *what, *unit; tn_measure measure; } single[] = {
        { "", "t", "s", TN_MEASURE_TIME },
        { "energy", "kinetic", "J", TN_MEASURE_KINETIC },
        { "energy", "potential", "J", TN_MEASURE_POTENTIAL },
        { "energy", "total", "J", TN_MEASURE_TOTAL },
        { "energy", "work", "J", TN_MEASURE_WORK },
        { "energy", "error", "J", TN_MEASURE_ENERGY_ERROR },
        { "drift", "max", "", TN_MEASURE_MAX_DRIFT },
        { "constraints", "sigma", "", TN_MEASURE_SIGMA },
    };
    for (size_t k = 0; k < TN_LENGTH(single); k++)
        offer(c, &(tn_probe){ .measure = single[k].measure, .unit = single[k].unit }, single[k].owner, single[k].what,
              NULL);
    offer_vector(c, (tn_probe){ 0 }, "momentum", "linear", TN_MEASURE_LINEAR_MOMENTUM, "kg m/s");
    offer_rotational(c, (tn_probe){ 0 }, "momentum", "angular", TN_MEASURE_ANGULAR_MOMENTUM, "kg m^2/s");
}

static void offer_all(collector *c)
{
    const tn_model *m = c->session->model;
    offer_globals(c);
    for (uint32_t k = 0; k < m->body_count; k++)
        if (tn_body_active(m, k))
            offer_body(c, k);
    for (uint32_t k = 0; k < m->joint_count; k++) {
        if (tn_joint_active(m, k))
            offer_joint(c, k);
        offer_events(c, &k);
    }
    for (uint32_t k = 0; k < m->force_count; k++)
        if (tn_force_active(m, k))
            offer_force(c, k);
    for (uint32_t k = 0; k < m->contact_count; k++)
        if (tn_contact_active(m, k))
            offer_contact(c, k);
    offer_own(c);
    offer_events(c, NULL);
}

/* All channels of the entity; without one, those of the whole model. */
static void offer_owner(collector *c, tn_id id)
{
    if (id.kind == TN_KIND_JOINT)
        offer_events(c, &id.index);
    if (!tn_model_active(c->session->model, id))
        return;
    if (id.kind == TN_KIND_BODY)
        offer_body(c, id.index);
    else if (id.kind == TN_KIND_JOINT)
        offer_joint(c, id.index);
    else if (id.kind == TN_KIND_FORCE)
        offer_force(c, id.index);
    else if (id.kind == TN_KIND_CONTACT)
        offer_contact(c, id.index);
    else {
        offer_globals(c);
        offer_own(c);
        offer_events(c, NULL);
    }
}

/* The entity a channel name begins with: its first component. */
static tn_id owner_of(const tn_model *model, const char *name)
{
    char first[256];
    size_t n = strcspn(name, ".");
    if (n >= sizeof first)
        return (tn_id){ 0 };
    memcpy(first, name, n);
    first[n] = '\0';
    return tn_model_find(model, first);
}

/* "pivot.rate" is short for the rate of the joint's first coordinate. */
static const char *resolve_short(const tn_session *s, tn_id id, const char *name, char *buffer, size_t size)
{
    const char *dot = strchr(name, '.');
    if (id.kind != TN_KIND_JOINT || !dot || strcmp(dot, ".rate") != 0)
        return name;
    const tn_joint *joint = &s->model->joints[id.index];
    const tn_joint_form *form = tn_joint_form_of(s->model, joint->type);
    if (!form->coordinates[0].name)
        return name;
    snprintf(buffer, size, "%s.%s.rate", joint->entity.name, form->coordinates[0].name);
    return buffer;
}

/* "pivot.angle" is the channel of that name, not the group with its rate. */
static void keep_exact(tn_probe_list *list, size_t first, const char *wanted)
{
    for (size_t k = first; wanted && k < list->count; k++)
        if (strcmp(list->items[k].name, wanted) == 0) {
            list->items[first] = list->items[k];
            list->count = first + 1;
            return;
        }
}

int tn_probes_add(tn_session *session, tn_probe_list *list, tn_arena *arena, const char *name, size_t *added)
{
    char buffer[512];
    tn_id id = owner_of(session->model, name);
    collector c = { .session = session, .list = list, .arena = arena,
                    .wanted = resolve_short(session, id, name, buffer, sizeof buffer) };
    size_t before = list->count;
    if (strcmp(name, "all") == 0) {
        c.wanted = NULL;
        offer_all(&c);
    } else {
        offer_owner(&c, id);
    }
    keep_exact(list, before, c.wanted);
    *added = list->count - before;
    return c.code;
}

static int rebind(tn_session *s, tn_probe *probe)
{
    tn_probe_list found = { 0 };
    size_t added = 0;
    char *name = probe->name;
    const char *unit = probe->unit;
    tn_report_mark mark = tn_report_now(s->context);
    int code = tn_probes_add(s, &found, s->arena, name, &added);
    if (code < 0 && code != TN_ERROR_MEMORY)
        tn_report_forget(s->context, mark);            /* gone for now is no error */
    *probe = added == 1 ? found.items[0] : (tn_probe){ .measure = TN_MEASURE_GONE };
    probe->name = name;
    probe->unit = unit;
    tn_free(s->context, found.items);
    return code == TN_ERROR_MEMORY ? code : TN_OK;
}

int tn_channels_rebind(tn_session *s)
{
    tn_channel_formulas_close(s);
    tn_free(s->context, s->all.items);
    s->all = (tn_probe_list){ 0 };
    for (size_t k = 0; k < s->recorded.count; k++)
        TN_TRY(rebind(s, &s->recorded.items[k]));
    for (size_t k = 0; k < s->reference.column_count; k++)
        TN_TRY(rebind(s, &s->reference.columns[k].probe));
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
    tn_id id = owner_of(session->model, name);
    if (!tn_model_active(session->model, id))
        return tn_fail(session->context, TN_ERROR_ARGUMENT, span, "there is no channel '%s': %s", name,
                       tn_model_inactive_text(session->model, id, why, sizeof why));
    collector c = { .session = session, .list = &list, .arena = tn_arena_create(session->context) };
    if (!c.arena)
        return TN_ERROR_MEMORY;
    offer_owner(&c, id);
    names_of names = { &list, session->model };
    tn_fail(session->context, TN_ERROR_ARGUMENT, span, "there is no channel '%s'%s", name,
            tn_did_you_mean(hint, sizeof hint, name, probe_candidate, &names));
    tn_free(session->context, list.items);
    tn_arena_destroy(c.arena);
    return TN_ERROR_ARGUMENT;
}

/* ---- values ---- */

bool tn_probe_needs_forces(const tn_probe *p)
{
    switch (p->measure) {
    case TN_MEASURE_TIME:
    case TN_MEASURE_POSITION:
    case TN_MEASURE_VELOCITY:
    case TN_MEASURE_ACCELERATION:
    case TN_MEASURE_ORIENTATION:
    case TN_MEASURE_ANGLE:
    case TN_MEASURE_ANGULAR_VELOCITY:
    case TN_MEASURE_ANGULAR_ACCELERATION:
    case TN_MEASURE_COORDINATE:
    case TN_MEASURE_COORDINATE_RATE:
    case TN_MEASURE_COORDINATE_ACCELERATION:
    case TN_MEASURE_DRIFT:
    case TN_MEASURE_MAX_DRIFT:
        return false;
    case TN_MEASURE_FORMULA:
        return p->of_force || tn_channel_formula_needs_forces(p->formula);
    default:
        return true;
    }
}

static double frame_value(const tn_session *s, const tn_probe *p)
{
    const tn_eval *e = s->stepper->eval;
    tn_frame_motion m;
    double linear[3], angular[3];
    if (p->measure == TN_MEASURE_ACCELERATION || p->measure == TN_MEASURE_ANGULAR_ACCELERATION) {
        tn_frame_acceleration_of(e, s->system, &p->frame, linear, angular);
        return p->measure == TN_MEASURE_ACCELERATION ? linear[p->component] : angular[p->component];
    }
    tn_frame_motion_of(e, s->system, &p->frame, &m);
    return p->measure == TN_MEASURE_POSITION ? m.p[p->component]
           : p->measure == TN_MEASURE_VELOCITY ? m.v[p->component] : m.w[p->component];
}

static double orientation_value(const tn_session *s, const tn_probe *p)
{
    const tn_pose *local = &p->frame_in_body;
    if (p->frame.body < 0)
        return p->measure == TN_MEASURE_ANGLE ? 2 * atan2(local->q[3], local->q[0]) : local->q[p->component];
    const double *q = s->stepper->eval->q + s->system->bodies[p->frame.body].q;
    if (p->measure == TN_MEASURE_ANGLE)
        return q[2] + 2 * atan2(local->q[3], local->q[0]);
    double world[4];
    tn_quat_mul(world, q + 3, local->q);
    return world[p->component];
}

static double reaction_value(const tn_session *s, const tn_probe *p)
{
    const tn_eval *e = s->stepper->eval;
    tn_wrench w;
    tn_frame_motion m;
    tn_constraint_wrench(e, s->system, p->index, 1, &w);
    const double *part = p->measure == TN_MEASURE_FORCE || p->measure == TN_MEASURE_LOCAL_FORCE ? w.force : w.torque;
    if (p->measure == TN_MEASURE_FORCE || p->measure == TN_MEASURE_TORQUE)
        return part[p->component];
    tn_frame_motion_of(e, s->system, &s->system->frames[s->system->constraints[p->index].frames[0]], &m);
    return tn_dot3(part, m.axes[p->component]);
}

static double energy_value(const tn_session *s, const tn_probe *p)
{
    tn_energy energy = tn_system_energy(s->stepper->eval, s->system, s->stepper->memory);
    switch (p->measure) {
    case TN_MEASURE_KINETIC:
        return energy.kinetic;
    case TN_MEASURE_POTENTIAL:
        return energy.potential;
    case TN_MEASURE_WORK:
        return tn_work_at(s, s->stepper->eval->t);
    case TN_MEASURE_TOTAL:
        return energy.kinetic + energy.potential;
    default:
        return energy.kinetic + energy.potential - s->summary.energy_start - tn_work_at(s, s->stepper->eval->t);
    }
}

static double momentum_value(const tn_session *s, const tn_probe *p)
{
    double linear[3], angular[3];
    tn_system_momentum(s->stepper->eval, s->system, linear, angular);
    return p->measure == TN_MEASURE_LINEAR_MOMENTUM ? linear[p->component] : angular[p->component];
}

static double largest_gap(const tn_session *s)
{
    double most = 0;
    for (int i = 0; i < s->system->constraint_count; i++)
        most = fmax(most, tn_eval_gap(s->stepper->eval, s->system, i));
    return most;
}

double tn_probe_value(tn_session *s, const tn_probe *p)
{
    double values[TN_MAX_COORDINATES];
    tn_eval *e = s->stepper->eval;
    switch (p->measure) {
    case TN_MEASURE_GONE:
        return NAN;
    case TN_MEASURE_TIME:
        return e->t;
    case TN_MEASURE_ORIENTATION:
    case TN_MEASURE_ANGLE:
        return orientation_value(s, p);
    case TN_MEASURE_COORDINATE:
    case TN_MEASURE_COORDINATE_RATE:
    case TN_MEASURE_COORDINATE_ACCELERATION:
        tn_eval_coordinates(e, s->system, s->stepper->memory, p->index, (int)(p->measure - TN_MEASURE_COORDINATE),
                            values);
        return values[p->component];
    case TN_MEASURE_FORCE:
    case TN_MEASURE_TORQUE:
    case TN_MEASURE_LOCAL_FORCE:
    case TN_MEASURE_LOCAL_TORQUE:
        return reaction_value(s, p);
    case TN_MEASURE_MULTIPLIER:
        return e->lambda[s->system->constraints[p->index].row];
    case TN_MEASURE_LIMIT:
        return tn_guards_limit_force(s, tn_constraint_id(s->system, p->index), p->component);
    case TN_MEASURE_JOINT_POWER:
        return tn_constraint_power(e, s->system, p->index);
    case TN_MEASURE_FORCE_POWER:
        return tn_force_power(e, s->system, &s->system->forces[p->index], s->stepper->memory);
    case TN_MEASURE_CONTACT_FORCE:
        return tn_guards_contact_load(s, (uint32_t)p->index).force[p->component];
    case TN_MEASURE_CONTACT_NORMAL:
        return tn_guards_contact_load(s, (uint32_t)p->index).normal;
    case TN_MEASURE_CONTACT_CLOSED:
        return tn_guards_contact_load(s, (uint32_t)p->index).closed;
    case TN_MEASURE_CONTACT_GAP:
        return tn_guards_contact_gap(s, (uint32_t)p->index);
    case TN_MEASURE_FORMULA:
        return tn_channel_formula_value(p->formula);
    case TN_MEASURE_EVENT_COUNT:
        return (double)s->events.watches[p->index].count;
    case TN_MEASURE_EVENT_TIME:
        return s->events.watches[p->index].last;
    case TN_MEASURE_DRIFT:
        return tn_eval_gap(e, s->system, p->index);
    case TN_MEASURE_MAX_DRIFT:
        return largest_gap(s);
    case TN_MEASURE_SIGMA:
        return tn_sigma(s->stepper);
    case TN_MEASURE_LINEAR_MOMENTUM:
    case TN_MEASURE_ANGULAR_MOMENTUM:
        return momentum_value(s, p);
    case TN_MEASURE_KINETIC:
    case TN_MEASURE_POTENTIAL:
    case TN_MEASURE_TOTAL:
    case TN_MEASURE_WORK:
    case TN_MEASURE_ENERGY_ERROR:
        return energy_value(s, p);
    default:
        return frame_value(s, p);
    }
}

bool tn_probe_solves(const tn_probe *p)
{
    switch (p->measure) {
    case TN_MEASURE_TIME:
    case TN_MEASURE_POSITION:
    case TN_MEASURE_VELOCITY:
    case TN_MEASURE_ORIENTATION:
    case TN_MEASURE_ANGLE:
    case TN_MEASURE_ANGULAR_VELOCITY:
    case TN_MEASURE_COORDINATE:
    case TN_MEASURE_COORDINATE_RATE:
    case TN_MEASURE_KINETIC:
    case TN_MEASURE_POTENTIAL:
    case TN_MEASURE_TOTAL:
    case TN_MEASURE_WORK:
    case TN_MEASURE_ENERGY_ERROR:
    case TN_MEASURE_LINEAR_MOMENTUM:
    case TN_MEASURE_ANGULAR_MOMENTUM:
    case TN_MEASURE_EVENT_COUNT:
    case TN_MEASURE_EVENT_TIME:
        return false;
    case TN_MEASURE_FORMULA:
        return tn_channel_formula_solves(p->formula);
    default:
        return true;
    }
}
