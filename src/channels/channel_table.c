/* The table of channels, with functions that compute the value of each channel at the state in stepper->eval. A new
 * channel needs a row here and a function; lists, lookup, units and descriptions follow from the row. */
#include <math.h>
#include <string.h>
#include "channels.h"
#include "elementary.h"
#include "event_list.h"
#include "vec.h"

/* ---- the whole model ---- */

static double time_now(tn_session *s, const tn_probe *p)
{
    (void)p;
    return s->stepper->eval->t;
}

static tn_energy energy_now(tn_session *s)
{
    return tn_system_energy(s->stepper->eval, s->system, s->stepper->memory);
}

static double kinetic_energy(tn_session *s, const tn_probe *p)
{
    (void)p;
    return energy_now(s).kinetic;
}

static double potential_energy(tn_session *s, const tn_probe *p)
{
    (void)p;
    return energy_now(s).potential;
}

static double total_energy(tn_session *s, const tn_probe *p)
{
    (void)p;
    tn_energy energy = energy_now(s);
    return energy.kinetic + energy.potential;
}

static double work_done(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_work_at(s, s->stepper->eval->t);
}

static double energy_error(tn_session *s, const tn_probe *p)
{
    return tn_energy_error_at(s, s->stepper->eval->t, total_energy(s, p));
}

static double network_stored(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_network_measure(s->stepper->eval, s->system, s->stepper->memory).stored;
}

static double network_supplied(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_network_sum_at(s, s->stepper->eval->t).supplied;
}

static double network_lost(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_network_sum_at(s, s->stepper->eval->t).lost;
}

static double network_mechanical(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_network_sum_at(s, s->stepper->eval->t).mechanical;
}

static double network_error(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_network_sum_at(s, s->stepper->eval->t).error;
}

static double largest_drift(tn_session *s, const tn_probe *p)
{
    (void)p;
    double most = 0;
    for (int i = 0; i < s->system->constraint_count; i++)
        most = fmax(most, tn_eval_gap(s->stepper->eval, s->system, i));
    return most;
}

static double stabilization(tn_session *s, const tn_probe *p)
{
    (void)p;
    return tn_sigma(s->stepper);
}

static double linear_momentum(tn_session *s, const tn_probe *p)
{
    double linear[3], angular[3];
    tn_system_momentum(s->stepper->eval, s->system, linear, angular);
    return linear[p->component];
}

static double angular_momentum(tn_session *s, const tn_probe *p)
{
    double linear[3], angular[3];
    tn_system_momentum(s->stepper->eval, s->system, linear, angular);
    return angular[p->component];
}

/* ---- bodies and frames ---- */

static tn_frame_motion motion_now(const tn_session *s, const tn_probe *p)
{
    const tn_sys_frame frame = tn_system_frame(s->system, p->body, &p->pose);
    tn_frame_motion m;
    tn_frame_motion_of(s->stepper->eval, s->system, &frame, &m);
    return m;
}

static void acceleration_now(double linear[3], double angular[3], const tn_session *s, const tn_probe *p)
{
    const tn_sys_frame frame = tn_system_frame(s->system, p->body, &p->pose);
    tn_frame_acceleration_of(s->stepper->eval, s->system, &frame, linear, angular);
}

static double position(tn_session *s, const tn_probe *p)
{
    return motion_now(s, p).p[p->component];
}

static double velocity(tn_session *s, const tn_probe *p)
{
    return motion_now(s, p).v[p->component];
}

static double angular_velocity(tn_session *s, const tn_probe *p)
{
    return motion_now(s, p).w[p->component];
}

static double acceleration(tn_session *s, const tn_probe *p)
{
    double linear[3], angular[3];
    acceleration_now(linear, angular, s, p);
    return linear[p->component];
}

static double angular_acceleration(tn_session *s, const tn_probe *p)
{
    double linear[3], angular[3];
    acceleration_now(linear, angular, s, p);
    return angular[p->component];
}

