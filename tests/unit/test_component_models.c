/* Components that model files name: libraries, parameters, mistakes, edits and moments of runs. */
#include "component_pendulum.h"
#include "session_impl.h"
#include "tenon/history.h"
#include "tenon/sys/component.h"
#include <pthread.h>

static tn_solve short_run(const char *integrator)
{
    return fixed_steps(integrator, 1e-3, 0.5);
}

static void test_a_library_is_a_body(void **state)
{
    (void)state;
    static const char *const integrators[] = { "rk4", "heun", "midpoint" };
    for (size_t k = 0; k < TN_LENGTH(integrators); k++) {
        machine open = open_pendulum(), component = coupled_pendulum("");
        machine_run(&open, short_run(integrators[k]));
        machine_run(&component, short_run(integrators[k]));
        assert_near(value(&open, "upper.angle"), value(&component, "upper.angle"), 1e-12);
        assert_near(value(&open, "lower.position.x"), value(&component, "lower.hub.position.x"), 1e-12);
        assert_near(value(&open, "lower.angle"), value(&component, "lower.hub.angle"), 1e-12);
        assert_near(value(&open, "lower.acceleration.y"), value(&component, "lower.hub.acceleration.y"), 1e-10);
        assert_near(value(&open, "elbow.angle"), value(&component, "elbow.angle"), 1e-12);
        assert_near(value(&open, "elbow.reaction.force.x"), value(&component, "elbow.reaction.force.x"), 1e-10);
        machine_close(&open);
        machine_close(&component);
    }
}

static void test_adaptive_runs_agree(void **state)
{
    (void)state;
    machine open = open_pendulum(), component = coupled_pendulum("");
    tn_solve solve = accurate(1);
    machine_run(&open, solve);
    machine_run(&component, solve);
    assert_near(value(&open, "upper.angle"), value(&component, "upper.angle"), 1e-10);
    check_energy(&component, 1e-9);
    machine_close(&open);
    machine_close(&component);
}

/* ---- mistakes ---- */

static void check_text_fails(const char *text, const char *message, int line)
{
    machine m = { .context = tn_context_create(NULL) };
    assert_true(tn_model_read_text(&m.model, m.context, text, strlen(text), "model.yaml", ".") < 0);
    assert_true(machine_says(&m, message));
    assert_int_equal(tn_diagnostics_get(m.context, 0)->span.line, line);
    tn_context_destroy(m.context);
}

static void test_mistakes_in_files_are_told(void **state)
{
    (void)state;
    check_text_fails(HEAD "subsystems:\n  part: { use: " FREE_BODY ", parameters: { weight: 3 } }\n", "weight", 5);
    check_text_fails(HEAD "subsystems:\n  part: { use: " FREE_BODY ", parameters: { mass: 3 s } }\n", "kg", 5);
    check_text_fails(HEAD "subsystems:\n  part: { use: nowhere.so }\n", "nowhere.so", 5);
    check_text_fails("tenon: 1\nsubsystems:\n  part: { use: " FREE_BODY " }\n", "dimension 2", 3);
    check_text_fails("tenon: 1\ndimension: 2\ngravity: [0, \"-9.81 * t\"]\n"
                     "subsystems:\n  part: { use: " FREE_BODY " }\n",
                     "gravity that changes", 3);
    check_text_fails(HEAD "subsystems:\n  part: { use: " FREE_BODY ", parameters: { fault: 4 } }\n",
                     "'create' fails: it does not want to be made", 5);
    check_text_fails(HEAD "subsystems:\n  part: { use: " FREE_BODY " }\n"
                     "joints:\n  pin: { type: revolute, between: [ground, part.hob], at: [0, 0] }\n",
                     "use one of its ports (hub)", 7);
}

/* The run ends; the message names the component. */
static void check_run_fails(const char *fault, const char *message)
{
    machine m = coupled_pendulum(fault);
    tn_solve solve = short_run("rk4");
    machine_must(&m, tn_session_open(&m.session, m.model, &solve));
    assert_true(tn_session_run(m.session) < 0);
    assert_true(machine_says(&m, message));
    assert_true(machine_says(&m, "component 'lower'"));
    machine_close(&m);
}

static void test_components_that_err_end_the_run(void **state)
{
    (void)state;
    check_run_fails(", fault: 1", "not finite");
    check_run_fails(", fault: 2", "not symmetric");
    check_run_fails(", fault: 3", "indefinite");
    check_run_fails(", fault: 5", "take fails");
    check_run_fails(", fault: 6", "it has had enough");
}

static void check_refused(const char *scheme, const char *integrator)
{
    machine m = coupled_pendulum("");
    tn_solve solve = fixed_steps(integrator, 1e-3, 1);
    solve.scheme = scheme;
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ARGUMENT);
    assert_true(machine_says(&m, "component 'lower'"));
    machine_close(&m);
}

