/* Changes of a model's text: values and definitions at paths. */
#include "text_change.h"
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "reader.h"

enum { FIELD_END = '\x1f' };          /* of a note: names are letters, digits, '_' and '-' */

/* ---- sections ---- */

static int section_index(const char *name)
{
    int k = 0;
    while (tn_section_top.keys[k].name != NULL && strcmp(tn_section_top.keys[k].name, name) != 0)
        k++;
    return k;
}

/* Before the first section that comes after it in the order of the schema. */
static unsigned place_of(const tn_node *root, int section)
{
    for (unsigned i = 0; i < root->count; i++)
        for (int k = section + 1; tn_section_top.keys[k].name != NULL; k++)
            if (strcmp(root->as.items[2 * i]->as.text, tn_section_top.keys[k].name) == 0)
                return i;
    return root->count;
}

/* Sections stand in their order, other entries come last. */
bool tn_change_put_entry(const tn_source *source, tn_node *map, const char *key, tn_node *value)
{
    if (map != source->root || tn_source_find(map, key) >= 0)
        return tn_source_put(source, map, key, value);
    return tn_source_insert(source, map, place_of(map, section_index(key)), tn_source_make_text(source, key), value);
}

/* The map under a key, made when there is none; NULL: out of memory. */
static tn_node *enter(const tn_source *source, tn_node *map, const char *key)
{
    tn_node *there = tn_source_get(map, key);
    if (there != NULL && there->kind == TN_NODE_MAP)
        return there;
    bool block = map == source->root && strcmp(key, "solve") != 0;
    return tn_change_put_entry(source, map, key, tn_source_make_map(source, !block)) ? tn_source_get(map, key) : NULL;
}

static bool is_none(const tn_node *node)
{
    return node->kind == TN_NODE_TEXT && strcmp(node->as.text, "none") == 0;
}

/* ---- values ---- */

/* The list [none, none] that a limit begins as. */
static tn_node *make_limit(const tn_source *source)
{
    tn_node *list = tn_source_make_list(source);
    return list != NULL && tn_source_append(source, list, tn_source_make_text(source, "none")) &&
                   tn_source_append(source, list, tn_source_make_text(source, "none")) ? list : NULL;
}

/* Without anything that is limited, restitution says nothing; nor do limits that are none. */
static bool says_nothing(const tn_node *node)
{
    if (node->kind == TN_NODE_MAP)
        return node->count == (tn_source_find(node, "restitution") >= 0);
    for (unsigned i = 0; node->kind == TN_NODE_LIST && i < node->count; i++)
        if (!is_none(node->as.items[i]))
            return false;
    return node->kind == TN_NODE_LIST;
}

/* rho: { pivot: 1.5 } comes to what is said for other joints. */
static bool merge(const tn_source *source, tn_node *into, const tn_node *from)
{
    for (unsigned i = 0; i < from->count; i++) {
        const char *key = from->as.items[2 * i]->as.text;
        tn_node *there = tn_source_get(into, key), *value = tn_node_value(from, i);
        bool maps = there != NULL && there->kind == TN_NODE_MAP && value->kind == TN_NODE_MAP;
        if (maps ? !merge(source, there, value) : !tn_source_put(source, into, key, value))
            return false;
    }
    return true;
}

/* The value at a path such as "limits.angle.low" in a map; "none" takes away what it is the value of. */
static bool set_text_change(const tn_source *source, tn_node *map, const char *path, int item, tn_node *value, bool rule)
{
    size_t length = strcspn(path, ".");
    const char *rest = path[length] == '.' ? path + length + 1 : NULL;
    char *key = tn_arena_strndup(source->arena, path, length);
    tn_node *there = key != NULL ? tn_source_get(map, key) : NULL;
    bool last = rest != NULL && strchr(rest, '.') == NULL, good = key != NULL;
    if (good && rest != NULL && there == NULL && rule) {
        there = last && item >= 0 ? make_limit(source) : tn_source_make_map(source, true);
        good = tn_source_put(source, map, key, there);
    }
    if (!good)
        return false;
    if (rest == NULL && rule && is_none(value))
        tn_source_drop_key(map, key);
    else if (rest == NULL)
        good = tn_source_put(source, map, key, value);
    else if (there != NULL && there->kind == TN_NODE_MAP)
        good = set_text_change(source, there, rest, item, value, rule);
    else if (there != NULL && there->kind == TN_NODE_LIST && last && item >= 0 && (unsigned)item < there->count)
        good = tn_source_put_at(source, there, (unsigned)item, value);
    else                                                   /* "torque: 3" in a planar model, or "value.y: 4" */
        good = tn_source_put(source, map, there != NULL ? key : path, value);
    if (good && rule && rest != NULL && there != NULL && says_nothing(there))
        tn_source_drop_key(map, key);
    return good;
}

