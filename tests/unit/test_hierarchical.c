/* Solver "hierarchical": whatever the groups, the pseudo-inverse's solution of random problems, and the solution, the
 * rank and, where unique, the multipliers of "direct" on mechanisms. */
#include "alloc.h"
#include "groupings.h"
#include "mechanisms.h"
#include "session_impl.h"
#include "tenon/groups.h"
#include "tenon/sys/condense.h"

/* Relative to the largest entry. */
static const double SAME = 1e-12, SAME_AS_DIRECT = 1e-10;

static double largest(int n, const double *x)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- comparison ---- */

typedef struct answer {
    double *a, *lambda;
    tn_saddle_info info;
} answer;

static answer solved(const tn_solver_type *solver, const tn_structure *s, const double *M, const double *G,
                     const double *f, const double *u, tn_context *context)
{
    answer x = { .a = calloc((size_t)s->body_column[s->bodies] + 1, sizeof(double)),
                 .lambda = calloc((size_t)s->constraint_row[s->constraints] + 1, sizeof(double)) };
    tn_saddle *k = NULL;
    assert_int_equal(solver->analyze(&k, context, s), TN_OK);
    assert_int_equal(solver->factor(k, M, G, TN_RANK_DECIDE), TN_OK);
    assert_int_equal(solver->factor(k, M, G, TN_RANK_KEEP), TN_OK);
    assert_int_equal(solver->solve(k, f, u, x.a, x.lambda), TN_OK);
    solver->info(k, &x.info);
    solver->destroy(k);
    return x;
}

static void answer_free(answer *x)
{
    free(x->a);
    free(x->lambda);
}

static void compare_vectors(int n, const double *x, const double *expected, double tolerance)
{
    double size = largest(n, expected);
    for (int i = 0; i < n; i++)
        assert_near(x[i], expected[i], tolerance * size);
}

/* The same problem without groups, in halves, and with bodies anywhere; lambda NULL: not unique. */
static void compare(const tn_structure *s, const double *M, const double *G, const double *f, const double *u,
                    const answer *expected, double tolerance)
{
    uint32_t random = 7;
    tn_context *context = tn_context_create(NULL);
    for (int n = 0; n <= 10; n++) {
        grouping g = n < 2 ? (grouping){ 0 } : scattered(&random, s->bodies, n);
        if (n == 1)
            halve(&g, 0, s->bodies, -1, s->bodies / 16 + 1);
        tn_structure with = grouped(s, &g);
        answer ours = solved(hierarchical(), &with, M, G, f, u, context);
        compare_vectors(s->body_column[s->bodies], ours.a, expected->a, tolerance);
        assert_int_equal(ours.info.rank, expected->info.rank);
        if (expected->lambda)
            compare_vectors(ours.info.rows, ours.lambda, expected->lambda, tolerance);
        answer_free(&ours);
    }
    tn_context_destroy(context);
}

static void compare_problem(problem *p)
{
    problem_finish(p);
    answer expected = { .a = calloc((size_t)p->body_column[p->bodies], sizeof(double)) };
    expected.info.rank = dense_solution(p, expected.a);
    compare(&p->structure, p->M, p->G, p->f, p->u, &expected, SAME);
    answer_free(&expected);
    free(p);
}

/* ---- graphs ---- */

static void test_trees(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        compare_problem(random_tree(seed, 14, 6, 5));
        compare_problem(random_tree(seed, 30, 3, 2));
        compare_problem(random_tree(seed, 9, 0, 1));
    }
}

static void test_loops(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        problem *p = random_tree(seed, 12, 6, 3);
        add_link(p, 2, 7, 0);
        add_link(p, 1, 11, 2);
        add_rows(p, 1, 4, (const int[]){ 1, 5, 8, 10 });       /* a coupling over several joints */
        compare_problem(p);
    }
}

static void test_ladders(void **state)
{
    (void)state;
    compare_problem(ladder(1, 3));
    compare_problem(ladder(2, 12));
    compare_problem(ladder(3, 40));
}

