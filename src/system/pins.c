/* The pin kernel: hand-written equations of joints whose equations are "d" alone (ball; in the plane:
 * revolute) or "d" with two products of axes (hinge). They are the most frequent joints. The tape is their oracle.
 *     d'' = w2 x (w2 x s2) - w1 x (w1 x s1) + accelerations
 *     (a . c)' = n . w,  n = c x a,  w = w2 - w1;   (a . c)'' = n . w' + (w2 x c) . (a x w) + (w1 x a) . (w x c) */
#include <math.h>
#include "system.h"
#include "vec.h"

typedef struct side {
    double p[3], v[3], w[3];       /* point, its velocity, angular velocity of the body */
    double centripetal[3];
} side;

static void spatial_side(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, int order, double arm[3],
                         side *out)
{
    if (frame->body < 0) {
        *out = (side){ { frame->p[0], frame->p[1], frame->p[2] }, { 0 }, { 0 }, { 0 } };
        tn_zero3(arm);
        return;
    }
    const tn_sys_body *body = &s->bodies[frame->body];
    double turn[3];
    tn_mul33(arm, (const double (*)[3])e->R[frame->body], frame->p);
    tn_add3(out->p, e->q + body->q, arm);
    if (order == 0)
        return;
    tn_copy3(out->w, e->w[frame->body]);
    tn_cross3(turn, out->w, arm);
    if (e->v)
        tn_add3(out->v, e->v + body->v, turn);
    else
        tn_zero3(out->v);
    tn_cross3(out->centripetal, out->w, turn);
}

static void frame_axis(const tn_eval *e, const tn_sys_frame *frame, int axis, double r[3])
{
    if (frame->body < 0)
        tn_copy3(r, frame->axes[axis]);
    else
        tn_mul33(r, (const double (*)[3])e->R[frame->body], frame->axes[axis]);
}

static void hinge_rows(tn_eval *e, const tn_system *s, const tn_constraint *c, tn_pin *pin, const side *s1,
                       const side *s2, int order)
{
    const int *axes = c->program->pin_axes;
    double a[2][3], w[3], wc[3], cw[3];
    frame_axis(e, &s->frames[c->frames[1]], axes[2], pin->z);
    for (int k = 0; k < 2; k++) {
        frame_axis(e, &s->frames[c->frames[0]], axes[k], a[k]);
        tn_cross3(pin->n[k], pin->z, a[k]);
        e->g[c->row + 3 + k] = tn_dot3(a[k], pin->z);
    }
    if (order == 0)
        return;
    tn_sub3(w, s2->w, s1->w);
    tn_cross3(wc, s2->w, pin->z);
    tn_cross3(cw, w, pin->z);
    for (int k = 0; k < 2; k++) {
        double aw[3], wa[3];
        tn_cross3(aw, a[k], w);
        tn_cross3(wa, s1->w, a[k]);
        e->gdot[c->row + 3 + k] = tn_dot3(pin->n[k], w);
        e->bias[c->row + 3 + k] = -tn_dot3(wc, aw) - tn_dot3(wa, cw);
    }
}

static void spatial_pin(tn_eval *e, const tn_system *s, const tn_constraint *c, tn_pin *pin, int order)
{
    side s1, s2;
    spatial_side(e, s, &s->frames[c->frames[0]], order, pin->s1, &s1);
    spatial_side(e, s, &s->frames[c->frames[1]], order, pin->s2, &s2);
    tn_sub3(e->g + c->row, s2.p, s1.p);
    if (order > 0) {
        tn_sub3(e->gdot + c->row, s2.v, s1.v);
        tn_sub3(e->bias + c->row, s1.centripetal, s2.centripetal);
    }
    if (c->program->pin == TN_PIN_HINGE)
        hinge_rows(e, s, c, pin, &s1, &s2, order);
}

/* Adds sign times point, velocity and centripetal acceleration of a frame in the plane to the rows. */
static inline void planar_side(const tn_eval *e, const tn_system *s, const tn_sys_frame *frame, double sign,
                               double arm[3], double *g, double *gdot, double *bias)
{
    if (frame->body < 0) {
        arm[0] = arm[1] = 0;
        g[0] += sign * frame->p[0];
        g[1] += sign * frame->p[1];
        return;
    }
    const tn_sys_body *body = &s->bodies[frame->body];
    const double (*R)[3] = (const double (*)[3])e->R[frame->body];
    double w = e->w[frame->body][2];
    arm[0] = R[0][0] * frame->p[0] + R[0][1] * frame->p[1];
    arm[1] = R[1][0] * frame->p[0] + R[1][1] * frame->p[1];
    for (int k = 0; k < 2; k++) {
        g[k] += sign * (e->q[body->q + k] + arm[k]);
        bias[k] += sign * w * w * arm[k];
        gdot[k] += sign * (e->v ? e->v[body->v + k] : 0);
    }
    gdot[0] -= sign * w * arm[1];
    gdot[1] += sign * w * arm[0];
}

static void planar_pin(tn_eval *e, const tn_system *s, const tn_constraint *c, tn_pin *pin)
{
    double g[2] = { 0 }, gdot[2] = { 0 }, bias[2] = { 0 };
    planar_side(e, s, &s->frames[c->frames[1]], 1, pin->s2, g, gdot, bias);
    planar_side(e, s, &s->frames[c->frames[0]], -1, pin->s1, g, gdot, bias);
    for (int k = 0; k < 2; k++) {
        e->g[c->row + k] = g[k];
        e->gdot[c->row + k] = gdot[k];
        e->bias[c->row + k] = bias[k];
    }
}

void tn_eval_pin(tn_eval *e, const tn_system *s, int constraint, int order)
{
    const tn_constraint *c = &s->constraints[constraint];
    tn_pin *pin = &e->pins[constraint];
    if (s->dimension == 2)
        planar_pin(e, s, c, pin);
    else
        spatial_pin(e, s, c, pin, order);
    double sum = e->g[c->row] + e->g[c->row + 1] + (order > 1 ? e->bias[c->row] + e->bias[c->row + 1] : 0);
    if (!isfinite(sum) && !e->failed)
        tn_eval_joint_failed(e, s, constraint, "no finite number");
}

void tn_eval_pin_rows(tn_eval *e, const tn_system *s, int constraint)
{
    const tn_constraint *c = &s->constraints[constraint];
    const tn_structure *st = &s->structure;
    for (int k = 0; k < 2; k++)
        if (c->blocks[k] >= 0)
            tn_pin_write(e->G + st->block_offset[st->block_begin[constraint] + c->blocks[k]], &e->pins[constraint],
                         c->program->pin, s->dimension == 2, k == 1 ? 1 : -1);
}
