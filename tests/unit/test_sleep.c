/* Time stepping does not solve islands again that stand still; the motion is the same to the bit as if it did. */
#include "contact_rows.h"
#include "event_runs.h"
#include "time_sleep.h"
#include "unilaterals.h"

/* A stack of three boxes, a box beside it, a ball that rolls past and then strikes the stack, and one that bounces far away. */
static const char scene[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
    "  low: { mass: 1, inertia: [0.0067, 0.0067, 0.0067], position: [0, 0, 0.1], shapes: [ { box: { size: [0.2, 0.2, 0.2] } } ] }\n"
    "  mid: { mass: 1, inertia: [0.0067, 0.0067, 0.0067], position: [0.01, 0, 0.3], shapes: [ { box: { size: [0.2, 0.2, 0.2] } } ] }\n"
    "  top: { mass: 1, inertia: [0.0067, 0.0067, 0.0067], position: [0, 0.02, 0.5], shapes: [ { box: { size: [0.2, 0.2, 0.2] } } ] }\n"
    "  lone: { mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, 2, 0.1], shapes: [ { box: { size: [0.3, 0.2, 0.2] } } ] }\n"
    "  ball: { mass: 3, inertia: [0.012, 0.012, 0.012], position: [-0.9, 0, 0.1], velocity: [2, 0, 0], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
    "  far: { mass: 1, inertia: [0.004, 0.004, 0.004], position: [5, 0, 0.5], shapes: [ { sphere: { radius: 0.1 } } ] }\n"
    "contacts: { heap: { among: [ground, low, mid, top, lone, ball, far], restitution: 0.3, friction: 0.5 } }\n"
    "solve: { until: 2, contact: time-stepping, contact_step: 2 ms, record: 10 ms }\n";

static run begin(const char *text)
{
    run x = { .r = accepted(text) };
    assert_int_equal(tn_session_open(&x.session, x.r.model, NULL), TN_OK);
    return x;
}

static int asleep(const run *x)
{
    return x->session->unilaterals->rows ? x->session->unilaterals->rows->sleep.count : 0;
}

static int wake(void *user, const tn_session *session)
{
    (void)user;
    tn_sleep_wake(session->unilaterals->rows);
    return 0;
}

static const char *const watched[] = { "heap.force.x", "heap.force.z", "heap.friction.x", "heap.normal", "top.position.x", "ball.position.x",
                                       "far.position.z", "energy.work", "energy.total", "heap.closed" };

/* The same run, woken after every step, has the same state, forces and energy account, to the bit. */
static void test_same_bits(void **state)
{
    (void)state;
    run sleeping = begin(scene), woken = begin(scene);
    int most = 0, least = 99;
    tn_session_on_step(woken.session, wake, NULL);
    for (int k = 1; k <= 200; k++) {
        assert_true(tn_session_advance_to(sleeping.session, 0.01 * k) >= 0);
        assert_true(tn_session_advance_to(woken.session, 0.01 * k) >= 0);
        most = asleep(&sleeping) > most ? asleep(&sleeping) : most;
        least = k > 15 && asleep(&sleeping) < least ? asleep(&sleeping) : least;
        assert_int_equal(asleep(&woken), 0);
        assert_true(tn_session_hash(sleeping.session) == tn_session_hash(woken.session));
        for (size_t i = 0; i < TN_LENGTH(watched); i++) {
            double a = value_of(&sleeping, watched[i]), b = value_of(&woken, watched[i]);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    assert_true(most >= 4);                            /* the stack and the box beside it */
    assert_int_equal(least, 1);                        /* the ball wakes the stack, not the box beside it */
    assert_true(value_of(&sleeping, "low.position.x") > 0.01);
    close_run(&sleeping);
    close_run(&woken);
}

/* A force that begins at 0.5 s, and friction that is taken away, set in motion what sleeps. */
static const char pushed[] =
    "tenon: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: { shapes: [ { half_space: { normal: [0, 0, 1] } } ] }\n"
    "  box: { mass: 1, inertia: [0.0067, 0.0067, 0.0067], position: [0, 0, 0.1], shapes: [ { box: { size: [0.2, 0.2, 0.2] } } ] }\n"
    "forces: { push: { type: force, on: box, value: [\"%s\", 0, 0] } }\n"
    "contacts: { floor: { between: [ground, box], friction: 0.5 } }\n"
    "solve: { until: 1, contact: time-stepping, contact_step: 1 ms }\n";

static void test_force_wakes(void **state)
{
    (void)state;
    char text[1500];
    snprintf(text, sizeof text, pushed, "step(t, 0.5, 0.5001) * 10");
    run x = begin(text);
    assert_true(tn_session_advance_to(x.session, 0.4) >= 0);
    assert_int_equal(asleep(&x), 1);
    assert_true(tn_session_advance_to(x.session, 1) >= 0);
    assert_int_equal(asleep(&x), 0);
    assert_near(value_of(&x, "box.velocity.x"), 0.5 * (10 - 0.5 * G), 2e-2);
    close_run(&x);
}

static double push_after(const char *command)
{
    char text[1500];
    snprintf(text, sizeof text, pushed, "3");
    run x = begin(text);
    assert_true(tn_session_advance_to(x.session, 0.4) >= 0);
    assert_int_equal(asleep(&x), 1);
    assert_true(tn_session_apply(NULL, x.session, command) >= 0);
    assert_int_equal(asleep(&x), 0);
    assert_true(tn_session_advance_to(x.session, 1) >= 0);
    double speed = value_of(&x, "box.velocity.x");
    close_run(&x);
    return speed;
}

/* Edits of laws and of forces do. */
static void test_edits_wake(void **state)
{
    (void)state;
    assert_near(push_after("{ set: { floor.friction: 0 } }"), 0.6 * 3, 1e-9);
    assert_near(push_after("{ set: { box.mass: 0.2 } }"), 0.6 * (3 / 0.2 - 0.5 * G), 1e-2);
    assert_true(push_after("{ set: { floor.friction: 0.4 } }") == 0);
}

/* So does a pull; what is released comes to rest and sleeps again. */
static void test_pull_wakes(void **state)
{
    (void)state;
    char text[1500];
    snprintf(text, sizeof text, pushed, "0");
    run x = begin(text);
    assert_true(tn_session_advance_to(x.session, 0.2) >= 0);
    assert_int_equal(asleep(&x), 1);
    tn_pull pull = { .body = tn_model_find(tn_session_model(x.session), "box"), .target = { 0, 0, 0.5 } };
    assert_true(tn_session_pull(x.session, &pull) >= 0);
    assert_true(tn_session_advance_to(x.session, 0.3) >= 0);
    assert_int_equal(asleep(&x), 0);
    assert_true(value_of(&x, "box.position.z") > 0.15);
    assert_true(tn_session_release(x.session) >= 0);
    assert_true(tn_session_advance_to(x.session, 1) >= 0);
    assert_int_equal(asleep(&x), 1);
    assert_near(value_of(&x, "box.position.z"), 0.1, 1e-8);
    close_run(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_bits), cmocka_unit_test(test_force_wakes),
                                        cmocka_unit_test(test_edits_wake), cmocka_unit_test(test_pull_wakes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
