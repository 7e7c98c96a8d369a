/* Joint equations and coordinates against the geometry they claim. */
#include "joint_bench.h"

static const double nowhere[3] = { 0, 0, 0 };

static void test_fixed_rows_are_the_half_angle_vector(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("fixed"), SPACE);
    for (int axis = 0; axis < 3; axis++)
        for (double angle = -3.0; angle <= 3.0; angle += 0.75) {
            bench_place(&b, nowhere, axis == 0 ? angle : 0, axis == 1 ? angle : 0, axis == 2 ? angle : 0);
            for (int k = 0; k < 3; k++)
                assert_near(evaluate(&b, b.type->spatial.equations[1 + k]).value[0],
                            k == axis ? 2.0 * tan(angle / 2.0) : 0.0, 1e-11);
        }
}

static void test_spherical_coordinates_are_cardan_angles(void **state)
{
    (void)state;
    const double angles[][3] = { { 0.3, -0.5, 1.1 }, { -2.9, 1.2, 2.7 }, { 2.0, -1.5, -3.0 }, { 0, 0, 0 } };
    const char *const types[] = { "spherical", "constant-velocity" };
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < TN_LENGTH(angles); k++) {
            bench b;
            bench_begin(&b, find(types[i]), SPACE);
            bench_place(&b, nowhere, angles[k][0], angles[k][1], angles[k][2]);
            for (int j = 0; j < 3; j++)
                assert_near(evaluate(&b, form_of(&b)->coordinates[j].name).value[0], angles[k][j], 1e-12);
        }
}

/* Relative angular velocity = rate of angle_1 about z1 + rate of angle_2 about z2. */
static void test_universal_angles_make_up_the_rotation(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("universal"), SPACE);
    const double w1[3] = { 0.4, -0.8, 0.3 };
    double w2[3];
    for (int k = 0; k < 3; k++)
        w2[k] = w1[k] + 0.7 * b.leaves[Z1].x[k] - 1.9 * b.leaves[Z2].x[k];
    move(&b, nowhere, w1, nowhere, w2);
    assert_near(evaluate(&b, form_of(&b)->coordinates[0].name).rate[0], 0.7, CLOSED);
    assert_near(evaluate(&b, form_of(&b)->coordinates[1].name).rate[0], -1.9, CLOSED);
}

/* Shafts bent in a plane and spun at the same rate: the bisecting plane is at rest and the equation goes on holding. */
static void test_constant_velocity_passes_the_rate_on(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("constant-velocity"), SPACE);
    bench_place(&b, nowhere, 0.6, 0.0, 0.0);
    double w1[3], w2[3];
    for (int k = 0; k < 3; k++) {
        w1[k] = 5.0 * b.leaves[Z1].x[k];
        w2[k] = 5.0 * b.leaves[Z2].x[k];
    }
    move(&b, nowhere, w1, nowhere, w2);
    evaluation e = evaluate(&b, b.type->spatial.equations[1]);
    assert_near(e.value[0], 0.0, CLOSED);
    assert_near(e.rate[0], 0.0, CLOSED);
    for (int k = 0; k < 3; k++)
        w2[k] *= 1.1;
    move(&b, nowhere, w1, nowhere, w2);
    assert_true(fabs(evaluate(&b, b.type->spatial.equations[1]).rate[0]) > 0.1);
}

static void test_screw_advances_one_lead_per_turn(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("screw"), SPACE);
    const double built = expected_of("screw")->offset[2], angle = 0.8, pi = 3.14159265358979323846;
    bench_place(&b, (double[]){ 0, 0, built + GIVEN * angle / (2 * pi) }, 0, 0, angle);
    assert_near(evaluate(&b, form_of(&b)->coordinates[0].name).value[0], angle, CLOSED);
    assert_near(evaluate(&b, b.type->spatial.equations[4]).value[0], 0.0, CLOSED);
}

