#include "amend.h"

#include "format.h"
#include <string.h>

const int tn_entity_sections[] = { TOP_BODIES, TOP_JOINTS, TOP_DRIVES, TOP_FORCES, TOP_CONTACTS, TOP_STATES,
                                   -1 };

static const char *key_of(int section)
{
    return tn_section_top.keys[section].name;
}

/* Before the first section that comes after it in the order of the schema. */
static unsigned place_of(const tn_source_node *root, int section)
{
    for (unsigned i = 0; i < root->count; i++)
        for (int k = section + 1; tn_section_top.keys[k].name != NULL; k++)
            if (root->entries[i].key->kind == TN_SOURCE_TEXT && strcmp(root->entries[i].key->text, key_of(k)) == 0)
                return i;
    return root->count;
}

static bool put_section(const tn_source *source, int section, tn_source_node *value)
{
    if (value == NULL)
        return false;
    if (tn_source_find(source->root, key_of(section)) != NULL)
        return tn_source_put(source, source->root, key_of(section), value);
    tn_source_entry entry = { .key = tn_source_make_text(source, key_of(section)), .value = value };
    return entry.key != NULL && tn_source_insert(source, source->root, place_of(source->root, section), &entry);
}

tn_source_node *tn_amend_section(const tn_source *source, int section)
{
    const tn_source_node *there = tn_source_get(source->root, key_of(section));
    if ((there == NULL || there->kind != TN_SOURCE_MAP) &&
        !put_section(source, section, tn_source_make_map(source, section == TOP_SOLVE)))
        return NULL;
    return tn_source_get(source->root, key_of(section));
}

/* The section that has an entity of the name, and its entry; NULL when there is none. */
static tn_source_entry *find_entity(const tn_source *source, const char *name, tn_source_node **section)
{
    for (const int *k = tn_entity_sections; *k >= 0; k++) {
        *section = tn_source_get(source->root, key_of(*k));
        tn_source_entry *entry = tn_source_find(*section, name);
        if (entry != NULL)
            return entry;
    }
    return NULL;
}

/* ---- names: remove, enable, disable ---- */

static bool remove_one(const tn_source *source, const char *name)
{
    tn_source_node *section;
    const tn_source_entry *entry = find_entity(source, name, &section);
    const char *point = strchr(name, '.');
    if (entry != NULL) {
        tn_source_drop(section, entry);
    } else if (point != NULL) {
        char *body = tn_arena_strndup(source->arena, name, (size_t)(point - name));
        if (body == NULL)
            return false;
        entry = find_entity(source, body, &section);
        tn_source_node *frames = entry != NULL ? tn_source_get(entry->value, "frames") : NULL;
        tn_source_drop_key(frames, point + 1);
    }
    tn_source_drop_key(tn_source_get(source->root, key_of(TOP_INITIAL)), name);
    return true;
}

static bool switch_one(const tn_source *source, const char *name, bool on)
{
    tn_source_node *section;
    const tn_source_entry *entry = find_entity(source, name, &section);
    if (entry == NULL)
        return true;
    if (on == (tn_source_get(entry->value, "latch") == NULL)) {        /* what it is when nothing is said */
        tn_source_drop_key(entry->value, "enabled");
        return true;
    }
    return tn_source_put_text(source, entry->value, "enabled", on ? "yes" : "no");
}

static bool enable_one(const tn_source *source, const char *name)
{
    return switch_one(source, name, true);
}

static bool disable_one(const tn_source *source, const char *name)
{
    return switch_one(source, name, false);
}

static bool for_each_name(const tn_source *source, const tn_source_node *names,
                          bool (*act)(const tn_source *, const char *))
{
    if (names == NULL)
        return true;
    if (names->kind == TN_SOURCE_TEXT)
        return act(source, names->text);
    for (unsigned i = 0; i < names->count; i++)
        if (!act(source, names->entries[i].value->text))
            return false;
    return true;
}

/* ---- definitions: add, replace ---- */

/* Another type has other coordinates: what was said about the start of the old ones goes. */
static bool replace_one(const tn_source *source, tn_source_node *map, const tn_source_entry *entry)
{
    const char *was = tn_source_get_text(tn_source_get(map, entry->key->text), "type");
    const char *is = tn_source_get_text(entry->value, "type");
    if (was != NULL && (is == NULL || strcmp(was, is) != 0))
        tn_source_drop_key(tn_source_get(source->root, key_of(TOP_INITIAL)), entry->key->text);
    return tn_source_put(source, map, entry->key->text, tn_source_copy(source, entry->value));
}

