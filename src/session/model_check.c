/* Checking a model: finds all errors that do not need a run. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "edit.h"
#include "session_parts.h"

/* Devices and their nodes. */
static bool in_network(const tn_force *force)
{
    return tn_force_is_device(force) || tn_force_domain(force);
}

/* Disables the forces whose errors were reported, and removes their outputs, so that the rest can be checked. */
static void disable_faulty_forces(tn_model *copy, const bool *faulty)
{
    size_t kept = 0;
    const char *rest;
    for (size_t k = 0; k < copy->force_count; k++)
        if (faulty[k])
            copy->forces[k].entity.disabled = true;
    for (size_t k = 0; k < copy->output_count; k++) {
        tn_id id = tn_model_split(copy, copy->outputs[k].channel, &rest);
        if (id.kind != TN_KIND_FORCE || !faulty[id.index])
            copy->outputs[kept++] = copy->outputs[k];
    }
    copy->output_count = kept;
    for (int k = 0; faulty[copy->force_count] && k < 3; k++)
        copy->gravity_text[k].text = NULL;
}

/* Warns about a model that cannot move, which is rarely intended. */
static int warn_of_no_freedom(tn_session *s)
{
    tn_report *report = NULL;
    TN_TRY(tn_session_report(&report, s));
    bool stuck = report->freedoms == 0 && report->coordinates > 0 && !s->system->works;
    int equations = report->equations, coordinates = report->coordinates;
    tn_report_destroy(s->context, report);
    if (stuck)
        tn_warn(s->context, tn_constraint_span(s->system, 0), "the joints leave no freedom: %d equations hold all %d "
                "coordinates, and no drive moves them", equations, coordinates);
    return TN_OK;
}

static int check_rest(tn_model *copy, bool texts_only)
{
    tn_session *s = NULL;
    TN_TRY(tn_session_open_as(&s, copy, NULL, texts_only ? TN_ANALYSIS_CHECK_TEXTS : TN_ANALYSIS_CHECK, NULL));
    int code = texts_only ? TN_OK : warn_of_no_freedom(s);
    tn_session_close(s);
    return code;
}

/* ---- mistakes, and what is left without them ---- */

static bool is_before(tn_span a, tn_span b)
{
    return a.line < b.line || (a.line == b.line && a.column <= b.column);
}

static bool same_file(tn_span a, tn_span b)
{
    return a.file && b.file && strcmp(a.file, b.file) == 0;
}

static bool same_span(tn_span a, tn_span b)
{
    return same_file(a, b) && a.line == b.line && a.column == b.column;
}

/* Takes the later of two definitions that begin before a mistake: the mistake is in it. */
static void take_later(tn_span *best, tn_span candidate, tn_span mistake)
{
    if (same_file(candidate, mistake) && is_before(candidate, mistake) && (!best->file || is_before(*best, candidate)))
        *best = candidate;
}

/* The span of the definition that a mistake is in; without a file: not known. */
static tn_span definition_of(const tn_model *m, tn_span mistake)
{
    tn_span best = { 0 };
    for (size_t k = 0; k < m->body_count; k++)
        take_later(&best, m->bodies[k].entity.span, mistake);
    for (size_t k = 0; k < m->joint_count; k++)
        take_later(&best, m->joints[k].entity.span, mistake);
    for (size_t k = 0; k < m->force_count; k++)
        take_later(&best, m->forces[k].entity.span, mistake);
    for (size_t k = 0; k < m->contact_count; k++)
        take_later(&best, m->contacts[k].entity.span, mistake);
    for (size_t k = 0; k < m->event_count; k++)
        take_later(&best, m->events[k].span, mistake);
    for (size_t k = 0; k < m->output_count; k++)
        take_later(&best, m->outputs[k].span, mistake);
    for (size_t k = 0; k < m->condition_count; k++)
        take_later(&best, m->conditions[k].span, mistake);
    take_later(&best, m->solve_span, mistake);
    take_later(&best, m->expect.span, mistake);
    return best;
}

static bool disable(tn_entity *entity, tn_span definition)
{
    bool now = !entity->disabled && same_span(entity->span, definition);
    entity->disabled |= now;
    return now;
}

/* Takes what stands at the span out of the model. False: nothing stands there that could be. Bodies stay: too much hangs
 * on them. So do devices and nodes: a network without one of its parts has mistakes that the given one has not. */
