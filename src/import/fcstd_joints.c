/* Joints of FreeCAD assemblies. */
#include "fcstd_reader.h"

#include "combine.h"
#include "diag.h"
#include "entities.h"
#include "vec.h"

#include <ctype.h>
#include <stdlib.h>

void tn_fc_joint_add(fc_reader *r, fc_object *joint, fc_object *container, int frame)
{
    for (size_t i = 0; i < r->joint_count; i++)
        if (r->joints[i].object == joint)
            return;
    if (r->joint_count == r->joint_capacity) {
        size_t more = r->joint_capacity ? 2 * r->joint_capacity : 32;
        fc_joint *list = tn_arena_alloc(r->machine->arena, more, sizeof *list);
        if (!list) {
            r->machine->status = TN_ERROR_MEMORY;
            return;
        }
        if (r->joint_count > 0)
            memcpy(list, r->joints, r->joint_count * sizeof *list);
        r->joints = list;
        r->joint_capacity = more;
    }
    r->joints[r->joint_count++] = (fc_joint){ joint, container, frame, -1 };
}

/* ---- references ---- */

/* A reference of a joint: the body, the object whose coordinates count as seen from the body, and the element's kind. */
typedef struct fc_reference {
    int body;
    tn_pose in;                /* of the referenced object, in the body's frame */
    char element;              /* F face, E edge, V vertex, 0 none */
} fc_reference;

static bool is_element(const char *word)
{
    return strncmp(word, "Face", 4) == 0 || strncmp(word, "Edge", 4) == 0 || strncmp(word, "Vertex", 6) == 0 || word[0] == 0;
}

/* Walks along "Part.Body.Face3" from an object: the first body on the way, and the places of what lies below it. */
static bool walk(fc_reader *r, fc_object *from, const char *path, fc_reference *out)
{
    fc_object *at = from;
    bool found = at && at->body > TN_GROUND;
    out->body = found ? at->body : -1;
    out->in = tn_pose_identity();
    out->element = 0;
    while (*path) {
        char word[128];
        size_t length = strcspn(path, ".");
        snprintf(word, sizeof word, "%.*s", (int)(length < 120 ? length : 120), path);
        path += length + (path[length] == '.');
        if (is_element(word)) {
            out->element = word[0];
            continue;
        }
        fc_object *next = tn_fc_find(r, word[0] == '$' ? word + 1 : word);
        if (!next || next == at)
            continue;
        if (next->body > TN_GROUND) {          /* the part itself, or one further inside a flexible sub-assembly */
            out->body = next->body;
            out->in = tn_pose_identity();
            found = true;
        } else if (found) {
            tn_pose own = tn_fc_placement(r, next, "Placement");
            out->in = tn_pose_compose(&out->in, &own);
        }
        at = next;
    }
    return found;
}

/* Both ways of writing: object = assembly with sub "Part.Face3" (1.0), object = part with sub "Face3" (1.1); and Object1 with
 * Part1 of the previews. */
static bool read_reference(fc_reader *r, const fc_joint *j, const char *which, fc_reference *out)
{
    char name[24];
    const char *file = NULL;
    snprintf(name, sizeof name, "Reference%s", which);
    fc_object *object = tn_fc_link(r, j->object, name, &file);
    const char *sub = tn_fc_sub(j->object, name);
    if (!object) {
        snprintf(name, sizeof name, "Part%s", which);
        object = tn_fc_link(r, j->object, name, &file);
        snprintf(name, sizeof name, "Element%s", which);
        sub = tn_fc_sub(j->object, name);
    }
    if (object && walk(r, object, sub, out))
        return true;
    if (object && object == j->container) {    /* origin planes and axes of the assembly itself */
        *out = (fc_reference){ .body = j->frame, .in = tn_pose_identity() };
        return true;
    }
    tn_machine_note_add(r->machine, TN_WARNING, j->object->data->place, "joint '%s' is left out: its reference %s names no part of "
                        "the assembly%s%s", j->object->name, which, file ? ", it is in " : "", file ? file : "");
    return false;
}

