/* A nested model that shows its bodies and rows. */
#include "nested.h"

#include <string.h>

int tn_nested_open(void *self, tn_question question, tn_open_extent extent, tn_open_component *out)
{
    tn_nested *n = self;
    const bool accelerations = question == TN_ASK_ACCELERATIONS;
    const double *gap = question == TN_ASK_POSITIONS ? n->e->g : n->e->gdot;
    if (accelerations)
        TN_TRY(tn_nested_find_forces(n));
    TN_TRY(tn_nested_look(n, accelerations ? 2 : question == TN_ASK_VELOCITIES, extent));
    for (int i = 0; i < n->system->rows && !accelerations; i++)
        n->u[i] = -gap[i];
    *out = (tn_open_component){ .structure = &n->structure, .M = n->e->M, .G = n->e->G,
                                .f = accelerations ? n->e->f : n->no_force, .u = accelerations ? n->e->bias : n->u,
                                .port_body = n->port_body, .port_arm = n->arms };
    return TN_OK;
}

int tn_nested_take_open(void *self, tn_question question, const double *a, double *out)
{
    const tn_nested *n = self;
    const tn_system *s = n->system;
    double *v = out + s->positions, *z = v + s->velocities;
    if (question == TN_ASK_ACCELERATIONS) {
        tn_position_rate(s, n->y, n->y + s->positions, out);
        memcpy(v, a, (size_t)s->velocities * sizeof(double));
        memcpy(z, n->e->dz, (size_t)s->states * sizeof(double));
        return TN_OK;
    }
    memcpy(out, n->y, (size_t)s->size * sizeof(double));
    if (question == TN_ASK_POSITIONS) {
        tn_position_move(s, n->y, a, out);
        tn_position_normalize(s, out);
    }
    for (int j = 0; j < s->velocities && question == TN_ASK_VELOCITIES; j++)
        v[j] += a[j];
    return TN_OK;
}
