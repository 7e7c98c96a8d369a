/* Forces of compiled components that act for a short time or jump: integrators that choose their steps pass over none of them, fixed
 * steps that do not show them warn, all steps end in front of jumps, and nothing of what is inside is disclosed. */
#define _XOPEN_SOURCE 700
#include "component_examples.h"
#include "tenon/compile.h"
#include "tenon/history.h"
#include <unistd.h>

static char folder[] = "/tmp/tenon-pulses-XXXXXX", part[64], library[64], second[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    snprintf(library, sizeof library, "%s/part.so", folder);
    snprintf(second, sizeof second, "%s/second.so", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(part);
    remove(library);
    remove(second);
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

/* Forces that jump: fixed steps that are no divisors of the instants have the momentum to round-off, as in open models. The second part
 * jumps at other instants, and so does a force of the model itself. */
static const char jumping[] = "if(t < 0.5 s, 3 N, -1.7 N) + if(mod(t, 0.37 s) < 0.11 s, 1 N, 0 N)", later[] = "if(t > 0.777 s, 2 N, 0 N)";
static const double jumped = 1.5 - 0.85 + 0.33, jumped_later = 2 * (1 - 0.777), jumped_outside = 4 * (1 - 0.31);

static void check_jumps(const char *more, const char *integrator, double step)
{
    static const char format[] = "tenon: 1\ndimension: 2\ngravity: [0, 0]\nsubsystems: { c: { use: %s%s }, d: { use: %s%s } }\n"
        "bodies: { own: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: own, value: [\"if(t > 0.31 s, 4 N, 0 N)\", 0] } }\n";
    machine m = machine_format(format, library, more, second, more);
    tn_solve solve = tn_solve_default();
    solve.integrator = integrator;
    solve.step = step;
    solve.until = solve.record = 1;
    assert_int_equal(machine_run(&m, solve).doubts, 0);
    assert_near(value(&m, "c.hub.velocity.x"), jumped, 1e-12);
    assert_near(value(&m, "d.hub.velocity.x"), jumped_later, 1e-12);
    assert_near(value(&m, "own.velocity.x"), jumped_outside, 1e-12);
    machine_close(&m);
}

static void test_jumps(void **state)
{
    (void)state;
    static const tn_disclosure levels[] = { TN_DISCLOSE_RESPONSE, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_OPEN };
    static const char *const integrators[] = { "rk4", "heun", "midpoint", "newmark", "semi-implicit-euler", "newmark-adaptive", "dopri5",
                                               "dop853", "modular" };
    for (size_t k = 0; k < TN_LENGTH(levels); k++) {
        compile_mass(later, levels[k]);
        assert_int_equal(rename(library, second), 0);
        compile_mass(jumping, levels[k]);
        for (size_t i = 0; i < TN_LENGTH(integrators); i++)
            check_jumps("", integrators[i], 0.07);
        check_jumps(", isolate: true", "rk4", 0.07);
    }
}

/* A run that was saved on a jump goes on from there. */
static void test_saved_on_jump(void **state)
{
    (void)state;
    static const char *const integrators[] = { "rk4", "dopri5" };
    char file[80];
    snprintf(file, sizeof file, "%s.tenon", part);
    compile_mass("if(t < 0.5 s, 3 N, -1.7 N)", TN_DISCLOSE_CONDENSED);
    for (size_t i = 0; i < TN_LENGTH(integrators); i++) {
        machine first = host(""), later_run = { .context = tn_context_create(NULL) };
        tn_solve solve = tn_solve_default();
        solve.integrator = integrators[i];
        solve.step = 0.07;
        machine_start(&first, solve);
        run_to(&first, 0.5);
        machine_must(&first, tn_session_save(first.session, file));
        machine_must(&later_run, tn_session_load(&later_run.session, later_run.context, file));
        assert_int_equal(tn_session_hash(first.session), tn_session_hash(later_run.session));
        run_to(&later_run, 1);
        assert_near(value(&later_run, "c.hub.velocity.x"), 0.65, 1e-12);
        machine_close(&first);
        tn_session_close(later_run.session);
        tn_context_destroy(later_run.context);
    }
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pulses), cmocka_unit_test(test_fixed_steps),
                                        cmocka_unit_test(test_obstacle), cmocka_unit_test(test_jumps),
                                        cmocka_unit_test(test_saved_on_jump) };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
