/* A nested model as an open component, which shows its bodies and rows. */
#include "nested.h"

#include <string.h>
#include "diag.h"
#include "vec.h"

/* The extent that later calls at the same point will need. */
static tn_open_extent extent_ahead(tn_open_extent extent)
{
    return extent == TN_OPEN_SIDES_THEN_PINS ? TN_OPEN_PINS : extent == TN_OPEN_SIDES_THEN_ROWS ? TN_OPEN_ROWS : extent;
}

/* Order of derivatives to evaluate, ahead of the next question: after positions that fit come velocities, then
 * accelerations with rows. A question for positions with rows means that positions do not fit. */
static int order_of(tn_question question, tn_open_extent extent)
{
    const bool rows = extent != TN_OPEN_SIDES;
    return question == TN_ASK_ACCELERATIONS ? 2 : question == TN_ASK_VELOCITIES ? 1 + rows : 1 - rows;
}

/* Shows the whole problem, with f and u of the question. */
static void show_all(tn_nested *n, const double *f, const double *u, tn_open_component *out)
{
    *out = (tn_open_component){ .structure = &n->structure, .M = n->at.e->M, .G = n->at.e->G, .f = f, .u = u,
                                .port_body = n->port_body, .works = n->system->works || n->system->reacts };
}

/* Shows the problem without guided bodies. */
static int show_guided(tn_nested *n, tn_open_extent extent, const double *f, const double *u, tn_open_component *out)
{
    tn_guided_elimination *g = n->guided;
    if (extent >= TN_OPEN_PINS && extent > n->at.reduced) {
        if (!tn_guided_elimination_take_matrices(g, n->at.e, extent))
            return tn_nested_fail(n, TN_ERROR_STEP, TN_NOWHERE, "a joint to ground has lost its direction",
                                  "a joint inside has lost its direction");
        n->at.reduced = extent;
    }
    tn_guided_elimination_take_sides(g, f, u);
    *out = (tn_open_component){ .structure = &g->structure, .M = g->M, .G = g->G, .f = g->f, .u = g->u,
                                .port_body = g->port_body, .hidden_rows = g->hidden_rows, .hidden_gap = g->hidden_gap };
    return TN_OK;
}

int tn_nested_open(void *self, tn_question question, tn_open_extent extent, tn_open_component *out)
{
    tn_nested *n = self;
    const bool accelerations = question == TN_ASK_ACCELERATIONS;
    const double *gap = question == TN_ASK_POSITIONS ? n->at.e->g : n->at.e->gdot;
    if (accelerations)
        TN_TRY(tn_nested_find_forces(n));
    TN_TRY(tn_nested_look(n, order_of(question, extent_ahead(extent)), extent_ahead(extent)));
    for (int i = 0; i < n->system->rows && !accelerations; i++)
        n->u[i] = -gap[i];
    const double *f = accelerations ? n->at.e->f : n->no_force, *u = accelerations ? n->at.e->bias : n->u;
    if (n->guided)
        return show_guided(n, extent, f, u, out);
    show_all(n, f, u, out);
    return TN_OK;
}

/* Moves numbers to new memory, where they stay. */
static void move_numbers(double **numbers, double *to, size_t count)
{
    memmove(to, *numbers, count * sizeof(double));
    *numbers = to;
}

void tn_nested_write_to(void *self, double *M, double *G)
{
    tn_nested *n = self;
    if (n->guided) {
        move_numbers(&n->guided->M, M ? M : n->guided->own_M, n->guided->mass_size);
        move_numbers(&n->guided->G, G ? G : n->guided->own_G, n->guided->rows_size);
    } else {
        move_numbers(&n->at.e->M, M ? M : n->own_M, n->system->mass_size);
        move_numbers(&n->at.e->G, G ? G : n->own_G, n->system->jacobian_size);
    }
}

void tn_nested_move(const tn_nested *n, tn_question question, const double *a, double *out)
{
    const tn_system *s = n->system;
    double *v = out + s->positions, *z = v + s->velocities;
    if (question == TN_ASK_ACCELERATIONS) {
        tn_position_rate(s, n->at.y, n->at.y + s->positions, out);
        memcpy(v, a, (size_t)s->velocities * sizeof(double));
        memcpy(z, n->at.e->dz, (size_t)s->states * sizeof(double));
        return;
    }
    memcpy(out, n->at.y, (size_t)s->size * sizeof(double));
    if (question == TN_ASK_POSITIONS) {
        tn_position_move(s, n->at.y, a, out);
        tn_position_normalize(s, out);
    }
    for (int j = 0; j < s->velocities && question == TN_ASK_VELOCITIES; j++)
        v[j] += a[j];
}

/* v (M a - f): the power of the ports, and of joints that do work. */
static double power_of(const tn_nested *n, const double *a)
{
    const tn_system *s = n->system;
    const double *v = n->at.y + s->positions, *f = n->at.e->f;
    double sum = 0, spin[3];
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        const int first = body->v, turns = first + s->dimension;
        for (int j = first; j < turns; j++)
            sum += v[j] * body->mass * a[j];
        if (body->motion == TN_MOTION_SPATIAL) {
            tn_spin(n->at.e, s, b, spin);
            sum += tn_dot3(spin, a + turns);
        } else if (body->motion == TN_MOTION_PLANAR) {
            sum += v[turns] * body->moments[2] * a[turns];
        }
    }
    for (int j = 0; j < s->velocities; j++)
        sum -= v[j] * f[j];
    return sum;
}

int tn_nested_take_open(void *self, tn_question question, const double *a, const double *lambda, double *out,
                        double *power)
{
    const tn_nested *n = self;
    if (n->system->reacts && question == TN_ASK_ACCELERATIONS)
        memcpy(n->at.e->lambda, lambda, (size_t)n->system->rows * sizeof(double));
    if (n->guided) {
        tn_guided_elimination_expand(n->guided, a, n->a);
        a = n->a;
    }
    tn_nested_move(n, question, a, out);
    if (question != TN_ASK_ACCELERATIONS)
        return TN_OK;
    *power = power_of(n, a);
    if (!n->system->works)
        return TN_OK;
    tn_eval_rows_times(n->at.e, n->system, n->at.y + n->system->positions, n->u);
    for (int i = 0; i < n->system->rows; i++)
        *power -= lambda[i] * n->u[i];
    return TN_OK;
}
