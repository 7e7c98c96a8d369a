/* Agreement of a text with the model that has come of it. */
#include "text_agree.h"
#include <math.h>
#include "devices.h"
#include <stdlib.h>
#include <string.h>
#include "elementary.h"
#include "groups.h"
#include "keys.h"
#include "shortest.h"
#include "text_change.h"

/* Digits of an angle: as drawn at least, all of a double at most; and doubles on each side of it that are tried. */
enum { ANGLE_DIGITS = 10, ALL_DIGITS = 17, NEIGHBOURS = 3 };

const char *tn_text_section(const tn_model *model, tn_id id)
{
    switch (id.kind) {
    case TN_KIND_BODY: return "bodies";
    case TN_KIND_SUBSYSTEM: return "subsystems";
    case TN_KIND_JOINT: return tn_joint_motion(&model->joints[id.index]) != NULL ? "drives" : "joints";
    case TN_KIND_FORCE: return tn_force_section(&model->forces[id.index]);
    case TN_KIND_CONTACT: return "contacts";
    default: return NULL;
    }
}

/* ---- what is gone ---- */

typedef bool (*is_there)(const tn_model *model, const void *of, const char *name);

/* Drops entries of a map, or items of a list, whose names the model does not have. */
static void keep_those(tn_node *node, const tn_model *model, const void *of, is_there test)
{
    for (unsigned i = 0; node != NULL && node->kind != TN_NODE_TEXT && i < node->count;) {
        const tn_node *name = tn_node_head(node, i);
        if (name->kind == TN_NODE_TEXT && !test(model, of, name->as.text))
            tn_source_drop(node, i);
        else
            i++;
    }
}

static bool has_entity(const tn_model *model, const void *section, const char *name)
{
    const char *right = tn_text_section(model, tn_model_find(model, name));
    return right != NULL && strcmp(right, section) == 0;
}

static bool has_start(const tn_model *model, const void *of, const char *name)
{
    (void)of;
    return tn_model_find(model, name).kind != TN_KIND_NONE;
}

static bool has_port(const tn_model *model, const void *ports, const char *name)
{
    const char *target = tn_source_get_text(ports, name);
    return target == NULL || tn_model_find(model, target).kind != TN_KIND_NONE;
}

static bool has_frame(const tn_model *model, const void *body, const char *name)
{
    char path[TN_PATH_SIZE];
    snprintf(path, sizeof path, "%s.%s", (const char *)body, name);
    return tn_model_find(model, path).kind != TN_KIND_NONE;
}

static bool has_touching(const tn_model *model, const void *of, const char *name)
{
    const tn_contact *contact = of;
    tn_id id = tn_model_find(model, name);
    for (size_t k = 0; id.kind == TN_KIND_BODY && k < contact->body_count; k++)
        if (contact->bodies[k] == id.index)
            return true;
    return false;
}

/* The channel that an item of the list gives: "elbow.angle", or { twice: 2 * elbow.angle }; "": neither. */
static const char *channel_of(const tn_node *item)
{
    if (item->kind == TN_NODE_MAP && item->count == 1)
        return item->as.items[0]->as.text;
    return item->kind == TN_NODE_TEXT ? item->as.text : "";
}

/* From the last to the first: what was removed and added again is there once, where it was added. */
static void agree_on_outputs(tn_node *root, const tn_model *model)
{
    tn_node *list = tn_source_get(root, "outputs");
    size_t left = model->output_count;
    bool single = list != NULL && list->kind != TN_NODE_LIST;
    for (unsigned i = list == NULL ? 0 : single ? 1 : list->count; i > 0; i--) {
        const char *channel = channel_of(single ? list : list->as.items[i - 1]);
        size_t k = left;
        while (k > 0 && strcmp(model->outputs[k - 1].channel, channel) != 0)
            k--;
        if (k > 0)
            left = k - 1;
        else if (single)
            tn_source_drop_key(root, "outputs");
        else
            tn_source_drop(list, i - 1);
    }
}

static int find_group(const tn_model *model, const char *name)
{
    for (size_t k = 0; k < model->group_count; k++)
        if (strcmp(model->groups[k].name, name) == 0)
            return (int)k;
    return -1;
}

static bool has_group(const tn_model *model, const void *of, const char *name)
{
    (void)of;
    return find_group(model, name) >= 0;
}

/* A body of the group, or a group in it. */
static bool has_member(const tn_model *model, const void *of, const char *name)
{
    const struct tn_group *group = of;
    int inner = find_group(model, name);
    for (size_t k = 0; k < group->body_count; k++)
        if (strcmp(tn_model_entity_name(model, group->bodies[k]), name) == 0)
            return true;
    return inner >= 0 && model->groups[inner].parent == (int)(group - model->groups);
}

