/* Dragging mechanisms that stand still: how near they come, what holds them, that they stay on their branch; and drags as
 * edits. */
#include "live_runs.h"
#include <math.h>
#include "drag.h"

static tn_drag_result drag_to(const machine *m, const char *body, const double at[3], double x, double y, double z)
{
    tn_drag drag = { .body = tn_model_find(tn_session_model(m->session), body), .target = { x, y, z } };
    tn_drag_result result;
    memcpy(drag.at, at, sizeof drag.at);
    do {                                               /* a long way takes several calls */
        machine_must(m, tn_session_drag(m->session, &drag, &result));
        drag.more = true;
    } while (result.end == TN_DRAG_UNFINISHED);
    return result;
}

static tn_pose pose_of(const machine *m, const char *body)
{
    tn_pose pose;
    machine_must(m, tn_session_pose(&pose, m->session, tn_model_find(tn_session_model(m->session), body)));
    return pose;
}

static double turn_of(const machine *m, const char *body)
{
    tn_pose pose = pose_of(m, body);
    return 2 * atan2(pose.q[3], pose.q[0]);
}

static void point_of(const machine *m, const char *body, const double at[3], double out[3])
{
    tn_pose pose = pose_of(m, body);
    double R[3][3];
    double w = pose.q[0], x = pose.q[1], y = pose.q[2], z = pose.q[3];
    memcpy(R, (double[3][3]){ { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                              { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                              { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }, sizeof R);
    for (int i = 0; i < 3; i++)
        out[i] = pose.p[i] + R[i][0] * at[0] + R[i][1] * at[1] + R[i][2] * at[2];
}

/* Largest velocity of the point towards the target over random motions that all joints allow, each of unit length. Rows
 * of another solver than the one that found the pose. */
static double distance_rate(const machine *m, const char *body, const double at[3], const double target[3])
{
    tn_session *s = m->session;
    tn_stepper *st = s->stepper;
    const tn_system *sys = s->system;
    double *v = calloc((size_t)sys->velocities, sizeof *v), p[3], most = 0;
    uint32_t random = 5;
    tn_pose pose = tn_pose_identity();
    memcpy(pose.p, at, sizeof pose.p);
    tn_sys_frame frame = tn_system_frame(sys, tn_model_find(s->model, body).index, &pose);
    assert_non_null(v);
    point_of(m, body, at, p);
    double gap[3] = { target[0] - p[0], target[1] - p[1], sys->dimension == 3 ? target[2] - p[2] : 0 };
    double distance = sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]);
    tn_eval_motion(st->eval, sys, st->t, st->y, st->y + sys->positions);
    tn_eval_constraints(st->eval, sys, st->memory, 1, true);
    tn_clear_velocity_rows(sys, st->eval->G);
    assert_int_equal(st->solver->factor(st->saddle, st->eval->M, st->eval->G, TN_RANK_DECIDE), TN_OK);
    for (int k = 0; k < 40; k++) {
        double velocity[3], length = 0;
        random_vector(&random, sys->velocities, 1, v);
        assert_int_equal(tn_project_direction(st, v), TN_OK);
        for (int i = 0; i < sys->velocities; i++)
            length += v[i] * v[i];
        tn_point_velocity(st->eval, sys, &frame, v, velocity);
        double rate = (velocity[0] * gap[0] + velocity[1] * gap[1] + velocity[2] * gap[2]) / distance;
        most = fmax(most, length > 1e-20 ? fabs(rate) / sqrt(length) : 0);
    }
    free(v);
    return most;
}

/* ---- branches ---- */

static const double TIP[3] = { 0.6, 0, 0 };

/* Links 0.8 and 0.6: the nearest point of the ring they reach, on the side of the elbow they are on, whatever the target. */
static void check_elbow(int dimension, int count)
{
    machine m = double_pendulum(dimension);
    uint32_t random = 7;
    machine_start(&m, accurate(1));
    assert_true(sin(turn_of(&m, "lower") - turn_of(&m, "upper")) > 0);
    for (int k = 0; k < count; k++) {
        double x = between(&random, -2, 2), y = between(&random, -2, 2), far = hypot(x, y);
        tn_drag_result r = drag_to(&m, "lower", TIP, x, y, 0);
        assert_true(sin(turn_of(&m, "lower") - turn_of(&m, "upper")) > 0);
        assert_near(r.distance, fmax(0, fmax(far - 1.4, 0.2 - far)), 1e-9);
        assert_int_equal(r.end, r.distance > 1e-9 ? TN_DRAG_BLOCKED : TN_DRAG_REACHED);
        assert_int_equal(r.blocker_count, r.end == TN_DRAG_REACHED ? 0 : 2);
        if (r.end == TN_DRAG_BLOCKED)
            assert_true(distance_rate(&m, "lower", TIP, (double[3]){ x, y, 0 }) < 1e-7);
    }
    machine_close(&m);
}

static void test_elbow_stays_on_its_side(void **state)
{
    (void)state;
    check_elbow(2, 1000);
    check_elbow(3, 200);
}

/* Around with the crank and back: the same pose. In space the rows are redundant. */
static void check_four_bar(int dimension)
{
    machine m = four_bar(dimension);
    static const double tip[3] = { 0.4, 0, 0 };
    machine_start(&m, accurate(1));
    tn_pose before[3] = { pose_of(&m, "crank"), pose_of(&m, "coupler"), pose_of(&m, "rocker") };
    double start = turn_of(&m, "crank"), angle = value(&m, "A.angle");
    for (int k = 1; k <= 150; k++) {
        double a = start + 0.06 * (k <= 75 ? k : 150 - k);
        tn_drag_result r = drag_to(&m, "crank", tip, 0.4 * cos(a), 0.4 * sin(a), 0);
        assert_int_equal(r.end, TN_DRAG_REACHED);
        assert_near(value(&m, "A.angle") - angle, a - start, 1e-9);        /* beyond half a turn, too */
    }
    tn_pose after[3] = { pose_of(&m, "crank"), pose_of(&m, "coupler"), pose_of(&m, "rocker") };
    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 3; k++)
            assert_near(after[b].p[k], before[b].p[k], 1e-9);
    machine_close(&m);
}

