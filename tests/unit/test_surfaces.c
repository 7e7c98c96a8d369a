/* Convex hulls, and touches of hulls, surfaces and round shapes: against the boxes that they are, against closed forms, and
 * in motion. */
#include "hull.h"
#include "read_model.h"
#include "touch_world.h"
#include "tenon/session.h"

/* ---- hulls ---- */

static double height_over(const double *points, const int *v, int i)
{
    double e[3], f[3], n[3], d[3];
    tn_sub3(e, &points[3 * v[1]], &points[3 * v[0]]);
    tn_sub3(f, &points[3 * v[2]], &points[3 * v[0]]);
    tn_cross3(n, e, f);
    tn_sub3(d, &points[3 * i], &points[3 * v[0]]);
    return tn_dot3(d, n) / tn_norm3(n);
}

/* No point lies outside a triangle, and every edge has two triangles, one each way. */
static void check_hull(const double *points, int count)
{
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_hull hull;
    assert_int_equal(tn_hull_find(&hull, context, arena, points, (size_t)count), TN_OK);
    assert_true(hull.triangle_count >= 4);
    for (size_t t = 0; t < hull.triangle_count; t++) {
        const int *v = &hull.triangles[3 * t];
        for (int i = 0; i < count; i++)
            assert_true(height_over(points, v, i) < 1e-9);
        for (int k = 0; k < 3; k++) {
            int back = 0;
            for (size_t u = 0; u < hull.triangle_count; u++)
                for (int j = 0; j < 3; j++)
                    back += hull.triangles[3 * u + (size_t)j] == v[(k + 1) % 3] &&
                            hull.triangles[3 * u + (size_t)(j + 1) % 3] == v[k];
            assert_int_equal(back, 1);
        }
    }
    tn_arena_destroy(arena);
    tn_context_destroy(context);
}

static void test_hulls(void **state)
{
    (void)state;
    uint32_t seed = 5;
    double points[3 * 200];
    for (int trial = 0; trial < 60; trial++) {
        int count = 4 + (int)(next_random(&seed) % 196);
        for (int i = 0; i < 3 * count; i++) {
            points[i] = between(&seed, -1, 1);
            if (trial % 3 == 1)
                points[i] = round(2 * points[i]) / 2;  /* a grid: many points in one plane, many twice */
        }
        for (int i = 0; i < count && trial % 3 == 2; i++) {
            double length = tn_norm3(&points[3 * i]);
            for (int k = 0; k < 3; k++)
                points[3 * i + k] /= length;
        }
        if (trial % 3 != 1 || count > 30)
            check_hull(points, count);
    }
}

static void test_no_hull(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_hull hull;
    const double flat[15] = { 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0.3, 0.2, 1 };
    const double line[12] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    const double twice[12] = { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 };
    assert_int_equal(tn_hull_find(&hull, context, arena, flat, 5), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_hull_find(&hull, context, arena, line, 4), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_hull_find(&hull, context, arena, twice, 4), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_hull_find(&hull, context, arena, flat, 3), TN_ERROR_ARGUMENT);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
}

/* ---- boxes by other names ---- */

static const int box_triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };

/* A box as a mesh; vertices has room for eight. */
static tn_shape_def as_mesh(const tn_shape_def *box, double *vertices, tn_mesh_touch touch)
{
    tn_shape_def mesh = tn_shape_default(TN_SHAPE_MESH);
    for (int i = 0; i < 24; i++)
        vertices[i] = (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) * box->size[i % 3];
    mesh.pose = box->pose;
    mesh.vertices = vertices;
    mesh.vertex_count = 8;
    mesh.triangles = box_triangles;
    mesh.triangle_count = 12;
    mesh.touch = touch;
    return mesh;
}

/* A box and its mesh have the same distance from another shape, wherever they are; where two of them overlap, which
 * features are deepest may differ. */
