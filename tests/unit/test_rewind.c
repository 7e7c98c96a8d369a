/* Going back in a run, to the bit, and another future from there. */
#include "live_runs.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { VISITS = 400 };
typedef struct diary {
    double t[VISITS];
    uint64_t hash[VISITS];
    int count;
} diary;

static int write_diary(void *user, const tn_session *session)
{
    diary *d = user;
    if (d->count < VISITS) {
        d->t[d->count] = tn_session_time(session);
        d->hash[d->count++] = tn_session_hash(session);
    }
    return 0;
}

static const char *const EDITS[] = { "{ remove: elbow }", "{ gravity: [0, 3] }", "{ remove: s }",
                                     "{ add: { bodies: { c: { mass: 1, inertia: 1 } } } }" };

/* Runs for a while with edits and writes down every step. */
static void live_a_little(machine *m, diary *d, int edits)
{
    tn_session_on_step(m->session, write_diary, d);
    for (int k = 0; k < 20; k++) {
        machine_must(m, tn_session_advance(m->session, 0.031));
        if (k % 5 == 3 && k / 5 < edits) {
            machine_must(m, tn_session_apply(NULL, m->session, EDITS[k / 5]));
            d->hash[d->count - 1] = tn_session_hash(m->session);       /* what a time has come to */
        }
        if (k % 7 == 6)
            machine_must(m, tn_session_step(m->session));
    }
    tn_session_on_step(m->session, NULL, NULL);
}

static void test_every_step_can_be_sought(void **state)
{
    (void)state;
    for (int edits = 0; edits <= 4; edits += 2) {
        machine m = start(PENDULUMS, NULL);
        diary d = { .count = 0 };
        uint32_t random = 12;
        machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
        live_a_little(&m, &d, edits);
        assert_near(tn_session_rewind_begin(m.session), 0, 0);
        for (int k = 0; k < 200; k++) {
            int visit = (int)(uniform(&random) * d.count);
            machine_must(&m, tn_session_seek(m.session, d.t[visit]));
            assert_near(tn_session_time(m.session), d.t[visit], 0);
            assert_true(tn_session_hash(m.session) == d.hash[visit]);
        }
        machine_close(&m);
    }
}

static void test_a_small_past_forgets_the_oldest(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    diary d = { .count = 0 };
    assert_int_equal(tn_session_seek(m.session, 0), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_keep_rewind(m.session, 100, 0.05), TN_ERROR_ARGUMENT);
    machine_must(&m, tn_session_keep_rewind(m.session, 5000, 0.02));
    live_a_little(&m, &d, 1);
    double begin = tn_session_rewind_begin(m.session);
    assert_true(begin > 0.1 && begin < 0.62);
    assert_int_equal(tn_session_seek(m.session, 0.05), TN_ERROR_ARGUMENT);
    for (int k = 0; k < d.count; k++)
        if (d.t[k] >= begin) {
            machine_must(&m, tn_session_seek(m.session, d.t[k]));
            assert_true(tn_session_hash(m.session) == d.hash[k]);
        }
    assert_int_equal(tn_session_seek(m.session, 5), TN_NEWS_END);
    assert_true(tn_session_hash(m.session) == d.hash[d.count - 1]);
    machine_close(&m);
}

