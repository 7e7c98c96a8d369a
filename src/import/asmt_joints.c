/* Joints, limits and forces of Ondsel assemblies. */
#include "asmt_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdlib.h>

typedef struct asmt_type {
    const char *name, *type, *coordinates[2];
    const char *field, *setting;       /* number of the file, and where it goes */
} asmt_type;

static const asmt_type asmt_types[] = {
    { "FixedJoint", "fixed", { NULL }, NULL, NULL },
    { "RevoluteJoint", "revolute", { "angle" }, NULL, NULL },
    { "TranslationalJoint", "prismatic", { "position" }, NULL, NULL },
    { "CylindricalJoint", "cylindrical", { "position", "angle" }, NULL, NULL },
    { "SphericalJoint", "spherical", { NULL }, NULL, NULL },
    { "PlanarJoint", "planar", { NULL }, "offset", NULL },
    { "UniversalJoint", "universal", { NULL }, NULL, NULL },
    { "ConstantVelocityJoint", "constant-velocity", { NULL }, NULL, NULL },
    { "ScrewJoint", "screw-row", { NULL }, "pitch", "lead" },
    { "GearJoint", "gear-mesh", { NULL }, NULL, NULL },
    { "RackPinionJoint", "rack-mesh", { NULL }, "pitchRadius", "radius" },
    { "PointInPlaneJoint", "point-on-plane", { NULL }, "offset", NULL },
    { "PointInLineJoint", "point-on-line", { NULL }, NULL, NULL },
    { "LineInPlaneJoint", "line-in-plane", { NULL }, "offset", NULL },
    { "ParallelAxesJoint", "parallel", { NULL }, NULL, NULL },
    { "PerpendicularJoint", "perpendicular", { NULL }, NULL, NULL },
    { "NoRotationJoint", "no-rotation", { NULL }, NULL, NULL },
    { "SphSphJoint", "rod", { NULL }, "distanceIJ", "length" },
    { "CylSphJoint", "touch-line", { NULL }, "distanceIJ", "radius" },
    { "RevCylJoint", "parallel-at-distance", { NULL }, "distanceIJ", "distance" },
    { "RevRevJoint", "crank-rod", { NULL }, "distanceIJ", "distance" },
    { "AngleJoint", "axis-angle", { NULL }, "theIzJz", "cosine" },
};

asmt_marker *tn_asmt_marker(asmt_reader *r, const asmt_node *item, const char *which)
{
    const char *path = tn_asmt_value(item, which);
    char hint[160];
    int marker = tn_index_find(r->markers, path);
    if (marker < 0)
        ASMT_ERROR(r, item, "%s: there is no marker '%s'%s", which, path ? path : "",
                   path ? tn_index_hint(r->markers, path, hint, sizeof hint) : "");
    return marker < 0 ? NULL : &r->marker_list[marker];
}

static void shift_along_z(tn_pose *frame, double offset)
{
    double axis[3];
    static const double z[3] = { 0, 0, 1 };
    tn_quat_rotate(axis, frame->q, z);
    tn_axpy3(frame->p, offset, axis);
}

/* Gears turn their frames by orbits of each other's centres: radii give the ratio, a belt has a negative one. */
static bool set_gear(asmt_reader *r, const asmt_node *e, tn_machine_joint *joint)
{
    double radius1 = tn_asmt_number(r, e, "radiusI", 0), radius2 = tn_asmt_number(r, e, "radiusJ", 0);
    if (radius1 == 0 || radius2 == 0)
        ASMT_ERROR(r, e, "joint '%s': radiusI and radiusJ must not be 0", joint->name);
    else
        tn_joint_setting(joint, "ratio", radius2 / radius1);
    return !r->failed;
}

static void set_numbers(asmt_reader *r, const asmt_node *e, const asmt_type *type, tn_machine_joint *joint)
{
    double given = type->field ? tn_asmt_number(r, e, type->field, 0) : 0;
    if (strcmp(type->type, "gear-mesh") == 0 && !set_gear(r, e, joint))
        return;
    if (strcmp(type->type, "axis-angle") == 0)
        given = cos(given);
    if (type->setting)
        tn_joint_setting(joint, type->setting, given);
    else if (given != 0)
        shift_along_z(&joint->frame1, given);      /* the plane is that far along the axis of marker I */
    if (strcmp(type->type, "constant-velocity") == 0)
        tn_machine_turn_over(r->machine, joint);
    if (strcmp(type->type, "screw-row") == 0)
        tn_joint_setting(joint, "offset", tn_machine_screw_offset(r->machine, joint, given));
}

static void read_joint(asmt_reader *r, const asmt_node *e, const char *assembly)
{
    const char *name = tn_asmt_value(e, "Name");
    const asmt_type *type = NULL;
    for (size_t i = 0; i < TN_LENGTH(asmt_types); i++)
        if (strcmp(e->text, asmt_types[i].name) == 0)
            type = &asmt_types[i];
    if (!type) {
        tn_machine_note_add(r->machine, TN_WARNING, tn_asmt_place(r, e), "joint '%s' (%s) is not understood: left out",
                            name ? name : "", e->text);
        return;
    }
    const asmt_marker *i = tn_asmt_marker(r, e, "MarkerI"), *j = tn_asmt_marker(r, e, "MarkerJ");
    if (!i || !j)
        return;
    int index = tn_machine_add_joint(r->machine, name ? name : e->text, type->type, i->body, j->body, tn_asmt_place(r, e));
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = e->text;
    joint->frame1 = i->pose;
    joint->frame2 = j->pose;
    for (int k = 0; k < 2 && type->coordinates[k]; k++)
        tn_joint_coordinate(joint, type->coordinates[k]);
    set_numbers(r, e, type, joint);
    tn_index_put(r->joints, tn_machine_text(r->machine, "%s/%s", assembly, joint->name), index);
}

