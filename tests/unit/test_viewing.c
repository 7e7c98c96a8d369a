/* What viewers ask for: shapes, ends and glyphs of a model, poses of a session against closed forms. */
#include "read_model.h"
#include "tenon/session.h"
#include "vec.h"

static const char scene[] =
    "tenon: 1\n"
    "bodies:\n"
    "  ground: { frames: { base: { at: [1, 2, 3] } } }\n"
    "  arm:\n"
    "    shapes:\n"
    "      - { box: { size: [0.1, 0.2, 0.3], at: [1, 0, 0] }, density: 700 }\n"
    "      - { sphere: { radius: 5 cm } }\n"
    "    frames: { tip: { at: [0, 0, 0.5] } }\n"
    "  wheel: { mass: 1, inertia: [1, 1, 1] }\n"
    "joints:\n"
    "  shoulder: { type: revolute, between: [ground.base, arm] }\n"
    "  axle: { type: revolute, between: [arm.tip, wheel] }\n"
    "  mesh: { type: gear, joints: [shoulder, axle], ratio: 2 }\n"
    "forces:\n"
    "  band: { type: spring, between: [ground, arm.tip], stiffness: 10, length: 0.1 }\n";

static void assert_end(const tn_model *model, const tn_end *end, const char *body, const double p[3])
{
    assert_string_equal(tn_model_entity_name(model, end->body), body);
    for (int k = 0; k < 3; k++)
        assert_near(end->pose.p[k], p[k], 1e-15);
}

static void test_shapes(void **state)
{
    (void)state;
    reading r = accepted(scene);
    tn_id arm = tn_model_find(r.model, "arm");
    assert_int_equal(tn_model_shape_count(r.model, arm), 2);
    tn_shape_def box = tn_model_shape(r.model, arm, 0), ball = tn_model_shape(r.model, arm, 1);
    assert_int_equal(box.kind, TN_SHAPE_BOX);
    assert_near(box.size[2], 0.3, 1e-15);
    assert_near(box.pose.p[0], 1, 1e-15);
    assert_near(box.density, 700, 1e-12);
    assert_int_equal(ball.kind, TN_SHAPE_SPHERE);
    assert_near(ball.size[0], 0.05, 1e-15);
    assert_int_equal(tn_model_shape_count(r.model, tn_model_find(r.model, "wheel")), 0);
    assert_int_equal(tn_model_shape_count(r.model, tn_model_ground(r.model)), 0);
    assert_int_equal(tn_model_shape_count(r.model, tn_model_find(r.model, "axle")), 0);
    assert_int_equal(tn_model_remove(r.model, arm), TN_OK);
    assert_int_equal(tn_model_shape_count(r.model, arm), 0);
    done(&r);
}

