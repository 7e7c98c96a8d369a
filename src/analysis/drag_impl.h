/* Shared by the files of dragging (drag*.c): the data of the search for a pose and its steps. */
#ifndef TN_ANALYSIS_DRAG_IMPL_H
#define TN_ANALYSIS_DRAG_IMPL_H

#include "drag.h"

/* A bound and its reaction while the pose rests on it. */
typedef struct tn_rest {
    int constraint, coordinate;    /* constraint -1: the fold, where the point's map is singular */
    double low, high;              /* the given bounds, widened to include the first pose */
    int side;                      /* -1 rests on low, 1 on high, 0 free */
    double value, begun;           /* of the coordinate: now; at the accepted pose */
    int side_before;               /* at the accepted pose */
    double *row;                   /* its gradient over all velocities */
    double *response, *reaction;   /* of bodies and joints to a unit force along the coordinate; valid while resting */
    double multiplier;             /* generalized force of the bound along the coordinate */
} tn_rest;

/* A drive that prescribes a rate: dragging holds its coordinate at the present value. */
typedef struct tn_held {
    int row;
    int constraint, coordinate;
    double value;
} tn_held;

/* The map from motions of the mechanism to motions of the point: orthonormal bases of both, in corresponding order and
 * orientation. */
typedef struct tn_grip {
    int rank;                      /* 0 to 3 */
    double *motion[3];             /* over all velocities, orthonormal in the mass metric */
    double axes[3][3];             /* directions of the point */
    double volume;                 /* of the map, relative to a body without joints: 0 where the map is singular */
} tn_grip;

/* A workspace to evaluate and factor at one pose. */
typedef struct tn_stand {
    const tn_solver_type *solver;  /* the chosen one, or its wrapper for components */
    tn_eval *eval;
    tn_structure structure;
    tn_saddle *saddle;
    long factored;                 /* tn_coupling_version at the last factorization */
} tn_stand;

/* The search. All values at a pose are those of q, as tn_drag_look computed them. A pose is a whole state, because the
 * states of components change with it. */
typedef struct tn_dragger {
    const tn_system *system;
    const tn_solver_type *solver;
    tn_arena *arena;
    tn_pose_drag *task;
    tn_stand here, beside;         /* at the pose; near the pose, for finite differences */
    tn_eval *eval, *probe;         /* the eval of here and of beside */
    double *q, *trial, *near, *kept;           /* poses: accepted, being tried, of the probe, before a correction */
    double *inside;                /* states of components, as corrected by the components */
    double *force, *direction, *lambda;        /* pull; least motion that follows the pull; multipliers of joints */
    double *balance;               /* force plus reactions of joints and bounds: mass times direction */
    double *step, *shift, *zero, *u;
    double *residual, *search, *image, *answer;        /* of the search for a step */
    tn_rest *rests;
    int rest_count;
    int *resting;                  /* rests with a side, in the order in which the pose reached them */
    int *resting_before;           /* at the accepted pose */
    int resting_count;
    double *schur, *strength;      /* Cholesky factor of the matrix of the resting bounds; solution of its system */
    double *offsets;               /* distance of each resting coordinate from its bound */
    tn_held *held;
    int held_count;
    double gap[3];                 /* m: from point to target */
    double distance, slack;
    double mobility;               /* 1/kg: of the body alone at the point, along the pull */
    int rank;                      /* of the rows at the pose */
    double pivot;                  /* the weakest pivot kept: 1 is far from singular */
    tn_grip grip;                  /* at the accepted pose */
    tn_grip trial_grip;            /* at the pose looked at last, if computed there */
    tn_grip probe_grip;
    bool redundant;                /* the point's map has no fold: motions exist that lead round singular positions */
    long work;                     /* evaluations so far */
    double size;                   /* m: of the largest body's reach */
} tn_dragger;

/* drag_pose.c */
int tn_drag_prepare(tn_dragger *d);
/* Evaluates motion, residuals and, if rows, the rows of positions at a pose. TN_ERROR_STEP: a component cannot reach
 * the pose. */
