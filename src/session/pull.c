/* Pulling at a point of a running model. */
#include <math.h>
#include <string.h>
#include "diag.h"
#include "log.h"
#include "vec.h"

static const char NAME[] = "pull";
/* Directions in which the point hardly gives way count as this part of the softest one: what holds it is not strained
 * by more. */
static const double STIFFEST = 0.01;

/* ---- the point ---- */

/* A point of a body, and what the mechanism does when pulled there. */
typedef struct handle {
    tn_session *session;
    tn_sys_frame frame;
    double *force, *response, *rate;   /* over all velocities; rate: of the rows, zero */
} handle;

int tn_session_find_movable(int *index, const tn_session *s, tn_id body)
{
    bool known = tn_model_entity(s->model, body) && body.kind == TN_KIND_BODY;
    *index = known ? s->system->body_of[body.index] : -1;
    return *index >= 0 ? TN_OK
                       : tn_fail(s->context, known ? TN_ERROR_ARGUMENT : TN_ERROR_STALE, TN_NOWHERE,
                                 known ? "ground and bodies that take no part cannot be pulled" : "the body is gone");
}

static int open_handle(handle *h, tn_session *s, tn_id body, const double at[3], tn_arena *arena)
{
    int index;
    tn_pose pose = tn_pose_identity();
    TN_TRY(tn_session_find_movable(&index, s, body));
    tn_copy3(pose.p, at);
    h->session = s;
    h->frame = tn_system_frame(s->system, body.index, &pose);
    h->force = tn_arena_alloc(arena, (size_t)s->system->velocities, sizeof(double));
    h->response = tn_arena_alloc(arena, (size_t)s->system->velocities, sizeof(double));
    h->rate = tn_arena_alloc(arena, (size_t)s->system->rows, sizeof(double));
    return h->force && h->response && h->rate ? TN_OK : TN_ERROR_MEMORY;
}

/* Generalised force of a force at the point; the motion has been evaluated. */
static void push(const handle *h, const double force[3])
{
    const tn_system *s = h->session->system;
    memset(h->force, 0, (size_t)s->velocities * sizeof(double));
    tn_add_point_force(h->session->stepper->eval, s, &h->frame, force, h->force);
}

/* Evaluates constraints at the accepted state and factors: the responses below are to the mechanism as it is there. */
static int hold(const handle *h)
{
    tn_stepper *st = h->session->stepper;
    h->session->eval_current = false;
    tn_eval_motion(st->eval, st->system, st->t, st->y, st->y + st->system->positions);
    TN_TRY(st->eval->box_code);
    tn_eval_constraints(st->eval, st->system, st->memory, 0, true);
    return st->solver->factor(st->saddle, st->eval->M, st->eval->G, TN_RANK_DECIDE);
}

/* Acceleration (or displacement) of all bodies under h->force, joints kept. lambda may be NULL. */
static int respond(const handle *h, double *lambda)
{
    const tn_stepper *st = h->session->stepper;
    return st->solver->solve(st->saddle, h->force, h->rate, h->response, lambda);
}

/* The mobility of the point (acceleration per force) as xx yy zz xy xz yz, made invertible. */
static int mass_at(const handle *h, double mass[6])
{
    static const int place[3][3] = { { 0, 3, 4 }, { 3, 1, 5 }, { 4, 5, 2 } };
    double mobility[6] = { 0 }, moments[3], axes[3][3];
    int n = h->session->system->dimension;
    for (int k = 0; k < n; k++) {
        double force[3] = { k == 0, k == 1, k == 2 }, moved[3];
        push(h, force);
        TN_TRY(respond(h, NULL));
        tn_point_velocity(h->session->stepper->eval, h->session->system, &h->frame, h->response, moved);
        for (int j = 0; j <= k; j++)
            mobility[place[j][k]] = moved[j];
    }
    tn_principal_axes(moments, axes, mobility);
    double softest = fmax(moments[0], fmax(moments[1], moments[2]));
    if (!(softest > 0))
        return tn_fail(h->session->context, TN_ERROR_ARGUMENT, TN_NOWHERE, "the point cannot move at all");
    memset(mass, 0, 6 * sizeof(double));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                mass[place[i][j]] += axes[i][k] * axes[j][k] / fmax(moments[k], STIFFEST * softest);
    return TN_OK;
}

/* ---- pulling ---- */

/* The pull there is, when it is at the same point of the same body. */
static tn_sys_force *same_pull(const tn_session *s, const tn_pull *pull)
{
    tn_id id = tn_model_find(s->model, NAME);
    if (id.kind != TN_KIND_FORCE || s->system->force_of[id.index] < 0)
        return NULL;
    const tn_force *force = &s->model->forces[id.index];
    bool same = force->body2 == pull->body.index && memcmp(force->frame2.p, pull->at, sizeof pull->at) == 0;
    return same ? &s->system->forces[s->system->force_of[id.index]] : NULL;
}

