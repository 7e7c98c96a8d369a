/* Pulling at points: the same feel whatever hangs on them. */
#include "live_runs.h"
#include "random.h"
#include <math.h>

static tn_pull pull_of(const machine *m, const char *body, double x, double y, double z)
{
    return (tn_pull){ .body = tn_model_find(m->model, body), .target = { x, y, z } };
}

/* Critically damped: x = 1 - (1 + w t) exp(-w t), for any mass. */
static void test_free_bodies_follow_alike(void **state)
{
    (void)state;
    static const double masses[] = { 1e-3, 1, 1e4 };
    for (size_t k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text, "tenon: 1\nbodies: { a: { mass: %g, inertia: [1, 1, 1] } }\n"
                 "solve: { tolerance: 1e-10, absolute_tolerance: 1e-12 }\n", masses[k]);
        machine m = start(text, NULL);
        tn_pull pull = pull_of(&m, "a", 1, 0, 0);
        pull.omega = 10;
        pull.cap = 1e9;
        machine_must(&m, tn_session_pull(m.session, &pull));
        machine_must(&m, tn_session_advance(m.session, 0.3));
        assert_near(value(&m, "a.position.x"), 1 - 4 * exp(-3), 1e-8);
        double v = 10 * 3 * exp(-3);
        assert_near(value(&m, "pull.energy") / masses[k], 0.5 * v * v, 1e-6);
        machine_close(&m);
    }
}

/* A pendulum pulled along its path feels like a free point: to first order the same law holds for the arc. */
static void test_jointed_bodies_follow_alike(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { a: { mass: 5, inertia: 3, position: [1, 0] } }\n"
                      "joints: { p: { type: revolute, between: [ground, a], at: [0, 0] } }\n"
                      "solve: { tolerance: 1e-10, absolute_tolerance: 1e-12 }\n", NULL);
    tn_pull pull = pull_of(&m, "a", 1, 1e-4, 0);
    pull.omega = 10;
    machine_must(&m, tn_session_pull(m.session, &pull));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_near(value(&m, "a.position.y") / 1e-4, 1 - 4 * exp(-3), 1e-6);
    machine_close(&m);
}

static void test_target_moves_and_lets_go(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { a: { mass: 2, inertia: 1 } }\n", NULL);
    tn_pull pull = pull_of(&m, "a", 1, 0, 0);
    machine_must(&m, tn_session_pull(m.session, &pull));
    for (int k = 0; k < 50; k++) {
        pull.target[1] = 0.02 * k;
        machine_must(&m, tn_session_pull(m.session, &pull));
        machine_must(&m, tn_session_advance(m.session, 0.02));
    }
    machine_must(&m, tn_session_advance(m.session, 2));
    assert_near(value(&m, "a.position.x"), 1, 1e-6);
    assert_near(value(&m, "a.position.y"), 0.98, 1e-6);
    assert_near(value(&m, "pull.distance"), 0, 1e-6);
    machine_must(&m, tn_session_release(m.session));
    machine_must(&m, tn_session_release(m.session));
    assert_int_equal(tn_model_find(tn_session_model(m.session), "pull").kind, TN_KIND_NONE);
    assert_int_equal(tn_session_undo(NULL, m.session, true), TN_ERROR_ARGUMENT);
    assert_true(tn_session_summary(m.session).energy_error < 1e-6);
    machine_close(&m);
}

static void test_force_is_capped(void **state)
{
    (void)state;
    machine m = start("tenon: 1\nbodies: { a: { mass: 2, inertia: [1, 1, 1] } }\n", NULL);
    tn_pull pull = pull_of(&m, "a", 1000, 0, 0);
    pull.cap = 50;
    machine_must(&m, tn_session_pull(m.session, &pull));
    assert_near(value(&m, "pull.force.x"), 100, 1e-9);
    machine_close(&m);
}

static void test_what_cannot_be_pulled(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { a: { mass: 2, inertia: 1 } }\n"
                      "joints: { f: { type: fixed, between: [ground, a], at: [0, 0] } }\n", NULL);
    tn_pull fixed = pull_of(&m, "a", 1, 0, 0), ground = { .body = tn_model_ground(m.model) }, nobody = { 0 };
    assert_int_equal(tn_session_pull(m.session, &fixed), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_pull(m.session, &ground), TN_ERROR_ARGUMENT);
    assert_int_equal(tn_session_pull(m.session, &nobody), TN_ERROR_STALE);
    machine_close(&m);
}

/* A hand that jumps about as the mechanism turns: what gives way at first is held a moment later, and the other way
 * round. Nothing comes apart, and all energy is what the hand put in. */
