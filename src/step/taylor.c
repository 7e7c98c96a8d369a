/* Shared by the schemes "taylor1" and "taylor2": body axes, drift and predictor (taylor.h). */
#include "taylor.h"

#include <string.h>
#include "vec.h"

static void turn_axes(const tn_stepper *st, const double *in, double *out, bool into_body)
{
    const tn_system *s = st->system;
    if (out != in)
        memcpy(out, in, (size_t)s->velocities * sizeof(double));
    for (int b = 0; b < s->body_count; b++) {
        if (s->bodies[b].motion != TN_MOTION_SPATIAL)
            continue;
        double w[3], *turned = out + s->bodies[b].v + 3;
        const double (*R)[3] = (const double (*)[3])st->eval->R[b];
        tn_copy3(w, turned);
        if (into_body)
            tn_mul33t(turned, R, w);
        else
            tn_mul33(turned, R, w);
    }
}

void tn_body_axes(const tn_stepper *st, const double *in, double *out)
{
    turn_axes(st, in, out, true);
}

void tn_world_axes(const tn_stepper *st, const double *in, double *out)
{
    turn_axes(st, in, out, false);
}

void tn_drift(const tn_stepper *st, const double *q0, double h, const double *v, double *q1)
{
    const tn_system *s = st->system;
    for (int b = 0; b < s->body_count; b++) {
        const tn_sys_body *body = &s->bodies[b];
        int n = b + 1 < s->body_count ? s->bodies[b + 1].q - body->q : s->positions - body->q;
        bool spatial = body->motion == TN_MOTION_SPATIAL;
        for (int k = 0; k < (spatial ? 3 : n); k++)
            q1[body->q + k] = q0[body->q + k] + h * v[body->v + k];
        if (!spatial)
            continue;
        const double *w = v + body->v + 3, *e0 = q0 + body->q + 3;
        double half[4] = { 0, 0.5 * h * w[0], 0.5 * h * w[1], 0.5 * h * w[2] }, change[4];
        tn_quat_mul(change, e0, half);
        for (int k = 0; k < 4; k++)
            q1[body->q + 3 + k] = e0[k] + change[k];
        tn_quat_normalize(q1 + body->q + 3);
    }
}

void tn_state_increment(const tn_stepper *st, const tn_step *step, double *v0, double *dv)
{
    for (int k = 0; k < step->states; k++) {
        v0[step->velocities + k] = step->y0[step->positions + step->velocities + k];
        dv[step->velocities + k] = step->h * st->eval->dz[k];
    }
}

int tn_predict(tn_stepper *st, const tn_step *step, double *v0, double *dv, double *q1)
{
    const tn_system *s = st->system;
    tn_eval *e = st->eval;
    double *v1 = st->delta;
    tn_eval_motion(e, s, step->t, step->y0, step->y0 + s->positions);
    tn_eval_forces(e, s, st->memory);
    tn_eval_constraints(e, s, st->memory, 1, true);
    for (int i = 0; i < s->rows; i++)
        st->u[i] = -e->gdot[i] - (s->velocity_row[i] ? 0 : e->g[i] / step->h);
    for (int k = 0; k < s->velocities; k++)
        e->f[k] *= step->h;
    TN_TRY(st->solver->factor(st->saddle, e->M, e->G, TN_RANK_KEEP));
    TN_TRY(st->solver->solve(st->saddle, e->f, st->u, dv, st->multipliers));
    st->counts.evaluations++;
    tn_body_axes(st, step->y0 + s->positions, v0);
    tn_body_axes(st, dv, dv);
    tn_state_increment(st, step, v0, dv);
    for (int k = 0; k < s->velocities; k++)
        v1[k] = v0[k] + dv[k];
    tn_drift(st, step->y0, step->h, v1, q1);
    return TN_OK;
}
