/* Stops and contacts in models with components: impacts, rest and friction as in the open model. */
#include "component_examples.h"
#include "component_pendulum.h"
#include "tenon/history.h"

/* m, m/s, N s, J: impacts pass on what instants differ by, which are located to round-off of a step. */
static const double SAME = 3e-8;   /* bounces that accumulate multiply round-off by 1 / restitution each */

/* The pendulum with a component, or open, with more said about its elbow. */
static machine pendulum_with(bool component, const char *elbow)
{
    return machine_format(HEAD "%s"
                          "joints:\n" SHOULDER
                          "  elbow: { type: revolute, between: [upper, %s], at: [0.75, -0.27], %s }\n"
                          "bodies:\n" UPPER "%s",
                          component ? "subsystems:\n  lower: { use: " FREE_BODY ", at: [1.05, -0.3],\n"
                                "           parameters: { mass: 2 kg, inertia: 0.2 } }\n" : "",
                          component ? "lower.hub" : "lower", elbow,
                          component ? "" : "  lower: { mass: 2, inertia: 0.2, position: [1.05, -0.3] }\n");
}

static void compare_impacts(const machine *open, const machine *component)
{
    size_t count = tn_session_impact_count(open->session);
    assert_int_equal(count, tn_session_impact_count(component->session));
    for (size_t k = 0; k < count; k++) {
        tn_impact a = tn_session_impact(open->session, k), b = tn_session_impact(component->session, k);
        assert_string_equal(a.name, b.name);
        assert_near(a.time, b.time, SAME);
        assert_near(a.speed, b.speed, SAME);
        assert_near(a.impulse, b.impulse, SAME);
        assert_near(a.loss, b.loss, SAME);
    }
}

/* Both run; returns the number of impacts. */
static size_t compare_runs(machine *open, machine *component, tn_solve solve)
{
    tn_summary a = machine_run(open, solve), b = machine_run(component, solve);
    size_t count = tn_session_impact_count(open->session);
    compare_impacts(open, component);
    compare(open, component, "upper.angle", SAME);
    compare(open, component, "upper.angular_velocity", 10 * SAME);
    compare(open, component, "elbow.angle", SAME);
    compare(open, component, "elbow.reaction.force.y", 1e3 * SAME);
    assert_near(a.energy_error, 0, 1e-7);
    assert_near(b.energy_error, 0, 1e-7);
    machine_close(open);
    machine_close(component);
    return count;
}

static tn_solve stops(const char *integrator, tn_impact_rule rule)
{
    tn_solve solve = fixed_steps(integrator, 1e-3, 0.8);
    solve.impact = rule;
    return solve;
}

static void test_stops_at_ports(void **state)
{
    (void)state;
    static const tn_impact_rule rules[] = { TN_IMPACT_NEWTON, TN_IMPACT_POISSON, TN_IMPACT_SEQUENCE };
    static const char elbow[] = "limits: { angle: [-0.2, 0.1], restitution: 0.6 }";
    for (size_t k = 0; k < TN_LENGTH(rules); k++) {
        machine open = pendulum_with(false, elbow), component = pendulum_with(true, elbow);
        assert_true(compare_runs(&open, &component, stops("rk4", rules[k])) >= 3);
    }
}

/* Without rebound it rests on the stop, and leaves it again when the load pulls the other way. */
static void test_resting_on_stops_at_ports(void **state)
{
    (void)state;
    static const char elbow[] = "limits: { angle: [-0.2, 0.1] }";
    machine open = pendulum_with(false, elbow), component = pendulum_with(true, elbow);
    machine_start(&open, stops("rk4", TN_IMPACT_NEWTON));
    machine_start(&component, stops("rk4", TN_IMPACT_NEWTON));
    bool rests = false, leaves = false;
    for (int k = 1; k <= 16; k++) {
        run_to(&open, 0.1 * k);
        run_to(&component, 0.1 * k);
        compare(&open, &component, "elbow.angle.limit", 1e-6);
        compare(&open, &component, "elbow.angle", SAME);
        leaves = leaves || (rests && value(&open, "elbow.angle.limit") == 0);
        rests = rests || value(&open, "elbow.angle.limit") != 0;
    }
    assert_true(rests && leaves);
    compare_impacts(&open, &component);
    machine_close(&open);
    machine_close(&component);
}

