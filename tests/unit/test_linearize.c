/* Linearisation against differences of the nonlinear engine, and against closed forms. */
#include "alloc.h"
#include "mechanisms.h"
#include "session_impl.h"

enum { MOST = 64, TRIALS = 12 };

static tn_linear_system *linearized(machine *m, const char *const *inputs, size_t input_count,
                                    const char *const *outputs, size_t output_count)
{
    tn_linear_system *found = NULL;
    tn_linear_request request = { inputs, input_count, outputs, output_count };
    machine_must(m, tn_session_linearize(&found, m->session, &request));
    return found;
}

static size_t state_of(const tn_linear_system *l, const char *name)
{
    for (size_t k = 0; k < l->state_count; k++)
        if (strcmp(l->states[k].name, name) == 0)
            return k;
    fail_msg("there is no state '%s'", name);
    return 0;
}

static double entry(const tn_linear_system *l, const char *row, const char *column)
{
    return l->A[state_of(l, row) * l->state_count + state_of(l, column)];
}

/* ---- against the engine ---- */

/* A state of the session moved by h along a random direction, joints closed again, and everything solved there. */
typedef struct mover {
    tn_session *s;
    double base[1000], direction[1000], y[1000];
} mover;

static void begin(mover *w, tn_session *s)
{
    assert_true(s->system->size < 1000);
    w->s = s;
    memcpy(w->base, s->stepper->y, (size_t)s->system->size * sizeof(double));
}

static void go(mover *w, double h)
{
    const tn_system *sys = w->s->system;
    tn_stepper *st = w->s->stepper;
    double move[1000], *v = w->y + sys->positions;
    for (int k = 0; k < sys->velocities; k++)
        move[k] = h * w->direction[k];
    tn_position_move(sys, w->base, move, w->y);
    for (int k = 0; k < sys->velocities + sys->states; k++)
        v[k] = w->base[sys->positions + k] + h * w->direction[sys->velocities + k];
    assert_int_equal(tn_project_positions(st, st->t, w->y), TN_OK);
    assert_int_equal(tn_project_velocities(st, st->t, w->y, v), TN_OK);
    assert_int_equal(tn_session_evaluate_at(w->s, st->t, w->y), TN_OK);
    w->s->eval_current = true;
}

/* The channel that is the rate of another. */
static void rate_channel(const char *name, char *out, size_t size)
{
    static const struct { const char *end, *rate; } ends[] = {
        { ".rate", ".acceleration" },          { ".position.x", ".velocity.x" },     { ".position.y", ".velocity.y" },
        { ".velocity.x", ".acceleration.x" },  { ".velocity.y", ".acceleration.y" },
        { "sleigh.angle", "sleigh.angular_velocity" }, { ".angular_velocity", ".angular_acceleration" },
        { "", ".rate" },
    };
    size_t n = strlen(name);
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        size_t m = strlen(ends[k].end);
        if (n < m || strcmp(name + n - m, ends[k].end) != 0)
            continue;
        snprintf(out, size, "%.*s%s", (int)(n - m), name, ends[k].rate);
        return;
    }
}

/* x = states, dx = their rates, y = outputs at the point where the session is evaluated. */
static void measure(mover *w, const machine *m, const tn_linear_system *l, double *x, double *dx, double *y)
{
    const tn_system *sys = w->s->system;
    char name[300], owner[300];
    int z = 0;
    for (size_t k = 0; k < l->state_count; k++) {
        snprintf(owner, sizeof owner, "%.*s", (int)strcspn(l->states[k].name, "."), l->states[k].name);
        if (tn_model_find(m->model, owner).kind == TN_KIND_FORCE) {
            x[k] = w->y[sys->positions + sys->velocities + z];
            dx[k] = w->s->stepper->eval->dz[z++];
            continue;
        }
        rate_channel(l->states[k].name, name, sizeof name);
        x[k] = value(m, l->states[k].name);
        dx[k] = value(m, name);
    }
    for (size_t k = 0; k < l->output_count; k++)
        y[k] = value(m, l->outputs[k].name);
}