static void compare(form other, tn_mesh_touch touch, uint32_t *seed)
{
    touch_world w, m;
    double vertices[24];
    open_random(&w, seed, 3, BOX, other);
    m.shapes[0] = as_mesh(&w.shapes[0], vertices, touch);
    m.shapes[1] = w.shapes[1];
    open_world(&m, 3, 0);
    for (int i = 0; i < 60; i++) {
        w.poses[1] = m.poses[1] = random_place(seed, 3, 0.5);
        w.poses[2] = m.poses[2] = random_place(seed, 3, 1.5);
        const tn_touch *one = nearest_touch(&w, 1e3), *two = nearest_touch(&m, 1e3);
        double gap = one ? one->gap : NAN, same = two ? two->gap : NAN;
        if (gap > 0 && touch == TN_TOUCH_HULL)
            assert_near(same, gap, 1e-12);
        if (gap > 0 && touch == TN_TOUCH_SURFACE && other != BOX)
            assert_near(same, gap, 1e-12);
    }
    close_world(&w);
    close_world(&m);
}

/* Overlaps of a mesh are found, by its touches or without them, and no others are. both: the other box is a mesh, too. */
static void compare_overlaps(form other, bool both, uint32_t *seed)
{
    touch_world w, m;
    double vertices[2][24];
    open_random(&w, seed, 3, BOX, other);
    for (int k = 0; k < 2; k++)
        m.shapes[k] = k == 0 || both ? as_mesh(&w.shapes[k], vertices[k], TN_TOUCH_SURFACE) : w.shapes[k];
    open_world(&m, 3, 0);
    for (int i = 0; i < 60; i++) {
        const tn_touch *list;
        size_t count;
        w.poses[1] = m.poses[1] = random_place(seed, 3, 0.5);
        w.poses[2] = m.poses[2] = random_place(seed, 3, 0.5);
        const tn_touch *box = nearest_touch(&w, 1e3), *mesh = nearest_touch(&m, 0);
        bool told = mesh && mesh->gap < -1e-6;
        assert_int_equal(tn_touches_find_hidden(&list, &count, m.touches, m.poses, 1e-6, true), TN_OK);
        if (box && box->gap < -1e-3)
            assert_true(told || count > 0);
        if (box && box->gap <= 0)
            continue;
        assert_int_equal(count, 0);
        for (int k = 0; k < 2; k++) {                  /* what only may be over a triangle soon does not overlap now */
            mesh = nearest_touch(&m, k ? INFINITY : 0.1);
            assert_true(!mesh || mesh->gap > -1e-6);
        }
    }
    close_world(&w);
    close_world(&m);
}

static void test_hidden_overlaps(void **state)
{
    (void)state;
    uint32_t seed = 16;
    for (int k = 0; k < 40; k++) {
        for (form other = BALL; other <= HALF_SPACE; other++)
            compare_overlaps(other, false, &seed);
        compare_overlaps(BOX, true, &seed);
    }
}

static void test_boxes_by_other_names(void **state)
{
    (void)state;
    uint32_t seed = 6;
    for (form other = BALL; other <= HALF_SPACE; other++)
        for (int k = 0; k < 20; k++) {
            compare(other, TN_TOUCH_HULL, &seed);
            compare(other, TN_TOUCH_SURFACE, &seed);
        }
}

