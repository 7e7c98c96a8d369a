/* Every solver in the table: the same accelerations and reactions as the pseudo-inverse on random graphs and as the
 * default solver on mechanisms, no allocation after analysis, and failures that say why. A new solver is tested with no
 * new code. */
#include "alloc.h"
#include "mechanisms.h"
#include "saddle_problem.h"
#include "session_impl.h"

/* Relative error of accelerations for singular values of order one: the stop of the iterative solvers, or better. */
static const double SAME = 1e-9;
/* The same on mechanisms, whose weakest scaled singular values are about 1e-2. */
static const double SAME_MECHANISM = 1e-8;

static const tn_solver_type *solver_named(const char *name)
{
    int k = 0;
    while (strcmp(tn_solver_types[k]->name, name) != 0)
        k++;
    return tn_solver_types[k];
}

static double largest(int n, const double *x)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- the two equations ---- */

/* G a = u */
static void check_rows(const tn_structure *s, const double *G, const double *a, const double *u, double tolerance)
{
    for (int c = 0; c < s->constraints; c++)
        for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++) {
            double sum = 0, size = 1 + fabs(u[r]);
            for (int n = s->block_begin[c]; n < s->block_begin[c + 1]; n++) {
                int first = s->body_column[s->block_body[n]], w = s->body_column[s->block_body[n] + 1] - first;
                const double *g = G + s->block_offset[n] + (r - s->constraint_row[c]) * w;
                for (int j = 0; j < w; j++) {
                    sum += g[j] * a[first + j];
                    size += fabs(g[j] * a[first + j]);
                }
            }
            assert_near(sum, u[r], tolerance * size);
        }
}

/* M a - G' lambda = f */
static void check_forces(const tn_structure *s, const double *M, const double *G, const double *a, const double *lambda,
                         const double *f, double tolerance)
{
    int columns = s->body_column[s->bodies];
    double *sum = calloc((size_t)columns, sizeof *sum);
    for (int b = 0; b < s->bodies; b++) {
        int first = s->body_column[b], w = s->body_column[b + 1] - first;
        for (int i = 0; i < w; i++)
            for (int j = 0; j < w; j++)
                sum[first + i] += M[s->mass_offset[b] + (size_t)(i * w + j)] * a[first + j];
    }
    for (int c = 0; c < s->constraints; c++)
        for (int n = s->block_begin[c]; n < s->block_begin[c + 1]; n++) {
            int first = s->body_column[s->block_body[n]], w = s->body_column[s->block_body[n] + 1] - first;
            const double *g = G + s->block_offset[n];
            for (int r = s->constraint_row[c]; r < s->constraint_row[c + 1]; r++, g += w)
                for (int j = 0; j < w; j++)
                    sum[first + j] -= g[j] * lambda[r];
        }
    double size = fmax(largest(s->constraint_row[s->constraints], lambda), largest(columns, f));
    for (int j = 0; j < columns; j++)
        assert_near(sum[j], f[j], tolerance * size);
    free(sum);
}

/* ---- random graphs ---- */

/* How much the weakest direction of the rows magnifies what is left of the residual. */
static double weakness(const problem *p, tn_context *context)
{
    tn_saddle *k = NULL;
    tn_saddle_info info;
    assert_int_equal(tn_solver_types[0]->analyze(&k, context, &p->structure), TN_OK);
    assert_int_equal(tn_solver_types[0]->factor(k, p->M, p->G, TN_RANK_DECIDE), TN_OK);
    tn_solver_types[0]->info(k, &info);
    tn_solver_types[0]->destroy(k);
    return 1 / info.weakest_pivot;
}

