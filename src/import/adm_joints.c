/* Constraints of Adams datasets: joints, joint primitives, couplers, gears and motions. Marker I moves against marker J, so J
 * is frame 1 of the joint. */
#include "adm_reader.h"

#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct adm_type {
    const char *name, *type;
    const char *coordinates[2];
} adm_type;

static const adm_type joint_types[] = {
    { "REVOLUTE", "revolute", { "angle" } },       { "TRANSLATIONAL", "prismatic", { "position" } },
    { "CYLINDRICAL", "cylindrical", { "position", "angle" } }, { "SPHERICAL", "spherical", { NULL } },
    { "FIXED", "fixed", { NULL } },                { "UNIVERSAL", "universal", { "angle_1", "angle_2" } },
    { "HOOKE", "universal", { "angle_1", "angle_2" } }, { "PLANAR", "planar", { NULL } },
    { "CONVEL", "constant-velocity", { NULL } },   { "SCREW", "screw-row", { NULL } },
    { "RACKPIN", "rack-mesh", { NULL } },
};

static const adm_type primitive_types[] = {
    { "ATPOINT", "spherical", { NULL } },          { "INLINE", "point-on-line", { NULL } },
    { "INPLANE", "point-on-plane", { NULL } },     { "ORIENTATION", "no-rotation", { NULL } },
    { "PARALLEL_AXES", "parallel", { NULL } },     { "PERPENDICULAR", "perpendicular", { NULL } },
};

/* A frame whose z axis is the x axis of the given one. */
static tn_pose x_as_z(const tn_pose *frame)
{
    static const double x[3] = { 1, 0, 0 };
    double axis[3];
    tn_quat_rotate(axis, frame->q, x);
    return tn_pose_z(frame->p, axis);
}

static bool keep_joint(adm_reader *r, int joint, int i, int j)
{
    if (r->joint_count == r->joint_capacity) {
        size_t more = r->joint_capacity ? 2 * r->joint_capacity : 32;
        adm_joint *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return false;
        }
        if (r->joint_count > 0)
            memcpy(list, r->joints, r->joint_count * sizeof *list);
        r->joints = list;
        r->joint_capacity = more;
    }
    r->joints[r->joint_count++] = (adm_joint){ joint, i, j };
    return true;
}

static bool register_joint(adm_reader *r, const adm_statement *s, int joint, int i, int j)
{
    if (!keep_joint(r, joint, i, j))
        return false;
    const char *id = tn_machine_text(r->machine, "%s%d", s->keyword[1] == 'P' ? "P" : "", s->id);
    if (!tn_index_put(r->joint_ids, id, (int)r->joint_count - 1))
        ADM_ERROR(r, s->place, "%s/%d is there twice", s->keyword, s->id);
    return true;
}

/* The number of the cylindrical joint between the same bodies; -1: none. */
static int find_cylindrical(const adm_reader *r, int body1, int body2)
{
    for (size_t k = 0; k < r->joint_count; k++) {
        const tn_machine_joint *joint = &r->machine->joints[r->joints[k].joint];
        if (strcmp(joint->type, "cylindrical") == 0 && ((joint->body1 == body1 && joint->body2 == body2) ||
                                                        (joint->body1 == body2 && joint->body2 == body1)))
            return r->joints[k].joint;
    }
    return -1;
}

/* One equation in Adams: a coupling where a cylindrical joint does the rest. False: a joint is needed. */
static bool couple_screw(adm_reader *r, const adm_statement *s, const adm_marker *i, const adm_marker *j, double pitch)
{
    int joint = find_cylindrical(r, i->body, j->body);
    if (joint < 0)
        return false;
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, s->name, s->place);
    coupling->source = "SCREW";
    tn_coupling_term_add(coupling, joint, "position", 1);
    tn_coupling_term_add(coupling, joint, "angle", -pitch / (2 * acos(-1.0)));
    return true;
}

/* I is on the pinion with its axis along z, J on the rack, which runs along z. The teeth meet where J is, so its side decides which
 * way the rack runs; an origin on the axis of the pinion says nothing about that. */
