/* Models with components by hand: what is pulled follows as in the open model. */
#include "component_examples.h"
#include "component_pendulum.h"
#include "number_edits.h"

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
    machine open = open_fourbar(planar), component = coupled_fourbar(planar);
    tn_solve solve = steps("direct", "rk4", planar ? 2e-3 : 5e-4, 1);
    machine_start(&open, solve);
    machine_start(&component, solve);
    const char *turning = planar ? "rocker.angular_velocity" : "rocker.angular_velocity.z";
    pull_along(&open, body, at);
    pull_along(&component, port, port_at);
    assert_true(fabs(value(&open, turning)) > 0.01);
    compare(&open, &component, turning, SAME);
    compare(&open, &component, "rocker.acceleration.x", 1e2 * SAME);
    compare(&open, &component, "d.reaction.force.x", 1e3 * SAME);
    machine_close(&open);
    machine_close(&component);
    test_components_close();
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
    machine open = open_fourbar(true), component = coupled_fourbar(true);
    tn_solve solve = steps("direct", "rk4", 1e-3, 1);
    const char *const bodies[] = { "coupler", "left.tip" };
    machine *machines[] = { &open, &component };
    for (int k = 0; k < 2; k++) {
        machine_start(machines[k], solve);
        run_to(machines[k], 0.1);
        tn_pull pull = { .body = named(machines[k], bodies[k]), .at = { k == 0 ? 1 : 0, k == 0 ? 0.4 : 0 },
                         .target = { 2, 2 } };
        machine_must(machines[k], tn_session_pull(machines[k]->session, &pull));
    }
    compare(&open, &component, "pull.force.x", 1e-10);
    compare(&open, &component, "pull.force.y", 1e-10);
    machine_close(&open);
    machine_close(&component);
    test_components_close();
}

