/* One compiled system, several workspaces: each has components of its own, so that threads can step the same system at
 * the same time, and get what they get alone, to the bit. Workspaces that share components take turns. */
#include "component_examples.h"
#include "component_pendulum.h"
#include "read_model.h"
#include "tenon/compile.h"
#include <pthread.h>
#include <unistd.h>
#include "coupling_impl.h"
#include "diag.h"

enum { STEPS = 60, SKIPPED = 20 };

/* A stepper with a coupling of its own, and the states that it comes through. */
typedef struct walk {
    tn_coupling *coupling;
    tn_stepper *stepper;
    double *path;
    int code;
} walk;

static walk walk_from(const tn_system *s, const tn_solve *solve, double t, const double *y, const double *memory)
{
    walk w = { 0 };
    assert_int_equal(tn_coupling_create(&w.coupling, s), TN_OK);
    assert_int_equal(tn_stepper_create(&w.stepper, s, w.coupling, solve, TN_NOWHERE), TN_OK);
    assert_int_equal(tn_stepper_start(w.stepper, t, y, y + s->positions, memory), TN_OK);
    w.path = calloc((size_t)(STEPS * s->size), sizeof(double));
    assert_non_null(w.path);
    return w;
}

static void walk_end(walk *w)
{
    tn_stepper_destroy(w->stepper);
    tn_coupling_destroy(w->coupling);
    free(w->path);
}

static void *go(void *user)
{
    walk *w = user;
    const int size = w->stepper->system->size;
    for (int k = 0; k < STEPS && w->code == TN_OK; k++) {
        w->code = tn_stepper_step(w->stepper, 1e3);
        memcpy(w->path + k * size, w->stepper->y, (size_t)size * sizeof(double));
    }
    return NULL;
}

static void assert_same(const walk *a, const walk *b)
{
    const int size = a->stepper->system->size;
    assert_int_equal(a->code, TN_OK);
    assert_int_equal(b->code, TN_OK);
    for (int k = 0; k < STEPS * size; k++)
        if (memcmp(&a->path[k], &b->path[k], sizeof(double)) != 0)
            fail_msg("step %d, number %d: %.17g and %.17g", k / size, k % size, a->path[k], b->path[k]);
}

/* Two threads from different states of the system, against each alone. */
static void step_together(machine *m, const tn_solve *solve)
{
    machine_start(m, *solve);
    const tn_system *s = m->session->system;
    tn_stepper *st = m->session->stepper;
    double *y = malloc((size_t)s->size * sizeof(double)), *memory = malloc((size_t)s->memory * sizeof(double));
    assert_true(y && memory);
    memcpy(y, st->y, (size_t)s->size * sizeof(double));
    memcpy(memory, st->memory, (size_t)s->memory * sizeof(double));
    walk early = walk_from(s, solve, st->t, y, memory), early_alone = walk_from(s, solve, st->t, y, memory);
    go(&early_alone);
    for (int k = 0; k < SKIPPED; k++)
        machine_must(m, tn_stepper_step(st, 1e3));
    walk late = walk_from(s, solve, st->t, st->y, st->memory);
    walk late_alone = walk_from(s, solve, st->t, st->y, st->memory);
    go(&late_alone);
    pthread_t one, two;
    assert_int_equal(pthread_create(&one, NULL, go, &early), 0);
    assert_int_equal(pthread_create(&two, NULL, go, &late), 0);
    assert_int_equal(pthread_join(one, NULL), 0);
    assert_int_equal(pthread_join(two, NULL), 0);
    assert_same(&early, &early_alone);
    assert_same(&late, &late_alone);
    assert_memory_equal(early.path + (SKIPPED - 1) * s->size, st->y, (size_t)s->size * sizeof(double));
    walk *all[] = { &early, &early_alone, &late, &late_alone };
    for (size_t k = 0; k < TN_LENGTH(all); k++)
        walk_end(all[k]);
    free(y);
    free(memory);
    machine_close(m);
    test_components_close();
}

static const tn_disclosure levels[] = { TN_DISCLOSE_RESPONSE, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_OPEN };

static void test_threads_with_every_solver(void **state)
{
    static const char *const solvers[] = { "direct", "hierarchical", "augmented", "uzawa" };
    (void)state;
    for (size_t level = 0; level < TN_LENGTH(levels); level++)
        for (size_t k = 0; k < TN_LENGTH(solvers); k++)
            for (int planar = 0; planar < 2; planar++) {
                test_component_level = levels[level];
                machine m = coupled_fourbar(planar);
                const tn_solve solve = steps(solvers[k], "rk4", 2e-3, 1);
                step_together(&m, &solve);
            }
}

static void test_threads_of_examples(void **state)
{
    (void)state;
    for (size_t level = 1; level < TN_LENGTH(levels); level++) {
        test_component_level = levels[level];
        const tn_solve solve = steps("direct", "rk4", 2e-3, 1);
        machine m = car_with_component();
        step_together(&m, &solve);
        m = steam_with_component();
        step_together(&m, &solve);
    }
}

/* The car with a compiled suspension. */
static machine car_with_library(const char *path)
{
    static const char *const left_out[] = { "reference", "expect", "drift: 1e" };
    static const char part[] = "suspension.yaml";
    static char read[8000], text[8400];
    read_without(read, sizeof read, TENON_SOURCE_DIR "/examples/car/car.yaml", left_out, TN_LENGTH(left_out));
    const char *use = strstr(read, part);
    char *outputs = strstr(read, "\noutputs:");
    assert_true(use && outputs && use < outputs);
    *outputs = '\0';
    snprintf(text, sizeof text, "%.*s%s%s", (int)(use - read), read, path, use + strlen(part));
    return example("car", text);
}

