/* Clutches, brakes and freewheels that stick: instants, efforts and motion agree with closed forms, with every integrator, across
 * undo and saved snapshots; what they cannot hold is named. */
#include "mechanisms.h"
#include "tenon/inputs.h"

#include <string.h>

static const char CLUTCH[] = "tenon: 1\ndimension: 2\n"
    "bodies: { a: { mass: 1, inertia: 0.2 }, b: { mass: 1, inertia: 0.5, position: [1, 0] } }\n"
    "joints: { pa: { type: revolute, between: [ground, a], at: [0, 0] },\n"
    "          pb: { type: revolute, between: [ground, b], at: [1, 0] } }\n"
    "initial: { pa: { rate: 100 rad/s } }\ndevices:\n"
    "  drive: { type: torque-source, shaft: pa.angle, value: 'if(t < 2 s, 5 N m, 60 N m)' }\n"
    "  load: { type: torque-source, shaft: pb.angle, value: -3 N m }\n"
    "  c: { type: clutch, shaft: { pa.angle: 1, pb.angle: -1 }, capacity: 20 N m }\n"
    "  heat: { type: integrator, u: c.loss }\n";

/* Slides, sticks at 100 / 109 s, slips again when the drive needs more than 20 N m. */
static void check_clutch(const char *integrator, double tolerance)
{
    machine m = machine_text(CLUTCH);
    tn_solve solve = accurate(2.5);
    if (integrator) {
        solve.integrator = integrator;
        solve.tolerance = solve.absolute_tolerance = 1e-9;
    }
    machine_start(&m, solve);
    run_to(&m, 0.5);
    assert_near(value(&m, "pa.rate"), 62.5, 62.5 * tolerance);
    assert_near(value(&m, "pb.rate"), 17, 17 * tolerance);
    run_to(&m, 1.5);
    assert_near(value(&m, "c.mode"), 0, 0);
    assert_near(value(&m, "c.since"), 100.0 / 109, tolerance);
    assert_near(value(&m, "pa.rate"), 32.857142857142854, 33 * tolerance);
    assert_near(value(&m, "pb.rate"), value(&m, "pa.rate"), 1e-11);
    assert_near(value(&m, "c.torque"), -4.4285714285714288, 1e-9);
    assert_near(value(&m, "c.hold"), 4.4285714285714288, 1e-9);
    assert_near(value(&m, "heat.y"), 917.43119266055044, 917 * tolerance);
    run_to(&m, 2.5);
    assert_near(value(&m, "c.since"), 2, tolerance);
    assert_near(value(&m, "pa.rate"), 134.28571428571428, 134 * tolerance);
    assert_near(value(&m, "pb.rate"), 51.285714285714285, 51 * tolerance);
    assert_near(value(&m, "energy.network.error"), 0, 3000 * fmax(1e-10, tolerance));
    machine_close(&m);
}

static void test_clutch(void **state)
{
    (void)state;
    check_clutch(NULL, 1e-13);
    check_clutch("cvode", 1e-8);
    check_clutch("ida", 1e-8);
    check_clutch("generalized-alpha", 1e-8);
}

/* A planetary set, e + 2 r = 3 c, whose ring is braked until 2 s, when the brake opens and a clutch of engine and carrier closes at the same
 * instant. cvode and ida stopped there. */
static void test_hand_over(void **state)
{
    (void)state;
    static const struct { const char *integrator; double tolerance, within; } runs[] = {
        { "dopri5", 1e-10, 1e-10 }, { "cvode", 1e-10, 1e-7 }, { "ida", 1e-6, 1e-4 } };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { e: { type: rotor, inertia: 0.15 kg m^2 }, r: { type: rotor, inertia: 0.02 kg m^2 },\n"
            "          c: { type: rotor, inertia: 2 kg m^2 } }\n"
            "joints: { set: { type: coupler, terms: { e.angle: 1, r.angle: 2, c.angle: -3 } } }\n"
            "initial: { e: { rate: 90 rad/s }, c: { rate: 0 rad/s } }\ndevices:\n"
            "  drive: { type: torque-source, shaft: e.angle, value: 40 N m }\n  load: { type: torque-source, shaft: c.angle, value: -20 N m }\n"
            "  B: { type: clutch, shaft: r.angle, capacity: 'if(t < 2 s, 200 N m, 0 N m)' }\n"
            "  K: { type: clutch, shaft: { e.angle: 1, c.angle: -1 }, capacity: 'if(t < 2 s, 0 N m, 150 N m)' }\n");
        tn_solve solve = accurate(4);
        solve.integrator = runs[k].integrator;
        solve.tolerance = solve.absolute_tolerance = runs[k].tolerance;
        solve.record = 0.25;
        machine_start(&m, solve);
        run_to(&m, 4);
        assert_near(value(&m, "c.rate"), 99.487585115894916, 100 * runs[k].within);
        assert_near(value(&m, "e.rate"), value(&m, "c.rate"), 1e-9);
        machine_close(&m);
    }
}

