/* Scripts: edits at given times, in the format of journal entries. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "live.h"
#include "file.h"
#include "source_tree.h"
#include "tenon/history.h"

typedef struct scheduled {
    double time;
    tn_span span;
    tn_entry event;
} scheduled;

struct tn_script {
    tn_context *context;
    tn_arena *arena;
    scheduled *items;
    size_t count, capacity;
    char *text;                /* while it is read */
    tn_source_cursor cursor;
    bool wrong;
};

static void complain(tn_script *s, const tn_node *node, const char *reason)
{
    tn_fail(s->context, TN_ERROR_MODEL, node->span, "%s", reason);
    s->wrong = true;
}

/* Copies the text of the node from the file and indents its first line to the node's column. The lines stay aligned,
 * and diagnostics have the columns of the file. */
static int cut_out(tn_command_text *out, tn_script *s, const tn_node *node)
{
    size_t begin = tn_source_offset(&s->cursor, node->begin), end = tn_source_offset(&s->cursor, node->end);
    size_t indent = (size_t)node->span.column - 1;
    while (end > begin && strchr(" \r\n", s->text[end - 1]))
        end--;
    char *text = tn_arena_alloc(s->arena, indent + end - begin + 1, 1);
    if (!text)
        return TN_ERROR_MEMORY;
    memset(text, ' ', indent);
    memcpy(text + indent, s->text + begin, end - begin);
    *out = (tn_command_text){ .text = text, .size = indent + end - begin,
                              .place = { node->span.file, node->span.line, 1 } };
    return TN_OK;
}

static int add_script(tn_script *s, double time, tn_span span, const tn_entry *event)
{
    TN_TRY(tn_grow(s->context, &s->items, &s->capacity, s->count + 1, sizeof *s->items));
    s->items[s->count++] = (scheduled){ time, span, *event };
    return TN_OK;
}

static int add_command(tn_script *s, double time, const tn_node *node)
{
    tn_entry event = { .kind = TN_ENTRY_DO };
    if (node->kind != TN_NODE_MAP) {
        complain(s, node, "'do' takes a command such as { remove: NAME }, or a list of them");
        return TN_OK;
    }
    TN_TRY(cut_out(&event.command, s, node));
    return add_script(s, time, node->span, &event);
}

static int add_commands(tn_script *s, double time, const tn_node *node)
{
    if (node->kind != TN_NODE_LIST)
        return add_command(s, time, node);
    for (unsigned k = 0; k < node->count; k++)
        TN_TRY(add_command(s, time, node->as.items[k]));
    return TN_OK;
}

static int add_undo(tn_script *s, double time, const tn_node *node, tn_entry_kind kind)
{
    bool restore = node->kind == TN_NODE_TEXT && strcmp(node->as.text, "restore") == 0;
    if (!restore && (node->kind != TN_NODE_TEXT || strcmp(node->as.text, "keep") != 0)) {
        complain(s, node, "must be 'restore' (back to that moment) or 'keep' (the model only)");
        return TN_OK;
    }
    return add_script(s, time, node->span, &(tn_entry){ .kind = kind, .restore = restore });
}

static bool read_time(tn_script *s, const tn_node *edit, const tn_node *at, double *time)
{
    double before = *time;
    if (!at || at->kind != TN_NODE_TEXT || tn_node_empty(at)) {
        complain(s, at ? at : edit, "an edit needs a time: 'at: 0.5 s'");
        return false;
    }
    size_t said = tn_diagnostics_count(s->context);
    int code = tn_quantity_parse(time, s->context, at->as.text, "s");
    if (code < 0 && said < tn_diagnostics_count(s->context))
        complain(s, at, "this is not a time");
    else if (code == TN_OK && *time < before)
        complain(s, at, "times must ascend: this edit is earlier than the one before it");
    s->wrong |= code < 0;
    return code == TN_OK;
}

static const char *key_candidate(void *user, size_t index)
{
    static const char *const keys[] = { "at", "do", "undo", "redo", NULL };
    (void)user;
    return keys[index];
}

static void check_keys(tn_script *s, const tn_node *edit)
{
    for (unsigned i = 0; i < edit->count; i++) {
        const char *key = edit->as.items[2 * i]->as.text;
        bool known = false;
        char hint[80];
        for (size_t k = 0; key_candidate(NULL, k); k++)
            known |= strcmp(key, key_candidate(NULL, k)) == 0;
        if (known)
            continue;
        tn_fail(s->context, TN_ERROR_MODEL, edit->as.items[2 * i]->span, "an edit has no '%.60s'%s", key,
                tn_did_you_mean(hint, sizeof hint, key, key_candidate, NULL));
        s->wrong = true;
    }
}

