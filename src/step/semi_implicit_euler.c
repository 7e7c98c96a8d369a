/* Semi-implicit (symplectic) Euler: velocities first, positions with the new velocities. Order 1. */
#include "tenon/sys/stepper.h"

static int step_semi_implicit_euler(tn_stepper *stepper, tn_step *s)
{
    double *q1 = s->y1, *v1 = s->y1 + s->positions, *move = s->work;
    for (int k = 0; k < s->velocities + s->states; k++)
        v1[k] = s->y0[s->positions + k] + s->h * s->dy0[s->positions + k];
    for (int k = 0; k < s->velocities; k++)
        move[k] = s->h * v1[k];
    tn_move(q1, stepper, s->y0, move);
    return TN_OK;
}

const tn_integrator_type tn_integrator_semi_implicit_euler = {
    .name = "semi-implicit-euler",
    .doc = "Semi-implicit Euler, order 1, fixed step: cheap and robust.",
    .order = 1,
    .vectors = 1,
    .step = step_semi_implicit_euler,
};
