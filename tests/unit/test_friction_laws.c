/* Laws of touching surfaces against closed forms: static and kinetic friction, Stribeck, viscous, grain, belts, rolling,
 * drilling, adhesion, restitution by speed and along the surface. */
#include "event_runs.h"

#define PLANE "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
#define SPACE "tenon: 1\ngravity: [0, 0, -9.81]\n"
#define FLOOR "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
#define GROUND "  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
#define BLOCK "  block: { mass: 2 kg, inertia: 0.01, position: [0, 0.05], shapes: [ { box: { size: [0.2, 0.1] } } ]"

static const double PI = 3.14159265358979323846;

static run run_text(const char *text)
{
    run x = run_parts(text, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    return x;
}

/* ---- static and kinetic friction ---- */

/* A force that grows breaks the block away at the static coefficient; then the kinetic one holds. */
static void test_breakaway(void **state)
{
    (void)state;
    run x = run_text(PLANE "bodies:\n" FLOOR BLOCK ", velocity: [0, 0] }\n"
                     "forces: { push: { type: force, on: block, value: [4 N/s * t, 0] } }\n"
                     "contacts: { floor: { between: [ground, block], friction: 0.2, static_friction: 0.4 } }\n"
                     "events: { moves: { when: 'block.velocity.x - 1e-6 m/s' } }\n"
                     "solve: { until: 3, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n");
    double t = 0.4 * 2 * G / 4, end = 3;
    assert_near(value_of(&x, "block.velocity.x"), (2 * (end * end - t * t) - 0.4 * G * (end - t)) / 2, 1e-9);
    assert_near(value_of(&x, "floor.force.x"), -0.4 * G, 1e-9);
    assert_near(tn_session_fired(x.session, 0).time, t, 1e-6);
    assert_near(value_of(&x, "energy.error"), 0, 1e-9);
    close_run(&x);
}

/* A box on a plate that is tilted slowly breaks away at the static angle on all its corners at once, straight down the slope. */
static void test_breakaway_on_a_plate(void **state)
{
    (void)state;
    run x = run_text("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                     "  plate: { mass: 5, inertia: [1, 1, 1], shapes: [ { box: { size: [4, 1, 0.1], at: [0, 0, -0.05] } } ] }\n"
                     "  box: { shapes: [ { box: { size: [0.2, 0.2, 0.1] }, mass: 1 } ], position: [0, 0, 0.05] }\n"
                     "joints: { hinge: { type: revolute, between: [ground, plate], at: [0, 0, 0], axis: y } }\n"
                     "drives: { tilt: { joint: hinge, angle: '0.2 * t' } }\n"
                     "contacts: { c: { between: [plate, box], friction: 0.4, static_friction: 0.6 } }\n"
                     "events: { slips: { when: c.slip - 1e-3, crosses: up } }\n"
                     "solve: { until: 2.75, max_step: 10 ms }\n");
    /* tangential g sin a + h a'' = g sin a, normal g cos a - h w^2 */
    double angle = 0.2 * tn_session_fired(x.session, tn_session_fired_count(x.session) - 1).time, h = 0.05, w = 0.2;
    assert_near(sin(angle) * G, 0.6 * (G * cos(angle) - h * w * w), 3e-3);     /* a slip of 1 mm/s takes 0.6 ms */
    assert_int_equal(tn_session_summary(x.session).holds, 0);
    assert_near(value_of(&x, "box.velocity.y"), 0, 1e-8);
    assert_near(value_of(&x, "box.angular_velocity.z"), 0, 1e-6);
    close_run(&x);
}

/* On a slope between both angles of friction a block that slides up stops and stays; one that is pushed goes on. */
static double on_slope(double speed, double until, const char *solve)
{
    double a = 15 * PI / 180, c = cos(a), s = sin(a);        /* tan = 0.268 */
    char text[1500];
    snprintf(text, sizeof text, PLANE "bodies:\n"
             "  ground: { shapes: [ { half_space: { normal: [%.17g, %.17g] } } ] }\n"
             "  block: { mass: 2 kg, inertia: 0.01, position: [%.17g, %.17g], angle: 15 deg, velocity: [%.17g, %.17g],\n"
             "           shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"
             "contacts: { floor: { between: [ground, block], friction: 0.2, static_friction: 0.3 } }\n"
             "solve: { until: %g%s }\n", -s, c, -0.05 * s, 0.05 * c, speed * c, speed * s, until, solve);
    run x = run_text(text);
    double along = value_of(&x, "block.position.x") * c + value_of(&x, "block.position.y") * s;
    close_run(&x);
    return along;
}

static void test_slope_between_the_angles(void **state)
{
    (void)state;
    double a = 15 * PI / 180, up = G * (sin(a) + 0.2 * cos(a)), down = G * (sin(a) - 0.2 * cos(a));
    assert_near(on_slope(2, 3, ""), 4 / (2 * up), 1e-9);
    assert_near(on_slope(0, 3, ""), 0, 1e-12);
    assert_near(on_slope(-0.1, 3, ""), -0.3 - down * 4.5, 1e-9);
    assert_near(on_slope(2, 3, ", contact: time-stepping, contact_step: 0.1 ms"), 4 / (2 * up), 2e-3);
    assert_near(on_slope(-0.1, 3, ", contact: time-stepping, contact_step: 0.1 ms"), -0.3 - down * 4.5, 2e-3);
}

/* A mass on a spring, carried by a belt: sticks and slips in turn. With D = (mu_s - mu_k) N / k, it sticks for 2 D / V
 * and slips for 2 (pi - atan(w D / V)) / w; the extension at breakaway is mu_s N / k. */
static void test_stick_slip(void **state)
{
    (void)state;
    run x = run_text(PLANE "bodies:\n" FLOOR BLOCK ", velocity: [0.1, 0] }\n"
                     "forces: { spring: { type: force, on: block, value: [-50 N/m * block.position.x, 0] } }\n"
                     "contacts: { belt: { between: [ground, block], friction: 0.2, static_friction: 0.4,\n"
                     "                    surface_velocity: [0.1, 0] } }\n"
                     "events: { breaks: { when: 'block.velocity.x - 0.0999999 m/s' } }\n"
                     "solve: { until: 8, tolerance: 1e-11, absolute_tolerance: 1e-13 }\n");
    double V = 0.1, w = sqrt(50.0 / 2), D = 0.2 * 2 * G / 50;
    double first = 0.4 * 2 * G / 50 / V, slip = 2 * (PI - atan(w * D / V)) / w, stick = 2 * D / V;
    for (size_t k = 0; k < 2; k++) {                   /* the event fires at breakaway and where it sticks again */
        assert_near(tn_session_fired(x.session, 2 * k).time, first + (double)k * (slip + stick), 1e-6);
        assert_near(tn_session_fired(x.session, 2 * k + 1).time, first + slip + (double)k * (slip + stick), 1e-6);
    }
    assert_near(value_of(&x, "energy.error"), 0, 1e-9);
    close_run(&x);
}

/* ---- friction that depends on the speed ---- */

/* Time in which a block with this speed stops on a floor with this friction, and the way. */
static double stopping_time(const char *law, double speed, double *way)
{
    char text[1500];
    snprintf(text, sizeof text, PLANE "bodies:\n" FLOOR BLOCK ", velocity: [%.17g, 0] }\n"
             "contacts: { floor: { between: [ground, block], %s } }\n"
             "events: { stops: { when: 'block.velocity.x - 1e-9 m/s', once: yes } }\n"
             "solve: { until: 5, tolerance: 1e-11, absolute_tolerance: 1e-13 }\n", speed, law);
    run x = run_text(text);
    assert_near(value_of(&x, "block.velocity.x"), 0, 1e-13);
    assert_near(value_of(&x, "energy.error"), 0, 1e-9);
    *way = value_of(&x, "block.position.x");
    double t = tn_session_fired(x.session, 0).time;
    close_run(&x);
    return t;
}

static void test_viscous(void **state)
{
    (void)state;
    double way, mu = 0.1, c = 0.05, v = 3, u = 1 + c * v / mu;
    double t = stopping_time("friction: 0.1, viscous_friction: 0.05 s/m", v, &way);
    assert_near(t, log(u) / (G * c), 1e-7);
    assert_near(way, (v - mu / c * log(u)) / (G * c), 1e-9);
}

/* dt = dv / (g mu(v)), by Simpson's rule. */
static void test_stribeck(void **state)
{
    (void)state;
    double way, v0 = 0.5, t = 0, s = 0;
    int n = 2000;
    for (int k = 0; k <= n; k++) {
        double v = v0 * k / n, mu = 0.2 + 0.2 * exp(-pow(v / 0.1, 2)), weight = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
        t += weight * v0 / n / 3 / (G * mu);
        s += weight * v0 / n / 3 * v / (G * mu);
    }
    assert_near(stopping_time("friction: 0.2, static_friction: 0.4, stribeck_speed: 0.1 m/s", v0, &way), t, 1e-7);
    assert_near(way, s, 1e-9);
}

/* ---- grain ---- */

/* A box that slides obliquely to the grain: the force of largest dissipation, -N mu_i^2 v_i / sqrt(sum mu_i^2 v_i^2). */
static void check_grain(const char *bodies, double sign, const char *solve, double tolerance)
{
    char text[1500];
    double a = 0.3 * 0.3 * 0.8, b = 0.1 * 0.1 * 0.6, size = hypot(0.3 * 0.8, 0.1 * 0.6);
    snprintf(text, sizeof text, SPACE "bodies:\n" GROUND
             "  box: { position: [0, 0, 0.05], velocity: [0.8, 0.6, 0],\n"
             "         shapes: [ { box: { size: [0.4, 0.4, 0.1] }, mass: 2 } ] }\n"
             "contacts: { floor: { between: [%s], friction: 0.3, friction_across: 0.1, grain: [2, 0, 0] } }\n"
             "solve: { until: 1 ms%s }\n", bodies, solve);
    run x = run_text(text);
    assert_near(sign * value_of(&x, "floor.force.x"), -2 * G * a / size, tolerance);
    assert_near(sign * value_of(&x, "floor.force.y"), -2 * G * b / size, tolerance);
    close_run(&x);
}

/* The box holds on a slope along the grain and slides across it. */
static double creep(double gx, double gy)
{
    char text[1500];
    snprintf(text, sizeof text, "tenon: 1\ngravity: [%.17g, %.17g, -9.81]\nbodies:\n" GROUND
             "  box: { position: [0, 0, 0.05], shapes: [ { box: { size: [0.4, 0.4, 0.1] }, mass: 2 } ] }\n"
             "contacts: { floor: { between: [ground, box], friction: 0.3, friction_across: 0.1, grain: [1, 0, 0] } }\n"
             "solve: { until: 1 }\n", gx, gy);
    run x = run_text(text);
    double speed = hypot(value_of(&x, "box.velocity.x"), value_of(&x, "box.velocity.y"));
    close_run(&x);
    return speed;
}

static void test_grain(void **state)
{
    (void)state;
    check_grain("ground, box", 1, "", 2e-3);           /* the direction turns a little within 1 ms */
    check_grain("box, ground", -1, "", 2e-3);
    check_grain("ground, box", 1, ", contact: time-stepping", 2e-2);
    assert_near(creep(2, 0), 0, 1e-12);
    assert_near(creep(0, 2), 2 - 0.1 * G, 1e-6);
    assert_near(creep(0, 0.9), 0, 1e-12);
    assert_near(creep(4, 0), 4 - 0.3 * G, 1e-6);
}

/* ---- belts ---- */

/* A box that is put on a belt slips until it has the belt's speed. The belt's work is half friction, half motion. */
static void test_conveyor(void **state)
{
    (void)state;
    run x = run_text(SPACE "bodies:\n" GROUND
                     "  box: { position: [0, 0, 0.05], shapes: [ { box: { size: [0.4, 0.4, 0.1] }, mass: 2 } ] }\n"
                     "contacts: { belt: { between: [ground, box], friction: 0.4, surface_velocity: [0.9, 1.2, 0] } }\n"
                     "solve: { until: 2, tolerance: 1e-10, absolute_tolerance: 1e-12 }\n");
    double t = 1.5 / (0.4 * G), way = 0.2 * G * t * t + 1.5 * (2 - t);
    assert_near(value_of(&x, "box.velocity.x"), 0.9, 1e-9);
    assert_near(value_of(&x, "box.velocity.y"), 1.2, 1e-9);
    assert_near(value_of(&x, "box.position.x"), 0.6 * way, 1e-7);
    assert_near(value_of(&x, "box.position.y"), 0.8 * way, 1e-7);
    assert_near(value_of(&x, "energy.work"), 0.5 * 2 * 1.5 * 1.5, 1e-7);
    assert_near(value_of(&x, "energy.error"), 0, 1e-7);
    close_run(&x);
}

/* A ball between a belt and a slower one on the other side rolls with the mean of both speeds. A belt on a body that the
 * contact names first, although it is the second of the touch. */
static void test_ball_between_belts(void **state)
{
    (void)state;
    run x = run_text(PLANE "bodies:\n"
                     "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
                     "  lid: { mass: 1, inertia: 1, position: [0, 0.2], shapes: [ { half_space: { normal: [0, -1] } } ] }\n"
                     "  ball: { mass: 1, inertia: 0.005, position: [0, 0.1], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                     "joints: { guide: { type: translational, between: [ground, lid], axis: [0, 1] } }\n"
                     "contacts:\n"
                     "  lower: { between: [ground, ball], friction: 0.5, surface_velocity: [1, 0] }\n"
                     "  upper: { between: [lid, ball], friction: 0.5, surface_velocity: [-0.4, 0] }\n"
                     "solve: { until: 2 }\n");
    assert_near(value_of(&x, "ball.velocity.x"), 0.3, 1e-9);
    assert_near(value_of(&x, "ball.angular_velocity"), 7, 1e-8);
    assert_near(value_of(&x, "energy.error"), 0, 1e-8);
    close_run(&x);
}

/* ---- rolling and drilling ---- */

/* A ball that rolls slows down by 5/7 rho g / R, in any direction, and stops. */
static void test_rolling_resistance(void **state)
{
    (void)state;
    run x = run_text(SPACE "bodies:\n" GROUND
                     "  ball: { mass: 2 kg, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1],\n"
                     "          velocity: [0.3, 0.4, 0], angular_velocity: [-4, 3, 0], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                     "contacts: { floor: { between: [ground, ball], friction: 0.2, rolling_resistance: 1 mm } }\n"
                     "solve: { until: 10, tolerance: 1e-9, absolute_tolerance: 1e-11 }\n");
    double a = 5.0 / 7 * 0.001 * G / 0.1, way = 0.5 * 0.5 / (2 * a);
    assert_near(value_of(&x, "ball.position.x"), 0.6 * way, 1e-6);
    assert_near(value_of(&x, "ball.position.y"), 0.8 * way, 1e-6);
    assert_near(value_of(&x, "ball.velocity.x"), 0, 1e-6);
    assert_near(value_of(&x, "energy.error"), 0, 1e-6);
    close_run(&x);
}

/* A wheel on a slope of 1 in 20 begins to roll when the arm of its resistance is below R / 20. */
static double roll_down(double arm)
{
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0.5, -10]\nbodies:\n" FLOOR
             "  wheel: { mass: 1, inertia: 0.02, position: [0, 0.2], shapes: [ { disc: { radius: 0.2 } } ] }\n"
             "contacts: { floor: { between: [ground, wheel], friction: 0.5, rolling_resistance: %.17g } }\n"
             "solve: { until: 2 }\n", arm);
    run x = run_text(text);
    double speed = value_of(&x, "wheel.velocity.x");
    close_run(&x);
    return speed;
}

