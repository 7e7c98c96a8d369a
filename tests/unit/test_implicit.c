/* Implicit integrators: closed forms of generalized-alpha, the same motion as explicit ones, far fewer steps where it
 * is stiff, tolerances that mean what they say, and what they refuse. */
#include "mechanisms.h"
#include "mem.h"
#include "session_impl.h"

static const char *const implicit[] = { "cvode", "ida", "generalized-alpha" };

static machine source(const char *file)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR, file);
    return machine_read(path);
}

static tn_solve within(const char *integrator, double tolerance, double until)
{
    tn_solve solve = tn_solve_default();
    solve.integrator = integrator;
    solve.tolerance = solve.absolute_tolerance = tolerance;
    solve.until = until;
    solve.record = until;
    return solve;
}

/* ---- generalized-alpha on x'' = -x ---- */

static const char oscillator_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { bob: { type: particle, mass: 1, position: [11, 0] } }\n"
    "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
    "forces: { coil: { type: force, on: bob, value: [1 N/m * (10 m - bob.position.x), 0] } }\n";
enum { SAMPLES = 9 };

/* Stretch after 0, 1, ... steps of length h. */
static void stretches(double rho, bool hht, double h, double x[SAMPLES])
{
    machine m = machine_text(oscillator_text);
    tn_solve solve = fixed_steps("generalized-alpha", h, h * SAMPLES);
    assert_int_equal(tn_solve_set(&solve, "rho_infinity", rho), TN_OK);
    assert_int_equal(tn_solve_set(&solve, "hht", hht), TN_OK);
    assert_int_equal(tn_solve_set(&solve, "fixed", 1), TN_OK);
    machine_start(&m, solve);
    for (int n = 0; n < SAMPLES; n++) {
        x[n] = value(&m, "bob.position.x") - 10;
        machine_must(&m, tn_session_step(m.session));
    }
    machine_close(&m);
}

/* The method as published (Chung and Hulbert 1993, Eq. 2 to 5), M = K = 1, solved for the new acceleration. */
static void published(double alpha_m, double alpha_f, double h, double x[SAMPLES])
{
    double gamma = 0.5 - alpha_m + alpha_f, beta = 0.25 * (1 - alpha_m + alpha_f) * (1 - alpha_m + alpha_f);
    double d = 1, v = 0, a = -1;
    for (int n = 0; n < SAMPLES; n++) {
        x[n] = d;
        double predicted = d + h * v + h * h * (0.5 - beta) * a;
        double next = -(alpha_m * a + (1 - alpha_f) * predicted + alpha_f * d) /
                      (1 - alpha_m + (1 - alpha_f) * beta * h * h);
        d = predicted + h * h * beta * next;
        v += h * ((1 - gamma) * a + gamma * next);
        a = next;
    }
}

static void test_published_recursion(void **state)
{
    (void)state;
    static const double radii[] = { 0, 0.3, 0.5, 0.8, 1 }, steps[] = { 0.1, 1, 30 };
    for (size_t r = 0; r < TN_LENGTH(radii); r++)
        for (size_t k = 0; k < TN_LENGTH(steps); k++)
            for (int hht = 0; hht <= (radii[r] >= 0.5); hht++) {
                double rho = radii[r], found[SAMPLES], expected[SAMPLES];
                stretches(rho, hht, steps[k], found);
                if (hht)
                    published(0, (1 - rho) / (1 + rho), steps[k], expected);
                else
                    published((2 * rho - 1) / (1 + rho), rho / (1 + rho), steps[k], expected);
                for (int n = 0; n < SAMPLES; n++)
                    assert_near(found[n], expected[n], 1e-8);
            }
}

/* Coefficients of x3 = c2 x2 + c1 x1 + c0 x0 from six samples, by Cramer's rule. */
static double det3(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]);
}

static void recurrence(const double *x, double c[3])
{
    double all = det3(x, x + 1, x + 2);
    c[0] = det3(x + 3, x + 1, x + 2) / all;
    c[1] = det3(x, x + 3, x + 2) / all;
    c[2] = det3(x, x + 1, x + 3) / all;
}

