/* Shapes and masses of USD bodies. What the file does not say about a mass follows from its colliders and their density. */
#include "usd_reader.h"

#include "entities.h"
#include "mesh_file.h"
#include "solid_mass.h"
#include "vec.h"

#include <string.h>

static const double DENSITY = 1000;            /* kg/m^3: the default of the schema */

/* The pose of a prim in the frame of its body. */
static tn_pose pose_in_body(const usd_reader *r, const usd_prim *prim, double scale[3])
{
    tn_pose world = tn_usd_pose(r, prim, scale);
    return tn_pose_relative(&r->machine->bodies[prim->body].pose, &world);
}

/* Turns z into the axis that the token names. */
static void turn_axis(tn_pose *pose, const char *axis)
{
    static const double origin[3] = { 0, 0, 0 };
    const double direction[3] = { axis[0] == 'X', axis[0] == 'Y', axis[0] == 'Z' };
    tn_pose turn = tn_pose_z(origin, direction);
    *pose = tn_pose_compose(pose, &turn);
}

/* The solid of a simple prim, its pose turned; false: it is no solid. */
static bool simple_of(usd_reader *r, const usd_prim *prim, const double scale[3], tn_pose *pose, tn_solid *out)
{
    const char *type = prim->type, *axis = tn_usd_token(prim, "axis", "Z");
    double unit = r->length;
    if (strcmp(type, "Cube") == 0) {
        double half = tn_usd_number(r, prim, "size", 2) / 2 * unit;
        return tn_solid_simple(out, "box", half * fabs(scale[0]), half * fabs(scale[1]), half * fabs(scale[2]));
    }
    bool sphere = strcmp(type, "Sphere") == 0, cylinder = strcmp(type, "Cylinder") == 0;
    if (!sphere && !cylinder && strcmp(type, "Capsule") != 0)
        return false;
    double radius = tn_usd_number(r, prim, "radius", strcmp(type, "Capsule") == 0 ? 0.5 : 1) * unit;
    double half = tn_usd_number(r, prim, "height", strcmp(type, "Capsule") == 0 ? 1 : 2) / 2 * unit;
    int along = axis[0] == 'X' ? 0 : axis[0] == 'Y' ? 1 : 2, across = (along + 1) % 3;
    if (fabs(fabs(scale[0]) - fabs(scale[1])) > 1e-6 * fabs(scale[0]) || fabs(fabs(scale[1]) - fabs(scale[2])) > 1e-6 * fabs(scale[1]))
        tn_machine_leave_out(r->machine, prim->place, "uneven scales of round shapes (the scale across is taken)");
    if (!sphere)
        turn_axis(pose, axis);
    return tn_solid_simple(out, sphere ? "sphere" : cylinder ? "cylinder" : "capsule", radius * fabs(scale[across]),
                           half * fabs(scale[along]), 0);
}

/* Triangles of a mesh, as fans of its polygons. */
static bool mesh_of(usd_reader *r, const usd_prim *prim, tn_triangles *out)
{
    const usd_attribute *points = tn_usd_get(prim, "points"), *counts = tn_usd_get(prim, "faceVertexCounts");
    const usd_attribute *corners = tn_usd_get(prim, "faceVertexIndices");
    *out = (tn_triangles){ .context = r->machine->context, .unit = 1 };
    if (!points || !counts || !corners || points->number_count < 9 || !tn_finite((int)points->number_count, points->numbers))
        return false;
    for (size_t i = 0; i + 2 < points->number_count; i += 3)
        tn_triangles_vertex(out, points->numbers[i], points->numbers[i + 1], points->numbers[i + 2]);
    size_t at = 0;
    for (size_t f = 0; f < counts->number_count; f++) {
        double n = counts->numbers[f];
        if (!(n >= 0) || n > (double)(corners->number_count - at))
            return false;
        for (size_t k = 0; k < (size_t)n; k++)
            if (!(corners->numbers[at + k] >= 0 && corners->numbers[at + k] < (double)out->vertex_count))
                return false;
        for (size_t k = 2; k < (size_t)n; k++)
            tn_triangles_add(out, (long)corners->numbers[at], (long)corners->numbers[at + k - 1], (long)corners->numbers[at + k]);
        at += (size_t)n;
    }
    return out->status >= 0 && out->triangle_count > 0;
}

static void add_mesh_shape(usd_reader *r, const usd_prim *prim, const tn_triangles *mesh, const tn_pose *pose,
                           const double scale[3], bool collision)
{
    tn_machine *machine = r->machine;
    double *vertices = tn_arena_alloc(machine->arena, 3 * mesh->vertex_count, sizeof *vertices);
    int *triangles = tn_arena_alloc(machine->arena, 3 * mesh->triangle_count, sizeof *triangles);
    if (!vertices || !triangles)
        return;
    memcpy(vertices, mesh->vertices, 3 * mesh->vertex_count * sizeof *vertices);
    memcpy(triangles, mesh->triangles, 3 * mesh->triangle_count * sizeof *triangles);
    tn_machine_shape *shape = tn_machine_add_shape(machine, prim->body, TN_SHAPE_MESH);
    shape->pose = *pose;
    shape->collision = collision;
    shape->vertices = vertices;
    shape->triangles = triangles;
    shape->vertex_count = mesh->vertex_count;
    shape->triangle_count = mesh->triangle_count;
    for (int k = 0; k < 3; k++)
        shape->scale[k] = scale[k] * r->length;
}

