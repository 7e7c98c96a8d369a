/* Components in models: a model with a part of it as a black box moves as the open one, with every solver. */
#include "boxes.h"
#include "session_impl.h"

static const double SAME = 1e-12;              /* of numbers of the order of 1 */
static const char *const solvers[] = { "direct", "augmented", "uzawa", "hierarchical" };

typedef struct joint_text {
    const char *name, *type, *one, *two;
    tn_pose world;
} joint_text;

/* A four-bar with hinges in space, or in the plane: crank and coupler are the box. */
static const char fourbar_inside[] =
    "bodies:\n"
    "  crank: { mass: 1, com: [0.2, 0], inertia: INERTIA, position: [0, 0], angle: 90 deg, angular_velocity: SPIN }\n"
    "  coupler: { mass: 2, com: [0.5, 0.1], inertia: INERTIA, position: [0, 0.4],\n"
    "             frames: { tip: { at: [1, 0.4] } } }\n"
    "joints:\n"
    "  a: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
    "  b: { type: revolute, between: [crank, coupler], at: [0, 0.4] }\n";

/* Numbers and axes of that text in space or in the plane. */
static void write_text(char *out, size_t size, const char *text, bool planar)
{
    size_t used = 0;
    for (const char *c = text; *c && used + 40 < size;) {
        if (strncmp(c, "INERTIA", 7) == 0) {
            used += (size_t)snprintf(out + used, size - used, planar ? "0.2" : "[0.1, 0.2, 0.2]");
            c += 7;
        } else if (strncmp(c, "SPIN", 4) == 0) {
            used += (size_t)snprintf(out + used, size - used, planar ? "3" : "[0, 0, 3]");
            c += 4;
        } else if (strncmp(c, "angle: 90 deg", 13) == 0 && !planar) {
            used += (size_t)snprintf(out + used, size - used, "rotation: { axis: z, angle: 90 deg }");
            c += 13;
        } else if (*c == ']' && !planar && c > text && strchr("0123456789", c[-1])) {
            used += (size_t)snprintf(out + used, size - used, ", 0]");
            c++;
        } else {
            out[used++] = *c++;
        }
    }
    out[used] = '\0';
}

static machine fourbar_machine(const char *parts, bool planar)
{
    char head[200], body[3000], text[4000];
    snprintf(head, sizeof head, "tenon: 1\ndimension: %d\ngravity: %s\n", planar ? 2 : 3,
             planar ? "[0, -9.81]" : "[0, -9.81, 0]");
    write_text(body, sizeof body, parts, planar);
    snprintf(text, sizeof text, "%s%s", head, body);
    return machine_text(text);
}

static const char rocker_text[] =
    "bodies:\n"
    "  rocker: { mass: 1.5, com: [0.3, 0], inertia: INERTIA, position: [1, 0], angle: 90 deg }\n"
    "joints:\n"
    "  d: { type: revolute, between: [ground, rocker], at: [1, 0] }\n";

static machine open_fourbar(bool planar)
{
    machine m = fourbar_machine(
        "bodies:\n"
        "  crank: { mass: 1, com: [0.2, 0], inertia: INERTIA, position: [0, 0], angle: 90 deg,\n"
        "           angular_velocity: SPIN }\n"
        "  coupler: { mass: 2, com: [0.5, 0.1], inertia: INERTIA, position: [0, 0.4] }\n"
        "  rocker: { mass: 1.5, com: [0.3, 0], inertia: INERTIA, position: [1, 0], angle: 90 deg }\n"
        "joints:\n"
        "  a: { type: revolute, between: [ground, crank], at: [0, 0] }\n"
        "  b: { type: revolute, between: [crank, coupler], at: [0, 0.4] }\n"
        "  d: { type: revolute, between: [ground, rocker], at: [1, 0] }\n", planar);
    add_pin(&m, "c", "coupler", "rocker", 1, 0.8);
    return m;
}

