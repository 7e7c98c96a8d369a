/* Splits the constraints of a structure into two parts (split.h). */
#include "split.h"

/* The tables of a part's structure while constraints are added to it. Solvers see them as constant. */
typedef struct lists {
    int *constraint_row, *block_begin, *block_body;
    size_t *block_offset;
} lists;

static int allocate(tn_part *part, lists *l, tn_arena *arena, const tn_structure *whole)
{
    size_t constraints = (size_t)whole->constraints, rows = (size_t)whole->constraint_row[constraints];
    size_t blocks = (size_t)whole->block_begin[constraints];
    l->constraint_row = tn_arena_alloc(arena, constraints + 1, sizeof(int));
    l->block_begin = tn_arena_alloc(arena, constraints + 1, sizeof(int));
    l->block_body = tn_arena_alloc(arena, blocks, sizeof(int));
    l->block_offset = tn_arena_alloc(arena, blocks, sizeof(size_t));
    part->constraint = tn_arena_alloc(arena, constraints, sizeof(int));
    part->row = tn_arena_alloc(arena, rows, sizeof(int));
    return l->constraint_row && l->block_begin && l->block_body && l->block_offset && part->constraint && part->row
               ? TN_OK : TN_ERROR_MEMORY;
}

static void add_split(tn_part *part, const lists *l, const tn_structure *whole, int c)
{
    int own = part->structure.constraints++, rows = l->constraint_row[own], blocks = l->block_begin[own];
    part->constraint[own] = c;
    for (int r = whole->constraint_row[c]; r < whole->constraint_row[c + 1]; r++)
        part->row[rows++] = r;
    for (int b = whole->block_begin[c]; b < whole->block_begin[c + 1]; b++, blocks++) {
        l->block_body[blocks] = whole->block_body[b];
        l->block_offset[blocks] = whole->block_offset[b];
    }
    l->constraint_row[own + 1] = rows;
    l->block_begin[own + 1] = blocks;
}

int tn_part_create(tn_part *part, tn_arena *arena, const tn_structure *whole, const bool *marks, bool mark)
{
    lists l;
    TN_TRY(allocate(part, &l, arena, whole));
    part->structure = *whole;
    part->structure.constraints = 0;
    part->structure.constraint_row = l.constraint_row;
    part->structure.block_begin = l.block_begin;
    part->structure.block_body = l.block_body;
    part->structure.block_offset = l.block_offset;
    part->structure.pin_kind = NULL;
    part->structure.pins = NULL;
    l.constraint_row[0] = l.block_begin[0] = 0;
    for (int c = 0; c < whole->constraints; c++)
        if (marks[c] == mark)
            add_split(part, &l, whole, c);
    return TN_OK;
}

void tn_part_take(const tn_part *part, const double *whole, double *rows)
{
    for (int r = 0; r < part->structure.constraint_row[part->structure.constraints]; r++)
        rows[r] = whole[part->row[r]];
}

void tn_part_put(const tn_part *part, const double *rows, double *whole)
{
    for (int r = 0; r < part->structure.constraint_row[part->structure.constraints]; r++)
        whole[part->row[r]] = rows[r];
}
