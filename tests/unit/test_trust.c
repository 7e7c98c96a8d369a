/* The judge of a run: silent where the result is right, and a word, or the end of the run, where it is not. */
#include "event_runs.h"
#include "session_impl.h"
#include "tenon/analysis.h"

#define PENDULUM                                                                                                       \
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                     \
    "bodies:\n  a: { mass: 1, inertia: 0.1, com: [0.5, 0], frames: { tip: { at: [1, 0] } } }\n"                         \
    "  b: { mass: 1, inertia: 0.1, com: [0.5, 0], position: [1, 0] }\n"                                                 \
    "joints:\n  p: { type: revolute, between: [ground, a] }\n  q: { type: revolute, between: [a.tip, b] }\n"

/* Good settings say nothing, with adaptive and fixed steps. */
static void test_silent(void **state)
{
    (void)state;
    static const char *const solves[] = { "solve: { until: 3 }\n", "solve: { until: 3, integrator: rk4, step: 1 ms }\n",
                                          "solve: { until: 3, scheme: baumgarte, integrator: rk4, step: 1 ms }\n" };
    for (size_t k = 0; k < sizeof solves / sizeof *solves; k++) {
        run x = run_parts(PENDULUM, "", solves[k]);
        assert_int_equal(x.code, TN_NEWS_END);
        assert_int_equal(tn_session_summary(x.session).doubts, 0);
        assert_int_equal(tn_diagnostics_count(x.r.context), 0);
        close_run(&x);
    }
}

/* Long steps of a method of first order: the step is told, and so is the energy. The motion is that without a judge. */
static void test_long_steps(void **state)
{
    (void)state;
    run x = run_parts(PENDULUM, "", "solve: { until: 5, integrator: semi-implicit-euler, step: 20 ms, trust_step: 1e-3 }\n");
    run y = run_parts(PENDULUM, "", "solve: { until: 5, integrator: semi-implicit-euler, step: 20 ms, trust: off }\n");
    unsigned doubts = tn_session_summary(x.session).doubts;
    assert_true(doubts & 1u << TN_DOUBT_STEP);
    assert_true(doubts & 1u << TN_DOUBT_ENERGY);
    must_say(&x.r, "the energy balance is off by");
    must_say(&x.r, "one step and two half steps take body 'b' to places that are");
    must_say(&x.r, "try a smaller 'step'");
    assert_true(tn_session_hash(x.session) == tn_session_hash(y.session));
    assert_int_equal(tn_session_summary(y.session).doubts, 0);
    assert_int_equal(tn_diagnostics_count(y.r.context), 0);
    close_run(&x);
    close_run(&y);
}

/* A run of so few steps that only its end can be judged. */
static void test_few_steps(void **state)
{
    (void)state;
    run x = run_parts(PENDULUM, "", "solve: { until: 0.5, integrator: semi-implicit-euler, step: 0.1 }\n");
    assert_true(tn_session_summary(x.session).steps < 10);
    assert_true(tn_session_summary(x.session).doubts & 1u << TN_DOUBT_ENERGY);
    close_run(&x);
}

/* A scheme that lets joints drift, with a long step: the joint is named, and with `stop` the run ends. */
static void test_drift_stops(void **state)
{
    (void)state;
    run x = run_parts(PENDULUM, "", "solve: { until: 3, scheme: baumgarte, integrator: semi-implicit-euler, step: 50 ms, trust: stop, "
                                    "trust_energy: 100, trust_step: 100 }\n");
    assert_int_equal(x.code, TN_ERROR_STEP);
    assert_true(tn_session_time(x.session) < 3);
    must_say(&x.r, "is apart by");
    must_say(&x.r, "or scheme 'projection'");
    close_run(&x);
    x = run_parts(PENDULUM, "", "solve: { until: 3, scheme: baumgarte, integrator: semi-implicit-euler, step: 50 ms, trust: stop, "
                                "trust_energy: 100, trust_step: 100, trust_drift: 1 }\n");
    assert_int_equal(x.code, TN_NEWS_END);
    close_run(&x);
}

/* With a threshold below round-off the balance of forces is told, with body and amounts. */
static void test_forces(void **state)
{
    (void)state;
    run x = run_parts(PENDULUM, "", "solve: { until: 0.1, trust_forces: 1e-19 }\n");
    assert_true(tn_session_summary(x.session).doubts & 1u << TN_DOUBT_FORCES);
    must_say(&x.r, "do not balance its acceleration at t = ");
    close_run(&x);
}