/* A solid of the prim with volume: pose in the body and properties for unit density. */
static bool solid_of(usd_reader *r, const usd_prim *prim, tn_pose *pose, tn_solid *solid, bool shape)
{
    double scale[3];
    bool hidden = strcmp(tn_usd_token(prim, "purpose", ""), "guide") == 0 ||
                  strcmp(tn_usd_token(prim, "visibility", ""), "invisible") == 0;
    *pose = pose_in_body(r, prim, scale);
    if (strcmp(prim->type, "Mesh") == 0) {
        tn_triangles mesh;
        bool good = mesh_of(r, prim, &mesh);
        double unit[3] = { scale[0] * r->length, scale[1] * r->length, scale[2] * r->length };
        if (good && shape)
            add_mesh_shape(r, prim, &mesh, pose, scale, hidden);
        else if (!good && shape)
            tn_machine_note_add(r->machine, TN_WARNING, prim->place, "mesh '%s' has no triangles that can be used", prim->path);
        *solid = (tn_solid){ .kind = TN_SHAPE_MESH };
        bool volume = good && tn_triangles_moments(&solid->volume, solid->com, solid->inertia, &mesh, unit);
        tn_triangles_free(&mesh);
        return volume;
    }
    if (!simple_of(r, prim, scale, pose, solid) || !(solid->volume > 0))
        return false;
    if (shape && solid->shown) {
        tn_machine_shape *s = tn_machine_add_shape(r->machine, prim->body, solid->kind);
        s->pose = *pose;
        s->collision = hidden;
        memcpy(s->size, solid->size, sizeof s->size);
    }
    return true;
}

void tn_usd_shapes(usd_reader *r, const usd_prim *prim)
{
    static const char *const others[] = { "Cone", "Plane", "Points", "BasisCurves", "NurbsPatch", "PointInstancer" };
    tn_pose pose;
    tn_solid solid;
    solid_of(r, prim, &pose, &solid, true);
    for (size_t i = 0; i < TN_LENGTH(others); i++)
        if (strcmp(prim->type, others[i]) == 0)
            tn_machine_leave_out(r->machine, prim->place, "shapes of type %s", prim->type);
}

/* Adds the colliders of a body, each with its density or its own mass. */
static void add_colliders(usd_reader *r, const usd_prim *top, double density, tn_machine_body *sum)
{
    for (const usd_prim *prim = top; prim; ) {
        tn_pose pose;
        tn_solid solid;
        if (tn_usd_has_schema(prim, "PhysicsCollisionAPI") && prim->body == top->body && solid_of(r, prim, &pose, &solid, false)) {
            double own = tn_usd_number(r, prim, "physics:density", 0) * r->mass / (r->length * r->length * r->length);
            double mass = prim != top ? tn_usd_number(r, prim, "physics:mass", 0) * r->mass : 0, tensor[6];
            mass = mass > 0 ? mass : solid.volume * (own > 0 ? own : density);
            for (int k = 0; k < 6; k++)
                tensor[k] = solid.inertia[k] * mass / solid.volume;
            tn_body_add_mass(sum, mass, &pose, solid.com, tensor);
        }
        if (prim->first && (prim == top || !prim->root)) {
            prim = prim->first;
            continue;
        }
        while (prim != top && !prim->next)
            prim = prim->parent;
        prim = prim == top ? NULL : prim->next;
    }
}

void tn_usd_mass(usd_reader *r, const usd_prim *prim)
{
    tn_machine_body *body = &r->machine->bodies[prim->body], shapes;
    static const double centre[3] = { 0, 0, 0 };
    double scale[3], com[3], diagonal[3] = { 0 }, axes[4] = { 1, 0, 0, 0 }, cube = r->length * r->length * r->length;
    double mass = tn_usd_number(r, prim, "physics:mass", 0) * r->mass;
    double density = tn_usd_number(r, prim, "physics:density", 0) * r->mass / cube;
    memset(&shapes, 0, sizeof shapes);
    add_colliders(r, prim, density > 0 ? density : DENSITY, &shapes);
    tn_usd_pose(r, prim, scale);
    bool has_com = tn_usd_numbers(r, prim, "physics:centerOfMass", com, 3) && tn_finite(3, com);
    bool has_inertia = tn_usd_numbers(r, prim, "physics:diagonalInertia", diagonal, 3) && tn_norm3(diagonal) > 0;
    tn_usd_numbers(r, prim, "physics:principalAxes", axes, 4);
    double factor = mass > 0 && shapes.mass > 0 ? mass / shapes.mass : 1, tensor[6];
    for (int k = 0; k < 6; k++)
        tensor[k] = has_inertia ? (k < 3 ? diagonal[k] * r->mass * r->length * r->length : 0) : shapes.inertia[k] * factor;
    tn_pose pose = tn_pose_identity();
    for (int k = 0; k < 3; k++)
        pose.p[k] = has_com ? com[k] * scale[k] * r->length : shapes.com[k];
    if (has_inertia && tn_norm3(axes + 1) > 0) {
        memcpy(pose.q, axes, sizeof axes);
        tn_quat_normalize(pose.q);
    }
    bool given = mass > 0;
    mass = given ? mass : shapes.mass;
    body->mass_source = given && has_inertia ? "mass of the file" : given ? "mass of the file, inertia by its colliders"
                        : shapes.mass > 0 ? "colliders and density" : "none";
    if (mass > 0)
        tn_body_add_mass(body, mass, &pose, centre, tensor);
}
