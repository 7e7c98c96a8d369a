/* Geoms and meshes of MJCF: shapes, and masses where the file leaves them to the geoms. */
#include "mjcf_reader.h"

#include "diag.h"
#include "entities.h"
#include "hull.h"
#include "mesh_file.h"
#include "solid_mass.h"
#include "vec.h"

#include <stdlib.h>

static const double GEOM_DENSITY = 1000;       /* kg/m^3: MuJoCo's default */

void tn_mjcf_inertial(mjcf_reader *r, const tn_xml *inertial, int body, const tn_pose *in)
{
    static const double centre[3] = { 0, 0, 0 };
    tn_pose pose = tn_mjcf_pose(r, inertial);
    pose = tn_pose_compose(in, &pose);
    double mass = tn_attribute_number(r->machine, inertial, "mass", 0), tensor[6] = { 0 };
    if (tn_xml_get(inertial, "fullinertia"))
        tn_attribute_numbers(r->machine, tensor, 6, inertial, "fullinertia");
    else
        tn_attribute_numbers(r->machine, tensor, 3, inertial, "diaginertia");
    r->machine->bodies[body].mass_source = "inertial of the file";
    tn_body_add_mass(&r->machine->bodies[body], mass, &pose, centre, tensor);
}

/* The numbers of an attribute, in the arena; NULL: there is none, or (with an error) they are not numbers by threes. */
static double *read_triples(mjcf_reader *r, const tn_xml *mesh, const char *attribute, size_t *count)
{
    const char *text = tn_xml_get(mesh, attribute);
    int numbers = text ? tn_parse_numbers(NULL, 0, text) : 0;
    *count = 0;
    if (!text)
        return NULL;
    if (numbers < 3 || numbers % 3 != 0) {
        MJCF_ERROR(r, mesh->place, "<mesh> %s: expected finite numbers, three a point", attribute);
        return NULL;
    }
    double *values = tn_arena_alloc(r->machine->arena, (size_t)numbers, sizeof *values);
    if (values) {
        tn_parse_numbers(values, numbers, text);
        *count = (size_t)numbers / 3;
    }
    return values;
}

/* A mesh by its vertices, with faces or as their convex hull. */
static void read_vertices(mjcf_reader *r, const tn_xml *mesh, mjcf_mesh *entry)
{
    tn_machine *machine = r->machine;
    double *vertices = read_triples(r, mesh, "vertex", &entry->vertex_count);
    size_t faces = 0;
    double *corners = read_triples(r, mesh, "face", &faces);
    tn_hull hull = { 0 };
    if (!vertices)
        return;
    if (corners) {
        hull.triangles = tn_arena_alloc(machine->arena, 3 * faces, sizeof *hull.triangles);
        hull.triangle_count = hull.triangles ? faces : 0;
        for (size_t i = 0; i < 3 * hull.triangle_count; i++) {
            if (!(corners[i] >= 0 && corners[i] < (double)entry->vertex_count)) {
                MJCF_ERROR(r, mesh->place, "<mesh> face: there is no vertex %g", corners[i]);
                return;
            }
            hull.triangles[i] = (int)corners[i];
        }
    } else if (tn_hull_find(&hull, machine->context, machine->arena, vertices, entry->vertex_count) < 0) {
        tn_machine_note_add(machine, TN_WARNING, mesh->place, "the vertices of a mesh lie in a plane: it has no volume");
        return;
    }
    entry->vertices = vertices;
    entry->triangles = hull.triangles;
    entry->triangle_count = hull.triangle_count;
}

void tn_mjcf_meshes(mjcf_reader *r)
{
    for (const tn_xml *asset = tn_xml_child(r->root, "asset"); asset; asset = tn_xml_next(asset, "asset"))
        for (const tn_xml *m = tn_xml_child(asset, "mesh"); m; m = tn_xml_next(m, "mesh")) {
            const tn_xml *mesh = tn_mjcf_complete(r, m, NULL);
            const char *file = tn_xml_get(mesh, "file"), *name = tn_xml_get(mesh, "name");
            if (!tn_mjcf_grow(r, &r->meshes, &r->mesh_capacity, r->mesh_count, sizeof *r->meshes))
                return;
            mjcf_mesh *entry = &r->meshes[r->mesh_count];
            *entry = (mjcf_mesh){ .scale = { 1, 1, 1 }, .ref = tn_pose_identity(), .element = mesh };
            tn_attribute_numbers(r->machine, entry->scale, 3, mesh, "scale");
            tn_attribute_numbers(r->machine, entry->ref.p, 3, mesh, "refpos");
            tn_attribute_numbers(r->machine, entry->ref.q, 4, mesh, "refquat");
            tn_quat_normalize(entry->ref.q);
            if (file)
                entry->path = tn_source_locate(r->files, NULL, r->mesh_folder
                                             ? tn_machine_text(r->machine, "%s/%s", r->mesh_folder, file) : file, m->place);
            else
                read_vertices(r, mesh, entry);
            if (!name && file) {       /* the file's name without folder and ending */
                const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file, *dot = strrchr(stem, '.');
                name = tn_arena_strndup(r->machine->arena, stem, dot ? (size_t)(dot - stem) : strlen(stem));
            }
            if (name)
                tn_index_put(r->mesh_names, name, (int)r->mesh_count);
            r->mesh_count++;
        }
}

