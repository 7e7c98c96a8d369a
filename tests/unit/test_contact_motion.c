/* Contacts against closed forms: bounces, chains of balls, friction, rolling, resting, tipping, cams. */
#include "event_runs.h"

#define PLANE "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
#define FLOOR "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"

static run run_text(const char *text)
{
    return run_parts(text, "", "");
}

/* ---- bounces ---- */

static const char bounces[] =
    PLANE "bodies:\n" FLOOR
    "  ball: { mass: 1 kg, inertia: 0.004, position: [0, 1.1], velocity: [1, 0],\n"
    "          shapes: [ { disc: { radius: 0.1 } } ] }\n"
    "contacts: { floor: { between: [ground, ball], restitution: 0.8 } }\n";

static void check_bounces(const char *solve, double tolerance)
{
    run x = run_parts(bounces, "", solve);
    double v = sqrt(2 * G), t = v / G;
    for (size_t k = 0; k < 20; k++) {
        tn_impact impact = tn_session_impact(x.session, k);
        assert_string_equal(impact.name, "floor");
        assert_near(impact.time, t, tolerance);
        assert_near(impact.speed, v, 10 * tolerance);
        assert_near(impact.impulse, 1.8 * v, 20 * tolerance);
        v *= 0.8;
        t += 2 * v / G;
    }
    double end = sqrt(2 / G) * (1 + 2 * 0.8 / (1 - 0.8)), last = 2 * 1e-6 * sqrt(2 * G) / G / (1 - 0.8);
    assert_near(tn_session_impact(x.session, tn_session_impact_count(x.session) - 1).time, end, last + 2e3 * tolerance);
    assert_near(value_of(&x, "ball.position.y"), 0.1, 1e-13);
    assert_near(value_of(&x, "ball.velocity.y"), 0, 1e-13);
    assert_near(value_of(&x, "ball.position.x"), 6, 1e-9);
    assert_near(value_of(&x, "floor.normal"), G, 1e-12);
    assert_near(value_of(&x, "floor.force.y"), G, 1e-12);
    assert_near(value_of(&x, "floor.closed"), 1, 0);
    assert_near(value_of(&x, "energy.error"), 0, 1e-10 + 10 * tolerance);
    close_run(&x);
}

static void test_bouncing_ball(void **state)
{
    (void)state;
    check_bounces("solve: { until: 6 }\n", 1e-11);
    check_bounces("solve: { until: 6, integrator: dop853, impact: newton }\n", 1e-11);
    check_bounces("solve: { until: 6, integrator: rk4, step: 0.02, impact: poisson }\n", 1e-11);
    check_bounces("solve: { until: 6, integrator: cvode, tolerance: 1e-12, absolute_tolerance: 1e-12 }\n", 1e-8);
    check_bounces("solve: { until: 6, integrator: ida, tolerance: 1e-12, absolute_tolerance: 1e-12, max_step: 0.05 }\n",
                  1e-8);
}

/* ---- balls in a row ---- */

/* Five balls that touch, so many of them coming in with 1 m/s; speeds afterwards. */
static void row_of_balls(const char *rule, int in, double out[5])
{
    char text[3000], name[40];
    size_t n = (size_t)snprintf(text, sizeof text, "tenon: 1\ndimension: 2\nbodies:\n");
    for (int k = 0; k < 5; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "  b%d: { mass: 0.3, inertia: 1, position: [%g, 0], "
                              "velocity: [%d, 0], shapes: [ { disc: { radius: 0.1 } } ] }\n", k,
                              k < in ? 0.2 * k - 0.5 : 0.2 * k, k < in);
    snprintf(text + n, sizeof text - n, "contacts: { balls: { among: [b0, b1, b2, b3, b4], restitution: 1 } }\n"
             "solve: { until: 0.75, impact: %s }\n", rule);
    run x = run_text(text);
    assert_near(tn_session_impact(x.session, 0).time, 0.5, 1e-12);
    assert_near(tn_session_summary(x.session).energy_error, 0, 1e-14);
    for (int k = 0; k < 5; k++) {
        snprintf(name, sizeof name, "b%d.velocity.x", k);
        out[k] = value_of(&x, name);
    }
    close_run(&x);
}