static void test_redundant_rows(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        problem *p = random_tree(seed, 8, 6, 3);
        add_link(p, 2, p->block_body[p->block_begin[3]], p->block_body[p->block_begin[3] + 1]);
        clear_rows(p, p->constraints - 1);
        add_multiple(p, p->constraints - 1, 0, 3, 1, 2);
        add_multiple(p, 2, 2, 2, 2, -1);
        add_multiple(p, 2, 2, 2, 1, 1.5);
        add_link(p, 2, 4, 5);
        clear_rows(p, p->constraints - 1);
        compare_problem(p);
    }
}

/* The same rows are independent whether bodies weigh grams or kilotons. */
static void test_masses_do_not_decide(void **state)
{
    (void)state;
    tn_context *context = tn_context_create(NULL);
    for (uint32_t seed = 1; seed <= 6; seed++) {
        problem *p = random_tree(seed, 10, 6, 4);
        add_link(p, 3, 9, 1);
        problem_finish(p);
        int rank = dense_solution(p, p->a);
        for (int b = 0; b < p->bodies; b++)
            for (int i = 0; i < 36; i++)
                p->M[p->mass_offset[b] + (size_t)i] *= b % 2 ? 1e-7 : 1e7;
        answer x = solved(hierarchical(), &p->structure, p->M, p->G, p->f, p->u, context);
        assert_int_equal(x.info.rank, rank);
        answer_free(&x);
        free(p);
    }
    tn_context_destroy(context);
}

/* Large parts answer little to forces: neither a loss of rank nor the neighbourhood of a singular position. */
static void test_large_parts(void **state)
{
    (void)state;
    enum { LINKS = 400 };
    machine m = machine_new(2);
    char name[16], before[16] = "ground", joint[16];
    for (int n = 0; n < LINKS; n++) {
        snprintf(name, sizeof name, "bar%d", n);
        snprintf(joint, sizeof joint, "weld%d", n);
        add_bar(&m, name, n, 0, 0, 1, 1);
        tn_pose world = tn_pose_planar(n, 0, 0);
        if (n > 0)
            add_as_built(&m, joint, n == LINKS / 2 ? "revolute" : "fixed", before, name, &world);
        memcpy(before, name, sizeof before);
    }
    static const char *left[LINKS], *right[LINKS];
    int halves[2] = { 0, 0 };
    for (size_t k = 0; k < LINKS; k++) {
        const char *body = tn_model_entity_name(m.model, tn_model_at(m.model, TN_KIND_BODY, k));
        if (k < LINKS / 2)
            left[halves[0]++] = body;
        else
            right[halves[1]++] = body;
    }
    machine_must(&m, tn_model_add_group(m.model, "left", left, (size_t)halves[0]));
    machine_must(&m, tn_model_add_group(m.model, "right", right, (size_t)halves[1]));
    tn_solve solve = fixed_steps("rk4", 1e-3, 1);
    solve.solver = "hierarchical";
    machine_start(&m, solve);
    tn_saddle_info info;
    m.session->stepper->solver->info(m.session->stepper->saddle, &info);
    assert_int_equal(info.rank, 3 * (LINKS - 1) - 1);
    assert_true(info.weakest_pivot == 1);
    machine_close(&m);
}

/* ---- ports ---- */

/* D tau + r, and all accelerations under tau, against the pseudo-inverse with tau among the forces. */
static void check_ports(const problem *p, const tn_structure *s, const int *ports, int count, uint32_t *random)
{
    tn_context *context = tn_context_create(NULL);
    tn_condenser *k = NULL;
    double f[6 * 40], expected[6 * 40], a[6 * 40], tau[6 * 40], r[6 * 40], D[72 * 72];
    const int all = s->body_column[s->bodies];
    assert_int_equal(tn_condenser_create(&k, context, s, ports, count), TN_OK);
    const int n = tn_condenser_columns(k);
    random_vector(random, n, 1, tau);
    memcpy(f, p->f, (size_t)all * sizeof(double));
    for (int i = 0, at = 0; i < count; i++)
        for (int j = s->body_column[ports[i]]; j < s->body_column[ports[i] + 1]; j++)
            f[j] += tau[at++];
    dense_saddle(s, p->M, p->G, f, p->u, expected);
    assert_int_equal(tn_condenser_factor(k, p->M, p->G, TN_RANK_DECIDE), TN_OK);
    tn_condenser_response(D, k);
    tn_condenser_free(r, k, p->f, p->u);
    tn_condenser_back_substitute(a, NULL, k, tau);
    double size = largest(all, expected), energy = 0;
    for (int i = 0, at = 0; i < count; i++)
        for (int j = s->body_column[ports[i]]; j < s->body_column[ports[i] + 1]; j++, at++) {
            double sum = 0;
            for (int m = 0; m < n; m++) {
                assert_true(D[at + m * n] == D[m + at * n]);
                sum += D[at + m * n] * tau[m];
            }
            assert_near(sum + r[at], expected[j], SAME * size);
            energy += sum * tau[at];
        }
    assert_true(energy >= 0);
    compare_vectors(all, a, expected, SAME);
    tn_condenser_destroy(k);
    tn_context_destroy(context);
}

