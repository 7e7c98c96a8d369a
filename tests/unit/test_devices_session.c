/* Devices in everything a session does: equilibrium, linear systems, modes, edits with undo and redo, saved runs, going back,
 * replay, subsystems, compiled components. */
#include "live_runs.h"
#include "tenon/compile.h"
#include <math.h>

static machine opened(const char *text)
{
    machine m = machine_text(text);
    machine_start(&m, accurate(1));
    return m;
}

static void must(machine *m, const char *command)
{
    machine_must(m, tn_session_apply(NULL, m->session, command));
}

static void rest(machine *m)
{
    tn_equilibrium *found = NULL;
    machine_must(m, tn_session_statics(&found, m->session, NULL));
    assert_int_equal(found->kind, TN_EQUILIBRIUM_STABLE);
    tn_equilibrium_destroy(m->context, found);
}

/* ---- equilibrium ---- */

static void test_networks_come_to_rest(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndevices:\n"
        "  h: { type: heat-source, at: { a: A }, value: 60 W }\n"
        "  c1: { type: heat-capacity, at: { a: A }, capacity: 400 J/K }\n"
        "  g: { type: conductor, at: { a: A, b: B }, conductance: 3 W/K }\n"
        "  c2: { type: heat-capacity, at: { a: B }, capacity: 900 J/K }\n"
        "  g2: { type: conductor, at: { a: B, b: ground }, conductance: 1.2 W/K }\n"
        "  res: { type: reservoir, at: { a: S }, pressure: 6 bar }\n"
        "  o: { type: iso-orifice, at: { a: S, b: X }, conductance: 1e-8 }\n"
        "  c: { type: chamber, at: { a: X }, volume: 1 L, conductance: 0.5 }\n"
        "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: s, n: a }, resistance: 2 ohm }\n"
        "  L: { type: inductor, at: { p: a, n: b }, inductance: 0.1 H }\n"
        "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 mF }\n"
        "  R2: { type: resistor, at: { p: b, n: ground }, resistance: 3 ohm }\n");
    rest(&m);
    assert_near(value(&m, "A.temperature"), 293.15 + 70, 1e-9);
    assert_near(value(&m, "B.temperature"), 293.15 + 50, 1e-9);
    assert_near(value(&m, "X.pressure"), 6e5, 1e-3);
    assert_near(value(&m, "X.temperature"), 293.15, 1e-6);
    assert_near(value(&m, "C.u"), 6, 1e-11);
    assert_near(value(&m, "L.i"), 2, 1e-11);
    machine_close(&m);
}

/* Oil that cannot escape keeps its amount: V e^(p / B) stays. A mass sinks on it until p A = m g. */
static void test_trapped_oil_bears_a_mass(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: { ram: { mass: 2000 kg, inertia: 1 kg m^2, position: [0, 0.1] } }\n"
        "joints: { guide: { type: translational, between: [ground, ram], ends: [{ angle: 90 deg }, { angle: 90 deg }] } }\n"
        "media: { hydraulic: { bulk_modulus: 1.4 GPa } }\n"
        "devices: { cyl: { type: hydraulic-cylinder, at: { a: A, b: ground }, slide: guide.position, area_a: 1e-3 m^2,\n"
        "  area_b: 0.5e-3 m^2, stroke: 0.4 m, closed_length: 0 m, dead_a: 5e-5 m^3, friction: 100 } }\n"
        "nodes: { A: { end: yes } }\n");
    rest(&m);
    const double p = 2000 * 9.81 / 1e-3, V = (5e-5 + 1e-3 * 0.1) * exp(-p / 1.4e9);
    assert_near(value(&m, "A.pressure") / p, 1, 1e-9);
    assert_near(value(&m, "guide.position"), (V - 5e-5) / 1e-3, 1e-8);
    machine_close(&m);
}

static const char ARM[] = "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { arm: { mass: 2 kg, inertia: 0.05 kg m^2, com: [0.5, 0] } }\n"
    "joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0] } }\ndevices:\n"
    "  ctrl: { type: pid, target: 1, measured: pin.angle, kp: 60, kd: 8, low: -24, high: 24 }\n"
    "  supply: { type: voltage-source, at: { p: bus, n: ground }, value: ctrl.y * 1 V }\n"
    "  drive: { type: dc-motor, at: { p: bus, n: ground }, shaft: { pin.angle: 100 }, resistance: 0.8 ohm,\n"
    "           inductance: 1 mH, constant: 0.06 V s/rad }\n";

