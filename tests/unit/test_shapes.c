/* Mass properties of shapes against closed forms, and the small mathematics under them. */
#include "near.h"

#include "devices.h"
#include "entities.h"
#include "vec.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

const tn_joint_type *const tn_joint_types[] = { NULL };
const tn_force_type *const tn_force_types[] = { NULL };
const tn_device_family tn_device_families[] = { NULL };
const tn_domain *const tn_domains[] = { NULL };

static int set_up(void **state)
{
    *state = tn_context_create(NULL);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    tn_context_destroy(*state);
    return 0;
}

typedef struct mass_properties {
    double mass, com[3], inertia[6];
} mass_properties;

static mass_properties measure(tn_context *context, const tn_shape_def *shapes, size_t count)
{
    mass_properties p;
    tn_span nowhere = { 0 };
    int code = tn_shapes_mass(context, nowhere, "part", shapes, count, &p.mass, p.com, p.inertia);
    if (code < 0)
        print_error("%s\n", tn_diagnostics_get(context, 0)->message);
    assert_int_equal(code, TN_OK);
    return p;
}

static void assert_refused(tn_context *context, const tn_shape_def *shape, const char *text)
{
    mass_properties p;
    tn_span span = { "part.yaml", 7, 3 };
    tn_diagnostics_clear(context);
    assert_int_equal(tn_shapes_mass(context, span, "part", shape, 1, &p.mass, p.com, p.inertia), TN_ERROR_MODEL);
    assert_true(tn_diagnostics_count(context) > 0);
    const tn_diagnostic *d = tn_diagnostics_get(context, 0);
    if (!strstr(d->message, text) || !strstr(d->message, "body 'part'"))
        fail_msg("'%s' should say '%s'", d->message, text);
    assert_int_equal(d->span.line, 7);
}

static void assert_same(const mass_properties *a, const mass_properties *b, double tolerance)
{
    assert_near(a->mass, b->mass, tolerance);
    for (int k = 0; k < 3; k++)
        assert_near(a->com[k], b->com[k], tolerance);
    for (int k = 0; k < 6; k++)
        assert_near(a->inertia[k], b->inertia[k], tolerance);
}

static tn_shape_def sized(tn_shape_kind kind, double a, double b, double c)
{
    tn_shape_def shape = tn_shape_default(kind);
    shape.size[0] = a;
    shape.size[1] = b;
    shape.size[2] = c;
    return shape;
}

static void test_box(void **state)
{
    tn_shape_def box = sized(TN_SHAPE_BOX, 1, 2, 3);
    box.density = 4;
    mass_properties p = measure(*state, &box, 1);
    assert_near(p.mass, 24, 1e-13);
    assert_near(p.inertia[0], 24 * 13 / 12.0, 1e-13);
    assert_near(p.inertia[1], 24 * 10 / 12.0, 1e-13);
    assert_near(p.inertia[2], 24 * 5 / 12.0, 1e-13);
}

static void test_round_shapes(void **state)
{
    tn_shape_def cylinder = sized(TN_SHAPE_CYLINDER, 0.5, 2, NAN);
    cylinder.density = 3;
    mass_properties p = measure(*state, &cylinder, 1);
    assert_near(p.mass, 3 * pi * 0.25 * 2, 1e-13);
    assert_near(p.inertia[2], p.mass * 0.25 / 2, 1e-13);
    assert_near(p.inertia[0], p.mass * (0.25 / 4 + 4 / 12.0), 1e-13);

    tn_shape_def ball = sized(TN_SHAPE_SPHERE, 0.3, NAN, NAN);
    ball.mass = 5;
    p = measure(*state, &ball, 1);
    assert_near(p.mass, 5, 0);
    assert_near(p.inertia[1], 0.4 * 5 * 0.09, 1e-15);

    tn_shape_def rod = sized(TN_SHAPE_ROD, 0, 2, NAN);
    rod.mass = 3;
    p = measure(*state, &rod, 1);
    assert_near(p.inertia[0], 1, 1e-15);
    assert_near(p.inertia[2], 0, 0);
}

/* Cone, torus and round ellipsoid against the integral over rings between radii i and o: m = rho pi (o^2 - i^2) dz, along
 * (o^2 + i^2)/2, across (o^2 + i^2)/4 + z^2. */