/* A mass on a spring whose end moves with 0.1 m/s: it sticks up to 5 N and slides with 3 N. It slides from 0.5 s on, for
 * (pi + atan(4/3)) / 10, and again when the spring has 5 N. */
static void test_stick_slip(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, 0]\nbodies: { m: { mass: 1 kg, inertia: 1 } }\n"
        "joints: { way: { type: translational, between: [ground, m] } }\ndevices:\n"
        "  k: { type: spring-damper, slide: way.position, stiffness: 100 N/m }\n"
        "  br: { type: slide-brake, slide: way.position, capacity: 3 N, limit: 5 N }\n"
        "  pull: { type: force-source, slide: way.position, value: 100 N/m * 0.1 m/s * t }\n");
    const double slip = (acos(-1) + atan2(4, 3)) / 10, way = 0.02 + 0.1 * slip - 0.02 * cos(10 * slip) - 0.01 * sin(10 * slip);
    machine_start(&m, accurate(2.2));
    run_to(&m, 0.4);
    assert_near(value(&m, "br.force"), -4, 1e-12);
    run_to(&m, 1);
    assert_near(value(&m, "br.since"), 0.5 + slip, 1e-11);
    assert_near(value(&m, "way.position"), way, 1e-12);
    assert_near(value(&m, "way.rate"), 0, 1e-13);
    run_to(&m, 1.4);
    assert_near(value(&m, "br.mode"), 1, 0);
    assert_near(value(&m, "br.since"), (5 + 100 * way) / 10, 1e-10);
    run_to(&m, 2.15);
    assert_near(value(&m, "br.since"), 2 * (5 + 100 * way) / 10 - 0.5, 1e-10);
    machine_close(&m);
}

/* A rope lies half around a fixed drum, mu = 0.3, with 10 N at its slack end. A pull that grows with 20 N/s lets it slip at 10 e^(0.3 pi) N;
 * then the mass of 2 kg on it accelerates with what is beyond. */
static void test_capstan(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\nbodies: { rope: { type: slider, mass: 2 kg } }\ndevices:\n"
        "  pull: { type: force-source, slide: rope.position, value: 20 N/s * t - 10 N }\n"
        "  drum: { type: capstan, slide: rope.position, tension: 10 N, friction: 0.3, wrap: 180 deg }\n");
    const double slips = 10 * exp(0.3 * acos(-1)) / 20, t = 2;
    machine_start(&m, accurate(t));
    run_to(&m, 1);
    assert_near(value(&m, "drum.hold"), 10, 1e-12);
    run_to(&m, t);
    assert_near(value(&m, "drum.since"), slips, 1e-12);
    assert_near(value(&m, "rope.position.rate"), 0.5 * 20 * (t - slips) * (t - slips) / 2, 1e-11);
    machine_close(&m);
}

/* Turns back freely with -1 N m for 1 s, comes forward with 3 N m, is held at its zero of speed after 5 / 15 s. */
static void test_freewheel(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 0.2 } }\n"
        "joints: { pa: { type: revolute, between: [ground, a], at: [0, 0] } }\ndevices:\n"
        "  drive: { type: torque-source, shaft: pa.angle, value: 'if(t < 1 s, -1 N m, if(t < 2 s, 3 N m, -2 N m))' }\n"
        "  f: { type: freewheel, shaft: pa.angle }\n");
    machine_start(&m, accurate(3));
    run_to(&m, 1);
    assert_near(value(&m, "pa.rate"), -5, 1e-12);
    run_to(&m, 1.9);
    assert_near(value(&m, "f.mode"), 1, 0);
    assert_near(value(&m, "f.since"), 4.0 / 3, 1e-13);
    assert_near(value(&m, "pa.angle"), -2.5 - 25.0 / 30, 1e-12);
    assert_near(value(&m, "f.torque"), -3, 1e-12);
    run_to(&m, 3);
    assert_near(value(&m, "f.since"), 2, 1e-13);
    assert_near(value(&m, "pa.rate"), -10, 1e-11);
    machine_close(&m);
}