static void solve_problem(problem *p, const tn_solver_type *solver, tn_context *context, const double *expected)
{
    tn_saddle *k = NULL;
    tn_saddle_info info;
    double tolerance = SAME * weakness(p, context), size = largest(p->body_column[p->bodies], expected);
    assert_int_equal(solver->analyze(&k, context, &p->structure), TN_OK);
    for (int pass = 0; pass < 2; pass++) {                     /* the second time from warm multipliers */
        assert_int_equal(solver->factor(k, p->M, p->G, TN_RANK_DECIDE), TN_OK);
        assert_int_equal(solver->solve(k, p->f, p->u, p->a, p->lambda), TN_OK);
        for (int j = 0; j < p->body_column[p->bodies]; j++)
            assert_near(p->a[j], expected[j], tolerance * size);
        check_rows(&p->structure, p->G, p->a, p->u, tolerance);
        check_forces(&p->structure, p->M, p->G, p->a, p->lambda, p->f, tolerance);
    }
    solver->info(k, &info);
    assert_int_equal(info.rows, p->constraint_row[p->constraints]);
    assert_int_equal(info.columns, p->body_column[p->bodies]);
    assert_null(info.trouble);
    solver->destroy(k);
}

static void compare(problem *p)
{
    tn_context *context = tn_context_create(NULL);
    double *expected = calloc((size_t)p->body_column[p->bodies], sizeof *expected);
    problem_finish(p);
    dense_solution(p, expected);
    for (int n = 0; tn_solver_types[n]; n++)
        solve_problem(p, tn_solver_types[n], context, expected);
    free(expected);
    tn_context_destroy(context);
    free(p);
}

static problem *random_tree(uint32_t seed, int bodies, int columns, int rows)
{
    problem *p = problem_open(seed, bodies, columns);
    add_rows(p, rows, 1, (const int[]){ 0 });
    for (int b = 1; b < bodies; b++)
        add_link(p, rows, (int)(next_random(&p->random) % (uint32_t)b), b);
    return p;
}

static void test_trees(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        compare(random_tree(seed, 12, 3, 2));
        compare(random_tree(seed, 12, 6, 3));
        compare(random_tree(seed, 9, 0, 1));
    }
}

static void test_loops(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        problem *p = random_tree(seed, 8, 6, 3);
        add_link(p, 2, 7, 0);
        add_link(p, 1, 5, 2);
        compare(p);
    }
}

static void test_redundant_rows(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 8; seed++) {
        problem *p = random_tree(seed, 6, 6, 3);
        add_link(p, 2, p->block_body[p->block_begin[3]], p->block_body[p->block_begin[3] + 1]);
        clear_rows(p, p->constraints - 1);
        add_multiple(p, p->constraints - 1, 0, 3, 1, 2);       /* another joint says the same */
        add_multiple(p, 2, 2, 2, 2, -1);
        add_multiple(p, 2, 2, 2, 1, 1.5);                      /* a row says what another of its joint does */
        add_link(p, 2, 4, 5);
        clear_rows(p, p->constraints - 1);                     /* rows that say nothing */
        compare(p);
    }
}

/* Redundant rows that contradict each other a little, as drift makes them: the others hold, nothing blows up. */
static void test_contradiction(void **state)
{
    (void)state;
    const double drift = 1e-7;
    tn_context *context = tn_context_create(NULL);
    for (int n = 0; tn_solver_types[n]; n++) {
        problem *p = random_tree(4, 6, 6, 3);
        double expected[36];
        tn_saddle *k = NULL;
        add_link(p, 3, p->block_body[p->block_begin[3]], p->block_body[p->block_begin[3] + 1]);
        clear_rows(p, p->constraints - 1);
        for (int r = 0; r < 3; r++)
            add_multiple(p, p->constraints - 1, r, 3, r, 1);
        problem_finish(p);
        dense_solution(p, expected);
        p->u[p->constraint_row[p->constraints - 1]] += drift;
        assert_int_equal(tn_solver_types[n]->analyze(&k, context, &p->structure), TN_OK);
        assert_int_equal(tn_solver_types[n]->factor(k, p->M, p->G, TN_RANK_DECIDE), TN_OK);
        assert_int_equal(tn_solver_types[n]->solve(k, p->f, p->u, p->a, p->lambda), TN_OK);
        for (int j = 0; j < p->body_column[p->bodies]; j++)
            assert_near(p->a[j], expected[j], 10 * drift * weakness(p, context));
        tn_solver_types[n]->destroy(k);
        free(p);
    }
    tn_context_destroy(context);
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    problem *p = problem_open(1, 3, 6);
    compare(p);
    p = random_tree(2, 3, 6, 3);
    problem_finish(p);
    memset(p->f, 0, sizeof p->f);
    memset(p->u, 0, sizeof p->u);
    tn_context *context = tn_context_create(NULL);
    double zero[18] = { 0 };
    for (int n = 0; tn_solver_types[n]; n++)
        solve_problem(p, tn_solver_types[n], context, zero);
    tn_context_destroy(context);
    free(p);
}

