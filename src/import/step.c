/* STEP files, through tenon-cad: tree of occurrences, solids with exact mass properties, and joints inferred from faces. */
#include "source.h"

#include "cad_parts.h"
#include "diag.h"
#include "entities.h"
#include "helper.h"
#include "step_references.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How a tree of occurrences is cut into rigid groups and subsystems. */
typedef struct step_tree {
    tn_machine *machine;
    const tn_cad_tree *tree;
    const char **path;         /* by occurrence, unique */
    bool *open;                /* by occurrence: an assembly that moves in itself */
    int *part;                 /* by occurrence: the subsystem of an open one, -1 for the model itself */
    int *first;                /* by occurrence: the first body of a rigid group, 0: none yet */
} step_tree;

/* The outermost rigid thing that an occurrence is in: everything in it is one body. */
static int rigid_top(const step_tree *t, int occurrence)
{
    int at = occurrence;
    for (int above = occurrence; above >= 0; above = t->tree->occurrences[above].parent)
        if (!t->open[above])
            at = above;
    return at;
}

/* The subsystem that a rigid group is in. */
static int part_of_group(const step_tree *t, int top)
{
    int above = t->tree->occurrences[top].parent;
    return above < 0 ? -1 : t->part[above];
}

/* The only child of an occurrence; -1: there are several or none. */
static int only_child(const tn_cad_tree *tree, int occurrence)
{
    int child = -1;
    for (size_t i = 0; i < tree->occurrence_count; i++)
        if (tree->occurrences[i].parent == occurrence) {
            if (child >= 0)
                return -1;
            child = (int)i;
        }
    return child;
}

/* The assembly of the file, and shells around it that hold nothing else, are the model itself. */
static void open_root(step_tree *t)
{
    int at = only_child(t->tree, -1);
    for (; at >= 0 && t->tree->occurrences[at].part < 0; at = only_child(t->tree, at))
        t->open[at] = true;
}

/* Sub-assemblies are rigid unless decided otherwise; open ones are subsystems. Parents stand before their children. */
static void cut_tree(step_tree *t)
{
    open_root(t);
    for (size_t i = 0; i < t->tree->occurrence_count; i++) {
        const tn_cad_occurrence *o = &t->tree->occurrences[i];
        int above = o->parent;
        t->part[i] = above < 0 ? -1 : t->part[above];
        if (o->part >= 0 || t->open[i] || (above >= 0 && !t->open[above]))
            continue;
        const char *name = strrchr(t->path[i], '/') ? strrchr(t->path[i], '/') + 1 : t->path[i];
        t->open[i] = !tn_machine_add_assembly(t->machine, t->path[i], name, true);
        if (t->open[i])
            t->part[i] = tn_machine_add_part(t->machine, name, t->part[i], &o->pose);
    }
}

static const char *occurrence_name(const tn_cad_tree *tree, int occurrence)
{
    const tn_cad_occurrence *o = &tree->occurrences[occurrence];
    return o->name[0] ? o->name : o->part >= 0 && tree->parts[o->part].name[0] ? tree->parts[o->part].name : "part";
}

/* Paths that occur several times get a number. */
static const char *unique_path(tn_machine *machine, tn_name_index *paths, const char *path, int value)
{
    const char *wish = path;
    for (int number = 2; !tn_index_put(paths, wish, value); number++)
        wish = tn_machine_text(machine, "%s#%d", path, number);
    return wish;
}

/* Paths of all occurrences, from the root down. */
static int name_paths(step_tree *t)
{
    tn_name_index *paths = NULL;
    TN_TRY(tn_index_create(&paths, t->machine));
    for (size_t i = 0; i < t->tree->occurrence_count; i++) {
        int above = t->tree->occurrences[i].parent;
        const char *name = occurrence_name(t->tree, (int)i);
        t->path[i] = unique_path(t->machine, paths, above < 0 ? name : tn_machine_text(t->machine, "%s/%s", t->path[above], name),
                                 (int)i);
        TN_TRY(tn_machine_status(t->machine));
    }
    return TN_OK;
}

