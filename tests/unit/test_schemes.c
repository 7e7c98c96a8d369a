/* Every scheme: its order, the same motion as all others, settings, changes in mid-run. Published values are in test_welch.c. */
#include "mechanisms.h"
#include "mem.h"
#include "random.h"
#include "session_impl.h"

static const double UNTIL = 0.4;       /* s */

static machine planar_four_bar(void)
{
    return four_bar(2);
}

static machine spatial_slider_crank(void)
{
    return slider_crank(3);
}

typedef struct course {
    const char *name;
    machine (*build)(void);
} course;

static const course courses[] = {
    { "spatial pendulum", spatial_pendulum },
    { "planar four-bar", planar_four_bar },
    { "spatial slider-crank", spatial_slider_crank },
};

static int length(const machine *m)
{
    return m->session->system->positions + m->session->system->velocities;
}

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

static void exact(const course *c, double *y)
{
    machine m = c->build();
    machine_run(&m, accurate(UNTIL));
    memcpy(y, m.session->stepper->y, (size_t)length(&m) * sizeof(double));
    machine_close(&m);
}

typedef struct errors {
    double q, v;                       /* of the state at UNTIL */
    double drift;                      /* largest on the way */
} errors;

static errors errors_of(const course *c, const tn_solve *solve, const double *expected)
{
    machine m = c->build();
    tn_summary summary = machine_run(&m, *solve);
    int n = m.session->system->positions;
    const double *y = m.session->stepper->y;
    errors e = { distance(n, y, expected), distance(m.session->system->velocities, y + n, expected + n),
                 summary.max_drift };
    machine_close(&m);
    return e;
}

/* ---- orders ---- */

typedef struct claim {
    const char *scheme, *integrator;
    tn_setting settings[4];
    double step;                       /* s */
    errors order;                      /* of each error; 0: not looked at */
} claim;

/* Gains in 1/h: velocities at the ends of steps are off by h across the constraints, positions are not. */
static const claim claims[] = {
    { "projection", "rk4", { { NULL, 0 } }, 0.01, { 4, 4, 0 } },
    { "baumgarte", "rk4", { { "alpha", 5 }, { "beta", 5 } }, 0.01, { 4, 4, 4 } },
    { "baumgarte", "heun", { { "alpha", 5 }, { "beta", 5 } }, 0.005, { 2, 2, 2 } },
    { "baumgarte", "heun", { { NULL, 0 } }, 0.0025, { 2, 1, 2 } },
    { "baumgarte", "rk4", { { NULL, 0 } }, 0.0025, { 2, 1, 2 } },
    { "baumgarte", "heun", { { "alpha_step", 1 }, { "beta_step", 1 } }, 0.0025, { 2, 1, 3 } },
    { "penalty", "rk4", { { NULL, 0 } }, 0.001, { 2, 2, 2 } },
    /* Newmark's rule, solved: the published stiffness, which explicit integrators do not bear */
    { "penalty", "generalized-alpha", { { "stiffness", 0.1 }, { "hht", 1 }, { "rho_infinity", 1 }, { "fixed", 1 } }, 0.002,
      { 2, 2, 2 } },
    { "taylor1", "rk4", { { NULL, 0 } }, 0.001, { 1, 1, 2 } },
    { "taylor2", "rk4", { { NULL, 0 } }, 0.0025, { 2, 2, 3 } },
    { "taylor2", "rk4", { { "passes", 1 } }, 0.0005, { 1, 1, 3 } },
};
static const double SLACK = 0.15;

static tn_solve solve_of(const claim *k, double step)
{
    tn_solve solve = fixed_steps(k->integrator, step, UNTIL);
    solve.scheme = k->scheme;
    for (int i = 0; i < 4 && k->settings[i].name; i++)
        assert_int_equal(tn_solve_set(&solve, k->settings[i].name, k->settings[i].value), TN_OK);
    return solve;
}