/* dF = A dX and dY = C dX for changes along many directions, by central differences of fourth order. */
static void check_against_engine(machine *m, const char *const *outputs, size_t output_count, double tolerance)
{
    static const struct { double at, weight; } points[] = { { -2, 1.0 / 12 }, { -1, -8.0 / 12 }, { 1, 8.0 / 12 },
                                                            { 2, -1.0 / 12 } };
    tn_linear_system *l = linearized(m, NULL, 0, outputs, output_count);
    mover w;
    uint32_t random = 7;
    const double h = 2.5e-4;
    double x[MOST], dx[MOST], y[MOST];
    assert_true(l->state_count < MOST && l->output_count < MOST);
    begin(&w, m->session);
    for (int trial = 0; trial < TRIALS; trial++) {
        double X[MOST] = { 0 }, F[MOST] = { 0 }, Y[MOST] = { 0 };
        random_vector(&random, 2 * m->session->system->velocities + m->session->system->states, 1, w.direction);
        for (size_t p = 0; p < 4; p++) {
            go(&w, points[p].at * h);
            measure(&w, m, l, x, dx, y);
            for (size_t k = 0; k < l->state_count; k++) {
                X[k] += points[p].weight / h * x[k];
                F[k] += points[p].weight / h * dx[k];
            }
            for (size_t k = 0; k < l->output_count; k++)
                Y[k] += points[p].weight / h * y[k];
        }
        for (size_t i = 0; i < l->state_count; i++) {
            double sum = 0, size = 1;
            for (size_t j = 0; j < l->state_count; j++) {
                sum += l->A[i * l->state_count + j] * X[j];
                size = fmax(size, fabs(l->A[i * l->state_count + j] * X[j]));
            }
            assert_near(F[i] / size, sum / size, tolerance);
        }
        for (size_t i = 0; i < l->output_count; i++) {
            double sum = 0, size = 1;
            for (size_t j = 0; j < l->state_count; j++) {
                sum += l->C[i * l->state_count + j] * X[j];
                size = fmax(size, fabs(l->C[i * l->state_count + j] * X[j]));
            }
            assert_near(Y[i] / size, sum / size, tolerance);
        }
    }
    tn_linear_system_destroy(m->context, l);
}

static void add_spring(machine *m, const char *name, const char *one, const char *two, double stiffness, double damping)
{
    tn_force_def def = tn_force_default("spring");
    tn_id id;
    def.body1 = named(m, one);
    def.body2 = named(m, two);
    def.frame1.p[0] = 0.1;
    def.frame1.p[1] = 0.7;
    def.frame2.p[0] = 0.3;
    def.settings = (tn_setting[]){ { "stiffness", stiffness }, { "length", 0.4 }, { "damping", damping } };
    def.setting_count = 3;
    machine_must(m, tn_model_add_force(&id, m->model, name, &def));
}

/* Velocities of all bodies at random, then those that the joints allow. */
static void set_moving(machine *m, uint32_t random)
{
    tn_session *s = m->session;
    double *v = s->stepper->y + s->system->positions;
    random_vector(&random, s->system->velocities, 2, v);
    assert_int_equal(tn_project_velocities(s->stepper, s->stepper->t, s->stepper->y, v), TN_OK);
    s->eval_current = false;
}

static void test_trees(void **state)
{
    (void)state;
    const char *const outputs[] = { "joint2.reaction", "bar3.acceleration", "energy.kinetic", "coil.tension" };
    for (uint32_t seed = 1; seed <= 12; seed++) {
        machine m = random_machine(seed);
        add_spring(&m, "coil", "ground", "bar3", 40, 0.7);
        add_spring(&m, "other", "bar1", "bar4", 15, 0.2);
        machine_start(&m, tn_solve_default());
        check_against_engine(&m, outputs, 4, 1e-7);
        set_moving(&m, seed);
        check_against_engine(&m, outputs, 4, 1e-7);
        machine_close(&m);
    }
}

static void test_loops(void **state)
{
    (void)state;
    const char *const outputs[] = { "crank.angular_acceleration", "energy.total" };
    for (int kind = 0; kind < 4; kind++)
        for (int moving = 0; moving < 2; moving++) {
            machine m = kind < 2 ? four_bar(2 + kind) : slider_crank(kind);
            add_spring(&m, "coil", "ground", "crank", 30, 0.5);
            machine_start(&m, tn_solve_default());
            if (moving)
                set_moving(&m, 3);
            check_against_engine(&m, outputs, 2, 1e-7);
            machine_close(&m);
        }
}