/* Settings of a method that is no longer used are gone. */
static bool has_setting(const tn_model *model, const void *of, const char *name)
{
    (void)of;
    for (int k = 0; tn_section_solve.keys[k].name != NULL; k++)
        if (strcmp(tn_section_solve.keys[k].name, name) == 0)
            return true;
    for (size_t k = 0; k < model->solve.setting_count; k++)
        if (strcmp(model->solve.settings[k].name, name) == 0)
            return true;
    return false;
}

/* ---- places ---- */

static tn_node *number_list(const tn_source *source, const double *values, size_t count)
{
    tn_node *list = tn_source_make_list(source);
    for (size_t k = 0; list != NULL && k < count; k++) {
        char text[TN_SHORTEST_SIZE];
        if (!tn_source_append(source, list, tn_source_make_text(source, tn_shortest(text, values[k]))))
            return NULL;
    }
    return list;
}

static bool gives_turn(const char *angle, const double q[4])
{
    const tn_pose read = tn_pose_planar(0, 0, strtod(angle, NULL));
    return memcmp(read.q, q, sizeof read.q) == 0;
}

/* The text of the angle that gives a turn in the plane to the bit; false: none of the numbers nearest to it does. */
static bool planar_angle(char text[TN_SHORTEST_SIZE], const double q[4])
{
    double angle = 2 * tn_atan2(q[3], q[0]);
    for (int digits = ANGLE_DIGITS; digits <= ALL_DIGITS; digits++) {
        snprintf(text, TN_SHORTEST_SIZE, "%.*g", digits, angle);
        if (gives_turn(text, q))
            return true;
    }
    for (int k = 0; k < NEIGHBOURS; k++)
        angle = nextafter(angle, -INFINITY);
    for (int k = -NEIGHBOURS; k <= NEIGHBOURS; k++, angle = nextafter(angle, INFINITY))
        if (gives_turn(tn_shortest(text, angle), q))
            return true;
    return false;
}

static tn_node *pose_node(const tn_source *source, const tn_model *model, const tn_pose *pose)
{
    static const double none[4] = { 1, 0, 0, 0 };
    tn_node *map = tn_source_make_map(source, true), *turn = tn_source_make_map(source, true);
    if (map == NULL || turn == NULL ||
        !tn_source_put(source, map, "at", number_list(source, pose->p, (size_t)model->dimension)))
        return NULL;
    if (memcmp(pose->q, none, sizeof none) == 0)
        return map;
    char angle[TN_SHORTEST_SIZE];
    if (model->dimension == 2 && planar_angle(angle, pose->q))
        return tn_source_put_text(source, map, "angle", angle) ? map : NULL;
    return tn_source_put(source, turn, "quaternion", number_list(source, pose->q, 4)) &&
           tn_source_put(source, map, "rotation", turn) ? map : NULL;
}

/* Does the port lead to the body, or to a frame of it? */
static bool leads_to(const tn_model *model, tn_id target, tn_id body)
{
    if (target.kind == TN_KIND_FRAME && tn_model_entity(model, target) != NULL)
        return model->frames[target.index].body == body.index;
    return target.kind == TN_KIND_BODY && target.index == body.index;
}

/* The name of the body in a text: the name of a port if the body is in a closed subsystem. NULL: out of memory. */
static const char *end_name(const tn_source *source, const tn_model *model, tn_id body)
{
    const char *name = tn_model_entity_name(model, body);
    if (tn_model_closed_to(model, name, NULL).kind == TN_KIND_NONE)
        return name;
    char *path = tn_arena_alloc(source->arena, TN_PATH_SIZE, 1);
    for (size_t k = 0; path != NULL && k < model->subsystem_count; k++) {
        const tn_subsystem *subsystem = &model->subsystems[k];
        for (size_t i = 0; subsystem->entity.alive && i < subsystem->port_count; i++) {
            snprintf(path, TN_PATH_SIZE, "%s.%s", subsystem->entity.name, subsystem->ports[i].name);
            if (leads_to(model, subsystem->ports[i].target, body) &&
                tn_model_closed_to(model, path, NULL).kind == TN_KIND_NONE)
                return path;
        }
    }
    return path != NULL ? name : NULL;
}