static int begin_tree(step_tree *t)
{
    size_t count = t->tree->occurrence_count + 1;
    t->path = tn_arena_alloc(t->machine->arena, count, sizeof *t->path);
    t->open = tn_arena_alloc(t->machine->arena, count, sizeof *t->open);
    t->part = tn_arena_alloc(t->machine->arena, count, sizeof *t->part);
    t->first = tn_arena_alloc(t->machine->arena, count, sizeof *t->first);
    if (!t->path || !t->open || !t->part || !t->first)
        return TN_ERROR_MEMORY;
    TN_TRY(name_paths(t));
    cut_tree(t);
    return tn_machine_status(t->machine);
}

/* Fixes a body to the first of its rigid group. */
static int fix_in_group(tn_machine *machine, int first, int body)
{
    int index = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_rigid", machine->bodies[body].name), "fixed", first, body,
                                     machine->bodies[body].place);
    TN_TRY(tn_machine_status(machine));
    machine->joints[index].source = "sub-assembly, rigid by default";
    machine->joints[index].frame1 = tn_pose_relative(&machine->bodies[first].pose, &machine->bodies[body].pose);
    return TN_OK;
}

/* Bodies of all occurrences of parts; those of one rigid group are fixed to its first. */
static int make_bodies(step_tree *t, tn_cad_body *bodies, size_t *count, tn_span place)
{
    tn_machine *machine = t->machine;
    tn_pose none = tn_pose_identity();
    for (size_t i = 0; i < t->tree->occurrence_count; i++) {
        const tn_cad_occurrence *o = &t->tree->occurrences[i];
        if (o->part < 0)
            continue;
        const char *slash = strrchr(t->path[i], '/');
        int body = tn_machine_add_body(machine, slash ? slash + 1 : t->path[i], place), top = rigid_top(t, (int)i);
        TN_TRY(tn_machine_status(machine));
        machine->bodies[body].path = t->path[i];
        machine->bodies[body].pose = o->pose;
        machine->bodies[body].part = part_of_group(t, top);
        tn_cad_mass(machine, body, &t->tree->parts[o->part], &none);
        tn_cad_shape(machine, body, &t->tree->parts[o->part], &none);
        if (t->first[top] == 0)
            t->first[top] = body;
        else
            TN_TRY(fix_in_group(machine, t->first[top], body));
        bodies[(*count)++] = (tn_cad_body){ body, &t->tree->parts[o->part], t->first[top], machine->bodies[body].name };
    }
    return tn_machine_status(machine);
}

/* The heaviest group holds the others. */
static void hold_base(tn_machine *machine, const tn_cad_body *bodies, size_t count)
{
    double best = -1;
    int base = -1;
    bool alone = machine->options->base == TN_BASE_AUTO;       /* one part that holds nothing is free, as a mesh is */
    for (size_t i = 0; i < count; i++)
        alone = alone && bodies[i].group == bodies[0].group;
    for (size_t i = 0; i < count && !alone && machine->options->base != TN_BASE_FREE; i++) {
        double mass = 0;
        for (size_t k = 0; k < count; k++)
            mass += bodies[k].group == bodies[i].group ? machine->bodies[bodies[k].body].mass : 0;
        if (mass > best * (1 + 1e-9)) {
            best = mass;
            base = bodies[i].group;
        }
    }
    if (base < 0)
        return;
    int index = tn_machine_add_joint(machine, "base", "fixed", TN_GROUND, base, machine->bodies[base].place);
    if (tn_machine_status(machine) < 0)
        return;
    machine->joints[index].source = "base";
    machine->joints[index].frame1 = machine->bodies[base].pose;
    tn_machine_note_add(machine, TN_NOTE, machine->bodies[base].place, "STEP says nothing about what stands still: '%s', the "
                        "heaviest, is fixed to ground; --base=free lets it move", machine->bodies[base].path);
}

