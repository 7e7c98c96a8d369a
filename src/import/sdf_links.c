/* Links of SDFormat: masses and shapes. */
#include "sdf_reader.h"

#include "entities.h"
#include "diag.h"
#include "mesh_file.h"
#include "solid_mass.h"
#include "vec.h"

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
        if (good)
            tn_triangles_warn_open(r->machine, &triangles, scales, uri, solid->place);
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
            tn_pose pose = tn_sdf_pose(r, e);
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

void tn_sdf_inertial(sdf_reader *r, const tn_xml *link, int body)
{
    static const double centre[3] = { 0, 0, 0 };
    static const char *const names[6] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
    const tn_xml *inertial = tn_xml_child(link, "inertial");
    double tensor[6] = { 1, 1, 1, 0, 0, 0 };
    tn_pose pose = inertial ? tn_sdf_pose(r, inertial) : tn_pose_identity();
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

/* Shapes from first on are placed relative to a frame that may come later in the file. */
static void place_later(sdf_reader *r, const tn_xml *element, int body, size_t first, int link)
{
    const tn_xml *pose = tn_xml_child(element, "pose");
    const char *relative = pose ? tn_xml_get(pose, "relative_to") : NULL;
    for (size_t i = first; relative && relative[0] && i < r->machine->bodies[body].shape_count; i++) {
        if (r->late_count == r->late_capacity) {
            size_t more = r->late_capacity ? 2 * r->late_capacity : 16;
            sdf_late_shape *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
            if (!list) {
                r->machine->status = TN_ERROR_MEMORY;
                return;
            }
            if (r->late_count > 0)
                memcpy(list, r->late, r->late_count * sizeof *list);
            r->late = list;
            r->late_capacity = more;
        }
        r->late[r->late_count++] = (sdf_late_shape){ body, i, link, relative, pose };
    }
}

void tn_sdf_place_shapes(sdf_reader *r)
{
    for (size_t i = 0; i < r->late_count; i++) {
        const sdf_late_shape *late = &r->late[i];
        tn_machine_body *body = &r->machine->bodies[late->body];
        int entity = tn_sdf_find_from(r, &r->entities[late->link], late->relative);
        if (entity < 0) {
            SDF_ERROR(r, late->pose->place, "<pose>: there is no frame, link or joint '%s'", late->relative);
            continue;
        }
        tn_pose world = tn_sdf_resolve(r, entity), *pose = &body->shapes[late->shape].pose;
        world = tn_pose_compose(&world, pose);
        *pose = tn_pose_relative(&body->pose, &world);
    }
}

static void read_solid(sdf_reader *r, const tn_xml *element, int body, bool collision)
{
    const tn_xml *solid = tn_xml_child(tn_xml_child(element, "geometry"), NULL);
    tn_pose pose = tn_sdf_pose(r, element);
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
    tn_solid form = { .volume = 0 };
    if (tn_xml_is(solid, "image") || tn_xml_is(solid, "heightmap") || tn_xml_is(solid, "polyline") || !measure_solid(r, solid, &form)) {
        tn_machine_leave_out(r->machine, solid->place, "shape <%s>", solid->name);
        return;
    }
    tn_machine_shape *shape = tn_machine_add_shape(r->machine, body, form.kind);
    shape->pose = pose;
    shape->collision = collision;
    memcpy(shape->size, form.size, sizeof shape->size);
}

void tn_sdf_shape(sdf_reader *r, const tn_xml *element, int body, int link)
{
    size_t before = r->machine->bodies[body].shape_count;
    read_solid(r, element, body, tn_xml_is(element, "collision"));
    const tn_xml *ode = tn_xml_child(tn_xml_child(tn_xml_child(element, "surface"), "friction"), "ode");
    for (size_t k = before; k < r->machine->bodies[body].shape_count; k++)
        r->machine->bodies[body].shapes[k].friction = child_number(r, ode, "mu", 1);       /* the format's default */
    place_later(r, element, body, before, link);
}