/* A bar with a round end falls on a floor, bounces and rubs: impulses and friction go through the elbow into the
 * component. A ball beside it has nothing to do with it. */
static machine falling_bars(bool component)
{
    return machine_format(
        HEAD "%s"
        "bodies:\n"
        "  ground: { shapes: [ { half_space: { at: [0, -0.5] } } ] }\n"
        "  upper: { mass: 1.5, inertia: 0.08, com: [0.4, 0], position: [0, 0], angle: -20 deg, velocity: [1, 0],\n"
        "           shapes: [ { sphere: { radius: 0.05 } } ] }\n"
        "  ball: { mass: 1, inertia: 0.1, position: [-2, 0], velocity: [0.3, 0],\n"
        "          shapes: [ { sphere: { radius: 0.1 } } ] }\n%s"
        "joints:\n" ELBOW
        "contacts:\n"
        "  floor: { between: [ground, upper], restitution: 0.3, friction: 0.3 }\n"
        "  pit: { between: [ground, ball], restitution: 0.3, friction: 0.1 }\n",
        component ? "subsystems:\n  lower: { use: " FREE_BODY ", at: [1.05, -0.3],\n"
              "           parameters: { mass: 2 kg, inertia: 0.2 } }\n" : "",
        component ? "" : "  lower: { mass: 2, inertia: 0.2, position: [1.05, -0.3] }\n",
        component ? "lower.hub" : "lower");
}

static void test_contacts_elsewhere(void **state)
{
    (void)state;
    static const tn_impact_rule rules[] = { TN_IMPACT_NEWTON, TN_IMPACT_POISSON };
    for (size_t k = 0; k < TN_LENGTH(rules); k++) {
        machine open = falling_bars(false), component = falling_bars(true);
        assert_true(compare_runs(&open, &component, stops("rk4", rules[k])) >= 6);
    }
}

/* ---- a component with joints inside ---- */

static void limit(machine *m, const char *joint, double low, double high)
{
    char text[200];
    tn_ack ack;
    snprintf(text, sizeof text, "{ set: { %s.limits: { angle: [%g, %g], restitution: 0.5 } } }", joint, low, high);
    machine_must(m, tn_session_apply(&ack, m->session, text));
}

static void test_stops_of_a_four_bar(void **state)
{
    (void)state;
    for (int planar = 0; planar <= 1; planar++) {
        machine open = open_fourbar(planar), component = coupled_fourbar(planar);
        machine *both[] = { &open, &component };
        for (int k = 0; k < 2; k++) {
            machine_start(both[k], fixed_steps("rk4", planar ? 2e-3 : 1e-3, 1));
            limit(both[k], "c", -0.02, 0.03);
            run_to(both[k], 0.6);
        }
        assert_true(tn_session_impact_count(open.session) >= 2);
        compare_impacts(&open, &component);
        compare(&open, &component, planar ? "rocker.angular_velocity" : "rocker.angular_velocity.z", SAME);
        compare(&open, &component, "c.angle", SAME);
        machine_close(&open);
        machine_close(&component);
        test_components_close();
    }
}

/* ---- moments ---- */

static void test_runs_go_on_to_the_bit(void **state)
{
    (void)state;
    machine m = pendulum_with(true, "limits: { angle: [-0.2, 0.1], restitution: 0.3 }");
    tn_session *branch = NULL;
    machine_start(&m, stops("rk4", TN_IMPACT_NEWTON));
    run_to(&m, 0.3);
    machine_must(&m, tn_session_branch(&branch, m.session));
    run_to(&m, 0.8);
    machine_must(&m, tn_session_advance(branch, 0.5));
    assert_true(tn_session_impact_count(branch) > 2);
    assert_true(tn_session_hash(m.session) == tn_session_hash(branch));
    tn_session_close(branch);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops_at_ports),
        cmocka_unit_test(test_resting_on_stops_at_ports),
        cmocka_unit_test(test_contacts_elsewhere),
        cmocka_unit_test(test_stops_of_a_four_bar),
        cmocka_unit_test(test_runs_go_on_to_the_bit),
    };
    int failed = cmocka_run_group_tests_name("condensed", tests, NULL, NULL);
    test_component_level = TN_DISCLOSE_OPEN;
    return failed + cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
