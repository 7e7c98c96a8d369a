/* Commands: their effect on the model and on the model's text. */
#include "edit_impl.h"

#include "check.h"
#include "decimal.h"
#include "format.h"
#include "model_text.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

void tn_edit_tell(tn_editor *e, const char *format, ...)
{
    size_t used = strlen(e->edit->text), size = sizeof e->edit->text;
    va_list arguments;
    if (used > 0 && used + 3 < size) {
        memcpy(e->edit->text + used, ", ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(e->edit->text + used, size - used, format, arguments);
    va_end(arguments);
}

/* ---- notes for the text ---- */

void tn_edit_note(tn_editor *e, tn_change_kind kind, const char *section, const char *name)
{
    if (e->r->prefix == NULL)
        tn_change_note(&e->changes, kind, section, name, "", -1);
}

void tn_edit_note_value(tn_editor *e, const char *section, const char *name, const char *path, int item)
{
    if (e->r->prefix == NULL)
        tn_change_note(&e->changes, TN_CHANGE_SET, section, name, path, item);
}

bool tn_edit_is_inside(tn_editor *e, const char *path, tn_id id)
{
    bool inside = tn_model_owner(e->r->model, id).kind != TN_KIND_NONE;
    if (inside && e->inside == NULL)
        e->inside = path;
    return inside;
}

int tn_edit_keep_notes(tn_editor *e, tn_amendment **list)
{
    tn_reader *r = e->r;
    char *changes = NULL;
    tn_amendment what = { .inside = r->prefix != NULL ? r->prefix : e->inside };
    TN_TRY(tn_text_take(&e->changes, &changes));
    tn_text_begin(&e->changes, r->context);
    what.changes = changes != NULL ? changes : "";
    if (what.changes[0] != '\0' || (what.inside != NULL && r->prefix == NULL)) {
        what.text = e->command->text;
        what.size = e->command->size;
    }
    int code = tn_amendment_add(list, r->context, &what);
    tn_free(r->context, changes);
    return code;
}

/* ---- names ---- */

tn_id tn_edit_find(tn_editor *e, const tn_node *node)
{
    tn_reader *r = e->r;
    tn_id id = tn_read_find(r, node->as.text);
    if (id.kind == TN_KIND_NONE)
        tn_read_missing(r, node, "body, joint, force, contact or subsystem", node->as.text, tn_model_name_candidate,
                        r->model);
    else
        tn_edit_is_inside(e, node->as.text, id);
    return id;
}

void tn_edit_each_name(tn_editor *e, const tn_node *list, const char *label,
                       void (*act)(tn_editor *, const tn_node *, tn_id))
{
    size_t count;
    const tn_node *const *items = tn_read_list(e->r, &list, label, &count);
    for (size_t i = 0; i < count && e->r->stop == TN_OK; i++) {
        if (tn_read_text(e->r, items[i], label) == NULL)
            continue;
        tn_id id = tn_edit_find(e, items[i]);
        if (id.kind != TN_KIND_NONE)
            act(e, items[i], id);
    }
}

static void remove_one(tn_editor *e, const tn_node *node, tn_id id)
{
    if (tn_read_ok(e->r, tn_model_remove(e->r->model, id)))
        tn_edit_tell(e, "removed %s", node->as.text);
}

static void switch_one(tn_editor *e, const tn_node *node, tn_id id, bool on)
{
    if (tn_read_ok(e->r, tn_model_set_enabled(e->r->model, id, on)))
        tn_edit_tell(e, "%s %s", on ? "enabled" : "disabled", node->as.text);
}

static void enable_one(tn_editor *e, const tn_node *node, tn_id id)
{
    switch_one(e, node, id, true);
}

static void disable_one(tn_editor *e, const tn_node *node, tn_id id)
{
    switch_one(e, node, id, false);
}

/* Notes the change of a section of the text. */
static void note_section(tn_editor *e, const tn_node *node, const char *section, bool replacing)
{
    if (node->kind != TN_NODE_MAP)
        tn_edit_note(e, TN_CHANGE_APPEND, section, "");
    for (unsigned i = 0; node->kind == TN_NODE_MAP && i < node->count; i++) {
        const char *name = node->as.items[2 * i]->as.text;
        tn_edit_tell(e, "%s %s", replacing ? "replaced" : "added", name);
        if (!tn_edit_is_inside(e, name, tn_read_find(e->r, name)))
            tn_edit_note(e, replacing ? TN_CHANGE_REPLACE : TN_CHANGE_ADD, section, name);
    }
}

/* Of a joint, body or force; conditions on channels are solved at the start of a run only. */
static void read_state_of(tn_reader *r, const tn_node *name, const tn_node *node)
{
    tn_id id = tn_read_find(r, name->as.text);
    const bool channel = id.kind == TN_KIND_NONE || (id.kind == TN_KIND_FORCE && r->model->forces[id.index].type->named);
    if (node->kind == TN_NODE_TEXT && channel)
        tn_read_error(r, name->span, "'%.60s' is no joint, body or force; conditions on channels are for 'initial'",
                      name->as.text);
    else
        tn_read_initial(r, name, node);
}

/* The contents of sections, as if they stood in the model's file. */
static void read_contents(tn_editor *e, const tn_node *node, bool replacing)
{
    tn_reader *r = e->r;
    static const int refused[] = { TOP_TENON, TOP_NAME, TOP_DIMENSION, TOP_GRAVITY, TOP_PARAMETERS, TOP_INCLUDE,
                                   TOP_PORTS, TOP_CLOSED, TOP_CONNECT, TOP_INITIAL, TOP_SOLVE, TOP_EXPECT, TOP_CHANGES };
    tn_document document = { .folder = r->folder };
    if (node == NULL || !tn_read_keys(r, node, &tn_section_top, document.values, NULL, 0, NULL))
        return;
    for (size_t k = 0; k < TN_LENGTH(refused); k++)
        if (document.values[refused[k]] != NULL)
            tn_read_error(r, document.values[refused[k]]->span, "'%s' cannot be added to a model",
                          tn_section_top.keys[refused[k]].name);
    r->documents = &document;
    r->document_count = 1;
    r->replacing = replacing;
    tn_read_contents(r);
    r->replacing = false;
    r->documents = NULL;
    r->document_count = 0;
    for (int section = 0; tn_section_top.keys[section].name != NULL; section++)
        if (document.values[section] != NULL)
            note_section(e, document.values[section], tn_section_top.keys[section].name, replacing);
    if (r->report[0] != '\0')
        tn_edit_tell(e, "%s", r->report);
}

/* ---- other texts ---- */

/* A parameter of a subsystem is given where the text of the model has the subsystem. */
static int put_parameter(const tn_reader *r, const tn_source *source, const tn_node *name, const tn_node *value)
{
    bool choice = false;
    for (size_t k = 0; k < r->model->parameter_count && !choice; k++)
        choice = r->model->parameters[k].choices != NULL && strcmp(r->model->parameters[k].name, name->as.text) == 0;
    tn_change_result made = (choice ? tn_change_choice : tn_change_parameter)(source, name->as.text,
                                                                              tn_source_copy(source, value));
    if (made == TN_CHANGE_NO_PLACE)
        return tn_fail(r->context, TN_ERROR_MODEL, name->span,
                       "the text of the model cannot say '%.120s': its subsystem stands in another file", name->as.text);
    return made == TN_CHANGE_MADE ? TN_OK : TN_ERROR_MEMORY;
}

/* The present text with other values for some of its parameters. */
static int with_parameters(char **out, const tn_reader *r, const tn_node *map)
{
    char *text = NULL;
    tn_source source;
    TN_TRY(tn_model_text(&text, r->model));
    int code = tn_source_open(&source, r->arena, r->context, r->file, text, strlen(text));
    tn_free(r->context, text);
    TN_TRY(code);
    for (unsigned i = 0; i < map->count; i++)
        TN_TRY(put_parameter(r, &source, map->as.items[2 * i], map->as.items[2 * i + 1]));
    tn_format_spread(source.root);
    return tn_source_write(out, &source);
}

static const char *parameter_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    return index < model->parameter_count ? model->parameters[index].name : NULL;
}

bool tn_edit_is_parameter(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < model->parameter_count; k++)
        if (strcmp(model->parameters[k].name, name) == 0)
            return true;
    return false;
}

