/* Actions of events: stop, log and reset. Any other map is a command for the session. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "diag.h"
#include "edit.h"
#include "events.h"
#include "yaml_tree.h"

typedef enum action_kind { ACTION_STOP, ACTION_LOG, ACTION_RESET, ACTION_COMMAND } action_kind;

/* A part of a text: a literal, followed by a value. */
typedef struct text_part {
    const char *text;
    bool has_value;
    tn_channel_formula *value;     /* NULL: the model no longer has a name in the expression */
} text_part;

struct tn_event_action {
    action_kind kind;
    text_part *parts;              /* log, commands */
    size_t part_count;
    const char *counter;           /* reset: name of an event; NULL: all */
};

/* ---- reading ---- */

static int wrong(const tn_session *s, size_t event, const tn_action *action, const char *message, const char *what)
{
    return tn_fail(s->context, TN_ERROR_MODEL, action->span, "event '%s': %s '%.80s'", s->events->list[event]->name,
                   message, what);
}

/* Finds the values in a text. In a line of the log they may be anywhere; in a command only within quotes, because other
 * braces are maps. */
typedef struct scanner {
    const char *at;
    bool everywhere;
    char quote;                    /* the open quote; 0: none */
} scanner;

static bool at_value(const scanner *scan)
{
    return *scan->at == '{' && (scan->everywhere || scan->quote) && scan->at[1] != '{';
}

/* Copies the literal before the next value. Where values are allowed, "{{" and "}}" become single braces. */
static char *take_literal(tn_arena *arena, scanner *scan)
{
    char *literal = tn_arena_alloc(arena, strlen(scan->at) + 1, 1);
    size_t n = 0;
    while (literal && *scan->at && !at_value(scan)) {
        char c = *scan->at;
        bool values = scan->everywhere || scan->quote;
        bool twice = values && (c == '{' || c == '}') && scan->at[1] == c;
        if (!scan->everywhere && (c == '"' || c == '\'') && (!scan->quote || scan->quote == c))
            scan->quote = scan->quote ? '\0' : c;
        literal[n++] = c;
        scan->at += twice ? 2 : 1;
    }
    return literal;
}

/* Finds the unit of an expression that is a channel, so that its value is written in that unit (J, not kg m^2/s^2);
 * NULL for any other expression. */
static int unit_of_channel(tn_session *s, const char *event, const char *expression, const char **unit)
{
    tn_probe_list found = { 0 };
    size_t added = 0;
    char path[TN_PATH_SIZE];
    int code = TN_OK;
    if (tn_path_within(path, event, expression))
        code = tn_probes_add(s, &found, s->binding, path, &added);
    if (code == TN_OK && added == 0)
        code = tn_probes_add(s, &found, s->binding, expression, &added);
    *unit = code == TN_OK && added == 1 ? found.items[0].unit : NULL;
    tn_free(s->context, found.items);
    return code;
}

static int compile_value(tn_session *s, size_t event, const tn_action *action, text_part *part, const char *text,
                         size_t length)
{
    const char *unit, *from = s->events->watches[event].from;
    char *expression = tn_arena_strndup(s->binding, text + 1, length);
    size_t size = strlen(from) + length + 3;
    char *name = tn_arena_alloc(s->binding, size, 1);    /* braces keep it distinct from channel names */
    if (!name || !expression)
        return TN_ERROR_MEMORY;
    char what[TN_PATH_SIZE];
    snprintf(name, size, "%s{%s}", from, expression);
    snprintf(what, sizeof what, "'{%.80s}' of event '%.100s'", expression, s->events->list[event]->name);
    TN_TRY(unit_of_channel(s, from, expression, &unit));
    return tn_channel_formula_get(&part->value, s, &(tn_channel_text){ .name = name, .text = expression, .from = from, .what = what,
                                                                       .unit = unit, .span = action->span });
}

static int add_value(tn_session *s, size_t event, const tn_action *action, text_part *part, scanner *scan, bool again)
{
    const char *begin = scan->at, *end = strchr(begin, '}');
    if (!end)
        return wrong(s, event, action, "'}' is missing in", begin);
    part->has_value = true;
    scan->at = end + 1;
    tn_report_mark mark = tn_report_now(s->context);
    int code = compile_value(s, event, action, part, begin, (size_t)(end - begin) - 1);
    if (code != TN_ERROR_MODEL || !again)
        return code;
    tn_report_forget(s->context, mark);
    part->value = NULL;
    return TN_OK;
}

