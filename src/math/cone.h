/* Complementarity with Coulomb cones: which contacts press, stick and slide.
 *
 * Given W (symmetric, positive semidefinite, possibly singular) and b, find p and w = W p + b such that at each contact
 * with normal row n and tangential rows t (none, one or two)
 *     0 <= w_n,  0 <= p_n,  w_n p_n = 0                               contact or separation
 *     |p_t| <= mu p_n,  and  p_t = -mu p_n w_t / |w_t|  where w_t != 0    stick or slide
 * A contact that slides already has its direction given: p_t = -mu p_n slip whatever w_t is; without slip it is free.
 * In impacts p is impulse and w velocity, in resting contact force and acceleration. With mu = 0 everywhere w is
 * unique; with friction there may be several solutions, or (with given slip, large mu) none. */
#ifndef TN_MATH_CONE_H
#define TN_MATH_CONE_H

#include <stdbool.h>

enum { TN_CONE_TANGENTS = 2 };

typedef struct tn_cone_contact {
    int row;                   /* row of the normal; rows of the tangents follow */
    int tangents;              /* 0, 1 or 2 */
    double mu;                 /* coefficient of friction, >= 0 */
    bool slides;               /* the slip direction is given */
    double slip[TN_CONE_TANGENTS];     /* unit vector of the sliding velocity, if given */
} tn_cone_contact;

typedef struct tn_cone_problem {
    int rows;
    const double *W;           /* rows x rows, full */
    const double *b;
    const tn_cone_contact *contacts;
    int contact_count;         /* together the contacts cover every row once */
} tn_cone_problem;

typedef enum tn_cone_mode { TN_CONE_OPEN, TN_CONE_STICKS, TN_CONE_SLIDES } tn_cone_mode;

/* Sizes of the workspace of tn_cone_solve. */
int tn_cone_doubles(int rows);
int tn_cone_ints(int rows);

/* Solves to about 1e-12 of the largest term, or to 1e-9 where round-off allows no more. p holds the start value (zeros
 * are fine), then the solution; w may not alias b. Returns 0, or -1: no solution was found, and p and w are the best
 * iterate. Always terminates; does not allocate. */
int tn_cone_solve(double *p, double *w, const tn_cone_problem *problem, double *work, int *numbers);
/* Returns the residual of p, as a share of the largest term of w; writes w = W p + b. */
double tn_cone_residual(double *w, const tn_cone_problem *problem, const double *p);
/* Returns the mode of a contact in a solution; values below the share tolerance of the largest term count as zero. */
tn_cone_mode tn_cone_mode_of(const tn_cone_problem *problem, int contact, const double *p, const double *w,
                             double tolerance);

#endif
