/* Which rows count, for solvers that decide no rank by themselves. */
#ifndef TN_SOLVE_ROW_CHOICE_H
#define TN_SOLVE_ROW_CHOICE_H

#include "mem.h"
#include "tenon/sys/condense.h"

/* Where rows depend on each other, states within a step are off the constraints by their local error, and dependent rows
 * then contradict each other a little: a solver that follows all of them finds a motion that does not exist. So the
 * independent rows are found where the rank is decided, by the pivots of condensation, and used alone until the next
 * decision. At the decision itself, on the constraints, all rows agree and all are used, so that they share the forces. */
typedef struct tn_row_choice {
    tn_condenser *condenser;
    bool *independent;             /* of each row: found by the last decision */
    bool all;                      /* all rows are used */
    tn_saddle_info info;           /* of the last decision */
} tn_row_choice;

int tn_row_choice_create(tn_row_choice *selection, tn_context *context, tn_arena *arena, const tn_structure *structure);
void tn_row_choice_destroy(tn_row_choice *selection);
int tn_row_choice_decide(tn_row_choice *selection, const double *G, tn_rank_rule rule);

static inline bool tn_row_choice_uses(const tn_row_choice *selection, int row)
{
    return selection->all || selection->independent[row];
}

#endif
