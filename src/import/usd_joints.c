/* Joints of the physics schema of USD, with limits and drives. */
#include "usd_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <string.h>

static const double DEGREE = 3.141592653589793 / 180;

typedef struct usd_type {
    const char *name, *type, *coordinate;
} usd_type;

static const usd_type usd_types[] = {
    { "PhysicsRevoluteJoint", "revolute", "angle" },   { "PhysicsPrismaticJoint", "prismatic", "position" },
    { "PhysicsSphericalJoint", "spherical", NULL },    { "PhysicsFixedJoint", "fixed", NULL },
    { "PhysicsDistanceJoint", "rod", NULL },           { "PhysicsJoint", NULL, NULL },
};

/* The frame of a joint on the body of a prim; rel is "physics:body0". */
static bool joint_end(usd_reader *r, const usd_prim *joint, int end, int *body, tn_pose *frame)
{
    static const char *const bodies[2] = { "physics:body0", "physics:body1" };
    static const char *const places[2] = { "physics:localPos0", "physics:localPos1" };
    static const char *const turns[2] = { "physics:localRot0", "physics:localRot1" };
    const char *path = tn_usd_token(joint, bodies[end], NULL);
    const usd_prim *prim = path ? tn_usd_find(r, path) : r->root;
    double p[3] = { 0 }, q[4] = { 1, 0, 0, 0 }, scale[3];
    if (!prim) {
        USD_ERROR(r, joint->place, "joint '%s': there is no prim '%s'", joint->path, path);
        return false;
    }
    tn_usd_numbers(r, joint, places[end], p, 3);
    if (tn_usd_numbers(r, joint, turns[end], q, 4))
        tn_quat_normalize(q);
    tn_pose world = tn_usd_pose(r, prim, scale), local = tn_pose_identity();
    for (int k = 0; k < 3; k++)
        local.p[k] = p[k] * scale[k] * r->length;
    memcpy(local.q, q, sizeof q);
    world = tn_pose_compose(&world, &local);
    *body = prim->body;
    *frame = tn_pose_relative(&r->machine->bodies[*body].pose, &world);
    return true;
}

/* z along the axis of the joint. */
static void turn_frames(const usd_prim *prim, tn_pose *frame1, tn_pose *frame2)
{
    static const double origin[3] = { 0, 0, 0 };
    const char *axis = tn_usd_token(prim, "physics:axis", "X");
    const double direction[3] = { axis[0] == 'X', axis[0] == 'Y', axis[0] == 'Z' };
    if (axis[0] == 'Z')
        return;
    tn_pose turn = tn_pose_z(origin, direction);
    *frame1 = tn_pose_compose(frame1, &turn);
    *frame2 = tn_pose_compose(frame2, &turn);
}

static const char *const axis_names[6] = { "transX", "transY", "transZ", "rotX", "rotY", "rotZ" };

/* Locked axes of a PhysicsJoint: low above high, or no range between them. */
static void find_locked(usd_reader *r, const usd_prim *prim, bool locked[6])
{
    for (int k = 0; k < 6; k++) {
        double low = tn_usd_number(r, prim, tn_machine_text(r->machine, "limit:%s:physics:low", axis_names[k]), -INFINITY);
        double high = tn_usd_number(r, prim, tn_machine_text(r->machine, "limit:%s:physics:high", axis_names[k]), INFINITY);
        locked[k] = low >= high;
    }
}

/* The joint that locked axes make, and the axis (0 to 2) that becomes its z axis; NULL: none with a name. */
static const usd_type *generic_type(const bool locked[6], int *axis)
{
    static const usd_type planar = { "PhysicsJoint", "planar", "angle" }, cylindrical = { "PhysicsJoint", "cylindrical", "angle" };
    int places = locked[0] + locked[1] + locked[2], turns = locked[3] + locked[4] + locked[5], along = 2, about = 2;
    for (int k = 0; k < 3; k++) {
        along = locked[k] == (places == 1) && (places == 1 || places == 2) ? k : along;    /* the odd one out */
        about = turns == 2 && !locked[3 + k] ? k : about;
    }
    *axis = turns == 2 ? about : along;
    if (places == 3)
        return turns == 0 ? &usd_types[2] : turns == 2 ? &usd_types[0] : turns == 3 ? &usd_types[3] : NULL;
    if (places == 2 && turns == 3)
        return &usd_types[1];
    if (turns != 2 || along != about)
        return NULL;
    return places == 1 ? &planar : places == 2 ? &cylindrical : NULL;
}

