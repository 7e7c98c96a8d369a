/* The state of the sweeps over a cone problem; private to cone_sweeps.c and cone_newton.c. */
#ifndef TN_SOLVE_CONE_SWEEPS_IMPL_H
#define TN_SOLVE_CONE_SWEEPS_IMPL_H

#include "cone_sweeps.h"

/* Sweeps that the acceleration combines. */
enum { TN_SWEEP_WINDOW = 12 };

typedef struct tn_sweeps {
    double *v;
    const double *free;        /* velocities without impulses */
    tn_sweep_contact *contacts;
    const int *list;
    int count, rows;
    double scale;              /* m/s: largest velocity */
    double *x, *f;             /* impulses before the sweep; their change by the sweep; weighted */
    double *dx[TN_SWEEP_WINDOW], *df[TN_SWEEP_WINDOW];
    double *last_x, *last_f;
    double gram[TN_SWEEP_WINDOW][TN_SWEEP_WINDOW];
    int kept, oldest;
} tn_sweeps;

/* The larger number; fmax is a call of a function, because it treats NaN with care. */
static inline double tn_more(double a, double b)
{
    return a > b ? a : b;
}

/* w += J v */
static inline void tn_sweep_add_rows(const tn_sweep_contact *c, const double *v, double w[TN_SWEEP_ROWS])
{
    for (int b = 0; b < c->J_count; b++) {
        const double *x = v + c->J[b].at, *values = c->J[b].values;
        if (c->rows == 3)
            for (int j = 0; j < c->J[b].width; j++, values += 3) {
                w[0] += values[0] * x[j];
                w[1] += values[1] * x[j];
                w[2] += values[2] * x[j];
            }
        else
            for (int j = 0; j < c->J[b].width; j++)
                for (int r = 0; r < c->rows; r++)
                    w[r] += *values++ * x[j];
    }
}

/* v += A p */
static inline void tn_sweep_add_response(const tn_sweep_contact *c, const double *p, double *v)
{
    for (int b = 0; b < c->A_count; b++) {
        double *x = v + c->A[b].at;
        const double *values = c->A[b].values;
        if (c->rows == 3)
            for (int j = 0; j < c->A[b].width; j++, values += 3)
                x[j] += values[0] * p[0] + values[1] * p[1] + values[2] * p[2];
        else
            for (int j = 0; j < c->A[b].width; j++)
                for (int r = 0; r < c->rows; r++)
                    x[j] += *values++ * p[r];
    }
}

/* Moves p to the nearest point of the cone: first the normal, then the tangents. */
void tn_sweep_into_cone(const tn_sweep_contact *contact, double *p);
/* Largest violation of the laws (m/s): the change of velocities when a contact is solved again, alone. */
double tn_sweeps_violation(const tn_sweeps *s);

/* cone_newton.c: one step of Newton's method from the present impulses; they stay in their cones. soft: share of the
 * velocity, which an impulse alone would cause, that its difference from `anchor` may leave. changes: contacts whose
 * mode is another one than in the last call. Returns 0, or -1: no step was found, nothing has changed. */
int tn_sweeps_newton(tn_sweeps *s, tn_cone_newton *newton, double soft, const double *anchor, int *changes);

#endif