static void test_spinning(void **state)
{
    (void)state;
    machine m = spatial_pendulum();
    machine_start(&m, tn_solve_default());
    check_against_engine(&m, (const char *const[]){ "second.reaction", "two.velocity" }, 2, 1e-7);
    machine_close(&m);
}

/* m x'' = -k x - d x' + force: all matrices are known. */
static void test_oscillator(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: { bob: { type: particle, mass: 2, position: [1.2, 0] } }\n"
        "joints: { guide: { type: pin-in-slot, between: [ground, bob] } }\n"
        "forces:\n"
        "  coil: { type: spring, between: [ground, bob], stiffness: 8, length: 1, damping: 0.6 }\n"
        "  load: { type: force, on: bob, value: ['3 N * sin(t / 1 s)', 0] }\n"
        "outputs: [guide.position, coil.tension, bob.acceleration.x]\n");
    machine_start(&m, tn_solve_default());
    const char *const inputs[] = { "load.value.x", "coil.length" };
    tn_linear_system *l = linearized(&m, inputs, 2, NULL, 0);
    assert_int_equal(l->state_count, 2);
    assert_int_equal(l->output_count, 3);
    assert_near(entry(l, "guide.position", "guide.position"), 0, 1e-14);
    assert_near(entry(l, "guide.position", "guide.position.rate"), 1, 1e-14);
    assert_near(entry(l, "guide.position.rate", "guide.position"), -4, 1e-13);
    assert_near(entry(l, "guide.position.rate", "guide.position.rate"), -0.3, 1e-13);
    assert_near(l->states[0].value, 1.2, 1e-14);
    const double B[] = { 0, 0, 0.5, 4 }, C[] = { 1, 0, 8, 0.6, -4, -0.3 }, D[] = { 0, 0, 0, 0, 0.5, 4 };
    for (int k = 0; k < 4; k++)
        assert_near(l->B[k], B[k], 1e-12);
    for (int k = 0; k < 6; k++) {
        assert_near(l->C[k], C[k], 1e-11);
        assert_near(l->D[k], D[k], 1e-11);
    }
    tn_linear_system_destroy(m.context, l);
    l = linearized(&m, NULL, 0, NULL, 0);
    assert_int_equal(l->input_count, 1);
    assert_string_equal(l->inputs[0].name, "load.value.x");
    tn_linear_system_destroy(m.context, l);
    machine_close(&m);
}

/* Positions have a freedom more than rates. */
static void test_nonholonomic(void **state)
{
    (void)state;
    machine m = machine_read(TENON_SOURCE_DIR "/examples/sleigh.yaml");
    machine_start(&m, tn_model_solve(m.model));
    tn_linear_system *l = linearized(&m, NULL, 0, NULL, 0);
    assert_int_equal(l->state_count, 5);
    tn_linear_system_destroy(m.context, l);
    check_against_engine(&m, (const char *const[]){ "blade.reaction.force" }, 1, 1e-7);
    machine_close(&m);
}

/* Controllers with states, feedback through channels, and motion. */
static void test_states(void **state)
{
    (void)state;
    machine m = machine_text(
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  cart: { mass: 3, inertia: 0.1 }\n"
        "  arm: { mass: 1, inertia: 0.05, com: [0, 0.4] }\n"
        "joints:\n"
        "  slide: { type: translational, between: [ground, cart], axis: x }\n"
        "  hinge: { type: revolute, between: [cart, arm] }\n"
        "states:\n"
        "  filtered: { initial: 0.1 rad, rate: '(sin(hinge.angle) - filtered.value) / 0.2 s' }\n"
        "  sum: { initial: 0.3 m s, rate: '0.5 m - slide.position + 0.2 m * filtered.value^2' }\n"
        "forces:\n"
        "  push: { type: force, on: cart,\n"
        "          value: ['40 N * filtered.value + 9 N s * hinge.rate - 3 N/m/s * sum.value', 0] }\n"
        "initial: { hinge: { angle: 0.3, rate: 0.7 }, slide: { position: 0.2, rate: -0.4 } }\n"
        "outputs: [ { given: 'push.value.x * cart.velocity.x' } ]\n");
    machine_start(&m, tn_solve_default());
    check_against_engine(&m, (const char *const[]){ "hinge.reaction.force", "given" }, 2, 1e-7);
    machine_close(&m);
}

/* ---- inputs ---- */

