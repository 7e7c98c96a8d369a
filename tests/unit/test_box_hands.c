/* Models with components by hand: what is pulled follows as in the open model. */
#include "boxed.h"
#include "box_pendulum.h"
#include "live_runs.h"

/* Round-off, over some hundred steps. */
static const double SAME = 1e-11;

/* A hand that moves on, and lets go. */
static void pull_along(machine *m, const char *body, const double at[3])
{
    tn_pull pull = { .body = named(m, body), .at = { at[0], at[1], at[2] }, .target = { 0.4, 1.2, 0 } };
    for (int k = 0; k < 10; k++) {
        pull.target[0] += 0.02;
        machine_must(m, tn_session_pull(m->session, &pull));
        run_to(m, 0.02 * (k + 1));
    }
    machine_must(m, tn_session_release(m->session));
    run_to(m, 0.3);
}

/* The port is the frame of the coupler at (1, 0.4). */
static void compare_pulls(bool planar, const char *body, const double at[3], const char *port, const double port_at[3])
{
    machine open = open_fourbar(planar), box = boxed_fourbar(planar);
    tn_solve solve = steps("direct", "rk4", planar ? 2e-3 : 5e-4, 1);
    machine_start(&open, solve);
    machine_start(&box, solve);
    const char *turning = planar ? "rocker.angular_velocity" : "rocker.angular_velocity.z";
    pull_along(&open, body, at);
    pull_along(&box, port, port_at);
    assert_true(fabs(value(&open, turning)) > 0.05);
    compare(&open, &box, turning, SAME);
    compare(&open, &box, "rocker.acceleration.x", 1e2 * SAME);
    compare(&open, &box, "d.reaction.force.x", 1e3 * SAME);
    machine_close(&open);
    machine_close(&box);
    test_boxes_close();
}

static void test_pulls_are_those_of_the_open_model(void **state)
{
    (void)state;
    for (int planar = 0; planar <= 1; planar++) {
        const double on_rocker[3] = { 0.5, 0.1, 0 }, on_coupler[3] = { 0.7, 0.5, 0 }, at_port[3] = { -0.3, 0.1, 0 };
        compare_pulls(planar, "rocker", on_rocker, "rocker", on_rocker);
        compare_pulls(planar, "coupler", on_coupler, "left.tip", at_port);
    }
}

/* The mass that the hand feels is that of the mechanism as it is, with what is inside. */
static void test_a_pull_feels_what_is_inside(void **state)
{
    (void)state;
    machine open = open_fourbar(true), box = boxed_fourbar(true);
    tn_solve solve = steps("direct", "rk4", 1e-3, 1);
    const char *const bodies[] = { "coupler", "left.tip" };
    machine *machines[] = { &open, &box };
    for (int k = 0; k < 2; k++) {
        machine_start(machines[k], solve);
        run_to(machines[k], 0.1);
        tn_pull pull = { .body = named(machines[k], bodies[k]), .at = { k == 0 ? 1 : 0, k == 0 ? 0.4 : 0 },
                         .target = { 2, 2 } };
        machine_must(machines[k], tn_session_pull(machines[k]->session, &pull));
    }
    compare(&open, &box, "pull.force.x", 1e-10);
    compare(&open, &box, "pull.force.y", 1e-10);
    machine_close(&open);
    machine_close(&box);
    test_boxes_close();
}

static void test_pulls_are_repeated_to_the_bit(void **state)
{
    (void)state;
    place p = new_place();
    machine m = boxed_pendulum("");
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    run_to(&m, 0.1);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    tn_pull pull = { .body = named(&m, "lower.hub"), .at = { 0.1, 0, 0 }, .target = { 0.5, 0.5, 0 } };
    for (int k = 0; k < 5; k++) {
        pull.target[1] -= 0.1;
        machine_must(&m, tn_session_pull(m.session, &pull));
        run_to(&m, tn_session_time(m.session) + 0.03);
    }
    machine_must(&m, tn_session_release(m.session));
    run_to(&m, 0.4);
    uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == hash && complete && compared > 0);
    remove_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulls_are_those_of_the_open_model),
        cmocka_unit_test(test_a_pull_feels_what_is_inside),
        cmocka_unit_test(test_pulls_are_repeated_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
