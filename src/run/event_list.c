/* Lists the events of a session: first those of its model, then the events made from fuses, latches and closings. */
#include <math.h>
#include <string.h>
#include "event_list.h"

/* Formats a name or text in the session's arena, where all events keep theirs. */
static const char *make_text(tn_session *s, const char *format, const char *name, const char *more)
{
    tn_text text;
    char *made = NULL;
    tn_text_begin(&text, s->context);
    tn_text_add(&text, format, name, more);
    int code = tn_text_take(&text, &made);
    const char *own = code == TN_OK ? tn_arena_strdup(s->binding, made) : NULL;
    tn_free(s->context, made);
    return own;
}

/* Returns the joint's name within its subsystem, for the texts of its events. */
static const char *local_name(const tn_entity *joint)
{
    const char *dot = strrchr(joint->name, '.');
    return dot ? dot + 1 : joint->name;
}

/* Makes the text of a fuse, such as "hypot(hook.reaction.force.x, hook.reaction.force.y) - 5000 N".
 * A torque in the plane has one component. */
static const char *load_text(tn_session *s, const char *joint, const char *what, double bound, const char *unit)
{
    bool planar = s->model->dimension == 2, one = planar && what[0] == 't';
    tn_text text;
    char *made = NULL;
    tn_text_begin(&text, s->context);
    if (one)
        tn_text_add(&text, "abs(%s.reaction.%s)", joint, what);
    else
        tn_text_add(&text, "%shypot(%s.reaction.%s.x, %s.reaction.%s.y)", planar ? "" : "hypot(", joint, what, joint,
                    what);
    if (!one && !planar)
        tn_text_add(&text, ", %s.reaction.%s.z)", joint, what);
    tn_text_add(&text, " - %.17g %s", bound, unit);
    int code = tn_text_take(&text, &made);
    const char *own = code == TN_OK ? tn_arena_strdup(s->binding, made) : NULL;
    tn_free(s->context, made);
    return own;
}

/* Adds an event of a joint to the list. */
static int add_own(tn_session *s, const tn_event *event)
{
    tn_event *own = tn_arena_alloc(s->binding, 1, sizeof *own);
    if (!own || !event->name || !event->def.when.text || !event->def.actions || !event->def.actions[0].text)
        return TN_ERROR_MEMORY;
    *own = *event;
    s->events->list[s->events->count++] = own;
    return TN_OK;
}

static const tn_action *one_action(tn_session *s, const char *text, tn_span span)
{
    tn_action *action = tn_arena_alloc(s->binding, 1, sizeof *action);
    if (action)
        *action = (tn_action){ text, span };
    return action;
}

static int add_fuse(tn_session *s, uint32_t joint, const char *what, double bound, const char *unit)
{
    const tn_entity *entity = &s->model->joints[joint].entity;
    if (isnan(bound))
        return TN_OK;
    tn_event event = { .span = entity->span, .is_fuse = true, .joint = joint,
                       .def = tn_event_default(load_text(s, local_name(entity), what, bound, unit)) };
    event.name = make_text(s, "%s.fuse.%s", entity->name, what);
    event.def.when.span = entity->span;
    event.def.crosses = TN_CROSSES_UP;
    event.def.actions = one_action(s, make_text(s, "{ disable: \"%s%s\" }", local_name(entity), ""), entity->span);
    event.def.action_count = 1;
    return add_own(s, &event);
}

static int add_latch(tn_session *s, uint32_t joint, const tn_latch *latch)
{
    const tn_entity *entity = &s->model->joints[joint].entity;
    if (!latch->when.text)
        return TN_OK;
    tn_event event = { .span = entity->span, .is_latch = true, .joint = joint,
                       .def = tn_event_default(latch->when.text) };
    event.name = make_text(s, "%s.latch%s", entity->name, "");
    event.def.when = latch->when;
    event.def.crosses = latch->crosses;
    event.def.actions = one_action(s, make_text(s, "{ enable: \"%s\", closing: %s }", local_name(entity),
                                                latch->snap ? "snap" : "refuse"), entity->span);
    event.def.action_count = 1;
    return add_own(s, &event);
}

/* Adds an event for the end of a joint's closing. It only writes to the log, but makes a step end at that time. */
static int add_closed(tn_session *s, const tn_closing *closing)
{
    const tn_entity *entity = &s->model->joints[closing->joint].entity;
    char end[40];
    snprintf(end, sizeof end, "%.17g", closing->begin + closing->duration);
    tn_event event = { .span = entity->span, .is_closing = true, .joint = closing->joint,
                       .def = tn_event_default(make_text(s, "t - %s%s", end, " s")) };
    event.name = make_text(s, "%s.closed%s", entity->name, "");
    event.def.when.span = entity->span;
    event.def.crosses = TN_CROSSES_UP;
    event.def.actions = one_action(s, make_text(s, "{ log: \"%s is closed%s\" }", entity->name, ""), entity->span);
    event.def.action_count = 1;
    return add_own(s, &event);
}

double tn_session_closing(const tn_session *s, tn_id joint)
{
    bool known = tn_model_entity(s->model, joint) && joint.kind == TN_KIND_JOINT;
    const tn_closing *closing = known ? tn_closing_of(&s->overlay.closings, joint.index) : NULL;
    return closing ? fmax(closing->begin + closing->duration - s->stepper->t, 0) : 0;
}

int tn_events_collect(tn_session *s)
{
    const tn_model *m = s->model;
    const size_t most = m->event_count + 3 * m->trigger_count + s->overlay.closings.count;
    s->events->count = 0;
    s->events->list = tn_arena_alloc(s->binding, most, sizeof *s->events->list);
    if (!s->events->list)
        return TN_ERROR_MEMORY;
    for (size_t k = 0; k < m->event_count; k++)
        s->events->list[s->events->count++] = &m->events[k];
    for (size_t k = 0; k < m->trigger_count; k++) {
        const tn_trigger *trigger = &m->triggers[k];
        TN_TRY(add_fuse(s, trigger->joint, "force", trigger->fuse.force, "N"));
        TN_TRY(add_fuse(s, trigger->joint, "torque", trigger->fuse.torque, "N m"));
        TN_TRY(add_latch(s, trigger->joint, &trigger->latch));
    }
    for (size_t k = 0; k < s->overlay.closings.count; k++)
        TN_TRY(add_closed(s, &s->overlay.closings.items[k]));
    return TN_OK;
}

const char *tn_event_viewpoint(const tn_session *s, const tn_event *event)
{
    bool of_joint = event->is_fuse || event->is_latch || event->is_closing;
    return of_joint ? s->model->joints[event->joint].entity.name : event->name;
}

bool tn_event_waits(const tn_session *s, const tn_event *event)
{
    bool active = (event->is_fuse || event->is_latch) && tn_joint_active(s->model, event->joint);
    if (!tn_path_active(s->model, event->name))
        return true;
    return (event->is_fuse && !active) || (event->is_latch && !s->model->joints[event->joint].entity.disabled);
}