static void check_parameters(tn_editor *e, const tn_node *map)
{
    tn_reader *r = e->r;
    char hint[160];
    if (!tn_read_is_map(r, map, "parameters"))
        return;
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *name = map->as.items[2 * i];
        if (!tn_edit_is_parameter(r->model, name->as.text))
            tn_read_error(r, name->span, "the model has no parameter '%.60s'%s", name->as.text,
                          tn_did_you_mean(hint, sizeof hint, name->as.text, parameter_candidate, r->model));
        tn_edit_tell(e, "set %s", name->as.text);
    }
}

/* "drive.variant: ideal" under "set" is a parameter of the model, and the whole map must be of that kind. */
static bool chooses_variants(tn_editor *e, const tn_node *map)
{
    unsigned choices = 0;
    for (unsigned i = 0; map != NULL && map->kind == TN_NODE_MAP && i < map->count; i++) {
        const char *path = tn_read_path(e->r, map->as.items[2 * i]->as.text);
        for (size_t k = 0; path != NULL && k < e->r->model->parameter_count; k++)
            choices += e->r->model->parameters[k].choices != NULL && strcmp(e->r->model->parameters[k].name, path) == 0;
    }
    if (choices > 0 && choices < map->count)
        tn_read_error(e->r, map->span, "make two commands: nothing else is set together with a variant");
    return choices > 0;
}

