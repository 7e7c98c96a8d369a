/* Motions of ports as forces that cause them. With D = w W W' and W = Q R, Q'Q = 1,
 *     tau = Q R'^-1 R^-1 Q'x / w
 * is the least one with D tau = x; what any other has besides moves nothing inside. */
#include "boxes.h"

#include <string.h>
#include "dense.h"

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += x[j] * y[j];
    return sum;
}

/* Q and R by Gram and Schmidt; columns of W are independent. */
static void orthogonalize(const tn_box *box)
{
    const int n = box->columns;
    memcpy(box->Q, box->W, (size_t)(n * box->rank) * sizeof(double));
    for (int c = 0; c < box->rank; c++) {
        double *q = box->Q + c * n, *r = box->R + c * n;
        for (int d = 0; d < c; d++) {
            r[d] = dot(n, box->Q + d * n, q);
            for (int j = 0; j < n; j++)
                q[j] -= r[d] * box->Q[j + d * n];
        }
        r[c] = tn_norm2(n, q);
        for (int j = 0; j < n; j++)
            q[j] /= r[c];
    }
}

static void weigh(const tn_box *box, const double *x, double *out)
{
    const int n = box->columns;
    double *part = box->answer, *own = box->tau;
    orthogonalize(box);
    for (int j = 0; j < n; j++)
        own[j] = x[box->column[j]];
    for (int c = 0; c < box->rank; c++)
        part[c] = dot(n, box->Q + c * n, own);
    tn_upper_solve(box->rank, box->R, n, part);
    tn_upper_solve_transposed(box->rank, box->R, n, part);
    memset(own, 0, (size_t)n * sizeof(double));
    for (int c = 0; c < box->rank; c++)
        for (int j = 0; j < n; j++)
            own[j] += box->Q[j + c * n] * part[c] / box->weight;
    for (int j = 0; j < n; j++)
        out[box->column[j]] = own[j];
}

void tn_boxes_weigh(const tn_system *s, const double *x, double *out)
{
    for (int k = 0; k < s->box_count; k++)
        weigh(&s->boxes[k], x, out);
}

int tn_boxes_follow(tn_eval *e, const tn_system *s, tn_question question, const double *x, double *z)
{
    tn_boxes_weigh(s, x, e->tau);
    return tn_boxes_take(e, s, question, e->tau, z, NULL);
}

double tn_boxes_strike(const tn_system *s, const double *tau, const double *v, const double *dv, double *z)
{
    double sum = 0;
    for (int k = 0; k < s->box_count; k++) {
        const tn_box *box = &s->boxes[k];
        double work = 0;
        for (int j = 0; j < box->columns; j++)
            work += tau[box->column[j]] * (v[box->column[j]] + 0.5 * dv[box->column[j]]);
        z[box->work] += work;
        sum += work;
    }
    return sum;
}

long tn_boxes_changes(const tn_system *s)
{
    long sum = 0;
    for (int k = 0; k < s->box_count; k++)
        sum += s->boxes[k].changes;
    return sum;
}
