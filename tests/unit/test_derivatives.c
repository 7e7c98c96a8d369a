/* Derivatives of forces and of joint forces against differences of order 8. */
#include "mechanisms.h"
#include <math.h>
#include "derivatives.h"
#include "session_impl.h"

enum { MOST = 64 };
static const double STEP = 1e-2;
static const struct { double at, weight; } points[] = {
    { 1, 4.0 / 5 }, { -1, -4.0 / 5 }, { 2, -1.0 / 5 }, { -2, 1.0 / 5 },
    { 3, 4.0 / 105 }, { -3, -4.0 / 105 }, { 4, -1.0 / 280 }, { -4, 1.0 / 280 }
};

static const char PLANE[] =
    "tenon: 1\n"
    "dimension: 2\n"
    "parameters: { k: 20 N/m }\n"
    "tables: { law: { points: [[-2, -3], [0, 0.5], [1, 2], [3, 4]] } }\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: 0.1, com: [0.2, 0.1], position: [1, 0.3], angle: 0.4, velocity: [0.3, -0.2],\n"
    "       angular_velocity: 0.7, frames: { tip: { at: [0.5, 0.2], angle: 0.3 } } }\n"
    "  b: { mass: 2, inertia: 0.2, position: [2, -0.4], angle: -0.3, velocity: [0.1, 0.5], angular_velocity: -0.4,\n"
    "       frames: { end: { at: [-0.3, 0.4] } } }\n"
    "joints: { hinge: { type: revolute, between: [a.tip, b.end] }, bar: { type: rod, between: [ground, b] } }\n"
    "forces:\n"
    "  s: { type: spring, between: [a.tip, b.end], stiffness: 30, length: 0.7, damping: 2, preload: 1.5 }\n"
    "  p: { type: spring, between: [ground, b], stiffness: k * (1 + a.angle^2), length: 0.2 * hinge.angle }\n"
    "  f: { type: force, between: [a, b.end], value: [3 * law(b.position.x), a.tip.velocity.y * u.value] }\n"
    "  m: { type: torque, on: a, value.z: \"-0.5 N m s * hinge.rate + 1 N m * bar.angle\" }\n"
    "states: { u: { initial: 0.4, rate: \"sin(a.angle) - 2 * u.value * b.velocity.x\" } }\n"
    "solve: { assemble: none }\n";

static const char SPACE[] =
    "tenon: 1\n"
    "bodies:\n"
    "  a: { mass: 1, inertia: [0.1, 0.2, 0.25, 0.01, -0.02, 0.03], com: [0.2, 0.1, -0.1], position: [1, 0.3, 0.2],\n"
    "       rotation: { euler: [0.3, -0.5, 0.9] }, velocity: [0.3, -0.2, 0.4], angular_velocity: [0.7, -0.3, 1.1],\n"
    "       frames: { tip: { at: [0.5, 0.2, 0.3], rotation: { euler: [0.2, 0.4, -0.6] } } } }\n"
    "  b: { mass: 2, inertia: [0.2, 0.3, 0.4], position: [2, -0.4, 0.5], rotation: { euler: [-0.8, 0.1, 0.4] },\n"
    "       velocity: [0.1, 0.5, -0.3], angular_velocity: [-0.4, 0.6, 0.2], frames: { end: { at: [-0.3, 0.4, 0.1] } } }\n"
    "joints:\n"
    "  hinge: { type: revolute, between: [a.tip, b.end] }\n"
    "  ball: { type: universal, between: [ground, a], axis: y, axis2: x }\n"
    "  pump: { type: oscillating, between: [ground, b], rate: 2 }\n"
    "joint_types: { oscillating: { parameters: { rate: rad/s }, equations: [\"d . x2 * (1 + sin(rate * t)) - 1\"] } }\n"
    "forces:\n"
    "  s: { type: spring, between: [a.tip, b.end], stiffness: 30, length: 0.7, damping: 2, preload: 1.5 }\n"
    "  f: { type: force, between: [a, b.end], value: [3 * b.position.x, a.tip.velocity.y * u.value, 1 N * hinge.angle] }\n"
    "  m: { type: torque, between: [b, a], value: [\"-0.5 N m s * hinge.rate\", 2 * a.angular_velocity.x, 0.3] }\n"
    "states: { u: { initial: 0.4, rate: \"a.angular_velocity.y - 2 * u.value * b.velocity.x\" } }\n"
    "solve: { assemble: none }\n";

typedef struct bench {
    machine m;
    const tn_system *s;
    tn_stepper *st;
    double y[MOST], lambda[MOST];
} bench;

