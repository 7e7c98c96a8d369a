/* Mistakes: all that a model has are found in one go; numbers that are not finite are told; expectations that were not
 * reached are not met; inertia that no body has is refused or accepted with what was assumed. */
#include "mechanisms.h"

static bool said(const tn_context *context, tn_severity severity, const char *words)
{
    for (size_t k = 0; k < tn_diagnostics_count(context); k++)
        if (tn_diagnostics_get(context, k)->severity == severity &&
            strstr(tn_diagnostics_get(context, k)->message, words))
            return true;
    tn_diagnostics_print(context, stderr);
    return false;
}

static void done(machine *m)
{
    tn_diagnostics_clear(m->context);
    machine_close(m);
}

/* ---- all mistakes at once ---- */

static void test_all_mistakes(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { a: { mass: 1, inertia: 1 }, b: { mass: 1, inertia: 1, position: [1, 0] } }\n"
                             "joints:\n"
                             "  p: { type: revolute, between: [ground, a], limits: { angle: [-1, 1] } }\n"
                             "  q: { type: revolute, between: [ground, b], at: [1, 0], limits: { angle: [-1, 1] } }\n"
                             "forces:\n"
                             "  f: { type: force, on: b, value: [nothing, 0] }\n"
                             "  g: { type: torque, on: b, value: 3 m * t }\n"
                             "outputs: [p.angel, f.force, { x: 1 / foo }]\n"
                             "events: { e: { when: bar - 1, do: stop } }\n"
                             "initial: { p: { angle: 2 }, q: { angle: 3 } }\n");
    static const char *const words[] = { "nothing", "force 'g'", "p.angel", "f.force", "foo", "bar", "p.angle.high",
                                         "q.angle.high" };
    assert_true(tn_model_check(m.model) < 0);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        assert_true(said(m.context, TN_ERROR, words[k]));
    assert_int_equal(tn_diagnostics_count(m.context), sizeof words / sizeof *words);
    done(&m);
}

/* Where a polyhedron stands for a round shape, the contact and both bodies are named; on boxes none does. */
static void test_stand_ins(void **state)
{
    (void)state;
    for (int tube = 0; tube < 2; tube++) {
        char text[500];
        snprintf(text, sizeof text, "tenon: 1\nbodies:\n  ground: { shapes: [ { %s } ] }\n"
                 "  egg: { shapes: [ { ellipsoid: { half_axes: [0.1, 0.1, 0.2] }, mass: 1 } ], position: [0, 0, 3] }\n"
                 "contacts: { nest: { between: [ground, egg] } }\n", tube ? "tube: { radius: 1, inner: 0.9, length: 1 }" : "box: { size: [1, 1, 1] }");
        machine m = machine_text(text);
        assert_int_equal(tn_model_check(m.model), TN_OK);
        assert_int_equal(said(m.context, TN_WARNING, "'nest': the ellipsoid of 'egg' does not touch 'ground' exactly"), tube);
        tn_diagnostics_clear(m.context);
        done(&m);
    }
}

/* What does not assemble still has its other mistakes found. */
static void test_mistakes_beside_assembly(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { a: { mass: 1, inertia: 1, velocity: [1, 0] } }\n"
                             "joints: { p: { type: revolute, between: [ground, a] } }\n"
                             "outputs: [p.angel]\n"
                             "events: { e: { when: bar - 1, do: stop } }\n");
    assert_true(tn_model_check(m.model) < 0);
    assert_true(said(m.context, TN_ERROR, "contradicts itself"));
    assert_true(said(m.context, TN_ERROR, "p.angel"));
    assert_true(said(m.context, TN_ERROR, "bar"));
    done(&m);
}

static void test_no_freedom(void **state)
{
    (void)state;
    static const char text[] = "tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
                               "joints: { p: { type: %s, between: [ground, a] } }\n%s";
    machine m = machine_format(text, "fixed", "");
    assert_int_equal(tn_model_check(m.model), TN_OK);
    assert_true(said(m.context, TN_WARNING, "no freedom"));
    done(&m);
    m = machine_format(text, "revolute", "");
    assert_int_equal(tn_model_check(m.model), TN_OK);
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    done(&m);
    m = machine_format(text, "revolute", "drives: { d: { joint: p, angle: t * 1 rad/s } }\n");
    assert_int_equal(tn_model_check(m.model), TN_OK);
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    done(&m);
}

/* ---- numbers that are none ---- */

