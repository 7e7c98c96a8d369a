/* Reads the section changes: what is different inside subsystems from what their files say. It is executed like a command. */
#include <string.h>
#include "edit.h"
#include "file.h"
#include "reader.h"

/* Entities that this file defines are changed where they stand. */
static void check_is_inside(tn_reader *r, const tn_node *path)
{
    const char *point = strchr(path->as.text, '.');
    char first[TN_PATH_SIZE];
    snprintf(first, sizeof first, "%.*s", point != NULL ? (int)(point - path->as.text) : 0, path->as.text);
    const tn_id id = tn_read_find(r, first);
    if (point != NULL && id.kind == TN_KIND_NONE)
        tn_read_error(r, path->span, "there is no subsystem '%.120s'", first);
    else if (point == NULL || id.kind != TN_KIND_SUBSYSTEM)
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

static void check_keys(tn_reader *r, const tn_node *map, const char *label)
{
    for (unsigned i = 0; tn_read_is_map(r, map, label) && i < map->count; i++)
        check_is_inside(r, map->as.items[2 * i]);
}

/* Their files are found from the folder of the model. */
static void check_sections(tn_reader *r, const tn_node *sections, const char *label)
{
    const tn_node *values[TN_MAX_KEYS];
    const char *folder = tn_path_absolute(r->arena, r->folder);
    if (!tn_read_keys(r, sections, &tn_section_definitions, values, NULL, 0, NULL))
        return;
    if (folder == NULL)
        r->stop = TN_ERROR_MEMORY;
    else if (strcmp(folder, r->model->origin->folder) != 0)
        tn_read_error(r, sections->span, "'%s' is for files in the folder of the model", label);
    for (unsigned i = 0; r->stop == TN_OK && i < sections->count; i++)
        check_keys(r, sections->as.items[2 * i + 1], sections->as.items[2 * i]->as.text);
}

static void check_changes(tn_reader *r, const tn_node *const *values)
{
    for (int k = CHANGES_REPLACE; tn_section_changes.keys[k].name != NULL; k++) {
        const char *label = tn_section_changes.keys[k].name;
        if (values[k] == NULL)
            continue;
        if (k == CHANGES_SET)
            check_keys(r, values[k], label);
        else if (k < CHANGES_REMOVE)
            check_sections(r, values[k], label);
        else
            check_names(r, values[k], label);
    }
}

/* The text has these changes: they are no commands since it was read. */
static void execute(tn_reader *r, tn_span span, const char *text)
{
    char from[TN_PATH_SIZE];
    tn_edit edit;
    tn_amendment *before = tn_amendment_share(r->model->amendments);
    tn_command_text command = { .text = text, .size = strlen(text), .place = span, .by_event = true };
    if (r->prefix != NULL) {
        snprintf(from, sizeof from, "%s.changes", r->prefix);
        command.from = from;
    }
    tn_read_ok(r, tn_model_edit(&edit, &r->model, &command));
    tn_free(r->context, edit.complete);
    tn_amendment_release(r->model->amendments);
    r->model->amendments = before;
}

/* Some of the changes as one command. */
static void apply(tn_reader *r, const tn_node *node, const tn_node *const *values, int first, int last)
{
    tn_text text;
    char *command = NULL;
    const char *between = "{";
    tn_text_begin(&text, r->context);
    for (int k = first; k <= last; k++) {
        if (values[k] == NULL)
            continue;
        tn_text_add(&text, "%s\"%s\": ", between, tn_section_changes.keys[k].name);
        tn_write_node(&text, values[k]);
        between = ", ";
    }
    tn_text_add(&text, "}");
    if (tn_read_ok(r, tn_text_take(&text, &command)) && between[0] == ',')
        execute(r, node->span, command);
    tn_free(r->context, command);
}

/* Other definitions first: the rest may be about what they bring. */
void tn_read_changes(tn_reader *r, const tn_node *node)
{
    const size_t before = r->errors;
    const tn_node *values[TN_MAX_KEYS];
    if (node == NULL || !tn_read_keys(r, node, &tn_section_changes, values, NULL, 0, NULL))
        return;
    check_changes(r, values);
    if (r->errors > before || r->stop != TN_OK || r->incomplete)
        return;
    tn_load_for_action(r, node);
    if (r->stop == TN_OK)
        apply(r, node, values, CHANGES_REPLACE, CHANGES_ADD);
    if (r->stop == TN_OK && r->errors == before)
        apply(r, node, values, CHANGES_REMOVE, CHANGES_SET);
}