/* The largest error of the energy balance among recorded rows, and in the summary. */
typedef struct largest_error {
    double error;
    size_t rows;
} largest_error;

static void take_error(void *user, const double *values, size_t count)
{
    largest_error *most = user;
    most->error = fmax(most->error, fabs(values[count - 1]));
    most->rows++;
}

/* Rows between the ends of steps know the error of the energy balance as exactly as the summary does. */
static void test_rows_of_energy_error(void **state)
{
    (void)state;
    static const char *const forces[] = { "", "forces: { d: { type: torsion-spring, joint: q, stiffness: 3, damping: 0.2 } }\n" };
    for (size_t k = 0; k < 2; k++) {
        char text[2000];
        largest_error most = { 0 };
        snprintf(text, sizeof text, "%s%soutputs: [energy.error]\nsolve: { until: 5, record: 5 ms }\n", PENDULUM, forces[k]);
        reading r = accepted(text);
        tn_session *s = NULL;
        assert_int_equal(tn_session_open(&s, r.model, NULL), TN_OK);
        tn_session_on_sample(s, take_error, &most);
        assert_int_equal(tn_session_run(s), TN_NEWS_END);
        assert_true(most.rows >= 1000);
        assert_true(most.error > 0);
        assert_true(most.error <= tn_session_summary(s).energy_error * (1 + 1e-9));
        tn_session_close(s);
        done(&r);
    }
}

/* ---- what depends on time alone ---- */

#define PULSE(text)                                                                                                    \
    "tenon: 1\ndimension: 2\ngravity: [0, 0]\nbodies: { a: { mass: 1, inertia: 1 } }\n"                                  \
    "tables: { hat: { points: [[0, 0], [4.99, 0], [5, 100], [5.01, 0], [10, 0]], kind: linear } }\n"                     \
    "forces: { f: { type: force, on: a, value: [\"" text "\", 0] } }\noutputs: [a.velocity.x]\n"

static const struct {
    const char *model;
    double momentum;           /* N s: its integral over time */
} pulses[] = {
    { PULSE("if(t > 5 s, if(t < 5.01 s, 100, 0), 0)"), 1 },
    { PULSE("if(t > 3.3 s, if(t < 3.3001 s, 1e4, 0), 0)"), 1 },
    { PULSE("100 N * exp(-((t - 5 s) / (0.01 s))^2)"), 1.7724538509055159 },
    { PULSE("hat(t)"), 1 },
    { PULSE("10 * step(t, 2 s, 2.001 s) * step(t, 2.101 s, 2.1 s)"), 1 },
};

/* Trains of pulses, of which some begin or end at an end of the run or of its samples: by round-off, an integrator sees the other side. */
static void test_pulse_trains(void **state)
{
    static const struct {
        const char *force;
        double until, momentum;
    } trains[] = {
        { "if(mod(t, 0.1 s) < 1 ms, 100, 0)", 1, 1 },
        { "if(mod(t, 1 s) > 0.999 s, 100, 0)", 10, 1 },
        { "if(t - 0.1 s * floor(t / 0.1 s + 0.5) > 0.049 s, 100, 0)", 1, 1 },
        { "10 * (floor((t + 0.35 s) / 0.7 s) - floor((t + 0.35 s - 0.003 s) / 0.7 s))", 1.4, 0.06 },
        { "if(mod(t + 0.125 s, 0.25 s) < 0.01 s, 10, 0)", 0.5, 0.2 },
    };
    static const char *const integrators[] = { "dopri5", "dop853", "cvode", "ida", "generalized-alpha" };
    (void)state;
    for (size_t k = 0; k < sizeof trains / sizeof *trains; k++)
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
            char solve[160], model[400];
            snprintf(model, sizeof model, "tenon: 1\ndimension: 2\nbodies: { m: { mass: 1, inertia: 1 } }\n"
                     "forces: { f: { type: force, on: m, value: [\"%s\", 0] } }\n", trains[k].force);
            snprintf(solve, sizeof solve, "solve: { until: %g, integrator: %s, tolerance: 1e-7, record: 10 }\n", trains[k].until, integrators[i]);
            run x = run_parts(model, "", solve);
            double v = value_of(&x, "m.velocity.x");
            if (!(fabs(v - trains[k].momentum) < 2e-3 * trains[k].momentum))
                fail_msg("%s, train %zu: %.9g, not %.9g", integrators[i], k, v, trains[k].momentum);
            close_run(&x);
        }
}