/* A command with a text or with parameters has no other keys: these define the whole model. */
static bool makes_text(tn_editor *e, const tn_node **values)
{
    if (values[COMMAND_PARAMETERS] == NULL && chooses_variants(e, values[COMMAND_SET])) {
        values[COMMAND_PARAMETERS] = values[COMMAND_SET];
        values[COMMAND_SET] = NULL;
    }
    const tn_node *text = values[COMMAND_TEXT] != NULL ? values[COMMAND_TEXT] : values[COMMAND_PARAMETERS];
    for (int k = 0; text != NULL && tn_section_command.keys[k].name != NULL; k++)
        if (values[k] != NULL && values[k] != text && k != COMMAND_CLOSING && k != COMMAND_FILES &&
            k != COMMAND_MORE)
            tn_read_error(e->r, values[k]->span,
                          "make two commands: nothing but 'closing', 'files' and 'more' goes with '%s'",
                          text == values[COMMAND_TEXT] ? "text" : "parameters");
    return text != NULL;
}

static void read_other(tn_editor *e, const tn_node *const *values)
{
    tn_reader *r = e->r;
    char *made = NULL;
    const char *text = tn_read_text(r, values[COMMAND_TEXT], "text");
    if (text != NULL)
        tn_edit_tell(e, "took another text");
    else
        check_parameters(e, values[COMMAND_PARAMETERS]);
    if (r->errors == 0 && text == NULL && tn_read_ok(r, with_parameters(&made, r, values[COMMAND_PARAMETERS])))
        text = made;
    if (r->errors == 0 && text != NULL)
        tn_read_ok(r, tn_model_from_text(&e->edit->other, r->model, text, r->own_files));
    tn_free(r->context, made);
}

/* ---- the whole ---- */

static void read_closing(tn_editor *e, const tn_node *node)
{
    const tn_node *values[TN_MAX_KEYS];
    if (node == NULL)
        return;
    if (node->kind != TN_NODE_MAP)
        e->edit->snap = tn_read_choice(e->r, node, &tn_section_command.keys[COMMAND_CLOSING], 0) == 1;
    else if (tn_read_keys(e->r, node, &tn_section_closing, values, NULL, 0, NULL) &&
             !tn_read_number(e->r, values[CLOSING_DRAW], &tn_section_closing.keys[CLOSING_DRAW], &e->edit->draw) &&
             e->r->errors == 0)
        tn_read_error(e->r, node->span, "'draw' is missing: how long shall it take?");
}

static void apply_edit(tn_editor *e, const tn_node *root)
{
    tn_reader *r = e->r;
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, root, &tn_section_command, values, NULL, 0, NULL) ||
        !tn_read_ok(r, tn_edit_take_files(r, values[COMMAND_FILES])))
        return;
    read_closing(e, values[COMMAND_CLOSING]);
    e->edit->more = tn_read_switch(r, values[COMMAND_MORE], &tn_section_command.keys[COMMAND_MORE], false);
    if (makes_text(e, values)) {
        read_other(e, values);
        return;
    }
    tn_edit_each_name(e, values[COMMAND_REMOVE], "remove", remove_one);
    tn_edit_each_name(e, values[COMMAND_DISABLE], "disable", disable_one);
    tn_edit_each_name(e, values[COMMAND_ENABLE], "enable", enable_one);
    r->stay = tn_read_switch(r, values[COMMAND_STAY], &tn_section_command.keys[COMMAND_STAY], false);
    read_contents(e, values[COMMAND_REPLACE], true);
    r->stay = false;
    read_contents(e, values[COMMAND_ADD], false);
    tn_edit_set(e, values[COMMAND_SET]);
    tn_edit_move(e, values[COMMAND_MOVE]);
    tn_edit_each_name(e, values[COMMAND_UNLOCK], "unlock", tn_edit_unlock);
    tn_edit_each_name(e, values[COMMAND_LOCK], "lock", tn_edit_lock);
    if (values[COMMAND_GRAVITY] != NULL) {
        tn_read_gravity(r, values[COMMAND_GRAVITY]);
        tn_edit_note(e, TN_CHANGE_PUT, "gravity", "");
        tn_edit_tell(e, "set gravity");
    }
    if (values[COMMAND_SOLVE] != NULL) {
        tn_read_solve(r, values[COMMAND_SOLVE]);
        tn_edit_note(e, TN_CHANGE_PUT, "solve", "");
        tn_edit_tell(e, "changed the settings");
    }
    if (values[COMMAND_STATE] != NULL) {
        tn_read_pairs(r, values[COMMAND_STATE], &tn_section_command.keys[COMMAND_STATE], read_state_of);
        e->edit->state = true;
        tn_edit_tell(e, "set the state");
    }
    tn_read_ok(r, tn_edit_keep_notes(e, &r->model->amendments));
}

