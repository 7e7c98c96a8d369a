/* Quaternions from matrices, principal axes of inertia, and scans of number arrays. */
#include "vec.h"

#include <float.h>

/* Takes the largest of the four components from the diagonal and the others from it, so that nothing is divided by a
 * small number. */
void tn_quat_from_matrix(double q[4], const double R[3][3])
{
    double trace = R[0][0] + R[1][1] + R[2][2];
    if (trace >= 0) {
        double s = 2 * sqrt(1 + trace);
        q[0] = 0.25 * s;
        q[1] = (R[2][1] - R[1][2]) / s;
        q[2] = (R[0][2] - R[2][0]) / s;
        q[3] = (R[1][0] - R[0][1]) / s;
    } else {
        int i = R[1][1] > R[0][0] ? 1 : 0;
        if (R[2][2] > R[i][i])
            i = 2;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = 2 * sqrt(1 + R[i][i] - R[j][j] - R[k][k]);
        q[0] = (R[k][j] - R[j][k]) / s;
        q[1 + i] = 0.25 * s;
        q[1 + j] = (R[j][i] + R[i][j]) / s;
        q[1 + k] = (R[k][i] + R[i][k]) / s;
    }
    tn_quat_normalize(q);
}

/* One Jacobi rotation in the plane (p, q): A = J' A J with A[p][q] = 0, Q = Q J. The angle stays within 45 degrees, so
 * that axes are not exchanged without need. */
static void jacobi_rotate(double A[3][3], double Q[3][3], int p, int q)
{
    double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    int r = 3 - p - q;
    double apq = A[p][q], arp = A[r][p], arq = A[r][q];
    A[p][p] -= t * apq;
    A[q][q] += t * apq;
    A[p][q] = A[q][p] = 0;
    A[r][p] = A[p][r] = c * arp - s * arq;
    A[r][q] = A[q][r] = s * arp + c * arq;
    for (int k = 0; k < 3; k++) {
        double qp = Q[k][p], qq = Q[k][q];
        Q[k][p] = c * qp - s * qq;
        Q[k][q] = s * qp + c * qq;
    }
}

void tn_principal_axes(double moments[3], double Q[3][3], const double inertia[6])
{
    enum { MAX_SWEEPS = 40 };       /* convergence is quadratic: a handful is enough */
    const double round_off = 8 * DBL_EPSILON;   /* products of inertia below this share of the trace are noise */
    double A[3][3] = {
        { inertia[0], inertia[3], inertia[4] },
        { inertia[3], inertia[1], inertia[5] },
        { inertia[4], inertia[5], inertia[2] },
    };
    double negligible = round_off * (fabs(A[0][0]) + fabs(A[1][1]) + fabs(A[2][2]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            Q[i][j] = i == j;
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        int rotations = 0;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                if (fabs(A[p][q]) > negligible) {
                    jacobi_rotate(A, Q, p, q);
                    rotations++;
                }
        if (rotations == 0)
            break;
    }
    for (int k = 0; k < 3; k++)
        moments[k] = A[k][k];
}

/* A fast check, because callers use it often: a finite sum means that all numbers are finite. */
bool tn_finite(int n, const double *x)
{
    enum { AT_ONCE = 8 };
    double sums[AT_ONCE] = { 0 }, sum = 0;
    int k = 0;
    for (; k + AT_ONCE <= n; k += AT_ONCE)
        for (int j = 0; j < AT_ONCE; j++)
            sums[j] += x[k + j];
    for (; k < n; k++)
        sum += x[k];
    for (int j = 0; j < AT_ONCE; j++)
        sum += sums[j];
    for (k = 0; !isfinite(sum) && k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

double tn_largest(int n, const double *x)
{
    enum { AT_ONCE = 4 };
    double most[AT_ONCE] = { 0 }, sums[AT_ONCE] = { 0 };       /* comparisons skip NaN; sums detect it */
    int k = 0;
    for (; k < n % AT_ONCE; k++) {
        most[k] = fabs(x[k]) > 0 ? fabs(x[k]) : 0;
        sums[k] = x[k];
    }
    for (; k < n; k += AT_ONCE)
        for (int j = 0; j < AT_ONCE; j++) {
            most[j] = fabs(x[k + j]) > most[j] ? fabs(x[k + j]) : most[j];
            sums[j] += x[k + j];
        }
    double sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (k = 0; !isfinite(sum) && k < n; k++)
        if (isnan(x[k]))
            return x[k];
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

double tn_solid_angle(const double c[3][3])
{
    double n[3], l[3];
    for (int k = 0; k < 3; k++)
        l[k] = tn_norm3(c[k]);
    tn_cross3(n, c[1], c[2]);
    return 2 * tn_atan2(tn_dot3(c[0], n), l[0] * l[1] * l[2] + tn_dot3(c[0], c[1]) * l[2] + tn_dot3(c[1], c[2]) * l[0] +
                                              tn_dot3(c[2], c[0]) * l[1]);
}