/* Names of what a joint has along its axis: those of the schema of its type, or by the axis of a PhysicsJoint. */
typedef struct usd_along {
    const char *low, *high, *drive;
    bool angle;
    const char *coordinate;
} usd_along;

static void read_limits(usd_reader *r, const usd_prim *prim, tn_machine_coordinate *c, const usd_along *n)
{
    double unit = n->angle ? DEGREE : r->length;
    double low = tn_usd_number(r, prim, n->low, -INFINITY) * unit, high = tn_usd_number(r, prim, n->high, INFINITY) * unit;
    if (low < high) {
        c->low = low;
        c->high = high;
    } else {
        tn_machine_note_add(r->machine, TN_WARNING, prim->place, "joint '%s': its lower limit is not below the upper one: no limits",
                            prim->path);
    }
    double inertia = n->angle ? r->mass * r->length * r->length : r->mass;
    c->armature = tn_usd_number(r, prim, "physxJoint:armature", 0) * inertia;
    if (tn_usd_number(r, prim, "physxJoint:jointFriction", 0) > 0)
        tn_machine_leave_out(r->machine, prim->place, "physxJoint:jointFriction");
}

static double drive_number(usd_reader *r, const usd_prim *prim, const usd_along *n, const char *what, double otherwise)
{
    return tn_usd_number(r, prim, tn_machine_text(r->machine, "drive:%s:physics:%s", n->drive, what), otherwise);
}

/* effort = stiffness (target - q) + damping (speed - q'), at most maxForce; stiffness is per degree along an angle. */
static void read_drive(usd_reader *r, const usd_prim *prim, int joint, const usd_along *n)
{
    double effort = r->mass * r->length * (n->angle ? r->length : 1), unit = n->angle ? DEGREE : r->length;
    double stiffness = drive_number(r, prim, n, "stiffness", 0) * effort / unit;
    double damping = drive_number(r, prim, n, "damping", 0) * effort / unit;
    double target = drive_number(r, prim, n, "targetPosition", 0) * unit, speed = drive_number(r, prim, n, "targetVelocity", 0) * unit;
    double most = drive_number(r, prim, n, "maxForce", INFINITY) * effort;
    if (!(stiffness > 0) && !(damping > 0))
        return;
    if (strcmp(tn_usd_token(prim, tn_machine_text(r->machine, "drive:%s:physics:type", n->drive), "force"), "force") != 0)
        tn_machine_leave_out(r->machine, prim->place, "drives by acceleration (taken as forces)");
    const char *name = tn_machine_text(r->machine, "%s_drive", prim->name);
    tn_machine_load *load = tn_machine_add_load(r->machine, name, stiffness > 0 ? "pid" : "torsion-spring", prim->place);
    load->source = "drive";
    load->joint = joint;
    load->coordinate = n->coordinate;
    if (stiffness > 0) {
        /* the part of the damping that belongs to a speed is an offset of the target */
        tn_load_value(r->machine, load, "target", "%.17g %s", target + damping * speed / stiffness, n->angle ? "rad" : "m");
        tn_load_value(r->machine, load, "kp", "%.17g", stiffness);
        tn_load_value(r->machine, load, "kd", "%.17g", damping);
    } else {
        tn_load_value(r->machine, load, "damping", "%.17g", damping);
        tn_load_value(r->machine, load, "preload", "%.17g", -damping * speed);
    }
    if (isfinite(most) && most > 0 && most < 1e30) {
        if (stiffness > 0)
            tn_load_value(r->machine, load, "limit", "%.17g", most);
        else
            tn_machine_leave_out(r->machine, prim->place, "maxForce of drives without stiffness");
    }
}

