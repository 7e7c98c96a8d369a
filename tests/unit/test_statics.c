/* Equilibria against closed forms and minima of the potential; and what is said where there is none. */
#include "mechanisms.h"

static const double G = 9.81, PI = 3.14159265358979323846;

static tn_equilibrium *rest_with(machine *m, tn_statics_options options)
{
    tn_equilibrium *found = NULL;
    if (!m->session)
        machine_start(m, tn_solve_default());
    machine_must(m, tn_session_statics(&found, m->session, &options));
    return found;
}

static tn_equilibrium *rest(machine *m)
{
    return rest_with(m, tn_statics_default());
}

static tn_equilibrium *nearest(machine *m)
{
    tn_statics_options options = tn_statics_default();
    options.nearest = true;
    return rest_with(m, options);
}

static void done(machine *m, tn_equilibrium *e)
{
    tn_equilibrium_destroy(m->context, e);
    machine_close(m);
}

static void must_say(const machine *m, const char *words)
{
    for (size_t k = 0; k < tn_diagnostics_count(m->context); k++)
        if (strstr(tn_diagnostics_get(m->context, k)->message, words))
            return;
    tn_diagnostics_print(m->context, stderr);
    fail_msg("nobody said: %s", words);
}

static void test_pendulum(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        machine m = double_pendulum(dimension);
        tn_equilibrium *e = rest(&m);
        assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
        assert_near(value(&m, "shoulder.angle"), -PI / 2 + 0.3, 1e-12);
        assert_near(value(&m, "shoulder.reaction.force.y"), 2.5 * G, 1e-10);
        assert_near(value(&m, "elbow.reaction.force.y"), 1 * G, 1e-10);
        assert_true(e->iterations < 40);
        done(&m, e);
    }
}

/* A bar of length 1 and mass 2 pointing up: w^2 = -m g l/2 / (m l^2 / 3). */
static void test_inverted(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        machine m = machine_new(dimension);
        add_bar(&m, "bar", 0, 0, PI / 2, 1, 2);
        add_pin(&m, "pivot", "ground", "bar", 0, 0);
        tn_equilibrium *e = nearest(&m);
        assert_int_equal(e->kind, TN_EQUILIBRIUM_UNSTABLE);
        assert_true(e->by_stiffness);
        assert_near(e->margin, -1.5 * G, 1e-9);
        assert_int_equal(e->direction_count, 1);
        assert_string_equal(e->direction[0].coordinate, "pivot.angle");
        tn_equilibrium_destroy(m.context, e);
        e = rest(&m);                                  /* leaves it, though nothing pushes */
        assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
        assert_near(e->margin, 1.5 * G, 1e-9);
        assert_near(fabs(value(&m, "pivot.angle")), PI, 1e-12);
        done(&m, e);
    }
}

/* ---- catenary ---- */

/* n links of length l and mass m between (0, 0) and (span, 0), at first as a V. */
static machine hanging_chain(int n, double l, double mass, double span)
{
    machine m = machine_new(2);
    double tilt = acos(span / (n * l)), x = 0, y = 0;
    char name[16], before[16] = "ground", joint[16];
    for (int k = 0; k < n; k++) {
        double angle = k < n / 2 ? -tilt : tilt;
        snprintf(name, sizeof name, "link%d", k + 1);
        snprintf(joint, sizeof joint, "pin%d", k);
        add_bar(&m, name, x, y, angle, l, mass);
        add_pin(&m, joint, before, name, x, y);
        x += l * cos(angle);
        y += l * sin(angle);
        strcpy(before, name);
    }
    snprintf(joint, sizeof joint, "pin%d", n);
    add_pin(&m, joint, before, "ground", x, y);
    return m;
}

/* Horizontal force for which links with tan(angle_k) = (V_k-1 + V_k) / 2H span the given width; V falls by m g from
 * link to link, and is half the weight at the ends. */
static double horizontal_force(int n, double l, double mass, double span)
{
    double low = 1e-9, high = 1e9;
    for (int pass = 0; pass < 200; pass++) {
        double H = sqrt(low * high), width = 0;
        for (int k = 0; k < n; k++)
            width += l / hypot(1, (n / 2.0 - k - 0.5) * mass * G / H);
        *(width < span ? &low : &high) = H;
    }
    return low;
}

