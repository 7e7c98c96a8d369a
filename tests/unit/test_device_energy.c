/* The energy account of devices: what is stored, supplied, lost and given to the mechanism closes for every type. */
#include "mechanisms.h"
#include "tenon/sys/device.h"

/* Relative to the energy exchanged. */
static const double CLOSED = 1e-10;

static const char ELECTRICAL[] = "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { rotor: { mass: 1, inertia: 2e-4 }, wheel: { mass: 1, inertia: 1e-3 }, bar: { type: slider, mass: 0.2 kg } }\n"
    "joints: { pin: { type: revolute, between: [ground, rotor] }, hub: { type: revolute, between: [ground, wheel] } }\n"
    "tables: { ocv: { x: [0, 1], y: [10, 13] } }\ndevices:\n"
    "  B: { type: battery, at: { p: bus, n: ground, heat: pack }, ocv: ocv, capacity: 40 C, resistance: 0.1 ohm, soc_start: 0.8 }\n"
    "  V: { type: voltage-source, at: { p: s, n: ground }, value: 12 V * sin(60 rad/s * t) }\n"
    "  R: { type: resistor, at: { p: s, n: a, heat: pack }, resistance: 2 ohm }\n"
    "  L: { type: inductor, at: { p: a, n: b }, inductance: 10 mH }\n"
    "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 1 mF, series_resistance: 0.1 ohm, initial: 3 V }\n"
    "  D: { type: diode, at: { p: b, n: c }, knee: 0.6 V, on_resistance: 0.05 ohm }\n"
    "  X: { type: diode-exponential, at: { p: c, n: ground }, saturation: 1e-9 A, emission: 2 }\n"
    "  Rc: { type: resistor, at: { p: c, n: ground }, resistance: 30 ohm }\n"
    "  T: { type: transformer, at: { p1: b, n1: ground, p2: d, n2: ground }, ratio: 3 }\n"
    "  pot: { type: potentiometer, at: { p: d, n: ground, tap: tap }, resistance: 50 ohm, position: 0.3 }\n"
    "  Rt: { type: resistor, at: { p: tap, n: ground }, resistance: 20 ohm }\n"
    "  A: { type: op-amp, at: { p: ground, n: m, out: o }, low: -5 V, high: 5 V }\n"
    "  Ri: { type: resistor, at: { p: s, n: m }, resistance: 1 kohm }\n"
    "  Rf: { type: resistor, at: { p: m, n: o }, resistance: 2 kohm }\n"
    "  I: { type: current-source, at: { p: ground, n: c }, value: 0.2 A }\n"
    "  S: { type: switch, at: { p: bus, n: e }, closed: (t - 20 ms) / 1 s, on_resistance: 0.01 ohm }\n"
    "  Rs: { type: resistor, at: { p: bus, n: e }, resistance: 50 ohm }\n"
    "  M: { type: dc-motor, at: { p: e, n: ground, heat: pack }, shaft: pin.angle, resistance: 1 ohm, inductance: 5 mH,\n"
    "       constant: 0.05 V s/rad, friction: 1e-5 N m s/rad }\n"
    "  G: { type: emf, at: { p: g, n: ground }, shaft: pin.angle, constant: 0.02 V s/rad }\n"
    "  Rg: { type: resistor, at: { p: g, n: ground }, resistance: 5 ohm }\n"
    "  K: { type: voice-coil, at: { p: e, n: ground, heat: pack }, slide: bar.position, resistance: 4 ohm, inductance: 1 mH,\n"
    "       constant: 6 N/A / (1 + (bar.position / 10 mm)^2), friction: 0.5 N s/m }\n"
    "  P: { type: pmsm, at: { p: bus, n: ground }, shaft: hub.angle, pairs: 4, resistance: 0.2 ohm, ld: 1 mH, lq: 2 mH,\n"
    "       flux: 0.01 Wb, vq_wanted: 3 V, vd_wanted: -1 V, friction: 1e-5 N m s/rad }\n"
    "  H: { type: heat-capacity, at: { a: pack }, capacity: 20 J/K, temperature: 300 K }\n";