static void test_wheel_on_a_slope(void **state)
{
    (void)state;
    /* (m + J / R^2) a = m g_x - arm N / R */
    assert_near(roll_down(0.005), 2 * (0.5 - 0.005 * 10 / 0.2) / 1.5, 1e-4);
    assert_near(roll_down(0.011), 0, 2e-4);            /* it creeps, slower than 1e-3 rad/s */
}

/* A ball that spins on the spot: the torque is 3 pi / 16 mu N r, until it stands. */
static void test_drilling(void **state)
{
    (void)state;
    run x = run_text(SPACE "bodies:\n" GROUND
                     "  ball: { mass: 2 kg, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.1],\n"
                     "          angular_velocity: [0, 0, 20], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                     "contacts: { floor: { between: [ground, ball], friction: 0.3, drilling_radius: 5 mm } }\n"
                     "solve: { until: 5, tolerance: 1e-9, absolute_tolerance: 1e-11 }\n");
    double torque = 3 * PI / 16 * 0.3 * 2 * G * 0.005;
    assert_near(value_of(&x, "ball.angular_velocity.z"), 20 - torque / 0.008 * 5, 1e-6);
    assert_near(value_of(&x, "energy.error"), 0, 1e-7);
    close_run(&x);
}

/* A ball that spins gives way to the smallest force: friction mu N v / (v + 8 r w / (3 pi)) balances 0.1 of its weight. It
 * rolls where the slope tilts it, but more slowly than one that does not spin; a puck cannot roll: it creeps. */
