/* Components that only respond (disclosure level 1): forces at their ports are found by conjugate gradients, one
 * response an iteration. The motion is that of the open model, and that of the same component with D disclosed. */
#include "nested_components.h"
#include "session_impl.h"

/* ---- a plate on two pins, which are one equation too many: library, component of a text, open ---- */

static const char BEAM[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "%s"
    "bodies:\n"
    "  beam: { mass: 2, inertia: 0.3, position: [0.5, 0] }\n"
    "%s"
    "joints: { hinge: { type: revolute, between: [ground, beam], at: [0, 0] } }\n";
#define PLATE_BODY "  plate: { mass: 1.5, inertia: 0.05, position: [1, 0],\n" \
                   "           frames: { left: { at: [-0.3, 0] }, right: { at: [0.3, 0] } } }\n"

static machine pinned(machine m, const char *left, const char *right, int pins)
{
    add_pin(&m, "left_pin", "beam", left, 0.7, 0);
    if (pins > 1)
        add_pin(&m, "right_pin", "beam", right, 1.3, 0);
    return m;
}

static machine open_plate(void)
{
    return pinned(machine_format(BEAM, "", PLATE_BODY), "plate", "plate", 2);
}

static machine library_plate(int pins, const char *more)
{
    char use[400];
    snprintf(use, sizeof use, "subsystems:\n  plate: { use: %s, at: [1, 0],\n"
             "           parameters: { mass: 1.5, inertia: 0.05%s } }\n", PLATE, more);
    return pinned(machine_format(BEAM, use, ""), "plate.left", "plate.right", pins);
}

static int (*inner_respond)(void *self, tn_question question, const double *tau, double *answer);
static long responses;

static int count_response(void *self, tn_question question, const double *tau, double *answer)
{
    responses++;
    return inner_respond(self, question, tau, answer);
}

static void disclose(tn_disclosure disclosure)
{
    test_type.disclosure = disclosure;
    inner_respond = test_type.respond;
    test_type.respond = count_response;
    responses = 0;
}

static machine text_plate(int pins, tn_disclosure disclosure)
{
    static const char *const names[] = { "left", "right" }, *const targets[] = { "plate.left", "plate.right" };
    test_component_define(0, machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n" PLATE_BODY
                                    "solve: { integrator: rk4, step: 1 ms }\n"), names, targets, 2);
    disclose(disclosure);
    machine m = machine_format(BEAM, "", "");
    test_component_add(&m, "plate", 0);
    return pinned(m, "plate.left", "plate.right", pins);
}

static void close_boxed(machine *m)
{
    machine_close(m);
    test_components_close();
    test_components[0] = (test_component){ 0 };
}

static tn_solve whole(const char *solver, double step, double until)
{
    tn_solve solve = fixed_steps("rk4", step, until);
    solve.solver = solver;
    return solve;
}

/* In the whole: the solver that iterates asks, the others find D by unit forces. */
static void test_library_moves_as_the_open_plate(void **state)
{
    (void)state;
    static const struct { const char *solver; double tolerance; } ways[] = { { "direct", 1e-11 }, { "uzawa", 1e-8 } };
    for (size_t n = 0; n < 2 * TN_LENGTH(ways); n++) {
        const size_t k = n / 2;
        machine open = open_plate(), component = library_plate(2, n % 2 == 0 ? "" : ", centered: 1");
        machine_run(&open, whole("direct", 1e-3, 0.5));
        tn_summary sum = machine_run(&component, whole(ways[k].solver, 1e-3, 0.5));
        assert_near(value(&open, "beam.angle"), value(&component, "beam.angle"), ways[k].tolerance);
        assert_near(value(&open, "hinge.reaction.force.y"), value(&component, "hinge.reaction.force.y"),
                    1e3 * ways[k].tolerance);
        assert_true(sum.max_drift < 1e-10);
        assert_true(sum.energy_error < 1e-8);
        assert_int_equal(sum.iterations > 0, k == 1);
        machine_close(&open);
        machine_close(&component);
    }
}

