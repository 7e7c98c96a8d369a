/* A nested model takes steps of its own, with its own scheme, solver, integrator and step, to a later time. Each call
 * starts the stepper again, since the outer model may have corrected the point; so later motion depends only on the
 * point, the remembered angles and the length of the next step to try. */
#include "nested.h"

#include <string.h>
#include "clocks.h"
#include "diag.h"
#include "mem.h"

/* Adds the forces on the ports at the time of e. */
static void push(tn_eval *e, void *user)
{
    const tn_nested *n = user;
    const tn_system *s = n->system;
    const tn_nested_load *load = &n->load;
    const double theta = (e->t - load->begin) / (load->end - load->begin);
    for (int k = 0; k < n->type.port_count; k++) {
        const int *column = s->structure.body_column + n->ports[k].frame.body;
        const double *begin = load->tau_begin + k * n->width, *end = load->tau_end + k * n->width;
        for (int j = 0; j < column[1] - column[0]; j++)        /* a particle does not turn */
            e->f[column[0] + j] += begin[j] + theta * (end[j] - begin[j]);
    }
}

int tn_nested_make_stepper(tn_nested *n, const tn_solve *solve, tn_span span)
{
    TN_TRY(tn_stepper_create(&n->stepper, n->system, n->coupling, solve, span));
    n->stepper->eval->push_user = n;
    return TN_OK;
}

static int advance_stepper(tn_nested *n, double t_end)
{
    tn_stepper *st = n->stepper;
    TN_TRY(tn_stepper_start(st, n->at.t, n->at.y, n->at.y + n->system->positions, n->memory));
    while (st->t < t_end)
        TN_TRY(tn_stepper_step(st, t_end));
    tn_nested_forget(n);
    memcpy(n->memory, st->memory, (size_t)n->system->memory * sizeof(double));
    return tn_nested_place(n, st->t, st->y);
}

int tn_nested_advance(void *self, double t_end, const double *tau_begin, const double *tau_end)
{
    tn_nested *n = self;
    const double h = n->stepper->h;
    n->load = (tn_nested_load){ n->at.t, t_end, tau_begin, tau_end };
    n->stepper->eval->push = tau_begin ? push : NULL;
    int code = t_end > n->at.t ? advance_stepper(n, t_end) : TN_OK;
    n->stepper->eval->push = NULL;
    if (code < 0)
        n->stepper->h = h;
    if (code < 0 && n->host) {
        tn_diagnostics_clear(n->context);      /* the host must not see them, and they would pile up */
        return tn_nested_fail(n, code, TN_NOWHERE, NULL, "a step inside cannot be taken");
    }
    return code;
}

/* ---- changes with time ---- */

bool tn_nested_timed(const void *self)
{
    return ((const tn_nested *)self)->stepper->clocks != NULL;
}

bool tn_nested_missed(void *self, tn_step_view view, double t0, double t1, tn_component_missed *out)
{
    tn_missed missed;
    if (!tn_clocks_missed(((const tn_nested *)self)->stepper, view, t0, t1, &missed))
        return false;
    *out = (tn_component_missed){ .from = missed.from, .at = missed.t };
    return true;
}

bool tn_nested_jumps(void *self, double t0, double t1, tn_component_jump *out)
{
    double instant[2];
    if (!tn_clocks_switch(((const tn_nested *)self)->stepper, t0, t1, instant))
        return false;
    *out = (tn_component_jump){ .before = instant[0], .behind = instant[1] };
    return true;
}