static bool is_rule(const char *section, const char *path)
{
    for (int k = JOINT_FUSE; k <= JOINT_RATCHET && strcmp(section, "joints") == 0; k++) {
        size_t length = strlen(tn_section_joint.keys[k].name);
        if (strncmp(path, tn_section_joint.keys[k].name, length) == 0 && (path[length] == '.' || path[length] == '\0'))
            return true;
    }
    return false;
}

tn_node *tn_change_variant(const tn_node *entity)
{
    tn_node *variants = tn_source_get(entity, "variants");
    const char *word = tn_source_get_text(entity, "variant");
    if (variants == NULL || variants->kind != TN_NODE_MAP || variants->count == 0)
        return NULL;
    tn_node *chosen = word != NULL ? tn_source_get(variants, word) : tn_node_value(variants, 0);
    return chosen != NULL && chosen->kind == TN_NODE_MAP ? chosen : NULL;
}

tn_node *tn_change_place(tn_node *entity, const char *key)
{
    tn_node *chosen = tn_change_variant(entity);
    return chosen == NULL || (tn_source_get(chosen, key) == NULL && tn_source_get(entity, key) != NULL) ? entity : chosen;
}

/* The map in which the value at a path begins. */
static tn_node *place_of_path(const tn_source *source, tn_node *entity, const char *path)
{
    char *key = tn_arena_strndup(source->arena, path, strcspn(path, "."));
    return key != NULL ? tn_change_place(entity, tn_source_get(tn_change_variant(entity), path) != NULL ? path : key) : entity;
}

/* An entity that the text does not have is one that calls have added: nothing can be said of it. */
static bool set_value(const tn_source *source, const char *section, const char *name, const char *path, int item,
                      tn_node *value)
{
    tn_node *entity = tn_source_get(tn_source_get(source->root, section), name);
    bool rule = is_rule(section, path);
    if (entity == NULL)
        return true;
    if (strcmp(section, "let") == 0)
        return tn_source_put(source, tn_source_get(source->root, section), name, value);
    if (strcmp(section, "subsystems") == 0 && value->kind == TN_NODE_MAP) {
        tn_node *settings = enter(source, entity, path);
        return settings != NULL && merge(source, settings, value);
    }
    entity = place_of_path(source, entity, path);
    return set_text_change(source, entity, path, item, value, rule) &&
           (!rule || tn_format_arrange(source, entity, &tn_section_joint) >= 0);
}

static bool put_section(const tn_source *source, const char *key, tn_node *value)
{
    if (value->kind != TN_NODE_MAP)
        return tn_change_put_entry(source, source->root, key, value);
    tn_node *there = enter(source, source->root, key);
    return there != NULL && merge(source, there, value);
}

/* "drive.variant": the entry of the model's own entity with variants; NULL: there is none. */
static tn_node *entry_with_variants(const tn_source *source, const char *name)
{
    const char *point = strrchr(name, '.');
    char *owner = point != NULL && strcmp(point, ".variant") == 0
                      ? tn_arena_strndup(source->arena, name, (size_t)(point - name)) : NULL;
    for (int k = 0; owner != NULL && tn_section_top.keys[k].name != NULL; k++) {
        tn_node *entry = tn_source_get(tn_source_get(source->root, tn_section_top.keys[k].name), owner);
        if (entry != NULL && tn_source_get(entry, "variants") != NULL)
            return entry;
    }
    return NULL;
}

/* "left.hub.drive.variant": the parameters of the subsystem "left" get "hub.drive.variant". */
static tn_change_result choose_inside(const tn_source *source, const char *name, tn_node *value)
{
    char *owner = tn_arena_strndup(source->arena, name, strcspn(name, "."));
    tn_node *entry = owner != NULL ? tn_source_get(tn_source_get(source->root, "subsystems"), owner) : NULL;
    if (owner != NULL && entry == NULL)
        return TN_CHANGE_NO_PLACE;
    tn_node *map = entry != NULL ? enter(source, entry, "parameters") : NULL;
    return map != NULL && tn_source_put(source, map, name + strlen(owner) + 1, value) ? TN_CHANGE_MADE : TN_CHANGE_NO_MEMORY;
}

tn_change_result tn_change_choice(const tn_source *source, const char *name, tn_node *value)
{
    tn_node *entry = entry_with_variants(source, name);
    if (value == NULL)
        return TN_CHANGE_NO_MEMORY;
    if (entry == NULL)
        return choose_inside(source, name, value);
    return tn_source_put(source, entry, "variant", value) ? TN_CHANGE_MADE : TN_CHANGE_NO_MEMORY;
}

