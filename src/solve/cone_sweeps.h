/* Complementarity with Coulomb cones for many contacts between bodies that most contacts do not share: the problem of
 * cone.h, with W = J A J' given by sparse rows J and responses A instead of a full matrix. One sweep solves the
 * contacts one after the other (nonlinear Gauss-Seidel), so its cost is proportional to the number of contacts.
 * Anderson's acceleration over the last sweeps makes the sweeps converge in heaps, too, where Gauss-Seidel alone
 * needs thousands.
 *
 * The unknowns are impulses p; v are the velocities that belong to them:
 *     v = v_free + sum of A_c p_c,     w_c = J_c v + (shift_c, belt_c)
 *     0 <= w_n,  0 <= p_n,  w_n p_n = 0;  |p_t| <= mu p_n,  and  p_t = -mu p_n w_t / |w_t|  where w_t != 0 */
#ifndef TN_SOLVE_CONE_SWEEPS_H
#define TN_SOLVE_CONE_SWEEPS_H

#include "mem.h"

enum { TN_SWEEP_ROWS = 3 };

/* A part of the rows, or of the responses, of a contact: `width` velocities that begin with number `at`. values has
 * `width` groups of `rows` numbers: the column of the first velocity, of the second, ... */
typedef struct tn_sweep_block {
    int at, width;
    const double *values;
} tn_sweep_block;

typedef struct tn_sweep_contact {
    int rows;                                  /* 1: without friction; 2, 3: with one or two tangents */
    double mu;
    double shift;                              /* m/s: added to the normal velocity */
    double belt[TN_SWEEP_ROWS - 1];            /* m/s: added to the sliding velocities */
    const tn_sweep_block *J, *A;
    int J_count, A_count;
    double W[TN_SWEEP_ROWS][TN_SWEEP_ROWS];    /* J A J' of this contact, by tn_sweeps_prepare */
    double inverse[TN_SWEEP_ROWS][TN_SWEEP_ROWS];
    bool round;                                /* W has no coupling between rows, and equal tangents */
    double slip;                               /* last ratio of sliding velocity to friction */
    double p[TN_SWEEP_ROWS];                   /* start value, then solution */
} tn_sweep_contact;

/* Computes W and its inverse of each contact. */
void tn_sweeps_prepare(tn_sweep_contact *contacts, int count);
/* Number of doubles in the workspace of tn_sweeps_solve for contacts with so many rows together. */
long tn_sweeps_doubles(long rows);

/* Workspace of the methods that finish where sweeps are slow. */
typedef struct tn_cone_newton tn_cone_newton;
int tn_cone_newton_create(tn_cone_newton **out, tn_context *context);
void tn_cone_newton_destroy(tn_cone_newton *newton);

typedef struct tn_sweep_result {
    double residual;           /* largest violation of a law, as a share of the largest velocity in the problem */
    int sweeps, newton;        /* number of sweeps, and of factorizations */
} tn_sweep_result;
/* Solves the contacts list[0 .. count-1]. free: the velocities without impulses; v: those with the impulses p. Stops below
 * `tolerance`, or with the best iterate: after `most` sweeps, an interior point method (cone_interior.c) and Newton's method
 * (cone_newton.c) follow, which the largest problems do not have. */
tn_sweep_result tn_sweeps_solve(double *v, const double *free, tn_sweep_contact *contacts, const int *list, int count,
                                double tolerance, int most, double *work, tn_cone_newton *newton);

#endif