/* For an infinitely fast motion all three roots of a step are -rho. */
static void test_spectral_radius(void **state)
{
    (void)state;
    static const double radii[] = { 0.3, 0.5, 0.8, 0.95 };
    for (size_t r = 0; r < TN_LENGTH(radii); r++) {
        double rho = radii[r], x[SAMPLES], c[3];
        stretches(rho, false, 1e3, x);
        recurrence(x, c);
        assert_near(c[0], -rho * rho * rho, 1e-4);
        assert_near(c[1], -3 * rho * rho, 1e-4);
        assert_near(c[2], -3 * rho, 1e-4);
    }
}

/* ---- the stiff example ---- */

typedef struct outcome {
    double angle;
    long steps;
    double drift;
} outcome;

static outcome stiff_run(const char *integrator, double tolerance)
{
    machine m = source("examples/stiff-linkage.yaml");
    tn_summary summary = machine_run(&m, within(integrator, tolerance, 2));
    outcome o = { value(&m, "pivot.angle"), summary.steps, summary.max_drift };
    machine_close(&m);
    return o;
}

static void test_stiff(void **state)
{
    (void)state;
    outcome explicit = stiff_run("dopri5", 1e-6);
    for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
        outcome rough = stiff_run(implicit[k], 1e-6), fine = stiff_run(implicit[k], 1e-8);
        print_message("%s: %ld steps (%.0f times fewer), off by %.1e; at 1e-8 %ld and %.1e\n", implicit[k], rough.steps,
                      (double)explicit.steps / (double)rough.steps, fabs(rough.angle - explicit.angle), fine.steps,
                      fabs(fine.angle - explicit.angle));
        assert_true(15 * rough.steps <= explicit.steps);
        assert_near(rough.angle, explicit.angle, 5e-4);
        assert_near(fine.angle, explicit.angle, 2e-5);
        assert_true(rough.drift <= 1e-10 && fine.drift <= 1e-10);
    }
}

/* ---- the same motion ---- */

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* Acceleration drive, state that follows an angle, friction by reaction, drive of a position. */
static const char mixed_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: { shapes: [ { rod: { from: [0, 0], to: [0.2, 0], radius: 8 mm }, mass: 0.4 } ], position: [0, 0],\n"
    "           frames: { tip: { at: [0.2, 0] } } }\n"
    "  load: { shapes: [ { rod: { from: [0, 0], to: [0.3, 0], radius: 8 mm }, mass: 0.5 } ], position: [0.2, 0] }\n"
    "  cart: { mass: 2, inertia: 0.1, position: [1, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, crank] }\n"
    "  elbow: { type: revolute, between: [crank.tip, load] }\n"
    "  rail: { type: translational, between: [ground, cart], at: [1, 0] }\n"
    "drives:\n"
    "  motor: { joint: pivot, acceleration: 3 * cos(4 * t) }\n"
    "states:\n"
    "  lag: { initial: 0, rate: 200 * (elbow.angle - lag.value) }\n"
    "forces:\n"
    "  hold: { type: torque, on: load, value: -0.3 * lag.value }\n"
    "  rub: { type: friction, joint: rail, coefficient: 0.2, speed: 0.05 }\n"
    "  coil: { type: spring, between: [ground, cart], stiffness: 200, damping: 1, length: 0.8 }\n";

static machine mixed(void)
{
    return machine_text(mixed_text);
}

static machine planar_four_bar(void)
{
    return four_bar(2);
}

static machine spatial_four_bar(void)
{
    return four_bar(3);
}

static machine arm(void)
{
    return source("examples/pid-arm.yaml");
}

static machine car(void)
{
    return source("examples/quarter-car.yaml");
}

static machine bricard(void)
{
    return source("validation/A04_bricard.yaml");
}

static machine top(void)
{
    return source("validation/heavy_top.yaml");
}

static machine sleigh(void)
{
    return source("validation/chaplygin_sleigh.yaml");
}

static const struct course {
    const char *name;
    machine (*build)(void);
    double until, scale;               /* s; largest speed, m/s or rad/s */
} courses[] = {
    { "drives, states and friction", mixed, 1, 10 },       { "planar four-bar", planar_four_bar, 0.5, 10 },
    { "redundant four-bar", spatial_four_bar, 0.5, 10 },   { "arm with controllers", arm, 0.5, 10 },
    { "quarter car", car, 1.5, 10 },                       { "Bricard's mechanism", bricard, 1, 10 },
    { "heavy top", top, 0.1, 150 },                        { "sleigh on a skate", sleigh, 2, 10 },
};
enum { STATE = 128 };

static void reach(const struct course *c, const tn_solve *solve, double y[STATE], int *n, double *drift)
{
    machine m = c->build();
    tn_summary summary = machine_run(&m, *solve);
    *n = m.session->system->size;
    *drift = summary.max_drift;
    assert_true(*n <= STATE);
    memcpy(y, m.session->stepper->y, (size_t)*n * sizeof(double));
    machine_close(&m);
}

/* Errors fall with the tolerance: of order 2, and of higher order. */
static void check_course(const struct course *c, const char *integrator, double tolerance, double allowed)
{
    double expected[STATE], y[STATE], drift;
    int n;
    tn_solve reference = within("dopri5", 1e-11, c->until), solve = within(integrator, tolerance, c->until);
    reference.max_step = solve.max_step = 0.01;        /* the car stands still before the bump */
    reach(c, &reference, expected, &n, &drift);
    reach(c, &solve, y, &n, &drift);
    double error = distance(n, y, expected) / c->scale;
    if (!(error <= allowed))
        fail_msg("%s on the %s at %g: off by %.3g, more than %.3g", integrator, c->name, tolerance, error, allowed);
    if (!(drift <= 1e-10))
        fail_msg("%s on the %s drifts by %.3g", integrator, c->name, drift);
}

static void test_same_motion(void **state)
{
    (void)state;
    for (size_t c = 0; c < TN_LENGTH(courses); c++)
        for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
            check_course(&courses[c], implicit[k], 1e-5, 2e-2);
            check_course(&courses[c], implicit[k], 1e-8, 1e-4);
        }
}

