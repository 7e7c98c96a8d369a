/* Sigma: the ratio of stabilization to all accelerations that the joints enforce (Joli, Seguy and Feng 2008, Eq. 15):
 *     Sigma = |u - bias| / |K lambda|,   K lambda = G a - G M^-1 f
 * u - bias are the accelerations that the scheme adds to those of the constraints, for example 2 alpha g' + beta^2 g;
 * K lambda are the accelerations by which the joints change the motion of the bodies. */
#include "stepper.h"

#include <string.h>
#include "dense.h"

double tn_disturbance(tn_stepper *st)
{
    const tn_eval *e = st->eval;
    int rows = st->system->rows;
    if (!st->scheme->stabilize)
        return 0;
    memcpy(st->u, e->bias, (size_t)rows * sizeof(double));
    st->scheme->stabilize(st, e->g, e->gdot, st->u);
    for (int i = 0; i < rows; i++)
        st->u[i] -= e->bias[i];
    return tn_norm2(rows, st->u);
}

double tn_sigma(tn_stepper *st)
{
    const tn_system *s = st->system;
    double disturbance = tn_disturbance(st), *change = st->scratch;
    memcpy(change, st->eval->f, (size_t)s->velocities * sizeof(double));
    for (int b = 0; b < s->body_count; b++)
        tn_eval_divide_by_mass(st->eval, st->system, b, change + s->structure.body_column[b]);
    for (int k = 0; k < s->velocities; k++)
        change[k] = st->eval->a[k] - change[k];
    tn_jacobian_times(st, change, st->u);
    double enforced = tn_norm2(s->rows, st->u);
    return enforced > 0 ? disturbance / enforced : 0;
}