static void check_order(const char *what, const course *c, const claim *k, double order, double coarse, double fine)
{
    if (order > 0 && !(log2(coarse / fine) >= order - SLACK))
        fail_msg("%s with %s (%s ...) on the %s: %s of order %.3f, not %g (%.3g, %.3g)", k->scheme, k->integrator,
                 k->settings[0].name ? k->settings[0].name : "", c->name, what, log2(coarse / fine), order, coarse,
                 fine);
}

static void check_claim(const course *c, const claim *k)
{
    double expected[64];
    tn_solve rough = solve_of(k, k->step), smooth = solve_of(k, k->step / 2);
    exact(c, expected);
    errors coarse = errors_of(c, &rough, expected), fine = errors_of(c, &smooth, expected);
    check_order("positions", c, k, k->order.q, coarse.q, fine.q);
    check_order("velocities", c, k, k->order.v, coarse.v, fine.v);
    check_order("drift", c, k, k->order.drift, coarse.drift, fine.drift);
}

static void test_orders(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(claims); k++)
        for (size_t c = 0; c < TN_LENGTH(courses); c++)
            check_claim(&courses[c], &claims[k]);
}

/* No scheme without a claim. */
static void test_all_have_claims(void **state)
{
    (void)state;
    for (int k = 0; tn_scheme_types[k]; k++) {
        bool found = false;
        for (size_t n = 0; n < TN_LENGTH(claims); n++)
            found = found || strcmp(claims[n].scheme, tn_scheme_types[k]->name) == 0;
        assert_true(found);
    }
}

/* One pass of the corrector is of order 1 where forces depend on velocities: why there are two. */
static void test_second_pass(void **state)
{
    (void)state;
    double expected[64];
    claim one = claims[TN_LENGTH(claims) - 1], two = one;
    two.settings[0].value = 2;
    tn_solve once = solve_of(&one, 0.0005), twice = solve_of(&two, 0.0005);
    exact(&courses[0], expected);
    assert_true(errors_of(&courses[0], &once, expected).q > 3 * errors_of(&courses[0], &twice, expected).q);
}

/* ---- every scheme with every solver ---- */

static const char *const files[] = {
    "validation/A02_n_four_bar_N2.yaml", "examples/slider-crank.yaml", "validation/A04_bricard.yaml",
    "validation/heavy_top.yaml", "validation/chaplygin_sleigh.yaml", "random tree 1", "random tree 2", "random tree 3",
};
enum { FILE_STATE = 256 };

static machine subject(const char *file)
{
    char path[300];
    uint32_t seed;
    if (sscanf(file, "random tree %u", &seed) == 1)
        return random_machine(seed);
    snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR, file);
    return machine_read(path);
}

/* Positions reached in UNTIL / 4; a negative code when the run ends early. */
static int reach(const char *file, const tn_solve *solve, double *q, int *count)
{
    machine m = subject(file);
    int code = tn_session_open(&m.session, m.model, solve);
    if (code >= 0)
        code = tn_session_run(m.session);
    if (code >= 0) {
        *count = m.session->system->positions;
        assert_true(*count <= FILE_STATE);
        memcpy(q, m.session->stepper->y, (size_t)*count * sizeof(double));
    } else {
        assert_true(tn_diagnostics_count(m.context) > 0);
    }
    machine_close(&m);
    return code;
}

/* Solvers agree to what the iterative ones promise, over 200 steps. */
static const double SAME_MOTION = 1e-6;

static int combine(const char *file, const char *scheme, const char *solver, double step, double *q)
{
    int count = 0;
    tn_solve solve = fixed_steps("rk4", step, UNTIL / 4);
    solve.scheme = scheme;
    solve.solver = solver;
    int code = reach(file, &solve, q, &count);
    return code < 0 ? code : count;
}

/* Half the step, half the error at most. */
static void check_motion(const char *file, const char *scheme, const double *expected)
{
    double coarse[FILE_STATE], fine[FILE_STATE];
    int n = combine(file, scheme, "direct", 0.0005, coarse);
    assert_true(n > 0);
    assert_int_equal(combine(file, scheme, "direct", 0.00025, fine), n);
    double e1 = distance(n, coarse, expected), e2 = distance(n, fine, expected);
    if (!(e2 <= 0.55 * e1 + SAME_MOTION))
        fail_msg("%s on %s does not tend to the motion: %.3g, %.3g", scheme, file, e1, e2);
}

