/* Schemes against published values: the tables of Welch et al. 2007. */
#include "mechanisms.h"
#include "mem.h"
#include "session_impl.h"
#include "../../cli/reproduce/welch_crank.h"

/* Two bars of length 5 along +y, gravity 10 along +x (Welch et al. 2007, Table 1). */
static machine welch_pendulum(void)
{
    machine m = { .context = tn_context_create(NULL) };
    machine_must(&m, tn_model_create(&m.model, m.context, 2));
    tn_model_set_gravity(m.model, (double[3]){ 10, 0, 0 });
    for (int k = 0; k < 2; k++) {
        tn_body_def def = tn_body_default();
        tn_id id;
        def.mass = 1;
        def.inertia[2] = 25.0 / 12;
        def.pose = tn_pose_planar(0, 2.5 + 5 * k, 0);
        def.placed = true;
        machine_must(&m, tn_model_add_body(&id, m.model, k ? "two" : "one", &def));
    }
    add_pin(&m, "pivot", "ground", "one", 0, 0);
    add_pin(&m, "elbow", "one", "two", 0, 5);
    return m;
}

/* Their angles count the other way round; the multipliers act on the bodies here. */
static void test_welch_table_1(void **state)
{
    (void)state;
    static const double q[] = { 2.443655269310963, -0.5277783191794895, -1.783508081764363,
                                6.711359930283763, -2.765194090434459, -2.323828290259711 };
    static const double v[] = { -0.1819273871586672, -0.8425945695282319, -0.344804340604974,
                                8.358047330329132, 7.618758619232083, 5.100854444583235 };
    static const double lambda[] = { 57.64615652238092, 3.734488926265648, 42.71195102102794, 25.43944405550502 };
    static const double phi[] = { 2.012649042981707e-07, 4.33734350657744e-08, 2.580200099577823e-06,
                                  2.301799984172348e-06 };
    for (double passes = 1; passes <= 2; passes++) {       /* no force depends on velocities: one pass is as good */
        machine m = welch_pendulum();
        tn_solve solve = fixed_steps("rk4", 0.005, 10);
        solve.scheme = "taylor2";
        assert_int_equal(tn_solve_set(&solve, "passes", passes), TN_OK);
        assert_int_equal(tn_solve_set(&solve, "damping", 0), TN_OK);
        machine_run(&m, solve);
        const tn_stepper *st = m.session->stepper;
        for (int k = 0; k < 6; k++) {
            assert_true(fabs(st->y[k] / q[k] - 1) < 1e-11);
            assert_true(fabs(st->y[6 + k] / v[k] - 1) < 1e-8);
        }
        for (int k = 0; k < 4; k++) {
            assert_true(fabs(fabs(st->multipliers[k]) / lambda[k] - 1) < 5e-7);
            assert_near(fabs(st->eval->g[k]), phi[k], 1e-14);
        }
        machine_close(&m);
    }
}

typedef struct mean {
    double sum;
    long count;
} mean;

static int add_norm(void *user, const tn_session *session)
{
    mean *phi = user;
    double square = 0;
    for (int i = 0; i < session->system->rows; i++)
        square += session->stepper->eval->g[i] * session->stepper->eval->g[i];
    phi->sum += sqrt(square);
    phi->count++;
    return 0;
}

/* Their mean leaves out the last step and counts the start as zero. */
typedef struct welch_mean {
    mean all;
    double last;
} welch_mean;

static int add_welch_norm(void *user, const tn_session *session)
{
    welch_mean *phi = user;
    double before = phi->all.sum;
    add_norm(&phi->all, session);
    phi->last = phi->all.sum - before;
    return 0;
}