static bool take_out(tn_model *m, tn_span at)
{
    size_t outputs = 0, conditions = 0, events = 0;
    bool done = false;
    for (size_t k = 0; k < m->joint_count; k++)
        done |= disable(&m->joints[k].entity, at);
    for (size_t k = 0; k < m->force_count; k++)
        done |= !in_network(&m->forces[k]) && disable(&m->forces[k].entity, at);
    for (size_t k = 0; k < m->contact_count; k++)
        done |= disable(&m->contacts[k].entity, at);
    for (size_t k = 0; k < m->output_count; k++)
        if (!same_span(m->outputs[k].span, at))
            m->outputs[outputs++] = m->outputs[k];
    for (size_t k = 0; k < m->condition_count; k++)
        if (!same_span(m->conditions[k].span, at))
            m->conditions[conditions++] = m->conditions[k];
    for (size_t k = 0; k < m->event_count; k++)
        if (!same_span(m->events[k].span, at))
            m->events[events++] = m->events[k];
    done |= outputs < m->output_count || conditions < m->condition_count || events < m->event_count;
    m->output_count = outputs;
    m->condition_count = conditions;
    m->event_count = events;
    if (same_span(m->expect.span, at)) {
        tn_model_expect_nothing(m);
        m->expect.span = TN_NOWHERE;
        done = true;
    }
    if (same_span(m->solve_span, at)) {
        m->solve = tn_solve_default();
        m->solve_span = TN_NOWHERE;
        done = true;
    }
    return done;
}

/* ---- rounds ---- */

typedef struct rounds {
    const tn_model *model;         /* as given */
    size_t told;                   /* diagnostics before this round */
    bool first;
} rounds;

/* True: the name, or the first part of the path, is in quotes in the message. */
static bool mentions(const char *message, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(message, name); at; at = strstr(at + 1, name))
        if (at > message && at[-1] == '\'' && (at[length] == '\'' || at[length] == '.'))
            return true;
    return false;
}

/* A message that follows from a mistake that was reported when the model was read. The file of a subsystem says 'rod' where the
 * model says 'upper.rod'. */
static bool follows(const tn_model *model, const tn_diagnostic *d)
{
    for (const tn_mistaken *m = model->mistaken; m; m = m->next)
        for (const char *name = m->name; name; name = strchr(name, '.') ? strchr(name, '.') + 1 : NULL)
            if (mentions(d->message, name))
                return true;
    return false;
}

static bool is_new(void *user, const tn_diagnostic *d)
{
    const rounds *r = user;
    if ((!r->first || r->model->faulty) && d->severity != TN_ERROR)
        return false;
    for (size_t k = 0; k < r->told; k++) {
        const tn_diagnostic *other = tn_diagnostics_get(r->model->context, k);
        if (strcmp(other->message, d->message) == 0 && (same_span(other->span, d->span) || !d->span.file))
            return false;
    }
    return !follows(r->model, d);
}

static int check_once(tn_model *copy, bool texts_only)
{
    bool *faulty = tn_alloc(copy->context, copy->force_count + 1, sizeof *faulty), any = false, device = false;
    if (!faulty)
        return TN_ERROR_MEMORY;
    int forces = tn_system_check(copy, faulty), rest = TN_OK;
    for (size_t k = 0; k <= copy->force_count; k++) {
        any = any || faulty[k];
        device = device || (faulty[k] && k < copy->force_count && in_network(&copy->forces[k]));
    }
    disable_faulty_forces(copy, faulty);
    if (forces == TN_OK || (any && !device))
        rest = check_rest(copy, texts_only);
    tn_free(copy->context, faulty);
    return forces < 0 ? forces : rest;
}

/* Takes out of the copy what the diagnostics since the mark are about; false: none of it could be. */
static bool take_mistakes_out(tn_model *copy, tn_report_mark mark)
{
    bool done = false;
    size_t count = tn_diagnostics_count(copy->context);
    for (size_t k = mark.count; k < count; k++) {
        tn_span at = definition_of(copy, tn_diagnostics_get(copy->context, k)->span);
        done |= at.file && take_out(copy, at);
    }
    return done;
}

/* Takes out all start values, which have contradicted each other or the joints. False: there are none. */
static bool take_starts_out(tn_model *m)
{
    bool done = m->condition_count > 0;
    m->condition_count = 0;
    for (size_t k = 0; k < m->joint_count; k++)
        for (int i = 0; i < TN_MAX_COORDINATES; i++) {
            done |= !isnan(m->joints[k].start[i]) || !isnan(m->joints[k].start_rate[i]);
            m->joints[k].start[i] = m->joints[k].start_rate[i] = NAN;
        }
    for (size_t k = 0; k < m->body_count; k++) {
        done |= m->bodies[k].given != 0;
        m->bodies[k].given = 0;
    }
    return done;
}