/* A force that grows from next to nothing: the energy of the first slow motion is not known to a thousandth, and nothing is wrong. */
static void test_slow_beginning(void **state)
{
    static const char *const integrators[] = { "dopri5", "cvode", "ida", "generalized-alpha" };
    static const char *const forces[] = { "10 * sin(2 * pi * t / (20 s))^2000", "1e-4 / (1e-6 + ((t - 4.7 s) / (1 s))^2)" };
    (void)state;
    for (size_t k = 0; k < sizeof forces / sizeof *forces; k++)
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
            char solve[160], model[300];
            snprintf(model, sizeof model, "tenon: 1\ndimension: 2\nbodies: { m: { mass: 1, inertia: 1 } }\n"
                     "forces: { f: { type: force, on: m, value: [\"%s\", 0] } }\n", forces[k]);
            snprintf(solve, sizeof solve, "solve: { until: 10, integrator: %s, record: 10 }\n", integrators[i]);
            run x = run_parts(model, "", solve);
            assert_true(value_of(&x, "m.velocity.x") > 0.3);
            if (tn_diagnostics_count(x.r.context) > 0)
                fail_msg("%s, force %zu: %s", integrators[i], k, tn_diagnostics_get(x.r.context, 0)->message);
            close_run(&x);
        }
}

/* From rest, a method of first order is off by 1/k of the energy after k steps, however short they are. */
static void test_first_order_from_rest(void **state)
{
    static const char *const steps[] = { "1 ms", "1 us" }, *const integrators[] = { "semi-implicit-euler", "newmark-pec" };
    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
            char solve[160];
            snprintf(solve, sizeof solve, "solve: { until: 0.2, integrator: %s, step: %s, record: 0.2 }\n", integrators[i], steps[k]);
            run x = run_parts("tenon: 1\ndimension: 2\ngravity: [0, -10]\nbodies: { m: { mass: 1, inertia: 1 } }\n", "", solve);
            assert_near(value_of(&x, "m.position.y"), -0.2, 2e-3);
            if (tn_diagnostics_count(x.r.context) > 0)
                fail_msg("%s, %s: %s", integrators[i], steps[k], tn_diagnostics_get(x.r.context, 0)->message);
            close_run(&x);
        }
}

/* Where nothing happens steps grow over seconds; pulses of milliseconds and less are not passed over. */
static void test_pulses(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "dop853", "cvode", "ida", "generalized-alpha", "newmark-adaptive" };
    for (size_t k = 0; k < sizeof pulses / sizeof *pulses; k++)
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
            char solve[120];
            snprintf(solve, sizeof solve, "solve: { until: 10, integrator: %s, tolerance: 1e-7, record: 10 }\n", integrators[i]);
            run x = run_parts(pulses[k].model, "", solve);
            if (x.code != TN_NEWS_END)
                fail_msg("%s, pulse %zu: %s", integrators[i], k, tn_diagnostics_get(x.r.context, 0)->message);
            double v = x.session->stepper->y[x.session->system->positions];
            if (!(fabs(v - pulses[k].momentum) < 1e-3))
                fail_msg("%s, pulse %zu: %.9g, not %.9g", integrators[i], k, v, pulses[k].momentum);
            close_run(&x);
        }
}

