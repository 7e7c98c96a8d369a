/* Joints of SDFormat. */
#include "sdf_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdlib.h>

static const double UNLIMITED = 1e15;          /* SDFormat's limits are 1e16 where there are none */

typedef struct sdf_type {
    const char *name, *type;
    const char *coordinates[2];
} sdf_type;

static const sdf_type sdf_types[] = {
    { "revolute", "revolute", { "angle" } },   { "continuous", "revolute", { "angle" } },
    { "prismatic", "prismatic", { "position" } }, { "fixed", "fixed", { NULL } }, { "ball", "spherical", { NULL } },
    { "universal", "universal", { "angle_1", "angle_2" } }, { "revolute2", "universal", { "angle_1", "angle_2" } },
    { "screw", "screw", { "angle" } },         { "gearbox", NULL, { NULL } },
    { "planar", "planar", { NULL } },          /* of Drake */
};

/* The version of the file that the joint comes from. */
static int version_of(const sdf_reader *r, const tn_xml *element)
{
    for (; element; element = element->parent)
        if (tn_xml_is(element, "model") && tn_xml_get(element, "version"))
            return tn_sdf_version(tn_xml_get(element, "version"));
    return r->version;
}

/* The unit vector of <axis> in the world. */
static bool read_axis(sdf_reader *r, const sdf_entity *joint, const tn_xml *axis, double out[3])
{
    double v[3] = { 0, 0, 1 };
    const tn_xml *xyz = tn_xml_child(axis, "xyz");
    const char *in = xyz ? tn_xml_get(xyz, "expressed_in") : NULL, *flag = tn_xml_child_text(axis, "use_parent_model_frame");
    if (xyz)
        tn_source_numbers(r->machine, v, 3, xyz->text, "<xyz>", xyz->place);
    if (!(tn_norm3(v) > 1e-12)) {
        SDF_ERROR(r, xyz->place, "<xyz> of an axis has no direction");
        return false;
    }
    tn_pose frame = joint->world;
    int version = version_of(r, joint->element);
    bool model = flag ? strcmp(flag, "1") == 0 || strcmp(flag, "true") == 0 : version > 0 && version < 105;
    if ((in && in[0]) || model) {
        int other = tn_sdf_find_from(r, joint, in && in[0] ? in : "__model__");
        if (other < 0) {
            SDF_ERROR(r, xyz ? xyz->place : axis->place, "expressed_in: there is no frame '%s'", in ? in : "__model__");
            return false;
        }
        frame = tn_sdf_resolve(r, other);
    }
    tn_quat_rotate(out, frame.q, v);
    double length = tn_norm3(out);
    for (int k = 0; k < 3; k++)
        out[k] /= length;
    return true;
}

static double axis_number(sdf_reader *r, const tn_xml *owner, const char *name, double otherwise)
{
    const tn_xml *child = tn_xml_child(owner, name);
    double value = otherwise;
    if (!child || child->text[0] == 0)
        return otherwise;
    if (strstr(child->text, "inf"))
        return child->text[0] == '-' ? -INFINITY : INFINITY;
    tn_source_numbers(r->machine, &value, 1, child->text, tn_machine_text(r->machine, "<%s>", name), child->place);
    return fabs(value) < UNLIMITED ? value : copysign(INFINITY, value);
}

static void fill_axis(sdf_reader *r, const tn_xml *axis, tn_machine_joint *joint, const char *coordinate, bool limited)
{
    const tn_xml *limit = tn_xml_child(axis, "limit"), *dynamics = tn_xml_child(axis, "dynamics");
    tn_machine_coordinate *c = tn_joint_coordinate(joint, coordinate);
    if (limit && limited) {
        c->low = axis_number(r, limit, "lower", -INFINITY);
        c->high = axis_number(r, limit, "upper", INFINITY);
        if (c->low == c->high && c->low == 0 && (strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "prismatic") == 0)) {
            tn_machine_note_add(r->machine, TN_NOTE, limit->place, "joint '%s': both limits are 0: it is fixed", joint->name);
            joint->type = "fixed";
            joint->coordinate_count = 0;
            return;
        }
        if (c->low >= c->high) {
            tn_machine_note_add(r->machine, TN_WARNING, limit->place, "joint '%s': its lower limit %g is not below the upper "
                                "one %g: no limits", joint->name, c->low, c->high);
            c->low = -INFINITY;
            c->high = INFINITY;
        }
    }
    if (!dynamics)
        return;
    c->damping = axis_number(r, dynamics, "damping", 0);
    c->friction = axis_number(r, dynamics, "friction", 0);
    c->stiffness = axis_number(r, dynamics, "spring_stiffness", 0);
    c->rest = axis_number(r, dynamics, "spring_reference", 0);
}