/* Where a joint or force is, on each of its bodies, in numbers. */
static bool put_ends(const tn_source *source, const tn_model *model, tn_node *entity, const tn_end ends[2])
{
    static const char *const other_ways[] = { "at", "axis", "axis2", "on", "from" };
    tn_node *between = tn_source_make_list(source), *poses = tn_source_make_list(source);
    if (between == NULL || poses == NULL)
        return false;
    for (int side = 0; side < 2; side++) {
        const char *name = end_name(source, model, ends[side].body);
        if (name == NULL || !tn_source_append(source, between, tn_source_make_text(source, name)) ||
            !tn_source_append(source, poses, pose_node(source, model, &ends[side].pose)))
            return false;
    }
    entity = tn_change_place(entity, tn_source_get(entity, "between") != NULL ? "between" : "on");
    for (size_t k = 0; k < TN_LENGTH(other_ways); k++)
        tn_source_drop_key(entity, other_ways[k]);
    return tn_source_put(source, entity, "between", between) && tn_source_put(source, entity, "ends", poses);
}

/* The value of an entity's key, in its variant or beside it; NULL: there is none. */
static const tn_node *said(const tn_node *entity, const char *key)
{
    const tn_node *own = tn_source_get(tn_change_variant(entity), key);
    return own != NULL ? own : tn_source_get(entity, key);
}

static const char *said_text(const tn_node *entity, const char *key)
{
    const tn_node *node = said(entity, key);
    return node != NULL && node->kind == TN_NODE_TEXT ? node->as.text : NULL;
}

/* Does it attach to what is there only? */
static bool is_attached(const tn_model *model, const tn_node *entity)
{
    const char *names[4] = { said_text(entity, "on"), said_text(entity, "from") };
    const tn_node *between = said(entity, "between");
    for (unsigned i = 0; between != NULL && between->kind == TN_NODE_LIST && i < between->count && i < 2; i++)
        names[2 + i] = between->as.items[i]->as.text;
    for (size_t k = 0; k < TN_LENGTH(names); k++)
        if (names[k] != NULL && tn_model_find(model, names[k]).kind == TN_KIND_NONE)
            return false;
    return true;
}

static bool same_pose(const tn_pose *a, const tn_pose *b)
{
    return memcmp(a->p, b->p, sizeof a->p) == 0 && memcmp(a->q, b->q, sizeof a->q) == 0;
}

/* again is what the text gives so far; NULL: it was not read yet. */
static bool is_placed(const tn_model *model, const tn_source_entry *e, const tn_end ends[2], const tn_model *again)
{
    tn_end read[2];
    if (again == NULL)
        return is_attached(model, e->value);
    return tn_model_ends(read, again, tn_model_find(again, e->key->as.text)) == 2 &&
           same_pose(&read[0].pose, &ends[0].pose) && same_pose(&read[1].pose, &ends[1].pose) &&
           read[0].body.index == ends[0].body.index && read[1].body.index == ends[1].body.index;
}

/* Poses in place of frames that are gone, and of points where the bodies were when a command named them. */
static bool place_all(const tn_source *source, const tn_model *model, const tn_model *again)
{
    static const char *const sections[] = { "joints", "forces" };
    for (size_t s = 0; s < TN_LENGTH(sections); s++) {
        const tn_node *section = tn_source_get(source->root, sections[s]);
        for (unsigned i = 0; section != NULL && i < section->count; i++) {
            const tn_source_entry entry = tn_source_at(section, i), *e = &entry;
            tn_end ends[2];
            if (said(e->value, "joint") != NULL ||
                tn_model_ends(ends, model, tn_model_find(model, e->key->as.text)) != 2 ||
                is_placed(model, e, ends, again))
                continue;
            if (!put_ends(source, model, e->value, ends))
                return false;
        }
    }
    return true;
}

/* ---- entities ---- */

static bool is_on_by_default(const tn_node *entity)
{
    return said(entity, "latch") == NULL;
}

/* Makes the text say whether the entity is enabled. */
static bool write_switch(const tn_source *source, tn_node *entity, bool on)
{
    const char *text = tn_source_get_text(entity, "enabled");
    bool said = text == NULL ? is_on_by_default(entity) : strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
    if (said == on || entity->kind != TN_NODE_MAP)
        return said == on;
    if (on != is_on_by_default(entity))
        return tn_source_put_text(source, entity, "enabled", on ? "yes" : "no");
    tn_source_drop_key(entity, "enabled");
    return true;
}

static bool agree_on_section(const tn_source *source, const tn_model *model, const char *key)
{
    tn_node *section = tn_source_get(source->root, key);
    keep_those(section, model, key, has_entity);
    for (unsigned i = 0; section != NULL && section->kind == TN_NODE_MAP && i < section->count; i++) {
        const char *name = section->as.items[2 * i]->as.text;
        tn_node *entity = tn_node_value(section, i);
        tn_id id = tn_model_find(model, name);
        keep_those(tn_source_get(entity, "frames"), model, name, has_frame);
        if (id.kind == TN_KIND_CONTACT)
            keep_those(tn_source_get(entity, "among"), model, &model->contacts[id.index], has_touching);
        if (!write_switch(source, entity, tn_model_enabled(model, id)))
            return false;
    }
    return true;
}

