/* Dragging a point of a mechanism at rest: finds the pose, near the present one, at which the point comes as close to a
 * target as joints and bounds allow. */
#ifndef TN_ANALYSIS_DRAG_H
#define TN_ANALYSIS_DRAG_H

#include "system.h"
#include "tenon/session.h"

/* Bounds of a joint coordinate: m or rad; infinite: no bound. A pose that starts beyond a bound may stay there, but
 * does not move further beyond it. */
typedef struct tn_bound {
    int constraint, coordinate;
    double low, high;
} tn_bound;

typedef struct tn_blocking {
    int constraint;
    tn_blocker_kind kind;
    double size;                   /* N: the force it carries when the point is pulled by 1 N per m of distance */
} tn_blocking;

typedef struct tn_pose_drag {
    tn_coupling *coupling;         /* of the system (coupling.h) */
    double t;                      /* s: the time at which drives are evaluated */
    double *q, *memory;            /* in: a pose that satisfies the joints; out: the new pose, with turns counted */
    double *v;                     /* followed by the states, which stay; out: rotated with bodies, then projected */
    tn_sys_frame point;            /* the dragged point is its origin; not on ground */
    double target[3];              /* m, world */
    const tn_bound *bounds;
    int bound_count;
    tn_drag_end end;               /* out, like all members below */
    double distance;               /* m: remaining distance from the point to the target */
    double slack;                  /* part of the pull that joints and bounds do not balance: 0 at the nearest pose */
    int steps;                     /* taken */
    tn_blocking blocking[TN_DRAG_BLOCKERS];    /* strongest first; empty when the target is reached */
    int blocking_count;
} tn_pose_drag;

/* Finds the pose. If there is no better pose, the present pose stays, without an error. Errors: TN_ERROR_MEMORY, or an
 * error of the solver. */
int tn_drag_find(tn_pose_drag *drag, const tn_system *system, const tn_solver_type *solver);

#endif
