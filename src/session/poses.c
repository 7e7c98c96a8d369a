/* Where bodies are. */
#include "diag.h"
#include "session_impl.h"
#include "vec.h"

/* The internal frame of a body in the world, from its positions. */
static tn_pose internal_pose(const tn_sys_body *body, const double *q, int dimension)
{
    tn_pose pose = tn_pose_identity();
    switch (body->motion) {
    case TN_MOTION_SPATIAL:
        tn_copy3(pose.p, q);
        memcpy(pose.q, q + 3, sizeof pose.q);
        break;
    case TN_MOTION_PLANAR:
        pose = tn_pose_planar(q[0], q[1], q[2]);
        break;
    case TN_MOTION_PARTICLE:
        memcpy(pose.p, q, (size_t)dimension * sizeof *q);
        break;
    }
    return pose;
}

tn_pose tn_body_pose(const tn_sys_body *body, const double *q, int dimension)
{
    const tn_pose identity = tn_pose_identity();
    tn_pose inside = internal_pose(body, q, dimension), own = tn_pose_relative(&body->offset, &identity);
    return tn_pose_compose(&inside, &own);
}

int tn_session_pose(tn_pose *out, const tn_session *s, tn_id body)
{
    if (!tn_model_entity(s->model, body))
        return tn_fail(s->context, TN_ERROR_STALE, TN_NOWHERE, "pose of a body that is gone");
    if (body.kind != TN_KIND_BODY)
        return tn_fail(s->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "'%s' is not a body: only bodies have a pose",
                       tn_model_entity_name(s->model, body));
    int index = s->system->body_of[body.index];
    if (index < 0) {
        *out = s->model->bodies[body.index].pose;      /* ground, or one that takes no part */
        return TN_OK;
    }
    const tn_sys_body *b = &s->system->bodies[index];
    *out = tn_body_pose(b, (s->sampled ? s->sampled : s->stepper->y) + b->q, s->system->dimension);
    return TN_OK;
}