/* Positions of the body of a probe's frame; NULL: ground. */
static const double *body_positions(const tn_session *s, const tn_probe *p)
{
    const int body = s->system->body_of[p->body];
    return body < 0 ? NULL : tn_eval_positions(s->stepper->eval, s->system) + s->system->bodies[body].q;
}

/* The frame of a probe in the internal coordinates of its body. */
static tn_pose frame_in_body(const tn_session *s, const tn_probe *p)
{
    const int body = s->system->body_of[p->body];
    return body >= 0 ? tn_pose_relative(&s->system->bodies[body].offset, &p->pose) : p->pose;
}

static double angle(tn_session *s, const tn_probe *p)
{
    const double *q = body_positions(s, p);
    const tn_pose local = frame_in_body(s, p);
    return (q ? q[2] : 0) + 2 * tn_atan2(local.q[3], local.q[0]);
}

static double orientation(tn_session *s, const tn_probe *p)
{
    const double *q = body_positions(s, p);
    const tn_pose local = frame_in_body(s, p);
    double world[4];
    if (!q)
        return local.q[p->component];
    tn_quat_mul(world, q + 3, local.q);
    return world[p->component];
}

static double x_axis(tn_session *s, const tn_probe *p)
{
    return motion_now(s, p).axes[0][p->component];
}

static double y_axis(tn_session *s, const tn_probe *p)
{
    return motion_now(s, p).axes[1][p->component];
}

static double z_axis(tn_session *s, const tn_probe *p)
{
    return motion_now(s, p).axes[2][p->component];
}

/* The same angles as in expressions (formula.c). */
static double euler_zyx(tn_session *s, const tn_probe *p)
{
    const tn_frame_motion m = motion_now(s, p);
    const double *x = m.axes[0], *y = m.axes[1], *z = m.axes[2];
    const double angles[] = { tn_atan2(x[1], x[0]), tn_atan2(-x[2], tn_hypot(x[0], x[1])), tn_atan2(y[2], z[2]) };
    return angles[p->component];
}

static double euler_xyz(tn_session *s, const tn_probe *p)
{
    const tn_frame_motion m = motion_now(s, p);
    const double *x = m.axes[0], *y = m.axes[1], *z = m.axes[2];
    const double angles[] = { tn_atan2(-z[1], z[2]), tn_atan2(z[0], tn_hypot(z[1], z[2])), tn_atan2(-y[0], x[0]) };
    return angles[p->component];
}

static double euler_zxz(tn_session *s, const tn_probe *p)
{
    const tn_frame_motion m = motion_now(s, p);
    const double *x = m.axes[0], *y = m.axes[1], *z = m.axes[2];
    const double angles[] = { tn_atan2(z[0], -z[1]), tn_atan2(tn_hypot(z[0], z[1]), z[2]), tn_atan2(x[2], y[2]) };
    return angles[p->component];
}

/* ---- joints ---- */

static double coordinate_derivative(tn_session *s, const tn_probe *p, int derivative)
{
    double values[TN_MAX_COORDINATES];
    tn_eval_coordinates(s->stepper->eval, s->system, s->stepper->memory, p->index, derivative, values);
    return values[p->coordinate];
}

static double coordinate(tn_session *s, const tn_probe *p)
{
    return coordinate_derivative(s, p, 0);
}

static double coordinate_rate(tn_session *s, const tn_probe *p)
{
    return coordinate_derivative(s, p, 1);
}

static double coordinate_acceleration(tn_session *s, const tn_probe *p)
{
    return coordinate_derivative(s, p, 2);
}

static double limit_force(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_limit_force(s, tn_constraint_id(s->system, p->index), p->coordinate, false);
}

static double ratchet_force(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_limit_force(s, tn_constraint_id(s->system, p->index), p->coordinate, true);
}

static double last_tooth(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_tooth(s, tn_constraint_id(s->system, p->index));
}

static tn_wrench reaction_on(const tn_session *s, const tn_probe *p, int slot)
{
    tn_wrench w;
    tn_constraint_wrench(s->stepper->eval, s->system, p->index, slot, &w);
    return w;
}

