/* Models as components: port accelerations are D tau + r, as in the open system with the same forces among its own;
 * what a component takes is what the open system does; projection; moments; refusals. */
#include "alloc.h"
#include "mechanisms.h"
#include "session_impl.h"
#include "tenon/sys/component.h"
#include "vec.h"

static const double SAME = 1e-12;              /* relative to the largest acceleration */

enum { COLUMNS = 24, STATES = 128, TEXT = 6000 };

/* A spatial four-bar (redundant three times) that carries a pendulum by a ball, all moving. */
static const char spatial_text[] =
    "tenon: 1\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: { mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02], position: [0, 0, 0],\n"
    "           rotation: { axis: z, angle: 90 deg }, angular_velocity: [0, 0, 2] }\n"
    "  rod: { mass: 2, com: [0.5, 0.1, 0], inertia: [0.02, 0.2, 0.2], position: [0, 0.4, 0], velocity: [-0.8, 0, 0],\n"
    "         frames: { eye: { at: [0.5, 0.3, 0.2] } } }\n"
    "  rocker: { mass: 1.5, com: [0.2, 0, 0.05], inertia: [0.01, 0.03, 0.03], position: [1, 0, 0],\n"
    "            rotation: { axis: z, angle: 90 deg }, angular_velocity: [0, 0, 2] }\n"
    "  bob: { mass: 0.7, com: [0, -0.3, 0], inertia: [0.01, 0.005, 0.01], position: [0.5, 0.4, 0],\n"
    "         velocity: [-0.8, 0, 0], angular_velocity: [1, 2, -1], frames: { tip: { at: [0.1, -0.6, 0] } } }\n"
    "joints:\n"
    "  a: { type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z }\n"
    "  b: { type: revolute, between: [crank, rod], at: [0, 0.4, 0], axis: z }\n"
    "  c: { type: revolute, between: [rod, rocker], at: [1, 0.4, 0], axis: z }\n"
    "  d: { type: revolute, between: [ground, rocker], at: [1, 0, 0], axis: z }\n"
    "  e: { type: spherical, between: [rod, bob], at: [0.5, 0.4, 0] }\n"
    "solve: { assemble: none }\n"
    "forces:\n"
    "  pull: { type: spring, between: [ground, bob.tip], stiffness: 20, length: 0.7 }\n";
static const char *const spatial_ports[] = { "rod.eye", "bob.tip", "bob" };

/* Two bars that fly, with a particle on a rod and a spring. */
static const char planar_text[] =
    "tenon: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  one: { mass: 1, inertia: 0.1, position: [0, 0], angular_velocity: 3, frames: { end: { at: [0.5, 0.1] } } }\n"
    "  two: { mass: 2, inertia: 0.3, com: [0.3, 0], position: [0.5, 0], velocity: [0, 1.5], angular_velocity: -1 }\n"
    "  dot: { type: particle, mass: 0.5, position: [0, 1], velocity: [-3, 0] }\n"
    "joints:\n"
    "  pin: { type: revolute, between: [one, two], at: [0.5, 0] }\n"
    "  bar: { type: rod, between: [one, dot], length: 1 }\n"
    "solve: { assemble: none }\n"
    "forces:\n"
    "  pull: { type: spring, between: [two, dot], stiffness: 50, length: 0.7 }\n";
static const char *const planar_ports[] = { "one.end", "two", "dot" };

typedef struct example {
    const char *text;
    const char *const *ports;
    int count, width;
} example;
static const example examples[] = { { spatial_text, spatial_ports, 3, 6 }, { planar_text, planar_ports, 3, 3 } };

static tn_component component_of(const machine *m, const example *x)
{
    tn_component c;
    machine_must(m, tn_component_from_model(&c, m->model, x->ports, x->count));
    assert_int_equal(c.type->version, TN_COMPONENT_VERSION);
    assert_int_equal(c.type->size, sizeof(tn_component_type));
    assert_int_equal(c.type->port_count, x->count);
    assert_int_equal(c.type->disclosure, TN_DISCLOSE_CONDENSED);
    return c;
}

