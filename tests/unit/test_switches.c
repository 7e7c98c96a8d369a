/* Jumps of what depends on time alone: steps of every integrator end in front of them and begin behind, so that results are those of the
 * smooth pieces. References are closed forms. */
#include "mechanisms.h"
#include "near.h"
#include "tenon/inputs.h"

#include <math.h>

static const char *const integrators[] = { "dopri5", "dop853", "cvode", "ida", "generalized-alpha", "newmark-adaptive", "rk4", "heun", "midpoint",
                                           "newmark", "newmark-iterated", "newmark-pec" };
enum { ADAPTIVE = 6, INTEGRATORS = (int)(sizeof integrators / sizeof *integrators) };

/* Steps of 30 ms do not meet the jumps. */
static tn_solve settings(int integrator, const char *scheme)
{
    tn_solve solve = tn_solve_default();
    solve.integrator = integrators[integrator];
    solve.scheme = scheme;
    solve.until = 1;
    solve.step = integrator < ADAPTIVE ? NAN : 0.03;
    solve.tolerance = solve.absolute_tolerance = 1e-9;
    return solve;
}

/* Multistep methods begin with order one and leave errors of the tolerance. */
static double allowed(int integrator)
{
    const char *name = integrators[integrator];
    return strcmp(name, "cvode") == 0 || strcmp(name, "ida") == 0 ? 2e-8 : strcmp(name, "generalized-alpha") == 0 ? 2e-9 : 1e-12;
}

static const struct { const char *text, *channel; double value; } jumps[] = {
    { "bodies: { m: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: m, value: [\"if(t < 0.5 s, 3 N, -1.7 N)\", 0] } }\n", "m.velocity.x", 0.65 },
    { "bodies: { m: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: m, value: [\"if(t <= 0.5 s, 3 N, -1.7 N)\", 0] } }\n", "m.position.x",
      0.9125 },
    { "parameters: { T: 0.31 s }\nlet: { pulse: \"if(t <= T, 1, 0)\", hat: \"(x) -> max(0, 1 - abs(x))\" }\nbodies: { m: { mass: 1, inertia: 1 } }\n"
      "forces: { f: { type: force, on: m, value: [\"3 N * pulse + 5 N * hat((t - 0.7 s) / (0.1 s))\", 0] } }\n", "m.velocity.x", 1.43 },
    { "bodies: { m: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: m, "
      "value: [\"2 N * floor(t / (0.25 s)) + 1 N * mod(t, 0.3 s) / (1 s) + 1 N * sign(t - 0.77 s)\", 0] } }\n", "m.velocity.x", 2.6 },
    { "gravity: [0, \"if(t > 0.31 s, -2 m/s^2, 0)\"]\nbodies: { m: { mass: 1, inertia: 1 } }\n", "m.velocity.y", -1.38 },
    { "bodies: { k: { mass: 1, inertia: 1 } }\njoints: { j: { type: revolute, between: [ground, k], at: [0, 0] } }\n"
      "drives: { d: { joint: j, rate: \"if(t < 0.31 s, 1 rad/s, 1 rad/s + 2 rad/s^2 * (t - 0.31 s))\" } }\n", "j.angle", 1 + 0.69 * 0.69 },
    /* torques of the drive jump; the drive itself jumps, and does work at once */
    { "bodies: { k: { mass: 2, inertia: 1, com: [0.5, 0] } }\njoints: { j: { type: revolute, between: [ground, k], at: [0, 0] } }\n"
      "drives: { d: { joint: j, rate: \"max(0, min(1, t / (1 s) - 0.03)) * 2 rad/s\" } }\n", "j.angle", 0.97 * 0.97 },
    { "bodies: { k: { mass: 2, inertia: 1, com: [0.5, 0] } }\njoints: { j: { type: revolute, between: [ground, k], at: [0, 0] } }\n"
      "drives: { d: { joint: j, angle: \"if(t < 0.5 s, 0, (t - 0.5 s) * 2 rad/s)\" } }\n", "j.angle", 1 },
    { "bodies: { m: { mass: 1, inertia: 1 } }\nstates: { s: { rate: \"floor(t / (0.125 s)) / (1 s)\", initial: 0 } }\n", "s.value", 3.5 },
    { "bodies: { m: { mass: 1, inertia: 1 } }\ndevices: { i: { type: integrator, u: \"if(t > 0.31 s, 2, 0)\", start: 0 } }\n", "i.y", 1.38 },
    /* bounds over an instant are the values; poles are passed. References: roots by bisection, closed form */
    { "bodies: { m: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: m, "
      "value: [\"if(sin(44 rad/s * t) * sin(21 rad/s * t) > 0.3, 5 N, 0 N)\", 0] } }\n", "m.velocity.x", 1.2855881579202575 },
    { "bodies: { m: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: m, value: [\"if(tan(7 rad/s * t) > 0.5, 3 N, 0 N)\", 0] } }\n",
      "m.velocity.x", 1.0574847940319096 },
};

