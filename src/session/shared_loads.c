/* What acts by a reaction that is not unique. Redundant equations leave open how their joints share a load: the motion of rigid bodies is
 * the same for every share, but friction by a reaction, a fuse, an event or a controller that reads one is not. Each solver has its own
 * share, so that such runs differ from solver to solver although each of them satisfies all equations. */
#include <math.h>
#include <string.h>
#include "elementary.h"
#include "network_events.h"
#include "session_parts.h"
#include "tenon/analysis.h"
#include "vec.h"

/* A component that is not unique counts when the joint bears at least this part of its reaction by it: what no load asks for is
 * zero with every solver. */
static const double BORNE = 1e-6;

typedef enum reaction_part { PART_FORCE = 1, PART_TORQUE = 2, PART_BOTH = PART_FORCE | PART_TORQUE } reaction_part;

typedef struct search {
    tn_session *s;
    const tn_report *report;
    tn_shared_load *out;
} search;

static bool exceeds(const bool unique[3], const double load[3], double least)
{
    for (int k = 0; k < 3; k++)
        if (!unique[k] && fabs(load[k]) > least)
            return true;
    return false;
}

/* m: length by which torques of the constraint are compared with forces, that of a body that turns. */
static double reach_of(const tn_system *s, int constraint)
{
    double reach = 0;
    for (int slot = 0; slot < 2; slot++) {
        const int body = tn_slot_body(s, &s->constraints[constraint], slot);
        for (int k = body < 0 ? 0 : s->structure.body_column[body]; body >= 0 && k < s->structure.body_column[body + 1]; k++)
            reach = fmax(reach, s->structure.column_scale[k]);
    }
    return reach;
}

/* Does the joint bear load in components that are not unique? */
static int bears(bool *out, const search *f, const tn_reaction_uniqueness *u)
{
    double force[3], torque[3];
    TN_TRY(tn_session_reaction(force, torque, f->s, u->joint));
    const double reach = reach_of(f->s->system, f->s->system->constraint_of[u->joint.index]);
    *out = exceeds(u->force, force, BORNE * tn_norm3(force)) ||
           exceeds(u->torque, torque, BORNE * tn_hypot(tn_norm3(torque), reach * tn_norm3(force)));
    return TN_OK;
}

static const tn_reaction_uniqueness *uniqueness_of(const search *f, tn_id joint)
{
    for (size_t k = 0; k < f->report->reaction_count; k++)
        if (f->report->reactions[k].joint.kind == joint.kind && f->report->reactions[k].joint.index == joint.index)
            return &f->report->reactions[k];
    return NULL;
}

static const tn_redundancy_group *group_of(const search *f, tn_id joint)
{
    for (size_t g = 0; g < f->report->group_count; g++)
        for (size_t k = 0; k < f->report->groups[g].joint_count; k++)
            if (f->report->groups[g].joints[k].index == joint.index)
                return &f->report->groups[g];
    return NULL;
}

static bool all(const bool flags[3])
{
    return flags[0] && flags[1] && flags[2];
}

/* Does a part of the joint's reaction depend on how its group shares load, and is there such load? A solver may give all of it to one
 * joint, so the whole group counts. */
static int is_shared(bool *shared, const search *f, int constraint, reaction_part part)
{
    const tn_id joint = tn_constraint_id(f->s->system, constraint);
    const tn_reaction_uniqueness *own = uniqueness_of(f, joint);
    const tn_redundancy_group *group = group_of(f, joint);
    *shared = false;
    if (!own || !group || (!((part & PART_FORCE) && !all(own->force)) && !((part & PART_TORQUE) && !all(own->torque))))
        return TN_OK;
    for (size_t k = 0; k < group->joint_count && !*shared; k++) {
        const tn_reaction_uniqueness *u = uniqueness_of(f, group->joints[k]);
        if (u)
            TN_TRY(bears(shared, f, u));
    }
    return TN_OK;
}

/* The other joints that share the load, in `text`. */
static void name_partners(char *text, size_t room, const search *f, int constraint)
{
    enum { MOST = 4 };
    const tn_id joint = tn_constraint_id(f->s->system, constraint);
    const tn_redundancy_group *group = group_of(f, joint);
    size_t length = 0, named = 0;
    text[0] = '\0';
    for (size_t k = 0; group && k < group->joint_count && named <= MOST && length + 1 < room; k++) {
        if (group->joints[k].index == joint.index)
            continue;
        const char *name = f->s->model->joints[group->joints[k].index].entity.name;
        length += (size_t)(named == MOST ? snprintf(text + length, room - length, " and others")
                                         : snprintf(text + length, room - length, "%s'%s'", named ? ", " : "", name));
        named++;
    }
}

