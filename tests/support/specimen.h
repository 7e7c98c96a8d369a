/* A joint type in a small model of random bodies, compiled: for tests that loop over all types. */
#ifndef TEST_SPECIMEN_H
#define TEST_SPECIMEN_H

#include "draft.h"
#include "near.h"
#include "random.h"
#include "system.h"
#include "vec.h"
#include <stdio.h>

enum { MOST = 192 };           /* positions, velocities, rows, remembered coordinates */

/* Which bodies: two of each joint's own, or a chain that begins or ends at ground. */
typedef enum layout { LAYOUT_FREE, LAYOUT_FROM_GROUND, LAYOUT_TO_GROUND, LAYOUTS } layout;

typedef struct specimen {
    const tn_joint_type *type;
    int dimension;
    layout layout;
    unsigned angles;           /* couplings: bit k set: term k is an angle, else a length */
    tn_pose whole;             /* where the whole model is put, ground frames and gravity included */
    uint32_t random;
    tn_context *context;
    tn_model *model;
    tn_system *system;
    tn_arena *arena;
    tn_eval *e;
    double t, q[MOST], v[MOST], memory[MOST];
    double direction[MOST];    /* of a difference */
} specimen;

static inline tn_pose random_pose(specimen *s, double spread, double turn)
{
    tn_pose pose = tn_pose_identity();
    double phi[3];
    random_vector(&s->random, 3, spread, pose.p);
    random_vector(&s->random, 3, turn, phi);
    if (s->dimension == 2)
        pose.p[2] = phi[0] = phi[1] = 0;
    tn_quat_exp(pose.q, phi);
    return pose;
}

/* Inertia of an ellipsoid with random axes: any of these can be a body. */
static inline void random_inertia(specimen *s, double mass, double inertia[6])
{
    static const int row[] = { 0, 1, 2, 0, 0, 1 }, column[] = { 0, 1, 2, 1, 2, 2 };
    double square[3], R[3][3];
    tn_pose axes = random_pose(s, 0, 2);
    tn_quat_matrix(R, axes.q);
    for (int k = 0; k < 3; k++)
        square[k] = between(&s->random, 0.05, 1);
    for (int n = 0; n < 6; n++) {
        inertia[n] = 0;
        for (int k = 0; k < 3; k++)
            inertia[n] += mass / 5 * (square[(k + 1) % 3] + square[(k + 2) % 3]) * R[row[n]][k] * R[column[n]][k];
    }
}

static inline tn_id add_random_body(specimen *s, int index, tn_pose *placed)
{
    char name[16];
    double v[3], w[3];
    tn_id id;
    tn_pose here = random_pose(s, 0.5, 1);
    tn_body_def def = tn_body_default();
    def.mass = between(&s->random, 0.5, 3);
    random_inertia(s, def.mass, def.inertia);
    random_vector(&s->random, s->dimension, 0.4, def.com);
    random_vector(&s->random, 3, 1, v);
    random_vector(&s->random, 3, 1, w);
    if (s->dimension == 2)
        v[2] = w[0] = w[1] = 0;
    tn_quat_rotate(def.velocity, s->whole.q, v);
    tn_quat_rotate(def.angular_velocity, s->whole.q, w);
    *placed = def.pose = tn_pose_compose(&s->whole, &here);
    def.placed = true;
    snprintf(name, sizeof name, "body%d", index);
    assert_int_equal(tn_model_add_body(&id, s->model, name, &def), TN_OK);
    return id;
}

static inline void set_parameters(const tn_joint_type *type, tn_joint_draft *draft)
{
    for (int k = 0; k < TN_JOINT_PARAMETERS && type->parameters[k].name; k++)
        if (isnan(type->parameters[k].initial) && !type->parameters[k].as_built)
            tn_joint_draft_set(draft, type->parameters[k].name, 0.6 + 0.1 * k);
}

/* The line of an eye passes through the circle, beside its centre: across the plane of the circle its equations are not defined. */
static inline bool is_eye(const char *type)
{
    return strcmp(type, "touch-eye") == 0 || strcmp(type, "stick-eye") == 0;
}

/* Joint number index on the bodies of the layout, with frames that are near each other but do not meet; axes that may
 * differ do, by about a right angle. */
static inline tn_id add_random_joint(specimen *s, const char *type, int index, int last, tn_id *ids, tn_pose *poses)
{
    int one = s->layout == LAYOUT_FREE ? 2 * index : index, two = one + 1;
    bool ground1 = s->layout == LAYOUT_FROM_GROUND && index == 0;
    bool ground2 = s->layout == LAYOUT_TO_GROUND && index == last;
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, type);
    tn_pose here = random_pose(s, 0.5, 1), apart = random_pose(s, 0.4, 0.7), ground = tn_pose_identity();
    if (is_eye(type))
        apart = tn_pose_compose(&(tn_pose){ { 0.9, 0, 0 }, { 1, 0, 0, 0 } }, &apart);
    else if (tn_model_joint_type(s->model, type)->axis2)
        apart = tn_pose_compose(&apart, &(tn_pose){ { 0, 0, 0 }, { sqrt(0.5), sqrt(0.5), 0, 0 } });
    tn_pose first = tn_pose_compose(&s->whole, &here), second = tn_pose_compose(&first, &apart);
    draft.def.body1 = ground1 ? tn_model_ground(s->model) : ids[one];
    draft.def.body2 = ground2 ? tn_model_ground(s->model) : ids[two];
    draft.def.frame1 = tn_pose_relative(ground1 ? &ground : &poses[one], &first);
    draft.def.frame2 = tn_pose_relative(ground2 ? &ground : &poses[two], &second);
    set_parameters(tn_model_joint_type(s->model, type), &draft);
    char name[16];
    tn_id id;
    snprintf(name, sizeof name, "joint%d", index);
    assert_int_equal(tn_model_add_joint(&id, s->model, name, &draft.def), TN_OK);
    return id;
}

