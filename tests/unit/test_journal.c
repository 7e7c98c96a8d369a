/* Runs that can be repeated: journals, also of programs that were killed, and saved runs. */
#include "live_runs.h"
#include "alloc.h"
#include "tenon/sys/stepper.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void test_random_runs_repeat(void **state)
{
    (void)state;
    place p = new_place();
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t random = seed;
        machine m = start(PENDULUMS, NULL);
        machine_must(&m, tn_session_journal(m.session, p.journal));
        for (int k = 0; k < 25; k++)
            something(m.session, &random);
        uint64_t hash = tn_session_hash(m.session);
        tn_diagnostics_clear(m.context);
        machine_close(&m);
        size_t compared;
        bool complete;
        assert_true(replayed(p.journal, &compared, &complete) == hash);
        assert_true(complete && compared > 0);
    }
    remove_place(&p);
}

/* A journal that begins in the middle of a run knows what was before. */
static void test_journals_may_begin_late(void **state)
{
    (void)state;
    place p = new_place();
    uint32_t random = 77;
    machine m = start(PENDULUMS, NULL);
    for (int k = 0; k < 30; k++)
        something(m.session, &random);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    for (int k = 0; k < 30; k++)
        something(m.session, &random);
    uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == hash && complete);
    remove_place(&p);
}

static int stop_after(void *user, const tn_session *session)
{
    (void)session;
    return --*(int *)user == 0;
}

static void test_interrupted_and_parameterized_runs(void **state)
{
    (void)state;
    place p = new_place();
    write_text(p.folder, "main.yaml", "tenon: 1\ninclude: part.yaml\nsolve: { until: 3 }\n");
    write_text(p.folder, "part.yaml", PENDULUMS);
    char path[80];
    snprintf(path, sizeof path, "%s/main.yaml", p.folder);
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_read_with(&m.model, m.context, path, (tn_setting[]){ { "m", 3.7 } }, 1));
    tn_solve solve = tn_model_solve(m.model);
    solve.tolerance = 1e-8;
    int left = 17;
    machine_must(&m, tn_session_open(&m.session, m.model, &solve));
    machine_must(&m, tn_session_journal(m.session, p.journal));
    unlink(path);                                      /* the journal does not need them */
    snprintf(path, sizeof path, "%s/part.yaml", p.folder);
    unlink(path);
    tn_session_on_step(m.session, stop_after, &left);
    assert_int_equal(tn_session_run(m.session), TN_NEWS_INTERRUPTED);
    machine_must(&m, tn_session_advance(m.session, 0.2));
    uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == hash && complete);
    remove_place(&p);
}

static void set_gravity(machine *m, double y, int expected)
{
    char command[60];
    tn_ack ack;
    snprintf(command, sizeof command, "{ gravity: [0, %.17g] }", y);
    assert_int_equal(tn_session_apply(&ack, m->session, command), expected);
}

enum { REMOVED, MOVED, CUT, REPLACED, FOLDER_MOVED, HARMS };

static void harm(int how, const place *p)
{
    char other[100];
    snprintf(other, sizeof other, "%s.other", how == FOLDER_MOVED ? p->folder : p->journal);
    if (how == REMOVED)
        assert_int_equal(unlink(p->journal), 0);
    else if (how == MOVED)
        assert_int_equal(rename(p->journal, other), 0);
    else if (how == CUT)
        assert_int_equal(truncate(p->journal, 100), 0);
    else if (how == REPLACED)
        assert_true(unlink(p->journal) == 0 && symlink("/dev/null", p->journal) == 0);
    else
        assert_int_equal(rename(p->folder, other), 0);
}

