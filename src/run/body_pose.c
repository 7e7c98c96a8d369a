/* The frame of a body in the world, from its positions. */
#include <string.h>
#include "session_impl.h"
#include "vec.h"

/* Returns the body's internal frame, to which its positions refer. */
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