int tn_drag_evaluate(tn_dragger *d, tn_eval *e, const double *q, bool rows);
/* Factors the rows evaluated at a stand. tn_drag_solve solves as in tn_solver_type, with components in the state of
 * that factorization. */
int tn_drag_factor(const tn_dragger *d, tn_stand *stand, tn_rank_rule rule);
int tn_drag_solve(const tn_dragger *d, tn_stand *stand, const double *f, const double *u, double *x, double *lambda);
/* Moves a pose by a small motion. The result is not yet projected onto the joints. */
int tn_drag_move(tn_dragger *d, const double *from, const double *motion, double *to);
/* Evaluates and factors at a pose that satisfies the joints, and computes the motion that follows the pull. Releases
 * bounds whose reaction has the wrong sign. */
int tn_drag_look(tn_dragger *d, const double *q);
/* Solves for the acceleration-like response to a force, with joints and resting bounds kept; as
 * tn_solver_type.solve. */
int tn_drag_answer(tn_dragger *d, const double *force, double *answer, double *lambda);
/* Takes a step from d->q, projects the pose onto joints and resting bounds, and writes it into d->trial. *found false:
 * there is no such pose nearby. Replaces the factorization. */
int tn_drag_retract(tn_dragger *d, const double *step, bool *found);
/* Computes the product of curvature and direction: the negative change of balance along the direction. */
int tn_drag_curvature(tn_dragger *d, const double *direction, double *image);
/* Makes drives that prescribe rates hold their coordinates at the values of the pose evaluated last. */
void tn_drag_hold(tn_dragger *d);
/* Makes the pose rest on a bound. *rests false: joints and other bounds fix the coordinate already, or the pull leads
 * away from the bound. */
int tn_drag_rest(tn_dragger *d, int rest, int side, bool *rests);
/* Releases the fold if the pose rests on it but has moved away from it. */
int tn_drag_leave_fold(tn_dragger *d);
/* Rotates the start's velocities with their bodies to the pose, then projects them onto the joints. */
int tn_drag_carry_velocities(tn_dragger *d);
/* Stores the coordinates at the pose evaluated last as the remembered ones, from which turns are counted. */
void tn_drag_remember(tn_dragger *d);
/* drag_measures.c, at the pose that components were last at */
/* x' M y, and out = M x. */
double tn_drag_product(const tn_dragger *d, const double *x, const double *y);
void tn_drag_weigh(const tn_dragger *d, const double *x, double *out);
/* f' M^-1 f: squared length of the response of bodies without joints to a force. */
double tn_drag_freedom(const tn_dragger *d, const double *f);
/* Largest turn (rad), or displacement over the reach of its body. */
double tn_drag_extent(const tn_dragger *d, const double *step);
/* Lever that relates displacements of a body to rotations; 0: the body does not rotate. */
double tn_drag_reach(const tn_system *system, int body);

/* drag_branch.c */
/* Least volume of the point's map: a stretched arm, or a crank in line with its rod, stops at this volume. The error in
 * distance is its square. */
#define TN_DRAG_FOLD 1e-8
/* Computes the point's map at the stand. */
int tn_drag_take_grip(tn_dragger *d, tn_stand *stand, tn_grip *grip);
/* Volume of the point's map at the pose looked at; negative when the map has changed orientation since the accepted
 * pose. */
double tn_drag_volume(const tn_dragger *d);
/* Checks, at the pose looked at, whether motions that do not move the point change the volume. If so, the mechanism can
 * go round singular positions. */
int tn_drag_check_redundancy(tn_dragger *d);
/* Computes the gradient of the volume along the motions of trial_grip, as a row over all velocities. */
int tn_drag_fold_row(tn_dragger *d, double *row);
/* Computes the part of the step, from the accepted pose to the pose looked at, that stays on the branch; 1: all of
 * it. */
int tn_drag_check_branch(tn_dragger *d, double extent, int rank_before, double pivot_before, double *part);

#endif
