/* Natural motions against closed forms. */
#include "mechanisms.h"

static const double G = 9.81, PI = 3.14159265358979323846;

static tn_modes *modes_of(machine *m)
{
    tn_modes *found = NULL;
    machine_must(m, tn_session_modes(&found, m->session));
    return found;
}

/* About the equilibrium. */
static tn_modes *natural(machine *m, bool nearest)
{
    tn_equilibrium *e = NULL;
    tn_statics_options options = tn_statics_default();
    options.nearest = nearest;
    if (!m->session)
        machine_start(m, tn_solve_default());
    machine_must(m, tn_session_statics(&e, m->session, &options));
    tn_equilibrium_destroy(m->context, e);
    return modes_of(m);
}

static void done(machine *m, tn_modes *modes)
{
    tn_modes_destroy(m->context, modes);
    machine_close(m);
}

static double omega(const tn_modes *modes, size_t k)
{
    assert_true(k < modes->count);
    return 2 * PI * modes->items[k].frequency;
}

/* Of the double pendulum hanging down, bars a and b: turns are p and q in the scale of the shoulder or of the elbow, the
 * whichever moves more, and centres of mass go sideways by a/2 p and a p + b/2 q. */
static void check_bodies(const tn_mode *mode, double a, double b, double ratio)
{
    double p = mode->shape[0].coordinate[0] == 's' ? 1 : 1 / (ratio - 1), q = ratio * p;
    assert_int_equal(mode->body_count, 2);
    double turns[] = { fabs(mode->bodies[0].re[5]) + fabs(mode->bodies[0].re[3]) + fabs(mode->bodies[0].re[4]),
                       fabs(mode->bodies[1].re[5]) + fabs(mode->bodies[1].re[3]) + fabs(mode->bodies[1].re[4]) };
    double ways[] = { hypot(hypot(mode->bodies[0].re[0], mode->bodies[0].re[1]), mode->bodies[0].re[2]),
                      hypot(hypot(mode->bodies[1].re[0], mode->bodies[1].re[1]), mode->bodies[1].re[2]) };
    assert_near(turns[0], fabs(p), 1e-9);
    assert_near(turns[1], fabs(q), 1e-9);
    assert_near(ways[0], fabs(a / 2 * p), 1e-9);
    assert_near(ways[1], fabs(a * p + b / 2 * q), 1e-9);
    for (int k = 0; k < 6; k++)
        assert_near(mode->bodies[0].im[k], 0, 1e-12);
}

/* Two bars a (0.8 m, 1.5 kg) and b (0.6 m, 1 kg), absolute angles p, q from the vertical:
 *     (Ia + mb a^2) p'' + mb a b/2 q'' + (ma a/2 + mb a) g p = 0
 *     mb a b/2 p'' + Ib q'' + mb g b/2 q = 0,       Ia = ma a^2 / 3 */
static void test_double_pendulum(void **state)
{
    (void)state;
    const double a = 0.8, b = 0.6, ma = 1.5, mb = 1;
    double m11 = ma * a * a / 3 + mb * a * a, m12 = mb * a * b / 2, m22 = mb * b * b / 3;
    double k1 = (ma * a / 2 + mb * a) * G, k2 = mb * G * b / 2;
    double A = m11 * m22 - m12 * m12, B = k1 * m22 + k2 * m11, root = sqrt(B * B - 4 * A * k1 * k2);
    for (int dimension = 2; dimension <= 3; dimension++) {
        machine m = double_pendulum(dimension);
        tn_modes *modes = natural(&m, false);
        assert_int_equal(modes->count, 2);
        assert_true(modes->undamped);
        assert_near(omega(modes, 0), sqrt((B - root) / (2 * A)), 1e-9);
        assert_near(omega(modes, 1), sqrt((B + root) / (2 * A)), 1e-9);
        /* shape of the first: q / p = w^2 m12 / (k2 - w^2 m22); the elbow is q - p */
        double square = pow(omega(modes, 0), 2), ratio = square * m12 / (k2 - square * m22);
        assert_string_equal(modes->items[0].shape[0].coordinate, "shoulder.angle");
        assert_near(modes->items[0].shape[1].amount, fabs(ratio - 1), 1e-9);
        assert_near(modes->items[0].shape[1].phase, 0, 0);
        assert_near(modes->items[1].shape[1].phase, PI, 0);
        for (size_t k = 0; k < 2; k++) {
            square = pow(omega(modes, k), 2);
            check_bodies(&modes->items[k], a, b, square * m12 / (k2 - square * m22));
        }
        done(&m, modes);
    }
}