/* A freewheel that begins to hold while its angle rises stops it at once; the energy of the account is that of the impact. */
static void test_freewheel_stops(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 0.2 }, b: { mass: 1, inertia: 0.3 } }\n"
        "joints: { pa: { type: revolute, between: [ground, a], at: [0, 0] }, pb: { type: revolute, between: [ground, b], at: [0, 0] } }\n"
        "initial: { pa: { rate: 10 rad/s } }\ndevices:\n"
        "  f: { type: freewheel, shaft: { pa.angle: 1, pb.angle: -1 } }\n");
    machine_start(&m, accurate(1));
    run_to(&m, 1);
    assert_near(value(&m, "pa.rate"), 4, 1e-12);
    assert_near(value(&m, "pb.rate"), 4, 1e-12);
    check_energy(&m, 1e-12);
    machine_close(&m);
}

/* A brake along the distance of two frames: a weight hangs by it at rest, and falls with g - F / m when it gives way at 1 s. */
static void test_line(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\nbodies: { m: { mass: 2 kg, inertia: [1, 1, 1], position: [0, 0, -1], frames: { eye: { at: [0, 0, 0] } } },\n"
        "          ground: { frames: { hook: { at: [0, 0, 0] } } } }\ngravity: [0, 0, -10]\n"
        "joints: { way: { type: prismatic, between: [ground, m], at: [0, 0, 0], axis: [0, 0, 1] } }\ndevices:\n"
        "  br: { type: slide-brake, line: [ground.hook, m.eye], capacity: 'if(t < 1 s, 30 N, 15 N)' }\n");
    machine_start(&m, accurate(2));
    run_to(&m, 0.5);
    assert_near(value(&m, "br.force"), -20, 1e-11);
    assert_near(value(&m, "m.position.z"), -1, 1e-14);
    run_to(&m, 2);
    assert_near(value(&m, "br.since"), 1, 1e-14);
    assert_near(value(&m, "m.position.z"), -1 - 0.5 * 2.5, 1e-11);
    machine_close(&m);
}

/* Two clutches in a row share a torque: the weaker one slips, the other sticks. Both at rest take their part. */
static void test_row_of_clutches(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\n"
        "bodies: { a: { mass: 1, inertia: 1 }, b: { mass: 1, inertia: 1 }, c: { mass: 1, inertia: 1 } }\n"
        "joints: { pa: { type: revolute, between: [ground, a], at: [0, 0] }, pb: { type: revolute, between: [ground, b], at: [0, 0] },\n"
        "          pc: { type: revolute, between: [ground, c], at: [0, 0] } }\ndevices:\n"
        "  drive: { type: torque-source, shaft: pa.angle, value: 9 N m * t / 1 s }\n"
        "  strong: { type: clutch, shaft: { pa.angle: 1, pb.angle: -1 }, capacity: 10 N m }\n"
        "  weak: { type: clutch, shaft: { pb.angle: 1, pc.angle: -1 }, capacity: 2 N m }\n"
        "  brake: { type: clutch, shaft: pc.angle, capacity: 1 N m }\n");
    machine_start(&m, accurate(2));
    run_to(&m, 0.1);
    assert_near(value(&m, "pa.rate"), 0, 1e-14);
    assert_near(value(&m, "strong.hold"), 0.9, 1e-12);
    assert_near(value(&m, "brake.hold"), 0.9, 1e-12);
    run_to(&m, 0.4);
    assert_near(value(&m, "brake.since"), 1.0 / 9, 1e-11);
    assert_near(value(&m, "strong.mode"), 0, 0);
    assert_near(value(&m, "weak.mode"), 0, 0);
    assert_near(value(&m, "weak.hold"), 1 + (3.6 - 1) / 3, 1e-10);
    run_to(&m, 1);
    assert_near(value(&m, "weak.since"), 4.0 / 9, 1e-11);
    assert_near(value(&m, "strong.mode"), 0, 0);
    assert_near(value(&m, "strong.hold"), 2 + (9.0 - 2) / 2, 1e-10);
    machine_close(&m);
}

/* Rotors and sliders: a planetary set w_s + 2 w_r = 3 w_c with a torque on the sun, its carrier on a rack, in a gravity that does not act
 * along it. With J_s = 1, J_r = 2, J_c = 3, m r^2 = 4 * 0.25 on the carrier, the reaction L of the relation gives
 *     1 - L = a_s,  -2 L = 2 a_r,  3 L = (3 + 1) a_c,  a_s + 2 a_r = 3 a_c   =>   1 - L - 2 L = 9 L / 4,  L = 4 / 21 */
