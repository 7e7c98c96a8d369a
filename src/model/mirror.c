/* The mirror image of a subsystem: of every motion of what is in it, the mirrored motion is one of the image.
 *
 * With S the reflection (in the subsystem's frame or in the world), points become S p and velocities S v; angular
 * velocities and torques, which turn, -S w. A frame with axes R has the image S R, which is left-handed; as a pose it
 * gets one axis turned round, S R F, where F reverses the axis that fits:
 *     bodies, named frames, subsystems    F = S: the same axis, so that numbers in their frames change in one place
 *     shapes                              F = x: boxes and round shapes do not notice, others get their points turned
 *     ends of joints and forces           F = y, and they are marked: their equations see S R itself, with cross
 *                                         products and angular velocities reversed (tn_scope)
 * So equations, coordinates, parameters, limits, drives and starts of joints keep their values: an angle is counted the
 * other way round in the world. Forces alike; only components along the world's axes are mirrored as numbers. */
#include "check.h"
#include "diag.h"
#include "tables.h"
#include "vec.h"

#include <stdio.h>

/* Entries of a reflection that are round-off. */
static const double NOTHING = 1e-14;

typedef struct mirror {
    tn_model *model;
    const char *path;
    tn_pose world;             /* the subsystem's frame */
    int axis;                  /* of it */
    double normal[3];          /* the same in the world */
} mirror;

/* ---- geometry ---- */

/* S_left R S_right, S reversing one axis: (S R S) is R with its turn reversed but for that axis, and S_left S_right is
 * half a turn about the third. */
static tn_pose reflect(const tn_pose *pose, int left, int right)
{
    tn_pose image = *pose;
    image.p[left] = -image.p[left];
    for (int k = 0; k < 3; k++)
        image.q[1 + k] = k == left ? pose->q[1 + k] : -pose->q[1 + k];
    if (left != right) {
        double half[4] = { 0 }, q[4];
        half[1 + 3 - left - right] = 1;
        tn_quat_mul(q, image.q, half);
        memcpy(image.q, q, sizeof q);
    }
    return image;
}

/* The same of a pose in the world. */
static tn_pose reflect_in_world(const mirror *m, const tn_pose *pose, int right)
{
    tn_pose inside = tn_pose_relative(&m->world, pose);
    inside = reflect(&inside, m->axis, right);
    return tn_pose_compose(&m->world, &inside);
}

static void reflect_vector(const mirror *m, double v[3])
{
    tn_axpy3(v, -2 * tn_dot3(m->normal, v), m->normal);
}

static void reverse(double v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] = -v[k];
}

/* ---- bodies ---- */

/* Counter-clockwise stays so. */
static void turn_triangles(tn_shape *shape)
{
    for (size_t i = 0; i < shape->triangle_count; i++) {
        int second = shape->triangles[3 * i + 1];
        shape->triangles[3 * i + 1] = shape->triangles[3 * i + 2];
        shape->triangles[3 * i + 2] = second;
    }
}

static void turn_corners(tn_shape *shape)
{
    for (size_t i = 0; i < shape->vertex_count / 2; i++) {
        double kept[3], *one = shape->vertices + 3 * i, *other = shape->vertices + 3 * (shape->vertex_count - 1 - i);
        tn_copy3(kept, one);
        tn_copy3(one, other);
        tn_copy3(other, kept);
    }
}

static void mirror_shape(const mirror *m, tn_shape *shape)
{
    shape->pose = reflect(&shape->pose, m->axis, 0);
    for (size_t i = 0; i < shape->vertex_count; i++)
        shape->vertices[3 * i] = -shape->vertices[3 * i];
    if (shape->kind == TN_SHAPE_MESH)
        turn_triangles(shape);
    else if (shape->kind == TN_SHAPE_POLYGON)
        turn_corners(shape);
}