static void test_cone_torus_ellipsoid(void **state)
{
    const double a = 0.5, b = 0.3;
    const tn_shape_def shapes[] = { sized(TN_SHAPE_CONE, a, b, NAN), sized(TN_SHAPE_TORUS, a, b, NAN),
                                    sized(TN_SHAPE_ELLIPSOID, a, a, b) };
    enum { SLICES = 400000 };
    for (int k = 0; k < 3; k++) {
        tn_shape_def shape = shapes[k];
        double mass = 0, first = 0, across = 0, along = 0, half = k == 0 ? b / 2 : b, dz = 2 * half / SLICES;
        shape.density = 2;
        mass_properties p = measure(*state, &shape, 1);
        for (int i = 0; i < SLICES; i++) {
            double z = -half + (i + 0.5) * dz, wide = sqrt(fmax(0, 1 - z * z / (b * b)));
            double o = k == 0 ? a * (0.5 - z / b) : k == 1 ? a + b * wide : a * wide, hole = k == 1 ? a - b * wide : 0;
            double dm = 2 * pi * (o * o - hole * hole) * dz, squares = o * o + hole * hole;
            mass += dm;
            first += dm * z;
            across += dm * (squares / 4 + z * z);
            along += dm * squares / 2;
        }
        assert_near(p.mass, mass, 1e-8);
        assert_near(p.com[2], first / mass, 1e-8);
        assert_near(p.inertia[0], across - first * first / mass, 1e-8);
        assert_near(p.inertia[2], along, 1e-8);
    }
}

/* A tube and the cylinder that fills its bore are a cylinder. */
static void test_tube(void **state)
{
    tn_shape_def tube = sized(TN_SHAPE_TUBE, 0.5, 0.8, 0.3), core = sized(TN_SHAPE_CYLINDER, 0.3, 0.8, NAN);
    tn_shape_def whole = sized(TN_SHAPE_CYLINDER, 0.5, 0.8, NAN);
    tube.density = core.density = whole.density = 2;
    const tn_shape_def parts[] = { tube, core };
    mass_properties p = measure(*state, parts, 2), q = measure(*state, &whole, 1);
    assert_same(&p, &q, 1e-14);
    tube.size[2] = 0.5;
    assert_refused(*state, &tube, "inner radius 0.5 m");
}

/* The capsule against the integral over its discs: m = rho pi a^2 dz, across a^2/4 + z^2, along a^2/2. */
static void test_capsule(void **state)
{
    const double r = 0.4, l = 1.5, half = r + l / 2;
    tn_shape_def capsule = sized(TN_SHAPE_CAPSULE, r, l, NAN);
    capsule.density = 2;
    mass_properties p = measure(*state, &capsule, 1);
    enum { SLICES = 200000 };
    double mass = 0, across = 0, along = 0, dz = 2 * half / SLICES;
    for (int i = 0; i < SLICES; i++) {
        double z = -half + (i + 0.5) * dz, over = fmax(fabs(z) - l / 2, 0), a2 = r * r - over * over;
        double dm = 2 * pi * a2 * dz;
        mass += dm;
        across += dm * (a2 / 4 + z * z);
        along += dm * a2 / 2;
    }
    assert_near(p.mass, mass, 1e-9);
    assert_near(p.inertia[0], across, 1e-9);
    assert_near(p.inertia[2], along, 1e-9);

    tn_shape_def round = sized(TN_SHAPE_CAPSULE, r, 0, NAN), ball = sized(TN_SHAPE_SPHERE, r, NAN, NAN);
    round.density = ball.density = 2;
    mass_properties a = measure(*state, &round, 1), b = measure(*state, &ball, 1);
    assert_same(&a, &b, 1e-15);
}

static const int cube_triangles[36] = {
    0, 2, 1, 1, 2, 3,  4, 5, 6, 5, 7, 6,  0, 1, 4, 1, 5, 4,  2, 6, 3, 3, 6, 7,  0, 4, 2, 2, 4, 6,  1, 3, 5, 3, 7, 5,
};