static double largest(int n, const double *x)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- against the open system ---- */

/* Makes forces at the centres of ports what does the same at their origins (sign 1), or the other way round (-1). */
static void shift_forces(const tn_component *c, int width, double sign, double *tau)
{
    for (int k = 0; k < c->type->port_count; k++, tau += width) {
        tn_port_motion m;
        double center[3], arm[3], moment[3];
        const double force[3] = { tau[0], tau[1], width == 6 ? tau[2] : 0 };
        c->type->port_motion(c->self, k, &m);
        c->type->port_center(c->self, k, center);
        tn_mul33t(arm, (const double (*)[3])m.axes, center);
        tn_cross3(moment, arm, force);
        for (int i = 0; i < 3; i++)
            tau[width == 6 ? 3 + i : 2] += width == 6 || i == 2 ? sign * moment[i] : 0;
    }
}

/* The model with tau as forces and torques of its own, at its start. The particle feels no torque. */
static machine loaded(const example *x, const double *tau)
{
    char text[TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", x->text);
    for (int k = 0; k < x->count; k++, tau += x->width) {
        const char *on = x->ports[k];
        if (x->width == 6)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  load%d: { type: force, on: %s, value: [%.17g, %.17g, %.17g] }\n"
                                     "  moment%d: { type: torque, on: %s, value: [%.17g, %.17g, %.17g] }\n", k, on,
                                     tau[0], tau[1], tau[2], k, on, tau[3], tau[4], tau[5]);
        else
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     "  load%d: { type: force, on: %s, value: [%.17g, %.17g] }\n"
                                     "  moment%d: { type: torque, on: %s, value: %.17g }\n", k, on, tau[0], tau[1], k,
                                     strcmp(on, "dot") == 0 ? "one" : on, strcmp(on, "dot") == 0 ? 0 : tau[2]);
        assert_true(used < sizeof text);
    }
    machine m = machine_text(text);
    machine_start(&m, tn_model_solve(m.model));
    return m;
}

/* Accelerations of the centres of ports in a session. */
static void port_accelerations(const machine *m, const example *x, double *out)
{
    tn_stepper *st = m->session->stepper;
    assert_int_equal(tn_stepper_evaluate(st, st->t, st->y), TN_OK);
    for (int k = 0; k < x->count; k++, out += x->width) {
        tn_id id = named(m, x->ports[k]);
        bool frame = id.kind == TN_KIND_FRAME;
        tn_pose pose = frame ? m->model->frames[id.index].pose : tn_pose_identity();
        tn_sys_frame port = tn_system_frame(st->system, frame ? m->model->frames[id.index].body : id.index, &pose);
        double linear[3], angular[3];
        tn_zero3(port.p);
        tn_frame_acceleration_of(st->eval, st->system, &port, linear, angular);
        memcpy(out, linear, (size_t)(x->width == 6 ? 3 : 2) * sizeof(double));
        if (x->width == 6)
            memcpy(out + 3, angular, sizeof angular);
        else
            out[2] = angular[2];
    }
}

static void check_symmetry(int n, const double *D)
{
    double size = largest(n * n, D);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            assert_near(D[i + j * n], D[j + i * n], 1e-14 * size);
}

