/* The state as text: an "initial:" section that a model file can include. */
#include <stdio.h>
#include <string.h>
#include "session_impl.h"
#include "vec.h"

static void write_vector(FILE *out, const char *key, const double *x, int n)
{
    fprintf(out, "    %s: [", key);
    for (int k = 0; k < n; k++)
        fprintf(out, "%s%.17g", k ? ", " : "", x[k]);
    fprintf(out, "]\n");
}

static void write_body(const tn_session *s, const tn_eval *e, int b, FILE *out)
{
    const tn_system *sys = s->system;
    const tn_sys_body *body = &sys->bodies[b];
    const tn_body *from = &s->model->bodies[body->source];
    tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(sys, body->source, &identity);
    tn_frame_motion m;
    tn_frame_motion_of(e, sys, &frame, &m);
    fprintf(out, "  %s:\n", from->entity.name);
    write_vector(out, "position", m.p, sys->dimension);
    write_vector(out, "velocity", m.v, sys->dimension);
    if (body->motion == TN_MOTION_PLANAR)
        fprintf(out, "    angle: %.17g\n    angular_velocity: %.17g\n", e->q[body->q + 2], m.w[2]);
    if (body->motion != TN_MOTION_SPATIAL)
        return;
    tn_pose local = tn_pose_relative(&body->offset, &identity);
    double world[4];
    tn_quat_mul(world, e->q + body->q + 3, local.q);
    fprintf(out, "    rotation: { quaternion: [%.17g, %.17g, %.17g, %.17g] }\n", world[0], world[1], world[2],
            world[3]);
    write_vector(out, "angular_velocity", m.w, 3);
}

int tn_session_write_state(const tn_session *s, FILE *out)
{
    const tn_stepper *st = s->stepper;
    tn_eval *e = st->eval;
    /* motion only: what was solved at another state is not looked at */
    tn_eval_motion(e, s->system, st->t, st->y, st->y + s->system->positions);
    fprintf(out, "# state of '%s' at t = %.17g s\ninitial:\n", s->model->name ? s->model->name : "", st->t);
    for (int b = 0; b < s->system->body_count; b++)
        write_body(s, e, b, out);
    return ferror(out) ? TN_ERROR_FILE : TN_OK;
}