static tn_wrench reaction(const tn_session *s, const tn_probe *p)
{
    return reaction_on(s, p, 1);
}

/* Component of a vector along an axis of frame 1 of the joint. */
static double along_axis(const tn_session *s, const tn_probe *p, const double vector[3])
{
    tn_frame_motion m;
    const tn_constraint *c = &s->system->constraints[p->index];
    tn_frame_motion_of(s->stepper->eval, s->system, &s->system->frames[c->frames[0]], &m);
    return tn_dot3(vector, m.axes[p->component]);
}

static double reaction_force(tn_session *s, const tn_probe *p)
{
    return reaction(s, p).force[p->component];
}

static double reaction_torque(tn_session *s, const tn_probe *p)
{
    return reaction(s, p).torque[p->component];
}

static double opposite_force(tn_session *s, const tn_probe *p)
{
    return reaction_on(s, p, 0).force[p->component];
}

static double opposite_torque(tn_session *s, const tn_probe *p)
{
    return reaction_on(s, p, 0).torque[p->component];
}

/* Torque of the reaction about the origin of the probe's frame: T + (N - P) x F. */
static double torque_about(tn_session *s, const tn_probe *p)
{
    const tn_constraint *c = &s->system->constraints[p->index];
    const tn_wrench w = reaction(s, p);
    tn_frame_motion end, point = motion_now(s, p);
    double arm[3], part[3];
    tn_frame_motion_of(s->stepper->eval, s->system, &s->system->frames[c->frames[1]], &end);
    tn_sub3(arm, end.p, point.p);
    tn_cross3(part, arm, w.force);
    return w.torque[p->component] + part[p->component];
}

static double local_force(tn_session *s, const tn_probe *p)
{
    return along_axis(s, p, reaction(s, p).force);
}

static double local_torque(tn_session *s, const tn_probe *p)
{
    return along_axis(s, p, reaction(s, p).torque);
}

static double multiplier(tn_session *s, const tn_probe *p)
{
    return s->stepper->eval->lambda[s->system->constraints[p->index].row];
}

static double joint_power(tn_session *s, const tn_probe *p)
{
    return tn_constraint_power(s->stepper->eval, s->system, p->index);
}

static double joint_drift(tn_session *s, const tn_probe *p)
{
    return tn_eval_gap(s->stepper->eval, s->system, p->index);
}

/* ---- forces, contacts, events ---- */

static double force_power(tn_session *s, const tn_probe *p)
{
    return tn_force_power(s->stepper->eval, s->system, &s->system->forces[p->index], s->stepper->memory);
}

/* Force and torque of a force on the body at one of its ends, about the origin of the frame there. Ground feels the opposite of what
 * the other body feels. */
static tn_wrench end_of_force(tn_session *s, const tn_probe *p, int end)
{
    const tn_system *sys = s->system;
    const tn_sys_force *force = &sys->forces[p->index];
    const tn_force *source = &sys->model->forces[force->source];
    int frames[2] = { force->frame1, force->frame2 };
    tn_wrench w = { { 0 }, { 0 } };
    tn_frame_motion here;
    if (force->type->place == TN_PLACE_JOINT)
        memcpy(frames, sys->constraints[sys->constraint_of[source->joint]].frames, sizeof frames);
    int body = sys->frames[frames[end]].body, other = sys->frames[frames[1 - end]].body;
    tn_frame_motion_of(s->stepper->eval, sys, &sys->frames[frames[end]], &here);
    if (body < 0 && other < 0)
        return w;
    tn_force_wrench(s->stepper->eval, sys, force, s->stepper->memory, body < 0 ? other : body, here.p, &w);
    for (int k = 0; body < 0 && k < 3; k++) {
        w.force[k] = -w.force[k];
        w.torque[k] = -w.torque[k];
    }
    return w;
}

static double force_on_1(tn_session *s, const tn_probe *p)
{
    return end_of_force(s, p, 0).force[p->component];
}

