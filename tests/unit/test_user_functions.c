/* Functions of the program in expressions: forces, devices and outputs that call back. */
#include <math.h>
#include <string.h>
#include "near.h"
#include "tenon/tenon.h"

#define CART "tenon: 1\ndimension: 2\nparameters: { k: 16 N/m }\n" \
    "bodies: { cart: { type: particle, mass: 1 kg, position: [0.3 m, 0] } }\n"
#define EXACT "solve: { until: 9 s, tolerance: 1e-11, absolute_tolerance: 1e-11 }\n"

static double spring(void *user, const double *x)
{
    ++*(long *)user;
    return -x[1] * x[0];
}

static double cubic(void *user, const double *x)
{
    (void)user;
    return x[0] * x[0] * x[0] * x[1] - 2 * x[2];
}

static double nothing(void *user, const double *x)
{
    (void)user;
    return x[0] > 0.2 ? 0 : NAN;
}

typedef struct world {
    tn_context *context;
    tn_model *model;
    tn_session *session;
    long calls;
} world;

static int open_world(world *w, const char *text)
{
    *w = (world){ .context = tn_context_create(NULL) };
    const tn_user_function functions[] = {
        { .name = "spring", .argument_count = 2, .argument_units = { "m", "N/m" }, .unit = "N", .call = spring, .user = &w->calls },
        { .name = "cubic", .argument_count = 3, .call = cubic },
        { .name = "nothing", .argument_count = 1, .call = nothing },
    };
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++)
        assert_int_equal(tn_context_add_function(w->context, &functions[k]), TN_OK);
    int code = tn_model_read_text(&w->model, w->context, text, strlen(text), "model.yaml", ".");
    return code < 0 ? code : tn_session_open(&w->session, w->model, NULL);
}

static void close_world(world *w)
{
    tn_session_close(w->session);
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
}

static double value_of(world *w, const char *channel)
{
    double value = NAN;
    if (tn_session_value(&value, w->session, channel) < 0)
        tn_diagnostics_print(w->context, stderr);
    return value;
}

/* x = 0.3 cos(4 t) */
static void test_force(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "rk4", "generalized-alpha" };
    for (int k = 0; k < 3; k++) {
        world w;
        char text[800];
        snprintf(text, sizeof text, CART "forces: { f: { type: force, on: cart, value: [\"spring(cart.position.x, k)\", 0] } }\n"
                 "outputs: [cart.position.x, twice: \"2 * spring(cart.position.x, k)\"]\n"
                 "solve: { until: 9 s, integrator: %s, %s }\n", integrators[k], k == 0 ? "tolerance: 1e-11, absolute_tolerance: 1e-11" : "step: 1 ms");
        assert_int_equal(open_world(&w, text), TN_OK);
        assert_int_equal(tn_session_advance(w.session, 1), TN_OK);
        assert_near(value_of(&w, "cart.position.x"), 0.3 * cos(4), k == 0 ? 1e-9 : 1e-5);
        assert_near(value_of(&w, "twice"), -2 * 16 * 0.3 * cos(4), k == 0 ? 1e-7 : 1e-3);
        assert_true(w.calls > 100);
        close_world(&w);
    }
}

/* Derivatives of values by several arguments, one of them a rate: A of the linearised system. */
static void test_derivatives(void **state)
{
    (void)state;
    world w;
    tn_linear_system *linear;
    assert_int_equal(open_world(&w, CART "forces: { f: { type: force, on: cart, value: [\"cubic(cart.position.x / 1 m, 5, "
                                "cart.velocity.x * 1 s/m) * 1 N\", 0] } }\n" EXACT), TN_OK);
    assert_int_equal(tn_session_linearize(&linear, w.session, &(tn_linear_request){ 0 }), TN_OK);
    double stiffness = 0, damping = 0;                 /* the only numbers of A beyond the ones that join x and v */
    for (size_t k = 0; k < linear->state_count * linear->state_count; k++) {
        if (fabs(linear->A[k] - 3 * 0.3 * 0.3 * 5) < 1e-8)
            stiffness = linear->A[k];
        if (fabs(linear->A[k] + 2) < 1e-8)
            damping = linear->A[k];
    }
    assert_near(stiffness, 1.35, 1e-10);
    assert_near(damping, -2, 1e-10);
    tn_linear_system_destroy(w.context, linear);
    close_world(&w);
}

/* The same function twice with other arguments, inside itself, and in a device. */
static void test_nested(void **state)
{
    (void)state;
    world w;
    assert_int_equal(open_world(&w, CART "devices: { d: { type: lag, u: \"cubic(t / 1 s, 1, 0)\", time: 1e-3 s } }\n"
                                "outputs: [a: \"cubic(cubic(2, 1, 0), 1, 3) + cubic(2, 1, 1)\", d.y]\n" EXACT), TN_OK);
    assert_near(value_of(&w, "a"), 512 - 6 + 8 - 2, 1e-12);
    assert_int_equal(tn_session_advance(w.session, 1), TN_OK);
    assert_near(value_of(&w, "d.y"), 1 - 3e-3, 1e-5);
    close_world(&w);
}

static void fails(const char *expression, const char *message)
{
    world w;
    char text[800];
    snprintf(text, sizeof text, CART "forces: { f: { type: force, on: cart, value: [\"%s\", 0] } }\n" EXACT, expression);
    assert_int_equal(open_world(&w, text), TN_ERROR_MODEL);
    assert_non_null(strstr(tn_diagnostics_get(w.context, 0)->message, message));
    close_world(&w);
}

static void test_mistakes(void **state)
{
    (void)state;
    fails("spring(cart.position.x)", "spring() takes 2 arguments, not 1");
    fails("spring(t, k)", "argument 1 of spring() is length (m), not time (s)");
    fails("spring(cart.position, k)", "argument 1 of spring() must be a number, not a vector");
    fails("sprung(cart.position.x, k)", "unknown function 'sprung'");
    world w;
    assert_int_equal(open_world(&w, CART "forces: { f: { type: force, on: cart, value: [-1 N, 0] },\n"
                                "  g: { type: force, on: cart, value: [\"nothing(cart.position.x) * 1 N\", 0] } }\n" EXACT), TN_OK);
    assert_int_equal(tn_session_advance(w.session, 2), TN_ERROR_STEP);         /* beyond 0.2 m there is no value */
    assert_true(value_of(&w, "cart.position.x") > 0.19);                       /* the last good state is kept */
    size_t count = tn_diagnostics_count(w.context);
    assert_non_null(strstr(tn_diagnostics_get(w.context, count - 1)->message, "a function of the program has no finite value"));
    static const tn_user_function wrong[] = {
        { .name = "sin", .argument_count = 1, .call = nothing }, { .name = "a b", .argument_count = 1, .call = nothing },
        { .name = "f", .argument_count = 0, .call = nothing }, { .name = "f", .argument_count = 9, .call = nothing },
        { .name = "f", .argument_count = 1 }, { .name = "f", .argument_count = 1, .call = nothing, .unit = "mm" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_int_equal(tn_context_add_function(w.context, &wrong[k]), TN_ERROR_ARGUMENT);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
