/* The section changes of a model's text: what is different inside subsystems from what their files say. */
#include <string.h>
#include "keys.h"
#include "entities.h"
#include "tables.h"
#include "text_agree.h"
#include "text_change.h"

static const char *key_of(int key)
{
    return tn_section_changes.keys[key].name;
}

static tn_node *find_changes(const tn_source *source)
{
    return tn_source_get(source->root, tn_section_top.keys[TOP_CHANGES].name);
}

/* SUBSYSTEM.NAME, with a subsystem of the text. Of a value, SUBSYSTEM.NAME.PARAMETER: settings of the subsystem itself stand with it. */
static bool is_inside(const tn_source *source, const char *path, bool is_value)
{
    const tn_node *subsystems = tn_source_get(source->root, tn_section_top.keys[TOP_SUBSYSTEMS].name);
    const char *point = strchr(path, '.');
    char *first = point != NULL ? tn_arena_strdup(source->arena, path) : NULL;
    if (first == NULL || (is_value && strchr(point + 1, '.') == NULL))
        return false;
    first[point - path] = '\0';
    return tn_source_get(subsystems, first) != NULL;
}

/* The path itself, or one of what is in there. */
static bool is_of(const char *path, const char *owner)
{
    size_t size = strlen(owner);
    return strncmp(path, owner, size) == 0 && (path[size] == '\0' || path[size] == '.');
}

/* The map under a key, made when there is none; NULL: out of memory. */
static tn_node *enter_map(const tn_source *source, tn_node *map, const char *key)
{
    tn_node *there = tn_source_get(map, key);
    if (there != NULL && there->kind == TN_NODE_MAP)
        return there;
    return tn_change_put_entry(source, map, key, tn_source_make_map(source, false)) ? tn_source_get(map, key) : NULL;
}

static tn_node *enter_changes(const tn_source *source)
{
    return enter_map(source, source->root, tn_section_top.keys[TOP_CHANGES].name);
}

/* The list under a key of the section; a single name was none. */
static tn_node *enter_list(const tn_source *source, int key)
{
    tn_node *changes = enter_changes(source), *there = tn_source_get(changes, key_of(key));
    if (changes == NULL || (there != NULL && there->kind == TN_NODE_LIST))
        return there;
    tn_node *made = tn_source_make_list(source);
    if (made == NULL || (there != NULL && !tn_source_append(source, made, tn_source_copy(source, there))))
        return NULL;
    return tn_source_put(source, changes, key_of(key), made) ? made : NULL;
}

static bool has_sections(int key)
{
    return key == CHANGES_REPLACE || key == CHANGES_ADD;
}

static bool is_empty(const tn_node *node)
{
    return node != NULL && node->kind != TN_NODE_TEXT && node->count == 0;
}

/* Which names go: those of something, or those that a model does not have. */
typedef bool (*goes)(const void *of, int key, const char *name);

static void drop_from(tn_node *node, int key, goes test, const void *of)
{
    for (unsigned i = node != NULL && node->kind != TN_NODE_TEXT ? node->count : 0; i-- > 0;)
        if (test(of, key, tn_node_head(node, i)->as.text))
            tn_source_drop(node, i);
}

/* And lists, sections and maps that are empty then. */
static void drop_names(const tn_source *source, goes test, const void *of)
{
    tn_node *changes = find_changes(source);
    for (int key = CHANGES_REPLACE; changes != NULL && key <= CHANGES_SET; key++) {
        tn_node *there = tn_source_get(changes, key_of(key));
        if (there == NULL)
            continue;
        bool single = there->kind == TN_NODE_TEXT && test(of, key, there->as.text);
        if (!has_sections(key))
            drop_from(there, key, test, of);
        for (unsigned i = has_sections(key) && there->kind == TN_NODE_MAP ? there->count : 0; i-- > 0;) {
            drop_from(tn_node_value(there, i), key, test, of);
            if (is_empty(tn_node_value(there, i)))
                tn_source_drop(there, i);
        }
        if (single || is_empty(there))
            tn_source_drop_key(changes, key_of(key));
    }
    if (is_empty(changes))
        tn_source_drop_key(source->root, tn_section_top.keys[TOP_CHANGES].name);
}

static bool belongs(const void *owner, int key, const char *name)
{
    (void)key;
    return is_of(name, owner);
}

void tn_change_forget_inside(const tn_source *source, const char *path)
{
    drop_names(source, belongs, path);
}

static bool add_name(const tn_source *source, int key, const char *name)
{
    tn_node *list = enter_list(source, key);
    return list != NULL && tn_source_append(source, list, tn_source_make_text(source, name));
}

/* ---- what commands set and define ---- */

static bool put_value(const tn_source *source, tn_node *map, const char *name, const tn_node *value)
{
    tn_node *copy = map != NULL ? tn_source_copy(source, value) : NULL;
    return copy != NULL && tn_source_put(source, map, name, copy);
}