/* The motor holds the arm: 6 N m/A i = m g d cos(q), 0.8 ohm i = 60 V (1 - q). Without ki there is no integral, however long the
 * controller is at its limit. */
static void test_drive_holds_an_arm(void **state)
{
    (void)state;
    machine m = opened(ARM);
    rest(&m);
    const double q = value(&m, "pin.angle"), i = 9.81 * cos(q) / 6;
    assert_near(60 * (1 - q), 0.8 * i, 1e-8);
    assert_near(value(&m, "drive.i"), i, 1e-9);
    assert_near(value(&m, "ctrl.integral"), 0, 1e-12);
    machine_close(&m);
}

/* ---- linear systems ---- */

/* At rest the drive is a linear system of angle, rate, filter and current; compared by hand. */
static void test_linear_system_of_a_drive(void **state)
{
    (void)state;
    machine m = opened(ARM);
    rest(&m);
    const double q = value(&m, "pin.angle");
    tn_linear_system *l = NULL;
    machine_must(&m, tn_session_linearize(&l, m.session, NULL));
    assert_int_equal(l->state_count, 5);               /* angle, rate, integral, f, i */
    const double wanted[5][5] = {
        { 0, 1, 0, 0, 0 },
        { 9.81 * sin(q) / 0.55, 0, 0, 0, 6 / 0.55 },
        { 0, 0, 0, 0, 0 },
        { 100, 0, 0, -100, 0 },
        { (-60 - 8 / 0.01) / 1e-3, -6 / 1e-3, 1 / 1e-3, 8 / 0.01 / 1e-3, -0.8 / 1e-3 },
    };
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            assert_near(l->A[i * 5 + j], wanted[i][j], 1e-9 * (1 + fabs(wanted[i][j])));
    tn_linear_system_destroy(m.context, l);
    machine_close(&m);
}

/* Modes of a circuit: L C rings with 100 rad/s and the damping R / 2 sqrt(C / L). */
static void test_modes_of_a_circuit(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: s, n: a }, resistance: 2 ohm }\n"
        "  L: { type: inductor, at: { p: a, n: b }, inductance: 0.1 H }\n"
        "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 mF }\n");
    tn_modes *modes = NULL;
    machine_must(&m, tn_session_modes(&modes, m.session));
    assert_int_equal(modes->count, 1);
    assert_near(modes->items[0].frequency, 100 / (2 * acos(-1.0)), 1e-9);
    assert_near(modes->items[0].damping, 0.1, 1e-12);
    tn_modes_destroy(m.context, modes);
    machine_close(&m);
}

/* ---- edits, history ---- */

/* Samples, modes, kinks, states at nodes, unknowns. */
static const char MIXED[] = "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: { arm: { mass: 2 kg, inertia: 0.05 kg m^2, com: [0.5, 0] } }\n"
    "joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0] } }\ndevices:\n"
    "  ctrl: { type: discrete-pid, period: 5 ms, target: 'if(sw.y > 0.5, 1, 0.8)', measured: pin.angle, kp: 60, ki: 5, kd: 8,\n"
    "          low: -24, high: 24 }\n"
    "  sw: { type: relay, u: pin.angle, on: 0.9, off: 0.7 }\n"
    "  supply: { type: voltage-source, at: { p: bus, n: ground }, value: ctrl.y * 1 V }\n"
    "  R: { type: resistor, at: { p: bus, n: m }, resistance: 0.1 ohm }\n"
    "  D: { type: diode, at: { p: ground, n: m } }\n"
    "  drive: { type: dc-motor, at: { p: m, n: ground, heat: W }, shaft: { pin.angle: 100 }, resistance: 0.8 ohm,\n"
    "           inductance: 1 mH, constant: 0.06 V s/rad }\n"
    "  winding: { type: heat-capacity, at: { a: W }, capacity: 20 J/K }\n"
    "  cool: { type: conductor, at: { a: W, b: ground }, conductance: 0.5 W/K }\n"
    "solve: { until: 1 s, record: 10 ms }\n";