/* A frame in the world at p with given z, and x along the part of x that is perpendicular to it. */
static tn_pose frame_zx(const double p[3], const double z[3], const double x[3])
{
    double u[3] = { x[0], x[1], x[2] }, y[3], R[3][3];
    tn_pose pose;
    tn_axpy3(u, -tn_dot3(u, z), z);
    double length = tn_norm3(u);
    for (int k = 0; k < 3; k++)
        u[k] /= length;
    tn_cross3(y, z, u);
    for (int k = 0; k < 3; k++)
        R[k][0] = u[k], R[k][1] = y[k], R[k][2] = z[k];
    tn_copy3(pose.p, p);
    tn_quat_from_matrix(pose.q, (const double (*)[3])R);
    return pose;
}

/* The joint's frames in the world; false: it cannot be placed. */
static bool place_joint(sdf_reader *r, const sdf_entity *e, const sdf_type *type, tn_pose *world1, tn_pose *world2)
{
    const tn_xml *axis = tn_xml_child(e->element, "axis"), *axis2 = tn_xml_child(e->element, "axis2");
    double z1[3], z2[3];
    *world1 = *world2 = e->world;
    if (!type->coordinates[0])
        return true;
    if (!read_axis(r, e, axis, z1))
        return false;
    if (!type->coordinates[1]) {
        *world1 = *world2 = tn_pose_z(e->world.p, z1);
        return true;
    }
    if (!axis2) {
        int least = fabs(z1[0]) <= fabs(z1[1]) && fabs(z1[0]) <= fabs(z1[2]) ? 0 : fabs(z1[1]) <= fabs(z1[2]) ? 1 : 2;
        tn_machine_note_add(r->machine, TN_WARNING, e->element->place, "joint '%s' of type %s has no <axis2>: one across the first "
                            "is assumed", e->name, type->name);
        memset(z2, 0, sizeof z2);
        z2[least] = 1;
    } else if (!read_axis(r, e, axis2, z2) || fabs(tn_dot3(z1, z2)) > 0.999) {
        SDF_ERROR(r, e->element->place, "joint '%s' of type %s needs two different axes", e->name, type->name);
        return false;
    }
    if (axis2 && fabs(tn_dot3(z1, z2)) > 1e-6)
        tn_machine_note_add(r->machine, TN_WARNING, e->element->place, "joint '%s': its axes are not perpendicular; the second "
                            "is turned until they are", e->name);
    tn_axpy3(z2, -tn_dot3(z1, z2), z1);
    double length = tn_norm3(z2);
    for (int k = 0; k < 3; k++)
        z2[k] /= length;
    *world1 = frame_zx(e->world.p, z1, z2);
    *world2 = frame_zx(e->world.p, z2, z1);
    return true;
}

static const sdf_type *type_of_joint(sdf_reader *r, const sdf_entity *e)
{
    const char *name = tn_xml_get(e->element, "type");
    for (size_t i = 0; name && i < TN_LENGTH(sdf_types); i++)
        if (strcmp(name, sdf_types[i].name) == 0)
            return &sdf_types[i];
    SDF_ERROR(r, e->element->place, "joint '%s': type '%s' is none of revolute, continuous, prismatic, fixed, ball, universal, "
              "revolute2, screw, gearbox, planar", e->name, name ? name : "");
    return NULL;
}

