/* Joints that are being closed: their equations contain an offset that shrinks to zero.
 *
 * The offset of a scalar equation is a number. The offset of a vector equation rotates with body 1, as if the joint's
 * point on that body were moving: so both bodies feel opposite forces along one line, and momentum is conserved. */
#include <math.h>
#include <string.h>
#include "program.h"
#include "system.h"
#include "vec.h"

/* The rates of the beginning end after the time in which they would cross the gap, so that the offset does not swing out
 * by much more than the gap in a long closing; but not sooner than this part of the duration. */
static const double SOONEST = 0.05;

/* The offset from (gap, rate) at the beginning to zero, without acceleration at either end; and two derivatives. */
static void draw_position(const tn_closing *c, int row, double s, double out[3])
{
    const double g = c->gap[row], T = c->duration, S = c->settle, r = fmin(1, s * T / S), v = c->rate[row] * S;
    const double s2 = s * s, s3 = s2 * s, r2 = r * r, r3 = r2 * r;
    out[0] = g * (1 - s3 * (10 - 15 * s + 6 * s2)) + v * (r - r3 * (6 - 8 * r + 3 * r2));
    out[1] = g * -30 * s2 * (1 - 2 * s + s2) / T + v * (1 - r2 * (18 - 32 * r + 15 * r2)) / S;
    out[2] = g * -60 * s * (1 - 3 * s + 2 * s2) / (T * T) + v * (-36 * r + 96 * r2 - 60 * r3) / (S * S);
}

static void draw_velocity(const tn_closing *c, int row, double s, double out[3])
{
    out[0] = 0;
    out[1] = c->rate[row] * (1 - s * s * (3 - 2 * s));
    out[2] = c->rate[row] * -6 * s * (1 - s) / c->duration;
}

bool tn_closing_offset(const tn_closing *c, int row, bool velocity, double t, double out[3])
{
    double s = (t - c->begin) / c->duration;
    if (!(s < 1))
        return false;
    s = s > 0 ? s : 0;
    if (velocity)
        draw_velocity(c, row, s, out);
    else
        draw_position(c, row, s, out);
    return true;
}

const tn_closing *tn_closing_of(const tn_closing_list *list, uint32_t joint)
{
    for (size_t k = 0; list && k < list->count; k++)
        if (list->items[k].joint == joint)
            return &list->items[k];
    return NULL;
}

/* Body 1 of a constraint. */
typedef struct carrier {
    int body;                      /* -1: ground, or a body without axes */
    double w[3];
} carrier;

static carrier carrier_of(const tn_eval *e, const tn_system *s, const tn_constraint *c)
{
    carrier out = { .body = tn_slot_body(s, c, 0) };
    if (out.body >= 0 && s->bodies[out.body].motion == TN_MOTION_PARTICLE)
        out.body = -1;
    if (out.body >= 0)
        tn_copy3(out.w, e->w[out.body]);
    return out;
}

static void to_world(const tn_eval *e, const carrier *b, const double in[3], double out[3])
{
    if (b->body < 0)
        tn_copy3(out, in);
    else
        tn_mul33(out, (const double (*)[3])e->R[b->body], in);
}

static void to_body(const tn_eval *e, const carrier *b, const double in[3], double out[3])
{
    double copy[3];
    tn_copy3(copy, in);
    for (int k = 0; k < 3; k++)
        out[k] = b->body < 0 ? copy[k]
                             : e->R[b->body][0][k] * copy[0] + e->R[b->body][1][k] * copy[1] +
                                   e->R[b->body][2][k] * copy[2];
}

/* Number of rows from r on that are the components of one vector; 1: the row is a scalar. */
static int components(const tn_system *s, const tn_constraint *c, int r)
{
    const tn_program_row *rows = c->program->rows;
    bool vector = r + s->dimension <= c->rows;
    for (int k = 0; k < s->dimension && vector; k++)
        vector = rows[r + k].output == rows[r].output && rows[r + k].component == k;
    return vector ? s->dimension : 1;
}

/* See SOONEST. */
static double time_to_settle(const tn_closing *c, const tn_system *s, const tn_constraint *constraint)
{
    double gap = 0, rate = 0;
    for (int r = 0; r < constraint->rows; r++) {
        if (s->velocity_row[constraint->row + r])
            continue;
        gap += c->gap[r] * c->gap[r];
        rate += c->rate[r] * c->rate[r];
    }
    return sqrt(gap) >= sqrt(rate) * c->duration ? c->duration
                                                 : fmax(SOONEST * c->duration, sqrt(gap / rate));
}

