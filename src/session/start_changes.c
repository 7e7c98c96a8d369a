/* The start values that assembly changed, and the joint coordinates that it chose for bodies without a pose. */
#include <math.h>
#include <string.h>
#include "elementary.h"
#include "session_parts.h"
#include "vec.h"

/* Smaller changes are round-off: relative, and absolute below 1 (m, rad or per second). */
static const double CHANGED = 1e-9;

typedef struct change_list {
    tn_session *s;
    tn_start_value *values;        /* in the session's arena; NULL: only count the changes */
    size_t count;
} change_list;

static void add_value(change_list *c, tn_id entity, const char *what, const char *unit, double given, double found)
{
    if (fabs(found - given) <= CHANGED * fmax(1, fabs(given)))
        return;
    if (c->values)
        c->values[c->count] = (tn_start_value){ entity, what, unit, given, found };
    c->count++;
}

static void add_vector(change_list *c, tn_id entity, const char *const names[], const char *unit, const double *given,
                       const double *found, int count)
{
    for (int k = 0; k < count; k++)
        add_value(c, entity, names[k], unit, given[k], found[k]);
}

/* Adds a changed rotation of a body's frame. A quaternion and its opposite are the same rotation. */
static void add_rotation(change_list *c, tn_id entity, const tn_body *body, const tn_sys_body *in, const double *q)
{
    static const char *const names[] = { "rotation.w", "rotation.x", "rotation.y", "rotation.z" };
    const tn_pose identity = tn_pose_identity();
    if (in->motion == TN_MOTION_PLANAR) {
        double turn = 2 * tn_atan2(in->offset.q[3], in->offset.q[0]), given = 2 * tn_atan2(body->pose.q[3], body->pose.q[0]);
        double found = q[in->q + 2] - turn, turns = 2 * tn_acos(-1) * round((found - given) / (2 * tn_acos(-1)));
        add_value(c, entity, "angle", "rad", given, found - turns);
    }
    if (in->motion != TN_MOTION_SPATIAL)
        return;
    tn_pose local = tn_pose_relative(&in->offset, &identity);
    double found[4], sign = 0;
    tn_quat_mul(found, q + in->q + 3, local.q);
    for (int k = 0; k < 4; k++)
        sign += found[k] * body->pose.q[k];
    for (int k = 0; k < 4; k++)
        found[k] = sign < 0 ? -found[k] : found[k];
    add_vector(c, entity, names, "", body->pose.q, found, 4);
}

static void add_body(change_list *c, int b)
{
    static const char *const places[] = { "position.x", "position.y", "position.z" };
    static const char *const speeds[] = { "velocity.x", "velocity.y", "velocity.z" };
    static const char *const spins[] = { "angular_velocity.x", "angular_velocity.y", "angular_velocity.z" };
    const tn_session *s = c->s;
    const tn_sys_body *in = &s->system->bodies[b];
    const tn_body *body = &s->model->bodies[in->source];
    const tn_pose identity = tn_pose_identity();
    tn_sys_frame frame = tn_system_frame(s->system, in->source, &identity);
    tn_id id = { .index = in->source, .generation = body->entity.generation, .kind = TN_KIND_BODY,
                 .owner = s->model->owner };
    tn_frame_motion m;
    tn_frame_motion_of(s->stepper->eval, s->system, &frame, &m);
    if (body->placed) {
        if (!body->place_free)
            add_vector(c, id, places, "m", body->pose.p, m.p, s->system->dimension);
        add_rotation(c, id, body, in, s->stepper->y);
    }
    if (body->given & TN_GIVEN_VELOCITY || tn_norm3(body->velocity) > 0)
        add_vector(c, id, speeds, "m/s", body->velocity, m.v, s->system->dimension);
    bool spins_given = body->given & TN_GIVEN_SPIN || tn_norm3(body->angular_velocity) > 0;
    if (spins_given && s->system->dimension == 2)
        add_value(c, id, "angular_velocity", "rad/s", body->angular_velocity[2], m.w[2]);
    else if (spins_given)
        add_vector(c, id, spins, "rad/s", body->angular_velocity, m.w, 3);
}

static bool is_unplaced(const tn_session *s, uint32_t body)
{
    return body != 0 && !s->model->bodies[body].placed && s->system->body_of[body] >= 0;
}

/* Adds the coordinates of a joint that determine the pose of a body without a given pose. */
static void add_joint(change_list *c, int constraint)
{
    const tn_session *s = c->s;
    const tn_joint *joint = tn_constraint_joint(s->system, constraint);
    double values[TN_MAX_COORDINATES];
    if (joint->type->joints != 0 || !(is_unplaced(s, joint->body1) || is_unplaced(s, joint->body2)))
        return;
    const tn_joint_form *form = tn_joint_form_of(s->model, joint->type);
    tn_eval_coordinates(s->stepper->eval, s->system, s->stepper->memory, constraint, 0, values);
    for (int k = 0; k < s->system->coordinates[constraint].count; k++) {
        if (!isnan(joint->start[k]) && !joint->guess)
            continue;
        if (c->values)
            c->values[c->count] = (tn_start_value){ tn_constraint_id(s->system, constraint), form->coordinates[k].name,
                                                    form->coordinates[k].unit, NAN, values[k] };
        c->count++;
    }
}

static void collect_changes(change_list *c)
{
    const tn_system *sys = c->s->system;
    c->count = 0;
    for (int b = 0; b < sys->body_count; b++)
        add_body(c, b);
    for (int i = 0; c->s->gap_count > 0 && i < sys->own_constraints; i++)
        add_joint(c, i);           /* without gaps assembly chose nothing */
}

int tn_start_changes(tn_session *s)
{
    const tn_stepper *st = s->stepper;
    change_list list = { .s = s };
    tn_eval_motion(st->eval, s->system, st->t, st->y, st->y + s->system->positions);
    collect_changes(&list);
    list.values = tn_arena_alloc(s->arena, list.count, sizeof *list.values);
    if (!list.values)
        return TN_ERROR_MEMORY;
    collect_changes(&list);
    s->start_values = list.values;
    s->start_value_count = list.count;
    return TN_OK;
}

size_t tn_session_start_value_count(const tn_session *s)
{
    return s->start_value_count;
}

tn_start_value tn_session_start_value(const tn_session *s, size_t index)
{
    return index < s->start_value_count ? s->start_values[index] : (tn_start_value){ .given = NAN, .found = NAN };
}