/* Time of the first impact of two boxes that fly and turn; INFINITY: they miss each other. mesh: both are meshes. */
static double first_impact(uint32_t seed, bool mesh)
{
    double vertices[2][24], time = INFINITY;
    tn_shape_def shapes[2], meshes[2];
    tn_context *context = tn_context_create(NULL);
    tn_model *model;
    tn_session *session;
    tn_id ids[2];
    assert_int_equal(tn_model_create(&model, context, 3), TN_OK);
    for (int i = 0; i < 2; i++) {
        tn_body_def def = tn_body_default();
        shapes[i] = tn_shape_default(TN_SHAPE_BOX);
        def.mass = 1;
        for (int k = 0; k < 3; k++) {
            shapes[i].size[k] = between(&seed, 0.05, 0.3);
            def.inertia[k] = 1;
            def.angular_velocity[k] = between(&seed, -7, 7);
        }
        meshes[i] = as_mesh(&shapes[i], vertices[i], TN_TOUCH_SURFACE);
        def.pose = random_place(&seed, 3, 0.05);
        def.placed = true;
        def.pose.p[2] += i ? 0.6 : 0;
        def.velocity[2] = i ? -3 : 0;
        def.shapes = mesh ? &meshes[i] : &shapes[i];
        def.shape_count = 1;
        assert_int_equal(tn_model_add_body(&ids[i], model, i ? "second" : "first", &def), TN_OK);
    }
    const tn_contact_def contact = { .bodies = ids, .body_count = 2 };
    assert_int_equal(tn_model_add_contact(NULL, model, "touch", &contact), TN_OK);
    assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
    for (int i = 1; i <= 40 && isinf(time); i++) {
        assert_int_equal(tn_session_advance(session, 0.01 * i), TN_OK);
        if (tn_session_impact_count(session) > 0)
            time = tn_session_impact(session, 0).time;
    }
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
    return time;
}

/* Meshes of boxes strike each other when the boxes do, wherever their edges and corners meet. */
static void test_thrown_meshes(void **state)
{
    (void)state;
    int met = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        double box = first_impact(seed, false), mesh = first_impact(seed, true);
        if (isfinite(box) || isfinite(mesh))
            assert_near(mesh, box, 1e-9);
        met += isfinite(box);
    }
    assert_true(met > 20);
}

/* A box that rests on the mesh of a larger one touches it with its four corners. */
static void test_resting_on_a_mesh(void **state)
{
    (void)state;
    double vertices[24];
    tn_shape_def table = tn_shape_default(TN_SHAPE_BOX), box = table;
    for (int k = 0; k < 3; k++) {
        table.size[k] = 2;
        box.size[k] = 0.5;
    }
    for (int touch = TN_TOUCH_SURFACE; touch <= TN_TOUCH_HULL; touch++) {
        touch_world w = { .shapes = { as_mesh(&table, vertices, (tn_mesh_touch)touch), box } };
        open_world(&w, 3, 0);
        w.poses[2] = tn_pose_z((double[]){ 0.1, 0.2, 1.25 }, (double[]){ 0, 0, 1 });
        find_touches(&w, 1e-6);
        assert_int_equal(w.count, 4);
        for (size_t i = 0; i < w.count; i++) {
            assert_near(w.list[i].gap, 0, 1e-12);
            assert_near(fabs(w.list[i].normal[2]), 1, 1e-12);
        }
        close_world(&w);
    }
}

/* ---- round shapes, by closed forms ---- */

/* A point in the coordinates of the first shape: along its axis, and away from it. */
static void seen_from(const touch_world *w, const double point[3], double *along, double *away)
{
    tn_pose world = tn_pose_compose(&w->poses[1], &w->shapes[0].pose);
    double R[3][3], d[3], own[3];
    tn_quat_matrix(R, world.q);
    tn_sub3(d, point, world.p);
    tn_mul33t(own, (const double (*)[3])R, d);
    *along = own[2];
    *away = hypot(own[0], own[1]);
}

/* Extent of the first shape from its centre towards a half-space with the normal n. */
static double extent(const touch_world *w, const double n[3])
{
    const tn_shape_def *s = &w->shapes[0];
    tn_pose world = tn_pose_compose(&w->poses[1], &s->pose);
    double R[3][3], c[3];
    tn_quat_matrix(R, world.q);
    tn_mul33t(c, (const double (*)[3])R, n);
    double across = hypot(c[0], c[1]), a = s->size[0], b = s->size[1];
    switch (s->kind) {
    case TN_SHAPE_CYLINDER: return a * across + b / 2 * fabs(c[2]);
    case TN_SHAPE_CONE: return fmax(a * across + b / 2 * c[2], -b / 2 * c[2]);
    case TN_SHAPE_TORUS: return a * across + b;
    default: return sqrt(a * a * c[0] * c[0] + b * b * c[1] * c[1] + s->size[2] * s->size[2] * c[2] * c[2]);
    }
}