static void test_edits_are_taken_back(void **state)
{
    (void)state;
    machine m = start(MIXED, NULL);
    run_to(&m, 0.123);
    const uint64_t before = tn_session_hash(m.session);
    static const char *const edits[] = {
        "{ set: { R.resistance: 0.3 ohm } }", "{ remove: D }", "{ disable: cool }",
        "{ add: { devices: { C: { type: capacitor, at: { p: m, n: ground }, capacitance: 1 mF, initial: 3 V } } } }",
        "{ replace: { devices: { winding: { type: heat-capacity, at: { a: W }, capacity: 30 J/K } } } }",
    };
    for (size_t k = 0; k < sizeof edits / sizeof *edits; k++) {
        must(&m, edits[k]);
        run_to(&m, 0.15);
        const uint64_t after = tn_session_hash(m.session);
        machine_must(&m, tn_session_undo(NULL, m.session, true));
        assert_true(tn_session_hash(m.session) == before);
        machine_must(&m, tn_session_redo(NULL, m.session, true));
        if (tn_session_hash(m.session) != after)
            fail_msg("redo of %s", edits[k]);
        machine_must(&m, tn_session_undo(NULL, m.session, true));
        assert_true(tn_session_hash(m.session) == before);
    }
    machine_close(&m);
}

/* A number that is set acts at once: i = 10 V / R. */
static void test_set_acts_at_once(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: bus, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: bus, n: ground }, resistance: 2 ohm }\n");
    assert_near(value(&m, "R.i"), 5, 1e-14);
    must(&m, "{ set: { R.resistance: 4 ohm } }");
    assert_near(value(&m, "R.i"), 2.5, 1e-14);
    must(&m, "{ set: { R.resistance: '4 ohm + 1 ohm/s * t' } }");
    run_to(&m, 0.5);
    assert_near(value(&m, "R.i"), 10 / 4.5, 1e-13);
    assert_int_equal(tn_session_apply(NULL, m.session, "{ remove: bus }"), TN_ERROR_MODEL);
    machine_close(&m);
}

static void test_saved_runs_go_on(void **state)
{
    (void)state;
    place p = new_place();
    machine straight = start(MIXED, NULL), stopped = start(MIXED, NULL);
    run_to(&straight, 0.137);
    run_to(&stopped, 0.137);
    machine_must(&stopped, tn_session_save(stopped.session, p.saved));
    tn_session_close(stopped.session);
    stopped.session = NULL;
    machine_must(&stopped, tn_session_load(&stopped.session, stopped.context, p.saved));
    assert_true(tn_session_hash(straight.session) == tn_session_hash(stopped.session));
    run_to(&straight, 0.9);
    run_to(&stopped, 0.9);
    assert_true(tn_session_hash(straight.session) == tn_session_hash(stopped.session));
    assert_near(value(&stopped, "ctrl.y"), value(&straight, "ctrl.y"), 0);
    machine_close(&straight);
    machine_close(&stopped);
    remove_place(&p);
}

static void test_runs_go_back(void **state)
{
    (void)state;
    machine m = start(MIXED, NULL);
    machine_must(&m, tn_session_keep_rewind(m.session, 1 << 22, 0.02));
    uint64_t hashes[10];
    for (int k = 0; k < 10; k++) {
        run_to(&m, 0.0613 * (k + 1));
        if (k == 4)
            must(&m, "{ set: { R.resistance: 0.2 ohm } }");
        hashes[k] = tn_session_hash(m.session);
    }
    for (int k = 9; k >= 0; k--) {
        machine_must(&m, tn_session_seek(m.session, 0.0613 * (k + 1)));
        assert_true(tn_session_hash(m.session) == hashes[k]);
    }
    machine_close(&m);
}

