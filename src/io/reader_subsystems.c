/* Reads subsystems and ports: a file within a model. The file is read like any other, with its own parameters; only its
 * names get a path and its poses are relative to the subsystem's frame. */
#include "file.h"
#include "fmi_ports.h"
#include "tenon/library.h"
#include "reader.h"
#include "replacement.h"
#include "tables.h"
#include <string.h>

/* ---- names ---- */

const char *tn_read_path(tn_reader *r, const char *name)
{
    if (r->prefix == NULL)
        return name;
    size_t size = strlen(r->prefix) + strlen(name) + 2;
    char *path = tn_arena_alloc(r->arena, size, 1);
    if (path == NULL)
        r->stop = TN_ERROR_MEMORY;
    else
        snprintf(path, size, "%s.%s", r->prefix, name);
    return path;
}

tn_id tn_read_find(const tn_reader *r, const char *path)
{
    char full[TN_PATH_SIZE];
    if (r->prefix == NULL || strcmp(path, "ground") == 0)
        return tn_model_find(r->model, path);
    return tn_path_in(full, r->prefix, strlen(r->prefix), path) ? tn_model_find(r->model, full) : (tn_id){ 0 };
}

/* "mount, wheel" */
static const char *port_names(const tn_subsystem *subsystem, char *buffer, size_t size)
{
    size_t used = 0;
    snprintf(buffer, size, "it has none");
    for (size_t k = 0; k < subsystem->port_count && used < size; k++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", k > 0 ? ", " : "", subsystem->ports[k].name);
    return buffer;
}

bool tn_read_is_open(tn_reader *r, const tn_node *node, const char *path)
{
    char names[300];
    const char *full = tn_read_path(r, path);
    if (full == NULL)
        return false;
    tn_id closed = tn_model_closed_to(r->model, full, r->prefix);
    if (closed.kind == TN_KIND_NONE)
        return true;
    const tn_subsystem *subsystem = &r->model->subsystems[closed.index];
    tn_read_error(r, node->span, "'%s' is inside the closed subsystem '%s': use one of its ports (%s)", path,
                  subsystem->entity.name, port_names(subsystem, names, sizeof names));
    return false;
}

/* ---- ports ---- */

/* A port may have the name of something that goes when it is read. */
static bool free_name(tn_reader *r, const char *name)
{
    const char *path = r->replacement != NULL ? tn_read_path(r, name) : name;
    if (path == NULL)
        return false;
    return r->replacement == NULL || tn_read_ok(r, tn_replacement_free_name(r->replacement, path));
}

/* Nodes exist once devices are read: names that nothing has before that are left to this. */
void tn_read_node_ports(tn_reader *r, const tn_node *node)
{
    for (unsigned i = 0; node != NULL && node->kind == TN_NODE_MAP && i < node->count && r->stop == TN_OK; i++) {
        const tn_node *name = node->as.items[2 * i], *target = node->as.items[2 * i + 1];
        const tn_id id = target->kind == TN_NODE_TEXT ? tn_read_find(r, target->as.text) : (tn_id){ .kind = TN_KIND_BODY };
        tn_attachment place;
        if (id.kind == TN_KIND_BODY || id.kind == TN_KIND_FRAME)
            continue;
        if (id.kind != TN_KIND_FORCE)
            tn_read_attachment(r, target, name->as.text, &place);      /* tells what is wrong */
        else if (r->prefix != NULL && free_name(r, name->as.text))
            tn_read_ok(r, tn_model_add_port_at(r->model, r->subsystem, name->as.text, id, name->span));
    }
}

void tn_read_ports(tn_reader *r, const tn_node *node)
{
    if (!tn_read_is_map(r, node, "ports"))
        return;
    for (unsigned i = 0; i < node->count && r->stop == TN_OK; i++) {
        const tn_node *name = node->as.items[2 * i], *target = node->as.items[2 * i + 1];
        const char *path = tn_read_text(r, target, name->as.text);
        tn_attachment place;
        if (path == NULL || tn_read_find(r, path).kind == TN_KIND_NONE || !tn_read_attachment(r, target, name->as.text, &place) ||
            r->prefix == NULL)
            continue;
        tn_id id = tn_read_find(r, path);
        if (free_name(r, name->as.text))
            tn_read_ok(r, tn_model_add_port_at(r->model, r->subsystem, name->as.text, id, name->span));
    }
}

/* ---- settings ---- */

static tn_solve settings_of(const tn_subsystem *subsystem)
{
    return subsystem->solve != NULL ? *subsystem->solve : tn_solve_default();
}

static bool set_solve(tn_reader *r, tn_id id, const tn_solve *solve, tn_span span)
{
    return tn_read_ok(r, tn_subsystem_set_solve(&r->model->subsystems[id.index], r->model->arena, solve, span));
}

static bool read_settings(tn_reader *r, tn_id id, const tn_node *node)
{
    tn_solve solve = settings_of(&r->model->subsystems[id.index]);
    return tn_read_solve_settings(r, node, &solve) && set_solve(r, id, &solve, node->span);
}

/* Adds the keys of a map, "step solver ", to those that were said from outside. */
static void note_keys(tn_reader *r, tn_subsystem *subsystem, const tn_node *map)
{
    size_t size = 1 + (subsystem->solve_keys != NULL ? strlen(subsystem->solve_keys) : 0), used = 0;
    for (unsigned i = 0; i < map->count; i++)
        size += strlen(map->as.items[2 * i]->as.text) + 1;
    char *keys = tn_arena_alloc(r->model->arena, size, 1);
    if (keys == NULL) {
        r->stop = TN_ERROR_MEMORY;
        return;
    }
    used = (size_t)snprintf(keys, size, "%s", subsystem->solve_keys != NULL ? subsystem->solve_keys : "");
    for (unsigned i = 0; i < map->count; i++)
        used += (size_t)snprintf(keys + used, size - used, "%s ", map->as.items[2 * i]->as.text);
    subsystem->solve_keys = keys;
}

void tn_read_solve_of(tn_reader *r, tn_id id, const tn_node *node)
{
    if (node != NULL && r->model->subsystems[id.index].type != NULL)
        tn_read_error(r, node->span, "a component takes its steps as its library was made to: 'solve' is for "
                      "subsystems in files; compile the component with these settings");
    else if (read_settings(r, id, node))
        note_keys(r, &r->model->subsystems[id.index], node);
}

void tn_read_own_solve(tn_reader *r, const tn_node *node)
{
    read_settings(r, r->subsystem, node);
}

/* Applies settings that were given to the old subsystem from outside over the new file; a library has its own. */
static void keep_solve(tn_reader *r, tn_id id, const tn_subsystem *old)
{
    tn_subsystem *subsystem = &r->model->subsystems[id.index];
    if (old->solve_keys == NULL || subsystem->type != NULL)
        return;
    tn_solve solve = settings_of(subsystem);
    tn_solve_take(&solve, old->solve, old->solve_keys);
    if (set_solve(r, id, &solve, old->solve_span))
        r->model->subsystems[id.index].solve_keys = old->solve_keys;
}

/* ---- the file ---- */

/* A planar file cannot be part of a spatial model. */
static void check_dimension(tn_reader *r)
{
    const tn_key *key = &tn_section_top.keys[TOP_DIMENSION];
    for (size_t i = 0; i < r->document_count; i++) {
        const tn_node *node = r->documents[i].values[TOP_DIMENSION];
        int choice = tn_read_choice(r, node, key, r->model->dimension - 2);
        if (choice != r->model->dimension - 2)
            tn_read_error(r, node->span, "'dimension' is %d, and %d in what uses this file", choice + 2,
                          r->model->dimension);
    }
}

static void read_closed(tn_reader *r)
{
    const tn_key *key = &tn_section_top.keys[TOP_CLOSED];
    bool closed = false;
    for (size_t i = 0; i < r->document_count; i++)
        closed = tn_read_switch(r, r->documents[i].values[TOP_CLOSED], key, closed);
    r->model->subsystems[r->subsystem.index].closed = closed;
}

static int read_used(tn_reader *r, tn_span span, const tn_file_chain *here)
{
    TN_TRY(tn_load_used(r, span, here));
    if (r->incomplete)
        return TN_OK;
    check_dimension(r);
    tn_read_parameters(r);
    if (r->stop != TN_OK)
        return r->stop;
    r->what = r->name = NULL;
    read_closed(r);
    const size_t before = r->errors;
    tn_read_contents(r);
    if (r->errors == before)
        tn_read_check_given_variants(r);
    return r->stop;
}

static bool is_identity(const tn_pose *pose)
{
    const tn_pose identity = tn_pose_identity();
    return memcmp(pose, &identity, sizeof identity) == 0;
}

/* Reads the file as what the entity stands for. */
static void read_inside(tn_reader *r, tn_id id, tn_span span, const tn_file_chain *here, const tn_node *parameters)
{
    const tn_pose world = r->model->subsystems[id.index].world;
    tn_reader inner = *r;
    inner.outer = r;
    inner.prefix = r->model->subsystems[id.index].entity.name;
    inner.subsystem = id;
    inner.pose = is_identity(&world) ? NULL : &world;
    inner.given_parameters = parameters;
    inner.documents = NULL;
    inner.loaded = NULL;
    inner.parameters = NULL;
    inner.by_name = NULL;
    inner.evaluating = NULL;
    inner.variants = NULL;
    inner.document_count = inner.document_capacity = inner.loaded_count = inner.loaded_capacity = 0;
    inner.parameter_count = inner.parameter_capacity = 0;
    inner.replacing = false;
    int code = read_used(&inner, span, here);
    tn_free(r->context, inner.documents);
    tn_free(r->context, inner.loaded);
    tn_free(r->context, inner.parameters);
    r->errors = inner.errors;
    r->node_budget = inner.node_budget;
    r->incomplete |= inner.incomplete;
    r->stop = code < 0 ? code : inner.stop;
}

/* ---- the entry ---- */

/* The entity: a new one, or the one that is there when it is replaced. */
static bool put_reader_subsystems(tn_reader *r, const tn_node *name, const tn_subsystem_def *def, bool enabled, tn_id *id)
{
    tn_id old = tn_model_find(r->model, r->name);
    bool there = old.kind == TN_KIND_SUBSYSTEM && (r->replacing || r->replacement != NULL);
    if (there && r->replacement != NULL && !tn_replacement_takes(r->replacement, old))
        there = false;
    *id = old;
    bool good = tn_read_ok(r, there ? tn_model_reset_subsystem(r->model, old, def, name->span)
                                    : tn_model_add_subsystem_at(id, r->model, r->name, def, name->span));
    if (good && !there && r->replacement != NULL)
        tn_replacement_new(r->replacement, r->name);
    return good && tn_read_ok(r, tn_model_set_enabled(r->model, *id, enabled));
}

/* The data from which a definition is read. */
typedef struct entry {
    const tn_node *name, *use;
    const tn_node *const *values;
    const tn_file_chain *file;
    tn_library *library;           /* in place of the file; NULL: none */
    tn_fmi_ports *fmu;             /* the same */
    char mirror;                   /* 'x', 'y', 'z'; 0: none */
    const tn_subsystem *old;       /* what it takes the place of; NULL: nothing */
} entry;

static char read_mirror(tn_reader *r, const tn_node *node)
{
    int choice = tn_read_choice(r, node, &tn_section_subsystem.keys[SUBSYSTEM_MIRROR], 0);
    return choice > 0 ? (char)('x' + choice - 1) : 0;
}

/* Where 'mirror' stands, or what it is kept from. */
static void mirror(tn_reader *r, tn_id id, const entry *e)
{
    const tn_node *node = e->values[SUBSYSTEM_MIRROR] != NULL ? e->values[SUBSYSTEM_MIRROR] : e->use;
    if (e->library != NULL)
        tn_read_error(r, node->span, "a library has no mirror image: compile a file that uses the mirrored subsystem");
    else if (e->fmu != NULL)
        tn_read_error(r, node->span, "an FMU has no mirror image");
    else if (r->model->dimension == 2 && e->mirror == 'z')
        tn_read_error(r, node->span, "'mirror' is z, must be x or y in a planar model");
    else
        tn_read_ok(r, tn_model_mirror(r->model, id, e->mirror));
}

static void read_entry(tn_reader *r, const entry *e, const tn_subsystem_def *def)
{
    const tn_node *const *values = e->values;
    bool enabled = tn_read_switch(r, values[SUBSYSTEM_ENABLED], &tn_section_subsystem.keys[SUBSYSTEM_ENABLED], true);
    size_t before = r->errors;
    tn_id id;
    if (!put_reader_subsystems(r, e->name, def, enabled, &id))
        return;
    if (e->library != NULL)
        tn_read_component(r, id, e->library, values[SUBSYSTEM_PARAMETERS]);
    else if (e->fmu != NULL)
        tn_read_fmu_component(r, id, e->fmu);
    else
        read_inside(r, id, e->use->span, e->file, values[SUBSYSTEM_PARAMETERS]);
    if (r->stop == TN_OK && values[SUBSYSTEM_SOLVE] == NULL && e->old != NULL)
        keep_solve(r, id, e->old);
    else if (r->stop == TN_OK)
        tn_read_solve_of(r, id, values[SUBSYSTEM_SOLVE]);
    if (r->stop == TN_OK && r->errors == before && e->mirror != 0)
        mirror(r, id, e);
}

/* A subsystem around it whose mirror it is in. */
static const char *mirror_around(const tn_model *model, tn_id id)
{
    for (id = tn_model_owner(model, id); id.kind != TN_KIND_NONE; id = tn_model_owner(model, id))
        if (model->subsystems[id.index].mirror != 0)
            return model->subsystems[id.index].entity.name;
    return NULL;
}

/* Replaces an existing subsystem: common entities keep their state, attachments to ports stay. Pose, mirror and
 * settings stay, too, unless the command gives them. */
static void replace_entry(tn_reader *r, const entry *given_entry, const tn_subsystem_def *given)
{
    tn_subsystem_def def = *given;
    entry made = *given_entry, *e = &made;
    tn_id old = tn_model_find(r->model, r->name);
    if (old.kind != TN_KIND_SUBSYSTEM) {
        tn_read_error(r, e->name->span, "there is no such subsystem to replace");
        return;
    }
    bool placed = e->values[SUBSYSTEM_AT] != NULL || e->values[SUBSYSTEM_ANGLE] != NULL ||
                  e->values[SUBSYSTEM_ROTATION] != NULL;
    const tn_subsystem before_it = r->model->subsystems[old.index];
    const char *outer = mirror_around(r->model, old);
    if (outer != NULL) {
        tn_read_error(r, e->name->span, "it is in the mirrored subsystem '%s': replace that as a whole", outer);
        return;
    }
    e->old = &before_it;
    if (!placed)
        def.pose = before_it.pose;
    if (e->values[SUBSYSTEM_MIRROR] == NULL)
        e->mirror = before_it.mirror;
    const char *name = r->name;
    size_t before = r->errors;
    tn_replacement replacement;
    if (tn_read_ok(r, tn_replacement_begin(&replacement, r->model, old))) {
        r->replacement = &replacement;
        read_entry(r, e, &def);
        r->replacement = NULL;
        r->name = name;
        if (r->stop == TN_OK && r->errors == before)
            tn_replacement_finish(&replacement, r, e->use->span);
    }
    tn_replacement_end(&replacement);
}

void tn_read_subsystem(tn_reader *r, const tn_node *name, const tn_node *node)
{
    const tn_key *keys = tn_section_subsystem.keys;
    const tn_node *values[TN_MAX_KEYS];
    const char *what = r->what, *path = r->name;
    tn_subsystem_def def = tn_subsystem_default();
    size_t before = r->errors;
    if (!tn_read_keys(r, node, &tn_section_subsystem, values, NULL, 0, NULL))
        return;
    const char *file = tn_read_text(r, values[SUBSYSTEM_USE], "use");
    if (values[SUBSYSTEM_USE] == NULL)
        tn_read_error(r, node->span, "'use' is missing: the file of the subsystem");
    tn_read_pose(r, &values[SUBSYSTEM_AT], &keys[SUBSYSTEM_AT], &def.pose);
    char reversed = read_mirror(r, values[SUBSYSTEM_MIRROR]);
    bool isolate = tn_read_switch(r, values[SUBSYSTEM_ISOLATE], &keys[SUBSYSTEM_ISOLATE], false);
    if (isolate && file != NULL && !tn_read_is_library(file) && !tn_read_is_fmu(file))
        tn_read_error(r, values[SUBSYSTEM_ISOLATE]->span, "'isolate' is for libraries (.so): a model file has no code of its "
                      "own; 'tenon compile' makes a library of it");
    bool address = file != NULL && tn_library_is_address(file);
    def.file = file != NULL ? tn_path_join(r->model->arena, address ? "" : r->folder, file) : NULL;
    if (values[SUBSYSTEM_PORTS] != NULL && file != NULL && !tn_read_is_fmu(file))
        tn_read_error(r, values[SUBSYSTEM_PORTS]->span, "'ports' is for FMUs (.fmu): those of a file stand in that file");
    if (file == NULL || r->errors != before || r->stop != TN_OK)
        return;
    entry e = { .name = name, .use = values[SUBSYSTEM_USE], .values = values, .mirror = reversed };
    if (def.file == NULL)
        r->stop = TN_ERROR_MEMORY;
    else if (tn_read_is_library(file))
        e.library = tn_read_library(r, def.file, e.use->span, isolate);
    else if (tn_read_is_fmu(file))
        e.fmu = tn_read_fmu_ports(r, e.use, values[SUBSYSTEM_PARAMETERS], values[SUBSYSTEM_PORTS]);
    else
        e.file = tn_load_follow(r, e.use, def.file);
    if (e.file != NULL || e.library != NULL || e.fmu != NULL)
        (r->replacing ? replace_entry : read_entry)(r, &e, &def);
    tn_library_release(e.library);
    tn_fmi_ports_release(e.fmu);
    r->what = what;
    r->name = path;
}