/* ---- limits ---- */

/* The joint of a limit: by its path, or the one with the same markers. -1: none. */
static int limited_joint(const asmt_reader *r, const asmt_node *e)
{
    const char *path = tn_asmt_value(e, "MotionJoint");
    if (path)
        return tn_index_find(r->joints, path);
    int a = tn_index_find(r->markers, tn_asmt_value(e, "MarkerI")), b = tn_index_find(r->markers, tn_asmt_value(e, "MarkerJ"));
    for (size_t k = 0; k < r->machine->joint_count && a >= 0 && b >= 0; k++) {
        const tn_machine_joint *joint = &r->machine->joints[k];
        const asmt_marker *i = &r->marker_list[a], *j = &r->marker_list[b];
        if (joint->body1 == i->body && joint->body2 == j->body && memcmp(&joint->frame1, &i->pose, sizeof i->pose) == 0 &&
            memcmp(&joint->frame2, &j->pose, sizeof j->pose) == 0)
            return (int)k;
    }
    return -1;
}

/* "30*pi/180.0", a number, or a product of numbers and pi; NaN: something else. */
static double constant(const char *text)
{
    double value = 1;
    char divide = '*';
    for (const char *at = text; ; ) {
        at += strspn(at, " \t");
        bool pi = strncmp(at, "pi", 2) == 0;
        char *end = NULL;
        double factor = pi ? acos(-1.0) : strtod(at, &end);
        if (end == at)
            return NAN;
        value = divide == '*' ? value * factor : value / factor;
        at = pi ? at + 2 : end + (*end == 'd' ? 1 : 0);
        at += strspn(at, " \t");
        if (!*at)
            return value;
        divide = *at++;
        if (divide != '*' && divide != '/')
            return NAN;
    }
}

void tn_asmt_limit(asmt_reader *r, const asmt_node *e)
{
    bool turning = strcmp(e->text, "RotationLimit") == 0;
    const char *name = tn_asmt_value(e, "Name"), *text = tn_asmt_value(e, "Limit"), *kind = tn_asmt_value(e, "Type");
    double bound = text ? constant(text) : NAN;
    int index = limited_joint(r, e);
    tn_machine_coordinate *c = NULL;
    for (size_t k = 0; index >= 0 && k < r->machine->joints[index].coordinate_count; k++)
        if (strcmp(r->machine->joints[index].coordinates[k].name, turning ? "angle" : "position") == 0)
            c = &r->machine->joints[index].coordinates[k];
    if (!c || !isfinite(bound) || !kind || (strcmp(kind, "=>") != 0 && strcmp(kind, "=<") != 0)) {
        tn_machine_note_add(r->machine, TN_WARNING, tn_asmt_place(r, e), "limit '%s' (%s) is left out: %s", name ? name : "",
                            e->text, !c ? "no joint has this coordinate" : "its bound is not understood");
        return;
    }
    if (kind[1] == '>')
        c->low = bound;
    else
        c->high = bound;
}

/* ---- forces ---- */

/* Tension along the line from I to J, torque about it. */
void tn_asmt_force(asmt_reader *r, const asmt_node *e)
{
    char why[160] = "its kind has no counterpart";
    const char *name = tn_asmt_value(e, "Name"), *twist = tn_asmt_value(e, "twist"), *law = NULL;
    const asmt_node *tension = tn_asmt_child(e, "tension");
    if (strcmp(e->text, "InLineForceTorque") == 0 && tension && tension->first) {
        asmt_marker *i = tn_asmt_marker(r, e, "MarkerI"), *j = tn_asmt_marker(r, e, "MarkerJ");
        if (!i || !j)
            return;
        law = tn_asmt_expression(r, tension->first, i, j, why);
        if (law) {
            tn_machine_load *load = tn_machine_add_load(r->machine, name ? name : "force", "actuator", tn_asmt_place(r, e));
            load->source = e->text;
            load->body1 = i->body;
            load->body2 = j->body;
            load->frame1 = i->pose;
            load->frame2 = j->pose;
            tn_load_value(r->machine, load, "value", "\"-1 N * (%s)\"", law);
        }
        if (twist && strcmp(twist, "0") != 0 && strcmp(twist, "0.0") != 0)
            tn_machine_leave_out(r->machine, tn_asmt_place(r, e), "torques about lines between points (twist)");
    }
    if (!law)
        tn_machine_note_add(r->machine, TN_WARNING, tn_asmt_place(r, e), "force '%s' (%s) is left out: %s", name ? name : "",
                            e->text, why);
}

void tn_asmt_sets(asmt_reader *r, const asmt_node *assembly, const char *path)
{
    const asmt_node *sets = tn_asmt_child(assembly, "ConstraintSets"), *joints = tn_asmt_child(sets, "Joints");
    const asmt_node *motions = tn_asmt_child(sets, "Motions"), *forces = tn_asmt_child(assembly, "ForceTorques");
    const asmt_node *limits = tn_asmt_child(sets, "Limits");
    for (const asmt_node *e = joints ? joints->first : NULL; e && tn_machine_status(r->machine) >= 0; e = e->next)
        read_joint(r, e, path);
    for (const asmt_node *e = motions ? motions->first : NULL; e && tn_machine_status(r->machine) >= 0; e = e->next)
        tn_asmt_motion(r, e);
    for (const asmt_node *e = limits ? limits->first : NULL; e && tn_machine_status(r->machine) >= 0; e = e->next)
        tn_asmt_limit(r, e);
    for (const asmt_node *e = forces ? forces->first : NULL; e && tn_machine_status(r->machine) >= 0; e = e->next)
        tn_asmt_force(r, e);
}
