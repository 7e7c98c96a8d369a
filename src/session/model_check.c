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

/* Puts numbers in the place of expressions, so that the rest of the model can be checked. False: there are none, or what uses the
 * force would have another unit. */
static bool neutralize(tn_force *force)
{
    bool any = false;
    for (size_t k = 0; force->expressions && !force->type->named && force->type->parameters[k].name; k++) {
        const double usual = force->type->parameters[k].initial;
        if (!force->expressions[k] || strcmp(force->type->parameters[k].unit, TN_UNIT_TABLE) == 0)
            continue;
        force->expressions[k] = NULL;
        force->parameters[k] = isnan(usual) || usual == 0 ? 1 : usual;
        any = true;
    }
    return any;
}

/* Removes the outputs of a force. */
static void remove_outputs(tn_model *copy, size_t force)
{
    size_t kept = 0;
    const char *rest;
    for (size_t k = 0; k < copy->output_count; k++) {
        const tn_id id = tn_model_split(copy, copy->outputs[k].channel, &rest);
        if (id.kind != TN_KIND_FORCE || id.index != force)
            copy->outputs[kept++] = copy->outputs[k];
    }
    copy->output_count = kept;
}

/* Takes the mistakes that were reported out of forces, so that the rest can be checked. mended: forces that stay, without them. */
static void take_faults_out(tn_model *copy, const bool *faulty, bool *mended)
{
    for (size_t k = 0; k < copy->force_count; k++) {
        mended[k] = faulty[k] && neutralize(&copy->forces[k]);
        if (faulty[k] && !mended[k] && !in_network(&copy->forces[k])) {
            copy->forces[k].entity.disabled = true;
            remove_outputs(copy, k);
        }
    }
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

/* Notes an entity that is taken out: what is said of it from now on follows from that. */
static void note_gone(tn_model *m, const char *name)
{
    tn_mistaken *item = tn_arena_alloc(m->arena, 1, sizeof *item);
    if (item && name)
        *item = (tn_mistaken){ .name = name, .next = m->mistaken };
    if (item && name)
        m->mistaken = item;
}

static void note_all_gone(tn_model *m, tn_span at)
{
    for (size_t k = 0; k < m->output_count; k++)
        if (same_span(m->outputs[k].span, at))
            note_gone(m, m->outputs[k].channel);
    for (size_t k = 0; k < m->event_count; k++)
        if (same_span(m->events[k].span, at))
            note_gone(m, m->events[k].name);
}

/* Takes what stands at the span out of the model. False: nothing stands there that could be. Bodies stay: too much hangs
 * on them. So do devices and nodes: a network without one of its parts has mistakes that the given one has not. */
static bool take_out(tn_model *m, tn_span at, const bool *mended)
{
    note_all_gone(m, at);
    size_t outputs = 0, conditions = 0, events = 0;
    bool done = false;
    for (size_t k = 0; k < m->joint_count; k++)
        done |= disable(&m->joints[k].entity, at);
    for (size_t k = 0; k < m->force_count; k++)
        done |= !in_network(&m->forces[k]) && ((mended[k] && same_span(m->forces[k].entity.span, at)) || disable(&m->forces[k].entity, at));
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
    const tn_mistaken *gone;       /* taken out in earlier rounds */
    bool *mended;                  /* forces whose mistakes were taken out in this round */
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

/* True: the message is about the type of an entity that stands in: it is told where others of the type are. */
static bool is_of_type(const char *message, const char *name)
{
    const char *at = strchr(message, '\'');
    const size_t length = strlen(name);
    return at && strncmp(at + 1, name, length) == 0 && strncmp(at + 1 + length, "': type '", strlen("': type '")) == 0;
}

/* A message that follows from a mistake that was reported when the model was read. The file of a subsystem says 'rod' where the
 * model says 'upper.rod'. */
static bool follows(const tn_mistaken *mistaken, const tn_diagnostic *d)
{
    for (const tn_mistaken *m = mistaken; m; m = m->next) {
        if (m->stands_in && is_of_type(d->message, m->name))
            return true;
        for (const char *name = m->stands_in ? NULL : m->name; name; name = strchr(name, '.') ? strchr(name, '.') + 1 : NULL)
            if (mentions(d->message, name))
                return true;
    }
    return false;
}

/* True: the message is about a force or joint that is disabled in the copy only, since it has a mistake. */
static bool is_of_disabled(const tn_model *model, const tn_diagnostic *d)
{
    static const char disabled[] = "' is disabled";
    const char *end = strstr(d->message, disabled), *begin = end;
    char name[200];
    while (begin && begin > d->message && begin[-1] != '\'')
        begin--;
    if (!end || (size_t)(end - begin) >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
    const tn_id id = tn_model_find(model, name);
    return (id.kind == TN_KIND_FORCE && !model->forces[id.index].entity.disabled) ||
           (id.kind == TN_KIND_JOINT && !model->joints[id.index].entity.disabled);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), n = strlen(end);
    return length > n && strcmp(text + length - n, end) == 0;
}

/* True: the balance of a node repeats what is wrong with an expression of a device at it, or an expression what is wrong with a
 * named one in it, which was reported there. */
static bool repeats(const tn_context *context, const tn_diagnostic *d)
{
    static const char balance[] = ": its balance: in ", in[] = ": in '";
    const char *node = strstr(d->message, balance), *named = strstr(d->message, in);
    char own[400] = "";
    if (named)
        snprintf(own, sizeof own, "channel %.*s%s", (int)(strcspn(named + strlen(in), "'") + 2), named + strlen(in) - 1, named);
    for (size_t k = 0; k < tn_diagnostics_count(context); k++) {
        const char *message = tn_diagnostics_get(context, k)->message;
        if ((node && ends_with(message, node + strlen(balance)) && !strstr(message, balance)) ||
            (named && strcmp(message, own) == 0 && strcmp(d->message, own) != 0))
            return true;
    }
    return false;
}

static bool is_new(void *user, const tn_diagnostic *d)
{
    const rounds *r = user;
    if (repeats(r->model->context, d) || is_of_disabled(r->model, d))
        return false;
    if ((!r->first || r->model->faulty) && d->severity != TN_ERROR)
        return false;
    for (size_t k = 0; k < r->told; k++) {
        const tn_diagnostic *other = tn_diagnostics_get(r->model->context, k);
        if (strcmp(other->message, d->message) == 0 && (same_span(other->span, d->span) || !d->span.file))
            return false;
    }
    return !follows(r->model->mistaken, d) && !follows(r->gone, d);
}

static int check_once(tn_model *copy, bool texts_only, bool *mended)
{
    bool *faulty = tn_alloc(copy->context, copy->force_count + 1, sizeof *faulty), any = false, device = false;
    if (!faulty)
        return TN_ERROR_MEMORY;
    int forces = tn_system_check(copy, faulty), rest = TN_OK;
    for (size_t k = 0; k <= copy->force_count; k++) {
        any = any || faulty[k];
        device = device || (faulty[k] && k < copy->force_count && in_network(&copy->forces[k]));
    }
    take_faults_out(copy, faulty, mended);
    if (forces == TN_OK || any)
        rest = check_rest(copy, texts_only || device);
    tn_free(copy->context, faulty);
    return forces < 0 ? forces : rest;
}

/* Takes out of the copy what the diagnostics since the mark are about; false: none of it could be. */
static bool take_mistakes_out(tn_model *copy, tn_report_mark mark, const bool *mended)
{
    bool done = false;
    size_t count = tn_diagnostics_count(copy->context);
    for (size_t k = mark.count; k < count; k++) {
        tn_span at = definition_of(copy, tn_diagnostics_get(copy->context, k)->span);
        done |= at.file && take_out(copy, at, mended);
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
        r->gone = copy->mistaken;
        int code = check_once(copy, r->model->faulty, r->mended);
        if (code == TN_ERROR_MEMORY)
            return code;
        bool taken = (code == TN_ERROR_ASSEMBLY && take_starts_out(copy)) || take_mistakes_out(copy, mark, r->mended);
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
    rounds r = { .model = model, .mended = tn_alloc(model->context, model->force_count, sizeof(bool)) };
    if (!r.mended && model->force_count > 0)
        return TN_ERROR_MEMORY;
    int code = tn_model_clone(&copy, model);
    if (code >= 0)
        code = check_in_rounds(copy, &r);
    tn_free(model->context, r.mended);
    if (!copy)
        return code;
    tn_model_destroy(copy);
    if (code == TN_ERROR_MEMORY || model->faulty)
        return code;
    tn_check_contacts(model);
    int actions = try_actions(model);
    return actions < 0 ? actions : code;
}
