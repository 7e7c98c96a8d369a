/* Batches: formulas with one tape, evaluated side by side. A number of lanes goes through each operation of the tape together, so the
 * cost of finding out what to do is shared. Every lane does what tn_formula_evaluate_values does, in the same order: the values are the same
 * to the bit. Only tapes of sums, products and powers that read states and unknowns take part. */
#ifndef TN_SYSTEM_FORMULA_BATCH_H
#define TN_SYSTEM_FORMULA_BATCH_H

#include "system.h"

typedef struct tn_formula_batches tn_formula_batches;

/* Where outputs of a formula go: output first + k to place target + k, for k < count. */
typedef struct tn_batch_member {
    tn_formula *formula;           /* NULL: none */
    int first, count, target;
    bool taken;                    /* result: it is in a batch */
} tn_batch_member;

/* Sets taken of the members that are evaluated together. */
int tn_formula_batches_create(tn_formula_batches **out, tn_arena *arena, tn_batch_member *members, int count);
/* The network of e must be known. values: places of the targets. */
void tn_formula_batches_run(const tn_formula_batches *batches, tn_eval *e, const double *memory, double *values);

#endif