static void test_cradle(void **state)
{
    (void)state;
    double v[5];
    for (int in = 1; in <= 3; in++) {
        row_of_balls("sequence", in, v);               /* as many go out as came in */
        for (int k = 0; k < 5; k++)
            assert_near(v[k], k >= 5 - in, 1e-12);
        for (int law = 0; law < 2; law++) {            /* all at once: two groups with one speed each */
            row_of_balls(law ? "poisson" : "newton", in, v);
            for (int k = 0; k < 5; k++)
                assert_near(v[k], k < in ? 1 - 2.0 * (5 - in) / 5 : 2.0 * in / 5, 1e-12);
        }
    }
}

/* A bar strikes the floor with two feet at one instant, at 0.4 and 1.8 m/s. W = [1.4, -0.7; -0.7, 2.1]. One after the other: the faster
 * foot, then the other, then the first one again; at once: each leaves with half of its approach. */
static void test_two_feet(void **state)
{
    static const char bar[] =
        "tenon: 1\ndimension: 2\nbodies:\n" FLOOR
        "  bar: { mass: 2, inertia: 0.1, position: [0, 0.05], velocity: [0, -1], angular_velocity: 2,\n"
        "         shapes: [ { disc: { radius: 0.05, at: [0.3, 0] } }, { disc: { radius: 0.05, at: [-0.4, 0] } } ] }\n"
        "contacts: { floor: { between: [ground, bar], restitution: 0.5 } }\n";
    double w[2] = { -0.4, -1.8 }, sum[2] = { 0 };
    (void)state;
    for (int i = 1; w[i] < 0; i = w[1] < 0) {
        double p = -1.5 * w[i] / (i ? 2.1 : 1.4);
        w[i] *= -0.5;
        w[!i] -= 0.7 * p;
        sum[i] += p;
    }
    run x = run_parts(bar, "", "solve: { until: 0.01 }\n");
    assert_near(value_of(&x, "bar.velocity.y"), -1 + (sum[0] + sum[1]) / 2, 1e-12);
    assert_near(value_of(&x, "bar.angular_velocity"), 2 + 3 * sum[0] - 4 * sum[1], 1e-12);
    close_run(&x);
    x = run_parts(bar, "", "solve: { until: 0.01, impact: newton }\n");
    assert_near(value_of(&x, "bar.velocity.y"), 0.5, 1e-12);
    assert_near(value_of(&x, "bar.angular_velocity"), -1, 1e-12);
    close_run(&x);
}

/* ---- friction ---- */

/* A block on an incline, thrown up it with a speed: where it is along the incline at the end. */
static double slide(double degrees, double speed, double until, double *final_speed)
{
    double a = degrees * 3.14159265358979323846 / 180, c = cos(a), s = sin(a);
    char text[1500];
    snprintf(text, sizeof text, PLANE
             "bodies:\n"
             "  ground: { shapes: [ { half_space: { normal: [%.17g, %.17g] } } ] }\n"
             "  block: { mass: 2 kg, inertia: 0.01, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, %.17g],\n"
             "           shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
             "contacts: { floor: { between: [ground, block], friction: 0.3 } }\n"
             "solve: { until: %g }\n", -s, c, -0.05 * s, 0.05 * c, a, speed * c, speed * s, until);
    run x = run_text(text);
    double along = value_of(&x, "block.position.x") * c + value_of(&x, "block.position.y") * s;
    *final_speed = value_of(&x, "block.velocity.x") * c + value_of(&x, "block.velocity.y") * s;
    assert_near(value_of(&x, "floor.normal"), 2 * G * c, 1e-9);
    assert_near(value_of(&x, "floor.force.x"), *final_speed < -1e-6 ? 2 * G * c * (0.3 * c - s) : 0, 1e-9);
    assert_near(value_of(&x, "block.angle"), a, 1e-12);
    assert_near(value_of(&x, "energy.error"), 0, 1e-10);
    close_run(&x);
    return along;
}

