/* Touches from inside: bores, bowls and eyes. Swinging balls, discs and pins against the pendulum, a rod over a brim, and gaps
 * against points on circles. */
#include "event_runs.h"
#include "touch_world.h"

static const double PI = 3.14159265358979323846;
static const double SWING = 0.5;       /* rad: amplitude */

static double mean(double a, double b)
{
    for (int i = 0; i < 8; i++) {
        double next = 0.5 * (a + b);
        b = sqrt(a * b);
        a = next;
    }
    return a;
}

typedef struct swing {
    const char *hollow, *body;
    bool planar;
    double friction;
    double share;              /* of the gravity that is left where the body also turns */
    double closed;             /* touches */
} swing;

/* A body of radius 0.1 m in a hollow of radius 1 m is a pendulum of 0.9 m; where it rolls, with a share of the gravity. Its period is
 * 2 pi sqrt(0.9 / (share g)) / M(1, cos(amplitude / 2)), M the arithmetic-geometric mean (Gauss). */
static void check_swing(const swing *s)
{
    const double L = 0.9, x0 = L * sin(SWING), y0 = -L * cos(SWING);
    double period = 2 * PI * sqrt(L / (s->share * G)) / mean(1, cos(SWING / 2));
    char text[1200], place[80];
    snprintf(place, sizeof place, s->planar ? "[%.17g, %.17g]" : "[%.17g, 0, %.17g]", x0, y0);
    snprintf(text, sizeof text, "tenon: 1\n%sgravity: [0, %s-9.81]\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
             "  body: { shapes: [ { %s, mass: 1 } ], position: %s }\n"
             "contacts: { wall: { between: [ground, body], friction: %g } }\n"
             "solve: { until: %.17g, tolerance: 1e-10, absolute_tolerance: 1e-11 }\n", s->planar ? "dimension: 2\n" : "",
             s->planar ? "" : "0, ", s->hollow, s->body, place, s->friction, period);
    run x = run_parts(text, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_near(value_of(&x, "body.position.x"), x0, 1e-9);
    assert_near(value_of(&x, s->planar ? "body.position.y" : "body.position.z"), y0, 1e-9);
    assert_near(value_of(&x, "wall.closed"), s->closed, 0);
    assert_true(fabs(value_of(&x, "energy.error")) < 1e-8);
    close_run(&x);
}

#define BORE "tube: { radius: 1.1, inner: 1, length: 2, axis: y }"
static const swing swings[] = {
    { "tube: { radius: 1.1, inner: 1 }", "disc: { radius: 0.1 }", true, 0.9, 2.0 / 3, 1 },
    { "tube: { radius: 1.1, inner: 1 }", "disc: { radius: 0.1 }", true, 0, 1, 1 },
    { "bowl: { radius: 1 }", "disc: { radius: 0.1 }", true, 0.9, 2.0 / 3, 1 },
    { "bowl: { radius: 1, depth: 2 }", "sphere: { radius: 0.1 }", false, 0.9, 5.0 / 7, 1 },
    { "bowl: { radius: 1, depth: 0.5 }", "sphere: { radius: 0.1 }", false, 0, 1, 1 },
    { BORE, "sphere: { radius: 0.1 }", false, 0.9, 5.0 / 7, 1 },
    { BORE, "capsule: { radius: 0.1, length: 1, axis: y }", false, 0, 1, 2 },
    { BORE, "cylinder: { radius: 0.1, length: 1, axis: y }", false, 0.9, 2.0 / 3, 2 },     /* two rims in the bore */
    { BORE, "cylinder: { radius: 0.1, length: 3, axis: y }", false, 0.9, 2.0 / 3, 2 },     /* two edges around the pin */
    { BORE, "cylinder: { radius: 0.1, length: 3, axis: y }", false, 0, 1, 2 },
};

static void test_pendulums(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof swings / sizeof *swings; k++)
        check_swing(&swings[k]);
}

/* ---- a rod over a brim ---- */

