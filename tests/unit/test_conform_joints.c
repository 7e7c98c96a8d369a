/* Every joint type against differences of its own equations, at random states on and off the constraints, in both
 * dimensions: a type that is added to the list is tested here without further words. */
#include "assemble.h"
#include "dense_rows.h"
#include "specimen.h"
#include "tenon/sys/saddle.h"

#define STEP 5e-5              /* of differences of fourth order: round-off about 1e-11; truncation less, also 0.02 m from a singular state */
#define DIFFERENCE 1e-8        /* tolerance where a difference is compared; times the square of values above 1: they
                                  come from states near a singular one, where the next derivatives are larger still */
#define ROUND_OFF 1e-12        /* tolerance of sums of some dozen products */
enum { STATES = 12 };

static void check(const specimen *s, const char *what, int index, double actual, double expected, double tolerance)
{
    double size = fmax(1, fabs(expected));
    if (fabs(actual - expected) <= tolerance * size * (tolerance < DIFFERENCE ? 1 : size))
        return;
    fail_msg("%s in %d dimensions, layout %d: %s %d is %.17g, expected %.17g (off by %.3g)", s->type->name,
             s->dimension, (int)s->layout, what, index, actual, expected, actual - expected);
}

/* ---- differences ---- */

typedef void (*sampler)(specimen *s, double x, double *out);

static void difference(specimen *s, sampler sample, int count, double *slope)
{
    static const double at[] = { -2, -1, 1, 2 }, weight[] = { 1, -8, 8, -1 };
    double values[MOST];
    memset(slope, 0, (size_t)count * sizeof(double));
    for (int k = 0; k < 4; k++) {
        sample(s, at[k] * STEP, values);
        for (int i = 0; i < count; i++)
            slope[i] += weight[k] * values[i] / (12 * STEP);
    }
}

static void evaluate(specimen *s, double t, const double *q, const double *v)
{
    tn_eval_motion(s->e, s->system, t, q, v);
    tn_eval_constraints(s->e, s->system, s->memory, 2, true);
}

static void moved(const specimen *s, double x, const double *direction, double *q)
{
    double step[MOST];
    for (int k = 0; k < s->system->velocities; k++)
        step[k] = x * direction[k];
    tn_position_move(s->system, s->q, step, q);
}

static void g_in_direction(specimen *s, double x, double *out)
{
    double q[MOST];
    moved(s, x, s->direction, q);
    evaluate(s, s->t, q, s->v);
    memcpy(out, s->e->g, (size_t)s->system->rows * sizeof(double));
}

/* Along the motion without accelerations. */
static void g_along(specimen *s, double x, double *out)
{
    double q[MOST];
    moved(s, x, s->v, q);
    evaluate(s, s->t + x, q, s->v);
    memcpy(out, s->e->g, (size_t)s->system->rows * sizeof(double));
}

static void gdot_along(specimen *s, double x, double *out)
{
    double q[MOST];
    moved(s, x, s->v, q);
    evaluate(s, s->t + x, q, s->v);
    memcpy(out, s->e->gdot, (size_t)s->system->rows * sizeof(double));
}

static void gdot_faster(specimen *s, double x, double *out)
{
    double v[MOST];
    for (int k = 0; k < s->system->velocities; k++)
        v[k] = s->v[k] + x * s->direction[k];
    evaluate(s, s->t, s->q, v);
    memcpy(out, s->e->gdot, (size_t)s->system->rows * sizeof(double));
}

/* Along the motion with the accelerations in direction. */
static void coordinates_along(specimen *s, double x, int derivative, double *out)
{
    double q[MOST], v[MOST];
    for (int k = 0; k < s->system->velocities; k++)
        v[k] = s->v[k] + 0.5 * x * s->direction[k];
    moved(s, x, v, q);
    for (int k = 0; k < s->system->velocities; k++)
        v[k] = s->v[k] + x * s->direction[k];
    tn_eval_motion(s->e, s->system, s->t + x, q, v);
    for (int i = 0; i < s->system->constraint_count; i++)
        tn_eval_coordinates(s->e, s->system, s->memory, i, derivative, out + i * TN_MAX_COORDINATES);
}

