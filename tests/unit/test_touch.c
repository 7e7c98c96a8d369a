/* Touches against distances found by minimisation, under motion, exchange and in degenerate positions. */
#include "alloc.h"
#include "touch_world.h"
#include <string.h>

enum { POSES = 150 };
static const double FAR = 1e3;         /* m: a margin that leaves nothing out */
static const double EXACT = 1e-9;      /* m */

/* ---- distances ---- */

static double plane_distance(const touch_world *w, int plane, int dimension)
{
    const tn_shape_def *s = &w->shapes[plane];
    tn_pose world = tn_pose_compose(&w->poses[1 + plane], &s->pose);
    brick b = brick_of(w, 1 - plane, dimension);
    double R[3][3], d[3], n[3];
    tn_quat_matrix(R, world.q);
    for (int k = 0; k < 3; k++)
        n[k] = R[k][dimension - 1];
    tn_sub3(d, b.c, world.p);
    double distance = tn_dot3(d, n) - b.radius;
    for (int k = 0; k < b.count; k++)
        distance -= fabs(tn_dot3(b.a[k], n));
    return distance;
}

/* Distance of the shapes, NaN where they overlap beyond their rounding; sharp: no rounding, and the nearest features
 * are no pair of faces and corners or of edges (which nothing touches with before it is too late). */
static double true_distance(const touch_world *w, int dimension, bool *sharp)
{
    int active;
    *sharp = false;
    for (int i = 0; i < 2; i++)
        if (w->shapes[i].kind == TN_SHAPE_HALF_SPACE)
            return plane_distance(w, i, dimension);
    brick one = brick_of(w, 0, dimension), two = brick_of(w, 1, dimension);
    double distance = brick_distance(&one, &two, &active);
    *sharp = one.radius + two.radius == 0 && active != dimension + 1;
    return distance < 1e-7 ? NAN : distance - one.radius - two.radius;
}

static void compare_distance(touch_world *w, uint32_t *seed, int dimension)
{
    for (int i = 0; i < POSES; i++) {
        bool sharp;
        w->poses[1] = random_place(seed, dimension, 0.5);
        w->poses[2] = random_place(seed, dimension, 1.5);
        double distance = true_distance(w, dimension, &sharp);
        const tn_touch *touch = nearest_touch(w, FAR);
        if (isnan(distance))
            continue;
        if (sharp && touch)
            assert_true(touch->gap > distance - EXACT);
        if (!sharp) {
            assert_non_null(touch);
            assert_near(touch->gap, distance, EXACT);
        }
    }
}

static void test_gap_is_the_distance(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one <= HALF_SPACE; one++)
            for (form two = BALL; two <= HALF_SPACE; two++)
                for (int k = 0; k < 4 && !(one == HALF_SPACE && two == HALF_SPACE); k++) {
                    touch_world w;
                    open_random(&w, &seed, dimension, one, two);
                    compare_distance(&w, &seed, dimension);
                    close_world(&w);
                }
}

/* Of two polygons that are apart: over all corners and sides. */
static double corner_distance(const tn_pose *a, const double *va, const tn_pose *b, const double *vb, bool *corner)
{
    double best = INFINITY;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            double p[3], q0[3], q1[3], e[3], d[3];
            tn_quat_rotate(p, a->q, &va[3 * i]);
            tn_add3(p, p, a->p);
            tn_quat_rotate(q0, b->q, &vb[3 * j]);
            tn_add3(q0, q0, b->p);
            tn_quat_rotate(q1, b->q, &vb[3 * ((j + 1) % 5)]);
            tn_add3(q1, q1, b->p);
            tn_sub3(e, q1, q0);
            tn_sub3(d, p, q0);
            double s = fmin(1, fmax(0, tn_dot3(d, e) / tn_dot3(e, e)));
            tn_axpy3(d, -s, e);
            if (tn_norm3(d) < best) {
                best = tn_norm3(d);
                *corner = s == 0 || s == 1;
            }
        }
    return best;
}