static double torque_on_1(tn_session *s, const tn_probe *p)
{
    return end_of_force(s, p, 0).torque[p->component];
}

static double force_on_2(tn_session *s, const tn_probe *p)
{
    return end_of_force(s, p, 1).force[p->component];
}

static double torque_on_2(tn_session *s, const tn_probe *p)
{
    return end_of_force(s, p, 1).torque[p->component];
}

static double contact_force(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_contact_load(s, (uint32_t)p->index).force[p->component];
}

static double contact_normal(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_contact_load(s, (uint32_t)p->index).normal;
}

static double contact_gap(tn_session *s, const tn_probe *p)
{
    double point[3];
    return tn_unilaterals_contact_gap(s, (uint32_t)p->index, point);
}

static double contact_friction(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_contact_load(s, (uint32_t)p->index).friction[p->component];
}

static double contact_slip(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_contact_load(s, (uint32_t)p->index).slip;
}

static double contact_state(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_contact_load(s, (uint32_t)p->index).state;
}

static double contact_point(tn_session *s, const tn_probe *p)
{
    double point[3];
    tn_contact_load load = tn_unilaterals_contact_load(s, (uint32_t)p->index);
    if (load.closed > 0)
        return load.point[p->component];
    tn_unilaterals_contact_gap(s, (uint32_t)p->index, point);
    return point[p->component];
}

static double contact_closed(tn_session *s, const tn_probe *p)
{
    return tn_unilaterals_contact_load(s, (uint32_t)p->index).closed;
}

static double event_count(tn_session *s, const tn_probe *p)
{
    return (double)s->events->watches[p->index].count;
}

static double event_time(tn_session *s, const tn_probe *p)
{
    return s->events->watches[p->index].last;
}

/* ---- the pull: NaN while no pull is active ---- */

static const tn_pull_load *load_now(const tn_session *s)
{
    const tn_pull_load *load = s->stepper->eval->pull;
    return load && tn_pull_load_body(load, s->system) >= 0 ? load : NULL;
}

static tn_pull_effect effect_now(const tn_session *s)
{
    static const tn_pull_effect none = { NAN, { NAN, NAN, NAN }, NAN, { NAN, NAN, NAN }, NAN };
    return load_now(s) ? tn_pull_load_effect(load_now(s), s->stepper->eval, s->system) : none;
}

static double pull_distance(tn_session *s, const tn_probe *p)
{
    (void)p;
    return effect_now(s).distance;
}

static double pull_wanted(tn_session *s, const tn_probe *p)
{
    return effect_now(s).wanted[p->component];
}

static double pull_part(tn_session *s, const tn_probe *p)
{
    (void)p;
    return effect_now(s).part;
}

static double pull_force(tn_session *s, const tn_probe *p)
{
    return effect_now(s).force[p->component];
}

static double pull_power(tn_session *s, const tn_probe *p)
{
    (void)p;
    return effect_now(s).power;
}

static double pull_energy(tn_session *s, const tn_probe *p)
{
    (void)p;
    return load_now(s) ? tn_pull_energy_at(s, s->stepper->eval->t) : NAN;
}

static double pull_target(tn_session *s, const tn_probe *p)
{
    return load_now(s) ? load_now(s)->target[p->component] : NAN;
}

static double pull_mass(tn_session *s, const tn_probe *p)
{
    return load_now(s) ? load_now(s)->mass[p->component] : NAN;
}

/* ---- the table ---- */

#define NUMBER TN_SHAPED_NUMBER
#define VECTOR TN_SHAPED_VECTOR
#define TURN TN_SHAPED_TURN
#define MOTION TN_LEVEL_MOTION
#define SOLVED TN_LEVEL_SOLVED
#define DYNAMICS TN_LEVEL_DYNAMICS
#define REACTIONS TN_LEVEL_REACTIONS