static void test_journals_are_replayed(void **state)
{
    (void)state;
    place p = new_place();
    machine m = start(MIXED, NULL);
    machine_must(&m, tn_session_journal(m.session, p.journal));
    run_to(&m, 0.1);
    must(&m, "{ set: { ctrl.kp: 40 } }");
    run_to(&m, 0.2);
    must(&m, "{ add: { devices: { C: { type: capacitor, at: { p: m, n: ground }, capacitance: 1 mF } } } }");
    run_to(&m, 0.3);
    const uint64_t hash = tn_session_hash(m.session);
    machine_close(&m);
    size_t compared;
    bool complete;
    assert_true(replayed(p.journal, &compared, &complete) == hash && compared > 0 && complete);
    remove_place(&p);
}

/* ---- subsystems, components ---- */

static void put_file(const char *folder, const char *name, const char *text, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A file used twice, joined at nodes, once by a port of another name: R + 1 ohm + R on 5 V, divided by 1 kohm at the end. */
static void test_subsystems_meet_at_nodes(void **state)
{
    (void)state;
    place p = new_place();
    char part[100], whole[100];
    put_file(p.folder, "rc.yaml", "tenon: 1\nparameters: { r: 1 kohm }\ndevices:\n"
        "  R: { type: resistor, at: { p: in, n: out }, resistance: r }\n"
        "  C: { type: capacitor, at: { p: out, n: ground }, capacitance: 1 uF }\n"
        "nodes: { in: { end: yes }, out: { end: yes } }\nports: { supply: in }\n", part, sizeof part);
    put_file(p.folder, "two.yaml", "tenon: 1\nsubsystems:\n  left: { use: rc.yaml }\n"
        "  right: { use: rc.yaml, parameters: { r: 2 kohm } }\ndevices:\n"
        "  V: { type: voltage-source, at: { p: left.in, n: ground }, value: 5 V }\n"
        "  W: { type: resistor, at: { p: left.out, n: right.supply }, resistance: 1 ohm }\n"
        "  L: { type: resistor, at: { p: right.out, n: ground }, resistance: 1 kohm }\n", whole, sizeof whole);
    machine m = machine_read(whole);
    machine_start(&m, accurate(0.2));
    run_to(&m, 0.1);
    assert_near(value(&m, "left.out.voltage"), 5.0 * 3001 / 4001, 1e-10);
    assert_near(value(&m, "right.C.u"), 5.0 * 1000 / 4001, 1e-10);
    assert_true(tn_session_apply(NULL, m.session, "{ disable: right }") < 0);      /* W and L still name its nodes */
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "'W': port 'n': node 'right.in' is disabled"));
    machine_close(&m);
    unlink(part);
    unlink(whole);
    remove_place(&p);
}

static const char DRIVE[] = "tenon: 1\ndimension: 2\n"
    "bodies: { arm: { mass: 2 kg, inertia: 0.05 kg m^2, com: [0.5, 0], frames: { tip: { at: [1, 0] } } } }\n"
    "joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0] } }\ndevices:\n"
    "%s  supply: { type: voltage-source, at: { p: bus, n: ground }, value: '%s' }\n"
    "  R: { type: resistor, at: { p: bus, n: m }, resistance: 0.1 ohm }\n"
    "  drive: { type: dc-motor, at: { p: m, n: ground }, shaft: { pin.angle: 100 }, resistance: 0.8 ohm,\n"
    "           inductance: 1 mH, constant: 0.06 V s/rad }\n"
    "ports: { tip: arm.tip }\n";

static double load_height(const char *folder, const char *use)
{
    char text[600], path[100];
    snprintf(text, sizeof text, "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\nsubsystems: { a: { use: %s } }\n"
             "bodies: { load: { mass: 1 kg, inertia: 0.1 kg m^2, position: [1, 0] } }\n"
             "joints: { hook: { type: revolute, between: [a.tip, load], at: [1, 0] } }\n", use);
    put_file(folder, "host.yaml", text, path, sizeof path);
    machine m = machine_read(path);
    machine_start(&m, accurate(0.5));
    run_to(&m, 0.5);
    double height = value(&m, "load.position.y");
    machine_close(&m);
    unlink(path);
    return height;
}

