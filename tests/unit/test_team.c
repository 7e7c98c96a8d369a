/* A team shares the work of the solver "hierarchical": the same numbers as one process, to the bit, wherever the parts
 * are; trouble of one member is that of all; and placements that are even where the tree allows it. */
#include "alloc.h"
#include "cluster.h"
#include "groupings.h"
#include "mechanisms.h"
#include "placement.h"
#include "session_impl.h"
#include "thread_team.h"

enum { GROUPS = 8, COLUMNS = 6 * BODIES, ROWS = 6 * CONSTRAINTS };

/* ---- random problems ---- */

/* Loops, one of them redundant, and a constraint of three bodies. */
static problem *looped(uint32_t seed)
{
    problem *p = random_tree(seed, 24, 6, 4);
    add_link(p, 3, 23, 2);
    add_rows(p, 2, 3, (const int[]){ 21, 9, 4 });
    add_link(p, 4, p->block_body[p->block_begin[5]], p->block_body[p->block_begin[5] + 1]);
    clear_rows(p, p->constraints - 1);
    for (int r = 0; r < 4; r++)
        add_multiple(p, p->constraints - 1, r, 5, r, 1 + r);
    problem_finish(p);
    return p;
}

typedef struct shares {
    grouping groups;
    int rank[GROUPS];
} shares;

/* Bodies by turns into groups that are in pairs within others; ranks at random, some of them any. */
static tn_structure shared(shares *g, const problem *p, uint32_t *random, int size)
{
    g->groups.groups = GROUPS;
    for (int k = 0; k < GROUPS; k++) {
        g->groups.group_parent[k] = k < GROUPS / 2 ? GROUPS / 2 + k / 2 : -1;
        g->rank[k] = (int)(next_random(random) % (uint32_t)(size + 1)) - 1;
    }
    for (int b = 0; b < p->bodies; b++)
        g->groups.body_group[b] = b * GROUPS / p->bodies - (b % 7 == 0);
    tn_structure s = grouped(&p->structure, &g->groups);
    s.group_rank = g->rank;
    return s;
}

/* What one process finds with a problem, alone or as a member of a team. */
typedef struct answer {
    const tn_structure *structure;
    const problem *problem;
    int factored, kept, both;      /* codes of the calls */
    double a[3][COLUMNS], lambda[3][ROWS];
    tn_saddle_info info;
} answer;

static void solve(answer *x, const tn_team *team)
{
    const problem *p = x->problem;
    const tn_solver_type *solver = hierarchical();
    tn_context *context = tn_context_create(NULL);
    tn_saddle *k = NULL;
    tn_context_set_team(context, team);
    if (solver->analyze(&k, context, x->structure) == TN_OK) {
        x->factored = solver->factor(k, p->M, p->G, TN_RANK_DECIDE);
        solver->info(k, &x->info);
        if (x->factored == TN_OK) {
            solver->solve(k, p->f, p->u, x->a[0], x->lambda[0]);
            solver->solve(k, p->wish, p->u, x->a[1], NULL);
        }
        x->kept = solver->factor(k, p->M, p->G, TN_RANK_KEEP);
        x->both = solver->factor_solve(k, p->M, p->G, TN_RANK_DECIDE, p->f, p->u, x->a[2], x->lambda[2]);
        solver->destroy(k);
    }
    tn_context_destroy(context);
}

static void *solve_as_member(void *user)
{
    member *m = user;
    solve(m->task, &m->team);
    return NULL;
}

static void assert_same(const answer *x, const answer *y)
{
    assert_int_equal(x->factored, y->factored);
    assert_int_equal(x->kept, y->kept);
    assert_int_equal(x->both, y->both);
    assert_memory_equal(x->a, y->a, sizeof x->a);
    assert_memory_equal(x->lambda, y->lambda, sizeof x->lambda);
    assert_int_equal(x->info.rank, y->info.rank);
    assert_true(x->info.weakest_pivot == y->info.weakest_pivot && x->info.largest_drop == y->info.largest_drop);
}

static void compare_team(const problem *p, const tn_structure *s, int size)
{
    answer *alone = calloc(1, sizeof *alone), *members = calloc((size_t)size, sizeof *members);
    tn_structure plain = *s;
    plain.group_rank = NULL;
    *alone = (answer){ .structure = &plain, .problem = p };
    for (int r = 0; r < size; r++)
        members[r] = (answer){ .structure = s, .problem = p };
    solve(alone, NULL);
    post_office office = team_run(size, NULL, 0, members, sizeof *members, solve_as_member);
    assert_int_equal(office.gathers, alone->factored == TN_OK ? 5 : 3);
    for (int r = 0; r < size; r++)
        assert_same(alone, &members[r]);
    free(members);
    free(alone);
}

