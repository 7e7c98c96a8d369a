/* Components in models: a model with a part of it as a black component moves as the open one, with every solver. */
#include "component_examples.h"
#include "component_solver.h"

static const double SAME = 1e-12;              /* of numbers of the order of 1 */
static const char *const solvers[] = { "direct", "augmented", "uzawa", "hierarchical" };

static void test_four_bar_moves_as_the_open_one(void **state)
{
    (void)state;
    for (int planar = 1; planar >= 0; planar--)
        for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
            machine open = open_fourbar(planar), component = coupled_fourbar(planar);
            const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : SAME;
            tn_summary a = machine_run(&open, steps(solvers[k], "rk4", planar ? 2e-3 : 1e-4, planar ? 0.4 : 0.1));
            tn_summary b = machine_run(&component, steps(solvers[k], "rk4", planar ? 2e-3 : 1e-4, planar ? 0.4 : 0.1));
            compare(&open, &component, "rocker.position.x", tolerance);
            compare(&open, &component, planar ? "rocker.angle" : "rocker.angular_velocity.z", tolerance);
            compare(&open, &component, "d.reaction.force.x", 1e3 * tolerance);
            assert_int_equal(a.rank_max, b.rank_max);
            assert_int_equal(a.rank_min, b.rank_min);
            assert_true(b.max_drift < 1e-12);
            assert_true(b.energy_error < 1e-9);
            machine_close(&open);
            machine_close(&component);
            test_components_close();
        }
}

/* ---- the examples, with a subsystem as a component ---- */

/* How far a solver's own solutions may be off. */
static double tolerance_of(const char *solver)
{
    return strcmp(solver, "uzawa") == 0 ? 1e-7 : strcmp(solver, "augmented") == 0 ? 1e-9 : SAME;
}

static void test_car_moves_as_the_open_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        machine open = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml"), component = car_with_component();
        const double tolerance = tolerance_of(solvers[k]);
        tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 4e-3, 1.2 * SHARE_OF_MOTION));
        tn_summary b = machine_run(&component, steps(solvers[k], "rk4", 4e-3, 1.2 * SHARE_OF_MOTION));
        compare(&open, &component, "chassis.position.z", tolerance);
        compare(&open, &component, "chassis.orientation.x", tolerance);
        compare(&open, &component, "rear_left.hub.wheel.velocity.z", tolerance);
        compare(&open, &component, "arm_chassis_fl.reaction.force.z", 1e4 * tolerance);
        assert_int_equal(a.rank_min, b.rank_min);
        assert_int_equal(a.rank_max, b.rank_max);
        assert_true(b.max_drift < 1e-12);
        assert_true(b.energy_error < 2 * a.energy_error + 1e-9 * fabs(b.energy_start));
        machine_close(&open);
        machine_close(&component);
        test_components_close();
    }
}

static void test_steam_machine_moves_as_the_open_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        machine open = machine_read(TENON_SOURCE_DIR "/examples/steam-machine/steam-machine.yaml");
        machine component = steam_with_component();
        const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : SAME;
        tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 5e-3, 1 * SHARE_OF_MOTION));
        tn_summary b = machine_run(&component, steps(solvers[k], "rk4", 5e-3, 1 * SHARE_OF_MOTION));
        compare(&open, &component, "middle.power.piston.position.z", tolerance);
        compare(&open, &component, "middle.power.piston.velocity.z", tolerance);
        compare(&open, &component, "steam.torque", 1e2 * tolerance);
        assert_int_equal(a.rank_min, b.rank_min);
        assert_int_equal(a.rank_max, b.rank_max);
        assert_true(b.max_drift < 1e-12);
        assert_true(b.energy_error < 1e-9);
        machine_close(&open);
        machine_close(&component);
        test_components_close();
    }
}

/* Without fixed steps the two agree as far as the tolerance goes. */
static void test_adaptive_steps(void **state)
{
    (void)state;
    machine open = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml"), component = car_with_component();
    tn_solve solve = accurate(2.8 * SHARE_OF_MOTION);
    solve.integrator = "dopri5";
    solve.tolerance = solve.absolute_tolerance = 1e-11;
    machine_run(&open, solve);
    machine_run(&component, solve);
    compare(&open, &component, "chassis.position.z", 1e-9);
    compare(&open, &component, "rear_left.hub.wheel.velocity.z", 1e-8);
    machine_close(&open);
    machine_close(&component);
    test_components_close();
}

