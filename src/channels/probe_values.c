/* Channels: what each is worth at the state in the session's workspace, and what that takes. */
#include <math.h>
#include "channels.h"
#include "unilaterals.h"
#include "event_list.h"
#include "vec.h"

bool tn_probe_needs_forces(const tn_probe *p)
{
    switch (p->measure) {
    case TN_MEASURE_TIME:
    case TN_MEASURE_POSITION:
    case TN_MEASURE_VELOCITY:
    case TN_MEASURE_ACCELERATION:
    case TN_MEASURE_ORIENTATION:
    case TN_MEASURE_ANGLE:
    case TN_MEASURE_ANGULAR_VELOCITY:
    case TN_MEASURE_ANGULAR_ACCELERATION:
    case TN_MEASURE_COORDINATE:
    case TN_MEASURE_COORDINATE_RATE:
    case TN_MEASURE_COORDINATE_ACCELERATION:
    case TN_MEASURE_DRIFT:
    case TN_MEASURE_MAX_DRIFT:
        return false;
    case TN_MEASURE_FORMULA:
        return p->of_force || tn_channel_formula_needs_forces(p->formula);
    default:
        return true;
    }
}

static double frame_value(const tn_session *s, const tn_probe *p)
{
    const tn_eval *e = s->stepper->eval;
    tn_frame_motion m;
    double linear[3], angular[3];
    if (p->measure == TN_MEASURE_ACCELERATION || p->measure == TN_MEASURE_ANGULAR_ACCELERATION) {
        tn_frame_acceleration_of(e, s->system, &p->frame, linear, angular);
        return p->measure == TN_MEASURE_ACCELERATION ? linear[p->component] : angular[p->component];
    }
    tn_frame_motion_of(e, s->system, &p->frame, &m);
    return p->measure == TN_MEASURE_POSITION ? m.p[p->component]
           : p->measure == TN_MEASURE_VELOCITY ? m.v[p->component] : m.w[p->component];
}

static double orientation_value(const tn_session *s, const tn_probe *p)
{
    const tn_pose *local = &p->frame_in_body;
    if (p->frame.body < 0)
        return p->measure == TN_MEASURE_ANGLE ? 2 * atan2(local->q[3], local->q[0]) : local->q[p->component];
    const double *q = tn_eval_positions(s->stepper->eval, s->system) + s->system->bodies[p->frame.body].q;
    if (p->measure == TN_MEASURE_ANGLE)
        return q[2] + 2 * atan2(local->q[3], local->q[0]);
    double world[4];
    tn_quat_mul(world, q + 3, local->q);
    return world[p->component];
}

static double reaction_value(const tn_session *s, const tn_probe *p)
{
    const tn_eval *e = s->stepper->eval;
    tn_wrench w;
    tn_frame_motion m;
    tn_constraint_wrench(e, s->system, p->index, 1, &w);
    const double *part = p->measure == TN_MEASURE_FORCE || p->measure == TN_MEASURE_LOCAL_FORCE ? w.force : w.torque;
    if (p->measure == TN_MEASURE_FORCE || p->measure == TN_MEASURE_TORQUE)
        return part[p->component];
    tn_frame_motion_of(e, s->system, &s->system->frames[s->system->constraints[p->index].frames[0]], &m);
    return tn_dot3(part, m.axes[p->component]);
}

static double energy_value(const tn_session *s, const tn_probe *p)
{
    tn_energy energy = tn_system_energy(s->stepper->eval, s->system, s->stepper->memory);
    switch (p->measure) {
    case TN_MEASURE_KINETIC:
        return energy.kinetic;
    case TN_MEASURE_POTENTIAL:
        return energy.potential;
    case TN_MEASURE_WORK:
        return tn_work_at(s, s->stepper->eval->t);
    case TN_MEASURE_TOTAL:
        return energy.kinetic + energy.potential;
    default:
        return energy.kinetic + energy.potential - s->summary.energy_start - tn_work_at(s, s->stepper->eval->t);
    }
}

static double momentum_value(const tn_session *s, const tn_probe *p)
{
    double linear[3], angular[3];
    tn_system_momentum(s->stepper->eval, s->system, linear, angular);
    return p->measure == TN_MEASURE_LINEAR_MOMENTUM ? linear[p->component] : angular[p->component];
}

static double largest_gap(const tn_session *s)
{
    double most = 0;
    for (int i = 0; i < s->system->constraint_count; i++)
        most = fmax(most, tn_eval_gap(s->stepper->eval, s->system, i));
    return most;
}