void tn_closing_begin(tn_closing *out, const tn_eval *e, const tn_system *s, int constraint)
{
    const tn_constraint *c = &s->constraints[constraint];
    carrier b = carrier_of(e, s, c);
    memcpy(out->gap, e->g + c->row, (size_t)c->rows * sizeof(double));
    memcpy(out->rate, e->gdot + c->row, (size_t)c->rows * sizeof(double));
    for (int r = 0, n; r < c->rows; r += n) {
        double gap[3] = { 0 }, rate[3] = { 0 }, turn[3];
        n = components(s, c, r);
        if (n == 1)
            continue;
        memcpy(gap, out->gap + r, (size_t)n * sizeof(double));
        memcpy(rate, out->rate + r, (size_t)n * sizeof(double));
        tn_cross3(turn, b.w, gap);
        tn_sub3(rate, rate, turn);
        to_body(e, &b, gap, gap);
        to_body(e, &b, rate, rate);
        memcpy(out->gap + r, gap, (size_t)n * sizeof(double));
        memcpy(out->rate + r, rate, (size_t)n * sizeof(double));
    }
    out->settle = time_to_settle(out, s, c);
}

/* Offset, rate and second derivative in world axes, without the part of the body's angular acceleration. */
static void turn_with(const tn_eval *e, const carrier *b, const double in[3][3], bool velocity, double out[3][3])
{
    double turn[3], centripetal[3];
    for (int d = 0; d < 3; d++)
        to_world(e, b, in[d], out[d]);
    tn_cross3(turn, b->w, out[1]);
    for (int k = 0; k < 3; k++)
        out[2][k] += (velocity ? 1 : 2) * turn[k];
    tn_cross3(turn, b->w, out[0]);
    tn_cross3(centripetal, b->w, turn);
    tn_add3(out[1], out[1], turn);
    tn_add3(out[2], out[2], centripetal);
}

/* Adds to the rows of a vector the dependence of the offset on the rotation of body 1. */
static void turn_rows(tn_eval *e, const tn_system *s, int constraint, int r, const double off[3])
{
    const tn_structure *st = &s->structure;
    const tn_constraint *c = &s->constraints[constraint];
    int b = st->block_begin[constraint] + c->blocks[0], body = st->block_body[b];
    int w = st->body_column[body + 1] - st->body_column[body];
    for (int k = 0; k < s->dimension; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 }, torque[3];
        double *row = e->G + st->block_offset[b] + (r + k) * w;
        tn_cross3(torque, off, axis);                  /* axis . (w x off) = w . (off x axis) */
        if (s->dimension == 2)
            row[2] -= torque[2];
        else
            tn_sub3(row + 3, row + 3, torque);
    }
}

static void subtract(tn_eval *e, int row, int order, double value, double rate, double second)
{
    e->g[row] -= value;
    e->gdot[row] -= order > 0 ? rate : 0;
    e->bias[row] += order > 1 ? second : 0;
}

void tn_eval_closing(tn_eval *e, const tn_system *s, int constraint, int order, bool jacobian)
{
    const tn_constraint *c = &s->constraints[constraint];
    const tn_closing *closing = c->attached ? NULL : tn_closing_of(s->closings, c->source);
    if (!closing)
        return;
    carrier b = carrier_of(e, s, c);
    for (int r = 0, n; r < c->rows; r += n) {
        double in[3][3] = { { 0 } }, out[3][3], number[3];
        bool velocity = s->velocity_row[c->row + r];
        n = components(s, c, r);
        for (int k = 0; k < n; k++) {
            if (!tn_closing_offset(closing, r + k, velocity, e->t, number))
                return;
            for (int d = 0; d < 3; d++)
                in[d][k] = number[d];
        }
        memcpy(out, in, sizeof out);
        if (n > 1)
            turn_with(e, &b, (const double (*)[3])in, velocity, out);
        for (int k = 0; k < n; k++)
            subtract(e, c->row + r + k, order, out[0][k], out[1][k], out[2][k]);
        if (n == 1 || velocity || b.body < 0)
            continue;
        if (c->by_kernel)
            tn_add3(e->pins[constraint].s1, e->pins[constraint].s1, out[0]);
        else if (jacobian)
            turn_rows(e, s, constraint, r, out[0]);
    }
}

void tn_system_set_closings(tn_system *s, const tn_closing_list *closings)
{
    s->closings = closings;
    for (int i = 0; closings->count > 0 && i < s->own_constraints; i++)
        if (tn_closing_of(closings, s->constraints[i].source))
            s->constraints[i].works = s->works = true;
}
