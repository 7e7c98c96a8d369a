/* Finds a static equilibrium. */
#ifndef TN_ANALYSIS_STATICS_H
#define TN_ANALYSIS_STATICS_H

#include "cone.h"
#include "tangent.h"
#include "tenon/analysis.h"

/* Unilateral constraints gap >= 0 near a state: rows J of their velocities, the normal of a constraint first. */
typedef struct tn_static_rows {
    int count, rows;
    const double *J;                   /* rows x velocities, stored by rows */
    double *gap;                       /* m or rad, one per constraint */
    double *force;                     /* over the rows: forces of the last step */
    const tn_cone_contact *contacts;
    void *constraints;                 /* of the callbacks */
    bool touches;                      /* some are contacts of shapes, whose gaps are not linear in rotations */
} tn_static_rows;

/* Unilateral constraints, as the search sees them. */
typedef struct tn_static_bounds {
    void *user;
    /* Lists the constraints that may close at y, a state near that of near, when bodies move by shift (m) and turn
     * (rad). */
    int (*list)(tn_static_rows *out, void *user, const tn_tangent *near, const double *y, double shift, double turn,
                tn_arena *arena);
    /* Measures the gaps of listed constraints at y. */
    void (*measure)(double *gaps, void *user, const tn_static_rows *rows, const tn_tangent *near, const double *y);
    /* Moves y, a state near that of near, out of overlaps by the smallest shifts, and adds the shifts to x.
     * TN_ERROR_STEP: overlaps remain. */
    int (*push)(void *user, const tn_tangent *near, double *y, double *x);
    /* Adds to a, the accelerations at the state of near, those by the forces of the constraints that touch. */
    int (*support)(void *user, const tn_tangent *near, double *a);
    /* Derivatives of these forces and of the joint forces that they cause; *out NULL: nothing touches. */
    int (*stiffness)(tn_derivatives **out, void *user, const tn_tangent *near, tn_arena *arena);
} tn_static_bounds;

/* Solves a step of the search between unilateral constraints. A x = b is the step without them; x is the solution, of
 * length A->rows, whose first entries are displacements along the columns of V. Adds to x the effect of the forces f >= 0
 * that keep gap + J V x >= 0, with friction against the displacements, into rows->force, whose values on entry are the start.
 * Overwrites A. */
int tn_static_rows_constrain(double *x, tn_matrix *A, const tn_matrix *V, const tn_static_rows *rows, tn_arena *arena);
/* After a step by x, at whose end the gaps are those given: corrects rows->gap for their curvature. Returns the largest
 * gap of a constraint that bears load, which should be zero. */
double tn_static_rows_correct(tn_static_rows *rows, const double *gaps, const double *x, int velocities);

/* Goes downhill between unilateral constraints, from the state of near to a state at rest at options->time, and leaves
 * near there, held. away: direction of the first displacement, from an equilibrium that is not stable; NULL: none. Does
 * not judge the equilibrium. Adds the number of steps to *steps. */
int tn_statics_descend(long *steps, tn_tangent *near, const tn_statics_options *options,
                       const tn_static_bounds *bounds, const double *away);

/* Searches from the state of near (positions and states; ignores t and velocities) for the equilibrium at
 * options->time, and leaves near there, held. TN_ERROR_STEP with a diagnostic: none found. The arena owns the memory of
 * out. direction receives the motion of out->margin as a displacement; NULL: it is not wanted. */
int tn_statics_find(tn_equilibrium *out, tn_tangent *near, const tn_statics_options *options, double *direction,
                    tn_arena *arena);

/* Searches along the linearized motion (statics_flow.c), for systems whose forces cannot be differentiated, at the time
 * of near. Adds the number of steps to *steps. */
int tn_statics_flow(tn_tangent *near, double size, bool nearest, long *steps);

#endif
