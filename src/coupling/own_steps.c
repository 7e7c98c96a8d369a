/* Components that take steps of their own over one step of the model. */
#include "coupling_impl.h"

#include <math.h>
#include <string.h>
#include "vec.h"

/* Power (W) of forces on the ports; v: over the system's velocities. */
static double power(const tn_coupled *component, const double *tau, const double *v)
{
    double sum = 0;
    for (int j = 0; j < component->of->columns; j++)
        sum += tau[j] * v[component->of->column[j]];
    return sum;
}

/* The same at the component's current point. */
static double power_here(const tn_coupled *component, const double *tau)
{
    const int w = component->of->width, d = w == 3 ? 2 : 3;
    const tn_port_motion *ports = component->at.ports;
    double sum = 0;
    for (int p = 0; p < component->type->port_count; p++)
        for (int k = 0; k < w; k++)
            sum += tau[p * w + k] * (k < d ? ports[p].v[k] : ports[p].w[d == 2 ? 2 : k - d]);
    return sum;
}

/* component->tau and component->answer are the forces at the beginning and the end. Work by the trapezoidal rule. */
static int advance_own_steps(tn_eval *e, const tn_system *s, tn_coupled *component, const tn_step *step)
{
    const double *v0 = step->y0 + s->positions;
    double *z1 = step->y1 + s->positions + s->velocities;
    tn_coupled_leave(component);
    TN_TRY(tn_coupled_passed(e, s, component,
                             component->type->advance(component->self, step->t + step->h, component->tau,
                                                      component->answer), "advance"));
    component->type->point(component->self, &component->at.t, component->at.y);
    if (!tn_finite(component->of->state_count, component->at.y))
        return tn_coupled_note(e, s, component, TN_ERROR_STEP, "its own steps lead to states that are not finite");
    tn_coupled_arrive(component);
    memcpy(z1 + component->of->state, component->at.y, (size_t)component->of->state_count * sizeof(double));
    const double powers = power(component, component->tau, v0) + power_here(component, component->answer);
    z1[component->of->work] = v0[s->velocities + component->of->work] + step->h / 2 * powers;
    return TN_OK;
}

static void predict_ports(const tn_system *s, const tn_coupled *component, const tn_step *step)
{
    for (int p = 0; p < component->type->port_count; p++) {
        const int first = s->bodies[component->of->body[p]].q;
        for (int k = first; k < first + (s->dimension == 2 ? 3 : 7); k++)
            step->y1[k] = step->y0[k] + step->h * step->dy0[k];
    }
    for (int j = 0; j < component->of->columns; j++)
        step->y1[s->positions + component->of->column[j]] = step->y0[s->positions + component->of->column[j]];
}

int tn_coupling_advance(tn_eval *e, const tn_system *s, const tn_step *step, const double *memory,
                        const double *tau_begin, const double *tau_end)
{
    TN_TRY(tn_coupling_restore(e, s, memory));
    for (int k = 0; k < tn_coupled_count(e, s); k++) {
        tn_coupled *component = &e->coupling->items[k];
        for (int j = 0; j < component->of->columns; j++) {
            component->tau[j] = tau_begin[component->of->column[j]];
            component->answer[j] = tau_end[component->of->column[j]];
        }
        predict_ports(s, component, step);
        TN_TRY(advance_own_steps(e, s, component, step));
    }
    return TN_OK;
}