static int read_edit(tn_script *s, const tn_node *edit, double *time)
{
    const tn_node *action = tn_node_get(edit, "do"), *undo = tn_node_get(edit, "undo"), *redo = tn_node_get(edit, "redo");
    if (edit->kind != TN_NODE_MAP) {
        complain(s, edit, "an edit is a map such as { at: 0.5 s, do: { remove: NAME } }");
        return TN_OK;
    }
    check_keys(s, edit);
    if (!read_time(s, edit, tn_node_get(edit, "at"), time))
        return TN_OK;
    if (!!action + !!undo + !!redo != 1) {
        complain(s, edit, "an edit has one of 'do', 'undo' and 'redo'");
        return TN_OK;
    }
    if (action)
        return add_commands(s, *time, action);
    return add_undo(s, *time, undo ? undo : redo, undo ? TN_ENTRY_UNDO : TN_ENTRY_REDO);
}

static int read_text(tn_script *s, const char *path, size_t size)
{
    size_t budget = TN_YAML_NODES;
    const tn_node *root = NULL;
    double time = 0;
    const char *file = tn_arena_strdup(s->arena, path);
    if (!file)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_yaml_parse(&root, s->arena, s->context, file, s->text, size, &budget));
    const tn_node *edits = tn_node_get(root, "edits");
    if (!edits || edits->kind != TN_NODE_LIST || root->count != 1)
        return tn_fail(s->context, TN_ERROR_MODEL, root ? root->span : ((tn_span){ file, 1, 1 }),
                       "a script is a map with one list, 'edits: [ { at: 0.5 s, do: { remove: NAME } } ]'");
    s->cursor = (tn_source_cursor){ .text = s->text, .size = size };
    for (unsigned k = 0; k < edits->count; k++)
        TN_TRY(read_edit(s, edits->as.items[k], &time));
    return s->wrong ? TN_ERROR_MODEL : TN_OK;
}

int tn_script_read(tn_script **out, tn_context *context, const char *path)
{
    size_t size = 0;
    tn_script *s = tn_alloc(context, 1, sizeof *s);
    *out = NULL;
    if (!s)
        return TN_ERROR_MEMORY;
    s->context = context;
    s->arena = tn_arena_create(context);
    int code = s->arena ? tn_file_read(&s->text, &size, context, path, TN_NOWHERE, NULL, TN_FILE_LIMIT) : TN_ERROR_MEMORY;
    if (code == TN_OK)
        code = read_text(s, path, size);
    tn_free(context, s->text);
    s->text = NULL;
    if (code < 0)
        tn_script_destroy(s);
    else
        *out = s;
    return code;
}

void tn_script_destroy(tn_script *s)
{
    if (!s)
        return;
    tn_arena_destroy(s->arena);
    tn_free(s->context, s->items);
    tn_free(s->context, s);
}

size_t tn_script_count(const tn_script *s)
{
    return s->count;
}

double tn_script_time(const tn_script *s, size_t index)
{
    return index < s->count ? s->items[index].time : NAN;
}

tn_span tn_script_span(const tn_script *s, size_t index)
{
    return index < s->count ? s->items[index].span : TN_NOWHERE;
}

int tn_script_apply(tn_ack *ack, const tn_script *s, size_t index, tn_session *session)
{
    if (index >= s->count)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the script has %zu edits", s->count);
    const scheduled *item = &s->items[index];
    if (item->event.kind == TN_ENTRY_DO)
        return tn_session_apply_text(session, &item->event.command, ack);
    int code = item->event.kind == TN_ENTRY_UNDO ? tn_session_undo(ack, session, item->event.restore)
                                                 : tn_session_redo(ack, session, item->event.restore);
    if (code < 0)
        tn_fail(s->context, code, item->span, "this edit of the script failed");
    return code;
}

/* Refuses a session that is past the first edit of the script. Later edits need no check: times increase, and undo can
 * only set the time back. */
static int check_begin(const tn_script *s, const tn_session *session)
{
    double now = tn_session_time(session);
    if (s->count == 0 || now <= s->items[0].time || tn_session_solve(session).until < s->items[0].time)
        return TN_OK;
    return tn_fail(s->context, TN_ERROR_ARGUMENT, s->items[0].span, "the run is past this edit: it is at t = %.9g s",
                   now);
}

int tn_script_run(const tn_script *s, tn_session *session, tn_script_callback done, void *user)
{
    int code = check_begin(s, session);
    /* the end is read again each time, because an edit may change it */
    for (size_t k = 0; k < s->count && code == TN_OK && s->items[k].time <= tn_session_solve(session).until; k++) {
        tn_ack ack;
        code = tn_session_advance_to(session, s->items[k].time);
        if (code == TN_OK)
            code = tn_script_apply(&ack, s, k, session);
        if (code == TN_OK && done)
            done(user, k, &ack);
    }
    return code == TN_OK ? tn_session_run(session) : code;
}