/* ---- modular ---- */

static tn_solve modular(double step, double until)
{
    return fixed_steps("modular", step, until);
}

/* One library and one component of a text, of either level, take the same steps of their own. Where a pin is redundant
 * the reactions are not unique, and what they are at the end of a macro step, with bodies turned, depends on which are
 * found: by less than the macro step's own error, 2e-5. */
static void check_macro_steps(int pins, double tolerance)
{
    machine condensed = text_plate(pins, TN_DISCLOSE_CONDENSED);
    tn_summary by_D = machine_run(&condensed, modular(5e-3, 0.5));
    const double angle = value(&condensed, "beam.angle"), speed = value(&condensed, "plate.left.velocity.y");
    close_boxed(&condensed);
    machine text = text_plate(pins, TN_DISCLOSE_RESPONSE), library = library_plate(pins, ", centered: 1");
    machine *const asked[] = { &text, &library };
    assert_int_equal(by_D.iterations, 0);
    for (size_t k = 0; k < TN_LENGTH(asked); k++) {
        tn_summary sum = machine_run(asked[k], modular(5e-3, 0.5));
        assert_near(value(asked[k], "beam.angle"), angle, tolerance);
        assert_near(value(asked[k], "plate.left.velocity.y"), speed, 10 * tolerance);
        assert_true(sum.max_drift < 1e-10);
        assert_true(sum.iterations > 0);
    }
    machine_close(&library);
    close_boxed(&text);
}

static void test_macro_steps_as_with_condensation(void **state)
{
    (void)state;
    check_macro_steps(1, 1e-8);
    check_macro_steps(2, 2e-6);
}

static double angle_after(machine *m, double step)
{
    tn_summary sum = machine_run(m, modular(step, 0.5));
    assert_true(sum.max_drift < 1e-10);
    assert_true(sum.iterations > 0);
    return value(m, "beam.angle");
}

/* With the centres of ports at their origins or at the centre of mass, forces go linearly in time about different points:
 * a difference of second order. */
static void test_macro_steps_about_other_centers(void **state)
{
    (void)state;
    double apart[2];
    for (int k = 0; k < 2; k++) {
        const double step = k == 0 ? 5e-3 : 2.5e-3;
        machine origins = library_plate(1, ""), centers = library_plate(1, ", centered: 1");
        apart[k] = angle_after(&origins, step) - angle_after(&centers, step);
        machine_close(&origins);
        machine_close(&centers);
    }
    assert_true(fabs(apart[0]) < 1e-4);
    assert_near(apart[0] / apart[1], 4, 0.3);
}