/* Edits that can no longer be undone, and pulls, are where the past begins. */
static void test_the_past_ends_where_nothing_can_be_taken_back(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    diary d = { .count = 0 };
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
    machine_must(&m, tn_session_set_history(m.session, 1));
    live_a_little(&m, &d, 4);
    double begin = tn_session_rewind_begin(m.session);
    assert_true(begin > 0 && begin < 0.6);
    for (int k = d.count; k-- > 0 && d.t[k] >= begin;) {
        machine_must(&m, tn_session_seek(m.session, d.t[k]));
        assert_true(tn_session_hash(m.session) == d.hash[k]);
    }
    machine_must(&m, tn_session_pull(m.session, &(tn_pull){ .body = tn_model_find(m.model, "b"), .target = { 1, 1 } }));
    assert_near(tn_session_rewind_begin(m.session), tn_session_time(m.session), 0);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    uint64_t hash = tn_session_hash(m.session);
    double t = tn_session_time(m.session);
    machine_must(&m, tn_session_pull(m.session, &(tn_pull){ .body = tn_model_find(m.model, "b"), .target = { 2, 1 } }));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    machine_must(&m, tn_session_seek(m.session, t - 0.01));
    machine_must(&m, tn_session_seek(m.session, t));
    assert_true(tn_session_hash(m.session) != hash);   /* the target has moved there already */
    machine_close(&m);
}

/* After going back and changing something there is another future, and a journal that tells the same. */
static void test_another_future(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(PENDULUMS, NULL);
    diary d = { .count = 0 };
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
    machine_must(&m, tn_session_journal(m.session, p.journal));
    live_a_little(&m, &d, 3);
    machine_must(&m, tn_session_seek(m.session, 0.2));
    uint64_t there = tn_session_hash(m.session);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ gravity: [0, 0] }"));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t other = tn_session_hash(m.session);
    double reached = tn_session_time(m.session);
    assert_int_equal(tn_session_seek(m.session, 0.6), TN_NEWS_END);
    assert_near(tn_session_time(m.session), reached, 0);
    assert_true(tn_session_hash(m.session) == other);
    machine_must(&m, tn_session_seek(m.session, 0.19));
    assert_true(tn_session_time(m.session) < 0.25);
    for (int k = 0; k < d.count; k++)                  /* what was before the change is what it was */
        if (d.t[k] <= 0.2) {
            machine_must(&m, tn_session_seek(m.session, d.t[k]));
            assert_true(tn_session_hash(m.session) == d.hash[k]);
        }
    assert_true(there != other);
    uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == hash && complete);
    remove_place(&p);
}

/* Looking around changes nothing: an event's edit is not made twice, and undo goes where it went before. */
static void test_looking_around_over_edits(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_true(tn_session_fired_count(m.session) > 0);
    double edited = tn_session_fired(m.session, 0).time;
    uint64_t end = tn_session_hash(m.session);
    for (int k = 0; k < 3; k++) {
        machine_must(&m, tn_session_seek(m.session, 0.05));
        machine_must(&m, tn_session_seek(m.session, edited - 1e-4));
        machine_must(&m, tn_session_seek(m.session, 1));
        assert_true(tn_session_hash(m.session) == end);
    }
    uint64_t before = tn_session_hash(m.session);
    tn_ack ack;
    machine_must(&m, tn_session_apply(NULL, m.session, "{ gravity: [0, 0] }"));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    uint64_t later = tn_session_hash(m.session);
    machine_must(&m, tn_session_seek(m.session, 0.3));
    machine_must(&m, tn_session_seek(m.session, 1.2));
    assert_true(tn_session_hash(m.session) == later);
    machine_must(&m, tn_session_undo(&ack, m.session, true));
    assert_near(ack.time, 1, 0);
    assert_true(tn_session_hash(m.session) == before);
    machine_must(&m, tn_session_redo(&ack, m.session, true));
    assert_true(tn_session_hash(m.session) == later);
    machine_close(&m);
}

/* Whatever happened, with undo and redo among it: the present can be left and found again. */
static void test_seeking_in_random_runs(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        uint32_t random = seed;
        machine m = start(PENDULUMS, NULL);
        machine_must(&m, tn_session_keep_rewind(m.session, 1 << 18, 0.03));
        for (int k = 0; k < 25; k++)
            something(m.session, &random);
        machine_must(&m, tn_session_advance(m.session, 0.1));
        double begin = tn_session_rewind_begin(m.session), t = tn_session_time(m.session);
        uint64_t hash = tn_session_hash(m.session);
        for (int k = 0; k < 10; k++) {
            int code = tn_session_seek(m.session, begin + (t - begin) * uniform(&random));
            machine_must(&m, code);
        }
        machine_must(&m, tn_session_seek(m.session, t));
        assert_near(tn_session_time(m.session), t, 0);
        assert_true(tn_session_hash(m.session) == hash);
        machine_close(&m);
    }
}

