/* Multiples of lengths of time. */
#ifndef TN_BASE_MULTIPLE_H
#define TN_BASE_MULTIPLE_H

/* count times length, for a whole count. Lengths that are written with at most twelve decimals have multiples that are the nearest doubles to the
 * decimal ones: 3 times 0.1 s is 0.3 s, not 0.30000000000000004 s. */
double tn_multiple(double count, double length);

#endif