static void test_wild_hands(void **state)
{
    (void)state;
    static const struct { const char *file, *bodies[3]; double size; } subjects[] = {
        { "four-bar", { "crank", "coupler", "rocker" }, 0.4 },
        { "slider-crank", { "crank", "rod", "piston" }, 0.2 },
        { "door", { "leaf", "leaf", "leaf" }, 0.2 },
    };
    uint32_t random = 7;
    for (int n = 0; n < 18; n++) {
        char path[300];
        snprintf(path, sizeof path, TENON_SOURCE_DIR "/examples/%s.yaml", subjects[n % 3].file);
        machine m = machine_read(path);
        double size = subjects[n % 3].size;
        tn_pose pose = tn_pose_identity();
        tn_pull pull = { .body = tn_model_find(m.model, subjects[n % 3].bodies[n / 3 % 3]), .omega = 25 };
        random_vector(&random, 2, size, pull.at);
        machine_must(&m, tn_session_open(&m.session, m.model, NULL));
        machine_must(&m, tn_session_advance(m.session, uniform(&random)));
        machine_must(&m, tn_session_pose(&pose, m.session, pull.body));
        memcpy(pull.target, pose.p, sizeof pull.target);
        for (int k = 0; k < 25; k++) {
            for (int i = 0; i < tn_model_dimension(m.model); i++)
                pull.target[i] += between(&random, -0.15 * size, 0.15 * size);
            machine_must(&m, tn_session_pull(m.session, &pull));
            machine_must(&m, tn_session_advance(m.session, 0.04));
            double energy = fabs(value(&m, "energy.total")) + value(&m, "energy.kinetic") + 1;
            assert_true(fabs(value(&m, "energy.error")) < 5e-3 * energy);
        }
        machine_close(&m);
    }
}

/* What hangs on the hand changes: from the next step on it moves what is left. */
static void test_lighter_when_something_falls_off(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { a: { mass: 2, inertia: 1 }, b: { mass: 98, inertia: 1 } }\n"
                      "joints: { f: { type: fixed, between: [a, b], at: [0, 0] } }\nsolve: { step: 1 ms }\n", NULL);
    tn_pull pull = pull_of(&m, "a", 1, 0, 0);
    pull.omega = 10;
    machine_must(&m, tn_session_pull(m.session, &pull));
    assert_near(value(&m, "pull.force.x"), 100 * 100, 1e-6);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ remove: f }"));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    assert_near(value(&m, "pull.force.x") / value(&m, "pull.wanted.x"), 2, 1e-9);
    assert_near(value(&m, "a.position.x"), 1 - 4 * exp(-3), 1e-8);
    machine_close(&m);
}

/* What rests on something, sticks to it or lies at a stop is not held there: a hand takes it away. */
static void test_loose_from_contacts_and_stops(void **state)
{
    (void)state;
    machine block = start("tenon: 1\ndimension: 2\ngravity: [0, -10]\nbodies:\n  ground: { shapes: [ { half_space: { normal: "
                          "[0, 1] } } ] }\n  a: { mass: 2, inertia: 0.01, position: [0, 0.05], shapes: [ { box: { size: "
                          "[20 cm, 10 cm] } } ] }\ncontacts: { floor: { between: [ground, a], friction: 0.3 } }\n", NULL);
    machine_must(&block, tn_session_advance(block.session, 0.1));
    tn_pull aside = pull_of(&block, "a", 1, 0.05, 0), up = pull_of(&block, "a", 1, 1, 0);
    machine_must(&block, tn_session_pull(block.session, &aside));
    machine_must(&block, tn_session_advance(block.session, 1));
    double x = value(&block, "a.position.x");
    assert_true(x > 0.9 && x < 1 && fabs(value(&block, "a.position.y") - 0.05) < 1e-6);
    machine_must(&block, tn_session_pull(block.session, &up));
    machine_must(&block, tn_session_advance(block.session, 2));
    assert_near(value(&block, "a.position.y"), 1 - 10 / 144.0, 1e-3);      /* hangs at the hand: omega^2 d = g */
    machine_close(&block);

    machine arm = start("tenon: 1\ndimension: 2\ngravity: [0, -10]\nbodies: { a: { mass: 5, inertia: 3, position: [1, 0] } }\n"
                        "joints: { p: { type: revolute, between: [ground, a], at: [0, 0], limits: { angle: [0, 2] } } }\n", NULL);
    machine_must(&arm, tn_session_advance(arm.session, 0.1));
    assert_near(value(&arm, "p.angle"), 0, 1e-9);
    tn_pull away = pull_of(&arm, "a", cos(1), sin(1), 0);
    away.omega = 40;
    machine_must(&arm, tn_session_pull(arm.session, &away));
    machine_must(&arm, tn_session_advance(arm.session, 1));
    assert_true(value(&arm, "p.angle") > 0.95 && value(&arm, "p.angle") < 1);
    machine_close(&arm);
}

