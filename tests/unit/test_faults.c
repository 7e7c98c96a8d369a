/* Full and failing disks: edits that the journal cannot take are refused and leave no trace, the journal catches up, saved
 * runs stay whole, and what a power failure leaves of a journal has every edit that was acknowledged. */
#include "live_runs.h"
#include "faults.h"
#include <errno.h>
#include <sys/stat.h>

static const unsigned ALL_CALLS = FAULT_WRITE | FAULT_SYNC | FAULT_RENAME | FAULT_CUT | FAULT_OPEN;

static void no_faults(void)
{
    test_faults = (faults){ 0 };
}

static machine start_journal(const place *p, tn_journal_options options)
{
    machine m = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_journal_options(m.session, &options));
    machine_must(&m, tn_session_journal(m.session, p->journal));
    return m;
}

static void must_replay_to(const place *p, uint64_t hash)
{
    size_t compared;
    bool complete;
    assert_true(replayed(p->journal, &compared, &complete) == hash);
}

/* Something by chance; when it fails because of the journal, nothing has changed. Returns true then. */
static bool something_or_nothing(tn_session *s, uint32_t *random)
{
    uint64_t before = tn_session_hash(s);
    double t = tn_session_time(s);
    char *text = NULL, *after = NULL;
    assert_true(tn_session_text(&text, s) >= 0);
    bool refused = something(s, random) == TN_ERROR_FILE;
    if (refused) {
        assert_true(tn_session_hash(s) == before);
        assert_true(tn_session_time(s) == t);
        assert_true(tn_session_text(&after, s) >= 0);
        assert_string_equal(text, after);
        tn_text_free(tn_session_context(s), after);
    }
    tn_text_free(tn_session_context(s), text);
    tn_diagnostics_clear(tn_session_context(s));
    return refused;
}

/* One call fails, each in turn, with and without a part of the bytes written. */
static void test_one_failing_call(void **state)
{
    (void)state;
    place p = new_place();
    enum { RUNS = 120 };
    long refused = 0;
    for (uint32_t seed = 1; seed <= RUNS; seed++) {
        uint32_t random = 1000 + seed;
        machine m = start_journal(&p, (tn_journal_options){ .sync = seed % 3 == 0 });
        long n = 1 + seed % 40;
        test_faults = (faults){ .calls = ALL_CALLS, .first = n, .last = n, .error = seed % 2 ? ENOSPC : EIO,
                                .partial = seed % 5 < 2 };
        for (int k = 0; k < 25; k++)
            refused += something_or_nothing(m.session, &random);
        no_faults();
        assert_int_equal(tn_session_journal_flush(m.session), TN_OK);
        assert_false(tn_session_journal_status(m.session).behind);
        must_replay_to(&p, tn_session_hash(m.session));
        uint64_t hash = tn_session_hash(m.session);
        machine_close(&m);
        must_replay_to(&p, hash);
    }
    print_message("one failing call: %ld edits refused in %d runs\n", refused, RUNS);
    assert_true(refused > RUNS / 5);
    remove_place(&p);
}

/* Undo and redo that the journal cannot take leave both lists as they were, and so does an edit that continues another. */
static void test_refused_undo(void **state)
{
    (void)state;
    static const faults full = { .calls = ALL_CALLS, .first = 1, .last = 1000000, .error = ENOSPC };
    place p = new_place();
    char *text = NULL;
    machine m = start_journal(&p, (tn_journal_options){ .sync = false });
    machine_must(&m, tn_session_advance(m.session, 0.05));
    uint64_t first = tn_session_hash(m.session);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ remove: elbow }"));
    machine_must(&m, tn_session_advance(m.session, 0.05));
    uint64_t later = tn_session_hash(m.session);
    test_faults = full;
    for (int keep = 0; keep < 2; keep++) {
        assert_int_equal(tn_session_undo(NULL, m.session, keep == 0), TN_ERROR_FILE);
        assert_true(tn_session_hash(m.session) == later);
    }
    no_faults();
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == first);
    test_faults = full;
    assert_int_equal(tn_session_redo(NULL, m.session, true), TN_ERROR_FILE);
    assert_int_equal(tn_session_apply(NULL, m.session, "{ gravity: [0, -3] }"), TN_ERROR_FILE);
    no_faults();
    machine_must(&m, tn_session_redo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == later);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ set: { s.stiffness: 20 N/m } }"));
    test_faults = full;
    assert_int_equal(tn_session_apply(NULL, m.session, "{ set: { s.stiffness: 30 N/m }, more: yes }"), TN_ERROR_FILE);
    no_faults();
    assert_true(tn_session_text(&text, m.session) >= 0 && strstr(text, "stiffness: 20"));
    tn_text_free(m.context, text);
    must_replay_to(&p, tn_session_hash(m.session));
    tn_diagnostics_clear(m.context);
    machine_close(&m);
    remove_place(&p);
}

