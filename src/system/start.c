/* The start: the model's poses and velocities in internal coordinates. Bodies without a pose are placed by the
 * joints that connect them to placed bodies, and so may bodies of which only the orientation is given; assembly does the rest. */
#include <math.h>
#include <string.h>
#include "elementary.h"
#include "system.h"
#include "vec.h"

/* z component of the z axis after a rotation. */
static double kept_height(const double q[4])
{
    return q[0] * q[0] - q[1] * q[1] - q[2] * q[2] + q[3] * q[3];
}

/* Rotation of a joint with a home pose: Rz(first angle) home Rz(second angle). Without start values the bodies get the same axes
 * where the joint allows that. */
static void turn_about_home(tn_pose *pose, const tn_joint *joint)
{
    const double same_angle = 1e-9;            /* between axes, as a cosine */
    double turn[4], half[4];
    tn_pose aligned = tn_pose_relative(&joint->frame1, &joint->frame2);
    if (isnan(joint->start[0]) && isnan(joint->start[1]) &&
        fabs(kept_height(aligned.q) - kept_height(joint->type->home)) < same_angle) {
        memcpy(pose->q, aligned.q, sizeof pose->q);
        return;
    }
    for (int k = 0; k < 2; k++) {
        double angle = isnan(joint->start[k]) ? 0 : joint->entity.mirrored ? -joint->start[k] : joint->start[k];
        tn_quat_exp(turn, (double[3]){ 0, 0, angle });
        if (k == 0)
            tn_quat_mul(half, turn, joint->type->home);
        else
            tn_quat_mul(pose->q, half, turn);
    }
}

/* Frame 2 in frame 1 when the joint's coordinates have their start values: turns about z, shifts along the axis. */
static tn_pose joint_displacement(const tn_system *s, const tn_joint *joint)
{
    const tn_joint_form *form = tn_joint_form_of(s->model, joint->type);
    tn_joint_axis axis = s->dimension == 2 ? joint->type->planar_axis : joint->type->spatial_axis;
    tn_pose pose = tn_pose_identity();
    if (s->dimension == 3 && tn_norm3(joint->type->home + 1) > 0) {
        turn_about_home(&pose, joint);
        return pose;
    }
    for (int k = 0; k < tn_joint_coordinate_count(form); k++) {
        if (isnan(joint->start[k]))
            continue;
        if (form->coordinates[k].unit[0] == 'r')
            tn_quat_exp(pose.q, (double[3]){ 0, 0, joint->entity.mirrored ? -joint->start[k] : joint->start[k] });
        else
            pose.p[axis == TN_AXIS_X ? 0 : 2] += joint->start[k];
    }
    return pose;
}

/* Pose of the unplaced body of a joint from the pose of the other. An orientation that is given stays. */
static void place_by_joint(const tn_system *s, const tn_joint *joint, tn_pose *poses, bool first_is_placed)
{
    tn_pose displacement = joint_displacement(s, joint), identity = tn_pose_identity();
    uint32_t from = first_is_placed ? joint->body1 : joint->body2, to = first_is_placed ? joint->body2 : joint->body1;
    const tn_pose *near = first_is_placed ? &joint->frame1 : &joint->frame2;
    const tn_pose *far = first_is_placed ? &joint->frame2 : &joint->frame1;
    if (!first_is_placed)
        displacement = tn_pose_relative(&displacement, &identity);
    tn_pose here = tn_pose_compose(&poses[from], near), there = tn_pose_compose(&here, &displacement);
    tn_pose back = tn_pose_relative(far, &identity);
    if (s->model->bodies[to].place_free) {
        double arm[3];
        tn_quat_rotate(arm, poses[to].q, far->p);
        tn_sub3(poses[to].p, there.p, arm);
        return;
    }
    poses[to] = tn_pose_compose(&there, &back);
}

/* Number of rows of a joint that can place a body now; 0: it cannot. */
static int placing_rows(const tn_system *s, uint32_t k, const bool *placed)
{
    const tn_joint *joint = &s->model->joints[k];
    bool can = tn_joint_active(s->model, k) && joint->type->joints == 0 && placed[joint->body1] != placed[joint->body2];
    return can && s->constraint_of[k] >= 0 ? s->constraints[s->constraint_of[k]].rows : can;
}

/* The joint that places the next body: of the joints that can, one with the most equations, which leaves the fewest
 * free coordinates; among equals the next after the last, in the order of the model. joint_count: none. */
static uint32_t next_placing(const tn_system *s, const bool *placed, uint32_t last)
{
    /* larger models take the first that can: a search through all joints for every body would be quadratic */
    const size_t most_compared = 2000;
    const uint32_t count = (uint32_t)s->model->joint_count;
    uint32_t best = count;
    int most = 0;
    for (uint32_t n = 1; n <= count; n++) {
        uint32_t k = (last + n) % count;
        int rows = placing_rows(s, k, placed);
        if (rows <= most)
            continue;
        most = rows;
        best = k;
        if (count > most_compared)
            break;
    }
    return best;
}