static int open_text(tn_session *s, size_t event, const tn_action *action, scanner scan, bool again,
                     tn_event_action *out)
{
    size_t most = 1;
    for (const char *c = scan.at; *c; c++)
        most += *c == '{';
    out->parts = tn_arena_alloc(s->binding, most, sizeof *out->parts);
    if (!out->parts)
        return TN_ERROR_MEMORY;
    do {
        text_part *part = &out->parts[out->part_count++];
        part->text = take_literal(s->binding, &scan);
        if (!part->text)
            return TN_ERROR_MEMORY;
        if (*scan.at)
            TN_TRY(add_value(s, event, action, part, &scan, again));
    } while (*scan.at);
    return TN_OK;
}

static const char *event_candidate(void *user, size_t index)
{
    const tn_session *s = user;
    if (index == 0)
        return "counters";
    return index <= s->events->count ? s->events->list[index - 1]->name : NULL;
}

static const tn_event *find_event(const tn_session *s, const char *name)
{
    for (size_t k = 0; k < s->events->count; k++)
        if (strcmp(s->events->list[k]->name, name) == 0)
            return s->events->list[k];
    return NULL;
}

static int open_reset(const tn_session *s, size_t event, const tn_action *action, const char *what,
                      tn_event_action *out)
{
    char hint[160], path[TN_PATH_SIZE];
    const tn_event *counted = tn_path_within(path, s->events->watches[event].from, what) ? find_event(s, path) : NULL;
    counted = counted ? counted : find_event(s, what);
    if (!counted && strcmp(what, "counters") != 0)
        return tn_fail(s->context, TN_ERROR_MODEL, action->span, "event '%s': reset: there is no event '%.60s'%s",
                       s->events->list[event]->name, what,
                       tn_did_you_mean(hint, sizeof hint, what, event_candidate, (void *)s));
    out->counter = counted ? counted->name : NULL;
    return TN_OK;
}

static int open_map(tn_session *s, size_t event, const tn_action *action, const tn_node *map, bool again,
                    tn_event_action *out)
{
    const tn_node *log = tn_node_get(map, "log"), *reset = tn_node_get(map, "reset"), *value = log ? log : reset;
    out->kind = log ? ACTION_LOG : reset ? ACTION_RESET : ACTION_COMMAND;
    if (!value)
        return open_text(s, event, action, (scanner){ .at = action->text }, again, out);
    if (value->kind != TN_NODE_TEXT)
        return wrong(s, event, action, "a text must follow", log ? "log" : "reset");
    if (map->count > 1)
        return wrong(s, event, action, "make two actions: nothing else goes with", log ? "log" : "reset");
    if (reset)
        return open_reset(s, event, action, value->as.text, out);
    return open_text(s, event, action, (scanner){ .at = value->as.text, .everywhere = true }, again, out);
}

static int open_action(tn_session *s, size_t event, const tn_action *action, bool again, tn_event_action *out)
{
    const tn_node *root = NULL;
    size_t budget = TN_YAML_NODES;
    const tn_arena_mark mark = tn_arena_now(s->scratch);
    int code = tn_yaml_parse(&root, s->scratch, s->context, NULL, action->text, strlen(action->text), &budget);
    out->kind = ACTION_STOP;
    if (code == TN_OK && root && root->kind == TN_NODE_MAP)
        code = open_map(s, event, action, root, again, out);
    else if (code == TN_OK && (!root || root->kind != TN_NODE_TEXT || strcmp(root->as.text, "stop") != 0))
        code = wrong(s, event, action, "an action is 'stop' or a map such as { log: text }, not", action->text);
    tn_arena_release(s->scratch, &mark);
    return code;
}

int tn_event_actions_open(tn_session *s, size_t event, bool again)
{
    const tn_event_def *def = &s->events->list[event]->def;
    tn_event_action *actions = tn_arena_alloc(s->binding, def->action_count, sizeof *actions);
    int worst = TN_OK;
    if (!actions)
        return TN_ERROR_MEMORY;
    s->events->watches[event].actions = actions;
    for (size_t k = 0; k < def->action_count; k++) {
        int code = open_action(s, event, &def->actions[k], again, &actions[k]);
        if (code < 0 && code != TN_ERROR_MODEL)
            return code;
        worst = code < 0 ? code : worst;
    }
    return worst;
}