/* From some call on all fail; later there is room again. */
static void test_full_disk(void **state)
{
    (void)state;
    place p = new_place();
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t random = seed;
        machine m = start_journal(&p, (tn_journal_options){ .sync = false });
        for (int k = 0; k < 8; k++)
            something_or_nothing(m.session, &random);
        machine_must(&m, tn_session_journal_flush(m.session));
        test_faults = (faults){ .calls = ALL_CALLS, .first = 1, .last = 1000000, .error = ENOSPC, .partial = seed % 2 };
        uint64_t kept = tn_session_hash(m.session);
        assert_int_equal(tn_session_apply(NULL, m.session, "{ gravity: [0, -3] }"), TN_ERROR_FILE);
        tn_diagnostics_clear(m.context);
        for (int k = 0; k < 8; k++)
            something_or_nothing(m.session, &random);
        tn_journal_status status = tn_session_journal_status(m.session);
        assert_true(status.kept && status.behind && status.unwritten == 0);
        assert_string_equal(status.reason, strerror(ENOSPC));
        must_replay_to(&p, kept);                      /* a kill now would lose steps, no edit */
        no_faults();
        tn_ack ack;
        assert_int_equal(tn_session_apply(&ack, m.session, "{ gravity: [0, -4] }"), TN_OK);
        assert_false(tn_session_journal_status(m.session).behind);
        must_replay_to(&p, tn_session_hash(m.session));
        tn_diagnostics_clear(m.context);
        machine_close(&m);
    }
    remove_place(&p);
}

/* The user chose to go on: edits are made and counted, and are all in the file when there is room again. */
static void test_going_on_without_journal(void **state)
{
    (void)state;
    place p = new_place();
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t random = 3 * seed;
        machine m = start_journal(&p, (tn_journal_options){ .go_on = true });
        for (int k = 0; k < 8; k++)
            something(m.session, &random);
        test_faults = (faults){ .calls = FAULT_WRITE, .first = 1, .last = 1000000, .error = ENOSPC };
        machine_must(&m, tn_session_apply(NULL, m.session, "{ gravity: [0, -3] }"));
        for (int k = 0; k < 8; k++)
            assert_int_not_equal(something(m.session, &random), TN_ERROR_FILE);
        assert_true(tn_session_journal_status(m.session).unwritten > 0);
        assert_int_equal(tn_session_journal_flush(m.session), TN_ERROR_FILE);
        no_faults();
        assert_int_equal(tn_session_journal_flush(m.session), TN_OK);
        assert_int_equal(tn_session_journal_status(m.session).unwritten, 0);
        must_replay_to(&p, tn_session_hash(m.session));
        for (int k = 0; k < 4; k++)
            something(m.session, &random);
        tn_diagnostics_clear(m.context);
        uint64_t hash = tn_session_hash(m.session);
        machine_close(&m);
        must_replay_to(&p, hash);
    }
    remove_place(&p);
}

static void test_interrupted_and_short_writes(void **state)
{
    (void)state;
    place p = new_place();
    uint32_t random = 5;
    test_faults = (faults){ .interrupted = true };
    machine m = start_journal(&p, (tn_journal_options){ .sync = true });
    for (int k = 0; k < 40; k++)
        something(m.session, &random);
    assert_false(tn_session_journal_status(m.session).behind);
    machine_must(&m, tn_session_save(m.session, p.saved));
    no_faults();
    uint64_t hash = tn_session_hash(m.session);
    tn_session *loaded = NULL;
    machine_must(&m, tn_session_load(&loaded, m.context, p.saved));
    assert_true(tn_session_hash(loaded) == hash);
    tn_session_close(loaded);
    tn_diagnostics_clear(m.context);
    machine_close(&m);
    must_replay_to(&p, hash);
    remove_place(&p);
}