/* ---- types ---- */

static void align(tn_machine *machine, tn_machine_joint *joint)
{
    tn_pose w1 = tn_pose_compose(&machine->bodies[joint->body1].pose, &joint->frame1);
    tn_pose w2 = tn_pose_compose(&machine->bodies[joint->body2].pose, &joint->frame2);
    memcpy(w2.q, w1.q, sizeof w2.q);
    joint->frame2 = tn_pose_relative(&machine->bodies[joint->body2].pose, &w2);
}

static void read_limits(fc_reader *r, const fc_object *object, tn_machine_coordinate *c, bool angle)
{
    double unit = angle ? acos(-1.0) / 180 : 1e-3;
    if (tn_fc_flag(object, angle ? "EnableAngleMin" : "EnableLengthMin", false))
        c->low = unit * tn_fc_number(r, object, angle ? "AngleMin" : "LengthMin", 0);
    if (tn_fc_flag(object, angle ? "EnableAngleMax" : "EnableLengthMax", false))
        c->high = unit * tn_fc_number(r, object, angle ? "AngleMax" : "LengthMax", 0);
}

/* Distance joints: what they hold depends on the elements. Faces that are parallel in the file count as planes. */
static void distance_joint(fc_reader *r, const fc_joint *j, tn_machine_joint *joint, char a, char b)
{
    tn_machine *machine = r->machine;
    double distance = 1e-3 * tn_fc_number(r, j->object, "Distance", 0), z1[3], z2[3];
    static const double z[3] = { 0, 0, 1 };
    tn_pose w1 = tn_pose_compose(&machine->bodies[joint->body1].pose, &joint->frame1);
    tn_pose w2 = tn_pose_compose(&machine->bodies[joint->body2].pose, &joint->frame2);
    tn_quat_rotate(z1, w1.q, z);
    tn_quat_rotate(z2, w2.q, z);
    double d[3];
    tn_sub3(d, w2.p, w1.p);
    double along = tn_dot3(d, z1);
    if (a == 'V' && b == 'V') {
        joint->type = distance > 0 ? "rod" : "spherical";
        if (distance > 0)
            tn_joint_setting(joint, "length", distance);
    } else if (a == 'F' && b == 'V') {
        joint->type = "touch-plane";
        tn_joint_setting(joint, "radius", copysign(distance, along));
    } else if (a == 'F' && b == 'F' && fabs(tn_dot3(z1, z2)) > 1 - 1e-6) {
        joint->type = "planar";
        tn_axpy3(w1.p, copysign(distance, along), z1);
        joint->frame1 = tn_pose_relative(&machine->bodies[joint->body1].pose, &w1);
    } else {
        tn_machine_note_add(machine, TN_WARNING, j->object->data->place, "joint '%s' (Distance between elements whose surfaces are "
                            "not known) is left out", j->object->name);
        joint->dropped = true;
    }
}

