/* Time stepping of contacts with laws of surfaces: belts, rolling and drilling resistance, against closed forms. */
#include "event_runs.h"

#define FLOOR "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
#define BALL "  ball: { mass: 2, inertia: [0.002, 0.002, 0.002], position: [0, 0, 0.05], shapes: [ { sphere: { radius: 0.05 } } ]"

static const double STEP = 1e-3;       /* s: of time stepping */

static void assert_solved(const run *x)
{
    assert_int_equal(x->code, TN_NEWS_END);
    assert_int_equal(tn_session_summary(x->session).unsolved, 0);
    assert_near(value_of(x, "energy.error"), 0, 1e-12);
}

/* A parcel at rest is laid on a belt: mu g brings it to the belt's speed u after the time u / (mu g), and u^2 / (2 mu g) behind
 * it. What the belt does is the parcel's energy, less the heat of the slip. */
static void test_belt(void **state)
{
    (void)state;
    run x = run_parts(FLOOR "  parcel: { mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.05], shapes: [ { box: { size: "
                      "[0.2, 0.2, 0.1] } } ] }\n", "", "contacts: { belt: { between: [ground, parcel], friction: 0.4, "
                      "surface_velocity: [0.3, 0.4, 0] } }\nsolve: { until: 1, contact: time-stepping }\n");
    const double u = 0.5, behind = u * u / (2 * 0.4 * G), x_end = 0.6 * (u - behind);
    assert_solved(&x);
    assert_near(value_of(&x, "parcel.velocity.x"), 0.3, 1e-9);
    assert_near(value_of(&x, "parcel.velocity.y"), 0.4, 1e-9);
    assert_near(value_of(&x, "parcel.position.x"), x_end, 0.4 * G * STEP * STEP);
    assert_near(value_of(&x, "energy.work"), 2 * u * u / 2, 1e-9);
    assert_near(value_of(&x, "belt.slip"), 0, 1e-9);
    close_run(&x);
}

/* A parcel that a wall holds on a running belt: friction is mu m g, nothing moves, and the wall bears the friction. */
static void test_held_on_belt(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
                      "  wall: { mass: 1, inertia: 1, shapes: [ { half_space: { normal: [-1, 0], at: [0.1, 0] } } ] }\n"
                      "  parcel: { mass: 2, inertia: 0.01, position: [0, 0.05], shapes: [ { box: { size: [0.2, 0.1] } } ] }\n",
                      "joints: { bolts: { type: fixed, between: [ground, wall] } }\n",
                      "contacts:\n  belt: { between: [ground, parcel], friction: 0.4, surface_velocity: [0.5, 0] }\n"
                      "  stop: { between: [wall, parcel] }\nsolve: { until: 0.5, contact: time-stepping }\n");
    assert_solved(&x);
    assert_near(value_of(&x, "parcel.position.x"), 0, 1e-9);
    assert_near(value_of(&x, "belt.friction.x"), 0.4 * 2 * G, 1e-6);
    assert_near(value_of(&x, "stop.normal"), 0.4 * 2 * G, 1e-6);
    close_run(&x);
}

/* A ball that rolls slows down by 5/7 f g / R, in space and in the plane (2/3 for a disc of full mass). */
static void test_rolling(void **state)
{
    (void)state;
    run x = run_parts(FLOOR BALL ", velocity: [1, 0, 0], angular_velocity: [0, 20, 0] }\n", "",
                      "contacts: { floor: { between: [ground, ball], friction: 0.4, rolling_resistance: 2 mm } }\n"
                      "solve: { until: 2, contact: time-stepping }\n");
    double a = 5.0 / 7 * 0.002 * G / 0.05;
    assert_solved(&x);
    assert_near(value_of(&x, "ball.velocity.x"), 1 - 2 * a, 1e-9);
    assert_near(value_of(&x, "ball.position.x"), 2 - 2 * a, 1e-6);
    close_run(&x);

    x = run_parts("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
                  "  disc: { mass: 2, inertia: 0.0025, position: [0, 0.05], velocity: [1, 0], angular_velocity: -20, "
                  "shapes: [ { disc: { radius: 0.05 } } ] }\n", "",
                  "contacts: { floor: { between: [ground, disc], friction: 0.4, rolling_resistance: 2 mm } }\n"
                  "solve: { until: 1, contact: time-stepping }\n");
    assert_solved(&x);
    assert_near(value_of(&x, "disc.velocity.x"), 1 - 2.0 / 3 * 0.002 * G / 0.05, 1e-9);
    close_run(&x);
}

/* A ball on a slope stands still where tan(slope) < f / R, and rolls with 5/7 (g sin - f g cos / R) where it is steeper. */
static void test_ball_on_slope(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        double angle = (k ? 4 : 2) * acos(-1) / 180, a = 5.0 / 7 * G * (sin(angle) - 0.002 / 0.05 * cos(angle));
        snprintf(text, sizeof text, "tenon: 1\ngravity: [%.17g, 0, %.17g]\nbodies:\n  ground: { shapes: [ { half_space: { normal: "
                 "[0, 0, 1] } } ] }\n" BALL " }\n", G * sin(angle), -G * cos(angle));
        run x = run_parts(text, "", "contacts: { floor: { between: [ground, ball], friction: 0.4, rolling_resistance: 2 mm } }\n"
                          "solve: { until: 1, contact: time-stepping }\n");
        assert_solved(&x);
        assert_near(value_of(&x, "ball.velocity.x"), k ? a : 0, 1e-6);
        close_run(&x);
    }
}

/* A ball that spins about the normal: 3 pi / 16 mu m g r over its inertia. */
static void test_drilling(void **state)
{
    (void)state;
    run x = run_parts(FLOOR BALL ", angular_velocity: [0, 0, 20] }\n", "",
                      "contacts: { floor: { between: [ground, ball], friction: 0.4, drilling_radius: 2 mm } }\n"
                      "solve: { until: 1, contact: time-stepping }\n");
    assert_solved(&x);
    assert_near(value_of(&x, "ball.angular_velocity.z"), 20 - 3 * acos(-1) / 16 * 0.4 * 2 * G * 0.002 / 0.002, 1e-9);
    close_run(&x);
}

typedef struct rows {
    tn_session *session;
    double worst;
    long next;                 /* number of the next sample */
} rows;

static int compare_row(void *user, const tn_session *session)
{
    rows *r = user;
    double x, t = tn_session_time(session), sample = (double)r->next / 100;
    assert_int_equal(tn_session_value(&x, r->session, "ball.position.x"), TN_OK);
    r->worst = fmax(r->worst, fabs(x - t));
    if (t > sample - STEP / 2) {
        assert_near(t, sample, 0);
        r->next++;
    }
    return 0;
}

/* A ball that rolls with 1 m/s. Steps end exactly at the times of samples, also after many steps. */
static void test_samples(void **state)
{
    (void)state;
    run x = { .r = accepted(FLOOR BALL ", velocity: [1, 0, 0], angular_velocity: [0, 20, 0] }\n"
                            "contacts: { floor: { between: [ground, ball], friction: 0.4 } }\n"
                            "solve: { until: 2, contact: time-stepping, record: 10 ms }\n") };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    rows r = { .session = x.session, .next = 1 };
    tn_session_on_step(x.session, compare_row, &r);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_near(r.worst, 0, 1e-9);
    assert_int_equal(r.next, 201);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_belt),          cmocka_unit_test(test_held_on_belt), cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_ball_on_slope), cmocka_unit_test(test_drilling),     cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
