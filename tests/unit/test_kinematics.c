/* Kinematics: motions that drives determine against closed forms and against integration; dead points, branches, and
 * what is said when drives determine too little or too much. */
#include "alloc.h"
#include "driven.h"

#define PI (4 * atan(1))

/* The crank's angle of most tests here. */
static const char wobble[] = "1 + 2 rad/s * t + 0.3 * sin(3 rad/s * t)";

static jet wobble_at(double t)
{
    return (jet){ 1 + 2 * t + 0.3 * sin(3 * t), 2 + 0.9 * cos(3 * t), -2.7 * sin(3 * t) };
}

static machine driven_slider_crank(const char *drives)
{
    return driven_text(slider_crank_text, drives);
}

static machine wobbling(void)
{
    char drives[200];
    snprintf(drives, sizeof drives, "drives: { motor: { joint: pivot, angle: '%s' } }\n", wobble);
    return driven_slider_crank(drives);
}

/* ---- closed forms ---- */

/* Any step gives the same, up to round-off; long ones are halved on the way. */
static void test_slider_crank(void **state)
{
    (void)state;
    static const double steps[] = { 0.01, 0.1, 1 };
    for (int k = 0; k < 3; k++) {
        machine m = wobbling();
        start_kinematics(&m, every(steps[k], 10));
        for (int i = 0; i <= 10; i++) {
            jet crank = wobble_at(tn_session_time(m.session));
            assert_jet(coordinate(&m, "pivot.angle"), crank, 1e-12);
            assert_jet(coordinate(&m, "slide.position"), slider_of(crank), 1e-11);
            machine_must(&m, tn_session_advance(m.session, 1));
        }
        assert_near(tn_session_summary(m.session).max_drift, 0, 1e-12);
        machine_close(&m);
    }
}

/* Rates of two unknown angles: columns (-l sin, l cos) times (w3, -w4) make (p, q). */
static void two_by_two(const double c3[2], const double c4[2], double p, double q, double *w3, double *w4)
{
    double det = -c3[0] * c4[1] + c4[0] * c3[1];
    *w3 = (-p * c4[1] + q * c4[0]) / det;
    *w4 = (c3[0] * q - c3[1] * p) / det;
}

/* Freudenstein's linkage: crank 0.2 from the origin, coupler 0.5, rocker 0.4 from (0.5, 0); elbow up. */
static void four_bar_closed_form(jet crank, jet *coupler, jet *rocker)
{
    const double a = 0.2, b = 0.5, c = 0.4, d = 0.5;
    double x = a * cos(crank.x), y = a * sin(crank.x);
    double e = hypot(d - x, y), base = atan2(-y, d - x);
    coupler->x = base + acos((b * b + e * e - c * c) / (2 * b * e));
    rocker->x = atan2(y + b * sin(coupler->x), x + b * cos(coupler->x) - d);
    const double c3[2] = { -b * sin(coupler->x), b * cos(coupler->x) };
    const double c4[2] = { -c * sin(rocker->x), c * cos(rocker->x) };
    two_by_two(c3, c4, y * crank.v, -x * crank.v, &coupler->v, &rocker->v);
    double p = y * crank.a + x * crank.v * crank.v + c3[1] * pow(coupler->v, 2) - c4[1] * pow(rocker->v, 2);
    double q = -x * crank.a + y * crank.v * crank.v - c3[0] * pow(coupler->v, 2) + c4[0] * pow(rocker->v, 2);
    two_by_two(c3, c4, p, q, &coupler->a, &rocker->a);
}