static void make_joint(fc_reader *r, fc_joint *j, const char *kind)
{
    static const struct { const char *name, *type, *coordinates[2]; } types[] = {
        { "Fixed", "fixed", { NULL } },                { "Revolute", "revolute", { "angle" } },
        { "Cylindrical", "cylindrical", { "position", "angle" } }, { "Slider", "prismatic", { "position" } },
        { "Ball", "spherical", { NULL } },             { "Parallel", "parallel", { NULL } },
        { "Perpendicular", "perpendicular", { NULL } },{ "Angle", "axis-angle", { NULL } },
        { "Screw", "screw-row", { NULL } },               { "Distance", "planar", { NULL } },
    };
    fc_reference a, b;
    if (!read_reference(r, j, "1", &a) || !read_reference(r, j, "2", &b))
        return;
    for (size_t i = 0; i < TN_LENGTH(types); i++) {
        if (strcmp(kind, types[i].name) != 0)
            continue;
        bool swap = strcmp(kind, "Distance") == 0 && a.element == 'V' && b.element == 'F';
        tn_pose p1 = tn_fc_placement(r, j->object, "Placement1"), p2 = tn_fc_placement(r, j->object, "Placement2");
        const fc_reference *first = swap ? &b : &a, *second = swap ? &a : &b;
        j->joint = tn_machine_add_joint(r->machine, j->object->name, types[i].type, first->body, second->body,
                                        j->object->data->place);
        if (tn_machine_status(r->machine) < 0)
            return;
        tn_machine_joint *joint = &r->machine->joints[j->joint];
        joint->source = kind;
        joint->frame1 = tn_pose_compose(&first->in, swap ? &p2 : &p1);
        joint->frame2 = tn_pose_compose(&second->in, swap ? &p1 : &p2);
        if (strcmp(kind, "Fixed") == 0 || strcmp(kind, "Slider") == 0)
            align(r->machine, joint);          /* z axes may be opposite: the pose decides */
        for (int k = 0; k < 2 && types[i].coordinates[k]; k++)
            read_limits(r, j->object, tn_joint_coordinate(joint, types[i].coordinates[k]),
                        strcmp(types[i].coordinates[k], "angle") == 0);
        if (strcmp(kind, "Distance") == 0)
            distance_joint(r, j, joint, first->element, second->element);
        if (strcmp(kind, "Angle") == 0)
            tn_joint_setting(joint, "cosine", cos(acos(-1.0) / 180 * tn_fc_number(r, j->object, "Angle",
                             tn_fc_number(r, j->object, "Distance", 0))));
        if (strcmp(kind, "Screw") == 0) {      /* one equation: other joints hold the nut and the screw on the axis */
            double lead = 1e-3 * tn_fc_number(r, j->object, "Distance", 1);
            tn_joint_setting(joint, "lead", lead);
            tn_joint_setting(joint, "offset", tn_machine_screw_offset(r->machine, joint, lead));
        }
        return;
    }
    if (strcmp(kind, "Gears") != 0 && strcmp(kind, "Belt") != 0 && strcmp(kind, "RackPinion") != 0)
        tn_machine_note_add(r->machine, TN_WARNING, j->object->data->place, "joint '%s' (%s) is not understood: left out",
                            j->object->name, kind);
}

/* ---- gears ---- */

/* The joint with the coordinate that holds a body; *sign: 1 when the body is its second. -1: none. */
static int holder_of(const fc_reader *r, int body, const char *coordinate, double *sign)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        int index = r->joints[i].joint;
        if (index < 0)
            continue;
        const tn_machine_joint *joint = &r->machine->joints[index];
        for (size_t k = 0; k < joint->coordinate_count; k++)
            if (strcmp(joint->coordinates[k].name, coordinate) == 0 && (joint->body1 == body || joint->body2 == body)) {
                *sign = joint->body2 == body ? 1 : -1;
                return index;
            }
    }
    return -1;
}

/* The axis of a joint in the world. */
static void axis_in_world(const fc_reader *r, int joint, double axis[3])
{
    static const double z[3] = { 0, 0, 1 };
    const tn_machine_joint *j = &r->machine->joints[joint];
    tn_pose world = tn_pose_compose(&r->machine->bodies[j->body1].pose, &j->frame1);
    tn_quat_rotate(axis, world.q, z);
}