static void values_along(specimen *s, double x, double *out)
{
    coordinates_along(s, x, 0, out);
}

static void rates_along(specimen *s, double x, double *out)
{
    coordinates_along(s, x, 1, out);
}

/* ---- rows ---- */

static void check_columns(specimen *s)
{
    static double G[MOST * MOST];
    const tn_system *sys = s->system;
    double by_position[MOST], by_velocity[MOST];
    evaluate(s, s->t, s->q, s->v);
    dense_rows(&sys->structure, s->e->G, G);
    for (int j = 0; j < sys->velocities; j++) {
        memset(s->direction, 0, sizeof s->direction);
        s->direction[j] = 1;
        difference(s, g_in_direction, sys->rows, by_position);
        difference(s, gdot_faster, sys->rows, by_velocity);
        for (int i = 0; i < sys->rows; i++) {
            check(s, "dg'/dv of row", i, G[i * sys->velocities + j], by_velocity[i], DIFFERENCE);
            if (!sys->velocity_row[i])
                check(s, "dg/dq of row", i, G[i * sys->velocities + j], by_position[i], DIFFERENCE);
        }
    }
}

static void check_rates(specimen *s)
{
    const tn_system *sys = s->system;
    double first[MOST], second[MOST];
    difference(s, g_along, sys->rows, first);
    difference(s, gdot_along, sys->rows, second);
    evaluate(s, s->t, s->q, s->v);
    for (int i = 0; i < sys->rows; i++) {
        if (sys->velocity_row[i])
            check(s, "position part of velocity row", i, s->e->g[i], 0, 0);
        else
            check(s, "rate of row", i, s->e->gdot[i], first[i], DIFFERENCE);
        check(s, "bias of row", i, s->e->bias[i], -second[i], DIFFERENCE);
    }
}

static void check_coordinates(specimen *s)
{
    const tn_system *sys = s->system;
    double values[MOST] = { 0 }, rates[MOST] = { 0 }, first[MOST], second[MOST], accelerations[TN_MAX_COORDINATES];
    int most = sys->constraint_count * TN_MAX_COORDINATES;
    random_vector(&s->random, sys->velocities, 1, s->direction);
    difference(s, values_along, most, first);
    difference(s, rates_along, most, second);
    coordinates_along(s, 0, 0, values);
    coordinates_along(s, 0, 1, rates);
    memcpy(s->e->a, s->direction, (size_t)sys->velocities * sizeof(double));
    tn_eval_motion(s->e, sys, s->t, s->q, s->v);
    for (int i = 0; i < sys->constraint_count; i++) {
        tn_eval_coordinates(s->e, sys, s->memory, i, 2, accelerations);
        for (int k = 0; k < sys->coordinates[i].count; k++) {
            int n = i * TN_MAX_COORDINATES + k;
            double row[MOST] = { 0 }, value, rate;
            check(s, "rate of coordinate", k, rates[n], first[n], DIFFERENCE);
            check(s, "acceleration of coordinate", k, accelerations[k], second[n], DIFFERENCE);
            tn_eval_coordinate_row(s->e, sys, s->memory, i, k, &value, &rate, row);
            check(s, "value beside the row of coordinate", k, value, values[n], 0);
            check(s, "rate beside the row of coordinate", k, rate, rates[n], 0);
        }
    }
}

/* ---- reactions ---- */

static double power_of(const tn_wrench *w, const tn_frame_motion *m)
{
    return tn_dot3(w->force, m->v) + tn_dot3(w->torque, m->w);
}

/* The power of the forces on both bodies is that of the multipliers. Where the constraint holds it is zero, and forces
 * and torques balance (elsewhere the two points are apart, and forces along N - M alone balance). */