/* A bar of length 1 hangs on a cart that a drive moves: angle'' = -1.5 g sin(angle) - 1.5 cos(angle) u. */
static void check_drive(const char *motion, bool acceleration)
{
    char text[1200];
    snprintf(text, sizeof text,
             "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
             "bodies:\n"
             "  cart: { mass: 3, inertia: 0.1 }\n"
             "  arm: { mass: 2, inertia: 0.16666666666666666, com: [0, -0.5] }\n"
             "joints:\n"
             "  slide: { type: translational, between: [ground, cart], axis: x }\n"
             "  hinge: { type: revolute, between: [cart, arm] }\n"
             "drives: { motor: { joint: slide, %s } }\n"
             "initial: { hinge: { angle: 0.4 } }\noutputs: [hinge.angle]\n", motion);
    machine m = machine_text(text);
    machine_start(&m, tn_solve_default());
    tn_linear_system *l = linearized(&m, NULL, 0, NULL, 0);
    assert_int_equal(l->input_count, 1);
    assert_string_equal(l->inputs[0].name, "motor");
    assert_int_equal(l->state_count, 4);
    assert_near(l->B[state_of(l, "hinge.angle.rate")], -1.5 * cos(0.4), 1e-10);
    assert_near(l->B[state_of(l, acceleration ? "motor.speed" : "slide.position.rate")], 1, 1e-12);
    assert_near(l->B[state_of(l, "slide.position")], 0, 1e-12);
    assert_near(entry(l, "hinge.angle.rate", "hinge.angle"),
                -1.5 * 9.81 * cos(0.4) + 1.5 * sin(0.4) * value(&m, "slide.position.acceleration"), 1e-9);
    assert_near(entry(l, "slide.position", acceleration ? "motor.speed" : "slide.position.rate"), 1, 1e-12);
    tn_linear_system_destroy(m.context, l);
    machine_close(&m);
}

static void test_drives(void **state)
{
    (void)state;
    check_drive("position: '0.3 m * t / 1 s + 0.2 m * (t / 1 s)^2'", false);
    check_drive("rate: '0.3 m/s + 0.4 m/s^2 * t'", false);
    check_drive("acceleration: '0.4 m/s^2'", true);
}

/* B and D against the difference of two models with other values of the parameter. */
static void accelerations(double stiffness, double angle, double out[3])
{
    char text[900];
    snprintf(text, sizeof text,
             "tenon: 1\ngravity: [0, 0, -9.81]\n"
             "bodies:\n  ground: { frames: { hook: { at: [0, 1, 2] } } }\n"
             "  arm: { mass: 2, inertia: [0.1, 0.2, 0.15], com: [0.3, 0, 0], frames: { tip: { at: [1, 0, 0] } } }\n"
             "joints: { ball: { type: spherical, between: [ground, arm] } }\n"
             "forces: { coil: { type: spring, between: [ground.hook, arm.tip], stiffness: %.17g, length: 1 },\n"
             "          load: { type: force, on: arm.tip, value: [1, %.17g, 0] } }\n"
             "outputs: [ball.reaction.force.x, arm.angular_acceleration.z, arm.tip.acceleration.y]\n", stiffness,
             angle);
    machine m = machine_text(text);
    machine_start(&m, tn_solve_default());
    out[0] = value(&m, "ball.reaction.force.x");
    out[1] = value(&m, "arm.angular_acceleration.z");
    out[2] = value(&m, "arm.tip.acceleration.y");
    if (angle == 0 && stiffness == 20) {
        const char *const inputs[] = { "coil.stiffness", "load.value.y" };
        double base[3] = { out[0], out[1], out[2] }, more[2][3];
        accelerations(21, 0, more[0]);
        accelerations(20, 1, more[1]);
        tn_linear_system *l = linearized(&m, inputs, 2, NULL, 0);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++)
                assert_near(l->D[2 * i + j], more[j][i] - base[i], 1e-10);     /* linear in both */
        tn_linear_system_destroy(m.context, l);
    }
    machine_close(&m);
}

static void test_parameters(void **state)
{
    (void)state;
    double ignored[3];
    accelerations(20, 0, ignored);
}

/* ---- at rest, names, memory ---- */