/* Between walls, springs k between masses m: w_i = 2 sqrt(k / m) sin(i pi / (2 (n + 1))). */
static void test_chain(void **state)
{
    (void)state;
    enum { N = 20 };
    const double stiffness = 300, mass = 0.7;
    machine m = machine_new(2);
    char name[16], before[16] = "ground", joint[16], spring[16];
    tn_model_set_gravity(m.model, (double[3]){ 0, 0, 0 });
    for (int k = 0; k <= N; k++) {
        tn_body_def body = tn_body_default();
        tn_force_def coil = tn_force_default("spring");
        tn_pose world = tn_pose_planar(k + 1, 0, 0);
        tn_id id;
        snprintf(name, sizeof name, k < N ? "mass%d" : "ground", k);
        snprintf(joint, sizeof joint, "guide%d", k);
        snprintf(spring, sizeof spring, "coil%d", k);
        if (k < N) {
            body.kind = TN_BODY_PARTICLE;
            body.mass = mass;
            body.pose = world;
            body.placed = true;
            machine_must(&m, tn_model_add_body(&id, m.model, name, &body));
            add_as_built(&m, joint, "pin-in-slot", "ground", name, &world);
        }
        coil.body1 = named(&m, before);
        coil.body2 = named(&m, name);
        coil.frame2.p[0] = k < N ? 0 : N + 1;
        coil.settings = (tn_setting[]){ { "stiffness", stiffness }, { "length", 1 } };
        coil.setting_count = 2;
        machine_must(&m, tn_model_add_force(&id, m.model, spring, &coil));
        strcpy(before, name);
    }
    tn_modes *modes = natural(&m, false);
    assert_int_equal(modes->count, N);
    for (int i = 1; i <= N; i++)
        assert_near(omega(modes, (size_t)i - 1), 2 * sqrt(stiffness / mass) * sin(i * PI / (2 * (N + 1))), 1e-9);
    done(&m, modes);
}

/* A string of beads under tension T, l apart: across, w_i = 2 sqrt(T / (m l)) sin(i pi / (2 (n + 1))); along, the same
 * with the stiffness in place of T / l. */
static void test_string(void **state)
{
    (void)state;
    enum { N = 9 };
    const double tension = 40, mass = 0.02, l = 0.1, stiffness = 5000;
    machine m = machine_new(2);
    char name[16], before[16] = "ground", spring[16];
    tn_model_set_gravity(m.model, (double[3]){ 0, 0, 0 });
    for (int k = 0; k <= N; k++) {
        tn_body_def body = tn_body_default();
        tn_force_def coil = tn_force_default("spring");
        tn_id id;
        snprintf(name, sizeof name, k < N ? "bead%d" : "ground", k);
        snprintf(spring, sizeof spring, "string%d", k);
        body.kind = TN_BODY_PARTICLE;
        body.mass = mass;
        body.pose = tn_pose_planar((k + 1) * l, 0, 0);
        body.placed = true;
        if (k < N)
            machine_must(&m, tn_model_add_body(&id, m.model, name, &body));
        coil.body1 = named(&m, before);
        coil.body2 = named(&m, name);
        coil.frame2.p[0] = k < N ? 0 : (N + 1) * l;
        coil.settings = (tn_setting[]){ { "stiffness", stiffness }, { "length", l }, { "preload", tension } };
        coil.setting_count = 3;
        machine_must(&m, tn_model_add_force(&id, m.model, spring, &coil));
        strcpy(before, name);
    }
    tn_modes *modes = natural(&m, false);
    assert_int_equal(modes->count, 2 * N);
    for (int i = 1; i <= N; i++) {
        double across = 2 * sqrt(tension / (mass * l)) * sin(i * PI / (2 * (N + 1))), nearest = INFINITY;
        for (size_t k = 0; k < modes->count; k++)
            nearest = fmin(nearest, fabs(omega(modes, k) - across));
        assert_near(nearest, 0, 1e-9 * across);
    }
    assert_near(omega(modes, 2 * N - 1), 2 * sqrt(stiffness / mass) * sin(N * PI / (2 * (N + 1))), 1e-8);
    done(&m, modes);
}

/* Two masses and a spring, free along a line: 0 Hz and sqrt(k (1/m1 + 1/m2)). */
static void test_rigid_motion(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { one: { type: particle, mass: 2 }, two: { type: particle, mass: 3, position: [1, 0] } }\n"
        "joints: { left: { type: pin-in-slot, between: [ground, one] },\n"
        "          right: { type: pin-in-slot, between: [ground, two] } }\n"
        "forces: { coil: { type: spring, between: [one, two], stiffness: 60, length: 1 } }\n");
    tn_modes *modes = natural(&m, false);
    assert_int_equal(modes->count, 2);
    assert_near(modes->items[0].frequency, 0, 0);
    assert_int_equal(modes->items[0].shape_count, 2);
    assert_near(modes->items[0].shape[1].amount, 1, 1e-9);
    assert_near(omega(modes, 1), sqrt(60 * (1.0 / 2 + 1.0 / 3)), 1e-12);
    done(&m, modes);
}