static void test_rotors(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        machine m = machine_format("tenon: 1\ndimension: %d\ngravity: [4, -9%s]\nbodies:\n"
            "  s: { type: rotor, inertia: 1 kg m^2 }\n  r: { type: rotor, inertia: 2 kg m^2 }\n  c: { type: rotor, inertia: 3 kg m^2 }\n"
            "  rack: { type: slider, mass: 4 kg }\njoints:\n"
            "  set: { type: coupler, terms: { s.angle: 1, r.angle: 2, c.angle: -3 } }\n"
            "  pinion: { type: rack-and-pinion, joints: [c.angle, rack.position], radius: 0.5 m }\n"
            "initial: { s: { angle: 0.5 rad } }\n"
            "devices: { drive: { type: torque-source, shaft: s.angle, value: 1 N m } }\n"
            "outputs: [ { twice: 2 * s.angle } ]\n", dimension, dimension == 3 ? ", 2" : "");
        machine_start(&m, accurate(1));
        run_to(&m, 1);
        const double L = 4.0 / 21;
        assert_near(value(&m, "s.rate"), 1 - L, 1e-12);
        assert_near(value(&m, "r.angle.rate"), -L, 1e-12);
        assert_near(value(&m, "c.rate"), 0.75 * L, 1e-12);
        assert_near(fabs(value(&m, "rack.position.rate")), 0.375 * L, 1e-12);
        assert_near(value(&m, "twice"), 1 + (1 - L), 1e-12);
        machine_close(&m);
    }
}

/* A snapshot with a stuck clutch is taken up to the bit; a state with other speeds makes it slide. */
static void test_snapshot(void **state)
{
    (void)state;
    machine m = machine_text(CLUTCH);
    tn_state_snapshot *stuck = NULL;
    machine_start(&m, accurate(2.5));
    run_to(&m, 0.5);
    tn_state_snapshot *slides = NULL;
    machine_must(&m, tn_session_take_snapshot(&slides, m.session));
    run_to(&m, 1.5);
    machine_must(&m, tn_session_take_snapshot(&stuck, m.session));
    run_to(&m, 2.5);
    const uint64_t hash = tn_session_hash(m.session);
    machine_must(&m, tn_session_restore(m.session, stuck));
    assert_near(value(&m, "c.hold"), 4.4285714285714288, 1e-12);
    run_to(&m, 2.5);
    assert_int_equal(tn_session_hash(m.session), hash);
    machine_must(&m, tn_session_restore(m.session, slides));
    assert_near(value(&m, "c.hold"), 0, 0);
    run_to(&m, 1.5);
    run_to(&m, 2.5);
    assert_int_equal(tn_session_hash(m.session), hash);
    machine_must(&m, tn_session_restore(m.session, stuck));
    machine_must(&m, tn_session_apply(NULL, m.session, "{ set: { c.capacity: 4 N m } }"));
    run_to(&m, 1.6);
    assert_near(value(&m, "c.mode"), 1, 0);
    assert_near(value(&m, "pa.rate"), 32.857142857142854 + 0.1 * 5, 1e-10);
    tn_state_snapshot_destroy(stuck);
    tn_state_snapshot_destroy(slides);
    machine_close(&m);
}

static void test_ports_that_cannot_be_held(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { a: { mass: 1, inertia: 0.2 } }\n"
        "joints: { pa: { type: revolute, between: [ground, a], at: [0, 0] } }\ndevices:\n"
        "  c: { type: clutch, shaft: sin(pa.angle) * 1 rad, capacity: 1 N m }\n");
    const tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_MODEL);
    assert_non_null(strstr(tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message, "can stick: 'shaft' must be"));
    machine_close(&m);
}

/* A boom that falls onto its stop with a brake, while a load swings and a slide moves on it: stop and brake would both hold it, and
 * neither alone. It rests there without changing the brake's mode with every step. */
static void test_brake_at_a_stop(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 3\ngravity: [0, 0, -10]\nbodies:\n"
        "  boom: { mass: 120, com: [1.2, 0, 0], inertia: [4, 60, 60], position: [0, 0, 0] }\n"
        "  arm: { mass: 60, com: [0.9, 0, 0], inertia: [1, 20, 20], position: [1.3, 0, 0] }\n"
        "  hook: { mass: 90, com: [0, 0, -0.8], inertia: [20, 20, 2], position: [3.2, 0, 0] }\njoints:\n"
        "  lift: { type: revolute, between: [ground, boom], at: [0, 0, 0], axis: [0, -1, 0], limits: { angle: [-0.4, 1.2] } }\n"
        "  reach: { type: prismatic, between: [boom, arm], at: [1.3, 0, 0], axis: [1, 0, 0], limits: { position: [0, 1.5] } }\n"
        "  swing: { type: revolute, between: [arm, hook], at: [3.2, 0, 0], axis: [0, 1, 0] }\nforces:\n"
        "  damper: { type: torsion-spring, joint: reach.position, damping: 2000 }\n"
        "devices: { c: { type: clutch, shaft: lift.angle, capacity: 50 N m } }\n");
    machine_start(&m, accurate(1));
    run_to(&m, 1);
    assert_near(value(&m, "lift.angle"), -0.4, 1e-12);
    assert_true(value(&m, "c.since") < 0.7);
    assert_true(tn_session_summary(m.session).steps < 1000);
    machine_close(&m);
}