static const char HYDRAULIC[] = "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { piston: { mass: 20 kg, inertia: 1, position: [0.1, 0] }, shaft: { mass: 1, inertia: 0.05 } }\n"
    "joints: { way: { type: translational, between: [ground, piston] }, pin: { type: revolute, between: [ground, shaft] } }\n"
    "media: { hydraulic: { air: 1 % } }\n"
    "initial: { pin: { rate: 50 rad/s } }\ndevices:\n"
    "  P: { type: pump, at: { a: ground, b: h }, shaft: pin.angle, displacement: 1e-6 m^3/rad, leak: 1e-13 m^3/s/Pa,\n"
    "       friction: 0.01 N m s/rad }\n"
    "  motor: { type: torque-source, shaft: pin.angle, value: 5 N m }\n"
    "  hose: { type: hose, at: { a: h }, volume: 1e-4 m^3, expansion: 1e-9 1/Pa, pressure: 20 bar }\n"
    "  acc: { type: accumulator, at: { a: h }, volume: 5e-5 m^3, filling: 25 bar, exponent: 1.3, dead: 1e-6 m^3 }\n"
    "  acc1: { type: accumulator, at: { a: c }, volume: 5e-5 m^3, filling: 8 bar, exponent: 1, dead: 1e-6 m^3 }\n"
    "  pi: { type: pipe-inertia, at: { a: h, b: c }, length: 1 m, diameter: 8 mm, pressure: 20 bar }\n"
    "  pp: { type: pipe, at: { a: c, b: d }, length: 2 m, diameter: 6 mm, pressure: 20 bar }\n"
    "  v: { type: valve-4-3, at: { p: d, t: ground, a: A, b: B }, spool: 0.5 * sin(20 rad/s * t), area: 4e-6 m^2,\n"
    "       leak: 1e-9 m^2, critical: 0.5 bar }\n"
    "  cyl: { type: hydraulic-cylinder, at: { a: A, b: B }, slide: way.position, bore: 40 mm, rod: 20 mm, stroke: 0.4 m,\n"
    "         closed_length: 0 m, friction: 300 N s/m, leak: 1e-13 m^3/s/Pa, pressure_a: 5 bar, pressure_b: 5 bar }\n"
    "  rel: { type: relief-valve, at: { a: d, b: ground }, opening: 30 bar, gradient: 1e-11 m^3/s/Pa, leak: 1e-14 m^3/s/Pa }\n"
    "  chk: { type: check-valve, at: { a: d, b: e }, cracking: 0.5 bar, full: 2 bar, area: 1e-6 m^2, leak: 1e-9 m^2 }\n"
    "  vol: { type: volume, at: { a: e }, volume: 1e-4 m^3, pressure: 15 bar }\n"
    "  orf: { type: orifice, at: { a: e, b: f }, area: 5e-7 m^2, critical: 0.5 bar }\n"
    "  lam: { type: laminar, at: { a: f, b: g }, conductance: 1e-12 m^3/s/Pa }\n"
    "  src: { type: pressure-source, at: { a: g }, value: 3 bar }\n"
    "  q: { type: flow-source, at: { a: ground, b: f }, value: 1e-6 m^3/s }\n"
    "  load: { type: spring-damper, slide: way.position, stiffness: 2e4 N/m, damping: 50 N s/m, rest: 0.1 m, gap: 2 mm }\n"
    "  push: { type: force-source, slide: way.position, value: -100 N }\n";