/* A pull is no part of the model: names do not matter, nothing is compiled anew, and the text knows nothing of it. */
static void test_the_model_stays_what_it_is(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { pull: { mass: 2, inertia: 1 } }\nforces: { f: { type: force, on: "
                      "pull, value: [1, 0] } }\n", NULL);
    tn_pull pull = pull_of(&m, "pull", 1, 0, 0);
    const tn_model *model = tn_session_model(m.session);
    size_t channels = tn_session_channel_count(m.session);
    long revision = tn_session_revision(m.session);
    char *text;
    assert_true(isnan(value(&m, "pull.force.x")));
    machine_must(&m, tn_session_pull(m.session, &pull));
    assert_near(value(&m, "pull.force.x"), 2 * 144, 1e-9);
    assert_near(value(&m, "pull.position.x"), 0, 0);
    assert_true(tn_session_channel_count(m.session) > channels);
    pull.target[0] = 2;
    machine_must(&m, tn_session_pull(m.session, &pull));
    machine_must(&m, tn_session_advance(m.session, 2));
    assert_near(value(&m, "pull.position.x"), 2 + 1 / 288.0, 1e-6);
    assert_ptr_equal(tn_session_model(m.session), model);
    assert_int_equal(tn_session_revision(m.session), revision);
    machine_must(&m, tn_session_text(&text, m.session));
    assert_null(strstr(text, "target"));
    tn_free(m.context, text);
    machine_must(&m, tn_session_release(m.session));
    assert_int_equal(tn_session_channel_count(m.session), channels);
    assert_ptr_equal(tn_session_model(m.session), model);
    machine_close(&m);
}

/* A pull that the body is taken away from has ended; one whose body is only switched off goes on with it. */
static void test_edits_while_somebody_pulls(void **state)
{
    (void)state;
    machine m = start("tenon: 1\ndimension: 2\nbodies: { a: { mass: 2, inertia: 1 }, b: { mass: 1, inertia: 1 } }\n", NULL);
    tn_pull pull = pull_of(&m, "a", 1, 0, 0);
    machine_must(&m, tn_session_pull(m.session, &pull));
    machine_must(&m, tn_session_apply(NULL, m.session, "{ disable: a }"));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    assert_true(isnan(value(&m, "pull.force.x")));
    machine_must(&m, tn_session_apply(NULL, m.session, "{ enable: a }"));
    assert_near(value(&m, "pull.force.x"), 2 * 144, 1e-9);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ remove: a }"));
    assert_true(isnan(value(&m, "pull.force.x")));
    machine_must(&m, tn_session_undo(NULL, m.session, false));
    assert_true(isnan(value(&m, "pull.force.x")));
    machine_close(&m);
}

/* Implicit methods know how the pull changes with the motion: without that they would need far shorter steps. */
static void test_implicit_methods_follow(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "generalized-alpha", "ida", "cvode" };
    double x[4];
    for (int k = 0; k < 4; k++) {
        machine m = machine_format("tenon: 1\nbodies: { a: { mass: 2, inertia: [1, 2, 3], position: [1, 0, 0], "
                                   "angular_velocity: [0.1, 0.2, 0] } }\njoints: { s: { type: spherical, between: [ground, "
                                   "a], at: [0, 0, 0] } }\nsolve: { integrator: %s, tolerance: 1e-7, absolute_tolerance: "
                                   "1e-9 }\n", integrators[k]);
        machine_must(&m, tn_session_open(&m.session, m.model, NULL));
        tn_pull pull = pull_of(&m, "a", 0, 1, 0.5);
        pull.at[1] = 0.3;
        pull.omega = 30;
        machine_must(&m, tn_session_pull(m.session, &pull));
        machine_must(&m, tn_session_advance(m.session, 0.4));
        x[k] = value(&m, "a.position.y");
        assert_near(x[k], x[0], 2e-4);
        assert_true(tn_session_summary(m.session).steps < 2000);
        machine_close(&m);
    }
}