/* Fixed steps that do not see a pulse, or see a vibration as a constant, are told; those that see it are not. */
static void test_unseen_time(void **state)
{
    (void)state;
    static const struct { const char *model, *solve; bool told; } cases[] = {
        /* steps end in front of jumps, with the parts of a pulse as with the whole */
        { PULSE("if(t > 5 s, if(t < 5.01 s, 100, 0), 0)"), "solve: { until: 10, integrator: rk4, step: 0.1 }\n", false },
        { PULSE("100 N * exp(-((t - 5.03 s) / (3 ms))^2)"), "solve: { until: 10, integrator: rk4, step: 0.1 }\n", true },
        { PULSE("10 * sin(2 * pi / (1 s) * t)"), "solve: { until: 10, integrator: rk4, step: 1 }\n", true },
        { PULSE("10 * sin(2 * pi / (1 s) * t)"), "solve: { until: 10, integrator: rk4, step: 0.05 }\n", false },
        { PULSE("hat(t)"), "solve: { until: 10, integrator: rk4, step: 0.002 }\n", false },
        /* methods that see the ends of a step only: crests and sharp bends between two ends are no pulses */
        { PULSE("100 N * exp(-((t - 5.03 s) / (3 ms))^2)"), "solve: { until: 10, integrator: heun, step: 0.1 }\n", true },
        { PULSE("10 * sin(2 * pi / (1 s) * t)"), "solve: { until: 10, integrator: heun, step: 1 }\n", true },
        { PULSE("10 N * sin(2 * pi / (1 s) * t) + 1 N * exp(-((t - 5.2423 s) / (0.1 ms))^2)"), "solve: { until: 10, integrator: heun, step: 1 ms }\n", true },
        { PULSE("2 * cos(7 rad/s * t)"), "solve: { until: 10, integrator: heun, step: 1 ms }\n", false },
        { PULSE("1 N * (abs(sin(7 rad/s * t)) + max(0, cos(9 rad/s * t)))"), "solve: { until: 10, integrator: newmark, step: 1 ms }\n", false },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run x = run_parts(cases[k].model, "", cases[k].solve);
        assert_int_equal(x.code, TN_NEWS_END);
        if (((tn_session_summary(x.session).doubts >> TN_DOUBT_TIME) & 1) != cases[k].told)
            fail_msg("case %zu", k);
        if (cases[k].told)
            must_say(&x.r, "'f' changes with time faster than the step shows");
        close_run(&x);
    }
}

/* ---- loads that redundant joints share ---- */

#define DOOR(rest)                                                                                                     \
    "tenon: 1\ngravity: [0, 0, -9.81]\nbodies: { leaf: { mass: 20, inertia: [3, 2, 1], com: [0.4, 0, 1] } }\n"           \
    "joints:\n  low: { type: revolute, between: [ground, leaf], at: [0, 0, 0.2], axis: z }\n"                            \
    "  top: { type: revolute, between: [ground, leaf], at: [0, 0, 1.8], axis: z" rest
/* A four-bar in the plane of its load, of hinges in space: nothing loads what is not unique. */
#define FLAT_FOUR_BAR(rest)                                                                                            \
    "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n  a: { mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0.5, 0] }\n"          \
    "  b: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0], com: [1, 0.2, 0] }\n"                                \
    "  c: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0], com: [0, 0.7, 0] }\n"                                \
    "joints:\n  p: { type: revolute, between: [ground, a], at: [0, 0, 0], axis: z }\n"                                   \
    "  q: { type: revolute, between: [a, b], at: [0, 1, 0], axis: z }\n"                                                 \
    "  r: { type: revolute, between: [b, c], at: [2, 1.4, 0], axis: z }\n"                                               \
    "  s: { type: revolute, between: [ground, c], at: [2, 0, 0], axis: z }\n" rest

/* Friction, fuses and events by a reaction that is not unique follow the share of the solver: that is told. */
static void test_shared_loads(void **state)
{
    (void)state;
    static const char rub[] = "  rub: { type: friction, joint: low, coefficient: 0.3, radius: 2 cm";
    static const struct { const char *model, *rest, *told; } cases[] = {
        { DOOR(" }\nforces:\n"), "", "friction 'rub' follows the reaction of joint 'low'" },
        { DOOR(", fuse: { force: 1 kN } }\nforces:\n"), ", reaction_share: 0, preload: 9 N", "follows the reaction of joint 'top'" },
        { DOOR(" }\nevents: { e: { when: low.reaction.force.z - 1 N, do: { log: x } } }\nforces:\n"), ", reaction_share: 0, preload: 9 N",
          "event 'e' follows the reaction of joint 'low'" },
        { DOOR(" }\nevents: { e: { when: energy.kinetic - 1 J, do: { log: x } } }\nforces:\n"), ", reaction_share: 0, preload: 9 N", NULL },
        { FLAT_FOUR_BAR("forces:\n"), "", NULL },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char model[2000];
        const bool flat = strstr(cases[k].model, "r: {") != NULL;
        snprintf(model, sizeof model, "%s%s%s }\n", cases[k].model, flat ? "  rub: { type: friction, joint: p, coefficient: 0.3, radius: 2 cm" : rub,
                 cases[k].rest);
        run x = run_parts(model, flat ? "" : "initial: { low: { rate: 2 } }\n", "solve: { until: 0.05 }\n");
        assert_int_equal(x.code, TN_NEWS_END);
        if (((tn_session_summary(x.session).doubts >> TN_DOUBT_SHARED) & 1) != (cases[k].told != NULL))
            fail_msg("case %zu", k);
        if (cases[k].told)
            must_say(&x.r, cases[k].told);
        close_run(&x);
    }
}