/* Redundant rows are closed by the rank of the step, not by the rows of the matrix, which are off the constraints. */
static void test_redundant_loop(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
        machine m = bricard();
        tn_summary summary = machine_run(&m, within(implicit[k], 1e-6, 1));
        assert_true(summary.energy_error < 2e-4 * summary.energy_peak);
        machine_close(&m);
    }
}

/* ---- one run like the other ---- */

static uint64_t hash_of(const char *integrator, double record)
{
    machine m = source("examples/stiff-linkage.yaml");
    tn_solve solve = within(integrator, 1e-6, 0.5);
    solve.record = record;
    machine_run(&m, solve);
    uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    return hash;
}

/* Samples look at steps and do not change them. */
static void test_samples_change_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
        uint64_t rare = hash_of(implicit[k], 0.5);
        assert_true(rare == hash_of(implicit[k], 0.5));
        assert_true(rare == hash_of(implicit[k], 0.003));
    }
}

/* From one to the other in mid-run. */
static void test_change_of_integrator(void **state)
{
    (void)state;
    double expected[STATE], drift;
    int n;
    tn_solve reference = within("dopri5", 1e-11, 0.5);
    reach(&courses[1], &reference, expected, &n, &drift);
    machine m = courses[1].build();
    machine_start(&m, within("dopri5", 1e-8, 0.5));
    for (int k = 0; k < 9; k++) {
        tn_solve solve = within(implicit[k % 3], 1e-8, 0.5);
        machine_must(&m, tn_session_set_solve(m.session, &solve));
        machine_must(&m, tn_session_advance(m.session, 0.05));
    }
    machine_must(&m, tn_session_run(m.session));
    assert_true(distance(n, m.session->stepper->y, expected) < 1e-4);
    machine_close(&m);
}

/* ---- springs for joints ---- */

/* With gains that a given step fixes, scheme "penalty" is an ordinary stiff model: implicit integrators find the motion of
 * explicit ones. Without a matrix that knows the springs Newton's method would not converge. */
