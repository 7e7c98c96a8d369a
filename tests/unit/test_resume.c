/* Stop and resume: a run that was stopped, saved and loaded goes on as one that was not, to the bit where the method allows it,
 * otherwise within its tolerance. Models, integrators, solvers and instants by chance. */
#include "live_runs.h"
#include <math.h>

static const double END = 0.4, STEP = 0.001, TOLERANCE = 1e-8;

static const char *const models[] = {
    TENON_SOURCE_DIR "/examples/double-pendulum.yaml", TENON_SOURCE_DIR "/examples/four-bar.yaml",
    TENON_SOURCE_DIR "/examples/gyroscope.yaml",       TENON_SOURCE_DIR "/examples/quarter-car.yaml",
    TENON_SOURCE_DIR "/examples/pid-arm.yaml",         TENON_SOURCE_DIR "/examples/driven-slider-crank.yaml",
};

typedef struct method {
    const char *integrator, *solver, *other;   /* other: the solver in between */
    bool adaptive, remembers;                  /* remembers: more than the state, which a saved run does not have */
    double bound;                              /* of the difference when stopped anywhere, over the size of the state */
} method;

static const method methods[] = {
    { "rk4", "direct", "hierarchical", false, false, 5e-5 },
    { "rk4", "uzawa", "direct", false, false, 5e-5 },
    { "heun", "direct", "uzawa", false, false, 1e-3 },
    { "midpoint", "hierarchical", "direct", false, false, 1e-3 },
    { "semi-implicit-euler", "direct", "hierarchical", false, false, 3e-3 },
    { "dopri5", "direct", "uzawa", true, false, 1e-6 },
    { "dopri5", "uzawa", "direct", true, false, 1e-6 },
    { "dop853", "hierarchical", "direct", true, false, 1e-7 },
    { "newmark", "direct", "hierarchical", false, true, 1e-3 },
    { "generalized-alpha", "direct", "hierarchical", true, true, 1e-2 },
    { "cvode", "direct", "hierarchical", true, true, 1e-6 },
};

static machine open_run(const char *path, const method *how)
{
    machine m = machine_read(path);
    tn_solve solve = tn_model_solve(m.model);
    solve.integrator = how->integrator;
    solve.solver = how->solver;
    solve.scheme = "projection";
    solve.setting_count = 0;
    solve.step = how->adaptive ? NAN : STEP;
    solve.tolerance = solve.absolute_tolerance = TOLERANCE;
    solve.until = END;
    machine_must(&m, tn_session_open(&m.session, m.model, &solve));
    return m;
}

static void reload(machine *m, const place *p)
{
    machine_must(m, tn_session_save(m->session, p->saved));
    tn_session_close(m->session);
    m->session = NULL;
    machine_must(m, tn_session_load(&m->session, m->context, p->saved));
}

static int stop_after(void *user, const tn_session *session)
{
    (void)session;
    return --*(int *)user == 0;
}

/* Largest difference of positions and velocities, over their size. */
static double difference(const machine *a, const machine *b)
{
    const tn_system *s = a->session->system;
    const double *x = a->session->stepper->y, *y = b->session->stepper->y;
    double worst = 0, size = 1;
    for (int k = 0; k < s->positions + s->velocities; k++) {
        worst = fmax(worst, fabs(x[k] - y[k]));
        size = fmax(size, fabs(x[k]));
    }
    return worst / size;
}

static void must_be_same(const machine *straight, const machine *stopped, const char *model, const method *how,
                         const char *what)
{
    if (tn_session_hash(straight->session) != tn_session_hash(stopped->session))
        fail_msg("%s, %s, %s: %s: differs by %.3g", model, how->integrator, how->solver, what,
                 difference(straight, stopped));
}

/* Stopped by a callback after some whole step, as Ctrl+C does. */
static void try_interrupt(const place *p, const machine *straight, const char *model, const method *how, uint32_t *random)
{
    machine m = open_run(model, how);
    int left = 1 + (int)(uniform(random) * (how->adaptive ? 5 : 150));
    tn_session_on_step(m.session, stop_after, &left);
    int code = tn_session_advance_to(m.session, END);
    assert_true(code == TN_NEWS_INTERRUPTED || code == TN_OK);
    reload(&m, p);
    machine_must(&m, tn_session_advance_to(m.session, END));
    must_be_same(straight, &m, model, how, "interrupted, saved and loaded");
    machine_close(&m);
}

/* Stopped at a multiple of the step, saved and loaded, the solver switched forth and back. */
static void try_instants(const place *p, const machine *straight, const char *model, const method *how, uint32_t *random)
{
    machine m = open_run(model, how);
    for (double t = 0; t < END;) {
        t = fmin(STEP * (double)(lround(t / STEP) + 1 + lround(150 * uniform(random))), END);
        machine_must(&m, tn_session_advance_to(m.session, t));
        if (uniform(random) < 0.5)
            reload(&m, p);
        tn_solve solve = tn_session_solve(m.session), other = solve;
        other.solver = how->other;
        machine_must(&m, tn_session_set_solve(m.session, &other));
        machine_must(&m, tn_session_set_solve(m.session, &solve));
    }
    must_be_same(straight, &m, model, how, "stopped at whole steps, solver switched forth and back");
    machine_close(&m);
}

/* Stopped anywhere: the step is cut there, so the steps after it are others. */
static double try_anywhere(const place *p, const machine *straight, const char *model, const method *how, uint32_t *random)
{
    machine m = open_run(model, how);
    machine_must(&m, tn_session_advance_to(m.session, END * (0.1 + 0.8 * uniform(random))));
    reload(&m, p);
    machine_must(&m, tn_session_advance_to(m.session, END));
    double worst = difference(straight, &m);
    machine_close(&m);
    return worst;
}

static void test_stopped_runs_go_on(void **state)
{
    (void)state;
    place p = new_place();
    uint32_t random = 18;
    for (size_t k = 0; k < TN_LENGTH(methods); k++) {
        const method *how = &methods[k];
        double worst = 0;
        for (size_t i = 0; i < TN_LENGTH(models); i++) {
            machine straight = open_run(models[i], how);
            machine_must(&straight, tn_session_advance_to(straight.session, END));
            if (!how->remembers)
                try_interrupt(&p, &straight, models[i], how, &random);
            if (!how->remembers && !how->adaptive)
                try_instants(&p, &straight, models[i], how, &random);
            worst = fmax(worst, try_anywhere(&p, &straight, models[i], how, &random));
            tn_diagnostics_clear(straight.context);
            machine_close(&straight);
        }
        print_message("%-20s %-14s stopped anywhere: differs by %.2g at most\n", how->integrator, how->solver, worst);
        assert_true(worst <= how->bound);
    }
    remove_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_stopped_runs_go_on) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