/* About the equilibrium: the same frequencies as K and M give. */
static void test_at_rest(void **state)
{
    (void)state;
    machine m = four_bar(3);
    tn_equilibrium *e = NULL;
    machine_start(&m, tn_solve_default());
    machine_must(&m, tn_session_statics(&e, m.session, NULL));
    tn_linear_system *l = linearized(&m, NULL, 0, NULL, 0);
    assert_int_equal(l->state_count, 2);
    assert_near(-l->A[2], e->margin, 1e-9 * e->margin);
    assert_near(l->A[3], 0, 1e-12);
    tn_equilibrium_destroy(m.context, e);
    tn_linear_system_destroy(m.context, l);
    machine_close(&m);
}

static void check_refused(machine *m, const char *input, const char *output, const char *words)
{
    tn_linear_system *l = NULL;
    tn_linear_request request = { .inputs = input ? &input : NULL, .input_count = 1,
                                  .outputs = output ? &output : NULL, .output_count = 1 };
    tn_diagnostics_clear(m->context);
    assert_true(tn_session_linearize(&l, m->session, &request) < 0);
    assert_true(tn_diagnostics_count(m->context) > 0);
    if (!strstr(tn_diagnostics_get(m->context, 0)->message, words))
        fail_msg("'%s' is not said in '%s'", words, tn_diagnostics_get(m->context, 0)->message);
}

static void test_names(void **state)
{
    (void)state;
    machine m = double_pendulum(2);
    add_spring(&m, "coil", "ground", "upper", 30, 0);
    machine_start(&m, tn_solve_default());
    assert_int_equal(tn_session_possible_input_count(m.session), 4);
    assert_string_equal(tn_session_possible_input(m.session, 0).name, "coil.stiffness");
    assert_string_equal(tn_session_possible_input(m.session, 0).unit, "N/m");
    assert_null(tn_session_possible_input(m.session, 4).name);
    check_refused(&m, "coil.stifness", NULL, "did you mean 'coil.stiffness'");
    check_refused(&m, NULL, "elbow.angel", "did you mean 'elbow.angle'");
    check_refused(&m, NULL, "2 * elbow.angel", "elbow.angel");
    machine_close(&m);
}

/* Every request for memory may fail: it is reported, and nothing leaks. */
static int whole_way(tn_context *context)
{
    static const char text[] =
        "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: { ground: { frames: { hook: { at: [1, 1] } } }, bar: { mass: 2, inertia: 0.2, com: [0.5, 0] } }\n"
        "joints: { pivot: { type: revolute, between: [ground, bar] } }\n"
        "forces: { coil: { type: spring, between: [ground.hook, bar], stiffness: '9 N/m', length: 1, damping: 1 } }\n";
    const char *const inputs[] = { "coil.length" }, *const outputs[] = { "pivot.reaction", "2 * pivot.angle" };
    tn_linear_request request = { inputs, 1, outputs, 2 };
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_equilibrium *e = NULL;
    tn_modes *modes = NULL;
    tn_linear_system *l = NULL;
    int code = tn_model_read_text(&model, context, text, strlen(text), "model.yaml", ".");
    code = code < 0 ? code : tn_session_open(&session, model, NULL);
    code = code < 0 ? code : tn_session_statics(&e, session, NULL);
    code = code < 0 ? code : tn_session_modes(&modes, session);
    code = code < 0 ? code : tn_session_linearize(&l, session, &request);
    tn_linear_system_destroy(context, l);
    tn_modes_destroy(context, modes);
    tn_equilibrium_destroy(context, e);
    tn_session_close(session);
    tn_model_destroy(model);
    return code;
}

static void test_every_request_fails(void **state)
{
    (void)state;
    int code = TN_ERROR_MEMORY;
    for (long n = 1; code != TN_OK; n++) {
        test_alloc a = { .fail_at = n };
        tn_context *context = test_context(&a);
        code = context ? whole_way(context) : TN_ERROR_MEMORY;
        if (code != TN_OK && code != TN_ERROR_MEMORY) {
            tn_diagnostics_print(context, stderr);
            fail_msg("request %ld failed, but the code is %d", n, code);
        }
        if (code == TN_OK && a.calls >= n)
            fail_msg("request %ld failed without being noticed", n);
        if (context)
            tn_context_destroy(context);
        assert_int_equal(a.alive, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_spinning),
        cmocka_unit_test(test_nonholonomic),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_drives),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_every_request_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