static machine boxed_fourbar(bool planar)
{
    static const char *const names[] = { "tip" }, *const targets[] = { "coupler.tip" };
    test_box_define(0, fourbar_machine(fourbar_inside, planar), names, targets, 1);
    machine m = fourbar_machine(rocker_text, planar);
    test_box_add(&m, "left", 0);
    add_pin(&m, "c", "left.tip", "rocker", 1, 0.8);
    return m;
}

static tn_solve steps(const char *solver, const char *integrator, double step, double until)
{
    tn_solve solve = fixed_steps(integrator, step, until);
    solve.solver = solver;
    return solve;
}

static void compare(const machine *open, const machine *box, const char *channel, double tolerance)
{
    double a = value(open, channel), b = value(box, channel);
    if (fabs(a - b) > tolerance * fmax(1, fabs(a)))
        print_error("%s: %.17g open, %.17g boxed\n", channel, a, b);
    assert_near(a, b, tolerance * fmax(1, fabs(a)));
}

static void test_four_bar_moves_as_the_open_one(void **state)
{
    (void)state;
    for (int planar = 1; planar >= 0; planar--)
        for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
            machine open = open_fourbar(planar), box = boxed_fourbar(planar);
            const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : SAME;
            tn_summary a = machine_run(&open, steps(solvers[k], "rk4", planar ? 2e-3 : 1e-4, planar ? 0.4 : 0.1));
            tn_summary b = machine_run(&box, steps(solvers[k], "rk4", planar ? 2e-3 : 1e-4, planar ? 0.4 : 0.1));
            compare(&open, &box, "rocker.position.x", tolerance);
            compare(&open, &box, planar ? "rocker.angle" : "rocker.angular_velocity.z", tolerance);
            compare(&open, &box, "d.reaction.force.x", 1e3 * tolerance);
            assert_int_equal(a.rank_max, b.rank_max);
            assert_int_equal(a.rank_min, b.rank_min);
            assert_true(b.max_drift < 1e-12);
            assert_true(b.energy_error < 1e-9);
            machine_close(&open);
            machine_close(&box);
            test_boxes_close();
        }
}

/* ---- the examples, with a subsystem as a component ---- */

static machine example(const char *folder, const char *text)
{
    char path[400];
    machine m = { .context = tn_context_create(NULL) };
    snprintf(path, sizeof path, TENON_SOURCE_DIR "/examples/%s", folder);
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "model.yaml", path));
    return m;
}

/* A model without some of its lines: those that begin with one of the words. */
static void read_without(char *out, size_t size, const char *path, const char *const *words, size_t count)
{
    char line[400];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t used = 0; fgets(line, sizeof line, file);) {
        bool leave = false;
        for (size_t k = 0; k < count; k++)
            leave |= strncmp(line + strspn(line, " -"), words[k], strlen(words[k])) == 0;
        if (!leave)
            used += (size_t)snprintf(out + used, size - used, "%s", line);
        assert_true(used < size);
    }
    fclose(file);
}

static void join(machine *m, const char *name, const char *type, const char *frame, const char *port)
{
    tn_joint_def def = tn_joint_default(type);
    const tn_frame *at = &m->model->frames[named(m, frame).index];
    def.body1 = (tn_id){ at->body, m->model->bodies[at->body].entity.generation, TN_KIND_BODY, m->model->owner };
    def.frame1 = at->pose;
    def.body2 = named(m, port);
    def.frame2 = tn_pose_identity();
    machine_must(m, tn_model_add_joint(NULL, m->model, name, &def));
}