double tn_probe_value(tn_session *s, const tn_probe *p)
{
    double values[TN_MAX_COORDINATES];
    tn_eval *e = s->stepper->eval;
    switch (p->measure) {
    case TN_MEASURE_GONE:
        return NAN;
    case TN_MEASURE_TIME:
        return e->t;
    case TN_MEASURE_ORIENTATION:
    case TN_MEASURE_ANGLE:
        return orientation_value(s, p);
    case TN_MEASURE_COORDINATE:
    case TN_MEASURE_COORDINATE_RATE:
    case TN_MEASURE_COORDINATE_ACCELERATION:
        tn_eval_coordinates(e, s->system, s->stepper->memory, p->index, (int)(p->measure - TN_MEASURE_COORDINATE),
                            values);
        return values[p->component];
    case TN_MEASURE_FORCE:
    case TN_MEASURE_TORQUE:
    case TN_MEASURE_LOCAL_FORCE:
    case TN_MEASURE_LOCAL_TORQUE:
        return reaction_value(s, p);
    case TN_MEASURE_MULTIPLIER:
        return e->lambda[s->system->constraints[p->index].row];
    case TN_MEASURE_LIMIT:
    case TN_MEASURE_RATCHET:
        return tn_unilaterals_limit_force(s, tn_constraint_id(s->system, p->index), p->component,
                                     p->measure == TN_MEASURE_RATCHET);
    case TN_MEASURE_TOOTH:
        return tn_unilaterals_tooth(s, tn_constraint_id(s->system, p->index));
    case TN_MEASURE_JOINT_POWER:
        return tn_constraint_power(e, s->system, p->index);
    case TN_MEASURE_FORCE_POWER:
        return tn_force_power(e, s->system, &s->system->forces[p->index], s->stepper->memory);
    case TN_MEASURE_CONTACT_FORCE:
        return tn_unilaterals_contact_load(s, (uint32_t)p->index).force[p->component];
    case TN_MEASURE_CONTACT_NORMAL:
        return tn_unilaterals_contact_load(s, (uint32_t)p->index).normal;
    case TN_MEASURE_CONTACT_CLOSED:
        return tn_unilaterals_contact_load(s, (uint32_t)p->index).closed;
    case TN_MEASURE_CONTACT_GAP:
        return tn_unilaterals_contact_gap(s, (uint32_t)p->index);
    case TN_MEASURE_FORMULA:
        return tn_channel_formula_value(p->formula);
    case TN_MEASURE_EVENT_COUNT:
        return (double)s->events->watches[p->index].count;
    case TN_MEASURE_EVENT_TIME:
        return s->events->watches[p->index].last;
    case TN_MEASURE_DRIFT:
        return tn_eval_gap(e, s->system, p->index);
    case TN_MEASURE_MAX_DRIFT:
        return largest_gap(s);
    case TN_MEASURE_SIGMA:
        return tn_sigma(s->stepper);
    case TN_MEASURE_LINEAR_MOMENTUM:
    case TN_MEASURE_ANGULAR_MOMENTUM:
        return momentum_value(s, p);
    case TN_MEASURE_KINETIC:
    case TN_MEASURE_POTENTIAL:
    case TN_MEASURE_TOTAL:
    case TN_MEASURE_WORK:
    case TN_MEASURE_ENERGY_ERROR:
        return energy_value(s, p);
    default:
        return frame_value(s, p);
    }
}

bool tn_probe_solves(const tn_probe *p)
{
    switch (p->measure) {
    case TN_MEASURE_TIME:
    case TN_MEASURE_POSITION:
    case TN_MEASURE_VELOCITY:
    case TN_MEASURE_ORIENTATION:
    case TN_MEASURE_ANGLE:
    case TN_MEASURE_ANGULAR_VELOCITY:
    case TN_MEASURE_COORDINATE:
    case TN_MEASURE_COORDINATE_RATE:
    case TN_MEASURE_KINETIC:
    case TN_MEASURE_POTENTIAL:
    case TN_MEASURE_TOTAL:
    case TN_MEASURE_WORK:
    case TN_MEASURE_ENERGY_ERROR:
    case TN_MEASURE_LINEAR_MOMENTUM:
    case TN_MEASURE_ANGULAR_MOMENTUM:
    case TN_MEASURE_EVENT_COUNT:
    case TN_MEASURE_EVENT_TIME:
        return false;
    case TN_MEASURE_FORMULA:
        return tn_channel_formula_solves(p->formula);
    default:
        return true;
    }
}