static void test_catenary(void **state)
{
    (void)state;
    enum { N = 50 };
    const double l = 0.04, mass = 0.1, span = 1.2;
    machine m = hanging_chain(N, l, mass, span);
    tn_equilibrium *e = rest(&m);
    double H = horizontal_force(N, l, mass, span), x = 0, y = 0;
    assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
    assert_int_equal(e->freedoms, N - 2);
    for (int k = 0; k < N; k++) {
        char channel[40];
        snprintf(channel, sizeof channel, "link%d.position.x", k + 1);
        assert_near(value(&m, channel), x, 1e-9);
        snprintf(channel, sizeof channel, "link%d.position.y", k + 1);
        assert_near(value(&m, channel), y, 1e-9);
        double slope = -(N / 2.0 - k - 0.5) * mass * G / H;
        x += l / hypot(1, slope);
        y += l * slope / hypot(1, slope);
    }
    assert_near(value(&m, "pin0.reaction.force.y"), N / 2.0 * mass * G, 1e-9);
    assert_near(value(&m, "pin0.reaction.force.x"), -H, 1e-9);
    done(&m, e);
}

/* Sag of the continuous curve: length 2 a sinh(span / 2a), sag a (cosh - 1). The chain's differs by order 2. */
static void test_catenary_limit(void **state)
{
    (void)state;
    const double length = 2, span = 1.2;
    double low = 0.01, high = 100, error[2];
    for (int pass = 0; pass < 200; pass++) {
        double a = sqrt(low * high);
        *(2 * a * sinh(span / (2 * a)) > length ? &low : &high) = a;
    }
    double sag = low * (cosh(span / (2 * low)) - 1);
    for (int k = 0; k < 2; k++) {
        int n = 12 << k;
        char channel[40];
        machine m = hanging_chain(n, length / n, 0.1, span);
        tn_equilibrium *e = rest(&m);
        snprintf(channel, sizeof channel, "link%d.position.y", n / 2 + 1);
        error[k] = fabs(value(&m, channel) + sag);
        done(&m, e);
    }
    assert_true(error[1] < 1e-3);
    assert_near(error[0] / error[1], 4, 0.2);
}

/* ---- four-bar with spring ---- */

/* Potential of four_bar() with a spring from (0.3, -0.5) to the tip of the crank, over the crank's angle. */
static double potential(double angle, double stiffness, double length)
{
    double cx = 1 + 0.8 * cos(1.3), cy = 0.8 * sin(1.3), coupler = hypot(cx, cy - 0.4);
    double x = 0.4 * cos(angle), y = 0.4 * sin(angle), dx = 1 - x, dy = -y, d = hypot(dx, dy);
    double along = (coupler * coupler - 0.64 + d * d) / (2 * d), across = sqrt(coupler * coupler - along * along);
    double top = y + along * dy / d + across * dx / d;
    double stretch = hypot(x - 0.3, y + 0.5) - length;
    return G * (1 * y / 2 + 2 * (y + top) / 2 + 1.5 * top / 2) + stiffness * stretch * stretch / 2;
}

static double slope(double angle, double stiffness, double length)
{
    static const double weights[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const double h = 5e-3;
    double sum = 0;
    for (int k = 1; k <= 4; k++)
        sum += weights[k - 1] / h *
               (potential(angle + k * h, stiffness, length) - potential(angle - k * h, stiffness, length));
    return sum;
}

static void test_four_bar_spring(void **state)
{
    (void)state;
    const double stiffness = 60, length = 0.2;
    for (int dimension = 2; dimension <= 3; dimension++) {
        machine m = four_bar(dimension);
        tn_force_def def = tn_force_default("spring");
        tn_id id;
        def.body2 = named(&m, "crank");
        memcpy(def.frame1.p, (double[3]){ 0.3, -0.5, 0 }, sizeof def.frame1.p);
        def.frame2.p[0] = 0.4;
        def.settings = (tn_setting[]){ { "stiffness", stiffness }, { "length", length } };
        def.setting_count = 2;
        machine_must(&m, tn_model_add_force(&id, m.model, "coil", &def));
        tn_equilibrium *e = rest(&m);
        double found = PI / 2 + value(&m, "A.angle"), low = found - 0.1, high = found + 0.1;
        assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
        assert_true(slope(low, stiffness, length) < 0 && slope(high, stiffness, length) > 0);
        for (int pass = 0; pass < 60; pass++) {
            double middle = (low + high) / 2;
            *(slope(middle, stiffness, length) < 0 ? &low : &high) = middle;
        }
        assert_near(found, low, 1e-10);
        done(&m, e);
    }
}

/* ---- loads in time, drives, states ---- */

static void test_time(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { bob: { type: particle, mass: 2, position: [1, 0] } }\n"
        "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
        "forces:\n"
        "  coil: { type: spring, between: [ground, bob], stiffness: 8, length: 1 }\n"
        "  load: { type: force, on: bob, value: ['4 N/s * t', 0] }\n");
    tn_statics_options options = tn_statics_default();
    options.time = 0.5;
    tn_equilibrium *e = rest_with(&m, options);
    assert_near(e->time, 0.5, 0);
    assert_near(value(&m, "guide.position"), 1.25, 1e-12);
    assert_near(value(&m, "t"), 0.5, 0);
    done(&m, e);
}

