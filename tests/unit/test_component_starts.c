/* Start values that are given inside compiled components hold in the model around, as they do in the open model; where they
 * contradict it, the run is refused. */
#define _XOPEN_SOURCE 700
#include "component_examples.h"
#include "tenon/compile.h"
#include <unistd.h>

static char folder[] = "/tmp/tenon-starts-XXXXXX", part[64], library[64];
static int libraries;              /* each has a file of its own: one that is in use is not loaded again */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(part);
    for (int k = 0; k < libraries; k++) {
        snprintf(library, sizeof library, "%s/part%d.so", folder, k);
        remove(library);
    }
    return rmdir(folder);
}

/* Two links, of which the angle between them and its rate are given. */
static void compile_arm(tn_disclosure level, const char *initial)
{
    FILE *file = fopen(part, "w");
    snprintf(library, sizeof library, "%s/part%d.so", folder, libraries++);
    assert_non_null(file);
    fprintf(file, "tenon: 1\ndimension: 2\nbodies:\n"
                  "  base: { mass: 1, inertia: 0.1, com: [0.5, 0], frames: { tip: { at: [1, 0] } } }\n"
                  "  link: { mass: 2, inertia: 0.1, com: [0.3, 0], frames: { end: { at: [0.6, 0] } } }\n"
                  "joints: { hinge: { type: revolute, between: [base.tip, link] } }\n"
                  "initial: { hinge: { %s } }\nports: { base: base, link: link }\n", initial);
    assert_int_equal(fclose(file), 0);
    const tn_compile_options options = { .shell = TENON_SHELL, .disclose = level };
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_compile(m.context, part, library, &options));
    tn_context_destroy(m.context);
}

static machine host(const char *file, const char *more, const char *initial)
{
    return machine_format("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nsubsystems: { c: { use: %s%s } }\n"
                          "joints:\n  pivot: { type: revolute, between: [ground, c.base] }\n%s\n", file, more, initial);
}

static tn_solve short_run(void)
{
    tn_solve solve = tn_solve_default();
    solve.tolerance = solve.absolute_tolerance = 1e-10;
    solve.until = solve.record = 0.2;
    return solve;
}

static const tn_disclosure levels[] = { TN_DISCLOSE_RESPONSE, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_OPEN };
static const char *const places[] = { "", ", isolate: true" };

/* With the pivot given as well nothing is left open: start and motion are those of the open model. */
static void test_values_hold(void **state)
{
    (void)state;
    static const char *const channels[] = { "c.base.angle", "c.link.angle", "c.base.angular_velocity", "c.link.angular_velocity" };
    static const double start[] = { -0.7, -0.2, 0.3, 2.3 };
    for (size_t k = 0; k < TN_LENGTH(levels) * TN_LENGTH(places); k++) {
        compile_arm(levels[k / 2], "angle: 0.5, rate: 2");
        machine closed = host(library, places[k % 2], "initial: { pivot: { angle: -0.7, rate: 0.3 } }");
        machine open = host(part, "", "initial: { pivot: { angle: -0.7, rate: 0.3 } }");
        machine_start(&closed, short_run());
        machine_start(&open, short_run());
        for (size_t i = 0; i < TN_LENGTH(channels); i++)
            assert_near(value(&closed, channels[i]), start[i], 1e-9);
        machine_must(&closed, tn_session_advance(closed.session, 0.2));
        machine_must(&open, tn_session_advance(open.session, 0.2));
        for (size_t i = 0; i < TN_LENGTH(channels); i++)
            assert_near(value(&closed, channels[i]), value(&open, channels[i]), 1e-7);
        machine_close(&closed);
        machine_close(&open);
    }
}

/* The pivot is free: only what is given inside holds. A guess inside does not. */
static void test_the_rest_follows(void **state)
{
    (void)state;
    for (int guess = 0; guess < 2; guess++) {
        compile_arm(TN_DISCLOSE_CONDENSED, guess ? "angle: 0.5, guess: yes" : "angle: 0.5, rate: 2");
        machine m = host(library, "", "");
        machine_start(&m, short_run());
        const double angle = value(&m, "c.link.angle") - value(&m, "c.base.angle");
        const double rate = value(&m, "c.link.angular_velocity") - value(&m, "c.base.angular_velocity");
        if (guess)
            assert_true(fabs(angle - 0.5) > 0.1);
        else {
            assert_near(angle, 0.5, 1e-9);
            assert_near(rate, 2, 1e-9);
        }
        machine_close(&m);
    }
}

static void test_contradictions(void **state)
{
    (void)state;
    compile_arm(TN_DISCLOSE_OPEN, "angle: 0.5, rate: 2");
    machine m = host(library, "", "  weld: { type: revolute, between: [ground, c.link], at: [0.3, 0.4] }\n"
                     "initial: { c.link: { angular_velocity: 0 }, c.base: { angular_velocity: 1 } }");
    tn_solve solve = short_run();
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ASSEMBLY);
    m.session = NULL;
    tn_diagnostics_clear(m.context);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_hold),
        cmocka_unit_test(test_the_rest_follows),
        cmocka_unit_test(test_contradictions),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