/* Corner i of a box with edges a, b, c has its bits as x, y, z. */
static tn_shape_def box_mesh(double vertices[24], const double centre[3], double a, double b, double c)
{
    const double edges[3] = { a, b, c };
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            vertices[3 * i + k] = centre[k] + ((i >> k & 1) - 0.5) * edges[k];
    tn_shape_def mesh = tn_shape_default(TN_SHAPE_MESH);
    mesh.vertices = vertices;
    mesh.vertex_count = 8;
    mesh.triangles = cube_triangles;
    mesh.triangle_count = 12;
    mesh.density = 7;
    return mesh;
}

static void test_mesh_is_box(void **state)
{
    const double places[][3] = { { 0, 0, 0 }, { 3, -2, 5 } };
    for (size_t i = 0; i < TN_LENGTH(places); i++) {
        double vertices[24];
        tn_shape_def mesh = box_mesh(vertices, places[i], 1, 0.5, 2), box = sized(TN_SHAPE_BOX, 1, 0.5, 2);
        box.density = 7;
        tn_copy3(box.pose.p, places[i]);
        mass_properties m = measure(*state, &mesh, 1), b = measure(*state, &box, 1);
        assert_same(&m, &b, 1e-13);
    }
}

static void test_mesh_inside_out(void **state)
{
    const double origin[3] = { 0.1, 0.2, 0.3 };
    double vertices[24];
    int turned[36];
    tn_shape_def mesh = box_mesh(vertices, origin, 1, 0.5, 2), inside_out = mesh;
    for (int i = 0; i < 36; i++)
        turned[i] = cube_triangles[i / 3 * 3 + 2 - i % 3];
    inside_out.triangles = turned;
    mass_properties a = measure(*state, &mesh, 1), b = measure(*state, &inside_out, 1);
    assert_same(&a, &b, 1e-14);
}

static void test_mesh_refused(void **state)
{
    const double origin[3] = { 0, 0, 0 };
    double vertices[24];
    int triangles[36];
    memcpy(triangles, cube_triangles, sizeof triangles);
    tn_shape_def mesh = box_mesh(vertices, origin, 1, 1, 1);
    mesh.triangles = triangles;
    mesh.triangle_count = 11;
    assert_refused(*state, &mesh, "mesh has 3 open edges: not closed");
    mesh.triangle_count = 12;
    triangles[0] = 2, triangles[1] = 0;
    assert_refused(*state, &mesh, "mesh has 3 edges whose triangles are oriented against each other");
    triangles[0] = 8;
    assert_refused(*state, &mesh, "triangle 0 of the mesh has vertex 8 of 8");
    mesh.triangle_count = 0;
    assert_refused(*state, &mesh, "mesh has no triangles");

    mesh = box_mesh(vertices, origin, 1, 1, 0);
    assert_refused(*state, &mesh, "mesh has no volume");
    vertices[4] = NAN;
    assert_refused(*state, &mesh, "every vertex of the mesh must be finite");
}

/* A picture needs no volume. */
static void test_picture(void **state)
{
    const double origin[3] = { 0, 0, 0 };
    double vertices[24];
    tn_shape_def mesh = box_mesh(vertices, origin, 1, 1, 1);
    mesh.triangle_count = 5;
    mesh.density = NAN;
    mass_properties p = measure(*state, &mesh, 1);
    assert_near(p.mass, 0, 0);
}

/* A box cut in two unequal parts, one of them turned, is the box. */
static void test_combined(void **state)
{
    tn_shape_def whole = sized(TN_SHAPE_BOX, 3, 1, 0.5);
    whole.density = 2;
    tn_copy3(whole.pose.p, (const double[]){ 1.5, 1, -1 });
    tn_shape_def parts[3] = { sized(TN_SHAPE_BOX, 1, 1, 0.5), sized(TN_SHAPE_BOX, 1, 2, 0.5),
                              sized(TN_SHAPE_SPHERE, 1, 0, 0) };
    parts[0].density = 2;
    tn_copy3(parts[0].pose.p, (const double[]){ 0.5, 1, -1 });
    parts[1].density = 2;
    parts[1].pose = tn_pose_planar(2, 1, pi / 2);
    parts[1].pose.p[2] = -1;
    mass_properties a = measure(*state, &whole, 1), b = measure(*state, parts, 3);
    assert_same(&a, &b, 1e-14);
}