/* No event changes it. */
static const char QUIET[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, position: [0.5, 0] }\n"
    "  b: { mass: 2, inertia: 0.2, position: [1.5, 0] }\n"
    "joints:\n"
    "  pivot: { type: revolute, between: [ground, a], at: [0, 0] }\n"
    "  elbow: { type: revolute, between: [a, b], at: [1, 0] }\n";

typedef struct album {
    double t[VISITS], values[VISITS][2];
    int count, most;
} album;

static int put_in(void *user, double time, const double *values)
{
    album *a = user;
    a->t[a->count] = time;
    memcpy(a->values[a->count++], values, sizeof a->values[0]);
    return a->count == a->most;
}

/* What is seen in looking back is what was, as going there shows; the run itself is not touched. */
static void test_looking_back(void **state)
{
    (void)state;
    static const char *const channels[] = { "energy.kinetic", "2 * a.position.y" };
    for (int edits = 0; edits <= 2; edits += 2) {
        machine m = start(QUIET, NULL);
        diary d = { .count = 0 };
        album seen = { .most = VISITS }, some = { .most = 2 };
        machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.02));
        live_a_little(&m, &d, edits);
        uint64_t hash = tn_session_hash(m.session);
        tn_looking all = { -1, put_in, &seen }, part = { 0.5, put_in, &some };
        machine_must(&m, tn_session_look_back(m.session, channels, 2, &all));
        assert_int_equal(tn_session_look_back(m.session, channels, 2, &part), TN_NEWS_INTERRUPTED);
        assert_true(tn_session_hash(m.session) == hash);
        assert_int_equal(some.count, 2);
        assert_true(some.t[0] >= 0.5 && some.t[0] < 0.55);
        assert_true(seen.count >= 8);
        assert_true(edits == 0 ? seen.t[0] == 0 : seen.t[0] > 0.2);
        for (int k = 0; k < seen.count; k++) {
            double energy = NAN, height = NAN;
            machine_must(&m, tn_session_seek(m.session, seen.t[k]));
            machine_must(&m, tn_session_value(&energy, m.session, "energy.kinetic"));
            machine_must(&m, tn_session_value(&height, m.session, "a.position.y"));
            assert_true(seen.t[k] == tn_session_time(m.session) && seen.values[k][0] == energy);
            assert_true(seen.values[k][1] == 2 * height);
        }
        static const char *const wrong[] = { "a.colour" };
        assert_true(tn_session_look_back(m.session, wrong, 1, &all) < 0);
        machine_close(&m);
    }
}

static long resident_pages(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident;
}

/* A studio has room for the past of each of its models: it must cost what is used. */
static void test_room_for_the_past_costs_nothing_before_it_is_used(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    const long before = resident_pages();
    machine_must(&m, tn_session_keep_rewind(m.session, (size_t)256 << 20, 0.05));
    machine_must(&m, tn_session_advance(m.session, 0.5));
    if (before > 0)
        assert_true((resident_pages() - before) * sysconf(_SC_PAGESIZE) < 64 << 20);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_step_can_be_sought),
        cmocka_unit_test(test_a_small_past_forgets_the_oldest),
        cmocka_unit_test(test_the_past_ends_where_nothing_can_be_taken_back),
        cmocka_unit_test(test_another_future),
        cmocka_unit_test(test_looking_around_over_edits),
        cmocka_unit_test(test_seeking_in_random_runs),
        cmocka_unit_test(test_looking_back),
        cmocka_unit_test(test_room_for_the_past_costs_nothing_before_it_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