static void test_what_needs_to_look_inside_is_refused(void **state)
{
    (void)state;
    check_refused("penalty", "rk4");
    check_refused("projection", "ida");
    machine m = coupled_pendulum("");
    tn_session *driven = NULL;
    tn_id hub = named(&m, "lower.hub");
    assert_int_equal(tn_model_remove(m.model, hub), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_model_set_enabled(m.model, hub, false), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_model_rename(m.model, hub, "lower.other"), TN_ERROR_ARGUMENT);
    assert_true(tn_session_open_kinematics(&driven, m.model, NULL) < 0);
    assert_true(machine_says(&m, "the component 'lower' has to be integrated; 'tenon run'"));
    machine_close(&m);
}

/* ---- models ---- */

static void test_copies_are_the_same(void **state)
{
    (void)state;
    machine m = coupled_pendulum(""), other = coupled_pendulum(", speed: 1 m/s");
    tn_model *copy = NULL;
    machine_must(&m, tn_model_clone(&copy, m.model));
    assert_true(tn_model_same(m.model, copy));
    assert_false(tn_model_same(m.model, other.model));
    machine_must(&m, tn_model_remove(copy, tn_model_find(copy, "lower")));
    assert_int_equal(tn_model_find(copy, "lower.hub").kind, TN_KIND_NONE);
    assert_int_equal(tn_model_find(copy, "elbow").kind, TN_KIND_NONE);
    tn_model_destroy(copy);
    machine_close(&m);
    machine_close(&other);
}

static void test_a_disabled_component_takes_no_part(void **state)
{
    (void)state;
    machine m = coupled_pendulum("");
    machine_must(&m, tn_model_set_enabled(m.model, named(&m, "lower"), false));
    machine_run(&m, short_run("rk4"));
    assert_int_equal(m.session->system->component_count, 0);
    machine_close(&m);
}

/* ---- runs ---- */

static void command(machine *m, const char *text)
{
    tn_ack ack;
    machine_must(m, tn_session_apply(&ack, m->session, text));
}

static void test_edits_go_on_to_the_bit(void **state)
{
    (void)state;
    machine plain = coupled_pendulum(""), edited = coupled_pendulum("");
    machine_start(&plain, short_run("rk4"));
    machine_start(&edited, short_run("rk4"));
    run_to(&plain, 0.2);
    run_to(&edited, 0.2);
    command(&edited, "{ add: { bodies: { still: { mass: 1, inertia: 1, position: [0.5, 0.5] } },"
                     " joints: { weld: { type: fixed, between: [ground, still], at: [0.5, 0.5] } } } }");
    run_to(&plain, 0.4);
    run_to(&edited, 0.4);
    assert_true(value(&plain, "upper.angle") == value(&edited, "upper.angle"));
    assert_true(value(&plain, "lower.hub.velocity.x") == value(&edited, "lower.hub.velocity.x"));
    machine_must(&edited, tn_session_undo(NULL, edited.session, true));
    assert_near(tn_session_time(edited.session), 0.2, 1e-12);
    run_to(&edited, 0.4);
    assert_true(tn_session_hash(plain.session) == tn_session_hash(edited.session));
    machine_close(&plain);
    machine_close(&edited);
}

static void test_branches_go_on_to_the_bit(void **state)
{
    (void)state;
    machine m = coupled_pendulum("");
    tn_session *branch = NULL;
    machine_start(&m, short_run("rk4"));
    run_to(&m, 0.2);
    machine_must(&m, tn_session_branch(&branch, m.session));
    run_to(&m, 0.4);
    machine_must(&m, tn_session_advance(branch, 0.2));
    assert_true(tn_session_hash(m.session) == tn_session_hash(branch));
    tn_session_close(branch);
    machine_close(&m);
}

/* ---- exchange in a run ---- */

static const char *const outside[] = { "upper.position.x", "upper.position.y", "upper.angle", "lower.hub.position.x",
                                       "lower.hub.position.y", "lower.hub.angle" };