static void check_reactions(specimen *s, bool holds)
{
    static double G[MOST * MOST];
    const tn_system *sys = s->system;
    double rate[MOST];
    evaluate(s, s->t, s->q, s->v);
    dense_rows(&sys->structure, s->e->G, G);
    dense_times(G, sys->rows, sys->velocities, s->v, rate);
    random_vector(&s->random, sys->rows, 1, s->e->lambda);
    for (int i = 0; i < sys->constraint_count; i++) {
        const tn_constraint *c = &sys->constraints[i];
        tn_wrench w1, w2;
        tn_frame_motion m1, m2;
        double power = 0, arm[3], turn[3];
        if (c->slot_count != 2)
            continue;
        tn_constraint_wrench(s->e, sys, i, 0, &w1);
        tn_constraint_wrench(s->e, sys, i, 1, &w2);
        tn_frame_motion_of(s->e, sys, &sys->frames[c->frames[0]], &m1);
        tn_frame_motion_of(s->e, sys, &sys->frames[c->frames[1]], &m2);
        tn_sub3(arm, m1.p, m2.p);
        tn_cross3(turn, arm, w1.force);
        for (int k = 0; k < 3; k++) {
            check(s, "sum of forces", k, w1.force[k] + w2.force[k], 0, ROUND_OFF);
            if (holds)
                check(s, "sum of torques", k, w1.torque[k] + turn[k] + w2.torque[k], 0, ROUND_OFF);
        }
        for (int r = 0; r < c->rows; r++)
            power += s->e->lambda[c->row + r] * rate[c->row + r];
        check(s, "power of constraint", i, power_of(&w1, &m1) + power_of(&w2, &m2), power, ROUND_OFF);
        if (holds)
            check(s, "work of constraint", i, power_of(&w1, &m1) + power_of(&w2, &m2), 0, ROUND_OFF);
    }
}

/* No joint resists a motion of everything together, so its forces have no resultant: couplings included. */
static void check_resultant(specimen *s)
{
    static double G[MOST * MOST];
    double v[MOST], rate[MOST];
    rigid_motion(s, v);
    evaluate(s, s->t, s->q, s->v);
    dense_rows(&s->system->structure, s->e->G, G);
    dense_times(G, s->system->rows, s->system->velocities, v, rate);
    for (int i = 0; i < s->system->rows; i++)
        check(s, "rigid motion seen by row", i, rate[i], 0, ROUND_OFF);
}

/* ---- on the constraints ---- */

/* Brings the state to the nearest one where joints hold. False: none was found, as may happen far away. */
static bool assemble(specimen *s)
{
    double before[MOST], after[MOST];
    memset(s->memory, 0, sizeof s->memory);
    tn_assembly a = { .q = s->q, .v = s->v, .memory = s->memory, .before = before, .after = after };
    s->t = 0;
    bool found = tn_assemble(&a, s->system, tn_solver_types[0], false, 1) == TN_OK;
    tn_diagnostics_clear(s->context);
    if (!found)
        return false;
    evaluate(s, s->t, s->q, s->v);
    for (int i = 0; i < s->system->rows; i++) {
        check(s, "assembled row", i, s->e->g[i], 0, 1e-9);
        check(s, "assembled rate of row", i, s->e->gdot[i], 0, 1e-9);
    }
    return true;
}

static void check_state(specimen *s, bool relative, bool holds)
{
    check_columns(s);
    check_rates(s);
    check_coordinates(s);
    if (relative) {
        check_reactions(s, holds);
        if (holds && s->layout == LAYOUT_FREE)
            check_resultant(s);
    }
}

/* relative: the equations see relative motion only and know no time, as those of all built-in types. */
static void check_specimen(specimen *s, bool relative)
{
    int assembled = 0;
    for (int n = 0; n < STATES; n++) {
        random_state(s);
        check_state(s, relative, false);
        if (assemble(s)) {
            assembled++;
            check_state(s, relative, relative);
        }
    }
    if (assembled < STATES / 2)
        fail_msg("%s: only %d of %d states could be assembled", s->type->name, assembled, (int)STATES);
}