/* Places bodies outwards from placed bodies, chain by chain. */
static bool place_chains(const tn_system *s, tn_pose *poses, bool *placed)
{
    const uint32_t count = (uint32_t)s->model->joint_count;
    for (uint32_t k = count - 1; count > 0 && (k = next_placing(s, placed, k)) < count;) {
        const tn_joint *joint = &s->model->joints[k];
        place_by_joint(s, joint, poses, placed[joint->body1]);
        placed[joint->body1] = placed[joint->body2] = true;
    }
    return true;
}

/* Places bodies level by level: first all that have a joint with a placed body, each by the joint with the most equations, then
 * all that have a joint with one of those. Bodies between two placed ones are then placed from the nearer one. */
static bool place_levels(const tn_system *s, tn_pose *poses, bool *placed)
{
    const tn_model *m = s->model;
    uint32_t *by = tn_alloc(s->context, m->body_count, sizeof *by);    /* 1 + the joint that places a body; 0: none */
    bool any = by != NULL;
    while (any) {
        memset(by, 0, m->body_count * sizeof *by);
        for (uint32_t k = 0; k < m->joint_count; k++) {
            int rows = placing_rows(s, k, placed);
            uint32_t to = rows > 0 && placed[m->joints[k].body1] ? m->joints[k].body2 : m->joints[k].body1;
            if (rows > 0 && (by[to] == 0 || rows > placing_rows(s, by[to] - 1, placed)))
                by[to] = k + 1;
        }
        any = false;
        for (uint32_t b = 0; b < m->body_count; b++)
            if (by[b] > 0) {
                const tn_joint *joint = &m->joints[by[b] - 1];
                place_by_joint(s, joint, poses, joint->body2 == b);
            }
        for (uint32_t b = 0; b < m->body_count; b++) {
            any = any || by[b] > 0;
            placed[b] = placed[b] || by[b] > 0;
        }
    }
    tn_free(s->context, by);
    return by != NULL;
}

static void write_body(const tn_system *s, const tn_sys_body *body, const tn_body *from, const tn_pose *user, double *q,
                       double *v)
{
    tn_pose pose = tn_pose_compose(user, &body->offset);
    double arm[3], turn[3], velocity[3];
    tn_sub3(arm, pose.p, user->p);
    tn_cross3(turn, from->angular_velocity, arm);
    tn_add3(velocity, from->velocity, turn);
    for (int k = 0; k < s->dimension; k++) {
        q[body->q + k] = pose.p[k];
        v[body->v + k] = velocity[k];
    }
    if (body->motion == TN_MOTION_PLANAR) {
        q[body->q + 2] = 2 * tn_atan2(pose.q[3], pose.q[0]);
        v[body->v + 2] = from->angular_velocity[2];
    } else if (body->motion == TN_MOTION_SPATIAL) {
        memcpy(q + body->q + 3, pose.q, sizeof pose.q);
        tn_copy3(v + body->v + 3, from->angular_velocity);
    }
}

void tn_system_place_body(const tn_system *s, const tn_sys_body *body, const tn_body *moves, double *q, double *v)
{
    write_body(s, body, moves, &moves->pose, q, v);
}

/* by_turns: bodies of which only the orientation is given are placed by joints, too. */
static int start_with(const tn_system *s, bool (*place)(const tn_system *, tn_pose *, bool *), bool by_turns, double *q, double *v)
{
    const tn_model *m = s->model;
    tn_pose *poses = tn_alloc(s->context, m->body_count, sizeof *poses);
    bool *placed = tn_alloc(s->context, m->body_count, sizeof *placed), ok = poses && placed;
    for (size_t k = 0; ok && k < m->body_count; k++) {
        poses[k] = k == 0 ? tn_pose_identity() : m->bodies[k].pose;
        placed[k] = k == 0 || (m->bodies[k].placed && !(by_turns && m->bodies[k].place_free));
    }
    ok = ok && place(s, poses, placed);
    for (int b = 0; ok && b < s->body_count; b++)
        write_body(s, &s->bodies[b], &m->bodies[s->bodies[b].source], &poses[s->bodies[b].source], q, v);
    for (int k = 0; ok && k < s->states; k++)
        v[s->velocities + k] = s->state[k].start;
    tn_free(s->context, poses);
    tn_free(s->context, placed);
    return ok ? TN_OK : TN_ERROR_MEMORY;
}

int tn_system_start(const tn_system *s, double *q, double *v)
{
    return start_with(s, place_chains, false, q, v);
}

int tn_system_start_by_levels(const tn_system *s, double *q, double *v)
{
    return start_with(s, place_levels, false, q, v);
}

int tn_system_start_by_turns(const tn_system *s, double *q, double *v)
{
    return start_with(s, place_chains, true, q, v);
}
