/* Geometry of command files of Adams View: pictures, and masses of parts that have a density only. */
#include "adm_commands.h"

#include "entities.h"
#include "vec.h"

#include <math.h>
#include <string.h>

/* A bar with round ends: width across, depth along z, its ends at distance L along x. Moments about its middle, for density 1. */
static tn_solid link_solid(double L, double width, double depth)
{
    const double pi = acos(-1.0);
    double radius = width / 2, disc = pi * radius * radius, area = L * width + disc;
    double yy = L * width * width * width / 12 + pi * pow(radius, 4) / 4;
    double polar = L * width * (L * L + width * width) / 12 + pi * pow(radius, 4) / 2 + disc * L * (L / 4 + 4 * radius / (3 * pi));
    tn_solid s = { .kind = TN_SHAPE_BOX, .shown = true, .size = { L + width, width, depth }, .volume = area * depth };
    double along = area * depth * depth * depth / 12;
    s.inertia[0] = yy * depth + along;
    s.inertia[1] = (polar - yy) * depth + along;
    s.inertia[2] = polar * depth;
    return s;
}

/* The solid of a geometry and its pose on the body of its marker; NULL: none that is known. */
static const adm_marker *solid_of(adm_commands *c, const cmd_object *o, tn_solid *solid, tn_pose *pose)
{
    const char *kind = tn_cmd_last(o->kind);
    bool block = strcmp(kind, "block") == 0, link = strcmp(kind, "link") == 0, cylinder = strcmp(kind, "cylinder") == 0;
    bool ball = strcmp(kind, "ellipsoid") == 0;
    const char *name = tn_cmd_get(o, block ? "corner_marker" : link ? "i_marker" : "center_marker");
    const cmd_object *object = name ? tn_cmd_find(c, name) : NULL;
    const adm_marker *marker = object ? tn_adm_marker_by_id(c->reader, object->id) : NULL;
    double length = c->reader->length, a[3] = { 0 }, b[3] = { 0 };
    tn_pose shift = tn_pose_identity();
    if (!marker || (!block && !link && !cylinder && !ball))
        return NULL;
    if (block && tn_cmd_numbers(c, o, "diag_corner_coords", a, 3, false)) {
        for (int k = 0; k < 3; k++)
            shift.p[k] = a[k] * length / 2;
        tn_solid_simple(solid, "box", fabs(shift.p[0]), fabs(shift.p[1]), fabs(shift.p[2]));
    } else if (cylinder && tn_cmd_numbers(c, o, "length", a, 1, false) && tn_cmd_numbers(c, o, "radius", b, 1, false)) {
        shift.p[2] = a[0] * length / 2;
        tn_solid_simple(solid, "cylinder", b[0] * length, fabs(shift.p[2]), 0);
    } else if (ball && tn_cmd_numbers(c, o, "x_scale_factor", a, 1, false) && tn_cmd_numbers(c, o, "y_scale_factor", a + 1, 1, false) &&
               tn_cmd_numbers(c, o, "z_scale_factor", a + 2, 1, false)) {
        tn_solid_simple(solid, "ellipsoid", a[0] * length / 2, a[1] * length / 2, a[2] * length / 2);
    } else if (link && tn_cmd_get(o, "j_marker") && tn_cmd_find(c, tn_cmd_get(o, "j_marker")) && tn_cmd_numbers(c, o, "width", a, 1, false) &&
               tn_cmd_numbers(c, o, "depth", b, 1, false)) {
        const adm_marker *other = tn_adm_marker_by_id(c->reader, tn_cmd_find(c, tn_cmd_get(o, "j_marker"))->id);
        if (!other)
            return NULL;
        tn_pose w1 = tn_adm_world(c->reader, marker), w2 = tn_adm_world(c->reader, other), at = tn_pose_relative(&w1, &w2);
        double L = tn_norm3(at.p), turn[3] = { 0, 0, atan2(at.p[1], at.p[0]) };
        if (fabs(at.p[2]) > 1e-6 * L)          /* the second marker lies beside the plane of the first */
            return NULL;
        tn_quat_exp(shift.q, turn);
        for (int k = 0; k < 3; k++)
            shift.p[k] = at.p[k] / 2;
        *solid = link_solid(L, a[0] * length, b[0] * length);
    }
    *pose = tn_pose_compose(&marker->pose, &shift);
    return solid->volume > 0 ? marker : NULL;
}

/* The density of a part without mass, by its material or its own; 0: none. kg/m^3 */
static double density_of(adm_commands *c, const cmd_object *part)
{
    const char *material = tn_cmd_get(part, "material_type");
    const cmd_object *steel = material ? tn_cmd_find(c, material) : NULL;
    double value = 0, cube = pow(c->reader->length, 3);
    const cmd_object *from = tn_cmd_get(part, "density") ? part : steel;
    if (tn_cmd_get(part, "mass") || !from || !tn_cmd_get(from, "density") || !tn_adm_scan(tn_cmd_get(from, "density"), &value))
        return 0;
    return value * c->reader->mass / cube;
}

void tn_adm_commands_solids(adm_commands *c)
{
    adm_reader *r = c->reader;
    for (const cmd_object *o = c->first; o && !r->failed; o = o->next) {
        tn_solid solid = { .volume = 0 };
        tn_pose pose = tn_pose_identity();
        if (strncmp(o->kind, "geometry shape ", 15) != 0)
            continue;
        const char *kind = tn_cmd_last(o->kind);
        const adm_marker *marker = solid_of(c, o, &solid, &pose);
        const char *dot = strrchr(o->name, '.');
        const cmd_object *part = dot ? tn_cmd_find(c, tn_machine_text(r->machine, "%.*s", (int)(dot - o->name), o->name)) : NULL;
        double density = part && part->id != 1 ? density_of(c, part) : 0;
        if (!marker && strcmp(kind, "force") != 0 && strcmp(kind, "gcontact") != 0 && strcmp(kind, "spring_damper") != 0) {
            tn_machine_leave_out(r->machine, tn_cmd_place(c, o->line), "geometry %s", kind);
            if (density > 0)
                tn_machine_note_add(r->machine, TN_WARNING, tn_cmd_place(c, o->line), "the mass of '%s' lacks that of its %s '%s'", part->shown,
                                    kind, o->shown);
        }
        if (!marker)
            continue;
        tn_machine_shape *shape = tn_machine_add_shape(r->machine, marker->body, solid.kind);
        shape->pose = pose;
        memcpy(shape->size, solid.size, sizeof shape->size);
        for (int k = 0; k < 6; k++)
            solid.inertia[k] *= density;
        if (density > 0) {
            tn_body_add_mass(&r->machine->bodies[marker->body], density * solid.volume, &pose, solid.com, solid.inertia);
            r->machine->bodies[marker->body].mass_source = "geometry and density of the file";
        }
    }
}
