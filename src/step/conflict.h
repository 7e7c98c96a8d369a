/* Equations that contradict each other: drives and joints that ask for different things of the same motion. */
#ifndef TN_STEP_CONFLICT_H
#define TN_STEP_CONFLICT_H

#include "stepper.h"

enum { TN_CONFLICT_TEXT = 400 };

enum { TN_CONFLICT_NONE, TN_CONFLICT_OF_JOINTS, TN_CONFLICT_OF_DRIVES };

/* A residual r of the rows (of g, g' or G a - u) falls into a part G x, which some motion takes away, and a rest that
 * none does. There is a conflict when the rest is larger than floor and more than half of r; text then says who
 * contradicts whom, a drive first ("drive 'b' asks for something that drive 'a' and joint 'slide' do not allow"), and
 * span is where the first of them stands. G as last evaluated in e. One of the above, or a negative code. */
int tn_conflict_find(const tn_system *system, const tn_eval *e, const double *residual, double floor,
                     char text[TN_CONFLICT_TEXT], tn_span *span);

/* The rest of a residual of any rows: those of a structure, block by block. */
typedef struct tn_rest_rows {
    const tn_structure *structure;
    int columns;
    const double *(*block)(const void *user, int constraint, int block, double rows[30]);
    const void *user;
} tn_rest_rows;
/* Splits the residual, which has one entry a row. rest: what no motion takes away, with rows scaled to unit length;
 * scale: the factors of that. part: how much of the residual, by length, the rest must be. False: it is less. Entries of
 * rest, over the largest, above TN_REST_INVOLVED make their row a party. */
#define TN_REST_INVOLVED 1e-6
int tn_rest_find(bool *found, const tn_rest_rows *rows, tn_context *context, const double *residual, double floor,
                 double part, double *rest, double *scale);

/* The same for the point evaluated last, at the levels of accelerations, velocities and positions in turn. */
int tn_conflict_here(tn_stepper *stepper, char text[TN_CONFLICT_TEXT], tn_span *span);

#endif