static void read_distance(usd_reader *r, const usd_prim *prim, tn_machine_joint *joint)
{
    double low = tn_usd_number(r, prim, "physics:minDistance", -1) * r->length;
    double high = tn_usd_number(r, prim, "physics:maxDistance", -1) * r->length;
    if (high > 0 && fabs(high - low) < 1e-9) {
        tn_joint_setting(joint, "length", high);
        return;
    }
    joint->dropped = true;
    tn_machine_note_add(r->machine, TN_WARNING, prim->place, "distance joint '%s' allows a range of distances: left out", prim->path);
}

static const usd_type *type_of(const usd_prim *prim)
{
    for (size_t i = 0; i < TN_LENGTH(usd_types); i++)
        if (strcmp(prim->type, usd_types[i].name) == 0)
            return &usd_types[i];
    return NULL;
}

/* Coordinates of a joint with one axis; those of a PhysicsJoint by the names of its free axes. */
static void read_axes(usd_reader *r, const usd_prim *prim, int joint, const usd_type *type, const bool *locked, int axis)
{
    static const usd_along turning = { "physics:lowerLimit", "physics:upperLimit", "angular", true, "angle" };
    static const usd_along sliding = { "physics:lowerLimit", "physics:upperLimit", "linear", false, "position" };
    if (!locked) {
        const usd_along *n = strcmp(type->coordinate, "angle") == 0 ? &turning : &sliding;
        read_limits(r, prim, tn_joint_coordinate(&r->machine->joints[joint], n->coordinate), n);
        read_drive(r, prim, joint, n);
        return;
    }
    for (int k = 0; k < 6; k++) {
        bool planar = strcmp(type->type, "planar") == 0, angle = k >= 3;
        const char *low = tn_machine_text(r->machine, "limit:%s:physics:low", axis_names[k]);
        const char *high = tn_machine_text(r->machine, "limit:%s:physics:high", axis_names[k]);
        if (locked[k])
            continue;
        if (planar && !angle) {        /* the joint has coordinates of its own choice in its plane */
            if (tn_usd_get(prim, low) || tn_usd_get(prim, high) ||
                tn_usd_get(prim, tn_machine_text(r->machine, "drive:%s:physics:stiffness", axis_names[k])))
                tn_machine_leave_out(r->machine, prim->place, "limits and drives along the plane of planar joints");
            continue;
        }
        const usd_along n = { low, high, axis_names[k], angle, angle ? "angle" : "position" };
        if (k % 3 == axis) {
            read_limits(r, prim, tn_joint_coordinate(&r->machine->joints[joint], n.coordinate), &n);
            read_drive(r, prim, joint, &n);
        }
    }
}

/* Attributes of other simulators that no reader knows. */
static void count_rest(usd_reader *r, const usd_prim *prim)
{
    static const char *const others[] = { "mjc:", "mujoco:", "physxLimit:" };
    for (const usd_attribute *a = prim->attributes; a; a = a->next)
        for (size_t i = 0; i < TN_LENGTH(others); i++)
            if (strncmp(a->name, others[i], strlen(others[i])) == 0)
                tn_machine_leave_out(r->machine, a->place, "%s of joints", a->name);
}