/* Whatever fails while a run is saved: the old file or the new one is there, whole, and nothing lies beside it. */
static void test_saving_keeps_a_whole_file(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_save(m.session, p.saved));
    uint64_t old = tn_session_hash(m.session);
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t new = tn_session_hash(m.session);
    int failed = 0;
    for (long n = 1; n <= 8; n++) {
        test_faults = (faults){ .calls = ALL_CALLS, .first = n, .last = n, .error = EIO, .partial = n % 2 };
        int code = tn_session_save(m.session, p.saved);
        no_faults();
        failed += code == TN_ERROR_FILE;
        tn_session *loaded = NULL;
        tn_diagnostics_clear(m.context);
        machine_must(&m, tn_session_load(&loaded, m.context, p.saved));
        uint64_t hash = tn_session_hash(loaded);
        assert_true(hash == new || (hash == old && code < 0));
        tn_session_close(loaded);
        machine_must(&m, tn_session_journal(m.session, p.journal));     /* the folder can be removed: nothing else is in it */
        remove_place(&p);
        assert_int_equal(access(p.folder, F_OK), -1);
        assert_int_equal(mkdir(p.folder, 0700), 0);
        machine_must(&m, tn_session_save(m.session, p.saved));
    }
    assert_true(failed >= 4);
    machine_close(&m);
    remove_place(&p);
}

/* A second writer is noticed and leaves the file as it is. */
static void test_two_writers(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start_journal(&p, (tn_journal_options){ .sync = false });
    machine other = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ gravity: [0, -3] }"));
    assert_int_equal(tn_session_journal(other.session, p.journal), TN_ERROR_FILE);
    assert_non_null(strstr(tn_diagnostics_get(other.context, 0)->message, "another program is writing this journal"));
    must_replay_to(&p, tn_session_hash(m.session));
    tn_diagnostics_clear(other.context);
    machine_close(&other);
    machine_close(&m);
    remove_place(&p);
}

/* ---- power failure ---- */

enum { MOST_EDITS = 64 };

/* Where the file stood on the disk when an edit was acknowledged. */
typedef struct acknowledged {
    long long bytes;
    uint64_t hash;
    long entries;
} acknowledged;

static char *load_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, in), *size);
    fclose(in);
    return data;
}

/* Replays what is left of a journal; returns whether one of the states on the way was that of the hash. */
static bool passes_through(const char *path, uint64_t hash)
{
    tn_context *context = tn_context_create(NULL);
    tn_replay *replay = NULL;
    tn_replay_entry entry;
    int code = tn_replay_open(&replay, context, path);
    bool found = code == TN_OK && tn_session_hash(tn_replay_session(replay)) == hash;
    while (code == TN_OK && (code = tn_replay_next(&entry, replay)) == TN_OK) {
        assert_true(entry.same);
        found |= tn_session_hash(tn_replay_session(replay)) == hash;
    }
    assert_true(code == TN_NEWS_END);
    tn_replay_close(replay);
    tn_context_destroy(context);
    return found;
}

static void write_prefix(const char *path, const char *data, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

/* The disk has at least what was synced, and any part of the rest. */
static void test_power_failures(void **state)
{
    (void)state;
    place p = new_place();
    for (uint32_t seed = 1; seed <= 6; seed++) {
        uint32_t random = 77 * seed;
        acknowledged acks[MOST_EDITS];
        size_t count = 0, size = 0;
        machine m = start_journal(&p, (tn_journal_options){ .sync = true });
        acks[count++] = (acknowledged){ test_faults.synced, tn_session_hash(m.session), 0 };
        for (int k = 0; k < 30; k++) {
            if (tn_session_advance(m.session, 0.01) < 0 || something(m.session, &random) < 0 || count == MOST_EDITS)
                continue;
            tn_ack ack;
            char command[64];
            snprintf(command, sizeof command, "{ gravity: [%.3f, -9] }", uniform(&random));
            if (tn_session_apply(&ack, m.session, command) < 0 || !ack.changed)
                continue;
            struct stat is;
            assert_int_equal(stat(p.journal, &is), 0);
            assert_true(is.st_size == test_faults.synced);     /* acknowledged only when it is on the disk */
            acks[count++] = (acknowledged){ test_faults.synced, tn_session_hash(m.session), k };
        }
        tn_diagnostics_clear(m.context);
        machine_close(&m);
        char *data = load_file(p.journal, &size);
        for (int k = 0; k < 40; k++) {
            size_t at = (size_t)(uniform(&random) * (double)count), length;
            size_t end = at + 1 < count ? (size_t)acks[at + 1].bytes : size;
            length = (size_t)acks[at].bytes + (size_t)(uniform(&random) * (double)(end - (size_t)acks[at].bytes));
            write_prefix(p.journal, data, length);
            assert_true(passes_through(p.journal, acks[at].hash));
        }
        free(data);
    }
    remove_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_failing_call),
        cmocka_unit_test(test_refused_undo), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_going_on_without_journal),
        cmocka_unit_test(test_interrupted_and_short_writes),
        cmocka_unit_test(test_saving_keeps_a_whole_file),
        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_power_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
