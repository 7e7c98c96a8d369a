/* The present state of a session as start values of a model. An edit works on a copy of the model with these start
 * values; the model in use stays unchanged. */
#include <math.h>
#include <string.h>
#include "live.h"
#include "vec.h"

void tn_standing_body(tn_body *model, const tn_session *s, int b)
{
    const tn_sys_body *body = &s->system->bodies[b];
    const tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(s->system, body->source, &identity);
    const double *q = s->stepper->y + body->q;
    tn_frame_motion m;
    tn_frame_motion_of(s->stepper->eval, s->system, &frame, &m);
    tn_copy3(model->pose.p, m.p);
    tn_copy3(model->velocity, m.v);
    tn_copy3(model->angular_velocity, m.w);
    model->placed = true;
    model->given &= TN_GIVEN_AXIS;
    if (body->motion == TN_MOTION_PLANAR)
        model->pose = tn_pose_planar(m.p[0], m.p[1], q[2]);
    if (body->motion == TN_MOTION_SPATIAL) {
        tn_pose local = tn_pose_relative(&body->offset, &identity);
        tn_quat_mul(model->pose.q, q + 3, local.q);
        tn_quat_normalize(model->pose.q);
    }
}

/* Replaces "as built" parameters by the values that assembly found, and removes start conditions. "as built" in a new
 * command then means as built now. */
static void settle_joint(const tn_constraint *c, tn_joint *joint)
{
    for (int k = 0; k < TN_JOINT_PARAMETERS && joint->type->parameters[k].name; k++)
        joint->parameters[k] = c->parameters[k];
    for (int k = 0; k < TN_MAX_COORDINATES; k++)
        joint->start[k] = joint->start_rate[k] = NAN;
}

static void *copy_standing(tn_context *context, const void *table, size_t count, size_t size)
{
    void *out = tn_alloc(context, count, size);
    if (out && count > 0)
        memcpy(out, table, count * size);
    return out;
}

int tn_standing_of_model(tn_standing *out, const tn_model *m)
{
    *out = (tn_standing){ .bodies = copy_standing(m->context, m->bodies, m->body_count, sizeof *m->bodies),
                          .joints = copy_standing(m->context, m->joints, m->joint_count, sizeof *m->joints),
                          .forces = copy_standing(m->context, m->forces, m->force_count, sizeof *m->forces),
                          .body_count = m->body_count, .joint_count = m->joint_count, .force_count = m->force_count,
                          .solve = m->solve };
    if (out->bodies && out->joints && out->forces)
        return TN_OK;
    tn_standing_free(out, m->context);
    return TN_ERROR_MEMORY;
}

int tn_standing_take(tn_standing *out, const tn_session *s)
{
    const tn_system *sys = s->system;
    const tn_stepper *st = s->stepper;
    TN_TRY(tn_standing_of_model(out, s->model));
    out->solve = s->solve;
    tn_eval_motion(st->eval, sys, st->t, st->y, st->y + sys->positions);
    for (int b = 0; b < sys->body_count; b++)
        tn_standing_body(&out->bodies[sys->bodies[b].source], s, b);
    for (int i = 0; i < sys->own_constraints; i++)
        settle_joint(&sys->constraints[i], &out->joints[sys->constraints[i].source]);
    for (int k = 0; k < sys->states; k++)
        if (sys->state[k].decl >= 0)
            out->forces[sys->state[k].source].start[sys->state[k].decl] = st->y[sys->positions + sys->velocities + k];
    return TN_OK;
}

void tn_standing_free(tn_standing *standing, tn_context *context)
{
    tn_free(context, standing->bodies);
    tn_free(context, standing->joints);
    tn_free(context, standing->forces);
    *standing = (tn_standing){ 0 };
}

static void lay_body(tn_body *to, const tn_body *from)
{
    to->pose = from->pose;
    to->placed = from->placed;
    to->given = from->given;
    tn_copy3(to->velocity, from->velocity);
    tn_copy3(to->angular_velocity, from->angular_velocity);
}

void tn_standing_lay(const tn_standing *now, tn_model *to)
{
    to->condition_count = 0;
    to->solve = now->solve;
    for (size_t k = 1; k < now->body_count; k++)
        lay_body(&to->bodies[k], &now->bodies[k]);
    for (size_t k = 0; k < now->joint_count; k++) {
        memcpy(to->joints[k].parameters, now->joints[k].parameters, sizeof to->joints[k].parameters);
        memcpy(to->joints[k].start, now->joints[k].start, sizeof to->joints[k].start);
        memcpy(to->joints[k].start_rate, now->joints[k].start_rate, sizeof to->joints[k].start_rate);
    }
    for (size_t k = 0; k < now->force_count; k++)
        memcpy(to->forces[k].start, now->forces[k].start, sizeof to->forces[k].start);
}

void tn_standing_lay_motion(const tn_standing *now, const tn_model *m, tn_model *to)
{
    for (size_t k = 1; k < m->body_count && k < to->body_count; k++)
        if (tn_entity_same(&m->bodies[k].entity, &to->bodies[k].entity)) {
            bool placed = to->bodies[k].placed;
            lay_body(&to->bodies[k], &now->bodies[k]);
            to->bodies[k].placed = placed;
        }
    for (size_t k = 0; k < m->force_count && k < to->force_count; k++)
        if (tn_entity_same(&m->forces[k].entity, &to->forces[k].entity))
            memcpy(to->forces[k].start, now->forces[k].start, sizeof to->forces[k].start);
}

/* Compares changed with a view of the model in use that has the tables of now in place of its own. */
bool tn_standing_same(const tn_standing *now, const tn_model *changed, const tn_model *m)
{
    tn_model view = *m;
    view.bodies = now->bodies;
    view.joints = now->joints;
    view.forces = now->forces;
    view.solve = now->solve;
    return tn_model_same(changed, &view);
}
