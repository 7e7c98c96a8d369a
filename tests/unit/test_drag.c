/* Dragging mechanisms that stand still: how near they come, what holds them, that they stay on their branch; and drags
 * as edits. */
#include "live_runs.h"
#include <math.h>
#include "drag.h"

static tn_drag_result drag_to(const machine *m, const char *body, const double at[3], double x, double y, double z)
{
    tn_drag drag = { .body = tn_model_find(tn_session_model(m->session), body), .target = { x, y, z } };
    tn_drag_result result;
    memcpy(drag.at, at, sizeof drag.at);
    for (int calls = 0; calls < 100; calls++) {        /* a long way takes several */
        machine_must(m, tn_session_drag(&result, m->session, &drag));
        if (result.end != TN_DRAG_UNFINISHED)
            return result;
        drag.more = true;
    }
    fail_msg("%s", result.text);
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
    tn_clear_velocity_rows(sys, st->eval->G, false);
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

/* Links 0.8 and 0.6: the nearest point of the ring they reach, on the side the elbow is on, whatever the target. */
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

/* ---- the nearest pose ---- */

static const double ORIGIN[3] = { 0 };

/* Whatever the tree of joints: where it stops, the distance does not fall in any direction. */
static void test_nearest_poses_of_random_machines(void **state)
{
    (void)state;
    int blocked = 0, singular = 0;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        machine m = random_machine(seed);
        uint32_t random = seed;
        machine_start(&m, accurate(1));
        for (int k = 0; k < 3; k++) {
            double target[3];
            random_vector(&random, 3, 3, target);
            tn_drag_result r = drag_to(&m, "bar5", (double[3]){ 0.5, 0, 0 }, target[0], target[1], target[2]);
            blocked += r.end == TN_DRAG_BLOCKED;
            singular += r.end == TN_DRAG_SINGULAR;
            if (r.end == TN_DRAG_REACHED)
                assert_near(r.distance, 0, 1e-10);
            else if (r.end == TN_DRAG_BLOCKED)
                assert_true(distance_rate(&m, "bar5", (double[3]){ 0.5, 0, 0 }, target) < 1e-7);
            assert_near(value(&m, "drift.max"), 0, 1e-12);
        }
        machine_close(&m);
    }
    assert_true(blocked > 60 && singular < 4);
}

/* A chain of 20 that is pulled beyond its reach is straight. */
static void test_long_chain_stretches(void **state)
{
    (void)state;
    machine m = machine_new(2);
    char name[16], before[16] = "ground", joint[16];
    double x = 0, y = 0;
    for (int k = 0; k < 20; k++) {
        double angle = k % 2 ? 0.5 : -0.4;
        snprintf(name, sizeof name, "b%d", k);
        snprintf(joint, sizeof joint, "j%d", k);
        add_bar(&m, name, x, y, angle, 0.5, 1 + 0.1 * k);
        add_pin(&m, joint, before, name, x, y);
        x += 0.5 * cos(angle);
        y += 0.5 * sin(angle);
        memcpy(before, name, sizeof name);
    }
    machine_start(&m, accurate(1));
    tn_drag_result r = drag_to(&m, "b19", (double[3]){ 0.5, 0, 0 }, 9, -9, 0);
    assert_int_equal(r.end, TN_DRAG_BLOCKED);
    assert_near(r.distance, 9 * sqrt(2) - 10, 1e-9);
    for (int k = 0; k < 20; k++) {
        snprintf(name, sizeof name, "b%d", k);
        assert_near(turn_of(&m, name), -atan(1), 1e-7);
    }
    machine_close(&m);
}

/* One freedom, more equations than it takes. */
static void test_redundant_mechanisms(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/examples/bricard.yaml");
    machine_start(&m, accurate(1));
    tn_pose before = pose_of(&m, "bar3");
    for (int k = 0; k < 20; k++) {
        double target[3] = { 1 + 0.3 * sin(k), -1 + 0.4 * cos(2 * k), 0.2 * sin(3 * k) };
        tn_drag_result r = drag_to(&m, "bar3", ORIGIN, target[0], target[1], target[2]);
        assert_int_equal(r.end, TN_DRAG_BLOCKED);
        assert_true(distance_rate(&m, "bar3", ORIGIN, target) < 1e-7);
        assert_near(value(&m, "drift.max"), 0, 1e-12);
    }
    drag_to(&m, "bar3", ORIGIN, before.p[0], before.p[1], before.p[2]);
    for (int k = 0; k < 3; k++)
        assert_near(pose_of(&m, "bar3").p[k], before.p[k], 1e-9);
    machine_close(&m);

    m = machine_read(TENON_SOURCE_DIR "/examples/door.yaml");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    drag_to(&m, "leaf", (double[3]){ 0.8, 0, 1 }, 0, 3, 1.5);
    assert_near(value(&m, "upper_hinge.angle"), 2 * atan(1), 1e-9);
    assert_near(value(&m, "leaf.angular_velocity.z"), 1, 1e-12);       /* turned with it */
    machine_close(&m);
}