static void set_rack(adm_reader *r, const adm_statement *s, tn_machine_joint *joint, const adm_marker *i, const adm_marker *j)
{
    static const double z[3] = { 0, 0, 1 };
    tn_pose pinion = tn_adm_world(r, i), rack = tn_adm_world(r, j);
    double axis[3], way[3], side[3], arm[3], R[3][3], radius = tn_adm_number(r, s, "PD", 0) * r->length / 2;
    tn_quat_rotate(axis, pinion.q, z);
    tn_quat_rotate(way, rack.q, z);
    tn_axpy3(axis, -tn_dot3(axis, way), way);
    double length = tn_norm3(axis);
    if (!(length > 1e-6) || radius == 0) {
        ADM_ERROR(r, s->place, "RACKPIN '%s': its rack runs along the axis of the pinion, or PD is missing", s->name);
        return;
    }
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
    tn_cross3(side, axis, way);
    tn_sub3(arm, rack.p, pinion.p);
    double offset = tn_dot3(arm, side);
    if (fabs(offset) > 0.1 * fabs(radius))     /* the teeth are on that side */
        radius = offset < 0 ? fabs(radius) : -fabs(radius);
    else
        tn_machine_note_add(r->machine, TN_NOTE, s->place, "RACKPIN '%s': check which way the rack runs", s->name);
    for (int k = 0; k < 3; k++)
        R[k][0] = way[k], R[k][1] = side[k], R[k][2] = axis[k];
    tn_quat_from_matrix(rack.q, (const double (*)[3])R);
    joint->frame1 = tn_pose_relative(&r->machine->bodies[j->body].pose, &rack);
    tn_joint_setting(joint, "radius", radius);
}

static void set_start(adm_reader *r, const adm_statement *s, tn_machine_joint *joint)
{
    double values[2] = { 0 };
    const char *translation = tn_adm_get(s, "ICTRAN"), *rotation = tn_adm_get(s, "ICROT");
    int count = tn_adm_numbers(r, s, "IC", values, 2);
    for (size_t k = 0; k < joint->coordinate_count; k++) {
        tn_machine_coordinate *c = &joint->coordinates[k];
        bool angle = strncmp(c->name, "angle", 5) == 0;
        if (angle ? rotation != NULL : translation != NULL)
            count = tn_adm_numbers(r, s, angle ? "ICROT" : "ICTRAN", values, 2);
        if (count > 1)
            c->rate = values[1] * (angle ? 1 : r->length) / r->time;
    }
}

void tn_adm_constraint(adm_reader *r, const adm_statement *s)
{
    bool primitive = s->keyword[1] == 'P';
    const adm_type *types = primitive ? primitive_types : joint_types, *type = NULL;
    size_t count = primitive ? TN_LENGTH(primitive_types) : TN_LENGTH(joint_types);
    for (size_t k = 0; k < count; k++)
        if (tn_adm_has(s, types[k].name))
            type = &types[k];
    if (!type) {
        tn_machine_note_add(r->machine, TN_WARNING, s->place, "%s '%s': its type (%s) has no counterpart: left out, the machine "
                            "has more freedom", s->keyword, s->name, s->arguments ? s->arguments->text : "");
        return;
    }
    const adm_marker *i = tn_adm_marker(r, s, "I"), *j = tn_adm_marker(r, s, "J");
    if (!i || !j)
        return;
    bool screw = strcmp(type->type, "screw-row") == 0, rack = strcmp(type->type, "rack-mesh") == 0, hooke = strcmp(type->name, "HOOKE") == 0;
    double pitch = tn_adm_number(r, s, "PITCH", 0) * r->length;
    if (screw && couple_screw(r, s, i, j, pitch))
        return;
    int index = tn_machine_add_joint(r->machine, s->name, type->type, j->body, i->body, s->place);
    if (tn_machine_status(r->machine) < 0 || !register_joint(r, s, index, i->id, j->id))
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = type->name;
    joint->frame1 = hooke ? x_as_z(&j->pose) : j->pose;
    joint->frame2 = hooke ? x_as_z(&i->pose) : i->pose;
    for (int k = 0; k < 2 && type->coordinates[k]; k++)
        tn_joint_coordinate(joint, type->coordinates[k]);
    set_start(r, s, joint);
    if (screw) {
        tn_joint_setting(joint, "lead", pitch);
        tn_joint_setting(joint, "offset", tn_machine_screw_offset(r->machine, joint, pitch));
    }
    if (strcmp(type->name, "CONVEL") == 0)
        tn_machine_turn_over(r->machine, joint);
    if (rack)
        set_rack(r, s, joint, i, j);
}