static void test_threads_with_libraries(void **state)
{
    char folder[200], here[300], path[600];
    const tn_solve solve = steps("direct", "rk4", 2e-3, 1);
    (void)state;
    temporary_folder(folder, sizeof folder);
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s/part.so", here, folder);
    for (size_t level = 0; level < TN_LENGTH(levels); level++) {
        const tn_compile_options options = { .shell = TENON_SHELL, .disclose = levels[level] };
        tn_context *context = tn_context_create(NULL);
        assert_int_equal(tn_compile(context, TENON_SOURCE_DIR "/examples/car/suspension.yaml", path, &options), TN_OK);
        tn_context_destroy(context);
        machine m = car_with_library(path);
        step_together(&m, &solve);
        unlink(path);
    }
    rmdir(folder);
    machine m = coupled_pendulum("");                  /* a library written in C */
    step_together(&m, &solve);
}

static void test_threads_with_steps_of_their_own(void **state)
{
    (void)state;
    for (size_t level = 0; level < TN_LENGTH(levels); level++) {
        test_component_level = levels[level];
        machine m = coupled_fourbar(true);
        const tn_solve solve = steps("direct", "modular", 2e-3, 1);
        step_together(&m, &solve);
    }
}

/* ---- workspaces that share components ---- */

/* Two workspaces of one coupling at different points: what one says does not depend on where the other has been. */
static void test_workspaces_take_turns(void **state)
{
    (void)state;
    for (size_t level = 0; level < TN_LENGTH(levels); level++) {
        test_component_level = levels[level];
        machine m = coupled_fourbar(false);
        machine_start(&m, steps("direct", "rk4", 2e-3, 1));
        const tn_system *s = m.session->system;
        tn_stepper *st = m.session->stepper;
        tn_arena *arena = tn_arena_create(m.context);
        tn_eval *here, *there;
        double *y = tn_arena_alloc(arena, (size_t)s->size, sizeof(double));
        double *tau = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double));
        double *a = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double));
        double *b = tn_arena_alloc(arena, (size_t)s->velocities, sizeof(double));
        machine_must(&m, tn_coupled_eval_create(&here, s, m.session->coupling, arena, false));
        machine_must(&m, tn_coupled_eval_create(&there, s, m.session->coupling, arena, false));
        memcpy(y, st->y, (size_t)s->size * sizeof(double));
        machine_must(&m, tn_session_run(m.session));
        for (int k = 0; k < s->components[0].columns; k++)
            tau[s->components[0].column[k]] = 1 + k;
        tn_eval_motion(here, s, 0, y, y + s->positions);
        machine_must(&m, tn_coupling_condense(here, s, TN_RANK_DECIDE));
        tn_coupling_respond(here, s, tau, a);
        const long version = tn_coupling_version(here);
        machine_must(&m, tn_coupling_condense(here, s, TN_RANK_KEEP));
        assert_int_equal(tn_coupling_version(here), version);          /* nothing has moved: known already */
        tn_eval_motion(there, s, st->t, st->y, st->y + s->positions);
        machine_must(&m, tn_coupling_condense(there, s, TN_RANK_DECIDE));
        tn_coupling_respond(there, s, tau, b);
        assert_true(tn_coupling_version(here) > version);
        assert_memory_not_equal(a, b, (size_t)s->velocities * sizeof(double));
        machine_must(&m, tn_coupling_condense(here, s, TN_RANK_DECIDE));       /* moves the component back */
        tn_coupling_respond(here, s, tau, b);
        assert_memory_equal(a, b, (size_t)s->velocities * sizeof(double));
        tn_arena_destroy(arena);
        machine_close(&m);
        test_components_close();
    }
}

/* Compiling has made an instance of each component: the first coupling takes it, others make their own. */
static void test_instances(void **state)
{
    (void)state;
    test_component_level = TN_DISCLOSE_OPEN;
    machine m = coupled_fourbar(true);
    tn_system *s;
    tn_coupling *one, *two;
    machine_must(&m, tn_system_create(&s, m.model));
    machine_must(&m, tn_coupling_create(&one, s));
    assert_null(tn_ports_take_instances(s));
    machine_must(&m, tn_coupling_create(&two, s));
    assert_ptr_not_equal(one->items[0].self, two->items[0].self);
    assert_memory_equal(one->items[0].at.y, two->items[0].at.y,
                        (size_t)s->components[0].state_count * sizeof(double));
    tn_coupling_destroy(one);
    tn_coupling_destroy(two);
    tn_system_destroy(s);
    machine_must(&m, tn_system_create(&s, m.model));
    tn_system_destroy(s);                              /* with an instance that nobody has taken */
    machine_close(&m);
    test_components_close();
    m = open_fourbar(true);
    machine_must(&m, tn_system_create(&s, m.model));
    machine_must(&m, tn_coupling_create(&one, s));
    assert_null(one);                                  /* there are no components */
    tn_coupling_destroy(one);
    tn_system_destroy(s);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_with_every_solver),
        cmocka_unit_test(test_threads_of_examples),
        cmocka_unit_test(test_threads_with_libraries),
        cmocka_unit_test(test_threads_with_steps_of_their_own),
        cmocka_unit_test(test_workspaces_take_turns),
        cmocka_unit_test(test_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