/* atan 0.3 = 16.699 degrees: below, it sticks; above, it slides. */
static void test_incline(void **state)
{
    (void)state;
    double speed, rad = 3.14159265358979323846 / 180, t, down;
    assert_near(slide(16.69, 0, 10, &speed), 0, 1e-14);
    assert_near(speed, 0, 1e-15);
    down = G * (sin(16.71 * rad) - 0.3 * cos(16.71 * rad));
    assert_near(slide(16.71, 0, 2, &speed), -down * 2, 1e-9);
    assert_near(speed, -down * 2, 1e-9);
    t = 2 / (G * (sin(10 * rad) + 0.3 * cos(10 * rad)));       /* up, then it stays */
    assert_near(slide(10, 2, 2, &speed), t, 1e-9);
    assert_near(speed, 0, 1e-15);
    t = 2 / (G * (sin(30 * rad) + 0.3 * cos(30 * rad)));       /* up, and down again */
    down = G * (sin(30 * rad) - 0.3 * cos(30 * rad));
    assert_near(slide(30, 2, 2, &speed), t - down * (2 - t) * (2 - t) / 2, 1e-9);
    assert_near(speed, -down * (2 - t), 1e-9);
}

/* A ball that slides first rolls from t = 2 v / (7 mu g) on, with 5/7 of its speed; in any direction. */
static void test_bowling(void **state)
{
    (void)state;
    run x = run_text(
        "tenon: 1\ndimension: 3\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
        "  ball: { mass: 2 kg, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1], velocity: [3, 4, 0],\n"
        "          shapes: [ { sphere: { radius: 0.1 } } ] }\n"
        "contacts: { floor: { between: [ground, ball], friction: 0.2 } }\n"
        "events: { rolls: { when: 'floor.closed * (ball.velocity.x - 0.1 m * ball.angular_velocity.y) - 1e-7 m/s' } }\n"
        "solve: { until: 3, tolerance: 1e-11, absolute_tolerance: 1e-12 }\n");
    double t = 2 * 5 / (7 * 0.2 * G), way = 5 * t - 0.1 * G * t * t + 25.0 / 7 * (3 - t);
    assert_near(tn_session_fired(x.session, 0).time, t, 1e-7);
    assert_near(value_of(&x, "ball.velocity.x"), 15.0 / 7, 1e-9);
    assert_near(value_of(&x, "ball.velocity.y"), 20.0 / 7, 1e-9);
    assert_near(value_of(&x, "ball.angular_velocity.x"), -200.0 / 7, 1e-8);
    assert_near(value_of(&x, "ball.position.x"), 0.6 * way, 1e-9);
    assert_near(value_of(&x, "ball.position.y"), 0.8 * way, 1e-9);
    assert_near(value_of(&x, "energy.error"), 0, 1e-9);
    close_run(&x);
}

/* The same in the plane, thrown with backspin: it comes back. */
static void test_backspin(void **state)
{
    (void)state;
    run x = run_text(
        PLANE "bodies:\n" FLOOR
        "  hoop: { mass: 1 kg, inertia: 0.01, position: [0, 0.1], velocity: [1, 0], angular_velocity: 40,\n"
        "          shapes: [ { disc: { radius: 0.1 } } ] }\n"
        "contacts: { floor: { between: [ground, hoop], friction: 0.1 } }\n"
        "solve: { until: 4 }\n");
    /* slip 1 + 4 = 5 m/s falls with mu g (1 + m r^2 / J) = 2 mu g; then v = 1 - 5 / 2 */
    double t = 5 / (0.2 * G), x1 = t - 0.05 * G * t * t;
    assert_near(value_of(&x, "hoop.velocity.x"), -1.5, 1e-10);
    assert_near(value_of(&x, "hoop.angular_velocity"), 15, 1e-9);
    assert_near(value_of(&x, "hoop.position.x"), x1 - 1.5 * (4 - t), 1e-9);
    assert_near(value_of(&x, "floor.force.x"), 0, 1e-12);
    close_run(&x);
}

/* ---- resting ---- */

static void assert_at_rest(const run *x, const char *body, int dimension)
{
    static const char axes[] = "xyz";
    for (int k = 0; k < dimension; k++) {
        char name[60];
        snprintf(name, sizeof name, "%s.velocity.%c", body, axes[k]);
        assert_near(value_of(x, name), 0, 1e-13);
    }
}