static void test_spinning_puck_creeps(void **state)
{
    (void)state;
    run x = run_text("tenon: 1\ngravity: [0.1, 0, -10]\nbodies:\n" GROUND
                     "  puck: { mass: 1, inertia: [100, 100, 100], position: [0, 0, 0.1],\n"
                     "          angular_velocity: [0, 0, 50], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                     "contacts: { floor: { between: [ground, puck], friction: 0.3, drilling_radius: 10 mm } }\n"
                     "solve: { until: 3, tolerance: 1e-9, absolute_tolerance: 1e-11 }\n");
    /* 3 v / (v + u) = 0.1 with u = 8 * 0.5 / (3 pi) */
    double u = 8 * 0.5 / (3 * PI);
    assert_near(value_of(&x, "puck.velocity.x"), 0.1 * u / 2.9, 2e-4);
    close_run(&x);
}

/* ---- adhesion ---- */

/* The ball comes off when the pull is its weight and the adhesion. */
static void test_adhesion(void **state)
{
    (void)state;
    run x = run_text(PLANE "bodies:\n" FLOOR
                     "  ball: { mass: 1, inertia: 0.004, position: [0, 0.1], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                     "forces: { lift: { type: force, on: ball, value: [0, 5 N/s * t] } }\n"
                     "contacts: { floor: { between: [ground, ball], adhesion: 3 } }\n"
                     "events: { leaves: { when: 'floor.gap - 1e-9 m' } }\n"
                     "solve: { until: 3 }\n");
    double t = (G + 3) / 5;
    assert_near(tn_session_fired(x.session, 0).time, t, 1e-4);
    assert_near(value_of(&x, "ball.velocity.y"), 2.5 * (9 - t * t) - G * (3 - t), 1e-8);
    close_run(&x);
}