static const char PNEUMATIC[] = "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { piston: { mass: 2 kg, inertia: 1, position: [0.1, 0] }, other: { mass: 2 kg, inertia: 1, position: [0.1, 0] } }\n"
    "joints: { way: { type: translational, between: [ground, piston] },\n"
    "          side: { type: translational, between: [ground, other] } }\ndevices:\n"
    "  S: { type: reservoir, at: { a: s }, pressure: 6 bar, temperature: 310 K }\n"
    "  v: { type: pneumatic-valve-5-2, at: { p: s, r: ground, a: A, b: B }, spool: sin(30 rad/s * t), conductance: 2e-9 m^3/s/Pa,\n"
    "       leak: 1e-3, laminar: 0.9 }\n"
    "  cyl: { type: pneumatic-cylinder, at: { a: A, b: B, wall: w }, slide: way.position, area_a: 1e-3 m^2, area_b: 0.8e-3 m^2,\n"
    "         stroke: 0.4 m, friction: 100 N s/m, conductance: 0.3 W/K }\n"
    "  one: { type: pneumatic-cylinder, at: { a: C }, slide: side.position, area_a: 1e-3 m^2, stroke: 0.4 m, friction: 100 N s/m,\n"
    "         conductance: 0.3 W/K }\n"
    "  hold: { type: spring-damper, slide: way.position, stiffness: 1e4 N/m, damping: 20 N s/m, rest: 0.15 m }\n"
    "  back: { type: spring-damper, slide: side.position, stiffness: 1e4 N/m, damping: 20 N s/m, rest: 0.15 m }\n"
    "  o: { type: iso-orifice, at: { a: s, b: C }, conductance: 1e-9 m^3/s/Pa, laminar: 0.9 }\n"
    "  tank: { type: chamber, at: { a: C }, volume: 1e-4 m^3, conductance: 0.2 W/K }\n"
    "  feed: { type: gas-source, at: { a: C }, value: 1e-5 kg/s, temperature: 350 K }\n"
    "  out: { type: iso-orifice, at: { a: C, b: ground }, conductance: 1e-9 m^3/s/Pa, laminar: 0.9 }\n"
    "  wall: { type: heat-capacity, at: { a: w }, capacity: 5 J/K, temperature: 293 K }\n"
    "  k: { type: conductor, at: { a: w, b: x }, conductance: 2 W/K }\n"
    "  c: { type: convection, at: { a: w, b: ground }, coefficient: 10 W/m^2/K, area: 0.02 m^2 }\n"
    "  r: { type: radiation, at: { a: w, b: ground }, area: 0.02 m^2 }\n"
    "  T: { type: temperature-source, at: { a: x }, value: 320 K }\n"
    "  q: { type: heat-source, at: { a: w }, value: 5 W }\n";

static const char MECHANICS[] = "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
    "bodies: { a: { mass: 1, inertia: 0.2 }, b: { mass: 1, inertia: 0.5 }, c: { mass: 1, inertia: 0.1 }, d: { mass: 3, inertia: 1 } }\n"
    "joints: { A: { type: revolute, between: [ground, a] }, B: { type: revolute, between: [ground, b] },\n"
    "          C: { type: revolute, between: [ground, c] }, D: { type: translational, between: [ground, d] } }\n"
    "initial: { A: { rate: 20 }, D: { rate: 1 } }\ndevices:\n"
    "  clutch: { type: clutch, shaft: { A.angle: 1, B.angle: -1 }, capacity: 20 N m }\n"
    "  drive: { type: torque-source, shaft: A.angle, value: 5 N m }\n"
    "  coupling: { type: coupling, shaft: { B.angle: 1, C.angle: -1 }, stiffness: 300 N m/rad, damping: 0.3 N m s/rad, gap: 0.02 rad }\n"
    "  belt: { type: belt, slide: { C.angle: 0.1 m, A.angle: -0.1 m }, stiffness: 2e3 N/m, damping: 10 N s/m, pretension: 20 N }\n"
    "  brake: { type: slide-brake, slide: D.position, capacity: 10 N }\n"
    "  rope: { type: capstan, slide: D.position, tension: 2 N, friction: 0.2, wrap: 3 rad }\n"
    "  free: { type: freewheel, shaft: { C.angle: 1, B.angle: -1.5 } }\n";

static const char *const MODELS[] = { ELECTRICAL, HYDRAULIC, PNEUMATIC, MECHANICS };

static void test_accounts_close(void **state)
{
    (void)state;
    static const double until[] = { 0.1, 0.1, 0.2, 0.6 };
    for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++) {
        machine m = machine_text(MODELS[k]);
        machine_start(&m, accurate(until[k]));
        run_to(&m, until[k]);
        tn_summary sum = tn_session_summary(m.session);
        if (sum.network_error > CLOSED * sum.network_scale)
            print_error("model %zu: %g of %g J\n", k, sum.network_error, sum.network_scale);
        assert_true(sum.network_scale > 0.01);
        assert_true(sum.network_error <= CLOSED * sum.network_scale);
        assert_int_equal(sum.doubts, 0);
        machine_close(&m);
    }
}

/* Every type that has ports takes part in one of the models. */
static void test_every_type_is_covered(void **state)
{
    (void)state;
    for (const tn_device_family *family = tn_device_families; *family; family++)
        for (tn_device_family type = *family; *type; type++) {
            char word[80];
            bool found = !(*type)->device->ports[0].name;
            snprintf(word, sizeof word, "type: %s,", (*type)->name);
            for (size_t k = 0; k < sizeof MODELS / sizeof *MODELS; k++)
                found |= strstr(MODELS[k], word) != NULL;
            if (!found)
                print_error("'%s' is in no model\n", (*type)->name);
            assert_true(found);
        }
}