static void test_springs_for_joints(void **state)
{
    (void)state;
    static const char *const able[] = { "cvode", "generalized-alpha" };
    static machine (*const builds[])(int) = { four_bar, slider_crank };
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t b = 0; b < TN_LENGTH(builds); b++) {
            double expected[64];
            machine m = builds[b](dimension);
            tn_solve solve = within("dop853", 1e-11, 0.2);
            solve.scheme = "penalty";
            solve.step = 0.005;                        /* s, of the gains */
            machine_run(&m, solve);
            int n = m.session->system->positions;
            memcpy(expected, m.session->stepper->y, (size_t)n * sizeof(double));
            machine_close(&m);
            for (size_t k = 0; k < TN_LENGTH(able); k++) {
                m = builds[b](dimension);
                tn_solve same = within(able[k], k == 0 ? 1e-9 : 1e-7, 0.2);
                same.scheme = "penalty";
                same.step = 0.005;
                machine_run(&m, same);
                double off = distance(n, m.session->stepper->y, expected);
                if (!(off < 2e-5))
                    fail_msg("%s, model %zu in %d dimensions: off by %.2g", able[k], b, dimension, off);
                machine_close(&m);
            }
        }
}

/* ---- what they refuse ---- */

static void refuses(const char *integrator, const char *scheme, const char *setting, double number, const char *words)
{
    machine m = double_pendulum(2);
    tn_solve solve = within(integrator, 1e-6, 1);
    solve.scheme = scheme;
    if (setting)
        assert_int_equal(tn_solve_set(&solve, setting, number), TN_OK);
    if (strcmp(scheme, "projection") != 0)
        solve.step = 0.01;
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ARGUMENT);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, words));
    machine_close(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    refuses("ida", "baumgarte", NULL, 0, "use scheme 'projection'");
    refuses("ida", "penalty", NULL, 0, "use scheme 'projection'");
    refuses("generalized-alpha", "projection", "rho_infinity", 1.2, "must be from 0 to 1");
    refuses("generalized-alpha", "projection", "fixed", 1, "give solve.step");
    refuses("cvode", "projection", "max_order", 6, "must be from 1 to 5");
    refuses("ida", "projection", "max_order", 0, "must be from 1 to 5");
}

/* Nothing moves: no matrix. */
static void test_without_bodies(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
        machine m = machine_text("tenon: 1\ndimension: 2\n");
        machine_run(&m, within(implicit[k], 1e-6, 1));
        machine_close(&m);
    }
}

static void test_hht_range(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    tn_solve solve = within("generalized-alpha", 1e-6, 1);
    assert_int_equal(tn_solve_set(&solve, "hht", 1), TN_OK);
    assert_int_equal(tn_solve_set(&solve, "rho_infinity", 0.4), TN_OK);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ARGUMENT);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "from 0.5 to 1 with hht"));
    machine_close(&m);
}

static void test_no_spectrum(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
        machine m = double_pendulum(2);
        tn_spectrum *spectrum = NULL;
        machine_start(&m, within(implicit[k], 1e-6, 1));
        assert_int_equal(tn_session_spectrum(&spectrum, m.session), TN_ERROR_ARGUMENT);
        assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "has no spectrum"));
        machine_close(&m);
    }
}

/* A force that ends: the words of the force, and the last good state. */
static void test_failing_force(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\ndimension: 2\nbodies: { b: { type: particle, mass: 1, position: [0, 0] } }\n"
                               "forces: { f: { type: force, on: b, value: [sqrt(0.5 - t), 0] } }\n";
    for (size_t k = 0; k < TN_LENGTH(implicit); k++) {
        machine m = machine_text(text);
        machine_start(&m, within(implicit[k], 1e-6, 1));
        assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
        assert_true(tn_diagnostics_count(m.context) > 0);
        assert_true(tn_session_time(m.session) > 0.4 && tn_session_time(m.session) <= 0.5);
        assert_true(isfinite(value(&m, "b.position.x")));
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_recursion), cmocka_unit_test(test_spectral_radius),
        cmocka_unit_test(test_stiff),               cmocka_unit_test(test_same_motion),
        cmocka_unit_test(test_redundant_loop),
        cmocka_unit_test(test_samples_change_nothing), cmocka_unit_test(test_change_of_integrator),
        cmocka_unit_test(test_springs_for_joints),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_bodies),            cmocka_unit_test(test_hht_range),
        cmocka_unit_test(test_no_spectrum),         cmocka_unit_test(test_failing_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