static void test_four_bar(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies:\n"
                             "  ground: { frames: { right: { at: [0.5, 0] } } }\n"
                             "  crank: { position: [0, 0], angle: 1, frames: { tip: { at: [0.2, 0] } } }\n"
                             "  coupler: { position: [0.1, 0.17], angle: 27 deg, frames: { end: { at: [0.5, 0] } } }\n"
                             "  rocker: { position: [0.5, 0], angle: 83 deg, frames: { tip: { at: [0.4, 0] } } }\n"
                             "joints:\n"
                             "  pivot: { type: revolute, between: [ground, crank] }\n"
                             "  elbow: { type: revolute, between: [crank.tip, coupler] }\n"
                             "  wrist: { type: revolute, between: [coupler.end, rocker.tip] }\n"
                             "  hinge: { type: revolute, between: [ground.right, rocker] }\n"
                             "drives:\n"
                             "  motor: { joint: pivot, angle: '1 + 2 rad/s * t + 0.3 * sin(3 rad/s * t)' }\n");
    start_kinematics(&m, every(0.05, 10));
    for (int i = 0; i <= 20; i++) {
        jet coupler, rocker;
        four_bar_closed_form(wobble_at(tn_session_time(m.session)), &coupler, &rocker);
        assert_jet(coordinate(&m, "hinge.angle"), rocker, 1e-11);
        assert_near(sin(value(&m, "coupler.angle")), sin(coupler.x), 1e-12);
        assert_near(value(&m, "coupler.angular_velocity"), coupler.v, 1e-11);
        assert_near(value(&m, "coupler.angular_acceleration"), coupler.a, 1e-10);
        machine_must(&m, tn_session_advance(m.session, 0.41));
    }
    machine_close(&m);
}

/* The same motion by its rate and by its acceleration: what is left of the start is what they start from. */
static void test_rate_and_acceleration(void **state)
{
    (void)state;
    static const char *const drives[] = {
        "initial: { pivot: { angle: 1 } }\n"
        "drives: { motor: { joint: pivot, rate: '2 rad/s + 0.9 rad/s * cos(3 rad/s * t)' } }\n",
        "initial: { pivot: { angle: 1, rate: 2.9 } }\n"
        "drives: { motor: { joint: pivot, acceleration: '-2.7 rad/s^2 * sin(3 rad/s * t)' } }\n",
    };
    for (int k = 0; k < 2; k++) {
        machine m = driven_slider_crank(drives[k]);
        start_kinematics(&m, every(0.1, 5));
        for (int i = 0; i <= 5; i++) {
            jet crank = wobble_at(tn_session_time(m.session));
            assert_jet(coordinate(&m, "pivot.angle"), crank, 1e-12);
            assert_jet(coordinate(&m, "slide.position"), slider_of(crank), 1e-11);
            machine_must(&m, tn_session_advance(m.session, 0.97));
        }
        machine_close(&m);
    }
}

/* Integrals over kinks: rate 1 for 0.3337 s, then 0. */
static void test_rate_that_jumps(void **state)
{
    (void)state;
    machine m = driven_slider_crank("initial: { pivot: { angle: 1 } }\n"
                                    "drives: { motor: { joint: pivot, rate: 'if(t < 0.3337, 1 rad/s, 0 rad/s)' } }\n");
    start_kinematics(&m, every(0.1, 1));
    machine_must(&m, tn_session_run(m.session));
    assert_near(value(&m, "pivot.angle"), 1.3337, 1e-12);
    machine_close(&m);
}

/* ---- against the integrator ---- */

static void run_both(machine *solved, machine *integrated, const char *const *channels, double tolerance, double until)
{
    start_kinematics(solved, every(until / 100, until));
    machine_must(solved, tn_session_run(solved->session));
    machine_run(integrated, accurate(until));
    for (int k = 0; channels[k]; k++) {
        double expected = value(integrated, channels[k]);
        assert_near(value(solved, channels[k]), expected, tolerance * fmax(1, fabs(expected)));
    }
    machine_close(solved);
    machine_close(integrated);
}

static void add_drive(machine *m, const char *name, const char *joint, const char *type, const char *motion)
{
    tn_joint_def def = tn_joint_default(type);
    tn_id id;
    def.terms = &(tn_coupling_term){ .joint = named(m, joint) };
    def.term_count = 1;
    def.motion.text = motion;
    machine_must(m, tn_model_add_joint(&id, m->model, name, &def));
}

static machine driven_andrews(void)
{
    machine m = machine_read(TENON_SOURCE_DIR "/examples/andrews.yaml");
    add_drive(&m, "crank", "pin_O", "drive", "-0.06171389001427645 + 30 rad/s * t + 2000 rad/s^2 * t^2");
    return m;
}