/* A type that gives away energy that it does not have is told by the judge. */
static void test_judge_finds_a_wrong_type(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevice_types:\n"
        "  magic: { ports: { p: electrical, n: electrical }, parameters: { resistance: ohm },\n"
        "           channels: { i: (p.voltage - n.voltage) / resistance }, flows: { p: i, n: -i },\n"
        "           loss: 0.5 * (p.voltage - n.voltage) * i }\n"
        "devices:\n"
        "  V: { type: voltage-source, at: { p: a, n: ground }, value: 10 V }\n"
        "  R: { type: magic, at: { p: a, n: b }, resistance: 10 ohm }\n"
        "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 10 mF }\n");
    machine_start(&m, accurate(0.1));
    run_to(&m, 0.1);
    assert_true(tn_session_summary(m.session).doubts & 1u << TN_DOUBT_NETWORK);
    machine_close(&m);
}

/* A capacitor charged over a resistor: half of what the source gives is stored, half is lost; rewinding keeps the sums. */
static void test_sums(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndevices:\n"
        "  V: { type: voltage-source, at: { p: a, n: ground }, value: 10 V }\n"
        "  R: { type: resistor, at: { p: a, n: b }, resistance: 10 ohm }\n"
        "  C: { type: capacitor, at: { p: b, n: ground }, capacitance: 10 mF }\n");
    machine_start(&m, accurate(5));
    run_to(&m, 5);
    assert_near(value(&m, "energy.network.stored"), 0.5, 1e-10);
    assert_near(value(&m, "energy.network.lost"), 0.5, 1e-10);
    assert_near(value(&m, "energy.network.supplied"), 1, 1e-10);
    assert_near(value(&m, "energy.network.mechanical"), 0, 0);
    assert_near(value(&m, "energy.network.error"), 0, 1e-10);
    machine_close(&m);
}

/* A motor that holds a spring from a steady start: nothing moves but by round-off, against 288 J that become heat. */
static void test_rest_is_not_doubted(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\nbodies: { r: { type: rotor, inertia: 0.01 kg m^2 } }\nmedia: { thermal: { ambient: 300 K } }\ndevices:\n"
        "  V: { type: voltage-source, at: { p: a, n: ground }, value: 24 V }\n"
        "  M: { type: dc-motor, at: { p: a, n: ground, heat: H }, shaft: r.angle, resistance: 1 ohm, inductance: 1 mH, constant: 0.1 V s/rad }\n"
        "  B: { type: coupling, shaft: r.angle, stiffness: 5 N m/rad }\n  C: { type: heat-capacity, at: { a: H }, capacity: 100 J/K }\n"
        "  G: { type: conductor, at: { a: H, b: ground }, conductance: 2 W/K }\n"
        "solve: { until: 0.5 s, integrator: dopri5, tolerance: 1e-12, absolute_tolerance: 1e-12, start: steady }\n");
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    run_to(&m, 0.5);
    assert_near(value(&m, "r.angle"), 0.48, 1e-10);
    assert_near(value(&m, "H.temperature"), 588, 1e-4);
    assert_int_equal(tn_session_summary(m.session).doubts, 0);
    machine_close(&m);
}

/* Stores whose size follows the motion, 1 m at 1 m/s: a capacitor keeps its charge, a coil its flux, gas and oil their mass. What moves them gives
 * or takes the energy, so that the account closes. */
static void test_stores_that_move(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { m: { type: slider, mass: 1 kg } }\ninitial: { m: { rate: 1 m/s } }\n"
        "let: { grows: 1 + m.position / 1 m }\ndevices:\n"
        "  C: { type: capacitor, at: { p: a, n: ground }, capacitance: 1 mF / grows, initial: 3 V }\n"
        "  R: { type: resistor, at: { p: a, n: ground }, resistance: 1e12 ohm }\n"
        "  V: { type: voltage-source, at: { p: b, n: ground }, value: 2 V }\n"
        "  L: { type: inductor, at: { p: b, n: ground }, inductance: 0.5 H / grows }\n"
        "  gas: { type: chamber, at: { a: g }, volume: 1 L * grows, pressure: 2e5 Pa }\n"
        "  shut: { type: iso-orifice, at: { a: g, b: ground }, conductance: 0 }\n"
        "  oil: { type: volume, at: { a: o }, volume: 1 L * (1 + grows / 100), pressure: 300 bar }\n"
        "  line: { type: hose, at: { a: h }, volume: 1 L * (1 + grows / 100), expansion: 1e-9 1/Pa, pressure: 300 bar }\n"
        "  tight: { type: flow-source, at: { a: o, b: h }, value: 0 L/s }\n");
    machine_start(&m, accurate(1));
    run_to(&m, 1);
    tn_summary sum = tn_session_summary(m.session);
    assert_near(value(&m, "a.voltage"), 6, 1e-8);
    assert_near(value(&m, "L.i"), 8, 1e-10);                             /* flux 2 V s, 0.25 H */
    assert_near(value(&m, "g.pressure"), 2e5 * pow(0.5, 1.4), 1e-5);
    assert_near(value(&m, "o.pressure"), 300e5 - 1.4e9 * log(1.02 / 1.01), 1e-2);
    assert_near(value(&m, "h.pressure"), 300e5 - log(1.02 / 1.01) / (1 / 1.4e9 + 1e-9), 1e-2);
    assert_true(sum.network_scale > 100);
    assert_true(sum.network_error <= CLOSED * sum.network_scale);
    assert_int_equal(sum.doubts, 0);
    machine_close(&m);
}