static void test_resting_box(void **state)
{
    (void)state;
    run x = run_text(
        "tenon: 1\ndimension: 3\ngravity: [0.5, -0.3, -9.81]\n"
        "bodies:\n"
        "  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
        "  box: { position: [0.3, 0.1, 0.2], shapes: [ { box: { size: [0.6, 0.8, 0.4] }, density: 100 } ] }\n"
        "contacts: { floor: { between: [ground, box], friction: 0.3 } }\n"
        "solve: { until: 10 }\n");
    double mass = 19.2;
    assert_int_equal(x.code, TN_NEWS_END);
    assert_at_rest(&x, "box", 3);
    assert_near(value_of(&x, "box.position.x"), 0.3, 1e-13);
    assert_near(value_of(&x, "floor.normal"), mass * G, 1e-10);
    assert_near(value_of(&x, "floor.force.x"), -mass * 0.5, 1e-10);
    assert_near(value_of(&x, "floor.force.y"), mass * 0.3, 1e-10);
    assert_int_equal(tn_session_impact_count(x.session), 0);
    close_run(&x);
}

/* Three boxes fall on each other and come to rest, as a stack. */
static void test_stack(void **state)
{
    (void)state;
    run x = run_text(
        PLANE "bodies:\n" FLOOR
        "  a: { position: [0, 0.3], shapes: [ { box: { size: [1, 0.2] }, density: 100 } ] }\n"
        "  b: { position: [0.1, 0.7], shapes: [ { box: { size: [0.8, 0.2] }, density: 100 } ] }\n"
        "  c: { position: [-0.1, 1.1], shapes: [ { box: { size: [0.6, 0.2] }, density: 100 } ] }\n"
        "contacts:\n"
        "  floor: { between: [ground, a], restitution: 0.2, friction: 0.5 }\n"
        "  lower: { between: [a, b], restitution: 0.2, friction: 0.5 }\n"
        "  upper: { between: [b, c], restitution: 0.2, friction: 0.5 }\n"
        "solve: { until: 10 }\n");
    assert_int_equal(x.code, TN_NEWS_END);
    for (const char *name = "abc"; *name; name++)
        assert_at_rest(&x, (char[2]){ *name, 0 }, 2);
    assert_near(value_of(&x, "c.position.y"), 0.5, 1e-9);
    assert_near(value_of(&x, "upper.normal"), 12 * G, 1e-9);
    assert_near(value_of(&x, "lower.normal"), 28 * G, 1e-9);
    assert_near(value_of(&x, "floor.normal"), 48 * G, 1e-9);
    assert_near(value_of(&x, "floor.gap"), 0, 1e-13);
    close_run(&x);
}

/* A disc in a groove of two slopes: forces by the triangle of forces. */
static void test_groove(void **state)
{
    (void)state;
    run x = run_text(
        PLANE "bodies:\n"
        "  ground: { shapes: [ { half_space: { normal: [sin(30 deg), cos(30 deg)] } },\n"
        "                      { half_space: { normal: [-sin(60 deg), cos(60 deg)] } } ] }\n"
        "  disc: { mass: 3 kg, inertia: 0.1, position: [0.05, 0.8], shapes: [ { disc: { radius: 0.2 } } ] }\n"
        "contacts: { groove: { between: [ground, disc], restitution: 0.3 } }\n"
        "solve: { until: 6 }\n");
    double along = 0.2 * (sin(3.14159265358979323846 / 6) - cos(3.14159265358979323846 / 6));
    assert_near(value_of(&x, "disc.position.x"), along, 1e-12);
    assert_near(value_of(&x, "groove.closed"), 2, 0);
    assert_near(value_of(&x, "groove.normal"), 3 * G * (cos(0.52359877559829882) + sin(0.52359877559829882)), 1e-9);
    assert_at_rest(&x, "disc", 2);
    close_run(&x);
}

/* ---- tipping and cams ---- */

/* Pulled at its top with 3 N/s t, a block tips when the pull's moment passes that of its weight. */
static void test_tipping(void **state)
{
    (void)state;
    run x = run_text(
        PLANE "bodies:\n" FLOOR
        "  block: { mass: 2 kg, inertia: 0.05, position: [0, 0.3], frames: { top: { at: [0, 0.3] } },\n"
        "           shapes: [ { box: { size: [0.2, 0.6] } } ] }\n"
        "contacts: { floor: { between: [ground, block], friction: 0.6 } }\n"
        "forces: { pull: { type: force, on: block.top, value: [\"3 N/s * t\", 0] } }\n"
        "solve: { until: 1.2, tolerance: 1e-11, absolute_tolerance: 1e-12 }\n");
    double t = 2 * G * 0.1 / (3 * 0.6), inertia = 0.05 + 2 * (0.01 + 0.09), after = 1.2 - t;
    double angle = 3 * 0.6 * pow(after, 3) / (6 * inertia);
    assert_near(value_of(&x, "floor.closed"), 1, 0);
    assert_near(value_of(&x, "block.angle"), -angle, 1e-3 * angle + 20 * angle * angle);
    close_run(&x);
}

