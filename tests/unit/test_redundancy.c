/* Which joints depend on each other and which reactions are unique: known mechanisms, any order of joints. */
#include "mechanisms.h"
#include "tenon/sys/joint.h"

#define EXAMPLE(name) TENON_SOURCE_DIR "/examples/" name

static tn_report *report_of(machine *m)
{
    tn_report *report = NULL;
    machine_start(m, accurate(1));
    machine_must(m, tn_session_report(&report, m->session));
    return report;
}

static void done(machine *m, tn_report *report)
{
    tn_report_destroy(m->context, report);
    machine_close(m);
}

static const tn_reaction_uniqueness *reaction(const machine *m, const tn_report *report, const char *joint)
{
    tn_id id = named(m, joint);
    for (size_t k = 0; k < report->reaction_count; k++)
        if (report->reactions[k].joint.index == id.index)
            return &report->reactions[k];
    fail_msg("no reaction of '%s'", joint);
    return NULL;
}

/* unique: six letters for x y z of force and torque, '+' unique, '-' not. */
static void check_reaction(const machine *m, const tn_report *report, const char *joint, const char *unique)
{
    const tn_reaction_uniqueness *r = reaction(m, report, joint);
    char found[7] = "";
    for (int k = 0; k < 3; k++) {
        found[k] = r->force[k] ? '+' : '-';
        found[3 + k] = r->torque[k] ? '+' : '-';
    }
    assert_string_equal(found, unique);
}

static bool in_group(const tn_report *report, size_t group, tn_id joint)
{
    for (size_t k = 0; k < report->groups[group].joint_count; k++)
        if (report->groups[group].joints[k].index == joint.index)
            return true;
    return false;
}

static void check_counts(const tn_report *report, int equations, int rank, size_t groups)
{
    assert_int_equal(report->equations, equations);
    assert_int_equal(report->rank, rank);
    assert_int_equal(report->freedoms, report->coordinates - rank);
    assert_int_equal(report->gruebler, report->coordinates - equations);
    assert_int_equal(report->group_count, groups);
    int excess = 0;
    for (size_t k = 0; k < groups; k++)
        excess += report->groups[k].excess;
    assert_int_equal(excess, equations - rank);
}

/* ---- known mechanisms ---- */

static void test_door(void **state)
{
    (void)state;
    machine m = machine_read(EXAMPLE("door.yaml"));
    tn_report *report = report_of(&m);
    check_counts(report, 10, 5, 1);
    assert_int_equal(report->freedoms, 1);
    assert_int_equal(report->gruebler, -4);
    assert_int_equal(report->groups[0].joint_count, 2);
    check_reaction(&m, report, "lower_hinge", "-----+");
    check_reaction(&m, report, "upper_hinge", "-----+");
    done(&m, report);
}

static machine door_on(const char *lower, const char *upper)
{
    machine m = machine_new(3);
    tn_pose low = tn_pose_identity(), high = tn_pose_identity();
    high.p[2] = 1.5;
    add_bar(&m, "leaf", 0, 0, 0, 0.8, 20);
    add_as_built(&m, "lower", lower, "ground", "leaf", &low);
    add_as_built(&m, "upper", upper, "ground", "leaf", &high);
    return m;
}

/* Two balls share the load along the axis in any way; all else is determined. */
static void test_door_on_balls(void **state)
{
    (void)state;
    machine m = door_on("spherical", "spherical");
    tn_report *report = report_of(&m);
    check_counts(report, 6, 5, 1);
    check_reaction(&m, report, "lower", "++-+++");
    check_reaction(&m, report, "upper", "++-+++");
    done(&m, report);
}