static void test_polygons(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (int k = 0; k < 400; k++) {
        touch_world w;
        open_random(&w, &seed, 2, POLYGON, POLYGON);
        w.poses[2].p[0] = 2.4;         /* their extents from their origins are at most 1.1 */
        w.poses[2] = random_place(&seed, 2, 0);
        w.poses[2].p[0] = 2.4;
        tn_pose a = w.shapes[0].pose, b = tn_pose_compose(&w.poses[2], &w.shapes[1].pose);
        bool corner1, corner2;
        double one = corner_distance(&a, w.corners[0], &b, w.corners[1], &corner1);
        double two = corner_distance(&b, w.corners[1], &a, w.corners[0], &corner2);
        const tn_touch *touch = nearest_touch(&w, FAR);
        if (!(one < two ? corner1 : corner2)) {
            assert_non_null(touch);
            assert_near(touch->gap, fmin(one, two), EXACT);
        }
        close_world(&w);
    }
}

/* Pushed together along the normal by a little more than the gap they overlap by just that. */
static void test_small_overlap(void **state)
{
    (void)state;
    uint32_t seed = 3;
    int exact = 0, all = 0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one <= HALF_SPACE; one++)
            for (form two = BALL; two <= HALF_SPACE; two++)
                for (int k = 0; k < 60 && !(one == HALF_SPACE && two == HALF_SPACE); k++) {
                    const double depth = 1e-5;
                    touch_world w;
                    open_random(&w, &seed, dimension, one, two);
                    w.poses[1] = random_place(&seed, dimension, 0.5);
                    w.poses[2] = random_place(&seed, dimension, 1.5);
                    bool sharp;
                    double distance = true_distance(&w, dimension, &sharp);
                    const tn_touch *touch = nearest_touch(&w, FAR);
                    if (!isnan(distance) && !sharp) {
                        double sign = touch->key.body1 == 1 ? -1 : 1;
                        tn_axpy3(w.poses[2].p, sign * (touch->gap + depth), touch->normal);
                        touch = nearest_touch(&w, 1e-3);
                        assert_non_null(touch);
                        assert_true(touch->gap > -depth - EXACT && touch->gap < EXACT);
                        exact += fabs(touch->gap + depth) < EXACT;
                        all++;
                    }
                    close_world(&w);
                }
    assert_true(all > 1000 && exact > 0.99 * all);
}

/* ---- motion and order ---- */

static void wiggle(touch_world *w, uint32_t *seed, int dimension, double size)
{
    for (int i = 1; i < 3; i++) {
        tn_pose step = random_place(seed, dimension, size);
        double phi[3];
        random_vector(seed, 3, size, phi);
        if (dimension == 2)
            phi[0] = phi[1] = 0;
        tn_quat_exp(step.q, phi);
        w->poses[i] = tn_pose_compose(&w->poses[i], &step);
    }
}

/* The same features give the same gap on their own path and among the candidates. */
static void test_moving_a_touch(void **state)
{
    (void)state;
    uint32_t seed = 4;
    int same = 0, all = 0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one <= BOX; one++)
            for (form two = BALL; two <= HALF_SPACE; two++)
                for (int k = 0; k < 40; k++) {
                    touch_world w;
                    open_random(&w, &seed, dimension, one, two);
                    w.poses[1] = random_place(&seed, dimension, 0.5);
                    w.poses[2] = random_place(&seed, dimension, 1.5);
                    const tn_touch *found = nearest_touch(&w, FAR);
                    tn_touch touch = found ? *found : (tn_touch){ 0 };
                    if (found) {
                        wiggle(&w, &seed, dimension, 1e-6);
                        tn_touch_move(&touch, dimension, &w.poses[touch.key.body1], &w.poses[touch.key.body2]);
                        found = nearest_touch(&w, FAR);
                        all++;
                        if (found && tn_touch_key_equal(&found->key, &touch.key)) {
                            same++;
                            assert_near(found->gap, touch.gap, EXACT);
                            for (int j = 0; j < 3; j++)
                                assert_near(found->normal[j], touch.normal[j], 1e-8);
                        }
                    }
                    close_world(&w);
                }
    assert_true(all > 500 && same > 0.99 * all);
}