/* fromto: centre, z axis along it, half length. */
static void apply_fromto(mjcf_reader *r, const tn_xml *geom, tn_pose *pose, double size[3], bool box)
{
    double v[6] = { 0 }, axis[3], centre[3];
    tn_attribute_numbers(r->machine, v, 6, geom, "fromto");
    for (int k = 0; k < 3; k++) {
        axis[k] = v[k] - v[k + 3];     /* MuJoCo's z points from the second end to the first */
        centre[k] = 0.5 * (v[k] + v[k + 3]);
    }
    double length = tn_norm3(axis);
    if (!(length > 0)) {
        MJCF_ERROR(r, geom->place, "<geom> fromto: the two points are one");
        return;
    }
    *pose = tn_mjcf_pose_z(centre, axis);
    size[box ? 2 : 1] = 0.5 * length;
    if (box && size[1] == 0)
        size[1] = size[0];
}

static void add_geom_mass(mjcf_reader *r, const tn_xml *geom, int body, const tn_pose *pose, const tn_solid *solid)
{
    double density = tn_attribute_number(r->machine, geom, "density", GEOM_DENSITY), tensor[6];
    double mass = tn_attribute_number(r->machine, geom, "mass", density * solid->volume);
    if (tn_attribute_bool(geom, "shellinertia", false))
        tn_machine_leave_out(r->machine, geom->place, "shellinertia (geoms are taken as full)");
    if (!(solid->volume > 0) || !(mass > 0))
        return;
    for (int k = 0; k < 6; k++)
        tensor[k] = solid->inertia[k] * mass / solid->volume;
    r->machine->bodies[body].mass_source = "geoms of the file";
    tn_body_add_mass(&r->machine->bodies[body], mass, pose, solid->com, tensor);
}

static void read_mesh_geom(mjcf_reader *r, const tn_xml *geom, int body, const tn_pose *pose, bool with_mass, bool collision)
{
    const char *name = tn_xml_get(geom, "mesh");
    char hint[160];
    int index = tn_index_find(r->mesh_names, name);
    if (index < 0) {
        MJCF_ERROR(r, geom->place, "there is no mesh '%s'%s", name ? name : "",
                   name ? tn_index_hint(r->mesh_names, name, hint, sizeof hint) : "");
        return;
    }
    const mjcf_mesh *mesh = &r->meshes[index];
    tn_pose none = tn_pose_identity(), back = tn_pose_relative(&mesh->ref, &none), at = tn_pose_compose(pose, &back);
    if (!mesh->path && !mesh->vertices) {
        if (!tn_xml_get(mesh->element, "file"))
            tn_machine_leave_out(r->machine, mesh->element->place, "meshes of built-in kinds, and flat ones");
        else if (with_mass)
            tn_machine_note_add(r->machine, TN_WARNING, geom->place, "the mass of '%s' is that of a mesh that is missing",
                                r->machine->bodies[body].name);
        return;
    }
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, TN_SHAPE_MESH);
    shape->mesh = mesh->path;
    shape->vertices = mesh->vertices;
    shape->triangles = mesh->triangles;
    shape->vertex_count = mesh->vertex_count;
    shape->triangle_count = mesh->triangle_count;
    shape->pose = at;
    shape->collision = collision;
    memcpy(shape->scale, mesh->scale, sizeof shape->scale);
    if (!with_mass)
        return;
    const char *weighing = tn_xml_get(mesh->element, "inertia");
    bool hull = !mesh->path && !tn_xml_get(mesh->element, "face");
    if (weighing && (strcmp(weighing, "shell") == 0 || (strcmp(weighing, "convex") == 0 && !hull)))
        tn_machine_leave_out(r->machine, mesh->element->place, "inertia=\"%s\" of meshes (they are full, as they are)", weighing);
    tn_triangles triangles = { .vertices = mesh->vertices, .triangles = mesh->triangles, .vertex_count = mesh->vertex_count,
                               .triangle_count = mesh->triangle_count, .unit = 1 };
    tn_solid solid = { .volume = 0 };
    bool read = mesh->vertices || tn_mesh_file_read(&triangles, r->machine, mesh->path, geom->place);
    if (read && tn_triangles_moments(&solid.volume, solid.com, solid.inertia, &triangles, mesh->scale)) {
        tn_triangles_warn_open(r->machine, &triangles, mesh->scale, name, geom->place);
        add_geom_mass(r, geom, body, &at, &solid);
    } else if (read)
        tn_machine_note_add(r->machine, TN_WARNING, geom->place, "mesh '%s' has no volume, so no mass", name);
    if (!mesh->vertices)
        tn_triangles_free(&triangles);
}