static machine car_with_box(void)
{
    static const char *const left_out[] = { "front_left", "ball_fl", "top_fl: { type", "reference", "expect",
                                            "drift: 1e" };
    static const char *const names[] = { "ball", "top_arm" };
    static const char *const targets[] = { "front_left.ball", "front_left.top_arm" };
    static char text[8000];
    read_without(text, sizeof text, TENON_SOURCE_DIR "/examples/car/car.yaml", left_out, TN_LENGTH(left_out));
    machine m = example("car", text);
    test_box_define(0, example("car", "tenon: 1\ngravity: [0, 0, -9.81]\n"
                                      "subsystems: { front_left: { use: suspension.yaml, at: [1.25 m, 0, 0] } }\n"),
                    names, targets, 2);
    test_box_add(&m, "front_left", 0);
    join(&m, "ball_fl", "spherical", "arm_fl.ball", "front_left.ball");
    join(&m, "top_fl", "universal", "chassis.top_fl", "front_left.top_arm");
    return m;
}

static machine steam_with_box(void)
{
    static const char *const left_out[] = { "left", "pin_1", "strap_1", "reference", "expect", "drift: 1e", "file:",
                                            "tolerance:", "channels:", "z:", "vz:", "az:" };
    static const char *const names[] = { "big_end", "strap" };
    static const char *const targets[] = { "left.big_end", "left.strap" };
    static char text[8000];
    read_without(text, sizeof text, TENON_SOURCE_DIR "/examples/steam-machine/steam-machine.yaml", left_out,
                 TN_LENGTH(left_out));
    machine m = example("steam-machine", text);
    test_box_define(0, example("steam-machine", "tenon: 1\ngravity: [0, 0, -9.81]\n"
                               "subsystems: { left: { use: unit.yaml, at: [-200 mm, 0, 0] } }\n"), names, targets, 2);
    test_box_add(&m, "left", 0);
    join(&m, "pin_1", "revolute", "shaft.crank_1", "left.big_end");
    join(&m, "strap_1", "revolute", "shaft.eccentric_1", "left.strap");
    return m;
}

/* How far a solver's own solutions may be off. */
static double tolerance_of(const char *solver)
{
    return strcmp(solver, "uzawa") == 0 ? 1e-7 : strcmp(solver, "augmented") == 0 ? 1e-9 : SAME;
}

static void test_car_moves_as_the_open_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        machine open = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml"), box = car_with_box();
        const double tolerance = tolerance_of(solvers[k]);
        tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 4e-3, 2.6));
        tn_summary b = machine_run(&box, steps(solvers[k], "rk4", 4e-3, 2.6));
        compare(&open, &box, "chassis.position.z", tolerance);
        compare(&open, &box, "chassis.orientation.x", tolerance);
        compare(&open, &box, "rear_left.hub.wheel.velocity.z", tolerance);
        compare(&open, &box, "arm_chassis_fl.reaction.force.z", 1e4 * tolerance);
        assert_int_equal(a.rank_min, b.rank_min);
        assert_int_equal(a.rank_max, b.rank_max);
        assert_true(b.max_drift < 1e-12);
        assert_true(b.energy_error < 2 * a.energy_error + 1e-9 * fabs(b.energy_start));
        machine_close(&open);
        machine_close(&box);
        test_boxes_close();
    }
}

static void test_steam_machine_moves_as_the_open_one(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
        machine open = machine_read(TENON_SOURCE_DIR "/examples/steam-machine/steam-machine.yaml");
        machine box = steam_with_box();
        const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : SAME;
        tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 5e-3, 1));
        tn_summary b = machine_run(&box, steps(solvers[k], "rk4", 5e-3, 1));
        compare(&open, &box, "middle.power.piston.position.z", tolerance);
        compare(&open, &box, "middle.power.piston.velocity.z", tolerance);
        compare(&open, &box, "steam.torque", 1e2 * tolerance);
        assert_int_equal(a.rank_min, b.rank_min);
        assert_int_equal(a.rank_max, b.rank_max);
        assert_true(b.max_drift < 1e-12);
        assert_true(b.energy_error < 1e-9);
        machine_close(&open);
        machine_close(&box);
        test_boxes_close();
    }
}