/* What others do to the file of a journal loses no edit that is accepted afterwards. */
static void test_journals_that_others_harm(void **state)
{
    (void)state;
    for (int how = 0; how < HARMS; how++) {
        place p = new_place();
        machine m = start(PENDULUMS, NULL);
        machine_must(&m, tn_session_journal(m.session, p.journal));
        set_gravity(&m, -5, TN_OK);
        machine_must(&m, tn_session_advance(m.session, 0.1));
        harm(how, &p);
        if (how == FOLDER_MOVED) {
            char other[100];
            snprintf(other, sizeof other, "%s.other", p.folder);
            set_gravity(&m, -6, TN_ERROR_FILE);        /* there is no place for it */
            assert_int_equal(rename(other, p.folder), 0);
        }
        set_gravity(&m, -7, TN_OK);
        machine_must(&m, tn_session_advance(m.session, 0.1));
        set_gravity(&m, -8, TN_OK);
        uint64_t hash = tn_session_hash(m.session);
        size_t compared;
        bool complete;
        assert_true(replayed(p.journal, &compared, &complete) == hash);        /* without its end: as if killed here */
        tn_diagnostics_clear(m.context);
        machine_close(&m);
        char other[100];
        snprintf(other, sizeof other, "%s.other", p.journal);
        unlink(other);
        remove_place(&p);
    }
}

/* ---- killed programs ---- */

/* A child that edits as fast as it can and tells, through a pipe, the hash after every edit that is acknowledged. */
static void edit_until_killed(const place *p, int out)
{
    machine m = start(PENDULUMS, NULL);
    uint32_t random = (uint32_t)getpid();
    machine_must(&m, tn_session_journal(m.session, p->journal));
    for (;;) {
        something(m.session, &random);
        if (tn_session_apply(NULL, m.session,
                             uniform(&random) < 0.5 ? "{ gravity: [0, -3] }" : "{ gravity: [0, 2] }") < 0)
            _exit(1);
        uint64_t hash = tn_session_hash(m.session);
        if (write(out, &hash, sizeof hash) != sizeof hash)
            _exit(1);
        tn_diagnostics_clear(m.context);
    }
}

static bool has_hash(const char *path, uint64_t hash)
{
    char word[32], line[4000];
    bool found = false;
    snprintf(word, sizeof word, "\"%016llx\"", (unsigned long long)hash);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        found |= strstr(line, word) != NULL;
    fclose(in);
    return found;
}

static void test_a_killed_program_loses_nothing(void **state)
{
    (void)state;
    place p = new_place();
    uint32_t random = 5;
    for (int k = 0; k < 25; k++) {
        int ends[2];
        uint64_t hash, last = 0;
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0)
            edit_until_killed(&p, ends[1]);
        close(ends[1]);
        assert_int_equal(read(ends[0], &last, sizeof last), sizeof last);
        nanosleep(&(struct timespec){ .tv_nsec = (long)(4e7 * uniform(&random)) }, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(ends[0], &hash, sizeof hash) == sizeof hash)
            last = hash;
        close(ends[0]);
        size_t compared;
        bool complete;
        replayed(p.journal, &compared, &complete);
        assert_false(complete);
        assert_true(has_hash(p.journal, last));
    }
    remove_place(&p);
}

static char *content(const char *path, size_t *size)
{
    static char text[200000];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    *size = fread(text, 1, sizeof text - 1, in);
    text[*size] = '\0';
    fclose(in);
    return text;
}

/* Cut off anywhere behind its head, a journal can be read, and gives the state after its last whole line. */
static void test_torn_journals_are_read(void **state)
{
    (void)state;
    place p = new_place();
    uint32_t random = 3;
    machine m = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    for (int k = 0; k < 12; k++)
        something(m.session, &random);
    machine_close(&m);
    size_t size, compared;
    bool complete;
    char *text = content(p.journal, &size), *copy = strdup(text);
    size_t head = (size_t)(strstr(copy, "\n---\n") - copy) + 5;
    for (size_t end = head; end < size; end += 7) {
        write_file(p.folder, "run.journal", copy, end);
        replayed(p.journal, &compared, &complete);
        assert_false(complete);
    }
    free(copy);
    remove_place(&p);
}

