/* Known motions with contacts: Housner's rocking block, masse shot, braked wheel, Euler's disc, tippe top, Geneva
 * drive, escapement, fine surfaces, sliding tripod, rattleback. */
#include "event_runs.h"

static run run_text(const char *text)
{
    run x = run_parts(text, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    return x;
}

/* Housner (1963): a block that rocks from corner to corner keeps 1 - 3/2 sin^2(alpha) of its angular velocity. */
static void test_rocking_block(void **state)
{
    (void)state;
    double b = 0.1, h = 0.3, R = hypot(b, h), alpha = atan(b / h), tilt = 0.1, m = 5;
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { half_space: {} } ] }\n"
             "  block: { position: [%.17g, %.17g], angle: %.17g, shapes: [ { box: { size: [0.2, 0.6] }, mass: 5 } ] }\n"
             "contacts: { floor: { between: [ground, block], friction: 2 } }\n"
             "solve: { until: 1.2, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n",
             -b * cos(tilt) + h * sin(tilt), b * sin(tilt) + h * cos(tilt), -tilt);
    run x = run_text(text);
    double before = m * G * R * (cos(alpha - tilt) - cos(alpha)), keep = 1 - 1.5 * pow(sin(alpha), 2);
    assert_true(tn_session_impact_count(x.session) >= 2);
    for (size_t k = 0; k < 2; k++) {
        assert_near(tn_session_impact(x.session, k).loss, before * (1 - keep * keep), 1e-8);
        before *= keep * keep;
    }
    close_run(&x);
}

/* A ball with spin about a slanted axis: friction has one direction until it rolls, so that the path is a parabola; then it
 * rolls with v - 2/7 of the first slip. */
static void test_masse(void **state)
{
    (void)state;
    run x = run_text("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                     "  ground: { shapes: [ { half_space: {} } ] }\n"
                     "  ball: { mass: 2 kg, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1], velocity: [2, 0, 0],\n"
                     "          angular_velocity: [-20, -10, 15], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                     "contacts: { cloth: { between: [ground, ball], friction: 0.2 } }\n"
                     "solve: { until: 1, tolerance: 1e-11, absolute_tolerance: 1e-12 }\n");
    double sx = 3, sy = -2, s = hypot(sx, sy), t = 2 * s / (7 * 0.2 * G), a = 0.2 * G / s;
    double vx = 2 - 2 * sx / 7, vy = -2 * sy / 7;
    assert_near(value_of(&x, "ball.velocity.x"), vx, 1e-8);
    assert_near(value_of(&x, "ball.velocity.y"), vy, 1e-8);
    assert_near(value_of(&x, "ball.position.x"), 2 * t - a * sx * t * t / 2 + vx * (1 - t), 1e-8);
    assert_near(value_of(&x, "ball.position.y"), -a * sy * t * t / 2 + vy * (1 - t), 1e-8);
    assert_near(value_of(&x, "ball.angular_velocity.z"), 15, 1e-9);
    close_run(&x);
}

/* A wheel (m = 10 kg, J = 0.2 kg m^2, R = 0.3 m) that rolls with 5 m/s is braked: gently it rolls on, hard it slides. */
static void brake(double torque, double *speed, double *spin)
{
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { half_space: {} } ] }\n"
             "  wheel: { mass: 10, inertia: 0.2, position: [0, 0.3], velocity: [5, 0], angular_velocity: %.17g,\n"
             "           shapes: [ { disc: { radius: 0.3 } } ] }\n"
             "forces: { brake: { type: torque, on: wheel, value: %.17g } }\n"
             "contacts: { road: { between: [ground, wheel], friction: 0.5 } }\n"
             "solve: { until: 0.1 }\n", -5 / 0.3, torque);
    run x = run_text(text);
    *speed = value_of(&x, "wheel.velocity.x");
    *spin = value_of(&x, "wheel.angular_velocity");
    assert_near(value_of(&x, "energy.error"), 0, 1e-8);
    close_run(&x);
}

static void test_braked_wheel(void **state)
{
    (void)state;
    double speed, spin, T = 8;
    brake(T, &speed, &spin);
    assert_near(speed, 5 - 0.1 * T / 0.3 / (10 + 0.2 / 0.09), 1e-9);
    assert_near(spin, -speed / 0.3, 1e-9);
    T = 40;
    brake(T, &speed, &spin);
    assert_near(speed, 5 - 0.1 * 0.5 * G, 1e-9);
    assert_near(spin, -5 / 0.3 + 0.1 * (T - 0.5 * 10 * G * 0.3) / 0.2, 1e-8);
}