/* A brake whose capacity falls through zero lets go: 3 N against 5 N (1 - t / 1 s) from rest. It sticks until 0.4 s, slides, and is free
 * from 1 s on. */
static void test_capacity_below_zero(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\nbodies: { s: { type: slider, mass: 2 kg } }\ndevices:\n"
        "  b: { type: slide-brake, slide: s.position, capacity: 5 N - 5 N/s * t }\n"
        "  f: { type: force-source, slide: s.position, value: 3 N }\n");
    machine_start(&m, accurate(2));
    run_to(&m, 2);
    assert_near(value(&m, "s.position.rate"), (3 * 1.6 - 5 * 0.6 * 0.6 / 2) / 2, 1e-9);
    assert_near(value(&m, "b.rubbing"), 0, 0);
    machine_close(&m);
}

/* Friction that falls with the speed, by abs() of it: the kink of abs() and the end of sliding are at one instant, where the step that ends there
 * must really be, whatever the polynomial of a longer step has shown. Places by an independent integration. */
static void test_falling_friction(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\nbodies: { block: { type: slider, mass: 2 kg } }\ndevices:\n"
        "  spring: { type: force-source, slide: block.position, value: \"500 N/m * (0.05 m/s * t - block.position)\" }\n"
        "  floor: { type: slide-brake, slide: block.position, limit: 14 N,\n"
        "           capacity: \"8 N + 6 N * exp(-abs(block.position.rate) / (0.02 m/s))\" }\n");
    tn_solve solve = accurate(1.75);
    solve.integrator = "dopri5";
    solve.tolerance = solve.absolute_tolerance = 1e-12;
    machine_start(&m, solve);
    run_to(&m, 0.7);
    assert_near(value(&m, "block.position"), 0.019457655971, 1e-10);
    run_to(&m, 1.75);
    assert_near(value(&m, "block.position"), 0.075053970367, 1e-10);
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    machine_close(&m);
}

/* A crank drives a flywheel through a freewheel, which holds and lets go six times; rates by an independent integration. */
static void test_freewheel_drive(void **state)
{
    (void)state;
    static const char *const integrators[] = { "dopri5", "cvode", "ida" };
    for (int k = 0; k < 12; k++) {
        machine m = machine_text("tenon: 1\ndimension: 2\nbodies:\n  in: { type: rotor, inertia: 0.02 kg m^2 }\n"
            "  out: { type: rotor, inertia: 0.1 kg m^2 }\ndevices:\n"
            "  crank: { type: torque-source, shaft: in.angle, value: \"6 N m * sin(9 rad/s * t) - 0.05 N m s/rad * in.angle.rate\" }\n"
            "  oneway: { type: freewheel, shaft: { in.angle: 1, out.angle: -1 } }\n"
            "  drag: { type: torque-source, shaft: out.angle, value: \"-0.3 N m s/rad * out.angle.rate\" }\n");
        tn_solve solve = accurate(3);
        solve.integrator = integrators[k % 3];
        solve.tolerance = solve.absolute_tolerance = pow(10, -5 - k / 3);
        machine_start(&m, solve);
        run_to(&m, 3);
        assert_near(value(&m, "in.angle.rate"), 2.5130542576, 10 * solve.tolerance);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacity_below_zero),
        cmocka_unit_test(test_falling_friction),
        cmocka_unit_test(test_freewheel_drive),
        cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_clutch),           cmocka_unit_test(test_stick_slip), cmocka_unit_test(test_freewheel),
        cmocka_unit_test(test_freewheel_stops),  cmocka_unit_test(test_line),       cmocka_unit_test(test_row_of_clutches),
        cmocka_unit_test(test_capstan),          cmocka_unit_test(test_rotors),           cmocka_unit_test(test_snapshot),          cmocka_unit_test(test_ports_that_cannot_be_held),
        cmocka_unit_test(test_brake_at_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