static void test_exchanged_shapes(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one <= BOX; one++)
            for (form two = BALL; two <= BOX; two++)
                for (int k = 0; k < 40; k++) {
                    touch_world w, other;
                    open_random(&w, &seed, dimension, one, two);
                    other.shapes[0] = w.shapes[1];
                    other.shapes[1] = w.shapes[0];
                    open_world(&other, dimension, 0);
                    w.poses[1] = other.poses[2] = random_place(&seed, dimension, 0.5);
                    w.poses[2] = other.poses[1] = random_place(&seed, dimension, 1);
                    const tn_touch *touch = nearest_touch(&w, FAR), *again = nearest_touch(&other, FAR);
                    assert_int_equal(w.count, other.count);
                    if (touch) {
                        double along = tn_dot3(touch->normal, again->normal);
                        assert_near(touch->gap, again->gap, EXACT);
                        assert_near(fabs(along), 1, EXACT);
                    }
                    close_world(&w);
                    close_world(&other);
                }
}

/* ---- resting ---- */

static tn_shape_def box(double x, double y, double z)
{
    tn_shape_def shape = tn_shape_default(TN_SHAPE_BOX);
    shape.size[0] = x;
    shape.size[1] = y;
    shape.size[2] = z;
    return shape;
}

/* As many touches with a gap of about nothing, the same ones after small motions. */
static void check_rest(touch_world *w, int dimension, size_t expected)
{
    uint32_t seed = 6;
    find_touches(w, 1e-3);
    assert_int_equal(w->count, expected);
    tn_touch before[32];
    memcpy(before, w->list, w->count * sizeof *before);
    for (size_t i = 0; i < expected; i++)
        assert_near(before[i].gap, 0, 1e-12);
    tn_pose poses[3];
    memcpy(poses, w->poses, sizeof poses);
    for (int k = 0; k < 50; k++) {
        memcpy(w->poses, poses, sizeof poses);
        wiggle(w, &seed, dimension, 1e-10);
        find_touches(w, 1e-3);
        assert_int_equal(w->count, expected);
        for (size_t i = 0; i < expected; i++)
            assert_true(tn_touch_key_equal(&w->list[i].key, &before[i].key));
    }
    close_world(w);
}

static void rest_boxes(tn_shape_def below, tn_shape_def above, double height, double x, double y, double turn,
                       size_t expected)
{
    touch_world w = { .shapes = { below, above } };
    open_world(&w, 3, 0);
    w.poses[2].p[0] = x;
    w.poses[2].p[1] = y;
    w.poses[2].p[2] = height;
    tn_quat_exp(w.poses[2].q, (double[]){ 0, 0, turn });
    check_rest(&w, 3, expected);
}

static void test_resting_boxes(void **state)
{
    (void)state;
    rest_boxes(tn_shape_default(TN_SHAPE_HALF_SPACE), box(1, 0.6, 0.4), 0.2, 0.3, -0.7, 0.4, 4);
    rest_boxes(box(3, 3, 1), box(1, 0.6, 0.4), 0.7, 0.3, -0.2, 0.4, 4);        /* inside the lower face */
    rest_boxes(box(1, 0.6, 0.4), box(3, 3, 1), 0.7, 0.3, -0.2, 0.4, 4);        /* over the edges all round */
    rest_boxes(box(4, 0.5, 0.5), box(0.5, 4, 0.5), 0.5, 0, 0, 0, 4);           /* crossed planks: edges only */
    rest_boxes(box(1, 1, 1), box(1, 1, 1), 1, 0, 0, 0.7853981633974483, 8);    /* an octagon of crossing edges */
    rest_boxes(box(1, 1, 1), box(1, 1, 1), 1, 0.5, 0.25, 0.1, 4);              /* a corner each and two crossings */
}

/* Aligned: every corner is on a corner. */
static void test_stack(void **state)
{
    (void)state;
    rest_boxes(box(1, 1, 1), box(1, 1, 1), 1, 0, 0, 0, 8);
}

