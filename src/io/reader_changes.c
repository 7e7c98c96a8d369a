/* Reads the section changes: what is different inside subsystems from what their files say. It is executed like a command. */
#include <string.h>
#include "edit.h"
#include "reader.h"

/* Entities that this file defines are changed where they stand. */
static void check_is_inside(tn_reader *r, const tn_node *path)
{
    const char *point = strchr(path->as.text, '.');
    char first[TN_PATH_SIZE];
    snprintf(first, sizeof first, "%.*s", point != NULL ? (int)(point - path->as.text) : 0, path->as.text);
    if (point == NULL || tn_read_find(r, first).kind != TN_KIND_SUBSYSTEM)
        tn_read_error(r, path->span, "'%.120s' is not inside a subsystem: change it where it is defined", path->as.text);
}

static void check_names(tn_reader *r, const tn_node *list, const char *label)
{
    size_t count;
    const tn_node *const *items = tn_read_list(r, &list, label, &count);
    for (size_t i = 0; i < count && r->stop == TN_OK; i++)
        if (tn_read_text(r, items[i], label) != NULL)
            check_is_inside(r, items[i]);
}

static void check_changes(tn_reader *r, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, node, &tn_section_changes, values, NULL, 0, NULL))
        return;
    for (int k = CHANGES_REMOVE; k <= CHANGES_ENABLE; k++)
        if (values[k] != NULL)
            check_names(r, values[k], tn_section_changes.keys[k].name);
    const tn_node *set = values[CHANGES_SET];
    if (set == NULL || !tn_read_is_map(r, set, tn_section_changes.keys[CHANGES_SET].name))
        return;
    for (unsigned i = 0; i < set->count; i++)
        check_is_inside(r, set->as.items[2 * i]);
}

/* The text has these changes: they are no commands since it was read. */
static void execute(tn_reader *r, const tn_node *node, const char *text)
{
    char from[TN_PATH_SIZE];
    tn_edit edit;
    tn_amendment *before = tn_amendment_share(r->model->amendments);
    tn_command_text command = { .text = text, .size = strlen(text), .place = node->span };
    if (r->prefix != NULL) {
        snprintf(from, sizeof from, "%s.changes", r->prefix);
        command.from = from;
    }
    tn_read_ok(r, tn_model_edit(&edit, &r->model, &command));
    tn_free(r->context, edit.complete);
    tn_amendment_release(r->model->amendments);
    r->model->amendments = before;
}

void tn_read_changes(tn_reader *r, const tn_node *node)
{
    const size_t before = r->errors;
    tn_text text;
    char *command = NULL;
    if (node == NULL)
        return;
    check_changes(r, node);
    if (r->errors > before || r->stop != TN_OK || r->incomplete)
        return;
    tn_text_begin(&text, r->context);
    tn_write_node(&text, node);
    if (tn_read_ok(r, tn_text_take(&text, &command)) && command != NULL)
        execute(r, node, command);
    tn_free(r->context, command);
}