/* Without projection the joints inside stay closed, too: by the component itself. */
static void test_baumgarte(void **state)
{
    (void)state;
    machine open = open_fourbar(true), component = coupled_fourbar(true);
    tn_solve solve = steps("direct", "rk4", 1e-3, 0.4);
    solve.scheme = "baumgarte";
    machine_run(&open, solve);
    machine_run(&component, solve);
    compare(&open, &component, "rocker.angle", 1e-7);
    machine_close(&open);
    machine_close(&component);
    test_components_close();
}

/* ---- ports that do not move freely ---- */

#define SLIDER_HEAD "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
#define SLIDER "  slider: { mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0], velocity: [0.5, 0, 0],\n" \
               "            guess: yes }\n"
#define RAIL "  rail: { type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: x }\n"
#define BAR "  bar: { mass: 1, inertia: [0.05, 0.1, 0.1], com: [0.2, 0, 0], position: [0.1, 0, 0] }\n"

/* A bar on a slider that moves along x only: D of its port has rank 1. A second hinge on the same axis, in line with
 * the first, is redundant altogether, which only shows through the component. nested: within a subsystem. */
static void hang_bar(machine *m, const char *slider)
{
    const tn_pose one = { { 0.1, 0, 0 }, { 1, 0, 0, 0 } }, other = { { 0.1, 0, 0.3 }, { 1, 0, 0, 0 } };
    add_as_built(m, "hinge", "revolute", slider, "bar", &one);
    add_as_built(m, "second", "revolute", slider, "bar", &other);
}

static machine coupled_slider(bool nested, tn_disclosure disclosure)
{
    static const char *const names[] = { "top" }, *const targets[] = { "slider" };
    const tn_subsystem_def def = tn_subsystem_default();
    test_component_define(0, machine_text(SLIDER_HEAD SLIDER "joints:\n" RAIL), names, targets, 1);
    test_type.disclosure = disclosure;
    machine m = machine_text(SLIDER_HEAD BAR);
    if (nested)
        machine_must(&m, tn_model_add_subsystem(NULL, m.model, "frame", &def));
    test_component_add(&m, nested ? "frame.component" : "component", 0);
    hang_bar(&m, nested ? "frame.component.top" : "component.top");
    return m;
}

static void test_ports_that_slide_and_redundancy_through_them(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
            machine open = machine_text(SLIDER_HEAD SLIDER BAR "joints:\n" RAIL);
            machine component = coupled_slider(variant == 1, variant == 2 ? TN_DISCLOSE_RESPONSE
                                                                          : test_component_level);
            const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : 1e-11;
            hang_bar(&open, "slider");
            tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 1e-3, 0.5 * SHARE_OF_MOTION));
            tn_summary b = machine_run(&component, steps(solvers[k], "rk4", 1e-3, 0.5 * SHARE_OF_MOTION));
            compare(&open, &component, "bar.position.x", tolerance);
            compare(&open, &component, "bar.angular_velocity.z", tolerance);
            assert_int_equal(a.rank_max, b.rank_max);
            assert_true(b.energy_error < 1e-9);
            machine_close(&open);
            machine_close(&component);
            test_components_close();
        }
}

/* A figure with two arms that swing far, hung up at its trunk: three ports, 16 freedoms, few rows on them. Which columns
 * of D are independent of which changes all the time, and so does what parts of them can be. */
