/* How fast the losses and servos of an imported machine settle. The damping of robots often acts on links with
 * hardly any inertia: an explicit integrator would take millions of steps then. */
#include "machine.h"

#include "entities.h"
#include "twist.h"
#include "vec.h"

#include <stdlib.h>

static const double LEAST_MASS = 1e-6;         /* kg: what the engine assumes for a body without mass */

/* Inertia of a body about the origin of the world, along its axes, for twists (w, v). */
static void body_inertia(double out[6][6], const tn_machine_body *b)
{
    double c[3], R[3][3], J[3][3], mass = fmax(b->mass, LEAST_MASS);
    const double *I = b->inertia, own[3][3] = { { I[0], I[3], I[4] }, { I[3], I[1], I[5] }, { I[4], I[5], I[2] } };
    tn_quat_rotate(c, b->pose.q, b->com);
    tn_add3(c, c, b->pose.p);
    tn_quat_matrix(R, b->pose.q);
    const double square = tn_dot3(c, c), cross[3][3] = { { 0, -c[2], c[1] }, { c[2], 0, -c[0] }, { -c[1], c[0], 0 } };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = mass * ((i == j ? square : 0) - c[i] * c[j]) + (i == j ? 0.01 * LEAST_MASS : 0);
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    J[i][j] += R[i][k] * own[k][l] * R[j][l];
            out[i][j] = J[i][j];
            out[i][j + 3] = mass * cross[i][j];
            out[i + 3][j] = mass * cross[j][i];
            out[i + 3][j + 3] = i == j ? mass : 0;
        }
}

/* U = inertia s, and s . U. */
static double along_twist(double U[6], double inertia[6][6], const double s[6])
{
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        U[i] = 0;
        for (int j = 0; j < 6; j++)
            U[i] += inertia[i][j] * s[j];
        sum += s[i] * U[i];
    }
    return sum;
}

int tn_machine_free_twists(double out[6][6], const tn_machine *machine, const tn_machine_joint *joint, const double origin[3])
{
    tn_pose pose1 = tn_machine_pose(machine, joint->body1), pose2 = tn_machine_pose(machine, joint->body2);
    tn_pose a = tn_pose_compose(&pose1, &joint->frame1), b = tn_pose_compose(&pose2, &joint->frame2);
    tn_twist_space space;
    tn_twist_begin(&space, origin);
    if (!tn_twist_add(&space, joint->type, &a, &b))
        return -1;
    tn_twist_solve(&space);
    for (int k = 0; k < space.free_count; k++)
        for (int i = 0; i < 6; i++)
            out[k][i] = space.free[k][i] * (i < 3 ? 1 : TN_TWIST_LENGTH);
    return space.free_count;
}

typedef struct tree_step {
    int joint, above, below;   /* bodies either side */
} tree_step;

/* Bodies along joints from ground, and from the first body of what is loose; each joint that reaches a new one. */
static size_t walk_tree(tn_machine *machine, tree_step *steps)
{
    size_t count = 0;
    bool *seen = tn_arena_alloc(machine->arena, machine->body_count, sizeof *seen);
    int *queue = tn_arena_alloc(machine->arena, machine->body_count, sizeof *queue);
    tn_joint_links links;
    if (!seen || !queue || !tn_machine_link_joints(&links, machine))
        return 0;
    for (size_t root = 0; root < machine->body_count; root++) {
        size_t head = 0, tail = 0;
        if (seen[root] || machine->bodies[root].into != (int)root)
            continue;
        seen[root] = true;
        for (queue[tail++] = (int)root; head < tail; head++)
            for (int l = links.first[queue[head]]; l >= 0; l = links.next[l]) {
                const tn_machine_joint *joint = &machine->joints[l / 2];
                int other = machine->bodies[l % 2 == 0 ? joint->body2 : joint->body1].into;
                if (seen[other])
                    continue;
                seen[other] = true;
                steps[count++] = (tree_step){ l / 2, queue[head], other };
                queue[tail++] = other;
            }
    }
    return count;
}