/* A wall holds a block by adhesion and friction: 2 * mu * A of two touches against its weight. */
static double on_wall(double adhesion)
{
    char text[1200];
    snprintf(text, sizeof text, PLANE "bodies:\n"
             "  ground: { shapes: [ { half_space: { normal: [1, 0] } } ] }\n"
             "  block: { mass: 1 kg, inertia: 0.01, position: [0.01, 0], shapes: [ { box: { size: [0.02, 0.4] } } ] }\n"
             "contacts: { wall: { between: [ground, block], friction: 0.5, adhesion: %.17g } }\n"
             "solve: { until: 1 }\n", adhesion);
    run x = run_text(text);
    double speed = value_of(&x, "block.velocity.y");
    assert_near(value_of(&x, "wall.normal"), 0, 1e-9);
    close_run(&x);
    return speed;
}

static void test_adhesion_with_friction(void **state)
{
    (void)state;
    assert_near(on_wall(10), 0, 1e-12);
    assert_near(on_wall(4), -(G - 4), 1e-9);
}

/* ---- impacts ---- */

/* A ball of rubber that turns its slip round: p_t = -2/7 m (1 + e_t) s, e_t = 1 and e = 1 keep the energy. */
static void test_tangential_restitution(void **state)
{
    (void)state;
    for (int k = 0; k <= 2; k++) {
        char text[1200];
        double back = k / 2.0, slip = 1 + 0.1 * 4, p = -2.0 / 7 * (1 + back) * slip;
        snprintf(text, sizeof text, SPACE "bodies:\n" GROUND
                 "  ball: { mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.5], velocity: [1, 0, -2],\n"
                 "          angular_velocity: [0, -4, 0], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                 "contacts: { floor: { between: [ground, ball], friction: 2, restitution: 1, tangential_restitution: %g } }\n"
                 "solve: { until: 0.3 }\n", back);
        run x = run_text(text);
        assert_int_equal(tn_session_impact_count(x.session), 1);
        assert_near(value_of(&x, "ball.velocity.x"), 1 + p, 1e-12);
        assert_near(value_of(&x, "ball.angular_velocity.y"), -4 - 0.1 * p / 0.004, 1e-10);
        assert_near(tn_session_impact(x.session, 0).loss, -p * (slip + 3.5 * p / 2), 1e-11);
        close_run(&x);
    }
}

