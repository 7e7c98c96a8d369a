/* Parts of the pose solve; private to drag*.c. */
#ifndef TN_ANALYSIS_DRAG_IMPL_H
#define TN_ANALYSIS_DRAG_IMPL_H

#include "drag.h"

/* A bound, and what it does while the pose rests on it. */
typedef struct tn_rest {
    int constraint, coordinate;    /* constraint -1: the fold, where the point's map is singular */
    double low, high;              /* the given ones, widened to where the pose began */
    int side;                      /* -1 rests on low, 1 on high, 0 free */
    double value, begun;           /* of the coordinate; at the accepted pose */
    int side_before;               /* at the accepted pose */
    double *row;                   /* its gradient over all velocities */
    double *response, *reaction;   /* of bodies and joints to a unit force along the coordinate; while it rests */
    double multiplier;             /* what the bound does along the coordinate */
} tn_rest;

/* A drive that gives a rate: it holds its coordinate where it is. */
typedef struct tn_held {
    int row;
    int constraint, coordinate;
    double value;
} tn_held;

/* How the motions that move the point map to motions of the point: an orthonormal basis of each, in corresponding order
 * and orientation. */
typedef struct tn_grip {
    int rank;                      /* 0 to 3 */
    double *motion[3];             /* over all velocities, orthonormal with the masses */
    double axes[3][3];             /* directions of the point */
    double volume;                 /* of the map, relative to that of a body without joints: 0 where it is singular */
} tn_grip;

/* A place to evaluate and factor. */
typedef struct tn_stand {
    const tn_solver_type *solver;  /* the chosen one, or what it has become with components */
    tn_eval *eval;
    tn_structure structure;
    tn_saddle *saddle;
    long factored;                 /* when components were as they are in it: tn_coupling_version */
} tn_stand;

/* Everything at one pose belongs to q, as tn_drag_look left it. Poses are whole states, because components move
 * along. */
typedef struct tn_dragger {
    const tn_system *system;
    const tn_solver_type *solver;
    tn_arena *arena;
    tn_pose_drag *task;
    tn_stand here, beside;         /* at the pose; near it, for differences */
    tn_eval *eval, *probe;         /* theirs */
    double *q, *trial, *near, *kept;           /* poses: accepted, being tried, of the probe, before a correction */
    double *inside;                /* states of components, as they would put themselves right */
    double *force, *direction, *lambda;        /* pull; least motion that follows it; what joints carry */
    double *balance;               /* force plus what joints and bounds carry: mass times direction */
    double *step, *shift, *zero, *u;
    double *residual, *search, *image, *answer;        /* of the search for a step */
    tn_rest *rests;
    int rest_count;
    int *resting;                  /* those with a side, in the order in which they came */
    int *resting_before;           /* at the accepted pose */
    int resting_count;
    double *schur, *strength;      /* of resting bounds among themselves: Cholesky factor; their answer */
    double *offsets;               /* of resting bounds: what is missing */
    tn_held *held;
    int held_count;
    double gap[3];                 /* m: from point to target */
    double distance, slack;
    double mobility;               /* 1/kg: of the body alone at the point, along the pull */
    int rank;                      /* of the rows at the pose */
    double pivot;                  /* the weakest kept: 1 is far from singular */
    tn_grip grip;                  /* at the accepted pose */
    tn_grip trial_grip;            /* at the pose looked at last, where it was taken */
    tn_grip probe_grip;
    bool redundant;                /* the point's map has no fold */
    long work;                     /* evaluations so far */
    double size;                   /* m: of the largest body's reach */
} tn_dragger;

/* drag_pose.c */
int tn_drag_prepare(tn_dragger *d);
/* Motion, residuals and rows of positions at a pose. TN_ERROR_STEP: a component cannot be there. */
int tn_drag_evaluate(tn_dragger *d, tn_eval *e, const double *q, bool rows);
/* Factors what was evaluated at a stand; solves, as in tn_solver_type, with components as they were then. */
int tn_drag_factor(const tn_dragger *d, tn_stand *stand, tn_rank_rule rule);
int tn_drag_solve(const tn_dragger *d, tn_stand *stand, const double *f, const double *u, double *x, double *lambda);
/* A pose moved by a small motion, not yet put on the joints. */
int tn_drag_move(tn_dragger *d, const double *from, const double *motion, double *to);
/* Evaluates and factors at a pose that fits, and finds how it would follow the pull. Bounds that hold it back the wrong
 * way are let go. */
int tn_drag_look(tn_dragger *d, const double *q);
/* Acceleration-like answer to a force with joints and resting bounds kept; as in tn_solver_type.solve. */
int tn_drag_answer(tn_dragger *d, const double *force, double *answer, double *lambda);
/* The pose reached by a step from d->q, put on joints and resting bounds, into d->trial. False: there is none near. The
 * factorization is then another one. */
int tn_drag_retract(tn_dragger *d, const double *step, bool *found);
/* Curvature times a direction: how the balance changes along it, negated. */
int tn_drag_curvature(tn_dragger *d, const double *direction, double *image);
/* Drives that give rates hold their coordinates where they are at the pose evaluated last. */
void tn_drag_hold(tn_dragger *d);
/* Lets the pose rest on a bound. False: what is held already holds it, or the pull leads away from it. */
int tn_drag_rest(tn_dragger *d, int rest, int side, bool *rests);
/* A pose that rests on the fold and has come to be beside it does not any more. */
int tn_drag_leave_fold(tn_dragger *d);
/* Velocities of the start turn with their bodies to the pose, then lose what joints do not allow. */
int tn_drag_carry_velocities(tn_dragger *d);
/* Coordinates at the pose evaluated last become the remembered ones. */
void tn_drag_remember(tn_dragger *d);
/* drag_measures.c, at the pose that components were last at */
/* x' M y, and out = M x. */
double tn_drag_product(const tn_dragger *d, const double *x, const double *y);
void tn_drag_weigh(const tn_dragger *d, const double *x, double *out);
/* f' M^-1 f: how far bodies without joints would follow a force, squared. */
double tn_drag_freedom(const tn_dragger *d, const double *f);
/* Largest turn (rad), or displacement over the reach of its body. */
double tn_drag_extent(const tn_dragger *d, const double *step);
/* Lever by which displacements of a body are compared with turns; 0: it does not turn. */
double tn_drag_reach(const tn_system *system, int body);

/* drag_branch.c */
/* Least volume of the point's map: what an arm is stretched to, or a crank brought in line. Distances come out exact to
 * its square. */
#define TN_DRAG_FOLD 1e-8
/* The point's map at the stand. */
int tn_drag_take_grip(tn_dragger *d, tn_stand *stand, tn_grip *grip);
/* Its volume at the pose looked at; negative when it has turned over since the accepted one. */
double tn_drag_volume(const tn_dragger *d);
/* Whether motions that leave the point where it is change the volume: then there is a way round singular positions. At
 * the pose looked at. */
int tn_drag_check_redundancy(tn_dragger *d);
/* How the volume changes with the motions of trial_grip, as a row over all velocities. */
int tn_drag_fold_row(tn_dragger *d, double *row);
/* The part of the step, from the accepted pose to the one looked at, that may be taken; 1: all of it. */
int tn_drag_check_branch(tn_dragger *d, double extent, int rank_before, double pivot_before, double *part);

#endif
