/* The tree that hierarchical solvers work by: it follows the groups, and its cost is linear. */
#include "cluster.h"
#include "groupings.h"

/* ---- cost ---- */

static double work_of(const tn_cluster_plan *plan, const tn_structure *s)
{
    double work = 0;
    for (int n = 0; n < plan->node_count; n++) {
        const tn_cluster_node *node = &plan->nodes[n];
        double width = 0, height = 0;
        for (int c = 0; c < node->constraint_count; c++)
            width += s->constraint_row[node->constraints[c] + 1] - s->constraint_row[node->constraints[c]];
        width += 6.0 * node->port_count;
        for (int k = 0; k < node->child_count; k++)
            height += 6.0 * (node->children[k] < s->bodies ? 1 : plan->nodes[node->children[k] - s->bodies].port_count);
        work += width * width * height;
    }
    return work;
}

/* Work of a tree over that of as many links of a chain. */
static double relative_work(problem *p)
{
    problem_finish(p);
    tn_context *context = tn_context_create(NULL);
    tn_arena *arena = tn_arena_create(context);
    tn_cluster_plan plan;
    assert_int_equal(tn_cluster(&plan, arena, context, &p->structure, NULL, 0), TN_OK);
    double work = work_of(&plan, &p->structure) / (p->bodies * 11.0 * 11.0 * 12.0);
    tn_arena_destroy(arena);
    tn_context_destroy(context);
    free(p);
    return work;
}

static problem *wheel(int spokes)
{
    problem *p = problem_open(1, spokes + 1, 6);
    for (int k = 1; k <= spokes; k++) {
        add_link(p, 1, 0, k);
        add_link(p, 1, k, k % spokes + 1);
    }
    return p;
}

static problem *star(int rays)
{
    problem *p = problem_open(1, rays + 1, 6);
    for (int k = 1; k <= rays; k++)
        add_link(p, 5, 0, k);
    return p;
}

static problem *chain(int links)
{
    problem *p = problem_open(1, links, 6);
    for (int k = 1; k < links; k++)
        add_link(p, 5, k - 1, k);
    return p;
}

static void test_work_is_linear(void **state)
{
    (void)state;
    double c = relative_work(chain(350)), s = relative_work(star(350)), t = relative_work(random_tree(1, 350, 6, 5));
    double w = relative_work(wheel(300)), w2 = relative_work(wheel(100));
    double l = relative_work(ladder(1, 120)), l2 = relative_work(ladder(1, 40));
    print_message("work a body over a chain's: %.2f, star %.2f, tree %.2f, wheel %.1f, ladder %.1f\n", c, s, t, w, l);
    assert_near(c, 1, 0.01);
    assert_near(s, 1, 0.01);
    assert_near(t, 1, 0.05);
    assert_true(w < 1.2 * w2 && w < 40);
    assert_true(l < 1.2 * l2 && l < 10);
}

/* ---- groups ---- */

static bool holds(const int *list, int count, int x)
{
    for (int n = 0; n < count; n++)
        if (list[n] == x)
            return true;
    return false;
}

/* Marks the bodies of a part. */
static void mark_part(bool *inside, const tn_cluster_plan *plan, int bodies, int part)
{
    if (part < bodies) {
        inside[part] = true;
        return;
    }
    for (int k = 0; k < plan->nodes[part - bodies].child_count; k++)
        mark_part(inside, plan, bodies, plan->nodes[part - bodies].children[k]);
}

static int blocks_inside(const tn_structure *s, int constraint, const bool *inside)
{
    int count = 0;
    for (int e = s->block_begin[constraint]; e < s->block_begin[constraint + 1]; e++)
        count += inside[s->block_body[e]];
    return count;
}

/* Each constraint in the lowest node that has all its bodies; ports are what the others touch. */
static void check_node(const tn_structure *s, const tn_cluster_plan *plan, int n)
{
    const tn_cluster_node *node = &plan->nodes[n];
    bool inside[BODIES] = { false }, port[BODIES] = { false };
    mark_part(inside, plan, s->bodies, s->bodies + n);
    for (int c = 0; c < s->constraints; c++) {
        int touched = blocks_inside(s, c, inside), all = s->block_begin[c + 1] - s->block_begin[c];
        bool below = false;
        for (int k = 0; k < node->child_count; k++) {
            bool child[BODIES] = { false };
            mark_part(child, plan, s->bodies, node->children[k]);
            below |= node->children[k] >= s->bodies && blocks_inside(s, c, child) == all;
        }
        assert_int_equal(holds(node->constraints, node->constraint_count, c), touched == all && !below);
        for (int e = s->block_begin[c]; e < s->block_begin[c + 1] && touched < all; e++)
            port[s->block_body[e]] |= inside[s->block_body[e]];
    }
    for (int b = 0; b < s->bodies; b++)
        assert_int_equal(holds(node->ports, node->port_count, b), port[b]);
}

static bool belongs(const tn_structure *s, int body, int group)
{
    int g = s->body_group[body];
    while (g >= 0 && g != group)
        g = s->group_parent[g];
    return g == group;
}

static void test_tree_follows_groups(void **state)
{
    (void)state;
    uint32_t random = 3;
    tn_context *context = tn_context_create(NULL);
    for (int groups = 1; groups <= 12; groups++) {
        problem *p = random_tree((uint32_t)groups, 25, 6, 2);
        add_link(p, 2, 20, 3);
        add_rows(p, 1, 3, (const int[]){ 24, 11, 6 });
        problem_finish(p);
        grouping any = scattered(&random, p->bodies, groups);
        tn_structure s = grouped(&p->structure, &any);
        tn_arena *arena = tn_arena_create(context);
        tn_cluster_plan plan;
        assert_int_equal(tn_cluster(&plan, arena, context, &s, NULL, 0), TN_OK);
        for (int n = 0; n < plan.node_count; n++)
            check_node(&s, &plan, n);
        for (int g = 0; g < groups; g++) {
            bool inside[BODIES] = { false };
            if (plan.group_part[g] >= 0)
                mark_part(inside, &plan, s.bodies, plan.group_part[g]);
            for (int b = 0; b < s.bodies; b++)
                assert_int_equal(inside[b], belongs(&s, b, g));
        }
        tn_arena_destroy(arena);
        free(p);
    }
    tn_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_linear),
        cmocka_unit_test(test_tree_follows_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
