/* Compiled subsystems with limits, ratchets and friction by reaction inside: they move as the open ones, through impacts and
 * rest, at every level of disclosure and in a process of their own; runs are saved and continued to the bit. */
#define _XOPEN_SOURCE 700
#include "component_examples.h"
#include "tenon/compile.h"
#include "tenon/history.h"
#include "tenon/session.h"
#include <unistd.h>

/* Round-off between two ways to solve the same equations; impacts pass on what instants differ by. */
static const double SAME = 1e-12, SAME_AFTER_IMPACTS = 1e-8;

static char folder[] = "/tmp/tenon-limits-XXXXXX", part[64], library[64], saved[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    snprintf(library, sizeof library, "%s/part.so", folder);
    snprintf(saved, sizeof saved, "%s/run", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove(part);
    remove(library);
    remove(saved);
    return rmdir(folder);
}

static void write_part(const char *text, tn_disclosure level)
{
    static const char *const open[] = { "low" };
    FILE *file = fopen(part, "w");
    machine m = { .context = tn_context_create(NULL) };
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    const tn_compile_options options = { .shell = TENON_SHELL, .disclose = level, .open = open,
                                         .open_count = strstr(text, "low:") ? 1 : 0 };
    machine_must(&m, tn_compile(m.context, part, library, &options));
    tn_context_destroy(m.context);
}

/* An arm of two bars between a hinge and a load, as file or library. */
static machine arm(const char *file, const char *more)
{
    return machine_format("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                          "subsystems:\n  arm: { use: %s, at: [0.2, 0.1], angle: 0.3%s }\n"
                          "bodies:\n  w: { mass: 0.5, inertia: 0.02, position: [2.2, 0.7] }\n"
                          "joints:\n  pin: { type: revolute, between: [ground, arm.root], at: [0.2, 0.1] }\n"
                          "  tip: { type: revolute, between: [arm.tip, w], at: [2.1, 0.69] }\n", file, more);
}

#define ARM(elbow) "tenon: 1\ndimension: 2\nparameters: { low: -0.4 }\n" \
    "bodies:\n  upper: { mass: 1, inertia: 0.1, position: [0.5, 0] }\n" \
    "  lower: { mass: 1.5, inertia: 0.2, position: [1.5, 0] }\n" \
    "joints:\n  elbow: { type: revolute, between: [upper, lower], at: [1, 0]" elbow " }\n" \
    "ports: { root: upper, tip: lower }\n"
#define RUB "forces:\n  rub: { type: friction, joint: elbow, coefficient: 0.3, static_coefficient: 0.4, radius: 0.05 }\n"
#define STOPS ", limits: { angle: [low, 0.3], restitution: 0.6 }"

static size_t compare_arms(machine *open, machine *closed, tn_solve solve, double tolerance)
{
    machine_run(open, solve);
    machine_run(closed, solve);
    size_t count = tn_session_impact_count(open->session);
    assert_int_equal(count, tn_session_impact_count(closed->session));
    for (size_t k = 0; k < count; k++) {
        tn_impact a = tn_session_impact(open->session, k), b = tn_session_impact(closed->session, k);
        assert_near(a.time, b.time, tolerance);
        assert_near(a.impulse, b.impulse, tolerance);
        assert_near(a.loss, b.loss, tolerance);
    }
    static const char *const channels[] = { "pin.angle", "tip.angle", "w.position.x", "pin.reaction.force.y" };
    for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++)
        compare(open, closed, channels[k], tolerance);
    machine_close(open);
    machine_close(closed);
    return count;
}

static const tn_disclosure levels[] = { TN_DISCLOSE_RESPONSE, TN_DISCLOSE_CONDENSED, TN_DISCLOSE_OPEN };
static const char *const solvers[] = { "direct", "hierarchical" };

static void test_friction_by_reaction(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        write_part(ARM("") RUB, levels[k]);
        for (size_t s = 0; s < 2; s++) {
            machine open = arm(part, ""), closed = arm(library, "");
            compare_arms(&open, &closed, steps(solvers[s], "rk4", 2e-3, 1), SAME);
        }
    }
}

/* A joint whose friction holds more than the reaction that it depends on cannot settle: a message, without names. */
static void test_locked_friction(void **state)
{
    (void)state;
    write_part(ARM("") "forces:\n  rub: { type: friction, joint: elbow, coefficient: 90, radius: 0.5 }\n", TN_DISCLOSE_CONDENSED);
    machine m = arm(library, "");
    machine_start(&m, steps("direct", "rk4", 1e-3, 1));
    assert_true(tn_session_run(m.session) < 0);
    const char *message = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    if (!strstr(message, "component 'arm'") || strstr(message, "rub") || strstr(message, "elbow"))
        fail_msg("%s", message);
    machine_close(&m);
}

static void test_stops(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        write_part(ARM(STOPS) RUB, levels[k]);
        for (size_t s = 0; s < 2; s++) {
            machine open = arm(part, ", parameters: { low: -0.1 }"), closed = arm(library, ", parameters: { low: -0.1 }");
            assert_true(compare_arms(&open, &closed, steps(solvers[s], "rk4", 2e-3, 1.7), SAME_AFTER_IMPACTS) >= 2);
        }
    }
}

static void test_stops_in_own_process(void **state)
{
    (void)state;
    write_part(ARM(STOPS) RUB, TN_DISCLOSE_OPEN);
    machine open = arm(part, ""), closed = arm(library, ", isolate: yes");
    assert_true(compare_arms(&open, &closed, steps("direct", "rk4", 2e-3, 0.4), SAME_AFTER_IMPACTS) >= 1);
}