/* <parent>link</parent>; newer files have <parent><frame>... nowhere: the text counts. */
static int joint_end(sdf_reader *r, const sdf_entity *e, const char *which)
{
    const tn_xml *end = tn_xml_child(e->element, which);
    if (end && end->text[0])
        return tn_sdf_body(r, e, end);
    SDF_ERROR(r, e->element->place, "joint '%s' has no <%s>", e->name, which);
    return -1;
}

static bool is_gearbox(const sdf_entity *e)
{
    const char *type = tn_xml_get(e->element, "type");
    return type && strcmp(type, "gearbox") == 0;
}

void tn_sdf_joint(sdf_reader *r, int entity)
{
    sdf_entity *e = &r->entities[entity];
    tn_machine *machine = r->machine;
    const sdf_type *type = type_of_joint(r, e);
    int parent = joint_end(r, e, "parent"), child = joint_end(r, e, "child");
    tn_pose world1, world2;
    e->joint = -1;
    if (is_gearbox(e))
        return;
    if (!type || parent < 0 || child < 0 || !place_joint(r, e, type, &world1, &world2))
        return;
    if (parent == child) {
        SDF_ERROR(r, e->element->place, "joint '%s' connects a link to itself", e->name);
        return;
    }
    const char *name = tn_xml_get(e->element, "name");
    int index = tn_machine_add_joint(machine, name, type->type, parent, child, e->element->place);
    if (tn_machine_status(machine) < 0)
        return;
    e->joint = index;
    tn_machine_joint *joint = &machine->joints[index];
    joint->source = type->name;
    joint->frame1 = tn_pose_relative(&machine->bodies[parent].pose, &world1);
    joint->frame2 = tn_pose_relative(&machine->bodies[child].pose, &world2);
    const tn_xml *axis = tn_xml_child(e->element, "axis"), *axis2 = tn_xml_child(e->element, "axis2");
    bool limited = strcmp(type->name, "continuous") != 0;
    if (type->coordinates[0])
        fill_axis(r, axis, joint, type->coordinates[0], limited);
    if (type->coordinates[1])
        fill_axis(r, axis2, joint, type->coordinates[1], limited);
    if (strcmp(type->name, "planar") == 0) {
        static const char *const coordinates[] = { "x", "y", "angle" };
        const tn_xml *damping = tn_xml_child(e->element, "damping");
        double value[3] = { 0 };
        if (damping)
            tn_source_numbers(machine, value, 3, damping->text, "<damping>", damping->place);
        for (int k = 0; k < 3; k++)
            tn_joint_coordinate(joint, coordinates[k])->damping = value[k];
    }
    if (strcmp(type->name, "screw") == 0) {
        double lead = axis_number(r, e->element, "screw_thread_pitch", NAN), old = axis_number(r, e->element, "thread_pitch",
                                                                                                NAN);
        if (isnan(lead))
            lead = isnan(old) || old == 0 ? 2 * acos(-1.0) : -2 * acos(-1.0) / old;    /* the old form: -rad per m */
        tn_joint_setting(joint, "lead", lead);
    }
}

/* Reads which axis of another joint an axis mimics. */
static void read_mimic(sdf_reader *r, const sdf_entity *e, const tn_xml *axis, size_t own)
{
    const tn_xml *mimic = tn_xml_child(axis, "mimic");
    const char *leader = mimic ? tn_xml_get(mimic, "joint") : NULL, *which = mimic ? tn_xml_get(mimic, "axis") : NULL;
    size_t its = which && strcmp(which, "axis2") == 0 ? 1 : 0;
    int other = leader ? tn_sdf_find_from(r, e, leader) : -1;
    if (!mimic)
        return;
    if (leader && (other < 0 || r->entities[other].kind != SDF_JOINT))
        other = tn_sdf_find_from(r, e, tn_machine_text(r->machine, "%s (joint)", leader));
    if (other < 0 || r->entities[other].joint < 0) {
        SDF_ERROR(r, mimic->place, "joint '%s' mimics '%s', which is no joint", e->name, leader ? leader : "");
        return;
    }
    const tn_machine_joint *a = &r->machine->joints[e->joint], *b = &r->machine->joints[r->entities[other].joint];
    if (a->coordinate_count <= own || b->coordinate_count <= its) {
        tn_machine_leave_out(r->machine, mimic->place, "<mimic> of axes that joints do not have");
        return;
    }
    double factor = axis_number(r, mimic, "multiplier", 1), offset = axis_number(r, mimic, "offset", 0);
    const char *name = tn_machine_text(r->machine, "%s_mimic", a->name);
    const char *mine = a->coordinates[own].name, *theirs = b->coordinates[its].name;
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, name, mimic->place);
    coupling->source = "mimic";
    coupling->offset = offset - factor * axis_number(r, mimic, "reference", 0);
    tn_coupling_term_add(coupling, e->joint, mine, 1);
    tn_coupling_term_add(coupling, r->entities[other].joint, theirs, -factor);
}