/* Balls whose equations are multiplied by numbers: the report does not depend on the units of equations. */
static void test_door_in_other_units(void **state)
{
    (void)state;
    const tn_joint_type small = { .name = "small-ball", .planar_axis = TN_AXIS_NONE, .spatial_axis = TN_AXIS_Z,
                                  .spatial.equations = { "1e-7 * (d . x1)", "d . y1", "1e-7 * (d . z1)" } };
    const tn_joint_type large = { .name = "large-ball", .planar_axis = TN_AXIS_NONE, .spatial_axis = TN_AXIS_Z,
                                  .spatial.equations = { "1e7 * (d . x1)", "1e7 * (d . y1)", "d . z1" } };
    machine m = machine_new(3);
    tn_pose low = tn_pose_identity(), high = tn_pose_identity();
    high.p[2] = 1.5;
    add_bar(&m, "leaf", 0, 0, 0, 0.8, 20);
    machine_must(&m, tn_model_add_joint_type(m.model, &small));
    machine_must(&m, tn_model_add_joint_type(m.model, &large));
    add_as_built(&m, "lower", "small-ball", "ground", "leaf", &low);
    add_as_built(&m, "upper", "large-ball", "ground", "leaf", &high);
    tn_report *report = report_of(&m);
    check_counts(report, 6, 5, 1);
    check_reaction(&m, report, "lower", "++-+++");
    check_reaction(&m, report, "upper", "++-+++");
    done(&m, report);
}

/* A ball and a bead on the axis: as a door should be hung. */
static void test_door_without_excess(void **state)
{
    (void)state;
    machine m = door_on("spherical", "point-on-line");
    tn_report *report = report_of(&m);
    check_counts(report, 5, 5, 0);
    check_reaction(&m, report, "lower", "++++++");
    check_reaction(&m, report, "upper", "++++++");
    done(&m, report);
}

static void test_bricard(void **state)
{
    (void)state;
    machine m = machine_read(EXAMPLE("bricard.yaml"));
    tn_report *report = report_of(&m);
    check_counts(report, 30, 29, 1);
    assert_int_equal(report->groups[0].joint_count, 6);
    assert_int_equal(report->freedoms, 1);
    assert_true(report->smallest_kept > 1e-3);
    assert_true(report->largest_dropped < 1e-9);
    done(&m, report);
}

/* Forces in the plane are determined; across it, and torques about axes in it, they are not. */
static void test_four_bar(void **state)
{
    (void)state;
    machine m = four_bar(3);
    tn_report *report = report_of(&m);
    check_counts(report, 20, 17, 1);
    assert_int_equal(report->groups[0].joint_count, 4);
    for (int k = 0; k < 4; k++)
        check_reaction(&m, report, (const char[]){ "ABCD"[k], '\0' }, "++---+");
    done(&m, report);
}

static void test_tree(void **state)
{
    (void)state;
    machine m = double_pendulum(3);
    tn_report *report = report_of(&m);
    check_counts(report, 10, 10, 0);
    check_reaction(&m, report, "shoulder", "++++++");
    check_reaction(&m, report, "elbow", "++++++");
    done(&m, report);
}

static void test_planar_four_bar(void **state)
{
    (void)state;
    machine m = four_bar(2);
    tn_report *report = report_of(&m);
    check_counts(report, 8, 8, 0);
    done(&m, report);
}

/* ---- separate parts ---- */

static void add_door(machine *m, const char *leaf, const char *lower, const char *upper, double x)
{
    tn_pose low = tn_pose_planar(x, 0, 0), high = low;
    high.p[2] = 1.5;
    add_bar(m, leaf, x, 0, 0, 0.8, 20);
    add_as_built(m, lower, "revolute", "ground", leaf, &low);
    add_as_built(m, upper, "revolute", "ground", leaf, &high);
}

static void test_two_doors(void **state)
{
    (void)state;
    machine m = machine_new(3);
    add_door(&m, "left", "left_low", "left_high", 0);
    add_door(&m, "right", "right_low", "right_high", 2);
    tn_report *report = report_of(&m);
    check_counts(report, 20, 10, 2);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(report->groups[k].joint_count, 2);
        assert_int_equal(report->groups[k].excess, 5);
        assert_int_equal(in_group(report, k, named(&m, "left_low")), in_group(report, k, named(&m, "left_high")));
        assert_int_equal(in_group(report, k, named(&m, "right_low")), in_group(report, k, named(&m, "right_high")));
    }
    done(&m, report);
}