/* Without fixed steps the two agree as far as the tolerance goes. */
static void test_adaptive_steps(void **state)
{
    (void)state;
    machine open = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml"), box = car_with_box();
    tn_solve solve = accurate(2.8);
    solve.integrator = "dopri5";
    solve.tolerance = solve.absolute_tolerance = 1e-11;
    machine_run(&open, solve);
    machine_run(&box, solve);
    compare(&open, &box, "chassis.position.z", 1e-9);
    compare(&open, &box, "rear_left.hub.wheel.velocity.z", 1e-8);
    machine_close(&open);
    machine_close(&box);
    test_boxes_close();
}

/* Without projection the joints inside stay closed, too: by the component itself. */
static void test_baumgarte(void **state)
{
    (void)state;
    machine open = open_fourbar(true), box = boxed_fourbar(true);
    tn_solve solve = steps("direct", "rk4", 1e-3, 0.4);
    solve.scheme = "baumgarte";
    machine_run(&open, solve);
    machine_run(&box, solve);
    compare(&open, &box, "rocker.angle", 1e-7);
    machine_close(&open);
    machine_close(&box);
    test_boxes_close();
}

/* ---- ports that do not move freely ---- */

#define SLIDER_HEAD "tenon: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
#define SLIDER "  slider: { mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0], velocity: [0.5, 0, 0] }\n"
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

static machine boxed_slider(bool nested, tn_disclosure disclosure)
{
    static const char *const names[] = { "top" }, *const targets[] = { "slider" };
    const tn_subsystem_def def = tn_subsystem_default();
    test_box_define(0, machine_text(SLIDER_HEAD SLIDER "joints:\n" RAIL), names, targets, 1);
    test_type.disclosure = disclosure;
    machine m = machine_text(SLIDER_HEAD BAR);
    if (nested)
        machine_must(&m, tn_model_add_subsystem(NULL, m.model, "frame", &def));
    test_box_add(&m, nested ? "frame.box" : "box", 0);
    hang_bar(&m, nested ? "frame.box.top" : "box.top");
    return m;
}

static void test_ports_that_slide_and_redundancy_through_them(void **state)
{
    (void)state;
    for (int variant = 0; variant < 3; variant++)
        for (size_t k = 0; k < TN_LENGTH(solvers); k++) {
            machine open = machine_text(SLIDER_HEAD SLIDER BAR "joints:\n" RAIL);
            machine box = boxed_slider(variant == 1, variant == 2 ? TN_DISCLOSE_RESPONSE : test_box_level);
            const double tolerance = strcmp(solvers[k], "uzawa") == 0 ? 1e-7 : 1e-11;
            hang_bar(&open, "slider");
            tn_summary a = machine_run(&open, steps(solvers[k], "rk4", 1e-3, 0.5));
            tn_summary b = machine_run(&box, steps(solvers[k], "rk4", 1e-3, 0.5));
            compare(&open, &box, "bar.position.x", tolerance);
            compare(&open, &box, "bar.angular_velocity.z", tolerance);
            assert_int_equal(a.rank_max, b.rank_max);
            assert_true(b.energy_error < 1e-9);
            machine_close(&open);
            machine_close(&box);
            test_boxes_close();
        }
}

static void test_report_counts_what_is_inside(void **state)
{
    (void)state;
    machine open = machine_text(SLIDER_HEAD SLIDER BAR "joints:\n" RAIL);
    machine box = boxed_slider(false, TN_DISCLOSE_CONDENSED);
    hang_bar(&open, "slider");
    machine *both[] = { &open, &box };
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
    machine_close(&box);
    test_boxes_close();
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
        cmocka_unit_test(test_report_counts_what_is_inside),
    };
    int failed = cmocka_run_group_tests_name("condensed", tests, NULL, NULL);
    test_box_level = TN_DISCLOSE_OPEN;
    return failed + cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
