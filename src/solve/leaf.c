/* Leaf pairs: a body and the one pin it hangs on, eliminated together at a cost in proportion to the freedoms of the
 * pin.
 *     U = P S,  D = S'U,  P_p += X'(P - U D^-1 U')X,  b_p += X'(r - U D^-1 S'r),  r = b - P x0
 * A ball leaves no angular part at the joint, so its Schur complement is one symmetric 3 x 3 block there. */
#include "dense.h"
#include "front.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include "vec.h"

/* ---- symmetric 3 x 3 (xx xy xz yy yz zz), general 3 x 3 row-major ---- */

static inline void sym_mul(double r[3], const double A[6], const double x[3])
{
    r[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
    r[1] = A[1] * x[0] + A[3] * x[1] + A[4] * x[2];
    r[2] = A[2] * x[0] + A[4] * x[1] + A[5] * x[2];
}

static inline void mul(double r[3], const double B[9], const double x[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = B[3 * i] * x[0] + B[3 * i + 1] * x[1] + B[3 * i + 2] * x[2];
}

static inline void mul_transposed(double r[3], const double B[9], const double x[3])
{
    for (int i = 0; i < 3; i++)
        r[i] = B[i] * x[0] + B[3 + i] * x[1] + B[6 + i] * x[2];
}

/* E = A [d]x */
static inline void sym_mul_skew(double E[9], const double A[6], const double d[3])
{
    const double a[9] = { A[0], A[1], A[2], A[1], A[3], A[4], A[2], A[4], A[5] };
    for (int i = 0; i < 3; i++) {
        const double *row = a + 3 * i;
        E[3 * i] = row[1] * d[2] - row[2] * d[1];
        E[3 * i + 1] = row[2] * d[0] - row[0] * d[2];
        E[3 * i + 2] = row[0] * d[1] - row[1] * d[0];
    }
}

/* C += [d]x E + ([d]x B)', whose sum is symmetric. */
static inline void add_shifted(double C[6], const double d[3], const double E[9], const double B[9])
{
    double K[9], L[9];
    for (int j = 0; j < 3; j++) {
        K[j] = d[1] * E[6 + j] - d[2] * E[3 + j];
        K[3 + j] = d[2] * E[j] - d[0] * E[6 + j];
        K[6 + j] = d[0] * E[3 + j] - d[1] * E[j];
        L[j] = d[1] * B[6 + j] - d[2] * B[3 + j];
        L[3 + j] = d[2] * B[j] - d[0] * B[6 + j];
        L[6 + j] = d[0] * B[3 + j] - d[1] * B[j];
    }
    C[0] += K[0] + L[0];
    C[1] += K[1] + L[3];
    C[2] += K[2] + L[6];
    C[3] += K[4] + L[4];
    C[4] += K[5] + L[7];
    C[5] += K[8] + L[8];
}

/* Adds X'P X to the parent's form, X the shift by d; the first to do so sets it:
 *     A += A,  B += E,  C += C + [d]x E + ([d]x B)',  E = B - A [d]x */
static inline void add_form(tn_spatial_form *to, bool first, const double A[6], const double B[9], const double C[6],
                            const double d[3])
{
    double E[9];
    sym_mul_skew(E, A, d);
    if (first)
        memset(to, 0, offsetof(tn_spatial_form, force));
    for (int k = 0; k < 9; k++) {
        E[k] = B[k] - E[k];
        to->B[k] += E[k];
    }
    for (int k = 0; k < 6; k++) {
        to->A[k] += A[k];
        to->C[k] += C[k];
    }
    add_shifted(to->C, d, E, B);
}

/* ---- hinge ---- */

static int hinge_factor(tn_front *f, tn_front *parent)
{
    const tn_spatial_form *p = &f->form.spatial;
    const tn_carrier *c = &f->carrier;
    double sl[3], ul[3], ua[3], part[3];
    tn_cross3(sl, c->s, c->z);
    sym_mul(ul, p->A, sl);
    mul(part, p->B, c->z);
    tn_add3(ul, ul, part);
    mul_transposed(ua, p->B, sl);
    sym_mul(part, p->C, c->z);
    tn_add3(ua, ua, part);
    double D = tn_dot3(sl, ul) + tn_dot3(c->z, ua);
    if (!(D > 0))
        return TN_ERROR_STEP;
    double A[6], B[9], C[6], wl[3], wa[3], inverse = 1 / D;
    f->D[0] = inverse;
    tn_copy3(f->U, ul);
    tn_copy3(f->U + 3, ua);
    if (!parent)
        return TN_OK;
    for (int k = 0; k < 3; k++) {
        wl[k] = ul[k] * inverse;
        wa[k] = ua[k] * inverse;
    }
    static const int row[6] = { 0, 0, 0, 1, 1, 2 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int k = 0; k < 6; k++) {
        A[k] = p->A[k] - wl[row[k]] * ul[column[k]];
        C[k] = p->C[k] - wa[row[k]] * ua[column[k]];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = p->B[3 * i + j] - wl[i] * ua[j];
    add_form(&parent->form.spatial, f->first, A, B, C, c->d);
    return TN_OK;
}

/* ---- ball ---- */

/* Moved to the joint, the form has the mixed block B + A [s]x, kept in U (row-major), and the angular block D. */
static int ball_factor(tn_front *f, tn_front *parent)
{
    const tn_spatial_form *p = &f->form.spatial;
    const tn_carrier *c = &f->carrier;
    double *B = f->U, C[6], back[3];
    for (int k = 0; k < 3; k++)
        back[k] = -c->s[k];
    sym_mul_skew(B, p->A, c->s);
    for (int k = 0; k < 9; k++)
        B[k] += p->B[k];
    memcpy(C, p->C, sizeof C);
    add_shifted(C, back, B, p->B);         /* [s]x' (B + A [s]x) + B'[s]x, symmetric in sum */
    const double full[9] = { C[0], C[1], C[2], C[1], C[3], C[4], C[2], C[4], C[5] };
    memcpy(f->D, full, sizeof full);
    if (tn_cholesky(3, f->D, 3) < 0)
        return TN_ERROR_STEP;
    if (!parent)
        return TN_OK;
    double Y[9], A[6], to_parent[3];       /* Y = B L^-T, row by row */
    for (int i = 0; i < 3; i++) {
        double *y = Y + 3 * i;
        y[0] = B[3 * i] / f->D[0];
        y[1] = (B[3 * i + 1] - f->D[1] * y[0]) / f->D[4];
        y[2] = (B[3 * i + 2] - f->D[2] * y[0] - f->D[5] * y[1]) / f->D[8];
    }
    static const int row[6] = { 0, 0, 0, 1, 1, 2 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int k = 0; k < 6; k++)
        A[k] = p->A[k] - tn_dot3(Y + 3 * row[k], Y + 3 * column[k]);
    tn_add3(to_parent, c->d, c->s);        /* the parent's arm to the joint */
    static const double none[9] = { 0 };
    add_form(&parent->form.spatial, f->first, A, none, none, to_parent);
    return TN_OK;
}

/* ---- planar ---- */

static int planar_factor(tn_front *f, tn_front *parent)
{
    const tn_planar_form *p = &f->form.planar;
    const double *s = f->carrier.s, *d = f->carrier.d;
    double S[2] = { s[1], -s[0] };
    double u0 = p->A[0] * S[0] + p->A[1] * S[1] + p->B[0], u1 = p->A[1] * S[0] + p->A[2] * S[1] + p->B[1];
    double u2 = p->B[0] * S[0] + p->B[1] * S[1] + p->C, D = S[0] * u0 + S[1] * u1 + u2;
    if (!(D > 0))
        return TN_ERROR_STEP;
    double inverse = 1 / D;
    f->U[0] = u0;
    f->U[1] = u1;
    f->U[2] = u2;
    f->D[0] = inverse;
    if (!parent)
        return TN_OK;
    tn_planar_form *to = &parent->form.planar;
    if (f->first)
        memset(to, 0, offsetof(tn_planar_form, force));
    double w0 = u0 * inverse, w1 = u1 * inverse, w2 = u2 * inverse;
    double a0 = p->A[0] - w0 * u0, a1 = p->A[1] - w0 * u1, a2 = p->A[2] - w1 * u1;
    double b0 = p->B[0] - w0 * u2, b1 = p->B[1] - w1 * u2, c = p->C - w2 * u2;
    /* shift: a_c = a_p + w' (-d1, d0) */
    double e0 = b0 - a0 * d[1] + a1 * d[0], e1 = b1 - a1 * d[1] + a2 * d[0];
    to->A[0] += a0;
    to->A[1] += a1;
    to->A[2] += a2;
    to->B[0] += e0;
    to->B[1] += e1;
    to->C += c - d[1] * (b0 + e0) + d[0] * (b1 + e1);
    return TN_OK;
}

int tn_leaf_factor(tn_front *f, tn_front *parent)
{
    return f->planar ? planar_factor(f, parent)
           : f->carrier.kind == TN_PIN_HINGE ? hinge_factor(f, parent) : ball_factor(f, parent);
}

/* ---- right sides ---- */

/* r = b - P x0 */
static void spatial_residual(const tn_spatial_form *p, const double x0[6], double rl[3], double ra[3])
{
    double part[3];
    sym_mul(part, p->A, x0);
    tn_sub3(rl, p->force, part);
    mul(part, p->B, x0 + 3);
    tn_sub3(rl, rl, part);
    mul_transposed(part, p->B, x0);
    tn_sub3(ra, p->torque, part);
    sym_mul(part, p->C, x0 + 3);
    tn_sub3(ra, ra, part);
}

static void spatial_forward(tn_front *f, tn_front *parent)
{
    const tn_carrier *c = &f->carrier;
    double rl[3], ra[3], part[3];
    spatial_residual(&f->form.spatial, f->x0, rl, ra);
    tn_cross3(part, rl, c->s);             /* S'r = Z'(ra + rl x s) */
    tn_add3(part, part, ra);
    if (c->kind == TN_PIN_HINGE) {
        f->z0[0] = tn_dot3(part, c->z) * f->D[0];
        if (!parent)
            return;
        tn_axpy3(rl, -f->z0[0], f->U);
        tn_axpy3(ra, -f->z0[0], f->U + 3);
    } else {
        tn_copy3(f->z0, part);
        tn_cholesky_solve(3, f->D, 3, f->z0);
        if (!parent)
            return;
        double lift[3];
        mul(lift, f->U, f->z0);
        tn_sub3(rl, rl, lift);
        tn_cross3(ra, c->s, rl);           /* nothing angular is left at the joint */
    }
    tn_spatial_form *to = &parent->form.spatial;
    tn_cross3(part, c->d, rl);
    tn_add3(ra, ra, part);
    if (f->first) {
        tn_copy3(to->force, rl);
        tn_copy3(to->torque, ra);
        return;
    }
    tn_add3(to->force, to->force, rl);
    tn_add3(to->torque, to->torque, ra);
}

static void planar_forward(tn_front *f, tn_front *parent)
{
    const tn_planar_form *p = &f->form.planar;
    const double *s = f->carrier.s, *d = f->carrier.d, *x = f->x0;
    double r0 = p->force[0] - p->A[0] * x[0] - p->A[1] * x[1], r1 = p->force[1] - p->A[1] * x[0] - p->A[2] * x[1];
    double r2 = p->torque - p->B[0] * x[0] - p->B[1] * x[1];
    double z = (s[1] * r0 - s[0] * r1 + r2) * f->D[0];
    f->z0[0] = z;
    if (!parent)
        return;
    tn_planar_form *to = &parent->form.planar;
    r0 -= f->U[0] * z;
    r1 -= f->U[1] * z;
    r2 -= f->U[2] * z;
    if (f->first)
        to->force[0] = to->force[1] = to->torque = 0;
    to->force[0] += r0;
    to->force[1] += r1;
    to->torque += r2 - d[1] * r0 + d[0] * r1;
}

void tn_leaf_forward(tn_front *f, tn_front *parent, const double *u)
{
    tn_carrier_offset(&f->carrier, f->planar, u + f->carrier.row, f->x0);
    if (f->planar)
        planar_forward(f, parent);
    else
        spatial_forward(f, parent);
}

static void spatial_backward(tn_front *f, const double *p)
{
    const tn_carrier *c = &f->carrier;
    double xl[3] = { 0 }, xa[3] = { 0 }, z[3], part[3];
    if (p) {
        tn_cross3(xl, p + 3, c->d);
        tn_add3(xl, xl, p);
        tn_copy3(xa, p + 3);
    }
    if (c->kind == TN_PIN_HINGE) {
        double q = f->z0[0] - (p ? (tn_dot3(f->U, xl) + tn_dot3(f->U + 3, xa)) * f->D[0] : 0);
        for (int k = 0; k < 3; k++)
            z[k] = q * c->z[k];
    } else if (p) {
        /* at the joint: z = z0 - D^-1 B'a_J - w_p' with a_J = a_p + w_p' x arm */
        double arm[3], joint[3];
        tn_add3(arm, c->d, c->s);
        tn_cross3(joint, p + 3, arm);
        tn_add3(joint, joint, p);
        mul_transposed(part, f->U, joint);
        tn_cholesky_solve(3, f->D, 3, part);
        for (int k = 0; k < 3; k++)
            z[k] = f->z0[k] - part[k] - xa[k];
    } else {
        tn_copy3(z, f->z0);
    }
    tn_cross3(part, c->s, z);
    for (int k = 0; k < 3; k++) {
        f->a[k] = xl[k] + f->x0[k] + part[k];
        f->a[3 + k] = xa[k] + f->x0[3 + k] + z[k];
    }
}

void tn_leaf_backward(tn_front *f, const double *p)
{
    if (!f->planar) {
        spatial_backward(f, p);
        return;
    }
    const double *s = f->carrier.s, *d = f->carrier.d;
    double x[3] = { 0 };
    if (p) {
        x[0] = p[0] - p[2] * d[1];
        x[1] = p[1] + p[2] * d[0];
        x[2] = p[2];
    }
    double z = f->z0[0] - (f->U[0] * x[0] + f->U[1] * x[1] + f->U[2] * x[2]) * f->D[0];
    f->a[0] = x[0] + f->x0[0] + s[1] * z;
    f->a[1] = x[1] + f->x0[1] - s[0] * z;
    f->a[2] = x[2] + z;
}

void tn_leaf_wrench(const tn_front *f, double *w)
{
    if (f->planar) {
        const tn_planar_form *p = &f->form.planar;
        w[0] = p->A[0] * f->a[0] + p->A[1] * f->a[1] + p->B[0] * f->a[2] - p->force[0];
        w[1] = p->A[1] * f->a[0] + p->A[2] * f->a[1] + p->B[1] * f->a[2] - p->force[1];
        w[2] = p->B[0] * f->a[0] + p->B[1] * f->a[1] + p->C * f->a[2] - p->torque;
        return;
    }
    spatial_residual(&f->form.spatial, f->a, w, w + 3);
    for (int k = 0; k < 6; k++)
        w[k] = -w[k];
}

/* ---- forms ---- */

void tn_form_take_mass(tn_front *f, const double *M)
{
    if (f->planar) {
        tn_planar_form *p = &f->form.planar;
        if (!f->pinned)
            memset(p, 0, offsetof(tn_planar_form, force));
        p->A[0] += M[0];
        p->A[1] += M[1];
        p->A[2] += M[4];
        p->B[0] += M[2];
        p->B[1] += M[5];
        p->C += M[8];
        return;
    }
    tn_spatial_form *p = &f->form.spatial;
    if (!f->pinned)
        memset(p, 0, offsetof(tn_spatial_form, force));
    for (int i = 0, k = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p->B[3 * i + j] += M[6 * i + 3 + j];
            if (j < i)
                continue;
            p->A[k] += M[6 * i + j];
            p->C[k++] += M[6 * (3 + i) + 3 + j];
        }
}

void tn_form_take_force(tn_front *f, const double *force)
{
    if (f->planar) {
        tn_planar_form *p = &f->form.planar;
        if (!f->pinned)
            p->force[0] = p->force[1] = p->torque = 0;
        p->force[0] += force[0];
        p->force[1] += force[1];
        p->torque += force[2];
        return;
    }
    tn_spatial_form *p = &f->form.spatial;
    if (!f->pinned) {
        tn_zero3(p->force);
        tn_zero3(p->torque);
    }
    tn_add3(p->force, p->force, force);
    tn_add3(p->torque, p->torque, force + 3);
}

void tn_form_add_mass(const tn_front *f, double *P, int ld)
{
    static const int at[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
    if (f->planar) {
        const tn_planar_form *p = &f->form.planar;
        const double full[9] = { p->A[0], p->A[1], p->B[0], p->A[1], p->A[2], p->B[1], p->B[0], p->B[1], p->C };
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                P[i + j * ld] += full[3 * i + j];
        return;
    }
    const tn_spatial_form *p = &f->form.spatial;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            P[i + j * ld] += p->A[at[3 * i + j]];
            P[3 + i + (3 + j) * ld] += p->C[at[3 * i + j]];
            P[i + (3 + j) * ld] += p->B[3 * i + j];
            P[3 + j + i * ld] += p->B[3 * i + j];
        }
}

void tn_form_add_force(const tn_front *f, double *b)
{
    if (f->planar) {
        b[0] += f->form.planar.force[0];
        b[1] += f->form.planar.force[1];
        b[2] += f->form.planar.torque;
        return;
    }
    tn_add3(b, b, f->form.spatial.force);
    tn_add3(b + 3, b + 3, f->form.spatial.torque);
}