/* Euler's disc with its centre at rest: the point of contact goes round with W^2 = 4 g / (R sin(alpha)). */
static void test_eulers_disc(void **state)
{
    (void)state;
    double a = 0.5, R = 0.1, W = sqrt(4 * G / (R * sin(a))), w = W * sin(a), t = 0.5;
    char text[1500];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { half_space: {} } ] }\n"
             "  disc: { mass: 1, inertia: [0.0025, 0.0025, 0.005], position: [0, 0, %.17g], rotation: { axis: y, angle: %.17g },\n"
             "          angular_velocity: [%.17g, 0, %.17g], shapes: [ { cylinder: { radius: 0.1, length: 2e-7 } } ] }\n"
             "contacts: { floor: { between: [ground, disc], friction: 1 } }\n"
             "solve: { until: %g, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n",
             R * sin(a) + 1e-7 * cos(a), a, -w * cos(a), w * sin(a), t);
    run x = run_text(text);
    assert_near(value_of(&x, "disc.position.z"), R * sin(a), 2e-6);
    assert_near(value_of(&x, "disc.position.x"), 0, 2e-5);
    assert_near(value_of(&x, "disc.angular_velocity.x"), -w * cos(a) * cos(W * t), 2e-3 * w);
    assert_near(value_of(&x, "disc.angular_velocity.y"), -w * cos(a) * sin(W * t), 2e-3 * w);
    assert_near(value_of(&x, "floor.normal"), G, 1e-3);
    assert_near(value_of(&x, "floor.state"), 2, 0);
    close_run(&x);
}

/* Jellett's integral L . (R z - a n) of a tippe top holds at any slip, and while it rolls. With point contact it rolls. */
static void test_jellett(void **state)
{
    (void)state;
    double J1 = 3.2e-6, J3 = 3.2e-6, R = 0.02, a = 0.003, s = sin(0.1), c = cos(0.1);
    char text[1500];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { half_space: {} } ] }\n"
             "  top: { mass: 0.02, inertia: [3.2e-6, 3.2e-6, 3.2e-6], position: [0, 0, %.17g], rotation: { axis: y, angle: 0.1 },\n"
             "         angular_velocity: [%.17g, 0, %.17g], frames: { peg: { at: [0, 0, 0.01] } },\n"
             "         shapes: [ { sphere: { radius: 0.02, at: [0, 0, 0.003] } } ] }\n"
             "contacts: { floor: { between: [ground, top], friction: 0.3 } }\n"
             "solve: { until: 0.5, tolerance: 1e-8 }\n", R - a * c, 180 * s, 180 * c);
    run x = run_text(text);
    double n[3], w[3], along = 0, turned = 0;
    const char *const axes[] = { "x", "y", "z" };
    for (int k = 0; k < 3; k++) {
        char name[40];
        snprintf(name, sizeof name, "top.peg.position.%s - top.position.%s", axes[k], axes[k]);
        n[k] = value_of(&x, name) / 0.01;
        snprintf(name, sizeof name, "top.angular_velocity.%s", axes[k]);
        w[k] = value_of(&x, name);
        along += n[k] * w[k];
    }
    turned = J1 * w[2] * R - J3 * along * a + (J3 - J1) * along * n[2] * R;
    assert_near(turned, 180 * (J3 * R * c - J3 * a), 1e-6 * 180 * J3 * R);
    assert_true(n[2] > 0.9);
    assert_near(value_of(&x, "energy.error"), 0, 1e-6);
    close_run(&x);
}

/* With the friction of a contact patch (Coulomb and Contensou) it never sticks, turns over and stands on its peg: its
 * centre of mass rises by 2 a. */
static run run_example(const char *name)
{
    char path[300];
    run x = { 0 };
    snprintf(path, sizeof path, TENON_SOURCE_DIR "/examples/%s.yaml", name);
    x.r = read_path(path);
    assert_int_equal(x.r.code, TN_OK);
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    x.code = tn_session_run(x.session);
    assert_int_equal(x.code, TN_NEWS_END);
    return x;
}

