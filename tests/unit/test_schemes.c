/* Every scheme: its order, the same motion as all others, settings, changes in mid-run, failures that explain themselves. */
#include "mechanisms.h"
#include "mem.h"
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

static double error_of(const course *c, const tn_solve *solve, const double *expected, tn_summary *summary)
{
    machine m = c->build();
    *summary = machine_run(&m, *solve);
    double error = distance(getenv("POS")?m.session->system->positions:length(&m), m.session->stepper->y, expected);
    machine_close(&m);
    return error;
}

/* ---- orders ---- */

typedef struct claim {
    const char *scheme, *integrator;
    tn_setting setting[2];
    double step;                       /* s */
    double order, drift_order;         /* at least; drift_order 0: not looked at */
} claim;

static const claim claims[] = {
    { "projection", "rk4", { { NULL, 0 } }, 0.01, 3.8, 0 },
    { "baumgarte", "rk4", { { "alpha", 5 }, { "beta", 5 } }, 0.01, 3.8, 0 },
    { "baumgarte", "heun", { { "alpha", 5 }, { "beta", 5 } }, 0.005, 1.9, 0 },
    { "baumgarte", "heun", { { NULL, 0 } }, 0.0025, 1.8, 1.8 },
    { "baumgarte", "rk4", { { NULL, 0 } }, 0.005, 1.8, 1.8 },
    { "baumgarte", "heun", { { "alpha_step", 1 }, { "beta_step", 1 } }, 0.0025, 1.8, 1.8 },
    { "penalty", "rk4", { { NULL, 0 } }, 0.001, 0.9, 0.9 },
    { "taylor1", "rk4", { { NULL, 0 } }, 0.001, 0.9, 1.8 },
    { "taylor2", "rk4", { { NULL, 0 } }, 0.005, 1.9, 2.8 },
    { "taylor2", "rk4", { { "passes", 1 } }, 0.001, 0.9, 2.8 },
};

static tn_solve solve_of(const claim *k, double step)
{
    tn_solve solve = fixed_steps(k->integrator, step, UNTIL);
    solve.scheme = k->scheme;
    for (int i = 0; i < 2 && k->setting[i].name; i++)
        assert_int_equal(tn_solve_set(&solve, k->setting[i].name, k->setting[i].value), TN_OK);
    return solve;
}

static void check_claim(const course *c, const claim *k)
{
    double expected[64];
    tn_summary rough, smooth;
    tn_solve coarse = solve_of(k, k->step), fine = solve_of(k, k->step / 2);
    exact(c, expected);
    double e1 = error_of(c, &coarse, expected, &rough), e2 = error_of(c, &fine, expected, &smooth);
    double order = log2(e1 / e2), drift = log2(rough.max_drift / smooth.max_drift);
    if (getenv("TENON_TEST_SHOW"))
        printf("%-10s %-5s %-10s %-21s error %.2e %.2e order %.2f, drift %.2e order %.2f\n", k->scheme, k->integrator,
               k->setting[0].name ? k->setting[0].name : "", c->name, e1, e2, order, smooth.max_drift, drift);
    if (getenv("TENON_TEST_SHOW"))
        return;
    if (!(order >= k->order))
        fail_msg("%s with %s on the %s: order %.3f, not %g (errors %.3g, %.3g)", k->scheme, k->integrator, c->name,
                 order, k->order, e1, e2);
    if (k->drift_order > 0 && !(drift >= k->drift_order))
        fail_msg("%s with %s on the %s: drift of order %.3f, not %g (%.3g, %.3g)", k->scheme, k->integrator, c->name,
                 drift, k->drift_order, rough.max_drift, smooth.max_drift);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_all_have_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
