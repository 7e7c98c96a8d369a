/* Every force type against its own potential, power and balance, at random states, in both dimensions, along lengths
 * and angles: a type that is added to the list is tested here without further words. */
#include "draft.h"
#include "derivatives.h"
#include "specimen.h"

#define STEP 2e-4              /* of differences of fourth order: truncation and round-off about 1e-11 */
#define DIFFERENCE 1e-8
#define ROUND_OFF 1e-11        /* tolerance of sums of some dozen products of numbers up to 100 */
enum { STATES = 8 };

typedef struct trial {
    specimen s;
    const tn_force_type *force;
    bool angle;                /* place JOINT: along the joint's angle, else its position */
    int losses;                /* states with a loss: balls have none where they touch nothing */
} trial;

static void check(const trial *t, const char *what, int index, double actual, double expected, double tolerance)
{
    if (fabs(actual - expected) <= tolerance * fmax(1, fabs(expected)))
        return;
    fail_msg("%s in %d dimensions, layout %d%s: %s %d is %.17g, expected %.17g (off by %.3g)", t->force->name,
             t->s.dimension, (int)t->s.layout, t->angle ? ", along an angle" : "", what, index, actual, expected,
             actual - expected);
}

/* ---- a model with one force in it ---- */

/* A value that suits the parameter: positive, of order one, and matrices symmetric. */
static double value_for(const char *name, int index)
{
    const char *point = strchr(name, '.');
    if (point && point[1] >= '1' && point[1] <= '6')
        return 1 + 0.1 * (point[1] - '0') * (point[2] - '0') + (point[1] == point[2] ? 5 : 0);
    if (strcmp(name, "exponent") == 0)
        return 1.4;
    if (strcmp(name, "clearance") == 0)
        return 0.1;                                    /* small: the ball touches, and not just so */
    return 0.5 + 0.13 * (index % 5);
}

static void add_settings(const trial *t, tn_force_draft *draft)
{
    for (int k = 0; k < TN_FORCE_PARAMETERS && t->force->parameters[k].name; k++) {
        const tn_parameter_decl *p = &t->force->parameters[k];
        bool lever = t->force->place == TN_PLACE_JOINT && !t->angle && strcmp(p->name, "radius") == 0;
        if (strcmp(p->unit, TN_UNIT_TABLE) == 0)
            tn_force_draft_say(draft, (tn_expression){ .name = p->name, .text = "law" });
        else if (!p->as_built && !lever)
            tn_force_draft_set(draft, p->name, value_for(p->name, k));
    }
}

static void add_law(tn_model *model)
{
    static const double x[] = { -20, -2, -1, 0, 0.5, 2, 20 }, y[] = { -30, -5, -1, 0.2, 1, 4, 25 };
    tn_table_def table = { .x = x, .y = y, .count = 7, .kind = TN_CURVE_SMOOTH, .extend = true };
    assert_int_equal(tn_model_add_table(model, "law", &table), TN_OK);
}

static void add_force(trial *t)
{
    specimen *s = &t->s;
    bool ground1 = s->layout == LAYOUT_FROM_GROUND, joint = t->force->place == TN_PLACE_JOINT;
    tn_force_draft draft;
    tn_force_draft_begin(&draft, t->force->name);
    tn_id ids[2], id, link = { 0 };
    tn_pose poses[2];
    for (int k = 0; k < 2; k++)
        ids[k] = add_random_body(s, k, &poses[k]);
    tn_pose one = random_pose(s, 0.5, 1), two = random_pose(s, 0.5, 1);
    if (joint)
        link = add_random_joint(s, s->dimension == 2 ? "pin-in-slot" : "cylindrical", 0, 0, ids, poses);
    if (joint) {
        draft.def.joint = link;
        draft.def.coordinate = t->angle ? "angle" : "position";
    } else if (t->force->place == TN_PLACE_FRAMES) {
        draft.def.body1 = ground1 ? tn_model_ground(s->model) : ids[0];
        draft.def.body2 = ids[1];
        draft.def.frame1 = ground1 ? tn_pose_compose(&s->whole, &one) : one;
        draft.def.frame2 = two;
    }
    add_law(s->model);
    add_settings(t, &draft);
    assert_int_equal(tn_model_add_force(&id, s->model, "force", &draft.def), TN_OK);
}