/* The twist of a coordinate of a joint with unit rate, about the origin of the world. */
static void coordinate_twist(double s[6], const tn_machine *machine, const tn_machine_joint *joint, const char *name)
{
    bool second = strcmp(name, "angle_2") == 0, angle = strncmp(name, "angle", 5) == 0;
    const double unit[3] = { strcmp(name, "x") == 0 || strcmp(name, "angle_x") == 0,
                             strcmp(name, "y") == 0 || strcmp(name, "angle_y") == 0, 0 };
    double local[3] = { unit[0], unit[1], unit[0] == 0 && unit[1] == 0 }, axis[3], moment[3];
    tn_pose pose = tn_machine_pose(machine, second ? joint->body2 : joint->body1);
    pose = tn_pose_compose(&pose, second ? &joint->frame2 : &joint->frame1);
    tn_quat_rotate(axis, pose.q, local);
    tn_cross3(moment, pose.p, axis);
    for (int k = 0; k < 3; k++) {
        s[k] = angle ? axis[k] : 0;
        s[k + 3] = angle ? moment[k] : axis[k];
    }
}

/* Damping of forces along the coordinate: dampers and servos. */
static double load_damping(const tn_machine *machine, int joint, const char *coordinate)
{
    double sum = 0;
    for (size_t i = 0; i < machine->load_count; i++) {
        const tn_machine_load *load = &machine->loads[i];
        if (load->joint != joint || strcmp(load->coordinate, coordinate) != 0)
            continue;
        for (size_t k = 0; k < load->value_count; k++)
            if (strcmp(load->values[k].key, "kd") == 0 || strcmp(load->values[k].key, "damping") == 0)
                sum += fabs(strtod(load->values[k].text, NULL));
    }
    return sum;
}

/* The fastest loss of a joint when what hangs below it has this inertia. */
static double joint_rate(const tn_machine *machine, int index, double inertia[6][6])
{
    const tn_machine_joint *joint = &machine->joints[index];
    double fastest = 0, s[6], U[6];
    for (size_t k = 0; k < joint->coordinate_count; k++) {
        const tn_machine_coordinate *c = &joint->coordinates[k];
        double damping = c->damping + load_damping(machine, index, c->name);
        coordinate_twist(s, machine, joint, c->name);
        fastest = fmax(fastest, damping > 0 ? damping / (along_twist(U, inertia, s) + c->armature) : 0);
    }
    return fastest;
}

/* From the leaves to the roots: what a body feels of those below it is their inertia without that along the joint's free
 * twists. Joints that close loops and couplings only add to it, and are left out. */
double tn_machine_fastest(tn_machine *machine, const char **joint_name)
{
    static const double origin[3] = { 0, 0, 0 };
    size_t count = machine->body_count;
    tree_step *steps = tn_arena_alloc(machine->arena, count, sizeof *steps);
    double (*inertia)[6][6] = tn_arena_alloc(machine->arena, count, sizeof *inertia), fastest = 0;
    if (!steps || !inertia)
        return 0;
    for (size_t i = 1; i < count; i++)
        if (machine->bodies[i].into == (int)i)
            body_inertia(inertia[i], &machine->bodies[i]);
    for (size_t n = walk_tree(machine, steps); n > 0; n--) {
        const tree_step *step = &steps[n - 1];
        const tn_machine_joint *joint = &machine->joints[step->joint];
        double (*own)[6] = inertia[step->below], twists[6][6], U[6];
        double rate = joint_rate(machine, step->joint, own);
        if (rate > fastest) {
            fastest = rate;
            *joint_name = joint->label;
        }
        int free = tn_machine_free_twists(twists, machine, joint, origin);
        for (int k = 0; k < free; k++) {
            double d = along_twist(U, own, twists[k]);
            if (joint->coordinate_count == 1)
                d += joint->coordinates[0].armature;
            for (int i = 0; d > 0 && i < 6; i++)
                for (int j = 0; j < 6; j++)
                    own[i][j] -= U[i] * U[j] / d;
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                inertia[step->above][i][j] += own[i][j];
    }
    return fastest;
}
