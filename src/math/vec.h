/* Vectors of three, quaternions (w, x, y, z), poses: inline, no allocation. Matrices are row-major double[3][3]. */
#ifndef TN_MATH_VEC_H
#define TN_MATH_VEC_H

#include "elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static inline void tn_copy3(double r[3], const double a[3]) { memcpy(r, a, 3 * sizeof(double)); }
static inline void tn_zero3(double r[3]) { r[0] = r[1] = r[2] = 0; }
static inline void tn_add3(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++) r[k] = a[k] + b[k];
}
static inline void tn_sub3(double r[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++) r[k] = a[k] - b[k];
}
/* r += s a */
static inline void tn_axpy3(double r[3], double s, const double a[3])
{
    for (int k = 0; k < 3; k++) r[k] += s * a[k];
}
static inline double tn_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double tn_norm3(const double a[3]) { return sqrt(tn_dot3(a, a)); }
/* Tells whether all n numbers are finite. */
bool tn_finite(int n, const double *x);
/* Returns the largest absolute value; NaN when one of the numbers is NaN. */
double tn_largest(int n, const double *x);
/* r may not alias a or b */
static inline void tn_cross3(double r[3], const double a[3], const double b[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}
/* Returns the solid angle in which a triangle is seen from the origin; negative: its corners go clockwise (Van Oosterom and
 * Strackee 1983). */
double tn_solid_angle(const double corners[3][3]);
/* r = A a; r may not alias a */
static inline void tn_mul33(double r[3], const double A[3][3], const double a[3])
{
    for (int k = 0; k < 3; k++) r[k] = tn_dot3(A[k], a);
}
/* r = A' a; r may not alias a */
static inline void tn_mul33t(double r[3], const double A[3][3], const double a[3])
{
    for (int k = 0; k < 3; k++) r[k] = A[0][k] * a[0] + A[1][k] * a[1] + A[2][k] * a[2];
}

/* Rotation matrix of a quaternion of any non-zero length. */
static inline void tn_quat_matrix(double R[3][3], const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double s = 2.0 / (w * w + x * x + y * y + z * z);
    R[0][0] = 1 - s * (y * y + z * z); R[0][1] = s * (x * y - w * z);     R[0][2] = s * (x * z + w * y);
    R[1][0] = s * (x * y + w * z);     R[1][1] = 1 - s * (x * x + z * z); R[1][2] = s * (y * z - w * x);
    R[2][0] = s * (x * z - w * y);     R[2][1] = s * (y * z + w * x);     R[2][2] = 1 - s * (x * x + y * y);
}
/* r = a b; r may not alias a or b */
static inline void tn_quat_mul(double r[4], const double a[4], const double b[4])
{
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
static inline void tn_quat_conj(double r[4], const double a[4])
{
    r[0] = a[0]; r[1] = -a[1]; r[2] = -a[2]; r[3] = -a[3];
}
static inline void tn_quat_normalize(double q[4])
{
    double s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] *= s;
}
/* Tells whether the length is 1 up to round-off. Normalizing such a quaternion again could change its last bits. */
static inline bool tn_quat_is_unit(const double q[4])
{
    return fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 8 * DBL_EPSILON;
}
/* Normalizes a quaternion unless it is a unit one; products of rotations slowly drift from unit length. */
static inline void tn_quat_keep_unit(double q[4])
{
    if (!tn_quat_is_unit(q)) tn_quat_normalize(q);
}
/* Unit quaternion of the rotation vector phi. */
static inline void tn_quat_exp(double q[4], const double phi[3])
{
    double a = tn_norm3(phi), h = 0.5 * a, sine;
    tn_sin_cos(h, &sine, &q[0]);
    double s = a < 1e-4 ? 0.5 * (1 - h * h / 6 * (1 - h * h / 20)) : sine / a;   /* series below round-off */
    for (int k = 0; k < 3; k++) q[k + 1] = s * phi[k];
}
/* r = q a q*, for a unit quaternion; r may not alias a */
static inline void tn_quat_rotate(double r[3], const double q[4], const double a[3])
{
    double R[3][3];
    tn_quat_matrix(R, q);
    tn_mul33(r, (const double (*)[3])R, a);
}
/* Quaternion of a proper rotation matrix. */
void tn_quat_from_matrix(double q[4], const double R[3][3]);
/* Principal axes of the symmetric tensor (xx yy zz xy xz yz): I = Q diag(moments) Q', det Q = +1. */
void tn_principal_axes(double moments[3], double Q[3][3], const double inertia[6]);

#endif
