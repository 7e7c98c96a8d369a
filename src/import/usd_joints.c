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

/* The joint that a PhysicsJoint with locked axes (low above high) is; NULL: none with a name. */
static const usd_type *generic_type(usd_reader *r, const usd_prim *prim, int *axis)
{
    static const char *const names[6] = { "transX", "transY", "transZ", "rotX", "rotY", "rotZ" };
    bool locked[6];
    int places = 0, turns = 0;
    for (int k = 0; k < 6; k++) {
        double low = tn_usd_number(r, prim, tn_machine_text(r->machine, "limit:%s:physics:low", names[k]), -INFINITY);
        double high = tn_usd_number(r, prim, tn_machine_text(r->machine, "limit:%s:physics:high", names[k]), INFINITY);
        locked[k] = low > high || low == high;
        *(k < 3 ? &places : &turns) += locked[k];
    }
    *axis = 2;
    for (int k = 0; k < 3; k++)
        if (places == 3 && turns == 2 ? !locked[3 + k] : !locked[k])
            *axis = k;
    if (places == 3 && turns < 2)
        return turns == 0 ? &usd_types[2] : NULL;
    if (places == 3)
        return turns == 3 ? &usd_types[3] : &usd_types[0];
    return places == 2 && turns == 3 ? &usd_types[1] : NULL;
}

static void read_limits(usd_reader *r, const usd_prim *prim, tn_machine_coordinate *c, bool angle)
{
    double unit = angle ? DEGREE : r->length;
    double low = tn_usd_number(r, prim, "physics:lowerLimit", -INFINITY) * unit;
    double high = tn_usd_number(r, prim, "physics:upperLimit", INFINITY) * unit;
    if (low < high) {
        c->low = low;
        c->high = high;
    } else {
        tn_machine_note_add(r->machine, TN_WARNING, prim->place, "joint '%s': its lower limit is not below the upper one: no limits",
                            prim->path);
    }
    double inertia = angle ? r->mass * r->length * r->length : r->mass;
    c->armature = tn_usd_number(r, prim, "physxJoint:armature", 0) * inertia;
    if (tn_usd_number(r, prim, "physxJoint:jointFriction", 0) > 0)
        tn_machine_leave_out(r->machine, prim->place, "physxJoint:jointFriction");
}

/* effort = stiffness (target - q) + damping (speed - q'), at most maxForce; stiffness is per degree along an angle. */
static void read_drive(usd_reader *r, const usd_prim *prim, int joint, const char *coordinate)
{
    bool angle = strcmp(coordinate, "angle") == 0;
    const char *kind = angle ? "angular" : "linear";
    double effort = r->mass * r->length * (angle ? r->length : 1), unit = angle ? DEGREE : r->length;
    double stiffness = tn_usd_number(r, prim, tn_machine_text(r->machine, "drive:%s:physics:stiffness", kind), 0) * effort / unit;
    double damping = tn_usd_number(r, prim, tn_machine_text(r->machine, "drive:%s:physics:damping", kind), 0) * effort / unit;
    double target = tn_usd_number(r, prim, tn_machine_text(r->machine, "drive:%s:physics:targetPosition", kind), 0) * unit;
    double speed = tn_usd_number(r, prim, tn_machine_text(r->machine, "drive:%s:physics:targetVelocity", kind), 0) * unit;
    double most = tn_usd_number(r, prim, tn_machine_text(r->machine, "drive:%s:physics:maxForce", kind), INFINITY) * effort;
    if (!(stiffness > 0) && !(damping > 0))
        return;
    if (strcmp(tn_usd_token(prim, tn_machine_text(r->machine, "drive:%s:physics:type", kind), "force"), "force") != 0)
        tn_machine_leave_out(r->machine, prim->place, "drives by acceleration (taken as forces)");
    const char *name = tn_machine_text(r->machine, "%s_drive", prim->name);
    tn_machine_load *load = tn_machine_add_load(r->machine, name, stiffness > 0 ? "pid" : "torsion-spring", prim->place);
    load->source = "drive";
    load->joint = joint;
    load->coordinate = coordinate;
    if (stiffness > 0) {
        tn_load_value(r->machine, load, "target", "%.17g %s", target, angle ? "rad" : "m");
        tn_load_value(r->machine, load, "kp", "%.17g", stiffness);
        tn_load_value(r->machine, load, "kd", "%.17g", damping);
        if (speed != 0)
            tn_machine_leave_out(r->machine, prim->place, "targetVelocity of drives with stiffness");
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

void tn_usd_joint(usd_reader *r, const usd_prim *prim)
{
    const usd_type *type = type_of(prim);
    int body1, body2, axis = -1;
    tn_pose frame1, frame2;
    if (!type)
        return;
    if (tn_usd_number(r, prim, "physics:jointEnabled", 1) == 0) {
        tn_machine_leave_out(r->machine, prim->place, "joints that are not enabled");
        return;
    }
    if (!type->type && !(type = generic_type(r, prim, &axis))) {
        tn_machine_note_add(r->machine, TN_WARNING, prim->place, "joint '%s': its locked axes make no joint with a name: left out, the "
                            "machine has more freedom", prim->path);
        return;
    }
    if (!joint_end(r, prim, 0, &body1, &frame1) || !joint_end(r, prim, 1, &body2, &frame2))
        return;
    if (type->coordinate && axis < 0)
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
    joint->source = prim->type;
    joint->frame1 = frame1;
    joint->frame2 = frame2;
    if (strcmp(type->type, "rod") == 0)
        read_distance(r, prim, joint);
    if (tn_usd_number(r, prim, "physics:coneAngle0Limit", -1) >= 0)
        tn_machine_leave_out(r->machine, prim->place, "cone limits of spherical joints");
    if (!type->coordinate)
        return;
    read_limits(r, prim, tn_joint_coordinate(joint, type->coordinate), strcmp(type->coordinate, "angle") == 0);
    read_drive(r, prim, index, type->coordinate);
}