/* A solver that cannot do it stops with a reason; it never gives another motion. */
static void check_solver(const char *file, const char *scheme, const char *solver)
{
    double direct[FILE_STATE], other[FILE_STATE];
    int n = combine(file, scheme, "direct", 0.0005, direct), code = combine(file, scheme, solver, 0.0005, other);
    if (code < 0) {
        assert_true(code == TN_ERROR_STEP || code == TN_ERROR_ARGUMENT || code == TN_ERROR_ASSEMBLY);
        print_message("%s with %s on %s stops: %s\n", scheme, solver, file, tn_error_text(code));
        return;
    }
    double apart = distance(n, direct, other);
    if (!(apart <= SAME_MOTION))
        fail_msg("%s on %s: %s and direct are %.3g apart", scheme, file, solver, apart);
}

static void test_combinations(void **state)
{
    (void)state;
    for (size_t f = 0; f < TN_LENGTH(files); f++) {
        double expected[FILE_STATE];
        int count = 0;
        tn_solve solve = accurate(UNTIL / 4);
        assert_true(reach(files[f], &solve, expected, &count) >= 0);
        for (int k = 0; tn_scheme_types[k]; k++) {
            check_motion(files[f], tn_scheme_types[k]->name, expected);
            for (int n = 1; tn_solver_types[n]; n++)
                check_solver(files[f], tn_scheme_types[k]->name, tn_solver_types[n]->name);
        }
    }
}

/* ---- settings ---- */

static int open_with(machine *m, const char *name, double number)
{
    tn_solve solve = fixed_steps("rk4", 0.001, 0.1);
    solve.scheme = "baumgarte";
    assert_int_equal(tn_solve_set(&solve, name, number), TN_OK);
    return tn_session_open(&m->session, m->model, &solve);
}

static void test_unknown_setting(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    assert_int_equal(open_with(&m, "alhpa", 5), TN_ERROR_ARGUMENT);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "did you mean 'alpha'?"));
    assert_int_equal(open_with(&m, "alpha", -1), TN_ERROR_ARGUMENT);
    assert_int_equal(open_with(&m, "alpha", NAN), TN_ERROR_ARGUMENT);
    assert_int_equal(open_with(&m, "passes", 2), TN_ERROR_ARGUMENT);
    assert_int_equal(open_with(&m, "alpha", 5), TN_OK);
    assert_int_equal(tn_session_solve(m.session).setting_count, 1);
    machine_close(&m);
}

static void test_settings_from_file(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\nbodies: { b: { mass: 1 kg, inertia: [1, 1, 1] } }\n"
                               "solve: { scheme: baumgarte, step: 1 ms, alpha: 120 rpm, beta_step: 1 }\n";
    machine m = machine_text(text);
    tn_solve solve = tn_model_solve(m.model);
    assert_int_equal(solve.setting_count, 2);
    assert_string_equal(solve.settings[0].name, "alpha");
    assert_near(solve.settings[0].value, 4 * 3.14159265358979324, 1e-14);
    solve.scheme = "taylor2";
    tn_solve_drop_foreign(&solve);
    assert_int_equal(solve.setting_count, 0);
    machine_close(&m);
}

/* Gains that come from the step need one, also with an integrator that chooses its own. */
static void test_step_is_missing(void **state)
{
    (void)state;
    static const char *const schemes[] = { "baumgarte", "penalty", "taylor1", "taylor2" };
    for (size_t k = 0; k < TN_LENGTH(schemes); k++) {
        machine m = double_pendulum(2);
        tn_solve solve = tn_solve_default();
        solve.scheme = schemes[k];
        assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ARGUMENT);
        assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "solve.step"));
        machine_close(&m);
    }
}

