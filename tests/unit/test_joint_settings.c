/* Settings for single joints: where they come from, who takes them, what they do. */
#include "mechanisms.h"
#include "mem.h"
#include "unilaterals.h"

/* A double pendulum of particles: two links, each a rod between its ends. */
static const char links_format[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  root: { type: particle, mass: %g, position: [0, 0] }\n"
    "  end: { type: particle, mass: 0.5, position: [1, 0] }\n"
    "  start: { type: particle, mass: 0.5, position: [1, 0] }\n"
    "  tip: { type: particle, mass: 1, position: [1.6, -0.8] }\n"
    "joints:\n"
    "  upper: { type: rod, between: [root, end] }\n"
    "  lower: { type: rod, between: [start, tip] }\n"
    "  pivot: { type: revolute, between: [ground, root] }\n"
    "  elbow: { type: revolute, between: [end, start] }\n"
    "solve: { step: 1 ms, until: 0.3, integrator: rk4%s }\n";

static machine links(double root, const char *settings)
{
    char text[sizeof links_format + 300];
    snprintf(text, sizeof text, links_format, root, settings);
    return machine_text(text);
}

static const char *opens_not(const char *settings)
{
    static char message[400];
    machine m = links(1, settings);
    assert_true(tn_session_open(&m.session, m.model, NULL) < 0);
    assert_true(tn_diagnostics_count(m.context) > 0);
    snprintf(message, sizeof message, "%s", tn_diagnostics_get(m.context, 0)->message);
    machine_close(&m);
    return message;
}

static void test_from_file(void **state)
{
    (void)state;
    machine m = links(1, ", solver: uzawa, method: 1, rho_absolute: { pivot: 1.5, elbow: 0.4 }");
    tn_solve solve = tn_model_solve(m.model);
    assert_int_equal(solve.setting_count, 3);
    assert_null(solve.settings[0].joint);
    assert_string_equal(solve.settings[2].joint, "elbow");
    assert_near(solve.settings[2].value, 0.4, 0);
    assert_int_equal(tn_solve_set_for(&solve, "rho_absolute", "elbow", 0.3), TN_OK);
    assert_int_equal(tn_solve_set(&solve, "rho_absolute", 0.1), TN_OK);
    assert_int_equal(solve.setting_count, 4);
    assert_near(solve.settings[2].value, 0.3, 0);
    machine_close(&m);
}

static void test_refused(void **state)
{
    (void)state;
    assert_non_null(strstr(opens_not(", solver: uzawa, rho: { elbwo: 1 }"), "did you mean 'elbow'?"));
    assert_non_null(strstr(opens_not(", solver: uzawa, rho: { tip: 1 }"), "no joint 'tip'"));
    assert_non_null(strstr(opens_not(", solver: uzawa, rho: { elbow: 0 }"), "positive"));
    assert_non_null(strstr(opens_not(", solver: uzawa, warm: { elbow: 1 }"), "single joints"));
    assert_non_null(strstr(opens_not(", solver: uzawa, internal: { elbow: 0.5 }"), "internal (1) or not (0)"));
    assert_non_null(strstr(opens_not(", solver: uzawa, increment: { elbow: 0.01 }"), "for fixed rho from zero"));
    assert_non_null(strstr(opens_not(", solver: uzawa, method: 1, warm: 0, increment: { elbow: 1 }"), "between 0 and 1"));
    assert_non_null(strstr(opens_not(", solver: augmented, penalty: { elbow: 1e8 }"), "for all joints alike"));
    assert_non_null(strstr(opens_not(", scheme: baumgarte, alpha: { elbow: 5 }"), "for all joints alike"));
}

/* Positions, velocities, accelerations and multipliers after a run. */
static void end_of_run(const char *settings, double *y, double *a, double *lambda, tn_summary *summary)
{
    machine m = links(1, settings);
    machine_run(&m, tn_model_solve(m.model));
    machine_must(&m, tn_session_evaluate(m.session));
    const tn_system *s = m.session->system;
    memcpy(y, m.session->stepper->y, (size_t)(s->positions + s->velocities) * sizeof(double));
    memcpy(a, m.session->stepper->eval->a, (size_t)s->velocities * sizeof(double));
    memcpy(lambda, m.session->stepper->eval->lambda, (size_t)s->rows * sizeof(double));
    *summary = tn_session_summary(m.session);
    machine_close(&m);
}

/* Joints within links or not, one rho or several: the same motion and the same forces. */
static void test_same_motion(void **state)
{
    (void)state;
    enum { COORDINATES = 8, ROWS = 6 };
    static const char *const ways[] = {
        ", solver: uzawa, residual: 1e-13",
        ", solver: uzawa, residual: 1e-13, internal: { upper: 1, lower: 1 }",
        ", solver: uzawa, residual: 1e-13, internal: { upper: 1, lower: 1, pivot: 1, elbow: 1 }",
        ", solver: uzawa, residual: 1e-13, method: 1, rho: { elbow: 0.3 }, internal: { upper: 1, lower: 1 }",
        ", solver: uzawa, residual: 1e-13, method: 1, rho_absolute: { pivot: 1, elbow: 0.4 }, internal: { upper: 1 }",
    };
    double y[2 * COORDINATES], a[COORDINATES], lambda[ROWS], y2[2 * COORDINATES], a2[COORDINATES], lambda2[ROWS];
    tn_summary direct, other;
    end_of_run("", y, a, lambda, &direct);
    assert_int_equal(direct.iterations, 0);
    for (size_t w = 0; w < TN_LENGTH(ways); w++) {
        end_of_run(ways[w], y2, a2, lambda2, &other);
        assert_true((other.iterations > 0) == (w != 2));
        for (int k = 0; k < 2 * COORDINATES; k++)
            assert_near(y2[k], y[k], 1e-9);
        for (int k = 0; k < COORDINATES; k++)
            assert_near(a2[k], a[k], 1e-7);
        for (int k = 0; k < ROWS; k++)
            assert_near(lambda2[k], lambda[k], 1e-7);
    }
}

/* The published rho with a root of 0.5 kg: an eigenvalue of 3 where 2 is the limit. */
static void test_diverges(void **state)
{
    (void)state;
    machine m = links(0.5, ", scheme: baumgarte, solver: uzawa, method: 1, rho_absolute: { pivot: 1.5, elbow: 0.4 }, "
                           "internal: { upper: 1, lower: 1 }");
    int code = tn_session_open(&m.session, m.model, NULL);
    if (code >= 0)
        code = tn_session_run(m.session);
    assert_int_equal(code, TN_ERROR_STEP);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "1.5 times too large (eigenvalue 3 of 2)"));
    machine_close(&m);
}