/* A second door hung on the leaf of the first is a group of its own, too. */
static void test_door_on_door(void **state)
{
    (void)state;
    machine m = machine_new(3);
    add_door(&m, "first", "low", "high", 0);
    add_bar(&m, "second", 0.8, 0, 0, 0.5, 5);
    for (int k = 0; k < 2; k++) {
        tn_pose at = tn_pose_planar(0.8, 0, 0);
        at.p[2] = k;
        add_as_built(&m, k ? "flap_high" : "flap_low", "revolute", "first", "second", &at);
    }
    tn_report *report = report_of(&m);
    check_counts(report, 20, 10, 2);
    done(&m, report);
}

/* What hangs on a redundant loop keeps unique reactions. */
static void test_pendulum_on_loop(void **state)
{
    (void)state;
    machine m = four_bar(3);
    add_bar(&m, "bob", 0, 0.4, -1, 0.3, 1);
    add_pin(&m, "hook", "coupler", "bob", 0, 0.4);
    tn_report *report = report_of(&m);
    check_counts(report, 25, 22, 1);
    assert_int_equal(report->groups[0].joint_count, 4);
    assert_false(in_group(report, 0, named(&m, "hook")));
    check_reaction(&m, report, "hook", "++++++");
    done(&m, report);
}

/* ---- a beam on supports ---- */

static machine beam(int supports, const char *first)
{
    static const char *const names[] = { "s0", "s1", "s2" };
    machine m = machine_new(2);
    add_bar(&m, "beam", 0, 0, 0, 2, 10);
    for (int k = 0; k < supports; k++) {
        tn_pose at = tn_pose_planar(k, 0, 0);
        add_as_built(&m, names[k], k == 0 ? first : "pin-in-slot", "ground", "beam", &at);
    }
    return m;
}

static void test_beam(void **state)
{
    (void)state;
    machine two = beam(2, "revolute"), three = beam(3, "revolute"), rollers = beam(3, "pin-in-slot");
    tn_report *report = report_of(&two);
    check_counts(report, 3, 3, 0);
    done(&two, report);
    report = report_of(&three);
    check_counts(report, 4, 3, 1);
    check_reaction(&three, report, "s0", "+-++++");
    check_reaction(&three, report, "s2", "+-++++");
    done(&three, report);
    report = report_of(&rollers);
    check_counts(report, 3, 2, 1);
    assert_int_equal(report->groups[0].joint_count, 3);
    done(&rollers, report);
}

/* ---- order ---- */

enum { PINS = 9 };

/* A spatial four-bar, a pendulum on it, and a door, with the joints added in any order. */
static machine shuffled(const int order[PINS])
{
    static const struct { const char *name, *one, *two; double x, y, z; } pins[PINS] = {
        { "A", "ground", "crank", 0, 0, 0 },      { "B", "crank", "coupler", 0, 1, 0 },
        { "C", "coupler", "rocker", 2, 1, 0 },    { "D", "ground", "rocker", 2, 0, 0 },
        { "hook", "coupler", "bob", 1, 1, 0 },    { "low", "ground", "leaf", 5, 0, 0 },
        { "high", "ground", "leaf", 5, 0, 1 },    { "knob", "leaf", "handle", 6, 0, 0 },
        { "latch", "handle", "tongue", 6, 1, 0 },
    };
    machine m = machine_new(3);
    double upright = 2 * atan(1);
    add_bar(&m, "crank", 0, 0, upright, 1, 1);
    add_bar(&m, "coupler", 0, 1, 0, 2, 1);
    add_bar(&m, "rocker", 2, 0, upright, 1, 1);
    add_bar(&m, "bob", 1, 1, -1, 0.5, 1);
    add_bar(&m, "leaf", 5, 0, 0, 1, 1);
    add_bar(&m, "handle", 6, 0, 1, 0.2, 1);
    add_bar(&m, "tongue", 6, 1, 1, 0.2, 1);
    for (int k = 0; k < PINS; k++) {
        tn_pose at = tn_pose_planar(pins[order[k]].x, pins[order[k]].y, 0);
        at.p[2] = pins[order[k]].z;
        add_as_built(&m, pins[order[k]].name, "revolute", pins[order[k]].one, pins[order[k]].two, &at);
    }
    return m;
}

