/* Known motions with many contacts: a row of dominoes, a ball in a bowl, a pile of three logs, a slider-crank with clearance, a woodpecker. */
#include "event_runs.h"

static const double PI = 3.14159265358979323846;

/* ---- dominoes ---- */

enum { DOMINOES = 12 };

/* Dominoes (height h, thickness d, gap s) that turn about their lower edges and lean on each other without friction, as in van
 * Leeuwen (2010). They move with one freedom: the angle of the first in front, th, gives that of the one behind it,
 *     h sin(behind - th) = (s + d) cos(th) - d */
typedef struct domino {
    double h, d, s, mass, inertia;             /* inertia about the edge */
} domino;

/* Angles of n dominoes, from the front, and their rates over that of the first. */
static void lean(const domino *p, double th, int n, double *angle, double *rate)
{
    angle[0] = th;
    rate[0] = 1;
    for (int k = 1; k < n; k++) {
        double a = ((p->s + p->d) * cos(angle[k - 1]) - p->d) / p->h;
        angle[k] = angle[k - 1] + asin(a);
        rate[k] = rate[k - 1] * (1 - (p->s + p->d) * sin(angle[k - 1]) / p->h / sqrt(1 - a * a));
    }
}

static double potential(const domino *p, const double *angle, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += p->mass * G * (p->h * cos(angle[k]) + p->d * sin(angle[k])) / 2;
    return sum;
}

static double square_sum(const double *x, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sum;
}

/* Time in which the first of n leaning dominoes falls from 0 onto the next, by the conservation of energy (Simpson's rule).
 * rate: of the first one at the start, then just before it strikes. */
static double fall(const domino *p, int n, double *rate)
{
    enum { PARTS = 400 };
    double angle[DOMINOES + 1], w[DOMINOES + 1], end = asin(p->s / p->h), time = 0, slowness = 0;
    lean(p, 0, n, angle, w);
    double energy = p->inertia / 2 * square_sum(w, n) * *rate * *rate + potential(p, angle, n);
    for (int k = 0; k <= PARTS; k++) {
        lean(p, end * k / PARTS, n, angle, w);
        slowness = sqrt(p->inertia / 2 * square_sum(w, n) / (energy - potential(p, angle, n)));
        time += (k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2) * slowness * end / PARTS / 3;
    }
    *rate = 1 / slowness;
    return time;
}

/* Rate of the domino that is struck: the impact is plastic, and all lean on each other after it. */
static double strike(const domino *p, int n, double rate)
{
    double angle[DOMINOES + 2], before[DOMINOES + 2], after[DOMINOES + 2], sum = 0;
    lean(p, asin(p->s / p->h), n, angle, before);
    lean(p, 0, n + 1, angle, after);
    for (int k = 0; k < n; k++)
        sum += after[k + 1] * before[k] * rate;
    return sum / square_sum(after, n + 1);
}

static void domino_text(char *text, size_t size, const domino *p, double rate, double until)
{
    size_t n = (size_t)snprintf(text, size, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int k = 0; k <= DOMINOES; k++) {
        double w = k == 0 ? rate : 0, about = p->mass * (p->h * p->h + p->d * p->d) / 12;
        n += (size_t)snprintf(text + n, size - n, "  d%d: { mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angular_velocity: "
                              "%.17g, velocity: [%.17g, %.17g], shapes: [ { box: { size: [%.17g, %.17g] } } ], frames: { foot: { at: "
                              "[%.17g, %.17g] } } }\n", k, p->mass, about, k * (p->s + p->d), p->h / 2, -w, w * p->h / 2, w * p->d / 2,
                              p->d, p->h, p->d / 2, -p->h / 2);
    }
    n += (size_t)snprintf(text + n, size - n, "  ground: { frames: { ");
    for (int k = 0; k <= DOMINOES; k++)
        n += (size_t)snprintf(text + n, size - n, "%sp%d: { at: [%.17g, 0] }", k ? ", " : "", k, k * (p->s + p->d) + p->d / 2);
    n += (size_t)snprintf(text + n, size - n, " } }\njoints:\n");
    for (int k = 0; k <= DOMINOES; k++)
        n += (size_t)snprintf(text + n, size - n, "  j%d: { type: revolute, between: [ground.p%d, d%d.foot], limits: { angle: [none, 0] } }\n",
                              k, k, k);
    n += (size_t)snprintf(text + n, size - n, "contacts: { row: { among: [");
    for (int k = 0; k <= DOMINOES; k++)
        n += (size_t)snprintf(text + n, size - n, "%sd%d", k ? ", " : "", k);
    n += (size_t)snprintf(text + n, size - n, "] } }\nevents:\n");
    for (int k = 1; k <= DOMINOES; k++)
        n += (size_t)snprintf(text + n, size - n, "  hit%d: { when: d%d.angular_velocity + 1e-3 }\n", k, k);
    snprintf(text + n, size - n, "solve: { until: %.17g, contact: event-driven }\n", until);
}

