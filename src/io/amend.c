#include "amend.h"

#include "format.h"
#include "reader.h"
#include <string.h>

const int tn_entity_sections[] = { TOP_BODIES, TOP_SUBSYSTEMS, TOP_JOINTS, TOP_DRIVES, TOP_FORCES,
                                   TOP_CONTACTS, TOP_STATES, -1 };

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

/* What it is when nothing is said. */
static bool is_on_by_default(const tn_source_node *entity)
{
    return tn_source_get(entity, "latch") == NULL;
}

static bool is_on(const tn_source_node *entity)
{
    const char *text = tn_source_get_text(entity, "enabled");
    return text == NULL ? is_on_by_default(entity) : strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
}

static bool switch_entity(const tn_source *source, tn_source_node *entity, bool on)
{
    if (on != is_on_by_default(entity))
        return tn_source_put_text(source, entity, "enabled", on ? "yes" : "no");
    tn_source_drop_key(entity, "enabled");
    return true;
}

static bool switch_one(const tn_source *source, const char *name, bool on)
{
    tn_source_node *section;
    const tn_source_entry *entry = find_entity(source, name, &section);
    return entry == NULL || switch_entity(source, entry->value, on);
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

/* What the old definition says under these keys, if the new one says none of it. */
static bool keep_keys(const tn_source *source, tn_source_node *made, const tn_source_node *old, const char *const *keys)
{
    for (size_t k = 0; keys[k] != NULL; k++)
        if (tn_source_get(made, keys[k]) != NULL)
            return true;
    for (size_t k = 0; keys[k] != NULL; k++) {
        const tn_source_node *kept = tn_source_get(old, keys[k]);
        if (kept != NULL && !tn_source_put(source, made, keys[k], tn_source_copy(source, kept)))
            return false;
    }
    return true;
}

/* A subsystem stays where it is, mirrored or not and with its own settings, unless something else is said. A library
 * takes no settings. */
static bool replace_subsystem(const tn_source *source, tn_source_node *map, const tn_source_entry *entry)
{
    static const char *const place[] = { "at", "angle", "rotation", NULL }, *const mirror[] = { "mirror", NULL },
                      *const solve[] = { "solve", NULL };
    const tn_source_node *old = tn_source_get(map, entry->key->text);
    const char *use = tn_source_get_text(entry->value, "use");
    tn_source_node *made = tn_source_copy(source, entry->value);
    bool library = use != NULL && tn_read_is_library(use);
    return made != NULL && keep_keys(source, made, old, place) && keep_keys(source, made, old, mirror) &&
           (library || keep_keys(source, made, old, solve)) && tn_source_put(source, map, entry->key->text, made);
}

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
        if (!(!replacing ? add_one(source, map, entry, section)
              : section == TOP_SUBSYSTEMS ? replace_subsystem(source, map, entry)
                                          : replace_one(source, map, entry)) ||
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

static bool is_rule(const char *key)
{
    for (int rule = JOINT_FUSE; rule <= JOINT_RATCHET; rule++)
        if (strcmp(tn_section_joint.keys[rule].name, key) == 0)
            return true;
    return false;
}

static bool is_none(const tn_source_node *node)
{
    return node->kind == TN_SOURCE_TEXT && strcmp(node->text, "none") == 0;
}

/* "limits.angle.low": an end of [low, high]; both none are no limit. */
static bool set_end(const tn_source *source, tn_source_node *limits, const char *coordinate, bool low,
                    tn_source_node *value)
{
    tn_source_node *ends = tn_source_get(limits, coordinate);
    if (ends == NULL) {
        ends = tn_source_make_list(source);
        for (int k = 0; k < 2; k++) {
            tn_source_entry none = { .value = tn_source_make_text(source, "none") };
            if (ends == NULL || none.value == NULL || !tn_source_insert(source, ends, UINT32_MAX, &none))
                return false;
        }
        if (!tn_source_put(source, limits, coordinate, ends))
            return false;
        ends = tn_source_get(limits, coordinate);
    }
    ends->entries[low ? 0 : 1].value = value;
    if (is_none(ends->entries[0].value) && is_none(ends->entries[1].value))
        tn_source_drop_key(limits, coordinate);
    return true;
}

/* One value of fuse, latch, limits or ratchet, by what follows the point; "none" takes it away. */
static bool set_in_rule(const tn_source *source, tn_source_node *rule, const char *rest, tn_source_node *value)
{
    const char *point = strchr(rest, '.');
    char *coordinate = point != NULL ? tn_arena_strndup(source->arena, rest, (size_t)(point - rest)) : NULL;
    if (point != NULL)
        return coordinate != NULL && set_end(source, rule, coordinate, point[1] == 'l', value);
    if (!is_none(value))
        return tn_source_put(source, rule, rest, value);
    tn_source_drop_key(rule, rest);
    return true;
}

/* Without anything that is limited, restitution says nothing. */
static bool says_nothing(const tn_source_node *rule, const char *group)
{
    bool limits = strcmp(group, tn_section_joint.keys[JOINT_LIMITS].name) == 0;
    return rule->count == (limits && tn_source_get(rule, "restitution") != NULL);
}

/* A joint with a latch is disabled unless it says otherwise; whether it is stays as it is. */
static bool set_rule(const tn_source *source, tn_source_node *entity, const char *group, const char *name,
                     tn_source_node *value)
{
    const char *rest = name[strlen(group)] == '.' ? name + strlen(group) + 1 : NULL;
    bool on = is_on(entity);
    if (rest == NULL && is_none(value))
        tn_source_drop_key(entity, group);
    else if (rest == NULL && !tn_source_put(source, entity, group, value))
        return false;
    if (rest != NULL) {
        if (tn_source_get(entity, group) == NULL &&
            !tn_source_put(source, entity, group, tn_source_make_map(source, true)))
            return false;
        tn_source_node *rule = tn_source_get(entity, group);
        if (!set_in_rule(source, rule, rest, value))
            return false;
        if (says_nothing(rule, group))
            tn_source_drop_key(entity, group);
    }
    return switch_entity(source, entity, on) && tn_format_arrange(source, entity, &tn_section_joint) >= 0;
}

static bool set_value(const tn_source *source, tn_source_node *entity, const tn_model *model, const char *name,
                      const tn_source_node *value)
{
    int index = component_of(entity, model, name);
    tn_source_node *copy = tn_source_copy(source, value);
    char *group = tn_arena_strndup(source->arena, name, strcspn(name, "."));
    if (copy == NULL || group == NULL)
        return false;
    if (is_rule(group))
        return set_rule(source, entity, group, name, copy);
    tn_source_node *list = index >= 0 ? tn_source_get(entity, group) : NULL;
    if (list != NULL && list->kind == TN_SOURCE_TEXT)      /* "torque: 3" in a planar model */
        return tn_source_put(source, entity, group, copy);
    if (list == NULL || (unsigned)index >= list->count)
        return tn_source_put(source, entity, name, copy);
    list->entries[index].value = copy;
    return true;
}

/* The entity that "spring.stiffness" begins with, and what follows; NULL: it is in a subsystem, which has its own
 * text. */
static bool find_owner(const tn_source *source, const char *path, tn_source_node **owner, const char **rest)
{
    const tn_source_node *subsystems = tn_source_get(source->root, key_of(TOP_SUBSYSTEMS));
    *owner = NULL;
    for (const char *point = strchr(path, '.'); point != NULL && *owner == NULL; point = strchr(point + 1, '.')) {
        tn_source_node *section = NULL;
        char *name = tn_arena_strndup(source->arena, path, (size_t)(point - path));
        const tn_source_entry *entry = name != NULL ? find_entity(source, name, &section) : NULL;
        if (name == NULL)
            return false;
        *owner = entry != NULL && section != subsystems ? entry->value : NULL;
        *rest = point + 1;
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

/* solve NULL: out of memory. */
static bool put_settings(const tn_source *source, tn_source_node *solve, const tn_source_node *from)
{
    for (unsigned i = 0; solve != NULL && i < from->count; i++)
        if (!put_setting(source, solve, &from->entries[i]))
            return false;
    return solve != NULL;
}

tn_source_node *tn_amend_settings_owner(const tn_source *source, const char *path)
{
    const char *key = tn_section_subsystem.keys[SUBSYSTEM_SOLVE].name;
    const tn_source_node *subsystems = tn_source_get(source->root, key_of(TOP_SUBSYSTEMS));
    for (unsigned i = 0; subsystems != NULL && i < subsystems->count; i++) {
        const tn_source_entry *entry = &subsystems->entries[i];
        size_t n = strlen(entry->key->text);
        if (strncmp(path, entry->key->text, n) == 0 && path[n] == '.' && strcmp(path + n + 1, key) == 0)
            return entry->value;
    }
    return NULL;
}

static bool put_settings_of(const tn_source *source, tn_source_node *entity, const tn_source_node *from)
{
    const char *key = tn_section_subsystem.keys[SUBSYSTEM_SOLVE].name;
    if (tn_source_get(entity, key) == NULL && !tn_source_put(source, entity, key, tn_source_make_map(source, true)))
        return false;
    return put_settings(source, tn_source_get(entity, key), from);
}

static bool set_all(const tn_source *source, const tn_source_node *map, const tn_model *model)
{
    for (unsigned i = 0; map != NULL && i < map->count; i++) {
        tn_source_node *owner = tn_amend_settings_owner(source, map->entries[i].key->text);
        const char *name;
        if (owner != NULL) {
            if (!put_settings_of(source, owner, map->entries[i].value))
                return false;
            continue;
        }
        if (!find_owner(source, map->entries[i].key->text, &owner, &name) ||
            (owner != NULL && !set_value(source, owner, model, name, map->entries[i].value)))
            return false;
    }
    return true;
}

const char *tn_amend_owner(const tn_source *source, const char *parameter, tn_source_node **entry)
{
    const char *point = strrchr(parameter, '.');
    const tn_source_node *subsystems = tn_source_get(source->root, key_of(TOP_SUBSYSTEMS));
    char *path = point != NULL ? tn_arena_strndup(source->arena, parameter, (size_t)(point - parameter)) : NULL;
    *entry = path != NULL ? tn_source_get(subsystems, path) : NULL;
    return point != NULL ? point + 1 : parameter;
}

bool tn_amend_parameter(const tn_source *source, const char *name, tn_source_node *value)
{
    tn_source_node *entry;
    const char *local = tn_amend_owner(source, name, &entry);
    if (local == name)
        return tn_source_put(source, tn_amend_section(source, TOP_PARAMETERS), name, value);
    if (entry == NULL)
        return true;
    if (tn_source_get(entry, "parameters") == NULL &&
        !tn_source_put(source, entry, "parameters", tn_source_make_map(source, true)))
        return false;
    return tn_source_put(source, tn_source_get(entry, "parameters"), local, value);
}

static bool put_parameters(const tn_source *source, const tn_source_node *from)
{
    for (unsigned i = 0; from != NULL && i < from->count; i++)
        if (!tn_amend_parameter(source, from->entries[i].key->text, tn_source_copy(source, from->entries[i].value)))
            return false;
    return true;
}

static bool put_gravity(const tn_source *source, const tn_source_node *gravity)
{
    return gravity == NULL || put_section(source, TOP_GRAVITY, tn_source_copy(source, gravity));
}

int tn_amend(const tn_source *source, const tn_source_node *command, const tn_model *model)
{
    const tn_source_node *solve = tn_source_get(command, "solve");
    bool good = for_each_name(source, tn_source_get(command, "remove"), remove_one) &&
                for_each_name(source, tn_source_get(command, "disable"), disable_one) &&
                for_each_name(source, tn_source_get(command, "enable"), enable_one) &&
                put_contents(source, tn_source_get(command, "replace"), true) &&
                put_contents(source, tn_source_get(command, "add"), false) &&
                set_all(source, tn_source_get(command, "set"), model) &&
                put_gravity(source, tn_source_get(command, "gravity")) &&
                (solve == NULL || put_settings(source, tn_amend_section(source, TOP_SOLVE), solve)) &&
                put_parameters(source, tn_source_get(command, "parameters"));
    return good ? TN_OK : TN_ERROR_MEMORY;
}
