/* Lengths of motions in the mass metric. They include motions inside components as far as the ports cause them. */
#include <math.h>
#include <string.h>
#include "coupling.h"
#include "dense.h"
#include "drag_impl.h"

void tn_drag_weigh(const tn_dragger *d, const double *x, double *out)
{
    const tn_structure *k = &d->system->structure;
    for (int b = 0; b < k->bodies; b++) {
        int first = k->body_column[b], n = k->body_column[b + 1] - first;
        const double *M = d->eval->M + k->mass_offset[b];
        for (int i = 0; i < n && !d->system->bodies[b].port; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += M[i * n + j] * x[first + j];
            out[first + i] = sum;
        }
    }
    tn_coupling_weigh(d->eval, d->system, x, out);
}

static double over_ports(const tn_system *s, const double *x, const double *y)
{
    const int *column = s->structure.body_column;
    double sum = 0;
    for (int b = 0; b < s->body_count; b++)
        if (s->bodies[b].port)
            sum += tn_dot(column[b + 1] - column[b], x + column[b], y + column[b]);
    return sum;
}

double tn_drag_product(const tn_dragger *d, const double *x, const double *y)
{
    const tn_structure *k = &d->system->structure;
    double sum = 0;
    for (int b = 0; b < k->bodies; b++) {
        int first = k->body_column[b], n = k->body_column[b + 1] - first;
        const double *M = d->eval->M + k->mass_offset[b];
        for (int i = 0; i < n && !d->system->bodies[b].port; i++)
            sum += x[first + i] * tn_dot(n, M + i * n, y + first);
    }
    tn_coupling_weigh(d->eval, d->system, y, d->eval->tau);
    return sum + over_ports(d->system, x, d->eval->tau);
}

double tn_drag_extent(const tn_dragger *d, const double *step)
{
    const tn_system *s = d->system;
    double most = 0;
    for (int b = 0; b < s->body_count; b++) {
        double lever = tn_drag_reach(s, b);
        for (int j = s->structure.body_column[b]; j < s->structure.body_column[b + 1]; j++) {
            bool turn = j >= s->bodies[b].v + s->dimension;
            most = fmax(most, fabs(step[j]) / (turn ? 1 : lever > 0 ? lever : d->size));
        }
    }
    return most;
}

double tn_drag_reach(const tn_system *s, int body)
{
    const tn_structure *k = &s->structure;
    double most = 0;
    for (int j = k->body_column[body] + s->dimension; j < k->body_column[body + 1]; j++)
        most = fmax(most, k->column_scale[j]);
    return most;
}

double tn_drag_freedom(const tn_dragger *d, const double *f)
{
    const tn_structure *k = &d->system->structure;
    double sum = 0;
    for (int b = 0; b < k->bodies; b++) {
        int first = k->body_column[b], n = k->body_column[b + 1] - first;
        double L[36], x[6];
        if (d->system->bodies[b].port || tn_dot(n, f + first, f + first) == 0)
            continue;
        memcpy(L, d->eval->M + k->mass_offset[b], (size_t)(n * n) * sizeof(double));
        memcpy(x, f + first, (size_t)n * sizeof(double));
        if (tn_cholesky(n, L, n) == 0) {
            tn_cholesky_solve(n, L, n, x);
            sum += tn_dot(n, x, f + first);
        }
    }
    tn_coupling_respond(d->eval, d->system, f, d->eval->tau);
    return sum + over_ports(d->system, f, d->eval->tau);
}
