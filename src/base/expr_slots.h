/* Slots of a node in the work array of evaluation; private to this layer.
 *
 * Forward, TN_TAPE_FORWARD doubles: x, dx, ddx of three components. A scalar uses component 0; an operation whose
 * partial derivatives are not the values of its operands keeps them in the unused components of x. */
#ifndef TN_BASE_EXPR_SLOTS_H
#define TN_BASE_EXPR_SLOTS_H

enum { X = 0, DX = 3, DDX = 6 };
enum {
    PARTIAL_A = 1, PARTIAL_B = 2,  /* with respect to the operands; min, max, select: 1 for the one taken, else 0 */
                                   /* norm: PARTIAL_A is 1 over the length */
    SECOND = 2,                    /* functions of one number: the second derivative */
    SECOND_AA = 4, SECOND_AB = 5, SECOND_BB = 7    /* functions of two numbers */
};

static inline double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* 1 over a length. A vector without length has no direction: the derivatives of its length count as zero. */
static inline double tn_over_length(double length)
{
    return length > 0 ? 1 / length : length == 0 ? 0 : length;
}

/* r += s (a x b) */
static inline void add_cross(double *r, double s, const double *a, const double *b)
{
    r[0] += s * (a[1] * b[2] - a[2] * b[1]);
    r[1] += s * (a[2] * b[0] - a[0] * b[2]);
    r[2] += s * (a[0] * b[1] - a[1] * b[0]);
}

static inline void add_scaled(double *r, double s, const double *a)
{
    r[0] += s * a[0];
    r[1] += s * a[1];
    r[2] += s * a[2];
}

#endif
