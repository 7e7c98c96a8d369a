/* Splits the constraints of a structure into two parts. Each part is a structure with the same bodies and the same
 * G. */
#ifndef TN_SOLVE_SPLIT_H
#define TN_SOLVE_SPLIT_H

#include "mem.h"
#include "tenon/sys/saddle.h"

typedef struct tn_part {
    tn_structure structure;
    int *constraint;               /* for each constraint of the part: its index in the whole */
    int *row;                      /* for each row of the part: its index in the whole */
} tn_part;

/* Makes the part of the constraints c with marks[c] == mark. Its rows are all in G: the part uses no pins. */
int tn_part_create(tn_part *part, tn_arena *arena, const tn_structure *whole, const bool *marks, bool mark);
/* Copies the rows of the part from the rows of the whole, and back. */
void tn_part_take(const tn_part *part, const double *whole, double *rows);
void tn_part_put(const tn_part *part, const double *rows, double *whole);

#endif