void tn_usd_joint(usd_reader *r, usd_prim *prim)
{
    const usd_type *type = type_of(prim);
    int body1, body2, axis = -1;
    bool locked[6], generic = type && !type->type;
    tn_pose frame1, frame2;
    size_t length = strlen(prim->type);
    if (!type) {
        if (length > 5 && strcmp(prim->type + length - 5, "Joint") == 0)
            tn_machine_note_add(r->machine, TN_WARNING, prim->place, "joint '%s' of type %s is left out: the machine has more freedom",
                                prim->path, prim->type);
        return;
    }
    if (tn_usd_number(r, prim, "physics:jointEnabled", 1) == 0) {
        tn_machine_leave_out(r->machine, prim->place, "joints that are not enabled");
        return;
    }
    if (generic) {
        find_locked(r, prim, locked);
        type = generic_type(locked, &axis);
    }
    if (!type) {
        tn_machine_note_add(r->machine, TN_WARNING, prim->place, "joint '%s': its locked axes make no joint with a name: left out, the "
                            "machine has more freedom", prim->path);
        return;
    }
    if (!joint_end(r, prim, 0, &body1, &frame1) || !joint_end(r, prim, 1, &body2, &frame2))
        return;
    if (type->coordinate && !generic)
        turn_frames(prim, &frame1, &frame2);
    else if (type->coordinate) {
        static const double origin[3] = { 0, 0, 0 };
        const double direction[3] = { axis == 0, axis == 1, axis == 2 };
        tn_pose turn = tn_pose_z(origin, direction);
        frame1 = tn_pose_compose(&frame1, &turn);
        frame2 = tn_pose_compose(&frame2, &turn);
    }
    int index = tn_machine_add_joint(r->machine, prim->name, type->type, body1, body2, prim->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    prim->joint = index;
    joint->source = prim->type;
    joint->frame1 = frame1;
    joint->frame2 = frame2;
    if (strcmp(type->type, "rod") == 0)
        read_distance(r, prim, joint);
    if (tn_usd_number(r, prim, "physics:coneAngle0Limit", -1) >= 0)
        tn_machine_leave_out(r->machine, prim->place, "cone limits of spherical joints");
    if (type->coordinate)
        read_axes(r, prim, index, type, generic ? locked : NULL, axis);
    count_rest(r, prim);
}

/* The unit of a joint's coordinate in the file: degrees, or lengths of the stage. */
static double unit_of(const usd_reader *r, const tn_machine_joint *joint)
{
    return strcmp(joint->coordinates[0].name, "angle") == 0 ? DEGREE : r->length;
}

/* q + gearing q_leader + offset = 0 */
static void add_mimic(usd_reader *r, const usd_prim *prim, const char *leader, double gearing, double offset, const char *source)
{
    const usd_prim *other = leader ? tn_usd_find(r, leader) : NULL;
    if (!other || other->joint < 0 || r->machine->joints[prim->joint].coordinate_count == 0 ||
        r->machine->joints[other->joint].coordinate_count == 0) {
        tn_machine_note_add(r->machine, TN_WARNING, prim->place, "joint '%s' follows '%s', which is no joint with a coordinate: it moves "
                            "by itself", prim->path, leader ? leader : "");
        return;
    }
    double own = unit_of(r, &r->machine->joints[prim->joint]), its = unit_of(r, &r->machine->joints[other->joint]);
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, tn_machine_text(r->machine, "%s_mimic", prim->name), prim->place);
    coupling->source = source;
    coupling->offset = -offset * own;
    tn_coupling_term_add(coupling, prim->joint, r->machine->joints[prim->joint].coordinates[0].name, 1);
    tn_coupling_term_add(coupling, other->joint, r->machine->joints[other->joint].coordinates[0].name, gearing * own / its);
}

void tn_usd_mimic(usd_reader *r, const usd_prim *prim)
{
    bool follows = false;
    if (prim->joint < 0)
        return;
    for (int k = 0; k < 6 && !follows; k++) {
        const char *schema = tn_machine_text(r->machine, "PhysxMimicJointAPI:%s", axis_names[k]);
        const char *stem = tn_machine_text(r->machine, "physxMimicJoint:%s", axis_names[k]);
        follows = tn_usd_has_schema(prim, schema);
        if (follows)
            add_mimic(r, prim, tn_usd_token(prim, tn_machine_text(r->machine, "%s:referenceJoint", stem), NULL),
                      tn_usd_number(r, prim, tn_machine_text(r->machine, "%s:gearing", stem), 1),
                      tn_usd_number(r, prim, tn_machine_text(r->machine, "%s:offset", stem), 0), "PhysxMimicJointAPI");
    }
    if (!follows && tn_usd_has_schema(prim, "NewtonMimicAPI") && tn_usd_number(r, prim, "newton:mimicEnabled", 1) != 0)
        add_mimic(r, prim, tn_usd_token(prim, "newton:mimicJoint", NULL), -tn_usd_number(r, prim, "newton:mimicCoef1", 1),
                  -tn_usd_number(r, prim, "newton:mimicCoef0", 0), "NewtonMimicAPI");
}