/* A network inside a compiled component moves what it moves in the open file, kinks too; samples are refused. */
static void test_compiled_networks(void **state)
{
    (void)state;
    place p = new_place();
    char part[100], library[100], text[1200];
    tn_context *context = tn_context_create(NULL);
    snprintf(library, sizeof library, "%s/part.so", p.folder);
    snprintf(text, sizeof text, DRIVE, "", "100 V * clamp(pin.angle, -0.05, 0.05)");
    put_file(p.folder, "part.yaml", text, part, sizeof part);
    const tn_compile_options options = { .shell = TENON_SHELL };
    assert_int_equal(tn_compile(context, part, library, &options), TN_OK);
    assert_near(load_height(p.folder, "part.so"), load_height(p.folder, "part.yaml"), 1e-9);
    snprintf(text, sizeof text, DRIVE, "  s: { type: sample-hold, u: pin.angle, period: 1 ms }\n", "100 V * s.y");
    put_file(p.folder, "part.yaml", text, part, sizeof part);
    assert_int_equal(tn_compile(context, part, library, &options), TN_ERROR_MODEL);
    assert_non_null(strstr(tn_diagnostics_get(context, tn_diagnostics_count(context) - 1)->message, "device 's'"));
    tn_context_destroy(context);
    unlink(part);
    unlink(library);
    remove_place(&p);
}

/* Stiff where the diode blocks: the current of the coil decays within picoseconds. Both implicit methods agree. */
static void test_converter_with_gaps_in_its_current(void **state)
{
    (void)state;
    double found[2];
    for (int k = 0; k < 2; k++) {
        machine m = machine_text("tenon: 1\ndevices:\n"
            "  V: { type: voltage-source, at: { p: in, n: ground }, value: 24 V }\n"
            "  m: { type: pwm, duty: 0.5, period: 50 us }\n"
            "  S: { type: switch, at: { p: in, n: sw }, closed: m.y - 0.5 }\n"
            "  D: { type: diode, at: { p: ground, n: sw } }\n"
            "  L: { type: inductor, at: { p: sw, n: o }, inductance: 100 uH }\n"
            "  C: { type: capacitor, at: { p: o, n: ground }, capacitance: 100 uF }\n"
            "  R: { type: resistor, at: { p: o, n: ground }, resistance: 5 ohm }\n");
        tn_solve solve = accurate(1e-3);
        solve.integrator = k == 0 ? "cvode" : "ida";
        solve.tolerance = solve.absolute_tolerance = 1e-8;
        machine_start(&m, solve);
        run_to(&m, 1e-3);
        found[k] = value(&m, "C.u");
        machine_close(&m);
    }
    assert_near(found[0], found[1], 1e-4);
}

/* A ladder of 400 sections at rest after long: the voltage falls linearly along it, with every implicit integrator. Its matrix is
 * sparse; a dense one would need minutes. */
static void test_long_ladder(void **state)
{
    (void)state;
    enum { SECTIONS = 400, SIZE = 400 * SECTIONS };
    static const char *const integrators[] = { "cvode", "ida" };
    char *text = malloc(SIZE);
    size_t used = (size_t)snprintf(text, SIZE, "tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: n0, n: ground }, value: 1 V }\n"
        "  R: { type: resistor, at: { p: n%d, n: ground }, resistance: 1 kohm }\n", SECTIONS);
    for (int k = 0; k < SECTIONS; k++)
        used += (size_t)snprintf(text + used, SIZE - used,
            "  R%d: { type: resistor, at: { p: n%d, n: n%d }, resistance: 1 kohm }\n"
            "  C%d: { type: capacitor, at: { p: n%d, n: ground }, capacitance: 1 nF }\n", k, k, k + 1, k, k + 1);
    for (int i = 0; i < 2; i++) {
        machine m = machine_text(text);
        tn_solve solve = accurate(10);
        solve.integrator = integrators[i];
        solve.tolerance = solve.absolute_tolerance = 1e-6;
        machine_start(&m, solve);
        run_to(&m, 10);                                /* time constants up to 0.07 s */
        assert_near(value(&m, "n200.voltage"), 1 - 200.0 / 401, 1e-5);
        assert_near(value(&m, "V.i"), -1 / 401e3, 1e-9);
        machine_close(&m);
    }
    free(text);
}

static void test_modular_is_refused(void **state)
{
    (void)state;
    machine m = machine_text(MIXED);
    tn_solve solve = fixed_steps("modular", 1e-3, 1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_ARGUMENT);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "devices"));
    machine_close(&m);
}