static int add_pull(tn_model *model, const tn_pull *pull, const double mass[6])
{
    static const char *const names[] = { "mass.xx", "mass.yy", "mass.zz", "mass.xy", "mass.xz", "mass.yz" };
    static const char *const starts[] = { "start.x", "start.y", "start.z" };
    tn_force_def def = tn_force_default("pull");
    tn_id old = tn_model_find(model, NAME);
    def.body2 = pull->body;
    tn_copy3(def.frame2.p, pull->at);
    for (int k = 0; k < 6; k++)
        def.settings[def.setting_count++] = (tn_setting){ names[k], mass[k] };
    for (int k = 0; k < 3; k++)
        def.settings[def.setting_count++] = (tn_setting){ starts[k], pull->target[k] };
    if (pull->omega > 0)
        def.settings[def.setting_count++] = (tn_setting){ "omega", pull->omega };
    if (pull->cap > 0)
        def.settings[def.setting_count++] = (tn_setting){ "cap", pull->cap };
    if (old.kind == TN_KIND_FORCE && strcmp(model->forces[old.index].type->name, "pull") == 0)
        TN_TRY(tn_model_remove(model, old));
    return tn_model_add_force(NULL, model, NAME, &def);
}

int tn_pull_carry(tn_model *to, const tn_model *from)
{
    tn_id old = tn_model_find(from, NAME);
    const tn_force *force = old.kind == TN_KIND_FORCE ? &from->forces[old.index] : NULL;
    if (!force || strcmp(force->type->name, "pull") != 0)
        return TN_OK;
    tn_id body = tn_model_find(to, from->bodies[force->body2].entity.name);
    tn_force_def def = tn_force_default("pull");
    if (body.kind != TN_KIND_BODY)
        return TN_OK;
    def.body2 = body;
    def.frame2 = force->frame2;
    for (size_t k = 0; k < tn_force_parameter_count(force->type); k++)
        def.settings[def.setting_count++] = (tn_setting){ force->type->parameters[k].name, force->parameters[k] };
    TN_TRY(tn_model_add_force(NULL, to, NAME, &def));
    return tn_model_align(to, from);
}

static int begin_pull(tn_session *s, const tn_pull *pull, tn_arena *arena)
{
    handle h;
    double mass[6];
    tn_model *changed = NULL;
    tn_ack ack = { 0 };
    TN_TRY(open_handle(&h, s, pull->body, pull->at, arena));
    TN_TRY(hold(&h));
    TN_TRY(mass_at(&h, mass));
    TN_TRY(tn_session_copy_model(s, &changed));
    int code = add_pull(changed, pull, mass);
    if (code == TN_OK)
        code = tn_session_put_model(s, changed, &ack);
    if (code < 0)
        tn_model_destroy(changed);
    return code;
}

/* Only the target moves: three numbers of the state. */
static int move_target(tn_session *s, const tn_sys_force *force, const double target[3])
{
    tn_stepper *st = s->stepper;
    memcpy(st->y + s->system->positions + s->system->velocities + force->state, target, 3 * sizeof(double));
    s->eval_current = false;
    TN_TRY(tn_stepper_start(st, st->t, st->y, st->y + s->system->positions, st->memory));
    return tn_work_begin(s);
}

int tn_session_pull(tn_session *s, const tn_pull *pull)
{
    const tn_sys_force *there = same_pull(s, pull);
    tn_entry event = { .kind = TN_ENTRY_PULL, .pull = *pull, .body = tn_model_entity_name(s->model, pull->body) };
    if (there) {
        TN_TRY(tn_log_flush(s));
        TN_TRY(move_target(s, there, pull->target));
        return tn_log_nudged(s, &event);
    }
    TN_TRY(tn_log_prepare(s, &event));
    tn_arena *arena = tn_arena_create(s->context);
    int code = arena ? begin_pull(s, pull, arena) : TN_ERROR_MEMORY;
    tn_arena_destroy(arena);
    return tn_log_commit(s, code, true);
}

static int end_pull(tn_session *s)
{
    tn_model *changed = NULL;
    tn_ack ack = { 0 };
    TN_TRY(tn_session_copy_model(s, &changed));
    int code = tn_model_remove(changed, tn_model_find(changed, NAME));
    if (code == TN_OK)
        code = tn_session_put_model(s, changed, &ack);
    if (code < 0)
        tn_model_destroy(changed);
    return code;
}

int tn_session_release(tn_session *s)
{
    if (tn_model_find(s->model, NAME).kind != TN_KIND_FORCE)
        return TN_OK;
    TN_TRY(tn_log_prepare(s, &(tn_entry){ .kind = TN_ENTRY_RELEASE }));
    return tn_log_commit(s, end_pull(s), true);
}