static void test_ports(void **state)
{
    (void)state;
    static const int one[] = { 0 }, ends[] = { 0, 13 }, some[] = { 1, 4, 5, 9, 12 };
    uint32_t random = 11;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        problem *p = random_tree(seed, 14, 6, 4);
        add_link(p, 3, 13, 2);
        add_link(p, 4, p->block_body[p->block_begin[5]], p->block_body[p->block_begin[5] + 1]);
        clear_rows(p, p->constraints - 1);
        for (int r = 0; r < 4; r++)
            add_multiple(p, p->constraints - 1, r, 5, r, 1 + r);       /* redundant */
        problem_finish(p);
        for (int groups = 0; groups <= 5; groups++) {
            grouping any = groups == 0 ? (grouping){ 0 } : scattered(&random, p->bodies, groups);
            tn_structure s = grouped(&p->structure, &any);
            check_ports(p, &s, one, 1, &p->random);
            check_ports(p, &s, ends, 2, &p->random);
            check_ports(p, &s, some, 5, &p->random);
        }
        free(p);
    }
}

/* Bodies that nothing joins, and a body alone. */
static void test_ports_of_pieces(void **state)
{
    (void)state;
    static const int both[] = { 0, 2 }, only[] = { 0 };
    problem *p = problem_open(3, 3, 0);
    add_rows(p, 2, 1, (const int[]){ 0 });
    problem_finish(p);
    check_ports(p, &p->structure, both, 2, &p->random);
    free(p);
    p = problem_open(4, 1, 6);
    problem_finish(p);
    check_ports(p, &p->structure, only, 1, &p->random);
    free(p);
}

static void test_ports_that_make_no_sense(void **state)
{
    (void)state;
    static const int wrong[][2] = { { 0, 4 }, { -1, 0 }, { 2, 1 }, { 1, 1 } };
    problem *p = random_tree(1, 4, 6, 3);
    problem_finish(p);
    tn_context *context = tn_context_create(NULL);
    for (size_t n = 0; n < TN_LENGTH(wrong); n++) {
        tn_condenser *k = NULL;
        assert_int_equal(tn_condenser_create(&k, context, &p->structure, wrong[n], 2), TN_ERROR_ARGUMENT);
        assert_null(k);
    }
    tn_context_destroy(context);
    free(p);
}

/* ---- mechanisms ---- */

static void compare_here(const tn_session *session)
{
    const tn_system *s = session->system;
    const tn_stepper *st = session->stepper;
    tn_arena *arena = tn_arena_create(session->context);
    tn_eval *e = NULL;
    assert_int_equal(tn_eval_create(&e, s, arena, false), TN_OK);
    tn_eval_motion(e, s, st->t, st->y, st->y + s->positions);
    tn_eval_forces(e, s, st->memory);
    tn_eval_constraints(e, s, st->memory, 2, true);
    answer direct = solved(tn_solver_types[0], &s->structure, e->M, e->G, e->f, e->bias, session->context);
    if (direct.info.rank < direct.info.rows) {
        free(direct.lambda);
        direct.lambda = NULL;
    }
    compare(&s->structure, e->M, e->G, e->f, e->bias, &direct, SAME_AS_DIRECT);
    answer_free(&direct);
    tn_arena_destroy(arena);
}