/* A flat follower on an eccentric disc: y = e sin(w t) + R until that would need more than gravity gives. */
static void test_cam(void **state)
{
    (void)state;
    static const double w = 20, e = 0.05;
    run x = run_text(
        PLANE "bodies:\n"
        "  cam: { mass: 1 kg, inertia: 0.01, position: [0.05, 0], shapes: [ { disc: { radius: 0.1 } } ] }\n"
        "  rod: { mass: 2 kg, inertia: 1, position: [0, 0.1], shapes: [ { half_space: { normal: [0, -1] } } ] }\n"
        "joints:\n"
        "  shaft: { type: revolute, between: [ground, cam], at: [0, 0] }\n"
        "  guide: { type: translational, between: [ground, rod], at: [0, 0], axis: y }\n"
        "drives: { turn: { joint: shaft, angle: 20 rad/s * t } }\n"
        "contacts: { face: { between: [cam, rod] } }\n"
        "events: { off: { when: face.closed - 0.5, crosses: down, once: yes } }\n"
        "initial: { guide: { rate: 1 } }\n"
        "solve: { until: 0.05, tolerance: 1e-11, absolute_tolerance: 1e-12 }\n");
    double t = asin(G / (e * w * w)) / w, rest = 0.05 - t;
    assert_near(tn_session_fired(x.session, 0).time, t, 1e-9);
    assert_near(value_of(&x, "rod.position.y"),
                e * sin(w * t) + 0.1 + e * w * cos(w * t) * rest - G * rest * rest / 2, 1e-9);
    close_run(&x);
}

/* What rolls down a fixed cylinder (R = 0.5 m) from its top leaves it where cos(a) = 2 / (3 + k) of that at its start, k = J / (m r^2):
 * w^2 (R + r) = g cos(a). The other cylinder lies along it on a line, and may be longer. */
static void leave(const char *shape, double k)
{
    const double start = 0.05, far = 0.6;
    char text[900];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { cylinder: { radius: 0.5, length: 2, axis: y } } ] }\n"
             "  part: { mass: 1, inertia: [%.17g, %.17g, %.17g], shapes: [ { %s } ], position: [%.17g, 0, %.17g] }\n"
             "contacts: { c: { between: [ground, part], friction: 1000 } }\n"
             "events: { off: { when: c.closed - 0.5, crosses: down, do: stop } }\n"
             "solve: { until: 5, tolerance: 1e-10 }\n", 0.01 * k, 0.01 * k, 0.01 * k, shape, far * sin(start), far * cos(start));
    run x = run_parts(text, "", "");
    assert_near(value_of(&x, "part.position.z") / far, 2 / (3 + k) * cos(start), 1e-4);           /* friction is finite: it slips before */
    assert_near(value_of(&x, "part.position.y"), 0, 1e-9);
    assert_int_equal(tn_session_summary(x.session).holds, 0);
    close_run(&x);
}

static void test_rolling_off_a_cylinder(void **state)
{
    (void)state;
    leave("cylinder: { radius: 0.1, length: 0.3, axis: y }", 0.5);
    leave("cylinder: { radius: 0.1, length: 3, axis: y }", 0.5);
    leave("tube: { radius: 0.1, inner: 0.08, length: 0.3, axis: y }", 0.82);
    leave("capsule: { radius: 0.1, length: 0.3, axis: y }", 0.5);
    leave("sphere: { radius: 0.1 }", 0.4);
}

/* A ball rolls off an ellipsoid within a plane in which that is a circle, as off a cylinder. */
static void test_rolling_off_an_ellipsoid(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                      "  ground: { shapes: [ { ellipsoid: { half_axes: [0.5, 0.7, 0.5] } } ] }\n"
                      "  ball: { shapes: [ { sphere: { radius: 0.1 }, mass: 1 } ], position: [0.029987501562406616, 0, 0.59925014055058643] }\n"
                      "contacts: { c: { between: [ground, ball], friction: 1000 } }\n"
                      "events: { off: { when: c.closed - 0.5, crosses: down, do: stop } }\n", "",
                      "solve: { until: 5, tolerance: 1e-10, contact: event-driven }\n");
    assert_near(value_of(&x, "ball.position.z") / 0.6, 10.0 / 17 * 0.59925014055058643 / 0.6, 1e-4);
    assert_near(value_of(&x, "ball.position.y"), 0, 1e-9);
    close_run(&x);
}