/* A network and a mass on its cylinder start at rest; energy is counted from there. A heat source without a way out has no rest. */
static void test_steady_start(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -10]\nbodies: { m: { mass: 3 kg, inertia: 1 } }\n"
        "joints: { way: { type: translational, between: [ground, m], axis: [0, 1] } }\ndevices:\n"
        "  V: { type: voltage-source, at: { p: s, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: s, n: a }, resistance: 5 ohm }\n"
        "  L: { type: inductor, at: { p: a, n: b }, inductance: 1 H }\n"
        "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 mF }\n"
        "  R2: { type: resistor, at: { p: b, n: ground }, resistance: 15 ohm }\n"
        "  k: { type: spring-damper, slide: way.position, stiffness: 300 N/m }\n"
        "  h: { type: sample-hold, u: way.position, period: 0.1 s, start: 7 m }\n"
        "solve: { start: steady, until: 1 s }\n");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    assert_near(value(&m, "b.voltage"), 7.5, 1e-9);
    assert_near(value(&m, "L.i"), 0.5, 1e-9);
    assert_near(value(&m, "way.position"), -0.1, 1e-9);
    run_to(&m, 1);
    assert_near(value(&m, "b.voltage"), 7.5, 1e-7);
    assert_near(value(&m, "way.position"), -0.1, 1e-9);
    assert_near(value(&m, "h.y"), -0.1, 1e-9);
    machine_close(&m);
    m = machine_text("tenon: 1\ndevices:\n  Q: { type: heat-source, at: { a: H }, value: 5 W }\n"
        "  cap: { type: heat-capacity, at: { a: H }, capacity: 100 J/K }\nsolve: { start: steady, until: 1 s }\n");
    assert_int_equal(tn_session_open(&m.session, m.model, NULL), TN_ERROR_MODEL);
    assert_non_null(strstr(tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message, "H.temperature"));
    machine_close(&m);
}

static void check_message(const char *devices, const char *message)
{
    machine m = machine_format("tenon: 1\ndevices:\n%s", devices);
    const tn_solve solve = accurate(1);
    int code = tn_session_open(&m.session, m.model, &solve);
    if (code == TN_OK)
        code = tn_session_run(m.session);
    assert_true(code < 0);
    const char *told = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    if (!strstr(told, message))
        fail_msg("'%s' does not say '%s'", told, message);
    machine_close(&m);
}

/* What cannot be solved is named: an equation without solution with its rest, a network that becomes singular with the time. */
static void test_named_failures(void **state)
{
    (void)state;
    check_message("  V: { type: voltage-source, at: { p: a, n: ground }, value: 1 V }\n"
                  "  R: { type: resistor, at: { p: a, n: b }, resistance: 1 ohm }\n"
                  "  I: { type: current-source, at: { p: b, n: ground }, value: 2 A + 1 A/V^2 * b.voltage^2 }\n",
                  "'b.voltage': no solution: its equation is left with");
    check_message("  V: { type: voltage-source, at: { p: a, n: ground }, value: 1 V }\n"
                  "  S: { type: switch, at: { p: a, n: b }, closed: 0.5 - t / 1 s, off_conductance: 0 A/V }\n"
                  "  T: { type: switch, at: { p: b, n: ground }, closed: 0.5 - t / 1 s, off_conductance: 0 A/V }\n",
                  "'b.voltage': its equation depends on none of the unknowns here");
    check_message("  x: { type: signal, value: x.y + 1 }\n", "'x.y': it is not determined: the loop that computes it from itself");
    check_message("  x: { type: volume, at: { a: P }, volume: 1 L }\n  q: { type: flow-source, at: { a: P, b: ground }, value: sqrt(0.5 s - t) * 1e-5 }\n",
                  "node 'P': its balance: square root of a negative number");
    check_message("  p: { type: pressure-source, at: { a: P }, value: 10 bar }\n"
                  "  o: { type: orifice, at: { a: P, b: A }, area: 5 mm^2 }\n"
                  "  q: { type: orifice, at: { a: B, b: ground }, area: 5 mm^2 }\n"
                  "  c: { type: hydraulic-cylinder, at: { a: A, b: B }, slide: m.position, bore: 20 mm, rod: 10 mm, stroke: 0.1 m,\n"
                  "       closed_length: 0 m }\n"
                  "bodies: { m: { type: slider, mass: 1 kg } }\n", "the error of 'B.pressure', which is ");
}