/* The derivatives of the load against differences of it, capped and not, for each kind of body. */
static void test_derivatives(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "tenon: 1\nbodies: { a: { mass: 2, inertia: [1, 2, 3], com: [0.1, 0.2, 0], velocity: [1, 2, 3], angular_velocity: "
        "[3, -1, 2] } }\n",
        "tenon: 1\ndimension: 2\nbodies: { a: { mass: 2, inertia: 1, com: [0.1, 0.3], velocity: [1, 2], angular_velocity: "
        "3 } }\n",
        "tenon: 1\nbodies: { a: { type: particle, mass: 2, velocity: [1, 2, 3] } }\n",
    };
    for (int n = 0; n < 6; n++) {
        machine m = start(texts[n % 3], NULL);
        tn_stepper *st = m.session->stepper;
        const tn_system *s = st->system;
        tn_pull_load load = { .body = 1, .at = { 0.4, -0.2, n % 3 == 0 ? 0.3 : 0 }, .target = { 1, 2, 0.5 }, .omega = 7,
                              .mass = { 1, 2, 3, 0.1, 0.2, 0.3 }, .cap = n < 3 ? 1e9 : 5 };
        double position[36], velocity[36], q[7], h = 1e-6;
        if (n % 3 == 2)
            memset(load.at, 0, sizeof load.at);
        st->eval->pull = &load;
        tn_eval_motion(st->eval, s, 0, st->y, st->y + s->positions);
        int width = tn_width_of(&s->structure, tn_eval_pull_derivatives(st->eval, s, position, velocity));
        for (int j = 0; j < width; j++)
            for (int k = 0; k < 2; k++) {
                double f[2][6], dv[6] = { 0 }, v[6];
                for (int side = 0; side < 2; side++) {
                    memcpy(v, st->y + s->positions, sizeof(double) * (size_t)width);
                    memcpy(q, st->y, sizeof(double) * (size_t)s->positions);
                    dv[j] = side ? h : -h;
                    if (k == 0)
                        tn_position_move(s, st->y, dv, q);
                    else
                        v[j] += dv[j];
                    tn_eval_motion(st->eval, s, 0, q, v);
                    memset(st->eval->f, 0, sizeof(double) * (size_t)s->velocities);
                    tn_eval_pull(st->eval, s);
                    memcpy(f[side], st->eval->f, sizeof(double) * (size_t)width);
                }
                for (int i = 0; i < width; i++)
                    assert_near((f[1][i] - f[0][i]) / (2 * h), (k == 0 ? position : velocity)[i * width + j], 1e-4);
            }
        st->eval->pull = NULL;
        machine_close(&m);
    }
}

/* Going back leads through the beginning and the end of a pull, and a saved run goes on pulling, to the bit. */
static void test_rewind_and_save(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(PENDULUMS, NULL);
    double times[4];
    uint64_t hashes[4];
    tn_pull pull = { .body = tn_model_find(m.model, "b"), .target = { 1, 1 } };
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 20, 0.02));
    for (int k = 0; k < 4; k++) {
        if (k == 1 || k == 2)
            machine_must(&m, tn_session_pull(m.session, &pull));
        if (k == 3)
            machine_must(&m, tn_session_release(m.session));
        pull.target[0] += 0.3;
        machine_must(&m, tn_session_advance(m.session, 0.05));
        times[k] = tn_session_time(m.session);         /* the next change is made later */
        hashes[k] = tn_session_hash(m.session);
        machine_must(&m, tn_session_advance(m.session, 0.01));
        if (k != 2)
            continue;
        machine loaded = m;
        machine_must(&m, tn_session_save(m.session, p.saved));
        machine_must(&m, tn_session_load(&loaded.session, m.context, p.saved));
        machine_must(&m, tn_session_advance(loaded.session, 0.02));
        machine branch = m;
        machine_must(&m, tn_session_branch(&branch.session, m.session));
        machine_must(&m, tn_session_advance(branch.session, 0.02));
        assert_true(tn_session_hash(branch.session) == tn_session_hash(loaded.session));
        assert_true(value(&loaded, "pull.energy") == value(&branch, "pull.energy"));
        tn_session_close(branch.session);
        tn_session_close(loaded.session);
    }
    for (int k = 0; k < 12; k++) {
        int at = (k * 5 + 1) % 4;
        machine_must(&m, tn_session_seek(m.session, times[at]));
        assert_true(tn_session_hash(m.session) == hashes[at]);
        assert_true(isnan(value(&m, "pull.energy")) == (at == 0 || at == 3));
    }
    machine_close(&m);
    remove_place(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_bodies_follow_alike),
        cmocka_unit_test(test_jointed_bodies_follow_alike),
        cmocka_unit_test(test_target_moves_and_lets_go),
        cmocka_unit_test(test_force_is_capped),
        cmocka_unit_test(test_what_cannot_be_pulled),
        cmocka_unit_test(test_wild_hands),
        cmocka_unit_test(test_loose_from_contacts_and_stops),
        cmocka_unit_test(test_lighter_when_something_falls_off),
        cmocka_unit_test(test_the_model_stays_what_it_is),
        cmocka_unit_test(test_edits_while_somebody_pulls),
        cmocka_unit_test(test_implicit_methods_follow),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_rewind_and_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
