/* Zeros of functions whose values at both ends of an interval are known. */
#ifndef TN_ZERO_H
#define TN_ZERO_H

typedef int (*tn_zero_function)(void *user, double x, double *y);

/* The zero between a, where the function is positive (ya), and b, where it is not (yb), to width: the first point found
 * not to be positive. ITP (Oliveira and Takahashi 2020), which never needs more than one evaluation beyond bisection. */
int tn_zero_find(double *zero, tn_zero_function function, void *user, double a, double b, double ya, double yb,
                 double width);

#endif