/* Restitution 0.9 at 1 m/s and 0.5 at 5 m/s, linear in between and constant beyond. */
static double rebound(double speed, const char *solve)
{
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, 0]\nbodies:\n" FLOOR
             "  ball: { mass: 1, inertia: 0.004, position: [0, 0.2], velocity: [0, %.17g], shapes: [ { disc: { radius: 0.1 } } ] }\n"
             "contacts: { floor: { between: [ground, ball], restitution_at: [[1, 0.9], [5, 0.5]] } }\n"
             "solve: { until: 1%s }\n", -speed, solve);
    run x = run_text(text);
    double back = value_of(&x, "ball.velocity.y") / speed;
    close_run(&x);
    return back;
}

static void test_restitution_at_speeds(void **state)
{
    (void)state;
    static const char *const solves[] = { "", ", impact: newton", ", impact: poisson", ", contact: time-stepping" };
    for (size_t k = 0; k < sizeof solves / sizeof *solves; k++) {
        assert_near(rebound(0.5, solves[k]), 0.9, 1e-12);
        assert_near(rebound(2, solves[k]), 0.8, 1e-12);
        assert_near(rebound(5, solves[k]), 0.5, 1e-12);
        assert_near(rebound(9, solves[k]), 0.5, 1e-12);
    }
}