static void test_round_on_half_spaces(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (form kind = CYLINDER; kind <= ELLIPSOID; kind++)
        for (int k = 0; k < 200; k++) {
            touch_world w;
            double R[3][3], n[3], d[3];
            open_random(&w, &seed, 3, kind, HALF_SPACE);
            w.poses[1] = random_place(&seed, 3, 2);
            w.poses[2] = random_place(&seed, 3, 0.5);
            tn_pose plane = tn_pose_compose(&w.poses[2], &w.shapes[1].pose);
            tn_pose centre = tn_pose_compose(&w.poses[1], &w.shapes[0].pose);
            tn_quat_matrix(R, plane.q);
            for (int i = 0; i < 3; i++)
                n[i] = R[i][2];
            tn_sub3(d, centre.p, plane.p);
            const tn_touch *touch = nearest_touch(&w, 1e3);
            assert_non_null(touch);
            assert_near(touch->gap, tn_dot3(d, n) - extent(&w, n), 1e-12);
            close_world(&w);
        }
}

static void test_balls_on_round_shapes(void **state)
{
    (void)state;
    uint32_t seed = 8;
    for (int k = 0; k < 400; k++) {
        form kind = k % 2 ? CYLINDER : TORUS;
        touch_world w;
        double along, away;
        open_random(&w, &seed, 3, kind, BALL);
        w.poses[1] = random_place(&seed, 3, 0.5);
        w.poses[2] = random_place(&seed, 3, 2);
        tn_pose ball = tn_pose_compose(&w.poses[2], &w.shapes[1].pose);
        seen_from(&w, ball.p, &along, &away);
        double a = w.shapes[0].size[0], b = w.shapes[0].size[1];
        double out = fmax(away - a, 0), beyond = fmax(fabs(along) - b / 2, 0);
        double distance = kind == TORUS ? hypot(away - a, along) - b : hypot(out, beyond);
        const tn_touch *touch = nearest_touch(&w, 1e3);
        if (distance > 0) {
            assert_non_null(touch);
            assert_near(touch->gap, distance - w.shapes[1].size[0], 1e-12);
        }
        close_world(&w);
    }
}

/* ---- motion ---- */

#define HEAD "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
#define BLOCK "  block: { shapes: [ { box: { size: [0.3, 0.2, 0.1] }, mass: 1 } ], position: [0.01, 0.02, 0.05], " \
              "velocity: [1, 0.3, 0], angular_velocity: [0, 0, 2] }\n" \
              "contacts: { floor: { between: [ground, block], friction: 0.2 } }\nsolve: { until: 0.4 s }\n"
#define HEIGHTS "[[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]"

/* Position of the block after 0.4 s. */
static void slide(double position[3], const char *text)
{
    reading r = read_string(text);
    tn_session *session;
    tn_pose pose;
    assert_int_equal(r.code, TN_OK);
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_advance(session, 0.4), TN_OK);
    assert_int_equal(tn_session_pose(&pose, session, tn_model_find(r.model, "block")), TN_OK);
    tn_copy3(position, pose.p);
    tn_session_close(session);
    done(&r);
}

/* Nothing catches on the edges within a flat floor: the block slides as on a plane. */
static void test_flat_ground(void **state)
{
    (void)state;
    double plane[3], field[3];
    slide(plane, HEAD "  ground: { shapes: [ { half_space: {} } ] }\n" BLOCK);
    slide(field, HEAD "  ground: { shapes: [ { height_field: { spacing: [0.3, 0.25], at: [-0.6, -0.5, 0], "
          "heights: " HEIGHTS " } } ] }\n" BLOCK);
    for (int k = 0; k < 3; k++)
        assert_near(field[k], plane[k], 1e-12);
}