static void trial_open(trial *t)
{
    specimen_begin(&t->s);
    tn_model_set_gravity(t->s.model, (double[3]){ 0, 0, 0 });
    add_force(t);
    if (specimen_compile(&t->s) != TN_OK) {
        tn_diagnostics_print(t->s.context, stderr);
        fail_msg("%s does not compile", t->force->name);
    }
    assert_true(t->s.system->velocities + t->s.system->states <= MOST);
}

static void fill_states(trial *t)
{
    for (int k = 0; k < t->s.system->states; k++)
        t->s.v[t->s.system->velocities + k] = 0.6 + 0.2 * k;
}

/* ---- what acts ---- */

/* The point, with some reactions for forces that follow them. */
static void evaluate(trial *t, const double *q, const double *v)
{
    specimen *s = &t->s;
    tn_eval_motion(s->e, s->system, s->t, q, v);
    tn_eval_constraints(s->e, s->system, s->memory, 1, true);
    for (int k = 0; k < s->system->rows; k++)
        s->e->lambda[k] = 1 + 0.3 * k;
    s->e->reactions_known = true;
}

/* Generalised force of the force alone: gyroscopic forces are left out. */
static void force_alone(trial *t, double *f)
{
    tn_system *sys = t->s.system;
    tn_eval *e = t->s.e;
    int count = sys->force_count;
    tn_eval_forces(e, sys, t->s.memory);
    assert_null(e->failed);
    memcpy(f, e->f, (size_t)sys->velocities * sizeof(double));
    sys->force_count = 0;
    tn_eval_forces(e, sys, t->s.memory);
    sys->force_count = count;
    for (int k = 0; k < sys->velocities; k++)
        f[k] -= e->f[k];
}

static double dot(const trial *t, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < t->s.system->velocities; k++)
        sum += a[k] * b[k];
    return sum;
}

static double potential(trial *t, const double *direction, double x)
{
    double step[MOST], q[MOST];
    for (int k = 0; k < t->s.system->velocities; k++)
        step[k] = x * direction[k];
    tn_position_move(t->s.system, t->s.q, step, q);
    evaluate(t, q, t->s.v);
    return tn_system_energy(t->s.e, t->s.system, t->s.memory).potential;
}

static double slope(trial *t, const double *direction)
{
    static const double at[] = { -2, -1, 1, 2 }, weight[] = { 1, -8, 8, -1 };
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += weight[k] * potential(t, direction, at[k] * STEP) / (12 * STEP);
    return sum;
}

/* ---- checks ---- */

static void check_power(trial *t)
{
    double f[MOST], power = 0;
    evaluate(t, t->s.q, t->s.v);
    force_alone(t, f);
    for (int k = 0; k < t->s.system->force_count; k++)
        power += tn_force_power(t->s.e, t->s.system, &t->s.system->forces[k], t->s.memory);
    check(t, "power", 0, power, dot(t, f, t->s.v), ROUND_OFF);
}

/* Between two bodies nothing is pushed that does not push back: no power in a motion of both together. */
static void check_balance(trial *t)
{
    double f[MOST], v[MOST];
    evaluate(t, t->s.q, t->s.v);
    force_alone(t, f);
    for (int n = 0; n < 6; n++) {
        double largest = 1;
        rigid_motion(&t->s, v);
        for (int k = 0; k < t->s.system->velocities; k++)
            largest = fmax(largest, fabs(f[k] * v[k]));
        check(t, "power in a motion together", n, dot(t, f, v) / largest, 0, ROUND_OFF);
    }
}

