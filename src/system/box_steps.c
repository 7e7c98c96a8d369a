/* Components that go on by themselves, with steps of their own, between two points of time of the model. */
#include "boxes.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* W that forces do on the ports; v: over the system's velocities. */
static double power(const tn_box *box, const double *tau, const double *v)
{
    double sum = 0;
    for (int j = 0; j < box->columns; j++)
        sum += tau[j] * v[box->column[j]];
    return sum;
}

/* The same as it stands. */
static double power_here(const tn_box *box, const double *tau)
{
    const int w = box->width, d = w == 3 ? 2 : 3;
    double sum = 0;
    for (int p = 0; p < box->instance.component.type->port_count; p++)
        for (int k = 0; k < w; k++)
            sum += tau[p * w + k] * (k < d ? box->ports[p].v[k] : box->ports[p].w[d == 2 ? 2 : k - d]);
    return sum;
}

/* tau and answer of the box: forces at both ends. Work by the trapezoidal rule. */
static int advance_box_steps(tn_eval *e, const tn_system *s, tn_box *box, const tn_step *step)
{
    const tn_component *c = &box->instance.component;
    const double *v0 = step->y0 + s->positions;
    double *z1 = step->y1 + s->positions + s->velocities;
    tn_box_leave(box);
    TN_TRY(tn_box_passed(e, s, box, c->type->advance(c->self, step->t + step->h, box->tau, box->answer), "advance"));
    c->type->point(c->self, &box->t, box->y);
    if (!tn_finite(box->state_count, box->y))
        return tn_box_note(e, s, box, TN_ERROR_STEP, "its own steps lead to states that are not finite");
    tn_box_arrive(box);
    memcpy(z1 + box->state, box->y, (size_t)box->state_count * sizeof(double));
    z1[box->work] = v0[s->velocities + box->work] +
                    step->h / 2 * (power(box, box->tau, v0) + power_here(box, box->answer));
    return TN_OK;
}

static void predict_ports(const tn_system *s, const tn_box *box, const tn_step *step)
{
    for (int p = 0; p < box->instance.component.type->port_count; p++) {
        const int first = s->bodies[box->body[p]].q;
        for (int k = first; k < first + (s->dimension == 2 ? 3 : 7); k++)
            step->y1[k] = step->y0[k] + step->h * step->dy0[k];
    }
    for (int j = 0; j < box->columns; j++)
        step->y1[s->positions + box->column[j]] = step->y0[s->positions + box->column[j]];
}

int tn_boxes_advance(tn_eval *e, const tn_system *s, const tn_step *step, const double *memory, const double *tau_begin,
                     const double *tau_end)
{
    TN_TRY(tn_boxes_restore(s, memory));
    for (int k = 0; k < s->box_count; k++) {
        tn_box *box = &s->boxes[k];
        for (int j = 0; j < box->columns; j++) {
            box->tau[j] = tau_begin[box->column[j]];
            box->answer[j] = tau_end[box->column[j]];
        }
        predict_ports(s, box, step);
        TN_TRY(advance_box_steps(e, s, box, step));
    }
    return TN_OK;
}
