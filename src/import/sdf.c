/* SDFormat: models with links and joints as a graph, nested models, and poses relative to any named frame. */
#include "sdf_reader.h"
#include "mesh_file.h"
#include "solid_mass.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdlib.h>

/* "0 0 1 0 0 0", with degrees or as quaternion x y z w. */
static tn_pose read_pose(sdf_reader *r, const tn_xml *owner)
{
    const tn_xml *element = tn_xml_child(owner, "pose");
    tn_pose pose = tn_pose_identity();
    double v[7] = { 0 };
    const char *format = element ? tn_xml_get(element, "rotation_format") : NULL;
    if (!element || element->text[0] == 0)
        return pose;
    bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    tn_source_numbers(r->machine, v, quaternion ? 7 : 6, element->text, "<pose>", element->place);
    tn_copy3(pose.p, v);
    if (quaternion) {
        const double q[4] = { v[6], v[3], v[4], v[5] };
        memcpy(pose.q, q, sizeof q);
        tn_quat_normalize(pose.q);
    } else if (v[3] != 0 || v[4] != 0 || v[5] != 0) {
        double unit = tn_attribute_bool(element, "degrees", false) ? acos(-1.0) / 180 : 1;
        const double rpy[3] = { v[3] * unit, v[4] * unit, v[5] * unit };
        tn_euler_quat(pose.q, rpy, "XYZ");
    }
    return pose;
}

static const char *scoped(sdf_reader *r, const char *scope, const char *name)
{
    return scope[0] ? tn_machine_text(r->machine, "%s::%s", scope, name) : name;
}

/* ---- frames ---- */

static int add_entity(sdf_reader *r, sdf_kind kind, const char *scope, const char *name, const tn_xml *element,
                      const char *otherwise)
{
    const tn_xml *pose = tn_xml_child(element, "pose");
    const char *relative = pose ? tn_xml_get(pose, "relative_to") : NULL;
    if (pose && !relative)
        relative = tn_xml_get(pose, "frame");          /* of version 1.6 */
    const char *full = scoped(r, scope, name);
    if (r->entity_count == r->entity_capacity) {
        size_t more = r->entity_capacity ? 2 * r->entity_capacity : 64;
        sdf_entity *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return 0;
        }
        if (r->entity_count > 0)
            memcpy(list, r->entities, r->entity_count * sizeof *list);
        r->entities = list;
        r->entity_capacity = more;
    }
    int index = (int)r->entity_count++;
    r->entities[index] = (sdf_entity){ .kind = kind, .name = full, .scope = scope, .element = element, .body = -1, .joint = -1,
                                       .raw = read_pose(r, element),
                                       .relative = relative && relative[0] ? relative : otherwise };
    if (!tn_index_put(r->names, full, index))
        SDF_ERROR(r, element->place, "'%s' is there twice", full);
    return index;
}

/* The entity of a name as seen from a scope; -1: none. "" and "__model__" are the model itself. */
static int find_entity(sdf_reader *r, const char *scope, const char *name)
{
    if (name[0] == 0 || strcmp(name, "__model__") == 0)
        return scope[0] ? tn_index_find(r->names, scope) : -1;
    int found = tn_index_find(r->names, scoped(r, scope, name));
    return found >= 0 ? found : tn_index_find(r->names, name);
}

static int unknown_frame(sdf_reader *r, const tn_xml *element, const char *name)
{
    char hint[160];
    SDF_ERROR(r, element->place, "<%s>: there is no frame, link or joint '%s'%s", element->name, name,
              tn_index_hint(r->names, name, hint, sizeof hint));
    return -1;
}