/* ---- limits, drives, rolling ---- */

/* The elbow between 0.2 and 0.5 rad more than at the start: within, the tip goes on circles of two known radii. */
static void test_bounds(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    machine_start(&m, accurate(1));
    const tn_system *s = m.session->system;
    double q[6], v[6] = { 0 }, memory[2], start = turn_of(&m, "lower") - turn_of(&m, "upper");
    int elbow = s->constraint_of[named(&m, "elbow").index];
    tn_bound bound = { .constraint = elbow, .low = -INFINITY, .high = 0.5 };
    memcpy(q, m.session->stepper->y, sizeof q);
    memcpy(memory, m.session->stepper->memory, sizeof memory);
    tn_pose tip = tn_pose_identity();
    memcpy(tip.p, TIP, sizeof tip.p);
    tn_pose_drag task = { .q = q, .v = v, .memory = memory, .target = { 0.1, 0.6 }, .bounds = &bound, .bound_count = 1,
                          .point = tn_system_frame(s, named(&m, "lower").index, &tip) };
    double zero = memory[s->coordinates[elbow].memory];
    bound.high += zero;
    machine_must(&m, tn_drag_find(&task, s, tn_solver_types[0]));
    double bend = start + 0.5, reach = sqrt(0.64 + 0.36 + 0.96 * cos(bend));
    assert_near(memory[s->coordinates[elbow].memory] - zero, 0.5, 1e-12);
    assert_near(task.distance, reach - hypot(0.1, 0.6), 1e-10);
    assert_int_equal(task.end, TN_DRAG_BLOCKED);
    assert_int_equal(task.blocking[0].constraint, elbow);
    assert_int_equal(task.blocking[0].kind, TN_BLOCKER_LIMIT);
    assert_near(task.slack, 0, 1e-9);
    task.target[0] = 1.2;                              /* away from the limit */
    task.target[1] = 0.3;
    machine_must(&m, tn_drag_find(&task, s, tn_solver_types[0]));
    assert_int_equal(task.end, TN_DRAG_REACHED);
    assert_true(memory[s->coordinates[elbow].memory] < bound.high - 1e-3);
    bound.high = memory[s->coordinates[elbow].memory] - 0.1;   /* beyond it already: no further */
    task.target[0] = task.target[1] = 0.2;
    double there = memory[s->coordinates[elbow].memory];
    machine_must(&m, tn_drag_find(&task, s, tn_solver_types[0]));
    assert_near(memory[s->coordinates[elbow].memory], there, 1e-12);
    machine_close(&m);
}

/* A pendulum that may turn from -30 to 60 degrees: a drag stops there, names the stop, and leaves it again. */
static void test_stops_of_joints_hold(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                      "bodies: { bar: { mass: 1, inertia: 0.1, position: [0.5, 0] } }\n"
                      "joints: { pivot: { type: revolute, between: [ground, bar], at: [0, 0],\n"
                      "                   limits: { angle: [-30 deg, 60 deg] } } }\n", NULL);
    static const double end[3] = { 0.5, 0, 0 };
    const double low = -acos(-1) / 6;
    machine_must(&m, tn_session_advance(m.session, 3));                /* at rest on its stop */
    assert_near(turn_of(&m, "bar"), low, 1e-9);
    tn_drag_result r = drag_to(&m, "bar", end, cos(0.4), sin(0.4), 0);
    assert_int_equal(r.end, TN_DRAG_REACHED);
    assert_near(turn_of(&m, "bar"), 0.4, 1e-9);
    r = drag_to(&m, "bar", end, 0, 1, 0);
    assert_int_equal(r.end, TN_DRAG_BLOCKED);
    assert_int_equal(r.blockers[0].kind, TN_BLOCKER_LIMIT);
    assert_near(turn_of(&m, "bar"), -2 * low, 1e-9);
    r = drag_to(&m, "bar", end, 0, -1, 0);
    assert_int_equal(r.end, TN_DRAG_BLOCKED);
    assert_near(turn_of(&m, "bar"), low, 1e-9);
    machine_must(&m, tn_session_advance(m.session, 1));
    assert_near(turn_of(&m, "bar"), low, 1e-9);
    machine_close(&m);
}

