/* Start values of an imported machine: brought within limits, and the bodies placed by them. */
#include "machine.h"

#include "entities.h"
#include "vec.h"

static const double ROUND_OFF = 1e-9;  /* m or rad: places in files have so many digits at most */

static void check_limits(tn_machine *machine, const tn_machine_joint *joint, tn_machine_coordinate *c)
{
    double value = isnan(c->start) ? tn_machine_coordinate_value(machine, joint, c->name) : c->start;
    if (c->low > c->high) {
        tn_machine_note_add(machine, TN_WARNING, joint->place, "joint '%s': its lower limit %.6g is above the upper "
                            "%.6g: no limits", joint->name, c->low, c->high);
        c->low = -INFINITY;
        c->high = INFINITY;
        return;
    }
    if (value < c->low - ROUND_OFF || value > c->high + ROUND_OFF) {
        double start = value < c->low ? c->low : c->high;
        if (isfinite(c->low) && isfinite(c->high))     /* away from the stop, so that it does not act at the start */
            start = value < c->low ? c->low + 0.1 * (c->high - c->low) : c->high - 0.1 * (c->high - c->low);
        tn_machine_note_add(machine, TN_NOTE, joint->place, "joint '%s' %s is %.6g in the file, beyond its limits [%.6g,"
                            " %.6g]: it starts at %.6g", joint->name, c->name, value, c->low, c->high, start);
        c->start = start;
    }
}

/* The first coordinate of a coupling of two, when the second has the value. */
static double follower_value(const tn_machine_coupling *coupling, double value)
{
    const double *p = coupling->polynomial;
    if (coupling->curved)
        return p[0] + value * (p[1] + value * (p[2] + value * (p[3] + value * p[4])));
    return (coupling->offset - coupling->terms[1].factor * value) / coupling->terms[0].factor;
}

/* The value of the leader next to the given one at which its follower is within its limits, or the given one. */
static double leader_within(const tn_machine_coupling *coupling, const tn_machine_coordinate *follower,
                            const tn_machine_coordinate *leader, double value)
{
    enum { TRIALS = 400 };
    double low = isfinite(leader->low) ? leader->low : value - 4, high = isfinite(leader->high) ? leader->high : value + 4;
    double margin = isfinite(follower->low) && isfinite(follower->high) ? 0.02 * (follower->high - follower->low) : 0;
    double best = value, distance = INFINITY;
    for (int i = 1; i < TRIALS; i++) {
        double x = low + (high - low) * i / TRIALS, y = follower_value(coupling, x);
        if (y >= follower->low + margin && y <= follower->high - margin && fabs(x - value) < distance) {
            distance = fabs(x - value);
            best = x;
        }
    }
    return best;
}

/* Sets the start value of the first coordinate of a coupling that follows from the start of the second. */
static void follow_coupling(tn_machine *machine, const tn_machine_coupling *coupling)
{
    if (coupling->term_count != 2 || isnan(coupling->offset) || coupling->terms[0].factor == 0)
        return;
    tn_machine_joint *first = &machine->joints[coupling->terms[0].joint];
    tn_machine_joint *second = &machine->joints[coupling->terms[1].joint];
    tn_machine_coordinate *a = tn_joint_coordinate(first, coupling->terms[0].coordinate);
    tn_machine_coordinate *b = tn_joint_coordinate(second, coupling->terms[1].coordinate);
    double value = isnan(b->start) ? tn_machine_coordinate_value(machine, second, b->name) : b->start;
    a->start = follower_value(coupling, value);
    if (a->start >= a->low && a->start <= a->high)
        return;
    double moved = leader_within(coupling, a, b, value);
    if (moved == value)
        return;
    b->start = moved;
    a->start = follower_value(coupling, moved);
    tn_machine_note_add(machine, TN_NOTE, coupling->place, "'%s' would be beyond its limits: '%s' starts at %.6g, and '%s' at "
                        "%.6g", first->name, second->name, moved, first->name, a->start);
}

bool tn_machine_link_joints(tn_joint_links *out, tn_machine *machine)
{
    out->first = tn_arena_alloc(machine->arena, machine->body_count, sizeof *out->first);
    out->next = tn_arena_alloc(machine->arena, 2 * machine->joint_count + 1, sizeof *out->next);
    if (!out->first || !out->next)
        return false;
    memset(out->first, 0xff, machine->body_count * sizeof *out->first);
    for (int i = (int)machine->joint_count - 1; i >= 0; i--) {
        const tn_machine_joint *joint = &machine->joints[i];
        if (joint->merged || joint->dropped || tn_joint_measures(joint))
            continue;
        int a = machine->bodies[joint->body1].into, b = machine->bodies[joint->body2].into;
        out->next[2 * i] = out->first[a];
        out->first[a] = 2 * i;
        out->next[2 * i + 1] = out->first[b];
        out->first[b] = 2 * i + 1;
    }
    return true;
}

/* Frame 2 in frame 1 of a joint: that of the file, with the coordinates that have a start at it. */
static tn_pose joint_motion(const tn_machine *machine, const tn_machine_joint *joint)
{
    tn_pose pose1 = tn_machine_pose(machine, joint->body1), pose2 = tn_machine_pose(machine, joint->body2);
    tn_pose a = tn_pose_compose(&pose1, &joint->frame1), b = tn_pose_compose(&pose2, &joint->frame2);
    tn_pose motion = tn_pose_relative(&a, &b);
    for (size_t k = 0; k < joint->coordinate_count; k++) {
        const tn_machine_coordinate *c = &joint->coordinates[k];
        if (isnan(c->start))
            continue;
        if (strcmp(c->name, "position") == 0) {
            motion.p[2] = c->start;
        } else if (strcmp(c->name, "angle") == 0) {
            const double turn[3] = { 0, 0, c->start - tn_machine_coordinate_value(machine, joint, c->name) };
            double q[4], product[4];
            tn_quat_exp(q, turn);
            tn_quat_mul(product, q, motion.q);
            memcpy(motion.q, product, sizeof product);
        }
    }
    return motion;
}

