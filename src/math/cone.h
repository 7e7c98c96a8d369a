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
    int row;                   /* the normal's; tangents follow it */
    int tangents;              /* 0, 1 or 2 */
    double mu;                 /* coefficient of friction, >= 0 */
    bool slides;               /* the direction is known */
    double slip[TN_CONE_TANGENTS];     /* unit vector of the sliding velocity, when it is */
} tn_cone_contact;

typedef struct tn_cone_problem {
    int rows;
    const double *W;           /* rows x rows, full */
    const double *b;
    const tn_cone_contact *contacts;
    int contact_count;         /* together they cover every row once */
} tn_cone_problem;

typedef enum tn_cone_mode { TN_CONE_OPEN, TN_CONE_STICKS, TN_CONE_SLIDES } tn_cone_mode;

/* Sizes of the memory that the solver works in. */
int tn_cone_doubles(int rows);
int tn_cone_ints(int rows);

/* Solves to about 1e-12 of the largest term, 1e-9 where no more is to be had. p is where the search starts (zeros will
 * do) and the solution; w may not alias b. 0; or -1 when none was found: p and w are then the best that was. Always
 * ends; does not allocate. */
int tn_cone_solve(double *p, double *w, const tn_cone_problem *problem, double *work, int *numbers);
/* How far p is from a solution, in units of w and as a share of the largest term of w; w = W p + b is written. */
double tn_cone_residual(double *w, const tn_cone_problem *problem, const double *p);
/* What a contact does in a solution; a share below tolerance of the largest term counts as zero. */
tn_cone_mode tn_cone_mode_of(const tn_cone_problem *problem, int contact, const double *p, const double *w,
                             double tolerance);

#endif
