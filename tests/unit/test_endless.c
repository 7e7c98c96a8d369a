/* Sessions with endless edits: memory reaches a plateau, and nothing of the run is lost. */
#include "live_runs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An allocator that counts the bytes alive. */
typedef struct counted {
    long long alive;
    long calls;
} counted;

typedef union head {
    size_t size;
    max_align_t align;
} head;

static void *reallocate_counted(void *user, void *pointer, size_t size)
{
    counted *c = user;
    head *old = pointer ? (head *)pointer - 1 : NULL;
    long long before = old ? (long long)old->size : 0;
    if (size == 0) {
        c->alive -= before;
        free(old);
        return NULL;
    }
    head *new = realloc(old, sizeof *new + size);
    if (!new)
        return NULL;
    c->calls++;
    c->alive += (long long)size - before;
    new->size = size;
    return new + 1;
}

typedef struct world {
    counted memory;
    tn_context *context;
    tn_model *model;
    tn_session *session;
} world;

static void must(const world *w, int code)
{
    if (code < 0) {
        tn_diagnostics_print(w->context, stderr);
        fail_msg("%s", tn_error_text(code));
    }
}

enum { HISTORY = 1 << 19, PAST = 1 << 18 };

static void open_world(world *w)
{
    *w = (world){ 0 };
    w->context = tn_context_create(&(tn_context_options){ reallocate_counted, &w->memory });
    must(w, tn_model_read_text(&w->model, w->context, PENDULUMS, strlen(PENDULUMS), "model.yaml", "."));
    must(w, tn_session_open(&w->session, w->model, NULL));
    must(w, tn_session_set_history(w->session, HISTORY));
    must(w, tn_session_keep_rewind(w->session, PAST, 0.05));
}

static void close_world(world *w)
{
    tn_session_close(w->session);
    tn_model_destroy(w->model);
    tn_context_destroy(w->context);
    assert_true(w->memory.alive == 0);
}

static void set_gravity(world *w, int k)
{
    char command[80];
    snprintf(command, sizeof command, "{ gravity: [0, %.17g] }", -9.81 - 1e-4 * k);
    must(w, tn_session_apply(NULL, w->session, command));
}

/* Definitions come and go, each under another name. */
static void add_and_remove(world *w, int k)
{
    char command[160];
    snprintf(command, sizeof command, "{ add: { bodies: { c%d: { mass: %d, inertia: 1 } } } }", k, 1 + k % 7);
    must(w, tn_session_apply(NULL, w->session, command));
    snprintf(command, sizeof command, "{ remove: c%d }", k);
    must(w, tn_session_apply(NULL, w->session, command));
}

static void pull_and_release(world *w, int k)
{
    must(w, tn_session_pull(w->session, &(tn_pull){ .body = tn_model_find(tn_session_model(w->session), "b"),
                                                    .target = { 1 + 0.001 * k, 1 } }));
    must(w, tn_session_release(w->session));
}

static void switch_solver(world *w, int k)
{
    tn_solve solve = tn_session_solve(w->session);
    solve.tolerance = solve.absolute_tolerance = k % 2 ? 1e-6 : 1e-9;
    must(w, tn_session_set_solve(w->session, &solve));
}

static void undo_and_redo(world *w, int k)
{
    char command[80];
    snprintf(command, sizeof command, "{ set: { s.stiffness: %d } }", 3 + k % 100);
    must(w, tn_session_apply(NULL, w->session, command));
    must(w, tn_session_undo(NULL, w->session, k % 2));
    must(w, tn_session_redo(NULL, w->session, k % 2));
}

/* Another spring in the place of one. */
static void replace_spring(world *w, int k)
{
    char command[240];
    snprintf(command, sizeof command, "{ replace: { forces: { s: { type: spring, between: [ground, b], stiffness: %d, "
             "length: 0.5 } } } }", 2 + k % 50);
    must(w, tn_session_apply(NULL, w->session, command));
    must(w, tn_session_apply(NULL, w->session, k % 2 ? "{ disable: s }" : "{ enable: s }"));
}