static void test_ports_answer_as_in_the_open_system(void **state)
{
    (void)state;
    uint32_t random = 3;
    for (size_t e = 0; e < TN_LENGTH(examples); e++) {
        const example *x = &examples[e];
        const int n = x->count * x->width;
        machine m = machine_text(x->text);
        tn_component c = component_of(&m, x);
        for (int trial = 0; trial < 5; trial++) {
            double tau[COLUMNS] = { 0 }, expected[COLUMNS], D[COLUMNS * COLUMNS], r[COLUMNS], answer[COLUMNS];
            double loads[COLUMNS];
            if (trial > 0)
                random_vector(&random, n, 10, tau);
            memcpy(loads, tau, sizeof loads);
            shift_forces(&c, x->width, 1, loads);
            machine open = loaded(x, loads);
            port_accelerations(&open, x, expected);
            double size = largest(n, expected);
            assert_int_equal(c.type->condense(c.self, trial == 0 ? TN_RANK_DECIDE : TN_RANK_KEEP, D), TN_OK);
            assert_int_equal(c.type->free_answer(c.self, TN_ASK_ACCELERATIONS, r), TN_OK);
            assert_int_equal(c.type->respond(c.self, TN_ASK_ACCELERATIONS, tau, answer), TN_OK);
            check_symmetry(n, D);
            for (int i = 0; i < n; i++) {
                double sum = r[i];
                for (int j = 0; j < n; j++)
                    sum += D[i + j * n] * tau[j];
                assert_near(sum, expected[i], SAME * size);
                assert_near(answer[i], expected[i], SAME * size);
            }
            double rate[STATES];
            const tn_stepper *st = open.session->stepper;
            assert_int_equal(c.type->take(c.self, TN_ASK_ACCELERATIONS, tau, rate), TN_OK);
            for (int i = 0; i < st->system->size; i++)
                assert_near(rate[i], st->dy[i], SAME * largest(st->system->size, st->dy));
            machine_close(&open);
        }
        tn_component_destroy(&c);
        machine_close(&m);
    }
}

/* D = T'T */
static void test_root(void **state)
{
    (void)state;
    for (size_t e = 0; e < TN_LENGTH(examples); e++) {
        machine m = machine_text(examples[e].text);
        tn_component c = component_of(&m, &examples[e]);
        const int n = examples[e].count * examples[e].width;
        double D[COLUMNS * COLUMNS], T[COLUMNS * COLUMNS];
        int rows = 0;
        assert_int_equal(c.type->condense(c.self, TN_RANK_DECIDE, D), TN_OK);
        assert_int_equal(c.type->condense_root(c.self, TN_RANK_KEEP, &rows, T), TN_OK);
        assert_in_range(rows, 1, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < rows; k++)
                    sum += T[i + k * n] * T[j + k * n];
                assert_near(sum, D[i + j * n], 1e-14 * largest(n * n, D));
            }
        tn_component_destroy(&c);
        machine_close(&m);
    }
}

static void test_rank(void **state)
{
    (void)state;
    machine m = machine_text(spatial_text);
    tn_component c = component_of(&m, &examples[0]);
    tn_saddle_info info;
    assert_int_equal(c.type->condense(c.self, TN_RANK_DECIDE, NULL), TN_OK);
    c.type->info(c.self, &info);
    assert_int_equal(info.rows, 23);
    assert_int_equal(info.rank, 20);
    tn_component_destroy(&c);
    machine_close(&m);
}

/* Two halves of a chain, each a component, under what the ball between them does in the whole. */
static void test_halves_move_as_the_whole(void **state)
{
    (void)state;
    static const char left[] = "  a: { mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2], position: [0, 0, 0],\n"
                               "       angular_velocity: [0, 0, 1], frames: { end: { at: [1, 0, 0] } } }\n";
    static const char right[] = "  b: { mass: 2, com: [0.4, 0.1, 0], inertia: [0.1, 0.3, 0.3], position: [1, 0, 0],\n"
                                "       velocity: [0, 1, 0], angular_velocity: [2, 0, -1] }\n"
                                "  c: { mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2], position: [2, 0, 0],\n"
                                "       velocity: [0, 0, 0], angular_velocity: [2, 0, -1] }\n";
    static const char pivot[] = "  p: { type: revolute, between: [ground, a], at: [0, 0, 0], axis: z }\n";
    static const char hinge[] = "  h: { type: revolute, between: [b, c], at: [2, 0, 0], axis: x }\n";
    static const char head[] = "tenon: 1\ngravity: [0, -9.81, 0]\nsolve: { assemble: none }\n";
    machine whole = machine_format("%sbodies:\n%s%sjoints:\n%s%s  ball: { type: spherical, between: [a.end, b] }\n", head,
                                   left, right, pivot, hinge);
    machine halves[] = { machine_format("%sbodies:\n%sjoints:\n%s", head, left, pivot),
                         machine_format("%sbodies:\n%sjoints:\n%s", head, right, hinge) };
    static const char *const ports[] = { "a.end", "b" };
    machine_start(&whole, tn_model_solve(whole.model));
    tn_stepper *st = whole.session->stepper;
    st->with_lambda = true;
    double expected[12];
    const example both = { NULL, ports, 2, 6 };
    port_accelerations(&whole, &both, expected);
    int ball = st->system->constraint_of[named(&whole, "ball").index];
    for (int k = 0; k < 2; k++) {
        tn_wrench w;
        double answer[6], tau[6];
        tn_component c;
        tn_constraint_wrench(st->eval, st->system, ball, k, &w);
        memcpy(tau, w.force, sizeof w.force);
        memcpy(tau + 3, w.torque, sizeof w.torque);
        machine_must(&halves[k], tn_component_from_model(&c, halves[k].model, &ports[k], 1));
        shift_forces(&c, 6, -1, tau);
        assert_int_equal(c.type->respond(c.self, TN_ASK_ACCELERATIONS, tau, answer), TN_OK);
        for (int j = 0; j < 6; j++)
            assert_near(answer[j], expected[6 * k + j], SAME * largest(12, expected));
        tn_component_destroy(&c);
        machine_close(&halves[k]);
    }
    machine_close(&whole);
}