/* Seven bodies, three loops. */
static void test_andrews(void **state)
{
    (void)state;
    static const char *const channels[] = { "BDE.angle", "BDE.angular_velocity", "BDE.angular_acceleration",
                                            "AH.angle", "GE.position.x", "HE.velocity.y", NULL };
    machine solved = driven_andrews(), integrated = driven_andrews();
    run_both(&solved, &integrated, channels, 1e-9, 0.02);
}

static machine driven_in_space(void)
{
    machine m = slider_crank(3);
    add_drive(&m, "motor", "pivot", "drive-rate", "3 rad/s + 1 rad/s * sin(2 rad/s * t)");
    return m;
}

/* In space the rows of the same linkage are redundant; they agree. */
static void test_redundant(void **state)
{
    (void)state;
    static const char *const channels[] = { "pivot.angle", "slide.position", "slide.position.rate",
                                            "slide.position.acceleration", "rod.angular_acceleration.z", NULL };
    machine solved = driven_in_space(), integrated = driven_in_space();
    run_both(&solved, &integrated, channels, 1e-9, 3);
}

/* Two drives that agree are one too many, and fine. */
static void test_two_drives_agree(void **state)
{
    (void)state;
    machine m = driven_slider_crank("initial: { pivot: { angle: 1 } }\n"
                                    "drives:\n"
                                    "  one: { joint: pivot, rate: 2 rad/s }\n"
                                    "  two: { joint: pivot, angle: '1 + 2 rad/s * t' }\n");
    start_kinematics(&m, every(0.1, 3));
    machine_must(&m, tn_session_run(m.session));
    assert_jet(coordinate(&m, "slide.position"), slider_of((jet){ 7, 2, 0 }), 1e-11);
    machine_close(&m);
}

/* ---- where a motion ends ---- */

static void dead_at(const char *position, double time)
{
    char drives[200];
    snprintf(drives, sizeof drives, "drives: { push: { joint: slide, position: '%s' } }\n", position);
    machine m = driven_slider_crank(drives);
    start_kinematics(&m, every(0.05, 10));
    assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
    assert_near(number_after(&m, "dead point at t = "), time, 1e-9);
    assert_near(tn_session_time(m.session), time, 1e-9);
    assert_true(said(&m, "'elbow'") && said(&m, "'pivot'") && said(&m, "'wrist'"));
    machine_close(&m);
}

/* Stretched, x = r + L = 0.8, and folded, x = L - r = 0.2. */
static void test_dead_points(void **state)
{
    (void)state;
    dead_at("0.6 m + 0.1 m/s * t", 2);
    dead_at("0.6 m + 0.1 m/s^2 * t^2", sqrt(2));
    dead_at("0.6 m + 0.4 m * sin(t * 1 rad/s)", asin(0.5));
    dead_at("0.6 m - 0.3 m/s * t", 4.0 / 3);
}

/* A parallelogram goes through the flat position, where it could become a crossed one, as it came. */
static void test_passes_singular_position(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies:\n"
                             "  ground: { frames: { right: { at: [0.5, 0] } } }\n"
                             "  crank: { position: [0, 0], angle: 1, frames: { tip: { at: [0.2, 0] } } }\n"
                             "  coupler: { position: [0.11, 0.17], angle: 0, frames: { end: { at: [0.5, 0] } } }\n"
                             "  rocker: { position: [0.5, 0], angle: 1, frames: { tip: { at: [0.2, 0] } } }\n"
                             "joints:\n"
                             "  pivot: { type: revolute, between: [ground, crank] }\n"
                             "  elbow: { type: revolute, between: [crank.tip, coupler] }\n"
                             "  wrist: { type: revolute, between: [coupler.end, rocker.tip] }\n"
                             "  hinge: { type: revolute, between: [ground.right, rocker] }\n"
                             "drives: { motor: { joint: pivot, angle: '1 + 1 rad/s * t' } }\n");
    start_kinematics(&m, every(0.03, 8));
    assert_int_equal(tn_session_run(m.session), TN_NEWS_END);
    assert_jet(coordinate(&m, "hinge.angle"), (jet){ 9, 1, 0 }, 1e-9);
    assert_int_equal(tn_diagnostics_count(m.context), 2);
    assert_near(number_after(&m, "passed a singular position at t = "), PI - 1, 1e-9);
    assert_true(said(&m, "'hinge'"));
    tn_diagnostics_clear(m.context);
    machine_close(&m);
}

