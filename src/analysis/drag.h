/* Pulling a mechanism that stands still: the pose nearest to the present one, along joints and bounds, at which a point
 * comes as near to a target as they allow. */
#ifndef TN_ANALYSIS_DRAG_H
#define TN_ANALYSIS_DRAG_H

#include "system.h"
#include "tenon/session.h"

/* What a joint coordinate must stay within: m or rad, infinite where there is no bound. A pose that is beyond a bound
 * already may stay there, but goes no further. */
typedef struct tn_bound {
    int constraint, coordinate;
    double low, high;
} tn_bound;

typedef struct tn_blocking {
    int constraint;
    tn_blocker_kind kind;
    double size;                   /* N: what it carries when the point is pulled by 1 N per m of distance */
} tn_blocking;

typedef struct tn_pose_drag {
    tn_coupling *coupling;         /* of the system (coupling.h) */
    double t;                      /* s: drives are where they are then */
    double *q, *memory;            /* in: a pose that fits the joints; out: the new one, turns counted on */
    double *v;                     /* with states behind, which stay; out: turned with the bodies, then projected */
    tn_sys_frame point;            /* its origin; not on ground */
    double target[3];              /* m, world */
    const tn_bound *bounds;
    int bound_count;
    tn_drag_end end;               /* out, like all that follows */
    double distance;               /* m left */
    double slack;                  /* part of the pull that joints and bounds do not carry: 0 at the nearest pose */
    int steps;                     /* taken */
    tn_blocking blocking[TN_DRAG_BLOCKERS];    /* what is worst first; none when the target is reached */
    int blocking_count;
} tn_pose_drag;

/* Never fails for want of a pose: the least it does is nothing. TN_ERROR_MEMORY, or what the solver says. */
int tn_drag_find(tn_pose_drag *drag, const tn_system *system, const tn_solver_type *solver);

#endif