static void test_same_bits(void **state)
{
    (void)state;
    uint32_t random = 5;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        problem *p = looped(seed);
        compare_team(p, &p->structure, 2);
        for (int size = 2; size <= MEMBERS; size++) {
            shares g;
            tn_structure s = shared(&g, p, &random, size);
            compare_team(p, &s, size);
        }
        free(p);
    }
}

/* Redundant rows are found by whoever has the node: the rank is that of dense algebra. */
static void test_rank(void **state)
{
    (void)state;
    uint32_t random = 9;
    problem *p = looped(3);
    shares g;
    tn_structure s = shared(&g, p, &random, 3);
    answer *members = calloc(3, sizeof *members);
    double a[COLUMNS];
    for (int r = 0; r < 3; r++)
        members[r] = (answer){ .structure = &s, .problem = p };
    team_run(3, NULL, 0, members, sizeof *members, solve_as_member);
    int rank = dense_solution(p, a);
    assert_int_equal(members[0].info.rank, rank);
    assert_true(rank < members[0].info.rows);
    for (int j = 0; j < p->body_column[p->bodies]; j++)
        assert_near(members[2].a[0][j], a[j], 1e-10);
    free(members);
    free(p);
}

/* A mass matrix that is none, on one member: all have the same error, and nobody waits. */
static void test_trouble_is_shared(void **state)
{
    (void)state;
    uint32_t random = 2;
    for (int body = 0; body < 24; body += 5) {
        problem *p = looped(4);
        shares g;
        tn_structure s = shared(&g, p, &random, 4);
        p->M[p->mass_offset[body]] = -1;
        compare_team(p, &s, 4);
        free(p);
    }
}

/* ---- a member that leaves ---- */

typedef struct leaver {
    const problem *problem;
    int solved, then;
} leaver;

static void *leave_early(void *user)
{
    member *m = user;
    leaver *task = m->task;
    const problem *p = task->problem;
    static _Thread_local double a[COLUMNS];
    tn_context *context = tn_context_create(NULL);
    tn_saddle *k = NULL;
    tn_context_set_team(context, &m->team);
    task->solved = hierarchical()->analyze(&k, context, &p->structure);
    if (task->solved == TN_OK)
        task->solved = hierarchical()->factor_solve(k, p->M, p->G, TN_RANK_DECIDE, p->f, p->u, a, NULL);
    if (m->team.rank == 1)
        member_leave(m);
    else
        task->then = hierarchical()->factor(k, p->M, p->G, TN_RANK_DECIDE);
    hierarchical()->destroy(k);
    tn_context_destroy(context);
    return NULL;
}

static void test_member_that_leaves(void **state)
{
    (void)state;
    problem *p = looped(6);
    leaver tasks[3] = { { .problem = p }, { .problem = p }, { .problem = p } };
    team_run(3, NULL, 0, tasks, sizeof *tasks, leave_early);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(tasks[r].solved, TN_OK);
        assert_int_equal(tasks[r].then, r == 1 ? 0 : TN_ERROR_TEAM);
    }
    free(p);
}

/* ---- models ---- */

typedef struct run {
    const char *path;
    double until;
    int code;
    uint64_t hash;
    tn_summary summary;
} run;

static void run_model(run *task, const tn_team *team)
{
    tn_context *context = tn_context_create(NULL);
    tn_model *model = NULL;
    tn_session *session = NULL;
    tn_context_set_team(context, team);
    task->code = tn_model_read(&model, context, task->path);
    if (task->code == TN_OK) {
        tn_solve settings = tn_model_solve(model);
        settings.solver = "hierarchical";
        settings.until = task->until;
        task->code = tn_session_open(&session, model, &settings);
    }
    if (task->code == TN_OK)
        task->code = tn_session_run(session);
    if (session) {
        task->hash = tn_session_hash(session);
        task->summary = tn_session_summary(session);
    }
    tn_session_close(session);
    tn_model_destroy(model);
    tn_context_destroy(context);
}

static void *run_as_member(void *user)
{
    member *m = user;
    run_model(m->task, &m->team);
    return NULL;
}