/* No two methods that can be combined take a setting of the same name for different things. */
static void test_names_differ(void **state)
{
    (void)state;
    tn_parameter_decl all[TN_SOLVE_PARAMETERS];
    for (int k = 0; tn_scheme_types[k]; k++)
        for (int i = 0; tn_integrator_types[i]; i++)
            for (int n = 0; tn_solver_types[n]; n++) {
                tn_solve solve = tn_solve_default();
                solve.scheme = tn_scheme_types[k]->name;
                solve.integrator = tn_integrator_types[i]->name;
                solve.solver = tn_solver_types[n]->name;
                size_t count = tn_solve_parameters(all, &solve);
                for (size_t a = 0; a < count; a++)
                    for (size_t b = 0; b < a; b++)
                        assert_string_not_equal(all[a].name, all[b].name);
            }
}

/* ---- changes in mid-run ---- */

static void test_same_settings_change_nothing(void **state)
{
    (void)state;
    machine plain = double_pendulum(3), changed = double_pendulum(3);
    tn_solve solve = tn_solve_default();
    machine_start(&plain, solve);
    machine_start(&changed, solve);
    for (int k = 0; k < 20; k++) {
        machine_must(&plain, tn_session_step(plain.session));
        machine_must(&changed, tn_session_step(changed.session));
        machine_must(&changed, tn_session_set_solve(changed.session, &solve));
        assert_true(tn_session_hash(plain.session) == tn_session_hash(changed.session));
    }
    machine_close(&plain);
    machine_close(&changed);
}

/* From every scheme to every other: the state stays to the bit, and the motion goes on. */
static void test_change_of_scheme(void **state)
{
    (void)state;
    double expected[64];
    course c = { "double pendulum", planar_four_bar };
    exact(&c, expected);
    machine m = c.build();
    tn_solve solve = fixed_steps("rk4", 0.0005, UNTIL);
    machine_start(&m, solve);
    for (int k = 0; tn_session_time(m.session) < UNTIL - 0.01; k = tn_scheme_types[k + 1] ? k + 1 : 0) {
        solve.scheme = tn_scheme_types[k]->name;
        solve.step = k % 2 ? 0.0005 : 0.0004;
        uint64_t before = tn_session_hash(m.session);
        machine_must(&m, tn_session_set_solve(m.session, &solve));
        assert_true(tn_session_hash(m.session) == before);
        assert_string_equal(tn_session_solve(m.session).scheme, tn_scheme_types[k]->name);
        machine_must(&m, tn_session_advance(m.session, 0.01));
    }
    machine_must(&m, tn_session_run(m.session));
    assert_true(distance(m.session->system->positions, m.session->stepper->y, expected) < 0.01);
    assert_true(tn_session_summary(m.session).steps > 600);
    machine_close(&m);
}

static void test_refused_change(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    machine_start(&m, tn_solve_default());
    tn_solve wrong = tn_solve_default();
    wrong.solver = "dierct";
    assert_int_equal(tn_session_set_solve(m.session, &wrong), TN_ERROR_ARGUMENT);
    assert_string_equal(tn_session_solve(m.session).solver, "direct");
    machine_must(&m, tn_session_step(m.session));
    machine_close(&m);
}

/* A scheme that does not hold the mechanism says so; the state stays finite. */
static void test_explosion_is_diagnosed(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    tn_solve solve = fixed_steps("semi-implicit-euler", 0.01, 5);
    solve.scheme = "penalty";
    solve.trust = TN_TRUST_OFF;                        /* the judge warns before the scheme does */
    assert_int_equal(tn_solve_set(&solve, "stiffness", 0.5), TN_OK);
    machine_start(&m, solve);
    assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "does not hold joint"));
    assert_true(isfinite(value(&m, "energy.total")));
    machine_close(&m);
}

/* A bicycle: forces of rolling feed errors of the constraints' velocities, which taylor2 as published does not damp. Within a
 * second the energy was 10 times that of the start. */