static void test_any_order(void **state)
{
    (void)state;
    static const char *const loop[] = { "A", "B", "C", "D" }, *const door[] = { "low", "high" };
    static const char *const free[] = { "hook", "knob", "latch" };
    static const int steps[] = { 1, 2, 4, 5, 7, 8 };   /* all prime to PINS */
    for (int k = 0; k < 6; k++) {
        int order[PINS];
        for (int n = 0; n < PINS; n++)
            order[n] = (n * steps[k] + k) % PINS;
        machine m = shuffled(order);
        tn_report *report = report_of(&m);
        check_counts(report, 45, 37, 2);
        size_t of_loop = in_group(report, 0, named(&m, "A")) ? 0 : 1;
        for (int n = 0; n < 4; n++)
            assert_true(in_group(report, of_loop, named(&m, loop[n])));
        for (int n = 0; n < 2; n++)
            assert_true(in_group(report, 1 - of_loop, named(&m, door[n])));
        assert_int_equal(report->groups[of_loop].excess, 3);
        assert_int_equal(report->groups[of_loop].joint_count, 4);
        assert_int_equal(report->groups[1 - of_loop].joint_count, 2);
        for (int n = 0; n < 3; n++)
            check_reaction(&m, report, free[n], "++++++");
        check_reaction(&m, report, "A", "++---+");
        check_reaction(&m, report, "high", "-----+");
        done(&m, report);
    }
}

/* Counts the bytes that are asked for. */
static void *count_bytes(void *user, void *pointer, size_t size)
{
    *(size_t *)user += size;
    if (size > 0)
        return realloc(pointer, size);
    free(pointer);
    return NULL;
}

/* A door with two hinges, and beside it a chain of many links. */
static char *door_and_chain(int links)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fprintf(out, "tenon: 1\ndimension: 3\nbodies:\n  leaf: { mass: 1, inertia: [1, 1, 1] }\n");
    for (int k = 0; k < links; k++)
        fprintf(out, "  link%d: { mass: 1, inertia: [1, 1, 1], position: [%d, 9, 0] }\n", k, k);
    fprintf(out, "joints:\n  low: { type: revolute, between: [ground, leaf], at: [0, 0, 0], axis: [0, 0, 1] }\n"
                 "  high: { type: revolute, between: [ground, leaf], at: [0, 0, 1], axis: [0, 0, 1] }\n"
                 "  pin0: { type: revolute, between: [ground, link0], at: [0, 9, 0], axis: [0, 0, 1] }\n");
    for (int k = 1; k < links; k++)
        fprintf(out, "  pin%d: { type: revolute, between: [link%d, link%d], at: [%d, 9, 0], axis: [0, 0, 1] }\n", k, k - 1, k, k);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Memory grows with the number of bodies, not with its square. */
static void test_long_chain(void **state)
{
    enum { LINKS = 1500, BYTES_A_LINK = 12000 };
    size_t bytes = 0;
    tn_context_options options = { .reallocate = count_bytes, .user = &bytes };
    machine m = { .context = tn_context_create(&options) };
    char *text = door_and_chain(LINKS);
    (void)state;
    machine_must(&m, tn_model_read_text(&m.model, m.context, text, strlen(text), "chain.yaml", "."));
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    const size_t before = bytes;
    tn_report *report = NULL;
    machine_must(&m, tn_session_report(&report, m.session));
    assert_true(bytes - before < LINKS * BYTES_A_LINK);
    check_counts(report, 5 * (LINKS + 2), 5 * (LINKS + 1), 1);
    assert_int_equal(report->groups[0].joint_count, 2);
    check_reaction(&m, report, "pin7", "++++++");
    done(&m, report);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_door),
        cmocka_unit_test(test_door_on_balls),
        cmocka_unit_test(test_door_in_other_units),
        cmocka_unit_test(test_door_without_excess),
        cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_planar_four_bar),
        cmocka_unit_test(test_two_doors),
        cmocka_unit_test(test_door_on_door),
        cmocka_unit_test(test_pendulum_on_loop),
        cmocka_unit_test(test_beam),
        cmocka_unit_test(test_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