/* The pose of an entity in the world. Frames may be relative to each other in any order, but not in a circle. */
static tn_pose resolve(sdf_reader *r, int index, int depth)
{
    enum { DEEPEST = 1000 };
    sdf_entity *e = &r->entities[index];
    if (e->state == SDF_RESOLVED)
        return e->world;
    if (e->state == SDF_BUSY || depth > DEEPEST) {
        SDF_ERROR(r, e->element->place, "'%s' is placed relative to itself", e->name);
        return tn_pose_identity();
    }
    e->state = SDF_BUSY;
    tn_pose base = tn_pose_identity();
    if (e->relative && strcmp(e->relative, "world") != 0) {
        int other = find_entity(r, e->scope, e->relative);
        if (other < 0)
            unknown_frame(r, e->element, e->relative);
        else
            base = resolve(r, other, depth + 1);
    }
    e = &r->entities[index];
    e->world = tn_pose_compose(&base, &e->raw);
    e->state = SDF_RESOLVED;
    return e->world;
}

/* The body that a link, frame, joint or model stands for. */
static int body_of(sdf_reader *r, int index, int depth)
{
    const sdf_entity *e = &r->entities[index];
    const char *name = NULL, *scope = e->scope;
    if (e->kind == SDF_LINK)
        return e->body;
    if (depth > 100)
        return -1;
    if (e->kind == SDF_JOINT) {
        name = tn_xml_child_text(e->element, "child");
    } else if (e->kind == SDF_FRAME) {
        name = tn_xml_get(e->element, "attached_to");
        if (!name || name[0] == 0)
            name = e->scope[0] ? "__model__" : "world";
    } else {
        const tn_xml *first = tn_xml_child(e->element, "link");
        name = tn_xml_get(e->element, "canonical_link");
        if (!name)
            name = first ? tn_xml_get(first, "name") : NULL;
        scope = e->name;
    }
    if (name && strcmp(name, "world") == 0)
        return TN_GROUND;
    int other = name ? find_entity(r, scope, name) : -1;
    return other < 0 ? -1 : body_of(r, other, depth + 1);
}

/* ---- links ---- */

