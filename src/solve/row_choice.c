/* Finds the independent rows for solvers that decide no rank by themselves (row_choice.h). */
#include "row_choice.h"

/* The largest pivot dropped where rows that depend on each other agree: at a state on the constraints. */
static const double AGREEING = 1e-9;

int tn_row_choice_create(tn_row_choice *selection, tn_context *context, tn_arena *arena, const tn_structure *structure)
{
    const int rows = structure->constraint_row[structure->constraints];
    *selection = (tn_row_choice){ .all = true };
    selection->info.rank = -1;
    selection->info.weakest_pivot = 1;
    selection->independent = tn_arena_alloc(arena, (size_t)rows, sizeof(bool));
    if (!selection->independent)
        return TN_ERROR_MEMORY;
    return tn_condenser_create(&selection->condenser, context, structure, NULL, 0);
}

void tn_row_choice_destroy(tn_row_choice *selection)
{
    tn_condenser_destroy(selection->condenser);
    selection->condenser = NULL;
}

int tn_row_choice_decide(tn_row_choice *selection, const double *G, tn_rank_rule rule)
{
    const bool decided = selection->info.rank >= 0;
    if (rule == TN_RANK_KEEP && decided) {
        selection->all = selection->info.rank == selection->info.rows;
        return TN_OK;
    }
    TN_TRY(tn_condenser_decide(selection->independent, selection->condenser, G));
    tn_condenser_info(&selection->info, selection->condenser);
    selection->all = selection->info.largest_drop <= AGREEING;
    return TN_OK;
}