static void mirror_body(const mirror *m, tn_body *body)
{
    static const int pairs[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };   /* xy, xz, yz */
    body->pose = reflect_in_world(m, &body->pose, m->axis);
    body->com[m->axis] = -body->com[m->axis];
    for (int k = 0; k < 3; k++)
        if (pairs[k][0] == m->axis || pairs[k][1] == m->axis)
            body->inertia[3 + k] = -body->inertia[3 + k];
    reflect_vector(m, body->velocity);
    reflect_vector(m, body->angular_velocity);
    reverse(body->angular_velocity);
    for (size_t k = 0; k < body->shape_count; k++)
        mirror_shape(m, &body->shapes[k]);
    for (size_t k = 0; k < body->look_count; k++)
        mirror_shape(m, &body->looks[k]);
}

/* A frame of ground is in the world. */
static tn_pose reflect_on(const mirror *m, uint32_t body, const tn_pose *pose, int right)
{
    return body == 0 ? reflect_in_world(m, pose, right) : reflect(pose, m->axis, right);
}

/* ---- joints and forces ---- */

enum { END_AXIS = 1 };         /* what mirrored ends reverse: y */

static void mirror_ends(const mirror *m, tn_entity *entity, const uint32_t bodies[2], tn_pose *frame1, tn_pose *frame2)
{
    *frame1 = reflect_on(m, bodies[0], frame1, END_AXIS);
    *frame2 = reflect_on(m, bodies[1], frame2, END_AXIS);
    entity->mirrored = !entity->mirrored;
}

/* A component along a world axis after mirroring: one of a sum of three terms, as text or as number. */
typedef struct component {
    double value;
    const tn_expression *text; /* NULL: the number counts */
} component;

/* "(-1) * (3 * t) + (0.5) * (2)" */
static const tn_expression *combine(const mirror *m, const component old[3], const double factors[3], int k)
{
    size_t size = 1, used = 0;
    for (int i = 0; i < 3; i++)
        size += (old[i].text ? strlen(old[i].text->text) : 0) + 80;
    char *text = tn_arena_alloc(m->model->arena, size, 1);
    tn_expression *made = tn_arena_alloc(m->model->arena, 1, sizeof *made);
    if (!text || !made)
        return NULL;
    *made = (tn_expression){ .text = text };
    for (int i = 0; i < 3; i++) {
        if (fabs(factors[i]) < NOTHING || (!old[i].text && old[i].value == 0))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s(%.17g) * ", used > 0 ? " + " : "", factors[i]);
        used += old[i].text ? (size_t)snprintf(text + used, size - used, "(%s)", old[i].text->text)
                            : (size_t)snprintf(text + used, size - used, "(%.17g)", old[i].value);
        if (old[i].text && (made->span.line == 0 || i == k)) {
            made->name = old[i].text->name;
            made->span = old[i].text->span;
        }
    }
    if (used == 0)
        snprintf(text, size, "0");
    return made;
}

/* Components along the world's axes: S v. A torque is reversed by its equation. */
static int mirror_components(const mirror *m, tn_force *force)
{
    component old[3];
    bool texts = false;
    for (int k = 0; k < 3; k++) {
        old[k] = (component){ force->parameters[k], force->expressions ? force->expressions[k] : NULL };
        texts |= old[k].text != NULL;
    }
    for (int k = 0; k < 3; k++) {
        double factors[3];
        for (int i = 0; i < 3; i++)
            factors[i] = (i == k) - 2 * m->normal[i] * m->normal[k];
        force->parameters[k] = factors[0] * old[0].value + factors[1] * old[1].value + factors[2] * old[2].value;
        if (texts && !(force->expressions[k] = combine(m, old, factors, k)))
            return TN_ERROR_MEMORY;
    }
    return TN_OK;
}

static int mirror_force(const mirror *m, tn_force *force)
{
    const uint32_t bodies[2] = { force->body1, force->body2 };
    if (force->type->place != TN_PLACE_FRAMES)
        return TN_OK;
    mirror_ends(m, &force->entity, bodies, &force->frame1, &force->frame2);
    return force->type->world_axes ? mirror_components(m, force) : TN_OK;
}

/* ---- all of it ---- */