static void test_tippe_top(void **state)
{
    (void)state;
    run x = run_example("tippe-top");
    double peg = value_of(&x, "(top.peg.position.z - top.position.z) / 1 cm");
    assert_true(peg < -0.9);
    assert_near(value_of(&x, "top.position.z"), 0.02 - 0.003 * peg, 1e-9);
    assert_near(value_of(&x, "energy.error"), 0, 1e-8);
    close_run(&x);
}

/* The wheel of a Geneva drive with four slots turns by a quarter in every turn of the crank; the pin has a clearance of
 * 0.1 mm on each side, 50 mm from the axle. */
static void test_geneva_drive(void **state)
{
    (void)state;
    run x = run_example("geneva");
    assert_near(value_of(&x, "axle.angle"), -3.14159265358979323846, 2 * 0.1 / 50);
    assert_near(value_of(&x, "axle.angle.rate"), 0, 1e-3);
    close_run(&x);
}

/* The wheel of an escapement with ten pins advances by a tenth of a turn in every period of the pendulum. */
static void test_escapement(void **state)
{
    (void)state;
    run x = run_example("escapement");
    double period = 2 * 3.14159265358979323846 * sqrt((0.1 * 0.1 * 0.1 + 1e-5) / (0.1 * G * 0.1)), pitch = 0.628318530717958648;
    assert_near(value_of(&x, "arbor.angle"), -pitch * 8 / period, 0.5 * pitch);
    assert_true(tn_session_impact_count(x.session) > 40);
    close_run(&x);
}

/* A ball falls on a surface of triangles that are small beside the ball. The triangle that it meets first is near at neither
 * end of the searched piece; the impact must not be located too late. */
static void test_fine_surface(void **state)
{
    (void)state;
    enum { FIRST_X = 100, FIRST_Y = 105, CELLS = 24, ALL = 224 };
    static char text[20000];
    size_t n = (size_t)snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                                "  ball: { shapes: [ { sphere: { radius: 0.03 }, mass: 1 } ], position: [0.5, 0.52, 0.2] }\n"
                                "  ground: { shapes: [ { height_field: { spacing: [%.17g, %.17g], at: [%.17g, %.17g, 0], heights: [",
                                1.0 / ALL, 1.0 / ALL, (double)FIRST_X / ALL, (double)FIRST_Y / ALL);
    for (int j = 0; j <= CELLS; j++)
        for (int i = 0; i <= CELLS; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.9f%s", i == 0 ? "[" : ", ",
                                  0.02 * sin(9.0 * (FIRST_X + i) / ALL) * cos(7.0 * (FIRST_Y + j) / ALL),
                                  i < CELLS ? "" : j < CELLS ? "], " : "]");
    snprintf(text + n, sizeof text - n, "] } } ] }\ncontacts: { c: { between: [ground, ball], friction: 0.3, restitution: 0.3 } }\n"
             "solve: { until: 0.35 }\n");
    run x = { .r = accepted(text) };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_near(value_of(&x, "energy.error"), 0, 1e-8);
    close_run(&x);
}

/* Feet of a tripod that slides and spins, with its centre of mass at their height: each bears a third of the weight, and rubs
 * against its own slip. rate: of velocity (x, y), spin and angle. */
static void tripod_rate(const double y[4], double rate[4])
{
    const double friction = 0.3, radius = 0.2, inertia = 0.02;
    rate[0] = rate[1] = rate[2] = 0;
    rate[3] = y[2];
    for (int k = 0; k < 3; k++) {
        double angle = y[3] + 2 * acos(-1) * k / 3, r[2] = { radius * cos(angle), radius * sin(angle) };
        double v[2] = { y[0] - y[2] * r[1], y[1] + y[2] * r[0] }, speed = hypot(v[0], v[1]);
        double f[2] = { -friction * G / 3 * v[0] / speed, -friction * G / 3 * v[1] / speed };
        rate[0] += f[0];
        rate[1] += f[1];
        rate[2] += (r[0] * f[1] - r[1] * f[0]) / inertia;
    }
}