/* Height of the middle of a rod (length 2 a between the centres of its round ends, radius r) that leans with the angle t over the
 * brim of a smooth bowl, with one end inside. The brim is at (R, 0), the centre of the bowl at (0, 0). */
static double rod_place(double R, double r, double a, double t, double middle[2])
{
    double bx = R - r * sin(t), by = r * cos(t);               /* a point of the rod's axis, over the brim */
    double along = bx * cos(t) + by * sin(t), in = R - r;
    double s = -along - sqrt(along * along + in * in - bx * bx - by * by);
    middle[0] = bx + (s + a) * cos(t);
    return middle[1] = by + (s + a) * sin(t);
}

/* The rod rests where its middle is lowest. Without a radius that is where 2 R cos(2 t) = a cos(t). */
static double rod_angle(double R, double r, double a)
{
    double low = 0.1, high = 1, x[2];
    for (int i = 0; i < 100; i++) {
        double t = 0.5 * (low + high), d = 1e-6;
        if (rod_place(R, r, a, t + d, x) > rod_place(R, r, a, t - d, x))
            high = t;
        else
            low = t;
    }
    return low;
}

static void test_rod_over_brim(void **state)
{
    (void)state;
    const double R = 0.2, r = 0.01, a = 0.25;
    double thin = rod_angle(R, 0, a), t = rod_angle(R, r, a), x[2];
    assert_near(2 * R * cos(2 * thin), a * cos(thin), 1e-6);
    rod_place(R, r, a, t, x);
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { bowl: { radius: 0.2 } } ] }\n"
             "  rod: { shapes: [ { capsule: { radius: 0.01, length: 0.5, axis: x }, mass: 1 } ], position: [%.17g, 0, %.17g], "
             "rotation: { axis: y, angle: %.17g } }\ncontacts: { bowl: { between: [ground, rod] } }\n"
             "solve: { until: 0.5, tolerance: 1e-10, absolute_tolerance: 1e-11 }\n", x[0], x[1] + 1e-9, -t);
    run y = run_parts(text, "", "");
    assert_int_equal(y.code, TN_NEWS_END);
    assert_near(value_of(&y, "bowl.closed"), 2, 0);            /* its end in the bowl, its side at the brim */
    assert_near(value_of(&y, "rod.position.x"), x[0], 1e-5);
    assert_near(value_of(&y, "rod.position.z"), x[1], 1e-7);
    close_run(&y);
}

/* ---- gaps ---- */

/* Smallest distance of a circle of body 2 from the bore, from inside, and of the edge of the bore from the axis of a pin: by points. */
static double rim_gap(const tn_pose *pin, double radius, double z, double bore)
{
    double least = INFINITY;
    for (int i = 0; i < 20000; i++) {
        double own[3] = { radius * cos(i * PI / 10000), radius * sin(i * PI / 10000), z }, R[3][3], x[3];
        tn_quat_matrix(R, pin->q);
        tn_mul33(x, (const double (*)[3])R, own);
        least = fmin(least, bore - hypot(x[0] + pin->p[0], x[1] + pin->p[1]));
    }
    return least;
}

static double eye_gap(const tn_pose *pin, double radius, double z, double bore)
{
    double least = INFINITY, R[3][3];
    tn_quat_matrix(R, pin->q);
    for (int i = 0; i < 20000; i++) {
        double x[3] = { bore * cos(i * PI / 10000), bore * sin(i * PI / 10000), z }, own[3];
        tn_sub3(x, x, pin->p);
        tn_mul33t(own, (const double (*)[3])R, x);
        least = fmin(least, hypot(own[0], own[1]) - radius);
    }
    return least;
}

