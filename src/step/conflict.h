/* Finds equations that contradict each other: drives and joints that prescribe different values for the same motion. */
#ifndef TN_STEP_CONFLICT_H
#define TN_STEP_CONFLICT_H

#include "stepper.h"

enum { TN_CONFLICT_TEXT = 400 };

enum { TN_CONFLICT_NONE, TN_CONFLICT_OF_JOINTS, TN_CONFLICT_OF_DRIVES };

/* A residual r of the rows (of g, g' or G a - u) is the sum of a part G x, which some motion x removes, and a rest that
 * no motion removes. There is a conflict when the rest is larger than floor and more than half of r. text then names
 * the parties, a drive first ("drive 'b' asks for something that drive 'a' and joint 'slide' do not allow"), and span
 * is the place of the first party in the model's text. G is taken as last evaluated in e. Returns one of the values
 * above, or a negative code. */
int tn_conflict_find(const tn_system *system, const tn_eval *e, const double *residual, double floor,
                     char text[TN_CONFLICT_TEXT], tn_span *span);

/* The rows of a structure, whose blocks a callback returns: input of tn_rest_find. */
typedef struct tn_rest_rows {
    const tn_structure *structure;
    int columns;
    const double *(*block)(const void *user, int constraint, int block, double rows[30]);
    const void *user;
} tn_rest_rows;
/* Splits the residual, which has one entry per row. rest: the part that no motion removes, with rows scaled to unit
 * length; scale: the scale factors. *found is true when the rest is larger than floor and at least this part of the
 * residual, by length. A row is a party when its entry of rest, over the largest entry, is above TN_REST_INVOLVED. */
#define TN_REST_INVOLVED 1e-6
int tn_rest_find(bool *found, const tn_rest_rows *rows, tn_context *context, const double *residual, double floor,
                 double part, double *rest, double *scale);

/* Looks for a conflict at the point evaluated last: of accelerations, then of velocities, then of positions. */
int tn_conflict_here(tn_stepper *stepper, char text[TN_CONFLICT_TEXT], tn_span *span);

#endif