static void make_gear(fc_reader *r, fc_joint *j, const char *kind)
{
    bool rack = strcmp(kind, "RackPinion") == 0;
    fc_reference a, b;
    double s1 = 1, s2 = 1, z1[3], z2[3];
    if (!read_reference(r, j, "1", &a) || !read_reference(r, j, "2", &b))
        return;
    int first = holder_of(r, a.body, rack ? "position" : "angle", &s1), second = holder_of(r, b.body, "angle", &s2);
    if (rack && first < 0) {
        first = holder_of(r, b.body, "position", &s1);
        second = holder_of(r, a.body, "angle", &s2);
    }
    if (first < 0 || second < 0) {
        tn_machine_note_add(r->machine, TN_WARNING, j->object->data->place, "joint '%s' (%s) is left out: no joint holds its parts "
                            "on an axis", j->object->name, kind);
        return;
    }
    double r1 = 1e-3 * tn_fc_number(r, j->object, "Distance", 1), r2 = 1e-3 * tn_fc_number(r, j->object, "Distance2", 1);
    axis_in_world(r, first, z1);
    axis_in_world(r, second, z2);
    double way = tn_dot3(z1, z2) < 0 ? -1 : 1;
    tn_machine_coupling *coupling = tn_machine_add_coupling(r->machine, j->object->name, j->object->data->place);
    coupling->source = kind;
    if (rack) {
        tn_coupling_term_add(coupling, first, "position", s1);
        tn_coupling_term_add(coupling, second, "angle", -s2 * r1);
        tn_machine_note_add(r->machine, TN_NOTE, j->object->data->place, "rack and pinion '%s': check which way the rack runs",
                            j->object->name);
    } else {
        tn_coupling_term_add(coupling, first, "angle", s1 * r1);
        tn_coupling_term_add(coupling, second, "angle", (strcmp(kind, "Belt") == 0 ? -1 : 1) * way * s2 * r2);
    }
}

/* ---- all of them ---- */

static bool is_active(const fc_object *joint)
{
    return tn_fc_flag(joint, "Activated", true) && !tn_fc_flag(joint, "Suppressed", false);
}

static void ground(fc_reader *r, const fc_joint *j)
{
    fc_object *target = tn_fc_link(r, j->object, "ObjectToGround", NULL);
    if (!target || target->body < 0) {
        tn_machine_note_add(r->machine, TN_WARNING, j->object->data->place, "'%s' grounds nothing of the assembly", j->object->name);
        return;
    }
    int index = tn_machine_add_joint(r->machine, tn_machine_text(r->machine, "%s_grounded", target->name), "fixed", j->frame,
                                     target->body, j->object->data->place);
    if (tn_machine_status(r->machine) < 0)
        return;
    r->machine->joints[index].source = "grounded";
    r->machine->joints[index].frame1 = tn_pose_relative(&r->machine->bodies[j->frame].pose,
                                                        &r->machine->bodies[target->body].pose);
}

int tn_fc_joints(fc_reader *r)
{
    bool held = false;
    for (int gears = 0; gears < 2; gears++)
        for (size_t i = 0; i < r->joint_count && tn_machine_status(r->machine) >= 0; i++) {
            fc_joint *j = &r->joints[i];
            const char *kind = tn_fc_enumeration(r, j->object, "JointType");
            bool gear = kind && (strcmp(kind, "Gears") == 0 || strcmp(kind, "Belt") == 0 || strcmp(kind, "RackPinion") == 0);
            if (!is_active(j->object)) {
                if (!gears)
                    tn_machine_leave_out(r->machine, j->object->data->place, "joints that are not active");
            } else if (!kind) {
                if (!gears)
                    ground(r, j);
                held = held || j->frame == TN_GROUND;
            } else if (gear && gears) {
                make_gear(r, j, kind);
            } else if (!gear && !gears) {
                make_joint(r, j, kind);
            }
        }
    tn_machine *machine = r->machine;
    for (int b = 1; b < (int)machine->body_count && !held && machine->options->base != TN_BASE_FREE; b++) {
        int index = tn_machine_add_joint(machine, "base", "fixed", TN_GROUND, b, machine->bodies[b].place);
        TN_TRY(tn_machine_status(machine));
        machine->joints[index].frame1 = machine->bodies[b].pose;
        machine->joints[index].source = "base";
        held = true;
        tn_machine_note_add(machine, TN_NOTE, machine->bodies[b].place, "nothing is grounded in the file: the first part, '%s', is "
                            "fixed to ground; --base=free lets it move", machine->bodies[b].name);
    }
    return tn_machine_status(machine);
}