/* A function that must be 0: of those, a distance between two markers that is a number. */
void tn_adm_constraint_by_function(adm_reader *r, const adm_statement *s)
{
    const char *law = tn_adm_get(s, "FUNCTION");
    int a = 0, b = 0, used = 0;
    double length = 0;
    bool rod = law && sscanf(law, " %*[dD]%*[mM] ( %d , %d ) - %lf %n", &a, &b, &length, &used) == 3 && !law[used];
    const adm_marker *i = rod ? tn_adm_marker_by_id(r, a) : NULL, *j = rod ? tn_adm_marker_by_id(r, b) : NULL;
    if (!i || !j) {
        tn_machine_note_add(r->machine, TN_WARNING, s->place, "GCON '%s' is left out: of functions only DM(I, J) - LENGTH has a "
                            "counterpart; the machine has more freedom", s->name);
        return;
    }
    int index = tn_machine_add_joint(r->machine, s->name, "rod", j->body, i->body, s->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = "GCON";
    joint->frame1 = j->pose;
    joint->frame2 = i->pose;
    tn_joint_setting(joint, "length", length * r->length);
}

/* ---- couplers and gears ---- */

static const adm_joint *joint_by_id(adm_reader *r, const adm_statement *s, int id)
{
    int index = tn_index_find(r->joint_ids, tn_machine_text(r->machine, "%d", id));
    if (index < 0)
        ADM_ERROR(r, s->place, "%s/%d: there is no joint %d", s->keyword, s->id, id);
    return index < 0 ? NULL : &r->joints[index];
}

/* How fast a point moves along an axis (both in the world) for a unit rate of the joint, seen from the body of carrier. */
static double speed_along(adm_reader *r, const adm_joint *j, const tn_pose *cv, int carrier, const char *coordinate)
{
    static const double z[3] = { 0, 0, 1 };
    const tn_machine_joint *joint = &r->machine->joints[j->joint];
    const adm_marker *marker = tn_adm_marker_by_id(r, j->j);
    tn_pose frame = tn_adm_world(r, marker);
    double axis[3], line[3], arm[3], speed[3];
    tn_quat_rotate(axis, frame.q, z);
    tn_quat_rotate(line, cv->q, z);
    tn_sub3(arm, cv->p, frame.p);
    tn_cross3(speed, axis, arm);
    double value = strcmp(coordinate, "position") == 0 ? tn_dot3(axis, line) : tn_dot3(speed, line);
    return joint->body2 == carrier ? -value : value;       /* the gear is the other body */
}

static const char *coupled_coordinate(const tn_machine_joint *joint, const char *type, size_t place)
{
    for (size_t k = 0; type && k < place; k++)
        type = strchr(type, ':') ? strchr(type, ':') + 1 : NULL;
    bool angle = !type || type[0] == 'R' || type[0] == 'r';
    for (size_t k = 0; k < joint->coordinate_count; k++)
        if ((strncmp(joint->coordinates[k].name, "angle", 5) == 0) == angle)
            return joint->coordinates[k].name;
    return joint->coordinate_count > 0 ? joint->coordinates[0].name : NULL;
}

void tn_adm_coupling(adm_reader *r, const adm_statement *s)
{
    double ids[3] = { 0 }, scales[3] = { 1, 0, 0 }, given[3];
    bool gear = s->keyword[0] == 'G';
    int count = tn_adm_numbers(r, s, "JOINTS", ids, 3), found = tn_adm_numbers(r, s, "SCALES", given, 3);
    const adm_marker *cv = gear ? tn_adm_marker(r, s, "CV") : NULL;
    if (count < 2 || (gear && !cv) || (!gear && found < count - 1)) {
        tn_machine_note_add(r->machine, TN_WARNING, s->place, "%s '%s' is not understood: left out", s->keyword, s->name);
        return;
    }
    memcpy(found == count ? scales : scales + 1, given, (size_t)found * sizeof *given);
    tn_pose at = gear ? tn_adm_world(r, cv) : tn_pose_identity();
    size_t before = r->machine->coupling_count;
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, s->name, s->place);
    coupling->source = s->keyword;
    for (int k = 0; k < count; k++) {
        const adm_joint *j = joint_by_id(r, s, (int)ids[k]);
        const char *coordinate = j ? coupled_coordinate(&r->machine->joints[j->joint], tn_adm_get(s, "TYPE"), (size_t)k) : NULL;
        if (!coordinate) {
            r->machine->coupling_count = before;
            if (j)
                tn_machine_note_add(r->machine, TN_WARNING, s->place, "%s '%s' couples a joint without a coordinate: left out",
                                    s->keyword, s->name);
            return;
        }
        if (gear)
            scales[k] = (k == 0 ? 1 : -1) * speed_along(r, j, &at, cv->body, coordinate);
        else if (strcmp(coordinate, "position") == 0)
            scales[k] /= r->length;            /* the equation is in units of the file */
        tn_coupling_term_add(coupling, j->joint, coordinate, scales[k]);
    }
    if (gear && !(fabs(scales[0]) > 0 && fabs(scales[1]) > 0)) {
        r->machine->coupling_count = before;
        ADM_ERROR(r, s->place, "GEAR '%s': the z axis of its CV marker is not along the motion of the teeth", s->name);
    }
}