/* ---- memory ---- */

static void test_allocation(void **state)
{
    (void)state;
    problem *p = random_tree(3, 8, 6, 3);
    add_link(p, 2, 7, 0);
    problem_finish(p);
    for (int n = 0; tn_solver_types[n]; n++) {
        const tn_solver_type *solver = tn_solver_types[n];
        test_alloc alloc = { 0 };
        tn_context *context = test_context(&alloc);
        tn_saddle *k = NULL;
        long before = alloc.calls, alive = alloc.alive;
        assert_int_equal(solver->analyze(&k, context, &p->structure), TN_OK);
        long requests = alloc.calls - before, after = alloc.calls;
        assert_int_equal(solver->factor(k, p->M, p->G, TN_RANK_DECIDE), TN_OK);
        assert_int_equal(solver->solve(k, p->f, p->u, p->a, p->lambda), TN_OK);
        assert_int_equal(solver->solve(k, p->f, p->u, p->a, NULL), TN_OK);
        assert_int_equal(alloc.calls, after);
        solver->destroy(k);
        assert_int_equal(alloc.alive, alive);
        for (long failing = 1; failing <= requests; failing++) {
            alloc.fail_at = alloc.calls + failing;
            assert_int_equal(solver->analyze(&k, context, &p->structure), TN_ERROR_MEMORY);
            assert_int_equal(alloc.alive, alive);
        }
        tn_context_destroy(context);
    }
    free(p);
}

/* ---- mechanisms ---- */

static const char *const models[] = {
    "validation/A02_n_four_bar_N2.yaml", "validation/A02_n_four_bar_N2_spatial.yaml", "validation/A04_bricard.yaml",
    "validation/heavy_top.yaml", "validation/chaplygin_sleigh.yaml", "validation/A03_andrews_squeezer_CWI.yaml",
    "validation/double_pendulum_points.yaml", "examples/slider-crank.yaml", "examples/four-bar.yaml",
    "examples/gear-train.yaml", "examples/rolling-disc.yaml", "examples/screw-press.yaml",
};

static machine model_of(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR, name);
    return machine_read(path);
}

/* The problem at the state a session is in, all rows written out, with the default solver's answer. */
static const tn_eval *evaluated(const tn_session *session, tn_arena *arena)
{
    const tn_system *s = session->system;
    tn_stepper *st = session->stepper;
    tn_eval *e = NULL;
    st->with_lambda = true;
    assert_int_equal(tn_stepper_evaluate(st, st->t, st->y), TN_OK);
    assert_int_equal(tn_eval_create(&e, s, arena, false), TN_OK);
    tn_eval_motion(e, s, st->t, st->y, st->y + s->positions);
    tn_eval_forces(e, s, st->memory);
    tn_eval_constraints(e, s, st->memory, 2, true);
    memcpy(e->a, st->eval->a, (size_t)s->velocities * sizeof(double));
    memcpy(e->lambda, st->eval->lambda, (size_t)s->rows * sizeof(double));
    return e;
}

static void compare_at_state(const tn_session *session, const tn_solver_type *solver)
{
    const tn_system *s = session->system;
    tn_arena *arena = tn_arena_create(session->context);
    const tn_eval *e = evaluated(session, arena);
    const tn_structure *t = &s->structure;
    tn_saddle *k = NULL;
    double *a = calloc((size_t)s->velocities, sizeof *a), *lambda = calloc((size_t)s->rows + 1, sizeof *lambda);
    double size = largest(s->velocities, e->a);
    assert_int_equal(solver->analyze(&k, session->context, t), TN_OK);
    assert_int_equal(solver->factor(k, e->M, e->G, TN_RANK_DECIDE), TN_OK);
    assert_int_equal(solver->solve(k, e->f, e->bias, a, lambda), TN_OK);
    for (int j = 0; j < s->velocities; j++)
        assert_near(a[j], e->a[j], SAME_MECHANISM * size);
    check_rows(t, e->G, a, e->bias, SAME_MECHANISM);
    check_forces(t, e->M, e->G, a, lambda, e->f, SAME_MECHANISM);
    if (session->summary.rank_min == s->rows)                  /* then the multipliers are unique, too */
        for (int r = 0; r < s->rows; r++)
            assert_near(lambda[r], e->lambda[r], SAME_MECHANISM * largest(s->rows, e->lambda));
    solver->destroy(k);
    tn_arena_destroy(arena);
    free(lambda);
    free(a);
}

