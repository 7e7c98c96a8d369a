/* Scheme "projection": accelerations at index 1, any integrator; then positions and velocities are
 * projected onto the constraints by the least mass-weighted change. */
#include "stepper.h"

static int finish(tn_stepper *st, double t, double *y)
{
    TN_TRY(tn_project_positions(st, t, y));
    return tn_project_velocities(st, t, y, y + st->system->positions);
}

const tn_scheme_type tn_scheme_projection = {
    .name = "projection",
    .doc = "Index-1 accelerations, then mass-weighted projection of positions and velocities: no drift, no gains.",
    .finish = finish,
};