static void test_slanted_rod(void **state)
{
    const double origin[3] = { 0, 0, 0 }, along[3] = { 1, 1, 0 };
    tn_shape_def rod = sized(TN_SHAPE_ROD, 0, 1, NAN);
    rod.mass = 12;
    rod.pose = tn_pose_z(origin, along);
    mass_properties p = measure(*state, &rod, 1);
    const double expected[6] = { 0.5, 0.5, 1, -0.5, 0, 0 };
    for (int k = 0; k < 6; k++)
        assert_near(p.inertia[k], expected[k], 1e-15);
}

static void test_refused(void **state)
{
    tn_shape_def shape = sized(TN_SHAPE_BOX, 1, -2, 1);
    assert_refused(*state, &shape, "size y -2 m of the box must be positive");
    shape = tn_shape_default(TN_SHAPE_SPHERE);
    assert_refused(*state, &shape, "radius of the sphere is missing");
    shape = sized(TN_SHAPE_CYLINDER, 1, INFINITY, 0);
    assert_refused(*state, &shape, "length inf m of the cylinder must be positive");
    shape = sized(TN_SHAPE_SPHERE, 1, 0, 0);
    shape.mass = shape.density = 1;
    assert_refused(*state, &shape, "density and mass are both given");
    shape.density = -1;
    shape.mass = NAN;
    assert_refused(*state, &shape, "density -1 kg/m^3 must be positive");
    shape = sized(TN_SHAPE_ROD, 0, 1, 0);
    shape.density = 1;
    assert_refused(*state, &shape, "slender rod (radius 0) has no volume");
    shape = sized(TN_SHAPE_SPHERE, 1, 0, 0);
    shape.pose.q[0] = 0;
    assert_refused(*state, &shape, "orientation of shape 1 is zero");
}

static void test_quaternion_of_matrix(void **state)
{
    (void)state;
    const double rotations[][3] = { { 0, 0, 0 }, { 0.3, -0.2, 0.9 }, { pi, 0, 0 }, { 0, 3.1, 0.1 }, { 0.1, 0, -3.1 } };
    for (size_t i = 0; i < TN_LENGTH(rotations); i++) {
        double q[4], back[4], R[3][3];
        tn_quat_exp(q, rotations[i]);
        tn_quat_matrix(R, q);
        tn_quat_from_matrix(back, (const double (*)[3])R);
        double same = 0;
        for (int k = 0; k < 4; k++)
            same += q[k] * back[k];
        assert_near(fabs(same), 1, 1e-15);
    }
}

static void check_principal(const double I[6])
{
    double moments[3], Q[3][3], z[3];
    tn_principal_axes(moments, Q, I);
    const double A[3][3] = { { I[0], I[3], I[4] }, { I[3], I[1], I[5] }, { I[4], I[5], I[2] } };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0, unit = 0;
            for (int k = 0; k < 3; k++) {
                sum += Q[i][k] * moments[k] * Q[j][k];
                unit += Q[i][k] * Q[j][k];
            }
            assert_near(sum, A[i][j], 1e-14);
            assert_near(unit, i == j, 1e-15);
        }
    const double x[3] = { Q[0][0], Q[1][0], Q[2][0] }, y[3] = { Q[0][1], Q[1][1], Q[2][1] };
    tn_cross3(z, x, y);
    for (int k = 0; k < 3; k++)
        assert_near(Q[k][2], z[k], 1e-15);
}

static void test_principal_axes(void **state)
{
    (void)state;
    const double tensors[][6] = {
        { 1, 2, 3, 0.1, -0.2, 0.3 }, { 2, 2, 2, 0.5, 0.5, 0.5 }, { 1, 1, 1, 1e-9, 0, 0 }, { 3, 1, 2, 0, 0.7, 0 },
    };
    for (size_t i = 0; i < TN_LENGTH(tensors); i++)
        check_principal(tensors[i]);
    const double diagonal[6] = { 3, 1, 2, 0, 0, 0 };
    double moments[3], Q[3][3];
    tn_principal_axes(moments, Q, diagonal);
    for (int i = 0; i < 3; i++) {
        assert_near(moments[i], diagonal[i], 0);
        for (int j = 0; j < 3; j++)
            assert_near(Q[i][j], i == j, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_round_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cone_torus_ellipsoid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_tube, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_capsule, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mesh_is_box, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mesh_inside_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mesh_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_picture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_combined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slanted_rod, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test(test_quaternion_of_matrix),
        cmocka_unit_test(test_principal_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