static bool is_true(const char *text)
{
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

bool tn_sdf_is_static(const tn_xml *element)
{
    for (; element; element = element->parent)
        if (tn_xml_is(element, "model") && is_true(tn_xml_child_text(element, "static")))
            return true;
    return false;
}

static double child_number(sdf_reader *r, const tn_xml *element, const char *name, double otherwise)
{
    const tn_xml *child = tn_xml_child(element, name);
    if (child && child->text[0])
        tn_source_numbers(r->machine, &otherwise, 1, child->text, tn_machine_text(r->machine, "<%s>", name), child->place);
    return otherwise;
}

/* Volume and inertia of a collision's solid; false: none that is known. */
static bool measure_solid(sdf_reader *r, const tn_xml *solid, tn_solid *out)
{
    const tn_xml *edges = tn_xml_child(solid, tn_xml_is(solid, "ellipsoid") ? "radii" : "size"), *scale = tn_xml_child(solid, "scale");
    double size[3] = { 0 }, scales[3] = { 1, 1, 1 };
    if (!solid || tn_xml_is(solid, "empty") || tn_xml_is(solid, "plane"))
        return false;
    if (tn_xml_is(solid, "mesh")) {
        const char *uri = tn_xml_child_text(solid, "uri");
        const char *path = uri ? tn_source_locate(r->files, tn_source_folder(r->files, solid->place), uri, solid->place) : NULL;
        tn_triangles triangles = { 0 };
        if (scale)
            tn_source_numbers(r->machine, scales, 3, scale->text, "<scale>", scale->place);
        bool good = path && tn_mesh_file_read(&triangles, r->machine, path, solid->place) &&
                    tn_triangles_moments(&out->volume, out->com, out->inertia, &triangles, scales);
        tn_triangles_free(&triangles);
        return good;
    }
    if (edges)
        tn_source_numbers(r->machine, size, 3, edges->text, "<size>", edges->place);
    bool box = tn_xml_is(solid, "box");
    for (int k = 0; box && k < 3; k++)
        size[k] *= 0.5;
    if (!edges) {
        size[0] = child_number(r, solid, "radius", 0);
        size[1] = 0.5 * child_number(r, solid, "length", 0);
    }
    return tn_solid_simple(out, solid->name, size[0], size[1], size[2]) && out->volume > 0;
}

/* Mass of the link from its collisions: their density, that of the link, or that of water; scaled where the mass is given.
 * False: there is none. */
static bool read_automatic(sdf_reader *r, const tn_xml *link, const tn_xml *inertial, int body)
{
    static const double WATER = 1000;          /* kg/m^3: the format's default */
    double density = child_number(r, inertial, "density", WATER), total = 0;
    for (int pass = 0; pass < 2; pass++) {     /* the first one weighs */
        double factor = pass > 0 ? child_number(r, inertial, "mass", total) / total : 1;
        for (const tn_xml *e = tn_xml_child(link, "collision"); e; e = tn_xml_next(e, "collision")) {
            tn_solid solid = { .volume = 0 };
            const tn_xml *shape = tn_xml_child(tn_xml_child(e, "geometry"), NULL);
            if (!measure_solid(r, shape, &solid)) {
                if (pass == 0 && shape && !tn_xml_is(shape, "empty"))
                    tn_machine_leave_out(r->machine, shape->place, "mass of a collision <%s>", shape->name);
                continue;
            }
            double weight = child_number(r, e, "density", density) * factor, tensor[6];
            tn_pose pose = read_pose(r, e);
            for (int k = 0; k < 6; k++)
                tensor[k] = solid.inertia[k] * weight;
            total += pass == 0 ? weight * solid.volume : 0;
            if (pass > 0)
                tn_body_add_mass(&r->machine->bodies[body], weight * solid.volume, &pose, solid.com, tensor);
        }
        if (!(total > 0))
            return false;
    }
    r->machine->bodies[body].mass_source = "collisions of the file";
    return true;
}

static void read_inertial(sdf_reader *r, const tn_xml *link, int body)
{
    static const double centre[3] = { 0, 0, 0 };
    static const char *const names[6] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
    const tn_xml *inertial = tn_xml_child(link, "inertial");
    double tensor[6] = { 1, 1, 1, 0, 0, 0 };
    tn_pose pose = inertial ? read_pose(r, inertial) : tn_pose_identity();
    double mass = inertial ? child_number(r, inertial, "mass", 1) : 1;
    const tn_xml *inertia = tn_xml_child(inertial, "inertia");
    for (int k = 0; inertia && k < 6; k++)
        tensor[k] = child_number(r, inertia, names[k], tensor[k]);
    if (!inertial && !tn_sdf_is_static(link))
        tn_machine_note_add(r->machine, TN_NOTE, link->place, "link '%s' has no <inertial>: SDFormat means 1 kg and 1 kg m^2",
                            r->machine->bodies[body].name);
    else if (inertial && tn_attribute_bool(inertial, "auto", false)) {
        if (read_automatic(r, link, inertial, body))
            return;
        tn_machine_note_add(r->machine, TN_WARNING, inertial->place, "link '%s' has automatic inertia, but no collision with a "
                            "volume: the values in the file count", r->machine->bodies[body].name);
    }
    r->machine->bodies[body].mass_source = inertial ? "inertial of the file" : "default of SDFormat";
    tn_body_add_mass(&r->machine->bodies[body], mass, &pose, centre, tensor);
}

static void read_mesh_shape(sdf_reader *r, const tn_xml *mesh, const tn_pose *pose, int body, bool collision)
{
    const char *uri = tn_xml_child_text(mesh, "uri");
    const char *path = uri ? tn_source_locate(r->files, tn_source_folder(r->files, mesh->place), uri, mesh->place) : NULL;
    if (!path)
        return;
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, TN_SHAPE_MESH);
    shape->mesh = path;
    shape->pose = *pose;
    shape->collision = collision;
    const tn_xml *scale = tn_xml_child(mesh, "scale");
    if (scale)
        tn_source_numbers(r->machine, shape->scale, 3, scale->text, "<scale>", scale->place);
}