static void test_meshes_are_the_models_own(void **state)
{
    (void)state;
    static const double vertices[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int triangles[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    reading r = accepted(scene);
    tn_shape_def mesh = tn_shape_default(TN_SHAPE_MESH);
    mesh.vertices = vertices;
    mesh.triangles = triangles;
    mesh.vertex_count = mesh.triangle_count = 4;
    mesh.mass = 1;
    tn_body_def def = tn_body_default();
    def.shapes = &mesh;
    def.shape_count = 1;
    tn_id body;
    assert_int_equal(tn_model_add_body(&body, r.model, "tetrahedron", &def), TN_OK);
    tn_shape_def kept = tn_model_shape(r.model, body, 0);
    assert_ptr_not_equal(kept.vertices, vertices);
    assert_memory_equal(kept.vertices, vertices, sizeof vertices);
    assert_memory_equal(kept.triangles, triangles, sizeof triangles);
    done(&r);
}

static void test_ends(void **state)
{
    (void)state;
    static const double base[3] = { 1, 2, 3 }, origin[3] = { 0, 0, 0 }, tip[3] = { 0, 0, 0.5 };
    reading r = accepted(scene);
    tn_end ends[2];
    assert_int_equal(tn_model_ends(ends, r.model, tn_model_find(r.model, "shoulder")), 2);
    assert_end(r.model, &ends[0], "ground", base);
    assert_end(r.model, &ends[1], "arm", origin);
    assert_int_equal(tn_model_ends(ends, r.model, tn_model_find(r.model, "band")), 2);
    assert_end(r.model, &ends[0], "ground", origin);
    assert_end(r.model, &ends[1], "arm", tip);
    assert_int_equal(tn_model_ends(ends, r.model, tn_model_find(r.model, "arm.tip")), 1);
    assert_end(r.model, &ends[0], "arm", tip);
    assert_int_equal(tn_model_ends(ends, r.model, tn_model_find(r.model, "mesh")), 0);
    assert_int_equal(tn_model_ends(ends, r.model, tn_model_find(r.model, "arm")), 0);
    tn_id axle = tn_model_find(r.model, "axle");
    assert_string_equal(tn_model_joint_glyph(r.model, axle), "hinge");
    assert_null(tn_model_joint_glyph(r.model, tn_model_find(r.model, "arm")));
    assert_int_equal(tn_model_remove(r.model, axle), TN_OK);
    assert_int_equal(tn_model_ends(ends, r.model, axle), TN_ERROR_STALE);
    assert_null(tn_model_joint_glyph(r.model, axle));
    done(&r);
}

/* Nothing acts: a ball (any axis is a principal one) turns with constant w, and its centre of mass goes straight on. */
static const char flying[] =
    "tenon: 1\n"
    "bodies:\n"
    "  ball:\n"
    "    mass: 2\n"
    "    com: [0.1, 0.2, -0.3]\n"
    "    inertia: [0.5, 0.5, 0.5]\n"
    "    position: [1, 0, 0]\n"
    "    rotation: { quaternion: [0.5, 0.5, 0.5, 0.5] }\n"
    "    velocity: [0.3, -0.2, 0.1]\n"
    "    angular_velocity: [1, 2, -0.5]\n"
    "  dot: { type: particle, mass: 1, position: [1, 2, 3], velocity: [0, 0, -1] }\n"
    "outputs: [ball.position, dot.position]\n"
    "solve: { until: 1, integrator: dop853, tolerance: 1e-13, record: 0.07 }\n";

static void ball_at(tn_pose *out, double t)
{
    static const double start[3] = { 1, 0, 0 }, turned[4] = { 0.5, 0.5, 0.5, 0.5 }, com[3] = { 0.1, 0.2, -0.3 };
    static const double velocity[3] = { 0.3, -0.2, 0.1 }, w[3] = { 1, 2, -0.5 };
    double arm[3], swing[3], angle[3], turn[4];
    tn_quat_rotate(arm, turned, com);
    tn_cross3(swing, w, arm);
    for (int k = 0; k < 3; k++)
        angle[k] = w[k] * t;
    tn_quat_exp(turn, angle);
    tn_quat_mul(out->q, turn, turned);
    tn_copy3(out->p, start);
    tn_add3(out->p, out->p, arm);
    tn_axpy3(out->p, t, velocity);
    tn_axpy3(out->p, t, swing);
    tn_quat_rotate(arm, out->q, com);
    tn_sub3(out->p, out->p, arm);
}

static const double dense = 1e-8;      /* of the integrator between its steps */

static void assert_ball(const tn_session *session, tn_id ball, double t)
{
    tn_pose pose, expected;
    assert_int_equal(tn_session_pose(&pose, session, ball), TN_OK);
    ball_at(&expected, t);
    double sign = pose.q[0] * expected.q[0] < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        assert_near(pose.p[k], expected.p[k], dense);
    for (int k = 0; k < 4; k++)
        assert_near(sign * pose.q[k], expected.q[k], dense);
}

typedef struct watch {
    tn_session *session;
    tn_id ball, dot;
    int samples;
} watch;

static void look(void *user, const double *values, size_t count)
{
    watch *w = user;
    tn_pose dot;
    assert_int_equal(count, 7);
    assert_near(values[0], 0.07 * w->samples, 1e-12);
    assert_ball(w->session, w->ball, values[0]);
    assert_int_equal(tn_session_pose(&dot, w->session, w->dot), TN_OK);
    assert_near(dot.p[2], 3 - values[0], dense);
    w->samples++;
}

static void test_poses_in_space(void **state)
{
    (void)state;
    reading r = accepted(flying);
    watch w = { .ball = tn_model_find(r.model, "ball"), .dot = tn_model_find(r.model, "dot") };
    assert_int_equal(tn_session_open(&w.session, r.model, NULL), TN_OK);
    assert_ball(w.session, w.ball, 0);
    tn_session_on_sample(w.session, look, &w);
    assert_int_equal(tn_session_run(w.session), TN_NEWS_END);
    assert_int_equal(w.samples, 15);
    assert_ball(w.session, w.ball, 1);
    tn_session_close(w.session);
    done(&r);
}

/* In the plane: the centre of mass rests and the body's frame circles about it. */
static void test_poses_in_the_plane(void **state)
{
    (void)state;
    reading r = accepted("tenon: 1\n"
                         "dimension: 2\n"
                         "bodies:\n"
                         "  bar: { mass: 1, com: [0.2, 0], inertia: 0.1, position: [-0.2, 0], velocity: [0, -0.6],\n"
                         "         angular_velocity: 3 }\n"
                         "  dot: { type: particle, mass: 1, position: [1, 2], velocity: [1, 0] }\n"
                         "solve: { until: 2, step: 1 ms, integrator: rk4 }\n");
    tn_session *session = NULL;
    tn_pose bar, dot, ground;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_run(session), TN_NEWS_END);
    assert_int_equal(tn_session_pose(&bar, session, tn_model_find(r.model, "bar")), TN_OK);
    assert_near(bar.p[0], -0.2 * cos(6), 1e-10);
    assert_near(bar.p[1], -0.2 * sin(6), 1e-10);
    assert_near(bar.q[0], cos(3), 1e-10);
    assert_near(bar.q[3], sin(3), 1e-10);
    assert_int_equal(tn_session_pose(&dot, session, tn_model_find(r.model, "dot")), TN_OK);
    assert_near(dot.p[0], 3, 1e-10);
    assert_near(dot.p[1], 2, 1e-10);
    assert_near(dot.p[2], 0, 0);
    assert_int_equal(tn_session_pose(&ground, session, tn_model_ground(r.model)), TN_OK);
    tn_pose identity = tn_pose_identity();
    assert_memory_equal(&ground, &identity, sizeof ground);
    tn_session_close(session);
    done(&r);
}

static void test_what_has_no_pose(void **state)
{
    (void)state;
    reading r = accepted(scene);
    tn_session *session = NULL;
    tn_pose pose;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_pose(&pose, session, tn_model_find(r.model, "axle")), TN_ERROR_ARGUMENT);
    must_say(&r, "'axle' is not a body");
    assert_int_equal(tn_session_pose(&pose, session, tn_model_find(r.model, "nobody")), TN_ERROR_STALE);
    tn_session_close(session);
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_meshes_are_the_models_own),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_poses_in_space),
        cmocka_unit_test(test_poses_in_the_plane),
        cmocka_unit_test(test_what_has_no_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