/* Turned by several turns at the start, with a ratchet: both are counted as inside. */
static void test_turns_and_ratchet(void **state)
{
    (void)state;
    static const char *const elbows[] = {
        ARM(", limits: { angle: [712 deg, 735 deg], restitution: 0.5 }") "initial: { elbow: { angle: 720 deg } }\n",
        ARM(", ratchet: { way: down, pitch: 7 deg }") "initial: { elbow: { angle: 720 deg } }\n",
        ARM(", limits: { angle: [-0.2, 0.2] }"),
    };
    for (size_t k = 0; k < sizeof elbows / sizeof elbows[0]; k++) {
        write_part(elbows[k], TN_DISCLOSE_CONDENSED);
        machine open = arm(part, ""), closed = arm(library, "");
        assert_true(compare_arms(&open, &closed, steps("direct", "rk4", 1e-3, 0.7), SAME_AFTER_IMPACTS) >= 1);
    }
}

/* A slide on ground, a joint type of the file with a parameter, and a body that no port is on; in space and turned. */
static void test_stops_in_space(void **state)
{
    (void)state;
    write_part("tenon: 1\n"
               "joint_types:\n  curved: { parameters: { bow: length }, equations: [\"d . y1 - (d . x1)^2 / (4 * bow)\", \"d . z1\",\n"
               "            x1 . z2, y1 . z2], coordinates: { way: bow * atan(d . x1 / bow) } }\n"
               "bodies:\n  cart: { mass: 1, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0] }\n"
               "  wheel: { mass: 0.5, inertia: [0.05, 0.06, 0.07], position: [0.3, 0, 0] }\n"
               "  ball: { mass: 0.5, inertia: [0.05, 0.06, 0.07], position: [0, 2, 0] }\n"
               "joints:\n  rail: { type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [0, 0.3, 1],\n"
               "          limits: { position: [-0.3, 0.25], restitution: 0.4 } }\n"
               "  hub: { type: revolute, between: [cart, wheel], at: [0.1, 0, 0], axis: [0, 1, 0.2],\n"
               "         limits: { angle: [-100 deg, 60 deg], restitution: 0.5 } }\n"
               "  run: { type: curved, between: [ground, ball], at: [0, 2, 0], bow: 0.7 m,\n"
               "         limits: { way: [-0.2, 0.2], restitution: 0.9 } }\n"
               "forces:\n  rub: { type: friction, joint: rail, coefficient: 0.2 }\n"
               "initial: { run: { way_rate: 1.5 } }\nports: { root: wheel, tip: cart }\n", TN_DISCLOSE_OPEN);
    static const char model[] = "tenon: 1\ngravity: [1, -2, -9.81]\n"
        "subsystems:\n  arm: { use: %s, at: [0.2, 0.1, 0.4], rotation: { axis: [1, 1, 0], angle: 0.4 } }\n"
        "bodies:\n  w: { mass: 0.4, inertia: [0.02, 0.02, 0.02], position: [0.8, 0.3, 0.4] }\n"
        "joints:\n  pin: { type: spherical, between: [arm.root, w], at: [0.6, 0.2, 0.4] }\n";
    machine open = machine_format(model, part), closed = machine_format(model, library);
    const tn_solve solve = steps("direct", "rk4", 1e-3, 0.6);
    machine_run(&open, solve);
    machine_run(&closed, solve);
    assert_true(tn_session_impact_count(open.session) >= 3);
    assert_int_equal(tn_session_impact_count(open.session), tn_session_impact_count(closed.session));
    static const char *const channels[] = { "w.position.x", "w.position.y", "w.position.z", "pin.reaction.force.z" };
    for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++)
        compare(&open, &closed, channels[k], SAME_AFTER_IMPACTS);
    machine_close(&open);
    machine_close(&closed);
}

/* Saved while the stop is closed; the text can be written and read; the limit goes with its component. */
static void test_saved_and_edited(void **state)
{
    (void)state;
    write_part(ARM(", limits: { angle: [low, 0.3] }") RUB, TN_DISCLOSE_CONDENSED);
    machine m = arm(library, "");
    machine_start(&m, steps("direct", "rk4", 1e-3, 2));
    run_to(&m, 0.35);
    assert_true(value(&m, "arm.limit1.angle.limit") != 0);
    machine_must(&m, tn_session_save(m.session, saved));
    run_to(&m, 0.6);
    tn_session *again = NULL;
    machine_must(&m, tn_session_load(&again, m.context, saved));
    machine_must(&m, tn_session_advance(again, 0.25));
    assert_int_equal(tn_session_hash(again), tn_session_hash(m.session));
    tn_session_close(again);

    char *text = NULL;
    machine_must(&m, tn_session_text(&text, m.session));
    assert_non_null(strstr(text, "part.so"));
    assert_null(strstr(text, "limit1"));
    tn_ack ack;
    assert_true(tn_session_apply(&ack, m.session, "{ remove: [arm.limit1] }") < 0);
    assert_true(tn_session_apply(&ack, m.session, "{ disable: [arm.stop1] }") < 0);
    tn_text_free(m.context, text);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_by_reaction), cmocka_unit_test(test_locked_friction), cmocka_unit_test(test_stops),
        cmocka_unit_test(test_stops_in_own_process), cmocka_unit_test(test_turns_and_ratchet),
        cmocka_unit_test(test_stops_in_space), cmocka_unit_test(test_saved_and_edited),
    };
    return cmocka_run_group_tests_name("compiled limits", tests, make_folder, remove_folder);
}
