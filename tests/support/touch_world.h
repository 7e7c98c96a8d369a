/* Two bodies with a shape each, in contact, anywhere; and distances found in other ways than the library's. */
#ifndef TEST_TOUCH_WORLD_H
#define TEST_TOUCH_WORLD_H

#include "near.h"
#include "random.h"
#include "touch.h"
#include "vec.h"

typedef enum form { BALL, CAPSULE, BOX, HALF_SPACE, POLYGON, CYLINDER, CONE, TORUS, ELLIPSOID, FORMS } form;

typedef struct touch_world {
    tn_context *context;
    tn_model *model;
    tn_touches *touches;
    tn_shape_def shapes[2];
    double corners[2][15];
    tn_pose poses[3];          /* by slot: ground, first, second */
    const tn_touch *list;
    size_t count;
} touch_world;

static inline tn_pose random_place(uint32_t *seed, int dimension, double spread)
{
    tn_pose pose = tn_pose_identity();
    double phi[3];
    random_vector(seed, 3, spread, pose.p);
    random_vector(seed, 3, 3, phi);
    if (dimension == 2)
        pose.p[2] = phi[0] = phi[1] = 0;
    tn_quat_exp(pose.q, phi);
    return pose;
}

/* Five corners on an ellipse, going round one way or the other. */
static inline void random_corners(uint32_t *seed, double corners[15])
{
    double way = next_random(seed) % 2 ? 1 : -1, start = between(seed, 0, 1);
    for (int i = 0; i < 5; i++) {
        double angle = way * (start + 1.2566 * i + between(seed, -0.3, 0.3));
        corners[3 * i] = 0.6 * cos(angle) + 0.1;
        corners[3 * i + 1] = 0.4 * sin(angle);
        corners[3 * i + 2] = 0;
    }
}

static inline tn_shape_def random_shape(uint32_t *seed, int dimension, form kind, double corners[15])
{
    static const tn_shape_kind kinds[] = { TN_SHAPE_SPHERE, TN_SHAPE_CAPSULE, TN_SHAPE_BOX, TN_SHAPE_HALF_SPACE,
                                           TN_SHAPE_POLYGON, TN_SHAPE_CYLINDER, TN_SHAPE_CONE, TN_SHAPE_TORUS,
                                           TN_SHAPE_ELLIPSOID };
    tn_shape_def shape = tn_shape_default(kinds[kind]);
    for (int k = 0; k < 3; k++)
        shape.size[k] = between(seed, 0.2, 1);
    shape.pose = random_place(seed, dimension, 0.3);
    if (kind == BALL && dimension == 2 && next_random(seed) % 2)
        shape.kind = TN_SHAPE_CYLINDER;
    if (kind == CAPSULE && dimension == 2) {
        double angle = between(seed, -3, 3);
        shape.pose = tn_pose_z(shape.pose.p, (double[]){ cos(angle), sin(angle), 0 });
    }
    if (kind == TORUS)
        shape.size[1] = 0.4 * shape.size[0];
    if (kind == POLYGON) {
        random_corners(seed, corners);
        shape.vertices = corners;
        shape.vertex_count = 5;
    }
    return shape;
}

/* The shapes are set. */
static inline void open_world(touch_world *w, int dimension, double friction)
{
    tn_id ids[2];
    w->context = tn_context_create(NULL);
    assert_int_equal(tn_model_create(&w->model, w->context, dimension), TN_OK);
    for (int i = 0; i < 2; i++) {
        tn_body_def def = tn_body_default();
        def.mass = 1;
        for (int k = 0; k < 3; k++)
            def.inertia[k] = 1;
        def.shapes = &w->shapes[i];
        def.shape_count = 1;
        assert_int_equal(tn_model_add_body(&ids[i], w->model, i ? "second" : "first", &def), TN_OK);
    }
    const tn_contact_def contact = { .bodies = ids, .body_count = 2, .friction = friction };
    assert_int_equal(tn_model_add_contact(NULL, w->model, "touch", &contact), TN_OK);
    assert_int_equal(tn_touches_create(&w->touches, w->model), TN_OK);
    for (int i = 0; i < 3; i++)
        w->poses[i] = tn_pose_identity();
}

static inline void open_random(touch_world *w, uint32_t *seed, int dimension, form one, form two)
{
    w->shapes[0] = random_shape(seed, dimension, one, w->corners[0]);
    w->shapes[1] = random_shape(seed, dimension, two, w->corners[1]);
    open_world(w, dimension, 0);
}

static inline void close_world(touch_world *w)
{
    tn_touches_destroy(w->touches);
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
}

static inline void find_touches(touch_world *w, double margin)
{
    assert_int_equal(tn_touches_find(&w->list, &w->count, w->touches, w->poses, margin), TN_OK);
}

/* The touch with the smallest gap; NULL: there is none. */
static inline const tn_touch *nearest_touch(touch_world *w, double margin)
{
    const tn_touch *best = NULL;
    find_touches(w, margin);
    for (size_t i = 0; i < w->count; i++)
        if (!best || w->list[i].gap < best->gap)
            best = &w->list[i];
    return best;
}

/* ---- distances by minimisation ---- */

/* The polytope of a shape as c + sum u_k a_k, |u_k| <= 1. */
typedef struct brick {
    double c[3], a[3][3], radius;
    int count;
} brick;

static inline brick brick_of(const touch_world *w, int i, int dimension)
{
    const tn_shape_def *s = &w->shapes[i];
    tn_pose world = tn_pose_compose(&w->poses[1 + i], &s->pose);
    double R[3][3];
    brick b = { .radius = s->kind == TN_SHAPE_BOX ? 0 : s->size[0] };
    tn_quat_matrix(R, world.q);
    tn_copy3(b.c, world.p);
    b.count = s->kind == TN_SHAPE_BOX ? dimension : s->kind == TN_SHAPE_CAPSULE;
    for (int k = 0; k < b.count; k++)
        for (int j = 0; j < 3; j++)
            b.a[k][j] = (s->kind == TN_SHAPE_BOX ? s->size[k] : s->size[1]) / 2 * R[j][s->kind == TN_SHAPE_BOX ? k : 2];
    return b;
}

/* Distance of two bricks by descending along one coordinate after another; active: how many are at their bounds. */
static inline double brick_distance(const brick *one, const brick *two, int *active)
{
    double d[3], u[6] = { 0 }, axes[6][3];
    int n = one->count + two->count;
    tn_sub3(d, two->c, one->c);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            axes[i][k] = i < one->count ? -one->a[i][k] : two->a[i - one->count][k];
    for (int sweep = 0; sweep < 200000; sweep++) {
        double moved = 0;
        for (int i = 0; i < n; i++) {
            double old = u[i], to = old - tn_dot3(d, axes[i]) / tn_dot3(axes[i], axes[i]);
            u[i] = fmin(1, fmax(-1, to));
            tn_axpy3(d, u[i] - old, axes[i]);
            moved = fmax(moved, fabs(u[i] - old));
        }
        if (moved < 1e-15)
            break;
    }
    *active = 0;
    for (int i = 0; i < n; i++)
        *active += fabs(u[i]) == 1;
    return tn_norm3(d);
}

#endif