/* In space: a bar on two hinges in line at a slider whose port moves along one axis only. */
static double slide(tn_disclosure disclosure, double *turn)
{
    static const char *const names[] = { "top" }, *const targets[] = { "slider" };
    static const tn_pose one = { { 0.1, 0, 0 }, { 1, 0, 0, 0 } }, other = { { 0.1, 0, 0.3 }, { 1, 0, 0, 0 } };
    test_component_define(0, machine_text(
        "tenon: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: { slider: { mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0], velocity: [0.5, 0, 0] } }\n"
        "joints: { rail: { type: prismatic, between: [ground, slider], at: [0, 0, 0], axis: x } }\n"
        "solve: { integrator: rk4, step: 1 ms }\n"), names, targets, 1);
    disclose(disclosure);
    machine m = machine_text("tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                             "  bar: { mass: 1, inertia: [0.05, 0.1, 0.1], com: [0.2, 0, 0], position: [0.1, 0, 0] "
                             "}\n");
    test_component_add(&m, "component", 0);
    add_as_built(&m, "hinge", "revolute", "component.top", "bar", &one);
    add_as_built(&m, "second", "revolute", "component.top", "bar", &other);
    machine_run(&m, modular(5e-3, 0.5));
    double x = value(&m, "bar.position.x");
    *turn = value(&m, "bar.angular_velocity.z");
    close_boxed(&m);
    return x;
}

static void test_redundant_hinges_at_a_port_that_slides(void **state)
{
    (void)state;
    double turn_by_D, turn, by_D = slide(TN_DISCLOSE_CONDENSED, &turn_by_D), asked = slide(TN_DISCLOSE_RESPONSE, &turn);
    assert_near(asked, by_D, 1e-8);
    assert_near(turn, turn_by_D, 1e-7);
}

/* ---- iterations ---- */

/* From zero: as many as K has different eigenvalues at most, which is at most its rank, 5 of 6 rows; one more for
 * round-off. Each is one response; those without forces and at the first residual are two more. */
static void test_iterations_are_bounded_by_the_rank(void **state)
{
    (void)state;
    enum { RANK = 5, SLACK = 1 };
    machine m = text_plate(2, TN_DISCLOSE_RESPONSE);
    tn_solve solve = whole("uzawa", 5e-3, 0.5);
    tn_solve_set(&solve, "warm", 0);
    machine_start(&m, solve);
    tn_stepper *st = m.session->stepper;
    for (int k = 1; k < 20; k++) {
        tn_saddle_info info;
        run_to(&m, 0.02 * k);
        tn_eval_motion(st->eval, st->system, st->t, st->y, st->y + st->system->positions);
        tn_eval_constraints(st->eval, st->system, st->memory, 2, true);
        for (int j = 0; j < st->system->velocities; j++)
            st->delta[j] = sin(j + 1.0 + k);               /* forces of no symmetry */
        machine_must(&m, st->solver->factor(st->saddle, st->eval->M, st->eval->G, TN_RANK_KEEP));
        responses = 0;
        machine_must(&m, st->solver->solve(st->saddle, st->delta, st->eval->bias, st->scratch, NULL));
        st->solver->info(st->saddle, &info);
        assert_true(info.iterations >= 1 && info.iterations <= RANK + SLACK);
        assert_true(responses <= info.iterations + 2);
    }
    close_boxed(&m);
}

static long iterations_of(double warm, double *angle)
{
    machine m = library_plate(1, "");
    tn_solve solve = modular(5e-3, 0.5);
    tn_solve_set(&solve, "warm", warm);
    long iterations = machine_run(&m, solve).iterations;
    *angle = value(&m, "beam.angle");
    machine_close(&m);
    return iterations;
}

static void test_the_last_macro_step_is_the_start(void **state)
{
    (void)state;
    double from_last, from_zero;
    long warm = iterations_of(1, &from_last), cold = iterations_of(0, &from_zero);
    if (!((double)warm < 0.9 * (double)cold))
        fail_msg("%ld iterations from the last multipliers, %ld from zero", warm, cold);
    assert_near(from_last, from_zero, 1e-8);
}

/* ---- what goes wrong ---- */

static void test_indefinite_responses_end_the_run(void **state)
{
    (void)state;
    machine m = library_plate(2, ", indefinite: 1");
    machine_start(&m, modular(5e-3, 0.5));
    assert_true(tn_session_run(m.session) < 0);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message,
                           "component 'plate' at t = 0.1"));
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "indefinite"));
    machine_close(&m);
}

static void test_pins_of_a_plate_are_not_internal(void **state)
{
    (void)state;
    machine m = library_plate(2, "");
    tn_solve solve = modular(5e-3, 0.5);
    tn_solve_set_for(&solve, "internal", "left_pin", 1);
    assert_true(tn_session_open(&m.session, m.model, &solve) < 0);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "only responds cannot be internal"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library_moves_as_the_open_plate),
        cmocka_unit_test(test_macro_steps_as_with_condensation),
        cmocka_unit_test(test_macro_steps_about_other_centers),
        cmocka_unit_test(test_redundant_hinges_at_a_port_that_slides),
        cmocka_unit_test(test_iterations_are_bounded_by_the_rank),
        cmocka_unit_test(test_the_last_macro_step_is_the_start),
        cmocka_unit_test(test_indefinite_responses_end_the_run),
        cmocka_unit_test(test_pins_of_a_plate_are_not_internal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