/* A ball that is dragged below the floor slides along it to the nearest place, and can be taken away again. */
static void test_contacts_stop(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                      "  ground: { shapes: [ { half_space: { normal: [0, 1] } } ] }\n"
                      "  ball: { mass: 1, inertia: 0.1, position: [0, 2], shapes: [ { disc: { radius: 0.1 } } ] }\n"
                      "contacts: { floor: { between: [ground, ball] } }\n", NULL);
    static const double centre[3] = { 0 };
    tn_drag_result r = drag_to(&m, "ball", centre, 4, -2, 0);
    assert_int_equal(r.end, TN_DRAG_BLOCKED);
    assert_int_equal(r.blockers[0].kind, TN_BLOCKER_CONTACT);
    assert_non_null(strstr(r.text, "held by contact 'floor'"));
    assert_near(pose_of(&m, "ball").p[0], 4, 1e-5);
    assert_near(pose_of(&m, "ball").p[1], 0.1, 1e-5);
    assert_near(r.distance, 2.1, 1e-5);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    r = drag_to(&m, "ball", centre, 1, 1, 0);
    assert_int_equal(r.end, TN_DRAG_REACHED);
    assert_near(pose_of(&m, "ball").p[1], 1, 1e-9);
    machine_close(&m);
}

static void test_drives_hold(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/examples/driven-slider-crank.yaml");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t hash = tn_session_hash(m.session);
    tn_drag_result r = drag_to(&m, "piston", ORIGIN, 0.3, 0.1, 0);
    assert_int_equal(r.end, TN_DRAG_BLOCKED);
    assert_true(r.blockers[0].kind == TN_BLOCKER_DRIVE && r.blockers[0].joint.index == named(&m, "motor").index);
    assert_non_null(strstr(r.text, "held by drive 'motor'"));
    assert_near(r.displacement, 0, 1e-9);
    assert_true(hash == tn_session_hash(m.session) || r.displacement > 0);
    machine_close(&m);
}

/* Any place can be reached by rolling or gliding, so neither holds back a pose; velocities obey them. */
static void test_rolling_does_not_hold(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/examples/sleigh.yaml");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    tn_drag_result r = drag_to(&m, "sleigh", (double[3]){ 0.9, 0, 0 }, 1, 1, 0);
    assert_int_equal(r.end, TN_DRAG_REACHED);
    tn_row row;
    assert_int_equal(tn_session_rows(&row, 1, m.session, named(&m, "blade")), 1);
    assert_near(row.rate, 0, 1e-12);
    assert_near(value(&m, "sleigh.angular_velocity"), 2, 1e-12);
    machine_must(&m, tn_session_advance(m.session, 0.1));
    machine_close(&m);
}

/* ---- drags as edits ---- */

/* A pendulum goes on from its new place as fast as it was; the account of energy goes on closing. */
static void test_velocities_and_energy(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                             "bodies: { a: { mass: 2, inertia: 0.5, position: [1, 0], angle: 0.7, velocity: [0, 3], "
                             "angular_velocity: 3 } }\n"
                             "joints: { p: { type: revolute, between: [ground, a], at: [0, 0] } }\n"
                             "events: { top: { when: a.position.y, crosses: up, do: { log: up } } }\n");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    tn_drag_result r = drag_to(&m, "a", ORIGIN, 0, -5, 0);
    assert_near(value(&m, "p.angle.rate"), 3, 1e-12);
    assert_near(r.energy_change, -2 * 9.81, 1e-9);
    assert_near(r.displacement, sqrt(2), 1e-9);
    machine_must(&m, tn_session_advance(m.session, 0.5));
    assert_true(tn_session_summary(m.session).energy_error < 1e-6);
    machine_close(&m);
}

static void test_undo_takes_a_whole_grab_back(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    tn_drag drag = { .body = tn_model_find(m.model, "b"), .target = { 1, -1 } };
    machine_must(&m, tn_session_advance(m.session, 0.3));
    uint64_t before = tn_session_hash(m.session);
    for (int k = 0; k < 5; k++) {
        drag.more = k > 0;
        drag.target[1] = -1 - 0.05 * k;
        machine_must(&m, tn_session_drag(NULL, m.session, &drag));
    }
    uint64_t after = tn_session_hash(m.session);
    drag.more = false;
    drag.target[1] = -0.5;
    machine_must(&m, tn_session_drag(NULL, m.session, &drag));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == after);
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == before);
    assert_int_equal(tn_session_undo(NULL, m.session, true), TN_ERROR_ARGUMENT);
    machine_must(&m, tn_session_redo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == after);
    drag.more = true;                                  /* something was undone since: a grab of its own */
    machine_must(&m, tn_session_drag(NULL, m.session, &drag));
    machine_must(&m, tn_session_undo(NULL, m.session, true));
    assert_true(tn_session_hash(m.session) == after);
    machine_close(&m);
}