/* A driven crank holds its angle at the time; its torque is that of the weight. */
static void test_held_drive(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: { bar: { mass: 2, inertia: 0.2, com: [0.5, 0], position: [0, 0] } }\n"
        "joints: { pivot: { type: revolute, between: [ground, bar] } }\n"
        "drives: { motor: { joint: pivot, angle: '3 rad/s * t + 2 rad/s^2 * t^2' } }\n");
    tn_statics_options options = tn_statics_default();
    options.time = 2;
    tn_equilibrium *e = rest_with(&m, options);
    assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
    assert_int_equal(e->freedoms, 0);
    assert_near(value(&m, "pivot.angle"), 14, 1e-12);
    assert_near(value(&m, "motor.torque"), 2 * G * 0.5 * cos(14), 1e-11);
    done(&m, e);
}

/* An integral controller holds the weight at the wanted height, whatever the spring. */
static void test_states(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [-9.81, 0]\n"
        "bodies: { bob: { type: particle, mass: 2, position: [1, 0] } }\n"
        "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
        "states: { sum: { initial: 0 m s, rate: '1.3 m - guide.position' } }\n"
        "forces:\n"
        "  coil: { type: spring, between: [ground, bob], stiffness: 8, length: 1, damping: 6 }\n"
        "  lift: { type: force, on: bob, value: ['5 N/m/s * sum.value', 0] }\n");
    tn_equilibrium *e = rest(&m);
    assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
    assert_true(!e->by_stiffness);
    assert_near(value(&m, "guide.position"), 1.3, 1e-10);
    assert_near(value(&m, "sum.value"), (2 * G + 8 * 0.3) / 5, 1e-9);
    done(&m, e);
}

/* Gas keeps its amount on the way: at its temperature of before, pressure times volume is what it was. */
static void test_gas(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/examples/gas-spring-door.yaml");
    machine_start(&m, tn_model_solve(m.model));
    double before = value(&m, "strut.pressure") * value(&m, "strut.volume");
    tn_equilibrium *e = rest(&m);
    assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
    assert_near(value(&m, "strut.temperature"), 1, 1e-9);
    assert_near(value(&m, "strut.pressure") * value(&m, "strut.volume"), before, 1e-6 * before);
    assert_true(value(&m, "hinge.angle") > 1.3);       /* open, at the stop */
    done(&m, e);
}

/* ---- where there is none ---- */

static void test_falling(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                             "bodies: { ball: { mass: 1, inertia: 0.1 }, bob: { type: particle, mass: 1 } }\n"
                             "forces: { coil: { type: spring, between: [ground, bob], stiffness: 9, length: 1 } }\n");
    tn_equilibrium *e = NULL;
    machine_start(&m, tn_solve_default());
    uint64_t before = tn_session_hash(m.session);
    assert_int_equal(tn_session_statics(&e, m.session, NULL), TN_ERROR_STEP);
    must_say(&m, "nothing holds it: what moves most is 'ball.position.y'");
    assert_true(tn_session_hash(m.session) == before);
    machine_close(&m);
}

/* The stiffness across a spring whose ends nearly meet is so large that round-off of positions makes large forces: no equilibrium. */
static void test_ends_that_meet(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                             "bodies: { bob: { type: particle, mass: 1, position: [0.3, 0] } }\n"
                             "forces: { coil: { type: spring, between: [ground, bob], ends: [ { at: [0.30000000000000004, 0] }, { at: [0, 0] } ],\n"
                             "                  stiffness: 1000, length: 0.5 } }\n");
    machine_start(&m, tn_solve_default());
    must_say(&m, "force 'coil': its ends are one point at the start");
    tn_equilibrium *e = rest(&m);
    assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
    assert_near(value(&m, "bob.position.y"), -0.5 - G / 1000, 1e-12);
    done(&m, e);
}

static void test_indifferent(void **state)
{
    (void)state;
    machine m = machine_new(3);
    add_bar(&m, "bar", 0, 0, 0, 1, 2);
    tn_pose shaft = tn_pose_z((double[3]){ 0, 0, 0 }, (double[3]){ 0, 1, 0 });
    add_as_built(&m, "shaft", "revolute", "ground", "bar", &shaft);
    tn_equilibrium *e = rest(&m);
    assert_int_equal(e->kind, TN_EQUILIBRIUM_INDIFFERENT);
    assert_string_equal(e->direction[0].coordinate, "shaft.angle");
    done(&m, e);
}

static void test_spinning_torque(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nbodies: { wheel: { mass: 1, inertia: 0.1 } }\n"
                             "joints: { hub: { type: revolute, between: [ground, wheel] } }\n"
                             "forces: { push: { type: torque, on: wheel, value.z: 2 } }\n");
    tn_equilibrium *e = NULL;
    machine_start(&m, tn_solve_default());
    assert_int_equal(tn_session_statics(&e, m.session, NULL), TN_ERROR_STEP);
    must_say(&m, "'hub.angle'");
    machine_close(&m);
}