static inline int add_coupling(specimen *s, const tn_id *joints, int count)
{
    tn_joint_draft draft;
    tn_joint_draft_begin(&draft, s->type->name);
    tn_id id;
    draft.def.term_count = (size_t)count;
    for (int k = 0; k < count; k++)
        draft.terms[k] = (tn_coupling_term){ joints[k], s->angles >> k & 1 ? "angle" : "position", 1 + 0.5 * k };
    set_parameters(s->type, &draft);
    return tn_model_add_joint(&id, s->model, "coupling", &draft.def);
}

static inline int build_joints(specimen *s)
{
    bool coupling = s->type->joints != 0;
    int count = !coupling ? 1 : s->type->joints < 0 ? 3 : s->type->joints;
    const char *type = !coupling ? s->type->name : s->dimension == 2 ? "pin-in-slot" : "cylindrical";
    int bodies = s->layout == LAYOUT_FREE ? 2 * count : count + 1;
    tn_id ids[2 * TN_MAX_COUPLED], joints[TN_MAX_COUPLED];
    tn_pose poses[2 * TN_MAX_COUPLED];
    for (int k = 0; k < bodies; k++)
        ids[k] = add_random_body(s, k, &poses[k]);
    for (int k = 0; k < count; k++)
        joints[k] = add_random_joint(s, type, k, count - 1, ids, poses);
    return coupling ? add_coupling(s, joints, count) : TN_OK;
}

/* The last accepted coordinates of the state. */
static inline void remember(specimen *s)
{
    memset(s->memory, 0, sizeof s->memory);
    tn_eval_motion(s->e, s->system, s->t, s->q, s->v);
    for (int i = 0; i < s->system->constraint_count; i++)
        if (s->system->coordinates[i].count > 0)
            tn_eval_coordinates(s->e, s->system, s->memory, i, 0, s->memory + s->system->coordinates[i].memory);
}

/* An empty model; dimension and whole are set. */
static inline void specimen_begin(specimen *s)
{
    static const double gravity[3] = { 1, -9, 0 };
    double turned[3];
    s->context = tn_context_create(NULL);
    assert_int_equal(tn_model_create(&s->model, s->context, s->dimension), TN_OK);
    tn_quat_rotate(turned, s->whole.q, gravity);
    tn_model_set_gravity(s->model, turned);
}

static inline int specimen_compile(specimen *s)
{
    int code = tn_system_create(&s->system, s->model);
    if (code != TN_OK)
        return code;
    s->arena = tn_arena_create(s->context);
    assert_int_equal(tn_eval_create(&s->e, s->system, s->arena, false), TN_OK);
    assert_true(s->system->positions <= MOST && s->system->memory <= MOST && s->system->rows <= MOST);
    assert_int_equal(tn_system_start(s->system, s->q, s->v), TN_OK);
    remember(s);
    return TN_OK;
}

/* Type, dimension, layout, angles, whole and random are set; own: a type the model does not know yet. TN_ERROR_MODEL: a
 * coupling that does not take these coordinates. */
static inline int specimen_open(specimen *s, bool own)
{
    specimen_begin(s);
    if (own)
        assert_int_equal(tn_model_add_joint_type(s->model, s->type), TN_OK);
    int code = build_joints(s);
    return code == TN_OK ? specimen_compile(s) : code;
}

static inline void specimen_close(specimen *s)
{
    if (s->arena)
        tn_arena_destroy(s->arena);
    tn_system_destroy(s->system);
    tn_model_destroy(s->model);
    tn_context_destroy(s->context);
}

/* Some state near the given one. */
static inline void random_state(specimen *s)
{
    double change[MOST];
    s->t = between(&s->random, 0, 2);
    assert_int_equal(tn_system_start(s->system, s->q, s->v), TN_OK);
    random_vector(&s->random, s->system->velocities, 0.3, change);
    tn_position_move(s->system, s->q, change, s->q);
    random_vector(&s->random, s->system->velocities, 1, s->v);
    remember(s);
}

/* A motion of all bodies as one rigid body: v = v0 + w x r. */
static inline void rigid_motion(specimen *s, double *v)
{
    double v0[3], w[3], turn[3];
    random_vector(&s->random, 3, 1, v0);
    random_vector(&s->random, 3, 1, w);
    if (s->dimension == 2)
        w[0] = w[1] = 0;
    for (int b = 0; b < s->system->body_count; b++) {
        const tn_sys_body *body = &s->system->bodies[b];
        double r[3] = { 0 };
        memcpy(r, s->q + body->q, (size_t)s->dimension * sizeof(double));
        tn_cross3(turn, w, r);
        for (int k = 0; k < s->dimension; k++)
            v[body->v + k] = v0[k] + turn[k];
        if (s->dimension == 2)
            v[body->v + 2] = w[2];
        else
            tn_copy3(v + body->v + 3, w);
    }
}

#endif
