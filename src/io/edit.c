#include "edit_impl.h"

#include "amend.h"
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

tn_id tn_edit_find(tn_editor *e, const tn_node *node)
{
    tn_reader *r = e->r;
    tn_id id = tn_read_find(r, node->as.text);
    if (id.kind == TN_KIND_NONE)
        tn_read_missing(r, node, "body, joint, force, contact or subsystem", node->as.text, tn_model_name_candidate,
                        r->model);
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

/* The contents of sections, as if they stood in the model's file. */
static void read_contents(tn_editor *e, const tn_node *node, bool replacing)
{
    tn_reader *r = e->r;
    static const int refused[] = { TOP_TENON, TOP_NAME, TOP_DIMENSION, TOP_GRAVITY, TOP_PARAMETERS, TOP_INCLUDE,
                                   TOP_PORTS, TOP_CLOSED, TOP_INITIAL, TOP_SOLVE, TOP_EXPECT };
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
        for (unsigned i = 0; document.values[section] != NULL && document.values[section]->kind == TN_NODE_MAP &&
                             i < document.values[section]->count; i++)
            tn_edit_tell(e, "%s %s", replacing ? "replaced" : "added",
                         document.values[section]->as.items[2 * i]->as.text);
    if (r->report[0] != '\0')
        tn_edit_tell(e, "%s", r->report);
}

/* ---- set ---- */

static int find_parameter(const tn_parameter_decl *declared, size_t max, const char *name)
{
    for (size_t k = 0; k < max && declared[k].name != NULL; k++)
        if (strcmp(declared[k].name, name) == 0)
            return (int)k;
    return -1;
}

static void set_force(tn_editor *e, tn_force *force, int k, const tn_node *value)
{
    tn_model *m = e->r->model;
    char unit[40];
    const tn_parameter_decl *declared = &force->type->parameters[k];
    tn_formula_value read;
    size_t count = 0;
    if (!tn_read_formula(e->r, value, declared->name,
                         tn_unit_for(declared->unit, tn_force_along_angle(m, force), unit, sizeof unit), &read))
        return;
    while (count < TN_FORCE_PARAMETERS && force->type->parameters[count].name != NULL)
        count++;
    if (read.expression.text != NULL && force->expressions == NULL)
        force->expressions = tn_arena_alloc(m->arena, count, sizeof *force->expressions);
    const tn_expression *copy = read.expression.text != NULL ? tn_expression_copy(m->arena, &read.expression) : NULL;
    if (read.expression.text != NULL && (force->expressions == NULL || copy == NULL)) {
        tn_read_ok(e->r, TN_ERROR_MEMORY);
        return;
    }
    if (force->expressions != NULL)
        force->expressions[k] = copy;
    force->parameters[k] = copy != NULL ? NAN : read.number;
}

static void set_contact(tn_editor *e, tn_contact *contact, const tn_node *path, const char *key, const tn_node *value)
{
    const tn_key *keys = tn_section_contact.keys;
    double restitution = contact->restitution, friction = contact->friction;
    if (strcmp(key, keys[CONTACT_RESTITUTION].name) == 0)
        tn_read_number(e->r, value, &keys[CONTACT_RESTITUTION], &restitution);
    else if (strcmp(key, keys[CONTACT_FRICTION].name) == 0)
        tn_read_number(e->r, value, &keys[CONTACT_FRICTION], &friction);
    else
        tn_read_error(e->r, path->span, "'%s' has no parameter '%.60s', only restitution and friction",
                      contact->entity.name, key);
    if (restitution > 1)
        tn_read_error(e->r, value->span, "restitution %g must be between 0 and 1", restitution);
    contact->restitution = restitution;
    contact->friction = friction;
    tn_edit_tell(e, "set %s", path->as.text);
}

/* What a fuse bears, by "fuse.force" or "fuse.torque"; NULL: the name is another one, or there is no fuse. */
static double *fuse_load(const tn_model *model, tn_id joint, const char *name)
{
    tn_trigger *trigger = joint.kind == TN_KIND_JOINT ? tn_model_trigger(model, joint.index) : NULL;
    if (trigger == NULL || (isnan(trigger->fuse.force) && isnan(trigger->fuse.torque)))
        return NULL;
    return strcmp(name, "fuse.force") == 0 ? &trigger->fuse.force
           : strcmp(name, "fuse.torque") == 0 ? &trigger->fuse.torque : NULL;
}

/* "spring.stiffness": the owner's name is everything before the point behind which a parameter begins. */
static void set_one(tn_editor *e, const tn_node *path, const tn_node *value)
{
    tn_reader *r = e->r;
    const char *full = tn_read_path(r, path->as.text), *name = NULL;
    if (full == NULL)
        return;
    if (strchr(path->as.text, '.') == NULL) {
        tn_read_error(r, path->span, "'%.60s' must be NAME.PARAMETER", path->as.text);
        return;
    }
    tn_id id = tn_model_split(r->model, full, &name);
    if (id.kind == TN_KIND_CONTACT && name != NULL) {
        set_contact(e, &r->model->contacts[id.index], path, name, value);
        return;
    }
    const tn_parameter_decl *declared = id.kind == TN_KIND_FORCE ? r->model->forces[id.index].type->parameters
                                        : id.kind == TN_KIND_JOINT ? r->model->joints[id.index].type->parameters : NULL;
    if (declared == NULL || name == NULL) {
        tn_read_error(r, path->span, "there is no joint, force or contact '%.*s' to set something of",
                      (int)(strrchr(path->as.text, '.') - path->as.text), path->as.text);
        return;
    }
    double *load = fuse_load(r->model, id, name);
    if (load != NULL) {
        const tn_key *key = &tn_section_fuse.keys[strcmp(name, "fuse.force") == 0 ? FUSE_FORCE : FUSE_TORQUE];
        tn_read_quantity(r, value, name, key->unit, key->sign, load);
        tn_edit_tell(e, "set %s", path->as.text);
        return;
    }
    int k = find_parameter(declared, id.kind == TN_KIND_FORCE ? TN_FORCE_PARAMETERS : TN_JOINT_PARAMETERS, name);
    if (k < 0) {
        tn_read_error(r, path->span, "'%s' has no parameter '%.60s'", tn_model_entity_name(r->model, id), name);
        return;
    }
    if (id.kind == TN_KIND_FORCE)
        set_force(e, &r->model->forces[id.index], k, value);
    else
        tn_read_quantity(r, value, name, declared[k].unit, TN_ANY_SIGN, &r->model->joints[id.index].parameters[k]);
    tn_edit_tell(e, "set %s", path->as.text);
}

static void set_all(tn_editor *e, const tn_node *map)
{
    if (!tn_read_is_map(e->r, map, "set"))
        return;
    for (unsigned i = 0; i < map->count && e->r->stop == TN_OK; i++)
        set_one(e, map->as.items[2 * i], map->as.items[2 * i + 1]);
}

/* ---- other texts ---- */

/* A parameter of a subsystem is given where the text of the model has the subsystem. */
static int check_place(const tn_reader *r, const tn_source *source, const tn_node *name)
{
    tn_source_node *entry;
    if (tn_amend_owner(source, name->as.text, &entry) == name->as.text || entry != NULL)
        return TN_OK;
    return tn_fail(r->context, TN_ERROR_MODEL, name->span,
                   "the text of the model cannot say '%.120s': its subsystem stands in another file", name->as.text);
}

/* The present text with other values for some of its parameters. */
static int with_parameters(char **out, const tn_reader *r, const tn_node *names, const tn_command_text *command)
{
    char *text = NULL;
    tn_source source, change;
    TN_TRY(tn_model_text(&text, r->model));
    int code = tn_source_open(&source, r->arena, r->context, r->file, text, strlen(text));
    tn_free(r->context, text);
    TN_TRY(code);
    TN_TRY(tn_source_open(&change, r->arena, r->context, command->place.file, command->text, command->size));
    for (unsigned i = 0; i < names->count; i++)
        TN_TRY(check_place(r, &source, names->as.items[2 * i]));
    TN_TRY(tn_amend(&source, change.root, r->model));
    tn_format_spread(source.root);
    return tn_source_write(out, &source);
}

static const char *parameter_candidate(void *user, size_t index)
{
    const tn_model *model = user;
    return index < model->parameter_count ? model->parameters[index].name : NULL;
}

static void check_parameters(tn_editor *e, const tn_node *map)
{
    tn_reader *r = e->r;
    char hint[160];
    if (!tn_read_is_map(r, map, "parameters"))
        return;
    for (unsigned i = 0; i < map->count; i++) {
        const tn_node *name = map->as.items[2 * i];
        bool known = false;
        for (size_t k = 0; k < r->model->parameter_count; k++)
            known = known || strcmp(r->model->parameters[k].name, name->as.text) == 0;
        if (!known)
            tn_read_error(r, name->span, "the model has no parameter '%.60s'%s", name->as.text,
                          tn_did_you_mean(hint, sizeof hint, name->as.text, parameter_candidate, r->model));
        tn_edit_tell(e, "set %s", name->as.text);
    }
}

/* Nothing else goes with a text or with parameters: they say what all of the model is. */
static bool makes_text(tn_editor *e, const tn_node *const *values)
{
    const tn_node *text = values[COMMAND_TEXT] != NULL ? values[COMMAND_TEXT] : values[COMMAND_PARAMETERS];
    for (int k = 0; text != NULL && tn_section_command.keys[k].name != NULL; k++)
        if (values[k] != NULL && values[k] != text && k != COMMAND_CLOSING && k != COMMAND_FILES)
            tn_read_error(e->r, values[k]->span, "make two commands: nothing but 'closing' and 'files' goes with '%s'",
                          text == values[COMMAND_TEXT] ? "text" : "parameters");
    return text != NULL;
}

static void read_other(tn_editor *e, const tn_node *const *values, const tn_command_text *command)
{
    tn_reader *r = e->r;
    char *made = NULL;
    const char *text = tn_read_text(r, values[COMMAND_TEXT], "text");
    if (text != NULL)
        tn_edit_tell(e, "took another text");
    else
        check_parameters(e, values[COMMAND_PARAMETERS]);
    if (r->errors == 0 && text == NULL && tn_read_ok(r, with_parameters(&made, r, values[COMMAND_PARAMETERS], command)))
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

/* Among the amendments, for the text of the model. */
static int note_command(tn_reader *r, const tn_command_text *command)
{
    char inside[TN_PATH_SIZE + 20];
    if (r->prefix == NULL)
        return tn_amendment_add(&r->model->amendments, r->context, command->text, command->size);
    snprintf(inside, sizeof inside, "{ " TN_AMENDMENT_INSIDE ": \"%s\" }", r->prefix);
    return tn_amendment_add(&r->model->amendments, r->context, inside, strlen(inside));
}

static void apply(tn_editor *e, const tn_node *root, const tn_command_text *command)
{
    tn_reader *r = e->r;
    const tn_node *values[TN_MAX_KEYS];
    if (!tn_read_keys(r, root, &tn_section_command, values, NULL, 0, NULL) ||
        !tn_read_ok(r, tn_edit_take_files(r, values[COMMAND_FILES])))
        return;
    read_closing(e, values[COMMAND_CLOSING]);
    if (makes_text(e, values)) {
        read_other(e, values, command);
        return;
    }
    if (!tn_read_ok(r, note_command(r, command)))
        return;
    tn_edit_each_name(e, values[COMMAND_REMOVE], "remove", remove_one);
    tn_edit_each_name(e, values[COMMAND_DISABLE], "disable", disable_one);
    tn_edit_each_name(e, values[COMMAND_ENABLE], "enable", enable_one);
    read_contents(e, values[COMMAND_REPLACE], true);
    read_contents(e, values[COMMAND_ADD], false);
    set_all(e, values[COMMAND_SET]);
    tn_edit_move(e, values[COMMAND_MOVE]);
    tn_edit_each_name(e, values[COMMAND_UNLOCK], "unlock", tn_edit_unlock);
    tn_edit_each_name(e, values[COMMAND_LOCK], "lock", tn_edit_lock);
    if (values[COMMAND_GRAVITY] != NULL) {
        tn_read_gravity(r, values[COMMAND_GRAVITY]);
        tn_edit_tell(e, "set gravity");
    }
    if (values[COMMAND_SOLVE] != NULL) {
        tn_read_solve(r, values[COMMAND_SOLVE]);
        tn_edit_tell(e, "changed the settings");
    }
    if (values[COMMAND_STATE] != NULL) {
        tn_read_pairs(r, values[COMMAND_STATE], &tn_section_command.keys[COMMAND_STATE], tn_read_initial);
        e->edit->state = true;
        tn_edit_tell(e, "set the state");
    }
}

/* Names and places are those of the entity's subsystem. */
static int enter(tn_reader *r, const char *from)
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
    enum { COMMAND_NODES = 100000 };       /* far more than anybody writes, far less than memory */
    size_t budget = COMMAND_NODES;
    const tn_node *root = NULL;
    tn_editor e = { r, out };
    tn_span place = command->place;
    place.file = tn_arena_strdup(r->model->arena, place.file);     /* what is added remembers where it stands */
    r->arena = tn_arena_create(r->context);
    if (r->arena == NULL || place.file == NULL)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_yaml_parse_at(&root, r->arena, r->context, place, command->text, command->size, &budget));
    TN_TRY(enter(r, command->from));
    TN_TRY(tn_origin_create(&r->origin, r->context, r->folder));
    TN_TRY(tn_origin_create(&r->own_files, r->context, r->folder));
    r->given = r->own_files;
    tn_read_known_parameters(r);
    if (root == NULL || root->kind != TN_NODE_MAP)
        tn_read_error(r, place, "a command is a map such as { remove: NAME }");
    else if (r->stop == TN_OK)
        apply(&e, root, command);
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
    if (tn_read_ok(r, tn_yaml_parse_at(&root, r->arena, r->context, place, text, command.size, &r->node_budget)))
        apply(e, root, &command);
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