/* ---- motions ---- */

/* A joint that holds nothing between two markers whose z axes are parallel; -1: they are not. */
static int measuring_joint(adm_reader *r, const adm_marker *i, const adm_marker *j)
{
    static const double z[3] = { 0, 0, 1 };
    static const double parallel = 1e-6;       /* rad: markers of one axis, written with few digits */
    double zi[3], zj[3], cross[3];
    tn_pose a = tn_adm_world(r, i), b = tn_adm_world(r, j);
    tn_quat_rotate(zi, a.q, z);
    tn_quat_rotate(zj, b.q, z);
    tn_cross3(cross, zi, zj);
    if (i->body == j->body || tn_dot3(zi, zj) < 0 || tn_norm3(cross) > parallel)
        return -1;
    int index = tn_machine_add_joint(r->machine, tn_machine_text(r->machine, "marker_%d_marker_%d", j->id, i->id), "free", j->body,
                                     i->body, r->machine->bodies[i->body].place);
    if (tn_machine_status(r->machine) < 0)
        return -1;
    tn_machine_joint *joint = &r->machine->joints[index];
    joint->source = "measured by functions";
    joint->frame1 = j->pose;
    joint->frame2 = i->pose;
    return index;
}

adm_coordinate tn_adm_coordinate(adm_reader *r, int i, int j, bool angle)
{
    for (size_t k = 0; k < r->joint_count; k++) {
        const adm_joint *joint = &r->joints[k];
        bool straight = joint->i == i && joint->j == j, turned = joint->i == j && joint->j == i;
        const tn_machine_joint *m = &r->machine->joints[joint->joint];
        if ((straight || turned) && strcmp(m->type, "free") == 0 && straight)
            return (adm_coordinate){ joint->joint, angle ? "yaw" : "z", 1 };
        for (size_t c = 0; c < m->coordinate_count && (straight || turned); c++)
            if (strcmp(m->coordinates[c].name, angle ? "angle" : "position") == 0)
                return (adm_coordinate){ joint->joint, m->coordinates[c].name, straight ? 1 : -1 };
    }
    const adm_marker *a = tn_adm_marker_by_id(r, i), *b = tn_adm_marker_by_id(r, j);
    int measuring = a && b ? measuring_joint(r, a, b) : -1;
    if (measuring < 0 || !keep_joint(r, measuring, i, j))
        return (adm_coordinate){ -1, NULL, 1 };
    return (adm_coordinate){ measuring, angle ? "yaw" : "z", 1 };
}

void tn_adm_motion(adm_reader *r, const adm_statement *s)
{
    char why[160] = "it drives markers that no joint connects";
    const char *id = tn_adm_get(s, "JOINT"), *law = tn_adm_get(s, "FUNCTION");
    bool angle = tn_adm_has(s, "ROTATION") || tn_adm_has(s, "B3");
    adm_coordinate c = { -1, NULL, 1 };
    if (id) {
        const adm_joint *j = joint_by_id(r, s, atoi(id));
        if (!j)
            return;
        c = tn_adm_coordinate(r, j->i, j->j, angle);
    } else if (tn_adm_get(s, "I") && tn_adm_get(s, "J") && (tn_adm_has(s, "Z") || angle)) {
        c = tn_adm_coordinate(r, atoi(tn_adm_get(s, "I")), atoi(tn_adm_get(s, "J")), angle);
    }
    const char *expression = c.joint >= 0 && law ? tn_adm_expression(r, law, why) : NULL;
    if (!expression) {
        tn_machine_note_add(r->machine, TN_WARNING, s->place, "MOTION '%s' is left out: %s; its coordinate is free", s->name, why);
        return;
    }
    bool rate = tn_adm_has(s, "VELOCITY"), acceleration = tn_adm_has(s, "ACCELERATION");
    int powers = acceleration ? 2 : rate ? 1 : 0;
    double unit = (angle ? 1 : r->length) / pow(r->time, powers) * c.sign;
    static const char *const units[2][3] = { { "m", "m/s", "m/s^2" }, { "rad", "rad/s", "rad/s^2" } };
    tn_machine_load *drive = tn_machine_add_load(r->machine, s->name, NULL, s->place);
    drive->source = "MOTION";
    drive->joint = c.joint;
    drive->coordinate = c.name;
    tn_load_value(r->machine, drive, acceleration ? "acceleration" : rate ? "rate" : angle ? "angle" : "position", "\"%.17g %s * (%s)\"", unit,
                  units[angle][powers], expression);
}
