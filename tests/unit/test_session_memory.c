/* Memory over the whole way from a text to steps: every failing request is reported and nothing leaks; steps ask for
 * none. */
#include "alloc.h"
#include "near.h"
#include "tenon/analysis.h"
#include "tenon/session.h"
#include <string.h>

/* Something of everything: parameters, shapes, own joint types, loops with redundancy, couplings, forces, outputs. */
static const char text[] =
    "tenon: 1\n"
    "name: everything\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: { L: 0.5 m, k: 2 kN/m }\n"
    "joint_types:\n"
    "  tether: { parameters: { length: length }, equations: ['d . d - length^2'], coordinates: { stretch: norm(d) } }\n"
    "bodies:\n"
    "  leaf:\n"
    "    shapes: [ { box: { size: [L, 0.1, 1], at: [0.25, 0, 0] }, density: 700 } ]\n"
    "    angular_velocity: [0, 0, 1]\n"
    "  wheel: { mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], frames: { rim: { at: [0.1, 0, 0] } } }\n"
    "  bob: { type: particle, mass: 0.2, position: [1.1, -0.3, 0] }\n"
    "joints:\n"
    "  low: { type: revolute, between: [ground, leaf], at: [0, 0, 0], axis: z }\n"
    "  high: { type: revolute, between: [ground, leaf], at: [0, 0, 1], axis: z }\n"
    "  shaft: { type: revolute, between: [ground, wheel], at: [1, 0, 0], axis: z }\n"
    "  mesh: { type: gear, joints: [low, shaft], ratio: 2 }\n"
    "  string: { type: tether, between: [wheel.rim, bob], length: 0.3 m }\n"
    "forces:\n"
    "  pull: { type: spring, between: [ground, bob], stiffness: k, length: L }\n"
    "initial: { shaft: { rate: -0.5 } }\n"
    "events:\n"
    "  swings: { when: shaft.angle + 5, touch: 1 mrad }\n"
    "  pulled: { when: shaft.reaction.force.x - 1 MN, hysteresis: 1 N }\n"
    "  late: { when: t - %s, once: yes, do: [ { log: 'work {energy.work}' }, { reset: counters } ] }\n"
    "outputs: [all]\n"
    "solve: { until: 1, integrator: %s, step: 1 ms, record: 2 ms }\n";

static int take_steps(tn_context *context, tn_model *model, tn_session **session)
{
    tn_report *report = NULL;
    double total = 0;
    int code = tn_session_open(session, model, NULL);
    for (int k = 0; k < 5 && code == TN_OK; k++)
        code = tn_session_step(*session);
    if (code == TN_OK)
        code = tn_session_value(&total, *session, "energy.total");
    if (code == TN_OK)
        code = tn_session_report(&report, *session);
    tn_report_destroy(context, report);
    return code;
}

static int whole_way(tn_context *context, const char *model_text)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_text(&model, context, model_text, strlen(model_text), "model.yaml", ".");
    if (code == TN_OK)
        code = take_steps(context, model, &session);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static void fail_every_request(const char *integrator)
{
    char model_text[sizeof text + 40];
    int code = TN_ERROR_MEMORY;
    snprintf(model_text, sizeof model_text, text, "0.002", integrator);
    for (long n = 1; code != TN_OK; n++) {
        test_alloc a = { .fail_at = n };
        tn_context *context = test_context(&a);
        code = context ? whole_way(context, model_text) : TN_ERROR_MEMORY;
        if (code != TN_OK && code != TN_ERROR_MEMORY) {
            tn_diagnostics_print(context, stderr);
            fail_msg("request %ld failed, but the code is %d", n, code);
        }
        if (code == TN_OK && a.calls >= n)
            fail_msg("request %ld failed without being noticed", n);
        if (context)
            tn_context_destroy(context);
        if (a.alive != 0)
            fail_msg("%ld pieces of memory are left after request %ld failed", a.alive, n);
    }
}

static void test_every_request_fails(void **state)
{
    (void)state;
    fail_every_request("dopri5");
    fail_every_request("generalized-alpha");
    fail_every_request("cvode");
    fail_every_request("ida");
}

static void ignore_sample(void *user, const double *values, size_t count)
{
    *(double *)user += values[count - 1];
}

static void test_no_requests_in_steps(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "rk4", "newmark-iterated", "generalized-alpha", "cvode", "ida" };
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        char model_text[sizeof text + 40];
        test_alloc a = { 0 };
        tn_context *context = test_context(&a);
        tn_model *model = NULL;
        tn_session *session = NULL;
        double sum = 0;
        snprintf(model_text, sizeof model_text, text, "10", integrators[k]);
        assert_int_equal(tn_model_read_text(&model, context, model_text, strlen(model_text), "model.yaml", "."), TN_OK);
        tn_solve solve = tn_model_solve(model);
        assert_int_equal(tn_session_open(&session, model, &solve), TN_OK);
        tn_session_on_sample(session, ignore_sample, &sum);
        long before = a.calls;
        assert_int_equal(tn_session_advance(session, 0.2), TN_OK);
        assert_int_equal(a.calls, before);
        tn_session_close(session);
        tn_model_destroy(model);
        tn_context_destroy(context);
        assert_int_equal(a.alive, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_request_fails),
        cmocka_unit_test(test_no_requests_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