static void test_changed_journals_differ(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    machine_must(&m, tn_session_apply(NULL, m.session, "{ gravity: [0, -3] }"));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    machine_close(&m);
    size_t size;
    char *text = content(p.journal, &size);
    *strstr(text, "[0, -3]") = '[';
    strstr(text, "[0, -3]")[5] = '4';
    write_file(p.folder, "run.journal", text, size);
    machine again = { .context = tn_context_create(NULL) };
    tn_replay *replay;
    tn_replay_entry entry;
    bool same = true;
    machine_must(&again, tn_replay_open(&replay, again.context, p.journal));
    while (tn_replay_next(&entry, replay) == TN_OK)
        same &= entry.same;
    assert_false(same);
    tn_replay_close(replay);
    tn_context_destroy(again.context);
    remove_place(&p);
}

/* ---- saving ---- */

/* The state, and what is done with it from there on, is the same in both. */
static void must_go_on_alike(tn_session *a, tn_session *b, uint32_t seed)
{
    uint32_t first = seed, second = seed;
    assert_true(tn_session_hash(a) == tn_session_hash(b));
    for (int k = 0; k < 15; k++) {
        assert_int_equal(something(a, &first), something(b, &second));
        assert_true(tn_session_hash(a) == tn_session_hash(b));
    }
    tn_summary x = tn_session_summary(a), y = tn_session_summary(b);
    assert_int_equal(x.steps, y.steps);
    assert_near(x.energy_error, y.energy_error, 0);
    assert_near(x.energy_work, y.energy_work, 0);
    assert_near(x.max_drift, y.max_drift, 0);
}

static void test_saved_runs_go_on_to_the_bit(void **state)
{
    (void)state;
    place p = new_place();
    for (uint32_t seed = 1; seed <= 40; seed++) {
        uint32_t random = seed;
        machine m = start(PENDULUMS, NULL), other = { .context = tn_context_create(NULL) };
        for (int k = 0; k < (int)seed % 20; k++)
            something(m.session, &random);
        machine_must(&m, tn_session_save(m.session, p.saved));
        machine_must(&other, tn_session_load(&other.session, other.context, p.saved));
        must_go_on_alike(m.session, other.session, seed);
        machine_close(&m);
        machine_close(&other);
    }
    remove_place(&p);
}

/* Every scheme and integrator can be saved in the middle. */
static void test_every_method_can_be_saved(void **state)
{
    (void)state;
    place p = new_place();
    for (int k = 0; tn_scheme_types[k]; k++)
        for (int j = 0; tn_integrator_types[j]; j++) {
            if (tn_integrator_types[j]->create)        /* remembers earlier steps, and begins anew at a moment */
                continue;
            tn_solve solve = fixed_steps(tn_integrator_types[j]->name, 1e-3, 1);
            solve.scheme = tn_scheme_types[k]->name;
            machine m = start(PENDULUMS, &solve), other = { .context = tn_context_create(NULL) };
            machine_must(&m, tn_session_advance(m.session, 0.1));
            machine_must(&m, tn_session_save(m.session, p.saved));
            machine_must(&other, tn_session_load(&other.session, other.context, p.saved));
            machine_must(&m, tn_session_advance(m.session, 0.1));
            machine_must(&other, tn_session_advance(other.session, 0.1));
            if (tn_session_hash(m.session) != tn_session_hash(other.session))
                fail_msg("%s, %s", solve.scheme, solve.integrator);
            machine_close(&m);
            machine_close(&other);
        }
    remove_place(&p);
}

static void test_a_failed_save_leaves_the_old_file(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_save(m.session, p.saved));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    assert_int_equal(tn_session_save(m.session, "/nowhere/at/all.tenon"), TN_ERROR_FILE);
    size_t size;
    char *text = content(p.saved, &size);
    text[size / 2] = '\0';                             /* no program writes half a file, but disks may fail */
    write_text(p.folder, "run.tenon", text);
    machine other = { .context = tn_context_create(NULL) };
    assert_true(tn_session_load(&other.session, other.context, p.saved) < 0);
    assert_null(other.session);
    assert_true(tn_diagnostics_count(other.context) > 0);
    machine_close(&other);
    machine_close(&m);
    remove_place(&p);
}