/* The floor of a world: a half-space, where it is part of something static. */
static void read_plane(sdf_reader *r, const tn_xml *plane, const tn_pose *pose, int body, bool collision)
{
    double normal[3] = { 0, 0, 1 };
    static const double origin[3] = { 0, 0, 0 };
    const tn_xml *given = tn_xml_child(plane, "normal");
    if (given)
        tn_source_numbers(r->machine, normal, 3, given->text, "<normal>", given->place);
    if (!tn_sdf_is_static(plane) || !(tn_norm3(normal) > 0)) {
        tn_machine_leave_out(r->machine, plane->place, "shape <plane> of a body that moves");
        return;
    }
    tn_pose turn = tn_pose_z(origin, normal);
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, TN_SHAPE_HALF_SPACE);
    shape->pose = tn_pose_compose(pose, &turn);
    shape->collision = collision;
}

static void read_shape(sdf_reader *r, const tn_xml *element, int body, bool collision)
{
    const tn_xml *solid = tn_xml_child(tn_xml_child(element, "geometry"), NULL);
    tn_pose pose = read_pose(r, element);
    double size[3] = { 0 };
    if (!solid || tn_xml_is(solid, "empty"))
        return;
    if (tn_xml_is(solid, "mesh")) {
        read_mesh_shape(r, solid, &pose, body, collision);
        return;
    }
    if (tn_xml_is(solid, "plane")) {
        read_plane(r, solid, &pose, body, collision);
        return;
    }
    bool box = tn_xml_is(solid, "box"), sphere = tn_xml_is(solid, "sphere"), cylinder = tn_xml_is(solid, "cylinder");
    if (!box && !sphere && !cylinder && !tn_xml_is(solid, "capsule")) {
        tn_machine_leave_out(r->machine, solid->place, "shape <%s>", solid->name);
        return;
    }
    const tn_xml *edges = tn_xml_child(solid, "size");
    if (box && edges)
        tn_source_numbers(r->machine, size, 3, edges->text, "<size>", edges->place);
    if (!box) {
        size[0] = child_number(r, solid, "radius", 0);
        size[1] = child_number(r, solid, "length", 0);
    }
    if (size[0] <= 0 || (!sphere && size[1] <= 0) || (box && size[2] <= 0))
        return;
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, box ? TN_SHAPE_BOX : sphere ? TN_SHAPE_SPHERE
                                                   : cylinder ? TN_SHAPE_CYLINDER : TN_SHAPE_CAPSULE);
    shape->pose = pose;
    shape->collision = collision;
    memcpy(shape->size, size, sizeof size);
}