static void test_drags_are_written_saved_and_sought(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(PENDULUMS, NULL);
    tn_drag drag = { .body = tn_model_find(m.model, "b"), .at = { 0.3, 0, 0 }, .target = { 1, -1 } };
    machine_must(&m, tn_session_journal(m.session, p.journal));
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.05));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    uint64_t before = tn_session_hash(m.session);
    for (int k = 0; k < 3; k++, drag.more = true, drag.target[0] -= 0.2)
        machine_must(&m, tn_session_drag(NULL, m.session, &drag));
    machine_must(&m, tn_session_advance(m.session, 0.2));
    uint64_t end = tn_session_hash(m.session);
    machine_must(&m, tn_session_save(m.session, p.saved));
    machine_must(&m, tn_session_seek(m.session, 0.1));
    assert_int_equal(tn_session_seek(m.session, 0.4), TN_OK);
    assert_true(tn_session_hash(m.session) == end);
    tn_session *loaded;
    machine_must(&m, tn_session_load(&loaded, m.context, p.saved));
    assert_true(tn_session_hash(loaded) == end);
    machine_must(&m, tn_session_undo(NULL, loaded, true));     /* what an event did since */
    machine_must(&m, tn_session_undo(NULL, loaded, true));
    assert_true(tn_session_hash(loaded) == before);
    tn_session_close(loaded);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == end);
    assert_true(compared >= 5 && complete);
    remove_place(&p);
}

/* Drags among everything else that can happen: the journal tells the same. */
static void test_drags_in_random_runs(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 30; seed++) {
        place p = new_place();
        uint32_t random = seed;
        machine m = start(PENDULUMS, NULL);
        machine_must(&m, tn_session_journal(m.session, p.journal));
        for (int k = 0; k < 30; k++) {
            tn_drag drag = { .body = tn_model_find(tn_session_model(m.session), uniform(&random) < 0.5 ? "a" : "b"),
                             .at = { 0.3, 0, 0 }, .target = { between(&random, -2, 2), between(&random, -2, 2) },
                             .more = uniform(&random) < 0.7 };
            int code = uniform(&random) < 0.4 ? tn_session_drag(NULL, m.session, &drag) : something(m.session, &random);
            assert_true(code >= 0 || code == TN_ERROR_MODEL || code == TN_ERROR_ARGUMENT || code == TN_ERROR_ASSEMBLY);
        }
        uint64_t hash = tn_session_hash(m.session);
        machine_close(&m);
        size_t compared;
        bool complete;
        assert_true(replayed(p.journal, &compared, &complete) == hash && complete && compared > 5);
        remove_place(&p);
    }
}

static void test_what_cannot_be_dragged(void **state)
{
    (void)state;
    machine m = start(PENDULUMS, NULL);
    uint64_t hash = tn_session_hash(m.session);
    tn_drag ground = { .body = tn_model_ground(m.model) }, nobody = { 0 };
    tn_drag nowhere = { .body = tn_model_find(m.model, "b"), .target = { NAN } };
    assert_int_equal(tn_session_drag(NULL, m.session, &ground), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_drag(NULL, m.session, &nobody), TN_ERROR_STALE);
    assert_int_equal(tn_session_drag(NULL, m.session, &nowhere), TN_ERROR_ARGUMENT);
    tn_drag here = { .body = nowhere.body };
    memcpy(here.target, pose_of(&m, "b").p, sizeof here.target);
    machine_must(&m, tn_session_drag(NULL, m.session, &here));
    assert_true(tn_session_hash(m.session) == hash);
    assert_int_equal(tn_session_undo(NULL, m.session, true), TN_ERROR_ARGUMENT);
    machine_close(&m);

    m = machine_read(TENON_SOURCE_DIR "/examples/driven-slider-crank.yaml");
    machine_must(&m, tn_session_open_kinematics(&m.session, m.model, NULL));
    tn_drag piston = { .body = named(&m, "piston"), .target = { 0.2 } };
    assert_int_equal(tn_session_drag(NULL, m.session, &piston), TN_ERROR_ARGUMENT);
    size_t last = tn_diagnostics_count(m.context) - 1;
    assert_non_null(strstr(tn_diagnostics_get(m.context, last)->message, "follow from its drives"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elbow_stays_on_its_side),
        cmocka_unit_test(test_four_bar_goes_around_and_back),
        cmocka_unit_test(test_slider_at_its_dead_centre),
        cmocka_unit_test(test_branches_that_cross_are_not_passed),
        cmocka_unit_test(test_nearest_poses_of_random_machines),
        cmocka_unit_test(test_long_chain_stretches),
        cmocka_unit_test(test_redundant_mechanisms),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_stops_of_joints_hold),
        cmocka_unit_test(test_contacts_stop),
        cmocka_unit_test(test_drives_hold),
        cmocka_unit_test(test_rolling_does_not_hold),
        cmocka_unit_test(test_velocities_and_energy),
        cmocka_unit_test(test_undo_takes_a_whole_grab_back),
        cmocka_unit_test(test_drags_are_written_saved_and_sought),
        cmocka_unit_test(test_drags_in_random_runs),
        cmocka_unit_test(test_what_cannot_be_dragged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
