/* What is said about forces that cannot be: where it stands in the file, which force, and what is wrong. */
#include "read_model.h"
#include "tenon/session.h"

#define HEAD "tenon: 1\ndimension: 3\ngravity: [0, 0, 0]\n" \
             "bodies: { a: { mass: 1, inertia: [1, 1, 1], position: [1, 0, 0] } }\n" \
             "joints: { c: { type: cylindrical, between: [ground, a], at: [0, 0, 0], axis: x } }\n" \
             "tables: { law: { x: [0 s, 1 s], y: [0 N, 1 N] } }\n" \
             "forces:\n"

/* Refused when it is read, or when it is compiled. */
static void refuse(const char *text, const char *words)
{
    reading r = read_string(text);
    tn_session *session = NULL;
    if (r.code == TN_OK)
        r.code = tn_session_open(&session, r.model, NULL);
    assert_true(r.code < 0);
    must_say(&r, words);
    assert_int_equal(tn_diagnostics_count(r.context), 1);
    tn_session_close(session);
    done(&r);
}

static void test_parameters(void **state)
{
    (void)state;
    static const struct { const char *text, *words; } wrong[] = {
        { "  f: { type: spring, between: [ground, a], stifness: 3, length: 1 }\n",
          "8:44: force 'f': unknown key 'stifness'; did you mean 'stiffness'?" },
        { "  f: { type: bushing, between: [ground, a], wxyz: 3 }\n", "joint, tir, variant, variants, stiffness, damping" },
        { "  f: { type: spring, on: a, stiffness: '3 N/m * t', length: 1 }\n",
          "8:41: force 'f': 'stiffness': is a damping, must be a stiffness (N/m)" },
        { "  f: { type: spring, on: a, stiffness: '3 + 2 * (1 s + a.position.x)', length: 1 }\n",
          "8:54: force 'f': 'stiffness': cannot add" },
        { "  f: { type: torsion-spring, joint: c.angle, stiffness: 3 N/m }\n",
          "8:57: force 'f': 'stiffness': 3 N/m is a stiffness, expected a" },
        { "  f: { type: torsion-spring, joint: c.spin, stiffness: 3 }\n",
          "8:37: force 'f': a joint of type 'cylindrical' has no coordinate 'spin'" },
        { "  f: { type: motor, joint: c.agnle, value: 3 }\n", "has no coordinate 'agnle'; did you mean 'angle'?" },
        { "  f: { type: motor, joint: c, value: '3 N * sin(c.agnle)' }\n",
          "unknown name 'c.agnle'; did you mean 'c.angle'?" },
        { "  f: { type: motor, joint: c, value: '3 N s/m * a.velocty.x' }\n", "did you mean 'a.velocity'?" },
        { "  f: { type: motor, on: a, joint: c, value: 3 }\n", "force 'f': type motor takes no 'on'" },
        { "  f: { type: drag, on: a, wind: [1, 2] }\n", "8:33: force 'f': 'wind' needs 3 numbers, not 2" },
        { "  f: { type: table-spring, on: a, length: 1, law: lwa }\n", "no table 'lwa'; did you mean 'law'?" },
        { "  f: { type: table-spring, on: a, length: 1, law: law }\n", "force 'f': type 'table-spring'" },
        { "  f: { type: pid, joint: c, target: 1, measured: c.rate, kd: 1 }\n",
          "vel() of something that is a velocity already" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[2000];
        snprintf(text, sizeof text, HEAD "%s", wrong[k].text);
        refuse(text, wrong[k].words);
    }
}

static void test_requirements(void **state)
{
    (void)state;
    static const struct { const char *text, *words; } wrong[] = {
        { "  f: { type: bushing, on: a, stiffness.12: 3, stiffness.21: 4 }\n",
          "8:3: force 'f': 'stiffness' must be symmetric" },
        { "  f: { type: bushing, on: a, stiffness: [1, 2, 3] }\n",
          "'stiffness' needs 6 numbers, the diagonal, or 6 lists" },
        { "  f: { type: bushing, on: a, stiffness: [[1, 2], 3, 4, 5, 6, 7] }\n", "'stiffness' needs 6 numbers" },
        { "  f: { type: bushing, on: a, damping: 1 }\n", "'damping' must be a list of 6 numbers" },
        { "  f: { type: ball-on-plane, on: a, radius: 1, stiffness: 1 }\n", "8:3: force 'f': 'normal', the direction out of" },
        { "  f: { type: ball-on-plane, on: a, radius: 1, stiffness: 0, normal: [0, 0, 1] }\n", "must be positive" },
        { "  f: { type: ball-on-plane, on: a, radius: 1, stiffness: 1, exponent: 0.5, normal: [0, 0, 1] }\n",
          "'exponent' at least 1" },
        { "  f: { type: ball-on-plane, on: a, radius: 1, stiffness: 1, damping: -1, normal: [0, 0, 1] }\n",
          "'damping' and 'friction' must not be negative" },
        { "  f: { type: ball-in-socket, on: a, radius: 1, clearance: 0, stiffness: 1 }\n", "'clearance' must be positive" },
        { "  f: { type: friction, joint: c.angle, coefficient: 1 }\n", "needs a 'radius' along an angle" },
        { "  f: { type: friction, joint: c, coefficient: 1, radius: 1 }\n", "has none along a length" },
        { "  f: { type: friction, joint: c, coefficient: -1 }\n", "must not be negative" },
        { "  f: { type: friction, joint: c, coefficient: 1, speed: 0 }\n",
          "'speed' and 'stribeck_speed' must be positive" },
        { "  f: { type: motor, joint: c, value: 1, no_load_speed: 2 }\n", "'no_load_speed' needs a 'limit'" },
        { "  f: { type: pid, joint: c, target: 1, reset_time: 0 }\n", "'reset_time' must be positive" },
        { "  f: { type: gas-cylinder, on: a, area: 0, filling_pressure: 1 }\n",
          "'area' and 'filling_pressure' must be" },
        { "  f: { type: hydraulic-cylinder, on: a, area_a: 1, stroke: -1, closed_length: 0 }\n", "must be positive" },
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[2000];
        snprintf(text, sizeof text, HEAD "%s", wrong[k].text);
        refuse(text, wrong[k].words);
    }
}

static void test_planar_torque(void **state)
{
    (void)state;
    refuse("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 1 } }\n"
           "forces: { f: { type: torque, on: a, value: [0, 1] } }\n",
           "4:44: force 'f': 'value' must be a number: a planar torque is about z");
}

static void test_starts(void **state)
{
    (void)state;
    refuse(HEAD "  gas: { type: gas-cylinder, on: a, area: 1, filling_pressure: 1 }\n"
                "initial: { gas: { presure: 1 } }\n",
           "9:19: start 'gas': type gas-cylinder has no state 'presure'; did you mean 'pressure'?");
    refuse(HEAD "  gas: { type: gas-cylinder, on: a, area: 1, filling_pressure: 1 }\n"
                "initial: { gas: { pressure: 1 m } }\n",
           "9:29: start 'gas': 'pressure': 1 m is a length, expected a pressure (Pa)");
    refuse(HEAD "  f: { type: force, on: a }\ninitial: { f: { value: 1 } }\n", "type force has no state 'value'");
    refuse(HEAD "  f: { type: force, on: a }\ndrives: { turn: { joint: c.angle, rate: 1 } }\n"
           "initial: { turn: { speed: 1 } }\n", "a drive has no start but 'speed', where its acceleration is given");
}

/* ---- in the run ---- */

static void stops(const char *force, const char *words, double t)
{
    char text[2000];
    snprintf(text, sizeof text, HEAD "%ssolve: { until: 2 s, step: 1 ms, integrator: rk4 }\n", force);
    reading r = accepted(text);
    tn_session *session = NULL;
    assert_int_equal(tn_session_open(&session, r.model, NULL), TN_OK);
    assert_int_equal(tn_session_run(session), TN_ERROR_STEP);
    must_say(&r, words);
    assert_near(tn_session_time(session), t, 2e-3);
    tn_session_close(session);
    done(&r);
}

static void test_run(void **state)
{
    (void)state;
    stops("  load: { type: force, on: a, value: ['1 N / (1 - floor(t / 1 s))', 0, 0] }\n",
          "8:40: no accelerations at t = 1 s: force 'load': 'value.x': division by zero",
          1);
    stops("  load: { type: follower-torque, on: a, value.y: 1 N m * sqrt(0.5 - t / 1 s) }\n",
          "force 'load': 'value.y': square root of a negative number", 0.5);
    stops("  coil: { type: actuator, on: a, value: 'if(t < 1 s, 0 N, 1 N / (1 - 1 * a.position.y / a.position.y))' }\n",
          "force 'coil': 'value': division by zero", 1);
    stops("  gas: { type: gas-cylinder, on: a, area: 1, filling_pressure: 0.5, ambient: 1, leak: 1,\n"
          "         heat_time: 'if(t < 0.3 s, 1 s, 1 s * sqrt(-t / 1 s))' }\n",
          "force 'gas': 'heat_time': square root of a negative number", 0.3);
}

/* A state has the unit of its start, in its own rate and in expressions of others. */
static void test_units_of_states(void **state)
{
    (void)state;
    refuse(HEAD "  f: { type: force, on: a }\nstates: { s: { initial: 2 kg, rate: s.value * 3 m } }\n",
           "9:37: force 's': 'rate': is a kg m, must be a damping (kg/s)");
    refuse(HEAD "  f: { type: force, on: a, value: [s.value + 1 N, 0, 0] }\nstates: { s: { initial: 2 kg, rate: 1 kg/s } }\n",
           "cannot add");
}

static void test_start(void **state)
{
    (void)state;
    refuse(HEAD "  load: { type: force, on: a, value: ['1 N / (1 - a.position.x / 1 m)', 0, 0] }\n",
           "8:40: no accelerations at the start: force 'load': 'value.x': division by zero");
    refuse(HEAD "  coil: { type: gas-cylinder, on: a, area: 1, filling_pressure: 1, closed_length: 1 }\n",
           "8:3: no accelerations at the start: force 'coil': type 'gas-cylinder': division by zero");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_requirements),
        cmocka_unit_test(test_planar_torque),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_units_of_states),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
