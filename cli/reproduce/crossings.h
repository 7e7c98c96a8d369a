/* When a quantity passes through zero: located in the dense output. */
#ifndef TN_CLI_CROSSINGS_H
#define TN_CLI_CROSSINGS_H

#include "reproduction.h"

/* Runs the model, whose first two outputs are a quantity and its rate, and finds the first times at which the quantity
 * changes its sign. TN_ERROR_STEP when there are fewer than count before solve->until. */
int tn_crossings_find(double *times, size_t count, tn_context *context, const char *text, const tn_solve *solve);
/* As accurate as can be: for references. */
tn_solve tn_crossings_solve(double until);

#endif