/* A ball slides around a smooth ellipsoid of revolution, drawn to its centre by a spring: energy and angular momentum about the axis
 * stay, and the ball stays on the surface. */
static void test_around_an_ellipsoid(void **state)
{
    (void)state;
    run x = run_text("tenon: 1\nbodies:\n"
                     "  ground: { shapes: [ { ellipsoid: { half_axes: [0.5, 0.3, 0.5], at: [1, 0, 0] } } ] }\n"
                     "  ball: { shapes: [ { sphere: { radius: 0.1 }, mass: 2 } ], position: [1.6, 0, 0], velocity: [0, 0.8, 0.6] }\n"
                     "forces: { draw: { type: spring, between: [ground, ball], ends: [{ at: [1, 0, 0] }, {}], stiffness: 100, length: 0 } }\n"
                     "contacts: { c: { between: [ground, ball] } }\n"
                     "solve: { until: 3, tolerance: 1e-10, absolute_tolerance: 1e-11, contact: event-driven }\n");
    double spin = (value_of(&x, "ball.position.x") - 1) * value_of(&x, "ball.velocity.z") -
                  value_of(&x, "ball.position.z") * value_of(&x, "ball.velocity.x");
    assert_near(spin, 0.6 * 0.6, 1e-8);
    assert_near(value_of(&x, "energy.error"), 0, 1e-7);
    assert_near(value_of(&x, "c.gap"), 0, 1e-9);
    close_run(&x);
}

/* A ball rolls straight down the side of a cone of 45 degrees. */
static void test_down_a_cone(void **state)
{
    (void)state;
    const double start = 0.5 + 0.1 / sqrt(2), slope = sqrt(0.5);
    char text[900];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { cone: { radius: 2, from: [0, 0, -1], to: [0, 0, 1] } } ] }\n"
             "  ball: { shapes: [ { sphere: { radius: 0.1 }, mass: 1 } ], position: [%.17g, %.17g, %.17g] }\n"
             "contacts: { c: { between: [ground, ball], friction: 1 } }\n"
             "solve: { until: 0.3, tolerance: 1e-10, contact: event-driven }\n", 0.6 * start, 0.8 * start, 0.5 + 0.1 * slope);
    run x = run_text(text);
    double way = 5.0 / 7 * G * slope * 0.3 * 0.3 / 2;
    assert_near(value_of(&x, "ball.position.z"), 0.5 + 0.1 * slope - way * slope, 1e-8);
    assert_near(value_of(&x, "ball.position.x"), 0.6 * (start + way * slope), 1e-8);
    close_run(&x);
}

/* A step of 0.1 s would take the disc over 100,000 of its diameters, each of which has to be searched for touches: nothing could
 * stop the run meanwhile. */
static void test_steps_of_fast_slides_are_bounded(void **state)
{
    (void)state;
    run x = run_parts(PLANE "bodies:\n" FLOOR
                      "  disc: { shapes: [ { disc: { radius: 10 mm }, mass: 1 kg } ], position: [0, 0.01], velocity: [20000, 0] }\n"
                      "contacts: { floor: { between: [ground, disc], restitution: 0 } }\n",
                      "", "solve: { until: 5 ms, integrator: dopri5, tolerance: 1e-8 }\n");
    assert_near(value_of(&x, "disc.position.x"), 100, 1e-9);
    assert_near(value_of(&x, "floor.normal"), G, 1e-9);
    assert_true(tn_session_summary(x.session).steps > 50);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_fast_slides_are_bounded),
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_two_feet),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_bowling),
        cmocka_unit_test(test_backspin),
        cmocka_unit_test(test_resting_box),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_groove),
        cmocka_unit_test(test_tipping),
        cmocka_unit_test(test_cam),
        cmocka_unit_test(test_rolling_off_a_cylinder),
        cmocka_unit_test(test_rolling_off_an_ellipsoid),
        cmocka_unit_test(test_around_an_ellipsoid),
        cmocka_unit_test(test_down_a_cone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
