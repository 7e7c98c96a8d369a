/* Problems for solvers that work by groups: trees and ladders, and bodies in groups. */
#ifndef GROUPINGS_H
#define GROUPINGS_H

#include "saddle_problem.h"

static inline const tn_solver_type *hierarchical(void)
{
    int k = 0;
    while (strcmp(tn_solver_types[k]->name, "hierarchical") != 0)
        k++;
    return tn_solver_types[k];
}

static inline problem *random_tree(uint32_t seed, int bodies, int columns, int rows)
{
    problem *p = problem_open(seed, bodies, columns);
    add_rows(p, rows, 1, (const int[]){ 0 });
    for (int b = 1; b < bodies; b++)
        add_link(p, rows, (int)(next_random(&p->random) % (uint32_t)b), b);
    return p;
}

static inline problem *ladder(uint32_t seed, int rungs)
{
    problem *p = problem_open(seed, 3 * rungs, 3);
    for (int k = 0; k < rungs; k++) {
        const int left = 3 * k, right = left + 1, rung = left + 2;
        add_link(p, 2, left, rung);
        add_link(p, 2, right, rung);
        if (k > 0) {
            add_link(p, 2, left - 3, left);
            add_link(p, 1, right - 3, right);
        }
    }
    return p;
}

enum { MOST_GROUPS = 64 };

typedef struct grouping {
    int groups, body_group[BODIES], group_parent[MOST_GROUPS];
} grouping;

/* Halves of halves, down to so many bodies. */
static inline void halve(grouping *g, int first, int count, int parent, int smallest)
{
    int own = g->groups++;
    assert_true(g->groups <= MOST_GROUPS);
    g->group_parent[own] = parent;
    for (int b = first; b < first + count; b++)
        g->body_group[b] = own;
    if (count / 2 < smallest)
        return;
    halve(g, first, count / 2, own, smallest);
    halve(g, first + count / 2, count - count / 2, own, smallest);
}

/* Bodies thrown into a random tree of groups: some empty, most in pieces that nothing inside holds together. */
static inline grouping scattered(uint32_t *random, int bodies, int groups)
{
    grouping g = { .groups = groups };
    for (int n = 0; n < groups; n++)        /* parents may have larger numbers than children */
        g.group_parent[n] = n == groups - 1 ? -1 : n + 1 + (int)(next_random(random) % (uint32_t)(groups - 1 - n));
    for (int b = 0; b < bodies; b++)
        g.body_group[b] = (int)(next_random(random) % (uint32_t)(groups + 1)) - 1;
    return g;
}

static inline tn_structure grouped(const tn_structure *s, const grouping *g)
{
    tn_structure with = *s;
    with.groups = g->groups;
    with.body_group = g->body_group;
    with.group_parent = g->group_parent;
    with.group_rank = NULL;
    return with;
}

#endif