static void ends_with(const char *drives, const char *words)
{
    machine m = driven_slider_crank(drives);
    tn_solve solve = every(0.1, 10);
    int code = tn_session_open_kinematics(&m.session, m.model, &solve);
    if (code == TN_OK)
        code = tn_session_run(m.session);
    assert_true(code < 0);
    assert_true(said(&m, words));
    machine_close(&m);
}

static void test_what_cannot_be(void **state)
{
    (void)state;
    ends_with("drives: { motor: { joint: pivot, angle: 'if(t < 1.25, 1 rad, 2 rad)' } }\n",
              "no motion leads on from t = 1.25 s");
    ends_with("", "1 freedom is left; these joints can still move: 'elbow', 'pivot', 'wrist', 'slide'");
    ends_with("initial: { pivot: { angle: 1 } }\n"
              "drives:\n"
              "  one: { joint: pivot, rate: 2 rad/s }\n"
              "  two: { joint: pivot, angle: '1 + 2 rad/s * t + 1 rad/s^4 * t^4' }\n",
              "drive 'two' asks for something that drive 'one' does not allow: over-driven");
    ends_with("drives: { motor: { joint: pivot, angle: '1 + 0.1 * sqrt(2 - t / 1 s)' } }\n",
              "joint 'motor': square root of a negative number");
}

static void test_velocity_joints_refused(void **state)
{
    (void)state;
    machine m = machine_text("tenon: 1\n"
                             "dimension: 2\n"
                             "bodies: { sleigh: { position: [0, 0] } }\n"
                             "joints: { edge: { type: knife-edge, between: [ground, sleigh] } }\n");
    tn_solve solve = every(0.1, 1);
    assert_int_equal(tn_session_open_kinematics(&m.session, m.model, &solve), TN_ERROR_MODEL);
    assert_true(said(&m, "'edge' restrains velocities only"));
    machine_close(&m);
}

/* ---- masses and forces ---- */

static void test_motion_only(void **state)
{
    (void)state;
    machine m = driven_slider_crank("drives: { motor: { joint: pivot, angle: '1 + 1 rad/s * t' } }\n"
                                    "outputs: [pivot.angle, motor.torque, energy.total, { twice: 2 * pivot.angle },"
                                    " { half: motor.power / 2 }]\n");
    tn_solve solve = every(0.1, 1);
    double number;
    assert_int_equal(tn_session_open(&m.session, m.model, &solve), TN_ERROR_MODEL);
    assert_true(said(&m, "body 'crank': mass is missing"));
    assert_true(said(&m, "tenon kinematics"));
    tn_diagnostics_clear(m.context);
    start_kinematics(&m, solve);
    assert_true(said(&m, "3 outputs are left out ('motor.torque'"));
    assert_int_equal(tn_session_recorded_count(m.session), 3);
    assert_string_equal(tn_session_recorded(m.session, 2).name, "twice");
    for (size_t k = 0; k < tn_session_channel_count(m.session); k++)
        assert_null(strstr(tn_session_channel(m.session, k).name, "reaction"));
    tn_diagnostics_clear(m.context);
    assert_int_equal(tn_session_value(&number, m.session, "motor.torque"), TN_ERROR_ARGUMENT);
    assert_true(said(&m, "'motor.torque' needs forces"));
    machine_close(&m);
}

/* Samples lie where they should, whatever the steps are. */
static void compare_sample(void *user, const double *values, size_t count)
{
    assert_int_equal(count, 4);
    jet slider = slider_of(wobble_at(values[0]));
    assert_near(values[0], 0.07 * *(int *)user, 1e-12);
    assert_jet((jet){ values[1], values[2], values[3] }, slider, 1e-11);
    (*(int *)user)++;
}

