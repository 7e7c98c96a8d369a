/* Curves: a function of one number through given points, with derivatives and integral. */
#ifndef TN_BASE_CURVE_H
#define TN_BASE_CURVE_H

#include "mem.h"
#include "tenon/model.h"

typedef enum tn_curve_outside {
    TN_CURVE_HOLD,                 /* the value of the end point */
    TN_CURVE_EXTEND                /* a straight line with the slope at the end point */
} tn_curve_outside;

typedef struct tn_curve_def {
    const double *x, *y;           /* copied */
    int count;                     /* at least 2 */
    tn_curve_kind kind;
    tn_curve_outside outside;
} tn_curve_def;

typedef struct tn_curve_error {
    int point;                     /* from 0; -1: it is not about one point */
    char message[160];             /* counts points from 1 */
} tn_curve_error;

typedef struct tn_curve tn_curve;

/* x strictly increasing, all numbers finite; otherwise TN_ERROR_MODEL fills error. */
int tn_curve_create(tn_curve **out, tn_context *context, const tn_curve_def *def, tn_curve_error *error);
int tn_curve_clone(tn_curve **out, const tn_curve *curve);
/* Same function, to the bit. */
bool tn_curve_same(const tn_curve *a, const tn_curve *b);
void tn_curve_destroy(tn_curve *curve);

/* Value, first and second derivative at x. At a kink, those of the right side; at the last point, of the left. */
void tn_curve_value(const tn_curve *curve, double x, double value[3]);
/* Bounds of the value between two arguments: no value there is outside. */
void tn_curve_bounds(const tn_curve *curve, double from, double to, double *low, double *high);
/* x of the last point; infinite where the curve repeats. */
double tn_curve_end(const tn_curve *curve);
/* Integral from the first point to x, exact; negative in front of the first point when the curve is positive. */
double tn_curve_integral(const tn_curve *curve, double x);

#endif