/* Pins that lean by up to 0.35 rad in a bore of 0.5 m: rims of short ones, sides of long ones at the edges. */
static void test_gaps_of_pins(void **state)
{
    (void)state;
    uint32_t seed = 3;
    int rims = 0, eyes = 0;
    for (int k = 0; k < 200; k++) {
        touch_world w = { .shapes = { tn_shape_default(TN_SHAPE_TUBE), tn_shape_default(TN_SHAPE_CYLINDER) } };
        double radius = between(&seed, 0.2, 0.45), length = k % 2 ? 0.6 : 2, phi[3] = { 0 };
        const double tube[3] = { 0.6, 1, 0.5 };
        tn_copy3(w.shapes[0].size, tube);
        w.shapes[1].size[0] = radius;
        w.shapes[1].size[1] = length;
        open_world(&w, 3, 0);
        for (int i = 0; i < 2; i++) {
            phi[i] = between(&seed, -0.25, 0.25);
            w.poses[2].p[i] = between(&seed, -0.2, 0.2) * (0.5 - radius);
        }
        tn_quat_exp(w.poses[2].q, phi);
        const tn_touch *touch = nearest_touch(&w, 1);
        double end = k % 2 ? 0.3 : 0.5, up, down;
        up = k % 2 ? rim_gap(&w.poses[2], radius, end, 0.5) : eye_gap(&w.poses[2], radius, end, 0.5);
        down = k % 2 ? rim_gap(&w.poses[2], radius, -end, 0.5) : eye_gap(&w.poses[2], radius, -end, 0.5);
        if (fmin(up, down) < -0.05) {                          /* through the wall */
            close_world(&w);
            continue;
        }
        assert_non_null(touch);
        assert_near(touch->gap, fmin(up, down), 1e-7);
        rims += touch->kind == TN_TOUCH_BORE_RIM;
        eyes += touch->kind == TN_TOUCH_EYE;
        close_world(&w);
    }
    assert_true(rims > 70);
    assert_true(eyes > 30);
}

/* ---- what falls into a hollow stays there ---- */

static const char *const parts[] = {
    "sphere: { radius: 0.05 }", "box: { size: [0.1, 0.08, 0.12] }", "cylinder: { radius: 0.05, length: 0.1 }",
    "cone: { radius: 0.06, length: 0.12 }", "capsule: { radius: 0.03, length: 0.1 }", "torus: { radius: 0.06, tube: 0.02 }",
    "ellipsoid: { half_axes: [0.05, 0.06, 0.08] }",
    "hull: { points: [[0, 0, 0.08], [0.06, 0, -0.04], [-0.04, 0.05, -0.04], [-0.04, -0.05, -0.04]] }",
};

static void drop_into(const char *hollow, const char *part, double x, double z)
{
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ %s ] }\n"
             "  part: { shapes: [ { %s, mass: 0.3 } ], position: [%g, 0.03, %g], rotation: { axis: [1, 2, 3], angle: 0.7 } }\n"
             "contacts: { wall: { among: [ground, part], friction: 0.3, restitution: 0.2 } }\n"
             "solve: { until: 0.6, contact: time-stepping, contact_step: 2 ms }\n", hollow, part, x, z);
    run y = run_parts(text, "", "");
    assert_int_equal(y.code, TN_NEWS_END);
    double at[3] = { value_of(&y, "part.position.x"), value_of(&y, "part.position.y"), value_of(&y, "part.position.z") };
    assert_true(value_of(&y, "wall.gap") > -1e-6);
    assert_true(at[2] < z - 0.05);
    assert_true(tn_norm3(at) < 0.3);
    assert_true(value_of(&y, "energy.kinetic") + value_of(&y, "energy.potential") < 0.3 * G * z);
    close_run(&y);
}

static void test_parts_in_hollows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        drop_into("{ bowl: { radius: 0.3, depth: 0.35 } }", parts[k], 0.05, 0);
        drop_into("{ tube: { radius: 0.3, inner: 0.2, length: 0.3 } }, { half_space: { at: [0, 0, -0.15] } }", parts[k], 0.04, 0.02);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulums),
        cmocka_unit_test(test_rod_over_brim),
        cmocka_unit_test(test_gaps_of_pins),
        cmocka_unit_test(test_parts_in_hollows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