static void read_geom(mjcf_reader *r, const tn_xml *geom, int body, const tn_pose *in, bool with_mass)
{
    const char *type = tn_xml_get(geom, "type");
    double size[3] = { 0 };
    bool collision = !(tn_attribute_number(r->machine, geom, "contype", 1) == 0 &&
                       tn_attribute_number(r->machine, geom, "conaffinity", 1) == 0);
    double group = tn_attribute_number(r->machine, geom, "group", 0);
    with_mass = with_mass && group >= r->groups[0] && group <= r->groups[1];
    type = type ? type : tn_xml_get(geom, "mesh") ? "mesh" : "sphere";
    tn_pose pose = tn_mjcf_pose(r, geom);
    const char *text = tn_xml_get(geom, "size");
    if (text && tn_parse_numbers(size, 3, text) < 1)
        MJCF_ERROR(r, geom->place, "<geom> size '%.60s': expected one to three finite numbers", text);
    if (tn_xml_get(geom, "fromto") && strcmp(type, "mesh") != 0)
        apply_fromto(r, geom, &pose, size, strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0);
    if (r->global && !tn_xml_get(geom, "pos") && !tn_xml_get(geom, "fromto"))      /* at the body */
        pose = tn_pose_identity();
    else
        pose = tn_pose_compose(in, &pose);
    if (tn_xml_get(geom, "mesh")) {
        if (strcmp(type, "mesh") != 0)
            tn_machine_leave_out(r->machine, geom->place, "fitting of geoms to a mesh (type %s): the mesh is taken", type);
        read_mesh_geom(r, geom, body, &pose, with_mass, collision);
        return;
    }
    if (strcmp(type, "plane") == 0 && body == TN_GROUND) {
        tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, TN_SHAPE_HALF_SPACE);
        shape->pose = pose;
        shape->collision = collision;
        return;
    }
    tn_solid solid;
    if (!tn_solid_simple(&solid, type, size[0], size[1], size[2])) {
        tn_machine_leave_out(r->machine, geom->place, "geoms of type %s", type);
        return;
    }
    if (!(solid.volume > 0)) {
        tn_machine_leave_out(r->machine, geom->place, "geoms without volume");
        return;
    }
    if (!solid.shown)
        tn_machine_leave_out(r->machine, geom->place, "pictures of geoms of type %s (their mass counts)", type);
    else {
        tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, solid.kind);
        shape->pose = pose;
        shape->collision = collision;
        memcpy(shape->size, solid.size, sizeof shape->size);
    }
    if (with_mass)
        add_geom_mass(r, geom, body, &pose, &solid);
}

void tn_mjcf_geom(mjcf_reader *r, const tn_xml *geom, int body, const tn_pose *in, bool with_mass)
{
    tn_machine *machine = r->machine;
    size_t before = machine->bodies[body].shape_count;
    const char *text = tn_xml_get(geom, "friction");
    double friction[3] = { 1, 0, 0 };          /* MuJoCo's default; sliding comes first */
    if (text)
        tn_parse_numbers(friction, 3, text);
    read_geom(r, geom, body, in, with_mass);
    for (size_t k = before; k < machine->bodies[body].shape_count; k++)
        machine->bodies[body].shapes[k].friction = friction[0];
}

/* The body of a name; -1 with an error. */
static int body_by_name(mjcf_reader *r, const tn_xml *e, const char *attribute)
{
    const char *name = tn_xml_get(e, attribute);
    int body = name && strcmp(name, "world") == 0 ? TN_GROUND : tn_index_find(r->body_names, name);
    char hint[160];
    if (body < 0)
        MJCF_ERROR(r, e->place, "<exclude>: there is no body '%s'%s", name ? name : "",
                   name ? tn_index_hint(r->body_names, name, hint, sizeof hint) : "");
    return body;
}

void tn_mjcf_excludes(mjcf_reader *r)
{
    for (const tn_xml *list = tn_xml_child(r->root, "contact"); list; list = tn_xml_next(list, "contact"))
        for (const tn_xml *e = tn_xml_child(list, "exclude"); e; e = tn_xml_next(e, "exclude")) {
            int body1 = body_by_name(r, e, "body1"), body2 = body_by_name(r, e, "body2");
            if (body1 >= 0 && body2 >= 0)
                tn_machine_exclude(r->machine, body1, body2);
        }
}