/* Checks, takes out what is wrong, and checks again, until nothing new is found. */
static int check_in_rounds(tn_model *copy, rounds *r)
{
    enum { MOST_ROUNDS = 50 };
    int worst = TN_OK;
    for (int n = 0; n < MOST_ROUNDS; n++) {
        tn_report_mark mark = tn_report_now(copy->context);
        r->told = mark.count;
        r->first = n == 0;
        int code = check_once(copy, r->model->faulty);
        if (code == TN_ERROR_MEMORY)
            return code;
        bool taken = (code == TN_ERROR_ASSEMBLY && take_starts_out(copy)) || take_mistakes_out(copy, mark);
        tn_report_filter(copy->context, mark, is_new, r);
        worst = worst < 0 ? worst : code;
        if (code >= 0 || !taken)
            break;
    }
    return worst;
}

/* ---- actions of events ---- */

/* True: the command can be tried as it stands, without values of the run in it. */
static bool is_plain_command(const char *text)
{
    return text[0] == '{' && !strstr(text, "'{") && !strstr(text, "\"{") && !strstr(text, "log:") && !strstr(text, "log\":") &&
           !strstr(text, "reset:") && !strstr(text, "reset\":");
}

typedef struct trial {
    const tn_model *model;
    const tn_event *event;
    const tn_action *action;
    char message[300];             /* of the first mistake; "": none */
} trial;

/* True: another action has the name that is said to be missing or taken, so that it may be there, or gone, by then. */
static bool is_of_other_action(const trial *t, const char *message)
{
    char name[80];
    if (!strstr(message, "no ") && !strstr(message, "already"))
        return false;
    const char *from = strchr(message, '\'');
    size_t length = from ? strcspn(from + 1, "'.") : 0;
    if (length == 0 || length >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, from + 1);
    for (size_t k = 0; k < t->model->event_count; k++)
        for (size_t i = 0; i < t->model->events[k].def.action_count; i++) {
            const tn_action *other = &t->model->events[k].def.actions[i];
            if (other != t->action && strstr(other->text, name))
                return true;
        }
    return false;
}

static bool take_first(void *user, const tn_diagnostic *d)
{
    trial *t = user;
    if (d->severity == TN_ERROR && !t->message[0] && !is_of_other_action(t, d->message))
        snprintf(t->message, sizeof t->message, "%s", d->message);
    return false;
}

/* Tries an action on a copy of the model. What it needs may come to be during the run, so a failure is a warning. */
static int try_action(trial *t)
{
    tn_context *context = t->model->context;
    tn_model *copy = NULL;
    tn_edit edit = { 0 };
    tn_report_mark mark = tn_report_now(context);
    TN_TRY(tn_model_clone(&copy, t->model));
    tn_command_text command = tn_command_alone(t->action->text);
    command.by_event = true;
    command.from = strchr(t->event->name, '.') ? t->event->name : NULL;
    int code = tn_model_edit(&edit, &copy, &command);
    tn_free(context, edit.complete);
    tn_model_destroy(copy);
    tn_report_filter(context, mark, take_first, t);
    if (code < 0 && code != TN_ERROR_MEMORY && t->message[0])
        tn_warn(context, t->action->span, "event '%s': its action would fail at the start: %s", t->event->name, t->message);
    return code == TN_ERROR_MEMORY ? code : TN_OK;
}

static int try_actions(const tn_model *model)
{
    for (size_t k = 0; k < model->event_count; k++)
        for (size_t i = 0; i < model->events[k].def.action_count; i++) {
            trial t = { .model = model, .event = &model->events[k], .action = &model->events[k].def.actions[i] };
            if (is_plain_command(t.action->text))
                TN_TRY(try_action(&t));
        }
    return TN_OK;
}

int tn_model_check(tn_model *model)
{
    tn_model *copy = NULL;
    rounds r = { .model = model };
    TN_TRY(tn_model_clone(&copy, model));
    int code = check_in_rounds(copy, &r);
    tn_model_destroy(copy);
    if (code == TN_ERROR_MEMORY || model->faulty)
        return code;
    tn_check_contacts(model);
    int actions = try_actions(model);
    return actions < 0 ? actions : code;
}