/* Where each joint has settled to 1 %, all together have: the stop by joints comes later. A joint alone stops no later. */
static void test_stop_by_joints(void **state)
{
    (void)state;
    enum { COORDINATES = 8, ROWS = 6, WAYS = 3 };
    static const char *const ways[WAYS] = { "increment: { elbow: 0.01 }", "increment: 0.01",
                                            "increment: { pivot: 0.01, elbow: 0.01 }" };
    double y[2 * COORDINATES], a[COORDINATES], lambda[ROWS];
    tn_summary summary[WAYS];
    for (int w = 0; w < WAYS; w++) {
        char settings[200];
        snprintf(settings, sizeof settings, ", scheme: baumgarte, solver: uzawa, method: 1, warm: 0, rho_absolute: { pivot: 1.5, "
                 "elbow: 0.4 }, internal: { upper: 1, lower: 1 }, %s", ways[w]);
        end_of_run(settings, y, a, lambda, &summary[w]);
        assert_int_equal(summary[w].steps, summary[0].steps);
    }
    print_message("iterations: the elbow alone %ld, all together %ld, each %ld\n", summary[0].iterations,
                  summary[1].iterations, summary[2].iterations);
    assert_true(summary[2].iterations > summary[1].iterations);
    assert_true(summary[2].iterations >= summary[0].iterations);
}

/* A spring for one joint only: softer, so that it gives more. */
static double gap_of(const char *settings, const char *channel)
{
    machine m = links(1, settings);
    tn_solve solve = tn_model_solve(m.model);
    machine_run(&m, solve);
    double gap = value(&m, channel);
    machine_close(&m);
    return gap;
}

static void test_scheme_settings(void **state)
{
    (void)state;
    static const char all[] = ", scheme: penalty, stiffness: 0.004, damping: 1";
    static const char soft[] = ", scheme: penalty, damping: 1, "
                               "stiffness: { pivot: 0.001, upper: 0.004, lower: 0.004, elbow: 0.004 }";
    assert_near(gap_of(soft, "pivot.drift") / gap_of(all, "pivot.drift"), 4, 0.5);
    assert_near(gap_of(soft, "elbow.drift") / gap_of(all, "elbow.drift"), 1, 0.2);
}

/* A particle hanging at rest on a rod that is too long by e: Sigma is beta^2 g over what the rod enforces. */
static void test_sigma(void **state)
{
    (void)state;
    const double beta = 7, e = 0.01, g = ((1 + e) * (1 + e) - 1) / 2;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                             "bodies: { bob: { type: particle, mass: 3, position: [0, -1.01] } }\n"
                             "joints: { rod: { type: rod, between: [ground, bob], length: 1 } }\n"
                             "solve: { assemble: none, step: 1 ms, integrator: rk4, scheme: baumgarte, alpha: 2,\n"
                             "         beta: 7 }\n");
    machine_start(&m, tn_model_solve(m.model));
    double asked = beta * beta * g, enforced = asked + (1 + e) * 9.81;
    assert_near(value(&m, "constraints.sigma"), asked / enforced, 1e-14);
    assert_near(value(&m, "constraints.sigma"), asked / enforced, 1e-14);
    machine_close(&m);
    m = double_pendulum(2);
    machine_start(&m, fixed_steps("rk4", 0.001, 1));
    assert_near(value(&m, "constraints.sigma"), 0, 0);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_file),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_same_motion),
        cmocka_unit_test(test_diverges),
        cmocka_unit_test(test_stop_by_joints),
        cmocka_unit_test(test_scheme_settings),
        cmocka_unit_test(test_sigma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