/* Places the body at the other end of a joint whose one end is placed. */
static void place_across(tn_machine *machine, const tn_machine_joint *joint, const tn_pose *motion, bool from_first,
                         tn_pose *poses)
{
    tn_pose frame1 = joint->frame1, frame2 = joint->frame2, none = tn_pose_identity();
    int a = tn_machine_resolve(machine, joint->body1, &frame1), b = tn_machine_resolve(machine, joint->body2, &frame2);
    tn_pose at, back;
    if (from_first) {
        at = tn_pose_compose(&poses[a], &frame1);
        at = tn_pose_compose(&at, motion);
        back = tn_pose_relative(&frame2, &none);
        poses[b] = tn_pose_compose(&at, &back);
    } else {
        at = tn_pose_compose(&poses[b], &frame2);
        back = tn_pose_relative(motion, &none);
        at = tn_pose_compose(&at, &back);
        back = tn_pose_relative(&frame1, &none);
        poses[a] = tn_pose_compose(&at, &back);
    }
}

/* Marks the joints on the way between two bodies along the tree. */
static void mark_loop(tn_machine *machine, const int *up, const int *depth, int a, int b)
{
    while (a != b) {
        int *deeper = depth[a] >= depth[b] ? &a : &b;
        tn_machine_joint *joint = &machine->joints[up[*deeper]];
        int one = machine->bodies[joint->body1].into, two = machine->bodies[joint->body2].into;
        joint->in_loop = true;
        *deeper = *deeper == one ? two : one;
    }
}

/* Where joints of loops start elsewhere, the others with limits are to stay near their values of the file. */
static void guess_loops(tn_machine *machine)
{
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && joint->in_loop; k++) {
            tn_machine_coordinate *c = &joint->coordinates[k];
            bool known = strcmp(c->name, "angle") == 0 || strcmp(c->name, "position") == 0;
            if (known && isnan(c->start) && (isfinite(c->low) || isfinite(c->high)))
                c->start = tn_machine_coordinate_value(machine, joint, c->name);
        }
    }
}

/* Poses from ground and from the first body of what is loose, along the joints; what a loop closes is left to assembly. */
void tn_machine_place(tn_machine *machine)
{
    tn_joint_links links;
    size_t count = machine->body_count;
    tn_pose *poses = tn_arena_alloc(machine->arena, count, sizeof *poses);
    bool *seen = tn_arena_alloc(machine->arena, count, sizeof *seen);
    int *queue = tn_arena_alloc(machine->arena, count, sizeof *queue);
    int *up = tn_arena_alloc(machine->arena, count, sizeof *up), *depth = tn_arena_alloc(machine->arena, count, sizeof *depth);
    if (!poses || !seen || !queue || !up || !depth || !tn_machine_link_joints(&links, machine))
        return;
    for (size_t root = 0; root < count; root++) {
        size_t head = 0, tail = 0;
        if (seen[root] || machine->bodies[root].into != (int)root)
            continue;
        poses[root] = machine->bodies[root].pose;
        seen[root] = true;
        for (queue[tail++] = (int)root; head < tail; head++)
            for (int l = links.first[queue[head]]; l >= 0; l = links.next[l]) {
                const tn_machine_joint *joint = &machine->joints[l / 2];
                int other = machine->bodies[l % 2 == 0 ? joint->body2 : joint->body1].into;
                if (seen[other]) {
                    bool tree = (depth[queue[head]] > 0 && up[queue[head]] == l / 2) || (depth[other] > 0 && up[other] == l / 2);
                    if (!tree && other != queue[head]) {
                        machine->joints[l / 2].in_loop = true;
                        mark_loop(machine, up, depth, queue[head], other);
                    }
                    continue;
                }
                seen[other] = true;
                up[other] = l / 2;
                depth[other] = depth[queue[head]] + 1;
                tn_pose motion = joint_motion(machine, joint);
                place_across(machine, joint, &motion, l % 2 == 0, poses);
                queue[tail++] = other;
            }
    }
    for (size_t i = 1; i < count; i++)
        if (machine->bodies[i].into == (int)i) {
            machine->bodies[i].pose = poses[i];
            tn_quat_keep_unit(machine->bodies[i].pose.q);
        }
}

void tn_machine_check_starts(tn_machine *machine)
{
    bool given = false;
    for (size_t i = 0; i < machine->joint_count; i++) {
        tn_machine_joint *joint = &machine->joints[i];
        for (size_t k = 0; k < joint->coordinate_count && !joint->merged && !joint->dropped; k++)
            check_limits(machine, joint, &joint->coordinates[k]);
    }
    for (size_t i = 0; i < machine->coupling_count; i++)
        follow_coupling(machine, &machine->couplings[i]);
    for (size_t i = 0; i < machine->joint_count; i++)
        for (size_t k = 0; k < machine->joints[i].coordinate_count; k++)
            given = given || !isnan(machine->joints[i].coordinates[k].start);
    if (given) {
        tn_machine_place(machine);
        guess_loops(machine);
    }
}
