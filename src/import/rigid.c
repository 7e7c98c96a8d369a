/* Rigid groups of an imported machine: bodies that fixed joints connect become one, with the sum of their masses. */
#include "machine.h"

#include "entities.h"
#include "vec.h"

/* Joints by body: those of body b are list[first[b]] ... list[first[b + 1] - 1]. */
typedef struct joint_lists {
    int *first, *list;
} joint_lists;

/* With keep_fixed, only frames without mass and what is fixed to the world become part of others. */
static bool merges(const tn_machine *machine, const tn_machine_joint *joint)
{
    if (strcmp(joint->type, "fixed") != 0 || joint->dropped || joint->keep)
        return false;
    return !machine->options->keep_fixed || joint->body1 == TN_GROUND || joint->body2 == TN_GROUND ||
           machine->bodies[joint->body1].mass == 0 || machine->bodies[joint->body2].mass == 0;
}

static bool list_joints(joint_lists *out, tn_machine *machine)
{
    size_t bodies = machine->body_count, joints = machine->joint_count;
    out->first = tn_arena_alloc(machine->arena, bodies + 2, sizeof *out->first);
    out->list = tn_arena_alloc(machine->arena, 2 * joints + 1, sizeof *out->list);
    if (!out->first || !out->list)
        return false;
    for (size_t i = 0; i < joints; i++)
        if (merges(machine, &machine->joints[i])) {
            out->first[machine->joints[i].body1 + 2]++;
            out->first[machine->joints[i].body2 + 2]++;
        }
    for (size_t b = 2; b < bodies + 2; b++)
        out->first[b] += out->first[b - 1];
    for (size_t i = 0; i < joints; i++)
        if (merges(machine, &machine->joints[i])) {
            out->list[out->first[machine->joints[i].body1 + 1]++] = (int)i;
            out->list[out->first[machine->joints[i].body2 + 1]++] = (int)i;
        }
    return true;
}

/* Brings b into the group of a by a fixed joint between them. */
static void merge_along(tn_machine *machine, tn_machine_joint *joint, int a, int b)
{
    const tn_pose *near = a == joint->body1 ? &joint->frame1 : &joint->frame2;
    const tn_pose *far = a == joint->body1 ? &joint->frame2 : &joint->frame1;
    tn_machine_body *from = &machine->bodies[a], *to = &machine->bodies[b];
    tn_pose at = tn_pose_compose(&from->in, near), none = tn_pose_identity();
    tn_pose back = tn_pose_relative(far, &none);
    to->in = tn_pose_compose(&at, &back);
    to->into = from->into;
    joint->merged = true;
    tn_machine_body *root = &machine->bodies[to->into];
    if (to->into != TN_GROUND && to->weighed && to->mass != 0) {
        if (root->mass == 0)
            root->mass_source = to->mass_source;
        tn_body_add_mass(root, to->mass, &to->in, to->com, to->inertia);
    }
}

/* The group of a root, breadth first. */
static void merge_group(tn_machine *machine, const joint_lists *lists, int root, int *queue, bool *seen)
{
    size_t head = 0, tail = 0;
    queue[tail++] = root;
    seen[root] = true;
    while (head < tail) {
        int a = queue[head++];
        int begin = a == 0 ? 0 : lists->first[a], end = lists->first[a + 1];
        for (int i = begin; i < end; i++) {
            tn_machine_joint *joint = &machine->joints[lists->list[i]];
            int b = joint->body1 == a ? joint->body2 : joint->body1;
            if (seen[b]) {
                joint->merged = joint->merged || machine->bodies[b].into == machine->bodies[a].into;
                continue;
            }
            seen[b] = true;
            merge_along(machine, joint, a, b);
            queue[tail++] = b;
        }
    }
}

