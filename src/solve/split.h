/* The constraints of a structure in two parts, each a structure of its own on the same bodies and the same G. */
#ifndef TN_SOLVE_SPLIT_H
#define TN_SOLVE_SPLIT_H

#include "mem.h"
#include "tenon/sys/saddle.h"

typedef struct tn_part {
    tn_structure structure;
    int *constraint;               /* of the whole, for each of the part */
    int *row;                      /* likewise */
} tn_part;

/* The constraints marked so, with G in full: pins are not used. */
int tn_part_create(tn_part *part, tn_arena *arena, const tn_structure *whole, const bool *marks, bool mark);
/* part = rows of the part out of those of the whole, and back. */
void tn_part_take(const tn_part *part, const double *whole, double *rows);
void tn_part_put(const tn_part *part, const double *rows, double *whole);

#endif