void tn_sdf_mimic(sdf_reader *r, int entity)
{
    const sdf_entity *e = &r->entities[entity];
    if (e->joint < 0)
        return;
    read_mimic(r, e, tn_xml_child(e->element, "axis"), 0);
    read_mimic(r, e, tn_xml_child(e->element, "axis2"), 1);
}

/* The hinge between the reference body and another one, about an axis in the world; its sign is that of the angle of the other body
 * about the axis. -1: none. */
static int hinge_between(const tn_machine *machine, int reference, int body, const double axis[3], double *sign)
{
    static const double z[3] = { 0, 0, 1 };
    for (size_t i = 0; i < machine->joint_count; i++) {
        const tn_machine_joint *j = &machine->joints[i];
        bool onward = j->body1 == reference && j->body2 == body, back = j->body2 == reference && j->body1 == body;
        if ((!onward && !back) || j->coordinate_count != 1 || strcmp(j->type, "revolute") != 0)
            continue;
        tn_pose world = tn_pose_compose(&machine->bodies[j->body1].pose, &j->frame1);
        double direction[3], along;
        tn_quat_rotate(direction, world.q, z);
        along = tn_dot3(direction, axis);
        *sign = (along > 0 ? 1 : -1) * (onward ? 1 : -1);
        return fabs(along) > 0.999 ? (int)i : -1;
    }
    return -1;
}

/* The angle of the parent about the first axis is -ratio times that of the child about the second one, both seen from the
 * reference body. */
void tn_sdf_gearbox(sdf_reader *r, int entity)
{
    const sdf_entity *e = &r->entities[entity];
    const tn_xml *reference = tn_xml_child(e->element, "gearbox_reference_body");
    const tn_xml *axis = tn_xml_child(e->element, "axis"), *axis2 = tn_xml_child(e->element, "axis2");
    double axes[2][3], signs[2];
    if (!is_gearbox(e))
        return;
    if (!reference || !reference->text[0]) {
        tn_machine_note_add(r->machine, TN_WARNING, e->element->place, "gearbox '%s' is left out: it has no <gearbox_reference_body>",
                            e->name);
        return;
    }
    const int bodies[2] = { joint_end(r, e, "parent"), joint_end(r, e, "child") };
    int base = tn_sdf_body(r, e, reference), joints[2];
    if (bodies[0] < 0 || bodies[1] < 0 || base < 0 || !read_axis(r, e, axis, axes[0]) || !read_axis(r, e, axis2 ? axis2 : axis, axes[1]))
        return;
    for (int k = 0; k < 2; k++)
        joints[k] = hinge_between(r->machine, base, bodies[k], axes[k], &signs[k]);
    if (joints[0] < 0 || joints[1] < 0) {
        tn_machine_note_add(r->machine, TN_WARNING, e->element->place, "gearbox '%s' is left out: there is no hinge about its axis between "
                            "'%s' and its reference body", e->name, r->machine->bodies[bodies[joints[0] < 0 ? 0 : 1]].name);
        return;
    }
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, tn_xml_get(e->element, "name"), e->element->place);
    coupling->source = "gearbox";
    coupling->offset = 0;
    tn_coupling_term_add(coupling, joints[0], "angle", signs[0]);
    tn_coupling_term_add(coupling, joints[1], "angle", signs[1] * axis_number(r, e->element, "gearbox_ratio", 1));
}