static void test_models(void **state)
{
    (void)state;
    static const struct { const char *path; double until; } models[] = {
        { TENON_SOURCE_DIR "/examples/car/car.yaml", 2.7 },
        { TENON_SOURCE_DIR "/examples/steam-machine/steam-machine.yaml", 0.1 },
        { TENON_SOURCE_DIR "/examples/bricard.yaml", 0.3 },
        { TENON_SOURCE_DIR "/examples/door-stop.yaml", 1 },            /* events and impacts */
    };
    static const tn_place places[] = { { "front_left", 1 }, { "front_right", 0 }, { "rear_left", 1 } };
    for (size_t i = 0; i < TN_LENGTH(models); i++)
        for (int size = 2; size <= 3; size++) {
            run alone = { .path = models[i].path, .until = models[i].until }, members[3] = { alone, alone, alone };
            run_model(&alone, NULL);
            assert_true(alone.code > 0);
            post_office office = team_run(size, size == 2 ? places : NULL, size == 2 ? TN_LENGTH(places) : 0, members,
                                          sizeof *members, run_as_member);
            print_message("%s, %d members: %.1f messages of %.0f numbers a step\n", strrchr(models[i].path, '/') + 1,
                          size, (double)office.sent / (double)alone.summary.steps,
                          office.sent ? (double)office.numbers / (double)office.sent : 0);
            for (int r = 0; r < size; r++) {
                assert_int_equal(members[r].code, alone.code);
                assert_true(members[r].hash == alone.hash);
                assert_int_equal(members[r].summary.steps, alone.summary.steps);
                assert_int_equal(members[r].summary.rank_max, alone.summary.rank_max);
            }
        }
}

/* ---- placement ---- */

typedef struct placed {
    tn_context *context;
    tn_arena *arena;
    tn_cluster_plan plan;
    tn_node_placement placement;
} placed;

static placed place(const tn_structure *s, int size)
{
    placed x = { .context = tn_context_create(NULL) };
    x.arena = tn_arena_create(x.context);
    assert_int_equal(tn_cluster(&x.plan, x.arena, x.context, s, NULL, 0), TN_OK);
    assert_int_equal(tn_place_nodes(&x.placement, x.arena, x.context, &x.plan, s, size), TN_OK);
    return x;
}

static void placed_free(placed *x)
{
    tn_arena_destroy(x->arena);
    tn_context_destroy(x->context);
}

/* Chains that nothing connects, of the given lengths. */
static problem *chains(const int *lengths, int count)
{
    int bodies = 0;
    for (int k = 0; k < count; k++)
        bodies += lengths[k];
    problem *p = problem_open(1, bodies, 6);
    for (int k = 0, b = 0; k < count; b += lengths[k++])
        for (int i = 1; i < lengths[k]; i++)
            add_link(p, 5, b + i - 1, b + i);
    problem_finish(p);
    return p;
}

/* Separate mechanisms: shared evenly, whole, without a message. */
static void test_placement_of_pieces(void **state)
{
    (void)state;
    problem *p = chains((const int[]){ 20, 40, 30, 30, 40, 20 }, 6);
    placed x = place(&p->structure, 3);
    double work = 0;
    for (int r = 0; r < 3; r++)
        work += x.placement.work[r];
    assert_int_equal(x.placement.links, 0);
    for (int r = 0; r < 3; r++)
        assert_near(x.placement.work[r] / work, 1.0 / 3, 0.02);
    assert_near(x.placement.elapsed / work, 1.0 / 3, 0.02);
    placed_free(&x);
    free(p);
}

/* Four long chains on one body in groups: a member each, and three of them send to the fourth. */
static void test_placement_of_branches(void **state)
{
    (void)state;
    enum { LENGTH = 60 };
    problem *p = problem_open(1, 4 * LENGTH + 1, 6);
    int body_group[BODIES], group_parent[4] = { -1, -1, -1, -1 };
    body_group[0] = -1;
    for (int b = 1; b <= 4 * LENGTH; b++) {
        body_group[b] = (b - 1) / LENGTH;
        add_link(p, 5, (b - 1) % LENGTH == 0 ? 0 : b - 1, b);
    }
    problem_finish(p);
    tn_structure s = p->structure;
    s.groups = 4;
    s.body_group = body_group;
    s.group_parent = group_parent;
    placed x = place(&s, 4), one = place(&s, 1);
    assert_int_equal(x.placement.links, 3);
    assert_int_equal(one.placement.links, 0);
    assert_true(x.placement.total == one.placement.total && one.placement.elapsed == one.placement.total);
    assert_near(x.placement.elapsed / x.placement.total, 0.25, 0.05);
    for (int b = 2; b <= 4 * LENGTH; b++)
        if ((b - 1) % LENGTH != 0)
            assert_int_equal(x.placement.body_rank[b], x.placement.body_rank[b - 1]);
    placed_free(&one);
    placed_free(&x);
    free(p);
}