#define FIGURE \
    "  trunk: { mass: 10, inertia: [1, 1, 1], position: [0, 0, 0] }\n" \
    "  left: { mass: 2, inertia: [0.01, 0.04, 0.04], position: [0.25, 0.3, 0] }\n" \
    "  left_hand: { mass: 1, inertia: [0.005, 0.02, 0.02], position: [0.75, 0.3, 0] }\n" \
    "  right: { mass: 2, inertia: [0.01, 0.04, 0.04], position: [0.2, -0.45, 0.1] }\n" \
    "  right_hand: { mass: 1, inertia: [0.005, 0.02, 0.02], position: [0.6, -0.75, 0.1] }\n" \
    "joints:\n" \
    "  ls: { type: spherical, between: [trunk, left], at: [0, 0.3, 0] }\n" \
    "  rs: { type: spherical, between: [trunk, right], at: [0, -0.3, 0.1] }\n" \
    "  le: { type: universal, between: [left, left_hand], at: [0.5, 0.3, 0], axis: y, axis2: z }\n" \
    "  re: { type: universal, between: [right, right_hand], at: [0.4, -0.6, 0.1], axis: y, axis2: z }\n"
#define FIGURE_HEAD "tenon: 1\ngravity: [0, 0, -9.81]\nbodies:\n"

static void hang_figure(machine *m, const char *trunk)
{
    add_as_built(m, "hook", "spherical", "ground", trunk, &(tn_pose){ { 0, 0, 0.5 }, { 1, 0, 0, 0 } });
}

static void test_ports_that_swing_far(void **state)
{
    static const char *const names[] = { "trunk", "left", "right" };
    static const char *const targets[] = { "trunk", "left_hand", "right_hand" };
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        machine open = machine_text(FIGURE_HEAD FIGURE), component = machine_text("tenon: 1\ngravity: [0, 0, -9.81]\n");
        const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-8 : SAME;
        test_component_define(0, machine_text(FIGURE_HEAD FIGURE), names, targets, 3);
        test_component_add(&component, "component", 0);
        hang_figure(&open, "trunk");
        hang_figure(&component, "component.trunk");
        tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 1e-3, 0.5 * SHARE_OF_MOTION));
        tn_summary b = machine_run(&component, steps(solvers[k], "rk4", 1e-3, 0.5 * SHARE_OF_MOTION));
        compare(&open, &component, "hook.reaction.force.x", 10 * tolerance);
        compare(&open, &component, "hook.reaction.force.z", 10 * tolerance);
        assert_int_equal(a.steps, b.steps);
        assert_int_equal(a.rank_max, b.rank_max);
        assert_int_equal(a.rank_min, b.rank_min);
        machine_close(&open);
        machine_close(&component);
        test_components_close();
    }
}

static void test_report_counts_what_is_inside(void **state)
{
    (void)state;
    machine open = machine_text(SLIDER_HEAD SLIDER BAR "joints:\n" RAIL);
    machine component = coupled_slider(false, TN_DISCLOSE_CONDENSED);
    hang_bar(&open, "slider");
    machine *both[] = { &open, &component };
    for (size_t k = 0; k < TN_LENGTH(both); k++) {
        tn_report *report = NULL;
        machine_start(both[k], steps("direct", "rk4", 1e-3, 0.5));
        machine_must(both[k], tn_session_report(&report, both[k]->session));
        assert_int_equal(report->equations, 15);
        assert_int_equal(report->rank, 10);
        assert_int_equal(report->freedoms, 2);
        tn_report_destroy(both[k]->context, report);
    }
    machine_close(&open);
    machine_close(&component);
    test_components_close();
}

/* ---- a rank that grows ---- */

/* Two slider-cranks, one of them at its dead point: forces on that block move nothing there, and D has rank one. */
#define CRANKS                                                                                                        \
    "  crank_a: { mass: 1, inertia: 0.02, com: [0.15, 0], position: [0, 0], angle: 90 deg }\n"                        \
    "  rod_a: { mass: 1, inertia: 0.05, com: [0.25, 0], position: [0, 0.3], angle: -0.6435011087932844 }\n"           \
    "  block_a: { mass: 1, inertia: 0.1, position: [0.4, 0] }\n"                                                      \
    "  crank_b: { mass: 1, inertia: 0.02, com: [0.15, 0], position: [0, 1], angular_velocity: 2 }\n"                  \
    "  rod_b: { mass: 1, inertia: 0.05, com: [0.25, 0], position: [0.3, 1], velocity: [0, 0.6],\n"                    \
    "           angular_velocity: -1.2 }\n"                                                                           \
    "  block_b: { mass: 1, inertia: 0.1, position: [0.8, 1] }\n"