/* Ground is there already: its frames come to those it has. */
static bool add_to_ground(const tn_source *source, tn_source_node *ground, const tn_source_node *value)
{
    const tn_source_node *added = tn_source_get(value, "frames");
    if (added == NULL)
        return true;
    if (tn_source_get(ground, "frames") == NULL)
        return tn_source_put(source, ground, "frames", tn_source_copy(source, added));
    for (unsigned i = 0; i < added->count; i++)
        if (!tn_source_insert(source, tn_source_get(ground, "frames"), UINT32_MAX, &added->entries[i]))
            return false;
    return true;
}

/* What hung on something that was removed may still stand there: the new one comes last all the same. */
static bool add_one(const tn_source *source, tn_source_node *map, const tn_source_entry *entry, int section)
{
    tn_source_node *there = tn_source_get(map, entry->key->text);
    if (section == TOP_BODIES && there != NULL && strcmp(entry->key->text, "ground") == 0)
        return add_to_ground(source, there, entry->value);
    tn_source_drop_key(map, entry->key->text);
    return tn_source_insert(source, map, UINT32_MAX, entry);
}

static bool put_named(const tn_source *source, int section, const tn_source_node *from, bool replacing)
{
    tn_source_node *map = tn_amend_section(source, section);
    for (unsigned i = 0; map != NULL && i < from->count; i++) {
        const tn_source_entry *entry = &from->entries[i];
        if (!(replacing ? replace_one(source, map, entry) : add_one(source, map, entry, section)) ||
            tn_format_arrange(source, tn_source_get(map, entry->key->text), tn_section_top.keys[section].section) < 0)
            return false;
    }
    return map != NULL;
}

static bool add_outputs(const tn_source *source, const tn_source_node *from)
{
    tn_source_node *list = tn_source_get(source->root, key_of(TOP_OUTPUTS));
    if (list == NULL || list->kind != TN_SOURCE_LIST) {
        tn_source_node *single = list;
        list = tn_source_make_list(source);
        if (list == NULL)
            return false;
        if (single != NULL && !tn_source_insert(source, list, 0, &(tn_source_entry){ .value = single }))
            return false;
        if (!put_section(source, TOP_OUTPUTS, list))
            return false;
        list = tn_source_get(source->root, key_of(TOP_OUTPUTS));
    }
    if (from->kind != TN_SOURCE_LIST)
        return tn_source_insert(source, list, UINT32_MAX, &(tn_source_entry){ .value = tn_source_copy(source, from) });
    for (unsigned i = 0; i < from->count; i++)
        if (!tn_source_insert(source, list, UINT32_MAX, &from->entries[i]))
            return false;
    return true;
}

static bool put_contents(const tn_source *source, const tn_source_node *sections, bool replacing)
{
    for (int k = 0; sections != NULL && tn_section_top.keys[k].name != NULL; k++) {
        const tn_source_node *from = tn_source_get(sections, key_of(k));
        bool good = true;
        if (from != NULL && from->kind == TN_SOURCE_MAP && tn_section_top.keys[k].kind == TN_VALUE_NAMED)
            good = put_named(source, k, from, replacing);
        else if (from != NULL && k == TOP_OUTPUTS)
            good = add_outputs(source, from);
        if (!good)
            return false;
    }
    return true;
}

/* ---- values: set, gravity, solve, parameters ---- */

/* Which of a list's items "value.y" is, where it is written "value: [0, 1]"; -1: none. */
static int component(const tn_parameter_decl *declared, size_t max, const char *name)
{
    const char *point = strchr(name, '.');
    size_t group = point != NULL ? (size_t)(point - name) + 1 : 0;
    int first = -1;
    for (size_t k = 0; point != NULL && k < max && declared[k].name != NULL; k++) {
        if (strncmp(declared[k].name, name, group) != 0)
            continue;
        first = first < 0 ? (int)k : first;
        if (strcmp(declared[k].name, name) == 0)
            return (int)k - first;
    }
    return -1;
}