static machine jumping(size_t k)
{
    char text[600];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\n%s%s", strstr(jumps[k].text, "gravity") ? "" : "gravity: [0, 0]\n", jumps[k].text);
    return machine_text(text);
}

static void test_closed_forms(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof jumps / sizeof *jumps; k++)
        for (int i = 0; i < INTEGRATORS; i++) {
            machine m = jumping(k);
            tn_summary sum = machine_run(&m, settings(i, "projection"));
            if (!(fabs(value(&m, jumps[k].channel) - jumps[k].value) <= allowed(i)))
                fail_msg("%s, jump %zu: off by %.3g", integrators[i], k, value(&m, jumps[k].channel) - jumps[k].value);
            assert_near(sum.energy_error, 0, 20 * allowed(i));
            assert_int_equal(tn_diagnostics_count(m.context), 0);
            machine_close(&m);
        }
}

static void test_schemes(void **state)
{
    (void)state;
    static const char *const schemes[] = { "baumgarte", "penalty", "taylor2" };
    for (size_t k = 0; k < 5; k++)
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            machine m = jumping(k);
            machine_run(&m, settings(ADAPTIVE, schemes[i]));
            assert_near(value(&m, jumps[k].channel), jumps[k].value, 1e-12);
            machine_close(&m);
        }
}

/* Behind a jump fixed steps go back to multiples of their length. Rows at a jump show the side behind it. */
static void test_grid(void **state)
{
    (void)state;
    static const double ends[] = { 0.1, 0.2, 0.25, 0.3, 0.4 };
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, 0]\nbodies: { m: { mass: 1, inertia: 1 } }\n"
                             "forces: { f: { type: force, on: m, value: [\"if(t < 0.25 s, 3 N, if(t < 0.4 s, 1 N, 2 N))\", 0] } }\n");
    machine_start(&m, fixed_steps("rk4", 0.1, 1));
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        machine_must(&m, tn_session_step(m.session));
        assert_near(tn_session_time(m.session), ends[k], 1e-15);
    }
    machine_must(&m, tn_session_advance_to(m.session, 0.4));
    assert_near(value(&m, "m.velocity.x"), 0.9, 1e-14);
    machine_must(&m, tn_session_advance_to(m.session, 1));
    assert_near(value(&m, "m.velocity.x"), 2.1, 1e-14);
    machine_close(&m);
}

/* A run that goes back to a jump goes on as before, to the bit. */
static void test_back_to_a_jump(void **state)
{
    (void)state;
    double end[2];
    for (int again = 0; again < 2; again++) {
        machine m = jumping(0);
        tn_state_snapshot *jump = NULL;
        machine_start(&m, settings(0, "projection"));
        machine_must(&m, tn_session_advance_to(m.session, 0.5));
        machine_must(&m, tn_session_take_snapshot(&jump, m.session));
        machine_must(&m, tn_session_advance_to(m.session, 0.7));
        if (again) {
            machine_must(&m, tn_session_restore(m.session, jump));
            machine_must(&m, tn_session_advance_to(m.session, 0.7));
        }
        tn_state_snapshot_destroy(jump);
        machine_must(&m, tn_session_advance_to(m.session, 1));
        end[again] = value(&m, "m.position.x");
        assert_near(end[again], 0.9125, 1e-14);
        machine_close(&m);
    }
    assert_true(end[0] == end[1]);
}

/* What is one up to round-off is above and below it by chance; the run goes on. */
static void test_noise(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, 0]\nbodies: { m: { mass: 1, inertia: 1 } }\nforces: { f: { type: force, on: m, "
                             "value: [\"if(sin(t / 1 s)^2 + cos(t / 1 s)^2 < 1, 1 N, 1 N)\", 0] } }\n");
    tn_summary sum = machine_run(&m, settings(0, "projection"));
    assert_near(value(&m, "m.velocity.x"), 1, 1e-11);
    assert_true(sum.steps < 10000);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_schemes), cmocka_unit_test(test_grid), cmocka_unit_test(test_back_to_a_jump),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