const tn_channel_row tn_channel_table[] = {
    { TN_OF_MODEL, "t", "s", NULL, NUMBER, MOTION, time_now, "time", 0 },
    { TN_OF_MODEL, "energy.kinetic", "J", NULL, NUMBER, DYNAMICS, kinetic_energy, "of all bodies", 0 },
    { TN_OF_MODEL, "energy.potential", "J", NULL, NUMBER, DYNAMICS, potential_energy,
      "of gravity (zero at the origin) and of forces that have a potential (springs)", 0 },
    { TN_OF_MODEL, "energy.total", "J", NULL, NUMBER, DYNAMICS, total_energy, "kinetic + potential", 0 },
    { TN_OF_MODEL, "energy.work", "J", NULL, NUMBER, DYNAMICS, work_done,
      "put in since the start by drives and forces without potential; damping and friction count negative", 0 },
    { TN_OF_MODEL, "energy.error", "J", NULL, NUMBER, DYNAMICS, energy_error,
      "total - total at the start - work: what the computation made up or lost", 0 },
    { TN_OF_MODEL, "energy.network.stored", "J", NULL, NUMBER, DYNAMICS, network_stored, "in devices", TN_CASE_NETWORK },
    { TN_OF_MODEL, "energy.network.supplied", "J", NULL, NUMBER, DYNAMICS, network_supplied,
      "put in since the start by sources, and by heat and gas of the surroundings", TN_CASE_NETWORK },
    { TN_OF_MODEL, "energy.network.lost", "J", NULL, NUMBER, DYNAMICS, network_lost,
      "since the start: losses that no port `heat` puts into a node", TN_CASE_NETWORK },
    { TN_OF_MODEL, "energy.network.mechanical", "J", NULL, NUMBER, DYNAMICS, network_mechanical,
      "put into the mechanism since the start", TN_CASE_NETWORK },
    { TN_OF_MODEL, "energy.network.error", "J", NULL, NUMBER, DYNAMICS, network_error,
      "stored - stored at the start - supplied + lost + mechanical: what the computation made up or lost", TN_CASE_NETWORK },
    { TN_OF_MODEL, "drift.max", "", NULL, NUMBER, SOLVED, largest_drift,
      "m or rad: largest residual of all joints' position equations", 0 },
    { TN_OF_MODEL, "constraints.sigma", "", NULL, NUMBER, REACTIONS, stabilization,
      "part of stabilization in the accelerations that the joints enforce; 0 where the scheme does not stabilize", 0 },
    { TN_OF_MODEL, "momentum.linear", "kg m/s", NULL, VECTOR, DYNAMICS, linear_momentum, "of all bodies", 0 },
    { TN_OF_MODEL, "momentum.angular", "kg m^2/s", NULL, TURN, DYNAMICS, angular_momentum,
      "about the world's origin", 0 },

    { TN_OF_FRAME, "position", "m", NULL, VECTOR, MOTION, position, "origin of the frame", 0 },
    { TN_OF_FRAME, "velocity", "m/s", NULL, VECTOR, MOTION, velocity, "of the origin", 0 },
    { TN_OF_FRAME, "acceleration", "m/s^2", NULL, VECTOR, SOLVED, acceleration, "of the origin", 0 },
    { TN_OF_FRAME, "angular_velocity", "rad/s", NULL, TURN, MOTION, angular_velocity,
      "not for particles", TN_CASE_TURNING },
    { TN_OF_FRAME, "angular_acceleration", "rad/s^2", NULL, TURN, SOLVED, angular_acceleration, "not for particles",
      TN_CASE_TURNING },
    { TN_OF_FRAME, "angle", "rad", NULL, NUMBER, MOTION, angle,
      "planar models: counted over full turns; not for particles", TN_CASE_PLANE },
    { TN_OF_FRAME, "orientation", "", NULL, TN_SHAPED_QUATERNION, MOTION, orientation,
      "spatial models: unit quaternion from the frame to the world; not for particles", TN_CASE_SPACE },

    { TN_OF_FRAME, "x_axis", "", NULL, VECTOR, MOTION, x_axis,
      "direction cosines of the frame's x axis along the world's axes; not for particles", TN_CASE_TURNING },
    { TN_OF_FRAME, "y_axis", "", NULL, VECTOR, MOTION, y_axis, "the same of its y axis", TN_CASE_TURNING },
    { TN_OF_FRAME, "z_axis", "", NULL, VECTOR, MOTION, z_axis, "spatial models: of its z axis", TN_CASE_SPACE },
    { TN_OF_FRAME, "euler_zyx", "rad", NULL, TN_SHAPED_ANGLES, MOTION, euler_zyx,
      "spatial models: turns about z, then y, then x of the frame itself (yaw, pitch, roll)", TN_CASE_SPACE },
    { TN_OF_FRAME, "euler_xyz", "rad", NULL, TN_SHAPED_ANGLES, MOTION, euler_xyz,
      "spatial models: turns about x, then y, then z of the frame itself", TN_CASE_SPACE },
    { TN_OF_FRAME, "euler_zxz", "rad", NULL, TN_SHAPED_ANGLES, MOTION, euler_zxz,
      "spatial models: turns about z, then x, then z of the frame itself (precession, nutation, spin)", TN_CASE_SPACE },

    { TN_OF_COORDINATE, "", "m", "rad", NUMBER, MOTION, coordinate, "value of the coordinate", 0 },
    { TN_OF_COORDINATE, "rate", "m/s", "rad/s", NUMBER, MOTION, coordinate_rate,
      "its rate; NAME.rate is short for the first coordinate's", 0 },
    { TN_OF_COORDINATE, "acceleration", "m/s^2", "rad/s^2", NUMBER, SOLVED, coordinate_acceleration,
      "its second derivative", 0 },
    { TN_OF_LIMIT, "limit", "N", "N m", NUMBER, REACTIONS, limit_force,
      "what its stops push it with, where it has some", 0 },
    { TN_OF_RATCHET, "ratchet", "N", "N m", NUMBER, REACTIONS, ratchet_force,
      "what its ratchet holds it with", 0 },
    { TN_OF_RATCHET, "tooth", "m", "rad", NUMBER, REACTIONS, last_tooth, "the last tooth that it has passed", 0 },

    { TN_OF_JOINT, "reaction.force", "N", NULL, VECTOR, REACTIONS, reaction_force,
      "force of the joint on body 2 at the origin of its frame 2, world axes", 0 },
    { TN_OF_JOINT, "reaction.torque", "N m", NULL, TURN, REACTIONS, reaction_torque,
      "torque on body 2 about the same point, world axes", 0 },
    { TN_OF_JOINT, "reaction_local.force", "N", NULL, VECTOR, REACTIONS, local_force,
      "the same force along the axes of frame 1", 0 },
    { TN_OF_JOINT, "reaction_local.torque", "N m", NULL, TURN, REACTIONS, local_torque,
      "the same torque along the axes of frame 1", 0 },
    { TN_OF_JOINT, "reaction1.force", "N", NULL, VECTOR, REACTIONS, opposite_force,
      "force of the joint on body 1 at the origin of its frame 1, world axes", 0 },
    { TN_OF_JOINT, "reaction1.torque", "N m", NULL, TURN, REACTIONS, opposite_torque,
      "torque on body 1 about the same point, world axes", 0 },
    { TN_OF_POINT, "torque", "N m", NULL, TURN, REACTIONS, torque_about,
      "torque on body 2 about the origin of any body or frame; on body 1: the opposite. By name only, not in lists", 0 },
    { TN_OF_COUPLING, "multiplier", "", NULL, NUMBER, REACTIONS, multiplier,
      "of couplings: multiplier of the equation, the force on a length or the torque on an angle whose factor is 1", 0 },
    { TN_OF_DRIVE, "force", "N", NULL, NUMBER, REACTIONS, multiplier, "of drives: force along a length", TN_CASE_LENGTH },
    { TN_OF_DRIVE, "torque", "N m", NULL, NUMBER, REACTIONS, multiplier,
      "of drives: torque about an angle", TN_CASE_ANGLE },
    { TN_OF_DRIVE, "power", "W", NULL, NUMBER, REACTIONS, joint_power, "of drives: power put into the motion", 0 },
    { TN_OF_ANY_JOINT, "drift", "", NULL, NUMBER, SOLVED, joint_drift,
      "m or rad: largest residual of its position equations", 0 },

    { TN_OF_FORCE, "power", "W", NULL, NUMBER, REACTIONS, force_power, "what the force puts into the motion", 0 },

    { TN_OF_ENDS, "end1.force", "N", NULL, VECTOR, REACTIONS, force_on_1,
      "on the body at its first end (of the joint it acts along: body 1), world axes", 0 },
    { TN_OF_ENDS, "end1.torque", "N m", NULL, TURN, REACTIONS, torque_on_1,
      "on that body about the origin of the frame there, world axes", 0 },
    { TN_OF_ENDS, "end2.force", "N", NULL, VECTOR, REACTIONS, force_on_2,
      "on the body at its second end, or the body it acts on", 0 },
    { TN_OF_ENDS, "end2.torque", "N m", NULL, TURN, REACTIONS, torque_on_2,
      "on that body about the origin of the frame there, world axes", 0 },

    { TN_OF_CONTACT, "force", "N", NULL, VECTOR, REACTIONS, contact_force,
      "sum over its touches, on the bodies that it names later", 0 },
    { TN_OF_CONTACT, "normal", "N", NULL, NUMBER, REACTIONS, contact_normal, "sum of the normal forces", 0 },
    { TN_OF_CONTACT, "gap", "m", NULL, NUMBER, REACTIONS, contact_gap, "smallest distance of its shapes", 0 },
    { TN_OF_CONTACT, "closed", "", NULL, NUMBER, REACTIONS, contact_closed, "number of closed touches", 0 },
    { TN_OF_CONTACT, "friction", "N", NULL, VECTOR, REACTIONS, contact_friction, "the part of `force` that is friction", 0 },
    { TN_OF_CONTACT, "point", "m", NULL, VECTOR, REACTIONS, contact_point,
      "centre of pressure of its touches; the nearest point while it is open", 0 },
    { TN_OF_CONTACT, "slip", "m/s", NULL, NUMBER, REACTIONS, contact_slip, "speed of the touch that slides fastest", 0 },
    { TN_OF_CONTACT, "state", "", NULL, NUMBER, REACTIONS, contact_state, "0: open, 1: slides, 2: sticks somewhere", 0 },

    { TN_OF_EVENT, "count", "", NULL, NUMBER, DYNAMICS, event_count, "how often it has fired", 0 },
    { TN_OF_EVENT, "time", "s", NULL, NUMBER, DYNAMICS, event_time, "when it last fired; not a number before", 0 },

    { TN_OF_PULL, "distance", "m", NULL, NUMBER, DYNAMICS, pull_distance, "from the point to the target", 0 },
    { TN_OF_PULL, "part", "", NULL, NUMBER, DYNAMICS, pull_part,
      "part of the wanted acceleration that the cap allows", 0 },
    { TN_OF_PULL, "power", "W", NULL, NUMBER, DYNAMICS, pull_power, "what the pull puts into the motion", 0 },
    { TN_OF_PULL, "energy", "J", NULL, NUMBER, DYNAMICS, pull_energy, "what it has put in since it began", 0 },
    { TN_OF_PULL, "wanted", "m/s^2", NULL, TN_SHAPED_VECTOR3, DYNAMICS, pull_wanted,
      "acceleration that is asked for", 0 },
    { TN_OF_PULL, "force", "N", NULL, TN_SHAPED_VECTOR3, DYNAMICS, pull_force, "on the body at the point", 0 },
    { TN_OF_PULL, "target", "m", NULL, TN_SHAPED_XYZ, DYNAMICS, pull_target, "where the point is pulled to", 0 },
    { TN_OF_PULL, "mass", "kg", NULL, TN_SHAPED_MATRIX, DYNAMICS, pull_mass,
      "effective mass matrix of the mechanism at the point", 0 },
    { .value = NULL }
};