/* Also of a component that has just taken the place of another. */
static void test_pulls_are_repeated_to_the_bit(void **state)
{
    (void)state;
    place p = new_place();
    machine m = coupled_pendulum("");
    tn_ack ack;
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    run_to(&m, 0.1);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    machine_must(&m, tn_session_apply(&ack, m.session, "{ replace: { subsystems: { lower: { use: " FREE_BODY ","
                                                 " parameters: { mass: 3 kg, inertia: 0.3 } } } } }"));
    tn_pull pull = { .body = tn_model_find(tn_session_model(m.session), "lower.hub"), .at = { 0.1, 0, 0 },
                     .target = { 0.5, 0.5, 0 } };
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

/* ---- numbers ---- */

/* The end of a pendulum whose second bar is a component, or a body; two numbers are set on the way. */
static machine set_numbers(bool component, const char *first, const char *second, bool compiled)
{
    machine m = machine_format(HEAD "bodies:\n" UPPER "%sjoints:\n" SHOULDER ELBOW
                               "forces: { brake: { type: torsion-spring, stiffness: 0, joint: shoulder, damping: 0.3 } }\n",
                               component ? "subsystems:\n  lower: { use: " FREE_BODY ", at: [1.05, -0.3],\n"
                                           "           parameters: { mass: 2 kg, inertia: 0.2 } }\n"
                                         : "  lower: { mass: 2, inertia: 0.2, position: [1.05, -0.3] }\n",
                               component ? "lower.hub" : "lower");
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    run_to(&m, 0.1);
    apply(&m, first, compiled);
    run_to(&m, 0.2);
    const tn_system *system = m.session->system;
    apply(&m, second, compiled);
    assert_true((m.session->system == system) == !compiled);
    run_to(&m, 0.5);
    return m;
}

static void test_numbers_are_set_in_place(void **state)
{
    (void)state;
    static const char *const edits[][2] = {
        { "set: { brake.damping: 0.5 }", "set: { upper.mass: 1.8 }" },
        { "set: { upper.com: [0.45, 0.02] }", "set: { brake.damping: 0 }" },
        { "set: { upper.inertia: 0.09, upper.mass: 1.2 }", "set: { brake.damping: 2 }" },
    };
    for (size_t k = 0; k < TN_LENGTH(edits); k++) {
        machine open = set_numbers(false, edits[k][0], edits[k][1], false);
        machine in_place = set_numbers(true, edits[k][0], edits[k][1], false);
        machine compiled = set_numbers(true, edits[k][0], edits[k][1], true);
        const char *const channels[] = { "upper.angle", "shoulder.reaction.force.x", "energy.error" };
        for (size_t c = 0; c < TN_LENGTH(channels); c++) {
            compare(&open, &in_place, channels[c], 1e2 * SAME);
            compare(&compiled, &in_place, channels[c], 1e2 * SAME);
        }
        machine_close(&open);
        machine_close(&in_place);
        machine_close(&compiled);
    }
}

/* ---- dragging ---- */

static const double POSE = 1e-7;               /* m, rad: where a nearest pose is found, by a flat least distance */

/* The same drag of a body and of the port that stands for it, or of a body of both. */
static void drag_both(machine *open, const char *body, const double at[3], machine *component, const char *port,
                      const double port_at[3], const double target[3])
{
    tn_drag of_body = { .body = named(open, body) }, of_port = { .body = named(component, port) };
    tn_drag_result a, b;
    memcpy(of_body.at, at, sizeof of_body.at);
    memcpy(of_port.at, port_at, sizeof of_port.at);
    memcpy(of_body.target, target, sizeof of_body.target);
    memcpy(of_port.target, target, sizeof of_port.target);
    machine_must(open, tn_session_drag(&a, open->session, &of_body));
    machine_must(component, tn_session_drag(&b, component->session, &of_port));
    assert_int_equal(a.end, b.end);
    assert_near(a.distance, b.distance, POSE);
    assert_true(a.displacement > 1e-3);
}

static void compare_drags(bool planar, const char *body, const double at[3], const char *port, const double port_at[3])
{
    static const double targets[][3] = { { 0.8, 0.75, 0 }, { 1.05, 0.9, 0 }, { 0.9, 0.7, 0 } };
    machine open = open_fourbar(planar), component = coupled_fourbar(planar);
    tn_solve solve = steps("direct", "rk4", 1e-3, 1);
    machine_start(&open, solve);
    machine_start(&component, solve);
    for (size_t k = 0; k < TN_LENGTH(targets); k++) {
        drag_both(&open, body, at, &component, port, port_at, targets[k]);
        compare(&open, &component, planar ? "rocker.angle" : "d.angle", POSE);
    }
    run_to(&component, 0.1);
    assert_true(tn_session_summary(component.session).max_drift < 1e-12);
    machine_close(&open);
    machine_close(&component);
    test_components_close();
}

static void test_drags_are_those_of_the_open_model(void **state)
{
    (void)state;
    const double tip[3] = { 0.8, 0, 0 }, on_coupler[3] = { 0.7, 0.5, 0 }, at_port[3] = { -0.3, 0.1, 0 };
    for (int planar = 0; planar <= 1; planar++) {
        compare_drags(planar, "rocker", tip, "rocker", tip);
        compare_drags(planar, "coupler", on_coupler, "left.tip", at_port);
    }
}

/* Two freedoms: of all poses that reach the target, the one of least motion with the masses. From there it falls. */
static void test_drags_move_as_little_as_they_can(void **state)
{
    (void)state;
    static const double at[3] = { 0.3, 0, 0 }, targets[][3] = { { 1.1, 0.2, 0 }, { 2.5, 0.3, 0 } };
    for (size_t k = 0; k < TN_LENGTH(targets); k++) {
        machine open = open_pendulum(), component = coupled_pendulum("");
        machine_start(&open, fixed_steps("rk4", 1e-3, 1));
        machine_start(&component, fixed_steps("rk4", 1e-3, 1));
        drag_both(&open, "lower", at, &component, "lower.hub", at, targets[k]);
        compare(&open, &component, "upper.angle", POSE);
        compare(&open, &component, "elbow.angle", POSE);
        run_to(&open, 0.3);
        run_to(&component, 0.3);
        compare(&open, &component, "upper.angle", 10 * POSE);
        compare(&open, &component, "elbow.angle", 10 * POSE);
        assert_true(tn_session_summary(component.session).max_drift < 1e-12);
        machine_close(&open);
        machine_close(&component);
    }
}

static void test_drags_rest_on_stops(void **state)
{
    (void)state;
    static const double at[3] = { 0.3, 0, 0 }, target[3] = { 0.6, 0.5, 0 };
    machine open = open_pendulum(), component = coupled_pendulum("");
    machine *both[] = { &open, &component };
    tn_ack ack;
    for (int k = 0; k < 2; k++) {
        machine_start(both[k], fixed_steps("rk4", 1e-3, 1));
        machine_must(both[k], tn_session_apply(&ack, both[k]->session, "{ set: { elbow.limits.angle: [-0.3, 0.2] } }"));
    }
    drag_both(&open, "lower", at, &component, "lower.hub", at, target);
    assert_near(value(&open, "elbow.angle"), 0.2, 1e-9);
    compare(&open, &component, "elbow.angle", POSE);
    compare(&open, &component, "upper.angle", POSE);
    machine_close(&open);
    machine_close(&component);
}

/* A car is lifted at a corner: what is in the suspension follows. */
static void test_a_car_is_lifted(void **state)
{
    (void)state;
    static const double at[3] = { 1, 0.5, 0 };
    machine open = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml"), component = car_with_component();
    double corner[3];
    machine_start(&open, fixed_steps("rk4", 4e-3, 1));
    machine_start(&component, fixed_steps("rk4", 4e-3, 1));
    for (int k = 0; k < 3; k++)
        corner[k] = at[k] + value(&open, (const char *[]){ "chassis.position.x", "chassis.position.y",
                                                           "chassis.position.z" }[k]) + (k == 2 ? 0.02 : 0);
    drag_both(&open, "chassis", at, &component, "chassis", at, corner);
    compare(&open, &component, "chassis.position.z", POSE);
    compare(&open, &component, "chassis.orientation.x", POSE);
    compare(&open, &component, "rear_left.hub.wheel.position.z", POSE);
    compare(&open, &component, "arm_chassis_fl.angle", POSE);
    machine_close(&open);
    machine_close(&component);
    test_components_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pulls_are_those_of_the_open_model),
        cmocka_unit_test(test_a_pull_feels_what_is_inside),
        cmocka_unit_test(test_pulls_are_repeated_to_the_bit),
        cmocka_unit_test(test_numbers_are_set_in_place),
        cmocka_unit_test(test_drags_are_those_of_the_open_model),
        cmocka_unit_test(test_drags_move_as_little_as_they_can),
        cmocka_unit_test(test_drags_rest_on_stops),
        cmocka_unit_test(test_a_car_is_lifted),
    };
    int failed = cmocka_run_group_tests_name("condensed", tests, NULL, NULL);
    test_component_level = TN_DISCLOSE_OPEN;
    return failed + cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