static int component_of(const tn_source_node *entity, const tn_model *model, const char *name)
{
    const char *type = tn_source_get_text(entity, "type");
    const tn_force_type *force = type != NULL ? tn_model_force_type(type) : NULL;
    const tn_joint_type *joint = type != NULL ? tn_model_joint_type(model, type) : NULL;
    return force != NULL   ? component(force->parameters, TN_FORCE_PARAMETERS, name)
           : joint != NULL ? component(joint->parameters, TN_JOINT_PARAMETERS, name)
                           : -1;
}

static bool set_value(const tn_source *source, tn_source_node *entity, const tn_model *model, const char *name,
                      const tn_source_node *value)
{
    int index = component_of(entity, model, name);
    tn_source_node *copy = tn_source_copy(source, value);
    char *group = tn_arena_strndup(source->arena, name, strcspn(name, "."));
    if (copy == NULL || group == NULL)
        return false;
    tn_source_node *fuse = strcmp(group, "fuse") == 0 ? tn_source_get(entity, group) : NULL;
    if (fuse != NULL)
        return tn_source_put(source, fuse, name + strlen("fuse."), copy);
    tn_source_node *list = index >= 0 ? tn_source_get(entity, group) : NULL;
    if (list != NULL && list->kind == TN_SOURCE_TEXT)      /* "torque: 3" in a planar model */
        return tn_source_put(source, entity, group, copy);
    if (list == NULL || (unsigned)index >= list->count)
        return tn_source_put(source, entity, name, copy);
    list->entries[index].value = copy;
    return true;
}

static bool set_all(const tn_source *source, const tn_source_node *map, const tn_model *model)
{
    for (unsigned i = 0; map != NULL && i < map->count; i++) {
        const char *path = map->entries[i].key->text, *point = strchr(path, '.');
        char *owner = tn_arena_strndup(source->arena, path, (size_t)(point - path));
        tn_source_node *section;
        const tn_source_entry *entry = owner != NULL ? find_entity(source, owner, &section) : NULL;
        if (owner == NULL ||
            (entry != NULL && !set_value(source, entry->value, model, point + 1, map->entries[i].value)))
            return false;
    }
    return true;
}

/* rho: { pivot: 1.5 } comes to what is said for other joints. */
static bool put_setting(const tn_source *source, tn_source_node *solve, const tn_source_entry *entry)
{
    tn_source_node *there = tn_source_get(solve, entry->key->text);
    if (there == NULL || there->kind != TN_SOURCE_MAP || entry->value->kind != TN_SOURCE_MAP)
        return tn_source_put(source, solve, entry->key->text, tn_source_copy(source, entry->value));
    for (unsigned i = 0; i < entry->value->count; i++) {
        const tn_source_entry *joint = &entry->value->entries[i];
        if (!tn_source_put(source, there, joint->key->text, tn_source_copy(source, joint->value)))
            return false;
    }
    return true;
}

static bool put_settings(const tn_source *source, int section, const tn_source_node *from)
{
    tn_source_node *map = from != NULL ? tn_amend_section(source, section) : NULL;
    for (unsigned i = 0; map != NULL && i < from->count; i++)
        if (!put_setting(source, map, &from->entries[i]))
            return false;
    return from == NULL || map != NULL;
}

static bool put_gravity(const tn_source *source, const tn_source_node *gravity)
{
    return gravity == NULL || put_section(source, TOP_GRAVITY, tn_source_copy(source, gravity));
}

int tn_amend(const tn_source *source, const tn_source_node *command, const tn_model *model)
{
    bool good = for_each_name(source, tn_source_get(command, "remove"), remove_one) &&
                for_each_name(source, tn_source_get(command, "disable"), disable_one) &&
                for_each_name(source, tn_source_get(command, "enable"), enable_one) &&
                put_contents(source, tn_source_get(command, "replace"), true) &&
                put_contents(source, tn_source_get(command, "add"), false) &&
                set_all(source, tn_source_get(command, "set"), model) &&
                put_gravity(source, tn_source_get(command, "gravity")) &&
                put_settings(source, TOP_SOLVE, tn_source_get(command, "solve")) &&
                put_settings(source, TOP_PARAMETERS, tn_source_get(command, "parameters"));
    return good ? TN_OK : TN_ERROR_MEMORY;
}
