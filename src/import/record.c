/* import.yaml: where a model folder comes from, what was decided, and what a later import compares itself with. */
#include "import_impl.h"

#include "diag.h"
#include "entities.h"
#include "file.h"
#include "vec.h"
#include "writer.h"
#include "yaml_tree.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* m or rad: smaller changes of a body's place in the file are no news */
static const double SAME_PLACE = 1e-9;

static void record_bodies(tn_text *text, const tn_machine *machine)
{
    tn_text_add(text, "bodies:\n");
    for (size_t i = 1; i < machine->body_count; i++) {
        const tn_machine_body *body = &machine->bodies[i];
        tn_text_add(text, "  - { source: ");
        tn_text_add_json(text, body->path);
        tn_text_add(text, ", %s: %s", body->into == (int)i ? "body" : "part_of", body->label);
        tn_text_add(text, ", mass: ");
        tn_yaml_number(text, body->mass);
        tn_text_add(text, ", mass_source: ");
        tn_text_add_json(text, body->mass_source);
        tn_pose pose = tn_machine_pose(machine, (int)i);
        tn_text_add(text, ", position: ");
        tn_yaml_vector(text, pose.p, 3);
        tn_text_add(text, ", quaternion: ");
        tn_yaml_vector(text, pose.q, 4);
        tn_text_add(text, " }\n");
    }
}

static void record_joints(tn_text *text, const tn_machine *machine)
{
    tn_text_add(text, "joints:\n");
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *joint = &machine->joints[i];
        tn_text_add(text, "  - { joint: %s, source: ", joint->label);
        tn_text_add_json(text, joint->name);
        tn_text_add(text, ", kind: ");
        tn_text_add_json(text, joint->source);
        tn_text_add(text, ", type: %s, used: %s", joint->type, joint->dropped ? "no" : joint->merged ? "merged" : "yes");
        if (joint->confidence < 1)
            tn_text_add(text, ", confidence: %.2f", joint->confidence);
        tn_text_add(text, ", line: %d }\n", joint->place.line);
    }
}

static void record_decisions(tn_text *text, const tn_machine *machine)
{
    if (machine->decision_count > 0)
        tn_text_add(text, "decisions:\n");
    for (size_t i = 0; i < machine->decision_count; i++) {
        const tn_import_decision *d = &machine->decisions[i];
        tn_text_add(text, "  - { about: ");
        tn_text_add_json(text, d->about);
        tn_text_add(text, ", name: ");
        tn_text_add_json(text, d->name);
        tn_text_add(text, ", value: ");
        tn_text_add_json(text, d->value);
        tn_text_add(text, " }\n");
    }
}

int tn_import_record(char **out, tn_import *import)
{
    const tn_machine *machine = import->machine;
    static const char *const bases[] = { "auto", "fixed", "free" };
    tn_text text;
    tn_text_begin(&text, import->context);
    tn_text_add(&text, "# Where this folder comes from. The next import compares itself with it and keeps the decisions.\n");
    tn_text_add(&text, "format: %s\nfile: ", import->importer->name);
    tn_text_add_json(&text, import->file);
    tn_text_add(&text, "\nsize: %zu\nhash: \"%016llx\"\ntenon: \"%s\"\n", import->size, (unsigned long long)import->hash,
                tn_version());
    tn_text_add(&text, "options: { base: %s, keep_fixed: %s, collisions: %s, contacts: %s", bases[import->options.base],
                import->options.keep_fixed ? "yes" : "no", import->options.collisions ? "yes" : "no", import->options.contacts ? "yes" : "no");
    if (isfinite(import->options.density))
        tn_text_add(&text, ", density: %.17g", import->options.density);
    tn_text_add(&text, " }\nfiles:\n");
    for (size_t i = 0; i < machine->file_count; i++) {
        tn_text_add(&text, "  - ");
        tn_text_add_json(&text, machine->files[i]);
        tn_text_add(&text, "\n");
    }
    record_bodies(&text, machine);
    record_joints(&text, machine);
    record_decisions(&text, machine);
    if (machine->left_out_count > 0)
        tn_text_add(&text, "left_out:\n");
    for (size_t i = 0; i < machine->left_out_count; i++) {
        tn_text_add(&text, "  - { what: ");
        tn_text_add_json(&text, machine->left_out[i].what);
        tn_text_add(&text, ", count: %zu, line: %d }\n", machine->left_out[i].count, machine->left_out[i].first.line);
    }
    return tn_text_take(&text, out);
}

static void add_change(tn_import *import, const char *text)
{
    if (import->change_count == import->change_capacity) {
        size_t more = import->change_capacity ? 2 * import->change_capacity : 16;
        const char **list = tn_arena_alloc(import->machine->arena, more, sizeof *list);
        if (!list)
            return;
        if (import->change_count > 0)
            memcpy(list, import->changes, import->change_count * sizeof *list);
        import->changes = list;
        import->change_capacity = more;
    }
    import->changes[import->change_count++] = text;
}

static bool read_vector(const tn_node *list, double *out, unsigned n)
{
    if (!list || list->kind != TN_NODE_LIST || list->count != n)
        return false;
    for (unsigned k = 0; k < n; k++)
        out[k] = list->as.items[k]->kind == TN_NODE_TEXT ? strtod(list->as.items[k]->as.text, NULL) : NAN;
    return true;
}