/* ---- the point ---- */

static double gap_of(const machine *m, const double *y, bool velocities)
{
    const tn_system *s = m->session->system;
    tn_eval *e = m->session->stepper->eval;
    double most = 0;
    tn_eval_motion(e, s, 0, y, y + s->positions);
    tn_eval_constraints(e, s, m->session->stepper->memory, 1, false);
    for (int i = 0; i < s->rows; i++)
        most = fmax(most, fabs(velocities ? e->gdot[i] : e->g[i]));
    return most;
}

/* From a point that is a little off: Newton's convergence in positions, velocities in one pass. */
static void test_projection(void **state)
{
    (void)state;
    for (size_t e = 0; e < TN_LENGTH(examples); e++) {
        uint32_t random = 9;
        machine m = machine_text(examples[e].text);
        tn_component c = component_of(&m, &examples[e]);
        machine_start(&m, tn_model_solve(m.model));
        const tn_system *s = m.session->system;
        double y[STATES];
        c.type->point(c.self, NULL, y);
        assert_int_equal(c.type->condense(c.self, TN_RANK_DECIDE, NULL), TN_OK);
        for (int i = 0; i < s->positions + s->velocities; i++)
            y[i] += between(&random, -1e-5, 1e-5);
        tn_position_normalize(s, y);
        double gaps[3];
        for (int pass = 0; pass < 3; pass++) {
            gaps[pass] = gap_of(&m, y, false);
            assert_int_equal(c.type->place(c.self, 0, y), TN_OK);
            assert_int_equal(c.type->take(c.self, TN_ASK_POSITIONS, NULL, y), TN_OK);
        }
        assert_true(gaps[0] > 1e-6 && gaps[1] < 1e-8 && gaps[2] < 1e-14);
        assert_true(gap_of(&m, y, true) > 1e-6);
        assert_int_equal(c.type->place(c.self, 0, y), TN_OK);
        assert_int_equal(c.type->take(c.self, TN_ASK_VELOCITIES, NULL, y), TN_OK);
        assert_true(gap_of(&m, y, true) < 1e-14);
        tn_component_destroy(&c);
        machine_close(&m);
    }
}

static void test_ports_move_with_their_bodies(void **state)
{
    (void)state;
    machine m = machine_text(spatial_text);
    tn_component c = component_of(&m, &examples[0]);
    tn_port_motion tip;
    double center[3];
    c.type->port_motion(c.self, 1, &tip);
    c.type->port_center(c.self, 1, center);
    static const double p[3] = { 0.5, 0.1, 0 }, v[3] = { -1.1, 0, -0.3 }, w[3] = { 1, 2, -1 };
    static const double back[3] = { -0.1, 0.3, 0 };
    for (int k = 0; k < 3; k++) {
        assert_near(center[k], back[k], 1e-15);
        assert_near(tip.p[k], p[k], 1e-15);
        assert_near(tip.v[k], v[k], 1e-14);
        assert_near(tip.w[k], w[k], 1e-15);
        assert_near(tip.axes[k][k], 1, 1e-15);
    }
    tn_component_destroy(&c);
    machine_close(&m);
}