/* Connections to devices that are gone go with them. */
static void agree_on_connections(tn_node *root, const tn_model *model)
{
    tn_node *list = tn_source_get(root, "connect");
    for (unsigned i = list != NULL && list->kind == TN_NODE_LIST ? list->count : 0; i > 0; i--) {
        const tn_node *to = tn_node_get(list->as.items[i - 1], "to");
        char device[TN_PATH_SIZE] = "";
        if (to != NULL && to->kind == TN_NODE_TEXT)
            snprintf(device, sizeof device, "%.*s", (int)strcspn(to->as.text, "."), to->as.text);
        if (!has_entity(model, "devices", device))
            tn_source_drop(list, i - 1);
    }
}

bool tn_text_agree(const tn_source *source, const tn_model *model)
{
    static const char *const sections[] = { "bodies", "subsystems", "joints", "drives", "forces",
                                            "devices", "nodes", "let", "contacts", "states", "inputs" };
    tn_node *groups = tn_source_get(source->root, "groups"), *ports = tn_source_get(source->root, "ports");
    agree_on_outputs(source->root, model);
    agree_on_connections(source->root, model);
    keep_those(tn_source_get(source->root, "initial"), model, NULL, has_start);
    keep_those(tn_source_get(source->root, "solve"), model, NULL, has_setting);
    keep_those(ports, model, ports, has_port);
    keep_those(groups, model, NULL, has_group);
    for (unsigned i = 0; groups != NULL && groups->kind == TN_NODE_MAP && i < groups->count; i++)
        keep_those(tn_source_get(tn_node_value(groups, i), "members"), model,
                   &model->groups[find_group(model, groups->as.items[2 * i]->as.text)], has_member);
    for (size_t k = 0; k < TN_LENGTH(sections); k++)
        if (!agree_on_section(source, model, sections[k]))
            return false;
    tn_text_agree_inside(source, model);
    return place_all(source, model, NULL);
}

/* ---- what the text gives so far ---- */

/* Writes the values that a joint, added by a command, took from the bodies as built. */
static bool write_as_built(const tn_source *source, const tn_model *model, const tn_model *again)
{
    tn_node *section = tn_source_get(source->root, "joints");
    for (unsigned i = 0; section != NULL && i < section->count; i++) {
        const tn_source_entry e_at = tn_source_at(section, i), *e = &e_at;
        tn_id id = tn_model_find(model, e->key->as.text), read = tn_model_find(again, e->key->as.text);
        if (strcmp(e->value->span.file, TN_CHANGE_FILE) != 0 || id.kind != TN_KIND_JOINT || read.kind != TN_KIND_JOINT)
            continue;
        const tn_joint *joint = &model->joints[id.index], *text = &again->joints[read.index];
        for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name != NULL; k++) {
            char number[TN_SHORTEST_SIZE];
            tn_shortest(number, joint->parameters[k]);
            if (isnan(text->parameters[k]) && !isnan(joint->parameters[k]) &&
                !tn_source_put_text(source, tn_change_place(e->value, joint->type->parameters[k].name),
                                    joint->type->parameters[k].name, number))
                return false;
        }
    }
    return true;
}

/* A state that was set to a plain number keeps its unit. */
static bool write_units(const tn_source *source, const tn_model *model, const tn_model *again)
{
    tn_node *section = tn_source_get(source->root, "states");
    for (unsigned i = 0; section != NULL && i < section->count; i++) {
        const tn_source_entry e = tn_source_at(section, i);
        tn_id id = tn_model_find(model, e.key->as.text), read = tn_model_find(again, e.key->as.text);
        if (id.kind != TN_KIND_FORCE || read.kind != TN_KIND_FORCE)
            continue;
        const tn_force *force = &model->forces[id.index];
        char digits[TN_SHORTEST_SIZE], number[120];
        if (force->unit == NULL || again->forces[read.index].unit == NULL ||
            strcmp(force->unit, again->forces[read.index].unit) == 0)
            continue;
        for (size_t k = 0; k < tn_force_parameter_count(force->type); k++) {
            snprintf(number, sizeof number, "%s %.60s", tn_shortest(digits, force->parameters[k]), force->unit);
            if (strcmp(force->type->parameters[k].name, "initial") == 0 &&
                !tn_source_put_text(source, e.value, "initial", number))
                return false;
        }
    }
    return true;
}

bool tn_text_complete(const tn_source *source, const tn_model *model, const tn_model *again)
{
    return write_as_built(source, model, again) && write_units(source, model, again) &&
           tn_text_complete_inside(source, model, again);
}

bool tn_text_place(const tn_source *source, const tn_model *model, const tn_model *again)
{
    return place_all(source, model, again);
}