/* Compares a body of the last import with the same one now. */
static void compare_body(tn_import *import, const tn_node *entry, const tn_name_index *now, bool *known)
{
    const tn_node *source = tn_node_get(entry, "source");
    tn_pose before = tn_pose_identity();
    if (!source || source->kind != TN_NODE_TEXT)
        return;
    int index = tn_index_find(now, source->as.text);
    if (index < 0) {
        add_change(import, tn_machine_text(import->machine, "vanished: %s", source->as.text));
        return;
    }
    known[index] = true;
    if (!read_vector(tn_node_get(entry, "position"), before.p, 3) ||
        !read_vector(tn_node_get(entry, "quaternion"), before.q, 4))
        return;
    tn_pose after = tn_machine_pose(import->machine, index), change = tn_pose_relative(&before, &after);
    double distance = tn_norm3(change.p), angle = 2 * atan2(tn_norm3(change.q + 1), fabs(change.q[0]));
    if (distance > SAME_PLACE || angle > SAME_PLACE)
        add_change(import, tn_machine_text(import->machine, "moved: %s by %.3g m, %.3g deg", source->as.text, distance,
                                           angle * 180 / acos(-1.0)));
}

static int compare_bodies(tn_import *import, const tn_node *bodies)
{
    tn_machine *machine = import->machine;
    tn_name_index *now = NULL;
    bool *known = tn_arena_alloc(machine->arena, machine->body_count, sizeof *known);
    TN_TRY(tn_index_create(&now, machine));
    if (!known)
        return TN_ERROR_MEMORY;
    for (size_t i = 1; i < machine->body_count; i++)
        tn_index_put(now, machine->bodies[i].path, (int)i);
    for (unsigned i = 0; bodies && bodies->kind == TN_NODE_LIST && i < bodies->count; i++)
        compare_body(import, bodies->as.items[i], now, known);
    for (size_t i = 1; i < machine->body_count; i++)
        if (!known[i])
            add_change(import, tn_machine_text(machine, "new: %s", machine->bodies[i].path));
    return tn_machine_status(machine);
}

static const char *node_text(const tn_node *map, const char *key)
{
    const tn_node *node = tn_node_get(map, key);
    return node && node->kind == TN_NODE_TEXT ? node->as.text : NULL;
}

/* A list of { about, name, value }, or a map from names of joints to accept and reject. */
static int take_recorded(tn_import *import, const tn_node *list)
{
    for (unsigned i = 0; list && (list->kind == TN_NODE_MAP || list->kind == TN_NODE_LIST) && i < list->count; i++) {
        const tn_node *item = list->kind == TN_NODE_LIST ? list->as.items[i] : list->as.items[2 * i + 1];
        tn_import_decision d = { "joint", NULL, NULL };
        if (list->kind == TN_NODE_LIST)
            d = (tn_import_decision){ node_text(item, "about"), node_text(item, "name"), node_text(item, "value") };
        else if (item->kind == TN_NODE_TEXT)
            d = (tn_import_decision){ "joint", list->as.items[2 * i]->as.text, item->as.text };
        if (d.about && d.name && d.value)
            TN_TRY(tn_machine_decisions_take(import->machine, &d, 1));
    }
    return TN_OK;
}

/* The tree of import.yaml in the arena; NULL: there is no such file. */
static int read_record(const tn_node **out, tn_import *import, const char *folder)
{
    char path[PATH_MAX], *data = NULL;
    size_t size = 0, budget = TN_YAML_NODES;
    *out = NULL;
    snprintf(path, sizeof path, "%s/import.yaml", folder);
    const char *name = tn_arena_strdup(import->machine->arena, path);
    if (!name)
        return TN_ERROR_MEMORY;
    if (access(name, F_OK) != 0)
        return TN_OK;
    TN_TRY(tn_file_read(&data, &size, import->context, name, TN_NOWHERE, NULL, TN_FILE_LIMIT));
    int code = tn_yaml_parse(out, import->machine->arena, import->context, name, data, size, &budget);
    tn_free(import->context, data);
    return code;
}

int tn_import_recall_decisions(tn_import *import, const char *folder)
{
    const tn_node *root = NULL;
    TN_TRY(read_record(&root, import, folder));
    import->recalled = root != NULL;
    return root ? take_recorded(import, tn_node_get(root, "decisions")) : TN_OK;
}

/* Where the folder was not named before reading: accept and reject can still be taken up, the others cannot. */
static int take_late(tn_import *import, const tn_node *decisions)
{
    tn_machine *machine = import->machine;
    size_t before = machine->decision_count;
    TN_TRY(take_recorded(import, decisions));
    for (size_t i = before; i < machine->decision_count; i++) {
        const tn_import_decision *d = &machine->decisions[i];
        tn_report_mark mark = tn_report_now(import->context);
        for (size_t k = 0; k < machine->joint_count && strcmp(d->about, "joint") == 0; k++)
            if (strcmp(machine->joints[k].key, d->name) == 0) {
                machine->decision_used[i] = true;
                (void)tn_import_decide(import, machine->joints[k].label, d->value);
                break;
            }
        tn_report_forget(import->context, mark);
    }
    return TN_OK;
}

/* Decisions about what is not there any more. */
static void tell_lost(tn_import *import)
{
    const tn_machine *machine = import->machine;
    for (size_t i = 0; i < machine->decision_count; i++)
        if (!machine->decision_used[i])
            add_change(import, tn_machine_text(import->machine, "a decision about %s '%s' (%s) finds nothing of that name",
                                               machine->decisions[i].about, machine->decisions[i].name,
                                               machine->decisions[i].value));
}

int tn_import_recall(tn_import *import, const char *folder)
{
    const tn_node *root = NULL;
    TN_TRY(read_record(&root, import, folder));
    if (root && !import->recalled)
        TN_TRY(take_late(import, tn_node_get(root, "decisions")));
    tell_lost(import);
    return root ? compare_bodies(import, tn_node_get(root, "bodies")) : TN_OK;
}