/* Notes what follows the joint, if the joint bears shared load. */
static int look_at(const search *f, const char *name, const char *word, tn_span span, int constraint, reaction_part part)
{
    bool shared = false;
    if (f->out->name || constraint < 0)
        return TN_OK;
    TN_TRY(is_shared(&shared, f, constraint, part));
    if (!shared)
        return TN_OK;
    *f->out = (tn_shared_load){ .name = name, .word = word, .span = span,
                                .joint = tn_constraint_name(f->s->system, constraint) };
    name_partners(f->out->partners, sizeof f->out->partners, f, constraint);
    return TN_OK;
}

/* ---- what follows reactions ---- */

/* Is the number parameter of that name given, and zero? */
static bool is_zero(const tn_force *force, const char *name)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && force->type->parameters[k].name; k++)
        if (strcmp(force->type->parameters[k].name, name) == 0)
            return force->parameters[k] == 0 && !(force->expressions && force->expressions[k]);
    return false;
}

static int look_at_forces(const search *f)
{
    const tn_system *sys = f->s->system;
    for (int k = 0; k < sys->force_count; k++) {
        const tn_force *force = &f->s->model->forces[sys->forces[k].source];
        if (sys->forces[k].reacts && !is_zero(force, "reaction_share") && !(is_zero(force, "coefficient") && is_zero(force, "static_coefficient")))
            TN_TRY(look_at(f, force->entity.name, force->type->name, force->entity.span, sys->constraint_of[force->joint], PART_FORCE));
    }
    return TN_OK;
}

static bool is_reaction(const tn_probe *p)
{
    return p->row && p->row->level == TN_LEVEL_REACTIONS &&
           (p->row->owner == TN_OF_JOINT || p->row->owner == TN_OF_POINT || p->row->owner == TN_OF_COUPLING || p->row->owner == TN_OF_DRIVE);
}

static reaction_part part_of(const tn_probe *p)
{
    return p->row->owner == TN_OF_POINT ? PART_BOTH : strstr(p->row->name, ".force") ? PART_FORCE : PART_TORQUE;
}

static int look_at_events(const search *f)
{
    const tn_events *events = f->s->events;
    for (size_t k = 0; events && k < events->count; k++) {
        const tn_watch *watch = &events->watches[k];
        const tn_event *event = events->list[k];
        const tn_probe_list *late = watch->when && !watch->off ? tn_channel_formula_late(watch->when) : NULL;
        for (size_t i = 0; late && i < late->count; i++)
            if (is_reaction(&late->items[i]))
                TN_TRY(look_at(f, event->name, event->is_fuse ? "fuse" : "event", event->span, late->items[i].index, part_of(&late->items[i])));
    }
    return TN_OK;
}

static int look_at_samples(const search *f)
{
    const tn_network *n = f->s->system->network;
    for (int k = 0; f->s->late_probes && k < n->late_count; k++) {
        const tn_probe *p = &f->s->late_probes[k];
        if (is_reaction(p))
            TN_TRY(look_at(f, p->name, "sampled channel", n->lates[k].span, p->index, part_of(p)));
    }
    return TN_OK;
}

static bool anything_follows(const tn_session *s)
{
    bool follows = s->system->reacts || s->late_probes;
    for (size_t k = 0; s->events && k < s->events->count; k++)
        follows = follows || (s->events->watches[k].solves && !s->events->watches[k].off);
    return follows;
}

static int search_all(const search *f)
{
    TN_TRY(look_at_forces(f));
    TN_TRY(look_at_events(f));
    return look_at_samples(f);
}

/* The report at the accepted state. */
static int report_on(const tn_report **out, tn_session *s)
{
    const tn_stepper *st = s->stepper;
    tn_trust_room *room = s->trust.room;
    if (!room->reporter)
        TN_TRY(tn_reporter_create(&room->reporter, s->system, s->coupling));
    return tn_reporter_find(out, room->reporter, st->t, st->y, st->memory);
}

int tn_shared_loads_open(tn_session *s)
{
    const tn_report *report;
    return anything_follows(s) ? report_on(&report, s) : TN_OK;
}

int tn_shared_load_find(tn_shared_load *out, tn_session *s)
{
    *out = (tn_shared_load){ 0 };
    if (!anything_follows(s))
        return TN_OK;
    const tn_report *report;
    TN_TRY(report_on(&report, s));
    if (report->group_count == 0)
        return TN_OK;
    const long evaluations = s->stepper->counts.evaluations;
    int code = search_all(&(search){ .s = s, .report = report, .out = out });
    s->stepper->counts.evaluations = evaluations;
    return code;
}