/* Between two bodies only their motion against each other counts. */
static void check_comoving(trial *t)
{
    double f[MOST], same[MOST], v[MOST];
    evaluate(t, t->s.q, t->s.v);
    force_alone(t, f);
    memcpy(v, t->s.v, sizeof v);
    rigid_motion(&t->s, v);
    for (int k = 0; k < t->s.system->velocities; k++)
        v[k] += t->s.v[k];
    evaluate(t, t->s.q, v);
    force_alone(t, same);
    for (int k = 0; k < t->s.system->velocities; k++)
        check(t, "force in a motion together", k, same[k], f[k], ROUND_OFF);
}

/* At rest only the potential acts; in motion its decrease and the loss are the power. */
static void check_potential(trial *t)
{
    const tn_system *sys = t->s.system;
    double f[MOST], still[MOST] = { 0 }, direction[MOST];
    if (sys->forces[0].potential < 0)
        return;
    evaluate(t, t->s.q, still);
    force_alone(t, f);
    for (int k = 0; k < sys->velocities; k++) {
        memset(direction, 0, sizeof direction);
        direction[k] = 1;
        check(t, "force by potential", k, f[k], -slope(t, direction), DIFFERENCE);
    }
    double decrease = -slope(t, t->s.v);
    evaluate(t, t->s.q, t->s.v);
    double loss = -tn_system_energy(t->s.e, sys, t->s.memory).power;
    double power = tn_force_power(t->s.e, sys, &sys->forces[0], t->s.memory);
    check(t, "power", 1, power, decrease - loss, DIFFERENCE);
    assert_true(loss >= 0);
    t->losses += loss > 0;
}

/* f and z' at the point moved by x along a way over positions, and one over velocities and states. Reactions are left
 * out: what follows from them is no part of the derivatives. */
static void rates_at(trial *t, const double *x_way, const double *v_way, double x, double *out)
{
    const tn_system *sys = t->s.system;
    double step[MOST], q[MOST], v[MOST];
    for (int k = 0; k < sys->velocities; k++)
        step[k] = x * x_way[k];
    tn_position_move(sys, t->s.q, step, q);
    for (int k = 0; k < sys->velocities + sys->states; k++)
        v[k] = t->s.v[k] + x * v_way[k];
    tn_eval_motion(t->s.e, sys, t->s.t, q, v);
    t->s.e->reactions_known = false;
    tn_eval_forces(t->s.e, sys, t->s.memory);
    memcpy(out, t->s.e->f, (size_t)sys->velocities * sizeof(double));
    memcpy(out + sys->velocities, t->s.e->dz, (size_t)sys->states * sizeof(double));
}

/* The derivatives that implicit integrators use, in some direction. */
static void check_derivatives(trial *t, tn_derivatives *d)
{
    static const double at[] = { -2, -1, 1, 2 }, weight[] = { 1, -8, 8, -1 };
    const tn_system *sys = t->s.system;
    int n = sys->velocities, all = n + sys->states;
    double x_way[MOST], v_way[MOST], expected[MOST] = { 0 }, found[MOST] = { 0 }, values[MOST];
    random_vector(&t->s.random, n, 1, x_way);
    random_vector(&t->s.random, all, 1, v_way);
    for (int k = 0; k < 4; k++) {
        rates_at(t, x_way, v_way, at[k] * STEP, values);
        for (int i = 0; i < all; i++)
            expected[i] += weight[k] * values[i] / (12 * STEP);
    }
    tn_eval_motion(t->s.e, sys, t->s.t, t->s.q, t->s.v);
    tn_force_derivatives(d, t->s.e, sys, t->s.memory);
    for (int k = 0; k < d->count; k++) {
        int column = d->column[k];
        found[d->row[k]] += d->position[k] * (column < n ? x_way[column] : v_way[column]) +
                            (column < n ? d->velocity[k] * v_way[column] : 0);
    }
    double largest = 1;                                /* differences are as exact as the largest of them */
    for (int i = 0; i < all; i++)
        largest = fmax(largest, fabs(expected[i]));
    for (int i = 0; i < all; i++)
        check(t, "derivative of row", i, found[i] / largest, expected[i] / largest, DIFFERENCE);
}