/* A long bent chain of joints without closed forms: an elimination that lets numbers grow loses digits link by link. */
static void test_long_chain(void **state)
{
    (void)state;
    static const char *const types[] = { "prismatic", "fixed", "cylindrical", "planar" };
    enum { LINKS = 150 };
    uint32_t random = 5;
    machine m = machine_new(3);
    char name[16], joint[16], before[16] = "ground";
    double x = 0, y = 0;
    tn_model_set_gravity(m.model, (double[3]){ 0, -9.81, 0 });
    for (int b = 0; b < LINKS; b++) {
        double angle = between(&random, -1.5, 1.5), axis[3];
        snprintf(name, sizeof name, "bar%d", b);
        snprintf(joint, sizeof joint, "joint%d", b);
        random_vector(&random, 3, 1, axis);
        add_bar(&m, name, x, y, angle, 1, 1);
        tn_pose world = tn_pose_z((double[3]){ x, y, 0 }, axis);
        add_as_built(&m, joint, types[b % (int)TN_LENGTH(types)], before, name, &world);
        memcpy(before, name, sizeof before);
        x += cos(angle);
        y += sin(angle);
    }
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    tn_arena *arena = tn_arena_create(m.context);
    const tn_eval *e = evaluated(m.session, arena);
    check_rows(&m.session->system->structure, e->G, e->a, e->bias, SAME_MECHANISM);
    check_forces(&m.session->system->structure, e->M, e->G, e->a, e->lambda, e->f, SAME_MECHANISM);
    tn_arena_destroy(arena);
    machine_close(&m);
}

static void test_mechanisms(void **state)
{
    (void)state;
    uint32_t random = 17;
    for (size_t i = 0; i < TN_LENGTH(models); i++) {
        machine m = model_of(models[i]);
        tn_solve solve = tn_model_solve(m.model);
        double part = fmin(solve.until, 2) / 10;
        machine_start(&m, solve);
        for (int n = 0; n < 5; n++) {
            machine_must(&m, tn_session_advance(m.session, between(&random, 0.1, 1) * part));
            for (int k = 1; tn_solver_types[k]; k++)
                compare_at_state(m.session, tn_solver_types[k]);
        }
        machine_close(&m);
    }
}

/* A short run ends in the same state with every solver, in whatever positions it passes. */
static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_LENGTH(models); i++) {
        machine reference = model_of(models[i]);
        tn_solve solve = tn_model_solve(reference.model);
        solve.until = fmin(solve.until, 1);
        machine_run(&reference, solve);
        const tn_stepper *expected = reference.session->stepper;
        int n = expected->system->positions + expected->system->velocities;
        for (int k = 1; tn_solver_types[k]; k++) {
            machine m = model_of(models[i]);
            solve.solver = tn_solver_types[k]->name;
            tn_summary summary = machine_run(&m, solve);
            assert_true(summary.max_drift < 1e-12 && summary.max_velocity_drift < 1e-11);
            for (int j = 0; j < n; j++)
                assert_near(m.session->stepper->y[j], expected->y[j], 1e-7 * largest(n, expected->y));
            machine_close(&m);
        }
        machine_close(&reference);
    }
}

/* ---- uzawa ---- */

enum { METHOD, RESIDUAL, ITERATIONS, WARM, RHO, RHO_ABSOLUTE, INCREMENT, INTERNAL, VALUES };

static const double COLD[VALUES] = { [RESIDUAL] = 1e-10, [RHO] = 0.5 };
static const double FIXED[VALUES] = { [METHOD] = 1, [RESIDUAL] = 1e-10, [RHO] = 0.5 };