/* Bodies without mass, joints and shapes are frames of the file that nothing depends on. */
static void hide_frames(tn_machine *machine)
{
    bool *used = tn_arena_alloc(machine->arena, machine->body_count, sizeof *used);
    if (!used)
        return;
    for (size_t i = 0; i < machine->joint_count; i++)
        if (!machine->joints[i].merged && !machine->joints[i].dropped) {
            used[machine->bodies[machine->joints[i].body1].into] = true;
            used[machine->bodies[machine->joints[i].body2].into] = true;
        }
    for (size_t b = 1; b < machine->body_count; b++) {
        tn_machine_body *body = &machine->bodies[b];
        used[body->into] = used[body->into] || body->shape_count > 0;
    }
    for (size_t b = 1; b < machine->body_count; b++) {
        tn_machine_body *body = &machine->bodies[b];
        if (body->into == (int)b && body->mass == 0 && !used[b]) {
            if (body->weighed)         /* skeletons and sketches of CAD systems */
                tn_machine_leave_out(machine, body->place, "parts without mass that nothing holds");
            body->hidden = true;
            body->in = body->pose;
            body->into = TN_GROUND;
        }
    }
}

/* Joints whose two bodies have become one hold nothing any more. */
static void drop_inner_joints(tn_machine *machine)
{
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        if (joint->merged || joint->dropped || machine->bodies[joint->body1].into != machine->bodies[joint->body2].into)
            continue;
        joint->dropped = true;
        tn_machine_note_add(machine, TN_NOTE, joint->place, "joint '%s' is inside one rigid body: left out", joint->name);
    }
}

void tn_machine_merge(tn_machine *machine)
{
    joint_lists lists;
    bool *seen = tn_arena_alloc(machine->arena, machine->body_count, sizeof *seen);
    int *queue = tn_arena_alloc(machine->arena, machine->body_count, sizeof *queue);
    if (!seen || !queue || !list_joints(&lists, machine))
        return;
    for (size_t b = 0; b < machine->body_count; b++)
        machine->bodies[b].own_mass = machine->bodies[b].mass;
    merge_group(machine, &lists, TN_GROUND, queue, seen);
    for (int massless = 0; massless < 2; massless++)       /* a group is named after a body with mass */
        for (size_t b = 0; b < machine->body_count; b++)
            if (!seen[b] && (massless || machine->bodies[b].mass > 0))
                merge_group(machine, &lists, (int)b, queue, seen);
    drop_inner_joints(machine);
    hide_frames(machine);
}

int tn_machine_resolve(const tn_machine *machine, int body, tn_pose *frame)
{
    const tn_machine_body *b = &machine->bodies[body];
    if (b->into != body)
        *frame = tn_pose_compose(&b->in, frame);
    return b->into;
}

tn_pose tn_machine_pose(const tn_machine *machine, int body)
{
    const tn_machine_body *b = &machine->bodies[body];
    return b->into == body ? b->pose : tn_pose_compose(&machine->bodies[b->into].pose, &b->in);
}

double tn_machine_coordinate_value(const tn_machine *machine, const tn_machine_joint *joint, const char *name)
{
    tn_pose pose1 = tn_machine_pose(machine, joint->body1), pose2 = tn_machine_pose(machine, joint->body2);
    tn_pose a = tn_pose_compose(&pose1, &joint->frame1), b = tn_pose_compose(&pose2, &joint->frame2);
    tn_pose r = tn_pose_relative(&a, &b);
    double R[3][3];
    tn_quat_matrix(R, r.q);
    if (strcmp(name, "length") == 0)
        return tn_norm3(r.p);
    if (strcmp(name, "position") == 0)
        return r.p[2];
    return strcmp(name, "angle") == 0 ? atan2(R[1][0], R[0][0]) : 0;
}

double tn_machine_screw_offset(const tn_machine *machine, const tn_machine_joint *joint, double lead)
{
    return tn_machine_coordinate_value(machine, joint, "position") -
           lead / (2 * acos(-1.0)) * tn_machine_coordinate_value(machine, joint, "angle");
}

void tn_machine_turn_over(const tn_machine *machine, tn_machine_joint *joint)
{
    static const double z[3] = { 0, 0, 1 };
    static const tn_pose half_turn = { .q = { 0, 1, 0, 0 } };      /* about x */
    tn_pose pose1 = tn_machine_pose(machine, joint->body1), pose2 = tn_machine_pose(machine, joint->body2);
    tn_pose a = tn_pose_compose(&pose1, &joint->frame1), b = tn_pose_compose(&pose2, &joint->frame2);
    double z1[3], z2[3];
    tn_quat_rotate(z1, a.q, z);
    tn_quat_rotate(z2, b.q, z);
    if (tn_dot3(z1, z2) < 0)
        joint->frame2 = tn_pose_compose(&joint->frame2, &half_turn);
}