static const struct {
    const char *name;
    void (*edit)(world *w, int k);
    int count;
} kinds[] = {
    { "gravity", set_gravity, 3000 },
    { "add and remove", add_and_remove, 800 },
    { "pull and release", pull_and_release, 1500 },
    { "solver settings", switch_solver, 1500 },
    { "undo and redo", undo_and_redo, 1000 },
    { "replace, disable and enable", replace_spring, 700 },
};

static void edit_many(world *w, size_t kind, int from, int to)
{
    for (int k = from; k < to; k++) {
        kinds[kind].edit(w, k);
        if (k % 50 == 0)
            must(w, tn_session_step(w->session));
    }
}

/* After N and 2 N edits the memory is the same but for what fits into the budgets, whatever the edits are. */
static void test_memory_reaches_a_plateau(void **state)
{
    (void)state;
    const long long spread = 3 * (HISTORY / 4) + 2 * (256 << 10);      /* undo drops a quarter, the log a half, at a time */
    for (size_t kind = 0; kind < TN_LENGTH(kinds); kind++) {
        world w;
        open_world(&w);
        edit_many(&w, kind, 1, kinds[kind].count + 1);
        long long first = w.memory.alive;
        edit_many(&w, kind, kinds[kind].count + 1, 2 * kinds[kind].count + 1);
        long long second = w.memory.alive;
        print_message("%s: %lld KiB after %d edits, %lld KiB after %d\n", kinds[kind].name, first >> 10,
                      kinds[kind].count, second >> 10, 2 * kinds[kind].count);
        assert_true(second - first < spread);
        assert_true(second < 3 * HISTORY + PAST + (1 << 20));
        close_world(&w);
    }
}

/* The saved run has all edits, also those that are in the file; loading gives the same state, undo list and text. */
static void test_nothing_of_the_run_is_lost(void **state)
{
    (void)state;
    place p = new_place();
    world w;
    tn_session *again = NULL;
    char *text = NULL, *same = NULL;
    open_world(&w);
    must(&w, tn_session_journal(w.session, p.journal));
    edit_many(&w, 0, 1, 1500);
    edit_many(&w, 1, 1, 300);
    edit_many(&w, 4, 1, 300);
    must(&w, tn_session_save(w.session, p.saved));
    must(&w, tn_session_load(&again, w.context, p.saved));
    assert_true(tn_session_hash(again) == tn_session_hash(w.session));
    must(&w, tn_session_text(&text, w.session));
    must(&w, tn_session_text(&same, again));
    assert_string_equal(text, same);
    assert_non_null(strstr(text, "# planar"));
    uint64_t hash = tn_session_hash(w.session);
    for (int k = 0; k < 100; k++) {
        must(&w, tn_session_undo(NULL, again, true));
        must(&w, tn_session_undo(NULL, w.session, true));
        assert_true(tn_session_hash(again) == tn_session_hash(w.session));
    }
    assert_true(tn_session_hash(again) != hash);
    tn_free(w.context, text);
    tn_free(w.context, same);
    tn_session_close(again);
    close_world(&w);
    size_t compared;
    bool complete;
    replayed(p.journal, &compared, &complete);
    assert_true(complete && compared > 2000);
    remove_place(&p);
}

static int stop_after_steps(void *user, const tn_session *session)
{
    (void)session;
    return --*(int *)user <= 0;
}

/* A body that flies freely takes steps of any length; samples of 5e11 moments are in one of them, but a run can be stopped. Advances
 * with more than 1e12 samples are refused. */
static void test_long_steps_can_be_stopped(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                             "bodies: { rod: { mass: 1, inertia: 1, position: [0, 0], angular_velocity: 1 } }\n");
    tn_solve solve = tn_solve_default();
    int left = 30;
    solve.record = 0.1;
    machine_start(&m, solve);
    tn_session_on_step(m.session, stop_after_steps, &left);
    assert_int_equal(tn_session_advance_to(m.session, 3e16), TN_ERROR_ARGUMENT);
    assert_int_equal(left, 30);
    assert_int_equal(tn_session_advance_to(m.session, 5e10), TN_NEWS_INTERRUPTED);
    assert_true(tn_session_time(m.session) > 1000);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_reaches_a_plateau),
        cmocka_unit_test(test_nothing_of_the_run_is_lost),
        cmocka_unit_test(test_long_steps_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
