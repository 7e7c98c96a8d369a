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

/* SUBSYSTEM.NAME.PARAMETER, with a subsystem of the text; settings of the subsystem itself stand with it. */
static bool is_value_inside(const tn_source *source, const char *path)
{
    const tn_node *subsystems = tn_source_get(source->root, tn_section_top.keys[TOP_SUBSYSTEMS].name);
    const char *point = strchr(path, '.');
    char *first = point != NULL ? tn_arena_strdup(source->arena, path) : NULL;
    if (first == NULL || strchr(point + 1, '.') == NULL)
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

/* The list or map under a key of the section, made when there is none; NULL: out of memory. */
static tn_node *enter(const tn_source *source, int key)
{
    tn_node *changes = find_changes(source);
    if (changes == NULL) {
        if (!tn_change_put_entry(source, source->root, tn_section_top.keys[TOP_CHANGES].name, tn_source_make_map(source, false)))
            return NULL;
        changes = find_changes(source);
    }
    tn_node *there = tn_source_get(changes, key_of(key));
    if (there != NULL && (there->kind == TN_NODE_MAP || there->kind == TN_NODE_LIST))
        return there;
    tn_node *made = key == CHANGES_SET ? tn_source_make_map(source, false) : tn_source_make_list(source);
    if (made == NULL || (there != NULL && !tn_source_append(source, made, tn_source_copy(source, there))))
        return NULL;                                       /* a single name was no list */
    return tn_source_put(source, changes, key_of(key), made) ? tn_source_get(changes, key_of(key)) : NULL;
}

/* A list without items, and a section without lists. */
static void drop_empty(const tn_source *source, int key)
{
    tn_node *changes = find_changes(source);
    const tn_node *there = tn_source_get(changes, key_of(key));
    if (there != NULL && there->kind != TN_NODE_TEXT && there->count == 0)
        tn_source_drop_key(changes, key_of(key));
    if (changes != NULL && changes->count == 0)
        tn_source_drop_key(source->root, tn_section_top.keys[TOP_CHANGES].name);
}

static void forget(const tn_source *source, int key, const char *owner)
{
    tn_node *changes = find_changes(source), *there = tn_source_get(changes, key_of(key));
    if (there == NULL)
        return;
    if (there->kind == TN_NODE_TEXT && is_of(there->as.text, owner))
        tn_source_drop_key(changes, key_of(key));
    else if (there->kind != TN_NODE_TEXT)
        for (unsigned i = there->count; i-- > 0;)
            if (is_of(tn_node_head(there, i)->as.text, owner))
                tn_source_drop(there, i);
    drop_empty(source, key);
}

void tn_change_forget_inside(const tn_source *source, const char *path)
{
    for (int key = CHANGES_REMOVE; key <= CHANGES_SET && find_changes(source) != NULL; key++)
        forget(source, key, path);
}

static bool add_name(const tn_source *source, int key, const char *name)
{
    tn_node *list = enter(source, key);
    return list != NULL && tn_source_append(source, list, tn_source_make_text(source, name));
}

/* ---- values that commands set ---- */

int tn_change_inside(const tn_source *source, const tn_node *command)
{
    const tn_node *given = tn_source_get(command, key_of(CHANGES_SET));
    for (unsigned i = 0; given != NULL && given->kind == TN_NODE_MAP && i < given->count; i++) {
        const char *path = tn_node_head(given, i)->as.text;
        if (!is_value_inside(source, path))
            continue;
        tn_node *map = enter(source, CHANGES_SET), *value = tn_source_copy(source, tn_node_value(given, i));
        if (map == NULL || value == NULL || !tn_source_put(source, map, path, value))
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

/* ---- what is there, and takes part ---- */

static bool has_owner(const tn_model *model, const char *name)
{
    char path[TN_PATH_SIZE];
    const char *point = strrchr(name, '.');
    snprintf(path, sizeof path, "%.*s", point != NULL ? (int)(point - name) : 0, name);
    return tn_model_find(model, path).kind == TN_KIND_SUBSYSTEM;
}

static bool is_kept(const tn_model *model, int key, const char *name)
{
    const char *value;
    if (key == CHANGES_SET)
        return tn_model_split(model, name, &value).kind != TN_KIND_NONE;
    const tn_id id = tn_model_find(model, name);
    if (key == CHANGES_REMOVE)
        return id.kind == TN_KIND_NONE && has_owner(model, name);
    if (id.kind == TN_KIND_NONE)
        return false;
    return tn_model_enabled(model, id) == (key == CHANGES_ENABLE);
}

bool tn_text_agree_inside(const tn_source *source, const tn_model *model)
{
    for (int key = CHANGES_REMOVE; key <= CHANGES_SET && find_changes(source) != NULL; key++) {
        if (tn_source_get(find_changes(source), key_of(key)) == NULL)
            continue;
        tn_node *there = enter(source, key);
        if (there == NULL)
            return false;
        for (unsigned i = there->count; i-- > 0;)
            if (!is_kept(model, key, tn_node_head(there, i)->as.text))
                tn_source_drop(there, i);
        drop_empty(source, key);
    }
    return true;
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