/* A capacitance that depends on the motion and on its own voltage: which charge it has is not known. */
static void test_store_without_rate(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { m: { type: slider, mass: 1 kg } }\ndevices:\n"
        "  C: { type: capacitor, at: { p: a, n: ground }, capacitance: 1 mF / (1 + m.position / 1 m) * (1 + C.u / 1 V) }\n"
        "  R: { type: resistor, at: { p: a, n: ground }, resistance: 1 ohm }\n");
    tn_solve solve = accurate(1);
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_MODEL);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "'capacitance' changes with the motion"));
    machine_close(&m);
}

static bool says(const machine *m, const char *words)
{
    bool found = false;
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        found |= strstr(tn_diagnostics_get(m->context, k)->message, words) != NULL;
    return found;
}

/* What must hold of parameters that change is looked at in the run: an area below zero, a piston beyond its stroke, oil below a vacuum, an empty battery. Each is told
 * once, with the time; the accumulator's numbers were checked when the model was read. */
static void test_requirements_are_watched(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { m: { type: slider, mass: 1 kg } }\ninitial: { m: { position: 0.05 m, rate: 1 m/s } }\n"
        "tables: { ocv: { x: [0, 1], y: [10, 13] } }\nnodes: { A: { end: yes } }\ndevices:\n"
        "  S: { type: pressure-source, at: { a: s }, value: 100 bar }\n"
        "  o: { type: orifice, at: { a: s, b: v }, area: 1 mm^2 * (1 - t / 0.2 s) }\n"
        "  V: { type: accumulator, at: { a: v }, volume: 1 L, filling: 10 bar, pressure: 20 bar }\n"
        "  h: { type: hose, at: { a: H }, volume: 1 L }\n  pull: { type: flow-source, at: { a: H, b: ground }, value: \"0.1 L/s * step(t, 0.2 s, 0.3 s)\" }\n"
        "  c: { type: pneumatic-cylinder, at: { a: A }, slide: m.position, area_a: 1e-6 m^2, stroke: 0.2 m }\n"
        "  B: { type: battery, at: { p: b, n: ground }, ocv: ocv, capacity: 1 C, resistance: 1 ohm }\n"
        "  R: { type: resistor, at: { p: b, n: ground }, resistance: 1 ohm }\n");
    machine_start(&m, accurate(0.5));
    run_to(&m, 0.1);
    assert_int_equal(tn_session_summary(m.session).doubts, 0);
    run_to(&m, 0.5);
    assert_int_equal(tn_session_summary(m.session).doubts, 1u << TN_DOUBT_REQUIREMENT);
    assert_int_equal(tn_diagnostics_count(m.context), 4);
    assert_true(says(&m, "device 'h': oil must not be pulled"));
    assert_true(says(&m, "device 'o': 'area' and 'critical' must not be negative"));
    assert_true(says(&m, "device 'c': a chamber must have a volume"));
    assert_true(says(&m, "device 'B': 'soc' must stay between 0 and 1"));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_not_doubted),
        cmocka_unit_test(test_requirements_are_watched),
        cmocka_unit_test(test_stores_that_move),
        cmocka_unit_test(test_store_without_rate),
        cmocka_unit_test(test_accounts_close),
        cmocka_unit_test(test_every_type_is_covered),
        cmocka_unit_test(test_judge_finds_a_wrong_type),
        cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