/* A body that turns by ten radians in a step: its places are right, its orientation is not. */
static void test_fast_spin(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ndimension: 3\ngravity: [0, 0, 0]\n"
                      "bodies: { a: { mass: 1, inertia: [0.01, 0.01, 0.02], angular_velocity: [0, 0, 1e4] } }\n", "",
                      "solve: { until: 0.1, integrator: rk4, step: 1 ms }\n");
    assert_true(tn_session_summary(x.session).doubts & 1u << TN_DOUBT_STEP);
    close_run(&x);
}

/* Two hinges a hair apart: as one they allow a motion that as two they do not. Steps get shorter and shorter, and the run ends. */
static void test_crawl(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "cvode", "rk4, step: 1 ms" };
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        char solve[80];
        snprintf(solve, sizeof solve, "solve: { until: 1, integrator: %s }\n", integrators[k]);
        run x = run_parts("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies: { a: { mass: 1, inertia: 0.1, com: [0.5, 0] } }\n"
                          "joints:\n  p: { type: revolute, between: [ground, a] }\n"
                          "  p2: { type: revolute, between: [ground, a], at: [1e-7, 0] }\n", "", solve);
        assert_int_equal(x.code, TN_ERROR_STEP);
        close_run(&x);
    }
}

/* A drive that turns the middle one of a ball's three angles to 90 degrees, where the others are not determined: tries to cross that
 * position take so many evaluations that the run would hardly end. */
static void test_drive_into_gimbal_lock(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ngravity: [0, 0, -9.81]\nbodies: { a: { mass: 1, inertia: [1, 1, 1], com: [0, 0, -0.5] } }\n"
                      "joints: { p: { type: spherical, between: [ground, a], at: [0, 0, 0] } }\n"
                      "drives: { x: { joint: p.angle_x, rate: 1 }, y: { joint: p.angle_y, rate: 1.7 }, z: { joint: p.angle_z, rate: 0.5 } }\n",
                      "initial: { p: { angle_y: 1.5 } }\n", "solve: { until: 1 }\n");
    assert_int_equal(x.code, TN_ERROR_STEP);
    assert_true(tn_session_summary(x.session).evaluations < 400000);
    assert_true(tn_session_time(x.session) < (1.5707963267948966 - 1.5) / 1.7 + 1e-6);
    close_run(&x);
}

/* An oscillator of a micrometre with the usual tolerances is off by half its way with several integrators: all are told, and silent
 * with smaller tolerances, at a millimetre, and at rest. */
static void test_small_motion(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "cvode", "ida", "generalized-alpha" };
    static const struct { double size; const char *more; bool told; } cases[] = {
        { 1e-6, "", true }, { 1e-9, "", true }, { 1e-6, ", tolerance: 1e-12, absolute_tolerance: 1e-14", false }, { 1e-2, "", false }, { 0, "", false },
    };
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            if (i == 3 && cases[k].more[0])            /* of second order: too many steps */
                continue;
            char model[400], solve[120];
            snprintf(model, sizeof model, "tenon: 1\ndimension: 2\nbodies: { a: { type: particle, mass: 1e-9, position: [%g, 0] } }\n"
                     "forces: { f: { type: force, on: a, value: ['-1e-9 N/m * a.position.x', '-1e-9 N/m * a.position.y'] } }\n", cases[k].size);
            snprintf(solve, sizeof solve, "solve: { until: 6, integrator: %s%s }\n", integrators[i], cases[k].more);
            run x = run_parts(model, "", solve);
            assert_int_equal(x.code, TN_NEWS_END);
            bool told = tn_session_summary(x.session).doubts & 1u << TN_DOUBT_SIZE;
            assert_int_equal(told, cases[k].told);
            close_run(&x);
        }
}

#define IN_LINE                                                                                                        \
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                                                     \
    "bodies:\n  a: { mass: 1, inertia: 0.02, position: [0.1, 0] }\n  b: { mass: 1.2, inertia: 0.03, position: [0.6, 0] }\n" \
    "  k: { mass: 2, inertia: 0.05, position: [0.45, 0] }\n  s: { mass: 0.7, inertia: 0.01, position: [0.7, 0] }\n"      \
    "joints:\n  p: { type: revolute, between: [ground, a], at: [0, 0] }\n"                                             \
    "  q: { type: revolute, between: [ground, b], at: [0.5, 0] }\n"                                                     \
    "  e: { type: revolute, between: [a, k], at: [0.2, 0] }\n  f: { type: revolute, between: [b, k], at: [0.7, 0] }\n"  \
    "  w: { type: translational, between: [k, s], at: [0.7, 0], axis: x, limits: { position: [-0.1, 0.05] } }\n"