/* A cylinder that rolls down a slope without sliding: acceleration 2/3 g sin(slope); on a half-space and on a box. */
static void test_rolling_cylinder(void **state)
{
    (void)state;
    static const char *const grounds[] = { "half_space: {}", "box: { size: [9, 9, 1], at: [0, 0, -0.5] }" };
    for (int k = 0; k < 2; k++) {
        char text[800];
        double position[3];
        snprintf(text, sizeof text, "tenon: 1\ngravity: [3, 0, -9]\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
                 "  block: { shapes: [ { cylinder: { radius: 0.1, length: 0.3, axis: y }, mass: 2 } ], "
                 "position: [0, 0, 0.1] }\ncontacts: { floor: { between: [ground, block], friction: 0.5 } }\n",
                 grounds[k]);
        slide(position, text);
        assert_near(position[0], 0.5 * 2.0 / 3 * 3 * 0.4 * 0.4, 1e-12);
        assert_near(position[1], 0, 1e-12);
        assert_near(position[2], 0.1, 1e-12);
    }
}

/* An ellipsoid with equal half axes moves like a ball, with and without friction: on edges, corners, round sides, rims, rings, other
 * ellipsoids and the triangles of a height field. */
static void test_round_ellipsoid(void **state)
{
    (void)state;
    static const char *const balls[] = { "sphere: { radius: 0.05 }", "ellipsoid: { half_axes: [0.05, 0.05, 0.05] }" };
    static const char *const grounds[][2] = {
        { "box: { size: [0.3, 2, 0.4], at: [0, 0, -0.2] }", "[0.1503, 0.02, 0.06]" },
        { "box: { size: [0.3, 0.3, 0.4], at: [0, 0, -0.2] }", "[0.16, 0.151, 0.06]" },
        { "cylinder: { radius: 0.2, length: 2, axis: y }", "[0.02, 0, 0.26]" },
        { "cylinder: { radius: 0.2, length: 1 }", "[0.21, 0, 0.56]" },
        { "cone: { radius: 0.3, length: 0.6 }", "[0.1, 0, 0.23]" },
        { "torus: { radius: 0.3, tube: 0.1 }", "[0.28, 0.02, 0.16]" },
        { "capsule: { radius: 0.2, length: 2, axis: [1, 0, 0.2] }", "[0.02, 0.01, 0.27]" },
        { "ellipsoid: { half_axes: [0.3, 0.2, 0.25] }", "[0.02, 0.01, 0.31]" },
        { "height_field: { spacing: [0.15, 0.15], heights: [[0.1, 0.1, 0.1, 0.1], [0.1, 0, 0.03, 0], [0.1, 0.03, 0, 0.01], "
          "[0.1, 0, 0.05, 0]] }", "[0.22, 0.2, 0.09]" },
    };
    for (size_t k = 0; k < TN_LENGTH(grounds) + 3; k++) {      /* the first three with friction, too: rolling takes its time */
        const char *const *ground = grounds[k % TN_LENGTH(grounds)];
        double position[2][3];
        for (int i = 0; i < 2; i++) {
            char text[900];
            snprintf(text, sizeof text, HEAD "  ground: { shapes: [ { %s } ] }\n"
                     "  block: { shapes: [ { %s, mass: 1 } ], position: %s, velocity: [0, 0.3, 0], angular_velocity: [1, 2, 3] }\n"
                     "contacts: { floor: { between: [ground, block], friction: %s, restitution: 0.4 } }\n"
                     "solve: { contact: event-driven }\n", ground[0], balls[i], ground[1], k < TN_LENGTH(grounds) ? "0" : "0.5");
            slide(position[i], text);
        }
        for (int i = 0; i < 3; i++)
            assert_near(position[1][i], position[0][i], 1e-6);
    }
}