static void add_lumped_link(machine *m, const char *name, double x, double y, double angle, double near, double far)
{
    tn_body_def def = tn_body_default();
    tn_id id;
    def.mass = near + far;
    def.com[0] = far / def.mass;
    def.inertia[2] = near * far / def.mass;
    def.pose = tn_pose_planar(x, y, angle);
    def.placed = true;
    machine_must(m, tn_model_add_body(&id, m->model, name, &def));
}

/* Links of 1 m, first along x; 1 kg at the ends of the chain, half a kilogram of each link at the inner nodes. */
static machine lumped_chain(int links, double second_angle)
{
    machine m = machine_new(2);
    char name[16], before[16] = "ground", pin[16];
    double x = 0, y = 0;
    for (int n = 0; n < links; n++) {
        double angle = n % 2 ? second_angle : 0;
        snprintf(name, sizeof name, "link%d", n);
        snprintf(pin, sizeof pin, "pin%d", n);
        add_lumped_link(&m, name, x, y, angle, n == 0 ? 1 : 0.5, n == links - 1 ? 1 : 0.5);
        add_pin(&m, pin, before, name, x, y);
        memcpy(before, name, sizeof before);
        x += cos(angle);
        y += sin(angle);
    }
    return m;
}

static tn_saddle *uzawa_at(const machine *m, const double *values)
{
    const tn_solver_type *uzawa = solver_named("uzawa");
    tn_arena *arena = tn_arena_create(m->context);
    const tn_eval *e = evaluated(m->session, arena);
    tn_saddle *k = NULL;
    assert_int_equal(uzawa->analyze(&k, m->context, &m->session->system->structure), TN_OK);
    assert_int_equal(uzawa->configure(k, values), TN_OK);
    assert_int_equal(uzawa->factor(k, e->M, e->G, TN_RANK_DECIDE), TN_OK);
    tn_arena_destroy(arena);
    return k;
}

static int solve_here(const machine *m, tn_saddle *k, tn_saddle_info *info)
{
    const tn_system *s = m->session->system;
    const tn_eval *e = m->session->stepper->eval;
    double *a = calloc((size_t)s->velocities, sizeof *a), *lambda = calloc((size_t)s->rows, sizeof *lambda);
    int code = solver_named("uzawa")->solve(k, e->f, e->bias, a, lambda);
    solver_named("uzawa")->info(k, info);
    if (code == TN_OK)
        for (int j = 0; j < s->velocities; j++)
            assert_near(a[j], e->a[j], 1e-6 * largest(s->velocities, e->a));
    free(lambda);
    free(a);
    return code;
}

/* Mean number of iterations of cold conjugate gradients over the first steps of a run. */
static double mean_iterations(machine m, int steps)
{
    double sum = 0;
    machine_start(&m, fixed_steps("rk4", 1e-3, 10));
    for (int n = 0; n < steps; n++) {
        tn_saddle_info info;
        machine_must(&m, tn_session_step(m.session));
        tn_saddle *k = uzawa_at(&m, COLD);
        assert_int_equal(solve_here(&m, k, &info), TN_OK);
        assert_int_equal(info.iterations, info.total_iterations);
        sum += (double)info.iterations;
        solver_named("uzawa")->destroy(k);
    }
    machine_close(&m);
    return sum / steps;
}

static void test_iteration_counts(void **state)
{
    (void)state;
    const double quarter = -2 * atan(1);
    double pendulum = mean_iterations(lumped_chain(2, quarter), 200);
    double straight = mean_iterations(lumped_chain(50, 0), 100);
    double stairs = mean_iterations(lumped_chain(50, quarter), 100);
    print_message("iterations: pendulum %.2f, chain of 50 straight %.1f, stairs %.1f\n", pendulum, straight, stairs);
    assert_true(pendulum <= 5 && straight <= 56 && stairs <= 12);
}

static void test_warm_start(void **state)
{
    (void)state;
    double warm[VALUES];
    tn_saddle_info info;
    memcpy(warm, COLD, sizeof warm);
    warm[WARM] = 1;
    machine m = lumped_chain(20, 0);
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    machine_must(&m, tn_session_advance(m.session, 0.1));
    tn_saddle *k = uzawa_at(&m, warm);
    assert_int_equal(solve_here(&m, k, &info), TN_OK);
    assert_true(info.iterations >= 10);
    assert_int_equal(solve_here(&m, k, &info), TN_OK);
    assert_true(info.iterations <= 1);
    solver_named("uzawa")->destroy(k);
    machine_close(&m);
}

