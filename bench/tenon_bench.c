/* Tenon: absolute coordinates, scheme "projection", solver "direct".
 * forward is one evaluation of forces, constraints and accelerations at a state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine.h"
#include "session_impl.h"
#include "tenon/tenon.h"

struct engine {
    const scene *scene;
    tn_context *context;
    tn_model *model;
    tn_session *session;
};

static const char *const methods[] = { "dopri5", "dop853", "rk4", "heun", NULL };

static tn_id body_id(const engine *e, int body)
{
    return body < 0 ? tn_model_ground(e->model) : tn_model_at(e->model, TN_KIND_BODY, (size_t)body);
}

static int add_joint(engine *e, const char *name, const char *type, int body1, int body2, const double *at1,
                     const double *at2, const double *axis)
{
    tn_joint_def def = tn_joint_default(type);
    def.body1 = body_id(e, body1);
    def.body2 = body_id(e, body2);
    def.frame1 = tn_pose_z(at1, axis);
    def.frame2 = tn_pose_z(at2, axis);
    tn_id id;
    return tn_model_add_joint(&id, e->model, name, &def);
}

static int add_body(engine *e, int i)
{
    const scene_body *b = &e->scene->bodies[i];
    const scene_motion *m = &b->start;
    double arm[3] = { b->p[0] - m->c[0], b->p[1] - m->c[1], b->p[2] - m->c[2] };
    char name[32];
    tn_id id;
    tn_body_def def = tn_body_default();
    def.mass = b->mass;
    memcpy(def.com, b->com, sizeof def.com);
    for (int k = 0; k < 6; k++)
        def.inertia[k] = k < 3 ? b->inertia[k] : 0;
    def.placed = true;
    memcpy(def.pose.p, b->p, sizeof def.pose.p);
    memcpy(def.pose.q, b->q, sizeof def.pose.q);
    memcpy(def.angular_velocity, m->w, sizeof m->w);
    for (int k = 0; k < 3; k++) {
        int x = (k + 1) % 3, y = (k + 2) % 3;
        def.velocity[k] = m->v[k] + m->w[x] * arm[y] - m->w[y] * arm[x];
    }
    snprintf(name, sizeof name, "b%d", i);
    return tn_model_add_body(&id, e->model, name, &def);
}

static int build(engine *e)
{
    static const double origin[3];
    const scene *s = e->scene;
    char name[32];
    TN_TRY(tn_model_create(&e->model, e->context, s->dimension));
    tn_model_set_gravity(e->model, s->gravity);
    for (int i = 0; i < s->count; i++)
        TN_TRY(add_body(e, i));
    for (int i = 0; i < s->count; i++) {
        const scene_body *b = &s->bodies[i];
        snprintf(name, sizeof name, "j%d", i);
        TN_TRY(add_joint(e, name, b->joint == SCENE_BALL ? "spherical" : "revolute", b->parent, i, b->at, origin,
                         b->axis));
    }
    for (int i = 0; i < s->loop_count; i++) {
        const scene_loop *l = &s->loops[i];
        snprintf(name, sizeof name, "l%d", i);
        TN_TRY(add_joint(e, name, "revolute", l->body1, l->body2, l->at1, l->at2, l->axis));
    }
    return TN_OK;
}

static int open_session(engine *e, const char *method, double accuracy)
{
    tn_solve solve = tn_solve_default();
    int adaptive = strncmp(method, "dop", 3) == 0;
    solve.until = 1e6;
    solve.record = 1e6;
    solve.integrator = method;
    if (!adaptive)
        solve.step = accuracy > 0 ? accuracy : 1e-3;
    else if (accuracy > 0)
        solve.tolerance = solve.absolute_tolerance = accuracy;
    return tn_session_open(&e->session, e->model, &solve);
}

static engine *create(const scene *s, const char *method, double accuracy, char *settings)
{
    engine *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->scene = s;
    e->context = tn_context_create(NULL);
    if (!e->context || build(e) < 0 || open_session(e, method, accuracy) < 0) {
        if (e->context)
            tn_diagnostics_print(e->context, stderr);
        return NULL;
    }
    snprintf(settings, 200, "%s; projection; direct; double", s->dimension == 2 ? "planar model" : "spatial model");
    return e;
}

static void forward(engine *e)
{
    tn_stepper_evaluate(e->session->stepper, 0, e->session->stepper->y);
}

static void step(engine *e)
{
    tn_session_step(e->session);
}

static int advance(engine *e, double t)
{
    int code = tn_session_advance(e->session, t);
    if (code < 0)
        tn_diagnostics_print(e->context, stderr);
    return code >= 0;
}

/* The user's axes of a scene's body with their origin at its centre of mass. */
static tn_sys_frame body_frame(const engine *e, int i)
{
    tn_pose pose = tn_pose_identity();
    memcpy(pose.p, e->scene->bodies[i].com, sizeof pose.p);
    return tn_system_frame(e->session->system, body_id(e, i).index, &pose);
}

static void accelerations(engine *e, double *a)
{
    for (int i = 0; i < e->scene->count; i++) {
        tn_sys_frame frame = body_frame(e, i);
        tn_frame_acceleration_of(e->session->stepper->eval, e->session->system, &frame, a + 6 * i, a + 6 * i + 3);
    }
}

static void motion(engine *e, scene_motion *m)
{
    const tn_system *s = e->session->system;
    tn_stepper *st = e->session->stepper;
    tn_eval_motion(st->eval, s, st->t, st->y, st->y + s->positions);
    for (int i = 0; i < e->scene->count; i++) {
        tn_sys_frame frame = body_frame(e, i);
        tn_frame_motion now;
        tn_frame_motion_of(st->eval, s, &frame, &now);
        memcpy(m[i].c, now.p, sizeof now.p);
        memcpy(m[i].v, now.v, sizeof now.v);
        memcpy(m[i].w, now.w, sizeof now.w);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                m[i].R[r][c] = now.axes[c][r];
    }
}

const engine_type bench_engine = {
    .name = "tenon",
    .methods = methods,
    .create = create,
    .forward = forward,
    .accelerations = accelerations,
    .step = step,
    .advance = advance,
    .motion = motion,
};