int tn_edit_enter(tn_reader *r, const char *from)
{
    char path[TN_PATH_SIZE];
    const char *dot = from != NULL ? strrchr(from, '.') : NULL;
    if (dot == NULL)
        return TN_OK;
    snprintf(path, sizeof path, "%.*s", (int)(dot - from), from);
    r->subsystem = tn_model_find(r->model, path);
    r->prefix = tn_arena_strdup(r->arena, path);
    if (r->prefix == NULL)
        return TN_ERROR_MEMORY;
    if (r->subsystem.kind == TN_KIND_SUBSYSTEM)
        r->pose = &r->model->subsystems[r->subsystem.index].world;
    return TN_OK;
}

static int read_command(tn_edit *out, tn_reader *r, const tn_command_text *command)
{
    enum { COMMAND_NODES = 100000 };       /* limits memory; real commands are far smaller */
    size_t budget = COMMAND_NODES;
    tn_source source = { 0 };
    tn_editor e = { .r = r, .edit = out, .command = command };
    tn_span place = command->place;
    place.file = tn_arena_strdup(r->model->arena, place.file);     /* what is added remembers where it stands */
    r->arena = tn_arena_create(r->context);
    if (r->arena == NULL || place.file == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_source_parse(&source, r->arena, r->context, place, command->text, command->size, &budget));
    const tn_node *root = source.root;
    TN_TRY(tn_edit_enter(r, command->from));
    TN_TRY(tn_origin_create(&r->origin, r->context, r->folder));
    TN_TRY(tn_origin_create(&r->own_files, r->context, r->folder));
    r->given = r->own_files;
    tn_read_known_parameters(r);
    tn_text_begin(&e.changes, r->context);
    if (root == NULL || root->kind != TN_NODE_MAP)
        tn_read_error(r, place, "a command is a map such as { remove: NAME }");
    else if (r->stop == TN_OK)
        apply_edit(&e, root);
    tn_free(r->context, e.changes.data);
    if (r->stop < 0 || r->errors > 0)
        return r->stop < 0 ? r->stop : TN_ERROR_MODEL;
    TN_TRY(tn_edit_note_files(&e));
    return tn_edit_complete(&out->complete, r, root);
}

tn_command_text tn_command_alone(const char *text)
{
    return (tn_command_text){ .text = text, .size = strlen(text), .place = { "command", 1, 1 } };
}

void tn_edit_also(tn_editor *e, tn_span place, const char *text)
{
    tn_reader *r = e->r;
    const tn_node *root = NULL;
    size_t told = strlen(e->edit->text);
    tn_command_text command = { .text = text, .size = strlen(text), .place = place };
    const tn_command_text *whole = e->command;
    if (tn_read_ok(r, tn_edit_keep_notes(e, &r->model->amendments)) &&
        tn_read_ok(r, tn_yaml_parse_at(&root, r->arena, r->context, place, text, command.size, &r->node_budget))) {
        e->command = &command;
        apply_edit(e, root);
        e->command = whole;
    }
    e->edit->text[told] = '\0';
}

int tn_model_edit(tn_edit *out, tn_model **edited, const tn_command_text *command)
{
    tn_model *model = *edited;
    tn_parsed_file *parsed = NULL;
    tn_reader r = { .context = model->context, .model = model, .node_budget = TN_YAML_NODES, .parsed = &parsed,
                    .file = command->place.file, .folder = model->origin != NULL ? model->origin->folder : "" };
    tn_decimal decimal;
    r.also_given = command->by_event ? model->origin : NULL;
    *out = (tn_edit){ 0 };
    TN_TRY(tn_decimal_begin(&decimal));
    int code = read_command(out, &r, command);
    tn_decimal_end(&decimal);
    if (r.arena != NULL)
        tn_arena_destroy(r.arena);
    tn_free(r.context, r.parameters);
    tn_origin_release(r.origin);
    tn_origin_release(r.own_files);
    if (code < 0) {
        tn_model_destroy(out->other);
        out->other = NULL;
    } else if (out->other != NULL) {
        tn_model_destroy(model);
        *edited = out->other;
    }
    return code;
}