/* A comparator with hysteresis by an op-amp jumps, which its equations do not tell: the run ends with the name of the device. */
static void test_op_amp_that_drives_itself(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n  A: { type: op-amp, at: { p: p, n: m, out: o }, low: -10 V, high: 10 V }\n"
        "  R1: { type: resistor, at: { p: o, n: p }, resistance: 10 kohm }\n  R2: { type: resistor, at: { p: p, n: ground }, resistance: 10 kohm }\n"
        "  R: { type: resistor, at: { p: o, n: m }, resistance: 10 kohm }\n"
        "  C: { type: capacitor, at: { p: m, n: ground }, capacitance: 100 nF, initial: 0.5 V }\n");
    tn_solve solve = accurate(0.01);
    solve.integrator = "dopri5";
    solve.tolerance = solve.absolute_tolerance = 1e-10;
    machine_start(&m, solve);
    assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
    const char *told = tn_diagnostics_get(m.context, tn_diagnostics_count(m.context) - 1)->message;
    if (!strstr(told, "'A"))
        fail_msg("'%s' names no device", told);
    machine_close(&m);
}

/* A cylinder at rest with ambient pressure on both sides: four paths of the valve are at their zeros, two of them leave these at
 * the start, one after the other. Values of an independent program (8th order, 1e-13). */
static void test_gas_at_rest_starts_to_flow(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\nbodies: { cart: { type: slider, mass: 4 kg } }\ninitial: { cart: { position: 0.05 m } }\ndevices:\n"
        "  sup: { type: reservoir, at: { a: P }, pressure: 7 bar, temperature: 293.15 K }\n"
        "  amb: { type: reservoir, at: { a: R }, pressure: 101325 Pa, temperature: 293.15 K }\n"
        "  sig: { type: lag, u: \"if(t < 0.4 s, 1, -1)\", time: 10 ms }\n"
        "  v: { type: pneumatic-valve-5-2, at: { p: P, r: R, a: A, b: B }, spool: sig.y, conductance: 2e-9 m^3/s/Pa }\n"
        "  cyl: { type: pneumatic-cylinder, at: { a: A, b: B, wall: W }, slide: cart.position, area_a: 800 mm^2, area_b: 700 mm^2,\n"
        "         stroke: 0.3 m, friction: 60 N s/m, conductance: 0.4 W/K }\n"
        "  wall: { type: heat-capacity, at: { a: W }, capacity: 80 J/K, temperature: 293.15 K }\n"
        "  k: { type: spring-damper, slide: cart.position, stiffness: 800 N/m, rest: 0.05 m }\n");
    run_to(&m, 0.3);
    assert_near(value(&m, "cart.position"), 0.18277824252486516, 1e-10);
    assert_near(value(&m, "B.pressure") / 158382.31650089822, 1, 1e-9);
    run_to(&m, 0.9);
    assert_near(value(&m, "cart.position"), 0.06410004297390544, 1e-10);
    assert_near(value(&m, "A.pressure") / 413323.51756805734, 1, 1e-9);
    assert_near(value(&m, "W.temperature"), 293.41354238298413, 1e-9);
    assert_int_equal(tn_diagnostics_count(m.context), 0);
    machine_close(&m);
}

/* An engine by a map of two arguments and a limited throttle: kinks of the map and of the throttle follow each other within units in
 * the last place of time, where IDA does not start. At 0.68 s an independent program (8th order, 1e-13) has the speed below. */