tn_change_result tn_change_parameter(const tn_source *source, const char *name, tn_node *value)
{
    const char *point = strrchr(name, '.');
    char *owner = point != NULL ? tn_arena_strndup(source->arena, name, (size_t)(point - name)) : NULL;
    tn_node *entry = source->root;
    if (value == NULL || (point != NULL && owner == NULL))
        return TN_CHANGE_NO_MEMORY;
    if (point != NULL && (entry = tn_source_get(tn_source_get(entry, "subsystems"), owner)) == NULL)
        return TN_CHANGE_NO_PLACE;
    tn_node *map = enter(source, entry, "parameters");
    bool good = map != NULL && tn_source_put(source, map, point != NULL ? point + 1 : name, value);
    return good ? TN_CHANGE_MADE : TN_CHANGE_NO_MEMORY;
}

/* ---- definitions ---- */

/* Keeps the values of the old definition under these keys, if the new definition has none of the keys. */
static bool keep_keys(const tn_source *source, tn_node *made, const tn_node *old, const char *const *keys)
{
    for (size_t k = 0; keys[k] != NULL; k++)
        if (tn_source_get(made, keys[k]) != NULL)
            return true;
    for (size_t k = 0; keys[k] != NULL; k++) {
        tn_node *kept = tn_source_get(old, keys[k]);
        if (kept != NULL && !tn_source_put(source, made, keys[k], kept))
            return false;
    }
    return true;
}

/* A subsystem stays where it is, mirrored or not and with its own settings, unless something else is said. A library
 * takes no settings. */
static bool keep_of_subsystem(const tn_source *source, tn_node *made, const tn_node *old)
{
    static const char *const place[] = { "at", "angle", "rotation", NULL }, *const mirror[] = { "mirror", NULL },
                      *const solve[] = { "solve", NULL };
    const char *use = tn_source_get_text(made, "use");
    bool library = use != NULL && (tn_read_is_library(use) || tn_read_is_fmu(use));
    return keep_keys(source, made, old, place) && keep_keys(source, made, old, mirror) &&
           (library || keep_keys(source, made, old, solve));
}

static void forget_start(const tn_source *source, const char *name)
{
    tn_source_drop_key(tn_source_get(source->root, "initial"), name);
}

/* Another type has other coordinates: what was said about the start of the old ones goes. */
static bool replace(const tn_source *source, const char *key, const char *name, tn_node *made)
{
    tn_node *section = enter(source, source->root, key);
    const tn_node *old = tn_source_get(section, name);
    const char *was = tn_source_get_text(old, "type"), *is = tn_source_get_text(made, "type");
    if (was != NULL && (is == NULL || strcmp(was, is) != 0))
        forget_start(source, name);
    if (section == NULL || (strcmp(key, "subsystems") == 0 && !keep_of_subsystem(source, made, old)))
        return false;
    if (strcmp(key, "subsystems") == 0)
        tn_change_forget_inside(source, name);
    return tn_source_put(source, section, name, made);
}

/* Ground is there already: its frames come to those it has. */
static bool add_to_ground(const tn_source *source, tn_node *ground, const tn_node *made)
{
    const tn_node *added = tn_source_get(made, "frames");
    tn_node *frames = added != NULL ? enter(source, ground, "frames") : NULL;
    for (unsigned i = 0; frames != NULL && i < added->count; i++)
        if (!tn_source_insert(source, frames, frames->count, tn_node_head(added, i), tn_node_value(added, i)))
            return false;
    return added == NULL || frames != NULL;
}

/* An entry that was removed may still be in the text; the new entry is appended after it. */
static bool add_text_change(const tn_source *source, const char *key, tn_node *name, tn_node *made)
{
    tn_node *section = enter(source, source->root, key);
    tn_node *there = tn_source_get(section, name->as.text);
    if (section == NULL)
        return false;
    if (there != NULL && strcmp(key, "bodies") == 0 && strcmp(name->as.text, "ground") == 0)
        return add_to_ground(source, there, made);
    forget_start(source, name->as.text);
    tn_source_drop_key(section, name->as.text);
    return tn_source_insert(source, section, section->count, name, made);
}

static bool append_text_change(const tn_source *source, const char *key, tn_node *made)
{
    tn_node *list = tn_source_get(source->root, key);
    if (list == NULL || list->kind != TN_NODE_LIST) {
        tn_node *single = list;
        list = tn_source_make_list(source);
        if (list == NULL || (single != NULL && !tn_source_append(source, list, single)) ||
            !tn_change_put_entry(source, source->root, key, list))
            return false;
    }
    if (made->kind != TN_NODE_LIST)
        return tn_source_append(source, list, made);
    for (unsigned i = 0; i < made->count; i++)
        if (!tn_source_append(source, list, tn_node_value(made, i)))
            return false;
    return true;
}

/* ---- all of them ---- */