/* A wheel on a line: centre speed = -radius * rate. */
static void test_rolling_wheel_does_not_slip(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("rolling"), PLANE);
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = -GIVEN * 3.0 * b.leaves[X1].x[k];
    move(&b, nowhere, nowhere, v, (double[]){ 0, 0, 3.0 });
    for (int k = 0; k < 2; k++)
        assert_near(evaluate(&b, b.type->planar.equations[k]).rate[0], 0.0, CLOSED);
}

/* Velocity of the disc's lowest point relative to the plane's body, built here from the geometry. */
static void contact_velocity(const bench *b, double out[3])
{
    const double *z1 = b->leaves[Z1].x, *z2 = b->leaves[Z2].x;
    double arm[3], from_m[3], turn1[3], turn2[3];
    double lean = dot(z1, z2), steep = sqrt(1.0 - lean * lean);
    for (int k = 0; k < 3; k++) {
        arm[k] = GIVEN * (lean * z2[k] - z1[k]) / steep;
        from_m[k] = b->leaves[N].x[k] - b->leaves[M].x[k] + arm[k];
    }
    cross(turn1, b->leaves[W1].x, from_m);
    cross(turn2, b->leaves[W2].x, arm);
    for (int k = 0; k < 3; k++)
        out[k] = b->leaves[N].dx[k] + turn2[k] - b->leaves[M].dx[k] - turn1[k];
}

static void test_rolling_disc_stops_the_contact_point(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("rolling-disc"), SPACE);
    const double tilt = 1.1;       /* between plane normal and axle */
    bench_place(&b, (double[]){ 0.2, -0.4, GIVEN * sin(tilt) }, tilt, 0.0, 0.9);
    assert_near(evaluate(&b, b.type->spatial.equations[0]).value[0], 0.0, CLOSED);
    move(&b, (double[]){ 0.3, 0.2, -0.6 }, (double[]){ 0.5, -1.2, 0.8 }, (double[]){ -0.7, 1.3, 0.4 },
         (double[]){ 2.0, 0.9, -1.4 });
    double v[3];
    contact_velocity(&b, v);
    assert_near(evaluate(&b, b.type->spatial.velocity_equations[0]).value[0], dot(v, b.leaves[X1].x), CLOSED);
    assert_near(evaluate(&b, b.type->spatial.velocity_equations[1]).value[0], dot(v, b.leaves[Y1].x), CLOSED);
    assert_near(evaluate(&b, b.type->spatial.equations[0]).rate[0], dot(v, b.leaves[Z1].x), CLOSED);
}

/* Bodies that move as one do not slide on each other; a sideways velocity is seen in full. */
static void test_knife_edge_sees_sideways_motion_only(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, find("knife-edge"), SPACE);
    const double v1[3] = { 0.3, 0.2, -0.6 }, w[3] = { 0.5, -1.2, 0.8 };
    double arm[3], v2[3];
    for (int k = 0; k < 3; k++)
        arm[k] = b.leaves[N].x[k] - b.leaves[M].x[k];
    cross(v2, w, arm);
    for (int k = 0; k < 3; k++)
        v2[k] += v1[k] + 2.0 * b.leaves[X2].x[k] - 0.3 * b.leaves[Y2].x[k];
    move(&b, v1, w, v2, w);
    assert_near(evaluate(&b, b.type->spatial.velocity_equations[0]).value[0], -0.3, CLOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_rows_are_the_half_angle_vector),
        cmocka_unit_test(test_spherical_coordinates_are_cardan_angles),
        cmocka_unit_test(test_universal_angles_make_up_the_rotation),
        cmocka_unit_test(test_constant_velocity_passes_the_rate_on),
        cmocka_unit_test(test_screw_advances_one_lead_per_turn),
        cmocka_unit_test(test_rolling_wheel_does_not_slip),
        cmocka_unit_test(test_rolling_disc_stops_the_contact_point),
        cmocka_unit_test(test_knife_edge_sees_sideways_motion_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