/* ---- running ---- */

int tn_event_log(tn_session *s, size_t event, const char *text)
{
    tn_events *events = s->events;
    if (events->log_count == TN_EVENTS_KEPT)
        return TN_OK;
    TN_TRY(tn_grow(s->context, &events->log, &events->log_capacity, events->log_count + 1, sizeof(tn_log_entry)));
    bool last = events->log_count == TN_EVENTS_KEPT - 1;
    char *copy = tn_arena_strdup(s->arena, last ? "the log ends here: it is full" : text);
    for (char *c = copy; c && *c; c++)
        memset(c, '?', tn_control_bytes(c));          /* lines of the log are printed on terminals */
    if (!copy)
        return TN_ERROR_MEMORY;
    events->log[events->log_count++] = (tn_log_entry){ s->stepper->t, events->watches[event].name, copy };
    return TN_OK;
}

/* Writes the text with its values; commands get full precision and SI units. */
static int write_text_with_values(tn_text *out, tn_session *s, const tn_event_action *action)
{
    bool log = action->kind == ACTION_LOG;
    TN_TRY(tn_session_evaluate(s));
    for (size_t k = 0; k < action->part_count; k++) {
        const text_part *part = &action->parts[k];
        tn_text_add(out, "%s", part->text);
        if (!part->has_value)
            continue;
        tn_text_add(out, log ? "%.9g" : "%.17g", part->value ? tn_channel_formula_value(part->value) : NAN);
        const char *unit = log && part->value ? tn_channel_formula_unit(part->value) : "";
        tn_text_add(out, "%s%s", unit[0] ? " " : "", unit);
    }
    return TN_OK;
}

/* Applies a command, whose names are looked up in the event's subsystem first. */
static int apply_command(tn_session *s, size_t event, const char *line, tn_ack *ack)
{
    tn_command_text text = tn_command_alone(line);
    text.by_event = true;
    text.from = strchr(s->events->watches[event].from, '.') ? s->events->watches[event].from : NULL;
    return s->apply(s, &text, ack);
}

/* The line of a command: what it did, and by how much bodies were moved to close joints. */
static int log_command(tn_session *s, size_t event, const tn_ack *ack)
{
    const double round_off = 1e-9;             /* m */
    char line[sizeof ack->text + 60];
    int length = snprintf(line, sizeof line, "%s", ack->text);
    if (ack->displacement > round_off)
        snprintf(line + length, sizeof line - (size_t)length, "; bodies moved by up to %.6g m", ack->displacement);
    return tn_event_log(s, event, line);
}

static int run_text(tn_session *s, size_t event, const tn_event_action *action, tn_span span)
{
    tn_text text;
    tn_ack ack;
    char *line = NULL;
    tn_text_begin(&text, s->context);
    int code = write_text_with_values(&text, s, action), taken = tn_text_take(&text, &line);
    code = code < 0 ? code : taken;
    if (code == TN_OK && action->kind == ACTION_LOG)
        code = tn_event_log(s, event, line);
    else if (code == TN_OK && (code = apply_command(s, event, line, &ack)) == TN_OK && ack.changed)
        code = log_command(s, event, &ack);
    if (code < 0 && code != TN_ERROR_MEMORY)
        tn_fail(s->context, code, span, "event '%s': this command has failed at t = %.9g s",
                s->events->watches[event].name, s->stepper->t);
    tn_free(s->context, line);
    return code;
}

static void reset_counters(tn_session *s, const char *name)
{
    for (size_t k = 0; k < s->events->count; k++)
        if (!name || strcmp(s->events->list[k]->name, name) == 0)
            s->events->watches[k].count = 0;
}

int tn_event_actions_run(tn_session *s, size_t event)
{
    for (size_t k = 0; event < s->events->count && k < s->events->list[event]->def.action_count; k++) {
        const tn_event_action *action = &s->events->watches[event].actions[k];
        if (action->kind == ACTION_STOP)
            s->summary.stopped_by = s->events->watches[event].name;
        else if (action->kind == ACTION_RESET)
            reset_counters(s, action->counter);
        else
            TN_TRY(run_text(s, event, action, s->events->list[event]->def.actions[k].span));
    }
    return TN_OK;
}