static void test_four_bar_goes_around_and_back(void **state)
{
    (void)state;
    check_four_bar(2);
    check_four_bar(3);
}

/* A slider pulled beyond its reach: the crank comes in line, and leaves the way it came. */
static void test_slider_at_its_dead_centre(void **state)
{
    (void)state;
    machine m = slider_crank(2);
    static const double origin[3] = { 0 };
    machine_start(&m, accurate(1));
    tn_pose before = pose_of(&m, "crank");
    double x = pose_of(&m, "slider").p[0];
    tn_drag_result r = drag_to(&m, "slider", origin, 2, 0.3, 0);
    assert_int_equal(r.end, TN_DRAG_BLOCKED);
    assert_near(pose_of(&m, "slider").p[0], 1.3, 1e-9);
    assert_true(turn_of(&m, "crank") > 0);
    r = drag_to(&m, "slider", origin, -2, 0, 0);
    assert_near(pose_of(&m, "slider").p[0], 0.5, 1e-9);
    assert_true(sin(turn_of(&m, "crank")) > 0);
    drag_to(&m, "slider", origin, x, 0, 0);
    for (int k = 0; k < 4; k++)
        assert_near(pose_of(&m, "crank").q[k], before.q[k], 1e-9);
    machine_close(&m);
}

/* A parallelogram is singular when it is flat: there it could go on as another linkage. */
static void test_branches_that_cross_are_not_passed(void **state)
{
    (void)state;
    machine m = machine_new(2);
    static const double tip[3] = { 0.5, 0, 0 };
    double x = 0.5 * cos(1), y = 0.5 * sin(1);
    add_bar(&m, "left", 0, 0, 1, 0.5, 1);
    add_bar(&m, "top", x, y, 0, 1, 1);
    add_bar(&m, "right", 1, 0, 1, 0.5, 1);
    add_pin(&m, "A", "ground", "left", 0, 0);
    add_pin(&m, "B", "left", "top", x, y);
    add_pin(&m, "C", "top", "right", 1 + x, y);
    add_pin(&m, "D", "ground", "right", 1, 0);
    machine_start(&m, accurate(1));
    tn_drag_result r = drag_to(&m, "left", tip, 0.5 * cos(-1), 0.5 * sin(-1), 0);
    assert_int_equal(r.end, TN_DRAG_SINGULAR);
    assert_true(r.blocker_count > 0);
    assert_true(turn_of(&m, "left") > 0 && turn_of(&m, "left") < 0.01);
    assert_near(turn_of(&m, "top"), 0, 1e-9);
    r = drag_to(&m, "left", tip, x, y, 0);
    assert_int_equal(r.end, TN_DRAG_REACHED);
    assert_near(turn_of(&m, "right"), 1, 1e-9);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elbow_stays_on_its_side),
        cmocka_unit_test(test_four_bar_goes_around_and_back),
        cmocka_unit_test(test_slider_at_its_dead_centre),
        cmocka_unit_test(test_branches_that_cross_are_not_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