static void test_mechanisms(void **state)
{
    (void)state;
    static const char *const models[] = {
        "validation/A02_n_four_bar_N2.yaml", "validation/A02_n_four_bar_N2_spatial.yaml", "validation/A04_bricard.yaml",
        "validation/A03_andrews_squeezer_CWI.yaml", "examples/bricard.yaml", "examples/four-bar.yaml",
        "examples/n-four-bar.yaml", "examples/gear-train.yaml", "examples/screw-press.yaml",
    };
    for (size_t i = 0; i < TN_LENGTH(models); i++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", TENON_SOURCE_DIR, models[i]);
        machine m = machine_read(path);
        tn_solve solve = tn_model_solve(m.model);
        machine_start(&m, solve);
        for (int n = 0; n < 5; n++) {
            compare_here(m.session);
            machine_must(&m, tn_session_advance(m.session, fmin(solve.until, 2) / 13));
        }
        machine_close(&m);
    }
}

/* A parallelogram whose bars lie on one line has lost a row of rank; both solvers see it, there and only there. */
static void test_singular_position(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int flat = 0; flat < 2; flat++) {
            machine m = machine_new(dimension);
            double angle = flat ? 0 : 1, x = 2 * cos(angle), y = 2 * sin(angle);
            add_bar(&m, "left", 0, 0, angle, 2, 1);
            add_bar(&m, "coupler", x, y, 0, 5, 1);
            add_bar(&m, "right", 5, 0, angle, 2, 1);
            add_pin(&m, "a", "ground", "left", 0, 0);
            add_pin(&m, "b", "left", "coupler", x, y);
            add_pin(&m, "c", "coupler", "right", 5 + x, y);
            add_pin(&m, "d", "ground", "right", 5, 0);
            machine_start(&m, fixed_steps("rk4", 1e-3, 1));
            tn_saddle_info info;
            tn_stepper *st = m.session->stepper;
            st->solver->info(st->saddle, &info);
            assert_int_equal(info.rank, (dimension == 2 ? 8 : 17) - flat);
            compare_here(m.session);
            machine_close(&m);
        }
}

static void test_groups_that_make_no_sense(void **state)
{
    (void)state;
    problem *p = random_tree(1, 4, 6, 3);
    problem_finish(p);
    tn_context *context = tn_context_create(NULL);
    const grouping wrong[] = {
        { 2, { 0, 1, 0, 1 }, { 1, 0 } },           /* each in the other */
        { 1, { 0, 0, 0, 0 }, { 0 } },              /* in itself */
        { 1, { 0, 0, 0, 0 }, { 5 } },
        { 1, { 0, 0, 2, 0 }, { -1 } },
        { 1, { 0, 0, -2, 0 }, { -1 } },
    };
    for (size_t n = 0; n < TN_LENGTH(wrong); n++) {
        tn_structure s = grouped(&p->structure, &wrong[n]);
        tn_saddle *k = NULL;
        assert_int_equal(hierarchical()->analyze(&k, context, &s), TN_ERROR_ARGUMENT);
        assert_null(k);
    }
    tn_context_destroy(context);
    free(p);
}

static void test_allocation(void **state)
{
    (void)state;
    problem *p = ladder(3, 8);
    grouping halves = { 0 };
    problem_finish(p);
    halve(&halves, 0, p->bodies, -1, 3);
    tn_structure s = grouped(&p->structure, &halves);
    test_alloc alloc = { 0 };
    tn_context *context = test_context(&alloc);
    tn_saddle *k = NULL;
    long before = alloc.calls, alive = alloc.alive;
    assert_int_equal(hierarchical()->analyze(&k, context, &s), TN_OK);
    long requests = alloc.calls - before;
    hierarchical()->destroy(k);
    for (long failing = 1; failing <= requests; failing++) {
        alloc.fail_at = alloc.calls + failing;
        assert_int_equal(hierarchical()->analyze(&k, context, &s), TN_ERROR_MEMORY);
        assert_int_equal(alloc.alive, alive);
    }
    tn_context_destroy(context);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_ladders),
        cmocka_unit_test(test_redundant_rows),
        cmocka_unit_test(test_masses_do_not_decide),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_ports_of_pieces),
        cmocka_unit_test(test_ports_that_make_no_sense),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_singular_position),
        cmocka_unit_test(test_groups_that_make_no_sense),
        cmocka_unit_test(test_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
