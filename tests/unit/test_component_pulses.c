/* Forces of compiled components that act for a short time: integrators that choose their steps pass over none of them, fixed
 * steps that do not show them warn, and nothing of what is inside is disclosed. */
#define _XOPEN_SOURCE 700
#include "component_examples.h"
#include "tenon/compile.h"
#include <unistd.h>

static char folder[] = "/tmp/tenon-pulses-XXXXXX", part[64], library[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    snprintf(library, sizeof library, "%s/part.so", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(part);
    remove(library);
    return rmdir(folder);
}

/* A mass of 1 kg at rest, with a force along x. */
static void compile_mass(const char *force, tn_disclosure level)
{
    FILE *file = fopen(part, "w");
    assert_non_null(file);
    fprintf(file, "tenon: 1\ndimension: 2\nbodies: { mass: { mass: 1, inertia: 1 } }\nports: { hub: mass }\n"
                  "forces: { kick: { type: force, on: mass, value: [\"%s\", 0] } }\n", force);
    assert_int_equal(fclose(file), 0);
    const tn_compile_options options = { .shell = TENON_SHELL, .disclose = level };
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_compile(m.context, part, library, &options));
    tn_context_destroy(m.context);
}

static machine host(const char *more)
{
    return machine_format("tenon: 1\ndimension: 2\ngravity: [0, 0]\nsubsystems: { c: { use: %s%s } }\n", library, more);
}

static const struct { const char *force; double momentum; } pulses[] = {
    { "if(t > 5 s, if(t < 5.001 s, 1000 N, 0 N), 0 N)", 1 },
    { "if(t > 3.3 s, if(t < 3.3001 s, 1e4 N, 0 N), 0 N)", 1 },
    { "100 N * exp(-((t - 5 s) / (0.01 s))^2)", 1.7724538509055159 },
};

static double speed_after(const char *more, const char *integrator)
{
    machine m = host(more);
    tn_solve solve = tn_solve_default();
    solve.integrator = integrator;
    solve.tolerance = 1e-7;
    solve.until = solve.record = 10;
    machine_run(&m, solve);
    const double speed = value(&m, "c.hub.velocity.x");
    machine_close(&m);
    return speed;
}

static void test_pulses(void **state)
{
    (void)state;
    static const tn_disclosure levels[] = { TN_DISCLOSE_RESPONSE, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_OPEN };
    static const char *const places[] = { "", ", isolate: true" };
    for (size_t k = 0; k < TN_LENGTH(pulses); k++) {
        compile_mass(pulses[k].force, levels[k % TN_LENGTH(levels)]);
        for (size_t i = 0; i < TN_LENGTH(places); i++) {
            assert_near(speed_after(places[i], "dopri5"), pulses[k].momentum, 1e-3);
            assert_near(speed_after(places[i], "dop853"), pulses[k].momentum, 1e-3);
        }
    }
}

static unsigned doubts_of(machine *m, double step)
{
    return machine_run(m, fixed_steps("rk4", step, 6)).doubts;
}

/* The warning names the component and the instant, but neither the force inside nor its size. */
static void test_fixed_steps(void **state)
{
    (void)state;
    compile_mass(pulses[2].force, TN_DISCLOSE_CONDENSED);
    machine coarse = host(""), fine = host("");
    assert_int_equal(doubts_of(&coarse, 0.3), 1u << TN_DOUBT_TIME);
    const char *message = tn_diagnostics_get(coarse.context, 0)->message;
    if (!strstr(message, "'c' changes with time faster than the step shows: at t = ") || strstr(message, "kick") || strstr(message, "SI"))
        fail_msg("%s", message);
    assert_int_equal(doubts_of(&fine, 2e-3), 0);
    assert_near(value(&fine, "c.hub.velocity.x"), pulses[2].momentum, 1e-3);
    machine_close(&coarse);
    machine_close(&fine);
}

/* An obstacle of 2 mm on the way of a body that is fixed to the component: 100 N along 2 mm on 2 kg at 1 m/s. */
static void test_obstacle(void **state)
{
    (void)state;
    compile_mass("0 N", TN_DISCLOSE_CONDENSED);
    static const char obstacle[] = "bodies: { ball: { mass: 1, inertia: 1, position: [-1, 1], velocity: [1, 0] } }\n"
        "joints: { j: { type: fixed, between: [c.hub, ball] } }\n"
        "forces: { f: { type: force, on: ball, value: [\"if(ball.position.x > 1 m and ball.position.x < 1.002 m, 100 N, 0 N)\", 0] } }\n";
    for (int isolate = 0; isolate < 2; isolate++) {
        machine m = machine_format("tenon: 1\ndimension: 2\ngravity: [0, 0]\nsubsystems: { c: { use: %s%s } }\n%s", library,
                                   isolate ? ", isolate: true" : "", obstacle);
        tn_solve solve = tn_solve_default();
        solve.integrator = "dopri5";
        solve.tolerance = 1e-7;
        solve.until = solve.record = 10;
        machine_run(&m, solve);
        assert_near(value(&m, "ball.velocity.x"), 1.0954451150103321, 2e-5);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pulses), cmocka_unit_test(test_fixed_steps),
                                        cmocka_unit_test(test_obstacle) };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