static void test_models_by_calls_are_refused(void **state)
{
    (void)state;
    place p = new_place();
    machine m = machine_text(PENDULUMS), built = machine_new(2);
    tn_model_set_gravity(m.model, (double[3]){ 0, -1, 0 });
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    assert_int_equal(tn_session_journal(m.session, p.journal), TN_ERROR_ARGUMENT);
    tn_body_def body = tn_body_default();
    body.mass = body.inertia[2] = 1;
    tn_id id;
    machine_must(&built, tn_model_add_body(&id, built.model, "body", &body));
    machine_must(&built, tn_session_open(&built.session, built.model, NULL));
    assert_int_equal(tn_session_save(built.session, p.saved), TN_ERROR_ARGUMENT);
    machine_close(&m);
    machine_close(&built);
    remove_place(&p);
}

static void test_branches_go_their_own_way(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    tn_session *branch = NULL;
    machine_must(&m, tn_session_advance(m.session, 0.4));
    machine_must(&m, tn_session_apply(NULL, m.session, "{ remove: elbow }"));
    machine_must(&m, tn_session_branch(&branch, m.session));
    machine_must(&m, tn_session_undo(NULL, branch, true));
    assert_near(tn_session_time(branch), tn_session_time(m.session), 0);
    machine_must(&m, tn_session_advance(m.session, 0.4));
    machine_must(&m, tn_session_advance(branch, 0.4));
    assert_true(tn_session_hash(branch) != tn_session_hash(m.session));
    tn_session_close(branch);
    machine_close(&m);
}

/* ---- memory ---- */

static void test_memory_may_run_out(void **state)
{
    (void)state;
    place p = new_place();
    bool done = false;
    for (long n = 1; !done; n += 1 + n / 40) {
        test_alloc alloc = { .fail_at = 0 };
        tn_context *context = test_context(&alloc);
        tn_model *model = NULL;
        tn_session *session = NULL, *loaded = NULL;
        assert_int_equal(tn_model_read_text(&model, context, PENDULUMS, strlen(PENDULUMS), "m.yaml", "."), TN_OK);
        assert_int_equal(tn_session_open(&session, model, NULL), TN_OK);
        alloc.fail_at = alloc.calls + n;
        done = tn_session_keep_rewind(session, 10000, 0.1) == TN_OK && tn_session_journal(session, p.journal) == TN_OK &&
               tn_session_apply(NULL, session, "{ remove: elbow }") == TN_OK &&
               tn_session_advance(session, 0.2) == TN_OK && tn_session_seek(session, 0.1) == TN_OK &&
               tn_session_save(session, p.saved) == TN_OK && tn_session_load(&loaded, context, p.saved) == TN_OK;
        tn_session_close(loaded);
        tn_session_close(session);
        tn_model_destroy(model);
        tn_context_destroy(context);
        assert_int_equal(alloc.alive, 0);
    }
    remove_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_runs_repeat),
        cmocka_unit_test(test_journals_may_begin_late),
        cmocka_unit_test(test_interrupted_and_parameterized_runs),
        cmocka_unit_test(test_journals_that_others_harm),
        cmocka_unit_test(test_a_killed_program_loses_nothing),
        cmocka_unit_test(test_torn_journals_are_read),
        cmocka_unit_test(test_changed_journals_differ),
        cmocka_unit_test(test_saved_runs_go_on_to_the_bit),
        cmocka_unit_test(test_every_method_can_be_saved),
        cmocka_unit_test(test_a_failed_save_leaves_the_old_file),
        cmocka_unit_test(test_models_by_calls_are_refused),
        cmocka_unit_test(test_branches_go_their_own_way),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