static void test_instants_side_by_side(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ntables:\n"
        "  map: { x: [0 rad/s, 100 rad/s, 200 rad/s, 300 rad/s], y: [0, 0.5, 1], kind: linear, z: [[0 N m, 40 N m, 80 N m],\n"
        "         [-3 N m, 50 N m, 95 N m], [-5 N m, 35 N m, 90 N m], [-8 N m, 10 N m, 60 N m]] }\n"
        "bodies: { e: { type: rotor, inertia: 0.3 kg m^2 } }\ninitial: { e: { rate: 60 rad/s } }\ndevices:\n"
        "  thr: { type: rate-limiter, u: \"if(mod(t, 1 s) < 0.5 s, 1, 0.1)\", rise: 4 1/s, fall: 8 1/s, time: 2 ms, start: 0 }\n"
        "  T: { type: torque-source, shaft: e.angle, value: \"map(e.angle.rate, thr.y) - 0.0008 N m s^2 * e.angle.rate^2\" }\n");
    tn_solve solve = accurate(0.68);
    solve.integrator = "ida";
    solve.tolerance = 1e-8;
    machine_start(&m, solve);
    run_to(&m, 0.68);
    assert_near(value(&m, "e.angle.rate"), 166.23129228668182, 1e-6);
    machine_close(&m);
}

/* Coordinates of rotors and sliders are recorded under the names by which they were asked for. */
static void test_columns_of_rotors(void **state)
{
    (void)state;
    machine m = opened("tenon: 1\nbodies: { a: { type: rotor, inertia: 1 kg m^2 }, s: { type: slider, mass: 1 kg } }\n"
        "outputs: [a.rate, a.angle, s.position.rate, a-axis.angle]\n");
    static const char *const names[] = { "a.angle.rate", "a.angle", "s.position.rate", "a-axis.angle" };
    assert_int_equal(tn_session_recorded_count(m.session), 5);        /* the first is time */
    for (size_t k = 0; k < 4; k++)
        assert_string_equal(tn_session_recorded(m.session, k + 1).name, names[k]);
    must(&m, "{ set: { a.inertia: 2 kg m^2 } }");          /* names stay when channels are found again */
    must(&m, "{ add: { devices: { T: { type: torque-source, shaft: a.angle, value: 4 N m } } } }");
    run_to(&m, 1);
    assert_near(value(&m, "a.angle.rate"), 2, 1e-12);
    assert_string_equal(tn_session_recorded(m.session, 2).name, "a.angle");
    machine_close(&m);
}

/* a = b / 2 + 1 and b = a: a loop, which is listed and solved. */
static void test_loops_are_listed(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n  a: { type: signal, value: 0.5 * b.y + 1 }\n  b: { type: signal, value: a.y }\n"
        "  c: { type: signal, value: a.y }\noutputs: [c.y]\n");
    char text[200];
    machine_start(&m, accurate(1));
    assert_int_equal(tn_session_loop(text, sizeof text, m.session, 0), TN_OK);
    assert_true(strcmp(text, "a.y -> b.y -> a.y") == 0 || strcmp(text, "b.y -> a.y -> b.y") == 0);
    assert_int_equal(tn_session_loop(text, sizeof text, m.session, 1), TN_NEWS_END);
    assert_near(value(&m, "c.y"), 2, 1e-14);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gas_at_rest_starts_to_flow), cmocka_unit_test(test_columns_of_rotors),
        cmocka_unit_test(test_instants_side_by_side),
        cmocka_unit_test(test_named_failures),
        cmocka_unit_test(test_op_amp_that_drives_itself), cmocka_unit_test(test_loops_are_listed),
        cmocka_unit_test(test_steady_start),
        cmocka_unit_test(test_networks_come_to_rest),
        cmocka_unit_test(test_trapped_oil_bears_a_mass),
        cmocka_unit_test(test_drive_holds_an_arm),
        cmocka_unit_test(test_linear_system_of_a_drive),
        cmocka_unit_test(test_modes_of_a_circuit),
        cmocka_unit_test(test_edits_are_taken_back),
        cmocka_unit_test(test_set_acts_at_once),
        cmocka_unit_test(test_saved_runs_go_on),
        cmocka_unit_test(test_runs_go_back),
        cmocka_unit_test(test_journals_are_replayed),
        cmocka_unit_test(test_subsystems_meet_at_nodes),
        cmocka_unit_test(test_compiled_networks),
        cmocka_unit_test(test_converter_with_gaps_in_its_current),
        cmocka_unit_test(test_long_ladder),
        cmocka_unit_test(test_modular_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