static void test_placement_by_hand(void **state)
{
    (void)state;
    problem *p = random_tree(8, 40, 6, 5);
    problem_finish(p);
    int body_group[BODIES], parent[3] = { -1, 0, -1 }, rank[3] = { 2, 1, -1 };
    for (int b = 0; b < 40; b++)
        body_group[b] = b < 10 ? 0 : b < 25 ? 1 : 2;
    tn_structure s = p->structure;
    s.groups = 3;
    s.body_group = body_group;
    s.group_parent = parent;
    s.group_rank = rank;
    placed x = place(&s, 3);
    for (int b = 0; b < 25; b++)                       /* the inner group counts */
        assert_int_equal(x.placement.body_rank[b], b < 10 ? 2 : 1);
    rank[0] = 3;
    assert_int_equal(tn_place_nodes(&x.placement, x.arena, x.context, &x.plan, &s, 3), TN_ERROR_ARGUMENT);
    placed_free(&x);
    free(p);
}

/* Bodies that nothing joins are work, too. */
static void test_placement_of_loose_bodies(void **state)
{
    (void)state;
    problem *p = problem_open(1, 30, 6);
    problem_finish(p);
    placed x = place(&p->structure, 3);
    int count[3] = { 0 };
    for (int b = 0; b < 30; b++)
        count[x.placement.body_rank[b]]++;
    for (int r = 0; r < 3; r++)
        assert_int_equal(count[r], 10);
    compare_team(p, &p->structure, 3);
    placed_free(&x);
    free(p);
}

static int rank_of(const tn_placement *placement, const char *name)
{
    size_t k = 0;
    while (k < placement->name_count && strcmp(placement->names[k], name) != 0)
        k++;
    assert_true(k < placement->name_count);
    return placement->ranks[k];
}

static void test_placement_of_a_model(void **state)
{
    (void)state;
    static const tn_place places[] = { { "rear_left", 1 }, { "front_left.hub", 2 }, { "unknown", 1 } };
    machine m = machine_read(TENON_SOURCE_DIR "/examples/car/car.yaml");
    tn_team team = { .size = 3, .places = places, .place_count = TN_LENGTH(places) };
    tn_placement *placement = NULL;
    tn_context_set_team(m.context, &team);
    machine_must(&m, tn_model_placement(&placement, m.model));
    assert_int_equal(rank_of(placement, "rear_left"), 1);
    assert_int_equal(rank_of(placement, "rear_left.hub"), 1);
    assert_int_equal(rank_of(placement, "front_left.hub"), 2);
    assert_int_equal(placement->bodies[0] + placement->bodies[1] + placement->bodies[2], 17);
    assert_near((placement->work[0] + placement->work[1] + placement->work[2]) / placement->total, 1, 1e-12);
    tn_placement_destroy(m.context, placement);
    tn_context_set_team(m.context, NULL);
    machine_must(&m, tn_model_placement(&placement, m.model));
    assert_int_equal(placement->size, 1);
    assert_int_equal(rank_of(placement, "rear_left"), 0);
    tn_placement_destroy(m.context, placement);
    machine_close(&m);
}

static void test_allocation(void **state)
{
    (void)state;
    uint32_t random = 1;
    problem *p = looped(2);
    shares g;
    tn_structure s = shared(&g, p, &random, 3);
    tn_team team = { .rank = 1, .size = 3 };
    test_alloc alloc = { 0 };
    tn_context *context = test_context(&alloc);
    tn_saddle *k = NULL;
    tn_context_set_team(context, &team);
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
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_trouble_is_shared),
        cmocka_unit_test(test_member_that_leaves),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_placement_of_pieces),
        cmocka_unit_test(test_placement_of_branches),
        cmocka_unit_test(test_placement_by_hand),
        cmocka_unit_test(test_placement_of_loose_bodies),
        cmocka_unit_test(test_placement_of_a_model),
        cmocka_unit_test(test_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