/* By many steps of the classical Runge-Kutta method. */
static void tripod_motion(double y[4], double time)
{
    static const double part[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    const int steps = 4000;
    double h = time / steps;
    for (int n = 0; n < steps; n++) {
        double rate[4] = { 0 }, at[4], sum[4] = { 0 };
        for (int k = 0; k < 4; k++) {
            for (int j = 0; j < 4; j++)
                at[j] = y[j] + part[k] * h * rate[j];
            tripod_rate(at, rate);
            for (int j = 0; j < 4; j++)
                sum[j] += weight[k] * rate[j] * h / 6;
        }
        for (int j = 0; j < 4; j++)
            y[j] += sum[j];
    }
}

/* It slides as the equations above say, and ceases to slide and to spin at the same time. */
static void test_tripod(void **state)
{
    (void)state;
    static const double ends[] = { 0.2, 0.4, 1 };
    for (int k = 0; k < 3; k++) {
        char solve[100];
        double y[4] = { 1, 0, 6, 0 };
        snprintf(solve, sizeof solve, "solve: { until: %g, tolerance: 1e-11, absolute_tolerance: 1e-13 }\n", ends[k]);
        run x = run_parts(
            "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
            "  tripod: { mass: 1, inertia: [0.01, 0.01, 0.02], com: [0, 0, -1 mm], position: [0, 0, 1 mm], velocity: [1, 0, 0],\n"
            "            angular_velocity: [0, 0, 6], shapes: [ { sphere: { radius: 1 mm, at: [0.2, 0, 0] } },\n"
            "              { sphere: { radius: 1 mm, at: [-0.1, 0.17320508075688773, 0] } },\n"
            "              { sphere: { radius: 1 mm, at: [-0.1, -0.17320508075688773, 0] } } ] }\n"
            "contacts: { floor: { between: [ground, tripod], friction: 0.3 } }\n",
            "events: { slid: { when: norm(tripod.velocity) - 1e-3, crosses: down },\n"
            "          spun: { when: tripod.angular_velocity.z - 1e-2, crosses: down } }\n", solve);
        assert_int_equal(x.code, TN_NEWS_END);
        tripod_motion(y, fmin(ends[k], 0.4));
        if (k < 2) {
            assert_near(value_of(&x, "tripod.velocity.x"), y[0], 1e-7);
            assert_near(value_of(&x, "tripod.velocity.y"), y[1], 1e-7);
            assert_near(value_of(&x, "tripod.angular_velocity.z"), y[2], 1e-6);
        } else {
            assert_int_equal(tn_session_fired_count(x.session), 2);
            assert_near(tn_session_fired(x.session, 0).time, tn_session_fired(x.session, 1).time, 1e-2);
            assert_near(value_of(&x, "tripod.velocity.x"), 0, 1e-9);
            assert_near(value_of(&x, "tripod.angular_velocity.z"), 0, 1e-9);
        }
        close_run(&x);
    }
}

/* A rattleback that is spun against the turn of its heavy axes comes back with all its energy; spun the other way it goes on. */
static void test_rattleback(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        char bodies[700];
        snprintf(bodies, sizeof bodies,
                 "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                 "  stone: { mass: 1, com: [0, 0, -1 cm], inertia: [0.0002, 0.0016, 0.0017, -0.00002, 0, 0], position: [0, 0, 2 cm],\n"
                 "           shapes: [ { ellipsoid: { half_axes: [20 cm, 3 cm, 2 cm] } } ], angular_velocity: [0.01, 0.02, %d],\n"
                 "           guess: yes }\ncontacts: { table: { between: [ground, stone], friction: 1 } }\n", 5 * way);
        run x = run_parts(bodies, "", way < 0 ? "solve: { until: 7.2 }\n" : "solve: { until: 2 }\n");
        assert_int_equal(x.code, TN_NEWS_END);
        assert_true(value_of(&x, "stone.angular_velocity.z") > 4.5);
        assert_near(value_of(&x, "energy.error"), 0, 1e-6);
        close_run(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rocking_block), cmocka_unit_test(test_masse),     cmocka_unit_test(test_braked_wheel),
        cmocka_unit_test(test_eulers_disc),   cmocka_unit_test(test_jellett),
        cmocka_unit_test(test_tippe_top),     cmocka_unit_test(test_geneva_drive), cmocka_unit_test(test_escapement),
        cmocka_unit_test(test_fine_surface),  cmocka_unit_test(test_tripod),    cmocka_unit_test(test_rattleback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