/* ---- many ---- */

/* Whatever hangs there comes to rest lower than it started, and nothing is left unbalanced. */
static void test_random(void **state)
{
    (void)state;
    int found = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        machine m = random_machine(seed);
        char name[16], spring[16];
        for (int b = 0; b < 6; b++) {
            tn_force_def def = tn_force_default("spring");
            tn_id id;
            snprintf(name, sizeof name, "bar%d", b);
            snprintf(spring, sizeof spring, "coil%d", b);
            def.body2 = named(&m, name);
            def.frame1.p[1] = 3;
            def.frame2.p[0] = 0.3;
            def.settings = (tn_setting[]){ { "stiffness", 50 }, { "length", 1 } };
            def.setting_count = 2;
            machine_must(&m, tn_model_add_force(&id, m.model, spring, &def));
        }
        machine_start(&m, tn_solve_default());
        double before = value(&m, "energy.potential");
        tn_equilibrium *e = rest(&m);
        assert_true(e->residual <= 1e-10 * e->load);
        assert_true(value(&m, "energy.potential") <= before + 1e-9);
        assert_int_not_equal(e->kind, TN_EQUILIBRIUM_UNSTABLE);
        found += e->kind == TN_EQUILIBRIUM_STABLE;
        done(&m, e);
    }
    assert_true(found > 0);
}

/* Where the state goes by itself, the account of energy goes on: what it is worth less is work. */
static void test_energy_account(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                             "bodies: { bob: { mass: 2, inertia: 0.1, position: [1, 0] } }\n"
                             "joints: { pivot: { type: revolute, between: [ground, bob], at: [0, 0] } }\n"
                             "solve: { tolerance: 1e-11, absolute_tolerance: 1e-11 }\n");
    double error, work;
    machine_must(&m, tn_session_open(&m.session, m.model, NULL));
    machine_must(&m, tn_session_advance(m.session, 0.3));
    tn_equilibrium *found = rest(&m);
    machine_must(&m, tn_session_value(&error, m.session, "energy.error"));
    machine_must(&m, tn_session_value(&work, m.session, "energy.work"));
    assert_near(error, 0, 1e-8);
    assert_near(work, -2 * G, 1e-8);
    machine_must(&m, tn_session_apply(NULL, m.session, "{ state: { pivot: { rate: 1 } } }"));
    machine_must(&m, tn_session_advance(m.session, 0.5));
    machine_must(&m, tn_session_value(&error, m.session, "energy.error"));
    assert_near(error, 0, 1e-8);
    done(&m, found);
}

/* A position servo: cylinder, proportional valve, controller with an integral. Its forces lead nowhere downhill; at rest the error is zero, and the
 * pressures bear the load. */
static void test_servo(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\ndimension: 2\nmedia: { hydraulic: { density: 870 kg/m^3, bulk_modulus: 1.6 GPa, viscosity: 32 cSt } }\n"
        "bodies: { load: { type: slider, mass: 120 kg } }\ndevices:\n"
        "  supply: { type: pressure-source, at: { a: P }, value: 120 bar }\n"
        "  ctrl: { type: pid, target: 0.2, measured: load.position / 1 m, kp: 12, ki: 8, low: -1, high: 1, tracking: 0.05 s }\n"
        "  spool: { type: lag, u: ctrl.y, time: 5 ms }\n"
        "  valve: { type: valve-4-3, at: { p: P, t: ground, a: A, b: B }, spool: spool.y, area: 15 mm^2, leak: 1e-9 m^2, critical: 0.5 bar }\n"
        "  cyl: { type: hydraulic-cylinder, at: { a: A, b: B }, slide: load.position, area_a: 12.5 cm^2, area_b: 9 cm^2, stroke: 0.4 m,\n"
        "         closed_length: 0 m, friction: 3000 N s/m, pressure_a: 30 bar, pressure_b: 40 bar }\n"
        "  weight: { type: force-source, slide: load.position, value: -1500 N }\n"
        "initial: { load: { position: 0.15 m } }\n");
    tn_equilibrium *e = rest(&m);
    assert_int_equal(e->kind, TN_EQUILIBRIUM_STABLE);
    assert_near(value(&m, "load.position"), 0.2, 1e-10);
    assert_near(12.5e-4 * value(&m, "A.pressure") - 9e-4 * value(&m, "B.pressure"), 1500, 1e-6);
    done(&m, e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_account),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_inverted),
        cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_catenary_limit),
        cmocka_unit_test(test_four_bar_spring),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_held_drive),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_gas),
        cmocka_unit_test(test_falling),
        cmocka_unit_test(test_ends_that_meet), cmocka_unit_test(test_indifferent),
        cmocka_unit_test(test_spinning_torque),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_servo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