static int check_mirror(const mirror *m, tn_id subsystem, char axis)
{
    tn_context *context = m->model->context;
    const tn_span span = tn_model_entity_span(m->model, subsystem);
    if (m->axis < 0 || m->axis >= m->model->dimension)
        return tn_fail(context, TN_ERROR_ARGUMENT, span, "subsystem '%s': it cannot be mirrored along '%c': %s",
                       m->path, axis, m->model->dimension == 2 ? "x or y" : "x, y or z");
    for (size_t k = 0; k < m->model->subsystem_count; k++) {
        const tn_subsystem *other = &m->model->subsystems[k];
        if (other->entity.alive && other->type && tn_path_inside(other->entity.name, m->path))
            return tn_fail(context, TN_ERROR_MODEL, span, "subsystem '%s': the component '%s' has no mirror image: "
                           "compile a file that uses the mirrored subsystem, and use that", m->path,
                           other->entity.name);
    }
    return TN_OK;
}

static void mirror_frames(const mirror *m)
{
    tn_model *model = m->model;
    for (size_t k = 0; k < model->frame_count; k++)
        if (model->frames[k].entity.alive && tn_table_inside(model, TN_KIND_FRAME, k, m->path))
            model->frames[k].pose = reflect_on(m, model->frames[k].body, &model->frames[k].pose, m->axis);
}

static void mirror_subsystems(const mirror *m)
{
    for (size_t k = 0; k < m->model->subsystem_count; k++) {
        tn_subsystem *other = &m->model->subsystems[k];
        if (!other->entity.alive || !tn_path_inside(other->entity.name, m->path) ||
            strcmp(other->entity.name, m->path) == 0)
            continue;
        other->pose = reflect(&other->pose, m->axis, m->axis);
        other->world = reflect_in_world(m, &other->world, m->axis);
    }
}

static int mirror_all(const mirror *m)
{
    tn_model *model = m->model;
    for (size_t k = 1; k < model->body_count; k++)
        if (model->bodies[k].entity.alive && tn_path_inside(model->bodies[k].entity.name, m->path))
            mirror_body(m, &model->bodies[k]);
    for (size_t k = 0; k < model->joint_count; k++) {
        tn_joint *joint = &model->joints[k];
        const uint32_t bodies[2] = { joint->body1, joint->body2 };
        if (joint->entity.alive && joint->type->joints == 0 && tn_path_inside(joint->entity.name, m->path))
            mirror_ends(m, &joint->entity, bodies, &joint->frame1, &joint->frame2);
    }
    mirror_frames(m);
    mirror_subsystems(m);
    for (size_t k = 0; k < model->force_count; k++)
        if (model->forces[k].entity.alive && tn_path_inside(model->forces[k].entity.name, m->path))
            TN_TRY(mirror_force(m, &model->forces[k]));
    return TN_OK;
}

static void find_normal(const tn_pose *world, int axis, double normal[3])
{
    double R[3][3];
    tn_quat_matrix(R, world->q);
    for (int k = 0; k < 3; k++)
        normal[k] = R[k][axis];
}

int tn_model_mirror(tn_model *model, tn_id id, char axis)
{
    if (id.kind != TN_KIND_SUBSYSTEM || !tn_model_entity(model, id))
        return tn_fail(model->context, TN_ERROR_STALE, TN_NOWHERE, "the subsystem is gone");
    tn_subsystem *subsystem = &model->subsystems[id.index];
    mirror m = { .model = model, .path = subsystem->entity.name, .world = subsystem->world, .axis = axis - 'x' };
    TN_TRY(check_mirror(&m, id, axis));
    find_normal(&m.world, m.axis, m.normal);
    subsystem->mirror = subsystem->mirror == axis ? 0 : axis;
    return mirror_all(&m);
}

bool tn_model_mirrored(const tn_model *model, tn_id id)
{
    const tn_entity *entity = tn_model_entity(model, id);
    return entity && entity->mirrored;
}

size_t tn_model_mirror_around(const tn_model *model, size_t after, const char *path, const char *other,
                              double normal[3])
{
    for (size_t k = after + 1; k < model->subsystem_count; k++) {
        const tn_subsystem *subsystem = &model->subsystems[k];
        if (!subsystem->entity.alive || !subsystem->mirror || !tn_path_inside(path, subsystem->entity.name) ||
            !tn_path_inside(other, subsystem->entity.name))
            continue;
        find_normal(&subsystem->world, subsystem->mirror - 'x', normal);
        return k;
    }
    return SIZE_MAX;
}