static void test_fixed_rho(void **state)
{
    (void)state;
    double values[VALUES];
    tn_saddle_info info;
    memcpy(values, FIXED, sizeof values);
    machine m = lumped_chain(2, -2 * atan(1));
    machine_start(&m, fixed_steps("rk4", 1e-3, 1));
    machine_must(&m, tn_session_advance(m.session, 0.2));      /* a state without symmetry excites all directions */
    for (int absolute = 0; absolute < 2; absolute++) {
        double *rho = &values[absolute ? RHO_ABSOLUTE : RHO], limit = NAN;
        *rho = 50;
        tn_saddle *k = uzawa_at(&m, values);
        assert_int_equal(solve_here(&m, k, &info), TN_ERROR_STEP);
        assert_non_null(info.trouble);
        const char *said = strstr(info.trouble, "2/lambda_max = ");
        assert_non_null(said);
        assert_int_equal(sscanf(said, "2/lambda_max = %lf", &limit), 1);
        for (int over = 0; over < 2; over++) {
            *rho = limit * (over ? 1.02 : 0.98);
            solver_named("uzawa")->destroy(k);
            k = uzawa_at(&m, values);
            assert_int_equal(solve_here(&m, k, &info), over ? TN_ERROR_STEP : TN_OK);
            assert_true((info.trouble != NULL) == over);
        }
        solver_named("uzawa")->destroy(k);
    }
    machine_close(&m);
}

/* The cap is kept, and what is missing is said; a session stops with the same words. */
static void test_too_few_iterations(void **state)
{
    (void)state;
    machine m = lumped_chain(20, 0);
    tn_solve solve = fixed_steps("rk4", 1e-3, 1);
    solve.solver = "uzawa";
    assert_int_equal(tn_solve_set(&solve, "iterations", 5), TN_OK);
    machine_start(&m, solve);
    assert_int_equal(tn_session_run(m.session), TN_ERROR_STEP);
    assert_true(tn_diagnostics_count(m.context) > 0);
    assert_non_null(strstr(tn_diagnostics_get(m.context, 0)->message, "after 5 iterations"));
    machine_close(&m);
}

static void refuse(const char *solver, int index, double value)
{
    const tn_solver_type *type = solver_named(solver);
    double values[TN_SOLVER_PARAMETERS] = { 0 };
    tn_context *context = tn_context_create(NULL);
    problem *p = random_tree(1, 3, 6, 3);
    tn_saddle *k = NULL;
    tn_saddle_info info;
    problem_finish(p);
    assert_int_equal(type->analyze(&k, context, &p->structure), TN_OK);
    for (int i = 0; i < TN_SOLVER_PARAMETERS && type->parameters[i].name; i++)
        values[i] = type->parameters[i].initial;
    assert_int_equal(type->configure(k, values), TN_OK);
    values[index] = value;
    assert_int_equal(type->configure(k, values), TN_ERROR_ARGUMENT);
    type->info(k, &info);
    assert_non_null(info.trouble);
    type->destroy(k);
    tn_context_destroy(context);
    free(p);
}

static void test_settings_refused(void **state)
{
    (void)state;
    refuse("augmented", 0, 0);
    refuse("augmented", 0, 1e30);
    refuse("augmented", 0, NAN);
    refuse("uzawa", METHOD, 2);
    refuse("uzawa", RESIDUAL, 0);
    refuse("uzawa", RESIDUAL, 1);
    refuse("uzawa", ITERATIONS, -1);
    refuse("uzawa", RHO, 0);
    refuse("uzawa", RHO_ABSOLUTE, -1);
    refuse("uzawa", INCREMENT, 0.5);           /* with conjugate gradients */
    refuse("uzawa", INTERNAL, 1);              /* for all joints */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_allocation),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_iteration_counts),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_fixed_rho),
        cmocka_unit_test(test_too_few_iterations),
        cmocka_unit_test(test_settings_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