/* ---- frame invariance ---- */

static void accelerations(specimen *s)
{
    const tn_solver_type *solver = tn_solver_types[0];
    tn_saddle *k = NULL;
    evaluate(s, s->t, s->q, s->v);
    tn_eval_forces(s->e, s->system, s->memory);
    assert_int_equal(solver->analyze(&k, s->context, &s->system->structure), TN_OK);
    assert_int_equal(solver->factor(k, s->e->M, s->e->G, TN_RANK_DECIDE), TN_OK);
    assert_int_equal(solver->solve(k, s->e->f, s->e->bias, s->e->a, s->e->lambda), TN_OK);
    solver->destroy(k);
}

/* Accelerations of the body whose velocities start at first. */
static void check_turned(const specimen *s, const specimen *there, const specimen *here, int first)
{
    double a[6] = { 0 }, turned[6];
    memcpy(a, here->e->a + first, (size_t)(here->dimension == 2 ? 2 : 6) * sizeof(double));
    tn_quat_rotate(turned, there->whole.q, a);
    tn_quat_rotate(turned + 3, there->whole.q, a + 3);
    if (here->dimension == 2)
        turned[2] = here->e->a[first + 2];
    for (int k = 0; k < (here->dimension == 2 ? 3 : 6); k++)
        check(s, "moved acceleration", first + k, there->e->a[first + k], turned[k], 1e-10);
}

/* Numbers stay, the parts of a vector turn with the model. */
static void check_turned_rows(const specimen *s, const specimen *there, int constraint, const double *actual,
                              const double *expected)
{
    const tn_constraint *c = &there->system->constraints[constraint];
    const tn_program_row *rows = c->program->rows;
    for (int r = 0; r < c->rows; r++) {
        bool vector = rows[r].component > 0 || (r + 1 < c->rows && rows[r + 1].component > 0);
        double turned[3] = { expected[c->row + r] }, parts[3] = { 0 };
        if (vector) {
            memcpy(parts, expected + c->row + r - rows[r].component, (size_t)s->dimension * sizeof(double));
            tn_quat_rotate(turned, there->whole.q, parts);
        }
        check(s, "moved row", r, actual[c->row + r], turned[rows[r].component], 10 * ROUND_OFF);
    }
}

/* The same model somewhere else: same residuals, accelerations turned with it. */
static void check_invariance(const specimen *s)
{
    specimen there = { .type = s->type, .dimension = s->dimension, .layout = s->layout, .angles = s->angles }, here;
    there.whole = there.dimension == 2 ? tn_pose_planar(1.3, -0.4, 2.1)
                                       : tn_pose_z((double[3]){ 1.3, -0.4, 0.7 }, (double[3]){ 1, -2, 0.5 });
    there.random = 7;
    here = there;
    here.whole = tn_pose_identity();
    assert_int_equal(specimen_open(&here, false), TN_OK);
    assert_int_equal(specimen_open(&there, false), TN_OK);
    accelerations(&here);
    accelerations(&there);
    for (int i = 0; i < here.system->constraint_count; i++) {
        check_turned_rows(s, &there, i, there.e->g, here.e->g);
        check_turned_rows(s, &there, i, there.e->gdot, here.e->gdot);
        check_turned_rows(s, &there, i, there.e->bias, here.e->bias);
    }
    for (int b = 0; b < here.system->body_count; b++)
        check_turned(s, &there, &here, here.system->bodies[b].v);
    specimen_close(&there);
    specimen_close(&here);
}

/* ---- the lists ---- */

static bool available(const tn_joint_type *type, int dimension)
{
    const tn_joint_form *form = dimension == 2 ? &type->planar : &type->spatial;
    return form->equations[0] || form->velocity_equations[0];
}

static specimen specimen_of(const tn_joint_type *type, int dimension, layout bodies, unsigned angles)
{
    return (specimen){ .type = type, .dimension = dimension, .layout = bodies, .angles = angles,
                       .whole = tn_pose_identity(), .random = 1 + (uint32_t)bodies };
}