/* ---- materials and touches ---- */

#define MATERIALS PLANE "bodies:\n" \
    "  ground: { shapes: [ { half_space: {}, material: concrete } ] }\n" \
    "  a: { mass: 1, inertia: 0.01, position: [0, 0.05], velocity: [1, 0], shapes: [ { box: { size: [0.2, 0.1] }, material: steel } ] }\n" \
    "  b: { mass: 1, inertia: 0.01, position: [2, 0.05], velocity: [1, 0], shapes: [ { box: { size: [0.2, 0.1] }, material: rubber } ] }\n" \
    "  c: { mass: 1, inertia: 0.01, position: [4, 0.05], velocity: [1, 0], shapes: [ { box: { size: [0.2, 0.1] } } ] }\n"

/* Blocks of different materials slide on one floor. */
static void test_materials(void **state)
{
    (void)state;
    run x = run_text(MATERIALS
                     "contacts:\n"
                     "  floor:\n"
                     "    among: [ground, a, b, c]\n"
                     "    friction: 0.3\n"
                     "    materials:\n"
                     "      - { between: [steel, concrete], friction: 0.2 }\n"
                     "      - { between: [concrete, rubber], friction: 0.1, viscous_friction: 0 s/m }\n"
                     "solve: { until: 0.1 }\n");
    assert_near(value_of(&x, "a.velocity.x"), 1 - 0.02 * G, 1e-9);
    assert_near(value_of(&x, "b.velocity.x"), 1 - 0.01 * G, 1e-9);
    assert_near(value_of(&x, "c.velocity.x"), 1 - 0.03 * G, 1e-9);
    assert_near(value_of(&x, "floor.friction.x"), -0.6 * G, 1e-9);
    assert_near(value_of(&x, "floor.slip"), 1 - 0.01 * G, 1e-9);
    assert_near(value_of(&x, "floor.state"), 1, 0);
    tn_contact_touch touches[8];
    int count = tn_session_touches(touches, 8, x.session);
    double normal = 0, friction = 0;
    assert_int_equal(count, 6);
    for (int k = 0; k < count; k++) {
        assert_string_equal(touches[k].contact, "floor");
        assert_near(touches[k].point[1], 0, 1e-12);
        assert_near(fabs(touches[k].normal[1]), 1, 1e-12);
        normal += touches[k].force;
        friction += touches[k].friction[0] * touches[k].normal[1];     /* on body 2, which may be ground */
    }
    assert_near(normal, 3 * G, 1e-9);
    assert_near(friction, -0.6 * G, 1e-9);
    close_run(&x);
    refused(MATERIALS "contacts: { floor: { among: [ground, a], materials: [ { between: [steel, wood] } ] } }\n",
            "no shape of its bodies has the material 'wood'");
    refused(MATERIALS "contacts: { floor: { among: [ground, a], materials: [ { between: [steel] } ] } }\n", "needs two materials");
    refused(MATERIALS "contacts: { floor: { among: [ground, a], materials: [ { between: [steel, concrete] },\n"
            "            { between: [concrete, steel] } ] } }\n", "have two laws");
    refused(MATERIALS "contacts: { floor: { among: [ground, a], materials: [ { between: [steel, concrete], restitution: 2 } ] } }\n",
            "must be between 0 and 1");
}

/* ---- mistakes ---- */

