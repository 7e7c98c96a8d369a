/* STEP files, through tenon-cad: tree of occurrences, solids with exact mass properties, and joints inferred from faces. */
#include "source.h"

#include "cad_parts.h"
#include "diag.h"
#include "entities.h"
#include "helper.h"

#include <stdlib.h>
#include <string.h>

/* Everything of the first level of the tree below the root is one rigid body: sub-assemblies are rigid by default. */
static int top_level(const tn_cad_tree *tree, int occurrence, int roots)
{
    int at = occurrence, below = occurrence;
    while (tree->occurrences[at].parent >= 0) {
        below = at;
        at = tree->occurrences[at].parent;
    }
    return roots > 1 ? at : below;
}

static const char *path_of(tn_machine *machine, const tn_cad_tree *tree, int occurrence)
{
    const tn_cad_occurrence *o = &tree->occurrences[occurrence];
    const char *name = o->name[0] ? o->name : o->part >= 0 && tree->parts[o->part].name[0] ? tree->parts[o->part].name : "part";
    if (o->parent < 0)
        return name;
    const char *above = path_of(machine, tree, o->parent);
    return tn_machine_text(machine, "%s/%s", above, name);
}

/* Paths that occur several times get a number. */
static const char *unique_path(tn_machine *machine, tn_name_index *paths, const char *path, int value)
{
    const char *wish = path;
    for (int number = 2; !tn_index_put(paths, wish, value); number++)
        wish = tn_machine_text(machine, "%s#%d", path, number);
    return wish;
}

static const char *last_word(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Bodies of all occurrences of parts; those of one sub-assembly are fixed to its first. */
static int make_bodies(tn_machine *machine, const tn_cad_tree *tree, tn_cad_body *bodies, size_t *count, tn_span place)
{
    int roots = 0, *first = tn_arena_alloc(machine->arena, tree->occurrence_count + 1, sizeof *first);
    tn_name_index *paths = NULL;
    tn_pose none = tn_pose_identity();
    if (!first)
        return TN_ERROR_MEMORY;
    TN_TRY(tn_index_create(&paths, machine));
    for (size_t i = 0; i < tree->occurrence_count; i++)
        roots += tree->occurrences[i].parent < 0;
    for (size_t i = 0; i < tree->occurrence_count; i++) {
        const tn_cad_occurrence *o = &tree->occurrences[i];
        if (o->part < 0)
            continue;
        const char *path = unique_path(machine, paths, path_of(machine, tree, (int)i), (int)i);
        int body = tn_machine_add_body(machine, last_word(path), place);
        TN_TRY(tn_machine_status(machine));
        machine->bodies[body].path = path;
        machine->bodies[body].pose = o->pose;
        tn_cad_mass(machine, body, &tree->parts[o->part], &none);
        tn_cad_shape(machine, body, &tree->parts[o->part], &none);
        int top = top_level(tree, (int)i, roots);
        if (first[top] == 0) {
            first[top] = body;
        } else {
            int index = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_rigid", machine->bodies[body].name), "fixed",
                                             first[top], body, place);
            TN_TRY(tn_machine_status(machine));
            machine->joints[index].source = "sub-assembly, rigid by default";
            machine->joints[index].frame1 = tn_pose_relative(&machine->bodies[first[top]].pose, &machine->bodies[body].pose);
        }
        bodies[(*count)++] = (tn_cad_body){ body, &tree->parts[o->part], first[top], machine->bodies[body].name };
    }
    return tn_machine_status(machine);
}

/* The heaviest group holds the others. */
static void hold_base(tn_machine *machine, const tn_cad_body *bodies, size_t count)
{
    double best = -1;
    int base = -1;
    for (size_t i = 0; i < count && machine->options->base != TN_BASE_FREE; i++) {
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

static int read_answer(tn_machine *machine, char *answer, const char *folder, tn_span place)
{
    tn_cad_tree tree;
    size_t count = 0;
    TN_TRY(tn_cad_parse(&tree, machine, answer, folder, place));
    tn_cad_body *bodies = tn_arena_alloc(machine->arena, tree.occurrence_count + 1, sizeof *bodies);
    if (!bodies)
        return TN_ERROR_MEMORY;
    TN_TRY(make_bodies(machine, &tree, bodies, &count, place));
    if (count == 0)
        return tn_fail(machine->context, TN_ERROR_MODEL, place, "there are no parts in the file");
    hold_base(machine, bodies, count);
    tn_machine_note_add(machine, TN_NOTE, place, "joints are inferred from faces that meet: those with a confidence below %g are "
                        "proposals (--accept NAME uses one, --reject NAME leaves one out)", machine->options->confidence);
    return tn_cad_infer(machine, bodies, count);
}

static int read_step(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    char folder[64], *answer = NULL;
    tn_span place = { files->main, 0, 0 };
    (void)data, (void)size;
    const char *slash = strrchr(files->main, '/');
    const char *name = slash ? slash + 1 : files->main;
    machine->name = tn_arena_strndup(machine->arena, name, strcspn(name, "."));
    machine->gravity[2] = -9.81;
    TN_TRY(tn_helper_folder(folder, machine, place));
    int code = tn_helper_run(&answer, machine, (const char *const[]){ "step", files->main, folder, NULL }, place);
    if (code >= 0)
        code = read_answer(machine, answer, folder, place);
    tn_free(machine->context, answer);
    tn_helper_remove(folder);
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
