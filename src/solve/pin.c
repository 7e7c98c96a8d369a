/* Pins: joints whose rows and motion subspace are known in closed form.
 *     body c carried by body p:  a_c = a_p + w_p' x d + x0 + s x Z z,   w_c' = w_p' + w0 + Z z
 * s is the arm from c's centre to the point, d = s_p - s the way from p's centre to c's, Z the hinge's axis z or, for a
 * ball, all directions. The rows along n fix w0 = n' (n n')^-1 u. All this holds off the constraints as well. */
#include "front.h"

#include <string.h>
#include "vec.h"

int tn_pin_freedoms(tn_pin_kind kind, bool planar)
{
    return planar || kind == TN_PIN_HINGE ? 1 : 3;
}

int tn_pin_rows(tn_pin_kind kind, bool planar)
{
    return planar ? 2 : kind == TN_PIN_HINGE ? 5 : 3;
}

/* sign (a + w' x s), sign n . w' */
void tn_pin_write(double *G, const tn_pin *pin, tn_pin_kind kind, bool planar, double sign)
{
    const double *s = sign > 0 ? pin->s2 : pin->s1;
    if (planar) {
        const double rows[6] = { sign, 0, -sign * s[1], 0, sign, sign * s[0] };
        memcpy(G, rows, sizeof rows);
        return;
    }
    memset(G, 0, (size_t)(kind == TN_PIN_HINGE ? 30 : 18) * sizeof(double));
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        G[6 * k + k] = sign;
        G[6 * k + 3 + a] = sign * s[b];
        G[6 * k + 3 + b] = -sign * s[a];
    }
    for (int i = 0; i < 2 && kind == TN_PIN_HINGE; i++)
        for (int k = 0; k < 3; k++)
            G[6 * (3 + i) + 3 + k] = sign * pin->n[i][k];
}

void tn_carrier_load(tn_carrier *c, const tn_pin *pin)
{
    const double *other = c->sign > 0 ? pin->s1 : pin->s2;
    tn_copy3(c->s, c->sign > 0 ? pin->s2 : pin->s1);
    tn_sub3(c->d, other, c->s);
    if (c->kind != TN_PIN_HINGE)
        return;
    memcpy(c->n, pin->n, sizeof c->n);
    tn_copy3(c->z, pin->z);
    double g11 = tn_dot3(c->n[0], c->n[0]), g12 = tn_dot3(c->n[0], c->n[1]), g22 = tn_dot3(c->n[1], c->n[1]);
    double inverse = 1 / (g11 * g22 - g12 * g12);
    c->gram[0] = g22 * inverse;
    c->gram[1] = -g12 * inverse;
    c->gram[2] = g11 * inverse;
}

void tn_carrier_offset(const tn_carrier *c, bool planar, const double *u, double *x0)
{
    if (planar) {
        x0[0] = c->sign * u[0];
        x0[1] = c->sign * u[1];
        x0[2] = 0;
        return;
    }
    for (int k = 0; k < 3; k++) {
        x0[k] = c->sign * u[k];
        x0[3 + k] = 0;
    }
    if (c->kind != TN_PIN_HINGE)
        return;
    double k1 = c->sign * (c->gram[0] * u[3] + c->gram[1] * u[4]);
    double k2 = c->sign * (c->gram[1] * u[3] + c->gram[2] * u[4]), part[3];
    for (int k = 0; k < 3; k++)
        x0[3 + k] = k1 * c->n[0][k] + k2 * c->n[1][k];
    tn_cross3(part, c->s, x0 + 3);
    tn_add3(x0, x0, part);
}

/* w = (F, s x F + n' lambda_n) */
void tn_carrier_multipliers(const tn_carrier *c, bool planar, const double *w, double *lambda)
{
    for (int k = 0; k < (planar ? 2 : 3); k++)
        lambda[k] = c->sign * w[k];
    if (c->kind != TN_PIN_HINGE)
        return;
    double torque[3];
    tn_cross3(torque, c->s, w);
    tn_sub3(torque, w + 3, torque);
    double t1 = tn_dot3(c->n[0], torque), t2 = tn_dot3(c->n[1], torque);
    lambda[3] = c->sign * (c->gram[0] * t1 + c->gram[1] * t2);
    lambda[4] = c->sign * (c->gram[1] * t1 + c->gram[2] * t2);
}

void tn_carrier_subspace(const tn_carrier *c, bool planar, double *S)
{
    if (planar) {
        S[0] = c->s[1];
        S[1] = -c->s[0];
        S[2] = 1;
        return;
    }
    for (int j = 0; j < tn_pin_freedoms(c->kind, false); j++) {
        double axis[3] = { j == 0, j == 1, j == 2 };
        if (c->kind == TN_PIN_HINGE)
            tn_copy3(axis, c->z);
        tn_cross3(S + 6 * j, c->s, axis);
        tn_copy3(S + 6 * j + 3, axis);
    }
}