static machine falling(const char *outputs, const char *more)
{
    machine m = machine_format("tenon: 1\n"
                               "dimension: 2\n"
                               "gravity: [0, -10]\n"
                               "bodies: { b: { type: particle, mass: 1, position: [0, 0], velocity: [1, 0] } }\n"
                               "outputs: [b.position%s]\n"
                               "solve: { until: 1 s, step: 10 ms, integrator: rk4, record: 0.1 s }\n%s",
                               outputs, more);
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

static void count_signed(void *user, const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        *(int *)user += isnan(values[k]) && signbit(values[k]);
}

/* Rows have one NaN, without a sign. */
static void test_not_a_number(void **state)
{
    (void)state;
    int signed_ones = 0;
    machine m = falling(", { root: 'sqrt(0.55 m - b.position.x)' }, { pole: 1 / (0 * b.position.x) }",
                        "expect: { energy: 1e-6 }\n");
    tn_session_on_sample(m.session, count_signed, &signed_ones);
    assert_int_equal(tn_session_run(m.session), TN_NEWS_END);
    assert_true(said(m.context, TN_WARNING, "output 'root' is not a number at t = 0.6 s"));
    assert_true(said(m.context, TN_WARNING, "output 'pole' is"));
    assert_int_equal(tn_diagnostics_count(m.context), 2);
    assert_int_equal(tn_session_summary(m.session).not_finite, 5 + 11);
    assert_int_equal(signed_ones, 0);
    assert_int_equal(tn_session_verdict_count(m.session), 2);
    assert_true(tn_session_verdict(m.session, 0).ok);
    assert_false(tn_session_verdict(m.session, 1).ok);
    done(&m);
    m = falling(", { root: 'sqrt(2 m - b.position.x)' }", "expect: { energy: 1e-6 }\n");
    assert_int_equal(tn_session_run(m.session), TN_NEWS_END);
    assert_int_equal(tn_session_verdict_count(m.session), 1);
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    done(&m);
}

/* A relative error means nothing where kinetic energy is round-off. */
static void test_energy_at_rest(void **state)
{
    (void)state;
    tn_summary rest = { .energy_start = 26.5, .energy_end = 26.5, .energy_peak = 1e-24, .energy_error = 7e-18 };
    assert_true(isnan(tn_summary_energy_error(&rest)));
    tn_summary moves = { .energy_start = 2, .energy_end = 2, .energy_peak = 0.5, .energy_error = 1e-3 };
    assert_near(tn_summary_energy_error(&moves), 2e-3, 1e-15);
    tn_summary wrong = { .energy_start = 0, .energy_end = 8, .energy_peak = 0.5, .energy_error = 8 };
    assert_near(tn_summary_energy_error(&wrong), 16, 1e-12);
}

/* ---- inertia ---- */

static int read_body(tn_context *context, tn_model **model, const char *top, const char *body)
{
    char text[600];
    snprintf(text, sizeof text, "tenon: 1\n%sbodies: { b: { %s } }\n", top, body);
    return tn_model_read_text(model, context, text, strlen(text), "model.yaml", ".");
}

static void test_inertia_check(void **state)
{
    (void)state;
    static const struct { const char *body, *words; } cases[] = {
        { "mass: 1, inertia: [1, 1, 2.1]", "taken as they are" },
        { "mass: 1, inertia: [1, 1, 0]", "assumed 1e-06" },
        { "mass: 1, inertia: [1, 1, -0.001]", "assumed 1e-06" },
        { "mass: 0, inertia: [0, 0, 0]", "assumed 1e-06 kg" },
        { "mass: 0", "assumed 1e-06 kg" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        tn_context *context = tn_context_create(NULL);
        tn_model *model = NULL;
        tn_session *session = NULL;
        assert_int_equal(read_body(context, &model, "", cases[k].body), TN_ERROR_MODEL);
        tn_diagnostics_clear(context);
        assert_int_equal(read_body(context, &model, "inertia_check: warn\n", cases[k].body), TN_OK);
        assert_true(said(context, TN_WARNING, cases[k].words));
        tn_diagnostics_clear(context);
        assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
        assert_int_equal(tn_session_advance(session, 0.1), TN_OK);
        tn_session_close(session);
        tn_model_destroy(model);
        tn_context_destroy(context);
    }
}

/* More than rounding explains stays an error; a body may say it for itself. */
static void test_inertia_refused(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    static const char *const wrong[] = { "mass: 1, inertia: [1, 1, -0.5]", "mass: -1, inertia: [1, 1, 1]",
                                         "mass: 1, inertia: [1, 1, 2.1], inertia_check: refuse" };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(read_body(context, &model, "inertia_check: warn\n", wrong[k]), TN_ERROR_MODEL);
    tn_diagnostics_clear(context);
    assert_int_equal(read_body(context, &model, "", "mass: 1, inertia: [1, 1, 2.1], inertia_check: warn"), TN_OK);
    tn_diagnostics_clear(context);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_mistakes),   cmocka_unit_test(test_stand_ins),
        cmocka_unit_test(test_mistakes_beside_assembly),
        cmocka_unit_test(test_no_freedom),     cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_energy_at_rest), cmocka_unit_test(test_inertia_check),
        cmocka_unit_test(test_inertia_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