/* All layouts, and for couplings all kinds of coordinates they take. */
static void conform(const tn_joint_type *type, int dimension)
{
    unsigned kinds = type->joints == 0 ? 1 : 1u << (type->joints < 0 ? 3 : type->joints);
    int tested = 0;
    for (layout bodies = 0; bodies < LAYOUTS; bodies++)
        for (unsigned angles = 0; angles < kinds; angles++) {
            specimen s = specimen_of(type, dimension, bodies, angles);
            int code = specimen_open(&s, false);
            if (code == TN_OK) {
                check_specimen(&s, true);
                check_invariance(&s);
                tested++;
            } else if (type->joints == 0 || code != TN_ERROR_MODEL) {
                tn_diagnostics_print(s.context, stderr);
                fail_msg("%s: code %d", type->name, code);
            }
            specimen_close(&s);
        }
    if (tested < LAYOUTS)
        fail_msg("%s takes no coordinates of other joints", type->name);
}

static void test_planar_types(void **state)
{
    (void)state;
    for (int k = 0; tn_joint_types[k]; k++)
        if (available(tn_joint_types[k], 2) && !tn_joint_types[k]->drives)
            conform(tn_joint_types[k], 2);
}

static void test_spatial_types(void **state)
{
    (void)state;
    for (int k = 0; tn_joint_types[k]; k++)
        if (available(tn_joint_types[k], 3) && !tn_joint_types[k]->drives)
            conform(tn_joint_types[k], 3);
}

#define SPATIAL_AND_PLANAR(...) .planar = { __VA_ARGS__ }, .spatial = { __VA_ARGS__ }

/* Types as users write them: roots, time, parameters, functions, velocity level, and points of the world itself. */
static const tn_joint_type own_types[] = {
    { .name = "telescope",
      SPATIAL_AND_PLANAR(.equations = { "sqrt(d . d) - L - s * t^2 / (1 + t)" },
                         .coordinates = { { "length", "m", "norm(d)" } }),
      .parameters = { { "L", "m", "", NAN, NULL }, { "s", "m/s", "", NAN, NULL } } },
    { .name = "wobble",
      SPATIAL_AND_PLANAR(.equations = { "d . y1 - A * sin(w * t) * exp(-(d . x1)^2 / A^2)",
                                        "x1 . y2 - 0.3 * cos(w * t)" },
                         .coordinates = { { "angle", "rad", "turn(x1, y1, x2) + w * t" } }),
      .parameters = { { "A", "m", "", NAN, NULL }, { "w", "rad/s", "", NAN, NULL } } },
    { .name = "world-line",
      SPATIAL_AND_PLANAR(.equations = { "N . x1 + M . y2 / 3 - c" },
                         .velocity_equations = { "vel(M) . y1 + vel(d) . x2" }),
      .parameters = { { "c", "m", "", NAN, "N . x1" } } },
    { .name = "driven-skate",
      SPATIAL_AND_PLANAR(.velocity_equations = { "vel(d) . x1 * sqrt(1 + d . d / L^2) - u * cos(t * u / L)",
                                                 "(w2 - w1) . z1 - atan2(d . x1, L) * u / L" }),
      .parameters = { { "L", "m", "", NAN, NULL }, { "u", "m/s", "", NAN, NULL } } },
};

static void test_own_types(void **state)
{
    (void)state;
    for (size_t k = 0; k < TN_LENGTH(own_types); k++)
        for (int dimension = 2; dimension <= 3; dimension++)
            for (layout bodies = 0; bodies < LAYOUTS; bodies++) {
                specimen s = specimen_of(&own_types[k], dimension, bodies, 0);
                if (specimen_open(&s, true) != TN_OK) {
                    tn_diagnostics_print(s.context, stderr);
                    fail_msg("%s", own_types[k].name);
                }
                check_specimen(&s, false);
                specimen_close(&s);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planar_types),
        cmocka_unit_test(test_spatial_types),
        cmocka_unit_test(test_own_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