static void test_moments(void **state)
{
    (void)state;
    machine m = machine_text(planar_text);
    tn_component a = component_of(&m, &examples[1]), b = component_of(&m, &examples[1]);
    unsigned char bytes[8 * STATES];
    double y[STATES], back[STATES], t, r[COLUMNS], again[COLUMNS];
    a.type->point(a.self, NULL, y);
    for (int i = 0; i < a.type->state_count(a.self); i++)
        y[i] += 1e-3 * (i + 1);
    assert_int_equal(a.type->place(a.self, 0.25, y), TN_OK);
    size_t size = a.type->save(a.self, NULL, 0);
    assert_true(size > 0 && size <= sizeof bytes);
    assert_int_equal(a.type->save(a.self, bytes, size), size);
    assert_int_equal(b.type->restore(b.self, bytes, size - 1), TN_ERROR_ARGUMENT);
    assert_int_equal(b.type->restore(b.self, bytes, size), TN_OK);
    b.type->point(b.self, &t, back);
    assert_true(t == 0.25);
    assert_memory_equal(y, back, (size_t)a.type->state_count(a.self) * sizeof(double));
    assert_int_equal(a.type->free_answer(a.self, TN_ASK_ACCELERATIONS, r), TN_OK);
    assert_int_equal(b.type->free_answer(b.self, TN_ASK_ACCELERATIONS, again), TN_OK);
    assert_memory_equal(r, again, 9 * sizeof(double));
    tn_component_destroy(&a);
    tn_component_destroy(&b);
    machine_close(&m);
}

/* ---- refusals, memory ---- */

static void refuse(const char *port, const char *words)
{
    machine m = machine_text(planar_text);
    tn_component c;
    assert_int_equal(tn_component_from_model(&c, m.model, &port, 1), TN_ERROR_ARGUMENT);
    assert_null(c.type);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, words));
    tn_component_destroy(&c);
    machine_close(&m);
}

static void test_ports_that_are_none(void **state)
{
    (void)state;
    refuse("tow", "port 'tow': no body or frame that moves; did you mean 'two'?");
    refuse("ground", "port 'ground'");
    refuse("pin", "port 'pin'");
}

static void test_out_of_memory(void **state)
{
    (void)state;
    test_alloc alloc = { 0 };
    tn_context *context = test_context(&alloc);
    tn_model *model = NULL;
    tn_component c;
    assert_int_equal(tn_model_read_text(&model, context, planar_text, strlen(planar_text), "m.yaml", "."), TN_OK);
    long before = alloc.calls, alive = alloc.alive;
    assert_int_equal(tn_component_from_model(&c, model, planar_ports, 3), TN_OK);
    long requests = alloc.calls - before, after = alloc.calls;
    double y[STATES], D[COLUMNS * COLUMNS];
    c.type->point(c.self, NULL, y);
    assert_int_equal(c.type->place(c.self, 0, y), TN_OK);
    assert_int_equal(c.type->condense(c.self, TN_RANK_DECIDE, D), TN_OK);
    assert_int_equal(c.type->take(c.self, TN_ASK_ACCELERATIONS, NULL, y), TN_OK);
    assert_int_equal(alloc.calls, after);
    tn_component_destroy(&c);
    assert_int_equal(alloc.alive, alive);
    for (long failing = 1; failing <= requests; failing++) {
        alloc.fail_at = alloc.calls + failing;
        assert_int_equal(tn_component_from_model(&c, model, planar_ports, 3), TN_ERROR_MEMORY);
        assert_int_equal(alloc.alive, alive);
    }
    tn_model_destroy(model);
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ports_answer_as_in_the_open_system),
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_halves_move_as_the_whole),
        cmocka_unit_test(test_projection),
        cmocka_unit_test(test_ports_move_with_their_bodies),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_ports_that_are_none),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