static void test_mistakes(void **state)
{
    (void)state;
    static const struct { const char *law, *words; } cases[] = {
        { "friction: 0.3, static_friction: 0.2", "static_friction 0.2 is below friction 0.3" },
        { "friction: -0.3", "friction" },
        { "restitution: 1.1", "restitution 1.1 must be between 0 and 1" },
        { "tangential_restitution: 2", "tangential_restitution 2 must be between 0 and 1" },
        { "stribeck_speed: 1", "stribeck_speed needs static_friction" },
        { "friction: 0.2, friction_across: 0.1", "the direction grain" },
        { "grain: [1, 0, 0]", "positive friction" },
        { "drilling_radius: 1 mm", "drilling_radius needs friction" },
        { "viscous_friction: 1 s/m", "viscous_friction needs friction" },
        { "surface_velocity: [1, 0, 0]", "surface_velocity needs friction" },
        { "restitution_at: [[1, 0.5], [1, 0.4]]", "must increase" },
        { "restitution_at: [[1, 1.5]]", "restitution 1.5 at 1 m/s" },
        { "restitution_at: [[1, 0.5, 3]]", "takes pairs" },
        { "adhesion: -1", "adhesion" },
        { "surface_velocity: [1, 0]", "surface_velocity" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text, SPACE "bodies:\n" GROUND
                 "  ball: { mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                 "contacts: { floor: { between: [ground, ball], %s } }\n", cases[k].law);
        refused(text, cases[k].words);
    }
}

/* Overlaps at the start are refused with names, or resolved by the least motion: two equal boxes share the shift. */
static void test_overlaps(void **state)
{
    (void)state;
    static const char model[] = PLANE "bodies:\n" FLOOR
        "  a: { position: [0, 0.05], shapes: [ { box: { size: [0.2, 0.1] }, mass: 1 } ] }\n"
        "  b: { position: [0.19, 0.05], shapes: [ { box: { size: [0.2, 0.1] }, mass: 1 } ] }\n"
        "  c: { position: [1, 0.02], shapes: [ { disc: { radius: 0.1 }, mass: 1 } ] }\n"
        "contacts: { pile: { among: [ground, a, b, c], friction: 0.2 } }\n";
    char text[2000];
    tn_session *session = NULL;
    reading r = accepted(model);
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_ERROR_ASSEMBLY);
    must_say(&r, "shapes of 'a' and 'b' overlap by 0.01 m");
    must_say(&r, "overlap by 0.08 m");
    done(&r);
    snprintf(text, sizeof text, "%ssolve: { overlaps: resolve, until: 0.1 }\n", model);
    run x = run_text(text);
    must_say(&x.r, "bodies are moved apart");
    assert_near(value_of(&x, "a.position.x"), -0.005, 1e-8);
    assert_near(value_of(&x, "b.position.x"), 0.195, 1e-8);
    assert_near(value_of(&x, "c.position.y"), 0.1, 1e-8);
    assert_near(value_of(&x, "c.position.x"), 1, 1e-8);
    assert_near(value_of(&x, "energy.error"), 0, 1e-9);        /* the 0.78 J that lift the disc are work */
    close_run(&x);
}

/* Laws that time stepping does not have are refused by name. */
static void test_time_stepping_refuses(void **state)
{
    (void)state;
    reading r = accepted(SPACE "bodies:\n" GROUND
                         "  ball: { mass: 1, inertia: [1, 1, 1], position: [0, 0, 1], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
                         "contacts: { floor: { between: [ground, ball], friction: 0.3, adhesion: 1 N } }\n"
                         "solve: { contact: time-stepping, until: 1 }\n");
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_ERROR_MODEL);
    must_say(&r, "contact 'floor' has a law that time stepping does not know");
    done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breakaway),
        cmocka_unit_test(test_breakaway_on_a_plate),
        cmocka_unit_test(test_slope_between_the_angles),
        cmocka_unit_test(test_stick_slip),
        cmocka_unit_test(test_viscous),
        cmocka_unit_test(test_stribeck),
        cmocka_unit_test(test_grain),
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_ball_between_belts),
        cmocka_unit_test(test_rolling_resistance),
        cmocka_unit_test(test_wheel_on_a_slope),
        cmocka_unit_test(test_drilling),
        cmocka_unit_test(test_spinning_puck_creeps),
        cmocka_unit_test(test_adhesion),
        cmocka_unit_test(test_adhesion_with_friction),
        cmocka_unit_test(test_tangential_restitution),
        cmocka_unit_test(test_restitution_at_speeds),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_time_stepping_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