void tn_change_note(tn_text *notes, tn_change_kind kind, const char *section, const char *name, const char *path,
                    int item)
{
    tn_text_add(notes, "%c%s%c%s%c%s%c%d%c", (char)kind, section, FIELD_END, name, FIELD_END, path, FIELD_END, item,
                FIELD_END);
}

static char *take_field(char *notes, const char **field)
{
    char *end = strchr(notes, FIELD_END);
    *end = '\0';
    *field = notes;
    return end + 1;
}

/* A definition that is there now has its keys in the order of the schema. */
static bool define(const tn_source *source, bool replacing, const char *section, tn_node *name, tn_node *made)
{
    const tn_key *key = &tn_section_top.keys[section_index(section)];
    if (!(replacing ? replace(source, section, name->as.text, made) : add_text_change(source, section, name, made)))
        return false;
    tn_node *entity = tn_source_get(tn_source_get(source->root, section), name->as.text);
    return key->section == NULL || tn_format_arrange(source, entity, key->section) >= 0;
}

/* Key and value of an entry of the command, copied; NULL when there is none. False: out of memory. */
static bool take_given(const tn_source *source, const tn_node *map, const char *key, tn_node **name, tn_node **value)
{
    int index = tn_source_find(map, key);
    *name = *value = NULL;
    if (index < 0)
        return true;
    *name = tn_source_copy(source, tn_node_head(map, (unsigned)index));
    *value = tn_source_copy(source, tn_node_value(map, (unsigned)index));
    return *name != NULL && *value != NULL;
}

static bool change(const tn_source *source, const tn_node *command, tn_change_kind kind, const char *section,
                   const char *name, const char *path, int item)
{
    const tn_node *sections = tn_source_get(command, kind == TN_CHANGE_REPLACE ? "replace" : "add");
    size_t size = strlen(name) + strlen(path) + 2;
    char *said = tn_arena_alloc(source->arena, size, 1);
    tn_node *key, *value;
    if (said == NULL)
        return false;
    snprintf(said, size, "%s.%s", name, path);
    switch (kind) {
    case TN_CHANGE_ADD:
    case TN_CHANGE_REPLACE:
        return take_given(source, tn_source_get(sections, section), name, &key, &value) &&
               (value == NULL || define(source, kind == TN_CHANGE_REPLACE, section, key, value));
    case TN_CHANGE_APPEND:
        return take_given(source, sections, section, &key, &value) && (value == NULL || append_text_change(source, section, value));
    case TN_CHANGE_SET:
        return take_given(source, tn_source_get(command, "set"), said, &key, &value) &&
               (value == NULL || set_value(source, section, name, path, item, value));
    case TN_CHANGE_PUT:
        return take_given(source, command, section, &key, &value) &&
               (value == NULL || put_section(source, section, value));
    default:
        return true;
    }
}

int tn_change_apply(const tn_source *source, const tn_node *command, const char *notes)
{
    char *rest = tn_arena_strdup(source->arena, notes);
    while (rest != NULL && *rest != '\0') {
        tn_change_kind kind = (tn_change_kind)*rest;
        const char *section, *name, *path, *item;
        rest = take_field(take_field(take_field(take_field(rest + 1, &section), &name), &path), &item);
        if (!change(source, command, kind, section, name, path, atoi(item)))
            return TN_ERROR_MEMORY;
    }
    return rest != NULL ? TN_OK : TN_ERROR_MEMORY;
}

/* ---- files ---- */

void tn_change_write_files(tn_text *out, const tn_origin *files)
{
    const char *between = "";
    tn_text_add(out, "\"files\": {");
    for (size_t k = 0; k < files->count; k++) {
        if (files->files[k].text == NULL)
            continue;
        tn_text_add(out, "%s", between);
        tn_text_add_json(out, files->files[k].path);
        tn_text_add(out, ": ");
        tn_text_add_json(out, files->files[k].text);
        between = ", ";
    }
    tn_text_add(out, "}");
}

bool tn_change_has_files(const tn_origin *files)
{
    for (size_t k = 0; k < files->count; k++)
        if (files->files[k].text != NULL)
            return true;
    return false;
}

int tn_change_note_files(tn_amendment **list, tn_context *context, const tn_origin *files)
{
    tn_text text, note;
    if (!tn_change_has_files(files))
        return TN_OK;
    tn_text_begin(&text, context);
    tn_text_begin(&note, context);
    tn_text_add(&text, "{");
    tn_change_write_files(&text, files);
    tn_text_add(&text, "}");
    tn_change_note(&note, TN_CHANGE_FILES, "", "", "", -1);
    int code = text.broken || note.broken ? TN_ERROR_MEMORY
                                          : tn_amendment_add(list, context,
                                                             &(tn_amendment){ .text = text.data, .size = text.length,
                                                                              .changes = note.data });
    tn_free(context, text.data);
    tn_free(context, note.data);
    return code;
}
