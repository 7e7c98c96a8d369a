/* Components in processes of their own: the same bits as here, and a crash or a hang there is a message here. */
#include "live_runs.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include "remote.h"

static const char MODEL[] = "tenon: 1\n"
                            "bodies:\n"
                            "  ball: { mass: 1, inertia: [1, 1, 1], position: [0, 0, -1] }\n"
                            "subsystems:\n"
                            "  part: { use: " TENON_BAD_LIBRARIES "/%s.so%s }\n"
                            "forces:\n"
                            "  s: { type: spring, between: [part.middle, ball], stiffness: 40, length: 0.5 }\n"
                            "solve: { until: 1, integrator: dopri5 }\n";

static machine open_with(const char *library, bool isolate)
{
    machine m = machine_format(MODEL, library, isolate ? ", isolate: yes" : "");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    return m;
}

/* The text of all diagnostics has the words. */
static bool told(const tn_context *context, const char *words)
{
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(context); k++)
        found = found || strstr(tn_diagnostics_get(context, k)->message, words);
    return found;
}

static void assert_no_process_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_same_bits(void **state)
{
    (void)state;
    machine here = open_with("good", false), there = open_with("good", true);
    machine_must(&here, tn_session_advance(here.session, 0.5));
    machine_must(&there, tn_session_advance(there.session, 0.5));
    assert_true(tn_session_hash(here.session) == tn_session_hash(there.session));
    machine_close(&here);
    machine_close(&there);
    assert_no_process_left();
}

/* A library that shows bodies and rows discloses D and r of its ports from another process. */
static void test_open_ones_are_condensed(void **state)
{
    (void)state;
    machine there = open_with("OPEN_GOOD", true);
    machine_must(&there, tn_session_advance(there.session, 0.1));
    machine_close(&there);
}

static const struct {
    const char *library, *words;
} mistakes[] = {
    { "CRASH_LATER", "crashes in 'take' (Segmentation fault)" },
    { "EXIT_LATER", "ends its process in 'take'" },
    { "HANG_LATER", "does not come back within 5 s in 'take'" },
};

/* The session has its last good state, its text and its past; going back starts another process. */
static void test_the_session_survives(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(mistakes); k++) {
        machine good = open_with("good", true), bad = open_with(mistakes[k].library, true);
        char *text = NULL;
        machine_must(&bad, tn_session_keep_rewind(bad.session, 1 << 20, 0.001));
        int code = TN_OK;
        while (code >= 0 && tn_session_time(bad.session) < 0.5)
            code = tn_session_step(bad.session);
        assert_true(code < 0);
        assert_true(told(bad.context, mistakes[k].words));
        assert_true(told(bad.context, "component 'part'"));
        double t = tn_session_time(bad.session);
        assert_true(t > 0 && t < 0.2 && isfinite(t));
        while (tn_session_time(good.session) < t)
            machine_must(&good, tn_session_step(good.session));
        assert_true(tn_session_hash(good.session) == tn_session_hash(bad.session));
        assert_true(tn_session_step(bad.session) < 0);
        assert_true(tn_session_hash(good.session) == tn_session_hash(bad.session));
        machine_must(&bad, tn_session_text(&text, bad.session));
        assert_non_null(strstr(text, "isolate: yes"));
        tn_free(bad.context, text);
        machine_must(&bad, tn_session_seek(bad.session, 0));
        machine_must(&bad, tn_session_advance(bad.session, 0.01));
        machine_must(&bad, tn_session_apply(NULL, bad.session, "{ remove: part }"));
        machine_must(&bad, tn_session_advance(bad.session, 0.5));
        machine_close(&good);
        machine_close(&bad);
        assert_no_process_left();
    }
}

static void test_what_fails_when_loaded_is_refused(void **state)
{
    (void)state;
    char text[1000];
    snprintf(text, sizeof text, MODEL, "CRASH_AT_LOADING", ", isolate: yes");
    reading r = read_string(text);
    assert_true(r.code < 0);
    must_say(&r, "crashes while it is loaded");
    done(&r);
    r = read_string("tenon: 1\nsubsystems: { part: { use: part.yaml, isolate: yes } }\n");
    assert_true(r.code < 0);
    must_say(&r, "'isolate' is for libraries");
    done(&r);
}

/* ---- the process itself ---- */

static int serve_test(void *user, int request, void *room)
{
    double *x = room;
    if (request == 7)
        raise(SIGKILL);
    x[1] = x[0] + *(const double *)user;
    return request == 1 ? TN_OK : TN_ERROR_STEP;
}

static void test_calls(void **state)
{
    (void)state;
    static double three = 3;
    tn_remote remote;
    assert_int_equal(tn_remote_start(&remote, 1 << 20, serve_test, &three), TN_OK);
    double *x = tn_remote_room(&remote), begin = tn_clock();
    enum { CALLS = 2000 };
    for (int k = 0; k < CALLS; k++) {
        x[0] = k;
        assert_int_equal(tn_remote_call(&remote, 1, "add", 5), TN_OK);
        assert_true(x[1] == k + 3);
    }
    print_message("%.1f us a call\n", 1e6 * (tn_clock() - begin) / CALLS);
    assert_int_equal(tn_remote_call(&remote, 2, "add", 5), TN_ERROR_STEP);
    assert_true(tn_remote_runs(&remote));
    assert_int_equal(tn_remote_call(&remote, 7, "die", 5), TN_ERROR_ARGUMENT);
    assert_false(tn_remote_runs(&remote));
    assert_string_equal(remote.trouble, "crashes in 'die' (Killed)");
    assert_int_equal(tn_remote_call(&remote, 1, "add", 5), TN_ERROR_ARGUMENT);
    tn_remote_stop(&remote);
    tn_remote_stop(&remote);
    assert_no_process_left();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_open_ones_are_condensed),
        cmocka_unit_test(test_the_session_survives),
        cmocka_unit_test(test_what_fails_when_loaded_is_refused),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
