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
    size_t decisions = 0;
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
    for (size_t i = 0; i < machine->joint_count; i++)
        if (machine->joints[i].decided)
            tn_text_add(text, "%s  %s: %s\n", decisions++ == 0 ? "decisions:\n" : "", machine->joints[i].label,
                        machine->joints[i].dropped ? "reject" : "accept");
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
    tn_text_add(&text, "options: { base: %s, keep_fixed: %s, collisions: %s", bases[import->options.base],
                import->options.keep_fixed ? "yes" : "no", import->options.collisions ? "yes" : "no");
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

static bool is_decided(const tn_import *import, const char *name)
{
    for (size_t i = 0; i < import->machine->joint_count; i++)
        if (strcmp(import->machine->joints[i].label, name) == 0 && import->machine->joints[i].decided)
            return true;
    return false;
}

/* Decisions of the last import about joints of the same names; those of this import count more. */
static void keep_decisions(tn_import *import, const tn_node *decisions)
{
    for (unsigned i = 0; decisions && decisions->kind == TN_NODE_MAP && i < decisions->count; i++) {
        const tn_node *name = decisions->as.items[2 * i], *word = decisions->as.items[2 * i + 1];
        tn_report_mark mark = tn_report_now(import->context);
        if (is_decided(import, name->as.text))
            continue;
        if (word->kind == TN_NODE_TEXT && tn_import_decide(import, name->as.text, word->as.text) < 0) {
            tn_report_forget(import->context, mark);
            add_change(import, tn_machine_text(import->machine, "a decision about '%s' has lost its joint", name->as.text));
        }
    }
}

int tn_import_recall(tn_import *import, const char *folder)
{
    char path[PATH_MAX], *data = NULL;
    size_t size = 0, budget = TN_YAML_NODES;
    const tn_node *root = NULL;
    snprintf(path, sizeof path, "%s/import.yaml", folder);
    const char *name = tn_arena_strdup(import->machine->arena, path);
    if (!name)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_file_read(&data, &size, import->context, name, TN_NOWHERE, NULL, TN_FILE_LIMIT));
    int code = tn_yaml_parse(&root, import->machine->arena, import->context, name, data, size, &budget);
    if (code >= 0 && root) {
        keep_decisions(import, tn_node_get(root, "decisions"));
        code = compare_bodies(import, tn_node_get(root, "bodies"));
    }
    tn_free(import->context, data);
    return code;
}