static void read_link(sdf_reader *r, const tn_xml *link, const char *scope, const char *short_scope)
{
    const char *name = tn_xml_get(link, "name");
    if (!name) {
        SDF_ERROR(r, link->place, "<link> without a name");
        return;
    }
    int index = add_entity(r, SDF_LINK, scope, name, link, "__model__");
    int body = tn_machine_add_body(r->machine, short_scope[0] ? tn_machine_text(r->machine, "%s_%s", short_scope, name)
                                                              : name, link->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    r->machine->bodies[body].path = r->entities[index].name;
    r->entities[index].body = body;
    read_inertial(r, link, body);
    for (const tn_xml *e = link->first; e; e = e->next) {
        if (tn_xml_is(e, "visual") || tn_xml_is(e, "collision"))
            read_shape(r, e, body, tn_xml_is(e, "collision"));
        else if (tn_xml_is(e, "gravity") && strcmp(e->text, "0") != 0 && strcmp(e->text, "false") != 0)
            continue;
        else if (!tn_xml_is(e, "pose") && !tn_xml_is(e, "inertial") && !tn_xml_is(e, "self_collide") &&
                 !tn_xml_is(e, "velocity_decay") && !tn_xml_is(e, "enable_wind") && !tn_xml_is(e, "kinematic"))
            tn_machine_leave_out(r->machine, e->place, "<%s> of links", e->name);
    }
}

/* ---- models ---- */

/* Names of everything in a model; joints are made later, when all frames are known. */
static void read_model_entities(sdf_reader *r, const tn_xml *model, const char *scope, const char *short_scope, int depth)
{
    const char *name = tn_xml_get(model, "name");
    enum { DEEPEST = 50 };
    if (!name || depth > DEEPEST) {
        SDF_ERROR(r, model->place, name ? "models are nested more than 50 deep" : "<model> without a name");
        return;
    }
    add_entity(r, SDF_MODEL, scope, name, model, scope[0] ? "__model__" : NULL);
    const char *own = scoped(r, scope, name);
    if (tn_xml_get(model, "placement_frame"))
        tn_machine_leave_out(r->machine, model->place, "placement_frame");
    for (const tn_xml *e = model->first; e; e = e->next) {
        const char *inner = tn_xml_get(e, "name");
        if (tn_xml_is(e, "link"))
            read_link(r, e, own, short_scope);
        else if (tn_xml_is(e, "joint") && inner)
            add_entity(r, SDF_JOINT, own, inner, e, tn_xml_child_text(e, "child"));
        else if (tn_xml_is(e, "frame") && inner) {
            const char *to = tn_xml_get(e, "attached_to");
            add_entity(r, SDF_FRAME, own, inner, e, to && to[0] ? to : "__model__");
        } else if (tn_xml_is(e, "model"))
            read_model_entities(r, e, own, inner ? inner : "", depth + 1);
        else if (!tn_xml_is(e, "pose") && !tn_xml_is(e, "static") && !tn_xml_is(e, "self_collide") &&
                 !tn_xml_is(e, "allow_auto_disable") && !tn_xml_is(e, "enable_wind") && !tn_xml_is(e, "include") &&
                 !tn_xml_is(e, "replaced"))
            tn_machine_leave_out(r->machine, e->place, "<%s>", e->name);
    }
}

static void fix_to_ground(sdf_reader *r, int body, const char *source)
{
    tn_machine *machine = r->machine;
    int joint = tn_machine_add_joint(machine, tn_machine_text(machine, "%s_base", machine->bodies[body].name), "fixed",
                                     TN_GROUND, body, machine->bodies[body].place);
    if (tn_machine_status(machine) < 0)
        return;
    machine->joints[joint].frame1 = machine->bodies[body].pose;
    machine->joints[joint].source = source;
}

/* Static models, and with a fixed base the first link of every model. */
static void hold_models(sdf_reader *r)
{
    for (size_t i = 0; i < r->entity_count; i++) {
        const sdf_entity *model = &r->entities[i];
        if (model->kind != SDF_MODEL)
            continue;
        bool all = is_true(tn_xml_child_text(model->element, "static"));
        bool first = r->machine->options->base == TN_BASE_FIXED && model->scope[0] == 0;
        for (size_t k = i + 1; k < r->entity_count && (all || first); k++) {
            const sdf_entity *link = &r->entities[k];
            size_t length = strlen(model->name);
            if (link->kind != SDF_LINK || link->body < 0 || strncmp(link->name, model->name, length) != 0 ||
                strncmp(link->name + length, "::", 2) != 0)
                continue;
            fix_to_ground(r, link->body, all ? "static" : "base");
            first = false;
        }
    }
}

int tn_sdf_find(sdf_reader *r, const char *scope, const char *name)
{
    return find_entity(r, scope, name);
}

tn_pose tn_sdf_resolve(sdf_reader *r, int entity)
{
    return resolve(r, entity, 0);
}

int tn_sdf_body(sdf_reader *r, const char *scope, const char *name, const tn_xml *element)
{
    if (strcmp(name, "world") == 0)
        return TN_GROUND;
    int entity = find_entity(r, scope, name);
    int body = entity < 0 ? unknown_frame(r, element, name) : body_of(r, entity, 0);
    if (entity >= 0 && body < 0)
        SDF_ERROR(r, element->place, "'%s' leads to no link", name);
    return body;
}

static int read_world(sdf_reader *r, const tn_xml *root)
{
    tn_machine *machine = r->machine;
    const tn_xml *world = tn_xml_child(root, "world"), *top = world ? world : root;
    const tn_xml *gravity = tn_xml_child(world, "gravity");
    const tn_xml *only = tn_xml_child(top, "model");
    bool several = only && tn_xml_next(only, "model");     /* names of links need that of their model */
    r->version = tn_xml_get(root, "version") ? strtod(tn_xml_get(root, "version"), NULL) : 0;
    machine->gravity[2] = world ? -9.8 : -9.81;
    if (gravity)
        tn_source_numbers(machine, machine->gravity, 3, gravity->text, "<gravity>", gravity->place);
    for (const tn_xml *e = top->first; e; e = e->next) {
        if (tn_xml_is(e, "model"))
            read_model_entities(r, e, "", several && tn_xml_get(e, "name") ? tn_xml_get(e, "name") : "", 0);
        else if (tn_xml_is(e, "frame") && tn_xml_get(e, "name"))
            add_entity(r, SDF_FRAME, "", tn_xml_get(e, "name"), e, tn_xml_get(e, "attached_to"));
        else if (tn_xml_is(e, "joint") && tn_xml_get(e, "name"))
            add_entity(r, SDF_JOINT, "", tn_xml_get(e, "name"), e, tn_xml_child_text(e, "child"));
        else if (!tn_xml_is(e, "gravity") && !tn_xml_is(e, "include"))
            tn_machine_leave_out(machine, e->place, "<%s>", e->name);
    }
    const tn_xml *first = tn_xml_child(top, "model");
    machine->name = world && tn_xml_get(world, "name") ? tn_xml_get(world, "name")
                    : first && tn_xml_get(first, "name") ? tn_xml_get(first, "name") : "SDF model";
    if (machine->body_count == 1)
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "there are no links in the file");
    for (size_t i = 0; i < r->entity_count; i++) {
        tn_pose pose = resolve(r, (int)i, 0);
        if (r->entities[i].kind == SDF_LINK && r->entities[i].body >= 0)
            machine->bodies[r->entities[i].body].pose = pose;
    }
    for (size_t i = 0; i < r->entity_count; i++)
        if (r->entities[i].kind == SDF_JOINT)
            tn_sdf_joint(r, (int)i);
    for (size_t i = 0; i < r->entity_count; i++)
        if (r->entities[i].kind == SDF_JOINT)
            tn_sdf_mimic(r, (int)i);
    hold_models(r);
    return r->failed ? TN_ERROR_MODEL : tn_machine_status(machine);
}

static int read_sdf(tn_machine *machine, const tn_source_files *files, const char *data, size_t size)
{
    sdf_reader r = { .machine = machine, .files = files };
    tn_xml *root = NULL;
    TN_TRY(tn_xml_parse(&root, machine->arena, machine->context, files->main, data, size));
    if (!tn_xml_is(root, "sdf") && !tn_xml_is(root, "gazebo"))
        return tn_fail(machine->context, TN_ERROR_MODEL, root->place, "the root element is <%s>, not <sdf>", root->name);
    TN_TRY(tn_index_create(&r.names, machine));
    tn_sdf_include(&r, root);
    return r.failed ? TN_ERROR_MODEL : read_world(&r, root);
}

static bool is_sdf(const char *data, size_t size)
{
    (void)size;
    return strstr(data, "<sdf") != NULL;
}

const tn_importer tn_importer_sdf = {
    .name = "sdf",
    .endings = ".sdf .world .xml",
    .doc = "SDFormat (Gazebo)",
    .recognises = is_sdf,
    .read = read_sdf,
};