/* A parallelogram in line: rates of one crank alone begin no motion, and at rest the way is open. Both are told. */
static void test_singular_starts(void **state)
{
    (void)state;
    run x = run_parts(IN_LINE "initial: { p: { rate: 9 } }\n", "", "solve: { until: 0.1 }\n");
    assert_int_equal(x.code, TN_ERROR_STEP);
    must_say(&x.r, "its velocities begin no motion: joint 'f' asks for something");
    close_run(&x);
    run z = run_parts(IN_LINE "initial: { p: { angle: 0.2, rate: -6 }, q: { angle: 0.2 } }\ndrives: { m: { joint: p, rate: -2, enabled: no } }\n",
                      "events: { line: { when: p.angle, do: { enable: m } } }\n", "solve: { until: 0.2 }\n");
    assert_int_equal(z.code, TN_ERROR_STEP);           /* an impulse on the change point itself */
    must_say(&z.r, "its velocities begin no motion");
    close_run(&z);
    run y = run_parts(IN_LINE "drives: { m: { joint: p, angle: 2*t - 2*sin(t*1 rad/s) } }\n", "", "solve: { until: 1e-5 }\n");
    must_say(&y.r, "at rest in a singular position, from which several ways lead on");
    close_run(&y);
}

/* With the rates of both cranks it goes on: the work of a drive is accounted for where its torque is not that of the motion, on the
 * singular position itself; instants next to the position are looked at, where projection would magnify round-off. */
static void test_motion_from_singular_starts(void **state)
{
    (void)state;
    static const char *const solves[] = { "solve: { until: 0.3 }\n", "solve: { until: 0.3, integrator: cvode }\n",
                                          "solve: { until: 0.3, integrator: rk4, step: 1 ms }\n" };
    for (size_t k = 0; k < sizeof solves / sizeof *solves; k++) {
        run x = run_parts(IN_LINE "drives: { m: { joint: p, rate: 4 } }\ninitial: { q: { rate: 4 } }\n", "", solves[k]);
        assert_int_equal(x.code, TN_NEWS_END);
        assert_int_equal(tn_session_summary(x.session).doubts, 0);
        assert_true(tn_session_summary(x.session).energy_error < 1e-4);
        close_run(&x);
    }
}

/* Contacts that are stepped in time: their step is what makes the energy better, not the tolerance. */
static void test_contact_steps(void **state)
{
    (void)state;
    run x = run_parts("tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { shapes: [ { half_space: {} } ] }\n"
                      "  b: { shapes: [ { box: { size: [0.3, 0.1, 0.05] }, mass: 1 } ], position: [0, 0, 0.3], angular_velocity: [10, 20, 5] }\n"
                      "contacts: { c: { between: [ground, b], friction: 0.5 } }\n", "",
                      "solve: { until: 0.5, contact: time-stepping, contact_step: 10 ms, trust_energy: 1e-5 }\n");
    assert_true(tn_session_summary(x.session).doubts & 1u << TN_DOUBT_ENERGY);
    must_say(&x.r, "the result may be wrong: try a smaller 'contact_step' in 'solve'");
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_energy_error),
        cmocka_unit_test(test_silent), cmocka_unit_test(test_long_steps), cmocka_unit_test(test_few_steps), cmocka_unit_test(test_drift_stops),
        cmocka_unit_test(test_forces), cmocka_unit_test(test_contact_steps),
        cmocka_unit_test(test_pulses), cmocka_unit_test(test_pulse_trains), cmocka_unit_test(test_slow_beginning), cmocka_unit_test(test_first_order_from_rest),
        cmocka_unit_test(test_unseen_time),
        cmocka_unit_test(test_shared_loads),
        cmocka_unit_test(test_fast_spin), cmocka_unit_test(test_crawl), cmocka_unit_test(test_drive_into_gimbal_lock),
        cmocka_unit_test(test_small_motion), cmocka_unit_test(test_singular_starts), cmocka_unit_test(test_motion_from_singular_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