/* How many joints would be found inside a rigid sub-assembly, were it flexible: those joints are taken back again. */
static int look_inside(tn_machine *machine, tn_machine_assembly *assembly, const tn_cad_body *bodies, size_t count,
                       tn_cad_body *inside)
{
    size_t length = strlen(assembly->path), found = 0, before = machine->joint_count;
    for (size_t i = 0; i < count; i++) {
        const char *path = machine->bodies[bodies[i].body].path;
        if (strncmp(path, assembly->path, length) != 0 || path[length] != '/')
            continue;
        inside[found] = bodies[i];
        inside[found++].group = bodies[i].body;
    }
    TN_TRY(tn_cad_infer(machine, inside, found));
    assembly->proposals = 0;
    for (size_t i = before; i < machine->joint_count; i++)
        assembly->proposals += strcmp(machine->joints[i].type, "fixed") != 0 &&
                               machine->joints[i].confidence >= machine->options->confidence;
    machine->joint_count = before;
    return TN_OK;
}

static int look_inside_all(tn_machine *machine, const tn_cad_body *bodies, size_t count, tn_span place)
{
    tn_cad_body *inside = tn_arena_alloc(machine->arena, count + 1, sizeof *inside);
    if (!inside)
        return TN_ERROR_MEMORY;
    for (size_t i = 0; i < machine->assembly_count; i++) {
        tn_machine_assembly *assembly = &machine->assemblies[i];
        if (!assembly->rigid)
            continue;
        TN_TRY(look_inside(machine, assembly, bodies, count, inside));
        if (assembly->proposals > 0)
            tn_machine_note_add(machine, TN_NOTE, place, "sub-assembly '%s' is one rigid body; its faces look like %d joint%s "
                                "inside: --flexible '%s' lets it move in itself", assembly->path, assembly->proposals,
                                assembly->proposals == 1 ? "" : "s", assembly->path);
    }
    return TN_OK;
}

static int read_answer(tn_machine *machine, char *answer, const char *folder, tn_span place)
{
    tn_cad_tree tree;
    size_t count = 0;
    TN_TRY(tn_cad_parse(&tree, machine, answer, folder, place));
    tn_cad_body *bodies = tn_arena_alloc(machine->arena, tree.occurrence_count + 1, sizeof *bodies);
    if (!bodies)
        return TN_ERROR_MEMORY;
    step_tree cut = { .machine = machine, .tree = &tree };
    TN_TRY(begin_tree(&cut));
    TN_TRY(make_bodies(&cut, bodies, &count, place));
    if (count == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, place, "there are no parts in the file");
    hold_base(machine, bodies, count);
    tn_machine_note_add(machine, TN_NOTE, place, "joints are inferred from faces that meet: those with a confidence below %g are "
                        "proposals (--accept NAME uses one, --reject NAME leaves one out)", machine->options->confidence);
    TN_TRY(tn_cad_infer(machine, bodies, count));
    return look_inside_all(machine, bodies, count, place);
}

static int read_step(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    char folder[PATH_MAX] = "", *answer = NULL;
    tn_span place = { files->main, 0, 0 };
    (void)size;
    const char *slash = strrchr(files->main, '/');
    const char *name = slash ? slash + 1 : files->main;
    machine->name = tn_arena_strndup(machine->arena, name, strcspn(name, "."));
    machine->gravity[2] = -9.81;
    TN_TRY(tn_step_references(machine, files, data));
    /* Open CASCADE finds other files only from an absolute path. */
    int code = tn_helper_ask(&answer, folder, machine, "step", tn_machine_text(machine, "%s/%s", files->folder, name), place);
    if (code >= 0)
        code = read_answer(machine, answer, folder, place);
    tn_free(machine->context, answer);
    if (folder[0])
        tn_helper_answered(machine, folder);
    return code;
}

static bool is_step(const char *data, size_t size)
{
    return size > 13 && strncmp(data, "ISO-10303-21;", 13) == 0;
}

const tn_importer tn_importer_step = {
    .name = "step",
    .endings = ".step .stp .p21",
    .doc = "STEP (AP203, AP214, AP242)",
    .recognises = is_step,
    .read = read_step,
};
