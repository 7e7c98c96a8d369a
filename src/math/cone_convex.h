/* Complementarity with Coulomb cones in its convex form, as statics needs it: the smallest motion that no forces within
 * the cones can prevent.
 *
 * The problem is that of cone.h, but a contact slides with the normal velocity mu |w_t|, off the surface, in place of
 * zero. It is then the minimum of p'W p / 2 + b'p over the cones, which has a solution; w is unique, and the method below always
 * finds it. Where w is zero, both problems agree: forces within the cones hold the load exactly if w is zero here. */
#ifndef TN_MATH_CONE_CONVEX_H
#define TN_MATH_CONE_CONVEX_H

#include "cone.h"

/* Number of doubles in the workspace. */
long tn_cone_convex_doubles(int rows);
/* Moves a contact's p, normal first, to the nearest point of its cone. */
void tn_cone_nearest(double *p, int tangents, double mu);
/* p holds the start value, then the solution; w = W p + b. Given slips do not count. Returns the residual as a share of
 * the largest b. */
double tn_cone_convex(double *p, double *w, const tn_cone_problem *problem, double *work);
/* Goes on from the solution of the convex problem to one of the problem of cone.h, with the lifts mu |w_t| taken away from
 * b again and again. *lifted: that does not converge, and the solution is that of the convex problem. */
double tn_cone_convex_lowered(double *p, double *w, const tn_cone_problem *problem, double *work, bool *lifted);

#endif