/* ---- mistakes ---- */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct { const char *shape, *words; } cases[] = {
        { "hull: { points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]] }", "do not lie in one plane" },
        { "hull: { points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }", "four or more" },
        { "hull: { points: [[0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }", "points" },
        { "hull: {}", "a hull needs 'points'" },
        { "torus: { radius: 1, tube: 1 }", "must be smaller than its radius" },
        { "torus: { radius: 1 }", "a torus needs 'tube'" },
        { "ellipsoid: { half_axes: [1, 0, 1] }", "half_axes" },
        { "cone: { radius: 1 }", "a cone needs 'length', or 'from' and 'to'" },
        { "height_field: { spacing: [1, 1], heights: [[0, 1], [0]] }", "heights" },
        { "height_field: { spacing: [1, 1], heights: [[0, 1]] }", "two rows of two heights" },
        { "height_field: { spacing: [1, 0], heights: [[0, 1], [1, 1]] }", "spacing" },
        { "height_field: { heights: [[0, 1], [1, 1]] }", "needs 'spacing'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "tenon: 1\nbodies:\n  a: { mass: 1, inertia: [1, 1, 1], shapes: [ { %s } ] }\n",
                 cases[i].shape);
        refused(text, cases[i].words);
    }
    refused("tenon: 1\ndimension: 2\nbodies:\n  a: { mass: 1, inertia: 1, shapes: [ { hull: { points: [[0, 0, 0], "
            "[1, 0, 0], [0, 1, 0], [0, 0, 1]] } } ] }\n", "for spatial models");
}

/* Adds a body with the mesh of a box, its triangles changed; vertex 8 is in the middle of an edge. words NULL: it is accepted. */
static void refuse_mesh(const int *triangles, size_t count, const char *words)
{
    double vertices[27];
    tn_shape_def box = tn_shape_default(TN_SHAPE_BOX);
    box.size[0] = box.size[1] = box.size[2] = 1;
    tn_shape_def mesh = as_mesh(&box, vertices, TN_TOUCH_SURFACE);
    tn_context *context = tn_context_create(NULL);
    tn_model *model;
    tn_body_def def = tn_body_default();
    for (int k = 0; k < 3; k++)
        vertices[24 + k] = 0.5 * (vertices[3 * box_triangles[0] + k] + vertices[3 * box_triangles[1] + k]);
    mesh.vertex_count = 9;
    mesh.triangles = triangles;
    mesh.triangle_count = count;
    def.mass = 1;
    for (int k = 0; k < 3; k++)
        def.inertia[k] = 1;
    def.shapes = &mesh;
    def.shape_count = 1;
    assert_int_equal(tn_model_create(&model, context, 3), TN_OK);
    assert_int_equal(tn_model_add_body(NULL, model, "a", &def) < 0, words != NULL);
    bool said = !words;
    for (size_t i = 0; i < tn_diagnostics_count(context) && words; i++)
        said = said || strstr(tn_diagnostics_get(context, i)->message, words);
    assert_true(said);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    int triangles[39];
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++)
            triangles[3 * t + k] = box_triangles[3 * t + 2 - k];
    refuse_mesh(triangles, 12, "inside out");
    memcpy(triangles, box_triangles, 36 * sizeof *triangles);
    triangles[36] = box_triangles[0];                  /* without area, on an edge that has two triangles already */
    triangles[37] = box_triangles[1];
    triangles[38] = 8;
    refuse_mesh(triangles, 13, NULL);
    triangles[38] = box_triangles[11];
    refuse_mesh(triangles, 13, "more than two triangles");
    triangles[0] = box_triangles[1];
    triangles[1] = box_triangles[0];
    refuse_mesh(triangles, 12, "oriented against each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hulls),
        cmocka_unit_test(test_no_hull),
        cmocka_unit_test(test_boxes_by_other_names),
        cmocka_unit_test(test_hidden_overlaps),
        cmocka_unit_test(test_thrown_meshes),
        cmocka_unit_test(test_resting_on_a_mesh),
        cmocka_unit_test(test_round_on_half_spaces),
        cmocka_unit_test(test_balls_on_round_shapes),
        cmocka_unit_test(test_flat_ground),
        cmocka_unit_test(test_rolling_cylinder), cmocka_unit_test(test_round_ellipsoid),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_bad_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