static void test_samples(void **state)
{
    (void)state;
    char drives[300];
    int samples = 0;
    snprintf(drives, sizeof drives, "drives: { motor: { joint: pivot, angle: '%s' } }\n"
             "outputs: [slide.position, slide.position.rate, slide.position.acceleration]\n", wobble);
    machine m = driven_slider_crank(drives);
    tn_solve solve = every(0.1, 5);
    solve.record = 0.07;
    start_kinematics(&m, solve);
    tn_session_on_sample(m.session, compare_sample, &samples);
    machine_must(&m, tn_session_run(m.session));
    assert_int_equal(samples, 72);
    machine_close(&m);
}

static void test_settings(void **state)
{
    (void)state;
    machine m = wobbling();
    tn_spectrum *spectrum = NULL;
    start_kinematics(&m, every(0.1, 5));
    assert_true(tn_session_is_driven(m.session));
    tn_solve solve = tn_session_solve(m.session);
    solve.step = 0.01;
    machine_must(&m, tn_session_set_solve(m.session, &solve));
    machine_must(&m, tn_session_step(m.session));
    assert_near(tn_session_time(m.session), 0.01, 1e-15);
    assert_int_equal(tn_session_spectrum(&spectrum, m.session), TN_ERROR_ARGUMENT);
    machine_close(&m);
}

/* ---- memory ---- */

static int (*const openers[])(tn_session **, tn_model *, const tn_solve *) = { tn_session_open_kinematics,
                                                                               tn_session_open_inverse };

static const char everything[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  bar: { mass: 1, inertia: 1, position: [0, 0], frames: { tip: { at: [1, 0] } } }\n"
    "  arm: { mass: 1, inertia: 1, position: [1, 0] }\n"
    "joints:\n"
    "  hinge: { type: revolute, between: [ground, bar] }\n"
    "  elbow: { type: revolute, between: [bar.tip, arm] }\n"
    "drives:\n"
    "  one: { joint: hinge, rate: 1 rad/s }\n"
    "  two: { joint: hinge, angle: 1 rad/s * t }\n"
    "  three: { joint: elbow, acceleration: 'sin(1 rad/s * t) * 1 rad/s^2' }\n"
    "outputs: [hinge.angle, one.torque]\n"
    "solve: { until: 1, record: 0.1 }\n";

static int whole_way(tn_context *context, int way)
{
    tn_model *model = NULL;
    tn_session *session = NULL;
    int code = tn_model_read_text(&model, context, everything, strlen(everything), "model.yaml", ".");
    if (code == TN_OK)
        code = openers[way](&session, model, NULL);
    if (code == TN_OK)
        code = tn_session_run(session);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static void test_every_request_fails(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        int code = TN_ERROR_MEMORY;
        for (long n = 1; code != TN_NEWS_END; n++) {
            test_alloc a = { .fail_at = n };
            tn_context *context = test_context(&a);
            code = context ? whole_way(context, way) : TN_ERROR_MEMORY;
            if (code != TN_NEWS_END && code != TN_ERROR_MEMORY)
                fail_msg("request %ld failed, but the code is %d", n, code);
            if (context)
                tn_context_destroy(context);
            assert_int_equal(a.alive, 0);
        }
    }
}

static void test_no_requests_in_steps(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        test_alloc a = { 0 };
        machine m = { .context = test_context(&a) };
        machine_must(&m, tn_model_read_text(&m.model, m.context, everything, strlen(everything), "model.yaml", "."));
        machine_must(&m, openers[way](&m.session, m.model, NULL));
        long before = a.calls;
        machine_must(&m, tn_session_run(m.session));
        assert_int_equal(a.calls, before);
        machine_close(&m);
        assert_int_equal(a.alive, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_rate_and_acceleration),
        cmocka_unit_test(test_rate_that_jumps),
        cmocka_unit_test(test_andrews),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_two_drives_agree),
        cmocka_unit_test(test_dead_points),
        cmocka_unit_test(test_passes_singular_position),
        cmocka_unit_test(test_what_cannot_be),
        cmocka_unit_test(test_velocity_joints_refused),
        cmocka_unit_test(test_motion_only),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_every_request_fails),
        cmocka_unit_test(test_no_requests_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
