/* The load of a pull, as an acceleration, so that light and heavy, free and jointed bodies feel the same:
 *     wanted   a = omega^2 (T - N) - 2 omega N'          critically damped
 *     force    F = min(1, cap / |a|) m a                 m: effective mass matrix of the mechanism at the point N
 * acts at N. */
#include "pull_load.h"

#include <math.h>
#include <string.h>
#include "system.h"
#include "vec.h"

/* Part of the cap below which the size of an acceleration is not looked at. */
static const double SMALLEST = 1e-9;

int tn_pull_load_body(const tn_pull_load *load, const tn_system *s)
{
    return load->body < s->model->body_count ? s->body_of[load->body] : -1;
}

static void times_mass(const tn_pull_load *load, const double a[3], double out[3])
{
    const double *m = load->mass;
    out[0] = m[0] * a[0] + m[3] * a[1] + m[4] * a[2];
    out[1] = m[3] * a[0] + m[1] * a[1] + m[5] * a[2];
    out[2] = m[4] * a[0] + m[5] * a[1] + m[2] * a[2];
}

static void point_motion(const tn_pull_load *load, const tn_eval *e, const tn_system *s, tn_frame_motion *out)
{
    tn_pose pose = tn_pose_identity();
    tn_copy3(pose.p, load->at);
    tn_sys_frame frame = tn_system_frame(s, load->body, &pose);
    tn_frame_motion_of(e, s, &frame, out);
}

static tn_pull_effect effect_at(const tn_pull_load *load, const tn_system *s, const tn_frame_motion *point)
{
    tn_pull_effect out = { .part = 1 };
    double away[3] = { 0 }, w = load->omega;
    for (int k = 0; k < s->dimension; k++) {
        away[k] = load->target[k] - point->p[k];
        out.wanted[k] = w * w * away[k] - 2 * w * point->v[k];
    }
    out.distance = tn_norm3(away);
    out.part = fmin(1, load->cap / fmax(SMALLEST * load->cap, tn_norm3(out.wanted)));
    times_mass(load, out.wanted, out.force);
    for (int k = 0; k < 3; k++)
        out.force[k] *= out.part;
    out.power = tn_dot3(out.force, point->v);
    return out;
}

tn_pull_effect tn_pull_load_effect(const tn_pull_load *load, const tn_eval *e, const tn_system *s)
{
    tn_frame_motion point;
    point_motion(load, e, s, &point);
    return effect_at(load, s, &point);
}

static bool acts(const tn_eval *e, const tn_system *s)
{
    return e->pull && tn_pull_load_body(e->pull, s) >= 0;
}

void tn_eval_pull(tn_eval *e, const tn_system *s)
{
    if (!acts(e, s))
        return;
    tn_pose pose = tn_pose_identity();
    tn_copy3(pose.p, e->pull->at);
    tn_sys_frame frame = tn_system_frame(s, e->pull->body, &pose);
    tn_pull_effect effect = tn_pull_load_effect(e->pull, e, s);
    tn_add_point_force(e, s, &frame, effect.force, e->f);
}

double tn_eval_pull_power(const tn_eval *e, const tn_system *s)
{
    return acts(e, s) ? tn_pull_load_effect(e->pull, e, s).power : 0;
}

/* Change of the force when the wanted acceleration changes: the factor of the cap changes, too. */
static void change_force(const tn_pull_load *load, const tn_pull_effect *now, const double change[3], double out[3])
{
    double size = tn_norm3(now->wanted), full[3];
    times_mass(load, change, out);
    times_mass(load, now->wanted, full);
    double part = now->part < 1 ? -now->part * tn_dot3(now->wanted, change) / (size * size) : 0;
    for (int k = 0; k < 3; k++)
        out[k] = now->part * out[k] + part * full[k];
}

/* Unit of one of the body's velocities: linear, or angular about its centre of mass. */
typedef struct motion {
    double linear[3], omega[3];
} motion;

static motion unit_motion(const tn_system *s, const tn_sys_body *body, int column)
{
    motion out = { { 0 }, { 0 } };
    if (column < s->dimension)
        out.linear[column] = 1;
    else
        out.omega[body->motion == TN_MOTION_PLANAR ? 2 : column - 3] = 1;
    return out;
}

/* Force and torque as the column of a block. */
static void write_column(const tn_system *s, const tn_sys_body *body, int width, int column, const double force[3],
                         const double torque[3], double *block)
{
    for (int k = 0; k < s->dimension; k++)
        block[k * width + column] = force[k];
    for (int k = s->dimension; k < width; k++)
        block[k * width + column] = torque[body->motion == TN_MOTION_PLANAR ? 2 : k - 3];
}

int tn_eval_pull_derivatives(const tn_eval *e, const tn_system *s, double position[36], double velocity[36])
{
    if (!acts(e, s))
        return -1;
    const tn_pull_load *load = e->pull;
    const double w = load->omega;
    int b = tn_pull_load_body(load, s), width = tn_width_of(&s->structure, b);
    const tn_sys_body *body = &s->bodies[b];
    tn_frame_motion point;
    point_motion(load, e, s, &point);
    tn_pull_effect now = effect_at(load, s, &point);
    double arm[3] = { 0 };
    for (int k = 0; k < s->dimension; k++)
        arm[k] = point.p[k] - e->q[body->q + k];
    for (int column = 0; column < width; column++) {
        motion m = unit_motion(s, body, column);
        double turn[3], moved[3], swept[3], wanted[3], force[3], torque[3], part[3];
        tn_cross3(turn, m.omega, arm);                 /* of the arm */
        tn_add3(moved, m.linear, turn);                /* of the point */
        tn_cross3(swept, e->w[b], turn);               /* of the point's velocity, by displacement */
        for (int k = 0; k < 3; k++)
            wanted[k] = -w * w * moved[k] - 2 * w * swept[k];
        change_force(load, &now, wanted, force);
        tn_cross3(torque, arm, force);
        tn_cross3(part, turn, now.force);
        tn_add3(torque, torque, part);
        write_column(s, body, width, column, force, torque, position);
        for (int k = 0; k < 3; k++)
            wanted[k] = -2 * w * moved[k];
        change_force(load, &now, wanted, force);
        tn_cross3(torque, arm, force);
        write_column(s, body, width, column, force, torque, velocity);
    }
    return b;
}