static void test_resting_in_the_plane(void **state)
{
    (void)state;
    touch_world w = { .shapes = { box(4, 1, 1), box(1, 0.5, 1) } };
    open_world(&w, 2, 0);
    w.poses[2].p[0] = 0.3;
    w.poses[2].p[1] = 0.75;
    check_rest(&w, 2, 2);
    w = (touch_world){ .shapes = { box(1, 1, 1), box(1, 0.5, 1) } };
    open_world(&w, 2, 0);
    w.poses[2].p[0] = 0.3;
    w.poses[2].p[1] = 0.75;
    check_rest(&w, 2, 2);
}

/* Two touches keep a capsule from rocking: on the floor, on a box, along another capsule. */
static void test_resting_capsules(void **state)
{
    (void)state;
    static const double radius = 0.2, length = 1;
    tn_shape_def capsule = tn_shape_default(TN_SHAPE_CAPSULE), floor = tn_shape_default(TN_SHAPE_HALF_SPACE);
    capsule.size[0] = radius;
    capsule.size[1] = length;
    capsule.pose = tn_pose_z((double[]){ 0, 0, 0 }, (double[]){ 1, 0, 0 });
    const tn_shape_def below[] = { floor, box(3, 3, 1), capsule };
    const double height[] = { radius, 0.5 + radius, 2 * radius };
    for (int k = 0; k < 3; k++) {
        touch_world w = { .shapes = { below[k], capsule } };
        open_world(&w, 3, 0);
        w.poses[2].p[0] = 0.3;
        w.poses[2].p[2] = height[k];
        check_rest(&w, 3, 2);
    }
}

/* ---- degenerate ---- */

static void test_never_not_a_number(void **state)
{
    (void)state;
    uint32_t seed = 8;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (form one = BALL; one < (dimension == 2 ? CYLINDER : FORMS); one++)
            for (form two = BALL; two < (dimension == 2 ? CYLINDER : FORMS); two++)
                for (int k = 0; k < 60 && !(one == HALF_SPACE && two == HALF_SPACE); k++) {
                    touch_world w;
                    w.shapes[0] = random_shape(&seed, dimension, one, w.corners[0]);
                    w.shapes[1] = random_shape(&seed, dimension, two, w.corners[1]);
                    if (k % 2)         /* coincident, those of a kind also in their directions */
                        tn_copy3(w.shapes[1].pose.p, w.shapes[0].pose.p);
                    if (one == two)
                        memcpy(w.shapes[1].pose.q, w.shapes[0].pose.q, sizeof w.shapes[1].pose.q);
                    open_world(&w, dimension, 0);
                    if (k % 3 == 0)    /* parallel, deep in each other */
                        random_vector(&seed, dimension, 0.2, w.poses[2].p);
                    const tn_touch *touch = nearest_touch(&w, FAR);
                    bool round = one >= CYLINDER || two >= CYLINDER;   /* those need not touch where they are deep */
                    assert_true(touch || round);
                    assert_true(k % 2 == 0 || k % 3 == 0 || one == POLYGON || two == POLYGON || round ||
                                touch->gap <= 0);
                    for (size_t i = 0; i < w.count; i++) {
                        assert_true(isfinite(w.list[i].gap));
                        assert_near(tn_norm3(w.list[i].normal), 1, 1e-12);
                        for (int j = 0; j < 3; j++)
                            assert_true(isfinite(w.list[i].point[j]) && isfinite(w.list[i].frame1.q[j]));
                    }
                    close_world(&w);
                }
}

/* ---- many ---- */