static bool take_values(const tn_source *source, const tn_node *given)
{
    for (unsigned i = 0; given != NULL && given->kind == TN_NODE_MAP && i < given->count; i++) {
        const char *path = tn_node_head(given, i)->as.text;
        tn_node *changes = is_inside(source, path, true) ? enter_changes(source) : NULL;
        if (changes != NULL && !put_value(source, enter_map(source, changes, key_of(CHANGES_SET)), path, tn_node_value(given, i)))
            return false;
    }
    return true;
}

/* What came by a change is defined there. */
static bool take_definition(const tn_source *source, int key, const char *section, const char *name, const tn_node *value)
{
    if (tn_source_get(tn_source_get(tn_source_get(find_changes(source), key_of(CHANGES_ADD)), section), name) != NULL)
        key = CHANGES_ADD;
    tn_change_forget_inside(source, name);
    tn_node *changes = enter_changes(source), *sections = changes != NULL ? enter_map(source, changes, key_of(key)) : NULL;
    return sections != NULL && put_value(source, enter_map(source, sections, section), name, value);
}

static bool take_definitions(const tn_source *source, int key, const tn_node *sections)
{
    for (unsigned i = 0; sections != NULL && sections->kind == TN_NODE_MAP && i < sections->count; i++) {
        const tn_node *given = tn_node_value(sections, i);
        for (unsigned k = 0; given->kind == TN_NODE_MAP && k < given->count; k++) {
            const char *name = tn_node_head(given, k)->as.text;
            if (is_inside(source, name, false) &&
                !take_definition(source, key, tn_node_head(sections, i)->as.text, name, tn_node_value(given, k)))
                return false;
        }
    }
    return true;
}

int tn_change_inside(const tn_source *source, const tn_node *command)
{
    return take_definitions(source, CHANGES_REPLACE, tn_source_get(command, key_of(CHANGES_REPLACE))) &&
           take_definitions(source, CHANGES_ADD, tn_source_get(command, key_of(CHANGES_ADD))) &&
           take_values(source, tn_source_get(command, key_of(CHANGES_SET))) ? TN_OK : TN_ERROR_MEMORY;
}

/* ---- what is there, and takes part ---- */

static bool has_owner(const tn_model *model, const char *name)
{
    char path[TN_PATH_SIZE];
    const char *point = strrchr(name, '.');
    snprintf(path, sizeof path, "%.*s", point != NULL ? (int)(point - name) : 0, name);
    return tn_model_find(model, path).kind == TN_KIND_SUBSYSTEM;
}

static bool is_outdated(const void *of, int key, const char *name)
{
    const tn_model *model = of;
    const char *value;
    if (key == CHANGES_SET)
        return tn_model_split(model, name, &value).kind == TN_KIND_NONE;
    const tn_id id = tn_model_find(model, name);
    if (key == CHANGES_REMOVE)
        return id.kind != TN_KIND_NONE || !has_owner(model, name);
    if (id.kind == TN_KIND_NONE || has_sections(key))
        return id.kind == TN_KIND_NONE;
    return tn_model_enabled(model, id) != (key == CHANGES_ENABLE);
}

void tn_text_agree_inside(const tn_source *source, const tn_model *model)
{
    drop_names(source, is_outdated, model);
}

/* Is something around it gone as well? Then it goes with that. */
static bool owner_is_gone(const tn_model *model, const tn_model *again, tn_id id)
{
    const tn_id owner = tn_model_owner(again, id);
    return tn_model_find(model, tn_model_entity_name(again, owner)).kind != TN_KIND_SUBSYSTEM;
}

/* An entity that the text gives, compared with what the model has. */
static bool complete_one(const tn_source *source, const tn_model *model, const tn_model *again, tn_id id)
{
    const tn_entity *entity = tn_model_entity(again, id);
    const char *name = entity != NULL && entity->alive ? entity->name : NULL;
    if (name == NULL || tn_model_owner(again, id).kind == TN_KIND_NONE || owner_is_gone(model, again, id) ||
        (id.kind == TN_KIND_FORCE && again->forces[id.index].implied))
        return true;
    const tn_id now = tn_model_find(model, name);
    if (now.kind == TN_KIND_NONE)
        return add_name(source, CHANGES_REMOVE, name);
    const bool on = tn_model_enabled(model, now);
    return on == tn_model_enabled(again, id) || add_name(source, on ? CHANGES_ENABLE : CHANGES_DISABLE, name);
}

/* What hangs on others comes before them: removed in this order, everything is there when it is named. */
bool tn_text_complete_inside(const tn_source *source, const tn_model *model, const tn_model *again)
{
    const struct { tn_kind kind; size_t count; } lists[] = {
        { TN_KIND_CONTACT, again->contact_count }, { TN_KIND_FORCE, again->force_count }, { TN_KIND_JOINT, again->joint_count },
        { TN_KIND_BODY, again->body_count }, { TN_KIND_SUBSYSTEM, again->subsystem_count },
    };
    for (size_t k = 0; k < TN_LENGTH(lists); k++)
        for (size_t i = lists[k].count; i-- > 0;)
            if (!complete_one(source, model, again, tn_table_id(again, lists[k].kind, i)))
                return false;
    return true;
}
