/* Exact derivatives of forces: for implicit integrators, equilibrium and linearisation.
 *
 * With a velocity-like displacement x (tn_position_move), velocities v and states z, at the point evaluated last:
 *     df     = position x + velocity v      f: applied and gyroscopic forces (tn_eval_forces),
 *                                           rows 0 ... velocities - 1
 *     d(z')  = position x + velocity v      rows velocities ... velocities + states - 1
 * Columns are those of x and v, 0 ... velocities - 1; after them the states, whose derivatives are in position (and
 * zero in velocity). Reactions on which forces depend (friction) count as constant. */
#ifndef TN_SYSTEM_DERIVATIVES_H
#define TN_SYSTEM_DERIVATIVES_H

#include "system.h"

/* Sparse, in triplets; values of repeated entries add up. The pattern never changes. */
typedef struct tn_derivatives {
    int count;
    int *row, *column;
    double *position, *velocity;
    tn_leaf *tangents;             /* workspace */
    double *changes;
    struct tn_elimination *elimination;    /* of the network's unknowns; NULL: there are none */
} tn_derivatives;

int tn_force_derivatives_create(tn_derivatives **out, const tn_system *system, tn_arena *arena);
/* At the point in e, after tn_eval_motion with velocities. */
void tn_force_derivatives(tn_derivatives *d, tn_eval *e, const tn_system *system, const double *memory);

/* The same with the network's unknowns as further columns, and its equations as further rows, after the states. */
int tn_open_derivatives_create(tn_derivatives **out, const tn_system *system, tn_arena *arena);
void tn_open_derivatives(tn_derivatives *d, tn_eval *e, const tn_system *system, const double *memory);

/* d(G' lambda) = position x: the stiffness due to joint forces e->lambda (of a pendulum, for example). */
int tn_joint_derivatives_create(tn_derivatives **out, const tn_system *system, tn_arena *arena);
void tn_joint_derivatives(tn_derivatives *d, tn_eval *e, const tn_system *system, const double *memory);

#endif