/* A component in place of another, or of an open body: the ports are where they were and go on as fast. */
static void check_exchange(machine *m, const char *replace, bool anew)
{
    double before[TN_LENGTH(outside)];
    tn_ack ack;
    machine_start(m, short_run("rk4"));
    run_to(m, 0.2);
    double speed = value(m, "lower.hub.velocity.y"), turning = value(m, "lower.hub.angular_velocity");
    for (size_t k = 0; k < TN_LENGTH(outside); k++)
        before[k] = value(m, outside[k]);
    uint64_t hash = tn_session_hash(m->session);
    machine_must(m, tn_session_apply(&ack, m->session, replace));
    assert_true((strstr(ack.text, "the inside of 'lower' begins anew") != NULL) == anew);
    assert_true(ack.displacement < 1e-12);
    for (size_t k = 0; k < TN_LENGTH(outside); k++)
        assert_near(value(m, outside[k]), before[k], 1e-12);
    assert_near(value(m, "lower.hub.velocity.y"), speed, 1e-12);
    assert_near(value(m, "lower.hub.angular_velocity"), turning, 1e-12);
    machine_must(m, tn_session_undo(NULL, m->session, true));
    assert_true(tn_session_hash(m->session) == hash);
    machine_must(m, tn_session_redo(NULL, m->session, true));
    run_to(m, 0.4);
}

static void check_text(machine *m, const char *entry)
{
    char *text = NULL;
    machine_must(m, tn_session_text(&text, m->session));
    assert_non_null(strstr(text, entry));
    tn_text_free(m->context, text);
}

#define HEAVY "{ use: " FREE_BODY ", parameters: { mass: 3 kg, inertia: 0.2 } }"

/* With other parameters: the states are the library's own, and go on. */
static void test_exchange_of_parameters(void **state)
{
    (void)state;
    machine m = coupled_pendulum("");
    check_exchange(&m, "{ replace: { subsystems: { lower: " HEAVY " } } }", false);
    check_text(&m, "mass: 3 kg");
    machine_close(&m);
}

static machine pendulum_of_files(void)
{
    static const char model[] = HEAD "bodies:\n" UPPER
                                "subsystems:\n  lower: { use: lower.yaml, at: [1.05, -0.3] }\n"
                                "joints:\n" SHOULDER
                                "  elbow: { type: revolute, between: [upper, lower.hub], at: [0.75, -0.27] }\n";
    static const char lower[] = "tenon: 1\ndimension: 2\nbodies: { hub: { mass: 2, inertia: 0.2 } }\n"
                                "ports: { hub: hub }\n";
    const tn_model_source sources[] = { { "model.yaml", model, strlen(model) },
                                        { "lower.yaml", lower, strlen(lower) } };
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_texts(&m.model, m.context, sources, 2, "."));
    return m;
}

static void test_a_library_takes_the_place_of_a_file(void **state)
{
    (void)state;
    machine m = pendulum_of_files();
    check_exchange(&m, "{ replace: { subsystems: { lower: " HEAVY " } } }", true);
    check_text(&m, "mass: 3 kg");
    machine_close(&m);
}

/* Elsewhere, and with a velocity of its own: what counts is where the ports are. */
static void test_a_component_is_fitted_from_elsewhere(void **state)
{
    (void)state;
    machine m = coupled_pendulum("");
    check_exchange(&m, "{ replace: { subsystems: { lower: { use: " FREE_BODY ", at: [-2, 1], angle: 70 deg,"
                       " parameters: { mass: 3 kg, inertia: 0.2, speed: 4 m/s } } } } }", true);
    machine_close(&m);
}

/* ---- threads ---- */

/* Sessions run side by side, but begin and end one at a time: libraries are tried in a fork, and the allocators of
 * sanitizers do not come through one while another thread allocates. */
static void *run_alone(void *user)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    uint64_t *hash = user;
    const tn_solve solve = short_run("rk4");
    pthread_mutex_lock(&turn);
    machine m = coupled_pendulum("");
    machine_start(&m, solve);
    pthread_mutex_unlock(&turn);
    run_to(&m, solve.until);
    *hash = tn_session_hash(m.session);
    pthread_mutex_lock(&turn);
    machine_close(&m);
    pthread_mutex_unlock(&turn);
    return NULL;
}

static void test_sessions_in_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    uint64_t alone, hashes[THREADS];
    run_alone(&alone);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, run_alone, &hashes[k]), 0);
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_true(hashes[k] == alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_library_is_a_body),
        cmocka_unit_test(test_adaptive_runs_agree),
        cmocka_unit_test(test_mistakes_in_files_are_told),
        cmocka_unit_test(test_components_that_err_end_the_run),
        cmocka_unit_test(test_what_needs_to_look_inside_is_refused),
        cmocka_unit_test(test_copies_are_the_same),
        cmocka_unit_test(test_a_disabled_component_takes_no_part),
        cmocka_unit_test(test_edits_go_on_to_the_bit),
        cmocka_unit_test(test_branches_go_on_to_the_bit),
        cmocka_unit_test(test_exchange_of_parameters),
        cmocka_unit_test(test_a_library_takes_the_place_of_a_file),
        cmocka_unit_test(test_a_component_is_fitted_from_elsewhere),
        cmocka_unit_test(test_sessions_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
