/* The start of a search for a static equilibrium: drives go to the time of the loads. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "statics_impl.h"

static int cannot_follow(const tn_relaxer *r, double t)
{
    return tn_fail(r->s->context, TN_ERROR_STEP, TN_NOWHERE, "the joints cannot be closed with the drives at "
                   "t = %.9g s", t);
}

int tn_relaxer_follow_drives(tn_relaxer *r)
{
    static const double SHORTEST = 1.0 / 4096;
    const tn_system *s = r->s;
    tn_tangent *n = r->near;
    double from = n->t, to = isnan(r->options->time) ? from : r->options->time, part = 1, done = 0;
    memset(n->y + s->positions, 0, (size_t)s->velocities * sizeof(double));
    for (int k = tn_drive_states_begin(s); k < tn_drive_states_end(s); k++)
        n->y[s->positions + s->velocities + k] = 0;
    while (done < 1) {
        double next = fmin(1, done + part), t = from + next * (to - from);
        memcpy(r->y, n->y, (size_t)s->size * sizeof(double));
        int code = tn_project_positions(n->stepper, t, r->y);
        if (code == TN_OK && (code = tn_tangent_place(n, t, r->y, n->memory, true)) == TN_OK) {
            tn_tangent_remember(n);
            done = next;
            continue;
        }
        part /= 2;
        if (code != TN_ERROR_STEP)
            return code;
        if (n->stepper->eval->failed)
            return tn_tangent_failed(n);
        if (part < SHORTEST)
            return cannot_follow(r, t);
    }
    return TN_OK;
}
