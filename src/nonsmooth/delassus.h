/* The Delassus operator of the unilateral constraints that touch: the response of each constraint row to a unit force
 * along another row, with all joints of the model condensed. J are the rows of the unilateral constraints; x = A f is
 * the motion that a force f causes while the joints hold:
 *     W = J A J',    velocities w = W p + J v,    accelerations w = W p + J A f + ... - bias */
#ifndef TN_DELASSUS_H
#define TN_DELASSUS_H

#include "cone.h"
#include "derivatives.h"
#include "unilaterals.h"
#include "session_impl.h"

typedef struct tn_delassus {
    tn_session *session;
    tn_arena *arena;
    tn_layout own, others;         /* layout with these unilateral constraints; layout of the session's stepper */
    tn_structure joints;           /* the model's own joints, without unilateral constraints */
    const tn_solver_type *solver;
    tn_saddle *saddle;
    tn_eval *eval;
    tn_unilateral **unilaterals;
    int count;
    int rows, first;               /* number of unilateral rows; index of the first one in the workspace */
    bool *held_body;               /* by body: joints or components take part in its responses */
    double *J, *A;                 /* rows and responses: rows x velocities */
    double *W;                     /* rows x rows */
    double *b, *p, *w;             /* over the rows */
    double *forces;                /* over the rows: forces of the last solution, start value of the next search */
    double *y;                     /* the loaded state (q, v, z) */
    double *f, *u, *free;          /* right-hand sides and a solution, all of the system's length */
    double *impulse;               /* generalized impulse J' p, over the velocities */
    tn_cone_contact *contacts;     /* one per unilateral constraint */
    double *work;                  /* workspace of the cone solver; the arrays below hold subproblems */
    int *numbers;
    double *part_W, *part_b, *part_p, *part_w;
    tn_cone_contact *part;
    int *chosen;
    int decided;                   /* number of unilateral constraints in the last mode decision */
    bool held;                     /* time stands still: joints prescribe zero accelerations, drives hold */
    bool in_force;                 /* the equations of the closed unilateral constraints hold at the loaded state */
} tn_delassus;

/* Opens the operator for these unilateral constraints. They must not move in memory until tn_delassus_close. The
 * functions below change the system's layout while they run and restore it before they return. */
int tn_delassus_open(tn_delassus *out, tn_session *session, tn_unilateral **unilaterals, int count);
void tn_delassus_close(tn_delassus *delassus);
/* Loads the state y at time t: computes W, and the velocities of the unilateral rows into b. y may be delassus->y. */
int tn_delassus_load(tn_delassus *delassus, double t, const double *y);
/* recall copies the forces stored in the unilateral constraints to delassus->forces; remember copies them back. */
void tn_delassus_recall(tn_delassus *delassus);
void tn_delassus_remember(tn_delassus *delassus);
/* Writes the velocities of the unilateral rows at the loaded state into b. */
void tn_delassus_velocities(tn_delassus *delassus);
/* Writes the accelerations of the unilateral rows at the loaded state, without unilateral forces, into b. */
int tn_delassus_accelerations(tn_delassus *delassus);
/* Applies the impulses p to the components: delassus->y holds their states after the impulses. Adds the energy (J) that
 * goes into the components to *work. */
int tn_delassus_tell(tn_delassus *delassus, double *work);

/* Creates the derivatives of the forces that the normal forces in p exert on the bodies, with the joint forces that p
 * causes (derivatives.h). */
int tn_delassus_stiffness(tn_derivatives **out, tn_delassus *delassus, tn_arena *arena);
/* Adds to *work the work (J) of drives, and of other joints with a prescribed motion, while the impulses p act. */
int tn_delassus_drive_work(tn_delassus *delassus, double *work);

/* Returns the problem of the unilateral constraints chosen[0 .. count-1] alone, in the part_ arrays, with p = 0. */
tn_cone_problem tn_delassus_part(tn_delassus *delassus, int count);

#endif