/* Balls in a row on a floor, each with each: as many touches as a look at every pair finds, in the order of bodies. */
static void test_many_balls(void **state)
{
    (void)state;
    enum { BALLS = 60 };
    uint32_t seed = 9;
    tn_context *context = tn_context_create(NULL);
    tn_model *model;
    tn_touches *touches;
    tn_id ids[BALLS + 1];
    tn_pose poses[BALLS + 1];
    assert_int_equal(tn_model_create(&model, context, 3), TN_OK);
    const tn_shape_def floor = tn_shape_default(TN_SHAPE_HALF_SPACE);
    assert_int_equal(tn_model_set_ground_shapes(model, &floor, 1), TN_OK);
    ids[0] = tn_model_ground(model);
    tn_shape_def ball = tn_shape_default(TN_SHAPE_SPHERE);
    ball.size[0] = 0.1;
    ball.mass = 1;
    tn_body_def def = tn_body_default();
    def.shapes = &ball;
    def.shape_count = 1;
    for (int i = 1; i <= BALLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        assert_int_equal(tn_model_add_body(&ids[i], model, name, &def), TN_OK);
    }
    const tn_contact_def contact = { .bodies = ids, .body_count = BALLS + 1 };
    assert_int_equal(tn_model_add_contact(NULL, model, "pile", &contact), TN_OK);
    assert_int_equal(tn_touches_create(&touches, model), TN_OK);
    assert_int_equal(tn_touches_pair_count(touches), BALLS * (BALLS + 1) / 2);
    assert_near(tn_touches_length(touches), 0.1, 0);
    for (int k = 0; k < 20; k++) {
        const tn_touch *list;
        size_t count, expected = 0;
        poses[0] = tn_pose_identity();
        for (int i = 1; i <= BALLS; i++)
            poses[i] = random_place(&seed, 3, 0.5);
        for (int i = 1; i <= BALLS; i++) {
            expected += poses[i].p[2] < 0.1 + 0.05;
            for (int j = 1; j < i; j++) {
                double d[3];
                tn_sub3(d, poses[i].p, poses[j].p);
                expected += tn_norm3(d) < 0.2 + 0.05;
            }
        }
        assert_int_equal(tn_touches_find(&list, &count, touches, poses, 0.05), TN_OK);
        assert_int_equal(count, expected);
        for (size_t i = 1; i < count; i++)
            assert_true(list[i].key.body1 > list[i - 1].key.body1 ||
                        (list[i].key.body1 == list[i - 1].key.body1 && list[i].key.body2 > list[i - 1].key.body2));
    }
    tn_touches_destroy(touches);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

/* Every allocation fails once; nothing is lost, and a search that has seen as many touches before takes none. */
static void test_memory_runs_out(void **state)
{
    (void)state;
    touch_world w = { .shapes = { box(1, 1, 1), box(1, 1, 1) } };
    open_world(&w, 3, 0);
    w.poses[2].p[2] = 1;
    test_alloc a = { 0 };
    tn_context *context = test_context(&a);
    tn_context *own = w.model->context;
    w.model->context = context;        /* touches take their memory from the model's context */
    int code = TN_ERROR_MEMORY;
    for (long n = 1; code == TN_ERROR_MEMORY; n++) {
        tn_touches *touches = NULL;
        long alive = a.alive;
        a.fail_at = a.calls + n;
        code = tn_touches_create(&touches, w.model);
        if (code == TN_OK) {
            code = tn_touches_find(&w.list, &w.count, touches, w.poses, 0.1);
            long calls = a.calls;
            if (code == TN_OK) {
                assert_int_equal(tn_touches_find(&w.list, &w.count, touches, w.poses, 0.1), TN_OK);
                assert_int_equal(w.count, 8);
                assert_int_equal(a.calls, calls);
            }
        }
        tn_touches_destroy(touches);
        assert_int_equal(a.alive, alive);
    }
    assert_int_equal(code, TN_OK);
    tn_context_destroy(context);
    w.model->context = own;
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_is_the_distance),
        cmocka_unit_test(test_polygons),
        cmocka_unit_test(test_small_overlap),
        cmocka_unit_test(test_moving_a_touch),
        cmocka_unit_test(test_exchanged_shapes),
        cmocka_unit_test(test_resting_boxes),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_resting_in_the_plane),
        cmocka_unit_test(test_resting_capsules),
        cmocka_unit_test(test_never_not_a_number),
        cmocka_unit_test(test_many_balls),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