static void test_bicycle(void **state)
{
    (void)state;
    static const char bicycle[] =
        "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n  ground: { frames: { floor: { at: [0, 0, 0], axis: z } } }\n"
        "  rear: { mass: 2, inertia: [0.06, 0.12, 0.06], position: [0, 0, 0.3], frames: { axle: { axis: y } } }\n"
        "  frame: { mass: 85, inertia: [9.2, 11, 2.8], position: [0.3, 0, 0.9] }\n"
        "  fork: { mass: 4, inertia: [0.059, 0.06, 0.007], position: [0.9, 0, 0.7] }\n"
        "  front: { mass: 3, inertia: [0.14, 0.28, 0.14], position: [1.02, 0, 0.35], frames: { axle: { axis: y } } }\n"
        "joints:\n  rear_contact: { type: rolling-disc, between: [ground.floor, rear.axle], radius: 0.3 }\n"
        "  front_contact: { type: rolling-disc, between: [ground.floor, front.axle], radius: 0.35 }\n"
        "  rear_axle: { type: revolute, between: [frame, rear], axis: y, at: [0, 0, 0.3] }\n"
        "  front_axle: { type: revolute, between: [fork, front], axis: y, at: [1.02, 0, 0.35] }\n"
        "  steering: { type: revolute, between: [frame, fork], axis: [-0.309, 0, 0.9511], at: [0.85, 0, 0.7] }\n"
        "initial: { rear_axle: { rate: 16.7 }, steering: { rate: 0.1 } }\n";
    static const char *const schemes[] = { "projection", "baumgarte", "taylor1", "taylor2" };
    for (size_t k = 0; k < TN_LENGTH(schemes); k++) {
        machine m = machine_text(bicycle);
        tn_solve solve = fixed_steps("rk4", 0.004, 1.2);
        solve.scheme = schemes[k];
        machine_run(&m, solve);
        tn_summary sum = tn_session_summary(m.session);
        assert_true(sum.energy_error < 1e-6 * sum.energy_peak);
        assert_int_equal(sum.steps, 300);
        machine_close(&m);
    }
}

/* Bricard's mechanism, whose rows are redundant on the constraints only, with schemes that do not project. When the rank was
 * decided where the joints are a little open, taylor1 divided steps, and with augmented rows contradicted each other. */
static void test_redundant_rows(void **state)
{
    (void)state;
    static const struct { const char *scheme; double energy; } rows[] = {
        { "baumgarte", 1e-6 }, { "taylor1", 2e-3 }, { "taylor2", 1e-5 },
    };
    static const char *const solvers[] = { "direct", "hierarchical", "augmented" };
    for (size_t k = 0; k < TN_LENGTH(rows); k++)
        for (size_t n = 0; n < TN_LENGTH(solvers); n++) {
            machine m = { .context = tn_context_create(NULL) };
            machine_must(&m, tn_model_read(&m.model, m.context, TENON_SOURCE_DIR "/examples/bricard.yaml"));
            tn_solve solve = fixed_steps("rk4", 0.002, 2);
            solve.scheme = rows[k].scheme;
            solve.solver = solvers[n];
            machine_run(&m, solve);
            tn_summary sum = tn_session_summary(m.session);
            if (!(sum.energy_error < rows[k].energy * sum.energy_peak))
                fail_msg("%s, %s: energy off by %.3g of %.3g J", rows[k].scheme, solvers[n], sum.energy_error, sum.energy_peak);
            assert_int_equal(sum.steps, 1000);
            machine_close(&m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_all_have_claims),
        cmocka_unit_test(test_second_pass),
        cmocka_unit_test(test_combinations),
        cmocka_unit_test(test_unknown_setting),
        cmocka_unit_test(test_settings_from_file),
        cmocka_unit_test(test_step_is_missing),
        cmocka_unit_test(test_names_differ),
        cmocka_unit_test(test_same_settings_change_nothing),
        cmocka_unit_test(test_change_of_scheme),
        cmocka_unit_test(test_refused_change),
        cmocka_unit_test(test_explosion_is_diagnosed),
        cmocka_unit_test(test_bicycle),
        cmocka_unit_test(test_redundant_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
