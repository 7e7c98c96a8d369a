/* Round shapes that roll: closed forms and Klingel's wave. */
#include "event_runs.h"

#define HEAD "tenon: 1\ngravity: [%.17g, 0, %.17g]\nbodies:\n"

/* Runs a model to its end, which is recorded; the text has no 'solve'. */
static run run_until(const char *text, double until, const char *solve)
{
    char all[2400];
    snprintf(all, sizeof all, "%ssolve: { until: %.17g, tolerance: 1e-9, absolute_tolerance: 1e-11%s }\n", text, until, solve);
    run x = run_parts(all, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    return x;
}

/* Wheels that roll down a slope: a = g sin / (1 + I / (m d^2)), with the distance d of the axis from what touches. */
static void test_slopes(void **state)
{
    static const char *const plane = "{ half_space: {} }";
    static const char *const rails = "{ capsule: { radius: 0.03, length: 8, axis: x, at: [3, 0.06, 0] } }, "
                                     "{ capsule: { radius: 0.03, length: 8, axis: x, at: [3, -0.06, 0] } }";
    const double slope = 0.2, sine = 0.06 / 0.13, cosine = sqrt(1 - sine * sine);
    const struct { const char *ground, *wheel; double height, distance; } wheels[] = {
        { plane, "ellipsoid: { half_axes: [0.3, 0.1, 0.3] }", 0.3, 0.3 },
        { plane, "torus: { radius: 0.25, tube: 0.05, axis: y }", 0.3, 0.3 },
        { rails, "sphere: { radius: 0.1 }", 0.13 * cosine, 0.1 * cosine },
        { rails, "ellipsoid: { half_axes: [0.1, 0.1, 0.1] }", 0.13 * cosine, 0.1 * cosine },
        { rails, "torus: { radius: 0.3, tube: 0.1, axis: y }", NAN, NAN },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++) {
        char text[1600];
        /* a ring: its tube touches the rails; the section is a circle of 0.1 m around a point 0.3 m from the axis */
        double height = isnan(wheels[i].height) ? 0.3 + 0.13 * cosine : wheels[i].height;
        double distance = isnan(wheels[i].distance) ? 0.3 + 0.1 * cosine : wheels[i].distance;
        snprintf(text, sizeof text, HEAD "  ground: { shapes: [ %s ] }\n"
                 "  wheel: { mass: 2, inertia: [0.04, 0.05, 0.04], position: [0, 0, %.17g], shapes: [ { %s } ] }\n"
                 "contacts: { floor: { between: [ground, wheel], friction: 0.9 } }\n", G * sin(slope), -G * cos(slope), wheels[i].ground,
                 height, wheels[i].wheel);
        run x = run_until(text, 0.3, "");
        double a = G * sin(slope) / (1 + 0.05 / (2 * distance * distance));
        assert_near(value_of(&x, "wheel.position.x"), a / 2 * 0.09, 5e-8);
        close_run(&x);
    }
}

/* A ring that rolls to and fro in a bore: the pendulum of length R - r with w^2 = g / ((R - r) (1 + I / (m r^2))), for a quarter of its
 * small period. Its distance from the lowest point by elliptic functions: compared through the energy, which gives the speed. */
static void test_ring_in_bore(void **state)
{
    const double length = 0.7, turn = 0.3, factor = 1 + 0.1 / (2 * 0.3 * 0.3);
    char text[1200];
    (void)state;
    snprintf(text, sizeof text, HEAD "  ground: { shapes: [ { tube: { radius: 1.1, inner: 1, length: 2, axis: y } } ] }\n"
             "  ring: { mass: 2, inertia: [0.06, 0.1, 0.06], position: [%.17g, 0, %.17g], shapes: [ { torus: { radius: 0.25, tube: 0.05, "
             "axis: y } } ] }\ncontacts: { floor: { between: [ground, ring], friction: 2 } }\n", 0.0, -G, length * sin(turn),
             -length * cos(turn));
    /* T / 4 = K(sin(turn / 2)) / w: the arithmetic-geometric mean */
    double a = 1, b = cos(turn / 2), w = sqrt(G / (length * factor));
    for (int k = 0; k < 10; k++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    run x = run_until(text, acos(-1) / (2 * a * w), "");
    assert_near(value_of(&x, "ring.position.x"), 0, 1e-7);
    assert_near(value_of(&x, "ring.position.z"), -length, 1e-9);
    assert_near(value_of(&x, "ring.velocity.x"), -sqrt(2 * G * length * (1 - cos(turn)) / factor), 1e-7);
    close_run(&x);
}

/* A thin coin that leans by `lean` and whose centre goes around a circle: with the rate W of precession and the spin s = -W (R + a sin) / a
 * about its axis, the torque of the forces at its rim is W x H. */
static void test_coin(void **state)
{
    const double a = 0.1, A = a * a / 4, C = a * a / 2, lean = 0.3, R = 0.5, s = -(R + a * sin(lean)) / a;
    double inner = -A * cos(lean) * sin(lean) + C * (s + sin(lean)) * cos(lean) - a * cos(lean) * R;
    double W = sqrt(-a * sin(lean) * G / inner);
    char text[1200];
    (void)state;
    snprintf(text, sizeof text, HEAD "  ground: { shapes: [ { half_space: {} } ] }\n"
             "  coin: { mass: 1, inertia: [%.17g, %.17g, %.17g], position: [%.17g, 0, %.17g], rotation: { axis: y, angle: %.17g }, "
             "velocity: [0, %.17g, 0], angular_velocity: [%.17g, 0, %.17g], shapes: [ { cylinder: { radius: 0.1, length: 1e-7 } } ] }\n"
             "contacts: { floor: { between: [ground, coin], friction: 3 } }\n", 0.0, -G, A, A, C, R, a * cos(lean), acos(0) - lean,
             W * R, W * s * cos(lean), W + W * s * sin(lean));
    run x = run_until(text, acos(-1) / W, "");
    assert_near(value_of(&x, "coin.position.x"), -R, 1e-4);
    assert_near(value_of(&x, "coin.position.y"), 0, 1e-4);
    assert_near(value_of(&x, "coin.position.z"), a * cos(lean), 1e-6);
    close_run(&x);
}

/* An ellipsoid that rocks a little: w^2 = m g (a^2 / c - c) / (I + m c^2). */
static void test_rocking_ellipsoid(void **state)
{
    const double a = 0.3, c = 0.1, turn = 1e-3, w = sqrt(G * (a * a / c - c) / ((a * a + c * c) / 5 + c * c));
    char text[900];
    (void)state;
    snprintf(text, sizeof text, HEAD "  ground: { shapes: [ { half_space: {} } ] }\n"
             "  egg: { position: [0, 0, %.17g], rotation: { axis: y, angle: %.17g }, shapes: [ { ellipsoid: { half_axes: [0.3, 0.2, 0.1] }, "
             "mass: 1 } ] }\ncontacts: { floor: { between: [ground, egg], friction: 1 } }\n", 0.0, -G,
             hypot(a * sin(turn), c * cos(turn)), turn);
    run x = run_until(text, acos(-1) / (2 * w), "");
    assert_near(value_of(&x, "egg.x_axis.z"), 0, 1e-7);
    close_run(&x);
}

/* Klingel (1883): a wheel set of two cones with tread radius r at the distance s from its middle and slope `cone` runs along rails in a
 * wave, y = (lean / k) sin(k x), k^2 = cone / (r s), for small angles and thin rails. That is y between the rails; the axle above rolls by
 * cone y / s towards the middle. */
static void test_klingel(void **state)
{
    const double cone = 0.05, r = 0.4, s = 0.75, lean = 0.002, rail = 0.002, far = 1.5;
    const double slope = atan(cone), base = r + cone * s, k = sqrt(cone / (r * s)), at = r + rail / cos(slope) - rail;
    const double turn = 1 / (r + rail / cos(slope) - rail * cos(slope));
    char text[2000];
    (void)state;
    snprintf(text, sizeof text, HEAD "  ground: { shapes: [ { capsule: { radius: %g, length: 9, axis: x, at: [3, %g, %g] } }, "
             "{ capsule: { radius: %g, length: 9, axis: x, at: [3, %g, %g] } } ] }\n"
             "  set: { mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, %.17g], rotation: { axis: z, angle: %g }, "
             "velocity: [%.17g, %.17g, 0], angular_velocity: [%.17g, %.17g, 0], shapes: [ { cone: { radius: %.17g, from: [0, 0, 0], "
             "to: [0, %.17g, 0] } }, { cone: { radius: %.17g, from: [0, 0, 0], to: [0, %.17g, 0] } } ] }\n"
             "contacts: { rail: { between: [ground, set], friction: 0.9 } }\n", 0.0, -G, rail, s, -rail, rail, -s, -rail, at, lean,
             0.5 * cos(lean), 0.5 * sin(lean), -0.5 * turn * sin(lean), 0.5 * turn * cos(lean), base, base / cone, base, -base / cone);
    run x = run_until(text, far / 0.5, ", contact: event-driven");
    double along = value_of(&x, "set.position.x");
    assert_near(along, far, 1e-4);
    assert_near(value_of(&x, "set.position.y") * (1 + r * cone / s) / (lean / k * sin(k * along)), 1, 1e-3);
    close_run(&x);
}

/* What a wheel set of 100 kg presses on two rails, at every step, and its energy. */
typedef struct rolling {
    tn_readout *readout;
    double least, most, energy, change;        /* N, J */
} rolling;

static int weigh(void *user, const tn_session *session)
{
    rolling *r = user;
    double values[2];
    (void)session;
    assert_int_equal(tn_readout_values(values, r->readout), TN_OK);
    r->least = fmin(r->least, values[0]);
    r->most = fmax(r->most, values[0]);
    r->energy = isnan(r->energy) ? values[1] : r->energy;
    r->change = fmax(r->change, fabs(values[1] - r->energy));
    return 0;
}

/* Wheels of rings and of cones roll along rails without sliding: they press with their weight, and keep their energy. The axle is at
 * `height` with the rails at the distance `side` from its middle. */
static void test_rolling_wheels(void **state)
{
    static const char *const channels[] = { "rail.force.z", "energy.total" };
    static const struct { const char *shapes; double side, height, turn; } wheels[] = {
        { "{ torus: { radius: 0.48, tube: 0.02, axis: y, at: [0, 0.3, 0] } }, { torus: { radius: 0.48, tube: 0.02, axis: y, "
          "at: [0, -0.3, 0] } }", 0.3, 0.5, 4 },
        { "{ cone: { radius: 0.5, from: [0, 0, 0], to: [0, 2, 0] } }, { cone: { radius: 0.5, from: [0, 0, 0], to: [0, -2, 0] } }",
          0.7, 0.32561552812808832, 6.130969561006808 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++) {
        char text[1600];
        snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground:\n    shapes:\n"
                 "      - { capsule: { radius: 0.02, length: 40, axis: x, at: [15, %g, -0.02] } }\n"
                 "      - { capsule: { radius: 0.02, length: 40, axis: x, at: [15, -%g, -0.02] } }\n"
                 "  wheel: { mass: 100, inertia: [5, 8, 5], position: [0, 0, %.17g], velocity: [2, 0, 0], angular_velocity: [0, %.17g, 0], "
                 "shapes: [ %s ] }\ncontacts: { rail: { between: [ground, wheel], friction: 0.3 } }\n"
                 "solve: { until: 0.05, contact: event-driven }\n", wheels[i].side, wheels[i].side, wheels[i].height, wheels[i].turn,
                 wheels[i].shapes);
        run x = { .r = accepted(text) };
        rolling r = { .least = INFINITY, .energy = NAN };
        assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
        assert_int_equal(tn_readout_open(&r.readout, x.session, channels, 2), TN_OK);
        tn_session_on_step(x.session, weigh, &r);
        assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
        assert_near(r.least, 981, 0.02);
        assert_near(r.most, 981, 0.02);
        assert_near(r.change, 0, 2e-5);
        close_run(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_slopes), cmocka_unit_test(test_ring_in_bore), cmocka_unit_test(test_coin),
                                        cmocka_unit_test(test_rocking_ellipsoid), cmocka_unit_test(test_klingel),
                                        cmocka_unit_test(test_rolling_wheels) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
