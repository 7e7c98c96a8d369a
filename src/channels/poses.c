/* Poses and velocities of bodies, and the reactions and forces that act on them. */
#include <string.h>
#include "channels.h"
#include "diag.h"
#include "vec.h"

int tn_session_pose(tn_pose *out, const tn_session *s, tn_id body)
{
    if (!tn_model_entity(s->model, body))
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "pose of a body that is gone");
    if (body.kind != TN_KIND_BODY)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' is not a body: only bodies have a pose",
                       tn_model_entity_name(s->model, body));
    int index = s->system->body_of[body.index];
    if (index < 0) {
        *out = s->model->bodies[body.index].pose;      /* ground, or an inactive body */
        return TN_OK;
    }
    const tn_sys_body *b = &s->system->bodies[index];
    *out = tn_body_pose(b, (s->channels->sampled ? s->channels->sampled : s->stepper->y) + b->q, s->system->dimension);
    return TN_OK;
}

/* Evaluates the session and returns the frame of a body; frame->body is negative when the body does not move. */
static int moving_frame(tn_sys_frame *frame, tn_session *s, tn_id body, const char *what)
{
    const tn_pose identity = tn_pose_identity();
    frame->body = -1;
    if (!tn_model_entity(s->model, body) || body.kind != TN_KIND_BODY)
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "%s of what is no body", what);
    if (s->system->body_of[body.index] < 0)
        return TN_OK;
    *frame = tn_system_frame(s->system, body.index, &identity);
    return tn_session_evaluate(s);
}

int tn_session_velocity(double linear[3], double angular[3], tn_session *s, tn_id body)
{
    tn_frame_motion m = { .v = { 0 } };
    tn_sys_frame frame;
    int code = moving_frame(&frame, s, body, "velocity");
    if (code == TN_OK && frame.body >= 0)
        tn_frame_motion_of(s->stepper->eval, s->system, &frame, &m);
    tn_copy3(linear, m.v);
    tn_copy3(angular, m.w);
    return code;
}

int tn_session_acceleration(double linear[3], double angular[3], tn_session *s, tn_id body)
{
    tn_sys_frame frame;
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    int code = moving_frame(&frame, s, body, "acceleration");
    if (code == TN_OK && frame.body >= 0)
        tn_frame_acceleration_of(s->stepper->eval, s->system, &frame, linear, angular);
    return code;
}

int tn_session_force(double force[3], double torque[3], tn_session *s, tn_id id)
{
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (!tn_model_entity(s->model, id) || id.kind != TN_KIND_FORCE)
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "effect of what is no force");
    const tn_force *source = &s->model->forces[id.index];
    int index = s->system->force_of[id.index];
    if (index < 0 || source->type->place == TN_PLACE_NONE)
        return TN_OK;
    TN_TRY(tn_session_evaluate(s));
    tn_eval *e = s->stepper->eval;
    tn_sys_frame end = tn_system_frame(s->system, source->body2, &source->frame2);
    int other = s->system->body_of[source->body1];
    tn_frame_motion m;
    tn_wrench w;
    if (end.body < 0 && other < 0)
        return TN_OK;
    tn_frame_motion_of(e, s->system, &end, &m);
    /* the wrench on ground is opposite to the wrench on the other body */
    tn_force_wrench(e, s->system, &s->system->forces[index], s->stepper->memory, end.body < 0 ? other : end.body, m.p,
                    &w);
    tn_axpy3(force, end.body < 0 ? -1 : 1, w.force);
    tn_axpy3(torque, end.body < 0 ? -1 : 1, w.torque);
    return TN_OK;
}

int tn_session_reaction(double force[3], double torque[3], tn_session *s, tn_id joint)
{
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    if (!tn_model_entity(s->model, joint) || joint.kind != TN_KIND_JOINT)
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "reaction of what is no joint");
    int constraint = s->system->constraint_of[joint.index];
    if (constraint < 0 || s->model->joints[joint.index].type->joints != 0)
        return TN_OK;
    TN_TRY(tn_session_evaluate(s));
    tn_wrench w;
    tn_constraint_wrench(s->stepper->eval, s->system, constraint, 1, &w);
    tn_copy3(force, w.force);
    tn_copy3(torque, w.torque);
    return TN_OK;
}

long tn_session_revision(const tn_session *s)
{
    return s->revision;
}