static void test_welch_table_2(void **state)
{
    (void)state;
    static const struct { const char *scheme; double step, phi; } rows[] = {
        { "baumgarte", 0.02, 1.0856e-4 }, { "baumgarte", 0.01, 1.4877e-5 },
        { "taylor2", 0.02, 3.1960e-5 },   { "taylor2", 0.01, 3.9802e-6 },
        { "taylor1", 0.02, 1.0038e-3 },   { "taylor1", 0.01, 2.5339e-4 },
    };
    for (size_t k = 0; k < TN_LENGTH(rows); k++) {
        machine m = machine_text(welch_crank);
        welch_mean phi = { 0 };
        tn_solve solve = fixed_steps("heun", rows[k].step, 10);
        solve.scheme = rows[k].scheme;
        solve.assemble = TN_ASSEMBLE_NONE;
        if (strcmp(rows[k].scheme, "taylor2") == 0)
            tn_solve_set(&solve, "damping", 0);
        if (k < 2) {
            tn_solve_set(&solve, "alpha_step", 1);
            tn_solve_set(&solve, "beta_step", 1);
        }
        machine_start(&m, solve);
        tn_session_on_step(m.session, add_welch_norm, &phi);
        machine_must(&m, tn_session_run(m.session));
        double result = (phi.all.sum - phi.last) / (double)phi.all.count;
        if (!(fabs(result / rows[k].phi - 1) < 6e-5))
            fail_msg("%s, %g s: %.5g, published %.5g", rows[k].scheme, rows[k].step, result, rows[k].phi);
        machine_close(&m);
    }
}

/* Three boxes L x L/10 x L/10 along -z, of one density, on two balls and a pin (Table 3). Published with mass and pin
 * axis left open; the values are those of an independent program for both axes. */
static machine welch_chain(const double axis[3])
{
    static const double lengths[] = { 1, 2, 2.5 };
    static const char *const names[] = { "ground", "one", "two", "three" };
    machine m = { .context = tn_context_create(NULL) };
    double top = 0;
    machine_must(&m, tn_model_create(&m.model, m.context, 3));
    tn_model_set_gravity(m.model, (double[3]){ -5, -5 * sqrt(2), -5 });
    for (int k = 0; k < 3; k++) {
        double L = lengths[k], mass = L * L * L, across = mass * L * L * 1.01 / 12;
        tn_body_def def = tn_body_default();
        tn_id id;
        def.mass = mass;
        memcpy(def.inertia, (double[6]){ across, across, mass * L * L / 600, 0, 0, 0 }, sizeof def.inertia);
        def.pose.p[2] = top - L / 2;
        def.placed = true;
        machine_must(&m, tn_model_add_body(&id, m.model, names[k + 1], &def));
        tn_pose place = tn_pose_z((double[3]){ 0, 0, top }, axis);
        add_as_built(&m, k == 2 ? "pin" : k == 1 ? "ball" : "top", k == 2 ? "revolute" : "spherical", names[k],
                     names[k + 1], &place);
        top -= L;
    }
    return m;
}

static void test_welch_table_3(void **state)
{
    (void)state;
    static const struct { int axis; double step, passes, phi, energy, slack; } rows[] = {
        { 0, 1e-3, 1, 4.0653e-9, 8.008e-5, 1e-3 },  { 0, 5e-4, 1, 5.0827e-10, 3.989e-5, 1e-3 },
        { 1, 1e-3, 1, 5.4317e-9, 1.286e-4, 1e-3 },  { 1, 5e-4, 1, 6.7949e-10, 6.428e-5, 1e-3 },
        { 1, 1e-3, 2, 5.4317e-9, 6.72e-7, 0.05 },   { 1, 5e-4, 2, 6.7949e-10, 1.59e-7, 0.05 },
    };
    for (size_t k = 0; k < TN_LENGTH(rows); k++) {
        double axis[3] = { rows[k].axis == 0, rows[k].axis == 1, 0 };
        machine m = welch_chain(axis);
        mean phi = { 0 };
        tn_solve solve = fixed_steps("rk4", rows[k].step, 2);
        solve.scheme = "taylor2";
        assert_int_equal(tn_solve_set(&solve, "passes", rows[k].passes), TN_OK);
        assert_int_equal(tn_solve_set(&solve, "damping", 0), TN_OK);
        machine_start(&m, solve);
        tn_session_on_step(m.session, add_norm, &phi);
        machine_must(&m, tn_session_run(m.session));
        tn_summary summary = tn_session_summary(m.session);
        assert_true(fabs(phi.sum / (double)phi.count / rows[k].phi - 1) < 1e-3);
        assert_true(fabs(summary.energy_error / fabs(summary.energy_start) / rows[k].energy - 1) < rows[k].slack);
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_welch_table_1),
        cmocka_unit_test(test_welch_table_2),
        cmocka_unit_test(test_welch_table_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