static void test_inverted(void **state)
{
    (void)state;
    machine m = machine_new(2);
    add_bar(&m, "bar", 0, 0, PI / 2, 1, 2);
    add_pin(&m, "pivot", "ground", "bar", 0, 0);
    tn_modes *modes = natural(&m, true);
    assert_int_equal(modes->count, 2);
    assert_near(modes->items[0].value.re, sqrt(1.5 * G), 1e-10);
    assert_near(modes->items[1].value.re, -sqrt(1.5 * G), 1e-10);
    assert_near(modes->items[0].value.im, 0, 0);
    done(&m, modes);
}

/* 2 x'' + 0.6 x' + 8 x = 0 */
static void test_damped(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { bob: { type: particle, mass: 2, position: [1.2, 0] } }\n"
        "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
        "forces: { coil: { type: spring, between: [ground, bob], stiffness: 8, length: 1, damping: 0.6 } }\n");
    tn_modes *modes = natural(&m, false);
    assert_int_equal(modes->count, 1);
    assert_true(!modes->undamped);
    assert_near(omega(modes, 0), 2, 1e-12);
    assert_near(modes->items[0].damping, 0.075, 1e-12);
    assert_near(modes->items[0].value.im, sqrt(4 - 0.0225), 1e-12);
    done(&m, modes);
}

/* A PID controller on a mass: roots of 2 s^3 + d s^2 + p s + i. */
static void test_controlled(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { bob: { type: particle, mass: 2, position: [1, 0] } }\n"
        "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
        "states: { sum: { initial: 0 m s, rate: '1.3 m - guide.position' } }\n"
        "forces:\n"
        "  push: { type: force, on: bob, value: ['30 N/m * (1.3 m - guide.position) + 12 N/m/s * sum.value - "
        "7 N s/m * guide.rate', 0] }\n");
    tn_modes *modes = natural(&m, false);
    double sum_re = 0;
    for (size_t k = 0; k < modes->count; k++) {
        double re = modes->items[k].value.re, im = modes->items[k].value.im;
        double real = 2 * (re * re * re - 3 * re * im * im) + 7 * (re * re - im * im) + 30 * re + 12;
        double imaginary = 2 * (3 * re * re * im - im * im * im) + 14 * re * im + 30 * im;
        assert_near(real, 0, 1e-9);
        assert_near(imaginary, 0, 1e-9);
        sum_re += im != 0 ? 2 * re : re;
    }
    assert_near(sum_re, -3.5, 1e-11);                  /* all three are there */
    done(&m, modes);
}

/* A free symmetric body spinning about its axis: disturbances of the axis go round with J3 w / J1. */
static void test_spinning(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ngravity: [0, 0, 0]\n"
        "bodies: { top: { mass: 1, inertia: [0.2, 0.2, 0.3], angular_velocity: [0, 0, 5] } }\n");
    machine_start(&m, tn_solve_default());
    tn_modes *modes = modes_of(&m);
    double found = 0;
    for (size_t k = 0; k < modes->count; k++)
        found = fmax(found, modes->items[k].value.im);
    assert_near(found, 0.3 * 5 / 0.2, 1e-9);
    done(&m, modes);
}

/* Free motions of the double pendulum: one for each joint, the other held. */
static void test_free_motions(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        machine m = double_pendulum(dimension);
        tn_free_motions *motions = NULL;
        machine_start(&m, tn_solve_default());
        machine_must(&m, tn_session_free_motions(&motions, m.session));
        assert_int_equal(motions->count, 2);
        for (size_t k = 0; k < 2; k++) {
            const tn_free_motion *motion = &motions->items[k];
            const double *upper = motion->bodies[0].re, *lower = motion->bodies[1].re;
            double turns[2] = { hypot(hypot(upper[3], upper[4]), upper[5]), hypot(hypot(lower[3], lower[4]), lower[5]) };
            bool shoulder = strcmp(motion->coordinate, "shoulder.angle") == 0;
            assert_string_equal(motion->unit, "rad");
            assert_int_equal(motion->shape_count, 1);
            assert_near(turns[0], shoulder, 1e-12);    /* the elbow alone leaves the upper bar where it is */
            assert_near(turns[1], 1, 1e-12);
        }
        tn_free_motions_destroy(m.context, motions);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_inverted),
        cmocka_unit_test(test_damped),
        cmocka_unit_test(test_controlled),
        cmocka_unit_test(test_spinning),
        cmocka_unit_test(test_free_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