/* Moved and turned as a whole, power and rates of the states stay what they are; forces along the axes of the world
 * are another matter. */
static void check_invariance(const trial *t)
{
    double power[2], rate[2][TN_FORCE_STATES] = { { 0 } };
    if ((t->force->force && strstr(t->force->force, " X")) || (t->force->torque && strstr(t->force->torque, " X")))
        return;
    for (int k = 0; k < 2; k++) {
        trial here = { .s = { .dimension = t->s.dimension, .layout = t->s.layout, .random = 77,
                              .whole = tn_pose_identity() }, .force = t->force, .angle = t->angle };
        if (k == 1) {
            here.s.random = 5;
            here.s.whole = random_pose(&here.s, 3, 2);
            here.s.random = 77;
        }
        trial_open(&here);
        fill_states(&here);
        evaluate(&here, here.s.q, here.s.v);
        tn_eval_forces(here.s.e, here.s.system, here.s.memory);
        memcpy(rate[k], here.s.e->dz, (size_t)here.s.system->states * sizeof(double));
        power[k] = tn_force_power(here.s.e, here.s.system, &here.s.system->forces[0], here.s.memory);
        specimen_close(&here.s);
    }
    check(t, "power elsewhere", 0, power[1], power[0], 1e-10);
    for (int k = 0; k < TN_FORCE_STATES; k++)
        check(t, "rate of state elsewhere", k, rate[1][k], rate[0][k], 1e-10);
}

static void try_type(const tn_force_type *type, int dimension, layout ends, bool angle)
{
    trial t = { .s = { .dimension = dimension, .layout = ends, .random = 4711, .whole = tn_pose_identity() },
                .force = type, .angle = angle };
    tn_derivatives *derivatives;
    trial_open(&t);
    assert_int_equal(tn_force_derivatives_create(&derivatives, t.s.system, t.s.arena), TN_OK);
    for (int k = 0; k < STATES; k++) {
        random_state(&t.s);
        fill_states(&t);
        check_derivatives(&t, derivatives);
        check_power(&t);
        check_potential(&t);
        if (ends == LAYOUT_FREE) {
            check_balance(&t);
            check_comoving(&t);
        }
    }
    assert_true(t.losses > 0 || !type->loss);
    specimen_close(&t.s);
    check_invariance(&t);
}

static void test_all_types(void **state)
{
    (void)state;
    for (int k = 0; tn_force_types[k]; k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (layout ends = LAYOUT_FREE; ends <= LAYOUT_FROM_GROUND; ends++)
                for (int angle = 0; angle <= (tn_force_types[k]->place == TN_PLACE_JOINT); angle++)
                    try_type(tn_force_types[k], dimension, ends, angle);
}

/* Conservative: of the types that keep energy, none is without potential. */
static void test_potentials(void **state)
{
    (void)state;
    static const char *const elastic[] = { "spring", "torsion-spring", "table-spring", "table-torsion-spring",
                                           "bushing", "ball-on-plane", "ball-in-socket" };
    size_t found = 0;
    for (int k = 0; tn_force_types[k]; k++) {
        bool wanted = false;
        for (size_t n = 0; n < sizeof elastic / sizeof elastic[0]; n++)
            wanted |= strcmp(elastic[n], tn_force_types[k]->name) == 0;
        assert_int_equal(tn_force_types[k]->potential != NULL, wanted);
        found += wanted;
    }
    assert_int_equal(found, sizeof elastic / sizeof elastic[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_types),
        cmocka_unit_test(test_potentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