/* The wave arrives at every domino at the time of the reduced equations; its speed rises to 1.18 m/s. */
static void test_dominoes(void **state)
{
    (void)state;
    static char text[12000];
    domino p = { .h = 0.048, .d = 0.0075, .s = 0.02, .mass = 0.01 };
    p.inertia = p.mass * (p.h * p.h + p.d * p.d) / 3;
    double rate = 3, time = 0, hits[DOMINOES + 1];
    for (int n = 1; n <= DOMINOES; n++) {
        hits[n] = time += fall(&p, n, &rate);
        rate = strike(&p, n, rate);
    }
    domino_text(text, sizeof text, &p, 3, 1.02 * time);
    run x = { .r = accepted(text) };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_int_equal(tn_session_fired_count(x.session), DOMINOES);
    for (int n = 1; n <= DOMINOES; n++)
        assert_near(tn_session_fired(x.session, (size_t)n - 1).time, hits[n], 2e-7);
    assert_near((p.s + p.d) / (hits[DOMINOES] - hits[DOMINOES - 1]), 1.183, 1e-3);
    close_run(&x);
}

/* ---- a ball in a bowl ---- */

/* Time between two passes of a ball (r = 5 cm) through the lowest place of a trough (R = 1 m) of so many flat strips. */
static double half_period(int strips)
{
    static char text[16000];
    const double R = 1, r = 0.05, wide = 0.2, start = 5 * PI / 180, spacing = 2 * wide / strips;
    size_t n = (size_t)snprintf(text, sizeof text, "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { height_field: { "
                                "spacing: [%.17g, 0.4], at: [%g, -0.2, 0], heights: [", spacing, -wide);
    for (int row = 0; row < 2; row++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s[", row ? ", " : "");
        for (int k = 0; k <= strips; k++) {
            double x = -wide + k * spacing;
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%.17g", k ? ", " : "", R - sqrt(R * R - x * x));
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "]");
    }
    snprintf(text + n, sizeof text - n, "] } } ] }\n  ball: { mass: 1, inertia: [0.001, 0.001, 0.001], position: [%.17g, 0, %.17g], shapes: "
             "[ { sphere: { radius: 0.05 } } ] }\ncontacts: { bowl: { between: [ground, ball], friction: 0.8 } }\n"
             "events: { middle: { when: ball.position.x } }\nsolve: { until: 2 }\n", (R - r) * sin(start),
             R - (R - r) * cos(start) + 2e-4);
    run x = { .r = accepted(text) };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    assert_int_equal(tn_session_run(x.session), TN_NEWS_END);
    assert_int_equal(tn_session_fired_count(x.session), 2);
    double time = tn_session_fired(x.session, 1).time - tn_session_fired(x.session, 0).time;
    close_run(&x);
    return time;
}

/* A ball rolls to and fro with w^2 = 5/7 g / (R - r), by 1 + A^2 / 16 longer for the amplitude A. */
static void test_ball_in_bowl(void **state)
{
    (void)state;
    const double amplitude = 5 * PI / 180, exact = PI / sqrt(5.0 / 7 * G / 0.95) * (1 + amplitude * amplitude / 16);
    double coarse = half_period(100), fine = half_period(200);
    assert_near(fine, exact, 3e-4 * exact);
    assert_true(fabs(fine - exact) < fabs(coarse - exact));
}

/* ---- logs ---- */

/* Two logs side by side and a third on top. They stand where friction is at least tan(15 deg) = 0.268 at the touches of the
 * logs, and a third of that on the floor; with less they part. */
static double log_height(double friction, const char *method)
{
    char text[1200];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
             "  a: { mass: 1, inertia: 0.005, position: [-0.1, 0.1], shapes: [ { disc: { radius: 0.1 } } ] }\n"
             "  b: { mass: 1, inertia: 0.005, position: [0.1, 0.1], shapes: [ { disc: { radius: 0.1 } } ] }\n"
             "  c: { mass: 1, inertia: 0.005, position: [0, %.17g], shapes: [ { disc: { radius: 0.1 } } ] }\n"
             "contacts: { logs: { among: [ground, a, b, c], friction: %.17g } }\nsolve: { until: 0.5, contact: %s }\n",
             0.1 + 0.1 * sqrt(3), friction, method);
    run x = run_parts(text, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    double height = value_of(&x, "c.position.y");
    close_run(&x);
    return height;
}

static void test_logs(void **state)
{
    (void)state;
    static const char *const methods[] = { "event-driven", "time-stepping" };
    double stand = 0.1 + 0.1 * sqrt(3), limit = tan(15 * PI / 180);
    for (int k = 0; k < 2; k++) {
        assert_near(log_height(1.001 * limit, methods[k]), stand, 1e-7);
        assert_true(log_height(0.99 * limit, methods[k]) < stand - 1e-3);
    }
}

/* ---- woodpecker ---- */

/* Times of the last impacts of the beak, and the height of the sleeve at the end. */
static double peck(double until, double times[2])
{
    const double a = 0.1, b = 0.3, lM = 0.01, lG = 0.015;       /* angles of sleeve and bird at the start, m */
    char text[2400];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
             "  ground: { shapes: [ { box: { size: [5 mm, 2 m] } } ] }\n"
             "  sleeve: { mass: 0.3 g, inertia: 5e-9, position: [0, 0], angle: %.17g, frames: { back: { at: [10 mm, 0] } },\n"
             "            shapes: [ { box: { size: [1 mm, 11.6 mm], at: [3.6 mm, 0] } } ] }\n"
             "  bird: { mass: 4.5 g, inertia: 7e-7, position: [%.17g, %.17g], angle: %.17g, frames: { foot: { at: [-15 mm, 0] } },\n"
             "          shapes: [ { polygon: { corners: [[-20.1 mm, 20 mm], [-10 mm, 16 mm], [-10 mm, 21 mm]] } } ] }\n"
             "joints:\n  guide: { type: pin-in-slot, between: [ground, sleeve], at: [0, 0], axis: y }\n"
             "  hinge: { type: revolute, between: [sleeve.back, bird.foot] }\n"
             "forces: { spring: { type: torsion-spring, joint: hinge, stiffness: 0.0056 } }\n"
             "contacts:\n  beak: { between: [ground, bird], friction: 0.3, restitution: 0.5 }\n"
             "  grip: { between: [ground, sleeve], friction: 0.3 }\nsolve: { until: %.17g }\n",
             -a, lM * cos(a) + lG * cos(b), -lM * sin(a) - lG * sin(b), -b, until);
    run x = run_parts(text, "", "");
    assert_int_equal(x.code, TN_NEWS_END);
    assert_true(fabs(value_of(&x, "energy.error")) < 1e-9);
    for (size_t k = 0; k < tn_session_impact_count(x.session); k++)
        if (strcmp(tn_session_impact(x.session, k).name, "beak") == 0) {
            times[0] = times[1];
            times[1] = tn_session_impact(x.session, k).time;
        }
    double height = value_of(&x, "sleeve.position.y");
    close_run(&x);
    return height;
}

/* The toy of Pfeiffer and Glocker in its true size: it falls with sticking, swinging and one peck in each cycle. An independent
 * Moreau time stepping of the same three coordinates (y and two angles, steps of 1e-6 s) has a period of 0.13075 s and falls by 14.50 mm in
 * each; with the kinematics linearised, as they did, 0.1461 s and their limit cycle. */
static void test_woodpecker(void **state)
{
    (void)state;
    double early[2] = { 0 }, late[2] = { 0 };
    double fall = -peck(1.8, early);
    double period = early[1] - early[0];
    assert_near(period, 0.13075, 1e-5);
    fall -= -peck(1.8 - period, late);
    assert_near(late[1] - late[0], period, 1e-6);
    assert_near(fall, 0.014498, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dominoes), cmocka_unit_test(test_ball_in_bowl), cmocka_unit_test(test_logs),
        cmocka_unit_test(test_woodpecker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