static bench open_bench(const char *text)
{
    bench b = { .m = machine_text(text) };
    machine_must(&b.m, tn_session_open(&b.m.session, b.m.model, NULL));
    b.s = b.m.session->system;
    b.st = b.m.session->stepper;
    assert_in_range(b.s->size, 1, MOST);
    assert_in_range(b.s->rows, 1, MOST);
    for (int r = 0; r < b.s->rows; r++)
        b.lambda[r] = sin(1 + 3 * r);
    return b;
}

/* The state with displacement (or velocity, or state) number k changed. */
static void disturb(bench *b, int k, bool velocity, double amount)
{
    const tn_system *s = b->s;
    double move[MOST] = { 0 };
    memcpy(b->y, b->st->y, (size_t)s->size * sizeof(double));
    if (velocity || k >= s->velocities) {
        b->y[s->positions + k] += amount;
        return;
    }
    move[k] = amount;
    tn_position_move(s, b->st->y, move, b->y);
}

/* f and z', or G' lambda. */
static void evaluate(bench *b, bool joints, double out[MOST])
{
    const tn_system *s = b->s;
    tn_eval *e = b->st->eval;
    const tn_structure *k = &s->structure;
    tn_eval_motion(e, s, 0.3, b->y, b->y + s->positions);
    memset(out, 0, MOST * sizeof(double));
    if (!joints) {
        tn_eval_forces(e, s, b->st->memory);
        memcpy(out, e->f, (size_t)s->velocities * sizeof(double));
        memcpy(out + s->velocities, e->dz, (size_t)s->states * sizeof(double));
        return;
    }
    tn_eval_constraints(e, s, b->st->memory, 1, true);
    for (int c = 0; c < k->constraints; c++)
        for (int n = k->block_begin[c]; n < k->block_begin[c + 1]; n++) {
            double rows[30];
            const double *G = tn_eval_block(e, s, c, n, rows);
            int first = k->body_column[k->block_body[n]], w = k->body_column[k->block_body[n] + 1] - first;
            for (int r = 0; r < s->constraints[c].rows; r++)
                for (int j = 0; j < w; j++)
                    out[first + j] += G[r * w + j] * b->lambda[s->constraints[c].row + r];
        }
}

static void check_column(bench *b, const tn_derivatives *d, bool joints, bool velocity, int column)
{
    double sum[MOST] = { 0 }, exact[MOST] = { 0 }, value[MOST];
    for (size_t p = 0; p < TN_LENGTH(points); p++) {
        disturb(b, column, velocity, points[p].at * STEP);
        evaluate(b, joints, value);
        for (int i = 0; i < MOST; i++)
            sum[i] += points[p].weight / STEP * value[i];
    }
    for (int k = 0; k < d->count; k++)
        if (d->column[k] == column)
            exact[d->row[k]] += velocity ? d->velocity[k] : d->position[k];
    for (int i = 0; i < b->s->velocities + b->s->states; i++)
        if (!(fabs(exact[i] - sum[i]) <= 1e-9 * (1 + fabs(sum[i]))))
            fail_msg("d row %d / d %s %d is %.15g, by differences %.15g", i, velocity ? "velocity" : "position", column,
                     exact[i], sum[i]);
}

static void check(const char *text, bool joints)
{
    bench b = open_bench(text);
    tn_derivatives *d = NULL;
    tn_arena *arena = tn_arena_create(b.m.context);
    assert_int_equal((joints ? tn_joint_derivatives_create : tn_force_derivatives_create)(&d, b.s, arena), TN_OK);
    memcpy(b.y, b.st->y, (size_t)b.s->size * sizeof(double));
    tn_eval_motion(b.st->eval, b.s, 0.3, b.y, b.y + b.s->positions);
    memcpy(b.st->eval->lambda, b.lambda, (size_t)b.s->rows * sizeof(double));
    (joints ? tn_joint_derivatives : tn_force_derivatives)(d, b.st->eval, b.s, b.st->memory);
    for (int k = 0; k < b.s->velocities + b.s->states; k++)
        check_column(&b, d, joints, false, k);
    for (int k = 0; !joints && k < b.s->velocities; k++)
        check_column(&b, d, joints, true, k);
    tn_arena_destroy(arena);
    machine_close(&b.m);
}

static void test_forces_in_the_plane(void **state)
{
    (void)state;
    check(PLANE, false);
}

static void test_forces_in_space(void **state)
{
    (void)state;
    check(SPACE, false);
}

static void test_joints_in_the_plane(void **state)
{
    (void)state;
    check(PLANE, true);
}

static void test_joints_in_space(void **state)
{
    (void)state;
    check(SPACE, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_in_the_plane),
        cmocka_unit_test(test_forces_in_space),
        cmocka_unit_test(test_joints_in_the_plane),
        cmocka_unit_test(test_joints_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