#define CRANK_JOINTS                                                                                                  \
    "joints:\n"                                                                                                       \
    "  main_a: { type: revolute, between: [ground, crank_a], at: [0, 0] }\n"                                          \
    "  pin_a: { type: revolute, between: [crank_a, rod_a], at: [0, 0.3] }\n"                                          \
    "  end_a: { type: revolute, between: [rod_a, block_a], at: [0.4, 0] }\n"                                          \
    "  way_a: { type: translational, between: [ground, block_a], at: [0.4, 0], axis: x }\n"                           \
    "  main_b: { type: revolute, between: [ground, crank_b], at: [0, 1] }\n"                                          \
    "  pin_b: { type: revolute, between: [crank_b, rod_b], at: [0.3, 1] }\n"                                          \
    "  end_b: { type: revolute, between: [rod_b, block_b], at: [0.8, 1] }\n"                                          \
    "  way_b: { type: translational, between: [ground, block_b], at: [0.8, 1], axis: x }\n"
#define CRANK_HEAD "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
#define BOBS                                                                                                          \
    "  bob_a: { mass: 1, inertia: 0.1, position: [0.5, -0.3] }\n"                                                     \
    "  bob_b: { mass: 1, inertia: 0.1, position: [0.7, 0.6] }\n"

static machine hang_bobs(machine m, const char *block_a, const char *block_b)
{
    add_pin(&m, "hook_a", block_a, "bob_a", 0.4, 0);
    add_pin(&m, "hook_b", block_b, "bob_b", 0.8, 1);
    return m;
}

static machine coupled_cranks(void)
{
    static const char *const names[] = { "a", "b" }, *const targets[] = { "block_a", "block_b" };
    test_component_define(0, machine_text(CRANK_HEAD CRANKS CRANK_JOINTS), names, targets, 2);
    test_type.disclosure = TN_DISCLOSE_CONDENSED;
    machine m = machine_text(CRANK_HEAD BOBS);
    test_component_add(&m, "component", 0);
    return hang_bobs(m, "component.a", "component.b");
}

/* The solver was made for one unknown of the component, and goes on with room for all columns where there are two. */
static void test_rank_that_grows(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        machine open = hang_bobs(machine_text(CRANK_HEAD CRANKS BOBS CRANK_JOINTS), "block_a", "block_b");
        machine component = coupled_cranks();
        const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : 1e-10;
        machine_start(&component, steps(solvers[k], "rk4", 1e-3, 0.4));
        const tn_coupled *inside = &component.session->coupling->items[0];
        const tn_saddle *saddle = component.session->stepper->saddle;
        assert_int_equal(inside->freedoms, 1);
        assert_int_equal(saddle->problem_count, 2);
        assert_true(saddle->used == &saddle->problems[0]);
        machine_must(&component, tn_session_run(component.session));
        assert_int_equal(inside->response.rank, 2);
        assert_true(saddle->used == &saddle->problems[1]);
        machine_run(&open, steps(solvers[k], "rk4", 1e-3, 0.4));
        compare(&open, &component, "bob_a.position.x", tolerance);
        compare(&open, &component, "bob_b.position.x", tolerance);
        compare(&open, &component, "bob_b.angle", tolerance);
        machine_close(&open);
        machine_close(&component);
        test_components_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar_moves_as_the_open_one),
        cmocka_unit_test(test_car_moves_as_the_open_one),
        cmocka_unit_test(test_steam_machine_moves_as_the_open_one),
        cmocka_unit_test(test_adaptive_steps),
        cmocka_unit_test(test_baumgarte),
        cmocka_unit_test(test_ports_that_slide_and_redundancy_through_them),
        cmocka_unit_test(test_ports_that_swing_far),
        cmocka_unit_test(test_rank_that_grows),
        cmocka_unit_test(test_report_counts_what_is_inside),
    };
    int failed = cmocka_run_group_tests_name("condensed", tests, NULL, NULL);
    test_component_level = TN_DISCLOSE_OPEN;
    return failed + cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
